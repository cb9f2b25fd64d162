//! The measured motions: those of this program's data sets, or of a folder with known truth.

use super::fact::Fact;
use crate::dataset;
use firstcontact::error::foreign;
use firstcontact::formats::MotionOptions;
use firstcontact::io::load::read_text;
use firstcontact::robot::{JointKind, MotionBatch, Robot};
use firstcontact::scene::Scene;
use firstcontact::{Error, Result};
use serde::Deserialize;
use std::fs;
use std::path::Path;

/// Scenes, and largest angles of a joint in degrees: nine classes.
const ALL: [(&str, &[u32]); 2] = [("pipes", &[1, 5, 15, 30]), ("amr", &[1, 5, 15, 30, 60])];
/// A selection for a quick test.
const QUICK: [(&str, &[u32]); 1] = [("pipes", &[5, 30])];

/// Motions of one scene and largest angle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The scene's name.
    pub scene: String,
    /// The largest angle of a joint, degrees.
    pub degrees: u32,
}

impl Class {
    /// Its name in tables.
    pub fn name(&self) -> String {
        format!("{} {}°", self.scene, self.degrees)
    }
}

/// A motion, and the fact that is known beforehand.
#[derive(Clone, Debug)]
pub struct Motion {
    /// Index of its class.
    pub class: usize,
    /// Its number in the source file.
    pub number: usize,
    /// The columns at the start and at the end.
    pub ends: [Vec<f64>; 2],
    /// The fact in the folder.
    pub known: Fact,
    /// Upper bound on the travel of the robot's points, metres.
    pub travel_m: f64,
    /// Upper bound on the travel of the link that moves least, if it moves at all.
    pub least_travel_m: f64,
}

/// A robot in a scene, and motions of several classes alternately: any number of the first ones is a fair selection.
#[derive(Debug)]
pub struct Set {
    /// The scene's name.
    pub name: String,
    /// The robot.
    pub robot: Robot,
    /// The scene.
    pub scene: Scene,
    /// The motions.
    pub motions: Vec<Motion>,
}

/// The source of a motion before sorting: its number, ends, and the known fact.
type Read = (usize, [Vec<f64>; 2], Fact);

impl Set {
    fn new(name: &str, robot: Robot, scene: Scene, classes: Vec<(usize, Vec<Read>)>) -> Self {
        let reach = Reach::of(&robot);
        let longest = classes.iter().map(|c| c.1.len()).max().unwrap_or(0);
        let mut sources: Vec<_> = classes.into_iter().map(|(class, read)| (class, read.into_iter())).collect();
        let mut motions = Vec::new();
        for _ in 0..longest {
            for (class, source) in &mut sources {
                motions.extend(source.next().map(|(number, ends, known)| {
                    let [least_travel_m, travel_m] = reach.travel_m(&robot, &ends);
                    Motion { class: *class, number, ends, known, travel_m, least_travel_m }
                }));
            }
        }
        Self { name: name.into(), robot, scene, motions }
    }

    /// Motions of one class, without known facts.
    pub fn of(name: &str, robot: Robot, scene: Scene, motions: &MotionBatch) -> Self {
        let ends = |i: usize| [motions.start(i).to_vec(), motions.end(i).to_vec()];
        let read = (0..motions.len()).map(|i| (i, ends(i), Fact::Unknown)).collect();
        Self::new(name, robot, scene, vec![(0, read)])
    }

    /// Some of the motions as a batch.
    pub fn batch(&self, which: &[usize]) -> Result<MotionBatch> {
        let [from, to] = [0, 1].map(|k| which.iter().map(|&i| self.motions[i].ends[k].as_slice()).collect::<Vec<_>>());
        MotionBatch::between(&from, &to)
    }
}

/// The first `most` motions of each class of the generated data sets.
pub fn made(folder: &Path, quick: bool, most: usize) -> Result<(Vec<Class>, Vec<Set>)> {
    let (mut classes, mut sets) = (Vec::new(), Vec::new());
    for (name, angles) in if quick { &QUICK[..] } else { &ALL[..] } {
        let mut read = Vec::new();
        let mut world = None;
        for &degrees in *angles {
            let files = dataset::files(&format!("{name}/{degrees}"), folder)?;
            let (robot, _) = match &mut world {
                Some(world) => world,
                None => world.insert((Robot::from_urdf(&files.robot()?.urdf)?, Scene::from_file(files.scene()?)?)),
            };
            let motions = MotionBatch::load(&files.motions, robot, &MotionOptions::default())?;
            let ends = |i: usize| [motions.start(i).to_vec(), motions.end(i).to_vec()];
            read.push((classes.len(), (0..motions.len().min(most)).map(|i| (i, ends(i), Fact::Unknown)).collect()));
            classes.push(Class { scene: name.to_string(), degrees });
        }
        sets.extend(world.map(|(robot, scene)| Set::new(name, robot, scene, read)));
    }
    Ok((classes, sets))
}

/// A line of `SCENE.truth.jsonl`.
#[derive(Deserialize)]
struct Truth {
    max_deg: u32,
    class: String,
    t_lo: Option<f64>,
    t_hi: Option<f64>,
}

impl Truth {
    fn fact(&self) -> Option<Fact> {
        match (self.class.as_str(), self.t_lo, self.t_hi) {
            ("free", _, _) => Some(Fact::Free),
            ("contact", Some(lo), Some(hi)) => Some(Fact::Contact([lo, hi])),
            _ => None,
        }
    }
}

/// Suffix of the file with the truth of the scene `NAME`.
const TRUTH: &str = ".truth.jsonl";

