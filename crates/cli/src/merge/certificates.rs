//! The certificates of all shards as one file. Certificates are copied unchanged; only the head and the end of each
//! file are omitted. `crates/verifier/FORMAT.md` defines the format.

use super::{Part, damaged, hash_of};
use crate::outputs;
use crate::shard::Leaves;
use firstcontact::io::output::AtomicFile;
use firstcontact::{Error, ErrorKind, Result};
use firstcontact_verifier::MAGIC;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// The length that ends the records.
const END: u32 = u32::MAX;

/// Copies the certificates of all shards into a file, which is complete once it is finished.
///
/// # Errors
/// A shard has no certificates, or others than its record describes; a file cannot be read or written.
pub fn merge(parts: &[Part], path: &Path) -> Result<AtomicFile> {
    let mut out = outputs::create(path)?;
    let (mut head, mut n) = (Vec::new(), 0);
    for part in parts {
        let file = file_of(part)?;
        let unreadable = |e: io::Error| Error::input(format!("it cannot be copied: {e}")).in_file(&file);
        let mut input = BufReader::new(File::open(&file).map_err(unreadable)?);
        let own = read_head(&mut input).map_err(unreadable)?;
        if head.is_empty() {
            out.write_all(&own).map_err(unreadable)?;
            head = own;
        } else if head != own {
            return Err(damaged(&file, "its certificates belong to another robot or scene"));
        }
        n += copy_records(&mut input, &mut out).map_err(unreadable)?;
    }
    let end = [&END.to_le_bytes()[..], &u64::to_le_bytes(n)].concat();
    out.write_all(&end).map_err(|e| Error::new(ErrorKind::Output, format!("cannot write: {e}")).in_file(path))?;
    Ok(out)
}

/// The file of certificates of a shard, which is next to its answers.
fn file_of(part: &Part) -> Result<PathBuf> {
    let Some(of) = &part.record.certificates else {
        let (why, remedy) = match part.record.leaves {
            Leaves::Answers => {
                ("this shard was checked without --certificates", "check it again with them, or merge without")
            }
            Leaves::Certificates => (
                "the certificates of this shard are in a folder",
                "merge without --certificates: \
                verify reads the folder",
            ),
        };
        return Err(Error::usage(why).in_file(&part.out).remedy(remedy));
    };
    let file = part.out.with_file_name(&of.file);
    if hash_of(&file)? == of.blake3 {
        Ok(file)
    } else {
        Err(damaged(&file, "these are not the certificates that the record of the shard describes"))
    }
}

/// The hashes and partitions at the head of a file.
fn read_head(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = vec![0; MAGIC.len() + 64];
    input.read_exact(&mut head)?;
    let length = read_u32(input)?;
    head.extend(length.to_le_bytes());
    copy(input, &mut head, u64::from(length) + 4)?;
    Ok(head)
}

/// Copies records up to the end, and returns their number.
fn copy_records(input: &mut impl Read, out: &mut impl Write) -> io::Result<u64> {
    let mut n = 0;
    loop {
        let length = read_u32(input)?;
        if length == END {
            return Ok(n);
        }
        out.write_all(&length.to_le_bytes())?;
        copy(input, out, u64::from(length) + 4)?;
        n += 1;
    }
}

fn read_u32(input: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn copy(input: &mut impl Read, out: &mut impl Write, n: u64) -> io::Result<()> {
    let copied = io::copy(&mut input.take(n), out)?;
    if copied == n { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}
