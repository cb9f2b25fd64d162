//! `bench`: each measurement writes a file of figures, one of tables, and its plots, and they agree.

use super::Desk;
use crate::harness::gpu::skip;
use serde_json::Value;

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("no list {key} in {value}"))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("no text {key} in {value}"))
}

/// Runs a measurement on the CPU, checks all files that it writes, and returns the figures.
fn measure(desk: &Desk, name: &str) -> Value {
    let run = measure_with(desk, name, &["--cpu-only"]);
    assert!(list(&run["machine"], "adapters").is_empty());
    run
}

/// Runs a measurement, checks all files that it writes, and returns the figures.
fn measure_with(desk: &Desk, name: &str, more: &[&str]) -> Value {
    let arguments = [&["bench", name, "--out", name, "--quick", "--dataset-folder", "sets"], more].concat();
    let run = desk.run(&arguments);
    assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
    let run: Value = serde_json::from_str(&desk.text(&format!("{name}/{name}.json"))).unwrap();
    assert_eq!((text(&run, "format"), text(&run, "name")), ("firstcontact-run/1", name));
    assert_eq!(text(&run, "command"), format!("firstcontact {}", arguments.join(" ")));
    assert!(run["machine"]["threads"].as_u64() > Some(0));
    assert!(text(&run["versions"], "rustc").starts_with("rustc 1.") && run["wall_s"].as_f64() > Some(0.0));

    let markdown = desk.text(&format!("{name}/{name}.md"));
    assert!(list(&run, "notes").iter().all(|note| markdown.contains(note.as_str().unwrap())));
    for table in list(&run, "tables") {
        let (columns, rows) = (list(table, "columns"), list(table, "rows"));
        assert!(!rows.is_empty(), "{name}: {}", text(table, "title"));
        let section = markdown.split("\n## ").find(|s| s.starts_with(&format!("{}\n", text(table, "title")))).unwrap();
        let lines: Vec<&str> = section.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(lines.len(), rows.len() + 2, "{section}");
        for (row, line) in rows.iter().zip(&lines[2..]) {
            let row = row.as_array().unwrap();
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            assert_eq!((row.len(), cells.len()), (columns.len(), columns.len()), "{line}");
            for ((value, cell), column) in row.iter().zip(cells).zip(columns) {
                match value {
                    Value::Number(number) => {
                        let shown: f64 = cell.replace(',', "").parse().unwrap();
                        let place = 10f64.powi(-(column["digits"].as_u64().unwrap() as i32));
                        assert!((shown - number.as_f64().unwrap()).abs() <= 0.5001 * place, "{cell} for {number}");
                    }
                    Value::String(string) => assert_eq!(cell, string),
                    _ => assert_eq!((cell, value), ("", &Value::Null)),
                }
            }
        }
    }
    let mut files = vec![format!("{name}.json"), format!("{name}.md")];
    for plot in list(&run, "plots") {
        let file = format!("{name}-{}.svg", text(plot, "id"));
        let svg = desk.text(&format!("{name}/{file}"));
        let drawn = roxmltree::Document::parse(&svg).unwrap();
        let words: Vec<&str> = drawn.descendants().filter_map(|n| n.text()).map(str::trim).collect();
        assert!(list(plot, "series").iter().all(|s| words.contains(&text(s, "name"))), "{file}: {words:?}");
        assert!(list(plot, "series").iter().any(|s| !list(s, "points").is_empty()), "{file} is empty");
        assert!(markdown.contains(&format!("]({file})")));
        files.push(file);
    }
    files.sort();
    let mut there: Vec<String> =
        desk.names().into_iter().filter_map(|f| f.strip_prefix(&format!("{name}/")).map(Into::into)).collect();
    there.sort();
    assert_eq!(there, files);
    for sample in list(&run, "samples") {
        assert!(list(sample, "values").iter().all(|v| v.as_f64() >= Some(0.0)), "{sample}");
    }
    for set in list(&run, "datasets") {
        assert!(list(set, "motions").iter().all(|m| m.as_u64() < Some(20)), "{set}");
    }
    run
}

/// The column of this name in each row of a table.
fn column<'a>(table: &'a Value, name: &str) -> Vec<&'a Value> {
    let at = list(table, "columns").iter().position(|c| c["name"] == name).unwrap();
    list(table, "rows").iter().map(|row| &row[at]).collect()
}

fn numbers(table: &Value, name: &str) -> Vec<f64> {
    column(table, name).into_iter().map(|v| v.as_f64().unwrap()).collect()
}

