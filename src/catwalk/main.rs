//! The `catwalk` program: everything is in the library.

/// A compile allocates many small values that live until its end: mimalloc is faster for these than the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    catwalk::cli::run()
}
