//! Properties of the scenes of all data sets, and the documented properties of each.

use super::parts::assembly::Part;
use super::parts::touch::{ContactPoint, meet, near, tree};
use super::*;
use glam::DVec2;

/// Seeds in addition to the default one, to test that nothing depends on it; fewer in slow builds.
fn seeds() -> impl Iterator<Item = u64> {
    [DEFAULT_SEED].into_iter().chain(0..if cfg!(debug_assertions) { 2 } else { 12 })
}

fn parts(name: &str, seed: u64) -> Vec<Part> {
    Dataset::generate(name, seed, 1).unwrap().scene.unwrap().parts
}

fn scene_summary(name: &str) -> SceneSummary {
    let set = Dataset::generate(name, DEFAULT_SEED, 1).unwrap();
    let scene = set.scene.unwrap();
    let mut gathered = SceneSummary::gather(&scene.name, set.reach);
    scene.parts.iter().for_each(|part| gathered.add(part));
    gathered.finish()
}

fn n_triangles(parts: &[Part]) -> usize {
    parts.iter().map(|p| p.mesh.triangles.len()).sum()
}

#[test]
fn counts_are_exact_for_any_seed() {
    for seed in seeds() {
        assert_eq!(n_triangles(&parts("pipes", seed)), 38_000, "seed {seed}");
        let amr = parts("amr", seed);
        assert_eq!((amr.len(), n_triangles(&amr)), (1_180, 187_000), "seed {seed}");
        let obstacles = parts("chain-10", seed);
        assert_eq!((obstacles.len(), n_triangles(&obstacles)), (420, 24_000), "seed {seed}");
    }
}

#[test]
fn names_are_unique() {
    for name in ["pipes", "amr", "chain"] {
        let mut names: Vec<String> = parts(name, 1).into_iter().map(|p| p.name).collect();
        let n = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), n);
    }
}

/// No generator intentionally makes a degenerate triangle: each is at least half a micrometre high, although
/// coordinates are rounded to whole micrometres.
#[test]
fn triangles_are_finite_and_not_degenerate_and_objects_are_closed() {
    for seed in seeds() {
        for name in ["pipes", "amr", "chain"] {
            for part in parts(name, seed) {
                assert!(part.mesh.is_closed(), "{name} {}, seed {seed}", part.name);
                for [a, b, c] in part.mesh.soup() {
                    assert!(a.is_finite() && b.is_finite() && c.is_finite());
                    let longest = (b - a).length().max((c - b).length()).max((a - c).length());
                    let height = (b - a).cross(c - a).length() / longest;
                    assert!(height > 5e-7, "{name} {}, seed {seed}: height {height}", part.name);
                }
            }
        }
    }
}

#[test]
fn long_thin_triangles_exist() {
    let scene = scene_summary("amr");
    let beyond = |h: &Histogram, bound: f64| -> usize {
        let first = h.bounds.iter().position(|&b| b == bound).unwrap() + 1;
        h.counts[first..].iter().sum()
    };
    assert!(beyond(&scene.aspect_ratio, 100.0) > 1000);
    assert!(beyond(&scene.aspect_ratio, 500.0) > 50);
    assert!(beyond(&scene.longest_edge_m, 2.0) > 200);
}

/// The objects that each object touches, determined from their triangles.
fn contacts(parts: &[Part]) -> Vec<Vec<usize>> {
    let mut triangles = Vec::new();
    let mut owners = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        triangles.extend(part.mesh.soup());
        owners.resize(triangles.len(), i);
    }
    let tree = tree(&triangles);
    let mut met = vec![Vec::new(); parts.len()];
    for (triangle, &i) in triangles.iter().zip(&owners) {
        for other in near(&tree, triangle) {
            let j = owners[other as usize];
            if i < j && !met[i].contains(&j) && meet(triangle, &triangles[other as usize]) {
                met[i].push(j);
                met[j].push(i);
            }
        }
    }
    met
}

#[test]
fn the_machine_room_has_objects_apart_touching_and_interpenetrating() {
    let parts = parts("amr", DEFAULT_SEED);
    let met = contacts(&parts);
    let apart = met.iter().filter(|m| m.is_empty()).count();
    assert!(apart >= 5, "{apart} objects touch nothing");
    assert!(met.iter().filter(|m| m.len() >= 2).count() > 500);
    let of = |kind: &'static str| (0..parts.len()).filter(|&i| parts[i].kind == kind).collect::<Vec<_>>();
    // Plinths are on the floor, face to face.
    let bottom = |part: &Part| part.mesh.vertices.iter().map(|v| v.z).fold(f64::MAX, f64::min);
    let floor = of("floor")[0];
    let top = parts[floor].mesh.vertices.iter().map(|v| v.z).fold(f64::MIN, f64::max);
    assert!(of("plinth").iter().all(|&p| met[floor].contains(&p) && bottom(&parts[p]) == top));
    // Pipes pass through the walls and into the floor.
    let through = of("pipe").into_iter().filter(|&p| bottom(&parts[p]) < top && met[floor].contains(&p)).count();
    assert!(through > 10, "{through}");
    assert!(of("wall").iter().any(|&w| met[w].iter().filter(|&&p| parts[p].kind == "pipe").count() > 5));
}

