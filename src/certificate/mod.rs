//! Certificates: proofs of answers that an independent program verifies.
//!
//! A [`Prover`] makes the certificate of an answer. The certificate proves that nothing touches up to a time, by
//! separating axes over parts of time and of both trees of triangles; for a proved contact it also has two triangles
//! that touch. The prover uses only the robot, the scene, the trajectory and the answer, so the certificate is the same
//! for any backend and any number of threads. `crates/verifier/FORMAT.md` defines the statement, the steps and the
//! bytes.

mod file;
mod kinematics;
mod motions;
mod partition;
mod placed;
mod proof;
mod witness;

pub use file::CertificateWriter;

use crate::error::{Error, Result};
use crate::robot::trajectory::Place;
use crate::robot::{LinkPairs, Robot, Trajectory, Triangle};
use crate::scene::Scene;
use crate::verdict::{ContactPoint, ObstacleFeature, TrajectoryVerdict, Verdict};
use motions::Motions;
use partition::Partition;
use proof::{Pair, Search, Side};
use std::io::Write;
use std::sync::Arc;
use witness::Witness;

/// The version of the format.
const VERSION: u8 = 1;
/// Times before a contact at which a proof may end instead, relative to the segment: rounding can hide the gap.
const EARLIER: [f64; 6] = [0.0, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7];
/// The same with joint tolerances, after the others: the search bounds deviations more closely than a proof does. The
/// last one is what `verify` accepts.
const EARLIER_WITH_TOLERANCE: [f64; 6] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 3e-2];

/// The statement of certificates, apart from robot, scene and trajectory.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Statement {
    /// The pairs of links that are tested.
    pub link_pairs: LinkPairs,
    /// Links and objects that are not tested against each other.
    pub allowed: Vec<(u32, u32)>,
    /// The margin, metres.
    pub margin_m: f64,
    /// The tolerance of each column, radians or metres; empty without tolerance.
    pub joint_tolerance: Vec<f64>,
}

impl Statement {
    /// All links against the scene, without margin and tolerance.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the pairs of links.
    #[must_use]
    pub fn with_link_pairs(self, link_pairs: LinkPairs) -> Self {
        Self { link_pairs, ..self }
    }

    /// Sets the pairs of link and object that are not tested.
    #[must_use]
    pub fn with_allowed(self, allowed: Vec<(u32, u32)>) -> Self {
        Self { allowed, ..self }
    }

    /// Sets the margin, metres.
    #[must_use]
    pub fn with_margin_m(self, margin_m: f64) -> Self {
        Self { margin_m, ..self }
    }

    /// Sets the tolerance of each column, radians or metres.
    #[must_use]
    pub fn with_joint_tolerance(self, joint_tolerance: Vec<f64>) -> Self {
        Self { joint_tolerance, ..self }
    }
}

/// The kinds of certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Free,
    Contact,
    Possible,
    Undecided,
}

/// A pair of the statement: the number of a link, that of another link or none for the scene, the common frame.
#[derive(Clone, Copy, Debug)]
struct PairOf {
    link: usize,
    other: Option<usize>,
    frame: Option<u32>,
}

/// The number of a pair of the statement, and a triangle of each side.
type Touching = (usize, [u32; 2]);

/// Makes certificates for one robot in one scene.
#[derive(Debug)]
pub struct Prover {
    robot: Arc<Robot>,
    scene: Arc<Scene>,
    statement: Statement,
    /// The links with triangles.
    links: Vec<u32>,
    partitions: Vec<Partition>,
    of_scene: Partition,
    pairs: Vec<PairOf>,
    /// For each link with triangles, whether each object is excluded; empty if none is.
    excluded: Vec<Vec<bool>>,
}

impl Prover {
    /// Prepares robot and scene.
    ///
    /// # Errors
    /// An engine has taken the scene's triangles, or a pair does not belong to this robot and scene.
    pub fn new(robot: impl Into<Arc<Robot>>, scene: impl Into<Arc<Scene>>, statement: Statement) -> Result<Self> {
        let (robot, scene) = (robot.into(), scene.into());
        if scene.triangles.len() != scene.n_triangles() as usize {
            return Err(Error::usage("certificates need the triangles of the scene"));
        }
        let links: Vec<u32> =
            (0..).zip(robot.links.iter()).filter(|(_, l)| !l.triangles.is_empty()).map(|l| l.0).collect();
        let partitions =
            links.iter().map(|link| Partition::new(&robot.links[*link as usize].triangles, |_| 0)).collect();
        let mut excluded = vec![Vec::new(); links.len()];
        for &(link, object) in &statement.allowed {
            let of = links.binary_search(&link).ok().map(|number| &mut excluded[number]);
            let of = of.filter(|_| (object as usize) < scene.objects.len());
            let of =
                of.ok_or_else(|| Error::usage(format!("the pair of link {link} and object {object} does not exist")))?;
            of.resize(scene.objects.len(), false);
            of[object as usize] = true;
        }
        let of_scene = Partition::new(&scene.triangles, |triangle| scene.object_of(triangle));
        let pairs = pairs(&robot, &links, &statement.link_pairs, !scene.triangles.is_empty())?;
        Ok(Self { robot, scene, statement, links, partitions, of_scene, pairs, excluded })
    }

