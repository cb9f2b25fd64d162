//! Points and derivatives of shapes.

use super::bodies::{octant, patches, uniform};
use firstcontact::extremal::jet::Jet;
use firstcontact::extremal::{Basis, Place, Shape, SplineCurve, SplineSurface};
use glam::DVec3;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;

/// A closed circle: nine points, double knots.
fn circle(radius: f64) -> SplineCurve {
    let xy = [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1], [1, 0]];
    let points = xy.map(|[x, y]| radius * DVec3::new(f64::from(x), f64::from(y), 0.0));
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let weights: [f64; 9] = std::array::from_fn(|i| if i % 2 == 0 { 1.0 } else { half });
    let knots = vec![0.0, 0.0, 0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0, 1.0, 1.0];
    SplineCurve::new(Basis::new(2, knots).unwrap(), &points, Some(&weights)).unwrap().closed().unwrap()
}

/// A bicubic surface over 3 × 2 spans.
fn spans(random: &mut Pcg64Mcg) -> Shape {
    let u = Basis::new(3, vec![0.0, 0.0, 0.0, 0.0, 0.3, 0.7, 1.0, 1.0, 1.0, 1.0]).unwrap();
    let v = Basis::new(2, vec![0.0, 0.0, 0.0, 0.4, 1.0, 1.0, 1.0]).unwrap();
    let n = u.n_points() * v.n_points();
    let points: Vec<DVec3> = (0..n)
        .map(|k| {
            let (i, j) = ((k / v.n_points()) as f64, (k % v.n_points()) as f64);
            DVec3::new(0.3 * i, 0.4 * j, uniform(random, -0.3, 0.3))
        })
        .collect();
    let weights: Vec<f64> = (0..n).map(|_| uniform(random, 0.5, 2.0)).collect();
    Shape::Patch(SplineSurface::new([u, v], &points, Some(&weights), false).unwrap())
}

fn shapes() -> Vec<Shape> {
    let mut random = Pcg64Mcg::seed_from_u64(31);
    vec![
        Shape::ellipsoid([2.0, 1.2, 0.8]).unwrap(),
        Shape::torus(1.5, 0.4).unwrap(),
        spans(&mut random),
        patches().0.a,
        octant(0.8),
        Shape::ellipse([1.3, 0.6]).unwrap(),
        Shape::Curve(circle(1.5)),
    ]
}

/// Differences of order 6: from points alone.
fn difference(point: impl Fn(f64) -> DVec3, h: f64) -> [DVec3; 2] {
    let [p1, p2, p3] = [1.0, 2.0, 3.0].map(|k| (point(k * h), point(-k * h)));
    let (odd, even) = (|(a, b): (DVec3, DVec3)| a - b, |(a, b): (DVec3, DVec3)| a + b);
    let first = (45.0 * odd(p1) - 9.0 * odd(p2) + odd(p3)) / (60.0 * h);
    let second = (270.0 * even(p1) - 27.0 * even(p2) + 2.0 * even(p3) - 490.0 * point(0.0)) / (180.0 * h * h);
    [first, second]
}

