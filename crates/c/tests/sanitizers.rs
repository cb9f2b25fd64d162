//! The tests in C++ with sanitizers: their code has the checks, the library is as it is installed.

use crate::harness::{Program, command, has_sanitizer, printed, root};

fn passes(flags: &[&str], environment: &[(&str, String)]) {
    let Some(program) = Program::new("tests/programs/interface.cpp").flags(flags).libraries(&["-lpthread"]).compile()
    else {
        return;
    };
    let mut command = command(program);
    command.arg("examples/arm").current_dir(root()).envs(environment.iter().map(|(name, value)| (*name, value)));
    assert_eq!(printed(&mut command), "passed\n");
}

#[test]
fn addresses_and_undefined_behaviour() {
    if has_sanitizer("-fsanitize=address,undefined") {
        let options = ("ASAN_OPTIONS", "detect_stack_use_after_return=1:strict_string_checks=1".to_string());
        passes(&["-fsanitize=address,undefined", "-fno-sanitize-recover=all"], &[options]);
    } else {
        passes(&[], &[]);
    }
}

/// The library's own synchronisation is invisible to the sanitizer, so its reports about the library are suppressed.
#[test]
fn data_races() {
    if has_sanitizer("-fsanitize=thread") {
        let suppressions = root().join("crates/c/tests/programs/threads.supp");
        let options = ("TSAN_OPTIONS", format!("halt_on_error=1:suppressions={}", suppressions.display()));
        passes(&["-fsanitize=thread"], &[options]);
    }
}
