//! Judgement of answers about pairs of links.
//!
//! Two oracles: dense sampling of all pairs in the world, and the two triangles that a contact names, placed in the
//! world by independent kinematics.

use super::answers::{Answer, Contact, Place, Side};
use crate::harness::witness;
use crate::oracle::inclusion::equations_of_two_triangles;
use crate::oracle::mesh::Triangle;
use crate::oracle::pair_sampling::{PairOutcome, PairSampler};
use crate::oracle::placements::MotionBatch;
use crate::oracle::poses::Articulated;
use crate::oracle::precise::{self, certainly_pierce};
use crate::oracle::triangles::{on_segment, on_triangle};
use glam::DVec3;

/// Rounding of positions, in metres.
const ROUNDING_M: f64 = 1e-9;
/// Largest distance at which surfaces count as touching if a contact could not be proved.
const BAND_M: f64 = 1e-7;

type Ends<'a> = (&'a [f64], &'a [f64]);

/// The faults of all answers, each with the number of its motion.
pub fn faults(sampler: &PairSampler, motions: &MotionBatch, seen: &[PairOutcome], answers: &[Answer]) -> Vec<String> {
    assert_eq!((motions.len(), seen.len()), (answers.len(), answers.len()));
    let mut out = Vec::new();
    for (i, (((q0, q1), seen), answer)) in motions.iter().zip(seen).zip(answers).enumerate() {
        let found = of_motion(sampler, (q0, q1), seen, answer);
        out.extend(found.into_iter().map(|fault| format!("motion {i}: {fault}: {answer:?} {seen:?}")));
    }
    out
}

/// The faults of one answer.
pub fn of_motion(sampler: &PairSampler, q: Ends, seen: &PairOutcome, answer: &Answer) -> Vec<String> {
    match (answer, seen.hit) {
        (Answer::Free, Some(_)) => vec!["missed".into()],
        (Answer::Undecided { clear_until }, Some(hit)) if *clear_until > hit.t => vec!["clear too long".into()],
        (Answer::Contact(contact), _) => {
            let mut faults = times(sampler, q, seen, contact);
            if let Some(place) = &contact.place {
                match named(sampler, q, place) {
                    Ok(pair) => faults.extend(places(sampler, q, contact, place, &pair)),
                    Err(fault) => faults.push(fault),
                }
            }
            faults
        }
        _ => Vec::new(),
    }
}

/// Collects the descriptions of what does not hold.
#[derive(Default)]
pub struct Faults(pub Vec<String>);

impl Faults {
    /// Adds a description unless its statement holds.
    pub fn hold(&mut self, fault: &str, holds: bool) {
        if !holds {
            self.0.push(fault.into());
        }
    }
}

/// The enclosure of the time, against sampling and against the distances of all pairs at both of its ends.
fn times(sampler: &PairSampler, q: Ends, seen: &PairOutcome, contact: &Contact) -> Vec<String> {
    let [lo, hi] = contact.toc;
    let mut faults = Faults::default();
    faults.hold("the enclosure is not an interval", (0.0..=1.0).contains(&lo) && lo <= hi && hi <= 1.0);
    faults.hold("certified but not proved", contact.proved || !contact.certified);
    faults.hold("not proved, but the enclosure does not reach the end", contact.proved || hi == 1.0);
    let before = (lo - rounding_of_sampling(sampler, q, lo)).max(0.0);
    faults.hold("late", seen.hit.is_none_or(|hit| before <= hit.t));
    faults.hold("pierced where nothing has touched", lo == 0.0 || sampler.clearance(q, before, 1e-3) > 0.0);
    faults.hold("an overlap at the start after time 0", lo == 0.0 || !contact.initial_overlap);
    if contact.proved {
        faults.hold("proved too early", seen.clear_until <= hi + 1e-9);
    }
    if contact.certified {
        faults.hold("nothing touches", sampler.clearance(q, hi, 1e-3) < 10.0 * ROUNDING_M);
        faults.hold("wide", hi - lo <= 1.001e-9);
    }
    if contact.initial_overlap {
        faults.hold("nothing touches at the start", sampler.clearance(q, 0.0, 1e-3) < BAND_M);
    }
    faults.0
}

