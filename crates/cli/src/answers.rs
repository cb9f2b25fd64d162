//! Answers that are written as they arrive, and continuation of an unfinished run.
//!
//! While `OUT.part` grows, `OUT.part.json` records, by hashes, the inputs and options that the answers belong to. The
//! lock on `OUT.part` protects both. A finished file has the same hashes and its own as an extended attribute, if the
//! file system supports this.

use super::merkle::MerkleTree;
use super::resume::Fingerprint;
use super::warn;
use firstcontact::engine::Stats;
use firstcontact::io::output::{self, AtomicFile};
use firstcontact::{Error, ErrorKind, Result};
use firstcontact_verifier::Hash;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The output of answers.
#[derive(Debug)]
pub struct Answers {
    to: To,
    tree: MerkleTree,
}

/// A finished file of answers.
#[derive(Clone, Debug)]
pub struct Written {
    /// The tree over all answers.
    pub tree: MerkleTree,
    /// Length and BLAKE3 of the file; `None` for a stream.
    pub file: Option<(u64, String)>,
}

#[derive(Debug)]
enum To {
    File(Box<Growing>),
    /// The output is a stream, so nothing can be kept or continued.
    Stream(AtomicFile),
    /// All answers are in this file already, with this length and hash.
    Finished(PathBuf, u64, String),
}

/// A file of answers that grows.
#[derive(Debug)]
struct Growing {
    // This field is dropped first, because the part is useless without its record.
    record: Record,
    file: AtomicFile,
    out: PathBuf,
    of: Fingerprint,
    /// Hasher of the lines so far.
    hash: blake3::Hasher,
    /// Bytes of the lines so far.
    length: u64,
}

/// `OUT.part.json`.
#[derive(Debug)]
struct Record {
    path: PathBuf,
    removes: bool,
}

impl Drop for Record {
    fn drop(&mut self) {
        if self.removes {
            // The files may already be missing; a failure has no consequences.
            let _ = fs::remove_file(&self.path);
            let _ = fs::remove_file(output::replacement_of(&self.path));
        }
    }
}

/// The proof of identity that is stored with a finished file.
#[derive(Serialize, Deserialize)]
struct Finished {
    of: Fingerprint,
    /// BLAKE3 of the file.
    answers: String,
}

/// The answers in a file.
struct Known {
    stats: Stats,
    /// Length of its whole lines, bytes.
    length: u64,
    hash: blake3::Hasher,
    tree: MerkleTree,
}

const RESTART: &str = "without --resume the work starts from the beginning";

impl Answers {
    /// Prepares the opened output `out` for the answers from motion `first` on. With `resume`, continues with the
    /// answers of an unfinished run, if there are any, and returns their counts; finished answers are recognised.
    /// Otherwise, starts an empty file.
    ///
    /// # Errors
    /// The answers so far belong to other inputs or options, or are damaged; a file cannot be read or written.
    pub fn start(
        mut file: AtomicFile,
        out: &Path,
        of: Fingerprint,
        (first, resume): (u64, bool),
    ) -> Result<(Self, Stats)> {
        let empty = |to| (Self { to, tree: MerkleTree::default() }, Stats::default());
        if file.is_stream() {
            return Ok(empty(To::Stream(file)));
        }
        let mut path = output::part_of(out).into_os_string();
        path.push(".json");
        let mut record = Record { path: path.into(), removes: false };
        let kept = if resume { kept_answers(&mut file, &record.path, out, (&of, first))? } else { None };
        if let Some(Known { stats, length, hash, tree }) = kept {
            file.continue_at(length)?;
            let to = To::File(Box::new(Growing { record, file, out: out.into(), of, hash, length }));
            return Ok((Self { to, tree }, stats));
        }
        // The part contains nothing to continue with.
        record.removes = true;
        file.retain(false);
        if resume && let Some(Known { stats, length, hash, tree }) = finished_answers(out, (&of, first))? {
            say!("{}: already finished with these inputs and options", out.display());
            return Ok((Self { to: To::Finished(out.into(), length, hash.finalize().to_string()), tree }, stats));
        }
        // The order matters: answers for other inputs must never be next to this record.
        file.restart()?;
        let text = serde_json::to_string_pretty(&of).map_err(|e| Error::usage(e.to_string()))?;
        output::replace(&record.path, &(text + "\n"))?;
        let hash = blake3::Hasher::new();
        Ok(empty(To::File(Box::new(Growing { record, file, out: out.into(), of, hash, length: 0 }))))
    }

