//! `check --certificates`: proofs of the answers for `verify`.

use crate::outputs;
use clap::Args;
use firstcontact::certificate::{CertificateWriter, Prover};
use firstcontact::engine::thread_pool;
use firstcontact::io::output::AtomicFile;
use firstcontact::robot::Trajectory;
use firstcontact::stage::s6_solve::InitialContactPolicy;
use firstcontact::verdict::TrajectoryVerdict;
use firstcontact::{Error, Result};
use firstcontact_verifier::{Hash, merkle};
use rayon::ThreadPool;
use rayon::prelude::*;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Options of certificates.
#[derive(Clone, Debug, Args)]
pub struct CertificateArgs {
    /// Certificates of all answers, one after the other in a file, which firstcontact verify checks
    #[arg(long, value_name = "FILE", help_heading = super::ANSWERS)]
    certificates: Option<PathBuf>,
}

impl CertificateArgs {
    /// The file of certificates, if they are asked for.
    pub fn file(&self) -> Option<&Path> {
        self.certificates.as_deref()
    }

    /// Refuses options of the check with which there are no certificates.
    ///
    /// # Errors
    /// There is one of them.
    pub fn check(&self, initial: InitialContactPolicy, resume: bool) -> Result<()> {
        if self.certificates.is_none() {
            return Ok(());
        }
        let refuse = |with: &str, why: &str| Err(Error::usage(format!("--certificates with {with}: {why}")));
        match (initial, resume) {
            (InitialContactPolicy::Ignore, _) => refuse("--initial ignore", "what touches at the start is not proved")
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
    out: CertificateWriter<AtomicFile>,
    path: PathBuf,
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

/// Numbers of answers without certificate that are listed.
const MAX_LISTED: usize = 20;

impl Certificates {
    /// Begins the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn begin(path: &Path, prover: Prover, threads: usize) -> Result<Self> {
        Self::begin_at(path, prover, threads, 0)
    }

    /// Begins the file of a shard whose first motion has the number `first`.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn begin_at(path: &Path, prover: Prover, threads: usize, first: u64) -> Result<Self> {
        let out = prover.writer(outputs::create(path)?).map_err(|e| e.in_file(path))?;
        let (pool, totals) = (thread_pool(threads)?, CertificateTotals { first, ..CertificateTotals::default() });
        Ok(Self { prover, out, path: path.to_path_buf(), pool, totals })
    }

    /// Adds the certificates of answers, and returns the leaf of each in the Merkle tree.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, paths: &[Trajectory], verdicts: &[&TrajectoryVerdict]) -> Result<Vec<Option<Hash>>> {
        let since = Instant::now();
        let prove = |(path, verdict): (&Trajectory, &&TrajectoryVerdict)| self.prover.certificate(path, verdict);
        let all: Vec<_> = self.pool.install(|| paths.par_iter().zip(verdicts).map(prove).collect());
        let leaves = all.iter().map(|certificate| certificate.as_deref().map(merkle::leaf)).collect();
        for certificate in all {
            self.out.push(certificate.as_deref()).map_err(|e| e.in_file(&self.path))?;
            self.totals.count(certificate.as_deref());
        }
        self.totals.seconds += since.elapsed().as_secs_f64();
        Ok(leaves)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self) -> Result<CertificateTotals> {
        self.out.finish().and_then(AtomicFile::finish).map_err(|e| e.in_file(&self.path))?;
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
            line += &format!("; {} answers have none, the first is {}", self.n_without, self.without[0]);
        }
        line
    }
}
