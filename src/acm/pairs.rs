//! The pairs of links that can move against each other.

use crate::robot::{JointKind, Robot};

/// Two links of different rigid groups, both with triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkPair {
    /// Indices in [`Robot::links`], ascending.
    pub links: [u32; 2],
    /// One group is the nearest ancestor with triangles of the other.
    pub is_adjacent: bool,
}

/// All pairs of links with triangles that are not connected by fixed joints alone, in order.
pub fn link_pairs(robot: &Robot) -> Vec<LinkPair> {
    let groups = groups(robot);
    let group = |link: u32| groups[robot.links[link as usize].body as usize];
    let mut has_triangles = vec![false; robot.bodies.len()];
    let links: Vec<u32> =
        (0..robot.links.len() as u32).filter(|&l| !robot.links[l as usize].triangles.is_empty()).collect();
    links.iter().for_each(|&l| has_triangles[group(l) as usize] = true);
    let above: Vec<Option<u32>> = (0..robot.bodies.len() as u32)
        .map(|body| {
            let parent = |body: &u32| robot.bodies[*body as usize].parent.map(|p| groups[p as usize]);
            std::iter::successors(parent(&body), parent).find(|&g| has_triangles[g as usize])
        })
        .collect();
    let pair = |&a: &u32, &b: &u32| {
        let (of_a, of_b) = (group(a), group(b));
        let is_adjacent = above[of_a as usize] == Some(of_b) || above[of_b as usize] == Some(of_a);
        (of_a != of_b).then_some(LinkPair { links: [a, b], is_adjacent })
    };
    links.iter().enumerate().flat_map(|(i, a)| links[i + 1..].iter().filter_map(move |b| pair(a, b))).collect()
}

/// The rigid group of each body, named by its body nearest to the root.
fn groups(robot: &Robot) -> Vec<u32> {
    let mut groups: Vec<u32> = Vec::with_capacity(robot.bodies.len());
    for (i, body) in (0..).zip(&robot.bodies) {
        let joined = body.parent.filter(|_| body.joint.kind == JointKind::Fixed);
        groups.push(joined.map_or(i, |parent| groups[parent as usize]));
    }
    groups
}
