//! Real robots in real scenes, with motions many of which touch and many of which do not.
//!
//! Base poses were found by a random search: upright, with any yaw, on a grid of a centimetre and a hundredth of a
//! radian. At least a third of random configurations is free there, and about two in five motions touch. The motions
//! follow from a seed. Starts are at least [`CLEARANCE_M`] from everything.

mod motions;

use super::fk::Robot;
use super::sampling::Sampler;
use super::shapes::{self, Choice};
use super::{data, scene};
use std::fs;
use std::path::{Path, PathBuf};

pub use motions::{Amplitude, Draw, MotionBatch, make};

/// Minimum distance of every start from the scene.
pub const CLEARANCE_M: f64 = 2e-3;

/// A robot in a scene.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    pub name: &'static str,
    /// Folder in the data sets, and the URDF in it.
    pub robot: (&'static str, &'static str),
    /// Folder in the data sets, and the scene in it.
    pub scene: (&'static str, &'static str),
    /// `x, y, z, roll, pitch, yaw`.
    pub base: [f64; 6],
    pub geometry: Choice,
    /// True if the root moves freely relative to the base.
    pub floating_root: bool,
    /// Pairs of link and object to ignore (`*` stands for all): links whose shape the oracles omit.
    pub allow: &'static [(&'static str, &'static str)],
    pub seed: u64,
    /// Used in turn, motion after motion.
    pub amplitudes: &'static [Amplitude],
    /// Number of the first 200 motions that touch.
    pub contacts_of_200: usize,
}

/// A placement with its files located and its motions generated.
pub struct Case {
    pub robot: PathBuf,
    pub scene: PathBuf,
    pub base: [f64; 6],
    pub motions: MotionBatch,
    /// The sampling oracle for it.
    pub sampler: Sampler,
}

const MODERATE: &[Amplitude] = &degrees([10.0, 20.0, 40.0, 60.0]);
const WIDE: &[Amplitude] = &degrees([30.0, 60.0, 90.0, 120.0]);
const LARGE: &[Amplitude] = &degrees([15.0, 30.0, 60.0, 90.0]);

const fn degrees(d: [f64; 4]) -> [Amplitude; 4] {
    [Amplitude { degrees: d[0] }, Amplitude { degrees: d[1] }, Amplitude { degrees: d[2] }, Amplitude { degrees: d[3] }]
}

const BOOKSTORE: (&str, &str) = ("env-bookstore", "scene.json");
const PUMA: (&str, &str) = ("robot-puma560", "puma560_robot.urdf");
const UR5: (&str, &str) = ("robot-ur5", "ur5_robot.urdf");
const PANDA: (&str, &str) = ("robot-panda", "panda.urdf");
const PR2: (&str, &str) = ("robot-pr2", "pr2.urdf");

const CRANE: (&str, &str) = ("env-gazebo-structures", "tower_crane__tower_crane.stl");
const POWER_PLANT: (&str, &str) = ("env-gazebo-structures", "powerplant__powerplant.stl");
const KITCHEN: (&str, &str) = ("env-mbm-meshes", "kitchen/kitchen.urdf");
const BARS: (&str, &str) = ("env-mbm-meshes", "table_bars/table_bars.urdf");

/// The common values of most placements.
const PLAIN: Placement = Placement {
    name: "",
    robot: ("", ""),
    scene: ("", ""),
    base: [0.0; 6],
    geometry: Choice::Default,
    floating_root: false,
    allow: &[],
    seed: 1,
    amplitudes: MODERATE,
    contacts_of_200: 0,
};

/// A six-joint arm with inch meshes among shelves and desks.
pub const PUMA560_BOOKSTORE: Placement = Placement {
    name: "puma560-bookstore",
    robot: PUMA,
    scene: BOOKSTORE,
    base: [3.46, 1.68, 0.32, 0.0, 0.0, 1.02],
    amplitudes: WIDE,
    contacts_of_200: 66,
    ..PLAIN
};

/// Another arm between desks and chairs.
pub const UR5_BOOKSTORE: Placement = Placement {
    name: "ur5-bookstore",
    robot: UR5,
    scene: BOOKSTORE,
    base: [-4.46, 1.45, 0.38, 0.0, 0.0, 0.95],
    contacts_of_200: 52,
    ..PLAIN
};

