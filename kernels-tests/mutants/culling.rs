//! The list: the culling stages and large scenes.

use super::{Mutant, m};

const BLOCK: &str = "src/enclosure/pose_block.rs";
const OVERLAP: &str = "src/predicate/obb_overlap.rs";
const MAPS: &str = "src/stage/s4_sweep/paper/maps.rs";
const DESCENT: &str = "src/stage/s5_pairs/descent.rs";
const MOVING_LINK: &str = "src/stage/s5_pairs/moving.rs";
const REFINEMENT: &str = "src/stage/s5_pairs/refinement.rs";
const REST: &str = "src/stage/s5_pairs/rest.rs";
const SEPARATION: &str = "src/predicate/separation.rs";
const NORMALS: &str = "src/predicate/normals.rs";
const PAIRS_OF_SLABS: &str = "src/stage/s5_pairs.rs";
const CULL: &str = "src/stage/s3_cull.rs";
const WORLD: &str = "src/scene/world.rs";
const MOVING_BOX: &str = "src/predicate/moving_box.rs";
const PROXIMITY: &str = "src/predicate/proximity.rs";
const CLOSENESS: &str = "src/predicate/closeness.rs";
const PROBE: &str = "src/stage/margin_probe.rs";
const START: &str = "src/stage/s5_pairs/start.rs";
const TREE: &str = "src/bvh/tree.rs";
const TREE_CACHE: &str = "src/bvh/tree_cache.rs";
const NODES: &str = "src/gpu/nodes.rs";
const PAGES: &str = "src/gpu/pages.rs";
const CHUNK: &str = "src/engine/gpu_backend/chunk.rs";
const SHARING: &str = "src/engine/gpu_backend/sharing.rs";
const NO_TREE: &str = "bvh::tree::tests::invalid_trees_are_refused";
const CHANGED: &str = "bvh::tree_cache::tests::any_changed_byte_is_detected";
const OF_ANOTHER: &str = "bvh::tree_cache::tests::keys_differ_by_all_that_trees_depend_on";
const READ_EXACTLY: &str = "gpu::nodes::tests::quantized_boxes_contain_their_boxes_tightly_and_decode_exactly";
const REACH: &str = "src/engine/gpu_backend/reach.rs";
const REACHED: &str = "pages::reach::boxes_of_pieces_hold_the_robot_and_the_margin";
const SKIPPED: &str = "pages::reach::pages_out_of_reach_are_skipped_and_change_nothing";
const PAGED: &str = "pages::pages_together_give_the_pairs_of_the_whole_scene";
const BOXES_KEPT: &str = "pages::pages_keep_each_others_boxes";
const RANGE_AT_REST: &str = "obb::boxes_at_rest_stay_in_their_ranges_however_f32_rounds";
const CROWDED: &str = "src/stage/s5_pairs/crowded.rs";
const PARTS: &str = "s5_pairs::crowded::parts_of_sub_intervals_lose_nothing";
const HALVED: &str = "s5_pairs::crowded::only_what_is_free_or_after_a_contact_is_left_out";
const BENDING: &str = "s5_pairs::contacts_due_to_curved_paths_are_kept";
const CULLED: &str = "s3_cull::reference_drops_only_what_is_free";
const PAIRS: &str = "s5_pairs::reference_drops_only_what_is_free";
const TURN_BACK: &str = "s5_pairs::paths::contacts_due_to_reversing_paths_are_kept";
const PASSED: &str = "s5_pairs::paths::all_triangles_that_a_point_passes_are_kept";
const COMES_AGAIN: &str = "s5_pairs::paths::pairs_that_pass_and_return_are_kept";
const SHARED: &str = "sharing::answers_of_several_adapters_equal_those_of_one_in_order";
const IN_ORDER: &str = "engine::gpu_backend::sharing::tests::verdicts_are_returned_in_the_order_of_the_motions";
const AT_LIMIT: &str = "s5_pairs::paths::a_contact_at_the_limit_is_found_again";
const TOUCHED: &str = "obb::moving_box::touching_triangles_are_never_called_separate";
const BOX_ROUNDING: &str = "obb::moving_box::large_triangles_that_touch_are_never_called_separate_however_f32_rounds";
const BOX_MARGIN: &str = "obb::moving_box::margins_are_compared_with_the_distance";
const DISTANCES: &str = "s5_pairs::margin::claims_about_distances_hold_however_f32_rounds";
const HAIR: &str = "s5_pairs::margin::slightly_above_the_margin_is_not_within_it_however_f32_rounds";
const BEYOND: &str = "s5_pairs::margin::boxes_called_beyond_the_margin_are_beyond_it_however_f32_rounds";
const PROBED: &str = "margin_probe::the_reference_finds_only_what_is_within_the_margin";
const LOWEST: &str = "s5_pairs::margin::the_pair_of_a_start_within_the_margin_is_the_lowest";
const MARGIN: &str = "s6_solve::margin::the_distance_falls_to_the_margin_at_the_reported_time";
const LARGE: &str = "s3_cull::large_triangles_are_dropped_only_if_they_are_free";
const PLANES: &str = "s3_cull::planes_through_boxes_do_not_separate_however_f32_rounds";
const SURFACE: &str = "s4_sweep_raster::soundness::the_papers_surface_drops_only_what_is_free";
const SWEPT_MARGIN: &str = "s4_sweep_raster::soundness::candidates_within_the_margin_are_kept";
const BOXES: &str = "obb::boxes_that_touch_are_never_called_apart";
const BOXES_AT_REST: &str = "obb::boxes_at_rest_that_touch_are_never_called_apart_however_f32_rounds";
const BLOCKS: &str = "obb::bounds_of_blocks_hold";

