//! Level-by-level search, with an adapter for the elementary tests.
//!
//! All pairs of triangles and parts of a level that are still open, of all links and motions, form worklists. What the
//! kernel clears is proved by its own error bound: a pair that a plane separates is finished, excluded contacts are
//! removed, and if none is left the same kernel reports whether the pair is apart at the middle of the time. Everything
//! else is tested by the search's own tests on the CPU. So nothing is cleared that neither would clear alone, and the
//! verdicts are those of [`cover`](super::search::cover), except where the kernel finds a plane that the search does
//! not.
//!
//! No proof is kept here: a certificate relies on double precision, so a motion that needs one is also searched by
//! `cover`.

use super::batch::{Batch, fat};
use super::certificate::Contact;
use super::face::FatFace;
use super::motion::{Ball, MAX_LEVEL, Motion, Span};
use super::problem::Limits;
use super::search::{Bodies, Covering, Possible, Trial, candidates, try_pair};
use crate::error::{Error, Result};
use crate::stage::layout::TolerancedPair;
use crate::stage::toleranced::{ALL, ANY};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// One body on its motion, among several.
#[derive(Clone, Copy)]
pub struct Course<'a> {
    /// The body's triangles, and the fixed ones.
    pub bodies: Bodies<'a>,
    /// The motion.
    pub motion: &'a (dyn Motion + Sync),
    /// With [`Limits::first`], courses of one group end together at the first part that cannot be cleared.
    pub group: usize,
}

impl std::fmt::Debug for Course<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Course").field("group", &self.group).finish_non_exhaustive()
    }
}

/// Two triangles over a part of a motion, with the contacts that are not excluded yet, as bits of the kernel.
#[derive(Clone, Copy)]
struct Item {
    course: usize,
    moving: usize,
    fixed: usize,
    span: Span,
    open: u32,
}

/// The result for an item.
enum Outcome {
    Clear,
    Halve(u32),
    GiveUp(u32),
}

/// Maximum number of items of one worklist.
const AT_ONCE: usize = 1 << 15;
/// With this many waiting items or more, the deepest level is processed first, which bounds the memory.
const MAX_WAITING: usize = 1 << 20;

/// Covers several courses; proofs are not kept.
///
/// # Errors
/// A polygon is not a triangle, or the device failed.
pub fn cover_on(device: &mut Batch, courses: &[Course], limits: &Limits) -> Result<Vec<Covering>> {
    let is_triangle = |c: &Course| {
        c.bodies.moving.iter().all(|f| f.corners.len() == 3) && c.bodies.fixed.iter().all(|f| f.corners.len() == 3)
    };
    if !courses.iter().all(is_triangle) {
        return Err(Error::usage("the kernel supports only triangles").remedy("search on the CPU"));
    }
    let found: Vec<_> = courses.par_iter().map(|c| candidates(&c.bodies, c.motion, *limits)).collect();
    let mut out = Vec::with_capacity(courses.len());
    let mut levels: BTreeMap<u32, Vec<Item>> = BTreeMap::new();
    for (course, (pairs, covering)) in found.into_iter().enumerate() {
        for (moving, fixed, span) in pairs {
            let item = Item { course, moving, fixed, span, open: ALL & !(1 << ANY) };
            levels.entry(span.level).or_default().push(item);
        }
        out.push(covering);
    }
    let mut horizons = vec![f64::INFINITY; courses.iter().map(|c| c.group + 1).max().unwrap_or(0)];
    loop {
        levels.retain(|_, items| !items.is_empty());
        let waiting: usize = levels.values().map(Vec::len).sum();
        let level = if waiting < MAX_WAITING { levels.first_entry() } else { levels.last_entry() };
        let Some(mut level) = level else { break };
        let items = level.get_mut();
        let mut items = items.split_off(items.len().saturating_sub(AT_ONCE));
        items.retain(|item| item.span.start() < horizons[courses[item.course].group]);
        let outcomes = settle(device, courses, &items, limits)?;
        for (item, outcome) in items.into_iter().zip(outcomes) {
            let Covering { counts, possible, .. } = &mut out[item.course];
            (counts.tests, counts.depth) = (counts.tests + 1, counts.depth.max(item.span.level));
            match outcome {
                Outcome::Clear => {}
                Outcome::Halve(open) => {
                    let halves = item.span.halves().map(|span| Item { span, open, ..item });
                    levels.entry(item.span.level + 1).or_default().extend(halves);
                }
                Outcome::GiveUp(open) => {
                    let (span, contacts) = (item.span, contacts(open).collect());
                    possible.push(Possible { span, moving: item.moving, fixed: item.fixed, contacts });
                    let horizon = &mut horizons[courses[item.course].group];
                    if limits.first {
                        *horizon = horizon.min(span.start());
                    }
                }
            }
        }
    }
    for (covering, course) in out.iter_mut().zip(courses) {
        // Levels are not processed in the order of time.
        covering.possible.retain(|p| p.span.start() <= horizons[course.group]);
        covering.possible.sort_by(|a, b| {
            a.span.start().total_cmp(&b.span.start()).then((a.moving, a.fixed).cmp(&(b.moving, b.fixed)))
        });
    }
    Ok(out)
}

