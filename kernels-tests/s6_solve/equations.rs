//! Fuzzed articulated equations against proofs: every pair of triangles gives fifteen elementary equations (six of a
//! vertex and a face, nine of two edges), solved by the exact stage alone.
//!
//! Two oracles establish the truth, and neither uses derivatives: the search in (time, two feature parameters) by boxes
//! of interval poses ([`inclusion`](crate::oracle::inclusion)) proves times before which nothing touches, and piercing
//! in 256 bits ([`precise`](crate::oracle::precise)) proves times at which something does. The counts are
//!
//! - *missed*: certainly touches, and is called free;
//! - *late*: certainly touches before the enclosure begins, or before `clear_until`;
//! - *false proofs*: called proved, but nothing touches until the enclosure ends, or no contact in it can be verified
//!   in 256 bits, although each of them can be;
//! - *stray*: called a contact without proof, and at the enclosure's start the two are farther apart than the stated
//!   band and ten times the tolerance in time explain;
//! - *not told*: free, but called a contact without proof; gaps within the band are not a fault.

use super::degenerate::{Arm, Case, Class, NEAR_DEGENERATE, case};
use super::direct::{Direct, with};
use crate::effort;
use crate::harness::witness;
use crate::oracle::ball::Ball;
use crate::oracle::dyadic::Dyadic;
use crate::oracle::inclusion::{self, Limits, equations_of_two_triangles};
use crate::oracle::poses::Articulated;
use crate::oracle::precise::{Contact, certainly_pierce};
use crate::oracle::triangles;
use crate::random_models::judge::{Care, Truth, of_pair};
use crate::random_models::random::Random;
use firstcontact::stage::s6_solve::{Method, SolveOptions};
use firstcontact::verdict::Verdict;
use std::fmt;
use std::time::Instant;

/// Elementary equations of a pair of triangles.
const EQUATIONS: usize = 15;

#[derive(Clone, Debug, Default)]
struct Counts {
    pairs: usize,
    touching: usize,
    proved_free: usize,
    free: usize,
    contact: usize,
    proved: usize,
    certified: usize,
    undecided: usize,
    not_told: usize,
    /// The widest gap of a free pair that was called a contact without proof, metres.
    widest: f64,
    missed: Vec<String>,
    late: Vec<String>,
    false_proofs: Vec<String>,
    stray: Vec<String>,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "{} equations in {} pairs ({} certainly touch, {} are proved free): {} free, {} contact, {} proved, \
             {} certified, {} undecided; {} missed, {} late, {} false proofs, {} stray; \
             {} free ones not told, widest gap {:.1e}",
            EQUATIONS * self.pairs,
            self.pairs,
            self.touching,
            self.proved_free,
            self.free,
            self.contact,
            self.proved,
            self.certified,
            self.undecided,
            self.missed.len(),
            self.late.len(),
            self.false_proofs.len(),
            self.stray.len(),
            self.not_told,
            self.widest,
        )
    }
}

impl Counts {
    fn judge(&mut self, label: &dyn Fn() -> String, pair: &Articulated, truth: &Truth, gap: f64, verdict: &Verdict) {
        self.pairs += 1;
        self.touching += usize::from(truth.contact_by.is_some());
        self.proved_free += usize::from(truth.clear_until > 1.0);
        let text = || format!("{}: {verdict:?} but {truth:?}", label());
        let too_late = |from: f64| truth.contact_by.is_some_and(|t| from > t);
        match verdict {
            Verdict::Free => {
                self.free += 1;
                if truth.contact_by.is_some() {
                    self.missed.push(text());
                }
            }
            Verdict::Undecided(u) => {
                self.undecided += 1;
                if too_late(u.clear_until) {
                    self.late.push(text());
                }
            }
            Verdict::Contact(c) => {
                self.contact += 1;
                self.proved += usize::from(c.is_proved());
                self.certified += usize::from(c.is_certified());
                let [lo, hi] = c.toc;
                if too_late(lo) {
                    self.late.push(text());
                }
                if c.is_proved() && (truth.clear_until > hi || !is_verified(pair, c.toc)) {
                    self.false_proofs.push(text());
                }
                if truth.clear_until > 1.0 {
                    self.not_told += 1;
                    self.widest = self.widest.max(gap);
                }
                let size = pair.bodies.iter().flat_map(|b| &b.1).fold(1.0, |m: f64, p| m.max(p.length()));
                let speed = witness::travel(pair, lo, (lo + 1e-6).min(1.0)) / 1e-6;
                let apart = witness::distance(pair, lo);
                if !c.is_proved() && apart > 1e-8 * speed + 1e-11 * size {
                    self.stray.push(format!("{apart:e} m apart at {speed} m per motion: {}", text()));
                }
            }
        }
    }

    fn finish(&self, what: &str, clock: Instant) {
        println!("{what}: {self}; {:.0} s", clock.elapsed().as_secs_f64());
        let faults: Vec<_> =
            [&self.missed, &self.late, &self.false_proofs, &self.stray].into_iter().flatten().collect();
        for text in faults.iter().take(20) {
            println!("    {text}");
        }
        assert!(faults.is_empty(), "{what}: {} faults", faults.len());
        assert!(self.touching > 0 && 200 * self.undecided <= self.pairs, "{what}: {self}");
    }
}

