//! Toleranced motions: fat bodies contain their orbits, balls their motions; covered motions are free; defects of the
//! literal method show, and tampered certificates are rejected.

mod agreement;
mod balls;
mod certificates;
mod command;
mod defects;
mod experiments;
mod kernel;
mod orbits;
mod worklist;

use firstcontact::toleranced::enclosure::{Map, Vector, middle};
use firstcontact::toleranced::face::{Face, Fixed};
use firstcontact::toleranced::motion::{Motion, Piece, Span};
use firstcontact::toleranced::problem::Problem;
use firstcontact::toleranced::search::{Bodies, Covering, Options, cover, fixed_tree, moving_tree};
use glam::DVec3;

/// Searches a problem pair by pair or by ranges.
fn covering(problem: &Problem, pairs: bool) -> Covering {
    let shapes = problem.shapes().unwrap_or_else(|e| panic!("{e}"));
    let (moving_tree, fixed_tree) = (moving_tree(&shapes.moving), fixed_tree(&shapes.fixed));
    let bodies =
        Bodies { moving: &shapes.moving, moving_tree: &moving_tree, fixed: &shapes.fixed, fixed_tree: &fixed_tree };
    let options = Options { pairs, ..Options::new(problem.limits) };
    cover(&bodies, &problem.motion.motion().unwrap(), &options)
}

/// The image of a point in the plane of a face.
fn image(map: &Map, [x, y]: [f64; 2]) -> DVec3 {
    DVec3::from_array(map.point(Vector::exact([x, y, 0.0])).0.map(middle))
}

/// The middle map of a part of a motion.
fn pose(motion: &dyn Motion, span: Span) -> Map {
    match motion.piece(span) {
        Some(Piece::Hull { middle, .. } | Piece::Taylor { middle, .. }) => middle,
        None => panic!("nothing is known of {span:?}"),
    }
}

/// Distance between a moving polygon and a fixed one, by their triangles.
fn distance(face: &Face, map: &Map, fixed: &Fixed) -> f64 {
    let map = map.after(&face.frame);
    let moving: Vec<DVec3> = face.corners.iter().map(|c| image(&map, *c)).collect();
    let fixed: Vec<DVec3> = fixed.about.iter().map(|c| DVec3::from_array(*c)).collect();
    let fan = |p: &[DVec3]| (1..p.len() - 1).map(|i| [p[0], p[i], p[i + 1]]).collect::<Vec<_>>();
    let mut least = f64::INFINITY;
    for x in fan(&moving) {
        for y in fan(&fixed) {
            least = least.min(crate::oracle::triangles::distance(&x, &y));
        }
    }
    least
}
