//! Stage `extremal_surfaces`: pairs of tori and Bézier patches, in the parameters u, v, r, s of both.
//!
//! A point that leaves its patch is lost: at an edge other equations apply, which only the [`Tracker`] solves.

use super::super::motion::Motion;
use super::super::shape::Shape;
use super::super::spline::{Basis, SplineSurface};
use super::super::state::State;
use super::super::{Form, Pair, Tracker};
use super::{Followed, Follower, PairFloats, Schedule, StateFloats};
use crate::error::{Error, Result};
use crate::gpu::shader::Source;
use crate::gpu::{BufferId, Gpu};
use crate::stage::kernel::{Kernel, kernel};
use glam::DVec4;
use rayon::prelude::*;

/// A pair of surfaces with their motions.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfacePair {
    /// The surfaces: tori, and Bézier patches of degrees up to 3.
    pub shapes: Pair,
    /// The motions.
    pub motions: [Motion; 2],
}

/// Places given by the parameters u, v, r, s.
pub type SurfacePlaces = Followed<[f64; 4]>;

/// The kernel. It does not belong to the culling stages and proves nothing.
pub const KERNEL: Kernel = kernel!("extremal_surfaces", "follow");

/// Number of control points of a patch on the device.
const NET: usize = 16;
/// Maximum number of control points that f32 can index.
const MAX_POINTS: usize = 1 << 24;

/// The kernel on a device.
#[derive(Debug)]
pub struct SurfaceBatch(Follower);

impl SurfaceBatch {
    /// Compiles the kernel.
    ///
    /// # Errors
    /// The driver rejects the kernel.
    pub fn new(gpu: Gpu) -> Result<Self> {
        let source = Source::expand(KERNEL.stem, KERNEL.source)?;
        Self::with_source(gpu, &source)
    }

    /// Like [`SurfaceBatch::new`], with a modified source.
    ///
    /// # Errors
    /// As [`SurfaceBatch::new`].
    pub fn with_source(gpu: Gpu, source: &Source) -> Result<Self> {
        Follower::new(gpu, &KERNEL, source).map(Self)
    }

    /// Returns the device.
    pub fn gpu(&self) -> &Gpu {
        &self.0.gpu
    }

    /// Follows all pairs from time 0, and replaces `places` by the places at the end.
    ///
    /// # Errors
    /// The numbers of places and pairs differ, the kernel does not support a surface, gain and step do not fit
    /// together, or the device failed.
    pub fn follow(&mut self, pairs: &[SurfacePair], places: &mut [SurfacePlaces], schedule: &Schedule) -> Result<()> {
        schedule.check(pairs.len(), places.len())?;
        let mut nets = Vec::new();
        let on_device = pairs.iter().enumerate().map(|(i, pair)| {
            let [a, b] = [&pair.shapes.a, &pair.shapes.b].map(|s| OnDevice::new(s, &mut nets));
            let here = |e: Error| e.at(format!("pair {i}"));
            Ok([a.map_err(here)?, b.map_err(here)?])
        });
        let bodies: Vec<[OnDevice; 2]> = on_device.collect::<Result<_>>()?;
        if pairs.is_empty() {
            return Ok(());
        }
        // An empty binding is not allowed.
        nets.resize(nets.len().max(1), [0.0f32; 4]);
        self.0.buffers.fill(&self.0.gpu, BufferId::ExtremalNets, &nets)?;
        let state = |(bodies, place): (&[OnDevice; 2], &SurfacePlaces)| -> StateFloats {
            let [u, v, r, s] = place.at;
            let ([a, b], lost) = ([bodies[0].place([u, v]), bodies[1].place([r, s])], f64::from(!place.regular));
            let all = [a, b, [0.0, 0.0, 0.0, lost]];
            let mut out = StateFloats::default();
            out.iter_mut().zip(all.as_flattened()).for_each(|(to, from)| *to = *from as f32);
            out
        };
        let states: Vec<StateFloats> = bodies.iter().zip(&*places).map(state).collect();
        let at = |from_s: f64| -> Vec<PairFloats> {
            let device = |(pair, [a, b]): (&SurfacePair, &[OnDevice; 2])| {
                super::to_device([a.what, b.what], &pair.motions, from_s, schedule.step_s, pair.shapes.size_m())
            };
            pairs.par_iter().zip(&bodies).map(device).collect()
        };
        let states = self.0.run(&states, schedule, at)?;
        for ((place, state), bodies) in places.iter_mut().zip(&states).zip(&bodies) {
            let s = state.map(f64::from);
            let ([u, v], [r, t]) = (bodies[0].parameters(&s[..4]), bodies[1].parameters(&s[4..8]));
            *place =
                SurfacePlaces { at: [u, v, r, t], sigma_m: s[8], error: s[9], facing: s[10], regular: s[11] == 0.0 };
        }
        Ok(())
    }
}

