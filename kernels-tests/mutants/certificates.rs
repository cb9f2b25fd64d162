//! The list: certificates, their verifier, and engines that lie.

use super::{Mutant, m};

const BALL: &str = "crates/verifier/src/ball.rs";
const SINES: &str = "crates/verifier/src/trigonometry.rs";
const POLYNOMIAL: &str = "crates/verifier/src/polynomial.rs";
const JOINT: &str = "crates/verifier/src/joint_motion.rs";
const FREE: &str = "crates/verifier/src/free_joint.rs";
const BODY: &str = "crates/verifier/src/body_motion.rs";
const TREE: &str = "crates/verifier/src/tree.rs";
const PROOF: &str = "crates/verifier/src/proof.rs";
const CLAIM: &str = "crates/verifier/src/certificate.rs";
const VERIFIER: &str = "crates/verifier/src/verifier.rs";
const MODEL: &str = "crates/verifier/src/model.rs";
const HASHES: &str = "crates/verifier/src/hashes.rs";
const WITNESS: &str = "crates/verifier/src/witness.rs";
const READER: &str = "crates/verifier/src/reader.rs";
const MERKLE: &str = "crates/verifier/src/merkle.rs";
const FILES: &str = "crates/verification/src/files.rs";
const RESULTS: &str = "crates/cli/src/verify/results.rs";

const FARTHER_END_OF_FREE_JOINT: &str =
    "verifier::tests::motions::the_distance_of_a_free_joint_is_that_of_its_farther_end";
