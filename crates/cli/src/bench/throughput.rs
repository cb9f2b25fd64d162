//! Motions per second: one at a time by a warm engine, and in batches.

use super::measured::device;
use super::run::{Axis, Cell, Column, Plot, PlotKind, Run, Samples, Series, Table, slug};
use super::set::Set;
use super::{MeasureArgs, on_adapter};
use clap::Args;
use firstcontact::engine::{Backend, Engine, Options, Stage, Stats};
use firstcontact::robot::{MotionBatch, Robot};
use firstcontact::scene::Scene;
use firstcontact::stage::s6_solve::Mode;
use firstcontact::{Error, ErrorKind, Result};
use firstcontact_datasets::{DEFAULT_SEED, Dataset};
use std::path::Path;

/// Arguments of `bench throughput`.
#[derive(Debug, Args)]
pub struct ThroughputArgs {
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// Maximum time of one figure, seconds; larger batches are left out
    #[arg(long, value_name = "S", default_value_t = 20.0)]
    limit: f64,
    /// Also measure scenes of 6, 54 and 535 machine rooms, up to N: a million triangles, ten million, a hundred million
    #[arg(long, value_name = "N", default_value_t = 1)]
    scale: u64,
}

/// Data sets, with the largest angle of a joint in degrees. The last one is public, and measured only if it is
/// installed.
const SETS: [&str; 8] = ["pipes/30", "amr/30", "amr/1", "amr/60", "chain-30/30", "amr/5", "amr/15", "pr2-bookstore/30"];
const QUICK: [&str; 1] = ["pipes/30"];
/// Numbers of machine rooms in the larger scenes.
pub const SCALES: [u64; 3] = [6, 54, 535];
const SCALED: &str = "amr/30";
/// Numbers of motions that are checked together.
const BATCHES: [usize; 4] = [1, 100, 10_000, 1_000_000];
/// Number of motions that are checked one by one.
const SINGLES: usize = 200;

/// Measured costs of some motions.
#[derive(Debug)]
pub struct Row {
    /// The data set, with its largest joint angle in degrees.
    pub dataset: String,
    /// Triangles of the scene.
    pub triangles: usize,
    /// The adapter, or the CPU.
    pub device: String,
    /// CPU threads of the engine.
    pub threads: usize,
    /// `toc` or `verdict`.
    pub mode: &'static str,
    /// Number of motions that were checked together.
    pub batch: usize,
    /// The counts and times of all of them.
    pub stats: Stats,
}

impl Row {
    /// Motions per second of wall time.
    pub fn per_second(&self) -> f64 {
        self.stats.motions.max(1) as f64 / self.stats.wall_s.max(1e-9)
    }
}

/// Motions and an engine for them, whose scene and robot the measured engines share.
#[derive(Debug)]
pub struct Subject {
    /// The data set's name.
    pub name: String,
    /// The motions.
    pub motions: MotionBatch,
    /// An engine on the CPU.
    pub known: Engine,
    triangles: usize,
}

impl Subject {
    /// Builds the engine, which takes ownership of the scene's triangles.
    pub fn new(name: String, robot: &Robot, mut scene: Scene, motions: MotionBatch) -> Result<Self> {
        let triangles = scene.triangles.len();
        let known = Engine::builder_taking(robot, &mut scene).backend(Backend::Cpu).build()?;
        Ok(Self { name, motions, triangles, known })
    }
}

/// The subject of `amr/30` with a scene of `scale` machine rooms.
pub fn scaled(scale: u64, folder: &Path) -> Result<Option<Subject>> {
    let Set { robot, motions, .. } = Set::load(SCALED, folder)?;
    let scene = Dataset::generate("amr", DEFAULT_SEED, scale)?.scene()?;
    scene.map(|scene| Subject::new(format!("{SCALED} × {scale}"), &robot, scene, motions)).transpose()
}

/// Measures both modes on a device, with batches that fit into `most_s` seconds.
pub fn measure(run: &mut Run, set: &Subject, options: &Options, most_s: f64, rows: &mut Vec<Row>) -> Result<()> {
    for (name, mode) in [("toc", Mode::Toc), ("verdict", Mode::Verdict)] {
        let mut options = options.clone();
        options.solve.mode = mode;
        let engine = set.known.with_options(options)?;
        let device = device(&engine);
        // Warm-up: creates all buffers, and selects the form of swept-volume culling.
        engine.check(&set.motions)?;
        let mut per_second: f64 = f64::INFINITY;
        for batch in BATCHES {
            if batch as f64 / per_second > most_s {
                break;
            }
            let stats = if batch == 1 {
                let (stats, seconds) = one_by_one(&engine, set)?;
                let name = format!("{}, {device}, {name}, one by one", set.name);
                run.samples.push(Samples { name, unit: "s".into(), values: seconds });
                stats
            } else {
                together(&engine, set, batch)?
            };
            let (dataset, triangles, threads) = (set.name.clone(), set.triangles, engine.threads());
            let row = Row { dataset, triangles, device: device.clone(), threads, mode: name, batch, stats };
            per_second = row.per_second();
            tell!("{} {device}, {name}, {batch}: {per_second:.0} motions/s", set.name);
            rows.push(row);
        }
    }
    Ok(())
}

fn one_by_one(engine: &Engine, set: &Subject) -> Result<(Stats, Vec<f64>)> {
    let (mut sum, mut seconds) = (Stats::default(), Vec::new());
    let every = set.motions.len() / SINGLES.min(set.motions.len()).max(1);
    for i in (0..set.motions.len()).step_by(every.max(1)).take(SINGLES) {
        let stats = engine.check(&set.motions.range(i..i + 1))?.stats;
        sum.add(&stats);
        sum.wall_s += stats.wall_s;
        sum.device_objects += stats.device_objects;
        seconds.push(stats.wall_s);
    }
    Ok((sum, seconds))
}

