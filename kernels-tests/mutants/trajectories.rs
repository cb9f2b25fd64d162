//! The list: trajectories.

use super::{Mutant, m};

const CHAIN: &str = "src/enclosure/chain_bounds.rs";
const RATES: &str = "src/enclosure/derivative_bounds.rs";
const MODEL: &str = "src/robot/model_motion.rs";
const RELATIVE: &str = "src/robot/relative_motion.rs";
const SPAN: &str = "src/robot/trajectory/span.rs";
const ENGINE: &str = "src/engine/trajectory.rs";
const IN_BALL: &str = "robot::pose_bounds::tests::balls_contain_joints_that_deviate";
const SEEN: &str = "robot::relative_motion::tests::balls_contain_joints_that_deviate";
const CHORDS: &str = "robot::trajectory::tests::the_deviation_of_a_chord_holds_and_is_attained";
const PLACES: &str = "robot::trajectory::tests::places_and_times";
const HERMITE: &str = "robot::trajectory::tests::hermite_segments_have_their_derivatives";
const HIGHEST: &str = "engine::trajectory::tests::highest_points_near_the_wall";
const TUBES: &str = "engine::trajectory::tests::tolerances_of_joints_bring_the_contact_forward";
const FREE: &str = "engine::trajectory::tests::segments_of_free_bodies_are_never_cut";
const CLEARANCE: &str = "src/engine/clearance.rs";
const BOUNDARY: &str = "engine::clearance::tests::clearances_ignore_what_checks_ignore";
const WITHIN_TOLERANCE: &str = "engine::trajectory::tests::tolerances_do_not_ignore_pairs";
const FLOATING: &str = "engine::clearance::tests::a_free_root_whose_pairs_exceed_the_memory";
const SWING: &str = "engine::clearance::tests::an_arm_that_swings_past_a_wall";
const RANDOM: &str = "clearance::random::random_splines";
const SPANS: &str = "src/engine/gpu_backend/trajectories.rs";
const FIRST_SPAN: &str = "engine::gpu_backend::trajectories::tests::a_search_ends_at_the_first_span_that_may_touch";
const ON_DEVICE: &str = "trajectories::planted::blades_on_the_gpu";
const PHASE: &str = "src/robot/phase.rs";
const RANDOM_PHASES: &str = "robot::phase::tests::values_and_bounds_of_random_polynomials";
const TERMS: &str = "robot::phase::tests::chains::every_term_of_the_remainder_is_needed";
const FORMS: &str = "robot::phase::tests::chains::interval_matrices_and_lanes_contain_the_paths";
const RELATIVES: &str = "robot::phase::tests::chains::relative_motions_of_joints_with_phases";
const START: &str = "engine::trajectory::tests::contacts_at_the_start";
const IGNORED: &str = "engine::trajectory::tests::ignored_pairs_are_those_of_the_trajectory";
const STILL: &str = "engine::trajectory::tests::contacts_while_standing_still_at_the_start";
const STEPS: &str = "engine::trajectory::tests::steps_below_the_rounding_of_the_travel_are_searched";
const BLOCKS: &str = "s1_concat::balls_of_blocks_hold_the_motion_in_all_of_the_block";

