//! Points under displacements in a ball are in their fat vertex, edge or face; and fat bodies are not larger than
//! necessary.

use crate::effort;
use crate::harness::models::Draw;
use firstcontact::toleranced::elementary::FatEdge;
use firstcontact::toleranced::enclosure::{Map, Vector, exact, middle};
use firstcontact::toleranced::face::{Face, FatFace, Fixed, inflated};
use firstcontact::toleranced::metric::{Feature, Metric};
use glam::DVec3;

/// A convex polygon of three to seven corners about a point.
fn polygon(draw: &mut Draw) -> Vec<[f64; 2]> {
    let n = 3 + draw.below(5);
    let (x, y) = (draw.between(-2.0, 2.0), draw.between(-2.0, 2.0));
    let (a, b, turn) = (draw.between(0.3, 2.0), draw.between(0.3, 2.0), draw.between(0.0, 6.0));
    (0..n)
        .map(|i| {
            let angle = turn + std::f64::consts::TAU * (i as f64 + draw.between(-0.2, 0.2)) / n as f64;
            [x + a * angle.cos(), y + b * angle.sin()]
        })
        .collect()
}

/// A face with masses of some kind.
fn face(draw: &mut Draw) -> Face {
    let corners = polygon(draw);
    let features: Vec<Feature> = match draw.below(3) {
        0 => inflated(&corners, draw.between(1.0, 3.0)),
        1 => (0..4 + draw.below(5))
            .map(|_| Feature {
                at: [draw.between(-3.0, 3.0), draw.between(-3.0, 3.0), 0.0],
                weight: draw.between(0.1, 3.0),
            })
            .collect(),
        // A point off the plane: a metric beyond what the plane needs.
        _ => {
            let off =
                Feature { at: [draw.between(-1.0, 1.0), draw.between(-1.0, 1.0), draw.between(0.1, 1.0)], weight: 1.0 };
            inflated(&corners, 1.0).into_iter().chain([off]).collect()
        }
    };
    Face::new(corners, Map::identity(), Metric::new(&features).unwrap()).unwrap()
}

/// An affine map; in one of two cases a rotation.
fn centre(draw: &mut Draw) -> Map {
    let mut m = draw.rotation();
    if draw.below(2) == 0 {
        m *= glam::DMat3::from_diagonal(DVec3::new(draw.between(0.4, 1.8), draw.between(0.4, 1.8), 1.0))
            * draw.rotation();
    }
    let t = draw.vector(2.0);
    Map::from_rows([0, 1, 2].map(|i| [m.x_axis[i], m.y_axis[i], m.z_axis[i], t[i]]))
}

/// A radius for one of several approximate values of the largest eigenvalue of `R²K`: below one all patches may exist,
/// above one none.
fn radius(draw: &mut Draw, face: &Face) -> f64 {
    let k = &face.metric.distortion;
    let largest = middle(k[0][0]) + middle(k[1][1]);
    [0.1, 0.4, 0.9, 1.6, 3.0][draw.below(5)] / largest.sqrt()
}

/// A displacement of at most the radius, in the plane's metric.
fn displacement(draw: &mut Draw, face: &Face, radius: f64) -> Map {
    let mut v = || draw.vector(1.0).to_array();
    let (o, e, f) = (v(), v(), v());
    let raw = Map::from_rows([0, 1, 2].map(|i| [e[i], f[i], 0.0, o[i]]));
    let length = face.metric.norm(&raw);
    // Mostly at the border, where most of a ball's volume is.
    let share = draw.unit().powf(1.0 / 9.0).max(0.5) * (1.0 - 1e-11);
    raw.times(exact(radius * share / length))
}

/// The displacement that moves a point of the plane as far as possible, along `n`.
fn farthest(face: &Face, x: [f64; 2], n: DVec3, radius: f64) -> Map {
    let x = Vector::exact([x[0], x[1], 0.0]);
    let rho = middle(face.metric.rho2(x)).sqrt();
    let l = radius / rho * (1.0 - 1e-11);
    let bent = face.metric.distort(x - face.metric.centre).middle();
    let s = face.metric.centre.middle();
    let at_origin = l / middle(face.metric.mass) - l * (bent[0] * s[0] + bent[1] * s[1] + bent[2] * s[2]);
    Map::from_rows([0, 1, 2].map(|i| [n[i] * l * bent[0], n[i] * l * bent[1], n[i] * l * bent[2], n[i] * at_origin]))
}

/// A point of vertex, edge or face number `k`.
fn point_of(draw: &mut Draw, face: &Face, kind: usize, k: usize) -> [f64; 2] {
    let n = face.corners.len();
    let (a, b) = (face.corners[k], face.corners[(k + 1) % n]);
    let mix = |a: [f64; 2], b: [f64; 2], t: f64| [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];
    match kind {
        0 => a,
        1 => mix(a, b, draw.unit()),
        _ => {
            let c = face.corners[draw.below(n)];
            mix(mix(a, b, draw.unit()), c, draw.unit())
        }
    }
}

