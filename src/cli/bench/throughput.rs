//! How many motions a second: one at a time by a warm engine, and in batches.

use super::{MeasureArgs, write};
use crate::cli::dataset;
use firstcontact::engine::{Backend, Engine, Options, Stats};
use firstcontact::load::LoadLimits;
use firstcontact::model::robot::Robot;
use firstcontact::model::scene::Scene;
use firstcontact::motion::Motions;
use firstcontact::stage::s6_solve::Mode;
use firstcontact::{Error, ErrorKind, Result};
use serde::Serialize;
use std::fmt::Write as _;
use std::fs;

/// Data sets, with the largest angle of a joint in degrees.
const SETS: [&str; 7] = ["pipes/30", "amr/30", "amr/1", "amr/60", "chain-30/30", "amr/5", "amr/15"];
const QUICK: [&str; 1] = ["pipes/30"];
/// Motions that are checked together.
const BATCHES: [usize; 4] = [1, 100, 10_000, 1_000_000];
/// Motions that are checked one by one.
const SINGLES: usize = 200;

/// What some motions took, on average.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The data set, with the largest angle of a joint in degrees.
    pub dataset: String,
    /// The adapter, or the CPU with the number of threads.
    pub device: String,
    /// `toc` or `verdict`.
    pub mode: &'static str,
    /// Motions that were checked together.
    pub batch: usize,
    /// Motions measured.
    pub motions: u64,
    /// Of them with a contact.
    pub contacts: u64,
    /// Motions a second, on the clock.
    pub per_second: f64,
    /// Microseconds a motion on the clock.
    pub microseconds: f64,
    /// Microseconds of each stage a motion, summed over threads.
    pub stage_us: [f64; 6],
    /// What had to be made on the device: nothing where it is warm.
    pub device_objects: u64,
}

/// A robot, a scene and its motions.
struct Set {
    name: String,
    robot: Robot,
    scene: Scene,
    motions: Motions,
}

impl Set {
    fn load(args: &MeasureArgs, name: &str) -> Result<Self> {
        let files = dataset::files(name, &args.dataset_folder)?;
        let (robot, scene) = (Robot::from_urdf(&files.robot)?, Scene::from_file(&files.scene)?);
        let motions = Motions::load(&files.motions, &robot, &LoadLimits::default())?;
        Ok(Self { name: name.into(), robot, scene, motions })
    }

    /// Measures both modes on a device, batches as large as `most_s` seconds have room for.
    fn measure(&self, backend: Backend, threads: usize, most_s: f64, rows: &mut Vec<Row>) -> Result<()> {
        for (name, mode) in [("toc", Mode::Toc), ("verdict", Mode::Verdict)] {
            let mut options = Options { backend, threads, ..Options::default() };
            options.solve.mode = mode;
            let engine = Engine::builder(&self.robot, &self.scene).options(options).build()?;
            let device = engine.adapter().map_or_else(|| format!("CPU, {}", engine.threads()), |a| a.name);
            // Warm: everything is made, and the form of swept-volume culling chosen.
            engine.check(&self.motions)?;
            let mut per_second: f64 = f64::INFINITY;
            for batch in BATCHES {
                if batch as f64 / per_second > most_s {
                    break;
                }
                let stats = if batch == 1 { self.one_by_one(&engine)? } else { self.together(&engine, batch)? };
                let row = Row::new(&self.name, device.clone(), name, batch, &stats);
                tell!("{} {}, {name}, {batch}: {:.0} motions/s", row.dataset, row.device, row.per_second);
                per_second = row.per_second;
                rows.push(row);
            }
        }
        Ok(())
    }

    fn one_by_one(&self, engine: &Engine) -> Result<Stats> {
        let mut sum = Stats::default();
        let each = self.motions.len() / SINGLES.min(self.motions.len()).max(1);
        for i in (0..self.motions.len()).step_by(each.max(1)).take(SINGLES) {
            let stats = engine.check(&self.motions.range(i..i + 1))?.stats;
            sum.add(&stats);
            sum.wall_s += stats.wall_s;
            sum.device_objects += stats.device_objects;
        }
        Ok(sum)
    }

    fn together(&self, engine: &Engine, n: usize) -> Result<Stats> {
        let mut left = n;
        let mut portions = std::iter::from_fn(|| {
            let some = self.motions.range(0..left);
            left -= some.len();
            (!some.is_empty()).then_some(Ok(some))
        });
        engine.check_portions(&mut portions, &mut |_, _| Ok(()))
    }
}

impl Row {
    fn new(dataset: &str, device: String, mode: &'static str, batch: usize, stats: &Stats) -> Self {
        let n = (stats.motions as f64).max(1.0);
        Self {
            dataset: dataset.into(),
            device,
            mode,
            batch,
            motions: stats.motions,
            contacts: stats.contact,
            per_second: n / stats.wall_s.max(1e-9),
            microseconds: stats.wall_s * 1e6 / n,
            stage_us: std::array::from_fn(|s| stats.stages[s].seconds * 1e6 / n),
            device_objects: stats.device_objects,
        }
    }
}

/// Runs the measurement.
pub fn run(args: &MeasureArgs) -> Result<()> {
    fs::create_dir_all(&args.out).map_err(|e| Error::input(format!("it cannot be made: {e}")).in_file(&args.out))?;
    let (sets, most_s): (&[&str], f64) = if args.quick { (&QUICK, 0.5) } else { (&SETS, 20.0) };
    let mut rows = Vec::new();
    for name in sets {
        let set = Set::load(args, name)?;
        for threads in [1, 0] {
            set.measure(Backend::Cpu, threads, most_s, &mut rows)?;
        }
        let on_adapter = if args.cpu_only { Ok(()) } else { set.measure(Backend::Gpu, 0, most_s, &mut rows) };
        match on_adapter {
            Err(e) if e.kind() == ErrorKind::Gpu => tell!("no adapter: {e}"),
            other => other?,
        }
        // What is known so far: the next set may take long.
        let json = serde_json::to_string_pretty(&rows).map_err(|e| Error::usage(e.to_string()))?;
        write(args, "throughput.json", &format!("{json}\n"))?;
        write(args, "throughput.md", &table(&rows))?;
    }
    say!("{}", table(&rows));
    Ok(())
}

/// A table in Markdown, microseconds for each motion.
fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| set | device | mode | batch | contacts | motions/s | µs | s1, s2 | s3 | s4 | s5 | s6 |\n\
         |---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for r in rows {
        let [s1, s2, s3, s4, s5, s6] = r.stage_us;
        let share = 100.0 * r.contacts as f64 / r.motions.max(1) as f64;
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| {}° | {} | {} | {} | {share:.0} % | {:.0} | {:.1} | {:.1} | {s3:.1} | {s4:.1} | {s5:.1} | {s6:.1} |",
            r.dataset,
            r.device,
            r.mode,
            r.batch,
            r.per_second,
            r.microseconds,
            s1 + s2,
        );
    }
    text
}
