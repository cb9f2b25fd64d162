//! Answers of the CPU backend, with which many configurations of the adapter are compared.

use super::super::set::within;
use super::case::Case;
use super::configuration::Configuration;
use super::deadline::Deadline;
use firstcontact::Result;
use firstcontact::engine::Engine;
use firstcontact::robot::MotionBatch;
use firstcontact::stage::s6_solve::SolveOptions;
use firstcontact::verdict::Verdict;

/// Number of motions that are checked regardless of the time limit.
const MIN_MOTIONS: usize = 10;

/// Appends as many answers to the first motions as are found in `limit_s` seconds.
///
/// # Errors
/// The motions do not fit the robot, or the device failed.
pub fn some(engine: &Engine, motions: &MotionBatch, limit_s: f64, answers: &mut Vec<Verdict>) -> Result<()> {
    answers.extend(engine.check(&motions.range(0..MIN_MOTIONS))?.verdicts);
    within(engine, &motions.range(MIN_MOTIONS..motions.len()), limit_s, answers).map(|_| ())
}

/// The answers of the CPU to the first motions of a case, question by question.
#[derive(Debug)]
pub struct VerdictCache<'a> {
    case: &'a Case,
    known: Vec<(SolveOptions, Vec<Verdict>)>,
}

impl<'a> VerdictCache<'a> {
    /// No answers yet.
    pub fn new(case: &'a Case) -> Self {
        Self { case, known: Vec::new() }
    }

    /// The answers to a configuration's question for the first `n` motions: fewer if the time limit is reached, more if
    /// more are already known.
    ///
    /// # Errors
    /// The motions do not fit the robot.
    pub fn first(&mut self, configuration: &Configuration, n: usize, deadline: Deadline) -> Result<&[Verdict]> {
        let question = configuration.options.solve;
        let at = self.known.iter().position(|(known, _)| *known == question).unwrap_or_else(|| {
            self.known.push((question, Vec::new()));
            self.known.len() - 1
        });
        let answers = &mut self.known[at].1;
        if answers.len() < n {
            let engine = self.case.engine.with_options(configuration.on_cpu())?;
            let motions = self.case.motions.range(answers.len()..n);
            some(&engine, &motions, deadline.left_s(), answers)?;
        }
        Ok(answers)
    }
}

#[cfg(test)]
mod tests {
    use super::super::case::tests::small;
    use super::super::configuration;
    use super::*;
    use firstcontact::stage::s6_solve::Mode;

    #[test]
    fn verdicts_are_cached_by_mode_and_a_minimum_ignores_the_deadline() {
        let case = small(20);
        let mut cache = VerdictCache::new(&case);
        let all = configuration::all(None);
        let [toc, verdict] =
            [Mode::Toc, Mode::Verdict].map(|mode| all.iter().find(|c| c.options.solve.mode == mode).unwrap());
        let (over, ample) = (Deadline::after_s(0.0), Deadline::after_s(100.0));
        assert_eq!(cache.first(toc, 5, ample).unwrap().len(), 5);
        assert_eq!(cache.first(toc, 30, over).unwrap().len(), 5 + MIN_MOTIONS);
        assert_eq!(cache.first(toc, 40, ample).unwrap(), case.engine.check(&case.motions).unwrap().verdicts);
        assert_eq!((cache.first(verdict, 7, ample).unwrap().len(), cache.known.len()), (7, 2));
    }
}
