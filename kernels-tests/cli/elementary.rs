//! `firstcontact elementary`, as scripts see it.

use super::interrupt::signal;
use super::{Desk, Run, toc};
use serde_json::Value;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// The eight lines of a query, each followed by `end`.
fn rows(points: [[i32; 3]; 8], denominator: i32, end: &str) -> String {
    let row = |[x, y, z]: [i32; 3]| format!("{x},{denominator},{y},{denominator},{z},{denominator}{end}\n");
    points.map(row).concat()
}

/// A vertex above the middle of a triangle at rest moves from height 4 / 4 to `height` / 4.
fn falling(height: i32, end: &str) -> String {
    let triangle = [[0, 0, 0], [4, 0, 0], [0, 4, 0]];
    let points = |z: i32| [[1, 1, z], triangle[0], triangle[1], triangle[2]];
    let ([a, b, c, d], [e, f, g, h]) = (points(4), points(height));
    rows([a, b, c, d, e, f, g, h], 4, end)
}

/// An edge along y moves from height 4 / 4 to `height` / 4 over an edge along x at rest.
fn crossing(height: i32, end: &str) -> String {
    let points = |z: i32| [[1, -4, z], [1, 4, z], [-4, 0, 0], [4, 0, 0]];
    let ([a, b, c, d], [e, f, g, h]) = (points(4), points(height));
    rows([a, b, c, d, e, f, g, h], 4, end)
}

const VF: [&str; 7] = ["elementary", "--queries", "q.csv", "--kind", "vf", "--out", "results.jsonl"];
const EE: [&str; 7] = ["elementary", "--queries", "q.csv", "--kind", "ee", "--out", "results.jsonl"];

