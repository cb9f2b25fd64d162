//! Equipment of a machine room: valves, gauges, pumps, vessels, heat exchangers, cabinets.
//!
//! Each function returns the objects of one piece of equipment, placed by a frame, and the ports to which pipes are
//! connected.

use super::assembly::Assembly;
use super::frame::Frame;
use super::piping::{Bore, add_bolts, add_flange};
use super::shapes::{Shape, Step::*};
use super::turn::cos_sin;
use crate::random::Stream;
use glam::DVec3;

/// The face of a nozzle: its position, and the direction out of the equipment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Port {
    pub(crate) point: DVec3,
    pub(crate) out: DVec3,
    pub(crate) bore: Bore,
}

/// Half of the length of a valve along its pipe.
pub(crate) fn valve_half_length(bore: Bore) -> f64 {
    2.4 * bore.radius + 0.022
}

/// A globe valve on a pipe along z, its stem and hand wheel along x.
pub(crate) fn valve(frame: Frame, bore: Bore, random: &mut Stream) -> Assembly {
    let mut valve = Assembly::new("valve");
    let (r, half, t) = (bore.radius, valve_half_length(bore), bore.flange_thickness());
    for side in [frame, Frame { z: -frame.z, y: -frame.y, ..frame }] {
        add_flange(&mut valve, side.moved(0.0, 0.0, -half), bore);
        add_bolts(&mut valve, side.moved(0.0, 0.0, -half), bore, [-t, t]);
    }
    valve.lathe(
        frame,
        &[To(-0.75 * half, 1.02 * r), To(-0.35 * half, 1.6 * r), To(0.35 * half, 1.6 * r), To(0.75 * half, 1.02 * r)],
    );
    let bonnet = [0.9, 2.0, 2.3, 2.6].map(|k| k * r + 0.004);
    let stem = Frame::oriented(frame.origin, frame.x, frame.z).turned(random.below(60) as i64, 60);
    valve.lathe(
        stem,
        &[
            To(bonnet[0], 1.1 * r),
            To(bonnet[1], 1.0 * r),
            To(bonnet[1], 1.45 * r),
            To(bonnet[2], 1.45 * r),
            To(bonnet[2], 0.7 * r),
            To(bonnet[3] + 0.012, 0.4 * r),
        ],
    );
    let wheel = 4.2 * r + 0.035;
    valve.add(stem.moved(0.0, 0.0, bonnet[3]), Shape::cylinder(0.14 * r + 0.002, wheel + 0.012 - bonnet[3]));
    add_wheel(&mut valve, stem.moved(0.0, 0.0, wheel), 1.9 * r + 0.018, 3 + random.below(3));
    valve
}

/// A hand wheel in the plane z = 0.
fn add_wheel(to: &mut Assembly, frame: Frame, radius: f64, n_spokes: usize) {
    let rod = 0.06 * radius + 0.002;
    to.add(frame, Shape::Ring { major: radius, minor: rod });
    to.add(frame.moved(0.0, 0.0, -1.5 * rod), Shape::cylinder(0.2 * radius, 3.0 * rod));
    for k in 0..n_spokes {
        let (c, s) = cos_sin(k as i64, n_spokes as i64);
        to.rod(
            frame.point(0.1 * radius * c, 0.1 * radius * s, 0.0),
            frame.point(radius * c, radius * s, 0.0),
            0.7 * rod,
        );
    }
}

/// A ball valve with a lever on a thin pipe along z, its lever along x.
pub(crate) fn lever_valve(frame: Frame, bore: Bore) -> Assembly {
    let mut valve = Assembly::new("valve");
    let (r, half) = (bore.radius, valve_half_length(bore));
    valve.lathe(
        frame,
        &[
            To(-half, 1.5 * r),
            To(-0.6 * half, 1.5 * r),
            To(-0.4 * half, 2.0 * r),
            To(0.4 * half, 2.0 * r),
            To(0.6 * half, 1.5 * r),
            To(half, 1.5 * r),
        ],
    );
    let y = Frame::along(frame.origin, frame.y);
    valve.add(y, Shape::cylinder(0.5 * r, 3.0 * r));
    valve.block(frame, [-0.4 * r, 2.8 * r, -0.5 * r], [0.075 + 3.0 * r, 3.1 * r, 0.5 * r]);
    valve
}

