//! One answer of `check`, read from a line of results.

use firstcontact::robot::Robot;
use firstcontact::scene::Scene;
use firstcontact::verdict::{
    Certainty, Contact, ContactPoint, Feature, ObstacleFeature, RobotFeature, SceneFeature, TrajectoryVerdict,
    Undecided, UndecidedReason, Verdict,
};
use firstcontact::{Error, Result};
use serde::Deserialize;

/// The answer for one motion, as written by `check`. Fields that a page does not display are ignored.
#[derive(Clone, Debug, Deserialize)]
pub struct Answer {
    /// Number of the motion.
    pub motion: usize,
    /// The verdict without its details.
    pub verdict: Kind,
    /// The planning problem, if each motion has its own scene.
    pub problem: Option<String>,
    /// The segment of the start of `toc`, or of `clear_until`, if the motion is a trajectory.
    pub segment: Option<usize>,
    /// Enclosure of the time of first contact.
    pub toc: Option<[f64; 2]>,
    /// The segment of the end of `toc`, if that is another one.
    pub segment_hi: Option<usize>,
    /// `toc` on the trajectory's clock, seconds.
    pub time_s: Option<[f64; 2]>,
    /// A contact exists.
    #[serde(default)]
    pub proved: bool,
    /// Proved, with an enclosure as narrow as requested.
    #[serde(default)]
    pub certified: bool,
    /// Link and scene touch at the start.
    #[serde(default)]
    pub initial_overlap: bool,
    /// Link and scene do not touch, but one is inside the other at the start.
    #[serde(default)]
    pub inside: bool,
    /// The robot's side of the contact.
    pub a: Option<Side>,
    /// The other side.
    pub b: Option<Side>,
    /// World coordinates of the contact, metres.
    pub point: Option<[f64; 3]>,
    /// Unit vector from `b` to `a`.
    pub normal: Option<[f64; 3]>,
    /// Nothing touches before this time.
    pub clear_until: Option<f64>,
    /// The same on the trajectory's clock, seconds.
    pub clear_until_s: Option<f64>,
    /// Reason why the search ended without an answer.
    pub reason: Option<String>,
}

/// A verdict in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Proved free.
    Free,
    /// Contact, proved or possible.
    Contact,
    /// No answer.
    Undecided,
}

impl Kind {
    /// The word in the results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Contact => "contact",
            Self::Undecided => "undecided",
        }
    }
}

/// One side of a contact: a link, or an object of the scene.
#[derive(Clone, Debug, Deserialize)]
pub struct Side {
    /// Name of the link; of an attached object, of the link that carries it.
    pub link: Option<String>,
    /// Name of the attached object.
    pub attached: Option<String>,
    /// Name of the object.
    pub object: Option<String>,
    /// Index of the shape within the link.
    #[serde(default)]
    pub shape: u32,
    /// The triangle, in file order.
    #[serde(default)]
    pub triangle: u32,
    /// `vertex`, `edge` or `face`; empty if one side is inside the other.
    #[serde(default)]
    pub feature: String,
    /// Number of the vertex or edge.
    #[serde(default)]
    pub index: u8,
}

impl Side {
    /// Name of the object, the attached object or the link.
    pub fn name(&self) -> &str {
        let link = self.attached.as_deref().or(self.link.as_deref());
        self.object.as_deref().or(link).unwrap_or_default()
    }

    /// The feature, such as `vertex 2`.
    pub fn feature_text(&self) -> String {
        if self.feature == "face" { self.feature.clone() } else { format!("{} {}", self.feature, self.index) }
    }

    fn feature(&self) -> Option<Feature> {
        match (self.feature.as_str(), self.index) {
            ("face", _) => Some(Feature::Face),
            ("vertex", k @ 0..=2) => Some(Feature::Vertex(k)),
            ("edge", k @ 0..=2) => Some(Feature::Edge(k)),
            _ => None,
        }
    }
}

/// A time of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Relative to the motion or segment, from 0 to 1.
    t: f64,
    /// The segment of a trajectory.
    segment: Option<usize>,
    /// On the trajectory's clock, seconds.
    seconds: Option<f64>,
}

