//! Valid files mutated at random: whatever the result, a reader answers, and in one line.

use super::{load, samples};
use crate::effort;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Replacements for numbers and words.
const WORDS: &[&str] = &[
    "1",
    "2",
    "3",
    "0.5",
    "nan",
    "inf",
    "-1",
    "0",
    "1e999",
    "1e308",
    "-0.0",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "4294967296",
    "2147483648",
    "99999999999999999999999",
    "1e-320",
    " ",
    "\n",
    "/",
    "<",
    ">",
    "\"",
    "\\",
    "é",
    "<a>",
    "</a>",
    "list",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "-",
    ",",
    "#",
    "&amp;",
    "null",
    "true",
    "\u{0}",
];

/// A mutation of a sample: a few bytes or words are changed, moved, removed, or taken from another sample.
pub fn mutated(sample: &[u8], other: &[u8], rng: &mut impl Rng) -> Vec<u8> {
    let mut bytes = sample.to_vec();
    for _ in 0..rng.random_range(1..4) {
        if bytes.is_empty() {
            break;
        }
        let at = rng.random_range(0..bytes.len());
        let some = |n: usize, rng: &mut dyn Rng| at + rng.random_range(0..=(n - at).min(60));
        match rng.random_range(0..12) {
            0 => bytes[at] ^= 1 << rng.random_range(0..8),
            1 => bytes[at] = rng.random(),
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..some(bytes.len(), rng))),
            4 => {
                let piece = bytes[at..some(bytes.len(), rng)].to_vec();
                let to = rng.random_range(0..bytes.len());
                bytes.splice(to..to, piece);
            }
            5 => {
                let from = rng.random_range(0..other.len());
                let piece = &other[from..(from + rng.random_range(1..200)).min(other.len())];
                bytes.splice(at..some(bytes.len(), rng), piece.iter().copied());
            }
            6 => {
                let word = WORDS[rng.random_range(0..WORDS.len())];
                bytes.splice(at..at, word.bytes());
            }
            7..=10 => {
                // A number, or otherwise a word, as a whole.
                let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"+-._".contains(b);
                let is_start = |b: &u8| b.is_ascii_digit() || (rng.random_range(0..100) == 0 && is_part(b));
                let Some(skip) = bytes[at..].iter().position(is_start) else { continue };
                let (start, word) = (at + skip, WORDS[rng.random_range(0..WORDS.len())]);
                let end = start + bytes[start..].iter().position(|b| !is_part(b)).unwrap_or(bytes.len() - start);
                bytes.splice(start..end, word.bytes());
            }
            _ => {
                let value: u8 = [0xff, 0x00, 0x7f, 0x80][rng.random_range(0..4)];
                let end = (at + 4).min(bytes.len());
                bytes[at..end].fill(value);
            }
        }
    }
    bytes
}

/// A sample in which one word, or the content of one string, is tens of thousands of characters long.
pub fn with_a_long_word(sample: &[u8], rng: &mut impl Rng) -> Vec<u8> {
    let mut bytes = sample.to_vec();
    let is_word = |b: &u8| b.is_ascii_alphabetic() || *b == b'_';
    let letters: Vec<usize> = (0..bytes.len()).filter(|&i| is_word(&bytes[i])).collect();
    let at = if letters.is_empty() { 0 } else { letters[rng.random_range(0..letters.len())] };
    let long = ["é", "x", "ab ", "..", "\"", "1", "/y"][rng.random_range(0..7)];
    bytes.splice(at..at, long.repeat(rng.random_range(1_000..30_000)).into_bytes());
    bytes
}

#[test]
fn no_mutation_makes_a_reader_panic() {
    let folder = tempfile::tempdir().unwrap();
    let robot = samples::prepare(folder.path());
    let all = samples::all();
    let n = effort(5_000, 200_000);
    for (i, (name, sample)) in all.iter().enumerate() {
        let mut rng = Pcg64Mcg::seed_from_u64(i as u64);
        let path = folder.path().join(format!("mutated-{name}"));
        let (mut n_refused, mut longest) = (0, 0);
        let start = std::time::Instant::now();
        for _ in 0..n {
            let (_, other) = &all[rng.random_range(0..all.len())];
            let bytes = match rng.random_range(0..20) {
                0 => with_a_long_word(sample, &mut rng),
                _ => mutated(sample, other, &mut rng),
            };
            // A new file each time: some file systems write an overwritten file to the disk immediately.
            let _ = std::fs::remove_file(&path);
            std::fs::write(&path, &bytes).unwrap();
            let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| load(&path, &robot)));
            match answer {
                Ok(Ok(())) => {}
                Ok(Err(e)) => {
                    let message = e.to_string();
                    assert!(!message.contains('\n'), "{message}");
                    longest = longest.max(message.chars().count());
                    n_refused += 1;
                }
                Err(_) => panic!("a reader panicked on {name}: {:?}", String::from_utf8_lossy(&bytes)),
            }
        }
        assert!(longest <= 1000, "{name}: a message of {longest} characters");
        let seconds = start.elapsed().as_secs_f64();
        println!("{name}: {n} mutations, {n_refused} refused, longest message {longest} characters, {seconds:.1} s");
    }
}
