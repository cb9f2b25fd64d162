//! The summary that `check` prints at its end, and `stats.json`.

use super::progress::digits;
use super::tested::{self, TestedPairs};
use comfy_table::{Table, presets};
use firstcontact::engine::{Engine, Solids, Stage, Stats, Sweep};
use firstcontact::report::{Enclosed, Line, Place};
use firstcontact::{InitialContactPolicy, Obstacle};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Times other than those of the stages.
#[derive(Clone, Copy, Debug)]
pub struct Totals {
    /// Seconds of reading the input.
    pub load_s: f64,
    /// Processor seconds of checking, if the system reports them.
    pub cpu_s: Option<f64>,
    /// Seconds since the command began; at least the sum of all phases.
    pub total_s: f64,
    /// Motions that an earlier, unfinished run has answered.
    pub resumed: u64,
}

/// The peak memory of this process, bytes, if the system reports it.
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

/// Properties of starts that the lines of an earlier run do not have.
#[derive(Clone, Copy, Debug)]
pub struct UnknownStarts {
    /// Number of motions of which only the lines are known.
    motions: u64,
    inside: bool,
    ignored: bool,
}

impl UnknownStarts {
    /// The unknown properties if an earlier run has answered `resumed` motions.
    pub fn new(engine: &Engine, resumed: u64) -> Self {
        let (inside, ignored) =
            (engine.solids() != Solids::Off, engine.initial_contacts() == InitialContactPolicy::Ignore);
        Self { motions: resumed, inside: inside && resumed > 0, ignored: ignored && resumed > 0 }
    }

    /// A sentence for the summary.
    pub fn line(self) -> Option<String> {
        let what = match (self.inside, self.ignored) {
            (true, true) => "starts inside solids and ignored pairs",
            (true, false) => "starts inside solids",
            (false, true) => "ignored pairs",
            (false, false) => return None,
        };
        Some(format!("{what} are unknown for the {} motions that were answered by an earlier run", self.motions))
    }
}

/// The content of `stats.json`; `name` gives the name of a link or an object.
pub fn to_json<'n>(
    engine: &Engine,
    stats: &Stats,
    totals: Totals,
    tested: &TestedPairs,
    name: impl Fn(Obstacle) -> &'n str,
) -> Value {
    let adapters: Vec<Value> = (engine.adapters().iter())
        .map(|a| json!({ "name": a.name, "driver": a.driver, "interface": a.interface, "hardware": a.hardware }))
        .collect();
    let has_adapter = !adapters.is_empty();
    let kernels: Vec<Value> = (stats.kernels.iter())
        .map(|([stem, entry], work)| {
            json!({
                "kernel": format!("{stem}::{entry}"), "dispatches": work.dispatches, "invocations": work.invocations,
                "queue_entries": work.queue_entries,
            })
        })
        .collect();
    let stages: Vec<Value> = Stage::ALL
        .iter()
        .zip(&stats.stages)
        .map(|(stage, s)| {
            json!({
                "stage": stage.stem(), "items_in": s.items_in, "items_out": s.items_out, "seconds": s.seconds,
                "retries": s.retries, "bytes": s.bytes,
            })
        })
        .collect();
    let unknown = UnknownStarts::new(engine, totals.resumed);
    let ignored = (!unknown.ignored).then(|| pairs_to_json(&stats.ignored, &name));
    let inside = (!unknown.inside).then(|| pairs_to_json(&stats.inside, &name));
    let start_inside = (!unknown.inside).then_some(stats.start_inside);
    let s = stats.sweep;
    let sweep = json!({
        "form": engine.sweep(), "candidates_in": s.candidates_in, "candidates_out": s.candidates_out,
        "triangles_in": s.triangles_in, "triangles_out": s.triangles_out,
    });
    json!({
        "motions": stats.motions, "free": stats.free, "contact": stats.contact, "certified": stats.certified,
        "undecided": stats.undecided, "pieces": stats.pieces, "wall_s": stats.wall_s, "cpu_s": totals.cpu_s,
        "load_s": totals.load_s, "build_s": stats.build_s, "total_s": totals.total_s, "threads": engine.threads(),
        "backend": if has_adapter { "gpu" } else { "cpu" }, "adapter": adapters.first(), "adapters": adapters,
        "stages": stages, "kernels": kernels,
        "sweep": sweep, "pairs": stats.pairs, "solve": stats.solve, "tested_pairs": tested.to_json(),
        "links": stats.links, "ignored": ignored, "start_inside": start_inside, "inside": inside,
        "seed": Value::Null, "version": env!("CARGO_PKG_VERSION"),
        "resumed": totals.resumed, "device": has_adapter.then_some(stats.device),
        "device_objects": stats.device_objects, "peak_memory_bytes": peak_memory_bytes(),
    })
}

