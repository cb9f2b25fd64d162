//! Checks of motions against a robot.

use crate::arith::trig::MAX_ANGLE_RAD;
use crate::error::{Error, Result, quoted};
#[cfg(feature = "formats")]
use crate::io::load::{LoadLimits, bytes_of};
use crate::robot::joint_motion::QUATERNION_TOLERANCE;
use crate::robot::{BeyondLimits, MotionBatch};
use crate::robot::{Body, JointKind, Robot, SEE_COLUMNS};
use crate::scene::world::MAX_COORDINATE_M;

impl MotionBatch {
    /// Checks that the motions fit the robot: the number of columns, quaternions of norm 1 (within 1e-6), joint angles
    /// and their changes of at most [`MAX_ANGLE_RAD`], positions of at most [`MAX_COORDINATE_M`].
    ///
    /// # Errors
    /// A motion does not fit the robot; the message contains the number of the first such motion.
    pub fn check(&self, robot: &Robot) -> Result<()> {
        self.check_from(0, robot)
    }

    /// Like [`MotionBatch::check`], for motions that are numbered from `first`.
    pub(crate) fn check_from(&self, first: usize, robot: &Robot) -> Result<()> {
        if self.n_columns() != robot.columns.len() && !self.is_empty() {
            let message = format!("{} columns where the robot has {}", self.n_columns(), robot.columns.len());
            return Err(Error::input(message).remedy(SEE_COLUMNS));
        }
        for i in 0..self.len() {
            let (start, end) = (self.start(i), self.end(i));
            for body in &robot.bodies {
                check_joint(body, start, end).map_err(|e| e.at(format!("motion {}", first + i)))?;
            }
        }
        Ok(())
    }

    /// Warnings about values beyond the limits of their joints, and about angles that are probably degrees: one line
    /// each, with the counts and the first such value.
    pub fn check_limits(&self, robot: &Robot) -> Vec<String> {
        let mut beyond = BeyondLimits::default();
        beyond.add(self, 0, robot);
        beyond.line().into_iter().chain(beyond.turns_line()).collect()
    }
}

fn check_joint(body: &Body, start: &[f64], end: &[f64]) -> Result<()> {
    let name = || quoted(&body.joint.name);
    match body.joint.kind {
        JointKind::Revolute { drive, .. } => {
            let [a, b] = [drive.value(start), drive.value(end)];
            let largest = a.abs().max(b.abs()).max((b - a).abs());
            if largest <= MAX_ANGLE_RAD {
                return Ok(());
            }
            Err(Error::input(format!("joint {} turns from {a:?} to {b:?} rad, beyond {MAX_ANGLE_RAD} (2^20)", name())))
        }
        JointKind::Free { first_column } => {
            for q in [start, end] {
                let pose = &q[first_column as usize..][..7];
                check_quaternion(&pose[3..], name)?;
                check_lengths(&pose[..3], name)?;
            }
            Ok(())
        }
        JointKind::Prismatic { drive, .. } => check_lengths(&[drive.value(start), drive.value(end)], name),
        JointKind::Fixed => Ok(()),
    }
}

/// Refuses a quaternion whose norm is not 1.
pub(super) fn check_quaternion(quaternion: &[f64], name: impl Fn() -> String) -> Result<()> {
    let norm = quaternion.iter().fold(0.0, |n: f64, x| n.hypot(*x));
    if !((norm - 1.0).abs() <= QUATERNION_TOLERANCE) {
        return Err(Error::input(format!("the quaternion of joint {} has the norm {norm:?}, not 1", name())));
    }
    Ok(())
}

/// Refuses positions beyond the largest coordinate.
pub(super) fn check_lengths(lengths_m: &[f64], name: impl Fn() -> String) -> Result<()> {
    match lengths_m.iter().find(|x| !(x.abs() <= MAX_COORDINATE_M)) {
        Some(x) => Err(Error::input(format!("joint {} moves to {x:?} m, beyond {MAX_COORDINATE_M} m", name()))),
        None => Ok(()),
    }
}

/// Refuses `n` motions that exceed the limits; a motion without columns takes some bytes, too.
#[cfg(feature = "formats")]
pub(crate) fn check_memory(n: usize, n_columns: usize, limits: &LoadLimits) -> Result<()> {
    limits.check(bytes_of::<f64>(n) * 2 * n_columns.max(1) as u128, &format!("{n} motions of {n_columns} columns"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::MotionOptions;
    use crate::formats::test_arrays::npy;
    use crate::formats::test_files::{STILL, load, robot};
    use glam::{DMat3, DVec3};

    #[test]
    fn wrong_motions_are_reported_with_their_number() {
        let refused = |joints: &str, start: &str, end: &str, word: &str| {
            let text =
                format!("{{\"joints\": [{joints}], \"motions\": [[[{start}], [{start}]], [[{start}], [{end}]]]}}");
            let error = load("m.json", text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("m.json") && error.contains("motion 1") && error.contains(word), "{error}");
        };
        let quaternion = r#""free.qx", "free.qy", "free.qz", "free.qw""#;
        refused(quaternion, "0, 0, 0.6, 0.8", "0, 0, 0.6, 0.80001", "norm");
        refused(quaternion, "0, 0, 0.6, 0.8", "0, 0, 0, 0", "joint 'free'");
        refused(r#""turn""#, "0", "1e7", "2^20");
        refused(r#""turn""#, "0", "1100", "'follower'");
        refused(r#""turn""#, "-1048.0", "1048.0", "2^20");
        refused(r#""slide""#, "0", "1.1e6", "1000000 m");
        refused(r#""slide""#, "0", "-1e308", "'slide'");
        refused(r#""free.y""#, "1e6", "1e39", "'free'");
    }

    #[test]
    fn values_beyond_limits_are_counted() {
        let text = br#"{"joints": ["turn"], "motions": [[[0], [2]], [[-1], [2.5]], [[-2], [3]]]}"#;
        let lines = load("m.json", text).unwrap().check_limits(&robot());
        let expected = "values beyond joint limits: 3, of 6, up to 1.50 times the limit; \
                        the first: motion 1 ends with joint 'turn' at 2.5, limits -1.0 to 2.0";
        assert_eq!(lines, [expected]);
        assert!(load("m.json", br#"{"joints": [], "motions": []}"#).unwrap().check_limits(&robot()).is_empty());
    }

    #[test]
    fn motions_beyond_the_memory_limit_are_a_memory_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.npy");
        let within = |robot: &Robot, content: Vec<u8>, memory_bytes: u64| {
            std::fs::write(&path, content).unwrap();
            MotionBatch::load(&path, robot, &MotionOptions::default().with_limits(LoadLimits { memory_bytes }))
        };
        let one = npy("<f8", false, &[1, 2, 9], &[STILL, STILL].concat());
        assert!(within(&robot(), one.clone(), 144).is_ok());
        let error = within(&robot(), one, 143).unwrap_err();
        assert_eq!(error.kind(), crate::error::ErrorKind::Memory);
        assert!(error.to_string().contains("1 motions of 9 columns need 144 bytes"), "{error}");
        // Without columns, a file that contains no values can declare any number of motions.
        let still = Robot::new("r", "root", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        assert!(within(&still, npy("<f8", false, &[10_000_000_000_000_000, 2, 0], &[]), 1 << 40).is_err());
        assert_eq!(within(&still, npy("<f8", true, &[5, 2, 0], &[]), 1 << 20).unwrap().len(), 5);
    }
}