/// A pressure gauge on a stub along z; the dial at its end faces x.
pub(crate) fn gauge(frame: Frame, stub: f64) -> Assembly {
    let mut gauge = Assembly::new("gauge");
    gauge.add(frame, Shape::cylinder(0.006, stub));
    let dial = Frame::along(frame.point(-0.014, 0.0, stub + 0.03), frame.x);
    gauge.lathe(dial, &[To(0.0, 0.03), To(0.004, 0.036), To(0.024, 0.036), To(0.028, 0.033)]);
    gauge.add(frame.moved(0.0, 0.0, 0.3 * stub), Shape::cylinder(0.011, 0.018));
    gauge
}

/// A motor pump on a skid: z up from the floor, shaft along x, about 0.75 m long at size 1. Ports: suction at the end,
/// discharge upward.
pub(crate) fn pump(frame: Frame, size: f64, random: &mut Stream) -> (Vec<Assembly>, [Port; 2]) {
    let pump = Pump { frame, size };
    let (body, ports) = pump.body(Bore::new((0.034 + 0.006 * random.unit()) * size));
    (vec![pump.plinth(), pump.skid(), pump.motor(), pump.guard(), body], ports)
}

/// The placement of a motor pump. Points of its parts are given at size 1.
#[derive(Clone, Copy, Debug)]
struct Pump {
    /// On the floor, z up, x along the shaft.
    frame: Frame,
    size: f64,
}

impl Pump {
    /// Height of the shaft above the floor.
    const SHAFT: f64 = 0.24;

    /// The pump's frame, moved to a point.
    fn at(self, x: f64, y: f64, z: f64) -> Frame {
        self.frame.moved(x * self.size, y * self.size, z * self.size)
    }

    /// A frame on the shaft, with z along it.
    fn on_shaft(self, x: f64) -> Frame {
        let point = self.frame.point(x * self.size, 0.0, Self::SHAFT * self.size);
        Frame::oriented(point, self.frame.x, self.frame.y)
    }

    fn plinth(self) -> Assembly {
        let s = self.size;
        let mut plinth = Assembly::new("plinth");
        plinth.block(self.frame, [-0.4 * s, -0.17 * s, 0.0], [0.42 * s, 0.17 * s, 0.06 * s]);
        plinth
    }

    /// Two I-beams along the shaft, three crossbars on them, and anchor bolts.
    fn skid(self) -> Assembly {
        let s = self.size;
        let mut skid = Assembly::new("skid");
        for y in [-0.13, 0.13] {
            let beam = self.at(0.0, y, 0.0);
            skid.block(beam, [-0.38 * s, -0.02 * s, 0.06 * s], [0.38 * s, 0.02 * s, 0.065 * s]);
            skid.block(beam, [-0.38 * s, -0.003 * s, 0.065 * s], [0.38 * s, 0.003 * s, 0.105 * s]);
            skid.block(beam, [-0.38 * s, -0.02 * s, 0.105 * s], [0.38 * s, 0.02 * s, 0.11 * s]);
        }
        for x in [-0.36, -0.02, 0.3] {
            skid.block(self.at(x, 0.0, 0.0), [-0.02 * s, -0.13 * s, 0.1 * s], [0.02 * s, 0.13 * s, 0.12 * s]);
        }
        for (x, y) in [(-0.33, -0.15), (-0.33, 0.15), (0.33, -0.15), (0.33, 0.15)] {
            skid.add(self.at(x, y, 0.05), Shape::cylinder(0.008 * s, 0.04 * s));
        }
        skid
    }

    /// The motor with its cooling fins, its terminal box and its feet.
    fn motor(self) -> Assembly {
        let s = self.size;
        let mut motor = Assembly::new("motor");
        motor.lathe(
            self.on_shaft(-0.36),
            &[
                To(0.0, 0.03 * s),
                To(0.0, 0.095 * s),
                To(0.06 * s, 0.1 * s),
                To(0.06 * s, 0.085 * s),
                To(0.26 * s, 0.085 * s),
            ],
        );
        motor.lathe(self.on_shaft(-0.1), &[To(0.0, 0.1 * s), To(0.02 * s, 0.1 * s), To(0.03 * s, 0.04 * s)]);
        let n_fins = 16;
        for k in 0..n_fins {
            let fin = self.on_shaft(-0.3).turned(2 * k + 1, 2 * n_fins);
            motor.block(fin, [0.08 * s, -0.002 * s, 0.005 * s], [0.105 * s, 0.002 * s, 0.2 * s]);
        }
        let terminals = self.at(-0.2, 0.0, Self::SHAFT);
        motor.block(terminals, [-0.05 * s, -0.045 * s, 0.09 * s], [0.05 * s, 0.045 * s, 0.15 * s]);
        for x in [-0.27, -0.14] {
            motor.block(self.at(x, 0.0, 0.0), [-0.02 * s, -0.1 * s, 0.12 * s], [0.02 * s, 0.1 * s, 0.17 * s]);
        }
        motor
    }

