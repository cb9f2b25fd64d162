//! Plots of measurements as SVG: lines, points or bars, on linear or logarithmic axes, with a legend below them.

use super::run::{Axis, Plot, PlotKind};
use crate::colour::{colour, dashes, mark};
use crate::legend::{Area, Drawn, LABEL_PX, Legend, Sign, TITLE_PX, WIDTH_PX, font};
use firstcontact::{Error, Result};
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;

/// Height without the legend, pixels.
const HEIGHT_PX: u32 = 440;
/// Height of a line of a category name below the bars, pixels.
const LINE_PX: i32 = 18;

type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<Scale, Scale>>;

/// The plot as the text of an SVG file.
///
/// # Errors
/// The plotting library fails.
pub fn svg(plot: &Plot) -> Result<String> {
    let mut text = String::new();
    draw(&mut text, plot).map_err(|e| Error::usage(format!("the plot failed: {e}")).at(&plot.id))?;
    Ok(text)
}

fn draw(text: &mut String, plot: &Plot) -> Drawn {
    let legend = Legend::new(plot.series.iter().map(|s| s.name.as_str()));
    let root = SVGBackend::with_string(text, (WIDTH_PX, HEIGHT_PX + legend.height_px())).into_drawing_area();
    root.fill(&WHITE)?;
    let (above, below) = root.split_vertically(HEIGHT_PX);
    let mut chart = with_axes(&above, plot)?;
    if plot.has_bars() {
        name_categories(&root, &chart, plot)?;
    }
    for k in 0..plot.series.len() {
        match plot.kind {
            PlotKind::Lines | PlotKind::Curves => draw_line(&mut chart, plot, k)?,
            PlotKind::Points => draw_marks(&mut chart, plot.places(k), k)?,
            PlotKind::Bars => draw_bars(&mut chart, plot, k)?,
        }
    }
    legend.draw(&below, plot.kind.sign())?;
    root.present()?;
    Ok(())
}

/// A chart with the axes of a plot, drawn in an area.
fn with_axes<'a>(area: &Area<'a>, plot: &Plot) -> std::result::Result<Chart<'a>, Box<dyn std::error::Error>> {
    let bars = plot.has_bars();
    let names_px = plot.categories.iter().map(|c| c.split(' ').count()).max().unwrap_or(0) as u32 * LINE_PX as u32;
    let [x, y] = plot.scales();
    let mut chart = ChartBuilder::on(area)
        .caption(&plot.title, font(TITLE_PX))
        .margin(10)
        .margin_right(24)
        .x_label_area_size(if bars { 10 + names_px } else { 56 })
        .y_label_area_size(86)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .label_style(font(LABEL_PX))
        .axis_desc_style(font(LABEL_PX))
        .x_desc(if bars { "" } else { plot.x.label.as_str() })
        .y_desc(plot.y.label.as_str())
        .x_label_formatter(&|v| if bars { String::new() } else { label(plot.x.value(*v)) })
        .y_label_formatter(&|v| label(plot.y.value(*v)))
        .draw()?;
    Ok(chart)
}

/// Draws series `k` as a line, with marks if the plot has them.
fn draw_line(chart: &mut Chart, plot: &Plot, k: usize) -> Drawn {
    let (points, style) = (plot.places(k), colour(k).stroke_width(2));
    match dashes(k) {
        None => chart.draw_series([PathElement::new(points.clone(), style)])?,
        Some([dash, gap]) => chart.draw_series([DashedPathElement::new(points.clone(), dash, gap, style)])?,
    };
    if plot.kind == PlotKind::Lines { draw_marks(chart, points, k) } else { Ok(()) }
}

/// Draws the mark of series `k` at points.
fn draw_marks(chart: &mut Chart, points: Vec<(f64, f64)>, k: usize) -> Drawn {
    chart.draw_series(points.into_iter().map(|p| EmptyElement::at(p) + Polygon::new(mark(k), colour(k))))?;
    Ok(())
}

/// Draws series `k` as bars, next to the bars of the other series.
fn draw_bars(chart: &mut Chart, plot: &Plot, k: usize) -> Drawn {
    let least = chart.y_range().start;
    let width = 0.84 / plot.series.len() as f64;
    let left = |x: f64| x + 0.08 + k as f64 * width;
    let bar = |(x, y): (f64, f64)| Rectangle::new([(left(x), least), (left(x) + width, y)], colour(k).filled());
    chart.draw_series(plot.places(k).into_iter().map(bar))?;
    Ok(())
}

