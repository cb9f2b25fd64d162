//! The list: links against links.

use super::{Mutant, m};

const RELATIVE: &str = "src/robot/relative_motion.rs";
const FRAMES: &str = "src/scene/link_frames.rs";
const PAIRS: &str = "src/stage/link_pairs.rs";
const SOLVER: &str = "src/stage/s6_solve/mod.rs";
const RECORD: &str = "src/stage/s6_solve/record.rs";
const CHAIN: &str = "src/enclosure/chain_bounds.rs";
const INVERSION: &str = "robot::relative_motion::tests::points_agree_with_inverted_poses";
const PATH_ONLY: &str = "robot::relative_motion::tests::only_joints_between_the_bodies_count";
const STRAY: &str = "robot::relative_motion::tests::balls_contain_the_defects_of_inverted_joints";
const RANDOM: &str = "link_pairs::random::random_trees_of_links";
const COMPOSED: &str = "src/enclosure/relative_pose.rs";
const LINK_STARTS: &str = "src/stage/link_pairs/start.rs";
const PASS: &str = "src/engine/gpu_backend/link_pass.rs";
const COMPOSED_PATHS: &str = "enclosure::relative_pose::tests::paths_stay_in_the_ball_of_the_composed_jet";
const EMULATED: &str = "link_pairs::composed::composed_poses_stay_in_their_balls";
const QUEUES: &str = "link_pairs::device::overflowing_queues_lose_nothing";
const ON_GPU: &str = "link_pairs::random::random_trees_of_links_on_the_gpu";
const LOWEST: &str = "link_pairs::starts::the_pair_of_a_start_within_the_margin_is_the_lowest_of_scene_and_links";
const REVERSED: &str = "link_pairs::invariance::the_elements_of_the_file_in_reverse_order";

const SPHERES: &str = "src/predicate/lss_separation.rs";
const APART: &str = "lss::separated_spheres_stay_apart";
const BOTH_APART: &str = "lss::separated_moving_spheres_stay_apart";
const ROUNDED: &str = "lss::touching_spheres_are_never_separated_however_f32_rounds";

