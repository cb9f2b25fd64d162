//! Trajectories in JSON and YAML: lists of rows by joint name, and ROS 2 messages.

use super::builder::{Builder, Point};
use super::rows::{Rows, Seconds};
use crate::error::{Error, Result, foreign, shortened};
use crate::formats::named_columns::NamedColumns;
use crate::io::load::text;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use std::fmt;
use std::io::Read;

/// Example file, for messages.
const EXAMPLE: &str = concat!(
    r#"an example: {"joints": ["a", "b"], "trajectories": [{"times_s": [0, 1.5], "positions": [[0, 0], [1, 0.5]]}]}"#,
    "; or ROS 2 JointTrajectory messages"
);
/// A byte order mark in UTF-8, which editors put at the beginning of a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Description of the messages, for errors about YAML.
const YAML: &str = "ros2 topic echo --full-length writes trajectory_msgs/JointTrajectory messages in this form";

/// The keys of all forms of an object; others are ignored.
#[derive(Deserialize)]
struct Document {
    joints: Option<Vec<String>>,
    trajectories: Option<Vec<Listed>>,
    motions: Option<Vec<Rows>>,
    joint_names: Option<Vec<String>>,
    points: Option<Vec<MessagePoint>>,
}

/// A trajectory as rows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    times_s: Option<Vec<f64>>,
    positions: Rows,
    velocities: Option<Rows>,
    accelerations: Option<Rows>,
}

/// A point of a `trajectory_msgs/JointTrajectory`; an empty list means that the values are missing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessagePoint {
    positions: Vec<f64>,
    #[serde(default)]
    velocities: Vec<f64>,
    #[serde(default)]
    accelerations: Vec<f64>,
    /// Forces and torques, which do not matter here.
    #[serde(default, rename = "effort")]
    _effort: de::IgnoredAny,
    time_from_start: Option<Seconds>,
}

/// One object, or a list of them.
struct Documents(Vec<Document>);

impl<'de> Deserialize<'de> for Documents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMore)
    }
}

struct OneOrMore;

