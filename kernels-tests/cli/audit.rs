//! `audit`: the page of a file of plans. Extremes and times beyond limits are derived by hand from the cubic
//! polynomial.

use super::html::{page, rows, texts};
use super::report::{select, text};
use super::{CUBE, Desk, Run, joint, link, npy, robot, walls};
use crate::harness::browser::{Browser, Window, program};
use crate::harness::gpu::skip;
use serde_json::json;

/// A sliding cube with limits of position, velocity and acceleration.
fn limited() -> String {
    let limits = "<limit lower=\"-0.5\" upper=\"1.2\" velocity=\"1\" acceleration=\"2\" effort=\"1\"/>";
    let slide = joint("x", "prismatic", "rail", "slider", "1 0 0").replace("</joint>", &format!("{limits}</joint>"));
    robot(&["<link name=\"rail\"/>", &link("slider", CUBE), &slide])
}

/// From rest to rest over 1.6 m in 2 s, through a wall whose front the cube meets at 0.8 m; without times, and free;
/// straight, with times; and smooth, with the same velocity on both sides of a point.
fn plans() -> String {
    let fast = json!({"times_s": [0, 2], "positions": [[0], [1.6]], "velocities": [[0], [0]]});
    let untimed = json!({"positions": [[0], [0.5], [0.2]]});
    let straight = json!({"times_s": [0, 1, 2], "positions": [[0], [0.5], [0.2]]});
    let smooth = json!({"times_s": [0, 2, 3], "positions": [[0], [0.3], [0.4]], "velocities": [[0], [0.2], [0]]});
    json!({"joints": ["x"], "trajectories": [fast, untimed, straight, smooth]}).to_string()
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.put("robot.urdf", limited()).put("scene.obj", walls(&[("wall", 0.9)])).put("plans.json", plans());
    desk
}

fn audit(desk: &Desk, motions: &str, more: &[&str]) -> Run {
    let files = ["audit", "--robot", "robot.urdf", "--scene", "scene.obj", "--motions", motions, "--out", "page.html"];
    desk.run(&[&files, more].concat())
}

/// Rows of the table of limits of a plan.
fn limits(html: &scraper::Html, plan: usize) -> Vec<Vec<String>> {
    labelled(html, &format!("Limits of plan {plan}"))
}

/// Rows of a table by its label.
fn labelled(html: &scraper::Html, name: &str) -> Vec<Vec<String>> {
    let rows = select(html, &format!("div[aria-label='{name}'] tbody tr"));
    let cells = scraper::Selector::parse("td").unwrap();
    rows.into_iter().map(|row| row.select(&cells).map(text).collect()).collect()
}

/// The sentence about the clearance of a plan.
fn clearance(html: &scraper::Html, plan: usize) -> String {
    let said = texts(html, &format!("#plan-{plan} p"));
    said.into_iter().find(|p| p.to_lowercase().contains("clearance")).unwrap()
}

/// The enclosure in such a sentence, metres.
#[track_caller]
fn enclosure(said: &str) -> [f64; 2] {
    let (lo, hi) =
        said.split_once("Clearance: ").unwrap().1.split_once(" mm, certified").unwrap().0.split_once(" to ").unwrap();
    [lo, hi].map(|mm| 1e-3 * mm.parse::<f64>().unwrap())
}

#[track_caller]
fn encloses(html: &scraper::Html, plan: usize, distance_m: f64, tolerance_m: f64) {
    let said = clearance(html, plan);
    let [lo, hi] = enclosure(&said);
    assert!(lo <= distance_m && distance_m <= hi + 1e-12 && hi - lo <= tolerance_m + 2e-7, "{said}: {distance_m}");
}

/// The first root of an increasing function between 0 and 1.
fn root(of: impl Fn(f64) -> f64) -> f64 {
    let (mut lo, mut hi) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (lo + hi);
        if of(middle) < 0.0 { lo = middle } else { hi = middle }
    }
    lo
}

