//! The kernel against the reference, the reference against the tracker, mutants of the kernel.

use super::bodies::{uniform, vector};
use crate::effort;
use crate::harness::gpu::{Mutant, skip};
use firstcontact::extremal::batch::{Batch, EllipsoidPair, KERNEL, Places, Schedule, reference};
use firstcontact::extremal::search::search;
use firstcontact::extremal::{Configuration, Motion, Pair, Relative, Shape};
use firstcontact::gpu::shader::Source;
use firstcontact::gpu::{AdapterChoice, Gpu, Interface};
use glam::{DMat3, DQuat, DVec3};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;

const SCHEDULE: Schedule = Schedule { gain_per_s: 10.0, step_s: 0.02, n_steps: 100 };

fn shapes(pair: &EllipsoidPair) -> Pair {
    let [a, b] = pair.semi_axes_m.map(|axes| Shape::ellipsoid(axes.to_array()).unwrap());
    Pair { a, b }
}

fn relative(pair: &EllipsoidPair, t_s: f64) -> Relative {
    Relative::between(&pair.motions[0].at(t_s), &pair.motions[1].at(t_s))
}

/// Pairs that tumble, some of which move into penetration, with places near the extremal pair.
fn cases(n: usize) -> (Vec<EllipsoidPair>, Vec<Places>) {
    let mut random = Pcg64Mcg::seed_from_u64(51);
    let r = &mut random;
    let (mut pairs, mut places) = (Vec::new(), Vec::new());
    while pairs.len() < n {
        let semi_axes_m = [0; 2].map(|_| DVec3::from_array([0; 3].map(|_| uniform(r, 0.6, 1.6))));
        let away = vector(r, 1.0).normalize() * uniform(r, 2.8, 4.0);
        let motions = [DVec3::ZERO, away].map(|origin| Motion {
            rotation: DMat3::from_quat(DQuat::from_scaled_axis(vector(r, 2.0))),
            ..Motion::new(origin + DVec3::ONE, vector(r, 0.3), vector(r, 0.4))
        });
        let pair = EllipsoidPair { semi_axes_m, motions };
        let shapes = shapes(&pair);
        let Ok(found) = search(&shapes, &relative(&pair, 0.0)) else { continue };
        if found.sigma_m > 0.05 {
            let points = [shapes.a.jet(found.state.a).point, shapes.b.jet(found.state.b).point];
            let units = [0, 1].map(|k| (points[k] / semi_axes_m[k] + vector(r, 0.1)).normalize());
            pairs.push(pair);
            places.push(Places::start(units));
        }
    }
    (pairs, places)
}

/// The kernel, with a mutant if one is given.
fn kernel(mutant: Option<Mutant>) -> Batch {
    let gpu = Gpu::open(&AdapterChoice::default()).unwrap_or_else(|e| panic!("{e}"));
    let source = Source::expand(KERNEL.stem, KERNEL.source).unwrap();
    let source = mutant.map_or(source.clone(), |m| source.replaced(m.old, m.new).unwrap());
    Batch::with_source(gpu, &source).unwrap()
}

#[test]
fn the_kernel_has_an_interface_that_all_adapters_support() {
    let source = Source::expand(KERNEL.stem, KERNEL.source).unwrap();
    let interface = Interface::of(&source, &[KERNEL.entry]).unwrap_or_else(|e| panic!("{e}"));
    assert!(interface.bindings.len() >= 3 && !interface.uses_routing);
}

