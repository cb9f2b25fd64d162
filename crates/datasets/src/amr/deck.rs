//! Machine rooms side by side on one deck: the first one with the Puma in its middle, the others around it, each with a
//! layout from its own seed. For any number of rooms, the scene is locally as dense as one room.

use super::scene;
use crate::parts::assembly::Part;
use firstcontact::error::Result;
use glam::DVec3;

/// Distance between the walls of two rooms, metres.
const GAP_M: f64 = 0.02;
/// Number of seeds that are tried for a room: not every seed gives a layout that reaches the exact counts.
const TRIES: u64 = 64;
/// Step between the seeds; it is odd, so that its multiples are different.
const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The rooms other than the first one, generated one by one, so that they are never in memory together.
///
/// A room without a layout that reaches the exact counts is an error.
pub(crate) fn others(seed: u64, n_rooms: u64, first: &[Part]) -> impl Iterator<Item = Result<Vec<Part>>> + use<> {
    let vertices = || first.iter().flat_map(|p| &p.mesh.vertices);
    let low = vertices().fold(DVec3::MAX, |m, v| m.min(*v));
    let high = vertices().fold(DVec3::MIN, |m, v| m.max(*v));
    let pitch = high - low + DVec3::splat(GAP_M);
    cells(n_rooms).into_iter().enumerate().skip(1).map(move |(k, [i, j])| {
        let mut parts = room(seed, k as u64)?;
        let shift = DVec3::new(i as f64 * pitch.x, j as f64 * pitch.y, 0.0);
        for part in &mut parts {
            part.name = format!("r{k:04}_{}", part.name);
            part.mesh.vertices.iter_mut().for_each(|v| *v += shift);
            part.mesh.round_to_micrometres();
        }
        Ok(parts)
    })
}

/// The layout of room `k`.
fn room(seed: u64, k: u64) -> Result<Vec<Part>> {
    let of_try = |t: u64| scene(seed.wrapping_add((k * TRIES + t).wrapping_mul(STRIDE)));
    (0..TRIES - 1).find_map(|t| of_try(t).ok()).map_or_else(|| of_try(TRIES - 1), Ok)
}

/// The places of the first `n` rooms, those closest to the middle first.
fn cells(n: u64) -> Vec<[i64; 2]> {
    let reach = (n as f64).sqrt().ceil() as i64;
    let mut all: Vec<[i64; 2]> = (-reach..=reach).flat_map(|i| (-reach..=reach).map(move |j| [i, j])).collect();
    all.sort_by_key(|&[i, j]| (i * i + j * j, i, j));
    all.truncate(n as usize);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puma::REACH;

    #[test]
    fn rooms_surround_the_first_one_and_do_not_touch() {
        let first = scene(2004).unwrap();
        let bounds = |parts: &[Part]| {
            let all = || parts.iter().flat_map(|p| &p.mesh.vertices);
            [all().fold(DVec3::MAX, |m, v| m.min(*v)), all().fold(DVec3::MIN, |m, v| m.max(*v))]
        };
        let mut boxes = vec![bounds(&first)];
        for parts in others(2004, 6, &first) {
            let parts = parts.unwrap();
            assert_eq!(parts.iter().map(|p| p.mesh.triangles.len()).sum::<usize>(), super::super::N_TRIANGLES);
            // The layout is different, not merely moved.
            assert!(parts.iter().zip(&first).any(|(a, b)| a.mesh.vertices.len() != b.mesh.vertices.len()));
            let b = bounds(&parts);
            for a in &boxes {
                let apart = (a[0] - b[1]).max(b[0] - a[1]).max_element();
                assert!(apart > 0.0, "{a:?} {b:?}");
            }
            // No part of the room is within the arm's reach.
            let nearest = REACH.0.clamp(b[0], b[1]);
            assert!(nearest.distance(REACH.0) > REACH.1);
            boxes.push(b);
        }
        assert_eq!(boxes.len(), 6);
        // A larger number gives the same rooms and additional ones.
        assert_eq!(cells(500)[..6], cells(6));
        let mut places = cells(535);
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), 535);
    }
}
