//!use lib/closeness
//!use lib/cutoff
//!use lib/link_nodes
//!use lib/pose
//!use lib/queue
//!use lib/scene
//!use lib/scene_nodes
// margin_probe: looks for one pair of triangles within the margin, for each link at the start of a motion and in the
// middle of each sub-interval, before s3_cull. A pair that is found lowers the motion's cutoff, so that the later
// stages do not collect all the pairs that follow. The search follows few branches of the trees and may miss pairs; a
// pair counts only if it is certainly within the margin. Entry points: `seek`, one invocation for each time, piece and
// link, which lists clusters near the link, and `compare`, one invocation for each cluster of the list.

@group(0) @binding(0) var<uniform> chunk: ChunkParams;
@group(0) @binding(1) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> moving_links: array<MovingLink>;
@group(0) @binding(3) var<storage, read> poses: array<f32>;
@group(0) @binding(4) var<storage, read> links: array<Link>;
@group(0) @binding(5) var<storage, read> scene_nodes: array<SceneNode>;
@group(0) @binding(6) var<storage, read> scene_leaves: array<SceneLeaf>;
@group(0) @binding(7) var<storage, read> scene_triangles: array<SceneTriangle>;
// One bit per link and object: set for pairs that are never tested.
@group(0) @binding(8) var<storage, read> allowed_pairs: array<u32>;
@group(0) @binding(9) var<storage, read> link_nodes: array<LinkChild>;
@group(0) @binding(10) var<storage, read> link_triangles: array<LinkTriangle>;
@group(0) @binding(11) var<storage, read_write> items: array<ProbeItem>;
@group(1) @binding(0) var<uniform> routing: Routing;

// A cluster near a link at a time.
struct ProbeItem {
    piece_link: u32,
    // 0 for the start, and the number of the sub-interval, counted from 1.
    time: u32,
    first_triangle: u32,
    n_triangles: u32,
}

// Nodes of the scene's tree that one search may open, and clusters that it may list.
const MAX_OPENED: u32 = 24u;
const MAX_CLUSTERS: u32 = 4u;
// Pending nodes and clusters; those that do not fit are not searched.
const MAX_OPEN: u32 = 32u;
// Levels of a link's tree.
const MAX_LEVELS: u32 = 61u;

// About where a link is at a time.
struct Placed {
    x: vec3<f32>,
    p: Rows,
}

fn to_world(at: Placed, e: vec3<f32>) -> vec3<f32> {
    return at.x + apply(at.p, e);
}

// The point of the body that is at a place of the world.
fn to_body(at: Placed, y: vec3<f32>) -> vec3<f32> {
    let d = y - at.x;
    return at.p.x * d.x + at.p.y * d.y + at.p.z * d.z;
}

fn length2(v: vec3<f32>) -> f32 {
    return dot3(v, v);
}

// Position, from -1 to 1, of a point along the axis from `-half` to `half`; `d` is the point relative to its middle.
fn share(d: vec3<f32>, half: vec3<f32>) -> f32 {
    return min(max(dot3(d, half) / max(length2(half), LEAST), -1.0), 1.0);
}

// A point less the nearest point of a box, for the displacement of the point from the box's centre.
fn to_box(d: vec3<f32>, slot: LinkChild) -> vec3<f32> {
    let x = slot.half_0 * share(d, slot.half_0);
    let y = slot.half_1 * share(d, slot.half_1);
    let z = slot.half_2 * share(d, slot.half_2);
    return d - (x + y + z);
}

