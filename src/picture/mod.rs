//! A picture of one motion: the scene, the robot at the start, at first contact and at the end, the volume that it sweeps,
//! and the contact with its normal.
//!
//! For people alone: nothing here decides anything. [`gltf`] has motions as files for viewers.

mod camera;
pub mod gltf;
mod image;
mod mesh;
mod sight;
mod tiles;

pub use camera::View;
pub use image::Image;
pub use tiles::{TilePicture, tiles};

use crate::engine::Engine;
use crate::error::Result;
use crate::gpu::{Frame, Gpu};
use crate::model::robot::Triangle;
use crate::model::world::LinkShape;
use crate::motion::{ModelMotion, Motions};
use crate::stage::s4_sweep::paper::{self, SweptSurface};
use crate::verdict::Verdict;
use camera::{Camera, Subject};
use glam::{DAffine3, DVec3};
use mesh::{Colour, Mesh};
use sight::Sight;

const BACKGROUND: [f32; 3] = [0.86, 0.89, 0.92];
/// Colours as on the screen, red, green, blue: the robot, …
const OF_ROBOT: [u8; 3] = [44, 98, 182];
/// … what surrounds it, …
const OF_SCENE: [u8; 3] = [186, 184, 178];
/// … the object that is touched, …
const OF_TOUCHED: [u8; 3] = [240, 158, 44];
/// … and the contact.
const AT_CONTACT: [u8; 3] = [222, 22, 40];
const ROBOT: Colour = with_opacity(OF_ROBOT, 255);
const AT_START: Colour = [46, 150, 84, 110];
const AT_END: Colour = [150, 70, 160, 110];
const SWEPT: Colour = [60, 165, 225, 84];
/// The object that is touched; where it hides the robot it stays visible.
const TOUCHED: Colour = with_opacity(OF_TOUCHED, 120);
const SURROUNDINGS: Colour = with_opacity(OF_SCENE, 18);
const CONTACT: Colour = with_opacity(AT_CONTACT, 255);

/// Times of the motion that the frame is made for.
const MOMENTS: usize = 17;
/// Points that stand for what moves.
const MOST_POINTS: usize = 6000;
/// Deviation of the swept volume's surface, by the size of what is shown.
const FINENESS: f64 = 0.004;
/// The rest of the robot is shown if it is no larger than this, by what moves.
const WHOLE_ROBOT: f64 = 1.7;

/// How a picture is made.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Pixels across and down.
    pub size: [u32; 2],
    /// Where to look from; chosen to show motion and contact if absent.
    pub view: Option<View>,
}

/// A picture of one motion, and where it is seen from.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The picture.
    pub image: Image,
    /// Where it is seen from.
    pub view: View,
}

/// Where all links are at one time: the world poses of their bodies.
struct Moment(Vec<DAffine3>);

