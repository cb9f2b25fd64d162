//! Starts inside solids: contact is contact of surfaces, so a link that is wholly inside a closed object at the start
//! touches nothing.
//!
//! A motion without contact that starts outside stays outside, so one test at time 0 is enough. Without contact at the
//! start, each connected component of a link's triangles is inside a closed surface as a whole, or not at all: one
//! vertex of it decides, by the number of times that a ray crosses the surface. Likewise, one vertex of each component
//! of an object, or of another link, decides whether the component is inside the link's own closed surfaces.
//!
//! Poses are those of the engine in double precision. A vertex that is nearer to a surface than the bound on the error
//! of the poses is not used, but another vertex of its component. If all vertices are so near, the test of surfaces has
//! already reported that they may touch.

use crate::arith::lanes::Lanes;
use crate::arith::linear::V3;
use crate::arith::real::Real;
use crate::arith::vectors::{Vector, Vectorised, WIDTH, gather, store3, widest};
use crate::bvh::tree::ChildRef;
use crate::enclosure::pose_bound::TaylorModel;
use crate::enclosure::pose_jet::PoseJet;
use crate::robot::RobotMotion;
use crate::scene::solids::{Bounds, Components, Side, Surface, overlap};
use crate::scene::world::CollisionWorld;
use crate::verdict::{Inside, Obstacle};
use glam::DVec3;

/// Reusable memory of the test.
#[derive(Debug, Default)]
pub struct Workspace {
    poses: Vec<TaylorModel<f64>>,
    /// For each link of the robot, the box around it at the start, metres.
    around: Vec<Bounds>,
    /// Links and objects whose boxes overlap.
    pairs: Vec<[u32; 2]>,
    open: Vec<(ChildRef, u64)>,
    found: Vec<Inside>,
}

/// A point in the world's local coordinates, and a bound on its error, metres.
type Spot = (DVec3, f64);

/// Deviation of the product of a stored rotation and its transpose from the identity.
const DEFECT: f64 = 1.0 / (1u64 << 45) as f64;
/// Relative rounding error of transforming a point into a frame.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The frame of a body at the start.
#[derive(Clone, Copy, Debug)]
struct Frame<'a> {
    pose: &'a TaylorModel<f64>,
    /// Deviation of the rotation from an orthonormal matrix, of all joints together.
    defect: f64,
}

impl Frame<'_> {
    fn error_m(&self, v: DVec3) -> f64 {
        self.pose.ball[0] + self.pose.ball[1] * v.abs().element_sum()
    }

    /// A point of the body in the world.
    fn outward(&self, v: DVec3) -> Spot {
        let p = DVec3::from_array(place(self.pose, V3::new(v)).0);
        (p, self.error_m(v) + ROUNDING * (v.abs().element_sum() + p.abs().element_sum()))
    }

    /// A point of the world in the body's frame.
    fn inward(&self, (p, error_m): Spot) -> Spot {
        let origin_m = DVec3::from_array(self.pose.jet.x[0].0);
        let from_origin = p - origin_m;
        let v = DVec3::from_array(self.pose.jet.p[0].transposed().apply(V3::new(from_origin)).0);
        let size = from_origin.abs().element_sum() + v.abs().element_sum();
        let rounding = ROUNDING * (p.abs().element_sum() + origin_m.abs().element_sum() + size);
        (v, 2.0 * (error_m + self.error_m(v) + self.defect * size) + rounding)
    }

    /// The box, in the world, around a box in the frame, enlarged by the errors.
    fn box_outward(&self, around: &Bounds) -> Bounds {
        box_outward(self.pose, around.map(V3::new)).map(|corner| DVec3::from_array(corner.0))
    }

    /// The reverse.
    fn box_inward(&self, [lo, hi]: &Bounds) -> Bounds {
        let point = |p: DVec3| self.inward((p, 0.0));
        let spread = self.pose.jet.p[0].abs().transposed().apply(V3::new((*hi - *lo) / 2.0));
        let middle = V3::new(point((*lo + *hi) / 2.0).0);
        grown(middle, spread, point(*lo).1.max(point(*hi).1)).map(|corner| DVec3::from_array(corner.0))
    }
}

/// A point of a body in the world.
#[inline(always)]
fn place<T: Real>(pose: &TaylorModel<T>, v: V3<T>) -> V3<T> {
    pose.jet.p[0].apply(v) + pose.jet.x[0]
}

/// See [`Frame::box_outward`].
#[inline(always)]
fn box_outward<T: Real>(pose: &TaylorModel<T>, [lo, hi]: [V3<T>; 2]) -> [V3<T>; 2] {
    // The error grows with the distance from the body's origin.
    let far = lo.abs().max(hi.abs());
    let size = far.norm1();
    let error_m = pose.ball[0] + pose.ball[1] * size + T::new(ROUNDING) * (size + place(pose, far).norm1());
    let half = T::new(0.5);
    grown(place(pose, (lo + hi).times(half)), pose.jet.p[0].abs().apply((hi - lo).times(half)), error_m)
}