impl Moment {
    /// A time from 0 to 1 of a motion or segment, and the same in seconds, if the path has a clock.
    pub fn new(t: f64, segment: Option<usize>, seconds: Option<f64>) -> Self {
        Self { t, segment, seconds }
    }

    /// In words with a number of digits, such as `t = 0.5`, `t = 0.5 of segment 3` or `7.2 s, in segment 3`.
    pub fn in_words(&self, digits: Option<usize>) -> String {
        let number = |x: f64| digits.map_or_else(|| x.to_string(), |digits| format!("{x:.digits$}"));
        let t = number(self.t);
        match (self.seconds.map(number), self.segment) {
            (Some(s), Some(segment)) => format!("{s} s, in segment {segment}"),
            (Some(s), None) => format!("{s} s"),
            (None, Some(segment)) => format!("t = {t} of segment {segment}"),
            (None, None) => format!("t = {t}"),
        }
    }

    /// The same after another time.
    fn after(&self, digits: usize) -> String {
        let words = self.in_words(Some(digits));
        words.strip_prefix("t = ").unwrap_or(&words).into()
    }

    /// For a table.
    pub fn in_table(&self) -> String {
        match (self.seconds, self.segment) {
            (Some(s), _) => format!("{s:.6} s"),
            (None, Some(segment)) => format!("{segment}: {:.6}", self.t),
            (None, None) => format!("{:.6}", self.t),
        }
    }
}

impl Answer {
    /// Reads one line.
    ///
    /// # Errors
    /// The line is not an answer of `check`.
    pub fn parse(line: &str) -> Result<Self> {
        let answer: Self = serde_json::from_str(line).map_err(|e| Error::input(e.to_string()))?;
        let is_time = |t: f64| (0.0..=1.0).contains(&t);
        let missing = |what: &str| Err(Error::input(format!("{what} is missing or not within 0 and 1")));
        match answer.verdict {
            // Times in different segments have no order.
            Kind::Contact
                if !answer.toc.is_some_and(|[lo, hi]| {
                    is_time(lo) && is_time(hi) && (lo <= hi || answer.segment_hi.is_some())
                }) =>
            {
                missing("toc")
            }
            Kind::Undecided if !answer.clear_until.is_some_and(is_time) => missing("clear_until"),
            _ => Ok(answer),
        }
    }

    /// Start of the enclosure of the first contact, if there is one.
    pub fn time(&self) -> Option<f64> {
        self.toc.filter(|_| self.verdict == Kind::Contact).map(|[lo, _]| lo)
    }

    /// A number by which the events of motions are in order: seconds, segments, or the time of the motion.
    pub fn order(&self) -> Option<f64> {
        let Moment { t, segment, seconds } = self.moment()?;
        Some(seconds.unwrap_or(segment.unwrap_or_default() as f64 + t))
    }

    /// The time of the contact, or of the end of the search.
    pub fn moment(&self) -> Option<Moment> {
        let seconds = self.time_s.map(|[lo, _]| lo).or(self.clear_until_s);
        Some(Moment { t: self.time().or(self.clear_until)?, segment: self.segment, seconds })
    }

    /// The time at or before which a contact exists, if one is proved.
    fn latest(&self) -> Option<Moment> {
        let segment = self.segment_hi.or(self.segment);
        Some(Moment { t: self.toc?[1], segment, seconds: self.time_s.map(|[_, hi]| hi) })
    }

