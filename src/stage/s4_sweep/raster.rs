//! The drawn form of `s4_sweep` (Redon et al. 2004, section 4.2), as a guarantee.
//!
//! A piece and link with candidates gets a *tile*: three square maps, one seen along each coordinate axis, with the
//! lowest and highest depth of the link's swept volume in each pixel. They contain the paper's front and back views,
//! and also distinguish holes in front and behind.
//! 1. For each sub-interval that some candidate has, the silhouette of the rounded tetrahedron in which the link's
//!    line-swept sphere moves is drawn into the maps ([`Silhouette`]).
//! 2. Each triangle of each candidate is tested against the maps. It is visible in a view if there is a pixel in which
//!    its depths overlap those of the map.
//! 3. The bit of a triangle that is not visible in some view is cleared.
//!
//! **Nothing is missed.** Let `p` be a point of the triangle and of the swept volume. Then `p` is in the body of some
//! sub-interval, and in the tile, because the tile contains the link's boxes. In each view `p` is in some pixel's
//! square; the polygons of both the body and the triangle cover this pixel's centre; the depths of both in this pixel
//! contain that of `p`, and the steps of both the step of `p`; so they overlap, and the triangle is visible in every
//! view.
//!
//! The maps do not depend on time: a visible triangle keeps all of its sub-intervals.
//!
//! The reference here fills pixels whose centres are within the eight lines. The kernels leave this to the device's
//! rasteriser; everything else is the same.

use super::Input;
use crate::arith::linear::V3;
use crate::arith::real::Real;
use crate::enclosure::point_bound::PointBound;
use crate::predicate::separation::StaticTriangle;
use crate::predicate::silhouette::{Aim, Body, Frame, Silhouette};
use crate::scene::world::{CollisionWorld, SCENE_LEAF};
#[cfg(feature = "gpu")]
use crate::stage::kernel::{Kernel, RasterKernel, kernel, raster_kernel};
use crate::stage::{Candidate, SUBS, Subs};

/// Admissible numbers of pixels along a side of a tile.
pub const TILE_PIXELS: [u32; 3] = [16, 32, 64];
/// Default number of pixels along a side of a tile.
pub const DEFAULT_TILE_PIXELS: u32 = 32;
/// Steps of depth in a pixel.
pub const DEPTH_STEPS: f64 = 16.0;

/// Three maps of the depths of a link's swept volume in a piece.
#[derive(Clone, Debug)]
pub struct Tile {
    /// Pixels along a side.
    pub n: usize,
    /// The transform from metres to pixels.
    pub frame: Frame<f64>,
    /// For each view and pixel, row by row, the lowest and the highest step of depth, counted from 0; in an empty pixel
    /// the lowest is above the highest.
    pub maps: [Vec<[u32; 2]>; 3],
}

/// An empty pixel.
const NOTHING: [u32; 2] = [u32::MAX, 0];

impl Tile {
    /// The maps of a link in a piece during the sub-intervals of a mask; `None` if the mask is empty, or the link's box
    /// does not fit.
    pub fn of(input: &Input, piece: u32, link: u32, mask: u32, n: usize) -> Option<Self> {
        let Input { world, pieces, poses, .. } = *input;
        let mut tile = Self::empty(input, piece, link, mask, n)?;
        let (shape, h) = (&world.links[link as usize], pieces[piece as usize].half_sub());
        let bound = &poses.piece(piece as usize)[shape.body as usize];
        let ends = [shape.lss.a, shape.lss.b].map(|e| bound.point(V3::new(e), Subs::new(shape.reach_m)));
        for k in subs(mask) {
            let lane = |v: &V3<Subs>| V3(v.0.map(|x| x.0[k]));
            let ends = ends.map(|p| PointBound { c: p.c.map(|c| lane(&c)), ball: p.ball.0[k], cube: lane(&p.cube) });
            tile.fill(&Body::swept(&ends, shape.lss.radius, h));
        }
        Some(tile)
    }

