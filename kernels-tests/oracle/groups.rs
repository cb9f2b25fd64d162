//! Links that are joined rigidly, neighbours among them, and the pairs of links to test, from the definitions:
//!
//! - A *group* is a set of links joined by fixed joints only. Its links are never tested against each other.
//! - A group is a *neighbour* of the nearest group above it that has geometry.

use super::fk::Robot;
use super::urdf::Kind;

/// The groups of a robot.
pub struct Groups {
    /// The uppermost link of each link's group, which represents the group.
    pub of: Vec<usize>,
    /// For each representative the representative of the nearest group above that has geometry.
    above: Vec<Option<usize>>,
}

impl Groups {
    /// The groups, given which links have geometry.
    pub fn new(robot: &Robot, has_geometry: &[bool]) -> Self {
        let links = 0..robot.links().len();
        let of: Vec<usize> = links.clone().map(|l| representative(robot, l)).collect();
        let is_solid = |group: usize| links.clone().any(|l| of[l] == group && has_geometry[l]);
        let parent = |group: usize| robot.joint_above(group).map(|j| of[j.parent]);
        let solid_above = |group: usize| std::iter::successors(parent(group), |g| parent(*g)).find(|g| is_solid(*g));
        let above = links.clone().map(|l| (of[l] == l).then(|| solid_above(l)).flatten()).collect();
        Self { of, above }
    }

    pub fn same(&self, a: usize, b: usize) -> bool {
        self.of[a] == self.of[b]
    }

    pub fn adjacent(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.of[a], self.of[b]);
        self.above[a] == Some(b) || self.above[b] == Some(a)
    }
}

/// The uppermost link that fixed joints join with `link`.
fn representative(robot: &Robot, link: usize) -> usize {
    match robot.joint_above(link) {
        Some(joint) if joint.kind == Kind::Fixed => representative(robot, joint.parent),
        _ => link,
    }
}

/// The pairs of links with geometry that are in different groups, the first of each pair before the second in the file;
/// with or without neighbours.
pub fn pairs(robot: &Robot, has_geometry: &[bool], with_neighbours: bool) -> Vec<(usize, usize)> {
    let groups = Groups::new(robot, has_geometry);
    let solid: Vec<usize> = (0..has_geometry.len()).filter(|l| has_geometry[*l]).collect();
    let later = |a: usize| solid.iter().copied().filter(move |b| *b > a);
    let all = solid.iter().flat_map(|&a| later(a).map(move |b| (a, b)));
    all.filter(|&(a, b)| !groups.same(a, b) && (with_neighbours || !groups.adjacent(a, b))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::urdf;
    use super::*;
    use std::path::Path;

    /// base - stand = rail ~ cart(empty) ~ arm - tool, and rail ~ other: `-` fixed, `~` moving, the base without shape.
    const TREE: &str = r#"<robot name="r">
      <link name="tool"/><link name="other"/><link name="arm"/><link name="cart"/><link name="rail"/>
      <link name="stand"/><link name="base"/>
      <joint name="a" type="fixed"><parent link="base"/><child link="stand"/></joint>
      <joint name="b" type="fixed"><parent link="stand"/><child link="rail"/></joint>
      <joint name="c" type="prismatic"><parent link="rail"/><child link="cart"/></joint>
      <joint name="d" type="revolute"><parent link="cart"/><child link="arm"/></joint>
      <joint name="e" type="fixed"><parent link="arm"/><child link="tool"/></joint>
      <joint name="f" type="floating"><parent link="rail"/><child link="other"/></joint></robot>"#;

    #[test]
    fn groups_and_neighbours_by_hand() {
        let robot = Robot::new(urdf::parse(TREE, Path::new(".")), [0.0; 6], false);
        let [tool, other, arm, cart, rail, stand, base] = [0, 1, 2, 3, 4, 5, 6];
        let mut solid = [true; 7];
        (solid[cart], solid[base]) = (false, false);
        let groups = Groups::new(&robot, &solid);
        assert_eq!(groups.of, [arm, other, arm, cart, base, base, base]);
        // The empty cart is skipped; the group of the base has shapes by its other links.
        assert!(groups.adjacent(tool, stand) && groups.adjacent(rail, arm) && groups.adjacent(base, other));
        assert!(!groups.adjacent(tool, other) && !groups.adjacent(tool, arm));
        assert_eq!(pairs(&robot, &solid, false), [(tool, other), (other, arm)]);
        let all = [(tool, other), (tool, rail), (tool, stand), (other, arm), (other, rail), (other, stand)];
        assert_eq!(pairs(&robot, &solid, true), [&all[..], &[(arm, rail), (arm, stand)]].concat());
        // Without shapes on the base's group, the two branches are not neighbours of anything.
        (solid[rail], solid[stand]) = (false, false);
        assert_eq!(pairs(&robot, &solid, false), [(tool, other), (other, arm)]);
        solid[cart] = true;
        assert_eq!(pairs(&robot, &solid, false), [(tool, other), (other, arm), (other, cart)]);
    }
}
