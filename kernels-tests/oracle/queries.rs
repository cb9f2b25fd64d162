//! Elementary queries of published collections: four points on straight lines, with truth and exact first times.

use super::data;
use super::inclusion::Equation;
use super::poses::Straight;
use glam::DVec3;
use num_bigint::BigInt;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The known truth of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Known {
    Miss,
    /// The first contact is between these times, which are one or two ulps apart.
    Hit(f64, f64),
    /// Not decided by the exact computation; the collection's own answer is [`Query::truth`].
    Degenerate,
}

/// One query.
#[derive(Clone, Debug)]
pub struct Query {
    /// The file, relative to the collection, and the index in it.
    pub name: String,
    /// Vertex 0 against face 1 2 3, or edge 0 1 against edge 2 3.
    pub equation: Equation,
    pub motion: Straight,
    pub truth: bool,
    pub known: Known,
}

/// A file of queries, with their known truth.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file, relative to the collection.
    pub name: String,
    /// `vertex-face` or `edge-edge`.
    pub kind: &'static str,
    /// The queries, as in the file.
    pub text: String,
    toi: String,
    /// The truth, if the file does not contain it.
    truth: Vec<bool>,
}

impl Source {
    /// The queries.
    pub fn queries(&self) -> Vec<Query> {
        parse(&self.name, self.kind, &self.text, &self.toi, &self.truth)
    }
}

/// All queries of `ccd-queries`, or `None` without data.
pub fn handmade() -> Option<Vec<Query>> {
    Some(handmade_files()?.iter().flat_map(Source::queries).collect())
}

/// All queries of `ccd-simulation`, or `None` without data.
pub fn simulated() -> Option<Vec<Query>> {
    Some(simulated_files()?.iter().flat_map(Source::queries).collect())
}

/// The files of `ccd-queries`.
pub fn handmade_files() -> Option<Vec<Source>> {
    let root = data::folder("ccd-queries")?;
    let mut out = Vec::new();
    for scene in sorted(&root).into_iter().filter(|p| p.is_dir()) {
        for kind in ["edge-edge", "vertex-face"] {
            for file in sorted(&scene.join(kind)) {
                let name = file.strip_prefix(&root).expect("below the root").display().to_string();
                if !name.ends_with(".toi.csv") {
                    let (queries, toi) = (text(&file), text(&file.with_extension("toi.csv")));
                    out.push(Source { name, kind, text: queries, toi, truth: Vec::new() });
                }
            }
        }
    }
    Some(out)
}

