//! The tessellated volume in the maps of the drawn form: culling as in the paper, but without missing geometry.
//!
//! The paper draws the tessellation and accepts that geometry within `ε` of the volume may be missed. Here every
//! triangle is widened by `ε` in all directions, and the pixel keeps the whole range of depths.
//!
//! **Nothing is missed.** Let `p` be in the volume `V` and in a pixel's square of some view. The line through `p` along
//! the view leaves `V`, which is bounded, at a point of its boundary before `p` and at another behind it. Both are
//! within `ε` of some triangle (statement 1), so both widened triangles are drawn in this pixel, and the range of
//! depths that they span together contains that of `p`. The rest of the proof is that of [`raster`].
//!
//! If there is no tessellation (`ε` is too near the rounding error, or there are too many triangles), candidates are
//! kept.

use super::tessellate;
use crate::arith::linear::V3;
use crate::bvh::lss::Lss;
use crate::predicate::silhouette::Body;
use crate::stage::Candidate;
use crate::stage::s4_sweep::Input;
use crate::stage::s4_sweep::raster::{self, Tile};

/// The deviation, in pixels of the tile's longest side: a finer surface would make no visible difference.
const EPSILON_PIXELS: f64 = 0.5;

/// The form in f64, with tiles of `n` pixels per side. Consecutive candidates of a piece and link share a tile.
pub fn reference(input: &Input, candidates: &mut [Candidate], n: usize) {
    raster::clear_unseen(input.world, candidates, |piece, link, mask| tile(input, piece, link, mask, n));
}

/// The maps of a link's swept volume in a whole piece, drawn from the paper's tessellation. The sub-intervals of the
/// mask only determine the position of the tile.
fn tile(input: &Input, piece: u32, link: u32, mask: u32, n: usize) -> Option<Tile> {
    let mut tile = Tile::empty(input, piece, link, mask, n)?;
    let (piece, shape) = (&input.pieces[piece as usize], &input.world.links[link as usize]);
    let motion = input.motions.get(piece.motion as usize)?;
    let [x, y, z] = tile.frame.scale.0;
    let epsilon_m = EPSILON_PIXELS / x.min(y).min(z);
    // Distances within the margin count as touching.
    let lss = Lss { radius: shape.lss.radius + motion.chains[shape.body as usize].margin_m, ..shape.lss };
    let surface = tessellate(motion, shape.body, &lss, [piece.t0, piece.t1], epsilon_m).ok()?;
    for triangle in &surface.triangles {
        tile.fill(&Body::triangle(&triangle.map(V3::new), epsilon_m));
    }
    Some(tile)
}
