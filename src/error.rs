//! The one error type: what is wrong, in which file, at which place, and what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};

/// `Result` with the crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation ended. The command exits with 130 for [`Interrupted`](ErrorKind::Interrupted) and
/// [`Closed`](ErrorKind::Closed), and with 3 for every other kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The caller asked for something that does not exist or does not fit together.
    Usage,
    /// A file is missing, malformed or outside of what the engine accepts.
    Input,
    /// The data or the work does not fit the memory that the caller allows.
    Memory,
    /// No usable graphics adapter, or the device failed.
    Gpu,
    /// The caller interrupted the work.
    Interrupted,
    /// An output could not be written.
    Output,
    /// Another process is writing the output.
    Busy,
    /// The reader of the output has closed it.
    Closed,
}

/// An error that names the file, the place in it, and the remedy, as far as they are known.
#[derive(Clone, Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    file: Option<PathBuf>,
    place: Option<String>,
    remedy: Option<String>,
}

impl Error {
    /// A new error that says what is wrong.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), file: None, place: None, remedy: None }
    }

    /// Malformed or missing input.
    pub fn input(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, message)
    }

    /// A wrong call of the library or the command.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// Names the file, unless one is named already: the innermost reader knows best.
    #[must_use]
    pub fn in_file(mut self, file: impl AsRef<Path>) -> Self {
        self.file.get_or_insert_with(|| file.as_ref().to_path_buf());
        self
    }

    /// Names the place inside the file (a line, a link, a joint, a motion), unless one is named already.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.place.get_or_insert_with(|| place.into());
        self
    }

    /// Says what the user can do.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// Which kind of failure this is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    /// `file: place: message (remedy)`, on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            // A file name is shown as it is, except for what would break the line.
            let name = file.to_string_lossy();
            write!(f, "{}: ", name.replace(char::is_control, "\u{fffd}"))?;
        }
        if let Some(place) = &self.place {
            write!(f, "{}: ", one_line(place))?;
        }
        write!(f, "{}", one_line(&self.message))?;
        if let Some(remedy) = &self.remedy {
            write!(f, " ({})", one_line(remedy))?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// Turns a foreign error into trouble with `file`.
pub(crate) fn input_error(file: &Path) -> impl Fn(&dyn fmt::Display) -> Error + '_ {
    move |cause| Error::input(cause.to_string()).in_file(file)
}

/// Messages of underlying parsers, and names from files, may span lines; an error is one line.
fn one_line(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    words.join(" ")
}

/// The first characters of a text from a file, for a message.
pub(crate) fn shortened(text: &str, n_chars: usize) -> String {
    match text.char_indices().nth(n_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// A name or a value from a file, in quotes, cut where it is long: for a message.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", shortened(text.trim(), 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line() {
        let error = Error::input("a\nb\r\n c").in_file("dir\nfile").at("link 'x\u{7}\ny'").remedy("do\nthis");
        assert_eq!(error.to_string(), "dir\u{fffd}file: link 'x y': a b c (do this)");
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(quoted(&"é".repeat(100)), format!("'{}…'", "é".repeat(60)));
        assert_eq!(quoted(" short "), "'short'");
    }
}
