//! The equations against differences of positions, against a table, and against each other.

use super::bodies::{APART_START, THROUGH_START, apart, octants, patches, through_contact, uniform, vector};
use super::literal::{self, Defect};
use firstcontact::extremal::equations::Equations;
use firstcontact::extremal::newton::polish;
use firstcontact::extremal::solve::solve;
use firstcontact::extremal::{Configuration, Form, Motion, Pair, Relative, Shape, State};
use glam::{DMat3, DQuat};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;

fn configuration(pair: &Pair, motions: &[Motion; 2], t: f64, x: [f64; 4]) -> Configuration {
    Configuration::new(pair, &State::new(x), &Relative::between(&motions[0].at(t), &motions[1].at(t)))
}

/// Pairs on random motions, with random places.
fn cases() -> Vec<(Pair, [Motion; 2], f64, [f64; 4])> {
    let mut random = Pcg64Mcg::seed_from_u64(41);
    let mut out = Vec::new();
    for k in 0..60 {
        let pair = match k % 4 {
            0 => apart().0,
            1 => patches().0,
            2 => octants().0,
            _ => Pair { a: Shape::torus(1.4, 0.5).unwrap(), b: apart().0.b },
        };
        let motion = |random: &mut Pcg64Mcg| Motion {
            rotation: DMat3::from_quat(DQuat::from_scaled_axis(vector(random, 2.0))),
            ..Motion::new(vector(random, 2.0), vector(random, 1.0), vector(random, 1.0))
        };
        let motions = [motion(&mut random), motion(&mut random)];
        let inside = |r: &mut Pcg64Mcg, range: Option<firstcontact::extremal::shape::Range>| {
            range.map_or(0.0, |g| g.lo + uniform(r, 0.15, 0.85) * (g.hi - g.lo))
        };
        let x = pair.ranges().map(|range| inside(&mut random, range));
        out.push((pair, motions, uniform(&mut random, 0.0, 1.0), x));
    }
    out
}

/// Central differences of order 4.
fn slope(of: impl Fn(f64) -> [f64; 4]) -> [f64; 4] {
    let h = 1e-3;
    let [a, b, c, d] = [of(h), of(-h), of(2.0 * h), of(-2.0 * h)];
    std::array::from_fn(|i| (8.0 * (a[i] - b[i]) - (c[i] - d[i])) / (12.0 * h))
}

fn differs(equations: &Equations, errors: impl Fn(f64, [f64; 4]) -> [f64; 4], t: f64, x: [f64; 4]) -> f64 {
    let now = errors(t, x);
    let in_time = slope(|d| errors(t + d, x));
    let mut worst = 0.0f64;
    let scale = equations.matrix.iter().flatten().fold(1.0f64, |a, b| a.max(b.abs()));
    for j in 0..4 {
        let by_x = slope(|d| {
            let mut x = x;
            x[j] += d;
            errors(t, x)
        });
        for i in 0..4 {
            worst = worst.max((equations.matrix[i][j] - by_x[i]).abs() / scale);
        }
        worst = worst.max((equations.drift[j] - in_time[j]).abs() / scale);
        worst = worst.max((equations.errors[j] - now[j]).abs() / scale);
    }
    worst
}

#[test]
fn matrices_and_drifts_are_derivatives_of_positions() {
    for (pair, motions, t, x) in cases() {
        let at = configuration(&pair, &motions, t, x);
        let psi = differs(&at.equations(Form::Projection), |t, x| literal::psi(&pair, &motions, t, x), t, x);
        let phi = differs(&at.equations(Form::Normal), |t, x| literal::phi(&pair, &motions, t, x).0, t, x);
        assert!(psi < 1e-7 && phi < 1e-7, "{psi:e} {phi:e} {pair:?}");
        // The contribution of the parameters' rates to the rate of σ vanishes at an extremal pair; the drift alone is a
        // rate everywhere.
        let sigma = slope(|d| {
            let (_, sigma) = literal::phi(&pair, &motions, t + d, x);
            [sigma, 0.0, 0.0, 0.0]
        })[0];
        let n = at.direction().unwrap();
        // ∂ₜ(Δ·n) = ∂ₜΔ·n + Δ·ṅ, both seen from A.
        let of_normal = -at.spin.cross(n).dot(at.delta);
        assert!((at.sigma_rate_m_s() + of_normal - sigma).abs() < 1e-8);
    }
}

