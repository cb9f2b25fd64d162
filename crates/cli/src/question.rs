//! The question about a robot: the scene, the motions, and which pairs are tested.

use super::allow::Allowed;
use super::dataset::Files;
use super::inputs::InputArgs;
use super::model::Model;
use super::motions::MotionArgs;
use super::queries::{Queries, Scanned, TrajectoryArgs};
use super::self_collision::SelfCollisionArgs;
use super::shard::Shard;
use super::tested::{self, TestedPairs};
use super::warn;
use firstcontact::certificate::{Prover, Statement};
use firstcontact::scene::Scene;
use firstcontact::{LinkPairs, Result, Robot, Untested};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The arguments that say what is asked.
#[derive(Clone, Copy, Debug)]
pub struct QuestionArgs<'a> {
    pub files: &'a Files,
    pub reading: &'a MotionArgs,
    pub inputs: &'a InputArgs,
    pub trajectories: &'a TrajectoryArgs,
    pub allow: Option<&'a Path>,
    pub self_collision: SelfCollisionArgs,
    /// The margin for which proofs that links never touch must be valid, metres.
    pub margin_m: f64,
    /// The part of the motions that is read.
    pub shard: Shard,
}

/// Scene, motions and tested pairs, read from files.
pub struct Question<'m> {
    pub scene: Scene,
    /// The motions up to the end of the shard.
    pub queries: Queries<'m>,
    /// Numbers of the motions of the shard.
    pub numbers: Range<usize>,
    /// Number of motions in the file.
    pub total: usize,
    pub scanned: Scanned,
    /// Links and objects that are not tested against each other.
    pub allowed: Vec<(u32, u32)>,
    pub link_pairs: LinkPairs,
    /// The pairs of links that would be tested without proofs, which depend on the motions.
    pub pairs_without_proofs: Vec<[u32; 2]>,
    pub tested: TestedPairs,
}

impl QuestionArgs<'_> {
    /// The files of robots, scene and motions, and of pairs that are not tested. Meshes are known once they are read.
    pub fn inputs(&self) -> Vec<&Path> {
        let Files { robots, scene, motions, .. } = self.files;
        let of_robots = robots.iter().flat_map(|robot| [Some(&robot.urdf), robot.srdf.as_ref()]).flatten();
        let more = scene.iter().map(PathBuf::as_path).chain(self.allow).chain(self.inputs.robots.files());
        of_robots.map(PathBuf::as_path).chain([&**motions]).chain(more).collect()
    }

    /// Reads scene and motions of a model; warns of oddities of both.
    ///
    /// # Errors
    /// A file cannot be read, or does not fit the robot.
    pub fn read<'m>(&self, model: &'m Model) -> Result<Question<'m>> {
        let Self { files, inputs, .. } = self;
        let robot = &model.robot;
        let mut link_pairs = model.link_pairs(self.self_collision)?;
        let scene = inputs.scene_if_any(files.scene.as_deref(), !link_pairs.tested().is_empty())?;
        let mut queries = self.trajectories.open(&files.motions, self.reading, model, inputs.limits())?;
        let total = queries.len();
        let numbers = self.shard.motions(total);
        queries.truncate(numbers.end);
        robot.warnings.iter().chain(&scene.warnings).for_each(|w| warn(w));
        let scanned = queries.scan(robot, numbers.start)?;
        let mut allowed = Allowed::read(self.allow, robot, &scene)?;
        allowed.extend(Allowed::of_pairs(&files.allow, robot, &scene)?);
        link_pairs.disable(allowed.links, Untested::Allowed);
        let pairs_without_proofs = link_pairs.tested().to_vec();
        let by_proof = model.pairs_by_proof(&link_pairs, self.margin_m, &scanned.ranges)?;
        link_pairs.disable(by_proof, Untested::Proved);
        link_pairs.remove_free_regions_below(self.margin_m);
        let mut tested = TestedPairs::new(model.unchecked(self.self_collision));
        tested.add(robot, &scene, &allowed.objects, &link_pairs);
        let allowed = allowed.objects;
        Ok(Question { scene, queries, numbers, total, scanned, allowed, link_pairs, pairs_without_proofs, tested })
    }
}

impl Question<'_> {
    /// The pairs of links that certificates are about: those that no proof for this margin covers.
    ///
    /// # Errors
    /// A file of proofs cannot be read.
    pub fn unproved_pairs(&self, model: &Model, margin_m: f64) -> Result<LinkPairs> {
        let mut pairs = self.link_pairs.clone();
        pairs.disable(model.pairs_by_proof(&pairs, margin_m, &self.scanned.ranges)?, Untested::Proved);
        Ok(pairs)
    }

    /// A maker of certificates for the answers.
    ///
    /// # Errors
    /// As of [`unproved_pairs`](Self::unproved_pairs).
    pub fn prover(&self, model: &Model, margin_m: f64) -> Result<Prover> {
        let pairs = self.unproved_pairs(model, margin_m)?;
        let statement = Statement::new().with_link_pairs(pairs).with_allowed(self.allowed.clone());
        let tolerance = self.queries.joint_tolerance().to_vec();
        Prover::new(&model.robot, &self.scene, statement.with_margin_m(margin_m).with_joint_tolerance(tolerance))
    }

    /// The pairs that are not tested, each with the reason: a line each.
    pub fn left_out(&self, robot: &Robot) -> Vec<String> {
        let link = |link: u32| &robot.links[link as usize].name;
        let of_links = self.link_pairs.untested();
        let of_links = of_links.map(|([a, b], why)| format!("{} {}: {}", link(a), link(b), tested::in_words(why)));
        let object = |object: u32| &self.scene.objects[object as usize].name;
        let why = tested::in_words(Untested::Allowed);
        let with_scene = self.allowed.iter().map(|(l, o)| format!("{} {}: {why}", link(*l), object(*o)));
        with_scene.chain(of_links).collect()
    }
}
