//! Tori and Bézier patches in batches: the kernel against the tracker's own steps, mutants of it, and pairs that leave
//! their patch.

use super::bodies::{uniform, v, vector};
use crate::effort;
use crate::harness::gpu::{Mutant, skip};
use firstcontact::extremal::batch::Schedule;
use firstcontact::extremal::batch::surfaces::{KERNEL, SurfaceBatch, SurfacePair, SurfacePlaces, reference};
use firstcontact::extremal::search::search;
use firstcontact::extremal::{Basis, Motion, Pair, Relative, Shape, SplineSurface};
use firstcontact::gpu::shader::Source;
use firstcontact::gpu::{AdapterChoice, Gpu, Interface};
use glam::{DMat3, DQuat, DVec3};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;

const SCHEDULE: Schedule = Schedule { gain_per_s: 10.0, step_s: 0.02, n_steps: 48 };

fn relative(pair: &SurfacePair, t_s: f64) -> Relative {
    Relative::between(&pair.motions[0].at(t_s), &pair.motions[1].at(t_s))
}

/// A dome over the square from −1 to 1, of degree 2 or 3 in each parameter, with weights; its inner side is below.
fn dome(r: &mut Pcg64Mcg) -> Shape {
    let degrees = [0; 2].map(|_| if uniform(r, 0.0, 1.0) < 0.3 { 2 } else { 3 });
    let (height, inward) = (uniform(r, 0.4, 0.9), uniform(r, 0.0, 1.0) < 0.5);
    let at = |k: usize, degree: usize| -1.0 + 2.0 * k as f64 / degree as f64;
    let (mut points, mut weights) = (Vec::new(), Vec::new());
    for i in 0..=degrees[0] {
        for j in 0..=degrees[1] {
            let (x, y) = (at(i, degrees[0]), at(j, degrees[1]));
            // With exchanged parameters the surface is seen from below, so that the normal is declared to point inward.
            let (x, y) = if inward { (y, x) } else { (x, y) };
            points.push(v(x, y, -height * (x * x + y * y) + uniform(r, -0.1, 0.1)));
            weights.push(uniform(r, 0.8, 1.4));
        }
    }
    let basis = degrees.map(|d| Basis::bezier(d).unwrap());
    Shape::Patch(SplineSurface::new(basis, &points, Some(&weights), inward).unwrap())
}

fn torus(r: &mut Pcg64Mcg) -> Shape {
    Shape::torus(uniform(r, 0.8, 1.4), uniform(r, 0.2, 0.5)).unwrap()
}

/// Two tori, two domes that face each other, or one of each, with places near the nearest pair. They pass each other at
/// `drift_m_s`. Contains only pairs whose start is inside their patches.
fn cases(n: usize, drift_m_s: f64) -> (Vec<SurfacePair>, Vec<SurfacePlaces>) {
    let mut random = Pcg64Mcg::seed_from_u64(61);
    let r = &mut random;
    let (mut pairs, mut places) = (Vec::new(), Vec::new());
    while pairs.len() < n {
        let kind = pairs.len() % 3;
        let shape = |r: &mut Pcg64Mcg, is_torus: bool| if is_torus { torus(r) } else { dome(r) };
        let shapes = Pair { a: shape(r, kind != 1), b: shape(r, kind == 0) };
        // The upper dome is turned over.
        let over = DQuat::from_axis_angle(DVec3::X, std::f64::consts::PI);
        let tilt = |r: &mut Pcg64Mcg, by: f64| DQuat::from_scaled_axis(vector(r, by));
        let rotations = if kind == 0 { [tilt(r, 2.0), tilt(r, 2.0)] } else { [tilt(r, 0.3), tilt(r, 0.3) * over] };
        let away = v(uniform(r, -0.3, 0.3), uniform(r, -0.3, 0.3), uniform(r, 1.2, 2.6));
        let origins = [DVec3::ONE, DVec3::ONE + if kind == 0 { away * 1.4 } else { away }];
        let sides = [vector(r, 0.1), vector(r, 0.1) + v(drift_m_s, 0.3 * drift_m_s, 0.0)];
        let motions = [0, 1].map(|k| Motion {
            rotation: DMat3::from_quat(rotations[k]),
            ..Motion::new(origins[k], sides[k], vector(r, 0.3))
        });
        let pair = SurfacePair { shapes, motions };
        let Ok(found) = search(&pair.shapes, &relative(&pair, 0.0)) else { continue };
        if found.sigma_m > 0.05 && found.state.held == [false; 4] {
            let mut at = found.state.parameters();
            // A tenth of a radian, or a twentieth of a patch.
            for (x, range) in at.iter_mut().zip(pair.shapes.ranges()) {
                let closed = range.is_some_and(|r| r.closed);
                *x += uniform(r, -1.0, 1.0) * if closed { 0.1 } else { 0.05 };
            }
            pairs.push(pair);
            places.push(SurfacePlaces::start(at));
        }
    }
    (pairs, places)
}

