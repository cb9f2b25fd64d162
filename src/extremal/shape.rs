//! Curves and surfaces that can be tracked, and places on them.

use super::jet::Jet;
use super::spline::{SplineCurve, SplineSurface};
use crate::error::{Error, Result};
use glam::DVec3;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A place on a shape: parameters in one of its charts. Parameters that the shape does not have are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// The chart: 0, 1 or 2 for an ellipsoid (poles on z, x, y), else 0.
    pub chart: u8,
    /// The parameters.
    pub at: [f64; 2],
}

impl Place {
    /// Creates a place in chart 0.
    pub fn new(u: f64, v: f64) -> Self {
        Self { chart: 0, at: [u, v] }
    }
}

/// The range of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Lowest value.
    pub lo: f64,
    /// Highest value.
    pub hi: f64,
    /// True if the highest value is the same place as the lowest.
    pub closed: bool,
}

/// A curve or surface on a rigid body, in the body's frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// (a cos u cos v, b sin u cos v, c sin v) with these semi-axes, metres.
    Ellipsoid(DVec3),
    /// ((R + r cos v) cos u, (R + r cos v) sin u, r sin v).
    Torus {
        /// R, metres.
        ring_m: f64,
        /// r, metres.
        tube_m: f64,
    },
    /// A rational B-spline surface.
    Patch(SplineSurface),
    /// (a cos u, b sin u, 0) with these semi-axes, metres.
    Ellipse([f64; 2]),
    /// A rational B-spline curve.
    Curve(SplineCurve),
    /// The body's origin.
    Point,
}

/// Cosine of the latitude below which an ellipsoid's chart is left: it is singular at the poles.
const NEAR_POLE: f64 = 0.3;

impl Shape {
    /// Creates an ellipsoid.
    ///
    /// # Errors
    /// A semi-axis is not above 0 and finite.
    pub fn ellipsoid(semi_axes_m: [f64; 3]) -> Result<Self> {
        positive(&semi_axes_m, "semi-axis")?;
        Ok(Self::Ellipsoid(DVec3::from_array(semi_axes_m)))
    }

    /// Creates a torus about the z axis.
    ///
    /// # Errors
    /// A radius is not above 0 and finite, or the tube's is not below the ring's.
    pub fn torus(ring_m: f64, tube_m: f64) -> Result<Self> {
        positive(&[ring_m, tube_m], "radius")?;
        if tube_m >= ring_m {
            return Err(Error::input(format!(
                "the tube radius of a torus ({tube_m} m) must be below its ring radius ({ring_m} m)"
            )));
        }
        Ok(Self::Torus { ring_m, tube_m })
    }

    /// Creates an ellipse in the xy plane.
    ///
    /// # Errors
    /// A semi-axis is not above 0 and finite.
    pub fn ellipse(semi_axes_m: [f64; 2]) -> Result<Self> {
        positive(&semi_axes_m, "semi-axis")?;
        Ok(Self::Ellipse(semi_axes_m))
    }

    /// Returns the ranges of the parameters, in every chart; a curve has one, a point has none.
    pub fn ranges(&self) -> [Option<Range>; 2] {
        let turn = Some(Range { lo: -PI, hi: PI, closed: true });
        let spline = |[lo, hi]: [f64; 2], closed| Some(Range { lo, hi, closed });
        match self {
            Self::Ellipsoid(_) => [turn, Some(Range { lo: -FRAC_PI_2, hi: FRAC_PI_2, closed: false })],
            Self::Torus { .. } => [turn, turn],
            Self::Patch(s) => std::array::from_fn(|i| spline(s.basis()[i].domain(), s.is_closed()[i])),
            Self::Ellipse(_) => [turn, None],
            Self::Curve(c) => [spline(c.basis().domain(), c.is_closed()), None],
            Self::Point => [None, None],
        }
    }

    /// Returns the range of parameter `i` if it ends in an edge. An ellipsoid's latitude does not, since its charts
    /// overlap.
    pub fn edge(&self, i: usize) -> Option<Range> {
        self.ranges()[i].filter(|r| !r.closed && !matches!(self, Self::Ellipsoid(_)))
    }

