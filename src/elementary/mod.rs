//! Elementary queries: a vertex against a triangle, or an edge against an edge, all four points on straight lines.
//!
//! This is the smallest problem of continuous collision detection, and the one that published collections contain by
//! the million, together with the ground truth. [`solve`] answers one query; [`Reader`] reads a collection in parts,
//! [`Batch`] turns a part into queries, [`Line`] is an answer in its written form, and [`Totals`] counts answers and
//! their agreement with the truth.
//!
//! The features are closed: a vertex on the border of a triangle meets it, and so does an edge that begins on another.

mod line;
mod rational;
mod reader;
mod totals;

pub use crate::stage::s6_solve::elementary::{Answer, Kind, Query, solve};
pub use line::Line;
pub use reader::{Batch, MAX_COORDINATE, Posed, Reader};
pub use totals::{Agreement, Totals};
