//! The paper's figure 7: normalised errors over time, and the distances below.

use super::Run;
use crate::colour::{colour, dashes};
use crate::legend::{Area, Drawn, LABEL_PX, Legend, Sign, TITLE_PX, WIDTH_PX, font};
use firstcontact::{Error, Result};
use plotters::element::DashedPathElement;
use plotters::prelude::*;

/// Height of each of the two plots, pixels.
const PANEL_PX: u32 = 370;
/// Lower end of the axis of errors; smaller errors are rounding errors.
const MIN_ERROR: f64 = 1e-12;
/// Maximum number of runs in the legend.
const MAX_NAMES: usize = 24;
/// Maximum number of points of a line: more would not be visible.
const MAX_POINTS: usize = 2000;

/// Plots, above, the four normalised errors of each run on a logarithmic scale, with a dashed line that falls at its
/// gain, and below, its distances.
pub fn errors_and_distances(runs: &[Run], duration_s: f64) -> Result<String> {
    let mut svg = String::new();
    draw(&mut svg, runs, duration_s).map_err(|e| Error::usage(format!("the plot failed: {e}")))?;
    Ok(svg)
}

fn draw(svg: &mut String, runs: &[Run], duration_s: f64) -> Drawn {
    let names: Vec<String> =
        runs.iter().take(MAX_NAMES).map(|run| format!("{}, K = {} /s", run.name, run.gain_per_s)).collect();
    let legend = Legend::new(names.iter().map(String::as_str));
    let size_px = (WIDTH_PX, 2 * PANEL_PX + legend.height_px());
    let root = SVGBackend::with_string(svg, size_px).into_drawing_area();
    root.fill(&WHITE)?;
    let (above, rest) = root.split_vertically(PANEL_PX);
    let (middle, below) = rest.split_vertically(PANEL_PX);
    draw_errors(&above, runs, duration_s)?;
    draw_distances(&middle, runs, duration_s)?;
    legend.draw(&below, Sign::PlainLine)?;
    root.present()?;
    Ok(())
}

fn draw_errors(area: &Area, runs: &[Run], duration_s: f64) -> Drawn {
    let errors = runs.iter().flat_map(|r| &r.track.samples).flat_map(|s| s.normalised).map(f64::abs);
    let [least, most] = ends(errors.filter(|e| *e >= MIN_ERROR), [MIN_ERROR, 1.0]);
    let mut chart = ChartBuilder::on(area)
        .caption("normalised projection errors |Ψ| / (|Δ| |tangent|); dashed: exp(−K t)", font(TITLE_PX))
        .margin(10)
        .margin_right(24)
        .x_label_area_size(56)
        .y_label_area_size(86)
        .build_cartesian_2d(0.0..duration_s, (0.5 * least..2.0 * most).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .label_style(font(LABEL_PX))
        .axis_desc_style(font(LABEL_PX))
        .y_label_formatter(&|y: &f64| format!("{y:.0e}"))
        .x_desc("t, s")
        .draw()?;
    for (k, run) in runs.iter().enumerate() {
        for i in 0..4 {
            let errors = run.track.samples.iter().step_by(step(run)).map(|s| (s.t_s, s.normalised[i].abs()));
            let points: Vec<(f64, f64)> = errors.filter(|(_, e)| *e >= least).collect();
            chart.draw_series([PathElement::new(points, colour(k))])?;
        }
        let first = run.track.samples.first().map_or(0.0, |s| s.normalised.iter().fold(0.0f64, |a, b| a.max(b.abs())));
        let times = (0..=400).map(|j| f64::from(j) / 400.0 * duration_s);
        let fall = times.map(|t| (t, first * (-run.gain_per_s * t).exp()));
        let points: Vec<(f64, f64)> = fall.filter(|(_, e)| *e >= least).collect();
        chart.draw_series([DashedPathElement::new(points, 6, 5, colour(k))])?;
    }
    Ok(())
}

fn draw_distances(area: &Area, runs: &[Run], duration_s: f64) -> Drawn {
    let known = runs.iter().flat_map(|r| &r.track.samples).map(|s| s.sigma_m).filter(|s| s.is_finite());
    let [least, most] = ends(known, [0.0, 1.0]);
    let room = (0.06 * (most - least)).max(1e-3 * most.abs()).max(1e-9);
    let mut chart = ChartBuilder::on(area)
        .caption("extremal distance, negative in penetration", font(TITLE_PX))
        .margin(10)
        .margin_right(24)
        .x_label_area_size(56)
        .y_label_area_size(86)
        .build_cartesian_2d(0.0..duration_s, least - room..most + room)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .label_style(font(LABEL_PX))
        .axis_desc_style(font(LABEL_PX))
        .x_desc("t, s")
        .y_desc("m")
        .draw()?;
    for (k, run) in runs.iter().enumerate() {
        let samples: Vec<_> = run.track.samples.iter().step_by(step(run)).collect();
        // Lines have a gap at times at which the pair is lost.
        for part in samples.split(|s| !s.sigma_m.is_finite()) {
            let points: Vec<(f64, f64)> = part.iter().map(|s| (s.t_s, s.sigma_m)).collect();
            let style = colour(k).stroke_width(2);
            match dashes(k) {
                None => chart.draw_series([PathElement::new(points, style)])?,
                Some([dash, gap]) => chart.draw_series([DashedPathElement::new(points, dash, gap, style)])?,
            };
        }
    }
    Ok(())
}

/// The stride between drawn samples of a run.
fn step(run: &Run) -> usize {
    run.track.samples.len().div_ceil(MAX_POINTS).max(1)
}

/// The smallest and the largest of some numbers; `otherwise` if there are none.
fn ends(values: impl Iterator<Item = f64>, otherwise: [f64; 2]) -> [f64; 2] {
    let none = [f64::INFINITY, f64::NEG_INFINITY];
    let [least, most] = values.fold(none, |[lo, hi], v| [lo.min(v), hi.max(v)]);
    if least <= most { [least, most] } else { otherwise }
}
