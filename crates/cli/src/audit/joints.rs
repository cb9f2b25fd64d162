//! Values, velocities and accelerations of the joints on a path, and the times at which they are beyond limits.

use super::polynomial::Bernstein;
use super::rates::Rates;
use crate::bench::run::{Axis, Plot, PlotKind, Series};
use crate::picture::{Course, Unit};
use firstcontact::robot::{Column, ColumnKind, Drive, JointKind, Robot, Trajectory};

/// Fraction of a limit by which rounding may exceed it.
const SLACK: f64 = 1e-9;
/// Approximate number of points of a line in a plot.
const POINTS: usize = 240;

/// A quantity that has limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The value of a joint.
    Position,
    /// Its first derivative.
    Velocity,
    /// Its second derivative.
    Acceleration,
}

impl Quantity {
    /// All of them.
    const ALL: [Self; 3] = [Self::Position, Self::Velocity, Self::Acceleration];

    /// The name in a table.
    pub fn name(self) -> &'static str {
        ["position", "velocity", "acceleration"][self as usize]
    }

    fn unit(self, of: ColumnKind) -> &'static str {
        let units = if is_angle(of) { ["rad", "rad/s", "rad/s²"] } else { ["m", "m/s", "m/s²"] };
        units[self as usize]
    }
}

/// A quantity of a joint on a path: its extremes, and the times at which it is beyond its limits.
#[derive(Clone, Debug)]
pub struct Extremes {
    /// The joint.
    pub joint: String,
    /// The quantity.
    pub quantity: Quantity,
    /// Its unit.
    pub unit: &'static str,
    /// Its limits, if there are any.
    pub limits: Option<[f64; 2]>,
    /// Time and value of the minimum and of the maximum.
    pub extremes: [(f64, f64); 2],
    /// Intervals of time in which it is beyond the limits.
    pub beyond: Vec<[f64; 2]>,
}

/// Jumps of the velocity of a joint between segments.
#[derive(Clone, Debug)]
pub struct Jumps {
    /// The joint.
    pub joint: String,
    /// Number of points with a jump.
    pub n: usize,
    /// Time and size of the largest one.
    pub largest: (f64, f64),
    /// The unit of its size.
    pub unit: &'static str,
}

/// The joints of a robot on a path.
pub struct Joints<'a> {
    /// The robot.
    pub robot: &'a Robot,
    /// Limits of velocity and acceleration.
    pub rates: &'a Rates,
    /// The path.
    pub path: &'a Trajectory,
    /// Its clock.
    pub course: &'a Course<'a>,
}

/// A single joint: a column, or a joint that follows one.
struct Driven<'a> {
    name: &'a str,
    kind: ColumnKind,
    drive: Drive,
    /// Its limits of position, radians or metres.
    limits: Option<[f64; 2]>,
}

fn is_angle(of: ColumnKind) -> bool {
    of == ColumnKind::AngleRad
}

