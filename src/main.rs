//! The `catwalk` program: everything is in the library.

fn main() -> std::process::ExitCode {
    catwalk::cli::run()
}