#[test]
fn pipes_of_the_pipework_meet_only_in_flanges_and_tees() {
    let parts = parts("pipes", DEFAULT_SEED);
    let met = contacts(&parts);
    let mut meeting_pipes = 0;
    for (i, others) in met.iter().enumerate().filter(|(i, _)| parts[*i].kind == "pipe") {
        assert!(!others.is_empty(), "{} ends nowhere", parts[i].name);
        for &j in others.iter().filter(|&&j| parts[j].kind == "pipe") {
            // Spools of one line meet inside a flange, a branch and its line inside a tee.
            let joined = others.iter().any(|k| parts[*k].kind != "pipe" && met[j].contains(k));
            assert!(joined, "{} and {}", parts[i].name, parts[j].name);
            meeting_pipes += 1;
        }
    }
    assert!(meeting_pipes > 100);
}

#[test]
fn the_readme_states_the_figures() {
    let readme = include_str!("../../../datasets/README.md");
    for name in ["pipes", "amr", "chain"] {
        let figures = scene_summary(name).to_string();
        for line in figures.lines() {
            assert!(readme.lines().any(|l| l == line), "{name}: datasets/README.md lacks '{line}'");
        }
    }
}

/// Distance of a triangle from the z axis between two heights; infinite if it is above or below.
fn distance_to_axis(triangle: [DVec3; 3], [low, high]: [f64; 2]) -> f64 {
    let mut corners = triangle.to_vec();
    for (sign, bound) in [(1.0, low), (-1.0, -high)] {
        let over = |v: &DVec3| sign * v.z - bound;
        corners = (0..corners.len())
            .flat_map(|i| {
                let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
                let crossing = (over(&a) < 0.0) != (over(&b) < 0.0);
                let kept = (over(&a) >= 0.0).then_some(a);
                kept.into_iter().chain(crossing.then(|| a + (b - a) * (over(&a) / (over(&a) - over(&b)))))
            })
            .collect();
    }
    let flat: Vec<DVec2> = corners.iter().map(|v| v.truncate()).collect();
    let pairs = || (0..flat.len()).map(|i| (flat[i], flat[(i + 1) % flat.len()]));
    let sides: Vec<f64> = pairs().map(|(a, b)| a.perp_dot(b)).collect();
    let has_area = sides.iter().sum::<f64>().abs() > 1e-12;
    if has_area && (sides.iter().all(|&s| s >= 0.0) || sides.iter().all(|&s| s <= 0.0)) {
        return 0.0;
    }
    pairs().fold(f64::INFINITY, |nearest, (a, b)| {
        let t = (-a.dot(b - a) / (b - a).length_squared().max(1e-30)).clamp(0.0, 1.0);
        nearest.min((a + (b - a) * t).length())
    })
}

#[test]
fn the_room_around_the_pedestal_is_clear() {
    for seed in seeds() {
        for (name, clear, heights) in [
            ("pipes", puma::COLUMN_M, [0.0, puma::COLUMN_HEIGHT_M]),
            ("amr", puma::COLUMN_M, [0.0, puma::COLUMN_HEIGHT_M]),
            ("chain", 0.25, [-1.0, 4.0]),
        ] {
            for part in parts(name, seed) {
                for triangle in part.mesh.soup() {
                    let distance = distance_to_axis(triangle, heights);
                    assert!(distance > clear, "{name}, seed {seed}: {} at {distance} m", part.name);
                }
            }
        }
    }
}

