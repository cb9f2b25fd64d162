//! Experiments similar to those of Schröcker & Weber, section 6, whose data are not published: two octagons, and two
//! squares that are subdivided.

use super::metric::Feature;
use super::problem::{Course, Limits, Masses, Polygon, Problem};

/// The moving octagon.
const MOVING: [[f64; 2]; 8] =
    [[1.0, 0.1], [0.8, 0.7], [0.1, 1.0], [-0.6, 0.8], [-1.0, 0.2], [-0.9, -0.5], [-0.2, -0.9], [0.6, -0.8]];
/// The fixed octagon.
const FIXED: [[f64; 2]; 8] =
    [[1.1, 0.3], [0.6, 0.9], [-0.1, 1.1], [-0.8, 0.7], [-1.1, -0.1], [-0.7, -0.8], [0.0, -1.0], [0.8, -0.6]];

/// One per cent of the diameter: the resolution at which a search ends.
const DELTA_M: f64 = 0.02;

/// The paths of the experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Path of the octagons.
    Octagons,
    /// Path of the squares.
    Squares,
    /// A corner that passes a square.
    Corner,
}

impl Path {
    /// Returns the motion of degree eight, shifted by `shift_m`.
    pub fn course(self, shift_m: [f64; 3]) -> Course {
        let (quaternions, translations): ([[f64; 4]; 5], [[f64; 3]; 9]) = match self {
            Self::Octagons => (
                [
                    [1.0, 0.04, -0.03, 0.0],
                    [0.95, 0.03, 0.05, 0.25],
                    [0.85, 0.08, 0.02, 0.5],
                    [0.7, 0.02, 0.06, 0.7],
                    [0.5, 0.05, 0.03, 0.85],
                ],
                [
                    [-1.5, -0.6, 0.3],
                    [-1.2, -0.4, 0.28],
                    [-0.9, -0.5, 0.25],
                    [-0.4, -0.1, 0.24],
                    [0.0, 0.2, 0.24],
                    [0.4, 0.1, 0.24],
                    [0.9, 0.3, 0.25],
                    [1.2, 0.5, 0.28],
                    [1.5, 0.4, 0.3],
                ],
            ),
            Self::Squares => (
                [
                    [1.0, 0.1, -0.08, 0.0],
                    [0.95, 0.12, -0.05, 0.2],
                    [0.9, 0.18, -0.1, 0.3],
                    [0.8, 0.12, -0.12, 0.45],
                    [0.7, 0.1, -0.08, 0.6],
                ],
                [
                    [-1.0, -0.8, 1.0],
                    [-0.8, -0.6, 0.85],
                    [-0.6, -0.5, 0.7],
                    [-0.3, -0.2, 0.6],
                    [0.0, 0.0, 0.6],
                    [0.3, 0.2, 0.6],
                    [0.6, 0.5, 0.7],
                    [0.8, 0.6, 0.85],
                    [1.0, 0.8, 1.0],
                ],
            ),
            Self::Corner => (
                [
                    [1.0, -0.1, 0.1, 0.0],
                    [0.98, -0.12, 0.09, 0.02],
                    [0.97, -0.11, 0.11, 0.04],
                    [0.96, -0.1, 0.12, 0.02],
                    [0.95, -0.12, 0.1, 0.0],
                ],
                std::array::from_fn(|i| {
                    let i = i as f64;
                    [-3.0 + 0.3 * i, -0.6 - 0.3 * i, 0.5]
                }),
            ),
        };
        let shifted = |a: [f64; 3]| std::array::from_fn(|k| a[k] + shift_m[k]);
        Course::Rigid { quaternions: quaternions.to_vec(), translations: translations.map(shifted).to_vec() }
    }
}

fn limits() -> Limits {
    Limits { delta_m: DELTA_M, max_level: 10, first: true }
}

/// Returns the problem of the octagons. The masses are the eight corners, or with `ninth` these and a point off the
/// plane, as in the paper.
pub fn octagons(shift_m: [f64; 3], ninth: bool) -> Problem {
    let mean: [f64; 2] = std::array::from_fn(|k| MOVING.iter().map(|c| c[k]).sum::<f64>() / 8.0);
    let corners = MOVING.iter().map(|c| [c[0], c[1], 0.0]);
    let off = ninth.then_some([mean[0], mean[1], 0.1]);
    Problem {
        moving: vec![Polygon::Plane(MOVING.to_vec())],
        fixed: vec![FIXED.map(|[x, y]| [x, y, 0.0]).to_vec()],
        motion: Path::Octagons.course(shift_m),
        masses: Masses::Global(corners.chain(off).map(|at| Feature { at, weight: 1.0 }).collect()),
        limits: limits(),
    }
}

/// Returns the problem of two squares of side two, each cut into `k × k`. The masses are the points of the grid, or
/// with `inflation` each square's own corners, moved outward by that factor.
pub fn squares(path: Path, k: usize, shift_z_m: f64, inflation: Option<f64>) -> Problem {
    let at = |i: usize| -1.0 + 2.0 * i as f64 / k as f64;
    let cells = (0..k).flat_map(|i| (0..k).map(move |j| (i, j)));
    let corners =
        |(i, j): (usize, usize)| [[at(i), at(j)], [at(i + 1), at(j)], [at(i + 1), at(j + 1)], [at(i), at(j + 1)]];
    let grid = (0..=k).flat_map(|i| (0..=k).map(move |j| (i, j)));
    let points = grid.map(|(i, j)| Feature { at: [at(i), at(j), 0.0], weight: 1.0 });
    Problem {
        moving: cells.clone().map(|c| Polygon::Plane(corners(c).to_vec())).collect(),
        fixed: cells.map(|c| corners(c).map(|[x, y]| [x, y, 0.0]).to_vec()).collect(),
        motion: path.course([0.0, 0.0, shift_z_m]),
        masses: inflation
            .map_or_else(|| Masses::Global(points.collect()), |inflation| Masses::Individual { inflation }),
        limits: limits(),
    }
}
