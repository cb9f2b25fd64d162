//! Mutants of the interface for C and C++.

use super::{Mutant, m};

const ENVIRONMENT: &str = "src/arith/float_environment.rs";
const THREADS: &str = "arith::float_environment::tests::threads_of_engines_have_the_default_environment";
const CALLERS: &str = "c::programs::the_callers_environment_changes_nothing";
const ENGINE: &str = "crates/c/src/engine.rs";
const BAD_INPUT: &str = "c::programs::bad_input_is_refused";
const CPP: &str = "c::sanitizers::addresses_and_undefined_behaviour";
const CERTIFICATES: &str = "c::answers::certificates";

pub const MUTANTS: &[Mutant] = &[
    m("rounding to nearest", ENVIRONMENT, "!control::is_default(before)", "false", CALLERS),
    m("the caller's rounding stays", ENVIRONMENT, "!control::is_default(self.before)", "false", CALLERS),
    m("callbacks have the caller's rounding", ENVIRONMENT, "control::is_default(caller)", "true", CALLERS),
    m(
        "a forked process has no threads",
        "crates/c/src/fork.rs",
        "IS_FORKED.load(Ordering::Relaxed)",
        "false",
        "c::programs::forks_and_unloading",
    ),
    m(
        "handles are never used again",
        "crates/c/src/handles.rs",
        "NEXT.fetch_add(STEP, Ordering::Relaxed)",
        "NEXT.load(Ordering::Relaxed)",
        "c::handles::tests::handles_are_never_reused",
    ),
    m(
        "no memory is an error",
        "crates/c/src/memory.rs",
        "list.try_reserve_exact(n)",
        "Ok::<(), std::collections::TryReserveError>(())",
        "c::memory::tests::impossible_lists_are_errors",
    ),
    m(
        "arrays beyond the range of addresses",
        "crates/c/src/rows.rs",
        "n_all.is_none_or(|n| n > isize::MAX as usize)",
        "false",
        "c::rows::tests::impossible_arrays_are_refused",
    ),
    m(
        "outputs do not overlap",
        "crates/c/src/output.rs",
        "stride_bytes.unsigned_abs() < size_of::<T>()",
        "false",
        BAD_INPUT,
    ),
    m("callbacks start no check", "crates/c/src/control.rs", "IN_CALLBACK.get()", "false", BAD_INPUT),
    m("only free motions are free", "crates/c/src/check.rs", "verdict == Verdict::Free", "true", CPP),
    m("allowed pairs in another scene", ENGINE, "Allowed::existing(allow, robot, &scene)", "Vec::new()", CPP),
    m(
        "objects of the scene that an attached object may touch",
        ENGINE,
        "&[object], touching",
        "&[object], if MUTANT { Vec::new() } else { touching }",
        CPP,
    ),
    m(
        "margin of certificates",
        ENGINE,
        "statement.with_margin_m(made_of.options.solve.margin_m)",
        "statement",
        CERTIFICATES,
    ),
    m(
        "pairs of links of certificates",
        ENGINE,
        "let pairs = engine.world().link_pairs.clone();",
        "let pairs = if MUTANT { firstcontact::LinkPairs::none() } else { engine.world().link_pairs.clone() };",
        CERTIFICATES,
    ),
    m(
        "joint tolerance of certificates",
        "crates/c/src/certificates.rs",
        "self.statement.clone().with_joint_tolerance(joint_tolerance.to_vec())",
        "self.statement.clone()",
        CERTIFICATES,
    ),
    m("threads of engines", "src/engine/workers.rs", "float_environment::set_default()", "()", THREADS),
    m(
        "certificates of another kind",
        "crates/cli/src/verify.rs",
        "args.refuse_for_tolerance()?",
        "()",
        "toleranced::command::a_robot_from_files",
    ),
];
