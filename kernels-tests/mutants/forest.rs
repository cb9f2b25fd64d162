//! The list: several robots and attached objects.

use super::{Mutant, m};

const FOREST: &str = "src/robot/forest.rs";
const CARRIED: &str = "formats::urdf::tests::objects_are_carried_by_links_of_any_name";
const ATTACHED: &str = "src/robot/attached.rs";
const PAIRS: &str = "src/robot/link_pairs.rs";
const WORLD: &str = "src/scene/world.rs";
const FAR: &str = "forest::answers::bases_far_from_the_origin";
const ALONE: &str = "forest::answers::each_robot_moves_as_it_does_alone";
const OWN: &str = "forest::pairs::each_robot_keeps_its_own_pairs";
const MEET: &str = "forest::attached::attached_objects_meet_each_other";
const PLACED: &str = "forest::attached::poses_are_in_the_frame_of_the_link";

/// Mutants of several robots and attached objects.
pub const MUTANTS: &[Mutant] = &[
    m("columns of later robots", FOREST, "drive.column + first", "drive.column", ALONE),
    m(
        "the base of every robot",
        WORLD,
        "for root in robot.roots() {",
        "for root in robot.roots().into_iter().take(if MUTANT { 1 } else { usize::MAX }) {",
        FAR,
    ),
    m("own pairs of later robots", PAIRS, "pair.map(|link| link + first)", "pair", OWN),
    m(
        "pairs of attached objects",
        PAIRS,
        "self.add_all_of(robot, own);",
        "if !MUTANT {\n                self.add_all_of(robot, own);\n            }",
        MEET,
    ),
    m("the frame of the link that carries an object", ATTACHED, "frame * *pose", "*pose", PLACED),
    m("frames without a link", ATTACHED, "!link.is_empty()", "true", CARRIED),
];
