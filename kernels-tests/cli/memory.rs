//! Memory does not grow with the number of motions, nor with the pairs of one.
#![cfg(target_os = "linux")]

use super::lines::grid;
use super::{CUBE, Checked, Desk, Motion, slider, walls};
use crate::harness::gpu::skip;
use crate::inputs::samples;

/// The peak memory of a run, MiB.
fn peak_mib(checked: &Checked) -> f64 {
    checked.stats["peak_memory_bytes"].as_u64().unwrap() as f64 / f64::from(1 << 20)
}

fn deep_contact(backend: &str) {
    let desk = Desk::new();
    desk.put("plate.obj", grid(20));
    // A dozen coincident plates.
    let n_vertices = 21 * 21;
    let plate = |k: usize| {
        let shifted = |line: &str| match line.strip_prefix("f ") {
            Some(corners) => corners.split(' ').fold("f".to_string(), |face, corner| {
                format!("{face} {}", corner.parse::<usize>().unwrap() + k * n_vertices)
            }),
            None => line.to_string(),
        };
        grid(20).lines().map(|line| shifted(line) + "\n").collect::<String>()
    };
    desk.put("scene.obj", (0..12).map(plate).collect::<String>());
    let robot = slider("<mesh filename=\"plate.obj\"/>").replace("1 0 0", "0 0 1");
    let run = |motions: &[Motion], memory: &str| {
        desk.check(&robot, "scene.obj", motions, &["--backend", backend, "--memory", memory])
    };
    // 800 triangles coincide from the start with twelve times as many, each with a dozen of each plate: some 110,000
    // pairs, far more than fit. The second motion is far away.
    let inside = run(&[[&[0.0][..], &[1e-3]]; 2], "8MiB").expect(2);
    let outside = run(&[[&[5.0][..], &[5.001]]; 2], "8MiB").expect(0);
    for line in &inside.lines {
        assert_eq!((&line["verdict"], &line["reason"]), (&"undecided".into(), &"memory".into()), "{line}");
        assert_eq!(line["clear_until"], 0.0);
    }
    let [inside, outside] = [peak_mib(&inside), peak_mib(&outside)];
    println!("{backend}: {inside:.0} MiB, {outside:.0} MiB without the contact");
    assert!(inside - outside < 24.0, "{backend}: {inside} {outside}");
}

#[test]
fn deep_contact_stays_within_the_memory_limit() {
    deep_contact("cpu");
}

#[test]
fn deep_contact_on_an_adapter_stays_within_the_memory_limit() {
    if !skip() {
        deep_contact("gpu");
    }
}

#[test]
fn memory_does_not_grow_with_the_number_of_motions() {
    let desk = Desk::new();
    let run = |n: usize| {
        let values: Vec<f64> = (0..n).flat_map(|i| [1e-7 * i as f64, 0.5 + 0.7 * (i % 2) as f64]).collect();
        desk.put("motions.npy", samples::npy("'<f8'", &format!("({n}, 2, 1)"), &values));
        let checked = desk.check_file(&slider(CUBE), &walls(&[("wall", 1.0)]), "motions.npy", &[]).expect(1);
        assert_eq!(checked.stats["motions"], n);
        peak_mib(&checked)
    };
    let n = crate::effort(200_000, 5_000_000);
    let (few, many) = (run(n / 4), run(n));
    println!("{} motions: {few:.1} MiB, {n} motions: {many:.1} MiB", n / 4);
    // The answers alone are 30 bytes each, contacts ten times as much.
    assert!(many - few < 6.0, "{few} {many}");
}