// The triangle of the leaf of a link's tree that is nearest to a point of its body, by the centres of the boxes on the
// way and by the corners of the triangles.
fn nearest_triangle(root: u32, e: vec3<f32>) -> u32 {
    var node = root;
    var leaf = EMPTY;
    for (var level = 0u; level < MAX_LEVELS && leaf == EMPTY; level += 1u) {
        var best = 3e38;
        var next = EMPTY;
        for (var place = 0u; place < WIDTH; place += 1u) {
            let slot = link_nodes[node * WIDTH + place];
            if slot.child == EMPTY {
                continue;
            }
            let d = e - slot.center;
            // Of boxes that contain the point, the one whose centre is nearest.
            let away = length2(to_box(d, slot)) + 1e-3 * length2(d);
            if away < best {
                best = away;
                next = slot.child;
            }
        }
        if next == EMPTY {
            return NONE;
        }
        if (next & LEAF_BIT) != 0u {
            leaf = next & ~LEAF_BIT;
        } else {
            node = next;
        }
    }
    if leaf == EMPTY {
        return NONE;
    }
    let first = leaf / LINK_LEAF;
    var best = 3e38;
    var found = first;
    for (var i = first; i <= first + leaf % LINK_LEAF; i += 1u) {
        let t = link_triangles[i];
        let away = min(min(length2(t.e0 - e), length2(t.e1 - e)), length2(t.e2 - e));
        if away < best {
            best = away;
            found = i;
        }
    }
    return found;
}

fn is_allowed(link: u32, object: u32) -> bool {
    if (chunk.flags & FLAG_ALLOWED_PAIRS) == 0u {
        return false;
    }
    let bit = link * chunk.n_objects + object;
    return (allowed_pairs[bit / 32u] & (1u << (bit % 32u))) != 0u;
}

// The point of a triangle that is about nearest to another point.
fn on_triangle(y: vec3<f32>, i: u32) -> vec3<f32> {
    let t = scene_triangles[i];
    let none = vec3<f32>(0.0);
    var away = to_face(y, Triangle(t.y0, t.y1, t.y2));
    away = shorter(away, between_edges(y - t.y0, none, t.y1 - t.y0));
    away = shorter(away, between_edges(y - t.y1, none, t.y2 - t.y1));
    away = shorter(away, between_edges(y - t.y2, none, t.y0 - t.y2));
    return y - away;
}

// The triangle of a cluster that is nearest to a point; NONE if all are ignored.
fn nearest_of_cluster(item: ProbeItem, link: u32, y: vec3<f32>) -> u32 {
    var best = 3e38;
    var found = NONE;
    for (var i = item.first_triangle; i < item.first_triangle + item.n_triangles; i += 1u) {
        let away = length2(y - on_triangle(y, i));
        if away < best && !is_allowed(link, scene_triangles[i].object) {
            best = away;
            found = i;
        }
    }
    return found;
}

fn centre(t: LinkTriangle) -> vec3<f32> {
    return (t.e0 + t.e1 + t.e2) * 0.333;
}

// The local time in the sub-interval.
fn shift_of(m: MovingLink, time: u32) -> f32 {
    return select(0.0, -m.h, time == 0u);
}

// The slices that remain if a pair is found: those up to the time.
fn slices_until(m: MovingLink, time: u32) -> u32 {
    if time == 0u {
        return 0u;
    }
    return (m.index * SUBS + time - 1u) * SLICES + SLICES / 2u;
}

fn placed(pose: Pose, shift: f32) -> Placed {
    var at = Placed(pose.x0, pose.p0);
    if chunk.form == FORM_JET {
        let half = shift * shift * 0.5;
        at.x += pose.x1 * shift + pose.x2 * half;
        at.p.x += pose.p1.x * shift + pose.p2.x * half;
        at.p.y += pose.p1.y * shift + pose.p2.y * half;
        at.p.z += pose.p1.z * shift + pose.p2.z * half;
    }
    return at;
}

fn list(cluster: u32, piece_link: u32, time: u32) {
    // Clusters that do not fit are not compared.
    let slot = atomicAdd(&control[routing.output], 1u);
    if slot < chunk.queue_capacity {
        items[slot] = ProbeItem(piece_link, time, scene_leaves[cluster].first, scene_leaves[cluster].count);
    }
}

