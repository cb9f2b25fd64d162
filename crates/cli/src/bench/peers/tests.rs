//! Tests of peers that miss, crash, hang and write invalid lines, and of parry on cases with known results.

use super::contender::{Answers, Reported};
use super::external::{Call, run as call};
use super::interpolation::gap_m;
use super::parry;
use super::sets::{self, Class, Motion, Set};
use super::*;
use crate::bench::run::{Cell, Table};
use crate::dataset::FolderArgs;
use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind, Robot, Triangle};
use firstcontact::scene::Scene;
use glam::{DMat3, DVec3};
use std::f64::consts::FRAC_PI_2;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;
use tempfile::TempDir;

/// The surface of a cube.
fn cube(centre: DVec3, half: f64) -> Vec<Triangle> {
    let corner =
        |k: usize| centre + half * DVec3::from_array([0, 1, 2].map(|b| if k >> b & 1 == 1 { 1.0 } else { -1.0 }));
    let faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).map(|t| t.map(corner)).collect()
}

fn joint(name: &str, origin_m: DVec3, kind: JointKind) -> Joint {
    Joint { name: name.into(), orientation: DMat3::IDENTITY, origin_m, kind }
}

/// A robot of one column that moves a cube of 0.2 m, against a square plate of 2 m across x at `plate_x_m`, if any.
fn set(robot: Robot, plate_x_m: Option<f64>, ends: &[[f64; 2]], travel_m: f64) -> Arc<Set> {
    let mut scene = Scene::new();
    let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    if let Some(x) = plate_x_m {
        let plate = [
            [at(x, -1.0, -1.0), at(x, 1.0, -1.0), at(x, 1.0, 1.0)],
            [at(x, -1.0, -1.0), at(x, 1.0, 1.0), at(x, -1.0, 1.0)],
        ];
        scene.add_object("plate", plate).unwrap();
    }
    let motion = |(number, &[from, to]): (usize, &[f64; 2])| Motion {
        class: 0,
        number,
        ends: [vec![from], vec![to]],
        known: Fact::Unknown,
        travel_m,
        least_travel_m: travel_m,
    };
    Arc::new(Set { name: "room".into(), robot, scene, motions: ends.iter().enumerate().map(motion).collect() })
}

