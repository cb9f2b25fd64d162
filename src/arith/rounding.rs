//! Rounding from f64 to the f32 numbers of the kernels.

use glam::{DVec3, Vec3};

/// Relative error of one WGSL operation: the result may be either neighbour of the exact value.
pub const UNIT_F32: f64 = 1.0 / (1u64 << 23) as f64;
/// Upper bound on the error that flushing subnormal numbers to zero adds to one formula.
pub const UNDERFLOW_F32: f64 = 2e-30;

/// The smallest f32 that is not below `x`, clamped to the finite range of f32.
pub fn round_up(x: f64) -> f32 {
    let y = (x as f32).clamp(f32::MIN, f32::MAX);
    if f64::from(y) < x { y.next_up().min(f32::MAX) } else { y }
}

/// The largest f32 that is not above `x`, clamped to the finite range of f32.
pub fn round_down(x: f64) -> f32 {
    -round_up(-x)
}

/// A vector with each coordinate rounded to the nearest f32.
pub fn nearest(v: DVec3) -> Vec3 {
    v.as_vec3()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_outward() {
        for x in [0.0, 1.0, 0.1, -0.1, 1e-40, -1e-46, 1e39, -1e39, 16_777_217.0] {
            assert!(f64::from(round_up(x)) >= x.min(f64::from(f32::MAX)) && round_up(x).is_finite(), "{x}");
            assert!(f64::from(round_down(x)) <= x.max(f64::from(f32::MIN)), "{x}");
        }
        assert_eq!(round_up(0.5), 0.5);
    }
}
