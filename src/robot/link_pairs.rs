//! Pairs of links that are tested against each other, and the reasons why others are not.
//!
//! Links that are connected by fixed joints form a *rigid group*. They never move relative to each other, so their
//! pairs are neither tested nor counted. A group is *adjacent* to its nearest ancestor group that has triangles: groups
//! without triangles between the two are skipped, and siblings are not adjacent.

use super::{AttachedObject, FreeRegion, JointKind, Link, Robot};
use crate::error::{Error, ErrorKind, Result, quoted};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// The reason why a pair of links is not tested.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Untested {
    /// One link belongs to the nearest ancestor group with triangles of the other link's group.
    Adjacent,
    /// An SRDF disables the pair.
    Srdf,
    /// The caller allows contact of the pair.
    Allowed,
    /// A proof shows that the links never touch.
    Proved,
    /// An attached object may touch the link.
    TouchLink,
    /// The links belong to different robots and never move relative to each other.
    AtRest,
}

impl Untested {
    /// All reasons.
    pub const ALL: [Self; 6] = [Self::Adjacent, Self::Srdf, Self::Allowed, Self::Proved, Self::TouchLink, Self::AtRest];

    /// The name of the reason in statistics: `adjacent`, `srdf`, `allow`, `proved`, `touch_links` or `at_rest`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adjacent => "adjacent",
            Self::Srdf => "srdf",
            Self::Allowed => "allow",
            Self::Proved => "proved",
            Self::TouchLink => "touch_links",
            Self::AtRest => "at_rest",
        }
    }
}

/// The pairs of a robot's links that are tested against each other.
///
/// Links are indices into [`Robot::links`](crate::Robot::links). A pair has its lower link first, and lists of pairs
/// are sorted.
///
/// ```
/// use firstcontact::{LinkPairs, Robot, Untested};
///
/// # fn pairs(robot: &Robot) -> LinkPairs {
/// let mut pairs = LinkPairs::all_but_adjacent(robot);
/// pairs.disable([[0, 4]], Untested::Allowed);
/// # pairs
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkPairs {
    tested: Vec<[u32; 2]>,
    untested: BTreeMap<[u32; 2], Untested>,
    free_regions: BTreeMap<[u32; 2], Arc<FreeRegion>>,
}

impl LinkPairs {
    /// Maximum number of links with triangles for which readers and commands list pairs: their lists take up to 64 MiB.
    pub const MAX_LINKS: usize = 4096;

    /// No pair: links are tested against the scene alone.
    pub fn none() -> Self {
        Self::default()
    }

    /// All pairs of links with triangles that belong to different rigid groups.
    pub fn all(robot: &Robot) -> Self {
        Self::among(robot, &RigidGroups::new(robot))
    }

    /// All pairs but those of adjacent groups, which are left out as [`Untested::Adjacent`]. Attached objects are not
    /// adjacent to anything.
    pub fn all_but_adjacent(robot: &Robot) -> Self {
        let groups = RigidGroups::new(robot);
        let link = |i: u32| &robot.links[i as usize];
        let are_links = |pair: [u32; 2]| pair.iter().all(|&i| link(i).attached_to.is_none());
        let mut pairs = Self::among(robot, &groups);
        let are_adjacent = |pair: [u32; 2]| groups.are_adjacent(pair.map(|i| groups.of_body[link(i).body as usize]));
        let adjacent = pairs.tested.iter().filter(|pair| are_links(**pair) && are_adjacent(**pair));
        let adjacent: Vec<_> = adjacent.copied().collect();
        pairs.disable(adjacent, Untested::Adjacent);
        pairs
    }

    fn among(robot: &Robot, groups: &RigidGroups) -> Self {
        let links = (0..).zip(robot.links.iter()).filter(|(_, link)| !link.triangles.is_empty());
        let links: Vec<(u32, u32)> = links.map(|(i, link)| (i, groups.of_body[link.body as usize])).collect();
        let mut tested = Vec::with_capacity(links.len() * links.len().saturating_sub(1) / 2);
        for (i, &(a, of_a)) in links.iter().enumerate() {
            tested.extend(links[i + 1..].iter().filter(|(_, of_b)| *of_b != of_a).map(|&(b, _)| [a, b]));
        }
        Self { tested, ..Self::default() }
    }

