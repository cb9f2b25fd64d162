//! Balls against exact numbers `n 2^e`, sine and cosine against series in 400 bits.

use num_bigint::BigInt;

use super::random::Random;
use crate::ball::{Ball, Sum};
use crate::trigonometry::{HALF_PI, HALF_PI_REST, sin_cos};

/// A number `n 2^e`.
#[derive(Clone)]
struct Exact(BigInt, i32);

impl Exact {
    fn new(x: f64) -> Self {
        let bits = x.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7FF) as i32, bits & ((1 << 52) - 1));
        assert!(exponent < 0x7FF, "{x} is not finite");
        let n = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        let n = BigInt::from(n);
        Self(if x < 0.0 { -n } else { n }, exponent.max(1) - 1075)
    }

    fn at(&self, e: i32) -> BigInt {
        self.0.clone() << (self.1 - e)
    }

    fn add(&self, other: &Self) -> Self {
        let e = self.1.min(other.1);
        Self(self.at(e) + other.at(e), e)
    }

    fn mul(&self, other: &Self) -> Self {
        Self(&self.0 * &other.0, self.1 + other.1)
    }

    fn at_most(&self, other: &Self) -> bool {
        let e = self.1.min(other.1);
        self.at(e) <= other.at(e)
    }

    fn is_in(&self, ball: Ball) -> bool {
        let (mid, rad) = (Self::new(ball.mid), Self::new(ball.rad));
        let low = mid.add(&Self(-rad.0.clone(), rad.1));
        low.at_most(self) && self.at_most(&mid.add(&rad))
    }
}

/// A ball and a number in it, most often at its border.
fn sample(random: &mut Random) -> (Ball, Exact) {
    let mid = random.any();
    let rad = if random.below(3) == 0 { 0.0 } else { random.any().abs() };
    let (m, r) = (Exact::new(mid), Exact::new(rad));
    let part = [BigInt::from(-1024), BigInt::from(1024), BigInt::from(random.below(1024))][random.below(3)].clone();
    (Ball { mid, rad }, m.add(&r.mul(&Exact(part, -10))))
}

#[test]
fn sums_differences_and_products_are_outward() {
    let mut random = Random(4);
    for _ in 0..20_000 {
        let ((a, x), (b, y)) = (sample(&mut random), sample(&mut random));
        assert!(x.add(&y).is_in(a + b), "{a:?} + {b:?}");
        assert!(x.add(&Exact(-y.0.clone(), y.1)).is_in(a - b), "{a:?} - {b:?}");
        assert!(x.mul(&y).is_in(a * b), "{a:?} * {b:?}");
        let (upper, lower) = (Exact::new(a.upper()), Exact::new(a.lower()));
        assert!(x.at_most(&upper) && lower.at_most(&x), "{a:?}");
        let size = Exact(x.0.magnitude().clone().into(), x.1);
        assert!(size.at_most(&Exact::new(a.magnitude())), "{a:?}");
    }
}

#[test]
fn sums_of_products_are_outward() {
    let mut random = Random(5);
    for case in 0..4000 {
        let (mut sum, mut exact) = (Sum::default(), Exact::new(0.0));
        for _ in 0..1 + case % 16 {
            let ((a, x), (b, y)) = (sample(&mut random), sample(&mut random));
            sum.add(a, b);
            exact = exact.add(&x.mul(&y));
        }
        assert!(exact.is_in(sum.ball()));
    }
}

/// Cancellation leaves rounding errors alone, which must be in the radius.
#[test]
fn sums_that_cancel_are_outward() {
    let mut random = Random(6);
    for _ in 0..4000 {
        let (mut sum, mut exact) = (Sum::default(), Exact::new(0.0));
        let terms: Vec<_> = (0..8).map(|_| [random.between(-1.0, 1.0), random.between(-1.0, 1.0)]).collect();
        for [a, b] in terms.iter().copied().chain(terms.iter().map(|[a, b]| [-a, *b])) {
            sum.add(Ball::exact(a), Ball::exact(b));
            exact = exact.add(&Exact::new(a).mul(&Exact::new(b)));
        }
        let ball = sum.ball();
        assert!(exact.is_in(ball) && ball.rad < 2e-14);
    }
}

