//! `firstcontact completions`: scripts that complete commands, options and their values in a shell.

use super::{Cli, Outcome};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use firstcontact::Result;

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(after_help = "To enable them in this shell:\n  bash:  source <(firstcontact completions bash)\n  \
                        zsh:   source <(firstcontact completions zsh)\n  \
                        fish:  firstcontact completions fish | source")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Runs the command.
pub fn run(args: &CompletionsArgs) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "firstcontact", &mut script);
    show!("{}", String::from_utf8_lossy(&script).trim_end());
    Ok(Outcome::Free)
}
