// The picture of a motion: lit triangles, translucent shells, and surroundings that give way to what they would hide.
//
// Nothing here enters a bound: the rules for kernels do not apply.

struct Lens {
    clip_from_scene: mat4x4f,
    // Where the camera is, metres from the focus.
    eye: vec3f,
    // Pixels around the subject in which surroundings before it give way.
    halo: f32,
    // Unit vector towards the light.
    light: vec3f,
    // Surroundings begin to pale at this distance from the camera, metres …
    haze_from: f32,
    // … and have the colour of the background, almost, at this.
    background: vec3f,
    haze_to: f32,
}

@group(0) @binding(0) var<uniform> lens: Lens;
// For each pixel the distance of the subject along the view, `NOWHERE` where there is none.
@group(0) @binding(1) var subject: texture_2d<f32>;

const NOWHERE: f32 = 1e30;

struct Corner {
    @builtin(position) @invariant at: vec4f,
    @location(0) position: vec3f,
    @location(1) @interpolate(flat, first) normal: vec3f,
    @location(2) colour: vec4f,
}

fn seen(position: vec3f, normal: vec3f, colour: vec4f) -> Corner {
    // Colours are given as they look on the screen; light adds up in linear ones.
    let linear = vec4f(pow(colour.rgb, vec3f(2.2)), colour.a);
    return Corner(lens.clip_from_scene * vec4f(position, 1.0), position, normal, linear);
}

@vertex
fn corner(@location(0) position: vec3f, @location(1) normal: vec3f, @location(2) colour: vec4f) -> Corner {
    return seen(position, normal, colour);
}

// The same a little farther away on the same line of sight: of two surfaces that nearly coincide, the other one shows.
@vertex
fn corner_behind(@location(0) position: vec3f, @location(1) normal: vec3f, @location(2) colour: vec4f) -> Corner {
    return seen(lens.eye + (position - lens.eye) * 1.006, normal, colour);
}

// Distance along the view.
fn distance_of(at: vec4f) -> f32 {
    return 1.0 / at.w;
}

// Diffuse light from one side, and from the sky; both faces of a triangle alike.
fn lit(v: Corner, strength: f32) -> vec3f {
    let view = normalize(lens.eye - v.position);
    let n = select(-v.normal, v.normal, dot(v.normal, view) >= 0.0);
    let sky = 0.5 + 0.5 * n.z;
    let facing = 0.25 * abs(dot(n, view));
    return v.colour.rgb * (1.0 - strength + strength * (0.22 + 0.3 * sky + facing + 0.75 * max(dot(n, lens.light), 0.0)));
}

fn hazed(colour: vec3f, at: vec4f) -> vec3f {
    return mix(colour, lens.background, 0.85 * smoothstep(lens.haze_from, lens.haze_to, distance_of(at)));
}

// Whether the subject, or something less than a halo beside it, lies behind this place.
fn is_before_subject(at: vec4f) -> bool {
    let size = vec2i(textureDimensions(subject));
    var farthest = 0.0;
    var direction = vec2f(1.0, 0.0);
    for (var i = 0; i < 17; i++) {
        let ring = f32((i + 7) / 8) * 0.5 * lens.halo;
        let near = vec2i(at.xy + ring * direction);
        // A turn by 48 degrees: eight of them lie as evenly as any, and the second ring's between those of the first.
        direction = vec2f(0.6691 * direction.x - 0.7431 * direction.y, 0.7431 * direction.x + 0.6691 * direction.y);
        let distance = textureLoad(subject, clamp(near, vec2i(0), size - 1), 0).r;
        farthest = max(farthest, select(0.0, distance, distance < NOWHERE));
    }
    return distance_of(at) < farthest * 0.998;
}

// The distance of the subject, for `subject`.
@fragment
fn distance_only(v: Corner) -> @location(0) vec4f {
    return vec4f(distance_of(v.at), 0.0, 0.0, 1.0);
}

// The robot, and what it touches.
@fragment
fn solid(v: Corner) -> @location(0) vec4f {
    return vec4f(lit(v, 1.0), 1.0);
}

// Surroundings, without what would hide the subject; paler than the subject, but for what stays visible even before it.
@fragment
fn surroundings(v: Corner) -> @location(0) vec4f {
    if is_before_subject(v.at) {
        discard;
    }
    return vec4f(hazed(mix(lit(v, 1.0), lens.background, max(0.32 - 0.7 * v.colour.a, 0.0)), v.at), 1.0);
}

// What was left out of them, as faint as its colour says.
@fragment
fn veil(v: Corner) -> @location(0) vec4f {
    if !is_before_subject(v.at) {
        discard;
    }
    return vec4f(lit(v, 1.0), v.colour.a);
}

// A translucent surface: fainter where it is seen from the front, so that its outline shows.
@fragment
fn shell(v: Corner) -> @location(0) vec4f {
    let view = normalize(lens.eye - v.position);
    let rim = 1.0 - abs(dot(v.normal, view));
    return vec4f(lit(v, 0.8), min(v.colour.a * (0.75 + 1.1 * rim * rim), 0.95));
}

// A sign that is seen whatever lies before it, faintly there.
@fragment
fn hidden_mark(v: Corner) -> @location(0) vec4f {
    return vec4f(lit(v, 0.5), 0.4);
}
