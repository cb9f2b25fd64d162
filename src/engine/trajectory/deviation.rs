//! Deviations of joints from a straight motion.

use crate::enclosure::chain_bounds::Deviation;
use crate::robot::trajectory::Span;
use crate::robot::{Drive, Joint, JointKind, Robot};

/// The deviations of the bodies' joints that result from deviations of the columns.
pub(in crate::engine) fn deviations<'a>(
    robot: &'a Robot,
    span: &'a Span,
    of_column: impl Fn(usize) -> f64 + 'a,
) -> impl Iterator<Item = Deviation> + 'a {
    debug_assert_eq!(span.start.len(), robot.columns.len());
    robot.bodies.iter().map(move |body| match body.joint.kind {
        JointKind::Revolute { drive, .. } => {
            Deviation { turn_rad: drive.multiplier.abs() * of_column(drive.column as usize), slide_m: 0.0 }
        }
        JointKind::Prismatic { drive, .. } => {
            Deviation { turn_rad: 0.0, slide_m: drive.multiplier.abs() * of_column(drive.column as usize) }
        }
        JointKind::Fixed => Deviation::default(),
        JointKind::Free { first_column } => {
            let of =
                |columns: std::ops::Range<usize>| columns.map(|k| of_column(first_column as usize + k)).sum::<f64>();
            Deviation { turn_rad: 4.0 * of(3..7), slide_m: of(0..3) }
        }
    })
}

/// Rounding of a stored rotation, radians: its entries, its axis, and the steps that make it orthonormal.
const OF_ROTATION: f64 = 128.0 / (1u64 << 53) as f64;
/// Rounding of a joint's values, relative to their sum.
const OF_VALUES: f64 = 16.0 / (1u64 << 53) as f64;

/// A deviation, increased by the rounding of the numbers that store a joint's motion: each span has its own numbers.
pub(in crate::engine) fn with_rounding(joint: &Joint, span: &Span, by: Deviation) -> Deviation {
    let Deviation { turn_rad, slide_m } = by;
    let size = |column: usize| span.start[column].abs() + span.end[column].abs();
    let of_drive =
        |drive: &Drive| 2.0 * (drive.multiplier.abs() * size(drive.column as usize) + 2.0 * drive.offset.abs());
    match joint.kind {
        JointKind::Fixed => by,
        JointKind::Revolute { drive, .. } => {
            Deviation { turn_rad: turn_rad + OF_ROTATION + OF_VALUES * of_drive(&drive), slide_m }
        }
        JointKind::Prismatic { drive, .. } => {
            let lengths_m = joint.origin_m.length() + of_drive(&drive);
            Deviation { turn_rad, slide_m: slide_m + OF_VALUES * lengths_m }
        }
        JointKind::Free { first_column } => {
            let lengths_m = (0..3).map(|k| size(first_column as usize + k)).sum::<f64>() + joint.origin_m.length();
            Deviation { turn_rad: turn_rad + 2.0 * OF_ROTATION, slide_m: slide_m + OF_VALUES * lengths_m }
        }
    }
}
