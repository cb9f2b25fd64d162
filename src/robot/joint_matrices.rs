//! The constant matrices of joint motions (Redon et al. 2004, eq. 4), of one joint or of eight side by side: the same
//! bits.

use crate::arith::linear::V3;
use crate::arith::real::{FullReal, Real};
use crate::arith::trig::sin_cos_pair;
use crate::arith::vectors::{Vector, Vectorised, WIDTH};
use crate::robot::joint_motion::AxisMotion;
use glam::{DMat3, DVec3};

/// The matrices of a joint motion `cos(w t) A + sin(w t) B + C`, by columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointMatrices<T> {
    pub a: [V3<T>; 3],
    pub b: [V3<T>; 3],
    pub c: [V3<T>; 3],
}

impl<T: FullReal> JointMatrices<T> {
    /// The matrices of a turn about the axis `u`, starting with the orientation `r`: `r` is made orthonormal and `u` a
    /// unit vector.
    #[inline(always)]
    pub fn new(r: [V3<T>; 3], u: V3<T>) -> Self {
        let [x, y, z] = orthonormal(r);
        let u = u.times(T::new(1.0).div(u.dot(u).sqrt()));
        let c = [u.times(u.dot(x)), u.times(u.dot(y)), u.times(u.dot(z))];
        Self { a: [x - c[0], y - c[1], z - c[2]], b: [u.cross(x), u.cross(y), u.cross(z)], c }
    }

    /// A bound on the deviation of `P(t)` from a rotation, for every `t`: `||P(t)|| <= 1 + defect`.
    ///
    /// It follows from the expansion of `PᵀP - I` in sines and cosines, with `|cos sin| <= 1/2` and the inequality of
    /// Cauchy and Schwarz.
    #[inline(always)]
    pub fn defect(&self) -> T {
        let Self { a, b, c } = self;
        let half = T::new(0.5);
        let (of_c, one) = (products(c, c), T::new(1.0));
        let d1 = norm(&with_diagonal(&sum(&products(a, a), &of_c), -one));
        let d2 = norm(&with_diagonal(&sum(&products(b, b), &of_c), -one));
        let d3 = norm(&sum(&products(a, b), &products(b, a)));
        let d4 = norm(&sum(&products(a, c), &products(c, a)));
        let d5 = norm(&sum(&products(b, c), &products(c, b)));
        half * (d1.max(d2) + half * d3 + (d4 * d4 + d5 * d5).sqrt())
    }
}

/// The rotation nearest to a matrix that is nearly a rotation, by columns: two steps of Newton's iteration for the
/// polar decomposition.
#[inline(always)]
pub(super) fn orthonormal<T: FullReal>(r: [V3<T>; 3]) -> [V3<T>; 3] {
    mean_with_inverse(mean_with_inverse(r))
}

/// A step of that iteration: the mean of a matrix and its inverse transpose.
#[inline(always)]
fn mean_with_inverse<T: FullReal>([x, y, z]: [V3<T>; 3]) -> [V3<T>; 3] {
    let (yz, zx, xy) = (y.cross(z), z.cross(x), x.cross(y));
    let (inverse, half) = (T::new(1.0).div(x.dot(yz)), T::new(0.5));
    [(x + yz.times(inverse)).times(half), (y + zx.times(inverse)).times(half), (z + xy.times(inverse)).times(half)]
}

/// The columns of a matrix.
pub(super) fn columns(m: &DMat3) -> [V3<f64>; 3] {
    [V3::new(m.x_axis), V3::new(m.y_axis), V3::new(m.z_axis)]
}

/// The matrix with these columns.
pub(super) fn matrix([x, y, z]: [V3<f64>; 3]) -> DMat3 {
    DMat3::from_cols(x.0.into(), y.0.into(), z.0.into())
}

/// The entries on the diagonal and above it of `Xᵀ Y`: rows 0, 1 and 2 of the diagonal, then (0, 1), (0, 2), (1, 2).
#[inline(always)]
fn products<T: Real>(x: &[V3<T>; 3], y: &[V3<T>; 3]) -> [T; 6] {
    [x[0].dot(y[0]), x[1].dot(y[1]), x[2].dot(y[2]), x[0].dot(y[1]), x[0].dot(y[2]), x[1].dot(y[2])]
}

#[inline(always)]
fn sum<T: Real>(x: &[T; 6], y: &[T; 6]) -> [T; 6] {
    [x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3], x[4] + y[4], x[5] + y[5]]
}

#[inline(always)]
fn with_diagonal<T: Real>(x: &[T; 6], d: T) -> [T; 6] {
    [x[0] + d, x[1] + d, x[2] + d, x[3], x[4], x[5]]
}

