//! Lines of results, as the contract describes them.

use crate::cli::numbers;
use glam::DVec3;
use serde_json::Value;

/// The answer to one motion.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "few answers, most of them contacts")]
pub enum Answer {
    Free,
    Contact(Contact),
    Undecided { clear_until: f64 },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    pub toc: [f64; 2],
    pub proved: bool,
    pub certified: bool,
    pub initial_overlap: bool,
    /// Absent with `--mode verdict`.
    pub place: Option<Place>,
}

/// The features that touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub a: Side,
    pub b: Side,
    pub point: DVec3,
    pub normal: DVec3,
}

/// One of the two triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// Name of the attached object, the link or the object.
    pub name: String,
    /// Number of the shape; `None` for an object of the scene.
    pub shape: Option<usize>,
    pub triangle: usize,
    /// `vertex`, `edge` or `face`, and its number.
    pub feature: (String, usize),
}

impl Answer {
    /// Reads a line.
    ///
    /// # Panics
    /// The line does not follow the contract.
    pub fn read(line: &Value) -> Self {
        match line["verdict"].as_str() {
            Some("free") => Self::Free,
            Some("undecided") => Self::Undecided { clear_until: line["clear_until"].as_f64().expect("a time") },
            Some("contact") => Self::Contact(Contact::read(line)),
            _ => panic!("no verdict: {line}"),
        }
    }

    pub fn contact(&self) -> Option<&Contact> {
        if let Self::Contact(contact) = self { Some(contact) } else { None }
    }
}

impl Contact {
    fn read(line: &Value) -> Self {
        let [lo, hi] = numbers(&line["toc"])[..] else { panic!("no enclosure: {line}") };
        let flag = |key: &str| line[key].as_bool().unwrap_or_else(|| panic!("{key}: {line}"));
        Self {
            toc: [lo, hi],
            proved: flag("proved"),
            certified: flag("certified"),
            initial_overlap: flag("initial_overlap"),
            place: line.get("a").map(|_| Place::read(line)),
        }
    }

    /// The names of both sides.
    pub fn names(&self) -> Option<[&str; 2]> {
        self.place.as_ref().map(|p| [p.a.name.as_str(), p.b.name.as_str()])
    }
}

impl Place {
    /// Reads a line, or an entry of `contacts`.
    pub fn read(line: &Value) -> Self {
        let vector = |key: &str| DVec3::from_slice(&numbers(&line[key]));
        let [a, b] = ["a", "b"].map(|key| Side::read(&line[key]));
        Self { a, b, point: vector("point"), normal: vector("normal") }
    }
}

impl Side {
    fn read(side: &Value) -> Self {
        let count = |key: &str| side[key].as_u64().unwrap_or_else(|| panic!("{key}: {side}")) as usize;
        let name = |key: &str| side[key].as_str().map(str::to_owned);
        let feature = (name("feature").expect("a feature"), count("index"));
        let link = name("link");
        Self {
            shape: link.is_some().then(|| count("shape")),
            name: name("attached").or(link).or_else(|| name("object")).expect("a name"),
            triangle: count("triangle"),
            feature,
        }
    }
}

/// The numbers of free, touching and undecided motions.
pub fn tally(answers: &[Answer]) -> [usize; 3] {
    let count = |f: fn(&Answer) -> bool| answers.iter().filter(|a| f(a)).count();
    [count(|a| *a == Answer::Free), count(|a| a.contact().is_some()), count(|a| matches!(a, Answer::Undecided { .. }))]
}

/// The differences that two runs of the same motions must not have: in the kind of the verdict and whether a contact is
/// proved, unless one is undecided, and enclosures that are further apart than `slack`.
pub fn differences(a: &[Answer], b: &[Answer], slack: f64) -> Vec<String> {
    assert_eq!(a.len(), b.len());
    let differ = |x: &Answer, y: &Answer| match (x, y) {
        (Answer::Undecided { .. }, _) | (_, Answer::Undecided { .. }) | (Answer::Free, Answer::Free) => false,
        (Answer::Contact(x), Answer::Contact(y)) => {
            x.proved != y.proved || x.toc[0] > y.toc[1] + slack || y.toc[0] > x.toc[1] + slack
        }
        _ => true,
    };
    let pairs = a.iter().zip(b).enumerate().filter(|(_, (x, y))| differ(x, y));
    pairs.map(|(i, (x, y))| format!("motion {i}: {x:?} but {y:?}")).collect()
}

/// Of pairs of contacts, both certified, those whose sides are the same in the same order, or exchanged: the number of
/// each, and of other pairs. Contacts at the start do not count: if several pairs of links touch there, the order of
/// the file decides which is named.
pub fn sides(a: &[Answer], b: &[Answer]) -> [usize; 3] {
    let mut counts = [0; 3];
    for (x, y) in a.iter().zip(b).filter_map(|(x, y)| Some((x.contact()?, y.contact()?))) {
        let counts_both = [x, y].iter().all(|c| c.certified && !c.initial_overlap);
        if let (true, Some(x), Some(y)) = (counts_both, x.names(), y.names()) {
            counts[if x == y { 0 } else { 2 - usize::from(x == [y[1], y[0]]) }] += 1;
        }
    }
    counts
}
