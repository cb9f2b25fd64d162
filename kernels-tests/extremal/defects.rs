//! The errors of the printed text: each is copied, run, and distinguished from the right form.

use super::bodies::{APART_OFF, APART_START, THROUGH_START, apart, in_contact, through_contact};
use super::literal::{self, Defect, norm, phi, psi};
use firstcontact::extremal::{Feedback, Form, Integrator, Lost, Phase, Settings, State, Tracker};
use glam::DVec3;

fn plus(x: [f64; 4], y: [f64; 4], by: f64) -> [f64; 4] {
    std::array::from_fn(|i| x[i] + by * y[i])
}

fn x_of(state: &State) -> [f64; 4] {
    assert_eq!((state.a.chart, state.b.chart), (0, 0));
    state.parameters()
}

/// |Ψ| exp(K t) is constant; with any of the errors it is not.
#[test]
fn errors_of_the_equations_end_the_exponential_decay() {
    let case = apart();
    let (gain, end) = (5.0, 1.5);
    let start = plus(APART_START, APART_OFF, 1.0);
    let first = norm(psi(&case.0, &case.1, 0.0, start));
    let decay = |defect| {
        let x = literal::track(&case, [0.0, end], start, gain, 2e-3, defect);
        norm(psi(&case.0, &case.1, end, x)) / first
    };
    let right = (-gain * end).exp();
    assert!((decay(Defect::None) / right - 1.0).abs() < 1e-5, "{}", decay(Defect::None));
    let settings = Settings { gain_per_s: gain, step_s: 2e-3, form: Form::Projection, ..Settings::default() };
    let tracker = Tracker::new(case.0.clone(), case.1, settings).unwrap();
    let track = tracker.run(Some(State::new(start)), end).unwrap();
    let last = track.samples.last().unwrap();
    assert!((norm(last.projections) / first / right - 1.0).abs() < 1e-5 && track.restarts.is_empty());
    for defect in [
        Defect::SignOfB,
        Defect::GarbledRow,
        Defect::NoOrigins,
        Defect::SpinOfRow3,
        Defect::GainOnDrift,
        Defect::NoMixedDerivative,
    ] {
        let found = decay(defect);
        assert!(!((found / right - 1.0).abs() < 0.02), "{defect:?} does no harm: {found:e} for {right:e}");
    }
    // Errors that give a wrong drift leave a residual error; missing origins lead to another pair altogether.
    assert!(decay(Defect::SignOfB) > 20.0 * right && !(decay(Defect::NoOrigins) < 0.1));
}

/// The error of the printed sign.
#[test]
fn the_printed_sign_is_off_by_twice_the_relative_spin() {
    let (pair, motions) = apart();
    let (t, x) = (0.5, [0.4, 0.3, -2.6, -0.2]);
    let (_, _, right) = literal::terms(&pair, &motions, t, x, Defect::None);
    let (_, _, printed) = literal::terms(&pair, &motions, t, x, Defect::SignOfB);
    // At a fixed time, by differences: checks which of the two is the rate.
    let rate = |i: usize| (psi(&pair, &motions, t + 1e-5, x)[i] - psi(&pair, &motions, t - 1e-5, x)[i]) / 2e-5;
    for i in 0..2 {
        assert_eq!(printed[i], right[i]);
    }
    for i in 2..4 {
        assert!((right[i] - rate(i)).abs() < 1e-8 && (printed[i] - rate(i)).abs() > 0.01);
    }
    let w: DVec3 = motions[0].spin_rad_s - motions[1].spin_rad_s;
    let pose = motions.map(|m| m.at(t).rotation);
    let f = pose[0] * pair.a.jet(firstcontact::extremal::Place::new(x[0], x[1])).point;
    let h = pair.b.jet(firstcontact::extremal::Place::new(x[2], x[3])).first.map(|d| pose[1] * d);
    (0..2).for_each(|i| assert!((printed[2 + i] - right[2 + i] + 2.0 * w.cross(f).dot(h[i])).abs() < 1e-14));
}

