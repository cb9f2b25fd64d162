//! The files of a run: JSON with everything, Markdown with its tables, an SVG file for each plot.

use super::run::{Cell, Run};
use super::{chart, markdown};
use firstcontact::io::output;
use firstcontact::{Error, Result};
use std::fs;
use std::io::Write as _;
use std::path::Path;

impl Run {
    /// Writes `DIR/NAME.json`, `DIR/NAME.md`, and `DIR/NAME-ID.svg` for each plot. May be called again with more
    /// results.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&mut self, folder: &Path) -> Result<()> {
        if let Some(clock) = self.clock {
            self.wall_s = clock.elapsed().as_secs_f64();
        }
        self.keep_what_is_finite();
        fs::create_dir_all(folder).map_err(|e| Error::usage(format!("cannot create it: {e}")).in_file(folder))?;
        let json = serde_json::to_string_pretty(self).map_err(|e| Error::usage(e.to_string()))?;
        for plot in &self.plots {
            put(folder, &self.plot_file(plot), &chart::svg(plot)?)?;
        }
        put(folder, &format!("{}.md", self.name), &markdown::whole(self))?;
        // Written last: if it exists, the others exist.
        put(folder, &format!("{}.json", self.name), &format!("{json}\n"))
    }

    /// Writes the files, prints the tables and the location of the files.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn finish(mut self, folder: &Path) -> Result<()> {
        self.write(folder)?;
        self.tables.iter().for_each(|table| say!("{}", markdown::table(table)));
        say!("written to {}", folder.join(format!("{}.json", self.name)).display());
        Ok(())
    }

    /// JSON has no NaN and no infinity: such cells become empty, such points are removed.
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

fn put(folder: &Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    output::write(&path, |out| {
        out.write_all(text.as_bytes()).map_err(|e| Error::input(format!("it cannot be written: {e}")).in_file(&path))
    })
}

#[cfg(test)]
mod tests {
    use super::super::run::tests::example;
    use super::super::run::{FORMAT, PlotKind};
    use super::*;

    #[test]
    fn a_run_file_round_trips() {
        let folder = tempfile::tempdir().unwrap();
        let mut run = example();
        run.write(folder.path()).unwrap();
        let text = fs::read_to_string(folder.path().join("some.json")).unwrap();
        let back: Run = serde_json::from_str(&text).unwrap();
        assert_eq!(format!("{}\n", serde_json::to_string_pretty(&back).unwrap()), text);
        assert_eq!(back.tables[0].rows[0], [Cell::Text("a|b".into()), Cell::Number(12345.678)]);
        // A value that is not finite, and a missing one.
        assert_eq!([&back.tables[0].rows[1][1], &back.tables[0].rows[2][1]], [&Cell::Empty; 2]);
        assert_eq!(back.samples[0].values, [0.1, 0.3]);
        assert_eq!(back.plots[0].series[0].points.len(), 3);
        assert_eq!((back.format.as_str(), back.seed, back.tables[0].id.as_str()), (FORMAT, 7, "first-table"));
        assert!(humantime::parse_rfc3339(&back.started).is_ok() && back.wall_s >= 0.0);
        assert!(back.machine.threads > 0 && back.versions.rustc.contains("rustc"), "{back:?}");
        assert!(back.versions.commit.is_none_or(|c| c.len() >= 40 && c.chars().all(|c| c.is_ascii_hexdigit())));
    }

    #[test]
    fn plots_are_well_formed_and_labelled() {
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
}
