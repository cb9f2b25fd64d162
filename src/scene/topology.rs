//! The connections of triangles: vertices of equal coordinates are one vertex.

use crate::robot::Triangle;
use glam::DVec3;
use std::collections::HashMap;

/// Triangles by the numbers of their vertices, in the order of the triangles.
#[derive(Clone, Debug)]
pub struct Topology {
    corners: Vec<[u32; 3]>,
    n_vertices: usize,
}

impl Topology {
    /// Numbers the vertices of triangles.
    pub fn new(triangles: impl IntoIterator<Item = Triangle>) -> Self {
        let mut numbers = HashMap::new();
        // Adding zero turns -0 into 0.
        let mut number = |v: DVec3| {
            let next = numbers.len() as u32;
            *numbers.entry((v + 0.0).to_array().map(f64::to_bits)).or_insert(next)
        };
        let corners = triangles.into_iter().map(|triangle| triangle.map(&mut number)).collect();
        Self { corners, n_vertices: numbers.len() }
    }

    /// Returns whether some of the triangles form a closed surface: every edge belongs to two of them that traverse it
    /// in opposite directions. Triangles that collapse to an edge or a point are ignored.
    pub fn is_closed(&self, some: std::ops::Range<usize>) -> bool {
        let mut edges: HashMap<[u32; 2], u32> = HashMap::new();
        for &[a, b, c] in &self.corners[some] {
            if a != b && b != c && c != a {
                for edge in [[a, b], [b, c], [c, a]] {
                    *edges.entry(edge).or_default() += 1;
                }
            }
        }
        !edges.is_empty() && edges.iter().all(|(&[a, b], &n)| n == 1 && edges.contains_key(&[b, a]))
    }

    /// The connected component of each triangle, and the number of components; triangles that share a vertex are
    /// connected. Components are numbered in the order of their first triangles.
    pub fn components(&self) -> (Vec<u32>, usize) {
        let mut above: Vec<u32> = (0..self.n_vertices as u32).collect();
        for &[a, b, c] in &self.corners {
            for other in [b, c] {
                let (a, other) = (root(&mut above, a), root(&mut above, other));
                above[other as usize] = a;
            }
        }
        let mut number_of = HashMap::new();
        let mut number = |corners: &[u32; 3]| {
            let next = number_of.len() as u32;
            *number_of.entry(root(&mut above, corners[0])).or_insert(next)
        };
        let components = self.corners.iter().map(&mut number).collect();
        (components, number_of.len())
    }
}

/// The vertex that represents the component of a vertex.
fn root(above: &mut [u32], mut vertex: u32) -> u32 {
    while above[vertex as usize] != vertex {
        above[vertex as usize] = above[above[vertex as usize] as usize];
        vertex = above[vertex as usize];
    }
    vertex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_share_vertices() {
        let at = |x: f64| [DVec3::new(x, 0.0, 0.0), DVec3::new(x + 1.0, 0.0, 0.0), DVec3::new(x, 1.0, 0.0)];
        // The third triangle joins the first two, the fourth is alone, the last one is a point of the first.
        let bridge = [DVec3::X, DVec3::new(5.0, 0.0, 0.0), DVec3::Z];
        let topology = Topology::new([at(0.0), at(5.0), bridge, at(9.0), [-DVec3::ZERO; 3]]);
        assert_eq!(topology.components(), (vec![0, 0, 0, 1, 0], 2));
    }
}
