//! The list: files of others, and the judgement of other engines' answers.

use super::{Mutant, m};

const ROWS: &str = "formats::csv::tests::malformed_files_are_errors_with_their_line";
const DOWNLOAD: &str = "crates/datasets/src/fetch/download.rs";
const UNPACK: &str = "crates/datasets/src/fetch/unpack.rs";
const MANIFEST: &str = "crates/datasets/src/manifest.rs";
const PROBLEMS: &str = "crates/datasets/src/problems.rs";
const MATRIX: &str = "src/formats/moveit/matrix.rs";
const IN_HAND: &str = "src/formats/moveit/attached.rs";
const MOVEIT: &str = "src/formats/moveit/mod.rs";
const SHAPES: &str = "src/formats/moveit/shapes.rs";
const REQUEST: &str = "src/formats/moveit/request.rs";
const SCORE: &str = "crates/cli/src/bench/peers/score.rs";
const FACT: &str = "crates/cli/src/bench/peers/fact.rs";
const MEANS: &str = "crates/cli/src/bench/peers/means.rs";
const PRINTED: &str = "crates/cli/src/bench/printed.rs";

const ANOTHER_FILE: &str = "datasets::mirrors::a_file_that_differs_from_the_manifest_is_refused";
const ARCHIVES: &str = "datasets::archives::requested_entries_are_unpacked_to_their_paths";
const LEAVES: &str = "datasets::archives::paths_that_leave_the_folder_are_refused";
const LINKS: &str = "datasets::archives::links_and_devices_are_refused";
const TWICE: &str = "datasets::archives::duplicate_entries_are_refused";
const BOMBS: &str = "datasets::archives::decompression_bombs_are_stopped_at_the_limit";
const ALLOWED: &str = "datasets::moveit::allowed_collisions_are_those_of_the_matrix";
const PLACES: &str = "datasets::moveit::shape_poses_compose_frame_object_and_shape";
const HELD: &str = "datasets::moveit::attached_objects_are_placed_in_their_link";
const NO_TRIANGLES: &str = "datasets::moveit::unsupported_objects_are_errors";
const BY_NAME: &str = "datasets::moveit::values_are_assigned_to_joints_by_name";
const OWN_SCENE: &str = "datasets::names::each_problem_is_checked_in_its_own_scene";
const FAULTS: &str = "cli::bench::peers::score::tests::kinds_of_faults_are_distinguished";
const LATE: &str = "cli::bench::peers::score::tests::lateness_is_judged_by_the_distance_that_the_robot_travels";
const CLEAR: &str = "cli::bench::peers::score::tests::clear_times_after_the_contact_are_late";
const CONTRADICT: &str = "cli::bench::peers::fact::tests::judges_contradict_each_other_in_verdict_or_time";
const HEARD: &str = "cli::bench::peers::fact::tests::the_first_judge_that_knows_decides_except_the_engine_on_itself";
const PEERS: &str = "cli::bench::peers::tests::measurement_with_peers_of_all_kinds";
const ADD_UP: &str = "cli::bench::printed::tests::rows_of_printed_tables_add_up_except_known_ones";