    /// The guard of the coupling between motor and pump.
    fn guard(self) -> Assembly {
        let s = self.size;
        let mut guard = Assembly::new("guard");
        guard.lathe(
            self.on_shaft(-0.09),
            &[To(0.0, 0.05 * s), To(0.005 * s, 0.055 * s), To(0.145 * s, 0.055 * s), To(0.15 * s, 0.05 * s)],
        );
        guard
    }

    /// The bearing housing and the volute with their foot and both flanges, and the ports.
    fn body(self, bore: Bore) -> (Assembly, [Port; 2]) {
        let s = self.size;
        let mut body = Assembly::new("pump");
        body.lathe(
            self.on_shaft(0.05),
            &[
                To(0.0, 0.04 * s),
                To(0.02 * s, 0.05 * s),
                To(0.09 * s, 0.05 * s),
                To(0.1 * s, 0.075 * s),
                To(0.12 * s, 0.11 * s),
                To(0.2 * s, 0.11 * s),
                To(0.22 * s, 0.06 * s),
            ],
        );
        body.add(self.on_shaft(0.21), Shape::Ring { major: 0.1 * s, minor: 0.042 * s });
        body.block(self.at(0.11, 0.0, 0.0), [-0.03 * s, -0.06 * s, 0.11 * s], [0.03 * s, 0.06 * s, 0.2 * s]);
        let suction = self.on_shaft(0.35);
        body.lathe(self.on_shaft(0.24), &[To(0.0, 0.055 * s), To(0.11 * s, bore.radius)]);
        add_flange(&mut body, Frame { z: -suction.z, y: -suction.y, ..suction }, bore);
        let top = self.frame.point(0.21 * s, 0.1 * s, (Self::SHAFT + 0.19) * s);
        let discharge = Frame::oriented(top, self.frame.z, self.frame.x);
        body.add(discharge.moved(0.0, 0.0, -0.19 * s), Shape::cylinder(bore.radius, 0.19 * s));
        add_flange(&mut body, Frame { z: -discharge.z, y: -discharge.y, ..discharge }, bore);
        (body, [suction, discharge].map(|f| Port { point: f.origin, out: f.z, bore }))
    }
}

/// A nozzle with its flange: from `depth` inside the surface to `length` outside, along z.
pub(crate) fn add_nozzle(to: &mut Assembly, frame: Frame, depth: f64, length: f64, bore: Bore) -> Port {
    to.add(frame.moved(0.0, 0.0, -depth), Shape::cylinder(bore.radius, depth + length));
    let face = frame.moved(0.0, 0.0, length);
    add_flange(to, Frame { z: -face.z, y: -face.y, ..face }, bore);
    add_bolts(to, face, bore, [-bore.flange_thickness(), 0.0]);
    Port { point: face.origin, out: face.z, bore }
}

/// The dimensions of a vessel, metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VesselSize {
    pub(crate) radius: f64,
    /// Length of the cylindrical part.
    pub(crate) shell: f64,
    /// Height above the floor of the lower seam of an upright vessel, or of the axis of a horizontal one.
    pub(crate) height: f64,
}

/// The shell: a cylinder along z from 0 with domed ends, seams and insulation bands.
fn shell(size: VesselSize, frame: Frame) -> Vec<Assembly> {
    let VesselSize { radius: r, shell: l, .. } = size;
    let dome = 0.45 * r;
    let mut vessel = Assembly::new("vessel");
    vessel.lathe(frame, &[To(-dome, 0.0), BowlTo(0.0, r), To(l, r), ShoulderTo(l + dome, 0.0)]);
    let mut objects = vec![vessel];
    for z in [0.0, 0.33 * l, 0.67 * l, l] {
        let mut band = Assembly::new("band");
        band.lathe(
            frame.moved(0.0, 0.0, z - 0.012),
            &[To(0.0, r * 0.999), To(0.004, r + 0.004), To(0.02, r + 0.004), To(0.024, r * 0.999)],
        );
        objects.push(band);
    }
    objects
}

