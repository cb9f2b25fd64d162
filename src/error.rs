//! The crate's error type: a message, the file and the place in it, and a remedy.
//!
//! Messages often repeat text from files: names, values, a parser's own message. Such text is shortened when a message
//! is composed ([`quoted`], [`foreign`]), and again when an error is printed, so that a message has at most a few
//! hundred characters whatever the file contains. Paths are stored separately from the message, and existing ones are
//! printed in full.

use std::fmt;
use std::path::{Path, PathBuf};

/// `Result` with the crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// The kind of a failure. The command exits with 130 for [`Interrupted`](ErrorKind::Interrupted) and
/// [`Closed`](ErrorKind::Closed), and with 3 for every other kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The caller requested something that does not exist, or a combination that is not possible.
    Usage,
    /// A file is missing, malformed or outside the range that the engine accepts.
    Input,
    /// The data or the work does not fit into the memory limit set by the caller.
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

/// An error with the file, the place in it, and the remedy, as far as they are known.
#[derive(Clone, Debug)]
pub struct Error(Box<Parts>);

/// The parts of an error, on the heap: a `Result` stays small.
#[derive(Clone, Debug)]
struct Parts {
    kind: ErrorKind,
    message: String,
    file: Option<PathBuf>,
    place: Option<String>,
    folders: Vec<PathBuf>,
    remedy: Option<String>,
}

impl Error {
    /// A new error with a message.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(Parts { kind, message, file: None, place: None, folders: Vec::new(), remedy: None }))
    }

    /// Creates an input error: a malformed or missing input.
    pub fn input(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, message)
    }

    /// Creates a usage error: an incorrect call of the library or the command.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// Sets the file, unless one is already set: the innermost reader knows it best.
    #[must_use]
    pub fn in_file(mut self, file: impl AsRef<Path>) -> Self {
        self.0.file.get_or_insert_with(|| file.as_ref().to_path_buf());
        self
    }

    /// Sets the place inside the file (a line, a link, a joint, a motion), unless one is already set.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.0.place.get_or_insert_with(|| place.into());
        self
    }

    /// Sets the place, or prepends it to the place that is already set.
    #[must_use]
    pub fn within(mut self, outer: impl Into<String>) -> Self {
        let outer = outer.into();
        self.0.place = Some(self.0.place.take().map_or(outer.clone(), |inner| format!("{outer}: {inner}")));
        self
    }

    /// Sets the folders that the message is about; they are printed after it.
    #[must_use]
    pub fn in_folders(mut self, folders: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.0.folders = folders.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the remedy: advice to the user.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.0.remedy = Some(remedy.into());
        self
    }

    /// The kind of this failure.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message alone, as it was given: without file, place and remedy, and not shortened.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The file that the error is about.
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// The place in the file or in the call: a line, a link, a joint, a motion.
    pub fn place(&self) -> Option<&str> {
        self.0.place.as_deref()
    }

    /// The remedy for the user, if one was set. It may name options of the command, such as `--memory`.
    pub fn advice(&self) -> Option<&str> {
        self.0.remedy.as_deref()
    }
}

/// Characters of text from a file that a message repeats.
const FOREIGN_CHARS: usize = 200;
/// Maximum number of characters of a place, a message and a remedy that are printed; without text from a file all are
/// shorter.
const PLACE_CHARS: usize = 120;
const MESSAGE_CHARS: usize = 400;
const REMEDY_CHARS: usize = 240;

impl fmt::Display for Error {
    /// `file: place: message in folders (remedy)`, on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A driver's message is not from a file, and every word of it may matter.
        let Parts { kind, message, file, place, folders, remedy } = &*self.0;
        let at_most = |n: usize| if *kind == ErrorKind::Gpu { usize::MAX } else { n };
        if let Some(file) = file {
            write!(f, "{}: ", path(file))?;
        }
        if let Some(place) = place {
            write!(f, "{}: ", shortened(&one_line(place), at_most(PLACE_CHARS)))?;
        }
        write!(f, "{}", shortened(&one_line(message), at_most(MESSAGE_CHARS)))?;
        for (i, folder) in folders.iter().enumerate() {
            write!(f, "{}{}", if i == 0 { " in " } else { ", " }, path(folder))?;
        }
        if let Some(remedy) = remedy {
            write!(f, " ({})", shortened(&one_line(remedy), at_most(REMEDY_CHARS)))?;
        }
        Ok(())
    }
}

