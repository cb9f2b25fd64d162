//! The experiments of toleranced motions: tests, depth and time; global masses compared with each polygon's own; and
//! robots.

use super::MeasureArgs;
use super::run::{Axis, Cell, Column, Plot, PlotKind, Run, Samples, Series, Table};
use super::set::Set;
use firstcontact::Result;
use firstcontact::toleranced::articulated::Toleranced;
use firstcontact::toleranced::experiments::{Path, octagons, squares};
use firstcontact::toleranced::problem::{Limits, Problem};
use firstcontact::toleranced::search::{Bodies, Options, cover, fixed_tree, moving_tree};
use firstcontact::verdict::Verdict;
use firstcontact_datasets::DEFAULT_SEED;
use std::time::Instant;

/// Shifts of the squares along z, metres, and their outcomes.
const SQUARES: [(f64, &str); 3] = [(-0.25, "hit"), (-0.2, "near"), (0.3, "clear")];
/// Factors by which the corners of a square are moved outward; `None` for the points of the whole grid.
const INFLATIONS: [Option<f64>; 6] = [None, Some(1.0), Some(1.5), Some(2.0), Some(2.5), Some(3.0)];
/// Resolutions at which a search among a robot's triangles ends, metres.
const DELTAS_M: [f64; 3] = [0.02, 0.005, 0.001];

/// One experiment.
struct Row {
    /// Its name.
    experiment: String,
    /// Polygons along a side.
    k: usize,
    /// Factor by which feature points are moved outward; `None` for global masses.
    inflation: Option<f64>,
    /// Pairs of polygons.
    pairs: usize,
    /// Balls tested on pairs.
    tests: u64,
    /// The deepest level.
    depth: u32,
    /// Pairs that may touch.
    possible: usize,
    /// Milliseconds on one thread.
    ms: f64,
}

/// Results for motions of a robot that the engine proves free.
struct RobotRow {
    dataset: String,
    delta_m: f64,
    motions: usize,
    certified: usize,
    /// Number of certified motions that touch; must be 0.
    wrong: usize,
    ms: f64,
    tests: u64,
    range_tests: u64,
}

fn measure(experiment: &str, k: usize, inflation: Option<f64>, problem: &Problem) -> Result<Row> {
    let shapes = problem.shapes()?;
    let motion = problem.motion.motion()?;
    let (moving_tree, fixed_tree) = (moving_tree(&shapes.moving), fixed_tree(&shapes.fixed));
    let bodies =
        Bodies { moving: &shapes.moving, moving_tree: &moving_tree, fixed: &shapes.fixed, fixed_tree: &fixed_tree };
    let options = Options { pairs: true, proof: false, ..Options::new(problem.limits) };
    // The second run uses warm memory.
    cover(&bodies, &motion, &options);
    let start = Instant::now();
    let found = cover(&bodies, &motion, &options);
    let ms = start.elapsed().as_secs_f64() * 1e3;
    let row = Row {
        experiment: experiment.into(),
        k,
        inflation,
        pairs: shapes.moving.len() * shapes.fixed.len(),
        tests: found.counts.tests,
        depth: found.counts.depth,
        possible: found.possible.len(),
        ms,
    };
    tell!("{experiment}, {k} × {k}: {} tests, {ms:.2} ms", row.tests);
    Ok(row)
}

fn robots(args: &MeasureArgs, name: &str, run: &mut Run, rows: &mut Vec<RobotRow>) -> Result<()> {
    let set = Set::load(name, &args.folder.path()?)?;
    run.datasets.push(set.used(&[]));
    let n = set.motions.len().min(if args.quick { 10 } else { 200 });
    let toleranced = Toleranced::new(&set.robot, &set.scene)?;
    for delta_m in DELTAS_M {
        let limits = Limits { delta_m, first: true, ..Limits::default() };
        let mut row = RobotRow {
            dataset: name.into(),
            delta_m,
            motions: 0,
            certified: 0,
            wrong: 0,
            ms: 0.0,
            tests: 0,
            range_tests: 0,
        };
        let mut seconds = Vec::new();
        for (i, verdict) in set.verdicts[..n].iter().enumerate() {
            let start = Instant::now();
            let answer = toleranced.check(set.motions.start(i), set.motions.end(i), &limits, false)?;
            seconds.push(start.elapsed().as_secs_f64());
            let is_free = *verdict == Verdict::Free;
            row.motions += usize::from(is_free);
            row.certified += usize::from(is_free && answer.is_free());
            row.wrong += usize::from(!is_free && answer.is_free());
            row.tests += answer.counts.tests;
            row.range_tests += answer.counts.range_tests;
        }
        row.ms = seconds.iter().sum::<f64>() * 1e3 / n as f64;
        let what = format!("{name}, δ = {} mm, a motion", delta_m * 1e3);
        run.samples.push(Samples { name: what, unit: "s".into(), values: seconds });
        tell!(
            "{name}, {delta_m} m: {} of {} free motions certified, {:.2} ms a motion",
            row.certified,
            row.motions,
            row.ms
        );
        rows.push(row);
    }
    Ok(())
}