/// The first `most` motions of each class of a folder with `robot.urdf` and for each scene `NAME.obj`, `NAME.npy` and
/// `NAME.truth.jsonl`: one line per motion, `{"max_deg":30,"class":"free"}` or
/// `{"max_deg":30,"class":"contact","t_lo":…,"t_hi":…}`.
pub fn pool(folder: &Path, most: usize) -> Result<(Vec<Class>, Vec<Set>)> {
    let (mut classes, mut sets) = (Vec::new(), Vec::new());
    let listed = fs::read_dir(folder).map_err(|e| Error::input(format!("it cannot be read: {e}")).in_file(folder))?;
    let files = listed.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = files.filter_map(|name| name.strip_suffix(TRUTH).map(str::to_string)).collect();
    names.sort();
    if names.is_empty() {
        let error = Error::input("no motion has a known truth").in_file(folder);
        return Err(error.remedy("it needs robot.urdf, and NAME.obj, NAME.npy and NAME.truth.jsonl for each scene"));
    }
    for name in names {
        let file = |ending: &str| folder.join(format!("{name}{ending}"));
        let robot = Robot::from_urdf(folder.join("robot.urdf"))?;
        let scene = Scene::from_file(file(".obj"))?;
        let motions = MotionBatch::load(file(".npy"), &robot, &MotionOptions::default())?;
        let truths = truths(&file(TRUTH), motions.len())?;
        let mut read: Vec<(usize, Vec<Read>)> = Vec::new();
        for (i, (degrees, fact)) in truths.into_iter().enumerate() {
            let class = Class { scene: name.clone(), degrees };
            let k = classes.iter().position(|c| *c == class).unwrap_or_else(|| {
                classes.push(class);
                read.push((classes.len() - 1, Vec::new()));
                classes.len() - 1
            });
            let of_class = read.iter_mut().find(|(of, list)| *of == k && list.len() < most);
            if let Some((_, list)) = of_class {
                list.push((i, [motions.start(i).to_vec(), motions.end(i).to_vec()], fact));
            }
        }
        sets.push(Set::new(&name, robot, scene, read));
    }
    Ok((classes, sets))
}

/// Angle and fact of each motion.
fn truths(path: &Path, n: usize) -> Result<Vec<(u32, Fact)>> {
    let text = read_text(path)?;
    let parse = |(i, line): (usize, &str)| {
        let trouble = |what: String| Error::input(what).in_file(path).at(format!("line {}", i + 1));
        let truth: Truth = serde_json::from_str(line).map_err(|e| trouble(foreign(&e)))?;
        let fact = truth.fact().ok_or_else(|| trouble("neither free nor a contact with t_lo and t_hi".into()))?;
        Ok((truth.max_deg, fact))
    };
    let all = text.lines().enumerate().map(parse).collect::<Result<Vec<_>>>()?;
    if all.len() == n {
        return Ok(all);
    }
    Err(Error::input(format!("{} lines for {n} motions", all.len())).in_file(path))
}

/// The links that some column moves: the others are free if the start is.
pub fn moving_links(robot: &Robot) -> Vec<usize> {
    let moves = |body: u32| {
        let mut chain =
            std::iter::successors(robot.bodies.get(body as usize), |b| robot.bodies.get(b.parent? as usize));
        chain.any(|b| b.joint.kind != JointKind::Fixed)
    };
    (0..robot.links.len()).filter(|&k| moves(robot.links[k].body)).collect()
}

/// Distance of the triangles of a body's links from its origin, metres; `None` for a body without links.
struct Reach(Vec<Option<f64>>);

impl Reach {
    fn of(robot: &Robot) -> Self {
        let mut far = vec![None; robot.bodies.len()];
        for link in robot.links.iter() {
            let most = link.triangles.iter().flatten().map(|v| v.length()).fold(0.0, f64::max);
            let body: &mut Option<f64> = &mut far[link.body as usize];
            *body = Some(body.unwrap_or(0.0).max(most));
        }
        Self(far)
    }

    /// Upper bounds on the travel of a body's points during a motion, metres: the smallest and the largest among the
    /// bodies that move. For a free joint only the travel of its origin counts.
    fn travel_m(&self, robot: &Robot, [start, end]: &[Vec<f64>; 2]) -> [f64; 2] {
        let of_body = |(body, reach): (usize, &Option<f64>)| {
            let (mut sum, mut reach) = (0.0, (*reach)?);
            let mut at = Some(body as u32);
            while let Some(body) = at.and_then(|i| robot.bodies.get(i as usize)) {
                match body.joint.kind {
                    JointKind::Fixed => {}
                    JointKind::Revolute { drive, .. } => sum += (drive.value(end) - drive.value(start)).abs() * reach,
                    JointKind::Prismatic { drive, .. } => {
                        let (from, to) = (drive.value(start), drive.value(end));
                        sum += (to - from).abs();
                        reach += from.abs().max(to.abs());
                    }
                    JointKind::Free { first_column } => {
                        let first = first_column as usize;
                        let way = (first..first + 3).map(|k| (end[k] - start[k]).powi(2)).sum::<f64>();
                        sum += way.sqrt();
                    }
                }
                reach += body.joint.origin_m.length();
                at = body.parent;
            }
            Some(sum)
        };
        let moved: Vec<f64> = self.0.iter().enumerate().filter_map(of_body).filter(|way| *way > 0.0).collect();
        let most = moved.iter().copied().fold(0.0, f64::max);
        [moved.into_iter().fold(most, f64::min), most]
    }
}
