//! Motions in scenes, with triangles placed exactly in contact with the links' swept volumes.

use crate::harness::gpu::{Mutant, mutated_pipeline};
use crate::harness::models::{self, Draw, RobotKind};
use crate::harness::prove::avoids_triangle;
use crate::harness::truth::position;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::gpu_backend::ChunkInput;
use firstcontact::engine::{Options, Stage, Sweep};
use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind, Robot, RobotMotion, Triangle};
use firstcontact::scene::Scene;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::s4_sweep::{self, raster};
use firstcontact::stage::{Candidate, Piece, SUBS, s1_concat, s2_bound, s3_cull};
use glam::{DMat3, DVec3};
use std::collections::HashMap;

pub struct Case {
    pub world: CollisionWorld,
    pub motions: Vec<RobotMotion>,
    pub pieces: Vec<Piece>,
    /// Piece, link and scene triangle that touch at some time; the link is represented by its line-swept sphere.
    pub touching: Vec<(u32, u32, usize)>,
}

/// The appearance of the touching triangles, seen from the point of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A corner, turned away.
    Corner,
    /// Much larger than the tile, perpendicular to the direction of contact.
    Large,
    /// Long and thin, touching anywhere along its length.
    Needle,
    /// Seen edge-on in two views, face-on in one.
    Flat,
    /// Smaller than any pixel.
    Tiny,
    /// One of the others.
    Any,
}

impl Shape {
    fn at(self, draw: &mut Draw, p: DVec3, out: DVec3) -> Triangle {
        let (side, other) = out.any_orthonormal_pair();
        match self {
            Self::Corner => {
                let size = draw.between(0.02, 0.3);
                [
                    p,
                    p + (out + side * draw.between(-0.5, 0.5)) * size,
                    p + (out + other * draw.between(-0.5, 0.5)) * size,
                ]
            }
            Self::Large => {
                let size = 10f64.powf(draw.between(0.5, 4.0));
                [p - side * size, p + (side - other) * size, p + (side + other) * size]
            }
            Self::Needle => {
                let along = (side * draw.between(-1.0, 1.0) + other + out * draw.between(0.0, 0.5)).normalize();
                let from = p - along * draw.unit();
                [from, p + along * draw.between(0.0, 5.0), from + out * 1e-7]
            }
            Self::Flat => {
                let k = draw.below(3);
                let (u, w) = (
                    DVec3::AXES[(k + 1) % 3] * out[(k + 1) % 3].signum(),
                    DVec3::AXES[(k + 2) % 3] * out[(k + 2) % 3].signum(),
                );
                [p, p + u * draw.between(0.01, 0.2), p + (w + u * 0.5) * draw.between(0.01, 0.2)]
            }
            Self::Tiny => [p, p + draw.vector(1e-6), p + draw.vector(1e-5)],
            Self::Any => {
                [Self::Corner, Self::Large, Self::Needle, Self::Flat, Self::Tiny][draw.below(5)].at(draw, p, out)
            }
        }
    }
}

/// The parameters of a case.
#[derive(Clone, Copy)]
pub struct Kind {
    pub n_bodies: usize,
    pub n_motions: usize,
    /// Joints turn by up to this, radians.
    pub angle: f64,
    /// Joints slide by up to this, metres.
    pub slide_m: f64,
    /// The chain starts this far from the base, metres.
    pub far_m: f64,
    /// Triangles that touch each moving link.
    pub touching: usize,
    pub shape: Shape,
    /// Triangles at random positions.
    pub others: usize,
    /// Triangles as near as this count as touching, and no triangle is placed nearer, metres.
    pub margin_m: f64,
}

impl Default for Kind {
    fn default() -> Self {
        Self {
            n_bodies: 4,
            n_motions: 4,
            angle: 0.3,
            slide_m: 0.1,
            far_m: 0.0,
            touching: 6,
            shape: Shape::Any,
            others: 60,
            margin_m: 0.0,
        }
    }
}

