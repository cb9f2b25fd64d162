//! The extremal pairs of moving shapes.

use crate::interruption::Interruption;
use crate::numbers;
use firstcontact::extremal::scene::{Scene, ScenePair};
use firstcontact::extremal::{FirstContact, Lost, Settings, State, Track, Tracker, first_contact};
use firstcontact::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use std::path::PathBuf;

/// Maximum number of samples of all tracks.
const MAX_SAMPLES: f64 = 5e6;
/// Width of an enclosed time of first contact, as a share of the duration.
const TOLERANCE: f64 = 1e-9;

/// A pair of bodies, followed with one gain.
struct Run {
    bodies: [String; 2],
    gain_per_s: f64,
    track: Track,
    contact: std::result::Result<FirstContact, Lost>,
}

/// Follows the pairs of a scene in a file, one run for each pair and gain. Returns columns and facts of each, by name.
#[pyfunction]
pub fn track(py: Python<'_>, scene: PathBuf) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let runs = Interruption::run(py, |signals| {
        let runs = runs(&scene);
        signals.poll()?;
        runs
    })?;
    runs.iter().map(|run| to_dict(py, run)).collect()
}

fn runs(path: &PathBuf) -> Result<Vec<Run>> {
    let scene = Scene::from_file(path)?;
    let jobs: Vec<(&ScenePair, f64)> =
        scene.pairs.iter().flat_map(|pair| scene.gains_per_s.iter().map(move |gain| (pair, *gain))).collect();
    let samples = scene.duration_s / scene.settings.step_s * jobs.len() as f64;
    if !(samples <= MAX_SAMPLES) {
        let error = Error::input(format!("{samples:.0} samples: the maximum is {MAX_SAMPLES:.0}"));
        return Err(error.remedy("use longer steps, or fewer pairs or gains").in_file(path));
    }
    let run = |(pair, gain_per_s): (&ScenePair, f64)| {
        let settings = Settings { gain_per_s, ..scene.settings };
        let tracker = Tracker::new(scene.shapes(pair), scene.motions(pair), settings)?;
        let track = tracker.run(pair.start.map(State::new), scene.duration_s)?;
        let contact = first_contact(&tracker, scene.duration_s, scene.margin_m, TOLERANCE * scene.duration_s);
        let bodies = [pair.a, pair.b].map(|body| scene.bodies[body].name.clone());
        Ok(Run { bodies, gain_per_s, track, contact })
    };
    jobs.into_par_iter().map(run).collect()
}

fn to_dict<'py>(py: Python<'py>, run: &Run) -> PyResult<Bound<'py, PyDict>> {
    let samples = &run.track.samples;
    let column = |of: fn(&firstcontact::extremal::Sample) -> f64| {
        numbers::bytes(py, &samples.iter().map(of).collect::<Vec<f64>>())
    };
    let dict = PyDict::new(py);
    dict.set_item("bodies", &run.bodies)?;
    dict.set_item("gain_per_s", run.gain_per_s)?;
    dict.set_item("time_s", column(|s| s.t_s))?;
    dict.set_item("distance_m", column(|s| s.sigma_m))?;
    dict.set_item("error", column(|s| s.error))?;
    let parameters: Vec<[f64; 4]> = samples.iter().map(|s| s.state.parameters()).collect();
    dict.set_item("parameters", numbers::bytes(py, &parameters))?;
    dict.set_item("phase", samples.iter().map(|s| s.phase.name()).collect::<Vec<_>>())?;
    dict.set_item("decay_rate_per_s", run.track.decay_rate_per_s())?;
    let contact = run.contact.as_ref().ok();
    dict.set_item("clear_until_s", contact.map(|c| c.clear_until_s))?;
    dict.set_item("reached_by_s", contact.and_then(|c| c.reached_by_s))?;
    dict.set_item("lost", run.contact.as_ref().err().map(ToString::to_string))?;
    Ok(dict)
}
