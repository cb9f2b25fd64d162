//! Pairs of links of real robots, against an independent walk over the URDF's joints.

use super::real::{ROBOTS, robot};
use crate::oracle::data;
use crate::oracle::urdf::{self, Kind, Urdf};
use firstcontact::formats::urdf::Geometry;
use firstcontact::{LinkPairs, Robot, Srdf, Untested};
use std::collections::BTreeSet;

type Names = BTreeSet<[String; 2]>;

/// The links above a link, nearest first, each with whether a moving joint is between the two.
fn above(urdf: &Urdf, link: usize) -> Vec<(usize, bool)> {
    let mut links = vec![(link, false)];
    while let Some(joint) = urdf.joints.iter().find(|j| j.child == links[links.len() - 1].0) {
        let moves = links[links.len() - 1].1 || joint.kind != Kind::Fixed;
        links.push((joint.parent, moves));
    }
    links
}

/// The uppermost link that moves with a link.
fn rigid(urdf: &Urdf, link: usize) -> usize {
    above(urdf, link).iter().take_while(|(_, moves)| !moves).last().unwrap().0
}

/// The pairs of links with shapes in different rigid groups, and those of them that are adjacent.
fn expected(urdf: &Urdf) -> [Names; 2] {
    let shaped: Vec<usize> = (0..urdf.links.len())
        .filter(|&l| !urdf.links[l].collision.is_empty() || !urdf.links[l].visual.is_empty())
        .collect();
    let groups: BTreeSet<usize> = shaped.iter().map(|&l| rigid(urdf, l)).collect();
    let nearest = |link: usize| {
        let own = rigid(urdf, link);
        above(urdf, link).into_iter().map(|(l, _)| rigid(urdf, l)).find(|g| *g != own && groups.contains(g))
    };
    let (mut all, mut adjacent) = (Names::new(), Names::new());
    for &a in &shaped {
        for &b in shaped.iter().filter(|&&b| b > a && rigid(urdf, a) != rigid(urdf, b)) {
            let names = [a, b].map(|l| urdf.links[l].name.clone());
            if nearest(a) == Some(rigid(urdf, b)) || nearest(b) == Some(rigid(urdf, a)) {
                adjacent.insert(names.clone());
            }
            all.insert(names);
        }
    }
    [all, adjacent]
}

fn names(robot: &Robot, pairs: impl IntoIterator<Item = [u32; 2]>) -> Names {
    pairs.into_iter().map(|pair| pair.map(|l| robot.links[l as usize].name.clone())).collect()
}

#[test]
fn pairs_of_real_robots_are_those_of_their_joints() {
    let Some(data) = data::root() else { return };
    for (folder, file, _) in ROBOTS {
        let path = data.join(folder).join(file);
        let (robot, [all, adjacent]) = (robot(&path, Geometry::Auto), expected(&urdf::read(&path)));
        assert_eq!(names(&robot, LinkPairs::all(&robot).tested().iter().copied()), all, "{folder}");
        let pairs = LinkPairs::all_but_adjacent(&robot);
        assert_eq!(names(&robot, pairs.untested().map(|(pair, _)| pair)), adjacent, "{folder}");
        let tested = names(&robot, pairs.tested().iter().copied());
        assert_eq!(tested, all.difference(&adjacent).cloned().collect(), "{folder}");
        assert_eq!(pairs.tested().len(), tested.len());
        println!("{folder}: {} pairs, {} adjacent", all.len(), adjacent.len());
    }
}

/// An SRDF that disables the adjacent pairs and one hand-made default gives the same pairs as a filter of the names.
#[test]
fn an_srdf_of_a_real_robot_is_applied_by_name() {
    let Some(data) = data::root() else { return };
    for (folder, file, _) in ROBOTS {
        let path = data.join(folder).join(file);
        let (robot, [all, adjacent]) = (robot(&path, Geometry::Auto), expected(&urdf::read(&path)));
        let disable =
            |[a, b]: &[String; 2]| format!("<disable_collisions link1=\"{b}\" link2=\"{a}\" reason=\"A\"/>\n");
        let default = &robot.links[robot.links.len() / 2].name;
        let kept = all.iter().find(|pair| pair.contains(default) && !adjacent.contains(*pair)).unwrap();
        let text = format!(
            "<robot name=\"{}\">\n{}<disable_default_collisions link=\"{default}\"/>\n\
             <enable_collisions link1=\"{}\" link2=\"{}\"/></robot>",
            robot.name,
            adjacent.iter().map(disable).collect::<String>(),
            kept[0],
            kept[1],
        );
        let srdf = Srdf::parse(&text).unwrap();
        let pairs = srdf.link_pairs(&robot).unwrap_or_else(|e| panic!("{folder}: {e}"));
        let is_tested = |pair: &&[String; 2]| !adjacent.contains(*pair) && (!pair.contains(default) || *pair == kept);
        assert_eq!(names(&robot, pairs.tested().iter().copied()), all.iter().filter(is_tested).cloned().collect());
        assert_eq!(pairs.count(Untested::Srdf) + pairs.tested().len(), all.len(), "{folder}");
        assert!(srdf.warnings(&robot).is_empty(), "{folder}");
    }
}
