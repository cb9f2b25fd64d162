//! The environment: named objects that are triangle soups.

mod link_frames;
pub mod solids;
pub mod static_geometry;
mod topology;
pub mod world;

use crate::error::{Error, Result, quoted};
use crate::robot::Triangle;
use std::sync::Arc;
use topology::Topology;

/// All obstacles that a robot may touch, in world coordinates.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The objects, in file order.
    pub objects: Vec<Object>,
    /// The triangles of all objects, object after object, each in file order; metres.
    pub triangles: Vec<Triangle>,
    /// Warnings about the input, one line each; they do not prevent its use.
    pub warnings: Vec<String>,
}

/// A named piece of the scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its name; names need not be unique.
    pub name: String,
    /// Index of its first triangle in [`Scene::triangles`].
    pub first_triangle: u32,
    /// Number of its triangles.
    pub n_triangles: u32,
}

/// Copies the scene; pass it by value or as an [`Arc`] to avoid this.
impl From<&Scene> for Arc<Scene> {
    fn from(scene: &Scene) -> Self {
        Self::new(scene.clone())
    }
}

impl Scene {
    /// Creates an empty scene.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an object and returns its index. Its triangles are in world coordinates, metres.
    ///
    /// # Errors
    /// A coordinate is NaN or infinite, or the scene would have more than 2³² - 1 triangles. The scene is then
    /// unchanged.
    pub fn add_object(
        &mut self,
        name: impl Into<String>,
        triangles: impl IntoIterator<Item = Triangle>,
    ) -> Result<u32> {
        let first = self.triangles.len();
        self.triangles.extend(triangles);
        match self.object_from(first, name.into()) {
            Ok(object) => {
                self.objects.push(object);
                Ok((self.objects.len() - 1) as u32)
            }
            Err(e) => {
                self.triangles.truncate(first);
                Err(e)
            }
        }
    }

    /// An object of the triangles from `first` to the last one.
    fn object_from(&self, first: usize, name: String) -> Result<Object> {
        if let Some(i) = self.triangles[first..].iter().position(|t| !t.iter().all(|v| v.is_finite())) {
            return Err(Error::input(format!("triangle {i} has a NaN or infinite coordinate"))
                .at(format!("object {}", quoted(&name))));
        }
        let count = |n: usize| u32::try_from(n).map_err(|_| Error::input("a scene holds at most 2^32 - 1 triangles"));
        Ok(Object { name, first_triangle: count(first)?, n_triangles: count(self.triangles.len() - first)? })
    }

    /// The object that a triangle of [`Scene::triangles`] belongs to.
    pub fn object_of(&self, triangle: u32) -> u32 {
        (self.objects.partition_point(|o| o.first_triangle <= triangle) as u32).saturating_sub(1)
    }

    /// Number of triangles of all objects, even after an engine has taken the triangles.
    pub fn n_triangles(&self) -> u32 {
        self.objects.last().map_or(0, |o| o.first_triangle + o.n_triangles)
    }

    /// The triangles of an object; empty if there is no such object.
    pub fn triangles_of(&self, object: u32) -> &[Triangle] {
        let range = self.objects.get(object as usize).map(|o| {
            let first = o.first_triangle as usize;
            first..first + o.n_triangles as usize
        });
        range.and_then(|r| self.triangles.get(r)).unwrap_or_default()
    }

    /// Returns whether an object is a closed surface: with vertices of equal coordinates identified, every edge belongs
    /// to two triangles that traverse it in opposite directions. Triangles that collapse to an edge or a point are
    /// ignored.
    pub fn is_closed(&self, object: u32) -> bool {
        let triangles = self.triangles_of(object);
        Topology::new(triangles.iter().copied()).is_closed(0..triangles.len())
    }
}

/// Moves `items[order[i]]` to index `i`, in place; `order` contains every index once.
pub(crate) fn permute<T: Copy>(items: &mut [T], order: &[u32]) {
    let mut done = vec![false; items.len()];
    for start in 0..items.len() {
        let (first, mut at) = (items[start], start);
        while !done[at] {
            done[at] = true;
            let from = order[at] as usize;
            items[at] = if from == start { first } else { items[from] };
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn a_permutation_in_place() {
        for step in [1u32, 5, 7, 30] {
            let order: Vec<u32> = (0..31).map(|i| (i * step + 3) % 31).collect();
            let mut items: Vec<u32> = (100..131).collect();
            permute(&mut items, &order);
            assert!(items.iter().zip(&order).all(|(item, from)| *item == 100 + from));
        }
    }

    fn tetrahedron() -> Vec<Triangle> {
        let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        vec![[o, y, x], [o, x, z], [o, z, y], [x, y, z]]
    }

    #[test]
    fn a_refused_object_leaves_the_scene_unchanged() {
        let mut scene = Scene::new();
        assert_eq!(scene.add_object("good", tetrahedron()).unwrap(), 0);
        let mut bad = tetrahedron();
        bad[2][1].y = f64::NAN;
        let error = scene.add_object("bad", bad).unwrap_err().to_string();
        assert_eq!(error, "object 'bad': triangle 2 has a NaN or infinite coordinate");
        assert_eq!((scene.objects.len(), scene.triangles.len()), (1, 4));
        assert_eq!(scene.add_object("next", tetrahedron()[..1].to_vec()).unwrap(), 1);
        assert_eq!(scene.triangles_of(1).len(), 1);
    }

    #[test]
    fn closed_surfaces_are_recognised() {
        let mut scene = Scene::new();
        let mut closed = |triangles: Vec<Triangle>| {
            let object = scene.add_object("", triangles).unwrap();
            scene.is_closed(object)
        };
        assert!(closed(tetrahedron()));
        assert!(!closed(tetrahedron()[..3].to_vec()), "open");
        let mut turned = tetrahedron();
        turned[1].swap(0, 1);
        assert!(!closed(turned), "one triangle turned round");
        let mut doubled = tetrahedron();
        doubled.push(doubled[0]);
        assert!(!closed(doubled), "an edge of three triangles");
        let mut signed = tetrahedron();
        signed[0][0] = -signed[0][0];
        signed.push([DVec3::X; 3]);
        assert!(closed(signed), "-0 is 0, and a point is nothing");
        assert!(!closed(Vec::new()));
        assert!(!scene.is_closed(1000));
    }
}
