//! The list: bounds on motion.

use super::{Mutant, m};

const TRIG: &str = "src/arith/trig.rs";
const INTERVAL: &str = "src/arith/interval.rs";
const JOINT: &str = "src/robot/joint_motion.rs";
const CHAIN: &str = "src/enclosure/chain_bounds.rs";
const EXPONENTIAL: &str = "enclosure::chain_bounds::tests::the_bound_on_the_exponential_function_holds";
const WIDTHS: &str = "enclosure::chain_bounds::tests::balls_of_several_widths_are_bounds";
const MATRICES: &str = "src/robot/joint_matrices.rs";
const REACH: &str = "robot::joint_motion::tests::the_sum_of_offsets_covers_the_longest_blocks";
const STRETCH: &str = "robot::joint_matrices::tests::a_defect_bounds_the_stretch";
const SAME_BITS: &str = "robot::joint_matrices::tests::joints_side_by_side_have_the_bits_of_one";
const RATES: &str = "src/enclosure/derivative_bounds.rs";
const POINT: &str = "src/enclosure/point_bound.rs";
const POSE_JET: &str = "src/enclosure/pose_jet.rs";
const BLOCK: &str = "src/enclosure/pose_block.rs";
const STRAY: &str = "src/robot/toleranced_motion.rs";
const CONCAT: &str = "src/stage/s1_concat.rs";
const NEEDED: &str = "s1_concat::each_part_of_the_ball_of_displacements_is_needed";
const BALLS: &str = "s1_concat::balls_of_displacements_contain_the_motion_however_f32_rounds";
const SPANS: &str = "s1_concat::balls_of_blocks_hold_the_motion_in_all_of_the_block";
const ATTAINED: &str = "s6_solve::terms::derivatives_are_within_their_bounds_and_attain_them";
const ROUNDING: &str = "s6_solve::terms::each_part_of_the_rounding_bound_is_needed_and_holds";
const RANGES: &str = "s6_solve::terms::ranges_of_sine_and_cosine_hold_all_angles";
const OUTWARD: &str = "s6_solve::terms::interval_operations_are_outward";
const C4: &str = "robot::pose_bounds::tests::jets_of_the_reference_chain";
const WINDOWS: &str = "s6_solve::contraction::no_contact_is_outside_of_its_window";
const SHIFTED: &str = "s5_pairs::a_shifted_bound_holds_however_f32_rounds";
const SPECIFIED: &str = "random_models::trees::the_stored_motion_is_the_specified_one";
const UNWRAPPED: &str = "robot::joint_motion::tests::a_revolute_joint_runs_linearly_and_does_not_wrap";
const BOTH_ENDS: &str = "robot::joint_motion::tests::a_free_joint_reaches_both_ends";
const TAIL: &str = "arith::trig::tests::the_tail_of_the_product_is_kept";
const SINES: &str = "arith::trig::tests::published_values";
const JETS: &str = "s1_concat::f64_jets_stay_within_their_rounding_bound";
const BLOCKS: &str = "obb::bounds_of_blocks_hold";
const SIGNS: &str = "arith::interval::tests::products_of_all_signs";

