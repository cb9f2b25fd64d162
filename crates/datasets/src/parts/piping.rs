//! Pipes as in real plants: spools between flanges, elbows, tees, and bolts.

use super::assembly::Assembly;
use super::frame::Frame;
use super::shapes::{Shape, Step::*};
use super::turn::cos_sin;
use glam::DVec3;

/// The sizes that follow from a pipe's outer radius, metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bore {
    /// Outer radius of the pipe.
    pub(crate) radius: f64,
    /// Radius of the centre line of an elbow.
    pub(crate) bend: f64,
}

impl Bore {
    /// A pipe with the usual elbows of one and a half diameters.
    pub(crate) fn new(radius: f64) -> Self {
        Self { radius, bend: 3.0 * radius }
    }

    /// A pipe with elbows of at most the radius `bend`.
    pub(crate) fn tight(radius: f64, bend: f64) -> Self {
        Self { radius, bend: bend.min(3.0 * radius) }
    }

    /// A pipe with elbows that fit between the bends of a path; mitres where no elbow fits.
    pub(crate) fn fitting(self, path: &[DVec3]) -> Self {
        let last = path.len().saturating_sub(2);
        let room = path.windows(2).enumerate().fold(f64::INFINITY, |room, (i, pair)| {
            let ends = if i == 0 || i == last { 0.95 } else { 0.48 };
            room.min(ends * (pair[1] - pair[0]).length())
        });
        let bend = self.bend.min(room);
        Self { bend: if bend > 1.05 * self.radius { bend } else { 0.0 }, ..self }
    }

    pub(crate) fn flange_radius(self) -> f64 {
        1.4 * self.radius + 0.008
    }

    /// Thickness of one flange.
    pub(crate) fn flange_thickness(self) -> f64 {
        0.15 * self.radius + 0.006
    }

    fn n_bolts(self) -> usize {
        if self.radius < 0.032 { 4 } else { 8 }
    }
}

/// The level of detail of a flange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    /// Discs and necks only.
    Plain,
    /// With every bolt.
    Bolted,
}

/// A pair of flanges, its joint in the plane z = 0 of the frame.
pub(crate) fn flange_pair(frame: Frame, bore: Bore, finish: Finish) -> Assembly {
    let mut flange = Assembly::new("flange");
    let t = bore.flange_thickness();
    match finish {
        Finish::Plain => {
            let (r, neck) = (bore.flange_radius(), 1.15 * bore.radius);
            flange.lathe(frame, &[To(-2.0 * t, neck), To(-t, r), To(t, r), To(2.0 * t, neck)]);
        }
        Finish::Bolted => {
            for side in [frame, Frame { z: -frame.z, y: -frame.y, ..frame }] {
                add_flange(&mut flange, side, bore);
            }
            add_bolts(&mut flange, frame, bore, [-t, t]);
        }
    }
    flange
}

/// A flange that closes a pipe's end; the pipe is below the plane z = 0 and ends in it.
pub(crate) fn blind_flange(frame: Frame, bore: Bore, finish: Finish) -> Assembly {
    let mut flange = Assembly::new("flange");
    let (t, r) = (bore.flange_thickness(), bore.flange_radius());
    match finish {
        Finish::Plain => {
            flange.lathe(frame, &[To(-2.0 * t, 1.15 * bore.radius), To(-t, r), To(t, r)]);
        }
        Finish::Bolted => {
            add_flange(&mut flange, Frame { z: -frame.z, y: -frame.y, ..frame }, bore);
            flange.add(frame, Shape::cylinder(r, t));
            add_bolts(&mut flange, frame, bore, [-t, t]);
        }
    }
    flange
}

/// One flange: a disc from z = 0 upward, and the neck to the pipe above it.
pub(crate) fn add_flange(to: &mut Assembly, frame: Frame, bore: Bore) {
    let (t, r) = (bore.flange_thickness(), bore.radius);
    to.lathe(
        frame,
        &[To(0.0, bore.flange_radius()), To(t, bore.flange_radius()), To(t, 1.3 * r), To(2.2 * t, 1.04 * r)],
    );
}

/// Bolts parallel to z around the pipe, between two heights; heads and nuts protrude.
pub(crate) fn add_bolts(to: &mut Assembly, frame: Frame, bore: Bore, [low, high]: [f64; 2]) {
    let (circle, n) = (0.5 * (1.3 * bore.radius + bore.flange_radius()), bore.n_bolts() as i64);
    let size = 0.15 * (bore.flange_radius() - 1.3 * bore.radius) + 0.001;
    for k in 0..n {
        let (c, s) = cos_sin(2 * k + 1, 2 * n);
        let at = frame.moved(circle * c, circle * s, low - 1.2 * size);
        to.add(at, Shape::cylinder(1.7 * size, high - low + 2.4 * size));
    }
}

