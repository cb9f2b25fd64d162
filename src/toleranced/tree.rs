//! Binary trees over polygons: an order whose ranges are halved in the middle. A checker needs only the order.

use super::enclosure::MAX_COORDINATE;

/// A range of polygons.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// First position in the order, and one past the last.
    pub range: [usize; 2],
    /// Midpoint of the box of all corners, metres.
    pub centre: [f64; 3],
    /// Half the lengths of the box's sides, rounded up.
    pub half: [f64; 3],
    /// The two halves of the range, unless it has only one polygon.
    pub children: Option<[usize; 2]>,
}

impl Node {
    /// Returns half the diagonal of the box, approximately.
    pub fn size(&self) -> f64 {
        self.half.iter().map(|h| h * h).sum::<f64>().sqrt()
    }
}

/// A tree; node 0 is the root.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The polygons in the order of the leaves.
    pub order: Vec<u32>,
    /// The nodes, parents before children.
    pub nodes: Vec<Node>,
}

impl Tree {
    /// Builds a tree over polygons given by their corners, halved along the longest side of the box of their midpoints.
    pub fn new(polygons: &[Vec<[f64; 3]>]) -> Self {
        let middles: Vec<[f64; 3]> = polygons.iter().map(|p| of_box(p.iter()).0).collect();
        let mut order: Vec<u32> = (0..polygons.len() as u32).collect();
        let mut nodes = Vec::new();
        if !order.is_empty() {
            build(polygons, &middles, &mut order, 0, &mut nodes);
        }
        Self { order, nodes }
    }

    /// Returns the polygon of a leaf.
    pub fn polygon(&self, node: &Node) -> usize {
        self.order[node.range[0]] as usize
    }
}

fn build(
    polygons: &[Vec<[f64; 3]>],
    middles: &[[f64; 3]],
    order: &mut [u32],
    first: usize,
    nodes: &mut Vec<Node>,
) -> usize {
    let at = nodes.len();
    let (centre, half) = of_box(order.iter().flat_map(|&p| &polygons[p as usize]));
    nodes.push(Node { range: [first, first + order.len()], centre, half, children: None });
    if order.len() > 1 {
        let (_, spread) = of_box(order.iter().map(|&p| &middles[p as usize]));
        let axis = (0..3).fold(0, |best, k| if spread[k] > spread[best] { k } else { best });
        let middle = order.len() / 2;
        // Ties by index, so that the same polygons give the same tree.
        order
            .sort_unstable_by(|&p, &q| middles[p as usize][axis].total_cmp(&middles[q as usize][axis]).then(p.cmp(&q)));
        let (left, right) = order.split_at_mut(middle);
        let left = build(polygons, middles, left, first, nodes);
        let right = build(polygons, middles, right, first + middle, nodes);
        nodes[at].children = Some([left, right]);
    }
    at
}

/// Returns the midpoint and half the sides of the box of some points.
fn of_box<'p>(points: impl Iterator<Item = &'p [f64; 3]>) -> ([f64; 3], [f64; 3]) {
    let (mut lo, mut hi) = ([MAX_COORDINATE; 3], [-MAX_COORDINATE; 3]);
    for p in points {
        for k in 0..3 {
            (lo[k], hi[k]) = (lo[k].min(p[k]), hi[k].max(p[k]));
        }
    }
    let centre = std::array::from_fn(|k| 0.5 * (lo[k] + hi[k]));
    // Both sides are measured from the rounded midpoint: zero for a flat box.
    let half = std::array::from_fn(|k: usize| {
        let widest = (hi[k] - centre[k]).max(centre[k] - lo[k]).max(0.0);
        if widest > 0.0 { widest.next_up() } else { 0.0 }
    });
    (centre, half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_halved_and_boxes_hold_their_polygons() {
        let polygons: Vec<Vec<[f64; 3]>> = (0..53)
            .map(|i| {
                let x = f64::from(i * 17 % 53) * 0.1;
                vec![[x, 0.3, x * x], [x + 0.7, 0.3, 0.1], [x, 0.3, 5.0]]
            })
            .collect();
        let tree = Tree::new(&polygons);
        let mut order = tree.order.clone();
        order.sort_unstable();
        assert!(order.into_iter().eq(0..53));
        for node in &tree.nodes {
            let [first, end] = node.range;
            match node.children {
                Some(children) => {
                    let middle = first + (end - first) / 2;
                    assert_eq!(children.map(|c| tree.nodes[c].range), [[first, middle], [middle, end]]);
                }
                None => assert_eq!(end, first + 1),
            }
            for p in tree.order[first..end].iter().flat_map(|&p| &polygons[p as usize]) {
                assert!((0..3).all(|k| (p[k] - node.centre[k]).abs() <= node.half[k]));
            }
        }
        assert_eq!(tree.nodes[0].half[1], 0.0);
        assert!(Tree::new(&[]).nodes.is_empty());
    }
}
