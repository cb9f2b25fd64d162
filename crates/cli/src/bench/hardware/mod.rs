//! `bench hardware`: a first test of a graphics adapter, in eight minutes: its answers are compared with those of the
//! CPU, then its speed is measured and compared with a model of several graphics processors.

mod agreement;
mod case;
mod configuration;
mod deadline;
mod entries;
mod left_out;
mod model;
mod paths;
mod random;
mod soundness;
mod speed;
mod tables;
mod verdict_cache;

use super::MeasureArgs;
use super::run::{Run, Table};
use super::throughput::{self, Row};
use crate::Outcome;
use case::Source;
use clap::Args;
use deadline::Deadline;
use firstcontact::gpu::{AdapterChoice, AdapterSummary, Gpu};
use firstcontact::{Error, Result};
use firstcontact_datasets::DEFAULT_SEED;
use left_out::LeftOut;
use soundness::{Plan, Soundness};
use std::path::PathBuf;

/// Arguments of `bench hardware`.
#[derive(Debug, Args)]
// This command measures adapters, so it refuses the option.
#[command(mut_arg("cpu_only", |arg| arg.hide(true)))]
pub struct HardwareArgs {
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// Time limit for all parts together, seconds; parts that are skipped for lack of time are listed
    #[arg(long, value_name = "S", default_value_t = 480.0)]
    limit: f64,
    /// Measure the graphics adapter whose name contains this text
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// Also measure scenes of 6, 54 and 535 machine rooms, up to N: a million triangles, ten million, a hundred million
    #[arg(long, value_name = "N", default_value_t = 54)]
    scale: u64,
    /// Also compare answers on a folder with known truth, as for `bench peers`; by default puma-pool in
    /// FIRSTCONTACT_DATA, if it exists
    #[arg(long, value_name = "DIR")]
    pool: Option<PathBuf>,
    /// The folder of the peers' programs, created by `benches/peers/setup.sh VENV DIR`, for coal on all cores
    #[arg(long, value_name = "DIR")]
    peers: Option<PathBuf>,
}

/// Time of a quick test, seconds.
const QUICK_S: f64 = 40.0;
/// The planned share of the time: the last step of a part may take longer.
const PLANNED: f64 = 0.9;
/// Shares of the parts in the remaining time: comparisons, work of each question, throughput, scale. The rest is for
/// coal.
const SHARES: [f64; 4] = [0.5, 0.4, 0.6, 0.7];
/// Numbers of compared motions of each set, and of random ones.
const COMPARED: [usize; 2] = [1000, 10];
const SETS: [Source; 5] =
    [Source::Set("pipes/30"), Source::Random(1), Source::Set("amr/30"), Source::Set("chain-10/30"), Source::Random(2)];
const QUICK: [Source; 2] = [Source::Set("pipes/30"), Source::Random(1)];

/// The rate of coal on all cores.
struct Coal {
    set: String,
    per_second: Option<f64>,
    /// The method, or the reason why it was not measured.
    remark: String,
}

/// A measurement in progress.
struct Bench<'a> {
    args: &'a HardwareArgs,
    folder: PathBuf,
    run: Run,
    /// Notes that do not depend on the results.
    notes: Vec<String>,
    summary: AdapterSummary,
    soundness: Soundness,
    left_out: LeftOut,
    /// The work of each question.
    paths: Vec<paths::Measured>,
    rows: Vec<Row>,
    /// Rows of scenes of different sizes.
    scaled: Vec<Row>,
    coal: Vec<Coal>,
}

