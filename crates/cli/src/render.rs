//! `firstcontact render`: a picture of one motion or trajectory, or the motion itself for glTF viewers.

use super::allow::Allowed;
use super::dataset::{Work, read_problems};
use super::inputs::{FileArgs, InitialChoice, InputArgs};
use super::queries::{Paths, Queries, TrajectoryArgs};
use super::self_collision::SelfCollisionArgs;
use super::{Outcome, numbers, outputs, summary, warn};
use crate::picture::gltf::{self, ShownMotion};
use crate::picture::{self, Course, Format, Image, View};
use clap::Args;
use firstcontact::engine::{Backend, Engine, Options};
use firstcontact::gpu::{AdapterChoice, Gpu};
use firstcontact::io::output;
use firstcontact::robot::{MotionBatch, Robot};
use firstcontact::scene::Scene;
use firstcontact::stage::s4_sweep::raster;
use firstcontact::verdict::{TrajectoryVerdict, Verdict};
use firstcontact::{Error, LinkPairs, Result, Untested};
use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Arguments of `render`.
#[derive(Debug, Args)]
pub struct RenderArgs {
    /// The motion or trajectory to draw, counted from 0
    #[arg(long, value_name = "K")]
    index: usize,
    /// The file to write. Its extension selects the format: .png or .jpg for a picture, .glb for the motion as binary
    /// glTF, with robot, scene and contact in three dimensions and the robot animated from start to end. GLB needs no
    /// graphics adapter
    #[arg(long, value_name = "FILE.png|.jpg|.glb")]
    out: PathBuf,
    /// Maximum number of the scene's triangles in a GLB file, by default 200,000. Of a larger scene, only the objects
    /// nearest to the motion are written
    #[arg(long, value_name = "N")]
    scene_triangles: Option<usize>,
    /// Also write the volume that each moving link sweeps, as in the drawn form of swept-volume culling, into this
    /// folder: LINK-PIECE.png, three depth maps, along x, y and z
    #[arg(long, value_name = "DIR")]
    tiles: Option<PathBuf>,
    /// Width and height in pixels, the legend included; by default 1280x800
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<[u32; 2]>,
    /// Number of exposures to average: more give smoother shadows and edges, but take longer. By default 32, and fewer,
    /// down to 8, for scenes of millions of triangles
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    exposures: Option<u32>,
    /// Viewing direction, degrees: azimuth about z, measured from x, and elevation above the horizontal plane. By
    /// default, the direction that shows motion and contact best
    #[arg(long, value_name = "AZIMUTH,ELEVATION", value_parser = numbers::<2>, allow_hyphen_values = true)]
    view: Option<[f64; 2]>,
    /// Draw with the graphics adapter whose name contains this text
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// File of pairs that are never tested, one per line: 'link object', where either may be '*', or 'link link'
    #[arg(long, value_name = "FILE")]
    allow: Option<PathBuf>,
    #[command(flatten)]
    self_collision: SelfCollisionArgs,
    /// Treatment of links that touch the scene at the start
    #[arg(long, value_enum, default_value = "report")]
    initial: InitialChoice,
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    trajectories: TrajectoryArgs,
}

/// Default width and height of a picture.
const SIZE_PIXELS: [u32; 2] = [1280, 800];
/// Default number of the scene's triangles in a GLB file.
const SCENE_TRIANGLES: usize = 200_000;

impl RenderArgs {
    /// Returns an error if an option is given that has no effect on this kind of file.
    fn refuse_for_other_files(&self, is_picture: bool) -> Result<()> {
        let of_pictures = [
            (self.size.is_some(), "--size"),
            (self.exposures.is_some(), "--exposures"),
            (self.view.is_some(), "--view"),
            (self.adapter.is_some(), "--adapter"),
        ];
        let of_glb = [(self.scene_triangles.is_some(), "--scene-triangles")];
        let (without_effect, kind) = if is_picture { (&of_glb[..], "a picture") } else { (&of_pictures[..], "GLB") };
        let Some((_, name)) = without_effect.iter().find(|(is_given, _)| *is_given) else { return Ok(()) };
        let error = Error::usage(format!("{name} has no effect on {kind}")).in_file(&self.out);
        Err(error.remedy(format!("leave out {name}")))
    }
}

