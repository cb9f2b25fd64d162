//! Motions in JSON: `{"joints": ["name", …], "motions": [[[start…], [end…]], …]}`.

use crate::error::{Error, Result, foreign};
use crate::formats::MotionOptions;
use crate::formats::named_columns::NamedColumns;
use crate::io::load::{LoadLimits, bytes_of, text};
use crate::robot::{MotionBatch, Robot};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Example file, for messages.
const EXAMPLE: &str = r#"an example: {"joints": ["a", "b"], "motions": [[[0, 0], [1.5, -0.2]]]}"#;

/// Reads the motions in a file's bytes.
pub(super) fn parse(bytes: &[u8], robot: &Robot, options: &MotionOptions) -> Result<MotionBatch> {
    let text = text(bytes)?;
    let left = options.limits.less(bytes.len() as u64);
    let mut parsed = Parsed { limits: left, ..Parsed::default() };
    let mut json = serde_json::Deserializer::from_str(text);
    let read = DeserializeSeed::deserialize(Document(&mut parsed), &mut json).and_then(|()| json.end());
    if let Some(error) = parsed.error {
        return Err(error);
    }
    read.map_err(|cause| Error::input(format!("JSON: {}", foreign(&cause))).remedy(EXAMPLE))?;
    let joints = parsed.joints.unwrap_or_default();
    let columns = NamedColumns::new(&joints, robot, &options.missing_joints)?;
    let Rows { n_motions, row_length, values } = parsed.rows.unwrap_or_default();
    if row_length.is_some_and(|length| length != joints.len()) {
        let message = format!("{} values for {} joints", row_length.unwrap_or(0), joints.len());
        return Err(Error::input(message).at("motion 0"));
    }
    crate::robot::motion_check::check_memory(
        n_motions,
        robot.columns.len(),
        &left.less(bytes_of::<f64>(values.len()) as u64),
    )?;
    MotionBatch::from_flat(n_motions, robot.columns.len(), columns.place(2 * n_motions, &values))
}

/// The content that has been read so far.
#[derive(Default)]
struct Parsed {
    joints: Option<Vec<String>>,
    rows: Option<Rows>,
    limits: LoadLimits,
    /// An error with a place in the motions. It replaces the JSON reader's error.
    error: Option<Error>,
}

/// Rows of equal length, two for each motion.
#[derive(Default)]
struct Rows {
    n_motions: usize,
    row_length: Option<usize>,
    values: Vec<f64>,
}

/// Passes an error through the JSON reader, which only accepts its text.
fn stop<E: serde::de::Error>(to: &mut Option<Error>, error: Error) -> E {
    *to = Some(error);
    E::custom("stopped")
}

/// The outermost object; keys other than `joints` and `motions` are ignored.
struct Document<'p>(&'p mut Parsed);

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object with joints and motions")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "joints" if self.0.joints.is_some() => return Err(A::Error::duplicate_field("joints")),
                "motions" if self.0.rows.is_some() => return Err(A::Error::duplicate_field("motions")),
                "joints" => self.0.joints = Some(map.next_value::<Names>()?.0),
                "motions" => {
                    let mut rows = Rows::default();
                    let seed = List(Level::MotionBatch, &mut rows, self.0);
                    map.next_value_seed(seed)?;
                    self.0.rows = Some(rows);
                }
                "trajectories" | "points" => return Err(A::Error::custom(format!("it has motions and {key}"))),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        match (&self.0.joints, &self.0.rows) {
            (None, _) => Err(A::Error::missing_field("joints")),
            (_, None) => Err(A::Error::missing_field("motions")),
            _ => Ok(()),
        }
    }
}

/// Maximum number of joint names in one file.
const MAX_JOINTS: usize = 1 << 16;

/// A bounded list of names.
struct Names(Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Bounded;
        impl<'de> Visitor<'de> for Bounded {
            type Value = Names;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list of joint names")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Names, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = list.next_element()? {
                    if names.len() == MAX_JOINTS {
                        return Err(A::Error::custom(format!("more than {MAX_JOINTS} joints")));
                    }
                    names.push(name);
                }
                Ok(Names(names))
            }
        }
        deserializer.deserialize_seq(Bounded)
    }
}

/// A level of nesting of the lists.
#[derive(Clone, Copy, PartialEq)]
enum Level {
    MotionBatch,
    Motion,
    Row,
}