fn edges(fat: &FatFace) -> Vec<FatEdge> {
    (0..fat.corners.len()).map(|i| FatEdge::new(fat, i)).collect()
}

#[test]
fn orbits_stay_in_their_fat_bodies() {
    let mut draw = Draw::new(701);
    for kind in 0..3 {
        let (mut farthest_seen, mut ill) = (0f64, 0);
        for i in 0..effort(20_000, 100_000) {
            let face = face(&mut draw);
            let centre = centre(&mut draw);
            let radius = radius(&mut draw, &face);
            let fat = FatFace::new(&face, &centre, radius);
            let k = draw.below(face.corners.len());
            let x = point_of(&mut draw, &face, kind, k);
            let delta = if i % 4 == 0 {
                let n = draw.direction();
                farthest(&face, x, n, radius)
            } else {
                displacement(&mut draw, &face, radius)
            };
            // Features nearly on a line: the rounding error of their metric exceeds the slack of the displacement.
            if face.metric.norm(&delta) > radius {
                ill += 1;
                continue;
            }
            let moved = super::image(&delta, x);
            let rho = middle(face.metric.rho2(Vector::exact([x[0], x[1], 0.0]))).sqrt();
            farthest_seen = farthest_seen.max(moved.length() / (radius * rho));
            let y = super::image(&centre, x) + moved;
            // A fixed triangle through the point: the point is a corner, or inside an edge.
            let [u, v] = [draw.vector(1.0), draw.vector(1.0)];
            let corners = if kind == 1 { [y - u, y + u * draw.unit(), y + v] } else { [y, y + u, y + v] };
            let fixed = Fixed::new(&corners.map(|c| c.to_array())).unwrap();
            let clear = match kind {
                0 => fat.vertex_clears(k, &fixed),
                1 => fat.edge_clears(&FatEdge::new(&fat, k), &fixed, 0),
                _ => fat.face_clears(&edges(&fat), &fixed, 0),
            };
            // The point is inside by 10⁻¹¹, not on the surface, which a rounded corner may miss.
            assert!(!clear, "kind {kind}, case {i}: {face:?} {centre:?} {radius} {y}");
        }
        println!("kind {kind}: the farthest orbit reaches {farthest_seen:.12} of its radius; {ill} left out");
        assert!(ill < 10);
        assert!(farthest_seen > 1.0 - 1e-9, "no orbit goes as far as it may");
    }
}

/// The minimum of `g_y` over a polygon, by successively finer grids about the best point.
fn least(face: &Face, centre: &Map, radius: f64, y: DVec3) -> f64 {
    let n = face.corners.len();
    let g = |x: [f64; 2]| {
        let rho2 = middle(face.metric.rho2(Vector::exact([x[0], x[1], 0.0])));
        super::image(centre, x).distance_squared(y) - radius * radius * rho2
    };
    let inside = |x: [f64; 2]| {
        (0..n).all(|i| {
            let (a, b) = (face.corners[i], face.corners[(i + 1) % n]);
            (b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0]) >= 0.0
        })
    };
    let mut best = f64::INFINITY;
    // Along the edges, and at the corners.
    for i in 0..n {
        let (a, b) = (face.corners[i], face.corners[(i + 1) % n]);
        for k in 0..=400 {
            let t = f64::from(k) / 400.0;
            best = best.min(g([a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]));
        }
    }
    let (mut lo, mut hi) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for c in &face.corners {
        for i in 0..2 {
            (lo[i], hi[i]) = (lo[i].min(c[i]), hi[i].max(c[i]));
        }
    }
    let (mut middle, mut half) =
        ([0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1])], [0.5 * (hi[0] - lo[0]), 0.5 * (hi[1] - lo[1])]);
    for _ in 0..12 {
        let mut at = middle;
        let mut here = f64::INFINITY;
        for i in -8..=8 {
            for j in -8..=8 {
                let x = [middle[0] + half[0] * f64::from(i) / 8.0, middle[1] + half[1] * f64::from(j) / 8.0];
                if inside(x) && g(x) < here {
                    (here, at) = (g(x), x);
                }
            }
        }
        best = best.min(here);
        (middle, half) = (at, half.map(|h| h * 0.35));
    }
    best
}

