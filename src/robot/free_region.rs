//! Regions of joint values in which two links are proved to stay apart, although they can touch elsewhere.
//!
//! A region is a binary tree over the ranges of the columns on which the relative pose of the links depends. Each node
//! halves the box of values of its parent; a leaf is free, or open. [`acm`](crate::acm) proves regions, and the search
//! for pairs of links leaves out the times at which a motion stays in one.
//!
//! **Rounding.** A proof covers joint values that differ from those of its box by up to the *slack* of the column. A
//! quarter of the slack is allowed for the values at the ends of the range and for the reduction of angles to one turn,
//! and a quarter for the rounding of the values of a motion; the rest is the engine's own rounding.

use crate::error::{Error, Result};
use crate::robot::{Drive, Robot, RobotMotion};
use std::f64::consts::TAU;
use std::sync::Arc;

/// Bound on the rounding of a joint's value, relative to its size.
pub(crate) const VALUE_SLACK: f64 = 1.0 / (1u64 << 40) as f64;
/// Bound on the rounding of an angle that is reduced to one turn, radians.
pub(crate) const TURN_SLACK_RAD: f64 = 1.0 / (1u64 << 30) as f64;
/// Largest lower limit at which the range of a joint that repeats may begin, radians: farther from zero, angles round.
pub(crate) const MAX_LOWER_RAD: f64 = 1e3;
/// Largest angle that is reduced to one turn, radians.
const MAX_TURNED_RAD: f64 = (1u64 << 16) as f64;
/// Units of rounding of a motion's value, relative to the sizes of its terms.
const VALUE_ROUNDINGS: f64 = 8.0;

/// The values of a column in a region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionColumn {
    /// Index of the column in the robot.
    pub column: u32,
    /// Lowest and highest value, radians or metres.
    pub range: [f64; 2],
    /// True if the range is one turn, and values outside of it give the same poses.
    pub is_periodic: bool,
}

/// A node of the tree. The lower half of a node is the next one in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionNode {
    /// The links stay apart.
    Free,
    /// Not proved.
    Open,
    /// The box is halved along a column, given by its index in the region.
    Halved {
        /// The column.
        column: u8,
        /// Index of the upper half.
        upper: u32,
    },
}

/// Boxes of column values in which two links are farther apart than a margin, for all values of the other columns.
///
/// Made by [`acm::classify`](crate::acm::classify) and read from its file of proofs; used by
/// [`LinkPairs::set_free_region`](crate::LinkPairs::set_free_region).
#[derive(Clone, Debug, PartialEq)]
pub struct FreeRegion {
    margin_m: f64,
    columns: Vec<RegionColumn>,
    /// Parents before their children.
    nodes: Vec<RegionNode>,
}

/// A box of values, one range for each column of a region; further entries are not used.
type Values = [[f64; 2]; FreeRegion::MAX_COLUMNS];

impl RegionColumn {
    /// Bound on the difference of a joint's value, in units of the column, from the values of a proof.
    pub(crate) fn slack(&self) -> f64 {
        match self.is_periodic {
            true => TURN_SLACK_RAD,
            false => VALUE_SLACK * (1.0 + self.range[0].abs().max(self.range[1].abs())),
        }
    }

    /// Returns whether the range is one, of slightly more than a turn and not far from zero if it is periodic.
    fn is_sound(&self) -> bool {
        let [lo, hi] = self.range;
        let is_turn = (TAU..1.001 * TAU).contains(&(hi - lo)) && lo.abs() <= 2.0 * MAX_LOWER_RAD;
        lo <= hi && lo.is_finite() && hi.is_finite() && (is_turn || !self.is_periodic)
    }

    /// The parts of the range that contain the values from `from` to `to`, one or two; `None` if some value is outside
    /// of the range.
    fn parts(&self, [from, to]: [f64; 2]) -> Option<[Option<[f64; 2]>; 2]> {
        let ([lo, hi], spare) = (self.range, 0.25 * self.slack());
        if !self.is_periodic {
            let is_within = from <= to && from >= lo - spare && to <= hi + spare;
            return is_within.then(|| [Some([from.clamp(lo, hi), to.clamp(lo, hi)]), None]);
        }
        if !(from <= to && from.abs() <= MAX_TURNED_RAD && to.abs() <= MAX_TURNED_RAD) {
            return None;
        }
        if to - from >= TAU {
            return Some([Some([lo, hi]), None]);
        }
        let start = (from - ((from - lo) / TAU).floor() * TAU).clamp(lo, hi);
        let end = start + (to - from);
        Some(if end <= hi { [Some([start, end]), None] } else { [Some([start, hi]), Some([lo, (end - TAU).max(lo)])] })
    }
}

