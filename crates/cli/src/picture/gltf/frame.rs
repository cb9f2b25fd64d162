//! The visible region of each motion, and the direction from which to look at it.

use super::{ShownMotion, touch};
use crate::picture::sight::Sight;
use crate::picture::subject::{Poses, Subject};
use crate::picture::{posed, viewpoint};
use firstcontact::engine::Engine;
use firstcontact::error::Result;
use firstcontact::robot::MotionBatch;
use glam::DVec3;
use serde::Serialize;

/// Number of times at which a motion is sampled.
const MOMENTS: usize = 9;
/// Number of points that are sampled on all motions together.
const POINTS: usize = 4000;
/// Aspect ratio (width divided by height) for which a direction is chosen.
const ASPECT: f64 = 1.6;

/// The view of one motion.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Frame {
    /// The centre of the visible region, local coordinates, metres.
    pub focus_m: [f64; 3],
    /// Half the diagonal of the visible region, metres.
    pub extent_m: f64,
    /// Angle about z from the x axis to the camera, degrees.
    pub azimuth_deg: f64,
    /// Angle above the horizontal plane, degrees.
    pub elevation_deg: f64,
}

impl Frame {
    /// The view of a motion, given by points along it in local coordinates, and of its contact.
    pub fn new(engine: &Engine, motions: &MotionBatch, shown: &ShownMotion, way: &[DVec3]) -> Result<Self> {
        let world = engine.world();
        let contact = touch(shown.verdict);
        let local = |point: [f64; 3]| DVec3::from_array(point) - world.origin_m;
        let points: Vec<DVec3> = way.iter().copied().chain(contact.map(|c| local(c.point))).collect();
        let (focus, extent_m) = middle_and_size(&points);
        let poses = Poses::new(engine, motions, shown.at, shown.verdict)?;
        let posed = posed(&world.robot, &poses);
        let subject = Subject::new(world, &poses, &posed, contact, Vec::new());
        let view = viewpoint::choose(&subject, &Sight::new(world, &posed)?, ASPECT);
        let (azimuth_deg, elevation_deg) = (view.azimuth_deg, view.elevation_deg);
        Ok(Self { focus_m: focus.to_array(), extent_m, azimuth_deg, elevation_deg })
    }
}

/// Points of the moving links along each motion; of all links if none moves. Local coordinates.
pub fn points_of_ways(engine: &Engine, motions: &MotionBatch, shown: &[ShownMotion]) -> Result<Vec<Vec<DVec3>>> {
    let world = engine.world();
    let along = |s: &ShownMotion| {
        let time = |k: usize| k as f64 / (MOMENTS - 1) as f64;
        (0..MOMENTS).map(|k| engine.body_poses(motions, s.at, time(k))).collect::<Result<Vec<_>>>()
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
    let n_corners = of.iter().map(|l| 3 * l.triangles.len()).sum::<usize>() * MOMENTS * shown.len();
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
