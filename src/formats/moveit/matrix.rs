//! The allowed-collision matrix: pairs that always touch or can never touch.

use crate::error::{Error, Result};
use serde::Deserialize;
use std::collections::HashMap;

#[derive(Default, Deserialize)]
pub(super) struct MatrixYaml {
    #[serde(default)]
    entry_names: Vec<String>,
    #[serde(default)]
    entry_values: Vec<Row>,
    #[serde(default)]
    default_entry_names: Vec<String>,
    #[serde(default)]
    default_entry_values: Vec<bool>,
}

/// A row as MoveIt's tools write it: a list, or the message's own form.
#[derive(Deserialize)]
#[serde(untagged)]
enum Row {
    Plain(Vec<bool>),
    Message { enabled: Vec<bool> },
}

/// The pairs of names that are never tested.
#[derive(Clone, Debug, Default)]
pub struct AllowedCollisions {
    indices: HashMap<String, usize>,
    /// `[row][column]`, in the order of the names.
    values: Vec<Vec<bool>>,
    defaults: HashMap<String, bool>,
}

impl AllowedCollisions {
    pub(super) fn new(yaml: MatrixYaml) -> Result<Self> {
        let at = |e: Error| e.at("allowed_collision_matrix");
        let n = yaml.entry_names.len();
        let values: Vec<Vec<bool>> = yaml
            .entry_values
            .into_iter()
            .map(|row| match row {
                Row::Plain(row) | Row::Message { enabled: row } => row,
            })
            .collect();
        if values.len() != n || values.iter().any(|row| row.len() != n) {
            return Err(at(Error::input(format!("its values are not {n} rows of {n}, for {n} names"))));
        }
        if yaml.default_entry_names.len() != yaml.default_entry_values.len() {
            return Err(at(Error::input("it has different numbers of default names and default values")));
        }
        let indices: HashMap<_, _> = yaml.entry_names.into_iter().enumerate().map(|(i, name)| (name, i)).collect();
        if indices.len() != n {
            return Err(at(Error::input("it lists a name twice")));
        }
        Ok(Self {
            indices,
            values,
            defaults: yaml.default_entry_names.into_iter().zip(yaml.default_entry_values).collect(),
        })
    }

    /// Returns whether a pair is never tested: by its own entry, or, without one, by the defaults of both names if they
    /// agree. An entry counts only if both of its places in the matrix agree; otherwise the pair is tested.
    pub fn allows(&self, a: &str, b: &str) -> bool {
        if let (Some(&i), Some(&j)) = (self.indices.get(a), self.indices.get(b)) {
            return self.values[i][j] && self.values[j][i];
        }
        match (self.defaults.get(a), self.defaults.get(b)) {
            (Some(a), Some(b)) => *a && *b,
            (Some(one), None) | (None, Some(one)) => *one,
            (None, None) => false,
        }
    }

    /// The names in the matrix, in alphabetical order.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.indices.keys().chain(self.defaults.keys()).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
