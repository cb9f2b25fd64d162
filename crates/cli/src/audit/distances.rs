//! Distances between the robot and its obstacles along a plan: the certified smallest one, and those at sampled times.

use super::joints::time_axis;
use crate::bench::run::{Axis, Plot, PlotKind, Series};
use crate::picture::{Course, Unit};
use crate::report::answer::Moment;
use firstcontact::engine::Engine;
use firstcontact::robot::{Robot, Trajectory};
use firstcontact::scene::Scene;
use firstcontact::verdict::{Obstacle, TrajectoryVerdict, Verdict};
use firstcontact::{Clearance, ClearanceOptions, ClosestPoints, Result};
use std::collections::BTreeMap;

/// Number of steps between sampled times.
const STEPS: usize = 100;
/// Maximum number of nearest pairs.
pub const MAX_PAIRS: usize = 5;

/// The distances of a plan.
#[derive(Debug)]
pub struct Distances {
    /// The certified smallest distance of a free plan.
    pub clearance: Option<Kept>,
    /// The nearest pairs of the sampled times, the nearest first, at most [`MAX_PAIRS`].
    pub pairs: Vec<Near>,
    /// Number of pairs that are nearest at some sampled time.
    pub n_pairs: usize,
    /// The distance over time; `None` if there is nothing to show.
    pub plot: Option<Plot>,
}

/// An enclosure of a smallest distance.
#[derive(Debug)]
pub struct Kept {
    /// At least the first number and at most the second, metres; infinite if there are no obstacles.
    pub distance_m: [f64; 2],
    /// The pair and a time at which the distance is at most the second number.
    pub at: Option<Near>,
}

/// A pair of a link and an obstacle, at one time.
#[derive(Debug)]
pub struct Near {
    /// Names of the link and of the object or other link.
    pub names: [String; 2],
    /// The time.
    pub at: Moment,
    /// Distance of the two, metres.
    pub distance_m: f64,
}

/// A plan whose distances are measured.
pub struct Measured<'a> {
    /// The engine that has checked it.
    pub engine: &'a Engine,
    /// The robot.
    pub robot: &'a Robot,
    /// The scene.
    pub scene: &'a Scene,
    /// The path.
    pub path: &'a Trajectory,
    /// Its clock.
    pub course: &'a Course<'a>,
    /// Options of the certified distance.
    pub options: &'a ClearanceOptions,
}

/// The name of an answer's contact in plots, if it has one.
pub fn contact_in_words(answer: &TrajectoryVerdict) -> Option<&'static str> {
    match &answer.verdict {
        Verdict::Contact(contact) if contact.is_proved() => Some("first contact"),
        Verdict::Contact(_) => Some("possible contact"),
        Verdict::Free | Verdict::Undecided(_) => None,
    }
}

/// A time on the plan's clock, and the nearest points at that time.
type Sample = (f64, ClosestPoints);

