//! The growth of costs with the triangles of the scene, the size of a batch, the depth of a chain, the amplitude of
//! motions, and the number of threads.

use super::measured::device;
use super::run::{Axis, Cell, Column, Plot, PlotKind, Run, Samples, Series, Table};
use super::set::{Kind, Set, repeated, within};
use super::{MeasureArgs, on_adapter};
use clap::Args;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::{Backend, Engine, Options, Stage, Stats};
use firstcontact::{Error, Result};
use firstcontact_datasets::{DEFAULT_SEED, Dataset};

/// Arguments of `bench growth`.
#[derive(Debug, Args)]
pub struct GrowthArgs {
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// Maximum number of machine rooms in a scene, 187,000 triangles each: 54 for ten million, 535 for a hundred
    /// million, which takes 16 GB
    #[arg(long, value_name = "N", default_value_t = 8)]
    scale: u64,
    /// Maximum time for one figure of chains, seconds
    #[arg(long, value_name = "S", default_value_t = 20.0)]
    limit: f64,
}

/// Forms of pose bounds, and their names.
const BOUNDS: [(PoseEnclosure, &str); 3] = [
    (PoseEnclosure::TaylorModel, "jets"),
    (PoseEnclosure::IntervalMatrix, "interval matrices"),
    (PoseEnclosure::DisplacementBall, "balls of displacements"),
];
const DEPTHS: [u32; 6] = [3, 6, 10, 30, 60, 100];
const BATCHES: [usize; 5] = [1, 10, 100, 1000, 10_000];
const AMPLITUDES_DEG: [u32; 5] = [1, 5, 15, 30, 60];

/// One figure: a position on the horizontal axis, a line, and the measured values.
struct Point {
    x: f64,
    series: String,
    stats: Stats,
    /// A second quantity that grows as well.
    more: f64,
}

/// One of the relations.
struct Growth {
    id: &'static str,
    title: &'static str,
    note: String,
    /// Name and unit of the horizontal axis.
    x: (&'static str, &'static str),
    /// Name, unit and digits of `more`.
    more: (&'static str, &'static str, usize),
    points: Vec<Point>,
}

impl Growth {
    fn new(id: &'static str, title: &'static str, x: (&'static str, &'static str), note: &str) -> Self {
        Self { id, title, note: note.into(), x, more: ("", "", 0), points: Vec::new() }
    }

    fn add(&mut self, x: f64, series: impl Into<String>, stats: Stats, more: f64) {
        let series = series.into();
        tell!("{}, {} {x}, {series}: {:.4} ms a motion", self.title, self.x.0, time_ms(&stats));
        self.points.push(Point { x, series, stats, more });
    }

    /// Adds table and plot to the run, and writes it.
    fn end(self, run: &mut Run, args: &MeasureArgs) -> Result<()> {
        let mut columns = vec![
            Column::text("line", "The line in the plot."),
            Column::number(self.x.0, self.x.1, 0, ""),
            Column::number("n", "", 0, "Motions measured."),
            Column::number("contacts", "%", 0, "Motions with a contact."),
            Column::number("time", "ms", 4, "For a motion, on the clock."),
        ];
        columns.extend(Stage::ALL.map(|stage| Column::number(stage.stem(), "ms", 4, "")));
        columns.push(Column::number("pairs", "", 1, "Of triangles, for the exact stage."));
        if !self.more.0.is_empty() {
            columns.push(Column::number(self.more.0, self.more.1, self.more.2, ""));
        }
        let mut table = Table::new(self.id, self.title, &self.note, columns);
        for p in &self.points {
            let n = p.stats.motions.max(1) as f64;
            let share = 100.0 * p.stats.contact as f64 / n;
            let mut cells: Vec<Cell> = vec![
                p.series.as_str().into(),
                p.x.into(),
                p.stats.motions.into(),
                share.into(),
                time_ms(&p.stats).into(),
            ];
            cells.extend(p.stats.stages.map(|s| Cell::from(s.seconds * 1e3 / n)));
            cells.push((p.stats.stages[Stage::Pairs as usize].items_out as f64 / n).into());
            if !self.more.0.is_empty() {
                cells.push(p.more.into());
            }
            table.row(cells);
        }
        let names = super::measured::distinct(self.points.iter().map(|p| p.series.clone()));
        let series = names.into_iter().map(|name| {
            let of = self.points.iter().filter(|p| p.series == name && p.stats.motions > 0);
            Series::new(name.as_str(), of.map(|p| [p.x, time_ms(&p.stats)]).collect())
        });
        let unit = if self.x.1.is_empty() { String::new() } else { format!(", {}", self.x.1) };
        run.plots.push(Plot {
            id: self.id.into(),
            title: self.title.into(),
            note: self.note.clone(),
            kind: PlotKind::Lines,
            x: Axis::log(&format!("{}{unit}", self.x.0)),
            y: Axis::log("ms a motion"),
            series: series.collect(),
            categories: Vec::new(),
        });
        run.tables.push(table);
        run.write(&args.out)
    }
}

