//! The common format of measurements: machine, tables, plots and raw samples.

use super::machine::{Machine, Versions};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{Instant, SystemTime};

/// The value of `format`.
pub const FORMAT: &str = "firstcontact-run/1";

/// One run of a measurement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// [`FORMAT`].
    pub format: String,
    /// A short name, the base name of its files.
    pub name: String,
    /// A title for people.
    pub title: String,
    /// The command line.
    pub command: String,
    /// Start time in UTC, such as `2004-10-25T12:00:00Z`.
    pub started: String,
    /// Duration, seconds.
    pub wall_s: f64,
    /// The machine.
    pub machine: Machine,
    /// The software versions.
    pub versions: Versions,
    /// The seed of everything random in it.
    pub seed: u64,
    /// Sentences above the tables.
    pub notes: Vec<String>,
    /// Its tables.
    pub tables: Vec<Table>,
    /// Its plots.
    pub plots: Vec<Plot>,
    /// Every single measurement.
    pub samples: Vec<Samples>,
    /// The data sets that were used.
    pub datasets: Vec<UsedDataset>,
    #[serde(skip)]
    pub(super) clock: Option<Instant>,
}

/// A table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Table {
    /// Letters, digits and hyphens.
    pub id: String,
    /// A title for people.
    pub title: String,
    /// A remark that is needed to read it; may be empty.
    pub note: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// Rows with one cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// The unit of its numbers; may be empty.
    pub unit: String,
    /// A description of one sentence; may be empty.
    pub about: String,
    /// Number of digits after the decimal point.
    pub digits: usize,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// An empty cell: `null`.
    Empty,
}

/// The style of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlotKind {
    /// Connected by lines.
    Lines,
    /// As bars, side by side over x = 0, 1, 2 …
    Bars,
    /// As separate points.
    Points,
    /// Connected by lines, without marks.
    Curves,
}

/// A plot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plot {
    /// Letters, digits and hyphens.
    pub id: String,
    /// A title for people.
    pub title: String,
    /// A remark that is needed to read it; may be empty.
    pub note: String,
    /// The style of its points.
    pub kind: PlotKind,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The series of points.
    pub series: Vec<Series>,
    /// For bars, the names of x = 0, 1, 2 …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
}

/// An axis of a plot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Axis {
    /// The measured quantity, with its unit.
    pub label: String,
    /// True if it is logarithmic.
    pub log: bool,
}

/// Points that belong together.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// `[x, y]`.
    pub points: Vec<[f64; 2]>,
}

/// Repeated measurements of one quantity.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Samples {
    /// The measured quantity.
    pub name: String,
    /// Their unit.
    pub unit: String,
    /// The values, in order.
    pub values: Vec<f64>,
}

/// A data set that was used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UsedDataset {
    /// `NAME/DEG`, as for `check --dataset`.
    pub name: String,
    /// Interesting motions: the slowest, the first contact …
    pub motions: Vec<usize>,
}

impl Run {
    /// A run that begins now. `adapters` is whether graphics adapters are listed.
    pub fn begin(name: &str, title: &str, seed: u64, adapters: bool) -> Self {
        // Both settings prevent the inlining of small functions into the loops that call them.
        let slow = cfg!(debug_assertions) || env!("FIRSTCONTACT_INCREMENTAL").contains('1');
        let warning =
            "**Not for comparison:** the program was built incrementally or for debugging, and is many times slower.";
        Self {
            format: FORMAT.into(),
            name: name.into(),
            title: title.into(),
            command: this_command_line(),
            started: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            wall_s: 0.0,
            machine: Machine::this(adapters),
            versions: Versions::this(),
            seed,
            notes: if slow { vec![warning.into()] } else { Vec::new() },
            tables: Vec::new(),
            plots: Vec::new(),
            samples: Vec::new(),
            datasets: Vec::new(),
            clock: Some(Instant::now()),
        }
    }

    /// Adds a sentence above the tables.
    pub fn note(&mut self, sentence: impl Into<String>) {
        self.notes.push(sentence.into());
    }

    /// The name of the file of a plot.
    pub fn plot_file(&self, plot: &Plot) -> String {
        format!("{}-{}.svg", self.name, plot.id)
    }
}

