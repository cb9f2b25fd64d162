//! A plain tree of boxes over triangles, and the least distance between two trees, of which one or both are moved.

use super::mesh::Triangle;
use super::triangles;
use glam::{DAffine3, DVec3};

const LEAF: usize = 4;

/// A binary tree; a node's triangles are a contiguous run of [`Tree::triangles`].
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    triangles: Vec<Triangle>,
    /// Index of each triangle before sorting.
    ids: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Node {
    low: DVec3,
    high: DVec3,
    /// Ball about the middle of the box that contains the triangles, for a tree that is turned.
    middle: DVec3,
    radius: f64,
    first: usize,
    count: usize,
    /// Children; `None` for a leaf.
    children: Option<(usize, usize)>,
}

/// The closest pair of two trees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// 0 if they pierce each other.
    pub distance: f64,
    /// Triangle of the moved tree.
    pub moved: usize,
    /// Triangle of the tree at rest.
    pub resting: usize,
}

impl Tree {
    pub fn new(triangles: &[Triangle]) -> Self {
        let mut tree = Self { ids: (0..triangles.len()).collect(), ..Self::default() };
        if !triangles.is_empty() {
            let middles: Vec<DVec3> = triangles.iter().map(|t| (t[0] + t[1] + t[2]) / 3.0).collect();
            tree.grow(triangles, &middles, 0, triangles.len());
        }
        tree.triangles = tree.ids.iter().map(|&i| triangles[i]).collect();
        tree
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The box of all triangles.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        (self.nodes[0].low, self.nodes[0].high)
    }

    fn grow(&mut self, all: &[Triangle], middles: &[DVec3], first: usize, count: usize) -> usize {
        let run = &mut self.ids[first..first + count];
        let corners = || run.iter().flat_map(|&i| all[i]);
        let low = corners().reduce(DVec3::min).expect("a triangle");
        let high = corners().reduce(DVec3::max).expect("a triangle");
        let middle = (low + high) / 2.0;
        let radius = corners().map(|p| p.distance(middle)).fold(0.0, f64::max);
        if count > LEAF {
            let spread = |axis: usize| {
                let values = || run.iter().map(|&i| middles[i][axis]);
                values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
            };
            let axis = (0..3).max_by(|&a, &b| spread(a).total_cmp(&spread(b))).expect("three axes");
            let key = |i: &usize| middles[*i][axis];
            run.select_nth_unstable_by(count / 2, |a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        }
        let at = self.nodes.len();
        self.nodes.push(Node { low, high, middle, radius, first, count, children: None });
        if count > LEAF {
            let left = self.grow(all, middles, first, count / 2);
            let right = self.grow(all, middles, first + count / 2, count - count / 2);
            self.nodes[at].children = Some((left, right));
        }
        at
    }

    /// The closest pair of this tree under `pose` and one at rest, among the pairs nearer than `limit` whose triangle
    /// at rest is `wanted`.
    pub fn closest(
        &self,
        pose: &DAffine3,
        resting: &Tree,
        limit: f64,
        wanted: &dyn Fn(usize) -> bool,
    ) -> Option<Closest> {
        self.closest_of_two(pose, resting, &DAffine3::IDENTITY, limit, wanted)
    }

    /// The same with both trees moved. Distances are those of triangles in the world; only the bounds of boxes are
    /// computed in the frame of the second tree.
    pub fn closest_of_two(
        &self,
        pose: &DAffine3,
        other: &Tree,
        other_pose: &DAffine3,
        limit: f64,
        wanted: &dyn Fn(usize) -> bool,
    ) -> Option<Closest> {
        if self.is_empty() || other.is_empty() {
            return None;
        }
        let into_other = other_pose.inverse() * *pose;
        let slack = 1e-14 * (pose.translation.length() + other_pose.translation.length());
        let mut search = Search {
            moved: self,
            resting: other,
            poses: [pose, other_pose],
            into_other,
            slack,
            wanted,
            limit,
            best: None,
        };
        search.descend(0, 0, search.far(0, 0));
        search.best
    }
}

struct Search<'a> {
    moved: &'a Tree,
    resting: &'a Tree,
    /// World poses of the two trees.
    poses: [&'a DAffine3; 2],
    /// Pose of the first tree in the frame of the second.
    into_other: DAffine3,
    /// Bound of the rounding of that pose, in metres.
    slack: f64,
    wanted: &'a dyn Fn(usize) -> bool,
    limit: f64,
    best: Option<Closest>,
}

impl Search<'_> {
    /// A lower bound of the distance between two nodes.
    fn far(&self, m: usize, r: usize) -> f64 {
        let (moved, resting) = (&self.moved.nodes[m], &self.resting.nodes[r]);
        let p = self.into_other.transform_point3(moved.middle);
        (p.distance(p.clamp(resting.low, resting.high)) - moved.radius * (1.0 + 1e-12) - self.slack).max(0.0)
    }

