//! Edges of patches, closed parameters, charts, curves and points, and pairs that are lost.

use super::bodies::{PATCHES_START, apart, octant, patches, patches_with, v};
use super::oracle::dense_distance;
use firstcontact::extremal::search::search;
use firstcontact::extremal::{
    Basis, Configuration, Lost, Motion, Pair, Phase, Place, Relative, Settings, Shape, SplineCurve, State, Tracker,
};
use glam::DVec3;
use std::f64::consts::PI;

fn tracker(pair: &Pair, motions: [Motion; 2], gain_per_s: f64, step_s: f64, audit_steps: usize) -> Tracker {
    let settings = Settings { gain_per_s, step_s, audit_steps, ..Settings::default() };
    Tracker::new(pair.clone(), motions, settings).unwrap()
}

/// B moves around A, over its poles and through every seam of its parameters; σ is that of spheres, without a jump.
#[test]
fn tracking_is_smooth_across_seams_and_poles() {
    let pair = Pair { a: Shape::ellipsoid([1.0; 3]).unwrap(), b: Shape::ellipsoid([0.5; 3]).unwrap() };
    let mut changes = 0;
    for spin in [v(0.0, 0.0, 3.0), v(0.0, 3.0, 0.0), v(3.0, 0.1, 0.05), v(1.0, -2.0, 1.5), v(2.0, 2.2, 1.8)] {
        let motions =
            [Motion::new(v(0.0, 0.0, 0.0), v(0.1, 0.0, 0.0), spin), Motion::new(v(1.8, 0.1, 0.0), DVec3::ZERO, -spin)];
        let track = tracker(&pair, motions, 20.0, 0.01, 0).run(None, 4.0).unwrap();
        assert!(track.restarts.is_empty(), "{:?}", track.restarts);
        for sample in &track.samples {
            let exact = (motions[0].at(sample.t_s).origin_m - motions[1].origin_m).length() - 1.5;
            assert!((sample.sigma_m - exact).abs() < 1e-6, "{spin} {}: {} {exact}", sample.t_s, sample.sigma_m);
        }
        changes += track.samples.windows(2).filter(|w| w[0].state.a.chart != w[1].state.a.chart).count();
    }
    assert!(changes > 4, "{changes}");
}

/// A ball moves past a patch: its nearest point moves onto the edge, along it, over a corner, and back into the face.
#[test]
fn points_are_held_at_edges_and_released() {
    let pair = Pair { a: patches().0.a, b: Shape::ellipsoid([0.2; 3]).unwrap() };
    let motions = [Motion::still(DVec3::ZERO), Motion::new(v(0.2, 0.1, 1.6), v(1.2, 0.5, 0.0), v(0.0, 0.3, 0.2))];
    let back = [
        motions[0],
        Motion { origin_m: motions[1].at(2.0).origin_m, velocity_m_s: -motions[1].velocity_m_s, ..motions[1] },
    ];
    let mut held = 0;
    for motions in [motions, back] {
        let tracker = tracker(&pair, motions, 40.0, 2e-3, 0);
        let track = tracker.run(None, 2.0).unwrap();
        assert!(track.restarts.is_empty(), "{:?}", track.restarts);
        for k in 0..=10 {
            let sample = &track.samples[k * 100];
            let dense = dense_distance(&pair, &motions, sample.t_s, 24);
            let close = (sample.sigma_m - dense).abs();
            assert!(close < 2e-5, "{}: {} {dense} {:?}", sample.t_s, sample.sigma_m, sample.state);
            let found = search(&pair, &tracker.relative(sample.t_s)).unwrap();
            assert!((found.sigma_m - dense).abs() < 1e-8, "{} {dense}", found.sigma_m);
        }
        let most = track.samples.iter().map(|s| s.state.held.iter().filter(|h| **h).count()).max().unwrap();
        let first = track.samples[0].state.held.iter().filter(|h| **h).count();
        let last = track.samples.last().unwrap().state.held.iter().filter(|h| **h).count();
        assert!(most >= 1 && first != last);
        held += most;
    }
    assert!(held >= 2);
}

