//! The committed header is that of the sources.

use std::path::PathBuf;

fn committed() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("include/firstcontact.h")
}

/// The header as cbindgen makes it from the sources.
fn fresh() -> String {
    let bindings = cbindgen::generate(env!("CARGO_MANIFEST_DIR")).unwrap();
    let mut bytes = Vec::new();
    bindings.write(&mut bytes);
    String::from_utf8(bytes).unwrap()
}

#[test]
fn the_committed_header_is_up_to_date() {
    let committed = std::fs::read_to_string(committed()).unwrap();
    let write = "cargo test -p firstcontact-c -- --ignored header::write";
    assert!(committed == fresh(), "include/firstcontact.h differs from the sources: make it again with `{write}`");
}

#[test]
#[ignore = "writes the header"]
fn write() {
    std::fs::write(committed(), fresh()).unwrap();
}

/// Functions, types and constants of other libraries of a program are not in the way.
#[test]
fn every_name_has_the_prefix() {
    let header = fresh();
    let code = header.lines().filter(|line| !line.trim_start().starts_with("//"));
    let functions: Vec<&str> =
        code.clone().filter(|line| line.contains('(') && !line.starts_with([' ', '#'])).collect();
    assert!(functions.len() > 70, "{}", functions.len());
    let is_own = |line: &&&str| line.contains(" fc_") || line.contains("*fc_") || line.contains("(*Fc");
    assert!(functions.iter().all(|line| is_own(&line)), "{functions:#?}");
    let constants = code.filter(|line| line.starts_with("#define ") && *line != "#define FIRSTCONTACT_H");
    constants.for_each(|line| assert!(line.starts_with("#define FC_"), "{line}"));
}
