//! The paper's equations written in world axes, as an oracle for the engine's equations, which use the axes of A; also
//! with each of the errors of the printed text.

use firstcontact::extremal::solve::solve;
use firstcontact::extremal::{Motion, Pair, Place};
use glam::{DMat3, DVec3};

/// An error copied from the printed text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Defect {
    None,
    /// −ω × f in the last two rows of b.
    SignOfB,
    /// The second row of M.
    GarbledRow,
    /// Δ = f − h, without the bodies' origins.
    NoOrigins,
    /// The angular velocity of A instead of that of B in row 3.
    SpinOfRow3,
    /// −K inside the bracket with b: U = −K M⁻¹(Ψ + b).
    GainOnDrift,
    /// M without Δ·f_uv.
    NoMixedDerivative,
}

/// World axes.
struct CollisionWorld {
    f: [DVec3; 6],
    h: [DVec3; 6],
    oa: DVec3,
    ob: DVec3,
}

fn world(pair: &Pair, motions: &[Motion; 2], t: f64, x: [f64; 4]) -> CollisionWorld {
    // Rotation by Rodrigues' formula, not through quaternions.
    let turn = |m: &Motion| {
        let (w, angle) = (m.spin_rad_s, m.spin_rad_s.length() * t);
        let k = w.normalize_or_zero();
        let cross = DMat3::from_cols(k.cross(DVec3::X), k.cross(DVec3::Y), k.cross(DVec3::Z));
        (DMat3::IDENTITY + cross * angle.sin() + cross * cross * (1.0 - angle.cos())) * m.rotation
    };
    let jet = |shape: &firstcontact::extremal::Shape, m: &Motion, u: f64, v: f64| {
        let (j, r) = (shape.jet(Place::new(u, v)), turn(m));
        [j.point, j.first[0], j.first[1], j.second[0], j.second[1], j.second[2]].map(|d| r * d)
    };
    CollisionWorld {
        f: jet(&pair.a, &motions[0], x[0], x[1]),
        h: jet(&pair.b, &motions[1], x[2], x[3]),
        oa: motions[0].origin_m + motions[0].velocity_m_s * t,
        ob: motions[1].origin_m + motions[1].velocity_m_s * t,
    }
}

/// Ψ, from positions alone.
pub fn psi(pair: &Pair, motions: &[Motion; 2], t: f64, x: [f64; 4]) -> [f64; 4] {
    let w = world(pair, motions, t, x);
    let delta = (w.oa + w.f[0]) - (w.ob + w.h[0]);
    [w.f[1], w.f[2], w.h[1], w.h[2]].map(|tangent| delta.dot(tangent))
}

/// Φ with the normal of B, from positions alone; and σ.
pub fn phi(pair: &Pair, motions: &[Motion; 2], t: f64, x: [f64; 4]) -> ([f64; 4], f64) {
    let w = world(pair, motions, t, x);
    let delta = (w.oa + w.f[0]) - (w.ob + w.h[0]);
    let n = pair.b.outward() * w.h[1].cross(w.h[2]).normalize();
    ([w.f[1].dot(n), w.f[2].dot(n), delta.dot(w.h[1]), delta.dot(w.h[2])], delta.dot(n))
}

/// Ψ, M and b.
pub fn terms(
    pair: &Pair,
    motions: &[Motion; 2],
    t: f64,
    x: [f64; 4],
    defect: Defect,
) -> ([f64; 4], [[f64; 4]; 4], [f64; 4]) {
    let CollisionWorld { f: [f, fu, fv, fuu, fuv, fvv], h: [h, hr, hs, hrr, hrs, hss], oa, ob } =
        world(pair, motions, t, x);
    let [a, b] = motions;
    let d = oa - ob;
    let delta = if defect == Defect::NoOrigins { f - h } else { d + f - h };
    let fuv = if defect == Defect::NoMixedDerivative { DVec3::ZERO } else { fuv };
    let dot = |a: DVec3, b: DVec3| a.dot(b);
    let mut m = [
        [dot(fu, fu) + dot(delta, fuu), dot(fu, fv) + dot(delta, fuv), -dot(fu, hr), -dot(fu, hs)],
        [dot(fu, fv) + dot(delta, fuv), dot(fv, fv) + dot(delta, fvv), -dot(fv, hr), -dot(fv, hs)],
        [dot(fu, hr), dot(fv, hr), -dot(hr, hr) + dot(delta, hrr), -dot(hr, hs) + dot(delta, hrs)],
        [dot(fu, hs), dot(fv, hs), -dot(hr, hs) + dot(delta, hrs), -dot(hs, hs) + dot(delta, hss)],
    ];
    if defect == Defect::GarbledRow {
        // The printed row has vv in the places of v and uv.
        m[1] = [dot(fu, fvv) + dot(delta, fvv), dot(fv, fvv) + dot(delta, fvv), m[1][2], m[1][3]];
    }
    let (wa, wb) = (a.spin_rad_s, b.spin_rad_s);
    let v = a.velocity_m_s - b.velocity_m_s;
    let p = v - wa.cross(d) + (wa - wb).cross(h);
    let sign = if defect == Defect::SignOfB { -1.0 } else { 1.0 };
    let q = v - wb.cross(d) + sign * (wa - wb).cross(f);
    let q3 = if defect == Defect::SpinOfRow3 { v - wa.cross(d) + (wa - wb).cross(f) } else { q };
    let psi = [fu, fv, hr, hs].map(|tangent| delta.dot(tangent));
    (psi, m, [p.dot(fu), p.dot(fv), q3.dot(hr), q.dot(hs)])
}

/// Tracks with these terms by Runge-Kutta steps, without checking the results.
pub fn track(
    (pair, motions): &(Pair, [Motion; 2]),
    [from, to]: [f64; 2],
    start: [f64; 4],
    gain: f64,
    h: f64,
    defect: Defect,
) -> [f64; 4] {
    let rate = |t: f64, x: [f64; 4]| {
        let (psi, m, b) = terms(pair, motions, t, x, defect);
        let on_drift = if defect == Defect::GainOnDrift { gain } else { 1.0 };
        let wanted = std::array::from_fn(|i| -gain * psi[i] - on_drift * b[i]);
        solve(4, m, wanted).0.unwrap_or([f64::NAN; 4])
    };
    let plus = |x: [f64; 4], k: [f64; 4], h: f64| std::array::from_fn(|i| x[i] + h * k[i]);
    let n = ((to - from) / h).round() as usize;
    (0..n).fold(start, |x, i| {
        let t = from + i as f64 * h;
        let k1 = rate(t, x);
        let k2 = rate(t + 0.5 * h, plus(x, k1, 0.5 * h));
        let k3 = rate(t + 0.5 * h, plus(x, k2, 0.5 * h));
        let k4 = rate(t + h, plus(x, k3, h));
        std::array::from_fn(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
    })
}

pub fn norm(x: [f64; 4]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