/// In penetration the tracker cannot handle an edge: this is reported as a loss.
#[test]
fn an_edge_in_penetration_is_reported_as_a_loss() {
    let pair = Pair { a: patches().0.a, b: Shape::ellipsoid([0.4; 3]).unwrap() };
    let motions = [Motion::still(DVec3::ZERO), Motion::new(v(0.0, 0.0, 1.15), v(1.3, 0.0, -0.65), DVec3::ZERO)];
    let track = tracker(&pair, motions, 20.0, 5e-3, 0).run(None, 1.0).unwrap();
    assert!(track.samples[0].phase == Phase::Tracking);
    assert!(track.restarts.iter().any(|r| matches!(r.lost, Lost::Edge)), "{:?}", track.restarts);
    let after = track.samples.iter().filter(|s| s.t_s > track.restarts[0].t_s);
    let wrong = after.filter(|s| s.phase == Phase::Tracking && s.state.held != [false; 4] && s.sigma_m < -2e-3);
    assert_eq!(wrong.count(), 0);
}

/// Curves and points: the same tracker with fewer parameters.
#[test]
fn curves_and_points_are_tracked_to_the_least_distance() {
    let curve = || {
        let points = [v(-1.0, 0.0, 0.0), v(-0.3, 0.8, 0.3), v(0.4, -0.6, -0.2), v(1.0, 0.2, 0.4)];
        Shape::Curve(SplineCurve::new(Basis::bezier(3).unwrap(), &points, Some(&[1.0, 2.0, 1.5, 1.0])).unwrap())
    };
    let surface = || Shape::ellipsoid([0.8, 0.5, 0.4]).unwrap();
    let pairs = [
        Pair { a: curve(), b: Shape::ellipse([0.9, 0.6]).unwrap() },
        Pair { a: curve(), b: surface() },
        Pair { a: surface(), b: curve() },
        Pair { a: Shape::Point, b: surface() },
        Pair { a: surface(), b: Shape::Point },
        Pair { a: Shape::Point, b: curve() },
        Pair { a: Shape::torus(1.0, 0.3).unwrap(), b: surface() },
    ];
    for pair in pairs {
        let motions = [
            Motion::new(v(0.0, 0.0, 0.0), v(0.1, 0.0, 0.0), v(0.3, 0.2, -0.4)),
            Motion::new(v(0.4, 0.3, 1.9), v(0.1, -0.2, -0.3), v(-0.2, 0.3, 0.2)),
        ];
        let tracker = tracker(&pair, motions, 20.0, 5e-3, 20);
        let track = tracker.run(None, 1.0).unwrap();
        for k in 0..=4 {
            let sample = &track.samples[k * 50];
            let dense = dense_distance(&pair, &motions, sample.t_s, 40);
            assert!((sample.sigma_m - dense).abs() < 2e-4, "{pair:?} {}: {} {dense}", sample.t_s, sample.sigma_m);
        }
        let exact = search(&pair, &tracker.relative(1.0)).unwrap();
        assert!((exact.sigma_m - dense_distance(&pair, &motions, 1.0, 40)).abs() < 1e-8);
    }
}

