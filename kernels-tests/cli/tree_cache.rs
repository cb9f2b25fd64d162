//! The cache of the scene's tree on disk: created, used, and trusted only if it is right; the answers never depend on
//! it.

use super::lines::grid;
use super::{CUBE, Checked, Desk, Motion, Run, slider};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A cube over a grid, one motion that stays above it and one that descends to 0.1 m after 0.4 of 0.5 m.
const MOTIONS: [Motion; 2] = [[&[0.5], &[0.3]], [&[0.5], &[0.0]]];

fn falling() -> String {
    slider(CUBE).replace("1 0 0", "0 0 1")
}

fn check(desk: &Desk, more: &[&str]) -> Checked {
    let checked = desk.check(&falling(), "scene.obj", &MOTIONS, more);
    assert_eq!(checked.run.code, Some(1), "{}", checked.run.stderr);
    assert_eq!(checked.verdicts(), ["free", "contact"]);
    assert!((checked.lines[1]["toc"][0].as_f64().unwrap() - 0.8).abs() < 1e-8);
    checked
}

/// The only tree file below `folder`.
fn tree(desk: &Desk, folder: &str) -> PathBuf {
    let trees: Vec<String> = desk.names().into_iter().filter(|n| n.ends_with(".fctree")).collect();
    assert!(trees.len() == 1 && trees[0].starts_with(folder), "{trees:?}");
    assert!(!desk.names().iter().any(|n| n.ends_with(".part")));
    desk.path(&trees[0])
}

#[test]
fn a_tree_is_kept_and_used() {
    let desk = Desk::new();
    desk.put("scene.obj", grid(40));
    let without = check(&desk, &["--tree-cache", "off"]).expect(1);
    assert!(!desk.names().iter().any(|n| n.contains("fctree")));
    let first = check(&desk, &["--tree-cache", "trees/kept"]).expect(1);
    let path = tree(&desk, "trees/kept/scene.obj-");
    let (bytes, written) = (std::fs::read(&path).unwrap(), path.metadata().unwrap().modified().unwrap());
    let second = check(&desk, &["--tree-cache", "trees/kept"]).expect(1);
    assert_eq!(tree(&desk, "trees/kept/").metadata().unwrap().modified().unwrap(), written, "it was right, it stays");
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    assert!(without.text == first.text && first.text == second.text);
}

#[test]
fn a_damaged_tree_is_reported_and_replaced() {
    let desk = Desk::new();
    desk.put("scene.obj", grid(40));
    let right = check(&desk, &["--tree-cache", "trees"]).expect(1);
    let path = tree(&desk, "trees/");
    let bytes = std::fs::read(&path).unwrap();
    let changed = |at: usize| {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        changed
    };
    // The tree of another scene: one vertex slightly off.
    desk.put("scene.obj", grid(40).replacen("v -0.5 -0.5 0", "v -0.5 -0.5001 0", 1));
    let other = check(&desk, &["--tree-cache", "trees"]);
    assert!(other.run.warnings().len() == 1 && other.run.stderr.contains("another scene"), "{}", other.run.stderr);
    let of_other = std::fs::read(&path).unwrap();
    assert!(of_other != bytes);
    desk.put("scene.obj", grid(40));
    for (what, harmed, why) in [
        ("another's", of_other, "another scene"),
        ("nothing", Vec::new(), "truncated"),
        ("a beginning", bytes[..bytes.len() / 2].to_vec(), "truncated"),
        ("all but a byte", bytes[..bytes.len() - 1].to_vec(), "truncated"),
        ("too much", [&bytes[..], b"x"].concat(), "longer"),
        ("another version", changed(7), "this version"),
        ("an index", changed(80), "damaged"),
        ("a node", changed(bytes.len() - 40), "damaged"),
        ("the checksum", changed(bytes.len() - 1), "damaged"),
        ("text", b"no tree at all\n".repeat(100), "this version"),
    ] {
        std::fs::write(&path, harmed).unwrap();
        let checked = check(&desk, &["--tree-cache", "trees"]);
        let warnings = checked.run.warnings();
        assert!(warnings.len() == 1 && checked.run.stderr.lines().count() == 1, "{what}: {}", checked.run.stderr);
        assert!(warnings[0].contains(why) && warnings[0].contains(".fctree"), "{what}: {}", warnings[0]);
        assert_eq!(checked.text, right.text, "{what}");
        assert!(std::fs::read(&path).unwrap() == bytes, "{what}: replaced");
        check(&desk, &["--tree-cache", "trees"]).expect(1);
    }
}

#[test]
fn an_unwritable_cache_is_only_a_warning() {
    let desk = Desk::new();
    desk.put("scene.obj", grid(10)).put("file", "");
    let checked = check(&desk, &["--tree-cache", "file/below"]);
    let warnings = checked.run.warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("was not saved"), "{}", checked.run.stderr);
    // A folder instead of the file.
    check(&desk, &["--tree-cache", "trees"]).expect(1);
    let path = tree(&desk, "trees/");
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert_eq!(check(&desk, &["--tree-cache", "trees"]).run.warnings().len(), 1);
}

#[test]
fn only_large_scenes_are_cached_next_to_their_file() {
    let desk = Desk::new();
    desk.put("scene.obj", grid(40));
    let small = check(&desk, &[]).expect(1);
    assert!(!desk.names().iter().any(|n| n.contains("fctree")));
    // Slightly more than a million triangles.
    desk.put("scene.obj", grid(710));
    let first = check(&desk, &[]).expect(1);
    let path = tree(&desk, "scene.obj.fctree");
    let written = path.metadata().unwrap().modified().unwrap();
    let second = check(&desk, &[]).expect(1);
    assert!(first.text == second.text && path.metadata().unwrap().modified().unwrap() == written);
    assert_eq!(small.lines[0], first.lines[0]);
    // Ended from outside while it reads and builds: it ends immediately and leaves no files.
    std::fs::remove_file(&path).unwrap();
    let before = desk.names();
    let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy", "--out", "new/results"];
    for wait_ms in [250, 100, 40, 15, 5] {
        let mut command = desk.command(&[&["check", "--backend", "cpu", "--threads", "1"], &files[..]].concat());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait_ms));
        // No signal handler is installed yet. INT may be ignored if the tests run in the background, and then it is
        // ignored by the program too.
        #[cfg(unix)]
        super::interrupt::signal(&child, "TERM");
        let since = Instant::now();
        let run = Run::new(child.wait_with_output().unwrap());
        if !cfg!(unix) {
            return;
        }
        if run.code == Some(1) {
            // It had already read and built the tree.
            let _ = std::fs::remove_file(&path);
            let _ = std::fs::remove_dir_all(desk.path("new"));
            continue;
        }
        assert!(run.code.is_none() && run.stdout.is_empty(), "{:?} {}", run.code, run.stderr);
        assert!(since.elapsed() < Duration::from_secs(2));
        assert_eq!(desk.names(), before);
        return;
    }
    panic!("it was never still reading");
}
