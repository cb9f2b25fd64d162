//! `report`: the contents of the page, parsed by an independent parser; its independence of other files; rejected
//! inputs.

use super::{CUBE, Desk, Run, npy, slider, walls};
use crate::harness::gpu::skip;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use firstcontact_datasets::{DEFAULT_SEED, GENERATOR_VERSION};
use scraper::{ElementRef, Html, Selector};
use serde_json::{Value, json};

/// Hostile names: each would be an element, an end of one, or an attribute if it were not escaped.
pub(super) const HOSTILE: [&str; 4] = [
    "<img src=x onerror=alert(1)>",
    "</script><script src=\"http://a.example/x.js\"></script>",
    "a\" onclick=\"alert(1)\" b='",
    "&lt;b&gt; & </title> <!-- ]]>",
];

/// A run with two tables and two plots, in which every text is one of `names`, preceded by a word of its own.
pub(super) fn run(names: &[&str]) -> Value {
    let mut k = 0;
    let mut text = |word: &str| {
        k += 1;
        if names.is_empty() { word.to_string() } else { format!("{word} {}", names[k % names.len()]) }
    };
    let column =
        |name: String, unit: String, digits: usize| json!({"name": name, "unit": unit, "about": "", "digits": digits});
    let series = |name: String| json!({"name": name, "points": [[1, 20.5], [10, 3.25], [100, 7]]});
    json!({
        "format": "firstcontact-run/1", "name": "some", "title": text("title"), "command": text("command"),
        "started": "2004-10-25T12:00:00Z", "wall_s": 12.25,
        "machine": {"cpu": text("cpu"), "cores": 2, "threads": 3, "memory_bytes": 4_294_967_296u64, "os": text("os"),
            "adapters": [{"name": text("adapter"), "driver": text("driver"), "backend": "Vulkan", "kind": "software"}]},
        "versions": {"firstcontact": "0.1.0", "commit": null, "rustc": text("rustc")}, "seed": 2004,
        "notes": [text("note")],
        "tables": [
            {"id": "one", "title": text("first table"), "note": text("table note"),
             "columns": [column(text("set"), String::new(), 0), column(text("time"), text("unit"), 2)],
             "rows": [[text("row a"), 1234.567], [text("row b"), null], [null, -0.5]]},
            {"id": "two", "title": text("second table"), "note": "",
             "columns": [column(text("only"), String::new(), 0)],
             "rows": [[text("cell")], [7]]},
        ],
        "plots": [
            {"id": "lines", "title": text("lines"), "note": text("plot note"), "kind": "lines",
             "x": {"label": text("x"), "log": true},
             "y": {"label": text("y"), "log": false}, "series": [series(text("s")), series(text("t"))]},
            {"id": "bars", "title": text("bars"), "note": "", "kind": "bars", "x": {"label": "", "log": false},
             "y": {"label": text("height"), "log": false}, "series": [series(text("u"))],
             "categories": ["p", "q", "r"]},
        ],
        "samples": [{"name": text("sample"), "unit": "s", "values": [3.0, 1.0, 2.0]}],
        "datasets": [],
    })
}

/// A run that `report` accepts.
pub(super) fn example() -> Value {
    run(&[])
}

pub(super) fn report(desk: &Desk, runs: &[Value], more: &[&str]) -> Run {
    let names: Vec<String> = (0..runs.len()).map(|i| format!("run{i}.json")).collect();
    for (name, run) in names.iter().zip(runs) {
        desk.put(name, run.to_string());
    }
    let mut arguments = vec!["report"];
    arguments.extend(names.iter().map(String::as_str));
    arguments.extend(["--out", "report.html"]);
    desk.run(&[&arguments[..], more].concat())
}

fn page(desk: &Desk) -> Html {
    Html::parse_document(&desk.text("report.html"))
}

pub(super) fn select<'a>(html: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    html.select(&Selector::parse(selector).unwrap()).collect()
}

