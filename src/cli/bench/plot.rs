//! Bars of milliseconds on a logarithmic scale, as SVG.

use super::ablation::Row;
use firstcontact::{Error, Result};
use plotters::prelude::*;
use std::fmt::Display;

const WIDTH_PX: u32 = 1100;
const PANEL_PX: u32 = 360;

/// One panel for each device; a group of bars for each data set, angle and kind of motion, a bar for each choice of stages.
pub fn bars(rows: &[Row]) -> Result<String> {
    let trouble = |e: &dyn Display| Error::usage(format!("the plot failed: {e}"));
    let distinct = |of: fn(&Row) -> String| {
        let mut all: Vec<String> = Vec::new();
        rows.iter().map(of).for_each(|x| {
            if !all.contains(&x) {
                all.push(x)
            }
        });
        all
    };
    let group = |r: &Row| format!("{} {}° {}", r.dataset, r.theta_max_deg, if r.colliding { "hit" } else { "free" });
    let (devices, groups, stages) = (distinct(|r| r.device.clone()), distinct(group), distinct(|r| r.stages.clone()));
    let (least, most) =
        rows.iter().fold((f64::INFINITY, 0.0f64), |(lo, hi), r| (lo.min(r.total_ms), hi.max(r.total_ms)));
    let (low, high) = (0.5 * least.max(1e-6), 2.0 * most.max(1e-5));
    let mut svg = String::new();
    {
        let root =
            SVGBackend::with_string(&mut svg, (WIDTH_PX, PANEL_PX * devices.len().max(1) as u32)).into_drawing_area();
        root.fill(&WHITE).map_err(|e| trouble(&e))?;
        for (panel, device) in root.split_evenly((devices.len().max(1), 1)).iter().zip(&devices) {
            let mut chart = ChartBuilder::on(panel)
                .caption(format!("ms a motion, {device}"), ("sans-serif", 18))
                .margin(8)
                .x_label_area_size(28)
                .y_label_area_size(64)
                .build_cartesian_2d(0.0..groups.len() as f64, (low..high).log_scale())
                .map_err(|e| trouble(&e))?;
            // Half way between two whole numbers stands a group's name.
            let label = |x: &f64| {
                let name = groups.get(x.floor() as usize).cloned();
                name.filter(|_| (x.fract() - 0.5).abs() < 1e-6).unwrap_or_default()
            };
            let mut mesh = chart.configure_mesh();
            mesh.disable_x_mesh().x_labels(2 * groups.len() + 1);
            mesh.x_label_formatter(&label);
            mesh.draw().map_err(|e| trouble(&e))?;
            for (k, stage) in stages.iter().enumerate() {
                let colour = Palette99::pick(k).mix(0.9);
                let width = 0.8 / stages.len() as f64;
                let of_stage = rows.iter().filter(|r| r.device == *device && r.stages == *stage);
                let bars = of_stage.map(|r| {
                    let at = groups.iter().position(|g| *g == group(r)).unwrap_or(0) as f64;
                    let x = at + 0.1 + k as f64 * width;
                    Rectangle::new([(x, low), (x + width, r.total_ms.max(low))], colour.filled())
                });
                let series = chart.draw_series(bars).map_err(|e| trouble(&e))?;
                series
                    .label(stage.as_str())
                    .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 10, y + 5)], colour.filled()));
            }
            let mut legend = chart.configure_series_labels();
            legend.background_style(WHITE.mix(0.8)).position(SeriesLabelPosition::UpperLeft);
            legend.draw().map_err(|e| trouble(&e))?;
        }
        root.present().map_err(|e| trouble(&e))?;
    }
    Ok(svg)
}
