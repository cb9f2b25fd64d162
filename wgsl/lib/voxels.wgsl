//!use lib/separation
// A grid of voxels with proofs that something misses one: src/numeric/voxels.rs in f32.

// Voxels along each axis, and in all.
const SIDE: u32 = 16u;
const VOXELS: u32 = 4096u;

struct Voxels {
    lo: vec3<f32>,
    step: vec3<f32>,
    // What places along each axis may be off by.
    error: vec3<f32>,
}

fn voxels_around(lo: vec3<f32>, hi: vec3<f32>) -> Voxels {
    let step = (hi - lo) * ((1.0 + ROUNDINGS * UNIT) * 0.0625) + vec3<f32>(UNDERFLOW);
    return Voxels(lo, step, (abs(lo) + step * 16.0) * (8.0 * UNIT));
}

// First and last voxel along each axis that a box may reach. A loop that ends early gives more.
fn voxel_slots(v: Voxels, b: Box) -> array<vec3<u32>, 2> {
    var first = vec3<u32>(0u);
    var last = vec3<u32>(SIDE - 1u);
    for (var i = 1u; i < SIDE; i += 1u) {
        let plane = v.lo + v.step * f32(i);
        first += select(vec3<u32>(0u), vec3<u32>(1u), b.lo > plane + v.error);
        last -= select(vec3<u32>(0u), vec3<u32>(1u), plane - v.error > b.hi);
    }
    return array<vec3<u32>, 2>(first, last);
}

fn voxel_centre(v: Voxels, at: vec3<u32>) -> vec3<f32> {
    return v.lo + v.step * (vec3<f32>(at) + vec3<f32>(0.5));
}

fn plane_misses_voxel(v: Voxels, centre: vec3<f32>, t: Standing) -> bool {
    // Of a sliver the computed normal may be anything: what holds of the triangle is its projection, not a plane.
    let y1 = t.y1 - t.y0;
    let y2 = t.y2 - t.y0;
    let n = cross3(y1, y2);
    let e1 = dot3(n, y1);
    let e2 = dot3(n, y2);
    let p = centre - t.y0;
    let size = norm1(p) + norm1(v.step) + norm1(y1) + norm1(y2);
    let slack = t.error * 3.0 + norm1(v.error) + size * (ROUNDINGS * UNIT) + UNDERFLOW;
    let reach = dot3(abs(n), v.step) * 0.5 + norm_bound(n) * slack + UNDERFLOW;
    let at = dot3(n, p);
    return at - reach > max(max(0.0, e1), e2) || min(min(0.0, e1), e2) > at + reach;
}

fn swept_misses_voxel(
    v: Voxels,
    centre: vec3<f32>,
    a: PointBound,
    b: PointBound,
    radius: f32,
    h: f32,
    around: Box,
) -> bool {
    let error = norm1(v.error);
    let half = v.step * 0.5 + vec3<f32>(error);
    if any(around.lo > centre + half) || any(centre - half > around.hi) {
        return true;
    }
    let half_hh = h * h * 0.5;
    let way = max(
        norm_bound(a.c1) * h + norm_bound(a.c2) * half_hh,
        norm_bound(b.c1) * h + norm_bound(b.c2) * half_hh,
    );
    let slack = max(a.ball + norm1(a.cube), b.ball + norm1(b.cube));
    let p = centre - a.c0;
    let q = centre - b.c0;
    let d = b.c0 - a.c0;
    let size = norm1(p) + norm1(q) + norm1(d) + norm1(v.step) + radius + way + slack;
    let near = radius + way + slack + norm_bound(v.step) * 0.5 + error;
    let reach = near + size * (ROUNDINGS * UNIT) + UNDERFLOW;
    let reach2 = (reach * reach + UNDERFLOW) * (1.0 + ROUNDINGS * UNIT);
    let beside = cross3(p, d);
    return (0.0 > dot3(p, d) && dot3(p, p) > reach2)
        || (dot3(q, d) > 0.0 && dot3(q, q) > reach2)
        || dot3(beside, beside) > (dot3(d, d) + UNDERFLOW) * reach2 + UNDERFLOW;
}
