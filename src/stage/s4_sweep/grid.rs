//! A grid of 16³ voxels around what a link sweeps in a piece, each with the sub-intervals in which the link may touch it. A
//! triangle keeps the sub-intervals of the voxels that it may touch.

use super::Input;
use super::compute::{Cell, HALF};
use crate::gpu::{Access, Kernel, Slot, bind};
use crate::numeric::linear::V3;
use crate::numeric::separation::{StandingTriangle, boxes_miss};
use crate::numeric::vectors::{Vector, Vectorised, WIDTH, widest};
use crate::numeric::voxels::{SIDE, Voxels};
use crate::stage::{Candidate, SUBS, Subs};

/// The voxels of a link in a piece.
pub struct Grid {
    voxels: Voxels<f64>,
    /// The sub-intervals of each voxel, x fastest.
    masks: Vec<u16>,
}

impl Grid {
    /// Fills the grid from the link's cells.
    pub fn new(cell: &Cell) -> Self {
        let least = |x: &Subs| x.0.iter().fold(f64::INFINITY, |m, v| m.min(*v));
        let most = |x: &Subs| x.0.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
        let (lo, hi) = &cell.in_box;
        let voxels = Voxels::around(V3(lo.0.each_ref().map(least)), V3(hi.0.each_ref().map(most)));
        let mut masks = vec![0; SIDE * SIDE * SIDE];
        for half in 0..SUBS / WIDTH {
            widest(Fill { cell, voxels: &voxels, masks: &mut masks, half });
        }
        Self { voxels, masks }
    }

    /// The sub-intervals of `mask` in which a triangle may touch what the link sweeps.
    pub fn may_touch(&self, cell: &Cell, tri: &StandingTriangle<f64>, mask: u32) -> u32 {
        let (lo, hi) = tri.bounds();
        let mask = mask & !boxes_miss(&cell.in_box, &(lo, hi));
        if mask == 0 {
            return 0;
        }
        let [xs, ys, zs] = [0, 1, 2].map(|i| self.voxels.slots(i, lo.0[i], hi.0[i]));
        let mut left = 0;
        for z in zs[0]..=zs[1] {
            for y in ys[0]..=ys[1] {
                for x in xs[0]..=xs[1] {
                    let touched = u32::from(self.masks[(z * SIDE + y) * SIDE + x]);
                    if touched & mask & !left != 0 && self.voxels.plane_misses(self.voxels.centre([x, y, z]), tri) == 0
                    {
                        left |= touched;
                    }
                }
            }
        }
        left & mask
    }
}

/// Fills the grid with one half of the sub-intervals.
struct Fill<'a> {
    cell: &'a Cell,
    voxels: &'a Voxels<f64>,
    masks: &'a mut [u16],
    half: usize,
}

impl Vectorised for Fill<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        let vector = |v: V3<f64>| V3(v.0.map(T::new));
        let wide = Voxels { lo: vector(self.voxels.lo), step: vector(self.voxels.step) };
        let (ends, around) = (self.cell.ends::<T>(self.half), self.cell.around::<T>(self.half));
        let (radius, h) = (T::new(self.cell.radius_m), T::new(self.cell.h));
        for (i, mask) in self.masks.iter_mut().enumerate() {
            let centre = vector(self.voxels.centre([i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)]));
            let misses = wide.swept_misses(centre, &ends, radius, h, &around);
            *mask |= ((HALF & !misses) << (self.half * WIDTH)) as u16;
        }
    }
}

/// The form in f64.
pub fn reference(input: &Input, candidates: &mut [Candidate]) {
    super::clear(input, candidates, Grid::new, |cell, grid, tri, mask| grid.may_touch(cell, tri, mask));
}

const SOURCE: &str = include_str!("../../../wgsl/s4_sweep.wgsl");

/// The kernel that strings the candidates of each piece and link together.
pub const LISTS: Kernel = Kernel {
    stem: "s4_sweep",
    source: SOURCE,
    entry: "lists_of_links",
    workgroup: 64,
    bindings: &[
        bind(0, "chunk", Access::Uniform, Slot::Chunk),
        bind(3, "control", Access::ReadWrite, Slot::Control),
        bind(6, "candidates", Access::ReadWrite, Slot::Candidates),
        bind(8, "lists", Access::ReadWrite, Slot::Lists),
    ],
    has_pass: true,
};

/// The kernel of the grid: a workgroup for each piece and link.
pub const KERNEL: Kernel = Kernel {
    entry: "voxels",
    bindings: &[
        bind(0, "chunk", Access::Uniform, Slot::Chunk),
        bind(1, "moving", Access::Read, Slot::Moving),
        bind(2, "scene_triangles", Access::Read, Slot::SceneTriangles),
        bind(3, "control", Access::ReadWrite, Slot::Control),
        bind(4, "poses", Access::Read, Slot::Poses),
        bind(5, "clusters", Access::Read, Slot::Clusters),
        bind(6, "candidates", Access::ReadWrite, Slot::Candidates),
        bind(7, "links", Access::Read, Slot::Links),
        bind(8, "lists", Access::ReadWrite, Slot::Lists),
    ],
    ..LISTS
};
