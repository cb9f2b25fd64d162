//! Choice of the view that shows motion and contact best with the least of the scene cut away.

use super::camera::{Camera, View, breadth};
use super::sight::Sight;
use super::subject::Subject;
use glam::DVec3;
use rayon::prelude::*;
use std::collections::HashMap;

/// Number of azimuths that are tried.
const AZIMUTHS: usize = 24;
/// Elevations that are tried, degrees.
const ELEVATIONS_DEG: [f64; 5] = [12.0, 20.0, 28.0, 40.0, 56.0];
/// The elevation at which most pictures look natural, degrees.
const NATURAL_DEG: f64 = 24.0;
/// Number of points that represent the subject when views are compared.
const SAMPLES: usize = 160;
/// Number of places, horizontally and vertically, at which a view is probed for planes that fill the picture.
const PROBES: [usize; 2] = [12, 8];
/// The share of a picture that one plane may take without a penalty.
const MAX_SLAB: f64 = 0.35;
/// Distance of places around the contact from it, relative to half the size of the shown region.
const CONTACT_RING: f64 = 0.02;

/// The view for a subject; `aspect` is the picture's width divided by its height.
pub fn choose(subject: &Subject, sight: &Sight, aspect: f64) -> View {
    let views: Vec<View> = (0..AZIMUTHS)
        .flat_map(|i| {
            let azimuth_deg = i as f64 * 360.0 / AZIMUTHS as f64;
            ELEVATIONS_DEG.map(|elevation_deg| View { azimuth_deg, elevation_deg })
        })
        .collect();
    let broadest = views.iter().map(|view| breadth(*view, &subject.moving)).fold(0.0, f64::max).max(1e-12);
    let merit = |view: &View| {
        let camera = Camera::new(*view, subject, aspect);
        breadth(*view, &subject.moving) / broadest + clearness(*view, &camera, subject, sight)
    };
    let merits: Vec<f64> = views.par_iter().map(merit).collect();
    // Of equal views the first is chosen, independent of the number of threads.
    let best = (0..views.len()).reduce(|best, i| if merits[i] > merits[best] { i } else { best });
    best.map_or(View { azimuth_deg: 30.0, elevation_deg: NATURAL_DEG }, |i| views[i])
}

/// The merit of a view, apart from its breadth; the weights are a matter of taste.
fn clearness(view: View, camera: &Camera, subject: &Subject, sight: &Sight) -> f64 {
    let (eye, toward) = (camera.eye(), camera.toward());
    let lift = 2e-3 * camera.extent_m;
    let object = |i: usize| sight.world.scene.object[i];
    // Objects in front of the subject, and the number of points that each of them hides.
    let mut hiding: HashMap<u32, usize> = HashMap::new();
    let mut hidden = 0;
    let touched = subject.touched.map(object);
    let samples = samples(subject, SAMPLES);
    for p in &samples {
        let mut met: Vec<u32> = Vec::new();
        sight.each_met(*p + toward * lift, eye, |_, i| met.push(object(i)));
        met.sort_unstable();
        met.dedup();
        // The touched object cannot be left out.
        hidden += if touched.is_some_and(|t| met.contains(&t)) { 2 } else { usize::from(!met.is_empty()) };
        met.into_iter().for_each(|o| *hiding.entry(o).or_default() += 1);
    }
    let mut merit = -0.7 * hidden as f64 / samples.len().max(1) as f64;
    merit -= 1.2 * (view.elevation_deg - NATURAL_DEG).to_radians().sin().abs();
    merit -= slab(camera, sight, |i| !hiding.contains_key(&object(i)));
    if let Some([at, normal]) = subject.contact {
        merit += 0.5 * (1.0 - normal.dot(toward).powi(2)).max(0.0).sqrt();
        let places = contact_places(camera, at, normal);
        for place in places {
            let free = place + (normal * 0.25 + toward) * lift;
            merit -= f64::from(u8::from(sight.is_blocked_by_robot(free, eye))) / places.len() as f64;
            merit -= 0.7 * f64::from(u8::from(sight.first_met(free, eye, |_| true).is_some())) / places.len() as f64;
        }
        let beyond = beyond_contact(camera, at, normal);
        let seen = beyond.iter().filter(|p| !sight.is_blocked_by_robot(**p, eye)).count();
        merit += 0.7 * seen as f64 / beyond.len() as f64;
    }
    merit
}

/// The contact, and places around it and along its normal.
pub fn contact_places(camera: &Camera, at: DVec3, normal: DVec3) -> [DVec3; 6] {
    let (u, v) = camera.toward().any_orthonormal_pair();
    let r = CONTACT_RING * camera.extent_m;
    [at, at + u * r, at - u * r, at + v * r, at - v * r, at + normal * 4.0 * r]
}

/// Places on the touched object's side of the contact.
fn beyond_contact(camera: &Camera, at: DVec3, normal: DVec3) -> Vec<DVec3> {
    let (u, v) = normal.any_orthonormal_pair();
    let sides = [DVec3::ZERO, u, -u, v, -v];
    let place = |depth: f64| sides.map(|side| at + (side - normal) * (depth * camera.extent_m));
    [0.04, 0.09].into_iter().flat_map(place).collect()
}

