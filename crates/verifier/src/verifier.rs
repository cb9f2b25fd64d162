//! The verifier: a statement about a robot and a scene, and certificates that must prove it.

use std::collections::{HashMap, HashSet};

use crate::ball::{Ball, dot, exact};
use crate::body_motion::{Motions, PreparedRobot};
use crate::certificate::{Bytes, Claim, Kind, LinkTriangle, Other, Time, Witness};
use crate::hashes::Hash;
use crate::merkle;
use crate::model::{Model, Motion, Scene, Statement};
use crate::polynomial::Interval;
use crate::proof::{Pair, Side};
use crate::reader::Header;
use crate::refusal::{Refusal, require};
use crate::tree::Tree;
use crate::witness::{Triangle, touch, within};

/// Verifies certificates of motions of a robot in a scene. It can be shared by threads.
pub struct Verifier<'m> {
    model: &'m Model,
    statement: Statement,
    excluded: HashSet<[usize; 2]>,
    pub(crate) prepared: PreparedRobot,
    link_trees: Vec<Tree<'m>>,
    scene_tree: Tree<'m>,
    /// Index of the first triangle of each object, and the number of all.
    first_of_object: Vec<usize>,
    /// Of links with excluded objects: the number of tested triangles before each place of the scene's order.
    tested: HashMap<usize, Vec<u32>>,
}

/// A proved statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Proved {
    /// The answer.
    pub kind: Kind,
    /// Nothing touches until then.
    pub end: Time,
    /// Two triangles that touch.
    pub witness: Option<Witness>,
    /// Number of pairs whose proof was verified.
    pub n_pairs: usize,
    /// Number of steps of all proofs.
    pub n_steps: u64,
    /// The certificate's leaf in the Merkle tree of a batch.
    pub leaf: Hash,
}

impl<'m> Verifier<'m> {
    /// Prepares the verification of the certificates of a file.
    ///
    /// # Errors
    ///
    /// The statement is not valid, or the header belongs to another robot or scene, or a partition is wrong.
    pub fn new(model: &'m Model, statement: Statement, header: &Header) -> Result<Self, Refusal> {
        let Model { robot, scene, .. } = model;
        let statement = statement.normalized(robot, scene)?;
        model.require_hashes([header.robot, header.scene])?;
        let [of_links @ .., of_scene] = header.partitions.as_slice() else {
            return Err(Refusal::new("the partitions are missing"));
        };
        require(of_links.len() == robot.links.len(), || "the file has the wrong number of partitions".into())?;
        let mut link_trees = Vec::new();
        for (link, partition) in robot.links.iter().zip(of_links) {
            let tree = Tree::new(link.triangles.iter().collect(), partition);
            link_trees.push(tree.map_err(|refusal| refusal.at(format_args!("link '{}'", link.name)))?);
        }
        let triangles = scene.objects.iter().flat_map(|object| &object.triangles).collect();
        let scene_tree = Tree::new(triangles, of_scene).map_err(|refusal| refusal.at("the scene"))?;
        let mut verifier = Self {
            prepared: PreparedRobot::new(robot),
            excluded: statement.excluded.iter().copied().collect(),
            first_of_object: first_triangles(scene),
            tested: HashMap::new(),
            model,
            statement,
            link_trees,
            scene_tree,
        };
        verifier.count_tested();
        Ok(verifier)
    }

    fn count_tested(&mut self) {
        let links: HashSet<usize> = self.excluded.iter().map(|[link, _]| *link).collect();
        for link in links {
            let mut counts = vec![0];
            for &triangle in self.scene_tree.order() {
                let object = self.first_of_object.partition_point(|first| *first <= triangle as usize) - 1;
                let tested = !self.excluded.contains(&[link, object]);
                counts.push(counts[counts.len() - 1] + u32::from(tested));
            }
            self.tested.insert(link, counts);
        }
    }

    /// The statement, with its pairs of links in the order of the proofs.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// Verifies the canonical bytes of a certificate of a motion.
    ///
    /// # Errors
    ///
    /// The certificate does not prove the statement for the motion: the first step that does not hold.
    pub fn verify(&self, motion: &Motion, certificate: &[u8]) -> Result<Proved, Refusal> {
        motion.check(&self.model.robot)?;
        let mut bytes = Bytes(certificate);
        let claim = Claim::read(&mut bytes)?;
        self.require_statement(&claim, motion)?;
        let mut motions = Motions::new(&self.prepared, &self.statement, motion);
        let (mut n_pairs, mut n_steps) = (0, 0);
        if claim.end != (Time { segment: 0, local: 0.0 }) {
            for (name, pair) in self.pairs() {
                let steps = pair.verify(&mut bytes, &mut motions, claim.end);
                n_steps += steps.map_err(|refusal| refusal.at(name))?;
                n_pairs += 1;
            }
        }
        require(bytes.0.is_empty(), || format!("{} bytes follow the last proof", bytes.0.len()))?;
        if let Some(witness) = &claim.witness {
            self.require_witness(witness, claim.end, &mut motions).map_err(|refusal| refusal.at("the witness"))?;
        }
        let leaf = merkle::leaf(certificate);
        Ok(Proved { kind: claim.kind, end: claim.end, witness: claim.witness, n_pairs, n_steps, leaf })
    }

