//! The joint names of a file, and the robot's columns that they refer to.

use crate::error::{Error, Result, quoted};
use crate::formats::joint_values::MissingJoints;
use crate::robot::{Robot, SEE_COLUMNS};
use std::collections::HashMap;

/// Maximum number of names listed in a message; the remaining ones are only counted.
const MAX_LISTED: usize = 10;

/// The columns of the robot in the order of a file's names, and the values of all other columns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NamedColumns {
    to: Vec<usize>,
    others: Vec<f64>,
}

impl NamedColumns {
    /// Looks up the names of a file.
    ///
    /// # Errors
    /// A name does not belong to a moving joint or appears twice, or a missing joint has no value.
    pub fn new<S: AsRef<str>>(names: &[S], robot: &Robot, missing: &MissingJoints) -> Result<Self> {
        let known: HashMap<&str, usize> = robot.columns.iter().enumerate().map(|(i, c)| (c.name.as_str(), i)).collect();
        let column = |name: &str| {
            let unknown = || Error::input(format!("the robot has no moving joint {}", quoted(name)));
            known.get(name).copied().ok_or_else(|| unknown().remedy(SEE_COLUMNS))
        };
        let mut is_named = vec![false; robot.columns.len()];
        let mut to = Vec::with_capacity(names.len().min(is_named.len()));
        for name in names.iter().map(AsRef::as_ref) {
            let column = column(name)?;
            if std::mem::replace(&mut is_named[column], true) {
                return Err(Error::input(format!("joint {} appears twice", quoted(name))));
            }
            to.push(column);
        }
        let mut others = robot.zero_configuration();
        if let MissingJoints::Values(values) = missing {
            for (name, value) in values.iter() {
                let column = column(name).map_err(|e| values.locate(e))?;
                if !value.is_finite() {
                    return Err(values.locate(Error::input(format!("joint {} is NaN or infinite", quoted(name)))));
                }
                others[column] = value;
            }
        }
        let is_given = |name: &str| match missing {
            MissingJoints::Refuse => false,
            MissingJoints::Zero => true,
            MissingJoints::Values(values) => values.get(name).is_some(),
        };
        let columns = robot.columns.iter().zip(is_named).filter(|(c, is_named)| !is_named && !is_given(&c.name));
        let missing: Vec<&str> = columns.map(|(c, _)| c.name.as_str()).collect();
        if missing.is_empty() { Ok(Self { to, others }) } else { Err(missing_error(&missing)) }
    }

    /// All columns of the robot in its own order.
    pub fn all(robot: &Robot) -> Self {
        Self { to: (0..robot.columns.len()).collect(), others: robot.zero_configuration() }
    }

    /// The robot's column of a column of the file.
    pub fn column(&self, of_file: usize) -> usize {
        self.to[of_file]
    }

    /// The rates of change of all columns of the robot, given those of the file's columns: the others do not move.
    pub fn rates(&self, row: &[f64]) -> Vec<f64> {
        let mut rates = vec![0.0; self.others.len()];
        self.to.iter().zip(row).for_each(|(&column, &rate)| rates[column] = rate);
        rates
    }

    /// Number of columns of the file.
    pub fn len(&self) -> usize {
        self.to.len()
    }

    /// Appends the values of all columns of the robot, given those of the file's columns.
    pub fn append(&self, row: &[f64], values: &mut Vec<f64>) {
        let first = values.len();
        values.extend_from_slice(&self.others);
        for (&column, &value) in self.to.iter().zip(row) {
            values[first + column] = value;
        }
    }

    /// The values of all columns of the robot for `n_rows` rows of the file's columns.
    pub fn place(&self, n_rows: usize, rows: &[f64]) -> Vec<f64> {
        let mut values = Vec::with_capacity(n_rows * self.others.len());
        for row in 0..n_rows {
            self.append(&rows[row * self.len()..][..self.len()], &mut values);
        }
        values
    }
}

fn missing_error(names: &[&str]) -> Error {
    let listed: Vec<String> = names.iter().take(MAX_LISTED).map(|name| quoted(name)).collect();
    let more = match names.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let joints = if names.len() == 1 { "joint" } else { "joints" };
    Error::input(format!("it has no values for {joints} {}{more}", listed.join(", ")))
        .remedy("--missing-joints FILE.json or STATE (of the SRDF) gives them, --missing-joints zero sets them to 0")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::joint_values::JointValues;
    use crate::robot::ColumnKind;
    use glam::{DMat3, DVec3};

    /// Three columns a, b, c and a free joint.
    fn robot() -> Robot {
        let mut robot = Robot::new("r", "root", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        for name in ["a", "b", "c"] {
            robot.add_column(name, ColumnKind::AngleRad, None);
        }
        for (i, part) in ["x", "y", "z", "qx", "qy", "qz", "qw"].iter().enumerate() {
            robot.add_column(format!("free.{part}"), ColumnKind::Free(i as u8), None);
        }
        robot
    }

    fn columns(names: &[&str], missing: &MissingJoints) -> std::result::Result<NamedColumns, String> {
        NamedColumns::new(names, &robot(), missing).map_err(|e| e.to_string())
    }

    #[test]
    fn values_are_placed_by_name() {
        let zero = columns(&["c", "a"], &MissingJoints::Zero).unwrap();
        assert_eq!(zero.place(1, &[3.0, 1.0]), [1.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        let pose = JointValues::from_iter([("a", 9.0), ("b", 2.0), ("free.x", 4.0), ("free.y", 5.0)]);
        let rest = [("free.z", 6.0), ("free.qx", 0.0), ("free.qy", 0.0), ("free.qz", 1.0), ("free.qw", 0.0)];
        let pose = JointValues::from_iter(pose.iter().chain(rest));
        let given = columns(&["c", "a"], &MissingJoints::Values(pose)).unwrap();
        // The pose's value of a joint that the file names is not used.
        assert_eq!(given.place(1, &[3.0, 1.0]), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn missing_joints_are_an_error_that_names_them() {
        let error = columns(&["c", "a"], &MissingJoints::Refuse).unwrap_err();
        assert!(error.contains("joints 'b', 'free.x', ") && error.contains("--missing-joints"), "{error}");
        let pose = JointValues::from_iter(robot().columns.iter().skip(2).map(|c| (c.name.clone(), 0.0)));
        let error = columns(&["c", "a"], &MissingJoints::Values(pose.clone())).unwrap_err();
        assert!(error.contains("for joint 'b' ("), "{error}");
        assert!(columns(&["b", "a"], &MissingJoints::Values(pose)).is_ok());
        let names: Vec<String> = (0..25).map(|i| format!("j{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert!(missing_error(&names).to_string().contains("'j9' and 15 more ("));
    }

    #[test]
    fn wrong_names_are_errors() {
        assert!(columns(&["a", "d"], &MissingJoints::Zero).unwrap_err().contains("no moving joint 'd'"));
        assert!(columns(&["a", "a"], &MissingJoints::Zero).unwrap_err().contains("'a' appears twice"));
        let unknown = MissingJoints::Values(JointValues::from_iter([("d", 1.0)]));
        assert!(columns(&["a"], &unknown).unwrap_err().contains("no moving joint 'd'"));
        let infinite = MissingJoints::Values(JointValues::from_iter([("b", f64::INFINITY)]));
        assert!(columns(&["a"], &infinite).unwrap_err().contains("'b' is NaN or infinite"));
    }
}
