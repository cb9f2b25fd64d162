//! Patterns in the answers of a run, and options that help: printed at its end, and part of `stats.json`.

mod hints;

use super::super::summary;
use comfy_table::{Table, presets};
use firstcontact::report::Line;
use firstcontact::robot::{BeyondLimits, JointKind, Robot};
use firstcontact::{Error, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Number of first contacts in the summary.
const FIRST_SHOWN: usize = 5;
/// Number of pairs of link and object in the summary.
const PAIRS_SHOWN: usize = 5;
/// Number of pairs of link and object in `stats.json`.
const PAIRS_WRITTEN: usize = 100;

/// The context of a diagnosis.
#[derive(Clone, Debug)]
pub struct Context {
    /// The distance that counts as contact, metres.
    pub margin_m: f64,
    /// True if the joints have a tolerance.
    pub has_tube: bool,
    /// True if only verdicts are requested: their times are intentionally wide.
    pub verdicts_only: bool,
    /// Values beyond joint limits.
    pub limits: BeyondLimits,
    /// Links that are not moved by any joint.
    still: HashSet<String>,
    /// All links.
    links: HashSet<String>,
}

impl Context {
    /// The context of the robots' motions, without joint tolerances and with complete answers.
    pub fn new(robots: &[&Robot], limits: BeyondLimits, margin_m: f64) -> Self {
        let is_still = |robot: &Robot, body: u32| {
            let mut chain = std::iter::successors(robot.bodies.get(body as usize), |b| {
                b.parent.and_then(|p| robot.bodies.get(p as usize))
            });
            chain.all(|b| b.joint.kind == JointKind::Fixed)
        };
        let still_of = |robot: &&Robot| -> Vec<String> {
            let robot: &Robot = robot;
            let still = robot.links.iter().filter(|l| is_still(robot, l.body));
            still.map(|l| l.name.clone()).collect()
        };
        let still = robots.iter().flat_map(still_of).collect();
        let all = robots.iter().flat_map(|robot| robot.links.iter().map(|link| link.name.clone()));
        Self { margin_m, has_tube: false, verdicts_only: false, limits, still, links: all.collect() }
    }
}

/// Counts over the answers of a run.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    context: Context,
    first: Vec<String>,
    motions: u64,
    contacts: u64,
    at_start: u64,
    not_proved: u64,
    not_certified: u64,
    /// Counts by link, then by object.
    pairs: HashMap<String, HashMap<String, PairCount>>,
    undecided: BTreeMap<String, u64>,
}

/// Contacts of one pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PairCount {
    contacts: u64,
    at_start: u64,
}

/// A pair of link and object, and its contacts.
#[derive(Clone, Copy, Debug)]
struct Pair<'a> {
    link: &'a str,
    object: &'a str,
    count: PairCount,
}

/// The relevant parts of an answer in a file.
#[derive(Deserialize)]
struct Known {
    verdict: String,
    reason: Option<String>,
    #[serde(default)]
    initial_overlap: bool,
    #[serde(default)]
    proved: bool,
    #[serde(default)]
    certified: bool,
    a: Option<Side>,
    b: Option<Side>,
}

#[derive(Deserialize)]
struct Side {
    link: Option<String>,
    attached: Option<String>,
    object: Option<String>,
}

impl Side {
    fn name(&self) -> Option<&str> {
        self.object.as_deref().or(self.attached.as_deref()).or(self.link.as_deref())
    }
}

impl Diagnosis {
    /// No answers yet.
    pub fn new(context: Context) -> Self {
        Self {
            context,
            first: Vec::new(),
            motions: 0,
            contacts: 0,
            at_start: 0,
            not_proved: 0,
            not_certified: 0,
            pairs: HashMap::new(),
            undecided: BTreeMap::new(),
        }
    }

    /// Counts an answer; `problem` is the name of the planning problem, if any.
    pub fn add(&mut self, line: &Line, problem: Option<&str>) {
        self.motions += 1;
        match line {
            Line::Free { .. } => {}
            Line::Undecided { reason, .. } => self.add_undecided(reason),
            Line::Contact { proved, certified, initial_overlap, inside, at, .. } => {
                let touching = at.as_ref().map(|at| (at.a.name(), at.b.name()));
                let pair = touching.or(inside.as_ref().map(|of| (of.a.name(), of.b.name())));
                self.add_contact(pair, *initial_overlap, *proved, *certified);
                if self.first.len() < FIRST_SHOWN {
                    let words = summary::in_words(line, self.context.margin_m);
                    self.first.extend(words.map(|w| problem.map_or(w.clone(), |p| format!("{p}, {w}"))));
                }
            }
        }
    }

