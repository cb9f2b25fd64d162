//! Queries between two links at one configuration, by descending both trees.
//!
//! Link `a` is at rest and `b` has a pose. Two boxes have no common point, and a distance of at least `gap`, if their
//! projections on a unit vector are `gap` apart; seven vectors are tried: the boxes' axes and the direction between
//! their centres. The `Goal` of a query determines which pairs of nodes can be skipped. Of the nodes below a pair, the
//! nearest are visited first.

use crate::acm::displacement::Displacement;
use crate::acm::piercing::{Change, pierces};
use crate::acm::shape::{Bounds, Shape};
use crate::arith::linear::V3;
use crate::predicate::nearest::nearest;
use crate::robot::Triangle;
use glam::{DAffine3, DVec3};
use std::ops::ControlFlow;

/// Two links at one configuration.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The link at rest.
    pub a: &'a Shape,
    /// The link that is moved by `pose`.
    pub b: &'a Shape,
    /// The pose of `b` in the frame of `a`.
    pub pose: DAffine3,
    /// Upper bound on the error of a point of `b`, and of the computed gaps, metres.
    pub error_m: f64,
}

/// Two triangles near each other: their indices in the two shapes, and the distance between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Indices in [`Shape::triangles`], of `a` and `b`.
    pub pair: [u32; 2],
    /// Zero if they certainly intersect; otherwise the distance between two of their points, metres.
    pub distance_m: f64,
}

/// The separation of two boxes along the best of the vectors tried.
#[derive(Clone, Copy, Debug)]
struct Apart {
    gap: f64,
    /// Unit vector.
    along: DVec3,
    /// Centre and radius of the box of `b` in the frame of `a`.
    center: DVec3,
    radius: f64,
}

/// The goal of a query about two links.
trait Goal {
    /// Returns whether a pair of nodes can be skipped.
    fn skips(&self, apart: &Apart) -> bool;
    /// Considers a pair of triangles of two leaves; `y` belongs to `a`, and `x` to `b`. Both are in the frame of `a`.
    fn triangles(&mut self, pair: [u32; 2], y: &Triangle, x: &Triangle) -> ControlFlow<()>;
}

impl<'a> Placed<'a> {
    /// The nearest triangles, if they are less than `limit_m` apart. The search ends early if it finds triangles that
    /// certainly intersect.
    pub fn nearest(&self, limit_m: f64) -> Option<Near> {
        let mut goal = Nearest { of: self, limit_m, found: None };
        let _ = self.descend(&mut goal);
        goal.found
    }

    /// Two triangles that are not certainly more than a margin apart while `b` is displaced; `None` proves that all
    /// triangles are.
    pub fn obstacle(&self, displacement: &Displacement, margin_m: f64) -> Option<Near> {
        let mut goal = Obstacle { of: self, displacement, margin_m, found: None };
        let _ = self.descend(&mut goal);
        goal.found
    }

    /// Two triangles that certainly intersect throughout a displacement of `b`.
    pub fn always(&self, displacement: &Displacement) -> Option<[u32; 2]> {
        let mut goal = Always { of: self, displacement, found: None };
        let _ = self.descend(&mut goal);
        goal.found
    }

    /// Returns whether two triangles are within a margin of each other, to within rounding, or certainly intersect.
    pub fn touches(&self, pair: [u32; 2], margin_m: f64) -> bool {
        let (y, x) = self.triangles(pair);
        let error = Change { error: self.error_m, ..Change::default() };
        gap(&y, &x).distance_m <= margin_m + self.error_m || pierces(&x, &y, error)
    }

    /// The two triangles of a pair if they are not certainly more than a margin apart while `b` is displaced.
    pub fn obstacle_at(&self, pair: [u32; 2], displacement: &Displacement, margin_m: f64) -> Option<Near> {
        let (y, x) = self.triangles(pair);
        let gap = gap(&y, &x);
        (!gap.stays(&x, displacement, margin_m + self.error_m)).then_some(Near { pair, distance_m: gap.distance_m })
    }