/// The cases that the reference follows to the end, with errors of at most `error` there.
fn followed(n: usize, schedule: &Schedule, error: f64) -> (Vec<SurfacePair>, Vec<SurfacePlaces>, Vec<SurfacePlaces>) {
    let (pairs, starts) = cases(n, 0.0);
    let mut ends = starts.clone();
    reference(&pairs, &mut ends, schedule).unwrap();
    let kept: Vec<usize> = (0..n).filter(|&i| ends[i].is_good(error)).collect();
    assert!(kept.len() * 4 > n * 3, "{} of {n}", kept.len());
    let of = |all: &[SurfacePlaces]| kept.iter().map(|&i| all[i]).collect();
    (kept.iter().map(|&i| pairs[i].clone()).collect(), of(&starts), of(&ends))
}

fn kernel(mutant: Option<Mutant>) -> SurfaceBatch {
    let gpu = Gpu::open(&AdapterChoice::default()).unwrap_or_else(|e| panic!("{e}"));
    let source = Source::expand(KERNEL.stem, KERNEL.source).unwrap();
    let source = mutant.map_or(source.clone(), |m| source.replaced(m.old, m.new).unwrap());
    SurfaceBatch::with_source(gpu, &source).unwrap()
}

#[test]
fn the_kernel_has_an_interface_that_all_adapters_support() {
    let source = Source::expand(KERNEL.stem, KERNEL.source).unwrap();
    let interface = Interface::of(&source, &[KERNEL.entry]).unwrap_or_else(|e| panic!("{e}"));
    assert!(interface.bindings.len() >= 3 && !interface.uses_routing);
}

/// The reference ends at an extremal pair: not farther apart than the nearest that a search finds there, except for
/// pairs that are nearest only in their neighbourhood.
#[test]
fn the_reference_ends_at_extremal_pairs() {
    let (pairs, _, ends) = followed(effort(60, 900), &SCHEDULE, 1e-3);
    let mut nearest = 0;
    for (pair, end) in pairs.iter().zip(&ends) {
        assert!(end.facing < -0.999, "{pair:?} {end:?}");
        let Ok(found) = search(&pair.shapes, &relative(pair, 0.96)) else { continue };
        assert!(end.sigma_m < 0.0 || end.sigma_m > found.sigma_m - 1e-6, "{} {}", end.sigma_m, found.sigma_m);
        nearest += usize::from((end.sigma_m - found.sigma_m).abs() < 1e-6);
    }
    assert!(nearest * 10 > pairs.len() * 8, "{nearest} of {}", pairs.len());
}

