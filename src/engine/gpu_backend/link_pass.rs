//! Links against links on the device: a second pass of a chunk, after its links have been tested against the scene.
//!
//! The first pass produces the pairs of links whose boxes may overlap in a piece. In the second pass each pair is a
//! piece of its own with one body and one link: the moving one, whose pose is composed from the poses of both bodies in
//! the world. The scene's buffers contain the triangles of all links at rest, each with a tree in its own frame, and a
//! piece begins at the root of the tree of its link at rest. So the later kernels are the same as for the scene. The
//! pass begins with the cutoffs from contacts with the scene.
//!
//! Motions with a piece that overflows a queue even alone are left to the CPU.

use super::chunk::ControlLayout;
use super::possible::Possible;
use super::schedule::Schedule;
use super::{ChunkInput, Frame, FrameIndex, GpuPipeline, Sources, kernel_work};
use crate::arith::rounding::{UNDERFLOW_F32, UNIT_F32, round_up};
use crate::counter;
use crate::engine::options::{Capacities, Stage};
use crate::engine::stats::Stats;
use crate::error::Result;
use crate::gpu::{
    BufferId, Buffers, Clear, CompiledKernel, Dispatch, Gpu, Readback, SceneStart, Submission, WorkSize,
    first_link_triangles,
};
use crate::robot::RobotMotion;
use crate::scene::world::CollisionWorld;
use crate::stage::layout::{
    ChunkParams, Counters, FLAG_CUTOFFS, FORM_JET, MAX_CULL_LEVELS, MovingLink, NearPair, NodePair,
};
use crate::stage::link_pairs::{self, LinkPairCounts, LinkTrianglePair};
use crate::stage::s1_concat::{self, DEVICE_SPANS, POSE_FLOATS};
use crate::stage::s2_bound::BOX_FLOATS;
use crate::stage::s5_pairs::{self, Limits};
use crate::stage::{Piece, SUBS, TrianglePair};
use rayon::prelude::*;
use std::collections::HashMap;
use std::time::Instant;

/// Maximum number of pieces of one submission.
const MAX_PIECES: usize = 8192;
/// Number of pairs of links that are read back together with the counters; more pairs need a second copy.
pub(super) const FIRST_NEAR: u64 = 8192;
/// Maximum number of near pairs of links of a chunk.
const MAX_NEAR: u32 = 1 << 20;
/// Buffers of the world that do not depend on what the links are tested against.
const SHARED: [BufferId; 4] = [BufferId::Links, BufferId::LinkNodes, BufferId::NodeLinks, BufferId::LinkTriangles];

/// Pairs of triangles of links in a chunk.
#[derive(Debug, Default)]
pub struct LinkOutput {
    /// The pairs of each piece, and for each motion the motions of links in the frames of others. Empty if links are
    /// not tested on the device.
    pieces: Vec<Vec<LinkTrianglePair>>,
    chains: Vec<Vec<RobotMotion>>,
    /// True for each motion with a piece that did not fit on the device.
    is_left_out: Vec<bool>,
}

impl LinkOutput {
    /// The pairs of the pieces of a chunk, and the motions of links in the frames of others during a motion; `None` if
    /// they are not known.
    pub fn of_motion(&self, motion: usize) -> Option<(&[Vec<LinkTrianglePair>], &[RobotMotion])> {
        (!*self.is_left_out.get(motion)?).then(|| (&self.pieces[..], &self.chains[motion][..]))
    }
}

/// Pairs of links on the device, for one world.
#[derive(Debug)]
pub(super) struct LinkPass {
    near: CompiledKernel,
    relative: CompiledKernel,
    /// The index of the frame in the world and the moving link, for each pair.
    pairs: Vec<(u32, u32)>,
    /// Index of the first triangle of each frame.
    starts: Vec<SceneStart>,
    first_triangles: Vec<u32>,
    /// Buffers, parameters and capacities of a submission.
    frame: Frame,
    schedule: Schedule,
    capacities: Capacities,
}

/// A pair of links in a piece, as a piece of the second pass.
struct NearPiece {
    /// Index of the piece in the chunk.
    piece: u32,
    /// Index of the frame in the world.
    frame: u32,
    /// The motion of the moving link, among the chains of the motion.
    chain: u32,
    /// The sub-intervals in which the boxes may overlap.
    mask: u32,
    /// The moving link on the device.
    moving: MovingLink,
    /// Numbers of the poses of both bodies.
    poses: [u32; 2],
}

