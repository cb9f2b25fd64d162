//! Boxes, cylinders, spheres and capsules as triangles that enclose them.
//!
//! Let `r` be the radius and `e` the chord error. The true shape lies inside the tessellation, and no point of the
//! tessellation is farther than `e` outside the true shape:
//!
//! * *Box*: its own twelve triangles, `e = 0`.
//! * *Cylinder*: a prism over a regular n-gon of circumradius `R` and apothem `R cos(pi/n)`. With
//!   `R = r / cos(pi/n)` the apothem is `r`, so the polygon contains the disc; its points are at most `R` from the
//!   axis, so at most `R - r` outside. The smallest `n >= 3` with `R - r <= e` is taken. The end faces coincide.
//! * *Sphere*: a polyhedron about the centre with all vertices at distance `R`, star-shaped from the centre (the faces
//!   project onto the cells of a grid on the sphere). Let `d` be the smallest distance of a face's plane from the
//!   centre, for `R = 1`. A surface point lies in a face, so at least `R d` and at most `R` from the centre. With
//!   `R = r / d` the ball lies inside, and nothing is more than `R - r` outside. The grid's frequency is the smallest
//!   with `R - r <= e`.
//! * *Capsule*: the sphere, cut at its equator, which is a line of the grid, with quadrilaterals between the halves.
//!   At the ends the sphere's argument holds. The plane of a quadrilateral is parallel to the axis and contains an
//!   equatorial edge; that edge belongs to a face of the sphere, so it is at least `r` and at most `R` from the axis.
//!
//! `R` is made larger by the factor `1 + 2^-40`, which covers the roundings of its computation and of the vertices
//! (some 2^-50) and is part of `R` where `R - r <= e` is tested.

use crate::error::{Error, Result};
use crate::robot::Triangle;
use glam::DVec3;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// A primitive shape, with its centre at the origin and its axis along z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Primitive {
    /// A cuboid.
    Box {
        /// Edge lengths, metres.
        size_m: DVec3,
    },
    /// A circular cylinder with flat ends.
    Cylinder {
        /// Radius, metres.
        radius_m: f64,
        /// Distance from end to end, metres.
        length_m: f64,
    },
    /// A ball.
    Sphere {
        /// Radius, metres.
        radius_m: f64,
    },
    /// A cylinder with half balls on its ends.
    Capsule {
        /// Radius, metres.
        radius_m: f64,
        /// Length of the cylinder alone, metres.
        length_m: f64,
    },
}

/// Default of the largest distance between a tessellation and the shape inside it, metres.
pub const CHORD_ERROR_M: f64 = 1e-3;

/// Maximum number of triangles of one shape; more indicate a mistake in the chord error or the size.
const MAX_TRIANGLES: usize = 1 << 20;

/// Factor that enlarges a radius beyond all rounding errors.
const SLACK: f64 = 1.0 + 1.0 / (1u64 << 40) as f64;

impl Primitive {
    /// A closed surface of triangles around the shape, counterclockwise seen from outside, nowhere more than
    /// `chord_error_m` metres away from it.
    ///
    /// # Errors
    /// A size or the chord error is not a positive number, or the chord error requires too many triangles.
    pub fn triangles(&self, chord_error_m: f64) -> Result<Vec<Triangle>> {
        let positive = |what: &str, x: f64| {
            if x > 0.0 && x.is_finite() {
                return Ok(());
            }
            Err(Error::input(format!("{what} is {x:?} m: it must be positive")))
        };
        positive("the chord error", chord_error_m)?;
        match *self {
            Self::Box { size_m } => {
                size_m.to_array().into_iter().try_for_each(|x| positive("an edge of the box", x))?;
                Ok(cuboid(size_m * 0.5))
            }
            Self::Cylinder { radius_m, length_m } => {
                positive("the length of the cylinder", length_m)?;
                positive("the radius of the cylinder", radius_m)?;
                cylinder(radius_m, length_m * 0.5, chord_error_m)
            }
            Self::Sphere { radius_m } => {
                positive("the radius of the sphere", radius_m)?;
                ball(radius_m, 0.0, chord_error_m)
            }
            Self::Capsule { radius_m, length_m } => {
                positive("the length of the capsule", length_m)?;
                positive("the radius of the capsule", radius_m)?;
                ball(radius_m, length_m * 0.5, chord_error_m)
            }
        }
    }
}

