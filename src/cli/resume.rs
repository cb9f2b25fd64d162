//! Answers that are written as they come, and going on with those of a run that did not end.
//!
//! Beside `OUT.part` stands `OUT.part.json`, which tells by hashes what the answers are of.

use firstcontact::engine::{Engine, Stats};
use firstcontact::model::robot::Robot;
use firstcontact::model::scene::Scene;
use firstcontact::motion::Motions;
use firstcontact::output::{self, PartFile};
use firstcontact::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// What answers depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    version: String,
    robot: String,
    scene: String,
    motions: String,
    options: String,
    device: String,
}

impl Fingerprint {
    /// Of all that an engine was built from and is given: the robot, the scene, the hash of the motions, and what else may
    /// change an answer; of several robots and scenes, where each problem has its own.
    pub fn new(engine: &Engine, robots: &[&Robot], scenes: &SceneHash, motions: &MotionHash, options: &str) -> Self {
        let mut of_robot = blake3::Hasher::new();
        for robot in robots {
            of_robot.update(format!("{:?} {:?}", robot.columns, robot.bodies).as_bytes());
            for link in &robot.links {
                of_robot.update(format!("{:?} {} {:?}", link.name, link.body, link.shape_starts).as_bytes());
                of_robot.update(bytemuck::cast_slice(&link.triangles));
            }
        }
        Self {
            version: env!("CARGO_PKG_VERSION").to_string(),
            robot: of_robot.finalize().to_string(),
            scene: scenes.0.finalize().to_string(),
            motions: motions.0.finalize().to_string(),
            options: options.to_string(),
            device: engine.adapter().map_or("cpu".into(), |a| format!("{}, {}", a.name, a.driver)),
        }
    }

    /// In what two differ.
    fn differences(&self, other: &Self) -> Vec<&'static str> {
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

/// The hash of scenes, taken before engines take their triangles.
pub struct SceneHash(blake3::Hasher);

impl SceneHash {
    /// Of all that answers depend on.
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
    /// Takes in the next ones.
    pub fn add(&mut self, motions: &Motions) {
        for i in 0..motions.len() {
            self.0.update(bytemuck::cast_slice(motions.start(i)));
            self.0.update(bytemuck::cast_slice(motions.end(i)));
        }
    }
}

/// The file of answers, and what stands beside it.
#[derive(Debug)]
pub struct Answers {
    // Goes first, so that a folder that was made for both can go with the other.
    beside: Beside,
    file: PartFile,
}

#[derive(Debug)]
struct Beside {
    path: PathBuf,
    removes: bool,
}

impl Drop for Beside {
    fn drop(&mut self) {
        if self.removes {
            // It may be gone already: nothing depends on it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn beside(out: &Path) -> PathBuf {
    let mut name = output::part_of(out).into_os_string();
    name.push(".json");
    name.into()
}

impl Answers {
    /// A new file.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn create(out: &Path, of: &Fingerprint) -> Result<Self> {
        let file = PartFile::create(out)?;
        let beside = Beside { path: beside(out), removes: true };
        let text = serde_json::to_string_pretty(of).map_err(|e| Error::usage(e.to_string()))?;
        let written = fs::write(&beside.path, text + "\n");
        written.map_err(|e| Error::input(format!("cannot write: {e}")).in_file(&beside.path))?;
        Ok(Self { beside, file })
    }

    /// Goes on with the file of a run that did not end, if there is one, else begins. Tells what the answers so far are.
    ///
    /// # Errors
    /// The file is of other inputs or options, or no file of answers; a file cannot be read or written.
    pub fn resume(out: &Path, of: &Fingerprint) -> Result<(Self, Stats)> {
        let (part, path) = (output::part_of(out), beside(out));
        if !part.exists() {
            return Ok((Self::create(out, of)?, Stats::default()));
        }
        let anew = "without --resume the work begins anew";
        let unknown = |why: String| Error::input(why).in_file(&path).remedy(anew);
        let text = fs::read(&path).map_err(|e| unknown(format!("it tells what the answers so far are of: {e}")))?;
        let before: Fingerprint = serde_json::from_slice(&text).map_err(|e| unknown(format!("damaged: {e}")))?;
        let differences = before.differences(of);
        if !differences.is_empty() {
            let message = format!("the answers so far are of another: {}", differences.join(", "));
            return Err(Error::usage(message).in_file(&part).remedy(anew));
        }
        let (stats, length) = answers_so_far(&part)?;
        let file = PartFile::resume(out, length)?;
        // Whatever comes of going on, what was kept stays.
        Ok((Self { beside: Beside { path, removes: false }, file }, stats))
    }

    /// Appends one answer.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn line(&mut self, line: &str) -> Result<()> {
        self.file.line(line)
    }

    /// Leaves the answers so far where they are, to be gone on with.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep(mut self) -> Result<()> {
        self.beside.removes = false;
        self.file.keep()
    }

    /// Moves the file to its place.
    ///
    /// # Errors
    /// The file cannot be written or moved.
    pub fn finish(mut self) -> Result<()> {
        self.file.finish()?;
        self.beside.removes = true;
        Ok(())
    }
}

/// What is read of an answer.
#[derive(Deserialize)]
struct Known {
    motion: u64,
    verdict: String,
    #[serde(default)]
    certified: bool,
}

/// Counts the whole lines of a part, and their bytes.
fn answers_so_far(part: &Path) -> Result<(Stats, u64)> {
    let unreadable = |e: std::io::Error| Error::input(format!("it cannot be read: {e}")).in_file(part);
    let mut lines = BufReader::new(fs::File::open(part).map_err(unreadable)?);
    let (mut stats, mut length, mut line) = (Stats::default(), 0, Vec::new());
    loop {
        line.clear();
        let n = lines.read_until(b'\n', &mut line).map_err(unreadable)?;
        // A line that was cut short is none.
        if line.last() != Some(&b'\n') {
            return Ok((stats, length));
        }
        let known: Option<Known> = serde_json::from_slice(&line).ok();
        match known.as_ref().filter(|k| k.motion == stats.motions).map(|k| k.verdict.as_str()) {
            Some("free") => stats.free += 1,
            Some("undecided") => stats.undecided += 1,
            Some("contact") => {
                stats.contact += 1;
                stats.certified += u64::from(known.is_some_and(|k| k.certified));
            }
            _ => {
                let message = format!("line {}: no answer to motion {}", stats.motions + 1, stats.motions);
                return Err(Error::input(message).in_file(part).remedy("without --resume the work begins anew"));
            }
        }
        stats.motions += 1;
        length += n as u64;
    }
}
