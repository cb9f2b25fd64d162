//! Proved facts on a motion, and their comparison with a verdict.

use super::model::{Model, Motion, pair, stored};
use crate::harness::witness;
use crate::oracle::inclusion::{self, Answer, Limits};
use crate::oracle::interval::Interval;
use crate::oracle::poses::{Articulated, Points};
use crate::oracle::precise::certainly_pierce;
use crate::oracle::triangles;
use firstcontact::robot::Robot;
use firstcontact::verdict::Verdict;
use std::fmt;

/// Proved facts on a motion.
#[derive(Clone, Copy, Debug)]
pub struct Truth {
    /// Nothing touches before this time; above 1 if nothing ever does.
    pub clear_until: f64,
    /// Something touches at or before this time.
    pub contact_by: Option<f64>,
}

/// The effort of a proof.
#[derive(Clone, Copy, Debug)]
pub struct Care {
    /// Maximum number of boxes for a pair of triangles.
    pub cap: usize,
    /// Number of times at which all pairs are examined.
    pub samples: usize,
}

impl Default for Care {
    fn default() -> Self {
        Self { cap: 60_000, samples: 512 }
    }
}

/// Proves what is possible about every pair of triangles.
pub fn truth(model: &Model, robot: &Robot, motion: &Motion, care: Care) -> Truth {
    let chains = stored(robot, motion);
    let mut out = Truth { clear_until: f64::INFINITY, contact_by: None };
    for (body, mesh) in &model.links {
        for x in mesh {
            for y in model.objects.iter().flatten() {
                let pair = pair(chains[body + 1].clone(), x, y);
                let one = of_pair(&pair, care, out.contact_by.unwrap_or(1.0));
                out.clear_until = out.clear_until.min(one.clear_until);
                out.contact_by = [out.contact_by, one.contact_by].into_iter().flatten().reduce(f64::min);
            }
        }
    }
    out
}

/// The same for two triangles; times after `end` are not searched.
pub fn of_pair(pair: &Articulated, care: Care, end: f64) -> Truth {
    let clear = Truth { clear_until: f64::INFINITY, contact_by: None };
    if boxes_miss(pair, (0.0, 1.0), 6) {
        return clear;
    }
    let answer = inclusion::triangles(pair, Limits { cap: care.cap, ..Limits::default() });
    if answer == Answer::Free {
        return clear;
    }
    let from = answer.clear_until();
    Truth { clear_until: from, contact_by: (from < end).then(|| piercing(pair, from, end, care.samples)).flatten() }
}

/// The first time found, from `from` to `end`, at which two triangles certainly pierce each other.
pub fn piercing(pair: &Articulated, from: f64, end: f64, samples: usize) -> Option<f64> {
    let pierced = |t: &f64| {
        let (x, y) = witness::at(pair, *t);
        triangles::pierce(&x, &y)
    };
    // dense at first, then evenly spaced
    let soon = (0..44).map(|k| from + 1e-14 * 2.0_f64.powi(k)).take_while(|t| *t < end);
    let evenly = (1..=samples).map(|k| from + (end - from) * k as f64 / samples as f64);
    let mut times: Vec<f64> = std::iter::once(from).chain(soon).chain(evenly).collect();
    times.sort_by(f64::total_cmp);
    let found = times.iter().position(pierced)?;
    let (mut without, mut within) = (times[found.saturating_sub(1)], times[found]);
    while within - without > 1e-15 && without.next_up() < within {
        let middle = 0.5 * (without + within);
        if pierced(&middle) { within = middle } else { without = middle }
    }
    // the result in plain numbers is confirmed in ball arithmetic, at the earliest possible of these times
    let later = [0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10].map(|d| within + d);
    later.into_iter().chain([times[found]]).find(|t| *t <= end && certainly_pierce(pair, *t))
}

