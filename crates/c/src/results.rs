//! Results: the answers of a check.

use crate::answers::{FcAnswer, FcAnswers, FcContact, FcContacts};
use crate::certificates::Certifier;
use crate::engine::FcEngine;
use crate::handles::{self, object};
use crate::memory::collect;
use crate::names::Names;
use crate::output::output;
use crate::status::{FcStatus, guard};
use crate::text::{FcText, hold, no_such, path};
use firstcontact::io::output as files;
use firstcontact::report::Line;
use firstcontact::{Error, ErrorKind, MotionBatch, Result, Stats, Trajectory, TrajectoryVerdict, Verdict};
use glam::DAffine3;
use std::collections::BTreeMap;
use std::ffi::c_char;
use std::io::Write;
use std::sync::{Arc, OnceLock};

/// The answers of a check, in the order of the motions.
pub struct FcResults {
    names: Arc<Names>,
    pub(crate) certifier: Option<Arc<Certifier>>,
    pub(crate) given: Given,
    /// Poses of the bodies at contacts, by motion, if they are wanted.
    poses: BTreeMap<usize, Vec<DAffine3>>,
    stats: FcStats,
    answers: OnceLock<Vec<FcAnswer>>,
    /// All contacts of all motions, and the first one of each motion.
    contacts: OnceLock<(Vec<FcContact>, Vec<usize>)>,
}
object!(FcResults, "set of results");

/// The questions that the answers belong to.
pub(crate) enum Given {
    /// Motions, which are kept if certificates are asked for.
    Motions(Vec<Verdict>, Option<MotionBatch>),
    /// Trajectories, with the tolerance of each column or none.
    Trajectories(Vec<TrajectoryVerdict>, Vec<Arc<Trajectory>>, Vec<f64>),
}

/// Counts and times of a check.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct FcStats {
    /// Number of motions or trajectories.
    pub motions: u64,
    /// Number with the verdict free.
    pub free: u64,
    /// Number with a contact.
    pub contact: u64,
    /// Number with a certified contact.
    pub certified: u64,
    /// Number without an answer.
    pub undecided: u64,
    /// Number that start inside a solid.
    pub start_inside: u64,
    /// Time for checking, seconds.
    pub wall_s: f64,
    /// Time for making the engine, seconds.
    pub build_s: f64,
}

impl FcStats {
    pub(crate) fn new(of: &Stats) -> Self {
        let Stats { motions, free, contact, certified, undecided, start_inside, wall_s, build_s, .. } = *of;
        Self { motions, free, contact, certified, undecided, start_inside, wall_s, build_s }
    }
}

impl Given {
    pub fn len(&self) -> usize {
        match self {
            Self::Motions(verdicts, _) => verdicts.len(),
            Self::Trajectories(verdicts, ..) => verdicts.len(),
        }
    }

    fn verdicts(&self) -> Box<dyn Iterator<Item = &Verdict> + '_> {
        match self {
            Self::Motions(verdicts, _) => Box::new(verdicts.iter()),
            Self::Trajectories(verdicts, ..) => Box::new(verdicts.iter().map(|answer| &answer.verdict)),
        }
    }

    fn answers(&self) -> Result<Vec<FcAnswer>> {
        match self {
            Self::Motions(verdicts, _) => collect(verdicts.iter().map(FcAnswer::new), "answers"),
            Self::Trajectories(verdicts, ..) => collect(verdicts.iter().map(FcAnswer::of_trajectory), "answers"),
        }
    }
}

impl FcResults {
    pub(crate) fn new(engine: &FcEngine, given: Given, poses: BTreeMap<usize, Vec<DAffine3>>, stats: &Stats) -> Self {
        let (names, certifier) = (Arc::clone(&engine.names), engine.certifier.clone());
        let stats = FcStats::new(stats);
        Self { names, certifier, given, poses, stats, answers: OnceLock::new(), contacts: OnceLock::new() }
    }