    /// Like [`of`](Self::of), with empty maps.
    pub fn empty(input: &Input, piece: u32, link: u32, mask: u32, n: usize) -> Option<Self> {
        let boxes = input.boxes;
        let at = piece as usize * boxes.n_nodes + link as usize;
        let lane = |v: &V3<Subs>, k: usize| V3(v.0.map(|x| x.0[k]));
        let start = (V3([f64::INFINITY; 3]), V3([f64::NEG_INFINITY; 3]));
        let (lo, hi) =
            subs(mask).fold(start, |(lo, hi), k| (lo.min(lane(&boxes.lo[at], k)), hi.max(lane(&boxes.hi[at], k))));
        let half = 0.5 * n as f64;
        let frame = Frame::around(lo, hi, half);
        let fits = mask != 0 && frame.holds(lo, hi, half) != 0;
        fits.then(|| Self { n, frame, maps: std::array::from_fn(|_| vec![NOTHING; n * n]) })
    }

    /// Draws a body into the maps.
    pub fn fill(&mut self, body: &Body<f64>) {
        for (view, map) in self.maps.iter_mut().enumerate() {
            each_pixel(body, &self.frame, view, self.n, |pixel, [lo, hi]| {
                map[pixel] = [map[pixel][0].min(lo), map[pixel][1].max(hi)];
            });
        }
    }

    /// Returns whether a triangle is visible in the view along an axis.
    pub fn sees(&self, tri: &StaticTriangle<f64>, view: usize) -> bool {
        let mut seen = false;
        each_pixel(&Body::triangle(&tri.y, tri.error), &self.frame, view, self.n, |pixel, [lo, hi]| {
            let [below, above] = self.maps[view][pixel];
            seen |= below <= above && lo <= above && below <= hi;
        });
        seen
    }
}

/// The sub-intervals of a mask.
fn subs(mask: u32) -> impl Iterator<Item = usize> {
    (0..SUBS).filter(move |k| mask >> k & 1 != 0)
}

/// Calls `with` for each pixel that may contain a part of a body, with the steps of its depth there.
fn each_pixel(body: &Body<f64>, frame: &Frame<f64>, view: usize, n: usize, mut with: impl FnMut(usize, [u32; 2])) {
    let half = 0.5 * n as f64;
    let shape = Silhouette::of(body, frame, view, half, &Aim::at(body, frame, view));
    let normals = shape.normals();
    for row in 0..n {
        let up = row as f64 + 0.5 - half;
        // The range of pixel centres of this row that are within the lines.
        let (mut from, mut to) = (-half, half);
        for (k, reach) in shape.reach.iter().enumerate() {
            let sign = if k < 4 { 1.0 } else { -1.0 };
            let (slope, left) = (sign * normals[k % 4][0], reach - sign * normals[k % 4][1] * up);
            if slope > 1e-9 {
                to = f64::min(to, left / slope);
            } else if slope < -1e-9 {
                from = f64::max(from, left / slope);
            } else if left < -1e-6 {
                to = -half;
            }
        }
        let first = (from + half - 0.5).ceil().max(0.0) as usize;
        let end = ((to + half + 0.5).floor().max(0.0) as usize).min(n);
        for column in first..end {
            let [near, far] = shape.span([column as f64 + 0.5 - half, up]);
            let step = |z: f64| ((z + half).clamp(0.0, n as f64) * DEPTH_STEPS) as u32;
            let [lo, hi] = [step(near), step(far)];
            if lo <= hi {
                with(row * n + column, [lo, hi]);
            }
        }
    }
}

/// The stage in f64. Consecutive candidates of a piece and link share a tile.
pub fn reference(input: &Input, candidates: &mut [Candidate], n: usize) {
    clear_unseen(input.world, candidates, |piece, link, mask| Tile::of(input, piece, link, mask, n));
}

