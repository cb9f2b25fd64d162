//! A convex plane polygon with masses, and its image under a ball of displacements.
//!
//! The corners are given in the plane of the polygon's frame. A triangle in space is the polygon `(0,0), (1,0), (0,1)`
//! with a frame that is not a rotation: nothing here requires one.

use super::enclosure::{Enclosure, MAX_COORDINATE, Map, Vector, exact, middle, root_above, square};
use super::metric::{Feature, Metric};
use super::plane::Ball;
use crate::error::{Error, Result};

/// A moving polygon.
#[derive(Clone, Debug)]
pub struct Face {
    /// The corners in the plane of the frame, anticlockwise and strictly convex.
    pub corners: Vec<[f64; 2]>,
    /// Map from the plane to the body's frame.
    pub frame: Map,
    /// The metric of its feature points, which are also given in the frame.
    pub metric: Metric,
    /// `ρ²` at the corners.
    pub rho2: Vec<Enclosure>,
    /// The largest `ρ`; it is at a corner because `ρ` is convex.
    pub rho_max: f64,
    /// `ρ²` along each edge.
    pub edges: Vec<EdgeMetric>,
    /// `J⁻¹` times the vector from the barycentre to the first corner.
    pub lean: Vector,
}

/// The distortion rate along an edge, starting at its first corner `a`: `ρ²(a + τ d) = ρ²(a) + B τ + A τ²`. It
/// depends only on the body, and is valid for all motions.
#[derive(Clone, Copy, Debug)]
pub struct EdgeMetric {
    /// The edge `d`, in the plane of the frame.
    pub along: [Enclosure; 2],
    /// `A = dᵀ J⁻¹ d`.
    pub stretch: Enclosure,
    /// `B/2 = (a - s)ᵀ J⁻¹ d`.
    pub lean: Enclosure,
}

impl Face {
    /// Creates a polygon in the plane of `frame`, with the metric of some feature points.
    ///
    /// # Errors
    /// There are fewer than three corners, a coordinate is too large, the polygon is not strictly convex and
    /// anticlockwise, or the feature points do not determine its plane.
    pub fn new(corners: Vec<[f64; 2]>, frame: Map, metric: Metric) -> Result<Self> {
        check_convex(&corners)?;
        let rho2: Vec<_> = corners.iter().map(|c| metric.rho2(in_plane(*c))).collect();
        let rho_max = rho2.iter().map(|r| root_above(*r)).fold(0.0, f64::max);
        if !rho_max.is_finite() {
            return Err(Error::input("the feature points do not determine the plane of the polygon"));
        }
        let edge = |i: usize| {
            let [a, b] = [i, (i + 1) % corners.len()].map(|k| in_plane(corners[k]));
            let along = b - a;
            let bent = metric.distort(along);
            EdgeMetric {
                along: [along.0[0], along.0[1]],
                stretch: along.dot(bent),
                lean: (a - metric.centre).dot(bent),
            }
        };
        let edges = (0..corners.len()).map(edge).collect();
        let lean = metric.distort(in_plane(corners[0]) - metric.centre);
        Ok(Self { corners, frame, metric, rho2, rho_max, edges, lean })
    }

    /// Creates a triangle of a body; its feature points are the corners, moved away from their mean by the factor
    /// `inflation`.
    ///
    /// # Errors
    /// As [`Face::new`] and [`Metric::new`].
    pub fn triangle(corners: [[f64; 3]; 3], inflation: f64) -> Result<Self> {
        let plane = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        Self::new(plane.to_vec(), Map::of_triangle(corners), Metric::new(&inflated(&plane, inflation))?)
    }
}

/// Returns feature points of unit weight at the corners of a polygon, moved away from their mean by a factor.
pub fn inflated(corners: &[[f64; 2]], inflation: f64) -> Vec<Feature> {
    let n = corners.len() as f64;
    let mean: [f64; 2] = std::array::from_fn(|i| corners.iter().map(|c| c[i]).sum::<f64>() / n);
    let moved = |c: &[f64; 2]| std::array::from_fn::<f64, 2, _>(|i| mean[i] + inflation * (c[i] - mean[i]));
    corners.iter().map(moved).map(|[x, y]| Feature { at: [x, y, 0.0], weight: 1.0 }).collect()
}

