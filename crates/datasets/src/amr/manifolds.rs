//! Two manifolds within the arm's reach: a lower and an upper header, five branches with valves between them, and a
//! stand.

use super::rack::{Lane, nearest, tee_below};
use super::room::{FLOOR_M, Room, v};
use crate::parts::assembly::Assembly;
use crate::parts::frame::Frame;
use crate::parts::piping::{Bore, Finish, blind_flange, tee};
use glam::DVec3;

/// A manifold parallel to y; lengths in metres.
struct Manifold {
    x: f64,
    /// Heights of the lower and the upper header.
    heights: [f64; 2],
    /// The coordinate y of the end of the lower header that enters the floor.
    drain_y: f64,
    /// The coordinates y of the closed ends of the lower and the upper header.
    closed_y: [f64; 2],
    /// The lane nearest to this coordinate y feeds the manifold.
    feed_y: f64,
    header: Bore,
    branch: Bore,
    /// The coordinate y of the first of the five branches, and the distance between branches.
    branches_y: [f64; 2],
    /// Distance of the valve on each branch from the branch's lower end.
    valve: f64,
    /// Direction of the hand wheels: towards the arm.
    stem: DVec3,
}

pub(super) fn build(room: &mut Room, lower: &[Lane]) {
    let east = Manifold {
        x: room.near(0.68, 0.01),
        heights: [room.near(0.3, 0.01), room.near(0.94, 0.01)],
        drain_y: -0.45,
        closed_y: [0.46, -0.46],
        feed_y: 0.6,
        header: Bore::tight(0.034, 0.07),
        branch: Bore::new(0.019),
        branches_y: [-0.34, 0.17],
        valve: 0.34,
        stem: DVec3::NEG_X,
    };
    // Located above the pump.
    let west = Manifold {
        x: room.near(-0.64, 0.01),
        heights: [room.near(0.6, 0.01), room.near(0.98, 0.01)],
        drain_y: -0.36,
        closed_y: [0.44, 0.46],
        feed_y: -0.42,
        header: Bore::tight(0.028, 0.06),
        branch: Bore::new(0.015),
        branches_y: [-0.24, 0.15],
        valve: 0.2,
        stem: DVec3::X,
    };
    for manifold in [east, west] {
        manifold.build(room, lower);
    }
}

impl Manifold {
    fn build(&self, room: &mut Room, lower: &[Lane]) {
        let (x, [low, high]) = (self.x, self.heights);
        let lane = nearest(lower, self.feed_y);
        let drain = [v(x, self.closed_y[0], low), v(x, self.drain_y, low), v(x, self.drain_y, FLOOR_M - 0.02)];
        let feed = [v(x, self.closed_y[1], high), v(x, lane.at, high), v(x, lane.at, lane.z)];
        for path in [drain, feed] {
            room.line(&path, self.header, &[], DVec3::X);
            room.add(blind_flange(Frame::along(path[0], path[0] - path[1]), self.header, Finish::Bolted));
        }
        room.add(tee_below(lane, x, self.header));
        let [first, pitch] = self.branches_y;
        for k in 0..5 {
            let y = first + pitch * f64::from(k);
            let valve = room.near(self.valve, 0.03);
            room.line(&[v(x, y, low), v(x, y, high)], self.branch, &[valve], self.stem);
            for (z, out) in [(low, DVec3::Z), (high, DVec3::NEG_Z)] {
                room.add(tee(Frame::oriented(v(x, y, z), DVec3::Y, out), self.header, self.branch));
            }
        }
        self.stand(room);
    }

    /// Two posts and two cross bars behind the headers.
    fn stand(&self, room: &mut Room) {
        let x = self.x - 0.06 * self.stem.x;
        let (from, to) = (self.closed_y[0].min(self.drain_y) - 0.07, self.closed_y[0].max(self.drain_y) + 0.07);
        let mut stand = Assembly::new("stand");
        for y in [from, to] {
            let foot = Frame::at(x, y, FLOOR_M);
            stand.block(foot, [-0.02, -0.02, 0.008], [0.02, 0.02, self.heights[1] + 0.06]);
            stand.block(foot, [-0.06, -0.06, 0.0], [0.06, 0.06, 0.008]);
        }
        for z in self.heights {
            stand.block(Frame::at(x, 0.0, z), [-0.015, from, -0.015], [0.015, to, 0.015]);
        }
        room.add(stand);
    }
}