/// The reference ends at the extremal pair given by the gap between support planes, and all results that it calls good
/// are.
#[test]
fn the_reference_ends_at_extremal_pairs() {
    let (pairs, mut places) = cases(effort(60, 2000));
    reference(&pairs, &mut places, &SCHEDULE).unwrap();
    let end_s = SCHEDULE.step_s * SCHEDULE.n_steps as f64;
    let mut through = 0;
    for (pair, place) in pairs.iter().zip(&places) {
        assert!(place.is_good(1e-3), "{pair:?} {place:?}");
        let maxima = super::oracle::gap_maxima(&shapes(pair), &pair.motions, end_s);
        let near = maxima.iter().map(|g| (g - place.sigma_m).abs()).fold(f64::INFINITY, f64::min);
        assert!(near < 1e-6, "{} not among {maxima:?}", place.sigma_m);
        through += usize::from(place.sigma_m < 0.0);
    }
    assert!(through > 0);
}

/// Without charts the flow ends at the same pair as with charts. (On the way the flows differ, by the square of the
/// errors: which errors decay depends on the tangents.)
#[test]
fn the_flow_without_charts_ends_at_the_tracked_pair() {
    use firstcontact::extremal::{Settings, State, Tracker, shape::on_sphere};
    let (pairs, starts) = cases(40);
    let schedule = Schedule { step_s: 0.01, n_steps: 100, ..SCHEDULE };
    let mut places = starts.clone();
    reference(&pairs, &mut places, &schedule).unwrap();
    for ((pair, start), place) in pairs.iter().zip(&starts).zip(&places) {
        let settings = Settings { gain_per_s: 10.0, step_s: 0.01, ..Settings::default() };
        let tracker = Tracker::new(shapes(pair), pair.motions, settings).unwrap();
        let [a, b] = start.at.map(on_sphere);
        let track = tracker.run(Some(State { a, b, held: [false; 4] }), 1.0).unwrap();
        let last = track.samples.last().unwrap();
        let at = Configuration::new(tracker.pair(), &last.state, &relative(pair, 1.0));
        let points = [at.f.point, relative(pair, 1.0).rotation.transpose() * at.h.point];
        for k in 0..2 {
            let off = (points[k] / pair.semi_axes_m[k] - place.at[k]).length();
            assert!(off < 1e-5, "{off} {:?}", last.phase);
        }
    }
}

/// The deviations of the kernel's places from those of the reference, and of its distances.
fn deviations(batch: &mut Batch, n: usize, schedule: &Schedule) -> Vec<(f64, f64)> {
    let (pairs, starts) = cases(n);
    let (mut on_cpu, mut on_gpu) = (starts.clone(), starts);
    reference(&pairs, &mut on_cpu, schedule).unwrap();
    batch.follow(&pairs, &mut on_gpu, schedule).unwrap();
    let both = on_cpu.iter().zip(&on_gpu);
    both.map(|(c, g)| {
        assert!(c.regular);
        let apart = |k: usize| (c.at[k] - g.at[k]).length();
        let lost = if g.regular { 0.0 } else { f64::INFINITY };
        (apart(0).max(apart(1)) + lost, (c.sigma_m - g.sigma_m).abs() + lost)
    })
    .collect()
}

#[test]
fn the_kernel_follows_the_reference() {
    if skip() {
        return;
    }
    let n = effort(400, 20_000);
    let mut sigma: Vec<f64> = deviations(&mut kernel(None), n, &SCHEDULE).iter().map(|d| d.1).collect();
    sigma.sort_by(f64::total_cmp);
    println!("{n} pairs, 100 steps: |σ₃₂ − σ₆₄| median {:.1e}, largest {:.1e} m", sigma[n / 2], sigma[n - 1]);
    // 16 · 2⁻²⁴ times sizes and distances up to 8 m.
    assert!(sigma[n - 1] < 16.0 * 2f64.powi(-24) * 8.0 && sigma[n / 2] < 1e-6);
}

/// Feedback keeps the errors of f32 from growing: ten times the steps, the same bound.
#[test]
fn errors_do_not_grow_with_the_number_of_steps() {
    if skip() {
        return;
    }
    let schedule = Schedule { step_s: 0.002, n_steps: 1000, ..SCHEDULE };
    let sigma = deviations(&mut kernel(None), 64, &schedule).iter().fold(0.0f64, |a, d| a.max(d.1));
    assert!(sigma < 16.0 * 2f64.powi(-24) * 8.0, "{sigma:e}");
}

