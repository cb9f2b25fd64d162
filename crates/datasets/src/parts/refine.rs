//! Splitting triangles in two, to bring a tessellation to an exact count.

use super::mesh::Mesh;
use glam::DVec3;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Splits the longest edge of the largest triangle, `times` times over all meshes. The neighbour across that edge is
/// also split, so closed surfaces remain closed and each split adds two triangles.
///
/// A triangle whose longest edge does not have exactly one neighbour is skipped.
pub(crate) fn cut_largest<'a>(meshes: impl Iterator<Item = &'a mut Mesh>, times: usize) {
    let mut meshes: Vec<&mut Mesh> = meshes.collect();
    let mut queue: BinaryHeap<(u64, Reverse<(usize, usize)>)> = BinaryHeap::new();
    for (m, mesh) in meshes.iter().enumerate() {
        queue.extend((0..mesh.triangles.len()).map(|t| (size(mesh.corners(t)), Reverse((m, t)))));
    }
    let mut left = times;
    while left > 0 {
        let Some((size_then, Reverse((m, t)))) = queue.pop() else { return };
        let mesh = &mut *meshes[m];
        if size_then != size(mesh.corners(t)) {
            continue; // The triangle was cut as a neighbour.
        }
        let Some(changed) = cut(mesh, t) else { continue };
        left -= 1;
        queue.extend(changed.map(|t| (size(mesh.corners(t)), Reverse((m, t)))));
    }
}

/// A number that increases with the area.
fn size([a, b, c]: [DVec3; 3]) -> u64 {
    // The bits of non-negative numbers, as integers, have the same order as the numbers.
    (b - a).cross(c - a).length_squared().to_bits()
}

/// Splits triangle `t` and its neighbour across its longest edge; returns the four resulting triangles.
fn cut(mesh: &mut Mesh, t: usize) -> Option<[usize; 4]> {
    let corners = mesh.corners(t);
    let length = |k: usize| (corners[(k + 1) % 3] - corners[k]).length_squared();
    let k = (0..3).max_by(|&i, &j| length(i).total_cmp(&length(j)))?;
    let [a, b, c] = [0, 1, 2].map(|i| mesh.triangles[t][(k + i) % 3]);
    let joins = |o: &[u32; 3]| (0..3).find(|&i| o[i] == b && o[(i + 1) % 3] == a);
    let mut neighbours = mesh.triangles.iter().enumerate().filter_map(|(i, o)| joins(o).map(|k| (i, k)));
    let (n, kn) = neighbours.next()?;
    if neighbours.next().is_some() {
        return None;
    }
    let d = mesh.triangles[n][(kn + 2) % 3];
    let mut middle = Mesh { vertices: vec![(corners[k] + corners[(k + 1) % 3]) * 0.5], triangles: Vec::new() };
    middle.round_to_micrometres();
    let m = mesh.vertex(middle.vertices[0]);
    let first = mesh.triangles.len();
    mesh.triangles[t] = [a, m, c];
    mesh.triangles[n] = [b, m, d];
    mesh.triangles.extend([[m, b, c], [m, a, d]]);
    Some([t, n, first, first + 1])
}

#[cfg(test)]
mod tests {
    use super::super::frame::Frame;
    use super::super::rings::Detail;
    use super::super::shapes::Shape;
    use super::*;

    #[test]
    fn cuts_keep_the_solid_and_reach_the_largest_first() {
        let mut mesh = Mesh::default();
        let detail = Detail { chord_error_m: 1e-3 };
        Shape::cuboid(3.0, 2.0, 0.1).append(detail, &Frame::at(0.0, 0.0, 0.0), &mut mesh);
        Shape::cylinder(0.01, 0.1).append(detail, &Frame::at(9.0, 0.0, 0.0), &mut mesh);
        let (before, volume) = (mesh.triangles.len(), mesh.six_volumes());
        let largest = |m: &Mesh| m.soup().map(size).max().map_or(0.0, f64::from_bits);
        let largest_before = largest(&mesh);
        cut_largest(std::iter::once(&mut mesh), 100);
        assert_eq!(mesh.triangles.len(), before + 200);
        assert!(mesh.is_closed());
        assert!((mesh.six_volumes() / volume - 1.0).abs() < 1e-9);
        assert!(largest(&mesh) < largest_before / 100.0);
    }

    #[test]
    fn a_single_triangle_is_not_cut() {
        let mut mesh = Mesh { vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y], triangles: vec![[0, 1, 2]] };
        cut_largest(std::iter::once(&mut mesh), 5);
        assert_eq!(mesh.triangles.len(), 1);
    }
}