/// Runs the command. Its exit code is 0 for every verdict.
pub fn run(args: &RenderArgs) -> Result<Outcome> {
    let is_picture = is_picture(&args.out)?;
    args.refuse_for_other_files(is_picture)?;
    args.tiles.as_deref().map_or(Ok(()), check_folder)?;
    let Subject { robot, scene, path, allowed, link_pairs } = subject(args)?;
    outputs::check(&[], &[("--out", &args.out)])?;
    let choice = AdapterChoice { name: args.adapter.clone(), ..AdapterChoice::default() };
    let gpu = is_picture.then(|| Gpu::open(&choice)).transpose()?;
    // For one motion the CPU is faster than the preparation of a device.
    let mut options = Options { backend: Backend::Cpu, ..Options::default() };
    options.solve.initial = args.initial.into();
    let engine = Engine::builder(&robot, &scene).options(options).allow(allowed).link_pairs(link_pairs).build()?;
    let answer = path.check(&engine)?;
    let course = path.course(&answer)?;
    let tiles = tiles(args, &engine, &path)?;
    let drawn = match &gpu {
        Some(gpu) => picture(args, &engine, gpu, &course, &answer)?,
        None => export(args, &engine, &scene, &course, &answer)?,
    };
    for (path, image) in &tiles {
        image.write(path)?;
    }
    if let Some(folder) = &args.tiles {
        say!("{} maps of depth: {}", tiles.len(), folder.display());
    }
    let said = match &answer.verdict {
        Verdict::Free => format!("motion {}: free", args.index),
        Verdict::Contact(_) => {
            summary::in_words(&course.line(args.index, &answer, &robot, &scene), 0.0).unwrap_or_default()
        }
        Verdict::Undecided(u) if course.clock(&answer).is_none() => {
            format!("motion {}: undecided, free until {}", args.index, u.clear_until)
        }
        Verdict::Undecided(_) => format!("motion {}: undecided, free until {}", args.index, course.in_words(&answer)),
    };
    say!("{said}");
    say!("{drawn}: {}", args.out.display());
    Ok(Outcome::Free)
}

/// The maps of depth for `--tiles`, each with its file, which must not be an input.
fn tiles(args: &RenderArgs, engine: &Engine, path: &ShownPath) -> Result<Vec<(PathBuf, Image)>> {
    let Some(folder) = &args.tiles else { return Ok(Vec::new()) };
    let ShownPath::Motion(motions) = path else {
        return Err(Error::usage("--tiles draws motions, but this is a trajectory").remedy("leave it out"));
    };
    let tiles = picture::tiles(engine, motions, 0, raster::DEFAULT_TILE_PIXELS as usize)?;
    let mut names = Names::default();
    let named =
        tiles.into_iter().map(|tile| (folder.join(format!("{}-{}.png", names.of(&tile.link), tile.piece)), tile.image));
    let named: Vec<_> = named.collect();
    named.iter().try_for_each(|(tile, _)| outputs::check(&[], &[("--out", &args.out), ("--tiles", tile)]))?;
    Ok(named)
}

/// File names for links: unique, and not hidden.
#[derive(Debug, Default)]
struct Names {
    of_links: HashMap<String, String>,
    /// In lower case, because some file systems ignore case.
    used: HashSet<String>,
}

