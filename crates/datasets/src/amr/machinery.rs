//! Pumps, vessels, the heat exchanger and cabinets, on the floor around the arm.

use super::room::{FLOOR_M, HALF_M, Room, v};
use crate::parts::equipment::*;
use crate::parts::frame::Frame;
use crate::parts::piping::Bore;
use crate::parts::structure::sign;
use glam::DVec3;

/// Ports at which pipes join the machines.
pub(super) struct Machines {
    /// Suction and discharge of each pump.
    pub(super) pumps: Vec<[Port; 2]>,
    /// Top, low side, high side.
    pub(super) upright: Vec<[Port; 3]>,
    /// Two above, one below.
    pub(super) lying: Vec<[Port; 3]>,
    /// Occupied areas of the floor: smallest x and y, largest x and y, metres.
    pub(super) footprints: Vec<[f64; 4]>,
}

/// Pumps: place, direction of the shaft, size. The first three are within the arm's reach.
const PUMPS: [([f64; 2], DVec3, f64); 7] = [
    ([0.03, 0.63], DVec3::X, 0.86),
    ([-0.66, 0.05], DVec3::Y, 0.84),
    ([0.98, -0.66], DVec3::NEG_Y, 0.8),
    ([1.65, -1.35], DVec3::NEG_X, 1.05),
    ([1.65, -0.85], DVec3::NEG_X, 1.05),
    ([-1.65, -0.95], DVec3::Y, 1.1),
    ([-0.4, -1.5], DVec3::X, 1.0),
];

/// Upright vessels: place, radius, length of the shell, height of its lower seam, legs, quarter turns. The first three
/// are within reach.
const UPRIGHT: [([f64; 2], f64, f64, f64, usize, i64); 6] = [
    ([-0.62, 0.98], 0.28, 0.62, 0.42, 4, 3),
    ([0.6, 0.96], 0.2, 0.6, 0.36, 3, 2),
    ([0.66, -0.62], 0.13, 0.5, 0.42, 3, 1),
    ([1.75, 1.4], 0.36, 1.0, 0.75, 4, 2),
    ([-1.7, -1.5], 0.3, 1.0, 0.45, 4, 1),
    ([-1.12, 1.54], 0.28, 0.95, 0.42, 4, 3),
];

pub(super) fn build(room: &mut Room) -> Machines {
    let mut machines = Machines { pumps: Vec::new(), upright: Vec::new(), lying: Vec::new(), footprints: Vec::new() };
    for ([x, y], shaft, size) in PUMPS {
        let at = v(room.near(x, 0.015), room.near(y, 0.015), FLOOR_M);
        let frame = Frame::oriented(at, DVec3::Z, shaft);
        let (objects, ports) = pump(frame, room.near(size, 0.02), &mut room.random);
        room.extend(objects);
        machines.pumps.push(ports);
        let half = (frame.x.abs() * 0.42 + frame.y.abs() * 0.17) * size;
        machines.footprints.push([at.x - half.x, at.y - half.y, at.x + half.x, at.y + half.y]);
        room.extra(sign(
            Frame::oriented(frame.point(-0.2 * size, -0.12 * size, 0.3 * size), DVec3::Z, frame.x),
            0.08,
            0.04,
        ));
    }
    for ([x, y], radius, shell, height, legs, quarters) in UPRIGHT {
        let at = Frame::at(room.near(x, 0.02), room.near(y, 0.02), FLOOR_M).turned(quarters, 4);
        let size = VesselSize { radius: room.near(radius, 0.01), shell: room.near(shell, 0.02), height };
        let bore = Bore::new(room.random.pick(&[0.022, 0.026, 0.03]));
        let (objects, ports) = upright_vessel(at, size, legs, bore);
        room.extend(objects);
        machines.upright.push(ports);
        let r = size.radius;
        machines.footprints.push([at.origin.x - r, at.origin.y - r, at.origin.x + r, at.origin.y + r]);
    }
    lying(room, &mut machines);
    cabinets(room, &mut machines);
    machines
}

/// Adds a separator at the arm's side, a condensate tank behind the arm, and the heat exchanger.
fn lying(room: &mut Room, machines: &mut Machines) {
    for (x, y, radius, shell, height) in [(0.0, -0.9, 0.22, 0.9, 0.56), (0.45, 1.5, 0.25, 1.1, 0.7)] {
        let at = Frame::at(room.near(x, 0.02), room.near(y, 0.01), FLOOR_M);
        let size = VesselSize { radius: room.near(radius, 0.01), shell: room.near(shell, 0.03), height };
        let (objects, ports) = lying_vessel(at, size, Bore::new(0.026));
        room.extend(objects);
        machines.lying.push(ports);
        let (l, r) = (0.5 * shell + radius, radius);
        machines.footprints.push([at.origin.x - l, at.origin.y - r, at.origin.x + l, at.origin.y + r]);
    }
    let at = Frame::oriented(v(room.near(1.12, 0.01), room.near(0.12, 0.03), FLOOR_M), DVec3::Z, DVec3::Y);
    let size = VesselSize { radius: 0.15, shell: 1.05, height: 0.82 };
    let (objects, ports) = exchanger(at, size, Bore::new(0.028));
    room.extend(objects);
    machines.lying.push(ports);
    machines.footprints.push([0.95, -0.6, 1.29, 0.85]);
}

/// Adds switchgear along the west wall, a control cabinet and a local panel near the arm, and bottles next to the
/// columns.
fn cabinets(room: &mut Room, machines: &mut Machines) {
    let [x, _] = HALF_M;
    for k in 0..4 {
        let y = -0.45 + 0.58 * f64::from(k);
        let frame = Frame::oriented(v(-x + 0.08, y, FLOOR_M), DVec3::Z, DVec3::NEG_Y);
        let size = [0.57, room.near(0.4, 0.02), room.near(1.68, 0.05)];
        let object = cabinet(frame, size, &mut room.random);
        room.add(object);
    }
    for (px, py, out, size) in [
        (-1.3, 0.35, DVec3::X, [0.6, 0.3, 1.4]),
        (-1.3, -0.3 + 1.25, DVec3::X, [0.5, 0.3, 1.4]),
        (-0.74, -0.62, DVec3::X, [0.32, 0.18, 1.12]),
        (0.1, 1.86, DVec3::NEG_Y, [0.5, 0.25, 1.5]),
    ] {
        let frame = Frame::oriented(v(px, room.near(py, 0.02), FLOOR_M), DVec3::Z, out.cross(DVec3::Z));
        let object = cabinet(frame, size, &mut room.random);
        room.add(object);
        let end = v(px, py, 0.0) + out * size[1];
        let half = 0.5 * size[0];
        machines.footprints.push([
            px.min(end.x) - half * out.y.abs(),
            py.min(end.y) - half * out.x.abs(),
            px.max(end.x) + half * out.y.abs(),
            py.max(end.y) + half * out.x.abs(),
        ]);
    }
    for (px, py) in [(-2.0, 1.7), (2.1, -1.6), (0.2, -1.75)] {
        room.add(extinguisher(Frame::at(px, py, FLOOR_M)));
    }
}