#[test]
fn measurements_write_figures_tables_and_plots() {
    let desk = Desk::new();
    // Few motions: the measured values do not matter here.
    for set in ["pipes", "amr", "chain-3", "chain-6", "chain-10"] {
        let folder = format!("sets/{set}");
        assert_eq!(desk.run(&["dataset", "make", set, "--out", &folder, "--motions", "20"]).code, Some(0));
    }
    let paper = measure(&desk, "paper");
    let first = &list(&paper, "tables")[0];
    // The paper's row, then those of this machine; its total is 104.1 ms.
    let who: Vec<&str> = column(first, "who").into_iter().filter_map(Value::as_str).collect();
    assert!(
        who[0].starts_with("paper, 2004") && who[1..].iter().all(|w| w.starts_with("here: CPU, 1 thread")),
        "{who:?}"
    );
    assert!(numbers(first, "total COL")[0] == 104.1125 && numbers(first, "total NO-COL")[0] == 23.2251);
    let note = text(&list(&paper, "tables")[1], "note");
    assert!(note.contains("60° 1+2+3 NO-COL 40.91, its row 111.12") && !note.contains(" COL"), "{note}");

    let sweep = measure(&desk, "sweep");
    let table = &list(&sweep, "tables")[0];
    let (before, after) = (numbers(table, "triangles"), numbers(table, "triangles left"));
    let forms = column(table, "form");
    assert!(forms.len() == 8 && (0..8).all(|i| after[i] <= before[i] && (before[i] > 0.0) == (forms[i] != "off")));
    for name in ["s1_concat", "s5_pairs"] {
        let (stage, all) = (numbers(table, name), numbers(table, "all"));
        assert!((0..8).all(|i| stage[i] > 0.0 && stage[i] < all[i]));
    }

    let growth = measure(&desk, "growth");
    let ids: Vec<&str> = list(&growth, "tables").iter().map(|t| text(t, "id")).collect();
    assert_eq!(ids, ["batch", "amplitude", "threads", "depth", "triangles"]);
    // Two machine rooms, twice as many triangles.
    assert_eq!(numbers(&list(&growth, "tables")[4], "triangles"), [187_000.0, 187_000.0, 374_000.0, 374_000.0]);

    // No configuration is measured twice, also on one core.
    let throughput = measure(&desk, "throughput");
    for (table, names) in [
        (&list(&growth, "tables")[0], &["line", "batch"][..]),
        (&list(&throughput, "tables")[0], &["set", "device", "mode", "batch"]),
    ] {
        let columns: Vec<Vec<&Value>> = names.iter().map(|name| column(table, name)).collect();
        let rows: Vec<Vec<&Value>> = (0..columns[0].len()).map(|i| columns.iter().map(|c| c[i]).collect()).collect();
        assert!((1..rows.len()).all(|i| !rows[..i].contains(&rows[i])), "{rows:?}");
    }
    let certificates = measure(&desk, "certificates");
    let sizes = &list(&certificates, "tables")[0];
    let kinds = ["free", "contact", "possible", "undecided"].map(|name| numbers(sizes, name)[0]);
    assert_eq!(kinds.iter().sum::<f64>(), numbers(sizes, "motions")[0]);

    for name in ["ablation", "solver", "toleranced"] {
        measure(&desk, name);
    }
}

/// Without programs of peers, and on a software adapter as on any other.
#[test]
fn an_adapter_is_compared_before_it_is_measured() {
    if skip() {
        return;
    }
    let desk = Desk::new();
    for set in ["pipes", "amr"] {
        let folder = format!("sets/{set}");
        assert_eq!(desk.run(&["dataset", "make", set, "--out", &folder, "--motions", "20"]).code, Some(0));
    }
    let run = measure_with(&desk, "hardware", &[]);
    let note = run["notes"][0].as_str().unwrap();
    assert!(note.starts_with("No disagreement of "), "{note}");
    let tables = list(&run, "tables");
    let table = |id: &str| tables.iter().find(|t| t["id"] == id).unwrap_or_else(|| panic!("no table {id}"));
    // Nothing comes before the comparison but the adapter's name.
    assert_eq!([&tables[0]["id"], &tables[1]["id"]], ["adapter", "soundness"]);
    let kind = text(&list(&run["machine"], "adapters")[0], "kind");
    assert_eq!(column(table("adapter"), "kind"), [kind]);
    let is_warned = list(&run, "notes").iter().any(|n| n.as_str().unwrap().contains("is a software adapter"));
    assert_eq!(is_warned, kind == "software");

    let sound = table("soundness");
    let configurations = column(sound, "configuration");
    // On a busy machine the time is over before the last ones.
    let parts = tables.iter().find(|t| t["id"] == "left-out").map(|t| column(t, "part")).unwrap_or_default();
    let is_left_out = |name: &str| parts.iter().any(|part| part.as_str().unwrap().contains(name));
    for name in ["pairs of the kernels", "all kernels", "s1_concat on the CPU", "s5_pairs on the CPU", "short queues"] {
        let is_compared = configurations.contains(&&Value::from(name));
        let may_be_left_out = !["pairs of the kernels", "all kernels"].contains(&name);
        assert!(is_compared || may_be_left_out && is_left_out(name), "{name}: {configurations:?} {parts:?}");
    }
    // Some contacts, even where the machine is busy.
    assert!(numbers(sound, "found")[1] > 0.0, "{sound}");
    // Each configuration is compared on some set, even if the time was over before the others.
    let sets = |row: &Value| row.as_array().unwrap()[1..].iter().rev().skip(2).filter_map(Value::as_f64).sum::<f64>();
    assert!(list(sound, "rows").iter().all(|row| sets(row) > 0.0), "{sound}");
    // The model predicts a time for every part of the work that was counted.
    let model = tables.iter().find(|t| t["id"] == "model");
    assert!(model.is_some() || is_left_out("work of first contacts"), "{parts:?}");
    if let Some(model) = model {
        let predicted = column(model, "H200").into_iter().map(|cell| cell.as_str().unwrap().split_once(' ').unwrap());
        let (us, bounds): (Vec<f64>, Vec<&str>) =
            predicted.map(|(us, bound)| (us.parse::<f64>().unwrap(), bound)).unzip();
        assert!(us.iter().all(|us| *us >= 0.0) && us.iter().sum::<f64>() > 0.1, "{us:?}");
        assert!(bounds.contains(&"bus") && bounds.contains(&"launches"), "{bounds:?}");
    }
    // Speed is measured in the time that the comparisons leave.
    if is_left_out("throughput of pipes/30") || is_left_out("pipes/30 on the adapter") {
        return;
    }
    let who = column(table("devices"), "who");
    assert!(who.iter().any(|w| w.as_str().unwrap().starts_with("coal, ")), "{who:?}");
    let remarks = column(table("devices"), "remark");
    assert!(remarks.iter().any(|r| r.as_str().unwrap().contains("benches/peers/setup.sh")), "{remarks:?}");
    let rates = table("rates");
    for mode in ["toc", "verdict"] {
        assert!(column(rates, "mode").contains(&&Value::from(mode)));
    }
    assert!(numbers(table("utilisation"), "s5_pairs").iter().all(|share| *share >= 0.0));
}

