//! Judgement of answers: by walking along the trajectory, by distances at the ends of an enclosure, and by the two
//! named triangles, placed in the world by the oracle's kinematics.

use super::answers::{Answer, Contact};
use super::course::{Course, Other, Pair};
use super::curve::{Execution, Trajectory};
use super::walk::Outcome;
use crate::link_pairs::answers::{Place, Side};
use crate::link_pairs::judge::Faults;
use crate::oracle::mesh::Triangle;
use crate::oracle::triangles::{self, on_segment, on_triangle};
use glam::DVec3;

/// Rounding of times, in segments.
const ROUNDING: f64 = 1e-9;
/// Rounding of positions, in metres.
const ROUNDING_M: f64 = 1e-9;
/// Largest distance at which surfaces count as touching if a contact could not be proved.
const BAND_M: f64 = 1e-7;
/// Step of the finite difference of a position, in segments.
const STEP: f64 = 1e-6;

/// Agreement of the times of certified contacts with the piercings that the oracle found.
#[derive(Default)]
pub struct Agreement {
    hits: usize,
    within_tolerance: usize,
    /// Largest amount by which an enclosure begins after the hit.
    latest: f64,
    /// Largest distance of a hit from its enclosure, among those that agree.
    largest: f64,
}

impl Agreement {
    pub fn add(&mut self, seen: &[Outcome], answers: &[Answer]) {
        for (contact, hit) in answers.iter().zip(seen).filter_map(|(a, o)| Some((a.contact()?, o.hit?))) {
            self.latest = self.latest.max(contact.u[0] - hit.u);
            if contact.certified {
                self.hits += 1;
                let apart = (contact.u[0] - hit.u).max(hit.u - contact.u[1]);
                if apart <= 2.0 * ROUNDING {
                    self.within_tolerance += 1;
                    self.largest = self.largest.max(apart);
                }
            }
        }
    }

    /// Prints the agreement. A shallow contact may be too short for the steps of the oracle, which finds the next one.
    #[track_caller]
    pub fn require(&self) {
        let Self { hits, within_tolerance, latest, largest } = self;
        println!("{within_tolerance} of {hits} certified times are those of the hits, at most {largest:e} apart;");
        println!("the latest enclosure begins {latest:e} after a hit");
        assert!(10 * within_tolerance >= 9 * hits);
    }
}

/// The faults of all answers, each with the number of its trajectory.
pub fn faults(course: &Course, all: &[Trajectory], seen: &[Outcome], answers: &[Answer]) -> Vec<String> {
    assert_eq!((all.len(), seen.len()), (answers.len(), answers.len()));
    let mut out = Vec::new();
    for (i, ((t, seen), answer)) in all.iter().zip(seen).zip(answers).enumerate() {
        let found = of_one(course, t, seen, answer);
        out.extend(found.into_iter().map(|fault| format!("trajectory {i}: {fault}: {answer:?} {seen:?}")));
    }
    out
}

/// The faults of one answer.
pub fn of_one(course: &Course, t: &Trajectory, seen: &Outcome, answer: &Answer) -> Vec<String> {
    match (answer, seen.hit) {
        (Answer::Free, Some(_)) => vec!["missed".into()],
        (Answer::Undecided { clear_until }, Some(hit)) if *clear_until > hit.u + ROUNDING => {
            vec!["clear too long".into()]
        }
        (Answer::Contact(contact), _) => {
            let mut faults = of_times(course, t, seen, contact);
            match contact.place.as_ref().map(|place| (place, named(course, place))) {
                Some((place, Ok(named))) => faults.extend(of_place(course, t, contact, place, named)),
                Some((_, Err(fault))) => faults.push(fault),
                None => {}
            }
            faults
        }
        _ => Vec::new(),
    }
}

fn of_times(course: &Course, t: &Trajectory, seen: &Outcome, contact: &Contact) -> Vec<String> {
    let ([lo, hi], end, e) = (contact.u, t.n_segments() as f64, t.nominal());
    let mut faults = Faults::default();
    faults.hold("the enclosure is not an interval", 0.0 <= lo && lo <= hi && hi <= end);
    faults.hold("certified but not proved", contact.proved || !contact.certified);
    faults.hold("not proved, but the enclosure does not reach the end", contact.proved || hi == end);
    faults.hold("late", seen.hit.is_none_or(|hit| lo <= hit.u + ROUNDING));
    let before = (lo - ROUNDING).max(0.0);
    faults.hold("in contact before", lo == 0.0 || course.clearance(&e, before, 1e-3) > 0.0);
    faults.hold("an overlap at the start after time 0", lo == 0.0 || !contact.initial_overlap);
    if contact.proved {
        faults.hold("proved too early", seen.clear_until <= hi + ROUNDING);
    }
    if contact.certified {
        faults.hold("nothing touches", course.clearance(&e, hi, 1e-3) < 10.0 * ROUNDING_M);
        faults.hold("wide", is_narrow(course, &e, contact));
    }
    if contact.initial_overlap {
        faults.hold("nothing touches at the start", course.clearance(&e, 0.0, 1e-3) < BAND_M);
    }
    faults.hold("other times in seconds", has_right_time(t, contact));
    faults.0
}

