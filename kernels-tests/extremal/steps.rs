//! Gains, steps and integrators.

use super::bodies::{APART_OFF, APART_START, apart};
use super::literal::norm;
use firstcontact::extremal::integrate::{euler, runge_kutta_4};
use firstcontact::extremal::tracker::rates;
use firstcontact::extremal::{Form, Integrator, Lost, Motion, Relative, Settings, State, Tracker};

fn plus(x: [f64; 4], y: [f64; 4]) -> [f64; 4] {
    std::array::from_fn(|i| x[i] + y[i])
}

/// |Ψ| after steps with K·h = z on bodies at rest, from a small error.
fn after(integrator: Integrator, z: f64) -> f64 {
    let (pair, motions) = apart();
    let relative =
        Relative::between(&Motion::still(motions[0].origin_m).at(0.0), &Motion::still(motions[1].origin_m).at(0.0));
    let form = Form::Projection;
    let h = 0.01;
    let rate = |_: f64, x: &[f64; 4]| rates(&pair, &State::new(*x), &relative, form, z / h, None);
    let mut x = plus(APART_START, [1e-4, -1e-4, 1e-4, 1e-4]);
    for _ in 0..200 {
        let next: Result<[f64; 4], Lost> = match integrator {
            Integrator::Euler => euler(rate, 0.0, &x, h),
            _ => runge_kutta_4(rate, 0.0, &x, h),
        };
        match next {
            Ok(next) => x = next,
            Err(_) => return f64::INFINITY,
        }
    }
    let psi = firstcontact::extremal::Configuration::new(&pair, &State::new(x), &relative).projections();
    norm(psi)
}

#[test]
fn limits_of_stability_are_where_errors_stop_decaying() {
    for (integrator, below, above) in [(Integrator::Euler, 1.9, 2.05), (Integrator::RungeKutta4, 2.7, 2.85)] {
        assert!(below < integrator.stability_limit() && above > integrator.stability_limit());
        assert!(after(integrator, below) < 1e-8, "{}", after(integrator, below));
        assert!(!(after(integrator, above) < 1e-3), "{}", after(integrator, above));
        let limit = integrator.stability_limit();
        let settings = |z: f64| Settings { gain_per_s: z / 0.01, step_s: 0.01, integrator, ..Settings::default() };
        assert!(settings(0.999 * limit).check().is_ok());
        let message = settings(above).check().unwrap_err().to_string();
        assert!(message.contains("gain × step") && message.contains("smaller gain"), "{message}");
    }
    // The factor of one step has absolute value 1 at the limit.
    let z = Integrator::RungeKutta4.stability_limit();
    assert!((1.0 - z + z * z / 2.0 - z.powi(3) / 6.0 + z.powi(4) / 24.0 - 1.0).abs() < 1e-14);
}

#[test]
fn invalid_gains_and_steps_are_refused() {
    for (gain_per_s, step_s) in [(0.0, 0.01), (-1.0, 0.01), (f64::NAN, 0.01), (1.0, 0.0), (1.0, f64::INFINITY)] {
        assert!(Settings { gain_per_s, step_s, ..Settings::default() }.check().is_err());
    }
    let integrator = Integrator::DormandPrince { tolerance: 0.0 };
    assert!(Settings { integrator, ..Settings::default() }.check().is_err());
    let (pair, motions) = apart();
    let tracker = Tracker::new(pair, motions, Settings::default()).unwrap();
    for duration in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
        assert!(tracker.run(None, duration).is_err());
    }
}

/// The remaining error of an exact start while the bodies move: h / K for Euler, order 4 for Runge-Kutta.
#[test]
fn floors_have_the_orders_of_the_methods() {
    let (pair, motions) = apart();
    let floor = |integrator, step_s: f64| {
        let settings = Settings { gain_per_s: 10.0, step_s, form: Form::Projection, integrator, ..Settings::default() };
        let tracker = Tracker::new(pair.clone(), motions, settings).unwrap();
        let track = tracker.run(Some(State::new(APART_START)), 2.0).unwrap();
        norm(track.samples.last().unwrap().projections)
    };
    let order = |integrator, h: f64| (floor(integrator, h) / floor(integrator, 0.5 * h)).log2();
    assert!((order(Integrator::Euler, 0.02) - 1.0).abs() < 0.1);
    assert!((order(Integrator::RungeKutta4, 0.08) - 4.0).abs() < 0.5, "{}", order(Integrator::RungeKutta4, 0.08));
    // Tabulated for Euler.
    for (h, wanted) in [(0.02, 7.2e-4), (0.01, 3.6e-4), (0.005, 1.8e-4)] {
        assert!((floor(Integrator::Euler, h) / wanted - 1.0).abs() < 0.05);
    }
    // With adaptive steps the tolerance decides, not the time between samples.
    let own = |tolerance| floor(Integrator::DormandPrince { tolerance }, 0.25);
    assert!(own(1e-10) < 1e-7 && own(1e-4) > 10.0 * own(1e-10), "{:e} {:e}", own(1e-4), own(1e-10));
}

#[test]
fn adaptive_steps_decay_at_the_gain() {
    let (pair, motions) = apart();
    let integrator = Integrator::DormandPrince { tolerance: 1e-9 };
    let settings =
        Settings { gain_per_s: 40.0, step_s: 0.1, form: Form::Projection, integrator, ..Settings::default() };
    let tracker = Tracker::new(pair, motions, settings).unwrap();
    let track = tracker.run(Some(State::new(plus(APART_START, APART_OFF))), 0.3).unwrap();
    let [first, last] = [&track.samples[0], &track.samples[2]].map(|s| norm(s.projections));
    assert!(((first / last).ln() / 8.0 - 1.0).abs() < 1e-3, "{}", (first / last).ln());
}
