//! The exposures of a picture, and the differences between them.

use super::{Lens, gpu_error};
use crate::error::Result;
use encase::ShaderType;
use glam::{Mat4, Vec2, Vec3, Vec4};
use std::f32::consts::TAU;

/// Lights of an exposure: a point of the lamp, and directions of the sky.
pub const LIGHTS: usize = 3;
/// Pixels of a shadow map's side.
pub const SHADOW_PX: u32 = 1024;
/// Radius of the lamp, radians as seen from the subject.
const LAMP_RAD: f32 = 0.13;
/// Distance from the focus towards a light, as a fraction of the shadows' radius, beyond which objects cast no shadow:
/// a ceiling would darken everything.
const OCCLUDER_REACH: f32 = 0.8;
/// The golden angle: multiples of it are spread evenly.
const GOLDEN_RAD: f32 = 2.399_963_2;

/// Quantities that vary between exposures; each has a different order of steps.
#[derive(Clone, Copy)]
enum Quantity {
    ShiftX,
    ShiftY,
    Lamp,
    Sky,
    Veil,
    Touched,
    Start,
    End,
    Volume,
    Mark,
    Halo,
    HaloTurn,
    NearCut,
}

/// The uniforms of one exposure, as the shader declares them.
#[derive(ShaderType)]
struct Exposure {
    clip_from_scene: Mat4,
    shadow_from_scene: [Mat4; LIGHTS],
    to_light: [Vec4; LIGHTS],
    background: Vec4,
    touched: Vec4,
    eye: Vec3,
    halo_px: f32,
    contact: Vec3,
    near_cut_m: f32,
    veil_threshold: f32,
    touched_threshold: f32,
    start_threshold: f32,
    end_threshold: f32,
    volume_threshold: f32,
    mark_threshold: f32,
    halo_turn: Vec2,
    haze_m: Vec2,
    spot_m: Vec2,
    shadow_m: f32,
    shadow_offset_m: f32,
    weight: f32,
    cuts_touched: u32,
}

/// The uniforms of exposure `i` of `n` of a picture of this size in pixels.
pub fn uniforms(lens: &Lens, size: [u32; 2], i: u32, n: u32) -> Result<Vec<u8>> {
    let share = |quantity| (f64::from(rank(quantity, i, n)) as f32 + 0.5) / n as f32;
    let shift = [Quantity::ShiftX, Quantity::ShiftY].map(|q| 2.0 * share(q) - 1.0);
    let shift = Vec3::new(shift[0] / size[0] as f32, shift[1] / size[1] as f32, 0.0);
    let to_light = lights(lens, i, n);
    let [near, far] = lens.near_cut_m;
    let (sin, cos) = (TAU * share(Quantity::HaloTurn)).sin_cos();
    let exposure = Exposure {
        clip_from_scene: Mat4::from_translation(shift) * lens.clip_from_scene,
        shadow_from_scene: to_light.map(|d| shadow_map(d, lens.shadow_m)),
        to_light: to_light.map(|d| d.extend(0.0)),
        background: lens.background.extend(1.0),
        touched: lens.touched.extend(1.0),
        eye: lens.eye,
        halo_px: lens.halo_px * (0.3 + 0.7 * share(Quantity::Halo)),
        contact: lens.contact,
        near_cut_m: near + (far - near) * share(Quantity::NearCut),
        veil_threshold: share(Quantity::Veil),
        touched_threshold: share(Quantity::Touched),
        start_threshold: share(Quantity::Start),
        end_threshold: share(Quantity::End),
        volume_threshold: share(Quantity::Volume),
        mark_threshold: share(Quantity::Mark),
        halo_turn: Vec2::new(cos, sin),
        haze_m: lens.haze_m.into(),
        spot_m: lens.spot_m.into(),
        shadow_m: lens.shadow_m,
        shadow_offset_m: 3.0 * lens.shadow_m / SHADOW_PX as f32,
        weight: 1.0 / n as f32,
        cuts_touched: u32::from(lens.cuts_touched),
    };
    let mut buffer = encase::UniformBuffer::new(Vec::new());
    buffer.write(&exposure).map_err(|e| gpu_error(e.to_string()))?;
    Ok(buffer.into_inner())
}

