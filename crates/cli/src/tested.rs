//! Numbers of the pairs that a check tests and excludes.

use super::model::Unchecked;
use super::report::facts::count;
use firstcontact::engine::Stats;
use firstcontact::{LinkPairs, Obstacle, Robot, Scene, Untested};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashSet};

/// Numbers of the pairs that a check tests and excludes; for a set of problems, summed over the problems.
#[derive(Clone, Debug, Default)]
pub struct TestedPairs {
    /// Numbers of links and of objects that have triangles.
    sizes: [usize; 2],
    /// Tested pairs of a link and an object.
    link_scene: usize,
    /// Tested pairs of two links.
    link_link: usize,
    /// Those among them that are not tested for some joint values, because they are proved free there.
    partly_free: usize,
    /// Pairs that are not tested: two links for any reason, or a link and an object that may touch.
    disabled: BTreeMap<Untested, usize>,
    /// Pairs of a link and an object among them.
    disabled_link_scene: usize,
    /// The robots whose links are not tested against each other.
    unchecked: Option<Unchecked>,
}

impl TestedPairs {
    /// No pairs yet; `unchecked` lists the robots whose links are not tested against each other.
    pub fn new(unchecked: Option<Unchecked>) -> Self {
        Self { unchecked, ..Self::default() }
    }

    /// Adds the pairs of a robot in a scene; `allowed` pairs of a link and an object are not tested.
    pub fn add(&mut self, robot: &Robot, scene: &Scene, allowed: &[(u32, u32)], link_pairs: &LinkPairs) {
        // Links and objects without triangles have no pairs.
        let links: Vec<bool> = robot.links.iter().map(|link| !link.triangles.is_empty()).collect();
        let objects: Vec<bool> = scene.objects.iter().map(|object| object.n_triangles > 0).collect();
        let count = |are: &[bool]| are.iter().filter(|is| **is).count();
        let allowed: HashSet<&(u32, u32)> = allowed.iter().collect();
        let n_allowed = allowed.iter().filter(|(l, o)| links[*l as usize] && objects[*o as usize]).count();
        let [n_links, n_objects] = [count(&links), count(&objects)];
        self.sizes = [self.sizes[0] + n_links, self.sizes[1] + n_objects];
        self.link_scene += n_links * n_objects - n_allowed;
        self.disabled_link_scene += n_allowed;
        self.link_link += link_pairs.tested().len();
        self.partly_free += link_pairs.tested().iter().filter(|pair| link_pairs.free_region(**pair).is_some()).count();
        for reason in Untested::ALL {
            *self.disabled.entry(reason).or_default() += link_pairs.count(reason);
        }
        *self.disabled.entry(Untested::Allowed).or_default() += n_allowed;
    }

    /// The object `tested_pairs` of `stats.json`.
    pub fn to_json(&self) -> Value {
        let disabled: Map<String, Value> = self.disabled.iter().map(|(r, &n)| (r.name().into(), n.into())).collect();
        json!({
            "link_scene": self.link_scene,
            "link_link": self.link_link,
            "partly_free": self.partly_free,
            "disabled": disabled,
        })
    }

    /// The lines of the summary.
    pub fn lines(&self) -> Vec<String> {
        // Pairs of several robots and of attached objects are tested in any case.
        let tests_links = self.unchecked.is_none() || self.link_link > 0;
        let links = if tests_links { format!(" and {} of two links", self.link_link) } else { String::new() };
        let left_out = left_out(self.disabled());
        let tested = format!("tested pairs: {} of link and object{links}{left_out}", self.link_scene);
        let unchecked = self.unchecked.as_ref().map(|Unchecked { robots, reason }| match &robots[..] {
            [] => format!("self-collision: not checked ({reason})"),
            robots => format!("self-collision of {}: not checked ({reason})", robots.join(", ")),
        });
        let partly_free = (self.partly_free > 0).then(|| {
            format!("{} of links not tested where joint values are proved free", count(self.partly_free, "pair"))
        });
        std::iter::once(tested).chain(partly_free).chain(unchecked).collect()
    }

