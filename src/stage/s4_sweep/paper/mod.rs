//! The swept volume of a line-swept sphere as the paper tessellates it (Redon et al. 2004, section 4.2.2): offset
//! surfaces of the ruled surface that the axis sweeps, pipe surfaces about the paths of its ends, and the line-swept
//! spheres at the start and at the end; with the number of steps given by Filip's bound (eq. 11).
//!
//! # Proved statements
//!
//! Let `V` be the union of the balls of radius `r` about all points `x(t, s) = a(t) + s δ(t)` of the axis, and `T` the
//! triangles. Then
//!
//! 1. every point of the boundary of `V` is within `ε` of `T`;
//! 2. in no direction does `V` extend beyond `T`: `V` is contained in the convex hull of `T`.
//!
//! *The boundary.* A point `p` of the boundary has the distance `r` from its nearest axis point `x(t, s)`, and no point
//! of the axis is nearer, so `p = x + r m` with a unit vector `m` that is perpendicular to `x_t` if `t` is not an end,
//! and to `x_s = δ` if `s` is not. So `p` is on an offset surface (`m = ±n`, where the normal is defined), on a pipe
//! about `a` or `b` (`s` is 0 or 1, `m` perpendicular to the path), or on the line-swept sphere at the start or the
//! end.
//!
//! *Regular patches.* Half of `ε` is added to the radius, and the triangles are within the other half of the surface of
//! radius `r + ε/2`, parameter by parameter. So `p = x + r m` is within `ε` of the triangles' point for the same
//! parameters; and in direction `m` that point is no nearer than `r` to `x`, which for the direction in which `p` is
//! extreme is statement 2.
//!
//! *Patches that are not regular.* If the normal may vanish (the axis moves along itself, or not at all), the patch is
//! cut until all its points are within `ρ = ε/4` of a segment whose points are within `ρ` of the patch. Then it is
//! replaced by a capsule of radius `r + ρ + e` with triangles within `e = ε/4` of its surface: `p` is at a distance
//! from `r - ρ` to `r + ρ` from the segment, so at most `2ρ + 2e = ε` from the triangles; and statement 2 follows as
//! before. A piece of a pipe whose path hardly moves is likewise replaced by a ball.
//!
//! Patches meet along edges that are cut differently, so the surface is not closed; parts of it are inside `V`. To find
//! where a line leaves `V`, widen the triangles by `ε`, as statement 1 allows.
//!
//! `ε` must be well above the rounding error of a pose; otherwise it is refused. That error is far below the thousandth
//! of `ε` that is reserved for it.

mod bounds;
mod filip;
pub mod maps;
mod patch;

use crate::bvh::lss::Lss;
use crate::error::{Error, Result};
use crate::robot::{RobotMotion, Triangle};
use bounds::{AxisPaths, Path};
use filip::SecondDerivatives;
use glam::DVec3;
use patch::{add_capsule, add_rows};
use std::f64::consts::{FRAC_PI_2, TAU};

/// The split of a deviation `ε`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Enlargement of the radius, metres.
    pub growth_m: f64,
    /// Largest distance of the triangles from the surface with the enlarged radius, metres.
    pub tolerance_m: f64,
}

impl Budget {
    /// Half for the radius, half for the triangles.
    pub fn new(epsilon_m: f64) -> Self {
        Self { growth_m: 0.5 * epsilon_m, tolerance_m: 0.4995 * epsilon_m }
    }
}

/// The triangles of a swept line-swept sphere, in the coordinates of the motion's world, metres.
#[derive(Clone, Debug, Default)]
pub struct SweptSurface {
    /// The triangles.
    pub triangles: Vec<Triangle>,
    /// Patches of offset surfaces, two surfaces each.
    pub n_sheets: usize,
    /// Pieces of pipe surfaces.
    pub n_pipes: usize,
    /// Capsules and balls: the two at the start and the end, and those that replace patches that are not regular.
    pub n_round: usize,
}

/// Maximum number of triangles before the deviation is refused as too small.
const MAX_TRIANGLES: usize = 1 << 23;
/// Maximum number of cells of a patch; a patch that needs more is cut, since the parts together need fewer cells.
const MAX_CELLS: usize = 32;
/// Maximum number of steps in time of a piece of a pipe; one that needs more is cut.
const MAX_RINGS: usize = 8;
/// Maximum number of times that a parameter is halved.
const MAX_CUTS: u32 = 40;
/// Smallest ratio of the deviation to the bound on a pose's rounding error.
const ROUNDINGS: f64 = 1e4;

/// Tessellates the volume swept by the line-swept sphere of a body during `[t0, t1]`, within the deviation `epsilon_m`.
///
/// # Errors
/// The deviation is not positive, or it is so small that it is near the rounding error or needs too many triangles.
pub fn tessellate(
    motion: &RobotMotion,
    body: u32,
    lss: &Lss,
    [t0, t1]: [f64; 2],
    epsilon_m: f64,
) -> Result<SweptSurface> {
    tessellate_with(motion, body, lss, [t0, t1], Budget::new(epsilon_m))
}

