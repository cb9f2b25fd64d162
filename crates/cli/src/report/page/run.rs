//! The section of a run of measurements: its tables, plots and samples, and its machine.

use super::run_id;
use crate::bench::machine::Machine;
use crate::bench::run::{Cell, Plot, Run, Samples, Table};
use crate::bench::{chart, markdown};
use firstcontact::Result;
use maud::{Markup, PreEscaped, html};

/// The section of run `i`.
///
/// # Errors
/// A plot cannot be drawn.
pub fn section(i: usize, run: &Run) -> Result<Markup> {
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
                                @let long = is_long(cell).then_some("long");
                                td class=[long.or_else(|| class(k))] { (shown(cell, column.digits)) }
                            }
                        }
                    }
                }
            }
        }
        @if table.columns.iter().any(|c| !c.about.is_empty()) {
            details {
                summary { "Columns" }
                dl {
                    @for column in table.columns.iter().filter(|c| !c.about.is_empty()) {
                        dt { (column.name) } dd { (column.about) }
                    }
                }
            }
        }
    }
}

/// A sentence of a run: text between two `**` is strong, text between two backquotes is code, as in its Markdown file.
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

/// The parts of a text, and whether each is between two marks; a mark without a second one is text.
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

/// Maximum number of characters of a text that stays on one line, like all other cells.
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

/// A plot as a figure.
///
/// # Errors
/// It cannot be drawn.
pub fn plot(id: &str, plot: &Plot) -> Result<Markup> {
    let svg = chart::svg(plot)?;
    // Only the element is inserted into a page.
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
                summary { "Raw samples: " (samples.len()) " series; all values are in the JSON file of the run" }
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

/// The machine and the versions of a run.
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
}
