//! `track`: the scene of the paper's figure 7, contacts derived by hand, losses, and rejected inputs.

use super::{Desk, Run};
use serde_json::{Value, json};

const FIGURE_7: &str = include_str!("../../examples/scenes/figure7.json");

fn track(desk: &Desk, scene: &str) -> Run {
    desk.put("scene.json", scene).run(&["track", "scene.json", "--out", "out"])
}

fn result(desk: &Desk) -> Value {
    serde_json::from_str(&desk.text("out/track.json")).unwrap()
}

/// The cells of the lines of one gain.
fn lines(desk: &Desk, gain: &str) -> Vec<Vec<String>> {
    let text = desk.text("out/track.csv");
    let cells = |line: &str| line.split(',').map(String::from).collect::<Vec<String>>();
    text.lines().skip(1).map(cells).filter(|c| c[1] == gain).collect()
}

fn sphere(name: &str, radius: f64, motion: Value) -> Value {
    json!({"name": name, "shape": {"kind": "ellipsoid", "semi_axes_m": [radius, radius, radius]}, "motion": motion})
}

fn scene(bodies: Value) -> Value {
    json!({"bodies": bodies, "duration_s": 2, "step_s": 0.01, "gains_per_s": [10]})
}

/// A ball of 0.5 m flies at 1 m/s towards one of 1 m, four metres away and `aside` m off the line between.
fn flying(aside: f64) -> Value {
    scene(json!([
        sphere("still", 1.0, json!({"spin_rad_s": [0, 0, 3]})),
        sphere("flying", 0.5, json!({"origin_m": [3, aside, 0], "velocity_m_s": [-1, 0, 0]})),
    ]))
}

#[test]
fn figure_7_decays_at_the_rates_of_its_gains() {
    let desk = Desk::new();
    let run = track(&desk, FIGURE_7);
    run.expect(0);
    for (gain, k) in [("2.0", 2.0), ("5.0", 5.0), ("10.0", 10.0)] {
        let lines = lines(&desk, gain);
        assert_eq!(lines.len(), 2001);
        // ln |Ψ| after half a second, from the file alone.
        let norm = |i: usize| lines[i][13].parse::<f64>().unwrap();
        let rate = (norm(0) / norm(500)).ln() / 0.5;
        assert!((rate / k - 1.0).abs() < 1e-6, "{rate}");
        let last: Vec<f64> = lines[2000][14..18].iter().map(|c| c.parse().unwrap()).collect();
        assert!(last.iter().all(|e| e.abs() < 1.5 * (-2.0 * k).exp()), "{last:?}");
        // The distance at the end, computed with 30 digits; an error of e⁻ᴷᵗ enters squared.
        let sigma: f64 = lines[2000][4].parse().unwrap();
        assert!((sigma - 0.96308017125852588).abs() < (-4.0 * k).exp() + 1e-8);
    }
    let runs = result(&desk)["runs"].as_array().unwrap().clone();
    assert!(
        runs.iter()
            .all(|r| (r["decay_rate_per_s"].as_f64().unwrap() / r["gain_per_s"].as_f64().unwrap() - 1.0).abs() < 1e-6)
    );
    assert_eq!(result(&desk)["first_contacts"][0]["reached_by_s"], Value::Null);
    let svg = desk.text("out/track.svg");
    assert!(svg.starts_with("<svg") && svg.matches("<polyline").count() > 100 && svg.contains("K = 10 /s"));
    assert_eq!(desk.names(), ["out", "out/track.csv", "out/track.json", "out/track.svg", "scene.json"]);
}

