//! Answers through C and C++ are those of the command line, to the byte.

use crate::harness::{Program, arm, command_line, data, is_full, printed, skipped, succeed};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs that ask the same: in C and in C++.
const PROGRAMS: [&str; 2] = ["tests/programs/answers.c", "tests/programs/answers.cpp"];

/// Robot, scene and rows of numbers.
struct Question {
    robot: PathBuf,
    scene: PathBuf,
    n_columns: usize,
    numbers: Vec<f64>,
}

/// Numbers between -1 and 1.
fn random(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

/// Rows of the arm's two joints.
fn of_arm(n_rows: usize, seed: u64) -> Question {
    Question { robot: arm("arm.urdf"), scene: arm("table.obj"), n_columns: 2, numbers: random(2 * n_rows, seed) }
}

impl Question {
    fn write_raw(&self, file: &Path) {
        let bytes: Vec<u8> = self.numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        fs::write(file, bytes).unwrap();
    }

    /// Writes the rows as a NumPy array, `n_points` for each motion or trajectory.
    fn write_npy(&self, file: &Path, n_points: usize) {
        let n = self.numbers.len() / self.n_columns / n_points;
        let shape = format!("({n}, {n_points}, {})", self.n_columns);
        let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
        let header = format!("{text:<117}\n");
        let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        assert_eq!(header.len(), 0x76);
        bytes.extend(header.bytes());
        bytes.extend(self.numbers.iter().flat_map(|x| x.to_le_bytes()));
        fs::write(file, bytes).unwrap();
    }
}

/// Inputs and options of a program, and the same for the command line.
struct Wish<'a> {
    what: &'a str,
    /// Options KEY=VALUE of the programs.
    options: &'a [&'a str],
    /// Options of the command line.
    command: &'a [&'a str],
}

/// Compares all programs with the command line.
fn compare(question: &Question, n_points: usize, wishes: &[Wish]) {
    let Some(command_line) = command_line() else { return };
    let programs: Vec<PathBuf> = PROGRAMS.iter().filter_map(|source| Program::new(source).compile()).collect();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    question.write_raw(&file("rows"));
    question.write_npy(&file("rows.npy"), n_points);
    for wish in wishes {
        let certificates = wish.command.contains(&"--certificates");
        let mut check = Command::new(&command_line);
        check.args(["check", "--robot"]).arg(&question.robot);
        if !wish.command.contains(&"--backend") {
            check.args(["--backend", "cpu"]);
        }
        check.arg("--scene").arg(&question.scene).arg("--motions").arg(file("rows.npy"));
        check.arg("--out").arg(file("expected.jsonl")).args(wish.command).current_dir(folder.path());
        let code = check.output().unwrap().status.code();
        assert!(matches!(code, Some(0..=2)), "{check:?}: {code:?}");
        for program in &programs {
            let n_rows = question.numbers.len() / question.n_columns;
            let mut ask = crate::harness::command(program);
            ask.arg(wish.what).arg(&question.robot).arg(&question.scene).arg(file("rows"));
            ask.args([n_rows, question.n_columns].map(|n| n.to_string())).arg(file("out.jsonl"));
            ask.args(wish.options).arg(format!("points={n_points}")).current_dir(folder.path());
            assert_eq!(printed(&mut ask), "0 without certificate\n");
            let [expected, out] = ["expected.jsonl", "out.jsonl"].map(|name| fs::read_to_string(file(name)).unwrap());
            assert!(!out.is_empty() && out == expected, "{}: {}", program.display(), wish.options.join(" "));
            if certificates {
                let [expected, out] = ["expected.fccert", "out.fccert"].map(|name| fs::read(file(name)).unwrap());
                assert!(out == expected, "{}: certificates", program.display());
                fs::remove_file(file("out.fccert")).unwrap();
            }
            fs::remove_file(file("out.jsonl")).unwrap();
        }
    }
}

#[test]
fn motions() {
    let plain = |what| Wish { what, options: &[], command: &[] };
    let of = |options, command| Wish { what: "motions", options, command };
    let wishes = [
        plain("motions"),
        plain("edges"),
        of(&["margin=0.01"], &["--margin", "0.01"]),
        of(&["mode=1"], &["--mode", "verdict"]),
        of(&["self_collision=2"], &["--self-collision", "on"]),
        of(&["initial=1", "solids=1"], &["--initial", "ignore", "--solids", "contact"]),
        of(&["tolerance=1e-4", "threads=1"], &["--tolerance", "1e-4", "--threads", "1"]),
        of(&["all_contacts=1"], &["--all-contacts"]),
    ];
    compare(&of_arm(400, 1), 2, &wishes);
}

#[test]
fn certificates() {
    let certificates = Wish {
        what: "motions",
        options: &["certificates=out.fccert", "margin=0.002", "self_collision=2"],
        command: &["--certificates", "expected.fccert", "--margin", "0.002", "--self-collision", "on"],
    };
    let with_tolerance = Wish {
        what: "waypoints",
        options: &["certificates=out.fccert", "joint_tolerance=0.001"],
        command: &["--certificates", "expected.fccert", "--joint-tolerance", "0.001"],
    };
    compare(&of_arm(40, 2), 2, &[certificates]);
    compare(&of_arm(40, 3), 4, &[with_tolerance]);
}

