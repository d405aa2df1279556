//! The command `llamafur`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    llamafur_cli::main()
}
