//! Shards of a run: `check --shard I/N` answers a part of the motions, and writes a record for `merge` next to its
//! answers.

use super::merkle::{MerkleTree, hex};
use super::resume::Fingerprint;
use firstcontact::engine::Stats;
use firstcontact::io::output;
use firstcontact::{Error, Result};
use firstcontact_verifier::merkle::BLOCK;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The form of the record.
pub const FORMAT: &str = "firstcontact-shard-1";

/// One of N parts of a run, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Its number.
    pub index: u64,
    /// Number of parts.
    pub of: u64,
}

impl Shard {
    /// Everything.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    /// The motions of this part among `n`: a run of whole blocks of 4,096. Parts differ by at most one block.
    pub fn motions(self, n: usize) -> Range<usize> {
        let blocks = n.div_ceil(BLOCK) as u128;
        let start = |index: u64| (blocks * u128::from(index) / u128::from(self.of)) as usize * BLOCK;
        start(self.index).min(n)..start(self.index + 1).min(n)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wanted = || format!("'{text}' is not I/N, such as 0/16: shard I of N, from 0");
        let (index, of) = text.split_once('/').ok_or_else(wanted)?;
        let [index, of] = [index, of].map(|number| number.parse::<u64>());
        match (index, of) {
            (Ok(index), Ok(of)) if index < of => Ok(Self { index, of }),
            (Ok(_), Ok(of)) if of > 0 => Err(format!("'{text}': shards are numbered from 0 to {}", of - 1)),
            _ => Err(wanted()),
        }
    }
}

/// The record of a finished shard, `OUT.shard.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShardRecord {
    /// [`FORMAT`].
    pub format: String,
    /// The part of the run.
    #[serde(flatten)]
    pub shard: Shard,
    /// Number of the first motion.
    pub first: u64,
    /// Number of motions.
    pub motions: u64,
    /// Number of motions of the whole run.
    pub total: u64,
    /// Everything that the answers depend on; `motions` is the hash of this shard's motions.
    pub run: Fingerprint,
    /// BLAKE3 of the length, the beginning and the end of the file of motions, if it is one.
    #[serde(default)]
    pub file: Option<String>,
    /// Length of the file of answers.
    pub bytes: u64,
    /// BLAKE3 of the file of answers.
    pub blake3: String,
    /// Leaves of the Merkle tree.
    pub leaves: Leaves,
    /// The Merkle roots of the blocks of 4,096 leaves.
    pub blocks: Vec<String>,
    /// Number of free motions.
    pub free: u64,
    /// Number of motions with a contact.
    pub contact: u64,
    /// Number of certified contacts.
    pub certified: u64,
    /// Number of undecided motions.
    pub undecided: u64,
    /// Number of motions that start inside a solid; not known of a run that was interrupted and resumed.
    #[serde(default)]
    pub start_inside: Option<u64>,
    /// The pairs of these motions, as in `stats.json`.
    #[serde(default)]
    pub inside: Option<Vec<CountedPair>>,
    /// The pairs that touch at the start and were ignored, as in `stats.json`.
    #[serde(default)]
    pub ignored: Option<Vec<CountedPair>>,
    /// The file of certificates, if they are in a single file.
    pub certificates: Option<CertificateFile>,
    /// Seconds of checking.
    pub wall_s: f64,
}

/// A pair of a link and an object or another link, with the number of its motions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedPair {
    link: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    object: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    other_link: Option<String>,
    motions: u64,
}

impl CountedPair {
    /// Adds the pairs of another shard.
    pub fn add(to: &mut Vec<Self>, other: &[Self]) {
        for pair in other {
            let is_same = |known: &&mut Self| {
                (&known.link, &known.object, &known.other_link) == (&pair.link, &pair.object, &pair.other_link)
            };
            match to.iter_mut().find(is_same) {
                Some(known) => known.motions += pair.motions,
                None => to.push(pair.clone()),
            }
        }
    }
}

/// The leaves of a Merkle tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leaves {
    /// The lines of answers.
    Answers,
    /// Certificates, and lines of answers that have none.
    Certificates,
}

