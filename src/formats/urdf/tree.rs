//! Checks that links and joints form one tree, and orders them so that parents precede their children.

use super::document::Document;
use crate::error::{Error, Result, quoted};
use std::collections::{HashMap, VecDeque};

/// The tree as indices of links and joints in the order of the file.
pub(super) struct Order {
    pub root: usize,
    /// Every joint once, parents first.
    pub steps: Vec<Step>,
}

#[derive(Clone, Copy)]
pub(super) struct Step {
    pub joint: usize,
    pub parent: usize,
    pub child: usize,
}

/// Checks the names and the tree.
pub(super) fn order(document: &Document) -> Result<Order> {
    let links = numbered("link", document.links.iter().map(|l| l.name.as_str()))?;
    numbered("joint", document.joints.iter().map(|j| j.name.as_str()))?;
    let mut above: Vec<Option<usize>> = vec![None; document.links.len()];
    let mut below: Vec<Vec<Step>> = vec![Vec::new(); document.links.len()];
    for (i, joint) in document.joints.iter().enumerate() {
        let here = |message: String| Error::input(message).at(format!("joint {}", quoted(&joint.name)));
        let find = |name: &str| {
            links.get(name).copied().ok_or_else(|| here(format!("the link {} does not exist", quoted(name))))
        };
        let (parent, child) = (find(&joint.parent)?, find(&joint.child)?);
        if let Some(other) = above[child].replace(i) {
            let other = quoted(&document.joints[other].name);
            return Err(here(format!("link {} has another parent, through joint {other}", quoted(&joint.child))));
        }
        below[parent].push(Step { joint: i, parent, child });
    }

    let roots: Vec<usize> = (0..above.len()).filter(|&l| above[l].is_none()).collect();
    let root = match roots[..] {
        [root] => root,
        [] if above.is_empty() => return Err(Error::input("it has no link")),
        [] => return Err(Error::input(format!("it has no root: {}", cycle(document, &above, &links, 0)))),
        [a, b, ..] => {
            let [a, b] = [a, b].map(|l| quoted(&document.links[l].name));
            return Err(Error::input(format!("it has {} roots, among them {a} and {b}", roots.len())));
        }
    };
    let mut steps = Vec::with_capacity(document.joints.len());
    let mut queue = VecDeque::from([root]);
    let mut is_reached = vec![false; above.len()];
    while let Some(link) = queue.pop_front() {
        is_reached[link] = true;
        steps.extend_from_slice(&below[link]);
        queue.extend(below[link].iter().map(|s| s.child));
    }
    match is_reached.iter().position(|r| !r) {
        Some(lost) => Err(Error::input(cycle(document, &above, &links, lost))),
        None => Ok(Order { root, steps }),
    }
}

/// Maps names to their indices; a duplicate is an error.
fn numbered<'a>(kind: &str, names: impl Iterator<Item = &'a str>) -> Result<HashMap<&'a str, usize>> {
    let mut numbers = HashMap::new();
    for (i, name) in names.enumerate() {
        if numbers.insert(name, i).is_some() {
            return Err(Error::input(format!("two {kind}s are called {}", quoted(name))));
        }
    }
    Ok(numbers)
}

/// Describes the cycle above a link that is not reachable from a root.
fn cycle(document: &Document, above: &[Option<usize>], links: &HashMap<&str, usize>, from: usize) -> String {
    let up = |l: usize| above[l].and_then(|j| links.get(document.joints[j].parent.as_str()).copied()).unwrap_or(l);
    // After as many steps as there are links, the walk is on the cycle.
    let on_it = (0..above.len()).fold(from, |l, _| up(l));
    let (a, b) = (quoted(&document.links[on_it].name), quoted(&document.links[up(on_it)].name));
    format!("its links form a cycle: {a} is a child of {b}, which descends from {a}")
}
