//! Draws the plots of measurements, as SVG: lines, points or bars, on linear or logarithmic axes, with a legend beside them.

use super::run::{Axis, Plot, PlotKind, Series};
use crate::cli::colour::colour;
use firstcontact::{Error, Result};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;

const HEIGHT_PX: u32 = 420;
const CHART_PX: u32 = 720;
const FONT: &str = "sans-serif";
/// Height of a line of the legend or of a name below the bars, pixels.
const LINE_PX: i32 = 17;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<Scale, Scale>>;
type Drawn = std::result::Result<(), Box<dyn std::error::Error>>;

/// The plot as the text of an SVG file.
///
/// # Errors
/// The library that draws fails.
pub fn svg(plot: &Plot) -> Result<String> {
    let mut text = String::new();
    draw(&mut text, plot).map_err(|e| Error::usage(format!("the plot failed: {e}")).at(&plot.id))?;
    Ok(text)
}

fn draw(text: &mut String, plot: &Plot) -> Drawn {
    let longest = plot.series.iter().map(|s| s.name.chars().count()).max().unwrap_or(0);
    let root =
        SVGBackend::with_string(text, (CHART_PX + 50 + 7 * longest.max(8) as u32, HEIGHT_PX)).into_drawing_area();
    root.fill(&WHITE)?;
    let (left, legend) = root.split_horizontally(CHART_PX);
    let bars = plot.kind == PlotKind::Bars;
    // What a logarithmic axis has no room for is left out.
    let shown = |p: &[f64; 2]| !(plot.x.log && p[0] <= 0.0 || plot.y.log && p[1] <= 0.0);
    let of = |k: usize| plot.series.iter().flat_map(|s| &s.points).filter(|p| shown(p)).map(move |p| p[k]);
    let x = if bars {
        Scale { range: 0.0..plot.categories.len().max(1) as f64, ticks: Vec::new() }
    } else {
        Scale::new(&plot.x, of(0), false)
    };
    let y = Scale::new(&plot.y, of(1), bars);
    let below = y.range.start;
    let names_px = plot.categories.iter().map(|c| c.split(' ').count()).max().unwrap_or(0) as u32 * LINE_PX as u32;
    let mut chart = ChartBuilder::on(&left)
        .caption(&plot.title, (FONT, 17))
        .margin(10)
        .x_label_area_size(if bars { 8 + names_px } else { 46 })
        .y_label_area_size(72)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc(if bars { "" } else { plot.x.label.as_str() })
        .y_desc(plot.y.label.as_str())
        .x_label_formatter(&|v| if bars { String::new() } else { label(plot.x.value(*v)) })
        .y_label_formatter(&|v| label(plot.y.value(*v)))
        .draw()?;
    if bars {
        name_categories(&root, &chart, plot, below)?;
    }
    for (k, series) in plot.series.iter().enumerate() {
        let points = series.points.iter().filter(|p| shown(p)).map(|p| (plot.x.place(p[0]), plot.y.place(p[1])));
        let (points, colour) = (points.collect::<Vec<_>>(), colour(k));
        match plot.kind {
            PlotKind::Lines => {
                chart.draw_series([PathElement::new(points.clone(), colour.stroke_width(2))])?;
                chart.draw_series(points.into_iter().map(|p| Circle::new(p, 3, colour.filled())))?;
            }
            PlotKind::Points => {
                chart.draw_series(points.into_iter().map(|p| Circle::new(p, 3, colour.filled())))?;
            }
            PlotKind::Bars => {
                let width = 0.84 / plot.series.len() as f64;
                let left = |x: f64| x + 0.08 + k as f64 * width;
                let bar =
                    |(x, y): (f64, f64)| Rectangle::new([(left(x), below), (left(x) + width, y)], colour.filled());
                chart.draw_series(points.into_iter().map(bar))?;
            }
        }
    }
    name_series(&legend, &plot.series)?;
    root.present()?;
    Ok(())
}

/// The names of bars below them, a word on each line.
fn name_categories<'a>(root: &Area<'a>, chart: &Chart<'a>, plot: &Plot, below: f64) -> Drawn {
    let centred = (FONT, 12).into_text_style(root).pos(Pos::new(HPos::Center, VPos::Top));
    for (i, name) in plot.categories.iter().enumerate() {
        let (x, y) = chart.backend_coord(&(i as f64 + 0.5, below));
        for (line, word) in name.split(' ').enumerate() {
            root.draw_text(word, &centred, (x, y + 6 + line as i32 * LINE_PX))?;
        }
    }
    Ok(())
}

