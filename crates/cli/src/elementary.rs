//! `firstcontact elementary`: queries of a vertex and a face, or of two edges.

use super::progress::Progress;
use super::{Outcome, interrupted, interruption, outputs, warn};
use clap::{Args, ValueEnum};
use firstcontact::elementary::{Answer, Batch, Kind, Line, Posed, Reader, Totals, solve};
use firstcontact::engine::thread_pool;
use firstcontact::io::output::AtomicFile;
use firstcontact::stage::s6_solve::SolveOptions;
use firstcontact::{Error, ErrorKind, Result};
use rayon::ThreadPool;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum KindChoice {
    /// A vertex, then a triangle's three corners
    Vf,
    /// The ends of one edge, then of the other
    Ee,
}

/// Arguments of `elementary`.
#[derive(Debug, Args)]
pub struct ElementaryArgs {
    /// The queries, eight lines each: the four points at the start, then at the end. A line is xn,xd,yn,yd,zn,zd, three
    /// coordinates as quotients of integers, optionally followed by 0 or 1 for the true answer
    #[arg(long, value_name = "Q.csv")]
    queries: PathBuf,
    /// The meaning of the four points
    #[arg(long, value_enum)]
    kind: KindChoice,
    /// The answers, one line of JSON per query; `-` writes to standard output; pipes and devices are written directly
    #[arg(long, value_name = "RESULTS.jsonl|-")]
    out: PathBuf,
    /// Largest width of a certified time of contact, as a share of the motion
    #[arg(long, value_name = "T", default_value_t = 1e-9)]
    tolerance: f64,
    /// Threads on the CPU; 0 for all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

/// Parts of the file that each thread gets in one round: enough that no thread waits long for the others.
const PARTS_A_THREAD: usize = 16;

/// The parameters of answering.
struct Job {
    kind: Kind,
    options: SolveOptions,
    pool: ThreadPool,
}

/// The answers to a part of the file.
struct Answered {
    lines: String,
    totals: Totals,
    /// Time of solving on one thread, seconds.
    solve_s: f64,
}

/// Runs the command.
pub fn run(args: &ElementaryArgs) -> Result<Outcome> {
    outputs::check(&[&args.queries], &[("--out", &args.out)])?;
    let kind = match args.kind {
        KindChoice::Vf => Kind::VertexFace,
        KindChoice::Ee => Kind::EdgeEdge,
    };
    let options = SolveOptions { tolerance: args.tolerance, ..SolveOptions::default() };
    options.check()?;
    let job = Job { kind, options, pool: thread_pool(args.threads)? };
    let reader = Reader::open(&args.queries)?;
    let interruption = interruption();
    let out = outputs::create(&args.out)?;
    let start = Instant::now();
    let (totals, solve_s) = answer_all(&job, reader, out, args, &interruption)?;
    print(&totals, solve_s, start.elapsed().as_secs_f64(), job.pool.current_num_threads());
    if totals.queries == 0 {
        say!("{} has no queries: nothing was answered", args.queries.display());
    }
    Ok(match totals {
        Totals { contact: 1.., .. } => Outcome::Contact,
        Totals { undecided: 1.., .. } => Outcome::Undecided,
        _ => Outcome::Free,
    })
}

/// Answers the queries of a file and writes the answers as they arrive; returns the counts and the seconds of solving.
fn answer_all(
    job: &Job,
    reader: Reader,
    mut out: AtomicFile,
    args: &ElementaryArgs,
    interruption: &AtomicBool,
) -> Result<(Totals, f64)> {
    let progress = Progress::new("answered", "bytes", reader.n_bytes());
    let result = answer_each(job, reader, interruption, &progress, &mut out);
    progress.finish();
    match result {
        Ok(counts) => {
            out.finish()?;
            Ok(counts)
        }
        Err(error) if error.kind() == ErrorKind::Interrupted => Err(outputs::keep(out, &args.out, error)),
        Err(error) => Err(error),
    }
}

fn answer_each(
    job: &Job,
    mut reader: Reader,
    interruption: &AtomicBool,
    progress: &Progress,
    out: &mut AtomicFile,
) -> Result<(Totals, f64)> {
    let (mut totals, mut solve_s) = (Totals::default(), 0.0);
    loop {
        let n_parts = PARTS_A_THREAD * job.pool.current_num_threads();
        let parts: Vec<Result<Batch>> = std::iter::from_fn(|| reader.next_batch().transpose()).take(n_parts).collect();
        if parts.is_empty() {
            return Ok((totals, solve_s));
        }
        // An unreadable part is reported after the answers before it, for any number of threads.
        let answer = |part: Result<Batch>| job.answer(&part?, interruption);
        let answered: Vec<_> = job.pool.install(|| parts.into_par_iter().map(answer).collect());
        for part in answered {
            let Some(part) = part? else { return Err(interrupted(&format!("{} queries", totals.queries))) };
            out.lines(&part.lines)?;
            totals.add(&part.totals);
            solve_s += part.solve_s;
        }
        progress.set(reader.n_bytes_read());
        progress.set_message(format!("{} queries", totals.queries));
    }
}

impl Job {
    /// The answers to a part; `None` if an interruption occurred before its end.
    fn answer(&self, batch: &Batch, interruption: &AtomicBool) -> Result<Option<Answered>> {
        let queries = batch.queries()?;
        let start = Instant::now();
        let go_on = |posed: &Posed| (!interruption.load(Ordering::Relaxed)).then(|| self.solve(posed));
        let Some(answers) = queries.iter().map(go_on).collect::<Option<Vec<Answer>>>() else { return Ok(None) };
        let solve_s = start.elapsed().as_secs_f64();
        let (mut lines, mut totals) = (String::new(), Totals::default());
        for (i, (posed, answer)) in (batch.first_query()..).zip(queries.iter().zip(&answers)) {
            totals.count(posed, answer);
            lines += &serde_json::to_string(&Line::new(i, answer)).map_err(|e| Error::usage(e.to_string()))?;
            lines.push('\n');
        }
        Ok(Some(Answered { lines, totals, solve_s }))
    }

    fn solve(&self, posed: &Posed) -> Answer {
        solve(self.kind, &posed.query, &self.options)
    }
}

/// Prints the lines at the end.
fn print(totals: &Totals, solve_s: f64, wall_s: f64, threads: usize) {
    let Totals { queries, free, contact, proved, certified, undecided, rounded, agreement } = totals;
    if *rounded > 0 {
        let what = "have coordinates that were rounded to double precision: answers are for the rounded ones";
        warn(&format!("{rounded} of {queries} queries {what}"));
    }
    say!(
        "{queries} queries: {free} free, {contact} contact ({proved} proved, {certified} certified), {undecided} \
         undecided"
    );
    let each_ns = if *queries > 0 { 1e9 * solve_s / *queries as f64 } else { 0.0 };
    say!("{wall_s:.3} s on {threads} threads; solving took {each_ns:.0} ns per query on one thread");
    if agreement.queries > 0 {
        say!(
            "according to the file, {} contact: {} false negatives; {} false positives proved, {} not proved",
            agreement.contacts,
            agreement.false_negatives,
            agreement.false_proofs,
            agreement.false_positives,
        );
    }
}
