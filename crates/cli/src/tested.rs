//! Numbers of the pairs that a check tests and excludes.

use super::model::Unchecked;
use super::report::facts::count;
use firstcontact::{LinkPairs, Robot, Scene, Untested};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashSet};

/// Numbers of the pairs that a check tests and excludes; for a set of problems, summed over the problems.
#[derive(Clone, Debug, Default)]
pub struct TestedPairs {
    /// Tested pairs of a link and an object.
    link_scene: usize,
    /// Tested pairs of two links.
    link_link: usize,
    /// Pairs that are not tested: two links by any reason, or a link and an object by `--allow`.
    disabled: BTreeMap<Untested, usize>,
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
        self.link_scene += count(&links) * count(&objects) - n_allowed;
        self.link_link += link_pairs.tested().len();
        for reason in Untested::ALL {
            *self.disabled.entry(reason).or_default() += link_pairs.count(reason);
        }
        *self.disabled.entry(Untested::Allowed).or_default() += n_allowed;
    }

    /// The object `tested_pairs` of `stats.json`.
    pub fn to_json(&self) -> Value {
        let disabled: Map<String, Value> = self.disabled.iter().map(|(r, &n)| (r.name().into(), n.into())).collect();
        json!({ "link_scene": self.link_scene, "link_link": self.link_link, "disabled": disabled })
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
        std::iter::once(tested).chain(unchecked).collect()
    }

    /// Sentences about the pairs of links for a page.
    pub fn sentences(&self) -> Vec<String> {
        let unchecked = self.unchecked.as_ref().map(|Unchecked { robots, reason }| {
            let of = if robots.is_empty() { "the robot".into() } else { robots.join(", ") };
            format!("Links of {of} were not tested against each other ({reason}).")
        });
        if let (Some(sentence), 0) = (&unchecked, self.link_link) {
            return vec![sentence.clone()];
        }
        let left_out = self.disabled().filter(|&(reason, n)| n > 0 && reason != Untested::Allowed);
        let left_out =
            left_out.map(|(reason, n)| format!("{} of links left out ({}).", count(n, "pair"), in_words(reason)));
        let tested = match unchecked {
            None => format!("Links of the robot against each other: {}.", count(self.link_link, "pair")),
            Some(_) => {
                format!("Links of different robots and attached objects: {}.", count(self.link_link, "pair"))
            }
        };
        std::iter::once(tested).chain(left_out).chain(unchecked).collect()
    }

    fn disabled(&self) -> impl Iterator<Item = (Untested, usize)> + '_ {
        self.disabled.iter().map(|(&reason, &n)| (reason, n))
    }
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
        Untested::Allowed => "by --allow",
        Untested::Proved => "proved free",
        Untested::TouchLink => "touch links",
        Untested::AtRest => "at rest to each other",
        _ => reason.name(),
    }
}