/// Every term matters: without it the places differ after a few steps from a wrong start.
#[test]
fn every_mutant_of_the_kernel_dies() {
    if skip() {
        return;
    }
    let schedule = Schedule { n_steps: 5, ..SCHEDULE };
    let worst = |mutant| deviations(&mut kernel(mutant), 64, &schedule).iter().fold(0.0f64, |a, d| a.max(d.0));
    let right = worst(None);
    assert!(right < 2e-5, "{right:e}");
    let mutants = [
        // The paper's printed sign.
        ("+ cross(w, f);", "- cross(w, f);"),
        // The bodies' origins.
        ("let delta = f - h + m.origins;", "let delta = f - h;"),
        // The normal's derivative without its projection.
        ("let n1 = m1 - n * dot(n, m1);", "let n1 = m1;"),
        ("-dot(h1, h1) - bend", "-dot(h1, h1)"),
        (" - dot(w, cross(f1, n)),", ","),
        (" - cross(m.spin_b, m.origins)", ""),
        (" - dot(seen_from_b, h2),", ","),
        ("let alpha = -dot(f, n);", "let alpha = -dot(f, n) + dot(delta, n);"),
        ("let half_b = extremal_pairs[pair + 5u];", "let half_b = extremal_pairs[pair + 4u];"),
    ];
    for (old, new) in mutants {
        let found = worst(Some(Mutant { old, new }));
        assert!(!(found < 100.0 * right), "'{new}' for '{old}' does no harm: {found:e}");
    }
}

/// Starts on far sides are reported as lost, by the kernel as by the reference; no result is called good that is not.
#[test]
fn starts_on_far_sides_are_reported_as_lost() {
    let (pairs, mut starts) = cases(200);
    starts.iter_mut().enumerate().for_each(|(i, s)| s.at[i % 2] = -s.at[i % 2]);
    let told = |places: &[Places]| {
        let end_s = SCHEDULE.step_s * SCHEDULE.n_steps as f64;
        for (pair, place) in pairs.iter().zip(places).filter(|(_, p)| p.is_good(1e-3)) {
            let found = search(&shapes(pair), &relative(pair, end_s)).unwrap();
            assert!((found.sigma_m - place.sigma_m).abs() < 1e-4, "{place:?} {}", found.sigma_m);
        }
        places.iter().filter(|p| !p.is_good(1e-3)).count()
    };
    let mut on_cpu = starts.clone();
    reference(&pairs, &mut on_cpu, &SCHEDULE).unwrap();
    let lost = told(&on_cpu);
    assert!(lost > 100, "{lost}");
    if skip() {
        return;
    }
    let mut on_gpu = starts.clone();
    kernel(None).follow(&pairs, &mut on_gpu, &SCHEDULE).unwrap();
    assert!(told(&on_gpu) > 100);
    // Without the kernel's own check, pairs that were lost on the way count as regular.
    let mutant = Mutant { old: "select(1.0, 0.0, good)", new: "0.0" };
    let mut unjudged = starts;
    kernel(Some(mutant)).follow(&pairs, &mut unjudged, &SCHEDULE).unwrap();
    let regular = |places: &[Places]| places.iter().filter(|p| p.regular).count();
    assert!(regular(&unjudged) > regular(&on_gpu), "{} {}", regular(&unjudged), regular(&on_gpu));
}

#[test]
fn unstable_schedules_and_unequal_lengths_are_refused() {
    let (pairs, mut places) = cases(2);
    let unstable = Schedule { gain_per_s: 200.0, ..SCHEDULE };
    assert!(reference(&pairs, &mut places, &unstable).is_err());
    assert!(reference(&pairs[..1], &mut places, &SCHEDULE).is_err());
}