impl Table {
    /// A table without rows.
    pub fn new(id: &str, title: &str, note: &str, columns: Vec<Column>) -> Self {
        Self { id: slug(id), title: title.into(), note: note.into(), columns, rows: Vec::new() }
    }

    /// Appends a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut row: Vec<Cell> = cells.into_iter().collect();
        row.resize(self.columns.len(), Cell::Empty);
        self.rows.push(row);
    }
}

impl Column {
    /// A column of texts.
    pub fn text(name: &str, about: &str) -> Self {
        Self::number(name, "", 0, about)
    }

    /// A column of numbers in `unit`, with `digits` digits after the decimal point.
    pub fn number(name: &str, unit: &str, digits: usize, about: &str) -> Self {
        Self { name: name.into(), unit: unit.into(), about: about.into(), digits }
    }
}

impl Axis {
    /// A logarithmic axis.
    pub fn log(label: &str) -> Self {
        Self { label: label.into(), log: true }
    }

    /// A linear axis.
    pub fn linear(label: &str) -> Self {
        Self { label: label.into(), log: false }
    }
}

impl Series {
    /// A series of points.
    pub fn new(name: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        Self { name: name.into(), points }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        Self::Number(number as f64)
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Number(number as f64)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(cell: Option<T>) -> Self {
        cell.map_or(Self::Empty, Into::into)
    }
}

/// A text as part of a file name: lower-case letters, digits and hyphens.
pub fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

/// The command line of this process, in a form that can be typed.
pub fn this_command_line() -> String {
    command_line(std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()))
}

/// A command line in a form that can be typed: the program by its bare name, quotes where necessary.
fn command_line(arguments: impl Iterator<Item = String>) -> String {
    let of = |(i, argument): (usize, String)| {
        let stem = Path::new(&argument).file_stem().filter(|_| i == 0);
        shell_quoted(&stem.map_or(argument.as_str().into(), |stem| stem.to_string_lossy()))
    };
    arguments.enumerate().map(of).collect::<Vec<_>>().join(" ")
}

/// An argument as a shell needs it, in single quotes where necessary.
pub fn shell_quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    let is_bare = !argument.is_empty() && argument.chars().all(is_plain);
    if is_bare { argument.into() } else { format!("'{}'", argument.replace('\'', r"'\''")) }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A run with one of everything, some of it awkward.
    pub fn example() -> Run {
        let mut run = Run::begin("some", "Some figures", 7, false);
        run.note("One line | with a bar.");
        let columns = vec![Column::text("set", "Which."), Column::number("time", "µs", 1, "How long.")];
        let mut table = Table::new("First Table", "Times", "", columns);
        table.row(["a|b".into(), 12345.678.into()]);
        table.row(["c".into(), f64::NAN.into()]);
        table.row(["d".into()]);
        run.tables.push(table);
        let kinds = [PlotKind::Lines, PlotKind::Points, PlotKind::Bars];
        for (i, kind) in kinds.into_iter().enumerate() {
            run.plots.push(Plot {
                id: format!("plot{i}"),
                title: "a < b & \"c\"".into(),
                note: String::new(),
                kind,
                x: if kind == PlotKind::Bars { Axis::linear("") } else { Axis::log("triangles & more") },
                y: Axis::log("µs"),
                series: vec![
                    Series::new("1+2 <x>", vec![[0.0, 1.0], [1.0, 2000.0], [2.0, f64::INFINITY], [2.0, 0.0]]),
                    Series::new("nothing", Vec::new()),
                ],
                categories: vec!["free <30°>".into(), "hit".into(), "lost".into()],
            });
        }
        run.samples.push(Samples { name: "x".into(), unit: "s".into(), values: vec![0.1, f64::NAN, 0.3] });
        run.datasets.push(UsedDataset { name: "pipes/30".into(), motions: vec![17, 203] });
        run
    }

    #[test]
    fn recorded_command_lines_are_quoted_for_the_shell() {
        let line = ["/usr/bin/firstcontact", "bench", "--out", "a b", "it's", ""].map(String::from);
        assert_eq!(command_line(line.into_iter()), r"firstcontact bench --out 'a b' 'it'\''s' ''");
    }
}