/// The deviations of the kernel's places from those of the reference, and of its distances, metres.
fn deviations(batch: &mut SurfaceBatch, n: usize, schedule: &Schedule) -> Vec<(f64, f64)> {
    let (pairs, mut on_gpu, ends) = followed(n, schedule, 1e-3);
    batch.follow(&pairs, &mut on_gpu, schedule).unwrap();
    let compared = pairs.iter().zip(ends).zip(&on_gpu).map(|((pair, c), g)| {
        let lost = if g.regular { 0.0 } else { f64::INFINITY };
        let point = |at: [f64; 4], k: usize| {
            let shape = if k == 0 { &pair.shapes.a } else { &pair.shapes.b };
            shape.jet(firstcontact::extremal::Place::new(at[2 * k], at[2 * k + 1])).point
        };
        let apart = |k: usize| (point(c.at, k) - point(g.at, k)).length();
        assert!(lost > 0.0 || (c.error - g.error).abs() < 1e-4 && (c.facing - g.facing).abs() < 1e-4, "{c:?} {g:?}");
        (apart(0).max(apart(1)) + lost, (c.sigma_m - g.sigma_m).abs() + lost)
    });
    compared.collect()
}

#[test]
fn the_kernel_follows_the_reference() {
    if skip() {
        return;
    }
    let n = effort(150, 6_000);
    let mut sigma: Vec<f64> = deviations(&mut kernel(None), n, &SCHEDULE).iter().map(|d| d.1).collect();
    sigma.sort_by(f64::total_cmp);
    let (n, last) = (sigma.len(), sigma.len() - 1);
    println!("{n} pairs, 48 steps: |σ₃₂ − σ₆₄| median {:.1e}, largest {:.1e} m", sigma[n / 2], sigma[last]);
    // Twice that of ellipsoids, 32 · 2⁻²⁴ times sizes and distances up to 8 m: a point is a sum of sixteen terms.
    assert!(sigma[last] < 32.0 * 2f64.powi(-24) * 8.0 && sigma[n / 2] < 3e-6);
}

/// Every term matters: without it the places, or their reported state, differ after a few steps from a wrong start.
#[test]
fn every_mutant_of_the_kernel_dies() {
    if skip() {
        return;
    }
    let schedule = Schedule { n_steps: 5, ..SCHEDULE };
    let (pairs, starts, ends) = followed(60, &schedule, 0.2);
    let worst = |mutant| {
        let mut places = starts.clone();
        kernel(mutant).follow(&pairs, &mut places, &schedule).unwrap();
        let apart = |(c, g): (&SurfacePlaces, &SurfacePlaces)| {
            let parameters = (0..4).map(|i| {
                let d = (c.at[i] - g.at[i]).abs();
                d.min((std::f64::consts::TAU - d).abs())
            });
            let told = [c.sigma_m - g.sigma_m, c.facing - g.facing, c.error - g.error].map(f64::abs);
            let lost = if g.regular { 0.0 } else { f64::INFINITY };
            parameters.chain(told).fold(lost, |a, b| if b <= a { a } else { b })
        };
        ends.iter().zip(&places).map(apart).fold(0.0, |a: f64, b| if b <= a { a } else { b })
    };
    let right = worst(None);
    println!("off by at most {right:.1e}");
    assert!(right < 3e-5, "{right:e}");
    let mutants = [
        // The paper's printed sign.
        ("+ cross(w, f.p);", "- cross(w, f.p);"),
        // The bodies' origins.
        ("let delta = f.p - h.p + m.origins;", "let delta = f.p - h.p;"),
        // The normal's derivatives without their projection, and without the change of a tangent.
        ("let nr = cr - n * dot(n, cr);", "let nr = cr;"),
        ("(cross(h.uv, h.v) + cross(h.u, h.vv))", "cross(h.u, h.vv)"),
        // Curvatures.
        ("+ dot(delta, h.uu), rs)", ", rs)"),
        ("-dot(h.u, h.v) + dot(delta, h.uv)", "-dot(h.u, h.v)"),
        ("dot(f.vv, n), ", "0.0, "),
        ("vec4<f32>(dot(f.uu, n), dot(f.uv, n),", "vec4<f32>(dot(f.uu, n), 0.0,"),
        // Motion.
        ("vec4<f32>(dot(w, cross(f.u, n)), ", "vec4<f32>(0.0, "),
        (" - cross(m.spin_b, m.origins)", ""),
        (", dot(seen_from_b, h.v));", ", 0.0);"),
        ("let half_b = extremal_pairs[pair + 5u];", "let half_b = extremal_pairs[pair + 4u];"),
        // Rational patches: the quotient rule, a basis function; the tube's curvature along the ring.
        ("(huv.xyz - hu.w * fv - hv.w * fu - huv.w * f) / h.w", "huv.xyz / h.w"),
        ("(hvv.xyz - 2.0 * hv.w * fv - hvv.w * f) / h.w", "(hvv.xyz - hv.w * fv - hvv.w * f) / h.w"),
        ("t * (2.0 * s - t)", "t * (s - t)"),
        ("-r * at.w * side,", "vec3<f32>(),"),
        // The circle's points, the side of a patch, the order of rows.
        ("return vec4<f32>(normalize(at.xy), normalize(at.zw));", "return vec4<f32>(body.at.xy, normalize(at.zw));"),
        ("return select(body.what.y, 1.0, is_torus(body));", "return 1.0;"),
        ("let right = b[p];", "let right = b[k];"),
    ];
    for (old, new) in mutants {
        let found = worst(Some(Mutant { old, new }));
        assert!(!(found < 50.0 * right), "'{new}' for '{old}' does no harm: {found:e}");
    }
}