    /// The beginning of each file of certificates: the hashes and partitions of robot and scene.
    ///
    /// # Errors
    /// The partitions have more than 4 GiB.
    pub fn header(&self) -> Result<Vec<u8>> {
        let hashes = [file::hash_of_robot(&self.robot), file::hash_of_scene(&self.scene)];
        let partitions: Vec<&Partition> = self.partitions.iter().chain([&self.of_scene]).collect();
        file::header(hashes, &partitions)
    }

    /// Starts a file of certificates. Several files of one prover can share its [`header`](Self::header).
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn writer<W: Write>(&self, out: W) -> Result<CertificateWriter<W>> {
        CertificateWriter::new(out, &self.header()?)
    }

    /// The certificate of an answer; `None` if no proof was found within the limits of the search.
    ///
    /// For a contact, the proof that nothing touches can end up to 1e-7 of its segment before `toc[0]`, where the gap
    /// is below rounding; with joint tolerances, it can end up to 3e-2 before it, and some answers have no certificate.
    pub fn certificate(&self, trajectory: &Trajectory, verdict: &TrajectoryVerdict) -> Option<Vec<u8>> {
        let at = |segment, t| Place { segment, t };
        match &verdict.verdict {
            Verdict::Free => {
                let end = at(trajectory.n_segments() - 1, 1.0);
                self.free_until(trajectory, Kind::Free, end, None)
            }
            Verdict::Undecided(undecided) => {
                let end = at(verdict.segment, undecided.clear_until);
                self.free_before(trajectory, Kind::Undecided, end, None, &[])
            }
            Verdict::Contact(contact) => {
                let [lo, hi] = contact.toc;
                let points = contact.first.iter().chain(&contact.simultaneous);
                let touching: Vec<_> = points.filter_map(|point| self.triangles_of(point)).collect();
                let witness = match contact.is_proved() && contact.inside.is_none() {
                    true => self.witness(trajectory, at(verdict.segment_hi, hi), &touching),
                    false => None,
                };
                let kind = if witness.is_some() { Kind::Contact } else { Kind::Possible };
                self.free_before(trajectory, kind, at(verdict.segment, lo), witness, &touching)
            }
        }
    }

    /// The certificate with a proof up to an end, or a little earlier: first where `near` are clear of each other.
    fn free_before(
        &self,
        of: &Trajectory,
        kind: Kind,
        end: Place,
        witness: Option<Witness>,
        near: &[Touching],
    ) -> Option<Vec<u8>> {
        let with_tolerance = if self.statement.joint_tolerance.is_empty() { &[][..] } else { &EARLIER_WITH_TOLERANCE };
        let ends = EARLIER.iter().chain(with_tolerance).map(|earlier| {
            let t = if *earlier == 0.0 { end.t } else { (end.t - earlier).max(0.0) };
            // The end of a segment is the beginning of the next one.
            match (end.segment, t) {
                (1.., 0.0) => Place { segment: end.segment - 1, t: 1.0 },
                _ => Place { t, ..end },
            }
        });
        let ends: Vec<Place> = ends.collect();
        let clear = ends.iter().position(|end| self.are_clear(of, *end, near)).unwrap_or(0);
        ends[clear..].iter().find_map(|end| self.free_until(of, kind, *end, witness))
    }

    /// Returns whether pairs of triangles are clear of each other at a time.
    fn are_clear(&self, of: &Trajectory, at: Place, near: &[Touching]) -> bool {
        let mut search = self.search(of, at);
        let moment = search.motions.moment(at.segment, at.t);
        near.iter().all(|(number, triangles)| {
            let pair = self.pair(&self.pairs[*number]);
            let [a, b] = [0, 1].map(|k| search.place_triangle(&pair, k, triangles[k], moment));
            a.is_clear_of(&b, self.statement.margin_m)
        })
    }

    fn free_until(&self, of: &Trajectory, kind: Kind, end: Place, witness: Option<Witness>) -> Option<Vec<u8>> {
        let mut search = self.search(of, end);
        if end.segment > 0 || end.t > 0.0 {
            self.pairs.iter().try_for_each(|pair| search.prove(&self.pair(pair)))?;
        }
        let mut bytes = vec![VERSION, kind as u8];
        bytes.extend(file::hash_of_motion(of));
        bytes.extend(self.statement.margin_m.to_le_bytes());
        bytes.extend((self.statement.joint_tolerance.len() as u32).to_le_bytes());
        self.statement.joint_tolerance.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        write_place(end, &mut bytes);
        witness.iter().for_each(|witness| self.write_witness(witness, &mut bytes));
        bytes.append(&mut search.steps);
        Some(bytes)
    }

