//! The paper's Table 2: what its stages cost and save, one by one, for free and for colliding motions apart.

use super::{MeasureArgs, plot, write};
use crate::cli::dataset;
use firstcontact::engine::{Backend, Engine, Options, Stage, Stats, Sweep};
use firstcontact::model::robot::Robot;
use firstcontact::model::scene::Scene;
use firstcontact::motion::Motions;
use firstcontact::verdict::Verdict;
use firstcontact::{Error, ErrorKind, Result};
use serde::Serialize;
use std::fmt::Write as _;
use std::fs;

/// Largest angles of a joint in the machine room, degrees.
const THETA_MAX_DEG: [u32; 3] = [1, 30, 60];
/// Chains among obstacles.
const CHAINS: [&str; 3] = ["chain-10", "chain-30", "chain-100"];
/// What is enough to see that it works.
const QUICK: [(&str, u32); 2] = [("amr", 30), ("chain-10", 30)];

/// Some stages of the paper; 3 is always there.
#[derive(Clone, Copy, Debug)]
struct Stages {
    /// 1: the model's tree against the scene's.
    cull: bool,
    /// 2: swept volumes.
    sweep: Sweep,
}

impl Stages {
    /// The paper's four, and its first with every other form that there is.
    fn all() -> Vec<Self> {
        let form = |cull, sweep| Self { cull, sweep };
        let mut all = vec![
            form(true, Sweep::Compute),
            form(true, Sweep::Off),
            form(false, Sweep::Compute),
            form(false, Sweep::Off),
        ];
        let others = [Sweep::Grid, Sweep::Raster, Sweep::Paper].into_iter();
        all.extend(others.map(|other| form(true, other)));
        all
    }

    fn name(self) -> String {
        let second = if self.sweep == Sweep::Off { String::new() } else { format!("2 ({})+", self.sweep.name()) };
        format!("{}{second}3", if self.cull { "1+" } else { "" })
    }
}

/// What some motions took, on average.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The data set.
    pub dataset: String,
    /// Largest angle of a joint, degrees.
    pub theta_max_deg: u32,
    /// The adapter, or the CPU.
    pub device: String,
    /// Whether the motions collide.
    pub colliding: bool,
    /// Motions measured.
    pub motions: usize,
    /// The stages of the paper that ran.
    pub stages: String,
    /// Milliseconds of each stage of the engine, summed over threads.
    pub stage_ms: [f64; 6],
    /// Milliseconds of them all.
    pub total_ms: f64,
    /// Candidates that came to `s4_sweep`.
    pub candidates: f64,
    /// Candidates that it left.
    pub candidates_left: f64,
    /// Triangles of these candidates; nothing where it did not run.
    pub triangles: f64,
    /// Triangles that it left.
    pub triangles_left: f64,
    /// Microseconds of `s4_sweep` for each link.
    pub sweep_us_per_link: f64,
    /// Pairs of triangles for the exact stage.
    pub pairs: f64,
}

/// A machine and its motions.
struct Set {
    name: String,
    theta_max_deg: u32,
    robot: Robot,
    scene: Scene,
    /// Free ones and colliding ones.
    motions: [Vec<[Vec<f64>; 2]>; 2],
}

impl Set {
    fn load(args: &MeasureArgs, name: &str, theta_max_deg: u32, most: usize) -> Result<Self> {
        let files = dataset::files(&format!("{name}/{theta_max_deg}"), &args.dataset_folder)?;
        let (robot, scene) = (Robot::from_urdf(&files.robot)?, Scene::from_file(&files.scene)?);
        let all = Motions::load(&files.motions, &robot, &firstcontact::load::LoadLimits::default())?;
        let engine = Engine::builder(&robot, &scene).backend(Backend::Cpu).build()?;
        let mut motions = [Vec::new(), Vec::new()];
        for (i, verdict) in engine.check(&all)?.verdicts.iter().enumerate() {
            let kind = &mut motions[usize::from(*verdict != Verdict::Free)];
            if kind.len() < most {
                kind.push([all.start(i).to_vec(), all.end(i).to_vec()]);
            }
        }
        Ok(Self { name: name.into(), theta_max_deg, robot, scene, motions })
    }