    /// Sentences about all pairs of one robot in one scene for a page.
    pub fn all_sentences(&self) -> Vec<String> {
        let [links, objects] = self.sizes;
        let (links, objects) = (count(links, "link"), count(objects, "object"));
        let tested = format!("{links} against {objects}: {}.", count(self.link_scene, "pair"));
        let n = self.disabled_link_scene;
        let left_out = (n > 0).then(|| format!("{} left out (allowed).", count(n, "pair")));
        std::iter::once(tested).chain(left_out).chain(self.sentences()).collect()
    }

    /// Sentences about the pairs of links for a page.
    pub fn sentences(&self) -> Vec<String> {
        let of_links = |(reason, n): (Untested, usize)| match reason {
            Untested::Allowed => (reason, n - self.disabled_link_scene),
            _ => (reason, n),
        };
        let left_out = self.disabled().map(of_links).filter(|(_, n)| *n > 0);
        let left_out =
            left_out.map(|(reason, n)| format!("{} of links left out ({}).", count(n, "pair"), in_words(reason)));
        let unchecked = self.unchecked.as_ref().map(|Unchecked { robots, reason }| {
            let of = if robots.is_empty() { "the robot".into() } else { robots.join(", ") };
            format!("Links of {of} were not tested against each other ({reason}).")
        });
        let tested = match (&unchecked, self.link_link) {
            (None, n) => Some(format!("Links of the robot against each other: {}.", count(n, "pair"))),
            (Some(_), 0) => None,
            (Some(_), n) => Some(format!("Links of different robots and attached objects: {}.", count(n, "pair"))),
        };
        let partly_free = (self.partly_free > 0).then(|| {
            format!("{} of links not tested where joint values are proved free.", count(self.partly_free, "pair"))
        });
        tested.into_iter().chain(partly_free).chain(left_out).chain(unchecked).collect()
    }

    fn disabled(&self) -> impl Iterator<Item = (Untested, usize)> + '_ {
        self.disabled.iter().map(|(&reason, &n)| (reason, n))
    }
}

/// Sentences about the pairs that a check ignored because they touch at the start.
pub fn ignored(stats: &Stats) -> Vec<String> {
    let n_objects = stats.ignored.keys().filter(|(_, obstacle)| matches!(obstacle, Obstacle::Object(_))).count();
    let kinds = [(n_objects, "link and object"), (stats.ignored.len() - n_objects, "links")];
    let kinds = kinds.into_iter().filter(|(n, _)| *n > 0);
    let said = kinds.map(|(n, of)| {
        let pairs = count(n, "pair");
        format!("{pairs} of {of} touch at the start and were ignored in those motions (--initial ignore).")
    });
    said.collect()
}

/// The line of a summary about `n` pairs that were ignored because they touch at the start.
pub fn ignored_line(n: usize) -> String {
    let pairs = count(n, "pair");
    format!("{pairs} of a link and an object or link touch at the start of some motion and were ignored there")
}

/// Numbers of pairs by reason, to end a line; empty if there are none.
pub fn left_out(disabled: impl IntoIterator<Item = (Untested, usize)>) -> String {
    let present = disabled.into_iter().filter(|(_, n)| *n > 0);
    let listed: Vec<String> = present.map(|(reason, n)| format!("{n} {}", in_words(reason))).collect();
    if listed.is_empty() { String::new() } else { format!("; left out: {}", listed.join(", ")) }
}

/// A reason in words, after a number of pairs.
pub fn in_words(reason: Untested) -> &'static str {
    match reason {
        Untested::Adjacent => "adjacent",
        Untested::Srdf => "by the SRDF",
        Untested::Allowed => "allowed",
        Untested::Proved => "proved free",
        Untested::TouchLink => "touch links",
        Untested::AtRest => "at rest to each other",
        _ => reason.name(),
    }
}
