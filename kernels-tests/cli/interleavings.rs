//! Any number of processes on one output, started, killed and continued at random.
#![cfg(unix)]

use super::interrupt::{desk_of, signal, wait_for_answers};
use super::writers::spawn_to;
use super::{Desk, Run};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::process::Child;

const MOTIONS: usize = 3000;

/// The processes of one interleaving.
struct Crowd<'d> {
    desk: &'d Desk,
    random: Pcg64Mcg,
    no_locks: bool,
    running: Vec<Child>,
    /// Answers of an undisturbed run.
    whole: &'d str,
    killed_midway: usize,
    refused: usize,
}

impl Crowd<'_> {
    fn below(&mut self, n: u64) -> u64 {
        self.random.next_u64() % n
    }

    fn start(&mut self) {
        let more: &[&str] = if self.below(3) == 0 { &[] } else { &["--resume"] };
        let child = spawn_to(self.desk, "out/results", &[&["--threads", "1"], more].concat(), self.no_locks);
        self.running.push(child);
    }

    /// Waits until some process has written some answers, and kills one.
    fn kill(&mut self) {
        if self.running.is_empty() {
            return;
        }
        let bytes = self.below(self.whole.len() as u64);
        let i = self.below(self.running.len() as u64) as usize;
        let mut child = self.running.swap_remove(i);
        if wait_for_answers(self.desk, &mut child, bytes).is_none() {
            signal(&child, "KILL");
        }
        self.ended(child);
    }

    /// Checks that a process ends in one of three ways, and that the output is complete or missing whatever happens.
    fn ended(&mut self, child: Child) {
        let id = child.id();
        let run = Run::new(child.wait_with_output().unwrap());
        match run.code {
            None => {
                let length = std::fs::metadata(self.desk.path("out/results.part")).map_or(0, |m| m.len());
                self.killed_midway += usize::from(length > 0 && length < self.whole.len() as u64);
                self.remove_lock(&format!(" {id}\n"));
            }
            Some(1) => {}
            Some(3) => {
                let [error] = run.errors()[..] else { panic!("{}", run.stderr) };
                assert!(error.contains("is writing this output"), "{error}");
                self.refused += 1;
            }
            code => panic!("{code:?}: {}", run.stderr),
        }
        let out = std::fs::read_to_string(self.desk.path("out/results"));
        assert!(out.is_err() || out.unwrap() == self.whole);
    }

    /// Follows the error message: deletes a lock file whose process has ended.
    fn remove_lock(&self, end: &str) {
        let path = self.desk.path("out/results.part.lock");
        if std::fs::read_to_string(&path).is_ok_and(|text| text.ends_with(end)) {
            std::fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn any_interleaving_ends_with_the_same_bytes() {
    let desk = desk_of(MOTIONS);
    let undisturbed = Run::new(spawn_to(&desk, "undisturbed", &[], false).wait_with_output().unwrap());
    undisturbed.expect(1);
    let whole = desk.text("undisturbed");
    let (mut killed_midway, mut refused) = (0, 0);
    for seed in 0..100 {
        let random = Pcg64Mcg::seed_from_u64(seed);
        // A third of them without the system's locks.
        let no_locks = seed % 3 == 2;
        let (running, whole) = (Vec::new(), whole.as_str());
        let mut crowd = Crowd { desk: &desk, random, no_locks, running, whole, killed_midway: 0, refused: 0 };
        for _ in 0..3 + crowd.below(5) {
            match crowd.below(5) {
                0..3 => crowd.start(),
                _ => crowd.kill(),
            }
        }
        while let Some(child) = crowd.running.pop() {
            crowd.ended(child);
        }
        // No process is left. One that was killed before it wrote its name has left an empty lock file.
        crowd.remove_lock("");
        // Whatever state is left, one more run completes it.
        let last = Run::new(spawn_to(&desk, "out/results", &["--resume"], no_locks).wait_with_output().unwrap());
        assert_eq!((last.code, last.errors().len()), (Some(1), 0), "{seed}: {}", last.stderr);
        assert!(desk.text("out/results") == whole, "{seed}");
        let left: Vec<String> = desk.names().into_iter().filter(|name| name.starts_with("out/")).collect();
        assert_eq!(left, ["out/results"], "{seed}");
        std::fs::remove_dir_all(desk.path("out")).unwrap();
        killed_midway += crowd.killed_midway;
        refused += crowd.refused;
    }
    // Otherwise the seeds have tested nothing.
    println!("{killed_midway} killed midway, {refused} refused");
    assert!(killed_midway >= 20 && refused >= 20, "{killed_midway} killed midway, {refused} refused");
}
