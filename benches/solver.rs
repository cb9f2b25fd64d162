//! The paper's solver against the engine's own: what it costs to reject a pair of triangles (fifteen elementary equations),
//! solved with a thousand others, and to find a first contact, for chains of several depths and motions of several sizes.

#![allow(missing_docs, reason = "criterion's macros make functions without comments")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use firstcontact::model::robot::{ColumnKind, Drive, Joint, JointKind, Robot};
use firstcontact::model::scene::Scene;
use firstcontact::model::world::World;
use firstcontact::motion::ModelMotion;
use firstcontact::numeric::lanes::Lanes;
use firstcontact::numeric::pose_bound::BoundForm;
use firstcontact::stage::s6_solve::{Method, SolveCounts, SolveOptions, Solver};
use firstcontact::stage::{Piece, TrianglePair};
use firstcontact::verdict::Verdict;
use glam::{DMat3, DQuat, DVec3};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::hint::black_box;
use std::time::Duration;

/// Pairs that are rejected together, and contacts that are found one by one.
const REJECTS: usize = 1024;
const ROOTS: usize = 64;

struct Draw(Pcg64Mcg);

impl Draw {
    fn signed(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed()) * size
    }
}

/// A chain with one triangle at its end, a motion of it, and triangles around the place where it is halfway.
fn scenario(draw: &mut Draw, depth: usize, degrees: f64, n: usize) -> (World, ModelMotion) {
    let mut robot = Robot::new("chain", "base", DMat3::IDENTITY, DVec3::ZERO).expect("it is a frame");
    let mut parent = 0;
    for i in 0..depth {
        let axis = draw.vector(1.0).normalize();
        let drive = Drive::direct(robot.add_column(format!("q{i}"), ColumnKind::AngleRad, None));
        let turn = DQuat::from_axis_angle(draw.vector(1.0).normalize(), 3.0 * draw.signed());
        let joint = Joint {
            name: format!("joint{i}"),
            orientation: DMat3::from_quat(turn),
            origin_m: draw.vector(1.0).normalize() * 0.4,
            kind: JointKind::Revolute { axis, drive },
        };
        parent = robot.add_body(format!("body{i}"), Some(parent), joint).expect("it has a parent");
    }
    let corners = [(); 3].map(|()| draw.vector(0.1));
    robot.add_link("tip", parent, vec![corners], vec![0]).expect("it has a body");
    let q0: Vec<f64> = (0..depth).map(|_| 3.0 * draw.signed()).collect();
    let q1: Vec<f64> = q0.iter().map(|q| q + degrees.to_radians() * draw.signed()).collect();
    let half: Vec<f64> = q0.iter().zip(&q1).map(|(a, b)| 0.5 * (a + b)).collect();
    let near = robot.body_poses(&half).expect("it fits")[parent as usize].transform_point3(corners[0]);
    let mut scene = Scene::new();
    let triangles = (0..n).map(|_| {
        let at = near + draw.vector(0.3);
        [(); 3].map(|()| at + draw.vector(0.05))
    });
    scene.add_object("around", triangles.collect::<Vec<_>>()).expect("it has a name");
    let motion = ModelMotion::new(&robot, &q0, &q1).expect("it fits");
    (World::new(&robot, &scene, &[]).expect("it is near"), motion)
}

/// Solves the link's triangle against some triangles of the scene over the whole motion.
fn solve(solver: &mut Solver, motion: &ModelMotion, pieces: &[Piece], scene_triangles: &[u32]) -> Verdict {
    solver.begin();
    for (p, piece) in pieces.iter().enumerate() {
        let pair = |&scene_triangle: &u32| TrianglePair {
            piece_link: p as u32,
            link_triangle: 0,
            scene_triangle,
            mask_slice: 0xffff,
        };
        let pairs: Vec<TrianglePair> = scene_triangles.iter().map(pair).collect();
        if solver.feed(motion, piece, &pairs) {
            break;
        }
    }
    solver.finish()
}

/// One combination of depth and angle: a motion with what is rejected and what touches.
struct Case {
    world: World,
    motion: ModelMotion,
    pieces: Vec<Piece>,
    apart: Vec<u32>,
    touching: Vec<u32>,
}

