//! Links against links: the stages from `s1_concat` to `s5_pairs` for pairs of links, in the frame of one of the two
//! links.
//!
//! For each piece, most pairs are rejected because the boxes of the links are apart in the world; the kernel also
//! compares their line-swept spheres there. For the others, the moving link's pose is bounded in the frame of the other
//! link, in which that link's triangles are at rest, and the stages run as for a scene. On the CPU the line-swept
//! spheres are compared in that frame, which takes less time than in the world. Jets are composed from the jets of both
//! bodies in the world ([`relative_pose`](crate::enclosure::relative_pose)), interval matrices are concatenated along
//! the chain between them ([`RobotMotion::seen_from`]).

mod start;

pub use start::{PairAtStart, first_at_start};

#[cfg(feature = "gpu")]
use super::kernel::{Kernel, kernel};
use super::s1_concat::{self, Balls, Poses};
use super::s2_bound::{self, Boxes};
use super::s5_pairs::{self, Courses, Limits, PairCounts};
use super::{Candidate, Piece, SUBS, Subs, TrianglePair, s3_cull};
use crate::arith::linear::V3;
use crate::arith::vectors::{Vector, Vectorised, WIDTH, widest};
use crate::bvh::lss::Lss;
use crate::enclosure::pose_bound::{PoseBound, PoseEnclosure};
use crate::predicate::lss_separation::lss_misses;
use crate::robot::RobotMotion;
use crate::robot::free_region::PairRegion;
use crate::scene::world::{CollisionWorld, LinkFrame, LinkGeometry};
use serde::Serialize;

/// The kernel that finds the pairs of links whose boxes and line-swept spheres may overlap.
#[cfg(feature = "gpu")]
pub const NEAR: Kernel = kernel!("link_pairs", "near");

/// The kernel that composes relative poses.
#[cfg(feature = "gpu")]
pub const RELATIVE: Kernel = kernel!("link_pairs", "relative");

/// A pair of triangles of two links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkTrianglePair {
    /// Index in [`CollisionWorld::frames`] of the link at rest.
    pub frame: u32,
    /// Index of the moving link's motion in [`Workspace::chains`].
    pub chain: u32,
    /// The triangles; the scene's triangle belongs to the link at rest.
    pub pair: TrianglePair,
}

/// The work of searching pairs of links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LinkPairCounts {
    /// Pairs of links in a piece whose boxes were compared.
    pub tested: u64,
    /// Pairs whose boxes overlap in some sub-intervals, in all of which the joint values are in a free region.
    pub proved_free: u64,
    /// Pairs that may touch in some sub-interval, by their boxes and line-swept spheres.
    pub near: u64,
    /// Pairs of triangles left for the exact stage.
    pub triangle_pairs: u64,
    /// Work of the search for pairs of triangles.
    pub search: PairCounts,
}

impl LinkPairCounts {
    /// Adds the counts of another search.
    pub fn add(&mut self, other: Self) {
        self.tested += other.tested;
        self.proved_free += other.proved_free;
        self.near += other.near;
        self.triangle_pairs += other.triangle_pairs;
        self.search.add(other.search);
    }
}

/// Reusable memory of searches.
#[derive(Debug, Default)]
pub struct Workspace {
    /// The pairs found.
    pub pairs: Vec<LinkTrianglePair>,
    /// Motions of links in the frames of others that have been computed for the current motion.
    pub chains: Vec<RobotMotion>,
    /// Number of `chains` in use.
    n_chains: usize,
    /// The motion of body `b` in the frame of body `a`, if it is known, at index `a * n_bodies + b`.
    chain_of: Vec<Option<u32>>,
    /// For each body, the chain whose bound in the current piece is its entry in `poses`.
    bounded: Vec<Option<usize>>,
    /// For each link, the box around it in the whole piece, metres.
    around: Vec<[[f64; 3]; 2]>,
    of_chain: Poses,
    poses: Poses,
    boxes: Boxes,
    cull: s3_cull::Workspace,
    search: s5_pairs::Workspace,
    near_at_start: Vec<start::NearLinks>,
}

impl Workspace {
    /// Number of pairs for which memory is allocated.
    pub fn capacity(&self) -> usize {
        self.pairs.capacity().max(self.cull.candidates.capacity()).max(self.search.pairs.capacity())
    }

    /// See [`s5_pairs::Workspace::ends_at_start`].
    pub fn set_ends_at_start(&mut self, ends_at_start: bool) {
        self.search.ends_at_start = ends_at_start;
    }

    /// See [`s5_pairs::Workspace::starts_in_contact`].
    pub fn starts_in_contact(&self) -> bool {
        self.search.starts_in_contact
    }

    /// See [`s5_pairs::Workspace::first_only`].
    pub fn set_first_only(&mut self, first_only: bool) {
        self.search.first_only = first_only;
    }

    /// Starts a new motion of a robot.
    pub fn begin(&mut self, world: &CollisionWorld) {
        let n_bodies = world.robot.bodies.len();
        self.n_chains = 0;
        self.search.starts_in_contact = false;
        self.chain_of.clear();
        self.chain_of.resize(n_bodies * n_bodies, None);
    }
}

