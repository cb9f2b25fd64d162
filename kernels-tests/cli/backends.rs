//! The graphics adapter and the CPU give the same answers.

use super::{Checked, Desk, Motion, Run, joint, link, obj, robot, walls};
use crate::harness::gpu::skip;
use crate::harness::skipped;
use serde_json::Value;

/// An arm of two bars that turns over a table with two blocks; motions that touch and motions that do not, some of
/// several turns, some that start inside a block.
fn arm(more: &[&str]) -> Checked {
    arm_in(&Desk::new(), more)
}

/// [`arm`], with its files in a directory.
fn arm_in(desk: &Desk, more: &[&str]) -> Checked {
    desk.put("bar.obj", obj(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.1]], &[[1, 2, 3]]));
    let bar = "<mesh filename=\"bar.obj\"/>";
    let elements = [
        "<link name=\"stand\"/>".to_string(),
        link("upper", bar),
        link("lower", "<box size=\"0.4 0.1 0.1\"/>"),
        joint("a", "continuous", "stand", "upper", "0 0 1"),
        joint("b", "continuous", "upper", "lower", "0.6 0 0.8").replace("<axis", "<origin xyz=\"1 0 0\"/><axis"),
    ];
    let robot = robot(&elements.each_ref().map(String::as_str));
    let table = "o table\nv -3 -3 -0.15\nv 3 -3 -0.15\nv 0 3 -0.15\nf 1 2 3\n";
    let blocks = "o left\nv 0.5 0.6 -0.1\nv 1.2 0.7 -0.1\nv 0.8 0.9 0.4\nf 4 5 6\n\
        o right\nv -1 0.2 -0.1\nv -0.9 0.9 0.2\nv -1.4 0.6 0\nf 7 8 9\nf 9 8 4\n";
    let rows: Vec<[[f64; 2]; 2]> = (0..48)
        .map(|i| {
            let x = f64::from(i);
            // From azimuths around the circle, forwards and backwards, up to three turns.
            [[-1.5 + 0.09 * x, 0.3], [-1.5 + 0.09 * x + 0.4 * (x - 20.0), 0.3 - 0.05 * x]]
        })
        .collect();
    let motions: Vec<Motion> = rows.iter().map(|[q0, q1]| [&q0[..], &q1[..]]).collect();
    desk.check(&robot, &format!("{table}{blocks}"), &motions, more).expect(1)
}

#[test]
fn an_adapter_and_the_cpu_give_identical_bytes() {
    if skip() {
        return;
    }
    let cpu = arm(&["--backend", "cpu"]);
    let n = |verdict: &str| cpu.verdicts().iter().filter(|v| **v == verdict).count();
    assert!(n("free") >= 5 && n("contact") >= 20 && n("undecided") == 0, "{:?}", cpu.verdicts());
    let gpu = arm(&["--backend", "gpu"]);
    assert_eq!(gpu.text, cpu.text);
    assert_eq!(gpu.stats["backend"], "gpu", "an adapter is needed: install mesa-vulkan-drivers and libvulkan1");
    for more in [["--bound", "interval"], ["--initial", "ignore"], ["--tolerance", "1e-6"], ["--threads", "1"]] {
        let [cpu, gpu] = ["cpu", "gpu"].map(|backend| arm(&[&["--backend", backend], &more[..]].concat()));
        assert_eq!(gpu.text, cpu.text, "{more:?}");
        assert_eq!(gpu.stats["ignored"], cpu.stats["ignored"], "{more:?}");
    }
}

#[test]
fn a_stage_on_the_cpu_changes_no_answer() {
    if skip() {
        return;
    }
    let all = arm(&["--backend", "gpu"]);
    let stems = ["s1_concat", "s2_bound", "s3_cull", "s4_sweep", "s5_pairs", "s6_solve"];
    for stem in
        stems.iter().copied().chain(["s1_concat,s5_pairs", "s1_concat,s2_bound,s3_cull,s4_sweep,s5_pairs,s6_solve"])
    {
        let mixed = arm(&["--backend", "gpu", "--reference", stem]);
        assert_eq!(mixed.text, all.text, "{stem}");
        assert_eq!(mixed.stats["backend"], "gpu", "{stem}");
    }
}

