//!use lib/separation
// Proofs that two triangles meet at one time: src/predicate/piercing.rs in f32.

// 1 or -1 if the orientation of `d` against `a, b, c` is certain, else 0.
fn side(a: vec3<f32>, b: vec3<f32>, c: vec3<f32>, d: vec3<f32>, eps: f32) -> i32 {
    let y = d - a;
    let e1 = b - a;
    let e2 = c - a;
    let f = dot3(y, cross3(e1, e2));
    let ny = norm_bound(y);
    let n1 = norm_bound(e1);
    let n2 = norm_bound(e2);
    let error = eps * (n1 * n2 + ny * n1 + ny * n2) * 2.1 + ny * n1 * n2 * (24.0 * UNIT) + UNDERFLOW;
    if min(min(ny, n1), n2) > eps * 288.0 {
        if f > error {
            return 1;
        }
        if -f > error {
            return -1;
        }
    }
    return 0;
}

// Returns whether the segment from `p` to `q` certainly pierces the triangle `a, b, c`, all points known to within
// `eps`.
fn pierces(p: vec3<f32>, q: vec3<f32>, a: vec3<f32>, b: vec3<f32>, c: vec3<f32>, eps: f32) -> bool {
    if side(a, b, c, p, eps) * side(a, b, c, q, eps) >= 0 {
        return false;
    }
    let first = side(p, q, a, b, eps);
    return first != 0 && side(p, q, b, c, eps) == first && side(p, q, c, a, eps) == first;
}

fn triangles_meet(x0: PointBound, x1: PointBound, x2: PointBound, t: Standing) -> bool {
    let cube = max(max(x0.cube, x1.cube), x2.cube);
    let eps = max(max(max(x0.ball, x1.ball), x2.ball), t.error) + norm1(cube);
    var x = array<vec3<f32>, 3>(x0.c0, x1.c0, x2.c0);
    var y = array<vec3<f32>, 3>(t.y0, t.y1, t.y2);
    for (var i = 0u; i < 3u; i += 1u) {
        let j = (i + 1u) % 3u;
        if pierces(x[i], x[j], y[0], y[1], y[2], eps) || pierces(y[i], y[j], x[0], x[1], x[2], eps) {
            return true;
        }
    }
    return false;
}
