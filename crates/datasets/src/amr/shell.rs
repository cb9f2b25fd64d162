//! The room itself: floor, walls, columns, deck beams, mezzanine, trays, ducts, lamps.

use super::room::{CEILING_M, FLOOR_M, HALF_M, Room, v};
use crate::parts::frame::Frame;
use crate::parts::structure::*;
use glam::DVec3;

/// The walking level of the mezzanine on the west side, metres.
const MEZZANINE_M: f64 = 1.98;
/// The x coordinate of the mezzanine's edge, metres.
const MEZZANINE_X: f64 = -1.25;

pub(super) fn build(room: &mut Room) {
    envelope(room);
    steelwork(room);
    mezzanine(room);
    platform(room);
    services(room);
}

/// Floor, three walls with stiffeners, a coaming on the open side.
fn envelope(room: &mut Room) {
    let [x, y] = HALF_M;
    room.add(slab("floor", [-x - 0.08, -y - 0.08, FLOOR_M - 0.1], [x + 0.08, y + 0.08, FLOOR_M]));
    room.add(slab("wall", [-x - 0.08, y, FLOOR_M], [x + 0.08, y + 0.08, CEILING_M + 0.16]));
    room.add(slab("wall", [-x - 0.08, -y, FLOOR_M], [-x, y, CEILING_M + 0.16]));
    room.add(slab("wall", [x, -y, FLOOR_M], [x + 0.08, y, CEILING_M + 0.16]));
    room.add(slab("coaming", [-x - 0.08, -y - 0.08, FLOOR_M], [x + 0.08, -y - 0.02, 0.15]));
    let mut at = -x + 0.3;
    while at < x - 0.1 {
        room.add(stiffener(v(at, y, FLOOR_M), v(at, y, CEILING_M), -DVec3::Y, 0.07));
        at += 0.46;
    }
    for side in [-1.0, 1.0] {
        let mut at = -y + 0.25;
        while at < y - 0.1 {
            let foot = v(side * x, at, FLOOR_M);
            room.add(stiffener(foot, foot + DVec3::Z * (CEILING_M - FLOOR_M), DVec3::X * -side, 0.07));
            at += 0.46;
        }
    }
}

/// Columns and deck beams.
fn steelwork(room: &mut Room) {
    let [x, y] = HALF_M;
    for cx in [-x + 0.15, 0.0, x - 0.15] {
        for cy in [-y + 0.12, y - 0.15] {
            room.add(column(v(cx, cy, FLOOR_M), CEILING_M - FLOOR_M));
        }
    }
    for k in 0..6 {
        let bx = (f64::from(k) / 2.5 - 1.0) * (x - 0.1);
        room.add(beam(v(bx, -y, CEILING_M + 0.08), v(bx, y, CEILING_M + 0.08), 0.1, 0.16));
    }
    for k in 0..9 {
        let by = (f64::from(k) / 4.0 - 1.0) * (y - 0.1);
        room.add(stiffener(v(-x, by, CEILING_M + 0.1), v(x, by, CEILING_M + 0.1), DVec3::Z, 0.06));
    }
}

/// Gratings above the west side with their beams, a railing and a ladder.
fn mezzanine(room: &mut Room) {
    let [x, y] = HALF_M;
    let edge = MEZZANINE_X;
    let n = 5;
    let width = (2.0 * y - 0.1) / f64::from(n);
    for k in 0..n {
        let frame = Frame::at(-x + 0.02, -y + 0.05 + width * f64::from(k), MEZZANINE_M);
        room.add(grating(frame, edge + x - 0.02, width - 0.004, 0.034));
    }
    for k in 0..=n {
        let by = -y + 0.05 + width * f64::from(k);
        let z = MEZZANINE_M - 0.025 - 0.05;
        room.add(beam(v(-x, by, z), v(edge, by, z), 0.06, 0.1));
    }
    room.add(beam(v(edge, -y, MEZZANINE_M - 0.07), v(edge, y, MEZZANINE_M - 0.07), 0.07, 0.12));
    room.add(railing(v(edge, -y + 0.05, MEZZANINE_M), v(edge, -0.75, MEZZANINE_M), 0.95));
    room.add(railing(v(edge, -0.25, MEZZANINE_M), v(edge, y - 0.05, MEZZANINE_M), 0.95));
    let foot = Frame::oriented(v(edge + 0.06, -0.5, FLOOR_M), DVec3::Z, DVec3::Y);
    room.add(ladder(foot, MEZZANINE_M - FLOOR_M));
    for k in 0..3 {
        let post = v(edge + 0.02, -1.5 + 1.5 * f64::from(k), FLOOR_M);
        room.add(beam(post, v(post.x, post.y, MEZZANINE_M - 0.13), 0.08, 0.08));
    }
}

