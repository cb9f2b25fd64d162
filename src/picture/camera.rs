//! Where to look from, and what then fits into the frame.

use super::sight::Sight;
use crate::gpu::Lens;
use crate::model::robot::Triangle;
use glam::{DMat4, DVec3, Vec4};

/// Half the angle of view up and down, radians.
const HALF_VIEW_RAD: f64 = 0.28;
/// The share of the frame, from its middle to its border, that the subject takes.
const FILL: f64 = 0.9;
/// Azimuths that are tried.
const AZIMUTHS: usize = 24;
/// Elevations that are tried, degrees; the one that is liked best comes second.
const ELEVATIONS_DEG: [f64; 4] = [12.0, 28.0, 44.0, 62.0];
/// Points that stand for the subject when views are compared.
const SAMPLES: usize = 40;

/// A direction to look from: degrees about z, counted from x, and above the horizontal plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Degrees about z from the x axis to where the camera is.
    pub azimuth_deg: f64,
    /// Degrees above the horizontal plane.
    pub elevation_deg: f64,
}

impl View {
    /// Unit vectors to the right of the picture, up in it, and from the subject towards the camera.
    fn axes(self) -> [DVec3; 3] {
        let (sin_a, cos_a) = self.azimuth_deg.to_radians().sin_cos();
        let (sin_e, cos_e) = self.elevation_deg.to_radians().sin_cos();
        let right = DVec3::new(-sin_a, cos_a, 0.0);
        let toward = DVec3::new(cos_a * cos_e, sin_a * cos_e, sin_e);
        [right, toward.cross(right), toward]
    }
}

/// What the picture is to show, world coordinates, metres.
#[derive(Clone, Debug)]
pub struct Subject {
    /// All that belongs into the frame, in balls: middle and radius.
    pub frame: Vec<(DVec3, f64)>,
    /// Points of what moves, all along its way.
    pub moving: Vec<DVec3>,
    /// The contact and its normal.
    pub contact: Option<[DVec3; 2]>,
}

/// A place to look from, and how far one sees.
#[derive(Clone, Copy, Debug)]
pub struct Camera {
    /// The middle of what is shown; the picture's coordinates are relative to it.
    pub focus: DVec3,
    /// About half the size of what is shown, metres.
    pub extent_m: f64,
    axes: [DVec3; 3],
    distance_m: f64,
    /// Nearest and farthest distance of the subject from the camera.
    depth_m: [f64; 2],
}

impl Camera {
    /// The camera that has the subject in its frame, seen from a direction; `aspect` is the picture's width by its height.
    pub fn new(view: View, subject: &Subject, aspect: f64) -> Self {
        let axes = view.axes();
        let [right, up, toward] = axes;
        let mut lo = DVec3::splat(f64::INFINITY);
        let mut hi = DVec3::splat(f64::NEG_INFINITY);
        for (p, radius) in &subject.frame {
            let q = DVec3::new(p.dot(right), p.dot(up), p.dot(toward));
            (lo, hi) = (lo.min(q - *radius), hi.max(q + *radius));
        }
        if !(lo.is_finite() && hi.is_finite()) {
            (lo, hi) = (DVec3::NEG_ONE, DVec3::ONE);
        }
        let middle = 0.5 * (lo + hi);
        let focus = right * middle.x + up * middle.y + toward * middle.z;
        let tan_up = HALF_VIEW_RAD.tan() * FILL;
        let reach = |(p, radius): &(DVec3, f64)| {
            let p = *p - focus;
            let [x, y, z] = [p.dot(right).abs() + radius, p.dot(up).abs() + radius, p.dot(toward) + radius];
            z + (x / (tan_up * aspect)).max(y / tan_up)
        };
        let extent_m = (0.5 * (hi - lo).length()).max(1e-3);
        let distance_m = subject.frame.iter().map(reach).fold(extent_m, f64::max);
        let half_depth = 0.5 * (hi.z - lo.z);
        let margin = 0.05 * extent_m;
        let nearest = (distance_m - half_depth - margin).max(0.02 * distance_m);
        Self { focus, extent_m, axes, distance_m, depth_m: [nearest, distance_m + half_depth + margin] }
    }

    /// The camera for a direction that shows the motion broadly, the contact and its normal freely, and of the subject as
    /// much as the surroundings allow.
    pub fn choose(subject: &Subject, sight: &Sight, aspect: f64) -> (View, Self) {
        let views = || {
            (0..AZIMUTHS).flat_map(|i| {
                let azimuth_deg = i as f64 * 360.0 / AZIMUTHS as f64;
                ELEVATIONS_DEG.map(|elevation_deg| View { azimuth_deg, elevation_deg })
            })
        };
        let broadest = views().map(|view| breadth(view, &subject.moving)).fold(0.0, f64::max).max(1e-12);
        let mut best = (f64::NEG_INFINITY, View { azimuth_deg: 30.0, elevation_deg: ELEVATIONS_DEG[1] });
        for view in views() {
            let merit = breadth(view, &subject.moving) / broadest + Self::clearness(view, subject, sight, aspect);
            if merit > best.0 {
                best = (merit, view);
            }
        }
        (best.1, Self::new(best.1, subject, aspect))
    }