/// A path, without characters that would break the line. A long path that does not exist is printed without its middle,
/// since it may be text from a file.
fn path(path: &Path) -> String {
    let name = path.to_string_lossy().replace(char::is_control, "\u{fffd}");
    let n = name.chars().count();
    if n <= FOREIGN_CHARS || path.exists() {
        return name;
    }
    let end: String = name.chars().skip(n - FOREIGN_CHARS / 2).collect();
    shortened(&name, FOREIGN_CHARS / 2) + &end
}

impl std::error::Error for Error {}

/// Returns a function that converts another library's error into an error about `file`.
pub fn input_error(file: &Path) -> impl Fn(&dyn fmt::Display) -> Error + '_ {
    move |cause| Error::input(cause.to_string()).in_file(file)
}

/// The text with each run of white space and control characters replaced by one space: messages of parsers and names
/// from files may span lines.
fn one_line(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    words.join(" ")
}

/// The first characters of a text, and `…` if there are more.
pub(crate) fn shortened(text: &str, n_chars: usize) -> String {
    match text.char_indices().nth(n_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// Shortens text that repeats the content of a file, such as a parser's message, for use in a message.
pub fn foreign(text: &(impl fmt::Display + ?Sized)) -> String {
    shortened(&text.to_string(), FOREIGN_CHARS)
}

/// A name or a value from a file, in quotes, shortened for a message.
pub fn quoted(text: &str) -> String {
    format!("'{}'", shortened(text.trim(), 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line() {
        let error = Error::input("a\nb\r\n c").in_file("dir\nfile").at("link 'x\u{7}\ny'").remedy("do\nthis");
        assert_eq!(error.to_string(), "dir\u{fffd}file: link 'x y': a b c (do this)");
        let error = Error::input("no x").in_folders(["a", "b\nc"]).remedy("look");
        assert_eq!(error.to_string(), "no x in a, b\u{fffd}c (look)");
    }

    #[test]
    fn the_parts_can_be_read_one_by_one() {
        let error = Error::usage("m\nn").in_file("f").at("p").remedy("r");
        assert_eq!((error.message(), error.file()), ("m\nn", Some(Path::new("f"))));
        assert_eq!((error.place(), error.advice()), (Some("p"), Some("r")));
        let bare = Error::usage("m");
        assert_eq!((bare.file(), bare.place(), bare.advice()), (None, None, None));
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(quoted(&"é".repeat(100)), format!("'{}…'", "é".repeat(60)));
        assert_eq!(quoted(" short "), "'short'");
    }

    #[test]
    fn text_from_files_does_not_make_an_error_long() {
        let long = "é ".repeat(100_000);
        let error = Error::input(long.as_str()).in_file(&long).at(long.as_str()).remedy(long.as_str());
        let n = error.in_folders([long]).to_string().chars().count();
        assert!((900..1300).contains(&n), "{n}");
    }

    #[test]
    fn paths_that_exist_are_shown_whole() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join(vec!["x".repeat(100); 5].join("/"));
        std::fs::create_dir_all(&deep).unwrap();
        let there = deep.display().to_string();
        for error in [Error::input("bad").in_file(&deep), Error::input("bad").in_folders([&deep])] {
            assert!(error.to_string().contains(&there), "{error}");
        }
        let gone = Error::input("bad").in_file(deep.join("gone")).to_string();
        assert!(gone.chars().count() < 250 && gone.ends_with("gone: bad") && gone.contains('…'), "{gone}");
    }

    #[test]
    fn messages_of_drivers_are_shown_whole() {
        let long = "word ".repeat(1000);
        assert_eq!(Error::new(ErrorKind::Gpu, long.as_str()).to_string(), long.trim());
    }
}
