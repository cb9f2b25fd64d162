//! The environment: named objects that are triangle soups.

use crate::error::{Error, Result};
use crate::model::robot::Triangle;

/// Everything that a robot may touch, in world coordinates.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The objects in the order of the file.
    pub objects: Vec<Object>,
    /// The triangles of all objects, object after object, each in file order.
    pub triangles: Vec<Triangle>,
    /// What was odd in the input but did not stop it: one line each.
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

impl Scene {
    /// A scene without anything in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an object; its triangles are in world coordinates.
    pub fn add_object(
        &mut self,
        name: impl Into<String>,
        triangles: impl IntoIterator<Item = Triangle>,
    ) -> Result<u32> {
        let name = name.into();
        let first = self.triangles.len();
        self.triangles.extend(triangles);
        if let Some(i) = self.triangles[first..].iter().position(|t| !t.iter().all(|v| v.is_finite())) {
            return Err(
                Error::input(format!("triangle {i} has a NaN or infinite coordinate")).at(format!("object '{name}'"))
            );
        }
        let count = |n: usize| u32::try_from(n).map_err(|_| Error::input("a scene holds at most 2^32 - 1 triangles"));
        let object = Object { name, first_triangle: count(first)?, n_triangles: count(self.triangles.len() - first)? };
        self.objects.push(object);
        Ok((self.objects.len() - 1) as u32)
    }

    /// The object that a triangle of [`Scene::triangles`] belongs to.
    pub fn object_of(&self, triangle: u32) -> u32 {
        (self.objects.partition_point(|o| o.first_triangle <= triangle) as u32).saturating_sub(1)
    }
}
