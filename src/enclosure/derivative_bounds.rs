//! Bounds on the derivatives of a chain's motion, from those of its joints.
//!
//! Let `Ω_n` be the sum of the bounds on the n-th derivatives of the joints' angles. Every derivative of a product of
//! rotations satisfies `||(R_1 … R_d)^(n)|| <= B_n(Ω_1, …, Ω_n)` with the complete Bell polynomials `B_n`, and
//! Leibniz' rule adds the offsets.
//!
//! The largest derivatives of different orders occur at different times: a joint that starts from rest has its largest
//! jerk where its rate is zero. So the bound on the third derivative is computed for parts of the time, side by side,
//! and the largest is used.

use crate::arith::real::Real;

/// Bounds on the first three derivatives of the motion of a chain's last link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DerivativeBounds<T> {
    /// Sums of bounds on the derivatives of the joints' angles, radians.
    pub omega: [T; 3],
    /// Bounds on the derivatives of the origin, metres.
    pub beta: [T; 3],
}

impl<T: Real> DerivativeBounds<T> {
    /// Appends a joint with these bounds on the derivatives of its angle and offset, and on the length of its offset.
    #[must_use]
    #[inline]
    pub fn extended(&self, turn_rad: [T; 3], slide_m: [T; 3], offset_max_m: T) -> Self {
        let ([w1, w2, w3], [s1, s2, s3], offset) = (turn_rad, slide_m, offset_max_m);
        let ([b1, b2, b3], [o1, o2, o3]) = (self.turns(), self.omega);
        let (two, three) = (T::new(2.0), T::new(3.0));
        Self {
            omega: [o1 + w1, o2 + w2, o3 + w3],
            beta: [
                self.beta[0] + b1 * offset + s1,
                self.beta[1] + b2 * offset + two * b1 * s1 + s2,
                self.beta[2] + b3 * offset + three * o1 * o1 * s1 + three * o2 * s1 + three * b1 * s2 + s3,
            ],
        }
    }

    /// Bounds on the derivatives of the orientation: the complete Bell polynomials of the sums.
    #[inline]
    pub fn turns(&self) -> [T; 3] {
        let [w1, w2, w3] = self.omega;
        [w1, w1 * w1 + w2, w1 * w1 * w1 + T::new(3.0) * w1 * w2 + w3]
    }

    /// Bounds on the third derivatives of the origin, metres, and of the orientation.
    #[inline]
    pub fn third(&self) -> [T; 2] {
        [self.beta[2], self.turns()[2]]
    }
}
