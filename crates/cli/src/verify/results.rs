//! Certificates next to the answers of the check.

use crate::report::answer::{Answer, Kind as Verdict};
use firstcontact::{Error, Result};
use firstcontact_verifier::{Kind, Proved, Time};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Fraction of a segment by which a proof may end before its answer, because rounding hides the gap there.
const EARLIER: f64 = 1e-7;
/// The same with joint tolerances, because the search bounds deviations more closely than a proof does.
const EARLIER_WITH_TOLERANCE: f64 = 3e-2;

/// The first certificate that proves less than its answer, or the reason why they cannot be compared.
type Refused = std::result::Result<(), String>;

/// Compares certificates with the answers of the check, if these are given.
pub struct Compared {
    answers: Option<BufReader<File>>,
    /// Share of a segment by which a proof may end before its answer.
    earlier: f64,
    so_far: Refused,
    /// Number of contacts that are proved by their answers, but have no witness.
    n_without_witness: usize,
}

impl Compared {
    /// Opens the answers. `with_tolerance` is true if they are for joint tolerances.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn begin(answers: Option<&Path>, with_tolerance: bool) -> Result<Self> {
        let open = |path: &Path| {
            let unreadable = |e| Error::input(format!("it cannot be read: {e}")).in_file(path);
            File::open(path).map(BufReader::new).map_err(unreadable)
        };
        let earlier = if with_tolerance { EARLIER_WITH_TOLERANCE } else { EARLIER };
        let answers = answers.map(open).transpose()?;
        Ok(Self { answers, earlier, so_far: Ok(()), n_without_witness: 0 })
    }

    fn line(&mut self) -> std::result::Result<Option<String>, String> {
        let (mut line, Some(answers)) = (String::new(), &mut self.answers) else { return Ok(None) };
        let n = answers.read_line(&mut line).map_err(|e| format!("the answers cannot be read: {e}"))?;
        Ok((n > 0).then(|| line.trim_end_matches('\n').to_string()))
    }

    /// Compares the certificate of the next motion with its answer, and returns its line.
    pub fn next(&mut self, motion: usize, proved: Option<&Proved>) -> Option<String> {
        if self.answers.is_none() || self.so_far.is_err() {
            return None;
        }
        let compared = self.line().and_then(|line| {
            let line = line.ok_or("the answers end before this motion")?;
            let has_witness = proves(&line, motion, proved, self.earlier)?;
            self.n_without_witness += usize::from(!has_witness);
            Ok(line)
        });
        compared.map_err(|why| self.so_far = Err(format!("motion {motion}: {why}"))).ok()
    }

    /// Succeeds if all certificates prove their answers, and there are no other answers.
    ///
    /// # Errors
    /// A certificate proves less than its answer, or the numbers of both differ.
    pub fn finish(&mut self) -> Refused {
        self.so_far.clone()?;
        self.line()?.map_or(Ok(()), |_| Err("there are more answers than motions".into()))
    }

    /// A sentence about contacts that only the check proves.
    pub fn note(&self) -> Option<String> {
        let n = self.n_without_witness;
        (n > 0).then(|| format!("{n} contacts are proved by the check, but their certificates have no witness"))
    }
}

/// Checks that the certificate proves the answer in a line. Returns false for a proved contact without a witness, of
/// which only the clear part is proved.
fn proves(line: &str, motion: usize, proved: Option<&Proved>, earlier: f64) -> std::result::Result<bool, String> {
    let answer: Answer = serde_json::from_str(line).map_err(|e| format!("its answer cannot be read: {e}"))?;
    if answer.motion != motion {
        return Err(format!("its answer is for motion {}", answer.motion));
    }
    let Some(proved) = proved else { return Ok(true) };
    let has_witness = !(answer.proved && proved.kind == Kind::PossibleContact);
    let kinds: &[Kind] = match answer.verdict {
        Verdict::Free => &[Kind::Free],
        Verdict::Contact => &[Kind::Contact, Kind::PossibleContact],
        Verdict::Undecided => &[Kind::Undecided],
    };
    if answer.verdict == Verdict::Contact && answer.toc.is_none() {
        return Err("its answer has no interval of time".into());
    }
    if !kinds.contains(&proved.kind) {
        return Err(format!("the answer is {}, but the certificate proves {:?}", answer.verdict.name(), proved.kind));
    }
    let Some(until) = answer.toc.map(|[lo, _]| lo).or(answer.clear_until) else { return Ok(has_witness) };
    let (segment, Time { segment: last, local }) = (answer.segment.unwrap_or(0), proved.end);
    // The end of a segment is the beginning of the next one.
    let is_enough = last > segment
        || (last == segment && local >= until - earlier)
        || (last + 1 == segment && local == 1.0 && until <= earlier);
    match is_enough {
        true => Ok(has_witness),
        false => Err(format!(
            "the answer is free until {until} of segment {segment}, but the proof only until {local} of segment {last}"
        )),
    }
}
