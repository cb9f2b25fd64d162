//! The forms in which the adapter is compared with the CPU.

use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::{Backend, Capacities, Options, Stage, Sweep};
use firstcontact::gpu::Faults;
use firstcontact::stage::s6_solve::{Mode, SolveOptions};

/// Capacities of queues that overflow soon, so that pieces are repeated.
const SMALL: Capacities = Capacities { pieces: 64, boxes: 64, queue: 1 << 14, candidates: 1 << 12, pairs: 1 << 12 };
/// Size of a page of the scene in the configuration with many pages, bytes.
const PAGE_BYTES: u64 = 1 << 16;
/// Margin of the configurations with a margin, metres.
const MARGIN_M: f64 = 0.01;

/// Options of an engine on the adapter, and their name.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// A short name.
    pub name: String,
    /// The options.
    pub options: Options,
}

impl Configuration {
    /// Options of the CPU backend for the same question.
    pub fn on_cpu(&self) -> Options {
        Options { backend: Backend::Cpu, solve: self.options.solve, ..Options::default() }
    }
}

/// All kernels on the adapter.
pub fn on_adapter(adapter: Option<&str>) -> Options {
    Options { backend: Backend::Gpu, adapters: adapter.map(Into::into).into_iter().collect(), ..Options::default() }
}

/// All configurations: all kernels, each stage in turn on the CPU, other forms, and other questions.
pub fn all(adapter: Option<&str>) -> Vec<Configuration> {
    let with = |name: &str, change: &dyn Fn(&mut Options)| {
        let mut options = on_adapter(adapter);
        change(&mut options);
        Configuration { name: name.into(), options }
    };
    let on_device = &Stage::ALL[..Stage::Solve as usize];
    let reference = |stage: &Stage| with(&format!("{} on the CPU", stage.stem()), &|o| o.reference = vec![*stage]);
    let mut all = vec![with("all kernels", &|_| ())];
    all.extend(on_device.iter().map(reference));
    all.extend([
        with("no s4_sweep", &|o| o.sweep = Sweep::Off),
        with("s4_sweep compute", &|o| o.sweep = Sweep::Compute),
        with("s4_sweep raster", &|o| o.sweep = Sweep::Raster),
        with("interval matrices", &|o| o.bound = PoseEnclosure::IntervalMatrix),
        with("short queues", &|o| o.capacities = Some(SMALL)),
        with("16 slabs", &|o| o.slabs = Some(16)),
        with("many pages", &|o| o.faults = Faults { page_bytes: Some(PAGE_BYTES), ..Faults::default() }),
        with("mode verdict", &|o| o.solve = SolveOptions { mode: Mode::Verdict, ..o.solve }),
        with("margin 1 cm", &|o| o.solve = SolveOptions { margin_m: MARGIN_M, ..o.solve }),
    ]);
    all
}