/// The certificates of a shard.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CertificateFile {
    /// Its name in the folder of the answers.
    pub file: String,
    /// BLAKE3 of its content.
    pub blake3: String,
}

/// Number of bytes at each end of a file of motions that identify it.
const IDENTIFYING_BYTES: u64 = 1 << 16;

/// A hash of the length, the beginning and the end of a file, if it is one that can be read: cheap, because each shard
/// computes it.
pub fn file_identity(path: &Path) -> Option<String> {
    let mut file = std::fs::File::open(path).ok()?;
    let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let (mut hash, mut bytes) = (blake3::Hasher::new(), Vec::new());
    hash.update(&metadata.len().to_le_bytes());
    for start in [0, metadata.len().saturating_sub(IDENTIFYING_BYTES)] {
        bytes.clear();
        file.seek(SeekFrom::Start(start)).ok()?;
        file.by_ref().take(IDENTIFYING_BYTES).read_to_end(&mut bytes).ok()?;
        hash.update(&bytes);
    }
    Some(hash.finalize().to_string())
}

impl ShardRecord {
    /// The record next to a file of answers.
    pub fn path(out: &Path) -> PathBuf {
        let mut name = out.as_os_str().to_os_string();
        name.push(".shard.json");
        name.into()
    }

    /// The record of answers that are finished, with statistics as numbers and in JSON.
    pub fn new(
        shard: Shard,
        (motions, total): (Range<usize>, usize),
        (run, file): (Fingerprint, Option<String>),
        (bytes, blake3, tree, leaves): (u64, String, &MerkleTree, Leaves),
        (stats, json, certificates): (&Stats, &Value, Option<CertificateFile>),
    ) -> Self {
        let pairs = |name: &str| serde_json::from_value(json[name].clone()).ok().flatten();
        Self {
            format: FORMAT.into(),
            shard,
            first: motions.start as u64,
            motions: motions.len() as u64,
            total: total as u64,
            run,
            file,
            bytes,
            blake3,
            leaves,
            blocks: tree.blocks().iter().map(hex).collect(),
            free: stats.free,
            contact: stats.contact,
            certified: stats.certified,
            undecided: stats.undecided,
            start_inside: json["start_inside"].as_u64(),
            inside: pairs("inside"),
            ignored: pairs("ignored"),
            certificates,
            wall_s: stats.wall_s,
        }
    }

    /// Writes the record next to its file of answers.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, out: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(|e| Error::usage(e.to_string()))?;
        output::replace(&Self::path(out), &(text + "\n"))
    }

    /// Reads the record next to a file of answers.
    ///
    /// # Errors
    /// It is missing or damaged.
    pub fn read(out: &Path) -> Result<Self> {
        let path = Self::path(out);
        let text = std::fs::read(&path).map_err(|e| {
            let error = Error::input(format!("it cannot be read: {e}")).in_file(&path);
            error.remedy("check --shard writes it next to the answers once they are complete; copy both")
        })?;
        let record: Self = serde_json::from_slice(&text)
            .map_err(|e| Error::input(format!("it is not the record of a shard: {e}")).in_file(&path))?;
        if record.format == FORMAT {
            Ok(record)
        } else {
            Err(Error::input(format!("its format is {:?}, not {FORMAT:?}", record.format)).in_file(&path))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shard;

    #[test]
    fn shards_are_whole_blocks_that_cover_everything() {
        for n in [0, 1, 4095, 4096, 4097, 40_960, 100_000] {
            for of in [1, 2, 3, 7, 40] {
                let parts: Vec<_> = (0..of).map(|index| Shard { index, of }.motions(n)).collect();
                assert_eq!(parts[0].start, 0);
                assert_eq!(parts[of as usize - 1].end, n);
                assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
                assert!(parts.iter().all(|part| part.start % 4096 == 0 || part.start == n));
                let (least, most) = parts.iter().fold((n, 0), |(l, m), p| (l.min(p.len()), m.max(p.len())));
                assert!(most - least <= 2 * 4096, "{n} in {of}: {parts:?}");
            }
        }
    }

    #[test]
    fn shard_numbers_start_at_zero() {
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, of: 3 }));
        for text in ["3/3", "1", "a/b", "-1/2", "0/0", "1/2/3", ""] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
