//! The list: allowed-collision matrices.

use super::{Mutant, m};

const PATH: &str = "src/acm/path.rs";
const DISPLACEMENT: &str = "src/acm/displacement.rs";
const DISTANCE: &str = "src/acm/distance.rs";
const PIERCING: &str = "src/acm/piercing.rs";
const SEARCH: &str = "src/acm/search.rs";
const PROOF: &str = "src/acm/proof.rs";
const CLASSIFY: &str = "src/acm/classify.rs";
const CHECK: &str = "crates/cli/src/check/files.rs";
const MODEL: &str = "crates/cli/src/model.rs";
const QUERIES: &str = "crates/cli/src/queries.rs";
const POSES: &str = "acm::bounds::poses_are_those_of_plain_kinematics";
const BOUNDS: &str = "acm::bounds::displacements_stay_within_their_bounds_and_attain_them";
const TURNS: &str = "acm::bounds::turns_stay_within_their_bound";
const WHOLE: &str = "acm::queries::answers_hold_in_the_whole_box";
const BAR: &str = "acm::queries::boxes_move_farther_than_their_middles";
const CLASSES: &str = "acm::random_robots::classes_agree_with_dense_sampling";
const DISTANCES: &str = "acm::queries::distances_are_those_of_all_pairs";
const LIMITS: &str = "acm::planar::limits_that_make_a_pair_just_separate_or_just_touch";
const MIMIC: &str = "acm::planar::mimic_joints_follow_their_master";
const PERIOD: &str = "acm::planar::a_fractional_follower_does_not_repeat_after_one_turn";
const COVERS: &str = "acm::proofs::a_proof_covers_only_its_own_hypotheses";
const ONE_ROBOT: &str = "acm::proofs::a_proof_is_for_one_robot";
const ITS_LIMITS: &str = "acm::proofs::proofs_record_joint_limits_of_less_than_a_turn";
const POLE: &str = "acm::planar::a_pole_through_a_plate_always_touches_or_sometimes";
const NEAR: &str = "cli::acm::pairs_within_the_margin_everywhere_are_not_disabled";
const USED: &str = "cli::acm::check_uses_proofs_that_hold";
const REGION: &str = "src/robot/free_region.rs";
const MOTION: &str = "src/robot/model_motion.rs";
const FREE: &str = "src/acm/free.rs";
const PAIRS: &str = "src/robot/link_pairs.rs";
const LINK_PAIRS: &str = "src/stage/link_pairs.rs";
const RANGES: &str = "robot::free_region::tests::ranges_are_contained_if_their_points_are_free";
const SAMPLED: &str = "link_pairs::free_regions::answers_with_free_regions_agree_with_sampling";
const MARGIN: &str = "robot::free_region::tests::a_region_is_not_used_with_a_larger_margin";
const DEVIATING: &str = "robot::free_region::tests::motions_stay_in_a_region_with_their_deviations";
const CURVED: &str = "link_pairs::free_regions::free_regions_hold_along_trajectories";
const JOINED: &str = "link_pairs::free_regions::each_robot_has_its_own_free_regions";
const CERTAIN: &str = "acm::piercing::tests::certain_pairs_intersect_wherever_they_move";

