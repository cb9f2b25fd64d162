//! Kernels that count what they execute: the counts are those of an example that can be counted by hand, and answers
//! do not change.

use crate::harness::gpu::skip;
use crate::harness::models::{self, Draw, RobotKind};
use firstcontact::MotionBatch;
use firstcontact::engine::{Backend, Engine, Executed, Options, Stage, Stats, Sweep};
use firstcontact::gpu::shader::Source;
use firstcontact::gpu::{
    AdapterChoice, BufferId, Buffers, CountedRegions, Dispatch, Gpu, INDIRECT_ARGS, MAX_REGION_WORDS, WorkSize,
};
use firstcontact::robot::{LinkPairs, Robot};
use firstcontact::scene::Scene;
use firstcontact::stage::kernel::Kernel;
use firstcontact::stage::layout::Routing;

/// 100 of 128 invocations go through a loop up to three times, and one of 32 multiplies.
const SOURCE: &str = "@group(0) @binding(0) var<storage, read_write> items: array<u32>;\n\
    fn is_first(lane: u32) -> bool { return lane % 32u == 0u; }\n\
    @compute @workgroup_size(64)\n\
    fn count(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) local: u32) {\n\
    let id = workgroup.x * 64u + local;\n\
    if id >= 100u { return; }\n\
    for (var i = 0u; i < id % 4u; i++) { items[id] += 1u; }\n\
    if is_first(local) { items[id] = items[id] * 3u; }\n\
    }\n";

fn executed(body: &'static str) -> Executed {
    let gpu = Gpu::open(&AdapterChoice::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut regions = CountedRegions::default();
    let source = regions.count(&Source::expand("example", body).unwrap(), ["example", "count"]).unwrap();
    let kernel = Kernel { stem: "example", source: body, entry: "count" };
    let [kernel, args] = [gpu.compile_source(&kernel, &source), gpu.compile(&INDIRECT_ARGS)].map(Result::unwrap);
    let mut buffers = Buffers::new(&gpu).unwrap();
    buffers.reserve(&gpu, BufferId::Items, 4 * 128).unwrap();
    buffers.reserve(&gpu, BufferId::RegionCounts, 4 * MAX_REGION_WORDS as u64).unwrap();
    buffers.set_routings(&gpu, &[Routing::default()]).unwrap();
    let dispatch = Dispatch { kernel: &kernel, routing: 0, size: WorkSize::Invocations(128), stage: 0 };
    let reads = [(BufferId::RegionCounts, 4 * regions.n_words() as u64)];
    let read = gpu.submit(&buffers, &args, &[], &[dispatch], &reads).unwrap().wait(&gpu).unwrap();
    regions.executed(&read.data[0]).next().unwrap().1
}

#[test]
fn rounds_and_branches_are_counted() {
    if skip() {
        return;
    }
    let counts = executed(SOURCE);
    // The remainders of 0 to 99 divided by 4 add up to 150 rounds; lanes 0, 32, 64 and 96 multiply.
    let bytes = 4 * (150 + 4);
    assert_eq!((counts.loaded_bytes, counts.stored_bytes), (bytes, bytes));
    // All lanes compute and compare their number. The others' work: the test of the loop, one more than rounds; two
    // additions in a round; a remainder, a comparison; a multiplication.
    let special = 4;
    let [number, test, round, is_first, multiply] = [3, special + 1, 2, special + 1, 1];
    assert_eq!(counts.operations, 128 * number + 250 * test + 150 * round + 100 * is_first + 4 * multiply);
    // Four waves, of which one has four lanes with work; the longest of each is in the loop three times.
    let issued = 128 * (number + 4 * test + 3 * round + is_first + multiply);
    assert_eq!(counts.issued_operations, issued);
    let share = counts.active_lanes().unwrap();
    assert!((share - counts.operations as f64 / issued as f64).abs() < 1e-12);
}

/// A robot among triangles, and `n` motions.
fn models_and_motions(seed: u64, n: usize) -> (Robot, Scene, MotionBatch) {
    let mut draw = Draw::new(seed);
    let kind = RobotKind { n_bodies: 5, link_m: 0.4, n_triangles: 4, mixed: false };
    let robot = models::robot(&mut draw, kind);
    let scene = models::scene(&mut draw, 20, 3.0, 0.2);
    let ends = (0..n).flat_map(|_| {
        let (q0, q1) = models::motion(&mut draw, &robot, 0.5, 0.1);
        [q0, q1].concat()
    });
    let motions = MotionBatch::from_flat(n, robot.columns.len(), ends.collect()).unwrap();
    (robot, scene, motions)
}

#[test]
fn answers_do_not_change_and_every_kernel_is_counted() {
    if skip() {
        return;
    }
    let (robot, scene, motions) = models_and_motions(81, 24);
    let [plain, counting] = [false, true].map(|count_executed| {
        let mut options =
            Options { backend: Backend::Gpu, sweep: Sweep::Compute, count_executed, ..Options::default() };
        options.solve.margin_m = 0.001;
        let pairs = LinkPairs::all_but_adjacent(&robot);
        let engine = Engine::builder(&robot, &scene).options(options).link_pairs(pairs).build().unwrap();
        // The second time, nothing is left of the first.
        [engine.check(&motions).unwrap(), engine.check(&motions).unwrap()]
    });
    assert_eq!(plain[0].verdicts, counting[0].verdicts);
    for (kernel, work) in &counting[0].stats.kernels {
        assert!(plain[0].stats.kernels[kernel].executed.is_zero(), "{kernel:?}");
        assert!(work.invocations == 0 || !work.executed.is_zero(), "{kernel:?} {work:?}");
        assert!(work.executed.operations <= work.executed.issued_operations, "{kernel:?} {work:?}");
    }
    // The work of other kernels depends on the order in which contacts are found.
    let of_bounds = |kernel: &[&str; 2]| ["s1_concat", "s2_bound"].contains(&kernel[0]);
    let [first, second] = [0, 1].map(|i| counting[i].stats.kernels.iter().filter(|(kernel, _)| of_bounds(kernel)));
    assert!(first.eq(second), "counts are added up");
    assert!(counting[0].stats.kernels.len() > 10, "{:?}", counting[0].stats.kernels.keys());
}

/// The times of the kernels add up to those of the stages, and measuring them changes no answer.
#[test]
fn kernels_are_timed_one_by_one() {
    if skip() {
        return;
    }
    let (robot, scene, motions) = models_and_motions(82, 40);
    let [plain, timed] = [false, true].map(|time_kernels| {
        let options = Options { backend: Backend::Gpu, sweep: Sweep::Compute, time_kernels, ..Options::default() };
        Engine::builder(&robot, &scene).options(options).build().unwrap().check(&motions).unwrap()
    });
    assert_eq!(plain.verdicts, timed.verdicts);
    let of_kernels = |stats: &Stats| stats.kernels.values().map(|work| work.seconds).sum::<f64>();
    let of_stages: f64 = timed.stats.stages[..Stage::Solve as usize].iter().map(|stage| stage.seconds).sum();
    assert_eq!(of_kernels(&plain.stats), 0.0);
    assert!((of_kernels(&timed.stats) - of_stages).abs() <= 1e-9 * of_stages, "{of_stages} s");
    // Adapters without a clock measure nothing.
    if of_stages > 0.0 {
        let untimed: Vec<_> = timed.stats.kernels.iter().filter(|(_, work)| work.seconds == 0.0).collect();
        assert!(untimed.iter().all(|(kernel, _)| kernel[0] == "indirect_args"), "{untimed:?}");
    }
}
