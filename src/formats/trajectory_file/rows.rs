//! Rows of numbers in JSON and YAML, kept flat so that they take little more memory than their numbers.

use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, de};
use std::fmt;

/// Rows of numbers, which may differ in length.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rows {
    /// End of each row in `values`.
    ends: Vec<usize>,
    values: Vec<f64>,
}

impl Rows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Memory of the lists, bytes.
    #[cfg(test)]
    pub fn n_bytes(&self) -> usize {
        8 * (self.ends.capacity() + self.values.capacity())
    }

    /// A row; `None` beyond the last.
    pub fn get(&self, i: usize) -> Option<&[f64]> {
        let first = if i == 0 { 0 } else { *self.ends.get(i - 1)? };
        self.values.get(first..*self.ends.get(i)?)
    }
}

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(All)
    }
}

struct All;

impl<'de> Visitor<'de> for All {
    type Value = Rows;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of rows, each a list of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Rows, A::Error> {
        let mut rows = Rows::default();
        while list.next_element_seed(Row(&mut rows.values))?.is_some() {
            rows.ends.push(rows.values.len());
        }
        Ok(rows)
    }
}

/// A row that is appended to others.
struct Row<'v>(&'v mut Vec<f64>);

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a row: a list of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(value) = list.next_element()? {
            self.0.push(value);
        }
        Ok(())
    }
}

/// A time: a number of seconds, or seconds and nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seconds(pub f64);

/// A duration as ROS 2 and ROS 1 write it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Duration {
    #[serde(default, alias = "secs")]
    sec: i64,
    #[serde(default, alias = "nsec", alias = "nsecs")]
    nanosec: i64,
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Time)
    }
}

struct Time;

impl<'de> Visitor<'de> for Time {
    type Value = Seconds;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number of seconds, or {sec, nanosec}")
    }

    fn visit_f64<E>(self, x: f64) -> Result<Seconds, E> {
        Ok(Seconds(x))
    }

    fn visit_i64<E>(self, x: i64) -> Result<Seconds, E> {
        Ok(Seconds(x as f64))
    }

    fn visit_u64<E>(self, x: u64) -> Result<Seconds, E> {
        Ok(Seconds(x as f64))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Seconds, A::Error> {
        let Duration { sec, nanosec } = Duration::deserialize(de::value::MapAccessDeserializer::new(map))?;
        // Nanoseconds are exact up to 104 days, so the division rounds once.
        Ok(Seconds((i128::from(sec) * 1_000_000_000 + i128::from(nanosec)) as f64 / 1e9))
    }
}
