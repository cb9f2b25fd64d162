//! Random motions: a start without contact, and an end that differs from it by at most an angle in every joint.

use super::arm::Arm;
use super::random::Stream;
use firstcontact::error::{Error, Result};

/// Returns, for each configuration (one value per joint), true if the arm does not touch anything there.
pub type FreeCheck<'a> = dyn FnMut(&[Vec<f64>]) -> Result<Vec<bool>> + 'a;

/// Receives the start and the end values of a motion.
pub(crate) type Push<'a> = dyn FnMut(&[f64], &[f64]) -> Result<()> + 'a;

/// Progress report of the generation of motions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The largest angle of a joint, degrees.
    pub theta_max_deg: f64,
    /// Number of motions made so far with that angle.
    pub n_made: usize,
    /// Total number of motions with that angle.
    pub n_motions: usize,
    /// Number of random starts tried for them.
    pub n_tried: usize,
}

/// Maximum number of starts that are checked together.
const BATCH: usize = 4096;
/// Number of starts that are tried for each motion before giving up.
const TRIES_PER_MOTION: usize = 2000;

/// Parameters of the sampling.
pub(crate) struct Sampling<'a> {
    pub(crate) arm: &'a Arm,
    /// Name of the set, which selects the streams of random numbers.
    pub(crate) set: &'a str,
    pub(crate) seed: u64,
    pub(crate) theta_max_deg: f64,
    pub(crate) n_motions: usize,
}

impl Sampling<'_> {
    /// Passes the start and end of each motion to `push`, and returns the number of random starts that were tried.
    ///
    /// The motions depend on the seed, the data set, the angle and the answers of `is_free`, but not on the number of
    /// starts that are checked together. A smaller number of motions results in the first motions of a larger number.
    ///
    /// # Errors
    /// Errors of the check and of `push`; too few free starts.
    pub(crate) fn run(
        &self,
        is_free: &mut FreeCheck<'_>,
        progress: &mut dyn FnMut(Progress),
        push: &mut Push<'_>,
    ) -> Result<usize> {
        let stream =
            |purpose: &str| Stream::new(self.seed, &format!("{}/{purpose}/{}deg", self.set, self.theta_max_deg));
        let (mut starts, mut turns) = (stream("starts"), stream("turns"));
        let most_tries = TRIES_PER_MOTION.saturating_mul(self.n_motions.saturating_add(100));
        let mut state =
            Progress { theta_max_deg: self.theta_max_deg, n_made: 0, n_motions: self.n_motions, n_tried: 0 };
        while state.n_made < self.n_motions {
            if state.n_tried >= most_tries {
                let Progress { n_made, n_motions, n_tried, .. } = state;
                let message = format!("only {n_made} of {n_motions} free starts among {n_tried} random ones");
                return Err(Error::usage(message).remedy("choose another seed"));
            }
            let batch: Vec<Vec<f64>> = (0..BATCH.min(4 * (self.n_motions - state.n_made)).max(64))
                .map(|_| self.joints().map(|[low, high]| starts.between(low, high)).collect())
                .collect();
            let verdicts = is_free(&batch)?;
            if verdicts.len() != batch.len() {
                let message = format!("{} verdicts for {} starts", verdicts.len(), batch.len());
                return Err(Error::usage(message));
            }
            for (start, free) in batch.iter().zip(verdicts) {
                if state.n_made == self.n_motions {
                    break;
                }
                state.n_tried += 1;
                if free {
                    let theta_max_rad = self.theta_max_deg * (std::f64::consts::PI / 180.0);
                    let end: Vec<f64> = start.iter().map(|q| q + theta_max_rad * turns.unit() * turns.sign()).collect();
                    push(start, &end)?;
                    state.n_made += 1;
                }
            }
            progress(state);
        }
        Ok(state.n_tried)
    }

    /// The ranges of the joints' start values.
    fn joints(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        self.arm.links.iter().skip(1).map(|l| l.start_range_rad)
    }
}

#[cfg(test)]
mod tests {
    use super::super::puma;
    use super::*;

    type Rows = Vec<(Vec<f64>, Vec<f64>)>;

    fn sample(n_motions: usize, seed: u64, is_free: &mut FreeCheck<'_>) -> Result<(Rows, usize)> {
        let arm = puma::arm().unwrap();
        let sampling = Sampling { arm: &arm, set: "test", seed, theta_max_deg: 15.0, n_motions };
        let mut rows = Rows::new();
        let tried = sampling.run(is_free, &mut |_| (), &mut |s, e| {
            rows.push((s.to_vec(), e.to_vec()));
            Ok(())
        })?;
        Ok((rows, tried))
    }

    /// Configurations whose first joint is positive are free.
    fn half(starts: &[Vec<f64>]) -> Result<Vec<bool>> {
        Ok(starts.iter().map(|q| q[0] > 0.0).collect())
    }

    #[test]
    fn ends_are_within_the_angle_and_starts_are_free() {
        let (rows, tried) = sample(2000, 1, &mut half).unwrap();
        assert_eq!(rows.len(), 2000);
        assert!((3600..4400).contains(&tried), "{tried}");
        let bound = 15f64.to_radians();
        let mut signs = 0;
        for (start, end) in &rows {
            assert!(start[0] > 0.0 && start.len() == 6);
            for (s, e) in start.iter().zip(end) {
                assert!((e - s).abs() <= bound && s.abs() <= std::f64::consts::PI);
                signs += usize::from(e > s);
            }
        }
        assert!((5700..6300).contains(&signs), "{signs}");
    }

    #[test]
    fn smaller_samples_are_prefixes_of_larger_ones() {
        let (many, _) = sample(700, 1, &mut half).unwrap();
        let (few, _) = sample(10, 1, &mut half).unwrap();
        let (other, _) = sample(10, 2, &mut half).unwrap();
        assert_eq!(few, many[..10]);
        assert_ne!(few, other);
        assert_eq!(sample(0, 1, &mut half).unwrap(), (Vec::new(), 0));
    }

    #[test]
    fn failures_of_the_free_test_are_returned() {
        assert!(sample(1, 1, &mut |_| Err(Error::usage("stop"))).unwrap_err().to_string().contains("stop"));
        assert!(sample(1, 1, &mut |_| Ok(vec![true])).unwrap_err().to_string().contains("1 verdicts"));
        let none = sample(1, 1, &mut |s| Ok(vec![false; s.len()])).unwrap_err().to_string();
        assert!(none.contains("only 0 of 1 free starts"), "{none}");
    }
}
