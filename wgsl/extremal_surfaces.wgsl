//!use lib/rotation
// extremal_surfaces: follows the extremal pairs of tori and Bézier patches over some steps, by the classical
// Runge-Kutta method on the normal form in all four parameters. One invocation for each pair.
//
// A position is the start of a step, together with the parameters' change in the step. On a torus it is two points of
// the unit circle, which are turned by a polynomial of the change. So no sines are needed, whose accuracy adapters do
// not guarantee.
//
// This kernel follows local extrema without proofs, so the rules for the arithmetic of culling kernels do not apply to
// it.

struct Settings {
    n_pairs: u32,
    n_steps: u32,
    gain: f32,
    step: f32,
}

@group(0) @binding(0) var<uniform> extremal_settings: Settings;
// Ten for each pair: A, B, as (ring, tube, 0, 0) of a torus or (first control point, 1 or -1 for the normal's side, 0,
// 1) of a patch; rotation of A, of B at the start of the steps; their turns in half a step (as quaternions); origin of
// B minus that of A with the bodies' size; its rate; angular velocities of A, of B.
@group(0) @binding(1) var<storage, read> extremal_pairs: array<vec4<f32>>;
// Three for each pair: position on A, on B, as (cos u, sin u, cos v, sin v) of a torus or (u, v, 0, 0) of a patch;
// distance, largest error, cosine between the normals, status (0 good, 1 lost).
@group(0) @binding(2) var<storage, read_write> extremal_states: array<vec4<f32>>;
// Sixteen for each patch: control points times weights, with the weights, the second parameter running faster.
@group(0) @binding(3) var<storage, read> extremal_nets: array<vec4<f32>>;

const PAIR: u32 = 10u;
const STATE: u32 = 3u;
const SINGULAR: f32 = 1e-6;
// Largest change of a position on a torus in a step, radians: the range in which the polynomials are accurate.
const FARTHEST: f32 = 1.0;

struct Body {
    what: vec4<f32>,
    rotation: vec4<f32>,
    at: vec4<f32>,
}

// A point with first and second derivatives, in the axes of the world.
struct Jet {
    p: vec3<f32>,
    u: vec3<f32>,
    v: vec3<f32>,
    uu: vec3<f32>,
    uv: vec3<f32>,
    vv: vec3<f32>,
}

// The state of both bodies at one moment, and the positions.
struct Moment {
    a: Body,
    b: Body,
    // From the origin of B to that of A, and its rate.
    origins: vec3<f32>,
    velocity: vec3<f32>,
    spin_a: vec3<f32>,
    spin_b: vec3<f32>,
    size: f32,
}

// `rows u' = right` in u, v, r, s; `rows` and `columns` are the lengths by which rows and columns are divided.
struct Equations {
    errors: vec4<f32>,
    rows: vec4<f32>,
    columns: vec4<f32>,
    matrix: array<vec4<f32>, 4>,
    drift: vec4<f32>,
    sigma: f32,
    facing: f32,
}

struct Rates {
    parameters: vec4<f32>,
    // Ratio of the smallest pivot to the largest.
    pivots: f32,
}

fn is_torus(body: Body) -> bool {
    return body.what.w == 0.0;
}

// A point of the unit circle, turned by a small angle.
fn around(at: vec2<f32>, by: f32) -> vec2<f32> {
    let q = by * by;
    let s = by * (1.0 - q / 6.0 * (1.0 - q / 20.0 * (1.0 - q / 42.0 * (1.0 - q / 72.0))));
    let c = 1.0 - q / 2.0 * (1.0 - q / 12.0 * (1.0 - q / 30.0 * (1.0 - q / 56.0 * (1.0 - q / 90.0))));
    return vec2<f32>(at.x * c - at.y * s, at.y * c + at.x * s);
}

fn moved(body: Body, by: vec2<f32>) -> vec4<f32> {
    if is_torus(body) {
        return vec4<f32>(around(body.at.xy, by.x), around(body.at.zw, by.y));
    }
    return vec4<f32>(body.at.xy + by, 0.0, 0.0);
}

fn torus(size: vec2<f32>, at: vec4<f32>) -> Jet {
    let far = size.x + size.y * at.z;
    let out = vec3<f32>(at.x, at.y, 0.0);
    let side = vec3<f32>(-at.y, at.x, 0.0);
    let r = size.y;
    return Jet(
        far * out + vec3<f32>(0.0, 0.0, r * at.w),
        far * side,
        vec3<f32>(0.0, 0.0, r * at.z) - r * at.w * out,
        -far * out,
        -r * at.w * side,
        -r * at.z * out - vec3<f32>(0.0, 0.0, r * at.w),
    );
}

