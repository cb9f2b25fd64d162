use super::*;
use crate::formats::test_arrays::{names, npy, zip};
use crate::formats::test_files::{STILL, robot, slides};
use crate::formats::{MissingJoints, MotionOptions};
use crate::io::load::LoadLimits;

mod broken;

/// Reads a file of two slides, a and b.
fn read(name: &str, content: &[u8], options: &TrajectoryOptions) -> Result<TrajectoryFile> {
    read_of(&slides(), name, content, options)
}

fn read_of(robot: &Robot, name: &str, content: &[u8], options: &TrajectoryOptions) -> Result<TrajectoryFile> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    TrajectoryFile::open(path, robot, options)
}

fn with(interpolation: Interpolation) -> TrajectoryOptions {
    TrajectoryOptions::default().with_interpolation(interpolation)
}

/// Two trajectories of three points and two.
const POSITIONS: [[f64; 2]; 5] = [[0.0, 1.0], [0.5, 1.5], [1.0, -2.0], [3.0, 0.25], [0.125, 0.75]];
const TIMES_S: [f64; 5] = [0.0, 0.5, 2.0, 0.0, 4.0];
const VELOCITIES: [[f64; 2]; 5] = [[0.0, 0.0], [1.0, -0.5], [0.0, 0.0], [0.25, 0.5], [-0.5, 0.0]];
const ACCELERATIONS: [[f64; 2]; 5] = [[1.0, 2.0], [0.5, 0.0], [-1.0, 0.0], [0.0, 0.0], [0.0, 4.0]];

/// The trajectories as the constructors make them, of degree 1, 3 or 5.
fn expected(degree: usize, with_times: bool) -> Vec<Trajectory> {
    let one = |rows: std::ops::Range<usize>| {
        let mut path = Trajectory::new(&POSITIONS[rows.start]).unwrap();
        for i in rows.start + 1..rows.end {
            let (d, [v0, v1], [a0, a1]) = (
                TIMES_S[i] - TIMES_S[i - 1],
                [VELOCITIES[i - 1], VELOCITIES[i]],
                [ACCELERATIONS[i - 1], ACCELERATIONS[i]],
            );
            match degree {
                1 => path.line_to(&POSITIONS[i]),
                3 => path.cubic_to(d, &v0, &v1, &POSITIONS[i]),
                _ => path.quintic_to(d, [&v0, &v1], [&a0, &a1], &POSITIONS[i]),
            }
            .unwrap();
        }
        if with_times { path.with_times(&TIMES_S[rows]).unwrap() } else { path }
    };
    vec![one(0..3), one(3..5)]
}

