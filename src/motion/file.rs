//! Motions from files: whole ones, what they must be like, and those in JSON.

use super::joint::QUATERNION_TOLERANCE;
use super::{BeyondLimits, MotionFile, Motions};
use crate::error::{Error, Result, quoted, shortened};
use crate::load::{LoadLimits, bytes_of, read_bytes, text};
use crate::model::robot::{Body, JointKind, Robot};
use crate::model::world::MAX_COORDINATE_M;
use crate::numeric::trig::MAX_ANGLE_RAD;
use serde::Deserialize;
use std::collections::HashMap;
use std::path::Path;

/// What to do where the columns do not fit.
pub(super) const SEE_COLUMNS: &str = "firstcontact info --robot prints the columns in order";

/// The JSON form; other keys are ignored.
#[derive(Deserialize)]
struct MotionsJson {
    joints: Vec<String>,
    motions: Vec<Vec<Vec<f64>>>,
}

impl Motions {
    /// Reads `.npy` (float64, C order, shape `(Q, 2, D)`) or `.json`
    /// (`{"joints":["name",…],"motions":[[[start…],[end…]],…]}`; a joint that is not named stays at 0, a free joint
    /// at the identity).
    ///
    /// # Errors
    /// The file is missing, malformed, of another type or shape, does not fit the limits, or has motions that
    /// [`Motions::check`] refuses.
    pub fn load(path: impl AsRef<Path>, robot: &Robot, limits: &LoadLimits) -> Result<Self> {
        let path = path.as_ref();
        let file = MotionFile::open(path, robot, limits)?;
        check_memory(file.len(), file.n_columns(), limits).map_err(|e| e.in_file(path))?;
        file.read(0..file.len())
    }

    /// Whether the motions suit the robot: the number of columns, quaternions of norm 1 (within 1e-6), joint angles
    /// and their changes of at most [`MAX_ANGLE_RAD`], positions of at most [`MAX_COORDINATE_M`].
    ///
    /// # Errors
    /// They do not; the message names the first motion.
    pub fn check(&self, robot: &Robot) -> Result<()> {
        self.check_from(0, robot)
    }

    /// The same for motions of which the first has the number `first`.
    pub(super) fn check_from(&self, first: usize, robot: &Robot) -> Result<()> {
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
    /// each, with counts and the first of them.
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
                let quaternion = q.iter().skip(first_column as usize + 3).take(4);
                let norm = quaternion.fold(0.0, |n: f64, x| n.hypot(*x));
                if (norm - 1.0).abs() > QUATERNION_TOLERANCE {
                    return Err(Error::input(format!(
                        "the quaternion of joint {} has the norm {norm:?}, not 1",
                        name()
                    )));
                }
                check_lengths(&q[first_column as usize..][..3], name)?;
            }
            Ok(())
        }
        JointKind::Prismatic { drive, .. } => check_lengths(&[drive.value(start), drive.value(end)], name),
        JointKind::Fixed => Ok(()),
    }
}

fn check_lengths(lengths_m: &[f64], name: impl Fn() -> String) -> Result<()> {
    match lengths_m.iter().find(|x| !(x.abs() <= MAX_COORDINATE_M)) {
        Some(x) => Err(Error::input(format!("joint {} moves to {x:?} m, beyond {MAX_COORDINATE_M} m", name()))),
        None => Ok(()),
    }
}

/// The bytes that `n` motions take; a motion without columns takes some too.
pub(super) fn check_memory(n: usize, n_columns: usize, limits: &LoadLimits) -> Result<()> {
    limits.check(bytes_of::<f64>(n) * 2 * n_columns.max(1) as u128, &format!("{n} motions of {n_columns} columns"))
}

