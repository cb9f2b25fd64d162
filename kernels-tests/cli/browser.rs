//! Pages in a real browser, at the width of a desktop and of a phone: no error, no request, a view that is drawn and
//! plays, tables that fit. Without Chromium the tests are skipped, which is reported.
//!
//! `FIRSTCONTACT_SCREENSHOTS=DIR` saves pictures for people; `FIRSTCONTACT_PAGE=FILE` also opens another page.

use super::report::{report, run, small_set};
use super::{CUBE, Desk, slider};
use crate::effort;
use crate::harness::browser::{Browser, Picture, Window, program};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

const DESKTOP: Window = Window { name: "desktop", width: 1280, height: 800, is_phone: false, has_webgl: true };
const PHONE: Window = Window { name: "phone", width: 390, height: 844, is_phone: true, has_webgl: true };
const WITHOUT_WEBGL: Window = Window { name: "flat", has_webgl: false, ..DESKTOP };

const CANVAS: &str = ".stage canvas";
const PLAY: &str = "[data-part='play']";

/// Boxes around the path of a cube along x, with a thick one for it to hit.
fn boxes() -> String {
    let (mut vertices, mut faces) = (String::new(), String::new());
    for (k, (name, lo, hi)) in [
        ("block", [1.0, -0.5, -0.4], [1.4, 0.5, 0.4]),
        ("floor", [-1.0, -1.0, -0.7], [2.0, 1.0, -0.6]),
        ("post with a rather_long_name_in_parts", [-0.5, 0.5, -0.6], [-0.4, 0.6, 0.6]),
    ]
    .into_iter()
    .enumerate()
    {
        vertices += &format!("o {name}\n");
        for corner in 0..8 {
            let at = [0, 1, 2].map(|axis| if corner >> axis & 1 == 1 { hi[axis] } else { lo[axis] });
            vertices += &format!("v {} {} {}\n", at[0], at[1], at[2]);
        }
        faces.clear();
        for [a, b, c, d] in [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]] {
            let [a, b, c, d] = [a, b, c, d].map(|v: usize| 8 * k + v + 1);
            faces += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
        }
        vertices += &faces;
    }
    vertices
}

/// A folder with the page of a check: a free motion, two that meet `block` at 0.45 and 0.9 of the motion, one that
/// starts inside it.
fn checked() -> Desk {
    let desk = Desk::new();
    let motions: [super::Motion; 4] = [[&[-0.5], &[0.5]], [&[0.0], &[2.0]], [&[0.0], &[1.0]], [&[0.95], &[0.9]]];
    let checked = desk.check(&slider(CUBE), &boxes(), &motions, &["--html", "page.html"]);
    assert_eq!(checked.verdicts(), ["free", "contact", "contact", "contact"], "{}", checked.run.stderr);
    desk
}

/// A folder with the page of trajectories: a cube that meets `block` at 2 s, half-way through a cubic segment, and then
/// goes back; a free path of three points without times; and the first one at half the speed.
fn checked_trajectories() -> Desk {
    let desk = Desk::new();
    let curve = |times_s: [f64; 3]| {
        json!({
            "times_s": times_s, "positions": [[0], [1.8], [1.5]], "velocities": [[0], [0], [0]],
        })
    };
    let free = json!({"positions": [[-0.5], [0.2], [0.5]]});
    let plan = json!({"joints": ["x"], "trajectories": [curve([1.0, 3.0, 3.5]), free, curve([2.0, 6.0, 7.0])]});
    desk.put("plan.json", plan.to_string());
    let checked = desk.check_file(&slider(CUBE), &boxes(), "plan.json", &["--html", "page.html"]);
    assert_eq!(checked.verdicts(), ["contact", "free", "contact"], "{}", checked.run.stderr);
    desk
}

fn background(window: Window) -> [u8; 3] {
    if window.is_phone { [0x20, 0x26, 0x2e] } else { [0xdb, 0xe3, 0xeb] }
}

/// The page fits the window: it does not scroll sideways, and wider tables scroll on their own.
pub(super) fn fits(browser: &mut Browser, window: Window) {
    let beyond = browser.eval(
        "(() => {
            const { clientWidth: width, scrollWidth } = document.documentElement, beyond = [];
            if (scrollWidth > width) beyond.push(`page: ${scrollWidth}`);
            for (const e of document.body.querySelectorAll('*')) {
                const r = e.getBoundingClientRect(), box = e.parentElement.closest('.scroll, pre, svg');
                const isBeyond = r.width > 0 && (r.right > width + 1 || r.left < -1);
                if (!box && isBeyond) beyond.push(`${e.outerHTML.slice(0, 80)}`);
            }
            for (const table of document.querySelectorAll('table')) {
                const box = table.closest('.scroll'), overflow = box && getComputedStyle(box).overflowX;
                if (!['auto', 'scroll'].includes(overflow)) beyond.push('a table without scrolling');
                for (const cell of table.querySelectorAll('th, td'))
                    if (cell.scrollWidth > cell.clientWidth + 1) beyond.push(`cell: ${cell.textContent}`);
            }
            return beyond;
        })()",
    );
    assert_eq!(beyond, json!([]), "{window:?}");
}

