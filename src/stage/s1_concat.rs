//! `s1_concat`: motion bounds, concatenated along the tree of the model (Redon et al. 2004, sections 3.3 and 4.1).
//!
//! In: joint motions. Out: a [`PoseBound`] for every piece, body and sub-interval, as pose jets with a ball, as interval
//! matrices, or, on the CPU alone, as poses with balls of displacements.

use super::{Piece, SUBS, Subs};
use crate::error::Result;
use crate::gpu::layout::{self, round_up};
use crate::gpu::{Access, Buffers, Gpu, Kernel, Slot, bind};
use crate::model::world::{MAX_COORDINATE_M, World};
use crate::motion::ModelMotion;
use crate::motion::toleranced::travel;
use crate::numeric::interval::sin_cos_range;
use crate::numeric::linear::{M3, V3};
use crate::numeric::pose_bound::{BoundForm, ChainBounds, PoseBound, PoseJet};
use crate::numeric::real::Real;
use crate::numeric::trig::sin_cos_product;
use crate::numeric::vectors::{Vector, Vectorised, WIDTH, part, put, widest};

/// The jet of a middle sub-interval also bounds the poses of a block of sub-intervals around it, with a larger ball:
/// balls are given for blocks of up to this many.
pub const SPANS: [usize; 3] = [1, 4, 16];

/// Pose bounds in the order `[piece][body]`, the sub-intervals in lanes.
#[derive(Clone, Debug, Default)]
pub struct Poses {
    /// Number of bodies.
    pub n_bodies: usize,
    /// The bounds.
    pub bounds: Vec<PoseBound<Subs>>,
    /// For the same pieces and bodies, the balls for blocks of [`SPANS`] sub-intervals.
    pub balls: Vec<Balls>,
}

/// Balls as in [`PoseBound::ball`], one for each of [`SPANS`].
pub type Balls = [[f64; 2]; SPANS.len()];

impl Poses {
    /// The bounds of one piece, body by body.
    pub fn piece(&self, piece: usize) -> &[PoseBound<Subs>] {
        &self.bounds[piece * self.n_bodies..(piece + 1) * self.n_bodies]
    }

    /// The balls of a body in a piece.
    pub fn balls(&self, piece: usize, body: usize) -> Balls {
        self.balls[piece * self.n_bodies + body]
    }
}

/// The balls of all bodies over sub-intervals of half width `h` about `mid`, in an arithmetic of relative error `unit`. A block of `n`
/// sub-intervals reaches `n + 1` half widths from the middle of its middle one. Interval matrices say nothing beyond their own
/// sub-interval. A toleranced bound's ball is the largest of its sub-intervals', from velocities in f64: what these are off is far
/// below what `unit` allows for those of a device.
pub fn balls(motion: &ModelMotion, form: BoundForm, mid: Subs, h: f64, unit: f64) -> Vec<Balls> {
    let mut out = Vec::with_capacity(motion.chains.len());
    balls_in(&mut out, motion, form, mid, h, unit);
    out
}

fn balls_in(out: &mut Vec<Balls>, motion: &ModelMotion, form: BoundForm, mid: Subs, h: f64, unit: f64) {
    let reach = |n: usize| if n == 1 { h } else { (n + 1) as f64 * h };
    let of_jets = |chain: &ChainBounds| SPANS.map(|n| chain.grown_ball(reach(n), unit));
    match form {
        BoundForm::Jet => out.extend(motion.chains.iter().map(of_jets)),
        BoundForm::Interval => {
            let widest = |chain: &ChainBounds, n| if n == 1 { chain.margin_m } else { MAX_COORDINATE_M };
            out.extend(motion.chains.iter().map(|c| SPANS.map(|n| [widest(c, n), 0.0])));
        }
        BoundForm::Toleranced => {
            let mut jets = Vec::new();
            motion.bounds(BoundForm::Jet, mid, h, &mut jets);
            let bodies = jets.iter().zip(&motion.chains).zip(&motion.sizes_m);
            let of_body = |((bound, chain), size_m): ((&PoseBound<Subs>, &ChainBounds), &f64)| {
                let (mut balls, largest) = (of_jets(chain), |x: Subs| x.0.into_iter().fold(0.0, f64::max));
                for (ball, n) in balls.iter_mut().zip(SPANS) {
                    let stray = travel(&bound.jet, *size_m, reach(n)).map(largest);
                    *ball = [0, 1].map(|k| (ball[k] + stray[k]) * (1.0 + 4.0 * f64::UNIT));
                }
                balls
            };
            out.extend(bodies.map(of_body));
        }
    }
}

