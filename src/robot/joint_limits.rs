//! Values beyond the limits of their joints, and values that are probably degrees.

use crate::error::quoted;
use crate::robot::{Column, ColumnKind, MotionBatch, Robot};
use serde::Serialize;
use std::f64::consts::TAU;

/// An angle is far beyond its limits if it exceeds both this multiple of the larger limit and one turn.
const FAR_BEYOND: f64 = 2.0;
/// Number of turns from which on an angle without limits is far from zero.
const FAR_TURNS: f64 = 3.0;
/// Minimum number of angles without limits that must be far from zero before they are questioned: a few may be
/// intended.
const MIN_FAR_TURNS: u64 = 4;

/// Values beyond the limits of their joints, counted over the portions of a file. **Degrees.** Most values of a file in
/// degrees are far beyond the range of a joint in radians, and hardly any values of a file in radians are. So a warning
/// is given if at least half of the nonzero angles are *far*: beyond twice their limit and beyond a whole turn. If any
/// angle has limits, only angles with limits count. Otherwise angles without limits count; they are far if they exceed
/// three turns, since a wheel may turn many times.
#[derive(Clone, Debug, Default)]
pub struct BeyondLimits {
    first: Option<String>,
    first_far: Option<String>,
    counts: LimitCounts,
    limited: Angles,
    unlimited: Angles,
}

/// Counts of values beyond limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LimitCounts {
    /// Values beyond the limits of their joints.
    pub beyond: u64,
    /// Values of joints with limits.
    pub of: u64,
    /// The largest ratio of a value to the larger limit of its joint, among values beyond their limits.
    pub largest_ratio: Option<f64>,
    /// The largest angle of a joint without limits, turns.
    pub most_turns: Option<f64>,
}

/// Angles other than zero.
#[derive(Clone, Copy, Debug, Default)]
struct Angles {
    n: u64,
    far: u64,
}

impl Angles {
    /// Returns whether at least half of the angles, and at least `least`, are far.
    fn are_far(self, least: u64) -> bool {
        self.far >= least && 2 * self.far >= self.n
    }
}

impl BeyondLimits {
    /// Counts the values of some motions; the first one has the number `first`.
    pub fn add(&mut self, motions: &MotionBatch, first: usize, robot: &Robot) {
        for i in 0..motions.len() {
            for (moment, q) in [("start", motions.start(i)), ("end", motions.end(i))] {
                self.add_row(q, robot, || format!("motion {} {moment}s", first + i));
            }
        }
    }

    /// Counts the values of one configuration.
    pub(super) fn add_row(&mut self, values: &[f64], robot: &Robot, place: impl Fn() -> String) {
        for (column, &value) in robot.columns.iter().zip(values) {
            self.value(column, value, &place);
        }
    }

    fn value(&mut self, column: &Column, value: f64, place: impl Fn() -> String) {
        let is_angle = column.kind == ColumnKind::AngleRad && value != 0.0;
        let here = || format!("{} with joint {} at {value:?}", place(), quoted(&column.name));
        let Some([lower, upper]) = column.limits else {
            if is_angle {
                let (turns, most) = (value.abs() / TAU, &mut self.counts.most_turns);
                *most = Some(most.map_or(turns, |m| m.max(turns)));
                self.unlimited.n += 1;
                if turns > FAR_TURNS {
                    self.unlimited.far += 1;
                    self.first_far.get_or_insert_with(here);
                }
            }
            return;
        };
        self.counts.of += 1;
        self.limited.n += u64::from(is_angle);
        if (lower..=upper).contains(&value) {
            return;
        }
        self.counts.beyond += 1;
        self.first.get_or_insert_with(|| format!("{}, limits {lower:?} to {upper:?}", here()));
        let ratio = value.abs() / lower.abs().max(upper.abs());
        if ratio.is_finite() {
            let largest = &mut self.counts.largest_ratio;
            *largest = Some(largest.map_or(ratio, |l| l.max(ratio)));
        }
        self.limited.far += u64::from(is_angle && ratio > FAR_BEYOND && value.abs() > TAU);
    }

    /// The counts.
    pub fn counts(&self) -> LimitCounts {
        self.counts
    }

    /// Returns whether the angles are probably degrees.
    pub fn look_like_degrees(&self) -> bool {
        match self.limited.n {
            0 => self.unlimited.are_far(MIN_FAR_TURNS),
            _ => self.limited.are_far(1),
        }
    }

    /// One line with the count and the first of the values beyond limits; `None` if there are none.
    pub fn line(&self) -> Option<String> {
        let first = self.first.as_ref()?;
        let LimitCounts { beyond, of, largest_ratio, .. } = self.counts;
        let most = largest_ratio.filter(|&r| r > 1.0).map_or(String::new(), |r| match r {
            10.0.. => format!(", up to {r:.0} times the limit"),
            _ => format!(", up to {r:.2} times the limit"),
        });
        Some(match self.look_like_degrees() {
            true => format!(
                "{beyond} of {of} values beyond joint limits{most}: are these degrees? Angles are radians; \
                 the first: {first}"
            ),
            false => format!("values beyond joint limits: {beyond}, of {of}{most}; the first: {first}"),
        })
    }

