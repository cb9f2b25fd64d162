//! Pipes between machines and the rack, and instrument tubing.

use super::machinery::Machines;
use super::rack::{Lane, RACK_M, beside, tee_below};
use super::room::{CEILING_M, FLOOR_M, Room, v};
use crate::parts::equipment::Port;
use crate::parts::frame::Frame;
use crate::parts::piping::{Bore, tee};
use glam::DVec3;

/// Adds pipes between machines and the rack.
pub(super) fn connections(room: &mut Room, machines: &Machines, lower: &[Lane], upper: &[Lane]) {
    // From above into a lane of the lower level: up, across, down.
    let over = |room: &mut Room, port: Port, y: f64| {
        let p = port.point;
        let lane = beside(lower, y, p.y, 4.0 * port.bore.radius);
        let top = RACK_M[0] + 0.17;
        let path = [p, v(p.x, p.y, top), v(p.x, lane.at, top), v(p.x, lane.at, lane.z)];
        room.line(&path, port.bore, &[0.5 * (top - p.z)], DVec3::X);
        room.add(tee(Frame::oriented(v(p.x, lane.at, lane.z), DVec3::X, DVec3::Z), lane.bore, port.bore));
    };
    // From below into a lane of the lower level: up, across, up.
    let under = |room: &mut Room, port: Port, y: f64, height: f64, valves: &[f64]| {
        let p = port.point;
        let lane = beside(lower, y, p.y, 4.0 * port.bore.radius);
        let path = [p, v(p.x, p.y, height), v(p.x, lane.at, height), v(p.x, lane.at, lane.z)];
        room.line(&path, port.bore, valves, DVec3::new(-1.0, -0.3, 0.0));
        room.add(tee_below(lane, p.x, port.bore));
    };
    // Sideways into the floor.
    let sink = |room: &mut Room, port: Port, way: f64| {
        let p = port.point;
        let q = p + port.out * way;
        room.line(&[p, q, v(q.x, q.y, FLOOR_M - 0.02)], port.bore, &[], DVec3::Z);
    };
    if let [main, west, east, ..] = machines.pumps[..] {
        under(room, main[1], 0.46, 0.86, &[0.24]);
        sink(room, main[0], 0.1);
        under(room, west[1], 0.33, 0.56, &[]);
        sink(room, west[0], 0.1);
        under(room, east[1], -0.55, 0.9, &[0.25]);
        sink(room, east[0], 0.1);
    }
    for [suction, discharge] in machines.pumps.iter().skip(3) {
        let height = room.near(0.92, 0.12);
        under(room, *discharge, discharge.point.y, height, &[0.3]);
        sink(room, *suction, 0.14);
    }
    for (k, ports) in machines.upright.iter().enumerate() {
        match k {
            0 => over(room, ports[0], 0.46),
            1 => over(room, ports[0], 0.6),
            2 => under(room, ports[0], -0.28, 1.0, &[]),
            _ => {
                // Up to the deck.
                let p = ports[0].point;
                room.line(&[p, v(p.x, p.y, CEILING_M + 0.2)], ports[0].bore, &[0.25], DVec3::X);
            }
        }
        for port in &ports[1..] {
            sink(room, *port, 0.1);
        }
    }
    if let [separator, tank, exchanger] = machines.lying[..] {
        under(room, separator[0], -0.55, 0.93, &[0.12]);
        under(room, separator[1], -0.42, 0.98, &[0.12]);
        let down = |room: &mut Room, port: Port| {
            let p = port.point;
            room.line(&[p, v(p.x, p.y, FLOOR_M - 0.02)], port.bore, &[], DVec3::X);
        };
        down(room, separator[2]);
        down(room, tank[2]);
        for port in &tank[..2] {
            let (p, z) = (port.point, RACK_M[1] + 0.25);
            let lane = beside(upper, p.x, p.x, 4.0 * port.bore.radius);
            let path = [p, v(p.x, p.y, z), v(lane.at, p.y, z), v(lane.at, p.y, lane.z)];
            room.line(&path, port.bore, &[0.3], DVec3::NEG_Y);
        }
        for port in &exchanger[..2] {
            let (p, z) = (port.point, RACK_M[1] + 0.2);
            let lane = beside(upper, 0.8, p.x, 4.0 * port.bore.radius);
            let path = [p, v(p.x, p.y, z), v(lane.at, p.y, z), v(lane.at, p.y, lane.z)];
            room.line(&path, port.bore, &[0.25], DVec3::NEG_X);
        }
        down(room, exchanger[2]);
    }
}

/// Adds instrument tubing next to the separator and above the pump: thin parallel tubes with drops.
pub(super) fn tubing(room: &mut Room) {
    for k in 0..6 {
        let k = f64::from(k);
        let y = -0.6 - 0.012 * k;
        let z = 0.86 + 0.028 * k;
        let (from, to) = (-0.95 + 0.05 * k, 0.45 - 0.07 * k);
        let path = [v(from, y, FLOOR_M), v(from, y, z), v(to, y, z), v(to, y - 0.12, z), v(to, y - 0.12, 0.7)];
        let bore = Bore::new(room.random.pick(&[0.004, 0.005, 0.006]));
        room.line(&path, bore, &[], DVec3::Z);
    }
    for k in 0..5 {
        let k = f64::from(k);
        let y = 0.5 + 0.024 * k;
        let z = 0.62 + 0.03 * k;
        let path = [v(-0.34 - 0.03 * k, y, FLOOR_M), v(-0.34 - 0.03 * k, y, z), v(0.5, y, z), v(0.5, y, RACK_M[0])];
        let bore = Bore::new(room.random.pick(&[0.004, 0.005, 0.007]));
        room.line(&path, bore, &[], DVec3::Z);
    }
}
