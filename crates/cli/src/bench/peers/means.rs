//! Means by class, and ratios of the times of contenders.

use super::contender::{Answers, Contender};
use super::fact::{Fact, Judge, judged};
use super::score::Score;
use super::sets::{Class, Set};
use std::sync::Arc;

/// Data that all contenders of a measurement share.
#[derive(Debug)]
pub struct Ground {
    /// The classes of motions.
    pub classes: Vec<Class>,
    /// The scenes with their motions.
    pub sets: Vec<Arc<Set>>,
    /// The sources of facts.
    pub judges: Vec<Judge>,
}

/// The two kinds of motions.
pub const KINDS: [&str; 2] = ["contact", "free"];

/// A contender's results in a class.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Seconds of each answered motion, by [`KINDS`].
    pub seconds: [Vec<f64>; 2],
    /// Mean time of the class's motions, seconds; `None` if no motion of one kind was answered.
    pub mean_s: Option<f64>,
    /// The correctness of its answers.
    pub score: Score,
}

impl Ground {
    /// All motions: set, number in the set, class, and the fact for everyone except the engine.
    fn motions(&self) -> impl Iterator<Item = (usize, usize, usize, Fact)> {
        self.sets.iter().enumerate().flat_map(move |(s, set)| {
            let fact = move |i| judged(&self.judges, s, i, true);
            set.motions.iter().enumerate().map(move |(i, m)| (s, i, m.class, fact(i)))
        })
    }

    /// Number of motions of a class, by [`KINDS`].
    pub fn composition(&self, class: usize) -> [usize; 2] {
        let mut n = [0, 0];
        for (_, _, _, fact) in self.motions().filter(|m| m.2 == class) {
            match fact {
                Fact::Contact(_) => n[0] += 1,
                Fact::Free => n[1] += 1,
                Fact::Unknown => {}
            }
        }
        n
    }

    /// Reasons of missing answers, with the names of the sets.
    pub fn troubles(&self, answers: &[Answers]) -> Vec<String> {
        let of_sets = self.sets.iter().zip(answers);
        of_sets.filter_map(|(set, a)| Some(format!("{}: {}", set.name, a.trouble.as_ref()?))).collect()
    }

    /// The results of a contender in each class.
    pub fn parts(&self, contender: &Contender) -> Vec<Part> {
        let mut parts = vec![Part::default(); self.classes.len()];
        for (s, i, class, fact) in self.motions() {
            let Some(answer) = contender.answers[s].by_motion.get(i).copied().flatten() else { continue };
            let part = &mut parts[class];
            match fact {
                Fact::Contact(_) => part.seconds[0].push(contender.cost_s(&answer)),
                Fact::Free => part.seconds[1].push(contender.cost_s(&answer)),
                Fact::Unknown => {}
            }
            let own = if contender.is_engine { judged(&self.judges, s, i, false) } else { fact };
            part.score.take(answer.reported, own, self.sets[s].motions[i].travel_m);
        }
        for (class, part) in parts.iter_mut().enumerate() {
            let together = contender.answers.iter().find_map(|a| a.together_s.get(class).copied().flatten());
            part.mean_s = together.or_else(|| weighted(part, self.composition(class)));
        }
        parts
    }
}

/// The mean of a class as if all its motions had been answered: means of the two kinds, weighted by their numbers of
/// motions.
fn weighted(part: &Part, composition: [usize; 2]) -> Option<f64> {
    let mut sum = 0.0;
    for (values, n) in part.seconds.iter().zip(composition) {
        if n > 0 {
            sum += mean(values)? * n as f64;
        }
    }
    let n = composition[0] + composition[1];
    (n > 0).then(|| sum / n as f64)
}

/// The mean; `None` without values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Geometric mean of the ratio of two contenders' times, over the classes in which both have one, and the number of
/// these classes.
pub fn ratio(of: &[Part], to: &[Part]) -> Option<(f64, usize)> {
    let logs: Vec<f64> = of.iter().zip(to).filter_map(|(a, b)| Some((a.mean_s? / b.mean_s?).ln())).collect();
    mean(&logs).map(|log| (log.exp(), logs.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_weighted_by_composition_not_by_number_of_answers() {
        let part = Part { seconds: [vec![3.0, 5.0], vec![1.0]], ..Part::default() };
        assert_eq!(weighted(&part, [1, 3]), Some((4.0 + 3.0) / 4.0));
        assert_eq!(weighted(&part, [0, 3]), Some(1.0));
        assert_eq!(weighted(&Part { seconds: [Vec::new(), vec![1.0]], ..Part::default() }, [1, 3]), None);
        assert_eq!(weighted(&Part::default(), [0, 0]), None);
    }

    #[test]
    fn ratios_are_averaged_by_their_logarithms() {
        let parts = |means: [Option<f64>; 3]| means.map(|mean_s| Part { mean_s, ..Part::default() });
        let (slow, fast) = (parts([Some(8.0), Some(2.0), Some(1.0)]), parts([Some(1.0), Some(1.0), None]));
        let (factor, n) = ratio(&slow, &fast).unwrap();
        assert!((factor - 4.0).abs() < 1e-12 && n == 2);
        assert_eq!(ratio(&parts([None; 3]), &fast), None);
    }
}
