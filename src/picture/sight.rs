//! Whether something stands between two places: for choosing a view, to within rounding.

use crate::model::robot::Triangle;
use crate::model::tree::ChildRef;
use crate::model::world::{SceneBox, World};
use glam::DVec3;

/// What may stand in the way.
#[derive(Clone, Copy, Debug)]
pub struct Sight<'a> {
    /// The scene.
    pub world: &'a World,
    /// The robot's triangles, world coordinates.
    pub robot: &'a [Triangle],
}

impl Sight<'_> {
    /// Whether the straight way between two places (world coordinates) meets the scene.
    pub fn is_blocked_by_scene(&self, from: DVec3, to: DVec3) -> bool {
        let scene = &self.world.scene;
        let (from, way) = (from - self.world.origin_m, to - from);
        let mut open: Vec<usize> = (!scene.tree.nodes.is_empty()).then_some(0).into_iter().collect();
        while let Some(node) = open.pop() {
            let sides = &scene.boxes[node];
            for (slot, child) in scene.tree.nodes[node].iter().enumerate() {
                let [lo, hi] = [0, 3].map(|side| [0, 1, 2].map(|axis| sides[side + axis][slot]));
                if *child == ChildRef::Empty || !meets_box(from, way, &SceneBox { lo, hi }) {
                    continue;
                }
                match *child {
                    ChildRef::Empty => {}
                    ChildRef::Node(n) => open.push(n as usize),
                    ChildRef::Leaf(leaf) => {
                        if scene.triangles[scene.tree.leaf(leaf)].iter().any(|t| meets_triangle(from, way, t)) {
                            return true;
                        }
                    }
                }
            }
        }
        false
    }

    /// Whether it meets the robot.
    pub fn is_blocked_by_robot(&self, from: DVec3, to: DVec3) -> bool {
        self.robot.iter().any(|t| meets_triangle(from, to - from, t))
    }
}

fn meets_box(from: DVec3, way: DVec3, b: &SceneBox) -> bool {
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for i in 0..3 {
        // A way along the box's side divides by zero: the quotients are infinite, or NaN, which min and max pass over.
        let (near, far) = ((f64::from(b.lo[i]) - from[i]) / way[i], (f64::from(b.hi[i]) - from[i]) / way[i]);
        (enter, leave) = (enter.max(near.min(far)), leave.min(near.max(far)));
    }
    enter <= leave
}

/// Möller and Trumbore 1997.
fn meets_triangle(from: DVec3, way: DVec3, [a, b, c]: &Triangle) -> bool {
    let (ab, ac, off) = (b - a, c - a, from - a);
    let across = way.cross(ac);
    let volume = ab.dot(across);
    if volume == 0.0 {
        return false;
    }
    let (u, other) = (off.dot(across) / volume, off.cross(ab));
    let (v, t) = (way.dot(other) / volume, ac.dot(other) / volume);
    u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&t)
}