/// A name and the content of a file.
type File = (&'static str, Vec<u8>);

fn swapped<const N: usize>(rows: [[f64; 2]; N]) -> [[f64; 2]; N] {
    rows.map(|[a, b]| [b, a])
}

fn listed(rows: &[[f64; 2]]) -> String {
    format!("{rows:?}")
}

/// The trajectories in JSON, columns b and a.
fn json(degree: usize) -> String {
    let of = |rows: std::ops::Range<usize>| {
        let mut text = format!(
            r#"{{"times_s":{:?},"positions":{}"#,
            &TIMES_S[rows.clone()],
            listed(&swapped(POSITIONS)[rows.clone()])
        );
        if degree >= 3 {
            text += &format!(r#","velocities":{}"#, listed(&swapped(VELOCITIES)[rows.clone()]));
        }
        if degree == 5 {
            text += &format!(r#","accelerations":{}"#, listed(&swapped(ACCELERATIONS)[rows]));
        }
        text + "}"
    };
    format!(r#"{{"note": {{}}, "joints":["b","a"],"trajectories":[{},{}]}}"#, of(0..3), of(3..5))
}

/// A message of some of the points, in JSON.
fn message(degree: usize, rows: std::ops::Range<usize>, is_swapped: bool) -> String {
    let order = |row: [f64; 2]| if is_swapped { [row[1], row[0]] } else { row };
    let point = |i: usize| {
        let (velocities, accelerations) = match degree {
            1 => ("[]".into(), "[]".into()),
            3 => (format!("{:?}", order(VELOCITIES[i])), "[]".into()),
            _ => (format!("{:?}", order(VELOCITIES[i])), format!("{:?}", order(ACCELERATIONS[i]))),
        };
        let (sec, nanosec) = (TIMES_S[i].floor(), (TIMES_S[i].fract() * 1e9) as u32);
        let positions = order(POSITIONS[i]);
        format!(
            r#"{{"positions": {positions:?}, "velocities": {velocities}, "accelerations": {accelerations}, "effort": [],
                "time_from_start": {{"sec": {sec:.0}, "nanosec": {nanosec}}}}}"#
        )
    };
    let names = if is_swapped { r#"["b", "a"]"# } else { r#"["a", "b"]"# };
    let points: Vec<String> = rows.map(point).collect();
    format!(r#"{{"header": {{"frame_id": "base"}}, "joint_names": {names}, "points": [{}]}}"#, points.join(", "))
}

/// A message as `ros2 topic echo` writes it.
fn echoed(degree: usize, rows: std::ops::Range<usize>) -> String {
    let list = |row: [f64; 2]| format!("\n  - {:?}\n  - {:?}", row[0], row[1]);
    let mut text =
        "header:\n  stamp:\n    sec: 0\n    nanosec: 0\n  frame_id: ''\njoint_names:\n- a\n- b\npoints:\n".to_string();
    for i in rows {
        let velocities = if degree >= 3 { list(VELOCITIES[i]) } else { " []".into() };
        let accelerations = if degree == 5 { list(ACCELERATIONS[i]) } else { " []".into() };
        let (sec, nanosec) = (TIMES_S[i].floor(), (TIMES_S[i].fract() * 1e9) as u32);
        text += &format!(
            "- positions:{}\n  velocities:{velocities}\n  accelerations:{accelerations}\n  effort: []\n  \
             time_from_start:\n    sec: {sec:.0}\n    nanosec: {nanosec}\n",
            list(POSITIONS[i])
        );
    }
    text + "---\n"
}

/// Rows of both trajectories, the second padded with NaN.
fn padded(rows: [[f64; 2]; 5]) -> Vec<f64> {
    rows.into_iter().chain([[f64::NAN; 2]]).flatten().collect()
}

/// An archive with all arrays that a degree needs.
fn npz(degree: usize, is_fortran: bool, is_deflated: bool) -> Vec<u8> {
    let array = |rows| npy_of(is_fortran, &[2, 3, 2], &padded(rows));
    let times = npy_of(is_fortran, &[2, 3], &[&TIMES_S[..], &[f64::NAN]].concat());
    let mut files = vec![
        ("positions.npy", array(swapped(POSITIONS))),
        ("times.npy", times),
        ("lengths.npy", npy("<i8", false, &[2], &[3.0, 2.0])),
        ("joint_names.npy", names(&["b", "a"])),
    ];
    if degree >= 3 {
        files.push(("velocities.npy", array(swapped(VELOCITIES))));
    }
    if degree == 5 {
        files.push(("accelerations.npy", array(swapped(ACCELERATIONS))));
    }
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
    zip(&files, is_deflated)
}

fn npy_of(is_fortran: bool, shape: &[usize], values: &[f64]) -> Vec<u8> {
    npy("<f8", is_fortran, shape, values)
}

/// The two trajectories in all forms that support a degree, with times.
fn files(degree: usize) -> Vec<File> {
    let messages = format!("[{}, {}]", message(degree, 0..3, false), message(degree, 3..5, true));
    let mut files: Vec<File> = vec![
        ("t.npz", npz(degree, false, false)),
        ("t.npz", npz(degree, true, true)),
        ("t.json", json(degree).into()),
        ("t.yaml", json(degree).into()),
        ("t.json", messages.clone().into()),
        ("t.yml", messages.into()),
        ("t.yaml", (echoed(degree, 0..3) + &echoed(degree, 3..5)).into()),
    ];
    if degree == 1 {
        let row = |i: usize| format!("{:?},{:?},{:?}\n", POSITIONS[i][1], TIMES_S[i], POSITIONS[i][0]);
        let [first, second] = [0..3, 3..5].map(|rows| rows.map(row).collect::<String>());
        files.push(("t.csv", format!("b,time,a\n\n{first}# other\n\n\n{second}\n\n").into()));
        files.push(("t.csv", format!("b,time,a\n{first}\n{second}").replace('\n', "\r\n").into()));
        let named = |text: &str, name: &str| text.lines().map(|line| format!("{name},{line}\n")).collect::<String>();
        let [first, second] = [named(&first, "x"), named(&second, "the other")];
        files.push(("t.csv", format!("trajectory,b,time,a\n{first}{second}").into()));
    }
    files
}

#[test]
fn every_form_gives_the_same_trajectories() {
    for degree in [1, 3, 5] {
        for (name, content) in files(degree) {
            let text = String::from_utf8_lossy(&content).into_owned();
            let from_file = read(name, &content, &TrajectoryOptions::default());
            let from_file = from_file.unwrap_or_else(|e| panic!("{degree}: {e}: {text}"));
            assert_eq!(from_file.trajectories(), expected(degree, true), "{degree} {text}");
            // The content alone, as in a pipe, determines the same form.
            let stream = TrajectoryFile::from_stream(&content[..], "pipe", &slides(), &TrajectoryOptions::default());
            assert_eq!(stream.unwrap().into_trajectories(), expected(degree, true), "{degree} {text}");
        }
    }
}

#[test]
fn waypoints_without_times() {
    let lines = expected(1, false);
    let positions: Vec<f64> = POSITIONS[..3].as_flattened().to_vec();
    let other: Vec<f64> = POSITIONS[3..].as_flattened().to_vec();
    let untimed = |text: &str| text.replace("\"times_s\":[0.0, 0.5, 2.0],", "").replace("\"times_s\":[0.0, 4.0],", "");
    let both = [&padded(POSITIONS)[..]].concat();
    let lengths = npy("|u1", false, &[2], &[3.0, 2.0]);
    let both = npy("<f8", true, &[2, 3, 2], &both);
    for (name, content, expected) in [
        ("t.npy", npy(">f8", true, &[1, 3, 2], &positions), &lines[..1]),
        ("t.npy", npy("<f8", false, &[1, 3, 2], &positions), &lines[..1]),
        ("t.npy", npy("<f8", false, &[1, 2, 2], &other), &lines[1..]),
        ("t.npz", zip(&[("q.npy", &npy("<f8", false, &[1, 3, 2], &positions))], true), &lines[..1]),
        ("t.npz", zip(&[("positions.npy", &both), ("lengths.npy", &lengths)], false), &lines[..]),
        ("t.json", untimed(&json(1)).into(), &lines),
        ("t.json", br#"{"joints":["a","b"],"motions":[[[3,0.25],[0.125,0.75]]]}"#.to_vec(), &lines[1..]),
        ("t.csv", b"a,b\n0,1\n0.5,1.5\n1,-2\n\n".to_vec(), &lines[..1]),
        ("t.csv", b"a,b\n0,1\n0.5,1.5\n1,-2\n\n3,0.25\n0.125,0.75\n".to_vec(), &lines),
    ] {
        let read = read(name, &content, &TrajectoryOptions::default()).unwrap();
        assert_eq!(read.trajectories(), expected, "{}", String::from_utf8_lossy(&content));
    }
    // Times of a message that are all 0 mean that it has none.
    let text = message(1, 0..3, false).replace(r#""sec": 2"#, r#""sec": 0"#).replace("500000000", "0");
    assert_eq!(read("t.json", text.as_bytes(), &with(Interpolation::Auto)).unwrap().trajectories(), &lines[..1]);
}

#[test]
fn a_single_point_is_a_trajectory_at_rest() {
    let still = [Trajectory::linear([[3.0, 4.0]]).unwrap()];
    assert_eq!(still[0].n_segments(), 1);
    for (name, content) in [
        ("t.npy", npy("<f8", false, &[1, 1, 2], &[3.0, 4.0])),
        ("t.json", br#"{"joints":["a","b"],"trajectories":[{"positions":[[3,4]]}]}"#.to_vec()),
        ("t.yaml", b"joint_names: [b, a]\npoints:\n- positions: [4, 3]\n  time_from_start: 0.0\n".to_vec()),
        ("t.csv", b"a,b\n3,4\n".to_vec()),
    ] {
        let read = read(name, &content, &TrajectoryOptions::default()).unwrap();
        assert_eq!((read.trajectories(), read.summary().linear), (&still[..], 1), "{name}");
    }
    // The time, if there is one, is that of both the start and the end.
    for (time_s, late) in [(0.0, 0), (2.0, 1)] {
        let timed = format!(r#"{{"joints":["a","b"],"trajectories":[{{"positions":[[3,4]],"times_s":[{time_s}]}}]}}"#);
        let read = read("t.json", timed.as_bytes(), &TrajectoryOptions::default()).unwrap();
        assert_eq!((read.trajectories()[0].times_s(), read.summary().late), (Some(&[time_s; 2][..]), late));
    }
    let later = br#"{"joints":["a","b"],"trajectories":[{"positions":[[3,4]],"times_s":[2]}]}"#;
    let options = TrajectoryOptions::default().with_start_state(Some(vec![0.0, 1.0]));
    let moved = read("t.json", later, &options).unwrap().into_trajectories();
    assert_eq!(moved, [Trajectory::linear([[0.0, 1.0], [3.0, 4.0]]).unwrap().with_times(&[0.0, 2.0]).unwrap()]);
}

/// A message of three points at 0, 1 and 3 s, each with velocities (v), accelerations too (a), or neither (-).
fn mixed(kinds: &str) -> String {
    let point = |(i, kind): (usize, char)| {
        let velocities = if kind == '-' { "[]" } else { "[0.5, 0.25]" };
        let accelerations = if kind == 'a' { "[1, 2]" } else { "[]" };
        let time_s = [0.0, 1.0, 3.0][i];
        format!(
            "- {{positions: [{i}, 0], velocities: {velocities}, accelerations: {accelerations}, \
             time_from_start: {time_s}}}\n"
        )
    };
    format!("joint_names: [a, b]\npoints:\n{}", kinds.chars().enumerate().map(point).collect::<String>())
}

#[test]
fn interpolation_is_chosen_segment_by_segment() {
    use Interpolation::{Auto, Cubic, Linear, Quintic};
    for (kinds, interpolation, degrees) in [
        ("---", Auto, Some([1, 1])),
        ("v--", Auto, Some([1, 1])),
        ("vv-", Auto, Some([3, 1])),
        ("-vv", Auto, Some([1, 3])),
        ("vvv", Auto, Some([3, 3])),
        ("avv", Auto, Some([3, 3])),
        ("aav", Auto, Some([5, 3])),
        ("vaa", Auto, Some([3, 5])),
        ("a-a", Auto, Some([1, 1])),
        ("aaa", Auto, Some([5, 5])),
        ("aaa", Linear, Some([1, 1])),
        ("vv-", Linear, Some([1, 1])),
        ("aaa", Cubic, Some([3, 3])),
        ("vav", Cubic, Some([3, 3])),
        ("v-v", Cubic, None),
        ("aaa", Quintic, Some([5, 5])),
        ("aav", Quintic, None),
        ("a-a", Quintic, None),
    ] {
        let read = read("t.yaml", mixed(kinds).as_bytes(), &with(interpolation)).map_err(|e| e.to_string());
        match (read, degrees) {
            (Ok(read), Some(degrees)) => {
                let path = &read.trajectories()[0];
                assert_eq!([path.degree(0), path.degree(1)], degrees, "{kinds} {interpolation:?}");
                let n = |degree| degrees.iter().filter(|d| **d == degree).count();
                let TrajectorySummary { linear, cubic, quintic, .. } = read.summary();
                assert_eq!([linear, cubic, quintic], [n(1), n(3), n(5)], "{kinds} {interpolation:?}");
                assert_eq!(path.times_s(), Some(&[0.0, 1.0, 3.0][..]));
            }
            (Err(error), None) => {
                let place = format!("trajectory 0: point {}: it has no ", if kinds == "aav" { 2 } else { 1 });
                assert!(error.contains(&place) && error.contains("--interpolation linear"), "{error}");
            }
            (read, _) => panic!("{kinds} {interpolation:?}: {:?}", read.map(|r| r.summary())),
        }
    }
}

#[test]
fn a_start_state_adds_the_first_segment() {
    let at = |time_s: f64, kind: &str| {
        mixed(kind)
            .replace("time_from_start: 3", "time_from_start: 9")
            .replace("time_from_start: 1}", "time_from_start: 5}")
            .replace("time_from_start: 0}", &format!("time_from_start: {time_s:?}}}"))
    };
    let options = TrajectoryOptions::default().with_start_state(Some(vec![7.0, 8.0]));
    for (kinds, degrees) in [("---", [1, 1, 1]), ("v--", [3, 1, 1]), ("aa-", [5, 5, 1]), ("va-", [3, 3, 1])] {
        let read = read("t.yaml", at(2.0, kinds).as_bytes(), &options).unwrap();
        let path = &read.trajectories()[0];
        assert_eq!((0..3).map(|k| path.degree(k)).collect::<Vec<_>>(), degrees, "{kinds}");
        assert_eq!((path.waypoint(0), path.times_s().unwrap()), (vec![7.0, 8.0], &[0.0, 2.0, 5.0, 9.0][..]));
        assert_eq!([read.summary().from_start_state, read.summary().late], [1, 0]);
        // At rest at time 0: the first coefficients agree with the start.
        assert!(path.degree(0) == 1 || path.coefficients(0, 0)[1] == 7.0);
    }
    let early = read("t.yaml", at(0.0, "---").as_bytes(), &options).unwrap();
    assert_eq!([early.summary().from_start_state, early.trajectories()[0].n_segments()], [0, 2]);
    let late = read("t.yaml", at(2.0, "---").as_bytes(), &TrajectoryOptions::default()).unwrap();
    assert_eq!([late.summary().late, late.trajectories()[0].n_segments()], [1, 2]);
}

#[test]
fn missing_joints_keep_their_value() {
    let zero = MotionOptions::default().with_missing_joints(MissingJoints::Zero);
    let options = TrajectoryOptions::default().with_motion(zero);
    let text = "joint_names: [b]\npoints:\n- {positions: [1], velocities: [2], time_from_start: 0}\n\
                - {positions: [3], velocities: [2], time_from_start: 1}\n";
    let read_a = read("t.yaml", text.as_bytes(), &options).unwrap().into_trajectories();
    assert_eq!((read_a[0].coefficients(0, 0), read_a[0].degree(0)), (&[0.0; 4][..], 3));
    let free =
        read_of(&robot(), "t.json", br#"{"joints":["turn"],"trajectories":[{"positions":[[0],[1],[0]]}]}"#, &options);
    let free = free.unwrap().into_trajectories();
    assert_eq!((free[0].waypoint(2), free[0].n_segments()), (STILL.to_vec(), 2));
}

#[test]
fn equal_trajectories_feed_equal_bytes() {
    let fed = |name: &str, content: &[u8]| {
        let mut bytes = Vec::new();
        let file = read(name, content, &TrajectoryOptions::default()).unwrap();
        file.trajectories().iter().for_each(|path| path.feed(|part| bytes.extend_from_slice(part)));
        bytes
    };
    let all: Vec<Vec<u8>> = files(3).iter().map(|(name, content)| fed(name, content)).collect();
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
    for (name, other) in [("t.json", json(1)), ("t.json", json(5)), ("t.json", json(3).replace("2.0", "2.5"))] {
        assert_ne!(fed(name, other.as_bytes()), all[0], "{other}");
    }
}

/// Files that contain only a start and an end for each motion are motions; all others are trajectories.
#[test]
fn the_content_decides_between_motions_and_trajectories() {
    let two = npy("<f8", false, &[1, 2, 2], &[0.0; 4]);
    let three = npy("<f8", false, &[1, 3, 2], &[0.0; 6]);
    let one = npy("<f8", false, &[2], &[2.0; 2]);
    for (holds, name, content) in [
        (false, "t.npy", two.clone()),
        (true, "t.npy", three.clone()),
        (true, "t.npy", npy("<f8", false, &[1, 1, 2], &[0.0; 2])),
        (false, "t.npy", npy("<f8", false, &[2, 2], &[0.0; 4])),
        (false, "t.npy", b"no array".to_vec()),
        (false, "t.npz", zip(&[("q.npy", &two)], true)),
        (false, "t.npz", zip(&[("positions.npy", &two), ("joint_names.npy", &names(&["a", "b"]))], false)),
        (true, "t.npz", zip(&[("positions.npy", &three)], true)),
        (true, "t.npz", zip(&[("positions.npy", &two), ("times.npy", &one)], false)),
        (true, "t.npz", zip(&[("positions.npy", &two), ("velocities.npy", &two)], false)),
        (false, "t.npz", b"PK\x03\x04".to_vec()),
        (false, "t.json", br#"{"joints":["a","b"],"motions":[]}"#.to_vec()),
        (false, "t.json", br#"{"motions":[[[0"#.to_vec()),
        (false, "t.json", b"{}".to_vec()),
        (false, "t.json", b"[[0, 0], [1, 1]]".to_vec()),
        (false, "t.json", b"".to_vec()),
        (true, "t.json", br#"{"joints":["a","b"],"trajectories":[]}"#.to_vec()),
        (true, "t.json", br#"{"joint_names":["a"],"points":[]}"#.to_vec()),
        (true, "t.json", b"\xef\xbb\xbf{\"joints\":[\"a\",\"b\"],\"trajectories\":[]}".to_vec()),
        (false, "t.json", b"\xef\xbb\xbf{\"joints\":[\"a\",\"b\"],\"motions\":[]}".to_vec()),
        (true, "t.json", b"[{}]".to_vec()),
        (true, "t.yaml", b"".to_vec()),
        (false, "t.csv", b"a,b\n".to_vec()),
        (false, "t.csv", b"trajectory,a,b\n".to_vec()),
        (false, "t.csv", b"a,b\n0,0\n1,1\n".to_vec()),
        (false, "t.csv", b"a,b\n0,0\n1,1\n2,2\n3,3\n".to_vec()),
        (false, "t.csv", b"a,b\r\n0,0\r\n1,1\r\n2,2\r\n3,3\r\n".to_vec()),
        (false, "t.csv", b"a,b\n0,0\n1,1\n2,2\n".to_vec()),
        (false, "t.csv", b"a,b\n\n0,0\n1,1\n\n\n2,2\n# c\n3,3\n\n".to_vec()),
        (false, "t.csv", b"trajectory,a,b\nx,0,0\nx,1,1\ny,2,2\ny,3,3\n".to_vec()),
        (false, "t.csv", b"a,c\n0,0\n".to_vec()),
        (true, "t.csv", b"time,a,b\n0,0,0\n1,1,1\n".to_vec()),
        (true, "t.csv", b"a,b\n0,0\n1,1\n2,2\n\n3,3\n".to_vec()),
        (true, "t.csv", b"a,b\r\n0,0\r\n1,1\r\n2,2\r\n\r\n3,3\r\n".to_vec()),
        (true, "t.csv", b"trajectory,a,b\nx,0,0\nx,1,1\nx,2,2\ny,3,3\n".to_vec()),
        (false, "t.txt", b"a,b\n0,0\n".to_vec()),
    ] {
        let shown = String::from_utf8_lossy(&content).into_owned();
        let folder = tempfile::tempdir().unwrap();
        let (robot, options) = (slides(), MotionOptions::default());
        for name in [name, "without-extension"] {
            let path = folder.path().join(name);
            std::fs::write(&path, &content).unwrap();
            if name == "without-extension" && ["", "no array"].contains(&&*shown) {
                continue;
            }
            assert_eq!(holds_trajectories(&path, &robot, &options).unwrap(), holds, "{name}: {shown}");
        }
        let kind = |any: Result<AnyMotionFile>| any.ok().map(|any| matches!(any, AnyMotionFile::Trajectories(_)));
        let by_path = kind(AnyMotionFile::open(folder.path().join(name), &robot, &TrajectoryOptions::default()));
        assert!(by_path.is_none_or(|is| is == holds), "{shown}");
        let by_pipe = kind(AnyMotionFile::from_stream(&content[..], "pipe", &robot, &TrajectoryOptions::default()));
        assert!(by_pipe.is_none_or(|is| is == holds), "{shown}");
        assert!(by_path.is_some() == by_pipe.is_some() || name == "t.txt", "{shown}");
    }
    // An array's header may be longer than the part that determines the format of a stream.
    let mut long = b"\x93NUMPY\x01\x00".to_vec();
    let header = format!("{:<5000}\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3, 2), }");
    long.extend((header.len() as u16).to_le_bytes());
    long.extend(header.bytes().chain([0; 48]));
    let two_slides = slides();
    let any = AnyMotionFile::from_stream(&long[..], "pipe", &two_slides, &TrajectoryOptions::default()).unwrap();
    assert!(matches!(any, AnyMotionFile::Trajectories(t) if t.len() == 1));
    // A joint with the name of a column.
    let mut robot = slides();
    robot.columns[0].name = "time".into();
    let text = b"time,b\n0,0\n0,1\n";
    let any = AnyMotionFile::from_stream(&text[..], "pipe", &robot, &TrajectoryOptions::default()).unwrap();
    assert!(matches!(any, AnyMotionFile::Motions(m) if m.len() == 1));
}

#[cfg(unix)]
#[test]
fn pipes_are_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let (robot, options) = (slides(), TrajectoryOptions::default());
    let three = npy("<f8", false, &[1, 3, 2], &[0.0; 6]);
    let two = npy("<f8", false, &[1, 2, 2], &[0.0; 4]);
    for (name, content, holds) in [
        ("a.npy", three.clone(), true),
        ("b.npy", two.clone(), false),
        ("c.npz", zip(&[("q.npy", &three)], true), true),
        ("d.npz", zip(&[("q.npy", &two)], false), false),
        ("e.yaml", message(1, 0..3, true).into_bytes(), true),
        ("f", echoed(3, 0..3).into_bytes(), true),
        ("g", b"a,b\n0,0\n1,1\n".to_vec(), false),
    ] {
        let path = folder.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        std::thread::scope(|scope| {
            scope.spawn(|| std::fs::write(&path, &content).unwrap());
            assert!(!holds_trajectories(&path, &robot, &options.motion).unwrap());
            match AnyMotionFile::open(&path, &robot, &options).unwrap() {
                AnyMotionFile::Trajectories(file) => assert!(holds && file.len() == 1, "{name}"),
                AnyMotionFile::Motions(file) => assert!(!holds && file.len() == 1, "{name}"),
            }
        });
    }
}

#[test]
fn trajectories_respect_the_memory_limit() {
    let limits = |memory_bytes| MotionOptions::default().with_limits(LoadLimits { memory_bytes });
    for (name, content) in files(1).into_iter().chain([("t.npy", npy("<f8", false, &[100, 3, 2], &[0.0; 600]))]) {
        let within = |bytes| read(name, &content, &TrajectoryOptions::default().with_motion(limits(bytes)));
        let least = (8..40).map(|k| 1 << k).find(|&bytes| within(bytes).is_ok()).unwrap();
        assert!(least <= 1 << 18, "{name}: {least}");
        let error = within(least / 2).unwrap_err();
        assert_eq!(error.kind(), crate::error::ErrorKind::Memory, "{error}");
    }
    // 1,000 numbers in a file become 999 segments of 9 columns: 999 * 9 * 2 numbers.
    let positions = npy("<f8", false, &[1, 1000, 1], &[0.0; 1000]);
    let archive = zip(&[("positions.npy", &positions), ("joint_names.npy", &names(&["slide"]))], true);
    let within = |bytes| {
        let motion = limits(bytes).with_missing_joints(MissingJoints::Zero);
        read_of(&robot(), "t.npz", &archive, &TrajectoryOptions::default().with_motion(motion))
    };
    assert!(within(140_000).unwrap_err().to_string().contains("its trajectories need"));
    assert_eq!(within(400_000).unwrap().trajectories()[0].n_segments(), 999);
    // Without columns, a file without any numbers may claim any number of trajectories.
    let still = Robot::new("r", "root", glam::DMat3::IDENTITY, glam::DVec3::ZERO).unwrap();
    for shape in [[10_000_000_000_000_000, 2, 0], [2, 10_000_000_000_000_000, 0]] {
        let empty = npy("<f8", false, &shape, &[]);
        assert!(read_of(&still, "t.npy", &empty, &TrajectoryOptions::default()).is_err());
    }
    let one = read_of(&still, "t.npy", &npy("<f8", false, &[1, 3, 0], &[]), &TrajectoryOptions::default()).unwrap();
    assert_eq!(one.trajectories()[0].n_segments(), 2);
}

/// The examples of the guide are the same trajectory, apart from the velocities, which CSV does not support.
#[test]
fn the_examples_of_the_guide_agree() {
    let guide = include_str!("../../../doc/guide/trajectories.md");
    let example = |language: &str| {
        let (_, after) = guide.split_once(&format!("```{language}\n")).unwrap();
        after.split_once("```").unwrap().0.replace("joint1", "a").replace("joint2", "b")
    };
    let of = |language: &str, interpolation| {
        let name = format!("t.{language}");
        read(&name, example(language).as_bytes(), &with(interpolation)).unwrap().into_trajectories()
    };
    assert_eq!(of("yaml", Interpolation::Auto), of("json", Interpolation::Cubic));
    assert_eq!(of("csv", Interpolation::Auto), of("json", Interpolation::Linear));
    assert_eq!(of("csv", Interpolation::Auto)[0].times_s(), Some(&[0.0, 1.5, 2.0][..]));
}
