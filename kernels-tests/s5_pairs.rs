//! `s5_pairs`: every (pair of triangles, sub-interval, slice) that it drops is proved free, and it keeps little more
//! than the reference.

mod paths;

use crate::effort;
use crate::harness::emulate::{self, Emulated, FROM_ZERO, RANDOM, TO_ZERO, UP};
use crate::harness::gpu::{Mutant, mutated_pipeline, skip};
use crate::harness::models::{self, Draw, RobotKind};
use crate::harness::prove::avoids_triangle;
use crate::harness::truth::position;
use crate::oracle::dyadic::exact as exactly;
use crate::oracle::exact;
use firstcontact::arith::linear::V3;
use firstcontact::arith::real::Real;
use firstcontact::arith::rounding::{UNDERFLOW_F32, UNIT_F32, round_up};
use firstcontact::bvh::obb_tree::ObbTrees;
use firstcontact::enclosure::point_bound::PointBound;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::gpu_backend::ChunkInput;
use firstcontact::engine::{Options, Stats, Sweep};
use firstcontact::predicate::normals::{MovingFace, StaticFace};
use firstcontact::predicate::piercing::triangles_meet;
use firstcontact::predicate::separation::{MovingTriangle, StaticTriangle, triangle_misses};
use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind, Robot, RobotMotion};
use firstcontact::scene::Scene;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::s5_pairs::{Limits, PairCounts};
use firstcontact::stage::s6_solve::InitialContactPolicy;
use firstcontact::stage::{ALL_SUBS, Piece, SLICES, SUBS, TrianglePair, s1_concat, s2_bound, s3_cull, s5_pairs};
use glam::{DMat3, DVec3};
use std::collections::HashMap;

mod crowded;
mod lanes;
mod margin;
mod slabs;
mod twin;

pub struct Case {
    pub world: CollisionWorld,
    /// Trees of oriented boxes to search with, if any.
    pub obb_trees: Option<ObbTrees>,
    pub motions: Vec<RobotMotion>,
    pub pieces: Vec<Piece>,
}

impl Case {
    /// Cuts the motions into the pieces of the CPU, which have fewer sub-intervals.
    pub fn cut_for_cpu(&mut self) {
        self.pieces = models::pieces_of_the_cpu(&self.world, &self.motions);
    }
}

pub const ANGLES: [f64; 4] = [0.0, 0.02, 0.3, 1.0];

/// Motions turn each joint by up to the angles given, which are used in turn.
pub fn case<const N: usize>(
    draw: &mut Draw,
    n_bodies: usize,
    n_triangles: usize,
    n_motions: usize,
    angles: [f64; N],
) -> Case {
    let kind = RobotKind { n_bodies, link_m: 0.4, n_triangles: 20, mixed: true };
    let robot = models::robot(draw, kind);
    let scene = models::scene(draw, n_triangles, 1.0, 0.15);
    let world = CollisionWorld::new(&robot, &scene, &[]).unwrap();
    let (mut motions, mut pieces) = (Vec::new(), Vec::new());
    for i in 0..n_motions {
        let (q0, q1) = models::motion(draw, &robot, angles[i % N], 0.1);
        let motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        pieces.extend(Piece::cut(i as u32, &motion));
        motions.push(motion);
    }
    Case { world, obb_trees: None, motions, pieces }
}

