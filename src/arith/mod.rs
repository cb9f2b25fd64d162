//! Arithmetic with guarantees: directed rounding, intervals, sines, SIMD lanes and small linear algebra.

pub mod float_environment;
pub mod interval;
pub mod lanes;
pub mod linear;
pub mod real;
pub mod rounding;
pub mod trig;
pub mod vectors;
