//! Two triangles in plain `f64`: their distance, and whether one certainly pierces the other.

use super::mesh::Triangle;
use glam::DVec3;

/// Returns whether an edge of one triangle certainly passes through the inside of the other: all determinants have a
/// sign beyond rounding. Mere touching, coplanar overlap and all uncertain cases give `false`.
pub fn pierce(x: &Triangle, y: &Triangle) -> bool {
    // a cheap early exit: all of one triangle on one side of the other
    let beyond = |x: &Triangle, y: &Triangle| {
        let sides = x.map(|p| side(y[0], y[1], y[2], p));
        sides[0] != 0 && sides[1] == sides[0] && sides[2] == sides[0]
    };
    if beyond(x, y) || beyond(y, x) {
        return false;
    }
    let edges = |t: &Triangle| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
    edges(x).into_iter().any(|(p, q)| edge_pierces(p, q, y)) || edges(y).into_iter().any(|(p, q)| edge_pierces(p, q, x))
}

fn edge_pierces(p: DVec3, q: DVec3, [a, b, c]: &Triangle) -> bool {
    if side(*a, *b, *c, p) * side(*a, *b, *c, q) != -1 {
        return false;
    }
    let around = side(p, q, *a, *b);
    around != 0 && side(p, q, *b, *c) == around && side(p, q, *c, *a) == around
}

