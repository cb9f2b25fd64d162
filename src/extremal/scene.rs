//! Scenes of moving shapes, as JSON. The format is described in `doc/guide/extremal.md`.

use super::settings::{Integrator, Settings};
use super::shape::Shape;
use super::spline::{Basis, SplineCurve, SplineSurface};
use super::{Form, Motion, Pair};
use crate::error::{Error, Result, quoted, shortened};
use crate::io::load::{LoadLimits, read_bytes, text};
use glam::{DMat3, DQuat, DVec3};
use serde::Deserialize;
use std::path::Path;

/// Bodies, pairs of them, and settings for tracking.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The bodies.
    pub bodies: Vec<Body>,
    /// The pairs to track.
    pub pairs: Vec<ScenePair>,
    /// Duration, seconds.
    pub duration_s: f64,
    /// Gains, 1/s, with one run for each.
    pub gains_per_s: Vec<f64>,
    /// All other settings; the gain is the first of `gains_per_s`.
    pub settings: Settings,
    /// The distance at which bodies count as touching, metres.
    pub margin_m: f64,
}

/// A shape with its motion.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// Its motion.
    pub motion: Motion,
}

/// Two bodies by index, and an optional start.
#[derive(Clone, Copy, Debug)]
pub struct ScenePair {
    /// Index of the first body.
    pub a: usize,
    /// Index of the second body.
    pub b: usize,
    /// u, v, r, s of the start, in chart 0 of both shapes.
    pub start: Option<[f64; 4]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SceneJson {
    bodies: Vec<BodyJson>,
    pairs: Option<Vec<PairJson>>,
    duration_s: f64,
    step_s: f64,
    gains_per_s: Vec<f64>,
    #[serde(default)]
    form: FormJson,
    #[serde(default)]
    integrator: IntegratorJson,
    #[serde(default)]
    audit_steps: usize,
    #[serde(default)]
    margin_m: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BodyJson {
    name: String,
    shape: ShapeJson,
    #[serde(default)]
    motion: MotionJson,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct MotionJson {
    origin_m: [f64; 3],
    rotation_rad: [f64; 3],
    velocity_m_s: [f64; 3],
    spin_rad_s: [f64; 3],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairJson {
    a: String,
    b: String,
    start: Option<[f64; 4]>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FormJson {
    #[default]
    Normal,
    Projection,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum IntegratorJson {
    Euler,
    #[default]
    #[serde(rename = "runge-kutta-4")]
    RungeKutta4,
    DormandPrince {
        tolerance: f64,
    },
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum ShapeJson {
    Ellipsoid {
        semi_axes_m: [f64; 3],
    },
    Torus {
        ring_m: f64,
        tube_m: f64,
    },
    Ellipse {
        semi_axes_m: [f64; 2],
    },
    Point {},
    Surface {
        degrees: [usize; 2],
        knots: Option<[Vec<f64>; 2]>,
        points_m: Vec<Vec<[f64; 3]>>,
        weights: Option<Vec<Vec<f64>>>,
        #[serde(default)]
        inward: bool,
        #[serde(default)]
        closed: [bool; 2],
    },
    Curve {
        degree: usize,
        knots: Option<Vec<f64>>,
        points_m: Vec<[f64; 3]>,
        weights: Option<Vec<f64>>,
        #[serde(default)]
        closed: bool,
    },
}

/// Largest accepted coordinate, velocity or angular velocity.
const LARGEST: f64 = 1e6;
/// Maximum number of pairs in a scene.
const MAX_PAIRS: usize = 10_000;

impl Scene {
    /// Reads a file.
    ///
    /// # Errors
    /// The file is missing, is not JSON of this form, or has invalid values; the error contains file and place.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes = read_bytes(path, &LoadLimits::default())?;
        text(&bytes).and_then(Self::parse).map_err(|e| e.in_file(path))
    }

    /// Parses JSON text.
    ///
    /// # Errors
    /// As [`Scene::from_file`].
    pub fn parse(json: &str) -> Result<Self> {
        let json: SceneJson = serde_json::from_str(json)
            .map_err(|cause| Error::input(format!("JSON: {}", shortened(&cause.to_string(), 200))))?;
        let mut bodies: Vec<Body> = Vec::with_capacity(json.bodies.len());
        for body in json.bodies {
            let place = format!("body {}", quoted(&body.name));
            if bodies.iter().any(|b| b.name == body.name) {
                return Err(Error::input("two bodies have this name").at(place));
            }
            let shape = shape(body.shape).map_err(|e| e.at(place.clone()))?;
            let motion = motion(&body.motion).map_err(|e| e.at(place))?;
            bodies.push(Body { name: body.name, shape, motion });
        }
        let pairs = pairs(&bodies, json.pairs)?;
        let Some(gain_per_s) = json.gains_per_s.first().copied() else {
            return Err(Error::input("gains_per_s is empty").remedy("for example [10]"));
        };
        let form = match json.form {
            FormJson::Normal => Form::Normal,
            FormJson::Projection => Form::Projection,
        };
        let integrator = match json.integrator {
            IntegratorJson::Euler => Integrator::Euler,
            IntegratorJson::RungeKutta4 => Integrator::RungeKutta4,
            IntegratorJson::DormandPrince { tolerance } => Integrator::DormandPrince { tolerance },
        };
        let (step_s, audit_steps) = (json.step_s, json.audit_steps);
        let settings = Settings { gain_per_s, step_s, form, integrator, audit_steps, ..Settings::default() };
        for gain_per_s in &json.gains_per_s {
            Settings { gain_per_s: *gain_per_s, ..settings }.check()?;
        }
        if !(json.duration_s > 0.0) {
            return Err(Error::input(format!("duration_s is {}: it must be above 0", json.duration_s)));
        }
        Ok(Self {
            bodies,
            pairs,
            duration_s: json.duration_s,
            gains_per_s: json.gains_per_s,
            settings,
            margin_m: json.margin_m,
        })
    }

    /// Returns the shapes of a pair.
    pub fn shapes(&self, pair: &ScenePair) -> Pair {
        Pair { a: self.bodies[pair.a].shape.clone(), b: self.bodies[pair.b].shape.clone() }
    }

    /// Returns the motions of a pair.
    pub fn motions(&self, pair: &ScenePair) -> [Motion; 2] {
        [self.bodies[pair.a].motion, self.bodies[pair.b].motion]
    }
}

/// Returns the listed pairs, or all pairs.
fn pairs(bodies: &[Body], named: Option<Vec<PairJson>>) -> Result<Vec<ScenePair>> {
    let n = bodies.len();
    let Some(named) = named else {
        if n < 2 {
            return Err(Error::input(format!("{n} bodies: at least two are required")));
        }
        if n * (n - 1) / 2 > MAX_PAIRS {
            return Err(
                Error::input(format!("more than {MAX_PAIRS} pairs of bodies")).remedy("list some of them in 'pairs'")
            );
        }
        return Ok((0..n).flat_map(|a| (a + 1..n).map(move |b| ScenePair { a, b, start: None })).collect());
    };
    if named.is_empty() || named.len() > MAX_PAIRS {
        return Err(Error::input(format!("{} pairs: the number must be 1 to {MAX_PAIRS}", named.len())));
    }
    let find = |name: &str| {
        let found = bodies.iter().position(|b| b.name == name);
        found.ok_or_else(|| Error::input(format!("there is no body {}", quoted(name))))
    };
    let pair = |(i, json): (usize, PairJson)| {
        let here = |e: Error| e.at(format!("pair {i}"));
        let (a, b) = (find(&json.a).map_err(here)?, find(&json.b).map_err(here)?);
        if a == b {
            return Err(here(Error::input("a body is paired with itself")));
        }
        Ok(ScenePair { a, b, start: json.start })
    };
    named.into_iter().enumerate().map(pair).collect()
}

fn vector(v: [f64; 3]) -> DVec3 {
    DVec3::from_array(v)
}

fn motion(json: &MotionJson) -> Result<Motion> {
    let all = [json.origin_m, json.rotation_rad, json.velocity_m_s, json.spin_rad_s];
    if all.as_flattened().iter().any(|x| !(x.abs() <= LARGEST)) {
        return Err(Error::input(format!("a number in its motion exceeds {LARGEST}")));
    }
    Ok(Motion {
        rotation: DMat3::from_quat(DQuat::from_scaled_axis(vector(json.rotation_rad))),
        origin_m: vector(json.origin_m),
        velocity_m_s: vector(json.velocity_m_s),
        spin_rad_s: vector(json.spin_rad_s),
    })
}

fn shape(json: ShapeJson) -> Result<Shape> {
    match json {
        ShapeJson::Ellipsoid { semi_axes_m } => Shape::ellipsoid(semi_axes_m),
        ShapeJson::Torus { ring_m, tube_m } => Shape::torus(ring_m, tube_m),
        ShapeJson::Ellipse { semi_axes_m } => Shape::ellipse(semi_axes_m),
        ShapeJson::Point {} => Ok(Shape::Point),
        ShapeJson::Surface { degrees, knots, points_m, weights, inward, closed } => {
            let knots = knots.map_or([None, None], |[u, v]| [Some(u), Some(v)]);
            let [u, v] = knots;
            let basis = [basis(degrees[0], u)?, basis(degrees[1], v)?];
            let columns = basis[1].n_points();
            if points_m.iter().any(|row| row.len() != columns) {
                return Err(Error::input(format!("a row of points_m does not have {columns} points")));
            }
            let points: Vec<DVec3> = points_m.into_iter().flatten().map(vector).collect();
            let weights = weights.map(|w| w.concat());
            Ok(Shape::Patch(SplineSurface::new(basis, &points, weights.as_deref(), inward)?.closed(closed)?))
        }
        ShapeJson::Curve { degree, knots, points_m, weights, closed } => {
            let points: Vec<DVec3> = points_m.into_iter().map(vector).collect();
            let curve = SplineCurve::new(basis(degree, knots)?, &points, weights.as_deref())?;
            Ok(Shape::Curve(if closed { curve.closed()? } else { curve }))
        }
    }
}

/// Creates a basis from knots; without knots, the basis of a Bézier curve.
fn basis(degree: usize, knots: Option<Vec<f64>>) -> Result<Basis> {
    knots.map_or_else(|| Basis::bezier(degree), |knots| Basis::new(degree, knots))
}
