//! Answers as columns of numbers. `firstcontact/_columns.py` lists their types and shapes.

use crate::numbers;
use firstcontact::{
    Contact, ContactPoint, Feature, Inside, Obstacle, ObstacleFeature, RobotFeature, TrajectoryVerdict,
    UndecidedReason, Verdict,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The columns of answers to motions, and the additional ones of trajectories.
#[derive(Default)]
pub struct Columns {
    verdict: Vec<i8>,
    toc: Vec<[f64; 2]>,
    clear_until: Vec<f64>,
    reason: Vec<i8>,
    proved: Vec<u8>,
    certified: Vec<u8>,
    initial_overlap: Vec<u8>,
    inside: Vec<u8>,
    point: Vec<[f64; 3]>,
    normal: Vec<[f64; 3]>,
    places: Places,
    trajectory: Option<TrajectoryColumns>,
}

/// Links and what they touch or come near, with the features of both.
#[derive(Default)]
pub struct Places {
    link: Vec<i32>,
    object: Vec<i32>,
    link_b: Vec<i32>,
    side_a: Sides,
    side_b: Sides,
}

/// One side of places.
#[derive(Default)]
struct Sides {
    shape: Vec<i32>,
    triangle: Vec<i64>,
    feature: Vec<i8>,
    index: Vec<i8>,
}

/// Times of trajectories.
#[derive(Default)]
struct TrajectoryColumns {
    segment: Vec<i64>,
    segment_hi: Vec<i64>,
    time_s: Vec<[f64; 2]>,
}

/// A missing index.
const NONE: i32 = -1;

impl Columns {
    /// The columns of motions.
    pub fn new<'v>(verdicts: impl Iterator<Item = &'v Verdict>) -> Self {
        let mut columns = Self::default();
        verdicts.for_each(|verdict| columns.add(verdict));
        columns
    }

    /// The columns of trajectories.
    pub fn of_trajectories(answers: &[TrajectoryVerdict]) -> Self {
        let mut times = TrajectoryColumns::default();
        for answer in answers {
            times.segment.push(answer.segment as i64);
            times.segment_hi.push(answer.segment_hi as i64);
            times.time_s.push(answer.time_s.unwrap_or([f64::NAN; 2]));
        }
        Self { trajectory: Some(times), ..Self::new(answers.iter().map(|answer| &answer.verdict)) }
    }

    fn add(&mut self, verdict: &Verdict) {
        let contact = match verdict {
            Verdict::Contact(contact) => Some(contact),
            Verdict::Free | Verdict::Undecided(_) => None,
        };
        let (code, clear_until, reason) = match verdict {
            Verdict::Free => (0, 1.0, None),
            Verdict::Contact(contact) => (1, contact.toc[0], None),
            Verdict::Undecided(u) => (2, u.clear_until, UndecidedReason::ALL.iter().position(|r| *r == u.reason)),
        };
        self.verdict.push(code);
        self.clear_until.push(clear_until);
        self.reason.push(reason.map_or(-1, |reason| reason as i8));
        self.toc.push(contact.map_or([f64::NAN; 2], |contact| contact.toc));
        let holds = |what: fn(&Contact) -> bool| u8::from(contact.is_some_and(what));
        self.proved.push(holds(Contact::is_proved));
        self.certified.push(holds(Contact::is_certified));
        self.initial_overlap.push(holds(|contact| contact.initial_overlap));
        self.inside.push(holds(|contact| contact.inside.is_some()));
        match contact.map(|contact| (&contact.first, &contact.inside)) {
            Some((Some(first), _)) => self.add_place(first),
            Some((None, Some(Inside { link, obstacle, point }))) => self.add_bodies(Some((*link, *obstacle)), *point),
            _ => self.add_bodies(None, [f64::NAN; 3]),
        }
    }

    /// A contact of features.
    fn add_place(&mut self, first: &ContactPoint) {
        self.places.add(&first.a, &first.b);
        self.point.push(first.point);
        self.normal.push(first.normal);
    }

    /// A start inside a solid, or no contact at all: without features.
    fn add_bodies(&mut self, bodies: Option<(u32, Obstacle)>, point: [f64; 3]) {
        self.places.add_bodies(bodies);
        self.point.push(point);
        self.normal.push([f64::NAN; 3]);
    }

    /// The columns as bytes, by name.
    pub fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = [
            ("verdict", numbers::bytes(py, &self.verdict)),
            ("toc", numbers::bytes(py, &self.toc)),
            ("clear_until", numbers::bytes(py, &self.clear_until)),
            ("reason", numbers::bytes(py, &self.reason)),
            ("proved", numbers::bytes(py, &self.proved)),
            ("certified", numbers::bytes(py, &self.certified)),
            ("initial_overlap", numbers::bytes(py, &self.initial_overlap)),
            ("inside", numbers::bytes(py, &self.inside)),
            ("point", numbers::bytes(py, &self.point)),
            ("normal", numbers::bytes(py, &self.normal)),
        ];
        let dict = PyDict::new(py);
        columns.into_iter().try_for_each(|(name, bytes)| dict.set_item(name, bytes))?;
        self.places.add_to(&dict)?;
        if let Some(TrajectoryColumns { segment, segment_hi, time_s }) = &self.trajectory {
            dict.set_item("segment", numbers::bytes(py, segment))?;
            dict.set_item("segment_hi", numbers::bytes(py, segment_hi))?;
            dict.set_item("time_s", numbers::bytes(py, time_s))?;
        }
        Ok(dict)
    }
}