    /// The pairs of several robots that are [joined](Robot::join). `own` contains the pairs of each robot, in the order
    /// of the robots, with the links' indices in that robot; between different robots, all pairs that move relative to
    /// each other are added. The others are left out as [`Untested::AtRest`]. The columns of free regions become those
    /// of the joined robot.
    ///
    /// # Errors
    /// `own` does not have one element for each robot, an element has pairs that are not links of its robot, or there
    /// are more than [`LinkPairs::MAX_LINKS`] links.
    pub fn of_robots(joined: &Robot, own: &[Self]) -> Result<Self> {
        let roots = joined.roots();
        if own.len() != roots.len() {
            let message = format!("pairs of {} robots were given, but {} robots were joined", own.len(), roots.len());
            return Err(Error::usage(message).remedy("give one set of pairs for each robot that was joined"));
        }
        if joined.links.len() > Self::MAX_LINKS {
            let message = format!(
                "the robot has {} links, but at most {} can be tested in pairs",
                joined.links.len(),
                Self::MAX_LINKS
            );
            return Err(Error::new(ErrorKind::Memory, message));
        }
        let robot_of = |link: u32| robot_of(&roots, &joined.links[link as usize]);
        let groups = RigidGroups::new(joined);
        let mut pairs = Self::among(joined, &groups);
        pairs.tested.retain(|pair| robot_of(pair[0]) != robot_of(pair[1]));
        let is_at_rest = |link: &u32| {
            let link = &joined.links[*link as usize];
            groups.of_body[link.body as usize] == 0 && !link.triangles.is_empty()
        };
        let at_rest: Vec<u32> = (0..joined.links.len() as u32).filter(is_at_rest).collect();
        for (i, &a) in at_rest.iter().enumerate() {
            let others = at_rest[i + 1..].iter().filter(|&&b| robot_of(a) != robot_of(b));
            pairs.untested.extend(others.map(|&b| ([a, b], Untested::AtRest)));
        }
        let mut first = 0;
        for (number, own) in (1..).zip(own) {
            let n_links =
                (first..joined.links.len() as u32).take_while(|&link| robot_of(link) == number).count() as u32;
            let mapped = |pair: [u32; 2]| pair.map(|link| link + first);
            if own.tested.iter().chain(own.untested.keys()).any(|pair| pair[1] >= n_links) {
                let root = &joined.bodies[roots[number - 1] as usize].name;
                let message =
                    format!("the pairs contain a link that the robot with the root {} does not have", quoted(root));
                return Err(Error::usage(message).remedy("make them from this robot before it is joined"));
            }
            pairs.tested.extend(own.tested.iter().copied().map(mapped));
            pairs.untested.extend(own.untested.iter().map(|(&pair, &reason)| (mapped(pair), reason)));
            let first_column = first_column(joined, roots[number - 1]..roots.get(number).copied().unwrap_or(u32::MAX));
            let with_columns = |region: &Arc<FreeRegion>| region.as_ref().clone().with_first_column(first_column);
            let regions = own.free_regions.iter().map(|(&pair, of)| (mapped(pair), Arc::new(with_columns(of))));
            pairs.free_regions.extend(regions);
            first += n_links;
        }
        pairs.tested.sort_unstable();
        Ok(pairs)
    }

    /// Adds the pairs of objects that [are attached](Robot::attach) to a robot: each object is paired with all links
    /// and other attached objects that move relative to it, except those that it may touch.
    ///
    /// # Errors
    /// The robot lacks an object, or a link that an object may touch.
    pub fn add_attached(&mut self, robot: &Robot, objects: &[AttachedObject]) -> Result<()> {
        let mut touching = Vec::new();
        for object in objects {
            let refuse = |what: String, remedy: &str| {
                Err(Error::input(what).at(format!("attached object {}", quoted(&object.name))).remedy(remedy))
            };
            let index = |name: &str| robot.links.iter().position(|link| link.name == name).map(|i| i as u32);
            let Some(own) = index(&object.name).filter(|&i| robot.links[i as usize].attached_to.is_some()) else {
                return refuse("it is not attached to the robot".into(), "attach it first");
            };
            if let Some(unknown) = object.touch_links.iter().find(|name| !robot.has_link(name)) {
                let what = format!("the robot {} has no link {} to touch", quoted(&robot.name), quoted(unknown));
                return refuse(what, "correct the name in touch_links, or remove it");
            }
            self.add_all_of(robot, own);
            touching.extend(object.touch_links.iter().filter_map(|name| Some([own, index(name)?])));
        }
        self.tested.sort_unstable();
        self.tested.dedup();
        self.disable(touching, Untested::TouchLink);
        Ok(())
    }