impl<'de> Visitor<'de> for OneOrMore {
    type Value = Documents;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object with trajectories, or ROS 2 messages")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<Documents, A::Error> {
        Document::deserialize(MapAccessDeserializer::new(map)).map(|one| Documents(vec![one]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> std::result::Result<Documents, A::Error> {
        Deserialize::deserialize(SeqAccessDeserializer::new(list)).map(Documents)
    }
}

/// Adds the trajectories in the bytes of a JSON file.
pub(super) fn json(bytes: &[u8], to: &mut Builder) -> Result<()> {
    let text = text(bytes)?;
    to.keep(parsed_bytes(text))?;
    let malformed = |cause| Error::input(format!("JSON: {}", foreign(&cause))).remedy(EXAMPLE);
    let Documents(documents) = serde_json::from_str(text).map_err(malformed)?;
    add_all(documents, to)
}

/// Adds the trajectories in the bytes of a YAML file, of one or more documents.
pub(super) fn yaml(bytes: &[u8], to: &mut Builder) -> Result<()> {
    let text = text(bytes)?;
    to.keep(parsed_bytes(text))?;
    // The size of the text bounds what is read; aliases, which repeat parts of it, have separate limits.
    let n = text.len().saturating_add(1000);
    let budget = serde_saphyr::budget! {
        max_events: n.saturating_mul(4),
        max_nodes: n.saturating_mul(2),
        max_documents: n,
        max_total_scalar_bytes: n.max(64 << 20)
    };
    let options = serde_saphyr::options! { budget: budget, with_snippet: false };
    let malformed =
        |cause: serde_saphyr::Error| Error::input(format!("YAML: {}", shortened(&cause.to_string(), 200))).remedy(YAML);
    let documents: Vec<Documents> = serde_saphyr::from_multiple_with_options(text, options).map_err(malformed)?;
    add_all(documents.into_iter().flat_map(|Documents(some)| some).collect(), to)
}

/// Upper bound on the memory of a text's values. Each number or name is a run of characters between separators, and
/// each list, object, point or message has a bracket or a run of its own. Growing lists take twice their contents.
fn parsed_bytes(text: &str) -> u128 {
    const OF_RUN: u128 = 96;
    const OF_BRACKET: u128 = 512;
    let (mut n_runs, mut n_brackets, mut within) = (0u128, 0u128, false);
    for b in text.bytes() {
        let is_separator = b.is_ascii_whitespace() || b",:[]{}".contains(&b);
        n_runs += u128::from(!is_separator && !within);
        n_brackets += u128::from(b == b'[' || b == b'{');
        within = !is_separator;
    }
    text.len() as u128 + OF_RUN * n_runs + OF_BRACKET * n_brackets
}

fn add_all(documents: Vec<Document>, to: &mut Builder) -> Result<()> {
    if documents.is_empty() {
        return Err(Error::input("it has no trajectory").remedy(EXAMPLE));
    }
    documents.into_iter().try_for_each(|document| document.add(to))
}

impl Document {
    fn add(self, to: &mut Builder) -> Result<()> {
        let Self { joints, trajectories, motions, joint_names, points } = self;
        let here = to.here();
        let columns = |names: Option<Vec<String>>, key: &str| -> Result<NamedColumns> {
            let names = names.ok_or_else(|| Error::input(format!("it has no '{key}'")).remedy(EXAMPLE))?;
            NamedColumns::new(&names, to.robot, &to.options.motion.missing_joints)
        };
        match (trajectories, motions, points) {
            (Some(trajectories), None, None) => {
                let columns = columns(joints, "joints")?;
                trajectories.iter().try_for_each(|one| one.add(&columns, to))
            }
            (None, Some(motions), None) => {
                let columns = columns(joints, "joints")?;
                motions.iter().try_for_each(|rows| add_motion(rows, &columns, to))
            }
            (None, None, Some(points)) => {
                let columns = columns(joint_names, "joint_names").map_err(here)?;
                add_message(&points, &columns, to)
            }
            (None, None, None) => Err(here(Error::input("it has neither 'trajectories' nor 'points'").remedy(EXAMPLE))),
            _ => Err(here(Error::input("it has two of 'trajectories', 'motions' and 'points'").remedy(EXAMPLE))),
        }
    }
}

impl Listed {
    fn add(&self, columns: &NamedColumns, to: &mut Builder) -> Result<()> {
        let n = self.positions.len();
        let lengths = [
            ("times", self.times_s.as_ref().map(Vec::len)),
            ("rows of velocities", self.velocities.as_ref().map(Rows::len)),
            ("rows of accelerations", self.accelerations.as_ref().map(Rows::len)),
        ];
        if let Some((what, Some(length))) = lengths.into_iter().find(|(_, length)| length.is_some_and(|l| l != n)) {
            return Err(to.here()(Error::input(format!("{length} {what} for {n} points"))));
        }
        let points = (0..n).map(|i| Point {
            time_s: self.times_s.as_ref().map(|times_s| times_s[i]),
            positions: self.positions.get(i).unwrap_or_default(),
            velocities: given(self.velocities.as_ref(), i),
            accelerations: given(self.accelerations.as_ref(), i),
        });
        to.add(columns, points)
    }
}

/// A row; `None` if it is missing or empty.
fn given(rows: Option<&Rows>, i: usize) -> Option<&[f64]> {
    rows?.get(i).filter(|row| !row.is_empty())
}

fn add_motion(rows: &Rows, columns: &NamedColumns, to: &mut Builder) -> Result<()> {
    if rows.len() != 2 {
        let message = format!("{} points where a motion has 2: start and end", rows.len());
        return Err(to.here()(Error::input(message).remedy(EXAMPLE)));
    }
    let points = (0..2).filter_map(|i| Some(Point { positions: rows.get(i)?, ..Point::default() }));
    to.add(columns, points)
}

/// Adds a message. The times of a message are always present; all of them are 0 for a path without times.
fn add_message(points: &[MessagePoint], columns: &NamedColumns, to: &mut Builder) -> Result<()> {
    let is_timed = points.iter().any(|p| p.time_from_start.is_some_and(|Seconds(time_s)| time_s != 0.0));
    let points = points.iter().map(|p| Point {
        time_s: p.time_from_start.filter(|_| is_timed).map(|Seconds(time_s)| time_s),
        positions: &p.positions,
        velocities: Some(&p.velocities[..]).filter(|row| !row.is_empty()),
        accelerations: Some(&p.accelerations[..]).filter(|row| !row.is_empty()),
    });
    to.add(columns, points)
}

/// Returns whether a JSON text is a list of objects, or an object whose first decisive key belongs to trajectories.
/// Returns false for damaged text.
pub(super) fn is_json_of_trajectories(mut source: impl Read) -> bool {
    let mut start = Vec::new();
    if source.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut start).is_err() {
        return false;
    }
    let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&start);
    let mut json = serde_json::Deserializer::from_reader(start.chain(source));
    let mut found = false;
    // The visitor stops with an error when the answer is known.
    let _ = json.deserialize_any(Decision { found: &mut found, is_nested: false });
    found
}

