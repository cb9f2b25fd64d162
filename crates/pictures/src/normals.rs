//! Normals for shading: smooth where a surface bends slightly, sharp at its edges.

use firstcontact::robot::Triangle;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// Cosine of the angle between triangles at a vertex; triangles at smaller angles are shaded as one surface.
const COS_CREASE: f32 = 0.79;
/// If more triangles share a vertex, each keeps its own normal: the work increases with the square of their number.
const MAX_FAN: usize = 64;

/// The unit normal at each corner; zero for a triangle without area.
pub fn smooth(triangles: &[Triangle]) -> Vec<[Vec3; 3]> {
    let area = |[a, b, c]: &Triangle| (b - a).cross(c - a).as_vec3();
    let areas: Vec<Vec3> = triangles.par_iter().map(area).collect();
    let hash = BuildHasherDefault::<DefaultHasher>::default();
    // The addition of zero turns -0 into 0.
    let key = |v: DVec3| hash.hash_one((v + 0.0).to_array().map(f64::to_bits));
    let corner = |i: usize| (key(triangles[i / 3][i % 3]), i);
    let mut corners: Vec<(u64, usize)> = (0..3 * triangles.len()).into_par_iter().map(corner).collect();
    corners.par_sort_unstable();
    let mut normals: Vec<[Vec3; 3]> = areas.iter().map(|a| [a.normalize_or_zero(); 3]).collect();
    for fan in corners.chunk_by(|a, b| a.0 == b.0).filter(|fan| fan.len() <= MAX_FAN) {
        for &(_, i) in fan {
            let own = areas[i / 3].normalize_or_zero();
            let is_near = |other: &&Vec3| own.dot(other.normalize_or_zero()) > COS_CREASE;
            let sum: Vec3 = fan.iter().map(|&(_, j)| &areas[j / 3]).filter(is_near).sum();
            normals[i / 3][i % 3] = sum.normalize_or(own);
        }
    }
    normals
}

/// The normal of each triangle at its corners: the result of [`smooth`] if all edges are sharp.
pub fn flat(triangles: &[Triangle]) -> Vec<[Vec3; 3]> {
    let normal = |[a, b, c]: &Triangle| [(b - a).cross(c - a).as_vec3().normalize_or_zero(); 3];
    triangles.par_iter().map(normal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steep_edges_are_shaded_sharp_and_shallow_ones_smooth() {
        let pair = |rise: f64| {
            let ridge = [DVec3::new(0.0, 0.0, rise), DVec3::new(0.0, 1.0, rise)];
            [[ridge[0], DVec3::X, ridge[1]], [ridge[1], DVec3::NEG_X, ridge[0]]]
        };
        let roof = pair(1.0);
        assert_eq!(smooth(&roof), flat(&roof));
        let [first, second] = [0, 1].map(|i| smooth(&pair(0.2))[i]);
        assert_eq!((first[0], first[2]), (second[2], second[0]), "one normal at each end of the ridge");
        assert!(first[0].x.abs() < 1e-6 && first[1].x > 0.1, "{first:?}");
        assert_eq!(smooth(&[[DVec3::X; 3]]), [[Vec3::ZERO; 3]]);
    }
}