/// Runs the measurement; `Refused` if the adapter contradicts the CPU.
pub fn run(args: &HardwareArgs) -> Result<Outcome> {
    let mut bench = Bench::new(args)?;
    let limit_s = if args.measure.quick { args.limit.min(QUICK_S) } else { args.limit };
    let whole = Deadline::after_s(PLANNED * limit_s);
    bench.compare_answers(whole.share(SHARES[0]))?;
    bench.paths(whole.share(SHARES[1]))?;
    bench.throughput(whole.share(SHARES[2]))?;
    bench.scale(whole.share(SHARES[3]))?;
    bench.coal(whole)?;
    bench.put_down()?;
    let soundness = &bench.soundness;
    let (outcome, n_compared) = (soundness.outcome(), soundness.n_compared());
    bench.run.finish(&args.measure.out)?;
    if n_compared == 0 && outcome == Outcome::Free {
        return Err(Error::usage(format!("nothing was compared within {limit_s} s, so the adapter was not tested"))
            .remedy("raise --limit, and see the table of what was left out"));
    }
    Ok(outcome)
}

impl<'a> Bench<'a> {
    fn new(args: &'a HardwareArgs) -> Result<Self> {
        if args.scale == 0 || !(args.limit > 0.0) {
            return Err(Error::usage("--scale and --limit must be above zero"));
        }
        if args.measure.cpu_only {
            return Err(Error::usage("--cpu-only leaves out the adapter that this command measures")
                .remedy("leave the option out, or use bench throughput"));
        }
        let choice = AdapterChoice { name: args.adapter.clone(), ..AdapterChoice::default() };
        let summary = Gpu::open(&choice)?.summary().clone();
        let mut run = Run::begin("hardware", "A graphics adapter: soundness and speed", DEFAULT_SEED, true);
        Ok(Self {
            args,
            folder: args.measure.folder.path()?,
            notes: std::mem::take(&mut run.notes),
            run,
            summary,
            soundness: Soundness::default(),
            left_out: LeftOut::default(),
            paths: Vec::new(),
            rows: Vec::new(),
            scaled: Vec::new(),
            coal: Vec::new(),
        })
    }

    /// The part of the adapter's name that the user gave.
    fn adapter(&self) -> Option<&'a str> {
        self.args.adapter.as_deref()
    }

    fn compare_answers(&mut self, deadline: Deadline) -> Result<()> {
        let quick = self.args.measure.quick;
        let mut sources = if quick { QUICK.to_vec() } else { SETS.to_vec() };
        sources.extend(self.pool().map(Source::Pool));
        let n = COMPARED[usize::from(quick)];
        let plan = Plan { sources: &sources, folder: &self.folder, n, adapter: self.adapter() };
        self.soundness.run(plan, deadline, &mut self.left_out)?;
        self.put_down()
    }

    /// The folder with known truth: the given one, or that of the public data unless the test is quick.
    fn pool(&self) -> Option<PathBuf> {
        let data = std::env::var_os("FIRSTCONTACT_DATA").filter(|_| !self.args.measure.quick);
        let public = data.map(|folder| PathBuf::from(folder).join("puma-pool")).filter(|pool| pool.is_dir());
        self.args.pool.clone().or(public)
    }

    /// Writes the results so far: the next part may take long.
    fn put_down(&mut self) -> Result<()> {
        let name = &self.summary.name;
        self.run.notes = [tables::findings(&self.soundness, &self.summary), self.notes.clone()].concat();
        let scaled = (!self.scaled.is_empty()).then(|| Table {
            id: "scale".into(),
            title: "Scenes of different sizes".into(),
            ..throughput::table(&self.scaled)
        });
        let tables = [
            tables::faults(&self.soundness),
            Some(tables::adapter(&self.summary)),
            tables::compared(&self.soundness),
            tables::devices(&self.rows, &self.coal, name, self.run.machine.threads),
            tables::utilisation(&self.rows, name),
            paths::stages(&self.paths, name),
            paths::rates(&self.paths, name),
            paths::kernels(&self.paths)?,
            (!self.rows.is_empty()).then(|| throughput::table(&self.rows)),
            scaled,
            self.left_out.table(),
        ];
        self.run.tables = tables.into_iter().flatten().collect();
        let shown = [tables::shares_plot(&self.rows, name), tables::scale_plot(&self.scaled)];
        self.run.plots = throughput::plots(&self.rows).into_iter().chain(shown.into_iter().flatten()).collect();
        self.run.write(&self.args.measure.out)
    }
}
