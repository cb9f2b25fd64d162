//! Certificates of plans: made while the plans are checked, and verified afterwards.

use crate::bench::run::shell_quoted;
use crate::check::certificates::Certificates;
use crate::model::Model;
use crate::queries::Queries;
use crate::question::Question;
use crate::verify::Subject;
use firstcontact::Result;
use firstcontact::robot::Trajectory;
use firstcontact::verdict::TrajectoryVerdict;
use firstcontact_verification::Place;
use firstcontact_verifier::Proved;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::path::{Component, Path, PathBuf};

/// Characters that are percent-encoded in a link.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// Number of certificates that are made together.
const BATCH: usize = 256;

/// Certificates that are being made.
pub struct Proofs {
    certificates: Certificates,
    subject: Subject,
    path: PathBuf,
    paths: Vec<Trajectory>,
    verdicts: Vec<TrajectoryVerdict>,
}

/// Certificates that were verified.
#[derive(Debug)]
pub struct Verified {
    /// Their file.
    pub path: PathBuf,
    /// For each plan the number of steps of its proof; `None` without a certificate.
    pub steps: Vec<Option<u64>>,
    /// The reason for which a certificate, and with it the file, is refused.
    pub refusal: Option<String>,
}

impl Proofs {
    /// Begins a file of certificates for a question, whose scene must still have its triangles.
    ///
    /// # Errors
    /// The file cannot be written, or a file of proofs about links cannot be read.
    pub fn begin(path: &Path, question: &Question, model: &Model, margin_m: f64) -> Result<Self> {
        let prover = question.prover(model, margin_m)?;
        let pairs = question.unproved_pairs(model, margin_m)?;
        let subject = Subject::new(&model.robot, question, &pairs, margin_m);
        let certificates = Certificates::begin(path, prover, 0, &(0..question.queries.len()))?;
        Ok(Self { certificates, subject, path: path.to_path_buf(), paths: Vec::new(), verdicts: Vec::new() })
    }

    /// Adds the answer for the next plan.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, path: &Trajectory, verdict: TrajectoryVerdict) -> Result<()> {
        self.paths.push(path.clone());
        self.verdicts.push(verdict);
        if self.paths.len() < BATCH { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<()> {
        let verdicts: Vec<&TrajectoryVerdict> = self.verdicts.iter().collect();
        self.certificates.add(&self.paths, &verdicts)?;
        self.paths.clear();
        self.verdicts.clear();
        Ok(())
    }

    /// Ends the file, and verifies it.
    ///
    /// # Errors
    /// The file cannot be written, or read again.
    pub fn verify(mut self, queries: &Queries) -> Result<Verified> {
        self.flush()?;
        let Self { certificates, subject, path, .. } = self;
        certificates.finish()?;
        let mut steps = Vec::new();
        let mut each = |_: usize, proved: Option<&Proved>| steps.push(proved.map(|of| of.n_steps));
        let refusal = subject.verify(&path, (queries, 0..queries.len()), 0, &mut each)?.err();
        Ok(Verified { path, steps, refusal })
    }
}

impl Verified {
    /// The number of verified certificates.
    pub fn n(&self) -> usize {
        self.steps.iter().flatten().count()
    }

    /// Returns the text about the certificate of a plan.
    pub fn in_words(&self, plan: usize) -> String {
        match (self.steps.get(plan), &self.refusal) {
            (Some(Some(1)), _) => "verified, one step".into(),
            (Some(Some(steps)), _) => format!("verified, {steps} steps"),
            (Some(None), _) => "no proof was found".into(),
            (None, Some(refusal)) => format!("not verified: {refusal}"),
            (None, None) => "not verified".into(),
        }
    }

    /// Returns a sentence about all certificates.
    pub fn sentence(&self, n_plans: usize) -> String {
        let n = self.n();
        match &self.refusal {
            Some(refusal) => format!("A certificate is refused, so do not rely on these answers: {refusal}."),
            None => format!(
                "{n} of {n_plans} answers have a certificate, verified by a program that shares no code with the \
                 check. To repeat it: firstcontact verify {}, with the inputs and options of this page.",
                shell_quoted(&self.path.to_string_lossy())
            ),
        }
    }

    /// The address of the file with the certificate of a plan for a link from a page.
    pub fn address(&self, plan: usize, page: &Path) -> String {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let (file, page) = (absolute(&Place::new(&self.path).file_of(plan)), absolute(page));
        let (root, file) = split(&file);
        let (root_of_page, folder) = split(page.parent().unwrap_or(&page));
        let encoded = |parts: &[String]| {
            parts.iter().map(|part| utf8_percent_encode(part, ENCODED).to_string()).collect::<Vec<_>>().join("/")
        };
        if root != root_of_page {
            let drive = root.trim_end_matches(['\\', '/']);
            let before = if drive.is_empty() { String::new() } else { format!("{drive}/") };
            return format!("file:///{before}{}", encoded(&file));
        }
        let n_shared = file.iter().zip(&folder).take_while(|(a, b)| a == b).count();
        format!("{}{}", "../".repeat(folder.len() - n_shared), encoded(&file[n_shared..]))
    }
}

/// The root of an absolute path and its names, without `..`.
fn split(path: &Path) -> (String, Vec<String>) {
    let (mut root, mut names) = (String::new(), Vec::new());
    for part in path.components() {
        match part {
            Component::Normal(name) => names.push(name.to_string_lossy().into_owned()),
            Component::ParentDir => drop(names.pop()),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir => root += &part.as_os_str().to_string_lossy(),
        }
    }
    (root, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_relative_to_the_page() {
        let address = |file: &str, page: &str| {
            let verified = Verified { path: file.into(), steps: Vec::new(), refusal: None };
            verified.address(0, Path::new(page))
        };
        for (file, page, expected) in [
            ("c.fccert", "page.html", "c.fccert"),
            ("proofs of plans/c.fccert", "page.html", "proofs%20of%20plans/c.fccert"),
            ("out/../certs/c.fccert", "out/page.html", "../certs/c.fccert"),
            ("../certs/c.fccert", "page.html", "../certs/c.fccert"),
            ("certs/c.fccert", "certs/../certs/page.html", "c.fccert"),
            ("c.fccert", "a/b/page.html", "../../c.fccert"),
        ] {
            assert_eq!(address(file, page), expected, "{file} from {page}");
        }
    }
}