/// The Frobenius norm of a symmetric matrix.
#[inline(always)]
fn norm<T: FullReal>(x: &[T; 6]) -> T {
    let diagonal = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    (diagonal + T::new(2.0) * (x[3] * x[3] + x[4] * x[4] + x[5] * x[5])).sqrt()
}

/// The orientations and axes of eight joints in their own frames, as in [`AxisMotion::in_joint_frame`]: the entries of
/// each, by columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct SideBySide {
    r: [[f64; WIDTH]; 9],
    u: [[f64; WIDTH]; 3],
    /// The joints that have turned, as a mask, and their angles.
    turned: u32,
    turned_rad: [f64; WIDTH],
}

impl SideBySide {
    /// Joints at rest.
    pub const REST: Self = {
        let (mut rest, one) =
            (Self { r: [[0.0; WIDTH]; 9], u: [[0.0; WIDTH]; 3], turned: 0, turned_rad: [0.0; WIDTH] }, [1.0; WIDTH]);
        (rest.r[0], rest.r[4], rest.r[8], rest.u[2]) = (one, one, one, one);
        rest
    };

    /// Sets a joint.
    #[inline]
    pub fn set(&mut self, joint: usize, axis: &AxisMotion, turned_rad: Option<f64>) {
        self.turned |= u32::from(turned_rad.is_some()) << joint;
        self.turned_rad[joint] = turned_rad.unwrap_or(0.0);
        for row in 0..3 {
            self.u[row][joint] = axis.u[row];
            for column in 0..3 {
                self.r[3 * column + row][joint] = axis.r.col(column)[row];
            }
        }
    }
}

/// The entries of `A`, `B` and `C` by columns, and the deviations from rotations, each for eight joints.
pub(super) struct Entries {
    of: [[[f64; WIDTH]; 9]; 3],
    pub defects: [f64; WIDTH],
}

impl Entries {
    /// One of the three matrices of a joint.
    #[inline]
    fn matrix(&self, which: usize, joint: usize) -> DMat3 {
        let of = &self.of[which];
        let column = |first: usize| DVec3::new(of[first][joint], of[first + 1][joint], of[first + 2][joint]);
        DMat3::from_cols(column(0), column(3), column(6))
    }

    /// `A`, `B` and `C` of a joint.
    #[inline]
    pub fn matrices(&self, joint: usize) -> [DMat3; 3] {
        [self.matrix(0, joint), self.matrix(1, joint), self.matrix(2, joint)]
    }
}

impl Vectorised for &SideBySide {
    type Output = Entries;
    #[inline(always)]
    fn run<T: Vector>(self) -> Entries {
        let (mut r, mut u) = ([V3::zero(); 3], V3::zero());
        for row in 0..3 {
            u.0[row] = T::load(&self.u[row]);
            for column in 0..3 {
                r[column].0[row] = T::load(&self.r[3 * column + row]);
            }
        }
        let of_joints = (r, u);
        let (sin, cos) = sin_cos_pair(T::load(&self.turned_rad), T::new(0.0));
        for (column, e) in r.iter_mut().zip([DVec3::X, DVec3::Y, DVec3::Z]) {
            let turned = product(&of_joints.0, turned(u, V3::new(e), sin, cos));
            *column = chosen(self.turned, turned, *column);
        }
        u = chosen(self.turned, product(&of_joints.0, u), u);
        let all = JointMatrices::<T>::new(r, u);
        let mut entries = Entries { of: [[[0.0; WIDTH]; 9]; 3], defects: all.defect().store().0 };
        for column in 0..3 {
            for row in 0..3 {
                entries.of[0][3 * column + row] = all.a[column].0[row].store().0;
                entries.of[1][3 * column + row] = all.b[column].0[row].store().0;
                entries.of[2][3 * column + row] = all.c[column].0[row].store().0;
            }
        }
        entries
    }
}

/// A vector turned about a unit axis, by an angle with this sine and cosine.
#[inline(always)]
pub(super) fn turned<T: Real>(axis: V3<T>, e: V3<T>, sin: T, cos: T) -> V3<T> {
    let c = axis.times(axis.dot(e));
    (e - c).times(cos) + axis.cross(e).times(sin) + c
}

/// The product of a matrix, by columns, and a vector.
#[inline(always)]
fn product<T: Real>([x, y, z]: &[V3<T>; 3], v: V3<T>) -> V3<T> {
    x.times(v.0[0]) + y.times(v.0[1]) + z.times(v.0[2])
}