/// The same arm in the lattice of a crane, 31 m above the origin.
pub const UR5_CRANE: Placement = Placement {
    name: "ur5-crane",
    robot: UR5,
    scene: CRANE,
    base: [-0.22, -6.54, 31.03, 0.0, 0.0, -0.29],
    contacts_of_200: 63,
    ..PLAIN
};

/// An arm with two coupled fingers before a kitchen of a few large triangles.
pub const PANDA_KITCHEN: Placement = Placement {
    name: "panda-kitchen",
    robot: PANDA,
    scene: KITCHEN,
    base: [0.43, 0.41, 0.88, 0.0, 0.0, -0.25],
    amplitudes: LARGE,
    contacts_of_200: 80,
    ..PLAIN
};

/// The same with its 135,000 visual triangles, from COLLADA files.
pub const PANDA_VISUAL_KITCHEN: Placement = Placement {
    name: "panda-visual-kitchen",
    base: [0.21, -0.02, 0.69, 0.0, 0.0, -1.31],
    geometry: Choice::Visual,
    contacts_of_200: 52,
    ..PANDA_KITCHEN
};

/// The same arm at a table between bars.
pub const PANDA_BARS: Placement = Placement {
    name: "panda-bars",
    robot: PANDA,
    scene: BARS,
    base: [-0.08, -0.01, 0.35, 0.0, 0.0, -2.95],
    amplitudes: LARGE,
    contacts_of_200: 61,
    ..PLAIN
};

/// A two-armed tree of 82 links between desks, 3 cm above the floor.
pub const PR2_BOOKSTORE: Placement = Placement {
    name: "pr2-bookstore",
    robot: PR2,
    scene: BOOKSTORE,
    base: [-3.28, -0.13, 0.03, 0.0, 0.0, 0.8],
    // its only shape is a cylinder
    allow: &[("high_def_optical_frame", "*")],
    contacts_of_200: 72,
    ..PLAIN
};

/// An arm whose root moves freely, far from the origin.
pub const PUMA560_FLYING_POWER_PLANT: Placement = Placement {
    name: "puma560-flying-powerplant",
    robot: PUMA,
    scene: POWER_PLANT,
    base: [2.55, -4.08, 14.58, 0.0, 0.0, 2.16],
    floating_root: true,
    contacts_of_200: 47,
    ..PLAIN
};

/// All placements.
pub const ALL: &[Placement] = &[
    PUMA560_BOOKSTORE,
    UR5_BOOKSTORE,
    UR5_CRANE,
    PANDA_KITCHEN,
    PANDA_VISUAL_KITCHEN,
    PANDA_BARS,
    PR2_BOOKSTORE,
    PUMA560_FLYING_POWER_PLANT,
];

impl Placement {
    /// Locates and reads the files and generates the first `n` motions; `None` without data.
    pub fn case(&self, n: usize) -> Option<Case> {
        let robot = data::folder(self.robot.0)?.join(self.robot.1);
        let scene = data::folder(self.scene.0)?.join(self.scene.1);
        let sampler = self.sampler(&robot, &scene, self.base);
        let motions = self.motions(&sampler, n);
        Some(Case { robot, scene, base: self.base, motions, sampler })
    }

    fn motions(&self, sampler: &Sampler, n: usize) -> MotionBatch {
        let is_clear = |q: &[f64]| sampler.clearance(q, CLEARANCE_M) >= CLEARANCE_M;
        make(&sampler.robot, n, self.seed, self.amplitudes, &is_clear)
    }

    fn sampler(&self, robot: &Path, scene: &Path, base: [f64; 6]) -> Sampler {
        let robot = Robot::load(robot, base, self.floating_root);
        let meshes = shapes::link_meshes(&robot, self.geometry);
        for (link, element) in &meshes.left_out {
            let name = robot.links()[*link].name.as_str();
            assert!(self.allow.contains(&(name, "*")), "{name} has a {element}, which the oracles leave out");
        }
        Sampler::new(robot, &meshes, &scene::read(scene), self.allow)
    }
}