/// A cube that slides along x.
pub(super) fn slider() -> Robot {
    let mut robot = Robot::new("r", "rail", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    let column = robot.add_column("x", ColumnKind::LengthM, None);
    let kind = JointKind::Prismatic { axis: DVec3::X, drive: Drive::direct(column) };
    let body = robot.add_body("cube", Some(0), joint("x", DVec3::ZERO, kind)).unwrap();
    robot.add_link("rail", 0, cube(DVec3::new(-5.0, 0.0, 0.0), 0.1), vec![0]).unwrap();
    robot.add_link("cube", body, cube(DVec3::ZERO, 0.1), vec![0]).unwrap();
    robot
}

/// A cube that circles the z axis at a distance of 1 m; its frame is at its centre.
fn arm() -> Robot {
    let mut robot = Robot::new("r", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
    let column = robot.add_column("turn", ColumnKind::AngleRad, None);
    let kind = JointKind::Revolute { axis: DVec3::Z, drive: Drive::direct(column) };
    let arm = robot.add_body("arm", Some(0), joint("turn", DVec3::ZERO, kind)).unwrap();
    let hand = robot.add_body("hand", Some(arm), joint("wrist", DVec3::X, JointKind::Fixed)).unwrap();
    robot.add_link("hand", hand, cube(DVec3::ZERO, 0.1), vec![0]).unwrap();
    robot
}

/// A folder with shell scripts instead of peers.
pub(super) fn stub(folder: &TempDir, name: &str, lines: &str) -> PathBuf {
    let path = folder.path().join(name);
    // Another process writes the file: a child that another test starts at this moment would inherit a descriptor of
    // this process, and a file that is open for writing cannot be executed.
    let mut shell = Command::new("sh");
    shell.args(["-c", "cat > \"$1\" && chmod 755 \"$1\"", "sh"]).arg(&path).stdin(Stdio::piped());
    let mut shell = shell.spawn().unwrap();
    shell.stdin.take().unwrap().write_all(format!("#!/bin/sh\n{lines}\n").as_bytes()).unwrap();
    assert!(shell.wait().unwrap().success());
    path
}

/// The answers of a stub to two motions.
fn asked(lines: &str, limit: Duration) -> Answers {
    let folder = tempfile::tempdir().unwrap();
    let program = stub(&folder, "peer", lines);
    let call_it =
        Call { program: &program, problem: folder.path(), method: "m", step: "1", n_motions: 2, limit, stop: &NEVER };
    call(&call_it, &mut |_| ())
}

const LONG: Duration = Duration::from_secs(30);
static NEVER: AtomicBool = AtomicBool::new(false);

#[test]
#[cfg(unix)]
fn answers_of_a_peer_are_read() {
    let answers = asked(
        "echo about peer 1.2; echo build 0.5; echo answer 1 free - 0.25 0.5; echo answer 0 contact 0.75 1e-3 2e-3; \
         echo end",
        LONG,
    );
    assert_eq!((answers.trouble.clone(), answers.count(), answers.build_s), (None, 2, Some(0.5)));
    assert_eq!(answers.about.as_deref(), Some("peer 1.2"));
    let reported: Vec<_> = answers.by_motion.iter().flatten().map(|a| (a.reported, a.cpu_s, a.wall_s)).collect();
    assert_eq!(reported, [(Reported::Contact(Some(0.75)), 1e-3, 2e-3), (Reported::Free, 0.25, 0.5)]);
    // The folder, the method and the step are passed to it.
    let words = asked(
        "test -d \"$1\" && echo about \"$2 $3\"; echo answer 0 free - 0 0; echo answer 1 free - 0 0; echo end",
        LONG,
    );
    assert_eq!((words.about.as_deref(), words.trouble), (Some("m 1"), None));
}

#[test]
#[cfg(unix)]
fn a_failed_peer_is_reported_and_its_earlier_answers_kept() {
    let answer = "echo answer 0 free - 0.1 0.1";
    for (lines, limit, n, says) in [
        (format!("{answer}; echo 'bad luck' >&2; kill -SEGV $$"), LONG, 1, vec!["signal: 11", "bad luck", "1 of 2"]),
        (format!("{answer}; exit 7"), LONG, 1, vec!["exit status: 7", "1 of 2"]),
        (format!("{answer}; echo end"), LONG, 1, vec!["ended early", "1 of 2"]),
        (format!("{answer}; sleep 1000"), Duration::from_secs(1), 1, vec!["stopped after 1 s", "1 of 2"]),
        (format!("{answer}; echo the answer is 42"), LONG, 1, vec!["an invalid line, 'the answer is 42'", "1 of 2"]),
        (format!("{answer}; head -c 100000 /dev/zero"), LONG, 1, vec!["an invalid line", "1 of 2"]),
    ] {
        let (clock, answers) = (Instant::now(), asked(&lines, limit));
        let trouble = answers.trouble.clone().unwrap_or_default();
        assert!(answers.count() == n && says.iter().all(|s| trouble.contains(s)), "{lines}: {trouble}");
        assert!(clock.elapsed() < Duration::from_secs(20), "{lines}: {:?}", clock.elapsed());
    }
    let nobody = Call {
        program: Path::new("/nobody/is/here"),
        problem: Path::new("."),
        method: "m",
        step: "1",
        n_motions: 2,
        limit: LONG,
        stop: &NEVER,
    };
    assert!(call(&nobody, &mut |_| ()).trouble.unwrap().contains("cannot be started"));
}

#[test]
#[cfg(unix)]
fn an_interruption_ends_a_peer_and_the_measurement() {
    let (folder, stop) = (tempfile::tempdir().unwrap(), AtomicBool::new(true));
    let program = stub(&folder, "peer", "sleep 1000");
    let asked = Call {
        program: &program,
        problem: folder.path(),
        method: "m",
        step: "1",
        n_motions: 2,
        limit: LONG,
        stop: &stop,
    };
    let clock = Instant::now();
    assert!(call(&asked, &mut |_| ()).trouble.unwrap().contains("interrupted"));
    assert!(clock.elapsed() < LONG / 2);
}

#[test]
#[cfg(unix)]
fn malformed_answers_are_rejected() {
    for line in [
        "answer 2 free - 0 0",
        "answer -1 free - 0 0",
        "answer 0 perhaps - 0 0",
        "answer 0 free 0.5 0 0",
        "answer 0 contact 1.5 0 0",
        "answer 0 contact NaN 0 0",
        "answer 0 contact - -1 0",
        "answer 0 contact - inf 0",
        "answer 0 free - 0",
        "answer 0 free - 0 0 0",
        "build soon",
        "",
        "free",
    ] {
        let answers = asked(&format!("echo '{line}'; sleep 1000"), LONG);
        assert!(
            answers.trouble.is_some_and(|t| t.contains("an invalid line")) && answers.by_motion == [None; 2],
            "{line}"
        );
    }
    let twice = asked("echo answer 0 free - 0 0; echo answer 0 contact - 0 0; sleep 1000", LONG);
    assert!(
        twice.trouble.is_some_and(|t| t.contains("an invalid line"))
            && twice.by_motion[0].unwrap().reported == Reported::Free
    );
}

#[test]
#[cfg(target_os = "linux")]
fn child_processes_of_a_peer_are_ended_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let lines = format!("sleep 1000 & echo $! > '{}'; wait", pid_file.display());
    assert!(asked(&lines, Duration::from_secs(1)).trouble.unwrap().contains("stopped after"));
    let pid = fs::read_to_string(&pid_file).unwrap().trim().to_string();
    let runs = || {
        // A process that has ended and was not waited for is a zombie.
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
    };
    let clock = Instant::now();
    while runs() && clock.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!runs(), "{pid} still runs");
}