fn together(engine: &Engine, set: &Subject, n: usize) -> Result<Stats> {
    let mut left = n;
    let mut portions = std::iter::from_fn(|| {
        let some = set.motions.range(0..left);
        left -= some.len();
        (!some.is_empty()).then_some(Ok(some))
    });
    engine.check_portions(&mut portions, &mut |_, _| Ok(()))
}

/// Measures all devices on a set. The results so far are written, since the next set may take a long time.
fn devices(run: &mut Run, args: &ThroughputArgs, set: &Subject, limit_s: f64, rows: &mut Vec<Row>) -> Result<()> {
    // With a single thread this would repeat the previous measurement.
    for threads in if run.machine.threads > 1 { &[1, 0][..] } else { &[1] } {
        let options = Options { backend: Backend::Cpu, threads: *threads, ..Options::default() };
        measure(run, set, &options, limit_s, rows)?;
    }
    let options = Options { backend: Backend::Gpu, ..Options::default() };
    on_adapter(&args.measure, || measure(run, set, &options, limit_s, rows))?;
    run.tables = vec![table(rows)];
    run.plots = plots(rows);
    run.write(&args.measure.out)
}

/// Runs the measurement.
pub fn run(args: &ThroughputArgs) -> Result<()> {
    let MeasureArgs { quick, cpu_only, folder, out } = &args.measure;
    let folder = &folder.path()?;
    if args.scale == 0 || !(args.limit > 0.0) {
        return Err(Error::usage("--scale and --limit must be above zero"));
    }
    let mut run = Run::begin("throughput", "Motions a second", DEFAULT_SEED, !cpu_only);
    run.note(
        "A batch of 1 is one motion after the other by a warm engine; larger ones repeat the set's motions. Mode \
         toc finds the first contact, verdict only whether there is one. amr/30 × N: N machine rooms side by side, \
         the robot in one of them.",
    );
    let (sets, limit_s): (&[&str], f64) = if *quick { (&QUICK, args.limit.min(0.5)) } else { (&SETS, args.limit) };
    let mut rows = Vec::new();
    for name in sets {
        let set = match Set::load(name, folder) {
            Ok(set) => set,
            // Generated sets always exist.
            Err(e) if e.kind() == ErrorKind::Input => {
                tell!("{name} is left out: {e}");
                run.note(format!("{name} is left out: it is not installed."));
                continue;
            }
            Err(e) => return Err(e),
        };
        run.datasets.push(set.used(&[]));
        let subject = Subject::new(set.name, &set.robot, set.scene, set.motions)?;
        devices(&mut run, args, &subject, limit_s, &mut rows)?;
    }
    for &scale in SCALES.iter().filter(|scale| **scale <= args.scale) {
        let Some(subject) = scaled(scale, folder)? else { break };
        devices(&mut run, args, &subject, limit_s, &mut rows)?;
    }
    run.finish(out)
}

/// The rows as a table.
pub fn table(rows: &[Row]) -> Table {
    let mut columns = vec![
        Column::text("set", "Data set and largest angle of a joint in degrees."),
        Column::number("triangles", "", 0, "Of the scene."),
        Column::text("device", "Where the culling stages ran."),
        Column::text("mode", ""),
        Column::number("batch", "", 0, "Motions checked together."),
        Column::number("n", "", 0, "Motions measured."),
        Column::number("contacts", "%", 0, "Motions with a contact."),
        Column::number("rate", "motions/s", 0, "On the clock."),
        Column::number("time", "µs", 1, "For a motion, on the clock."),
    ];
    columns.extend(Stage::ALL.map(|stage| Column::number(stage.stem(), "µs", 1, "")));
    columns.push(Column::number(
        "device objects",
        "",
        0,
        "What had to be made on the device: nothing where it is warm.",
    ));
    let note = "Times of stages are for a motion, summed over threads.";
    let mut table = Table::new("rates", "Motions a second", note, columns);
    for r in rows {
        let n = r.stats.motions.max(1) as f64;
        let mut cells: Vec<Cell> = vec![
            r.dataset.as_str().into(),
            r.triangles.into(),
            r.device.as_str().into(),
            r.mode.into(),
            r.batch.into(),
            r.stats.motions.into(),
            (100.0 * r.stats.contact as f64 / n).into(),
            r.per_second().into(),
            (r.stats.wall_s * 1e6 / n).into(),
        ];
        cells.extend(r.stats.stages.map(|s| Cell::from(s.seconds * 1e6 / n)));
        cells.push(r.stats.device_objects.into());
        table.row(cells);
    }
    table
}

/// The rate as a function of the size of the batch, for each device.
pub fn plots(rows: &[Row]) -> Vec<Plot> {
    let devices = super::measured::distinct(rows.iter().map(|r| r.device.clone()));
    let plot = |device: String| {
        let of_device: Vec<&Row> = rows.iter().filter(|r| r.device == device).collect();
        let name = |r: &Row| format!("{}, {}", r.dataset, r.mode);
        let series = super::measured::distinct(of_device.iter().map(|r| name(r))).into_iter().map(|each| {
            let of = of_device.iter().filter(|r| name(r) == each);
            Series::new(each.as_str(), of.map(|r| [r.batch as f64, r.per_second()]).collect())
        });
        Plot {
            id: slug(&device),
            title: format!("Motions a second, {device}"),
            note: String::new(),
            kind: PlotKind::Lines,
            x: Axis::log("motions checked together"),
            y: Axis::log("motions a second"),
            series: series.collect(),
            categories: Vec::new(),
        }
    };
    devices.into_iter().map(plot).collect()
}
