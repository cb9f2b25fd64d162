//! The list: term, file, expression, what takes its place, the test that must fail.

use super::Mutant;

const fn m(term: &'static str, file: &'static str, old: &'static str, new: &'static str, test: &'static str) -> Mutant {
    Mutant { term, file, old, new, test }
}

const TRIG: &str = "src/numeric/trig.rs";
const INTERVAL: &str = "src/numeric/interval.rs";
const JOINT: &str = "src/motion/joint.rs";
const POSE: &str = "src/numeric/pose_bound.rs";
const BLOCK: &str = "src/numeric/pose_block.rs";
const CONTRACTION: &str = "src/numeric/contraction.rs";
const ELEMENTARY: &str = "src/numeric/elementary.rs";
const MEETING: &str = "src/numeric/meeting.rs";
const OVERLAP: &str = "src/numeric/obb_overlap.rs";
const SEARCH: &str = "src/stage/s6_solve/search.rs";
const EQUATION: &str = "src/stage/s6_solve/equation.rs";
const LINEAR: &str = "src/stage/s6_solve/elementary.rs";
const PAIR: &str = "src/stage/s6_solve/pair.rs";
const PAPER: &str = "src/stage/s6_solve/paper.rs";
const MAPS: &str = "src/stage/s4_sweep/paper/maps.rs";
const DESCENT: &str = "src/stage/s5_pairs/descent.rs";
const MOVING_LINK: &str = "src/stage/s5_pairs/moving.rs";
const REFINEMENT: &str = "src/stage/s5_pairs/refinement.rs";
const REST: &str = "src/stage/s5_pairs/rest.rs";
const SEPARATION: &str = "src/numeric/separation.rs";
const NORMALS: &str = "src/numeric/normals.rs";
const PAIRS_OF_SLABS: &str = "src/stage/s5_pairs.rs";
const CULL: &str = "src/stage/s3_cull.rs";
const SOLVE: &str = "src/stage/s6_solve/mod.rs";

const COVER: &str = "src/toleranced/motion.rs";
const BEZIER: &str = "src/toleranced/bezier.rs";
const METRIC: &str = "src/toleranced/metric.rs";
const FAT: &str = "src/toleranced/elementary.rs";
const PLANE: &str = "src/toleranced/plane.rs";
const CHECKER: &str = "src/toleranced/checker/mod.rs";

const STRAY: &str = "src/motion/toleranced.rs";
const CONCAT: &str = "src/stage/s1_concat.rs";
const TRACKER: &str = "src/extremal/tracker.rs";
const EQUATIONS: &str = "src/extremal/equations.rs";
const FIRST_CONTACT: &str = "src/extremal/contact.rs";

const TREE: &str = "src/model/tree.rs";
const TREE_CACHE: &str = "src/model/tree_cache.rs";
const NODES: &str = "src/gpu/nodes.rs";
const PAGES: &str = "src/gpu/pages.rs";
const CHUNK: &str = "src/engine/gpu/chunk.rs";

const NO_TREE: &str = "model::tree::tests::what_is_no_tree_is_told";
const CHANGED: &str = "model::tree_cache::tests::any_byte_that_changes_is_noticed";
const OF_ANOTHER: &str = "model::tree_cache::tests::keys_differ_by_all_that_trees_depend_on";
const READ_EXACTLY: &str =
    "gpu::nodes::tests::boxes_hold_what_they_stand_for_and_little_more_and_are_read_without_error";
const PAGED: &str = "pages::pages_give_the_pairs_of_the_whole";
const QUEUED: &str = "pages::overflowing_queues_lose_nothing_on_any_page";