/// A list that is read into flat rows, so that short rows take no more memory than their numbers.
struct List<'p>(Level, &'p mut Rows, &'p mut Parsed);

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = usize;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> std::result::Result<usize, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self.0 {
            Level::MotionBatch => "a list of motions",
            Level::Motion => "a motion: a list of two rows",
            Level::Row => "a row: a list of numbers",
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<usize, A::Error> {
        let Self(level, rows, parsed) = self;
        let mut n = 0;
        let motion = rows.n_motions;
        let here = |message: String| Error::input(message).at(format!("motion {motion}"));
        match level {
            Level::MotionBatch => {
                while let Some(n_rows) = list.next_element_seed(List(Level::Motion, rows, parsed))? {
                    if n_rows != 2 {
                        let message = format!("{n_rows} waypoints, only 2 are supported: start and end");
                        let error = Error::input(message).at(format!("motion {}", rows.n_motions));
                        return Err(stop(&mut parsed.error, error));
                    }
                    rows.n_motions += 1;
                    n += 1;
                }
            }
            Level::Motion => {
                while let Some(length) = list.next_element_seed(List(Level::Row, rows, parsed))? {
                    let first = *rows.row_length.get_or_insert(length);
                    let message = match parsed.joints.as_ref().map(Vec::len) {
                        Some(joints) if length != joints => format!("{length} values for {joints} joints"),
                        None if length != first => format!("{length} values where the first row has {first}"),
                        _ => {
                            n += 1;
                            continue;
                        }
                    };
                    return Err(stop(&mut parsed.error, here(message)));
                }
            }
            Level::Row => {
                while let Some(value) = list.next_element()? {
                    if rows.values.len() == rows.values.capacity() {
                        // The list is about to grow to twice its size.
                        let bytes = 2 * bytes_of::<f64>(rows.values.len().max(4));
                        let fits = parsed.limits.check(bytes, "the numbers of its motions");
                        fits.map_err(|e| stop(&mut parsed.error, e))?;
                    }
                    rows.values.push(value);
                    n += 1;
                }
            }
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::test_files::{STILL, load, load_of, slides};
    use crate::formats::{JointValues, MissingJoints};

    fn read(text: &str, options: &MotionOptions) -> std::result::Result<MotionBatch, String> {
        load_of(&slides(), "m.json", text.as_bytes(), options).map_err(|e| e.to_string())
    }

    #[test]
    fn names_in_any_order() {
        let text = br#"{"made": 1, "joints": ["slide", "turn"], "motions": [[[1, 2], [3, 4]], [[5, 6], [7, 8.5]]]}"#;
        let motions = load("m.json", text).unwrap();
        let mut expected = STILL;
        [expected[0], expected[1]] = [8.5, 7.0];
        assert_eq!(motions.end(1), expected);
        assert_eq!(load("m.json", br#"{"joints": [], "motions": [[[], []]]}"#).unwrap().start(0), STILL);
        assert_eq!(load("m.json", br#"{"motions": [], "joints": []}"#).unwrap().len(), 0);
    }

    #[test]
    fn missing_joints_take_the_requested_values() {
        let text = r#"{"joints": ["b"], "motions": [[[1], [2]]]}"#;
        let with = |missing| read(text, &MotionOptions::default().with_missing_joints(missing));
        let values = |b| MissingJoints::Values(JointValues::from_iter([(b, 7.5)]));
        assert_eq!(with(MissingJoints::Zero).unwrap().end(0), [0.0, 2.0]);
        assert_eq!(with(values("a")).unwrap().end(0), [7.5, 2.0]);
        for missing in [MissingJoints::Refuse, values("b")] {
            let error = with(missing).unwrap_err();
            assert!(error.contains("m.json: it has no values for joint 'a' (--missing-joints"), "{error}");
        }
    }

    #[test]
    fn malformed_files_are_errors() {
        for (text, word) in [
            ("", "an example: {"),
            ("{}", "missing field `joints`"),
            (r#"{"joints": ["a", "b"]}"#, "missing field `motions`"),
            (r#"{"joints": "a", "motions": []}"#, "a list of joint names"),
            (r#"{"joints": ["a", "b"], "motions": [[[0, 0], [0, 0]]]} x"#, "trailing characters"),
            (r#"{"joints": ["a", "b"], "motions": [[[0, 0], [0, 0]], [[0, 0]]]}"#, "motion 1: 1 waypoints"),
            (r#"{"joints": ["a", "b"], "motions": [[[0, 0], [0, 0]], [[0, 0], [0]]]}"#, "motion 1: 1 values for 2"),
            (r#"{"joints": ["a", "b"], "motions": [[[0], [0]]]}"#, "motion 0: 1 values for 2 joints"),
            (r#"{"motions": [[[0], [0]]], "joints": ["a", "b"]}"#, "motion 0: 1 values for 2 joints"),
            (r#"{"joints": ["a", "b"], "motions": [[[0, null], [0, 0]]]}"#, "JSON: invalid type: null"),
            (r#"{"joints": ["a", "b"], "motions": [0]}"#, "a motion: a list of two rows"),
            (r#"{"joints": ["a", "b"], "motions": [[[0], [0]], [[0, 0], [0, 0]]]}"#, "motion 0: 1 values for 2 joints"),
            (r#"{"motions": [[[0], [0, 0]]], "joints": ["a", "b"]}"#, "2 values where the first row has 1"),
            (r#"{"joints": [], "joints": [], "motions": []}"#, "duplicate field"),
            (r#"{"joints": [], "motions": [], "trajectories": []}"#, "it has motions and trajectories"),
        ] {
            let error = read(text, &MotionOptions::default()).unwrap_err();
            assert!(error.contains("m.json") && error.contains(word), "{text}: {error}");
        }
        let many = format!(r#"{{"joints": [{}""], "motions": []}}"#, r#""","#.repeat(MAX_JOINTS));
        assert!(read(&many, &MotionOptions::default()).unwrap_err().contains("more than 65536 joints"));
    }

    /// Numbers take more memory than their text, which fits.
    #[test]
    fn numbers_respect_the_memory_limit() {
        let rows = vec!["[[0,0],[0,0]]"; 1000].join(",");
        let text = format!(r#"{{"joints": ["a", "b"], "motions": [{rows}]}}"#);
        let with = |memory_bytes| read(&text, &MotionOptions::default().with_limits(LoadLimits { memory_bytes }));
        let length = text.len() as u64;
        let error = with(length + 10_000).unwrap_err();
        assert!(error.contains("the numbers of its motions need") && error.contains("--memory"), "{error}");
        // The numbers as read, then a copy in the robot's columns.
        assert!(with(length + 32_000).is_err());
        assert_eq!(with(length + 4 * 32_000).unwrap().len(), 1000);
    }
}
