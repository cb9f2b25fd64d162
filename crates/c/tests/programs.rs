//! Programs that use the interface.

use crate::harness::Program;

#[test]
fn the_first_check_in_c() {
    let Some(printed) = Program::new("examples/first_check.c").run(&["examples/arm"]) else { return };
    assert!(printed.contains("column 0 is ") && printed.contains("motion 0 is free"), "{printed}");
    assert!(printed.contains("\"motion\":1,\"verdict\":\"contact\"") && printed.ends_with("yes\n"), "{printed}");
}
