//! Sets of planning problems: archives with a scene and a request for each.

use super::fetch::unpack::{Limits, read_tar};
use firstcontact::AttachedObject;
use firstcontact::error::{Error, Result, quoted};
use firstcontact::formats::MissingJoints;
use firstcontact::formats::moveit::{PlanningScene, Request, placed};
use firstcontact::formats::scene_file::SceneOptions;
use firstcontact::io::load::text;
use firstcontact::robot::{MotionBatch, Robot};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// One problem: a scene, a start and a goal.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Kind and number, such as `box/0017`.
    pub name: String,
    /// The scene.
    pub planning: PlanningScene,
    /// Start and goal.
    pub request: Request,
}

/// Limits for unpacking an archive of problems.
const LIMITS: Limits = Limits { bytes: 1 << 30, entries: 100_000 };

/// The name for all kinds.
pub const ALL: &str = "all";

/// The problems of a kind, or of all kinds, in the order of their names. Archives are tar files with `…/KIND` +
/// `suffix` + `/sceneNNNN.yaml` and `requestNNNN.yaml`.
///
/// # Errors
/// The archive cannot be read, has no problems of the kind, or one of them is malformed or incomplete.
pub fn read(archive: &Path, suffix: &str, kind: &str, options: &SceneOptions) -> Result<Vec<Problem>> {
    let mut kinds = BTreeSet::new();
    let files = read_tar(archive, |path| place(path, suffix).is_some(), &LIMITS)?;
    let mut found: BTreeMap<String, [Option<&[u8]>; 2]> = BTreeMap::new();
    for (path, bytes) in &files {
        let Some((of, number, which)) = place(path, suffix) else { continue };
        kinds.insert(of);
        if kind == ALL || of == kind {
            found.entry(format!("{of}/{number}")).or_default()[which] = Some(bytes.as_slice());
        }
    }
    if found.is_empty() {
        let kinds: Vec<&str> = kinds.into_iter().collect();
        let message = format!("it has no problems of the kind '{kind}'");
        let remedy = format!("available: {}, and {ALL} for all of them", kinds.join(", "));
        return Err(Error::usage(message).in_file(archive).remedy(remedy));
    }
    let folder = archive.parent().unwrap_or(Path::new(""));
    let problems = found.into_iter().map(|(name, files)| {
        let at = |e: Error| e.within(format!("problem {name}")).in_file(archive);
        let [Some(scene), Some(request)] = files else {
            return Err(at(Error::input("its scene or its request is missing")));
        };
        let scene = text(scene).map_err(at)?;
        let planning = PlanningScene::parse(scene, folder, options).map_err(at)?;
        let request = Request::parse(text(request).map_err(at)?, folder, options).map_err(at)?;
        Ok(Problem { name: name.clone(), planning, request })
    });
    problems.collect()
}

/// The kind, the number, and 0 for a scene or 1 for a request, determined from a path in an archive.
fn place<'a>(path: &'a str, suffix: &str) -> Option<(&'a str, &'a str, usize)> {
    let (folder, file) = path.rsplit_once('/')?;
    let kind = folder.rsplit('/').next()?.strip_suffix(suffix)?;
    let stem = file.strip_suffix(".yaml")?;
    let scene = stem.strip_prefix("scene").map(|number| (kind, number, 0));
    scene.or_else(|| stem.strip_prefix("request").map(|number| (kind, number, 1)))
}

impl Problem {
    /// The straight motion from start to goal.
    ///
    /// # Errors
    /// As [`Request::motion`], or the motion does not fit the robot.
    pub fn motion(&self, robot: &Robot, missing: &MissingJoints) -> Result<MotionBatch> {
        let at = |e: Error| e.at(format!("problem {}", self.name));
        let [start, end] = self.request.motion(robot, &self.planning.state, missing).map_err(at)?;
        let motion = MotionBatch::between(&[start], &[end]).map_err(at)?;
        motion.check(robot).map_err(at)?;
        Ok(motion)
    }

    /// The robot with its root at the pose given by the problem, and with the objects that the problem attaches; `None`
    /// if the problem has neither.
    ///
    /// # Errors
    /// The robot does not have the link that carries an object, or has a link with the name of an object.
    pub fn robot(&self, robot: &Robot) -> Result<Option<Robot>> {
        let root = self.request.start.root.or(self.planning.state.root);
        let attached = self.attached(robot);
        if root.is_none() && attached.is_empty() {
            return Ok(None);
        }
        let mut robot = root.map_or_else(|| robot.clone(), |root| placed(robot, root));
        let mut attach =
            |object| robot.attach(object).map(|_| ()).map_err(|e| e.within(format!("problem {}", self.name)));
        attached.iter().try_for_each(&mut attach)?;
        Ok(Some(robot))
    }

    /// The attached objects of the scene's state and of the request; an object of the request replaces one with the
    /// same name. Links that the robot does not have are removed from the links that they may touch; [`lacking`] lists
    /// them.
    pub fn attached(&self, robot: &Robot) -> Vec<AttachedObject> {
        let (of_scene, of_request) = (&self.planning.state.attached, &self.request.start.attached);
        let is_replaced = |object: &&AttachedObject| of_request.iter().any(|other| other.name == object.name);
        let mut all: Vec<_> = of_scene.iter().filter(|o| !is_replaced(o)).chain(of_request).cloned().collect();
        let names: Vec<String> = all.iter().map(|object| object.name.clone()).collect();
        let exists = |name: &String| names.contains(name) || robot.has_link(name);
        all.iter_mut().for_each(|object| object.touch_links.retain(exists));
        all
    }

    /// The names of links and attached objects to which the problem refers, apart from its objects.
    fn links(&self) -> BTreeSet<&str> {
        let objects: BTreeSet<&str> = self.planning.scene.objects.iter().map(|o| o.name.as_str()).collect();
        let attached = || self.planning.state.attached.iter().chain(&self.request.start.attached);
        let own: BTreeSet<&str> = attached().map(|object| object.name.as_str()).collect();
        let touching = attached().flat_map(|object| object.touch_links.iter().map(String::as_str));
        let names = self.planning.allowed.names().into_iter().filter(|name| !objects.contains(name));
        names.chain(touching).filter(|name| !own.contains(name)).collect()
    }
}

/// Maximum number of names that a warning lists; the remaining ones are only counted.
const MAX_LISTED: usize = 20;

/// A warning about names that are neither a link of the robot nor an object, in the allowed-collision matrices and
/// among the links that attached objects may touch.
pub fn lacking(problems: &[Problem], robot: &Robot) -> Option<String> {
    let is_link =
        |name: &str| robot.links.iter().any(|l| l.name == name) || robot.bodies.iter().any(|b| b.name == name);
    let names = problems.iter().flat_map(Problem::links).filter(|name| !is_link(name));
    let names: BTreeSet<&str> = names.collect();
    let listed: Vec<String> = names.iter().take(MAX_LISTED).map(|name| quoted(name)).collect();
    let more = match names.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let message = "the problems' robot has links without triangles here";
    (!listed.is_empty()).then(|| format!("{message}: {}{more}", listed.join(", ")))
}
