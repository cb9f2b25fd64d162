//!use lib/link_nodes
//!use lib/pose
//!use lib/separation
// An oriented box of a body over an interval of time, against static triangles and boxes:
// src/predicate/moving_box.rs in f32, with half axes instead of axes of length one.

// Units that cover the rounding of each side of a comparison.
const MOVING_BOX_ROUNDINGS: f32 = 32.0;

struct MovingBox {
    // The centre and the half axes at the middle time.
    center: vec3<f32>,
    x: vec3<f32>,
    y: vec3<f32>,
    z: vec3<f32>,
    // The displacement of the centre to either side of the middle time, to first order.
    travel: vec3<f32>,
    // Largest deviation of a point from centre, travel and half axes.
    stray: f32,
}

// The box of a body whose pose is bounded for times up to `h` from the middle; `ball` is the ball at the box's reach.
fn moving_box(pose: Pose, b: LinkChild, ball: f32, h: f32) -> MovingBox {
    let half_hh = h * h * 0.5;
    let center = pose_point(pose, b.center, ball);
    let x = pose_direction(pose, b.half_0);
    let y = pose_direction(pose, b.half_1);
    let z = pose_direction(pose, b.half_2);
    let travel = center.c1 * h;
    let size = norm_bound(travel) + norm_bound(x.c0) + norm_bound(y.c0) + norm_bound(z.c0);
    let turn = (norm_bound(x.c1) + norm_bound(y.c1) + norm_bound(z.c1)) * h;
    let bend = (norm_bound(center.c2) + norm_bound(x.c2) + norm_bound(y.c2) + norm_bound(z.c2)) * half_hh;
    let stray = center.ball + turn + bend + norm1(center.cube + x.cube + y.cube + z.cube);
    let rounding = (stray + size) * (MOVING_BOX_ROUNDINGS * UNIT) + UNDERFLOW;
    return MovingBox(center.c0, x.c0, y.c0, z.c0, travel, stray + rounding);
}

// Upper bound of `|dot(n, p - center)|` for the points `p` of the box, and of the rounding of the other side, whose
// points are known to within `slack`.
fn box_reach(b: MovingBox, n: vec3<f32>, slack: f32) -> f32 {
    let extent = abs(dot3(n, b.travel)) + abs(dot3(n, b.x)) + abs(dot3(n, b.y)) + abs(dot3(n, b.z));
    return extent + (norm_bound(n) * b.stray + UNDERFLOW) + norm_bound(n) * slack;
}

struct Axes {
    x: vec3<f32>,
    y: vec3<f32>,
    z: vec3<f32>,
}

// The axes of a box. Any vector may be tried as an axis; that of a box's thinnest side is the product of the two
// others, because it may be zero.
fn box_axes(b: MovingBox) -> Axes {
    let sizes = vec3<f32>(dot3(b.x, b.x), dot3(b.y, b.y), dot3(b.z, b.z));
    let thinnest = min(min(sizes.x, sizes.y), sizes.z);
    if sizes.z == thinnest {
        return Axes(b.x, b.y, cross3(b.x, b.y));
    }
    if sizes.y == thinnest {
        return Axes(b.x, cross3(b.z, b.x), b.z);
    }
    return Axes(cross3(b.y, b.z), b.y, b.z);
}

// Returns whether an axis separates the box from three points relative to its centre.
fn separates_points(b: MovingBox, n: vec3<f32>, d0: vec3<f32>, d1: vec3<f32>, d2: vec3<f32>, slack: f32) -> bool {
    let p0 = dot3(n, d0);
    let p1 = dot3(n, d1);
    let p2 = dot3(n, d2);
    let reach = box_reach(b, n, slack);
    return min(min(p0, p1), p2) > reach || -max(max(p0, p1), p2) > reach;
}

// Returns whether one of the box's axes or the triangle's normal separates the box from a triangle.
fn box_misses_triangle(b: MovingBox, t: Standing) -> bool {
    let d0 = t.y0 - b.center;
    let d1 = t.y1 - b.center;
    let d2 = t.y2 - b.center;
    let size = max(max(norm1(d0), norm1(d1)), norm1(d2));
    let slack = t.error + size * (MOVING_BOX_ROUNDINGS * UNIT);
    if separates_points(b, cross3(d1 - d0, d2 - d0), d0, d1, d2, slack) {
        return true;
    }
    let n = box_axes(b);
    return separates_points(b, n.x, d0, d1, d2, slack)
        || separates_points(b, n.y, d0, d1, d2, slack)
        || separates_points(b, n.z, d0, d1, d2, slack);
}

// Returns whether an axis separates the box from a box along the coordinate axes, given by corners relative to its
// centre.
fn separates_corners(b: MovingBox, n: vec3<f32>, lo: vec3<f32>, hi: vec3<f32>, slack: f32) -> bool {
    let p = n * lo;
    let q = n * hi;
    let low = min(p, q);
    let high = max(p, q);
    let reach = box_reach(b, n, slack);
    return low.x + low.y + low.z > reach || -(high.x + high.y + high.z) > reach;
}

// Returns whether one of the box's axes separates it from a box along the coordinate axes.
fn box_misses_box(b: MovingBox, around: Box) -> bool {
    let lo = around.lo - b.center;
    let hi = around.hi - b.center;
    let slack = norm1(max(abs(lo), abs(hi))) * (MOVING_BOX_ROUNDINGS * UNIT);
    let n = box_axes(b);
    return separates_corners(b, n.x, lo, hi, slack)
        || separates_corners(b, n.y, lo, hi, slack)
        || separates_corners(b, n.z, lo, hi, slack);
}
