//! The definition of a problem: plane polygons on a moving body, fixed plane polygons, and a motion. Plain numbers as
//! in a file; search and checker each convert them to their own form.

use super::bezier::Bezier;
use super::enclosure::Map;
use super::face::{Face, Fixed, inflated};
use super::metric::{Feature, Metric};
use super::motion::MAX_LEVEL;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// A polygon of a moving body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Polygon {
    /// A strictly convex polygon in the plane `z = 0` of the body's frame, anticlockwise.
    Plane(Vec<[f64; 2]>),
    /// A triangle anywhere in the body's frame.
    Triangle([[f64; 3]; 3]),
}

/// Choice of the feature points that measure a polygon.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Masses {
    /// Its own corners with unit weights, moved away from their mean by a factor.
    Individual {
        /// The factor; 2 to 3 is suitable for small polygons.
        inflation: f64,
    },
    /// The same points for all polygons; only for polygons in the plane `z = 0`.
    Global(Vec<Feature>),
}

/// A motion as defined in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Course {
    /// A rational Bézier motion.
    Bezier {
        /// Control maps: three rows of four numbers.
        maps: Vec<[[f64; 4]; 3]>,
        /// Their weights.
        weights: Vec<f64>,
    },
    /// A rigid motion from quaternions and points: see [`Bezier::rigid`].
    Rigid {
        /// Control quaternions w x y z.
        quaternions: Vec<[f64; 4]>,
        /// Control points of the origin's path.
        translations: Vec<[f64; 3]>,
    },
}

impl Course {
    /// Returns the motion.
    ///
    /// # Errors
    /// The numbers do not fit together.
    pub fn motion(&self) -> Result<Bezier> {
        match self {
            Self::Bezier { maps, weights } => Bezier::new(maps, weights),
            Self::Rigid { quaternions, translations } => Bezier::rigid(quaternions, translations),
        }
        .map_err(|e| e.at("motion"))
    }
}

/// Limits of the search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The time is not halved further where no vertex can be displaced by more than this, metres.
    pub delta_m: f64,
    /// The time is not halved beyond this level.
    pub max_level: u32,
    /// True if the search for a pair of polygons ends at the first part of the motion that cannot be cleared.
    pub first: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { delta_m: 1e-3, max_level: 24, first: false }
    }
}

impl Limits {
    /// Checks that the limits are valid.
    ///
    /// # Errors
    /// `delta_m` is not positive and finite, or `max_level` is above [`MAX_LEVEL`].
    pub fn check(&self) -> Result<()> {
        if !(self.delta_m > 0.0 && self.delta_m.is_finite()) {
            return Err(Error::input("delta_m is not positive"));
        }
        if self.max_level > MAX_LEVEL {
            return Err(Error::input(format!("max_level is above {MAX_LEVEL}")));
        }
        Ok(())
    }
}

/// A moving body, a fixed one, and a motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// The moving polygons.
    pub moving: Vec<Polygon>,
    /// The fixed polygons: triangles, or convex polygons in planes `z = const`, anticlockwise; metres.
    pub fixed: Vec<Vec<[f64; 3]>>,
    /// The motion of the moving polygons.
    pub motion: Course,
    /// The feature points that measure the moving polygons.
    #[serde(default = "own_corners")]
    pub masses: Masses,
    /// Limits of the search.
    #[serde(default)]
    pub limits: Limits,
}

fn own_corners() -> Masses {
    Masses::Individual { inflation: 2.0 }
}

/// The prepared polygons of a problem.
#[derive(Clone, Debug)]
pub struct Shapes {
    /// The moving polygons.
    pub moving: Vec<Face>,
    /// The fixed polygons.
    pub fixed: Vec<Fixed>,
}

/// The largest factor for moving feature points outward.
pub const MAX_INFLATION: f64 = 1e3;

impl Problem {
    /// Prepares the polygons.
    ///
    /// # Errors
    /// A polygon is not convex, or its feature points do not fit.
    pub fn shapes(&self) -> Result<Shapes> {
        self.limits.check()?;
        let global = match &self.masses {
            Masses::Individual { inflation } if !(1.0..=MAX_INFLATION).contains(inflation) => {
                return Err(Error::input(format!("the inflation is not between 1 and {MAX_INFLATION}")).at("masses"));
            }
            Masses::Individual { .. } => None,
            Masses::Global(features) => Some(Metric::new(features).map_err(|e| e.at("masses"))?),
        };
        let face = |(i, polygon): (usize, &Polygon)| {
            let face = match (polygon, &self.masses, &global) {
                (Polygon::Plane(corners), Masses::Individual { inflation }, _) => {
                    Metric::new(&inflated(corners, *inflation))
                        .and_then(|metric| Face::new(corners.clone(), Map::identity(), metric))
                }
                (Polygon::Triangle(corners), Masses::Individual { inflation }, _) => {
                    Face::triangle(*corners, *inflation)
                }
                (Polygon::Plane(corners), _, Some(metric)) => Face::new(corners.clone(), Map::identity(), *metric),
                _ => Err(Error::input("global masses require polygons in the plane z = 0")),
            };
            face.map_err(|e| Error::input(format!("moving polygon {i}: {e}")))
        };
        let fixed = |(i, corners): (usize, &Vec<[f64; 3]>)| {
            Fixed::new(corners).map_err(|e| Error::input(format!("fixed polygon {i}: {e}")))
        };
        Ok(Shapes {
            moving: self.moving.iter().enumerate().map(face).collect::<Result<_>>()?,
            fixed: self.fixed.iter().enumerate().map(fixed).collect::<Result<_>>()?,
        })
    }
}
