//! The command `firstcontact`.

use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    // SAFETY: this is the first statement of the program, and nothing before it starts a thread.
    unsafe { cli::environment::set_wayland_display() };
    cli::main()
}