    /// One line if angles without limits are probably degrees.
    pub fn turns_line(&self) -> Option<String> {
        let first = self.first_far.as_ref().filter(|_| self.limited.n == 0 && self.look_like_degrees())?;
        let (Angles { n, far }, turns) = (self.unlimited, self.counts.most_turns.unwrap_or_default());
        Some(format!(
            "{far} of {n} angles are beyond {FAR_TURNS} turns, up to {turns:.0}: are these degrees? \
             Angles are radians; the first: {first}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DMat3, DVec3};

    /// A robot whose columns have these limits.
    fn robot(columns: &[(ColumnKind, Option<[f64; 2]>)]) -> Robot {
        let mut robot = Robot::new("r", "root", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        for (i, (kind, limits)) in columns.iter().enumerate() {
            robot.add_column(format!("j{i}"), *kind, *limits);
        }
        robot
    }

    fn counted(columns: &[(ColumnKind, Option<[f64; 2]>)], rows: &[&[f64]]) -> BeyondLimits {
        let mut beyond = BeyondLimits::default();
        beyond.add(&MotionBatch::between(rows, rows).unwrap(), 0, &robot(columns));
        beyond
    }

    const ARM: (ColumnKind, Option<[f64; 2]>) = (ColumnKind::AngleRad, Some([-3.0, 3.0]));
    const WHEEL: (ColumnKind, Option<[f64; 2]>) = (ColumnKind::AngleRad, None);
    const SLIDE: (ColumnKind, Option<[f64; 2]>) = (ColumnKind::LengthM, Some([0.0, 0.5]));

    #[test]
    fn limits_distinguish_degrees_from_radians() {
        for (degrees, rows) in [
            (true, [[90.0, -45.0], [120.0, 30.0]]),
            // Half of them are zero, or small.
            (true, [[90.0, 0.0], [0.0, 30.0]]),
            (true, [[90.0, 1.0], [2.0, 30.0]]),
            (false, [[90.0, 1.0], [2.0, 3.0]]),
            // Beyond their limits, but slightly, or by less than twice.
            (false, [[3.1, -3.2], [3.001, 3.0]]),
            (false, [[5.9, -5.9], [5.9, 5.0]]),
            (false, [[0.0, 0.0], [0.0, 0.0]]),
        ] {
            let found = counted(&[ARM, ARM], &[&rows[0], &rows[1]]);
            assert_eq!(found.look_like_degrees(), degrees, "{rows:?}");
            assert!(found.line().is_none_or(|l| l.contains("degrees") == degrees), "{rows:?}");
            assert_eq!(found.turns_line(), None);
        }
    }

    #[test]
    fn the_warning_counts_values_and_shows_the_first() {
        let line = counted(&[ARM], &[&[1.0], &[171.0], &[-60.0]]).line().unwrap();
        // Each row is a start and an end; 171 is 57 times 3.
        let expected = "4 of 6 values beyond joint limits, up to 57 times the limit: are these degrees? \
                        Angles are radians; the first: motion 1 starts with joint 'j0' at 171.0, limits -3.0 to 3.0";
        assert_eq!(line, expected);
        let line = counted(&[ARM], &[&[1.0], &[3.75]]).line().unwrap();
        assert!(
            line.starts_with("values beyond joint limits: 2, of 4, up to 1.25 times the limit; the first: "),
            "{line}"
        );
        // For a limit of zero there is no ratio; a value between zero and a limit is not beyond it by a factor.
        let line = counted(&[(ColumnKind::AngleRad, Some([0.0, 0.0]))], &[&[1.0]]).line().unwrap();
        assert!(line.starts_with("values beyond joint limits: 2, of 2; the first: "), "{line}");
        let line = counted(&[(ColumnKind::AngleRad, Some([1.0, 2.0]))], &[&[0.5]]).line().unwrap();
        assert!(line.starts_with("values beyond joint limits: 2, of 2; the first: "), "{line}");
        assert_eq!(counted(&[ARM, WHEEL], &[&[1.0, 900.0]]).line(), None);
    }

    #[test]
    fn lengths_are_never_taken_for_degrees() {
        let found = counted(&[SLIDE], &[&[200.0], &[300.0]]);
        assert!(!found.look_like_degrees() && found.line().unwrap().contains("up to 600 times"));
    }

    #[test]
    fn unlimited_angles_are_tested_for_degrees_only_without_limited_ones() {
        let degrees: [&[f64]; 2] = [&[90.0, -45.0], &[120.0, 30.0]];
        let found = counted(&[WHEEL, WHEEL], &degrees);
        assert!(found.look_like_degrees() && found.line().is_none());
        // 120 rad are 19.1 turns.
        let expected = "8 of 8 angles are beyond 3 turns, up to 19: are these degrees? Angles are radians; \
                        the first: motion 0 starts with joint 'j0' at 90.0";
        assert_eq!(found.turns_line().unwrap(), expected);
        // Radians of up to three turns; one long turn; an arm within its limits on wheels that turn often.
        assert!(!counted(&[WHEEL, WHEEL], &[&[18.0, -12.0], &[6.0, 3.0]]).look_like_degrees());
        assert!(!counted(&[WHEEL], &[&[100.0]]).look_like_degrees());
        assert!(!counted(&[WHEEL, ARM], &[&[300.0, 1.0], &[400.0, 2.0], &[500.0, -2.0]]).look_like_degrees());
    }
}