impl LinkPass {
    /// Uploads the pairs of links of a world, and the links at rest, into buffers that all frames share; `None` if
    /// there are no pairs, or if they do not fit on the device.
    pub fn new(
        gpu: &Gpu,
        world: &CollisionWorld,
        shared: &mut Buffers,
        (of_scene, capacities): (&Schedule, &Capacities),
        sources: &Sources,
    ) -> Result<Option<Self>> {
        let frames = world.frames.iter().zip(0u32..);
        let pairs: Vec<_> = frames.flat_map(|(frame, i)| frame.partners.iter().map(move |&link| (i, link))).collect();
        let depth = world.frames.iter().map(|frame| frame.world.scene.tree.depth).max().unwrap_or(0);
        if pairs.is_empty() || depth + 1 >= MAX_CULL_LEVELS {
            return Ok(None);
        }
        let mut buffers = Buffers::new(gpu)?;
        buffers.share(shared, &[(BufferId::RegionCounts, BufferId::RegionCounts)]);
        let scenes: Vec<_> = world.frames.iter().map(|frame| &*frame.world.scene).collect();
        let Some(starts) = buffers.upload_scenes(gpu, &scenes)? else { return Ok(None) };
        let links = pairs.iter().map(|&(frame, link)| [world.frames[frame as usize].link, link]);
        shared.fill(gpu, BufferId::LinkPairs, &links.collect::<Vec<_>>())?;
        let compile = |kernel| gpu.compile_source(kernel, &(sources.compute)(kernel)?);
        let schedule = Schedule {
            cull_levels: depth as u32 + 1,
            link_levels: of_scene.link_levels,
            n_phases: of_scene.n_phases,
            fixed_phase_count: of_scene.fixed_phase_count,
            n_boxed: 0,
        };
        Ok(Some(Self {
            near: compile(&link_pairs::NEAR)?,
            relative: compile(&link_pairs::RELATIVE)?,
            starts,
            first_triangles: first_link_triangles(&world.links),
            frame: Frame::new(buffers),
            schedule,
            capacities: Capacities { pieces: MAX_PIECES, boxes: 0, ..*capacities },
            pairs,
        }))
    }

    /// Number of pairs of links.
    pub fn n_pairs(&self) -> u32 {
        self.pairs.len() as u32
    }

    /// Capacity of the list of near pairs of a chunk.
    pub fn near_capacity(&self, n_pieces: usize) -> u32 {
        (n_pieces as u64 * self.pairs.len() as u64).min(u64::from(MAX_NEAR)) as u32
    }

    /// The dispatch that finds the near pairs of a chunk.
    pub fn near_dispatch(&self, routing: u32, n_pieces: usize) -> Dispatch<'_> {
        let size = WorkSize::Invocations((n_pieces * self.pairs.len()) as u64);
        Dispatch { kernel: &self.near, routing, size, stage: Stage::Bound as usize }
    }
}

impl GpuPipeline {
    /// Finds the pairs of triangles of links in a chunk whose bodies have been bounded in a frame. Lowers the limits.
    /// If the caller needs only whether something may touch, the search in a motion ends at its first pair.
    ///
    /// # Errors
    /// The device failed.
    pub(super) fn search_links(
        &mut self,
        chunk: &ChunkInput,
        frame: FrameIndex,
        mut near: Vec<NearPair>,
        (limits, possible): (&mut Limits, &mut Possible),
        stats: &mut Stats,
    ) -> Result<LinkOutput> {
        let clock = Instant::now();
        let Some(pass) = &self.links else { return Ok(LinkOutput::default()) };
        let mut counts =
            LinkPairCounts { tested: chunk.pieces.len() as u64 * pass.pairs.len() as u64, ..LinkPairCounts::default() };
        near.sort_unstable();
        for pair in &mut near {
            let piece = &chunk.pieces[pair.piece as usize];
            pair.mask &= piece.mask_until(limits[piece.motion as usize]);
            let (frame, moving) = pass.pairs[pair.pair as usize];
            if let (1.., Some(region)) = (pair.mask, self.world.frames[frame as usize].free_region(moving)) {
                let motion = &chunk.motions[piece.motion as usize];
                pair.mask &= !link_pairs::proved_free(region, motion, piece, pair.mask);
                counts.proved_free += u64::from(pair.mask == 0);
            }
        }
        counts.near = near.len() as u64 - counts.proved_free;
        near.retain(|pair| pair.mask != 0 && !possible.has_piece(&chunk.pieces[pair.piece as usize]));
        let (chains, pieces) = self.near_pieces(chunk, pass, &near);
        let (n_pieces, n_motions) = (chunk.pieces.len(), chunk.motions.len());
        let mut output = LinkOutput { pieces: vec![Vec::new(); n_pieces], chains, is_left_out: vec![false; n_motions] };
        for some in pieces.chunks(MAX_PIECES) {
            self.search_near(frame, &some.iter().collect::<Vec<_>>(), (limits, possible), &mut output)?;
        }
        for (pairs, piece) in output.pieces.iter_mut().zip(&chunk.pieces) {
            link_pairs::clip(pairs, piece, limits[piece.motion as usize]);
            // Pieces that were retried are at the end.
            pairs.sort_unstable_by_key(|of| (of.frame, of.pair));
            counts.triangle_pairs += pairs.len() as u64;
        }
        stats.links.counts.add(counts);
        stats.links.seconds += clock.elapsed().as_secs_f64();
        Ok(output)
    }