impl FreeRegion {
    /// Maximum number of columns: regions of more would have too many boxes.
    pub const MAX_COLUMNS: usize = 3;
    /// Maximum number of nodes.
    const MAX_NODES: usize = 1 << 20;
    /// Maximum number of levels.
    const MAX_LEVELS: usize = 128;

    /// The region with these columns and nodes; `None` if there are too many columns, or the nodes are no tree.
    pub(crate) fn new(margin_m: f64, columns: Vec<RegionColumn>, nodes: Vec<RegionNode>) -> Option<Self> {
        let region = Self { margin_m, columns, nodes };
        let n = region.columns.len();
        let are_ranges = region.columns.iter().all(RegionColumn::is_sound);
        let is_sound = are_ranges && (1..=Self::MAX_COLUMNS).contains(&n) && region.is_tree() && margin_m >= 0.0;
        is_sound.then_some(region)
    }

    /// Returns whether each node but the first is the half of exactly one earlier node, and there are not too many
    /// levels.
    fn is_tree(&self) -> bool {
        // Nodes whose upper half is still to come, innermost last, each with its level; and the level of the next node.
        let (mut pending, mut level) = (Vec::new(), Some(0));
        for (i, node) in self.nodes.iter().enumerate() {
            let Some(own) = level.filter(|&level| level < Self::MAX_LEVELS) else { return false };
            level = match *node {
                RegionNode::Halved { column, .. } if usize::from(column) >= self.columns.len() => return false,
                RegionNode::Halved { upper, .. } => {
                    pending.push((upper as usize, own));
                    Some(own + 1)
                }
                RegionNode::Free | RegionNode::Open => match pending.pop() {
                    Some((upper, _)) if upper != i + 1 => return false,
                    above => above.map(|(_, level)| level + 1),
                },
            };
        }
        // The last leaf has no node after it.
        pending.is_empty() && level.is_none() && !self.nodes.is_empty()
    }

    /// The distance up to which the links do not come near each other, metres.
    pub fn margin_m(&self) -> f64 {
        self.margin_m
    }

    /// The columns on which the relative pose of the links depends.
    pub fn columns(&self) -> &[RegionColumn] {
        &self.columns
    }

    /// The volume of the free boxes as a share of all values.
    pub fn share(&self) -> f64 {
        // Each upper half follows the nodes of the lower one.
        let (mut share, mut pending) = (0.0, vec![(0, 1.0)]);
        while let Some((node, of)) = pending.pop() {
            match self.nodes[node] {
                RegionNode::Free => share += of,
                RegionNode::Open => {}
                RegionNode::Halved { upper, .. } => {
                    pending.extend([(node + 1, 0.5 * of), (upper as usize, 0.5 * of)]);
                }
            }
        }
        share
    }

    /// The region of a robot whose first column has the index `first` in the robots that are joined.
    #[must_use]
    pub(crate) fn with_first_column(mut self, first: u32) -> Self {
        self.columns.iter_mut().for_each(|c| c.column += first);
        self
    }

    /// Returns whether the links stay apart for all values in the given ranges, one for each column of the region,
    /// radians or metres.
    pub fn contains(&self, ranges: &[[f64; 2]]) -> bool {
        let mut values = Values::default();
        let n = self.columns.len();
        ranges.len() == n && {
            values[..n].copy_from_slice(ranges);
            self.contains_from(0, &mut values)
        }
    }

