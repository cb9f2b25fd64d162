//! Buffers on the device, by content.

use super::device::Gpu;
use crate::error::{Error, ErrorKind, Result};
use crate::scene::world::SceneBox;
use crate::stage::layout::{ChunkParams, Routing};
use bytemuck::Pod;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use wgpu::BufferUsages;

macro_rules! buffers {
    ($($(#[$doc:meta])* $id:ident = $name:literal,)*) => {
        /// A buffer, by its content. WGSL variables have the name of the buffer that they are bound to.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum BufferId {
            $($(#[$doc])* $id,)*
        }

        pub(super) const N_BUFFERS: usize = [$(BufferId::$id,)*].len();

        impl BufferId {
            /// The name of the buffer in WGSL.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$id => $name,)*
                }
            }

            /// The buffer with a name in WGSL.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$id),)*
                    _ => None,
                }
            }
        }
    };
}

buffers! {
    /// The uniform [`ChunkParams`].
    Chunk = "chunk",
    /// The uniforms [`Routing`], one per dispatch.
    Routing = "routing",
    /// Pieces of the chunk.
    Pieces = "pieces",
    /// Parent of each body.
    Parents = "parents",
    /// Joint motions.
    Joints = "joints",
    /// Sines and cosines of the joint angles at the middle of each sub-interval.
    Angles = "angles",
    /// Ranges of these sines and cosines over each sub-interval.
    AngleRanges = "angle_ranges",
    /// Pose bounds.
    Poses = "poses",
    /// Line-swept spheres of the links.
    Links = "links",
    /// Children of the inner nodes of the tree over the links.
    LinkTreeChildren = "link_tree_children",
    /// Data of each piece and link.
    MovingLinks = "moving_links",
    /// Boxes of the nodes of the tree over the links.
    Boxes = "boxes",
    /// Pairs of links that are tested against each other.
    LinkPairs = "link_pairs",
    /// Pairs of links whose boxes may overlap, each with its piece.
    NearPairs = "near_pairs",
    /// Pose bounds of the bodies in the world, when [`Poses`](Self::Poses) contains those of links in the frames of
    /// others.
    BodyPoses = "body_poses",
    /// The two world poses from which each relative pose is composed.
    PosePairs = "pose_pairs",
    /// Nodes of the scene's tree.
    SceneNodes = "scene_nodes",
    /// Leaves of the scene's tree.
    SceneLeaves = "scene_leaves",
    /// Triangles of the scene.
    SceneTriangles = "scene_triangles",
    /// One bit per link and object, set for pairs that are never tested.
    AllowedPairs = "allowed_pairs",
    /// Nodes of the links' trees.
    LinkNodes = "link_nodes",
    /// Link of each of these nodes.
    NodeLinks = "node_links",
    /// Boxes of the children of the nodes that requested them.
    NodeBoxes = "node_boxes",
    /// Triangles of the links.
    LinkTriangles = "link_triangles",
    /// Work items: the current level and the next one.
    Items = "items",
    /// Work items that have reached a leaf of a link's tree.
    LeafItems = "leaf_items",
    /// Candidates: link against leaf of the scene's tree.
    Candidates = "candidates",
    /// Triangle pairs.
    Pairs = "pairs",
    /// Counters, retry bits, cutoffs.
    Control = "control",
    /// Arguments of the next indirect dispatch or draw.
    IndirectArgs = "indirect_args",
    /// Tile of each piece and link.
    TileOf = "tile_of",
    /// Tiles.
    Tiles = "tiles",
    /// Depth maps of the tiles.
    Atlas = "atlas",
    /// Triangles of each candidate that are visible in a view.
    Seen = "seen",
    /// List of the candidates' triangles.
    Listed = "listed",
    /// Gain, step and counts of a batch of extremal pairs.
    ExtremalSettings = "extremal_settings",
    /// Bodies and motions of extremal pairs.
    ExtremalPairs = "extremal_pairs",
    /// States of extremal pairs.
    ExtremalStates = "extremal_states",
    /// Control points of the patches of extremal pairs.
    ExtremalNets = "extremal_nets",
    /// Pairs of a fat and a fixed triangle.
    TolerancedPairs = "toleranced_pairs",
    /// Open contacts of each of these pairs.
    TolerancedMasks = "toleranced_masks",
    /// Counts of the regions that kernels execute, if they count them.
    RegionCounts = "region_counts",
}

/// The buffers that each page of the scene has separately.
pub(super) const PAGED: [BufferId; 3] = [BufferId::SceneNodes, BufferId::SceneLeaves, BufferId::SceneTriangles];