/// The matrix of projections has rank 2 in contact; that of the normal form is regular, and tracks.
#[test]
fn projections_are_singular_in_contact_and_the_normal_form_is_not() {
    let (pair, motions) = in_contact();
    let pi = std::f64::consts::PI;
    let exact = [0.3, 0.0, pi + 0.3, 0.0];
    let start = State::new(plus(exact, [0.02, 0.01, -0.02, 0.01], 1.0));
    let settings = |form| Settings { gain_per_s: 5.0, step_s: 2e-3, form, ..Settings::default() };
    let tracker = |form| Tracker::new(pair.clone(), motions, settings(form)).unwrap();
    let at = tracker(Form::Normal).configuration(&State::new(exact), 0.0);
    let pivots = |form| at.equations(form).rates([0.0; 4]).pivot_ratio;
    assert!(pivots(Form::Projection) < 1e-12 && pivots(Form::Normal) > 0.1);
    // Rounding leaves pivots that are not quite 0: no step is made with them.
    let step = tracker(Form::Projection).step(&State::new(exact), 0.0, 2e-3);
    assert!(matches!(step, Err(Lost::Singular { .. })), "{step:?}");
    let normal = tracker(Form::Normal).run(Some(start), 2.0).unwrap();
    let last = normal.samples.last().unwrap();
    assert!(normal.restarts.is_empty() && last.phase == Phase::Tracking);
    assert!(last.sigma_m.abs() < 1e-11 && last.error < 1e-5, "{:e} {:e}", last.sigma_m, last.error);
    // The paper's method makes Ψ small, and is wrong by its own measure of parallel normals.
    let literal = literal::track(&(pair.clone(), motions), [0.0, 2.0], start.parameters(), 5.0, 2e-3, Defect::None);
    assert!(norm(psi(&pair, &motions, 2.0, literal)) < 1e-5);
    assert!(!(norm(phi(&pair, &motions, 2.0, literal).0) < 1e-3));
    // The engine's tracker, when it uses projections, does not report tracking where it fails to track.
    let projection = tracker(Form::Projection).run(Some(start), 2.0).unwrap();
    assert!(!projection.restarts.is_empty());
    for sample in projection.samples.iter().filter(|s| s.phase == Phase::Tracking) {
        let error = tracker(Form::Normal).configuration(&sample.state, sample.t_s).equations(Form::Normal).error();
        assert!(error < 0.06, "{error}");
    }
}

/// The whole curve in which the surfaces intersect is an equilibrium of projections: they stick to it, with a distance
/// of about 0.
#[test]
fn projections_stick_where_surfaces_cross() {
    let case = through_contact();
    let (pair, motions) = &case;
    let (from, to, deep) = (1.05, 1.45, -0.2016959509907);
    let settings = |form| Settings { gain_per_s: 10.0, step_s: 2e-3, form, ..Settings::default() };
    let tracker = |form| Tracker::new(pair.clone(), *motions, settings(form)).unwrap();
    // The pair just before contact, tracked from long before.
    let track = tracker(Form::Normal).run(Some(State::new(THROUGH_START)), from).unwrap();
    let before = track.samples.last().unwrap();
    for off in [1e-4, 1e-3, 1e-2] {
        let start = plus(x_of(&before.state), [1.0, -1.0, 1.0, 0.5], off);
        let stuck = literal::track(&case, [from, to], start, 10.0, 2e-3, Defect::None);
        let (_, sigma) = phi(pair, motions, to, stuck);
        assert!(norm(psi(pair, motions, to, stuck)) < 1e-3 && sigma.abs() < 1e-2, "{off}: {sigma}");
        // The normal form, from the same start, passes through.
        let n = ((to - from) / 2e-3).round() as usize;
        let normal = tracker(Form::Normal);
        let state = (0..n).fold(State::new(start), |s, i| normal.step(&s, from + i as f64 * 2e-3, 2e-3).unwrap());
        let found = normal.configuration(&state, to).sigma_m();
        assert!((found - deep).abs() < 1e-4 * off.max(1e-3), "{off}: {found}");
    }
    // The tracker, even when set to use projections, does not report a stuck point as a pair.
    let start = plus(x_of(&before.state), [1.0, -1.0, 1.0, 0.5], 1e-2);
    let later = motions.map(|m| firstcontact::extremal::Motion {
        rotation: m.at(from).rotation,
        origin_m: m.at(from).origin_m,
        ..m
    });
    let projection = Tracker::new(pair.clone(), later, settings(Form::Projection)).unwrap();
    let track = projection.run(Some(State::new(start)), to - from).unwrap();
    let last = track.samples.last().unwrap();
    assert!(last.phase != Phase::Tracking || (last.sigma_m - deep).abs() < 1e-3, "{last:?}");
    let named = |l: &Lost| matches!(l, Lost::FalseEquilibrium { .. } | Lost::Singular { .. } | Lost::NotExtremal);
    assert!(track.restarts.iter().any(|r| named(&r.lost)), "{:?}", track.restarts);
}

/// Integrated projections (the paper's figure 3) report small errors while the true ones drift; computed ones (figure
/// 4) stay small.
#[test]
fn integrated_errors_drift() {
    let (pair, motions) = apart();
    let settings = |feedback| Settings {
        form: Form::Projection,
        feedback,
        integrator: Integrator::Euler,
        ..Settings { gain_per_s: 10.0, step_s: 0.01, ..Settings::default() }
    };
    let true_error = |feedback, end: f64| {
        let tracker = Tracker::new(pair.clone(), motions, settings(feedback)).unwrap();
        let track = tracker.run(Some(State::new(APART_START)), end).unwrap();
        assert!(track.restarts.is_empty());
        norm(track.samples.last().unwrap().projections)
    };
    let [integrated, direct] =
        [Feedback::Integrated, Feedback::Direct].map(|f| [2.0, 4.0].map(|end| true_error(f, end)));
    assert!(integrated[1] > 1.5 * integrated[0] && integrated[0] > 10.0 * direct[0], "{integrated:?} {direct:?}");
    assert!(direct[0] < 5e-4 && direct[1] < 8e-4, "{direct:?}");
}
