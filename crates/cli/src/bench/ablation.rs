//! The costs and savings of the stages of the paper, one by one, separately for free and for colliding motions; with
//! every form of swept volumes, and with chains.

use super::measured::{Measured, bars, table};
use super::run::Run;
use super::set::{Kind, Set};
use super::{MeasureArgs, on_adapter};
use firstcontact::Result;
use firstcontact::engine::{Backend, Engine, Options, Sweep};
use firstcontact_datasets::DEFAULT_SEED;

/// The machine room at three amplitudes, and chains among obstacles.
const SETS: [&str; 6] = ["amr/1", "amr/30", "amr/60", "chain-10/30", "chain-30/30", "chain-100/30"];
/// A selection for a quick test.
const QUICK: [&str; 2] = ["amr/30", "chain-10/30"];

/// A selection of the paper's stages; 3 always runs.
#[derive(Clone, Copy, Debug)]
pub struct Stages {
    /// 1: the model's tree against the scene's.
    pub cull: bool,
    /// 2: swept volumes.
    pub sweep: Sweep,
}

impl Stages {
    /// The paper's four selections, with `sweep` as the second stage.
    pub fn four(sweep: Sweep) -> [Self; 4] {
        [(true, sweep), (true, Sweep::Off), (false, sweep), (false, Sweep::Off)]
            .map(|(cull, sweep)| Self { cull, sweep })
    }

    /// The numbers as in the paper, such as `1+2+3`.
    pub fn numbers(self) -> String {
        format!("{}{}3", if self.cull { "1+" } else { "" }, if self.sweep == Sweep::Off { "" } else { "2+" })
    }

    /// The numbers with the form of swept volumes.
    fn name(self) -> String {
        self.numbers().replace('2', &format!("2 ({})", self.sweep.name()))
    }
}

/// Measures all selections and kinds on a backend; `most` is the number of motions with the tree and without.
fn measure(run: &mut Run, set: &Set, backend: Backend, most: [usize; 2], rows: &mut Vec<Measured>) -> Result<()> {
    let others = [Sweep::Raster, Sweep::Paper].map(|sweep| Stages { cull: true, sweep });
    for stages in Stages::four(Sweep::Compute).into_iter().chain(others) {
        let options = Options { backend, cull: stages.cull, sweep: stages.sweep, ..Options::default() };
        let engine = Engine::builder(&set.robot, &set.scene).options(options).build()?;
        for kind in Kind::ALL {
            // Without the tree a motion takes seconds.
            let most = most[usize::from(!stages.cull)];
            rows.extend(Measured::of(run, set, &engine, kind, &stages.name(), most)?);
        }
    }
    Ok(())
}

/// Runs the measurement.
pub fn run(args: &MeasureArgs) -> Result<()> {
    let mut run = Run::begin("ablation", "Effect of each stage of the paper", DEFAULT_SEED, !args.cpu_only);
    run.note(
        "Stages as the paper numbers them: 1, the model's tree against the scene's (s3_cull); 2, swept volumes \
         (s4_sweep), in the form in brackets; 3, pairs of triangles and first contact (s5_pairs, s6_solve). Each row \
         is one choice of them; the answers are the same.",
    );
    let (cpu, gpu) = if args.quick { ([10, 1], [4, 1]) } else { ([200, 20], [40, 2]) };
    let mut rows = Vec::new();
    for name in if args.quick { &QUICK[..] } else { &SETS[..] } {
        let set = Set::load(name, &args.folder.path()?)?;
        measure(&mut run, &set, Backend::Cpu, cpu, &mut rows)?;
        on_adapter(args, || measure(&mut run, &set, Backend::Gpu, gpu, &mut rows))?;
        run.datasets.push(set.used(&[]));
        run.tables = vec![table("stages", "Stages left out", "stages", &rows)];
        run.plots = bars(&rows);
        run.write(&args.out)?;
    }
    run.finish(&args.out)
}