/// An upright vessel on legs; the frame is on the floor, z up. Ports: top, bottom side, upper side along x.
pub(crate) fn upright_vessel(frame: Frame, size: VesselSize, n_legs: usize, bore: Bore) -> (Vec<Assembly>, [Port; 3]) {
    let VesselSize { radius: r, shell: l, height: h } = size;
    let mut objects = shell(size, frame.moved(0.0, 0.0, h));
    for k in 0..n_legs {
        let at = frame.turned(2 * k as i64 + 1, 2 * n_legs as i64);
        let mut leg = Assembly::new("leg");
        leg.block(at, [0.82 * r - 0.06, -0.06, 0.0], [0.82 * r + 0.06, 0.06, 0.012]);
        leg.add(at.moved(0.82 * r, 0.0, 0.012), Shape::cylinder(0.03, h));
        leg.block(at.moved(r, 0.0, h), [-0.02, -0.05, -0.02], [0.006, 0.05, 0.12]);
        objects.push(leg);
    }
    let up = frame.moved(0.0, 0.0, h + l + 0.4 * r);
    let side = |z: f64, turn: i64| {
        let f = frame.turned(turn, 24);
        Frame::oriented(f.point(r * 0.97, 0.0, z), f.x, f.z)
    };
    let vessel = &mut objects[0];
    let top = add_nozzle(vessel, up, 0.03, 0.07, bore);
    let low = add_nozzle(vessel, side(h + 0.15 * l, 9), 0.03, 0.07, bore);
    let high = add_nozzle(vessel, side(h + 0.82 * l, 0), 0.03, 0.07, bore);
    for turn in [4, 16] {
        let lug = frame.turned(turn, 24);
        vessel.block(lug, [0.55 * r, -0.008, h + l + 0.2 * r], [0.63 * r, 0.008, h + l + 0.5 * r + 0.02]);
    }
    let mut manway = Assembly::new("manway");
    let cover = Bore::new(0.36 * r);
    let at = side(h + 0.5 * l, 15);
    add_nozzle(&mut manway, at, 0.05, 0.06, cover);
    manway.add(at.moved(0.0, 0.0, 0.06), Shape::cylinder(cover.flange_radius(), 0.016));
    manway.rod(at.point(cover.flange_radius(), 0.0, 0.03), at.point(cover.flange_radius() + 0.06, 0.0, 0.03), 0.01);
    objects.push(manway);
    objects.push(level_glass(side(h + 0.2 * l, 20), 0.6 * l));
    (objects, [top, low, high])
}

/// A sight glass at the side of a vessel: z out of the wall, x up, from the frame to `height` above it.
fn level_glass(frame: Frame, height: f64) -> Assembly {
    let mut glass = Assembly::new("gauge");
    let out = 0.07;
    for x in [0.0, height] {
        glass.rod(frame.point(x, 0.0, -0.02), frame.point(x, 0.0, out), 0.008);
        glass.add(Frame::oriented(frame.point(x - 0.02, 0.0, out), frame.x, frame.z), Shape::cylinder(0.014, 0.04));
    }
    glass.rod(frame.point(0.0, 0.0, out), frame.point(height, 0.0, out), 0.007);
    for y in [-0.014, 0.014] {
        glass.rod(frame.point(0.0, y, out), frame.point(height, y, out), 0.0025);
    }
    glass
}