    /// The same, of values that have been reduced to the ranges of the columns before `column`.
    fn contains_from(&self, column: usize, values: &mut Values) -> bool {
        let Some(of) = self.columns.get(column) else {
            let mut cell = Values::default();
            self.columns.iter().zip(&mut cell).for_each(|(c, range)| *range = c.range);
            return self.is_free(0, &cell, values);
        };
        let Some(parts) = of.parts(values[column]) else { return false };
        let whole = values[column];
        let all = parts.into_iter().flatten().all(|part| {
            values[column] = part;
            self.contains_from(column + 1, values)
        });
        values[column] = whole;
        all
    }

    /// Returns whether all values that are in the box of a node are in free leaves.
    fn is_free(&self, node: usize, cell: &Values, values: &Values) -> bool {
        match self.nodes[node] {
            RegionNode::Free => true,
            RegionNode::Open => false,
            RegionNode::Halved { column, upper } => {
                let c = usize::from(column);
                let [[lo, hi], [from, to]] = [cell[c], values[c]];
                let (middle, mut half) = (middle(lo, hi), *cell);
                let mut is_free_in = |range, child| {
                    half[c] = range;
                    self.is_free(child, &half, values)
                };
                // Boxes contain their sides: a value at the middle is in both halves, and one of them is enough.
                let (in_lower, in_upper) = (from < middle || to <= middle, to > middle);
                (!in_lower || is_free_in([lo, middle], node + 1))
                    && (!in_upper || is_free_in([middle, hi], upper as usize))
            }
        }
    }

    /// The nodes as text, parents before their children: `.` is an open leaf, `#` a free one, and a digit the column
    /// along which a box is halved.
    pub fn to_text(&self) -> String {
        let letter = |node: &RegionNode| match *node {
            RegionNode::Open => '.',
            RegionNode::Free => '#',
            RegionNode::Halved { column, .. } => char::from(b'0' + column),
        };
        self.nodes.iter().map(letter).collect()
    }

    /// The region with these columns and the nodes of a [text](Self::to_text).
    ///
    /// # Errors
    /// The text is no tree over the columns, a range is not one, or the margin is negative.
    pub fn from_text(margin_m: f64, columns: Vec<RegionColumn>, text: &str) -> Result<Self> {
        let refuse =
            || Error::input("a free region is not a tree of boxes").remedy("make new proofs with firstcontact acm");
        if text.len() > Self::MAX_NODES {
            return Err(refuse());
        }
        let mut nodes = Vec::with_capacity(text.len());
        let mut pending = Vec::new();
        for letter in text.bytes() {
            match letter {
                b'.' => nodes.push(RegionNode::Open),
                b'#' => nodes.push(RegionNode::Free),
                b'0'..=b'9' => {
                    pending.push(nodes.len());
                    nodes.push(RegionNode::Halved { column: letter - b'0', upper: 0 });
                    continue;
                }
                _ => return Err(refuse()),
            }
            let next = nodes.len() as u32;
            if let Some(RegionNode::Halved { upper, .. }) = pending.pop().map(|halved| &mut nodes[halved]) {
                *upper = next;
            }
        }
        Self::new(margin_m, columns, nodes).ok_or_else(refuse)
    }
}

/// The value at which a range is halved.
pub(crate) fn middle(lo: f64, hi: f64) -> f64 {
    0.5 * (lo + hi)
}

/// A region of two links of a robot, with a joint for each of its columns.
#[derive(Clone, Debug)]
pub struct PairRegion {
    region: Arc<FreeRegion>,
    /// For each column of the region, a body between the links whose joint the column drives.
    drives: Vec<(u32, Drive)>,
}

impl PairRegion {
    /// The region of the links of two bodies; `None` if a column does not drive a joint between them.
    pub fn new(robot: &Robot, [a, b]: [u32; 2], region: &Arc<FreeRegion>) -> Option<Self> {
        let to_root = |body| std::iter::successors(Some(body), |&b: &u32| robot.bodies[b as usize].parent);
        let (up, down): (Vec<u32>, Vec<u32>) = (to_root(a).collect(), to_root(b).collect());
        let only = |of: &[u32], other: &[u32]| of.iter().copied().filter(|body| !other.contains(body)).collect();
        // Above the common ancestor both links move alike.
        let between: [Vec<u32>; 2] = [only(&up, &down), only(&down, &up)];
        let joint_of = |of: &RegionColumn| {
            let driven = |&body: &u32| Some((body, robot.bodies[body as usize].joint.drive()?));
            let mut all = between.iter().flatten().filter_map(driven);
            all.find(|(_, drive)| drive.column == of.column && drive.multiplier != 0.0)
        };
        let drives = region.columns.iter().map(joint_of).collect::<Option<_>>()?;
        Some(Self { region: Arc::clone(region), drives })
    }

