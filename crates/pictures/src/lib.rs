//! Pictures of single motions and trajectories: the scene, the robot at the start, at first contact and at the end, the
//! volume that it sweeps, and the contact with its normal.
//!
//! Pictures are for people only: no decision depends on them. [`gltf`] exports motions as files for viewers, and
//! [`viewer`] shows these in a browser.

mod camera;
mod course;
mod cutaway;
pub mod gltf;
mod image;
mod layers;
mod legend;
mod mesh;
mod normals;
mod palette;
mod parts;
mod sight;
mod subject;
mod text;
mod tiles;
pub mod viewer;
mod viewpoint;

pub use camera::View;
pub use course::{Course, Unit, factors, of_motion};
pub use image::{Format, Image};
pub use tiles::tiles;

use camera::Camera;
use cutaway::Cutaway;
use firstcontact::engine::Engine;
use firstcontact::error::Result;
use firstcontact::gpu::{Frame, Gpu};
use firstcontact::robot::Triangle;
use firstcontact::verdict::{ContactPoint, TrajectoryVerdict, Verdict};
use glam::DVec3;
use layers::Layers;
use legend::Legend;
use parts::Parts;
use sight::Sight;
use subject::{Poses, Subject};

/// Options of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Width and height, pixels.
    pub size: [u32; 2],
    /// Viewing direction; if absent, it is chosen to show motion and contact.
    pub view: Option<View>,
    /// Number of exposures that are averaged: more give smoother edges and shadows, and take longer. If absent, it is
    /// smaller for large scenes.
    pub exposures: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Self { size: [1280, 800], view: None, exposures: None }
    }
}

/// Number of exposures of a picture with up to [`FULL_TRIANGLES`] triangles; larger ones have fewer, so that the time
/// for a picture is bounded.
const EXPOSURES: usize = 32;
const MIN_EXPOSURES: usize = 8;
const FULL_TRIANGLES: usize = 500_000;

/// A picture of one motion, and its viewing direction.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The picture.
    pub image: Image,
    /// Its viewing direction.
    pub view: View,
}

/// Draws a path for which the engine has returned `answer`.
///
/// # Errors
/// The path does not fit the robot, the picture is too large, or the device failed.
pub fn draw(
    engine: &Engine,
    gpu: &Gpu,
    course: &Course,
    answer: &TrajectoryVerdict,
    options: &Options,
) -> Result<Picture> {
    gpu.check_picture_size(options.size)?;
    let world = engine.world();
    let contact = touch(&answer.verdict);
    let poses = Poses::new(engine, course, answer)?;
    let posed: Vec<Triangle> = posed(&world.robot, &poses);
    let subject = Subject::new(world, &poses, &posed, contact, swept_balls(engine, &poses));
    let legend = Legend::new(world, &poses, (answer, course), options.size)?;
    let size = [options.size[0], options.size[1] - legend.height()];
    let aspect = f64::from(size[0]) / f64::from(size[1].max(1));
    let sight = Sight::new(world, &posed)?;
    let view = options.view.unwrap_or_else(|| viewpoint::choose(&subject, &sight, aspect));
    let camera = Camera::new(view, &subject, aspect);
    let objects = Parts::new(world);
    let cutaway = Cutaway::new(&objects, &sight, &camera, &subject);

    let far_m = world.scene.triangles.iter().flatten();
    let far_m = far_m.fold(0.0, |far: f64, v| far.max((*v + world.origin_m - camera.focus).length()));
    let mut lens = camera.lens(far_m, size[1]);
    if let Some(contact) = contact {
        lens.contact = (DVec3::from(contact.point) - camera.focus).as_vec3();
    }
    let all = Layers { world, camera: &camera, poses: &poses, contact };
    let mut layers = all.of_robot();
    layers.push(all.of_volume(&course.coarse_motions(&world.robot)?)?);
    layers.extend(all.of_scene(&mut lens, &objects, &cutaway));
    layers.extend(all.of_contact());
    let triangles = layers.iter().map(|l| l.corners.len() / 3).sum::<usize>().max(1);
    let affordable = (EXPOSURES * FULL_TRIANGLES / triangles).clamp(MIN_EXPOSURES, EXPOSURES) as u32;
    let exposures = options.exposures.unwrap_or(affordable);
    let rgba = gpu.draw(&Frame { size, lens, layers, exposures })?;
    let image = legend.below(Image { size, rgba });
    Ok(Picture { image, view })
}

fn touch(verdict: &Verdict) -> Option<&ContactPoint> {
    match verdict {
        Verdict::Contact(c) => c.first.as_ref(),
        Verdict::Free | Verdict::Undecided(_) => None,
    }
}

/// The robot's triangles at the time that the picture shows.
fn posed(robot: &firstcontact::robot::Robot, poses: &Poses) -> Vec<Triangle> {
    let placed = |l: &firstcontact::robot::Link| {
        let pose = *poses.now.pose(l.body);
        l.triangles.iter().map(move |t| t.map(|v| pose.transform_point3(v))).collect::<Vec<_>>()
    };
    robot.links.iter().flat_map(placed).collect()
}

/// Balls that contain the ends of the links' line-swept spheres along the motion.
fn swept_balls(engine: &Engine, poses: &Poses) -> Vec<(DVec3, f64)> {
    let links = engine.world().links.iter().filter(|l| poses.moves(l.body));
    let balls = |link: &std::sync::Arc<firstcontact::scene::world::LinkGeometry>| {
        let (body, lss) = (link.body, link.lss);
        let ends = poses.along().flat_map(move |m| [lss.a, lss.b].map(|e| m.pose(body).transform_point3(e)));
        ends.map(|end| (end, lss.radius)).collect::<Vec<_>>()
    };
    links.flat_map(balls).collect()
}