/// Sign of the determinant of `a-d, b-d, c-d`, or 0 if rounding could have changed it.
fn side(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> i32 {
    let (u, v, w) = (a - d, b - d, c - d);
    let determinant = u.dot(v.cross(w));
    let (u, v, w) = (u.abs(), v.abs(), w.abs());
    let cross = DVec3::new(v.y * w.z + v.z * w.y, v.z * w.x + v.x * w.z, v.x * w.y + v.y * w.x);
    // at most 8 roundings of 2^-53 in each of the six products, doubled
    let bound = 16.0 * f64::EPSILON * u.dot(cross);
    if determinant > bound {
        1
    } else if determinant < -bound {
        -1
    } else {
        0
    }
}

/// Closest points of two triangles that do not pierce each other.
pub fn closest(x: &Triangle, y: &Triangle) -> (DVec3, DVec3) {
    let mut best = (x[0], y[0]);
    let mut least = f64::INFINITY;
    let mut offer = |p: DVec3, q: DVec3| {
        let d = p.distance_squared(q);
        if d < least {
            (least, best) = (d, (p, q));
        }
    };
    for i in 0..3 {
        offer(x[i], on_triangle(x[i], y));
        offer(on_triangle(y[i], x), y[i]);
        for j in 0..3 {
            let (p, q) = on_segments(x[i], x[(i + 1) % 3], y[j], y[(j + 1) % 3]);
            offer(p, q);
        }
    }
    best
}

/// Distance of two triangles; 0 if they pierce each other.
pub fn distance(x: &Triangle, y: &Triangle) -> f64 {
    if pierce(x, y) {
        return 0.0;
    }
    let (p, q) = closest(x, y);
    p.distance(q)
}

/// The point of a triangle, degenerate ones included, that is closest to `p`.
pub fn on_triangle(p: DVec3, [a, b, c]: &Triangle) -> DVec3 {
    let (ab, ac) = (*b - *a, *c - *a);
    let n = ab.cross(ac);
    let nn = n.length_squared();
    let d = p - *a;
    let foot = (nn > 0.0).then(|| (d.cross(ac).dot(n) / nn, ab.cross(d).dot(n) / nn));
    let inside = foot.filter(|(u, v)| *u >= 0.0 && *v >= 0.0 && u + v <= 1.0);
    // For collinear vertices the normal is only rounding error, and the foot may be anywhere in the triangle: the edges
    // are candidates as well.
    let edges = [on_segment(p, *a, *b), on_segment(p, *b, *c), on_segment(p, *c, *a)];
    let all = edges.into_iter().chain(inside.map(|(u, v)| *a + u * ab + v * ac));
    all.min_by(|s, t| p.distance_squared(*s).total_cmp(&p.distance_squared(*t))).expect("three points")
}

/// The point of the segment `ab` that is closest to `p`.
pub fn on_segment(p: DVec3, a: DVec3, b: DVec3) -> DVec3 {
    let d = b - a;
    let dd = d.length_squared();
    if dd > 0.0 { a + ((p - a).dot(d) / dd).clamp(0.0, 1.0) * d } else { a }
}

/// Closest points of the segments `ab` and `cd`: the best of the pair inside both and the four ends.
pub fn on_segments(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> (DVec3, DVec3) {
    let (d1, d2, r) = (b - a, d - c, a - c);
    let n = d1.cross(d2);
    let nn = n.length_squared();
    let ends = [(a, on_segment(a, c, d)), (b, on_segment(b, c, d)), (on_segment(c, a, b), c), (on_segment(d, a, b), d)];
    let inside = (nn > 0.0).then(|| (d2.cross(r).dot(n) / nn, d1.cross(r).dot(n) / nn));
    let inside = inside.filter(|(s, t)| (0.0..=1.0).contains(s) && (0.0..=1.0).contains(t));
    // For collinear edges the product is only rounding error, and the point inside both may be anywhere: the ends are
    // candidates as well.
    let all = ends.into_iter().chain(inside.map(|(s, t)| (a + s * d1, c + t * d2)));
    all.min_by(|p, q| p.0.distance_squared(p.1).total_cmp(&q.0.distance_squared(q.1))).expect("four pairs")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a point between three vertices that are collinear up to rounding.
    #[test]
    fn on_triangles_without_area() {
        let from = DVec3::new(0.5668527594468303, 0.9588372225989654, -0.004163721671653797);
        let along = DVec3::new(0.06711137, 0.15152878, -0.11196023);
        for k in 0..1000 {
            let share = f64::from(k) / 1000.0;
            let x = [from, from + along * (0.25 + 0.5 * share), from + along];
            let p = from + along * (0.3643 * share);
            assert!(on_triangle(p, &x).distance(p) < 1e-15, "{k}");
        }
    }

    fn triangle(p: [[f64; 3]; 3]) -> Triangle {
        p.map(DVec3::from_array)
    }

    #[test]
    fn distances_by_hand() {
        let floor = triangle([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        for (other, expected) in [
            ([[0.2, 0.2, 0.5], [0.2, 0.2, 1.0], [0.3, 0.2, 1.0]], 0.5), // a vertex over the face
            ([[2.0, 0.0, 0.0], [3.0, 0.0, 0.0], [3.0, 1.0, 0.0]], 1.0), // vertex to vertex
            ([[0.5, -0.3, 0.4], [0.5, -0.3, -0.4], [0.5, -2.0, 0.0]], 0.3), // edges across
            ([[0.1, 0.1, 0.25], [0.2, 0.1, 0.25], [0.1, 0.2, 0.25]], 0.25), // parallel faces
            ([[1.0, 1.0, 0.0], [2.0, 1.0, 0.0], [1.0, 2.0, 0.0]], 0.5_f64.sqrt()), // a vertex to an edge
            ([[0.3, 0.3, 2.0], [0.3, 0.3, 2.0], [0.3, 0.3, 2.0]], 2.0), // a point
            ([[0.2, 0.2, -0.5], [0.2, 0.2, 0.5], [0.9, 0.9, 0.5]], 0.0), // through
        ] {
            let other = triangle(other);
            assert!((distance(&floor, &other) - expected).abs() < 1e-15, "{other:?}");
            assert!((distance(&other, &floor) - expected).abs() < 1e-15, "{other:?}");
        }
    }

    #[test]
    fn touching_is_not_piercing() {
        let floor = triangle([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        let at = |z: f64| triangle([[0.2, 0.2, z], [0.2, 0.2, 1.0], [0.9, 0.9, 1.0]]);
        assert!(!pierce(&floor, &at(0.0)) && distance(&floor, &at(0.0)) == 0.0);
        assert!(!pierce(&floor, &at(1e-12)));
        assert!(pierce(&floor, &at(-1e-12)));
        assert!(!pierce(&floor, &floor));
    }
}
