//! `s1_concat`: motion bounds, concatenated along the tree of the model (Redon et al. 2004, sections 3.3 and 4.1).
//!
//! In: joint motions. Out: a [`PoseBound`] for every piece, body and sub-interval, as pose jets with a ball, as
//! interval matrices, or, only on the CPU, as poses with balls of displacements.

#[cfg(feature = "gpu")]
use super::kernel::{Kernel, kernel};
use super::{Piece, SUBS, Subs};
use crate::arith::linear::{M3, V3};
use crate::arith::real::Real;
use crate::arith::rounding::{UNDERFLOW_F32, UNIT_F32, round_up};
use crate::arith::trig::sin_cos_product;
use crate::arith::vectors::{Vector, Vectorised, part, put, widest};
use crate::enclosure::chain_bounds::ChainBounds;
use crate::enclosure::pose_bound::{IntervalMatrix, PoseBound, PoseEnclosure, TaylorModel};
use crate::enclosure::pose_jet::PoseJet;
use crate::robot::RobotMotion;
use crate::robot::toleranced_motion::travel;

/// Sizes of the blocks of sub-intervals for which balls are given: the jet of a middle sub-interval, with a larger
/// ball, also bounds the poses in a block of this many sub-intervals around it.
pub const SPANS: [usize; 5] = [1, 2, 4, 8, 16];
/// Indices into [`SPANS`] of the balls that kernels use.
pub const DEVICE_SPANS: [usize; 3] = [0, 2, 4];

/// Pose bounds in the order `[piece][body]`, the sub-intervals in lanes.
#[derive(Clone, Debug, Default)]
pub struct Poses {
    /// Number of bodies.
    pub n_bodies: usize,
    /// The bounds.
    pub bounds: Vec<PoseBound<Subs>>,
    /// The balls for blocks of [`SPANS`] sub-intervals, in the same order.
    pub balls: Vec<Balls>,
    /// The margin that all balls contain, metres; zero if it is not known.
    pub margin_m: f64,
}

/// Balls as in [`PoseBound::with_ball`], one for each of [`SPANS`] up to the piece's number of sub-intervals; the rest
/// are not bounds.
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

/// The balls of all bodies over sub-intervals of half width `h` about `mid`, in an arithmetic of relative error `unit`.
/// A block of `n` sub-intervals reaches `n + 1` half widths from the middle of its middle one. An interval matrix
/// contains the motion in its own sub-interval, so its ball is that of the time beyond. A toleranced bound's ball is
/// the largest of its sub-intervals', from velocities in f64, whose error is far below what `unit` allows for those of
/// a device.
pub fn balls(motion: &RobotMotion, form: PoseEnclosure, mid: Subs, h: f64, unit: f64) -> Vec<Balls> {
    let mut out = Vec::with_capacity(motion.chains.len());
    balls_in(&mut out, motion, form, mid, h, unit);
    out
}

fn balls_in(out: &mut Vec<Balls>, motion: &RobotMotion, form: PoseEnclosure, mid: Subs, h: f64, unit: f64) {
    let half_times = SPANS.map(|n| block_half_time(h, n));
    let of_jets = |chain: &ChainBounds| chain.grown_balls(&half_times, unit);
    match form {
        PoseEnclosure::TaylorModel => out.extend(motion.chains.iter().map(of_jets)),
        PoseEnclosure::IntervalMatrix => {
            out.extend(motion.chains.iter().map(|chain| SPANS.map(|n| chain.matrix_ball(block_half_time(h, n) - h))));
        }
        PoseEnclosure::DisplacementBall => {
            motion.taylor_models(mid, h, |body, model| {
                let (chain, size_m) = (&motion.chains[body], &motion.sizes_m[body]);
                let (mut balls, largest) = (of_jets(chain), |x: Subs| x.0.into_iter().fold(0.0, f64::max));
                for (ball, n) in balls.iter_mut().zip(SPANS) {
                    let stray = travel(&model.jet, *size_m, block_half_time(h, n)).map(largest);
                    *ball = [0, 1].map(|k| (ball[k] + stray[k]) * (1.0 + 4.0 * f64::UNIT));
                }
                out.push(balls);
            });
        }
    }
}

/// Distance in time from the middle of the middle sub-interval to the ends of a block of `n` sub-intervals of half
/// width `h`.
fn block_half_time(h: f64, n: usize) -> f64 {
    if n == 1 { h } else { (n + 1) as f64 * h }
}

/// The stage in f64.
pub fn reference(pieces: &[Piece], motions: &[RobotMotion], form: PoseEnclosure) -> Poses {
    let mut out = Poses::default();
    reference_in(&mut out, pieces, motions, form);
    out
}

