//! Shapes of links.

use crate::oracle::mesh::{self, Triangle};
use glam::{DAffine3, DVec3};

/// A box between two corners.
pub fn block(lo: [f64; 3], hi: [f64; 3]) -> Vec<Triangle> {
    let (lo, hi) = (DVec3::from_array(lo), DVec3::from_array(hi));
    moved(&mesh::box_of(hi - lo), &DAffine3::from_translation((lo + hi) / 2.0))
}

/// A pyramid with its tip at the end of a line along x, and a square base of half side `half`.
pub fn spike(from: f64, tip: f64, half: f64) -> Vec<Triangle> {
    let top = DVec3::new(tip, 0.0, 0.0);
    let corner = |k: usize| {
        let [y, z] = [[-half, -half], [half, -half], [half, half], [-half, half]][k % 4];
        DVec3::new(from, y, z)
    };
    let sides = (0..4).map(|k| [corner(k), corner(k + 1), top]);
    sides.chain([[corner(0), corner(2), corner(1)], [corner(0), corner(3), corner(2)]]).collect()
}

/// Triangles under a pose.
pub fn moved(triangles: &[Triangle], pose: &DAffine3) -> Vec<Triangle> {
    triangles.iter().map(|t| t.map(|p| pose.transform_point3(p))).collect()
}
