//! The rasterised form of `s4_sweep`: its kernels, its memory, and its dispatches.

use super::Sources;
use crate::counter;
use crate::engine::options::{Capacities, Stage};
use crate::error::Result;
use crate::gpu::{BufferId, Buffers, Clear, CompiledKernel, Dispatch, Gpu, WorkSize};
use crate::scene::world::CollisionWorld;
use crate::stage::SUBS;
use crate::stage::kernel::{Kernel, RasterKernel};
use crate::stage::layout::{Routing, Tile};
use crate::stage::s4_sweep::raster::{
    ALONG_X, ALONG_Y, ALONG_Z, CELLS, CELLS_PER_TILE, CLEAR, FRAME, MARK, NARROW, POLYGON_VERTICES, VERIFY,
};

/// The compiled kernels, and the size of the atlas.
#[derive(Debug)]
pub(super) struct RasterSweep {
    mark: CompiledKernel,
    frame: CompiledKernel,
    clear: CompiledKernel,
    cells: CompiledKernel,
    verify: CompiledKernel,
    views: [CompiledKernel; 3],
    narrow: CompiledKernel,
    /// Pixels along a side of a tile.
    pub tile_pixels: u32,
    /// Capacity of the atlas. Candidates without a tile keep their bits.
    pub tile_capacity: u32,
    /// Capacity of the list of triangles. Triangles beyond it keep their bits.
    list_capacity: u32,
    n_links: usize,
}

/// Indices of the [`RasterSweep::routings`].
const MARKED: u32 = 0;
const CLEARED: u32 = 1;
const CELLS_DRAWN: u32 = 2;
const TRIANGLES_DRAWN: u32 = 3;
const NARROWED: u32 = 4;
const NARROWED_LAST: u32 = 5;
const VERIFIED: u32 = 6;

impl RasterSweep {
    /// Compiles the kernels. The atlas of a chunk may take `memory_bytes`.
    ///
    /// # Errors
    /// Fragments cannot write buffers on the adapter, or tiles of that size are not supported.
    pub fn new(
        gpu: &Gpu,
        world: &CollisionWorld,
        capacities: &Capacities,
        tile_pixels: u32,
        memory_bytes: u64,
        sources: &Sources,
    ) -> Result<Self> {
        let compute = |kernel: &Kernel| gpu.compile_source(kernel, &(sources.compute)(kernel)?);
        let raster = |kernel: &RasterKernel| gpu.compile_raster(kernel, &(sources.raster)(kernel)?);
        let fit = memory_bytes.min(gpu.max_binding()) / atlas_bytes(tile_pixels);
        // Pixels of all tiles are counted in 32 bits.
        let countable = u64::from(u32::MAX) / (atlas_bytes(tile_pixels) / 4);
        let useful = (capacities.pieces * world.links.len()).max(1) as u64;
        Ok(Self {
            mark: compute(&MARK)?,
            frame: compute(&FRAME)?,
            clear: compute(&CLEAR)?,
            cells: raster(&CELLS)?,
            verify: compute(&VERIFY)?,
            views: [raster(&ALONG_X)?, raster(&ALONG_Y)?, raster(&ALONG_Z)?],
            narrow: compute(&NARROW)?,
            tile_pixels,
            tile_capacity: fit.min(useful).min(countable) as u32,
            // Leaves of the scene hold a few triangles each; a multiple of the size that buffers are rounded up to.
            list_capacity: capacities.candidates.clamp(16, 1 << 30) / 16 * 16,
            n_links: world.links.len(),
        })
    }

    /// Allocates the tiles of a frame.
    pub fn reserve(&self, gpu: &Gpu, buffers: &mut Buffers, candidates: u32) -> Result<()> {
        let n = u64::from(self.tile_capacity);
        buffers.reserve(gpu, BufferId::Tiles, n * size_of::<Tile>() as u64)?;
        buffers.reserve(gpu, BufferId::Atlas, n * atlas_bytes(self.tile_pixels))?;
        buffers.reserve(gpu, BufferId::Listed, 4 * u64::from(self.list_capacity))?;
        buffers.reserve(gpu, BufferId::Seen, 8 * u64::from(candidates))
    }

    /// Allocates the marks of the links of a chunk.
    pub fn reserve_pieces(&self, gpu: &Gpu, buffers: &mut Buffers, n_pieces: usize) -> Result<()> {
        buffers.reserve(gpu, BufferId::TileOf, (n_pieces * self.n_links * size_of::<u32>()) as u64)
    }

    /// The marks of the links of a chunk, which are cleared so that no link gets the tile of another chunk.
    pub fn marks(&self, n_pieces: usize) -> Clear {
        Clear { buffer: BufferId::TileOf, words: 0..(n_pieces * self.n_links) as u64 }
    }

    /// The routings of the dispatches.
    pub fn routings(&self, candidates: u32) -> [Routing; 7] {
        let of_candidates =
            Routing { input: counter!(candidates), capacity: candidates, invocations: 1, ..Routing::default() };
        let tiles = counter!(tiles);
        let of_tiles = Routing { input: tiles, output: tiles, capacity: self.tile_capacity, ..Routing::default() };
        let listed = counter!(listed_triangles);
        let of_list = Routing { input: listed, capacity: self.list_capacity, invocations: 1, ..Routing::default() };
        [
            Routing { output: listed, ..of_candidates },
            Routing { invocations: 3 * self.tile_pixels * self.tile_pixels, ..of_tiles },
            Routing { invocations: CELLS_PER_TILE, vertices: POLYGON_VERTICES, ..of_tiles },
            Routing { vertices: POLYGON_VERTICES, ..of_list },
            Routing { output: counter!(view), ..of_candidates },
            Routing { output: counter!(sweep), ..of_candidates },
            Routing { invocations: SUBS as u32, ..of_tiles },
        ]
    }

    /// The dispatches for a chunk; the first of [`routings`](Self::routings) has the index `first`.
    pub fn dispatches(&self, first: u32, n_pieces: usize) -> Vec<Dispatch<'_>> {
        let stage = Stage::Sweep as usize;
        let indirect = |kernel, routing| Dispatch { kernel, routing: first + routing, size: WorkSize::Indirect, stage };
        let all_links = WorkSize::Invocations((n_pieces * self.n_links) as u64);
        let mut dispatches = vec![
            indirect(&self.mark, MARKED),
            Dispatch { size: all_links, ..indirect(&self.frame, CLEARED) },
            indirect(&self.clear, CLEARED),
            indirect(&self.cells, CELLS_DRAWN),
            indirect(&self.verify, VERIFIED),
        ];
        // Each view only draws triangles that the views before it have seen.
        for (view, narrowed) in self.views.iter().zip([NARROWED, NARROWED, NARROWED_LAST]) {
            dispatches.extend([indirect(view, TRIANGLES_DRAWN), indirect(&self.narrow, narrowed)]);
        }
        dispatches
    }
}

/// Bytes of a tile: three maps of two words per pixel.
fn atlas_bytes(tile_pixels: u32) -> u64 {
    24 * u64::from(tile_pixels) * u64::from(tile_pixels)
}
