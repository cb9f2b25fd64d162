//! Files of certificates.

use std::io::{ErrorKind, Read};

use flate2::bufread::ZlibDecoder;

use crate::certificate::Bytes;
use crate::hashes::Hash;
use crate::model::Model;
use crate::refusal::{Refusal, require};
use crate::tree::Partition;

/// Largest number of canonical bytes of a certificate, 256 MiB.
pub const MAX_CERTIFICATE_BYTES: u32 = 1 << 28;
/// The first bytes of a file of certificates.
pub const MAGIC: &[u8; 8] = b"FCCERT1\n";
/// Length of the compressed bytes that marks the end of the records.
const END: u32 = u32::MAX;

/// The head of a file of certificates.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// SHA-256 of the robot.
    pub robot: Hash,
    /// SHA-256 of the scene.
    pub scene: Hash,
    /// Partitions of all links, then of the scene.
    pub partitions: Vec<Partition>,
}

/// Reads the head of a file, then its certificates: `None` for a motion without a certificate.
///
/// The memory in use is bounded by the numbers of triangles, and by [`MAX_CERTIFICATE_BYTES`].
pub struct Reader<R> {
    input: R,
    header: Header,
    n_records: u64,
    done: bool,
}

impl<R: Read> Reader<R> {
    /// Reads the head of a file for a robot and scene.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is not a file of certificates, or belongs to another robot or scene.
    pub fn new(mut input: R, model: &Model) -> Result<Self, Refusal> {
        require(read_array(&mut input)? == *MAGIC, || "this is not a file of certificates".into())?;
        let hashes: [Hash; 2] = [read_array(&mut input)?, read_array(&mut input)?];
        model.require_hashes(hashes)?;
        let mut counts: Vec<usize> = model.robot.links.iter().map(|link| link.triangles.len()).collect();
        counts.push(model.scene.n_triangles());
        let most: u64 = counts.iter().map(|n| 4 + 9 * *n as u64).sum();
        let raw = read_record(&mut input, u32::try_from(most).unwrap_or(u32::MAX))?;
        let raw = raw.ok_or_else(|| Refusal::new("the file ends after its hashes"))?;
        let partitions = read_partitions(&raw, &counts).map_err(|refusal| refusal.at("the partitions"))?;
        let header = Header { robot: hashes[0], scene: hashes[1], partitions };
        Ok(Self { input, header, n_records: 0, done: false })
    }

    /// Reads the head of a file for a look at its certificates: its partitions are skipped, and nothing can be
    /// verified.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not a file of certificates.
    pub fn without_model(mut input: R) -> Result<Self, Refusal> {
        require(read_array(&mut input)? == *MAGIC, || "this is not a file of certificates".into())?;
        let [robot, scene] = [read_array(&mut input)?, read_array(&mut input)?];
        let length = u64::from(u32::from_le_bytes(read_array(&mut input)?));
        let _raw_length: [u8; 4] = read_array(&mut input)?;
        let skipped = std::io::copy(&mut input.by_ref().take(length), &mut std::io::sink());
        let skipped = skipped.map_err(|error| failed(&error))?;
        require(skipped == length, || "the file ends too early".into())?;
        Ok(Self { input, header: Header { robot, scene, partitions: Vec::new() }, n_records: 0, done: false })
    }

    /// The head of the file.
    pub fn header(&self) -> &Header {
        &self.header
    }

    fn read(&mut self) -> Result<Option<Option<Vec<u8>>>, Refusal> {
        if let Some(raw) = read_record(&mut self.input, MAX_CERTIFICATE_BYTES)? {
            self.n_records += 1;
            return Ok(Some(if raw.is_empty() { None } else { Some(raw) }));
        }
        let (written, read) = (u64::from_le_bytes(read_array(&mut self.input)?), self.n_records);
        require(written == read, || format!("the file has {read} certificates, its end says {written}"))?;
        require(is_at_end(&mut self.input)?, || "bytes follow the end of the file".into())?;
        Ok(None)
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Option<Vec<u8>>, Refusal>;

    /// The canonical bytes of the next certificate. The first error is the last item.
    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let item = self.read().map_err(|refusal| refusal.at(format_args!("record {}", self.n_records)));
        self.done = !matches!(item, Ok(Some(_)));
        item.transpose()
    }
}

