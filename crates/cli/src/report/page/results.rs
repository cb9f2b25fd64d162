//! The sections of results of `check`: verdicts, contacts, undecided motions, and the tested conditions.

use super::results_id;
use crate::bench::markdown;
use crate::report::answer::{Answer, Side};
use crate::report::findings::{Counts, Findings};
use crate::report::results::Results;
use maud::{Markup, html};

/// Maximum number of pairs of link and object on the page.
const MAX_PAIRS: usize = 200;

fn number(n: u64) -> String {
    markdown::grouped(n as f64, 0)
}

/// Identifiers and names of the sections below the view.
pub fn contents(i: usize, results: &Results) -> Vec<(String, &'static str)> {
    let mut sections = Vec::new();
    let mut add = |is_there: bool, id: &str, name| {
        if is_there {
            sections.push((format!("{}-{id}", results_id(i)), name));
        }
    };
    add(!results.findings.pairs().is_empty(), "pairs", "What touches what");
    add(!results.findings.contacts.is_empty(), "contacts", "First contacts");
    add(!results.findings.undecided.is_empty(), "undecided", "Undecided motions");
    add(true, "tested", "Inputs and options");
    sections
}

/// The verdicts in numbers.
pub fn summary(i: usize, results: &Results, has_heading: bool) -> Markup {
    let counts = &results.findings.counts;
    let card = |class: &str, n: u64, name: &str, more: Vec<String>| {
        html! {
            li class=(class) {
                strong { (number(n)) } " " (name)
                @for line in more.iter().filter(|line| !line.is_empty()) { " " small { (line) } }
            }
        }
    };
    html! {
        section .summary id=(results_id(i)) {
            @if has_heading { h2 { (results.title) } }
            ul .cards {
                (card("all", counts.motions, if counts.motions == 1 { "motion" } else { "motions" }, Vec::new()))
                (card("free", counts.free, "free", vec![if counts.free > 0 { "proved".into() } else { String::new() }]))
                (card("contact", counts.contact, "contact", of_contacts(counts)))
                (card("undecided", counts.undecided, "undecided", reasons(&results.findings)))
            }
            (shares(counts))
            @for note in &results.notes { p .note { (note) } }
        }
    }
}

fn of_contacts(counts: &Counts) -> Vec<String> {
    let of = |n: u64, what: &str| if n > 0 { format!("{} {what}", number(n)) } else { String::new() };
    vec![
        of(counts.certified, "certified"),
        of(counts.proved.saturating_sub(counts.certified), "proved"),
        of(counts.contact.saturating_sub(counts.proved), "possible"),
        of(counts.at_start, "at the start"),
    ]
}

fn reasons(findings: &Findings) -> Vec<String> {
    findings.reasons.iter().map(|(reason, n)| format!("{}: {}", reason, number(*n))).collect()
}

/// A bar of the shares of the verdicts.
fn shares(counts: &Counts) -> Markup {
    let parts = [("free", counts.free), ("contact", counts.contact), ("undecided", counts.undecided)];
    let share = |n: u64| 100.0 * n as f64 / counts.motions.max(1) as f64;
    let words: Vec<String> = parts.iter().map(|(name, n)| format!("{:.1} % {name}", share(*n))).collect();
    html! {
        @if counts.motions > 0 {
            div .shares role="img" aria-label=(words.join(", ")) {
                @for (name, n) in parts.iter().filter(|(_, n)| *n > 0) {
                    span class=(name) style={ "flex-grow:" (n) } title={ (format!("{:.1} %", share(*n))) " " (name) } {}
                }
            }
        }
    }
}

/// The tables below the view; `figures` are the motions in the view.
pub fn tables(i: usize, results: &Results, figures: &[(usize, String)]) -> Markup {
    let findings = &results.findings;
    let id = |name: &str| format!("{}-{name}", results_id(i));
    html! {
        @if !findings.pairs().is_empty() { section id=(id("pairs")) { (pairs(findings, figures)) } }
        @if !findings.contacts.is_empty() { section id=(id("contacts")) { (contacts(findings, figures)) } }
        @if !findings.undecided.is_empty() { section id=(id("undecided")) { (undecided(findings, figures)) } }
        section id=(id("tested")) {
            h2 { "Inputs and options" }
            pre .wrapped { code { (results.command) } }
            dl {
                @for (name, text) in &results.facts { dt { (name) } dd { (text) } }
            }
            @if !results.tested.is_empty() {
                h3 { "Tested conditions" }
                ul { @for line in &results.tested { li { (line) } } }
            }
        }
    }
}

/// A table that scrolls within itself if it is wider or longer than its place.
pub fn table(name: &str, heads: &[(&str, &str)], rows: &[Vec<Markup>]) -> Markup {
    html! {
        div .scroll .tall tabindex="0" role="region" aria-label=(name) {
            table {
                thead { tr { @for (head, class) in heads { th scope="col" class=(class) { (head) } } } }
                tbody {
                    @for row in rows {
                        tr { @for (cell, (_, class)) in row.iter().zip(heads) { td class=(class) { (cell) } } }
                    }
                }
            }
        }
    }
}