/// The legend.
fn name_series(area: &Area, series: &[Series]) -> Drawn {
    let style = (FONT, 12).into_text_style(area);
    for (k, each) in series.iter().enumerate() {
        let y = 44 + k as i32 * LINE_PX;
        area.draw(&Rectangle::new([(6, y), (18, y + 10)], colour(k).filled()))?;
        area.draw_text(&each.name, &style, (24, y))?;
    }
    Ok(())
}

impl Axis {
    /// Where on the axis a value stands.
    fn place(&self, value: f64) -> f64 {
        if self.log { value.log10() } else { value }
    }

    /// What stands at a place.
    fn value(&self, place: f64) -> f64 {
        if self.log { 10f64.powf(place) } else { place }
    }
}

/// What an axis shows, in places of it.
struct Scale {
    range: Range<f64>,
    ticks: Vec<f64>,
}

impl Scale {
    /// Room for all values; bars on a linear axis begin at zero.
    fn new(axis: &Axis, values: impl Iterator<Item = f64>, bars: bool) -> Self {
        let places = values.map(|v| axis.place(v)).chain((bars && !axis.log).then_some(0.0));
        let (lo, hi) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), p| (lo.min(p), hi.max(p)));
        // Nothing to show is shown as well.
        let (lo, hi) = if lo <= hi { (lo, hi) } else { (0.0, 1.0) };
        let room = if axis.log { 0.08 + 0.04 * (hi - lo) } else { (0.05 * (hi - lo)).max(1e-3 * hi.abs()).max(1e-9) };
        let from = if bars && !axis.log && lo == 0.0 { 0.0 } else { lo - room };
        // Bars of the least value are seen too.
        let range = if bars && axis.log { from - 0.3..hi + room } else { from..hi + room };
        let ticks = if axis.log { decades(&range) } else { steps(&range) };
        Self { range, ticks }
    }
}

impl Ranged for Scale {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, pixels: (i32, i32)) -> i32 {
        let share = (place - self.range.start) / (self.range.end - self.range.start);
        pixels.0 + (share * f64::from(pixels.1 - pixels.0)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, _: H) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// Powers of ten in a range of exponents, and multiples of them where these are few.
fn decades(range: &Range<f64>) -> Vec<f64> {
    let (first, last) = (range.start.floor() as i32, range.end.ceil() as i32);
    let factors: &[f64] = match range.end - range.start {
        ..1.0 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
        ..3.0 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let every = ((last - first) / 10).max(1) as usize;
    let all = (first..=last).step_by(every).flat_map(|e| factors.iter().map(move |f| f64::from(e) + f.log10()));
    all.filter(|t| range.contains(t)).collect()
}

/// About seven round numbers in a range.
fn steps(range: &Range<f64>) -> Vec<f64> {
    let raw = (range.end - range.start) / 7.0;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|f| f * power).into_iter().find(|s| *s >= raw).unwrap_or(power);
    let (first, last) = ((range.start / step).ceil() as i64, (range.end / step).floor() as i64);
    (first..=last).take(20).map(|i| i as f64 * step).collect()
}

/// A number in few signs.
fn label(value: f64) -> String {
    let size = value.abs();
    // Noise of the last digits is not shown.
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    if size == 0.0 || (1e-3..1e6).contains(&size) { format!("{rounded}") } else { format!("{rounded:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(steps(&(0.0..10.0)), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(decades(&(-0.1..6.1)), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let close = decades(&(-0.1..1.1)).iter().map(|t| label(10f64.powf(*t))).collect::<Vec<_>>();
        assert_eq!(close, ["1", "2", "5", "10"]);
        assert_eq!([1e7, 0.0, 1e-5, 0.30000000000000004].map(label), ["1e7", "0", "1e-5", "0.3"]);
        assert!(decades(&(2.1..2.5)).len() >= 2);
        // Ranges that are as good as empty.
        assert!(steps(&(5.0..5.0)).len() <= 20 && steps(&(0.0..1e-300)).len() <= 20);
    }
}