fn too_fine(radius_m: f64, chord_error_m: f64) -> Error {
    let message =
        format!("a chord error of {chord_error_m:?} m on a radius of {radius_m:?} m requires too many triangles");
    Error::input(message).remedy("raise --chord-error")
}

/// Half the central angle of a chord of a circle of radius `r + e` that touches the circle of radius `r`:
/// `cos(angle) = r / (r + e)`, written so that nothing cancels.
fn half_angle(r: f64, e: f64) -> f64 {
    2.0 * (0.5 * (e / (r + e))).sqrt().asin()
}

fn cuboid(half: DVec3) -> Vec<Triangle> {
    let corner = |i: usize| half * DVec3::new(sign(i & 1), sign(i & 2), sign(i & 4));
    // Bits 0, 1, 2 of a corner's number are +x, +y, +z.
    const FACES: [[usize; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    FACES.iter().flat_map(|f| quad(f.map(corner))).collect()
}

fn sign(bit: usize) -> f64 {
    if bit == 0 { -1.0 } else { 1.0 }
}

fn quad([a, b, c, d]: [DVec3; 4]) -> [Triangle; 2] {
    [[a, b, c], [a, c, d]]
}

fn cylinder(r: f64, half_length: f64, e: f64) -> Result<Vec<Triangle>> {
    let circumradius = |n: usize| r / (PI / n as f64).cos() * SLACK;
    let largest = MAX_TRIANGLES / 4;
    let estimate = (PI / half_angle(r, e)).ceil();
    let first = if estimate < largest as f64 { (estimate as usize).max(3) } else { largest };
    let n = (first..largest).find(|&n| circumradius(n) - r <= e).ok_or_else(|| too_fine(r, e))?;
    let rim = |i: usize, z: f64| {
        let (sin, cos) = (2.0 * PI * (i % n) as f64 / n as f64).sin_cos();
        DVec3::new(circumradius(n) * cos, circumradius(n) * sin, z)
    };
    let (top, bottom) = (DVec3::new(0.0, 0.0, half_length), DVec3::new(0.0, 0.0, -half_length));
    let mut triangles = Vec::with_capacity(4 * n);
    for i in 0..n {
        let [a, b] = [rim(i, -half_length), rim(i + 1, -half_length)];
        let [c, d] = [rim(i + 1, half_length), rim(i, half_length)];
        triangles.extend(quad([a, b, c, d]));
        triangles.extend([[top, d, c], [bottom, b, a]]);
    }
    Ok(triangles)
}

/// A sphere, or a capsule whose half balls are `half_length` from the middle.
fn ball(r: f64, half_length: f64, e: f64) -> Result<Vec<Triangle>> {
    // An equatorial edge spans pi / 2f and must satisfy the bound, so the search begins with the smallest such f.
    let estimate = (FRAC_PI_4 / half_angle(r, e)).ceil();
    let largest = (MAX_TRIANGLES / 8).isqrt();
    let first = if estimate < largest as f64 { (estimate as usize).max(1) } else { largest };
    let mut frequencies = (first..largest).map(|f| (Octant { f }, r / Octant { f }.smallest_plane_distance() * SLACK));
    let (octant, radius) = frequencies.find(|(_, radius)| radius - r <= e).ok_or_else(|| too_fine(r, e))?;

    let mut triangles = Vec::with_capacity(8 * octant.f * (octant.f + 1));
    for i in 0..8 {
        let signs = DVec3::new(sign(i & 1), sign(i & 2), sign(i & 4));
        let is_mirrored = signs.element_product() < 0.0;
        // Adding zero turns -0 into 0.
        let place = |u: DVec3, side: f64| u * signs * radius + DVec3::new(0.0, 0.0, side * half_length);
        let turn = |[a, b, c]: Triangle| if is_mirrored { [a, c, b] } else { [a, b, c] };
        triangles.extend(octant.faces().map(|face| turn(face.map(|u| place(u, signs.z)))));
        if half_length > 0.0 && signs.z > 0.0 {
            for k in 0..octant.f {
                let [a, b] = [octant.point(octant.f - k, k), octant.point(octant.f - k - 1, k + 1)];
                let side = quad([place(a, -1.0), place(b, -1.0), place(b, 1.0), place(a, 1.0)]);
                triangles.extend(side.map(turn));
            }
        }
    }
    Ok(triangles)
}

/// The part of a grid of triangles on the unit sphere with non-negative x, y, z: `f` edges on each side.
#[derive(Clone, Copy)]
struct Octant {
    f: usize,
}

impl Octant {
    /// Grid point `a` steps towards x, `b` towards y, the rest towards z. On the equators the points are equidistant.
    fn point(self, a: usize, b: usize) -> DVec3 {
        let sine = |i: usize| (FRAC_PI_2 * i as f64 / self.f as f64).sin();
        DVec3::new(sine(a), sine(b), sine(self.f - a - b)).normalize()
    }

    fn faces(self) -> impl Iterator<Item = Triangle> {
        let f = self.f;
        let cell = move |a: usize, b: usize| {
            let upright = [self.point(a + 1, b), self.point(a, b + 1), self.point(a, b)];
            let inverted =
                (a + b + 2 <= f).then(|| [self.point(a + 1, b + 1), self.point(a, b + 1), self.point(a + 1, b)]);
            [Some(upright), inverted].into_iter().flatten()
        };
        (0..f).flat_map(move |a| (0..f - a).flat_map(move |b| cell(a, b)))
    }

    fn smallest_plane_distance(self) -> f64 {
        let distance = |[a, b, c]: Triangle| (b - a).cross(c - a).normalize().dot(a).abs();
        self.faces().map(distance).fold(1.0, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    /// The distance outside the true shape; negative or zero inside.
    fn outside(shape: &Primitive, p: DVec3) -> f64 {
        match *shape {
            Primitive::Box { size_m } => (p.abs() - size_m * 0.5).max_element(),
            Primitive::Cylinder { radius_m, length_m } => {
                let (radial, axial) = (p.truncate().length() - radius_m, p.z.abs() - length_m * 0.5);
                if radial.min(axial) > 0.0 { radial.hypot(axial) } else { radial.max(axial) }
            }
            Primitive::Sphere { radius_m } => p.length() - radius_m,
            Primitive::Capsule { radius_m, length_m } => {
                let on_axis = p.z.clamp(-length_m * 0.5, length_m * 0.5);
                (p - DVec3::new(0.0, 0.0, on_axis)).length() - radius_m
            }
        }
    }

    fn shapes(scale: f64) -> [Primitive; 6] {
        [
            Primitive::Box { size_m: DVec3::new(1.0, 0.3, 2.0) * scale },
            Primitive::Cylinder { radius_m: 0.1 * scale, length_m: 0.4 * scale },
            Primitive::Cylinder { radius_m: 2.0 * scale, length_m: 0.01 * scale },
            Primitive::Sphere { radius_m: 0.3 * scale },
            Primitive::Capsule { radius_m: 0.05 * scale, length_m: 0.7 * scale },
            Primitive::Capsule { radius_m: 0.5 * scale, length_m: 0.001 * scale },
        ]
    }

    #[test]
    fn encloses_the_shape_within_the_chord_error() {
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        for (scale, e) in [(1.0, 1e-3), (1.0, 1e-2), (1.0, 10.0), (1e-3, 1e-3), (0.01, 1e-6), (300.0, 0.05)] {
            for shape in shapes(scale) {
                let triangles = shape.triangles(e).unwrap();
                assert!(triangles.len() < 40_000, "{shape:?}: {} triangles", triangles.len());
                // No point of the tessellation is farther out than the chord error.
                for triangle in &triangles {
                    for _ in 0..8 {
                        let [u, v]: [f64; 2] = [rng.random(), rng.random()];
                        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
                        let p = triangle[0] * (1.0 - u - v) + triangle[1] * u + triangle[2] * v;
                        let distance = outside(&shape, p);
                        assert!(distance <= e * (1.0 + 1e-12), "{shape:?}, {e}: {distance}");
                        // No point is inside either: otherwise the shape would protrude there.
                        assert!(distance >= -1e-14 * scale, "{shape:?}, {e}: {distance}");
                    }
                }
                // The true shape is behind the plane of every triangle: sampled where it touches, along the normals.
                for [a, b, c] in triangles {
                    let normal = (b - a).cross(c - a).normalize();
                    let support = farthest(&shape, normal);
                    assert!((support - a).dot(normal) <= 1e-15 * scale, "{shape:?}, {e}: sticks out");
                    for _ in 0..4 {
                        let direction = DVec3::new(rng.random(), rng.random(), rng.random()) - 0.5;
                        let p = farthest(&shape, direction.normalize());
                        assert!((p - a).dot(normal) <= 1e-15 * scale, "{shape:?}, {e}: sticks out");
                    }
                }
            }
        }
    }

    /// The point of the shape that is farthest along a direction.
    fn farthest(shape: &Primitive, n: DVec3) -> DVec3 {
        let end = |half: f64| DVec3::new(0.0, 0.0, half * n.z.signum());
        match *shape {
            Primitive::Box { size_m } => size_m * 0.5 * n.signum(),
            Primitive::Cylinder { radius_m, length_m } => {
                (n.truncate().normalize_or_zero() * radius_m).extend(0.0) + end(length_m * 0.5)
            }
            Primitive::Sphere { radius_m } => n * radius_m,
            Primitive::Capsule { radius_m, length_m } => n * radius_m + end(length_m * 0.5),
        }
    }

    #[test]
    fn is_closed_and_turned_outwards() {
        for shape in shapes(1.0) {
            let triangles = shape.triangles(1e-2).unwrap();
            let mut scene = crate::scene::Scene::new();
            let volume: f64 = triangles.iter().map(|t| t[0].dot(t[1].cross(t[2])) / 6.0).sum();
            let object = scene.add_object("shape", triangles).unwrap();
            assert!(scene.is_closed(object), "{shape:?}");
            assert!(volume > 0.0, "{shape:?}: {volume}");
        }
    }

    #[test]
    fn takes_few_triangles() {
        let count = |shape: Primitive| shape.triangles(CHORD_ERROR_M).unwrap().len();
        assert_eq!(count(Primitive::Box { size_m: DVec3::ONE }), 12);
        // cos(pi/23) < 0.1/0.101 <= cos(pi/n) from n = 23 on.
        assert_eq!(count(Primitive::Cylinder { radius_m: 0.1, length_m: 1.0 }), 4 * 23);
        assert_eq!(count(Primitive::Cylinder { radius_m: 1e-4, length_m: 1.0 }), 4 * 3);
        assert!(count(Primitive::Sphere { radius_m: 0.1 }) < 1000);
    }

    #[test]
    fn refuses_invalid_sizes() {
        let refused = |shape: Primitive, e: f64, word: &str| {
            let message = shape.triangles(e).unwrap_err().to_string();
            assert!(message.contains(word), "{message}");
        };
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            refused(Primitive::Sphere { radius_m: bad }, 1e-3, "sphere");
            refused(Primitive::Cylinder { radius_m: bad, length_m: 1.0 }, 1e-3, "radius");
            refused(Primitive::Cylinder { radius_m: 1.0, length_m: bad }, 1e-3, "length");
            refused(Primitive::Capsule { radius_m: bad, length_m: 1.0 }, 1e-3, "radius");
            refused(Primitive::Capsule { radius_m: 1.0, length_m: bad }, 1e-3, "length");
            refused(Primitive::Box { size_m: DVec3::new(1.0, bad, 1.0) }, 1e-3, "box");
            refused(Primitive::Sphere { radius_m: 1.0 }, bad, "chord error");
        }
        for (r, e) in [(1e6, 1e-12), (1e300, 1e-3), (1.0, 1e-300), (f64::MAX, f64::MIN_POSITIVE)] {
            refused(Primitive::Sphere { radius_m: r }, e, "--chord-error");
            refused(Primitive::Cylinder { radius_m: r, length_m: 1.0 }, e, "--chord-error");
            refused(Primitive::Capsule { radius_m: r, length_m: 1.0 }, e, "--chord-error");
        }
    }
}
