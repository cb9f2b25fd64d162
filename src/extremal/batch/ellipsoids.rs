//! Stage `extremal`: pairs of ellipsoids.
//!
//! A place is a unit vector q that gives the point R D q with the semi-axes D: no chart is needed, and two of the four
//! unknowns of the normal form can be eliminated directly. Errors are fed back, so those of f32 do not grow with the
//! number of steps.

use super::super::motion::Motion;
use super::{Followed, Follower, PairFloats, Schedule, StateFloats};
use crate::error::Result;
use crate::gpu::Gpu;
use crate::gpu::shader::Source;
use crate::stage::kernel::{Kernel, kernel};
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// A pair of ellipsoids with their motions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EllipsoidPair {
    /// Semi-axes, metres.
    pub semi_axes_m: [DVec3; 2],
    /// The motions.
    pub motions: [Motion; 2],
}

/// Places as points of the unit sphere that is stretched to each ellipsoid, on A and on B.
pub type Places = Followed<[DVec3; 2]>;

/// The kernel. It does not belong to the culling stages and proves nothing.
pub const KERNEL: Kernel = kernel!("extremal", "follow");

/// Determinants below this share of their terms count as singular.
const SINGULAR: f64 = 1e-6;

/// The kernel on a device.
#[derive(Debug)]
pub struct Batch(Follower);

impl Batch {
    /// Compiles the kernel.
    ///
    /// # Errors
    /// The driver rejects the kernel.
    pub fn new(gpu: Gpu) -> Result<Self> {
        let source = Source::expand(KERNEL.stem, KERNEL.source)?;
        Self::with_source(gpu, &source)
    }

    /// Like [`Batch::new`], with a modified source.
    ///
    /// # Errors
    /// As [`Batch::new`].
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
    /// The numbers of places and pairs differ, gain and step do not fit together, or the device failed.
    pub fn follow(&mut self, pairs: &[EllipsoidPair], places: &mut [Places], schedule: &Schedule) -> Result<()> {
        schedule.check(pairs.len(), places.len())?;
        if pairs.is_empty() {
            return Ok(());
        }
        let states: Vec<StateFloats> = places.iter().map(to_device).collect();
        let at = |from_s: f64| pairs.par_iter().map(|pair| pair.to_device(from_s, schedule.step_s)).collect();
        let states = self.0.run(&states, schedule, at)?;
        for (place, state) in places.iter_mut().zip(&states) {
            *place = from_device(state);
        }
        Ok(())
    }
}

/// Like [`Batch::follow`] in f64, on the threads of the CPU.
///
/// # Errors
/// The numbers of places and pairs differ, or gain and step do not fit together.
pub fn reference(pairs: &[EllipsoidPair], places: &mut [Places], schedule: &Schedule) -> Result<()> {
    schedule.check(pairs.len(), places.len())?;
    pairs.par_iter().zip(places).for_each(|(pair, place)| pair.follow(place, schedule));
    Ok(())
}

/// Both bodies at one time, in the world's axes.
struct Moment {
    rotations: [DMat3; 2],
    /// Vector from the origin of B to that of A, and its rate.
    origins: DVec3,
    velocity: DVec3,
    spins: [DVec3; 2],
}

/// Returns two unit vectors orthogonal to a unit vector and to each other (Duff et al. 2017).
fn tangents(q: DVec3) -> [DVec3; 2] {
    let s = if q.z >= 0.0 { 1.0 } else { -1.0 };
    let a = -1.0 / (s + q.z);
    let b = q.x * q.y * a;
    [DVec3::new(1.0 + s * q.x * q.x * a, s * b, -s * q.x), DVec3::new(b, s + q.y * q.y * a, -q.y)]
}

impl EllipsoidPair {
    fn moment(&self, t_s: f64) -> Moment {
        let [a, b] = self.motions.map(|m| m.at(t_s));
        Moment {
            rotations: [a.rotation, b.rotation],
            origins: a.origin_m - b.origin_m,
            velocity: a.velocity_m_s - b.velocity_m_s,
            spins: [a.spin_rad_s, b.spin_rad_s],
        }
    }

