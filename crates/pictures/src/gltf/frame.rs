//! The visible region of each motion, and the direction from which to look at it.

use super::{ShownMotion, touch};
use crate::course::Clock;
use crate::sight::Sight;
use crate::subject::{Poses, Subject};
use crate::{posed, viewpoint};
use firstcontact::engine::Engine;
use firstcontact::error::Result;
use glam::DVec3;
use serde::Serialize;

/// Number of times at which a motion is sampled; trajectories have more.
const MOMENTS: usize = 9;
/// Number of points that are sampled on all motions together.
const POINTS: usize = 4000;
/// Aspect ratio (width divided by height) for which a direction is chosen.
const ASPECT: f64 = 1.6;

/// The view of one motion.
#[derive(Clone, Debug, Serialize)]
pub struct Frame {
    /// The centre of the visible region, local coordinates, metres.
    pub focus_m: [f64; 3],
    /// Half the diagonal of the visible region, metres.
    pub extent_m: f64,
    /// Angle about z from the x axis to the camera, degrees.
    pub azimuth_deg: f64,
    /// Angle above the horizontal plane, degrees.
    pub elevation_deg: f64,
    /// The clock of a trajectory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
}

impl Frame {
    /// The view of a motion, given by points along it in local coordinates, and of its contact.
    pub fn new(engine: &Engine, shown: &ShownMotion, way: &[DVec3]) -> Result<Self> {
        let world = engine.world();
        let contact = touch(&shown.answer.verdict);
        let local = |point: [f64; 3]| DVec3::from_array(point) - world.origin_m;
        let points: Vec<DVec3> = way.iter().copied().chain(contact.map(|c| local(c.point))).collect();
        let (focus, extent_m) = middle_and_size(&points);
        let poses = Poses::new(engine, shown.course, shown.answer)?;
        let posed = posed(&world.robot, &poses);
        let subject = Subject::new(world, &poses, &posed, contact, Vec::new());
        let view = viewpoint::choose(&subject, &Sight::new(world, &posed)?, ASPECT);
        let (azimuth_deg, elevation_deg) = (view.azimuth_deg, view.elevation_deg);
        let clock = shown.course.clock(shown.answer);
        Ok(Self { focus_m: focus.to_array(), extent_m, azimuth_deg, elevation_deg, clock })
    }
}

/// Points of the moving links along each motion; of all links if none moves. Local coordinates.
pub fn points_of_ways(engine: &Engine, shown: &[ShownMotion]) -> Result<Vec<Vec<DVec3>>> {
    let world = engine.world();
    let along = |s: &ShownMotion| {
        s.course.moments(MOMENTS).into_iter().map(|time| s.course.poses(engine, time)).collect::<Result<Vec<_>>>()
    };
    let poses: Vec<_> = shown.iter().map(along).collect::<Result<_>>()?;
    let moves = |body: usize| {
        let mut all = poses.iter().flatten();
        let first = all.next();
        all.any(|p| first.is_some_and(|first| !p[body].abs_diff_eq(first[body], 1e-9)))
    };
    let links = &world.robot.links;
    let mut of: Vec<_> = links.iter().filter(|l| moves(l.body as usize)).collect();
    if of.is_empty() {
        of = links.iter().collect();
    }
    let n_moments: usize = poses.iter().map(Vec::len).sum();
    let n_corners = of.iter().map(|l| 3 * l.triangles.len()).sum::<usize>() * n_moments;
    let step = n_corners.div_ceil(POINTS).max(1);
    let points = |along: &Vec<Vec<glam::DAffine3>>| {
        let corners = along.iter().flat_map(|p| {
            of.iter().flat_map(|l| l.triangles.iter().flatten().map(|v| p[l.body as usize].transform_point3(*v)))
        });
        corners.step_by(step).map(|v| v - world.origin_m).collect()
    };
    Ok(poses.iter().map(points).collect())
}

/// The centre of the box around points, and half its diagonal, metres.
pub fn middle_and_size(points: &[DVec3]) -> (DVec3, f64) {
    let empty = (DVec3::splat(f64::INFINITY), DVec3::splat(f64::NEG_INFINITY));
    let (lo, hi) = points.iter().fold(empty, |(lo, hi), p| (lo.min(*p), hi.max(*p)));
    if lo.is_finite() && hi.is_finite() {
        (0.5 * (lo + hi), (0.5 * (hi - lo).length()).max(1e-3))
    } else {
        (DVec3::ZERO, 1.0)
    }
}