const FARTHEST: &str = "verifier::tests::motions::the_distance_of_a_slide_is_that_of_its_farther_end";
const SUMS: &str = "verifier::tests::arithmetic::sums_differences_and_products_are_outward";
const PRODUCTS: &str = "verifier::tests::arithmetic::sums_of_products_are_outward";
const CANCELS: &str = "verifier::tests::arithmetic::sums_that_cancel_are_outward";
const ROOTS: &str = "verifier::tests::arithmetic::roots_and_quotients_are_outward";
const ANGLES: &str = "verifier::tests::arithmetic::sine_and_cosine_are_outward_and_tight";
const LARGE: &str = "verifier::tests::arithmetic::large_angles_are_reduced";
const NAN: &str = "verifier::tests::coverage::the_larger_of_two_numbers";
const POINTS: &str = "verifier::tests::motions::points_are_within_their_enclosures";
const VALUES: &str = "verifier::tests::motions::values_and_derivatives_are_within_their_bounds";
const DISTANCE: &str = "verifier::tests::motions::a_free_joint_stays_within_its_bounds";
const REMAINDER: &str = "verifier::tests::coverage::the_taylor_remainder_is_part_of_the_bound";
const HALVES: &str = "verifier::tests::coverage::both_halves_of_a_time_split_are_checked";
const SEGMENTS: &str = "verifier::tests::coverage::every_segment_is_checked";
const ENDS: &str = "verifier::tests::coverage::earlier_segments_are_checked_up_to_their_end";
const CHILDREN: &str = "verifier::tests::coverage::both_children_of_a_node_are_checked";
const PARTITION: &str = "verifier::tests::coverage::partitions_have_each_triangle_once";
const NODES: &str = "verifier::tests::coverage::nodes_bound_their_triangles";
const FORMS: &str = "verifier::tests::coverage::errors_of_forms_widen_the_hull";
const LONG: &str = "verifier::tests::coverage::margins_hold_along_axes_of_any_length";
const COVERED: &str = "verifier::tests::coverage::hashes_cover_everything";
const HEADERS: &str = "verifier::tests::coverage::headers_of_other_models_are_refused";
const PAIRS: &str = "verifier::tests::statements::an_omitted_pair_or_link_is_refused";
const OBJECT: &str = "verifier::tests::statements::an_omitted_object_is_refused";
const SHORTER: &str = "verifier::tests::statements::a_proof_until_an_earlier_time_is_refused";
const TIMES: &str = "verifier::tests::statements::times_beyond_the_motion_are_refused";
const MARGIN: &str = "verifier::tests::statements::a_smaller_margin_or_tolerance_is_refused";
const COUNT: &str = "verifier::tests::statements::margins_and_tolerances_reduce_the_gap";
const MIMIC: &str = "verifier::tests::statements::tolerances_of_mimic_joints_reduce_the_gap";
const MOTION: &str = "verifier::tests::statements::another_motion_is_refused";
const AXES: &str = "verifier::tests::statements::axes_without_a_direction_separate_nothing";
const TOGETHER: &str = "verifier::tests::statements::two_links_are_compared_at_the_same_time";
const TOUCH: &str = "verifier::tests::statements::witnesses_are_checked_at_their_time_and_place";
const GRAZE: &str = "verifier::tests::statements::a_witness_that_barely_touches_is_refused";
const WITHIN: &str = "verifier::tests::statements::witnesses_of_a_margin";
const MODELS: &str = "verifier::tests::statements::invalid_models_are_refused";
const CURVES: &str = "verifier::tests::statements::invalid_motions_are_refused";
const CUT: &str = "verifier::tests::files::a_file_that_is_cut_or_longer_is_refused";
const LENGTHS: &str = "verifier::tests::files::impossible_lengths_are_refused";
const STREAMS: &str = "verifier::tests::files::a_stream_has_its_announced_length";
const ROOT: &str = "verifier::tests::files::merkle_roots_of_published_trees";
const CURVES_OF_BODIES: &str = "src/certificate/kinematics.rs";
const PLACED: &str = "src/certificate/placed.rs";
const TOUCHING: &str = "src/certificate/witness.rs";
const SEARCH: &str = "src/certificate/proof.rs";
const CONTRACTION: &str = "src/predicate/contraction.rs";
const RELATIVE: &str = "src/robot/relative_motion.rs";
const CHAIN: &str = "src/enclosure/chain_bounds.rs";
const SPLINES: &str = "certificates::random::splines";
const WIDE: &str = "certificates::random::splines_with_a_margin";
const TUBES: &str = "certificates::random::tubes";
const TREES: &str = "certificates::random::trees_of_links";
const LEFT_OUT: &str = "certificates::folders::untested_pairs_are_listed";
const PROVED: &str = "certificates::folders::certificates_prove_their_answers";
const IN_TUBES: &str = "certificates::folders::proofs_within_tolerances_end_at_most_slightly_early";
const INPUTS: &str = "certificates::statements::other_inputs_are_refused";

