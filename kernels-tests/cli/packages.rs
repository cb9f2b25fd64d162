//! Resolution of `package://`.

use super::{Checked, Desk, Run, obj, slider, walls};

/// A mesh whose tip is `x` metres ahead.
fn mesh(x: f64) -> String {
    obj(&[[x, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]], &[[1, 2, 3]])
}

const ROBOT: &str = "<mesh filename=\"package://my_robot/meshes/part.obj\"/>";

/// A folder with a robot two folders down.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.put("a/b/robot.urdf", slider(ROBOT)).put("scene.obj", walls(&[("wall", 1.0)]));
    desk.put("motions.npy", super::npy(&[[&[0.0], &[4.0]]]));
    desk
}

const ARGUMENTS: [&str; 11] = [
    "check",
    "--backend",
    "cpu",
    "--robot",
    "a/b/robot.urdf",
    "--scene",
    "scene.obj",
    "--motions",
    "motions.npy",
    "--out",
    "results",
];

/// Expects that a mesh whose tip is at `x` was used: the wall is met after 1 - x of 4 m.
#[track_caller]
fn takes(desk: &Desk, run: Run, x: f64) {
    run.expect(1);
    let text = desk.text("results");
    let lines = vec![serde_json::from_str(&text).unwrap()];
    Checked { run, text, lines, stats: serde_json::Value::Null }.touches(0, (1.0 - x) / 4.0);
}

#[test]
fn a_package_is_found_next_to_the_robot_and_above_it() {
    // With the package's own name or without, in the robot's folder or above it.
    for place in
        ["a/b/my_robot/meshes/part.obj", "a/b/meshes/part.obj", "a/my_robot/meshes/part.obj", "a/meshes/part.obj"]
    {
        let desk = desk();
        desk.put(place, mesh(0.25));
        takes(&desk, desk.run(&ARGUMENTS), 0.25);
    }
}

#[test]
fn a_package_is_found_where_the_caller_says() {
    let desk = desk();
    desk.put("one/my_robot/meshes/part.obj", mesh(0.25)).put("two/meshes/part.obj", mesh(0.5));
    let with = |more: &[&str]| desk.run(&[&ARGUMENTS, more].concat());
    takes(&desk, with(&["--package-path", "one"]), 0.25);
    takes(&desk, with(&["--package-path", "two"]), 0.5);
    takes(&desk, with(&["--package-path", "nowhere", "--package-path", "two"]), 0.5);
    // Also from the environment: a list of folders.
    let places = std::env::join_paths([desk.path("nowhere"), desk.path("one")]).unwrap();
    let from_environment = desk.command(&ARGUMENTS).env("ROS_PACKAGE_PATH", places).output().unwrap();
    takes(&desk, Run::new(from_environment), 0.25);
}

#[test]
fn a_missing_package_is_an_error_that_lists_all_searched_places() {
    let desk = desk();
    let mut command = desk.command(&[&ARGUMENTS[..], &["--package-path", "given"]].concat());
    let places = std::env::join_paths(["from-ros-1", "from-ros-2"]).unwrap();
    let run = Run::new(command.env("ROS_PACKAGE_PATH", places).output().unwrap());
    let [error] = run.errors()[..] else { panic!("{}", run.stderr) };
    assert_eq!((run.code, run.stderr.lines().count(), desk.path("results").exists()), (Some(3), 1, false));
    for place in ["robot.urdf", "slider", "my_robot/meshes/part.obj", "given", "from-ros-1", "from-ros-2"] {
        assert!(error.contains(place), "{place}: {error}");
    }
    // The robot's folder and its parents.
    let folder = desk.0.path().canonicalize().unwrap();
    for place in [folder.join("a/b"), folder.join("a"), folder] {
        assert!(error.contains(&*place.to_string_lossy()), "{}: {error}", place.display());
    }
}