    /// The motions of links in the frames of others that a chunk needs, and its pieces of the second pass.
    fn near_pieces(
        &self,
        chunk: &ChunkInput,
        pass: &LinkPass,
        near: &[NearPair],
    ) -> (Vec<Vec<RobotMotion>>, Vec<NearPiece>) {
        let motion_of = |pair: &NearPair| chunk.pieces[pair.piece as usize].motion;
        let by_motion: Vec<&[NearPair]> = near.chunk_by(|a, b| motion_of(a) == motion_of(b)).collect();
        let found = by_motion.par_iter().map(|near| {
            let mut chains = Chains {
                world: &self.world,
                motion: &chunk.motions[motion_of(&near[0]) as usize],
                known: HashMap::new(),
                all: Vec::new(),
            };
            let pieces: Vec<_> = near.iter().filter_map(|pair| chains.piece(&chunk.pieces, pass, pair)).collect();
            (motion_of(&near[0]), chains.all, pieces)
        });
        let (mut chains, mut pieces) = (vec![Vec::new(); chunk.motions.len()], Vec::new());
        for (motion, of_motion, near) in found.collect::<Vec<_>>() {
            chains[motion as usize] = of_motion;
            pieces.extend(near);
        }
        (chains, pieces)
    }

    /// Searches some pieces of the second pass together, and retries those that overflow a queue, a quarter at a time.
    fn search_near(
        &mut self,
        frame: FrameIndex,
        pieces: &[&NearPiece],
        (limits, possible): (&mut Limits, &mut Possible),
        output: &mut LinkOutput,
    ) -> Result<()> {
        let pieces: Vec<&NearPiece> = pieces.iter().copied().filter(|near| !possible.has(near.motion())).collect();
        if pieces.is_empty() {
            return Ok(());
        }
        let found = self.run_near(frame, &pieces, limits)?;
        let counters = Counters::read(&found.control);
        self.counts.queue_entries += counters.page_entries() + u64::from(counters.pairs);
        if let Some(pass) = &self.links {
            let routings = pass.schedule.routings(&pass.frame.allocated, None);
            let dispatches = self.near_dispatches(pass, pieces.len()).into_iter();
            let work = kernel_work::of_submission(dispatches, &routings, &found.control);
            kernel_work::add(&mut self.kernel_work, work);
            kernel_work::add(&mut self.kernel_work, kernel_work::of_chunk(&counters));
        }
        let layout = ControlLayout::of(pieces.len(), limits.len());
        for (limit, cutoff) in limits.iter_mut().zip(layout.cutoffs(&found.control)) {
            *limit = cutoff.min(*limit);
        }
        let overflowed = layout.pieces_to_retry(&found.control, pieces.len());
        let mut is_whole = vec![true; pieces.len()];
        overflowed.iter().for_each(|&i| is_whole[i] = false);
        found.pairs.iter().for_each(|pair| possible.add(pieces[pair.piece_link as usize].motion()));
        self.take_pairs(&pieces, &is_whole, found.pairs, output);
        let again: Vec<&NearPiece> = overflowed.iter().map(|&i| pieces[i]).collect();
        for some in again.chunks(pieces.len().div_ceil(4)) {
            if pieces.len() > 1 {
                self.search_near(frame, some, (limits, possible), output)?;
            } else {
                some.iter().for_each(|near| output.is_left_out[near.motion()] = true);
                some.iter().for_each(|near| possible.add(near.motion()));
            }
        }
        Ok(())
    }

