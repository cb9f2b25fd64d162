//! Folders of certificates, answers next to certificates, and the Merkle root.

use super::{FILE, made, verify};
use crate::cli::{CUBE, Desk, Motion, npy, slider, walls};
use sha2::{Digest, Sha256};

const FILES: [&str; 6] = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"];

/// A cube that slides towards a wall 1 m away; every third motion reaches it.
fn desk(n: usize) -> Desk {
    let desk = Desk::new();
    desk.put("robot.urdf", slider(CUBE)).put("scene.obj", walls(&[("wall", 1.0)]));
    desk.put("motions.npy", motions(0, n));
    desk
}

fn motions(first: usize, n: usize) -> Vec<u8> {
    let ends: Vec<[f64; 1]> = (first..first + n).map(|i| [if i % 3 == 0 { 1.5 } else { 1e-5 * i as f64 }]).collect();
    let rows: Vec<Motion> = ends.iter().map(|end| [&[0.0][..], &end[..]]).collect();
    npy(&rows)
}

/// RFC 6962, written down once more: the largest power of two below n on the left side.
fn root(leaves: &[Vec<u8>]) -> Vec<u8> {
    match leaves {
        [] => Sha256::digest(b"").to_vec(),
        [leaf] => Sha256::digest([&[0], &leaf[..]].concat()).to_vec(),
        _ => {
            let mut k = 1;
            while 2 * k < leaves.len() {
                k *= 2;
            }
            let (left, right) = leaves.split_at(k);
            Sha256::digest([vec![1], root(left), root(right)].concat()).to_vec()
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The certificates in a file, by the format: records of compressed and raw length, and a zlib stream.
fn records(bytes: &[u8]) -> Vec<Vec<u8>> {
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (mut at, mut records) = (8 + 64, Vec::new());
    while number(at) != u32::MAX as usize {
        let (length, raw_length) = (number(at), number(at + 4));
        let mut raw = Vec::new();
        let mut stream = flate2::read::ZlibDecoder::new(&bytes[at + 8..at + 8 + length]);
        std::io::Read::read_to_end(&mut stream, &mut raw).unwrap();
        assert_eq!(raw.len(), raw_length);
        records.push(raw);
        at += 8 + length;
    }
    assert_eq!((bytes.len(), number(at + 4)), (at + 12, records.len() - 1));
    // The first record has the partitions.
    records.split_off(1)
}

#[test]
fn the_merkle_root_is_that_of_all_certificates() {
    let desk = desk(10);
    let made = made(&desk, &FILES, &[]);
    let leaves = records(&std::fs::read(desk.path(FILE)).unwrap());
    assert_eq!(made.stats["merkle_root"], hex(&root(&leaves)));
    let run = verify(&desk, &FILES, &["--merkle-root", made.stats["merkle_root"].as_str().unwrap()]);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    let run = verify(&desk, &FILES, &["--merkle-root", &"0".repeat(64)]);
    assert!(run.code == Some(1) && run.stdout.contains("refused: the root of the Merkle tree is"), "{}", run.stdout);
    // Without certificates the leaves are the lines.
    let plain = desk.check_paths(&FILES, &[]);
    let leaves: Vec<Vec<u8>> = plain.text.lines().map(|line| line.as_bytes().to_vec()).collect();
    assert_eq!(plain.stats["merkle_root"], hex(&root(&leaves)));
}

/// 4,100 motions: two blocks. A folder has a file for each, and the certificates and the root are those of one file.
#[test]
fn a_folder_has_a_file_for_each_block() {
    let desk = desk(4100);
    let whole = made(&desk, &FILES, &[]);
    let checked = desk.check_paths(&FILES, &["--certificates", "certificates/"]);
    assert_eq!(checked.stats["merkle_root"], whole.stats["merkle_root"]);
    assert_eq!(checked.stats["certificates"]["made"], 4100);
    let file = |name: &str| records(&std::fs::read(desk.path(name)).unwrap());
    let (first, second) = (file("certificates/000000.fccert"), file("certificates/000001.fccert"));
    assert_eq!((first.len(), second.len()), (4096, 4));
    assert!(file(FILE) == [first, second].concat());
    let verify = |more: &[&str]| desk.run(&[&["verify", "certificates"], &FILES[..], more].concat());
    let root = whole.stats["merkle_root"].as_str().unwrap();
    let run = verify(&["--results", "results.jsonl", "--merkle-root", root]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    // A block that is missing, of another file, or too many.
    let bytes = std::fs::read(desk.path("certificates/000001.fccert")).unwrap();
    desk.put("certificates/000002.fccert", &bytes);
    let run = verify(&[]);
    assert!(
        run.code == Some(1) && run.stdout.contains("000002.fccert does not belong to these motions"),
        "{}",
        run.stdout
    );
    let run = desk.check_paths(&FILES, &["--certificates", "certificates"]).run;
    assert!(run.code == Some(3) && run.stderr.contains("000002.fccert"), "{}", run.stderr);
    std::fs::remove_file(desk.path("certificates/000002.fccert")).unwrap();
    desk.put("certificates/000000.fccert", &bytes);
    let run = verify(&[]);
    assert!(run.code == Some(1) && run.stdout.contains("refused: motion 0: "), "{}", run.stdout);
    std::fs::remove_file(desk.path("certificates/000000.fccert")).unwrap();
    let run = verify(&[]);
    assert!(run.code == Some(3) && run.stderr.contains("000000.fccert"), "{}", run.stderr);
}

/// All shards of a run write into one folder, and nothing has to be merged.
#[test]
fn shards_share_a_folder() {
    let desk = desk(4100);
    let whole = made(&desk, &FILES, &[]);
    for shard in ["0/2", "1/2"] {
        let out = format!("{}.jsonl", &shard[..1]);
        let outputs = ["--shard", shard, "--out", &out, "--certificates", "certificates/", "--backend", "cpu"];
        let run = desk.run(&[&["check"], &FILES[..], &outputs].concat());
        assert_eq!((run.code, run.errors().len()), (Some(1), 0), "{}", run.stderr);
        let run = desk.run(&[&["verify", "certificates"], &FILES[..], &["--shard", shard, "--results", &out]].concat());
        assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    }
    let root = whole.stats["merkle_root"].as_str().unwrap();
    let run = desk.run(&[&["verify", "certificates"], &FILES[..], &["--merkle-root", root]].concat());
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let run = desk.run(&["merge", "1.jsonl", "0.jsonl", "--out", "merged.jsonl", "--manifest", "run.json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(desk.text("run.json").contains(root));
    let merge = |more: &[&str]| desk.run(&[&["merge", "1.jsonl", "0.jsonl", "--out", "merged.jsonl"], more].concat());
    let run = merge(&["--certificates", "merged.fccert"]);
    assert!(run.code == Some(3) && run.stderr.contains("are in a folder"), "{}", run.stderr);
    // A root over certificates and answers would be that of no run.
    let outputs = ["--shard", "0/2", "--out", "0.jsonl", "--backend", "cpu"];
    assert_eq!(desk.run(&[&["check"], &FILES[..], &outputs].concat()).code, Some(1));
    let run = merge(&[]);
    assert!(run.code == Some(3) && run.stderr.contains("some shards have certificates"), "{}", run.stderr);
}

#[test]
fn certificates_prove_their_answers() {
    let desk = desk(6);
    made(&desk, &FILES, &[]);
    let answers = desk.text("results.jsonl");
    let verify = || verify(&desk, &FILES, &["--results", "results.jsonl"]);
    assert_eq!(verify().code, Some(0), "{}", verify().stdout);
    let refused = |content: String, why: &str| {
        desk.put("results.jsonl", content);
        let run = verify();
        assert!(run.code == Some(1) && run.stdout.contains("refused: ") && run.stdout.contains(why), "{}", run.stdout);
    };
    let lines: Vec<&str> = answers.lines().collect();
    let toc = |lo: f64| format!("{{\"motion\":0,\"verdict\":\"contact\",\"toc\":[{lo},1.0],\"proved\":true}}");
    let first = |line: &str| [&[line], &lines[1..]].concat().join("\n") + "\n";
    refused(first("{\"motion\":0,\"verdict\":\"free\"}"), "the answer is free, but the certificate proves Contact");
    refused(first("{\"motion\":0,\"verdict\":\"undecided\",\"clear_until\":0.1}"), "the answer is undecided");
    // The cube of 0.2 m meets the wall after 0.9 of 1.5 m.
    refused(first(&toc(0.601)), "the answer is free until 0.601 of segment 0, but the proof only until 0.5999");
    refused(first("{\"motion\":1,\"verdict\":\"free\"}"), "its answer is for motion 1");
    refused(first("nothing"), "its answer cannot be read");
    refused(first("{\"motion\":0,\"verdict\":\"contact\",\"proved\":true}"), "its answer has no interval of time");
    refused(lines[..5].join("\n") + "\n", "motion 5: the answers end before this motion");
    refused(answers.clone() + lines[0] + "\n", "more answers than motions");
    desk.put("results.jsonl", first(&toc(0.599)));
    assert_eq!(verify().code, Some(0), "an earlier time is proved, too");
    std::fs::remove_file(desk.path("results.jsonl")).unwrap();
    assert_eq!(verify().code, Some(3));
}

/// Within joint tolerances a proof may end earlier than its answer by up to 3 % of the motion, and by no more.
#[test]
fn proofs_within_tolerances_end_at_most_slightly_early() {
    let desk = desk(1);
    let tube = ["--joint-tolerance", "0.01"];
    made(&desk, &FILES, &tube);
    let answers = desk.text("results.jsonl");
    let line: serde_json::Value = serde_json::from_str(answers.lines().next().unwrap()).unwrap();
    let lo = line["toc"][0].as_f64().unwrap();
    // The cube of 0.2 m may meet the wall after 0.89 of 1.5 m.
    assert!((lo - 0.89 / 1.5).abs() < 1e-3, "{lo}");
    for (later, code) in [(0.0, 0), (0.028, 0), (0.032, 1)] {
        let (toc, range) = (lo + later, format!("\"toc\":[{lo},"));
        assert!(answers.contains(&range), "{answers}");
        desk.put("results.jsonl", answers.replacen(&range, &format!("\"toc\":[{toc},"), 1));
        let run = verify(&desk, &FILES, &[&tube[..], &["--results", "results.jsonl"]].concat());
        assert_eq!(run.code, Some(code), "{later}: {}", run.stdout);
    }
}

/// Pairs that were not tested are listed, each with the reason.
#[test]
fn untested_pairs_are_listed() {
    let desk = desk(2);
    desk.put("scene.obj", walls(&[("wall", 1.0), ("other", -5.0)])).put("allow.txt", "* other\n");
    let with = ["--allow", "allow.txt"];
    made(&desk, &FILES, &with);
    let run = verify(&desk, &FILES, &with);
    assert!(run.code == Some(0) && run.stdout.contains("left out: slider other: allowed\n"), "{}", run.stdout);
    let many: Vec<(String, f64)> = (0..12).map(|i| (format!("wall{i}"), 1.0 + f64::from(i))).collect();
    let many: Vec<(&str, f64)> = many.iter().map(|(name, x)| (name.as_str(), *x)).collect();
    desk.put("scene.obj", walls(&many)).put("allow.txt", "* *\n").put("robot.urdf", slider(CUBE));
    let run = desk.check_paths(&FILES, &[&with[..], &["--certificates", FILE]].concat()).run;
    assert!(run.code.is_some_and(|code| code < 3), "{}", run.stderr);
    let listed = |more: &[&str]| {
        let run = verify(&desk, &FILES, &[&with, more].concat());
        assert_eq!(run.code, Some(0), "{}", run.stdout);
        run.stdout.lines().filter(|line| line.starts_with("left out: ")).map(str::to_string).collect::<Vec<_>>()
    };
    let some = listed(&[]);
    assert!(some.len() == 9 && some[8] == "left out: 4 others, which --left-out lists", "{some:?}");
    assert_eq!(listed(&["--left-out"]).len(), 12);
}