/// Checks that a polygon in the plane is certainly strictly convex and anticlockwise.
///
/// # Errors
/// The polygon is not, or this is uncertain.
pub fn check_convex(corners: &[[f64; 2]]) -> Result<()> {
    let n = corners.len();
    if n < 3 {
        return Err(Error::input(format!("a polygon has only {n} corners")));
    }
    if corners.iter().flatten().any(|x| !(x.abs() <= MAX_COORDINATE)) {
        return Err(Error::input("a coordinate is not finite or beyond 10^6"));
    }
    let point = |i: usize| corners[i % n];
    let edge = |i: usize| {
        let (a, b) = (point(i), point(i + 1));
        [exact(b[0]) - exact(a[0]), exact(b[1]) - exact(a[1])]
    };
    // All turns are to the left, and all corners are to the left of every edge, so the boundary winds around once.
    for i in 0..n {
        let (e, f) = (edge(i), edge(i + 1));
        if !((e[0] * f[1] - e[1] * f[0]).lo > 0.0) {
            let message = "the polygon is not strictly convex and anticlockwise";
            return Err(Error::input(message).at(format!("corner {}", (i + 1) % n)));
        }
        for k in i + 2..i + n {
            let d = [exact(point(k)[0]) - exact(point(i)[0]), exact(point(k)[1]) - exact(point(i)[1])];
            if !((e[0] * d[1] - e[1] * d[0]).lo > 0.0) {
                return Err(Error::input("the polygon winds around more than once").at(format!("corner {}", k % n)));
            }
        }
    }
    Ok(())
}

/// Returns a point of a frame's plane.
pub(super) fn in_plane([x, y]: [f64; 2]) -> Vector {
    Vector::exact([x, y, 0.0])
}

/// A polygon that does not move.
#[derive(Clone, Debug)]
pub struct Fixed {
    /// The corners of a planar, convex polygon, in world coordinates, metres.
    pub corners: Vec<Vector>,
    /// The corners as plain numbers, for computations that need not be exact.
    pub about: Vec<[f64; 3]>,
}

impl Fixed {
    /// Creates a polygon in a plane `z = const`, or any triangle: both are exactly planar.
    ///
    /// # Errors
    /// A coordinate is not finite or beyond 10⁶ m, or the polygon is neither of these, or is not strictly convex and
    /// anticlockwise.
    pub fn new(corners: &[[f64; 3]]) -> Result<Self> {
        if corners.iter().flatten().any(|x| !(x.abs() <= MAX_COORDINATE)) {
            return Err(Error::input("a coordinate is not finite or beyond 10^6"));
        }
        if corners.len() != 3 {
            if corners.iter().any(|c| c[2] != corners[0][2]) {
                return Err(Error::input("a polygon with more than three corners must be in a plane z = const"));
            }
            check_convex(&corners.iter().map(|c| [c[0], c[1]]).collect::<Vec<_>>())?;
        }
        Ok(Self { corners: corners.iter().map(|c| Vector::exact(*c)).collect(), about: corners.to_vec() })
    }

    /// Returns the two corners of an edge.
    pub fn edge(&self, j: usize) -> [usize; 2] {
        [j, (j + 1) % self.corners.len()]
    }
}

/// A face under a ball of displacements: fat vertices, edges and a fat polygon.
#[derive(Clone, Debug)]
pub struct FatFace<'f> {
    /// The polygon.
    pub face: &'f Face,
    /// The images of the corners under the centre.
    pub corners: Vec<Vector>,
    /// The images as plain numbers.
    pub about: Vec<[f64; 3]>,
    /// The images of the plane's two basis vectors.
    pub basis: [Vector; 2],
    /// The squared radius of the ball of displacements.
    pub radius2: Enclosure,
}

impl<'f> FatFace<'f> {
    /// Creates the face under the ball around `centre`, a map of the plane of the face's frame.
    pub fn new(face: &'f Face, centre: &Map, radius: f64) -> Self {
        let corners: Vec<_> = face.corners.iter().map(|c| centre.point(in_plane(*c))).collect();
        let about = corners.iter().map(|c| c.0.map(middle)).collect();
        Self { face, corners, about, basis: [centre.e[0], centre.e[1]], radius2: square(exact(radius)) }
    }

    /// Returns the fat vertex `i`, a ball.
    pub fn ball(&self, i: usize) -> Ball {
        (self.corners[i], self.radius2 * self.face.rho2[i])
    }

    /// Returns all fat vertices.
    pub fn balls(&self) -> Vec<Ball> {
        (0..self.corners.len()).map(|i| self.ball(i)).collect()
    }

    /// Returns the two corners of an edge.
    pub fn edge(&self, i: usize) -> [usize; 2] {
        [i, (i + 1) % self.corners.len()]
    }
}
