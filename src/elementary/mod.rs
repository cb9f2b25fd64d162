//! Elementary queries: a vertex against a triangle, or an edge against an edge, all four points on straight lines.
//!
//! This is the smallest problem of continuous collision detection. Published collections contain millions of such
//! queries with their ground truth. [`solve`] answers one query; [`Reader`] reads a collection in parts, [`Batch`]
//! turns a part into queries, [`Line`] is an answer in its written form, and [`Totals`] counts answers and their
//! agreement with the truth.
//!
//! The features are closed: a vertex on the border of a triangle touches it, and so does an edge that begins on another
//! one.

#[cfg(feature = "formats")]
mod line;
#[cfg(feature = "formats")]
mod rational;
#[cfg(feature = "formats")]
mod reader;
#[cfg(feature = "formats")]
mod totals;

pub use crate::stage::s6_solve::elementary::{Answer, Kind, Query, solve};
#[cfg(feature = "formats")]
pub use line::Line;
#[cfg(feature = "formats")]
pub use reader::{Batch, MAX_COORDINATE, Posed, Reader};
#[cfg(feature = "formats")]
pub use totals::{Agreement, Totals};