/// Mutants of bounds on motion.
pub const MUTANTS: &[Mutant] = &[
    // The motion itself.
    m(
        "angle not wrapped",
        JOINT,
        "Ok((Self { r: k, u: axis, w_rad: v1 - v0, origin_m: origin, slide_m: DVec3::ZERO }, Some(v0)))",
        "Ok((Self { r: k, u: axis, w_rad: (v1 - v0).sin().asin(), origin_m: origin, slide_m: DVec3::ZERO }, Some(v0)))",
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
        "Ok((Self { r, u: k * axis, w_rad, origin_m: origin + k * c0, slide_m: k * (c1 - c0) }, None))",
        "Ok((Self { r, u: r * axis, w_rad, origin_m: origin + k * c0, slide_m: k * (c1 - c0) }, None))",
        SPECIFIED,
    ),
    m("longest reach of a block", JOINT, "2.0 * MAX_REACH", "17.0 / 16.0", REACH),
    m(
        "the angles of joints that have turned",
        MATRICES,
        "sin_cos_pair(T::load(&self.turned_rad), T::new(0.0))",
        "sin_cos_pair(T::load(&[self.turned_rad[1]; WIDTH]), T::new(0.0))",
        SAME_BITS,
    ),
    m(
        "joints that have not turned",
        MATRICES,
        "chosen(self.turned, product(&of_joints.0, u), u)",
        "chosen(self.turned | 1, product(&of_joints.0, u), u)",
        SAME_BITS,
    ),
    m("entries of a defect beside the diagonal", MATRICES, "T::new(2.0)", "T::new(0.0)", STRETCH),
    m("products of A and B in a defect", MATRICES, "half * d3", "T::new(0.0) * d3", STRETCH),
    m(
        "steps towards an orthonormal matrix",
        MATRICES,
        "mean_with_inverse(mean_with_inverse(r))",
        "mean_with_inverse(r)",
        SAME_BITS,
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
        POSE_JET,
        "(p[2].0[i][j] + second) + two * middle",
        "(p[2].0[i][j] + second) + middle",
        C4,
    ),
    m("Coriolis term of the offset, twice", POSE_JET, "p1.apply(t1).times(two)", "p1.apply(t1)", C4),
    m("centripetal term", POSE_JET, "-(ww * turning)", "-(ww * turning * T::new(0.5))", C4),
    m("offset in the speed's bound", RATES, "self.beta[0] + b1 * offset", "self.beta[0]", ATTAINED),
    m("slide in the acceleration's bound, twice", RATES, "two * b1 * s1", "b1 * s1", ATTAINED),
    m("offset in the acceleration's bound", RATES, "self.beta[1] + b2 * offset", "self.beta[1]", ATTAINED),
    m("offset in the remainder", RATES, "self.beta[2] + b3 * offset", "self.beta[2]", ATTAINED),
    m("slide in the remainder", RATES, "three * o1 * o1 * s1", "T::new(0.0)", ATTAINED),
    m("slide in the remainder, three times", RATES, "three * o1 * o1 * s1", "two * o1 * o1 * s1", ATTAINED),
    m(
        "the point in the speed's bound",
        CHAIN,
        "(self.derivatives.beta[0] + self.derivatives.omega[0] * e_norm)",
        "self.derivatives.beta[0]",
        ATTAINED,
    ),
    m(
        "the point in the acceleration's bound",
        CHAIN,
        "(self.derivatives.beta[1] + self.derivatives.turns()[1] * e_norm)",
        "self.derivatives.beta[1]",
        ATTAINED,
    ),
    m("Taylor remainder, in windows", CHAIN, "h * h * h / 6.0 * SCALAR_SLACK", "0.0", WINDOWS),
    m("Taylor remainder, a sixth", CHAIN, "h * h * h / 6.0 * SCALAR_SLACK", "h * h * h / 6.3 * SCALAR_SLACK", ATTAINED),
    m("rounding of a shifted point", POINT, "(size + self.ball) * T::new(16.0 * T::UNIT)", "T::new(0.0)", SHIFTED),
    m("the point in the remainder", CHAIN, "self.third[1] * sixth", "0.0", ATTAINED),
    m(
        "rounding of poses, offsets",
        CHAIN,
        "[growth * offsets, growth * (k * d + 7.5)]",
        "[0.0, growth * (k * d + 7.5)]",
        ROUNDING,
    ),
    m(
        "rounding of poses, orientations",
        CHAIN,
        "[growth * offsets, growth * (k * d + 7.5)]",
        "[growth * offsets, 0.0]",
        ROUNDING,
    ),
    m("bound on the exponential function", CHAIN, "1.0 + x + x * x", "1.0 + x", EXPONENTIAL),
    m("rounding over the widest block", CHAIN, "half_widths[N - 1]", "half_widths[0]", WIDTHS),
    m("rounding of poses, its size", CHAIN, "unit * exp_above(x)", "exp_above(x) * unit * 0.005", ROUNDING),
    m(
        "rounding of poses, with deep chains and many turns",
        CHAIN,
        "unit * exp_above(x)",
        "exp_above(x) * unit * 0.002",
        JETS,
    ),
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
    // Balls of displacements as bounds of the culling stages.
    m("speed in a ball of displacements", STRAY, "(first + second)", "second", NEEDED),
    m("acceleration in a ball of displacements", STRAY, "(first + second)", "first", NEEDED),
    m("turning in a ball of displacements", STRAY, "turning * sum", "T::new(0.0) * sum", NEEDED),
    m("turning at a point far out", STRAY, "(bound.ball[1] + stray[1])", "bound.ball[1]", NEEDED),
    m("remainder and rounding of the jet", STRAY, "(bound.ball[0] + stray[0])", "stray[0]", BALLS),
    m("the largest of the sub-intervals", CONCAT, "x.0.into_iter().fold(0.0, f64::max)", "x.0[0]", NEEDED),
    m(
        "interval matrices beyond their sub-interval",
        CONCAT,
        "chain.matrix_ball(block_half_time(h, n) - h)",
        "chain.matrix_ball(0.0)",
        SPANS,
    ),
    m(
        "all of a block",
        CONCAT,
        "travel(&model.jet, *size_m, block_half_time(h, n))",
        "travel(&model.jet, *size_m, h)",
        SPANS,
    ),
];