    /// What speaks for and against a view, beside its breadth; the weights are a matter of taste.
    fn clearness(view: View, subject: &Subject, sight: &Sight, aspect: f64) -> f64 {
        let camera = Self::new(view, subject, aspect);
        let toward = camera.axes[2];
        // What is nearer than the subject is cut away.
        let until = |p: DVec3| p + toward * (camera.distance_m - camera.depth_m[0] - (p - camera.focus).dot(toward));
        let step = (subject.moving.len() / SAMPLES).max(1);
        let samples = || subject.moving.iter().step_by(step);
        let hidden = samples().filter(|&&p| sight.is_blocked_by_scene(p, until(p))).count();
        let mut merit = -1.2 * hidden as f64 / samples().count().max(1) as f64;
        merit -= 0.6 * (view.elevation_deg - ELEVATIONS_DEG[1]).to_radians().sin().abs();
        if let Some([at, normal]) = subject.contact {
            let free = at + (normal * 0.25 + toward) * (2e-3 * camera.extent_m);
            merit += 0.5 * (1.0 - normal.dot(toward).powi(2)).max(0.0).sqrt();
            merit -= f64::from(u8::from(sight.is_blocked_by_robot(free, until(at))));
            merit -= 0.5 * f64::from(u8::from(sight.is_blocked_by_scene(free, until(at))));
        }
        merit
    }

    /// The camera as the shader takes it; `far_m` is the distance from the focus to what is farthest, `height` that of the
    /// picture in pixels.
    pub fn lens(&self, far_m: f64, aspect: f64, height: u32, background: [f32; 3]) -> Lens {
        let [right, up, toward] = self.axes;
        let eye = toward * self.distance_m;
        let [nearest, farthest] = self.depth_m;
        let far = (self.distance_m + far_m).max(2.0 * farthest);
        let (zoom, deep) = (1.0 / HALF_VIEW_RAD.tan(), far / (far - nearest));
        // The last row is the distance along the view; depth is 0 at the nearest of it and 1 at the farthest.
        let clip_from_scene = DMat4::from_rows(
            (right * zoom / aspect).extend(0.0),
            (up * zoom).extend(0.0),
            (-toward * deep).extend((self.distance_m - nearest) * deep),
            (-toward).extend(self.distance_m),
        );
        Lens {
            clip_from_scene: clip_from_scene.as_mat4(),
            eye: eye.as_vec3(),
            halo: (0.012 * f64::from(height)) as f32,
            light: (up * 0.75 - right * 0.5 + toward * 0.6).normalize().as_vec3(),
            haze_from: (0.5 * (self.distance_m + farthest)) as f32,
            background: background.into(),
            haze_to: (farthest + 2.5 * self.extent_m) as f32,
        }
    }
}

impl Camera {
    /// Whether some part of a triangle (world coordinates) may be in the picture: not if all of it is beyond one side of the frame,
    /// or nearer than what is shown.
    pub fn may_see(&self, lens: &Lens, triangle: &Triangle) -> bool {
        let corners = triangle.map(|v| lens.clip_from_scene * (v - self.focus).as_vec3().extend(1.0));
        let beyond = |side: fn(Vec4) -> f32| corners.iter().all(|c| side(*c) > 0.0);
        let sides: [fn(Vec4) -> f32; 5] = [|c| c.x - c.w, |c| -c.x - c.w, |c| c.y - c.w, |c| -c.y - c.w, |c| -c.z];
        !sides.into_iter().any(beyond)
    }
}

/// How far points spread in the picture: the area of their ellipse of inertia, but for a factor.
fn breadth(view: View, points: &[DVec3]) -> f64 {
    let [right, up, _] = view.axes();
    let n = points.len().max(1) as f64;
    let mean = points.iter().sum::<DVec3>() / n;
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for p in points {
        let (x, y) = ((*p - mean).dot(right), (*p - mean).dot(up));
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
    }
    (xx * yy - xy * xy).max(0.0).sqrt() / n
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the direction and the shape of the picture, every point of the frame is in it, and some point is near its
    /// border.
    #[test]
    fn the_frame_holds_the_subject() {
        let points = (0..60).map(|i| {
            let t = f64::from(i);
            DVec3::new(30.0 + 2.0 * (1.7 * t).sin(), -4.0 + (2.3 * t).cos(), 0.3 * (0.9 * t).sin())
        });
        let moving: Vec<DVec3> = points.collect();
        let subject = Subject { frame: moving.iter().map(|p| (*p, 0.0)).collect(), moving, contact: None };
        for view in [(0.0, 0.0), (75.0, 24.0), (200.0, 62.0), (310.0, -30.0), (10.0, 90.0)] {
            for aspect in [0.5, 1.0, 1.6] {
                let camera = Camera::new(View { azimuth_deg: view.0, elevation_deg: view.1 }, &subject, aspect);
                let lens = camera.lens(50.0, aspect, 500, [1.0; 3]);
                let mut widest: f32 = 0.0;
                for p in &subject.moving {
                    let clip = lens.clip_from_scene * (*p - camera.focus).as_vec3().extend(1.0);
                    let at = clip.truncate() / clip.w;
                    assert!(clip.w > 0.0 && (0.0..=1.0).contains(&at.z), "{view:?}: depth {}", at.z);
                    widest = widest.max(at.x.abs()).max(at.y.abs());
                    assert!(camera.may_see(&lens, &[*p; 3]));
                }
                let [right, up, toward] = camera.axes;
                for way in [right, -right, up, -up, toward] {
                    let far = [camera.focus + way * 40.0; 3];
                    assert!(!camera.may_see(&lens, &far) && camera.may_see(&lens, &[far[0], camera.focus, far[2]]));
                }
                assert!((0.7..=0.91).contains(&widest), "{view:?}, {aspect}: {widest}");
            }
        }
    }
}
