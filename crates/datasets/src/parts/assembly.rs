//! Objects before they are tessellated, and the fitting of a scene to an exact number of triangles.

use super::frame::Frame;
use super::mesh::Mesh;
use super::refine;
use super::rings::Detail;
use super::shapes::{Shape, Step};
use super::tube::Tube;
use firstcontact::error::{Error, Result};
use glam::DVec3;

/// A named mesh of a data set, in world coordinates for a scene and in the link's frame for a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The kind of object, such as `valve`.
    pub kind: &'static str,
    /// The kind and a serial number within the data set.
    pub name: String,
    /// Its triangles.
    pub mesh: Mesh,
}

/// One object, made of pieces.
#[derive(Clone, Debug)]
pub(crate) struct Assembly {
    pub(crate) kind: &'static str,
    pieces: Vec<(Frame, Shape)>,
    /// Factor on the chord error of the scene: the objects of a real model have different tessellations.
    pub(crate) coarseness: f64,
}

impl Assembly {
    pub(crate) fn new(kind: &'static str) -> Self {
        Self { kind, pieces: Vec::new(), coarseness: 1.0 }
    }

    /// Adds a piece.
    pub(crate) fn add(&mut self, frame: Frame, shape: Shape) -> &mut Self {
        self.pieces.push((frame, shape));
        self
    }

    /// Adds a box between two corners.
    pub(crate) fn block(&mut self, frame: Frame, low: [f64; 3], high: [f64; 3]) -> &mut Self {
        let (low, high) = (DVec3::from_array(low), DVec3::from_array(high));
        let middle = (low + high) * 0.5;
        let frame = frame.moved(middle.x, middle.y, middle.z);
        self.add(frame, Shape::Cuboid { half: (high - low) * 0.5 })
    }

    /// Adds a straight round rod between two points.
    pub(crate) fn rod(&mut self, from: DVec3, to: DVec3, radius: f64) -> &mut Self {
        self.add(Frame::along(from, to - from), Shape::cylinder(radius, (to - from).length()))
    }

    /// Adds a solid of revolution about the frame's z axis, its outline given upward.
    pub(crate) fn lathe(&mut self, frame: Frame, outline: &[Step]) -> &mut Self {
        self.add(frame, Shape::Lathe { outline: outline.to_vec() })
    }

    /// Adds a tube along a path; right-angled bends are rounded with radius `bend`.
    pub(crate) fn tube(&mut self, frame: Frame, path: &[DVec3], radius: f64, bend: f64) -> &mut Self {
        self.add(frame, Shape::Tube(Tube { path: path.to_vec(), radius, bend }))
    }

    /// The mesh at a given detail, coordinates in whole micrometres.
    pub(crate) fn mesh(&self, detail: Detail) -> Mesh {
        let mut mesh = Mesh::default();
        for (frame, shape) in &self.pieces {
            shape.append(self.own(detail), frame, &mut mesh);
        }
        mesh.round_to_micrometres();
        mesh
    }

    fn own(&self, detail: Detail) -> Detail {
        Detail { chord_error_m: detail.chord_error_m * self.coarseness }
    }

    pub(crate) fn n_triangles(&self, detail: Detail) -> usize {
        self.pieces.iter().map(|(_, shape)| shape.n_triangles(self.own(detail))).sum()
    }
}

/// The range of the chord errors of a scene's tessellation, metres.
const CHORD_ERRORS_M: [f64; 2] = [2e-5, 2e-2];

/// Tessellates a scene to exactly `n_triangles`: uses the smallest chord error within that number, and splits the
/// largest triangles in two to reach it.
///
/// # Errors
/// The number is odd, or too small or too large for these objects.
pub(crate) fn tessellate(assemblies: &[Assembly], n_triangles: usize) -> Result<Vec<Part>> {
    let count = |detail: Detail| -> usize { assemblies.iter().map(|a| a.n_triangles(detail)).sum() };
    let at = |chord_error_m: f64| Detail { chord_error_m };
    let [mut too_fine, mut coarse] = CHORD_ERRORS_M;
    let (most, least) = (count(at(too_fine)), count(at(coarse)));
    if !(least..=most).contains(&n_triangles) || n_triangles % 2 == 1 {
        let message = format!("the layout can have {least} to {most} triangles, not {n_triangles}");
        return Err(Error::usage(message).remedy("choose another seed"));
    }
    for _ in 0..48 {
        let middle = 0.5 * (too_fine + coarse);
        if count(at(middle)) > n_triangles { too_fine = middle } else { coarse = middle }
    }
    let mut parts: Vec<Part> = Vec::with_capacity(assemblies.len());
    for assembly in assemblies {
        let mesh = assembly.mesh(at(coarse));
        parts.push(Part { kind: assembly.kind, name: String::new(), mesh });
    }
    number(&mut parts);
    let missing = n_triangles - count(at(coarse));
    refine::cut_largest(parts.iter_mut().map(|p| &mut p.mesh), missing / 2);
    let made: usize = parts.iter().map(|p| p.mesh.triangles.len()).sum();
    if made != n_triangles {
        return Err(Error::usage(format!("the layout gives {made} triangles instead of {n_triangles}")));
    }
    Ok(parts)
}

/// Names every part with its kind and a serial number.
fn number(parts: &mut [Part]) {
    let mut seen: Vec<(&'static str, usize)> = Vec::new();
    for part in parts {
        let i = seen.iter().position(|s| s.0 == part.kind).unwrap_or_else(|| {
            seen.push((part.kind, 0));
            seen.len() - 1
        });
        part.name = format!("{}_{:03}", part.kind, seen[i].1);
        seen[i].1 += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pile() -> Vec<Assembly> {
        (0..40)
            .map(|i| {
                let mut a = Assembly::new(if i % 3 == 0 { "ring" } else { "rod" });
                a.coarseness = 0.7 + 0.02 * f64::from(i);
                let shape =
                    if i % 3 == 0 { Shape::Ring { major: 0.2, minor: 0.02 } } else { Shape::cylinder(0.05, 1.0) };
                a.add(Frame::at(f64::from(i), 0.0, 0.0), shape);
                a
            })
            .collect()
    }

    #[test]
    fn any_even_number_in_range_is_met_exactly() {
        for n in (4000..4100).step_by(2).chain([20_000, 60_002]) {
            let parts = tessellate(&pile(), n).unwrap();
            assert_eq!(parts.iter().map(|p| p.mesh.triangles.len()).sum::<usize>(), n);
            assert!(parts.iter().all(|p| p.mesh.is_closed()));
        }
    }

    #[test]
    fn impossible_numbers_are_refused() {
        for n in [0, 100, 5001, 100_000_000] {
            assert!(tessellate(&pile(), n).is_err(), "{n}");
        }
    }

    #[test]
    fn names_count_within_a_kind() {
        let parts = tessellate(&pile(), 5000).unwrap();
        let names: Vec<&str> = parts.iter().map(|p| p.name.as_str()).take(5).collect();
        assert_eq!(names, ["ring_000", "rod_000", "rod_001", "ring_001", "rod_002"]);
    }
}
