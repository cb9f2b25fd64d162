//! Motions covered with balls of displacements.

use crate::interruption::Interruption;
use crate::numbers;
use crate::robot::Robot;
use crate::scene::Scene;
use firstcontact::Error;
use firstcontact::toleranced::articulated::Toleranced;
use firstcontact::toleranced::problem::Limits;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;
use std::sync::Arc;

/// Number of motions between two checks for a signal, for each thread.
const PORTION: usize = 8;

/// Covers the motions of an array of shape (q, 2, columns). Returns until when each is clear, and whether it is free.
#[pyfunction]
pub fn toleranced<'py>(
    py: Python<'py>,
    robot: &Robot,
    scene: &Scene,
    motions: &[u8],
    delta: f64,
    max_level: u32,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let (robot, scene) = (Arc::clone(&robot.robot), Arc::clone(&scene.scene));
    let limits = Limits { delta_m: delta, max_level, ..Limits::default() };
    let answers = Interruption::run(py, |signals| {
        limits.check()?;
        let motions = numbers::motions(motions, robot.columns.len(), 0)?;
        motions.check(&robot)?;
        let toleranced = Toleranced::new(&robot, &scene)?;
        let check = |i: usize| {
            let answer = toleranced.check(motions.start(i), motions.end(i), &limits, false);
            answer.map(|a| (a.clear_until(), u8::from(a.is_free()))).map_err(|e: Error| e.at(format!("motion {i}")))
        };
        let mut answers = Vec::with_capacity(motions.len());
        let step = PORTION * rayon::current_num_threads();
        for first in (0..motions.len()).step_by(step) {
            let portion = first..motions.len().min(first + step);
            answers.extend(portion.into_par_iter().map(check).collect::<Result<Vec<_>, _>>()?);
            signals.poll()?;
        }
        Ok(answers)
    })?;
    let (clear_until, is_free): (Vec<f64>, Vec<u8>) = answers.into_iter().unzip();
    Ok((numbers::bytes(py, &clear_until), numbers::bytes(py, &is_free)))
}
