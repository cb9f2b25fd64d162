//! Uploading the pieces of a chunk and the motions of their joints.

use crate::arith::interval::sin_cos_range;
use crate::arith::rounding::{UNDERFLOW_F32, UNIT_F32, round_down, round_up};
use crate::arith::trig::sin_cos_product;
use crate::enclosure::pose_bound::PoseEnclosure;
use crate::error::Result;
use crate::gpu::{BufferId, Buffers, Gpu};
use crate::robot::RobotMotion;
use crate::scene::world::CollisionWorld;
use crate::stage::s1_concat::{DEVICE_SPANS, JOINT_FLOATS, balls};
use crate::stage::{Piece, layout};

/// Uploads the input of the kernels of all stages. Sines and cosines are computed here in f64, because WGSL's have no
/// usable error bound.
pub(super) fn upload(
    gpu: &Gpu,
    buffers: &mut Buffers,
    world: &CollisionWorld,
    pieces: &[Piece],
    motions: &[RobotMotion],
    form: PoseEnclosure,
) -> Result<()> {
    let of = |p: &Piece| &motions[p.motion as usize];
    let on_device = pieces.iter().map(|p| layout::Piece {
        motion: p.motion,
        index: p.index,
        t0: p.t0 as f32,
        h: p.half_sub() as f32,
    });
    buffers.fill(gpu, BufferId::Pieces, &on_device.collect::<Vec<_>>())?;
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
    buffers.fill(gpu, BufferId::Joints, &joints)?;
    let mut angles: Vec<f32> = Vec::new();
    for p in pieces {
        for joint in &of(p).joints {
            for t in p.mid_times().0 {
                match form {
                    PoseEnclosure::TaylorModel | PoseEnclosure::DisplacementBall => {
                        let (sin, cos) = sin_cos_product(joint.w_rad, t);
                        angles.extend([sin as f32, cos as f32]);
                    }
                    PoseEnclosure::IntervalMatrix => {
                        let (sin, cos) = sin_cos_range(joint.w_rad, t - p.half_sub(), t + p.half_sub());
                        let outward = |lo: f64, hi: f64| [round_down(lo), round_up(hi)];
                        angles.extend(outward(sin.lo, sin.hi));
                        angles.extend(outward(cos.lo, cos.hi));
                    }
                }
            }
        }
    }
    let id = if form == PoseEnclosure::IntervalMatrix { BufferId::AngleRanges } else { BufferId::Angles };
    buffers.fill(gpu, id, &angles)?;
    let moving = pieces.iter().flat_map(|p| {
        let balls = balls(of(p), form, p.mid_times(), p.half_sub(), UNIT_F32);
        world.links.iter().enumerate().map(move |(i, link)| layout::MovingLink {
            balls: DEVICE_SPANS
                .map(|k| balls[link.body as usize][k])
                .map(|[c, slope]| round_up(c + slope * link.reach_m + UNDERFLOW_F32))
                .into(),
            h: p.half_sub() as f32,
            body: link.body,
            motion: p.motion,
            index: p.index,
            link: i as u32,
        })
    });
    buffers.fill(gpu, BufferId::MovingLinks, &moving.collect::<Vec<_>>())
}
