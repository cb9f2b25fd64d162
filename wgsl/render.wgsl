// The picture of a motion, as the mean of many exposures: see `gpu/draw`.
//
// This file is not part of a bound, so the rules for kernels do not apply.

struct Exposure {
    // Clip coordinates from metres relative to the focus, shifted by a part of a pixel.
    clip_from_scene: mat4x4f,
    // Coordinates in the shadow maps of the lamp and of two directions of the sky.
    shadow_from_scene: array<mat4x4f, 3>,
    // Unit vectors towards these lights.
    to_light: array<vec4f, 3>,
    background: vec4f,
    touched: vec4f,
    eye: vec3f,
    // Distance in pixels around the subject within which structures in front of it are omitted.
    halo_px: f32,
    contact: vec3f,
    // Structures nearer to the camera than this are omitted, metres.
    near_cut_m: f32,
    // A layer is omitted if its opacity is below its threshold.
    veil_threshold: f32,
    touched_threshold: f32,
    start_threshold: f32,
    end_threshold: f32,
    volume_threshold: f32,
    mark_threshold: f32,
    // The direction of the first of the taps around a pixel.
    halo_turn: vec2f,
    // The scene has the colour of the background beyond the second of these distances from the camera, metres.
    haze_m: vec2f,
    // The touched object is coloured within the first of these distances from the contact, metres, and not beyond the
    // second.
    spot_m: vec2f,
    // Objects cast shadows within this distance of the focus, metres.
    shadow_m: f32,
    // Distance by which shaded points are moved along their normal before a lookup in a shadow map, metres.
    shadow_offset_m: f32,
    // The weight of this exposure in the picture.
    weight: f32,
    // 1 if the touched object is cut like a structure far from the contact.
    cuts_touched: u32,
}

@group(0) @binding(0) var<uniform> exposure: Exposure;
// For each pixel the distances along the view of everything that moves, of the robot at any time, and of the solid
// robot; `NOWHERE` in empty pixels.
@group(1) @binding(0) var subject: texture_2d<f32>;
@group(1) @binding(1) var shadows: texture_depth_2d_array;
@group(1) @binding(2) var shadow_sampler: sampler_comparison;
// The input of `accumulate` and `finish`.
@group(1) @binding(3) var image: texture_2d<f32>;

const NOWHERE: f32 = 1e30;
// Amount by which the scene is faded, so that it does not distract from the robot.
const PALE: f32 = 0.2;
const VEIL: f32 = 0.0;
const TOUCHED: f32 = 0.35;
const TOUCHED_BEFORE_GHOST: f32 = 0.55;
const GHOST: f32 = 0.55;
const VOLUME: f32 = 0.25;
// Translucent layers keep these fractions of their opacity in front of the solid robot, and in front of a translucent
// one.
const BEFORE_ROBOT: f32 = 0.15;
const BEFORE_GHOST: f32 = 0.4;

struct Corner {
    @builtin(position) at: vec4f,
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) colour: vec4f,
}

fn seen(position: vec3f, normal: vec4f, colour: vec4f) -> Corner {
    // Colours are given as on the screen; light adds up linearly.
    let linear = vec4f(pow(colour.rgb, vec3f(2.2)), colour.a);
    return Corner(exposure.clip_from_scene * vec4f(position, 1.0), position, normal.xyz, linear);
}

@vertex
fn corner(@location(0) position: vec3f, @location(1) normal: vec4f, @location(2) colour: vec4f) -> Corner {
    return seen(position, normal, colour);
}

// The same position, slightly farther away on the same line of sight, so that of two nearly coincident surfaces the
// other one is visible.
@vertex
fn corner_behind(@location(0) position: vec3f, @location(1) normal: vec4f, @location(2) colour: vec4f) -> Corner {
    return seen(exposure.eye + (position - exposure.eye) * 1.006, normal, colour);
}

