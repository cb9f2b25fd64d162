//! A trajectory in plain `f64`: straight, cubic and quintic segments, by the Hermite formulas in time.
//!
//! `x` in [0, 1] is the share of a segment's time, `u` the number of the segment plus `x`. Bounds of the rate use the
//! coefficients in powers of `x`, whose Taylor expansion about the middle of an interval is finite.

use serde_json::{Map, Value, json};

/// A missing row of velocities or accelerations in a file.
pub const MISSING: Value = Value::Array(Vec::new());

/// A point of a trajectory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waypoint {
    pub position: Vec<f64>,
    pub velocity: Option<Vec<f64>>,
    pub acceleration: Option<Vec<f64>>,
}

/// Waypoints, with times in seconds unless all segments are straight and take equal time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    pub times_s: Option<Vec<f64>>,
    pub points: Vec<Waypoint>,
}

/// A deviation `amplitude * sin(phase + rate * u)` of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wave {
    pub amplitude: f64,
    pub phase: f64,
    pub rate: f64,
}

/// A trajectory as it is executed: with a deviation of each column, or with none.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'a> {
    pub trajectory: &'a Trajectory,
    pub waves: &'a [Wave],
}

impl From<Vec<f64>> for Waypoint {
    fn from(position: Vec<f64>) -> Self {
        Self { position, ..Self::default() }
    }
}

impl Trajectory {
    /// Straight segments without times.
    pub fn straight(rows: &[Vec<f64>]) -> Self {
        Self { times_s: None, points: rows.iter().cloned().map(Waypoint::from).collect() }
    }

    /// Number of segments; a single waypoint is a segment that stays there.
    pub fn n_segments(&self) -> usize {
        (self.points.len() - 1).max(1)
    }

    /// Both ends of a segment.
    pub fn ends(&self, k: usize) -> [&Waypoint; 2] {
        [&self.points[k], self.points.get(k + 1).unwrap_or(&self.points[k])]
    }

    /// The duration of a segment.
    pub fn duration_s(&self, k: usize) -> f64 {
        self.times_s.as_ref().filter(|t| k + 1 < t.len()).map_or(1.0, |t| t[k + 1] - t[k])
    }

    pub fn is_straight(&self, k: usize) -> bool {
        self.ends(k).iter().any(|p| p.velocity.is_none())
    }

    /// Segment and share of it.
    pub fn split(&self, u: f64) -> (usize, f64) {
        let k = (u.max(0.0) as usize).min(self.n_segments() - 1);
        (k, u - k as f64)
    }

