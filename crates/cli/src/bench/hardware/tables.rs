//! Tables and plots of the run.

use super::super::measured::distinct;
use super::super::run::{Axis, Cell, Column, Plot, PlotKind, Series, Table};
use super::super::throughput::Row;
use super::Coal;
use super::soundness::{Comparison, Soundness};
use firstcontact::engine::Stage;
use firstcontact::gpu::AdapterSummary;

/// The first sentences of the page: disagreements, and the kind of the adapter.
pub fn findings(soundness: &Soundness, summary: &AdapterSummary) -> Vec<String> {
    let name = &summary.name;
    let (n, faults) = (soundness.n_compared(), soundness.n_faults());
    let sound = match faults {
        0 if n == 0 => format!("Nothing was compared: this run says nothing about {name}."),
        0 => format!("No disagreement of {name} with the CPU in {n} comparisons of a motion."),
        _ => format!("**{faults} disagreements of {name} with the CPU** in {n} comparisons of a motion."),
    };
    let software = format!("{name} is a software adapter: it shows that the kernels are right, not how fast they are.");
    std::iter::once(sound).chain((!summary.hardware).then_some(software)).collect()
}

/// Disagreements, if there are any.
pub fn faults(soundness: &Soundness) -> Option<Table> {
    let columns = vec![
        Column::text("set", "Data set and largest angle of a joint in degrees."),
        Column::text("configuration", "Of the adapter."),
        Column::text("motion", "Its number in the set, or among the random ones."),
        Column::text("differs", ""),
        Column::text("expected", "The answer of the CPU, or the known truth."),
        Column::text("adapter", "Its answer, or its error."),
        Column::text("values", "The motion as in a JSON file of motions."),
    ];
    let note = "The first ones of each comparison. `check --reference STEM` runs single stages on the CPU.";
    let mut table = Table::new("disagreements", "Disagreements", note, columns);
    for f in &soundness.faults {
        let texts = [&f.case, &f.configuration, &f.motion, f.kind, &f.expected, &f.adapter, &f.values];
        table.row(texts.map(Cell::from));
    }
    (!table.rows.is_empty()).then_some(table)
}

/// The adapter that was measured.
pub fn adapter(summary: &AdapterSummary) -> Table {
    let columns = ["name", "driver", "interface", "kind"].map(|name| Column::text(name, ""));
    let mut table = Table::new("adapter", "The adapter", "", columns.to_vec());
    let AdapterSummary { name, driver, interface, .. } = summary;
    table.row([name, driver, interface, kind(summary)].map(Cell::from));
    table
}

/// `hardware` or `software`.
pub fn kind(summary: &AdapterSummary) -> &'static str {
    if summary.hardware { "hardware" } else { "software" }
}

/// The number of compared motions by configuration and data set.
pub fn compared(soundness: &Soundness) -> Option<Table> {
    let all = &soundness.comparisons;
    let cases = distinct(all.iter().map(|c| c.case.clone()));
    let mut columns = vec![Column::text("configuration", "Of the adapter.")];
    columns.extend(cases.iter().map(|case| Column::number(case, "", 0, "")));
    let found = "Motions with a contact; of `pairs of the kernels`, pairs of triangles.";
    columns.extend([Column::number("found", "", 0, found), Column::number("disagreements", "", 0, "")]);
    let note = "Numbers of motions by data set, half of them random. The answers of the adapter and of the CPU must \
                have the same verdict and proof, and enclosures that overlap. `pairs of the kernels`: what s1_concat, \
                s2_bound, s3_cull and s5_pairs keep contains the pairs and times that their twin in f64 keeps.";
    let mut table = Table::new("soundness", "Answers compared with those of the CPU", note, columns);
    for configuration in distinct(all.iter().map(|c| c.configuration.clone())) {
        let of: Vec<&Comparison> = all.iter().filter(|c| c.configuration == configuration).collect();
        let mut cells: Vec<Cell> = vec![configuration.into()];
        cells.extend(cases.iter().map(|case| of.iter().find(|c| c.case == *case).map(|c| c.motions).into()));
        cells.push(of.iter().map(|c| c.found).sum::<usize>().into());
        cells.push(of.iter().map(|c| c.faults).sum::<usize>().into());
        table.row(cells);
    }
    (!table.rows.is_empty()).then_some(table)
}

/// The largest batch of each device that finds first contacts, set by set.
fn largest(rows: &[Row]) -> Vec<&Row> {
    let is_larger =
        |a: &Row, b: &Row| a.dataset == b.dataset && a.device == b.device && a.mode == b.mode && a.batch > b.batch;
    let of_mode = rows.iter().filter(|row| row.mode == "toc");
    of_mode.filter(|row| !rows.iter().any(|other| is_larger(other, row))).collect()
}

