//! A model of the time that graphics processors need, from counts of the work and published figures. Predictions are
//! listed next to measurements, so that the first run on hardware shows where the model is wrong.
//!
//! The time of a kernel is that of its launches plus the longest of three: operations, memory, and atomic operations,
//! as if all of them were on one word. They are counted while the kernels run ([`Executed`]): a wave of 32
//! invocations issues the operations of all its lanes, idle ones included. No access is answered by a cache.

mod gpu;

pub use gpu::{GPUS, GpuFigures};

use firstcontact::Result;
use firstcontact::engine::{Executed, KernelWork, Stage, Stats};
use firstcontact::gpu::KernelCost;
use firstcontact::gpu::shader::Source;
use firstcontact::stage::KERNELS;
use gpu::{ATOMICS_PER_CLOCK, DEPENDENT_CLOCKS, LAUNCH_S, ROUND_TRIP_S};
use std::collections::BTreeMap;
use std::fmt;

/// A resource that limits the time of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Launches,
    Operations,
    Memory,
    Atomics,
    Transfer,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Launches => "launches",
            Self::Operations => "operations",
            Self::Memory => "memory",
            Self::Atomics => "atomics",
            Self::Transfer => "bus",
        })
    }
}

/// The parts of a predicted time, seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Predicted {
    launches: f64,
    operations: f64,
    memory: f64,
    atomics: f64,
    transfer: f64,
    total: f64,
}

impl Predicted {
    /// The time, seconds.
    pub fn seconds(self) -> f64 {
        self.total
    }

    /// The largest part.
    pub fn bound(self) -> Bound {
        let parts = [
            (self.launches, Bound::Launches),
            (self.operations, Bound::Operations),
            (self.memory, Bound::Memory),
            (self.atomics, Bound::Atomics),
            (self.transfer, Bound::Transfer),
        ];
        parts
            .into_iter()
            .reduce(|most, part| if part.0 > most.0 { part } else { most })
            .map_or(Bound::Launches, |m| m.1)
    }

    fn plus(self, other: Self) -> Self {
        Self {
            launches: self.launches + other.launches,
            operations: self.operations + other.operations,
            memory: self.memory + other.memory,
            atomics: self.atomics + other.atomics,
            transfer: self.transfer + other.transfer,
            total: self.total + other.total,
        }
    }

    /// The time of a kernel.
    fn of_kernel(gpu: &GpuFigures, work: KernelWork) -> Self {
        let clock = gpu.clock_ghz * 1e9;
        let invocations = work.invocations as f64;
        let in_dispatch = invocations / work.dispatches.max(1) as f64;
        // Too few invocations leave lanes idle while their operations depend on each other.
        let busy = gpu.lanes.min(in_dispatch / DEPENDENT_CLOCKS).max(1.0);
        let Executed { issued_operations, loaded_bytes, stored_bytes, atomics, .. } = work.executed;
        let bytes = (loaded_bytes + stored_bytes) as f64;
        let launches = work.dispatches as f64 * LAUNCH_S;
        let operations = issued_operations as f64 / (clock * busy);
        let memory = bytes / (gpu.memory_gb_s * 1e9);
        let atomics = atomics as f64 / (clock * ATOMICS_PER_CLOCK);
        let total = launches + operations.max(memory).max(atomics);
        Self { launches, operations, memory, atomics, transfer: 0.0, total }
    }
}

/// The part of the work to which a kernel belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Kernels that compute the arguments of others.
    Arguments,
    /// The kernels of a stage.
    Of(Stage),
    /// Copies to and from the device.
    Transfer,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Arguments => f.write_str("indirect_args"),
            Self::Of(stage) => f.write_str(stage.stem()),
            Self::Transfer => f.write_str("transfer"),
        }
    }
}

impl Part {
    /// The part of a kernel, given by the stem of its file and its entry point.
    pub fn of([stem, entry]: [&str; 2]) -> Self {
        match stem {
            "indirect_args" => Self::Arguments,
            "link_pairs" if entry == "near" => Self::Of(Stage::Bound),
            "link_pairs" => Self::Of(Stage::Concat),
            "margin_probe" => Self::Of(Stage::Cull),
            "s4_sweep_raster" => Self::Of(Stage::Sweep),
            stem => Self::Of(Stage::from_stem(stem).unwrap_or(Stage::Pairs)),
        }
    }
}