/// The time in which links cross the rounding of their poses in the world. Far from the origin the oracle's own
/// rounding is larger than the engine's, which compares links in the frame of one of them.
fn rounding_of_sampling(sampler: &PairSampler, (q0, q1): Ends, t: f64) -> f64 {
    let far = |link: usize| sampler.robot.pose(link, q0, q1, t).translation.length();
    let farthest_m = sampler.pairs.iter().map(|(a, b)| far(*a).max(far(*b))).fold(0.0, f64::max);
    64.0 * f64::EPSILON * farthest_m
}

/// The two named triangles with their motion, if there are such triangles of a tested pair in the order of the file.
pub fn named(sampler: &PairSampler, q: Ends, place: &Place) -> Result<Articulated, String> {
    let find = |side: &Side| {
        let link = sampler.robot.links().iter().position(|l| l.name == side.name);
        link.ok_or_else(|| format!("no link {}", side.name))
    };
    let (a, b) = (find(&place.a)?, find(&place.b)?);
    if a > b {
        return Err("the links are not in the order of the file".into());
    }
    if !sampler.pairs.contains(&(a, b)) {
        return Err("a pair that is not tested".into());
    }
    for (link, side) in [(a, &place.a), (b, &place.b)] {
        if shape_of(&sampler.meshes.counts[link], side.triangle) != side.shape {
            return Err(format!("triangle {} is not in shape {:?} of {}", side.triangle, side.shape, side.name));
        }
    }
    Ok(sampler.pair((a, b), (place.a.triangle, place.b.triangle), q))
}

/// The shape that has a triangle, of shapes with these numbers of triangles.
fn shape_of(counts: &[usize], triangle: usize) -> Option<usize> {
    let mut end = 0;
    counts.iter().position(|n| {
        end += n;
        triangle < end
    })
}

/// The point, the normal and the distance of the two triangles.
fn places(sampler: &PairSampler, q: Ends, contact: &Contact, place: &Place, pair: &Articulated) -> Vec<String> {
    let [lo, hi] = contact.toc;
    let links = [&place.a, &place.b].map(|s| sampler.robot.link(&s.name));
    let speed = sampler.travel_in_world((links[0], links[1]), q);
    let near = if contact.proved { speed * (hi - lo) + ROUNDING_M } else { BAND_M };
    let mut faults = Faults::default();
    faults.hold("the triangles are apart at the start of the enclosure", witness::distance(pair, lo) <= near);
    faults.hold("the triangles are apart at its end", !contact.certified || witness::distance(pair, hi) <= near);
    let (x, y) = witness::at(pair, lo);
    for (triangle, side, name) in [(x, &place.a, "a"), (y, &place.b, "b")] {
        let off = place.point.distance(on_feature(place.point, &triangle, &side.feature));
        faults.hold(&format!("the point is {off:e} from the feature of {name}"), off <= near);
    }
    faults.hold("the normal is not a unit vector", (place.normal.length() - 1.0).abs() < 1e-12);
    if contact.certified && !contact.initial_overlap && lo > 2.0 * witness::STEP {
        faults.hold("the normal points from a to b", approaches(pair, lo, place));
    }
    faults.0
}

/// The point of a feature that is closest to `p`.
fn on_feature(p: DVec3, t: &Triangle, (kind, k): &(String, usize)) -> DVec3 {
    match kind.as_str() {
        "vertex" => t[*k],
        "edge" => on_segment(p, t[*k], t[(*k + 1) % 3]),
        _ => on_triangle(p, t),
    }
}

/// Returns whether the first body approaches the second at the point, against the normal, up to rounding.
fn approaches(pair: &Articulated, t: f64, place: &Place) -> bool {
    let [a, b] = [0, 1].map(|i| witness::velocity(&pair.bodies[i].0, t, place.point));
    let noise = 8.0 * f64::EPSILON * (1.0 + place.point.length()) / witness::STEP;
    let scale = (a - b).length() + 1e-6 * (a.length() + b.length());
    (a - b).dot(place.normal) <= 1e-6 * scale + noise
}

/// Returns whether the named triangles certainly pierce each other at the end of the enclosure, or one of their contact
/// functions certainly has a root within it.
pub fn certain(sampler: &PairSampler, q: Ends, contact: &Contact) -> bool {
    let Some(Ok(pair)) = contact.place.as_ref().map(|place| named(sampler, q, place)) else { return false };
    let [lo, hi] = contact.toc;
    let meets = |e| precise::Contact::of(&pair, e).certainly_meets((lo - 1e-10).max(0.0), hi);
    certainly_pierce(&pair, hi) || equations_of_two_triangles().into_iter().any(meets)
}