#[test]
fn contact_is_enclosed_and_sets_the_exit_code() {
    let desk = Desk::new();
    let first = |desk: &Desk| {
        let contact = result(desk)["first_contacts"][0].clone();
        [&contact["clear_until_s"], &contact["reached_by_s"]].map(|t| t.as_f64())
    };
    let run = track(&desk, &flying(0.9).to_string());
    run.expect(1);
    // 3 − t = √(1.5² − 0.9²) = 1.2.
    let [Some(lo), Some(hi)] = first(&desk) else { panic!("{}", run.stdout) };
    assert!(lo <= 1.8 + 1e-12 && hi >= 1.8 - 1e-12 && hi - lo <= 2.1e-9, "{lo} {hi}");
    assert!(run.stdout.contains("first contact between 1.8") || run.stdout.contains("first contact between 1.7999"));
    track(&desk, &flying(1.6).to_string()).expect(0);
    // Turning so fast that the steps are used up before the bodies meet: not the same as no contact.
    let cam = json!({"name": "cam", "shape": {"kind": "ellipsoid", "semi_axes_m": [1, 1.2, 1]},
                     "motion": {"origin_m": [2.001, 0, 0], "spin_rad_s": [0, 0, 1]}});
    let mut fast = scene(json!([sphere("wheel", 1.0, json!({"spin_rad_s": [0, 0, 20_000]})), cam]));
    (fast["duration_s"], fast["step_s"]) = (json!(0.15), json!(1e-4));
    let run = track(&desk, &fast.to_string());
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stdout.contains("no contact before 0.") && run.stdout.contains("unknown"), "{}", run.stdout);
    // With a margin: √(1.7² − 1.6²) before the nearest point, which is beyond the end; so the distance is 3 − 2 = 1.
    let mut near = flying(1.6);
    near["margin_m"] = json!(0.4);
    track(&desk, &near.to_string()).expect(1);
    let reached = first(&desk)[1].unwrap();
    assert!((reached - (3.0 - (1.9f64 * 1.9 - 1.6 * 1.6).sqrt())).abs() < 1e-8, "{reached}");
}

#[test]
fn lost_pairs_are_reported() {
    let desk = Desk::new();
    let inside =
        scene(json!([sphere("shell", 2.0, json!({})), sphere("kernel", 0.3, json!({"origin_m": [0.9, 0, 0]}))]));
    let run = track(&desk, &inside.to_string());
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("normals do not face each other"), "{}", run.stderr);
    let lines = lines(&desk, "10.0");
    assert!(lines.iter().all(|l| l[3] == "wrong-side" && l[4].is_empty() && l.len() == 18));
    assert_eq!(result(&desk)["runs"][0]["lost"], 201);
}

/// Every kind of shape, every pair of them.
#[test]
fn all_kinds_of_shapes_are_read() {
    let desk = Desk::new();
    let row = |z: [f64; 3], x: f64| json!([[x, -1, z[0]], [x, 0, z[1]], [x, 1, z[2]]]);
    let net = json!([row([0.0, 0.5, 0.0], -1.0), row([0.5, 1.0, 0.5], 0.0), row([0.0, 0.5, 0.0], 1.0)]);
    let at = |x: f64, y: f64, z: f64| {
        json!({"origin_m": [x, y, z], "spin_rad_s": [0.1, 0.2, 0.3],
        "rotation_rad": [0, 0, 0.1]})
    };
    let bodies = json!([
        {"name": "ellipsoid", "shape": {"kind": "ellipsoid", "semi_axes_m": [0.5, 0.4, 0.3]},
         "motion": at(0.0, 0.0, 3.0)},
        {"name": "torus", "shape": {"kind": "torus", "ring_m": 1, "tube_m": 0.2}, "motion": at(5.0, 0.0, 3.0)},
        {"name": "surface", "shape": {"kind": "surface", "degrees": [2, 2], "points_m": net},
         "motion": at(0.0, 0.0, 0.0)},
        {"name": "ellipse", "shape": {"kind": "ellipse", "semi_axes_m": [0.5, 0.4]}, "motion": at(0.0, 4.0, 3.0)},
        {"name": "curve", "shape": {"kind": "curve", "degree": 1, "knots": [0, 0, 1, 2, 2],
            "points_m": [[0, 0, 0], [1, 0, 0], [1, 1, 0]], "weights": [1, 2, 1]}, "motion": at(-4.0, 0.0, 3.0)},
        {"name": "point", "shape": {"kind": "point"}, "motion": {"origin_m": [0, -3, 2]}},
    ]);
    let mut all = scene(bodies);
    (all["duration_s"], all["integrator"]) = (json!(0.1), json!({"dormand-prince": {"tolerance": 1e-8}}));
    let run = track(&desk, &all.to_string());
    assert_eq!(run.code, Some(0), "{} {}", run.stdout, run.stderr);
    // If the nearest point is the corner of the curve, no step is short enough: this is reported, and a search follows.
    assert!(run.stderr.contains("no step is short enough"), "{}", run.stderr);
    assert_eq!(result(&desk)["runs"].as_array().unwrap().len(), 15);
    let text = desk.text("out/track.csv");
    let first = text.lines().find(|l| l.starts_with("\"ellipse point\"")).unwrap();
    let sigma: f64 = first.split(',').nth(4).unwrap().parse().unwrap();
    // The nearest point of the ellipse to a point 7 m along −y (turned by 0.1 rad) and 1 m below is between its vertex
    // and its circle of 0.5 m: bounds by triangles.
    let far = (7.0f64 * 7.0 + 1.0).sqrt();
    assert!(sigma > far - 0.5 && sigma < far - 0.38, "{sigma}");
}

