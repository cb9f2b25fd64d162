//! Lines through points, as SVG.

use firstcontact::{Error, Result};
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::prelude::*;
use std::fmt::Display;

const WIDTH_PX: u32 = 900;
const PANEL_PX: u32 = 380;

/// A line.
pub struct Series {
    /// What it is called.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
}

/// A plot of some lines.
pub struct Panel {
    /// What it shows.
    pub title: &'static str,
    /// Whether both scales are logarithmic.
    pub log: bool,
    /// The lines.
    pub series: Vec<Series>,
}

fn trouble(e: &dyn Display) -> Error {
    Error::usage(format!("the plot failed: {e}"))
}

/// Plots below each other.
pub fn panels(all: &[Panel]) -> Result<String> {
    let mut svg = String::new();
    {
        let size = (WIDTH_PX, PANEL_PX * all.len().max(1) as u32);
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE).map_err(|e| trouble(&e))?;
        for (area, panel) in root.split_evenly((all.len().max(1), 1)).iter().zip(all) {
            let points = panel.series.iter().flat_map(|s| &s.points);
            let start = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
            let (lo, hi) =
                points.fold(start, |(lo, hi), &(x, y)| ([lo[0].min(x), lo[1].min(y)], [hi[0].max(x), hi[1].max(y)]));
            if !(lo[0] <= hi[0]) {
                continue;
            }
            let mut chart = ChartBuilder::on(area);
            chart.caption(panel.title, ("sans-serif", 18)).margin(8).x_label_area_size(28).y_label_area_size(64);
            let [x, y] = [0, 1].map(|k| lo[k] * 0.9..hi[k] * 1.1);
            if panel.log {
                draw(chart.build_cartesian_2d(x.log_scale(), y.log_scale()).map_err(|e| trouble(&e))?, panel)?;
            } else {
                draw(chart.build_cartesian_2d(x, y).map_err(|e| trouble(&e))?, panel)?;
            }
        }
        root.present().map_err(|e| trouble(&e))?;
    }
    Ok(svg)
}

fn draw<'a, X, Y>(mut chart: ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>, panel: &Panel) -> Result<()>
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    chart.configure_mesh().draw().map_err(|e| trouble(&e))?;
    for (k, series) in panel.series.iter().enumerate() {
        let colour = Palette99::pick(k).mix(0.9);
        let line = PathElement::new(series.points.clone(), colour.stroke_width(2));
        chart
            .draw_series([line])
            .map_err(|e| trouble(&e))?
            .label(series.name.as_str())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 14, y)], colour.stroke_width(2)));
    }
    let mut legend = chart.configure_series_labels();
    legend.background_style(WHITE.mix(0.8)).position(SeriesLabelPosition::UpperLeft);
    legend.draw().map_err(|e| trouble(&e))
}