    /// Adds the pairs of a link with all others that move relative to it; the list is unsorted afterwards.
    fn add_all_of(&mut self, robot: &Robot, link: u32) {
        let (groups, roots) = (RigidGroups::new(robot), robot.roots());
        let group = |link: u32| groups.of_body[robot.links[link as usize].body as usize];
        let robot_of = |link: u32| robot_of(&roots, &robot.links[link as usize]);
        let at_rest = (0..robot.links.len() as u32).filter(|&other| {
            let is_solid = !robot.links[other as usize].triangles.is_empty();
            group(other) == group(link) && robot_of(other) != robot_of(link) && is_solid
        });
        let at_rest = at_rest.map(|other| ([link.min(other), link.max(other)], Untested::AtRest));
        self.untested.extend(at_rest);
        let others = (0..robot.links.len() as u32)
            .filter(|&other| group(other) != group(link) && !robot.links[other as usize].triangles.is_empty());
        let pairs = others.map(|other| [link.min(other), link.max(other)]);
        let untested = &self.untested;
        self.tested.extend(pairs.filter(|pair| !untested.contains_key(pair)));
    }

    /// Excludes pairs; the two links of a pair may be in either order. Pairs that are already excluded keep their
    /// reason.
    pub fn disable(&mut self, pairs: impl IntoIterator<Item = [u32; 2]>, reason: Untested) {
        let pairs: HashSet<[u32; 2]> = pairs.into_iter().map(|[a, b]| [a.min(b), a.max(b)]).collect();
        let untested = &mut self.untested;
        self.tested.retain(|pair| {
            let stays = !pairs.contains(pair);
            if !stays {
                untested.insert(*pair, reason);
            }
            stays
        });
    }

    /// Leaves a pair untested while a motion stays in a region of joint values in which the links are proved to be
    /// apart. The columns of the region are those of the robot. The two links may be in either order.
    ///
    /// The region is used by searches whose margin is not larger than that of the region.
    pub fn set_free_region(&mut self, [a, b]: [u32; 2], region: FreeRegion) {
        self.free_regions.insert([a.min(b), a.max(b)], Arc::new(region));
    }

    /// Removes the regions that do not hold for a margin, metres: searches with it do not use them.
    pub fn remove_free_regions_below(&mut self, margin_m: f64) {
        self.free_regions.retain(|_, region| region.margin_m() >= margin_m);
    }

    /// The region of joint values in which a pair is left untested; the two links may be in either order.
    pub fn free_region(&self, [a, b]: [u32; 2]) -> Option<&Arc<FreeRegion>> {
        self.free_regions.get(&[a.min(b), a.max(b)])
    }

    /// The pairs that are tested.
    pub fn tested(&self) -> &[[u32; 2]] {
        &self.tested
    }

    /// The pairs that are not tested, with the first reason that was given for each. Pairs within a rigid group, of
    /// links without triangles, and of a robot without self-collision checks are not included.
    pub fn untested(&self) -> impl Iterator<Item = ([u32; 2], Untested)> + '_ {
        self.untested.iter().map(|(&pair, &reason)| (pair, reason))
    }

    /// Number of pairs that are not tested for a reason.
    pub fn count(&self, reason: Untested) -> usize {
        self.untested.values().filter(|&&of_pair| of_pair == reason).count()
    }

    /// Returns whether every tested pair consists of two different links of a robot, both with triangles, and all free
    /// regions are about its columns.
    pub(crate) fn suit(&self, robot: &Robot) -> bool {
        let has_triangles = |link: u32| robot.links.get(link as usize).is_some_and(|l| !l.triangles.is_empty());
        let mut columns = self.free_regions.values().flat_map(|region| region.columns());
        self.tested.iter().all(|&[a, b]| a != b && has_triangles(a) && has_triangles(b))
            && columns.all(|of| (of.column as usize) < robot.columns.len())
    }
}

