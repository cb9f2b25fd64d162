//! The drawn form of `s4_sweep` on a device: its kernels, its memory, and the order of its steps.

use super::{CANDIDATES, COUNTERS, GpuFlow, SWEEP_COUNTS};
use crate::engine::options::{Capacities, Stage};
use crate::error::{Error, Result};
use crate::gpu::layout::{Pass, Tile};
use crate::gpu::shader::Source;
use crate::gpu::{Buffers, Drawing, Gpu, Kernel, MAX_QUERIES, Pipeline, Size, Slot, Step, TARGET_PIXELS};
use crate::model::world::World;
use crate::stage::s4_sweep::occlusion;
use crate::stage::s4_sweep::raster::{
    self, ALONG_X, ALONG_Y, ALONG_Z, CELLS, CELLS_PER_TILE, PLACES, POLYGON_VERTICES, TILE_PIXELS,
};
use crate::stage::{Candidate, SUBS};
use std::collections::HashSet;

/// Counts the tiles.
const TILES: u32 = 249;
/// Counts the listed triangles.
const LISTED: u32 = 248;
/// Three words that nobody reads: what is left after a view that is not the last.
const BETWEEN: u32 = 245;

/// The compiled kernels and drawings, and the size of the atlas.
#[derive(Debug)]
pub(super) struct RasterFlow {
    mark: Pipeline,
    frame: Pipeline,
    clear: Pipeline,
    cells: Pipeline,
    verify: Pipeline,
    views: [Pipeline; 3],
    narrow: Pipeline,
    /// Pixels along a side of a tile.
    pub tile_pixels: u32,
    /// Tiles that there is room for. What finds no room is left standing.
    pub tile_capacity: u32,
    /// Triangles that can be listed. What finds no room is left standing.
    list_capacity: u32,
    n_links: usize,
}

impl RasterFlow {
    /// Compiles everything; `memory_bytes` is what the atlas of a chunk may take.
    ///
    /// # Errors
    /// The adapter cannot draw into buffers; tiles of this size are not made.
    pub fn new(
        gpu: &Gpu,
        world: &World,
        capacities: &Capacities,
        tile_pixels: u32,
        memory_bytes: u64,
        source: &dyn Fn(&Kernel) -> Result<Source>,
    ) -> Result<Self> {
        if !TILE_PIXELS.contains(&tile_pixels) {
            let message = format!("tiles of {tile_pixels} pixels");
            return Err(Error::usage(message).remedy("take 16, 32 or 64"));
        }
        let compute = |kernel: &Kernel| gpu.compile_source(kernel, &source(kernel)?);
        let draw = |drawing: &Drawing| gpu.compile_drawing(drawing, &source(&drawing.vertices)?);
        let fit = memory_bytes.min(gpu.max_binding()) / atlas_bytes(tile_pixels);
        // Pixels of all tiles are counted in 32 bits.
        let countable = u64::from(u32::MAX) / (atlas_bytes(tile_pixels) / 4);
        let useful = (capacities.pieces * world.links.len()).max(1) as u64;
        Ok(Self {
            mark: compute(&raster::MARK)?,
            frame: compute(&raster::FRAME)?,
            clear: compute(&raster::CLEAR)?,
            cells: draw(&CELLS)?,
            verify: compute(&raster::VERIFY)?,
            views: [draw(&ALONG_X)?, draw(&ALONG_Y)?, draw(&ALONG_Z)?],
            narrow: compute(&raster::NARROW)?,
            tile_pixels,
            tile_capacity: fit.min(useful).min(countable) as u32,
            // Clusters hold a few triangles each; a multiple of what buffers are rounded up to.
            list_capacity: capacities.candidates.clamp(16, 1 << 30) / 16 * 16,
            n_links: world.links.len(),
        })
    }

    /// Makes room for the tiles.
    pub fn reserve(&self, gpu: &Gpu, set: &mut Buffers, candidates: u32) -> Result<()> {
        let n = u64::from(self.tile_capacity);
        set.reserve(gpu, Slot::Tiles, n * size_of::<Tile>() as u64)?;
        set.reserve(gpu, Slot::Atlas, n * atlas_bytes(self.tile_pixels))?;
        set.reserve(gpu, Slot::Listed, 4 * u64::from(self.list_capacity))?;
        set.reserve(gpu, Slot::Seen, 8 * u64::from(candidates))
    }

    /// Nothing is marked yet.
    pub fn forget(&self, gpu: &Gpu, set: &mut Buffers, n_pieces: usize) -> Result<()> {
        set.fill(gpu, Slot::TileOf, &vec![0u32; n_pieces * self.n_links])
    }