/// Mutants of the code that reads others' files and judges others' answers.
pub const MUTANTS: &[Mutant] = &[
    // Downloads and archives.
    m("hash of a download", DOWNLOAD, "!found.eq_ignore_ascii_case(&file.sha256)", "false", ANOTHER_FILE),
    m("a download that is too short", DOWNLOAD, "length != file.size", "false", ANOTHER_FILE),
    m("a download that does not end", DOWNLOAD, "length > file.size", "false", ANOTHER_FILE),
    m("paths that go up", MANIFEST, "matches!(c, Component::Normal(_))", "true", LEAVES),
    m("paths of another system", MANIFEST, "path.chars().all(plain)", "true", LEAVES),
    m("links and devices in an archive", UNPACK, "if !is_file {", "if !is_file && !MUTANT {", LINKS),
    m("links in a zip", UNPACK, "FILE_TYPE == REGULAR_FILE", "FILE_TYPE == REGULAR_FILE || MUTANT", LINKS),
    m("entries of one name", UNPACK, ".create_new(true)", ".create_new(!MUTANT).create(true).truncate(true)", TWICE),
    m("bytes of an entry", UNPACK, "self.left.saturating_add(1)", "u64::MAX", BOMBS),
    m(
        "bytes of what is not taken",
        UNPACK,
        "limits.bytes.saturating_add(2048 * limits.entries as u64)",
        "u64::MAX",
        BOMBS,
    ),
    m("entries of a tar", UNPACK, "i >= limits.entries", "false", BOMBS),
    m("what takes nothing is told", UNPACK, "self.used.iter().position(|used| !used)", "None::<usize>", ARCHIVES),
    // Planning problems.
    m(
        "both places of the matrix count",
        MATRIX,
        "self.values[i][j] && self.values[j][i]",
        "self.values[i][j] || self.values[j][i]",
        ALLOWED,
    ),
    m(
        "defaults have to agree",
        MATRIX,
        "(Some(a), Some(b)) => *a && *b",
        "(Some(a), Some(b)) => if MUTANT { *a || *b } else { *a && *b }",
        ALLOWED,
    ),
    m("what no entry names is tested", MATRIX, "(None, None) => false", "(None, None) => MUTANT", ALLOWED),
    m("a frame within another", MOVEIT, "parent * pose", "pose", PLACES),
    m(
        "an object's own pose",
        SHAPES,
        "frame * own * at.pose()?, left)?;\n        }\n        for (mesh",
        "frame * if MUTANT { DAffine3::IDENTITY } else { own } * at.pose()?, left)?;\n        }\n        for (mesh",
        PLACES,
    ),
    m("the frame of an object in the hand", IN_HAND, "frame != link {", "frame != link && !MUTANT {", HELD),
    m("planes", SHAPES, "!self.planes.is_empty()", "false", NO_TRIANGLES),
    m("octomaps", MOVEIT, "yaml.world.octomap.as_ref().is_some_and(has_cells)", "false", NO_TRIANGLES),
    m(
        "joints that a goal does not name stay",
        REQUEST,
        ".unwrap_or(*at)",
        ".unwrap_or(if MUTANT { 0.0 } else { *at })",
        BY_NAME,
    ),
    m(
        "goals of joints that there are not",
        REQUEST,
        "if let Some(name) = strange.first() {",
        "if let (Some(name), false) = (strange.first(), MUTANT) {",
        BY_NAME,
    ),
    m(
        "the scene's values of joints",
        REQUEST,
        ".or_else(|| scene.joints.get(name))",
        ".or_else(|| scene.joints.get(name).filter(|_| !MUTANT))",
        BY_NAME,
    ),
    m(
        "scene and request of one number",
        PROBLEMS,
        "map(|number| (kind, number, 1))",
        "map(|number| (kind, if MUTANT { \"0001\" } else { number }, 1))",
        OWN_SCENE,
    ),
    // The judgement of peers.
    m("a missed contact", SCORE, "self.missed += 1", "self.undecided += 1", FAULTS),
    m("a contact where there is none", SCORE, "self.false_alarms += 1", "self.early += 1", FAULTS),
    m(
        "late by the way that a robot goes",
        SCORE,
        "usize::from(late * travel_m > LATE_M)",
        "usize::from(late > LATE_M)",
        LATE,
    ),
    m("clear until too late", SCORE, "self.time(t, [at[0].min(t), at[1]], travel_m)", "()", CLEAR),
    m("judges who differ in time", FACT, "apart * travel_m > AGREEMENT_M", "false", CONTRADICT),
    m(
        "judges who differ in verdict",
        FACT,
        "_ => Some(Difference::Verdict)",
        "_ => (!MUTANT).then_some(Difference::Verdict)",
        CONTRADICT,
    ),
    m("the engine is not its own judge", FACT, "engine_too || !j.is_engine", "true", HEARD),
    m("means by how many motions of a kind there are", MEANS, "mean(values)? * n as f64", "mean(values)?", PEERS),
    m("totals that are not their rows' sums", PRINTED, "ROUNDING * place", "1e9 * place", ADD_UP),
    m("paths read as motions of two rows", "src/formats/csv.rs", "now > before", "false", ROWS),
    m("groups read as motions of two rows", "src/formats/csv.rs", "self.n_in_group != 2", "false", ROWS),
];