/// A low platform of gratings on the east side, with a railing and two steps.
fn platform(room: &mut Room) {
    let (x0, x1, z) = (1.32, 2.2, 0.34);
    let panels = 4;
    let (y0, width) = (-0.1, 0.45);
    for k in 0..panels {
        room.add(grating(Frame::at(x0, y0 + width * f64::from(k), z), x1 - x0, width - 0.004, 0.034));
    }
    for x in [x0 + 0.03, x1 - 0.03] {
        room.add(beam(v(x, y0, z - 0.065), v(x, y0 + 1.8, z - 0.065), 0.06, 0.08));
        for y in [y0 + 0.05, y0 + 1.7] {
            room.add(beam(v(x, y, FLOOR_M), v(x, y, z - 0.105), 0.06, 0.06));
        }
    }
    room.add(railing(v(x0, y0 + 0.02, z), v(x0, y0 + 1.78, z), 0.95));
    for (k, height) in [0.1, 0.22].into_iter().enumerate() {
        let y = y0 - 0.4 + 0.2 * k as f64;
        room.add(grating(Frame::at(1.6, y, height), 0.5, 0.2, 0.034));
        for x in [1.6, 2.09] {
            room.add(slab("stringer", [x, y, FLOOR_M], [x + 0.01, y + 0.2, height]));
        }
    }
}

/// Cable trays with cables, air ducts, lamps.
fn services(room: &mut Room) {
    let [x, y] = HALF_M;
    let trays = [
        // One tray within the arm's reach, below the pipe rack.
        (v(-x, -0.84, 1.08), v(x, -0.84, 1.08), 0.24, 10),
        (v(-x + 0.05, y - 0.16, 2.2), v(x - 0.05, y - 0.16, 2.2), 0.22, 7),
        (v(-1.1, -y + 0.1, 1.78), v(-1.1, y - 0.1, 1.78), 0.26, 7),
        (v(x - 0.12, -y + 0.1, 1.95), v(x - 0.12, y - 0.3, 1.95), 0.18, 5),
        (v(0.98, -1.2, 1.3), v(0.98, y - 0.1, 1.3), 0.16, 6),
    ];
    for (from, to, width, n_cables) in trays {
        let pieces = 3;
        for k in 0..pieces {
            let at = |k: usize| from + (to - from) * (k as f64 / pieces as f64);
            room.add(cable_tray(at(k), at(k + 1), width));
        }
        let laid = cables(from, to, width, n_cables, &mut room.random);
        room.extend(laid);
    }
    // Risers from the cabinets on the west wall to the tray above them.
    for k in 0..3 {
        let at = v(-x + 0.1, -0.4 + 0.7 * f64::from(k), 1.75);
        room.add(cable_tray(at, v(at.x, at.y, CEILING_M), 0.2));
        let laid = cables(at, v(at.x, at.y, CEILING_M), 0.2, 3, &mut room.random);
        room.extend(laid);
    }
    room.extend(duct(v(-1.0, 0.1, 2.28), v(x, 0.1, 2.28), 0.4, 0.26));
    room.extend(duct(v(0.35, -y, 2.02), v(0.35, y, 2.02), 0.3, 0.2));
    for lx in [-0.75, 0.9] {
        for ly in [-1.3, -0.45, 0.75] {
            room.add(lamp(Frame::at(lx, ly, 2.2), CEILING_M - 2.25));
        }
    }
}
