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
    /// For each link of the robot, the box around it at the start, metres.
    around: Vec<Bounds>,
    found: Vec<Inside>,
}

/// A point in the world's local coordinates, and a bound on its error, metres.
type Spot = (DVec3, f64);

/// Deviation of the product of a stored rotation and its transpose from the identity.
const DEFECT: f64 = 1.0 / (1u64 << 45) as f64;
/// Relative rounding error of transforming a point into a frame.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The pose of a body at the start.
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
    fn box_outward(&self, around: &Bounds) -> Bounds {
        turned(around, self.rotation, |v| self.outward(v))
    }

    fn box_inward(&self, around: &Bounds) -> Bounds {
        turned(around, self.rotation.transpose(), |v| self.inward((v, 0.0)))
    }
}

/// The box around a box under a rigid motion that maps points by `map` and rotates by `rotation`.
fn turned([lo, hi]: &Bounds, rotation: DMat3, map: impl Fn(DVec3) -> Spot) -> Bounds {
    let half = (*hi - *lo) / 2.0;
    let spread = rotation.x_axis.abs() * half.x + rotation.y_axis.abs() * half.y + rotation.z_axis.abs() * half.z;
    let (middle, _) = map((*lo + *hi) / 2.0);
    let error_m = map(*lo).1.max(map(*hi).1);
    // Far more than the rounding errors here and the errors of corners other than these two.
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
    let search = Search { world, poses: &space.poses, is_ignored };
    space.around.clear();
    let links = 0..world.robot.links.len() as u32;
    let around = |link| search.frame(link).box_outward(&world.solids.around(&world.robot.links, link));
    space.around.extend(links.clone().map(around));
    if !world.scene.triangles.is_empty() {
        for link in links {
            search.in_scene(link, &space.around[link as usize], &mut space.found);
        }
    }
    search.in_links(&space.around, &mut space.found);
    space.found.sort_unstable_by_key(|inside| (inside.link, inside.obstacle));
    &space.found
}

struct Search<'a> {
    world: &'a CollisionWorld,
    poses: &'a [TaylorModel<f64>],
    is_ignored: &'a dyn Fn(u32, Obstacle) -> bool,
}

impl Search<'_> {
    fn frame(&self, link: u32) -> Frame {
        let body = self.world.robot.links[link as usize].body;
        Frame::new(&self.poses[body as usize], self.poses.len())
    }

    /// Tests a link against the objects of the scene whose boxes overlap its own.
    fn in_scene(&self, link: u32, around: &Bounds, found: &mut Vec<Inside>) {
        self.world.scene.solids().each(around, &mut |object| {
            if !self.world.allowed.contains(&(link, object)) && !(self.is_ignored)(link, Obstacle::Object(object)) {
                let point = self.point_in_object(link, object, around);
                found.extend(point.map(|p| self.inside(link, Obstacle::Object(object), p)));
            }
        });
    }

    fn point_in_object(&self, link: u32, object: u32, around: &Bounds) -> Option<DVec3> {
        let (scene, frame) = (&self.world.scene, self.frame(link));
        let solid = self.world.solids.get(&self.world.robot.links, link);
        let surface = scene.solids().surface(scene, object);
        let in_object = surface.and_then(|surface| {
            let near = frame.box_inward(&surface.around);
            point_in(&solid.components, &near, &surface, |v| frame.outward(v), |v| v)
        });
        in_object.or_else(|| {
            let components = &scene.solids().get(scene, object).components;
            let spot = |v: DVec3| (v, scene.shift_unit * v.abs().element_sum());
            solid.surfaces().find_map(|surface| point_in(components, around, &surface, spot, |v| frame.inward(v)))
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
            let near = frame.box_inward(&within.box_outward(&surface.around));
            point_in(&solid.components, &near, &surface, |v| frame.outward(v), |p| within.inward(p))
        })
    }

    fn inside(&self, link: u32, obstacle: Obstacle, point: DVec3) -> Inside {
        Inside { link, obstacle, point: (point + self.world.origin_m).to_array() }
    }
}

/// A point in the world that is inside a surface: a vertex of one of the components whose boxes overlap `near`.
/// Vertices are transformed to the world by `outward`, and to the surface's frame by `inward`.
fn point_in(
    components: &Components,
    near: &Bounds,
    surface: &Surface,
    outward: impl Fn(DVec3) -> Spot,
    inward: impl Fn(Spot) -> Spot,
) -> Option<DVec3> {
    let mut found = None;
    components.each(near, &mut |vertices| {
        for &vertex in vertices {
            let spot = outward(vertex);
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
