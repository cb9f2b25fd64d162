//! The pairs of the experiments.

use firstcontact::extremal::{Basis, Motion, Pair, Shape, SplineSurface};
use glam::{DMat3, DQuat, DVec3};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

pub fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// A number in [lo, hi).
pub fn uniform(random: &mut Pcg64Mcg, lo: f64, hi: f64) -> f64 {
    lo + (hi - lo) * ((random.next_u64() >> 11) as f64 / (1u64 << 53) as f64)
}

pub fn vector(random: &mut Pcg64Mcg, size: f64) -> DVec3 {
    v(uniform(random, -size, size), uniform(random, -size, size), uniform(random, -size, size))
}

pub fn ellipsoids() -> Pair {
    Pair { a: Shape::ellipsoid([2.0, 1.2, 0.8]).unwrap(), b: Shape::ellipsoid([1.5, 1.0, 0.6]).unwrap() }
}

/// Two moving ellipsoids: the paper's experiment.
pub fn apart() -> (Pair, [Motion; 2]) {
    let a = Motion::new(v(0.0, 0.0, 0.0), v(0.3, 0.1, 0.0), v(0.2, -0.1, 0.5));
    let b = Motion::new(v(4.2, 1.0, 0.8), v(-0.2, 0.0, 0.1), v(-0.3, 0.4, 0.1));
    (ellipsoids(), [a, b])
}

/// The start of [`apart`]: the extremal pair.
pub const APART_START: [f64; 4] = [0.26487522432061656, 0.21197577575183858, -2.848863569102776, -0.21034160216740216];
/// Offset of a wrong start from the extremal pair.
pub const APART_OFF: [f64; 4] = [0.25, -0.2, 0.3, 0.15];

/// The same bodies on a path through contact.
pub fn through_contact() -> (Pair, [Motion; 2]) {
    let a = Motion::new(DVec3::ZERO, DVec3::ZERO, v(0.1, -0.1, 0.3));
    let b = Motion::new(v(4.2, 0.6, 0.5), v(-1.0, -0.1, -0.1), v(-0.2, 0.3, 0.1));
    (ellipsoids(), [a, b])
}

pub const THROUGH_START: [f64; 4] =
    [0.16659981579802329, 0.14660498110243555, -2.9568797060110386, -0.14614109791434231];

/// Two spheres that roll and slide on each other.
pub fn in_contact() -> (Pair, [Motion; 2]) {
    let pair = Pair { a: Shape::ellipsoid([1.0; 3]).unwrap(), b: Shape::ellipsoid([0.5; 3]).unwrap() };
    let a = Motion::new(DVec3::ZERO, DVec3::ZERO, v(0.2, 0.3, 0.5));
    let b = Motion::new(1.5 * v(0.3f64.cos(), 0.3f64.sin(), 0.0), DVec3::ZERO, v(-0.1, 0.2, 0.4));
    (pair, [a, b])
}

fn net(z: [[f64; 4]; 4], w: [f64; 4], inward: bool) -> Shape {
    let at = |i: usize| -1.0 + 2.0 * i as f64 / 3.0;
    let points: Vec<DVec3> = (0..16).map(|k| v(at(k / 4), at(k % 4), z[k / 4][k % 4])).collect();
    let mut weights = [1.0; 16];
    (weights[5], weights[6], weights[9], weights[10]) = (w[0], w[1], w[2], w[3]);
    let basis = [Basis::bezier(3).unwrap(), Basis::bezier(3).unwrap()];
    Shape::Patch(SplineSurface::new(basis, &points, Some(&weights), inward).unwrap())
}

/// Two rational bicubic patches.
pub fn patches() -> (Pair, [Motion; 2]) {
    patches_with(true)
}

/// The same patches, with the declared side of the second one's normal.
pub fn patches_with(inward: bool) -> (Pair, [Motion; 2]) {
    let a = net(
        [[0.0, 0.5, 0.5, 0.0], [0.5, 1.1, 1.0, 0.45], [0.5, 1.0, 1.2, 0.5], [0.0, 0.5, 0.45, -0.1]],
        [1.5, 1.2, 1.2, 2.0],
        false,
    );
    let b = net(
        [[0.0, -0.4, -0.3, 0.1], [-0.4, -0.9, -0.9, -0.4], [-0.3, -0.9, -1.0, -0.4], [0.1, -0.4, -0.4, 0.0]],
        [1.3, 1.1, 1.1, 1.4],
        inward,
    );
    let motion_a = Motion::new(DVec3::ZERO, v(0.0, 0.0, 0.1), v(0.05, -0.1, 0.2));
    let motion_b = Motion::new(v(0.2, -0.1, 2.2), v(0.1, 0.05, -0.4), v(-0.1, 0.1, -0.2));
    (Pair { a, b }, [motion_a, motion_b])
}

pub const PATCHES_START: [f64; 4] = [0.55648760575966229, 0.4961777265559747, 0.47746445255403814, 0.54448555046120156];

/// One eighth of a sphere, exact, as a rational biquadratic patch.
pub fn octant(radius: f64) -> Shape {
    let arc = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let w = [1.0, std::f64::consts::FRAC_1_SQRT_2, 1.0];
    let (mut points, mut weights) = (Vec::new(), Vec::new());
    for i in 0..3 {
        for j in 0..3 {
            points.push(radius * v(arc[j][0] * arc[i][0], arc[j][0] * arc[i][1], arc[j][1]));
            weights.push(w[i] * w[j]);
        }
    }
    let basis = [Basis::bezier(2).unwrap(), Basis::bezier(2).unwrap()];
    Shape::Patch(SplineSurface::new(basis, &points, Some(&weights), false).unwrap())
}

pub fn octants() -> (Pair, [Motion; 2]) {
    let half_turn = DMat3::from_quat(DQuat::from_axis_angle(v(1.0, -1.0, 0.0).normalize(), std::f64::consts::PI));
    let a = Motion::new(DVec3::ZERO, v(0.1, 0.0, 0.0), v(0.1, 0.1, -0.1));
    let b = Motion::new(v(1.5, 1.2, 1.4), v(-0.3, -0.2, -0.25), v(0.1, -0.1, 0.05));
    (Pair { a: octant(1.0), b: octant(0.7) }, [a, Motion { rotation: half_turn, ..b }])
}