/// Pairs of link and obstacle, with the number of motions.
pub fn pairs_to_json<'n>(pairs: &BTreeMap<(u32, Obstacle), u64>, name: &impl Fn(Obstacle) -> &'n str) -> Vec<Value> {
    let pair = |(&(link, obstacle), motions): (&(u32, Obstacle), &u64)| {
        let (link, other) = (name(Obstacle::Link(link)), name(obstacle));
        match obstacle {
            Obstacle::Object(_) => json!({ "link": link, "object": other, "motions": motions }),
            Obstacle::Link(_) => json!({ "link": link, "other_link": other, "motions": motions }),
        }
    };
    pairs.iter().map(pair).collect()
}

/// Largest number of pairs in the summary's sentence about solids.
const MOST_PAIRS: usize = 3;

/// A sentence about the motions that start inside a solid, if there are any.
pub fn inside<'n>(stats: &Stats, name: impl Fn(Obstacle) -> &'n str) -> Option<String> {
    let pair = |(&(link, obstacle), n): (&(u32, Obstacle), &u64)| {
        format!("{} and {} ({n} motions)", name(Obstacle::Link(link)), name(obstacle))
    };
    let mut pairs: Vec<String> = stats.inside.iter().take(MOST_PAIRS).map(pair).collect();
    if stats.inside.len() > MOST_PAIRS {
        pairs.push(format!("{} other pairs", stats.inside.len() - MOST_PAIRS));
    }
    (stats.start_inside > 0).then(|| {
        format!(
            "{} motions start inside a closed object or link without touching it, by pair: {}",
            stats.start_inside,
            pairs.join(", ")
        )
    })
}

/// Prints the totals, and a table of the stages.
pub fn print(engine: &Engine, stats: &Stats, totals: Totals, tested: &TestedPairs) {
    let motions = stats.motions - totals.resumed;
    let rate = if stats.wall_s > 0.0 { motions as f64 / stats.wall_s } else { 0.0 };
    say!(
        "{} motions: {} free, {} contact ({} certified), {} undecided; {:.3} s, {} motions/s on {}",
        stats.motions,
        stats.free,
        stats.contact,
        stats.certified,
        stats.undecided,
        stats.wall_s,
        digits(rate),
        engine.adapter_names().unwrap_or_else(|| format!("the CPU, {} threads", engine.threads())),
    );
    say!("read in {:.3} s, built in {:.3} s", totals.load_s, stats.build_s);
    tested.lines().iter().for_each(|line| say!("{line}"));
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["stage", "items in", "items out", "ms", "retries"]);
    for (stage, s) in Stage::ALL.iter().zip(&stats.stages) {
        let row = [
            stage.stem().to_string(),
            s.items_in.to_string(),
            s.items_out.to_string(),
            format!("{:.2}", s.seconds * 1e3),
            s.retries.to_string(),
        ];
        table.add_row(row);
    }
    say!("{table}");
    if engine.sweep() != Sweep::Off {
        let s = stats.sweep;
        say!("swept volumes by {}: {} of {} triangles left", engine.sweep().name(), s.triangles_out, s.triangles_in);
    }
    if !stats.ignored.is_empty() {
        say!("{}", tested::ignored_line(stats.ignored.len()));
    }
    UnknownStarts::new(engine, totals.resumed).line().iter().for_each(|line| say!("{line}"));
}

/// A contact in words, if the line is one; `margin_m` is the distance that counts as contact.
pub fn in_words(line: &Line, margin_m: f64) -> Option<String> {
    let Line::Contact { motion, segment, toc, proved, certified, inside, at, .. } = line else { return None };
    let motion = segment.map_or(motion.to_string(), |segment| format!("{motion}, segment {segment}"));
    if let Some(Enclosed { a, b, .. }) = inside {
        return Some(format!("motion {motion}: one of {} and {} starts inside the other", a.name(), b.name()));
    }
    let kind = if *certified { "" } else { " (not certified)" };
    let is_margin = margin_m > 0.0;
    let Some(Place { a, b, point: [x, y, z], .. }) = at.as_deref() else {
        let kind = match (proved, is_margin) {
            (true, false) => "a contact".to_string(),
            (false, false) => "possible contact".to_string(),
            (true, true) => format!("comes within {margin_m} m"),
            (false, true) => format!("possibly comes within {margin_m} m"),
        };
        return Some(format!("motion {motion}: {kind} from {:.9} to {:.9}", toc[0], toc[1]));
    };
    let meets = if is_margin { format!("comes within {margin_m} m of") } else { "meets".into() };
    let feature = |name: &str, index: u8| match name {
        "face" => name.to_string(),
        _ => format!("{name} {index}"),
    };
    let in_words = b.feature();
    let (of_link, of_object) = (feature(a.feature, a.index), feature(in_words.0, in_words.1));
    Some(format!(
        "motion {motion}: {:.9}{kind}, {of_link} of {} {meets} {of_object} of {} at ({x:.4}, {y:.4}, {z:.4}) m",
        toc[0],
        a.name(),
        b.name()
    ))
}