    /// The certificate is for the motion and the statement.
    fn require_statement(&self, claim: &Claim, motion: &Motion) -> Result<(), Refusal> {
        require(claim.motion == motion.hash(), || "the certificate belongs to another motion".into())?;
        let margin = self.statement.margin_m;
        require(claim.margin_m == margin, || format!("the margin is {} m, not {margin} m", claim.margin_m))?;
        let n = claim.joint_tolerance.len();
        require(n == 0 || n == self.model.robot.n_columns, || format!("it has {n} joint tolerances"))?;
        for column in 0..self.model.robot.n_columns {
            let (claimed, wanted) =
                (claim.joint_tolerance.get(column).copied().unwrap_or(0.0), self.statement.tolerance(column));
            require(claimed == wanted, || format!("the tolerance of column {column} is {claimed}, not {wanted}"))?;
        }
        let Time { segment, local } = claim.end;
        let last = motion.segments.len() - 1;
        require(segment <= last, || format!("the end is in segment {segment}, the last one is {last}"))?;
        let complete = claim.kind != Kind::Free || (segment == last && local == 1.0);
        require(complete, || format!("the motion is free until {local} of segment {segment} only"))
    }

    /// All pairs of the statement with their names, in the order of the proofs.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (String, Pair<'_>)> + use<'_, 'm> {
        let name = |link: usize| &self.model.robot.links[link].name;
        let has_scene = self.model.scene.n_triangles() > 0;
        let links = (0..self.model.robot.links.len()).filter(move |_| has_scene);
        let with_scene = links.map(move |link| {
            let scene = Side { tree: &self.scene_tree, body: None };
            (format!("link '{}' and the scene", name(link)), self.pair(link, scene))
        });
        let with_links = self
            .statement
            .link_pairs
            .iter()
            .map(move |&[i, j]| (format!("links '{}' and '{}'", name(i), name(j)), self.pair(i, self.side(j))));
        with_scene.chain(with_links)
    }

    fn side(&self, link: usize) -> Side<'_> {
        Side { tree: &self.link_trees[link], body: Some(self.model.robot.links[link].body) }
    }

    fn pair<'a>(&'a self, link: usize, b: Side<'a>) -> Pair<'a> {
        let frame = b.body.and_then(|body| self.prepared.common_frame(self.model.robot.links[link].body, body));
        let tested = if b.body.is_none() { self.tested.get(&link).map(Vec::as_slice) } else { None };
        Pair { a: self.side(link), b, frame, margin_m: self.statement.margin_m, tested }
    }

    fn require_witness(&self, witness: &Witness, end: Time, motions: &mut Motions) -> Result<(), Refusal> {
        let Time { segment, local } = witness.time;
        require(segment < motions.n_segments(), || format!("segment {segment} does not exist"))?;
        let later = segment > end.segment || (segment == end.segment && local >= end.local);
        require(later, || "it is before the end".into())?;
        let time = Interval::new(segment, local, local);
        let (a, b) = match witness.b {
            Other::Object { object, triangle } => {
                let excluded = self.excluded.contains(&[witness.a.link, object]);
                require(!excluded, || format!("link {} and object {object} are not tested", witness.a.link))?;
                let found = self.model.scene.objects.get(object).and_then(|object| object.triangles.get(triangle));
                let found = found.ok_or_else(|| Refusal::new("the object's triangle does not exist"))?;
                (self.moved(witness.a, None, &time, motions)?, found.map(exact))
            }
            Other::Link(b) => {
                let [i, j] = [witness.a.link.min(b.link), witness.a.link.max(b.link)];
                let tested = self.statement.link_pairs.binary_search(&[i, j]).is_ok();
                require(tested, || format!("links {i} and {j} are not tested"))?;
                let frame = self.prepared.common_frame(self.model.robot.links[i].body, self.model.robot.links[j].body);
                (self.moved(witness.a, frame, &time, motions)?, self.moved(b, frame, &time, motions)?)
            }
        };
        let margin = self.statement.margin_m;
        let proved = touch(&a, &b) || (margin > 0.0 && within(&a, &b, margin));
        require(proved, || format!("the triangles do not certainly touch or come within {margin} m"))
    }

    /// A triangle of a link at one time.
    fn moved(
        &self,
        of: LinkTriangle,
        frame: Option<usize>,
        time: &Interval,
        motions: &mut Motions,
    ) -> Result<Triangle, Refusal> {
        let tree = self.link_trees.get(of.link);
        let triangle = tree.and_then(|tree| tree.triangle_at(of.triangle));
        let triangle = triangle.ok_or_else(|| Refusal::new("the link's triangle does not exist"))?;
        let [x, y, z, offset] = motions.get(frame, self.model.robot.links[of.link].body, time).control[0];
        Ok(triangle.map(|vertex| std::array::from_fn(|r| dot([x[r], y[r], z[r]], vertex.map(Ball::exact)) + offset[r])))
    }
}

fn first_triangles(scene: &Scene) -> Vec<usize> {
    let mut first = vec![0];
    for object in &scene.objects {
        first.push(first[first.len() - 1] + object.triangles.len());
    }
    first
}