/// Chooses a motion and waits until it is shown.
fn choose(browser: &mut Browser, value: &str) {
    let value = Value::from(value);
    browser.eval(&format!(
        "(() => {{ const s = document.querySelector('[data-part=motion]'); s.value = {value}; \
         s.dispatchEvent(new Event('change')); }})()"
    ));
    browser.wait_for(&format!("document.getElementById('viewer').dataset.ready === {value}"));
}

/// The picture of the view alone, without the texts displayed over it, as soon as it satisfies a condition.
fn view_when(browser: &mut Browser, is_expected: impl Fn(&Picture) -> bool) -> Picture {
    browser.eval(
        "document.querySelectorAll('.badge, .ring').forEach((e) => { e.style.visibility = 'hidden'; }); \
         document.activeElement?.blur(); 0",
    );
    browser.picture_when(CANVAS, is_expected)
}

/// The picture of a view that does not move: the first one that is shown twice.
fn view(browser: &mut Browser) -> Picture {
    let mut last = view_when(browser, |_| true);
    for _ in 0..20 {
        let next = view_when(browser, |_| true);
        if next.is_same(&last) {
            return next;
        }
        last = next;
    }
    panic!("the view moves")
}

/// Asserts that the view becomes the same as a picture, or another one.
fn assert_view(browser: &mut Browser, window: Window, is_same: bool, picture: &Picture, message: &str) {
    let shown = view_when(browser, |shown| shown.is_same(picture) == is_same);
    assert!(shown.is_same(picture) == is_same, "{window:?}: {message}");
}

fn time(browser: &mut Browser) -> f64 {
    browser.eval("Number(document.querySelector('[data-part=time]').value)").as_f64().unwrap()
}

fn set_time(browser: &mut Browser, t: f64) {
    browser.eval(&format!(
        "(() => {{ const s = document.querySelector('[data-part=time]'); s.value = {t}; \
         s.dispatchEvent(new Event('input')); }})()"
    ));
}

const STOPPED: &str = "document.querySelector('[data-part=play]').textContent === 'Play'";

/// The view shows something, in the colours of the legend.
fn is_drawn(browser: &mut Browser, window: Window, verdict: &str) {
    let back = background(window);
    let is_drawn = |picture: &Picture| {
        let drawn = picture.count(|p| p.iter().zip(back).any(|(a, b)| a.abs_diff(b) > 8));
        let share = |is: fn([u8; 3]) -> bool| picture.count(is) * 10_000 / picture.len();
        // Blue, orange, red: the largest channel, and by how much.
        let robot = share(|[r, g, b]| b > r.saturating_add(50) && b > g.saturating_add(25));
        let touched =
            share(|[r, g, b]| r > b.saturating_add(60) && g > b.saturating_add(25) && r > g.saturating_add(15));
        let mark = share(|[r, g, b]| r > g.saturating_add(90) && r > b.saturating_add(70));
        let is_marked = if verdict == "contact" { touched > 30 && mark > 0 } else { touched == 0 && mark == 0 };
        let shares = format!("{drawn} of {}; robot {robot}, touched object {touched}, mark {mark}", picture.len());
        (drawn * 50 > picture.len() && robot > 30 && is_marked, shares)
    };
    let (is_right, shares) = is_drawn(&view_when(browser, |picture| is_drawn(picture).0));
    assert!(is_right, "{window:?}, {verdict}: {shares}");
}

/// Playing from the start changes the picture and stops at the first contact or at the end; the pause button stops it.
fn plays(browser: &mut Browser, window: Window, contact: Option<f64>) {
    set_time(browser, 0.0);
    let at_start = view(browser);
    browser.click(PLAY);
    browser.wait_for("Number(document.querySelector('[data-part=time]').value) > 0");
    browser.wait_for(STOPPED);
    let until = contact.unwrap_or(1.0);
    assert!((time(browser) - until).abs() < 1e-6, "{window:?}: stops at {}, not {until}", time(browser));
    marks(browser, window, contact);
    assert_view(browser, window, false, &at_start, "playing changes nothing");
    let stopped = view(browser);
    if contact.is_some() {
        // It plays on from there to the end, and the button restarts it.
        browser.click(PLAY);
        browser.wait_for(STOPPED);
        assert_eq!(time(browser), 1.0, "{window:?}");
        browser.click("[data-part='contact']");
        assert!((time(browser) - until).abs() < 1e-6, "{window:?}");
        assert_view(browser, window, true, &stopped, "the contact looks different");
    }
    set_time(browser, 0.0);
    browser.click(PLAY);
    browser.eval(
        "new Promise((done) => { const look = () => { \
         const t = Number(document.querySelector('[data-part=time]').value); \
         if (t <= 0.02) return requestAnimationFrame(look); \
         document.querySelector('[data-part=play]').click(); \
         done(t); }; \
         look(); })",
    );
    let t = time(browser);
    assert!((0.02..until).contains(&t) && browser.eval(STOPPED) == true, "{window:?}: does not pause: {t}");
    assert_view(browser, window, false, &at_start, "the picture is not of its time");
    let paused = view(browser);
    assert!(time(browser) == t, "{window:?}: moves while it is paused");
    assert!(!paused.is_same(&at_start) && !paused.is_same(&stopped), "{window:?}: the picture is not of its time");
}

