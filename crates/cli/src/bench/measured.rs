//! Costs of motions of one kind, stage by stage: rows that several measurements share.

use super::run::{Axis, Cell, Column, Plot, PlotKind, Run, Samples, Series, Table, slug};
use super::set::{Kind, Set, repeated};
use firstcontact::Result;
use firstcontact::engine::{Engine, Stage, Stats};

/// Average costs of some motions.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The data set, with its largest joint angle in degrees.
    pub dataset: String,
    /// The adapter, or the CPU.
    pub device: String,
    /// The kind of the motions.
    pub kind: Kind,
    /// The variant: stages, a form …
    pub choice: String,
    /// Motions measured.
    pub motions: u64,
    /// Milliseconds of wall time.
    pub wall_ms: f64,
    /// Milliseconds of each stage, summed over threads.
    pub stage_ms: [f64; 6],
    /// Candidates before and after `s4_sweep`.
    pub candidates: [f64; 2],
    /// Triangles of the candidates before and after `s4_sweep`; zero if it did not run.
    pub triangles: [f64; 2],
    /// Pairs of triangles for the exact stage.
    pub pairs: f64,
    /// Links that have triangles.
    links: usize,
}

impl Measured {
    /// Measures an engine on motions of one kind, several times if that is quick, and records each time in the run.
    pub fn of(
        run: &mut Run,
        set: &Set,
        engine: &Engine,
        kind: Kind,
        choice: &str,
        most: usize,
    ) -> Result<Option<Self>> {
        let motions = set.motions.pick(&set.numbers(kind, most));
        if motions.is_empty() {
            return Ok(None);
        }
        let (stats, seconds) = repeated(engine, &motions)?;
        let row = Self::new(&set.name, engine, kind, choice, &stats);
        let name = format!("{}, {}, {}, {choice}, a motion", row.dataset, row.device, kind.name());
        let values = seconds.iter().map(|s| s / row.motions as f64).collect();
        run.samples.push(Samples { name: name.clone(), unit: "s".into(), values });
        tell!("{name}: {:.3} ms", row.wall_ms);
        Ok(Some(row))
    }

    /// The means of the counts in `stats`.
    pub fn new(dataset: &str, engine: &Engine, kind: Kind, choice: &str, stats: &Stats) -> Self {
        let n = stats.motions.max(1) as f64;
        let sweep = &stats.stages[Stage::Sweep as usize];
        Self {
            dataset: dataset.into(),
            device: device(engine),
            kind,
            choice: choice.into(),
            motions: stats.motions,
            wall_ms: stats.wall_s * 1e3 / n,
            stage_ms: stats.stages.map(|s| s.seconds * 1e3 / n),
            candidates: [sweep.items_in as f64 / n, sweep.items_out as f64 / n],
            triangles: [stats.sweep.triangles_in as f64 / n, stats.sweep.triangles_out as f64 / n],
            pairs: stats.stages[Stage::Pairs as usize].items_out as f64 / n,
            links: engine.world().links.len().max(1),
        }
    }

    /// Milliseconds of all stages, summed over threads.
    pub fn total_ms(&self) -> f64 {
        self.stage_ms.iter().sum()
    }
}

/// The adapter's name, or the CPU with its threads.
pub fn device(engine: &Engine) -> String {
    let threads = |n| if n == 1 { "CPU, 1 thread".into() } else { format!("CPU, {n} threads") };
    engine.adapter_names().unwrap_or_else(|| threads(engine.threads()))
}

/// The rows as a table; `choice` is the name of the variant in which they differ.
pub fn table(id: &str, title: &str, choice: &str, rows: &[Measured]) -> Table {
    let mut columns = vec![
        Column::text("set", "Data set and largest angle of a joint in degrees."),
        Column::text("device", "Where the culling stages ran."),
        Column::text("motions", "Free or colliding, that is with a contact; undecided ones are left out."),
        Column::number("n", "", 0, "Motions measured."),
        Column::text(choice, ""),
    ];
    columns.extend(Stage::ALL.map(|stage| Column::number(stage.stem(), "ms", 4, "")));
    columns.extend([
        Column::number("all", "ms", 4, "All stages, summed over threads, as each of them."),
        Column::number("clock", "ms", 4, "On the clock, all threads and the device at work."),
        Column::number("candidates", "", 1, "Pairs of a link and a cluster of the scene that reached s4_sweep."),
        Column::number("candidates left", "", 1, "Of them, by s4_sweep."),
        Column::number("triangles", "", 1, "Of the scene in these candidates, where s4_sweep ran."),
        Column::number("triangles left", "", 1, "Of them, by s4_sweep."),
        Column::number("s4_sweep a link", "µs", 2, "For each link that has triangles."),
        Column::number("pairs", "", 1, "Of triangles, for the exact stage."),
    ]);
    let note = "Means for a motion. Times of stages are summed over threads; those of kernels are of the device's \
                clock where it has one.";
    let mut table = Table::new(id, title, note, columns);
    for r in rows {
        let mut cells: Vec<Cell> = vec![
            r.dataset.as_str().into(),
            r.device.as_str().into(),
            r.kind.name().into(),
            r.motions.into(),
            r.choice.as_str().into(),
        ];
        cells.extend(r.stage_ms.map(Cell::from));
        let sweep_us = r.stage_ms[Stage::Sweep as usize] * 1e3 / r.links as f64;
        let [candidates, triangles] = [r.candidates, r.triangles];
        let counts = [candidates[0], candidates[1], triangles[0], triangles[1], sweep_us, r.pairs];
        cells.extend([r.total_ms(), r.wall_ms].into_iter().chain(counts).map(Cell::from));
        table.row(cells);
    }
    table
}

/// A plot for each device: a group of bars for each data set and kind of motions, a bar for each variant.
pub fn bars(rows: &[Measured]) -> Vec<Plot> {
    let group = |r: &Measured| format!("{} {}", r.dataset.replace('/', " ") + "°", r.kind.name());
    let of_device = |device: String| {
        let rows: Vec<&Measured> = rows.iter().filter(|r| r.device == device).collect();
        let categories = distinct(rows.iter().map(|r| group(r)));
        let series = distinct(rows.iter().map(|r| r.choice.clone())).into_iter().map(|choice| {
            let of = rows.iter().filter(|r| r.choice == choice);
            let at = |r: &Measured| categories.iter().position(|c| *c == group(r)).unwrap_or(0) as f64;
            Series::new(choice.as_str(), of.map(|r| [at(r), r.total_ms()]).collect())
        });
        Plot {
            id: slug(&device),
            title: format!("Milliseconds a motion, {device}"),
            note: "All stages, summed over threads.".into(),
            kind: PlotKind::Bars,
            x: Axis::linear(""),
            y: Axis::log("ms"),
            series: series.collect(),
            categories,
        }
    };
    distinct(rows.iter().map(|r| r.device.clone())).into_iter().map(of_device).collect()
}

/// The distinct values, in the order of their first appearance.
pub fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    all.fold(Vec::new(), |mut seen, x| {
        if !seen.contains(&x) {
            seen.push(x);
        }
        seen
    })
}