#[test]
fn a_page_has_verdicts_limits_and_plots() {
    let desk = desk();
    let run = audit(&desk, "plans.json", &["--no-pictures"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.errors().is_empty() && run.warnings().len() == 1 && run.stderr.contains("beyond joint limits"));
    assert!(run.stdout.starts_with("4 plans: 3 free, 1 contact, 0 undecided\n"), "{}", run.stdout);
    assert!(run.stdout.contains("plans that exceed joint limits: 1\n"), "{}", run.stdout);
    let html = page(&desk, "page.html");
    assert_eq!(texts(&html, "h1"), ["Audit: plans.json"]);
    assert!(texts(&html, ".summary .note").contains(&"1 of 4 plans exceed limits of joints: 0.".to_string()));
    // x = 1.6 (3 s² - 2 s³) with s = t / 2.
    let from = 2.0 * root(|s| 1.6 * (3.0 * s * s - 2.0 * s * s * s) - 1.2);
    let half = (1.0f64 - 4.0 / 4.8).sqrt();
    let time = |t: f64| format!("{t:.4} s");
    let expected = [
        [
            "x",
            "position, m",
            "-0.5 to 1.2",
            "0",
            &time(0.0),
            "1.6",
            &time(2.0),
            &format!("{} to {}", time(from), time(2.0)),
        ],
        [
            "x",
            "velocity, m/s",
            "-1 to 1",
            "0",
            &time(0.0),
            "1.2",
            &time(1.0),
            &format!("{} to {}", time(1.0 - half), time(1.0 + half)),
        ],
        [
            "x",
            "acceleration, m/s²",
            "-2 to 2",
            "-2.4",
            &time(2.0),
            "2.4",
            &time(0.0),
            &format!("{} to {}, {} to {}", time(0.0), time(1.0 / 6.0), time(11.0 / 6.0), time(2.0)),
        ],
    ];
    assert_eq!(limits(&html, 0), expected.map(|row| row.map(str::to_string).to_vec()));
    let overview = &rows_of(&html, "plans")[0];
    assert_eq!(overview[1..4], ["contact", "1.000000 s", "position of x, velocity of x, acceleration of x"]);
    let said = texts(&html, "#plan-0 p").join(" ");
    assert!(said.contains("first contact at 1.000000000 s, in segment 0: ") && said.contains("Limits are exceeded."));
    // Distances, joint values, velocities and accelerations; without times no rates.
    assert_eq!([0, 1, 2].map(|k| select(&html, &format!("#plan-{k} figure.plot svg")).len()), [4, 2, 4]);
    assert_eq!(limits(&html, 1).len(), 1);
    let said = texts(&html, "#plan-1 p").join(" ");
    assert!(said.contains("No limit is exceeded. The plan has no times"), "{said}");
    // 0.5 m/s, then -0.3 m/s.
    let jump = texts(&html, "#plan-2 .note").join(" ");
    assert!(jump.contains("velocity of x jumps at 1 point, by up to 0.8 m/s at 1.0000 s"), "{jump}");
    assert_eq!([0, 3].map(|k| texts(&html, &format!("#plan-{k} .note")).len()), [0, 0]);
    // The contact is marked in plots, and only where there is one.
    let marks =
        |k: usize| texts(&html, &format!("#plan-{k} svg text")).iter().filter(|t| *t == "first contact").count();
    assert_eq!([marks(0), marks(1)], [4, 0]);
    assert_eq!(rows(&html, "contacts")[0][..4], ["0 3-D", "1.000000 s", "slider", "wall"].map(String::from));
}

/// A joint that follows at twice the value, plus 0.1 m, has limits of its own.
#[test]
fn joints_that_mimic_others_have_rows() {
    let desk = desk();
    let limits_of_y = "<limit lower=\"-0.5\" upper=\"1\" velocity=\"3\" effort=\"1\"/>";
    let mimic = "<mimic joint=\"x\" multiplier=\"2\" offset=\"0.1\"/></joint>";
    let follower =
        joint("y", "prismatic", "rail", "follower", "0 1 0").replace("</joint>", &format!("{limits_of_y}{mimic}"));
    let with = limited().replace("</robot>", &format!("<link name=\"follower\"/>{follower}</robot>"));
    desk.put("robot.urdf", with);
    assert_eq!(audit(&desk, "plans.json", &["--no-pictures"]).code, Some(1));
    let html = page(&desk, "page.html");
    let of_y: Vec<_> = limits(&html, 0).into_iter().filter(|row| row[0] == "y").collect();
    let cells = |row: &[String]| [1, 2, 3, 5].map(|cell| row[cell].clone());
    let expected = [["position, m", "-0.5 to 1", "0.1", "3.3"], ["velocity, m/s", "-3 to 3", "0", "2.4"]];
    assert_eq!([cells(&of_y[0]), cells(&of_y[1])], expected.map(|row| row.map(String::from)));
    assert_eq!((of_y[1][7].as_str(), of_y.len()), ("", 3));
    let overview = &rows_of(&html, "plans")[0];
    assert_eq!(overview[3], "position of x, velocity of x, acceleration of x, position of y");
}

/// The wall is 0.8 m from the cube at 0.
#[test]
fn distances_of_a_sliding_cube() {
    let desk = desk();
    assert_eq!(audit(&desk, "plans.json", &["--no-pictures"]).code, Some(1));
    let html = page(&desk, "page.html");
    assert_eq!(clearance(&html, 0), "No clearance: the plan touches.");
    for (plan, distance_m, when) in [
        (1, 0.3, ["slider and wall at t = ", " of segment "]),
        (2, 0.3, ["slider and wall at 1.0000 s, in segment", "."]),
        (3, 0.4, ["slider and wall at 3.0000 s, in segment 1", "."]),
    ] {
        encloses(&html, plan, distance_m, 1e-3);
        let said = clearance(&html, plan);
        assert!(when.iter().all(|words| said.contains(words)), "{said}");
    }
    for plan in 0..4 {
        let marks = texts(&html, &format!("#plan-{plan}-distance text"));
        let has = |name: &str| marks.iter().any(|text| text == name);
        let is_contact = plan == 0;
        let shown = ["distance (sampled)", "first contact", "minimum (certified)"].map(has);
        assert_eq!(shown, [true, is_contact, !is_contact], "{plan}: {marks:?}");
        let pairs = labelled(&html, &format!("Nearest pairs of plan {plan}"));
        assert_eq!((pairs.len(), &pairs[0][..2]), (1, &["slider", "wall"].map(String::from)[..]));
    }
    // The last sample is at the first contact.
    let last = &labelled(&html, "Nearest pairs of plan 0")[0];
    assert!(last[2].parse::<f64>().unwrap() < 1e-3 && last[3] == "1.000000 s", "{last:?}");
}

/// An arm of 1 m along x that turns about z; its corner (1, 0.05) is 1.00125 m from the axis.
const ARM: &str = r#"<robot name="arm"><link name="base"/>
<link name="arm"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="1" velocity="9"/></joint></robot>"#;

/// Walls across y by their names and places.
fn across(walls_m: &[(&str, f64)]) -> String {
    let wall = |(k, (name, y)): (usize, &(&str, f64))| {
        let [a, b, c] = [1, 2, 3].map(|i| 3 * k + i);
        format!("o {name}\nv -9 {y} -9\nv 9 {y} -9\nv 0 {y} 9\nf {a} {b} {c}\n")
    };
    walls_m.iter().enumerate().map(wall).collect()
}

/// The minimum is between the points of the plan, and another wall is nearest at the start.
#[test]
fn an_arm_that_swings_past_a_wall() {
    let swing = json!({"times_s": [0, 2], "positions": [[0], [3]], "velocities": [[0], [0]]});
    let desk = Desk::new();
    desk.put("robot.urdf", ARM).put("scene.obj", across(&[("wall", 1.2), ("rear", -0.3)]));
    desk.put("swing.json", json!({"joints": ["shoulder"], "trajectories": [swing]}).to_string());
    for tolerance in ["0.01", "0.0001"] {
        let run = audit(&desk, "swing.json", &["--no-pictures", "--clearance", tolerance]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let html = page(&desk, "page.html");
        encloses(&html, 0, 1.2 - 1.0025f64.sqrt(), tolerance.parse().unwrap());
        let pairs = labelled(&html, "Nearest pairs of plan 0");
        assert_eq!(pairs.iter().map(|row| &*row[1]).collect::<Vec<_>>(), ["wall", "rear"]);
        // A corner passes the wall by 0.19875 m, and the arm begins 0.25 m from the wall behind it.
        let mm = |row: &[String]| row[2].parse::<f64>().unwrap();
        assert!((mm(&pairs[1]) - 250.0).abs() < 1e-3 && (mm(&pairs[0]) - 198.75).abs() < 10.1, "{pairs:?}");
        assert_eq!(pairs[1][3], "0.000000 s");
    }
    let run = audit(&desk, "swing.json", &["--no-pictures", "--clearance", "0"]);
    assert_eq!((run.code, run.errors().len()), (Some(3), 1), "{}", run.stderr);
    assert!(run.stderr.contains("--clearance 0.0: it must be a length above 0"), "{}", run.stderr);
}

/// A plan that begins in contact, one that has nothing near, one that ignores its contact, and a margin.
#[test]
fn plans_without_a_distance() {
    let desk = desk();
    desk.put("motions.npy", npy(&[[&[0.9], &[1.0]], [&[0.0], &[0.3]]]));
    assert_eq!(audit(&desk, "motions.npy", &["--no-pictures"]).code, Some(1));
    let html = page(&desk, "page.html");
    assert!(clearance(&html, 0).contains("begins in contact"));
    assert!(select(&html, "#plan-0-distance").is_empty() && labelled(&html, "Nearest pairs of plan 0").is_empty());
    encloses(&html, 1, 0.5, 1e-3);
    assert!(clearance(&html, 1).ends_with("slider and wall at t = 1.0000."));
    assert_eq!(audit(&desk, "motions.npy", &["--no-pictures", "--initial", "ignore"]).code, Some(0));
    let html = page(&desk, "page.html");
    assert_eq!(clearance(&html, 0), "Clearance: there is nothing to keep a distance from.");
    assert!(select(&html, "#plan-0-distance").is_empty());
    encloses(&html, 1, 0.5, 1e-3);
    desk.put("allow.txt", "slider wall\n");
    assert_eq!(audit(&desk, "motions.npy", &["--no-pictures", "--allow", "allow.txt"]).code, Some(0));
    assert_eq!(clearance(&page(&desk, "page.html"), 1), "Clearance: there is nothing to keep a distance from.");
    assert_eq!(audit(&desk, "motions.npy", &["--no-pictures", "--margin", "0.4999"]).code, Some(1));
    let html = page(&desk, "page.html");
    encloses(&html, 1, 0.5, 1e-3);
    assert!(enclosure(&clearance(&html, 1))[0] >= 0.4999);
}

/// Two robots whose faces are 0.7 m apart at first; and a robot that moves freely.
#[test]
fn distances_of_robots_and_free_joints() {
    let desk = desk();
    desk.put("motions.npy", npy(&[[&[0.0, 0.0], &[0.5, 0.0]]]));
    let two = ["--robot", "left=robot.urdf", "--robot", "right=robot.urdf", "--base", "right=0.9,0.01,0.02,0,0,0"];
    let rest = ["--motions", "motions.npy", "--no-pictures", "--out", "page.html"];
    let run = desk.run(&[&["audit"], &two[..], &rest].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let html = page(&desk, "page.html");
    encloses(&html, 0, 0.2, 1e-3);
    assert!(clearance(&html, 0).contains("left/slider and right/slider at t = 1.0000."), "{}", clearance(&html, 0));
    let identity = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let [from, to] = [0.0, 0.3].map(|x| [&[x], &identity[1..3], &[0.0, 0.0, 0.0, 1.0], &[0.0]].concat());
    desk.put("floating.npy", npy(&[[&from, &to]]));
    let run = audit(&desk, "floating.npy", &["--no-pictures", "--floating-root"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    encloses(&page(&desk, "page.html"), 0, 0.5, 1e-3);
}

fn rows_of(html: &scraper::Html, id: &str) -> Vec<Vec<String>> {
    let rows = select(html, &format!("#{id} tbody tr"));
    let cells = scraper::Selector::parse("td").unwrap();
    rows.into_iter().map(|row| row.select(&cells).map(text).collect()).collect()
}

/// Motions are plans without times; the number of sections is bounded, that of checked plans is not.
#[test]
fn motions_are_plans() {
    let desk = desk();
    desk.put("motions.npy", npy(&[[&[0.0], &[0.5]], [&[0.0], &[1.0]], [&[0.1], &[0.4]], [&[0.2], &[0.3]]]));
    let run = audit(&desk, "motions.npy", &["--no-pictures", "--plans", "2"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    assert!(run.stdout.starts_with("4 plans: 3 free, 1 contact, 0 undecided\n"), "{}", run.stdout);
    assert!(run.stdout.contains("tested pairs: 1 of link and object") && run.stdout.contains("\n2 in detail: "));
    let html = page(&desk, "page.html");
    assert_eq!(select(&html, ".plan").len(), 2);
    assert_eq!(rows_of(&html, "plans").iter().find(|row| row[1] == "contact").unwrap()[2], "0.800000");
    let free = audit(&desk, "motions.npy", &["--no-pictures", "--plans", "0", "--allow", "allow.txt"]);
    assert_eq!(free.code, Some(3), "there is no such file");
    desk.put("allow.txt", "slider wall\n");
    let free = audit(&desk, "motions.npy", &["--no-pictures", "--plans", "0", "--allow", "allow.txt"]);
    assert_eq!((free.code, free.stderr.as_str()), (Some(0), ""));
    assert_eq!(select(&page(&desk, "page.html"), ".plan").len(), 0);
}

/// The file is the one that `check` would make; the page reports for each plan what the verifier found.
#[test]
fn certificates_are_verified_and_linked() {
    let desk = desk();
    std::fs::create_dir(desk.path("proofs of plans")).unwrap();
    let file = "proofs of plans/plans.fccert";
    let run = audit(&desk, "plans.json", &["--no-pictures", "--certificates", file]);
    assert_eq!((run.code, run.errors()), (Some(1), vec![]), "{}", run.stderr);
    assert!(run.stdout.contains("certificates: 4 verified, proofs of plans/plans.fccert\n"), "{}", run.stdout);
    let html = page(&desk, "page.html");
    for plan in 0..4 {
        let links: Vec<_> = select(&html, &format!("#plan-{plan} p a")).iter().filter_map(|a| a.attr("href")).collect();
        assert!(links.contains(&"proofs%20of%20plans/plans.fccert"), "{links:?}");
        let said = texts(&html, &format!("#plan-{plan} p")).join(" ");
        assert!(said.contains(&format!("Certificate {plan} in this file: verified, ")), "{said}");
    }
    let conditions = texts(&html, "section[id$='-tested'] li").join(" ");
    assert!(conditions.contains("4 of 4 answers have a certificate") && conditions.contains("firstcontact verify"));
    let inputs = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "plans.json"];
    let verified = desk.run(&[&["verify", file], &inputs[..]].concat());
    assert!(verified.code == Some(0) && verified.stdout.contains("valid: 3 trajectories are free, 1 have a contact"));
    let of_check = desk.run(&[&["check"], &inputs[..], &["--out", "r", "--certificates", "c.fccert"]].concat());
    assert_eq!(of_check.code, Some(1), "{}", of_check.stderr);
    assert!(std::fs::read(desk.path(file)).unwrap() == std::fs::read(desk.path("c.fccert")).unwrap());
    for (more, said) in [
        (["--certificates", "c.fccert", "--initial", "ignore"], "--initial ignore"),
        (["--certificates", "scene.obj", "--plans", "1"], "scene.obj"),
        (["--certificates", "page.html", "--plans", "1"], "page.html"),
    ] {
        let run = audit(&desk, "plans.json", &[&["--no-pictures"], &more[..]].concat());
        assert!(run.code == Some(3) && run.errors().len() == 1 && run.stderr.contains(said), "{}", run.stderr);
    }
}

#[test]
fn invalid_audits_are_refused() {
    let desk = desk();
    desk.put("empty.json", json!({"joints": ["x"], "trajectories": []}).to_string());
    let cases: [(&str, &[&str], &str); 3] = [
        ("missing.json", &[], "missing.json"),
        ("plans.json", &["--interpolation", "quintic"], "trajectory 0"),
        ("plans.json", &["--out", "scene.obj"], "scene.obj"),
    ];
    for (motions, more, said) in cases {
        let files = ["audit", "--robot", "robot.urdf", "--scene", "scene.obj", "--motions", motions, "--no-pictures"];
        let out: &[&str] = if more.contains(&"--out") { &[] } else { &["--out", "page.html"] };
        let run = desk.run(&[&files, out, more].concat());
        assert!(run.code == Some(3) && run.errors().len() == 1 && run.stderr.contains(said), "{}", run.stderr);
        assert!(!desk.path("page.html").exists());
    }
    let run = audit(&desk, "empty.json", &[]);
    assert_eq!((run.code, run.errors()), (Some(0), vec![]), "{}", run.stderr);
    page(&desk, "page.html");
}

#[test]
fn pictures_are_on_the_page() {
    if skip() {
        return;
    }
    let desk = desk();
    let run = audit(&desk, "plans.json", &["--plans", "1"]);
    assert_eq!((run.code, run.errors()), (Some(1), vec![]), "{}", run.stderr);
    let html = page(&desk, "page.html");
    let pictures = select(&html, "figure img");
    assert!(pictures.len() == 1 && pictures[0].attr("src").unwrap().starts_with("data:image/png;base64,"));
}

/// In a browser the page has no errors and fits the window, and the button of a plan shows it.
#[cfg(unix)]
#[test]
fn the_page_in_a_browser() {
    let Some(program) = program() else { return };
    let _turn = super::browser::one_at_a_time();
    let desk = desk();
    assert_eq!(audit(&desk, "plans.json", &["--no-pictures"]).code, Some(1));
    for (width, is_phone) in [(1280, false), (390, true)] {
        let window = Window { name: "audit", width, height: 800, is_phone, has_webgl: true };
        let mut browser = Browser::open(&program, &desk.path("page.html"), window);
        super::browser::fits(&mut browser, window);
        browser.wait_for("document.getElementById('viewer')?.dataset.ready");
        browser.eval("document.querySelector('#plan-2 button[data-show]').click()");
        browser.wait_for(
            "document.getElementById('viewer').dataset.ready === \
             document.querySelector('#plan-2 button[data-show]').dataset.show",
        );
        let shown = browser.eval("document.querySelector('[data-part=shown-time]').textContent");
        assert_eq!(shown, "0.000 s, segment 0");
        assert!(browser.faults().is_empty());
        browser.keep_picture("audit");
    }
}
