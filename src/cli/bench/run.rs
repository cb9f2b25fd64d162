//! The one format of measurements: what was measured where, tables, plots and raw samples, as JSON, Markdown and SVG.

use super::machine::{Machine, Versions};
use super::{chart, markdown};
use firstcontact::output;
use firstcontact::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::{Instant, SystemTime};

/// What `format` says.
pub const FORMAT: &str = "firstcontact-run/1";

/// One run of a measurement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// [`FORMAT`].
    pub format: String,
    /// A short name, which its files bear.
    pub name: String,
    /// What it is, for people.
    pub title: String,
    /// The command line.
    pub command: String,
    /// When it began, in UTC, such as `2004-10-25T12:00:00Z`.
    pub started: String,
    /// Seconds from its beginning to its end.
    pub wall_s: f64,
    /// Where it ran.
    pub machine: Machine,
    /// What ran.
    pub versions: Versions,
    /// The seed of all that is random in it.
    pub seed: u64,
    /// Sentences that belong above the tables.
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
    clock: Option<Instant>,
}

/// A table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Table {
    /// Letters, digits and hyphens.
    pub id: String,
    /// What it is, for people.
    pub title: String,
    /// What has to be known to read it; may be empty.
    pub note: String,
    /// What stands in the cells of a row.
    pub columns: Vec<Column>,
    /// Rows of as many cells as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Column {
    /// Its head.
    pub name: String,
    /// The unit of its numbers; may be empty.
    pub unit: String,
    /// One sentence; may be empty.
    pub about: String,
    /// Digits after the point.
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
    /// Nothing: `null`.
    Empty,
}

/// How the points of a plot are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlotKind {
    /// Joined by lines.
    Lines,
    /// As bars, side by side over x = 0, 1, 2 …
    Bars,
    /// One by one.
    Points,
}

/// A plot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plot {
    /// Letters, digits and hyphens.
    pub id: String,
    /// What it is, for people.
    pub title: String,
    /// What has to be known to read it; may be empty.
    pub note: String,
    /// How points are drawn.
    pub kind: PlotKind,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn.
    pub series: Vec<Series>,
    /// For bars, the names of x = 0, 1, 2 …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
}

/// An axis of a plot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Axis {
    /// What it measures, with its unit.
    pub label: String,
    /// Whether it is logarithmic.
    pub log: bool,
}

/// Points that belong together.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Series {
    /// What they are called.
    pub name: String,
    /// `[x, y]`.
    pub points: Vec<[f64; 2]>,
}

/// Measurements of one thing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Samples {
    /// Of what.
    pub name: String,
    /// Their unit.
    pub unit: String,
    /// One after the other.
    pub values: Vec<f64>,
}

/// A data set that was used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UsedDataset {
    /// `NAME/DEG`, as for `check --dataset`.
    pub name: String,
    /// Motions that are worth a look: the slowest, the first contact …
    pub motions: Vec<usize>,
}

impl Run {
    /// A run that begins now. `adapters` says whether graphics adapters are told.
    pub fn begin(name: &str, title: &str, seed: u64, adapters: bool) -> Self {
        // Both keep small functions from being put into the loops that call them.
        let slow = cfg!(debug_assertions) || env!("FIRSTCONTACT_INCREMENTAL") == "1";
        let warning =
            "**Not for comparison:** the program was built incrementally or for debugging, and is many times slower.";
        Self {
            format: FORMAT.into(),
            name: name.into(),
            title: title.into(),
            command: command_line(std::env::args()),
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

    /// A sentence for above the tables.
    pub fn note(&mut self, sentence: impl Into<String>) {
        self.notes.push(sentence.into());
    }

    /// Writes `DIR/NAME.json`, `DIR/NAME.md` and `DIR/NAME-ID.svg` of each plot. It can be done again when more is known.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&mut self, folder: &Path) -> Result<()> {
        if let Some(clock) = self.clock {
            self.wall_s = clock.elapsed().as_secs_f64();
        }
        self.keep_what_is_finite();
        fs::create_dir_all(folder).map_err(|e| Error::usage(format!("it cannot be made: {e}")).in_file(folder))?;
        let json = serde_json::to_string_pretty(self).map_err(|e| Error::usage(e.to_string()))?;
        for plot in &self.plots {
            put(folder, &self.plot_file(plot), &chart::svg(plot)?)?;
        }
        put(folder, &format!("{}.md", self.name), &markdown::whole(self))?;
        // The last one, so that whoever finds it finds the others.
        put(folder, &format!("{}.json", self.name), &format!("{json}\n"))
    }

    /// Writes the files, prints the tables, and says where the files are.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn finish(mut self, folder: &Path) -> Result<()> {
        self.write(folder)?;
        self.tables.iter().for_each(|table| say!("{}", markdown::table(table)));
        say!("written to {}", folder.join(format!("{}.json", self.name)).display());
        Ok(())
    }

