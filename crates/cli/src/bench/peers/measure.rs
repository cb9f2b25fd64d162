//! Measurements of this engine: its proofs, and its time on one thread, on all threads, on an adapter, and motion by
//! motion.

use super::contender::{Answer, Answers, Reported};
use super::sets::Set;
use crate::check::cpu_time_s;
use firstcontact::Result;
use firstcontact::engine::{Backend, Engine, Options};
use firstcontact::robot::MotionBatch;
use firstcontact::verdict::Verdict;
use std::time::Instant;

/// The way in which the engine is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// On one thread, the motions of a class together.
    OneThread,
    /// On one thread, each motion in a separate call.
    OneByOne,
    /// On all threads, the motions of a class together.
    AllThreads,
    /// On a graphics adapter, the motions of a class together.
    Adapter,
}

/// An engine for this way.
pub fn engine(set: &Set, how: How) -> Result<Engine> {
    let threads = usize::from(matches!(how, How::OneThread | How::OneByOne));
    let backend = if how == How::Adapter { Backend::Gpu } else { Backend::Cpu };
    let options = Options { backend, threads, ..Options::default() };
    Engine::builder(&set.robot, &set.scene).options(options).build()
}

/// The engine's verdicts for all motions.
pub fn verdicts(set: &Set) -> Result<Vec<Verdict>> {
    let all: Vec<usize> = (0..set.motions.len()).collect();
    Ok(engine(set, How::AllThreads)?.check(&set.batch(&all)?)?.verdicts)
}

/// Measures the engine on a set; `contact` is true for motions with a contact, since these are measured separately
/// from the free ones. The result is the median of `repeats` measurements.
pub fn measure(
    set: &Set,
    engine: &Engine,
    how: How,
    n_classes: usize,
    contact: &[bool],
    repeats: usize,
) -> Result<Answers> {
    let mut answers = Answers::none(set.motions.len());
    answers.together_s = vec![None; n_classes];
    answers.build_s = None;
    // A warm-up that creates all buffers and selects the form of swept-volume culling.
    let all: Vec<usize> = (0..set.motions.len()).collect();
    engine.check(&set.batch(&all)?)?;
    if how == How::OneByOne {
        for i in all {
            let (verdicts, cpu_s, wall_s) = timed(engine, &set.batch(&[i])?, repeats)?;
            answers.by_motion[i] = verdicts.first().map(|v| Answer { reported: reported(v), cpu_s, wall_s });
        }
        return Ok(answers);
    }
    for class in 0..n_classes {
        let of_class: Vec<usize> = all.iter().copied().filter(|&i| set.motions[i].class == class).collect();
        for kind in [true, false] {
            let some: Vec<usize> = of_class.iter().copied().filter(|&i| contact[i] == kind).collect();
            if some.is_empty() {
                continue;
            }
            let (verdicts, cpu_s, wall_s) = timed(engine, &set.batch(&some)?, repeats)?;
            let each = 1.0 / some.len() as f64;
            for (i, verdict) in some.into_iter().zip(&verdicts) {
                let answer = Answer { reported: reported(verdict), cpu_s: cpu_s * each, wall_s: wall_s * each };
                answers.by_motion[i] = Some(answer);
            }
        }
        if !of_class.is_empty() {
            let (_, cpu_s, wall_s) = timed(engine, &set.batch(&of_class)?, repeats)?;
            let seconds = if how == How::OneThread { cpu_s } else { wall_s };
            answers.together_s[class] = Some(seconds / of_class.len() as f64);
        }
    }
    Ok(answers)
}

/// Verdicts, and medians of processor and wall time in seconds.
pub fn timed(engine: &Engine, motions: &MotionBatch, repeats: usize) -> Result<(Vec<Verdict>, f64, f64)> {
    let (mut verdicts, mut cpu, mut wall) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..repeats.max(1) {
        let (clock, from) = (Instant::now(), cpu_time_s());
        verdicts = engine.check(motions)?.verdicts;
        let (wall_s, to) = (clock.elapsed().as_secs_f64(), cpu_time_s());
        wall.push(wall_s);
        cpu.push(from.zip(to).map_or(wall_s, |(from, to)| to - from));
    }
    Ok((verdicts, median(cpu), median(wall)))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The answer in a verdict, with the time up to which nothing touches (guaranteed).
pub fn reported(verdict: &Verdict) -> Reported {
    match verdict {
        Verdict::Free => Reported::Free,
        Verdict::Contact(c) => Reported::Contact(Some(c.toc[0])),
        Verdict::Undecided(u) => Reported::Undecided(u.clear_until),
    }
}
