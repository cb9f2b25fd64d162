//! Distances by brute force: points against points while apart, parallel planes against each other in penetration.

use firstcontact::extremal::{Motion, Pair, Place, Shape};
use glam::{DMat3, DVec3};

/// Poses at a time.
fn poses(motions: &[Motion; 2], t: f64) -> [(DMat3, DVec3); 2] {
    motions.map(|m| {
        let at = m.at(t);
        (at.rotation, at.origin_m)
    })
}

/// The least distance between two shapes: all pairs of two grids, then steps along the axes that shrink.
pub fn dense_distance(pair: &Pair, motions: &[Motion; 2], t: f64, cells: usize) -> f64 {
    let [a, b] = poses(motions, t);
    let point = |shape: &Shape, (r, o): (DMat3, DVec3), at: [f64; 2]| r * shape.jet(Place { chart: 0, at }).point + o;
    let grid = |shape: &Shape| -> Vec<[f64; 2]> {
        let [us, vs] = shape.ranges().map(|r| {
            let at = |i: usize| r.map_or(0.0, |r| r.lo + i as f64 / cells as f64 * (r.hi - r.lo));
            (0..if r.is_some() { cells + 1 } else { 1 }).map(at).collect::<Vec<f64>>()
        });
        us.iter().flat_map(|u| vs.iter().map(move |v| [*u, *v])).collect()
    };
    let (on_a, on_b) = (grid(&pair.a), grid(&pair.b));
    let points_b: Vec<DVec3> = on_b.iter().map(|x| point(&pair.b, b, *x)).collect();
    let mut best = (f64::INFINITY, [0.0; 4]);
    for x in &on_a {
        let p = point(&pair.a, a, *x);
        for (y, q) in on_b.iter().zip(&points_b) {
            let d = (p - q).length_squared();
            if d < best.0 {
                best = (d, [x[0], x[1], y[0], y[1]]);
            }
        }
    }
    let ranges = pair.ranges();
    let distance = |x: [f64; 4]| {
        // There is no surface beyond an edge.
        let inside = |x: [f64; 4]| (0..4).all(|i| pair.edge(i).is_none_or(|r| x[i] >= r.lo && x[i] <= r.hi));
        let [p, q] = [point(&pair.a, a, [x[0], x[1]]), point(&pair.b, b, [x[2], x[3]])];
        if inside(x) { (p - q).length() } else { f64::INFINITY }
    };
    let span = |i: usize| ranges[i].map_or(0.0, |r| r.hi - r.lo);
    minimise(distance, best.1, std::array::from_fn(|i| span(i) / cells as f64), 1e-9).0
}

/// Local maxima of the gap between parallel support planes of two ellipsoids: the distance if positive, otherwise
/// depths.
pub fn gap_maxima(pair: &Pair, motions: &[Motion; 2], t: f64) -> Vec<f64> {
    let [(ra, oa), (rb, ob)] = poses(motions, t);
    let (Shape::Ellipsoid(da), Shape::Ellipsoid(db)) = (&pair.a, &pair.b) else { panic!("ellipsoids") };
    // n points from B to A.
    let gap =
        |n: DVec3| (oa - ob).dot(n) - (*da * (ra.transpose() * n)).length() - (*db * (rb.transpose() * n)).length();
    let unit = |x: [f64; 2]| DVec3::new(x[0].cos() * x[1].cos(), x[0].sin() * x[1].cos(), x[1].sin());
    let (n_u, n_v) = (64, 33);
    let at = |i: usize, j: usize| {
        let (u, v) = (i as f64 / n_u as f64, j as f64 / (n_v - 1) as f64);
        [u * std::f64::consts::TAU, (v - 0.5) * std::f64::consts::PI]
    };
    let values: Vec<Vec<f64>> = (0..n_u).map(|i| (0..n_v).map(|j| gap(unit(at(i, j)))).collect()).collect();
    let mut maxima = Vec::new();
    for i in 0..n_u {
        for j in 0..n_v {
            let around = [(1, 0), (n_u - 1, 0), (0, 1), (0, n_v), (1, 1), (n_u - 1, 1), (1, n_v), (n_u - 1, n_v)];
            let next = |(di, dj): (usize, usize)| {
                let j = if dj == n_v { j.checked_sub(1)? } else { j + dj };
                values[(i + di) % n_u].get(j).copied()
            };
            if around.into_iter().filter_map(next).all(|g| g <= values[i][j]) {
                let [u, v] = at(i, j);
                maxima.push(-minimise(|x| -gap(unit([x[0], x[1]])), [u, v, 0.0, 0.0], [0.1, 0.1, 0.0, 0.0], 1e-9).0);
            }
        }
    }
    maxima
}

/// Steps along the axes and along the last improvement; they shrink when none improves. Derivative-free, hence slow and
/// independent.
fn minimise(of: impl Fn([f64; 4]) -> f64, start: [f64; 4], mut step: [f64; 4], finest: f64) -> (f64, [f64; 4]) {
    let mut best = (of(start), start);
    while step.iter().any(|s| *s > finest) {
        let before = best.1;
        for i in (0..4).filter(|i| step[*i] > 0.0) {
            for sign in [1.0, -1.0] {
                let mut x = best.1;
                x[i] += sign * step[i];
                let value = of(x);
                if value < best.0 {
                    best = (value, x);
                }
            }
        }
        if best.1 == before {
            step = step.map(|s| 0.5 * s);
            continue;
        }
        let further = std::array::from_fn(|i| 2.0 * best.1[i] - before[i]);
        let value = of(further);
        if value < best.0 {
            best = (value, further);
        }
    }
    best
}
