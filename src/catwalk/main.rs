//! The `catwalk` program: everything is in the library.

/// A compile makes many small values that live as long as it does: this allocator does that in less time than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    catwalk::cli::run()
}