/// A horizontal vessel on two saddles; the frame is on the floor, the vessel runs along x. Ports: two upward, one
/// downward.
pub(crate) fn lying_vessel(frame: Frame, size: VesselSize, bore: Bore) -> (Vec<Assembly>, [Port; 3]) {
    let VesselSize { radius: r, shell: l, height: h } = size;
    let axis = Frame::oriented(frame.point(-0.5 * l, 0.0, h), frame.x, frame.z);
    let mut objects = shell(size, axis);
    for x in [-0.3 * l, 0.3 * l] {
        objects.push(saddle(frame.moved(x, 0.0, 0.0), r, h));
    }
    let vessel = &mut objects[0];
    let above = |x: f64| Frame::oriented(frame.point(x * l, 0.0, h + 0.97 * r), frame.z, frame.x);
    let below = Frame::oriented(frame.point(0.12 * l, 0.0, h - 0.97 * r), -frame.z, frame.x);
    let ports = [
        add_nozzle(vessel, above(-0.36), 0.03, 0.06, bore),
        add_nozzle(vessel, above(0.36), 0.03, 0.06, bore),
        add_nozzle(vessel, below, 0.03, 0.05, bore),
    ];
    let mut manway = Assembly::new("manway");
    let cover = Bore::new(0.4 * r);
    let end = Frame::oriented(frame.point(0.5 * l + 0.36 * r, 0.0, h), frame.x, frame.z);
    add_nozzle(&mut manway, end, 0.1, 0.06, cover);
    manway.add(end.moved(0.0, 0.0, 0.06), Shape::cylinder(cover.flange_radius(), 0.016));
    objects.push(manway);
    objects.push(level_glass(Frame::oriented(frame.point(0.0, -r, h - 0.6 * r), -frame.y, frame.z), 1.2 * r));
    (objects, ports)
}

/// A saddle for a horizontal vessel of radius `r` with its axis at height `h` along x.
fn saddle(frame: Frame, r: f64, h: f64) -> Assembly {
    let mut saddle = Assembly::new("saddle");
    saddle.block(frame, [-0.07, -0.95 * r, 0.0], [0.07, 0.95 * r, 0.015]);
    // The web: its upper edge follows the shell slightly inside it.
    let n = 8;
    let mut outline = vec![[-0.9 * r, 0.015], [0.9 * r, 0.015]];
    for k in 0..=n {
        // From 30 degrees below the horizontal on one side to 30 degrees below on the other.
        let (c, s) = cos_sin(-n - 4 * k, 12 * n);
        outline.push([0.97 * r * c, h + 0.97 * r * s]);
    }
    saddle.add(Frame::oriented(frame.origin, frame.x, frame.y), Shape::Prism { outline, z: [-0.012, 0.012] });
    for y in [-0.6 * r, 0.0, 0.6 * r] {
        saddle.block(frame, [-0.06, y - 0.006, 0.015], [0.06, y + 0.006, h - 0.75 * r]);
    }
    saddle
}

/// A shell-and-tube heat exchanger on saddles, along x; similar to a horizontal vessel with bolted heads.
pub(crate) fn exchanger(frame: Frame, size: VesselSize, bore: Bore) -> (Vec<Assembly>, [Port; 3]) {
    let VesselSize { radius: r, shell: l, height: h } = size;
    let axis = Frame::oriented(frame.point(0.0, 0.0, h), frame.x, frame.z);
    let mut body = Assembly::new("exchanger");
    body.lathe(axis, &[To(-0.5 * l, r), To(0.5 * l, r)]);
    let mut objects = Vec::new();
    for side in [axis, Frame { z: -axis.z, y: -axis.y, ..axis }] {
        let end = side.moved(0.0, 0.0, 0.5 * l);
        let mut cover = Assembly::new("head");
        let rim = 1.22 * r;
        cover
            .lathe(end, &[To(-0.02, rim), To(0.024, rim), To(0.024, r), To(0.12, r), ShoulderTo(0.12 + 0.35 * r, 0.0)]);
        for k in 0..16 {
            let (c, s) = cos_sin(2 * k + 1, 32);
            cover.add(end.moved(1.12 * r * c, 1.12 * r * s, -0.032), Shape::cylinder(0.008, 0.068));
        }
        objects.push(cover);
    }
    let on = |x: f64, up: f64| Frame::oriented(frame.point(x * l, 0.0, h + up * 0.97 * r), frame.z * up, frame.x);
    let ports = [
        add_nozzle(&mut body, on(-0.38, 1.0), 0.03, 0.07, bore),
        add_nozzle(&mut body, on(0.38, 1.0), 0.03, 0.07, bore),
        add_nozzle(&mut body, on(-0.38, -1.0), 0.03, 0.07, bore),
    ];
    objects.insert(0, body);
    for x in [-0.25 * l, 0.25 * l] {
        objects.push(saddle(frame.moved(x, 0.0, 0.0), r, h));
    }
    (objects, ports)
}