    /// Answer `i` as a line of JSON, for a motion with this number.
    fn line(&self, i: usize, number: usize) -> Result<String> {
        let Names { robot, scene, .. } = &*self.names;
        let mut line = match &self.given {
            Given::Motions(all, _) => Line::new(number, &all[i], robot, scene),
            Given::Trajectories(all, paths, _) => Line::of_trajectory(number, &all[i], &paths[i], robot, scene),
        };
        if let Some(poses) = self.poses.get(&i) {
            line.with_poses(robot, poses);
        }
        serde_json::to_string(&line).map_err(|e| Error::usage(e.to_string()))
    }

    fn contacts(&self) -> &(Vec<FcContact>, Vec<usize>) {
        self.contacts.get_or_init(|| {
            let (mut all, mut firsts) = (Vec::new(), vec![0]);
            for verdict in self.given.verdicts() {
                if let Verdict::Contact(contact) = verdict {
                    let first = contact.first.iter().filter(|_| contact.simultaneous.is_empty());
                    all.extend(first.chain(&contact.simultaneous).map(FcContact::new));
                }
                firsts.push(all.len());
            }
            (all, firsts)
        })
    }
}

/// Frees results; null is not an error.
#[unsafe(no_mangle)]
pub extern "C" fn fc_results_free(results: *mut FcResults) -> FcStatus {
    guard(|| handles::free(results))
}

/// All answers, valid until the results are freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_results_answers(results: *const FcResults, answers: *mut FcAnswers) -> FcStatus {
    guard(|| {
        let results = handles::get(results)?;
        let all = match results.answers.get() {
            Some(all) => all,
            None => {
                let all = results.given.answers()?;
                results.answers.get_or_init(|| all)
            }
        };
        let view = FcAnswers { data: all.as_ptr(), length: all.len(), stride_bytes: size_of::<FcAnswer>() };
        // SAFETY: the caller's promise for outputs.
        unsafe { output(answers, "answers") }?.set(view);
        Ok(())
    })
}

/// All contacts of answer i that begin at the time of the first contact; the first contact alone unless the engine
/// lists all contacts (fc_options_set_all_contacts). Valid until the results are freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_results_contacts(
    results: *const FcResults,
    i: usize,
    contacts: *mut FcContacts,
) -> FcStatus {
    guard(|| {
        let results = handles::get(results)?;
        let n = results.given.len();
        if i >= n {
            return Err(no_such(i, n, "answer"));
        }
        let (all, firsts) = results.contacts();
        let some = &all[firsts[i]..firsts[i + 1]];
        let view = FcContacts { data: some.as_ptr(), length: some.len(), stride_bytes: size_of::<FcContact>() };
        // SAFETY: the caller's promise for outputs.
        unsafe { output(contacts, "contacts") }?.set(view);
        Ok(())
    })
}

/// Counts and times, valid until the results are freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_results_stats(results: *const FcResults, stats: *mut *const FcStats) -> FcStatus {
    guard(|| {
        // The table holds the results, so that the place stays valid.
        let results = handles::get(results)?;
        // SAFETY: the caller's promise for outputs.
        unsafe { output(stats, "stats") }?.set(&raw const results.stats);
        Ok(())
    })
}

/// Answer i as a line of JSON, as the command line writes it, for a motion with this number; valid until the next text
/// that a function returns in this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_results_line(
    results: *const FcResults,
    i: usize,
    number: u64,
    line: *mut FcText,
) -> FcStatus {
    guard(|| {
        let results = handles::get(results)?;
        let n = results.given.len();
        if i >= n {
            return Err(no_such(i, n, "answer"));
        }
        // SAFETY: the caller's promise for outputs.
        unsafe { output(line, "line") }?.set(hold(&results.line(i, number as usize)?));
        Ok(())
    })
}

/// Writes all answers as lines of JSON to a file, atomically; the motions are numbered from first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_results_write(results: *const FcResults, file: *const c_char, first: u64) -> FcStatus {
    guard(|| {
        let results = handles::get(results)?;
        // SAFETY: the caller's promise for texts.
        let file = unsafe { path(file, "file") }?;
        let failed = |e: std::io::Error| Error::new(ErrorKind::Output, format!("cannot write: {e}")).in_file(&file);
        let number = |i: usize| (first as usize).saturating_add(i);
        files::write(&file, |to| {
            (0..results.given.len()).try_for_each(|i| writeln!(to, "{}", results.line(i, number(i))?).map_err(failed))
        })
    })
}