/// At the first contact the time line, the view and the text over it show the contact; without a contact they do not.
fn marks(browser: &mut Browser, window: Window, contact: Option<f64>) {
    let found = browser.eval(
        "(() => {
            const box = (selector) => document.querySelector(selector).getBoundingClientRect();
            const stage = box('.stage'), ring = box('.ring'), tick = box('.tick'), line = box('[data-part=time]');
            const x = ring.x + ring.width / 2, y = ring.y + ring.height / 2;
            return {
                words: document.querySelector('.badge').textContent,
                ring: ring.width > 0 && x > stage.left && x < stage.right && y > stage.top && y < stage.bottom,
                tick: tick.width > 0 ? (tick.x + tick.width / 2 - line.x - 8) / (line.width - 16) : null,
            };
        })()",
    );
    match contact {
        Some(t) => {
            assert!(found["words"] == "first contact" && found["ring"] == true, "{window:?}: {found}");
            let tick = found["tick"].as_f64().unwrap();
            assert!((tick - t).abs() < 0.01, "{window:?}: the mark on the time line is at {tick}, not {t}");
        }
        None => assert_eq!(found, json!({"words": "free", "ring": false, "tick": null}), "{window:?}"),
    }
}

/// Mouse, finger and keys rotate the view; a button resets it.
fn turns(browser: &mut Browser, window: Window) {
    browser.click("[data-part='reset']");
    let before = view(browser);
    browser.drag(CANVAS, [60.0, 20.0]);
    assert_view(browser, window, false, &before, "dragging changes nothing");
    browser.click("[data-part='reset']");
    assert_view(browser, window, true, &before, "the view is not reset");
    for key in ["ArrowLeft", "ArrowUp", "+"] {
        let before = view(browser);
        browser.key(CANVAS, key);
        assert_view(browser, window, false, &before, &format!("{key} changes nothing"));
    }
    browser.key(CANVAS, "r");
    assert_view(browser, window, true, &before, "the view is not reset");
}

/// A control is large enough for a finger.
fn controls_are_usable(browser: &mut Browser, window: Window) {
    let least = if window.is_phone { 40 } else { 20 };
    let small = browser.eval(&format!(
        "[...document.querySelectorAll('.controls button, .controls select, .controls input[type=range]')]
            .map((e) => [e.dataset.part, e.getBoundingClientRect().height]).filter(([, height]) => height < {least})"
    ));
    assert_eq!(small, json!([]), "{window:?}");
}

/// Opens a page that has a view, and uses all of it.
fn visit(program: &Path, page: &Path, name: &str, window: Window) {
    let mut browser = Browser::open(program, page, window);
    fits(&mut browser, window);
    browser.keep_picture(name);
    let options = browser
        .eval("[...document.querySelectorAll('[data-part=motion] option')].map((o) => [o.value, o.textContent])");
    let options: Vec<[String; 2]> = serde_json::from_value(options).unwrap();
    if !window.has_webgl {
        browser.wait_for("document.getElementById('viewer').dataset.ready === 'flat'");
        assert!(browser.eval("document.querySelector('.stage').innerText").to_string().contains("no WebGL"));
    } else {
        browser.wait_for("document.getElementById('viewer')?.dataset.ready");
        controls_are_usable(&mut browser, window);
        // Contacts after free motions and vice versa: colours set for one motion do not remain for the next.
        let last = options.iter().rev().chain(&options).map(|[value, label]| {
            choose(&mut browser, value);
            let verdict = if label.contains("contact") { "contact" } else { "free" };
            is_drawn(&mut browser, window, verdict);
            value.clone()
        });
        assert!(last.count() > 0, "{name} shows no motion");
        for verdict in ["free", "contact"] {
            let [value, _] =
                options.iter().find(|[_, label]| label.contains(verdict) && !label.contains("start")).unwrap();
            choose(&mut browser, value);
            let contact = (verdict == "contact").then(|| time(&mut browser));
            plays(&mut browser, window, contact);
        }
        turns(&mut browser, window);
        browser.click("[data-part='next']");
        browser.wait_for("document.getElementById('viewer').dataset.ready === document.querySelector('select').value");
        if browser.eval("document.querySelector('[data-part=contact]').disabled") == false {
            browser.click("[data-part='contact']");
        }
        browser.eval("document.querySelectorAll('.badge, .ring').forEach((e) => { e.style.visibility = ''; })");
        browser.keep_picture(&format!("{name}-view"));
    }
    let faults = browser.faults();
    assert!(faults.is_empty(), "{name}, {window:?}: {faults:#?}");
}

