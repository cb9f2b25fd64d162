//! Which triangles of a large scene are shown: whole objects, nearest to the motion first.

use crate::model::robot::Triangle;
use crate::model::world::World;
use glam::DVec3;
use rayon::prelude::*;

/// Comparisons of a triangle and a point that are made, at most.
const COMPARISONS: usize = 300_000_000;

/// An object of the scene, and those of its triangles that are shown (local coordinates).
#[derive(Debug)]
pub struct Shown {
    pub object: u32,
    pub triangles: Vec<Triangle>,
}

/// The objects nearest to `points` (local coordinates), `first` before all others, until there are `most` triangles. The last
/// object may be cut to what is nearest of it.
pub fn nearest(world: &World, points: &[DVec3], first: &[u32], most: usize) -> Vec<Shown> {
    let scene = &world.scene;
    let room = (COMPARISONS / scene.triangles.len().max(1)).clamp(8, 400);
    let points: Vec<DVec3> = points.iter().copied().step_by(points.len().div_ceil(room).max(1)).collect();
    let away = |triangle: &Triangle| {
        let (lo, hi) = triangle.iter().fold((triangle[0], triangle[0]), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
        points.iter().map(|p| (*p - p.clamp(lo, hi)).length_squared()).fold(f64::INFINITY, f64::min)
    };
    let mut objects: Vec<Vec<(f64, Triangle)>> = vec![Vec::new(); scene.objects.len()];
    let away: Vec<f64> = scene.triangles.par_iter().map(away).collect();
    for ((triangle, &object), away) in scene.triangles.iter().zip(&scene.object).zip(away) {
        objects[object as usize].push((away, *triangle));
    }
    let mut order: Vec<(f64, usize)> = objects
        .iter()
        .enumerate()
        .filter(|(_, triangles)| !triangles.is_empty())
        .map(|(k, triangles)| {
            let is_first = first.contains(&(k as u32));
            (if is_first { -1.0 } else { triangles.iter().map(|t| t.0).fold(f64::INFINITY, f64::min) }, k)
        })
        .collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut shown, mut left) = (Vec::new(), most);
    for (_, k) in order {
        let mut triangles = std::mem::take(&mut objects[k]);
        if left == 0 {
            break;
        }
        if triangles.len() > left {
            triangles.sort_by(|a, b| a.0.total_cmp(&b.0));
            triangles.truncate(left);
        }
        left -= triangles.len();
        shown.push(Shown { object: k as u32, triangles: triangles.into_iter().map(|t| t.1).collect() });
    }
    // As in the file, whatever was nearest.
    shown.sort_by_key(|s| s.object);
    shown
}