// Distance along the view.
fn distance_of(at: vec4f) -> f32 {
    return 1.0 / at.w;
}

// The normal on the visible side.
fn facing(v: Corner, is_front: bool) -> vec3f {
    let n = normalize(v.normal + vec3f(0.0, 0.0, 1e-6));
    return select(-n, n, is_front);
}

// The fraction of light `i` that reaches a point.
fn reaching(i: i32, position: vec3f, n: vec3f) -> f32 {
    let p = (exposure.shadow_from_scene[i] * vec4f(position + n * exposure.shadow_offset_m, 1.0)).xyz;
    let uv = vec2f(0.5, -0.5) * p.xy + 0.5;
    let reached = textureSampleCompareLevel(shadows, shadow_sampler, uv, i, p.z - 0.0015);
    let out = smoothstep(0.75, 1.0, length(position) / exposure.shadow_m);
    return mix(reached, 1.0, out);
}

// Light of a lamp and of the sky, with their shadows, and a little from everywhere.
fn lit(v: Corner, n: vec3f) -> vec3f {
    var light = 0.24 + 0.13 * (1.0 - n.z) + 0.12 * abs(dot(n, normalize(exposure.eye - v.position)));
    light += 0.5 * max(dot(n, exposure.to_light[0].xyz), 0.0) * reaching(0, v.position, n);
    for (var i = 1; i < 3; i++) {
        light += 0.5 * max(dot(n, exposure.to_light[i].xyz), 0.0) * reaching(i, v.position, n);
    }
    return v.colour.rgb * light;
}

fn hazed(colour: vec3f, at: vec4f) -> vec3f {
    let haze = smoothstep(exposure.haze_m.x, exposure.haze_m.y, distance_of(at));
    return mix(colour, exposure.background.rgb, PALE + (0.92 - PALE) * haze);
}

// Returns whether something that moves, or something within the halo around it, is behind this position.
fn is_before_subject(at: vec4f) -> bool {
    let size = vec2i(textureDimensions(subject));
    var farthest = 0.0;
    var direction = vec2f(0.0);
    for (var i = 0; i < 9; i++) {
        let near = vec2i(at.xy + exposure.halo_px * direction);
        // The middle, then eight positions around it.
        let turned = vec2f(0.7071 * (direction.x - direction.y), 0.7071 * (direction.x + direction.y));
        direction = select(turned, exposure.halo_turn, i == 0);
        let distance = textureLoad(subject, clamp(near, vec2i(0), size - 1), 0).r;
        farthest = max(farthest, select(0.0, distance, distance < NOWHERE));
    }
    return distance_of(at) < farthest * 0.998;
}

// The opacity of a ghost, which is reduced in front of the solid robot.
fn ghost(at: vec4f) -> f32 {
    return GHOST * select(1.0, BEFORE_ROBOT, textureLoad(subject, vec2i(at.xy), 0).b < NOWHERE);
}

// Returns whether a part of a structure is omitted: in front of the subject, or upright and near the camera.
fn is_cut(at: vec4f, n: vec3f) -> bool {
    let near_cut_m = exposure.near_cut_m * (1.0 - smoothstep(0.5, 0.9, abs(n.z)));
    return distance_of(at) < near_cut_m || is_before_subject(at);
}

// The position of a triangle in a shadow map.
@vertex
fn shadow(@builtin(instance_index) light: u32, @location(0) position: vec3f) -> @builtin(position) vec4f {
    return exposure.shadow_from_scene[light] * vec4f(position, 1.0);
}

@fragment
fn distance_only(v: Corner) -> @location(0) vec4f {
    let distance = distance_of(v.at);
    return vec4f(distance, distance, distance, 1.0);
}

@fragment
fn robot(v: Corner, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    return vec4f(lit(v, facing(v, is_front)), 1.0);
}

@fragment
fn scene(v: Corner, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    return vec4f(hazed(lit(v, facing(v, is_front)), v.at), 1.0);
}

