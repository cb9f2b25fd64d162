//! The canonical bytes of robots, scenes and motions, and their SHA-256.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

use crate::model::{Joint, Motion, Robot, Scene};

/// A SHA-256 hash.
pub type Hash = [u8; 32];

/// Numbers and names as bytes.
struct Bytes<W>(W);

impl<W: Write> Bytes<W> {
    /// A number below 2^32; a larger one is cut off, and such a model has no valid certificate.
    fn count(&mut self, n: usize) -> io::Result<()> {
        self.0.write_all(&(n as u32).to_le_bytes())
    }

    fn floats<'a>(&mut self, numbers: impl IntoIterator<Item = &'a f64>) -> io::Result<()> {
        numbers.into_iter().try_for_each(|number| self.0.write_all(&number.to_le_bytes()))
    }

    fn triangles(&mut self, name: &str, body: Option<usize>, triangles: &[[[f64; 3]; 3]]) -> io::Result<()> {
        self.count(name.len())?;
        self.0.write_all(name.as_bytes())?;
        if let Some(body) = body {
            self.count(body)?;
        }
        self.count(triangles.len())?;
        self.floats(triangles.iter().flatten().flatten())
    }
}

/// The SHA-256 of what is written.
fn hash(write: impl FnOnce(&mut Hasher) -> io::Result<()>) -> Hash {
    let mut hasher = Hasher(Sha256::new());
    // Hashing does not fail.
    let _ = write(&mut hasher);
    hasher.0.finalize().into()
}

struct Hasher(Sha256);

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Robot {
    /// SHA-256 of the canonical bytes.
    pub fn hash(&self) -> Hash {
        hash(|out| self.write(out))
    }

    /// Writes the canonical bytes.
    ///
    /// # Errors
    ///
    /// `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut bytes = Bytes(out);
        bytes.0.write_all(b"FCROBOT1")?;
        bytes.count(self.n_columns)?;
        bytes.count(self.bodies.len())?;
        for body in &self.bodies {
            bytes.count(body.parent.unwrap_or(usize::MAX))?;
            bytes.floats(body.orientation.iter().flatten())?;
            bytes.floats(&body.origin_m)?;
            let (kind, axis, column, multiplier, offset) = match &body.joint {
                Joint::Fixed => (0, [0.0; 3], 0, 0.0, 0.0),
                Joint::Revolute { axis, drive: d } => (1, *axis, d.column, d.multiplier, d.offset),
                Joint::Prismatic { axis, drive: d } => (2, *axis, d.column, d.multiplier, d.offset),
                Joint::Free { first_column } => (3, [0.0; 3], *first_column, 0.0, 0.0),
            };
            bytes.0.write_all(&[kind])?;
            bytes.floats(&axis)?;
            bytes.count(column)?;
            bytes.floats([&multiplier, &offset])?;
        }
        bytes.count(self.links.len())?;
        self.links.iter().try_for_each(|link| bytes.triangles(&link.name, Some(link.body), &link.triangles))
    }
}

impl Scene {
    /// SHA-256 of the canonical bytes.
    pub fn hash(&self) -> Hash {
        hash(|out| self.write(out))
    }

    /// Writes the canonical bytes.
    ///
    /// # Errors
    ///
    /// `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut bytes = Bytes(out);
        bytes.0.write_all(b"FCSCENE1")?;
        bytes.count(self.objects.len())?;
        self.objects.iter().try_for_each(|object| bytes.triangles(&object.name, None, &object.triangles))
    }
}

impl Motion {
    /// SHA-256 of the canonical bytes.
    pub fn hash(&self) -> Hash {
        hash(|out| self.write(out))
    }

    /// Writes the canonical bytes.
    ///
    /// # Errors
    ///
    /// `out` cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut bytes = Bytes(out);
        bytes.0.write_all(b"FCMOTN_1")?;
        bytes.count(self.segments.first().map_or(0, |segment| segment.coefficients.len()))?;
        bytes.count(self.segments.len())?;
        for segment in &self.segments {
            bytes.0.write_all(&[segment.degree() as u8])?;
            bytes.floats(segment.coefficients.iter().flatten())?;
        }
        Ok(())
    }
}