/// Like [`tessellate`], with a given budget.
///
/// # Errors
/// As [`tessellate`].
pub fn tessellate_with(
    motion: &RobotMotion,
    body: u32,
    lss: &Lss,
    [t0, t1]: [f64; 2],
    budget: Budget,
) -> Result<SweptSurface> {
    let mut sweep = Sweep { motion, body, lss: *lss, budget, out: SweptSurface::default() };
    let whole = Time { mid: 0.5 * (t0 + t1), h: 0.5 * (t1 - t0), cuts: 0 };
    let ends = |t: f64| {
        let paths = sweep.paths(Time { mid: t, h: 0.0, cuts: 0 });
        [paths.a.middle[0], paths.b.middle[0]]
    };
    let (first, last) = (ends(t0), ends(t1));
    let rounding = first.iter().chain(&last).fold(0.0, |most: f64, p| most.max(p.radius));
    if !(budget.tolerance_m >= f64::max(ROUNDINGS * rounding, f64::MIN_POSITIVE) && whole.h >= 0.0) {
        let message = format!("the surface of a swept volume within {} m", 2.0 * budget.tolerance_m);
        return Err(Error::usage(message).remedy("allow a larger deviation"));
    }
    for ends in [first, last] {
        sweep.add_round(ends.map(|p| p.centre), lss.radius + budget.growth_m, budget.tolerance_m)?;
    }
    if t1 > t0 {
        let is_ball = lss.a == lss.b;
        for end in if is_ball { &[End::A][..] } else { &[End::A, End::B] } {
            sweep.add_pipe(*end, whole)?;
        }
        if !is_ball {
            sweep.add_sheets(whole, Across { mid: 0.5, g: 0.5, cuts: 0 })?;
        }
    }
    Ok(sweep.out)
}

/// The times `mid ± h`.
#[derive(Clone, Copy)]
struct Time {
    mid: f64,
    h: f64,
    cuts: u32,
}

/// The positions `mid ± g` along the axis, from 0 to 1.
#[derive(Clone, Copy)]
struct Across {
    mid: f64,
    g: f64,
    cuts: u32,
}

impl Time {
    fn halves(self) -> Option<[Self; 2]> {
        let Self { mid, h, cuts } = self;
        let half = |mid| Self { mid, h: 0.5 * h, cuts: cuts + 1 };
        (cuts < MAX_CUTS).then(|| [half(mid - 0.5 * h), half(mid + 0.5 * h)])
    }

    /// The ends of `n` equal parts.
    fn ends(self, n: usize) -> impl Iterator<Item = f64> {
        (0..=n).map(move |i| self.mid + self.h * (2.0 * i as f64 / n as f64 - 1.0))
    }
}

impl Across {
    fn halves(self) -> Option<[Self; 2]> {
        let Self { mid, g, cuts } = self;
        let half = |mid| Self { mid, g: 0.5 * g, cuts: cuts + 1 };
        (cuts < MAX_CUTS).then(|| [half(mid - 0.5 * g), half(mid + 0.5 * g)])
    }
}

#[derive(Clone, Copy)]
enum End {
    A,
    B,
}

struct Sweep<'a> {
    motion: &'a RobotMotion,
    body: u32,
    lss: Lss,
    budget: Budget,
    out: SweptSurface,
}

fn too_fine() -> Error {
    Error::usage("the surface of a swept volume has too many triangles").remedy("allow a larger deviation")
}

