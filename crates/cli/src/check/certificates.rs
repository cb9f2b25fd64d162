//! `check --certificates`: proofs of the answers for `verify`.

use crate::shard::{CertificateFile, Leaves};
use crate::{merge, outputs};
use clap::Args;
use firstcontact::certificate::Prover;
use firstcontact::engine::thread_pool;
use firstcontact::robot::Trajectory;
use firstcontact::stage::s6_solve::InitialContactPolicy;
use firstcontact::verdict::TrajectoryVerdict;
use firstcontact::{Error, Result};
use firstcontact_verification::{Place, Writer};
use firstcontact_verifier::{Hash, merkle};
use rayon::ThreadPool;
use rayon::prelude::*;
use serde::Serialize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Options of certificates.
#[derive(Clone, Debug, Args)]
pub struct CertificateArgs {
    /// Write certificates of all answers, for firstcontact verify: one file, or a folder (an existing one, or a path
    /// that ends with /) with a file for each block of 4,096 motions
    #[arg(long, value_name = "FILE|DIR", help_heading = super::ANSWERS)]
    certificates: Option<PathBuf>,
}

impl CertificateArgs {
    /// The file or folder of certificates, if they are asked for.
    pub fn file(&self) -> Option<&Path> {
        self.certificates.as_deref()
    }

    /// Refuses a folder with certificates of other motions than the `n` of the run.
    ///
    /// # Errors
    /// There are some, or the folder cannot be read.
    pub fn check_folder(&self, n: usize) -> Result<()> {
        let place = self.certificates.as_deref().map(Place::new);
        let Some(other) = place.map_or(Ok(None), |place| place.other(n))? else { return Ok(()) };
        let error = Error::input("its certificates belong to other motions").in_file(other);
        Err(error.remedy("remove it, or choose another folder"))
    }

    /// Name and hash of the file of certificates, once it is complete; `None` for a folder, which all shards of a run
    /// can share.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn hashed(&self) -> Result<Option<CertificateFile>> {
        let single = self.certificates.as_deref().filter(|path| matches!(Place::new(path), Place::File(_)));
        let hashed = |path: &Path| {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok(CertificateFile { file, blake3: merge::hash_of(path)? })
        };
        single.map(hashed).transpose()
    }

    /// The leaves of the Merkle tree over the run.
    pub fn leaves(&self) -> Leaves {
        if self.certificates.is_some() { Leaves::Certificates } else { Leaves::Answers }
    }

    /// Refuses options of the check with which there are no certificates.
    ///
    /// # Errors
    /// There is one of them.
    pub fn check(&self, initial: InitialContactPolicy, resume: bool) -> Result<()> {
        if self.certificates.is_none() {
            return Ok(());
        }
        let refuse =
            |with: &str, why: &str| Err(Error::usage(format!("--certificates cannot be combined with {with}: {why}")));
        match (initial, resume) {
            (InitialContactPolicy::Ignore, _) => refuse("--initial ignore", "ignored pairs have no proof")
                .map_err(|e: Error| e.remedy("list the pairs that may touch with --allow")),
            (_, true) => refuse("--resume", "the certificates of earlier answers are not kept")
                .map_err(|e: Error| e.remedy("leave out --resume")),
            _ => Ok(()),
        }
    }
}

/// The certificates of a run.
#[derive(Debug)]
pub struct Certificates {
    prover: Prover,
    out: Writer,
    pool: ThreadPool,
    totals: CertificateTotals,
}

/// Certificates in the summary and in `stats.json`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CertificateTotals {
    /// Number of the first motion.
    #[serde(skip)]
    first: u64,
    /// Number of certificates.
    made: u64,
    /// Numbers of the first answers without one.
    without: Vec<u64>,
    /// Number of answers without one.
    n_without: u64,
    /// Bytes of all certificates before compression.
    bytes: u64,
    /// Seconds.
    seconds: f64,
}

/// Certificates that are in memory together; each has at most 16 MiB.
const BATCH: usize = 64;
/// Numbers of answers without certificate that are listed.
const MAX_LISTED: usize = 20;

impl Certificates {
    /// Begins the file, or the first one of a folder, for motions with these numbers.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn begin(path: &Path, prover: Prover, threads: usize, numbers: &Range<usize>) -> Result<Self> {
        let out = Writer::new(Place::new(path), &prover, numbers, outputs::create)?;
        let totals = CertificateTotals { first: numbers.start as u64, ..CertificateTotals::default() };
        Ok(Self { prover, out, pool: thread_pool(threads)?, totals })
    }

    /// Adds the certificates of answers, and returns the leaf of each in the Merkle tree.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, paths: &[Trajectory], verdicts: &[&TrajectoryVerdict]) -> Result<Vec<Option<Hash>>> {
        let since = Instant::now();
        let mut leaves = Vec::with_capacity(paths.len());
        let prove = |(path, verdict): (&Trajectory, &&TrajectoryVerdict)| self.prover.certificate(path, verdict);
        for (paths, verdicts) in paths.chunks(BATCH).zip(verdicts.chunks(BATCH)) {
            let all: Vec<_> = self.pool.install(|| paths.par_iter().zip(verdicts).map(prove).collect());
            for certificate in &all {
                self.out.push(certificate.as_deref())?;
                self.totals.count(certificate.as_deref());
                leaves.push(certificate.as_deref().map(merkle::leaf));
            }
        }
        self.totals.seconds += since.elapsed().as_secs_f64();
        Ok(leaves)
    }

    /// Ends the last file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self) -> Result<CertificateTotals> {
        self.out.finish()?;
        Ok(self.totals)
    }
}

impl CertificateTotals {
    fn count(&mut self, certificate: Option<&[u8]>) {
        match certificate {
            Some(bytes) => {
                self.made += 1;
                self.bytes += bytes.len() as u64;
            }
            None => {
                if self.without.len() < MAX_LISTED {
                    self.without.push(self.first + self.made + self.n_without);
                }
                self.n_without += 1;
            }
        }
    }

    /// A sentence for the summary.
    pub fn line(&self) -> String {
        let mut line = format!("certificates: {} in {:.3} s", self.made, self.seconds);
        if self.n_without > 0 {
            line += &format!("; {} answers have no certificate, the first is {}", self.n_without, self.without[0]);
        }
        line
    }
}