/// The box around a box after a rigid motion: its new middle, and half of its sides along the new axes; `error_m` is
/// approximately the error of its corners.
#[inline(always)]
fn grown<T: Real>(middle: V3<T>, spread: V3<T>, error_m: T) -> [V3<T>; 2] {
    // Far more than the rounding errors here and the errors of all corners.
    let error_m = T::new(8.0) * error_m + T::new(1e-12) * middle.norm1();
    let spread = spread.times(T::new(1.0 + 1e-9)) + V3([error_m; 3]);
    [middle - spread, middle + spread]
}

/// Eight boxes, each in the frame of a body, whose boxes in the world are computed side by side.
struct Outward<'a>(&'a [(&'a TaylorModel<f64>, Bounds); WIDTH]);

impl Vectorised for Outward<'_> {
    type Output = [V3<Lanes<WIDTH>>; 2];
    #[inline(always)]
    fn run<T: Vector>(self) -> Self::Output {
        let all = self.0;
        let mut pose = TaylorModel { jet: PoseJet::zero(), ball: [T::new(0.0); 2] };
        let mut around = [V3::zero(); 2];
        for i in 0..3 {
            for j in 0..3 {
                pose.jet.p[0].0[i][j] = gather(all, |(pose, _)| pose.jet.p[0].0[i][j]);
            }
            pose.jet.x[0].0[i] = gather(all, |(pose, _)| pose.jet.x[0].0[i]);
            for k in 0..2 {
                around[k].0[i] = gather(all, |(_, around)| around[k][i]);
            }
        }
        pose.ball = [gather(all, |(pose, _)| pose.ball[0]), gather(all, |(pose, _)| pose.ball[1])];
        box_outward(&pose, around).map(store3)
    }
}

/// Replaces `out` by the boxes in the world around the links of a robot whose bodies have these poses.
fn boxes_of_links(world: &CollisionWorld, poses: &[TaylorModel<f64>], out: &mut Vec<Bounds>) {
    let links = &world.robot.links;
    out.clear();
    for first in (0..links.len()).step_by(WIDTH) {
        // The last link fills the unused lanes.
        let [lo, hi] = widest(Outward(&std::array::from_fn(|lane| {
            let link = (first + lane).min(links.len() - 1);
            (&poses[links[link].body as usize], world.solids.around(links, link as u32))
        })));
        let corner = |of: &V3<Lanes<WIDTH>>, lane: usize| DVec3::from_array(of.0.each_ref().map(|side| side.0[lane]));
        out.extend((0..WIDTH.min(links.len() - first)).map(|lane| [corner(&lo, lane), corner(&hi, lane)]));
    }
}

/// Finds the pairs of link and obstacle of which one starts inside the other, in the order of the links. Pairs that are
/// not tested for contact, and those for which `is_ignored` returns true, are omitted. The motion must have no contact
/// at the start.
pub fn starts_inside<'s>(
    space: &'s mut Workspace,
    world: &CollisionWorld,
    motion: &RobotMotion,
    is_ignored: &dyn Fn(u32, Obstacle) -> bool,
) -> &'s [Inside] {
    space.found.clear();
    motion.at_start(&mut space.poses);
    let search = Search { world, poses: &space.poses, is_ignored };
    boxes_of_links(world, &space.poses, &mut space.around);
    if !world.scene.triangles.is_empty() {
        world.scene.solids().boxes().pairs(&space.around, &mut space.open, &mut space.pairs);
        for &[link, object] in &space.pairs {
            search.in_scene(link, object, &space.around[link as usize], &mut space.found);
        }
    }
    search.in_links(&space.around, &mut space.found);
    space.found.sort_unstable_by_key(|inside| (inside.link, inside.obstacle));
    &space.found
}

struct Search<'a> {
    world: &'a CollisionWorld,
    /// The poses of the robot's bodies.
    poses: &'a [TaylorModel<f64>],
    is_ignored: &'a dyn Fn(u32, Obstacle) -> bool,
}