/// Draws the names of the bars below them, one word per line.
fn name_categories<'a>(root: &Area<'a>, chart: &Chart<'a>, plot: &Plot) -> Drawn {
    let below = chart.y_range().start;
    let centred = font(LABEL_PX).into_text_style(root).pos(Pos::new(HPos::Center, VPos::Top));
    for (i, name) in plot.categories.iter().enumerate() {
        let (x, y) = chart.backend_coord(&(i as f64 + 0.5, below));
        for (line, word) in name.split(' ').enumerate() {
            root.draw_text(word, &centred, (x, y + 7 + line as i32 * LINE_PX))?;
        }
    }
    Ok(())
}

impl Plot {
    fn has_bars(&self) -> bool {
        self.kind == PlotKind::Bars
    }

    /// Returns whether both axes can represent a point; others are omitted.
    fn shows(&self, [x, y]: &[f64; 2]) -> bool {
        self.x.shows(*x) && self.y.shows(*y)
    }

    /// The positions of the points of series `k`.
    fn places(&self, k: usize) -> Vec<(f64, f64)> {
        let shown = self.series[k].points.iter().filter(|p| self.shows(p));
        shown.map(|p| (self.x.place(p[0]), self.y.place(p[1]))).collect()
    }

    /// The ranges of both axes, which contain all series.
    fn scales(&self) -> [Scale; 2] {
        let shown = || self.series.iter().flat_map(|s| &s.points).filter(|p| self.shows(p));
        let x = if self.has_bars() {
            Scale { range: 0.0..self.categories.len().max(1) as f64, ticks: Vec::new() }
        } else {
            Scale::new(&self.x, shown().map(|p| p[0]), false)
        };
        [x, Scale::new(&self.y, shown().map(|p| p[1]), self.has_bars())]
    }
}

impl PlotKind {
    /// The sign of a series in the legend.
    fn sign(self) -> Sign {
        match self {
            Self::Lines => Sign::Line,
            Self::Curves => Sign::PlainLine,
            Self::Points => Sign::Point,
            Self::Bars => Sign::Patch,
        }
    }
}

impl Axis {
    /// Returns whether the axis can represent a value: a logarithmic one cannot represent zero and below.
    fn shows(&self, value: f64) -> bool {
        !(self.log && value <= 0.0)
    }

    /// The position of a value on the axis.
    fn place(&self, value: f64) -> f64 {
        if self.log { value.log10() } else { value }
    }

    /// The value at a position.
    fn value(&self, place: f64) -> f64 {
        if self.log { 10f64.powf(place) } else { place }
    }
}

/// The range of an axis, in positions.
struct Scale {
    range: Range<f64>,
    ticks: Vec<f64>,
}

impl Scale {
    /// A range for all values; bars on a linear axis begin at zero.
    fn new(axis: &Axis, values: impl Iterator<Item = f64>, bars: bool) -> Self {
        let places = values.map(|v| axis.place(v)).chain((bars && !axis.log).then_some(0.0));
        let (lo, hi) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), p| (lo.min(p), hi.max(p)));
        // An empty plot still has axes.
        let (lo, hi) = if lo <= hi { (lo, hi) } else { (0.0, 1.0) };
        let room = if axis.log { 0.03 + 0.03 * (hi - lo) } else { (0.05 * (hi - lo)).max(1e-3 * hi.abs()).max(1e-9) };
        let from = if bars && !axis.log && lo == 0.0 { 0.0 } else { lo - room };
        // Bars of the smallest value remain visible.
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