/// A name with line-break opportunities after each of its parts.
fn name(text: &str) -> Markup {
    html! {
        @for part in text.split_inclusive(['_', '/', '-', '.', ':']) { (part) wbr; }
    }
}

/// The number of a motion; if the motion is in the view, a button that leads to it.
pub fn motion(answer: &Answer, figures: &[(usize, String)]) -> Markup {
    let figure = figures.iter().find(|(number, _)| *number == answer.motion);
    html! {
        (answer.motion)
        @if let Some(problem) = &answer.problem { " " small { (problem) } }
        @if let Some((_, figure)) = figure {
            @let label = format!("show motion {} in 3-D", answer.motion);
            " " button type="button" .small hidden data-show=(figure) aria-label=(label) { "3-D" }
        }
    }
}

fn time(answer: &Answer) -> String {
    if answer.initial_overlap {
        "at the start".into()
    } else {
        answer.moment().map_or(String::new(), |moment| moment.in_table())
    }
}

fn pairs(findings: &Findings, figures: &[(usize, String)]) -> Markup {
    let heads = [
        ("Link", "name"),
        ("touches", "name"),
        ("Motions", "number"),
        ("at the start", "number"),
        ("Earliest", "number"),
        ("in motion", "number"),
    ];
    let pairs = findings.pairs();
    let row = |((a, b), pair): &(&(String, String), &crate::report::findings::Pair)| {
        vec![
            name(a),
            name(b),
            html! { (number(pair.motions)) },
            html! { (number(pair.at_start)) },
            html! { (time(&pair.earliest)) },
            motion(&pair.earliest, figures),
        ]
    };
    let rows: Vec<Vec<Markup>> = pairs.iter().take(MAX_PAIRS).map(row).collect();
    html! {
        h2 { "What touches what" }
        p {
            "Each motion counts once, for its first contact. "
            @if pairs.len() > rows.len() {
                (number(rows.len() as u64)) " of " (number(pairs.len() as u64))
                " pairs are listed, those with most motions."
            }
        }
        (table("What touches what", &heads, &rows))
    }
}

/// The meaning of the times of answers.
fn times(answers: &[Answer]) -> String {
    let has = |is: fn(&Answer) -> bool| answers.iter().any(is);
    let kinds = [
        (has(|of| of.time_s.is_none() && of.segment.is_none()), "a share of the motion, from 0 to 1"),
        (has(|of| of.time_s.is_none() && of.segment.is_some()), "a segment and a share of it, from 0 to 1"),
        (has(|of| of.time_s.is_some()), "in seconds on the trajectory's clock"),
    ];
    let kinds: Vec<&str> = kinds.into_iter().filter(|(is_there, _)| *is_there).map(|(_, kind)| kind).collect();
    format!("The time is {}", kinds.join(", or "))
}

fn contacts(findings: &Findings, figures: &[(usize, String)]) -> Markup {
    let heads = [
        ("Motion", "number"),
        ("Time", "number"),
        ("Link", "name"),
        ("touches", "name"),
        ("Features", ""),
        ("Certainty", ""),
        ("Point (m)", ""),
    ];
    let side = |side: &Option<Side>| side.as_ref().map_or_else(Markup::default, |s| name(s.name()));
    let row = |a: &Answer| {
        let features = a.a.as_ref().zip(a.b.as_ref());
        let features = features.map_or(String::new(), |(a, b)| format!("{}, {}", a.feature_text(), b.feature_text()));
        let certainty = match (a.certified, a.proved) {
            (true, _) => "certified",
            (false, true) => "proved",
            (false, false) => "possible",
        };
        let point = a.point.map_or(String::new(), |[x, y, z]| format!("{x:.4}, {y:.4}, {z:.4}"));
        vec![
            motion(a, figures),
            html! { (time(a)) },
            side(&a.a),
            side(&a.b),
            html! { (features) },
            html! { (certainty) },
            html! { (point) },
        ]
    };
    let rows: Vec<Vec<Markup>> = findings.contacts.iter().map(row).collect();
    html! {
        h2 { "First contacts" }
        p {
            (times(&findings.contacts)) "; before it nothing touches. "
            @if findings.counts.contact > rows.len() as u64 {
                "The " (number(rows.len() as u64)) " earliest of " (number(findings.counts.contact))
                " contacts are listed; the results have all."
            }
        }
        (table("First contacts", &heads, &rows))
    }
}

fn undecided(findings: &Findings, figures: &[(usize, String)]) -> Markup {
    let heads = [("Motion", "number"), ("Free until", "number"), ("Reason", "")];
    let row = |a: &Answer| {
        vec![
            motion(a, figures),
            html! { (a.moment().map_or(String::new(), |moment| moment.in_table())) },
            html! { (a.reason.as_deref().unwrap_or_default()) },
        ]
    };
    let rows: Vec<Vec<Markup>> = findings.undecided.iter().map(row).collect();
    html! {
        h2 { "Undecided motions" }
        p {
            "The search ended before it found a contact or proved that there is none. Treat these motions as not free. "
            @if findings.counts.undecided > rows.len() as u64 {
                (number(rows.len() as u64)) " of " (number(findings.counts.undecided))
                " are listed, those that are proved free for the shortest time."
            }
        }
        (table("Undecided motions", &heads, &rows))
    }
}
