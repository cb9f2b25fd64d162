//! Elementary queries in batches.

use crate::answers::{FC_CONTACT, FC_FREE, FC_UNDECIDED, FcVerdict};
use crate::control::{Control, FcControl};
use crate::output::outputs;
use crate::rows::{FcRows, Rows, rows};
use crate::status::{FcStatus, guard};
use firstcontact::elementary::{Answer, Kind, Query, solve};
use firstcontact::stage::s6_solve::SolveOptions;
use firstcontact::{Error, Result};
use glam::DVec3;
use rayon::prelude::*;

/// Kind of elementary queries.
pub type FcElementaryKind = i32;
/// A vertex, and the three vertices of a face.
pub const FC_VERTEX_FACE: FcElementaryKind = 0;
/// The two ends of an edge, and those of another edge.
pub const FC_EDGE_EDGE: FcElementaryKind = 1;

/// The answer to an elementary query.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FcElementaryAnswer {
    /// Kind of the answer.
    pub verdict: FcVerdict,
    /// A contact exists.
    pub proved: bool,
    /// A contact exists, and the enclosure of its time is as narrow as the tolerance.
    pub certified: bool,
    /// Enclosure of the time of first contact, as of FcAnswer; NaN without contact.
    pub toc: [f64; 2],
    /// Nothing touches before this time: 1 if free.
    pub clear_until: f64,
}

impl FcElementaryAnswer {
    fn new(answer: Answer) -> Self {
        let none =
            |verdict, clear_until| Self { verdict, proved: false, certified: false, toc: [f64::NAN; 2], clear_until };
        match answer {
            Answer::Free => none(FC_FREE, 1.0),
            Answer::Undecided { clear_until } => none(FC_UNDECIDED, clear_until),
            Answer::Contact { toc, proved, certified } => Self { proved, certified, toc, ..none(FC_CONTACT, toc[0]) },
        }
    }
}

/// Numbers of four points.
const POINTS: usize = 12;
/// Queries between two reports of progress.
const PORTION: usize = 1 << 14;

/// Answers elementary queries: four points that move linearly. Row i of the starts and the ends has the coordinates of
/// the points of query i, x y z of each. The answers are stride_bytes apart; sizeof(FcElementaryAnswer) leaves no gaps.
/// The control may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_elementary(
    kind: FcElementaryKind,
    starts: *const FcRows,
    ends: *const FcRows,
    tolerance: f64,
    margin_m: f64,
    control: *const FcControl,
    answers: *mut FcElementaryAnswer,
    stride_bytes: isize,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for arrays.
        let (starts, ends) = unsafe { (rows(starts, "starts")?, rows(ends, "ends")?) };
        let kind = match kind {
            FC_VERTEX_FACE => Kind::VertexFace,
            FC_EDGE_EDGE => Kind::EdgeEdge,
            other => return Err(Error::usage(format!("{other} is not FC_VERTEX_FACE or FC_EDGE_EDGE"))),
        };
        let options = SolveOptions { tolerance, margin_m, ..SolveOptions::default() };
        options.check()?;
        let queries = Queries::new(starts, ends)?;
        // SAFETY: the caller's promise for arrays.
        let mut to = unsafe { outputs(answers, queries.len(), stride_bytes, "answers") }?;
        // SAFETY: the caller's promise for callbacks.
        let mut control = unsafe { Control::start(control, queries.len()) }?;
        for first in (0..queries.len()).step_by(PORTION) {
            let portion = first..queries.len().min(first + PORTION);
            let solved: Vec<Answer> = portion
                .clone()
                .into_par_iter()
                .map(|i| Ok(solve(kind, &queries.get(i)?, &options)))
                .collect::<Result<_>>()?;
            portion.clone().zip(solved).for_each(|(i, answer)| to.set(i, FcElementaryAnswer::new(answer)));
            control.poll(portion.end)?;
        }
        Ok(())
    })
}

/// Queries in memory of the caller.
struct Queries<'a>([Rows<'a, f64>; 2]);

impl<'a> Queries<'a> {
    fn new(starts: Rows<'a, f64>, ends: Rows<'a, f64>) -> Result<Self> {
        if starts.n_rows() != ends.n_rows() {
            return Err(Error::usage(format!("{} starts but {} ends", starts.n_rows(), ends.n_rows())));
        }
        let points = |of: Rows<'a, f64>, name: &str| of.with_columns(POINTS).map_err(|e| e.at(name));
        Ok(Self([points(starts, "starts")?, points(ends, "ends")?]))
    }

    fn len(&self) -> usize {
        self.0[0].n_rows()
    }

    fn get(&self, i: usize) -> Result<Query> {
        let [start, end] = self.0.map(|of| {
            let point = |k: usize| DVec3::new(of.at(i, 3 * k), of.at(i, 3 * k + 1), of.at(i, 3 * k + 2));
            [point(0), point(1), point(2), point(3)]
        });
        if !start.iter().chain(&end).all(|point| point.is_finite()) {
            return Err(Error::input("a coordinate is NaN or infinite").at(format!("query {i}")));
        }
        Ok(Query { start, end })
    }
}
