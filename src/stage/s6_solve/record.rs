//! The record of a contact: features on both sides, point, normal.

use super::Pair;
use super::features::{Nearest, nearest, nearest_in_triangle};
use super::search::piercing_at;
use crate::model::world::World;
use crate::motion::ModelMotion;
use crate::verdict::{Contact, Feature, RobotFeature, SceneFeature};
use glam::DVec3;

/// Features whose distances differ by less than this are taken as equally near, metres: a contact is seen up to the
/// tolerance in time before it happens.
const TIE_M: f64 = 1e-9;

/// The contact of a pair at the start of its enclosure; `proved`, `certified` and the like are left to the caller, the
/// point is in local coordinates.
pub fn contact(world: &World, motion: &ModelMotion, pair: &Pair, toc: [f64; 2]) -> Contact {
    let at = toc[0];
    let bound = motion.body_bound(pair.body, at, 0.0);
    let moving = pair.e.map(|e| bound.point(e, pair.reach));
    let point = |v: crate::numeric::linear::V3<f64>| DVec3::from_array(v.0);
    let (x, y) = (moving.map(|p| point(p.c[0])), pair.tri.y.map(point));
    let velocity = moving.map(|p| point(p.c[1]));
    let (a, b, on_a, on_b, along) = features(x, y, motion, pair, at);
    // The normal points from the scene to the robot. While they approach, the robot moves against it; where that does
    // not tell (sliding, rest), the side on which the robot's triangle lies does.
    let speed = nearest_velocity(x, velocity, on_a);
    let normal = along.try_normalize().or_else(|| (on_a - on_b).try_normalize()).unwrap_or(DVec3::Z);
    let approach = normal.dot(speed);
    let sign =
        if approach.abs() > 1e-9 * speed.length() { -approach } else { normal.dot((x[0] + x[1] + x[2]) / 3.0 - on_b) };
    let normal = if sign < 0.0 { -normal } else { normal };
    let point = match (a, b) {
        (Feature::Vertex(_), _) => on_a,
        (_, Feature::Vertex(_)) => on_b,
        _ => (on_a + on_b) * 0.5,
    };
    let shape = &world.links[pair.shape as usize];
    let triangle = shape.tree.order[pair.x as usize];
    let in_scene = world.scene.tree.order[pair.y as usize];
    Contact {
        toc,
        proved: false,
        certified: false,
        initial_overlap: false,
        a: RobotFeature {
            link: shape.link,
            shape: world.robot.links[shape.link as usize].shape_of(triangle),
            triangle,
            feature: a,
        },
        b: SceneFeature {
            object: pair.object,
            triangle: in_scene - world.scene.objects[pair.object as usize].first_triangle,
            feature: b,
        },
        point: point.to_array(),
        normal: normal.to_array(),
    }
}

/// The features, their nearest points and a vector along the normal. Triangles that pierce each other at the start have
/// no nearest features: the piercing edge and the pierced face are named.
fn features(
    x: [DVec3; 3],
    y: [DVec3; 3],
    motion: &ModelMotion,
    pair: &Pair,
    at: f64,
) -> (Feature, Feature, DVec3, DVec3, DVec3) {
    let face = |t: [DVec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]);
    if let Some((of_x, k)) = piercing_at(motion, pair, at) {
        let (edge, pierced) = if of_x { (x, y) } else { (y, x) };
        let (p, q, n) = (edge[k as usize], edge[(k as usize + 1) % 3], face(pierced));
        let (dp, dq) = (n.dot(p - pierced[0]), n.dot(q - pierced[0]));
        let through = nearest_in_triangle(p + (q - p) * (dp / (dp - dq)), pierced);
        let (a, b) = if of_x { (Feature::Edge(k), Feature::Face) } else { (Feature::Face, Feature::Edge(k)) };
        return (a, b, through, through, n);
    }
    let Nearest { a, b, on_a, on_b, normal } = nearest(x, y, TIE_M);
    (a, b, on_a, on_b, normal)
}

/// The velocity of the point of the moving triangle, by its barycentric coordinates.
fn nearest_velocity(x: [DVec3; 3], v: [DVec3; 3], p: DVec3) -> DVec3 {
    let n = (x[1] - x[0]).cross(x[2] - x[0]);
    let n2 = n.length_squared();
    if !(n2 > 0.0) {
        return (v[0] + v[1] + v[2]) / 3.0;
    }
    let (s, t) = ((p - x[0]).cross(x[2] - x[0]).dot(n) / n2, (x[1] - x[0]).cross(p - x[0]).dot(n) / n2);
    v[0] * (1.0 - s - t) + v[1] * s + v[2] * t
}