fn time_ms(stats: &Stats) -> f64 {
    stats.wall_s * 1e3 / stats.motions.max(1) as f64
}

fn one_thread() -> Options {
    Options { backend: Backend::Cpu, threads: 1, ..Options::default() }
}

fn on_gpu() -> Options {
    Options { backend: Backend::Gpu, ..Options::default() }
}

/// The machine room, with an increasing number of other rooms around it.
fn triangles(run: &mut Run, args: &MeasureArgs, most_rooms: u64, most: usize) -> Result<()> {
    let mut growth = Growth::new(
        "triangles",
        "Cost against triangles of the scene",
        ("triangles", ""),
        "Machine rooms side by side, the Puma in one of them: what it can reach stays the same. The same motions each \
         time.",
    );
    growth.more = ("build", "s", 2);
    let set = Set::load("amr/30", &args.folder.path()?)?;
    let mut scale = 1;
    loop {
        let mut measure = |options: Options, most: usize| {
            // Generated separately for each engine, which takes its triangles: the largest scenes fit into memory only
            // once.
            let Some(mut scene) = Dataset::generate("amr", DEFAULT_SEED, scale)?.scene()? else { return Ok(()) };
            let engine = Engine::builder_taking(&set.robot, &mut scene).options(options).build()?;
            for kind in Kind::ALL {
                let (stats, _) = repeated(&engine, &set.motions.pick(&set.numbers(kind, most)))?;
                let build_s = engine.check(&set.motions.range(0..1))?.stats.build_s;
                let line = format!("{}, {}", device(&engine), kind.name());
                growth.add(f64::from(scene.n_triangles()), line, stats, build_s);
            }
            Ok(())
        };
        measure(one_thread(), most)?;
        on_adapter(args, || measure(on_gpu(), most.div_ceil(10)))?;
        if scale >= most_rooms {
            break;
        }
        scale = (2 * scale).min(most_rooms);
    }
    run.datasets.push(set.used(&[]));
    growth.end(run, args)
}

/// Motions that are checked together.
fn batches(run: &mut Run, args: &GrowthArgs, most: usize) -> Result<()> {
    let mut growth = Growth::new(
        "batch",
        "Cost against the size of a batch",
        ("batch", ""),
        "The Puma in the pipes, 30°. The engine is warm; motions are taken round and round.",
    );
    let set = Set::load("pipes/30", &args.measure.folder.path()?)?;
    let mut measure = |options: Options, most: usize| {
        let engine = Engine::builder(&set.robot, &set.scene).options(options).build()?;
        for batch in BATCHES.into_iter().filter(|batch| *batch <= most) {
            let numbers: Vec<usize> = (0..batch).map(|i| i % set.motions.len()).collect();
            // Small batches vary, so several of them are measured, with different motions.
            let mut stats = Stats::default();
            for k in 0..(100 / batch).max(1) {
                let shifted: Vec<usize> = numbers.iter().map(|i| (i + k * 7) % set.motions.len()).collect();
                let (one, _) = repeated(&engine, &set.motions.pick(&shifted))?;
                stats.add(&one);
                stats.wall_s += one.wall_s;
            }
            growth.add(batch as f64, device(&engine), stats, 0.0);
        }
        Ok(())
    };
    measure(one_thread(), most)?;
    // With a single thread this would repeat the previous measurement.
    if run.machine.threads > 1 {
        measure(Options { backend: Backend::Cpu, ..Options::default() }, most)?;
    }
    on_adapter(&args.measure, || measure(on_gpu(), most.min(1000)))?;
    run.datasets.push(set.used(&[]));
    growth.end(run, &args.measure)
}