#[test]
fn derivatives_are_those_of_differences() {
    let mut random = Pcg64Mcg::seed_from_u64(32);
    for shape in shapes() {
        let ranges = shape.ranges();
        let charts = if matches!(shape, Shape::Ellipsoid(_)) { 3 } else { 1 };
        for k in 0..60 {
            // Away from knots, across which differences of this order are not valid.
            let mut at = || {
                [0, 1].map(|i: usize| {
                    ranges[i].map_or(0.0, |r| {
                        let x = r.lo + uniform(&mut random, 0.02, 0.98) * (r.hi - r.lo);
                        let knots = [0.25, 0.3, 0.4, 0.5, 0.7, 0.75];
                        let smooth = !matches!(shape, Shape::Patch(_) | Shape::Curve(_));
                        if smooth {
                            x
                        } else {
                            knots.iter().fold(x, |x, k| if (x - k).abs() < 0.015 { k + 0.015 } else { x })
                        }
                    })
                })
            };
            let place = Place { chart: k % charts, at: at() };
            let jet = shape.jet(place);
            let point = |i: usize, d: f64, other: f64| {
                let mut at = place.at;
                (at[i], at[1 - i]) = (at[i] + d, at[1 - i] + other);
                shape.jet(Place { at, ..place }).point
            };
            let h = 4e-3;
            let close = |a: DVec3, b: DVec3, to: f64| assert!((a - b).length() < to, "{shape:?} {place:?}: {a} {b}");
            for i in (0..2).filter(|i| ranges[*i].is_some()) {
                let [first, second] = difference(|d| point(i, d, 0.0), h);
                close(jet.first[i], first, 1e-8);
                close(jet.second_of(i, i), second, 1e-6);
            }
            if ranges[1].is_some() {
                let along = |other: f64| difference(|d| point(0, d, other), h)[0];
                close(jet.second_of(0, 1), difference(along, h)[0], 1e-6);
            }
        }
    }
}

/// a + b e₁ + c e₂ + d e₁e₂ with e² = 0: exact derivatives by arithmetic.
#[derive(Clone, Copy)]
struct Dual([f64; 4]);

impl Dual {
    fn plus(self, o: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + o.0[i]))
    }

    fn times(self, o: Self) -> Self {
        let ([a, b, c, d], [w, x, y, z]) = (self.0, o.0);
        Self([a * w, a * x + b * w, a * y + c * w, a * z + b * y + c * x + d * w])
    }

    fn inverse(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([1.0 / a, -b / (a * a), -c / (a * a), 2.0 * b * c / (a * a * a) - d / (a * a)])
    }

    fn scaled(self, s: f64) -> Self {
        Self(self.0.map(|x| s * x))
    }

    /// Bernstein's polynomials of degree 3.
    fn bernstein(self) -> [Self; 4] {
        let other = Self([1.0, 0.0, 0.0, 0.0]).plus(self.scaled(-1.0));
        let (t, s) = (self, other);
        [s.times(s).times(s), t.times(s).times(s).scaled(3.0), t.times(t).times(s).scaled(3.0), t.times(t).times(t)]
    }
}

#[test]
fn a_bezier_patch_has_the_derivatives_of_dual_numbers() {
    let at = |i: usize| -1.0 + 2.0 * i as f64 / 3.0;
    let z = [[0.0, 0.5, 0.5, 0.0], [0.5, 1.1, 1.0, 0.45], [0.5, 1.0, 1.2, 0.5], [0.0, 0.5, 0.45, -0.1]];
    let weight = |i, j| match (i, j) {
        (1, 1) => 1.5,
        (1, 2) | (2, 1) => 1.2,
        (2, 2) => 2.0,
        _ => 1.0,
    };
    let evaluated = |u: Dual, v: Dual| -> [Dual; 3] {
        let (bu, bv) = (u.bernstein(), v.bernstein());
        let mut sums = [Dual([0.0; 4]); 4];
        for i in 0..4 {
            for j in 0..4 {
                let b = bu[i].times(bv[j]).scaled(weight(i, j));
                for (sum, c) in sums.iter_mut().zip([at(i), at(j), z[i][j], 1.0]) {
                    *sum = sum.plus(b.scaled(c));
                }
            }
        }
        let w = sums[3].inverse();
        [sums[0].times(w), sums[1].times(w), sums[2].times(w)]
    };
    let part = |p: [Dual; 3], k: usize| DVec3::new(p[0].0[k], p[1].0[k], p[2].0[k]);
    let shape = patches().0.a;
    let mut random = Pcg64Mcg::seed_from_u64(33);
    for _ in 0..100 {
        let (u, v) = (uniform(&mut random, 0.0, 1.0), uniform(&mut random, 0.0, 1.0));
        let mixed = evaluated(Dual([u, 1.0, 0.0, 0.0]), Dual([v, 0.0, 1.0, 0.0]));
        let twice_u = evaluated(Dual([u, 1.0, 1.0, 0.0]), Dual([v, 0.0, 0.0, 0.0]));
        let twice_v = evaluated(Dual([u, 0.0, 0.0, 0.0]), Dual([v, 1.0, 1.0, 0.0]));
        let wanted = Jet {
            point: part(mixed, 0),
            first: [part(mixed, 1), part(mixed, 2)],
            second: [part(twice_u, 3), part(mixed, 3), part(twice_v, 3)],
        };
        let found = shape.jet(Place::new(u, v));
        let pairs = found.first.iter().zip(&wanted.first).chain(found.second.iter().zip(&wanted.second));
        assert!((found.point - wanted.point).length() < 1e-14);
        assert!(pairs.into_iter().all(|(a, b)| (a - b).length() < 1e-11), "{found:?} {wanted:?}");
    }
}

