//! The paper's own instrument: a depth buffer and occlusion queries, one for each triangle, view and side.
//!
//! A query costs a begin and an end, so it serves for comparison and not for culling. The polygons and depths are those
//! of [`raster`](super::raster). What the sweep leaves in a pixel is kept from one side only, the lowest depth or the
//! highest, as in a front or a back view; a triangle may touch it if in each view some pixel of it is above the lowest and
//! some pixel, perhaps another, below the highest. So queries see whatever the maps see, and a little more.

use super::raster::{ALONG_X, ALONG_Y, ALONG_Z, CELLS, MARK};
use crate::gpu::{Access, Depth, Drawing, Kernel, Slot, bind};

/// Keeps the lowest depths of the sweeps.
pub const LOWEST: Drawing = Drawing {
    vertices: Kernel {
        bindings: &[
            bind(0, "chunk", Access::Uniform, Slot::Chunk),
            bind(1, "tiles_drawn", Access::Read, Slot::Tiles),
            bind(3, "moving", Access::Read, Slot::Moving),
            bind(4, "links", Access::Read, Slot::Links),
            bind(5, "poses", Access::Read, Slot::Poses),
        ],
        ..CELLS.vertices
    },
    fragments: "lowest",
    depth: Some(Depth::KeepLowest),
};

/// Keeps the highest.
pub const HIGHEST: Drawing = Drawing { fragments: "highest", depth: Some(Depth::KeepHighest), ..LOWEST };

/// For each view, whether some pixel of a triangle is above the lowest depth.
pub const ABOVE: [Drawing; 3] = looks("highest", Depth::Above);

/// For each view, whether some pixel of a triangle is below the highest depth.
pub const BELOW: [Drawing; 3] = looks("lowest", Depth::Below);

const fn looks(fragments: &'static str, depth: Depth) -> [Drawing; 3] {
    const BINDINGS: &[crate::gpu::Binding] = &[
        bind(0, "chunk", Access::Uniform, Slot::Chunk),
        bind(1, "tiles_drawn", Access::Read, Slot::Tiles),
        bind(3, "candidates_drawn", Access::Read, Slot::Candidates),
        bind(5, "clusters", Access::Read, Slot::Clusters),
        bind(6, "scene_triangles", Access::Read, Slot::SceneTriangles),
        bind(7, "tile_of_drawn", Access::Read, Slot::TileOf),
        bind(8, "listed_drawn", Access::Read, Slot::Listed),
    ];
    const fn along(entry: &'static str, fragments: &'static str, depth: Depth) -> Drawing {
        let vertices = Kernel { entry, bindings: BINDINGS, workgroup: 0, has_pass: false, ..MARK };
        Drawing { vertices, fragments, depth: Some(depth) }
    }
    [
        along(ALONG_X.vertices.entry, fragments, depth),
        along(ALONG_Y.vertices.entry, fragments, depth),
        along(ALONG_Z.vertices.entry, fragments, depth),
    ]
}