/// The rates of the adapter, the CPU and coal, set by set.
pub fn devices(rows: &[Row], coal: &[Coal], adapter: &str, n_threads: usize) -> Option<Table> {
    let columns = vec![
        Column::text("set", "Data set and largest angle of a joint in degrees."),
        Column::text("who", "Where the culling stages ran, or coal's processes, one for each thread of the machine."),
        Column::number("rate", "motions/s", 0, "On the clock: the largest batch, first contacts."),
        Column::number("adapter", "times as fast", 2, "The adapter's rate divided by this one."),
        Column::text("remark", ""),
    ];
    let mut table = Table::new("devices", "The adapter, the CPU and coal", "", columns);
    let best = largest(rows);
    for set in distinct(best.iter().map(|row| row.dataset.clone())) {
        let of_set: Vec<&&Row> = best.iter().filter(|row| row.dataset == set).collect();
        let of_adapter = of_set.iter().find(|row| row.device == adapter).map(|row| row.per_second());
        let ratio = |rate: Option<f64>| Cell::from(of_adapter.zip(rate).map(|(a, b)| a / b));
        for row in of_set {
            let (rate, remark) = (row.per_second(), format!("batches of {}", row.batch));
            let [set, device] = [&row.dataset, &row.device].map(|text| Cell::from(text.as_str()));
            table.row([set, device, rate.into(), ratio(Some(rate)), remark.into()]);
        }
        for row in coal.iter().filter(|row| row.set == set) {
            let who = format!("coal, {n_threads} processes");
            let (rate, remark) = (row.per_second, row.remark.as_str());
            table.row([set.as_str().into(), who.into(), rate.into(), ratio(rate), remark.into()]);
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Shares of the stages in the time of a row, per cent: of its device's time for the kernels of an adapter, of all
/// threads' time for what runs on the CPU.
fn shares(row: &Row, adapter: &str) -> [f64; Stage::ALL.len()] {
    let of_threads = row.stats.wall_s.max(1e-12) * row.threads.max(1) as f64;
    let on_device = |stage: Stage| row.device == adapter && stage != Stage::Solve;
    Stage::ALL.map(|stage| {
        let whole = if on_device(stage) { row.stats.wall_s.max(1e-12) } else { of_threads };
        100.0 * row.stats.stages[stage as usize].seconds / whole
    })
}

/// Utilisation of the device and of the threads by the stages.
pub fn utilisation(rows: &[Row], adapter: &str) -> Option<Table> {
    let mut columns = vec![
        Column::text("set", "Data set and largest angle of a joint in degrees."),
        Column::text("device", "Where the culling stages ran."),
        Column::number("batch", "", 0, "Motions checked together."),
    ];
    columns.extend(Stage::ALL.map(|stage| Column::number(stage.stem(), "%", 1, "")));
    columns.extend([
        Column::number("kernels", "%", 1, "Of the adapter's time."),
        Column::number("moved", "bytes", 0, "To and from the device, for a motion."),
        Column::number("retries", "", 2, "Pieces that were repeated because a queue was too small, for a motion."),
    ]);
    let note = "Shares of the time on the clock. Kernels: of the device's time, by its own clock; without such a clock \
                they are 0. What runs on the CPU: of all threads' time.";
    let mut table = Table::new("utilisation", "Utilisation by stage", note, columns);
    for row in largest(rows) {
        let (shares, n) = (shares(row, adapter), row.stats.motions.max(1) as f64);
        let mut cells: Vec<Cell> = vec![row.dataset.as_str().into(), row.device.as_str().into(), row.batch.into()];
        cells.extend(shares.map(Cell::from));
        let kernels = shares[..Stage::Solve as usize].iter().sum::<f64>();
        cells.push((row.device == adapter).then_some(kernels).into());
        let sum = |of: fn(&firstcontact::engine::StageStats) -> u64| row.stats.stages.iter().map(of).sum::<u64>();
        cells.extend([sum(|s| s.bytes), sum(|s| s.retries)].map(|sum| Cell::from(sum as f64 / n)));
        table.row(cells);
    }
    (!table.rows.is_empty()).then_some(table)
}

/// The adapter's shares of time as bars, data set by data set.
pub fn shares_plot(rows: &[Row], adapter: &str) -> Option<Plot> {
    let of_adapter: Vec<&Row> = largest(rows).into_iter().filter(|row| row.device == adapter).collect();
    let series = Stage::ALL.map(|stage| {
        let share = |(i, row): (usize, &&Row)| [i as f64, shares(row, adapter)[stage as usize]];
        Series::new(stage.stem(), of_adapter.iter().enumerate().map(share).collect())
    });
    let plot = Plot {
        id: "utilisation".into(),
        title: format!("Utilisation by stage, {adapter}"),
        note: "s6_solve: of all threads of the CPU.".into(),
        kind: PlotKind::Bars,
        x: Axis::linear(""),
        y: Axis::linear("% of the time"),
        series: series.to_vec(),
        categories: of_adapter.iter().map(|row| format!("{}°", row.dataset.replace('/', " "))).collect(),
    };
    (!of_adapter.is_empty()).then_some(plot)
}

/// The rate against the triangles of the scene.
pub fn scale_plot(rows: &[Row]) -> Option<Plot> {
    let best = largest(rows);
    let series = distinct(best.iter().map(|row| row.device.clone())).into_iter().map(|device| {
        let of = best.iter().filter(|row| row.device == device);
        Series::new(device.as_str(), of.map(|row| [row.triangles as f64, row.per_second()]).collect())
    });
    let plot = Plot {
        id: "scale".into(),
        title: "Motions a second against triangles of the scene".into(),
        note: "Machine rooms side by side, the largest batch measured.".into(),
        kind: PlotKind::Lines,
        x: Axis::log("triangles"),
        y: Axis::log("motions a second"),
        series: series.collect(),
        categories: Vec::new(),
    };
    (!best.is_empty()).then_some(plot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use firstcontact::engine::Stats;
    use firstcontact::{Error, ErrorKind};

    fn row(device: &str, mode: &'static str, batch: usize, wall_s: f64) -> Row {
        let mut stats = Stats { motions: 100, wall_s, ..Stats::default() };
        stats.stage(Stage::Pairs).seconds = 0.5;
        stats.stage(Stage::Solve).seconds = 0.5;
        let (dataset, device) = ("pipes/30".into(), device.into());
        Row { dataset, triangles: 38_000, device, threads: 4, mode, batch, stats }
    }

    #[test]
    fn disagreements_are_reported_first() {
        let text = |name: &str| name.to_string();
        let summary = AdapterSummary {
            name: text("X"),
            driver: text("d"),
            interface: text("Vulkan"),
            hardware: true,
            pci: text(""),
        };
        let mut soundness = Soundness::default();
        assert!(faults(&soundness).is_none());
        assert_eq!(findings(&soundness, &summary).len(), 1);
        soundness.failure("pipes/30", "all kernels", &Error::new(ErrorKind::Gpu, "lost"));
        assert!(findings(&soundness, &summary)[0].starts_with("**1 disagreements of X"));
        assert_eq!(faults(&soundness).unwrap().rows[0][5], Cell::from("lost"));
        let software = AdapterSummary { hardware: false, ..summary };
        assert!(findings(&soundness, &software)[1].contains("software"));
        assert_eq!(adapter(&software).rows[0][3], Cell::from("software"));
    }

    #[test]
    fn devices_are_compared_by_their_largest_batch() {
        let rows = [row("X", "toc", 1, 9.0), row("X", "toc", 100, 1.0), row("CPU", "toc", 1, 4.0)];
        let coal = Coal { set: "pipes/30".into(), per_second: Some(10.0), remark: "advance".into() };
        let table = devices(&rows, &[coal], "X", 4).unwrap();
        let ratios: Vec<&Cell> = table.rows.iter().map(|row| &row[3]).collect();
        assert_eq!(ratios, [&Cell::Number(1.0), &Cell::Number(4.0), &Cell::Number(10.0)]);
        assert_eq!(table.rows[2][1], Cell::from("coal, 4 processes"));
    }

    #[test]
    fn shares_are_of_the_device_or_of_all_threads() {
        let rows = [row("X", "toc", 100, 1.0), row("CPU", "toc", 100, 1.0), row("X", "verdict", 1000, 1.0)];
        let table = utilisation(&rows, "X").unwrap();
        let of = |row: usize, stage: Stage| table.rows[row][3 + stage as usize].clone();
        assert_eq!([of(0, Stage::Pairs), of(0, Stage::Solve)], [Cell::Number(50.0), Cell::Number(12.5)]);
        assert_eq!([of(1, Stage::Pairs), of(1, Stage::Solve)], [Cell::Number(12.5), Cell::Number(12.5)]);
        assert_eq!((table.rows.len(), &table.rows[0][9], &table.rows[1][9]), (2, &Cell::Number(50.0), &Cell::Empty));
    }
}