#[test]
fn the_papers_formulas_in_world_axes_agree() {
    for (pair, motions, t, x) in cases() {
        let (psi, m, b) = literal::terms(&pair, &motions, t, x, Defect::None);
        let at = configuration(&pair, &motions, t, x).equations(Form::Projection);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12 * (1.0 + b.abs());
        for i in 0..4 {
            assert!(close(at.errors[i], psi[i]) && close(at.drift[i], b[i]));
            assert!((0..4).all(|j| close(at.matrix[i][j], m[i][j])));
        }
    }
}

/// The table's vector, computed with 30 digits.
#[test]
fn a_tabulated_state_has_its_tabulated_terms() {
    let (pair, motions) = apart();
    let at = configuration(&pair, &motions, 0.5, [0.4, 0.3, -2.6, -0.2]);
    let (psi, phi) = (at.equations(Form::Projection), at.equations(Form::Normal));
    let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-14 * 8.0, "{found} {wanted}");
    let wanted = [1.4625167400330317, -0.041335784454431618, -1.246664631061757, -0.29087774495496873];
    (0..4).for_each(|i| close(psi.errors[i], wanted[i]));
    let [m12, m13, m14] = [-0.19317762417199011, 1.4557797244534083, -0.14342780803382044];
    let [m23, m24, m34] = [0.15917548542103708, -0.52760236303232789, -0.14520097927512184];
    let m = [
        [3.205746462643515, m12, m13, m14],
        [m12, 2.5966045727939887, m23, m24],
        [-m13, -m23, -2.189542668733679, m34],
        [-m14, -m24, m34, -1.4277872054428868],
    ];
    (0..16).for_each(|k| close(psi.matrix[k / 4][k % 4], m[k / 4][k % 4]));
    let b = [1.0163140624087799, -0.77483160313178673, -0.75821768720000597, -0.53232626106077035];
    (0..4).for_each(|i| close(psi.drift[i], b[i]));
    let n = [
        [1.7396715594616711, -0.032812546623724225, -1.321790688332307, 0.062155914592656217],
        [-0.032812546623724225, 1.7550336428086705, -0.022909365457664128, 1.513753454084134],
    ];
    (0..8).for_each(|k| close(phi.matrix[k / 4][k % 4], n[k / 4][k % 4]));
    close(phi.drift[0], 0.55537361895105449);
    close(phi.drift[1], 0.61501507625133907);
    close(phi.errors[0], 0.10607404293914168);
    close(phi.errors[1], 0.48848203657367679);
    close(at.sigma_m(), 0.60765419837254583);
}

/// The product of the pivots.
fn determinant(mut m: [[f64; 4]; 4]) -> f64 {
    let mut det = 1.0;
    for k in 0..4 {
        let best = (k..4).max_by(|a, b| m[*a][k].abs().total_cmp(&m[*b][k].abs())).unwrap();
        if best != k {
            m.swap(k, best);
            det = -det;
        }
        det *= m[k][k];
        for i in k + 1..4 {
            let factor = m[i][k] / m[k][k];
            (k..4).for_each(|j| m[i][j] -= factor * m[k][j]);
        }
    }
    det
}

