//!use lib/chunk
//!use lib/closeness
//!use lib/link_nodes
//!use lib/piercing
//!use lib/pose
//!use lib/scene
// A triangle of a link in a part of a piece, against triangles of the scene. A kernel that uses this declares `chunk`,
// `poses` and HAS_MARGIN.

// The middle one of the sub-intervals from `i` to `j`: its jet bounds them all.
fn block_middle(i: u32, j: u32) -> u32 {
    return (i + j) / 2u + (i + j) % 2u;
}

fn block_ball(m: MovingLink, i: u32, j: u32) -> f32 {
    if i == j {
        return m.balls.x;
    }
    return select(m.balls.z, m.balls.y, j - i < 4u);
}

// A time of a piece about which a triangle of the link is bounded.
struct Part {
    // The sub-interval whose pose is used, and the ball of that pose.
    sub: u32,
    ball: f32,
    // From the middle of the sub-interval to that of the part, and the largest distance of a time in the part from the
    // middle of the sub-interval.
    shift: f32,
    reach: f32,
    // Half the length of the part.
    h: f32,
}

// The part from sub-interval `i` to sub-interval `j`.
fn block_part(m: MovingLink, i: u32, j: u32) -> Part {
    // The jet's own middle is the block's middle, or half a sub-interval after it.
    let shift = select(0.0, -m.h, (i + j) % 2u == 1u);
    return Part(block_middle(i, j), block_ball(m, i, j), shift, f32(j - i + 2u) * m.h, f32(j - i + 1u) * m.h);
}

// The half of a sub-interval that begins with a slice.
fn half_part(m: MovingLink, sub: u32, slice: u32) -> Part {
    return Part(sub, m.balls.x, select(-0.5, 0.5, slice != 0u) * m.h, m.h, m.h * 0.5);
}

// Bounds on the corners of a triangle of a link in a part.
struct Corners {
    x0: PointBound,
    x1: PointBound,
    x2: PointBound,
}

// The box that contains the triangle at all times of a part of half length `h`.
fn corners_box(x: Corners, h: f32) -> Box {
    let r0 = point_range(x.x0, h);
    let r1 = point_range(x.x1, h);
    let r2 = point_range(x.x2, h);
    return Box(min(min(r0.lo, r1.lo), r2.lo), max(max(r0.hi, r1.hi), r2.hi));
}

fn corners_miss(x: Corners, tri: Standing, h: f32) -> bool {
    return boxes_miss(corners_box(x, h), standing_box(tri)) || triangles_miss(x, tri, h);
}

// The difference of two points of the triangles at the middle time.
fn corners_apart(x: Corners, tri: Standing) -> vec3<f32> {
    return apart(Triangle(x.x0.c0, x.x1.c0, x.x2.c0), Triangle(tri.y0, tri.y1, tri.y2));
}

fn triangles_miss(x: Corners, tri: Standing, h: f32) -> bool {
    if triangle_misses(x.x0, x.x1, x.x2, tri, h) {
        return true;
    }
    return HAS_MARGIN && stays_beyond(corners_apart(x, tri), x.x0, x.x1, x.x2, tri, h);
}

// The ball of a point without the margin.
fn own_ball(ball: f32) -> f32 {
    return max(ball - chunk.margin_m, 0.0) + ball * (4.0 * UNIT);
}

// Returns whether the triangles are certainly within the margin of each other, or meet, at the middle time.
fn triangles_touch(x: Corners, tri: Standing) -> bool {
    if !HAS_MARGIN {
        return triangles_meet(x.x0, x.x1, x.x2, tri);
    }
    if is_within(corners_apart(x, tri), x.x0, x.x1, x.x2, tri, chunk.margin_m) {
        return true;
    }
    var own = x;
    own.x0.ball = own_ball(x.x0.ball);
    own.x1.ball = own_ball(x.x1.ball);
    own.x2.ball = own_ball(x.x2.ball);
    return triangles_meet(own.x0, own.x1, own.x2, tri);
}

// A triangle of the link in a part.
fn corners_in(m: MovingLink, piece: u32, part: Part, x: LinkTriangle) -> Corners {
    let pose = pose_at(piece, m.body, part.sub);
    return Corners(
        point_shifted(pose_point(pose, x.e0, part.ball), part.shift, part.reach),
        point_shifted(pose_point(pose, x.e1, part.ball), part.shift, part.reach),
        point_shifted(pose_point(pose, x.e2, part.ball), part.shift, part.reach),
    );
}
