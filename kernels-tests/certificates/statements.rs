//! Certificates that prove something else, or are damaged.

use super::{FILE, made, verify};
use crate::cli::{CUBE, Desk, npy, slider, walls};

const FILES: [&str; 6] = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"];

/// A cube that slides towards a wall 1 m away: free, and in contact.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.put("robot.urdf", slider(CUBE)).put("scene.obj", walls(&[("wall", 1.0), ("other", -5.0)]));
    desk.put("motions.npy", npy(&[[&[0.0], &[0.2]], [&[0.0], &[3.0]]]));
    desk
}

#[track_caller]
fn refused(desk: &Desk, files: &[&str], options: &[&str], why: &str) {
    let run = verify(desk, files, options);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("refused: ") && run.stdout.contains(why), "{why}: {}", run.stdout);
}

#[test]
fn the_right_ones_are_valid() {
    let desk = desk();
    made(&desk, &FILES, &[]);
    let run = verify(&desk, &FILES, &[]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    assert!(run.stdout.contains("valid: 1 motions are free, 1 have a contact, 0 a possible one"), "{}", run.stdout);
}

#[test]
fn other_inputs_are_refused() {
    let desk = desk();
    made(&desk, &FILES, &[]);
    desk.put("near.obj", walls(&[("wall", 0.9), ("other", -5.0)]));
    refused(&desk, &["--robot", "robot.urdf", "--scene", "near.obj", "--motions", "motions.npy"], &[], "another scene");
    desk.put("turned.urdf", slider(CUBE).replace("1 0 0", "0 1 0"));
    refused(
        &desk,
        &["--robot", "turned.urdf", "--scene", "scene.obj", "--motions", "motions.npy"],
        &[],
        "another robot",
    );
    let moved = |motions: &[[&[f64]; 2]], why: &str| {
        desk.put("moved.npy", npy(motions));
        refused(&desk, &["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "moved.npy"], &[], why);
    };
    moved(&[[&[0.0], &[0.2]], [&[0.0], &[3.1]]], "motion 1: the certificate belongs to another motion");
    moved(&[[&[0.0], &[3.0]], [&[0.0], &[0.2]]], "motion 0: the certificate belongs to another motion");
    moved(&[[&[0.0], &[0.2]]], "more than 1 certificates");
    moved(&[[&[0.0], &[0.2]], [&[0.0], &[3.0]], [&[0.0], &[0.0]]], "2 certificates for 3");
}

#[test]
fn other_options_are_refused() {
    let desk = desk();
    made(&desk, &FILES, &[]);
    refused(&desk, &FILES, &["--margin", "0.001"], "margin");
    refused(&desk, &FILES, &["--joint-tolerance", "0.001"], "tolerance");
    desk.put("allow.txt", "* other\n");
    let with = ["--allow", "allow.txt"];
    made(&desk, &FILES, &with);
    let run = verify(&desk, &FILES, &with);
    assert!(run.code == Some(0) && run.stdout.contains("allow"), "{}", run.stdout);
    refused(&desk, &FILES, &[], "motion 0");
    made(&desk, &FILES, &["--margin", "0.1"]);
    refused(&desk, &FILES, &[], "margin");
}

#[test]
fn damaged_files_are_refused() {
    let desk = desk();
    made(&desk, &FILES, &[]);
    let whole = std::fs::read(desk.path(FILE)).unwrap();
    for length in (8..whole.len()).step_by(7) {
        desk.put(FILE, &whole[..length]);
        refused(&desk, &FILES, &[], "");
    }
    desk.put(FILE, [&whole[..], b"x"].concat());
    refused(&desk, &FILES, &[], "");
    desk.put(FILE, whole);
    assert_eq!(verify(&desk, &FILES, &[]).code, Some(0));
}
