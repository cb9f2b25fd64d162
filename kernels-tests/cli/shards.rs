//! `check --shard` and `merge`: the answers of all shards together are those of one process, and nothing else passes as
//! such.
#![cfg(unix)]

use super::interrupt::{desk_of, signal, wait_for_answers};
use super::{CUBE, Desk, Run, slider, walls};
use crate::harness::gpu;
use crate::inputs::samples;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;

/// Motions of five blocks of 4,096, the last of which is not full.
const MANY: usize = 4 * 4096 + 1000;

const FILES: [&str; 7] = ["check", "--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"];

/// Slides of a cube, two of three of them into a wall.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.put("robot.urdf", slider(CUBE)).put("scene.obj", walls(&[("wall", 1.0)]));
    let values: Vec<f64> = (0..MANY).flat_map(|i| [1e-5 * i as f64, if i % 3 == 0 { 0.5 } else { 3.6 }]).collect();
    desk.put("motions.npy", samples::npy("'<f8'", &format!("({MANY}, 2, 1)"), &values));
    desk
}

fn check(desk: &Desk, out: &str, more: &[&str]) -> Run {
    let backend: &[&str] = if more.contains(&"gpu") { &[] } else { &["--backend", "cpu"] };
    desk.run(&[&FILES[..], backend, &["--out", out], more].concat())
}

/// Checks all of `n` shards; returns the names of their answers.
fn shards(desk: &Desk, n: usize, more: &[&str]) -> Vec<String> {
    let checked = (0..n).map(|i| {
        let out = format!("shard-{i}.jsonl");
        let run = check(desk, &out, &[&["--shard", &format!("{i}/{n}")], more].concat());
        assert!(matches!(run.code, Some(0 | 1)), "{i}/{n}: {}", run.stderr);
        out
    });
    checked.collect()
}

fn merge(desk: &Desk, shards: &[String], more: &[&str]) -> Run {
    let shards: Vec<&str> = shards.iter().map(String::as_str).collect();
    desk.run(&[&["merge"], &shards[..], &["--out", "merged.jsonl", "--manifest", "run.json"], more].concat())
}

fn json(desk: &Desk, name: &str) -> Value {
    serde_json::from_str(&desk.text(name)).unwrap()
}

