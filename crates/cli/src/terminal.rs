//! Output for people: its amount, and its colours.
//!
//! Answers are written to files and standard output; notes, warnings, errors and progress to standard error.

use super::progress::ProgressMode;
use anstream::AutoStream;
use clap::builder::styling::{AnsiColor, Style};
use clap::{Args, ColorChoice};
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::OnceLock;

/// Prints a line of a summary, unless `--quiet`: on standard output, or on standard error if standard output carries
/// results. A failed write is ignored: no error, no panic.
macro_rules! say {
    ($($line:tt)*) => {{
        if $crate::outputs::results_on_stdout() {
            tell!($($line)*);
        } else if !$crate::terminal::is_quiet() {
            show!($($line)*);
        }
    }};
}

/// Prints a line of the command's result on standard output, also with `--quiet`.
#[cfg(not(test))]
macro_rules! show {
    ($($line:tt)*) => {{
        let _ = std::io::Write::write_fmt(&mut std::io::stdout(), format_args!("{}\n", format_args!($($line)*)));
    }};
}

/// Prints a line through the test harness, which captures it: conditions that a test provokes, such as the end of a
/// peer, then do not look like failures in the log.
#[cfg(test)]
macro_rules! show {
    ($($line:tt)*) => { println!($($line)*) };
}

/// Prints a note on standard error, unless `--quiet`.
#[cfg(not(test))]
macro_rules! tell {
    ($($line:tt)*) => {{
        if !$crate::terminal::is_quiet() {
            let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{}\n", format_args!($($line)*)));
        }
    }};
}

/// Prints a note through the test harness, as `show` does.
#[cfg(test)]
macro_rules! tell {
    ($($line:tt)*) => { eprintln!($($line)*) };
}

/// Options of every command.
#[derive(Clone, Copy, Debug, Args)]
pub struct TerminalArgs {
    /// Print errors and warnings only: no summary, no notes, no progress bars. The result of a command is printed in
    /// any case: lists, and the output of --json, --out - or --progress json
    #[arg(long, global = true, display_order = 900)]
    quiet: bool,
    /// Form of the progress reports on standard error
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "HOW", display_order = 901)]
    progress: ProgressMode,
    /// When to use colours; auto honours NO_COLOR, CLICOLOR and CLICOLOR_FORCE
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN", display_order = 902)]
    color: ColorChoice,
}

static ARGS: OnceLock<TerminalArgs> = OnceLock::new();

impl TerminalArgs {
    /// Applies these options to the process. Only the first call has an effect.
    pub fn apply(self) {
        set_color(self.color);
        let _ = ARGS.set(self);
    }
}

/// Returns whether summaries and notes are suppressed.
pub fn is_quiet() -> bool {
    ARGS.get().is_some_and(|args| args.quiet)
}

/// The form in which progress is reported.
pub fn progress_mode() -> ProgressMode {
    match ARGS.get() {
        Some(TerminalArgs { quiet: true, progress: ProgressMode::Auto, .. }) => ProgressMode::Never,
        Some(args) => args.progress,
        None => ProgressMode::Auto,
    }
}

/// The value of `--color` in arguments that are not parsed yet, so that errors about them are coloured accordingly.
pub fn color_asked_for(arguments: impl IntoIterator<Item = OsString>) -> ColorChoice {
    let mut arguments = arguments.into_iter().map(|a| a.to_string_lossy().into_owned()).take_while(|a| a != "--");
    let mut asked = String::new();
    while let Some(argument) = arguments.next() {
        match argument.strip_prefix("--color") {
            Some("") => asked = arguments.next().unwrap_or_default(),
            Some(value) => asked = value.strip_prefix('=').unwrap_or_default().to_string(),
            None => {}
        }
    }
    match asked.as_str() {
        "always" => ColorChoice::Always,
        "never" => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

/// Applies a choice of colours to the process.
pub fn set_color(choice: ColorChoice) {
    match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Prints an error.
pub fn error(message: &dyn Display) {
    labelled("error", AnsiColor::Red, message);
}

/// Prints a warning.
pub fn warn(message: &str) {
    labelled("warning", AnsiColor::Yellow, &message);
}

fn labelled(label: &str, color: AnsiColor, message: &dyn Display) {
    let style = Style::new().bold().fg_color(Some(color.into()));
    let line = format!("{style}{label}:{style:#} {message}\n");
    // A single write, so that lines of several processes do not mix. If the terminal is closed, the line is lost.
    let mut text = AutoStream::new(Vec::new(), AutoStream::choice(&io::stderr()));
    let _ = text.write_all(line.as_bytes());
    let _ = io::stderr().write_all(&text.into_inner());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_color_option_is_read_before_arguments_are_parsed() {
        let found = |arguments: &[&str]| color_asked_for(arguments.iter().map(OsString::from));
        assert_eq!(found(&["check", "--color", "always", "--nonsense"]), ColorChoice::Always);
        assert_eq!(found(&["--color=never", "check"]), ColorChoice::Never);
        assert_eq!(found(&["--color=never", "--color", "always"]), ColorChoice::Always);
        for other in [&["check"][..], &["--color"], &["--color=red"], &["--colors=always"], &["--", "--color=always"]] {
            assert_eq!(found(other), ColorChoice::Auto, "{other:?}");
        }
    }
}
