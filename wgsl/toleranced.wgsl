//!use lib/bound
// toleranced: finds the contacts of a fat triangle and a fixed one that cannot be excluded (src/stage/toleranced.rs).
// One invocation for each pair.

// Each vector except those with a radius is followed by a word of padding.
struct TolerancedPair {
    c0: vec3<f32>,
    r0: f32,
    c1: vec3<f32>,
    r1: f32,
    c2: vec3<f32>,
    r2: f32,
    q0: vec3<f32>,
    q1: vec3<f32>,
    q2: vec3<f32>,
}

@group(0) @binding(0) var<storage, read> toleranced_pairs: array<TolerancedPair>;
@group(0) @binding(1) var<storage, read_write> toleranced_masks: array<u32>;

const PLANE_ROUNDINGS: f32 = 16.0;
const PLANE_STEPS: u32 = 10u;
const PLANE_TRIES: u32 = 6u;
// The bit for any contact.
const ANY: u32 = 15u;

// The corners of an edge, as a mask.
fn edge_of(k: u32) -> u32 {
    return select(select(5u, 6u, k == 1u), 3u, k == 0u);
}

// The corners that a bit refers to: x those of the moving triangle, y those of the fixed one.
fn corners_of(bit: u32) -> vec2<u32> {
    if bit < 3u {
        return vec2<u32>(1u << bit, 7u);
    }
    if bit < 12u {
        return vec2<u32>(edge_of((bit - 3u) / 3u), edge_of((bit - 3u) % 3u));
    }
    if bit < ANY {
        return vec2<u32>(7u, 1u << (bit - 12u));
    }
    return vec2<u32>(7u, 7u);
}

// Returns whether a plane separates the balls of the corners `which.x` from the fixed corners `which.y`.
fn apart(c: array<vec3<f32>, 3>, radius: vec3<f32>, q: array<vec3<f32>, 3>, which: vec2<u32>) -> bool {
    var moving = c;
    var fixed = q;
    let first_a = firstTrailingBit(which.x);
    let first_b = firstTrailingBit(which.y);
    var n = moving[first_a] - fixed[first_b];
    for (var s = 0u; s < PLANE_STEPS; s += 1u) {
        var i = first_a;
        var j = first_b;
        for (var k = 0u; k < 3u; k += 1u) {
            if (which.x >> k & 1u) != 0u && dot3(n, moving[i]) > dot3(n, moving[k]) {
                i = k;
            }
            if (which.y >> k & 1u) != 0u && dot3(n, fixed[k]) > dot3(n, fixed[j]) {
                j = k;
            }
        }
        let way = (moving[i] - fixed[j]) - n;
        let slope = dot3(n, way) * 2.0;
        let bend = dot3(way, way);
        var step = 0.0;
        var best = 0.0;
        var t = 1.0;
        for (var k = 0u; k < PLANE_TRIES; k += 1u) {
            let gain = (slope + bend * t) * t;
            if best > gain {
                step = t;
                best = gain;
            }
            t = t * 0.5;
        }
        n = n + way * step;
    }
    let length2 = dot3(n, n);
    // The steps are counted, so that a loop that ends early proves nothing.
    var shown = 0u;
    for (var i = 0u; i < 3u; i += 1u) {
        let reach2 = radius[i] * radius[i] * length2;
        let need = reach2 + (reach2 * (PLANE_ROUNDINGS * UNIT) + UNDERFLOW);
        for (var j = 0u; j < 3u; j += 1u) {
            let d = moving[i] - fixed[j];
            let low = dot3(n, d) - dot3(abs(n), abs(d)) * (PLANE_ROUNDINGS * UNIT);
            let asked = (which.x >> i & 1u) != 0u && (which.y >> j & 1u) != 0u;
            if !asked || (low > 0.0 && low * low > need) {
                shown += 1u;
            }
        }
    }
    return shown == 9u;
}

@compute @workgroup_size(64)
fn standing(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = invocation(workgroup, workgroups, local, 64u);
    if id >= arrayLength(&toleranced_pairs) {
        return;
    }
    let p = toleranced_pairs[id];
    let c = array<vec3<f32>, 3>(p.c0, p.c1, p.c2);
    let q = array<vec3<f32>, 3>(p.q0, p.q1, p.q2);
    let radius = vec3<f32>(p.r0, p.r1, p.r2);
    var bits = 0xffffu;
    if apart(c, radius, q, corners_of(ANY)) {
        bits = 0u;
    } else {
        for (var bit = 0u; bit < ANY; bit += 1u) {
            if apart(c, radius, q, corners_of(bit)) {
                bits &= ~(1u << bit);
            }
        }
    }
    toleranced_masks[id] = bits;
}
