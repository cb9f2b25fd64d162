//! Triangles of a patch: between rows of points, and around capsules.

use crate::robot::Triangle;
use glam::DVec3;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Adds the triangles between consecutive rows of points; all rows are equally long.
pub fn add_rows(rows: impl IntoIterator<Item = Vec<DVec3>>, out: &mut Vec<Triangle>) {
    let mut before: Option<Vec<DVec3>> = None;
    for row in rows {
        for (above, below) in before.iter().flat_map(|b| b.windows(2)).zip(row.windows(2)) {
            let [a, b, c, d] = [above[0], above[1], below[1], below[0]];
            out.extend([[a, b, c], [a, c, d]]);
        }
        before = Some(row);
    }
}

/// Adds all points within `radius` of a segment: `n` steps on each of the two half spheres from its pole to its rim,
/// `m` steps around.
pub fn add_capsule([a, b]: [DVec3; 2], radius: f64, [n, m]: [usize; 2], out: &mut Vec<Triangle>) {
    let axis = (b - a).try_normalize().unwrap_or(DVec3::Z);
    let (u, v) = axis.any_orthonormal_pair();
    let ring = |centre: DVec3, latitude: f64| -> Vec<DVec3> {
        let (sin, cos) = latitude.sin_cos();
        let around = (0..=m).map(|j| (TAU * j as f64 / m as f64).sin_cos());
        around.map(|(s, c)| centre + (axis * sin + (u * c + v * s) * cos) * radius).collect()
    };
    let latitude = |i: usize| FRAC_PI_2 * i as f64 / n as f64;
    let lower = (0..=n).map(|i| ring(a, latitude(i) - FRAC_PI_2));
    let upper = (0..=n).map(|i| ring(b, latitude(i)));
    add_rows(lower.chain(upper), out);
}