#[test]
fn parry_finds_a_plate_that_a_cube_slides_into() {
    // The front face starts at 0.1 and meets the plate at 0.5 after 0.4 m.
    let set = set(slider(), Some(0.5), &[[0.0, 1.0], [0.0, 0.3], [1.0, 2.0]], 1.0);
    let cast = parry::run(&set, parry::Method::Cast, LONG, &NEVER, &mut |_| ());
    assert_eq!((cast.trouble, cast.by_motion.len()), (None, 3));
    let reported: Vec<Reported> = cast.by_motion.iter().flatten().map(|a| a.reported).collect();
    assert!(matches!(reported[0], Reported::Contact(Some(t)) if (t - 0.4).abs() < 1e-3), "{reported:?}");
    assert_eq!(reported[1..], [Reported::Free; 2]);
    // Half a degree is 0.0087 of the column's change.
    let samples = parry::run(&set, parry::Method::SamplesDeg(0.5), LONG, &NEVER, &mut |_| ());
    let reported: Vec<Reported> = samples.by_motion.iter().flatten().map(|a| a.reported).collect();
    assert!(matches!(reported[0], Reported::Contact(Some(t)) if (0.4 - 1e-9..0.41).contains(&t)), "{reported:?}");
    assert_eq!(reported[1..], [Reported::Free; 2]);
}

#[test]
fn parry_stops_when_its_time_is_over() {
    let set = set(slider(), Some(0.5), &[[0.0, 1.0]; 4], 1.0);
    let none = parry::run(&set, parry::Method::SamplesDeg(1e-5), Duration::ZERO, &NEVER, &mut |_| ());
    assert!(none.trouble.is_some_and(|t| t.contains("stopped after 0 s")) && none.by_motion.contains(&None));
}

#[test]
fn a_linear_cast_of_a_turning_link_reports_a_false_contact() {
    // From (1, 0) to (0, 1): on the circle the hand passes (0.71, 0.71), on the straight line (0.5, 0.5).
    let mut room = Arc::into_inner(set(arm(), None, &[[0.0, FRAC_PI_2]], FRAC_PI_2)).unwrap();
    let gap = gap_m(&room, 0).unwrap();
    assert!((gap - (1.0 - 0.5f64.sqrt())).abs() < 1e-12, "{gap}");
    room.scene.add_object("post", cube(DVec3::new(0.5, 0.5, 0.0), 0.02)).unwrap();
    let room = Arc::new(room);
    let reported = |method| parry::run(&room, method, LONG, &NEVER, &mut |_| ()).by_motion[0].unwrap().reported;
    assert_eq!(reported(parry::Method::SamplesDeg(0.5)), Reported::Free);
    assert!(matches!(reported(parry::Method::Cast), Reported::Contact(Some(_))));
    assert_eq!(measure::verdicts(&room).unwrap(), [firstcontact::verdict::Verdict::Free]);
}

#[test]
fn problem_files_describe_robot_scene_and_motions() {
    let folder = tempfile::tempdir().unwrap();
    let room = set(arm(), Some(0.5), &[[0.25, 1.5]], 2.0);
    problem::write(&room, folder.path()).unwrap();
    let text = fs::read_to_string(folder.path().join("problem.txt")).unwrap();
    let expected = "bodies 3\n-1 f 0 0 0 0 0 1  1 0 0 0  0 1 0 0  0 0 1 0\n0 r 0 1 0 0 0 1  1 0 0 0  0 1 0 0  0 0 1 0\n\
                    1 f 0 0 0 0 0 1  1 0 0 1  0 1 0 0  0 0 1 0\nlinks 1\n2 link0.obj\nscene scene.obj\nmotions 1 1\n\
                    0.25 1.5\n";
    assert_eq!(text, expected);
    let scene = fs::read_to_string(folder.path().join("scene.obj")).unwrap();
    assert_eq!(scene, "v 0.5 -1 -1\nv 0.5 1 -1\nv 0.5 1 1\nv 0.5 -1 1\nf 1 2 3\nf 1 3 4\n");
    let link = fs::read_to_string(folder.path().join("link0.obj")).unwrap();
    assert_eq!((link.matches("v ").count(), link.matches("f ").count()), (8, 12));
}

