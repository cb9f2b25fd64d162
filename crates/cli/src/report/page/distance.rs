//! The distances of a plan on a page: a sentence, a plot, and the nearest pairs.

use super::results::table;
use super::run::plot;
use crate::audit::distances::{Distances, Kept, Near};
use crate::report::answer::Kind;
use crate::report::plans::Plan;
use crate::rounded;
use firstcontact::Result;
use maud::{Markup, html};

/// Numbers of digits of millimetres and of times.
const DIGITS: usize = 4;
const MM_PER_M: f64 = 1e3;

/// The part of a plan's section; `id` is that of the section.
///
/// # Errors
/// The plot cannot be drawn.
pub fn part(plan: &Plan, id: &str) -> Result<Markup> {
    let of = &plan.distances;
    let plot = of.plot.as_ref().map(|of| plot(&format!("{id}-{}", of.id), of)).transpose()?;
    Ok(html! {
        (sentence(plan))
        @if let Some(plot) = &plot { (plot) }
        @if !of.pairs.is_empty() { (pairs(plan.answer.motion, of)) }
    })
}

fn sentence(plan: &Plan) -> Markup {
    match (&plan.distances.clearance, plan.answer.verdict) {
        (Some(kept), _) => clearance(kept),
        (None, Kind::Contact) if plan.answer.is_possible() => html! {
            p { "No certified clearance: the plan may touch, which is not proved." }
        },
        (None, Kind::Contact) if plan.answer.initial_overlap => html! {
            p { "No clearance: the plan begins in contact, so there is no distance to follow." }
        },
        (None, Kind::Contact) => html! { p { "No clearance: the plan touches." } },
        (None, _) => html! { p { "No certified clearance: the plan is not proved free." } },
    }
}

fn clearance(kept: &Kept) -> Markup {
    let [lo, hi] = kept.distance_m;
    match &kept.at {
        Some(Near { names: [link, other], at, .. }) => html! {
            p {
                "Clearance: " strong { (at_least(lo)) " to " (at_most(hi)) " mm" } ", certified. The nearest are "
                (link) " and " (other) " at " (at.in_words(Some(DIGITS))) "."
            }
        },
        None => html! { p { "Clearance: there is nothing to keep a distance from." } },
    }
}

fn pairs(plan: usize, of: &Distances) -> Markup {
    let heads = [("Link", "name"), ("near", "name"), ("Distance (mm)", "number"), ("at", "number")];
    let row = |near: &Near| {
        vec![
            html! { (near.names[0]) },
            html! { (near.names[1]) },
            html! { (at_most(near.distance_m)) },
            html! { (near.at.in_table()) },
        ]
    };
    let rows: Vec<Vec<Markup>> = of.pairs.iter().map(row).collect();
    html! {
        p {
            "Pairs that are nearest at a sampled time, each at the nearest of these times"
            @if of.n_pairs > rows.len() { "; the " (rows.len()) " nearest of " (of.n_pairs) }
            "."
        }
        (table(&format!("Nearest pairs of plan {plan}"), &heads, &rows))
    }
}

fn at_least(metres: f64) -> String {
    rounded::at_least(metres, MM_PER_M, DIGITS)
}

fn at_most(metres: f64) -> String {
    rounded::at_most(metres, MM_PER_M, DIGITS)
}