impl Names {
    fn of(&mut self, link: &str) -> String {
        if let Some(known) = self.of_links.get(link) {
            return known.clone();
        }
        // A link's name may contain any characters.
        let mut plain = link.replace(|c: char| !c.is_alphanumeric() && !"-_.".contains(c), "_");
        if plain.starts_with('.') {
            plain.insert(0, '_');
        }
        let numbered = (2..).map(|k| format!("{plain}_{k}"));
        let free = std::iter::once(plain.clone()).chain(numbered).find(|name| self.used.insert(name.to_lowercase()));
        let name = free.unwrap_or_default();
        self.of_links.insert(link.into(), name.clone());
        name
    }
}

/// Returns an error if the folder cannot be created because it, or a folder above it, is a file.
fn check_folder(folder: &Path) -> Result<()> {
    match folder.ancestors().find(|path| path.exists()) {
        Some(path) if !path.is_dir() => {
            Err(Error::usage("it is not a folder").in_file(path).remedy("give another folder to --tiles"))
        }
        _ => Ok(()),
    }
}

/// Returns whether a file is a picture, rather than a motion for viewers, according to its extension.
fn is_picture(path: &Path) -> Result<bool> {
    if Format::of(path).is_some() {
        return Ok(true);
    }
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("glb")) {
        return Ok(false);
    }
    let message = match path.extension() {
        Some(ending) => format!("unknown format '.{}'", shortened(&ending.to_string_lossy())),
        None => "the name has no extension, which selects the format".into(),
    };
    let remedy = "use .png, .jpg or .jpeg for a picture, or .glb for a motion in three dimensions";
    Err(Error::usage(message).in_file(path).remedy(remedy))
}

/// The first characters of an extension.
fn shortened(ending: &str) -> String {
    ending.chars().take(20).collect()
}

/// Draws and writes a picture, and returns a description.
fn picture(
    args: &RenderArgs,
    engine: &Engine,
    gpu: &Gpu,
    course: &Course,
    answer: &TrajectoryVerdict,
) -> Result<String> {
    let view = args.view.map(|[azimuth_deg, elevation_deg]| View { azimuth_deg, elevation_deg });
    let options = picture::Options { size: args.size.unwrap_or(SIZE_PIXELS), view, exposures: args.exposures };
    let picture = picture::draw(engine, gpu, course, answer, &options)?;
    picture.image.write(&args.out)?;
    let View { azimuth_deg, elevation_deg } = picture.view;
    Ok(format!("seen from {azimuth_deg},{elevation_deg} on {}", gpu.summary().name))
}

/// Writes a GLB file, and returns a description with the share of the scene in it.
fn export(
    args: &RenderArgs,
    engine: &Engine,
    scene: &Scene,
    course: &Course,
    answer: &TrajectoryVerdict,
) -> Result<String> {
    let shown = [ShownMotion { course, number: args.index, answer }];
    let glb = gltf::export(engine, scene, &shown, args.scene_triangles.unwrap_or(SCENE_TRIANGLES))?;
    output::write(&args.out, |to| {
        to.write_all(&glb.bytes).map_err(|e| Error::usage(format!("cannot write: {e}")).in_file(&args.out))
    })?;
    Ok(format!("with {} of the scene's {} triangles", glb.scene_triangles, glb.of_triangles))
}

/// The motion or trajectory to draw.
enum ShownPath {
    /// One motion.
    Motion(MotionBatch),
    /// One trajectory, with its tolerance.
    Trajectory(Paths),
}

impl ShownPath {
    fn check(&self, engine: &Engine) -> Result<TrajectoryVerdict> {
        match self {
            Self::Motion(motion) => {
                let report = engine.check(motion)?;
                let verdict = report.verdicts.first().ok_or_else(|| Error::usage("the motion was not answered"))?;
                Ok(picture::of_motion(verdict))
            }
            Self::Trajectory(paths) => paths.check(engine, 0),
        }
    }

    fn course(&self, answer: &TrajectoryVerdict) -> Result<Course<'_>> {
        match self {
            Self::Motion(motion) => Course::of_motion(motion, 0),
            Self::Trajectory(paths) => paths.course(0, answer),
        }
    }
}