    /// Collects the pairs found in pieces without lost entries.
    fn take_pairs(&self, pieces: &[&NearPiece], is_whole: &[bool], pairs: Vec<TrianglePair>, output: &mut LinkOutput) {
        let Some(pass) = &self.links else { return };
        let mut by_piece = vec![Vec::new(); pieces.len()];
        for pair in pairs.into_iter().filter(|pair| is_whole[pair.piece_link as usize]) {
            let (number, near) = (pair.piece_link as usize, pieces[pair.piece_link as usize]);
            by_piece[number].push(TrianglePair {
                piece_link: near.moving.link,
                link_triangle: pair.link_triangle - pass.first_triangles[near.moving.link as usize],
                scene_triangle: pair.scene_triangle - pass.starts[near.frame as usize].triangle,
                ..pair
            });
        }
        for (near, mut pairs) in pieces.iter().zip(by_piece) {
            s5_pairs::join(&mut pairs, 0);
            let (frame, chain) = (near.frame, near.chain);
            output.pieces[near.piece as usize].extend(pairs.into_iter().map(|pair| LinkTrianglePair {
                frame,
                chain,
                pair,
            }));
        }
    }
}

/// The motions of links in the frames of others during a motion.
struct Chains<'a> {
    world: &'a CollisionWorld,
    motion: &'a RobotMotion,
    known: HashMap<[u32; 2], u32>,
    all: Vec<RobotMotion>,
}

impl Chains<'_> {
    /// The piece of the second pass of a near pair.
    fn piece(&mut self, pieces: &[Piece], pass: &LinkPass, near: &NearPair) -> Option<NearPiece> {
        let (frame, link) = pass.pairs[near.pair as usize];
        let geometry = &self.world.links[link as usize];
        let bodies = [self.world.links[self.world.frames[frame as usize].link as usize].body, geometry.body];
        let piece = &pieces[near.piece as usize];
        let chain = self.chain(bodies);
        let balls = s1_concat::relative_balls(self.motion, &self.all[chain as usize], piece, bodies, UNIT_F32)?;
        let moving = MovingLink {
            // Two formulas may underflow: the pose and the point.
            balls: DEVICE_SPANS
                .map(|k| balls[k])
                .map(|[c, slope]| round_up(c + slope * geometry.reach_m + 2.0 * UNDERFLOW_F32))
                .into(),
            h: piece.half_sub() as f32,
            body: 0,
            motion: piece.motion,
            index: piece.index,
            link,
        };
        let n_bodies = self.world.robot.bodies.len() as u32;
        let poses = bodies.map(|body| near.piece * n_bodies + body);
        Some(NearPiece { piece: near.piece, frame, chain, mask: near.mask, moving, poses })
    }

    /// The index of the motion of body `b` in the frame of body `a`.
    fn chain(&mut self, [a, b]: [u32; 2]) -> u32 {
        *self.known.entry([a, b]).or_insert_with(|| {
            self.all.push(self.motion.seen_from(a, b, self.world.reach_of_body(b)));
            self.all.len() as u32 - 1
        })
    }
}

/// The result of a submission of the second pass.
struct Found {
    control: Vec<u32>,
    pairs: Vec<TrianglePair>,
}

impl GpuPipeline {
    /// Runs the kernels for some pieces of the second pass.
    fn run_near(&mut self, frame: FrameIndex, pieces: &[&NearPiece], limits: &Limits) -> Result<Found> {
        self.write_near(frame, pieces, limits)?;
        let Some(pass) = &self.links else { return Ok(Found { control: Vec::new(), pairs: Vec::new() }) };
        let (buffers, allocated) = (&pass.frame.buffers, pass.frame.allocated);
        let layout = ControlLayout::of(pieces.len(), limits.len());
        let submission: Submission = self.gpu.submit(
            buffers,
            &self.kernels.indirect_args,
            &[],
            &self.near_dispatches(pass, pieces.len()),
            &[(BufferId::Control, 4 * layout.node_boxes_at as u64)],
        )?;
        let Readback { mut data, seconds } = submission.wait(&self.gpu)?;
        kernel_work::add_seconds(&mut self.kernel_work, &seconds);
        let control = data.swap_remove(0);
        let n_pairs = Counters::read(&control).pairs.min(allocated.pairs) as usize;
        let pairs = buffers.read(&self.gpu, BufferId::Pairs, n_pairs)?;
        Ok(Found { control, pairs })
    }

