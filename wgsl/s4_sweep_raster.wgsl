//!use lib/pose
//!use lib/queue
//!use lib/scene
//!use lib/silhouette
// s4_sweep, drawn: the links' swept volumes, as maps of depth, and the triangles of the candidates against these maps.
// Entry points, in this order: `mark`, `frame`, `clear`; `cell` with `fill`; `verify`; for each axis `along_x`,
// `along_y` or `along_z` with `look`, then `narrow`. src/stage/s4_sweep/raster.rs proves that no contact is missed.
//
// The target's pixels are never written: they only generate fragments. Several tiles share each position in the target,
// so that one draw call serves any number of them and keeps the whole device busy.

@group(0) @binding(0) var<uniform> chunk: ChunkParams;
// Counters.
@group(0) @binding(1) var<storage, read_write> control: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> moving_links: array<MovingLink>;
@group(0) @binding(3) var<storage, read> links: array<Link>;
@group(0) @binding(4) var<storage, read> poses: array<f32>;
@group(0) @binding(5) var<storage, read> boxes: array<f32>;
@group(0) @binding(6) var<storage, read> scene_leaves: array<SceneLeaf>;
@group(0) @binding(7) var<storage, read> scene_triangles: array<SceneTriangle>;
@group(0) @binding(8) var<storage, read_write> candidates: array<Candidate>;
@group(0) @binding(9) var<storage, read> candidates_in: array<Candidate>;
// One word per piece and link: after `mark` the sub-intervals of its candidates, after `frame` its tile or NONE.
@group(0) @binding(10) var<storage, read_write> tile_of: array<atomic<u32>>;
@group(0) @binding(11) var<storage, read> tile_of_in: array<u32>;
@group(0) @binding(12) var<storage, read_write> tiles: array<Tile>;
@group(0) @binding(13) var<storage, read> tiles_in: array<Tile>;
@group(0) @binding(14) var<storage, read_write> atlas: array<atomic<u32>>;
@group(0) @binding(15) var<storage, read> atlas_in: array<u32>;
// Two words per candidate: the triangles that are visible in this view, and 1 if they did not fit into the list.
@group(0) @binding(16) var<storage, read_write> seen: array<atomic<u32>>;
// The triangles of all candidates: the candidate times CLUSTER_SIZE plus the index in its cluster, or NONE.
@group(0) @binding(17) var<storage, read_write> listed: array<u32>;
@group(0) @binding(18) var<storage, read> listed_in: array<u32>;
@group(1) @binding(0) var<uniform> routing: Routing;

// Three maps for a piece and link, in the atlas view by view, row by row: for each pixel NEAREST minus the lowest step
// of depth, and one more than the highest step; both are zero in empty pixels.
struct Tile {
    middle: vec3<f32>,
    piece_link: u32,
    scale: vec3<f32>,
    // Sub-intervals that are drawn.
    mask: u32,
}

const BOX_FLOATS: u32 = 6u;
const DEPTH_STEPS: f32 = 16.0;
const NEAREST: u32 = 0xffffu;
const FINEST: f32 = 65536.0;
// Pixels along a side of the target.
const TARGET_PIXELS: u32 = 1024u;

@compute @workgroup_size(64)
fn mark(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    if id >= queue_length(routing.input, chunk.candidate_capacity) {
        return;
    }
    let c = candidates[id];
    let left = c.triangles & (0xffffffffu >> (CLUSTER_SIZE - scene_leaves[c.cluster].count));
    let n = select(0u, countOneBits(left), c.mask != 0u);
    let first = atomicAdd(&control[routing.output], n);
    let room = arrayLength(&listed);
    let fits = first <= room && n <= room - first;
    atomicStore(&seen[2u * id], 0u);
    atomicStore(&seen[2u * id + 1u], select(1u, 0u, fits));
    var at = first;
    for (var place = 0u; place < CLUSTER_SIZE && n != 0u; place += 1u) {
        if (left >> place & 1u) != 0u {
            // The rest of the list must be initialised, too.
            if at < room {
                listed[at] = select(NONE, id * CLUSTER_SIZE + place, fits);
            }
            at += 1u;
        }
    }
    if n != 0u && fits {
        atomicOr(&tile_of[c.piece * chunk.n_links + c.link], c.mask);
    }
}