fn case(depth: usize, degrees: f64) -> Case {
    let mut draw = Draw(Pcg64Mcg::seed_from_u64(3 + depth as u64));
    loop {
        let (world, motion) = scenario(&mut draw, depth, degrees, 4 * REJECTS);
        let pieces: Vec<Piece> = Piece::cut(0, &motion).collect();
        let mut solver = Solver::new(&world, SolveOptions::default());
        let (mut apart, mut touching) = (Vec::new(), Vec::new());
        for y in 0..4 * REJECTS as u32 {
            match solve(&mut solver, &motion, &pieces, &[y]) {
                Verdict::Free => apart.push(y),
                Verdict::Contact(c) if c.certified && !c.initial_overlap => touching.push(y),
                _ => {}
            }
        }
        apart.truncate(REJECTS);
        touching.truncate(ROOTS);
        if apart.len() == REJECTS && !touching.is_empty() {
            return Case { world, motion, pieces, apart, touching };
        }
    }
}

fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("solver");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(800));
    for depth in [3, 6, 10, 30] {
        for degrees in [5.0, 30.0, 60.0] {
            let case = case(depth, degrees);
            for method in [Method::Jet, Method::Paper] {
                let options = SolveOptions { method, ..SolveOptions::default() };
                let mut solver = Solver::new(&case.world, options);
                let name = format!("depth {depth}, {degrees}°, {method:?}");
                let mut run = |of: &[u32]| solve(&mut solver, &case.motion, &case.pieces, of);
                let free = run(&case.apart) == Verdict::Free;
                let certified = case.touching.iter().filter(|y| is_certified(&run(&[**y]))).count();
                let mut counts = |of: &[&[u32]]| {
                    solver.take_counts();
                    of.iter().for_each(|y| drop(solve(&mut solver, &case.motion, &case.pieces, y)));
                    solver.take_counts()
                };
                let rejects: SolveCounts = counts(&[&case.apart]);
                let one_by_one: Vec<&[u32]> = case.touching.chunks(1).collect();
                let roots = counts(&one_by_one);
                println!(
                    "{name}: {REJECTS} pairs are {}, {:.2} evaluations each, joints {} of {} alone; \
                     {certified} of {} contacts certified, {:.1} evaluations each",
                    if free { "free" } else { "not all free" },
                    rejects.evaluations as f64 / REJECTS as f64,
                    rejects.joints,
                    rejects.joints_alone,
                    case.touching.len(),
                    roots.evaluations as f64 / case.touching.len() as f64,
                );
                group.throughput(Throughput::Elements(REJECTS as u64));
                group.bench_function(format!("{name}, rejects"), |b| {
                    b.iter(|| black_box(solve(&mut solver, &case.motion, &case.pieces, &case.apart)));
                });
                group.throughput(Throughput::Elements(case.touching.len() as u64));
                group.bench_function(format!("{name}, first contacts"), |b| {
                    b.iter(|| {
                        for y in &case.touching {
                            black_box(solve(&mut solver, &case.motion, &case.pieces, &[*y]));
                        }
                    });
                });
            }
        }
    }
    group.finish();
}

fn is_certified(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Contact(c) if c.certified)
}

/// Pose jets of six links, eight intervals at a time.
fn poses(criterion: &mut Criterion) {
    let mut draw = Draw(Pcg64Mcg::seed_from_u64(5));
    let (_, motion) = scenario(&mut draw, 6, 30.0, 1);
    let mut group = criterion.benchmark_group("pose jets");
    group.throughput(Throughput::Elements(8));
    let (mid, mut out) = (Lanes::<8>::from_fn(|i| (i as f64 + 0.5) / 8.0), Vec::new());
    group.bench_function("six links, eight intervals", |b| {
        b.iter(|| {
            motion.bounds(BoundForm::Jet, black_box(mid), 1.0 / 16.0, &mut out);
            black_box(&out);
        });
    });
    group.finish();
}

criterion_group!(benches, bench, poses);
criterion_main!(benches);
