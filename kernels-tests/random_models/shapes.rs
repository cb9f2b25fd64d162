//! Meshes of all kinds, regular and degenerate.

use super::model::Triangle;
use super::random::Random;
use glam::DVec3;

/// A triangle about a point: arbitrary, a needle, a sliver, a large one, or one that degenerates to an edge or a point.
pub fn triangle(r: &mut Random, about: DVec3, size: f64) -> Triangle {
    let p = about + r.cube(0.3 * size);
    let (u, v) = (size * r.direction(), size * r.direction());
    match r.below(20) {
        // a needle: long and thin
        0 | 1 => [p, p + 3.0 * u, p + 3.0 * u + r.magnitude(-9.0, -2.0) * v],
        // a sliver: a corner near the middle of the opposite edge
        2 | 3 => [p - u, p + u, p + r.magnitude(-9.0, -2.0) * v],
        4 => [p - 20.0 * u, p + 20.0 * u, p + 20.0 * v],
        // no area: an edge with a corner on it, an edge twice, a point
        5 => [p, p + 0.25 * u, p + u],
        6 => [p, p + u, p],
        7 => [p; 3],
        // parallel to the coordinate planes
        8 => [p, p + DVec3::X * size, p + DVec3::Y * size],
        _ => [p + size * r.direction(), p + u, p + v],
    }
}

/// A few triangles: separate ones, a fan that shares a vertex, a strip, or the same one twice.
pub fn mesh(r: &mut Random, about: DVec3, size: f64, most: usize) -> Vec<Triangle> {
    let n = 1 + r.below(most);
    let first = triangle(r, about, size);
    let mut out = vec![first];
    let way = r.below(4);
    while out.len() < n {
        let last = out[out.len() - 1];
        let new = about + size * r.direction();
        out.push(match way {
            0 => [first[0], last[2], new],
            1 => [last[1], last[2], new],
            2 => [last[1], last[2], last[0]],
            _ => triangle(r, about, size),
        });
    }
    out
}
