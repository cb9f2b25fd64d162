//! The adapter's work on the same motions as different questions, for the model of its time.

use super::super::set::Set;
use super::model::{Costs, GPUS, GpuFigures, Part, Predicted, figures_of, predict};
use super::{Bench, Deadline, configuration};
use crate::bench::run::{Cell, Column, Table};
use firstcontact::engine::{Engine, Executed, KernelWork, Options, Stage, Stats, Sweep};
use firstcontact::robot::{LinkPairs, Trajectory};
use firstcontact::stage::s6_solve::Mode;
use firstcontact::{Error, MotionBatch, Result};
use std::collections::BTreeMap;

/// The set whose motions are checked.
const SET: &str = "pipes/30";
/// Repetitions of the set's motions: as many as about fill a chunk, so that each motion has its share of the launches.
const REPEATS: usize = 4;
/// Margin of the path with a margin, metres.
const MARGIN_M: f64 = 0.005;

/// The work of a path.
#[derive(Debug)]
pub struct Measured {
    name: &'static str,
    has_margin: bool,
    stats: Stats,
}

/// Motions as trajectories that start and end at rest.
fn trajectories(motions: &MotionBatch) -> Result<Vec<Trajectory>> {
    let at_rest = vec![0.0; motions.n_columns()];
    let trajectory = |i: usize| {
        let mut trajectory = Trajectory::new(motions.start(i))?;
        trajectory.cubic_to(1.0, &at_rest, &at_rest, motions.end(i))?;
        Ok(trajectory)
    };
    (0..motions.len()).map(trajectory).collect()
}

impl Bench<'_> {
    /// Counts the adapter's work for each question.
    pub fn paths(&mut self, deadline: Deadline) -> Result<()> {
        let Set { robot, scene, motions: once, .. } = Set::load(SET, &self.folder)?;
        let mut motions = once.clone();
        let repeats = if self.args.measure.quick { 1 } else { REPEATS };
        (1..repeats).try_for_each(|_| motions.append(&once))?;
        // The form of swept-volume culling that is usually best, so that the work is the same in every run.
        let options = Options { sweep: Sweep::Off, ..configuration::on_adapter(self.adapter()) };
        let with = |change: &dyn Fn(&mut Options)| {
            let mut options = options.clone();
            change(&mut options);
            options
        };
        let link_pairs = LinkPairs::all_but_adjacent(&robot);
        let paths = [
            ("first contacts", options.clone(), LinkPairs::none()),
            ("verdicts alone", with(&|o| o.solve.mode = Mode::Verdict), LinkPairs::none()),
            ("margin 5 mm", with(&|o| o.solve.margin_m = MARGIN_M), LinkPairs::none()),
            ("links against links", options.clone(), link_pairs),
            (TRAJECTORIES, options.clone(), LinkPairs::none()),
        ];
        let trajectories = trajectories(&motions)?;
        for (name, options, link_pairs) in paths {
            if self.left_out.is_over(deadline, || format!("work of {name}")) {
                continue;
            }
            let has_margin = options.solve.margin_m > 0.0;
            let check = |options: Options, rounds| {
                let engine = Engine::builder(&robot, &scene).options(options).link_pairs(link_pairs.clone()).build()?;
                let mut stats = Stats::default();
                for _ in 0..rounds {
                    stats = if name == TRAJECTORIES {
                        engine.check_trajectories(&trajectories, &[], &mut |_, _| Ok(()))?
                    } else {
                        engine.check(&motions)?.stats
                    };
                }
                Ok::<Stats, Error>(stats)
            };
            // The first round creates the buffers.
            let mut stats = check(options.clone(), 2)?;
            for (kernel, work) in check(Options { time_kernels: true, ..options.clone() }, 2)?.kernels {
                stats.kernels.entry(kernel).or_default().seconds = work.seconds;
            }
            match check(Options { count_executed: true, ..options.clone() }, 1) {
                Ok(counting) => counting
                    .kernels
                    .into_iter()
                    .for_each(|(kernel, work)| stats.kernels.entry(kernel).or_default().executed += work.executed),
                // Some adapters do not bind the additional buffer for the counts.
                Err(error) => {
                    self.left_out.add(format!("work of {name}"), error.to_string());
                    continue;
                }
            }
            stats.motions = motions.len() as u64;
            self.paths.push(Measured { name, has_margin, stats });
            tell!("{name}: {} kinds of kernels", self.paths.last().map_or(0, |path| path.stats.kernels.len()));
        }
        self.put_down()
    }
}

const TRAJECTORIES: &str = "trajectories";

/// The processors of the tables: the adapter first, if its figures are known.
fn processors(adapter: &str) -> Vec<&'static GpuFigures> {
    let own = figures_of(adapter);
    own.into_iter().chain(GPUS.iter().filter(|gpu| Some(*gpu) != own)).collect()
}

