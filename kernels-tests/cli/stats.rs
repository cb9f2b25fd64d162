//! `stats.json`.

use super::{CUBE, Checked, Desk, Motion, slider, walls};
use serde_json::Value;
use std::time::Instant;

const STAGES: [&str; 6] = ["s1_concat", "s2_bound", "s3_cull", "s4_sweep", "s5_pairs", "s6_solve"];

/// Reads a count.
#[track_caller]
fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no count: {value}"))
}

/// Reads a duration in seconds, at most `most`: the duration of the test so far times the threads.
#[track_caller]
fn seconds(value: &Value, most: f64) -> f64 {
    let s = value.as_f64().unwrap_or_else(|| panic!("no number: {value}"));
    assert!((0.0..=most).contains(&s), "{s} of {most} s");
    s
}

/// Checks that no phase takes negative time, and that the phases do not exceed the total.
pub(crate) fn phases(stats: &Value, elapsed: f64) {
    let total_s = seconds(&stats["total_s"], elapsed);
    let parts = ["load_s", "build_s", "wall_s"].map(|key| seconds(&stats[key], total_s));
    assert!(parts.iter().sum::<f64>() <= total_s && parts.iter().all(|s| *s > 0.0), "{parts:?} of {total_s}");
    if cfg!(unix) {
        seconds(&stats["cpu_s"], f64::INFINITY);
    }
}

fn check(backend: &str) -> (Checked, f64) {
    let ends: Vec<[f64; 1]> = (0..300).map(|i| [0.01 * f64::from(i)]).collect();
    let motions: Vec<Motion> = ends.iter().map(|end| [&[0.0][..], &end[..]]).collect();
    let since = Instant::now();
    let more = ["--backend", backend, "--threads", "2"];
    let checked = Desk::new().check(&slider(CUBE), &walls(&[("wall", 1.0)]), &motions, &more).expect(1);
    (checked, since.elapsed().as_secs_f64())
}

/// Checks the invariants of every backend.
fn sane(checked: &Checked, elapsed: f64) {
    let stats = &checked.stats;
    // 300 motions of 0, 0.01, … 2.99 m: those beyond 0.9 m touch; for 0.9 itself rounding decides.
    let touch = checked.verdicts().iter().filter(|v| **v == "contact").count() as u64;
    assert!(touch == 209 || touch == 210, "{touch}");
    let counts = ["motions", "contact", "free", "undecided"].map(|key| count(&stats[key]));
    assert_eq!(counts, [300, touch, 300 - touch, 0]);
    let certified = checked.lines.iter().filter(|l| l["certified"] == true).count() as u64;
    assert_eq!(count(&stats["certified"]), certified);
    assert!(count(&stats["pieces"]) >= 300);
    phases(stats, elapsed);
    assert_eq!(stats["threads"], 2);
    assert_eq!(stats["version"], env!("CARGO_PKG_VERSION"));
    assert!(stats.as_object().unwrap().contains_key("seed"), "{stats}");
    let stages = stats["stages"].as_array().unwrap();
    let names: Vec<&str> = stages.iter().map(|s| s["stage"].as_str().unwrap()).collect();
    assert_eq!(names, STAGES);
    for stage in stages {
        for key in ["items_in", "items_out", "retries", "bytes"] {
            count(&stage[key]);
        }
        seconds(&stage["seconds"], elapsed * 4.0);
    }
    // The output of a stage is the input of the next one, up to the pairs; pairs after an answer are not processed.
    for (from, to) in stages.iter().zip(&stages[1..]).take(4) {
        assert_eq!(from["items_out"], to["items_in"], "{} {}", from["stage"], to["stage"]);
    }
    assert!(count(&stages[5]["items_in"]) <= count(&stages[4]["items_out"]), "{stages:?}");
    assert!(count(&stages[5]["items_in"]) >= touch, "{stages:?}");
    assert!(stages.iter().map(|s| s["seconds"].as_f64().unwrap()).sum::<f64>() > 0.0);
}

#[test]
fn statistics_of_the_cpu() {
    let (checked, elapsed) = check("cpu");
    sane(&checked, elapsed);
    assert_eq!((&checked.stats["backend"], &checked.stats["adapter"]), (&"cpu".into(), &Value::Null));
    // No transfers, no retries.
    let stages = checked.stats["stages"].as_array().unwrap();
    assert!(stages.iter().all(|s| s["bytes"] == 0 && s["retries"] == 0), "{stages:?}");
    assert_eq!(checked.stats["device"], Value::Null);
    if cfg!(unix) {
        seconds(&checked.stats["cpu_s"], elapsed * 4.0);
    }
}

#[test]
fn statistics_of_an_adapter() {
    if crate::harness::gpu::skip() {
        return;
    }
    let (checked, elapsed) = check("gpu");
    sane(&checked, elapsed);
    assert_eq!(checked.stats["backend"], "gpu");
    let adapter = &checked.stats["adapter"];
    for key in ["name", "driver"] {
        assert!(adapter[key].as_str().is_some_and(|s| !s.is_empty()), "{adapter}");
    }
    let stages = checked.stats["stages"].as_array().unwrap();
    assert!(stages.iter().map(|s| count(&s["bytes"])).sum::<u64>() > 0, "{stages:?}");
    let device = &checked.stats["device"];
    let counts = ["chunks", "pages_searched", "submissions", "dispatches", "barriers", "queue_entries"];
    let [chunks, pages, submissions, dispatches, barriers, entries] = counts.map(|key| count(&device[key]));
    assert!(chunks > 0 && pages == chunks && count(&device["pages_skipped"]) == 0, "{device}");
    assert!(submissions >= chunks && dispatches > 10 * submissions && count(&device["draws"]) == 0, "{device}");
    // Nearly every dispatch waits for the one before it; so do copies.
    assert!(barriers > dispatches / 2 && barriers < 2 * dispatches, "{device}");
    // Every piece has an item at the root of the scene's tree, and every pair is an entry.
    assert!(entries >= count(&checked.stats["pieces"]) + count(&stages[4]["items_out"]), "{device}");
    // At least counters come back for each submission; control words are cleared, not uploaded.
    assert!(count(&device["read_bytes"]) > 8000 * submissions, "{device}");
    assert!(count(&device["cleared_bytes"]) > 8000 * chunks, "{device}");
    assert!(count(&device["uploaded_bytes"]) > 300 * 16, "{device}");
}