fn failed(error: &std::io::Error) -> Refusal {
    match error.kind() {
        ErrorKind::UnexpectedEof => Refusal::new("the file ends too early"),
        _ => Refusal::new(format!("the file cannot be read: {error}")),
    }
}

fn read_array<const N: usize>(input: &mut impl Read) -> Result<[u8; N], Refusal> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes).map_err(|error| failed(&error))?;
    Ok(bytes)
}

fn is_at_end(input: &mut impl Read) -> Result<bool, Refusal> {
    let mut rest = Vec::new();
    input.take(1).read_to_end(&mut rest).map_err(|error| failed(&error))?;
    Ok(rest.is_empty())
}

/// The raw bytes of the next record; none at the mark of the end. Memory is taken as bytes arrive.
fn read_record(input: &mut impl Read, most: u32) -> Result<Option<Vec<u8>>, Refusal> {
    let length = u32::from_le_bytes(read_array(input)?);
    if length == END {
        return Ok(None);
    }
    let raw_length = u32::from_le_bytes(read_array(input)?);
    require(raw_length <= most, || format!("a record of {raw_length} bytes is longer than {most}"))?;
    // A stream that does not compress has 5 bytes more per block and 6 at its ends.
    let longest = if raw_length == 0 { 0 } else { u64::from(raw_length) + u64::from(raw_length) / 512 + 64 };
    require(u64::from(length) <= longest, || format!("{length} bytes are too long for a record of {raw_length}"))?;
    let mut stream = Vec::new();
    input.take(u64::from(length)).read_to_end(&mut stream).map_err(|error| failed(&error))?;
    require(stream.len() == length as usize, || "the file ends too early".into())?;
    if raw_length == 0 { Ok(Some(Vec::new())) } else { inflate(&stream, raw_length).map(Some) }
}

/// The bytes of a zlib stream, which has exactly this length and nothing after it.
fn inflate(stream: &[u8], length: u32) -> Result<Vec<u8>, Refusal> {
    let (mut decoder, mut raw) = (ZlibDecoder::new(stream), Vec::new());
    let read = (&mut decoder).take(u64::from(length) + 1).read_to_end(&mut raw);
    read.map_err(|error| Refusal::new(format!("a record cannot be decompressed: {error}")))?;
    require(raw.len() == length as usize, || format!("a record does not have its {length} bytes"))?;
    require(decoder.total_in() == stream.len() as u64, || "bytes follow the stream of a record".into())?;
    Ok(raw)
}

fn read_partitions(raw: &[u8], counts: &[usize]) -> Result<Vec<Partition>, Refusal> {
    let mut bytes = Bytes(raw);
    let mut partitions = Vec::new();
    for &n in counts {
        let written = bytes.count()?;
        require(written == n, || format!("{written} triangles instead of {n}"))?;
        let mut partition = Partition::default();
        for _ in 0..n {
            partition.order.push(bytes.count()? as u32);
        }
        for _ in 1..n {
            partition.left.push(bytes.leb128()?);
        }
        partitions.push(partition);
    }
    require(bytes.0.is_empty(), || "bytes follow the last partition".into())?;
    Ok(partitions)
}

impl Bytes<'_> {
    /// An unsigned number of 7 bits a byte, the lowest first, in as few bytes as possible.
    fn leb128(&mut self) -> Result<u32, Refusal> {
        let mut number = 0_u64;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                let shortest = byte > 0 || shift == 0;
                require(shortest, || "a number has more bytes than it needs".into())?;
                return u32::try_from(number).map_err(|_| Refusal::new("a number is too large"));
            }
        }
        Err(Refusal::new("a number is too long"))
    }
}