/// Chains among obstacles, with each form of bounds.
fn depths(run: &mut Run, args: &GrowthArgs, quick: bool) -> Result<()> {
    let note = format!(
        "Chains among obstacles, each joint turning by up to 30°, on one thread: as many of the set's motions as go \
         into {} s, at least one. Pairs that are left to the exact stage show how loose the bounds are.",
        args.limit
    );
    let mut growth = Growth::new("depth", "Cost against the depth of a chain", ("joints", ""), &note);
    let limit_s = if quick { args.limit.min(0.2) } else { args.limit };
    for depth in DEPTHS.into_iter().filter(|depth| !quick || *depth <= 10) {
        let set = Set::load(&format!("chain-{depth}/30"), &args.measure.folder.path()?)?;
        for (bound, name) in BOUNDS {
            let engine = Engine::builder(&set.robot, &set.scene).options(Options { bound, ..one_thread() }).build()?;
            for kind in Kind::ALL {
                let motions = set.motions.pick(&set.numbers(kind, usize::MAX));
                let stats = within(&engine, &motions, limit_s, &mut Vec::new())?;
                growth.add(f64::from(depth), format!("{name}, {}", kind.name()), stats, 0.0);
            }
        }
        run.datasets.push(set.used(&[]));
    }
    growth.end(run, &args.measure)
}

/// Amplitudes of the joints.
fn amplitudes(run: &mut Run, args: &GrowthArgs, most: usize) -> Result<()> {
    let mut growth =
        Growth::new("amplitude", "Cost against the amplitude of motions", ("θmax", "°"), "One thread of the CPU.");
    for name in ["pipes", "amr"] {
        for theta in AMPLITUDES_DEG {
            let set = Set::load(&format!("{name}/{theta}"), &args.measure.folder.path()?)?;
            let engine = Engine::builder(&set.robot, &set.scene).options(one_thread()).build()?;
            for kind in Kind::ALL {
                let motions = set.motions.pick(&set.numbers(kind, most));
                if !motions.is_empty() {
                    growth.add(
                        f64::from(theta),
                        format!("{name}, {}", kind.name()),
                        repeated(&engine, &motions)?.0,
                        0.0,
                    );
                }
            }
            run.datasets.push(set.used(&[]));
        }
    }
    growth.end(run, &args.measure)
}

/// Threads of the CPU, up to the number that it runs simultaneously.
fn threads(run: &mut Run, args: &GrowthArgs, most: usize) -> Result<()> {
    let note = format!("The first {most} motions of a set of 30°, time on the clock.");
    let mut growth = Growth::new("threads", "Cost against threads", ("threads", ""), &note);
    growth.more = ("speed-up", "", 2);
    let all = run.machine.threads;
    let mut counts: Vec<usize> = std::iter::successors(Some(1), |n| Some(n * 2)).take_while(|n| *n < all).collect();
    counts.push(all);
    for name in ["pipes/30", "amr/30"] {
        let set = Set::load(name, &args.measure.folder.path()?)?;
        let motions = set.motions.range(0..most);
        let mut one_s = None;
        for &threads in &counts {
            let options = Options { threads, ..one_thread() };
            let engine = Engine::builder(&set.robot, &set.scene).options(options).build()?;
            let (stats, seconds) = repeated(&engine, &motions)?;
            run.samples.push(Samples { name: format!("{name}, {threads} threads"), unit: "s".into(), values: seconds });
            let speed_up = *one_s.get_or_insert(stats.wall_s) / stats.wall_s;
            growth.add(threads as f64, name, stats, speed_up);
        }
    }
    growth.end(run, &args.measure)
}

/// Runs the measurement.
pub fn run(args: &GrowthArgs) -> Result<()> {
    if args.scale == 0 || !(args.limit > 0.0) {
        return Err(Error::usage("--scale and --limit must be above zero"));
    }
    let quick = args.measure.quick;
    let most = if quick { 10 } else { 1000 };
    let mut run = Run::begin("growth", "Growth of costs", DEFAULT_SEED, !args.measure.cpu_only);
    run.note(
        "Means for a motion. Both axes of the plots are logarithmic: a straight line is a power, its slope the \
         exponent. Colliding motions are those with a contact; undecided ones are left out where kinds are separate.",
    );
    batches(&mut run, args, if quick { 100 } else { 10_000 })?;
    amplitudes(&mut run, args, most)?;
    threads(&mut run, args, most)?;
    depths(&mut run, args, quick)?;
    let scale = if quick { args.scale.min(2) } else { args.scale };
    triangles(&mut run, &args.measure, scale, most)?;
    run.datasets.sort_by(|a, b| a.name.cmp(&b.name));
    run.datasets.dedup();
    run.finish(&args.measure.out)
}