/// Returns whether an enclosure is as narrow as a certified one: in its first segment, or in travel.
fn is_narrow(course: &Course, e: &Execution, contact: &Contact) -> bool {
    let [lo, hi] = contact.u;
    let k = lo.floor();
    let travel = |from: f64, to: f64| course.pairs.iter().map(|p| course.travel(*p, e, (from, to))).fold(0.0, f64::max);
    // The floor of the width is that of the pair that touches, which may be slower than others.
    let place = contact.place.as_ref().and_then(|place| named(course, place).ok());
    let is_least = |(pair, _): (Pair, _)| course.travel(pair, e, (lo, hi)) <= 2e-11;
    hi - lo <= 1.001e-9 || travel(lo, hi) <= 1.001e-9 * travel(k, k + 1.0) + 2e-11 || place.is_some_and(is_least)
}

/// Returns whether the times in seconds are those of the segments, up to rounding.
fn has_right_time(t: &Trajectory, contact: &Contact) -> bool {
    let (Some(times), Some(found)) = (&t.times_s, contact.time_s) else {
        return t.times_s.is_none() && contact.time_s.is_none();
    };
    contact.u.into_iter().zip(found).all(|(u, found)| {
        let (k, x) = t.split(u);
        (times[k] + x * t.duration_s(k) - found).abs() <= 1e-12 * (1.0 + found.abs())
    })
}

/// The pair and the two triangles that a place names, if there are such triangles and the pair is tested.
pub fn named(course: &Course, place: &Place) -> Result<(Pair, [usize; 2]), String> {
    let link = |side: &Side| course.robot.links().iter().position(|l| l.name == side.name);
    let a = link(&place.a).ok_or_else(|| format!("no link {}", place.a.name))?;
    let other = match place.b.shape {
        Some(_) => link(&place.b).map(Other::Link),
        None => course.objects.iter().position(|o| o.name == place.b.name).map(Other::Object),
    };
    let other = other.ok_or_else(|| format!("no body {}", place.b.name))?;
    if !course.pairs.contains(&(a, other)) {
        return Err("a pair that is not tested".into());
    }
    let n_second = match other {
        Other::Link(l) => course.links[l].len(),
        Other::Object(o) => course.objects[o].triangles.len(),
    };
    if place.a.triangle >= course.links[a].len() || place.b.triangle >= n_second {
        return Err("no such triangle".into());
    }
    Ok(((a, other), [place.a.triangle, place.b.triangle]))
}

/// The point, the normal and the distance of the two triangles.
fn of_place(c: &Course, t: &Trajectory, contact: &Contact, place: &Place, named: (Pair, [usize; 2])) -> Vec<String> {
    let ([lo, hi], e, (pair, numbers)) = (contact.u, t.nominal(), named);
    let near = if contact.proved { c.travel(pair, &e, (lo, hi)) + ROUNDING_M } else { BAND_M };
    let pair_at = |u: f64| c.triangles_at(pair, numbers, &e, u);
    let apart = |u: f64| {
        let [x, y] = pair_at(u);
        triangles::distance(&x, &y) - c.margin_m
    };
    let mut faults = Faults::default();
    faults.hold("the triangles are apart at the start of the enclosure", apart(lo) <= near);
    faults.hold("the triangles are apart at its end", !contact.certified || apart(hi) <= near);
    for (triangle, side, name) in pair_at(lo).iter().zip([(&place.a, "a"), (&place.b, "b")]).map(|(x, s)| (x, s.0, s.1))
    {
        let off = place.point.distance(on_feature(place.point, triangle, &side.feature));
        faults.hold(&format!("the point is {off:e} from the feature of {name}"), off <= near + c.margin_m);
    }
    faults.hold("the normal is not a unit vector", (place.normal.length() - 1.0).abs() < 1e-12);
    if contact.certified && !contact.initial_overlap && (2.0 * STEP..1.0 - STEP).contains(&lo.fract()) {
        faults.hold("the normal points from a to b", approaches(c, &e, pair, lo, place));
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
fn approaches(c: &Course, e: &Execution, pair: Pair, u: f64, place: &Place) -> bool {
    let moved = |link: usize| c.displacement(link, e, (u - STEP, u), place.point);
    let second = if let Other::Link(l) = pair.1 { moved(l) } else { DVec3::ZERO };
    let scale = c.travel(pair, e, (u - STEP, u));
    (moved(pair.0) - second).dot(place.normal) <= 1e-4 * scale + 1e-13
}
