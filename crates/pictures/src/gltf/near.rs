//! Choice of the visible triangles of a large scene: whole objects, nearest to the motion first.

use firstcontact::robot::Triangle;
use firstcontact::scene::world::CollisionWorld;
use glam::DVec3;
use rayon::prelude::*;

/// Maximum number of comparisons of a triangle and a point.
const MAX_COMPARISONS: usize = 300_000_000;

/// An object of the scene, and its triangles to show (local coordinates).
#[derive(Debug)]
pub struct Shown {
    pub object: u32,
    pub triangles: Vec<Triangle>,
}

/// An object during the choice.
#[derive(Clone, Copy)]
struct Candidate {
    object: u32,
    n_triangles: usize,
    /// Square of the distance of its nearest triangle from the points.
    distance: f32,
}

/// Chooses the objects nearest to `points` (local coordinates), `first` before all others, until there are `most`
/// triangles. The last object may be reduced to its nearest triangles. Uses 4 bytes for each triangle of the scene.
pub fn nearest(world: &CollisionWorld, points: &[DVec3], first: &[u32], most: usize) -> Vec<Shown> {
    let scene = &world.scene;
    let room = (MAX_COMPARISONS / scene.triangles.len().max(1)).clamp(8, 400);
    let points: Vec<DVec3> = points.iter().copied().step_by(points.len().div_ceil(room).max(1)).collect();
    let distance = |triangle: &Triangle| {
        let (lo, hi) = triangle.iter().fold((triangle[0], triangle[0]), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
        points.iter().map(|p| (*p - p.clamp(lo, hi)).length_squared()).fold(f64::INFINITY, f64::min) as f32
    };
    let distances: Vec<f32> = scene.triangles.par_iter().map(distance).collect();
    let none = |object: usize| Candidate { object: object as u32, n_triangles: 0, distance: f32::INFINITY };
    let mut candidates: Vec<Candidate> = (0..scene.objects.len()).map(none).collect();
    for (&object, &distance) in scene.object.iter().zip(&distances) {
        let candidate = &mut candidates[object as usize];
        candidate.n_triangles += 1;
        candidate.distance = candidate.distance.min(distance);
    }
    candidates.retain(|c| c.n_triangles > 0);
    candidates.iter_mut().filter(|c| first.contains(&c.object)).for_each(|c| c.distance = -1.0);
    candidates.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.object.cmp(&b.object)));

    // The number of triangles shown of each object.
    let (mut left, mut limits) = (most, vec![0; scene.objects.len()]);
    for candidate in &candidates {
        limits[candidate.object as usize] = candidate.n_triangles.min(left);
        left -= candidate.n_triangles.min(left);
    }
    let mut shown: Vec<Vec<(f32, Triangle)>> = vec![Vec::new(); scene.objects.len()];
    for ((triangle, &object), &distance) in scene.triangles.iter().zip(&scene.object).zip(&distances) {
        if limits[object as usize] > 0 {
            shown[object as usize].push((distance, *triangle));
        }
    }
    let cut = |(object, mut triangles): (usize, Vec<(f32, Triangle)>)| {
        if triangles.len() > limits[object] {
            triangles.sort_by(|a, b| a.0.total_cmp(&b.0));
            triangles.truncate(limits[object]);
        }
        Shown { object: object as u32, triangles: triangles.into_iter().map(|t| t.1).collect() }
    };
    shown.into_iter().enumerate().filter(|(_, triangles)| !triangles.is_empty()).map(cut).collect()
}