/// A point through a sphere, a curve through a sphere: the sign is kept.
#[test]
fn points_and_curves_penetrate_with_a_sign() {
    let sphere = || Shape::ellipsoid([0.7; 3]).unwrap();
    let ring = Shape::ellipse([0.2, 0.2]).unwrap();
    for (a, b) in [(Shape::Point, sphere()), (sphere(), Shape::Point), (ring, sphere())] {
        let ringed = matches!(a, Shape::Ellipse(_));
        let pair = Pair { a, b };
        let motions = [Motion::still(v(0.0, 1.0, 0.0)), Motion::new(DVec3::ZERO, v(0.0, 0.5, 0.0), DVec3::ZERO)];
        let track = tracker(&pair, motions, 20.0, 5e-3, 0).run(None, 1.0).unwrap();
        assert!(track.restarts.is_empty(), "{:?}", track.restarts);
        for sample in &track.samples {
            let gap = 1.0 - 0.5 * sample.t_s - if ringed { 0.2 } else { 0.0 };
            assert!((sample.sigma_m - (gap - 0.7)).abs() < 1e-9, "{} {}", sample.sigma_m, gap - 0.7);
        }
        assert!(track.samples.last().unwrap().sigma_m < -0.19);
    }
}

/// Far sides, saddles and insides are distinguished from extremal pairs, reported by name, and left by a search.
#[test]
fn wrong_starts_are_reported_and_left() {
    let (pair, motions) = apart();
    let tracker = tracker(&pair, motions, 10.0, 0.01, 0);
    let exact = tracker.run(None, 1.0).unwrap();
    let mut lost = 0;
    for k in 0..64u32 {
        let at = |i: u32, n: u32, range: f64| (f64::from((k / i) % n) + 0.5) / f64::from(n) * 2.0 * range - range;
        let start = State::new([at(1, 4, PI), at(4, 2, 1.2), at(8, 4, PI), at(32, 2, 1.2)]);
        let track = tracker.run(Some(start), 1.0).unwrap();
        lost += track.restarts.len();
        for (sample, right) in track.samples.iter().zip(&exact.samples) {
            let wrong = sample.phase == Phase::Tracking && (sample.sigma_m - right.sigma_m).abs() > 5e-3;
            assert!(!wrong, "{k} {}: {} {}", sample.t_s, sample.sigma_m, right.sigma_m);
        }
        // Whatever happens, the track ends at the pair or reports that it does not.
        let last = track.samples.last().unwrap();
        assert!(last.phase == Phase::Tracking && (last.sigma_m - exact.samples.last().unwrap().sigma_m).abs() < 1e-4);
    }
    assert!(lost > 10, "{lost}");
}

/// One sphere inside the other: no pair faces each other, and this is reported.
#[test]
fn a_body_inside_another_is_reported() {
    let pair = Pair { a: Shape::ellipsoid([2.0; 3]).unwrap(), b: Shape::ellipsoid([0.3; 3]).unwrap() };
    let motions = [Motion::still(DVec3::ZERO), Motion::still(v(0.9, 0.0, 0.0))];
    let track = tracker(&pair, motions, 10.0, 0.01, 0).run(None, 0.1).unwrap();
    assert!(track.samples.iter().all(|s| matches!(s.phase, Phase::Lost(Lost::WrongSide { .. }))));
    assert!(track.samples.iter().all(|s| s.sigma_m.is_nan()) && !track.restarts[0].found);
}

/// A ball moves around inside the hole of a torus: another part of the torus becomes the nearest, which only an audit
/// detects.
#[test]
fn an_audit_finds_the_nearer_pair() {
    let pair = Pair { a: Shape::torus(1.0, 0.25).unwrap(), b: Shape::ellipsoid([0.2, 0.15, 0.15]).unwrap() };
    let motions = [Motion::still(DVec3::ZERO), Motion::new(v(0.35, 0.02, 0.05), v(-0.7, 0.0, 0.0), v(0.0, 0.0, 0.3))];
    let audited = tracker(&pair, motions, 20.0, 0.01, 5).run(None, 1.0).unwrap();
    let found = audited.restarts.iter().filter(|r| r.found).count();
    assert!(found > 0, "{:?}", audited.restarts);
    for sample in audited.samples.iter().step_by(5).skip(1) {
        let dense = dense_distance(&pair, &motions, sample.t_s, 32);
        assert!((sample.sigma_m - dense).abs() < 2e-3, "{}: {} {dense}", sample.t_s, sample.sigma_m);
    }
}