/// The lanes of `x` in a mask, else those of `y`.
#[inline(always)]
fn chosen<T: FullReal>(mask: u32, x: V3<T>, y: V3<T>) -> V3<T> {
    V3([T::select(mask, x.0[0], y.0[0]), T::select(mask, x.0[1], y.0[1]), T::select(mask, x.0[2], y.0[2])])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::vectors::widest;
    use crate::robot::joint_motion::rotation;
    use glam::EulerRot;

    /// Orientations with an error, and axes of any length.
    fn some(seed: usize) -> AxisMotion {
        let at = |k: f64| (1.7 * seed as f64 + k).sin();
        let r = DMat3::from_euler(EulerRot::XYZ, 3.0 * at(0.1), 3.0 * at(0.2), 3.0 * at(0.3));
        let error = DMat3::from_cols_array(&std::array::from_fn(|k| 1e-5 * at(k as f64)));
        let u = DVec3::new(at(0.4), at(1.4), at(2.4) + 1.1) * (1.0 + seed as f64);
        AxisMotion { r: r + error, u, ..AxisMotion::REST }
    }

    #[test]
    fn joints_side_by_side_have_the_bits_of_one() {
        for first in 0..50 {
            let axes: [_; WIDTH] = std::array::from_fn(|lane| some(first * WIDTH + lane));
            let mut side_by_side = SideBySide::REST;
            // Every other joint has turned.
            let turned_rad = |lane: usize| (lane % 2 == 1).then(|| 7.0 * (first as f64 + 0.3 * lane as f64).sin());
            (0..WIDTH).for_each(|lane| side_by_side.set(lane, &axes[lane], turned_rad(lane)));
            let all = widest(&side_by_side);
            for (lane, AxisMotion { r, u, .. }) in axes.iter().enumerate() {
                let (r, u) = &turned_rad(lane).map_or((*r, *u), |angle| (*r * rotation(*u, angle), *r * *u));
                let one = JointMatrices::<f64>::new(columns(r), V3::new(*u));
                assert_eq!(all.matrices(lane).map(|m| columns(&m)), [one.a, one.b, one.c]);
                assert_eq!(all.defects[lane], one.defect());
                let nearer = |r: DMat3| (r + r.inverse().transpose()) * 0.5;
                let (r, u) = (nearer(nearer(*r)), u.normalize());
                let along = [r.x_axis, r.y_axis, r.z_axis].map(|e| V3::new(u * u.dot(e)));
                let across = [r.x_axis, r.y_axis, r.z_axis].map(|e| V3::new(u.cross(e)));
                assert_eq!((one.b, one.c), (across, along));
            }
        }
    }

    /// Matrices with an error in some entries: no vector is stretched by more than the defect, and some are by a fifth
    /// of it.
    #[test]
    fn a_defect_bounds_the_stretch() {
        let mut largest = 0f64;
        for seed in 0..200 {
            let AxisMotion { r, u, .. } = some(seed);
            let mut matrices = JointMatrices::<f64>::new(columns(&r), V3::new(u));
            let at = |k: usize| (0.9 * seed as f64 + k as f64).sin();
            // A and B remain orthogonal to C and keep their lengths, but not their right angle.
            if seed % 4 == 3 {
                let (a, b) = (matrices.a, matrices.b);
                for i in 0..3 {
                    matrices.a[i] = a[i] + b[i].times(3e-3);
                    matrices.b[i] = b[i] + a[i].times(3e-3);
                }
            }
            for k in (0..27).filter(|k| seed % 27 == *k || seed >= 100 && at(*k) > 0.0) {
                let of = [&mut matrices.a, &mut matrices.b, &mut matrices.c];
                of[k / 9][k % 3].0[k / 3 % 3] += 1e-4 * at(k);
            }
            let defect = matrices.defect();
            for t in 0..64 {
                let (sin, cos) = (f64::from(t) * 0.1).sin_cos();
                let column = |i: usize| matrices.a[i].times(cos) + matrices.b[i].times(sin) + matrices.c[i];
                let p = matrix([column(0), column(1), column(2)]);
                // The direction that is stretched most, by powers of PᵀP.
                let mut square = p.transpose() * p;
                for _ in 0..24 {
                    square = square * square;
                    square *= 1.0 / square.to_cols_array().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                }
                let axes = [square.x_axis, square.y_axis, square.z_axis];
                let e = axes.into_iter().max_by(|x, y| x.length().total_cmp(&y.length())).unwrap().normalize();
                let stretch = (p * e).length() - 1.0;
                assert!(stretch <= defect + 1e-15, "{stretch:e} beyond {defect:e}");
                largest = largest.max(stretch / defect);
            }
        }
        assert!(largest > 0.2, "{largest}");
    }
}
