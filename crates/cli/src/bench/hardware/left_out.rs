//! The list of parts that were not measured.

use super::super::run::{Column, Table};
use super::deadline::Deadline;

/// Parts that were not measured, and why.
#[derive(Debug, Default)]
pub struct LeftOut(Vec<[String; 2]>);

impl LeftOut {
    /// Adds a part.
    pub fn add(&mut self, part: String, why: impl Into<String>) {
        let why = why.into();
        tell!("left out: {part}: {why}");
        self.0.push([part, why]);
    }

    /// Returns whether a part has no time left, and adds the part in this case.
    pub fn is_over(&mut self, deadline: Deadline, part: impl FnOnce() -> String) -> bool {
        let is_over = deadline.is_over();
        if is_over {
            self.add(part(), "the time limit was reached");
        }
        is_over
    }

    /// The list as a table, if it is not empty.
    pub fn table(&self) -> Option<Table> {
        let columns = vec![Column::text("part", ""), Column::text("reason", "")];
        let mut table = Table::new("left-out", "Left out", "", columns);
        self.0.iter().for_each(|row| table.row(row.iter().map(|text| text.as_str().into())));
        (!self.0.is_empty()).then_some(table)
    }
}