    pub fn nominal(&self) -> Execution<'_> {
        Execution { trajectory: self, waves: &[] }
    }

    /// Positions at a share of a segment.
    pub fn at(&self, k: usize, x: f64) -> Vec<f64> {
        let ([a, b], h) = (self.ends(k), self.duration_s(k));
        let (Some(v), Some(w)) = (&a.velocity, &b.velocity) else {
            return blend([1.0 - x, x], [&a.position, &b.position]);
        };
        let (Some(f), Some(g)) = (&a.acceleration, &b.acceleration) else {
            let y = 1.0 - x;
            let shares = [(1.0 + 2.0 * x) * y * y, h * x * y * y, x * x * (3.0 - 2.0 * x), -h * x * x * y];
            return blend(shares, [&a.position, v, &b.position, w]);
        };
        let (x2, x3, x4, x5) = (x * x, x.powi(3), x.powi(4), x.powi(5));
        let position = 10.0 * x3 - 15.0 * x4 + 6.0 * x5;
        let leaves = x - 6.0 * x3 + 8.0 * x4 - 3.0 * x5;
        let arrives = -4.0 * x3 + 7.0 * x4 - 3.0 * x5;
        let (start, end) = (0.5 * (x2 - 3.0 * x3 + 3.0 * x4 - x5), 0.5 * (x3 - 2.0 * x4 + x5));
        let shares = [1.0 - position, h * leaves, h * h * start, position, h * arrives, h * h * end];
        blend(shares, [&a.position, v, f, &b.position, w, g])
    }

    /// The coefficients of a column in powers of `x`.
    fn powers(&self, k: usize, column: usize) -> [f64; 6] {
        let ([a, b], h) = (self.ends(k), self.duration_s(k));
        let row = |row: &Option<Vec<f64>>, scale: f64| row.as_ref().map(|r| r[column] * scale);
        let (p, d) = (a.position[column], b.position[column] - a.position[column]);
        let (Some(v), Some(w)) = (row(&a.velocity, h), row(&b.velocity, h)) else {
            return [p, d, 0.0, 0.0, 0.0, 0.0];
        };
        let (Some(f), Some(g)) = (row(&a.acceleration, h * h), row(&b.acceleration, h * h)) else {
            return [p, v, 3.0 * d - 2.0 * v - w, v + w - 2.0 * d, 0.0, 0.0];
        };
        [
            p,
            v,
            0.5 * f,
            10.0 * d - 6.0 * v - 4.0 * w - 1.5 * f + 0.5 * g,
            -15.0 * d + 8.0 * v + 7.0 * w + 1.5 * f - g,
            6.0 * d - 3.0 * (v + w) + 0.5 * (g - f),
        ]
    }

    /// Positions, velocities and accelerations at a share of a segment.
    pub fn derivatives(&self, k: usize, x: f64) -> [Vec<f64>; 3] {
        let (h, n) = (self.duration_s(k), self.points[0].position.len());
        let taylor: Vec<[f64; 6]> = (0..n).map(|c| expand(&self.powers(k, c), x)).collect();
        let row = |i: usize, scale: f64| taylor.iter().map(|c| c[i] * scale).collect();
        [self.at(k, x), row(1, 1.0 / h), row(2, 2.0 / (h * h))]
    }

    /// The trajectory as an entry of a file.
    pub fn json(&self) -> Value {
        let rows = |of: fn(&Waypoint) -> &Option<Vec<f64>>| {
            let some = self.points.iter().any(|p| of(p).is_some());
            some.then(|| self.points.iter().map(|p| of(p).as_ref().map_or(MISSING, |r| json!(r))).collect())
        };
        let positions = self.points.iter().map(|p| json!(p.position)).collect();
        let all = [
            ("times_s", self.times_s.as_ref().map(|t| json!(t))),
            ("positions", Some(positions)),
            ("velocities", rows(|p| &p.velocity)),
            ("accelerations", rows(|p| &p.acceleration)),
        ];
        Value::Object(all.into_iter().filter_map(|(k, v)| Some((k.to_owned(), v?))).collect::<Map<_, _>>())
    }
}

impl Execution<'_> {
    /// Joint values at a share of a segment.
    pub fn at(&self, k: usize, x: f64) -> Vec<f64> {
        let mut q = self.trajectory.at(k, x);
        let u = k as f64 + x;
        q.iter_mut().zip(self.waves).for_each(|(q, w)| *q += w.amplitude * (w.phase + w.rate * u).sin());
        q
    }

    /// Bounds of the size and of the rate of a column, per segment, over an interval of `x`.
    pub fn bounds(&self, k: usize, column: usize, (from, to): (f64, f64)) -> [f64; 2] {
        let (powers, half) = (self.trajectory.powers(k, column), 0.5 * (to - from));
        let taylor = expand(&powers, 0.5 * (from + to));
        let sum = |first: usize| {
            let terms = (first..6).map(|i| taylor[i].abs() * (if first == 1 { i as f64 } else { 1.0 }));
            terms.zip(0..).map(|(c, i)| c * half.powi(i)).sum::<f64>()
        };
        let wave = self.waves.get(column).map_or([0.0; 2], |w| [w.amplitude.abs(), (w.amplitude * w.rate).abs()]);
        [(sum(0) + wave[0]) * (1.0 + 1e-9), (sum(1) + wave[1]) * (1.0 + 1e-9)]
    }
}

/// The coefficients of a polynomial in powers of `x - middle`.
fn expand(powers: &[f64; 6], middle: f64) -> [f64; 6] {
    let mut out = *powers;
    for i in 0..6 {
        for j in (i..5).rev() {
            out[j] += middle * out[j + 1];
        }
    }
    out
}

