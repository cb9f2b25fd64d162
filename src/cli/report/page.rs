//! The page: one file of HTML that asks nothing of a network, and that its own policy would not let.

use super::views::{SetView, Views};
use crate::cli::bench::machine::Machine;
use crate::cli::bench::run::{Cell, Plot, Run, Samples, Table};
use crate::cli::bench::{chart, markdown};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use firstcontact::Result;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("viewer/style.css");
const THREE: &str = include_str!("viewer/three.min.js");
const VIEWER: &str = include_str!("viewer/viewer.js");
/// Whatever stands on the page, browsers load nothing from elsewhere for it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; \
                      base-uri 'none'; form-action 'none'";

/// What a page is called if the caller does not say it.
pub fn title(asked: Option<&str>, runs: &[Run]) -> String {
    match (asked, runs) {
        (Some(title), _) => title.into(),
        (None, [run]) => run.title.clone(),
        (None, _) => "Measurements of firstcontact".into(),
    }
}

/// The page.
///
/// # Errors
/// A plot cannot be drawn.
pub fn html(title: &str, runs: &[Run], views: &Views) -> Result<String> {
    let sections = runs.iter().enumerate().map(|(i, run)| section(i, run)).collect::<Result<Vec<_>>>()?;
    let has_views = !views.sets.is_empty();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header { h1 { (title) } }
                (contents(runs, has_views || !views.notes.is_empty()))
                @for section in &sections { (section) }
                @if has_views || !views.notes.is_empty() { (motions(views)) }
                @if has_views {
                    @for (i, set) in views.sets.iter().enumerate() {
                        // Text that is no script: browsers keep it and do nothing with it.
                        script type="text/plain" id=(glb_id(i)) { (PreEscaped(BASE64_STANDARD.encode(&set.glb.bytes))) }
                    }
                    script { (PreEscaped(THREE)) }
                    script { (PreEscaped(VIEWER)) }
                }
            }
        }
    };
    Ok(page.into_string())
}

fn contents(runs: &[Run], has_motions: bool) -> Markup {
    html! {
        nav aria-label="Contents" {
            ul {
                @for (i, run) in runs.iter().enumerate() {
                    li {
                        a href={ "#" (run_id(i)) } { (run.title) }
                        ul {
                            @for (k, table) in run.tables.iter().enumerate() {
                                li { a href={ "#" (run_id(i)) "-table-" (k) } { (table.title) } }
                            }
                            @for (k, plot) in run.plots.iter().enumerate() {
                                li { a href={ "#" (run_id(i)) "-plot-" (k) } { (plot.title) } }
                            }
                        }
                    }
                }
                @if has_motions { li { a href="#motions" { "Motions in three dimensions" } } }
            }
        }
    }
}

fn section(i: usize, run: &Run) -> Result<Markup> {
    let plots = run.plots.iter().enumerate().map(|(k, p)| plot(&format!("{}-plot-{k}", run_id(i)), p));
    let plots = plots.collect::<Result<Vec<_>>>()?;
    Ok(html! {
        section id=(run_id(i)) {
            h2 { (run.title) }
            pre { code { (run.command) } }
            @for note in &run.notes { p { (sentence(note)) } }
            @for (k, t) in run.tables.iter().enumerate() { (table(&format!("{}-table-{k}", run_id(i)), t)) }
            @for plot in &plots { (plot) }
            (samples(&run.samples))
            (place(run))
        }
    })
}

fn table(id: &str, table: &Table) -> Markup {
    let is_number = |k: usize| table.rows.iter().any(|row| matches!(row.get(k), Some(Cell::Number(_))));
    let numbers: Vec<bool> = (0..table.columns.len()).map(is_number).collect();
    let class = |k: usize| numbers.get(k).copied().unwrap_or(false).then_some("number");
    html! {
        h3 id=(id) { (table.title) }
        @if !table.note.is_empty() { p .note { (sentence(&table.note)) } }
        div .scroll tabindex="0" role="region" aria-label=(table.title) {
            table {
                thead { tr {
                    @for (k, column) in table.columns.iter().enumerate() {
                        th scope="col" class=[class(k)] {
                            (column.name)
                            @if !column.unit.is_empty() { " " small { (column.unit) } }
                        }
                    }
                } }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (k, (cell, column)) in row.iter().zip(&table.columns).enumerate() {
                                td class=[class(k).or_else(|| is_long(cell).then_some("long"))] { (shown(cell, column.digits)) }
                            }
                        }
                    }
                }
            }
        }
        @if table.columns.iter().any(|c| !c.about.is_empty()) {
            details {
                summary { "What the columns are" }
                dl {
                    @for column in table.columns.iter().filter(|c| !c.about.is_empty()) {
                        dt { (column.name) } dd { (column.about) }
                    }
                }
            }
        }
    }
}

