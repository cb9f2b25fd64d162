//! The pool with known truth, and real robots: in scenes, against their own links, two of them, with an object in the
//! hand.

use super::verified;
use crate::cli::Desk;
use crate::effort;
use crate::link_pairs::{carried, real_robots, two_robots};
use crate::oracle::placements::{self, Placement};
use crate::oracle::shapes::Choice;
use crate::oracle::{data, npy, pool};
use serde_json::Value;

fn report(name: &str, lines: &[Value]) {
    let count = |verdict: &str| lines.iter().filter(|line| line["verdict"] == verdict).count();
    let [free, contact, undecided] = ["free", "contact", "undecided"].map(count);
    println!("{name}: {free} free, {contact} touch, {undecided} undecided: all verified");
    assert!(free > 0 && contact > 0, "{name}");
}

/// Verifies the samples of a scene of the pool, at full effort all motions.
fn of_pool(scene: &str, options: &[&str]) {
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
    let made = verified(&desk, &files, options);
    report(&format!("{scene} {options:?}"), &made.lines);
    if options.is_empty() {
        // The truth of the pool, which another program has found: contacts are contacts, with a witness.
        let truth = pool::pick(&pool::read_truth(&folder.join(format!("{scene}.truth.jsonl"))), &chosen);
        let contacts = truth.iter().filter(|of| of.contact.is_some()).count();
        let run = super::verify(&desk, &files, &[]);
        assert!(run.stdout.contains(&format!(" {contacts} have a contact, 0 a possible one")), "{}", run.stdout);
    }
}

#[test]
fn pipes_of_the_pool() {
    of_pool("pipes", &[]);
}

#[test]
fn machine_room_of_the_pool() {
    of_pool("amr", &[]);
}

/// Starts are at least 2 mm clear.
#[test]
fn the_pool_with_a_margin() {
    of_pool("pipes", &["--margin", "0.0015"]);
}

#[test]
fn the_pool_with_a_tolerance() {
    of_pool("pipes", &["--joint-tolerance", "0.0005"]);
}

/// A robot in a scene, with motions many of which touch.
fn placed(placement: &Placement, n: usize, options: &[&str]) {
    let Some(case) = placement.case(n) else { return };
    let desk = Desk::new();
    let scene = placements::stage(&case.scene, &desk.path("scene"));
    let rows: Vec<_> = case.motions.iter().map(|(a, b)| [a.as_slice(), b.as_slice()]).collect();
    desk.put("motions.npy", crate::cli::npy(&rows));
    let pair = |(link, object): &(&str, &str)| format!("{link} {object}\n");
    desk.put("allow.txt", placement.allow.iter().map(pair).collect::<String>());
    let base = format!("--base={}", case.base.map(|x| x.to_string()).join(","));
    let mut files = vec!["--robot", case.robot.to_str().unwrap(), "--scene", scene.to_str().unwrap()];
    files.extend(["--motions", "motions.npy", "--allow", "allow.txt", &base]);
    match placement.geometry {
        Choice::Default => {}
        Choice::Collision => files.extend(["--geometry", "collision"]),
        Choice::Visual => files.extend(["--geometry", "visual"]),
    }
    if placement.floating_root {
        files.push("--floating-root");
    }
    report(&format!("{} {options:?}", placement.name), &verified(&desk, &files, options).lines);
}

#[test]
fn real_robots_in_scenes() {
    for placement in placements::ALL {
        placed(placement, effort(24, 200), &[]);
    }
}

#[test]
fn a_ur5_with_its_links_a_margin_and_a_tolerance() {
    let n = effort(24, 400);
    placed(&placements::UR5_BOOKSTORE, n, &["--margin", "0.001"]);
    placed(&placements::UR5_BOOKSTORE, n, &["--joint-tolerance", "0.0005"]);
}

#[test]
fn real_robots_against_themselves() {
    for robot in 0..effort(4, real_robots::N) {
        let Some((name, desk, files, options)) = real_robots::files(robot, effort(16, 300)) else { return };
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let options = [&options[..], &["--self-collision", "on"]].concat();
        report(name, &verified(&desk, &files, &options).lines);
    }
}

#[test]
fn two_robots_that_share_a_workspace() {
    let Some((desk, files)) = two_robots::files(effort(24, 300)) else { return };
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    report("two UR5", &verified(&desk, &files, &["--srdf", "left=left.srdf"]).lines);
}

#[test]
fn a_panda_with_a_box_in_its_hand() {
    let Some((desk, files)) = carried::files(effort(16, 300)) else { return };
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    report("a Panda with a box", &verified(&desk, &files, &["--attach", "attach.json"]).lines);
}
