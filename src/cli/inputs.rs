//! Options that say how robots and scenes are read.

use super::numbers;
use clap::{Args, ValueEnum};
use firstcontact::Result;
use firstcontact::load::LoadLimits;
use firstcontact::model::primitive::CHORD_ERROR_M;
use firstcontact::model::robot::Robot;
use firstcontact::model::scene::Scene;
use firstcontact::model::scene_file::SceneOptions;
use firstcontact::model::urdf::{Geometry, UrdfOptions};
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GeometryChoice {
    /// Collision shapes, visual ones where a link has none
    Auto,
    /// Collision shapes alone
    Collision,
    /// Visual shapes alone
    Visual,
}

/// How robots and scenes are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub struct InputArgs {
    /// Put the root link into the world: metres and radians
    #[arg(long, value_name = "X,Y,Z,ROLL,PITCH,YAW", value_parser = numbers::<6>, allow_hyphen_values = true)]
    base: Option<[f64; 6]>,
    /// Put a free joint before the root; its columns x y z qx qy qz qw come first
    #[arg(long)]
    floating_root: bool,
    /// Which shapes of a link count
    #[arg(long, value_enum, default_value = "auto")]
    geometry: GeometryChoice,
    /// How far the tessellation of a box, cylinder, sphere or capsule may reach beyond it, metres
    #[arg(long, value_name = "M", default_value_t = CHORD_ERROR_M)]
    chord_error: f64,
    /// Another folder in which packages are looked for
    #[arg(long, value_name = "DIR")]
    package_path: Vec<PathBuf>,
    /// Memory that input and candidates may take each, bytes
    #[arg(long, value_name = "BYTES")]
    pub memory: Option<u64>,
}

impl InputArgs {
    /// What loading may use.
    pub fn limits(&self) -> LoadLimits {
        self.memory.map_or_else(LoadLimits::default, |memory_bytes| LoadLimits { memory_bytes })
    }

    fn shapes(&self) -> Geometry {
        match self.geometry {
            GeometryChoice::Auto => Geometry::Auto,
            GeometryChoice::Collision => Geometry::Collision,
            GeometryChoice::Visual => Geometry::Visual,
        }
    }

    /// Reads a robot.
    pub fn robot(&self, path: &Path) -> Result<Robot> {
        let options = UrdfOptions {
            geometry: self.shapes(),
            chord_error_m: self.chord_error,
            base: self.base.unwrap_or_default(),
            floating_root: self.floating_root,
            package_paths: self.package_path.clone(),
            limits: self.limits(),
        };
        Robot::from_urdf_with(path, &options)
    }

    /// Reads a scene.
    pub fn scene(&self, path: &Path) -> Result<Scene> {
        let options = SceneOptions {
            geometry: self.shapes(),
            chord_error_m: self.chord_error,
            package_paths: self.package_path.clone(),
            limits: self.limits(),
        };
        Scene::from_file_with(path, &options)
    }
}