/// The earliest time found, from `from` on, at which two triangles certainly pierce each other, given one such time.
pub fn first_certain(pair: &Articulated, from: f64, at: f64) -> Option<f64> {
    let mut within = (at <= 1.0 && certainly_pierce(pair, at)).then_some(at)?;
    let mut without = from.min(within);
    for _ in 0..20 {
        let middle = 0.5 * (without + within);
        if certainly_pierce(pair, middle) { within = middle } else { without = middle }
    }
    Some(within)
}

/// Returns whether boxes around the moving points and those at rest show that they never meet.
fn boxes_miss(pair: &Articulated, (t0, t1): (f64, f64), halvings: u32) -> bool {
    let boxes = pair.boxes(Interval::new(t0, t1));
    let around = |i: usize| boxes[3 * i..3 * i + 3].iter().copied().reduce(crate::oracle::poses::hull).unwrap();
    let (x, y) = (around(0), around(1));
    if (0..3).any(|i| x[i].hi < y[i].lo || y[i].hi < x[i].lo) {
        return true;
    }
    let middle = 0.5 * (t0 + t1);
    halvings > 0 && boxes_miss(pair, (t0, middle), halvings - 1) && boxes_miss(pair, (middle, t1), halvings - 1)
}

/// Counts of a run.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub motions: usize,
    pub free: usize,
    pub contact: usize,
    pub proved: usize,
    pub certified: usize,
    pub undecided: usize,
    /// Motions that certainly touch.
    pub certain: usize,
    /// Motions that are proved free.
    pub proved_free: usize,
    /// Descriptions of the faults.
    pub faults: Vec<String>,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "{} motions ({} certainly touch, {} are proved free): {} free, {} contact, {} proved, {} certified, \
             {} undecided, {} faults",
            self.motions,
            self.certain,
            self.proved_free,
            self.free,
            self.contact,
            self.proved,
            self.certified,
            self.undecided,
            self.faults.len()
        )
    }
}

impl Counts {
    /// Counts a verdict and records its faults. `near` is the largest allowed distance, in metres, of a reported
    /// contact from a real one.
    pub fn judge(&mut self, what: &str, model: &Model, motion: &Motion, truth: &Truth, verdict: &Verdict, near: f64) {
        self.motions += 1;
        self.certain += usize::from(truth.contact_by.is_some());
        self.proved_free += usize::from(truth.clear_until > 1.0);
        let mut fault = |text: &str| self.faults.push(format!("{what}: {text}: {verdict:?}; {truth:?}"));
        match verdict {
            Verdict::Free => {
                self.free += 1;
                if truth.contact_by.is_some() {
                    fault("MISSED");
                }
            }
            Verdict::Undecided(u) => {
                self.undecided += 1;
                println!("    {what}: {u:?}; {truth:?}");
                if truth.contact_by.is_some_and(|t| u.clear_until > t) {
                    fault("clear too long");
                }
            }
            Verdict::Contact(c) => {
                let [lo, hi] = c.toc;
                if truth.contact_by.is_some_and(|t| lo > t) {
                    fault("LATE");
                }
                if c.is_proved() && truth.clear_until > hi {
                    fault("PROVED a contact that does not exist");
                }
                let pair = model.named(c, motion);
                for text in witness::faults(c, &pair, near) {
                    fault(&text);
                }
                if !c.is_proved() && witness::distance(&pair, lo) > near {
                    fault("nothing is near");
                }
                if c.is_certified() && witness::distance(&pair, hi) > near + witness::travel(&pair, lo, hi) {
                    fault("what is certified does not touch");
                }
                self.contact += 1;
                self.proved += usize::from(c.is_proved());
                self.certified += usize::from(c.is_certified());
            }
        }
    }

    /// Ends a run: prints the counts, and panics if there is a fault.
    pub fn finish(&self, what: &str) {
        println!("{what}: {self}");
        for fault in self.faults.iter().take(10) {
            println!("    {fault}");
        }
        assert!(self.faults.is_empty(), "{what}: {} faults, the first: {}", self.faults.len(), self.faults[0]);
    }
}
