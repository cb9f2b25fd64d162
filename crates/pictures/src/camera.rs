//! A camera that frames the subject.

use super::palette;
use super::subject::Subject;
use firstcontact::gpu::Lens;
use firstcontact::robot::Triangle;
use glam::{DMat4, DVec3, Vec3, Vec4};

/// Half the vertical angle of view, radians.
const HALF_VIEW_RAD: f64 = 0.28;
/// The share of the frame, from its middle to its border, that the subject fills.
const FILL: f64 = 0.9;
/// Range of shadows and ambient occlusion, relative to half the size of the shown region.
const SHADOW_REACH: f64 = 2.2;
/// Distance in front of the subject over which upright structures fade out, relative to half the size of the shown
/// region.
const NEAR_FADE: f64 = 0.5;

/// A viewing direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Angle about z from the x axis to the camera, degrees.
    pub azimuth_deg: f64,
    /// Angle above the horizontal plane, degrees.
    pub elevation_deg: f64,
}

impl View {
    /// Unit vectors to the right of the picture, up in it, and from the subject towards the camera.
    pub(super) fn axes(self) -> [DVec3; 3] {
        let (sin_a, cos_a) = self.azimuth_deg.to_radians().sin_cos();
        let (sin_e, cos_e) = self.elevation_deg.to_radians().sin_cos();
        let right = DVec3::new(-sin_a, cos_a, 0.0);
        let toward = DVec3::new(cos_a * cos_e, sin_a * cos_e, sin_e);
        [right, toward.cross(right), toward]
    }
}

/// Position and range of a camera.
#[derive(Clone, Copy, Debug)]
pub struct Camera {
    /// The centre of the shown region; the picture's coordinates are relative to it.
    pub focus: DVec3,
    /// About half the size of the shown region, metres.
    pub extent_m: f64,
    axes: [DVec3; 3],
    distance_m: f64,
    /// Smallest and largest distance from the camera to the subject, metres.
    depth_m: [f64; 2],
    aspect: f64,
}

impl Camera {
    /// The camera that frames the subject from a direction; `aspect` is the picture's width divided by its height.
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
        Self { focus, extent_m, axes, distance_m, depth_m: [nearest, distance_m + half_depth + margin], aspect }
    }

    /// Position of the camera in world coordinates, metres.
    pub fn eye(&self) -> DVec3 {
        self.focus + self.axes[2] * self.distance_m
    }

    /// The point seen at `x` and `y` in the picture, at a distance along the view; `x` and `y` are from -1 to 1, to the
    /// right and up.
    pub fn place(&self, [x, y]: [f64; 2], distance_m: f64) -> DVec3 {
        let [right, up, toward] = self.axes;
        let tan_up = HALF_VIEW_RAD.tan();
        self.eye() + (right * (x * tan_up * self.aspect) + up * (y * tan_up) - toward) * distance_m
    }

    /// Unit vector from the subject towards the camera.
    pub fn toward(&self) -> DVec3 {
        self.axes[2]
    }

    /// Distance to the subject's nearest point along the view, metres.
    pub fn nearest_m(&self) -> f64 {
        self.depth_m[0]
    }

    /// Distance to the subject's farthest point along the view, metres.
    pub fn farthest_m(&self) -> f64 {
        self.depth_m[1]
    }

    /// The camera in the shader's form; `far_m` is the distance of the farthest point from the focus, and `height` the
    /// height of the picture in pixels.
    pub fn lens(&self, far_m: f64, height: u32) -> Lens {
        let [right, up, toward] = self.axes;
        let eye = toward * self.distance_m;
        let [nearest, farthest] = self.depth_m;
        let near = 0.1 * nearest;
        let far = (self.distance_m + far_m).max(2.0 * farthest);
        let (zoom, deep) = (1.0 / HALF_VIEW_RAD.tan(), far / (far - near));
        // The last row is the distance along the view; the depth is 0 at the nearest point and 1 at the farthest.
        let clip_from_scene = DMat4::from_rows(
            (right * zoom / self.aspect).extend(0.0),
            (up * zoom).extend(0.0),
            (-toward * deep).extend((self.distance_m - near) * deep),
            (-toward).extend(self.distance_m),
        );
        Lens {
            clip_from_scene: clip_from_scene.as_mat4(),
            eye: eye.as_vec3(),
            to_lamp: (up * 0.75 - right * 0.5 + toward * 0.5).normalize().as_vec3(),
            shadow_m: (SHADOW_REACH * self.extent_m) as f32,
            background: palette::linear(palette::BACKGROUND),
            touched: palette::linear(palette::TOUCHED),
            haze_m: [0.5 * (self.distance_m + farthest), farthest + 3.0 * self.extent_m].map(|d| d as f32),
            near_cut_m: [nearest - NEAR_FADE * self.extent_m, nearest].map(|d| d as f32),
            halo_px: (0.03 * f64::from(height)) as f32,
            contact: Vec3::ZERO,
            spot_m: [f32::MAX; 2],
            cuts_touched: false,
        }
    }

    /// Returns whether some part of a triangle (world coordinates) may be in the picture. The result is false if all of
    /// it is beyond one side of the frame, or behind the camera.
    pub fn may_see(&self, lens: &Lens, triangle: &Triangle) -> bool {
        let corners = triangle.map(|v| lens.clip_from_scene * (v - self.focus).as_vec3().extend(1.0));
        let beyond = |side: fn(Vec4) -> f32| corners.iter().all(|c| side(*c) > 0.0);
        let sides: [fn(Vec4) -> f32; 5] = [|c| c.x - c.w, |c| -c.x - c.w, |c| c.y - c.w, |c| -c.y - c.w, |c| -c.z];
        !sides.into_iter().any(beyond)
    }
}

/// The spread of points in the picture: the area of their ellipse of inertia, up to a factor.
pub fn breadth(view: View, points: &[DVec3]) -> f64 {
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

    /// For every direction and aspect ratio, every point of the frame is in the picture, and some point is near its
    /// border.
    #[test]
    fn the_frame_holds_the_subject() {
        let points = (0..60).map(|i| {
            let t = f64::from(i);
            DVec3::new(30.0 + 2.0 * (1.7 * t).sin(), -4.0 + (2.3 * t).cos(), 0.3 * (0.9 * t).sin())
        });
        let moving: Vec<DVec3> = points.collect();
        let frame = moving.iter().map(|p| (*p, 0.0)).collect();
        let subject = Subject { frame, moving, robot: Vec::new(), ghosts: Vec::new(), contact: None, touched: None };
        for view in [(0.0, 0.0), (75.0, 24.0), (200.0, 62.0), (310.0, -30.0), (10.0, 90.0)] {
            for aspect in [0.5, 1.0, 1.6] {
                let camera = Camera::new(View { azimuth_deg: view.0, elevation_deg: view.1 }, &subject, aspect);
                let lens = camera.lens(50.0, 500);
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