impl Sweep<'_> {
    fn paths(&self, time: Time) -> AxisPaths {
        AxisPaths::new(self.motion, self.body, [self.lss.a, self.lss.b], time.mid, time.h)
    }

    fn radius_m(&self) -> f64 {
        self.lss.radius + self.budget.growth_m
    }

    /// Largest distance of a patch from the segment that replaces it, metres.
    fn slack_m(&self) -> f64 {
        0.5 * self.budget.growth_m
    }

    /// Both offset surfaces of a patch.
    fn add_sheets(&mut self, time: Time, across: Across) -> Result<()> {
        let paths = self.paths(time);
        if let Some(segment) = self.segment(&paths, time, across) {
            return self.add_stand_in(segment);
        }
        let bounds = paths.sheet(self.radius_m(), time.h, across.mid, across.g);
        let steps = bounds.and_then(|d| d.steps([2.0 * time.h, 2.0 * across.g], self.budget.tolerance_m));
        let in_time = match steps {
            Some([n, m]) if n * m <= MAX_CELLS => return self.add_flat_sheets(time, across, [n, m]),
            Some([n, m]) => n >= m,
            None => {
                let normal = paths.normal(time.h, across.mid, across.g);
                time.h * normal.u.most() >= across.g * normal.v.most()
            }
        };
        match (time.halves(), across.halves()) {
            (Some([a, b]), other) if in_time || other.is_none() => {
                self.add_sheets(a, across)?;
                self.add_sheets(b, across)
            }
            (_, Some([a, b])) => {
                self.add_sheets(time, a)?;
                self.add_sheets(time, b)
            }
            (Some(_) | None, None) => Err(too_fine()),
        }
    }

    /// A segment along the axis such that the patch is within [`slack_m`](Self::slack_m) of the segment, and the
    /// segment within it of the patch, if there is such a segment.
    ///
    /// With `x_t` within `R` of `X` on the patch, `x(t, s)` is within `h R` of `x(mid, s) + τ X`. The component of `τ
    /// X` along the axis lengthens the segment at both ends, which the ends pass over; the rest, plus `h R`, is the
    /// distance.
    fn segment(&self, paths: &AxisPaths, time: Time, across: Across) -> Option<[DVec3; 2]> {
        let velocity = paths.blend(0, across.mid, across.g);
        let (a, delta) = (paths.a.middle[0].centre, paths.delta.middle[0].centre);
        let axis = delta.normalize_or_zero();
        let along = velocity.centre.dot(axis);
        let off = (velocity.centre - axis * along).length() + velocity.radius;
        let at = |s: f64, way: f64| a + delta * s + axis * (way * time.h * along.abs());
        let segment = [at(across.mid - across.g, -1.0), at(across.mid + across.g, 1.0)];
        (time.h * off <= self.slack_m()).then_some(segment)
    }

    fn add_flat_sheets(&mut self, time: Time, across: Across, [n, m]: [usize; 2]) -> Result<()> {
        let mut sides: [Vec<Vec<DVec3>>; 2] = Default::default();
        for t in time.ends(n) {
            let AxisPaths { a, delta, .. } = self.paths(Time { mid: t, h: 0.0, cuts: 0 });
            let [[a, va], [d, vd]] = [a.middle, delta.middle].map(|p| p.map(|v| v.centre));
            let row = |sign: f64| {
                let at = |j: usize| {
                    let s = across.mid + across.g * (2.0 * j as f64 / m as f64 - 1.0);
                    a + d * s + (va + vd * s).cross(d).normalize_or_zero() * (sign * self.radius_m())
                };
                (0..=m).map(at).collect()
            };
            sides[0].push(row(1.0));
            sides[1].push(row(-1.0));
        }
        sides.into_iter().for_each(|rows| add_rows(rows, &mut self.out.triangles));
        self.out.n_sheets += 1;
        self.check_size()
    }

    /// The pipe about the path of one end.
    fn add_pipe(&mut self, end: End, time: Time) -> Result<()> {
        let path = self.path(end, time);
        let velocity = path.derivative[0];
        if time.h * velocity.most() <= self.slack_m() {
            return self.add_stand_in([path.middle[0].centre; 2]);
        }
        // The coordinate axis that is farthest from the path's direction.
        let size = velocity.centre.abs();
        let k = if size.x <= size.y.min(size.z) {
            DVec3::X
        } else if size.y <= size.z {
            DVec3::Y
        } else {
            DVec3::Z
        };
        let bounds = path.pipe(self.radius_m(), time.h, k);
        match bounds.and_then(|d| d.steps([2.0 * time.h, TAU], self.budget.tolerance_m)) {
            Some([n, m]) if n <= MAX_RINGS => {
                let ring = |t: f64| {
                    let [at, velocity] = self.path(end, Time { mid: t, h: 0.0, cuts: 0 }).middle.map(|v| v.centre);
                    let b1 = velocity.cross(k).normalize_or_zero();
                    let b2 = velocity.cross(b1).normalize_or_zero();
                    let around = (0..=m).map(|j| (TAU * j as f64 / m as f64).sin_cos());
                    around.map(|(sin, cos)| at + (b1 * cos + b2 * sin) * self.radius_m()).collect()
                };
                let rings: Vec<Vec<DVec3>> = time.ends(n).map(ring).collect();
                add_rows(rings, &mut self.out.triangles);
                self.out.n_pipes += 1;
                self.check_size()
            }
            _ => {
                let [a, b] = time.halves().ok_or_else(too_fine)?;
                self.add_pipe(end, a)?;
                self.add_pipe(end, b)
            }
        }
    }

    fn path(&self, end: End, time: Time) -> Path {
        let paths = self.paths(time);
        match end {
            End::A => paths.a,
            End::B => paths.b,
        }
    }

    /// The capsule about a segment that replaces a patch.
    fn add_stand_in(&mut self, segment: [DVec3; 2]) -> Result<()> {
        let tolerance = 0.5 * self.budget.tolerance_m;
        self.add_round(segment, self.lss.radius + self.slack_m() + 0.5 * self.budget.growth_m, tolerance)
    }

    /// A capsule, or a ball if the ends coincide.
    fn add_round(&mut self, ends: [DVec3; 2], radius_m: f64, tolerance_m: f64) -> Result<()> {
        // Latitude and longitude on a sphere: the second derivatives are at most the radius.
        let sphere = SecondDerivatives { uu: radius_m, uv: radius_m, vv: radius_m };
        let [n, m] = sphere.steps([FRAC_PI_2, TAU], tolerance_m).ok_or_else(too_fine)?;
        add_capsule(ends, radius_m, [n, m.max(3)], &mut self.out.triangles);
        self.out.n_round += 1;
        self.check_size()
    }

    fn check_size(&self) -> Result<()> {
        if self.out.triangles.len() <= MAX_TRIANGLES { Ok(()) } else { Err(too_fine()) }
    }
}