    /// Returns the point and its derivatives in the body's frame.
    pub fn jet(&self, place: Place) -> Jet {
        let [u, v] = place.at;
        let ((su, cu), (sv, cv)) = (u.sin_cos(), v.sin_cos());
        match self {
            Self::Ellipsoid(axes) => {
                let k = place.chart;
                let on = |x: f64, y: f64, z: f64| *axes * from_chart(k, DVec3::new(x, y, z));
                Jet {
                    point: on(cu * cv, su * cv, sv),
                    first: [on(-su * cv, cu * cv, 0.0), on(-cu * sv, -su * sv, cv)],
                    second: [on(-cu * cv, -su * cv, 0.0), on(su * sv, -cu * sv, 0.0), on(-cu * cv, -su * cv, -sv)],
                }
            }
            Self::Torus { ring_m, tube_m } => {
                let (r, far) = (*tube_m, ring_m + tube_m * cv);
                Jet {
                    point: DVec3::new(far * cu, far * su, r * sv),
                    first: [DVec3::new(-far * su, far * cu, 0.0), DVec3::new(-r * sv * cu, -r * sv * su, r * cv)],
                    second: [
                        DVec3::new(-far * cu, -far * su, 0.0),
                        DVec3::new(r * sv * su, -r * sv * cu, 0.0),
                        DVec3::new(-r * cv * cu, -r * cv * su, -r * sv),
                    ],
                }
            }
            Self::Patch(s) => s.jet(place.at),
            Self::Ellipse([a, b]) => Jet {
                point: DVec3::new(a * cu, b * su, 0.0),
                first: [DVec3::new(-a * su, b * cu, 0.0), DVec3::ZERO],
                second: [DVec3::new(-a * cu, -b * su, 0.0), DVec3::ZERO, DVec3::ZERO],
            },
            Self::Curve(c) => c.jet(u),
            Self::Point => Jet::default(),
        }
    }

    /// Returns 1 if first × second tangent points out of the body, otherwise −1.
    pub fn outward(&self) -> f64 {
        if let Self::Patch(s) = self { s.outward() } else { 1.0 }
    }

    /// Returns the same point in a well-conditioned chart: closed parameters reduced, an ellipsoid's poles far away.
    /// Parameters in other ranges are kept, even beyond their ends.
    #[must_use]
    pub fn settled(&self, place: Place) -> Place {
        if !place.at.iter().all(|x| x.is_finite()) {
            return place;
        }
        if let Self::Ellipsoid(_) = self {
            let [u, v] = place.at;
            if v.cos() < NEAR_POLE {
                let unit = from_chart(place.chart, DVec3::new(u.cos() * v.cos(), u.sin() * v.cos(), v.sin()));
                return on_sphere(unit);
            }
            return Place { at: [reduced(u, -PI, TAU), reduced(v, -PI, TAU)], ..place };
        }
        let mut settled = place;
        for (x, range) in settled.at.iter_mut().zip(self.ranges()) {
            if let Some(Range { lo, hi, closed: true }) = range {
                *x = reduced(*x, lo, hi - lo);
            }
        }
        settled
    }

    /// Returns an upper bound on the distance of the points from the body's origin, metres.
    pub fn reach_m(&self) -> f64 {
        match self {
            Self::Ellipsoid(axes) => axes.max_element(),
            Self::Torus { ring_m, tube_m } => ring_m + tube_m,
            Self::Patch(s) => s.reach_m(),
            Self::Ellipse([a, b]) => a.max(*b),
            Self::Curve(c) => c.reach_m(),
            Self::Point => 0.0,
        }
    }
}

/// Returns the place on an ellipsoid that corresponds to a point of the unit sphere, in the chart whose poles are
/// farthest.
pub fn on_sphere(unit: DVec3) -> Place {
    let chart = (0..3u8).min_by(|a, b| to_chart(*a, unit).z.abs().total_cmp(&to_chart(*b, unit).z.abs())).unwrap_or(0);
    let q = to_chart(chart, unit);
    Place { chart, at: [q.y.atan2(q.x), q.z.clamp(-1.0, 1.0).asin()] }
}

/// Permutes the axes of a chart to those of the body. Chart k has its poles on axis k + 2 (mod 3); the permutation is
/// cyclic, which preserves the orientation.
fn from_chart(chart: u8, v: DVec3) -> DVec3 {
    match chart {
        0 => v,
        1 => DVec3::new(v.z, v.x, v.y),
        _ => DVec3::new(v.y, v.z, v.x),
    }
}

fn to_chart(chart: u8, v: DVec3) -> DVec3 {
    match chart {
        0 => v,
        1 => DVec3::new(v.y, v.z, v.x),
        _ => DVec3::new(v.z, v.x, v.y),
    }
}

/// Returns `x` minus a whole number of periods, in [lo, lo + period).
fn reduced(x: f64, lo: f64, period: f64) -> f64 {
    if x >= lo && x < lo + period { x } else { x - ((x - lo) / period).floor() * period }
}

fn positive(lengths_m: &[f64], what: &str) -> Result<()> {
    match lengths_m.iter().find(|l| !(**l > 0.0) || !l.is_finite()) {
        Some(l) => Err(Error::input(format!("the {what} is {l} m: it must be above 0"))),
        None => Ok(()),
    }
}