/// Forms of swept-volume culling, and omitted stages, change the running time and nothing else.
fn culling_changes_no_answer(backend: &str) {
    let with = |more: &[&str]| arm(&[&["--backend", backend], more].concat());
    let all = with(&[]);
    for form in ["auto", "off", "raster", "compute", "paper"] {
        let swept = with(&["--sweep", form]);
        assert_eq!(swept.text, all.text, "{form}");
        let sweep = &swept.stats["sweep"];
        let count = |key: &str| sweep[key].as_u64().unwrap();
        if form != "auto" {
            assert_eq!(sweep["form"], form);
        }
        let culled =
            count("triangles_in") > count("triangles_out") && count("candidates_in") >= count("candidates_out");
        assert!(culled || sweep["form"] == "off", "{sweep}");
        assert_eq!(swept.stats["stages"][3]["items_out"], swept.stats["stages"][4]["items_in"], "{form}");
    }
    for stages in ["1,2,3", "1,3", "2,3", "3", "3,1"] {
        assert_eq!(with(&["--stages", stages]).text, all.text, "{stages}");
    }
    for form in ["raster", "paper"] {
        assert_eq!(with(&["--stages", "2,3", "--sweep", form]).text, all.text, "2,3 {form}");
    }
    assert_eq!(with(&["--stages", "3", "--initial", "ignore"]).text, with(&["--initial", "ignore"]).text);
}

#[test]
fn culling_changes_no_answer_on_the_cpu() {
    culling_changes_no_answer("cpu");
    let spheres = |more: &[&str]| arm(&[&["--backend", "cpu", "--pairs", "sat"], more].concat()).text;
    assert_eq!(spheres(&["--stages", "3"]), spheres(&[]));
}

#[test]
fn culling_changes_no_answer_on_an_adapter() {
    if skip() {
        return;
    }
    culling_changes_no_answer("gpu");
    let all = arm(&["--backend", "gpu"]);
    for form in ["raster", "compute"] {
        for stems in ["s4_sweep", "s3_cull,s4_sweep", "s5_pairs"] {
            let mixed = arm(&["--backend", "gpu", "--sweep", form, "--reference", stems]);
            assert_eq!(mixed.text, all.text, "{form} {stems}");
        }
    }
}

#[test]
fn stages_and_forms_that_contradict_each_other_are_refused() {
    let desk = Desk::new();
    for (more, said) in [
        (["--stages", "1,2"].as_slice(), "lacks 3"),
        (&["--stages", "3,4"], "no stage 4"),
        (&["--stages", "1,3", "--sweep", "compute"], "leaves out 2"),
        (&["--stages", "1,2,3", "--sweep", "off"], "stage 2"),
    ] {
        let refused = desk.check(&super::slider(super::CUBE), &walls(&[("wall", 1.0)]), &[[&[0.0], &[3.6]]], more);
        let [error] = refused.run.errors()[..] else { panic!("{}", refused.run.stderr) };
        assert!(refused.run.code == Some(3) && error.contains(said), "{error}");
    }
}

#[test]
fn trees_of_oriented_boxes_change_no_answer() {
    let spheres = arm(&["--pairs", "sat"]);
    let tests = |checked: &Checked| checked.stats["pairs"]["bound_tests"].as_u64().unwrap();
    for more in [&[][..], &["--obb-triangles", "2"], &["--obb-triangles", "1000"]] {
        let boxes = arm(&[&["--pairs", "obb"], more].concat());
        assert_eq!(boxes.text, spheres.text, "{more:?}");
        // Links too small for trees are processed as usual.
        assert!(tests(&boxes) > 0 && (tests(&boxes) == tests(&spheres)) == more.contains(&"1000"), "{more:?}");
    }
}

/// The kernels have no such trees: the option is rejected for them, and accepted if the stage runs on the CPU.
#[test]
fn trees_of_oriented_boxes_require_pairs_on_the_cpu() {
    if skip() {
        return;
    }
    let desk = Desk::new();
    let motions: &[Motion] = &[[&[0.0], &[3.6]]];
    let scene = walls(&[("wall", 1.0)]);
    let robot = super::slider(super::CUBE);
    let refused = desk.check(&robot, &scene, motions, &["--backend", "gpu", "--pairs", "obb"]);
    assert_eq!((refused.run.code, refused.run.errors().len()), (Some(3), 1), "{}", refused.run.stderr);
    assert!(refused.run.stderr.contains("--reference s5_pairs") && refused.text.is_empty());
    let mixed = ["--backend", "gpu", "--reference", "s5_pairs", "--pairs"];
    let [boxes, spheres] = ["obb", "sat"].map(|pairs| arm(&[&mixed, &[pairs][..]].concat()));
    assert_eq!(boxes.text, spheres.text);
}

#[test]
fn the_adapter_is_chosen_by_a_part_of_its_name() {
    if skip() {
        return;
    }
    let desk = Desk::new();
    let info = desk.run(&["info", "--json"]);
    let info: Value = serde_json::from_str(&info.stdout).unwrap();
    let name = info["adapters"][0]["name"].as_str().expect("an adapter: install mesa-vulkan-drivers and libvulkan1");
    let part: String = name.to_uppercase().chars().take(5).collect();
    // With the automatic backend too: an adapter given by name is used even if it is software.
    for backend in ["gpu", "auto"] {
        let checked = arm(&["--backend", backend, "--adapter", &part]);
        assert_eq!((&checked.stats["backend"], &checked.stats["adapter"]["name"]), (&"gpu".into(), &name.into()));
    }
}