struct Decision<'f> {
    found: &'f mut bool,
    is_nested: bool,
}

impl<'de> Visitor<'de> for Decision<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object or a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        if self.is_nested {
            *self.found = true;
            return Err(de::Error::custom("decided"));
        }
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "motions" => return Err(de::Error::custom("decided")),
                "trajectories" | "points" | "joint_names" => {
                    *self.found = true;
                    return Err(de::Error::custom("decided"));
                }
                _ => drop(map.next_value::<de::IgnoredAny>()?),
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<(), A::Error> {
        if !self.is_nested {
            list.next_element_seed(Decision { found: self.found, is_nested: true })?;
        }
        Err(de::Error::custom("decided"))
    }
}

impl<'de> de::DeserializeSeed<'de> for Decision<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory of a list and of what its elements own.
    fn list<T>(list: &Vec<T>, of_element: impl Fn(&T) -> usize) -> usize {
        list.capacity() * size_of::<T>() + list.iter().map(of_element).sum::<usize>()
    }

    fn n_bytes(Documents(documents): &Documents) -> usize {
        let rows = |rows: &Option<Rows>| rows.as_ref().map_or(0, Rows::n_bytes);
        let names = |names: &Option<Vec<String>>| names.as_ref().map_or(0, |names| list(names, String::capacity));
        list(documents, |d| {
            let trajectories = d.trajectories.as_ref().map_or(0, |all| {
                list(all, |one| {
                    let times = one.times_s.as_ref().map_or(0, |times_s| 8 * times_s.capacity());
                    times + one.positions.n_bytes() + rows(&one.velocities) + rows(&one.accelerations)
                })
            });
            let motions = d.motions.as_ref().map_or(0, |all| list(all, Rows::n_bytes));
            let points = d.points.as_ref().map_or(0, |all| {
                list(all, |p| 8 * (p.positions.capacity() + p.velocities.capacity() + p.accelerations.capacity()))
            });
            names(&d.joints) + names(&d.joint_names) + trajectories + motions + points
        })
    }

    /// The shortest text of each kind of value, repeated.
    #[test]
    fn the_bound_on_memory_holds() {
        let many = |one: &str| vec![one; 10_000].join(",");
        for text in [
            format!(r#"{{"joints":[{}]}}"#, many(r#""""#)),
            format!(r#"{{"joint_names":[{}]}}"#, many(r#""a""#)),
            format!(r#"{{"motions":[{}]}}"#, many("[]")),
            format!(r#"{{"motions":[{}]}}"#, many("[[]]")),
            format!(r#"{{"motions":[{}]}}"#, many("[[0]]")),
            format!(r#"{{"motions":[[{}]]}}"#, many("[]")),
            format!(r#"{{"motions":[[[{}]]]}}"#, many("0")),
            format!(r#"{{"trajectories":[{}]}}"#, many(r#"{"positions":[]}"#)),
            format!(r#"{{"trajectories":[{}]}}"#, many(r#"{"positions":[[0]],"times_s":[0],"velocities":[[]]}"#)),
            format!(r#"{{"points":[{}]}}"#, many(r#"{"positions":[]}"#)),
            format!(r#"{{"points":[{}]}}"#, many(r#"{"positions":[0],"velocities":[0]}"#)),
            format!("[{}]", many("{}")),
        ] {
            let parsed: Documents = serde_json::from_str(&text).unwrap();
            // While a list grows, its old and its new memory exist together.
            let (most, bound) = (n_bytes(&parsed) * 3 / 2, parsed_bytes(&text));
            assert!(most as u128 <= bound, "{}: {most} > {bound}", &text[..40]);
            assert!(bound <= 80 * most as u128, "{}: {most} < {bound}", &text[..40]);
        }
    }
}
