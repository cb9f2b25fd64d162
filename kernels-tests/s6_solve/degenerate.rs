//! Random motions of a chain with one triangle, and one triangle in its path: from ordinary to nearly degenerate.

use crate::oracle::chain::{self, Part};
use crate::random_models::model::{Kind, Model, Motion, Triangle, stored};
use crate::random_models::random::Random;
use crate::random_models::shapes;
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

/// The triangle placed in the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Any triangle, near the path of a vertex.
    Any,
    /// An edge that is parallel to an edge of the link's when they meet.
    ParallelEdges,
    /// A triangle coplanar with the link's triangle when they meet.
    CoplanarFaces,
    /// A face that a vertex's path touches from one side, passes at a gap, or dips into.
    Grazing,
    /// Everything moves in parallel planes; the vertex moves in the plane of a face, or a gap above or below it.
    Sliding,
    /// A triangle that is met just before the end of the motion, or would be met just after it.
    AtTheEnd,
}

pub const NEAR_DEGENERATE: [Class; 5] =
    [Class::ParallelEdges, Class::CoplanarFaces, Class::Grazing, Class::Sliding, Class::AtTheEnd];

/// The parameters of the chain.
#[derive(Clone, Copy, Debug)]
pub struct Arm {
    pub joints: [usize; 2],
    /// Largest turn of a joint, radians.
    pub turn: f64,
    /// Distance of the first joint from the base, and of the triangle from its body's origin, metres.
    pub far: f64,
}

/// A case with its known properties.
#[derive(Clone, Debug)]
pub struct Case {
    pub model: Model,
    pub motion: Motion,
    /// The remaining gap; negative if the triangles overlap by that amount. Zero if no gap was intended.
    pub gap: f64,
    /// Approximate time at which they meet, if they do.
    pub meets: Option<f64>,
    /// True if the construction proves that they never touch.
    pub is_free: bool,
}

/// A chain of revolute joints, sometimes with a prismatic one; in a plane all turn about z.
fn arm(r: &mut Random, kind: &Arm, in_plane: bool) -> (Model, Motion) {
    let mut model = Model::default();
    let [least, most] = kind.joints;
    let n = least + r.below(most - least + 1);
    for i in 0..n {
        let far = if i == 0 { kind.far } else { 0.0 };
        let (orientation, axis, origin) = if in_plane {
            let angle = r.between(-PI, PI);
            let flat = DVec3::new(r.between(-0.4, 0.4), r.between(-0.4, 0.4), 0.0);
            // Heights are sixteenths, so that they are exact.
            let height = DVec3::Z * r.whole(-8, 8) / 16.0;
            (DMat3::from_rotation_z(angle), DVec3::Z, flat + height + far * DVec3::X)
        } else {
            (r.rotation(), r.direction(), 0.4 * r.direction() + far * r.direction())
        };
        let slides = !in_plane && r.percent(12);
        model.add(i.checked_sub(1), orientation, origin, |value| {
            if slides { Kind::Sliding(axis, value) } else { Kind::Turning(axis, value) }
        });
    }
    let (mut q0, mut q1) = (Vec::new(), Vec::new());
    for body in &model.bodies {
        let slides = matches!(body.kind, Kind::Sliding(..));
        let from = if slides { r.between(-0.3, 0.3) } else { r.between(-PI, PI) };
        q0.push(from);
        q1.push(from + r.between(-1.0, 1.0) * if slides { 0.5 } else { kind.turn });
    }
    (model, (q0, q1))
}

/// Pose and motion of the last body of a model.
fn last_chain(model: &Model, motion: &Motion) -> Vec<Part> {
    let (robot, _) = model.built();
    stored(&robot, motion).pop().unwrap_or_default()
}

/// Position, velocity and acceleration of a point of the last body, by differences.
fn path(chain: &[Part], t: f64, e: DVec3) -> [DVec3; 3] {
    let h = 1e-4;
    let at = |t: f64| chain::position(chain, t, e);
    let (before, now, after) = (at(t - h), at(t), at(t + h));
    [now, (after - before) / (2.0 * h), (after - 2.0 * now + before) / (h * h)]
}

/// The point of the last body that is at `p` at time `t`.
fn local(chain: &[Part], t: f64, p: DVec3) -> DVec3 {
    let origin = chain::position(chain, t, DVec3::ZERO);
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|e| chain::position(chain, t, e) - origin);
    DVec3::from_array(axes.map(|a| a.dot(p - origin)))
}

/// A gap of 10⁻¹⁴ to 10⁻³, of either sign, or zero.
fn gap(r: &mut Random) -> f64 {
    match r.below(9) {
        0 => 0.0,
        n => (if n % 2 == 0 { 1.0 } else { -1.0 }) * r.magnitude(-14.0, -3.0),
    }
}

