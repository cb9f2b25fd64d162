//!use lib/rotation
// extremal: follows the extremal pairs of ellipsoids over some steps, by the classical Runge-Kutta method on the normal
// form. One invocation for each pair.
//
// A position is a unit vector q, which gives the point R D q with the semi-axes D: there are no charts, poles or sines.
// In geodesic coordinates about q the derivatives are those of q cos + e sin: the first are R D e1 and R D e2, the
// second are -R D q, and the mixed one is zero. With these the upper left block of the matrix is -(f.n) times the unit
// matrix, so that two unknowns remain.
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
// Ten for each pair: semi-axes of A, of B; rotation of A, of B at the start of the steps; their turns in half a step
// (as quaternions); origin of B minus that of A, its rate; angular velocities of A, of B.
@group(0) @binding(1) var<storage, read> extremal_pairs: array<vec4<f32>>;
// Three for each pair: position on A and distance; position on B and largest error; cosine between the normals, status
// (0 good, 1 singular) and least ratio of the determinant encountered.
@group(0) @binding(2) var<storage, read_write> extremal_states: array<vec4<f32>>;

const PAIR: u32 = 10u;
const STATE: u32 = 3u;
const SINGULAR: f32 = 1e-6;

struct Body {
    axes: vec3<f32>,
    rotation: vec4<f32>,
}

// The state of both bodies at one moment.
struct Moment {
    a: Body,
    b: Body,
    // From the origin of B to that of A, and its rate.
    origins: vec3<f32>,
    velocity: vec3<f32>,
    spin_a: vec3<f32>,
    spin_b: vec3<f32>,
}

struct Places {
    a: vec3<f32>,
    b: vec3<f32>,
}

struct Rates {
    places: Places,
    determinant: f32,
}

// Two unit vectors orthogonal to a unit vector and to each other (Duff et al. 2017).
fn tangents(q: vec3<f32>) -> array<vec3<f32>, 2> {
    let s = select(-1.0, 1.0, q.z >= 0.0);
    let a = -1.0 / (s + q.z);
    let b = q.x * q.y * a;
    return array<vec3<f32>, 2>(
        vec3<f32>(1.0 + s * q.x * q.x * a, s * b, -s * q.x),
        vec3<f32>(b, s + q.y * q.y * a, -q.y),
    );
}

fn point(body: Body, q: vec3<f32>) -> vec3<f32> {
    return rotated(body.rotation, body.axes * q);
}

fn rates(m: Moment, at: Places) -> Rates {
    let qa = normalize(at.a);
    let qb = normalize(at.b);
    let ea = tangents(qa);
    let eb = tangents(qb);
    let f = point(m.a, qa);
    let f1 = point(m.a, ea[0]);
    let f2 = point(m.a, ea[1]);
    let h = point(m.b, qb);
    let h1 = point(m.b, eb[0]);
    let h2 = point(m.b, eb[1]);
    let delta = f - h + m.origins;
    // The outward normal of B and its derivatives.
    let across = qb / m.b.axes;
    let size = length(across);
    let n = rotated(m.b.rotation, across / size);
    let m1 = rotated(m.b.rotation, eb[0] / m.b.axes / size);
    let m2 = rotated(m.b.rotation, eb[1] / m.b.axes / size);
    let n1 = m1 - n * dot(n, m1);
    let n2 = m2 - n * dot(n, m2);
    let w = m.spin_a - m.spin_b;
    let seen_from_b = m.velocity - cross(m.spin_b, m.origins) + cross(w, f);
    // -K errors - drift.
    let ra = vec2<f32>(
        -extremal_settings.gain * dot(f1, n) - dot(w, cross(f1, n)),
        -extremal_settings.gain * dot(f2, n) - dot(w, cross(f2, n)),
    );
    let rb = vec2<f32>(
        -extremal_settings.gain * dot(delta, h1) - dot(seen_from_b, h1),
        -extremal_settings.gain * dot(delta, h2) - dot(seen_from_b, h2),
    );
    // Blocks by columns: N = (alpha Q; R T).
    let alpha = -dot(f, n);
    let q_block = mat2x2<f32>(dot(f1, n1), dot(f2, n1), dot(f1, n2), dot(f2, n2));
    let r_block = mat2x2<f32>(dot(f1, h1), dot(f1, h2), dot(f2, h1), dot(f2, h2));
    let bend = dot(delta, h);
    let t_block = mat2x2<f32>(-dot(h1, h1) - bend, -dot(h1, h2), -dot(h1, h2), -dot(h2, h2) - bend);
    // The equations for B after A is eliminated.
    let s = t_block - (1.0 / alpha) * (r_block * q_block);
    let right = rb - (1.0 / alpha) * (r_block * ra);
    let det = s[0][0] * s[1][1] - s[1][0] * s[0][1];
    let largest = max(abs(s[0][0] * s[1][1]), abs(s[1][0] * s[0][1]));
    let ub = vec2<f32>(s[1][1] * right.x - s[1][0] * right.y, s[0][0] * right.y - s[0][1] * right.x) / det;
    let ua = (ra - q_block * ub) / alpha;
    var out: Rates;
    out.places.a = ea[0] * ua.x + ea[1] * ua.y;
    out.places.b = eb[0] * ub.x + eb[1] * ub.y;
    // Also small if A's centre is beyond the tangent plane of B: the pair is on a far side.
    out.determinant = min(abs(det) / largest, alpha / max(length(f), 1e-30));
    return out;
}