/// The robot of the models, on a far stand.
fn robot(draw: &mut Draw, kind: &Kind) -> Robot {
    let links = RobotKind { n_bodies: kind.n_bodies, link_m: 0.4, n_triangles: 4, mixed: true };
    let mut robot = models::robot(draw, links);
    if kind.far_m > 0.0 {
        for body in robot.bodies.iter_mut().filter(|b| b.parent == Some(0)) {
            body.joint.origin_m += DVec3::new(kind.far_m, -0.7 * kind.far_m, 0.4 * kind.far_m);
        }
    }
    robot
}

/// A needle that slides along itself, and one that turns about an end.
pub fn along_itself() -> Robot {
    let mut robot = Robot::new("slider", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    let slide = Drive::direct(robot.add_column("x", ColumnKind::LengthM, None));
    let turn = Drive::direct(robot.add_column("z", ColumnKind::AngleRad, None));
    let joint =
        |name: &str, kind| Joint { name: name.into(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
    let slider =
        robot.add_body("slider", Some(0), joint("a", JointKind::Prismatic { axis: DVec3::X, drive: slide })).unwrap();
    let turner =
        robot.add_body("turner", Some(0), joint("b", JointKind::Revolute { axis: DVec3::Z, drive: turn })).unwrap();
    // Not exactly a segment: two segments have too few separating axes for proofs.
    let needle = vec![[DVec3::ZERO, DVec3::X * 0.4, DVec3::new(0.2, 1e-3, 0.0)]];
    robot.add_link("slider", slider, needle.clone(), vec![0]).unwrap();
    robot.add_link("turner", turner, needle, vec![0]).unwrap();
    robot
}

/// The placement of a triangle: at a time, a link, a share of the distance between the ends of its segment, and a
/// direction.
#[derive(Clone, Copy)]
struct Place {
    motion: usize,
    link: usize,
    time: f64,
    share: f64,
    out: DVec3,
}

pub fn case(draw: &mut Draw, kind: &Kind) -> Case {
    let robot = robot(draw, kind);
    of_robot(draw, &robot, kind)
}

/// Triangles that touch anywhere, at any time of random motions.
pub fn of_robot(draw: &mut Draw, robot: &Robot, kind: &Kind) -> Case {
    let rows: Vec<_> = (0..kind.n_motions).map(|_| models::motion(draw, robot, kind.angle, kind.slide_m)).collect();
    let n_links = robot.links.iter().filter(|l| !l.triangles.is_empty()).count();
    let mut places = Vec::new();
    for motion in 0..kind.n_motions {
        for link in (0..n_links).flat_map(|l| std::iter::repeat_n(l, kind.touching)) {
            let (any, anywhere) = (draw.direction(), draw.unit());
            // Along an axis the depth is at its limit, perpendicular to it the outline.
            let out = [DVec3::AXES[draw.below(3)] * [1.0, -1.0][draw.below(2)], any, any][draw.below(3)];
            let (time, share) = (draw.unit(), [0.0, 1.0, anywhere][draw.below(3)]);
            places.push(Place { motion, link, time, share, out });
        }
    }
    build(draw, robot, &rows, &places, kind)
}

/// An arm that turns as far as one piece allows and rises, so that it never returns to an earlier place, touched at its
/// tip: outward in the middle of sub-intervals, where its path is farthest beyond the chord, and ahead at the very end.
pub fn arm(draw: &mut Draw, n_motions: usize) -> Case {
    let mut robot = Robot::new("arm", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    let drive = Drive::direct(robot.add_column("z", ColumnKind::AngleRad, None));
    let rise = Drive::direct(robot.add_column("rise", ColumnKind::LengthM, None));
    let joint = |kind| Joint { name: String::new(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
    let lift = robot.add_body("lift", Some(0), joint(JointKind::Prismatic { axis: DVec3::Z, drive: rise })).unwrap();
    let body = robot.add_body("arm", Some(lift), joint(JointKind::Revolute { axis: DVec3::Z, drive })).unwrap();
    robot.add_link("arm", body, vec![[DVec3::ZERO, DVec3::X * 0.4, DVec3::new(0.2, 1e-3, 0.0)]], vec![0]).unwrap();
    let lss = CollisionWorld::new(&robot, &Scene::new(), &[]).unwrap().links[0].lss;
    let share = if lss.b.length() > lss.a.length() { 1.0 } else { 0.0 };
    let (mut rows, mut places) = (Vec::new(), Vec::new());
    for motion in 0..n_motions {
        // The motion ends along an axis, so that the last part of the path is along one, too.
        let end = std::f64::consts::FRAC_PI_2 * draw.below(4) as f64;
        let turn = draw.between(7.9, 8.0) * [1.0, -1.0][draw.below(2)];
        rows.push((vec![end - turn, 0.0], vec![end, 0.5]));
        for k in 0..16 {
            let time = f64::from(2 * k + 1) / 32.0;
            let angle = end - turn * (1.0 - time);
            places.push(Place { motion, link: 0, time, share, out: DVec3::new(angle.cos(), angle.sin(), 0.0) });
        }
        let ahead = DVec3::new(-end.sin(), end.cos(), 0.0) * turn.signum();
        places.push(Place { motion, link: 0, time: 1.0, share, out: ahead });
    }
    build(draw, &robot, &rows, &places, &Kind { shape: Shape::Corner, others: 0, ..Kind::default() })
}

fn build(draw: &mut Draw, robot: &Robot, rows: &[(Vec<f64>, Vec<f64>)], places: &[Place], kind: &Kind) -> Case {
    let bare = CollisionWorld::new(robot, &Scene::new(), &[]).unwrap();
    let mut motions: Vec<_> = rows.iter().map(|(q0, q1)| RobotMotion::new(robot, q0, q1).unwrap()).collect();
    motions.iter_mut().for_each(|m| m.set_margin(kind.margin_m));
    let cut: Vec<Vec<Piece>> = motions.iter().enumerate().map(|(i, m)| Piece::cut(i as u32, m).collect()).collect();
    let (mut triangles, mut touching) = (Vec::new(), Vec::new());
    for place in places {
        let (motion, link) = (&motions[place.motion], &bare.links[place.link]);
        let ends = [link.lss.a, link.lss.b].map(|e| position(motion, link.body, e, place.time));
        let on = ends[0] + (ends[1] - ends[0]) * place.share;
        // Slightly inside, by more than the rounding of f64 here.
        let p = on + place.out * ((link.lss.radius + kind.margin_m) * (1.0 - 1e-9) - 1e-12).max(0.0);
        let before: usize = cut[..place.motion].iter().map(Vec::len).sum();
        let n = cut[place.motion].len();
        let piece = before + ((place.time * n as f64) as usize).min(n - 1);
        touching.push((piece as u32, place.link as u32, triangles.len()));
        triangles.push(kind.shape.at(draw, p, place.out));
    }
    let middle = triangles.first().map_or(DVec3::ZERO, |y: &Triangle| y[0]);
    for _ in 0..kind.others {
        let at = middle + draw.vector(1.5);
        triangles.push(draw.triangle(at, 0.15));
    }
    let mut scene = Scene::new();
    scene.add_object("all", triangles).unwrap();
    let world = CollisionWorld::new(robot, &scene, &[]).unwrap();
    // The order of triangles in the tree.
    let mut order = vec![0; world.scene.triangles.len()];
    for (at, &i) in world.scene.tree.order.iter().enumerate() {
        order[i as usize] = at;
    }
    for (_, _, y) in &mut touching {
        *y = order[*y];
    }
    Case { world, motions, pieces: cut.concat(), touching }
}

/// The input of the stage.
pub fn candidates(case: &Case, form: PoseEnclosure) -> (s1_concat::Poses, s2_bound::Boxes, Vec<Candidate>) {
    let poses = s1_concat::reference(&case.pieces, &case.motions, form);
    let boxes = s2_bound::reference(&case.world, &case.pieces, &poses);
    let mut candidates = s3_cull::reference(&case.world, &case.pieces, &boxes);
    candidates.sort_unstable();
    (poses, boxes, candidates)
}

/// The input, and the output of the reference.
pub fn reference(case: &Case, form: PoseEnclosure, n: usize) -> [Vec<Candidate>; 2] {
    stage(case, form, |input, candidates| raster::reference(input, candidates, n))
}

/// The input, and the output of a form.
pub fn stage(
    case: &Case,
    form: PoseEnclosure,
    with: impl Fn(&s4_sweep::Input, &mut [Candidate]),
) -> [Vec<Candidate>; 2] {
    let (poses, boxes, before) = candidates(case, form);
    let input = s4_sweep::Input {
        world: &case.world,
        motions: &case.motions,
        pieces: &case.pieces,
        poses: &poses,
        boxes: &boxes,
    };
    let mut after = before.clone();
    with(&input, &mut after);
    [before, after]
}

pub fn options(form: PoseEnclosure, n: usize) -> Options {
    Options { bound: form, sweep: Sweep::Raster, tile_pixels: n as u32, ..Options::default() }
}

/// The same on the adapter.
pub fn on_adapter(case: &Case, options: &Options, mutant: Option<Mutant>) -> [Vec<Candidate>; 2] {
    let mut pipeline = mutated_pipeline(&case.world, options, mutant);
    let chunk = ChunkInput { pieces: case.pieces.clone(), motions: &case.motions };
    pipeline.upload_chunk(&chunk, 0).unwrap();
    for stage in [Stage::Concat, Stage::Bound, Stage::Cull] {
        pipeline.run_stage(&chunk, 0, stage).unwrap();
    }
    let (before, _) = pipeline.candidates(0).unwrap();
    pipeline.run_stage(&chunk, 0, Stage::Sweep).unwrap();
    let (after, _) = pipeline.candidates(0).unwrap();
    [before, after]
}

type Key = (u32, u32, u32);

fn by_key(candidates: &[Candidate]) -> HashMap<Key, Candidate> {
    candidates.iter().map(|c| ((c.piece, c.link, c.cluster), *c)).collect()
}

/// Number of touching triangles that were dropped.
pub fn lost(case: &Case, after: &[Candidate]) -> usize {
    lost_of(&case.world, &case.touching, after)
}

/// Number of the given touching triangles that were dropped.
pub fn lost_of(world: &CollisionWorld, touching: &[(u32, u32, usize)], after: &[Candidate]) -> usize {
    let after = by_key(after);
    let clusters = world.scene.tree.n_leaves() as u32;
    let cluster_of = |y: usize| (0..clusters).find(|&c| world.scene.tree.leaf(c).contains(&y)).unwrap();
    let kept = |&&(piece, link, y): &&(u32, u32, usize)| {
        after.get(&(piece, link, cluster_of(y))).is_some_and(|c| c.mask != 0 && c.has(world, y))
    };
    touching.len() - touching.iter().filter(kept).count()
}

/// Number of dropped triangles, and of those among them that could not be proved free.
pub fn dropped(case: &Case, before: &[Candidate], after: &[Candidate]) -> (usize, usize) {
    let after = by_key(after);
    let (mut all, mut bad) = (0, 0);
    for c in before {
        let left = after[&(c.piece, c.link, c.cluster)];
        assert_eq!(left.mask == 0, left.triangles == 0, "{left:?}");
        assert!(left.mask == 0 || left.mask == c.mask, "time is left as it is: {left:?}");
        let (piece, link) = (&case.pieces[c.piece as usize], &case.world.links[c.link as usize]);
        let motion = &case.motions[piece.motion as usize];
        for y in c.triangles(&case.world).filter(|&y| !left.has(&case.world, y)) {
            all += 1;
            let standing = case.world.scene.standing(y);
            let free =
                |span: [f64; 2]| link.triangles.iter().all(|x| avoids_triangle(motion, link.body, x, &standing, span));
            let by_sub = || (0..SUBS).all(|k| c.mask >> k & 1 == 0 || free(piece.sub(k)));
            bad += usize::from(!free([piece.t0, piece.t1]) && !by_sub());
        }
    }
    (all, bad)
}
