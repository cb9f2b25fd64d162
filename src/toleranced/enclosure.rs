//! Vectors and affine maps with interval entries, used for all computations of this module.
//!
//! Input numbers are bounded (see [`MAX_COORDINATE`]), so no product overflows and no NaN arises.

use crate::arith::interval::Interval;
use std::ops::{Add, Sub};

/// A double-precision interval with outward rounding.
pub type Enclosure = Interval<f64>;

/// Largest accepted coordinate, in metres, and weight.
pub const MAX_COORDINATE: f64 = 1e6;

/// Returns the interval of a single number.
pub fn exact(x: f64) -> Enclosure {
    Enclosure::exact(x)
}

/// Returns the square, which is never negative.
pub fn square(x: Enclosure) -> Enclosure {
    let product = x * x;
    if x.lo > 0.0 || x.hi < 0.0 { product } else { Enclosure { lo: 0.0, hi: product.hi } }
}

/// Returns an upper bound on the square roots of the interval's numbers.
pub fn root_above(x: Enclosure) -> f64 {
    if x.hi > 0.0 { x.hi.sqrt().next_up() } else { 0.0 }
}

/// Returns the midpoint of an interval.
pub fn middle(x: Enclosure) -> f64 {
    0.5 * (x.lo + x.hi)
}

/// A vector of intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vector(pub [Enclosure; 3]);

impl Vector {
    /// Creates the vector with exactly these numbers.
    pub fn exact(v: [f64; 3]) -> Self {
        Self(v.map(exact))
    }

    /// Returns the scalar product.
    pub fn dot(self, o: Self) -> Enclosure {
        self.0[0] * o.0[0] + self.0[1] * o.0[1] + self.0[2] * o.0[2]
    }

    /// Returns the squared length.
    pub fn norm2(self) -> Enclosure {
        square(self.0[0]) + square(self.0[1]) + square(self.0[2])
    }

    /// Returns the vector times a number.
    #[must_use]
    pub fn times(self, s: Enclosure) -> Self {
        Self(self.0.map(|x| x * s))
    }

    /// Returns the midpoints of the entries.
    pub fn middle(self) -> [f64; 3] {
        self.0.map(middle)
    }
}

impl Add for Vector {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + o.0[i]))
    }
}

impl Sub for Vector {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] - o.0[i]))
    }
}

/// An affine map `x -> origin + x₀ e₀ + x₁ e₁ + x₂ e₂`, or a difference of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Map {
    /// The image of the origin, metres.
    pub origin: Vector,
    /// The images of the three basis vectors.
    pub e: [Vector; 3],
}

impl Map {
    /// Creates the map with exactly these numbers: three rows of four, the last column the image of the origin.
    pub fn from_rows(rows: [[f64; 4]; 3]) -> Self {
        let column = |k: usize| Vector::exact(rows.map(|r| r[k]));
        Self { origin: column(3), e: [column(0), column(1), column(2)] }
    }

    /// Returns the identity.
    pub fn identity() -> Self {
        Self::from_rows([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    }

    /// Returns the frame of a triangle: it maps `(0,0)`, `(1,0)` and `(0,1)` to its corners.
    pub fn of_triangle([a, b, c]: [[f64; 3]; 3]) -> Self {
        let [a, b, c] = [a, b, c].map(Vector::exact);
        Self { origin: a, e: [b - a, c - a, Vector::exact([0.0; 3])] }
    }

    /// Returns the image of a direction.
    pub fn direction(&self, x: Vector) -> Vector {
        self.e[0].times(x.0[0]) + self.e[1].times(x.0[1]) + self.e[2].times(x.0[2])
    }

    /// Returns the image of a point.
    pub fn point(&self, x: Vector) -> Vector {
        self.origin + self.direction(x)
    }

    /// Returns the composition: first `frame`, then this map.
    #[must_use]
    pub fn after(&self, frame: &Self) -> Self {
        Self { origin: self.point(frame.origin), e: frame.e.map(|e| self.direction(e)) }
    }

    /// Returns the difference of two maps.
    #[must_use]
    pub fn minus(&self, o: &Self) -> Self {
        self.with(o, |x, y| x - y)
    }

    /// Returns the map with all entries multiplied by a number.
    #[must_use]
    pub fn times(&self, s: Enclosure) -> Self {
        self.each(|x| x * s)
    }

    /// Returns the exact map of the entries' midpoints.
    #[must_use]
    pub fn middle(&self) -> Self {
        self.each(|x| exact(middle(x)))
    }

    /// Returns the map of `f(self, other)`, entry by entry.
    #[must_use]
    pub fn with(&self, o: &Self, f: impl Fn(Enclosure, Enclosure) -> Enclosure) -> Self {
        let vector = |a: Vector, b: Vector| Vector(std::array::from_fn(|i| f(a.0[i], b.0[i])));
        Self { origin: vector(self.origin, o.origin), e: std::array::from_fn(|k| vector(self.e[k], o.e[k])) }
    }

    fn each(&self, f: impl Fn(Enclosure) -> Enclosure) -> Self {
        self.with(self, |x, _| f(x))
    }
}