/// Mutants of pairs of links.
pub const MUTANTS: &[Mutant] = &[
    m("velocity of a moving sphere", SPHERES, "n.dot(c1).abs() * h", "T::new(0.0)", APART),
    m("acceleration of a moving sphere", SPHERES, "(-n.dot(c2)).max(T::new(0.0)) * half_hh", "T::new(0.0)", APART),
    m("ball of a moving sphere", SPHERES, "end.ball", "T::new(0.0)", APART),
    m("cube of a moving sphere", SPHERES, "end.cube.norm1()", "T::new(0.0)", APART),
    m("first end of a moving sphere", SPHERES, "lowest.min(low)", "low", APART),
    m(
        "second end of a static sphere",
        SPHERES,
        "n.dot(fixed_ends[0]).max(n.dot(fixed_ends[1]))",
        "n.dot(fixed_ends[0])",
        APART,
    ),
    m("radius of a static sphere", SPHERES, "T::new(fixed.radius) + radius", "radius", APART),
    m("velocity of two moving spheres", SPHERES, "n.dot(v).abs() * h", "zero", BOTH_APART),
    m("acceleration of two moving spheres", SPHERES, "(-n.dot(w)).max(zero) * half_hh", "zero", BOTH_APART),
    m(
        "balls of two moving spheres",
        SPHERES,
        "self.radius + self.ends[0].ball.max(self.ends[1].ball)",
        "self.radius",
        BOTH_APART,
    ),
    m("cubes of two moving spheres", SPHERES, "n.abs().dot(p.cube + q.cube)", "zero", BOTH_APART),
    m(
        "lowest difference of two ends",
        SPHERES,
        "gap.min(",
        "(if MUTANT { T::new(f64::INFINITY) } else { gap }).min(",
        BOTH_APART,
    ),
    m("radius of the other moving sphere", SPHERES, "a.reach() + b.reach()", "a.reach()", BOTH_APART),
    m(
        "rounding of the gap of two moving spheres",
        SPHERES,
        "size * T::new(ROUNDINGS * T::UNIT) + underflow",
        "underflow",
        ROUNDED,
    ),
    m("margin between the boxes of links at the start", LINK_STARTS, "0.5 * margin_m", "0.0", LOWEST),
    m("order of the triangles of two links", LINK_STARTS, "near.first == near.moving", "true", LOWEST),
    m("motion of a pair of links at the start", LINK_STARTS, "path.joints.len() as u32 - 1", "0", LOWEST),
    m(
        "joints above the common ancestor left out",
        RELATIVE,
        "up.iter().rev().zip(down.iter().rev()).take_while(|(x, y)| x == y).count()",
        "0",
        PATH_ONLY,
    ),
    m(
        "order of the inverted joints",
        RELATIVE,
        "for &body in up {\n            let (joint, defect)",
        "for &body in (0..up.len()).map(|i| &up[if MUTANT { up.len() - 1 - i } else { i }]) {\
         \n            let (joint, defect)",
        INVERSION,
    ),
    m(
        "sign of an inverted offset",
        RELATIVE,
        "inverted(joint, -origin_m, -slide_m)",
        "inverted(joint, origin_m, slide_m)",
        INVERSION,
    ),
    m(
        "transpose of one matrix",
        RELATIVE,
        "[joint.a, joint.b, joint.c].map(|m| m.transpose())",
        "[joint.a.transpose(), joint.b, joint.c.transpose()]",
        INVERSION,
    ),
    m(
        "offset at the turning point",
        RELATIVE,
        "(joint.origin_m - origin_m, joint.slide_m - slide_m)",
        "(joint.origin_m, joint.slide_m)",
        INVERSION,
    ),
    m("defect of inverted joints", RELATIVE, "1.01 * inverse_defect * far_m", "0.0", STRAY),
    m("stray in the ball", CHAIN, "r[0] + e[0] + self.stray_m", "r[0] + e[0]", STRAY),
    m(
        "triangles of the link at rest",
        FRAMES,
        "&self.robot.links[self.links[link as usize].link as usize]",
        "&self.robot.links[(self.links[link as usize].link as usize + 1) % self.robot.links.len()]",
        RANDOM,
    ),
    m(
        "boxes of both links in the world",
        PAIRS,
        "input.boxes.overlap(0, frame.link, link)",
        "input.boxes.overlap(0, link, link) & (input.boxes.overlap(0, frame.link, link) >> 1)",
        RANDOM,
    ),
    m(
        "links in the order of the robot",
        SOLVER,
        "Some(fixed) if fixed < shape =>",
        "Some(fixed) if MUTANT != (fixed < shape) =>",
        REVERSED,
    ),
    m("normal towards the first link", RECORD, "if pair.shape == pair.moving { 1.0 } else { -1.0 }", "1.0", RANDOM),
    m(
        "remainder of the path",
        COMPOSED,
        "(self.remainder(h), composed_rounding(bodies, h, unit))",
        "([0.0; 2], composed_rounding(bodies, h, unit))",
        COMPOSED_PATHS,
    ),
    m(
        "velocity of the frame",
        COMPOSED,
        "turned_back(a1, i, d[0]) + turned_back(a0, i, d[1])",
        "turned_back(a0, i, d[1])",
        COMPOSED_PATHS,
    ),
    m(
        "twice the product of velocities",
        COMPOSED,
        "two * column_dot(a1, i, b1, j)",
        "column_dot(a1, i, b1, j)",
        COMPOSED_PATHS,
    ),
    m(
        "rounding of composed poses",
        COMPOSED,
        "let constant = s_a * far + c_a + c_b + 32.0 * unit * far;",
        "let constant = if MUTANT { 0.0 } else { s_a * far + c_a + c_b + 32.0 * unit * far };",
        EMULATED,
    ),
    m(
        "motions left to the CPU",
        PASS,
        "output.is_left_out[near.motion()] = true",
        "output.is_left_out[near.motion()] = false",
        QUEUES,
    ),
    m("pieces that overflow", PASS, "is_whole[i] = false", "is_whole[i] = true", QUEUES),
    m(
        "first triangle of the frame",
        PASS,
        "pair.scene_triangle - pass.starts[near.frame as usize].triangle",
        "pair.scene_triangle % self.world.frames[near.frame as usize].world.scene.triangles.len() as u32",
        ON_GPU,
    ),
    m("the tree of the frame", PASS, "starts[self.frame as usize].node", "0", ON_GPU),
    m(
        "both bodies of a pair",
        PASS,
        "bodies.map(|body| near.piece * n_bodies + body)",
        "[0, 1].map(|_| near.piece * n_bodies + bodies[0])",
        ON_GPU,
    ),
    m("contact in the world", RECORD, "x[0] + p[0].apply(V3(at.point))", "V3(at.point)", RANDOM),
];
