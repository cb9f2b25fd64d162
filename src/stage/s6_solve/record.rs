//! The record of a contact: features on both sides, point, normal.

use super::pair::{Motions, Pair};
use crate::arith::linear::V3;
use crate::enclosure::pose_jet::PoseJet;
use crate::predicate::features::{Nearest, all_nearest, nearest, nearest_in_triangle};
use crate::predicate::piercing::piercing_edge;
use crate::scene::world::CollisionWorld;
use crate::verdict::{ContactPoint, Feature, ObstacleFeature};
use glam::DVec3;

/// Difference of distances, metres, below which features are treated as equally near: a contact is detected up to the
/// tolerance in time before it happens.
const TIE_M: f64 = 1e-9;

/// Distance of nearest points, metres, above which they are not about to touch, but apart by a margin.
const APART_M: f64 = 1e-7;

/// The points at which a pair touches at a time, which is the start of its enclosure: for the features that are
/// reported first, or for all that are equally near. Parallel edges touch at the two ends of their common part.
pub fn touches(world: &CollisionWorld, motions: &Motions, pair: &Pair, at: f64, all: bool) -> Vec<ContactPoint> {
    let pose = motions.of(pair).body_at::<1>(pair.body, at);
    let moving = pair.points(&pose);
    let point = |v: V3<f64>| DVec3::from_array(v.0);
    let (x, y) = (moving.map(|p| point(p.c[0])), pair.tri.y.map(point));
    let velocity = |p: DVec3| velocity_at(&pose.jet, p);
    let near = match piercing(x, y, piercing_edge(&moving, &pair.tri)) {
        Some(pierced) => vec![pierced],
        None if all => all_nearest(x, y, TIE_M),
        None => vec![nearest(x, y, TIE_M)],
    };
    let mut points: Vec<_> = near.iter().flat_map(|near| touch(world, pair, x, y, &velocity, near)).collect();
    if let Some(within) = pair.within {
        let body = world.links[world.frames[within.frame as usize].link as usize].body;
        let pose = motions.robot.body_at::<0>(body, at).jet;
        points.iter_mut().for_each(|p| to_world(p, &pose, pair));
    }
    points.iter_mut().for_each(|p| p.point = (DVec3::from_array(p.point) + world.origin_m).to_array());
    points
}

/// The velocity of the point of a body that is at `p`. The triangle is not used: it may have no area.
fn velocity_at(PoseJet { x, p }: &PoseJet<f64>, at: DVec3) -> DVec3 {
    let apart = V3(at.to_array()) - x[0];
    let column = |j: usize| V3([p[0].0[0][j], p[0].0[1][j], p[0].0[2][j]]);
    let in_body = V3([0, 1, 2].map(|j| column(j).dot(apart)));
    DVec3::from_array((x[1] + p[1].apply(in_body)).0)
}

/// Moves a contact of two links from the frame of the one at rest to the robot's frame. The two are already in the
/// order of the robot; the normal still points to the link that moves.
fn to_world(at: &mut ContactPoint, PoseJet { x, p }: &PoseJet<f64>, pair: &Pair) {
    let sign = if pair.shape == pair.moving { 1.0 } else { -1.0 };
    at.point = (x[0] + p[0].apply(V3(at.point))).0;
    at.normal = p[0].apply(V3(at.normal)).times(sign).0;
}

/// The points at which two features touch: twice the same, or for parallel edges the ends of their common part.
fn touch(
    world: &CollisionWorld,
    pair: &Pair,
    x: [DVec3; 3],
    y: [DVec3; 3],
    velocity: &dyn Fn(DVec3) -> DVec3,
    near: &Nearest,
) -> [ContactPoint; 2] {
    let Nearest { a, b, on_a, on_b, normal: along } = *near;
    // The normal points from the scene to the robot. Where the two are apart, within a margin, it is the direction
    // between them. Where they touch, it is that of the features, and the robot moves against it; if the velocity does
    // not decide (sliding, rest), the side on which the robot's triangle is does.
    let (speed, apart) = (velocity(on_a), on_a - on_b);
    let along = if apart.length() > APART_M { apart } else { along };
    let normal = along.try_normalize().or_else(|| apart.try_normalize()).unwrap_or(DVec3::Z);
    let approach = normal.dot(speed);
    let sign = if apart.length() > APART_M {
        1.0
    } else if approach.abs() > 1e-9 * speed.length() {
        -approach
    } else {
        normal.dot((x[0] + x[1] + x[2]) / 3.0 - on_b)
    };
    let normal = if sign < 0.0 { -normal } else { normal };
    let edge = |t: [DVec3; 3], k: u8| [t[k as usize], t[(k as usize + 1) % 3]];
    let points = match (a, b) {
        (Feature::Vertex(_), _) => [on_a; 2],
        (_, Feature::Vertex(_)) => [on_b; 2],
        (Feature::Edge(i), Feature::Edge(j)) => common_part(edge(x, i), edge(y, j)).unwrap_or([(on_a + on_b) * 0.5; 2]),
        _ => [(on_a + on_b) * 0.5; 2],
    };
    let moving = world.link_feature(pair.moving, world.links[pair.moving as usize].tree.order[pair.x as usize], a);
    let (a, b) = match pair.within {
        Some(within) => {
            let frame = &world.frames[within.frame as usize];
            let fixed = world.link_feature(frame.link, frame.world.scene.tree.order[pair.y as usize], b);
            let (first, second) = if pair.shape == pair.moving { (moving, fixed) } else { (fixed, moving) };
            (first, ObstacleFeature::Link(second))
        }
        None => (moving, ObstacleFeature::Scene(world.scene_feature(pair.y, b))),
    };
    points.map(|p| ContactPoint { a, b, point: p.to_array(), normal: normal.to_array() })
}

/// The ends of the common part of two edges that are parallel; `None` if they are not.
fn common_part([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> Option<[DVec3; 2]> {
    let (d1, d2) = (q - p, s - r);
    if d1.cross(d2).length_squared() > 1e-12 * d1.length_squared() * d2.length_squared() {
        return None;
    }
    let direction = d1.try_normalize()?;
    let along = |v: DVec3| direction.dot(v - p);
    let (from, to) = (along(r).min(along(s)).max(0.0), along(r).max(along(s)).min(d1.length()));
    (from <= to).then(|| [from, to].map(|t| p + direction * t))
}

/// The piercing edge and the pierced face, for triangles that pierce each other at the start and have no nearest
/// features.
fn piercing(x: [DVec3; 3], y: [DVec3; 3], edge: Option<(bool, u8)>) -> Option<Nearest> {
    let (of_x, k) = edge?;
    let (edge, pierced) = if of_x { (x, y) } else { (y, x) };
    let normal = (pierced[1] - pierced[0]).cross(pierced[2] - pierced[0]);
    let (p, q) = (edge[k as usize], edge[(k as usize + 1) % 3]);
    let (dp, dq) = (normal.dot(p - pierced[0]), normal.dot(q - pierced[0]));
    let on_a = nearest_in_triangle(p + (q - p) * (dp / (dp - dq)), pierced);
    let (a, b) = if of_x { (Feature::Edge(k), Feature::Face) } else { (Feature::Face, Feature::Edge(k)) };
    Some(Nearest { a, b, on_a, on_b: on_a, normal })
}
