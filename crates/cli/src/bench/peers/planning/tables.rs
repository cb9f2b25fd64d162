//! The tables of the comparison with VAMP.

use super::super::contender::{Answer, Answers, Reported};
use super::super::fact::Fact;
use super::super::means::{KINDS, mean};
use super::super::score::Score;
use super::tally::{hits_itself, tally};
use super::{Asked, Results};
use crate::bench::run::{Cell, Column, Run, Samples, Table, UsedDataset};

/// Maximum number of missed motions that are listed individually.
const MAX_LISTED: usize = 50;
/// The name of this engine in tables.
const ENGINE: &str = "firstcontact";

/// Adds all results to the run.
pub fn fill(run: &mut Run, results: &Results) {
    NOTES.iter().for_each(|note| run.note(*note));
    run.tables = vec![times(results), verdicts(results), by_kind(results), missed(results), who(results)];
    run.samples = samples(results);
    // The motions of the other sets are parts of these.
    let whole = results.sets.iter().enumerate().filter(|(_, set)| set.label == set.robot_name);
    run.datasets = whole.map(|(s, set)| used(results, s, &set.name)).collect();
}

const NOTES: [&str; 6] = [
    "VAMP answers another question: it replaces the links by spheres that approximate them and mostly contain them, \
     and tests these spheres at samples of the motion, in f32. This engine tests the links' triangles at all times. An \
     answer of VAMP is judged by what this engine proves for the meshes: missed is a contact of the mesh at some time \
     that VAMP reports as free, false a free motion that it reports as a contact.",
    "A motion is the straight line from start to goal of a problem of MotionBenchMaker; most of them collide. Cut into \
     four equal parts, they are about as long as the edges of VAMP's planners. The robot is VAMP's own model, with the \
     gripper; its spheres are made of these meshes. VAMP does not leave out pairs of a problem's allowed-collision \
     matrix, so nothing is left out here either.",
    "Cylinders are capsules for VAMP, or boxes in the problems of the kind box, as its Python package makes them; this \
     engine has prisms around them, at most 1 mm outside. Obstacles are solid for VAMP and surfaces for this engine.",
    "VAMP also tests the robot against itself and cannot leave it out; this engine does not test links against links. \
     Motions that VAMP rejects without obstacles are counted and not judged.",
    "VAMP does not test the start of a motion, as planners know that it is valid: motions that begin in contact are \
     not judged.",
    "Time is processor time of one thread, with obstacles and trees prepared: for VAMP the mean of calls repeated for \
     0.2 ms after the first, for this engine the median of three after the first, one motion in each call.",
];

/// Names and answers of all participants, for each set.
fn participants(results: &Results) -> Vec<(&str, &[Answers])> {
    let mut all = vec![(ENGINE, results.engine.as_slice())];
    all.extend(results.asked.iter().map(|asked| (asked.method.name, asked.motion.as_slice())));
    all
}

/// Times of the motions of set `s` with this kind of fact, except those that VAMP rejects without obstacles.
fn seconds(results: &Results, answers: &[Answers], s: usize, contact: bool, of: Option<usize>) -> Vec<f64> {
    let set = &results.sets[s];
    let is_in = |&i: &usize| {
        let fact = results.facts[s][i];
        let fits = fact != Fact::Unknown && fact.is_contact() == contact;
        fits && of.is_none_or(|kind| set.cases[i].kind == kind) && !hits_itself(results, s, i)
    };
    let time = |i: usize| answers[s].by_motion[i].map(|a| a.cpu_s);
    (0..set.cases.len()).filter(is_in).filter_map(time).collect()
}

fn times(results: &Results) -> Table {
    let all = participants(results);
    let mut columns = vec![
        Column::text("problems", ""),
        Column::text("motions", "With a contact, or free."),
        Column::number("number", "", 0, "Without those that VAMP rejects without obstacles."),
    ];
    columns.extend(all.iter().map(|(name, _)| Column::number(name, "µs", 2, "Mean of a motion.")));
    let mut table = Table::new("times", "Time for a motion", "", columns);
    for (s, set) in results.sets.iter().enumerate() {
        let kinds = set.kinds.iter().enumerate().map(|(k, name)| (format!("{} {name}", set.label), Some(k)));
        for (name, of) in std::iter::once((format!("{}, all", set.label), None)).chain(kinds) {
            for (contact, kind) in [true, false].into_iter().zip(KINDS) {
                let values: Vec<Vec<f64>> = all.iter().map(|(_, a)| seconds(results, a, s, contact, of)).collect();
                let means = values.iter().map(|v| mean(v).map(|seconds| seconds * 1e6).into());
                let n = values.first().map_or(0, Vec::len);
                table.row([name.as_str().into(), kind.into(), n.into()].into_iter().chain(means));
            }
        }
    }
    table
}

