//! The experiments of Redon et al. 2004, section 6: Table 1, the Puma in the pipes; Table 2, the Puma in the machine
//! room without some of the stages. The paper's own figures, from another machine and other scenes, are next to each
//! row.

use super::ablation::Stages;
use super::measured::{Measured, distinct, table as stage_table};
use super::printed::{PLACE_1, PLACE_2, Printed, TABLE_1, TABLE_2, misfits};
use super::run::{Axis, Cell, Column, Plot, PlotKind, Run, Samples, Series, Table, UsedDataset, slug};
use super::set::{Kind, Set};
use super::{MeasureArgs, on_adapter};
use firstcontact::Result;
use firstcontact::engine::{Backend, Engine, Options, Sweep};
use firstcontact_datasets::DEFAULT_SEED;

/// Largest angles of a joint, degrees.
const TABLE_1_DEG: [u32; 4] = [1, 5, 15, 30];
const TABLE_2_DEG: [u32; 3] = [1, 30, 60];
/// The source of the paper's figures.
const THE_PAPER: &str = "paper, 2004 (Pentium 2.4 GHz, GeForce FX 5800)";
/// The kinds of motions in the paper's order: colliding ones first.
const KINDS: [Kind; 2] = [Kind::Colliding, Kind::Free];

/// A row of either table, milliseconds.
struct Line {
    theta_max_deg: u32,
    who: String,
    stages: String,
    motions: [Option<u64>; 2],
    /// Culling by trees, swept volumes, contacts, total; for colliding and for free motions.
    ms: [[Option<f64>; 2]; 4],
}

impl Line {
    fn printed(row: &Printed) -> Self {
        let (exact, total) = (row.exact.map(Some), row.total.map(Some));
        let or_nothing = |cell: Option<[f64; 2]>| cell.map_or([None; 2], |ms| ms.map(Some));
        Self {
            theta_max_deg: row.theta_max_deg,
            who: THE_PAPER.into(),
            stages: row.stages.into(),
            motions: [None; 2],
            ms: [or_nothing(row.cull), or_nothing(row.sweep), exact, total],
        }
    }

    /// The row for the measurements of one choice of stages, at most one of each kind.
    fn measured(theta_max_deg: u32, rows: &[Measured]) -> Option<Self> {
        let of = |kind: Kind| rows.iter().find(|r| r.kind == kind);
        let ms = |stages: std::ops::Range<usize>| {
            KINDS.map(|kind| of(kind).map(|r| r.stage_ms[stages.clone()].iter().sum::<f64>()))
        };
        let first = rows.first()?;
        Some(Self {
            theta_max_deg,
            who: format!("here: {}", first.device),
            stages: first.choice.clone(),
            motions: KINDS.map(|kind| of(kind).map(|r| r.motions)),
            ms: [ms(0..3), ms(3..4), ms(4..6), ms(0..6)],
        })
    }
}

/// One of the two experiments.
struct Experiment {
    set: &'static str,
    /// Selections of stages, and their names.
    choices: Vec<(Stages, String)>,
    /// Number of motions of a kind with the model's tree and without: on the CPU, on a graphics processor, on a
    /// software adapter.
    most: [[usize; 2]; 3],
}

impl Experiment {
    fn new(set: &'static str, choices: impl IntoIterator<Item = Stages>, quick: bool) -> Self {
        let choices = choices.into_iter().map(|stages| (stages, stages.numbers())).collect();
        let most = if quick { [[10, 1], [10, 1], [4, 1]] } else { [[1000, 40], [1000, 40], [40, 2]] };
        Self { set, choices, most }
    }

    /// Measures at one angle on a backend.
    fn measure(&self, run: &mut Run, set: &Set, theta: u32, options: &Options, out: &mut Found) -> Result<()> {
        for (stages, name) in &self.choices {
            let options = Options { cull: stages.cull, sweep: stages.sweep, ..options.clone() };
            let engine = Engine::builder(&set.robot, &set.scene).options(options).build()?;
            let most = self.most[engine.adapters().first().map_or(0, |a| if a.hardware { 1 } else { 2 })];
            let mut rows = Vec::new();
            for kind in KINDS {
                rows.extend(Measured::of(run, set, &engine, kind, name, most[usize::from(!stages.cull)])?);
            }
            out.lines.extend(Line::measured(theta, &rows));
            out.rows.extend(rows);
        }
        Ok(())
    }