/// The stage in f64.
pub fn reference(pieces: &[Piece], motions: &[ModelMotion], form: BoundForm) -> Poses {
    let mut out = Poses::default();
    reference_in(&mut out, pieces, motions, form);
    out
}

/// The same, into memory that was used before.
pub fn reference_in(out: &mut Poses, pieces: &[Piece], motions: &[ModelMotion], form: BoundForm) {
    out.n_bodies = motions.first().map_or(0, |m| m.joints.len());
    out.balls.clear();
    out.bounds.resize_with(pieces.len() * out.n_bodies, PoseBound::default);
    for (i, piece) in pieces.iter().enumerate() {
        let motion = &motions[piece.motion as usize];
        let of_piece = &mut out.bounds[i * out.n_bodies..(i + 1) * out.n_bodies];
        match form {
            BoundForm::Jet => widest(Jets { motion, piece, out: of_piece }),
            BoundForm::Interval | BoundForm::Toleranced => {
                let mut bounds = Vec::new();
                motion.bounds(form, piece.mid_times(), piece.half_sub(), &mut bounds);
                of_piece.copy_from_slice(&bounds);
            }
        }
        balls_in(&mut out.balls, motion, form, piece.mid_times(), piece.half_sub(), f64::UNIT);
    }
}

/// [`ModelMotion::bounds`] of a piece by jets, eight sub-intervals side by side in registers: the same numbers.
struct Jets<'a> {
    motion: &'a ModelMotion,
    piece: &'a Piece,
    out: &'a mut [PoseBound<Subs>],
}

impl Vectorised for Jets<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        let Self { motion, piece, out } = self;
        let (mid, h) = (piece.mid_times(), piece.half_sub());
        for (b, joint) in motion.joints.iter().enumerate() {
            let factors = joint.factors::<T>();
            let [constant, slope] = motion.chains[b].grown_ball(h, f64::UNIT);
            out[b].form = BoundForm::Jet;
            out[b].ball = [Subs::new(constant), Subs::new(slope)];
            for i in 0..SUBS / WIDTH {
                let t: T = part(&mid, i);
                let (sin, cos) = sin_cos_product(factors.w, t);
                let mut jet = factors.jet(sin, cos, t);
                if let Some(p) = motion.parents[b] {
                    jet = PoseBound::<T>::part(&out[p as usize], i).jet.concatenate(&jet);
                }
                let to = &mut out[b].jet;
                for n in 0..3 {
                    for r in 0..3 {
                        put(&mut to.x[n].0[r], i, jet.x[n].0[r]);
                        for c in 0..3 {
                            put(&mut to.p[n].0[r][c], i, jet.p[n].0[r][c]);
                        }
                    }
                }
            }
        }
    }
}

const SOURCE: &str = include_str!("../../wgsl/s1_concat.wgsl");

/// The kernel for jets.
pub const JET: Kernel = Kernel {
    stem: "s1_concat",
    source: SOURCE,
    entry: "jet",
    workgroup: 64,
    bindings: &[
        bind(0, "chunk", Access::Uniform, Slot::Chunk),
        bind(1, "pieces", Access::Read, Slot::Pieces),
        bind(2, "parents", Access::Read, Slot::Parents),
        bind(3, "joints", Access::Read, Slot::Joints),
        bind(4, "angles", Access::Read, Slot::Angles),
        bind(5, "poses", Access::ReadWrite, Slot::Poses),
    ],
    has_pass: false,
};

/// The kernel for interval matrices.
pub const INTERVAL: Kernel = Kernel {
    entry: "interval",
    bindings: &[
        bind(0, "chunk", Access::Uniform, Slot::Chunk),
        bind(1, "pieces", Access::Read, Slot::Pieces),
        bind(2, "parents", Access::Read, Slot::Parents),
        bind(3, "joints", Access::Read, Slot::Joints),
        bind(4, "angle_ranges", Access::Read, Slot::Angles),
        bind(5, "poses", Access::ReadWrite, Slot::Poses),
    ],
    ..JET
};

/// Numbers of a joint motion on the device: A, B, C, origin, slide, w, and two of padding.
pub const JOINT_FLOATS: usize = 36;
/// Numbers of a pose bound on the device, for each sub-interval.
pub const POSE_FLOATS: usize = 36;