@compute @workgroup_size(64)
fn frame(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    if id >= chunk.n_pieces * chunk.n_links {
        return;
    }
    let mask = atomicLoad(&tile_of[id]);
    if mask == 0u {
        atomicStore(&tile_of[id], NONE);
        return;
    }
    // The link's box over the marked sub-intervals.
    let at = (id / chunk.n_links * chunk.n_nodes + id % chunk.n_links) * (BOX_FLOATS * SUBS);
    var lo = vec3<f32>(1e30);
    var hi = vec3<f32>(-1e30);
    for (var sub = 0u; sub < SUBS; sub += 1u) {
        if (mask >> sub & 1u) != 0u {
            let i = at + sub;
            lo = min(lo, vec3<f32>(boxes[i], boxes[i + SUBS], boxes[i + 2u * SUBS]));
            hi = max(hi, vec3<f32>(boxes[i + 3u * SUBS], boxes[i + 4u * SUBS], boxes[i + 5u * SUBS]));
        }
    }
    let half = 0.5 * f32(chunk.tile_pixels);
    let middle = (lo + hi) * 0.5;
    let extent = max(hi - middle, middle - lo);
    var scale: vec3<f32>;
    for (var axis = 0u; axis < 3u; axis += 1u) {
        scale[axis] = min((half - 1.0) * near_reciprocal(extent[axis] + 1e-9), FINEST);
    }
    // Despite the rounding above, the tile must contain the box with half a pixel to spare; and there must be a free
    // slot for it.
    var slot = NONE;
    if all(scale > vec3<f32>(0.0)) && all(extent * scale * (1.0 + 8.0 * UNIT) < vec3<f32>(half - 0.5)) {
        slot = atomicAdd(&control[routing.output], 1u);
        if slot >= chunk.tile_capacity {
            slot = NONE;
        }
    }
    atomicStore(&tile_of[id], slot);
    if slot != NONE {
        tiles[slot] = Tile(middle, id, scale, mask);
    }
}

@compute @workgroup_size(64)
fn clear(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    let pixels = chunk.tile_pixels * chunk.tile_pixels;
    if id < queue_length(routing.input, chunk.tile_capacity) * 3u * pixels {
        atomicStore(&atlas[2u * id], 0u);
        atomicStore(&atlas[2u * id + 1u], 0u);
    }
}

// A vertex of a polygon, and the data that its fragments need.
struct Drawn {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) slab: vec4<f32>,
    @location(1) @interpolate(flat) depth: vec2<f32>,
    // The tile's lowest pixel in the target.
    @location(2) @interpolate(flat) place: vec2<u32>,
    // The map's first pixel in the atlas.
    @location(3) @interpolate(flat) map: u32,
    // The candidate and the index of the triangle in it.
    @location(4) @interpolate(flat) triangle: u32,
}

// Draws no pixel, because all vertices are the same point.
fn nothing() -> Drawn {
    var d: Drawn;
    d.position = vec4<f32>(0.0, 0.0, 0.0, 1.0);
    return d;
}

fn drawn(body: Body, tile: u32, view: u32, vertex: u32, triangle: u32) -> Drawn {
    let t = tiles_in[tile];
    let n = chunk.tile_pixels;
    let half = 0.5 * f32(n);
    let s = silhouette(body, Frame(t.middle, t.scale), view, half);
    // Vertices are within 2 n + 8 of the tile's middle: far enough from the target's rim, nothing is clipped.
    let columns = TARGET_PIXELS / n - 4u;
    let slot = (tile * 3u + view) % (columns * columns);
    var d: Drawn;
    d.place = (vec2<u32>(slot % columns, slot / columns) + vec2<u32>(2u)) * n;
    let at = (vec2<f32>(d.place) + vec2<f32>(half) + strip_vertex(s, vertex)) * (2.0 / f32(TARGET_PIXELS));
    d.position = vec4<f32>(at.x - 1.0, 1.0 - at.y, 0.0, 1.0);
    d.slab = s.slab;
    d.depth = s.depth;
    d.map = (tile * 3u + view) * n * n;
    d.triangle = triangle;
    return d;
}

