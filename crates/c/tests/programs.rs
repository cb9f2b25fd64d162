//! Programs that use the interface.

use crate::harness::{Program, arm, has, is_full, prefix, printed, root};
use std::process::Command;

const ARM: [&str; 1] = ["examples/arm"];

fn passes(program: &Program) {
    program.run(&ARM).iter().for_each(|printed| assert_eq!(printed, "passed\n"));
}

fn is_first_check(printed: &str) -> bool {
    printed.contains("column 0 is ")
        && printed.contains("motion 0 is free")
        && printed.contains("\"motion\":1,\"verdict\":\"contact\"")
        && printed.ends_with("yes\n")
}

#[test]
fn the_first_check_in_c() {
    let Some(of_c) = Program::new("examples/first_check.c").run(&ARM) else { return };
    assert!(is_first_check(&of_c), "{of_c}");
    let Some(of_cpp) = Program::new("examples/first_check.cpp").run(&ARM) else { return };
    assert_eq!(of_c, of_cpp);
}

#[test]
fn a_plan_is_audited() {
    let Some(printed) = Program::new("examples/audit.cpp").run(&ARM) else { return };
    assert!(printed.contains("executed") && printed.contains("clearance"), "{printed}");
}

/// The header is C99 and C++, and its functions can be called from both.
#[test]
fn other_standards() {
    for standard in ["c99", "c17"] {
        Program::new("examples/first_check.c").standard(standard).compile();
    }
    Program::new("examples/first_check.cpp").standard("c++20").compile();
}

#[test]
fn bad_input_is_refused() {
    let Some(printed) = Program::new("tests/programs/bad_input.c").libraries(&["-lm"]).run(&ARM) else { return };
    assert!(printed.ends_with(" calls were refused\n"), "{printed}");
}

#[test]
fn without_exceptions() {
    passes(&Program::new("tests/programs/expected.cpp").flags(&["-fno-exceptions", "-fno-rtti"]));
}

/// Matrices of Eigen, whose headers Debian installs into a folder of their own.
#[test]
fn matrices_of_eigen() {
    let Some(flags) = crate::harness::flags_of("eigen3") else { return };
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    passes(&Program::new("tests/programs/eigen.cpp").flags(&flags));
}

/// Rounding, traps and subnormal numbers of the caller: also those of a program that is compiled with `-ffast-math`,
/// which starts with another control word.
#[test]
fn the_callers_environment_changes_nothing() {
    let program = Program::new("tests/programs/environment.c").standard("gnu11").libraries(&["-lm"]);
    passes(&program.flags(&["-frounding-math"]));
}

#[test]
#[cfg(target_os = "linux")]
fn forks_and_unloading() {
    let library = prefix().join("lib/libfirstcontact.so");
    let program = Program::new("tests/programs/processes.c").standard("gnu11").libraries(&["-ldl", "-lpthread"]);
    program.run(&[library]).iter().for_each(|printed| assert_eq!(printed, "passed\n"));
}

/// The stack that the header asks for is enough, in a build with optimisation.
#[test]
fn small_stacks() {
    if cfg!(debug_assertions) {
        return;
    }
    let program = Program::new("tests/programs/stack.c").standard("gnu11").libraries(&["-lpthread", "-lm"]);
    program.run(&["examples/arm", "262144"]).iter().for_each(|printed| assert_eq!(printed, "passed\n"));
}

/// Memory does not grow with the number of engines that are made and freed.
#[test]
#[cfg(target_os = "linux")]
fn engines_do_not_leak_memory() {
    let n = if is_full() { 10_000 } else { 1_000 };
    let Some(printed) = Program::new("tests/programs/engines.c").run(&[arm(""), n.to_string().into()]) else { return };
    let kib: Vec<i64> = printed.lines().map(|line| line.parse().unwrap()).collect();
    let [early, late] = kib[..] else { panic!("{printed}") };
    println!("{n} engines: {early} KiB after a tenth, {late} KiB at the end");
    // Far less than what any of the objects takes, 1 KiB each.
    assert!(early > 1000 && late - early < n * 9 / 10, "{early} KiB, later {late} KiB");
}

#[test]
fn valgrind_finds_nothing() {
    if !has("valgrind") {
        return;
    }
    let Some(program) = Program::new("examples/first_check.c").compile() else { return };
    let mut valgrind = Command::new("valgrind");
    // The blocks of threads that still run are "possibly lost".
    valgrind.args(["--quiet", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
    assert!(is_first_check(&printed(valgrind.arg(program).args(ARM).current_dir(root()))));
}
