//! The input of the kernels: the pieces of a chunk and the motions of their joints.

use crate::arith::interval::sin_cos_range;
use crate::arith::rounding::{UNDERFLOW_F32, UNIT_F32, round_down, round_up};
use crate::arith::trig::sin_cos_product;
use crate::enclosure::pose_bound::PoseEnclosure;
use crate::error::Result;
use crate::gpu::{BufferId, Buffers, Gpu};
use crate::robot::RobotMotion;
use crate::scene::world::CollisionWorld;
use crate::stage::s1_concat::{DEVICE_SPANS, JOINT_FLOATS, balls};
use crate::stage::{Piece, SUBS, layout};
use bytemuck::Zeroable;
use rayon::prelude::*;

/// Smallest number of pieces or motions for which a thread computes the input.
const MIN_PER_THREAD: usize = 64;

/// The input of the kernels of all stages for a chunk. Sines and cosines are computed here in f64, because WGSL's have
/// no usable error bound.
#[derive(Debug)]
pub(super) struct Arrays {
    pieces: Vec<layout::Piece>,
    joints: Vec<f32>,
    /// Values for [`BufferId::Angles`] or [`BufferId::AngleRanges`].
    angles: (BufferId, Vec<f32>),
    moving_links: Vec<layout::MovingLink>,
}

impl Arrays {
    /// Computes the input for some pieces on the given threads.
    pub(super) fn of(
        world: &CollisionWorld,
        pieces: &[Piece],
        motions: &[RobotMotion],
        form: PoseEnclosure,
        threads: Threads,
    ) -> Self {
        let on_device = pieces.iter().map(|p| layout::Piece {
            motion: p.motion,
            index: p.index,
            t0: p.t0 as f32,
            h: p.half_sub() as f32,
        });
        let of = |p: &Piece| &motions[p.motion as usize];
        let n_joints = world.robot.bodies.len();
        let angles = match form {
            PoseEnclosure::TaylorModel | PoseEnclosure::DisplacementBall => {
                let write = |p: &Piece, out: &mut [f32]| angles(of(p), p, out);
                (BufferId::Angles, in_blocks(pieces, 2 * SUBS * n_joints, threads, write))
            }
            PoseEnclosure::IntervalMatrix => {
                let write = |p: &Piece, out: &mut [f32]| angle_ranges(of(p), p, out);
                (BufferId::AngleRanges, in_blocks(pieces, 4 * SUBS * n_joints, threads, write))
            }
        };
        let write = |p: &Piece, out: &mut [layout::MovingLink]| moving_links(world, of(p), p, form, out);
        Self {
            pieces: on_device.collect(),
            joints: in_blocks(motions, n_joints * JOINT_FLOATS, threads, joints),
            angles,
            moving_links: in_blocks(pieces, world.links.len(), threads, write),
        }
    }

    /// Writes the input into buffers.
    ///
    /// # Errors
    /// As [`Buffers::reserve`].
    pub(super) fn write(&self, gpu: &Gpu, buffers: &mut Buffers) -> Result<()> {
        let Self { pieces, joints, angles: (id, angles), moving_links } = self;
        buffers.fill(gpu, BufferId::Pieces, pieces)?;
        buffers.fill(gpu, BufferId::Joints, joints)?;
        buffers.fill(gpu, *id, angles)?;
        buffers.fill(gpu, BufferId::MovingLinks, moving_links)
    }
}

/// The threads that compute [`Arrays`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threads {
    /// The current thread.
    Own,
    /// All threads of the current rayon pool.
    Pool,
}

