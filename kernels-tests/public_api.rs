//! The public API is the committed list: a name that appears or disappears at the root of the library is a decision.

use std::collections::BTreeSet;

/// Names that `src/lib.rs` exports, and modules that are part of the documentation.
fn exported(source: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut hidden = false;
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let source: String = source.lines().filter(is_code).flat_map(|line| [line, "\n"]).collect();
    // Attributes and statements.
    for piece in source.split_inclusive([']', ';']) {
        let piece = piece.trim();
        if piece == "#[doc(hidden)]" {
            hidden = true;
        } else if let Some(module) = piece.strip_prefix("pub mod ")
            && !std::mem::take(&mut hidden)
        {
            names.insert(format!("mod:{}", module.trim_end_matches(';')));
        }
    }
    for piece in source.split("pub use ").skip(1) {
        let path = piece.split(';').next().unwrap();
        let list = path.split_once('{').map_or(path, |(_, list)| list.trim_end_matches('}'));
        let last = |name: &str| name.trim().rsplit("::").next().unwrap().to_string();
        names.extend(list.split(',').map(last).filter(|name| !name.is_empty()));
    }
    names
}

#[test]
fn the_root_exports_the_committed_list() {
    let source = include_str!("../src/lib.rs");
    let listed: BTreeSet<String> = include_str!("public_api.txt").lines().map(String::from).collect();
    assert_eq!(exported(source), listed);
}

#[test]
fn names_are_found() {
    let source =
        "/// A.\n#[doc(hidden)]\npub mod a;\npub mod b;\n#[doc(inline)]\npub use a::{X, Y};\npub use b::c::Z;\n";
    let expected = ["X", "Y", "Z", "mod:b"].map(String::from);
    assert_eq!(exported(source), BTreeSet::from(expected));
}
