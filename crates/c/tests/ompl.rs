//! OMPL, where its headers are installed.

use crate::harness::{Program, data, flags_of, is_full};

/// Flags of OMPL and what it needs, or `None` and a line.
fn flags() -> Option<Vec<String>> {
    flags_of("ompl")
}

fn program(source: &str, flags: &[String]) -> Program {
    let (libraries, headers): (Vec<&str>, Vec<&str>) =
        flags.iter().map(String::as_str).partition(|flag| flag.starts_with("-l") || flag.starts_with("-L"));
    Program::new(source).flags(&headers).libraries(&libraries).libraries(&["-lpthread"])
}

#[test]
fn validators_and_roadmaps() {
    let Some(flags) = flags() else { return };
    let printed = program("tests/programs/ompl.cpp", &flags).run(&["examples/arm"]);
    printed.iter().for_each(|printed| assert_eq!(printed, "passed\n"));
}

#[test]
fn plans_in_the_bookstore() {
    let (Some(flags), Some(data)) = (flags(), data()) else { return };
    let n = if is_full() { "50" } else { "5" };
    let program = program("examples/ompl_bookstore.cpp", &flags);
    let Some(printed) = program.run(&[data.as_os_str(), n.as_ref()]) else { return };
    println!("{printed}");
    assert!(printed.contains("certified: ") && printed.contains(" paths, 0 of them collide"), "{printed}");
}