/// Blocks of `n` values, one for each of the `items`, which `write` computes.
fn in_blocks<I: Sync, T: Zeroable + Copy + Send>(
    items: &[I],
    n: usize,
    threads: Threads,
    write: impl Fn(&I, &mut [T]) + Sync,
) -> Vec<T> {
    let mut all = vec![T::zeroed(); items.len() * n];
    let write = |(block, item): (&mut [T], &I)| write(item, block);
    match threads {
        Threads::Own => all.chunks_mut(n.max(1)).zip(items).for_each(write),
        Threads::Pool => all.par_chunks_mut(n.max(1)).zip(items).with_min_len(MIN_PER_THREAD).for_each(write),
    }
    all
}

/// The motions of the joints: three matrices, origin and slide, angular velocity.
fn joints(motion: &RobotMotion, out: &mut [f32]) {
    for (joint, out) in motion.joints.iter().zip(out.chunks_exact_mut(JOINT_FLOATS)) {
        let matrices = [joint.a, joint.b, joint.c].map(|m| m.transpose().to_cols_array());
        let vectors = [joint.origin_m, joint.slide_m].map(|v| v.to_array());
        let values = matrices.as_flattened().iter().chain(vectors.as_flattened()).chain([&joint.w_rad]);
        out.iter_mut().zip(values).for_each(|(to, x)| *to = *x as f32);
    }
}

/// Sine and cosine of each joint's angle in the middle of each sub-interval.
fn angles(motion: &RobotMotion, piece: &Piece, out: &mut [f32]) {
    let times = piece.mid_times().0;
    for (joint, of_joint) in motion.joints.iter().zip(out.chunks_exact_mut(2 * SUBS)) {
        for (t, out) in times.iter().zip(of_joint.chunks_exact_mut(2)) {
            let (sin, cos) = sin_cos_product(joint.w_rad, *t);
            out.copy_from_slice(&[sin as f32, cos as f32]);
        }
    }
}

/// Bounds on sine and cosine of each joint's angle in each sub-interval.
fn angle_ranges(motion: &RobotMotion, piece: &Piece, out: &mut [f32]) {
    let (times, h) = (piece.mid_times().0, piece.half_sub());
    for (joint, of_joint) in motion.joints.iter().zip(out.chunks_exact_mut(4 * SUBS)) {
        for (t, out) in times.iter().zip(of_joint.chunks_exact_mut(4)) {
            let (sin, cos) = sin_cos_range(joint.w_rad, t - h, t + h);
            out.copy_from_slice(&[round_down(sin.lo), round_up(sin.hi), round_down(cos.lo), round_up(cos.hi)]);
        }
    }
}

/// The links in a piece.
fn moving_links(
    world: &CollisionWorld,
    motion: &RobotMotion,
    piece: &Piece,
    form: PoseEnclosure,
    out: &mut [layout::MovingLink],
) {
    let balls = balls(motion, form, piece.mid_times(), piece.half_sub(), UNIT_F32);
    for ((i, link), out) in world.links.iter().enumerate().zip(out) {
        *out = layout::MovingLink {
            balls: DEVICE_SPANS
                .map(|k| balls[link.body as usize][k])
                .map(|[c, slope]| round_up(c + slope * link.reach_m + UNDERFLOW_F32))
                .into(),
            h: piece.half_sub() as f32,
            body: link.body,
            motion: piece.motion,
            index: piece.index,
            link: i as u32,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_do_not_depend_on_the_threads() {
        let items: Vec<u32> = (0..1000).collect();
        let write = |i: &u32, out: &mut [u32]| out.iter_mut().zip(0..).for_each(|(to, k)| *to = 10 * i + k);
        let blocks = [Threads::Own, Threads::Pool].map(|threads| in_blocks(&items, 3, threads, write));
        assert_eq!(blocks[0], blocks[1]);
        assert_eq!((blocks[0].len(), &blocks[0][2997..]), (3000, &[9990, 9991, 9992][..]));
        // Robots without links, and chunks without pieces.
        assert_eq!(in_blocks(&items, 0, Threads::Pool, write), [0; 0]);
        assert_eq!(in_blocks(&[], 3, Threads::Own, write), [0; 0]);
    }
}