    /// The triangles of a pair in the frame of `a`: first that of `a`, then that of `b`.
    pub fn triangles(&self, pair: [u32; 2]) -> (Triangle, Triangle) {
        let x = self.b.triangles[pair[1] as usize].map(|v| self.pose.transform_point3(v));
        (self.a.triangles[pair[0] as usize], x)
    }

    /// The direction between the nearest points of two triangles.
    pub fn direction(&self, pair: [u32; 2]) -> DVec3 {
        let (y, x) = self.triangles(pair);
        gap(&y, &x).along
    }

    fn descend(&self, goal: &mut impl Goal) -> ControlFlow<()> {
        let whole = [0, 0];
        let mut open = vec![(whole, self.apart(whole))];
        let mut below: Vec<([u32; 2], Apart)> = Vec::new();
        while let Some((nodes, apart)) = open.pop() {
            if goal.skips(&apart) {
                continue;
            }
            let [m, n] = [&self.a.nodes[nodes[0] as usize], &self.b.nodes[nodes[1] as usize]];
            let opens_a = !m.children.is_empty() && (n.children.is_empty() || m.bounds.radius >= n.bounds.radius);
            if !opens_a && n.children.is_empty() {
                self.leaves(m.triangles.clone(), n.triangles.clone(), goal)?;
                continue;
            }
            let children = if opens_a { &m.children } else { &n.children };
            let nodes_below = children.iter().map(|&c| if opens_a { [c, nodes[1]] } else { [nodes[0], c] });
            below.extend(nodes_below.map(|nodes| (nodes, self.apart(nodes))));
            below.retain(|(_, apart)| !goal.skips(apart));
            below.sort_by(|(_, x), (_, y)| y.gap.total_cmp(&x.gap));
            open.append(&mut below);
        }
        ControlFlow::Continue(())
    }

    fn leaves(
        &self,
        of_a: std::ops::Range<usize>,
        of_b: std::ops::Range<usize>,
        goal: &mut impl Goal,
    ) -> ControlFlow<()> {
        for j in of_b {
            let x = self.b.triangles[j].map(|v| self.pose.transform_point3(v));
            let (center, radius) = self.b.balls[j];
            let center = self.pose.transform_point3(center);
            for i in of_a.clone() {
                let (other, other_radius) = self.a.balls[i];
                let between = center - other;
                let distance = between.length();
                let (gap, along) = (distance - radius - other_radius, between / distance);
                if gap > 0.0 && goal.skips(&Apart { gap, along, center, radius }) {
                    continue;
                }
                goal.triangles([i as u32, j as u32], &self.a.triangles[i], &x)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn apart(&self, nodes: [u32; 2]) -> Apart {
        let (m, n) = (&self.a.nodes[nodes[0] as usize].bounds, &self.b.nodes[nodes[1] as usize].bounds);
        separation(m, &n.moved(&self.pose))
    }
}

/// The largest gap of two boxes along seven vectors.
fn separation(a: &Bounds, b: &Bounds) -> Apart {
    let between = b.center - a.center;
    let (in_a, in_b) = (a.axes.transpose() * between, b.axes.transpose() * between);
    let turned = a.axes.transpose() * b.axes;
    let abs = turned.abs();
    let along_a = in_a.abs() - a.half - abs * b.half;
    let along_b = in_b.abs() - b.half - abs.transpose() * a.half;
    let mut best = Apart { gap: f64::NEG_INFINITY, along: DVec3::X, center: b.center, radius: b.radius };
    for i in 0..3 {
        if along_a[i] > best.gap {
            (best.gap, best.along) = (along_a[i], a.axes.col(i));
        }
        if along_b[i] > best.gap {
            (best.gap, best.along) = (along_b[i], b.axes.col(i));
        }
    }
    let distance = between.length();
    if distance > 0.0 {
        let gap = distance - (in_a.abs().dot(a.half) + in_b.abs().dot(b.half)) / distance;
        if gap > best.gap {
            (best.gap, best.along) = (gap, between / distance);
        }
    }
    best
}

/// The separation of two triangles.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// Distance between two of their points, metres.
    distance_m: f64,
    /// Unit vector from `a` to `b`; zero if they touch.
    along: DVec3,
    /// Highest projection of the triangle of `a` on `along`.
    high: f64,
}

fn gap(y: &Triangle, x: &Triangle) -> Gap {
    let found = nearest(&x.map(V3::new), &y.map(V3::new));
    let direction = DVec3::from_array(found.direction().0);
    let along = direction.try_normalize().unwrap_or(DVec3::ZERO);
    let high = y.iter().map(|v| along.dot(*v)).fold(f64::NEG_INFINITY, f64::max);
    Gap { distance_m: found.apart.dot(found.apart).sqrt(), along, high }
}

impl Gap {
    /// Returns whether the triangle of `b` certainly stays more than a margin beyond that of `a`.
    fn stays(&self, x: &Triangle, displacement: &Displacement, margin_m: f64) -> bool {
        if self.along == DVec3::ZERO {
            return false;
        }
        let beyond =
            |bound: &dyn Fn(DVec3) -> f64| x.iter().all(|v| self.along.dot(*v) - bound(*v) > self.high + margin_m);
        beyond(&|v| displacement.any(v, 0.0)) || beyond(&|v| displacement.along(self.along, v, 0.0))
    }

    /// Returns whether the triangles are certainly apart.
    fn is_apart(&self, x: &Triangle, error_m: f64) -> bool {
        self.along != DVec3::ZERO && x.iter().all(|v| self.along.dot(*v) > self.high + error_m)
    }
}

struct Nearest<'a> {
    of: &'a Placed<'a>,
    limit_m: f64,
    found: Option<Near>,
}

impl Goal for Nearest<'_> {
    fn skips(&self, apart: &Apart) -> bool {
        apart.gap >= self.limit_m
    }

