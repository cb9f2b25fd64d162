//! For tests: contact of a robot and a scene, determined without the engine by separating axes on all triangle pairs
//! whose boxes overlap.

use firstcontact::robot::{JointKind, Robot, Triangle};
use firstcontact::scene::Scene;
use glam::{DMat3, DVec3};
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};

/// A robot in a scene.
pub(crate) struct ContactPoint<'a> {
    robot: &'a Robot,
    scene: &'a Scene,
    scene_tree: Bvh,
    link_trees: Vec<Bvh>,
}

/// Largest rotation of any joint between two sampled poses of a motion, radians.
const STEP_RAD: f64 = 0.25 * std::f64::consts::PI / 180.0;

impl<'a> ContactPoint<'a> {
    pub(crate) fn new(robot: &'a Robot, scene: &'a Scene) -> Self {
        Self {
            robot,
            scene,
            scene_tree: tree(&scene.triangles),
            link_trees: robot.links.iter().map(|l| tree(&l.triangles)).collect(),
        }
    }

    /// Returns whether any link touches the scene.
    pub(crate) fn touches(&self, q: &[f64]) -> bool {
        let poses = poses(self.robot, q);
        self.robot.links.iter().zip(&self.link_trees).any(|(link, link_tree)| {
            let (rotation, position) = poses[link.body as usize];
            let (to_link, root) = (rotation.transpose(), link_tree.root_aabb());
            let middle = rotation * ((dvec(root.mins) + dvec(root.maxs)) * 0.5) + position;
            let half = DVec3::from_array(rotation.transpose().to_cols_array_2d().map(|column| {
                // Column i of the transpose is row i of the rotation.
                DVec3::from_array(column).abs().dot((dvec(root.maxs) - dvec(root.mins)) * 0.5)
            }));
            let around = Aabb::new((middle - half).to_array().into(), (middle + half).to_array().into());
            self.scene_tree.intersect_aabb(&around).any(|s| {
                let scene_triangle = self.scene.triangles[s as usize].map(|v| to_link * (v - position));
                let pairs = aabb(&scene_triangle);
                link_tree.intersect_aabb(&pairs).any(|l| meet(&scene_triangle, &link.triangles[l as usize]))
            })
        })
    }

    /// Returns whether a motion touches the scene at one of the sampled poses.
    pub(crate) fn touches_between(&self, start: &[f64], end: &[f64]) -> bool {
        let widest = start.iter().zip(end).map(|(s, e)| (e - s).abs()).fold(0.0, f64::max);
        let n = (widest / STEP_RAD).ceil().max(1.0) as usize;
        (0..=n).any(|k| {
            let t = k as f64 / n as f64;
            let q: Vec<f64> = start.iter().zip(end).map(|(s, e)| s + (e - s) * t).collect();
            self.touches(&q)
        })
    }
}

/// Rotation and position of every body, from the formulas of a chain of frames.
pub(crate) fn poses(robot: &Robot, q: &[f64]) -> Vec<(DMat3, DVec3)> {
    let mut poses: Vec<(DMat3, DVec3)> = Vec::new();
    for body in &robot.bodies {
        let (r, p) = body.parent.map_or((DMat3::IDENTITY, DVec3::ZERO), |i| poses[i as usize]);
        let turn = match body.joint.kind {
            JointKind::Revolute { axis, drive } => DMat3::from_axis_angle(axis, drive.value(q)),
            _ => DMat3::IDENTITY,
        };
        poses.push((r * body.joint.orientation * turn, r * body.joint.origin_m + p));
    }
    poses
}

fn dvec(v: parry3d_f64::math::Vector) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

fn aabb(t: &Triangle) -> Aabb {
    let (low, high) = (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
    Aabb::new(low.to_array().into(), high.to_array().into())
}

/// A tree over the boxes of triangles.
pub(crate) fn tree(triangles: &[Triangle]) -> Bvh {
    let boxes: Vec<Aabb> = triangles.iter().map(aabb).collect();
    Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes)
}

/// The triangles of a tree whose boxes overlap a triangle's.
pub(crate) fn near(tree: &Bvh, triangle: &Triangle) -> Vec<u32> {
    tree.intersect_aabb(&aabb(triangle)).collect()
}

/// Returns whether two triangles have a common point: no axis separates them.
pub(crate) fn meet(a: &Triangle, b: &Triangle) -> bool {
    let edges = |t: &Triangle| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (ea, eb) = (edges(a), edges(b));
    let (na, nb) = (ea[0].cross(ea[1]), eb[0].cross(eb[1]));
    let separates = |axis: DVec3| {
        let range = |t: &Triangle| {
            let d = t.map(|v| axis.dot(v - a[0]));
            [d[0].min(d[1]).min(d[2]), d[0].max(d[1]).max(d[2])]
        };
        let ([low_a, high_a], [low_b, high_b]) = (range(a), range(b));
        high_a < low_b || high_b < low_a
    };
    let crosses = ea.iter().flat_map(|&x| eb.map(|y| x.cross(y)));
    let in_planes = ea.iter().map(|&e| na.cross(e)).chain(eb.iter().map(|&e| nb.cross(e)));
    ![na, nb].into_iter().chain(crosses).chain(in_planes).any(separates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intersections_of_two_triangles() {
        let flat = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let moved = |t: Triangle, by: DVec3| t.map(|v| v + by);
        let upright = [DVec3::new(0.2, 0.2, -0.5), DVec3::new(0.2, 0.2, 0.5), DVec3::new(0.3, 0.3, 0.5)];
        assert!(meet(&flat, &upright));
        assert!(!meet(&flat, &moved(upright, DVec3::Z * 0.6)));
        assert!(meet(&flat, &moved(upright, DVec3::Z * 0.5)));
        assert!(!meet(&flat, &moved(upright, DVec3::new(0.4, 0.4, 0.0))));
        assert!(meet(&flat, &moved(flat, DVec3::X * 0.5)));
        assert!(!meet(&flat, &moved(flat, DVec3::new(0.6, 0.6, 0.0))));
    }
}