/// Pairs that leave their patch, or turn too far, are lost to the kernel as to the reference.
#[test]
fn pairs_that_leave_their_patch_are_reported_as_lost() {
    let n = effort(120, 2_000);
    let (pairs, starts) = cases(n, 4.0);
    let mut on_cpu = starts.clone();
    reference(&pairs, &mut on_cpu, &SCHEDULE).unwrap();
    let lost = on_cpu.iter().filter(|p| !p.regular).count();
    assert!(lost * 5 > n && lost * 5 < n * 4, "{lost} of {n}");
    if skip() {
        return;
    }
    let differ = |mutant| {
        let mut on_gpu = starts.clone();
        kernel(mutant).follow(&pairs, &mut on_gpu, &SCHEDULE).unwrap();
        on_cpu.iter().zip(&on_gpu).filter(|(c, g)| c.regular != g.regular).count()
    };
    let right = differ(None);
    println!("{lost} of {n} are lost; {right} of them to one alone");
    assert!(right * 50 <= n, "{right}");
    for (old, new) in [
        ("&& is_inside(m.a) && is_inside(m.b);", ";"),
        ("all(body.at.xy > vec2<f32>(0.0)) && ", ""),
        ("select(1.0, 0.0, good)", "0.0"),
    ] {
        let found = differ(Some(Mutant { old, new }));
        assert!(found > 4 * right + 5, "'{new}' for '{old}' does no harm: {found}");
    }
}

#[test]
fn shapes_unsupported_by_the_kernel_are_refused() {
    let (pairs, mut places) = cases(3, 0.0);
    let unstable = Schedule { gain_per_s: 200.0, ..SCHEDULE };
    assert!(
        reference(&pairs, &mut places, &unstable).is_err() && reference(&pairs[..1], &mut places, &SCHEDULE).is_err()
    );
    let knots = vec![0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0];
    let spans = [Basis::new(2, knots).unwrap(), Basis::bezier(1).unwrap()];
    let quartic = [Basis::bezier(4).unwrap(), Basis::bezier(1).unwrap()];
    let patch = |basis: [Basis; 2]| {
        let points: Vec<DVec3> = (0..basis[0].n_points() * 2).map(|i| v((i / 2) as f64, (i % 2) as f64, 0.0)).collect();
        Shape::Patch(SplineSurface::new(basis, &points, None, false).unwrap())
    };
    for shape in [Shape::Point, Shape::ellipsoid([1.0; 3]).unwrap(), patch(spans), patch(quartic)] {
        let pair = SurfacePair { shapes: Pair { a: shape, ..pairs[0].shapes.clone() }, ..pairs[0].clone() };
        let start = [SurfacePlaces::start([0.0; 4])];
        assert!(reference(std::slice::from_ref(&pair), &mut start.clone(), &SCHEDULE).is_err());
        if !skip() {
            assert!(kernel(None).follow(&[pair], &mut start.clone(), &SCHEDULE).is_err());
        }
    }
}
