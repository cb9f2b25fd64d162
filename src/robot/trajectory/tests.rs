use super::*;

/// A reproducible number in [-1, 1].
fn draw(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Straight, cubic and quintic segments of three columns.
fn mixed(state: &mut u64) -> Trajectory {
    let mut row = || [draw(state), 2.0 * draw(state), 0.5 * draw(state)];
    let mut path = Trajectory::new(&row()).unwrap();
    for k in 0..6 {
        match k % 3 {
            0 => path.line_to(&row()).unwrap(),
            1 => path.cubic_to(0.5, &row(), &row(), &row()).unwrap(),
            _ => path.quintic_to(2.0, [&row(), &row()], [&row(), &row()], &row()).unwrap(),
        }
    }
    path
}

/// The value of a column at `u` by powers of local time, from the coefficients.
fn value(path: &Trajectory, c: usize, u: f64) -> f64 {
    let k = path.segment_at(u);
    let t = (u - path.knot(k)) / (path.knot(k + 1) - path.knot(k));
    let (b, d) = (path.coefficients(k, c), path.degree(k));
    (0..=d).map(|i| binomial(d, i) * t.powi(i as i32) * (1.0 - t).powi((d - i) as i32) * b[i]).sum()
}

/// The trajectory stays within the deviation of the chord, and attains most of it somewhere.
#[test]
fn the_deviation_of_a_chord_holds_and_is_attained() {
    let (mut state, mut span) = (5, Span::default());
    for _ in 0..200 {
        let path = mixed(&mut state);
        let (x, y) = (draw(&mut state).abs(), draw(&mut state).abs());
        let [u0, u1] = [x.min(y), x.max(y)];
        path.span_in(&mut span, [u0, u1]);
        for c in 0..3 {
            let mut largest = 0.0f64;
            for i in 0..=400 {
                let t = f64::from(i) / 400.0;
                let chord = span.start[c] + (span.end[c] - span.start[c]) * t;
                largest = largest.max((value(&path, c, u0 + (u1 - u0) * t) - chord).abs());
            }
            assert!(largest <= span.deviation[c] + span.rounding[c], "{largest} beyond {}", span.deviation[c]);
            assert!(largest >= 0.05 * span.deviation[c] - 1e-13, "{largest} of {}", span.deviation[c]);
            assert!(span.rounding[c] > 0.0 && span.rounding[c] < 1e-12);
        }
    }
}

/// The deviation falls with the square of the length within a segment, and is zero on straight segments.
#[test]
fn deviations_fall_with_the_square_of_the_length() {
    let (mut state, mut span) = (6, Span::default());
    let path = mixed(&mut state);
    let (from, until) = (path.knot(2), path.knot(3));
    let mut last = f64::INFINITY;
    for k in 1..8 {
        path.span_in(&mut span, [from, from + (until - from) / f64::from(1 << k)]);
        assert!(span.deviation[0] < last / 3.0 || k < 3, "{} after {last}", span.deviation[0]);
        last = span.deviation[0];
    }
    path.span_in(&mut span, [path.knot(0), path.knot(1)]);
    assert_eq!((span.start.clone(), span.end.clone()), (path.waypoint(0), path.waypoint(1)));
    assert_eq!(span.deviation, [0.0; 3]);
}

#[test]
fn points_cut_on_one_line_deviate_by_rounding_alone() {
    let points = (0..=100).map(|i| [f64::from(i) * 0.02, 1.0 - f64::from(i) * 0.01]);
    let path = Trajectory::linear(points).unwrap();
    let mut span = Span::default();
    path.span_in(&mut span, [0.0, 1.0]);
    assert!(span.deviation.iter().all(|d| *d < 1e-13), "{span:?}");
}

/// Hermite segments have the requested velocities and accelerations.
#[test]
fn hermite_segments_have_their_derivatives() {
    let mut path = Trajectory::new(&[0.3]).unwrap();
    path.cubic_to(0.5, &[1.0], &[-2.0], &[0.7]).unwrap();
    path.quintic_to(2.0, [&[-2.0], &[0.5]], [&[3.0], &[-1.0]], &[0.1]).unwrap();
    let h = 1e-5;
    let of = |k: usize, t: f64| path.at(k, t)[0];
    let rate = |k: usize, t: f64, duration: f64| (of(k, t + h) - of(k, t - h)) / (2.0 * h * duration);
    let bend = |k: usize, t: f64, d: f64| (of(k, t + h) - 2.0 * of(k, t) + of(k, t - h)) / (h * h * d * d);
    for (k, t, d, expected) in [(0, h, 0.5, 1.0), (0, 1.0 - h, 0.5, -2.0), (1, h, 2.0, -2.0), (1, 1.0 - h, 2.0, 0.5)] {
        assert!((rate(k, t, d) - expected).abs() < 1e-3, "{k} {t}");
    }
    assert!((bend(1, h, 2.0) - 3.0).abs() < 1e-2 && (bend(1, 1.0 - h, 2.0) + 1.0).abs() < 1e-2);
    assert_eq!((of(0, 0.0), of(0, 1.0), of(1, 1.0)), (0.3, 0.7, 0.1));
}

#[test]
fn piecewise_powers_are_converted() {
    // x^2 on [0, 1], then 1 + 2 (x - 1) on [1, 3].
    let c = vec![vec![vec![1.0], vec![0.0]], vec![vec![0.0], vec![2.0]], vec![vec![0.0], vec![1.0]]];
    let path = Trajectory::from_ppoly(&[0.0, 1.0, 3.0], &c).unwrap();
    for (k, t, expected) in [(0, 0.5, 0.25), (0, 1.0, 1.0), (1, 0.5, 3.0), (1, 1.0, 5.0)] {
        assert!((path.at(k, t)[0] - expected).abs() < 1e-15);
    }
    assert_eq!(path.times_s(), Some(&[0.0, 1.0, 3.0][..]));
    let longer = path.clone().line_to(&[6.0]).unwrap_err().to_string();
    assert!(longer.contains("cannot be added"), "{longer}");
    let jump = vec![vec![vec![1.0], vec![0.0]], vec![vec![0.0], vec![2.0]], vec![vec![0.0], vec![1.1]]];
    assert!(Trajectory::from_ppoly(&[0.0, 1.0, 3.0], &jump).unwrap_err().to_string().contains("jumps"));
    assert!(Trajectory::from_ppoly(&[0.0, 1.0, 1.0], &c).is_err());
    assert!(Trajectory::from_ppoly(&[0.0, 1.0], &vec![vec![vec![0.0]]; 17]).is_err());
}

/// Places are segments with times, boundaries belong to the earlier segment, and times are rounded outwards.
#[test]
fn places_and_times() {
    let path = Trajectory::linear([[0.0], [1.0], [1.0], [4.0]]).unwrap().with_times(&[2.0, 3.0, 4.0, 10.0]).unwrap();
    assert_eq!([0, 1, 2, 3].map(|k| path.knot(k)), [0.0, 0.25, 0.25, 1.0]);
    assert_eq!(path.place(0.0, false), Place { segment: 0, t: 0.0 });
    assert_eq!(path.place(0.25, true), Place { segment: 0, t: 1.0 });
    let [early, late] = [false, true].map(|later| path.place(0.5, later));
    assert!(early.segment == 2 && early.t < 1.0 / 3.0 && late.t > 1.0 / 3.0 && late.t - early.t < 1e-14);
    let [early, late] = [path.time_s(early, false).unwrap(), path.time_s(late, true).unwrap()];
    assert!(early < 6.0 && late > 6.0 && late - early < 1e-12);
    assert_eq!(path.time_s(Place { segment: 1, t: 1.0 }, false), Some(4.0));
}

#[test]
fn bad_input_is_refused() {
    assert!(Trajectory::linear::<[f64; 1]>([]).is_err());
    assert!(Trajectory::linear([[0.0], [f64::NAN]]).unwrap_err().to_string().contains("point 1"));
    let mut path = Trajectory::new(&[0.0, 0.0]).unwrap();
    assert!(path.line_to(&[1.0]).is_err() && path.cubic_to(0.0, &[0.0; 2], &[0.0; 2], &[1.0; 2]).is_err());
    path.line_to(&[1.0, 0.0]).unwrap();
    assert!(path.clone().with_times(&[0.0]).is_err() && path.with_times(&[1.0, 1.0]).is_err());
}
