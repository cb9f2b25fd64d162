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
    if std::env::var_os("FIRSTCONTACT_WRITE_HEADER").is_some() {
        std::fs::write(committed(), fresh()).unwrap();
    }
    let committed = std::fs::read_to_string(committed()).unwrap();
    let write = "FIRSTCONTACT_WRITE_HEADER=1 cargo test -p firstcontact-c header";
    assert!(committed == fresh(), "include/firstcontact.h differs from the sources: make it again with `{write}`");
}

/// Names of the functions that programs can call.
fn functions(header: &str) -> Vec<&str> {
    let code = header.lines().filter(|line| !line.starts_with("//"));
    let name = |line: &str| {
        let from = line.find("fc_")?;
        let line = &header[line.as_ptr() as usize - header.as_ptr() as usize + from..];
        Some(&line[..line.find('(')?])
    };
    code.filter(|line| line.contains('(') && !line.starts_with([' ', '#'])).filter_map(name).collect()
}

/// Functions that cannot fail.
const CANNOT_FAIL: [&str; 8] = [
    "fc_rows",
    "fc_indices",
    "fc_error_message",
    "fc_error_file",
    "fc_error_place",
    "fc_error_remedy",
    "fc_version",
    "fc_is_compatible",
];

/// The program that gives bad input to every function leaves none out, and those for C++ call each of them.
#[test]
fn every_function_is_tested() {
    let (header, folder) = (fresh(), PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    let bad_input = std::fs::read_to_string(folder.join("tests/programs/bad_input.c")).unwrap();
    let all = functions(&header);
    assert!(all.len() > 90, "{}", all.len());
    let refused =
        |name: &str| ["USAGE(", "INPUT(", "EXPECT("].iter().any(|check| bad_input.contains(&format!("{check}{name}(")));
    let untested: Vec<_> = all.iter().filter(|name| !CANNOT_FAIL.contains(name) && !refused(name)).collect();
    assert!(untested.is_empty(), "without bad input: {untested:?}");
    let mut headers = String::new();
    for entry in std::fs::read_dir(folder.join("include/firstcontact")).unwrap() {
        headers += &std::fs::read_to_string(entry.unwrap().path()).unwrap();
    }
    let unused: Vec<_> = all.iter().filter(|name| !headers.contains(**name) && **name != "fc_n_living").collect();
    assert!(unused.is_empty(), "not in the interface for C++: {unused:?}");
}

/// Functions, types and constants do not collide with those of other libraries in a program.
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