/// Mutants of allowed-collision matrices.
pub const MUTANTS: &[Mutant] = &[
    // Paths.
    m("multiplier of an inverted joint", PATH, "sign * drive.multiplier", "drive.multiplier", POSES),
    m("offset of an inverted joint", PATH, "sign * drive.offset", "drive.offset", POSES),
    m("a mimic joint's own value", PATH, "self.multiplier * q[self.column] + self.offset", "q[self.column]", MIMIC),
    m("inverse of a placement", PATH, "placement.inverse()", "placement", POSES),
    m("multiplier of a mimic joint", PATH, "joint.multiplier.abs()", "1.0", BOUNDS),
    m("whole multiples alone have a period", PATH, "joint.multiplier.fract() == 0.0", "true", PERIOD),
    m(
        "both limits",
        PATH,
        "Some(limits) => (limits, false)",
        "Some([l, u]) => (if MUTANT { [0.5 * (l + u), u] } else { [l, u] }, false)",
        LIMITS,
    ),
    m("a range of less than a turn", PATH, "upper - lower > turn", "true", ITS_LIMITS),
    // Displacements.
    m("both halves of a chord", DISPLACEMENT, "2.0 * (0.5 * half).sin()", "(0.5 * half).sin()", BOUNDS),
    m("ball around a point", DISPLACEMENT, "self.chord * (self.lever(p) + ball)", "self.chord * self.lever(p)", BOUNDS),
    m("ball around a point, along a vector", DISPLACEMENT, "ball * around.length()", "0.0 * ball", BOUNDS),
    m("bend of a chord", DISPLACEMENT, "(0.5 * self.half + self.before)", "(0.0 * self.half + self.before)", BOUNDS),
    m("turn before a joint", DISPLACEMENT, "(0.5 * self.half + self.before)", "(0.5 * self.half)", BOUNDS),
    m("turn before a slide", DISPLACEMENT, "n.dot(self.axis).abs() + self.before", "n.dot(self.axis).abs()", BOUNDS),
    m("turning joints in the turn", DISPLACEMENT, "if joint.slides { 0.0 } else { half }", "0.0 * half", TURNS),
    // Queries.
    m(
        "displacement of boxes",
        DISTANCE,
        "spare > self.displacement.any(center, radius)",
        "spare > self.displacement.any(center, 0.0)",
        BAR,
    ),
    m(
        "displacement of boxes along a vector",
        DISTANCE,
        "spare > self.displacement.along(along, center, radius)",
        "spare > self.displacement.along(along, center, 0.0)",
        BAR,
    ),
    m(
        "displacement of triangles",
        DISTANCE,
        "self.along.dot(*v) - bound(*v)",
        "self.along.dot(*v) - 0.5 * bound(*v)",
        WHOLE,
    ),
    m(
        "margin of boxes",
        DISTANCE,
        "apart.gap - self.margin_m - self.of.error_m",
        "apart.gap - self.of.error_m",
        DISTANCES,
    ),
    m(
        "margin of triangles",
        DISTANCE,
        "gap.stays(x, self.displacement, self.margin_m + self.of.error_m)",
        "gap.stays(x, self.displacement, self.of.error_m)",
        DISTANCES,
    ),
    m(
        "half of the other box",
        DISTANCE,
        "in_a.abs() - a.half - abs * b.half",
        "in_a.abs() - a.half - abs * b.half * 0.5",
        DISTANCES,
    ),
    m(
        "displacement of triangles that always touch",
        DISTANCE,
        "Change { away, turn",
        "Change { away: if MUTANT { 0.0 } else { away }, turn",
        WHOLE,
    ),
    m("displacement of a point", PIERCING, "_ => self.away", "_ => if MUTANT { 0.0 } else { self.away }", CERTAIN),
    // The search.
    m("upper half of a box", SEARCH, "([lo, at], [at, hi])", "([lo, at], [lo, at])", CLASSES),
    m(
        "columns of contact everywhere",
        SEARCH,
        "&placed, DVec3::ZERO, &displacement",
        "&placed, if MUTANT { DVec3::X } else { DVec3::ZERO }, &displacement",
        POLE,
    ),
    m(
        "touching, not near",
        CLASSIFY,
        "&Pair { margin_m: 0.0, ..*pair }",
        "&if MUTANT { *pair } else { Pair { margin_m: 0.0, ..*pair } }",
        NEAR,
    ),
    // Proofs.
    m("margin of a proof", PROOF, "margin_m <= self.margin_m", "true", COVERS),
    m("lower limit of a proof", PROOF, "lower <= *lowest", "true", COVERS),
    m("upper limit of a proof", PROOF, "*highest <= upper", "true", COVERS),
    m(
        "margin of a check",
        MODEL,
        "covers(pair, margin_m, ranges)",
        "covers(pair, if MUTANT { 0.0 } else { margin_m }, ranges)",
        USED,
    ),
    m("starts inside solids", CHECK, "!matches!(args.solids, Some(SolidsChoice::Contact))", "true", USED),
    m("range of motions", QUERIES, "self.widen(portion.end(i))", "self.widen(portion.start(i))", USED),
    m("robot of a proof", PROOF, "file.robot != robot_hash(robot)", "false", ONE_ROBOT),
    // Free regions.
    m(
        "both halves of a free region",
        REGION,
        "(!in_upper || is_free_in([middle, hi], upper as usize))",
        "true",
        RANGES,
    ),
    m("a value at the middle of a box", REGION, "from < middle || to <= middle", "from < middle", RANGES),
    m("both parts of the range of an angle", REGION, "Some([lo, (end - TAU).max(lo)])", "None", RANGES),
    m("values below the range of a region", REGION, "from >= lo - spare", "true", RANGES),
    m("margin of a free region", REGION, "drives.iter().all(holds)", "true", MARGIN),
    m("factor of a joint in a region", REGION, "(x - drive.offset) / drive.multiplier", "x - drive.offset", SAMPLED),
    m("deviation above a value", MOTION, "ends[0].max(ends[1]) + stray", "ends[0].max(ends[1])", DEVIATING),
    m("deviation below a value", MOTION, "ends[0].min(ends[1]) - stray", "ends[0].min(ends[1])", DEVIATING),
    m("values along a curve", MOTION, "joint.w_rad == 0.0 && joint.slide_m == DVec3::ZERO", "true", CURVED),
    m("all of a time in a region", LINK_PAIRS, "piece.sub(first + len - 1)[1]", "piece.sub(first)[0]", SAMPLED),
    m(
        "movement in a free box",
        FREE,
        "Displacement::new(&at, &half)",
        "Displacement::new(&at, &vec![0.0; half.len()])",
        SAMPLED,
    ),
    m(
        "halves of which both are free",
        FREE,
        "[RegionNode::Free, RegionNode::Free] =>",
        "[RegionNode::Free, upper] if MUTANT || upper == RegionNode::Free =>",
        SAMPLED,
    ),
    m(
        "columns of joined robots",
        PAIRS,
        "with_first_column(first_column)",
        "with_first_column(if MUTANT { 0 } else { first_column })",
        JOINED,
    ),
];
