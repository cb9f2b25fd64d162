//! Points inside closed surfaces: the ray from a point along +z crosses the surface an odd number of times.
//!
//! The signs are exact (Shewchuk's adaptive predicates, from the crate `robust`), and degenerate rays are decided by
//! simulation of simplicity: the ray starts at `p + (ε, ε², 0)` with an infinitesimal `ε`, so it meets no edge and no
//! vertex, and the decisions for both triangles of an edge are consistent. A point on the surface is neither inside nor
//! outside; the caller excludes points that are [near](is_near).

use crate::robot::Triangle;
use glam::DVec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Coordinates below this, metres, count as zero. Products of three larger ones do not underflow, so signs are exact.
const SMALLEST_M: f64 = 1e-70;

fn without_tiny(v: DVec3) -> DVec3 {
    DVec3::from_array(v.to_array().map(|x| if x.abs() < SMALLEST_M { 0.0 } else { x }))
}

/// Returns whether the ray from `p` along +z crosses a triangle. Coordinates are at most 1e90.
pub fn crosses(p: DVec3, triangle: &Triangle) -> bool {
    let (p, [a, b, c]) = (without_tiny(p), triangle.map(without_tiny));
    let side = side_of(a, b, p);
    if side == 0 || side_of(b, c, p) != side || side_of(c, a, p) != side {
        return false;
    }
    let at = |v: DVec3| Coord3D { x: v.x, y: v.y, z: v.z };
    // Positive if `p` is below a triangle that is counterclockwise from above.
    orient3d(at(a), at(b), at(c), at(p)) * f64::from(side) > 0.0
}

/// The side of the edge from `a` to `b` on which `p + (ε, ε²)` is, seen along z: 1 for left, -1 for right, 0 if the
/// edge is seen as a point.
fn side_of(a: DVec3, b: DVec3, p: DVec3) -> i32 {
    let at = |v: DVec3| Coord { x: v.x, y: v.y };
    // The determinant is linear in `p`; these are its derivatives.
    let signs = [orient2d(at(a), at(b), at(p)), a.y - b.y, b.x - a.x];
    signs.into_iter().find(|&sign| sign != 0.0).map_or(0, |sign| if sign > 0.0 { 1 } else { -1 })
}

/// Returns false only if every point of a triangle is farther than `distance_m` from `p`. The caller adds an allowance
/// of at least `32 u` times the size of the coordinates (the sum of the absolute ones of `p` and of any vertex) to the
/// distance, for the rounding here.
pub fn is_near(p: DVec3, triangle: &Triangle, distance_m: f64) -> bool {
    let [lo, hi] = bounds(triangle);
    let box_is_apart = (lo - distance_m).cmpgt(p) | (hi + distance_m).cmplt(p);
    if box_is_apart.any() {
        return false;
    }
    // For any direction, the triangle is behind the plane through its nearest vertex along that direction; the
    // direction from the nearest point is the best one.
    let direction = p - nearest(p, triangle);
    let length = direction.length();
    let least = triangle.iter().map(|v| direction.dot(p - *v)).fold(f64::INFINITY, f64::min);
    !(length > 0.0 && least > distance_m * length)
}

/// The box of a triangle.
pub fn bounds([a, b, c]: &Triangle) -> [DVec3; 2] {
    [a.min(*b).min(*c), a.max(*b).max(*c)]
}

/// The point of a triangle that is nearest to `p`, to within rounding (Ericson, Real-Time Collision Detection, 5.1.5).
fn nearest(p: DVec3, &[a, b, c]: &Triangle) -> DVec3 {
    let on_edge = |from: DVec3, to: DVec3| {
        let edge = to - from;
        let share = (p - from).dot(edge) / edge.length_squared();
        if share > 0.0 { from + edge * share.min(1.0) } else { from }
    };
    let normal = (b - a).cross(c - a);
    let is_over = |from: DVec3, to: DVec3| normal.cross(to - from).dot(p - from) >= 0.0;
    if normal != DVec3::ZERO && is_over(a, b) && is_over(b, c) && is_over(c, a) {
        return p - normal * ((p - a).dot(normal) / normal.length_squared());
    }
    let edges = [on_edge(a, b), on_edge(b, c), on_edge(c, a)];
    edges.into_iter().fold(a, |best, q| if q.distance_squared(p) < best.distance_squared(p) { q } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// The corners of a box in the order of the bits of their index, and its triangles, counterclockwise from outside.
    fn cube() -> Vec<Triangle> {
        let corner = |i: u32| DVec3::from_array([0, 1, 2].map(|axis| f64::from(i >> axis & 1)));
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).map(|t| t.map(corner)).collect()
    }

    fn is_inside(p: DVec3, triangles: &[Triangle]) -> bool {
        triangles.iter().filter(|t| crosses(p, t)).count() % 2 == 1
    }

    #[test]
    fn rays_through_edges_and_vertices() {
        let grid = [-0.5, -1e-300, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5];
        for orientation in [1, -1] {
            let mut cube = cube();
            if orientation < 0 {
                cube.iter_mut().for_each(|t| t.swap(0, 1));
            }
            for p in grid.iter().flat_map(|&x| grid.iter().flat_map(move |&y| grid.map(|z| DVec3::new(x, y, z)))) {
                let is_strictly = |x: f64| x > 0.0 && x < 1.0;
                let on_surface = cube.iter().any(|t| is_near(p, t, 1e-15));
                let expected = p.to_array().into_iter().all(is_strictly);
                assert!(on_surface || is_inside(p, &cube) == expected, "{p}");
            }
        }
    }

    #[test]
    fn points_at_a_greater_distance_are_not_near() {
        let mut random = Pcg64::seed_from_u64(7);
        let mut point = || DVec3::from_array([0, 1, 2].map(|_| random.random_range(-1.0..1.0)));
        for _ in 0..2000 {
            let (t, p) = ([point(), point(), point()], point());
            let weights = point().abs();
            let q = (t[0] * weights.x + t[1] * weights.y + t[2] * weights.z) / weights.element_sum();
            assert!(is_near(p, &t, p.distance(q)), "a point of the triangle is nearer");
            assert!(is_near(q, &t, 1e-14));
            let d = p.distance(nearest(p, &t));
            assert!(!is_near(p, &t, 0.999 * d), "{p} {t:?}");
        }
    }
}
