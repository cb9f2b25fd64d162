//! The experiments of toleranced motions: tests, depth and time; global masses against each polygon's own; and robots.

use super::{MeasureArgs, lines};
use crate::cli::dataset;
use firstcontact::engine::{Backend, Engine};
use firstcontact::load::LoadLimits;
use firstcontact::model::robot::Robot;
use firstcontact::model::scene::Scene;
use firstcontact::motion::Motions;
use firstcontact::output;
use firstcontact::toleranced::articulated::Toleranced;
use firstcontact::toleranced::experiments::{Path, octagons, squares};
use firstcontact::toleranced::problem::{Limits, Problem};
use firstcontact::toleranced::search::{Bodies, Options, cover, fixed_tree, moving_tree};
use firstcontact::verdict::Verdict;
use firstcontact::{Error, Result};
use serde::Serialize;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::time::Instant;

/// Shifts of the squares along z, metres, and what comes of them.
const SQUARES: [(f64, &str); 3] = [(-0.25, "hit"), (-0.2, "near"), (0.3, "clear")];
/// Factors by which the corners of a square are moved outward; `None` for the points of the whole grid.
const INFLATIONS: [Option<f64>; 6] = [None, Some(1.0), Some(1.5), Some(2.0), Some(2.5), Some(3.0)];
/// Where a search among a robot's triangles ends, metres.
const DELTAS_M: [f64; 3] = [0.02, 0.005, 0.001];

/// One experiment.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its name.
    pub experiment: String,
    /// Polygons along a side.
    pub k: usize,
    /// By what factor feature points are moved outward; nothing for global masses.
    pub inflation: Option<f64>,
    /// Pairs of polygons.
    pub pairs: usize,
    /// Balls tried on pairs.
    pub tests: u64,
    /// The deepest level.
    pub depth: u32,
    /// Pairs that are possible.
    pub possible: usize,
    /// Milliseconds on one thread.
    pub ms: f64,
}

/// Motions of a robot that the engine calls free.
#[derive(Clone, Debug, Serialize)]
struct RobotRow {
    dataset: String,
    delta_m: f64,
    motions: usize,
    certified: usize,
    /// Of motions that touch; must be none.
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
    // The second run finds the memory warm.
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

fn robots(args: &MeasureArgs, name: &str, rows: &mut Vec<RobotRow>) -> Result<()> {
    let files = dataset::files(name, &args.dataset_folder)?;
    let (robot, scene) = (Robot::from_urdf(&files.robot)?, Scene::from_file(&files.scene)?);
    let all = Motions::load(&files.motions, &robot, &LoadLimits::default())?;
    let engine = Engine::builder(&robot, &scene).backend(Backend::Cpu).build()?;
    let n = all.len().min(if args.quick { 10 } else { 200 });
    let [starts, ends] = [0, 1]
        .map(|k| (0..n).map(|i| if k == 0 { all.start(i).to_vec() } else { all.end(i).to_vec() }).collect::<Vec<_>>());
    let verdicts = engine.check(&Motions::between(&starts, &ends)?)?.verdicts;
    let toleranced = Toleranced::new(&robot, &scene)?;
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
        let start = Instant::now();
        for (i, verdict) in verdicts.iter().enumerate() {
            let answer = toleranced.check(&starts[i], &ends[i], &limits, false)?;
            let is_free = *verdict == Verdict::Free;
            row.motions += usize::from(is_free);
            row.certified += usize::from(is_free && answer.is_free());
            row.wrong += usize::from(!is_free && answer.is_free());
            row.tests += answer.counts.tests;
            row.range_tests += answer.counts.range_tests;
        }
        row.ms = start.elapsed().as_secs_f64() * 1e3 / n as f64;
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
    fs::create_dir_all(&args.out).map_err(|e| Error::input(format!("it cannot be made: {e}")).in_file(&args.out))?;
    let mut rows = Vec::new();
    for (z, name) in [
        (-0.1125, "octagons, near"),
        (-0.32, "octagons, hit at once"),
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
    let mut of_robots = Vec::new();
    for name in if args.quick { vec!["pipes/5"] } else { vec!["pipes/5", "pipes/30"] } {
        robots(args, name, &mut of_robots)?;
    }
    let figures = serde_json::json!({ "experiments": rows, "robots": of_robots });
    let json = serde_json::to_string_pretty(&figures).map_err(|e| Error::usage(e.to_string()))?;
    let table = table(&rows, &of_robots);
    for (name, text) in
        [("toleranced.json", format!("{json}\n")), ("toleranced.md", table.clone()), ("toleranced.svg", plot(&rows)?)]
    {
        let path = args.out.join(name);
        output::write(&path, |out| {
            out.write_all(text.as_bytes())
                .map_err(|e| Error::input(format!("it cannot be written: {e}")).in_file(&path))
        })?;
    }
    say!("{table}");
    Ok(())
}

/// Tests against pairs, and global masses against own ones.
fn plot(rows: &[Row]) -> Result<String> {
    let mut tests = Vec::new();
    let mut ratios = Vec::new();
    for (_, name) in SQUARES {
        let name = format!("squares, {name}");
        let of = |inflation: Option<f64>| {
            rows.iter().filter(|r| r.experiment == name && r.inflation == inflation).collect::<Vec<_>>()
        };
        for (what, inflation) in [("global", None), ("own, factor 2.5", Some(2.5))] {
            let points = of(inflation).iter().map(|r| (r.pairs as f64, r.tests as f64)).collect();
            tests.push(lines::Series { name: format!("{name}, {what}"), points });
        }
        let last = |inflation| of(inflation).last().map(|r| r.tests as f64);
        let points = INFLATIONS.iter().filter_map(|&g| Some((g?, last(None)? / last(g)?))).collect();
        ratios.push(lines::Series { name, points });
    }
    lines::panels(&[
        lines::Panel { title: "tests against pairs of polygons", log: true, series: tests },
        lines::Panel {
            title: "tests with global masses over those with own ones, against the factor",
            log: false,
            series: ratios,
        },
    ])
}

fn table(rows: &[Row], robots: &[RobotRow]) -> String {
    let mut text = String::from(
        "| experiment | k | masses | pairs | tests | a pair | depth | possible | ms |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for r in rows {
        let masses = r.inflation.map_or_else(|| "global".into(), |g| format!("own × {g}"));
        let each = r.tests as f64 / r.pairs as f64;
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| {} | {} | {masses} | {} | {} | {each:.1} | {} | {} | {:.2} |",
            r.experiment, r.k, r.pairs, r.tests, r.depth, r.possible, r.ms
        );
    }
    text.push_str("\n| set | δ, m | free motions | certified | wrong | ms a motion | balls on pairs | on ranges |\n|---|---|---|---|---|---|---|---|\n");
    for r in robots {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {:.2} | {} | {} |",
            r.dataset, r.delta_m, r.motions, r.certified, r.wrong, r.ms, r.tests, r.range_tests
        );
    }
    text
}
