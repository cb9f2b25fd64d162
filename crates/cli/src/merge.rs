//! `firstcontact merge`: the answers of all shards of a run as one file, with the same bytes as the file of a single
//! process.

mod certificates;
mod manifest;

use super::shard::ShardRecord;
use super::{Outcome, outputs};
use clap::Args;
use firstcontact::error::quoted;
use firstcontact::io::output::AtomicFile;
use firstcontact::{Error, Result};
use manifest::Manifest;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// The answers of all shards of a run, each next to its record RESULTS.jsonl.shard.json, in any order
    #[arg(value_name = "RESULTS.jsonl", required = true)]
    shards: Vec<PathBuf>,
    /// The answers of the run
    #[arg(long, value_name = "RESULTS.jsonl|-")]
    out: PathBuf,
    /// Record of the run, JSON: hashes of robot, scene and options, counts, shards, and the Merkle root
    #[arg(long, value_name = "RUN.json")]
    manifest: Option<PathBuf>,
    /// The certificates of the run, from those of the shards
    #[arg(long, value_name = "FILE")]
    certificates: Option<PathBuf>,
    /// Accept shards answered by different processors or adapters: enclosures of the time of contact overlap, and
    /// only contacts that are not proved may be free on another
    #[arg(long)]
    allow_mixed_backends: bool,
}

/// A shard: its answers and their record.
struct Part {
    out: PathBuf,
    record: ShardRecord,
}

/// Bytes that are copied together.
const BUFFER: usize = 1 << 20;

/// Runs the command. Exits as `check` does.
pub fn run(args: &MergeArgs) -> Result<Outcome> {
    let inputs: Vec<PathBuf> = args.shards.iter().flat_map(|out| [out.clone(), ShardRecord::path(out)]).collect();
    let more = [("--manifest", &args.manifest), ("--certificates", &args.certificates)];
    let more = more.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?)));
    let all: Vec<(&str, &Path)> = std::iter::once(("--out", args.out.as_path())).chain(more).collect();
    outputs::check(&inputs.iter().map(PathBuf::as_path).collect::<Vec<_>>(), &all)?;
    let parts = read(&args.shards)?;
    belong_together(&parts, args.allow_mixed_backends)?;
    let manifest = Manifest::new(&parts)?;
    let mut out = outputs::create(&args.out)?;
    let text = args.manifest.as_deref().map(outputs::create).transpose()?;
    let certificates = args.certificates.as_deref().map(|path| certificates::merge(&parts, path)).transpose()?;
    parts.iter().try_for_each(|part| copy(part, &mut out))?;
    if let Some(certificates) = certificates {
        certificates.finish()?;
    }
    out.finish()?;
    if let Some(mut file) = text {
        file.line(&manifest.to_json()?)?;
        file.finish()?;
    }
    manifest.lines().iter().for_each(|line| say!("{line}"));
    Ok(manifest.outcome())
}

/// The shards in the order of their motions; they cover all motions of the run once.
fn read(shards: &[PathBuf]) -> Result<Vec<Part>> {
    let read = |out: &PathBuf| Ok(Part { out: out.clone(), record: ShardRecord::read(out)? });
    let mut parts = shards.iter().map(read).collect::<Result<Vec<Part>>>()?;
    // Of empty shards, too, the order is that of their numbers.
    parts.sort_by_key(|part| part.record.shard.index);
    let of = parts.first().map_or(0, |part| part.record.shard.of);
    let total = parts.first().map_or(0, |part| part.record.total);
    for part in &parts {
        let record = &part.record;
        if (record.shard.of, record.total) != (of, total) {
            let message = format!(
                "it is one of {} shards with {} motions in all, but {} is one of {of} with {total}",
                record.shard.of,
                record.total,
                parts[0].out.display()
            );
            return Err(Error::input(message).in_file(&part.out));
        }
    }
    let missing = (0..of).find(|index| parts.binary_search_by_key(index, |part| part.record.shard.index).is_err());
    if let Some(index) = missing {
        let message = format!("shard {index}/{of} is missing");
        return Err(Error::usage(message).remedy("give the answers of all shards"));
    }
    if let Some([a, b]) = parts.windows(2).find(|pair| pair[0].record.shard == pair[1].record.shard) {
        let message = format!("it is shard {}/{of}, and so is {}", a.record.shard.index, b.out.display());
        return Err(Error::usage(message).in_file(&a.out));
    }
    for part in &parts {
        let ShardRecord { shard, first, motions, .. } = &part.record;
        let numbers = shard.motions(total as usize);
        let expected = (numbers.start as u64, numbers.len() as u64);
        if (*first, *motions) != expected {
            return Err(damaged(&ShardRecord::path(&part.out), "its motions are not those of its shard"));
        }
    }
    Ok(parts)
}