    /// The name of the file of a plot.
    pub fn plot_file(&self, plot: &Plot) -> String {
        format!("{}-{}.svg", self.name, plot.id)
    }

    /// JSON has no NaN and no infinity: such cells are empty, such points are not there.
    fn keep_what_is_finite(&mut self) {
        for cell in self.tables.iter_mut().flat_map(|t| t.rows.iter_mut().flatten()) {
            if matches!(cell, Cell::Number(x) if !x.is_finite()) {
                *cell = Cell::Empty;
            }
        }
        for series in self.plots.iter_mut().flat_map(|p| &mut p.series) {
            series.points.retain(|p| p.iter().all(|x| x.is_finite()));
        }
        self.samples.iter_mut().for_each(|s| s.values.retain(|x| x.is_finite()));
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

    /// A column of numbers in `unit`, with so many digits after the point.
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

/// A text of which a file's name can be made: lower-case letters, digits and hyphens.
pub fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

/// A command line as one can type it: the program by its bare name, quotes around what needs them.
fn command_line(arguments: impl Iterator<Item = String>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    let quoted = |(i, argument): (usize, String)| {
        let stem = Path::new(&argument).file_stem().filter(|_| i == 0);
        let argument = stem.map_or(argument.clone(), |stem| stem.to_string_lossy().into_owned());
        let bare = !argument.is_empty() && argument.chars().all(plain);
        if bare { argument } else { format!("'{}'", argument.replace('\'', r"'\''")) }
    };
    arguments.enumerate().map(quoted).collect::<Vec<_>>().join(" ")
}

fn put(folder: &Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    output::write(&path, |out| {
        out.write_all(text.as_bytes()).map_err(|e| Error::input(format!("it cannot be written: {e}")).in_file(&path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run with something of everything, some of it awkward.
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
    fn a_run_comes_back_from_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut run = example();
        run.write(folder.path()).unwrap();
        let text = fs::read_to_string(folder.path().join("some.json")).unwrap();
        let back: Run = serde_json::from_str(&text).unwrap();
        assert_eq!(format!("{}\n", serde_json::to_string_pretty(&back).unwrap()), text);
        assert_eq!(back.tables[0].rows[0], [Cell::Text("a|b".into()), Cell::Number(12345.678)]);
        // What is no number, and what is missing.
        assert_eq!([&back.tables[0].rows[1][1], &back.tables[0].rows[2][1]], [&Cell::Empty; 2]);
        assert_eq!(back.samples[0].values, [0.1, 0.3]);
        assert_eq!(back.plots[0].series[0].points.len(), 3);
        assert_eq!((back.format.as_str(), back.seed, back.tables[0].id.as_str()), (FORMAT, 7, "first-table"));
        assert!(humantime::parse_rfc3339(&back.started).is_ok() && back.wall_s >= 0.0);
        assert!(back.machine.threads > 0 && back.versions.rustc.contains("rustc"), "{back:?}");
        assert!(back.versions.commit.is_none_or(|c| c.len() >= 40 && c.chars().all(|c| c.is_ascii_hexdigit())));
    }

    #[test]
    fn plots_are_well_formed_and_say_what_they_show() {
        let folder = tempfile::tempdir().unwrap();
        let mut run = example();
        run.write(folder.path()).unwrap();
        for plot in &run.plots {
            let text = fs::read_to_string(folder.path().join(run.plot_file(plot))).unwrap();
            let svg = roxmltree::Document::parse(&text).unwrap();
            assert_eq!(svg.root_element().tag_name().name(), "svg");
            let words: Vec<&str> = svg.descendants().filter_map(|n| n.text()).map(str::trim).collect();
            for wanted in [&plot.title, &plot.y.label, &plot.series[0].name, &plot.series[1].name] {
                assert!(words.contains(&wanted.as_str()), "{wanted} is not among {words:?}");
            }
            let categories = if plot.kind == PlotKind::Bars { &["free", "<30°>", "hit", "lost"][..] } else { &[] };
            assert!(categories.iter().all(|c| words.contains(c)), "{words:?}");
        }
    }

    #[test]
    fn command_lines_can_be_typed_again() {
        let line = ["/usr/bin/firstcontact", "bench", "--out", "a b", "it's", ""].map(String::from);
        assert_eq!(command_line(line.into_iter()), r"firstcontact bench --out 'a b' 'it'\''s' ''");
    }
}
