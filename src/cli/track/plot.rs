//! The paper's figure 7: normalised errors over time, and the distances below.

use super::Run;
use crate::cli::colour::colour;
use firstcontact::{Error, Result};
use plotters::prelude::*;

const SIZE_PX: (u32, u32) = (1100, 820);
/// Errors below are those of rounding.
const LEAST: f64 = 1e-12;
/// Runs that get a line in the legend.
const MOST_NAMES: usize = 12;
/// Points of a line: more are not seen.
const MOST_POINTS: usize = 2000;

/// Above the four normalised errors of each run, on a logarithmic scale, with a dashed line that falls at its gain; below its
/// distances.
pub fn errors_and_distances(runs: &[Run], duration_s: f64) -> Result<String> {
    let mut svg = String::new();
    draw(&mut svg, runs, duration_s).map_err(|e| Error::usage(format!("the plot failed: {e}")))?;
    Ok(svg)
}

fn draw(svg: &mut String, runs: &[Run], duration_s: f64) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, SIZE_PX).into_drawing_area();
    root.fill(&WHITE)?;
    let panels = root.split_evenly((2, 1));
    let label = |run: &Run| format!("{}, K = {} /s", run.name, run.gain_per_s);
    let thinned = |run: &Run| run.track.samples.len().div_ceil(MOST_POINTS).max(1);

    let mut chart = ChartBuilder::on(&panels[0])
        .caption("normalised projection errors |Ψ| / (|Δ| |tangent|); dashed: exp(−K t)", ("sans-serif", 17))
        .margin(8)
        .x_label_area_size(28)
        .y_label_area_size(72)
        .build_cartesian_2d(0.0..duration_s, (LEAST..2.0).log_scale())?;
    chart.configure_mesh().y_label_formatter(&|y: &f64| format!("{y:.0e}")).x_desc("t, s").draw()?;
    for (k, run) in runs.iter().enumerate() {
        let every = thinned(run);
        for i in 0..4 {
            let errors = run.track.samples.iter().step_by(every).map(|s| (s.t_s, s.normalised[i].abs()));
            let points: Vec<(f64, f64)> = errors.filter(|(_, e)| *e >= LEAST).collect();
            let series = chart.draw_series([PathElement::new(points, colour(k))])?;
            if i == 0 && k < MOST_NAMES {
                series.label(label(run)).legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour(k)));
            }
        }
        let first = run.track.samples.first().map_or(0.0, |s| s.normalised.iter().fold(0.0f64, |a, b| a.max(b.abs())));
        let fall =
            (0..=400).map(|j| f64::from(j) / 400.0 * duration_s).map(|t| (t, first * (-run.gain_per_s * t).exp()));
        let points: Vec<(f64, f64)> = fall.filter(|(_, e)| *e >= LEAST).collect();
        // Two points drawn, two left out.
        chart.draw_series(
            points.chunks(4).map(|dash| PathElement::new(dash[..dash.len().min(3)].to_vec(), colour(k))),
        )?;
    }
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .position(SeriesLabelPosition::UpperRight)
        .draw()?;

    let known = || runs.iter().flat_map(|r| &r.track.samples).map(|s| s.sigma_m).filter(|s| s.is_finite());
    let (least, most) = known().fold((0.0f64, 0.0f64), |(lo, hi), s| (lo.min(s), hi.max(s)));
    let room = 0.05 * (most - least).max(1e-9);
    let mut chart = ChartBuilder::on(&panels[1])
        .caption("extremal distance, m: negative in penetration", ("sans-serif", 17))
        .margin(8)
        .x_label_area_size(28)
        .y_label_area_size(72)
        .build_cartesian_2d(0.0..duration_s, least - room..most + room)?;
    chart.configure_mesh().x_desc("t, s").draw()?;
    for (k, run) in runs.iter().enumerate() {
        let samples: Vec<_> = run.track.samples.iter().step_by(thinned(run)).collect();
        // A gap where the pair was lost.
        for part in samples.split(|s| !s.sigma_m.is_finite()) {
            let points: Vec<(f64, f64)> = part.iter().map(|s| (s.t_s, s.sigma_m)).collect();
            chart.draw_series([PathElement::new(points, colour(k))])?;
        }
    }
    root.present()?;
    Ok(())
}
