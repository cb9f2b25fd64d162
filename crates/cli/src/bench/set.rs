//! Data sets to measure on: robot, scene, and motions with known verdicts.

use super::run::UsedDataset;
use crate::dataset::Loaded;
use firstcontact::Result;
use firstcontact::engine::{Engine, Report, Stats};
use firstcontact::robot::{MotionBatch, Robot};
use firstcontact::scene::Scene;
use firstcontact::verdict::Verdict;
use std::path::Path;

/// The two kinds of motions with an answer; undecided ones belong to neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing touches.
    Free,
    /// A contact, proved or possible.
    Colliding,
}

impl Kind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Free, Self::Colliding];

    /// The kind in a word.
    pub fn name(self) -> &'static str {
        ["free", "colliding"][self as usize]
    }
}

/// A data set with its answers.
pub struct Set {
    /// `NAME/DEG`.
    pub name: String,
    /// The robot.
    pub robot: Robot,
    /// The scene.
    pub scene: Scene,
    /// All motions.
    pub motions: MotionBatch,
    /// Their answers.
    pub verdicts: Vec<Verdict>,
}

impl Set {
    /// Reads a data set, generates it if it is a missing one of the generated sets, and checks it once on the CPU.
    pub fn load(name: &str, folder: &Path) -> Result<Self> {
        let loaded = Loaded::new(name, folder)?;
        let verdicts = loaded.engine()?.check(&loaded.motions)?.verdicts;
        let Loaded { robot, scene, motions, .. } = loaded;
        Ok(Self { name: name.into(), robot, scene, motions, verdicts })
    }

    /// The numbers of the first motions of a kind.
    pub fn numbers(&self, kind: Kind, most: usize) -> Vec<usize> {
        let fits = |i: &usize| match kind {
            Kind::Free => self.verdicts[*i] == Verdict::Free,
            Kind::Colliding => self.verdicts[*i].is_contact(),
        };
        (0..self.verdicts.len()).filter(fits).take(most).collect()
    }

    /// The set with some interesting motions: the earliest contact, the latest one, and `others`.
    pub fn used(&self, others: &[usize]) -> UsedDataset {
        let begin = |i: usize| match &self.verdicts[i] {
            Verdict::Contact(contact) => contact.toc[0],
            _ => f64::NAN,
        };
        let mut hits: Vec<usize> = (0..self.verdicts.len()).filter(|&i| begin(i) > 0.0).collect();
        hits.sort_by(|&a, &b| begin(a).total_cmp(&begin(b)));
        let mut motions: Vec<usize> = [hits.first(), hits.last()].into_iter().flatten().copied().collect();
        for &other in others {
            if !motions.contains(&other) {
                motions.push(other);
            }
        }
        UsedDataset { name: self.name.clone(), motions }
    }
}

/// Time for measuring the same motions repeatedly, seconds, and the maximum number of repetitions.
const AGAIN: (f64, usize) = (1.0, 5);

/// Checks motions together several times, if that is quick: the statistics of the median, and the seconds of each time.
/// One motion is checked first, to create the buffers.
pub fn repeated(engine: &Engine, motions: &MotionBatch) -> Result<(Stats, Vec<f64>)> {
    engine.check(&motions.range(0..1))?;
    let mut all = vec![engine.check(motions)?.stats];
    let sum = |all: &[Stats]| all.iter().map(|s| s.wall_s).sum::<f64>();
    while all.len() < AGAIN.1 && sum(&all) < AGAIN.0 {
        all.push(engine.check(motions)?.stats);
    }
    let seconds: Vec<f64> = all.iter().map(|s| s.wall_s).collect();
    all.sort_by(|a, b| a.wall_s.total_cmp(&b.wall_s));
    let median = all.swap_remove(all.len() / 2);
    Ok((median, seconds))
}

/// Checks motions in increasing portions until all are checked or `limit_s` seconds have passed, and appends their
/// answers to `verdicts`; a portion that has begun is completed.
pub fn within(engine: &Engine, motions: &MotionBatch, limit_s: f64, verdicts: &mut Vec<Verdict>) -> Result<Stats> {
    let (mut sum, mut first, mut portion) = (Stats::default(), 0, 1);
    while first < motions.len() && sum.wall_s < limit_s {
        let Report { verdicts: of_portion, stats } = engine.check(&motions.range(first..first + portion))?;
        verdicts.extend(of_portion);
        sum.add(&stats);
        sum.wall_s += stats.wall_s;
        first += portion;
        // Fewer than twice as many if the remaining time is too short for them.
        let share = (limit_s - sum.wall_s) / sum.wall_s.max(1e-9);
        portion = portion.saturating_mul(2).min(((first as f64 * share) as usize).max(1));
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use firstcontact::verdict::{Undecided, UndecidedReason};
    use glam::{DMat3, DVec3};

    #[test]
    fn undecided_motions_are_of_no_kind() {
        let undecided = Undecided { clear_until: 0.5, reason: UndecidedReason::EvaluationCap };
        let set = Set {
            name: "some/30".into(),
            robot: Robot::new("robot", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap(),
            scene: Scene::new(),
            motions: MotionBatch::between(&[[0.0]; 3], &[[1.0]; 3]).unwrap(),
            verdicts: vec![Verdict::Free, Verdict::Undecided(undecided), Verdict::Free],
        };
        assert_eq!((set.numbers(Kind::Free, 9), set.numbers(Kind::Colliding, 9)), (vec![0, 2], vec![]));
    }
}
