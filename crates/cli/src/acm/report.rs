//! The results of `acm`: the report, the motions that show contacts, and the summary.

use super::{can_touch, names};
use comfy_table::{Table, presets};
use firstcontact::acm::{Class, ClassifiedPair};
use firstcontact::robot::Robot;
use serde_json::{Map, Value, json};

/// Maximum number of pairs that a list of the summary shows.
const MAX_LISTED: usize = 20;

/// The report: all pairs, and with an SRDF those that it disables although they can touch.
pub fn report(robot: &Robot, pairs: &[ClassifiedPair], not_safe: Option<&Vec<&ClassifiedPair>>) -> Value {
    let all: Value = pairs.iter().map(|pair| describe(robot, pair)).collect();
    match not_safe {
        Some(listed) => {
            let listed: Value = listed.iter().map(|pair| describe(robot, pair)).collect();
            json!({ "pairs": all, "unsafe": listed })
        }
        None => all,
    }
}

/// An entry of the report.
fn describe(robot: &Robot, pair: &ClassifiedPair) -> Value {
    let links = names(robot, pair.links);
    let mut entry = json!({ "links": links, "class": pair.class.name(), "reason": pair.reason });
    if !pair.witness.is_empty() {
        entry["witness"] =
            witness(robot, pair).map(|(name, x)| (name.to_string(), x.into())).collect::<Map<_, _>>().into();
    }
    if let Some(distance_m) = pair.smallest_distance_m {
        entry["smallest_distance_m"] = distance_m.into();
    }
    if let Some(free) = &pair.free {
        entry["free_share"] = free.share().into();
    }
    if let Some(class) = pair.samples.class() {
        entry["samples"] = pair.samples.tried.into();
        entry["samples_touching"] = pair.samples.touching.into();
        entry["sampled_class"] = class.name().into();
    }
    entry
}

/// The columns of a witness and their values.
fn witness<'a>(robot: &'a Robot, pair: &'a ClassifiedPair) -> impl Iterator<Item = (&'a str, f64)> {
    pair.witness.iter().map(|&(column, x)| (robot.columns[column as usize].name.as_str(), x))
}

/// Motions in JSON, one for each pair that can touch, which rest where it touches.
pub fn witnesses(robot: &Robot, pairs: &[ClassifiedPair]) -> Value {
    let joints: Vec<&str> = robot.columns.iter().map(|column| column.name.as_str()).collect();
    let touching: Vec<&ClassifiedPair> = pairs.iter().filter(|pair| can_touch(pair)).collect();
    let links: Vec<_> = touching.iter().map(|pair| names(robot, pair.links)).collect();
    let motions: Vec<_> = touching.iter().map(|pair| pair.configuration(robot)).map(|q| [q.clone(), q]).collect();
    json!({ "joints": joints, "links": links, "motions": motions })
}

/// Prints the number of pairs in each class, and the pairs that deserve attention.
pub fn summarise(robot: &Robot, pairs: &[ClassifiedPair], not_safe: &[&ClassifiedPair], disabled: usize) {
    say!("pairs of links: {}, disabled in the SRDF: {disabled}", pairs.len());
    say!("{}", table(pairs));
    let n_regions = pairs.iter().filter(|pair| pair.free.is_some()).count();
    if n_regions > 0 {
        say!("pairs proved free for some joint values: {n_regions}");
    }
    let row = |pair: &ClassifiedPair| {
        let values: Vec<String> = witness(robot, pair).map(|(name, x)| format!("{name} {x:.4}")).collect();
        let at = if values.is_empty() { String::new() } else { format!(" ({})", values.join(", ")) };
        format!("  {}: {}{at}", names(robot, pair.links).join(" and "), pair.reason)
    };
    let list = |title: &str, pairs: &mut dyn Iterator<Item = &ClassifiedPair>| {
        let rows: Vec<String> = pairs.map(row).collect();
        if !rows.is_empty() {
            let more = rows.len().saturating_sub(MAX_LISTED);
            let more = if more > 0 { format!("\n  and {more} more: --report lists all") } else { String::new() };
            say!("{title}: {}\n{}{more}", rows.len(), rows[..rows.len().min(MAX_LISTED)].join("\n"));
        }
    };
    let is_rare = |pair: &&ClassifiedPair| pair.class == Class::Sometimes && pair.samples.class() == Some(Class::Never);
    list("can touch, but not in any random configuration", &mut pairs.iter().filter(is_rare));
    list("not proved", &mut pairs.iter().filter(|pair| pair.class == Class::Unproved));
    list("disabled by the SRDF, but can touch", &mut not_safe.iter().copied());
}

/// The number of pairs in each class, and the number of those that sampling alone would put in another one.
fn table(pairs: &[ClassifiedPair]) -> Table {
    let mut table = Table::new();
    let header = ["class", "pairs", "never in samples", "sometimes in samples", "always in samples"];
    table.load_style(presets::NOTHING).set_header(header);
    for class in Class::ALL {
        let of_class = || pairs.iter().filter(move |pair| pair.class == class);
        let sampled = |as_class| of_class().filter(|pair| pair.samples.class() == Some(as_class)).count().to_string();
        let samples = [Class::Never, Class::Sometimes, Class::Always].map(sampled);
        table.add_row([class.name().to_string(), of_class().count().to_string()].into_iter().chain(samples));
    }
    table
}