/// At most about `n` points of the moving parts, of the robot at the time that the picture shows, and of its ghosts.
pub fn samples(subject: &Subject, n: usize) -> Vec<DVec3> {
    let some = |points: &[DVec3]| {
        let step = (3 * points.len()).div_ceil(n).max(1);
        points.iter().copied().step_by(step).collect::<Vec<_>>()
    };
    [some(&subject.moving), some(&subject.robot), some(&subject.ghosts)].concat()
}

/// The penalty for a plane that fills the picture; it is larger if the plane is seen more frontally.
fn slab(camera: &Camera, sight: &Sight, counts: impl Fn(usize) -> bool) -> f64 {
    let [across, down] = PROBES;
    let far_m = camera.farthest_m() + 3.0 * camera.extent_m;
    let mut planes: HashMap<(u32, [i64; 3]), f64> = HashMap::new();
    for k in 0..across * down {
        let at = |i: usize, n: usize| (2 * i + 1) as f64 / n as f64 - 1.0;
        let to = camera.place([at(k % across, across), at(k / across, down)], far_m);
        if let Some((_, i)) = sight.first_met(camera.eye(), to, &counts) {
            let [a, b, c] = sight.world.scene.triangles[i];
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let squarely = normal.dot((to - camera.eye()).normalize_or_zero()).abs();
            // Both sides of a plane count as one.
            let normal = if normal.dot(DVec3::new(3.0, 2.0, 1.0)) < 0.0 { -normal } else { normal };
            let key = (sight.world.scene.object[i], (normal * 8.0).round().to_array().map(|x| x as i64));
            *planes.entry(key).or_default() += squarely;
        }
    }
    let largest = planes.values().fold(0.0, |most: f64, n| most.max(*n)) / (across * down) as f64;
    2.0 * (largest - MAX_SLAB).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use firstcontact::robot::{Robot, Triangle};
    use firstcontact::scene::Scene;
    use firstcontact::scene::world::CollisionWorld;
    use glam::DMat3;

    fn wall(axis: usize, at: f64) -> Vec<Triangle> {
        let corner = |u: f64, v: f64| {
            let mut p = DVec3::splat(at);
            p[(axis + 1) % 3] = u;
            p[(axis + 2) % 3] = v;
            p
        };
        let [a, b, c, d] = [corner(-9.0, -9.0), corner(9.0, -9.0), corner(9.0, 9.0), corner(-9.0, 9.0)];
        vec![[a, b, c], [a, c, d]]
    }

    /// The view of a motion through the origin; of a ball of points if it has no direction.
    fn view(objects: &[Vec<Triangle>], along: DVec3, contact: Option<[DVec3; 2]>) -> View {
        let mut scene = Scene::new();
        for triangles in objects {
            scene.add_object("o", triangles.iter().copied()).unwrap();
        }
        let robot = Robot::new("r", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        let world = CollisionWorld::new(&robot, &scene, &[]).unwrap();
        let place = |i: usize| {
            let t = i as f64 / 30.0 - 1.0;
            let wobble = if along == DVec3::ZERO { 0.5 } else { 0.05 };
            along * t + wobble * DVec3::new((17.0 * t).sin(), (25.0 * t).cos(), (39.0 * t).sin())
        };
        let moving: Vec<DVec3> = (0..60).map(place).collect();
        let frame = moving.iter().map(|p| (*p, 0.1)).collect();
        let subject = Subject { frame, robot: moving.clone(), ghosts: Vec::new(), moving, contact, touched: None };
        choose(&subject, &Sight::new(&world, &[]).unwrap(), 1.6)
    }

    /// Next to a large wall, the camera is on the subject's side of the wall and does not face it frontally.
    #[test]
    fn the_camera_is_in_front_of_walls_and_does_not_face_them() {
        for (axis, at) in [(0, 0.4), (0, -0.4), (1, 0.4), (1, -0.4)] {
            let along = if axis == 0 { DVec3::Y } else { DVec3::X };
            let view = view(&[wall(axis, at)], along, None);
            let toward = view.axes()[2];
            assert!(toward[axis] * at < 0.1 * at.abs(), "{view:?} looks through the wall at {at} of axis {axis}");
            assert!(toward[axis].abs() < 0.87, "{view:?} faces the wall at {at} of axis {axis}");
        }
    }

    /// The normal of a contact is not seen along its length.
    #[test]
    fn contact_normals_are_seen_from_the_side() {
        for normal in [DVec3::X, DVec3::Y, DVec3::new(0.6, -0.8, 0.0)] {
            let view = view(&[wall(2, -0.9)], DVec3::ZERO, Some([DVec3::ZERO, normal]));
            assert!(view.axes()[2].dot(normal).abs() < 0.6, "{view:?} along {normal}");
        }
    }
}
