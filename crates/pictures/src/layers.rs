//! The layers of a picture: the triangles that are drawn, and their appearance.

use super::camera::Camera;
use super::cutaway::{Cutaway, Fate};
use super::mesh::Mesh;
use super::parts::Parts;
use super::subject::Poses;
use super::{normals, palette};
use firstcontact::error::Result;
use firstcontact::gpu::{Layer, Lens, Paint};
use firstcontact::robot::{RobotMotion, Triangle};
use firstcontact::scene::world::{CollisionWorld, LinkGeometry};
use firstcontact::stage::s4_sweep::paper::{self, SweptSurface};
use firstcontact::verdict::{ContactPoint, Obstacle};
use glam::Vec3;
use rayon::prelude::*;

/// Deviation of the swept volume's surface, relative to half the size of the shown region.
const FINENESS: f64 = 0.005;
/// Radius of the ball at the contact, relative to half the size of the shown region.
const MARK: f64 = 0.022;
/// Maximum number of triangles of the scene for smooth shading; with more, each is flat.
const MAX_SMOOTH: usize = 3_000_000;
/// A touched object larger than this, relative to half the size of the shown region, is only coloured near the contact.
const LARGE: f64 = 2.0;
/// Distances from the contact up to which the colour is full, and beyond which there is no colour, relative to half the
/// size of the shown region.
const SPOT: [f64; 2] = [0.3, 0.9];
/// An object larger than this, relative to half the size of the shown region, has the colour of floors and walls.
const STRUCTURE: f64 = 8.0;
const OF_STRUCTURE: palette::Colour = [206, 205, 201];

/// The sources of the layers' triangles.
pub struct Layers<'a> {
    /// Robot and scene.
    pub world: &'a CollisionWorld,
    /// The camera; coordinates are relative to its focus.
    pub camera: &'a Camera,
    /// The robot's poses.
    pub poses: &'a Poses,
    /// The contact, if there is one.
    pub contact: Option<&'a ContactPoint>,
}