/// A pool of a slider and a plate: two motions touch it halfway, two do not.
fn pool(folder: &Path) {
    let urdf = "<robot name='r'><link name='rail'/>\
        <link name='cube'><collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision></link>\
        <joint name='x' type='prismatic'><parent link='rail'/><child link='cube'/><axis xyz='1 0 0'/>\
        <limit lower='-9' upper='9' effort='1' velocity='1'/></joint></robot>";
    fs::write(folder.join("robot.urdf"), urdf).unwrap();
    fs::write(folder.join("room.obj"), "v 0.6 -1 -1\nv 0.6 1 -1\nv 0.6 0 2\nf 1 2 3\n").unwrap();
    let contact = r#"{"max_deg": 30, "class": "contact", "t_lo": 0.5, "t_hi": 0.5}"#;
    let free = r#"{"max_deg": 30, "class": "free"}"#;
    fs::write(folder.join("room.truth.jsonl"), format!("{contact}\n{free}\n{contact}\n{free}\n")).unwrap();
    let header = format!("{:<117}\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2, 1), }");
    let mut npy = [b"\x93NUMPY\x01\x00".as_slice(), &(header.len() as u16).to_le_bytes(), header.as_bytes()].concat();
    for x in [0.0f64, 1.0, 0.0, 0.25, 0.0, 1.0, 1.0, 2.0] {
        npy.extend(x.to_le_bytes());
    }
    fs::write(folder.join("room.npy"), npy).unwrap();
}

/// The row of a table that begins with `name`.
fn row<'a>(table: &'a Table, name: &str) -> &'a [Cell] {
    table.rows.iter().find(|row| row[0] == Cell::from(name)).unwrap_or_else(|| panic!("no {name}: {table:?}"))
}

