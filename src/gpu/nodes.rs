//! Nodes of the scene's tree as stored on the device: the boxes of the children are stored in bytes, on a grid for each
//! node.
//!
//! A grid's step is a power of two, and its origin a multiple of it, small enough that every corner of the grid is
//! representable in single precision. So `origin + byte * step` has no error on any adapter: a sum or product that is
//! representable is exact for any rounding or fusion. Corners are rounded outward. Clusters also have their boxes in
//! single precision, so the last test before the triangles uses exact boxes.

use crate::bvh::tree::{ChildRef, WIDTH};
use crate::scene::world::SceneBox;
use crate::stage::layout::{SceneChild, SceneNode};
use glam::Vec3;

/// Maximum number of steps from an origin.
const STEPS: f64 = 255.0;
/// Whole numbers up to this are exact in single precision.
const WHOLE: f64 = 16_777_216.0;
/// The smallest step, with which corners stay far from underflow.
const MIN_EXPONENT: i32 = -90;

/// One axis of a grid: its origin, in steps, and the step.
#[derive(Clone, Copy, Debug)]
struct Grid {
    first: f64,
    step: f64,
}

impl Grid {
    /// The finest grid that covers a range of at most 10⁶ m in single precision.
    fn over(lo: f32, hi: f32) -> Self {
        let (lo, hi) = (f64::from(lo), f64::from(hi));
        let mut exponent = MIN_EXPONENT;
        // Starts directly below the right exponent; an empty range has no logarithm.
        let least = ((hi - lo) / STEPS).max(lo.abs().max(hi.abs()) / WHOLE);
        if least > 0.0 {
            exponent = exponent.max(least.log2().floor() as i32 - 1);
        }
        loop {
            let step = 2f64.powi(exponent);
            // Division by a power of two is exact.
            let first = (lo / step).floor();
            if (hi / step).ceil() - first <= STEPS && first.abs() + STEPS <= WHOLE {
                return Self { first, step };
            }
            exponent += 1;
        }
    }

    /// Index of the corner at or below `x`; [`above`](Self::above) gives that at or above.
    fn below(&self, x: f32) -> u32 {
        ((f64::from(x) / self.step).floor() - self.first) as u32
    }

    fn above(&self, x: f32) -> u32 {
        ((f64::from(x) / self.step).ceil() - self.first) as u32
    }
}

impl SceneNode {
    /// A node with these children; the box of an empty child is ignored.
    pub fn around(children: &[(ChildRef, SceneBox); WIDTH]) -> Self {
        let there = || children.iter().filter(|(child, _)| *child != ChildRef::Empty).map(|(_, b)| *b);
        let Some(all) = there().reduce(SceneBox::join) else {
            let child = SceneChild { child: ChildRef::Empty.encode(), ..SceneChild::default() };
            return Self { children: [child; WIDTH], ..Self::default() };
        };
        let grids: [Grid; 3] = std::array::from_fn(|i| Grid::over(all.lo[i], all.hi[i]));
        let packed = |corner: &dyn Fn(usize) -> u32| corner(0) | corner(1) << 8 | corner(2) << 16;
        let children = children.map(|(child, b)| match child {
            ChildRef::Empty => SceneChild { child: child.encode(), ..SceneChild::default() },
            _ => SceneChild {
                lo: packed(&|i| grids[i].below(b.lo[i])),
                hi: packed(&|i| grids[i].above(b.hi[i])),
                child: child.encode(),
            },
        });
        let of = |value: fn(&Grid) -> f64| Vec3::from_array(grids.map(|grid| value(&grid) as f32));
        Self { origin: of(|g| g.first * g.step), step: of(|g| g.step), children, ..Self::default() }
    }