    /// The file with the answers so far; `None` for a stream.
    pub fn file(&self) -> Option<PathBuf> {
        match &self.to {
            To::File(growing) => Some(output::part_of(&growing.out)),
            To::Finished(out, ..) => Some(out.clone()),
            To::Stream(_) => None,
        }
    }

    /// Appends one answer. Its leaf in the Merkle tree is that of its certificate, if there is a certificate.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn line(&mut self, line: &str, certificate: Option<Hash>) -> Result<()> {
        match certificate {
            Some(leaf) => self.tree.add(leaf),
            None => self.tree.add_line(line.as_bytes()),
        }
        match &mut self.to {
            To::File(growing) => {
                growing.hash.update(line.as_bytes()).update(b"\n");
                growing.length += line.len() as u64 + 1;
                growing.file.line(line)
            }
            To::Stream(file) => file.line(line),
            To::Finished(..) => Err(Error::usage("there are more answers than motions")),
        }
    }

    /// Keeps the answers so far after an error, and adds to the error how to continue.
    pub fn keep(self, error: Error) -> Error {
        match self.to {
            To::File(growing) => growing.keep(error),
            To::Stream(_) | To::Finished(..) => error,
        }
    }

    /// Moves the file to its final path.
    ///
    /// # Errors
    /// The output cannot be written or moved; in this case the answers so far are kept.
    pub fn finish(self) -> Result<Written> {
        let file = match self.to {
            To::File(growing) => {
                let file = (growing.length, growing.hash.finalize().to_string());
                growing.finish()?;
                Some(file)
            }
            To::Stream(mut file) => {
                file.flush()?;
                None
            }
            To::Finished(_, length, hash) => Some((length, hash)),
        };
        Ok(Written { tree: self.tree, file })
    }
}

impl Growing {
    fn keep(mut self, error: Error) -> Error {
        // If this fails, the whole lines before it remain, and an error is already being returned.
        let _ = self.file.flush();
        if !self.retain() {
            return error;
        }
        let part = output::part_of(&self.out);
        let remedy = match error.kind() {
            ErrorKind::Output => "once it can be written again, --resume continues from there",
            _ => "--resume continues from there",
        };
        error.remedy(format!("the answers so far are kept in {}; {remedy}", part.display()))
    }

    /// Keeps the part and the record if they contain answers.
    fn retain(&mut self) -> bool {
        let has_answers = self.file.whole_bytes() > 0;
        self.file.retain(has_answers);
        self.record.removes = !has_answers;
        has_answers
    }

    fn finish(mut self) -> Result<()> {
        if let Err(error) = self.file.flush() {
            return Err(self.keep(error));
        }
        self.retain();
        let mark = Finished { of: self.of.short(), answers: self.hash.finalize().to_string() };
        if let Ok(text) = serde_json::to_string(&mark) {
            // Without it, --resume starts from the beginning.
            self.file.mark(&text);
        }
        let Self { mut record, file, out, .. } = self;
        let kept = || format!("the answers are kept in {}; --resume finishes them", output::part_of(&out).display());
        file.finish().map_err(|e| e.remedy(kept()))?;
        // The lock has moved with the file. The record may belong to a process that has just started, so it is checked
        // under that process's lock.
        let part = AtomicFile::open(&out);
        record.removes = match &part {
            Ok(part) => part.found_bytes() == 0,
            Err(error) => error.kind() != ErrorKind::Busy,
        };
        drop(record);
        Ok(())
    }
}

