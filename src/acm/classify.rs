//! The class of each pair of links.

use crate::acm::displacement::Displacement;
use crate::acm::pairs::{LinkPair, link_pairs};
use crate::acm::path::Path;
use crate::acm::random::Random;
use crate::acm::search::{Found, Pair, Unfinished};
use crate::acm::shape::Shape;
use crate::error::{Error, ErrorKind, Result};
use crate::robot::{FreeRegion, LinkPairs, Robot};
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// A class of pairs of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// One link's rigid group is the nearest ancestor group with triangles of the other's; the pair is not examined
    /// further.
    Adjacent,
    /// The links touch at a given pose that is expected to be free of contact, such as the zero pose.
    Default,
    /// Proved to touch for all joint values.
    Always,
    /// Proved to be farther apart than the margin for all joint values.
    Never,
    /// The links touch for some joint values, to within the rounding of poses (about 1e-11 m).
    Sometimes,
    /// Not decided.
    Unproved,
}

impl Class {
    /// All classes.
    pub const ALL: [Self; 6] =
        [Self::Adjacent, Self::Default, Self::Always, Self::Never, Self::Sometimes, Self::Unproved];

    /// The name of the class in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adjacent => "adjacent",
            Self::Default => "default",
            Self::Always => "always",
            Self::Never => "never",
            Self::Sometimes => "sometimes",
            Self::Unproved => "unproved",
        }
    }
}

/// Options of [`classify`].
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Distance up to which links count as touching, metres.
    pub margin_m: f64,
    /// Time limit for the proof of one pair, and for its free region.
    pub budget: Duration,
    /// Number of random configurations tried for each pair.
    pub samples: u32,
    /// Seed of the random configurations.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { margin_m: 0.0, budget: Duration::from_secs(2), samples: 10_000, seed: 0 }
    }
}

/// A pose that is expected to be free of contact.
#[derive(Clone, Debug)]
pub struct Pose {
    /// Its name in reasons.
    pub name: String,
    /// The value of each column, radians or metres; `None` selects the value of the zero pose: zero, or the middle of
    /// limits that exclude zero.
    pub values: Vec<Option<f64>>,
}

/// Random configurations of one pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// Number of configurations tried.
    pub tried: u32,
    /// Number of configurations in which the links touch.
    pub touching: u32,
}

impl Samples {
    /// The class according to the random configurations alone, as sampling tools report it: never, sometimes or always;
    /// `None` without configurations.
    pub fn class(self) -> Option<Class> {
        match self.touching {
            _ if self.tried == 0 => None,
            0 => Some(Class::Never),
            n if n == self.tried => Some(Class::Always),
            _ => Some(Class::Sometimes),
        }
    }
}

/// A pair of links with its class.
#[derive(Clone, Debug)]
pub struct ClassifiedPair {
    /// Indices in [`Robot::links`], ascending.
    pub links: [u32; 2],
    /// The class.
    pub class: Class,
    /// The reason in a few words.
    pub reason: String,
    /// Values of the columns on the pair's path for which the links touch: columns and values.
    pub witness: Vec<(u32, f64)>,
    /// The smallest distance seen, metres; zero if they touch, `None` if none was computed.
    pub smallest_distance_m: Option<f64>,
    /// The random configurations.
    pub samples: Samples,
    /// The columns on the pair's path, and the limits for which the class was determined; limits of `None` mean any
    /// value.
    pub columns: Vec<(u32, Option<[f64; 2]>)>,
    /// Values for which the links are proved to stay apart: for pairs that are neither never nor always in contact, and
    /// whose pose depends on up to [`FreeRegion::MAX_COLUMNS`] columns.
    pub free: Option<FreeRegion>,
}

impl ClassifiedPair {
    /// Values of all columns of the robot: those of the witness, and the zero pose for other columns.
    pub fn configuration(&self, robot: &Robot) -> Vec<f64> {
        let mut values = at_rest(robot);
        self.witness.iter().for_each(|&(column, value)| values[column as usize] = value);
        values
    }
}

/// The zero pose: zero, or the middle of the limits if they exclude zero.
fn at_rest(robot: &Robot) -> Vec<f64> {
    let values = robot.zero_configuration().into_iter().zip(&robot.columns);
    values
        .map(|(zero, column)| match column.limits {
            Some([lower, upper]) if !(lower..=upper).contains(&zero) => 0.5 * (lower + upper),
            _ => zero,
        })
        .collect()
}