/// Draws motion `i`, of which the engine has said `verdict`.
///
/// # Errors
/// The motion does not fit the robot, the picture is too large, or the device failed.
pub fn draw(
    engine: &Engine,
    gpu: &Gpu,
    motions: &Motions,
    i: usize,
    verdict: &Verdict,
    options: &Options,
) -> Result<Picture> {
    let world = engine.world();
    let moment = |t: f64| engine.body_poses(motions, i, t).map(Moment);
    let time = match verdict {
        Verdict::Free => 1.0,
        Verdict::Contact(contact) => contact.toc[0],
        Verdict::Undecided(undecided) => undecided.clear_until,
    };
    let contact = match verdict {
        Verdict::Contact(c) => c.at.as_ref(),
        Verdict::Free | Verdict::Undecided(_) => None,
    };
    let (start, now, end) = (moment(0.0)?, moment(time)?, moment(1.0)?);
    let along = moments(engine, motions, i)?;
    let robot = &world.robot;
    let moves = |body: u32| along.iter().any(|m| m.differs(&start, body));
    let place =
        |m: &Moment, link: usize, t: &Triangle| t.map(|v| m.0[robot.links[link].body as usize].transform_point3(v));
    let links = || robot.links.iter().enumerate();
    let moving: Vec<usize> = links().filter(|(_, l)| moves(l.body)).map(|(k, _)| k).collect();

    // What belongs into the frame.
    let n_corners: usize = moving.iter().map(|&k| 3 * robot.links[k].triangles.len()).sum();
    let step = (n_corners * MOMENTS / MOST_POINTS).max(1);
    let corners =
        |m| moving.iter().flat_map(move |&k| robot.links[k].triangles.iter().flat_map(move |t| place(m, k, t)));
    let path: Vec<DVec3> = along.iter().flat_map(|m| corners(m).step_by(step)).collect();
    let posed: Vec<Triangle> =
        links().flat_map(|(k, l)| l.triangles.iter().map(move |t| (k, t))).map(|(k, t)| place(&now, k, t)).collect();
    let mut subject = subject(path, &posed, contact.map(|c| [c.point.into(), c.normal.into()]));
    for link in world.links.iter().filter(|l| moves(l.body)) {
        let ends = |m: &Moment| [link.lss.a, link.lss.b].map(|e| m.0[link.body as usize].transform_point3(e));
        subject.frame.extend(along.iter().flat_map(ends).map(|end| (end, link.lss.radius)));
    }
    let aspect = f64::from(options.size[0]) / f64::from(options.size[1].max(1));
    let sight = Sight { world, robot: &posed };
    let (view, camera) = match options.view {
        Some(view) => (view, Camera::new(view, &subject, aspect)),
        None => Camera::choose(&subject, &sight, aspect),
    };

    // What is drawn.
    let mesh = || Mesh::new(camera.focus);
    let (mut solid, mut surroundings, mut ghosts, mut swept, mut marks) = (mesh(), mesh(), mesh(), mesh(), mesh());
    posed.iter().for_each(|t| solid.add(*t, ROBOT));
    let scene = || world.scene.triangles.iter().map(|t| t.map(|v| v + world.origin_m));
    let far_m = scene().flatten().fold(0.0, |far: f64, v| far.max((v - camera.focus).length()));
    let lens = camera.lens(far_m, aspect, options.size[1], BACKGROUND);
    for (triangle, &object) in scene().zip(&world.scene.object).filter(|(t, _)| camera.may_see(&lens, t)) {
        let touched = contact.is_some_and(|c| c.b.object == object);
        surroundings.add(triangle, if touched { TOUCHED } else { shade(SURROUNDINGS, object) });
    }
    for &k in &moving {
        for (m, colour) in [(&start, AT_START), (&end, AT_END)] {
            if m.differs(&now, robot.links[k].body) {
                robot.links[k].triangles.iter().for_each(|t| ghosts.add(place(m, k, t), colour));
            }
        }
    }
    let motion = ModelMotion::new(robot, motions.start(i), motions.end(i))?;
    for link in world.links.iter().filter(|l| moves(l.body)) {
        let surface = sweep(&motion, link, FINENESS * camera.extent_m)?;
        surface.triangles.iter().for_each(|t| swept.add(t.map(|v| v + world.origin_m), SWEPT));
    }
    if let Some(c) = contact {
        marks.add_contact(c.point.into(), c.normal.into(), 0.016 * camera.extent_m, CONTACT);
    }
    let drawing = Frame {
        size: options.size,
        lens,
        solid: solid.corners,
        surroundings: surroundings.corners,
        ghosts: ghosts.corners,
        volume: swept.corners,
        marks: marks.corners,
    };
    let rgba = gpu.draw(&drawing)?;
    Ok(Picture { image: Image { size: options.size, rgba }, view })
}

/// Where the links are at several times of motion `i`, the first of which is its start.
fn moments(engine: &Engine, motions: &Motions, i: usize) -> Result<Vec<Moment>> {
    let time = |k: usize| k as f64 / (MOMENTS - 1) as f64;
    (0..MOMENTS).map(|k| engine.body_poses(motions, i, time(k)).map(Moment)).collect()
}

/// The surface that a link's line-swept sphere sweeps: as fine as asked for, or coarser where the way is that long.
fn sweep(motion: &ModelMotion, link: &LinkShape, epsilon_m: f64) -> Result<SweptSurface> {
    let tessellated = |epsilon_m: f64| paper::tessellate(motion, link.body, &link.lss, [0.0, 1.0], epsilon_m);
    let coarser = (1..=6).map(|k| epsilon_m * 4f64.powi(k));
    coarser.fold(tessellated(epsilon_m), |found, epsilon_m| found.or_else(|_| tessellated(epsilon_m)))
}

impl Moment {
    fn differs(&self, other: &Self, body: u32) -> bool {
        let [a, b] = [self, other].map(|m| m.0[body as usize]);
        !a.abs_diff_eq(b, 1e-9)
    }
}

/// What the picture is to show: what moves, and the rest of the robot unless it is much larger.
fn subject(path: Vec<DVec3>, robot: &[Triangle], contact: Option<[DVec3; 2]>) -> Subject {
    let size = |points: &mut dyn Iterator<Item = DVec3>| {
        let none = (DVec3::splat(f64::INFINITY), DVec3::splat(f64::NEG_INFINITY));
        let (lo, hi) = points.fold(none, |(lo, hi), p| (lo.min(p), hi.max(p)));
        (hi - lo).length()
    };
    let rest = || robot.iter().flatten().copied();
    let own = || path.iter().copied().chain(contact.map(|c| c[0]));
    let mut frame: Vec<DVec3> = own().collect();
    if frame.is_empty() || size(&mut own().chain(rest())) <= WHOLE_ROBOT * size(&mut own()) {
        let step = (3 * robot.len() / MOST_POINTS).max(1);
        frame.extend(rest().step_by(step));
    }
    let frame = frame.into_iter().map(|p| (p, 0.0)).collect();
    Subject { frame, moving: path, contact }
}

const fn with_opacity([r, g, b]: [u8; 3], opacity: u8) -> Colour {
    [r, g, b, opacity]
}

/// A little darker or lighter from object to object, so that they can be told apart.
fn shade([r, g, b, a]: Colour, object: u32) -> Colour {
    let change = (object.wrapping_mul(0x9e37_79b9) >> 27) as u8;
    [r - change, g - change, b - change, a]
}