const NEEDED: &str = "s1_concat::each_part_of_the_ball_of_displacements_is_needed";
const BALLS: &str = "s1_concat::balls_of_displacements_contain_the_motion_however_f32_rounds";
const SPANS: &str = "s1_concat::balls_of_blocks_hold_the_motion_in_all_of_the_block";
const TOO_LONG: &str = "extremal::boundaries::what_steps_too_long_lead_to_is_named";
const SPHERES: &str = "extremal::boundaries::pairs_of_spheres_are_extremal_until_their_centres_meet";
const WALL: &str = "extremal::contact::another_wall_is_not_overlooked";
const SINGULAR: &str = "extremal::defects::projections_are_singular_in_contact_and_the_normal_form_is_not";

const TURNS: &str = "toleranced::balls::balls_of_bezier_motions_contain_them";
const CIRCLE: &str = "toleranced::bezier::tests::a_turn_stays_on_its_circle";
const LINKS: &str = "toleranced::balls::balls_of_articulated_motions_contain_them";
const ORBITS: &str = "toleranced::orbits::orbits_stay_in_their_fat_bodies";
const HOLD: &str = "toleranced::certificates::certificates_hold";
const SIDES: &str = "toleranced::plane::tests::a_plane_has_two_sides";
const AGREED: &str = "toleranced::agreement::no_certificate_where_a_contact_is_proved";
const TAMPERED: &str = "toleranced::certificates::what_was_tampered_with_is_refused";
const ATTAINED: &str = "s6_solve::terms::derivatives_are_within_their_bounds_and_attain_them";
const ROUNDING: &str = "s6_solve::terms::each_part_of_the_rounding_bound_is_needed_and_holds";
const RANGES: &str = "s6_solve::terms::ranges_of_sine_and_cosine_hold_all_angles";
const OUTWARD: &str = "s6_solve::terms::interval_operations_are_outward";
const C4: &str = "motion::model_motion::tests::jets_of_the_reference_chain";
const STRAYING: &str = "s6_solve::adversary::no_straying_hides_a_contact";
const APART: &str = "s6_solve::adversary::what_is_apart_at_rest_is_told_apart";
const WINDOWS: &str = "s6_solve::contraction::no_contact_is_outside_of_its_window";
const SIGN: &str = "s6_solve::certificates::a_certain_sign_holds_for_all_points_within_the_error";
const NO_SIGN: &str = "s6_solve::certificates::rounding_has_no_certain_sign";
const INSIDE: &str = "s6_solve::certificates::what_is_inside_is_so_for_all_points_within_the_error";
const NOT_INSIDE: &str = "s6_solve::certificates::rounding_is_not_inside";
const SHALLOW: &str = "s6_solve::certificates::an_error_of_any_shape_hides_a_shallow_piercing";
const NUMBERS: &str = "numeric::contraction::tests::no_size_of_numbers_hides_a_contact";
const FOUND: &str = "stage::s6_solve::search::tests::nothing_touches_before_what_is_found";
const ENDS: &str = "stage::s6_solve::search::tests::half_widths_reach_the_ends";
const RANGE_AT_REST: &str = "obb::boxes_at_rest_stay_in_their_ranges_however_f32_rounds";
const BENDING: &str = "s5_pairs::what_is_met_because_paths_bend_is_kept";
const CULLED: &str = "s3_cull::reference_drops_only_what_is_free";
const PAIRS: &str = "s5_pairs::reference_drops_only_what_is_free";
const TURN_BACK: &str = "s5_pairs::paths::what_is_met_because_paths_turn_back_is_kept";
const SHIFTED: &str = "s5_pairs::a_shifted_bound_holds_however_f32_rounds";
const PASSED: &str = "s5_pairs::paths::all_that_a_point_passes_is_kept";
const COMES_AGAIN: &str = "s5_pairs::paths::what_passes_by_and_comes_again_is_kept";
const AT_LIMIT: &str = "s5_pairs::paths::what_touches_at_the_limit_is_found_again";
const SURFACE: &str = "s4_sweep_raster::soundness::the_papers_surface_drops_only_what_is_free";
const SWEPT_MARGIN: &str = "s4_sweep_raster::soundness::what_comes_within_the_margin_stays";
const BORDER: &str = "stage::s6_solve::equation::tests::a_root_beyond_the_border_is_none";
const HAIR: &str = "elementary::translations::a_hair_decides_at_a_border";
const SPECIFIED: &str = "random_models::trees::the_stored_motion_is_the_specified_one";
const SOLVERS: &str = "s6_solve::solvers::paper_and_jet_agree";
const BOXES: &str = "obb::boxes_that_touch_are_never_called_apart";
const SCALES: &str = "elementary::known::a_contact_is_found_at_any_scale";
const EDGE: &str = "s6_solve::published::many_turns_and_a_fall_onto_an_edge";
const BOXES_AT_REST: &str = "obb::boxes_at_rest_that_touch_are_never_called_apart_however_f32_rounds";
const UNWRAPPED: &str = "motion::joint::tests::a_revolute_joint_runs_linearly_and_does_not_wrap";
const BOTH_ENDS: &str = "motion::joint::tests::a_free_joint_meets_both_ends";
const TAIL: &str = "numeric::trig::tests::the_tail_of_the_product_is_kept";
const SINES: &str = "numeric::trig::tests::published_values";
const JETS: &str = "s1_concat::f64_jets_stay_within_their_rounding_bound";
const BLOCKS: &str = "obb::bounds_of_blocks_hold";
const SIGNS: &str = "numeric::interval::tests::products_of_all_signs";
const MOVING: &str = "s6_solve::terms::what_a_fast_point_rounds_loses_no_contact";
const MARGIN: &str = "s6_solve::terms::a_hair_above_the_margin_is_not_within_it";
const PIERCED: &str = "s6_solve::situations::an_edge_through_a_face_at_the_start";