/// The search in one piece of a motion.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Robot, scene and frames.
    pub world: &'a CollisionWorld,
    /// The motion.
    pub motion: &'a RobotMotion,
    /// The piece; its motion has index 0.
    pub piece: &'a Piece,
    /// The kind of pose bounds.
    pub form: PoseEnclosure,
    /// The bounds of the bodies in the piece, in the world.
    pub poses: &'a Poses,
    /// The boxes of the links in the piece, in the world.
    pub boxes: &'a Boxes,
    /// Maximum number of candidates or pairs of a frame.
    pub cap: usize,
}

/// Finds the pairs of triangles of links that may touch in a piece, and stores them in `space`. Limits are used and
/// lowered as by [`s5_pairs::search_in`]; the caller must [`clip`] the pairs to them. Returns false if there are too
/// many, or if the search ended early ([`Workspace::starts_in_contact`]).
pub fn search_in(space: &mut Workspace, input: &Input, mut limits: Option<&mut Limits>) -> (bool, LinkPairCounts) {
    let mut counts = LinkPairCounts::default();
    space.pairs.clear();
    space.search.starts_in_contact = false;
    let n_bodies = input.world.robot.bodies.len();
    space.bounded.clear();
    space.bounded.resize(n_bodies, None);
    space.poses.n_bodies = n_bodies;
    space.poses.bounds.resize_with(n_bodies, PoseBound::default);
    space.poses.balls.resize(n_bodies, Balls::default());
    around(space, input);
    for (number, frame) in input.world.frames.iter().enumerate() {
        if !space.near(input, frame, limits.as_deref(), &mut counts) {
            continue;
        }
        let Workspace { search, cull, poses, boxes, chains, chain_of, .. } = &mut *space;
        let pieces = std::slice::from_ref(input.piece);
        let candidates: &[Candidate] = &cull.candidates;
        let n_bodies = input.world.robot.bodies.len();
        let first = input.world.links[frame.link as usize].body as usize * n_bodies;
        let is_jet = input.form == PoseEnclosure::TaylorModel;
        let courses = is_jet.then_some(Courses::Frame(chains, &chain_of[first..first + n_bodies]));
        let found = s5_pairs::Input { world: &frame.world, obb_trees: None, pieces, poses, boxes, candidates, courses };
        let fits = candidates.len() <= input.cap && {
            let (fits, work) = s5_pairs::search_in(search, &found, limits.as_deref_mut(), input.cap);
            counts.search.add(work);
            fits
        };
        if !fits {
            return (false, counts);
        }
        space.take(input, number as u32, frame);
    }
    counts.triangle_pairs += space.pairs.len() as u64;
    (true, counts)
}

/// Removes the sub-intervals that start after the motion's limit, and the pairs without other sub-intervals.
pub fn clip(pairs: &mut Vec<LinkTrianglePair>, piece: &Piece, limit: u32) {
    pairs.retain_mut(|pair| {
        pair.pair.mask_slice &= !(super::ALL_SUBS & !piece.mask_until(limit));
        pair.pair.mask() != 0
    });
}

/// The boxes around the links in the whole piece.
fn around(space: &mut Workspace, input: &Input) {
    let Boxes { lo, hi, .. } = input.boxes;
    let subs = ..input.piece.subs as usize;
    let least = |x: &Subs| x.0[subs].iter().copied().fold(f64::INFINITY, f64::min);
    let most = |x: &Subs| x.0[subs].iter().copied().fold(f64::NEG_INFINITY, f64::max);
    space.around.clear();
    let links = 0..input.world.links.len();
    space.around.extend(links.map(|l| [lo[l].0.each_ref().map(least), hi[l].0.each_ref().map(most)]));
}

impl Workspace {
    /// Finds the candidates of a frame: clusters of its triangles that the links tested against it may touch. Returns
    /// whether there are any.
    fn near(&mut self, input: &Input, frame: &LinkFrame, limits: Option<&Limits>, counts: &mut LinkPairCounts) -> bool {
        let wanted = input.piece.mask_until(limits.map_or(u32::MAX, |limits| limits[0]));
        self.cull.candidates.clear();
        for (&link, region) in frame.partners.iter().zip(&frame.free_regions) {
            counts.tested += 1;
            if are_apart(&self.around[frame.link as usize], &self.around[link as usize]) {
                continue;
            }
            let mut mask = input.boxes.overlap(0, frame.link, link) & wanted;
            if mask == 0 {
                continue;
            }
            if let Some(region) = region {
                mask &= !proved_free(region, input.motion, input.piece, mask);
                if mask == 0 {
                    counts.proved_free += 1;
                    continue;
                }
            }
            self.bound(input, frame, link);
            mask &= !self.apart(input, frame, link);
            if mask != 0 {
                counts.near += 1;
                s2_bound::link_in(&mut self.boxes, &frame.world, input.piece, &self.poses, link);
                s3_cull::link_in(&mut self.cull, &frame.world, &self.boxes, link, mask, input.piece.groups());
            }
        }
        !self.cull.candidates.is_empty()
    }

