//! `firstcontact track`: the extremal pairs of a scene of moving shapes.

mod plot;

use super::{Outcome, outputs, warn};
use clap::Args;
use firstcontact::extremal::scene::{Scene, ScenePair};
use firstcontact::extremal::{FirstContact, Lost, Phase, Sample, Settings, State, Track, Tracker, first_contact};
use firstcontact::io::output;
use firstcontact::{Error, Result};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

/// Arguments of `track`.
#[derive(Debug, Args)]
pub struct TrackArgs {
    /// The scene: bodies with shapes and motions, pairs, gains, step and duration (JSON)
    scene: PathBuf,
    /// The folder for track.csv, track.json and track.svg
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// The files in the folder.
const FILES: [&str; 3] = ["track.csv", "track.json", "track.svg"];
/// Maximum number of lines of the CSV file.
const MAX_LINES: f64 = 5e6;
/// Width of an enclosed time of first contact, as a share of the duration.
const TOLERANCE: f64 = 1e-9;

/// A pair tracked with one gain.
struct Run {
    /// The names of the two bodies, "a b".
    name: String,
    gain_per_s: f64,
    track: Track,
}

/// Runs the command.
pub fn run(args: &TrackArgs) -> Result<Outcome> {
    let files = FILES.map(|name| args.out.join(name));
    outputs::check(&[&args.scene], &files.each_ref().map(|path| ("--out", path.as_path())))?;
    let scene = Scene::from_file(&args.scene)?;
    let lines = scene.duration_s / scene.settings.step_s * (scene.pairs.len() * scene.gains_per_s.len()) as f64;
    if !(lines <= MAX_LINES) {
        let error = Error::input(format!("{lines:.0} lines: the maximum is {MAX_LINES:.0}"));
        return Err(error.remedy("use longer steps, or fewer pairs or gains").in_file(&args.scene));
    }
    let name = |pair: &ScenePair| format!("{} {}", scene.bodies[pair.a].name, scene.bodies[pair.b].name);
    let tracker = |pair: &ScenePair, gain_per_s: f64| {
        let settings = Settings { gain_per_s, ..scene.settings };
        Tracker::new(scene.shapes(pair), scene.motions(pair), settings)
    };
    let jobs: Vec<(&ScenePair, f64)> =
        scene.pairs.iter().flat_map(|pair| scene.gains_per_s.iter().map(move |gain| (pair, *gain))).collect();
    let runs: Vec<Run> = jobs
        .into_par_iter()
        .map(|(pair, gain_per_s)| {
            let track = tracker(pair, gain_per_s)?.run(pair.start.map(State::new), scene.duration_s)?;
            Ok(Run { name: name(pair), gain_per_s, track })
        })
        .collect::<Result<_>>()?;
    let contacts: Vec<std::result::Result<FirstContact, Lost>> = scene
        .pairs
        .par_iter()
        .map(|pair| {
            let tracker = tracker(pair, scene.settings.gain_per_s)?;
            Ok(first_contact(&tracker, scene.duration_s, scene.margin_m, TOLERANCE * scene.duration_s))
        })
        .collect::<Result<_>>()?;
    let names: Vec<String> = scene.pairs.iter().map(name).collect();
    write(args, &scene, &runs, &names, &contacts)?;
    Ok(outcome(&runs, (&names, &contacts), scene.duration_s))
}

fn write(
    args: &TrackArgs,
    scene: &Scene,
    runs: &[Run],
    names: &[String],
    contacts: &[std::result::Result<FirstContact, Lost>],
) -> Result<()> {
    let [csv, json, picture] = FILES.map(|name| args.out.join(name));
    // The plot is made first, so that no file remains if it fails.
    let svg = plot::errors_and_distances(runs, scene.duration_s)?;
    let failed = |e: std::io::Error| Error::usage(format!("cannot write: {e}")).in_file(&args.out);
    output::write(&csv, |to| {
        let header = "pair,gain_per_s,t_s,phase,sigma_m,u,v,r,s,chart_a,chart_b,held,error,norm";
        writeln!(to, "{header},normalised_u,normalised_v,normalised_r,normalised_s").map_err(failed)?;
        for run in runs {
            for sample in &run.track.samples {
                writeln!(to, "{}", line(run, sample)).map_err(failed)?;
            }
        }
        Ok(())
    })?;
    let all = json!({
        "runs": runs.iter().map(summary).collect::<Vec<Value>>(),
        "first_contacts":
            names.iter().zip(contacts).map(|(n, c)| contact(n, c, scene.margin_m)).collect::<Vec<Value>>(),
    });
    let text = serde_json::to_string_pretty(&all).map_err(|e| Error::usage(e.to_string()))?;
    output::write(&json, |to| writeln!(to, "{text}").map_err(failed))?;
    output::write(&picture, |to| to.write_all(svg.as_bytes()).map_err(failed))
}

/// A number; empty if it is not finite.
fn cell(x: f64) -> String {
    if x.is_finite() { format!("{x:?}") } else { String::new() }
}

fn line(run: &Run, sample: &Sample) -> String {
    // A name may contain characters that are not allowed in a line of CSV.
    let name = format!("\"{}\"", run.name.replace('"', "\"\"").replace(char::is_control, " "));
    let mut cells =
        vec![name, cell(run.gain_per_s), cell(sample.t_s), sample.phase.name().into(), cell(sample.sigma_m)];
    if let Phase::Lost(_) = sample.phase {
        cells.resize(18, String::new());
        return cells.join(",");
    }
    let state = &sample.state;
    cells.extend(state.parameters().map(cell));
    cells.extend([state.a.chart.to_string(), state.b.chart.to_string()]);
    cells.push("uvrs".chars().zip(state.held).filter(|(_, held)| *held).map(|(c, _)| c).collect());
    cells.extend([sample.error, sample.norm].map(cell));
    cells.extend(sample.normalised.map(cell));
    cells.join(",")
}

fn summary(run: &Run) -> Value {
    let samples = &run.track.samples;
    let count = |name: &str| samples.iter().filter(|s| s.phase.name() == name).count();
    let (tracking, acquiring) = (count("tracking"), count("acquiring"));
    let least = samples.iter().filter(|s| s.phase == Phase::Tracking).min_by(|a, b| a.sigma_m.total_cmp(&b.sigma_m));
    let restart = |r: &firstcontact::extremal::tracker::Restart| {
        json!({
            "t_s": r.t_s,
            "reason": r.lost.name(),
            "message": r.lost.to_string(),
            "found": r.found,
        })
    };
    json!({
        "pair": run.name,
        "gain_per_s": run.gain_per_s,
        "samples": samples.len(),
        "tracking": tracking,
        "acquiring": acquiring,
        "lost": samples.len() - tracking - acquiring,
        "decay_rate_per_s": run.track.decay_rate_per_s(),
        "least": least.map(|s| json!({"t_s": s.t_s, "sigma_m": s.sigma_m})),
        "last": samples.last().map(|s| json!({"t_s": s.t_s, "phase": s.phase.name(), "sigma_m": finite(s.sigma_m)})),
        "restarts": run.track.restarts.iter().map(restart).collect::<Vec<Value>>(),
    })
}

fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

fn contact(name: &str, contact: &std::result::Result<FirstContact, Lost>, margin_m: f64) -> Value {
    match contact {
        Ok(c) => {
            json!({
                "pair": name,
                "margin_m": margin_m,
                "clear_until_s": c.clear_until_s,
                "reached_by_s": c.reached_by_s,
            })
        }
        Err(lost) => {
            json!({"pair": name, "margin_m": margin_m, "lost": lost.name(), "message": lost.to_string()})
        }
    }
}

/// Prints the results.
fn outcome(
    runs: &[Run],
    (names, contacts): (&[String], &[std::result::Result<FirstContact, Lost>]),
    duration_s: f64,
) -> Outcome {
    for run in runs {
        let rate = run.track.decay_rate_per_s().map_or(String::new(), |r| format!(", errors decayed at {r:.4} /s"));
        let Some(last) = run.track.samples.last() else { continue };
        let end = match last.phase {
            Phase::Lost(lost) => format!("lost: {lost}"),
            phase => format!("{} at a distance of {:.6} m", phase.name(), last.sigma_m),
        };
        say!("{}, gain {}: {end}{rate}, {} restarts", run.name, run.gain_per_s, run.track.restarts.len());
        for restart in run.track.restarts.iter().take(3) {
            warn(&format!("{}, gain {}, {:.4} s: {}", run.name, run.gain_per_s, restart.t_s, restart.lost));
        }
    }
    let (mut outcome, mut is_unknown) = (Outcome::Free, false);
    for (name, contact) in names.iter().zip(contacts) {
        match contact {
            Ok(FirstContact { clear_until_s, reached_by_s: Some(by), .. }) => {
                say!("{name}: first contact between {clear_until_s:.9} s and {by:.9} s");
                outcome = Outcome::Contact;
            }
            Ok(FirstContact { clear_until_s, .. }) if *clear_until_s < duration_s => {
                say!("{name}: no contact before {clear_until_s:.9} s; after that it is unknown: too many steps");
                is_unknown = true;
            }
            Ok(_) => say!("{name}: no contact found"),
            Err(lost) => {
                say!("{name}: first contact unknown: {lost}");
                is_unknown = true;
            }
        }
    }
    let lost = runs.iter().any(|r| r.track.samples.iter().any(|s| matches!(s.phase, Phase::Lost(_))));
    if outcome == Outcome::Free && (lost || is_unknown) { Outcome::Undecided } else { outcome }
}
