//! Mutants of the exact stage: every term of its error bounds removed or made wrong, and the test that must detect it.
//!
//! The lists are in the submodules. Every run of the tests checks that they fit the sources; `every_mutant.rs` runs the
//! mutants, which takes minutes.
//!
//! ```text
//! .ci/mutants           all of them
//! .ci/mutants s4_sweep  those of which file or test have this in their names; several names with commas between them
//! ```

mod acm;
mod bounds;
mod certificates;
mod culling;
mod data;
mod extremal;
mod forest;
mod interface;
mod links;
mod shards;
mod solids;
mod solve;
mod toleranced;
mod trajectories;

use std::path::Path;

/// One term removed or made wrong.
pub struct Mutant {
    /// The purpose of the term.
    pub term: &'static str,
    /// The source file that contains it.
    pub file: &'static str,
    /// An expression that occurs exactly once in the file, or other text to replace.
    pub old: &'static str,
    /// The replacement of an expression; for other text, the text with the choice in it, where `MUTANT` is true if this
    /// mutant is switched on.
    pub new: &'static str,
    /// The test that must fail.
    pub test: &'static str,
}

/// A mutant, with arguments in the order of the table's columns.
const fn m(term: &'static str, file: &'static str, old: &'static str, new: &'static str, test: &'static str) -> Mutant {
    Mutant { term, file, old, new, test }
}

/// All mutants.
pub fn mutants() -> impl Iterator<Item = &'static Mutant> {
    let lists = [
        acm::MUTANTS,
        bounds::MUTANTS,
        solve::MUTANTS,
        culling::MUTANTS,
        links::MUTANTS,
        forest::MUTANTS,
        shards::MUTANTS,
        solids::MUTANTS,
        toleranced::MUTANTS,
        extremal::MUTANTS,
        trajectories::MUTANTS,
        certificates::MUTANTS,
        data::MUTANTS,
        interface::MUTANTS,
    ];
    lists.into_iter().flatten()
}

/// The verifier of certificates, which depends on no other crate here and has its own switch.
pub const VERIFIER: &str = "crates/verifier/";

/// The folder of the sources.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The sources of a file with all of its mutants, each behind its switch.
pub fn switched(file: &str, text: &str) -> Result<String, String> {
    let mut text = text.to_string();
    let is_own = !file.starts_with("crates/") || file.starts_with(VERIFIER);
    let library = if is_own { "crate" } else { "firstcontact" };
    for (k, m) in mutants().enumerate().filter(|(_, m)| m.file == file) {
        let found = text.matches(m.old).count();
        if found != 1 {
            return Err(format!("mutant {k} ({}): '{}' is {found} times in {file}", m.term, m.old));
        }
        let choice = match m.new.contains("MUTANT") {
            true => m.new.replace("MUTANT", &format!("{library}::mutant({k})")),
            false => format!("(if {library}::mutant({k}) {{ {} }} else {{ {} }})", m.new, m.old),
        };
        text = text.replace(m.old, &choice);
    }
    Ok(text)
}

/// The files that have mutants, each once.
pub fn files() -> Vec<&'static str> {
    let mut files: Vec<&str> = mutants().map(|m| m.file).collect();
    files.sort_unstable();
    files.dedup();
    files
}

#[test]
fn the_list_fits_the_sources() {
    use std::fs;

    fn read_all(folder: &Path, sources: &mut String) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read_all(&path, sources);
            } else if path.extension().is_some_and(|e| e == "rs") {
                sources.push_str(&fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut sources = String::new();
    for folder in ["src", "crates", "kernels-tests"] {
        read_all(&root().join(folder), &mut sources);
    }
    let mut faults = Vec::new();
    for file in files() {
        faults.extend(switched(file, &fs::read_to_string(root().join(file)).unwrap()).err());
    }
    for m in mutants() {
        let name = m.test.rsplit("::").next().unwrap_or_default();
        if !sources.contains(&format!("fn {name}()")) {
            faults.push(format!("no test '{}'", m.test));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
