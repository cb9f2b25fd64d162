//! Lines of results for trajectories, as the contract describes them.

use super::curve::Trajectory;
use crate::cli::numbers;
use crate::link_pairs::answers::Place;
use serde_json::Value;

/// The answer for one trajectory. Times are numbers of a segment plus the share of it.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "few answers, most of them contacts")]
pub enum Answer {
    Free,
    Contact(Contact),
    Undecided { clear_until: f64 },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// The enclosure.
    pub u: [f64; 2],
    /// The same in the trajectory's own unit.
    pub time_s: Option<[f64; 2]>,
    pub proved: bool,
    pub certified: bool,
    pub initial_overlap: bool,
    /// Absent with `--mode verdict`.
    pub place: Option<Place>,
}

impl Answer {
    /// Reads a line.
    ///
    /// # Panics
    /// The line does not follow the contract.
    pub fn read(line: &Value, t: &Trajectory) -> Self {
        match line["verdict"].as_str() {
            Some("free") => Self::Free,
            Some("undecided") => {
                let share = line["clear_until"].as_f64().expect("a time");
                assert_eq!(t.times_s.is_some(), line.get("clear_until_s").is_some(), "{line}");
                Self::Undecided { clear_until: segment(line, t) + share }
            }
            Some("contact") => Self::Contact(Contact::read(line, t)),
            _ => panic!("no verdict: {line}"),
        }
    }

    pub fn contact(&self) -> Option<&Contact> {
        if let Self::Contact(contact) = self { Some(contact) } else { None }
    }
}

/// The segment of a line. Trajectories of one segment without times have none.
fn segment(line: &Value, t: &Trajectory) -> f64 {
    let is_plain = t.points.len() == 2 && t.times_s.is_none();
    assert!(!is_plain || line.get("segment").is_none(), "a motion with a segment: {line}");
    if is_plain || t.points.len() == 1 && line.get("segment").is_none() {
        return 0.0;
    }
    let k = line["segment"].as_u64().unwrap_or_else(|| panic!("no segment: {line}"));
    assert!(k < t.n_segments() as u64, "no such segment: {line}");
    k as f64
}

impl Contact {
    fn read(line: &Value, t: &Trajectory) -> Self {
        let two = |key: &str| <[f64; 2]>::try_from(numbers(&line[key])).unwrap_or_else(|_| panic!("{key}: {line}"));
        let flag = |key: &str| line[key].as_bool().unwrap_or_else(|| panic!("{key}: {line}"));
        let (toc, k) = (two("toc"), segment(line, t));
        assert!(toc.iter().all(|x| (0.0..=1.0).contains(x)), "not shares of a segment: {line}");
        let later = line.get("segment_hi").map(|k| k.as_u64().expect("a segment") as f64);
        assert!(later.is_none_or(|l| l > k && l < t.n_segments() as f64), "segment_hi: {line}");
        assert_eq!(t.times_s.is_some(), line.get("time_s").is_some(), "{line}");
        Self {
            u: [k + toc[0], later.unwrap_or(k) + toc[1]],
            time_s: line.get("time_s").map(|_| two("time_s")),
            proved: flag("proved"),
            certified: flag("certified"),
            initial_overlap: flag("initial_overlap"),
            place: line.get("a").map(|_| Place::read(line)),
        }
    }

    /// The link, triangle and feature of both sides.
    pub fn features(&self) -> Option<[String; 2]> {
        let of = |s: &crate::link_pairs::answers::Side| format!("{} {} {:?}", s.name, s.triangle, s.feature);
        self.place.as_ref().map(|p| [of(&p.a), of(&p.b)])
    }
}

/// Numbers of answers, summed over runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    pub free: usize,
    pub contact: usize,
    pub certified: usize,
    pub undecided: usize,
}

impl Tally {
    pub fn add(&mut self, answers: &[Answer]) {
        for answer in answers {
            match answer {
                Answer::Free => self.free += 1,
                Answer::Undecided { .. } => self.undecided += 1,
                Answer::Contact(c) => {
                    self.contact += 1;
                    self.certified += usize::from(c.certified);
                }
            }
        }
    }

    /// Prints the numbers. Both outcomes must be common, most contacts certified, and few answers undecided.
    #[track_caller]
    pub fn require(self, name: &str) {
        let Self { free, contact, certified, undecided } = self;
        println!("{name}: {free} free, {contact} contacts of which {certified} certified, {undecided} undecided");
        let n = free + contact + undecided;
        assert!(8 * free > n && 8 * contact > n, "{name}: one outcome is rare");
        assert!(20 * certified >= 19 * contact && 200 * undecided <= n, "{name}");
    }
}

/// The differences that two answers about the same curve must not have, after `map` has taken times of the second to
/// those of the first: the verdict, whether it is proved, enclosures further apart than 1e-9, other features.
pub fn difference(a: &Answer, b: &Answer, map: &dyn Fn(f64) -> f64) -> Option<String> {
    let differ = match (a, b) {
        (Answer::Undecided { .. }, _) | (_, Answer::Undecided { .. }) | (Answer::Free, Answer::Free) => false,
        (Answer::Contact(x), Answer::Contact(y)) => {
            let v = y.u.map(map);
            let is_apart = x.u[0] > v[1] + 1e-9 || v[0] > x.u[1] + 1e-9;
            let same = !(x.certified && y.certified) || x.features() == y.features();
            is_apart || !same || (x.proved, x.initial_overlap) != (y.proved, y.initial_overlap)
        }
        _ => true,
    };
    differ.then(|| format!("{a:?} but {b:?}"))
}