/// The drivers of two software adapters, which are found in the packages of Mesa and Chromium.
fn two_drivers(desk: &Desk) -> Option<String> {
    let chromium = "/usr/lib/chromium/libvk_swiftshader.so";
    let folder = std::fs::read_dir("/usr/share/vulkan/icd.d").ok()?;
    let mesa = folder
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lvp_icd.")))?;
    let driver = serde_json::json!({ "library_path": chromium, "api_version": "1.0.5" });
    desk.put("swiftshader.json", serde_json::json!({ "file_format_version": "1.0.0", "ICD": driver }).to_string());
    let other = desk.path("swiftshader.json");
    std::path::Path::new(chromium).exists().then(|| format!("{}:{}", mesa.display(), other.display()))
}

#[test]
fn motions_are_divided_among_two_drivers() {
    let desk = Desk::new();
    let expected = arm_in(&desk, &["--backend", "cpu"]);
    let Some(drivers) = two_drivers(&desk).filter(|_| !skip()) else {
        skipped::report("no second software adapter, SwiftShader: install chromium");
        return;
    };
    for chosen in [&["--device", "all"][..], &["--adapter", "swiftshader", "--adapter", "llvmpipe"]] {
        let arguments = ["check", "--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"];
        let outputs = ["--out", "shared.jsonl", "--stats", "shared.json"];
        let mut command = desk.command(&[&arguments[..], &outputs, chosen].concat());
        let run = Run::new(command.env("VK_ICD_FILENAMES", &drivers).output().unwrap());
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        let stats: Value = serde_json::from_str(&desk.text("shared.json")).unwrap();
        let name = |adapter: &Value| adapter["name"].as_str().unwrap().to_string();
        let names: Vec<String> = stats["adapters"].as_array().unwrap().iter().map(name).collect();
        let has = |part: &str| names.iter().any(|name| name.contains(part));
        assert!(names.len() == 2 && has("SwiftShader") && has("llvmpipe"), "{names:?}");
        assert_eq!(desk.text("shared.jsonl"), expected.text);
    }
}

/// The same adapter cannot be used twice.
#[test]
fn more_adapters_than_there_are_is_an_error() {
    if skip() {
        return;
    }
    let desk = Desk::new();
    let info: Value = serde_json::from_str(&desk.run(&["info", "--json"]).stdout).unwrap();
    let n = info["adapters"].as_array().unwrap().len();
    // Every name contains the empty text.
    let more = ["--backend", "gpu"].into_iter().chain((0..=n).flat_map(|_| ["--adapter", ""])).collect::<Vec<_>>();
    let checked = desk.check(&super::slider(super::CUBE), &walls(&[("wall", 1.0)]), &[[&[0.0], &[3.6]]], &more);
    let [error] = checked.run.errors()[..] else { panic!("{}", checked.run.stderr) };
    assert!(checked.run.code == Some(3) && error.contains(&format!("than exist: {n}")), "{error}");
}

/// One line with the requested adapter, exit code 3, no file of answers.
#[test]
fn a_missing_adapter_is_an_error() {
    for backend in ["gpu", "auto"] {
        let desk = Desk::new();
        let more = ["--backend", backend, "--adapter", "Voodoo 2"];
        let checked = desk.check(&super::slider(super::CUBE), &walls(&[("wall", 1.0)]), &[[&[0.0], &[3.6]]], &more);
        let [error] = checked.run.errors()[..] else { panic!("{}", checked.run.stderr) };
        assert_eq!((checked.run.code, checked.run.stderr.lines().count()), (Some(3), 1), "{error}");
        assert!(error.contains("'Voodoo 2'"), "{error}");
        assert!(!desk.names().iter().any(|n| n.starts_with("results") || n.starts_with("stats")), "{:?}", desk.names());
    }
}

/// Without a hardware adapter the automatic backend reports this, in one line, and uses the CPU.
#[test]
fn the_automatic_backend_reports_its_choice() {
    let desk = Desk::new();
    let checked =
        desk.check(&super::slider(super::CUBE), &walls(&[("wall", 1.0)]), &[[&[0.0], &[3.6]]], &["--backend", "auto"]);
    checked.touches(0, 0.25);
    assert_eq!((checked.run.code, checked.run.errors().len()), (Some(1), 0), "{}", checked.run.stderr);
    match checked.stats["backend"].as_str() {
        Some("cpu") => assert!(
            checked.run.stderr.lines().count() == 1 && checked.run.stderr.contains("CPU"),
            "{}",
            checked.run.stderr
        ),
        Some("gpu") => assert!(checked.run.stderr.is_empty() && checked.stats["adapter"]["hardware"] == true),
        other => panic!("{other:?}"),
    }
}