    fn triangles(&mut self, pair: [u32; 2], y: &Triangle, x: &Triangle) -> ControlFlow<()> {
        let gap = gap(y, x);
        let error = Change { error: self.of.error_m, ..Change::default() };
        if !gap.is_apart(x, self.of.error_m) && pierces(x, y, error) {
            self.found = Some(Near { pair, distance_m: 0.0 });
            return ControlFlow::Break(());
        }
        if gap.distance_m < self.limit_m {
            self.limit_m = gap.distance_m;
            self.found = Some(Near { pair, distance_m: gap.distance_m });
        }
        ControlFlow::Continue(())
    }
}

struct Obstacle<'a> {
    of: &'a Placed<'a>,
    displacement: &'a Displacement,
    margin_m: f64,
    found: Option<Near>,
}

impl Goal for Obstacle<'_> {
    fn skips(&self, apart: &Apart) -> bool {
        let spare = apart.gap - self.margin_m - self.of.error_m;
        let Apart { along, center, radius, .. } = *apart;
        spare > 0.0
            && (spare > self.displacement.any(center, radius) || spare > self.displacement.along(along, center, radius))
    }

    fn triangles(&mut self, pair: [u32; 2], y: &Triangle, x: &Triangle) -> ControlFlow<()> {
        let gap = gap(y, x);
        if gap.stays(x, self.displacement, self.margin_m + self.of.error_m) {
            return ControlFlow::Continue(());
        }
        self.found = Some(Near { pair, distance_m: gap.distance_m });
        ControlFlow::Break(())
    }
}

struct Always<'a> {
    of: &'a Placed<'a>,
    displacement: &'a Displacement,
    found: Option<[u32; 2]>,
}

impl Goal for Always<'_> {
    fn skips(&self, apart: &Apart) -> bool {
        apart.gap > 0.0
    }

    fn triangles(&mut self, pair: [u32; 2], y: &Triangle, x: &Triangle) -> ControlFlow<()> {
        let away = x.iter().map(|v| self.displacement.any(*v, 0.0)).fold(0.0, f64::max);
        let change = Change { away, turn: self.displacement.turn_rad, error: self.of.error_m };
        if !pierces(x, y, change) {
            return ControlFlow::Continue(());
        }
        self.found = Some(pair);
        ControlFlow::Break(())
    }
}