/// One disc moves through another one. The pair is that of the sides on which they have met, until an audit finds that
/// they are apart again.
#[test]
fn an_audit_finds_that_bodies_are_apart_again() {
    let disc = || Shape::ellipsoid([2.0, 2.0, 0.3]).unwrap();
    let pair = Pair { a: disc(), b: disc() };
    let motions = [Motion::new(DVec3::ZERO, v(0.0, 0.0, 1.0), DVec3::ZERO), Motion::still(v(0.1, 0.0, 1.0))];
    let audited = tracker(&pair, motions, 20.0, 0.01, 5).run(None, 3.0).unwrap();
    let apart = audited.samples.iter().filter(|s| !(0.35..=1.7).contains(&s.t_s));
    for sample in apart.filter(|s| s.phase == Phase::Tracking) {
        let dense = dense_distance(&pair, &motions, sample.t_s, 32);
        assert!((sample.sigma_m - dense).abs() < 2e-3, "{}: {} {dense}", sample.t_s, sample.sigma_m);
    }
    assert!(audited.restarts.iter().any(|r| r.found && matches!(r.lost, Lost::Farther { .. })));
    assert!((audited.samples.last().unwrap().sigma_m - 1.4).abs() < 0.01);
}

/// A patch whose normal is declared to point the other way: its nearest pair does not face each other, and this is
/// reported.
#[test]
fn a_reversed_normal_is_reported() {
    for inward in [true, false] {
        let (pair, motions) = patches_with(inward);
        let track = tracker(&pair, motions, 10.0, 0.01, 0).run(Some(State::new(PATCHES_START)), 0.5).unwrap();
        let wrong = |l: &Lost| matches!(l, Lost::WrongSide { .. } | Lost::NotExtremal);
        assert_eq!(track.restarts.iter().any(|r| wrong(&r.lost) && !r.found), !inward, "{:?}", track.restarts);
        let tracking = track.samples.iter().filter(|s| s.phase == Phase::Tracking).count();
        assert!(if inward { tracking == track.samples.len() - 1 } else { tracking == 0 }, "{tracking}");
    }
}

/// Steps that are too long for the gain or for the motion: the errors stay large, grow again, or the distance jumps.
/// Every sample that is reported as tracked is right nevertheless.
#[test]
fn the_effects_of_too_long_steps_are_reported() {
    let run = |pair: &Pair, motions: [Motion; 2], settings: Settings, start: Option<State>, end: f64| {
        let track = Tracker::new(pair.clone(), motions, settings).unwrap().run(start, end).unwrap();
        for sample in track.samples.iter().filter(|s| s.phase == Phase::Tracking) {
            let dense = dense_distance(pair, &motions, sample.t_s, 24);
            assert!((sample.sigma_m - dense).abs() < 0.02, "{} {dense}", sample.sigma_m);
        }
        track.restarts.iter().map(|r| r.lost.name()).collect::<Vec<_>>()
    };
    // Just below the stability limit errors do decay, but not within the time that the gain promises.
    let (pair, motions) = apart();
    let slow = Settings { gain_per_s: 27.5, step_s: 0.1, ..Settings::default() };
    let near = State::new([0.285, 0.192, -2.829, -0.21]);
    let names = run(&pair, motions.map(|m| Motion::still(m.origin_m)), slow, Some(near), 3.0);
    assert!(names.contains(&"not-acquired"), "{names:?}");
    // Euler steps along tangents of a body that turns by 0.4 rad in each step.
    let balls = Pair { a: Shape::ellipsoid([1.0; 3]).unwrap(), b: Shape::ellipsoid([0.5; 3]).unwrap() };
    let spin = [Motion::new(DVec3::ZERO, DVec3::ZERO, v(0.0, 1.0, 4.0)), Motion::still(v(2.0, 0.2, 0.3))];
    let euler = firstcontact::extremal::Integrator::Euler;
    let coarse = Settings { gain_per_s: 1.0, step_s: 0.1, integrator: euler, ..Settings::default() };
    let names = run(&balls, spin, coarse, None, 2.0);
    assert!(names.contains(&"diverged"), "{names:?}");
    // A long body turns by 0.5 rad in a step: its distance does not follow its predicted rate.
    let long = Pair { a: Shape::ellipsoid([2.0, 0.5, 0.5]).unwrap(), b: Shape::ellipsoid([0.5; 3]).unwrap() };
    let spin = [Motion::new(DVec3::ZERO, DVec3::ZERO, v(0.0, 0.0, 1.0)), Motion::still(v(4.0, 0.2, 0.1))];
    let names = run(&long, spin, Settings { gain_per_s: 2.0, step_s: 0.5, ..Settings::default() }, None, 6.0);
    assert!(names.contains(&"jump"), "{names:?}");
}

