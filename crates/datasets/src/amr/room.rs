//! The room under construction: its dimensions, its objects, and optional objects that fill up to an exact count.

use crate::parts::assembly::Assembly;
use crate::parts::equipment::{gauge, lever_valve, valve, valve_half_length};
use crate::parts::frame::Frame;
use crate::parts::piping::{Bore, Finish, Insert, run};
use crate::parts::structure::clamp;
use crate::random::Stream;
use glam::DVec3;

/// The upper face of the floor, metres. It is below the arm's foot plate by a grout joint, so that the two do not
/// touch.
pub(super) const FLOOR_M: f64 = -0.01;
/// The inner faces of the walls, at plus and minus these x and y, metres; the side y < 0 is open.
pub(super) const HALF_M: [f64; 2] = [2.3, 1.9];
/// The lower edge of the deck beams, metres.
pub(super) const CEILING_M: f64 = 2.5;

/// A vector of metres.
pub(super) const fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// The room under construction.
pub(super) struct Room {
    pub(super) random: Stream,
    objects: Vec<Assembly>,
    /// Clamps and other optional objects; as many are used as the count of objects requires.
    extras: Vec<Assembly>,
}

impl Room {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: Stream::new(seed, "amr/scene"), objects: Vec::new(), extras: Vec::new() }
    }

    /// Adds one object.
    pub(super) fn add(&mut self, object: Assembly) {
        self.objects.push(object);
    }

    /// Adds objects.
    pub(super) fn extend(&mut self, objects: impl IntoIterator<Item = Assembly>) {
        self.objects.extend(objects);
    }

    /// Adds an optional object.
    pub(super) fn extra(&mut self, object: Assembly) {
        self.extras.push(object);
    }

    /// A random number near a given one.
    pub(super) fn near(&mut self, middle: f64, spread: f64) -> f64 {
        self.random.between(middle - spread, middle + spread)
    }

    /// Adds a pipe with valves at some distances along it, flanges in between, and optional clamps.
    ///
    /// Stems point along `stem` where the pipe runs across it.
    pub(super) fn line(&mut self, path: &[DVec3], bore: Bore, valves: &[f64], stem: DVec3) {
        let gap = 2.0 * valve_half_length(bore);
        let length: f64 = path.windows(2).map(|p| (p[1] - p[0]).length()).sum();
        let mut inserts: Vec<(f64, Insert)> = valves.iter().map(|&at| (at, Insert::Gap(gap))).collect();
        let mut at = self.near(0.7, 0.3);
        while at < length - 0.2 {
            if valves.iter().all(|valve| (valve - at).abs() > gap) {
                inserts.push((at, Insert::Flange));
            }
            at += self.near(1.1, 0.4);
        }
        inserts.sort_by(|a, b| a.0.total_cmp(&b.0));
        let laid = run(path, bore, &inserts, Finish::Bolted);
        self.objects.extend(laid.objects);
        for (point, along) in laid.gaps {
            let frame = Frame::oriented(point, along, stem);
            let object =
                if bore.radius < 0.013 { lever_valve(frame, bore) } else { valve(frame, bore, &mut self.random) };
            self.objects.push(object);
            if self.random.chance(0.25) {
                let on = frame.moved(0.0, 0.0, gap * 0.5 + 0.08);
                let dial = Frame::oriented(on.point(0.0, bore.radius * 0.9, 0.0), on.y, on.x);
                self.objects.push(gauge(dial, 0.05));
            }
        }
        self.clamps(path, bore);
    }

    /// Adds optional clamps on the straight pieces of a pipe.
    fn clamps(&mut self, path: &[DVec3], bore: Bore) {
        for pair in path.windows(2) {
            let length = (pair[1] - pair[0]).length();
            let along = (pair[1] - pair[0]) / length;
            let mut at = 0.2 + bore.bend;
            while at < length - 0.1 - bore.bend {
                let place = self.near(at, 0.05);
                self.extras.push(clamp(Frame::along(pair[0] + along * place, along), bore.radius));
                at += 0.45;
            }
        }
    }

    /// The objects, with as many optional ones as are needed for the total `n`, and the largest possible total.
    pub(super) fn finish(mut self, n: usize) -> (Vec<Assembly>, usize) {
        let most = self.objects.len() + self.extras.len();
        self.random.shuffle(&mut self.extras);
        self.extras.truncate(n.saturating_sub(self.objects.len()));
        self.objects.append(&mut self.extras);
        for object in &mut self.objects {
            object.coarseness = self.random.between(0.6, 1.6);
        }
        (self.objects, most)
    }
}
