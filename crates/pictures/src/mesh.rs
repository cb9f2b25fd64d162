//! Triangles with colours and normals, relative to the focus of the picture.

use super::palette::Colour;
use firstcontact::gpu::Corner;
use firstcontact::robot::Triangle;
use glam::{DAffine3, DVec3, Vec3};
use std::f64::consts::TAU;

/// Number of sides of round marks.
const SIDES: usize = 32;

/// Triangles to draw; positions are given in world coordinates, metres.
#[derive(Clone, Debug)]
pub struct Mesh {
    focus: DVec3,
    /// The corners, three per triangle.
    pub corners: Vec<Corner>,
}

impl Mesh {
    /// An empty mesh; coordinates will be relative to `focus`, where single precision is finest.
    pub fn new(focus: DVec3) -> Self {
        Self { focus, corners: Vec::new() }
    }

    /// Adds a triangle with a normal at each corner.
    pub fn add(&mut self, triangle: &Triangle, normals: &[Vec3; 3], [r, g, b]: Colour) {
        let packed = |n: Vec3| (n * 32767.0).extend(0.0).to_array().map(|x| x as i16);
        self.corners.extend(triangle.iter().zip(normals).map(|(v, n)| Corner {
            position: (*v - self.focus).as_vec3().to_array(),
            normal: packed(*n),
            colour: [r, g, b, 255],
        }));
    }

    /// Adds triangles after transforming them by a pose.
    pub fn add_placed(&mut self, pose: &DAffine3, triangles: &[Triangle], normals: &[[Vec3; 3]], colour: Colour) {
        let turn = pose.matrix3.as_mat3();
        for (triangle, normals) in triangles.iter().zip(normals) {
            self.add(&triangle.map(|v| pose.transform_point3(v)), &normals.map(|n| turn * n), colour);
        }
    }

    /// Adds a flat triangle.
    fn add_flat(&mut self, triangle: Triangle, colour: Colour) {
        let [a, b, c] = triangle;
        let normal = (b - a).cross(c - a).normalize_or_zero().as_vec3();
        self.add(&triangle, &[normal; 3], colour);
    }

    /// Adds a surface of revolution about `axis` (unit): rings of `(distance along the axis, radius)`, metres.
    pub fn add_turned(&mut self, from: DVec3, axis: DVec3, rings: &[(f64, f64)], colour: Colour) {
        let (u, v) = axis.any_orthonormal_pair();
        let at = |(along, radius): (f64, f64), i: usize| {
            let (sin, cos) = (TAU * i as f64 / SIDES as f64).sin_cos();
            from + axis * along + (u * cos + v * sin) * radius
        };
        for pair in rings.windows(2) {
            for i in 0..SIDES {
                let [a, b, c, d] = [at(pair[0], i), at(pair[0], i + 1), at(pair[1], i + 1), at(pair[1], i)];
                self.add_flat([a, b, c], colour);
                self.add_flat([a, c, d], colour);
            }
        }
    }

    /// Adds a ball at `at` and an arrow from there along `normal` (unit); `size` is the ball's radius, metres.
    pub fn add_contact(&mut self, at: DVec3, normal: DVec3, size: f64, colour: Colour) {
        let ball: Vec<(f64, f64)> = (0..=SIDES / 2)
            .map(|i| {
                let (sin, cos) = (TAU * i as f64 / SIDES as f64).sin_cos();
                (-cos * size, sin * size)
            })
            .collect();
        self.add_turned(at, normal, &ball, colour);
        let [shaft, head, tip] = [6.0 * size, 1.1 * size, 9.0 * size];
        let arrow = [(0.0, 0.35 * size), (shaft, 0.35 * size), (shaft, head), (tip, 0.0)];
        self.add_turned(at, normal, &arrow, colour);
    }
}
