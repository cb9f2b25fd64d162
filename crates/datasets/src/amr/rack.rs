//! The pipe rack above the arm: two levels of parallel pipes, their hangers, and drops to the floor.

use super::machinery::Machines;
use super::room::{CEILING_M, FLOOR_M, HALF_M, Room, v};
use crate::parts::assembly::Assembly;
use crate::parts::frame::Frame;
use crate::parts::piping::{Bore, tee};
use crate::parts::shapes::Step::To;
use crate::parts::structure::trapeze;
use crate::puma;
use glam::DVec3;

/// The heights of the rack's two levels, on which the pipes rest, metres.
pub(super) const RACK_M: [f64; 2] = [1.14, 1.39];
/// Positions of the pipes on the lower level: y, metres. They run along x.
const LANES_Y: [f64; 9] = [-0.68, -0.55, -0.42, -0.28, 0.2, 0.33, 0.46, 0.6, 0.74];
/// Positions of the pipes on the upper level: x, metres. They run along y.
const LANES_X: [f64; 8] = [-0.78, -0.6, -0.46, -0.3, 0.26, 0.42, 0.56, 0.8];
/// Outer radii of pipes in the rack, metres.
pub(super) const RADII_M: [f64; 5] = [0.017, 0.022, 0.028, 0.034, 0.042];

/// A pipe of the rack.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    /// y on the lower level, x on the upper one.
    pub(super) at: f64,
    /// Height of its axis, metres.
    pub(super) z: f64,
    pub(super) bore: Bore,
}

/// Pipes along x from wall to wall.
pub(super) fn lower(room: &mut Room) -> Vec<Lane> {
    let x = HALF_M[0] + 0.04;
    LANES_Y
        .iter()
        .enumerate()
        .map(|(k, &y)| {
            let bore = Bore::new(room.random.pick(&RADII_M));
            let lane = Lane { at: room.near(y, 0.01), z: RACK_M[0] + bore.radius, bore };
            let aside = 0.19 * (k % 4) as f64;
            let valves = [room.near(if k % 2 == 0 { 0.8 } else { 3.1 }, 0.05) + aside];
            let stem = if room.random.chance(0.5) { DVec3::Z } else { DVec3::Y * -y.signum() };
            room.line(&[v(-x, lane.at, lane.z), v(x, lane.at, lane.z)], bore, &valves, stem);
            lane
        })
        .collect()
}

/// Pipes along y from the north wall; at their south ends they bend down to the floor.
pub(super) fn upper(room: &mut Room) -> Vec<Lane> {
    let y = HALF_M[1];
    LANES_X
        .iter()
        .enumerate()
        .map(|(k, &x)| {
            let bore = Bore::new(room.random.pick(&RADII_M));
            let lane = Lane { at: room.near(x, 0.01), z: RACK_M[1] + bore.radius, bore };
            let south = -y + 0.2 + 0.06 * (k % 3) as f64;
            let path = [v(lane.at, y + 0.04, lane.z), v(lane.at, south, lane.z), v(lane.at, south, FLOOR_M - 0.02)];
            let aside = 0.2 * (k % 4) as f64;
            let valves = [room.near(0.7, 0.05) + aside, room.near(4.0, 0.05) + 0.7 * aside];
            room.line(&path, bore, &valves, DVec3::new(-x.signum(), 0.0, 0.3));
            lane
        })
        .collect()
}

/// The hangers of the rack.
pub(super) fn hangers(room: &mut Room) {
    for x in [-1.75, -0.95, -0.12, 0.9, 1.6, 2.1] {
        room.add(trapeze(v(x, -0.76, RACK_M[0]), v(x, 0.82, RACK_M[0]), CEILING_M));
    }
    for y in [-1.35, -0.48, 0.52, 1.3] {
        room.add(trapeze(v(-0.9, y, RACK_M[1]), v(-0.2, y, RACK_M[1]), CEILING_M));
        room.add(trapeze(v(0.18, y, RACK_M[1]), v(0.9, y, RACK_M[1]), CEILING_M));
    }
}

/// The lane nearest to a position.
pub(super) fn nearest(lanes: &[Lane], at: f64) -> Lane {
    beside(lanes, at, at, 0.0)
}

/// The lane nearest to `at` among those that are far enough from `from` for a jog of two bends.
pub(super) fn beside(lanes: &[Lane], at: f64, from: f64, jog: f64) -> Lane {
    let gap = |lane: &Lane| (lane.at - at).abs() + if (lane.at - from).abs() < jog { 10.0 } else { 0.0 };
    lanes.iter().copied().min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap_or(Lane {
        at,
        z: RACK_M[0],
        bore: Bore::new(RADII_M[0]),
    })
}

/// A tee where a branch leaves a lane of the lower level downward.
pub(super) fn tee_below(lane: Lane, x: f64, branch: Bore) -> Assembly {
    tee(Frame::oriented(v(x, lane.at, lane.z), DVec3::X, DVec3::NEG_Z), lane.bore, branch)
}

/// Adds thin pipes from the rack down to funnels in the floor, all around the arm, each with a valve.
pub(super) fn drops(room: &mut Room, machines: &Machines, lower: &[Lane]) {
    let mut placed: Vec<DVec3> = Vec::new();
    for _ in 0..4000 {
        if placed.len() == N_DROPS {
            break;
        }
        let foot = v(room.near(0.0, 0.95), room.near(0.0, 0.85), 0.0);
        let clear = |f: &[f64; 4]| {
            let m = 0.03;
            !(foot.x > f[0] - m && foot.x < f[2] + m && foot.y > f[1] - m && foot.y < f[3] + m)
        };
        let lane = lower[room.random.below(lower.len())];
        let apart = placed.iter().all(|p| (*p - foot).length() > 0.13);
        // The jog to the lane must also keep clear of the arm's column.
        let jog = v(foot.x, 0.0f64.clamp(foot.y.min(lane.at), foot.y.max(lane.at)), 0.0);
        let across = |p: DVec3| (p.x * p.x + p.y * p.y).sqrt();
        let far = across(foot) > puma::COLUMN_M + 0.1 && across(jog) > puma::COLUMN_M + 0.05;
        let jog_length = (lane.at - foot.y).abs();
        if !(machines.footprints.iter().all(clear) && apart && far && jog_length > 0.08 && jog_length < 0.45) {
            continue;
        }
        placed.push(foot);
        let bore = Bore::new(room.random.pick(&[0.009, 0.011, 0.014, 0.018]));
        let height = room.near(0.9, 0.13);
        let path = [
            v(foot.x, lane.at, lane.z),
            v(foot.x, lane.at, height),
            v(foot.x, foot.y, height),
            v(foot.x, foot.y, FLOOR_M - 0.02),
        ];
        // Perpendicular to the direction to the arm: wheels are at the side of the pipe, and gauges face outward.
        let stem = foot.cross(DVec3::NEG_Z);
        let valve = lane.z - height + jog_length + room.near(0.4, 0.14);
        room.line(&path, bore, &[valve], stem);
        room.add(tee_below(lane, foot.x, bore));
        let mut funnel = Assembly::new("funnel");
        let (neck, mouth) = (1.2 * bore.radius + 0.01, 2.6 * bore.radius + 0.02);
        funnel.lathe(Frame::at(foot.x, foot.y, FLOOR_M), &[To(0.0, neck), To(0.05, neck), To(0.09, mouth)]);
        room.add(funnel);
    }
}

/// The number of drops.
const N_DROPS: usize = 30;