/// A page of the scene on the device.
#[derive(Clone, Debug)]
pub(super) struct Page {
    /// The buffers [`PAGED`].
    pub buffers: [Option<wgpu::Buffer>; PAGED.len()],
    /// The part of the scene in it.
    pub range: PageRange,
    /// A box that contains all its triangles.
    pub around: SceneBox,
}

/// The part of the scene in a page, counted over all pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageRange {
    /// First leaf of the scene's tree.
    pub first_leaf: u32,
    /// Number of leaves.
    pub n_leaves: u32,
    /// First triangle.
    pub first_triangle: u32,
}

/// A set of buffers. Clones share the buffers.
#[derive(Debug)]
pub struct Buffers {
    all: [Option<wgpu::Buffer>; N_BUFFERS],
    /// Buffer that is bound instead of buffers that have not been created, so that a kernel can always be bound.
    placeholder: wgpu::Buffer,
    /// Pages of the scene, and the index of the bound page.
    pages: Arc<[Page]>,
    page: usize,
    /// Serial number of the last uniform of a chunk in this set and its clones, which may share buffers.
    serial: Arc<AtomicU32>,
    /// Bind groups, by id of the kernel and index of the page.
    groups: Mutex<HashMap<(u64, usize), wgpu::BindGroup>>,
}

impl Clone for Buffers {
    fn clone(&self) -> Self {
        let pages = Arc::clone(&self.pages);
        Self {
            all: self.all.clone(),
            placeholder: self.placeholder.clone(),
            pages,
            page: self.page,
            serial: Arc::clone(&self.serial),
            groups: Mutex::default(),
        }
    }
}

/// Smallest size of a buffer, bytes: empty bindings are not allowed.
const MIN_BYTES: u64 = 64;

