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
const BOXES: &str = "stage::solids::tests::boxes_around_links_contain_their_vertices_and_the_errors";
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
    m(
        "the query of a box",
        SOLIDS,
        "&group[bit / WIDTH])) << bit",
        "&group[bit / WIDTH])) << if MUTANT { 0 } else { bit }",
        TREE,
    ),
    m(
        "nodes near any query",
        SOLIDS,
        "let of = near >> slot & EACH;",
        "let of = near >> slot & if MUTANT { 1 } else { EACH };",
        TREE,
    ),
    m(
        "the last of eight queries",
        SOLIDS,
        "WIDTH - group.len()",
        "(WIDTH - group.len()).max(usize::from(MUTANT))",
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
        "self.pose.jet.p[0].transposed().apply(V3::new(from_origin))",
        "(if MUTANT { self.pose.jet.p[0] } else { self.pose.jet.p[0].transposed() }).apply(V3::new(from_origin))",
        RANDOM,
    ),
    m(
        "place of a link",
        SEARCH,
        "pose.jet.p[0].apply(v) + pose.jet.x[0]",
        "pose.jet.p[0].apply(v) + if MUTANT { V3::zero() } else { pose.jet.x[0] }",
        RANDOM,
    ),
    m(
        "error of a box around a link",
        SEARCH,
        "+ V3([error_m; 3]);",
        "+ V3([if MUTANT { error_m * T::new(0.0) } else { error_m }; 3]);",
        BOXES,
    ),
    m("the lane of a link", SEARCH, "side.0[lane]", "side.0[if MUTANT { 0 } else { lane }]", BOXES),
];