/// Classifies all pairs of links that can move relative to each other, in the order of the links. `done` is called
/// after each pair.
///
/// # Errors
/// The margin is negative or not finite, a pose has a wrong number of values, the robot has more than
/// [`LinkPairs::MAX_LINKS`] links, or a coordinate is too far away.
pub fn classify(
    robot: &Robot,
    poses: &[Pose],
    options: &Options,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<ClassifiedPair>> {
    if !(options.margin_m >= 0.0 && options.margin_m.is_finite()) {
        return Err(Error::usage("the margin is negative or not finite"));
    }
    if poses.iter().any(|pose| pose.values.len() != robot.columns.len()) {
        return Err(Error::usage("a pose has the wrong number of values"));
    }
    if robot.links.len() > LinkPairs::MAX_LINKS {
        let message = format!(
            "the robot has {} links, but at most {} can be tested in pairs",
            robot.links.len(),
            LinkPairs::MAX_LINKS
        );
        return Err(Error::new(ErrorKind::Memory, message));
    }
    let shapes = shapes(robot)?;
    let classified = link_pairs(robot).into_par_iter().with_max_len(1).map(|pair| {
        let class = Examined { robot, shapes: &shapes, poses, options, pair }.classify();
        done();
        class
    });
    Ok(classified.collect())
}

/// Returns whether two links touch, to within rounding, for values of all columns.
///
/// # Errors
/// A coordinate is too far away, or the joints between the links are not supported.
pub fn touches(robot: &Robot, links: [u32; 2], values: &[f64], margin_m: f64) -> Result<bool> {
    let [a, b] = [Shape::new(robot, links[0])?, Shape::new(robot, links[1])?];
    let bodies = links.map(|l| robot.links[l as usize].body);
    let path = Path::new(robot, bodies, [a.reach_m, b.reach_m]).map_err(Error::usage)?;
    let q: Vec<f64> = path.columns.iter().map(|c| values[c.column as usize]).collect();
    let pair = Pair { a: &a, b: &b, path: &path, margin_m };
    Ok(pair.touches(&q))
}

/// The shapes of the links with triangles.
fn shapes(robot: &Robot) -> Result<Vec<Option<Shape>>> {
    let shape = |l: u32| {
        let has_triangles = !robot.links[l as usize].triangles.is_empty();
        has_triangles.then(|| Shape::new(robot, l)).transpose()
    };
    let shapes: Vec<_> = (0..robot.links.len() as u32).into_par_iter().map(shape).collect();
    shapes.into_iter().collect()
}

impl Pair<'_> {
    /// Returns whether the links touch, to within rounding, for values of the path's columns.
    fn touches(&self, q: &[f64]) -> bool {
        let placed = self.placed(q);
        let near = placed.nearest(self.margin_m + 4.0 * self.path.error_m);
        near.is_some_and(|near| placed.touches(near.pair, self.margin_m))
    }

    /// Returns whether the links are certainly farther apart than the margin for values of the path's columns.
    fn is_free(&self, q: &[f64]) -> bool {
        self.placed(q).obstacle(&Displacement::default(), self.margin_m).is_none()
    }
}

/// One pair and everything that its class depends on.
struct Examined<'a> {
    robot: &'a Robot,
    shapes: &'a [Option<Shape>],
    poses: &'a [Pose],
    options: &'a Options,
    pair: LinkPair,
}

/// Results of the random configurations of a pair.
struct Sampled {
    counts: Samples,
    /// The first configuration in which the links touch.
    touch: Option<Vec<f64>>,
    /// True if the links are certainly apart, with any distance, in one of the configurations.
    apart: bool,
    smallest_m: f64,
}