    fn descend(&mut self, m: usize, r: usize, bound: f64) {
        if bound >= self.limit {
            return;
        }
        let (moved, resting) = (&self.moved.nodes[m], &self.resting.nodes[r]);
        let pairs = match (moved.children, resting.children) {
            (None, None) => return self.leaves(m, r),
            (Some((a, b)), None) => [(a, r), (b, r)],
            (None, Some((a, b))) => [(m, a), (m, b)],
            (Some((a, b)), Some((c, d))) => {
                if 2.0 * moved.radius > resting.low.distance(resting.high) {
                    [(a, r), (b, r)]
                } else {
                    [(m, c), (m, d)]
                }
            }
        };
        let bounds = pairs.map(|(a, b)| self.far(a, b));
        let order = if bounds[0] <= bounds[1] { [0, 1] } else { [1, 0] };
        for i in order {
            self.descend(pairs[i].0, pairs[i].1, bounds[i]);
        }
    }

    fn leaves(&mut self, m: usize, r: usize) {
        let (moved, resting) = (&self.moved.nodes[m], &self.resting.nodes[r]);
        let others = &self.resting.triangles[resting.first..resting.first + resting.count];
        let others: Vec<Triangle> = others.iter().map(|t| t.map(|p| self.poses[1].transform_point3(p))).collect();
        for i in moved.first..moved.first + moved.count {
            let x = self.moved.triangles[i].map(|p| self.poses[0].transform_point3(p));
            let (low, high) = (x[0].min(x[1]).min(x[2]), x[0].max(x[1]).max(x[2]));
            for (j, y) in (resting.first..).zip(&others) {
                let gap = (low - y[0].max(y[1]).max(y[2])).max(y[0].min(y[1]).min(y[2]) - high).max(DVec3::ZERO);
                if gap.length() >= self.limit || !(self.wanted)(self.resting.ids[j]) {
                    continue;
                }
                let distance = triangles::distance(&x, y);
                if distance < self.limit {
                    self.limit = distance;
                    self.best = Some(Closest { distance, moved: self.moved.ids[i], resting: self.resting.ids[j] });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_pcg::Pcg64Mcg;
    use rand_pcg::rand_core::{Rng, SeedableRng};

    #[test]
    fn agrees_with_brute_force() {
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        let mut number = || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
        let mut point = |s: f64| DVec3::new(number(), number(), number()) * s;
        let mut soup = |n: usize, size: f64| -> Vec<Triangle> {
            let mut triangle = |_| {
                let p = point(2.0);
                [0; 3].map(|_| p + point(size))
            };
            (0..n).map(&mut triangle).collect()
        };
        for n in [1, 3, 5, 60] {
            let (x, y) = (soup(n, 0.2), soup(2 * n, 0.3));
            let (a, b) = (Tree::new(&x), Tree::new(&y));
            for k in 0..20 {
                let shift = DVec3::new(0.3 * f64::from(k), 0.1, 0.0);
                let pose = DAffine3::from_translation(shift) * DAffine3::from_rotation_z(f64::from(k));
                let moved: Vec<Triangle> = x.iter().map(|t| t.map(|p| pose.transform_point3(p))).collect();
                let wanted = |j: usize| j % 5 != 1;
                let least = moved
                    .iter()
                    .flat_map(|s| {
                        y.iter().enumerate().filter(|(j, _)| wanted(*j)).map(|(_, t)| triangles::distance(s, t))
                    })
                    .fold(f64::INFINITY, f64::min);
                let found = a.closest(&pose, &b, f64::INFINITY, &wanted).expect("a pair");
                assert!((found.distance - least).abs() < 1e-14);
                assert!((triangles::distance(&moved[found.moved], &y[found.resting]) - least).abs() < 1e-14);
                assert!(least == 0.0 || a.closest(&pose, &b, 0.999 * least, &wanted).is_none());
                // both moved by the same motion
                let away = DAffine3::from_translation(DVec3::new(7.0, -3.0, 90.0)) * DAffine3::from_rotation_x(0.7);
                let both = a.closest_of_two(&(away * pose), &b, &away, f64::INFINITY, &wanted).expect("a pair");
                assert!((both.distance - least).abs() < 1e-12);
            }
        }
    }
}
