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

use crate::bvh::tree::ChildRef;
use crate::enclosure::pose_bound::TaylorModel;
use crate::robot::RobotMotion;
use crate::scene::solids::{Bounds, Components, Side, Surface, overlap};
use crate::scene::world::CollisionWorld;
use crate::verdict::{Inside, Obstacle};
use glam::{DMat3, DVec3};

/// Reusable memory of the test.
#[derive(Debug, Default)]
pub struct Workspace {
    poses: Vec<TaylorModel<f64>>,
    /// For each link of the robot, the pose of its body.
    frames: Vec<Frame>,
    /// For each link of the robot, the box around it at the start, metres.
    around: Vec<Bounds>,
    /// Links and objects whose boxes overlap.
    pairs: Vec<[u32; 2]>,
    open: Vec<ChildRef>,
    found: Vec<Inside>,
}

/// A point in the world's local coordinates, and a bound on its error, metres.
type Spot = (DVec3, f64);

/// Deviation of the product of a stored rotation and its transpose from the identity.
const DEFECT: f64 = 1.0 / (1u64 << 45) as f64;
/// Relative rounding error of transforming a point into a frame.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The pose of a body at the start.
#[derive(Debug)]
struct Frame {
    rotation: DMat3,
    origin_m: DVec3,
    ball: [f64; 2],
    /// Deviation of the rotation from an orthonormal matrix, of all joints together.
    defect: f64,
}

impl Frame {
    fn new(pose: &TaylorModel<f64>, n_joints: usize) -> Self {
        let rows = pose.jet.p[0].0.map(DVec3::from_array);
        let rotation = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
        let origin_m = DVec3::from_array(pose.jet.x[0].0);
        Self { rotation, origin_m, ball: pose.ball, defect: n_joints as f64 * DEFECT }
    }

    fn error_m(&self, v: DVec3) -> f64 {
        self.ball[0] + self.ball[1] * v.abs().element_sum()
    }

    /// A point of the body in the world.
    fn outward(&self, v: DVec3) -> Spot {
        let p = self.rotation * v + self.origin_m;
        (p, self.error_m(v) + ROUNDING * (v.abs().element_sum() + p.abs().element_sum()))
    }

    /// A point of the world in the body's frame.
    fn inward(&self, (p, error_m): Spot) -> Spot {
        let from_origin = p - self.origin_m;
        let v = self.rotation.transpose() * from_origin;
        let size = from_origin.abs().element_sum() + v.abs().element_sum();
        let rounding = ROUNDING * (p.abs().element_sum() + self.origin_m.abs().element_sum() + size);
        (v, 2.0 * (error_m + self.error_m(v) + self.defect * size) + rounding)
    }

    /// The box, in the world, around a box in the frame, and the reverse; both are enlarged by the errors.
    fn box_outward(&self, around @ [lo, hi]: &Bounds) -> Bounds {
        // The error grows with the distance from the body's origin.
        let (_, error_m) = self.outward(lo.abs().max(hi.abs()));
        turned(around, self.rotation, |v| self.outward(v).0, error_m)
    }

    fn box_inward(&self, around @ [lo, hi]: &Bounds) -> Bounds {
        let point = |p: DVec3| self.inward((p, 0.0));
        turned(around, self.rotation.transpose(), |p| point(p).0, point(*lo).1.max(point(*hi).1))
    }
}

/// The box around a box under a rigid motion that maps points by `map` and rotates by `rotation`; `error_m` is
/// approximately the error of its corners.
fn turned([lo, hi]: &Bounds, rotation: DMat3, map: impl Fn(DVec3) -> DVec3, error_m: f64) -> Bounds {
    let half = (*hi - *lo) / 2.0;
    let spread = rotation.x_axis.abs() * half.x + rotation.y_axis.abs() * half.y + rotation.z_axis.abs() * half.z;
    let middle = map((*lo + *hi) / 2.0);
    // Far more than the rounding errors here and the errors of all corners.
    let spread = spread * (1.0 + 1e-9) + DVec3::splat(8.0 * error_m + 1e-12 * middle.abs().element_sum());
    [middle - spread, middle + spread]
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
    let (poses, robot) = (&space.poses, &world.robot);
    let links = 0..robot.links.len() as u32;
    space.frames.clear();
    space.frames.extend(robot.links.iter().map(|link| Frame::new(&poses[link.body as usize], poses.len())));
    let search = Search { world, frames: &space.frames, is_ignored };
    space.around.clear();
    let around = |link| search.frame(link).box_outward(&world.solids.around(&robot.links, link));
    space.around.extend(links.clone().map(around));
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
    /// The pose of each link's body.
    frames: &'a [Frame],
    is_ignored: &'a dyn Fn(u32, Obstacle) -> bool,
}

impl Search<'_> {
    fn frame(&self, link: u32) -> &Frame {
        &self.frames[link as usize]
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
