//! Elementary queries in batches.

use crate::error::raise;
use crate::interruption::Interruption;
use crate::numbers;
use firstcontact::elementary::{Answer, Kind, Query, solve};
use firstcontact::stage::s6_solve::SolveOptions;
use firstcontact::{Error, Result};
use glam::DVec3;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;

/// Number of queries between two checks for a signal.
const PORTION: usize = 1 << 16;

/// Numbers of a configuration of four points.
const POINTS: usize = 12;

/// Answers the queries of two arrays of shape (n, 4, 3): points at the start, and at the end. Columns as bytes, by
/// name.
#[pyfunction]
pub fn elementary<'py>(
    py: Python<'py>,
    kind: &str,
    starts: &[u8],
    ends: &[u8],
    tolerance: f64,
    margin: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let kind = if kind == "vertex_face" { Kind::VertexFace } else { Kind::EdgeEdge };
    let options = SolveOptions { tolerance, margin_m: margin, ..SolveOptions::default() };
    options.check().map_err(raise)?;
    let answers = Interruption::run(py, |signals| {
        let queries = queries(&numbers::floats(starts), &numbers::floats(ends))?;
        let mut answers = Vec::with_capacity(queries.len());
        for portion in queries.chunks(PORTION) {
            answers.par_extend(portion.par_iter().map(|query| solve(kind, query, &options)));
            signals.poll()?;
        }
        Ok(answers)
    })?;
    to_dict(py, &answers)
}

fn queries(starts: &[f64], ends: &[f64]) -> Result<Vec<Query>> {
    if let Some(i) = starts.iter().zip(ends).position(|(a, b)| !(a.is_finite() && b.is_finite())) {
        return Err(Error::input("a coordinate is NaN or infinite").at(format!("query {}", i / POINTS)));
    }
    let points = |numbers: &[f64]| -> [DVec3; 4] { std::array::from_fn(|i| DVec3::from_slice(&numbers[3 * i..])) };
    let each = starts.chunks_exact(POINTS).zip(ends.chunks_exact(POINTS));
    Ok(each.map(|(start, end)| Query { start: points(start), end: points(end) }).collect())
}

fn to_dict<'py>(py: Python<'py>, answers: &[Answer]) -> PyResult<Bound<'py, PyDict>> {
    let (mut verdict, mut toc, mut clear_until) = (Vec::new(), Vec::new(), Vec::new());
    let (mut is_proved, mut is_certified) = (Vec::new(), Vec::new());
    for answer in answers {
        let (code, times, clear, [proved, certified]) = match *answer {
            Answer::Free => (0i8, [f64::NAN; 2], 1.0, [false; 2]),
            Answer::Contact { toc, proved, certified } => (1, toc, toc[0], [proved, certified]),
            Answer::Undecided { clear_until } => (2, [f64::NAN; 2], clear_until, [false; 2]),
        };
        verdict.push(code);
        toc.push(times);
        clear_until.push(clear);
        is_proved.push(u8::from(proved));
        is_certified.push(u8::from(certified));
    }
    let dict = PyDict::new(py);
    dict.set_item("verdict", numbers::bytes(py, &verdict))?;
    dict.set_item("toc", numbers::bytes(py, &toc))?;
    dict.set_item("clear_until", numbers::bytes(py, &clear_until))?;
    dict.set_item("proved", numbers::bytes(py, &is_proved))?;
    dict.set_item("certified", numbers::bytes(py, &is_certified))?;
    Ok(dict)
}