/// The first of the columns that drive some bodies of a robot.
fn first_column(robot: &Robot, bodies: Range<u32>) -> u32 {
    let joints = robot.bodies.iter().zip(0..).filter(|(_, i)| bodies.contains(i)).map(|(body, _)| body.joint.kind);
    let column = |kind: JointKind| match kind {
        JointKind::Fixed => None,
        JointKind::Revolute { drive, .. } | JointKind::Prismatic { drive, .. } => Some(drive.column),
        JointKind::Free { first_column } => Some(first_column),
    };
    joints.filter_map(column).min().unwrap_or(0)
}

/// The number of the robot with a link, from 1: robots are stored one after the other, so the last root before a body
/// is that of its robot.
fn robot_of(roots: &[u32], link: &Link) -> usize {
    roots.partition_point(|&root| root <= link.body)
}

/// The rigid groups of a robot. A group is identified by its body nearest to the root.
struct RigidGroups {
    /// The group of each body.
    of_body: Vec<u32>,
    /// For each body that identifies a group, the nearest ancestor group that has triangles.
    above: Vec<Option<u32>>,
}

impl RigidGroups {
    fn new(robot: &Robot) -> Self {
        let mut of_body: Vec<u32> = Vec::with_capacity(robot.bodies.len());
        for (i, body) in (0..).zip(&robot.bodies) {
            let joined = body.parent.filter(|_| body.joint.kind == JointKind::Fixed);
            of_body.push(joined.map_or(i, |parent| of_body[parent as usize]));
        }
        let mut has_triangles = vec![false; of_body.len()];
        for link in robot.links.iter().filter(|link| !link.triangles.is_empty()) {
            has_triangles[of_body[link.body as usize] as usize] = true;
        }
        // Parents precede their children.
        let mut above: Vec<Option<u32>> = Vec::with_capacity(of_body.len());
        for body in &robot.bodies {
            let parent = body.parent.map(|parent| of_body[parent as usize]);
            above.push(parent.and_then(|p| if has_triangles[p as usize] { Some(p) } else { above[p as usize] }));
        }
        Self { of_body, above }
    }