/// A small triangle that moves on a circle of 1 m, and blades across the chords of its arcs, slightly inside the reach
/// of their tangents: the triangle meets them only because its path bends.
fn bending() -> Case {
    let mut robot = Robot::new("arm", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    robot.add_link("base", 0, vec![[9.0, 9.1, 9.2].map(DVec3::splat)], vec![0]).unwrap();
    let drive = Drive::direct(robot.add_column("r", ColumnKind::AngleRad, None));
    let kind = JointKind::Revolute { axis: DVec3::Z, drive };
    let joint = Joint { name: String::from("r"), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
    let body = robot.add_body("arm", Some(0), joint).unwrap();
    let small = [DVec3::new(1.0, 0.0, -5e-4), DVec3::new(1.0, 0.0, 5e-4), DVec3::new(1.0005, 0.0, 0.0)];
    robot.add_link("arm", body, vec![small], vec![0]).unwrap();
    let mut blades = Vec::new();
    // The middles and half widths of blocks of four sub-intervals and of the block of all sixteen; then those of single
    // sub-intervals.
    let blocks = [(0.125, 0.125), (0.375, 0.125), (0.625, 0.125), (0.875, 0.125), (0.5, 0.5)];
    let single = [3, 7, 12].map(|k| ((f64::from(k) + 0.5) / 16.0, 1.0 / 32.0));
    for (middle, half) in blocks.into_iter().chain(single) {
        let (along, across) =
            (DVec3::new(f64::cos(middle), f64::sin(middle), 0.0), DVec3::new(-f64::sin(middle), f64::cos(middle), 0.0));
        for share in [0.5, 0.7, 0.9] {
            let at = along * (1.0 - share * (1.0 - f64::cos(half)));
            let wide = across * (3.0 * f64::sin(half));
            blades.push([at - wide - DVec3::Z * 0.5, at + wide - DVec3::Z * 0.5, at + DVec3::Z]);
        }
    }
    let mut scene = Scene::new();
    scene.add_object("blades", blades).unwrap();
    let world = CollisionWorld::new(&robot, &scene, &[]).unwrap();
    let motion = RobotMotion::new(&robot, &[0.0], &[1.0]).unwrap();
    let pieces = Piece::cut(0, &motion).collect();
    Case { world, obb_trees: None, motions: vec![motion], pieces }
}

#[test]
fn contacts_due_to_curved_paths_are_kept() {
    let case = bending();
    let pairs = reference(&case);
    assert_eq!(unproved(&case, &pairs), 0);
    assert!(!pairs.is_empty());
    if !skip() {
        assert_eq!(unproved(&case, &on_adapter(&case, None)), 0);
        let (old, new) =
            ("max(abs(a.c2), abs(b.c2)), abs(c.c2)) * (h * h * 0.5)", "max(abs(a.c2), abs(b.c2)), abs(c.c2)) * 0.0");
        assert!(unproved(&case, &on_adapter(&case, Some(Mutant { old, new }))) > 0, "'{new}' goes unseen");
    }
}

/// The part of a piece before the end of a limit's slice.
fn slices(limit: u32, piece: &Piece) -> f64 {
    let (begin, all) = (u64::from(piece.index) * u64::from(piece.slices()), u64::from(piece.slices()));
    let n = (u64::from(limit) + 1).saturating_sub(begin).min(all);
    n as f64 / all as f64
}

/// The number of faults: sub-intervals and slices before the first one that is kept, up to a motion's limit, that are
/// neither kept nor proved free; pairs that occur twice or without a sub-interval; and limits at which nothing touches.
pub fn faults(case: &Case, pairs: &[TrianglePair], limits: &Limits) -> usize {
    faults_before(case, pairs, limits, f64::INFINITY)
}

/// The same, but only what is dropped before a time of the motions needs a proof.
pub fn faults_before(case: &Case, pairs: &[TrianglePair], limits: &Limits, before: f64) -> usize {
    let n_links = case.world.links.len() as u32;
    let mut kept = HashMap::new();
    let mut bad = 0;
    for p in pairs {
        let before = kept.insert((p.piece_link, p.link_triangle, p.scene_triangle), p.mask_slice);
        bad += usize::from(before.is_some() || p.mask() == 0);
    }
    let mut touches = vec![false; case.motions.len()];
    for (i, piece) in case.pieces.iter().enumerate() {
        let (motion, limit) = (&case.motions[piece.motion as usize], limits[piece.motion as usize]);
        let wanted = piece.mask_until(limit);
        for (l, link) in case.world.links.iter().enumerate() {
            for (x, triangle) in link.triangles.iter().enumerate() {
                for y in 0..case.world.scene.triangles.len() {
                    let standing = case.world.scene.standing(y);
                    let free = |span| avoids_triangle(motion, link.body, triangle, &standing, span);
                    let key = (i as u32 * n_links + l as u32, x as u32, y as u32);
                    let mask_slice = kept.get(&key).copied().unwrap_or(0);
                    let slice = mask_slice >> SUBS;
                    let dropped = wanted & !mask_slice;
                    if (dropped != 0 || slice > 0) && !free([piece.t0, piece.t1]) {
                        // In the last sub-interval the part before the contact is proved.
                        let until = (piece.t0 + (piece.t1 - piece.t0) * slices(limit, piece)).min(before);
                        let span = |k| piece.sub(k).map(|t| t.min(until));
                        let is_wanted = |k: usize| dropped >> k & 1 != 0 && piece.sub(k)[0] < until;
                        bad += (0..piece.subs as usize).filter(|&k| is_wanted(k) && !free(span(k))).count();
                        if slice > 0 {
                            let [t0, t1] = piece.sub((mask_slice & ALL_SUBS).trailing_zeros() as usize);
                            bad += usize::from(!free([t0, t0 + (t1 - t0) * f64::from(slice) / f64::from(SLICES)]));
                        }
                    }
                    if limit != u32::MAX && limit / piece.slices() == piece.index {
                        // The triangles that establish a limit meet in the middle of its slice, or at its end.
                        for half in [0.5, 1.0] {
                            let share = (f64::from(limit % piece.slices()) + half) / f64::from(piece.slices());
                            let t = piece.t0 + (piece.t1 - piece.t0) * share;
                            let now = triangle.map(|e| position(motion, link.body, e, t));
                            let there = case.world.scene.triangles[y];
                            let touch = &mut touches[piece.motion as usize];
                            *touch = *touch || (are_near(&now, &there) && meet_exactly(&now, &there));
                        }
                    }
                }
            }
        }
    }
    bad + limits.iter().zip(touches).filter(|(limit, touches)| **limit != u32::MAX && !touches).count()
}

/// Returns whether the boxes around two triangles overlap.
fn are_near(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    let ends = |t: &[DVec3; 3]| (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
    let ((a_lo, a_hi), (b_lo, b_hi)) = (ends(a), ends(b));
    a_lo.cmple(b_hi).all() && b_lo.cmple(a_hi).all()
}

fn meet_exactly(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    exact::intersect(&a.map(exactly), &b.map(exactly))
}

/// The number of faults where the whole motion is wanted.
pub fn unproved(case: &Case, pairs: &[TrianglePair]) -> usize {
    faults(case, pairs, &vec![u32::MAX; case.motions.len()])
}

/// The search on the CPU, with the case's trees of oriented boxes if it has any.
pub fn search(case: &Case, form: PoseEnclosure) -> (Vec<TrianglePair>, PairCounts) {
    search_until(case, form, None)
}

/// The same search up to limits, which it lowers.
pub fn search_until(case: &Case, form: PoseEnclosure, limits: Option<&mut Limits>) -> (Vec<TrianglePair>, PairCounts) {
    let poses = s1_concat::reference(&case.pieces, &case.motions, form);
    let boxes = s2_bound::reference(&case.world, &case.pieces, &poses);
    let candidates = s3_cull::reference(&case.world, &case.pieces, &boxes);
    let (world, pieces) = (&case.world, case.pieces.as_slice());
    let input = s5_pairs::Input {
        world,
        obb_trees: case.obb_trees.as_ref(),
        pieces,
        poses: &poses,
        boxes: &boxes,
        candidates: &candidates,
        courses: (form == PoseEnclosure::TaylorModel).then_some(s5_pairs::Courses::World(&case.motions)),
    };
    let (pairs, counts) = s5_pairs::search(&input, limits, usize::MAX);
    (pairs.unwrap(), counts)
}

fn reference(case: &Case) -> Vec<TrianglePair> {
    search(case, PoseEnclosure::TaylorModel).0
}

/// The pairs that the kernels find without limits (`--initial ignore` omits them) and without swept volumes, which
/// would hide the pairs that the stage itself proves free.
fn on_adapter(case: &Case, mutant: Option<Mutant>) -> Vec<TrianglePair> {
    let mut options = Options { sweep: Sweep::Off, ..Options::default() };
    options.solve.initial = InitialContactPolicy::Ignore;
    options.solve.margin_m =
        case.motions.iter().flat_map(|m| &m.chains).map(|chain| chain.margin_m).fold(0.0, f64::max);
    let mut pipeline = mutated_pipeline(&case.world, &options, mutant);
    let chunk = ChunkInput { pieces: case.pieces.clone(), motions: &case.motions };
    let started = pipeline.start(&chunk, 0).unwrap();
    let output = pipeline.finish(&chunk, started, &mut Stats::default()).unwrap();
    output.pairs.into_iter().flat_map(Option::unwrap).collect()
}

pub fn bits(pairs: &[TrianglePair]) -> u32 {
    pairs.iter().map(|p| p.mask().count_ones()).sum()
}

const SIZES: [(usize, usize); 4] = [(0, 2), (3, 30), (6, 60), (2, 150)];

#[test]
fn reference_drops_only_what_is_free() {
    let mut draw = Draw::new(31);
    for (n_bodies, n_triangles) in SIZES {
        let mut case = case(&mut draw, n_bodies, n_triangles, effort(4, 40), ANGLES);
        assert_eq!(unproved(&case, &reference(&case)), 0);
        case.cut_for_cpu();
        assert_eq!(unproved(&case, &reference(&case)), 0);
    }
}

#[test]
fn kernel_drops_only_what_is_free_and_keeps_little_more() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(32);
    let (mut kept, mut needed) = (0, 0);
    for (n_bodies, n_triangles) in SIZES {
        let case = case(&mut draw, n_bodies, n_triangles, effort(4, 40), ANGLES);
        let pairs = on_adapter(&case, None);
        assert_eq!(unproved(&case, &pairs), 0);
        // Counts pairs, not sub-intervals: both leave everything after a pair's first sub-interval unchanged, but the
        // reference processes a piece slab by slab.
        kept += pairs.len();
        needed += reference(&case).len();
    }
    println!("the kernel keeps {kept} pairs where the reference keeps {needed}");
    assert!(kept as f64 <= 1.05 * needed as f64 + 5.0 && needed > 50);
}

#[test]
fn mutants_are_caught() {
    if skip() {
        return;
    }
    // Fast motions, so that every term matters.
    let mut draw = Draw::new(33);
    let cases = [case(&mut draw, 5, 150, 12, [1.5, 2.5]), case(&mut draw, 2, 150, 24, [3.0, 4.0])];
    let mut unseen = Vec::new();
    for (old, new) in [
        // The shift to the block's middle.
        ("select(0.0, -m.h, (i + j) % 2u == 1u)", "0.0"),
        // Half of the block omitted, half of a half omitted, velocity and acceleration omitted.
        ("f32(j - i + 1u) * m.h);", "m.h);"),
        ("select(-0.5, 0.5, slice != 0u) * m.h,", "select(-1.0, 0.0, slice != 0u) * m.h,"),
        // The second half of a sub-interval.
        ("if free && slice == 0u {", "if false {"),
        ("let travel = middle * h;", "let travel = middle * 0.0;"),
        ("let off = max(high - middle, middle - low) * h;", "let off = middle * 0.0;"),
        // One vertex omitted from the hull of projections.
        ("> max(max(x0, x1), x2) + reach;", "> max(x0, x1) + reach;"),
        // A side of an oriented box.
        ("let reach = abs(x.c0) + abs(y.c0) + abs(z.c0) +", "let reach = abs(x.c0) + abs(y.c0) +"),
        ("triangles_miss(whole, tri, part.h)", "triangles_miss(whole, tri, m.h)"),
        // All but the last triangle of a cluster, half of the sub-intervals of a box.
        ("near |= 1u << k;", "near = 1u << k;"),
        // An oriented box over a block: its time, a side, its travel, the turn of its sides, and an axis.
        ("let h = f32(j - i + 1u + (i + j) % 2u) * m.h;", "let h = m.h * 0.25;"),
        ("let extent = abs(dot3(n, b.travel)) + abs(dot3(n, b.x))", "let extent = abs(dot3(n, b.travel))"),
        ("let extent = abs(dot3(n, b.travel))", "let extent = 0.0"),
        ("let stray = center.ball + turn + bend", "let stray = center.ball + bend"),
        ("|| -max(max(p0, p1), p2) > reach;", "|| -max(p0, p1) > reach;"),
        ("let high = max(p, q);", "let high = min(p, q);"),
        ("return marked & ~apart;", "return marked & ~apart & 0xff0u;"),
        // Boxes in another node's place, of another child, of a node that was not listed.
        ("let first = (boxes_of(piece, node) - 1u) * WIDTH;", "let first = 0u;"),
        ("((number - 1u) * WIDTH + place % WIDTH) * BOX_VECTORS", "((number - 1u) * WIDTH) * BOX_VECTORS"),
        ("atomicStore(&control[list_at + at], piece * chunk.n_boxed + node);", ""),
        // The last triangle of a leaf.
        ("if lane > leaf % LINK_LEAF ||", "if lane >= max(leaf % LINK_LEAF, 1u) ||"),
        // Triangles of the cluster that no invocation takes.
        ("(item.triangles, invocation / n_lanes)", "(item.triangles, invocation / n_lanes + 1u)"),
        // A triangle of several that an invocation leaves, and slots that several invocations share.
        ("triangles |= 1u << i;", "triangles = 1u << i;"),
        (
            "return vec2<u32>(first_slots[0], first_slots[1]) + before;",
            "return vec2<u32>(first_slots[0], first_slots[1]);",
        ),
        ("let all = atomicLoad(&n_appended[local]);", "let all = min(atomicLoad(&n_appended[local]), 1u);"),
        (
            "first_slots[local] = atomicAdd(&control[counters[local]], all);",
            "first_slots[local] = atomicAdd(&control[counters[0]], all);",
        ),
        ("(rest, LINK_LEAF / n_lanes)", "(rest, LINK_LEAF / n_lanes + 1u)"),
    ] {
        let is_seen = |case| unproved(case, &on_adapter(case, Some(Mutant { old, new }))) > 0;
        if !cases.iter().any(is_seen) {
            unseen.push(new);
        }
    }
    assert_eq!(unseen, [""; 0]);
}

/// A moving triangle and one at rest near each other, in emulated arithmetic, at one time.
fn emulated_separation<const MODE: u8>(draw: &mut Draw, n: usize) -> [usize; 3] {
    let (mut separated, mut by_normals, mut one_by_one, mut met) = (0, 0, 0, 0);
    for _ in 0..n {
        let far = if draw.below(4) == 0 { 1000.0 } else { 1.0 };
        let kind = RobotKind { n_bodies: 1 + draw.below(5), link_m: 0.4, n_triangles: 1, mixed: true };
        let robot = models::robot(draw, kind);
        let (q0, q1) = models::motion(draw, &robot, 0.5, 0.1);
        let motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        let body = robot.bodies.len() as u32 - 1;
        let h = 1.0 / 32.0;
        let time = (2 * draw.below(16) + 1) as f64 * h;
        let x = draw.triangle(DVec3::ZERO, 0.2);
        let now = x.map(|e| position(&motion, body, e, time));
        // A triangle through a point near the moving one: some touch, some miss narrowly.
        let inside = now[0] + (now[1] - now[0]) * draw.unit() + (now[2] - now[0]) * (0.5 * draw.unit());
        let gap = 10f64.powf(draw.between(-8.0, -1.0));
        let centre = inside + draw.direction() * gap;
        let turn = draw.vector(0.2 * far.min(3.0));
        let y = [centre, centre + turn, centre + draw.vector(0.2)];
        let bound = emulate::bounds::<MODE>(&motion, PoseEnclosure::TaylorModel, time, h).pop().unwrap();
        let reach = x.iter().fold(0.0, |m: f64, e| m.max(e.length()));
        let points = x.map(|e| bound.point(V3::new(e), Emulated(round_up(reach))));
        let size = y.iter().fold(0.0, |m: f64, v| m.max(v.length()));
        let tri = StaticTriangle { y: y.map(V3::new), error: Emulated(round_up(0.5 * UNIT_F32 * size)) };
        let moving = MovingTriangle::new(&points, Real::new(h));
        let by_normal = MovingFace::new(&moving).normals_separate(&StaticFace::new(&tri)) != 0;
        by_normals += usize::from(by_normal);
        one_by_one += usize::from(moving.towards(&tri).normals_separate() != 0);
        if triangle_misses(&points, &tri, Real::new(h), 1) != 0 || by_normal {
            separated += 1;
            for k in 0..=16 {
                let t = time - h + h * f64::from(k) / 8.0;
                let there = x.map(|e| position(&motion, body, e, t));
                assert!(!exact::intersect(&there.map(exactly), &y.map(exactly)), "mode {MODE}: called apart at {t}");
            }
        }
        if triangles_meet(&points, &tri) != 0 {
            met += 1;
            assert!(exact::intersect(&now.map(exactly), &y.map(exactly)), "mode {MODE}: called touching");
        }
    }
    // With the terms of each triangle computed only once, the normals separate as many pairs.
    assert!(100 * by_normals >= 98 * one_by_one, "mode {MODE}: {by_normals} of {one_by_one}");
    [separated, by_normals, met]
}

/// Claims of separation and of contact hold however f32 rounds: the exact predicate finds no exception.
#[test]
fn claims_hold_however_f32_rounds() {
    let n = effort(2_000, 100_000);
    let mut draw = Draw::new(34);
    for [separated, by_normals, met] in [
        emulated_separation::<UP>(&mut draw, n),
        emulated_separation::<TO_ZERO>(&mut draw, n),
        emulated_separation::<FROM_ZERO>(&mut draw, n),
        emulated_separation::<RANDOM>(&mut draw, n),
    ] {
        println!("of {n} pairs {separated} are called apart, {by_normals} by a normal, {met} touching");
        assert!(separated > n / 5 && by_normals > separated / 3 && met > n / 20);
    }
}

/// The largest ratio of a shift's rounding errors to the growth of the ball.
fn emulated_shift<const MODE: u8>(draw: &mut Draw, n: usize) -> f64 {
    let mut worst = 0.0f64;
    for _ in 0..n {
        let h = 0.5f64.powi(1 + draw.below(8) as i32);
        let shift = h * (2.0 * draw.below(8) as f64 - 7.0) / 8.0;
        // Points up to a kilometre away, and numbers that are flushed to zero.
        let mut term = |least: f64| {
            let size = 10f64.powf(draw.between(least, 3.0));
            V3::<Emulated<MODE>>::new(draw.vector(size))
        };
        let p = PointBound {
            c: [term(-3.0), term(-40.0), term(-40.0)],
            ball: Emulated(UNDERFLOW_F32 as f32),
            cube: V3::zero(),
        };
        let q = p.shifted(Real::new(shift), Real::new(h));
        let exact = |x: Emulated<MODE>| f64::from(x.0);
        // The difference is linear in time, so its norm is largest at an end of the bound's interval. Computed in f64,
        // whose roundings are 2⁻²⁹ of the errors in question.
        let far = [-h - shift, h - shift].map(|t| {
            let apart = |k: usize| {
                let ([p0, p1, p2], [q0, q1, _]) = (p.c.map(|c| exact(c.0[k])), q.c.map(|c| exact(c.0[k])));
                (p0 + (p1 + p2 * shift / 2.0) * shift - q0) + (p1 + p2 * shift - q1) * t
            };
            DVec3::new(apart(0), apart(1), apart(2)).length()
        });
        assert_eq!(p.c[2].0, q.c[2].0);
        worst = worst.max(far[0].max(far[1]) / (exact(q.ball) - exact(p.ball)));
    }
    worst
}

/// The kernel shifts bounds of points to slices of a sub-interval: the ball grows by at least the rounding error of the
/// shift, and not by far more.
#[test]
fn a_shifted_bound_holds_however_f32_rounds() {
    let n = effort(20_000, 1_000_000);
    let mut draw = Draw::new(38);
    let worst = [
        emulated_shift::<UP>(&mut draw, n),
        emulated_shift::<TO_ZERO>(&mut draw, n),
        emulated_shift::<FROM_ZERO>(&mut draw, n),
        emulated_shift::<RANDOM>(&mut draw, n),
    ];
    println!("roundings of a shift: {worst:.3?} of what the ball grows by");
    assert!(worst.iter().all(|w| *w <= 1.0) && worst.iter().any(|w| *w > 0.05), "{worst:?}");
}