/// The motion to draw, with its inputs.
struct Subject {
    robot: Robot,
    scene: Scene,
    path: ShownPath,
    allowed: Vec<(u32, u32)>,
    link_pairs: LinkPairs,
}

fn subject(args: &RenderArgs) -> Result<Subject> {
    let none = |n: usize, file: &Path| {
        Err(Error::usage(format!("there is no motion {}: there are {n}, counted from 0", args.index)).in_file(file))
    };
    let (robot, scene, path, mut allowed, mut link_pairs) = match args.files.resolve()? {
        Work::Files(files) => {
            let model = args.inputs.model(&files.robots)?;
            let link_pairs = model.link_pairs(args.self_collision)?;
            let scene = args.inputs.scene_if_any(files.scene.as_deref(), !link_pairs.tested().is_empty())?;
            let path = {
                let limits = args.inputs.limits();
                let all = args.trajectories.open(&files.motions, &args.files.reading, &model, limits)?;
                if args.index >= all.len() {
                    return none(all.len(), all.name());
                }
                match all {
                    Queries::Motions(motions) => ShownPath::Motion(motions.read(args.index..args.index + 1)?),
                    Queries::Trajectories(paths) => ShownPath::Trajectory(paths.only(args.index)),
                }
            };
            let allowed = Allowed::of_pairs(&files.allow, &model.robot, &scene)?;
            (model.robot, scene, path, allowed, link_pairs)
        }
        Work::Problems(sets) => {
            args.trajectories.check_problems()?;
            let found = read_problems(&sets, &args.inputs.scene_options())?;
            let n_problems: usize = found.iter().map(Vec::len).sum();
            let mut of_sets = sets.iter().zip(found).flat_map(|(set, found)| found.into_iter().map(move |p| (set, p)));
            let Some((set, problem)) = of_sets.nth(args.index) else {
                return none(n_problems, &sets[0].archive);
            };
            let model = args.inputs.model(&[set.source()])?;
            let robot = problem.robot(&model.robot)?.unwrap_or_else(|| model.robot.clone());
            let missing = args.files.reading.missing_joints(&model.states(), &args.inputs.limits())?;
            let path = ShownPath::Motion(problem.motion(&robot, &missing)?);
            let (objects, links) =
                (problem.planning.allowed_pairs(&robot), problem.planning.allowed_link_pairs(&robot));
            let mut link_pairs = model.link_pairs(args.self_collision.of_problems())?;
            link_pairs.add_attached(&robot, &problem.attached(&robot))?;
            (robot, problem.planning.scene, path, Allowed { objects, links }, link_pairs)
        }
    };
    robot.warnings.iter().chain(&scene.warnings).for_each(|w| warn(w));
    allowed.extend(Allowed::read(args.allow.as_deref(), &robot, &scene)?);
    link_pairs.disable(allowed.links, Untested::Allowed);
    Ok(Subject { robot, scene, path, allowed: allowed.objects, link_pairs })
}

/// A size such as `1280x800`.
fn size(text: &str) -> std::result::Result<[u32; 2], String> {
    let (width, height) = text.split_once('x').ok_or("expected two numbers, such as 1280x800")?;
    let side = |text: &str| match text.parse::<u32>() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err(format!("'{text}' is not a number of pixels")),
    };
    Ok([side(width)?, side(height)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_links_are_different_and_visible() {
        let mut names = Names::default();
        let of = ["a b", "a_b", "A_b", "../x", "a b", ".hidden", "arm"].map(|link| names.of(link));
        assert_eq!(of, ["a_b", "a_b_2", "A_b_3", "_.._x", "a_b", "_.hidden", "arm"]);
    }

    #[test]
    fn a_folder_is_not_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(check_folder(folder.path()).is_ok() && check_folder(&folder.path().join("new/one")).is_ok());
        for path in [file.clone(), file.join("below")] {
            assert!(check_folder(&path).unwrap_err().to_string().contains("not a folder"));
        }
    }
}
