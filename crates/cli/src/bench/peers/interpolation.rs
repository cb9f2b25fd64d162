//! The motion that most peers accept: a link moves from one pose in the world to another, its origin on a straight
//! line, turning at a constant rate. A robot's link moves differently, and this module measures the difference.

use super::sets::{Set, moving_links};
use firstcontact::Result;
use glam::{DAffine3, DQuat, DVec3};

/// Number of times at which the two motions are compared, in addition to both ends, where they agree.
const MOMENTS: usize = 7;

/// A motion of one body between two poses.
#[derive(Clone, Copy, Debug)]
pub struct Interpolated {
    /// Orientation at the start.
    pub orientation: DQuat,
    /// Origin at the start, metres.
    pub origin_m: DVec3,
    /// Displacement of the origin, metres.
    pub way_m: DVec3,
    /// Angular velocity times the duration, world axes: the smaller rotation.
    pub turn_rad: DVec3,
}

impl Interpolated {
    /// The motion from one pose to another.
    pub fn between(from: &DAffine3, to: &DAffine3) -> Self {
        let [a, b] = [from, to].map(|pose| DQuat::from_mat3(&pose.matrix3).normalize());
        let turn = b * a.conjugate();
        let turn_rad = if turn.w < 0.0 { -turn } else { turn }.normalize().to_scaled_axis();
        let way_m = to.translation - from.translation;
        Self { orientation: a, origin_m: from.translation, way_m, turn_rad }
    }

    /// The pose at a time from 0 to 1.
    pub fn at(&self, t: f64) -> DAffine3 {
        let turned = DQuat::from_scaled_axis(self.turn_rad * t) * self.orientation;
        DAffine3::from_rotation_translation(turned, self.origin_m + self.way_m * t)
    }
}

/// Poses of all bodies at a time of motion `i`.
pub fn poses(set: &Set, i: usize, t: f64) -> Result<Vec<DAffine3>> {
    let [start, end] = &set.motions[i].ends;
    let q: Vec<f64> = start.iter().zip(end).map(|(s, e)| s + t * (e - s)).collect();
    set.robot.body_poses(&q)
}

/// The largest distance of a vertex of the robot, at some times, from its position on the interpolated motion, metres.
pub fn gap_m(set: &Set, i: usize) -> Result<f64> {
    let (from, to) = (poses(set, i, 0.0)?, poses(set, i, 1.0)?);
    let mut most: f64 = 0.0;
    for k in 1..=MOMENTS {
        let t = k as f64 / (MOMENTS + 1) as f64;
        let true_poses = poses(set, i, t)?;
        for link in moving_links(&set.robot) {
            let link = &set.robot.links[link];
            let body = link.body as usize;
            let there = Interpolated::between(&from[body], &to[body]).at(t);
            let apart = |v: &DVec3| (true_poses[body].transform_point3(*v) - there.transform_point3(*v)).length();
            most = link.triangles.iter().flatten().map(apart).fold(most, f64::max);
        }
    }
    Ok(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn interpolation_keeps_both_ends_and_moves_the_origin_straight() {
        let from = DAffine3::from_rotation_translation(DQuat::from_rotation_z(0.2), DVec3::X);
        let to = DAffine3::from_rotation_translation(DQuat::from_rotation_z(0.2 + PI / 2.0), DVec3::Y);
        let motion = Interpolated::between(&from, &to);
        assert!(motion.at(0.0).abs_diff_eq(from, 1e-14) && motion.at(1.0).abs_diff_eq(to, 1e-14));
        assert!(motion.turn_rad.abs_diff_eq(DVec3::Z * PI / 2.0, 1e-14));
        // Halfway between X and Y on a straight line, whereas an arm that turns about the origin would be at 45° and a
        // distance of 1.
        assert!(motion.at(0.5).translation.abs_diff_eq(DVec3::new(0.5, 0.5, 0.0), 1e-14));
    }
}
