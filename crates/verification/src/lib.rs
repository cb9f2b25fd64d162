//! Verification of certificates for the command and the Python package: robots, scenes, motions and statements of the
//! engine in the terms of `firstcontact-verifier`, which shares no code with the engine.

pub mod subject;

use firstcontact::engine::thread_pool;
use firstcontact::robot::{Robot, Trajectory};
use firstcontact::{Error, LinkPairs, Result, Scene};
use firstcontact_verifier as verifier;
use rayon::prelude::*;
use std::fs::File;
use std::io::BufReader;
use std::ops::Range;
use std::path::Path;
use verifier::{Proved, Reader, Refusal, Verifier};

/// Number of certificates that are read together.
const BATCH: usize = 256;

/// What certificates are about, in the verifier's own terms.
#[derive(Debug)]
pub struct Subject {
    robot: verifier::Robot,
    scene: verifier::Scene,
    statement: verifier::Statement,
}

/// The motions or trajectories of a file of certificates.
pub struct Paths<'a> {
    /// Their numbers.
    pub numbers: Range<usize>,
    /// `motions` or `trajectories`, for messages.
    pub kind: &'a str,
    /// Those with these numbers.
    pub read: &'a dyn Fn(Range<usize>) -> Result<Vec<Trajectory>>,
}

impl Subject {
    /// A robot in a scene, which must have its triangles, and the statement that a check with these pairs makes.
    pub fn new(
        (robot, scene): (&Robot, &Scene),
        pairs: (&LinkPairs, &[(u32, u32)]),
        margin_m: f64,
        joint_tolerance: &[f64],
    ) -> Self {
        Self {
            robot: subject::robot(robot),
            scene: subject::scene(scene),
            statement: subject::statement(robot, pairs, margin_m, joint_tolerance),
        }
    }

    /// Verifies all certificates of a file, which must be those of `paths`, and passes the number of each and what it
    /// proves to `each`, in order; nothing for an answer without a certificate. Returns the reason of a refusal as text.
    ///
    /// # Errors
    /// A file cannot be read, or an error of `each`.
    pub fn verify(
        self,
        certificates: &Path,
        paths: &Paths,
        threads: usize,
        each: &mut dyn FnMut(usize, Option<&Proved>) -> Result<()>,
    ) -> Result<std::result::Result<(), String>> {
        let unreadable = |e: std::io::Error| Error::input(format!("it cannot be read: {e}")).in_file(certificates);
        let file = BufReader::new(File::open(certificates).map_err(unreadable)?);
        let opened = Reader::new(file, &self.robot, &self.scene).and_then(|reader| {
            let verifier = Verifier::new(self.robot, self.scene, self.statement, reader.header())?;
            Ok((verifier, reader))
        });
        let (verifier, mut reader) = match opened {
            Ok(both) => both,
            Err(refusal) => return Ok(Err(refusal.to_string())),
        };
        let (numbers, pool) = (paths.numbers.clone(), thread_pool(threads)?);
        let (n, kind) = (numbers.len(), paths.kind);
        for first in numbers.clone().step_by(BATCH) {
            let motions = (paths.read)(first..(first + BATCH).min(numbers.end))?;
            let read: std::result::Result<Vec<_>, Refusal> = reader.by_ref().take(motions.len()).collect();
            let read = match read {
                Ok(read) if read.len() == motions.len() => read,
                Ok(read) => {
                    let found = first - numbers.start + read.len();
                    return Ok(Err(format!("there are {found} certificates for {n} {kind}")));
                }
                Err(refusal) => return Ok(Err(refusal.to_string())),
            };
            let verify = |(path, certificate): (&Trajectory, &Option<Vec<u8>>)| {
                certificate.as_ref().map(|bytes| verifier.verify(&subject::motion(path), bytes)).transpose()
            };
            let all: Vec<_> = pool.install(|| motions.par_iter().zip(&read).map(verify).collect());
            for (number, proved) in (first..).zip(all) {
                match proved {
                    Ok(proved) => each(number, proved.as_ref())?,
                    Err(refusal) => return Ok(Err(format!("motion {number}: {refusal}"))),
                }
            }
        }
        // The end of the file is verified, too.
        Ok(match reader.next() {
            None => Ok(()),
            Some(Ok(_)) => Err(format!("there are more than {n} certificates")),
            Some(Err(refusal)) => Err(refusal.to_string()),
        })
    }
}
