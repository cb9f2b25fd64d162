//! Ray casting to choose a view; results are correct up to rounding.

use firstcontact::bvh::tree::ChildRef;
use firstcontact::error::{Error, Result};
use firstcontact::robot::Triangle;
use firstcontact::scene::Object;
use firstcontact::scene::world::{CollisionWorld, SceneBox, SceneBuild};
use glam::DVec3;

/// The obstacles that rays may meet.
#[derive(Debug)]
pub struct Sight<'a> {
    /// The scene.
    pub world: &'a CollisionWorld,
    /// The robot in one pose, as the scene of a separate world.
    robot: CollisionWorld,
}

impl<'a> Sight<'a> {
    /// Obstacles from a world's scene, and the robot's triangles in one pose (world coordinates).
    ///
    /// # Errors
    /// A coordinate is too far from the robot's base.
    pub fn new(world: &'a CollisionWorld, robot: &[Triangle]) -> Result<Self> {
        let build = SceneBuild::default();
        let n =
            u32::try_from(robot.len()).map_err(|_| Error::input("the robot has too many triangles for a picture"))?;
        let object = Object { name: String::new(), first_triangle: 0, n_triangles: n };
        // The posed triangles are in world coordinates, unlike the robot of a world.
        let mut placed = world.robot.clone();
        for root in placed.roots() {
            placed.bodies[root as usize].joint.origin_m += world.origin_m;
        }
        let robot = CollisionWorld::with(&placed, &[object], robot.to_vec(), &[], Some(world), build)?;
        Ok(Self { world, robot })
    }

    /// Calls `met` for each of the scene's triangles on the segment between two places (world coordinates), in no
    /// particular order, with the fraction of the segment up to it, and its index.
    pub fn each_met(&self, from: DVec3, to: DVec3, met: impl FnMut(f64, usize)) {
        each_met(self.world, from, to, met);
    }

    /// The first of the scene's triangles on the segment for which `counts` is true: the fraction of the segment up to
    /// it, and its index.
    pub fn first_met(&self, from: DVec3, to: DVec3, counts: impl Fn(usize) -> bool) -> Option<(f64, usize)> {
        let mut first: Option<(f64, usize)> = None;
        self.each_met(from, to, |t, i| {
            // Of several triangles at one place, the first in the tree's order is used, independent of the search
            // order.
            if counts(i) && first.is_none_or(|f| (t, i) < f) {
                first = Some((t, i));
            }
        });
        first
    }

    /// Returns whether the segment meets the robot.
    pub fn is_blocked_by_robot(&self, from: DVec3, to: DVec3) -> bool {
        let mut is_blocked = false;
        each_met(&self.robot, from, to, |_, _| is_blocked = true);
        is_blocked
    }
}

fn each_met(world: &CollisionWorld, from: DVec3, to: DVec3, mut met: impl FnMut(f64, usize)) {
    let scene = &world.scene;
    let (from, way) = (from - world.origin_m, to - from);
    let mut open: Vec<usize> = (!scene.tree.nodes.is_empty()).then_some(0).into_iter().collect();
    while let Some(node) = open.pop() {
        let sides = &scene.boxes[node].0;
        for (slot, child) in scene.tree.nodes[node].iter().enumerate() {
            let [lo, hi] = [0, 3].map(|side| [0, 1, 2].map(|axis| sides[side + axis][slot]));
            if *child == ChildRef::Empty || !meets_box(from, way, &SceneBox { lo, hi }) {
                continue;
            }
            match *child {
                ChildRef::Empty => {}
                ChildRef::Node(n) => open.push(n as usize),
                ChildRef::Leaf(leaf) => {
                    for i in scene.tree.leaf(leaf) {
                        if let Some(t) = meets_triangle(from, way, &scene.triangles[i]) {
                            met(t, i);
                        }
                    }
                }
            }
        }
    }
}

fn meets_box(from: DVec3, way: DVec3, b: &SceneBox) -> bool {
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for i in 0..3 {
        // A segment parallel to a side of the box divides by zero: the quotients are infinite, or NaN, which min and
        // max ignore.
        let (near, far) = ((f64::from(b.lo[i]) - from[i]) / way[i], (f64::from(b.hi[i]) - from[i]) / way[i]);
        (enter, leave) = (enter.max(near.min(far)), leave.min(near.max(far)));
    }
    enter <= leave
}

/// The fraction of the segment up to the triangle, if they meet (Möller and Trumbore 1997).
fn meets_triangle(from: DVec3, way: DVec3, [a, b, c]: &Triangle) -> Option<f64> {
    let (ab, ac, off) = (b - a, c - a, from - a);
    let across = way.cross(ac);
    let volume = ab.dot(across);
    if volume == 0.0 {
        return None;
    }
    let (u, other) = (off.dot(across) / volume, off.cross(ab));
    let (v, t) = (way.dot(other) / volume, ac.dot(other) / volume);
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&t)).then_some(t)
}
