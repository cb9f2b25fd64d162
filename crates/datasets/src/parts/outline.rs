//! Plane outlines: common profiles, and cutting a polygon into triangles.

use super::turn::cos_sin;

/// Cuts a polygon without crossings, given counter-clockwise, into `n - 2` triangles of corner indices.
///
/// For a polygon that crosses itself the triangles cover a different area, but their number is the same.
pub(crate) fn ears(outline: &[[f64; 2]]) -> Vec<[u32; 3]> {
    let mut left: Vec<usize> = (0..outline.len()).collect();
    let mut triangles = Vec::with_capacity(outline.len().saturating_sub(2));
    while left.len() > 2 {
        let n = left.len();
        let corner = |i: usize| [left[(i + n - 1) % n], left[i], left[(i + 1) % n]];
        let is_ear = |i: usize| {
            let [a, b, c] = corner(i);
            let [pa, pb, pc] = [a, b, c].map(|k| outline[k]);
            turn(pa, pb, pc) > 0.0
                && !left.iter().any(|&k| ![a, b, c].contains(&k) && is_inside(outline[k], [pa, pb, pc]))
        };
        let i = (0..n).find(|&i| is_ear(i)).unwrap_or(0);
        triangles.push(corner(i).map(|k| k as u32));
        left.remove(i);
    }
    triangles
}

/// Twice the area of the triangle, positive counter-clockwise.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Returns whether a point is in a counter-clockwise triangle or on its border.
fn is_inside(p: [f64; 2], [a, b, c]: [[f64; 2]; 3]) -> bool {
    turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0
}

/// An I-beam's section about the origin, its web along y.
pub(crate) fn i_section(width: f64, height: f64, web: f64, flange: f64) -> Vec<[f64; 2]> {
    let (w, h, s, f) = (width * 0.5, height * 0.5, web * 0.5, height * 0.5 - flange);
    vec![[-w, -h], [w, -h], [w, -f], [s, -f], [s, f], [w, f], [w, h], [-w, h], [-w, f], [-s, f], [-s, -f], [-w, -f]]
}

/// An angle section with its corner at the origin, its legs along x and y.
pub(crate) fn angle_section(leg: f64, thickness: f64) -> Vec<[f64; 2]> {
    let (l, t) = (leg, thickness);
    vec![[0.0, 0.0], [l, 0.0], [l, t], [t, t], [t, l], [0.0, l]]
}

/// A channel section: its web along y at the origin, its flanges to positive x.
pub(crate) fn channel_section(width: f64, height: f64, thickness: f64) -> Vec<[f64; 2]> {
    let (w, h, t) = (width, height * 0.5, thickness);
    vec![[0.0, -h], [w, -h], [w, -h + t], [t, -h + t], [t, h - t], [w, h - t], [w, h], [0.0, h]]
}

/// The hull of a circle about the origin and one at `x = length`, with `steps` edges on each half circle.
///
/// The half circles are drawn as half circles for any radii: exact for equal radii, slightly inside the hull otherwise.
pub(crate) fn tapered_bar(length: f64, root_radius: f64, tip_radius: f64, steps: usize) -> Vec<[f64; 2]> {
    let half_circle = |centre: f64, radius: f64, from: i64| {
        (0..=steps as i64).map(move |k| {
            let (c, s) = cos_sin(from * steps as i64 + 2 * k, 4 * steps as i64);
            [centre + radius * c, radius * s]
        })
    };
    half_circle(length, tip_radius, -1).chain(half_circle(0.0, root_radius, 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(outline: &[[f64; 2]]) -> f64 {
        (0..outline.len())
            .map(|i| {
                let ([ax, ay], [bx, by]) = (outline[i], outline[(i + 1) % outline.len()]);
                0.5 * (ax * by - ay * bx)
            })
            .sum()
    }

    #[test]
    fn ears_cover_the_outline() {
        for outline in [
            i_section(0.1, 0.2, 0.01, 0.015),
            angle_section(0.05, 0.005),
            channel_section(0.05, 0.1, 0.005),
            tapered_bar(0.4, 0.1, 0.06, 7),
        ] {
            let triangles = ears(&outline);
            assert_eq!(triangles.len(), outline.len() - 2);
            let pieces = triangles.iter().map(|t| {
                let [a, b, c] = t.map(|k| outline[k as usize]);
                0.5 * turn(a, b, c)
            });
            assert!(pieces.clone().all(|p| p > 0.0));
            assert!((pieces.sum::<f64>() - area(&outline)).abs() < 1e-15);
        }
    }

    #[test]
    fn degenerate_outlines_give_the_expected_number_of_triangles() {
        assert!(ears(&[]).is_empty());
        assert_eq!(ears(&[[0.0; 2]; 5]).len(), 3);
    }
}