impl Buffers {
    /// Creates an empty set.
    ///
    /// # Errors
    /// The device failed.
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let placeholder = create(gpu, "placeholder", MIN_BYTES)?;
        let all = [const { None }; N_BUFFERS];
        Ok(Self { all, placeholder, pages: Arc::default(), page: 0, serial: Arc::default(), groups: Mutex::default() })
    }

    /// Drops buffers.
    pub(super) fn forget(&mut self, ids: &[BufferId]) {
        ids.iter().for_each(|id| self.all[*id as usize] = None);
    }

    /// Uses buffers of another set.
    pub fn share(&mut self, of: &Self, ids: &[(BufferId, BufferId)]) {
        for &(from, to) in ids {
            let (shared, own) = (of.handle(from), &mut self.all[to as usize]);
            if *own != shared {
                *own = shared;
                self.groups = Mutex::default();
            }
        }
    }

    /// The buffer, if it has been created.
    pub(super) fn handle(&self, id: BufferId) -> Option<wgpu::Buffer> {
        self.all[id as usize].clone()
    }

    /// Sets the pages of the scene, and binds the first one.
    pub(super) fn set_pages(&mut self, pages: Vec<Page>) {
        self.pages = pages.into();
        self.groups = Mutex::default();
        self.bind_page(0);
    }

    /// Number of pages of the scene; at least one once the scene is uploaded.
    pub fn n_pages(&self) -> usize {
        self.pages.len()
    }

    /// The part of the scene in the bound page.
    pub fn page(&self) -> PageRange {
        self.pages.get(self.page).map_or_else(PageRange::default, |page| page.range)
    }

    /// A box that contains all triangles of a page; `None` if there is no such page.
    pub fn page_box(&self, page: usize) -> Option<SceneBox> {
        self.pages.get(page).map(|page| page.around)
    }

    /// Largest number of leaves in a page.
    pub fn max_page_leaves(&self) -> u32 {
        self.pages.iter().map(|page| page.range.n_leaves).max().unwrap_or(0)
    }

    /// Binds a page of the scene for all later submissions.
    pub fn bind_page(&mut self, page: usize) {
        if let Some(bound) = self.pages.get(page) {
            for (id, buffer) in PAGED.iter().zip(&bound.buffers) {
                self.all[*id as usize].clone_from(buffer);
            }
            self.page = page;
        }
    }

    /// The bind group of a kernel, created on first use and again after a buffer has grown.
    pub(super) fn group(&self, kernel_id: u64, make: impl FnOnce() -> wgpu::BindGroup) -> wgpu::BindGroup {
        match self.groups.lock() {
            Ok(mut groups) => groups.entry((kernel_id, self.page)).or_insert_with(make).clone(),
            Err(_) => make(),
        }
    }

    pub(super) fn buffer(&self, id: BufferId) -> &wgpu::Buffer {
        self.all[id as usize].as_ref().unwrap_or(&self.placeholder)
    }

    /// Ensures that a buffer has at least `bytes` bytes. A buffer that must grow loses its content.
    ///
    /// # Errors
    /// The device does not have enough memory, or cannot bind a buffer of that size.
    pub fn reserve(&mut self, gpu: &Gpu, id: BufferId, bytes: u64) -> Result<()> {
        let bytes = bytes.next_multiple_of(16).max(MIN_BYTES);
        if self.all[id as usize].as_ref().is_some_and(|b| b.size() >= bytes) {
            return Ok(());
        }
        if bytes > gpu.max_binding() {
            let message = format!(
                "{id:?} need {bytes} bytes, but adapter '{}' can bind only {}",
                gpu.summary().name,
                gpu.max_binding()
            );
            return Err(Error::new(ErrorKind::Memory, message).remedy("use --backend cpu"));
        }
        self.all[id as usize] = Some(create(gpu, &format!("{id:?}"), bytes)?);
        self.groups = Mutex::default();
        Ok(())
    }

    /// Writes the start of a buffer, growing it as needed.
    ///
    /// # Errors
    /// As [`Buffers::reserve`].
    pub fn fill<T: Pod>(&mut self, gpu: &Gpu, id: BufferId, data: &[T]) -> Result<()> {
        self.reserve(gpu, id, size_of_val(data) as u64)?;
        self.write(gpu, id, 0, data);
        Ok(())
    }

    /// Writes elements of a buffer that is large enough, starting at element `at`.
    pub fn write<T: Pod>(&self, gpu: &Gpu, id: BufferId, at: usize, data: &[T]) {
        if !data.is_empty() {
            let bytes: &[u8] = bytemuck::cast_slice(data);
            gpu.count(|traffic| traffic.uploaded_bytes += bytes.len() as u64);
            gpu.queue.write_buffer(self.buffer(id), (at * size_of::<T>()) as u64, bytes);
        }
    }

    /// Sets the uniform of the chunk, with the next serial number.
    ///
    /// # Errors
    /// As [`Buffers::reserve`].
    pub fn set_chunk(&mut self, gpu: &Gpu, params: &ChunkParams) -> Result<()> {
        let params = ChunkParams { serial: self.serial.fetch_add(1, Ordering::Relaxed) + 1, ..*params };
        let mut bytes = encase::UniformBuffer::new(Vec::<u8>::new());
        bytes.write(&params).map_err(|e| Error::new(ErrorKind::Gpu, e.to_string()))?;
        self.fill(gpu, BufferId::Chunk, &bytes.into_inner())
    }

    /// Sets the uniforms of the dispatches, at multiples of [`ROUTING_STRIDE`].
    ///
    /// # Errors
    /// As [`Buffers::reserve`].
    pub fn set_routings(&mut self, gpu: &Gpu, routings: &[Routing]) -> Result<()> {
        let mut bytes = encase::DynamicUniformBuffer::new_with_alignment(Vec::<u8>::new(), u64::from(ROUTING_STRIDE));
        for routing in routings {
            bytes.write(routing).map_err(|e| Error::new(ErrorKind::Gpu, e.to_string()))?;
        }
        self.fill(gpu, BufferId::Routing, &bytes.into_inner())
    }

    /// Reads `count` elements back and waits for them.
    ///
    /// # Errors
    /// The device failed.
    pub fn read<T: Pod>(&self, gpu: &Gpu, id: BufferId, count: usize) -> Result<Vec<T>> {
        let bytes = count * size_of::<T>();
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let padded = bytes.next_multiple_of(8) as u64;
        let staging = gpu.staging(padded)?;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(self.buffer(id), 0, &staging, 0, Some(padded));
        let submission = gpu.queue.submit([encoder.finish()]);
        gpu.count(|traffic| {
            traffic.submissions += 1;
            traffic.read_bytes += padded;
        });
        let mapping = gpu.map(staging, padded);
        gpu.wait_for(Some(submission))?;
        let mut items = mapping.items(gpu)?;
        items.truncate(count);
        Ok(items)
    }
}

/// Distance between the uniforms of two dispatches, bytes: an alignment that every adapter supports.
pub const ROUTING_STRIDE: u32 = 256;

fn create(gpu: &Gpu, label: &str, size: u64) -> Result<wgpu::Buffer> {
    let usage = BufferUsages::STORAGE
        | BufferUsages::UNIFORM
        | BufferUsages::INDIRECT
        | BufferUsages::COPY_DST
        | BufferUsages::COPY_SRC;
    let descriptor = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
    gpu.buffer(&descriptor)
}