/// Clears the triangles of candidates that are not visible in the maps of their piece and link. Without maps they are
/// kept.
pub fn clear_unseen(
    world: &CollisionWorld,
    candidates: &mut [Candidate],
    maps: impl Fn(u32, u32, u32) -> Option<Tile>,
) {
    for group in candidates.chunk_by_mut(|a, b| (a.piece, a.link) == (b.piece, b.link)) {
        let Candidate { piece, link, .. } = group[0];
        let mask = group.iter().filter(|c| c.is_open()).fold(0, |mask, c| mask | c.mask);
        let Some(tile) = maps(piece, link, mask) else { continue };
        for c in group {
            narrow(world, &tile, c);
        }
    }
}

fn narrow(world: &CollisionWorld, tile: &Tile, candidate: &mut Candidate) {
    let mut seen = 0;
    for (bit, y) in world.scene.tree.leaf(candidate.cluster).enumerate() {
        let tri = world.scene.standing(y);
        let wanted = candidate.triangles >> bit & 1 != 0;
        seen |= u32::from(wanted && (0..3).all(|view| tile.sees(&tri, view))) << bit;
    }
    candidate.triangles = seen;
    if seen == 0 {
        candidate.mask = 0;
    }
}

/// The maps of a link in a piece as fractions of the tile's depth: for each view, row by row from below, the beginning
/// and end of the link's swept volume, or `None`. For pictures.
pub fn tiles(input: &Input, piece: u32, link: u32, mask: u32, n: usize) -> Option<[Vec<Option<[f64; 2]>>; 3]> {
    let tile = Tile::of(input, piece, link, mask, n)?;
    let steps = n as f64 * DEPTH_STEPS;
    let share = |[lo, hi]: [u32; 2]| (lo <= hi).then(|| [lo, hi].map(|step| (f64::from(step) / steps).min(1.0)));
    Some(tile.maps.map(|map| map.into_iter().map(share).collect()))
}

/// Marks the links of pieces that need a tile, and the sub-intervals in which they do, and lists the triangles.
#[cfg(feature = "gpu")]
pub const MARK: Kernel = kernel!("s4_sweep_raster", "mark");
/// Assigns tiles.
#[cfg(feature = "gpu")]
pub const FRAME: Kernel = kernel!("s4_sweep_raster", "frame");
/// Clears the tiles.
#[cfg(feature = "gpu")]
pub const CLEAR: Kernel = kernel!("s4_sweep_raster", "clear");
/// Releases tiles in which the ends of the link are missing, so that a device that loses draw calls costs time, but
/// never a collision.
#[cfg(feature = "gpu")]
pub const VERIFY: Kernel = kernel!("s4_sweep_raster", "verify");
/// Clears the bits of triangles that are not visible in the last view.
#[cfg(feature = "gpu")]
pub const NARROW: Kernel = kernel!("s4_sweep_raster", "narrow");
/// Draws the volumes that the links sweep: one instance per tile, view and sub-interval.
#[cfg(feature = "gpu")]
pub const CELLS: RasterKernel = raster_kernel!("s4_sweep_raster", "cell", "fill");
/// Draws the candidates' triangles in the view along x: one instance per list entry.
#[cfg(feature = "gpu")]
pub const ALONG_X: RasterKernel = raster_kernel!("s4_sweep_raster", "along_x", "look");
/// Draws the candidates' triangles in the view along y.
#[cfg(feature = "gpu")]
pub const ALONG_Y: RasterKernel = raster_kernel!("s4_sweep_raster", "along_y", "look");
/// Draws the candidates' triangles in the view along z.
#[cfg(feature = "gpu")]
pub const ALONG_Z: RasterKernel = raster_kernel!("s4_sweep_raster", "along_z", "look");

/// Vertices of each polygon, as a strip.
pub const POLYGON_VERTICES: u32 = 8;
/// Instances of [`CELLS`] for each tile.
pub const CELLS_PER_TILE: u32 = 3 * SUBS as u32;
/// Number of positions of triangles in a candidate, used for counting the list.
pub const PLACES: u32 = SCENE_LEAF;
