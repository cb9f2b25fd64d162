//! Indexed triangle meshes made by the generators.

use glam::DVec3;

/// A mesh with shared vertices and triangles that are counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Positions, metres.
    pub vertices: Vec<DVec3>,
    /// Three vertex indices each.
    pub triangles: Vec<[u32; 3]>,
}

/// Coordinates are whole micrometres: files stay short, and the file contains exactly the values in memory.
const STEPS_PER_M: f64 = 1e6;

impl Mesh {
    /// The corner points of triangle `i`, metres.
    pub fn corners(&self, i: usize) -> [DVec3; 3] {
        self.triangles[i].map(|v| self.vertices[v as usize])
    }

    /// The triangles as corner points, metres.
    pub fn soup(&self) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        self.triangles.iter().map(|t| t.map(|v| self.vertices[v as usize]))
    }

    /// Adds a vertex and returns its index.
    pub(crate) fn vertex(&mut self, v: DVec3) -> u32 {
        self.vertices.push(v);
        (self.vertices.len() - 1) as u32
    }

    /// Rounds every coordinate to a whole micrometre.
    pub(crate) fn round_to_micrometres(&mut self) {
        for v in &mut self.vertices {
            // Adding zero turns -0 into 0.
            *v = DVec3::from_array(v.to_array().map(|x| (x * STEPS_PER_M).round() / STEPS_PER_M + 0.0));
        }
    }

    /// Six times the enclosed volume, cubic metres; positive if the triangles face outward.
    #[cfg(test)]
    pub(crate) fn six_volumes(&self) -> f64 {
        self.soup().map(|[a, b, c]| a.dot(b.cross(c))).sum()
    }

    /// Returns whether each edge is passed once in each direction, as on the surface of a solid.
    #[cfg(test)]
    pub(crate) fn is_closed(&self) -> bool {
        let mut edges: Vec<[u32; 2]> = self.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        edges.sort_unstable();
        edges.windows(2).all(|w| w[0] != w[1]) && edges.iter().all(|&[a, b]| edges.binary_search(&[b, a]).is_ok())
    }
}