/// Piegl and Tiller, *The NURBS Book*, examples 2.3 and 2.4: degree 2, knots 0 0 0 1 2 3 4 4 5 5 5, u = 5/2.
#[test]
fn basis_functions_are_those_published() {
    let knots = vec![0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 5.0, 5.0, 5.0];
    let (first, [values, once, twice]) = Basis::new(2, knots).unwrap().values(2.5);
    assert_eq!(first, 2);
    assert_eq!(values[..3], [0.125, 0.75, 0.125]);
    assert_eq!(once[..3], [-0.5, 0.0, 0.5]);
    // On [2, 3] they are (3 − u)²/2, 3/4 − (u − 5/2)², (u − 2)²/2.
    assert_eq!(twice[..3], [1.0, -2.0, 1.0]);
}

/// A rational circle is exactly on the circle, with its tangents and curvature; likewise the octant on its sphere.
#[test]
fn rational_splines_are_exact_on_circles_and_spheres() {
    let curve = circle(1.5);
    for i in 0..=400 {
        let jet = curve.jet(f64::from(i) / 400.0);
        let (d, dd) = (jet.first[0], jet.second[0]);
        assert!((jet.point.length() - 1.5).abs() < 1e-14 && d.dot(jet.point).abs() < 1e-13);
        assert!((d.cross(dd).length() / d.length().powi(3) - 1.0 / 1.5).abs() < 1e-12);
    }
    let sphere = octant(0.8);
    for i in 0..=20 {
        for j in 0..20 {
            let jet = sphere.jet(Place::new(f64::from(i) / 20.0, f64::from(j) / 20.0));
            let n = jet.cross().normalize();
            assert!((jet.point.length() - 0.8).abs() < 1e-14 && (n - jet.point / 0.8).length() < 1e-13);
            // Second form = −first form / radius.
            for (i, j) in [(0, 0), (0, 1), (1, 1)] {
                let error = jet.second_of(i, j).dot(n) + jet.first[i].dot(jet.first[j]) / 0.8;
                assert!(error.abs() < 1e-12);
            }
        }
    }
}