#[test]
fn impossible_measurements_are_errors() {
    let desk = Desk::new();
    desk.put("file", "");
    for (arguments, word) in [
        (&["bench", "solver", "--out", "out", "--limit", "0"][..], "--limit"),
        (&["bench", "growth", "--out", "out", "--scale", "0"], "--scale"),
        (&["bench", "hardware", "--out", "out", "--limit", "0"], "--limit"),
        (&["bench", "hardware", "--out", "out", "--cpu-only"], "--cpu-only"),
        (&["bench", "hardware", "--out", "out", "--adapter", "no such adapter"], "adapter"),
        (&["bench", "peers", "--out", "out", "--limit-s", "0"], "--limit-s"),
        (&["bench", "peers", "--out", "out", "--only", "no such peer"], "the peers are coal, FCL"),
        (&["bench", "peers", "--out", "out", "--peers", "nowhere"], "nowhere"),
        (&["bench", "solver", "--out", "file", "--quick"], "it is not a folder"),
        (&["dataset", "make", "chain-3", "--out", "file"], "it is not a folder"),
        (&["dataset", "make", "chain-3", "--out", "out", "--motions", "18446744073709551615"], "at most 10000000"),
        (&["bench", "solver", "--out", "file/deeper", "--quick", "--limit", "0.01"], "file/deeper"),
    ] {
        let run = desk.run(arguments);
        assert_eq!(run.code, Some(3));
        assert!(run.errors().len() == 1 && run.errors()[0].contains(word), "{}", run.stderr);
    }
    let help = desk.run(&["bench", "hardware", "--help"]).stdout;
    assert!(help.contains("--quick") && !help.contains("--cpu-only"), "{help}");
}

/// A set of the right name but with another robot, or of another seed, is never measured or replaced.
#[test]
fn another_data_set_in_the_folder_is_refused() {
    let desk = Desk::new();
    let make = ["dataset", "make", "chain-3", "--motions", "2", "--out", "sets/pipes"];
    assert_eq!(desk.run(&make).code, Some(0));
    let before = desk.text("sets/pipes/dataset.json");
    for command in [
        &["check", "--dataset", "pipes", "--backend", "cpu", "--out", "out.jsonl"][..],
        &["bench", "certificates", "--quick", "--out", "out"],
    ] {
        let run = desk.run(&[command, &["--dataset-folder", "sets"]].concat());
        assert_eq!((run.code, run.errors().len()), (Some(3), 1), "{}", run.stderr);
        let error = run.errors()[0];
        assert!(error.contains("sets/pipes") && error.contains("data set chain-3"), "{error}");
    }
    assert_eq!(desk.text("sets/pipes/dataset.json"), before);
    // A set with fewer motions is used and reported. If a file is missing, the whole set is generated again.
    let own = ["dataset", "make", "chain-3", "--motions", "2", "--out", "own/chain-3"];
    assert_eq!(desk.run(&own).code, Some(0));
    let check =
        ["check", "--dataset", "chain-3/1", "--dataset-folder", "own", "--backend", "cpu", "--out", "out.jsonl"];
    assert!(desk.run(&check).stderr.contains("2 motions instead of 1000"));
    std::fs::remove_file(desk.path("own/chain-3/obstacles.obj")).unwrap();
    assert!(desk.run(&check).stderr.contains("making data set chain-3"));
    assert!(desk.path("own/chain-3/obstacles.obj").exists() && desk.text("out.jsonl").lines().count() == 1000);
}