    fn are_adjacent(&self, [a, b]: [u32; 2]) -> bool {
        self.above[a as usize] == Some(b) || self.above[b as usize] == Some(a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::{Drive, Joint};
    use glam::{DMat3, DVec3};

    /// A robot whose body 0 is the root. `bodies` has the parent of each body `i + 1` and whether it moves; `links` has
    /// the body of each link and whether it has a triangle.
    fn robot(bodies: &[(u32, bool)], links: &[(u32, bool)]) -> Robot {
        let mut robot = Robot::new("r", "root", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        for (i, &(parent, moves)) in bodies.iter().enumerate() {
            let turn = JointKind::Revolute { axis: DVec3::Z, drive: Drive::direct(robot.columns.len() as u32) };
            let kind = if moves { turn } else { JointKind::Fixed };
            if moves {
                robot.add_column(format!("j{i}"), crate::ColumnKind::AngleRad, None);
            }
            let joint = Joint { name: format!("j{i}"), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
            robot.add_body(format!("b{i}"), Some(parent), joint).unwrap();
        }
        for (i, &(body, has_triangles)) in links.iter().enumerate() {
            let triangles = if has_triangles { vec![[DVec3::ZERO, DVec3::X, DVec3::Y]] } else { Vec::new() };
            robot.add_link(format!("l{i}"), body, triangles, vec![0]).unwrap();
        }
        robot
    }

    /// One link with a triangle for each body.
    fn one_link_each(bodies: &[(u32, bool)]) -> Robot {
        let links: Vec<(u32, bool)> = (0..=bodies.len() as u32).map(|body| (body, true)).collect();
        robot(bodies, &links)
    }

    fn adjacent(robot: &Robot) -> Vec<[u32; 2]> {
        let pairs = LinkPairs::all_but_adjacent(robot);
        assert!(pairs.untested().all(|(_, reason)| reason == Untested::Adjacent) && pairs.suit(robot));
        assert_eq!(pairs.tested().len() + pairs.count(Untested::Adjacent), LinkPairs::all(robot).tested().len());
        pairs.untested().map(|(pair, _)| pair).collect()
    }

    const CHAIN: [(u32, bool); 3] = [(0, true), (1, true), (2, true)];

    #[test]
    fn neighbours_in_a_chain_are_adjacent() {
        let robot = one_link_each(&CHAIN);
        assert_eq!(adjacent(&robot), [[0, 1], [1, 2], [2, 3]]);
        assert_eq!(LinkPairs::all_but_adjacent(&robot).tested(), [[0, 2], [0, 3], [1, 3]]);
        assert_eq!(LinkPairs::all(&robot).tested(), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    }

    #[test]
    fn links_without_triangles_are_skipped() {
        // Body 1 has no link, and body 2 has one without triangles.
        let without = robot(&CHAIN, &[(0, true), (2, false), (3, true)]);
        assert_eq!(adjacent(&without), [[0, 2]]);
        assert!(LinkPairs::all_but_adjacent(&without).tested().is_empty());
        // The root has no triangles: nothing above the first link is adjacent to it.
        assert_eq!(adjacent(&robot(&CHAIN, &[(1, true), (3, true)])), [[0, 1]]);
    }

    #[test]
    fn siblings_are_not_adjacent() {
        // Two arms on a base, with and without triangles.
        let arms = [(0, true), (1, true), (0, true), (3, true)];
        assert_eq!(adjacent(&one_link_each(&arms)), [[0, 1], [0, 3], [1, 2], [3, 4]]);
        let empty_base = robot(&arms, &[(1, true), (2, true), (3, true), (4, true)]);
        assert_eq!(adjacent(&empty_base), [[0, 1], [2, 3]]);
        assert_eq!(LinkPairs::all_but_adjacent(&empty_base).tested(), [[0, 2], [0, 3], [1, 2], [1, 3]]);
        // Grandchildren on a sibling without triangles are adjacent to the base, not to each other.
        let twigs = [(0, true), (1, true), (1, true)];
        assert_eq!(adjacent(&robot(&twigs, &[(0, true), (2, true), (3, true)])), [[0, 1], [0, 2]]);
    }

    #[test]
    fn fixed_joints_form_groups() {
        // Several links of one body, as fixed joints of a URDF produce them.
        let shared = robot(&CHAIN, &[(2, true), (0, true), (1, true), (1, true)]);
        assert_eq!(LinkPairs::all(&shared).tested(), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3]]);
        assert_eq!(adjacent(&shared), [[0, 2], [0, 3], [1, 2], [1, 3]]);
        // Bodies with fixed joints: 1 belongs to the root, 3 and 4 belong to 2.
        let fixed = one_link_each(&[(0, false), (1, true), (2, false), (3, false), (4, true)]);
        assert_eq!(LinkPairs::all(&fixed).tested().len(), 2 * 3 + 2 + 3);
        assert_eq!(adjacent(&fixed), [[0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 5], [3, 5], [4, 5]]);
        // A fixed body without triangles on a moving one without: both are skipped.
        let empty = robot(&[(0, true), (1, false), (2, true)], &[(0, true), (3, true)]);
        assert_eq!(adjacent(&empty), [[0, 1]]);
    }

    #[test]
    fn the_first_reason_is_kept() {
        let robot = one_link_each(&CHAIN);
        let mut pairs = LinkPairs::all_but_adjacent(&robot);
        pairs.disable([[3, 0], [1, 0], [0, 3], [2, 2], [0, 9]], Untested::Srdf);
        pairs.disable([[0, 3], [1, 3]], Untested::Allowed);
        assert_eq!(pairs.tested(), [[0, 2]]);
        assert_eq!(Untested::ALL.map(|reason| pairs.count(reason)), [3, 1, 1, 0, 0, 0]);
        let found: Vec<_> = pairs.untested().collect();
        assert_eq!(found[0], ([0, 1], Untested::Adjacent));
        assert_eq!(found[1], ([0, 3], Untested::Srdf));
        assert_eq!(found[3], ([1, 3], Untested::Allowed));
        let mut none = LinkPairs::none();
        none.disable([[0, 1]], Untested::Allowed);
        assert_eq!(none, LinkPairs::none());
        assert_eq!(
            Untested::ALL.map(Untested::name),
            ["adjacent", "srdf", "allow", "proved", "touch_links", "at_rest"]
        );
    }

    #[test]
    fn pairs_of_another_robot_are_recognised() {
        let pairs = LinkPairs::all(&one_link_each(&CHAIN));
        assert!(!pairs.suit(&one_link_each(&CHAIN[..2])));
        assert!(!pairs.suit(&robot(&CHAIN, &[(0, true), (1, false), (2, true), (3, true)])));
        assert!(LinkPairs::none().suit(&robot(&[], &[])));
    }
}
