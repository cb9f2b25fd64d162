//! Certificates: their sizes, and the cost of making and verifying them next to that of the check.

use super::MeasureArgs;
use super::run::{Cell, Column, Run, Samples, Table};
use super::set::Set;
use firstcontact::certificate::{CertificateWriter, Prover, Statement};
use firstcontact::engine::{Backend, Engine, Options};
use firstcontact::robot::Trajectory;
use firstcontact::verdict::TrajectoryVerdict;
use firstcontact::{Error, ErrorKind, LinkPairs, Result};
use firstcontact_datasets::DEFAULT_SEED;
use firstcontact_verification::subject;
use firstcontact_verifier::{Kind, Model, Reader, Refusal, Verifier};
use std::cell::Cell as Shared;
use std::hint::black_box;
use std::io::Write;
use std::rc::Rc;
use std::time::Instant;

/// Data sets, with the largest angle of a joint in degrees. Public ones are measured only if they are installed.
const SETS: [&str; 9] = [
    "pipes/5",
    "pipes/30",
    "pipes/60",
    "amr/5",
    "amr/30",
    "amr/60",
    "ur5-bookstore/30",
    "panda-bookstore/30",
    "pr2-bookstore/30",
];
const QUICK: [&str; 1] = ["pipes/30"];
/// Maximum number of motions of a set.
const MOTIONS: [usize; 2] = [1000, 10];
/// Number of times that a motion is checked, proved and verified; the shortest time counts.
const TIMES: usize = 3;

/// Sizes and times of the certificates of a set.
#[derive(Default)]
struct Costs {
    /// Bytes before and after compression.
    bytes: [Vec<f64>; 2],
    /// Times of the check, of making the certificate, and of verifying it, seconds.
    seconds: [Vec<f64>; 3],
    /// Number of answers without certificate.
    n_without: usize,
    /// Numbers of certificates of free motions, of contacts, of possible ones, and of undecided motions.
    kinds: [usize; 4],
    /// Bytes before the first certificate of a file.
    header_bytes: usize,
    /// Times of preparing the prover, of the head of a file, of hashing, and of preparing the verifier, seconds.
    preparation: [f64; 4],
}

/// Runs the measurement.
pub fn run(args: &MeasureArgs) -> Result<()> {
    let mut run = Run::begin("certificates", "Certificates", DEFAULT_SEED, false);
    run.note(
        "One thread, one motion at a time, the shortest of three times; links against the scene alone. A ratio is that \
         of the times of the same motion. Every certificate is verified.",
    );
    let (sets, most) = if args.quick { (&QUICK[..], MOTIONS[1]) } else { (&SETS[..], MOTIONS[0]) };
    let (mut sizes, mut times, mut preparation) = (sizes_table(), times_table(), preparation_table());
    for name in sets {
        let set = match Set::load(name, &args.folder.path()?) {
            Ok(set) => set,
            Err(e) if e.kind() == ErrorKind::Input => {
                tell!("{name} is left out: {e}");
                run.note(format!("{name} is left out: it is not installed."));
                continue;
            }
            Err(e) => return Err(e),
        };
        run.datasets.push(set.used(&[]));
        let costs = measure(&set, most)?;
        costs.add(name, [&mut sizes, &mut times, &mut preparation]);
        let Costs { bytes: [_, compressed], seconds, .. } = costs;
        let of_set = |what: &str| format!("{name}, {what}");
        run.samples.push(Samples { name: of_set("compressed"), unit: "bytes".into(), values: compressed });
        for (what, values) in ["check", "certificate", "verification"].into_iter().zip(seconds) {
            run.samples.push(Samples { name: of_set(what), unit: "s".into(), values });
        }
    }
    run.tables = vec![sizes, times, preparation];
    run.finish(&args.out)
}

fn measure(set: &Set, most: usize) -> Result<Costs> {
    let Set { name, robot, scene, motions, verdicts } = set;
    let options = Options { backend: Backend::Cpu, threads: 1, ..Options::default() };
    let engine = Engine::builder(robot, scene).options(options).build()?;
    let mut costs = Costs::default();
    let (prover, prover_s) = timed(|| Prover::new(robot.clone(), scene.clone(), Statement::new()))?;
    let (header, header_s) = timed(|| prover.header())?;
    let terms = (subject::robot(robot), subject::scene(scene));
    let (model, hashing_s) = timed(|| Model::new(terms.0, terms.1).map_err(|e| refused(name, 0, &e)))?;
    let (verifier, verifier_s) = timed(|| verifier(set, &model, &header))?;
    costs.header_bytes = header.len();
    costs.preparation = [prover_s, header_s, hashing_s, verifier_s];
    let written = Rc::new(Shared::new(0));
    let mut writer = CertificateWriter::new(Counted(Rc::clone(&written)), &header)?;
    for (i, verdict) in verdicts.iter().enumerate().take(most) {
        let path = Trajectory::linear([motions.start(i), motions.end(i)])?;
        let (one, answer) = (motions.range(i..i + 1), TrajectoryVerdict::of_motion(verdict));
        let check = shortest(|| engine.check(&one))?;
        let mut certificate = None;
        let prove = shortest(|| {
            certificate = black_box(prover.certificate(&path, &answer));
            Ok(())
        })?;
        let Some(certificate) = certificate else {
            costs.n_without += 1;
            continue;
        };
        let motion = subject::motion(&path);
        let mut kind = Kind::Undecided;
        let verify = shortest(|| {
            kind = verifier.verify(&motion, &certificate).map_err(|e| refused(name, i, &e))?.kind;
            Ok(())
        })?;
        if let Some(n) = costs.kinds.get_mut(kind as usize) {
            *n += 1;
        }
        let before = written.get();
        writer.push(Some(&certificate))?;
        for (list, value) in costs.bytes.iter_mut().zip([certificate.len(), written.get() - before]) {
            list.push(value as f64);
        }
        for (list, value) in costs.seconds.iter_mut().zip([check, prove, verify]) {
            list.push(value);
        }
    }
    Ok(costs)
}

