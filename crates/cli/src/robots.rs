//! The robots of a command, as given: files with names, bases and semantic descriptions, and worlds that list them.

use super::numbers;
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use firstcontact::error::quoted;
use firstcontact::io::load::read_text;
use firstcontact::{Error, Result};
use serde::Deserialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A file that may belong to a named robot: `FILE` or `NAME=FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// The robot's name.
    pub name: Option<String>,
    /// The file.
    pub path: PathBuf,
}

impl NamedFile {
    /// The meaning of an argument. An argument is a path if the path exists, or if it is not Unicode.
    fn new(text: OsString) -> Self {
        let named = text.to_str().and_then(|text| text.split_once('='));
        match named.filter(|(name, _)| is_name(name) && !Path::new(&text).exists()) {
            Some((name, path)) => Self { name: Some(name.into()), path: path.into() },
            None => Self { name: None, path: text.into() },
        }
    }

    /// A parser of arguments.
    pub fn parser() -> impl TypedValueParser<Value = Self> {
        OsStringValueParser::new().map(Self::new)
    }
}

/// A base that may belong to a named robot: `X,Y,Z,ROLL,PITCH,YAW` or `NAME=X,Y,Z,ROLL,PITCH,YAW`.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedBase {
    /// The robot's name.
    name: Option<String>,
    /// Metres and radians.
    base: [f64; 6],
}

impl FromStr for NamedBase {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text.split_once('=') {
            Some((name, base)) => Ok(Self { name: Some(name.into()), base: numbers::<6>(base)? }),
            None => Ok(Self { name: None, base: numbers::<6>(text)? }),
        }
    }
}

/// Returns whether a text can be the name of a robot.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// A robot to read.
#[derive(Clone, Debug)]
pub struct RobotSource {
    /// Its name; `None` if it is the only robot, whose joints and links have no prefix.
    pub name: Option<String>,
    /// The URDF.
    pub urdf: PathBuf,
    /// The semantic description.
    pub srdf: Option<PathBuf>,
    /// The pose of its root in the world.
    pub base: Option<[f64; 6]>,
}

impl RobotSource {
    /// A robot without a name.
    pub fn unnamed(urdf: impl Into<PathBuf>, base: Option<[f64; 6]>) -> Self {
        Self { name: None, urdf: urdf.into(), srdf: None, base }
    }
}

impl From<NamedFile> for RobotSource {
    fn from(NamedFile { name, path }: NamedFile) -> Self {
        Self { name, urdf: path, srdf: None, base: None }
    }
}

/// Options that describe the robots.
#[derive(Clone, Debug, Args)]
pub struct RobotArgs {
    /// Pose of the root link in the world: metres and radians. Of several robots, NAME=X,Y,Z,ROLL,PITCH,YAW for each
    #[arg(long, value_name = "[NAME=]X,Y,Z,ROLL,PITCH,YAW", allow_hyphen_values = true)]
    base: Vec<NamedBase>,
    /// Semantic description of the robot (SRDF): pairs of links that are not tested against each other, and named
    /// states for --missing-joints. Of several robots, NAME=R.srdf for each that has one
    #[arg(long, value_name = "[NAME=]R.srdf", value_parser = NamedFile::parser())]
    srdf: Vec<NamedFile>,
    /// Objects that are attached to links and move with them, JSON:
    /// [{"name":"box","link":"tool0","mesh":"box.stl","pose":[x,y,z,roll,pitch,yaw],"touch_links":["hand"]}]
    #[arg(long, value_name = "FILE.json")]
    attach: Option<PathBuf>,
}

impl RobotArgs {
    /// The file of attached objects.
    pub fn attach(&self) -> Option<&Path> {
        self.attach.as_deref()
    }

    /// The files that the options name.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.srdf.iter().map(|file| &*file.path).chain(self.attach())
    }

    /// The first option that is given.
    pub fn first_given(&self) -> Option<&'static str> {
        let given =
            [(!self.base.is_empty(), "--base"), (!self.srdf.is_empty(), "--srdf"), (self.attach.is_some(), "--attach")];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }

    /// The robots with their bases and semantic descriptions; those of the options replace others.
    ///
    /// # Errors
    /// One of several robots has no name, two have the same name, or an option is for an unknown robot or given twice.
    pub fn apply(&self, robots: &[RobotSource]) -> Result<Vec<RobotSource>> {
        check_names(robots)?;
        let mut robots = robots.to_vec();
        let bases = self.base.iter().map(|of| find(&robots, "--base", of.name.as_deref()));
        let bases = each_once(&robots, "--base", bases.collect::<Result<Vec<_>>>()?)?;
        let srdfs = self.srdf.iter().map(|of| find(&robots, "--srdf", of.name.as_deref()));
        let srdfs = each_once(&robots, "--srdf", srdfs.collect::<Result<Vec<_>>>()?)?;
        bases.iter().zip(&self.base).for_each(|(&robot, of)| robots[robot].base = Some(of.base));
        srdfs.iter().zip(&self.srdf).for_each(|(&robot, of)| robots[robot].srdf = Some(of.path.clone()));
        Ok(robots)
    }
}

fn check_names(robots: &[RobotSource]) -> Result<()> {
    let names: Vec<&str> = robots.iter().filter_map(|robot| robot.name.as_deref()).collect();
    if robots.len() > 1 && names.len() < robots.len() {
        let unnamed = robots.iter().find(|robot| robot.name.is_none()).map(|robot| robot.urdf.display().to_string());
        let message = format!("with several robots, each needs a name, but {} has none", unnamed.unwrap_or_default());
        return Err(Error::usage(message).remedy("write --robot NAME=FILE; a name has letters, digits, - and _"));
    }
    let again = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name));
    again.map_or(Ok(()), |(_, name)| {
        Err(Error::usage(format!("two robots are called {}", quoted(name))).remedy("give each robot its own name"))
    })
}

/// The robot that an option is for.
fn find(robots: &[RobotSource], option: &str, name: Option<&str>) -> Result<usize> {
    let index = robots.iter().position(|robot| robot.name.as_deref() == name);
    // The only robot needs no name.
    let index = index.or_else(|| (name.is_none() && robots.len() == 1).then_some(0));
    index.ok_or_else(|| {
        let known: Vec<String> = robots.iter().filter_map(|robot| robot.name.as_deref().map(quoted)).collect();
        let message = match name {
            Some(name) => format!("{option}: no robot is called {}", quoted(name)),
            None => format!("{option} is for one of several robots"),
        };
        Error::usage(message).remedy(match known.is_empty() {
            true => format!("the only robot has no name: give {option} without NAME="),
            false => format!("give {option} NAME=… with one of the names {}", known.join(", ")),
        })
    })
}

fn each_once(robots: &[RobotSource], option: &str, found: Vec<usize>) -> Result<Vec<usize>> {
    let again = found.iter().enumerate().find(|(i, robot)| found[..*i].contains(robot)).map(|(_, robot)| *robot);
    again.map_or(Ok(found), |robot| {
        let name = robots[robot].name.as_deref().map_or(String::new(), |name| format!(" for {}", quoted(name)));
        Err(Error::usage(format!("{option} is given twice{name}")))
    })
}

/// A file that lists robots, and what is around them.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// The robots.
    pub robots: Vec<RobotSource>,
    /// The scene.
    pub scene: Option<PathBuf>,
    /// Pairs of a link and an object, or of two links, that are never tested, as in the lines of `--allow`.
    pub allow: Vec<[String; 2]>,
}

/// The content of `world.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorldFile {
    robots: Vec<RobotEntry>,
    scene: Option<PathBuf>,
    #[serde(default)]
    allow: Vec<[String; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RobotEntry {
    name: String,
    urdf: PathBuf,
    srdf: Option<PathBuf>,
    base: Option<[f64; 6]>,
}

/// An example of the form, for messages.
const EXAMPLE: &str =
    r#"an example: {"robots":[{"name":"left","urdf":"ur5.urdf","base":[0,0,0,0,0,0]}],"scene":"cell.obj"}"#;

impl World {
    /// Reads a file; its paths are relative to its folder.
    ///
    /// # Errors
    /// The file cannot be read or is malformed, or a robot's name has other characters than letters, digits, - and _.
    pub fn read(path: &Path) -> Result<Self> {
        let malformed = |cause: serde_json::Error| {
            Error::input(format!("JSON: {}", firstcontact::error::foreign(&cause))).remedy(EXAMPLE)
        };
        let text = read_text(path)?;
        let file: WorldFile =
            serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|e| malformed(e).in_file(path))?;
        let invalid = file.robots.iter().find(|robot| !is_name(&robot.name));
        if let Some(robot) = invalid {
            let message = format!("{} cannot be the name of a robot", quoted(&robot.name));
            return Err(Error::input(message).in_file(path).remedy("a name has letters, digits, - and _"));
        }
        if file.robots.is_empty() {
            return Err(Error::input("it lists no robot").in_file(path).remedy(EXAMPLE));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let source = |RobotEntry { name, urdf, srdf, base }| RobotSource {
            name: Some(name),
            urdf: folder.join(urdf),
            srdf: srdf.map(|srdf| folder.join(srdf)),
            base,
        };
        let robots = file.robots.into_iter().map(source).collect();
        Ok(Self { robots, scene: file.scene.map(|scene| folder.join(scene)), allow: file.allow })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> (Option<String>, PathBuf) {
        let NamedFile { name, path } = NamedFile::new(text.into());
        (name, path)
    }

    #[test]
    fn names_and_paths_with_equals_signs() {
        assert_eq!(file("r.urdf"), (None, "r.urdf".into()));
        assert_eq!(file("left=a/r.urdf"), (Some("left".into()), "a/r.urdf".into()));
        assert_eq!(file("arm-2_b=x=y.urdf"), (Some("arm-2_b".into()), "x=y.urdf".into()));
        assert_eq!(file("a/b=c.urdf"), (None, "a/b=c.urdf".into()));
        assert_eq!(file("=c.urdf"), (None, "=c.urdf".into()));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("left=r.urdf");
        std::fs::write(&path, "").unwrap();
        let text = path.to_str().unwrap();
        assert_eq!(file(text), (None, path.clone()));
        assert_eq!(file(&format!("left={text}")), (Some("left".into()), path.clone()));
    }

    fn robots(names: &[&str]) -> Vec<RobotSource> {
        let named = |name: &&str| RobotSource::from(NamedFile::new(format!("{name}=r.urdf").into()));
        names.iter().map(named).collect()
    }

    fn options(bases: &[&str]) -> RobotArgs {
        RobotArgs { base: bases.iter().map(|b| b.parse().unwrap()).collect(), srdf: vec![], attach: None }
    }

    #[test]
    fn each_base_applies_to_the_robot_it_names() {
        let both = robots(&["a", "b"]);
        let placed = options(&["b=1,2,3,0,0,0"]).apply(&both).unwrap();
        assert_eq!([placed[0].base, placed[1].base], [None, Some([1.0, 2.0, 3.0, 0.0, 0.0, 0.0])]);
        assert!(options(&["-1,2,3,0,0,0"]).apply(&both[..1]).unwrap()[0].base.is_some());
        for (bases, said) in [
            (vec!["c=0,0,0,0,0,0"], "no robot is called 'c'"),
            (vec!["0,0,0,0,0,0"], "one of several"),
            (vec!["a=0,0,0,0,0,0", "a=0,0,0,0,0,1"], "twice for 'a'"),
        ] {
            let error = options(&bases).apply(&both).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        let error = options(&[]).apply(&robots(&["a", "a"])).unwrap_err().to_string();
        assert!(error.contains("two robots are called 'a'"), "{error}");
        let unnamed = [RobotSource::unnamed("r.urdf", None)];
        let error = options(&["a=0,0,0,0,0,0"]).apply(&unnamed).unwrap_err().to_string();
        assert!(error.contains("has no name"), "{error}");
        let error = options(&[]).apply(&[both, unnamed.into()].concat()).unwrap_err().to_string();
        assert!(error.contains("r.urdf has none"), "{error}");
    }
}
