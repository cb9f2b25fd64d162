//! Broken files: one message each, with the place and the remedy, if there is one.

use super::*;

fn message_of(robot: &Robot, name: &str, content: &[u8], options: &TrajectoryOptions) -> String {
    let error = read_of(robot, name, content, options).unwrap_err().to_string();
    assert!(error.contains(name) && error.lines().count() == 1, "{error}");
    error
}

#[test]
fn broken_text_is_explained() {
    let long = "it has no values for joint 'b' (--missing-joints";
    for (name, text, words) in [
        ("t.json", "", &["JSON: EOF", "an example: {"][..]),
        ("t.json", "{}", &["trajectory 0: it has neither 'trajectories' nor 'points' (an example"]),
        ("t.json", "[]", &["it has no trajectory (an example"]),
        ("t.json", r#"{"trajectories":[]}"#, &["it has no 'joints'"]),
        ("t.json", r#"{"joints":["a","b"],"trajectories":[],"motions":[]}"#, &["two of"]),
        (
            "t.json",
            r#"{"joint_names":["a","b"],"points":[{"positions":[0,0],"velocity":[0,0]}]}"#,
            &["unknown field `velocity`"],
        ),
        (
            "t.json",
            r#"{"joint_names":["a","b"],"points":[{"positions":[0,0],"time_from_start":{"sec":1,"nanos":5}}]}"#,
            &["unknown field `nanos`"],
        ),
        ("t.csv", "a,b\r0,0\r1,1\r\r0,0\r1,1\r", &["line 1: the line ends with CR alone"]),
        ("t.json", r#"{"joints":["a","b"],"trajectories":[{}]}"#, &["missing field `positions`", "line 1"]),
        ("t.json", r#"{"joints":["a","b"],"trajectories":[{"position":[]}]}"#, &["unknown field `position`"]),
        ("t.json", r#"{"joints":["a","b"],"trajectories":[{"positions":[]}]}"#, &["trajectory 0: it has no point"]),
        ("t.json", r#"{"joints":["a","c"],"trajectories":[]}"#, &["no moving joint 'c' (firstcontact info"]),
        ("t.json", r#"{"joints":["a","a"],"trajectories":[]}"#, &["joint 'a' appears twice"]),
        ("t.json", r#"{"joints":["a"],"trajectories":[]}"#, &[long]),
        (
            "t.json",
            r#"{"joints":["a","b"],"trajectories":[{"positions":[[0,0],[1,1]]},{"positions":[[0,0],[1,1],[2]]}]}"#,
            &["trajectory 1: point 2: 1 positions for 2 joints"],
        ),
        (
            "t.json",
            r#"{"joints":["a","b"],"trajectories":[{"positions":[[0,0],[1,1]],"times_s":[0]}]}"#,
            &["trajectory 0: 1 times for 2 points"],
        ),
        (
            "t.json",
            r#"{"joints":["a","b"],"trajectories":[{"positions":[[0,0],[1,1]],"times_s":[0,1],"velocities":[[0,0]]}]}"#,
            &["trajectory 0: 1 rows of velocities for 2 points"],
        ),
        (
            "t.json",
            r#"{"joints":["a","b"],"trajectories":[{"positions":[[0,0],[1,1]],"velocities":[[0,0],[0,0]]}]}"#,
            &["trajectory 0: point 0: it has velocities but no time (give times, or choose --interpolation linear)"],
        ),
        (
            "t.json",
            r#"{"joints":["a","b"],
                "trajectories":[{"positions":[[0,0],[1,1]],"times_s":[0,1],"velocities":[[0,0],[1]]}]}"#,
            &["trajectory 0: point 1: 1 velocities for 2 joints"],
        ),
        (
            "t.json",
            r#"{"joints":["a","b"],
                "trajectories":[{"positions":[[0,0],[1,1]],"times_s":[0,1],"accelerations":[[0,0],[1,1]]}]}"#,
            &["trajectory 0: point 0: it has accelerations but no velocities (", "--interpolation linear"],
        ),
        (
            "t.json",
            r#"{"joints":["a","b"],"trajectories":[{"positions":[[0,0],[1,1],[2,2]],"times_s":[0,1,1]}]}"#,
            &["trajectory 0: point 2: its time 1.0 s does not exceed 1.0 s: times must increase"],
        ),
        (
            "t.json",
            r#"{"joints":["a","b"],"trajectories":[{"positions":[[0,0],[1,1]],"times_s":[-1,1]}]}"#,
            &["trajectory 0: point 0: its time -1.0 s is negative"],
        ),
        (
            "t.json",
            r#"{"joints":["a","b"],"trajectories":[{"positions":[[0,0],[1e300,1]],"times_s":[0,1]}]}"#,
            &["trajectory 0: segment 0: joint 'a' moves to 1e300 m, beyond 1000000 m"],
        ),
        (
            "t.json",
            r#"{"joints":["a","b"],"motions":[[[0,0],[1,1],[2,2]]]}"#,
            &["trajectory 0: 3 points where a motion"],
        ),
        ("t.json", r#"{"joints":["a","b"],"trajectories":[{"positions":[[0,NaN]]}]}"#, &["JSON: ", "line 1"]),
        ("t.json", r#"[{"joint_names":["a","b"],"points":[]}]"#, &["trajectory 0: it has no point"]),
        ("t.json", r#"[{"points":[]}]"#, &["trajectory 0: it has no 'joint_names'"]),
        ("t.yaml", "", &["it has no trajectory"]),
        ("t.yaml", "joint_names: [a, b\npoints: []", &["YAML: "]),
        (
            "t.yaml",
            "joint_names: [a, b]\npoints:\n- positions: [0, 0]\n- positions: [0, .nan]\n",
            &["trajectory 0: point 1: the position of joint 'b' is NaN or infinite"],
        ),
        (
            "t.yaml",
            "joint_names: [b, a]\npoints:\n- {positions: [0, 0], velocities: [.inf, 0], time_from_start: 1}\n",
            &["trajectory 0: point 0: the velocity of joint 'b' is NaN or infinite"],
        ),
        (
            "t.yaml",
            "joint_names: [a, b]\npoints:\n- {positions: [0, 0], time_from_start: .nan}\n",
            &["YAML: ", "`.nan`", "line 3"],
        ),
        (
            "t.yaml",
            "joint_names: [a, b]\npoints:\n- {positions: [0, 0], time_from_start: 1}\n- {positions: [0, 0]}\n",
            &["trajectory 0: point 1: it has no time, but the points before it do"],
        ),
        (
            "t.yaml",
            "joint_names: [a, b]\npoints: [{positions: [0, 0]}]\n---\njoint_names: [a]\npoints: [{positions: [0]}]\n",
            &["trajectory 1: ", long],
        ),
        ("t.yaml", "joint_names: [a, b]\npoints:\n- positions: [0, '...']\n", &["YAML: ", "--full-length"]),
        ("t.csv", "", &["it is empty (the first line names the joints"]),
        ("t.csv", "a,c\n0,0\n", &["line 1: the robot has no moving joint 'c'"]),
        ("t.csv", "a,b\n0,0\n1,x\n", &["line 3: 'x' is not a number"]),
        ("t.csv", "a,b\n0,0\n1,1\n\n2,2\n3,3,3\n", &["line 6: 3 fields where the first line has 2"]),
        ("t.csv", "time,a,b\n0,0,0\n1,1,1\n0,2,2\n", &["trajectory 0: point 2: its time 0.0 s does not exceed 1.0 s"]),
        ("t.csv", "trajectory,a,b\nx,0,0\ny,1,1\nx,2,2\n", &["line 4: trajectory 'x' has rows in two places ("]),
        ("t.txt", "a,b\n0,0\n", &["'txt' is not a motion file format", ".yaml"]),
    ] {
        let error = message_of(&slides(), name, text.as_bytes(), &TrajectoryOptions::default());
        assert!(words.iter().all(|word| error.contains(word)), "{text}: {error}");
    }
}

#[test]
fn broken_arrays_are_explained() {
    let positions = npy("<f8", false, &[2, 3, 2], &[0.0; 12]);
    let times = npy("<f8", false, &[2, 3], &[0.0, 1.0, 2.0, 0.0, 1.0, 1.0]);
    let good = npy("<f8", false, &[2, 3], &[0.0, 1.0, 2.0, 0.0, 1.0, 2.0]);
    let mut nan = [0.0; 12];
    nan[9] = f64::NAN;
    let nan = npy("<f8", true, &[2, 3, 2], &nan);
    let of = |name: &'static str, bytes: &[u8]| zip(&[("positions.npy", &positions), (name, bytes)], true);
    let lengths = |values: &[f64]| of("lengths.npy", &npy("<f8", false, &[values.len()], values));
    for (name, content, word) in [
        ("t.npy", npy("<f8", false, &[2, 3], &[0.0; 6]), "shape (2, 3), expected (trajectories, points, 2)"),
        ("t.npy", npy("<f8", false, &[1, 3, 3], &[0.0; 9]), "has 3 columns where the robot has 2 (firstcontact info"),
        ("t.npy", npy("<f8", false, &[1, 0, 2], &[]), "shape (1, 0, 2) has no points"),
        ("t.npy", positions[..positions.len() - 1].to_vec(), "takes 96 bytes, the file has 95: truncated"),
        ("t.npy", [&positions[..], &[0]].concat(), "takes 96 bytes, the file has more"),
        ("t.npy", nan.clone(), "trajectory 1: point 1: the position of joint 'b' is NaN"),
        ("t.npz", of("times.npy", &times), "trajectory 1: point 2: its time 1.0 s does not exceed 1.0 s"),
        ("t.npz", of("times.npy", &positions), "array 'times': shape (2, 3, 2), expected (2, 3) as for positions"),
        ("t.npz", of("velocities.npy", &good), "array 'velocities': shape (2, 3), expected (2, 3, 2)"),
        ("t.npz", of("velocities.npy", &positions), "trajectory 0: point 0: it has velocities but no time ("),
        ("t.npz", of("accelerations.npy", &positions), "it has accelerations but no velocities ("),
        ("t.npz", lengths(&[3.0]), "array 'lengths': shape (1), expected (2)"),
        ("t.npz", lengths(&[3.0, 4.0]), "trajectory 1: its length is 4.0, expected a whole number from 1 to 3"),
        ("t.npz", lengths(&[0.0, 3.0]), "trajectory 0: its length is 0.0"),
        ("t.npz", lengths(&[1.5, f64::NAN]), "trajectory 0: its length is 1.5"),
        ("t.npz", of("joint_names.npy", &names(&["a", "c"])), "no moving joint 'c'"),
        ("t.npz", of("times.npy", &times[..times.len() - 3]), "array 'times': its shape takes 48 bytes"),
        ("t.npz", zip(&[("times.npy", &times)], false), "no array of motions (call the array positions)"),
        ("t.npz", b"PK\x03\x04".to_vec(), "not a .npz archive"),
    ] {
        let error = message_of(&slides(), name, &content, &TrajectoryOptions::default());
        assert!(error.contains(word), "{word}: {error}");
    }
    let mut large = npy("<i8", true, &[2, 3, 2], &[0.0; 12]);
    let at = large.len() - 8 * 12 + 8 * (1 + 2 * (2 + 3));
    large[at..at + 8].copy_from_slice(&((1i64 << 53) + 1).to_le_bytes());
    let error = message_of(&slides(), "t.npy", &large, &TrajectoryOptions::default());
    assert!(error.contains("element [1, 2, 1]: it is an integer beyond 2^53"), "{error}");
}

#[test]
fn start_states_have_to_fit() {
    let text = "a,b\n0,0\n";
    for (state, word) in [
        (vec![0.0], "the start state has 1 values for 2 columns"),
        (vec![0.0, f64::INFINITY], "start state: the value of joint 'b' is NaN or infinite"),
    ] {
        let error = read("t.csv", text.as_bytes(), &TrajectoryOptions::default().with_start_state(Some(state)));
        assert!(error.unwrap_err().to_string().contains(word), "{word}");
    }
}

#[test]
fn columns_of_a_free_root_take_no_velocities() {
    let zero = MotionOptions::default().with_missing_joints(MissingJoints::Zero);
    let options = TrajectoryOptions::default().with_motion(zero);
    let text =
        br#"{"joints":["turn"],"trajectories":[{"times_s":[0,1],"positions":[[0],[1]],"velocities":[[0],[0]]}]}"#;
    let error = message_of(&robot(), "t.json", text, &options);
    assert!(error.contains("point 0: columns of a free root cannot have velocities"), "{error}");
    let linear = options.clone().with_interpolation(Interpolation::Linear);
    assert_eq!(read_of(&robot(), "t.json", text, &linear).unwrap().trajectories()[0].degree(0), 1);
    let norm = br#"{"joints":["free.qw"],"trajectories":[{"positions":[[1],[1],[0.9]]}]}"#;
    let error = message_of(&robot(), "t.json", norm, &options);
    assert!(error.contains("trajectory 0: segment 1: the quaternion of joint 'free' has the norm 0.9"), "{error}");
    let far = br#"{"joints":["turn"],"trajectories":[{"positions":[[0],[1100]]}]}"#;
    let error = message_of(&robot(), "t.json", far, &options);
    assert!(error.contains("trajectory 0: segment 0: joint 'follower' turns between 0.5 and 1100000.5 rad"), "{error}");
}

/// Every truncation, and many changes of one byte, result in an answer or an error of one line.
#[test]
fn damaged_files_do_not_panic() {
    let mut state = 7u64;
    let mut draw = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let limits = MotionOptions::default().with_limits(LoadLimits { memory_bytes: 1 << 22 });
    let options = TrajectoryOptions::default().with_motion(limits);
    let robot = slides();
    for degree in [1, 5] {
        for (name, content) in files(degree) {
            let form = Form::of_name(Path::new(name)).unwrap();
            let attempt = |bytes: &[u8]| {
                let add = |to: &mut Builder| from_stream(&mut &bytes[..], form, to);
                match TrajectoryFile::read(name.into(), &robot, &options, add) {
                    Ok(read) => assert!(read.trajectories().iter().all(|t| t.n_segments() > 0)),
                    Err(error) => assert_eq!(error.to_string().lines().count(), 1),
                }
                let _ = AnyMotionFile::from_stream(bytes, name, &robot, &options);
            };
            let step = (content.len() / 200).max(1);
            (0..content.len()).step_by(step).for_each(|cut| attempt(&content[..cut]));
            for _ in 0..300 {
                let mut damaged = content.clone();
                let at = draw(damaged.len());
                damaged[at] = [b'[', b']', b'{', b'-', b',', b'\n', b'9', 0xff, draw(256) as u8][draw(9)];
                attempt(&damaged);
            }
        }
    }
}

#[test]
fn times_have_to_be_finite() {
    let positions = npy("<f8", false, &[1, 2, 2], &[0.0; 4]);
    for (times_s, point) in [([f64::NAN, 1.0], 0), ([0.0, f64::NAN], 1), ([0.0, f64::INFINITY], 1)] {
        let times = npy("<f8", false, &[1, 2], &times_s);
        let archive = zip(&[("positions.npy", &positions), ("times.npy", &times)], true);
        let error = message_of(&slides(), "t.npz", &archive, &TrajectoryOptions::default());
        assert!(error.contains(&format!("trajectory 0: point {point}: its time is NaN or infinite")), "{error}");
    }
}
