//! The motion of a free joint: a straight line, and a rotation at a constant rate about a constant axis.

use crate::ball::{Ball, Sum, cross, dot, exact, minus, norm};
use crate::joint_motion::{IDENTITY, Matrix, NULL, cross_matrix, outer, plus, product, sin_cos_series};
use crate::polynomial::Interval;
use crate::trigonometry::sin_cos;

/// The motion over an interval, in the frame of the joint.
pub(crate) struct FreeMotion {
    /// Coefficients of the rotation.
    pub rotation: [Matrix; 4],
    /// Coefficients of the position.
    pub position: [[Ball; 3]; 4],
    /// Bounds on the derivatives of the angle; those of order 0 are not used.
    pub angle: [Ball; 5],
    /// The positions at both ends of the interval.
    pub ends: [[Ball; 3]; 2],
    /// Bound for the speed of the position.
    pub speed: f64,
}

/// A quaternion, `x y z` and `w`.
type Quaternion = ([Ball; 3], Ball);

impl FreeMotion {
    /// The motion for seven columns of degree 1.
    pub fn new(columns: &[Vec<f64>], time: &Interval) -> Self {
        let end = |k: usize| exact([columns[0][k], columns[1][k], columns[2][k]]);
        let step = minus(end(1), end(0));
        let at = |t: f64| std::array::from_fn(|r| end(0)[r] + Ball::exact(t) * step[r]);
        let (rotation, rate) = rotation(columns, time);
        Self {
            rotation,
            position: [at(time.mid), step.map(|s| Ball::exact(time.half) * s), [Ball::ZERO; 3], [Ball::ZERO; 3]],
            angle: [Ball::ZERO, rate, Ball::ZERO, Ball::ZERO, Ball::ZERO],
            ends: [at(time.from), at(time.to)],
            speed: norm(step),
        }
    }
}

/// Coefficients of the rotation over an interval, and a bound on its rate.
fn rotation(columns: &[Vec<f64>], time: &Interval) -> ([Matrix; 4], Ball) {
    let end = |k: usize| normalized([columns[3][k], columns[4][k], columns[5][k]], columns[6][k]);
    let (start, end) = (end(0), end(1));
    let (axis, angle) = turn_between(start, end);
    let rate = Ball::exact(angle.magnitude());
    let taylor = [Ball::exact(time.mid) * angle, Ball::exact(time.half) * angle, Ball::ZERO, Ball::ZERO];
    let (cos, sin) = sin_cos_series(&taylor);
    let (first, outer, cross) = (matrix(start), outer(axis), cross_matrix(axis));
    let coefficient = |k: usize| {
        // cos I + sin [a]× + (1 - cos) a aᵀ; small angles make the error of the axis small
        let versine = if k == 0 { Ball::ONE - cos[0] } else { -cos[k] };
        let turn = plus(&plus(&plus(&NULL, &IDENTITY, cos[k]), &cross, sin[k]), &outer, versine);
        product(&turn, &first)
    };
    (std::array::from_fn(coefficient), rate)
}

/// Axis and angle of `end * conjugate(start)`, the shorter way round. NaN if it may be half a turn.
fn turn_between(start: Quaternion, end: Quaternion) -> ([Ball; 3], Ball) {
    let ((p, u), (q, v)) = (start, end);
    let cosine = dot(p, q) + u * v;
    let sign = if cosine.lower() > 0.0 {
        Ball::ONE
    } else if cosine.upper() < 0.0 {
        -Ball::ONE
    } else {
        Ball::NAN
    };
    // v_r = u q - v p - q × p
    let turned = cross(p, q);
    let vector: [Ball; 3] = std::array::from_fn(|r| {
        let mut sum = Sum::default();
        sum.add(u, q[r]);
        sum.add(-v, p[r]);
        sum.add(Ball::ONE, turned[r]);
        sign * sum.ball()
    });
    let length = dot(vector, vector).sqrt();
    if !(length.lower() > 1e-15) {
        // Any axis, and an angle of at most 2 asin |v|, which is below 4 |v|.
        let bound = 4.0 * norm(vector);
        return ([Ball { mid: 0.0, rad: 1.0 }; 3], Ball { mid: 0.0, rad: bound });
    }
    let axis = vector.map(|x| x * length.recip());
    (axis, Ball::exact(2.0) * half_angle(length, sign * cosine))
}

/// The angle of a point near the unit circle. The guess of the standard library is verified: the sine of its error is
/// small, the cosine positive.
fn half_angle(sine: Ball, cosine: Ball) -> Ball {
    let guess = sine.mid.atan2(cosine.mid);
    let (s, c) = sin_cos(Ball::exact(guess));
    let size = (sine * sine + cosine * cosine).sqrt().recip();
    let error = (sine * c - cosine * s) * size;
    let same = (cosine * c + sine * s).lower() > 0.0;
    // |asin x| <= 2 |x|
    if same && error.magnitude() <= 0.5 { Ball::exact(guess).widened(2.0 * error.magnitude()) } else { Ball::NAN }
}

fn normalized(v: [f64; 3], w: f64) -> Quaternion {
    let (v, w) = (exact(v), Ball::exact(w));
    let scale = (dot(v, v) + w * w).sqrt().recip();
    (v.map(|x| x * scale), w * scale)
}

/// The matrix of a unit quaternion: `(w² - v·v) I + 2 v vᵀ + 2 w [v]×`.
fn matrix((v, w): Quaternion) -> Matrix {
    let two = Ball::exact(2.0);
    let diagonal = w * w - dot(v, v);
    let sum = plus(&plus(&NULL, &IDENTITY, diagonal), &outer(v), two);
    plus(&sum, &cross_matrix(v), two * w)
}