@compute @workgroup_size(64)
fn seek(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    let n = max(chunk.n_pieces * chunk.n_links, 1u);
    // The start, and then the middle of each sub-interval.
    let time = id / n;
    if time > SUBS {
        return;
    }
    let piece_link = id % n;
    let m = moving_links[piece_link];
    if time == 0u && (m.index != 0u || (chunk.flags & FLAG_STARTS) == 0u) {
        return;
    }
    if slices_left(m.motion) <= slices_until(m, time) {
        return;
    }
    let at = placed(pose_at(piece_link / chunk.n_links, m.body, max(time, 1u) - 1u), shift_of(m, time));
    let link = links[m.link];
    let middle = to_world(at, (link.a + link.b) * 0.5);
    let half = apply(at.p, (link.b - link.a) * 0.5);
    let reach = chunk.margin_m + link.radius;
    var open: array<u32, MAX_OPEN>;
    var n_open = 1u;
    open[0] = 0u;
    var opened = 0u;
    var listed = 0u;
    while n_open > 0u && opened < MAX_OPENED && listed < MAX_CLUSTERS {
        n_open -= 1u;
        let next = open[n_open];
        if (next & LEAF_BIT) != 0u {
            listed += 1u;
            list(next & ~LEAF_BIT, piece_link, time);
            continue;
        }
        opened += 1u;
        let origin = scene_nodes[next].origin;
        let step = scene_nodes[next].step;
        var best = 3e38;
        var nearest = EMPTY;
        for (var i = 0u; i < WIDTH; i += 1u) {
            let slot = scene_nodes[next].children[i];
            if slot.child == EMPTY {
                continue;
            }
            // The distance of the link's axis from the box, roughly: of the point of the axis nearest to its centre.
            let around = child_box(slot, origin, step);
            let p = middle + half * share((around.lo + around.hi) * 0.5 - middle, half);
            let away = length2(p - min(max(p, around.lo), around.hi));
            if away > reach * reach {
                continue;
            }
            // The nearest one is opened next, so it comes last.
            var later = slot.child;
            if away < best {
                later = nearest;
                best = away;
                nearest = slot.child;
            }
            if later != EMPTY && n_open < MAX_OPEN {
                open[n_open] = later;
                n_open += 1u;
            }
        }
        if nearest != EMPTY && n_open < MAX_OPEN {
            open[n_open] = nearest;
            n_open += 1u;
        }
    }
}

// Returns whether a triangle of the link and one of the scene are certainly within the margin at the local time
// `shift`.
fn is_near(m: MovingLink, pose: Pose, shift: f32, x: u32, y: u32) -> bool {
    let t = link_triangles[x];
    let fixed = standing(y);
    let a = point_shifted(pose_point(pose, t.e0, m.balls.x), shift, m.h);
    let b = point_shifted(pose_point(pose, t.e1, m.balls.x), shift, m.h);
    let c = point_shifted(pose_point(pose, t.e2, m.balls.x), shift, m.h);
    let n = apart(Triangle(a.c0, b.c0, c.c0), Triangle(fixed.y0, fixed.y1, fixed.y2));
    return is_within(n, a, b, c, fixed, chunk.margin_m);
}

fn mean(sum: vec3<f32>, n: u32) -> vec3<f32> {
    return sum / f32(max(n, 1u));
}

// From the middle of the link to the cluster, from there to the link, and twice back.
@compute @workgroup_size(64)
fn compare(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    if id >= queue_length(routing.input, chunk.queue_capacity) {
        return;
    }
    let item = items[id];
    let m = moving_links[item.piece_link];
    let until = slices_until(m, item.time);
    if slices_left(m.motion) <= until {
        return;
    }
    let pose = pose_at(item.piece_link / chunk.n_links, m.body, max(item.time, 1u) - 1u);
    let shift = shift_of(m, item.time);
    let at = placed(pose, shift);
    var sum = vec3<f32>(0.0);
    var n = 0u;
    for (var i = 0u; i < WIDTH; i += 1u) {
        let slot = link_nodes[m.link * WIDTH + i];
        if slot.child != EMPTY {
            sum += slot.center;
            n += 1u;
        }
    }
    let middle = to_world(at, mean(sum, n));
    var y = nearest_of_cluster(item, m.link, middle);
    if y == NONE {
        return;
    }
    var x = nearest_triangle(m.link, to_body(at, on_triangle(middle, y)));
    for (var round = 0u; round < 3u && x != NONE && y != NONE; round += 1u) {
        if is_near(m, pose, shift, x, y) {
            keep_slices(m.motion, until);
            return;
        }
        let place = to_world(at, centre(link_triangles[x]));
        y = nearest_of_cluster(item, m.link, place);
        if y != NONE && round == 1u {
            x = nearest_triangle(m.link, to_body(at, on_triangle(place, y)));
        }
    }
}