    /// Returns whether a motion stays in the region from time `t0` to `t1`, and the region holds for its margin.
    pub fn contains(&self, motion: &RobotMotion, [t0, t1]: [f64; 2]) -> bool {
        let Self { region, drives } = self;
        // The search with a margin of zero has the least positive one where joints deviate: the proof spares more.
        let margin_m = region.margin_m.max(f64::MIN_POSITIVE);
        let holds = |(body, _): &(u32, Drive)| motion.chains[*body as usize].margin_m <= margin_m;
        if !drives.iter().all(holds) {
            return false;
        }
        let mut values = Values::default();
        let known = drives.iter().zip(&region.columns).zip(&mut values).all(|(((body, drive), column), values)| {
            let Some(range) = motion.joint_values(*body as usize, [t0, t1]) else { return false };
            let size = drive.offset.abs() + range.size;
            let [x, y] = [range.lowest, range.highest].map(|x| (x - drive.offset) / drive.multiplier);
            *values = [x.min(y), x.max(y)];
            VALUE_ROUNDINGS * f64::EPSILON * size <= 0.25 * column.slack() * drive.multiplier.abs()
        });
        known && region.contains(&values[..drives.len()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acm::random::Random;
    use crate::enclosure::chain_bounds::Deviation;
    use crate::robot::{ColumnKind, Joint, JointKind};
    use glam::{DMat3, DVec3};
    use std::f64::consts::PI;

    fn column(range: [f64; 2], is_periodic: bool) -> RegionColumn {
        RegionColumn { column: 0, range, is_periodic }
    }

    /// A random tree, as text.
    fn text(random: &mut Random, n_columns: usize, levels: u32) -> String {
        match random.within([0.0, 3.0]) {
            x if levels > 0 && x < 2.0 => {
                let column = random.within([0.0, n_columns as f64]) as usize;
                format!("{column}{}{}", text(random, n_columns, levels - 1), text(random, n_columns, levels - 1))
            }
            x => if x < 2.6 { "#" } else { "." }.into(),
        }
    }

    /// A side of a box in a tree over a range, but not the upper end of the range, which is the lower end of an angle.
    fn side(random: &mut Random, [mut lo, mut hi]: [f64; 2]) -> f64 {
        let end = hi;
        for _ in 0..random.within([0.0, 5.0]) as u32 {
            let middle = middle(lo, hi);
            match random.within([0.0, 1.0]) < 0.5 {
                true => lo = middle,
                false => hi = middle,
            }
        }
        if hi == end || random.within([0.0, 1.0]) < 0.5 { lo } else { hi }
    }

    /// Returns whether a point is in a free leaf, by the text alone.
    fn is_free(text: &mut std::str::Chars, cell: &mut Vec<[f64; 2]>, q: &[f64]) -> bool {
        match text.next() {
            Some('#') => q.iter().zip(&*cell).all(|(x, [lo, hi])| lo <= x && x <= hi),
            Some('.') => false,
            Some(digit) => {
                let c = digit as usize - '0' as usize;
                let [lo, hi] = cell[c];
                let middle = 0.5 * (lo + hi);
                let halves = [[lo, middle], [middle, hi]].map(|half| {
                    cell[c] = half;
                    is_free(text, cell, q)
                });
                cell[c] = [lo, hi];
                halves[0] || halves[1]
            }
            None => panic!("the text ends early"),
        }
    }

    /// Ranges that a region contains consist of free points, and ranges of free points alone are contained. Angles
    /// are meant modulo a turn.
    #[test]
    fn ranges_are_contained_if_their_points_are_free() {
        let (mut random, mut contained) = (Random::new(3), [0; 2]);
        for _ in 0..2000 {
            let n = 1 + random.within([0.0, 3.0]) as usize;
            let columns: Vec<RegionColumn> = (0..n)
                .map(|_| match random.within([0.0, 1.0]) < 0.5 {
                    true => column([-1.0, -1.0 + TAU * (1.0 + 1e-12)], true),
                    false => column([-0.5, 1.5], false),
                })
                .collect();
            let text = text(&mut random, n, 5);
            let region = FreeRegion::from_text(0.0, columns.clone(), &text).unwrap();
            assert_eq!(region.to_text(), text);
            let turns: Vec<f64> = columns
                .iter()
                .map(|c| if c.is_periodic { random.within([-3.0, 3.0]).round() * TAU } else { 0.0 })
                .collect();
            let mut range_of = |(turn, column): (&f64, &RegionColumn)| {
                let (from, width) = (random.within([-1.2, 6.0]), random.within([0.0, 1.0]).powi(4) * 7.0);
                match random.within([0.0, 4.0]) as u32 {
                    // Values on the sides of boxes, at rest or in motion.
                    0 => [side(&mut random, column.range); 2],
                    1 => [side(&mut random, column.range), side(&mut random, column.range)],
                    _ => [turn + from, turn + from + width],
                }
            };
            let mut ranges: Vec<[f64; 2]> = turns.iter().zip(&columns).map(&mut range_of).collect();
            ranges.iter_mut().for_each(|range| range.sort_by(f64::total_cmp));
            let is_free_at = |q: &[f64]| {
                let reduced = |(x, c): (&f64, &RegionColumn)| match c.is_periodic {
                    // The upper side of the range is the lower one after a turn.
                    true if *x >= c.range[0] && *x <= c.range[1] => *x,
                    true => (x + 1.0).rem_euclid(TAU) - 1.0,
                    false => *x,
                };
                let q: Vec<f64> = q.iter().zip(&columns).map(reduced).collect();
                is_free(&mut text.chars(), &mut columns.iter().map(|c| c.range).collect(), &q)
            };
            let all_free = (0..200).all(|_| {
                let q: Vec<f64> = ranges.iter().map(|&range| random.within(range)).collect();
                is_free_at(&q)
            });
            let is_contained = region.contains(&ranges);
            assert!(!is_contained || all_free, "{columns:?} {text} {ranges:?}");
            contained[usize::from(is_contained)] += 1;
            // A point alone: it is contained exactly if it is free.
            let q: Vec<f64> = ranges.iter().map(|&range| random.within(range)).collect();
            let is_on_side = ranges.iter().any(|[from, to]| from == to);
            let is_contained = region.contains(&q.iter().map(|&x| [x, x]).collect::<Vec<_>>());
            assert!(is_contained == is_free_at(&q) || is_on_side && !is_contained, "{q:?}");
        }
        assert!(contained[0] > 200 && contained[1] > 200, "{contained:?}");
    }

    #[test]
    fn values_at_the_limits_are_within_them() {
        let region = FreeRegion::from_text(0.0, vec![column([0.0, 0.5], false)], "#").unwrap();
        assert!(region.contains(&[[0.0, 0.5]]) && region.contains(&[[-1e-14, 0.5 + 1e-14]]));
        for range in [[-1e-12, 0.5], [0.0, 0.5 + 1e-12], [0.2, 0.1], [f64::NAN, 0.1], [0.1, f64::NAN]] {
            assert!(!region.contains(&[range]), "{range:?}");
        }
        assert!(!region.contains(&[]) && !region.contains(&[[0.1; 2]; 2]));
        // Angles too large to be reduced.
        let turn = FreeRegion::from_text(0.0, vec![column([0.0, TAU * (1.0 + 1e-12)], true)], "#").unwrap();
        assert!(
            turn.contains(&[[-6e4, -6e4 + 20.0]]) && !turn.contains(&[[0.0, 7e4]]) && !turn.contains(&[[f64::NAN; 2]])
        );
    }

    /// A joint about which a body turns in a region from -1 to 1, by `multiplier` times its column and 0.5.
    fn turning(margin_m: f64, multiplier: f64) -> (Robot, PairRegion) {
        let mut robot = Robot::new("r", "root", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        let driven = robot.add_column("j", ColumnKind::AngleRad, None);
        let kind = JointKind::Revolute { axis: DVec3::Z, drive: Drive { column: driven, multiplier, offset: 0.5 } };
        let joint = Joint { name: "j".into(), orientation: DMat3::IDENTITY, origin_m: DVec3::ZERO, kind };
        robot.add_body("b", Some(0), joint).unwrap();
        let columns = vec![column([-1.0, 1.0], false)];
        let region = Arc::new(FreeRegion::from_text(margin_m, columns, "#").unwrap());
        let of_pair = PairRegion::new(&robot, [0, 1], &region).unwrap();
        (robot, of_pair)
    }

    #[test]
    fn motions_stay_in_a_region_with_their_deviations() {
        for multiplier in [1.0, -2.0] {
            let (robot, region) = turning(0.0, multiplier);
            for end in [0.9, -0.9] {
                let mut motion = RobotMotion::new(&robot, &[0.2 * end], &[end]).unwrap();
                assert!(region.contains(&motion, [0.0, 1.0]));
                let deviation = |turn_rad| [Deviation::default(), Deviation { turn_rad, slide_m: 0.0 }];
                motion.set_deviations(deviation(0.05 * multiplier.abs()));
                assert!(region.contains(&motion, [0.0, 1.0]));
                motion.set_deviations(deviation(0.2 * multiplier.abs()));
                assert!(region.contains(&motion, [0.0, 0.5]) && !region.contains(&motion, [0.0, 1.0]));
            }
            let beyond = RobotMotion::new(&robot, &[0.0], &[1.1]).unwrap();
            assert!(region.contains(&beyond, [0.0, 0.9]) && !region.contains(&beyond, [0.9, 1.0]));
        }
    }

    #[test]
    fn a_region_is_not_used_with_a_larger_margin() {
        let (robot, region) = turning(0.05, 1.0);
        let mut motion = RobotMotion::new(&robot, &[0.0], &[0.5]).unwrap();
        for (margin_m, holds) in [(0.0, true), (0.05, true), (0.051, false)] {
            motion.set_margin(margin_m);
            assert_eq!(region.contains(&motion, [0.0, 1.0]), holds, "{margin_m}");
        }
    }

    #[test]
    fn shares_are_volumes() {
        let share = |text| FreeRegion::from_text(0.0, vec![column([0.0, 1.0], false); 2], text).unwrap().share();
        assert_eq!(["#", ".", "0#.", "0.1.#", "00##1#."].map(share), [1.0, 0.0, 0.5, 0.25, 0.75]);
    }

    #[test]
    fn texts_that_are_no_trees_are_refused() {
        let columns = vec![column([0.0, 1.0], false)];
        let deep = "0.".repeat(FreeRegion::MAX_LEVELS) + ".";
        let long = "0".repeat(FreeRegion::MAX_NODES + 1);
        for text in ["", "0", "0#", "0#.#", "##", "1#.", "x", "0#x", "0.0", "ü", &deep, &long] {
            assert!(FreeRegion::from_text(0.0, columns.clone(), text).is_err(), "{text:.20}");
        }
        let shallow = "0.".repeat(FreeRegion::MAX_LEVELS - 1) + ".";
        assert!(FreeRegion::from_text(0.0, columns.clone(), &shallow).is_ok());
        let with = |margin_m, range| FreeRegion::from_text(margin_m, vec![column(range, false)], "#");
        assert!(with(0.0, [0.0, 0.0]).is_ok());
        assert!(with(-1.0, [0.0, 1.0]).is_err() && with(f64::NAN, [0.0, 1.0]).is_err());
        assert!(with(0.0, [1.0, 0.0]).is_err() && with(0.0, [0.0, f64::INFINITY]).is_err());
        // A joint that repeats has a range of one turn near zero.
        let turn = |lower, width| FreeRegion::from_text(0.0, vec![column([lower, lower + width], true)], "#");
        assert!(turn(-PI, TAU).is_ok() && turn(900.0, 1.0000001 * TAU).is_ok());
        assert!(turn(-3.0, 6.0).is_err() && turn(0.0, 2.0 * TAU).is_err() && turn(1e9, TAU).is_err());
        assert!(FreeRegion::from_text(0.0, Vec::new(), "#").is_err());
        assert!(FreeRegion::from_text(0.0, vec![column([0.0, 1.0], false); 4], "#").is_err());
    }
}
