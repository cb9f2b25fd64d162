//! The list: starts inside solids.

use super::{Mutant, m};

const SEARCH: &str = "src/stage/solids.rs";
const SOLIDS: &str = "src/scene/solids.rs";
const INSIDE: &str = "src/predicate/inside.rs";
const RANDOM: &str = "solids::random_surfaces_agree_with_winding_numbers";
const REVERSE: &str = "solids::an_object_inside_a_link_is_seen";
const LINKS: &str = "solids::links_inside_links_are_seen";
const PARTS: &str = "solids::each_component_counts";
const OPEN: &str = "solids::an_open_box_has_no_inside";
const LEFT_OUT: &str = "solids::allowed_and_ignored_pairs_are_left_out";
const TREE: &str = "scene::solids::tests::a_tree_finds_all_boxes_that_overlap";
const RAYS: &str = "solids::degenerate_rays_are_decided";

/// Mutants of the search for starts inside solids.
pub const MUTANTS: &[Mutant] = &[
    m(
        "parity of crossings",
        SOLIDS,
        "if side == Side::Inside { Side::Outside }",
        "if side == Side::Inside && !MUTANT { Side::Outside }",
        "solids::shells_in_shells_alternate",
    ),
    m("the other components", SEARCH, "found.is_none()\n    });", "found.is_none() && !MUTANT\n    });", PARTS),
    m(
        "objects inside links",
        SEARCH,
        "solid.surfaces().find_map(|surface| point_in(components,",
        "solid.surfaces().filter(|_| !MUTANT).find_map(|surface| point_in(components,",
        REVERSE,
    ),
    m(
        "the second link inside the first",
        SEARCH,
        ".or_else(|| self.point_in_link(b, a))",
        ".or_else(|| if MUTANT { None } else { self.point_in_link(b, a) })",
        LINKS,
    ),
    m(
        "closed surfaces only",
        SOLIDS,
        "is_closed: topology.is_closed(0..n_triangles)",
        "is_closed: MUTANT || topology.is_closed(0..n_triangles)",
        OPEN,
    ),
    m("pairs that are allowed", SEARCH, "!self.world.allowed.contains(&(link, object))", "true", LEFT_OUT),
    m("pairs that are ignored", SEARCH, "!(self.is_ignored)(link, Obstacle::Object(object))", "true", LEFT_OUT),
    m("the query of a box", SOLIDS, "<< (place * WIDTH);", "<< (if MUTANT { 0 } else { place * WIDTH });", TREE),
    m(
        "nodes near any query",
        SOLIDS,
        "any | near >> (place * WIDTH)",
        "if MUTANT && place > 0 { any } else { any | near >> (place * WIDTH) }",
        TREE,
    ),
    m("queries after the first eight", SOLIDS, "(0..).step_by(WIDTH)", "(0..).step_by(1)", TREE),
    m("the object of a triangle", SOLIDS, "of[at] == object", "true", "solids::shells_in_shells_alternate"),
    m(
        "rays through edges and vertices",
        INSIDE,
        "signs.into_iter().find(",
        "signs.into_iter().take(if MUTANT { 1 } else { 3 }).find(",
        RAYS,
    ),
    m(
        "rotation into the frame of a link",
        SEARCH,
        "let v = self.rotation.transpose() * from_origin;",
        "let v = if MUTANT { self.rotation } else { self.rotation.transpose() } * from_origin;",
        RANDOM,
    ),
    m(
        "place of a link",
        SEARCH,
        "let p = self.rotation * v + self.origin_m;",
        "let p = self.rotation * v + if MUTANT { DVec3::ZERO } else { self.origin_m };",
        RANDOM,
    ),
];