// The cubic Bernstein polynomials with first and second derivatives.
fn bernstein(t: f32) -> array<vec4<f32>, 3> {
    let s = 1.0 - t;
    return array<vec4<f32>, 3>(
        vec4<f32>(s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t),
        3.0 * vec4<f32>(-s * s, s * (s - 2.0 * t), t * (2.0 * s - t), t * t),
        6.0 * vec4<f32>(s, t - 2.0 * s, s - 2.0 * t, t),
    );
}

fn patch_jet(first: u32, at: vec2<f32>) -> Jet {
    let bu = bernstein(at.x);
    let bv = bernstein(at.y);
    var h = vec4<f32>();
    var hu = vec4<f32>();
    var hv = vec4<f32>();
    var huu = vec4<f32>();
    var huv = vec4<f32>();
    var hvv = vec4<f32>();
    for (var i = 0u; i < 4u; i += 1u) {
        let row = first + 4u * i;
        let net = mat4x4<f32>(
            extremal_nets[row], extremal_nets[row + 1u], extremal_nets[row + 2u], extremal_nets[row + 3u],
        );
        let r = net * bv[0];
        let rv = net * bv[1];
        h += bu[0][i] * r;
        hu += bu[1][i] * r;
        hv += bu[0][i] * rv;
        huu += bu[2][i] * r;
        huv += bu[1][i] * rv;
        hvv += bu[0][i] * (net * bv[2]);
    }
    // The quotient rule.
    let f = h.xyz / h.w;
    let fu = (hu.xyz - hu.w * f) / h.w;
    let fv = (hv.xyz - hv.w * f) / h.w;
    return Jet(
        f,
        fu,
        fv,
        (huu.xyz - 2.0 * hu.w * fu - huu.w * f) / h.w,
        (huv.xyz - hu.w * fv - hv.w * fu - huv.w * f) / h.w,
        (hvv.xyz - 2.0 * hv.w * fv - hvv.w * f) / h.w,
    );
}

fn jet(body: Body, by: vec2<f32>) -> Jet {
    let at = moved(body, by);
    var j: Jet;
    if is_torus(body) {
        j = torus(body.what.xy, at);
    } else {
        j = patch_jet(u32(body.what.x), at.xy);
    }
    let q = body.rotation;
    return Jet(rotated(q, j.p), rotated(q, j.u), rotated(q, j.v), rotated(q, j.uu), rotated(q, j.uv), rotated(q, j.vv));
}

// 1 if the cross product of the first and the second tangent points out of the body.
fn outward(body: Body) -> f32 {
    return select(body.what.y, 1.0, is_torus(body));
}

fn equations(m: Moment, by: vec4<f32>) -> Equations {
    let f = jet(m.a, by.xy);
    let h = jet(m.b, by.zw);
    let delta = f.p - h.p + m.origins;
    // The outward normal of B and its derivatives.
    let across = cross(h.u, h.v);
    let along = outward(m.b) / length(across);
    let n = along * across;
    let cr = along * (cross(h.uu, h.v) + cross(h.u, h.uv));
    let cs = along * (cross(h.uv, h.v) + cross(h.u, h.vv));
    let nr = cr - n * dot(n, cr);
    let ns = cs - n * dot(n, cs);
    let w = m.spin_a - m.spin_b;
    let seen_from_b = m.velocity - cross(m.spin_b, m.origins) + cross(w, f.p);
    var e: Equations;
    e.errors = vec4<f32>(dot(f.u, n), dot(f.v, n), dot(delta, h.u), dot(delta, h.v));
    e.columns = vec4<f32>(length(f.u), length(f.v), length(h.u), length(h.v));
    e.rows = e.columns * vec4<f32>(1.0, 1.0, m.size, m.size);
    e.matrix[0] = vec4<f32>(dot(f.uu, n), dot(f.uv, n), dot(f.u, nr), dot(f.u, ns));
    e.matrix[1] = vec4<f32>(dot(f.uv, n), dot(f.vv, n), dot(f.v, nr), dot(f.v, ns));
    let rs = -dot(h.u, h.v) + dot(delta, h.uv);
    e.matrix[2] = vec4<f32>(dot(h.u, f.u), dot(h.u, f.v), -dot(h.u, h.u) + dot(delta, h.uu), rs);
    e.matrix[3] = vec4<f32>(dot(h.v, f.u), dot(h.v, f.v), rs, -dot(h.v, h.v) + dot(delta, h.vv));
    e.drift = vec4<f32>(dot(w, cross(f.u, n)), dot(w, cross(f.v, n)), dot(seen_from_b, h.u), dot(seen_from_b, h.v));
    e.sigma = dot(delta, n);
    e.facing = dot(normalize(cross(f.u, f.v)), n) * outward(m.a);
    return e;
}

