//! Hashes and the file format; `crates/verifier/FORMAT.md` defines both.

use super::partition::Partition;
use crate::error::{Error, ErrorKind, Result};
use crate::robot::{JointKind, Robot, Trajectory, Triangle};
use crate::scene::Scene;
use flate2::{Compression, write::ZlibEncoder};
use glam::{DMat3, DVec3};
use sha2::{Digest, Sha256};
use std::io::Write;

/// The first bytes of a file.
const MAGIC: &[u8; 8] = b"FCCERT1\n";
/// The length that ends the records.
const END: u32 = u32::MAX;

/// The hash of a robot.
pub fn hash_of_robot(robot: &Robot) -> [u8; 32] {
    let mut hash = Hash::new(b"FCROBOT1");
    hash.count(robot.columns.len());
    hash.count(robot.bodies.len());
    for body in &robot.bodies {
        hash.bytes(&body.parent.map_or(-1, |parent| parent as i32).to_le_bytes());
        hash.matrix(&body.joint.orientation);
        hash.vector(body.joint.origin_m);
        let (kind, axis, column, multiplier, offset) = match &body.joint.kind {
            JointKind::Fixed => (0, DVec3::ZERO, 0, 0.0, 0.0),
            JointKind::Revolute { axis, drive } => (1, *axis, drive.column, drive.multiplier, drive.offset),
            JointKind::Prismatic { axis, drive } => (2, *axis, drive.column, drive.multiplier, drive.offset),
            JointKind::Free { first_column } => (3, DVec3::ZERO, *first_column, 0.0, 0.0),
        };
        hash.bytes(&[kind]);
        hash.vector(axis);
        hash.bytes(&column.to_le_bytes());
        hash.bytes(&multiplier.to_le_bytes());
        hash.bytes(&offset.to_le_bytes());
    }
    let links: Vec<_> = robot.links.iter().filter(|link| !link.triangles.is_empty()).collect();
    hash.count(links.len());
    for link in links {
        hash.name(&link.name);
        hash.bytes(&link.body.to_le_bytes());
        hash.triangles(&link.triangles);
    }
    hash.end()
}

/// The hash of a scene.
pub fn hash_of_scene(scene: &Scene) -> [u8; 32] {
    let mut hash = Hash::new(b"FCSCENE1");
    hash.count(scene.objects.len());
    for (i, object) in scene.objects.iter().enumerate() {
        hash.name(&object.name);
        hash.triangles(scene.triangles_of(i as u32));
    }
    hash.end()
}

/// The hash of a trajectory; its times do not count.
pub fn hash_of_motion(trajectory: &Trajectory) -> [u8; 32] {
    let mut hash = Hash::new(b"FCMOTN_1");
    hash.count(trajectory.n_columns());
    hash.count(trajectory.n_segments());
    for segment in 0..trajectory.n_segments() {
        hash.bytes(&[trajectory.degree(segment) as u8]);
        for column in 0..trajectory.n_columns() {
            hash.bytes(bytemuck::cast_slice(trajectory.coefficients(segment, column)));
        }
    }
    hash.end()
}

/// SHA-256 of numbers in little-endian order.
struct Hash(Sha256);

impl Hash {
    fn new(what: &[u8; 8]) -> Self {
        Self(Sha256::new_with_prefix(what))
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn count(&mut self, n: usize) {
        self.bytes(&(n as u32).to_le_bytes());
    }

    fn name(&mut self, name: &str) {
        self.count(name.len());
        self.bytes(name.as_bytes());
    }

    fn vector(&mut self, v: DVec3) {
        self.bytes(bytemuck::cast_slice(&v.to_array()));
    }

    fn matrix(&mut self, m: &DMat3) {
        self.bytes(bytemuck::cast_slice(&m.to_cols_array()));
    }

    fn triangles(&mut self, triangles: &[Triangle]) {
        self.count(triangles.len());
        triangles.iter().flatten().for_each(|v| self.vector(*v));
    }

    fn end(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// The bytes before the first certificate of a file.
///
/// # Errors
/// The partitions have more than 4 GiB.
pub fn header(hashes: [[u8; 32]; 2], partitions: &[&Partition]) -> Result<Vec<u8>> {
    let mut raw = Vec::new();
    for partition in partitions {
        raw.extend((partition.order.len() as u32).to_le_bytes());
        raw.extend_from_slice(bytemuck::cast_slice(&partition.order));
        let inner = partition.nodes.iter().filter(|node| !node.is_leaf());
        inner.for_each(|node| leb128(node.left, &mut raw));
    }
    let mut header = [&MAGIC[..], &hashes[0], &hashes[1]].concat();
    record(&mut header, &raw)?;
    Ok(header)
}

/// Writes certificates as a file, one after the other.
#[derive(Debug)]
pub struct CertificateWriter<W: Write> {
    out: W,
    n: u64,
}

impl<W: Write> CertificateWriter<W> {
    /// Starts a file with the [`header`](super::Prover::header) of the prover that makes the certificates.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn new(mut out: W, header: &[u8]) -> Result<Self> {
        write(&mut out, header)?;
        Ok(Self { out, n: 0 })
    }

    /// Writes the certificate of the next motion; `None` records a motion without a certificate.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn push(&mut self, certificate: Option<&[u8]>) -> Result<()> {
        self.n += 1;
        record(&mut self.out, certificate.unwrap_or(&[]))
    }

    /// Ends the file and returns the writer.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> Result<W> {
        write(&mut self.out, &END.to_le_bytes())?;
        write(&mut self.out, &self.n.to_le_bytes())?;
        Ok(self.out)
    }
}

fn write(out: &mut impl Write, bytes: &[u8]) -> Result<()> {
    out.write_all(bytes).map_err(|e| unwritable(&e))
}

fn unwritable(error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Output, format!("certificates cannot be written: {error}"))
}

fn record(out: &mut impl Write, raw: &[u8]) -> Result<()> {
    let compressed = match raw {
        [] => Vec::new(),
        _ => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(6));
            write(&mut encoder, raw)?;
            encoder.finish().map_err(|e| unwritable(&e))?
        }
    };
    for n in [compressed.len(), raw.len()] {
        let n = u32::try_from(n).ok().filter(|n| *n != END);
        let n = n.ok_or_else(|| Error::input("a certificate or partition is larger than 4 GiB"))?;
        write(out, &n.to_le_bytes())?;
    }
    write(out, &compressed)
}

/// Appends a number in groups of seven bits, the lowest first.
fn leb128(mut n: u32, out: &mut Vec<u8>) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}