/// A tee on a pipe that runs along z: a sleeve around it, and a collar for the branch along x.
pub(crate) fn tee(frame: Frame, bore: Bore, branch: Bore) -> Assembly {
    let (r, half) = (1.12 * bore.radius + 0.002, 1.5 * branch.radius + 0.008);
    let mut tee = Assembly::new("tee");
    tee.lathe(
        frame,
        &[To(-half, bore.radius * 1.02), To(-half * 0.8, r), To(half * 0.8, r), To(half, bore.radius * 1.02)],
    );
    let b = 1.12 * branch.radius + 0.002;
    tee.lathe(
        Frame::along(frame.origin, frame.x),
        &[To(0.0, b), To(r + 0.4 * branch.radius, b), To(r + 0.7 * branch.radius, branch.radius * 1.02)],
    );
    tee
}

/// A fitting at some distance along a pipe.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Insert {
    /// A pair of flanges.
    Flange,
    /// A gap of that length, metres, for a valve.
    Gap(f64),
}

/// The objects of a pipe, and its gaps.
pub(crate) struct Run {
    pub(crate) objects: Vec<Assembly>,
    /// The middle of each gap that fits, and the direction of the pipe there.
    pub(crate) gaps: Vec<(DVec3, DVec3)>,
}

/// A pipe along a path with right-angled bends, divided into spools by its fittings.
///
/// `inserts` are at distances along the path, metres, ascending; inserts that would be in an elbow, at an end or on
/// another insert are omitted.
pub(crate) fn run(path: &[DVec3], bore: Bore, inserts: &[(f64, Insert)], finish: Finish) -> Run {
    let bore = bore.fitting(path);
    let mut run = Run { objects: Vec::new(), gaps: Vec::new() };
    let mut spool: Vec<DVec3> = path.first().copied().into_iter().collect();
    let mut wanted = inserts.iter().copied().peekable();
    let mut passed = 0.0;
    for (i, pair) in path.windows(2).enumerate() {
        let (a, b) = (pair[0], pair[1]);
        let length = (b - a).length();
        let along = (b - a) / length;
        let bend_at = |bends: bool| if bends { bore.bend } else { 0.0 };
        let (bend_before, bend_after) = (bend_at(i > 0), bend_at(i + 2 < path.len()));
        while let Some((at, insert)) = wanted.next_if(|&(at, _)| at <= passed + length) {
            let half = if let Insert::Gap(gap) = insert { 0.5 * gap } else { 0.0 };
            let room = half + 2.5 * bore.flange_thickness();
            let (x, last) = (at - passed, spool.last().copied().unwrap_or(a));
            let before = (a + along * x - last).dot(along) - if spool.len() > 1 { bend_before } else { 0.0 };
            if before < room || x - bend_before < room || length - x - bend_after < room {
                continue;
            }
            let (end, start) = (a + along * (x - half), a + along * (x + half));
            spool.push(end);
            run.objects.push(pipe(&std::mem::replace(&mut spool, vec![start]), bore));
            match insert {
                Insert::Flange => run.objects.push(flange_pair(Frame::along(end, along), bore, finish)),
                Insert::Gap(_) => run.gaps.push(((start + end) * 0.5, along)),
            }
        }
        passed += length;
        if i + 2 < path.len() {
            spool.push(b);
        }
    }
    spool.extend(path.last());
    run.objects.push(pipe(&spool, bore));
    run
}

/// A single spool.
pub(crate) fn pipe(path: &[DVec3], bore: Bore) -> Assembly {
    let mut pipe = Assembly::new("pipe");
    pipe.tube(Frame::at(0.0, 0.0, 0.0), path, bore.radius, bore.bend);
    pipe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserts_cut_a_run_where_there_is_room() {
        let path = [DVec3::ZERO, DVec3::X * 2.0, DVec3::new(2.0, 1.0, 0.0)];
        let kinds = |at: &[f64], insert: Insert| -> (Vec<&str>, usize) {
            let inserts: Vec<_> = at.iter().map(|&at| (at, insert)).collect();
            let run = run(&path, Bore::new(0.03), &inserts, Finish::Bolted);
            (run.objects.iter().map(|a| a.kind).collect(), run.gaps.len())
        };
        assert_eq!(kinds(&[], Insert::Flange), (vec!["pipe"], 0));
        assert_eq!(kinds(&[1.0, 2.5], Insert::Flange), (vec!["pipe", "flange", "pipe", "flange", "pipe"], 0));
        // There is not enough space at the start, at the elbow, beyond the end, or twice at one place.
        assert_eq!(kinds(&[0.01, 1.0, 1.01, 1.99, 2.01, 7.0], Insert::Flange), (vec!["pipe", "flange", "pipe"], 0));
        assert_eq!(kinds(&[1.0, 1.15, 2.5], Insert::Gap(0.2)), (vec!["pipe", "pipe", "pipe"], 2));
    }
}