#[test]
fn at_an_extremal_pair_the_determinants_differ_by_the_distance_squared() {
    for ((pair, motions), x) in [(apart(), APART_START), (through_contact(), THROUGH_START)] {
        // The tabulated places are accurate to some 10⁻⁸.
        let still = Relative::between(&motions[0].at(0.0), &motions[1].at(0.0));
        let x = polish(&pair, &still, &State::new(x)).unwrap().parameters();
        let at = configuration(&pair, &motions, 0.0, x);
        let (m, n) = (at.equations(Form::Projection).matrix, at.equations(Form::Normal).matrix);
        let sigma = at.sigma_m();
        assert!((determinant(m) / (sigma * sigma * determinant(n)) - 1.0).abs() < 1e-9);
        // With the signs of its last rows changed, M is symmetric anywhere.
        let s = |i: usize| if i < 2 { 1.0 } else { -1.0 };
        assert!((0..16).all(|k| (s(k / 4) * m[k / 4][k % 4] - s(k % 4) * m[k % 4][k / 4]).abs() < 1e-14));
        assert!(at.is_extremal());
        // The opposite places are extremal too, but the distance has its maximum there.
        let far = [x[0] + std::f64::consts::PI, -x[1], x[2], x[3]];
        assert!(!configuration(&pair, &motions, 0.0, far).is_extremal());
    }
}

/// Common motions of both bodies change nothing, and neither does exchanging their names.
#[test]
fn distances_do_not_depend_on_frame_or_order() {
    let mut random = Pcg64Mcg::seed_from_u64(42);
    for (pair, motions, t, x) in cases() {
        let at = configuration(&pair, &motions, t, x);
        let [r, o] = [vector(&mut random, 2.0), vector(&mut random, 5.0)];
        let r = DMat3::from_quat(DQuat::from_scaled_axis(r));
        let moved = motions.map(|m| Motion {
            rotation: r * m.rotation,
            origin_m: r * m.origin_m + o,
            velocity_m_s: r * m.velocity_m_s,
            spin_rad_s: r * m.spin_rad_s,
        });
        let there = configuration(&pair, &moved, t, x);
        let (e, f) = (at.equations(Form::Normal), there.equations(Form::Normal));
        assert!((0..4).all(|i| (e.errors[i] - f.errors[i]).abs() + (e.drift[i] - f.drift[i]).abs() < 1e-12));
        // With the normal of A instead of that of B: the equations of the exchanged pair.
        let exchanged = Pair { a: pair.b.clone(), b: pair.a.clone() };
        let other = configuration(&exchanged, &[motions[1], motions[0]], t, [x[2], x[3], x[0], x[1]]);
        let held = State { held: [false, false, true, false], ..State::new(x) };
        let relative = Relative::between(&motions[0].at(t), &motions[1].at(t));
        let by_a = Configuration::new(&pair, &held, &relative).equations(Form::Normal);
        let whole = other.equations(Form::Normal);
        // r is held: rows and columns of s, u, v are those of the exchanged pair without its first parameter.
        assert_eq!(by_a.index[..3], [3, 0, 1]);
        for i in 0..3 {
            assert!((by_a.errors[i] - whole.errors[i + 1]).abs() + (by_a.drift[i] - whole.drift[i + 1]).abs() < 1e-12);
            assert!((0..3).all(|j| (by_a.matrix[i][j] - whole.matrix[i + 1][j + 1]).abs() < 1e-11));
        }
    }
}

/// Balanced rates solve the unbalanced equations.
#[test]
fn rates_solve_the_equations() {
    for (pair, motions, t, x) in cases() {
        for form in [Form::Projection, Form::Normal] {
            let e = configuration(&pair, &motions, t, x).equations(form);
            let wanted = e.errors.map(|x| -3.0 * x);
            let plain = solve(4, e.matrix, std::array::from_fn(|i| wanted[i] - e.drift[i])).0.unwrap();
            let rates = e.rates(wanted).rates.unwrap();
            let size = plain.iter().fold(1.0f64, |a, b| a.max(b.abs()));
            let by_parameter: [f64; 4] = std::array::from_fn(|i| plain[e.index.iter().position(|k| *k == i).unwrap()]);
            assert!((0..4).all(|i| (by_parameter[i] - rates[i]).abs() < 1e-9 * size), "{plain:?} {rates:?}");
        }
    }
}
