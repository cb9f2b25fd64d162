//! The folder of the data sets, and empty batches.

use super::{CUBE, Desk, slider, walls};

/// Generates a small data set in a folder.
#[cfg(target_os = "linux")]
fn make(desk: &Desk, folder: &str, motions: &str) {
    let run = desk.run(&["dataset", "make", "chain-3", "--out", &format!("{folder}/chain-3"), "--motions", motions]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

/// The folder for the user's data, not the one in which the program runs.
#[cfg(target_os = "linux")]
#[test]
fn data_sets_are_kept_with_the_users_data() {
    let desk = Desk::new();
    make(&desk, "data/firstcontact/datasets", "7");
    make(&desk, "home/.local/share/firstcontact/datasets", "6");
    make(&desk, "own", "5");
    std::fs::create_dir(desk.path("work")).unwrap();
    let check = |home: [Option<&str>; 2], more: &[&str]| {
        let mut command = desk
            .command(&[&["check", "--dataset", "chain-3/1", "--out", "r.jsonl", "--backend", "cpu"], more].concat());
        command.current_dir(desk.path("work"));
        for (name, folder) in ["XDG_DATA_HOME", "HOME"].iter().zip(home) {
            match folder {
                Some(folder) => command.env(name, desk.path(folder)),
                None => command.env_remove(name),
            };
        }
        let run = super::Run::new(command.output().unwrap());
        assert!(matches!(run.code, Some(0 | 1)) && run.stderr.contains("motions instead of 1000"), "{}", run.stderr);
        desk.text("work/r.jsonl").lines().count()
    };
    assert_eq!(check([Some("data"), Some("home")], &[]), 7);
    assert_eq!(check([None, Some("home")], &[]), 6);
    assert_eq!(check([Some("data"), Some("home")], &["--dataset-folder", "../own"]), 5);
    // Nothing is created in the current directory of the program.
    let made = desk.names().into_iter().filter(|n| n.starts_with("work/")).collect::<Vec<_>>();
    assert_eq!(made, ["work/r.jsonl"]);
    // The list shows the paths.
    let run =
        super::Run::new(desk.command(&["dataset", "list"]).env("XDG_DATA_HOME", desk.path("data")).output().unwrap());
    let folder = desk.path("data/firstcontact/datasets");
    assert!(run.stdout.contains(&format!("data sets are kept in {}\n", folder.display())), "{}", run.stdout);
}

#[test]
fn an_empty_batch_is_reported() {
    let desk = Desk::new();
    desk.put("robot.urdf", slider(CUBE)).put("scene.obj", walls(&[("wall", 1.0)]));
    desk.put("none.npy", super::npy(&[])).put("none.json", r#"{"joints": ["x"], "motions": []}"#);
    desk.put("none.csv", "").put("problems.json", r#"{"problems": []}"#);
    let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--backend", "cpu", "--out", "out"];
    for motions in ["none.npy", "none.json"] {
        let run = desk.run(&[&["check", "--motions", motions], &files[..]].concat());
        run.expect(0);
        assert!(run.stdout.contains(&format!("{motions} has no motions: nothing was checked\n")), "{}", run.stdout);
    }
    let run = desk.run(&["elementary", "--kind", "vf", "--queries", "none.csv", "--out", "out"]);
    run.expect(0);
    assert!(run.stdout.contains("none.csv has no queries: nothing was answered\n"), "{}", run.stdout);
    let run = desk.run(&["tolerance", "problems.json", "--out", "out"]);
    run.expect(0);
    assert!(run.stdout.contains("problems.json has no problems: nothing was checked\n"), "{}", run.stdout);
    // A single motion is not an empty batch.
    desk.put("one.npy", super::npy(&[[&[0.0], &[0.5]]]));
    let run = desk.run(&[&["check", "--motions", "one.npy"], &files[..]].concat());
    run.expect(0);
    assert!(!run.stdout.contains("nothing was checked"), "{}", run.stdout);
}