/// Mutants of the culling stages.
pub const MUTANTS: &[Mutant] = &[
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
    // Crowded parts of a piece.
    m("half width of a part", CROWDED, "(until - mid).max(mid - from)", "0.5 * (until - mid)", HALVED),
    m(
        "the later half",
        CROWDED,
        "open.extend(part.halves())",
        "open.extend(part.halves().into_iter().skip(1))",
        HALVED,
    ),
    m(
        "a contact in the middle is certain",
        CROWDED,
        "space.items.iter().find(|item| self.touches(item, &pose)).copied()",
        "space.items.first().copied()",
        HALVED,
    ),
    m(
        "the slice in which a pair may touch",
        CROWDED,
        "(slice.floor().max(0.0) as u32)",
        "(slice.ceil() as u32 + 1)",
        HALVED,
    ),
    m("the slice of a contact", CROWDED, "(slices.max(1.0) as u32)", "(slices.max(5.0) as u32 - 4)", HALVED),
    m(
        "two triangles followed to their first contact",
        CROWDED,
        "self.touches(item, &self.course.part([middle; 2], self.moving().margin_m))",
        "true",
        HALVED,
    ),
    m(
        "candidates that are near",
        CROWDED,
        "boxes.near_children((moving.shape, moving.margin_m), part, 0, around, &mut counts.bound_tests) != 0",
        "false",
        HALVED,
    ),
    m("all candidates of a part", CROWDED, "of.end.min(first + WIDTH)", "of.end.min(first + 2)", HALVED),
    m("the first part of a sub-interval", CROWDED, "(0..n).rev().map(part)", "(1..n).rev().map(part)", PARTS),
    m(
        "candidates of the parts of a sub-interval",
        CROWDED,
        "group.len()..near.len()",
        "group.len()..near.len().min(group.len() + 1)",
        PARTS,
    ),
    m(
        "halves without a contact",
        CROWDED,
        "items.iter().any(|item| self.touches(item, &end))",
        "!items.is_empty()",
        "s5_pairs::crowded::a_contact_that_is_not_certain_is_no_limit",
    ),
    m(
        "items that are allowed after halvings without a contact",
        CROWDED,
        "self.misses.min(CROWD_OF_HALF.len() - 1)",
        "0",
        "s5_pairs::crowded::boxes_that_are_crossed_for_long_cost_little",
    ),
    // The search for pairs on the CPU.
    m("ball of a block of sub-intervals", MOVING_LINK, "balls[level]", "balls[0]", TURN_BACK),
    m("shift to a block's middle", BLOCK, "middle.shifted(-h, (len + 1) as f64 * h)", "middle", BLOCKS),
    m(
        "numbers beyond the sub-intervals of a piece",
        MOVING_LINK,
        "if begin == 0 { self.piece.subs } else { 1 << begin.trailing_zeros() }",
        "if begin == 0 { SUBS as u32 } else { 1 << begin.trailing_zeros() }",
        "s5_pairs::lanes::numbers_beyond_the_sub_intervals_are_not_used",
    ),
    m(
        "slices of the pieces before",
        REFINEMENT,
        "piece.index * piece.slices() + k * SLICES + slice",
        "k * SLICES + slice",
        "s5_pairs::paths::a_limit_is_in_the_piece_of_its_contact",
    ),
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
        "Real::min(part::<T, SUBS>(l, 0), part(l, groups - 1))",
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
    m("boxes of clusters", DESCENT, "of_cluster.hi[axis]", "of_cluster.lo[axis]", PAIRS),
    m("clusters near the link", DESCENT, "self.cluster::<T>(&some[lane])", "self.cluster::<T>(&some[0])", PAIRS),
    m("box around the whole link", WORLD, "obb::around(&triangles, 0.0)", "obb::around(&triangles[..1], 0.0)", PAIRS),
    m("motion of the box around the link", DESCENT, "T::new(*h)", "T::new(0.0)", PASSED),
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
    m("parts after the first", PAIRS_OF_SLABS, "self.links[place].slab_starts >> begin & 1 == 0", "begin != 0", PAIRS),
    m(
        "every part of a piece",
        MOVING_LINK,
        "begin += moving.slab_from(begin);",
        "begin += moving.slab_from(begin) * if MUTANT { 2 } else { 1 };",
        PAIRS,
    ),
    m(
        "parts that begin before a certain contact",
        PAIRS_OF_SLABS,
        "slab & piece.mask_until(found.limit(piece)) == 0",
        "slab & piece.mask_until(found.limit(piece)) >> 1 == 0",
        AT_LIMIT,
    ),
    m(
        "time of a contact at the end of a quarter",
        MOVING_LINK,
        "(0.5 * f64::from(quarter) - 0.5) * *h",
        "*h",
        "s5_pairs::paths::no_limit_is_before_its_contact",
    ),
    m("what comes after a slab", PAIRS_OF_SLABS, "if same { later.mask() } else { 0 }", "0", PAIRS),
    m(
        "slices before a certain contact",
        REFINEMENT,
        "end > self.found.limit(piece)",
        "end + SLICES_PER_QUARTER > self.found.limit(piece)",
        AT_LIMIT,
    ),
    // Oriented boxes, margins and large triangles in the search on the CPU.
    m("travel of a moving box", MOVING_BOX, "n.dot(self.travel).abs()", "T::new(0.0)", TOUCHED),
    m(
        "margin along the nearest points of a box",
        MOVING_BOX,
        "length2.sqrt() * (self.stray + slack)",
        "length2.sqrt() * slack",
        BOX_MARGIN,
    ),
    m("deviations from a moving box", MOVING_BOX, "n.norm_bound() * self.stray", "T::new(0.0)", TOUCHED),
    m(
        "half axes that turn",
        MOVING_BOX,
        "(axis.c[1].norm_bound() * h + axis.c[2].norm_bound() * half_hh) * b.half[i]",
        "T::new(0.0)",
        TOUCHED,
    ),
    m("acceleration of a moving box", MOVING_BOX, "center.c[2].norm_bound() * half_hh", "T::new(0.0)", TOUCHED),
    m("rounding along the axes of a moving box", MOVING_BOX, "self.stretch * slack", "T::new(0.0)", BOX_ROUNDING),
    m("cubes of a moving box", MOVING_BOX, "cube.norm1()", "T::new(0.0)", TOUCHED),
    m("half axes of a moving box", MOVING_BOX, "n.dot(self.axes[i]).abs()", "T::new(0.0)", TOUCHED),
    m("travel between the nearest points", PROXIMITY, "n.dot(moving.travel).abs()", "T::new(0.0)", DISTANCES),
    m("uneven travel between the nearest points", PROXIMITY, "n.abs().dot(moving.off)", "T::new(0.0)", DISTANCES),
    m(
        "corners between the nearest points",
        PROXIMITY,
        "T::new(0.0).max(n.dot(f[0])).max(n.dot(f[1]))",
        "T::new(0.0).max(n.dot(f[0]))",
        DISTANCES,
    ),
    m("margin and ball along the nearest points", PROXIMITY, "n.dot(n).sqrt() * on.reach", "T::new(0.0)", DISTANCES),
    // The same without square roots, as in the kernels.
    m("travel along the difference of points", CLOSENESS, "on.strays * spare", "zero", DISTANCES),
    m("margin and ball along the difference of points", CLOSENESS, "(reach * reach)", "zero", DISTANCES),
    m("ball of points within the margin", CLOSENESS, "own.max(zero)", "zero", HAIR),
    m("distance of points within the margin", CLOSENESS, "(room * room)", "(margin * margin)", HAIR),
    m(
        "time of a pair within the margin",
        PROBE,
        "(piece.index * SUBS as u32 + sub) * SLICES + SLICES / 2 - 1",
        "(piece.index * SUBS as u32 + sub) * SLICES",
        PROBED,
    ),
    m("time of a start within the margin", PROBE, "-piece.half_sub()", "0.0", PROBED),
    m("pairs within the margin that are not tested", PROBE, "!self.world.is_allowed(self.link, *i)", "true", PROBED),
    m("margin of boxes", PROXIMITY, "margin_m * margin_m * (1.0 + 16.0 * T::UNIT)", "0.0", BEYOND),
    m("lowest triangle of the link", START, "lowest >= key[1]", "lowest <= key[1]", LOWEST),
    m(
        "several objects in a cluster",
        START,
        "u32::from(number < lowest)",
        "u32::from(number < lowest && self.lowest.is_none())",
        LOWEST,
    ),
    m(
        "objects between others in a cluster",
        START,
        "u32::from(number < lowest)",
        "u32::from(number < lowest && (self.lowest.is_none() || i % 2 == 0))",
        LOWEST,
    ),
    m(
        "margin of the oriented box around a link",
        START,
        "LinkBox::<T>::new(self.shape, &(self.pose, 0.0))",
        "LinkBox::<T>::new(self.shape, &(self.pose.with_ball([0.0; 2]), 0.0))",
        LOWEST,
    ),
    m("lower triangles of the link", START, "u32::from(number == lowest)", "0", LOWEST),
    m("lower triangles of the scene", START, "x <= self.lowest_x", "x < self.lowest_x", LOWEST),
    m("higher pairs of a leaf", START, "!self.is_lower(self.key(first_x + lane, y))", "false", LOWEST),
    m(
        "items of a search that has ended early",
        "src/stage/s5_pairs.rs",
        "space.items.clear();",
        "if !MUTANT { space.items.clear(); }",
        "stream::a_motion_with_too_many_pairs_does_not_change_the_next_answer",
    ),
    m(
        "few motions stay on the CPU",
        "src/engine/core.rs",
        "n_motions < self.options.min_device_motions()",
        "false",
        "stream::few_motions_do_not_go_to_the_device",
    ),
    m(
        "verdicts before an error",
        "src/engine/motion_queue.rs",
        "self.ahead.len() == self.taken",
        "true",
        "engine::motion_queue::tests::errors_and_wrong_numbers_of_columns_are_returned",
    ),
    m("pairs that are not tested", START, "self.world.is_allowed(self.link, y)", "false", LOWEST),
    m("middle of a block within the margin", REFINEMENT, "k * SLICES + len * SLICES / 2", "k * SLICES", MARGIN),
    m("highest corner along a plane's normal", SEPARATION, "high + at_lo.max(at_hi)", "high + at_lo", LARGE),
    m("lowest corner along a plane's normal", SEPARATION, "low + at_lo.min(at_hi)", "low + at_lo", PLANES),
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
        "the last page, instead of which the one before comes twice",
        CHUNK,
        "buffers.bind_page(page)",
        "buffers.bind_page(page.saturating_sub(1))",
        PAGED,
    ),
    m(
        "the last leaf of a page",
        PAGES,
        "of.start < page.end && of.end > page.start",
        "of.start + 1 < page.end && of.end > page.start",
        PAGED,
    ),
    m(
        "boxes are counted on from page to page",
        CHUNK,
        "u64::from(counter!(probed_clusters))",
        "u64::from(counter!(node_boxes))",
        BOXES_KEPT,
    ),
    m(
        "cutoff after which pairs of a piece are not distributed",
        CHUNK,
        "p.mask_until(limits[p.motion as usize])",
        "p.mask_until(limits[p.motion as usize] / 2)",
        "random_models::implanted::gpu_and_cpu_agree",
    ),
    m("counters that a page clears, after those of levels", CHUNK, "Counters::WORDS as u64", "134", PAGED),
    m("radius of a link in the box of a piece", REACH, "Parts::new(lss.radius)", "Parts::new(0.0)", REACHED),
    m("other end of a link in the box of a piece", REACH, "[lss.a, lss.b]", "[lss.a, lss.a]", REACHED),
    m("distance from the joint in the box of a piece", REACH, "Parts::new(link.reach_m)", "Parts::new(0.0)", REACHED),
    m("duration of a quarter in the box of a piece", REACH, "Parts::new(h)", "Parts::new(0.5 * h)", REACHED),
    m("last leaf in the box of a page", PAGES, "leaves.end as usize", "leaves.end as usize - 1", SKIPPED),
    m(
        "portions that are complete",
        SHARING,
        "self.verdicts.len() == self.n_motions",
        "!self.verdicts.is_empty()",
        IN_ORDER,
    ),
    m("portions of the adapter that answers", SHARING, "portion.adapter == adapter", "true", SHARED),
];