/// The predictions for a path: parts by processor.
fn predictions(path: &Measured, gpus: &[&GpuFigures]) -> Vec<BTreeMap<Part, Predicted>> {
    gpus.iter().map(|gpu| predict(gpu, &path.stats)).collect()
}

/// Predicted and measured times of each path and stage, with the limiting resources.
pub fn stages(paths: &[Measured], adapter: &str) -> Option<Table> {
    let gpus = processors(adapter);
    let mut columns = vec![
        Column::text("path", "The question."),
        Column::text("part", "A stage of the kernels, or the copies to and from the device."),
        Column::number("dispatches", "", 0, "For all motions."),
        Column::number("invocations", "thousands", 1, "For all motions."),
        Column::number("entries", "thousands", 1, "Appended to queues."),
        Column::number("atomics", "thousands", 1, "Atomic operations on storage buffers."),
        Column::number("active lanes", "%", 0, "Of the lanes of the waves that execute an operation, at most."),
        Column::number("measured", "µs", 1, "For a motion, by the adapter's clock."),
    ];
    columns.extend(gpus.iter().map(|gpu| Column::text(gpu.name, "Predicted µs for a motion, and the largest part.")));
    let n_motions = paths.first().map_or(0, |path| path.stats.motions);
    let note = format!(
        "{SET}, {n_motions} motions in a batch. Operations, bytes and atomics are counted while the kernels run, in \
         waves of 32 invocations; no access is answered by a cache. A launch takes 3 µs, a round trip 20 µs."
    );
    let mut table = Table::new("model", "Times by stage: the model and the measurement", &note, columns);
    for path in paths {
        let (stats, n) = (&path.stats, path.stats.motions.max(1) as f64);
        let of_gpus = predictions(path, &gpus);
        let parts: Vec<Part> = of_gpus.first().map_or(Vec::new(), |parts| parts.keys().copied().collect());
        for part in parts {
            let works = stats.kernels.iter().filter(|(kernel, _)| Part::of(**kernel) == part).map(|(_, work)| work);
            let mut sum = KernelWork::default();
            works.for_each(|work| sum += *work);
            let measured = match part {
                Part::Of(stage) => Some(1e6 * stats.stages[stage as usize].seconds / n).filter(|us| *us > 0.0),
                Part::Arguments | Part::Transfer => None,
            };
            let predicted = of_gpus.iter().map(|parts| {
                let of_part = parts.get(&part).copied().unwrap_or_default();
                Cell::from(format!("{:.3} {}", 1e6 * of_part.seconds() / n, of_part.bound()))
            });
            let name = part.to_string();
            let thousands = |count: u64| Cell::from(count as f64 / 1e3);
            let mut cells: Vec<Cell> = vec![path.name.into(), name.into(), (sum.dispatches as usize).into()];
            cells.extend([thousands(sum.invocations), thousands(sum.queue_entries), thousands(sum.executed.atomics)]);
            cells.extend([active_lanes(sum.executed), measured.into()]);
            cells.extend(predicted);
            table.row(cells);
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

/// The active lanes, per cent.
fn active_lanes(executed: Executed) -> Cell {
    executed.active_lanes().map(|share| 100.0 * share).into()
}

/// The kernels of the first path: the work of an invocation, and all of it.
///
/// # Errors
/// A kernel cannot be counted.
pub fn kernels(paths: &[Measured]) -> Result<Option<Table>> {
    let Some(path) = paths.first() else { return Ok(None) };
    let columns = vec![
        Column::text("kernel", "The file in wgsl/, and the entry point."),
        Column::number("dispatches", "", 0, "For all motions."),
        Column::number("invocations", "", 1, "For a motion."),
        Column::number("operations", "", 0, "Executed by an average invocation."),
        Column::number("at most", "operations", 0, "If all branches are taken, and loops have one round."),
        Column::number("active lanes", "%", 0, "Of the lanes of the waves that execute an operation, at most."),
        Column::number("bytes", "", 0, "Read and written by an average invocation."),
        Column::number("workgroup memory", "bytes", 0, "Of 64 invocations: it limits how many run at the same time."),
        Column::number("operations in all", "thousands", 1, "For a motion."),
        Column::number("time", "µs", 3, "For a motion, by the adapter's clock, each dispatch on its own."),
    ];
    let note = format!("{SET}, {}. Divisions and roots count as four operations.", path.name);
    let mut table = Table::new("kernels", "The work of the kernels", &note, columns);
    let (costs, n) = (Costs::new(path.has_margin)?, path.stats.motions.max(1) as f64);
    for (kernel, work) in &path.stats.kernels {
        let (cost, executed) = (costs.of(*kernel), work.executed);
        let of_invocation = |count: u64| Cell::from(count as f64 / work.invocations.max(1) as f64);
        let [stem, entry] = kernel;
        table.row([
            Cell::from(format!("{stem}::{entry}")),
            work.dispatches.into(),
            (work.invocations as f64 / n).into(),
            of_invocation(executed.operations),
            cost.operations.into(),
            active_lanes(executed),
            of_invocation(executed.loaded_bytes + executed.stored_bytes),
            cost.workgroup_bytes.into(),
            (executed.operations as f64 / n / 1e3).into(),
            Some(1e6 * work.seconds / n).filter(|us| *us > 0.0).into(),
        ]);
    }
    Ok((!table.rows.is_empty()).then_some(table))
}

/// The predicted rate of each path, and the CPU cores that the exact stage needs for it.
pub fn rates(paths: &[Measured], adapter: &str) -> Option<Table> {
    let gpus = processors(adapter);
    let mut columns = vec![
        Column::text("path", "The question."),
        Column::number("exact stage", "µs", 1, "Time of a CPU core for a motion, as measured on this machine."),
    ];
    for gpu in &gpus {
        columns.push(Column::number(gpu.name, "motions/s", 0, "Predicted, if the exact stage keeps up."));
        columns.push(Column::number("cores", "", 1, "CPU cores at which the exact stage keeps up with this rate."));
    }
    let note = "The device works on one chunk while the CPU works on another, so the slower of both determines the \
                rate. Cores as on this machine.";
    let mut table = Table::new("predicted-rates", "Predicted rates, and the cores of the exact stage", note, columns);
    for path in paths {
        let n = path.stats.motions.max(1) as f64;
        let exact_s = path.stats.stages[Stage::Solve as usize].seconds / n;
        let mut cells: Vec<Cell> = vec![path.name.into(), (1e6 * exact_s).into()];
        for parts in predictions(path, &gpus) {
            let device_s = parts.values().map(|part| part.seconds()).sum::<f64>() / n;
            cells.extend([(1.0 / device_s).into(), (exact_s / device_s).into()]);
        }
        table.row(cells);
    }
    (!table.rows.is_empty()).then_some(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured() -> Measured {
        let executed = Executed { operations: 8_000_000, issued_operations: 16_000_000, ..Executed::default() };
        let work = KernelWork { dispatches: 2, invocations: 64_000, queue_entries: 10, seconds: 1e-3, executed };
        let kernels = [(["s5_pairs", "seed"], work), (["s1_concat", "jet"], work)].into();
        let mut stats = Stats { motions: 100, kernels, ..Stats::default() };
        stats.stage(Stage::Solve).seconds = 1e-3;
        stats.stage(Stage::Pairs).seconds = 2e-3;
        Measured { name: "first contacts", has_margin: false, stats }
    }

    #[test]
    fn the_adapter_comes_first_if_its_figures_are_known() {
        assert_eq!(processors("NVIDIA GeForce RTX 4090")[0].name, "RTX 4090");
        assert_eq!(processors("llvmpipe").len(), GPUS.len());
        assert_eq!(processors("NVIDIA H100").len(), GPUS.len());
    }

    #[test]
    fn each_part_has_a_row_with_its_measurement() {
        let table = stages(&[measured()], "llvmpipe").unwrap();
        let parts: Vec<&Cell> = table.rows.iter().map(|row| &row[1]).collect();
        assert_eq!(parts, [&Cell::from("s1_concat"), &Cell::from("s5_pairs"), &Cell::from("transfer")]);
        assert_eq!((&table.rows[1][7], &table.rows[0][7]), (&Cell::Number(20.0), &Cell::Empty));
        assert_eq!((&table.rows[1][6], &table.rows[2][6]), (&Cell::Number(50.0), &Cell::Empty));
        assert!(stages(&[], "llvmpipe").is_none());
    }

    #[test]
    fn kernels_are_listed_with_their_work() {
        let table = kernels(&[measured()]).unwrap().unwrap();
        assert_eq!(table.rows.len(), 2);
        assert_eq!((&table.rows[0][0], &table.rows[0][2]), (&Cell::from("s1_concat::jet"), &Cell::Number(640.0)));
        assert_eq!((&table.rows[0][3], &table.rows[0][5]), (&Cell::Number(125.0), &Cell::Number(50.0)));
        assert_eq!(&table.rows[0][9], &Cell::Number(10.0));
        assert!(kernels(&[]).unwrap().is_none());
    }

    #[test]
    fn cores_are_the_ratio_of_both_times() {
        let table = rates(&[measured()], "llvmpipe").unwrap();
        let [Cell::Number(exact_us), Cell::Number(rate), Cell::Number(cores)] = &table.rows[0][1..4] else { panic!() };
        assert!((exact_us - 10.0).abs() < 1e-9 && (cores - 1e-6 * exact_us * rate).abs() < 1e-9);
    }
}