/// Like [`SurfaceBatch::follow`] in f64, on the threads of the CPU: the tracker's own steps.
///
/// # Errors
/// The numbers of places and pairs differ, the kernel does not support a surface, or gain and step do not fit together.
pub fn reference(pairs: &[SurfacePair], places: &mut [SurfacePlaces], schedule: &Schedule) -> Result<()> {
    schedule.check(pairs.len(), places.len())?;
    pairs.par_iter().zip(places).try_for_each(|(pair, place)| pair.follow(place, schedule))
}

impl SurfacePair {
    fn follow(&self, place: &mut SurfacePlaces, schedule: &Schedule) -> Result<()> {
        for shape in [&self.shapes.a, &self.shapes.b] {
            OnDevice::new(shape, &mut Vec::new())?;
        }
        if !place.regular {
            return Ok(());
        }
        let tracker = Tracker::new(self.shapes.clone(), self.motions, schedule.settings())?;
        let mut state = State::new(place.at);
        for i in 0..schedule.n_steps {
            match tracker.step(&state, i as f64 * schedule.step_s, schedule.step_s) {
                Ok(next) if next.held == [false; 4] => state = next,
                _ => {
                    *place = SurfacePlaces { at: state.parameters(), regular: false, ..*place };
                    return Ok(());
                }
            }
        }
        let end = tracker.configuration(&state, schedule.end_s());
        let error = end.equations(Form::Normal).error();
        *place = SurfacePlaces {
            at: state.parameters(),
            sigma_m: end.sigma_m(),
            error,
            facing: end.facing().unwrap_or(f64::NAN),
            regular: error < 1e6,
        };
        Ok(())
    }
}

/// A surface in the kernel's form.
#[derive(Clone, Copy, Debug)]
struct OnDevice {
    what: [f64; 4],
    /// Lowest parameters and lengths of their ranges; `None` for a torus.
    domain: Option<[[f64; 2]; 2]>,
}

impl OnDevice {
    fn new(shape: &Shape, nets: &mut Vec<[f32; 4]>) -> Result<Self> {
        match shape {
            Shape::Torus { ring_m, tube_m } => Ok(Self { what: [*ring_m, *tube_m, 0.0, 0.0], domain: None }),
            Shape::Patch(patch) => {
                let first = nets.len();
                if first > MAX_POINTS - NET {
                    return Err(Error::usage(format!("more than {} patches", MAX_POINTS / NET)));
                }
                nets.extend(bicubic(patch)?.map(|c| c.as_vec4().to_array()));
                let [u, v] = [0, 1].map(|i| patch.basis()[i].domain()).map(|[lo, hi]| [lo, hi - lo]);
                Ok(Self { what: [first as f64, patch.outward(), 0.0, 1.0], domain: Some([u, v]) })
            }
            _ => Err(Error::usage("the kernel supports only tori and Bézier patches").remedy("use extremal::Tracker")),
        }
    }

    fn place(&self, at: [f64; 2]) -> [f64; 4] {
        match self.domain {
            Some([[u0, u], [v0, v]]) => [(at[0] - u0) / u, (at[1] - v0) / v, 0.0, 0.0],
            None => [at[0].cos(), at[0].sin(), at[1].cos(), at[1].sin()],
        }
    }