/// Every point of a rectangle is in its ball; balls shrink with their rectangles, and the reach is a bound.
#[test]
fn balls_contain_their_rectangles_and_shrink_with_them() {
    let mut random = Pcg64Mcg::seed_from_u64(35);
    for shape in shapes() {
        let ranges = shape.ranges();
        for k in 0..200 {
            let share = if k % 2 == 0 { 1.0 } else { 0.02 };
            let mut end = |i: usize| {
                ranges[i].map_or([0.0; 2], |r| {
                    let lo = r.lo + uniform(&mut random, 0.0, 1.0 - share + 1e-300) * (r.hi - r.lo);
                    [lo, lo + uniform(&mut random, 0.2, 1.0) * share * (r.hi - lo)]
                })
            };
            let (u, v) = (end(0), end(1));
            let ball = shape.ball([u[0], v[0]], [u[1], v[1]]);
            let (mut most, mut reach) = (0.0f64, 0.0f64);
            for i in 0..=12 {
                for j in 0..=12 {
                    let [s, t] = [f64::from(i) / 12.0, f64::from(j) / 12.0];
                    let point = shape.jet(Place::new(u[0] + s * (u[1] - u[0]), v[0] + t * (v[1] - v[0]))).point;
                    most = most.max((point - ball.centre).length());
                    reach = reach.max(point.length());
                }
            }
            assert!(most <= ball.radius_m + 1e-13, "{shape:?} {u:?} {v:?}: {most} {}", ball.radius_m);
            // Over a knot the hull is that of all control points involved: the search cuts there first.
            let over_knot = |i: usize, e: [f64; 2]| ranges[i].is_some() && shape.cut(i, e) != 0.5 * (e[0] + e[1]);
            let idle = share == 1.0 || over_knot(0, u) || over_knot(1, v);
            assert!(idle || ball.radius_m <= 2.5 * most + 1e-6, "{shape:?} {u:?} {v:?}: {most} {}", ball.radius_m);
            assert!(reach <= shape.reach_m() * (1.0 + 1e-13));
        }
    }
}

#[test]
fn charts_of_an_ellipsoid_give_the_same_points_and_normals_outwards() {
    let shape = Shape::ellipsoid([2.0, 1.2, 0.8]).unwrap();
    let mut random = Pcg64Mcg::seed_from_u64(34);
    let mut moved = 0;
    for k in 0..2000u32 {
        let at = [uniform(&mut random, -9.0, 9.0), uniform(&mut random, -9.0, 9.0)];
        let place = Place { chart: (k % 3) as u8, at };
        let settled = shape.settled(place);
        let jet = shape.jet(settled);
        assert!((shape.jet(place).point - jet.point).length() < 1e-14);
        assert!(settled.at[1].cos() >= 0.3 && settled.at[0].abs() <= std::f64::consts::PI);
        // The gradient of x²/a² + y²/b² + z²/c².
        let gradient = jet.point / DVec3::new(4.0, 1.44, 0.64);
        assert!((jet.cross().normalize() - gradient.normalize()).length() < 1e-12);
        moved += u32::from(settled.chart != place.chart);
    }
    assert!(moved > 200, "{moved}");
}

#[test]
fn invalid_splines_are_refused() {
    let knots = |k: &[f64]| k.to_vec();
    assert!(Basis::new(0, knots(&[0.0, 1.0])).is_err() && Basis::new(10, vec![0.0; 40]).is_err());
    assert!(Basis::new(2, knots(&[0.0, 0.0, 0.0, 1.0, 1.0])).is_err());
    assert!(Basis::new(1, knots(&[0.0, 0.0, f64::NAN, 1.0])).is_err());
    assert!(Basis::new(1, knots(&[0.0, 1.0, 0.5, 1.0])).is_err());
    assert!(Basis::new(1, knots(&[1.0; 4])).is_err());
    assert!(Basis::new(2, knots(&[0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0])).is_err(), "torn");
    let line = || Basis::bezier(1).unwrap();
    let points = [DVec3::ZERO, DVec3::X];
    assert!(SplineCurve::new(line(), &points, Some(&[1.0, 0.0])).is_err());
    assert!(SplineCurve::new(line(), &points[..1], None).is_err());
    assert!(SplineCurve::new(line(), &points, None).unwrap().closed().is_err(), "open");
    assert!(SplineSurface::new([line(), line()], &points, None, false).is_err());
    assert!(Shape::ellipsoid([1.0, 0.0, 1.0]).is_err() && Shape::torus(1.0, 1.0).is_err());
    assert!(Shape::ellipse([1.0, f64::INFINITY]).is_err());
}
