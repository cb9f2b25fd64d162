//! A cubic lattice of pipe routes on which no two pipes are close to each other.

use crate::random::Stream;
use glam::DVec3;

/// A point of the lattice.
pub(crate) type Node = [i32; 3];

/// The taken points of a box of the lattice.
pub(crate) struct Lattice {
    low: Node,
    high: Node,
    pub(crate) pitch_m: f64,
    taken: Vec<bool>,
}

impl Lattice {
    /// A lattice with all points free, both corners included.
    pub(crate) fn new(low: Node, high: Node, pitch_m: f64) -> Self {
        let n: i32 = (0..3).map(|a| (high[a] - low[a] + 1).max(0)).product();
        Self { low, high, pitch_m, taken: vec![false; n as usize] }
    }

    /// The position of a point, metres.
    pub(crate) fn position(&self, node: Node) -> DVec3 {
        DVec3::from_array(node.map(f64::from)) * self.pitch_m
    }

    /// All points, in a fixed order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        let (low, high) = (self.low, self.high);
        (low[2]..=high[2])
            .flat_map(move |z| (low[1]..=high[1]).flat_map(move |y| (low[0]..=high[0]).map(move |x| [x, y, z])))
    }

    fn index(&self, node: Node) -> Option<usize> {
        let inside = (0..3).all(|a| (self.low[a]..=self.high[a]).contains(&node[a]));
        let size = |a: usize| self.high[a] - self.low[a] + 1;
        let at = |a: usize| node[a] - self.low[a];
        inside.then(|| ((at(2) * size(1) + at(1)) * size(0) + at(0)) as usize)
    }

    /// Returns whether a point is in the box and not taken.
    pub(crate) fn is_free(&self, node: Node) -> bool {
        self.index(node).is_some_and(|i| !self.taken[i])
    }

    /// Takes a point.
    pub(crate) fn take(&mut self, node: Node) {
        if let Some(i) = self.index(node) {
            self.taken[i] = true;
        }
    }

    /// The fraction of the points that is taken.
    pub(crate) fn share_taken(&self) -> f64 {
        self.taken.iter().filter(|&&t| t).count() as f64 / self.taken.len().max(1) as f64
    }

    /// Returns whether a step along `axis` in the direction of `sign` leaves the box.
    pub(crate) fn is_border(&self, node: Node, axis: usize, sign: i32) -> bool {
        node[axis] == if sign > 0 { self.high[axis] } else { self.low[axis] }
    }

    /// A random point on the side of the box opposite to `axis`, `sign`.
    pub(crate) fn on_side(&self, axis: usize, sign: i32, random: &mut Stream) -> Node {
        let mut node = [0, 1, 2].map(|a| self.low[a] + random.below((self.high[a] - self.low[a] + 1) as usize) as i32);
        node[axis] = if sign > 0 { self.low[axis] } else { self.high[axis] };
        node
    }
}

/// The next point along an axis.
pub(crate) fn step(node: Node, axis: usize, sign: i32) -> Node {
    let mut next = node;
    next[axis] += sign;
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_taken_once_and_only_inside() {
        let mut lattice = Lattice::new([-1, 0, 2], [1, 3, 4], 0.5);
        assert_eq!(lattice.nodes().count(), 3 * 4 * 3);
        assert!(lattice.nodes().all(|n| lattice.is_free(n)));
        assert!(!lattice.is_free([2, 0, 2]) && !lattice.is_free([0, 0, 1]));
        lattice.take([1, 3, 4]);
        lattice.take([9, 9, 9]);
        assert!(!lattice.is_free([1, 3, 4]));
        assert_eq!(lattice.share_taken(), 1.0 / 36.0);
        assert_eq!(lattice.position([1, 2, 4]), DVec3::new(0.5, 1.0, 2.0));
        let mut random = Stream::new(1, "side");
        for (axis, sign) in [(0, 1), (1, -1), (2, 1)] {
            let node = lattice.on_side(axis, sign, &mut random);
            assert!(lattice.is_border(node, axis, -sign) && lattice.index(node).is_some());
        }
    }
}