#[test]
#[cfg(unix)]
fn measurement_with_peers_of_all_kinds() {
    let (data, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    pool(data.path());
    // The judge is right. The method by bounds misses the first contact, is late at the third motion and gives a false
    // alarm.
    let judge = "echo answer 0 contact 0.5 0 0; echo answer 1 free - 0 0; echo answer 2 contact 0.5 0 0; \
                 echo answer 3 free - 0 0; echo end";
    let wrong = "echo answer 0 free - 1 1; echo answer 1 contact - 2 2; echo answer 2 contact 0.75 3 3; \
                 echo answer 3 free - 4 4; echo end";
    stub(
        &data,
        "coal",
        &format!(
            "echo about coal stub\ncase $2 in advance-distance) {judge};; advance-bound) {wrong};; *) exit 9;; esac"
        ),
    );
    stub(&data, "fcl", "echo answer 0 contact 0.5 1 1; kill -ABRT $$");
    let args = PeersArgs {
        measure: MeasureArgs {
            out: out.path().to_path_buf(),
            quick: true,
            cpu_only: true,
            folder: FolderArgs::at(data.path().join("none")),
        },
        peers: Some(data.path().to_path_buf()),
        pool: Some(data.path().to_path_buf()),
        problems: Vec::new(),
        motions: None,
        limit_s: 20,
        only: None,
    };
    run(&args).unwrap();
    let run: Run = serde_json::from_str(&fs::read_to_string(out.path().join("peers.json")).unwrap()).unwrap();
    let table = |id: &str| run.tables.iter().find(|t| t.id == id).unwrap();
    let number = |x: usize| Cell::from(x);
    // Contacts, missed, late, latest in mm and as a share, early, free, false: 1 m of travel in each motion.
    let faults = row(table("faults"), roster::YARDSTICK);
    let expected: [Cell; 8] =
        [number(2), number(1), number(1), 250.0.into(), 0.25.into(), number(0), number(2), number(1)];
    assert_eq!(faults[1..9], expected);
    assert_eq!(row(table("faults"), "firstcontact, 1 thread")[1..9], [2, 0, 0, 0, 0, 0, 2, 0].map(number));
    assert_eq!(row(table("faults-by-class"), roster::YARDSTICK)[1], Cell::from("1 / 1 / 1"));
    // The mean of all four motions; of those with contacts and of free ones.
    assert_eq!(row(table("speed"), roster::YARDSTICK)[5], Cell::from(2500.0));
    let kinds: Vec<_> =
        table("kinds").rows.iter().filter(|r| r[0] == Cell::from(roster::YARDSTICK)).map(|r| &r[2]).collect();
    assert_eq!(kinds, [&Cell::from(2000.0), &Cell::from(3000.0)]);
    let says = |name: &str, column: usize, text: &str| match &row(table("who"), name)[column] {
        Cell::Text(found) => assert!(found.contains(text), "{found}"),
        other => panic!("{name}: {other:?}"),
    };
    says(roster::YARDSTICK, 1, "coal stub");
    says("coal samples, 5°", 4, "room: it ended early (exit status: 9)");
    says("FCL samples, 0.5°", 4, "signal: 6");
    says("tesseract", 4, "setup.sh");
    assert!(table("contradictions").rows.is_empty(), "{:?}", table("contradictions"));
    assert!(matches!(row(table("speed"), "parry3d cast")[2], Cell::Number(4.0)));
    assert!(run.notes.iter().any(|n| n.contains(roster::YARDSTICK)) && run.plots.len() == 2 && !run.samples.is_empty());
}

#[test]
fn arguments_without_a_measurement_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let args = || PeersArgs {
        measure: MeasureArgs {
            out: folder.path().join("out"),
            quick: true,
            cpu_only: true,
            folder: FolderArgs::at(folder.path().join("none")),
        },
        peers: None,
        pool: None,
        problems: Vec::new(),
        motions: None,
        limit_s: 20,
        only: None,
    };
    let only = |text: &str| PeersArgs { only: Some(text.into()), ..args() };
    let problems = || vec!["mbm-panda/box".into()];
    let absent = folder.path().join("no-such-folder");
    for (args, words) in [
        (PeersArgs { motions: Some(0), ..args() }, "--motions"),
        (PeersArgs { limit_s: 0, ..args() }, "--limit-s"),
        (PeersArgs { peers: Some(absent), ..args() }, "no-such-folder"),
        (only("nosuchpeer"), "'nosuchpeer' in its name (the peers are coal, FCL, Bullet, parry3d)"),
        (PeersArgs { problems: problems(), ..only("coal") }, "the peers are VAMP"),
    ] {
        let message = run(&args).unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
    }
    let known =
        [args(), only("COAL"), only("tesseract"), only("parry"), PeersArgs { problems: problems(), ..only("vamp") }];
    assert!(known.iter().all(|args| refuse_impossible(args).is_ok()));
    assert!(!folder.path().join("out").exists());
}

#[test]
fn contradictions_between_judges_are_listed() {
    let room = set(slider(), Some(0.5), &[[0.0, 1.0]], 1.0);
    let judge = |name: &str, fact| Judge { name: name.into(), facts: vec![vec![fact]], is_engine: false };
    let judges = vec![judge("one", Fact::Free), judge("other", Fact::Contact([0.4, 0.4]))];
    let ground = Ground { classes: vec![Class { scene: "room".into(), degrees: 30 }], sets: vec![room], judges };
    let mut run = Run::begin("peers", "", 0, false);
    run.tables.push(tables::gaps(&ground).unwrap());
    tables::fill(&mut run, &ground, &[], &[]);
    let table = |id: &str| run.tables.iter().find(|t| t.id == id).unwrap();
    assert_eq!(table("judges").rows, [["one".into(), "other".into(), 1usize.into(), 1usize.into(), 0usize.into()]]);
    assert_eq!(table("contradictions").rows.len(), 1);
}

#[test]
fn a_pool_whose_truth_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(sets::pool(folder.path(), 9).unwrap_err().to_string().contains("no motion has a known truth"));
    pool(folder.path());
    let (classes, sets) = sets::pool(folder.path(), 3).unwrap();
    assert_eq!((classes.len(), sets[0].motions.len()), (1, 3));
    assert_eq!(sets[0].motions[0].travel_m, 1.0);
    let truth = folder.path().join("room.truth.jsonl");
    fs::write(&truth, "{\"max_deg\": 30, \"class\": \"free\"}\n").unwrap();
    assert!(sets::pool(folder.path(), 9).unwrap_err().to_string().contains("1 lines for 4 motions"));
    fs::write(&truth, "{\"max_deg\": 30, \"class\": \"contact\"}\n".repeat(4)).unwrap();
    assert!(sets::pool(folder.path(), 9).unwrap_err().to_string().contains("line 1"));
}
