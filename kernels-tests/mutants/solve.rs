//! The list: the exact stage.

use super::{Mutant, m};

const CONTRACTION: &str = "src/predicate/contraction.rs";
const ELEMENTARY: &str = "src/predicate/vf_ee.rs";
const MEETING: &str = "src/predicate/piercing.rs";
const PAIRS: &str = "src/stage/s6_solve/pairs.rs";
const SEARCH: &str = "src/stage/s6_solve/search.rs";
const EQUATION: &str = "src/stage/s6_solve/equation.rs";
const PROXIMITY: &str = "src/predicate/proximity.rs";
const LINEAR: &str = "src/stage/s6_solve/elementary.rs";
const PAPER: &str = "src/stage/s6_solve/paper.rs";
const RECORD: &str = "src/stage/s6_solve/record.rs";
const SOLVE: &str = "src/stage/s6_solve/mod.rs";
const STRAYING: &str = "s6_solve::adversary::deviations_within_the_bounds_hide_no_contact";
const APART: &str = "s6_solve::adversary::separate_features_at_rest_are_separated";
const WINDOWS: &str = "s6_solve::contraction::no_contact_is_outside_of_its_window";
const SIGN: &str = "s6_solve::certificates::a_certain_sign_holds_for_all_points_within_the_error";
const NO_SIGN: &str = "s6_solve::certificates::rounding_noise_has_no_certain_sign";
const INSIDE: &str = "s6_solve::certificates::a_certainly_inside_point_is_inside_for_all_points_within_the_error";
const NOT_INSIDE: &str = "s6_solve::certificates::rounding_noise_is_never_certainly_inside";
const SHALLOW: &str = "s6_solve::certificates::a_piercing_shallower_than_the_error_is_not_proved";
const NUMBERS: &str = "predicate::contraction::tests::nan_and_huge_numbers_hide_no_contact";
const FOUND: &str = "stage::s6_solve::search::tests::no_contact_is_before_the_reported_one";
const ENDS: &str = "stage::s6_solve::search::tests::half_widths_reach_the_ends";
const PATIENT: &str = "stage::s6_solve::search::tests::wrong_guesses_do_not_use_up_the_evaluations";
const BORDER: &str = "stage::s6_solve::equation::tests::a_root_beyond_the_border_is_rejected";
const HAIR: &str = "elementary::translations::the_smallest_distance_from_a_border_decides";
const SOLVERS: &str = "s6_solve::solvers::paper_and_jet_agree";
const SCALES: &str = "elementary::known::a_contact_is_found_at_any_scale";
const EDGE: &str = "s6_solve::published::many_turns_and_a_fall_onto_an_edge";
const MOVING: &str = "s6_solve::terms::rounding_of_a_fast_point_loses_no_contact";
const MARGIN: &str = "s6_solve::terms::slightly_above_the_margin_is_never_proved_within_it";
const LATER: &str = "s6_solve::margin::a_later_contact_proves_one_that_is_possible";
const ENDED: &str = "stage::s6_solve::tests::a_search_that_ends_early_keeps_a_possible_contact";
const BENT: &str = "trajectories::random::curves_that_bend_more_than_they_travel";
const SIZES: &str = "random_models::trees::from_millimetres_to_a_hundred_metres";
const PIERCED: &str = "s6_solve::situations::an_edge_through_a_face_at_the_start";