    /// Uploads pieces of the second pass.
    fn write_near(&mut self, frame: FrameIndex, pieces: &[&NearPiece], limits: &Limits) -> Result<()> {
        let Self { gpu, frames, links, settings, .. } = self;
        let Some(LinkPass { frame: own, schedule, capacities, starts, .. }) = links else { return Ok(()) };
        let (layout, n) = (ControlLayout::of(pieces.len(), limits.len()), pieces.len());
        if n > own.allocated.pieces {
            let capacities = if settings.fixed_capacities { *capacities } else { capacities.scaled(n) };
            own.reserve(gpu, capacities, &schedule.routings(&capacities, None))?;
        }
        let world = &frames[frame].buffers;
        let buffers = &mut own.buffers;
        buffers.share(world, &SHARED.map(|id| (id, id)));
        buffers.share(world, &[(BufferId::Poses, BufferId::BodyPoses)]);
        buffers.reserve(gpu, BufferId::Poses, (n * POSE_FLOATS * SUBS * size_of::<f32>()) as u64)?;
        buffers.reserve(gpu, BufferId::Boxes, (n * BOX_FLOATS * SUBS * size_of::<f32>()) as u64)?;
        buffers.reserve(gpu, BufferId::Control, 4 * layout.end(n, 0))?;
        buffers.fill(gpu, BufferId::MovingLinks, &pieces.iter().map(|near| near.moving).collect::<Vec<_>>())?;
        buffers.fill(gpu, BufferId::PosePairs, &pieces.iter().map(|near| near.poses).collect::<Vec<_>>())?;
        let allocated = own.allocated;
        own.params = ChunkParams {
            n_pieces: n as u32,
            n_bodies: 1,
            n_links: 1,
            n_nodes: 1,
            form: FORM_JET,
            flags: if settings.use_cutoffs { FLAG_CUTOFFS } else { 0 },
            queue_capacity: allocated.queue,
            candidate_capacity: allocated.candidates,
            pair_capacity: allocated.pairs,
            retry_at: layout.retry_at as u32,
            cutoffs_at: layout.cutoffs_at as u32,
            node_boxes_at: layout.node_boxes_at as u32,
            margin_m: frames[frame].params.margin_m,
            ..ChunkParams::default()
        };
        buffers.set_chunk(gpu, &own.params)?;
        gpu.clear(buffers, &[Clear { buffer: BufferId::Control, words: 0..layout.end(n, 0) }])?;
        let items: Vec<NodePair> = (0..).zip(pieces).map(|(i, near)| near.root(i, starts)).collect();
        // Pieces whose first item has no room are marked, as by the kernel `roots`.
        let fits = items.len().min(allocated.queue as usize);
        let mut control = layout.initial();
        control[counter!(cull_levels) as usize] = fits as u32;
        (fits..items.len()).for_each(|i| layout.set_retry(&mut control, i));
        for (word, limit) in control[layout.cutoffs_at..].iter_mut().zip(limits) {
            *word = ControlLayout::word(*limit);
        }
        buffers.write(gpu, BufferId::Items, 0, &items[..fits]);
        buffers.write(gpu, BufferId::Control, 0, &control);
        Ok(())
    }

    /// The dispatches of the second pass.
    fn near_dispatches<'k>(&'k self, pass: &'k LinkPass, n_pieces: usize) -> Vec<Dispatch<'k>> {
        let (k, schedule) = (&self.kernels, &pass.schedule);
        let size = WorkSize::Invocations((n_pieces * SUBS) as u64);
        let direct = |kernel, stage: Stage| Dispatch { kernel, routing: 0, size, stage: stage as usize };
        let levels = (0..schedule.cull_levels).map(|routing| Dispatch {
            kernel: &k.cull,
            routing,
            size: WorkSize::Indirect,
            stage: Stage::Cull as usize,
        });
        [direct(&pass.relative, Stage::Concat), direct(&k.bound, Stage::Bound)]
            .into_iter()
            .chain(levels)
            .chain(self.pair_dispatches(schedule, schedule.pairs_at(), n_pieces))
            .collect()
    }
}

impl NearPiece {
    /// Index of the motion in the chunk.
    fn motion(&self) -> usize {
        self.moving.motion as usize
    }

    /// The first item of piece `i`: its link against the root of its frame's tree.
    fn root(&self, i: u32, starts: &[SceneStart]) -> NodePair {
        NodePair { piece: i, model_node: 0, scene_ref: starts[self.frame as usize].node, mask: self.mask }
    }
}
