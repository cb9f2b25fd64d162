//! The correctness of VAMP's answers.

use super::super::contender::{Answer, Answers, Reported};
use super::super::fact::Fact;
use super::super::score::Score;
use super::{Asked, Results};

/// Judged answers to some motions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Motions that VAMP rejects without obstacles; they are not judged.
    pub itself: usize,
    /// Motions without an answer, with or without obstacles.
    pub unanswered: usize,
    /// The others.
    pub score: Score,
}

impl Tally {
    /// Adds the answers to a motion, among the obstacles and without them.
    pub fn take(&mut self, motion: Option<Answer>, alone: Option<Answer>, fact: Fact) {
        match (motion, alone.map(|a| a.reported)) {
            (_, Some(Reported::Contact(_))) => self.itself += 1,
            // No times are reported, so the travel does not matter.
            (Some(answer), Some(Reported::Free)) => self.score.take(answer.reported, fact, 0.0),
            _ => self.unanswered += 1,
        }
    }
}

/// The tally of the motions of set `s` that are chosen by their number.
pub fn tally(results: &Results, asked: &Asked, s: usize, is_chosen: impl Fn(usize) -> bool) -> Tally {
    let mut tally = Tally::default();
    for (i, &fact) in results.facts[s].iter().enumerate().filter(|(i, _)| is_chosen(*i)) {
        tally.take(asked.motion[s].by_motion[i], asked.alone[s].by_motion[i], fact);
    }
    tally
}

/// Returns whether VAMP rejects a motion without obstacles, at any of its densities of samples.
pub fn hits_itself(results: &Results, s: usize, motion: usize) -> bool {
    let hits =
        |answers: &Answers| matches!(answers.by_motion[motion], Some(Answer { reported: Reported::Contact(_), .. }));
    results.asked.iter().any(|asked| hits(&asked.alone[s]))
}