fn plus(at: Places, k: Places, h: f32) -> Places {
    return Places(at.a + h * k.a, at.b + h * k.b);
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
    if extremal_states[state + 2u].y != 0.0 {
        return;
    }
    var m: Moment;
    m.a = Body(extremal_pairs[pair].xyz, extremal_pairs[pair + 2u]);
    m.b = Body(extremal_pairs[pair + 1u].xyz, extremal_pairs[pair + 3u]);
    let half_a = extremal_pairs[pair + 4u];
    let half_b = extremal_pairs[pair + 5u];
    m.origins = -extremal_pairs[pair + 6u].xyz;
    m.velocity = -extremal_pairs[pair + 7u].xyz;
    m.spin_a = extremal_pairs[pair + 8u].xyz;
    m.spin_b = extremal_pairs[pair + 9u].xyz;
    var at = Places(extremal_states[state].xyz, extremal_states[state + 1u].xyz);
    var least = extremal_states[state + 2u].z;
    let h = extremal_settings.step;
    for (var i = 0u; i < extremal_settings.n_steps; i += 1u) {
        let k1 = rates(m, at);
        m.a.rotation = normalize(turned(half_a, m.a.rotation));
        m.b.rotation = normalize(turned(half_b, m.b.rotation));
        m.origins += 0.5 * h * m.velocity;
        let k2 = rates(m, plus(at, k1.places, 0.5 * h));
        let k3 = rates(m, plus(at, k2.places, 0.5 * h));
        m.a.rotation = normalize(turned(half_a, m.a.rotation));
        m.b.rotation = normalize(turned(half_b, m.b.rotation));
        m.origins += 0.5 * h * m.velocity;
        let k4 = rates(m, plus(at, k3.places, h));
        let a = at.a + h / 6.0 * (k1.places.a + 2.0 * k2.places.a + 2.0 * k3.places.a + k4.places.a);
        let b = at.b + h / 6.0 * (k1.places.b + 2.0 * k2.places.b + 2.0 * k3.places.b + k4.places.b);
        at = Places(normalize(a), normalize(b));
        least = min(least, min(min(k1.determinant, k2.determinant), min(k3.determinant, k4.determinant)));
    }
    // The results for the pair at the end.
    let f = point(m.a, at.a);
    let delta = f - point(m.b, at.b) + m.origins;
    let n = normalize(rotated(m.b.rotation, at.b / m.b.axes));
    let n_a = normalize(rotated(m.a.rotation, at.a / m.a.axes));
    let facing = dot(n_a, n);
    let sigma = dot(delta, n);
    let reach = length(m.a.axes) + length(m.b.axes);
    // The sine between the normals, and the component of delta that is not along the normal.
    let error = max(length(cross(n_a, n)), length(delta - sigma * n) / reach);
    // The comparison is written so that NaN counts as lost.
    let good = least > SINGULAR && error < 1e6;
    extremal_states[state] = vec4<f32>(at.a, sigma);
    extremal_states[state + 1u] = vec4<f32>(at.b, error);
    extremal_states[state + 2u] = vec4<f32>(facing, select(1.0, 0.0, good), least, 0.0);
}