/// Refuses shards of different runs.
fn belong_together(parts: &[Part], mixed: bool) -> Result<()> {
    let Some(first) = parts.first() else { return Ok(()) };
    for part in parts {
        let differences: Vec<&str> = first
            .record
            .run
            .differences(&part.record.run)
            .into_iter()
            .filter(|what| *what != "motions" && *what != "backend")
            .collect();
        if !differences.is_empty() {
            let message = format!(
                "it belongs to a different run from {}; they differ in: {}",
                first.out.display(),
                differences.join(", ")
            );
            return Err(Error::usage(message)
                .in_file(&part.out)
                .remedy("check this shard again with the inputs and options of the others"));
        }
        if let [Some(a), Some(b)] = [first, part].map(|part| &part.record.file)
            && a != b
        {
            let message = format!("its motions are from a different file from the motions of {}", first.out.display());
            return Err(Error::usage(message).in_file(&part.out).remedy("check this shard again"));
        }
        let [a, b] = [first, part].map(|part| part.record.run.device());
        if a != b && !mixed {
            let message = format!(
                "it was answered by {}, but {} answered shard {}",
                quoted(b),
                quoted(a),
                first.record.shard.index
            );
            let remedy = "--allow-mixed-backends accepts that: enclosures of times may differ, and grazing contacts";
            return Err(Error::usage(message).in_file(&part.out).remedy(remedy));
        }
        let [a, b] = [first, part].map(|part| part.record.leaves);
        if a != b {
            let message = "some shards have certificates and some do not, so the run has no Merkle root";
            return Err(Error::usage(message).in_file(&part.out));
        }
    }
    Ok(())
}

/// Appends the answers of a shard, which must match its record.
fn copy(part: &Part, out: &mut AtomicFile) -> Result<()> {
    let mut hash = blake3::Hasher::new();
    let n = pass(&part.out, |bytes| {
        hash.update(bytes);
        out.write_all(bytes)
    })?;
    if n == part.record.bytes && hash.finalize().to_string() == part.record.blake3 {
        return Ok(());
    }
    Err(damaged(&part.out, "these are not the answers that its record describes"))
}

/// Passes the content of a file on, piece by piece, and returns its length.
fn pass(path: &Path, mut to: impl FnMut(&[u8]) -> std::io::Result<()>) -> Result<u64> {
    let unreadable = |e: std::io::Error| Error::input(format!("it cannot be read: {e}")).in_file(path);
    let (mut file, mut buffer, mut n) = (File::open(path).map_err(unreadable)?, vec![0; BUFFER], 0);
    loop {
        let read = file.read(&mut buffer).map_err(unreadable)?;
        if read == 0 {
            return Ok(n);
        }
        n += read as u64;
        to(&buffer[..read]).map_err(|e| Error::new(firstcontact::ErrorKind::Output, format!("cannot write: {e}")))?;
    }
}

/// BLAKE3 of a file.
///
/// # Errors
/// It cannot be read.
pub fn hash_of(path: &Path) -> Result<String> {
    let mut hash = blake3::Hasher::new();
    pass(path, |bytes| {
        hash.update(bytes);
        Ok(())
    })?;
    Ok(hash.finalize().to_string())
}

fn damaged(path: &Path, why: &str) -> Error {
    Error::input(why).in_file(path).remedy("check this shard again")
}