impl Places {
    /// Adds two features.
    pub fn add(&mut self, a: &RobotFeature, b: &ObstacleFeature) {
        self.push_bodies(Some((a.link, b.obstacle())));
        self.side_a.add_link(a);
        match b {
            ObstacleFeature::Link(b) => self.side_b.add_link(b),
            ObstacleFeature::Scene(b) => self.side_b.add(NONE, b.triangle, b.feature),
        }
    }

    /// Adds a link and an obstacle without features, or nothing.
    pub fn add_bodies(&mut self, bodies: Option<(u32, Obstacle)>) {
        self.push_bodies(bodies);
        self.side_a.add_none();
        self.side_b.add_none();
    }

    fn push_bodies(&mut self, bodies: Option<(u32, Obstacle)>) {
        let (object, link_b) = match bodies {
            Some((_, Obstacle::Object(object))) => (object as i32, NONE),
            Some((_, Obstacle::Link(link))) => (NONE, link as i32),
            None => (NONE, NONE),
        };
        self.link.push(bodies.map_or(NONE, |(link, _)| link as i32));
        self.object.push(object);
        self.link_b.push(link_b);
    }

    /// Adds the columns to a dictionary of bytes by name.
    pub fn add_to(&self, dict: &Bound<PyDict>) -> PyResult<()> {
        let (py, bodies) = (dict.py(), [("link", &self.link), ("object", &self.object), ("link_b", &self.link_b)]);
        bodies.into_iter().try_for_each(|(name, column)| dict.set_item(name, numbers::bytes(py, column)))?;
        for (suffix, side) in [("", &self.side_a), ("_b", &self.side_b)] {
            dict.set_item(format!("shape{suffix}"), numbers::bytes(py, &side.shape))?;
            dict.set_item(format!("triangle{suffix}"), numbers::bytes(py, &side.triangle))?;
            dict.set_item(format!("feature{suffix}"), numbers::bytes(py, &side.feature))?;
            dict.set_item(format!("index{suffix}"), numbers::bytes(py, &side.index))?;
        }
        Ok(())
    }
}

impl Sides {
    fn add_link(&mut self, of: &RobotFeature) {
        self.add(of.shape as i32, of.triangle, of.feature);
    }

    fn add(&mut self, shape: i32, triangle: u32, feature: Feature) {
        let code = match feature {
            Feature::Vertex(_) => 0,
            Feature::Edge(_) => 1,
            Feature::Face => 2,
        };
        self.shape.push(shape);
        self.triangle.push(i64::from(triangle));
        self.feature.push(code);
        self.index.push(feature.index() as i8);
    }

    fn add_none(&mut self) {
        self.shape.push(NONE);
        self.triangle.push(-1);
        self.feature.push(-1);
        self.index.push(-1);
    }
}