/// A case of a class; `None` if the vertex hardly moves, or the construction fails.
pub fn case(r: &mut Random, class: Class, kind: &Arm) -> Option<Case> {
    let (mut model, motion) = arm(r, kind, class == Class::Sliding);
    let last = model.bodies.len() - 1;
    let chain = last_chain(&model, &motion);
    let size = r.one_of(&[0.05, 0.3, 1.0]);
    let about = kind.far * r.direction() * r.between(0.0, 1.0) + 0.3 * r.direction();
    let mut x: Triangle = [0; 3].map(|_| about + size * r.direction());
    let t = r.between(0.02, 0.98);
    let gap = if class == Class::Any { 0.0 } else { gap(r) };
    let (mut meets, mut is_free) = ((gap <= 0.0).then_some(t), false);
    let [p, v, a] = path(&chain, t, x[0]);
    let speed = v.length();
    if class != Class::Any && speed < 1e-2 {
        return None;
    }
    let ahead = v.try_normalize().unwrap_or(DVec3::X);
    let now = x.map(|e| chain::position(&chain, t, e));
    let aside = |r: &mut Random, n: DVec3| loop {
        if let Some(d) = r.direction().cross(n).try_normalize() {
            break d;
        }
    };
    let y: Triangle = match class {
        Class::Any => {
            (meets, is_free) = (None, false);
            let beside = r.one_of(&[0.0, 0.05, 0.2, 0.5]) * r.direction();
            let wide = r.one_of(&[0.03, 0.2, 0.5]);
            shapes::triangle(r, chain::position(&chain, t, x[0]) + beside, wide)
        }
        Class::ParallelEdges => {
            let along = now[1] - now[0];
            let n = along.cross(ahead).cross(along).try_normalize()?;
            if n.dot(ahead) < 0.2 || n.dot(now[2] - now[0]) > -0.02 * size {
                return None;
            }
            meets = Some(t + gap / (speed * n.dot(ahead)));
            let on = now[0] + along * r.between(0.0, 1.0) + gap * n;
            let part = along * r.between(0.2, 2.0);
            [
                on - part * r.between(0.0, 1.0),
                on + part * r.between(0.05, 1.0),
                on + size * n + 0.3 * size * aside(r, n),
            ]
        }
        Class::CoplanarFaces => {
            let n = (now[1] - now[0]).cross(now[2] - now[0]).try_normalize()?;
            let n = if n.dot(ahead) < 0.0 { -n } else { n };
            if n.dot(ahead) < 0.2 {
                return None;
            }
            meets = Some(t + gap / (speed * n.dot(ahead)));
            let on = now[0] + (now[1] - now[0]) * r.between(-0.5, 1.5) + gap * n;
            let (u, w) = (size * aside(r, n), size * aside(r, n));
            [on - 0.3 * (u + w), on + u, on + w]
        }
        Class::Grazing => {
            // The path bends away from the face: towards the side of the other corners.
            let bend = a - ahead * a.dot(ahead);
            let n = -bend.try_normalize()?;
            if bend.length() < 1e-2 {
                return None;
            }
            for corner in 1..3 {
                let behind = now[0] - size * n + 0.7 * size * aside(r, n);
                x[corner] = local(&chain, t, behind);
            }
            // Negative gaps: the vertex dips into the face, coming from its other side.
            let on = p + gap * n;
            let (u, w) = (ahead, ahead.cross(n));
            let turn = r.between(0.0, 2.0 * PI);
            let corner = |k: f64| {
                let (sin, cos) = (turn + k * 2.0 * PI / 3.0).sin_cos();
                on + r_of(speed) * (cos * u + sin * w)
            };
            [corner(0.0), corner(1.0), corner(2.0)]
        }
        Class::Sliding => {
            // Bodies keep their heights exactly; the vertex is the lowest of the link, by a sixteenth or more.
            let height: f64 = model.bodies.iter().map(|b| b.origin.z).sum();
            let flat = |r: &mut Random| DVec3::new(r.between(-size, size), r.between(-size, size), 0.0);
            x[0] = flat(r) + DVec3::new(about.x, about.y, 0.0);
            x[1] = x[0] + flat(r) + DVec3::Z * r.whole(1, 8) / 16.0;
            x[2] = x[0] + flat(r) + DVec3::Z * r.whole(1, 8) / 16.0;
            let [p, v, _] = path(&chain, t, x[0]);
            let ahead = DVec3::new(v.x, v.y, 0.0).try_normalize()?;
            if v.length() < 1e-2 {
                return None;
            }
            // An integer number of steps of the height's own spacing: exact as well.
            let z = height - gap;
            (meets, is_free) = ((z >= height).then_some(t), z < height);
            let across = DVec3::new(-ahead.y, ahead.x, 0.0);
            let border = |k: f64| (p + k * across).with_z(z);
            [border(-r.between(0.05, 0.5)), border(r.between(0.05, 0.5)), (p + ahead * r.between(0.1, 1.0)).with_z(z)]
        }
        Class::AtTheEnd => {
            // The vertex reaches the face shortly before the end, or would reach it after the end.
            let [p, v, _] = path(&chain, 1.0, x[0]);
            let ahead = v.try_normalize()?;
            let n = (ahead + 0.5 * r.direction()).try_normalize()?;
            if n.dot(ahead) < 0.3 || v.length() < 1e-2 {
                return None;
            }
            for corner in 1..3 {
                x[corner] = local(&chain, 1.0, p - size * n + 0.5 * size * aside(r, n));
            }
            meets = (gap <= 0.0).then_some(1.0 + gap / (v.length() * n.dot(ahead)));
            let on = p + gap * n;
            let (u, w) = (size * aside(r, n), size * aside(r, n));
            [on - 0.3 * (u + w), on + u, on + w]
        }
    };
    model.links.push((last, vec![x]));
    model.objects.push(vec![y]);
    Some(Case { model, motion, gap, meets, is_free })
}

/// Radius of a face so large that a vertex stays in front of it while it dips in by a millimetre.
fn r_of(speed: f64) -> f64 {
    0.5 + speed
}