/// Mutants of trajectories.
pub const MUTANTS: &[Mutant] = &[
    m("angular acceleration in the remainder", RATES, "T::new(3.0) * w1 * w2", "w1 * w2", TERMS),
    m("angular jerk in the remainder", RATES, "o3 + w3", "o3", TERMS),
    m("angular acceleration of a slide", RATES, "three * o2 * s1", "T::new(0.0)", TERMS),
    m("acceleration of a slide", RATES, "three * b1 * s2", "T::new(0.0)", TERMS),
    m(
        "jerk of a slide",
        RATES,
        "= (turn_rad, slide_m, offset_max_m);",
        "= (turn_rad, if MUTANT { [slide_m[0], slide_m[1], T::new(0.0)] } else { slide_m }, offset_max_m);",
        TERMS,
    ),
    m("derivatives in their range", PHASE, "hi.max(-lo)", "hi.min(-lo)", TERMS),
    m("each part of the time", MODEL, "bounds.0.into_iter().fold(0.0, f64::max)", "bounds.0[0]", TERMS),
    m(
        "later halves of the time",
        PHASE,
        "later[n - level] = b[n];",
        "later[n - level] = if MUTANT { b[n - level] } else { b[n] };",
        RANDOM_PHASES,
    ),
    m("phases in an interval of time", PHASE, "0.5 * h * r2", "0.0 * r2", FORMS),
    m(
        "offsets that slide back",
        RELATIVE,
        "before = Some(body);",
        "before = if MUTANT { None } else { Some(body) };",
        RELATIVES,
    ),
    m("deviation of earlier joints", CHAIN, "before.stray_slope * offset_max + by.slide_m", "by.slide_m", IN_BALL),
    m(
        "deviation of a slide",
        CHAIN,
        "before.stray_slope * offset_max + by.slide_m",
        "before.stray_slope * offset_max",
        IN_BALL,
    ),
    m("deviation of a turn", CHAIN, "before.stray_slope + by.turn_rad", "before.stray_slope", IN_BALL),
    m("deviation in the ball", CHAIN, "r[1] + e[1] + self.stray_slope", "r[1] + e[1]", IN_BALL),
    m("deviation in interval matrices", CHAIN, "(slope + self.stray_slope)", "slope", IN_BALL),
    m("deviation in interval matrices of a device", CHAIN, "(slope + self.stray_slope)", "slope", BLOCKS),
    m("slides in interval matrices", CHAIN, "constant + self.margin_m + self.stray_m", "constant", BLOCKS),
    m(
        "deviation of the next joint's offset",
        RELATIVE,
        "Deviation { slide_m: strayed_m, ..deviation }",
        "Deviation { slide_m: 0.0, ..deviation }",
        SEEN,
    ),
    m(
        "deviation of both offsets",
        RELATIVE,
        "deviation.slide_m += strayed_m;",
        "deviation.slide_m += 0.0 * strayed_m;",
        SEEN,
    ),
    m("coefficients between the ends", SPAN, "(b - chord).abs()", "0.0 * (b - chord).abs()", CHORDS),
    m("part of a segment", SPAN, "if is_cut {", "if is_cut && !MUTANT {", CHORDS),
    m(
        "a boundary belongs to the earlier segment",
        SPAN,
        "self.knot(middle + 1) >= u",
        "self.knot(middle + 1) > u",
        PLACES,
    ),
    m(
        "times outwards",
        SPAN,
        "(from + (until - from) * t + outward).min(until)",
        "from + (until - from) * t - outward",
        PLACES,
    ),
    m("rounding of a time", SPAN, "if later { 1.0 + OUTWARD } else { 1.0 - OUTWARD }", "1.0", PLACES),
    m("acceleration at the end", "src/robot/trajectory.rs", "a1[c] * twentieth", "0.0 * a1[c]", HERMITE),
    m("deviation of a spline", ENGINE, "span.deviation[c] + span.rounding[c]", "span.rounding[c]", HIGHEST),
    m("segments of free joints are whole", ENGINE, "is_motion || self.keeps_segments", "is_motion", FREE),
    m("tolerance of a joint", ENGINE, "tube.get(c).unwrap_or(&0.0)", "&0.0", TUBES),
    m(
        "proofs of the nominal motion",
        ENGINE,
        "self.tube = &[];",
        "self.tube = if MUTANT { self.tube } else { &[] };",
        TUBES,
    ),
    m("pairs that are ignored", ENGINE, "self.find_ignored()?;", "if !MUTANT { self.find_ignored()?; }", START),
    m(
        "pairs that another engine ignores",
        ENGINE,
        "self.scratch.forget_motion();",
        "if !MUTANT { self.scratch.forget_motion(); }",
        IGNORED,
    ),
    m("ignored pairs of a single motion", ENGINE, "self.tube.is_empty() && self.is_motion(whole)", "false", BOUNDARY),
    m(
        "ignored pairs without the tolerance",
        ENGINE,
        "self.tube.is_empty() && self.is_motion(whole)",
        "self.is_motion(whole)",
        WITHIN_TOLERANCE,
    ),
    m(
        "the start of a segment that cannot be cut",
        CLEARANCE,
        "Event::Ended(at, _) if march.keeps_segments()",
        "Event::Ended(at, _) if march.keeps_segments() && !MUTANT",
        FLOATING,
    ),
    m("a first segment at rest", SPAN, "u >= until && !is_start", "u >= until", STILL),
    m(
        "segments below the rounding of the travel",
        SPAN,
        "!self.has_no_width(other) || !self.moves(other)",
        "!self.has_no_width(other) || true",
        STEPS,
    ),
    m("lower bound of a clearance", CLEARANCE, "self.answer(lowest_m)", "self.answer(upper_m)", SWING),
    m(
        "the rest of a trajectory",
        CLEARANCE,
        "            u = at;",
        "            u = if MUTANT { 1.0 } else { at };",
        RANDOM,
    ),
    m(
        "deviations on a device",
        "src/engine/core.rs",
        "to.set_deviations(motions.deviations(i).iter().copied());",
        "",
        ON_DEVICE,
    ),
    m("a span that may touch", SPANS, "!is_free", "false", FIRST_SPAN),
    m("spans after one that may touch", SPANS, "usize::from(!self.may_touch)", "1", FIRST_SPAN),
];
