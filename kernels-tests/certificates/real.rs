//! The pool with known truth, and real robots.

use super::verified;
use crate::cli::Desk;
use crate::effort;
use crate::oracle::{data, npy, pool};

/// Verifies the samples of a scene of the pool, at full effort all motions.
fn of_pool(scene: &str) {
    let Some(folder) = data::folder("puma-pool") else { return };
    let motions = npy::read_motions(&folder.join(format!("{scene}.npy")));
    let is_full = effort(0, 1) == 1;
    let sample = || pool::read_indices(&folder.join(format!("{scene}.sample300.txt")));
    let chosen: Vec<usize> = if is_full { (0..motions.len()).collect() } else { sample() };
    let desk = Desk::new();
    let row = |i: &usize| [motions[*i].0.as_slice(), motions[*i].1.as_slice()];
    let rows: Vec<_> = chosen.iter().map(row).collect();
    desk.put("motions.npy", crate::cli::npy(&rows));
    let [robot, obj] = ["robot.urdf".to_string(), format!("{scene}.obj")].map(|name| folder.join(name));
    let files = ["--robot", robot.to_str().unwrap(), "--scene", obj.to_str().unwrap(), "--motions", "motions.npy"];
    verified(&desk, &files, &[]);
}

#[test]
fn pipes_of_the_pool() {
    of_pool("pipes");
}

#[test]
fn machine_room_of_the_pool() {
    of_pool("amr");
}