fn verdicts(results: &Results) -> Table {
    let columns = vec![
        Column::text("motions of", ""),
        Column::text("who", ""),
        Column::number("motions", "", 0, "Problems that VAMP can represent."),
        Column::number("with itself", "", 0, "Rejected without obstacles: not judged."),
        Column::number("contacts", "", 0, "Motions with a contact, proved by this engine."),
        Column::number("missed", "", 0, "Of them reported as free."),
        Column::number("missed", "%", 2, "The same as a share."),
        Column::number("free", "", 0, "Motions that are free, proved by this engine."),
        Column::number("false", "", 0, "Of them reported as a contact."),
        Column::number("false", "%", 2, "The same as a share."),
        Column::number("not judged", "", 0, "It begins in contact, or nothing is proved."),
        Column::number("not answered", "", 0, ""),
    ];
    let mut table = Table::new("verdicts", "Missed and false", "", columns);
    for (s, set) in results.sets.iter().enumerate() {
        for asked in &results.asked {
            let all = tally(results, asked, s, |_| true);
            let score = all.score;
            table.row([
                set.label.as_str().into(),
                asked.method.name.into(),
                set.cases.len().into(),
                all.itself.into(),
                score.contacts.into(),
                score.missed.into(),
                percent(score.missed, score.contacts),
                score.frees.into(),
                score.false_alarms.into(),
                percent(score.false_alarms, score.frees),
                score.unjudged.into(),
                all.unanswered.into(),
            ]);
        }
    }
    table
}

fn percent(part: usize, whole: usize) -> Cell {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64).into()
}

fn by_kind(results: &Results) -> Table {
    let mut columns = vec![Column::text("problems", "")];
    columns.extend(results.asked.iter().map(|asked| Column::text(asked.method.name, "")));
    let note = "Missed of the contacts / false of the free motions / with itself.";
    let mut table = Table::new("verdicts-by-kind", "Missed and false, by kind of problem", note, columns);
    for (s, set) in results.sets.iter().enumerate() {
        for (k, kind) in set.kinds.iter().enumerate() {
            let cell = |asked| {
                let t = tally(results, asked, s, |i| set.cases[i].kind == k);
                let Score { missed, contacts, false_alarms, frees, .. } = t.score;
                format!("{missed} of {contacts} / {false_alarms} of {frees} / {}", t.itself).into()
            };
            let name = format!("{} {kind}", set.label).into();
            table.row(std::iter::once(name).chain(results.asked.iter().map(cell)));
        }
    }
    table
}

/// The motions of set `s` that an answer of VAMP misses, with the time of the first contact.
fn missed_in(results: &Results, asked: &Asked, s: usize) -> Vec<(usize, [f64; 2])> {
    let is_free = |answer: Option<Answer>| answer.is_some_and(|a| a.reported == Reported::Free);
    let missed = |(i, fact): (usize, &Fact)| match fact {
        Fact::Contact(toc) if is_free(asked.motion[s].by_motion[i]) && is_free(asked.alone[s].by_motion[i]) => {
            Some((i, *toc))
        }
        _ => None,
    };
    results.facts[s].iter().enumerate().filter_map(missed).collect()
}

fn missed(results: &Results) -> Table {
    let columns = ["problem", "who", "first contact"].map(|name| Column::text(name, "")).to_vec();
    let note = format!("At most {MAX_LISTED} are listed.");
    let mut table = Table::new("missed", "Missed contacts", &note, columns);
    for asked in &results.asked {
        for (s, set) in results.sets.iter().enumerate() {
            for (i, toc) in missed_in(results, asked, s) {
                if table.rows.len() < MAX_LISTED {
                    let name = format!("{} {}", set.label, set.cases[i].name);
                    table.row([name, asked.method.name.into(), Fact::Contact(toc).text()].map(Cell::from));
                }
            }
        }
    }
    table
}

fn who(results: &Results) -> Table {
    let columns = vec![
        Column::text("who", ""),
        Column::text("version", ""),
        Column::text("what it does", ""),
        Column::text("remarks", "Why answers are missing, where some are."),
    ];
    let mut table = Table::new("who", "Who took part", "", columns);
    let about = |answers: &[Answers]| Cell::from(answers.iter().find_map(|a| a.about.clone()));
    let what = "guaranteed answers for the meshes at all times; one motion in each call";
    let left_out: Vec<&str> = results.sets.iter().flat_map(|set| &set.left_out).map(String::as_str).collect();
    let left_out = if left_out.is_empty() { String::new() } else { format!("left out: {}", left_out.join(", ")) };
    table.row([ENGINE.into(), about(&results.engine), what.into(), left_out.into()]);
    for asked in &results.asked {
        let troubles: Vec<&str> =
            asked.motion.iter().chain(&asked.alone).filter_map(|a| a.trouble.as_deref()).collect();
        let name = asked.method.name.into();
        table.row([name, about(&asked.motion), asked.method.what.into(), troubles.join("; ").into()]);
    }
    for (name, why) in &results.missing {
        table.row([name.as_str().into(), Cell::Empty, Cell::Empty, why.as_str().into()]);
    }
    table
}

fn samples(results: &Results) -> Vec<Samples> {
    let mut all = Vec::new();
    for (name, answers) in participants(results) {
        for (s, set) in results.sets.iter().enumerate() {
            for (contact, kind) in [true, false].into_iter().zip(KINDS) {
                let values = seconds(results, answers, s, contact, None);
                all.push(Samples { name: format!("{} {kind}, {name}", set.label), unit: "s".into(), values });
            }
        }
    }
    all
}

/// A set, with the first motions that VAMP misses.
fn used(results: &Results, s: usize, name: &str) -> UsedDataset {
    let cases = &results.sets[s].cases;
    let mut motions: Vec<usize> =
        results.asked.iter().flat_map(|asked| missed_in(results, asked, s)).map(|(i, _)| cases[i].number).collect();
    motions.sort_unstable();
    motions.dedup();
    motions.truncate(3);
    UsedDataset { name: name.into(), motions }
}
