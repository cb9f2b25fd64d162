//! SHA-256 of the canonical bytes of robots, scenes and motions.

use sha2::{Digest, Sha256};

use crate::model::{Joint, Motion, Robot, Scene};

/// A SHA-256 hash.
pub type Hash = [u8; 32];

/// Bytes that are hashed as they are written.
struct Bytes(Sha256);

impl Bytes {
    fn new(magic: &[u8; 8]) -> Self {
        Self(Sha256::new_with_prefix(magic))
    }

    /// A number below 2^32; a larger one is cut off, and such a model has no valid certificate.
    fn count(&mut self, n: usize) {
        self.0.update((n as u32).to_le_bytes());
    }

    fn byte(&mut self, byte: u8) {
        self.0.update([byte]);
    }

    fn floats<'a>(&mut self, numbers: impl IntoIterator<Item = &'a f64>) {
        for number in numbers {
            self.0.update(number.to_le_bytes());
        }
    }

    fn triangles(&mut self, name: &str, body: Option<usize>, triangles: &[[[f64; 3]; 3]]) {
        self.count(name.len());
        self.0.update(name);
        if let Some(body) = body {
            self.count(body);
        }
        self.count(triangles.len());
        self.floats(triangles.iter().flatten().flatten());
    }

    fn hash(self) -> Hash {
        self.0.finalize().into()
    }
}

impl Robot {
    /// SHA-256 of the canonical bytes.
    pub fn hash(&self) -> Hash {
        let mut bytes = Bytes::new(b"FCROBOT1");
        bytes.count(self.n_columns);
        bytes.count(self.bodies.len());
        for body in &self.bodies {
            bytes.count(body.parent.unwrap_or(usize::MAX));
            bytes.floats(body.orientation.iter().flatten());
            bytes.floats(&body.origin_m);
            let (kind, axis, column, multiplier, offset) = match &body.joint {
                Joint::Fixed => (0, [0.0; 3], 0, 0.0, 0.0),
                Joint::Revolute { axis, drive: d } => (1, *axis, d.column, d.multiplier, d.offset),
                Joint::Prismatic { axis, drive: d } => (2, *axis, d.column, d.multiplier, d.offset),
                Joint::Free { first_column } => (3, [0.0; 3], *first_column, 0.0, 0.0),
            };
            bytes.byte(kind);
            bytes.floats(&axis);
            bytes.count(column);
            bytes.floats([&multiplier, &offset]);
        }
        bytes.count(self.links.len());
        for link in &self.links {
            bytes.triangles(&link.name, Some(link.body), &link.triangles);
        }
        bytes.hash()
    }
}

impl Scene {
    /// SHA-256 of the canonical bytes.
    pub fn hash(&self) -> Hash {
        let mut bytes = Bytes::new(b"FCSCENE1");
        bytes.count(self.objects.len());
        for object in &self.objects {
            bytes.triangles(&object.name, None, &object.triangles);
        }
        bytes.hash()
    }
}

impl Motion {
    /// SHA-256 of the canonical bytes.
    pub fn hash(&self) -> Hash {
        let mut bytes = Bytes::new(b"FCMOTN_1");
        bytes.count(self.segments.first().map_or(0, |segment| segment.coefficients.len()));
        bytes.count(self.segments.len());
        for segment in &self.segments {
            bytes.byte(segment.degree() as u8);
            bytes.floats(segment.coefficients.iter().flatten());
        }
        bytes.hash()
    }
}
