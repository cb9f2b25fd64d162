//! Up to eight pairs simultaneously, each with the bound on its own body. The operations are those of a single pair.

use super::pair::Pair;
use crate::arith::lanes::Lanes;
use crate::arith::linear::V3;
use crate::arith::vectors::{Vector, Vectorised, WIDTH, gather};
use crate::enclosure::pose_bound::TaylorModel;
use crate::enclosure::pose_jet::PoseJet;
use crate::predicate::contraction::{Window, triangle_sides, triangles};
use crate::predicate::nearest::nearest;
use crate::predicate::separation::StaticTriangle;

/// A number in every lane.
pub type Eight = Lanes<WIDTH>;

#[inline(always)]
fn vector<T: Vector, P>(all: &[&P; WIDTH], of: impl Fn(&P) -> &V3<f64>) -> V3<T> {
    V3([gather(all, |p| of(p).0[0]), gather(all, |p| of(p).0[1]), gather(all, |p| of(p).0[2])])
}

/// Bounds in their lanes; usually all are the same.
#[inline(always)]
fn poses<T: Vector>(poses: &[&TaylorModel<f64>; WIDTH]) -> TaylorModel<T> {
    let first = poses[0];
    if poses[1..].iter().all(|p| std::ptr::eq(*p, first)) {
        return first.broadcast();
    }
    let mut all = TaylorModel { jet: PoseJet::zero(), ball: [T::new(0.0); 2] };
    for n in 0..3 {
        all.jet.x[n] = vector(poses, |p| &p.jet.x[n]);
        for i in 0..3 {
            for j in 0..3 {
                all.jet.p[n].0[i][j] = gather(poses, |p| p.jet.p[n].0[i][j]);
            }
        }
    }
    all.ball = [gather(poses, |p| p.ball[0]), gather(poses, |p| p.ball[1])];
    all
}

#[inline(always)]
fn moving<T: Vector>(pairs: &[&Pair; WIDTH]) -> [V3<T>; 3] {
    [vector(pairs, |p| &p.e[0]), vector(pairs, |p| &p.e[1]), vector(pairs, |p| &p.e[2])]
}

#[inline(always)]
fn standing<T: Vector>(pairs: &[&Pair; WIDTH]) -> [V3<T>; 3] {
    [vector(pairs, |p| &p.tri.y[0]), vector(pairs, |p| &p.tri.y[1]), vector(pairs, |p| &p.tri.y[2])]
}

/// The local times at which the triangles can come within `margin_m`, by the axes of the local time `look`.
#[derive(Clone, Copy)]
pub struct Windows<'a> {
    /// Bounds on the poses of the pairs' bodies over `|τ| <= h`.
    pub poses: [&'a TaylorModel<f64>; WIDTH],
    /// The pairs.
    pub pairs: [&'a Pair; WIDTH],
    /// See `poses`.
    pub h: f64,
    /// The local time at which axes are taken.
    pub look: f64,
    /// The margin, metres.
    pub margin_m: f64,
    /// Lanes that must also be contracted by the direction between the nearest points, which handles margins and
    /// triangles without an area.
    pub by_nearest: u32,
}

impl Vectorised for Windows<'_> {
    type Output = Window<Eight>;

    #[inline(always)]
    fn run<T: Vector>(self) -> Self::Output {
        let (pose, reach) = (poses::<T>(&self.poses), gather(&self.pairs, |p| p.reach_m));
        let [a, b, c] = moving::<T>(&self.pairs);
        let x = [pose.point(a, reach), pose.point(b, reach), pose.point(c, reach)];
        let tri = StaticTriangle { y: standing(&self.pairs), error: gather(&self.pairs, |p| p.tri.error) };
        let h = T::new(self.h);
        let (x, y) = triangle_sides(&x, &tri, h, T::new(self.look), self.margin_m);
        let mut window = triangles(&x, &y, h, u32::MAX >> (32 - WIDTH));
        let left = self.by_nearest & !window.empty();
        if left != 0 {
            window.cut(nearest(&x.at, &y.d).direction(), &x, &y, left);
        }
        Window { lo: window.lo.store(), hi: window.hi.store() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::vectors::Kind;
    use crate::robot::{JointMotion, RobotMotion};
    use crate::verdict::Obstacle;
    use glam::{DMat3, DVec3};

    /// Pairs on two bodies, so near that windows are smaller than the interval and not empty.
    fn pairs() -> (RobotMotion, Vec<Pair>) {
        let mut state = 9u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut motion = RobotMotion::default();
        for (parent, axis) in [(None, DVec3::Z), (Some(0), DVec3::X)] {
            motion.push(parent, JointMotion::from_axis(DMat3::IDENTITY, axis, 3.0, DVec3::Y * 0.3, DVec3::ZERO));
        }
        let mut triangle = || [(); 3].map(|()| V3([unit(), unit(), unit()]).times(0.2));
        let pair = |k: u32| {
            let (body, mut e, y) = (k % 2, triangle(), triangle());
            if k.is_multiple_of(5) {
                e[2] = e[0];
            }
            let tri = StaticTriangle { y: y.map(|v| v + V3([0.0, 0.3, 0.0])), error: 1e-15 };
            let numbers = Pair {
                shape: body,
                obstacle: Obstacle::Object(0),
                moving: 0,
                within: None,
                x: k,
                y: k,
                mask: 1,
                earliest: 0.0,
                e,
                reach_m: 0.4,
                body,
                tri,
                is_flat: false,
            };
            Pair { is_flat: crate::stage::s6_solve::pair::is_flat(&e), ..numbers }
        };
        (motion, (0..4096).map(pair).collect())
    }

    #[test]
    fn windows_do_not_depend_on_neighbouring_lanes_or_kind_of_vectors() {
        let (motion, pairs) = pairs();
        let (mid, h, look) = (0.5, 1.0 / 16.0, 0.01);
        let bounds = [motion.body_bound(0, mid, h), motion.body_bound(1, mid, h)];
        let windows = |some: [&Pair; WIDTH], margin_m: f64, kind: Kind| {
            let poses = some.map(|p| &bounds[p.body as usize]);
            let by_nearest = (0..WIDTH).fold(0, |m, i| m | u32::from(some[i].is_flat || margin_m > 0.0) << i);
            let w = kind.run(Windows { poses, pairs: some, h, look, margin_m, by_nearest });
            std::array::from_fn::<_, WIDTH, _>(|i| (w.lo.0[i] <= w.hi.0[i]).then_some((w.lo.0[i], w.hi.0[i])))
        };
        let mut seen = [0; 3];
        for (k, some) in pairs.chunks_exact(WIDTH).enumerate() {
            let margin_m = [0.0, 0.02][k % 2];
            let beside: [&Pair; WIDTH] = std::array::from_fn(|i| &some[i]);
            let known = windows(beside, margin_m, Kind::Portable);
            for kind in Kind::all() {
                assert_eq!(windows(beside, margin_m, kind), known, "{kind:?}");
            }
            for (i, pair) in some.iter().enumerate() {
                assert_eq!(windows([pair; WIDTH], margin_m, Kind::Portable)[0], known[i]);
                seen[known[i].map_or(0, |w| if w.1 - w.0 < 1.9 * h { 1 } else { 2 })] += 1;
            }
        }
        assert!(seen.iter().all(|n| *n > 20), "{seen:?}");
    }
}
