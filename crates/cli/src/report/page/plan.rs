//! The sections of the plans of an audit: verdict, distances, limits and joints of each.

use super::distance;
use super::results::{motion, table};
use super::run::plot;
use crate::audit::joints::Extremes;
use crate::picture::Unit;
use crate::report::plans::Plan;
use firstcontact::Result;
use maud::{Markup, html};

/// Maximum number of intervals beyond a limit that a row lists.
const MAX_PARTS: usize = 4;

/// The identifier of the section of all plans.
pub const ID: &str = "plans";

fn id(plan: &Plan) -> String {
    format!("plan-{}", plan.answer.motion)
}

/// The sections of all plans; `figures` are the motions in the view.
///
/// # Errors
/// A plot cannot be drawn.
pub fn sections(plans: &[Plan], figures: &[(usize, String)]) -> Result<Markup> {
    let sections = plans.iter().map(|plan| section(plan, figures)).collect::<Result<Vec<_>>>()?;
    Ok(html! {
        section id=(ID) {
            h2 { "Plans" }
            (overview(plans, figures))
        }
        @for section in &sections { (section) }
    })
}

fn overview(plans: &[Plan], figures: &[(usize, String)]) -> Markup {
    let heads = [("Plan", "number"), ("Verdict", ""), ("Contact at", "number"), ("Limits exceeded", "long"), ("", "")];
    let row = |plan: &Plan| {
        let exceeded: Vec<String> =
            plan.exceeded().map(|of| format!("{} of {}", of.quantity.name(), of.joint)).collect();
        let at = plan.answer.time().and_then(|_| plan.answer.moment()).map_or(String::new(), |at| at.in_table());
        vec![
            motion(&plan.answer, figures),
            html! { (plan.answer.verdict_in_words()) },
            html! { (at) },
            html! { (exceeded.join(", ")) },
            html! { a href={ "#" (id(plan)) } { "details" } },
        ]
    };
    table("Plans", &heads, &plans.iter().map(row).collect::<Vec<_>>())
}

/// The parts of a plan, in the order in which a person asks for them.
fn section(plan: &Plan, figures: &[(usize, String)]) -> Result<Markup> {
    let number = plan.answer.motion;
    let distances = distance::part(plan, &id(plan))?;
    let plots = plan.plots.iter().enumerate();
    let plots = plots.map(|(k, of)| plot(&format!("{}-{}-{k}", id(plan), of.id), of)).collect::<Result<Vec<_>>>()?;
    let figure = figures.iter().find(|(of, _)| *of == number);
    Ok(html! {
        section .plan id=(id(plan)) {
            h3 { "Plan " (number) ": " (plan.answer.verdict_in_words()) }
            p { "Answer: " (plan.answer.in_words()) "." }
            @if let Some((_, figure)) = figure {
                p {
                    a href={ "#" (figure) } { "Picture and caption" } " "
                    button type="button" .small hidden data-show=(figure)
                        aria-label={ "show plan " (number) " in 3-D" } {
                        "3-D"
                    }
                }
            }
            @if let Some((found, address)) = &plan.certificate {
                p { "Certificate " (number) " in this " a href=(address) { "file" } ": " (found) "." }
            }
            (distances)
            (limits(plan))
            @for plot in &plots { (plot) }
        }
    })
}

fn limits(plan: &Plan) -> Markup {
    let heads = [
        ("Joint", "name"),
        ("Quantity", ""),
        ("Limits", "number"),
        ("Least", "number"),
        ("at", "number"),
        ("Most", "number"),
        ("at", "number"),
        ("Beyond the limits", "long"),
    ];
    let time = |t: f64| in_time(plan.unit, t);
    let row = |of: &Extremes| {
        let [least, most] = of.extremes;
        let limits =
            of.limits.map_or_else(|| "–".into(), |[lower, upper]| format!("{} to {}", short(lower), short(upper)));
        let parts =
            of.beyond.iter().take(MAX_PARTS).map(|[from, until]| format!("{} to {}", time(*from), time(*until)));
        let more = of.beyond.len().saturating_sub(MAX_PARTS);
        let more = (more > 0).then(|| format!("{more} more"));
        let parts: Vec<String> = parts.chain(more).collect();
        vec![
            html! { (of.joint) },
            html! { (of.quantity.name()) ", " (of.unit) },
            html! { (limits) },
            html! { (short(least.1)) },
            html! { (time(least.0)) },
            html! { (short(most.1)) },
            html! { (time(most.0)) },
            html! { (parts.join(", ")) },
        ]
    };
    let rows: Vec<_> = plan.extremes.iter().map(row).collect();
    let summary = match (plan.exceeded().count(), plan.extremes.iter().any(|of| of.limits.is_some())) {
        (0, true) => html! { "No limit is exceeded." },
        (0, false) => html! { "The robot's file has no limits for these joints." },
        _ => html! { strong { "Limits are exceeded." } },
    };
    html! {
        p {
            (summary)
            @if plan.unit != Unit::Seconds { " The plan has no times, so it defines no velocities and accelerations." }
        }
        @for jumps in &plan.jumps {
            p .note {
                "The velocity of " (jumps.joint) " jumps at " (jumps.n)
                @if jumps.n == 1 { " point" } @else { " points" }
                ", by up to " (short(jumps.largest.1)) " " (jumps.unit) " at " (time(jumps.largest.0))
                ": no robot follows this exactly."
            }
        }
        (table(&format!("Limits of plan {}", plan.answer.motion), &heads, &rows))
    }
}

/// A time in its unit.
fn in_time(unit: Unit, time: f64) -> String {
    match unit {
        Unit::Seconds => format!("{time:.4} s"),
        Unit::Segments | Unit::Motion => format!("{time:.4}"),
    }
}

/// A number with the digits that a person reads.
fn short(value: f64) -> String {
    if value.abs() >= 1e9 {
        return format!("{value:e}");
    }
    let rounded = format!("{value:.4}");
    let trimmed = rounded.trim_end_matches('0').trim_end_matches('.');
    if trimmed == "-0" { "0".into() } else { trimmed.into() }
}