/// Unit vectors towards the lights.
fn lights(lens: &Lens, i: u32, n: u32) -> [Vec3; LIGHTS] {
    let (u, v) = lens.to_lamp.any_orthonormal_pair();
    let k = rank(Quantity::Lamp, i, n) as f32;
    let (sin, cos) = (k * GOLDEN_RAD).sin_cos();
    let lamp = (lens.to_lamp + (u * cos + v * sin) * (LAMP_RAD * ((k + 0.5) / n as f32).sqrt())).normalize();
    // Distributed evenly over the upper half, in opposite directions for the same exposure.
    let sky = |half: u32| {
        let k = rank(Quantity::Sky, i, n) as f32;
        let z = (k + 0.25 + 0.5 * half as f32) / n as f32;
        let (sin, cos) = (k * GOLDEN_RAD + half as f32 * 0.5 * TAU).sin_cos();
        let level = (1.0 - z * z).sqrt();
        Vec3::new(level * cos, level * sin, z)
    };
    [lamp, sky(0), sky(1)]
}

/// Transform to coordinates in the shadow map of a light: depth is 0 nearest to it.
fn shadow_map(to_light: Vec3, radius_m: f32) -> Mat4 {
    let (u, v) = to_light.any_orthonormal_pair();
    let depth_m = radius_m * (1.0 + OCCLUDER_REACH);
    Mat4::from_cols_array_2d(&[
        (u / radius_m).extend(0.0).to_array(),
        (v / radius_m).extend(0.0).to_array(),
        (-to_light / depth_m).extend(radius_m * OCCLUDER_REACH / depth_m).to_array(),
        Vec4::W.to_array(),
    ])
    .transpose()
}

/// The position of exposure `i` in the order of a quantity's `n` steps: a permutation, a different one for each
/// quantity.
fn rank(quantity: Quantity, i: u32, n: u32) -> u32 {
    let key = |i: u32| mix(u64::from(i) << 8 | quantity as u64);
    (0..n).filter(|&other| key(other) < key(i)).count() as u32
}

/// Spreads the bits of a word (the finaliser of SplitMix64): different words have different results.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quantity_takes_each_of_its_steps_once() {
        let quantities = [Quantity::ShiftX, Quantity::Sky, Quantity::NearCut];
        for (k, quantity) in quantities.into_iter().enumerate() {
            let mut ranks: Vec<u32> = (0..32).map(|i| rank(quantity, i, 32)).collect();
            for other in &quantities[..k] {
                assert!((0..32).any(|i| rank(*other, i, 32) != ranks[i as usize]));
            }
            ranks.sort_unstable();
            assert!(ranks.into_iter().eq(0..32));
        }
    }

    /// The focus and its surroundings within the radius are inside a light's map; points nearer to the light have less
    /// depth.
    #[test]
    fn a_shadow_map_holds_what_is_around_the_focus() {
        let to_light = Vec3::new(0.3, -0.5, 0.8).normalize();
        let map = shadow_map(to_light, 2.0);
        for way in [Vec3::X, Vec3::Y, Vec3::Z, -to_light] {
            let p = map.project_point3(1.99 * way.reject_from(to_light) + to_light * 1.5);
            assert!(p.truncate().length() <= 1.0 && (0.0..=1.0).contains(&p.z), "{way}: {p}");
        }
        assert!(map.project_point3(to_light).z < map.project_point3(-to_light).z);
        assert!(map.project_point3(to_light * 1.7).z < 0.0, "a ceiling throws no shadow");
        assert!(map.project_point3(to_light * -1.99).z <= 1.0);
    }
}