impl Layers<'_> {
    /// The robot, and its ghosts at the start and at the end.
    pub fn of_robot(&self) -> Vec<Layer> {
        let [mut robot, mut start, mut end] = [(); 3].map(|()| Mesh::new(self.camera.focus));
        let Poses { start: at_start, now, end: at_end, .. } = self.poses;
        for (i, link) in (0..).zip(self.world.robot.links.iter()) {
            let normals = normals::smooth(&link.triangles);
            let is_touched = self.contact.is_some_and(|c| c.b.obstacle() == Obstacle::Link(i));
            let colour = if is_touched { palette::TOUCHED } else { palette::ROBOT };
            robot.add_placed(now.pose(link.body), &link.triangles, &normals, colour);
            for (ghost, moment, colour) in [(&mut start, at_start, palette::START), (&mut end, at_end, palette::END)] {
                if moment.differs(now, link.body) {
                    ghost.add_placed(moment.pose(link.body), &link.triangles, &normals, colour);
                }
            }
        }
        let layers = [(Paint::Robot, robot), (Paint::Start, start), (Paint::End, end)];
        layers.map(|(paint, mesh)| Layer { paint, corners: mesh.corners }).into()
    }

    /// The volume that the links' line-swept spheres sweep in consecutive motions.
    ///
    /// # Errors
    /// The surface cannot be tessellated.
    pub fn of_volume(&self, motions: &[RobotMotion]) -> Result<Layer> {
        let mut mesh = Mesh::new(self.camera.focus);
        let links = self.world.links.iter().filter(|l| self.poses.moves(l.body));
        for (link, motion) in links.flat_map(|link| motions.iter().map(move |motion| (link, motion))) {
            let surface = sweep(motion, link, FINENESS * self.camera.extent_m)?;
            let smooth = normals::smooth(&surface.triangles);
            for (triangle, normals) in surface.triangles.iter().zip(&smooth) {
                mesh.add(&triangle.map(|v| v + self.world.origin_m), normals, palette::SWEPT);
            }
        }
        Ok(Layer { paint: Paint::Volume, corners: mesh.corners })
    }

    /// The layers of the scene, without the parts that are left out. The colouring of the touched object is stored in
    /// the lens.
    pub fn of_scene(&self, lens: &mut Lens, objects: &Parts, cutaway: &Cutaway) -> Vec<Layer> {
        let scene = &self.world.scene;
        let placed = |i: usize| scene.triangles[i].map(|v| v + self.world.origin_m);
        // Triangles outside the picture may cast shadows into it.
        let is_near = |t: &Triangle| t.iter().any(|v| v.distance(self.camera.focus) < f64::from(lens.shadow_m));
        let is_drawn = |t: &Triangle| self.camera.may_see(lens, t) || is_near(t);
        let mut drawn: Vec<usize> = (0..scene.triangles.len()).filter(|&i| is_drawn(&placed(i))).collect();
        // The nearest first: hidden triangles are then not shaded.
        drawn.par_sort_by_cached_key(|&i| placed(i)[0].distance(self.camera.eye()).to_bits());
        let triangles: Vec<Triangle> = drawn.iter().map(|&i| placed(i)).collect();
        let smooth = if triangles.len() <= MAX_SMOOTH { normals::smooth } else { normals::flat };
        let normals: Vec<[Vec3; 3]> = smooth(&triangles);
        if cutaway.touched_length_m() > LARGE * self.camera.extent_m {
            lens.spot_m = SPOT.map(|share| (share * self.camera.extent_m) as f32);
            lens.cuts_touched = cutaway.is_touched_around(self.camera);
        }
        let mut colours = palette::of_objects(&scene.objects);
        for (object, colour) in colours.iter_mut().enumerate() {
            if objects.lengths(object)[0] > STRUCTURE * self.camera.extent_m {
                *colour = OF_STRUCTURE;
            }
        }
        let [mut shown, mut structure, mut orange, mut veil] = [(); 4].map(|()| Mesh::new(self.camera.focus));
        for ((triangle, normals), &i) in triangles.iter().zip(&normals).zip(&drawn) {
            let object = scene.object[i];
            let colour = colours.get(object as usize).copied().unwrap_or(OF_STRUCTURE);
            match cutaway.fate(i) {
                _ if cutaway.is_touched(i) => orange.add(triangle, normals, colour),
                Fate::Shown => shown.add(triangle, normals, colour),
                Fate::Cut => structure.add(triangle, normals, colour),
                Fate::Hidden => veil.add(triangle, normals, colour),
            }
        }
        let layers =
            [(Paint::Scene, shown), (Paint::Structure, structure), (Paint::Touched, orange), (Paint::Veil, veil)];
        layers.map(|(paint, mesh)| Layer { paint, corners: mesh.corners }).into()
    }

    /// The contact and its normal.
    pub fn of_contact(&self) -> Option<Layer> {
        self.contact.map(|c| {
            let mut mesh = Mesh::new(self.camera.focus);
            mesh.add_contact(c.point.into(), c.normal.into(), MARK * self.camera.extent_m, palette::CONTACT);
            Layer { paint: Paint::Mark, corners: mesh.corners }
        })
    }
}

/// The surface that a link's line-swept sphere sweeps: as fine as requested, or coarser if the motion is too long.
fn sweep(motion: &RobotMotion, link: &LinkGeometry, epsilon_m: f64) -> Result<SweptSurface> {
    let tessellated = |epsilon_m: f64| paper::tessellate(motion, link.body, &link.lss, [0.0, 1.0], epsilon_m);
    let coarser = (1..=6).map(|k| epsilon_m * 4f64.powi(k));
    coarser.fold(tessellated(epsilon_m), |found, epsilon_m| found.or_else(|_| tessellated(epsilon_m)))
}