impl Examined<'_> {
    fn classify(&self) -> ClassifiedPair {
        let [a, b] = self.pair.links;
        let bodies = [a, b].map(|l| self.robot.links[l as usize].body);
        let (Some(of_a), Some(of_b)) = (&self.shapes[a as usize], &self.shapes[b as usize]) else {
            return self.result(Class::Never, "no triangles");
        };
        if self.pair.is_adjacent {
            return self.result(Class::Adjacent, "adjacent");
        }
        match Path::new(self.robot, bodies, [of_a.reach_m, of_b.reach_m]) {
            Err(reason) => self.result(Class::Unproved, &reason),
            Ok(path) => {
                let pair = Pair { a: of_a, b: of_b, path: &path, margin_m: self.options.margin_m };
                self.decide(&pair)
            }
        }
    }

    fn decide(&self, pair: &Pair) -> ClassifiedPair {
        let sampled = self.sample(pair);
        let mut smallest_m = sampled.smallest_m;
        let deadline = Instant::now() + self.options.budget;
        let meets = |pair: &Pair| {
            self.poses.iter().find_map(|pose| {
                let q = self.values(pair, pose);
                (!pair.is_free(&q)).then_some((q, &pose.name))
            })
        };
        // A pair that is only within the margin must stay in the tests, of which some have a smaller margin.
        let (default, near) = (meets(&Pair { margin_m: 0.0, ..*pair }), meets(pair));
        let touches = near.is_some() || sampled.touch.is_some();
        let is_always = touches && !sampled.apart && pair.always(deadline) == Found::Proved;
        let (class, reason, witness) = match (default, near, sampled.touch) {
            (Some((q, _)), ..) | (_, Some((q, _)), _) | (.., Some(q)) if is_always => {
                (Class::Always, "touch everywhere".into(), Some(q))
            }
            (Some((q, name)), ..) => (Class::Default, format!("touch at {name}"), Some(q)),
            (None, Some((q, name)), _) => (Class::Sometimes, format!("within the margin at {name}"), Some(q)),
            (None, None, Some(q)) => (Class::Sometimes, "touch in a random configuration".into(), Some(q)),
            (None, None, None) => self.search(pair, deadline, &mut smallest_m),
        };
        let smallest_m = if witness.is_some() { 0.0 } else { smallest_m };
        let is_open = matches!(class, Class::Default | Class::Sometimes | Class::Unproved);
        let free = is_open.then(|| pair.free_region(Instant::now() + self.options.budget)).flatten();
        let columns = &pair.path.columns;
        let with_values = |q: Vec<f64>| columns.iter().map(|c| c.column).zip(q).collect();
        ClassifiedPair {
            witness: witness.map_or(Vec::new(), with_values),
            smallest_distance_m: smallest_m.is_finite().then_some(smallest_m),
            samples: sampled.counts,
            columns: columns.iter().map(|c| (c.column, (!c.is_periodic).then_some(c.range))).collect(),
            free,
            ..self.result(class, &reason)
        }
    }

    fn search(&self, pair: &Pair, deadline: Instant, smallest_m: &mut f64) -> (Class, String, Option<Vec<f64>>) {
        let reason = match pair.never(deadline, smallest_m) {
            Found::Proved => return (Class::Never, "proved to be apart".into(), None),
            Found::Refuted(q) => return (Class::Sometimes, "touch in a rare configuration".into(), Some(q)),
            Found::Open(Unfinished::Time) => "not proved within the budget",
            Found::Open(Unfinished::Rounding) => "nearer to contact than rounding can decide",
        };
        (Class::Unproved, reason.into(), None)
    }

    fn sample(&self, pair: &Pair) -> Sampled {
        let [a, b] = self.pair.links.map(u64::from);
        let mut random = Random::new(self.options.seed ^ (a << 32 | b));
        let mut found = Sampled { counts: Samples::default(), touch: None, apart: false, smallest_m: f64::INFINITY };
        // The distance is below this limit for every contact, and for all links that are not certainly free.
        let least_m = pair.margin_m + 4.0 * pair.path.error_m;
        for _ in 0..self.options.samples {
            let q: Vec<f64> = pair.path.columns.iter().map(|c| random.within(c.range)).collect();
            let placed = pair.placed(&q);
            found.counts.tried += 1;
            let Some(near) = placed.nearest(found.smallest_m.max(least_m)) else {
                found.apart = true;
                continue;
            };
            found.apart |= near.distance_m > 4.0 * pair.path.error_m;
            if near.distance_m == 0.0 || placed.touches(near.pair, pair.margin_m) {
                found.counts.touching += 1;
                found.touch.get_or_insert(q);
                // The smallest distance is zero; only further contacts are counted.
                found.smallest_m = 0.0;
                continue;
            }
            found.smallest_m = found.smallest_m.min(near.distance_m);
        }
        found
    }

    /// The values of the path's columns in a pose.
    fn values(&self, pair: &Pair, pose: &Pose) -> Vec<f64> {
        let at_rest = at_rest(self.robot);
        let value = |column: usize| pose.values[column].unwrap_or(at_rest[column]);
        pair.path.columns.iter().map(|c| value(c.column as usize)).collect()
    }

    fn result(&self, class: Class, reason: &str) -> ClassifiedPair {
        ClassifiedPair {
            links: self.pair.links,
            class,
            reason: reason.into(),
            witness: Vec::new(),
            smallest_distance_m: None,
            samples: Samples::default(),
            columns: Vec::new(),
            free: None,
        }
    }
}
