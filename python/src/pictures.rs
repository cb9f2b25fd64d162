//! Pictures of answers, and the page that shows them in three dimensions.

use crate::answers::{Answers, Given};
use crate::engine::Engine;
use crate::error::raise;
use crate::interruption::detached;
use firstcontact::gpu::{AdapterChoice, Gpu};
use firstcontact::io::output;
use firstcontact::{Error, ErrorKind, Result, Trajectory, TrajectoryVerdict, Verdict};
use firstcontact_pictures::gltf::{self, Glb, ShownMotion};
use firstcontact_pictures::viewer::{self, MotionView, SetView};
use firstcontact_pictures::{Course, Format, Options, View, draw, factors};
use pyo3::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Options of a picture or of a GLB file.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct PictureOptions {
    size: [u32; 2],
    view: Option<[f64; 2]>,
    exposures: Option<u32>,
    adapter: Option<String>,
    scene_triangles: usize,
}

/// The answers for trajectories, with their paths.
fn of_trajectories(answers: &Answers) -> Result<impl Iterator<Item = (&TrajectoryVerdict, &Arc<Trajectory>)>> {
    match &answers.given {
        Given::Trajectories(verdicts, paths) => Ok(verdicts.iter().zip(paths)),
        Given::Motions(_) => Err(Error::usage("pictures are of trajectories")),
    }
}

/// Writes a file with the first answer: a picture, or robot, scene and motion as GLB, by its extension.
#[pyfunction]
pub fn render(py: Python, engine: &Engine, answers: &Answers, file: PathBuf, options: PictureOptions) -> PyResult<()> {
    detached(py, || {
        let mut all = of_trajectories(answers)?;
        let (answer, path) = all.next().ok_or_else(|| Error::usage("there is no motion to draw"))?;
        let course = Course::of_trajectory(path, answer, &factors(&engine.engine.world().robot))?;
        if Format::of(&file).is_some() {
            return picture(engine, &course, answer, &file, &options);
        }
        if !file.extension().is_some_and(|e| e.eq_ignore_ascii_case("glb")) {
            let error = Error::usage("the name does not end in .png, .jpg, .jpeg or .glb").in_file(&file);
            return Err(error.remedy("use one of these extensions"));
        }
        let shown = [ShownMotion { course: &course, number: 0, answer }];
        let glb = export(engine, &shown, options.scene_triangles)?;
        let failed = |e: std::io::Error| Error::new(ErrorKind::Output, format!("cannot write: {e}")).in_file(&file);
        output::write(&file, |to| to.write_all(&glb.bytes).map_err(failed))
    })
    .map_err(raise)
}

fn picture(
    engine: &Engine,
    course: &Course,
    answer: &TrajectoryVerdict,
    file: &Path,
    options: &PictureOptions,
) -> Result<()> {
    let gpu = Gpu::open(&AdapterChoice { name: options.adapter.clone(), ..AdapterChoice::default() })?;
    let view = options.view.map(|[azimuth_deg, elevation_deg]| View { azimuth_deg, elevation_deg });
    let options = Options { size: options.size, view, exposures: options.exposures };
    draw(&engine.engine, &gpu, course, answer, &options)?.image.write(file)
}

fn export(engine: &Engine, shown: &[ShownMotion], scene_triangles: usize) -> Result<Glb> {
    gltf::export(&engine.engine, &engine.names.scene, shown, scene_triangles)
}

/// A page that shows answers in three dimensions, each with a label and a sentence.
#[pyfunction]
pub fn page(
    py: Python,
    engine: &Engine,
    answers: &Answers,
    title: &str,
    words: Vec<[String; 2]>,
    scene_triangles: usize,
) -> PyResult<String> {
    detached(py, || {
        let all: Vec<_> = of_trajectories(answers)?.collect();
        let factors = factors(&engine.engine.world().robot);
        let courses = all.iter().map(|(answer, path)| Course::of_trajectory(path, answer, &factors));
        let courses = courses.collect::<Result<Vec<Course>>>()?;
        let shown: Vec<ShownMotion> = (all.iter().zip(&courses).enumerate())
            .map(|(number, ((answer, _), course))| ShownMotion { course, number, answer })
            .collect();
        let glb = export(engine, &shown, scene_triangles)?;
        let motions = shown.iter().zip(words).map(motion_view).collect();
        Ok(viewer::page(title, SetView { name: title.to_string(), of_results: None, glb, motions }))
    })
    .map_err(raise)
}

fn motion_view((shown, [label, says]): (&ShownMotion, [String; 2])) -> MotionView {
    let touches = matches!(shown.answer.verdict, Verdict::Contact(_));
    let contact_at = touches.then(|| shown.course.share(shown.course.event(shown.answer)));
    MotionView { number: shown.number, contact_at, label, says, picture: None }
}