#[test]
fn trajectories() {
    let plain = Wish { what: "waypoints", options: &[], command: &[] };
    let tolerant =
        Wish { what: "waypoints", options: &["joint_tolerance=0.002"], command: &["--joint-tolerance", "0.002"] };
    compare(&of_arm(80, 4), 4, &[plain, tolerant]);
    // A trajectory of two points is a motion.
    let motions =
        Wish { what: "waypoints", options: &["joint_tolerance=0.002"], command: &["--joint-tolerance", "0.002"] };
    compare(&of_arm(80, 7), 2, &[motions]);
}

/// The kernels, if there is an adapter.
#[test]
fn on_an_adapter() {
    let Some(command_line) = command_line() else { return };
    if std::env::var_os("FIRSTCONTACT_GPU").is_some_and(|choice| choice == "skip") {
        return skipped("FIRSTCONTACT_GPU is skip");
    }
    if !printed(Command::new(command_line).args(["info", "--json"])).contains("\"interface\"") {
        return skipped("there is no adapter");
    }
    let motions = Wish { what: "motions", options: &["device=gpu"], command: &["--backend", "gpu"] };
    let paths = Wish { what: "waypoints", options: &["device=gpu"], command: &["--backend", "gpu"] };
    compare(&of_arm(200, 8), 2, &[motions]);
    compare(&of_arm(40, 9), 4, &[paths]);
}

/// Streams give the same verdicts and times as a batch, and C the same as C++.
#[test]
fn streams() {
    let question = of_arm(400, 5);
    let folder = tempfile::tempdir().unwrap();
    question.write_raw(&folder.path().join("rows"));
    let mut all = Vec::new();
    for program in PROGRAMS.iter().filter_map(|source| Program::new(source).compile()) {
        let out = folder.path().join("out");
        let mut ask = crate::harness::command(program);
        ask.arg("stream").arg(&question.robot).arg(&question.scene).arg(folder.path().join("rows"));
        succeed(ask.args(["400", "2"]).arg(&out));
        all.push(fs::read_to_string(out).unwrap());
    }
    assert!(all.windows(2).all(|two| two[0] == two[1]) && all.iter().all(|text| text.lines().count() == 200));
}

/// Splines by their points: the command line reads them from CSV or JSON, here from JSON.
#[test]
fn splines() {
    let Some(command_line) = command_line() else { return };
    let (n, n_points) = (10, 3);
    // Times that increase, then positions and velocities.
    let mut rows = random(n * n_points * 5, 6);
    rows.chunks_mut(5).enumerate().for_each(|(i, row)| row[0] = (i % n_points) as f64 * 0.75);
    let question = Question { n_columns: 5, numbers: rows.clone(), ..of_arm(0, 0) };
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    question.write_raw(&file("rows"));
    let list = |rows: &[f64], from: usize, to: usize| {
        let row = |row: &[f64]| format!("{:?}", &row[from..to]);
        rows.chunks(5).map(row).collect::<Vec<_>>().join(",")
    };
    let path = |rows: &[f64]| {
        let times: Vec<f64> = rows.chunks(5).map(|row| row[0]).collect();
        let [positions, velocities] = [list(rows, 1, 3), list(rows, 3, 5)];
        format!("{{\"times_s\":{times:?},\"positions\":[{positions}],\"velocities\":[{velocities}]}}")
    };
    let paths: Vec<String> = rows.chunks(5 * n_points).map(path).collect();
    let json = format!("{{\"joints\":[\"shoulder\",\"elbow\"],\"trajectories\":[{}]}}", paths.join(","));
    fs::write(file("paths.json"), json).unwrap();
    let mut check = Command::new(command_line);
    check.args(["check", "--backend", "cpu", "--robot"]).arg(&question.robot).arg("--scene").arg(&question.scene);
    check.arg("--motions").arg(file("paths.json")).arg("--out").arg(file("expected.jsonl"));
    assert!(matches!(check.output().unwrap().status.code(), Some(0..=2)));
    let expected = fs::read_to_string(file("expected.jsonl")).unwrap();
    assert!(expected.lines().count() == n && expected.contains("segment"));
    for program in PROGRAMS.iter().filter_map(|source| Program::new(source).compile()) {
        let mut ask = crate::harness::command(program);
        ask.arg("points").arg(&question.robot).arg(&question.scene).arg(file("rows"));
        ask.args([(n * n_points).to_string(), "5".into()]).arg(file("out.jsonl"));
        succeed(ask.arg(format!("points={n_points}")));
        assert_eq!(fs::read_to_string(file("out.jsonl")).unwrap(), expected);
    }
}

/// The 300 motions of known truth of each scene of the pool; all of them in a campaign.
#[test]
fn motions_of_the_pool() {
    let Some(pool) = data().map(|data| data.join("puma-pool")).filter(|pool| pool.is_dir()) else { return };
    for scene in ["pipes", "amr"] {
        let bytes = fs::read(pool.join(format!("{scene}.npy"))).unwrap();
        let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let numbers: Vec<f64> = bytes[header..].chunks(8).map(|x| f64::from_le_bytes(x.try_into().unwrap())).collect();
        let sample = fs::read_to_string(pool.join(format!("{scene}.sample300.txt"))).unwrap();
        let chosen: Vec<usize> = match is_full() {
            true => (0..numbers.len() / 12).collect(),
            false => sample.split_whitespace().map(|i| i.parse().unwrap()).collect(),
        };
        let some = chosen.iter().flat_map(|i| numbers[12 * i..12 * (i + 1)].to_vec()).collect();
        let (robot, file) = (pool.join("robot.urdf"), pool.join(format!("{scene}.obj")));
        let question = Question { robot, scene: file, n_columns: 6, numbers: some };
        compare(&question, 2, &[Wish { what: "motions", options: &[], command: &[] }]);
    }
}
