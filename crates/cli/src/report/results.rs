//! Results of `check` on a page: their inputs, and the motions that are shown in three dimensions.

use super::answer::{Answer, Kind};
use super::findings::Findings;
use crate::picture::Course;
use crate::picture::gltf::{self, ShownMotion};
use crate::picture::viewer::{MotionView, SetView};
use firstcontact::Result;
use firstcontact::engine::Engine;
use firstcontact::scene::Scene;
use firstcontact::verdict::{TrajectoryVerdict, Verdict};
use glam::DVec3;

/// Number of motions that a page shows by default.
pub const DEFAULT_MOTIONS: usize = 12;
/// Maximum number of motions that a page shows.
pub const MAX_MOTIONS: usize = 500;
/// Distance of a contact from its triangle above which the inputs are doubted, relative to the size of the motion.
const DOUBTFUL: f64 = 0.05;

/// Results on a page.
#[derive(Debug)]
pub struct Results {
    /// The title of their section.
    pub title: String,
    /// The command line that made the page.
    pub command: String,
    /// Inputs, program and machine: name and value.
    pub facts: Vec<(&'static str, String)>,
    /// The tested conditions, and the definition of a contact: one sentence each.
    pub tested: Vec<String>,
    /// Notes to read first: one sentence each.
    pub notes: Vec<String>,
    /// The answers.
    pub findings: Findings,
}

/// Motions for which results are shown.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// The name above the motions.
    pub name: &'a str,
    /// An engine for the robot and the scene.
    pub engine: &'a Engine,
    /// The scene; its triangles may have been moved to an engine.
    pub scene: &'a Scene,
    /// The answers, each for a motion or trajectory.
    pub answers: &'a [Answer],
    /// Returns the path of the motion or trajectory with a number.
    pub course: &'a dyn Fn(usize, &TrajectoryVerdict) -> Result<Course<'a>>,
    /// Maximum number of triangles of the scene.
    pub scene_triangles: usize,
}

impl Shown<'_> {
    /// Exports the motions for the view. Answers are used unchanged, and no motion is checked again. Also returns a
    /// warning if the answers do not fit the robot and the motions.
    ///
    /// # Errors
    /// An answer contains a link or an object that does not exist, or the export fails.
    pub fn view(&self, of_results: usize) -> Result<(SetView, Option<String>)> {
        let world = self.engine.world();
        let to_verdict = |answer: &Answer| answer.to_verdict(&world.robot, self.scene);
        let verdicts: Vec<TrajectoryVerdict> = self.answers.iter().map(to_verdict).collect::<Result<_>>()?;
        let course = |(of, answer): (&Answer, &TrajectoryVerdict)| {
            (self.course)(of.motion, answer).map_err(|e| e.at(format!("motion {}", of.motion)))
        };
        let courses: Vec<Course> = self.answers.iter().zip(&verdicts).map(course).collect::<Result<_>>()?;
        let shown: Vec<ShownMotion> = (self.answers.iter().zip(&verdicts).zip(&courses))
            .map(|((of, answer), course)| ShownMotion { course, number: of.motion, answer })
            .collect();
        let glb = gltf::export(self.engine, self.scene, &shown, self.scene_triangles)?;
        let mut doubt = None;
        for s in &shown {
            let found = self.doubt(s)?;
            doubt = doubt.or(found);
        }
        let motions = self.answers.iter().zip(&shown).map(motion_view).collect();
        Ok((SetView { name: self.name.to_string(), of_results: Some(of_results), glb, motions }, doubt))
    }

    /// A warning if a contact is far from the robot's triangle that the answer gives.
    fn doubt(&self, shown: &ShownMotion) -> Result<Option<String>> {
        let Verdict::Contact(contact) = &shown.answer.verdict else { return Ok(None) };
        let Some(touch) = &contact.first else { return Ok(None) };
        let robot = &self.engine.world().robot;
        let Some(link) = robot.links.get(touch.a.link as usize) else { return Ok(None) };
        let Some(triangle) = link.triangles.get(touch.a.triangle as usize) else { return Ok(None) };
        let poses = shown.course.poses(self.engine, shown.course.event(shown.answer))?;
        let Some(pose) = poses.get(link.body as usize) else { return Ok(None) };
        let corners = triangle.map(|v| pose.transform_point3(v));
        let point = DVec3::from_array(touch.point);
        let (lo, hi) = corners.iter().fold((corners[0], corners[0]), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
        let away_m = point.distance(point.clamp(lo, hi));
        let links = robot.links.iter().flat_map(|l| l.triangles.iter().flatten());
        let size_m = links.fold(0.0, |size: f64, v| size.max(v.abs().max_element()));
        let number = shown.number;
        Ok((away_m > DOUBTFUL * size_m).then(|| {
            format!(
                "the contact of motion {number} is {away_m:.3} m away from link '{}': the results may be of another \
                 robot, of other motions or options (--base, --geometry), or of a check with --margin",
                link.name
            )
        }))
    }
}

fn motion_view((answer, shown): (&Answer, &ShownMotion)) -> MotionView {
    let number = answer.motion;
    let verdict = answer.verdict_in_words();
    let moment = answer.moment().map(|moment| moment.in_words(Some(4)));
    let label = match (answer.verdict, moment, answer.sides()) {
        (Kind::Contact, _, Some((a, b))) if answer.initial_overlap => format!("{verdict} at the start, {a} – {b}"),
        (Kind::Contact, Some(at), Some((a, b))) => format!("{verdict} at {at}, {a} – {b}"),
        (Kind::Contact, Some(at), None) => format!("{verdict} at {at}"),
        _ => verdict.to_string(),
    };
    MotionView {
        number,
        contact_at: answer.time().map(|_| shown.course.share(shown.course.event(shown.answer))),
        label: format!("motion {number}: {label}"),
        says: format!("motion {number}: {}", answer.in_words()),
        picture: None,
    }
}