    /// Measures at some angles; the paper's rows precede those of the same angle.
    fn run(&self, run: &mut Run, args: &MeasureArgs, degrees: &[u32], printed: &[Printed]) -> Result<Found> {
        let mut out = Found::default();
        for &theta in degrees {
            let set = Set::load(&format!("{}/{theta}", self.set), &args.folder.path()?)?;
            out.lines.extend(printed.iter().filter(|p| p.theta_max_deg == theta).map(Line::printed));
            let options = Options { backend: Backend::Cpu, threads: 1, ..Options::default() };
            self.measure(run, &set, theta, &options, &mut out)?;
            let options = Options { backend: Backend::Gpu, ..Options::default() };
            on_adapter(args, || self.measure(run, &set, theta, &options, &mut out))?;
            let used = one_by_one(run, &set, if args.quick { 20 } else { usize::MAX })?;
            run.datasets.push(used);
        }
        Ok(out)
    }
}

/// The measurements.
#[derive(Default)]
struct Found {
    lines: Vec<Line>,
    rows: Vec<Measured>,
}

/// Checks motions one by one on one thread, as an interactive program would, and lists the slowest of each kind.
fn one_by_one(run: &mut Run, set: &Set, most: usize) -> Result<UsedDataset> {
    let options = Options { backend: Backend::Cpu, threads: 1, ..Options::default() };
    let engine = Engine::builder(&set.robot, &set.scene).options(options).build()?;
    engine.check(&set.motions.range(0..1))?;
    let mut slowest = Vec::new();
    for kind in KINDS {
        let mut timed: Vec<(f64, usize)> = Vec::new();
        for i in set.numbers(kind, most) {
            timed.push((engine.check(&set.motions.range(i..i + 1))?.stats.wall_s, i));
        }
        let name = format!("{}, CPU, 1 thread, {}, one by one", set.name, kind.name());
        run.samples.push(Samples { name, unit: "s".into(), values: timed.iter().map(|t| t.0).collect() });
        slowest.extend(timed.iter().max_by(|a, b| a.0.total_cmp(&b.0)).map(|t| t.1));
    }
    Ok(set.used(&slowest))
}

fn table(id: &str, title: &str, note: &str, lines: &[Line]) -> Table {
    let mut columns = vec![
        Column::number("θmax", "°", 0, "Largest turn of a joint."),
        Column::text("who", ""),
        Column::text("stages", ""),
        Column::number("COL motions", "", 0, "Motions with a contact measured; undecided ones are left out."),
        Column::number("NO-COL motions", "", 0, "Free motions measured."),
    ];
    let about = [
        ("BVH", "Dynamic BVH culling; here s1_concat, s2_bound, s3_cull."),
        ("SV", "Dynamic SV culling; here s4_sweep."),
        ("exact", "Exact contact computation; here s5_pairs and s6_solve."),
        ("total", "Total time; here of all stages, summed over threads."),
    ];
    for (name, about) in about {
        columns.push(Column::number(&format!("{name} COL"), "ms", 4, about));
        columns.push(Column::number(&format!("{name} NO-COL"), "ms", 4, ""));
    }
    let mut table = Table::new(id, title, note, columns);
    for line in lines {
        let mut cells: Vec<Cell> =
            vec![u64::from(line.theta_max_deg).into(), line.who.as_str().into(), line.stages.as_str().into()];
        cells.extend(line.motions.map(Cell::from));
        cells.extend(line.ms.as_flattened().iter().map(|ms| Cell::from(*ms)));
        table.row(cells);
    }
    table
}