impl Measured<'_> {
    /// The distances of the plan up to its contact, or up to the end of the search.
    ///
    /// # Errors
    /// The path does not fit the robot, or an option is out of range.
    pub fn distances(&self, answer: &TrajectoryVerdict) -> Result<Distances> {
        let clearance = match answer.verdict {
            Verdict::Free => Some(self.engine.clearance(self.path, self.options)?),
            Verdict::Contact(_) | Verdict::Undecided(_) => None,
        };
        let closest = clearance.as_ref().and_then(|of| of.closest);
        let mut samples = self.samples(self.course.event(answer))?;
        samples.extend(closest.map(|at| (self.time(&at), at)));
        samples.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut pairs = self.pairs(&samples);
        let n_pairs = pairs.len();
        pairs.truncate(MAX_PAIRS);
        let plot = self.plot(&samples, closest.as_ref(), answer);
        Ok(Distances { clearance: clearance.map(|of| self.kept(&of)), pairs, n_pairs, plot })
    }

    /// The nearest points at equal steps of time.
    fn samples(&self, until: f64) -> Result<Vec<Sample>> {
        let from = self.course.start();
        let n = if until > from { STEPS + 1 } else { 0 };
        let times = (0..n).map(|k| from + (until - from) * (k as f64 / STEPS as f64));
        let nearest = |time| {
            let (segment, t) = self.place(time);
            let at = self.engine.closest_points(self.path, segment, t, f64::INFINITY)?;
            Ok(at.map(|at| (time, at)))
        };
        times.filter_map(|time| nearest(time).transpose()).collect()
    }

    /// The segment and the time within it.
    fn place(&self, time: f64) -> (usize, f64) {
        let knots = self.course.knots();
        let segment = knots.partition_point(|knot| *knot <= time).clamp(1, knots.len() - 1) - 1;
        let [from, until] = [knots[segment], knots[segment + 1]];
        (segment, if until > from { ((time - from) / (until - from)).clamp(0.0, 1.0) } else { 0.0 })
    }

    fn time(&self, at: &ClosestPoints) -> f64 {
        let [from, until] = [self.course.knots()[at.segment], self.course.knots()[at.segment + 1]];
        from + (until - from) * at.t
    }

    /// The smallest distance of each pair that is nearest at some time, the nearest first.
    fn pairs(&self, samples: &[Sample]) -> Vec<Near> {
        let mut least: BTreeMap<(u32, Obstacle), &ClosestPoints> = BTreeMap::new();
        for (_, at) in samples {
            let nearest = least.entry((at.a.link, at.b.obstacle())).or_insert(at);
            if at.distance_m < nearest.distance_m {
                *nearest = at;
            }
        }
        let mut pairs: Vec<Near> = least.into_values().map(|at| self.near(at)).collect();
        pairs.sort_by(|x, y| x.distance_m.total_cmp(&y.distance_m));
        pairs
    }

    fn near(&self, at: &ClosestPoints) -> Near {
        let link = |link: u32| self.robot.links[link as usize].name.clone();
        let obstacle = match at.b.obstacle() {
            Obstacle::Object(object) => self.scene.objects[object as usize].name.clone(),
            Obstacle::Link(other) => link(other),
        };
        let unit = self.course.unit();
        let segment = (unit != Unit::Motion).then_some(at.segment);
        let seconds = (unit == Unit::Seconds).then(|| self.time(at));
        Near { names: [link(at.a.link), obstacle], at: Moment::new(at.t, segment, seconds), distance_m: at.distance_m }
    }

    fn kept(&self, of: &Clearance) -> Kept {
        Kept { distance_m: of.distance_m, at: of.closest.as_ref().map(|at| self.near(at)) }
    }

    fn plot(&self, samples: &[Sample], closest: Option<&ClosestPoints>, answer: &TrajectoryVerdict) -> Option<Plot> {
        samples.first()?;
        let points: Vec<[f64; 2]> = samples.iter().map(|(time, at)| [*time, 1e3 * at.distance_m]).collect();
        let largest = points.iter().map(|p| p[1]).fold(0.0, f64::max);
        let upright =
            |name: &str, time: f64, top: f64| Series { name: name.into(), points: vec![[time, 0.0], [time, top]] };
        let minimum = closest.map(|at| upright("minimum (certified)", self.time(at), 1e3 * at.distance_m));
        let contact = contact_in_words(answer);
        let contact = contact.map(|name| upright(name, self.course.event(answer), largest));
        let sampled = Series { name: "distance (sampled)".into(), points };
        let note = match (&minimum, &contact) {
            (Some(_), _) => " The minimum is certified: at no time is anything nearer than the clearance.",
            (_, Some(of)) => &format!(" They end at the {}.", of.name),
            _ => " They end where the search ended.",
        };
        Some(Plot {
            id: "distance".into(),
            title: "Distance of the nearest pair".into(),
            note: format!("Samples at {} equal steps of time; between them the distance may be smaller.{note}", STEPS),
            kind: PlotKind::Curves,
            x: time_axis(self.course.unit()),
            y: Axis { label: "mm".into(), log: false },
            series: [Some(sampled), minimum, contact].into_iter().flatten().collect(),
            categories: Vec::new(),
        })
    }
}
