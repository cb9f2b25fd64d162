//! Elementary queries: a vertex against a triangle, or an edge against an edge, all four points on straight lines.
//!
//! The smallest problem of continuous collision detection, and the one that published collections pose by the million,
//! with the truth beside it. [`solve`] answers one query; [`Reader`] reads a collection in parts, [`Batch`] makes queries
//! of a part, [`Line`] is an answer as it is written, [`Totals`] counts answers and how they agree with the truth.
//!
//! The features are closed: a vertex on the border of a triangle and an edge that begins on another meet it.

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
