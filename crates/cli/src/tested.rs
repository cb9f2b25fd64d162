//! Numbers of the pairs that a check tests and leaves out.

use super::report::facts::count;
use firstcontact::{LinkPairs, Robot, Scene, Untested};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashSet};

/// Numbers of the pairs that a check tests and leaves out; of a set of problems, summed over the problems.
#[derive(Clone, Debug, Default)]
pub struct TestedPairs {
    /// Tested pairs of a link and an object.
    link_scene: usize,
    /// Tested pairs of two links.
    link_link: usize,
    /// Pairs that are not tested: two links by any reason, or a link and an object by `--allow`.
    disabled: BTreeMap<Untested, usize>,
    /// The reason why no pair of links is tested.
    unchecked: Option<&'static str>,
}

impl TestedPairs {
    /// No pairs yet; `unchecked` is the reason why no pair of links is tested, if none is.
    pub fn new(unchecked: Option<&'static str>) -> Self {
        Self { unchecked, ..Self::default() }
    }

    /// Adds the pairs of a robot in a scene, of which some pairs of a link and an object are allowed.
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
        let links = self.unchecked.map_or_else(|| format!(" and {} of two links", self.link_link), |_| String::new());
        let left_out = left_out(self.disabled());
        let tested = format!("tested pairs: {} of link and object{links}{left_out}", self.link_scene);
        let unchecked = self.unchecked.map(|reason| format!("self-collision: not checked ({reason})"));
        std::iter::once(tested).chain(unchecked).collect()
    }

    /// Sentences about the pairs of links for a page.
    pub fn sentences(&self) -> Vec<String> {
        if let Some(reason) = self.unchecked {
            return vec![format!("Links of the robot were not tested against each other ({reason}).")];
        }
        let left_out = self.disabled().filter(|&(reason, n)| n > 0 && reason != Untested::Allowed);
        let left_out =
            left_out.map(|(reason, n)| format!("{} of links left out ({}).", count(n, "pair"), in_words(reason)));
        let tested = format!("Links of the robot against each other: {}.", count(self.link_link, "pair"));
        std::iter::once(tested).chain(left_out).collect()
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
fn in_words(reason: Untested) -> &'static str {
    match reason {
        Untested::Adjacent => "adjacent",
        Untested::Srdf => "by the SRDF",
        Untested::Allowed => "by --allow",
        Untested::Proved => "proved free",
        _ => reason.name(),
    }
}
