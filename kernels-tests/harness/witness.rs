//! Checks of a contact's record for its two triangles, by the oracles' own kinematics.

use crate::oracle::chain::{self, Part};
use crate::oracle::poses::Articulated;
use crate::oracle::triangles::{self, on_segment, on_triangle};
use firstcontact::verdict::{Contact, Feature};
use glam::DVec3;

type Triangle = [DVec3; 3];

/// Difference of distances, metres, up to which pairs of features count as equally near (guide, "Contact").
const TIE_M: f64 = 1e-9;

/// The two triangles of a pair at a time.
pub fn at(pair: &Articulated, t: f64) -> (Triangle, Triangle) {
    let corners = |i: usize| {
        let (chain, points) = &pair.bodies[i];
        [points[0], points[1], points[2]].map(|p| chain::position(chain, t, p))
    };
    (corners(0), corners(1))
}

/// Distance of the two triangles at a time.
pub fn distance(pair: &Articulated, t: f64) -> f64 {
    let (x, y) = at(pair, t);
    triangles::distance(&x, &y)
}

/// The largest displacement of the moving triangle's corners from one time to another.
pub fn travel(pair: &Articulated, from: f64, to: f64) -> f64 {
    let (x, y) = (at(pair, from).0, at(pair, to).0);
    (0..3).map(|i| x[i].distance(y[i])).fold(0.0, f64::max)
}

/// The faults of a record; `pair` contains its two triangles, and `near` is the largest allowed distance of the point
/// from the nearest pair of features. The reported pair may be farther apart by [`TIE_M`].
pub fn faults(contact: &Contact, pair: &Articulated, near: f64) -> Vec<String> {
    let mut faults = Vec::new();
    let [lo, hi] = contact.toc;
    let mut hold = |what: &str, holds: bool| {
        if !holds {
            faults.push(format!("{what}: {contact:?}"));
        }
    };
    hold("the enclosure is no interval", (0.0..=1.0).contains(&lo) && lo <= hi && hi <= 1.0);
    hold("certified but not proved", contact.is_proved() || !contact.is_certified());
    hold("not proved, but the enclosure does not go to the end", contact.is_proved() || hi == 1.0);
    let (x, y) = at(pair, lo);
    let point = DVec3::from_array(contact.first.unwrap().point);
    let off = |feature: Feature, t: &Triangle| {
        let on = match feature {
            Feature::Vertex(k) => t[usize::from(k)],
            Feature::Edge(k) => on_segment(point, t[usize::from(k)], t[usize::from((k + 1) % 3)]),
            Feature::Face => on_triangle(point, t),
        };
        point.distance(on)
    };
    let (off_a, off_b) = (off(contact.first.unwrap().a.feature, &x), off(contact.first.unwrap().b.feature(), &y));
    hold(&format!("the point is {off_a:e} from the link's feature"), off_a <= near + TIE_M);
    hold(&format!("the point is {off_b:e} from the object's feature"), off_b <= near + TIE_M);
    let nearest = triangles::distance(&x, &y);
    hold(&format!("the nearest features are {nearest:e} apart"), off_a + off_b <= nearest + near + TIE_M);
    let normal = DVec3::from_array(contact.first.unwrap().normal);
    hold("the normal is no unit vector", (normal.length() - 1.0).abs() < 1e-12);
    let expected = match (contact.first.unwrap().a.feature, contact.first.unwrap().b.feature()) {
        (_, Feature::Face) => (y[1] - y[0]).cross(y[2] - y[0]),
        (Feature::Face, _) => (x[1] - x[0]).cross(x[2] - x[0]),
        (Feature::Edge(j), Feature::Edge(k)) => {
            let along = |t: &Triangle, k: u8| t[usize::from((k + 1) % 3)] - t[usize::from(k)];
            along(&x, j).cross(along(&y, k))
        }
        _ => DVec3::ZERO,
    };
    if let Some(expected) = expected.try_normalize() {
        // the normals of nearly parallel edges and of needles are meaningless
        let size = x.iter().chain(&y).map(|p| p.length()).fold(0.0, f64::max);
        let slender = |t: &Triangle| {
            let longest = t[0].distance(t[1]).max(t[1].distance(t[2])).max(t[2].distance(t[0]));
            (t[1] - t[0]).cross(t[2] - t[0]).length() < 1e-6 * longest * size
        };
        if !slender(&x) && !slender(&y) {
            hold("the normal is not that of the features", expected.cross(normal).length() < 1e-6);
        }
    }
    if contact.is_certified() && !contact.initial_overlap {
        // at first contact the point approaches: against the normal, which points to the robot
        let velocity = velocity(&pair.bodies[0].0, lo, point);
        let approach = velocity.dot(normal);
        // the rounding error of a difference over such a short time
        let noise = 8.0 * f64::EPSILON * point.length() / STEP;
        hold(&format!("the robot leaves at {approach:e}"), approach <= 1e-6 * velocity.length() + noise);
    }
    faults
}

/// Half the time over which a velocity is measured.
pub const STEP: f64 = 1e-6;

/// The velocity of the point of the moving body that is at `p` at time `t`, by a finite difference.
pub fn velocity(chain: &[Part], t: f64, p: DVec3) -> DVec3 {
    let at = |t: f64, p: DVec3| chain::position(chain, t, p);
    let origin = at(t, DVec3::ZERO);
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|e| at(t, e) - origin);
    let local = DVec3::from_array(axes.map(|a| a.dot(p - origin)));
    (at(t + STEP, local) - at(t - STEP, local)) / (2.0 * STEP)
}