    /// Measures all stages of all kinds on a backend.
    fn measure(&self, backend: Backend, most: [usize; 2], rows: &mut Vec<Row>) -> Result<()> {
        for stages in Stages::all() {
            let options = Options { backend, cull: stages.cull, sweep: stages.sweep, ..Options::default() };
            let engine = Engine::builder(&self.robot, &self.scene).options(options).build()?;
            for (kind, motions) in self.motions.iter().enumerate() {
                // Without the tree a motion takes seconds.
                let motions = &motions[..motions.len().min(most[usize::from(!stages.cull)])];
                if motions.is_empty() {
                    continue;
                }
                let batch = |rows: &[[Vec<f64>; 2]]| {
                    let [from, to] = [0, 1].map(|k| rows.iter().map(|row| row[k].as_slice()).collect::<Vec<_>>());
                    Motions::between(&from, &to)
                };
                // Once to make the buffers.
                engine.check(&batch(&motions[..1])?)?;
                let stats = engine.check(&batch(motions)?)?.stats;
                rows.push(self.row(&engine, stages, kind == 1, &stats));
                let row = &rows[rows.len() - 1];
                tell!(
                    "{} {}°, {}, {}: {:.3} ms a motion",
                    row.dataset,
                    row.theta_max_deg,
                    row.device,
                    row.stages,
                    row.total_ms
                );
            }
        }
        Ok(())
    }

    fn row(&self, engine: &Engine, stages: Stages, colliding: bool, stats: &Stats) -> Row {
        let n = stats.motions as f64;
        let stage_ms: [f64; 6] = std::array::from_fn(|s| stats.stages[s].seconds * 1e3 / n);
        let sweep = &stats.stages[Stage::Sweep as usize];
        Row {
            dataset: self.name.clone(),
            theta_max_deg: self.theta_max_deg,
            device: engine.adapter().map_or_else(|| "CPU".into(), |a| a.name),
            colliding,
            motions: stats.motions as usize,
            stages: stages.name(),
            stage_ms,
            total_ms: stage_ms.iter().sum(),
            candidates: sweep.items_in as f64 / n,
            candidates_left: sweep.items_out as f64 / n,
            triangles: stats.sweep.triangles_in as f64 / n,
            triangles_left: stats.sweep.triangles_out as f64 / n,
            sweep_us_per_link: stage_ms[Stage::Sweep as usize] * 1e3 / engine.world().links.len().max(1) as f64,
            pairs: stats.stages[Stage::Pairs as usize].items_out as f64 / n,
        }
    }
}

/// Runs the measurement.
pub fn run(args: &MeasureArgs) -> Result<()> {
    fs::create_dir_all(&args.out).map_err(|e| Error::input(format!("it cannot be made: {e}")).in_file(&args.out))?;
    // Motions of each kind, with the tree and without.
    let (cpu, gpu) = if args.quick { ([10, 1], [4, 1]) } else { ([200, 20], [40, 2]) };
    let mut rows = Vec::new();
    let machines = THETA_MAX_DEG.map(|theta| ("amr", theta));
    let all: Vec<_> = machines.into_iter().chain(CHAINS.map(|name| (name, 30))).collect();
    for (name, theta) in all.into_iter().filter(|set| !args.quick || QUICK.contains(set)) {
        let set = Set::load(args, name, theta, cpu[0])?;
        set.measure(Backend::Cpu, cpu, &mut rows)?;
        if args.cpu_only {
            continue;
        }
        match set.measure(Backend::Gpu, gpu, &mut rows) {
            Err(e) if e.kind() == ErrorKind::Gpu => tell!("no adapter: {e}"),
            other => other?,
        }
    }
    let json = serde_json::to_string_pretty(&rows).map_err(|e| Error::usage(e.to_string()))?;
    let table = table(&rows);
    write(args, "ablation.json", &format!("{json}\n"))?;
    write(args, "ablation.md", &table)?;
    write(args, "ablation.svg", &plot::bars(&rows)?)?;
    say!("{table}");
    Ok(())
}

/// A table in Markdown, milliseconds and counts for each motion.
fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| set | θ | on | motions | stages | s1, s2 | s3 | s4 | s5 | s6 | ms | candidates | left | triangles | left | pairs |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for r in rows {
        let kind = if r.colliding { "colliding" } else { "free" };
        let [s1, s2, s3, s4, s5, s6] = r.stage_ms;
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| {} | {}° | {} | {} {kind} | {} | {:.3} | {s3:.3} | {s4:.3} | {s5:.3} | {s6:.3} | {:.3} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
            r.dataset,
            r.theta_max_deg,
            r.device,
            r.motions,
            r.stages,
            s1 + s2,
            r.total_ms,
            r.candidates,
            r.candidates_left,
            r.triangles,
            r.triangles_left,
            r.pairs,
        );
    }
    text
}