/// A single browser runs at any time: each draws on all cores.
pub(super) fn one_at_a_time() -> MutexGuard<'static, ()> {
    static BROWSER: Mutex<()> = Mutex::new(());
    BROWSER.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn the_page_of_a_check() {
    let Some(program) = program() else { return };
    let _turn = one_at_a_time();
    let desk = checked();
    for window in [DESKTOP, PHONE, WITHOUT_WEBGL] {
        visit(&program, &desk.path("page.html"), "check", window);
    }
    // A page supplied by the user is checked as far as this is possible for any page.
    if let Some(page) = std::env::var_os("FIRSTCONTACT_PAGE") {
        for window in [DESKTOP, PHONE] {
            let mut browser = Browser::open(&program, Path::new(&page), window);
            browser.keep_picture("page");
            fits(&mut browser, window);
            assert_eq!(browser.faults(), [""; 0]);
        }
    }
}

/// Trajectories play on their own clocks: the time line is in proportion to their times, and the text next to it shows
/// time and segment.
#[test]
fn the_page_of_trajectories() {
    let Some(program) = program() else { return };
    let _turn = one_at_a_time();
    let desk = checked_trajectories();
    for window in effort(&[PHONE][..], &[DESKTOP, PHONE, WITHOUT_WEBGL]) {
        visit(&program, &desk.path("page.html"), "trajectories", *window);
    }
    let mut browser = Browser::open(&program, &desk.path("page.html"), DESKTOP);
    browser.wait_for("document.getElementById('viewer')?.dataset.ready");
    let options = browser.eval("[...document.querySelectorAll('[data-part=motion] option')].map((o) => o.value)");
    let mut shown = |motion: usize, share: f64| {
        choose(&mut browser, options[motion].as_str().unwrap());
        set_time(&mut browser, share);
        browser.eval("document.querySelector('[data-part=shown-time]').textContent")
    };
    assert_eq!(
        [0.0, 0.4, 0.8, 0.9, 1.0].map(|t| shown(0, t)),
        ["1.000 s, segment 0", "2.000 s, segment 0", "3.000 s, segment 0", "3.250 s, segment 1", "3.500 s, segment 1"]
    );
    let of_path = ["segment 0, t = 0.0000", "segment 0, t = 0.5000", "segment 1, t = 0.5000", "segment 1, t = 1.0000"];
    assert_eq!([0.0, 0.25, 0.75, 1.0].map(|t| shown(1, t)), of_path);
    choose(&mut browser, options[0].as_str().unwrap());
    assert!((time(&mut browser) - 0.4).abs() < 1e-6, "the contact is at 1 s of 2.5 s");
    // The same configuration at the same share of the time.
    set_time(&mut browser, 0.3);
    let fast = view(&mut browser);
    choose(&mut browser, options[2].as_str().unwrap());
    set_time(&mut browser, 0.3);
    assert_view(&mut browser, DESKTOP, true, &fast, "half the speed looks different");
    set_time(&mut browser, 0.6);
    assert_view(&mut browser, DESKTOP, false, &fast, "it does not move");
}

#[test]
fn the_page_of_measurements() {
    let Some(program) = program() else { return };
    let _turn = one_at_a_time();
    let desk = Desk::new();
    small_set(&desk);
    let mut measured = run(&[]);
    measured["datasets"] = json!([{"name": "pipes/30", "motions": [0, 1]}]);
    // A table that is far wider than a window, and one with long texts.
    let columns: Vec<Value> = (0..24)
        .map(|k| json!({"name": format!("a long name {k}"), "unit": "ms", "about": "what it is", "digits": 3}))
        .collect();
    let long = "a text of many words that can be broken where it has spaces, ".repeat(3) + &"unbroken".repeat(12);
    let rows = json!([vec![Value::from(12345.678); 24], vec![Value::from(long); 24]]);
    measured["tables"][0] = json!({"id": "wide", "title": "wide", "note": "", "columns": columns, "rows": rows});
    let made = report(&desk, &[measured], &["--dataset-folder", "sets"]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    for window in effort(&[DESKTOP][..], &[DESKTOP, PHONE]) {
        visit(&program, &desk.path("report.html"), "measurements", *window);
    }
}