/// Copies the two URDF scenes and their meshes below `folder`, so that the `package://` names in them are resolved by
/// the documented rule, and returns the path of the copy of `scene`. Another scene is not copied.
/// # Panics
/// A file cannot be copied.
pub fn stage(scene: &Path, folder: &Path) -> PathBuf {
    if scene.extension().is_none_or(|e| e != "urdf") {
        return scene.to_path_buf();
    }
    let source = scene.parent().expect("a folder");
    let name = source.file_name().expect("a name");
    let target = folder.join("motion_bench_maker/configs/scenes").join(name);
    fs::create_dir_all(target.join("meshes")).expect("a new folder");
    for entry in fs::read_dir(source.join("meshes")).expect("meshes") {
        let file = entry.expect("an entry").path();
        fs::copy(&file, target.join("meshes").join(file.file_name().expect("a name"))).expect("a copy");
    }
    let copy = target.join(scene.file_name().expect("a name"));
    fs::copy(scene, &copy).expect("a copy");
    copy
}

#[cfg(test)]
mod tests {
    use super::super::sampling::Fineness;
    use super::*;

    /// Both outcomes are common, as many motions touch as recorded, and none starts in contact.
    fn check(placement: &Placement) {
        // all 200 take about a minute; a part suffices for daily use, and a few without optimisation
        let n = if data::slow() {
            200
        } else if cfg!(debug_assertions) {
            4
        } else {
            40
        };
        let Some(case) = placement.case(n) else { return };
        let clock = std::time::Instant::now();
        let outcomes = case.sampler.motions(&case.motions, Fineness::default());
        let contacts = outcomes.iter().filter(|o| o.hit.is_some()).count();
        let grazing = outcomes.iter().filter(|o| o.hit.is_none() && o.least_gap_m < 1e-4).count();
        let seconds = clock.elapsed().as_secs_f64();
        println!("{}: {contacts} of {n} touch, {grazing} miss by less than 0.1 mm; {seconds:.1} s", placement.name);
        assert!(outcomes.iter().all(|o| o.clear_until > 0.0), "{} starts in contact", placement.name);
        if n == 200 {
            assert!((20..=140).contains(&contacts), "{}", placement.name);
            // the sine functions of other platforms may change the outcome of a rare one
            assert!(contacts.abs_diff(placement.contacts_of_200) <= 1, "{}", placement.name);
        }
    }

    #[test]
    fn puma560_bookstore() {
        check(&PUMA560_BOOKSTORE);
    }

    #[test]
    fn ur5_bookstore() {
        check(&UR5_BOOKSTORE);
    }

    #[test]
    fn ur5_crane() {
        check(&UR5_CRANE);
    }

    #[test]
    fn panda_kitchen() {
        check(&PANDA_KITCHEN);
    }

    #[test]
    fn panda_visual_kitchen() {
        check(&PANDA_VISUAL_KITCHEN);
    }

    #[test]
    fn panda_bars() {
        check(&PANDA_BARS);
    }

    #[test]
    fn pr2_bookstore() {
        check(&PR2_BOOKSTORE);
    }

    #[test]
    fn puma560_flying_power_plant() {
        check(&PUMA560_FLYING_POWER_PLANT);
    }

    #[test]
    fn motions_are_the_same_every_time_and_more_are_a_continuation() {
        let (Some(a), Some(b)) = (UR5_CRANE.case(8), UR5_CRANE.case(12)) else { return };
        assert_eq!(a.motions[..], b.motions[..8]);
        assert_eq!(a.motions[0].0.len(), 6);
    }

    #[test]
    fn a_staged_scene_is_found_by_the_rule_of_the_contract() {
        let Some(folder) = data::folder("env-mbm-meshes") else { return };
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let scene = stage(&folder.join("kitchen/kitchen.urdf"), temporary.path());
        assert!(temporary.path().join("motion_bench_maker/configs/scenes/kitchen/meshes/cupboard.stl").is_file());
        assert_eq!(scene::read(&scene), scene::read(&folder.join("kitchen/kitchen.urdf")));
    }
}