/// Like [`reference()`], reusing the memory of an earlier result.
pub fn reference_in(out: &mut Poses, pieces: &[Piece], motions: &[RobotMotion], form: PoseEnclosure) {
    out.n_bodies = motions.first().map_or(0, |m| m.joints.len());
    out.balls.clear();
    let margins = motions.iter().flat_map(|m| &m.chains).map(|chain| chain.margin_m);
    out.margin_m = margins.reduce(f64::min).unwrap_or(0.0);
    out.bounds.resize_with(pieces.len() * out.n_bodies, PoseBound::default);
    for (i, piece) in pieces.iter().enumerate() {
        let motion = &motions[piece.motion as usize];
        balls_in(&mut out.balls, motion, form, piece.mid_times(), piece.half_sub(), f64::UNIT);
        let of_piece = i * out.n_bodies..(i + 1) * out.n_bodies;
        let (balls, of_piece) = (&out.balls[of_piece.clone()], &mut out.bounds[of_piece]);
        match form {
            PoseEnclosure::TaylorModel => widest(Jets { motion, piece, balls, out: of_piece }),
            PoseEnclosure::IntervalMatrix | PoseEnclosure::DisplacementBall => {
                let mut bounds = Vec::new();
                motion.bounds(form, piece.mid_times(), piece.half_sub(), &mut bounds);
                of_piece.copy_from_slice(&bounds);
            }
        }
    }
}

/// [`RobotMotion::bounds`] of a piece by jets, eight sub-intervals side by side in registers; the numbers are the same.
struct Jets<'a> {
    motion: &'a RobotMotion,
    piece: &'a Piece,
    balls: &'a [Balls],
    out: &'a mut [PoseBound<Subs>],
}

impl Vectorised for Jets<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        let Self { motion, piece, balls, out } = self;
        let mid = piece.mid_times();
        for (b, joint) in motion.joints.iter().enumerate() {
            let (factors, phase) = (joint.factors::<T>(), motion.phases.get(b));
            let [constant, slope] = balls[b][0];
            let (before, rest) = out.split_at_mut(b);
            let model = taylor_in(&mut rest[0]);
            model.ball = [Subs::new(constant), Subs::new(slope)];
            for i in 0..piece.groups() {
                let t: T = part(&mid, i);
                let mut jet = match phase {
                    None => {
                        let (sin, cos) = sin_cos_product(factors.w, t);
                        factors.jet(sin, cos, t)
                    }
                    Some(phase) => {
                        let [s, first, second] = phase.at(t);
                        let (sin, cos) = sin_cos_product(factors.w, s);
                        factors.jet(sin, cos, s).with_rates(first, second)
                    }
                };
                if let Some(PoseBound::Taylor(parent)) = motion.parents[b].map(|p| &before[p as usize]) {
                    let parent = TaylorModel::<T>::part(parent, i).jet;
                    jet = match phase {
                        None => parent.concatenate(&jet),
                        Some(_) => parent.concatenate_curved_to::<2>(&jet),
                    };
                }
                put_jet(&mut model.jet, i, &jet);
            }
        }
    }
}

/// Bounds the pose of body `b` in the frame of body `a` in a piece, for `[a, b]`: composed from the jets of both in the
/// world. `path` is the chain between them. Returns the balls, or `None` unless both bounds are Taylor models of order
/// two.
pub fn relative(
    out: &mut PoseBound<Subs>,
    poses: &Poses,
    motion: &RobotMotion,
    path: &RobotMotion,
    piece: &Piece,
    bodies: [u32; 2],
) -> Option<Balls> {
    let [a, b] = bodies.map(|body| &poses.bounds[body as usize]);
    let (PoseBound::Taylor(a), PoseBound::Taylor(b)) = (a, b) else { return None };
    let balls = relative_balls(motion, path, piece, bodies, f64::UNIT)?;
    if !matches!(out, PoseBound::Taylor(_)) {
        *out = PoseBound::Taylor(TaylorModel::default());
    }
    if let PoseBound::Taylor(model) = out {
        model.ball = balls[0].map(Subs::new);
        widest(Relative { a, b, groups: piece.groups(), out: &mut model.jet });
    }
    Some(balls)
}

/// The balls of a composed pose, for jets of the bodies in an arithmetic of relative error `unit`. `path` is the chain
/// between the bodies; `None` if it is empty.
pub fn relative_balls(
    motion: &RobotMotion,
    path: &RobotMotion,
    piece: &Piece,
    bodies: [u32; 2],
    unit: f64,
) -> Option<Balls> {
    let (chain, bodies) = (path.chains.last()?, bodies.map(|body| &motion.chains[body as usize]));
    Some(SPANS.map(|n| chain.composed_ball(bodies, block_half_time(piece.half_sub(), n), unit)))
}

/// [`PoseJet::seen_from`], eight sub-intervals side by side in registers.
struct Relative<'a> {
    a: &'a TaylorModel<Subs>,
    b: &'a TaylorModel<Subs>,
    /// Number of groups of eight sub-intervals.
    groups: usize,
    out: &'a mut PoseJet<Subs>,
}