#[test]
fn bad_scenes_are_an_error_of_one_line_and_leave_no_files() {
    let mut cases: Vec<(String, &str)> = vec![
        ("{".into(), "JSON"),
        ("[]".into(), "JSON"),
        (FIGURE_7.replace("\"gains_per_s\": [2, 5, 10]", "\"gains_per_s\": []"), "gains_per_s is empty"),
        (FIGURE_7.replace("\"gains_per_s\": [2, 5, 10]", "\"gains_per_s\": [2, 3000]"), "gain × step = 3.0000"),
        (FIGURE_7.replace("\"duration_s\": 2", "\"duration_s\": -2"), "duration_s"),
        (FIGURE_7.replace("\"step_s\": 0.001", "\"step_s\": 1e-9"), "lines"),
        (FIGURE_7.replace("\"step_s\": 0.001", "\"step_s\": 0"), "above 0"),
        (FIGURE_7.replace("[2, 1.2, 0.8]", "[2, 0, 0.8]"), "body 'a': the semi-axis is 0 m"),
        (FIGURE_7.replace("[2, 1.2, 0.8]", "[2, 1e999, 0.8]"), "JSON"),
        (FIGURE_7.replace("[4.2, 1, 0.8]", "[4.2, 1e300, 0.8]"), "body 'b'"),
        (FIGURE_7.replace("\"b\": \"b\"", "\"b\": \"c\""), "pair 0: there is no body 'c'"),
        (FIGURE_7.replace("\"b\": \"b\"", "\"b\": \"a\""), "itself"),
        (FIGURE_7.replace("\"name\": \"b\"", "\"name\": \"a\""), "two bodies have this name"),
        (FIGURE_7.replace("\"form\"", "\"from\""), "unknown field"),
        (FIGURE_7.replace("\"projection\"", "\"other\""), "unknown variant"),
    ];
    let one = scene(json!([sphere("alone", 1.0, json!({}))]));
    cases.push((one.to_string(), "at least two are required"));
    let surface = |shape: Value| scene(json!([sphere("s", 1.0, json!({})), {"name": "n", "shape": shape}])).to_string();
    let points = json!([[[0, 0, 0], [0, 1, 0]], [[1, 0, 0]]]);
    cases.push((surface(json!({"kind": "surface", "degrees": [1, 1], "points_m": points})), "body 'n': a row"));
    cases.push((surface(json!({"kind": "curve", "degree": 12, "points_m": []})), "degree of a spline is 12"));
    for (text, wanted) in cases {
        let desk = Desk::new();
        let run = track(&desk, &text);
        assert_eq!(run.code, Some(3));
        assert!(run.stderr.contains(wanted) && run.stderr.contains("scene.json"), "{wanted}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        assert_eq!(desk.names(), ["scene.json"]);
    }
    let desk = Desk::new();
    assert_eq!(desk.run(&["track", "nothing.json", "--out", "out"]).code, Some(3));
    assert!(desk.names().is_empty());
}