@vertex
fn cell(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Drawn {
    let tile = instance / (3u * SUBS);
    let view = instance / SUBS % 3u;
    let sub = instance % SUBS;
    let t = tiles_in[tile];
    if (t.mask >> sub & 1u) == 0u {
        return nothing();
    }
    let m = moving_links[t.piece_link];
    let link = links[m.link];
    let pose = pose_at(t.piece_link / chunk.n_links, m.body, sub);
    let a = pose_point(pose, link.a, m.balls.x);
    let b = pose_point(pose, link.b, m.balls.x);
    return drawn(swept_body(a, b, link.radius, m.h), tile, view, vertex, 0u);
}

// The pixel of a map for a fragment, or NONE if it is beyond the tile's rim.
fn pixel_of(d: Drawn) -> u32 {
    let n = chunk.tile_pixels;
    let p = vec2<u32>(d.position.xy) - d.place;
    if p.x >= n || p.y >= n {
        return NONE;
    }
    return d.map + p.y * n + p.x;
}

// The step that contains a depth. Equal depths have equal steps and higher ones never a lower step, so ranges that
// overlap still overlap as ranges of steps.
fn step_of(z: f32, half: f32) -> u32 {
    return u32(min(max(z + half, 0.0), 2.0 * half) * DEPTH_STEPS);
}

// Lowest and highest step of depth in a fragment's pixel; the lowest is above the highest if the body is not in the
// pixel.
fn steps(d: Drawn) -> vec2<u32> {
    let half = 0.5 * f32(chunk.tile_pixels);
    let c = vec2<f32>(vec2<u32>(d.position.xy) - d.place) + vec2<f32>(0.5 - half);
    let there = d.slab.x * c.x + d.slab.y * c.y;
    let near = max(d.depth.x, there + d.slab.z);
    let far = min(d.depth.y, there + d.slab.w);
    return vec2<u32>(step_of(near, half), step_of(far, half));
}

@fragment
fn fill(d: Drawn) {
    let pixel = pixel_of(d);
    if pixel == NONE {
        return;
    }
    let s = steps(d);
    if s.x <= s.y {
        atomicMax(&atlas[2u * pixel], NEAREST - s.x);
        atomicMax(&atlas[2u * pixel + 1u], s.y + 1u);
    }
}

// Returns whether a point, in pixels from the tile's middle, is in a map.
fn is_filled(map: u32, q: vec3<f32>) -> bool {
    let n = chunk.tile_pixels;
    let half = 0.5 * f32(n);
    let p = min(vec2<u32>(max(q.xy + vec2<f32>(half), vec2<f32>(0.0))), vec2<u32>(n - 1u));
    let pixel = map + p.y * n + p.x;
    let step = step_of(q.z, half);
    return step < atomicLoad(&atlas[2u * pixel + 1u]) && NEAREST - atomicLoad(&atlas[2u * pixel]) <= step;
}

// The middle of an end's path in a body, without the radius.
fn body_middle(p: PointBound, h: f32) -> vec3<f32> {
    return p.c0 + p.c2 * (h * h * 0.25);
}

// A device that loses draw calls would clear triangles that are not free. So each end of the link must be found in the
// maps of each sub-interval that should have been drawn; if one is missing, the tile is not used. That does not prove
// the maps complete, but a draw call that was lost completely is detected.
@compute @workgroup_size(64)
fn verify(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    let tile = id / SUBS;
    let sub = id % SUBS;
    if tile >= queue_length(routing.input, chunk.tile_capacity) {
        return;
    }
    let t = tiles_in[tile];
    if (t.mask >> sub & 1u) == 0u {
        return;
    }
    let m = moving_links[t.piece_link];
    let link = links[m.link];
    let pose = pose_at(t.piece_link / chunk.n_links, m.body, sub);
    let a = body_middle(pose_point(pose, link.a, m.balls.x), m.h) - t.middle;
    let b = body_middle(pose_point(pose, link.b, m.balls.x), m.h) - t.middle;
    for (var view = 0u; view < 3u; view += 1u) {
        let scale = turned(t.scale, view);
        let map = (tile * 3u + view) * chunk.tile_pixels * chunk.tile_pixels;
        if !(is_filled(map, turned(a, view) * scale) && is_filled(map, turned(b, view) * scale)) {
            atomicStore(&tile_of[t.piece_link], NONE);
        }
    }
}

fn triangle_drawn(view: u32, vertex: u32, instance: u32) -> Drawn {
    let triangle = listed_in[instance];
    if triangle == NONE {
        return nothing();
    }
    let c = candidates_in[triangle / CLUSTER_SIZE];
    let place = triangle % CLUSTER_SIZE;
    let tile = tile_of_in[c.piece * chunk.n_links + c.link];
    if tile == NONE || (c.triangles >> place & 1u) == 0u {
        return nothing();
    }
    let t = standing(scene_leaves[c.cluster].first + place);
    return drawn(triangle_body(t.y0, t.y1, t.y2, t.error), tile, view, vertex, triangle);
}

@vertex
fn along_x(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Drawn {
    return triangle_drawn(0u, vertex, instance);
}

@vertex
fn along_y(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Drawn {
    return triangle_drawn(1u, vertex, instance);
}

@vertex
fn along_z(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Drawn {
    return triangle_drawn(2u, vertex, instance);
}

@fragment
fn look(d: Drawn) {
    let pixel = pixel_of(d);
    if pixel == NONE {
        return;
    }
    let s = steps(d);
    // No step is below the highest of an empty pixel, none above its lowest.
    if s.x > s.y || s.x >= atlas_in[2u * pixel + 1u] || NEAREST - atlas_in[2u * pixel] > s.y {
        return;
    }
    atomicOr(&seen[d.triangle / CLUSTER_SIZE * 2u], 1u << (d.triangle % CLUSTER_SIZE));
}

@compute @workgroup_size(64)
fn narrow(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    if id >= queue_length(routing.input, chunk.candidate_capacity) {
        return;
    }
    let c = candidates[id];
    let count = scene_leaves[c.cluster].count;
    var left = c.triangles & (0xffffffffu >> (CLUSTER_SIZE - count));
    // Without a tile, or space in the list, nothing was drawn.
    let tile = atomicLoad(&tile_of[c.piece * chunk.n_links + c.link]);
    let looked = tile != NONE && atomicLoad(&seen[2u * id + 1u]) == 0u;
    if looked {
        left &= atomicLoad(&seen[2u * id]);
        atomicStore(&seen[2u * id], 0u);
        candidates[id].triangles = left;
        if left == 0u {
            candidates[id].mask = 0u;
        }
    }
    atomicAdd(&control[routing.output], select(0u, 1u, left != 0u));
    atomicAdd(&control[routing.output + 1u], count);
    atomicAdd(&control[routing.output + 2u], countOneBits(left));
}
