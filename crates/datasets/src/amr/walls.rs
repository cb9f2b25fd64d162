//! Pipes, junction boxes and signs along the walls.

use super::rack::RADII_M;
use super::room::{CEILING_M, FLOOR_M, HALF_M, Room, v};
use crate::parts::assembly::Assembly;
use crate::parts::equipment::junction_box;
use crate::parts::frame::Frame;
use crate::parts::piping::Bore;
use crate::parts::structure::{bracket, sign};
use glam::DVec3;

pub(super) fn build(room: &mut Room) {
    runs(room);
    boxes(room);
}

/// Pipes along the north and the east wall on brackets.
fn runs(room: &mut Room) {
    let [x, y] = HALF_M;
    for (k, z) in [0.22, 0.42, 0.62, 1.05, 1.25, 1.75, 1.95].into_iter().enumerate() {
        let bore = Bore::new(room.random.pick(&RADII_M));
        let wall = y - 0.1 - bore.radius;
        let end = x - 0.25 - 0.05 * k as f64;
        let path = [v(-x - 0.04, wall, z), v(end, wall, z), v(end, wall, if k % 2 == 0 { FLOOR_M } else { CEILING_M })];
        let valves = [room.near(1.0, 0.4), room.near(3.3, 0.5)];
        room.line(&path, bore, &valves, DVec3::NEG_Y);
        for bx in [-1.5, -0.5, 0.6, 1.5] {
            let frame = Frame::oriented(v(bx, y, z - bore.radius), DVec3::NEG_Y, DVec3::Z);
            room.extra(bracket(frame, 0.1 + 2.2 * bore.radius));
        }
    }
    for (k, z) in [0.55, 0.75, 1.05, 1.5, 1.7].into_iter().enumerate() {
        let bore = Bore::new(room.random.pick(&RADII_M[..4]));
        let wall = x - 0.1 - bore.radius;
        let end = -y + 0.3 + 0.08 * k as f64;
        let path = [v(wall, y + 0.04, z), v(wall, end, z), v(wall, end, if k % 2 == 0 { FLOOR_M } else { CEILING_M })];
        let valves = [room.near(1.4, 0.6)];
        room.line(&path, bore, &valves, DVec3::NEG_X);
        for by in [-1.1, -0.1, 0.9] {
            let frame = Frame::oriented(v(x, by, z - bore.radius), DVec3::NEG_X, DVec3::Z);
            room.extra(bracket(frame, 0.1 + 2.2 * bore.radius));
        }
    }
}

/// Junction boxes on the walls with conduits up to the trays, and optional signs.
fn boxes(room: &mut Room) {
    let [x, y] = HALF_M;
    for k in 0..9 {
        let at = -1.9 + 0.44 * f64::from(k);
        let z = room.near(1.5, 0.06);
        let frame = Frame::oriented(v(at, y, z), DVec3::Z, DVec3::X * -1.0);
        let size = [room.near(0.16, 0.03), 0.07, room.near(0.2, 0.04)];
        room.add(junction_box(frame, size));
        conduit(room, frame, 2.2);
        room.extra(sign(frame.moved(0.0, 0.0, 0.2), 0.12, 0.05));
    }
    for k in 0..7 {
        let at = -1.5 + 0.44 * f64::from(k);
        let z = room.near(1.35, 0.06);
        let frame = Frame::oriented(v(x, at, z), DVec3::Z, DVec3::Y);
        let size = [room.near(0.16, 0.03), 0.07, room.near(0.2, 0.04)];
        room.add(junction_box(frame, size));
        conduit(room, frame, 1.95);
        room.extra(sign(frame.moved(0.0, 0.0, 0.2), 0.12, 0.05));
    }
}

/// Two thin tubes from a box on a wall up to a tray.
fn conduit(room: &mut Room, frame: Frame, top: f64) {
    let mut conduit = Assembly::new("conduit");
    for side in [-0.03, 0.03] {
        let p = frame.point(side, 0.035, 0.1);
        conduit.rod(p, v(p.x, p.y, top), 0.01);
    }
    room.add(conduit);
}