/// The answers of an unfinished run; `None` if they do not contain a whole line.
fn kept_answers(
    file: &mut AtomicFile,
    record: &Path,
    out: &Path,
    (of, first): (&Fingerprint, u64),
) -> Result<Option<Known>> {
    let part = output::part_of(out);
    let unreadable = |e: io::Error| Error::input(format!("cannot read: {e}")).in_file(&part);
    if !has_line(&mut file.content()?).map_err(unreadable)? {
        return Ok(None);
    }
    let unknown = |why: String| Error::input(why).in_file(record).remedy(RESTART);
    let text = fs::read(record).map_err(|e| unknown(format!("cannot read the record of the existing answers: {e}")))?;
    let before: Fingerprint = serde_json::from_slice(&text).map_err(|e| unknown(format!("damaged: {e}")))?;
    let differences = before.differences(of);
    if !differences.is_empty() {
        let message = format!("the answers so far belong to a run that differs in: {}", differences.join(", "));
        return Err(Error::usage(message).in_file(&part).remedy(RESTART));
    }
    let mut content = file.content()?;
    answers(&mut content, first).map(Some).map_err(|e| e.in_file(&part).remedy(RESTART))
}

/// The answers in the finished file, if the file certainly belongs to these inputs and options.
fn finished_answers(out: &Path, (of, first): (&Fingerprint, u64)) -> Result<Option<Known>> {
    let Ok(file) = fs::File::open(out) else { return Ok(None) };
    let mark = output::mark_of(&file).and_then(|text| serde_json::from_str::<Finished>(&text).ok());
    let unproven = || {
        let what = "nothing proves that these answers belong to these inputs and options";
        warn(&format!("{}: {what}, so the check starts from the beginning", out.display()));
        Ok(None)
    };
    let Some(mark) = mark else { return unproven() };
    let Ok(known) = answers(&mut BufReader::with_capacity(1 << 16, file), first) else { return unproven() };
    if known.hash.finalize().to_string() != mark.answers {
        return unproven();
    }
    let differences = mark.of.differences(&of.short());
    if !differences.is_empty() {
        let message =
            format!("the answers are finished, but belong to a run that differs in: {}", differences.join(", "));
        return Err(Error::usage(message).in_file(out).remedy(RESTART));
    }
    Ok(Some(known))
}

/// The fields of an answer that are read back.
#[derive(Deserialize)]
struct Answer {
    motion: u64,
    verdict: String,
    #[serde(default)]
    certified: bool,
}

/// Returns whether there is a whole line.
fn has_line(content: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let bytes = content.fill_buf()?;
        if bytes.is_empty() || bytes.contains(&b'\n') {
            return Ok(!bytes.is_empty());
        }
        let n = bytes.len();
        content.consume(n);
    }
}

/// Counts the answers in the file's whole lines, from motion `first` on.
fn answers(content: &mut impl BufRead, first: u64) -> Result<Known> {
    let (mut stats, mut length, mut line) = (Stats::default(), 0, Vec::new());
    let (mut hash, mut tree) = (blake3::Hasher::new(), MerkleTree::default());
    loop {
        line.clear();
        let unreadable = |e: io::Error| Error::input(format!("cannot read: {e}"));
        let n = content.read_until(b'\n', &mut line).map_err(unreadable)?;
        // A line that was cut short is not an answer.
        if line.last() != Some(&b'\n') {
            return Ok(Known { stats, length, hash, tree });
        }
        let answer: Option<Answer> = serde_json::from_slice(&line).ok();
        match answer.as_ref().filter(|a| a.motion == first + stats.motions).map(|a| a.verdict.as_str()) {
            Some("free") => stats.free += 1,
            Some("undecided") => stats.undecided += 1,
            Some("contact") => {
                stats.contact += 1;
                stats.certified += u64::from(answer.is_some_and(|a| a.certified));
            }
            _ => {
                let (line, motion) = (stats.motions + 1, first + stats.motions);
                return Err(Error::input(format!("line {line} is not an answer to motion {motion}")));
            }
        }
        hash.update(&line);
        tree.add_line(&line[..n - 1]);
        stats.motions += 1;
        length += n as u64;
    }
}