/// A sentence of a run: what stands between two `**` is strong, between two backquotes code, as in its Markdown file.
fn sentence(text: &str) -> Markup {
    html! {
        @for (part, is_strong) in spans(text, "**") {
            @if is_strong { strong { (part) } } @else {
                @for (part, is_code) in spans(part, "`") {
                    @if is_code { code { (part) } } @else { (part) }
                }
            }
        }
    }
}

/// The parts of a text, and whether each stands between two marks; a mark without a second one is text.
fn spans<'t>(text: &'t str, mark: &str) -> Vec<(&'t str, bool)> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some((before, (within, after))) =
        rest.split_once(mark).and_then(|(before, after)| after.split_once(mark).map(|within| (before, within)))
    {
        parts.extend([(before, false), (within, true)]);
        rest = after;
    }
    parts.push((rest, false));
    parts
}

/// Cells stay on one line, unless they are texts longer than this.
const LONG: usize = 48;

fn is_long(cell: &Cell) -> bool {
    matches!(cell, Cell::Text(text) if text.chars().count() > LONG)
}

fn shown(cell: &Cell, digits: usize) -> String {
    match cell {
        Cell::Number(x) => markdown::grouped(*x, digits),
        Cell::Text(text) => text.clone(),
        Cell::Empty => String::new(),
    }
}

fn plot(id: &str, plot: &Plot) -> Result<Markup> {
    let svg = chart::svg(plot)?;
    // A page takes the element alone.
    let svg = svg.find("<svg").map_or("", |at| &svg[at..]);
    Ok(html! {
        figure .plot id=(id) {
            div .scroll tabindex="0" role="img" aria-label=(plot.title) { (PreEscaped(svg)) }
            @if !plot.note.is_empty() { figcaption { (sentence(&plot.note)) } }
        }
    })
}