#[test]
fn distances_to_the_axis_are_right() {
    let t = |z: f64| [DVec3::new(1.0, -1.0, z), DVec3::new(1.0, 1.0, z), DVec3::new(3.0, 0.0, z)];
    assert_eq!(distance_to_axis(t(0.5), [0.0, 1.0]), 1.0);
    assert_eq!(distance_to_axis(t(2.0), [0.0, 1.0]), f64::INFINITY);
    let around = [DVec3::new(-1.0, -1.0, 0.5), DVec3::new(2.0, -1.0, 0.5), DVec3::new(0.0, 3.0, 0.5)];
    assert_eq!(distance_to_axis(around, [0.0, 1.0]), 0.0);
    // Only one corner has the lower height, above the axis or next to it.
    let hanging = |x: f64| [DVec3::new(x, 0.0, 1.0), DVec3::new(x + 1.0, -1.0, 2.0), DVec3::new(x + 1.0, 1.0, 2.0)];
    assert_eq!([0.0, 0.5].map(|x| distance_to_axis(hanging(x), [0.0, 1.0])), [0.0, 0.5]);
    // Only the part between the heights counts.
    let slanted = [DVec3::new(0.5, 0.0, 1.5), DVec3::new(2.5, -0.1, -0.5), DVec3::new(2.5, 0.1, -0.5)];
    assert!((distance_to_axis(slanted, [0.0, 1.0]) - 1.0).abs() < 1e-12);
}

#[test]
fn all_chains_have_the_same_length() {
    for n in [1, 7, 10, 30, 100] {
        let set = Dataset::generate(&format!("chain-{n}"), 1, 1).unwrap();
        let robot = set.robot().unwrap();
        assert_eq!((robot.columns.len(), robot.links.len()), (n, n + 1));
        let tip = set.arm.links.iter().skip(2).map(|l| l.mount.origin_m.x).sum::<f64>()
            + set.arm.links[n].part.mesh.vertices.iter().map(|v| v.x).fold(0.0, f64::max);
        assert!((tip - 3.0).abs() < 1e-5, "{tip}");
        assert!(set.arm.links.iter().all(|l| l.part.mesh.is_closed()));
    }
    assert_eq!(Dataset::generate("chain", 1, 1).unwrap().name, "chain-30");
}

#[test]
fn wrong_names_and_scales_are_refused() {
    for name in ["", "Amr", "chain-0", "chain-", "chain-1001", "chain-x", "chain-99999999999999999999"] {
        let error = Dataset::generate(name, 1, 1).unwrap_err();
        assert_eq!(error.kind(), firstcontact::ErrorKind::Usage, "{name}");
    }
    for (name, scale) in [("pipes", 2), ("amr", 0), ("amr", 1_000_000), ("puma", 2), ("chain-10", 3)] {
        let message = Dataset::generate(name, 1, scale).map(|_| ()).unwrap_err().to_string();
        assert!(message.contains(&format!("no scale {scale}")), "{message}");
    }
}

/// Determines free starts and collisions of a set, by sampling poses a quarter of a degree apart; prints them as a
/// table row.
fn outcomes(name: &str, n_motions: usize) -> (f64, [f64; 5]) {
    let set = Dataset::generate(name, DEFAULT_SEED, 1).unwrap();
    let (robot, scene) = (set.robot().unwrap(), set.scene().unwrap().unwrap());
    let touch = ContactPoint::new(&robot, &scene);
    let (mut tried, mut made) = (0, 0);
    let rates = THETA_MAX_DEG.map(|theta_max_deg| {
        let sampling = motions::Sampling { arm: &set.arm, set: &set.name, seed: set.seed, theta_max_deg, n_motions };
        let mut hits = 0;
        tried += sampling
            .run(&mut |starts| Ok(starts.iter().map(|q| !touch.touches(q)).collect()), &mut |_| (), &mut |s, e| {
                hits += usize::from(touch.touches_between(s, e));
                Ok(())
            })
            .unwrap();
        made += n_motions;
        100.0 * hits as f64 / n_motions as f64
    });
    let free = 100.0 * made as f64 / tried as f64;
    println!("| {} | {free:.1} | {} |", set.name, rates.map(|r| format!("{r:.1}")).join(" | "));
    (free, rates)
}

/// With `--nocapture`, prints the table of `datasets/README.md`.
#[test]
fn both_outcomes_are_common() {
    println!("\n| set | starts free, % | {} |", THETA_MAX_DEG.map(|t| format!("{t}°")).join(" | "));
    let n_motions = if cfg!(debug_assertions) { 60 } else { 1000 };
    for name in ["pipes", "amr"] {
        let (free, rates) = outcomes(name, n_motions);
        assert!(free >= 2.0, "{name}: {free} % of random configurations are free");
        assert!((20.0..=60.0).contains(&rates[3]), "{name}: {} % collide at 30 degrees", rates[3]);
        if n_motions >= 1000 {
            assert!(rates[0] >= 2.0, "{name}: {} % collide at 1 degree", rates[0]);
        }
    }
    for name in ["chain-10", "chain-30", "chain-100"] {
        let (free, rates) = outcomes(name, n_motions / 2);
        assert!(free >= 2.0 && rates[0] > 1.0 && rates[0] < 50.0, "{name}: {free} % free, {rates:?}");
    }
}
