//! Fingerprints: hashes of everything that answers depend on. They are kept next to unfinished answers, and attached to
//! finished ones.

use firstcontact::engine::Engine;
use firstcontact::robot::{MotionBatch, Robot, Trajectory};
use firstcontact::scene::Scene;
use glam::DAffine3;
use serde::{Deserialize, Serialize};

/// Hashes of everything that answers depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    version: String,
    robot: String,
    scene: String,
    motions: String,
    options: String,
    device: String,
}

/// The adapters, each with its driver, or `cpu`.
fn device_and_driver(engine: &Engine) -> String {
    let adapters: Vec<String> = engine.adapters().iter().map(|a| format!("{}, {}", a.name, a.driver)).collect();
    if adapters.is_empty() { "cpu".into() } else { adapters.join(" + ") }
}

impl Fingerprint {
    /// The fingerprint of everything that an engine is built from and is given: the robot, the scene, the hash of the
    /// motions, and all options that may change an answer; of several robots and scenes, if each problem has its own.
    pub fn new(engine: &Engine, robots: &[&Robot], scenes: &SceneHash, motions: &MotionHash, options: &str) -> Self {
        let mut of_robots = blake3::Hasher::new();
        let mut last: Option<(&Robot, blake3::Hash)> = None;
        for &robot in robots {
            // Problems share their robot, which may have many triangles.
            let hash = last.filter(|(known, _)| std::ptr::eq(*known, robot)).map_or_else(|| hash_of(robot), |(_, h)| h);
            of_robots.update(hash.as_bytes());
            last = Some((robot, hash));
        }
        Self {
            version: env!("CARGO_PKG_VERSION").to_string(),
            robot: of_robots.finalize().to_string(),
            scene: scenes.0.finalize().to_string(),
            motions: motions.0.finalize().to_string(),
            options: options.to_string(),
            device: device_and_driver(engine),
        }
    }

    /// The same fingerprint with the options as a hash, which is short.
    pub fn short(&self) -> Self {
        Self { options: blake3::hash(self.options.as_bytes()).to_string(), ..self.clone() }
    }

    /// The processor on which the culling stages ran: `cpu`, or the name and driver of an adapter.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// The hash of the motions.
    pub fn motions(&self) -> &str {
        &self.motions
    }

    /// The parts that the shards of a run have in common, by name.
    pub fn common(&self) -> [(&'static str, &str); 4] {
        let Self { version, robot, scene, options, .. } = self;
        [("version", version), ("robot", robot), ("scene", scene), ("options", options)]
    }

    /// The parts in which two differ.
    pub fn differences(&self, other: &Self) -> Vec<&'static str> {
        let parts = [
            ("version of the program", &self.version, &other.version),
            ("robot", &self.robot, &other.robot),
            ("scene", &self.scene, &other.scene),
            ("motions", &self.motions, &other.motions),
            ("options", &self.options, &other.options),
            ("backend", &self.device, &other.device),
        ];
        parts.into_iter().filter(|(_, a, b)| a != b).map(|(what, ..)| what).collect()
    }
}

/// The hash of everything in a robot that answers depend on.
fn hash_of(robot: &Robot) -> blake3::Hash {
    let mut hash = blake3::Hasher::new();
    hash.update(format!("{:?} {:?}", robot.columns, robot.bodies).as_bytes());
    for link in robot.links.iter() {
        hash.update(format!("{:?} {} {:?}", link.name, link.body, link.shape_starts).as_bytes());
        // Nothing is added for other links, so that unfinished answers of earlier builds stay valid.
        link.attached_to.iter().for_each(|carrier| _ = hash.update(format!("on {carrier:?}").as_bytes()));
        if link.pose != DAffine3::IDENTITY {
            hash.update(format!("at {:?}", link.pose).as_bytes());
        }
        hash.update(bytemuck::cast_slice(&link.triangles));
    }
    hash.finalize()
}

/// The hash of scenes, computed before engines take ownership of their triangles.
pub struct SceneHash(blake3::Hasher);

impl SceneHash {
    /// The hash of everything in the scenes that answers depend on.
    pub fn new<'s>(scenes: impl IntoIterator<Item = &'s Scene>) -> Self {
        let mut hash = blake3::Hasher::new();
        for scene in scenes {
            for object in &scene.objects {
                hash.update(format!("{object:?}").as_bytes());
            }
            hash.update(bytemuck::cast_slice(&scene.triangles));
        }
        Self(hash)
    }
}

/// The hash of a file's motions, portion by portion.
#[derive(Default)]
pub struct MotionHash(blake3::Hasher);

impl MotionHash {
    /// Adds the next trajectory.
    pub fn add_trajectory(&mut self, trajectory: &Trajectory) {
        trajectory.feed(|bytes| _ = self.0.update(bytes));
    }

    /// Adds the next motions.
    pub fn add(&mut self, motions: &MotionBatch) {
        for i in 0..motions.len() {
            self.0.update(bytemuck::cast_slice(motions.start(i)));
            self.0.update(bytemuck::cast_slice(motions.end(i)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same triangles with the frame of the link elsewhere: `poses` in results differ.
    #[test]
    fn frames_of_links_belong_to_a_robot() {
        let [first, second] = [1.0, 2.0].map(|x| {
            let text = format!(
                r#"<robot name="r"><link name="a"/><link name="b"><collision><origin xyz="{} 0 0"/>
                <geometry><box size="1 1 1"/></geometry></collision></link>
                <joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="{x} 0 0"/></joint>
                </robot>"#,
                -x
            );
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("r.urdf");
            std::fs::write(&path, text).unwrap();
            Robot::from_urdf(&path).unwrap()
        });
        assert_eq!(first.links[0].triangles, second.links[0].triangles);
        assert_ne!(hash_of(&first), hash_of(&second));
    }
}