/// The work of one invocation of each kernel at most, by the stem of the file and the entry point.
#[derive(Debug)]
pub struct Costs(BTreeMap<[&'static str; 2], KernelCost>);

impl Costs {
    /// Counts the kernels' sources, for options with or without a margin.
    ///
    /// # Errors
    /// A source is invalid.
    pub fn new(has_margin: bool) -> Result<Self> {
        let cost = |kernel: &firstcontact::stage::kernel::Kernel| {
            let source = Source::expand(kernel.stem, kernel.source)?;
            let cost = KernelCost::of(&source, kernel.entry, &[("HAS_MARGIN", has_margin)])?;
            Ok(([kernel.stem, kernel.entry], cost))
        };
        KERNELS.iter().map(cost).collect::<Result<_>>().map(Self)
    }

    /// The cost of a kernel. Kernels that draw are not counted.
    pub fn of(&self, kernel: [&str; 2]) -> KernelCost {
        self.0.get(&kernel).copied().unwrap_or_default()
    }
}

/// The predicted time of each part of some work.
pub fn predict(gpu: &GpuFigures, stats: &Stats) -> BTreeMap<Part, Predicted> {
    let mut parts: BTreeMap<Part, Predicted> = BTreeMap::new();
    for (kernel, work) in &stats.kernels {
        let part = parts.entry(Part::of(*kernel)).or_default();
        *part = part.plus(Predicted::of_kernel(gpu, *work));
    }
    let device = &stats.device;
    let bytes = (device.uploaded_bytes + device.read_bytes) as f64;
    let cleared = device.cleared_bytes as f64 / (gpu.memory_gb_s * 1e9);
    let transfer = bytes / (gpu.bus_gb_s * 1e9) + cleared + device.submissions as f64 * ROUND_TRIP_S;
    parts.insert(Part::Transfer, Predicted { transfer, total: transfer, ..Predicted::default() });
    parts
}

/// The figures of an adapter, if its name contains one of theirs.
pub fn figures_of(adapter: &str) -> Option<&'static GpuFigures> {
    GPUS.iter().find(|gpu| adapter.contains(gpu.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use firstcontact::engine::DeviceWork;

    fn stats(kernel: [&'static str; 2], work: KernelWork, device: DeviceWork) -> Stats {
        Stats { kernels: [(kernel, work)].into(), device, ..Stats::default() }
    }

    #[test]
    fn each_limit_is_found() {
        let gpu = figures_of("NVIDIA H200").unwrap();
        let bound = |work| {
            let stats = stats(["s5_pairs", "test_pairs"], work, DeviceWork::default());
            predict(gpu, &stats)[&Part::Of(Stage::Pairs)].bound()
        };
        let work = |dispatches, invocations, atomics| {
            let executed = Executed { atomics, ..Executed::default() };
            KernelWork { dispatches, invocations, executed, ..KernelWork::default() }
        };
        assert_eq!(bound(work(100, 100, 0)), Bound::Launches);
        assert_eq!(bound(work(1, 64, 100_000_000)), Bound::Atomics);
        let many = work(1, 100_000_000, 0);
        let operations = Executed { issued_operations: 100_000_000_000, ..Executed::default() };
        assert_eq!(bound(KernelWork { executed: operations, ..many }), Bound::Operations);
        let memory = Executed { loaded_bytes: 100_000_000_000, ..operations };
        assert_eq!(bound(KernelWork { executed: memory, ..many }), Bound::Memory);
    }

    #[test]
    fn transfer_time_is_bytes_over_bus_bandwidth() {
        let device = DeviceWork { uploaded_bytes: 63_000_000, ..DeviceWork::default() };
        let stats = stats(["s1_concat", "jet"], KernelWork::default(), device);
        let parts = predict(figures_of("H200").unwrap(), &stats);
        assert!((parts[&Part::Transfer].seconds() - 1e-3).abs() < 1e-9);
        assert_eq!(parts[&Part::Transfer].bound(), Bound::Transfer);
        assert_eq!(parts[&Part::Of(Stage::Concat)].seconds(), 0.0);
    }

    #[test]
    fn every_kernel_belongs_to_its_stage_and_a_margin_costs_operations() {
        for kernel in &KERNELS {
            let part = Part::of([kernel.stem, kernel.entry]);
            let known = Stage::from_stem(kernel.stem).ok().map(Part::Of);
            assert!(known.is_none_or(|stage| stage == part), "{kernel:?} {part}");
        }
        assert_eq!(Part::of(["indirect_args", "write_args"]), Part::Arguments);
        assert_eq!(Part::of(["link_pairs", "near"]), Part::Of(Stage::Bound));
        let [without, with] = [false, true].map(|margin| Costs::new(margin).unwrap().of(["s5_pairs", "test_pairs"]));
        assert!(with.operations > without.operations && without.operations > 0);
    }

    #[test]
    fn few_invocations_leave_lanes_idle() {
        let gpu = &GPUS[0];
        let time = |invocations| {
            let executed = Executed { issued_operations: 1000 * invocations, ..Executed::default() };
            let work = KernelWork { dispatches: 1, invocations, executed, ..KernelWork::default() };
            Predicted::of_kernel(gpu, work).operations
        };
        // As long as lanes are idle, more invocations cost no time.
        assert!((time(100) - time(10_000)).abs() < 1e-12);
        assert!((time(100_000_000) / time(10_000_000) - 10.0).abs() < 1e-6);
        assert_eq!(figures_of("llvmpipe (LLVM 15.0.6, 256 bits)"), None);
    }
}