/// A point is called clear of a fat face if and only if the minimum is positive, in all regimes: both directions, one
/// or none of which has a patch.
#[test]
fn fat_faces_agree_with_their_definition() {
    let mut draw = Draw::new(702);
    let mut counts = [0; 2];
    for _ in 0..effort(1_500, 20_000) {
        let face = face(&mut draw);
        let centre = centre(&mut draw);
        let radius = radius(&mut draw, &face);
        let fat = FatFace::new(&face, &centre, radius);
        let x = point_of(&mut draw, &face, 2, 0);
        let far = radius * face.rho_max * draw.between(0.2, 1.6);
        let y = super::image(&centre, x) + draw.direction() * far;
        let fixed = Fixed::new(&[y.to_array(), (y + DVec3::X).to_array(), (y + DVec3::Y).to_array()]).unwrap();
        let (clear, least) = (fat.face_clears(&edges(&fat), &fixed, 0), least(&face, &centre, radius, y));
        let band = 2e-4 * (1.0 + y.length_squared());
        assert!(least > 0.0 || !clear, "called clear at {least}");
        assert!(least < band || clear, "not called clear at {least}: {face:?} {centre:?} {radius} {y}");
        counts[usize::from(clear)] += 1;
    }
    println!("{counts:?} in and out");
    assert!(counts[0] > 100 && counts[1] > 100);
}

/// The same for two edges.
#[test]
fn fat_edges_agree_with_their_definition() {
    let mut draw = Draw::new(703);
    let mut counts = [0; 2];
    for case in 0..effort(4_000, 50_000) {
        let face = face(&mut draw);
        let centre = centre(&mut draw);
        let radius = radius(&mut draw, &face);
        let fat = FatFace::new(&face, &centre, radius);
        let x = point_of(&mut draw, &face, 1, 0);
        let y = super::image(&centre, x) + draw.direction() * (radius * face.rho_max * draw.between(0.0, 1.6));
        let (u, size) = (draw.direction(), [1e-3, 0.3, 3.0][draw.below(3)]);
        let t = draw.unit();
        // In some cases nearly along the edge's own direction.
        let along = super::image(&centre, face.corners[1]) - super::image(&centre, face.corners[0]);
        let u = if case % 3 == 0 { (along.normalize() + u * 1e-5).normalize() } else { u };
        let (p, q) = (y - u * size * t, y + u * size * (1.0 - t));
        let fixed = Fixed::new(&[p.to_array(), q.to_array(), (p + draw.vector(1.0)).to_array()]).unwrap();
        let clear = fat.edge_clears(&FatEdge::new(&fat, 0), &fixed, 0);
        let (a, b) = (face.corners[0], face.corners[1]);
        let g = |tau: f64, mu: f64| {
            let x = [a[0] + tau * (b[0] - a[0]), a[1] + tau * (b[1] - a[1])];
            let rho2 = middle(face.metric.rho2(Vector::exact([x[0], x[1], 0.0])));
            super::image(&centre, x).distance_squared(p.lerp(q, mu)) - radius * radius * rho2
        };
        let (mut least, mut at, mut half) = (f64::INFINITY, [0.5; 2], 0.5);
        for _ in 0..10 {
            let from = at;
            for i in -12..=12 {
                for j in -12..=12 {
                    let s = [i, j].map(|k: i32| f64::from(k) / 12.0 * half);
                    let [tau, mu] = [0, 1].map(|k| (from[k] + s[k]).clamp(0.0, 1.0));
                    if g(tau, mu) < least {
                        (least, at) = (g(tau, mu), [tau, mu]);
                    }
                }
            }
            half *= 0.5;
        }
        assert!(least > 0.0 || !clear, "called clear at {least}");
        let band = 1e-3 * (1.0 + size) * (1.0 + y.length_squared()) * radius.max(1.0);
        assert!(least < band || clear, "not called clear at {least}");
        counts[usize::from(clear)] += 1;
    }
    println!("{counts:?} in and out");
    assert!(counts[0] > 300 && counts[1] > 300);
}

/// NaN, infinite and huge inputs are never clear.
#[test]
fn nan_and_infinite_input_is_not_clear() {
    let mut draw = Draw::new(704);
    for _ in 0..200 {
        let face = face(&mut draw);
        let bad = [f64::NAN, f64::INFINITY, 1e200][draw.below(3)];
        let fixed = Fixed::new(&[[9.0, 9.0, 9.0], [10.0, 9.0, 9.0], [9.0, 10.0, 9.0]]).unwrap();
        let mut row = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        row[draw.below(3)][[0, 1, 3][draw.below(3)]] = bad;
        for (map, radius) in [(Map::from_rows(row), 0.1), (Map::identity(), bad)] {
            let fat = FatFace::new(&face, &map, radius);
            let edges = edges(&fat);
            let all = (0..face.corners.len()).all(|k| fat.vertex_clears(k, &fixed))
                && edges.iter().all(|e| (0..3).all(|j| fat.edge_clears(e, &fixed, j)))
                && (0..3).all(|j| fat.face_clears(&edges, &fixed, j));
            assert!(!all, "{map:?} {radius}");
        }
    }
}