#[test]
fn roots_and_quotients_are_outward() {
    let mut random = Random(7);
    let one = Exact::new(1.0);
    for _ in 0..10_000 {
        let (a, x) = sample(&mut random);
        let root = a.sqrt();
        if root.rad.is_finite() {
            let (low, high) = (root.lower(), Exact::new(root.upper()));
            assert!(low <= 0.0 || Exact::new(low).mul(&Exact::new(low)).at_most(&x), "root of {a:?}");
            assert!(x.at_most(&high.mul(&high)), "root of {a:?}");
        }
        let inverse = a.recip();
        if inverse.rad.is_finite() {
            // 1/x is in [low, high] if x low <= 1 <= x high for a positive x
            let (low, high) = (x.mul(&Exact::new(inverse.lower())), x.mul(&Exact::new(inverse.upper())));
            let (low, high) = if x.0 > BigInt::from(0) { (low, high) } else { (high, low) };
            assert!(low.at_most(&one) && one.at_most(&high), "inverse of {a:?}");
        }
        let (p, q) = (random.any(), random.any());
        if q != 0.0 {
            let ratio = Ball::ratio(p, q);
            let scaled = |r: f64| Exact::new(r).mul(&Exact::new(q.abs()));
            let p = Exact::new(p * q.signum());
            assert!(scaled(ratio.lower()).at_most(&p) && p.at_most(&scaled(ratio.upper())));
        }
    }
    for nothing in [Ball::ZERO, Ball { mid: 1.0, rad: 1.0 }, Ball { mid: -1.0, rad: 0.5 }] {
        assert!(nothing.sqrt().upper().is_nan());
    }
    assert!(Ball { mid: -1.0, rad: 1.0 }.recip().upper().is_nan());
}

/// Numbers in units of 2^-400.
const BITS: i32 = 400;

fn fixed(x: f64) -> BigInt {
    let Exact(n, e) = Exact::new(x);
    if e + BITS >= 0 { n << (e + BITS) } else { n >> -(e + BITS) }
}

/// Sine and cosine by their series at an angle up to 20: all terms until they vanish.
fn series(angle: f64) -> (BigInt, BigInt) {
    let x = fixed(angle);
    let (mut term, mut sums) = (BigInt::from(1) << BITS, [BigInt::from(0), BigInt::from(0)]);
    for k in 0..400_usize {
        if k % 4 < 2 {
            sums[k % 2] += &term;
        } else {
            sums[k % 2] -= &term;
        }
        term = ((term * &x) >> BITS) / BigInt::from(k + 1);
    }
    let [cos, sin] = sums;
    (sin, cos)
}

fn holds(ball: Ball, exact: &BigInt) -> bool {
    fixed(ball.lower()) <= *exact && *exact <= fixed(ball.upper())
}

#[test]
fn sine_and_cosine_are_outward_and_tight() {
    let mut random = Random(8);
    for case in 0..3000_i32 {
        let angle = match case % 3 {
            0 => random.between(-1.0, 1.0),
            1 => random.between(-20.0, 20.0),
            _ => f64::from(case % 24 - 12) * std::f64::consts::FRAC_PI_4 + random.between(-1e-9, 1e-9),
        };
        let (sin, cos) = sin_cos(Ball::exact(angle));
        let (s, c) = series(angle);
        assert!(holds(sin, &s) && holds(cos, &c), "{angle}");
        assert!(sin.rad < 1.5e-15 && cos.rad < 1.5e-15, "{angle}: {} {}", sin.rad, cos.rad);
        let rad = random.between(0.0, 0.1);
        let (sin, cos) = sin_cos(Ball { mid: random.between(angle - rad, angle + rad), rad });
        assert!(holds(sin, &s) && holds(cos, &c), "{angle} within {rad}");
    }
}

/// The angle and whole turns more, by the identity of the functions.
#[test]
fn large_angles_are_reduced() {
    let (sin, cos) = sin_cos(Ball::exact(1e6));
    // By mpmath, to 16 digits.
    assert!((sin.mid + 0.349_993_502_171_292_94).abs() < 1e-15 && sin.rad < 1e-15, "{sin:?}");
    assert!((cos.mid - 0.936_752_127_533_144_8).abs() < 1e-15 && cos.rad < 1e-15, "{cos:?}");
    for angle in [1.7e6, -1e300, f64::INFINITY, f64::NAN] {
        assert!(sin_cos(Ball::exact(angle)).0.upper().is_nan(), "{angle}");
    }
}

/// π by Machin's formula.
#[test]
fn half_pi_is_the_sum_of_its_parts() {
    let arctan = |inverse: u32| {
        let (mut power, mut sum) = ((BigInt::from(1) << BITS) / inverse, BigInt::from(0));
        for k in 0..400_u32 {
            let term = &power / (2 * k + 1);
            sum += if k % 2 == 0 { term } else { -term };
            power /= inverse * inverse;
        }
        sum
    };
    let half_pi: BigInt = (arctan(5) * 4 - arctan(239)) * 2;
    let parts: BigInt = HALF_PI.iter().map(|part| fixed(*part)).sum();
    let rest = half_pi - parts;
    assert!(rest > BigInt::from(0) && rest < fixed(HALF_PI_REST));
    assert!(HALF_PI.iter().all(|part| part.to_bits().trailing_zeros() >= 20), "products with 2^20 are exact");
}

#[test]
fn overflow_and_nan_decide_nothing() {
    let huge = Ball::exact(f64::MAX);
    for ball in [huge + huge, huge * huge, Ball::NAN, -huge - huge, huge * huge * Ball::ZERO] {
        assert!(!(ball.lower() > -1.0) && !(ball.upper() < 1.0), "{ball:?}");
    }
}