impl Vectorised for Relative<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        for i in 0..self.groups {
            let [a, b] = [self.a, self.b].map(|model| TaylorModel::<T>::part(model, i).jet);
            put_jet(self.out, i, &b.seen_from(&a));
        }
    }
}

#[inline(always)]
fn put_jet<T: Vector>(to: &mut PoseJet<Subs>, i: usize, jet: &PoseJet<T>) {
    for n in 0..3 {
        for r in 0..3 {
            put(&mut to.x[n].0[r], i, jet.x[n].0[r]);
            for c in 0..3 {
                put(&mut to.p[n].0[r][c], i, jet.p[n].0[r][c]);
            }
        }
    }
}

/// The kernel that makes jets.
#[cfg(feature = "gpu")]
pub const JET: Kernel = kernel!("s1_concat", "jet");

/// The kernel that makes interval matrices.
#[cfg(feature = "gpu")]
pub const INTERVAL: Kernel = kernel!("s1_concat", "interval");

/// Number of values of a joint motion on the device: A, B, C, origin, slide, w, and two of padding.
pub const JOINT_FLOATS: usize = 36;
/// Number of values of a pose bound on the device, for each sub-interval.
pub const POSE_FLOATS: usize = 36;

/// The Taylor model in a bound; a bound without one is replaced by a Taylor model.
fn taylor_in(bound: &mut PoseBound<Subs>) -> &mut TaylorModel<Subs> {
    if !matches!(bound, PoseBound::Taylor(_)) {
        *bound = PoseBound::default();
    }
    match bound {
        PoseBound::Taylor(model) => model,
        PoseBound::Interval(_) => unreachable!("it was replaced"),
    }
}

/// A pose bound as the kernels store it: three vectors and three matrices. Interval matrices use the first two of each,
/// as midpoint and radius.
type DevicePose = ([V3<Subs>; 3], [M3<Subs>; 3]);

impl Poses {
    /// The bounds as the kernels store them. Rounding to nearest is covered by the balls of the device's arithmetic;
    /// radii of interval matrices are rounded up.
    pub fn to_device(&self) -> Vec<f32> {
        let mut out = Vec::with_capacity(self.bounds.len() * POSE_FLOATS * SUBS);
        for bound in &self.bounds {
            let ((x, p), has_radii): (DevicePose, bool) = match bound {
                PoseBound::Taylor(TaylorModel { jet: PoseJet { x, p }, .. }) => ((*x, *p), false),
                PoseBound::Interval(m) => (([m.x, m.x_radius, V3::zero()], [m.p, m.p_radius, M3::zero()]), true),
            };
            let mut put = |value: &Subs, middle: &Subs, is_radius: bool| {
                for (v, m) in value.0.iter().zip(&middle.0) {
                    out.push(if is_radius { round_up(v + m.abs() * UNIT_F32) } else { *v as f32 });
                }
            };
            for n in 0..3 {
                for i in 0..3 {
                    put(&x[n].0[i], &x[0].0[i], has_radii && n == 1);
                }
            }
            for n in 0..3 {
                for i in 0..3 {
                    for j in 0..3 {
                        put(&p[n].0[i][j], &p[0].0[i][j], has_radii && n == 1);
                    }
                }
            }
        }
        out
    }

    /// The bounds stored by the kernels for some pieces, with the balls of the device's arithmetic.
    pub fn from_device(floats: &[f32], pieces: &[Piece], motions: &[RobotMotion], form: PoseEnclosure) -> Self {
        let n_bodies = motions.first().map_or(0, |m| m.joints.len());
        let mut out = Self { n_bodies, ..Self::default() };
        let mut lanes = floats.chunks_exact(SUBS).map(|c| Subs::from_fn(|i| f64::from(c[i])));
        let mut next = || lanes.next().unwrap_or_default();
        for piece in pieces {
            let motion = &motions[piece.motion as usize];
            for balls in balls(motion, form, piece.mid_times(), piece.half_sub(), UNIT_F32) {
                let x = [(); 3].map(|()| V3([next(), next(), next()]));
                let p = [(); 3].map(|()| M3([(); 3].map(|()| [next(), next(), next()])));
                let ball = balls[0].map(|b| Subs::new(b + UNDERFLOW_F32));
                out.bounds.push(match form {
                    PoseEnclosure::TaylorModel | PoseEnclosure::DisplacementBall => {
                        PoseBound::Taylor(TaylorModel { jet: PoseJet { x, p }, ball })
                    }
                    PoseEnclosure::IntervalMatrix => {
                        PoseBound::Interval(IntervalMatrix { x: x[0], p: p[0], x_radius: x[1], p_radius: p[1], ball })
                    }
                });
                out.balls.push(balls);
            }
        }
        out
    }
}