impl<'a> Search<'a> {
    /// The frame of a link's body.
    fn frame(&self, link: u32) -> Frame<'a> {
        let body = self.world.robot.links[link as usize].body as usize;
        Frame { pose: &self.poses[body], defect: self.poses.len() as f64 * DEFECT }
    }

    /// Tests a link against an object of the scene whose box overlaps its own.
    fn in_scene(&self, link: u32, object: u32, around: &Bounds, found: &mut Vec<Inside>) {
        if !self.world.allowed.contains(&(link, object)) && !(self.is_ignored)(link, Obstacle::Object(object)) {
            let point = self.point_in_object(link, object, around);
            found.extend(point.map(|p| self.inside(link, Obstacle::Object(object), p)));
        }
    }

    fn point_in_object(&self, link: u32, object: u32, around: &Bounds) -> Option<DVec3> {
        let (scene, frame) = (&self.world.scene, self.frame(link));
        let solid = self.world.solids.get(&self.world.robot.links, link);
        let surface = scene.solids().surface(scene, object);
        let in_object = surface.and_then(|surface| {
            let near = || frame.box_inward(&surface.around);
            point_in(&solid.components, near, &surface, |v| Some(frame.outward(v)), |v| v)
        });
        in_object.or_else(|| {
            let components = &scene.solids().get(scene, object).components;
            let spot = |v: DVec3| {
                let error_m = scene.shift_unit * v.abs().element_sum();
                overlap(&[v - error_m, v + error_m], around).then_some((v, error_m))
            };
            solid.surfaces().find_map(|surface| point_in(components, || *around, &surface, spot, |v| frame.inward(v)))
        })
    }

    /// Tests the pairs of links that are tested against each other.
    fn in_links(&self, around: &[Bounds], found: &mut Vec<Inside>) {
        let body = |link: u32| self.world.robot.links[link as usize].body;
        for &[a, b] in self.world.link_pairs.tested() {
            let is_near = overlap(&around[a as usize], &around[b as usize]) && body(a) != body(b);
            if is_near && !(self.is_ignored)(a, Obstacle::Link(b)) {
                let point = self.point_in_link(a, b).or_else(|| self.point_in_link(b, a));
                found.extend(point.map(|p| self.inside(a, Obstacle::Link(b), p)));
            }
        }
    }

    /// A point of link `a` that is inside link `b`.
    fn point_in_link(&self, a: u32, b: u32) -> Option<DVec3> {
        let [solid, other] = [a, b].map(|link| self.world.solids.get(&self.world.robot.links, link));
        let [frame, within] = [a, b].map(|link| self.frame(link));
        other.surfaces().find_map(|surface| {
            let near = || frame.box_inward(&within.box_outward(&surface.around));
            point_in(&solid.components, near, &surface, |v| Some(frame.outward(v)), |p| within.inward(p))
        })
    }

    fn inside(&self, link: u32, obstacle: Obstacle, point: DVec3) -> Inside {
        Inside { link, obstacle, point: (point + self.world.origin_m).to_array() }
    }
}

/// A point in the world that is inside a surface: a vertex of one of the components, whose box overlaps `near`.
/// Vertices are transformed to the world by `outward`, which returns `None` for those that are certainly outside the
/// surface, and to the surface's frame by `inward`.
fn point_in(
    components: &Components,
    near: impl FnOnce() -> Bounds,
    surface: &Surface,
    outward: impl Fn(DVec3) -> Option<Spot>,
    inward: impl Fn(Spot) -> Spot,
) -> Option<DVec3> {
    let mut found = None;
    components.each(near, &mut |vertices| {
        for &vertex in vertices {
            let Some(spot) = outward(vertex) else { break };
            let (p, error_m) = inward(spot);
            match surface.side(p, error_m) {
                Side::Near => continue,
                Side::Inside => found = Some(spot.0),
                Side::Outside => {}
            }
            break;
        }
        found.is_none()
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::linear::M3;
    use crate::robot::{Joint, JointKind, Robot};
    use crate::scene::Scene;
    use glam::{DMat3, DQuat};

    /// The number of links is not a multiple of eight.
    #[test]
    fn boxes_around_links_contain_their_vertices_and_the_errors() {
        let mut state = 7u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut robot = Robot::new("robot", "link 0", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        let mut poses = Vec::new();
        for k in 0..11 {
            let (orientation, origin_m, kind) = (DMat3::IDENTITY, DVec3::ZERO, JointKind::Fixed);
            let joint = Joint { name: format!("joint {k}"), orientation, origin_m, kind };
            let body = if k == 0 { 0 } else { robot.add_body(format!("link {k}"), Some(0), joint).unwrap() };
            let triangle = [(); 3].map(|()| DVec3::new(unit(), unit(), unit()));
            robot.add_link(format!("link {k}"), body, vec![triangle], vec![0]).unwrap();
            let turn = DQuat::from_array([(); 4].map(|()| unit())).normalize();
            let mut jet = PoseJet::zero();
            jet.p[0] = M3::new(DMat3::from_quat(turn));
            jet.x[0] = V3([unit(), unit(), unit()]);
            poses.push(TaylorModel { jet, ball: [0.01, 0.02] });
        }
        let world = CollisionWorld::new(&robot, &Scene::new(), &[]).unwrap();
        let mut boxes = Vec::new();
        boxes_of_links(&world, &poses, &mut boxes);
        assert_eq!(boxes.len(), robot.links.len());
        for (link, around) in robot.links.iter().zip(&boxes) {
            let frame = Frame { pose: &poses[link.body as usize], defect: 0.0 };
            for &v in &link.triangles[0] {
                let (p, error_m) = frame.outward(v);
                assert!(error_m > 0.01 && error_m < 0.1);
                assert!(overlap(&[p - error_m, p - error_m], around) && overlap(&[p + error_m, p + error_m], around));
            }
            // Each body has one link, of the same index.
            let in_frame = world.solids.around(&robot.links, link.body);
            assert_eq!(frame.box_outward(&in_frame), *around);
        }
    }
}