/// Runs the measurement.
pub fn run(args: &MeasureArgs) -> Result<()> {
    let mut run = Run::begin("toleranced", "Toleranced motions", DEFAULT_SEED, false);
    run.note(
        "The experiments stand in for those of Schröcker and Weber, whose data are not published. Tests are balls of \
         displacements that were tried on pairs of polygons. One thread.",
    );
    let mut rows = Vec::new();
    for (z, name) in [
        (-0.1125, "octagons, near"),
        (-0.32, "octagons, hit immediately"),
        (-0.2, "octagons, hit"),
        (0.3875, "octagons, clear"),
    ] {
        rows.push(measure(name, 1, None, &octagons([0.0, 0.0, z], true))?);
    }
    let sides: &[usize] = if args.quick { &[1, 2] } else { &[1, 2, 4, 8] };
    for (z, name) in SQUARES {
        for inflation in INFLATIONS {
            for &k in sides {
                let problem = squares(Path::Squares, k, z, inflation);
                rows.push(measure(&format!("squares, {name}"), k, inflation, &problem)?);
            }
        }
    }
    for inflation in INFLATIONS {
        let k = sides[sides.len() - 1].min(4);
        rows.push(measure("corner", k, inflation, &squares(Path::Corner, k, 0.0, inflation))?);
    }
    run.tables = vec![experiments(&rows)];
    run.plots = plots(&rows);
    run.write(&args.out)?;
    let mut of_robots = Vec::new();
    for name in if args.quick { vec!["pipes/5"] } else { vec!["pipes/5", "pipes/30"] } {
        robots(args, name, &mut run, &mut of_robots)?;
    }
    run.tables.push(robots_table(&of_robots));
    run.finish(&args.out)
}

/// Tests as a function of pairs, and global masses compared with individual ones.
fn plots(rows: &[Row]) -> Vec<Plot> {
    let mut tests = Vec::new();
    let mut ratios = Vec::new();
    for (_, name) in SQUARES {
        let name = format!("squares, {name}");
        let of = |inflation: Option<f64>| {
            rows.iter().filter(|r| r.experiment == name && r.inflation == inflation).collect::<Vec<_>>()
        };
        for (what, inflation) in [("global", None), ("own × 2.5", Some(2.5))] {
            let points = of(inflation).iter().map(|r| [r.pairs as f64, r.tests as f64]).collect();
            tests.push(Series::new(format!("{name}, {what}"), points));
        }
        let last = |inflation| of(inflation).last().map(|r| r.tests as f64);
        let points = INFLATIONS.iter().filter_map(|&g| Some([g?, last(None)? / last(g)?])).collect();
        ratios.push(Series::new(name, points));
    }
    let plot = |id: &str, title: &str, x, y, series| Plot {
        id: id.into(),
        title: title.into(),
        note: String::new(),
        kind: PlotKind::Lines,
        x,
        y,
        series,
        categories: Vec::new(),
    };
    vec![
        plot("tests", "Tests against pairs of polygons", Axis::log("pairs"), Axis::log("tests"), tests),
        plot(
            "masses",
            "Tests with global masses over those with own ones",
            Axis::linear("factor by which own corners are moved outward"),
            Axis::linear("ratio of tests"),
            ratios,
        ),
    ]
}

fn experiments(rows: &[Row]) -> Table {
    let columns = vec![
        Column::text("experiment", ""),
        Column::number("k", "", 0, "Polygons along a side."),
        Column::text("masses", "Global, or each polygon's own corners moved outward by a factor."),
        Column::number("pairs", "", 0, "Of polygons."),
        Column::number("tests", "", 0, "Balls tried on pairs."),
        Column::number("a pair", "", 1, "Tests for each pair."),
        Column::number("depth", "", 0, "The deepest level."),
        Column::number("possible", "", 0, "Pairs that are possible."),
        Column::number("time", "ms", 2, "On one thread."),
    ];
    let mut table = Table::new("experiments", "Polygons", "", columns);
    for r in rows {
        let masses = r.inflation.map_or_else(|| "global".into(), |g| format!("own × {g}"));
        let each = r.tests as f64 / r.pairs as f64;
        table.row([
            Cell::from(r.experiment.as_str()),
            r.k.into(),
            masses.into(),
            r.pairs.into(),
            r.tests.into(),
            each.into(),
            u64::from(r.depth).into(),
            r.possible.into(),
            r.ms.into(),
        ]);
    }
    table
}

fn robots_table(rows: &[RobotRow]) -> Table {
    let columns = vec![
        Column::text("set", "Data set and largest angle of a joint in degrees."),
        Column::number("δ", "m", 3, "Where a search ends."),
        Column::number("free motions", "", 0, "By the engine."),
        Column::number("certified", "", 0, "Of them."),
        Column::number("wrong", "", 0, "Motions that touch and were called free: none, that is the guarantee."),
        Column::number("time", "ms", 2, "For a motion, on one thread."),
        Column::number("tests", "", 0, "Balls tried on pairs."),
        Column::number("tests of ranges", "", 0, "Balls tried on groups of triangles."),
    ];
    let mut table = Table::new("robots", "Robots", "", columns);
    for r in rows {
        table.row([
            Cell::from(r.dataset.as_str()),
            r.delta_m.into(),
            r.motions.into(),
            r.certified.into(),
            r.wrong.into(),
            r.ms.into(),
            r.tests.into(),
            r.range_tests.into(),
        ]);
    }
    table
}
