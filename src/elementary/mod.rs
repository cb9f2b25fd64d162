//! Elementary queries: a vertex against a triangle, or an edge against an edge, all four points on straight lines.
//!
//! The smallest problem of continuous collision detection, and the one that published collections pose by the million,
//! with the truth beside it. [`solve`] answers one query; [`Reader`] reads a collection in parts, [`Batch`] makes queries
//! of a part, [`Line`] is an answer as it is written, [`Totals`] counts answers and how they agree with the truth.
//!
//! The features are closed: a vertex on the border of a triangle and an edge that begins on another meet it.

mod line;
mod rational;
mod reader;
mod totals;

pub use crate::stage::s6_solve::elementary::{Answer, Kind, Query, solve};
pub use line::Line;
pub use reader::{Batch, MAX_COORDINATE, Posed, Reader};
pub use totals::{Agreement, Totals};