/// Settles one worklist.
fn settle(device: &mut Batch, courses: &[Course], items: &[Item], limits: &Limits) -> Result<Vec<Outcome>> {
    let balls = balls(courses, items);
    let prepared: Vec<_> = items
        .par_iter()
        .map(|item| {
            let ball = balls.get(&(item.course, item.moving, item.span)).copied().flatten()?;
            let bodies = &courses[item.course].bodies;
            let (face, fixed) = (&bodies.moving[item.moving], &bodies.fixed[item.fixed]);
            let pair = |radius: f64| Some(fat(&FatFace::new(face, &ball.centre, radius), fixed)?.to_device());
            Some((ball, [pair(ball.radius)?, pair(ball.middle_radius)?]))
        })
        .collect();
    let pairs: Vec<TolerancedPair> = prepared.iter().flatten().flat_map(|(_, pairs)| *pairs).collect();
    let mut masks = device.standing(&pairs)?.into_iter();
    let mut next = || masks.next().unwrap_or(ALL);
    let results: Vec<_> = prepared.into_iter().map(|p| p.map(|(ball, _)| (ball, [next(), next()]))).collect();
    Ok(items
        .par_iter()
        .zip(results)
        .map(|(item, results)| item.outcome(&courses[item.course].bodies, results, limits))
        .collect())
}

/// Computes the ball of each triangle and part once.
fn balls(courses: &[Course], items: &[Item]) -> BTreeMap<(usize, usize, Span), Option<Ball>> {
    let mut spans: Vec<_> = items.iter().map(|i| (i.course, i.span)).collect();
    let mut keys: Vec<_> = items.iter().map(|i| (i.course, i.moving, i.span)).collect();
    spans.sort_unstable();
    spans.dedup();
    keys.sort_unstable();
    keys.dedup();
    let pieces: BTreeMap<_, _> =
        spans.into_par_iter().map(|(course, span)| ((course, span), courses[course].motion.piece(span))).collect();
    let ball = |(course, moving, span): (usize, usize, Span)| {
        let face = &courses[course].bodies.moving[moving];
        let piece = pieces.get(&(course, span)).and_then(Option::as_ref);
        ((course, moving, span), piece.and_then(|p| p.ball(&face.frame, &face.metric)))
    };
    keys.into_par_iter().map(ball).collect()
}

impl Item {
    /// Returns the outcome, from the item's ball and the bits that the kernel has not cleared, over the whole time and
    /// at its middle.
    fn outcome(&self, bodies: &Bodies, results: Option<(Ball, [u32; 2])>, limits: &Limits) -> Outcome {
        let (face, fixed) = (&bodies.moving[self.moving], &bodies.fixed[self.fixed]);
        let Some((ball, [whole, middle])) = results else {
            let deeper = self.span.level < limits.max_level.min(MAX_LEVEL);
            return if deeper { Outcome::Halve(self.open) } else { Outcome::GiveUp(self.open) };
        };
        let meets = |mask: u32| mask >> ANY & 1 != 0;
        if !meets(whole) || (self.open & whole == 0 && !meets(middle)) {
            return Outcome::Clear;
        }
        let open: Vec<Contact> = contacts(self.open).collect();
        let left = match try_pair(face, fixed, &ball, &open, &|c| whole & bit(*c) == 0) {
            Trial::Plane(_) | Trial::Apart { .. } => return Outcome::Clear,
            Trial::Left { left, .. } => left.into_iter().map(bit).fold(0, |a, b| a | b),
        };
        let fine = ball.radius * face.rho_max < limits.delta_m || self.span.level >= limits.max_level;
        if fine { Outcome::GiveUp(left) } else { Outcome::Halve(left) }
    }
}

/// Returns the bit of a contact of two triangles.
fn bit(contact: Contact) -> u32 {
    match contact {
        Contact::Vertex(i) => 1 << i,
        Contact::Edges(i, j) => 1 << (3 + 3 * i + j),
        Contact::Face(j) => 1 << (12 + j),
    }
}

/// Returns the contacts of some bits.
fn contacts(bits: u32) -> impl Iterator<Item = Contact> {
    let contact = |k: u32| match k {
        0..=2 => Contact::Vertex(k),
        3..=11 => Contact::Edges((k - 3) / 3, (k - 3) % 3),
        _ => Contact::Face(k - 12),
    };
    (0..ANY).filter(move |k| bits >> k & 1 != 0).map(contact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::toleranced::corners_of;

    /// The bits are numbered as in the kernel.
    #[test]
    fn contacts_have_the_bits_of_the_kernel() {
        let edge = |k: u32| (1 << k) | (1 << ((k + 1) % 3));
        for (k, contact) in contacts(ALL).enumerate() {
            assert_eq!(bit(contact), 1 << k);
            let of = match contact {
                Contact::Vertex(i) => [1 << i, 7],
                Contact::Edges(i, j) => [edge(i), edge(j)],
                Contact::Face(j) => [7, 1 << j],
            };
            assert_eq!(corners_of(k as u32), of, "{contact:?}");
        }
        assert_eq!(contacts(ALL).count(), 15);
    }
}