// Elimination with the largest pivot of each column; rows and columns are scaled before.
fn rates(m: Moment, by: vec4<f32>) -> Rates {
    let e = equations(m, by);
    var a: array<vec4<f32>, 4>;
    var b = (-extremal_settings.gain * e.errors - e.drift) / e.rows;
    for (var i = 0u; i < 4u; i += 1u) {
        a[i] = e.matrix[i] / (e.rows[i] * e.columns);
    }
    var smallest = 1e30;
    var largest = 0.0;
    for (var k = 0u; k < 4u; k += 1u) {
        var p = k;
        for (var i = k + 1u; i < 4u; i += 1u) {
            if abs(a[i][k]) > abs(a[p][k]) {
                p = i;
            }
        }
        let row = a[p];
        a[p] = a[k];
        a[k] = row;
        let right = b[p];
        b[p] = b[k];
        b[k] = right;
        smallest = min(smallest, abs(row[k]));
        largest = max(largest, abs(row[k]));
        for (var i = k + 1u; i < 4u; i += 1u) {
            let share = a[i][k] / row[k];
            a[i] -= share * row;
            b[i] -= share * right;
        }
    }
    var x = vec4<f32>();
    for (var n = 0u; n < 4u; n += 1u) {
        let k = 3u - n;
        x[k] = (b[k] - dot(a[k], x)) / a[k][k];
    }
    return Rates(x / e.columns, smallest / largest);
}

fn is_inside(body: Body) -> bool {
    let edges = all(body.at.xy > vec2<f32>(0.0)) && all(body.at.xy < vec2<f32>(1.0));
    return is_torus(body) || edges;
}

// The position at the end of a step, projected back onto its circles.
fn settled(body: Body, by: vec2<f32>) -> vec4<f32> {
    let at = moved(body, by);
    if is_torus(body) {
        return vec4<f32>(normalize(at.xy), normalize(at.zw));
    }
    return at;
}

@compute @workgroup_size(64)
fn follow(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let id = (workgroup.y * workgroups.x + workgroup.x) * 64u + local;
    if id >= extremal_settings.n_pairs {
        return;
    }
    let pair = id * PAIR;
    let state = id * STATE;
    if extremal_states[state + 2u].w != 0.0 {
        return;
    }
    var m: Moment;
    m.a = Body(extremal_pairs[pair], extremal_pairs[pair + 2u], extremal_states[state]);
    m.b = Body(extremal_pairs[pair + 1u], extremal_pairs[pair + 3u], extremal_states[state + 1u]);
    let half_a = extremal_pairs[pair + 4u];
    let half_b = extremal_pairs[pair + 5u];
    m.origins = -extremal_pairs[pair + 6u].xyz;
    m.size = extremal_pairs[pair + 6u].w;
    m.velocity = -extremal_pairs[pair + 7u].xyz;
    m.spin_a = extremal_pairs[pair + 8u].xyz;
    m.spin_b = extremal_pairs[pair + 9u].xyz;
    let h = extremal_settings.step;
    var good = true;
    for (var i = 0u; i < extremal_settings.n_steps; i += 1u) {
        // There is a single call for all four stages, because the inlined code is most of the kernel.
        var k = vec4<f32>();
        var by = vec4<f32>();
        var pivots = 1.0;
        for (var stage = 0u; stage < 4u; stage += 1u) {
            if stage == 1u || stage == 3u {
                m.a.rotation = normalize(turned(half_a, m.a.rotation));
                m.b.rotation = normalize(turned(half_b, m.b.rotation));
                m.origins += 0.5 * h * m.velocity;
            }
            let reach = select(0.5 * h, h, stage == 3u);
            let there = rates(m, reach * k);
            k = there.parameters;
            pivots = min(pivots, there.pivots);
            by += select(h / 6.0, h / 3.0, stage == 1u || stage == 2u) * k;
        }
        m.a.at = settled(m.a, by.xy);
        m.b.at = settled(m.b, by.zw);
        // The comparison is written so that NaN counts as lost.
        good = good && pivots > SINGULAR && all(abs(by) < vec4<f32>(FARTHEST)) && is_inside(m.a) && is_inside(m.b);
    }
    // The results for the pair at the end.
    let e = equations(m, vec4<f32>());
    let shares = abs(e.errors / e.rows);
    let error = max(max(shares.x, shares.y), max(shares.z, shares.w));
    good = good && error < 1e6;
    extremal_states[state] = m.a.at;
    extremal_states[state + 1u] = m.b.at;
    extremal_states[state + 2u] = vec4<f32>(e.sigma, error, e.facing, select(1.0, 0.0, good));
}