/// Totals: a group of bars for each angle and kind of motions, a bar for each machine and choice of stages.
fn plot(id: &str, title: &str, lines: &[&Line]) -> Plot {
    let group = |line: &Line, kind: usize| format!("{}° {}", line.theta_max_deg, KINDS[kind].name());
    let bar = |line: &Line| format!("{}, {}", line.who, line.stages);
    let categories = distinct(lines.iter().flat_map(|l| [0, 1].map(|kind| group(l, kind))));
    let series = distinct(lines.iter().map(|l| bar(l))).into_iter().map(|name| {
        let of = lines.iter().filter(|l| bar(l) == name);
        let points = of.flat_map(|l| {
            let at = |kind| categories.iter().position(|c| *c == group(l, kind)).unwrap_or(0) as f64;
            [0, 1].into_iter().filter_map(move |kind| Some([at(kind), l.ms[3][kind]?])).collect::<Vec<_>>()
        });
        Series::new(name.as_str(), points.collect())
    });
    Plot {
        id: id.into(),
        title: title.into(),
        note: "The paper's figures are of another machine, and of scenes that these replace.".into(),
        kind: PlotKind::Bars,
        x: Axis::linear(""),
        y: Axis::log("ms a motion"),
        series: series.collect(),
        categories,
    }
}

/// Runs the measurement.
pub fn run(args: &MeasureArgs) -> Result<()> {
    let title = "The experiments of Redon, Kim, Lin and Manocha 2004, section 6";
    let mut run = Run::begin("paper", title, DEFAULT_SEED, !args.cpu_only);
    run.note(
        "Rows of the paper are of **another machine** (2.4 GHz Pentium, 1 GB, GeForce FX 5800, 2004) and of **other \
         scenes**: neither its models nor its motions are published. Pipes and machine room are stand-ins that this \
         program makes, of the same numbers of triangles and objects, with random motions that start free. Ratios \
         between the paper's rows and these do not compare the methods.",
    );
    run.note(
        "The engine is also asked for more: what it calls free is free, and a contact comes with a certified \
         enclosure of its time.",
    );
    let note = "Stage 2 is the form `compute`. `auto` is what the engine does by default. Without stage 1, \
                bounds on the poses of links must still be computed, and are listed under BVH.";
    let form = |sweep| Stages { cull: true, sweep };
    let mut first = Experiment::new("pipes", [form(Sweep::Compute)], args.quick);
    first.choices.push((form(Sweep::Auto), "auto".into()));
    let mut second = Experiment::new("amr", Stages::four(Sweep::Compute), args.quick);
    second.choices.push((form(Sweep::Auto), "auto".into()));
    let (degrees_1, degrees_2) =
        if args.quick { (&TABLE_1_DEG[3..], &TABLE_2_DEG[..1]) } else { (&TABLE_1_DEG[..], &TABLE_2_DEG[..]) };

    let found_1 = first.run(&mut run, args, degrees_1, &TABLE_1)?;
    let misfit = misfits(&TABLE_1, PLACE_1).join("; ");
    run.tables.push(table(
        "table1",
        "Table 1: Puma in the pipes",
        &format!("{note} As printed, one total is not the sum of its row: {misfit}."),
        &found_1.lines,
    ));
    run.plots.push(plot("table1", "Table 1: Puma in the pipes", &found_1.lines.iter().collect::<Vec<_>>()));
    run.write(&args.out)?;

    let found_2 = second.run(&mut run, args, degrees_2, &TABLE_2)?;
    let misfit = misfits(&TABLE_2, PLACE_2).join("; ");
    run.tables.push(table(
        "table2",
        "Table 2: Puma in the machine room",
        &format!(
            "{note} The totals that the paper prints for free motions are not the sums of their rows where more than \
             one stage ran: {misfit}."
        ),
        &found_2.lines,
    ));
    for who in distinct(found_2.lines.iter().map(|l| l.who.clone())) {
        let lines: Vec<&Line> = found_2.lines.iter().filter(|l| l.who == who).collect();
        run.plots.push(plot(&format!("table2-{}", slug(&who)), &format!("Table 2, {who}"), &lines));
    }
    let rows: Vec<Measured> = found_1.rows.into_iter().chain(found_2.rows).collect();
    run.tables.push(stage_table("stages", "Stage by stage", "stages", &rows));
    run.finish(&args.out)
}