/// A cabinet with its back at y = 0 and its front in the direction of y: plinth, doors, handles, louvres, lamps and
/// buttons.
pub(crate) fn cabinet(frame: Frame, [width, depth, height]: [f64; 3], random: &mut Stream) -> Assembly {
    let mut cabinet = Assembly::new("cabinet");
    let w = 0.5 * width;
    cabinet.block(frame, [-w + 0.02, 0.02, 0.0], [w - 0.02, depth - 0.03, 0.08]);
    cabinet.block(frame, [-w, 0.0, 0.08], [w, depth, height]);
    let doors: &[[f64; 2]] = if width > 0.55 { &[[-1.0, 0.0], [0.0, 1.0]] } else { &[[-1.0, 1.0]] };
    for &[left, right] in doors {
        let (x0, x1) = (left * w + 0.012, right * w - 0.012);
        cabinet.block(frame, [x0, depth, 0.1], [x1, depth + 0.018, height - 0.02]);
        cabinet.block(
            frame,
            [x1 - 0.05, depth + 0.018, 0.52 * height],
            [x1 - 0.03, depth + 0.045, 0.52 * height + 0.12],
        );
        for k in 0..7 {
            let z = 0.16 + 0.022 * f64::from(k);
            cabinet.block(frame, [x0 + 0.05, depth + 0.018, z], [x1 - 0.05, depth + 0.026, z + 0.004]);
        }
        for hinge in [0.2, 0.8] {
            cabinet.rod(
                frame.point(x0, depth + 0.02, hinge * height),
                frame.point(x0, depth + 0.02, hinge * height + 0.06),
                0.008,
            );
        }
        let n = 3 + random.below(3);
        for k in 0..n {
            let x = x0 + 0.08 + (x1 - x0 - 0.16) * k as f64 / (n - 1) as f64;
            for (z, r, out) in [(0.84, 0.012, 0.02), (0.77, 0.015, 0.014)] {
                let lamp = Frame::along(frame.point(x, depth + 0.018, z * height), frame.y);
                cabinet.lathe(lamp, &[To(0.0, 1.3 * r), To(0.004, 1.3 * r), To(0.004, r), ShoulderTo(out, 0.4 * r)]);
            }
        }
    }
    for k in 0..3 {
        let x = (f64::from(k) - 1.0) * 0.5 * w;
        cabinet.add(frame.moved(x, 0.4 * depth, height), Shape::cylinder(0.016, 0.03));
    }
    cabinet
}

/// A junction box on a wall at y = 0, towards y, with cable glands below.
pub(crate) fn junction_box(frame: Frame, [width, depth, height]: [f64; 3]) -> Assembly {
    let mut junction = Assembly::new("junction");
    let (w, h) = (0.5 * width, 0.5 * height);
    junction.block(frame, [-w, 0.0, -h], [w, depth, h]);
    junction.block(frame, [-w - 0.004, depth, -h - 0.004], [w + 0.004, depth + 0.008, h + 0.004]);
    for x in [-0.6, -0.2, 0.2, 0.6] {
        junction.add(frame.moved(x * w, 0.5 * depth, -h - 0.02), Shape::frustum(0.007, 0.01, 0.02));
    }
    for (x, z) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
        let screw = Frame::along(frame.point(x * (w - 0.008), depth + 0.008, z * (h - 0.008)), frame.y);
        junction.add(screw, Shape::cylinder(0.004, 0.003));
    }
    junction
}

/// A fire extinguisher at the origin, z up.
pub(crate) fn extinguisher(frame: Frame) -> Assembly {
    let mut bottle = Assembly::new("extinguisher");
    bottle.lathe(frame, &[To(0.0, 0.07), To(0.42, 0.07), ShoulderTo(0.5, 0.02), To(0.53, 0.02)]);
    bottle.block(frame, [-0.02, -0.015, 0.53], [0.09, 0.015, 0.545]);
    let hose = [[0.02, 0.0, 0.52], [0.1, 0.0, 0.5], [0.12, 0.0, 0.4], [0.1, 0.0, 0.2]].map(DVec3::from_array);
    bottle.tube(frame, &hose, 0.009, 0.0);
    bottle
}