    /// Returns the rates of both unit vectors, and a measure of the regularity of the equations.
    fn rates(&self, m: &Moment, at: [DVec3; 2], gain: f64) -> ([DVec3; 2], f64) {
        let [qa, qb] = at.map(DVec3::normalize);
        let [[a1, a2], [b1, b2]] = [tangents(qa), tangents(qb)];
        let on = |body: usize, q: DVec3| m.rotations[body] * (self.semi_axes_m[body] * q);
        let (f, f1, f2) = (on(0, qa), on(0, a1), on(0, a2));
        let (h, h1, h2) = (on(1, qb), on(1, b1), on(1, b2));
        let delta = f - h + m.origins;
        let across = qb / self.semi_axes_m[1];
        let size = across.length();
        let n = m.rotations[1] * (across / size);
        let normal_rate = |e: DVec3| {
            let along = m.rotations[1] * (e / self.semi_axes_m[1] / size);
            along - n * n.dot(along)
        };
        let (n1, n2) = (normal_rate(b1), normal_rate(b2));
        let w = m.spins[0] - m.spins[1];
        let seen_from_b = m.velocity - m.spins[1].cross(m.origins) + w.cross(f);
        let ra = [f1, f2].map(|t| -gain * t.dot(n) - w.dot(t.cross(n)));
        let rb = [h1, h2].map(|t| -gain * delta.dot(t) - seen_from_b.dot(t));
        // N = (α Q; R T), by rows.
        let alpha = -f.dot(n);
        let q = [[f1.dot(n1), f1.dot(n2)], [f2.dot(n1), f2.dot(n2)]];
        let r = [[h1.dot(f1), h1.dot(f2)], [h2.dot(f1), h2.dot(f2)]];
        let bend = delta.dot(h);
        let t = [[-h1.dot(h1) - bend, -h1.dot(h2)], [-h1.dot(h2), -h2.dot(h2) - bend]];
        let s: [[f64; 2]; 2] =
            std::array::from_fn(|i| std::array::from_fn(|j| t[i][j] - (r[i][0] * q[0][j] + r[i][1] * q[1][j]) / alpha));
        let right: [f64; 2] = std::array::from_fn(|i| rb[i] - (r[i][0] * ra[0] + r[i][1] * ra[1]) / alpha);
        let det = s[0][0] * s[1][1] - s[0][1] * s[1][0];
        let largest = (s[0][0] * s[1][1]).abs().max((s[0][1] * s[1][0]).abs());
        let ub = [(s[1][1] * right[0] - s[0][1] * right[1]) / det, (s[0][0] * right[1] - s[1][0] * right[0]) / det];
        let ua: [f64; 2] = std::array::from_fn(|i| (ra[i] - q[i][0] * ub[0] - q[i][1] * ub[1]) / alpha);
        let regular = (det.abs() / largest).min(alpha / f.length().max(f64::MIN_POSITIVE));
        ([a1 * ua[0] + a2 * ua[1], b1 * ub[0] + b2 * ub[1]], regular)
    }

    fn follow(&self, place: &mut Places, schedule: &Schedule) {
        if !place.regular {
            return;
        }
        let (gain, h) = (schedule.gain_per_s, schedule.step_s);
        let mut at = place.at;
        let mut least = f64::INFINITY;
        let plus = |at: [DVec3; 2], k: [DVec3; 2], h: f64| [at[0] + h * k[0], at[1] + h * k[1]];
        for i in 0..schedule.n_steps {
            let t = i as f64 * h;
            let [start, middle, end] = [t, t + 0.5 * h, t + h].map(|t| self.moment(t));
            let (k1, d1) = self.rates(&start, at, gain);
            let (k2, d2) = self.rates(&middle, plus(at, k1, 0.5 * h), gain);
            let (k3, d3) = self.rates(&middle, plus(at, k2, 0.5 * h), gain);
            let (k4, d4) = self.rates(&end, plus(at, k3, h), gain);
            let step = |i: usize| (at[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])).normalize();
            at = [step(0), step(1)];
            least = [d1, d2, d3, d4].into_iter().fold(least, |a, b| if b < a || b.is_nan() { b } else { a });
        }
        *place = self.judged(at, schedule.end_s(), least);
    }

    /// Returns the status of places at a time.
    fn judged(&self, at: [DVec3; 2], t_s: f64, least: f64) -> Places {
        let m = self.moment(t_s);
        let [f, h] = [0, 1].map(|i| m.rotations[i] * (self.semi_axes_m[i] * at[i]));
        let [n_a, n] = [0, 1].map(|i| (m.rotations[i] * (at[i] / self.semi_axes_m[i])).normalize());
        let delta = f - h + m.origins;
        let sigma_m = delta.dot(n);
        let reach = self.semi_axes_m[0].length() + self.semi_axes_m[1].length();
        let error = n_a.cross(n).length().max((delta - sigma_m * n).length() / reach);
        Places { at, sigma_m, error, facing: n_a.dot(n), regular: least > SINGULAR && error < 1e6 }
    }

    /// Converts the pair to the kernel's form, at the start of a dispatch.
    fn to_device(self, from_s: f64, step_s: f64) -> PairFloats {
        super::to_device(self.semi_axes_m.map(|d| [d.x, d.y, d.z, 0.0]), &self.motions, from_s, step_s, 0.0)
    }
}

fn to_device(place: &Places) -> StateFloats {
    let [a, b] = place.at.map(|q| q.as_vec3());
    let lost = if place.regular { 0.0 } else { 1.0 };
    [a.x, a.y, a.z, 0.0, b.x, b.y, b.z, 0.0, 0.0, lost, f32::MAX, 0.0]
}

fn from_device(state: &StateFloats) -> Places {
    let s = state.map(f64::from);
    Places {
        at: [DVec3::new(s[0], s[1], s[2]), DVec3::new(s[4], s[5], s[6])],
        sigma_m: s[3],
        error: s[7],
        facing: s[8],
        regular: s[9] == 0.0,
    }
}
