//! Verification of files of certificates.

use crate::place::Place;
use crate::subject;
use firstcontact::engine::thread_pool;
use firstcontact::robot::{Robot, Trajectory};
use firstcontact::{Error, LinkPairs, Result, Scene};
use firstcontact_verifier as verifier;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::fs::File;
use std::io::BufReader;
use std::ops::Range;
use std::path::Path;
use verifier::{Header, Model, Proved, Reader, Refusal, Statement, Verifier};

/// Maximum number of certificates that are in memory together.
const BATCH: usize = 256;
/// Canonical bytes after which no more certificates are read into memory.
const BATCH_BYTES: usize = 1 << 26;

/// A verified value, or the reason of a refusal as text.
type Verified<T> = std::result::Result<T, String>;
/// Receives the number of a motion and the statement that its certificate proves, or `None` without a certificate.
type Each<'a> = dyn FnMut(usize, Option<&Proved>) -> Result<()> + 'a;

/// The statement of certificates, in the verifier's own terms.
#[derive(Debug)]
pub struct Subject {
    pub(crate) robot: verifier::Robot,
    pub(crate) scene: verifier::Scene,
    pub(crate) statement: Statement,
}

/// The motions or trajectories of a file of certificates.
pub struct Paths<'a> {
    /// Their numbers.
    pub numbers: Range<usize>,
    /// `motions` or `trajectories`, for messages.
    pub kind: &'a str,
    /// Returns the paths with these numbers.
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

    /// Verifies all certificates of a file or a folder, which must be those of `paths`, and calls `each` for every
    /// motion in order. Returns the reason of a refusal as text.
    ///
    /// # Errors
    /// A file cannot be read, or an error of `each`.
    pub fn verify(self, certificates: &Path, paths: &Paths, threads: usize, each: &mut Each) -> Result<Verified<()>> {
        let (place, numbers) = (Place::new(certificates), paths.numbers.clone());
        let model = match Model::new(self.robot, self.scene) {
            Ok(model) => model,
            Err(refusal) => return Ok(Err(refusal.to_string())),
        };
        let mut files = Files { model: &model, statement: self.statement, pool: thread_pool(threads)?, verifier: None };
        for part in place.parts(&numbers) {
            let path = place.file_of(part.start);
            if let Err(refusal) = files.verify(&path, &Paths { numbers: part, ..*paths }, each)? {
                return Ok(Err(refusal));
            }
        }
        Ok(Ok(()))
    }
}

/// The verification of one file after the other.
struct Files<'m> {
    model: &'m Model,
    statement: Statement,
    pool: ThreadPool,
    /// The verifier of the last file. Files of one run have the same header.
    verifier: Option<(Header, Verifier<'m>)>,
}

impl Files<'_> {
    fn verify(&mut self, path: &Path, paths: &Paths, each: &mut Each) -> Result<Verified<()>> {
        let unreadable = |e: std::io::Error| Error::input(format!("it cannot be read: {e}")).in_file(path);
        let file = BufReader::new(File::open(path).map_err(unreadable)?);
        let opened = Reader::new(file, self.model).and_then(|reader| {
            self.prepare(reader.header())?;
            Ok(reader)
        });
        let mut reader = match opened {
            Ok(reader) => reader,
            Err(refusal) => return Ok(Err(refusal.to_string())),
        };
        let (Range { start, end }, kind) = (paths.numbers.clone(), paths.kind);
        let mut next = start;
        while next < end {
            let read = match batch(&mut reader, end - next) {
                Ok(read) if read.is_empty() => {
                    return Ok(Err(format!("there are {} certificates for {} {kind}", next - start, end - start)));
                }
                Ok(read) => read,
                Err(refusal) => return Ok(Err(refusal.to_string())),
            };
            let motions = (paths.read)(next..next + read.len())?;
            for (number, proved) in (next..).zip(self.verify_batch(&motions, &read)) {
                match proved {
                    Ok(proved) => each(number, proved.as_ref())?,
                    Err(refusal) => return Ok(Err(format!("motion {number}: {refusal}"))),
                }
            }
            next += read.len();
        }
        // The end of the file is verified, too.
        Ok(match reader.next() {
            None => Ok(()),
            Some(Ok(_)) => Err(format!("there are more than {} certificates", end - start)),
            Some(Err(refusal)) => Err(refusal.to_string()),
        })
    }

    /// Prepares the verifier for a file with this header.
    fn prepare(&mut self, header: &Header) -> std::result::Result<(), Refusal> {
        if self.verifier.as_ref().is_none_or(|(last, _)| last != header) {
            self.verifier = Some((header.clone(), Verifier::new(self.model, self.statement.clone(), header)?));
        }
        Ok(())
    }

    fn verify_batch(
        &self,
        motions: &[Trajectory],
        certificates: &[Option<Vec<u8>>],
    ) -> Vec<std::result::Result<Option<Proved>, Refusal>> {
        let Some((_, verifier)) = &self.verifier else { return Vec::new() };
        let verify = |(motion, certificate): (&Trajectory, &Option<Vec<u8>>)| {
            certificate.as_ref().map(|bytes| verifier.verify(&subject::motion(motion), bytes)).transpose()
        };
        self.pool.install(|| motions.par_iter().zip(certificates).map(verify).collect())
    }
}

/// Reads the next certificates: at most `most`, and no more than may be in memory together.
fn batch(reader: &mut Reader<BufReader<File>>, most: usize) -> std::result::Result<Vec<Option<Vec<u8>>>, Refusal> {
    let (mut read, mut bytes) = (Vec::new(), 0);
    while read.len() < most.min(BATCH) && bytes < BATCH_BYTES {
        let Some(certificate) = reader.next().transpose()? else { break };
        bytes += certificate.as_ref().map_or(0, Vec::len);
        read.push(certificate);
    }
    Ok(read)
}
