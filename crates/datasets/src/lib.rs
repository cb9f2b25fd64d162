//! Data sets: seeded generators of robots, scenes and motions that produce the same bytes on every platform, and public
//! data sets that are fetched ([`manifest`], [`fetch`]).
//!
//! ```no_run
//! # fn check(_: &firstcontact::robot::Robot, _: Option<&firstcontact::scene::Scene>) {}
//! use firstcontact_datasets::{Dataset, MakeOptions};
//! # fn main() -> firstcontact::Result<()> {
//! let set = Dataset::generate("pipes", 2004, 1)?;
//! let (robot, scene) = (set.robot()?, set.scene()?);
//! let mut is_free = |starts: &[Vec<f64>]| {
//!     // Ask the engine about `robot` and `scene`.
//! #   check(&robot, scene.as_ref());
//!     Ok(vec![true; starts.len()])
//! };
//! let summary = set.write("out".as_ref(), &MakeOptions::default(), &mut is_free, &mut |_| ())?;
//! println!("{summary}");
//! # Ok(())
//! # }
//! ```
//!
//! The bytes are the same because the generators use only one fixed generator of random words, `+ - * /` and square
//! roots on `f64`, and the engine's own sine and cosine, and because no order depends on hashing.

mod amr;
mod arm;
mod chain;
pub mod fetch;
mod files;
mod make;
pub mod manifest;
mod motions;
mod parts;
mod pipes;
pub mod placed;
pub mod problems;
mod puma;
mod random;
mod summary;
#[cfg(test)]
mod tests;

pub use arm::{Arm, ArmLink, Mount};
pub use make::{MakeOptions, THETA_MAX_DEG};
pub use motions::{FreeCheck, Progress};
pub use parts::assembly::Part;
pub use parts::mesh::Mesh;
pub use summary::{Histogram, KindCount, MotionSummary, Reach, RobotSummary, SceneSummary, Summary};

use firstcontact::error::{Error, Result};
use firstcontact::robot::Robot;
use firstcontact::scene::Scene;
use glam::DVec3;

/// Version of the generators; it increases whenever their output changes.
pub const GENERATOR_VERSION: u32 = 1;

/// The default seed.
pub const DEFAULT_SEED: u64 = 2004;

/// The sets that can be generated: name and description. The number of links of a chain can be chosen.
pub const NAMES: [(&str, &str); 6] = [
    ("puma", "a Puma 560 of 7 links and 800 triangles"),
    ("pipes", "the Puma in dense pipework of 38,000 triangles, with motions"),
    ("amr", "the Puma in a machine room of 1,180 objects and 187,000 triangles, with motions"),
    ("chain-10", "a chain of 10 links among scattered obstacles, with motions"),
    ("chain-30", "the same with 30 links; also called chain"),
    ("chain-100", "the same with 100 links"),
];

/// Maximum scale: its 1.87 · 10⁹ triangles fit the 32-bit triangle count.
const MAX_ROOMS: u64 = 10_000;

/// A data set in memory.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// Its full name.
    pub name: String,
    /// The seed from which it was generated.
    pub seed: u64,
    /// Size of the scene, as a multiple of the part in memory.
    pub scale: u64,
    /// The robot.
    pub arm: Arm,
    /// The scene, if the set has one; for a scaled scene, only the part that the arm can touch.
    pub scene: Option<SceneParts>,
    /// Centre and radius, metres, of a ball that no point of the arm leaves.
    pub reach: (DVec3, f64),
}

/// A generated scene.
#[derive(Clone, Debug)]
pub struct SceneParts {
    /// Its name, which is the file name without the extension.
    pub name: String,
    /// The objects.
    pub parts: Vec<Part>,
}

impl Dataset {
    /// Generates a set. With a `scale` other than 1, `amr` has that many machine rooms; the other sets have no larger
    /// versions.
    ///
    /// # Errors
    /// There is no set with that name or scale, or the seed gives a layout that does not reach the exact counts.
    pub fn generate(name: &str, seed: u64, scale: u64) -> Result<Self> {
        let most = if name == "amr" { MAX_ROOMS } else { 1 };
        if !(1..=most).contains(&scale) {
            let message = format!("data set '{name}' has no scale {scale}, only 1 to {most}");
            return Err(Error::usage(message).remedy("only amr supports other scales"));
        }
        if let Some(n_links) = chain::links_of(name)? {
            let scene = SceneParts { name: "obstacles".into(), parts: chain::scene(seed)? };
            let name = format!("chain-{n_links}");
            return Ok(Self { name, seed, scale, arm: chain::arm(n_links), scene: Some(scene), reach: chain::REACH });
        }
        let parts = match name {
            "puma" => None,
            "pipes" => Some(pipes::scene(seed)?),
            "amr" => Some(amr::scene(seed)?),
            _ => return Err(unknown(name)),
        };
        let scene = parts.map(|parts| SceneParts { name: name.to_string(), parts });
        Ok(Self { name: name.to_string(), seed, scale, arm: puma::arm()?, scene, reach: puma::REACH })
    }

    /// The robot that the written URDF describes.
    ///
    /// # Errors
    /// No error in practice; see [`Arm::robot`].
    pub fn robot(&self) -> Result<Robot> {
        self.arm.robot()
    }

    /// The scene that the written OBJ file describes.
    ///
    /// # Errors
    /// As [`Dataset::each_part`]; there are too many triangles.
    pub fn scene(&self) -> Result<Option<Scene>> {
        let mut scene = Scene::new();
        self.each_part(&mut |part| scene.add_object(part.name.clone(), part.mesh.soup()).map(|_| ()))?;
        Ok(self.scene.is_some().then_some(scene))
    }

    /// The part of the scene that the arm can touch.
    ///
    /// # Errors
    /// A coordinate is not finite; no generator produces one.
    pub fn scene_within_reach(&self) -> Result<Option<Scene>> {
        let Some(parts) = &self.scene else { return Ok(None) };
        let mut scene = Scene::new();
        for part in &parts.parts {
            scene.add_object(part.name.clone(), part.mesh.soup())?;
        }
        Ok(Some(scene))
    }

    /// Passes all objects of the scene to `take`, in the order of the file. The objects of a scaled scene are generated
    /// room by room.
    ///
    /// # Errors
    /// The errors of `take`; the seed gives a layout that does not reach the exact counts.
    pub fn each_part(&self, take: &mut dyn FnMut(&Part) -> Result<()>) -> Result<()> {
        let Some(scene) = &self.scene else { return Ok(()) };
        scene.parts.iter().try_for_each(&mut *take)?;
        for room in amr::deck::others(self.seed, self.scale, &scene.parts) {
            room?.iter().try_for_each(&mut *take)?;
        }
        Ok(())
    }
}

fn unknown(name: &str) -> Error {
    let names: Vec<&str> = NAMES.iter().map(|n| n.0).collect();
    Error::usage(format!("there is no data set '{name}'")).remedy(format!("available: {}", names.join(", ")))
}