    fn parameters(&self, place: &[f64]) -> [f64; 2] {
        match (self.domain, place) {
            (Some([[u0, u], [v0, v]]), [x, y, ..]) => [u0 + x * u, v0 + y * v],
            (None, [cu, su, cv, sv]) => [su.atan2(*cu), sv.atan2(*cv)],
            _ => [f64::NAN; 2],
        }
    }
}

/// Returns the control points, multiplied by their weights, of a single Bézier patch of degrees up to 3, raised to 3.
fn bicubic(patch: &SplineSurface) -> Result<[DVec4; NET]> {
    let unfit = |b: &Basis| b.degree() > 3 || b.n_points() != b.degree() + 1;
    if patch.basis().iter().any(unfit) || patch.is_closed() != [false; 2] {
        let message = "the patch has several spans, has a degree above 3, or is closed";
        return Err(Error::usage(message).remedy("cut it into Bézier patches, or use extremal::Tracker"));
    }
    let columns = patch.basis()[1].n_points();
    let rows: Vec<[DVec4; 4]> = patch.controls().chunks(columns).map(raised).collect();
    let mut out = [DVec4::ZERO; NET];
    for j in 0..4 {
        let column: Vec<DVec4> = rows.iter().map(|row| row[j]).collect();
        for (i, point) in raised(&column).into_iter().enumerate() {
            out[4 * i + j] = point;
        }
    }
    Ok(out)
}

/// Raises a Bézier curve of degree 1 to 3 to degree 3.
fn raised(points: &[DVec4]) -> [DVec4; 4] {
    let mut points = points.to_vec();
    while points.len() < 4 {
        let n = points.len();
        let between = |i: usize| {
            let share = i as f64 / n as f64;
            let before = points.get(i.wrapping_sub(1)).copied().unwrap_or_default();
            let after = points.get(i).copied().unwrap_or_default();
            before * share + after * (1.0 - share)
        };
        points = (0..=n).map(between).collect();
    }
    [points[0], points[1], points[2], points[3]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use std::f64::consts::{PI, TAU};

    /// The raised patch is the same surface.
    #[test]
    fn patches_of_lower_degree_are_raised() {
        for degrees in [[1, 1], [2, 1], [1, 3], [3, 2], [3, 3]] {
            let basis = degrees.map(|d| Basis::bezier(d).unwrap());
            let n = basis[0].n_points() * basis[1].n_points();
            let points: Vec<DVec3> =
                (0..n).map(|i| DVec3::new(i as f64, (i * i % 7) as f64, (i * 5 % 3) as f64)).collect();
            let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 4) as f64 * 0.3).collect();
            let patch = SplineSurface::new(basis, &points, Some(&weights), false).unwrap();
            let net = bicubic(&patch).unwrap();
            let cubic = [Basis::bezier(3).unwrap(), Basis::bezier(3).unwrap()];
            let (points, weights): (Vec<_>, Vec<_>) = net.iter().map(|c| (c.truncate() / c.w, c.w)).unzip();
            let raised = SplineSurface::new(cubic, &points, Some(&weights), false).unwrap();
            for k in 0..25 {
                let at = [f64::from(k % 5) / 4.0, f64::from(k / 5) / 4.0];
                let (a, b) = (patch.jet(at), raised.jet(at));
                assert!((a.point - b.point).length() < 1e-12 && (a.second[1] - b.second[1]).length() < 1e-10);
            }
        }
    }

    #[test]
    fn uploaded_places_round_trip() {
        let torus = OnDevice::new(&Shape::torus(1.0, 0.25).unwrap(), &mut Vec::new()).unwrap();
        for at in [[0.3, -2.0], [-PI + 1e-3, 3.0], [7.0, 0.0]] {
            let back = torus.parameters(&torus.place(at));
            assert!((0..2).all(|i| ((back[i] - at[i]) / TAU).fract().abs() < 1e-12), "{at:?} {back:?}");
        }
        assert!(torus.parameters(&[]).iter().all(|x| x.is_nan()));
        assert!(OnDevice::new(&Shape::Point, &mut Vec::new()).is_err());
    }
}