// Structures that surround the subject: without parts in front of it, and without upright parts near the camera.
@fragment
fn structure(v: Corner, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    let n = facing(v, is_front);
    if is_cut(v.at, n) {
        discard;
    }
    return vec4f(hazed(lit(v, n), v.at), 1.0);
}

// Objects that would occlude the subject.
@fragment
fn veil(v: Corner, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    if exposure.veil_threshold >= VEIL {
        discard;
    }
    return vec4f(lit(v, facing(v, is_front)), 1.0);
}

// The touched object: near the contact in its colour, translucent in front of the subject.
@fragment
fn touched(v: Corner, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    let distances = textureLoad(subject, vec2i(v.at.xy), 0);
    let is_before = (vec3f(distance_of(v.at)) < 0.998 * distances.rgb) & (distances.rgb < vec3f(NOWHERE));
    if exposure.touched_threshold >= select(select(1.0, TOUCHED_BEFORE_GHOST, is_before.y), TOUCHED, is_before.z) {
        discard;
    }
    let n = facing(v, is_front);
    let away = smoothstep(exposure.spot_m.x, exposure.spot_m.y, distance(v.position, exposure.contact));
    if exposure.cuts_touched > 0 && away >= 1.0 && is_cut(v.at, n) {
        discard;
    }
    var coloured = v;
    coloured.colour = vec4f(mix(exposure.touched.rgb, v.colour.rgb, away), 1.0);
    let light = lit(coloured, n);
    return vec4f(mix(light, hazed(light, v.at), away), 1.0);
}

// A translucent surface, of which the nearest part is visible: darker when seen from the side, so that its outline
// shows.
fn shell(v: Corner, is_front: bool, threshold: f32, opacity: f32, rim: f32) -> vec4f {
    let n = facing(v, is_front);
    if threshold >= opacity {
        discard;
    }
    let side = 1.0 - abs(dot(n, normalize(exposure.eye - v.position)));
    let light = 0.62 + 0.3 * max(dot(n, exposure.to_light[0].xyz), 0.0) + 0.14 * n.z;
    return vec4f(v.colour.rgb * light * (1.0 - rim * side * side * side), 1.0);
}

@fragment
fn start(v: Corner, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    return shell(v, is_front, exposure.start_threshold, ghost(v.at), 0.6);
}

@fragment
fn end(v: Corner, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    return shell(v, is_front, exposure.end_threshold, ghost(v.at), 0.6);
}

@fragment
fn volume(v: Corner, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    let distances = textureLoad(subject, vec2i(v.at.xy), 0);
    let before = select(select(1.0, BEFORE_GHOST, distances.g < NOWHERE), BEFORE_ROBOT, distances.b < NOWHERE);
    return shell(v, is_front, exposure.volume_threshold, VOLUME * before, 0.75);
}

fn glowing(v: Corner, n: vec3f) -> vec4f {
    return vec4f(v.colour.rgb * (0.75 + 0.35 * max(dot(n, exposure.to_light[0].xyz), 0.0)), 1.0);
}

@fragment
fn mark(v: Corner, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    return glowing(v, facing(v, is_front));
}

// A mark behind something: fainter.
@fragment
fn hidden_mark(v: Corner, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    if exposure.mark_threshold >= 0.8 {
        discard;
    }
    return glowing(v, facing(v, is_front));
}

// A triangle that covers the picture.
@vertex
fn everywhere(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(select(-1.0, 3.0, i == 1), select(-1.0, 3.0, i == 2), 0.0, 1.0);
}

@fragment
fn accumulate(@builtin(position) at: vec4f) -> @location(0) vec4f {
    return exposure.weight * min(textureLoad(image, vec2i(at.xy), 0), vec4f(1.0));
}

@fragment
fn finish(@builtin(position) at: vec4f) -> @location(0) vec4f {
    return vec4f(textureLoad(image, vec2i(at.xy), 0).rgb, 1.0);
}