/// A verifier with the partitions at the head of a file.
fn verifier<'m>(set: &Set, model: &'m Model, header: &[u8]) -> Result<Verifier<'m>> {
    let mut file = Vec::new();
    CertificateWriter::new(&mut file, header)?.finish()?;
    let statement = subject::statement(&set.robot, (&LinkPairs::default(), &[]), 0.0, &[]);
    let verifier = Reader::new(&file[..], model).and_then(|reader| Verifier::new(model, statement, reader.header()));
    verifier.map_err(|e| refused(&set.name, 0, &e))
}

/// The result of a call, and its time, seconds.
fn timed<T>(call: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
    let since = Instant::now();
    let result = call()?;
    Ok((result, since.elapsed().as_secs_f64()))
}

fn refused(set: &str, motion: usize, refusal: &Refusal) -> Error {
    Error::usage(format!("{set}: the certificate of motion {motion} is refused: {refusal}"))
}

/// The shortest time of a call, seconds.
fn shortest<T>(mut call: impl FnMut() -> Result<T>) -> Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..TIMES {
        let since = Instant::now();
        black_box(call()?);
        least = least.min(since.elapsed().as_secs_f64());
    }
    Ok(least)
}

/// Counts the bytes that are written to it.
struct Counted(Rc<Shared<usize>>);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.set(self.0.get() + bytes.len());
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn sizes_table() -> Table {
    let mut columns = vec![
        Column::text("set", "Data set and largest angle of a joint in degrees."),
        Column::number("motions", "", 0, "With a certificate."),
        Column::number("without", "", 0, "Answers without certificate."),
        Column::number("free", "", 0, "Certificates of free motions."),
        Column::number("contact", "", 0, "Certificates of contacts with a witness."),
        Column::number("possible", "", 0, "Certificates of contacts without a witness."),
        Column::number("undecided", "", 0, "Certificates of motions that are free up to some time."),
    ];
    for (what, about) in [("raw", "Before compression."), ("compressed", "As in the file.")] {
        for rank in ["median", "99 %", "worst"] {
            columns.push(Column::number(&format!("{what}, {rank}"), "bytes", 0, about));
        }
    }
    Table::new("sizes", "Sizes", "", columns)
}

fn times_table() -> Table {
    let mut columns = vec![Column::text("set", "Data set and largest angle of a joint in degrees.")];
    for what in ["check", "certificate", "verification"] {
        columns.push(Column::number(&format!("{what}, mean"), "µs", 1, "For a motion."));
    }
    for what in ["certificate", "verification"] {
        for rank in ["mean", "median", "99 %", "worst"] {
            let about =
                if rank == "mean" { "Mean time by mean time of the check." } else { "Of the ratios of motions." };
            columns.push(Column::number(&format!("{what} / check, {rank}"), "", 1, about));
        }
    }
    Table::new("times", "Times", "", columns)
}

fn preparation_table() -> Table {
    let mut columns = vec![
        Column::text("set", "Data set and largest angle of a joint in degrees."),
        Column::number("head", "bytes", 0, "Hashes and partitions, once for each file."),
    ];
    for (name, about) in [
        ("prover", "Partitions of robot and scene."),
        ("head", "Hashing and compressing the head of a file."),
        ("hashing", "The verifier checks and hashes robot and scene."),
        ("verifier", "It reads the head, and prepares hulls of all nodes."),
    ] {
        columns.push(Column::number(name, "ms", 1, about));
    }
    Table::new("preparation", "Preparation, once for all motions", "", columns)
}

impl Costs {
    fn add(&self, name: &str, [sizes, times, preparation]: [&mut Table; 3]) {
        let mut row = vec![Cell::from(name), self.bytes[0].len().into(), self.n_without.into()];
        row.extend(self.kinds.map(Cell::from));
        row.extend(self.bytes.iter().flat_map(|bytes| ranks(bytes.clone())).map(Cell::from));
        sizes.row(row);
        let mean = |k: usize| self.seconds[k].iter().sum::<f64>() / self.seconds[k].len().max(1) as f64;
        let mut row = vec![Cell::from(name)];
        row.extend((0..3).map(|k| Cell::from(1e6 * mean(k))));
        for k in 1..3 {
            let ratios = self.seconds[k].iter().zip(&self.seconds[0]).map(|(of, check)| of / check).collect();
            row.push(Cell::from(mean(k) / mean(0)));
            row.extend(ranks(ratios).map(Cell::from));
        }
        tell!("{name}: certificates cost {:.1} checks, their verification {:.1}", mean(1) / mean(0), mean(2) / mean(0));
        times.row(row);
        let mut row = vec![Cell::from(name), self.header_bytes.into()];
        row.extend(self.preparation.map(|seconds| Cell::from(1e3 * seconds)));
        preparation.row(row);
    }
}

/// The median, the value that 99 % do not exceed, and the largest one; NaN without values.
fn ranks(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    [last / 2, last * 99 / 100, last].map(|k| values.get(k).copied().unwrap_or(f64::NAN))
}