/// RFC 6962, section 2.1, over leaves as they are.
fn merkle(leaves: &[&[u8]]) -> Vec<u8> {
    match leaves {
        [] => Sha256::digest([]).to_vec(),
        [leaf] => Sha256::digest([&[0], *leaf].concat()).to_vec(),
        _ => {
            let mut k = 1;
            while 2 * k < leaves.len() {
                k *= 2;
            }
            Sha256::digest([&[1], &merkle(&leaves[..k])[..], &merkle(&leaves[k..])[..]].concat()).to_vec()
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn merged_shards_are_the_answers_of_one_process() {
    let desk = desk();
    assert_eq!(check(&desk, "whole.jsonl", &["--stats", "stats.json"]).code, Some(1));
    let (whole, stats) = (desk.text("whole.jsonl"), json(&desk, "stats.json"));
    let leaves: Vec<&[u8]> = whole.lines().map(str::as_bytes).collect();
    assert_eq!(leaves.len(), MANY);
    assert_eq!(stats["merkle_root"], hex(&merkle(&leaves)));
    // More shards than blocks: some are empty.
    for n in [1, 2, 3, 5, 8] {
        let mut outs = shards(&desk, n, &[]);
        outs.reverse();
        let run = merge(&desk, &outs, &[]);
        assert_eq!((run.code, run.errors().len()), (Some(1), 0), "{n}: {}", run.stderr);
        assert!(desk.text("merged.jsonl") == whole, "{n}");
        let manifest = json(&desk, "run.json");
        for name in ["motions", "free", "contact", "certified", "undecided", "merkle_root"] {
            assert_eq!(manifest[name], stats[name], "{name} of {n}");
        }
        assert_eq!((manifest["shards"].as_array().unwrap().len(), &manifest["backends"][0]), (n, &"cpu".into()));
        assert!(run.stdout.contains(stats["merkle_root"].as_str().unwrap()), "{}", run.stdout);
    }
}

#[test]
fn shards_are_whole_blocks_with_the_numbers_of_the_file() {
    let desk = desk();
    let [first, second] = &shards(&desk, 2, &[])[..] else { panic!() };
    let numbers = |name: &str| -> Vec<u64> {
        desk.text(name)
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["motion"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(numbers(first), (0..2 * 4096).collect::<Vec<u64>>());
    assert_eq!(numbers(second), (2 * 4096..MANY as u64).collect::<Vec<u64>>());
}

/// Each fault has one error that names the file, and nothing is written.
#[test]
fn other_and_damaged_shards_are_refused() {
    let desk = desk();
    let outs = shards(&desk, 3, &[]);
    let refused = |outs: &[String], words: &[&str]| {
        let run = merge(&desk, outs, &[]);
        assert_eq!((run.code, run.errors().len(), run.stderr.lines().count()), (Some(3), 1, 1), "{}", run.stderr);
        assert!(words.iter().all(|word| run.stderr.contains(word)), "{words:?}: {}", run.stderr);
        let written = ["merged.jsonl", "run.json", "merged.jsonl.part", "run.json.part"];
        assert!(written.iter().all(|name| !desk.path(name).exists()));
    };
    let [zero, one, two] = [0, 1, 2].map(|i| outs[i].clone());
    refused(&[zero.clone(), two.clone()], &["shard 1/3 is missing"]);
    refused(&[zero.clone(), one.clone(), two.clone(), one.clone()], &["it is shard 1/3"]);
    refused(&[zero.clone(), one.clone(), "nothing.jsonl".into()], &["nothing.jsonl.shard.json", "cannot be read"]);
    let (text, record) = (desk.text(&one), desk.text("shard-1.jsonl.shard.json"));
    // A changed answer, of the same length or not, a lost one, and one too many.
    let free = text.replacen("\"contact\"", "\"free\"", 1);
    let later = text.replacen("\"toc\":[0.", "\"toc\":[1.", 1);
    assert!(later != text && later.len() == text.len());
    for damaged in [&free, &later, &text[..text.len() - 30], &format!("{text}{{}}\n")] {
        desk.put(&one, damaged);
        refused(&outs, &["shard-1.jsonl", "not the answers"]);
    }
    desk.put(&one, &text);
    for (from, to, word) in [
        ("\"total\": ", "\"total\": 1", "in all"),
        ("\"first\": 4096", "\"first\": 8192", "not those of its shard"),
        ("\"free\": ", "\"free\": 1", "do not add up"),
        ("firstcontact-shard-1", "firstcontact-shard-9", "format"),
        ("\"blocks\": [\n    \"", "\"blocks\": [\n    \"x", "Merkle"),
        ("{", "", "record of a shard"),
        ("\"device\": \"cpu\"", "\"device\": \"another, 1.0\"", "--allow-mixed-backends"),
        ("\"version\": \"", "\"version\": \"9", "version"),
    ] {
        assert!(record.contains(from), "{from}: {record}");
        desk.put("shard-1.jsonl.shard.json", record.replacen(from, to, 1));
        refused(&outs, &["shard-1.jsonl", word]);
    }
    // Answers to another question, for the same motions.
    desk.put("shard-1.jsonl.shard.json", &record);
    check(&desk, &one, &["--shard", "1/3", "--margin", "0.01"]);
    refused(&outs, &["belongs to a different run", "options"]);
    check(&desk, &one, &["--shard", "1/2"]);
    refused(&outs, &["one of 2 shards"]);
    // Another file of as many motions, which differ in another shard alone.
    let bytes = fs::read(desk.path("motions.npy")).unwrap();
    let mut other = bytes.clone();
    other[200] ^= 1;
    desk.put("motions.npy", &other);
    check(&desk, &one, &["--shard", "1/3"]);
    assert_eq!(desk.text(&one), text);
    refused(&outs, &["from a different file"]);
    desk.put("motions.npy", bytes);
    desk.put("scene.obj", walls(&[("wall", 1.5)]));
    check(&desk, &one, &["--shard", "1/3"]);
    refused(&outs, &["belongs to a different run", "scene"]);
    // The right one again.
    desk.put("scene.obj", walls(&[("wall", 1.0)]));
    check(&desk, &one, &["--shard", "1/3"]);
    assert!(desk.text(&one) == text && merge(&desk, &outs, &[]).code == Some(1));
}

#[test]
fn outputs_do_not_overwrite_shards() {
    let desk = desk();
    let outs = shards(&desk, 2, &[]);
    for output in ["shard-0.jsonl", "./shard-1.jsonl.shard.json"] {
        let run = desk.run(&["merge", &outs[0], &outs[1], "--out", output]);
        assert_eq!((run.code, run.errors().len()), (Some(3), 1), "{}", run.stderr);
    }
    assert_eq!(desk.run(&["merge", &outs[0], &outs[1], "--out", "-"]).stdout.lines().count(), MANY);
}

#[test]
fn shards_of_an_adapter_and_of_the_cpu_need_permission() {
    if gpu::skip() {
        return;
    }
    let desk = desk();
    check(&desk, "whole.jsonl", &[]);
    let outs = shards(&desk, 2, &[]);
    assert_eq!(check(&desk, &outs[1], &["--shard", "1/2", "--device", "gpu"]).code, Some(1));
    let run = merge(&desk, &outs, &[]);
    assert!(run.code == Some(3) && run.stderr.contains("--allow-mixed-backends"), "{}", run.stderr);
    assert_eq!(merge(&desk, &outs, &["--allow-mixed-backends"]).code, Some(1));
    assert_eq!(json(&desk, "run.json")["backends"].as_array().unwrap().len(), 2);
    let lines = |name: &str| -> Vec<Value> {
        desk.text(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    for (merged, alone) in lines("merged.jsonl").iter().zip(lines("whole.jsonl")) {
        assert_eq!([&merged["verdict"], &merged["proved"]], [&alone["verdict"], &alone["proved"]]);
    }
}

#[test]
fn an_interrupted_shard_is_continued() {
    let n = 50 * 4096;
    let desk = desk_of(n);
    let arguments = [&FILES[..], &["--backend", "cpu", "--out", "out/results", "--shard", "1/2"]].concat();
    let mut child = desk.command(&arguments).stdout(std::process::Stdio::null()).spawn().unwrap();
    assert!(wait_for_answers(&desk, &mut child, 1).is_none());
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(
        !desk.path("out/results.shard.json").exists()
            && desk.text("out/results.part").starts_with("{\"motion\":102400,")
    );
    // The other half does not continue these answers.
    let other: Vec<&str> = arguments.iter().map(|word| if *word == "1/2" { "0/2" } else { word }).collect();
    let run = desk.run(&[&other[..], &["--resume"]].concat());
    assert!(run.code == Some(3) && run.stderr.contains("differs in: motions"), "{}", run.stderr);
    let run = desk.run(&[&arguments[..], &["--resume"]].concat());
    assert_eq!((run.code, run.errors().len()), (Some(1), 0), "{}", run.stderr);
    let finished = (desk.text("out/results"), json(&desk, "out/results.shard.json"));
    let blocks = |record: &Value| record["blocks"].clone();
    // Once more: the record is restored, whether or not the file system can tell that the answers are finished.
    fs::remove_file(desk.path("out/results.shard.json")).unwrap();
    assert_eq!(desk.run(&[&arguments[..], &["--resume"]].concat()).code, Some(1));
    assert_eq!(blocks(&json(&desk, "out/results.shard.json")), blocks(&finished.1));
    assert_eq!(desk.run(&arguments).code, Some(1));
    assert!(desk.text("out/results") == finished.0);
    assert_eq!(blocks(&json(&desk, "out/results.shard.json")), blocks(&finished.1));
}

#[test]
fn certificates_of_shards_are_those_of_one_process() {
    let desk = desk();
    assert_eq!(check(&desk, "whole.jsonl", &["--certificates", "whole.fccert", "--stats", "stats.json"]).code, Some(1));
    let outs: Vec<String> = (0..3)
        .map(|i| {
            let (out, certificates) = (format!("shard-{i}.jsonl"), format!("shard-{i}.fccert"));
            check(&desk, &out, &["--shard", &format!("{i}/3"), "--certificates", &certificates]);
            out
        })
        .collect();
    let run = merge(&desk, &outs, &["--certificates", "merged.fccert"]);
    assert_eq!((run.code, run.errors().len()), (Some(1), 0), "{}", run.stderr);
    let read = |name: &str| fs::read(desk.path(name)).unwrap();
    assert!(read("merged.fccert") == read("whole.fccert") && desk.text("merged.jsonl") == desk.text("whole.jsonl"));
    // The leaves are certificates now.
    assert_eq!(json(&desk, "run.json")["merkle_root"], json(&desk, "stats.json")["merkle_root"]);
    assert_ne!(json(&desk, "run.json")["merkle_root"], hex(&merkle(&[b"another"])));
    let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"];
    assert_eq!(desk.run(&[&["verify", "merged.fccert"], &files[..]].concat()).code, Some(0));
    assert_eq!(desk.run(&[&["verify", "shard-1.fccert", "--shard", "1/3"], &files[..]].concat()).code, Some(0));
    let refused = desk.run(&[&["verify", "shard-1.fccert", "--shard", "2/3"], &files[..]].concat());
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    let mut changed = read("shard-2.fccert");
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    desk.put("shard-2.fccert", changed);
    let run = merge(&desk, &outs, &["--certificates", "merged.fccert"]);
    assert!(run.code == Some(3) && run.stderr.contains("shard-2.fccert"), "{}", run.stderr);
    check(&desk, &outs[2], &["--shard", "2/3"]);
    let run = merge(&desk, &outs, &[]);
    assert!(run.code == Some(3) && run.stderr.contains("some shards have certificates"), "{}", run.stderr);
}

#[test]
fn wrong_uses_of_shards() {
    let desk = desk();
    for (more, word) in [
        (&["--shard", "3/3"][..], "from 0 to 2"),
        (&["--shard", "3"], "is not I/N"),
        (&["--shard", "0/2", "--html", "page.html"], "cannot be used with"),
        (&["--shard", "0/2", "--device", "cpu"], "cannot be used with"),
    ] {
        let run = check(&desk, "out.jsonl", more);
        assert!(run.code == Some(3) && run.stderr.contains(word), "{more:?}: {}", run.stderr);
    }
    let run = check(&desk, "-", &["--shard", "0/2"]);
    assert!(run.code == Some(3) && run.stderr.contains("give a file for --out"), "{}", run.stderr);
    assert!(desk.run(&["merge", "--out", "x"]).code == Some(3));
}
