//!use lib/separation
// Separating axes between a moving line-swept sphere and a static triangle: src/predicate/swept.rs in f32.

const LONGEST_AXIS: f32 = 1e8;
const SWEPT_AXES: u32 = 23u;

// The component of `p` perpendicular to `d`, times `d·d`.
fn across(p: vec3<f32>, d: vec3<f32>) -> vec3<f32> {
    return p * dot3(d, d) - d * dot3(d, p);
}

fn swept_misses(a: PointBound, b: PointBound, radius: f32, t: Standing, h: f32) -> bool {
    let y1 = t.y1 - t.y0;
    let y2 = t.y2 - t.y0;
    let size = max(point_size(a, t.y0, h), point_size(b, t.y0, h));
    let grow = radius * (1.0 + ROUNDINGS * UNIT) + projection_slack(size, max(a.ball, b.ball), t);
    let grow2 = grow * grow + UNDERFLOW;
    let cube = max(a.cube, b.cube);
    let segment = b.c0 - a.c0;
    let way = a.c1 + b.c1;
    var edges = array<vec3<f32>, 3>(y1, y2 - y1, -y2);
    var corners = array<vec3<f32>, 3>(t.y0, t.y1, t.y2);
    for (var k = 0u; k < SWEPT_AXES; k += 1u) {
        var n = cross3(y1, y2);
        if k == 22u {
            n = cross3(segment, way);
        } else if k >= 19u {
            n = cross3(way, edges[k - 19u]);
        } else if k >= 1u {
            let i = (k - 1u) / 6u;
            let from_a = corners[i] - a.c0;
            let from_b = corners[i] - b.c0;
            switch (k - 1u) % 6u {
                case 0u: { n = cross3(segment, edges[i]); }
                case 1u: { n = across(from_a, segment); }
                case 2u: { n = across(from_a, edges[i]); }
                case 3u: { n = across(from_b, edges[i]); }
                case 4u: { n = from_a; }
                default: { n = from_b; }
            }
        }
        let e1 = dot3(n, y1);
        let e2 = dot3(n, y2);
        let x = extent(n, a, t.y0, h);
        let y = extent(n, b, t.y0, h);
        let above = min(x.x, y.x) - max(max(0.0, e1), e2);
        let below = min(min(0.0, e1), e2) - max(x.y, y.y);
        let gap = max(above, below) - (dot3(abs(n), cube) * (1.0 + ROUNDINGS * UNIT) + UNDERFLOW);
        let needed = (dot3(n, n) + UNDERFLOW) * grow2 * (1.0 + ROUNDINGS * UNIT) + UNDERFLOW;
        if gap > 0.0 && gap * gap > needed && LONGEST_AXIS > norm1(n) {
            return true;
        }
    }
    return false;
}
