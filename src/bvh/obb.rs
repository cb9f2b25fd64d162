//! Oriented boxes fitted to sets of triangles (Gottschalk, Lin and Manocha 1996; Redon et al. 2004, section 5.1).
//!
//! **Containment.** Let `U` be the matrix of the stored axes, taken as exact numbers. Axes are used only if they are
//! orthonormal to within `||UᵀU - I|| <= 2⁻⁴⁶` as computed, so their exact defect is at most `2⁻⁴⁵`. Then
//! `U` is invertible and a point has one set of coordinates, `s = U⁻¹ (p - c)`. From `s - Uᵀ(p - c) = (I - UᵀU)
//! s` they differ from the scalar products `u_i·(p - c)` by at most `2⁻⁴⁵ |s|`, and those round by four units,
//! `2⁻⁵⁰·⁹ |p - c|` together with the difference. Therefore `|computed u_i·(p - c)| + 2⁻⁴⁴ |p - c|₁`,
//! itself rounded, is at least `|s_i|`. The half sizes are the largest of these over all vertices, relative to the
//! stored centre; a convex set that contains the vertices contains the triangles.

use crate::arith::linear::V3;
use crate::predicate::obb_overlap::OrientedBox;
use crate::robot::Triangle;
use glam::{DMat3, DVec3};

/// Largest deviation of computed axes from orthonormality.
const DEFECT: f64 = 1.0 / (1u64 << 46) as f64;
/// Bound on the excess of a point's true coordinate over the computed one, relative to the sum of the absolute
/// coordinates of its difference from the centre.
const SLACK: f64 = 1.0 / (1u64 << 44) as f64;

/// A tight oriented box that contains triangles despite rounding. Each vertex may have an error of up to `unit` times
/// the sum of its absolute coordinates.
///
/// The candidates are the coordinate axes, the principal axes of the surface (weighted by area, so that a finely
/// tessellated corner has no more weight than a coarse one), and the plane and longest edge of the largest triangle,
/// which fit the few triangles of a leaf. The box with the smallest surface is chosen. Sets without area use the
/// principal axes of their vertices.
pub fn around(triangles: &[Triangle], unit: f64) -> OrientedBox<f64> {
    let mut best = fit(triangles, DMat3::IDENTITY, unit);
    for axes in [principal_axes(triangles), largest_triangle(triangles)].into_iter().flatten() {
        let tried = fit(triangles, axes, unit);
        if surface(&tried) < surface(&best) * (1.0 - 1e-9) {
            best = tried;
        }
    }
    best
}

/// An eighth of the box's surface, metres²: it is also above zero for flat sets, which have no volume.
pub fn surface(b: &OrientedBox<f64>) -> f64 {
    let [x, y, z] = b.half;
    x * y + y * z + z * x
}

/// The smallest box with the given axes.
fn fit(triangles: &[Triangle], axes: DMat3, unit: f64) -> OrientedBox<f64> {
    let vertices = || triangles.iter().flatten();
    let first = vertices().next().copied().unwrap_or(DVec3::ZERO);
    let (mut lo, mut hi) = (DVec3::splat(f64::INFINITY), DVec3::splat(f64::NEG_INFINITY));
    for v in vertices() {
        let s = axes.transpose() * (*v - first);
        (lo, hi) = (lo.min(s), hi.max(s));
    }
    let center = if triangles.is_empty() { first } else { first + axes * ((lo + hi) * 0.5) };
    let (mut half, mut size) = (DVec3::ZERO, 0.0f64);
    for v in vertices() {
        let d = *v - center;
        let along = DVec3::new(axes.x_axis.dot(d), axes.y_axis.dot(d), axes.z_axis.dot(d)).abs();
        half = half.max(along + DVec3::splat(SLACK * d.abs().element_sum()));
        size = size.max(v.abs().element_sum());
    }
    // The inverse of the axes enlarges an error by less than this factor.
    half += DVec3::splat(unit * size * (1.0 + SLACK));
    let reach = (center.length() + half.element_sum()) * (1.0 + 1e-12);
    let axes = [axes.x_axis, axes.y_axis, axes.z_axis].map(V3::new);
    OrientedBox { center: V3::new(center), axes, half: half.to_array(), reach }
}

/// Orthonormal axes, the first along `first` and the second in the plane of `first` and `second`, if they exist.
fn orthonormal(first: DVec3, second: DVec3) -> Option<DMat3> {
    let x = first.try_normalize()?;
    let across = second.try_normalize()?;
    let across = (across - x * x.dot(across)).try_normalize()?;
    // A second pass is needed if the remainder of the first subtraction is small.
    let y = (across - x * x.dot(across)).try_normalize()?;
    let axes = DMat3::from_cols(x, y, x.cross(y));
    let off = axes.transpose() * axes - DMat3::IDENTITY;
    let defect = off.to_cols_array().iter().map(|d| d * d).sum::<f64>().sqrt();
    (defect <= DEFECT).then_some(axes)
}