impl Joints<'_> {
    /// The columns that are single joints, with their numbers.
    fn columns(&self) -> impl Iterator<Item = (usize, &Column)> {
        let columns = self.robot.columns.iter().enumerate();
        columns.filter(|(_, column)| !matches!(column.kind, ColumnKind::Free(_)))
    }

    /// The columns that are single joints, and then the joints that mimic them.
    fn joints(&self) -> Vec<Driven<'_>> {
        let columns = self.columns().map(|(c, column)| {
            let Column { name, kind, limits, .. } = column;
            Driven { name, kind: *kind, drive: Drive::direct(c as u32), limits: *limits }
        });
        let followers = self.robot.bodies.iter().filter_map(|body| {
            let (kind, drive) = match body.joint.kind {
                JointKind::Revolute { drive, .. } => (ColumnKind::AngleRad, drive),
                JointKind::Prismatic { drive, .. } => (ColumnKind::LengthM, drive),
                JointKind::Fixed | JointKind::Free { .. } => return None,
            };
            let name = body.joint.name.as_str();
            let mimics = name != self.robot.columns[drive.column as usize].name;
            mimics.then(|| Driven { name, kind, drive, limits: self.rates.of(name).position })
        });
        columns.chain(followers).collect()
    }

    /// The quantities that the path defines: only positions if it has no times.
    fn quantities(&self) -> &'static [Quantity] {
        if self.course.unit() == Unit::Seconds { &Quantity::ALL } else { &Quantity::ALL[..1] }
    }

    /// A quantity of a joint in a segment, over the segment's time.
    fn polynomial(&self, segment: usize, drive: Drive, quantity: Quantity) -> Bernstein {
        let duration = self.course.knots()[segment + 1] - self.course.knots()[segment];
        let of_column = self.path.coefficients(segment, drive.column as usize);
        let value = Bernstein::new(&of_column.iter().map(|b| drive.multiplier * b + drive.offset).collect::<Vec<_>>());
        (0..quantity as usize).fold(value, |of, _| of.derivative(duration))
    }

    fn time(&self, segment: usize, t: f64) -> f64 {
        let [from, until] = [self.course.knots()[segment], self.course.knots()[segment + 1]];
        if t >= 1.0 { until } else { from + (until - from) * t }
    }

    fn limits(&self, joint: &Driven, quantity: Quantity) -> Option<[f64; 2]> {
        let rates = self.rates.of(joint.name);
        match quantity {
            Quantity::Position => joint.limits,
            Quantity::Velocity => rates.velocity.map(|limit| [-limit, limit]),
            Quantity::Acceleration => rates.acceleration.map(|limit| [-limit, limit]),
        }
    }

    /// The extremes of all quantities.
    pub fn extremes(&self) -> Vec<Extremes> {
        let joints = self.joints();
        let all = joints.iter().flat_map(|joint| self.quantities().iter().map(move |quantity| (joint, *quantity)));
        all.map(|(joint, quantity)| self.extremes_of(joint, quantity)).collect()
    }

    fn extremes_of(&self, joint: &Driven, quantity: Quantity) -> Extremes {
        let limits = self.limits(joint, quantity);
        let (mut extremes, mut beyond) = ([(0.0, f64::INFINITY), (0.0, f64::NEG_INFINITY)], Vec::<[f64; 2]>::new());
        for segment in 0..self.path.n_segments() {
            let polynomial = self.polynomial(segment, joint.drive, quantity);
            let [least, most] = [polynomial.minimum(), polynomial.maximum()];
            if least.1 < extremes[0].1 {
                extremes[0] = (self.time(segment, least.0), least.1);
            }
            if most.1 > extremes[1].1 {
                extremes[1] = (self.time(segment, most.0), most.1);
            }
            for part in limits.map_or_else(Vec::new, |limits| polynomial.beyond(widened(limits))) {
                let [from, until] = part.map(|t| self.time(segment, t));
                match beyond.last_mut() {
                    Some(last) if last[1] >= from => last[1] = until,
                    _ => beyond.push([from, until]),
                }
            }
        }
        let (joint, unit) = (joint.name.to_string(), quantity.unit(joint.kind));
        Extremes { joint, quantity, unit, limits, extremes, beyond }
    }

    /// The joints whose velocity jumps between segments.
    pub fn jumps(&self) -> Vec<Jumps> {
        if self.course.unit() != Unit::Seconds {
            return Vec::new();
        }
        let of_column = |(c, column): (usize, &Column)| {
            let drive = Drive::direct(c as u32);
            let ends = |segment| self.polynomial(segment, drive, Quantity::Velocity).ends();
            let all: Vec<[f64; 2]> = (0..self.path.n_segments()).map(ends).collect();
            let fastest = all.iter().flatten().fold(0.0, |m: f64, v| m.max(v.abs()));
            let jumps =
                all.windows(2).enumerate().map(|(k, v)| (self.course.knots()[k + 1], (v[1][0] - v[0][1]).abs()));
            let jumps: Vec<(f64, f64)> = jumps.filter(|(_, jump)| *jump > 1e-6 * fastest).collect();
            let largest = *jumps.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
            let unit = Quantity::Velocity.unit(column.kind);
            Some(Jumps { joint: column.name.clone(), n: jumps.len(), largest, unit })
        };
        self.columns().filter_map(of_column).collect()
    }

    /// Plots of all quantities over time, of angles and of lengths; joints that do not move are omitted. `contact` is
    /// the name and the time of the first contact.
    pub fn plots(&self, contact: Option<(&str, f64)>) -> Vec<Plot> {
        let kinds = [true, false];
        let all = self.quantities().iter().flat_map(|quantity| kinds.map(|angles| (*quantity, angles)));
        all.filter_map(|(quantity, angles)| self.plot(quantity, angles, contact)).collect()
    }

    fn plot(&self, quantity: Quantity, angles: bool, contact: Option<(&str, f64)>) -> Option<Plot> {
        let moves = |c: usize| {
            let (first, mut segments) = (self.path.coefficients(0, c)[0], 0..self.path.n_segments());
            segments.any(|k| self.path.coefficients(k, c).iter().any(|b| *b != first))
        };
        let columns = self.columns().filter(|(c, column)| is_angle(column.kind) == angles && moves(*c));
        let series = columns.map(|(c, column)| Series { name: column.name.clone(), points: self.line(c, quantity) });
        let mut series: Vec<Series> = series.collect();
        let kind = if angles { ColumnKind::AngleRad } else { ColumnKind::LengthM };
        series.first()?;
        let values = series.iter().flat_map(|s| &s.points).map(|p| p[1]);
        let [least, most] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, m], v| [l.min(v), m.max(v)]);
        let mark = |(name, t): (&str, f64)| Series { name: name.into(), points: vec![[t, least], [t, most]] };
        series.extend(contact.map(mark));
        let title = match quantity {
            Quantity::Position => "Joint values",
            Quantity::Velocity => "Velocities",
            Quantity::Acceleration => "Accelerations",
        };
        Some(Plot {
            id: format!("{}-{}", quantity.name(), if angles { "angles" } else { "lengths" }),
            title: title.into(),
            note: String::new(),
            kind: PlotKind::Curves,
            x: time_axis(self.course.unit()),
            y: Axis { label: quantity.unit(kind).into(), log: false },
            series,
            categories: Vec::new(),
        })
    }

    /// Points of a quantity over time, with both values where it jumps.
    fn line(&self, c: usize, quantity: Quantity) -> Vec<[f64; 2]> {
        let n = self.path.n_segments();
        // On very long paths, only every `stride`-th segment is drawn.
        let (steps, stride) = ((POINTS / n).max(1), n.div_ceil(4 * POINTS));
        let of_segment = |segment: usize| {
            let polynomial = self.polynomial(segment, Drive::direct(c as u32), quantity);
            let t = move |k: usize| k as f64 / steps as f64;
            (0..=steps).map(move |k| [self.time(segment, t(k)), polynomial.at(t(k))])
        };
        (0..n).step_by(stride).flat_map(of_segment).collect()
    }
}

/// The horizontal axis of a plot over a plan's time.
pub fn time_axis(unit: Unit) -> Axis {
    let label = match unit {
        Unit::Motion => "share of the motion",
        Unit::Segments => "segments",
        Unit::Seconds => "time, s",
    };
    Axis { label: label.into(), log: false }
}

/// Limits with room for rounding.
fn widened([lower, upper]: [f64; 2]) -> [f64; 2] {
    let room = |limit: f64| if limit.is_finite() { SLACK * limit.abs().max(1e-3) } else { 0.0 };
    [lower - room(lower), upper + room(upper)]
}