pub(super) fn from_json(path: &Path, robot: &Robot, limits: &LoadLimits) -> Result<Motions> {
    let bytes = read_bytes(path, limits)?;
    let json: MotionsJson = serde_json::from_str(text(&bytes)?)
        .map_err(|cause| Error::input(format!("JSON: {}", shortened(&cause.to_string(), 200))))?;
    let known: HashMap<&str, usize> = robot.columns.iter().enumerate().map(|(i, c)| (c.name.as_str(), i)).collect();
    let mut columns = Vec::with_capacity(json.joints.len());
    for name in &json.joints {
        let column = known.get(name.as_str()).copied();
        let column = column.ok_or_else(|| {
            Error::input(format!("the robot has no moving joint {}", quoted(name))).remedy(SEE_COLUMNS)
        })?;
        if columns.contains(&column) {
            return Err(Error::input(format!("joint {} is named twice", quoted(name))));
        }
        columns.push(column);
    }
    let still = robot.zero_configuration();
    check_memory(json.motions.len(), still.len(), &limits.less(bytes.len() as u64))?;
    let mut values = Vec::with_capacity(json.motions.len() * 2 * still.len());
    for (i, motion) in json.motions.iter().enumerate() {
        let here = |message: String| Error::input(message).at(format!("motion {i}"));
        if motion.len() != 2 {
            return Err(here(format!("{} way-points, only 2 are supported: start and end", motion.len())));
        }
        for row in motion {
            if row.len() != columns.len() {
                return Err(here(format!("{} values for {} joints", row.len(), columns.len())));
            }
            let mut q = still.clone();
            for (&column, &value) in columns.iter().zip(row) {
                q[column] = value;
            }
            values.extend(q);
        }
    }
    Motions::from_flat(json.motions.len(), still.len(), values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::robot::{ColumnKind, Drive, Joint};
    use glam::{DMat3, DVec3};
    use std::path::PathBuf;

    /// Columns: an angle with limits, a slide, and a free joint; and a joint that follows the angle a thousandfold.
    fn robot() -> Robot {
        let mut robot = Robot::new("r", "root", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        let turn = robot.add_column("turn", ColumnKind::AngleRad, Some([-1.0, 2.0]));
        let slide = robot.add_column("slide", ColumnKind::LengthM, None);
        for (i, part) in ["x", "y", "z", "qx", "qy", "qz", "qw"].iter().enumerate() {
            robot.add_column(format!("free.{part}"), ColumnKind::Free(i as u8), None);
        }
        let axis = DVec3::Z;
        let mut add = |name: &str, kind| {
            let joint = Joint { name: name.into(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
            robot.add_body(name, Some(0), joint).unwrap();
        };
        add("turn", JointKind::Revolute { axis, drive: Drive::direct(turn) });
        add("follower", JointKind::Revolute { axis, drive: Drive { column: turn, multiplier: 1000.0, offset: 0.5 } });
        add("slide", JointKind::Prismatic { axis, drive: Drive::direct(slide) });
        add("free", JointKind::Free { first_column: 2 });
        robot
    }

    const STILL: [f64; 9] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];

    fn file(name: &str, content: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        (folder, path)
    }

    /// A `.npy` file of version 1, or 2 where the bytes are big endian.
    fn npy(shape: &str, values: &[f64], is_big_endian: bool) -> Vec<u8> {
        let descr = if is_big_endian { ">f8" } else { "<f8" };
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY".to_vec();
        if is_big_endian {
            bytes.extend([2, 0]);
            bytes.extend((header.len() as u32).to_le_bytes());
        } else {
            bytes.extend([1, 0]);
            bytes.extend((header.len() as u16).to_le_bytes());
        }
        bytes.extend(header.bytes());
        let bytes_of = |x: &f64| if is_big_endian { x.to_be_bytes() } else { x.to_le_bytes() };
        bytes.extend(values.iter().flat_map(bytes_of));
        bytes
    }

    fn load(name: &str, content: &[u8]) -> Result<Motions> {
        let (_folder, path) = file(name, content);
        Motions::load(path, &robot(), &LoadLimits::default())
    }

    #[test]
    fn arrays_of_either_byte_order() {
        let mut values: Vec<f64> = [STILL, STILL, STILL, STILL].concat();
        values[0] = 0.1;
        values[28] = -7.5;
        for is_big_endian in [false, true] {
            let motions = load("m.npy", &npy("(2, 2, 9)", &values, is_big_endian)).unwrap();
            assert_eq!((motions.len(), motions.start(0)[0], motions.end(1)[1]), (2, 0.1, -7.5));
        }
        assert!(load("m.npy", &npy("(0, 2, 9)", &[], false)).unwrap().is_empty());
    }

    /// Portions of a file are what the whole of it is, from any motion on; what is wrong is told with its number in the file.
    #[test]
    fn a_file_in_portions() {
        let n = 10_000;
        let mut values: Vec<f64> = (0..2 * n).flat_map(|_| STILL).collect();
        (0..n).for_each(|i| values[18 * i + 1] = i as f64);
        for is_big_endian in [false, true] {
            let (_folder, path) = file("m.npy", &npy(&format!("({n}, 2, 9)"), &values, is_big_endian));
            // Less memory than the file takes: it is not read whole.
            let robot = robot();
            let motions = MotionFile::open(&path, &robot, &LoadLimits { memory_bytes: 1000 }).unwrap();
            assert_eq!((motions.len(), motions.n_columns()), (n, 9));
            for first in [0, 1, 4095, 4096, 9_999, n, n + 5] {
                let mut next = first;
                for portion in motions.portions(first).unwrap() {
                    let portion = portion.unwrap();
                    assert!(!portion.is_empty() && portion.len() <= 5000);
                    (0..portion.len()).for_each(|i| assert_eq!(portion.start(i)[1], (next + i) as f64));
                    next += portion.len();
                }
                assert_eq!(next, n.max(first));
            }
            assert_eq!(motions.read(7777..7778).unwrap().start(0)[1], 7777.0);
        }
        for (column, value, word) in [(1, f64::NAN, "NaN"), (8, 0.5, "norm")] {
            let mut wrong = values.clone();
            wrong[18 * 8765 + column] = value;
            let (_folder, path) = file("m.npy", &npy(&format!("({n}, 2, 9)"), &wrong, false));
            let robot = robot();
            let motions = MotionFile::open(&path, &robot, &LoadLimits::default()).unwrap();
            let error = motions.portions(5000).unwrap().find_map(Result::err).unwrap().to_string();
            assert!(error.contains("m.npy: motion 8765: ") && error.contains(word), "{error}");
        }
    }

    #[test]
    fn names_in_any_order_and_the_rest_still() {
        let text = br#"{"made": 1, "joints": ["slide", "turn"], "motions": [[[1, 2], [3, 4]], [[5, 6], [7, 8.5]]]}"#;
        let motions = load("m.json", text).unwrap();
        let mut expected = STILL;
        [expected[0], expected[1]] = [8.5, 7.0];
        assert_eq!(motions.end(1), expected);
        assert_eq!(load("m.json", br#"{"joints": [], "motions": [[[], []]]}"#).unwrap().start(0), STILL);
        assert_eq!(load("m.json", br#"{"joints": [], "motions": []}"#).unwrap().len(), 0);
    }

    #[test]
    fn wrong_motions_are_told_with_their_number() {
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
        refused(r#""turn""#, "0", "0, 1", "2 values for 1 joints");
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
    fn more_than_fits_is_a_memory_error() {
        let (_folder, path) = file("m.npy", &npy("(1, 2, 9)", &[STILL, STILL].concat(), false));
        assert!(Motions::load(&path, &robot(), &LoadLimits { memory_bytes: 144 }).is_ok());
        let error = Motions::load(&path, &robot(), &LoadLimits { memory_bytes: 143 }).unwrap_err();
        assert_eq!(error.kind(), crate::error::ErrorKind::Memory);
        assert!(error.to_string().contains("1 motions of 9 columns need 144 bytes"), "{error}");
        // Without columns a file of no numbers may claim any number of motions.
        let still = Robot::new("r", "root", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        let (_folder, path) = file("m.npy", &npy("(10000000000000000, 2, 0)", &[], false));
        assert!(Motions::load(&path, &still, &LoadLimits::default()).is_err());
        let (_folder, path) = file("m.npy", &npy("(5, 2, 0)", &[], false));
        assert_eq!(Motions::load(&path, &still, &LoadLimits::default()).unwrap().len(), 5);
    }
}