/// Returns whether a contact that is proved until the end of an enclosure exists: in 256 bits an edge pierces at that
/// moment, or two features meet between another moment and this one: their equation changes its sign, and throughout
/// that time its root would be strictly inside both.
fn is_verified(pair: &Articulated, [lo, hi]: [f64; 2]) -> bool {
    let (inside, one) = (Some(1), Ball::from(1.0));
    let meets = |from: f64| {
        let [from, to] = [from, hi].map(Dyadic::from);
        equations_of_two_triangles().into_iter().any(|e| {
            let contact = Contact::of(pair, e);
            let signs = [&from, &to].map(|t| contact.value(&Ball::from(t)).sign());
            let always = || contact.parameters(&Ball::between(&from, &to));
            signs[0].is_some_and(|s| signs[1] == Some(-s))
                && always().is_some_and(|p| p.iter().all(|x| x.sign() == inside && (&one - x).sign() == inside))
        })
    };
    // The search for a root starts before the enclosure by about the enclosure's own length.
    certainly_pierce(pair, hi) || meets((lo - (hi - lo) / 0.95).max(0.0)) || meets((lo - 1e-8).max(0.0))
}

/// The earliest time near `at` found at which the pair certainly pierces.
fn pierced_by(pair: &Articulated, at: f64) -> Option<f64> {
    let seen = |t: f64| {
        let (x, y) = witness::at(pair, t);
        (0.0..=1.0).contains(&t) && triangles::pierce(&x, &y)
    };
    // At 10^-2, 10^-3 … 10^-15 before and after.
    let away = |k: i32| at + f64::from(k.signum()) * 10f64.powi(-2 - (14 - k.abs()));
    let found = (-14..=14).find(|k| seen(away(*k)))?;
    let (mut without, mut within) = (away(found - 1), away(found));
    while within - without > 1e-15 && without.next_up() < within {
        let middle = 0.5 * (without + within);
        if seen(middle) { within = middle } else { without = middle }
    }
    let later = [0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-8, 1e-6].map(|d| within + d);
    later.into_iter().chain([away(found)]).find(|t| *t <= 1.0 && certainly_pierce(pair, *t))
}

/// The provable facts of a case.
fn truth_of(class: Class, made: &Case, pair: &Articulated, boxes: usize) -> Truth {
    if class == Class::Any {
        return of_pair(pair, Care { cap: boxes, samples: 256 }, 1.0);
    }
    if made.is_free {
        return Truth { clear_until: f64::INFINITY, contact_by: None };
    }
    let contact_by = made.meets.and_then(|t| pierced_by(pair, t));
    let boxes = if contact_by.is_some() { boxes / 8 } else { boxes };
    let limits = Limits { cap: boxes, part: 1e-13, difference: 1e-15, ..Limits::default() };
    let clear_until = match inclusion::triangles(pair, limits) {
        inclusion::Answer::Free => f64::INFINITY,
        other => other.clear_until(),
    };
    Truth { clear_until, contact_by }
}

/// Solves `n` cases of a class, some of them by the paper's solver too.
fn run(what: &str, class: Class, arm: &Arm, seed: u64, n: usize, boxes: usize) {
    let clock = Instant::now();
    let (mut jet, mut paper) = (Counts::default(), Counts::default());
    let mut k = 0;
    while jet.pairs < n {
        k += 1;
        let r = &mut Random::new(seed * 10_000_000 + k);
        let Some(made) = case(r, class, arm) else { continue };
        let direct = Direct::new(&made.model, &made.motion);
        for which in direct.pairs() {
            let pair = direct.pair(which);
            let truth = truth_of(class, &made, &pair, boxes);
            let label = || format!("{what} {k} (gap {:e})", made.gap);
            let verdict = direct.of(&[which], &SolveOptions::default());
            jet.judge(&label, &pair, &truth, made.gap, &verdict);
            if jet.pairs % 50 == 1 && !made.model.has_flat() {
                paper.judge(&label, &pair, &truth, made.gap, &direct.of(&[which], &with(Method::Paper)));
            }
        }
    }
    jet.finish(what, clock);
    println!("{what}, the paper's solver: {paper}");
    let faults: Vec<_> = [&paper.missed, &paper.late, &paper.false_proofs].into_iter().flatten().collect();
    assert!(faults.is_empty(), "{what}, the paper's solver: {faults:#?}");
}

const SHORT: [usize; 2] = [1, 6];
const LONG: [usize; 2] = [7, 16];

fn any(degrees: f64, seed: u64, n: usize) {
    let turn = degrees.to_radians();
    run(&format!("{degrees}°"), Class::Any, &Arm { joints: SHORT, turn, far: 0.0 }, seed, n, 40_000);
}

#[test]
fn random_equations_at_5_degrees() {
    any(5.0, 1, effort(800, 100_000));
}

#[test]
fn random_equations_at_30_degrees() {
    any(30.0, 2, effort(400, 100_000));
}

#[test]
fn random_equations_at_60_degrees() {
    any(60.0, 3, effort(400, 100_000));
}

#[test]
fn random_equations_with_more_joints() {
    run("30°, 7 to 16 joints", Class::Any, &Arm { joints: LONG, turn: 0.5, far: 0.0 }, 4, effort(60, 2000), 40_000);
}

fn near_degenerate(what: &str, far: f64, seed: u64, n: usize) {
    for (i, class) in NEAR_DEGENERATE.into_iter().enumerate() {
        for (j, degrees) in [5.0_f64, 30.0, 60.0].into_iter().enumerate() {
            let arm = Arm { joints: SHORT, turn: degrees.to_radians(), far };
            run(&format!("{class:?}{what}, {degrees}°"), class, &arm, seed + (3 * i + j) as u64, n, 4000);
        }
    }
}

#[test]
fn near_degenerate_equations() {
    near_degenerate("", 0.0, 10, effort(40, 1000));
}

#[test]
fn near_degenerate_equations_a_kilometre_out() {
    near_degenerate(" at 10³ m", 1e3, 30, effort(20, 500));
}
