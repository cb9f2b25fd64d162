//! Moving bodies over parts of a trajectory, each computed once.

use super::kinematics::{BodyCurve, Interval, Sweep};
use crate::robot::{Robot, Trajectory};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Number of bodies in intervals that are kept, 1 KiB each.
const MAX_CURVES: usize = 1 << 15;

/// A part of a segment, and its halves once they are needed.
#[derive(Clone, Copy, Debug)]
struct Part {
    interval: Interval,
    halves: Option<[u32; 2]>,
}

/// The motions of bodies over intervals.
pub struct Motions<'a> {
    robot: &'a Robot,
    trajectory: &'a Trajectory,
    tolerance: &'a [f64],
    /// The last segment, and the end in it.
    end: (usize, f64),
    parts: Vec<Part>,
    /// The parts that are whole segments.
    segments: HashMap<usize, u32>,
    /// Indices of curves by part, frame and body.
    known: HashMap<Key, u32, BuildHasherDefault<KeyHasher>>,
    curves: Vec<(BodyCurve, Sweep)>,
}

/// Part, frame and body.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key(u32, Option<u32>, u32);

/// A fast hash of small numbers. It does not resist collisions that are chosen on purpose.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }
    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
    fn write_u64(&mut self, n: u64) {
        // Multiplication by an odd number with a mixture of bits, folded.
        let product = u128::from(self.0 ^ n ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

impl<'a> Motions<'a> {
    /// Creates an empty cache. `end` is a segment and a time in it; later times are not used.
    pub fn new((robot, trajectory): (&'a Robot, &'a Trajectory), tolerance: &'a [f64], end: (usize, f64)) -> Self {
        Self {
            robot,
            trajectory,
            tolerance,
            end,
            parts: Vec::new(),
            segments: HashMap::new(),
            known: HashMap::default(),
            curves: Vec::new(),
        }
    }

    fn add(&mut self, interval: Interval) -> u32 {
        self.parts.push(Part { interval, halves: None });
        self.parts.len() as u32 - 1
    }

    /// A segment, up to the end.
    pub fn segment(&mut self, segment: usize) -> u32 {
        if let Some(part) = self.segments.get(&segment) {
            return *part;
        }
        let end = if segment == self.end.0 { self.end.1 } else { 1.0 };
        let part = self.add(Interval { segment, ends: [0.0, end] });
        self.segments.insert(segment, part);
        part
    }

    /// A single moment.
    pub fn moment(&mut self, segment: usize, t: f64) -> u32 {
        self.add(Interval { segment, ends: [t; 2] })
    }

    /// The two halves, or `None` if the ends are neighbouring numbers.
    pub fn halves(&mut self, part: u32) -> Option<[u32; 2]> {
        let Part { interval, halves } = self.parts[part as usize];
        if halves.is_some() {
            return halves;
        }
        let ([start, end], middle) = (interval.ends, interval.middle());
        if !(start < middle && middle < end) {
            return None;
        }
        let halves = [[start, middle], [middle, end]].map(|ends| self.add(Interval { ends, ..interval }));
        self.parts[part as usize].halves = Some(halves);
        Some(halves)
    }

    /// The control poses of a body in a frame.
    pub fn sweep(&mut self, part: u32, frame: Option<u32>, body: u32) -> &Sweep {
        if self.curves.len() > MAX_CURVES {
            self.known.clear();
            self.curves.clear();
        }
        let index = self.curve(part, frame, body);
        &self.curves[index as usize].1
    }

    fn curve(&mut self, part: u32, frame: Option<u32>, body: u32) -> u32 {
        let key = Key(part, frame, body);
        if let Some(index) = self.known.get(&key) {
            return *index;
        }
        let (of, interval) = (&self.robot.bodies[body as usize], &self.parts[part as usize].interval.clone());
        let rest = BodyCurve::at_rest();
        let parent = match of.parent.filter(|parent| Some(*parent) != frame) {
            Some(parent) => {
                let index = self.curve(part, frame, parent);
                &self.curves[index as usize].0
            }
            None => &rest,
        };
        let curve = parent.child(&of.joint, self.trajectory, interval, self.tolerance);
        self.curves.push((curve, curve.sweep(interval)));
        let index = self.curves.len() as u32 - 1;
        self.known.insert(key, index);
        index
    }
}
