//! Poses in plain arithmetic, by other formulas than those of the verifier: an oracle.

use crate::{Drive, Joint, Motion, Robot};

type Point = [f64; 3];

fn add(a: Point, b: Point) -> Point {
    std::array::from_fn(|r| a[r] + b[r])
}

fn scale(a: Point, s: f64) -> Point {
    a.map(|x| x * s)
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Rodrigues' formula.
fn turned(x: Point, axis: Point, angle: f64) -> Point {
    let (s, c) = angle.sin_cos();
    add(add(scale(x, c), scale(cross(axis, x), s)), scale(axis, dot(axis, x) * (1.0 - c)))
}

/// The value of a Bernstein polynomial, by its sum.
pub fn bernstein(coefficients: &[f64], t: f64) -> f64 {
    let n = coefficients.len() - 1;
    let mut choose = 1.0;
    let mut sum = 0.0;
    for (k, c) in coefficients.iter().enumerate() {
        sum += choose * t.powi(k as i32) * (1.0 - t).powi((n - k) as i32) * c;
        choose = choose * (n - k) as f64 / (k + 1) as f64;
    }
    sum
}

/// A quaternion `x y z w`.
type Quaternion = [f64; 4];

fn slerp(a: Quaternion, b: Quaternion, t: f64) -> Quaternion {
    let unit = |q: Quaternion| {
        let size = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        q.map(|x| x / size)
    };
    let (a, mut b) = (unit(a), unit(b));
    let mut cosine: f64 = (0..4).map(|i| a[i] * b[i]).sum();
    if cosine < 0.0 {
        (b, cosine) = (b.map(|x| -x), -cosine);
    }
    let angle = cosine.min(1.0).acos();
    let (u, v) = match angle < 1e-7 {
        true => (1.0 - t, t),
        false => (((1.0 - t) * angle).sin() / angle.sin(), (t * angle).sin() / angle.sin()),
    };
    unit(std::array::from_fn(|i| u * a[i] + v * b[i]))
}

fn rotated(x: Point, q: Quaternion) -> Point {
    let v = [q[0], q[1], q[2]];
    let t = scale(cross(v, x), 2.0);
    add(add(x, scale(t, q[3])), cross(v, t))
}

/// The position of a point of a body in the frame of an ancestor, with an error of each column.
pub fn position(
    robot: &Robot,
    motion: &Motion,
    place: (Option<usize>, usize),
    time: (usize, f64),
    errors: &[f64],
    x: Point,
) -> Point {
    let (frame, mut body) = place;
    let (segment, t) = (&motion.segments[time.0], time.1);
    let column = |k: usize| bernstein(&segment.coefficients[k], t) + errors[k];
    let value = |drive: &Drive| drive.multiplier * column(drive.column) + drive.offset;
    let mut x = x;
    loop {
        if Some(body) == frame {
            return x;
        }
        let b = &robot.bodies[body];
        x = match &b.joint {
            Joint::Fixed => x,
            Joint::Revolute { axis, drive } => turned(x, *axis, value(drive)),
            Joint::Prismatic { axis, drive } => add(x, scale(*axis, value(drive))),
            Joint::Free { first_column: k } => {
                let end = |i: usize| std::array::from_fn(|c| segment.coefficients[k + 3 + c][i]);
                add(rotated(x, slerp(end(0), end(1), t)), std::array::from_fn(|c| column(k + c)))
            }
        };
        let k = b.orientation;
        x = add(std::array::from_fn(|r| k[0][r] * x[0] + k[1][r] * x[1] + k[2][r] * x[2]), b.origin_m);
        match b.parent {
            Some(parent) => body = parent,
            None => return x,
        }
    }
}
