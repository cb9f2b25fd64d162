//! Many pairs together, on an adapter in f32 or on the CPU in f64, by the same formulas: [`ellipsoids`] without charts,
//! and [`surfaces`], tori and Bézier patches, in their parameters. The [`Tracker`](super::Tracker) does everything
//! else, pair by pair.

pub mod ellipsoids;
pub mod surfaces;

pub use ellipsoids::{Batch, EllipsoidPair, KERNEL, Places, reference};

use super::motion::Motion;
use crate::error::{Error, Result};
use crate::gpu::shader::Source;
use crate::gpu::{BufferId, Buffers, CompiledKernel, Dispatch, Gpu, INDIRECT_ARGS, WorkSize};
use crate::stage::kernel::Kernel;
use glam::{DQuat, DVec3};

/// Gain, step and number of steps of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// The gain K, per second.
    pub gain_per_s: f64,
    /// Length of a step, seconds.
    pub step_s: f64,
    /// Number of steps.
    pub n_steps: usize,
}

/// A pair of places and its status; `P` is the representation of the places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Followed<P> {
    /// The places.
    pub at: P,
    /// The signed distance, metres.
    pub sigma_m: f64,
    /// The largest error: the sine of an angle between the normals, or the length of Δ across the normal relative to
    /// the bodies' size.
    pub error: f64,
    /// Cosine of the angle between the outward normals: −1 at an extremal pair.
    pub facing: f64,
    /// True if the equations have been regular so far, and all places on their patches. If false, the other fields have
    /// no meaning; a lost pair remains where it was lost.
    pub regular: bool,
}

impl<P> Followed<P> {
    /// Creates the initial value for a start.
    pub fn start(at: P) -> Self {
        Self { at, sigma_m: f64::NAN, error: f64::NAN, facing: f64::NAN, regular: true }
    }

    /// Returns whether the pair is extremal to within `error`: regular, with facing normals.
    pub fn is_good(&self, error: f64) -> bool {
        self.regular && self.error <= error && self.facing < 0.0
    }
}

/// Number of four-component vectors of a pair on the device.
const PAIR_VECTORS: usize = 10;
/// Number of four-component vectors of a state on the device.
const STATE_VECTORS: usize = 3;
/// Steps of one dispatch: few enough for software adapters. Exact poses are sent before each dispatch.
const DISPATCH_STEPS: usize = 32;

/// A pair in the kernels' form.
type PairFloats = [f32; 4 * PAIR_VECTORS];
/// A state in the kernels' form.
type StateFloats = [f32; 4 * STATE_VECTORS];

impl Schedule {
    fn end_s(&self) -> f64 {
        self.n_steps as f64 * self.step_s
    }

    fn settings(&self) -> super::Settings {
        super::Settings { gain_per_s: self.gain_per_s, step_s: self.step_s, ..super::Settings::default() }
    }

    fn check(&self, n_pairs: usize, n_places: usize) -> Result<()> {
        if n_pairs != n_places {
            return Err(Error::usage(format!("{n_pairs} pairs but {n_places} places")));
        }
        self.settings().check()
    }
}

/// A kernel that follows pairs, on a device.
#[derive(Debug)]
struct Follower {
    gpu: Gpu,
    follow: CompiledKernel,
    indirect_args: CompiledKernel,
    buffers: Buffers,
}

impl Follower {
    fn new(gpu: Gpu, kernel: &Kernel, source: &Source) -> Result<Self> {
        let (follow, indirect_args) = (gpu.compile_source(kernel, source)?, gpu.compile(&INDIRECT_ARGS)?);
        let buffers = Buffers::new(&gpu)?;
        Ok(Self { gpu, follow, indirect_args, buffers })
    }

    /// Follows pairs from time 0; `at` returns them as they are at a time.
    fn run(
        &mut self,
        states: &[StateFloats],
        schedule: &Schedule,
        at: impl Fn(f64) -> Vec<PairFloats>,
    ) -> Result<Vec<StateFloats>> {
        self.buffers.fill(&self.gpu, BufferId::ExtremalStates, states)?;
        for first in (0..schedule.n_steps.max(1)).step_by(DISPATCH_STEPS) {
            let n_steps = DISPATCH_STEPS.min(schedule.n_steps - first.min(schedule.n_steps));
            self.buffers.fill(&self.gpu, BufferId::ExtremalPairs, &at(first as f64 * schedule.step_s))?;
            let (gain, step) = (schedule.gain_per_s as f32, schedule.step_s as f32);
            let settings = [states.len() as u32, n_steps as u32, gain.to_bits(), step.to_bits()];
            self.buffers.fill(&self.gpu, BufferId::ExtremalSettings, &settings)?;
            let size = WorkSize::Invocations(states.len() as u64);
            let dispatch = Dispatch { kernel: &self.follow, routing: 0, size, stage: 0 };
            self.gpu.submit(&self.buffers, &self.indirect_args, &[], &[dispatch], &[])?.wait(&self.gpu)?;
        }
        self.buffers.read(&self.gpu, BufferId::ExtremalStates, states.len())
    }
}

/// Converts two bodies and their motions to the kernels' form, at the start of a dispatch; `spare` is stored next to
/// the origins.
fn to_device(bodies: [[f64; 4]; 2], motions: &[Motion; 2], from_s: f64, step_s: f64, spare: f64) -> PairFloats {
    let [a, b] = motions.map(|m| m.at(from_s));
    let turn = |m: &Motion| DQuat::from_scaled_axis(m.spin_rad_s * (0.5 * step_s));
    let vector = |v: DVec3, w: f64| [v.x, v.y, v.z, w];
    let quaternion = |q: DQuat| [q.x, q.y, q.z, q.w];
    let all = [
        bodies[0],
        bodies[1],
        quaternion(DQuat::from_mat3(&a.rotation).normalize()),
        quaternion(DQuat::from_mat3(&b.rotation).normalize()),
        quaternion(turn(&motions[0])),
        quaternion(turn(&motions[1])),
        vector(b.origin_m - a.origin_m, spare),
        vector(b.velocity_m_s - a.velocity_m_s, 0.0),
        vector(a.spin_rad_s, 0.0),
        vector(b.spin_rad_s, 0.0),
    ];
    let mut out = [0.0; 4 * PAIR_VECTORS];
    out.iter_mut().zip(all.as_flattened()).for_each(|(to, from)| *to = *from as f32);
    out
}