/// Uploads what the kernels of all stages need of the pieces and their motions. Sines and cosines are computed here in
/// f64: WGSL's own have no usable bound.
///
/// # Errors
/// The device has not enough memory.
pub fn upload(
    gpu: &Gpu,
    buffers: &mut Buffers,
    world: &World,
    pieces: &[Piece],
    motions: &[ModelMotion],
    form: BoundForm,
) -> Result<()> {
    let of = |p: &Piece| &motions[p.motion as usize];
    let on_device = pieces.iter().map(|p| layout::Piece {
        motion: p.motion,
        index: p.index,
        t0: p.t0 as f32,
        h: p.half_sub() as f32,
    });
    buffers.fill(gpu, Slot::Pieces, &on_device.collect::<Vec<_>>())?;
    let mut joints = Vec::with_capacity(motions.len() * world.robot.bodies.len() * JOINT_FLOATS);
    for joint in motions.iter().flat_map(|m| &m.joints) {
        for m in [joint.a, joint.b, joint.c] {
            joints.extend(m.transpose().to_cols_array().map(|x| x as f32));
        }
        for v in [joint.origin_m, joint.slide_m] {
            joints.extend(v.to_array().map(|x| x as f32));
        }
        joints.extend([joint.w_rad as f32, 0.0, 0.0]);
    }
    buffers.fill(gpu, Slot::Joints, &joints)?;
    let mut angles: Vec<f32> = Vec::new();
    for p in pieces {
        for joint in &of(p).joints {
            for t in p.mid_times().0 {
                match form {
                    BoundForm::Jet | BoundForm::Toleranced => {
                        let (sin, cos) = sin_cos_product(joint.w_rad, t);
                        angles.extend([sin as f32, cos as f32]);
                    }
                    BoundForm::Interval => {
                        let (sin, cos) = sin_cos_range(joint.w_rad, t - p.half_sub(), t + p.half_sub());
                        let outward = |lo: f64, hi: f64| [layout::round_down(lo), round_up(hi)];
                        angles.extend(outward(sin.lo, sin.hi));
                        angles.extend(outward(cos.lo, cos.hi));
                    }
                }
            }
        }
    }
    buffers.fill(gpu, Slot::Angles, &angles)?;
    let moving = pieces.iter().flat_map(|p| {
        let balls = balls(of(p), form, p.mid_times(), p.half_sub(), layout::UNIT);
        world.links.iter().enumerate().map(move |(i, link)| layout::MovingLink {
            balls: balls[link.body as usize]
                .map(|[c, slope]| round_up(c + slope * link.reach_m + layout::UNDERFLOW))
                .into(),
            h: p.half_sub() as f32,
            body: link.body,
            motion: p.motion,
            index: p.index,
            link: i as u32,
        })
    });
    buffers.fill(gpu, Slot::Moving, &moving.collect::<Vec<_>>())
}

impl Poses {
    /// The bounds as the kernels store them. Rounding to nearest is within what the device's own ball allows for its
    /// arithmetic; half widths of interval matrices are rounded up.
    pub fn to_device(&self) -> Vec<f32> {
        let mut out = Vec::with_capacity(self.bounds.len() * POSE_FLOATS * SUBS);
        for bound in &self.bounds {
            let PoseJet { x, p } = &bound.jet;
            let widths = bound.form == BoundForm::Interval;
            let mut put = |value: &Subs, middle: &Subs, is_width: bool| {
                for (v, m) in value.0.iter().zip(&middle.0) {
                    out.push(if is_width { round_up(v + m.abs() * layout::UNIT) } else { *v as f32 });
                }
            };
            for n in 0..3 {
                for i in 0..3 {
                    put(&x[n].0[i], &x[0].0[i], widths && n == 1);
                }
            }
            for n in 0..3 {
                for i in 0..3 {
                    for j in 0..3 {
                        put(&p[n].0[i][j], &p[0].0[i][j], widths && n == 1);
                    }
                }
            }
        }
        out
    }

    /// The bounds that the kernels have stored for these pieces, with the balls that belong to the device's arithmetic.
    pub fn from_device(floats: &[f32], pieces: &[Piece], motions: &[ModelMotion], form: BoundForm) -> Self {
        let n_bodies = motions.first().map_or(0, |m| m.joints.len());
        let mut out = Self { n_bodies, ..Self::default() };
        let mut lanes = floats.chunks_exact(SUBS).map(|c| Subs::from_fn(|i| f64::from(c[i])));
        let mut next = || lanes.next().unwrap_or_default();
        for piece in pieces {
            let motion = &motions[piece.motion as usize];
            for balls in balls(motion, form, piece.mid_times(), piece.half_sub(), layout::UNIT) {
                let x = [(); 3].map(|()| V3([next(), next(), next()]));
                let p = [(); 3].map(|()| M3([(); 3].map(|()| [next(), next(), next()])));
                let ball = balls[0].map(|b| Subs::new(b + layout::UNDERFLOW));
                out.bounds.push(PoseBound { form, jet: PoseJet { x, p }, ball });
                out.balls.push(balls);
            }
        }
        out
    }
}
