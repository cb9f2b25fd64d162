//! The list: extremal distances.

use super::{Mutant, m};

const TRACKER: &str = "src/extremal/tracker.rs";
const EQUATIONS: &str = "src/extremal/equations.rs";
const FIRST_CONTACT: &str = "src/extremal/contact.rs";
const TOO_LONG: &str = "extremal::boundaries::the_effects_of_too_long_steps_are_reported";
const SPHERES: &str = "extremal::boundaries::pairs_of_spheres_are_extremal_until_their_centres_meet";
const TRACK: &str = "crates/cli/src/track.rs";
const USED_UP: &str = "cli::track::contact_is_enclosed_and_sets_the_exit_code";
const WALL: &str = "extremal::contact::another_wall_is_not_overlooked";
const SINGULAR: &str = "extremal::defects::projections_are_singular_in_contact_and_the_normal_form_is_not";

/// Mutants of the tracker of extremal distances.
pub const MUTANTS: &[Mutant] = &[
    // The tracker of extremal distances: reported failures.
    m(
        "errors of a start that do not decay",
        TRACKER,
        "to_s - since_s > PATIENCE / tracker.settings.gain_per_s",
        "false",
        TOO_LONG,
    ),
    m(
        "errors that have grown again",
        TRACKER,
        "if error > DIVERGED {\n                return Err(Lost::Diverged { error });",
        "if error > DIVERGED && !MUTANT {\n                return Err(Lost::Diverged { error });",
        TOO_LONG,
    ),
    m("a jump of the distance", TRACKER, "by_m.abs() > JUMP * pair.size_m()", "false", TOO_LONG),
    m("pivots that are nothing but rounding", TRACKER, "solved.pivot_ratio >= MIN_PIVOT", "true", SINGULAR),
    m(
        "pairs deeper than both radii of curvature",
        EQUATIONS,
        "by(Body::B) || by(Body::A) || self.is_gap_maximum()",
        "by(Body::B) || by(Body::A)",
        SPHERES,
    ),
    m(
        "a local pair is enough for convex bodies alone",
        FIRST_CONTACT,
        "[&pair.a, &pair.b].iter().all(|s| matches!(s, Shape::Ellipsoid(_)))",
        "true",
        WALL,
    ),
    m("steps that are used up", TRACK, "*clear_until_s < duration_s", "false", USED_UP),
];