/// Mutants of the engine.
pub const MUTANTS: &[Mutant] = &[
    // The motion itself.
    m(
        "angle not wrapped",
        JOINT,
        "Self::from_axis(k * rotation(axis, v0), k * axis, v1 - v0, origin, DVec3::ZERO)",
        "Self::from_axis(k * rotation(axis, v0), k * axis, (v1 - v0).sin().asin(), origin, DVec3::ZERO)",
        UNWRAPPED,
    ),
    m(
        "orientation at the start not transposed",
        JOINT,
        "k * DMat3::from_quat(r0)",
        "k * DMat3::from_quat(r0).transpose()",
        BOTH_ENDS,
    ),
    m(
        "axis of a free joint in the parent's frame",
        JOINT,
        "Self::from_axis(r, k * axis, w, origin + k * c0, k * (c1 - c0))",
        "Self::from_axis(r, r * axis, w, origin + k * c0, k * (c1 - c0))",
        SPECIFIED,
    ),
    m("tail of the product w t", TRIG, "sin_cos_pair(x, tail)", "sin_cos_pair(x, T::new(0.0) * tail)", TAIL),
    m(
        "third part of π/2 in the reduction",
        TRIG,
        "(((x - k * T::new(P1)) - k * T::new(P2)) - k * T::new(P3)) + tail",
        "((x - k * T::new(P1)) - k * T::new(P2)) + tail",
        SINES,
    ),
    m("quadrants of sine and cosine", TRIG, "first & !second | third", "first", SINES),
    m("sign of the sine", TRIG, "T::select(second, -sin, sin)", "sin", SINES),
    m("sign of the cosine", TRIG, "T::select(first & !third, -cos, cos)", "T::select(first, -cos, cos)", SINES),
    // Jets.
    m(
        "Coriolis term of the orientation, twice",
        POSE,
        "(p[2].0[i][j] + second) + two * middle",
        "(p[2].0[i][j] + second) + middle",
        C4,
    ),
    m("Coriolis term of the offset, twice", POSE, "p1.apply(t1).times(two)", "p1.apply(t1)", C4),
    m("centripetal term", POSE, "-(ww * turning)", "-(ww * turning * T::new(0.5))", C4),
    m("offset in the speed's bound", POSE, "self.beta[0] + o * offset_max", "self.beta[0]", ATTAINED),
    m("slide in the acceleration's bound, twice", POSE, "2.0 * o * slide", "o * slide", ATTAINED),
    m("offset in the acceleration's bound", POSE, "self.beta[1] + o * o * offset_max", "self.beta[1]", ATTAINED),
    m("offset in the remainder", POSE, "self.beta[2] + o * o * o * offset_max", "self.beta[2]", ATTAINED),
    m("slide in the remainder", POSE, "3.0 * o * o * slide", "0.0", ATTAINED),
    m("slide in the remainder, three times", POSE, "3.0 * o * o * slide", "2.0 * o * o * slide", ATTAINED),
    m("the point in the speed's bound", POSE, "(self.beta[0] + self.omega * e_norm)", "self.beta[0]", ATTAINED),
    m(
        "the point in the acceleration's bound",
        POSE,
        "(self.beta[1] + self.omega * self.omega * e_norm)",
        "self.beta[1]",
        ATTAINED,
    ),
    m("Taylor remainder, in windows", POSE, "h * h * h / 6.0 * SCALAR_SLACK", "0.0", WINDOWS),
    m("Taylor remainder, a sixth", POSE, "h * h * h / 6.0 * SCALAR_SLACK", "h * h * h / 6.3 * SCALAR_SLACK", ATTAINED),
    m("rounding of a shifted point", POSE, "(size + self.ball) * T::new(16.0 * T::UNIT)", "T::new(0.0)", SHIFTED),
    m("the point in the remainder", POSE, "self.omega * self.omega * self.omega * sixth", "0.0", ATTAINED),
    m(
        "rounding of poses, offsets",
        POSE,
        "[growth * offsets, growth * (k * d + 7.5)]",
        "[0.0, growth * (k * d + 7.5)]",
        ROUNDING,
    ),
    m(
        "rounding of poses, orientations",
        POSE,
        "[growth * offsets, growth * (k * d + 7.5)]",
        "[growth * offsets, 0.0]",
        ROUNDING,
    ),
    m("rounding of poses, its size", POSE, "unit * x.exp()", "x.exp() * unit * 0.005", ROUNDING),
    m("rounding of poses, with deep chains and many turns", POSE, "unit * x.exp()", "x.exp() * unit * 0.002", JETS),
    m("acceleration in the middle of a block", BLOCK, "(x1 + x2.times(half)).times(shift)", "x1.times(shift)", BLOCKS),
    // Intervals: the paper's bounds.
    m(
        "sine's own error in its range",
        INTERVAL,
        "TRIG_ERROR + (x.abs() + y.abs()) * f64::EPSILON",
        "(x.abs() + y.abs()) * f64::EPSILON",
        RANGES,
    ),
    m(
        "rounding of the angle in the sine's range",
        INTERVAL,
        "TRIG_ERROR + (x.abs() + y.abs()) * f64::EPSILON",
        "TRIG_ERROR",
        RANGES,
    ),
    m("lowest value within the range of a sine", INTERVAL, "has(bottom)", "false", RANGES),
    m("highest value within the range of a sine", INTERVAL, "has(top)", "false", RANGES),
    m("range of a negative rate", INTERVAL, "if x <= y { (x, y) } else { (y, x) }", "(x, y)", RANGES),
    m(
        "step outward",
        INTERVAL,
        "(T::new(STEP * T::UNIT), T::new(T::UNDERFLOW))",
        "(T::new(0.0), T::new(T::UNDERFLOW))",
        OUTWARD,
    ),
    m(
        "step outward where numbers underflow",
        INTERVAL,
        "(T::new(STEP * T::UNIT), T::new(T::UNDERFLOW))",
        "(T::new(STEP * T::UNIT), T::new(0.0))",
        OUTWARD,
    ),
    m(
        "rounding of middle and radius",
        INTERVAL,
        "(mid.abs() + radius) * T::new(STEP * T::UNIT) + T::new(T::UNDERFLOW)",
        "T::new(0.0)",
        OUTWARD,
    ),
    m(
        "the other end of a product",
        INTERVAL,
        "(self.lo * o.lo, self.lo * o.hi, self.hi * o.lo, self.hi * o.hi)",
        "(self.lo * o.lo, self.lo * o.lo, self.hi * o.hi, self.hi * o.hi)",
        SIGNS,
    ),
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
        PAIR,
        "nearest(p, q, 0.0).distance() + error + 64.0 * f64::EPSILON * size <= margin_m",
        "nearest(p, q, 0.0).distance() <= margin_m",
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
    m("the cap: candidates", SEARCH, "self.candidates.iter().fold(t0, |m, c| m.min(c.0))", "t0", FOUND),
    m(
        "what is later than the first candidate, but not by the width asked for",
        SEARCH,
        "(first + eps_t).min(proof)",
        "(first - eps_t).min(proof)",
        FOUND,
    ),
    m("overlap at the start", SOLVE, "piece.t0 == 0.0", "piece.t0 < 0.0", PIERCED),
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
    // Oriented boxes.
    m("ball of a moving box", OVERLAP, "a.ball + b.ball", "b.ball", BOXES),
    m("velocity of a moving box's centre", OVERLAP, "n.dot(rates.center[0]).abs()", "T::new(0.0)", BOXES),
    m("velocity of its axes", OVERLAP, "(along(*first) + along(*second))", "along(*second)", BOXES),
    m(
        "acceleration of its centre",
        OVERLAP,
        "(linear + (-quadratic).max(zero), linear + quadratic.max(zero))",
        "(linear, linear)",
        BOXES,
    ),
    m("rounding", OVERLAP, "(T::new(0.0), T::new(ROUNDINGS * T::UNIT))", "(T::new(0.0), T::new(0.0))", BOXES_AT_REST),
    m(
        "rounding of a moving box's range",
        OVERLAP,
        "size * T::new(ROUNDINGS * T::UNIT)",
        "size * T::new(0.0)",
        RANGE_AT_REST,
    ),
    // The paper's tessellation in maps.
    m("the whole piece", MAPS, "[piece.t0, piece.t1]", "[piece.t0, 0.5 * (piece.t0 + piece.t1)]", SURFACE),
    m(
        "the margin",
        MAPS,
        "shape.lss.radius + motion.chains[shape.body as usize].margin_m",
        "shape.lss.radius",
        SWEPT_MARGIN,
    ),
    // Toleranced motions.
    m(
        "largest distance of the control maps",
        COVER,
        "points.iter().map(distance).fold(0.0, f64::max)",
        "points.iter().take(1).map(distance).fold(0.0, f64::max)",
        TURNS,
    ),
    m(
        "weights of the control maps",
        BEZIER,
        "numerator.with(numerator, |x, _| x.quotient(weight))",
        "*numerator",
        CIRCLE,
    ),
    m("acceleration of a body", COVER, "norm(acceleration) * h * h * exact(0.5)", "exact(0.0)", LINKS),
    m("remainder of a body's motion", COVER, "stray(*remainder_m)", "exact(0.0)", AGREED),
    m(
        "distance from the barycentre",
        METRIC,
        "exact(1.0).quotient(self.mass) + d.dot(self.distort(d))",
        "exact(1.0).quotient(self.mass)",
        ORBITS,
    ),
    m(
        "inverse of the inertia",
        METRIC,
        "if planar { inverse_in_plane(&inertia) } else { inverse(&inertia) }",
        "Some(inertia)",
        ORBITS,
    ),
    m(
        "distortion rate in a range's box",
        METRIC,
        "(exact(1.0) + exact(3.0).quotient(g2)) * exact(0.125)",
        "exact(0.125)",
        HOLD,
    ),
    m("foot of a fat edge", FAT, "(y - self.a).dot(self.d) + self.shift", "(y - self.a).dot(self.d)", ORBITS),
    m("patch of a fat edge", FAT, "if positive { Patch::Absent } else { Patch::There }", "Patch::Absent", ORBITS),
    m("patch of a fat face", FAT, "if least.lo > 0.0 { Patch::Absent } else { Patch::There }", "Patch::Absent", ORBITS),
    m(
        "balls at the ends of a fat edge",
        FAT,
        "edge.ends.iter().all(|&k| self.ball_clears_edge(k, fixed, j))",
        "true",
        ORBITS,
    ),
    m("side of a plane", PLANE, "gap.lo > 0.0 && gap2.lo > reach2.hi", "gap2.lo > reach2.hi", SIDES),
    m(
        "ball on record contains the motion",
        CHECKER,
        "!(ball.radius <= radius && radius.is_finite())",
        "false",
        TAMPERED,
    ),
    m("all contacts are on the list", CHECKER, "clear.len() != n + m + n * m", "false", TAMPERED),
    m("plane between two polygons", CHECKER, "beyond(normal, balls, self.claim.fixed.0[j].iter())", "true", TAMPERED),
    m("steps that are left", CHECKER, "walk.at == steps.len()", "true", TAMPERED),
    m(
        "order of the polygons",
        CHECKER,
        "!is_order(&orders.moving, moving.len()) || !is_order(&orders.fixed, fixed.0.len())",
        "false",
        TAMPERED,
    ),
    // The search for pairs on the CPU.
    m("ball of a block of sub-intervals", MOVING_LINK, "self.balls[level]", "self.balls[0]", TURN_BACK),
    m("shift to a block's middle", BLOCK, "middle.shifted(-h, (len + 1) as f64 * h)", "middle", BLOCKS),
    m("half width of a block", MOVING_LINK, "len as f64 * self.h", "0.5 * len as f64 * self.h", PAIRS),
    m("half width of a part, for the nodes' boxes", MOVING_LINK, "T::new(*h)", "T::new(0.2 * *h)", PASSED),
    m(
        "place of a slice",
        BLOCK,
        "(f64::from(2 * k + 1) / f64::from(n) - 1.0) * h",
        "(f64::from(2 * k) / f64::from(n) - 1.0) * h",
        PAIRS,
    ),
    m(
        "boxes of the model in all of a piece",
        CULL,
        "Real::min(part::<T, SUBS>(l, 0), part(l, 1))",
        "part::<T, SUBS>(l, 0)",
        CULLED,
    ),
    m(
        "which of the sub-intervals a box meets",
        CULL,
        "(lo.gt(to) | from.gt(hi)) << (i * WIDTH)",
        "(lo.gt(to) | from.gt(hi)) << (0 * i)",
        CULLED,
    ),
    m("first triangle of a leaf", DESCENT, "(1u32 << of_leaf) - 1", "(1u32 << of_leaf) - 2", PAIRS),
    m("what comes after a block", REFINEMENT, "item.mask & !(look.block as u16)", "0", PAIRS),
    m("what comes after a sub-interval", REFINEMENT, "look.item.mask & !(1 << k)", "0", COMES_AGAIN),
    m(
        "lanes that go on to their first half",
        REFINEMENT,
        "look.item.lanes &= !(missed as u8);",
        "look.item.lanes &= if MUTANT { 0 } else { !(missed as u8) };",
        PAIRS,
    ),
    m("whose lane an answer is", REST, "(apart >> i & 1) << lane", "(apart >> i & 1) << i", PAIRS),
    m("lanes that no axis separated", REST, "(apart >> i & 1) << lane", "1 << lane", PAIRS),
    m("how far a triangle travels", SEPARATION, "middle.times(h)", "middle.times(T::new(0.0))", PAIRS),
    m("velocities that differ", SEPARATION, "(high - middle).max(middle - low).times(h)", "V3::zero()", PAIRS),
    m(
        "accelerations of a triangle",
        SEPARATION,
        "a.abs().max(b.abs()).max(c.abs()).times(half_hh)",
        "a.times(T::new(0.0))",
        BENDING,
    ),
    m("travel along its own normal", NORMALS, "n.dot(m.travel).abs()", "T::new(0.0)", PAIRS),
    m("travel along the other's normal", NORMALS, "n.dot(self.travel).abs()", "T::new(0.0)", PAIRS),
    m("what travels unevenly, along its own normal", NORMALS, "n.abs().dot(off)", "T::new(0.0)", PAIRS),
    m("what travels unevenly, along the other's normal", NORMALS, "n.abs().dot(self.off)", "T::new(0.0)", PAIRS),
    m("moving vertices along the other's normal", NORMALS, "range(n, self.e)", "[T::new(0.0); 2]", PAIRS),
    m("standing vertices along its own normal", NORMALS, "range(self.n, tri.f)", "[T::new(0.0); 2]", PAIRS),
    m("whose normal is kept", REFINEMENT, "*number != Some(y)", "number.is_none()", PAIRS),
    m("parts of slow links", PAIRS_OF_SLABS, "!begin.is_multiple_of(len)", "begin != 0", PAIRS),
    m("what comes after a slab", PAIRS_OF_SLABS, "if same { later.mask() } else { 0 }", "0", PAIRS),
    m(
        "slices before a certain contact",
        REFINEMENT,
        "now >= self.found.limit(piece)",
        "now + 2 >= self.found.limit(piece)",
        AT_LIMIT,
    ),
    // Balls of displacements as bounds of the culling stages.
    m("speed in a ball of displacements", STRAY, "(first + second)", "second", NEEDED),
    m("acceleration in a ball of displacements", STRAY, "(first + second)", "first", NEEDED),
    m("turning in a ball of displacements", STRAY, "turning * sum", "T::new(0.0) * sum", NEEDED),
    m("turning at a point far out", STRAY, "(bound.ball[1] + stray[1])", "bound.ball[1]", NEEDED),
    m("remainder and rounding of the jet", STRAY, "(bound.ball[0] + stray[0])", "stray[0]", BALLS),
    m("the largest of the sub-intervals", CONCAT, "x.0.into_iter().fold(0.0, f64::max)", "x.0[0]", NEEDED),
    m("all of a block", CONCAT, "travel(&bound.jet, *size_m, reach(n))", "travel(&bound.jet, *size_m, h)", SPANS),
    // The tracker of extremal distances: what is named.
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
    m("pivots that are nothing but rounding", TRACKER, "solved.pivot_ratio >= LEAST_PIVOT", "true", SINGULAR),
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
    // Large scenes.
    m("all primitives stand in a tree", TREE, "order.len() != n as usize", "false", NO_TREE),
    m(
        "all nodes and leaves hang in a tree",
        TREE,
        "next_node as usize == tree.nodes.len() && next_leaf as usize == tree.n_leaves()",
        "true",
        NO_TREE,
    ),
    m("checksum of a tree on disk", TREE_CACHE, "hash != computed", "false", CHANGED),
    m("the scene of a tree on disk", TREE_CACHE, "head[8..40] != *key", "false", OF_ANOTHER),
    m(
        "highest corners of nodes, outward",
        NODES,
        "((f64::from(x) / self.step).ceil() - self.first)",
        "((f64::from(x) / self.step).floor() - self.first)",
        READ_EXACTLY,
    ),
    m(
        "the last page, in the place of which the one before comes twice",
        CHUNK,
        "b.turn_to(page)",
        "b.turn_to(page - 1)",
        PAGED,
    ),
    m(
        "the last leaf of a page",
        PAGES,
        "of.start < page.end && of.end > page.start",
        "of.start + 1 < page.end && of.end > page.start",
        PAGED,
    ),
    m("queues begin anew on a page", CHUNK, "counters[0] = roots.len() as u32", "counters[0] = 0", QUEUED),
];