/// The files of `ccd-simulation`.
pub fn simulated_files() -> Option<Vec<Source>> {
    let root = data::folder("ccd-simulation")?;
    let mut out = Vec::new();
    for (scene, name) in [("cloth-funnel", "227vf"), ("cloth-funnel", "227ee"), ("armadillo-rollers", "326vf")] {
        let at = |folder: &str, file: String| root.join(scene).join(folder).join(file);
        let truth: Vec<bool> =
            serde_json::from_str(&text(&at("mma_bool", format!("{name}_mma_bool.json")))).expect("flags");
        let kind = if name.ends_with("vf") { "vertex-face" } else { "edge-edge" };
        let queries = text(&at("queries", format!("{name}.csv")));
        let toi = text(&at("toi", format!("{name}.csv")));
        out.push(Source { name: format!("{scene}/{name}"), kind, text: queries, toi, truth });
    }
    Some(out)
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// The text of a file, or of the file with `.xz` appended to its name.
fn text(path: &Path) -> String {
    let mut out = String::new();
    if path.is_file() {
        out = std::fs::read_to_string(path).expect("a text file");
    } else {
        let packed = PathBuf::from(format!("{}.xz", path.display()));
        let file = std::fs::File::open(&packed).unwrap_or_else(|e| panic!("{}: {e}", packed.display()));
        let file = std::io::BufReader::new(file);
        lzma_rust2::XzReader::new(file, true).read_to_string(&mut out).expect("a packed text file");
    }
    out
}

/// The truth is the seventh column, or `truth` if there is none.
fn parse(name: &str, kind: &str, queries: &str, toi: &str, truth: &[bool]) -> Vec<Query> {
    let equation = match kind {
        "vertex-face" => Equation::VertexFace(0, [1, 2, 3]),
        _ => Equation::EdgeEdge([0, 1], [2, 3]),
    };
    let rows: Vec<Vec<&str>> = queries.lines().map(|l| l.split(',').map(str::trim).collect()).collect();
    let known: Vec<Known> = toi.lines().skip(1).map(known).collect();
    assert_eq!(rows.len(), 8 * known.len(), "{name}");
    let query = |(i, (rows, known)): (usize, (&[Vec<&str>], &Known))| {
        let points: Vec<DVec3> =
            rows.iter().map(|r| DVec3::from_array([0, 2, 4].map(|k| quotient(r[k], r[k + 1])))).collect();
        let truth = rows[0].get(6).map_or_else(|| truth[i], |word| *word == "1");
        let motion = Straight { start: points[..4].to_vec(), end: points[4..].to_vec() };
        Query { name: format!("{name}:{i}"), equation, motion, truth, known: *known }
    };
    rows.chunks_exact(8).zip(&known).enumerate().map(query).collect()
}

fn known(line: &str) -> Known {
    let words: Vec<&str> = line.split(',').map(str::trim).collect();
    match words[1] {
        "miss" => Known::Miss,
        "hit" => Known::Hit(words[2].parse().expect("a number"), words[3].parse().expect("a number")),
        "degenerate" => Known::Degenerate,
        other => panic!("status {other}"),
    }
}

/// A quotient that is an exact double: the denominator is a power of two.
fn quotient(numerator: &str, denominator: &str) -> f64 {
    let whole = |word: &str| -> f64 {
        let n: BigInt = word.parse().expect("a whole number");
        let near: f64 = n.to_string().parse().expect("a number");
        assert_eq!(BigInt::from(near as i128), n, "{word} is no double");
        near
    };
    whole(numerator) / whole(denominator)
}

#[cfg(test)]
mod tests {
    use super::super::inclusion::{self, Answer, Limits};
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn the_collections_are_complete() {
        let (Some(a), Some(b)) = (handmade(), simulated()) else { return };
        assert_eq!(a.len(), 5134);
        assert_eq!(b.len(), 92 + 263 + 4652);
        for q in a.iter().chain(&b) {
            match q.known {
                Known::Miss => assert!(!q.truth, "{}", q.name),
                Known::Hit(lo, hi) => assert!(q.truth && lo <= hi, "{}", q.name),
                Known::Degenerate => {}
            }
        }
        assert_eq!(a.iter().filter(|q| q.known == Known::Degenerate).count(), 30);
    }

    /// No query that touches is called free, nor clear for too long; nearly all misses are called free.
    #[test]
    fn the_inclusion_solver_agrees_with_the_truth() {
        let (Some(a), Some(b)) = (handmade(), simulated()) else { return };
        let limits = Limits { part: 1e-12, difference: 1e-14, cap: 20_000, ..Limits::default() };
        for (queries, most_unproved, most_early) in [(a, 80, 15), (b, 60, 140)] {
            let queries = data::bearable(queries);
            let (mut unproved, mut early) = (0, 0);
            let answer = |q: &Query| inclusion::first(&q.motion, &[q.equation], limits);
            let answers: Vec<Answer> = queries.par_iter().map(answer).collect();
            for (q, answer) in queries.iter().zip(answers) {
                match (answer, q.known) {
                    (Answer::Free, Known::Miss) => {}
                    (Answer::Free, Known::Degenerate) => assert!(!q.truth, "{}", q.name),
                    (_, Known::Hit(_, hi)) => {
                        assert!(answer != Answer::Free && answer.clear_until() <= hi, "{} {answer:?}", q.name);
                        early += usize::from(hi - answer.clear_until() > 1e-6);
                    }
                    (_, Known::Miss) => unproved += 1,
                    _ => {}
                }
            }
            println!("{} queries: {unproved} misses not proved, {early} hits 1e-6 early or more", queries.len());
            assert!(unproved <= most_unproved && early <= most_early);
        }
    }
}