fn lines(desk: &Desk) -> Vec<Value> {
    desk.text("results.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[track_caller]
fn touches(line: &Value, t: f64) {
    assert_eq!(line["verdict"], "contact", "{line}");
    let [lo, hi] = toc(line);
    assert!(lo <= t && hi >= t && hi - lo <= 1e-9, "{t}: {line}");
    assert!(line["proved"] == true && line["certified"] == true, "{line}");
}

#[test]
fn answers_are_those_worked_out_by_hand() {
    let desk = Desk::new();
    for (arguments, make) in [(VF, falling as fn(i32, &str) -> String), (EE, crossing)] {
        // Through, not reaching, through after half of the time.
        desk.put("q.csv", [make(-12, ""), make(1, ""), make(-4, "")].concat());
        let run = desk.run(&arguments);
        run.expect(1);
        assert!(
            run.stdout.contains("3 queries: 1 free, 2 contact (2 proved, 2 certified), 0 undecided"),
            "{}",
            run.stdout
        );
        assert!(run.stdout.contains("ns per query") && !run.stdout.contains("according to the file"), "{}", run.stdout);
        let lines = lines(&desk);
        touches(&lines[0], 0.25);
        touches(&lines[2], 0.5);
        assert_eq!(desk.text("results.jsonl").lines().nth(1), Some(r#"{"query":1,"verdict":"free"}"#));
        assert_eq!(lines[2].as_object().unwrap().len(), 5, "{}", lines[2]);
    }
}

#[test]
fn exit_codes_reflect_the_answers() {
    let desk = Desk::new();
    desk.put("q.csv", falling(1, "").repeat(5));
    desk.run(&VF).expect(0);
    desk.put("q.csv", falling(-4, ""));
    desk.run(&VF).expect(1);
    // No query at all.
    for nothing in ["", "\n\n"] {
        desk.put("q.csv", nothing);
        let run = desk.run(&VF);
        run.expect(0);
        assert!(run.stdout.contains("0 queries: 0 free") && desk.text("results.jsonl").is_empty(), "{}", run.stdout);
    }
}

#[test]
fn a_tolerance_widens_what_is_certified() {
    let desk = Desk::new();
    desk.put("q.csv", falling(-12, ""));
    desk.run(&[&VF[..], &["--tolerance", "0.5"]].concat()).expect(1);
    let line = &lines(&desk)[0];
    let [lo, hi] = toc(line);
    assert!(lo <= 0.25 && hi >= 0.25 && hi - lo <= 0.5 && line["certified"] == true, "{line}");
}

/// The program compares with the truth in the file, right or wrong.
#[test]
fn truth_in_the_file_is_compared() {
    let desk = Desk::new();
    let queries = [falling(-4, ",1"), falling(1, ",1"), falling(-4, ",0"), falling(1, ",0"), falling(-12, ",0")];
    desk.put("q.csv", queries.concat());
    let run = desk.run(&VF);
    run.expect(1);
    let expected = "according to the file, 2 contact: 1 false negatives; 2 false positives proved, 0 not proved";
    assert!(run.stdout.contains(expected), "{}", run.stdout);
}

#[test]
fn rounded_coordinates_cause_one_warning() {
    let desk = Desk::new();
    let third = falling(1, "").replacen("1,4,1,4,4,4", "1,3,1,3,1,1", 1);
    desk.put("q.csv", [falling(1, ""), third.clone(), third].concat());
    let run = desk.run(&VF);
    let [warning] = run.warnings()[..] else { panic!("{}", run.stderr) };
    assert!(warning.contains("2 of 3 queries") && run.stderr.lines().count() == 1, "{warning}");
    assert_eq!(lines(&desk).len(), 3);
    // Fractions that are integers after all, and numbers of many digits that are exact doubles.
    let whole = falling(1, "").replacen("1,4,1,4,4,4", "3,12,1,4,100000000000000000000,100000000000000000000", 1);
    desk.put("q.csv", whole);
    assert_eq!(desk.run(&VF).stderr, "");
}

/// The same bytes for any number of threads, and a line for each query in order.
#[test]
fn threads_change_nothing() {
    let desk = Desk::new();
    let text: String = (0..3000).map(|i| falling(3 - i % 11, "")).collect();
    desk.put("q.csv", text);
    let mut first = None;
    for threads in ["1", "2", "5", "0"] {
        let run = desk.run(&[&VF[..], &["--threads", threads]].concat());
        assert!(run.code.is_some_and(|code| code < 3), "{}", run.stderr);
        let text = desk.text("results.jsonl");
        assert_eq!(*first.get_or_insert_with(|| text.clone()), text, "{threads} threads");
    }
    let lines = lines(&desk);
    assert!(lines.len() == 3000 && lines.iter().enumerate().all(|(i, line)| line["query"] == i));
}

/// One error, exit code 3, and no file or folder.
fn told(desk: &Desk, arguments: &[&str], words: &[&str]) -> Result<(), String> {
    let before = desk.names();
    let run = desk.run(arguments);
    let [error] = run.errors()[..] else { return Err(format!("{arguments:?}: not one error: {}", run.stderr)) };
    let is_whole = run.code == Some(3) && desk.names() == before && run.stdout.is_empty();
    if is_whole && words.iter().all(|word| error.contains(word)) {
        return Ok(());
    }
    Err(format!("{words:?} {arguments:?}: {:?} {}{} {:?}", run.code, run.stderr, run.stdout, desk.names()))
}

#[track_caller]
fn all_told(results: impl IntoIterator<Item = Result<(), String>>) {
    let wrong: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const BROKEN: [&str; 7] = ["elementary", "--queries", "q.csv", "--kind", "vf", "--out", "out/deep/results.jsonl"];

#[test]
fn broken_files_end_the_program_with_one_line() {
    // The defect is far enough into the file that answers are written before it is found.
    let many = falling(1, ",0").repeat(9000);
    let good = falling(1, ",0");
    let seven = good.lines().take(7).map(|line| format!("{line}\n")).collect::<String>();
    let with = |from: &str, to: &str| good.replacen(from, to, 1);
    let long = format!("1{}", "0".repeat(400));
    let broken: Vec<(Vec<u8>, &str)> = vec![
        (b"xn,xd,yn,yd,zn,zd,truth\n".to_vec(), "lines of query 0"),
        (format!("xn,xd,yn,yd,zn,zd,truth\n{seven}").into(), "line 1: x: 'xn' is not a whole number"),
        (with("1,4,1,4,4,4,0", "1,4,1,4,4,4").into(), "line 2: 7 columns where the first line has 6"),
        (with("0,4,0,4,0,4,0", "0,4,0,4,0,4").into(), "line 2: 6 columns where the first line has 7"),
        (with("1,4,1,4,4,4,0", "1,4,1,4,4,4,0,0").into(), "line 1: 8 columns"),
        (b"1;4;1;4;4;4\n".to_vec(), "line 1: 1 columns"),
        (with("1,4,1,4,4,4,0", "0.25,4,1,4,4,4,0").into(), "line 1: x: '0.25' is not a whole number"),
        (with("1,4,1,4,4,4,0", "1,4,nan,4,4,4,0").into(), "line 1: y: 'nan' is not"),
        (with("1,4,1,4,4,4,0", "1,4,inf,4,4,4,0").into(), "line 1: y: 'inf' is not"),
        (with("1,4,1,4,4,4,0", "1,4,1,4,,4,0").into(), "line 1: z: '' is not"),
        (with("1,4,1,4,4,4,0", "1,4,1,4,4,0,0").into(), "line 1: z: its denominator '0' is not above 0"),
        (with("1,4,1,4,4,4,0", "1,4,1,-4,4,4,0").into(), "line 1: y: its denominator '-4' is not above 0"),
        (with("1,4,1,4,4,4,0", &format!("1,4,1,4,{long},4,0")).into(), "line 1: z: a number has 401 digits"),
        (
            with("1,4,1,4,4,4,0", &format!("1,4,1,4,{},4,0", &long[..40])).into(),
            "line 1: z: the coordinate exceeds 1e30",
        ),
        (with("1,4,1,4,4,4,0", "1,4,1,4,4,4,2").into(), "line 1: the truth is '2', not 0 or 1"),
        (with("1,4,1,4,4,4,0", "1,4,1,4,4,4,true").into(), "line 1: the truth is 'true'"),
        (with("0,4,0,4,0,4,0", "0,4,0,4,0,4,1").into(), "line 2: the truth differs from that of"),
        (seven.clone().into(), "it ends after 7 of the 8 lines of query 0"),
        (format!("{many}{seven}").into(), "it ends after 7 of the 8 lines of query 9000"),
        (format!("{many}{}", with("1,4,1,4,4,4,0", "x,4,1,4,4,4,0")).into(), "line 72001: x: 'x' is not"),
        (format!("{good}\n{good}").into(), "line 9: it is empty"),
        (format!("{good}{}", "1".repeat(1 << 20)).into(), "line 9: more than 4096 bytes"),
        (vec![0; 1 << 20], "line 1: 1 columns"),
        (vec![0xff; 100], "line 1: 1 columns"),
        ([b"\xfd7zXZ\0\0\x04", &[7; 99][..]].concat(), "compressed"),
        ([b"\x1f\x8b\x08", &[7; 99][..]].concat(), "gunzip"),
        ([good.as_bytes(), b"1,4,\xff\xfe,4,4,4,0\n", seven.as_bytes()].concat(), "line 9: y: '"),
        (good.encode_utf16().flat_map(u16::to_le_bytes).collect(), "lines of query 1"),
    ];
    assert!(broken.len() >= 15);
    let results = broken.into_iter().map(|(bytes, word)| {
        let desk = Desk::new();
        desk.put("q.csv", bytes);
        told(&desk, &BROKEN, &["q.csv: ", word])
    });
    all_told(results);
}

#[test]
fn the_reported_error_does_not_depend_on_the_number_of_threads() {
    let desk = Desk::new();
    let good = falling(1, "");
    let bad = good.replacen("1,4", "x,4", 1);
    desk.put("q.csv", [good.repeat(5000), bad.clone(), good.repeat(9000), bad, good[..20].to_string()].concat());
    for threads in ["1", "2", "16"] {
        let arguments = [&BROKEN[..], &["--threads", threads]].concat();
        all_told([told(&desk, &arguments, &["q.csv: line 40001: x: 'x'"])]);
    }
}

#[test]
fn wrong_arguments_end_the_program_with_3() {
    let desk = Desk::new();
    desk.put("q.csv", falling(1, "")).put("out.part", falling(1, ""));
    std::fs::create_dir(desk.path("folder")).unwrap();
    let with = |more: &[&'static str]| [&BROKEN[..], more].concat();
    let files = |queries: &'static str, out: &'static str| {
        vec!["elementary", "--kind", "ee", "--queries", queries, "--out", out]
    };
    for (arguments, words) in [
        (vec!["elementary", "--queries", "q.csv", "--out", "o"], vec!["--kind"]),
        (vec!["elementary", "--kind", "vf", "--out", "o"], vec!["--queries"]),
        (vec!["elementary", "--kind", "vf", "--queries", "q.csv"], vec!["--out"]),
        (vec!["elementary", "--kind", "ff", "--queries", "q.csv", "--out", "o"], vec!["ff"]),
        (with(&["--tolerance", "x"]), vec!["--tolerance"]),
        (with(&["--threads", "-1"]), vec!["-1"]),
        (with(&["--backend", "cpu"]), vec!["--backend"]),
    ] {
        let run = desk.run(&arguments);
        assert!(
            run.code == Some(3) && words.iter().all(|word| run.stderr.contains(word)),
            "{arguments:?} {}",
            run.stderr
        );
    }
    all_told([
        told(&desk, &with(&["--tolerance", "0"]), &["tolerance"]),
        told(&desk, &with(&["--tolerance", "2"]), &["tolerance"]),
        told(&desk, &with(&["--tolerance", "nan"]), &["tolerance"]),
        told(&desk, &with(&["--threads", "5000"]), &["5000 threads"]),
        told(&desk, &files("gone.csv", "deep/o"), &["gone.csv"]),
        told(&desk, &files("folder", "deep/o"), &["folder: it is not a file"]),
        told(&desk, &files("q.csv", "folder"), &["folder"]),
        told(&desk, &files("q.csv", "q.csv"), &["q.csv", "same file"]),
        told(&desk, &files("q.csv", "folder/../q.csv"), &["q.csv", "same file"]),
        told(&desk, &files("out.part", "out"), &["same file"]),
        told(&desk, &files("q.csv", "q.csv/o"), &["q.csv"]),
    ]);
    assert_eq!(desk.text("q.csv"), falling(1, ""));
    assert_eq!(desk.text("out.part"), falling(1, ""));
}

#[test]
fn help_explains_every_option() {
    let run = Desk::new().run(&["help", "elementary"]);
    run.expect(0);
    for word in ["--queries", "--kind", "vf", "ee", "--out", "--tolerance", "--threads", "xn,xd,yn,yd,zn,zd"] {
        assert!(run.stdout.contains(word), "{word}: {}", run.stdout);
    }
}

/// Far more queries than one thread answers before a signal arrives.
const MANY: usize = 500_000;

/// Starts the program and waits until the file contains answers.
fn start(desk: &Desk) -> Child {
    desk.put("q.csv", falling(1, "").repeat(MANY));
    let mut command = desk.command(&[&VF[..], &["--threads", "1"]].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (part, since) = (desk.path("results.jsonl.part"), Instant::now());
    while std::fs::metadata(&part).map_or(0, |m| m.len()) == 0 {
        let early = child.try_wait().unwrap();
        assert!(early.is_none() && since.elapsed() < Duration::from_secs(60), "no answer: {early:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

/// The answers so far: whole lines, one for each of the first queries.
fn whole_lines(desk: &Desk) -> usize {
    let text = desk.text("results.jsonl.part");
    assert!(text.is_empty() || text.ends_with('\n'));
    for (i, line) in text.lines().enumerate() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["query"], i);
    }
    text.lines().count()
}

#[test]
fn an_interruption_keeps_finished_answers() {
    let desk = Desk::new();
    desk.put("results.jsonl", "old\n");
    let child = start(&desk);
    signal(&child, "INT");
    let run = Run::new(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.errors().len(), run.stderr.lines().count()), (Some(130), 1, 1), "{}", run.stderr);
    let n = whole_lines(&desk);
    assert!(n > 0 && n < MANY && run.errors()[0].contains(&format!(" {n} queries")), "{n}: {}", run.stderr);
    assert!(desk.text("results.jsonl") == "old\n" && run.stdout.is_empty());
}

#[test]
fn a_killed_run_leaves_complete_lines() {
    let desk = Desk::new();
    let child = start(&desk);
    signal(&child, "KILL");
    let run = Run::new(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.stderr.as_str()), (None, ""));
    assert!(whole_lines(&desk) > 0 && !desk.path("results.jsonl").exists());
}
