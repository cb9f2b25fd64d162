//! The arithmetic that WGSL allows: `+ - *` give either neighbour of the exact result, and subnormals may be flushed.
//!
//! A real adapter almost always rounds to nearest, so it exercises little of the bounds. Here the same formulas run
//! with each operation rounded up, down, towards zero, away from zero, or to a random side.

use firstcontact::arith::interval::Interval;
use firstcontact::arith::real::{FullReal, Real};
use firstcontact::arith::trig::sin_cos_product;
use firstcontact::robot::RobotMotion;
use firstcontact::stage::{Subs, s1_concat};
use std::ops::{Add, Mul, Neg, Sub};

pub const NEAREST: u8 = 0;
pub const UP: u8 = 1;
pub const DOWN: u8 = 2;
pub const TO_ZERO: u8 = 3;
pub const FROM_ZERO: u8 = 4;
pub const RANDOM: u8 = 5;
/// All rounding modes.
pub const MODES: [u8; 6] = [NEAREST, UP, DOWN, TO_ZERO, FROM_ZERO, RANDOM];

/// An f32 whose operations round according to `MODE`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Emulated<const MODE: u8>(pub f32);

/// The neighbour of `x`, which is exact or nearly so (f64), on the side given by the mode.
fn round<const MODE: u8>(x: f64) -> f32 {
    let y = x as f32;
    let (below, above) = match f64::from(y).total_cmp(&x) {
        std::cmp::Ordering::Less => (y, y.next_up()),
        std::cmp::Ordering::Greater => (y.next_down(), y),
        std::cmp::Ordering::Equal => (y, y),
    };
    let z = match MODE {
        UP => above,
        DOWN => below,
        TO_ZERO => {
            if x > 0.0 {
                below
            } else {
                above
            }
        }
        FROM_ZERO => {
            if x > 0.0 {
                above
            } else {
                below
            }
        }
        RANDOM => {
            let hash = x.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15);
            if (hash >> 40) & 1 == 0 { below } else { above }
        }
        _ => y,
    };
    // Flushing is allowed, not required: the modes that shrink do it.
    if z.is_subnormal() && matches!(MODE, TO_ZERO | RANDOM) { 0.0 } else { z }
}

impl<const M: u8> Add for Emulated<M> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self(round::<M>(f64::from(self.0) + f64::from(o.0)))
    }
}

impl<const M: u8> Sub for Emulated<M> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self(round::<M>(f64::from(self.0) - f64::from(o.0)))
    }
}

impl<const M: u8> Mul for Emulated<M> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self(round::<M>(f64::from(self.0) * f64::from(o.0)))
    }
}

impl<const M: u8> Neg for Emulated<M> {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl<const M: u8> Real for Emulated<M> {
    const UNIT: f64 = firstcontact::arith::rounding::UNIT_F32;
    const UNDERFLOW: f64 = firstcontact::arith::rounding::UNDERFLOW_F32;
    const LANES: usize = 1;

    fn new(x: f64) -> Self {
        Self(x as f32)
    }
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
    fn max(self, o: Self) -> Self {
        Self(self.0.max(o.0))
    }
    fn min(self, o: Self) -> Self {
        Self(self.0.min(o.0))
    }
    fn gt(self, o: Self) -> u32 {
        u32::from(self.0 > o.0)
    }
}

impl<const M: u8> FullReal for Emulated<M> {
    fn div(self, o: Self) -> Self {
        Self(round::<M>(f64::from(self.0) / f64::from(o.0)))
    }
    fn sqrt(self) -> Self {
        Self(round::<M>(f64::from(self.0).sqrt()))
    }
    fn select(mask: u32, x: Self, y: Self) -> Self {
        if mask & 1 != 0 { x } else { y }
    }
}

impl<const M: u8> firstcontact::robot::LaneTimes for Emulated<M> {
    fn sin_cos(self, w: f64) -> (Self, Self) {
        let (sin, cos) = sin_cos_product(w, f64::from(self.0));
        (Self::new(sin), Self::new(cos))
    }
    fn sin_cos_range(self, w: f64, h: f64) -> (Interval<Self>, Interval<Self>) {
        let t = f64::from(self.0);
        let ends = |t: f64| Self(t as f32);
        debug_assert!([t - h, t + h].into_iter().all(|t| f64::from(ends(t).0) == t));
        Self::sin_cos_between(w, Interval { lo: ends(t - h), hi: ends(t + h) })
    }
    fn sin_cos_between(w: f64, range: Interval<Self>) -> (Interval<Self>, Interval<Self>) {
        use firstcontact::arith::rounding::{round_down, round_up};
        let [lo, hi] = [range.lo, range.hi].map(|t| f64::from(t.0));
        let (sin, cos) = firstcontact::arith::interval::sin_cos_range(w, lo, hi);
        let outward = |i: Interval<f64>| Interval { lo: Self(round_down(i.lo)), hi: Self(round_up(i.hi)) };
        (outward(sin), outward(cos))
    }
}

/// The pose bounds of all bodies in emulated arithmetic; `time` and `h` must be short binary fractions, like those of
/// pieces.
pub fn bounds<const M: u8>(
    motion: &RobotMotion,
    form: firstcontact::enclosure::pose_bound::PoseEnclosure,
    time: f64,
    h: f64,
) -> Vec<firstcontact::enclosure::pose_bound::PoseBound<Emulated<M>>> {
    let mut out = Vec::new();
    motion.bounds(form, Emulated::<M>::new(time), h, &mut out);
    // Values that the engine uploads to a device are rounded up.
    let balls = s1_concat::balls(motion, form, Subs::new(time), h, firstcontact::arith::rounding::UNIT_F32);
    for (bound, balls) in out.iter_mut().zip(balls) {
        let ball = balls[0].map(|b| Emulated(firstcontact::arith::rounding::round_up(b + 2e-30)));
        *bound = bound.with_ball(ball);
    }
    out
}