    /// The sub-intervals in which the line-swept spheres of two links are certainly apart. The pose of the moving link
    /// must have been bounded in the frame of the other one.
    fn apart(&self, input: &Input, frame: &LinkFrame, link: u32) -> u32 {
        let [fixed, moving] = [frame.link, link].map(|link| &input.world.links[link as usize]);
        let bound = &self.poses.bounds[moving.body as usize];
        widest(Apart { moving, bound, fixed: &fixed.lss, h: input.piece.half_sub(), groups: input.piece.groups() })
    }

    /// Bounds the pose of a link in a frame.
    fn bound(&mut self, input: &Input, frame: &LinkFrame, link: u32) {
        let [a, b] = [frame.link, link].map(|link| input.world.links[link as usize].body);
        let chain = self.chain(input.world, input.motion, a, b);
        self.poses.margin_m = input.motion.chains[b as usize].margin_m;
        if self.bounded[b as usize].replace(chain) == Some(chain) {
            return;
        }
        let path = &self.chains[chain];
        let (bound, balls) = (&mut self.poses.bounds[b as usize], &mut self.poses.balls[b as usize]);
        if input.form == PoseEnclosure::TaylorModel
            && let Some(composed) = s1_concat::relative(bound, input.poses, input.motion, path, input.piece, [a, b])
        {
            *balls = composed;
            return;
        }
        let chains = std::slice::from_ref(path);
        s1_concat::reference_in(&mut self.of_chain, std::slice::from_ref(input.piece), chains, input.form);
        if let (Some(of_chain), Some(of_balls)) = (self.of_chain.bounds.last(), self.of_chain.balls.last()) {
            (*bound, *balls) = (*of_chain, *of_balls);
        }
    }

    /// The index of the motion of body `b` in the frame of body `a`.
    fn chain(&mut self, world: &CollisionWorld, motion: &RobotMotion, a: u32, b: u32) -> usize {
        let n_bodies = world.robot.bodies.len();
        let at = a as usize * n_bodies + b as usize;
        if let Some(known) = self.chain_of[at] {
            return known as usize;
        }
        let number = self.n_chains;
        if number == self.chains.len() {
            self.chains.push(RobotMotion::default());
        }
        self.chains[number].set_seen_from(motion, a, b, world.reach_of_body(b));
        self.chain_of[at] = Some(number as u32);
        self.n_chains += 1;
        number
    }

    /// Collects the pairs that the search in a frame has found.
    fn take(&mut self, input: &Input, number: u32, frame: &LinkFrame) {
        let n_bodies = input.world.robot.bodies.len();
        let body = |link: u32| input.world.links[link as usize].body as usize;
        for pair in &self.search.pairs {
            let chain = self.chain_of[body(frame.link) * n_bodies + body(pair.piece_link)];
            // Every candidate has a chain.
            self.pairs.push(LinkTrianglePair { frame: number, chain: chain.unwrap_or_default(), pair: *pair });
        }
    }
}

/// The sub-intervals among those of a mask in which the joint values of a motion are in a free region: all of them
/// together, or the longest blocks of them.
pub fn proved_free(region: &PairRegion, motion: &RobotMotion, piece: &Piece, mask: u32) -> u32 {
    let mut open = mask;
    for len in (0..5).map(|k| SUBS >> k).filter(|len| *len <= piece.subs as usize) {
        for first in (0..piece.subs as usize).step_by(len) {
            let block = open & super::ALL_SUBS >> (SUBS - len) << first;
            if block != 0 && region.contains(motion, [piece.sub(first)[0], piece.sub(first + len - 1)[1]]) {
                open &= !block;
            }
        }
    }
    mask & !open
}

/// Compares the line-swept sphere of a moving link with a static one in all sub-intervals.
struct Apart<'a> {
    moving: &'a LinkGeometry,
    bound: &'a PoseBound<Subs>,
    fixed: &'a Lss,
    h: f64,
    /// Number of groups of eight sub-intervals.
    groups: usize,
}

impl Vectorised for Apart<'_> {
    type Output = u32;
    #[inline(always)]
    fn run<T: Vector>(self) -> u32 {
        let Self { moving, bound, fixed, h, groups } = self;
        let (lss, reach) = (&moving.lss, T::new(moving.reach_m));
        let mut apart = 0;
        for i in 0..groups {
            let pose = PoseBound::<T>::part(bound, i);
            let ends = [pose.point(V3::new(lss.a), reach), pose.point(V3::new(lss.b), reach)];
            apart |= lss_misses(&ends, T::new(lss.radius), fixed, T::new(h)) << (i * WIDTH);
        }
        apart
    }
}

/// Returns whether two boxes have no common point.
fn are_apart([lo, hi]: &[[f64; 3]; 2], [from, to]: &[[f64; 3]; 2]) -> bool {
    (0..3).any(|axis| lo[axis] > to[axis] || from[axis] > hi[axis])
}