/// A sum of rows, each with its share.
fn blend<const N: usize>(shares: [f64; N], rows: [&Vec<f64>; N]) -> Vec<f64> {
    (0..rows[0].len()).map(|c| shares.iter().zip(rows).map(|(s, row)| s * row[c]).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::models::Draw;

    /// A polynomial of time with its derivatives, as the data of a trajectory.
    fn sampled(c: &[f64; 6], times: &[f64], kind: usize) -> Trajectory {
        let point = |t: &f64| {
            let d = expand(c, *t);
            let row = |wanted: bool, value: f64| wanted.then(|| vec![value]);
            Waypoint { position: vec![d[0]], velocity: row(kind > 0, d[1]), acceleration: row(kind > 1, 2.0 * d[2]) }
        };
        Trajectory { times_s: Some(times.to_vec()), points: times.iter().map(point).collect() }
    }

    /// Hermite data of a polynomial of the degree reproduce the polynomial.
    #[test]
    fn polynomials_of_the_degree_are_reproduced() {
        let mut draw = Draw::new(1);
        let times = [0.5, 1.0, 3.0, 3.25];
        for (kind, degree) in [(0, 1), (1, 3), (2, 5)] {
            let c = std::array::from_fn(|i| if i <= degree { draw.between(-1.0, 1.0) } else { 0.0 });
            let trajectory = sampled(&c, &times, kind);
            for i in 0..=300 {
                let (k, x) = trajectory.split(f64::from(i) / 100.0);
                let t = times[k] + x * (times[k + 1] - times[k]);
                let expected = expand(&c, t)[0];
                assert!((trajectory.at(k, x)[0] - expected).abs() < 1e-11, "{kind} {i}");
            }
        }
    }

    /// Velocities and accelerations at the ends, by finite differences, in segments of any data.
    #[test]
    fn ends_are_met_with_velocity_and_acceleration() {
        let mut draw = Draw::new(2);
        let mut row = || Some(vec![draw.between(-1.0, 1.0)]);
        let point = |p: Option<Vec<f64>>, v, a| Waypoint { position: p.unwrap(), velocity: v, acceleration: a };
        let points = vec![point(row(), row(), row()), point(row(), row(), row())];
        let t = Trajectory { times_s: Some(vec![1.0, 3.0]), points };
        let (d, h) = (1e-5, 2.0);
        for (x, p) in [(0.0, &t.points[0]), (1.0, &t.points[1])] {
            let [low, middle, high] = [x - d, x, x + d].map(|x| t.at(0, x)[0]);
            assert!((middle - p.position[0]).abs() < 1e-15);
            assert!(((high - low) / (2.0 * d * h) - p.velocity.as_ref().unwrap()[0]).abs() < 1e-8);
            let bend = (high - 2.0 * middle + low) / (d * h).powi(2);
            assert!((bend - p.acceleration.as_ref().unwrap()[0]).abs() < 1e-4, "{bend}");
        }
    }

    #[test]
    fn bounds_hold_and_are_close() {
        let (mut draw, mut slack) = (Draw::new(3), 0.0_f64);
        for i in 0..300 {
            let mut row = |wanted: bool| wanted.then(|| vec![draw.between(-2.0, 2.0)]);
            let mut point =
                || Waypoint { position: row(true).unwrap(), velocity: row(i % 3 > 0), acceleration: row(i % 3 > 1) };
            let t = Trajectory { times_s: Some(vec![0.0, 0.5 + 0.01 * f64::from(i)]), points: vec![point(), point()] };
            let wave = Wave { amplitude: 0.3, phase: 0.7, rate: 5.0 };
            let waves = if i % 2 == 0 { vec![] } else { vec![wave] };
            let e = Execution { trajectory: &t, waves: &waves };
            let (from, to) = (0.25, 0.3125);
            let [size, rate] = e.bounds(0, 0, (from, to));
            let x = |i: usize| from + (to - from) * i as f64 / 64.0;
            let rates: Vec<f64> =
                (0..64).map(|i| (e.at(0, x(i + 1))[0] - e.at(0, x(i))[0]).abs() / (x(1) - x(0))).collect();
            assert!((0..=64).all(|i| e.at(0, x(i))[0].abs() <= size) && rates.iter().all(|r| *r <= rate), "{t:?}");
            slack = slack.max(rate - rates.iter().fold(0.0, |a, b| f64::max(a, *b)));
        }
        println!("bounds of the rate exceed it by up to {slack:.3}");
        assert!(slack < 3.0);
    }

    #[test]
    fn a_file_contains_only_the_given_derivatives() {
        let mut t = Trajectory::straight(&[vec![0.0, 1.0], vec![2.0, 3.0]]);
        assert_eq!(t.json(), json!({"positions": [[0.0, 1.0], [2.0, 3.0]]}));
        t.times_s = Some(vec![0.0, 2.0]);
        t.points[1].velocity = Some(vec![0.5, 0.25]);
        let with = json!({"times_s": [0.0, 2.0], "positions": [[0.0, 1.0], [2.0, 3.0]],
            "velocities": [MISSING, [0.5, 0.25]]});
        assert_eq!(t.json(), with);
        assert_eq!((t.at(0, 0.5), t.split(1.0), t.n_segments()), (vec![1.0, 2.0], (0, 1.0), 1));
    }
}