    /// Two triangles that touch, from a time on: those of the answer, or others.
    fn witness(&self, of: &Trajectory, from: Place, touching: &[Touching]) -> Option<Witness> {
        let pairs: Vec<Pair> = self.pairs.iter().map(|pair| self.pair(pair)).collect();
        let mut search = self.search(of, from);
        witness::among(&mut search, &pairs, touching, from, self.statement.margin_m)
            .or_else(|| witness::find(&mut search, &pairs, from, of.n_segments(), self.statement.margin_m))
    }

    /// The number of the pair that touches at a point, and the two triangles.
    fn triangles_of(&self, point: &ContactPoint) -> Option<Touching> {
        let number = |link: u32| self.links.binary_search(&link).ok();
        let (link, other, b) = match &point.b {
            ObstacleFeature::Link(of) => (number(point.a.link)?, Some(number(of.link)?), of.triangle),
            ObstacleFeature::Scene(of) => {
                let first = self.scene.objects.get(of.object as usize)?.first_triangle;
                (number(point.a.link)?, None, first + of.triangle)
            }
        };
        let pair = self.pairs.iter().position(|pair| (pair.link, pair.other) == (link, other))?;
        let triangles = [point.a.triangle, b];
        let exists = |k: usize| triangles[k] < self.side([Some(link), other][k]).triangles.len() as u32;
        (exists(0) && exists(1)).then_some((pair, triangles))
    }

    fn search<'a>(&'a self, of: &'a Trajectory, end: Place) -> Search<'a> {
        let motions = Motions::new((&self.robot, of), &self.statement.joint_tolerance, (end.segment, end.t));
        Search::new(motions, self.statement.margin_m, end)
    }

    fn side(&self, link: Option<usize>) -> Side<'_> {
        let Some(number) = link else {
            return Side { partition: &self.of_scene, triangles: &self.scene.triangles, body: None };
        };
        let link = &self.robot.links[self.links[number] as usize];
        let triangles: &[Triangle] = &link.triangles;
        Side { partition: &self.partitions[number], triangles, body: Some(link.body) }
    }

    fn pair(&self, of: &PairOf) -> Pair<'_> {
        let sides = [self.side(Some(of.link)), self.side(of.other)];
        let excluded = if of.other.is_none() { &self.excluded[of.link][..] } else { &[] };
        Pair { sides, frame: of.frame, excluded }
    }

    fn write_witness(&self, witness: &Witness, bytes: &mut Vec<u8>) {
        let PairOf { link, other, .. } = self.pairs[witness.pair];
        let [a, b] = witness.triangles;
        write_place(witness.place, bytes);
        let (kind, number, triangle) = match other {
            Some(other) => (1, other as u32, b),
            None => {
                let object = self.scene.object_of(b);
                (0, object, b - self.scene.objects[object as usize].first_triangle)
            }
        };
        bytes.extend((link as u32).to_le_bytes());
        bytes.extend(a.to_le_bytes());
        bytes.push(kind);
        bytes.extend(number.to_le_bytes());
        bytes.extend(triangle.to_le_bytes());
    }
}

fn write_place(place: Place, bytes: &mut Vec<u8>) {
    bytes.extend((place.segment as u32).to_le_bytes());
    bytes.extend(place.t.to_le_bytes());
}

/// The pairs of the statement in their order.
fn pairs(robot: &Robot, links: &[u32], tested: &LinkPairs, has_scene: bool) -> Result<Vec<PairOf>> {
    let with_scene = (0..links.len()).filter(|_| has_scene).map(|link| PairOf { link, other: None, frame: None });
    let mut pairs: Vec<PairOf> = with_scene.collect();
    for [i, j] in tested.tested() {
        let number = |link: u32| links.binary_search(&link).ok();
        let (Some(link), Some(other)) = (number(*i), number(*j)) else {
            return Err(Error::usage(format!("links {i} and {j} are not a pair of links with triangles")));
        };
        let [a, b] = [*i, *j].map(|link| robot.links[link as usize].body);
        pairs.push(PairOf { link, other: Some(other), frame: common_ancestor(robot, a, b) });
    }
    Ok(pairs)
}

/// The nearest body that is the same as or an ancestor of both.
fn common_ancestor(robot: &Robot, a: u32, b: u32) -> Option<u32> {
    let parent = |body: u32| robot.bodies[body as usize].parent;
    let (mut a, mut b) = (Some(a), Some(b));
    while let (Some(x), Some(y)) = (a, b) {
        // Parents come before their children.
        match x.cmp(&y) {
            std::cmp::Ordering::Equal => return Some(x),
            std::cmp::Ordering::Less => b = parent(y),
            std::cmp::Ordering::Greater => a = parent(x),
        }
    }
    None
}
