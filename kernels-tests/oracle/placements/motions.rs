//! Seeded motions that start free.

use super::super::fk::Robot;
use super::super::sampling;
use super::super::urdf::Kind;
use glam::{DQuat, DVec3};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::f64::consts::PI;

/// Starts and ends.
pub type MotionBatch = Vec<(Vec<f64>, Vec<f64>)>;

/// The extent of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amplitude {
    /// Largest turn of a joint, and of a free root. A slide moves up to 0.2 m per radian of this, a free root 0.5 m per
    /// radian.
    pub degrees: f64,
}

/// Half the side of the cube about the base in which a free root starts.
const ROAM_M: f64 = 0.5;

/// `n` motions from starts that are clear.
///
/// # Panics
/// In ten thousand draws no start is clear.
pub fn make(
    robot: &Robot,
    n: usize,
    seed: u64,
    amplitudes: &[Amplitude],
    is_clear: &dyn Fn(&[f64]) -> bool,
) -> MotionBatch {
    let mut draw = Draw { rng: Pcg64Mcg::seed_from_u64(seed) };
    (0..n)
        .map(|i| {
            let start =
                (0..10_000).map(|_| draw.start(robot)).find(|q| is_clear(q)).expect("a free start in ten thousand");
            let end = draw.end(robot, &start, amplitudes[i % amplitudes.len()].degrees.to_radians());
            (start, end)
        })
        .collect()
}

/// Random numbers of the kinds needed here.
pub struct Draw {
    pub rng: Pcg64Mcg,
}

impl Draw {
    /// From `lo` up to `hi`.
    pub fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * (self.rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A vector with entries up to `size`.
    fn cube(&mut self, size: f64) -> DVec3 {
        let mut side = || self.between(-size, size);
        DVec3::new(side(), side(), side())
    }

    /// A uniformly distributed direction.
    fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.cube(1.0);
            if (0.01..1.0).contains(&v.length()) {
                return v.normalize();
            }
        }
    }

    /// A configuration within the limits; a turn without limits takes any value from -π to π.
    pub fn start(&mut self, robot: &Robot) -> Vec<f64> {
        let mut q = Vec::new();
        if robot.floating_root {
            let (position, axis) = (self.cube(ROAM_M), self.direction());
            push_free(&mut q, position, DQuat::from_axis_angle(axis, self.between(-PI, PI)));
        }
        let limits = sampling::limits(robot);
        for (i, (_, kind)) in robot.columns.iter().enumerate().skip(q.len()) {
            let widest = if *kind == Kind::Turning { PI } else { ROAM_M };
            let (lo, hi) = limits[i].unwrap_or((-widest, widest));
            q.push(self.between(lo, hi));
        }
        q
    }

    /// An end of a motion from `start`, within the limits.
    fn end(&mut self, robot: &Robot, start: &[f64], most: f64) -> Vec<f64> {
        let mut q = Vec::new();
        if robot.floating_root {
            let position = DVec3::from_slice(start) + self.cube(0.5 * most);
            let turn = DQuat::from_axis_angle(self.direction(), self.between(0.0, most));
            push_free(&mut q, position, turn * DQuat::from_slice(&start[3..7]));
        }
        let limits = sampling::limits(robot);
        for (i, (_, kind)) in robot.columns.iter().enumerate().skip(q.len()) {
            let step = if *kind == Kind::Turning { most } else { 0.2 * most };
            let (lo, hi) = limits[i].unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
            q.push((start[i] + self.between(-step, step)).clamp(lo, hi));
        }
        q
    }
}

fn push_free(q: &mut Vec<f64>, position: DVec3, turn: DQuat) {
    q.extend(position.to_array());
    q.extend(turn.normalize().to_array());
}
