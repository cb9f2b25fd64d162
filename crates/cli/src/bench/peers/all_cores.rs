//! The rate of coal on all cores of a machine: a process for each core, each with its share of the motions.

use super::contender::Answers;
use super::external::{self, Call};
use super::problem;
use super::roster::{METHODS, Method, Programs, YARDSTICK};
use super::sets::{Motion, Set};
use firstcontact::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The processes of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Processes<'a> {
    /// Number of processes, one for each core.
    pub n: usize,
    /// Maximum time of each.
    pub limit: Duration,
    /// Set when the measurement is interrupted.
    pub stop: &'a AtomicBool,
}

/// A rate; missing if it could not be measured.
#[derive(Clone, Debug, Default)]
pub struct Rate {
    /// Motions per second of all processes together.
    pub per_second: Option<f64>,
    /// The method, and reasons of missing answers.
    pub remark: String,
}

/// The file of coal's program below the folder of the peers.
///
/// # Errors
/// The file is missing; the error contains the remedy.
pub fn coal(peers: Option<&Path>) -> Result<PathBuf> {
    let method = yardstick()?;
    Programs(peers).find(method.program).map_err(Error::usage)
}

/// Measures coal's conservative advancement on a set; the problems are written into `folder`.
///
/// # Errors
/// The robot has joints that coal's program does not support, or a problem cannot be written.
pub fn measure(set: &Set, program: &Path, processes: Processes, folder: &Path) -> Result<Rate> {
    let method = yardstick()?;
    let n_each = set.motions.len().div_ceil(processes.n.max(1)).max(1);
    let parts: Vec<&[Motion]> = set.motions.chunks(n_each).collect();
    let folder = std::path::absolute(folder).unwrap_or(folder.to_path_buf());
    let problems = problem::write_parts(set, &parts, &folder)?;
    let run = |problem: &Path, part: &[Motion]| {
        let Method { method, step, .. } = method;
        let Processes { limit, stop, .. } = processes;
        external::run(&Call { program, problem, method, step, n_motions: part.len(), limit, stop }, &mut |_| ())
    };
    let answers: Vec<Answers> = std::thread::scope(|scope| {
        let started = problems.iter().zip(&parts).map(|(problem, part)| scope.spawn(|| run(problem, part)));
        let started: Vec<_> = started.collect();
        started.into_iter().filter_map(|process| process.join().ok()).collect()
    });
    Ok(rate(method.name, &answers))
}

fn yardstick() -> Result<Method> {
    let found = METHODS.into_iter().find(|m| m.name == YARDSTICK);
    found.ok_or_else(|| Error::usage(format!("no method is called '{YARDSTICK}'")))
}

/// The sum of the processes' rates while each of them was answering.
fn rate(method: &str, answers: &[Answers]) -> Rate {
    let of_process = |a: &Answers| {
        let seconds: f64 = a.by_motion.iter().flatten().map(|answer| answer.wall_s).sum();
        a.count() as f64 / seconds.max(1e-9)
    };
    let answering = answers.iter().filter(|a| a.count() > 0);
    let per_second = answering.map(of_process).reduce(|a, b| a + b);
    let trouble = answers.iter().find_map(|a| a.trouble.as_ref());
    let remark = trouble.map_or(method.into(), |trouble| format!("{method}; {trouble}"));
    Rate { per_second, remark }
}

#[cfg(test)]
mod tests {
    use super::super::contender::{Answer, Reported};
    use super::*;

    #[test]
    fn rates_of_processes_add_up() {
        let process = |walls: &[f64]| {
            let answer = |wall_s: &f64| Some(Answer { reported: Reported::Free, cpu_s: 0.0, wall_s: *wall_s });
            Answers { by_motion: walls.iter().map(answer).collect(), ..Answers::none(0) }
        };
        // Two motions in 1 s, and one in 0.25 s; the third process has no answer.
        let late = Answers { trouble: Some("stopped".into()), ..Answers::none(3) };
        let sum = rate("coal", &[process(&[0.5, 0.5]), process(&[0.25]), late]);
        assert_eq!((sum.per_second, sum.remark.as_str()), (Some(6.0), "coal; stopped"));
        assert_eq!(rate("coal", &[Answers::none(3)]).per_second, None);
    }
}