    /// The box of a child as the kernel reads it.
    pub fn decode(&self, slot: usize) -> SceneBox {
        let corner = |bytes: u32| {
            let at = |i: usize| self.origin[i] + (bytes >> (8 * i) & 0xff) as f32 * self.step[i];
            std::array::from_fn(at)
        };
        let SceneChild { lo, hi, .. } = self.children[slot];
        SceneBox { lo: corner(lo), hi: corner(hi) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    /// Boxes of all sizes, near the origin and far from it, including thin ones and points.
    fn children(rng: &mut rand_pcg::Pcg64Mcg) -> [(ChildRef, SceneBox); WIDTH] {
        let far = 10f64.powf(rng.random_range(-30.0..6.0));
        let middle: [f64; 3] = std::array::from_fn(|_| rng.random_range(-far..far));
        let size = 10f64.powf(rng.random_range(-12.0..1.0)) * far;
        let n = rng.random_range(1..=WIDTH);
        std::array::from_fn(|slot| {
            let mut b = SceneBox { lo: [0.0; 3], hi: [0.0; 3] };
            for i in 0..3 {
                let ends: [f64; 2] =
                    std::array::from_fn(|_| (middle[i] + rng.random_range(-size..size)).clamp(-1e6, 1e6));
                let thin = rng.random_range(0..4) == 0;
                b.lo[i] = ends[0].min(ends[1]) as f32;
                b.hi[i] = if thin { b.lo[i] } else { ends[0].max(ends[1]) as f32 };
            }
            (if slot < n { ChildRef::Node(slot as u32 + 1) } else { ChildRef::Empty }, b)
        })
    }

    #[test]
    fn quantized_boxes_contain_their_boxes_tightly_and_decode_exactly() {
        let mut rng = rand_pcg::Pcg64Mcg::seed_from_u64(5);
        for _ in 0..20_000 {
            let children = children(&mut rng);
            let node = SceneNode::around(&children);
            let there = || children.iter().enumerate().filter(|(_, (child, _))| *child != ChildRef::Empty);
            for i in 0..3 {
                let (step, origin) = (f64::from(node.step[i]), f64::from(node.origin[i]));
                let lo = there().fold(f64::INFINITY, |m, (_, (_, b))| m.min(b.lo[i].into()));
                let hi = there().fold(f64::NEG_INFINITY, |m, (_, (_, b))| m.max(b.hi[i].into()));
                assert_eq!(node.step[i].to_bits() << 9, 0, "a power of two");
                // A quarter of the step would not suffice, except where single precision itself is too coarse.
                let size = lo.abs().max(hi.abs());
                assert!(step <= (hi - lo) / 60.0 || step <= size / 4e6 || step <= 1e-27, "{step} for {lo} to {hi}");
                for (slot, (_, b)) in there() {
                    let read = node.decode(slot);
                    for (bytes, read, exact) in [
                        (node.children[slot].lo, read.lo[i], f64::from(b.lo[i])),
                        (node.children[slot].hi, read.hi[i], f64::from(b.hi[i])),
                    ] {
                        // Products and sums of these are exact in double precision; so they are in single precision.
                        let corner = origin + f64::from(bytes >> (8 * i) & 0xff) * step;
                        assert_eq!(f64::from(corner as f32), corner, "no number of single precision");
                        assert!(f64::from(read) == corner && (corner - exact).abs() < step, "{corner} for {exact}");
                    }
                    assert!(read.lo[i] <= b.lo[i] && read.hi[i] >= b.hi[i]);
                }
            }
            for (slot, (child, _)) in children.iter().enumerate() {
                assert_eq!(ChildRef::decode(node.children[slot].child), *child);
            }
        }
    }

    #[test]
    fn an_empty_node_has_no_children() {
        let nowhere = SceneBox { lo: [1e30; 3], hi: [-1e30; 3] };
        let node = SceneNode::around(&[(ChildRef::Empty, nowhere); WIDTH]);
        assert!(node.children.iter().all(|c| ChildRef::decode(c.child) == ChildRef::Empty));
    }
}
