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
    let mut pipes = Pipes { room, lower, upper };
    pipes.connect_pumps(&machines.pumps);
    pipes.connect_upright(&machines.upright);
    pipes.connect_lying(&machines.lying);
}

/// The room and the two levels of its rack, while pipes are added.
struct Pipes<'a> {
    room: &'a mut Room,
    lower: &'a [Lane],
    upper: &'a [Lane],
}

impl Pipes<'_> {
    fn connect_pumps(&mut self, pumps: &[[Port; 2]]) {
        if let [main, west, east, ..] = pumps[..] {
            self.under(main[1], 0.46, 0.86, &[0.24]);
            self.sink(main[0], 0.1);
            self.under(west[1], 0.33, 0.56, &[]);
            self.sink(west[0], 0.1);
            self.under(east[1], -0.55, 0.9, &[0.25]);
            self.sink(east[0], 0.1);
        }
        for [suction, discharge] in pumps.iter().skip(3) {
            let height = self.room.near(0.92, 0.12);
            self.under(*discharge, discharge.point.y, height, &[0.3]);
            self.sink(*suction, 0.14);
        }
    }

    fn connect_upright(&mut self, vessels: &[[Port; 3]]) {
        for (k, ports) in vessels.iter().enumerate() {
            match k {
                0 => self.over(ports[0], 0.46),
                1 => self.over(ports[0], 0.6),
                2 => self.under(ports[0], -0.28, 1.0, &[]),
                _ => self.up(ports[0]),
            }
            for port in &ports[1..] {
                self.sink(*port, 0.1);
            }
        }
    }

    fn connect_lying(&mut self, vessels: &[[Port; 3]]) {
        let [separator, tank, exchanger] = vessels[..] else { return };
        self.under(separator[0], -0.55, 0.93, &[0.12]);
        self.under(separator[1], -0.42, 0.98, &[0.12]);
        self.down(separator[2]);
        self.down(tank[2]);
        for port in &tank[..2] {
            let path = self.path_to_upper(*port, port.point.x, 0.25);
            self.room.line(&path, port.bore, &[0.3], DVec3::NEG_Y);
        }
        for port in &exchanger[..2] {
            let path = self.path_to_upper(*port, 0.8, 0.2);
            self.room.line(&path, port.bore, &[0.25], DVec3::NEG_X);
        }
        self.down(exchanger[2]);
    }

    /// Adds a pipe from above into the lane of the lower level nearest to `y`: up, across, down.
    fn over(&mut self, port: Port, y: f64) {
        let p = port.point;
        let lane = beside(self.lower, y, p.y, 4.0 * port.bore.radius);
        let top = RACK_M[0] + 0.17;
        let path = [p, v(p.x, p.y, top), v(p.x, lane.at, top), v(p.x, lane.at, lane.z)];
        self.room.line(&path, port.bore, &[0.5 * (top - p.z)], DVec3::X);
        self.room.add(tee(Frame::oriented(v(p.x, lane.at, lane.z), DVec3::X, DVec3::Z), lane.bore, port.bore));
    }

    /// Adds a pipe from below into the lane of the lower level nearest to `y`: up to `height`, across, up.
    fn under(&mut self, port: Port, y: f64, height: f64, valves: &[f64]) {
        let p = port.point;
        let lane = beside(self.lower, y, p.y, 4.0 * port.bore.radius);
        let path = [p, v(p.x, p.y, height), v(p.x, lane.at, height), v(p.x, lane.at, lane.z)];
        self.room.line(&path, port.bore, valves, DVec3::new(-1.0, -0.3, 0.0));
        self.room.add(tee_below(lane, p.x, port.bore));
    }

    /// The path from above into the lane of the upper level nearest to `x`: up to `rise` above the level, across, down.
    fn path_to_upper(&self, port: Port, x: f64, rise: f64) -> [DVec3; 4] {
        let (p, z) = (port.point, RACK_M[1] + rise);
        let lane = beside(self.upper, x, p.x, 4.0 * port.bore.radius);
        [p, v(p.x, p.y, z), v(lane.at, p.y, z), v(lane.at, p.y, lane.z)]
    }

    /// Adds a pipe straight up to the deck.
    fn up(&mut self, port: Port) {
        let p = port.point;
        self.room.line(&[p, v(p.x, p.y, CEILING_M + 0.2)], port.bore, &[0.25], DVec3::X);
    }

    /// Adds a pipe straight down into the floor.
    fn down(&mut self, port: Port) {
        let p = port.point;
        self.room.line(&[p, v(p.x, p.y, FLOOR_M - 0.02)], port.bore, &[], DVec3::X);
    }

    /// Adds a pipe out of the port by the length `way`, then down into the floor.
    fn sink(&mut self, port: Port, way: f64) {
        let p = port.point;
        let q = p + port.out * way;
        self.room.line(&[p, q, v(q.x, q.y, FLOOR_M - 0.02)], port.bore, &[], DVec3::Z);
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
