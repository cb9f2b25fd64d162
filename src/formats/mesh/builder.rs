//! Collects triangles and groups. Rejects coordinates that are not finite and triangles that exceed the limits.

use super::{Group, Mesh};
use crate::error::{Error, Result};
use crate::io::load::{LoadLimits, bytes_of};
use crate::robot::Triangle;
use glam::DVec3;
use std::collections::HashMap;

/// A mesh under construction.
pub(super) struct Builder {
    mesh: Mesh,
    limits: LoadLimits,
    by_name: HashMap<Option<String>, usize>,
    current: Option<usize>,
}

impl Builder {
    pub fn new(limits: LoadLimits) -> Self {
        Self { mesh: Mesh::default(), limits, by_name: HashMap::new(), current: None }
    }

    /// Starts or continues the group of this name.
    pub fn group(&mut self, name: Option<&str>) {
        let name = name.map(str::trim).filter(|n| !n.is_empty()).map(str::to_string);
        let groups = &mut self.mesh.groups;
        let index = *self.by_name.entry(name.clone()).or_insert_with(|| {
            groups.push(Group { name, runs: Vec::new() });
            groups.len() - 1
        });
        self.current = Some(index);
    }

    /// Starts a new group even if another one has the same name; without a name, uses the unnamed group.
    pub fn own_group(&mut self, name: Option<&str>) {
        match name.map(str::trim).filter(|n| !n.is_empty()) {
            None => self.group(None),
            Some(name) => {
                self.mesh.groups.push(Group { name: Some(name.to_string()), runs: Vec::new() });
                self.current = Some(self.mesh.groups.len() - 1);
            }
        }
    }

    /// Returns an error if `n` more triangles would exceed the limits; for counts that are known beforehand.
    pub fn check_room(&self, n: usize) -> Result<()> {
        let total = self.mesh.triangles.len().saturating_add(n);
        let bytes = bytes_of::<Triangle>(total);
        if bytes <= u128::from(self.limits.memory_bytes) {
            return Ok(());
        }
        self.limits.check(bytes, &format!("{total} triangles"))
    }

    pub fn triangle(&mut self, triangle: Triangle) -> Result<()> {
        let n = self.mesh.triangles.len();
        if !triangle.iter().all(|v| v.is_finite()) {
            return Err(Error::input(format!("triangle {n} has a NaN or infinite coordinate")));
        }
        self.check_room(1)?;
        if self.current.is_none() {
            self.group(None);
        }
        self.mesh.triangles.push(triangle);
        if let Some(group) = self.current.and_then(|g| self.mesh.groups.get_mut(g)) {
            match group.runs.last_mut() {
                Some(run) if run.end == n => run.end = n + 1,
                _ => group.runs.push(n..n + 1),
            }
        }
        Ok(())
    }

    /// Adds a polygon as a fan about its first vertex.
    pub fn polygon(&mut self, vertices: &[DVec3]) -> Result<()> {
        match vertices {
            [first, rest @ ..] if rest.len() >= 2 => {
                rest.windows(2).try_for_each(|pair| self.triangle([*first, pair[0], pair[1]]))
            }
            _ => Err(Error::input(format!("a polygon has only {} vertices", vertices.len()))),
        }
    }

    /// Adds a strip: each vertex after the second makes a triangle with the two before it, with alternating
    /// orientation.
    pub fn strip(&mut self, vertices: &[DVec3]) -> Result<()> {
        if vertices.len() < 3 {
            return Err(Error::input(format!("a triangle strip has only {} vertices", vertices.len())));
        }
        vertices
            .windows(3)
            .enumerate()
            .try_for_each(|(i, v)| self.triangle(if i % 2 == 0 { [v[0], v[1], v[2]] } else { [v[1], v[0], v[2]] }))
    }

    /// The remaining limits, for other readers.
    pub fn limits(&self) -> LoadLimits {
        self.limits.less(bytes_of::<Triangle>(self.mesh.triangles.len()) as u64)
    }

    /// The triangles alone, possibly empty.
    pub fn into_triangles(self) -> Vec<Triangle> {
        self.mesh.triangles
    }

    pub fn finish(mut self) -> Result<Mesh> {
        if self.mesh.triangles.is_empty() {
            return Err(Error::input("it has no triangle"));
        }
        self.mesh.groups.retain(|g| !g.runs.is_empty());
        Ok(self.mesh)
    }
}