fn samples(samples: &[Samples]) -> Markup {
    let of = |s: &Samples| {
        let mut values = s.values.clone();
        values.sort_by(f64::total_cmp);
        [0.0, 0.5, 1.0].map(|share| values.get(((values.len().max(1) - 1) as f64 * share) as usize).copied())
    };
    let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:.4e}"));
    html! {
        @if !samples.is_empty() {
            details {
                summary { "Raw samples: " (samples.len()) " series; every value stands in the JSON file of the run" }
                div .scroll tabindex="0" role="region" aria-label="Raw samples" {
                    table {
                        thead { tr {
                            th scope="col" { "of" } th scope="col" { "unit" }
                            @for head in ["values", "least", "median", "most"] { th .number scope="col" { (head) } }
                        } }
                        tbody {
                            @for s in samples {
                                tr {
                                    td { (s.name) } td { (s.unit) } td .number { (s.values.len()) }
                                    @for x in of(s) { td .number { (number(x)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Where and with what a run was made.
fn place(run: &Run) -> Markup {
    let Machine { cpu, cores, threads, memory_bytes, os, adapters } = &run.machine;
    let v = &run.versions;
    html! {
        details open {
            summary { "Machine and versions" }
            dl {
                dt { "begun" } dd { (run.started) ", " (format!("{:.1}", run.wall_s)) " s" }
                dt { "processor" } dd { (cpu) ", " (cores) " cores, " (threads) " threads" }
                dt { "memory" } dd { (format!("{:.1}", *memory_bytes as f64 / f64::from(1u32 << 30))) " GiB" }
                dt { "system" } dd { (os) }
                @for a in adapters {
                    dt { "adapter" } dd { (a.name) " (" (a.kind) ", " (a.backend) ", " (a.driver) ")" }
                }
                dt { "firstcontact" } dd { (v.firstcontact) ", commit " (v.commit.as_deref().unwrap_or("unknown")) }
                dt { "compiler" } dd { (v.rustc) }
                dt { "seed" } dd { (run.seed) }
                @if !run.datasets.is_empty() {
                    dt { "data sets" }
                    dd { (run.datasets.iter().map(|d| d.name.as_str()).collect::<Vec<_>>().join(", ")) }
                }
            }
        }
    }
}

/// The viewer, and a picture of each motion.
fn motions(views: &Views) -> Markup {
    html! {
        section id="motions" {
            h2 { "Motions in three dimensions" }
            @for note in &views.notes { p .note { (note) } }
            @if !views.sets.is_empty() {
                (viewer(&views.sets))
                @for (i, set) in views.sets.iter().enumerate() { (gallery(i, set)) }
                p .note {
                    "In the pictures the robot stands in blue where it first touches (at the end, if the motion is free), green is the start, \
                     violet the end, light blue the volume that its line-swept spheres sweep, orange the object that is touched."
                }
            }
        }
    }
}

fn viewer(sets: &[SetView]) -> Markup {
    let all =
        || sets.iter().enumerate().flat_map(|(i, set)| set.motions.iter().enumerate().map(move |(k, m)| (i, k, m)));
    // A contact is the first thing to look at.
    let first = all().find(|(_, _, m)| m.verdict == "contact").map_or((0, 0), |(i, k, _)| (i, k));
    html! {
        p {
            "Each motion was checked anew for this page. The robot is shown where it first touches the scene, or at the start of a free \
             motion. Drag to turn, right button or two fingers to move, wheel or pinch to come nearer."
        }
        p .key {
            @for (colour, what) in
                [("#2c62b6", "robot"), ("#f09e2c", "touched object"), ("#de1628", "first contact, arrow along the normal")]
            {
                span style={ "background:" (colour) } {} (what)
            }
        }
        div #viewer {
            div .controls {
                label {
                    "Motion "
                    select data-part="motion" autocomplete="off" {
                        @for (i, set) in sets.iter().enumerate() {
                            optgroup label=(set.name) {
                                @for (k, m) in set.motions.iter().enumerate() {
                                    option value=(figure_id(i, k)) data-set=(glb_id(i)) data-animation=(k)
                                        data-figure=(figure_id(i, k)) selected[(i, k) == first]
                                        data-azimuth=[m.picture.as_ref().map(|p| p.1[0])]
                                        data-elevation=[m.picture.as_ref().map(|p| p.1[1])] {
                                        (set.name) ", motion " (m.number) ": " (m.verdict)
                                    }
                                }
                            }
                        }
                    }
                }
                label { input type="checkbox" data-part="sheer" checked autocomplete="off"; " scene see-through" }
            }
            div .stage data-part="stage" { noscript { p { "Without scripts only the pictures below are shown." } } }
            div .controls {
                button type="button" data-part="play" { "Play" }
                input type="range" data-part="time" min="0" max="1" step="any" value="0" autocomplete="off"
                    aria-label="time, as a share of the motion";
                output data-part="shown-time" { "t = 0" }
                button type="button" data-part="contact" { "First contact" }
                button type="button" data-part="reset" { "Reset view" }
            }
            p .note data-part="says" aria-live="polite" {}
        }
    }
}

fn gallery(i: usize, set: &SetView) -> Markup {
    let (shown, all) = (set.glb.scene_triangles, set.glb.of_triangles);
    html! {
        h3 { (set.name) }
        @if shown < all {
            p .note {
                "The view has " (markdown::grouped(shown as f64, 0)) " of the scene's " (markdown::grouped(all as f64, 0))
                " triangles, those of the objects that are nearest to these motions; the pictures, and the answers, have all."
            }
        }
        div .gallery {
            @for (k, m) in set.motions.iter().enumerate() {
                figure id=(figure_id(i, k)) {
                    @if let Some((png, _)) = &m.picture {
                        img alt=(m.says) width="960" height="600" src={ "data:image/png;base64," (BASE64_STANDARD.encode(png)) };
                    }
                    figcaption { (m.says) }
                    button type="button" hidden data-show=(figure_id(i, k)) { "Show in 3-D" }
                }
            }
        }
    }
}

fn run_id(i: usize) -> String {
    format!("run-{i}")
}

fn glb_id(i: usize) -> String {
    format!("glb-{i}")
}

fn figure_id(i: usize, k: usize) -> String {
    format!("motion-{i}-{k}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_marked_as_in_markdown() {
        for (text, expected) in [
            ("a **b** c `d` **e**", "a <strong>b</strong> c <code>d</code> <strong>e</strong>"),
            ("2 ** 3, `x", "2 ** 3, `x"),
            ("**<b>** `&`", "<strong>&lt;b&gt;</strong> <code>&amp;</code>"),
            ("", ""),
        ] {
            assert_eq!(sentence(text).into_string(), expected);
        }
    }

    /// Nothing within ends the element that the scripts and the style stand in.
    #[test]
    fn what_is_embedded_stays_in_its_element() {
        for text in [THREE, VIEWER, STYLE] {
            let text = text.to_ascii_lowercase();
            assert!(["</script", "<script", "<!--", "</style"].iter().all(|end| !text.contains(end)));
        }
    }
}