    /// The verdict in words: a contact that is not proved is a possible one.
    pub fn verdict_in_words(&self) -> &'static str {
        if self.is_possible() { "possible contact" } else { self.verdict.name() }
    }

    /// Returns whether the answer is a contact that is not proved.
    pub fn is_possible(&self) -> bool {
        self.verdict == Kind::Contact && !self.proved
    }

    /// Names of the two sides of the contact, if they are known.
    pub fn sides(&self) -> Option<(&str, &str)> {
        Some((self.a.as_ref()?.name(), self.b.as_ref()?.name()))
    }

    /// The answer in the engine's form, with indices instead of names. A contact whose place is unknown has no
    /// place.
    ///
    /// # Errors
    /// A link or object does not exist, or a feature is not valid.
    pub fn to_verdict(&self, robot: &Robot, scene: &Scene) -> Result<TrajectoryVerdict> {
        let verdict = match self.verdict {
            Kind::Free => Verdict::Free,
            Kind::Undecided => Verdict::Undecided(Undecided {
                clear_until: self.clear_until.unwrap_or_default(),
                reason: self
                    .reason
                    .as_deref()
                    .and_then(UndecidedReason::from_name)
                    .unwrap_or(UndecidedReason::EvaluationCap),
            }),
            Kind::Contact => Verdict::Contact(Contact {
                toc: self.toc.unwrap_or_default(),
                certainty: Certainty::new(self.proved, self.certified),
                initial_overlap: self.initial_overlap,
                inside: None,
                first: self.touch(robot, scene).map_err(|e| e.at(format!("motion {}", self.motion)))?,
                simultaneous: Vec::new(),
            }),
        };
        let segment = self.segment.unwrap_or_default();
        let time_s = self.time_s.or(self.clear_until_s.map(|t| [t; 2]));
        Ok(TrajectoryVerdict { verdict, segment, segment_hi: self.segment_hi.unwrap_or(segment), time_s })
    }

    fn touch(&self, robot: &Robot, scene: &Scene) -> Result<Option<ContactPoint>> {
        let (Some(a), Some(b), Some(point), Some(normal)) = (&self.a, &self.b, self.point, self.normal) else {
            return Ok(None);
        };
        let remedy = "give the robot and the scene that were checked";
        let unknown = |what: String| Error::input(what).remedy(remedy);
        let invalid = |side: &Side| Error::input(format!("'{}' is not a feature", side.feature_text()));
        let of_link = |side: &Side, link: &str| {
            let carrier = side.attached.as_ref().map(|_| link);
            let link = side.attached.as_deref().unwrap_or(link);
            let index = robot.links.iter().position(|l| l.name == link && l.attached_to.as_deref() == carrier);
            let index = index.ok_or_else(|| match carrier {
                None => unknown(format!("the robot has no link '{link}' with triangles")),
                Some(carrier) => unknown(format!("no object '{link}' is attached to the link '{carrier}'")),
            })?;
            let n_triangles = robot.links[index].triangles.len();
            if side.triangle as usize >= n_triangles {
                return Err(unknown(format!("link '{link}' has {n_triangles} triangles, not {}", side.triangle)));
            }
            let feature = side.feature().ok_or_else(|| invalid(side))?;
            Ok(RobotFeature { link: index as u32, shape: side.shape, triangle: side.triangle, feature })
        };
        let of_object = |side: &Side, object: &str| {
            // Names of objects need not be unique: the triangle index excludes some.
            let found = scene.objects.iter().position(|o| o.name == object && side.triangle < o.n_triangles);
            let index = found.ok_or_else(|| unknown(format!("the scene has no object '{object}'")))?;
            let feature = side.feature().ok_or_else(|| invalid(side))?;
            Ok(SceneFeature { object: index as u32, triangle: side.triangle, feature })
        };
        let Some(link) = &a.link else { return Ok(None) };
        let b = match (&b.object, &b.link) {
            (Some(object), _) => ObstacleFeature::Scene(of_object(b, object)?),
            (None, Some(link)) => ObstacleFeature::Link(of_link(b, link)?),
            (None, None) => return Ok(None),
        };
        Ok(Some(ContactPoint { a: of_link(a, link)?, b, point, normal }))
    }

    /// The answer in a sentence.
    pub fn in_words(&self) -> String {
        let contact = self.moment().zip(self.latest()).filter(|_| self.verdict == Kind::Contact);
        let Some((lo, hi)) = contact else {
            return match self.verdict {
                Kind::Undecided => format!(
                    "undecided ({}), proved free until {}",
                    self.reason.as_deref().unwrap_or("unknown reason"),
                    self.moment().map_or_else(String::new, |moment| moment.in_words(None))
                ),
                _ => "free, which is proved".into(),
            };
        };
        let when = match (self.initial_overlap, self.certified, self.proved) {
            (true, _, true) => "contact at the start".to_string(),
            (true, ..) => "possible contact at the start".to_string(),
            (_, true, _) => format!("first contact at {}", lo.in_words(Some(9))),
            (_, _, true) => format!("first contact between {} and {}", lo.in_words(Some(9)), hi.after(9)),
            _ => format!("possible contact at {} or later", lo.in_words(Some(9))),
        };
        match (&self.a, &self.b, self.point) {
            (Some(a), Some(b), _) if self.inside => {
                format!("{when}: one of {} and {} is inside the other", a.name(), b.name())
            }
            (Some(a), Some(b), Some([x, y, z])) => format!(
                "{when}: {} of {} and {} of {} at ({x:.4}, {y:.4}, {z:.4}) m",
                a.feature_text(),
                a.name(),
                b.feature_text(),
                b.name()
            ),
            _ => when,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::of_motion;
    use firstcontact::report::Line;
    use glam::{DMat3, DVec3};

    fn models() -> (Robot, Scene) {
        let mut robot = Robot::new("r", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        robot.add_link("arm", 0, vec![triangle; 3], vec![0]).unwrap();
        let mut scene = Scene::new();
        scene.add_object("wall", [triangle]).unwrap();
        // The same name again, with more triangles.
        scene.add_object("wall", [triangle; 5]).unwrap();
        (robot, scene)
    }

    fn contact(triangles: [u32; 2]) -> Verdict {
        Verdict::Contact(Contact {
            toc: [0.25, 0.5],
            certainty: Certainty::Proved,
            initial_overlap: false,
            first: Some(ContactPoint {
                a: RobotFeature { link: 0, shape: 0, triangle: triangles[0], feature: Feature::Vertex(2) },
                b: ObstacleFeature::Scene(SceneFeature { object: 1, triangle: triangles[1], feature: Feature::Face }),
                point: [1.0, 2.0, 3.0],
                normal: [0.0, 0.0, 1.0],
            }),
            inside: None,
            simultaneous: Vec::new(),
        })
    }

    #[test]
    fn written_answers_are_read_back() {
        let (robot, scene) = models();
        let undecided = |reason| Verdict::Undecided(Undecided { clear_until: 0.75, reason });
        for verdict in UndecidedReason::ALL.map(undecided).into_iter().chain([Verdict::Free, contact([2, 4])]) {
            let line = serde_json::to_string(&Line::new(7, &verdict, &robot, &scene)).unwrap();
            let answer = Answer::parse(&line).unwrap();
            assert_eq!((answer.motion, answer.to_verdict(&robot, &scene).unwrap()), (7, of_motion(&verdict)), "{line}");
        }
    }

    #[test]
    fn answers_for_other_models_are_refused() {
        let (robot, scene) = models();
        let line = serde_json::to_string(&Line::new(7, &contact([2, 4]), &robot, &scene)).unwrap();
        for (old, new, said) in [
            ("\"arm\"", "\"leg\"", "motion 7: the robot has no link 'leg'"),
            ("\"wall\"", "\"door\"", "motion 7: the scene has no object 'door'"),
            ("\"triangle\":4", "\"triangle\":5", "motion 7: the scene has no object 'wall'"),
            ("\"triangle\":2", "\"triangle\":3", "motion 7: link 'arm' has 3 triangles"),
            ("\"index\":2", "\"index\":3", "'vertex 3' is not a feature"),
        ] {
            let answer = Answer::parse(&line.replacen(old, new, 1)).unwrap();
            let error = answer.to_verdict(&robot, &scene).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        for line in [
            "{}",
            "[]",
            r#"{"motion":1,"verdict":"maybe"}"#,
            r#"{"motion":1,"verdict":"contact"}"#,
            r#"{"motion":1,"verdict":"contact","toc":[0.5,0.25]}"#,
            r#"{"motion":1,"verdict":"undecided"}"#,
            r#"{"motion":-1,"verdict":"free"}"#,
            r#"{"motion":1,"verdict":"contact","toc":[0,1e999]}"#,
        ] {
            assert!(Answer::parse(line).is_err(), "{line}");
        }
    }
}