    /// Counts the first `n` answers in a file, which are those of the run that is continued.
    ///
    /// # Errors
    /// The file cannot be read, or has other lines.
    pub fn add_earlier(&mut self, file: &Path, n: u64) -> Result<()> {
        let unreadable = |e: std::io::Error| Error::input(format!("it cannot be read: {e}")).in_file(file);
        let lines = BufReader::new(File::open(file).map_err(unreadable)?).lines();
        for line in lines.take(usize::try_from(n).unwrap_or(usize::MAX)) {
            let known = serde_json::from_str::<Known>(&line.map_err(unreadable)?);
            let known = known.map_err(|e| Error::input(format!("no answer: {e}")).in_file(file))?;
            self.motions += 1;
            match known.verdict.as_str() {
                "contact" => {
                    let link = known.a.as_ref().and_then(Side::name);
                    let object = known.b.as_ref().and_then(Side::name);
                    self.add_contact(link.zip(object), known.initial_overlap, known.proved, known.certified);
                }
                "undecided" => self.add_undecided(known.reason.as_deref().unwrap_or("unknown")),
                _ => {}
            }
        }
        Ok(())
    }

    fn add_undecided(&mut self, reason: &str) {
        match self.undecided.get_mut(reason) {
            Some(n) => *n += 1,
            None => drop(self.undecided.insert(reason.to_string(), 1)),
        }
    }

    fn add_contact(&mut self, pair: Option<(&str, &str)>, at_start: bool, proved: bool, certified: bool) {
        self.contacts += 1;
        self.at_start += u64::from(at_start);
        self.not_proved += u64::from(!proved);
        self.not_certified += u64::from(!certified);
        let Some((link, object)) = pair else { return };
        // Names are copied only for a new pair.
        if !self.pairs.contains_key(link) {
            self.pairs.insert(link.to_string(), HashMap::new());
        }
        let Some(objects) = self.pairs.get_mut(link) else { return };
        if !objects.contains_key(object) {
            objects.insert(object.to_string(), PairCount::default());
        }
        if let Some(count) = objects.get_mut(object) {
            count.contacts += 1;
            count.at_start += u64::from(at_start);
        }
    }

    /// The pairs with contacts, in falling order of their number.
    fn pairs(&self) -> Vec<Pair<'_>> {
        let mut pairs: Vec<Pair> = Vec::new();
        for (link, objects) in &self.pairs {
            pairs.extend(objects.iter().map(|(object, &count)| Pair { link, object, count }));
        }
        pairs.sort_by(|a, b| b.count.contacts.cmp(&a.count.contacts).then((a.link, a.object).cmp(&(b.link, b.object))));
        pairs
    }

    /// The object `diagnosis` of `stats.json`.
    pub fn to_json(&self) -> Value {
        let pairs = self.pairs();
        let written = pairs.iter().take(PAIRS_WRITTEN).map(|p| {
            json!({ "link": p.link, "object": p.object, "contacts": p.count.contacts, "at_start": p.count.at_start })
        });
        let written: Vec<Value> = written.collect();
        json!({
            "contacts_at_start": self.at_start,
            "contacts_not_proved": self.not_proved,
            "contacts_not_certified": self.not_certified,
            "pairs": written,
            "pairs_with_contact": pairs.len(),
            "undecided": self.undecided,
            "limits": self.context.limits.counts(),
            "look_like_degrees": self.context.limits.look_like_degrees(),
            "hints": hints::of(self, &pairs),
        })
    }

    /// Prints the first contacts, the pairs with most contacts, and hints.
    pub fn print(&self) {
        let (contacts, pairs) = (self.contacts, self.pairs());
        if contacts > 0 && self.context.margin_m > 0.0 {
            say!("a distance of at most {} m counts as contact", self.context.margin_m);
        }
        if !self.first.is_empty() {
            say!("first contacts:");
            self.first.iter().for_each(|line| say!("  {line}"));
        }
        if self.at_start > 0 {
            say!("{} of {contacts} contacts are at the start of the motion", self.at_start);
        }
        if !pairs.is_empty() {
            let mut table = Table::new();
            table.load_style(presets::NOTHING).set_header(["link", "object", "contacts", "at the start"]);
            for Pair { link, object, count } in pairs.iter().take(PAIRS_SHOWN) {
                table.add_row([link, object, &*count.contacts.to_string(), &*count.at_start.to_string()]);
            }
            let more = pairs.len().saturating_sub(PAIRS_SHOWN);
            let more = if more > 0 { format!(", the first {PAIRS_SHOWN} of {}", pairs.len()) } else { String::new() };
            say!("pairs with most contacts{more}:\n{table}");
        }
        if !self.undecided.is_empty() {
            let reasons: Vec<String> = self.undecided.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
            say!("undecided: {}", reasons.join(", "));
        }
        hints::of(self, &pairs).iter().for_each(|hint| say!("hint: {}", hint.text));
    }
}