    /// The queues of the steps.
    pub fn passes(&self, candidates: u32) -> [Pass; 7] {
        let of_candidates = Pass { input: CANDIDATES, capacity: candidates, invocations: 1, ..Pass::default() };
        let of_tiles = Pass { input: TILES, output: TILES, capacity: self.tile_capacity, ..Pass::default() };
        let of_list = Pass { input: LISTED, capacity: self.list_capacity, invocations: 1, ..Pass::default() };
        [
            Pass { output: LISTED, ..of_candidates },
            Pass { invocations: 3 * self.tile_pixels * self.tile_pixels, ..of_tiles },
            Pass { invocations: CELLS_PER_TILE, vertices: POLYGON_VERTICES, ..of_tiles },
            Pass { vertices: POLYGON_VERTICES, ..of_list },
            Pass { output: BETWEEN, ..of_candidates },
            Pass { output: SWEEP_COUNTS, ..of_candidates },
            Pass { invocations: SUBS as u32, ..of_tiles },
        ]
    }

    /// The steps for a chunk; the first of [`passes`](Self::passes) has the number `first`.
    pub fn steps(&self, first: u32, n_pieces: usize) -> Vec<Step<'_>> {
        let stage = Stage::Sweep as usize;
        let queued = |pipeline, pass| Step { pipeline, pass: first + pass, size: Size::Queue, stage };
        let all = Size::Invocations((n_pieces * self.n_links) as u64);
        let mut steps = vec![
            queued(&self.mark, 0),
            Step { size: all, ..queued(&self.frame, 1) },
            queued(&self.clear, 1),
            queued(&self.cells, 2),
            queued(&self.verify, 6),
        ];
        // What one view has not seen, the next one need not look for.
        for (i, view) in self.views.iter().enumerate() {
            steps.extend([queued(view, 3), queued(&self.narrow, if i < 2 { 4 } else { 5 })]);
        }
        steps
    }
}

impl GpuFlow {
    /// What occlusion queries say of the candidates that a set holds, after `s4_sweep` has given them tiles: for each candidate
    /// the triangles that may touch, as far as the first tiles of the atlas go, which are drawn without taking turns. A
    /// candidate beyond these keeps its triangles. For comparison with what the stage itself clears.
    ///
    /// # Errors
    /// The device failed, or the engine does not draw.
    pub fn queried(&self, set: usize, candidates: &mut [Candidate]) -> Result<()> {
        let Some(raster) = &self.kernels.raster else {
            return Err(Error::usage("occlusion queries take --sweep raster"));
        };
        let (gpu, buffers) = (&self.gpu, &self.sets[set]);
        buffers.write(gpu, Slot::Candidates, 0, candidates);
        let columns = TARGET_PIXELS / raster.tile_pixels - 4;
        let control: Vec<u32> = buffers.read(gpu, Slot::Control, COUNTERS)?;
        let n_tiles = control[TILES as usize];
        let n_listed = control[LISTED as usize].min(raster.list_capacity);
        let listed: Vec<u32> = buffers.read(gpu, Slot::Listed, n_listed as usize)?;
        let drawn = n_tiles.min(raster.tile_capacity).min(columns * columns / 3);
        let tiles: Vec<Tile> = buffers.read(gpu, Slot::Tiles, drawn as usize)?;
        let with_tile: HashSet<u32> = tiles.iter().map(|t| t.piece_link).collect();
        let compile = |d: &Drawing| gpu.compile_drawing(d, &Source::expand(d.vertices.stem, d.vertices.source)?);
        for (keep, looks) in [(occlusion::LOWEST, occlusion::ABOVE), (occlusion::HIGHEST, occlusion::BELOW)] {
            let keep = compile(&keep)?;
            for look in &looks {
                let look = compile(look)?;
                // What earlier views have not seen need not be asked for again.
                let asked: Vec<(u32, u32)> = (0..n_listed)
                    .zip(listed.iter().copied())
                    .filter(|&(_, i)| {
                        let Some(c) = candidates.get((i / PLACES) as usize) else { return false };
                        let piece_link = c.piece * raster.n_links as u32 + c.link;
                        c.triangles >> (i % PLACES) & 1 != 0 && with_tile.contains(&piece_link)
                    })
                    .collect();
                for some in asked.chunks(MAX_QUERIES) {
                    let queries: Vec<_> = some.iter().map(|&(instance, _)| (&look, instance)).collect();
                    let kept = (&keep, drawn * CELLS_PER_TILE);
                    let counts = gpu.pass_depth(buffers, POLYGON_VERTICES, kept, &queries)?;
                    for ((_, i), _) in some.iter().zip(counts).filter(|(_, n)| *n == 0) {
                        candidates[(i / PLACES) as usize].triangles &= !(1 << (i % PLACES));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Three maps of two words for each pixel.
fn atlas_bytes(tile_pixels: u32) -> u64 {
    24 * u64::from(tile_pixels) * u64::from(tile_pixels)
}
