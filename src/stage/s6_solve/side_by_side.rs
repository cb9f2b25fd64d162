//! Up to eight pairs at once, each with the bound on its own body. The operations are those of a single pair.

use super::nearest::nearest;
use super::pair::Pair;
use crate::numeric::contraction::{Window, triangle_sides, triangles};
use crate::numeric::lanes::Lanes;
use crate::numeric::linear::V3;
use crate::numeric::pose_bound::{PoseBound, PoseJet};
use crate::numeric::separation::StandingTriangle;
use crate::numeric::vectors::{Vector, Vectorised, WIDTH};

/// A number in every lane.
pub type Eight = Lanes<WIDTH>;

#[inline(always)]
fn lanes<T: Vector, P>(all: &[&P; WIDTH], of: impl Fn(&P) -> f64) -> T {
    let mut lanes = [0.0; WIDTH];
    for i in 0..WIDTH {
        lanes[i] = of(all[i]);
    }
    T::load(&lanes)
}

#[inline(always)]
fn vector<T: Vector, P>(all: &[&P; WIDTH], of: impl Fn(&P) -> &V3<f64>) -> V3<T> {
    V3([lanes(all, |p| of(p).0[0]), lanes(all, |p| of(p).0[1]), lanes(all, |p| of(p).0[2])])
}

/// Bounds in their lanes: mostly all the same.
#[inline(always)]
fn poses<T: Vector>(poses: &[&PoseBound<f64>; WIDTH]) -> PoseBound<T> {
    let first = poses[0];
    if poses[1..].iter().all(|p| std::ptr::eq(*p, first)) {
        return first.broadcast();
    }
    let mut all = PoseBound { form: first.form, jet: PoseJet::zero(), ball: [T::new(0.0); 2] };
    for n in 0..3 {
        all.jet.x[n] = vector(poses, |p| &p.jet.x[n]);
        for i in 0..3 {
            for j in 0..3 {
                all.jet.p[n].0[i][j] = lanes(poses, |p| p.jet.p[n].0[i][j]);
            }
        }
    }
    all.ball = [lanes(poses, |p| p.ball[0]), lanes(poses, |p| p.ball[1])];
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
    /// Bounds on the poses of the pairs' bodies over `|τ| <= h`, all of one form.
    pub poses: [&'a PoseBound<f64>; WIDTH],
    /// The pairs.
    pub pairs: [&'a Pair; WIDTH],
    /// See `pose`.
    pub h: f64,
    /// See above.
    pub look: f64,
    /// The distance that counts as contact, metres.
    pub margin_m: f64,
    /// Lanes that are also to be cut by the direction between the nearest points: it tells margins, and triangles without an area.
    pub by_nearest: u32,
}

impl Vectorised for Windows<'_> {
    type Output = Window<Eight>;

    #[inline(always)]
    fn run<T: Vector>(self) -> Self::Output {
        let (pose, reach) = (poses::<T>(&self.poses), lanes(&self.pairs, |p| p.reach));
        let [a, b, c] = moving::<T>(&self.pairs);
        let x = [pose.point(a, reach), pose.point(b, reach), pose.point(c, reach)];
        let tri = StandingTriangle { y: standing(&self.pairs), error: lanes(&self.pairs, |p| p.tri.error) };
        let h = T::new(self.h);
        let (x, y) = triangle_sides(&x, &tri, h, T::new(self.look), self.margin_m);
        let mut window = triangles(&x, &y, h, u32::MAX >> (32 - WIDTH));
        let left = self.by_nearest & !window.empty();
        if left != 0 {
            window.cut(nearest(&x.at, &y.d).apart, &x, &y, left);
        }
        Window { lo: window.lo.store(), hi: window.hi.store() }
    }
}
