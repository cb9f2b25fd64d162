//! Buffers, by what they hold.

use super::device::Gpu;
use super::layout::{Chunk, Pass};
use super::pages::{PAGED, Page, PageRange};
use crate::error::{Error, ErrorKind, Result};
use bytemuck::Pod;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use wgpu::BufferUsages;

macro_rules! slots {
    ($($(#[$doc:meta])* $slot:ident,)*) => {
        /// What a buffer holds. The WGSL sources say more on each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Slot {
            $($(#[$doc])* $slot,)*
        }

        const SLOTS: usize = [$(Slot::$slot,)*].len();
    };
}

slots! {
    /// The uniform [`Chunk`].
    Chunk,
    /// The uniforms [`Pass`], one for each step.
    Pass,
    /// The pieces.
    Pieces,
    /// The parent of each body.
    Parents,
    /// The joint motions.
    Joints,
    /// Sines and cosines, or their ranges.
    Angles,
    /// The pose bounds.
    Poses,
    /// The links' line-swept spheres.
    Links,
    /// The children of the inner nodes of the model's tree.
    ModelChildren,
    /// What differs by piece and link.
    Moving,
    /// The boxes of the model's tree.
    Boxes,
    /// The scene's tree.
    SceneNodes,
    /// The leaves of the scene's tree.
    Clusters,
    /// The scene's triangles.
    SceneTriangles,
    /// Bits of the pairs of link and object that are never tested.
    Allowed,
    /// The trees of the links.
    LinkNodes,
    /// The link of each node of these trees.
    NodeLinks,
    /// The boxes of the children of the first of these nodes.
    NodeBoxes,
    /// The links' triangles.
    LinkTriangles,
    /// Work items: this level's and the next one's.
    Items,
    /// Work items that have reached a leaf.
    LeafItems,
    /// Candidates (link, cluster).
    Candidates,
    /// The candidates of each piece and link, strung together.
    Lists,
    /// Pairs of triangles.
    Pairs,
    /// Counters, redo bits, limits.
    Control,
    /// The size of the next dispatch or drawing.
    Arguments,
    /// The tile of each piece and link.
    TileOf,
    /// The tiles.
    Tiles,
    /// Their maps.
    Atlas,
    /// The triangles of each candidate that a view has seen.
    Seen,
    /// The triangles of the candidates, one by one.
    Listed,
    /// Gain, step and counts of a batch of extremal pairs.
    ExtremalSettings,
    /// Bodies and motions of extremal pairs.
    ExtremalPairs,
    /// Where extremal pairs are, and what is known of them.
    ExtremalStates,
    /// Control points of their patches.
    ExtremalNets,
    /// Pairs of triangles of which one is fat.
    TolerancedPairs,
    /// What is left of each.
    TolerancedMasks,
}

/// A set of buffers. Cloning shares them.
#[derive(Debug)]
pub struct Buffers {
    all: [Option<wgpu::Buffer>; SLOTS],
    /// Stands for a buffer that was never made, so that a kernel can always be bound.
    nothing: wgpu::Buffer,
    /// The scene's pages, and which of them the buffers are.
    pages: Arc<[Page]>,
    page: usize,
    /// How pipelines bind these buffers, by what the pipeline is numbered with and the page.
    groups: Mutex<HashMap<(u64, usize), wgpu::BindGroup>>,
}

impl Clone for Buffers {
    fn clone(&self) -> Self {
        let pages = Arc::clone(&self.pages);
        Self { all: self.all.clone(), nothing: self.nothing.clone(), pages, page: self.page, groups: Mutex::default() }
    }
}

/// The least size of a buffer: binding nothing is not allowed.
const LEAST_BYTES: u64 = 64;

impl Buffers {
    /// No buffers yet.
    ///
    /// # Errors
    /// The device failed.
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let nothing = create(gpu, "nothing", LEAST_BYTES)?;
        let all = [const { None }; SLOTS];
        Ok(Self { all, nothing, pages: Arc::default(), page: 0, groups: Mutex::default() })
    }

    /// Forgets what these slots hold.
    pub(super) fn forget(&mut self, slots: &[Slot]) {
        slots.iter().for_each(|slot| self.all[*slot as usize] = None);
    }

    /// The buffer itself, if there is one.
    pub(super) fn handle(&self, slot: Slot) -> Option<wgpu::Buffer> {
        self.all[slot as usize].clone()
    }

    /// Takes the scene's pages; the first one is there.
    pub(super) fn set_pages(&mut self, pages: Vec<Page>) {
        self.pages = pages.into();
        self.groups = Mutex::default();
        self.turn_to(0);
    }

    /// How many pages the scene has, at least one once it is uploaded.
    pub fn n_pages(&self) -> usize {
        self.pages.len()
    }

    /// What the page holds that is there.
    pub fn page(&self) -> PageRange {
        self.pages.get(self.page).map_or_else(PageRange::default, |page| page.holds)
    }

    /// The most leaves that a page has.
    pub fn most_clusters(&self) -> u32 {
        self.pages.iter().map(|page| page.holds.n_clusters).max().unwrap_or(0)
    }

    /// Puts a page of the scene into its slots, for what is submitted from now on.
    pub fn turn_to(&mut self, page: usize) {
        if let Some(there) = self.pages.get(page) {
            for (slot, buffer) in PAGED.iter().zip(&there.buffers) {
                self.all[*slot as usize].clone_from(buffer);
            }
            self.page = page;
        }
    }

    /// The bind group of a pipeline, made when it is first asked for, and again after a buffer has grown.
    pub(super) fn group(&self, pipeline: u64, make: impl FnOnce() -> wgpu::BindGroup) -> wgpu::BindGroup {
        match self.groups.lock() {
            Ok(mut groups) => groups.entry((pipeline, self.page)).or_insert_with(make).clone(),
            Err(_) => make(),
        }
    }

    pub(super) fn buffer(&self, slot: Slot) -> &wgpu::Buffer {
        self.all[slot as usize].as_ref().unwrap_or(&self.nothing)
    }

    /// Makes room for `bytes`, forgetting what was there if it has to grow: a buffer that is large enough stays.
    ///
    /// # Errors
    /// The device has not that much memory, or cannot bind that much at once.
    pub fn reserve(&mut self, gpu: &Gpu, slot: Slot, bytes: u64) -> Result<()> {
        let bytes = bytes.next_multiple_of(16).max(LEAST_BYTES);
        if self.all[slot as usize].as_ref().is_some_and(|b| b.size() >= bytes) {
            return Ok(());
        }
        if bytes > gpu.max_binding() {
            let message =
                format!("{slot:?} need {bytes} bytes, adapter '{}' binds {}", gpu.summary().name, gpu.max_binding());
            return Err(Error::new(ErrorKind::Memory, message).remedy("use --backend cpu"));
        }
        self.all[slot as usize] = Some(create(gpu, &format!("{slot:?}"), bytes)?);
        self.groups = Mutex::default();
        Ok(())
    }

    /// Makes a buffer that begins with these contents.
    ///
    /// # Errors
    /// As [`Buffers::reserve`].
    pub fn fill<T: Pod>(&mut self, gpu: &Gpu, slot: Slot, data: &[T]) -> Result<()> {
        self.reserve(gpu, slot, size_of_val(data) as u64)?;
        self.write(gpu, slot, 0, data);
        Ok(())
    }

    /// Writes into a buffer that has room, from its element `at` on.
    pub fn write<T: Pod>(&self, gpu: &Gpu, slot: Slot, at: usize, data: &[T]) {
        if !data.is_empty() {
            let bytes: &[u8] = bytemuck::cast_slice(data);
            gpu.queue.write_buffer(self.buffer(slot), (at * size_of::<T>()) as u64, bytes);
        }
    }

    /// Sets the chunk's uniform.
    ///
    /// # Errors
    /// As [`Buffers::reserve`].
    pub fn set_chunk(&mut self, gpu: &Gpu, chunk: &Chunk) -> Result<()> {
        let mut bytes = encase::UniformBuffer::new(Vec::<u8>::new());
        bytes.write(chunk).map_err(|e| Error::new(ErrorKind::Gpu, e.to_string()))?;
        self.fill(gpu, Slot::Chunk, &bytes.into_inner())
    }

    /// Sets the uniforms of the steps; each stands at its number times [`PASS_STRIDE`].
    ///
    /// # Errors
    /// As [`Buffers::reserve`].
    pub fn set_passes(&mut self, gpu: &Gpu, passes: &[Pass]) -> Result<()> {
        let mut bytes = encase::DynamicUniformBuffer::new_with_alignment(Vec::<u8>::new(), u64::from(PASS_STRIDE));
        for pass in passes {
            bytes.write(pass).map_err(|e| Error::new(ErrorKind::Gpu, e.to_string()))?;
        }
        self.fill(gpu, Slot::Pass, &bytes.into_inner())
    }

    /// Reads `count` elements back and waits for them.
    ///
    /// # Errors
    /// The device failed.
    pub fn read<T: Pod>(&self, gpu: &Gpu, slot: Slot, count: usize) -> Result<Vec<T>> {
        let bytes = count * size_of::<T>();
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let padded = bytes.next_multiple_of(8) as u64;
        let staging = gpu.staging(padded)?;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(self.buffer(slot), 0, &staging, 0, Some(padded));
        let submission = gpu.queue.submit([encoder.finish()]);
        let mapping = gpu.map(staging, padded);
        gpu.wait_for(Some(submission))?;
        Ok(bytemuck::pod_collect_to_vec(&mapping.bytes(gpu)?[..bytes]))
    }
}

/// Distance of the uniforms of two steps, bytes: what every adapter can address.
pub const PASS_STRIDE: u32 = 256;

fn create(gpu: &Gpu, label: &str, size: u64) -> Result<wgpu::Buffer> {
    let usage = BufferUsages::STORAGE
        | BufferUsages::UNIFORM
        | BufferUsages::INDIRECT
        | BufferUsages::COPY_DST
        | BufferUsages::COPY_SRC;
    let descriptor = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
    gpu.buffer(&descriptor)
}

/// Staging buffers that are kept, which is a few for each page of the scene, and the largest of them, bytes.
const MOST_KEPT: usize = 256;
const LARGEST_KEPT: u64 = 1 << 24;

impl Gpu {
    /// Makes a buffer.
    pub(super) fn buffer(&self, descriptor: &wgpu::BufferDescriptor) -> Result<wgpu::Buffer> {
        self.faults.allocation(&self.summary().name)?;
        self.count_one();
        self.guarded(|| self.device.create_buffer(descriptor))
    }

    /// A buffer to copy into and read from: the smallest that is free, if it is not far too large.
    pub(super) fn staging(&self, bytes: u64) -> Result<wgpu::Buffer> {
        if let Ok(mut free) = self.free_staging.lock() {
            let fits = |b: &wgpu::Buffer| b.size() >= bytes && b.size() / 4 <= bytes.max(1 << 16);
            let fitting = (0..free.len()).filter(|&i| fits(&free[i]));
            if let Some(i) = fitting.min_by_key(|&i| free[i].size()) {
                return Ok(free.swap_remove(i));
            }
        }
        let usage = BufferUsages::COPY_DST | BufferUsages::MAP_READ;
        let size = bytes.next_multiple_of(16);
        self.buffer(&wgpu::BufferDescriptor { label: Some("readback"), size, usage, mapped_at_creation: false })
    }

    /// Takes a staging buffer back that is not mapped any more.
    pub(super) fn keep_staging(&self, buffer: wgpu::Buffer) {
        if let Ok(mut free) = self.free_staging.lock()
            && free.len() < MOST_KEPT
            && buffer.size() <= LARGEST_KEPT
        {
            free.push(buffer);
        }
    }
}