/// Axes along the longest edge of the largest triangle, and in its plane.
fn largest_triangle(triangles: &[Triangle]) -> Option<DMat3> {
    let area = |t: &Triangle| (t[1] - t[0]).cross(t[2] - t[0]).length_squared();
    let [a, b, c] = triangles.iter().max_by(|s, t| area(s).total_cmp(&area(t)))?;
    let mut edges = [*b - *a, *c - *b, *a - *c];
    edges.sort_by(|e, f| f.length_squared().total_cmp(&e.length_squared()));
    orthonormal(edges[0], edges[1]).or_else(|| orthonormal(edges[0], edges[0].any_orthogonal_vector()))
}

/// The eigenvectors of the covariance of the surface, or of the vertices if there is no surface.
pub(super) fn principal_axes(triangles: &[Triangle]) -> Option<DMat3> {
    let origin = triangles.first()?[0];
    let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
    let (mut area, mut sum, mut square) = (0.0, DVec3::ZERO, DMat3::ZERO);
    let (mut n, mut vertex_sum, mut vertex_square) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for t in triangles {
        let [p, q, r] = t.map(|v| v - origin);
        let corners = outer(p) + outer(q) + outer(r);
        let weight = (q - p).cross(r - p).length();
        let centre = (p + q + r) / 3.0;
        area += weight;
        sum += centre * weight;
        // The second moment of a triangle's surface (GLM96, section 4).
        square += (outer(centre) * 9.0 + corners) * (weight / 12.0);
        n += 3.0;
        vertex_sum += p + q + r;
        vertex_square += corners;
    }
    let covariance = if area > 0.0 {
        square * (1.0 / area) - outer(sum / area)
    } else {
        vertex_square * (1.0 / n) - outer(vertex_sum / n)
    };
    let [x, y] = two_eigenvectors(covariance);
    orthonormal(x, y)
}

/// Eigenvectors of the two largest eigenvalues of a symmetric matrix, by Jacobi rotations.
fn two_eigenvectors(m: DMat3) -> [DVec3; 2] {
    let (mut m, mut vectors) = (m, DMat3::IDENTITY);
    for _ in 0..8 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (app, aqq, apq) = (m.col(p)[p], m.col(q)[q], m.col(q)[p]);
            if apq == 0.0 {
                continue;
            }
            let theta = (aqq - app) / (2.0 * apq);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            let mut turn = DMat3::IDENTITY;
            (turn.col_mut(p)[p], turn.col_mut(q)[q]) = (c, c);
            (turn.col_mut(q)[p], turn.col_mut(p)[q]) = (s, -s);
            m = turn.transpose() * m * turn;
            vectors *= turn;
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| m.col(j)[j].total_cmp(&m.col(i)[i]));
    [vectors.col(order[0]), vectors.col(order[1])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn a_turned_brick_gets_its_own_box() {
        let turn = DMat3::from_quat(DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7));
        let corner = |i: u32| {
            let side = |k: u32| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
            turn * DVec3::new(3.0 * side(0), 2.0 * side(1), side(2)) + DVec3::new(5.0, 0.0, -1.0)
        };
        let faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
        let triangles: Vec<Triangle> =
            faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).map(|t| t.map(corner)).collect();
        let b = around(&triangles, 0.0);
        let mut half = b.half;
        half.sort_by(f64::total_cmp);
        for (h, expected) in half.iter().zip([1.0, 2.0, 3.0]) {
            assert!((h - expected).abs() < 1e-11, "{half:?}");
        }
    }

    #[test]
    fn sets_without_volume_area_or_length() {
        let p = DVec3::new(1e4, -3.0, 2.0);
        assert!(around(&[], 0.0).half == [0.0; 3]);
        assert!(around(&[[p; 3]], 0.0).half.iter().all(|h| *h < 1e-11));
        let along = DVec3::new(1.0, 2.0, 3.0);
        let needle = around(&[[p, p + along, p]], 0.0);
        assert!((needle.half.iter().fold(0.0, |m: f64, h| m.max(*h)) - 0.5 * 14f64.sqrt()).abs() < 1e-9);
        assert!(surface(&needle) < 1e-10, "{needle:?}");
        let sheet = around(&[[DVec3::ZERO, along, DVec3::Y], [DVec3::ZERO, DVec3::Y, along - DVec3::Y * 3.0]], 0.0);
        assert!(sheet.half.iter().any(|h| *h < 1e-11), "{sheet:?}");
    }
}