/// Powers of ten in a range of exponents, and their multiples if these are few.
fn decades(range: &Range<f64>) -> Vec<f64> {
    let (first, last) = (range.start.floor() as i32, range.end.ceil() as i32);
    let factors: &[f64] = match range.end - range.start {
        ..0.5 => &[1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
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

/// A short form of a number.
fn label(value: f64) -> String {
    let size = value.abs();
    // Rounding noise in the last digits is not displayed.
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    if size == 0.0 || (1e-3..1e6).contains(&size) { format!("{rounded}") } else { format!("{rounded:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::run::Series;

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(steps(&(0.0..10.0)), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(decades(&(-0.1..6.1)), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let close = decades(&(-0.1..1.1)).iter().map(|t| label(10f64.powf(*t))).collect::<Vec<_>>();
        assert_eq!(close, ["1", "2", "5", "10"]);
        assert_eq!([1e7, 0.0, 1e-5, 0.30000000000000004].map(label), ["1e7", "0", "1e-5", "0.3"]);
        assert!(decades(&(2.1..2.5)).len() >= 2);
        // Ranges that are practically empty.
        assert!(steps(&(5.0..5.0)).len() <= 20 && steps(&(0.0..1e-300)).len() <= 20);
    }

    fn plot(kind: PlotKind, n: usize) -> Plot {
        let axis = |log| Axis { label: "ms a motion".into(), log };
        let point = |k: usize, x: usize| [x as f64 + 1.0, 10f64.powf(0.3 * k as f64 - 2.0) * (x + 1) as f64];
        let series = (0..n).map(|k| Series {
            name: format!("series {k} with a name that has some words"),
            points: (0..4).map(|x| point(k, x)).collect(),
        });
        Plot {
            id: "p".into(),
            title: "A plot".into(),
            note: String::new(),
            kind,
            x: axis(false),
            y: axis(true),
            series: series.collect(),
            categories: (0..4).map(|i| format!("category {i}")).collect(),
        }
    }

    /// All numbers in an attribute of an element: coordinates of points are in pairs.
    fn numbers(node: &roxmltree::Node, name: &str) -> Vec<f64> {
        let text = node.attribute(name).unwrap_or_default();
        text.split([' ', ',']).filter_map(|t| t.parse().ok()).collect()
    }

    /// For any number of series, the legend is below the axes, everything is within the picture, and letters are as
    /// large as on a page of text.
    #[test]
    fn legends_are_below_and_letters_large() {
        for kind in [PlotKind::Lines, PlotKind::Curves, PlotKind::Points, PlotKind::Bars] {
            for n in [1, 4, 9, 30] {
                let text = svg(&plot(kind, n)).unwrap();
                let document = roxmltree::Document::parse(&text).unwrap();
                let root = document.root_element();
                let [width, height] = ["width", "height"].map(|name| numbers(&root, name)[0]);
                assert_eq!(width, f64::from(WIDTH_PX));
                let named = |node: &roxmltree::Node| node.text().is_some_and(|t| t.trim().starts_with("series"));
                let names: Vec<_> = root.descendants().filter(|d| d.is_element() && named(d)).collect();
                assert_eq!(names.len(), n);
                for name in &names {
                    let [x, y] = ["x", "y"].map(|of| numbers(name, of)[0]);
                    assert!(y >= f64::from(HEIGHT_PX) && y < height && x < width, "{x}, {y} of {width}, {height}");
                }
                for text in root.descendants().filter(|d| d.tag_name().name() == "text") {
                    assert!(numbers(&text, "font-size")[0] >= 13.5, "{:?}", text.text());
                }
                // A curve is above the legend, and a sign of the legend below the axes.
                for line in root.descendants().filter(|d| d.tag_name().name() == "polyline") {
                    let ys = numbers(&line, "points").into_iter().skip(1).step_by(2);
                    let above: Vec<bool> = ys.map(|y| y < f64::from(HEIGHT_PX)).collect();
                    assert!(above.iter().all(|is| *is == above[0]), "{kind:?}, {n}: {line:?}");
                }
            }
        }
    }

    /// The values span most of an axis.
    #[test]
    fn axes_fit_the_values() {
        for (log, values) in [(false, [3.0, 90.0]), (true, [3.0, 90.0]), (true, [4e-5, 2e6]), (false, [-1e-3, 1e-3])] {
            let axis = Axis { label: String::new(), log };
            let scale = Scale::new(&axis, values.into_iter(), false);
            let taken = (axis.place(values[1]) - axis.place(values[0])) / (scale.range.end - scale.range.start);
            assert!((0.85..1.0).contains(&taken), "{values:?}: {taken}");
            assert!(scale.ticks.len() >= 2, "{values:?}: {:?}", scale.ticks);
        }
    }

    /// Up to the maximum number of series, all series look different.
    #[test]
    fn series_look_different() {
        let look = |k: usize| (format!("{:?}", colour(k)), dashes(k), mark(k));
        for k in 0..27 {
            assert!((0..k).all(|other| look(other) != look(k)), "{k}");
        }
    }
}
