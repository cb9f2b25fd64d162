//! Values of joints by name, for joints that are missing from a file.

use crate::error::{Error, Result, foreign, quoted};
use crate::formats::named_columns::NamedColumns;
use crate::io::load::{LoadLimits, bytes_of, read_bytes, text};
use crate::robot::Robot;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// Values of the joints that are missing from a file with joint names.
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq)]
pub enum MissingJoints {
    /// No values: a missing joint is an error.
    #[default]
    Refuse,
    /// Zero, and the identity for a free joint.
    Zero,
    /// Given values; a missing joint without one is an error.
    Values(JointValues),
}

/// Values of joints by name: radians and metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointValues {
    values: BTreeMap<String, f64>,
    file: Option<PathBuf>,
}

impl JointValues {
    /// Reads a JSON file: `{"joint": value, …}` or `{"joints": ["joint", …], "positions": [value, …]}`.
    ///
    /// # Errors
    /// The file is missing or malformed, or contains a joint twice.
    pub fn from_file(path: impl AsRef<Path>, limits: &LoadLimits) -> Result<Self> {
        let path = path.as_ref();
        let read = || {
            let bytes = read_bytes(path, limits)?;
            // The parsed values take more memory than their text, at most this much.
            limits.check(bytes_of::<Value>(bytes.len()), "its values")?;
            let Keys(keys) = serde_json::from_str(text(&bytes)?).map_err(|cause| malformed(&foreign(&cause)))?;
            by_name(keys).map_err(|message| malformed(&message))
        };
        let values = read().map_err(|e: Error| e.in_file(path))?;
        Ok(Self { values, file: Some(path.to_path_buf()) })
    }

    /// The names and their values, in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.values.iter().map(|(name, &value)| (name.as_str(), value))
    }

    /// The value of a joint.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.values.get(name).copied()
    }

    /// The values of the robot's columns, such as a start state; `missing` contains the values of the other joints.
    ///
    /// # Errors
    /// A name does not belong to a moving joint, a joint is missing, or a value is NaN or infinite.
    pub fn row(&self, robot: &Robot, missing: &MissingJoints) -> Result<Vec<f64>> {
        let (names, values): (Vec<&str>, Vec<f64>) = self.iter().unzip();
        if let Some((name, _)) = self.iter().find(|(_, value)| !value.is_finite()) {
            return Err(self.locate(Error::input(format!("joint {} is NaN or infinite", quoted(name)))));
        }
        let columns = NamedColumns::new(&names, robot, missing).map_err(|e| self.locate(e))?;
        Ok(columns.place(1, &values))
    }

    /// Adds the file to an error about these values.
    pub(crate) fn locate(&self, error: Error) -> Error {
        match &self.file {
            Some(file) => error.in_file(file),
            None => error,
        }
    }
}

impl<S: Into<String>> FromIterator<(S, f64)> for JointValues {
    fn from_iter<I: IntoIterator<Item = (S, f64)>>(values: I) -> Self {
        Self { values: values.into_iter().map(|(name, value)| (name.into(), value)).collect(), file: None }
    }
}

/// Description of the format, for messages.
const FORM: &str = r#"the file is {"joint": value, …} or {"joints": ["joint", …], "positions": [value, …]}"#;

fn malformed(message: &str) -> Error {
    Error::input(format!("JSON: {message}")).remedy(FORM)
}

impl Serialize for JointValues {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.values.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for JointValues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let values = by_name(Keys::deserialize(deserializer)?.0).map_err(D::Error::custom)?;
        Ok(Self { values, file: None })
    }
}

/// The keys of an object in the file's order, duplicates included: a map would keep only the last one.
struct Keys(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Keys;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Keys, A::Error> {
                let mut keys = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    keys.push(entry);
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// The values by name, or an explanation of the error.
fn by_name(keys: Vec<(String, Value)>) -> std::result::Result<BTreeMap<String, f64>, String> {
    let list = |name: &str| keys.iter().find(|(key, value)| key == name && value.is_array());
    let pairs: Vec<(String, Value)> = match (list("joints"), list("positions")) {
        (Some((_, Value::Array(joints))), Some((_, Value::Array(positions)))) => {
            if joints.len() != positions.len() {
                return Err(format!("{} joints but {} positions", joints.len(), positions.len()));
            }
            let name = |joint: &Value| joint.as_str().map(str::to_string);
            let names: Option<Vec<String>> = joints.iter().map(name).collect();
            names.ok_or("a joint is not a string")?.into_iter().zip(positions.iter().cloned()).collect()
        }
        _ => keys,
    };
    let mut values = BTreeMap::new();
    for (name, value) in pairs {
        let value = value.as_f64().ok_or_else(|| format!("the value of joint {} is not a number", quoted(&name)))?;
        if values.insert(name.clone(), value).is_some() {
            return Err(format!("joint {} appears twice", quoted(&name)));
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &str) -> Result<JointValues> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pose.json");
        std::fs::write(&path, content).unwrap();
        JointValues::from_file(path, &LoadLimits::default())
    }

    #[test]
    fn both_forms_give_the_same_values() {
        let expected = [("a", 0.5), ("joints", -2.0)];
        for content in [
            r#"{"joints": -2, "a": 0.5}"#,
            "\u{feff}{\"joints\": [\"a\", \"joints\"], \"positions\": [0.5, -2.0], \"made_by\": \"hand\"}",
        ] {
            assert_eq!(read(content).unwrap().iter().collect::<Vec<_>>(), expected, "{content}");
        }
        assert_eq!(read("{}").unwrap().iter().count(), 0);
    }

    #[test]
    fn values_fill_the_columns_of_a_robot() {
        let robot = crate::formats::test_files::slides();
        let row = |text: &str, missing| read(text).unwrap().row(&robot, &missing).map_err(|e| e.to_string());
        assert_eq!(row(r#"{"b": 2, "a": 1}"#, MissingJoints::Refuse), Ok(vec![1.0, 2.0]));
        assert_eq!(row(r#"{"b": 2}"#, MissingJoints::Zero), Ok(vec![0.0, 2.0]));
        for (text, word) in [(r#"{"b": 2}"#, "for joint 'a' ("), (r#"{"a": 1, "b": 2, "c": 3}"#, "no moving joint 'c'")]
        {
            let error = row(text, MissingJoints::Refuse).unwrap_err();
            assert!(error.contains("pose.json: ") && error.contains(word), "{error}");
        }
    }

    #[test]
    fn malformed_files_are_errors_that_show_the_form() {
        for (content, word) in [
            ("", "JSON"),
            ("[1]", "an object"),
            (r#"{"a": 1, "a": 1}"#, "'a' appears twice"),
            (r#"{"joints": ["a", "a"], "positions": [1, 1]}"#, "'a' appears twice"),
            (r#"{"joints": ["a", "b"], "positions": [1]}"#, "2 joints but 1 positions"),
            (r#"{"joints": ["a", 2], "positions": [1, 2]}"#, "not a string"),
            (r#"{"joints": ["a"]}"#, "joint 'joints' is not a number"),
            (r#"{"a": "1"}"#, "joint 'a' is not a number"),
            (r#"{"a": null}"#, "joint 'a' is not a number"),
            (r#"{"a": 1e999}"#, "out of range"),
        ] {
            let message = read(content).unwrap_err().to_string();
            assert!(message.contains("pose.json") && message.contains(word), "{content}: {message}");
            assert!(message.contains("positions"), "{content}: {message}");
        }
    }
}