/// Deeper than the radii of curvature of both bodies, but not deeper than their sum, a pair is still a maximum of the
/// gap.
#[test]
fn pairs_of_spheres_are_extremal_until_their_centres_meet() {
    let pair = Pair { a: Shape::ellipsoid([1.0; 3]).unwrap(), b: Shape::ellipsoid([1.0; 3]).unwrap() };
    let facing = State::new([0.0, 0.0, PI, 0.0]);
    for (apart_m, extremal) in [(2.5, true), (1.5, true), (0.5, true), (0.1, true), (-0.1, false), (-0.7, false)] {
        let place = |x: f64| Motion::still(v(x, 0.0, 0.0)).at(0.0);
        let at = Configuration::new(&pair, &facing, &Relative::between(&place(0.0), &place(apart_m)));
        assert_eq!(at.is_extremal(), extremal, "{apart_m}");
        assert!((at.sigma_m() - (apart_m - 2.0)).abs() < 1e-14);
    }
}

/// Flat faces against each other have no unique pair: the equations are singular, and reported by name.
#[test]
fn flat_on_flat_is_singular() {
    let square = |z: f64, inward| {
        let points = [v(-1.0, -1.0, z), v(-1.0, 1.0, z), v(1.0, -1.0, z), v(1.0, 1.0, z)];
        let basis = [Basis::bezier(1).unwrap(), Basis::bezier(1).unwrap()];
        Shape::Patch(firstcontact::extremal::SplineSurface::new(basis, &points, None, inward).unwrap())
    };
    // u is along x, v along y: outward is +z for A (inward false), −z for B.
    let pair = Pair { a: square(0.0, false), b: square(0.0, true) };
    let motions = [Motion::still(DVec3::ZERO), Motion::still(v(0.1, 0.1, 0.5))];
    let tracker = tracker(&pair, motions, 10.0, 0.01, 0);
    let step = tracker.step(&State::new([0.5; 4]), 0.0, 0.01);
    assert!(matches!(step, Err(Lost::Singular { .. })), "{step:?}");
    let at = Configuration::new(&pair, &State::new([0.5; 4]), &tracker.relative(0.0));
    assert!(!at.is_extremal() && at.facing() == Some(-1.0) && (at.sigma_m() + 0.5).abs() < 2.0);
}

/// The pole of an octant, where one of its edges is a point.
#[test]
fn a_collapsed_edge_is_found_by_the_search() {
    let pair = Pair { a: octant(1.0), b: Shape::ellipsoid([0.2; 3]).unwrap() };
    let relative = Relative::between(&Motion::still(DVec3::ZERO).at(0.0), &Motion::still(v(-0.1, -0.1, 1.6)).at(0.0));
    let found = search(&pair, &relative).unwrap();
    // The pole (0, 0, 1) is nearest: the ball is beyond both edges that meet there.
    assert!((found.sigma_m - (v(-0.1, -0.1, 0.6).length() - 0.2)).abs() < 1e-9, "{found:?}");
    assert!(pair.a.jet(Place::new(0.5, 1.0)).first[0].length() < 1e-15);
}