/// Text with single spaces.
pub(super) fn text(element: ElementRef) -> String {
    let text: String = element.text().collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Searches elements and styles for anything that a browser would fetch, and for scripts in attributes. A link to a
/// file near the page is none: only a reader follows it.
#[track_caller]
pub(super) fn needs_nothing(html: &Html) {
    let policy = select(html, "meta[http-equiv='Content-Security-Policy']");
    assert!(policy[0].attr("content").unwrap().starts_with("default-src 'none';"));
    for element in select(html, "*") {
        let name = element.value().name();
        assert!(!["iframe", "object", "embed", "base", "audio", "video", "form", "use"].contains(&name), "<{name}>");
        assert!(name != "link" || element.attr("href") == Some("data:,"), "<link>");
        for (key, value) in element.value().attrs() {
            assert!(!key.starts_with("on"), "{key} of <{name}>");
            let refers =
                ["src", "href", "srcset", "poster", "data", "action", "xlink:href", "background"].contains(&key);
            let is_link = name == "a" && key == "href" && !value.starts_with('/') && !value.contains(':');
            let is_inside = value.starts_with('#') || value.starts_with("data:");
            assert!(!refers || is_inside || is_link, "<{name} {key}={value}>");
            assert!(key != "style" || !value.contains("url("), "{value}");
        }
        assert!(name != "style" || !["url(", "@import"].iter().any(|x| text(element).contains(x)));
    }
}

#[test]
fn every_table_and_plot_is_there() {
    for names in [&[][..], &HOSTILE] {
        let desk = Desk::new();
        let runs = [run(names), run(&[])];
        report(&desk, &runs, &[]).expect(0);
        assert_eq!(desk.names(), ["report.html", "run0.json", "run1.json"]);
        let html = page(&desk);
        needs_nothing(&html);
        assert!(select(&html, "script, img").is_empty(), "there is nothing to view");
        let sections = select(&html, "section");
        assert_eq!(sections.len(), 2);
        let words = |value: &Value| value.as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        for (section, run) in sections.iter().zip(&runs) {
            let all = |selector: &str| section.select(&Selector::parse(selector).unwrap()).collect::<Vec<_>>();
            let texts = |selector: &str| all(selector).into_iter().map(text).collect::<Vec<_>>();
            assert_eq!(texts("h2"), [words(&run["title"])]);
            assert_eq!(texts("pre"), [words(&run["command"])]);
            assert!(texts("p").contains(&words(&run["notes"][0])));
            for what in [&run["machine"]["cpu"], &run["machine"]["os"], &run["versions"]["rustc"]] {
                assert!(texts("dd").iter().any(|dd| dd.starts_with(&words(what))), "{what}");
            }
            let [one, two, samples] = &all("table")[..] else { panic!("not three tables") };
            for (found, table) in [(one, &run["tables"][0]), (two, &run["tables"][1])] {
                assert!(texts("h3").contains(&words(&table["title"])));
                let rows: Vec<Vec<String>> = found
                    .select(&Selector::parse("tbody tr").unwrap())
                    .map(|tr| tr.select(&Selector::parse("td").unwrap()).map(text).collect())
                    .collect();
                let expected = table["rows"].as_array().unwrap().iter().map(|row| {
                    let cell = |cell: &Value| match cell {
                        Value::String(_) => words(cell),
                        Value::Null => String::new(),
                        // By hand: two digits in the first table, none in the second.
                        number => {
                            let (number, hand) =
                                (number.to_string(), [("1234.567", "1,234.57"), ("-0.5", "-0.50"), ("7", "7")]);
                            hand.into_iter().find(|(json, _)| *json == number).unwrap().1.to_string()
                        }
                    };
                    row.as_array().unwrap().iter().map(cell).collect::<Vec<_>>()
                });
                assert_eq!(rows, expected.collect::<Vec<_>>());
                let heads: Vec<String> = found.select(&Selector::parse("th").unwrap()).map(text).collect();
                for (head, column) in heads.iter().zip(table["columns"].as_array().unwrap()) {
                    assert!(head.starts_with(&words(&column["name"])) && head.ends_with(&words(&column["unit"])));
                }
            }
            // Three values, least, median and most.
            let cells: Vec<String> = samples.select(&Selector::parse("td").unwrap()).map(text).collect();
            assert_eq!(cells[1..], ["s", "3", "1.0000e0", "2.0000e0", "3.0000e0"]);
            let plots = all("figure.plot svg");
            assert_eq!(plots.len(), 2);
            for (svg, plot) in plots.iter().zip(run["plots"].as_array().unwrap()) {
                let drawn: Vec<String> = svg.select(&Selector::parse("text").unwrap()).map(text).collect();
                for wanted in [&plot["title"], &plot["y"]["label"], &plot["series"][0]["name"]] {
                    assert!(drawn.contains(&words(wanted)), "{wanted} is not among {drawn:?}");
                }
                let marks = svg.select(&Selector::parse("circle, rect, polygon").unwrap()).count();
                assert!(marks >= 3, "three points");
            }
            assert!(texts("figcaption").contains(&words(&run["plots"][0]["note"])));
        }
        // The table of contents links to existing sections, once each.
        let links = select(&html, "nav a");
        assert_eq!(links.len(), 2 * 5);
        for link in links {
            let target = link.attr("href").unwrap().strip_prefix('#').unwrap();
            assert_eq!(select(&html, &format!("[id='{target}']")).len(), 1, "{target}");
        }
    }
}

/// A data set under the name of one that the program generates: a cube that slides towards walls.
pub(super) fn small_set(desk: &Desk) {
    desk.put(
        "sets/pipes/dataset.json",
        json!({"seed": DEFAULT_SEED, "generator_version": GENERATOR_VERSION}).to_string(),
    )
    .put("sets/pipes/robot.urdf", slider(CUBE))
    .put("sets/pipes/pipes.obj", walls(&[("a<b>&", 1.1), ("far", 9.0)]))
    .put("sets/pipes/motions-pipes-30deg.npy", npy(&[[&[0.0], &[0.5]], [&[0.0], &[2.0]], [&[0.2], &[0.4]]]));
}

#[test]
fn motions_are_shown() {
    let desk = Desk::new();
    small_set(&desk);
    let mut some = run(&[]);
    some["datasets"] = json!([{"name": "pipes/30", "motions": [1, 0]}, {"name": "nowhere/30", "motions": [3]}]);
    let more = ["--dataset-folder", "sets", "--view", "pipes/30:2", "--view", "pipes/30:1"];
    let run = report(&desk, &[some.clone()], &more);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.warnings().iter().any(|w| w.contains("nowhere")), "{}", run.stderr);
    assert!(run.stdout.contains("1 runs, 3 motions"), "{}", run.stdout);
    let html = page(&desk);
    needs_nothing(&html);
    assert!(select(&html, "#motions p").into_iter().any(|p| text(p).contains("nowhere/30")), "what is missing is said");
    let options: Vec<String> = select(&html, "#viewer option").into_iter().map(text).collect();
    assert_eq!(
        options,
        ["free", "contact", "free"]
            .into_iter()
            .zip([0, 1, 2])
            .map(|(v, k)| format!("pipes/30, motion {k}: {v}"))
            .collect::<Vec<_>>()
    );
    let captions: Vec<String> = select(&html, ".gallery figcaption").into_iter().map(text).collect();
    // The cube's side is 0.1 m in front of its middle.
    assert!(
        captions[0].starts_with("motion 0: free")
            && captions[1].starts_with("motion 1: first contact, t = 0.")
            && captions[1].contains("of a<b>& at (1.1000,"),
        "{captions:?}"
    );
    let pictures = select(&html, ".gallery img");
    assert!(skip() || pictures.len() == 3);
    for picture in pictures {
        let bytes = BASE64_STANDARD
            .decode(picture.attr("src").unwrap().strip_prefix("data:image/png;base64,").unwrap())
            .unwrap();
        let reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        assert_eq!((reader.info().width, reader.info().height), (960, 600));
    }
    let glb = BASE64_STANDARD.decode(text(select(&html, "script#glb-0")[0])).unwrap();
    let file = gltf::Gltf::from_slice(&glb).unwrap();
    let said: Vec<Value> =
        file.animations().map(|a| serde_json::from_str(a.extras().as_ref().unwrap().get()).unwrap()).collect();
    assert_eq!(said.iter().map(|s| s["verdict"].as_str().unwrap()).collect::<Vec<_>>(), ["free", "contact", "free"]);
    assert_eq!(said.iter().map(|s| s["motion"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 1, 2]);
    // Of the animations only the one with the contact makes the mark visible.
    let blob = file.blob.clone().unwrap();
    for (animation, visible) in file.animations().zip([false, true, false]) {
        let sizes: Vec<bool> = animation
            .channels()
            .filter(|c| c.target().node().name() == Some("contact 1"))
            .filter_map(|c| match c.reader(|_| Some(&blob)).read_outputs()? {
                gltf::animation::util::ReadOutputs::Scales(sizes) => {
                    Some(sizes.map(|s| s[0] > 0.0).collect::<Vec<_>>())
                }
                _ => None,
            })
            .flatten()
            .collect();
        assert_eq!(sizes, [visible; 2]);
    }
    // The library of the view, the view, and nothing else.
    assert_eq!(select(&html, "script:not([type])").len(), 2);
    assert!(desk.text("report.html").contains("MIT License"), "the library's licence goes with it");

    report(&desk, &[some], &["--dataset-folder", "sets", "--no-views"]).expect(0);
    assert!(select(&page(&desk), "script, img, #motions").is_empty());
}

#[test]
fn broken_runs_and_views_are_refused() {
    let desk = Desk::new();
    small_set(&desk);
    let changed = |pointer: &str, value: Value| {
        let mut run = run(&[]);
        *run.pointer_mut(pointer).unwrap() = value;
        run.to_string()
    };
    for (content, said) in [
        ("{\"format\":".to_string(), "it is neither a run of measurements nor results"),
        ("[1, 2]".to_string(), "it is neither a run of measurements nor results"),
        ("{}".to_string(), "missing field `format`"),
        (
            changed("/format", json!("firstcontact-run/2")),
            "its format is 'firstcontact-run/2', not 'firstcontact-run/1'",
        ),
        (changed("/seed", json!("x")), "invalid type: string"),
        (changed("/tables/0/rows/1", json!(["a"])), "table 'one', row 1: 1 cells where there are 2 columns"),
        (changed("/tables/0/columns/1/digits", json!(70_000)), "column 'time': 70000 digits"),
        (run(&[]).to_string().replacen("1234.567", "1e999", 1), "it is neither a run of measurements nor results"),
    ] {
        desk.put("good.json", run(&[]).to_string()).put("bad.json", &content);
        let ended = desk.run(&["report", "good.json", "bad.json", "--out", "report.html"]);
        assert!(ended.code == Some(3) && ended.stderr.contains(said), "{content}: {}", ended.stderr);
        assert!(ended.errors().len() == 1 && ended.stderr.contains("bad.json: "), "{}", ended.stderr);
        assert!(!desk.path("report.html").exists() && !desk.path("report.html.part").exists());
    }
    let folder = ["--dataset-folder", "sets"];
    for (more, said) in [
        (&["--view", "pipes/30:3"][..], "there is no motion 3: there are 3"),
        (&["--view", "nowhere/30:0"], "there is no data set 'nowhere'"),
        (&["--view", "pipes/30"], "such as pipes/30:17"),
        (&["--view", "pipes/30:x"], "'x' is not the number of a motion"),
        (&["--view", "pipes/30:0", "--no-views"], "cannot be used with"),
    ] {
        let ended = report(&desk, &[run(&[])], &[more, &folder].concat());
        assert!(ended.code == Some(3) && ended.stderr.contains(said), "{more:?}: {}", ended.stderr);
        assert!(!desk.path("report.html").exists());
    }
    let ended = desk.run(&["report", "run0.json", "--out", "./run0.json"]);
    assert!(ended.code == Some(3) && ended.stderr.contains("would overwrite the input run0.json"), "{}", ended.stderr);
    let ended = desk.run(&["report", "absent.json", "--out", "report.html"]);
    assert!(ended.code == Some(3) && ended.stderr.contains("absent.json: it cannot be read"), "{}", ended.stderr);
}
