//! Input of all kinds: files broken in every way, randomly mutated files, and real data.

#[path = "../src/formats/test_arrays.rs"]
pub mod arrays;
pub mod broken;
pub mod fuzz;
mod link_pairs;
mod real;
pub mod samples;

use firstcontact::Srdf;
use firstcontact::error::Result;
use firstcontact::formats::mesh::{Mesh, MeshFormat};
use firstcontact::formats::scene_file::SceneOptions;
use firstcontact::formats::urdf::UrdfOptions;
use firstcontact::formats::{AnyMotionFile, MotionOptions, TrajectoryOptions};
use firstcontact::io::load::LoadLimits;
use firstcontact::robot::Robot;
use firstcontact::scene::Scene;
use std::path::Path;

/// The memory that loading may take in these tests, bytes.
const LIMITS: LoadLimits = LoadLimits { memory_bytes: 1 << 26 };

/// Reads a file according to its name: `motions.json`, `.npy`, `.npz` and `.csv` as motions or trajectories of `robot`,
/// other `.json` as a scene, `.urdf` as a robot, `.srdf` as a description of `robot`, all others as meshes.
fn load(path: &Path, robot: &Robot) -> Result<()> {
    let name = path.file_name().unwrap().to_string_lossy();
    if is_motions(&name) {
        load_motions(path, robot)
    } else if name.ends_with(".urdf") {
        let options = UrdfOptions { limits: LIMITS, ..UrdfOptions::default() };
        Robot::from_urdf_with(path, &options).and_then(|r| r.body_poses(&r.zero_configuration()).map(drop))
    } else if name.ends_with(".srdf") {
        let srdf = Srdf::read_with(path, &LIMITS)?;
        srdf.link_pairs(robot)?;
        srdf.joint_values("home", robot).map(drop)
    } else if MeshFormat::of_path(path).is_some() {
        Mesh::load(path, &LIMITS).map(drop)
    } else {
        let options = SceneOptions { limits: LIMITS, ..SceneOptions::default() };
        Scene::from_file_with(path, &options).map(|s| {
            let _ = (0..s.objects.len() as u32).filter(|&o| s.is_closed(o)).count();
        })
    }
}

/// Reads motions or trajectories.
fn load_motions(path: &Path, robot: &Robot) -> Result<()> {
    let options = TrajectoryOptions::default().with_motion(MotionOptions::default().with_limits(LIMITS));
    match AnyMotionFile::open(path, robot, &options)? {
        AnyMotionFile::Motions(file) => file.read_all(&LIMITS).map(|motions| drop(motions.check_limits(robot))),
        AnyMotionFile::Trajectories(file) => file.trajectories().iter().try_for_each(|path| path.check(robot)),
    }
}

/// Returns whether a file of this name contains motions.
pub fn is_motions(name: &str) -> bool {
    [".npy", ".npz", ".csv", "motions.json"].iter().any(|end| name.ends_with(end))
}