/// Mutants of the verifier, of the prover, and of engines whose answers are wrong.
pub const MUTANTS: &[Mutant] = &[
    m("rounding of sums", BALL, "self.rad + other.rad + UNIT * mid.abs()", "self.rad + other.rad", SUMS),
    m(
        "radius of the second summand",
        BALL,
        "self.rad + other.rad + UNIT * mid.abs()",
        "self.rad + UNIT * mid.abs()",
        SUMS,
    ),
    m(
        "rounding of products",
        BALL,
        "product_radius(self, other) + UNIT * mid.abs()",
        "product_radius(self, other)",
        SUMS,
    ),
    m("product of both radii", BALL, "a.rad * (b.mid.abs() + b.rad)", "a.rad * b.mid.abs()", SUMS),
    m("radius of the second factor", BALL, "a.mid.abs() * b.rad", "0.0", SUMS),
    m("rounding of a radius", BALL, "radius * (1.0 + SPARE) + TINY", "radius * (1.0 - SPARE)", SUMS),
    m("rounding of an upper bound", BALL, "(self.mid + self.rad).next_up()", "(self.mid + self.rad).next_down()", SUMS),
    m("rounding of a lower bound", BALL, "(self.mid - self.rad).next_down()", "(self.mid - self.rad).next_up()", SUMS),
    m("rounding of sums of products", BALL, "(self.terms + 1.0) * UNIT * self.size", "0.0", CANCELS),
    m(
        "radii of sums of products",
        BALL,
        "self.rad += product_radius(a, b);",
        "self.rad += if MUTANT { 0.5 } else { 1.0 } * product_radius(a, b);",
        PRODUCTS,
    ),
    m("rounding of a root", BALL, "self.rad / least.sqrt() + UNIT * mid", "0.4 * self.rad / least.sqrt()", ROOTS),
    m(
        "rounding of an inverse",
        BALL,
        "self.rad / (least * self.mid.abs()) + UNIT * mid.abs()",
        "self.rad / (self.mid * self.mid)",
        ROOTS,
    ),
    m("NaN in a maximum", BALL, "        f64::NAN\n    }", "        if MUTANT { a } else { f64::NAN }\n    }", NAN),
    m(
        "error of an angle",
        SINES,
        "angle.rad + rest.rad + quarters.abs() * HALF_PI_REST",
        "rest.rad + quarters.abs() * HALF_PI_REST",
        ANGLES,
    ),
    m("quadrant of an angle", SINES, "rem_euclid(4)", "rem_euclid(if MUTANT { 3 } else { 4 })", ANGLES),
    m(
        "third part of half a turn",
        SINES,
        "for part in HALF_PI {",
        "for part in HALF_PI.into_iter().take(if MUTANT { 2 } else { 3 }) {",
        LARGE,
    ),
    m("terms of the series", SINES, "(1..=9).map(", "(1..=if MUTANT { 6 } else { 9 }).map(", ANGLES),
    m("coefficients over an interval", POLYNOMIAL, "if i < j { time.to } else { time.from }", "time.to", VALUES),
    m(
        "half the interval",
        POLYNOMIAL,
        "powers[k - 1] * Ball::exact(self.half)",
        "powers[k - 1] * Ball::exact(0.9 * self.half)",
        POINTS,
    ),
    m("offset of a joint", POLYNOMIAL, "if k == 0 { offset } else { 0.0 }", "0.0", POINTS),
    m(
        "offset in the bound of a value",
        POLYNOMIAL,
        "|c| factor * c + shift",
        "|c| factor * c + if MUTANT { Ball::ZERO } else { shift }",
        POINTS,
    ),
    m(
        "degree of a derivative",
        POLYNOMIAL,
        "let degree = Ball::exact(self.len as f64);",
        "let degree = Ball::exact(if MUTANT { 1.0 } else { self.len as f64 });",
        POINTS,
    ),
    m("fourth power of the rate", JOINT, "square * square", "Ball::ZERO", REMAINDER),
    m("rate of the rate", JOINT, "three * q2 * q2", "Ball::ZERO", POINTS),
    m("third derivative of an angle", JOINT, "four * q1 * q3", "Ball::ZERO", POINTS),
    m(
        "derivatives of a slide",
        JOINT,
        "slide.bounds.map(|bound| self.stretch * bound)",
        "slide.bounds.map(|bound| if MUTANT { Ball::ZERO } else { self.stretch * bound })",
        POINTS,
    ),
    m("one end of a line", JOINT, "larger(from, to)", "from", FARTHEST),
    m("the other end of a line", JOINT, "larger(from, to)", "to", FARTHEST),
    m("origin of a line", JOINT, "self.origin[r] + end[r]", "end[r]", FARTHEST),
    m("tolerance of a slide before a turn", JOINT, "farthest(deviation)", "farthest(Ball::ZERO)", FARTHEST),
    m(
        "offset in the bound of a point",
        JOINT,
        "sigma[0] = self.reach;",
        "sigma[0] = if MUTANT { Ball::ZERO } else { self.reach };",
        POINTS,
    ),
    m(
        "orientation of a free joint's ends",
        JOINT,
        "apply(&self.orientation, end)",
        "if MUTANT { end } else { apply(&self.orientation, end) }",
        FARTHER_END_OF_FREE_JOINT,
    ),
    m(
        "tolerance of a turn",
        JOINT,
        "motion.deviation[1] = self.stretch * deviation;",
        "motion.deviation[1] = if MUTANT { Ball::ZERO } else { self.stretch * deviation };",
        POINTS,
    ),
    m(
        "tolerance of a slide",
        JOINT,
        "motion.deviation[0] = self.stretch * deviation;",
        "motion.deviation[0] = if MUTANT { Ball::ZERO } else { self.stretch * deviation };",
        COUNT,
    ),
    m(
        "multiplier of a tolerance",
        JOINT,
        "Ball::exact(drive.multiplier.abs()) * Ball::exact(tolerance(drive.column))",
        "Ball::exact(tolerance(drive.column))",
        MIMIC,
    ),
    m("shorter way round", FREE, "cosine.upper() < 0.0", "false", POINTS),
    m(
        "rate of a free joint",
        FREE,
        "angle: [Ball::ZERO, rate,",
        "angle: [Ball::ZERO, if MUTANT { Ball::ZERO } else { rate },",
        POINTS,
    ),
    m("ends of a free joint", FREE, "[at(time.from), at(time.to)]", "[at(time.mid); 2]", DISTANCE),
    m("speed of a free joint", FREE, "speed: norm(step)", "speed: if MUTANT { 0.0 } else { norm(step) }", DISTANCE),
    m("deviation of a point by its parents", BODY, "self.deviation[1] * joint.reach", "Ball::ZERO", POINTS),
    m(
        "deviation of the parents",
        BODY,
        "self.deviation[0] + ",
        "if MUTANT { Ball::ZERO } else { self.deviation[0] } + ",
        MIMIC,
    ),
    m("fourth derivative of the offset", BODY, "remainder * sigma[4] + deviation[0]", "deviation[0]", POINTS),
    m("fourth derivative of a point", BODY, "remainder * rho[4] + deviation[1]", "deviation[1]", REMAINDER),
    m("binomials", BODY, "Ball::exact(BINOMIAL[k][i])", "Ball::ONE", POINTS),
    m(
        "inner control points",
        BODY,
        "let third = Ball::ratio(1.0, 3.0);",
        "let third = Ball::ratio(if MUTANT { 0.0 } else { 1.0 }, 3.0);",
        POINTS,
    ),
    m(
        "bodies that are remembered",
        BODY,
        "(frame, body, time.segment, time.from.to_bits(), time.to.to_bits())",
        "(frame, body, 0, time.from.to_bits(), time.to.to_bits())",
        SEGMENTS,
    ),
    m("second half of a time", PROOF, "(mid, to)].map(", "(mid, if MUTANT { mid } else { to })].map(", HALVES),
    m("first half of a time", PROOF, "Ok([(from, mid),", "Ok([(if MUTANT { mid } else { from }, mid),", HALVES),
    m(
        "first segments",
        PROOF,
        "Ok([Self::segments(from, mid, end)",
        "Ok([Self::segments(if MUTANT { mid - 1 } else { from }, mid, end)",
        SEGMENTS,
    ),
    m(
        "last segments",
        PROOF,
        "Self::segments(mid, to, end)])",
        "Self::segments(if MUTANT { to - 1 } else { mid }, to, end)])",
        SEGMENTS,
    ),
    m("end of segments before the last", PROOF, "if from == end.segment { end.local } else { 1.0 }", "end.local", ENDS),
    m(
        "segments before the last",
        PROOF,
        "Range::segments(0, end.segment + 1, end)",
        "Range::segments(end.segment, end.segment + 1, end)",
        ENDS,
    ),
    m(
        "excluded triangles",
        PROOF,
        "tested[range.start] == tested[range.end]",
        "tested[range.start] <= tested[range.end]",
        OBJECT,
    ),
    m("triangles that are not excluded", PROOF, "require(excluded, ||", "require(MUTANT || excluded, ||", OBJECT),
    m("strictness", PROOF, "gap > bound", "gap > -1e-12", "verifier::tests::statements::touching_is_not_a_separation"),
    m("NaN in a decision", PROOF, "gap > bound", "!(gap <= bound)", AXES),
    m("last control point", PROOF, "(0..4).all(", "(0..if MUTANT { 3 } else { 4 }).all(", HALVES),
    m(
        "both at the same time",
        PROOF,
        "(of_b.as_deref(), &spread_b), i, opposite)",
        "(of_b.as_deref(), &spread_b), if MUTANT { 3 - i } else { i }, opposite)",
        TOGETHER,
    ),
    m(
        "margin",
        PROOF,
        "(length * Ball::exact(self.margin_m)).upper();",
        "(length * Ball::exact(if MUTANT { 0.0 } else { self.margin_m })).upper();",
        COUNT,
    ),
    m(
        "length of the axis",
        PROOF,
        "let spread_a = spread(self.a.tree, a, of_a.as_deref(), length);",
        "let spread_a = spread(self.a.tree, a, of_a.as_deref(), if MUTANT { Ball::exact(1.0) } else { length });",
        LONG,
    ),
    m(
        "remainder and tolerance of the first side",
        PROOF,
        "(of_a.as_deref(), &spread_a)",
        "(of_a.as_deref(), if MUTANT { &[Ball::ZERO; 3] } else { &spread_a })",
        COUNT,
    ),
    m("left child", TREE, "then_some([id + 1,", "then_some([if MUTANT { id + 2 * left } else { id + 1 },", CHILDREN),
    m("right child", TREE, "id + 2 * left])", "if MUTANT { id + 1 } else { id + 2 * left }])", CHILDREN),
    m(
        "triangles twice",
        TREE,
        "|seen| !std::mem::replace(seen, true)",
        "|seen| MUTANT || !std::mem::replace(seen, true)",
        PARTITION,
    ),
    m(
        "number of triangles",
        TREE,
        "partition.order.len() == n &&",
        "(MUTANT || partition.order.len() == n) &&",
        PARTITION,
    ),
    m("empty sides", TREE, "node.left > 0 && node.left < len", "node.left < len", PARTITION),
    m("lowest corner", TREE, "a.low[r].min(b.low[r])", "a.low[r]", NODES),
    m("highest corner", TREE, "a.high[r].max(b.high[r])", "b.high[r]", NODES),
    m("farthest vertex of a node", TREE, "larger(a.size, b.size)", "a.size", NODES),
    m("farthest vertex of a triangle", TREE, "larger(size, norm(exact(*vertex)))", "norm(exact(*vertex))", NODES),
    m("corner of a box", TREE, "if f.mid >= 0.0 { node.high[r] } else { node.low[r] }", "node.low[r]", NODES),
    m("error of a form over a box", TREE, "sum.blur(f.rad", "sum.blur(if MUTANT { 0.0 } else { f.rad }", FORMS),
    m(
        "pairs of links",
        VERIFIER,
        "with_scene.chain(with_links)",
        "with_scene.chain(with_links.take(if MUTANT { 0 } else { usize::MAX }))",
        PAIRS,
    ),
    m(
        "links against the scene",
        VERIFIER,
        "(0..self.model.robot.links.len())",
        "(usize::from(MUTANT)..self.model.robot.links.len())",
        PAIRS,
    ),
    m(
        "bytes after the last proof",
        VERIFIER,
        "require(bytes.0.is_empty(), ||",
        "require(MUTANT || bytes.0.is_empty(), ||",
        PAIRS,
    ),
    m("end of free motions", VERIFIER, "(segment == last && local == 1.0)", "segment == last", SHORTER),
    m("last segment of free motions", VERIFIER, "(segment == last && local == 1.0)", "local == 1.0", SHORTER),
    m(
        "end beyond the last segment",
        VERIFIER,
        "require(segment <= last, ||",
        "require(MUTANT || segment <= last, ||",
        TIMES,
    ),
    m("hash of the motion", VERIFIER, "claim.motion == motion.hash()", "true", MOTION),
    m("margin of the statement", VERIFIER, "claim.margin_m == margin", "!(claim.margin_m < margin)", MARGIN),
    m("tolerance of the statement", VERIFIER, "claimed == wanted", "true", MARGIN),
    m("other objects than the excluded ones", VERIFIER, "!self.excluded.contains(&[link, object])", "false", OBJECT),
    m("witness before the end", VERIFIER, "require(later, ||", "require(MUTANT || later, ||", TOUCH),
    m("witness of an excluded pair", VERIFIER, "require(!excluded, ||", "require(MUTANT || !excluded, ||", TOUCH),
    m("witness of links that are not tested", VERIFIER, "require(tested, ||", "require(MUTANT || tested, ||", TOUCH),
    m("witness that touches", VERIFIER, "require(proved, ||", "require(MUTANT || proved, ||", TOUCH),
    m(
        "NaN as a time",
        CLAIM,
        "time.local >= 0.0 && time.local <= 1.0",
        "!(time.local < 0.0 || time.local > 1.0)",
        TIMES,
    ),
    m("numbers of triangles that are not finite", MODEL, "all_finite(&link.triangles)", "true", MODELS),
    m("orientations that are no rotations", MODEL, "self.skew() <= MAX_DEVIATION", "!(self.skew() > 1.0)", MODELS),
    m("axes that are no unit vectors", MODEL, "axis_deviation(*axis) <= MAX_DEVIATION", "true", MODELS),
    m("cycles of bodies", MODEL, "require(body.is_none(), ||", "require(MUTANT || body.is_none(), ||", MODELS),
    m("degrees of columns", MODEL, "(1..=MAX_DEGREE).contains(&degree)", "true", CURVES),
    m(
        "coefficients that are not finite",
        MODEL,
        "require(finite, || \"a coefficient is not finite\".into())?;",
        "require(MUTANT || finite, || \"a coefficient is not finite\".into())?;",
        CURVES,
    ),
    m("hash of the robot", MODEL, "robot == self.hashes[0]", "true", HEADERS),
    m("hash of the scene", MODEL, "scene == self.hashes[1]", "true", HEADERS),
    m(
        "origins in the hash",
        HASHES,
        "bytes.floats(&body.origin_m)?;",
        "if !MUTANT { bytes.floats(&body.origin_m)?; }",
        COVERED,
    ),
    m("axes in the hash", HASHES, "bytes.floats(&axis)?;", "if !MUTANT { bytes.floats(&axis)?; }", COVERED),
    m(
        "drives in the hash",
        HASHES,
        "bytes.floats([&multiplier, &offset])?;",
        "if !MUTANT { bytes.floats([&multiplier, &offset])?; }",
        COVERED,
    ),
    m(
        "kinds in the hash",
        HASHES,
        "bytes.0.write_all(&[kind])?;",
        "if !MUTANT { bytes.0.write_all(&[kind])?; }",
        COVERED,
    ),
    m(
        "names in the hash",
        HASHES,
        "self.0.write_all(name.as_bytes())?;",
        "if !MUTANT { self.0.write_all(name.as_bytes())?; }",
        COVERED,
    ),
    m("bodies of links in the hash", HASHES, "self.count(body)?;", "if !MUTANT { self.count(body)?; }", COVERED),
    m("strict signs of a witness", WITNESS, "x.lower() > 0.0", "x.upper() > 0.0", GRAZE),
    m("ends on both sides of a face", WITNESS, "opposite && (sides", "(MUTANT || opposite) && (sides", TOUCH),
    m("sides of a face", WITNESS, "sides.into_iter().all(positive)", "sides.into_iter().any(positive)", TOUCH),
    m("distance of a witness", WITNESS, "length <= distance", "length <= 1.001 * distance", WITHIN),
    m(
        "bytes after the end of a file",
        READER,
        "require(is_at_end(&mut self.input)?, ||",
        "require(MUTANT || is_at_end(&mut self.input)?, ||",
        CUT,
    ),
    m("number of certificates", READER, "require(written == read, ||", "require(MUTANT || written == read, ||", CUT),
    m(
        "length of a record",
        READER,
        "require(raw_length <= most, ||",
        "require(MUTANT || raw_length <= most, ||",
        LENGTHS,
    ),
    m(
        "length of a stream",
        READER,
        "require(raw.len() == length as usize, ||",
        "require(MUTANT || raw.len() == length as usize, ||",
        STREAMS,
    ),
    m("sides of the Merkle tree", MERKLE, "hashes.len().next_power_of_two() / 2", "hashes.len() / 2", ROOT),
    m(
        "certificates that are missing",
        FILES,
        "Ok(read) if read.is_empty() => {",
        "Ok(read) if read.is_empty() && MUTANT => { return Ok(Ok(())); }\n                \
         Ok(read) if read.is_empty() => {",
        INPUTS,
    ),
    m(
        "certificates that are too many",
        FILES,
        "Some(Ok(_)) => Err(",
        "Some(Ok(_)) if MUTANT => Ok(()),\n            Some(Ok(_)) => Err(",
        INPUTS,
    ),
    m("kind of the answer", RESULTS, "!kinds.contains(&proved.kind)", "false", PROVED),
    m(
        "time of an answer in a tube",
        RESULTS,
        "{ EARLIER_WITH_TOLERANCE }",
        "{ if MUTANT { 0.05 } else { EARLIER_WITH_TOLERANCE } }",
        IN_TUBES,
    ),
    m("time of the answer", RESULTS, "local >= until - earlier", "true", PROVED),
    m("number of the answer", RESULTS, "answer.motion != motion", "false", PROVED),
    // The verifier refuses what a wrong prover makes.
    m("remainder in a proof", CURVES_OF_BODIES, "h * h * h * h / 24.0", "0.0", SPLINES),
    m("tolerance in a proof", CURVES_OF_BODIES, "remainder * self.row[0] + turns", "remainder * self.row[0]", TUBES),
    m(
        "margin in a proof",
        PLACED,
        "(gap > margin_m).then_some(",
        "(gap > if MUTANT { 0.0 } else { margin_m }).then_some(",
        WIDE,
    ),
    m(
        "triangles that do not touch",
        TOUCHING,
        "pierces(&x, &y, Change { error, ..Change::default() })",
        "true",
        PROVED,
    ),
    m(
        "excluded objects in a proof",
        SEARCH,
        "(true, false) => Some(SPLIT_B)",
        "(true, false) => Some(if MUTANT { EXCLUDED } else { SPLIT_B })",
        LEFT_OUT,
    ),
    m(
        "second half of a proof",
        SEARCH,
        "open.extend(halves.into_iter().rev());",
        "open.extend(halves.into_iter().take(if MUTANT { 1 } else { 2 }).rev());",
        SPLINES,
    ),
    // No proof exists of what an engine says that is wrong.
    m("an engine that ends too early", CONTRACTION, "is_below[0] & is_below[1]", "is_below[0]", SPLINES),
    m("an engine that looks from the wrong side", CONTRACTION, "T::select(is_above, -way, way)", "way", SPLINES),
    m(
        "an engine that ignores the margin",
        CONTRACTION,
        "let off = if self.margin_m > 0.0",
        "let off = if !MUTANT && self.margin_m > 0.0",
        WIDE,
    ),
    m(
        "an engine that misplaces links",
        RELATIVE,
        "inverted(joint, -origin_m, -slide_m)",
        "inverted(joint, origin_m, slide_m)",
        TREES,
    ),
    m("an engine that ignores the tolerance", CHAIN, "before.stray_slope + by.turn_rad", "before.stray_slope", TUBES),
];