/// Mutants of the exact stage.
pub const MUTANTS: &[Mutant] = &[
    m("higher derivatives as rounding", PAIRS, "is_within(&motion.body_at::<0>(pair.body, mid))", "true", BENT),
    // Windows.
    m(
        "ball",
        CONTRACTION,
        "(p.ball + p.cube.norm1()) + (size.norm_bound() * T::new(PROJECTION) + nothing(size))",
        "p.cube.norm1() + size.norm_bound() * T::new(PROJECTION)",
        STRAYING,
    ),
    m(
        "cube",
        CONTRACTION,
        "(p.ball + p.cube.norm1()) + (size.norm_bound() * T::new(PROJECTION) + nothing(size))",
        "p.ball + size.norm_bound() * T::new(PROJECTION)",
        STRAYING,
    ),
    m(
        "rounding of a projection, of either side",
        CONTRACTION,
        "(p.ball + p.cube.norm1()) + (size.norm_bound() * T::new(PROJECTION) + nothing(size))",
        "p.ball + p.cube.norm1()",
        MOVING,
    ),
    m(
        "rounding of a moving point's projection",
        CONTRACTION,
        "(p.ball + p.cube.norm1()) + (size.norm_bound() * T::new(PROJECTION) + nothing(size))",
        "(p.ball + p.cube.norm1()) + size.norm_bound() * T::new(PROJECTION * 0.016)",
        MOVING,
    ),
    m(
        "error of standing points",
        CONTRACTION,
        "error + (size.norm_bound() * T::new(PROJECTION) + no_number)",
        "size.norm_bound() * T::new(PROJECTION)",
        STRAYING,
    ),
    m("margin", CONTRACTION, "length * own + margin", "length * own", STRAYING),
    m(
        "margin along the axis's own length",
        CONTRACTION,
        "length * own + margin",
        "length * own + margin * T::new(0.99)",
        STRAYING,
    ),
    m("acceleration", CONTRACTION, "(g2.max(level), (-g2).max(level))", "(level, level)", STRAYING),
    m(
        "acceleration of the right sign",
        CONTRACTION,
        "(g2.max(level), (-g2).max(level))",
        "((-g2).max(level), g2.max(level))",
        STRAYING,
    ),
    m("acceleration times h²/2", CONTRACTION, "p.c[2].times(half_hh)", "p.c[2].times(half_hh * T::new(0.5))", STRAYING),
    m(
        "what a moving point is off above",
        CONTRACTION,
        "(g0 + off, off - g0, n.dot(self.c[i][1]))",
        "(g0, off - g0, n.dot(self.c[i][1]))",
        STRAYING,
    ),
    m(
        "what a moving point is off below",
        CONTRACTION,
        "(g0 + off, off - g0, n.dot(self.c[i][1]))",
        "(g0 + off, -g0, n.dot(self.c[i][1]))",
        STRAYING,
    ),
    m("what standing points are off above", CONTRACTION, "[high + off]", "[high]", STRAYING),
    m("what standing points are off below", CONTRACTION, "[off - low]", "[-low]", STRAYING),
    m("velocity", CONTRACTION, "xs.g1[i] - ys.g1[j]", "xs.g1[i]", STRAYING),
    m("nothing is left only if both ends are so", CONTRACTION, "is_below[0] & is_below[1]", "is_below[0]", STRAYING),
    m("lines seen from the other side", CONTRACTION, "T::select(is_above, -way, way)", "way", STRAYING),
    m(
        "what is no number decides nothing",
        CONTRACTION,
        "(v.0[0] + v.0[1] + v.0[2]) * T::new(0.0)",
        "T::new(0.0)",
        NUMBERS,
    ),
    m("errors too large to be compared", CONTRACTION, "T::new(LARGEST).gt(xs.off + ys.off)", "u32::MAX", NUMBERS),
    m("speeds too large for any interval", CONTRACTION, "h.max(T::new(SHORTEST_H))", "h", NUMBERS),
    m("hull over pairs of points", CONTRACTION, "(value * s).gt(a * slope)", "(a * slope).gt(value * s)", WINDOWS),
    m("an axis of vertex and face", CONTRACTION, "n.cross(b - d)", "n", APART),
    m(
        "the axis along parallel edges",
        CONTRACTION,
        "[n, n.cross(d1), n.cross(d2), d2, across - d2.times(share)]",
        "[n, n.cross(d1), n.cross(d2), n, across - d2.times(share)]",
        APART,
    ),
    m(
        "the axis across parallel edges",
        CONTRACTION,
        "[n, n.cross(d1), n.cross(d2), d2, across - d2.times(share)]",
        "[n, n.cross(d1), n.cross(d2), d2, n]",
        APART,
    ),
    m(
        "the axis across one edge",
        CONTRACTION,
        "[n, n.cross(d1), n.cross(d2), d2, across - d2.times(share)]",
        "[n, n, n.cross(d2), d2, across - d2.times(share)]",
        APART,
    ),
    m("products of edges", CONTRACTION, "e[i].cross(f[j])", "n_x", APART),
    m("axes in the moving triangle's plane", CONTRACTION, "n_x.cross(e[i])", "n_x", APART),
    m("axes in the standing triangle's plane", CONTRACTION, "n_y.cross(f[i])", "n_y", APART),
    // Certificates.
    m("certificate (I), error of the points", ELEMENTARY, "9.6 * rad * far * far * far * (1.0 + 1e-9)", "0.0", INSIDE),
    m(
        "certificate (I), its size",
        ELEMENTARY,
        "9.6 * rad * far * far * far * (1.0 + 1e-9)",
        "0.5 * rad * far * far * far * (1.0 + 1e-9)",
        INSIDE,
    ),
    m("certificate (I), rounding", ELEMENTARY, "48.0 * f64::EPSILON * far", "0.0", NOT_INSIDE),
    m(
        "certificate (I), the face's third side",
        ELEMENTARY,
        "[on(c, d), on(d, b), on(b, c), f64::INFINITY]",
        "[on(c, d), on(d, b), f64::INFINITY, f64::INFINITY]",
        INSIDE,
    ),
    m("determinants: error of the third point", MEETING, "(n1 * n2 + ny * n1 + ny * n2)", "(ny * n1 + ny * n2)", SIGN),
    m("determinants: error of the second edge", MEETING, "(n1 * n2 + ny * n1 + ny * n2)", "(n1 * n2 + ny * n2)", SIGN),
    m("determinants: error of the first edge", MEETING, "(n1 * n2 + ny * n1 + ny * n2)", "(n1 * n2 + ny * n1)", SIGN),
    m("determinants: differences are off by twice the error", MEETING, "T::new(2.1)", "T::new(1.5)", SIGN),
    m("determinants: rounding", MEETING, "T::new(24.0 * T::UNIT)", "T::new(0.0)", NO_SIGN),
    m(
        "determinants: error of the moving points",
        MEETING,
        "x[0].ball.max(x[1].ball).max(x[2].ball).max(tri.error) + cube",
        "tri.error + cube",
        SHALLOW,
    ),
    m(
        "determinants: error of the standing points",
        MEETING,
        "x[0].ball.max(x[1].ball).max(x[2].ball).max(tri.error) + cube",
        "x[0].ball.max(x[1].ball).max(x[2].ball) + cube",
        SHALLOW,
    ),
    m(
        "determinants: cube",
        MEETING,
        "x[0].ball.max(x[1].ball).max(x[2].ball).max(tri.error) + cube",
        "x[0].ball.max(x[1].ball).max(x[2].ball).max(tri.error)",
        SHALLOW,
    ),
    m(
        "certificate (I), over all of the interval",
        EQUATION,
        "(ball + half * pair.speed(motion)) * (1.0 + 1e-12)",
        "ball",
        BORDER,
    ),
    m("certificate (I) at all", EQUATION, "is_inside(kind, &middle, self.rad)", "true", BORDER),
    m(
        "certificate (S) at all",
        EQUATION,
        "sign(kind, &points(&self.ends[1]).1, self.eps) == Some(!s)",
        "sign(kind, &points(&self.ends[1]).1, self.eps).is_some() || s",
        BORDER,
    ),
    m("rounding of straight motions", LINEAR, "4.0 * f64::EPSILON * size", "0.0 * size", SCALES),
    m(
        "speed in the certificate (I) of straight motions",
        LINEAR,
        "(self.error + half * self.speed) * (1.0 + 1e-12)",
        "self.error",
        HAIR,
    ),
    m(
        "distance to a margin: all that is off",
        PROXIMITY,
        "features::any_distance(p, q, |distance_m| distance_m + error + 64.0 * f64::EPSILON * size <= margin_m)",
        "features::any_distance(p, q, |distance_m| distance_m <= margin_m)",
        MARGIN,
    ),
    // The search.
    m(
        "nothing later than the first candidate and the width asked for was looked at",
        SEARCH,
        "near.iter().fold(first + task.eps_t, |m, c| m.min(c.0))",
        "near.iter().fold(f64::INFINITY, |m, c| m.min(c.0))",
        FOUND,
    ),
    m(
        "the lower bound is that of the earliest candidate",
        SEARCH,
        "near.iter().fold(first + task.eps_t, |m, c| m.min(c.0))",
        "near.iter().fold(0.0, |m: f64, c| m.max(c.0))",
        FOUND,
    ),
    m(
        "rounding of a window's start",
        SEARCH,
        "(a.lo.max((m + w.lo).next_down()), a.hi.min(t1).min((m + w.hi).next_up()))",
        "(a.lo.max(m + w.lo), a.hi.min(t1).min((m + w.hi).next_up()))",
        FOUND,
    ),
    m(
        "rounding of a window's end",
        SEARCH,
        "(a.lo.max((m + w.lo).next_down()), a.hi.min(t1).min((m + w.hi).next_up()))",
        "(a.lo.max((m + w.lo).next_down()), a.hi.min(t1).min((m + w.hi).next_down().next_down()))",
        FOUND,
    ),
    m(
        "rounding of the last window's start",
        SEARCH,
        "let lo = a.lo.max((m + w.lo).next_down());",
        "let lo = a.lo.max(if MUTANT { m + w.lo } else { (m + w.lo).next_down() });",
        FOUND,
    ),
    m(
        "half widths reach both ends",
        SEARCH,
        "(t1 - m).max(m - t0) * (1.0 + 2.0 * f64::EPSILON)",
        "0.5 * (t1 - t0)",
        ENDS,
    ),
    m(
        "halves of an interval share their border",
        SEARCH,
        "Active { lo: a.lo.max(at), ..*a }",
        "Active { lo: a.lo.max(at + 1e-12), ..*a }",
        FOUND,
    ),
    m("steps after wrong guesses", SEARCH, "n_wrong < PATIENCE", "n_wrong < u32::MAX", PATIENT),
    m("the cap: candidates", SEARCH, "self.candidates.iter().fold(t0, |m, c| m.min(c.0))", "t0", FOUND),
    m(
        "what is later than the first candidate, but not by the width asked for",
        SEARCH,
        "(first + eps_t).min(proof)",
        "(first - eps_t).min(proof)",
        FOUND,
    ),
    m("overlap at the start", SOLVE, "piece.t0 == 0.0", "piece.t0 < 0.0", PIERCED),
    m("start of a contact that a later one proves", SOLVE, "[earlier.toc[0], contact.toc[1]]", "contact.toc", LATER),
    m(
        "search after a contact that is possible",
        SOLVE,
        "self.possible = earlier.or(Some(contact))",
        "self.verdict = earlier.or(Some(contact)).map(Verdict::Contact)",
        LATER,
    ),
    m(
        "contact that is possible when the search ends",
        SOLVE,
        "self.possible.take().map_or(Verdict::Undecided(Undecided { clear_until, reason }), Verdict::Contact)",
        "Verdict::Undecided(Undecided { clear_until, reason })",
        ENDED,
    ),
    // The paper's solver.
    m(
        "Newton's step in the right direction",
        PAPER,
        "Window { lo: (-step.hi).max(-h), hi: (-step.lo).min(h) }",
        "Window { lo: step.lo.max(-h), hi: step.hi.min(h) }",
        SOLVERS,
    ),
    m("the parent's offset, once", PAPER, "by_rate.t[i] + (by_pose.t[i] - parent.pose.t[i])", "by_rate.t[i]", SOLVERS),
    m("outside of a feature for certain", PAPER, "x.hi < 0.0", "x.lo < 0.0", EDGE),
    m("features that are equally near", RECORD, "vec![nearest(x, y, TIE_M)]", "vec![nearest(x, y, 1e-7)]", SIZES),
];
