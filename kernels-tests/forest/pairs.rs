//! Pairs of links of several robots.

use super::arms::{arm, bar, post};
use firstcontact::{LinkPairs, Robot, Untested};
use glam::DVec3;

/// The names of pairs.
fn named(robot: &Robot, pairs: &LinkPairs) -> Vec<[String; 2]> {
    pairs.tested().iter().map(|pair| pair.map(|link| robot.links[link as usize].name.clone())).collect()
}

#[test]
fn pairs_of_different_robots_are_tested() {
    let robots = [bar(DVec3::ZERO, 0.0), post(DVec3::X), bar(DVec3::Y, 0.0)];
    let names = ["a", "post", "b"].map(String::from);
    let joined = Robot::join(names.into_iter().zip(robots)).unwrap();
    let pairs = LinkPairs::of_robots(&joined, &[LinkPairs::none(), LinkPairs::none(), LinkPairs::none()]).unwrap();
    // Of two links on fixed bases neither moves, but each base is tested against the moving links of the others.
    let expected = [
        ["a/base", "b/bar"],
        ["a/bar", "post/base"],
        ["a/bar", "post/post"],
        ["a/bar", "b/base"],
        ["a/bar", "b/bar"],
        ["post/base", "b/bar"],
        ["post/post", "b/bar"],
    ];
    assert_eq!(named(&joined, &pairs), expected);
    // Each of the bases with those of the other robots, of which the post has two links.
    assert_eq!(pairs.count(Untested::AtRest), 1 + 2 + 2);
    // The nearest ancestor with triangles of a/bar is not the base of another robot, which only a whole tree suggests.
    assert!(LinkPairs::all_but_adjacent(&joined).tested().len() < pairs.tested().len());
}

#[test]
fn each_robot_keeps_its_own_pairs() {
    let robots = [arm(DVec3::ZERO, 0.0), bar(DVec3::X, 0.0), arm(DVec3::Y, 0.0)];
    let mut own = [LinkPairs::all_but_adjacent(&robots[0]), LinkPairs::none(), LinkPairs::all(&robots[2])];
    own[2].disable([[1, 3]], Untested::Srdf);
    let n_links = robots.each_ref().map(|robot| robot.links.len() as u32);
    let names = ["a", "b", "c"].map(String::from);
    let joined = Robot::join(names.into_iter().zip(robots)).unwrap();
    let pairs = LinkPairs::of_robots(&joined, &own).unwrap();
    let first = [0, n_links[0], n_links[0] + n_links[1]];
    for (number, own) in own.iter().enumerate() {
        let within =
            |pair: &&[u32; 2]| pair.iter().all(|&l| (first[number]..first[number] + n_links[number]).contains(&l));
        let kept: Vec<_> = pairs.tested().iter().filter(within).map(|pair| pair.map(|l| l - first[number])).collect();
        assert_eq!(kept, own.tested());
    }
    assert_eq!(pairs.count(Untested::Srdf), 1);
    assert_eq!(pairs.count(Untested::Adjacent), own[0].count(Untested::Adjacent));
    assert!(pairs.untested().any(|(pair, reason)| (pair, reason) == ([first[2] + 1, first[2] + 3], Untested::Srdf)));
    // All pairs of different robots but those of two bases.
    let n_cross = n_links[0] * n_links[1] + n_links[0] * n_links[2] + n_links[1] * n_links[2] - 3;
    let n_own: usize = own.iter().map(|own| own.tested().len()).sum();
    assert_eq!(pairs.tested().len(), n_cross as usize + n_own);
    assert!(pairs.tested().is_sorted());
}

#[test]
fn pairs_of_other_robots_are_refused() {
    let joined = Robot::join([("a".into(), bar(DVec3::ZERO, 0.0)), ("b".into(), arm(DVec3::X, 0.0))]).unwrap();
    let of = |robot: &Robot| LinkPairs::all(robot);
    let (one, other) = (of(&bar(DVec3::ZERO, 0.0)), of(&arm(DVec3::X, 0.0)));
    assert!(LinkPairs::of_robots(&joined, &[one.clone(), other.clone()]).is_ok());
    let exchanged = LinkPairs::of_robots(&joined, &[other, one.clone()]).unwrap_err().to_string();
    assert!(exchanged.contains("'a/base'"), "{exchanged}");
    let few = LinkPairs::of_robots(&joined, &[one]).unwrap_err().to_string();
    assert!(few.contains("1 robots were given, but 2 robots"), "{few}");
}
