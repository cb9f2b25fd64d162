//! A summary of results for a page, in memory that does not grow with the number of motions.

use super::answer::{Answer, Kind};
use firstcontact::{Error, Result};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

/// Rows of the table of contacts, and of the table of undecided motions.
pub const MAX_ROWS: usize = 200;

/// Numbers of motions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All motions.
    pub motions: u64,
    /// Proved free.
    pub free: u64,
    /// Contacts, possible ones included.
    pub contact: u64,
    /// Contacts that are proved.
    pub proved: u64,
    /// Contacts that are certified.
    pub certified: u64,
    /// Contacts at the start.
    pub at_start: u64,
    /// Motions without an answer.
    pub undecided: u64,
}

/// Contacts between one link and one object (or another link).
#[derive(Clone, Debug)]
pub struct Pair {
    /// Motions whose first contact is between the two.
    pub motions: u64,
    /// Contacts at the start among them.
    pub at_start: u64,
    /// The earliest of these contacts.
    pub earliest: Answer,
    /// The latest of these contacts.
    pub latest: Answer,
}

/// The results on a page: counts, pairs that touch, and the answers that its tables list.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Numbers of motions.
    pub counts: Counts,
    /// Undecided motions by reason.
    pub reasons: BTreeMap<String, u64>,
    /// The earliest contacts, earliest first.
    pub contacts: Vec<Answer>,
    /// The undecided motions that are proved free for the shortest time.
    pub undecided: Vec<Answer>,
    /// The first free motions.
    pub free: Vec<Answer>,
    pairs: HashMap<(String, String), Pair>,
    /// Number of the last motion.
    last: Option<usize>,
}

impl Findings {
    /// Reads a file of results.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is not an answer; the message contains the line's number.
    pub fn read(path: &Path) -> Result<Self> {
        let mut findings = Self::default();
        findings.add_lines(path, u64::MAX)?;
        Ok(findings)
    }

    /// Adds the first `n` answers of a file.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn add_lines(&mut self, path: &Path, n: u64) -> Result<()> {
        let unreadable = |e: std::io::Error| Error::input(format!("cannot read: {e}")).in_file(path);
        let mut lines = BufReader::new(File::open(path).map_err(unreadable)?);
        let mut line = String::new();
        for number in 1..=n {
            line.clear();
            if lines.read_line(&mut line).map_err(unreadable)? == 0 {
                break;
            }
            self.add(&line).map_err(|e| e.at(format!("line {number}")).in_file(path))?;
        }
        Ok(())
    }

    /// Adds the next line of results.
    ///
    /// # Errors
    /// The line is not an answer, or its motion does not follow the last one.
    pub fn add(&mut self, line: &str) -> Result<()> {
        let answer = Answer::parse(line)?;
        if self.last.is_some_and(|last| answer.motion <= last) {
            return Err(Error::input(format!("motion {} is out of order", answer.motion)));
        }
        self.last = Some(answer.motion);
        let counts = &mut self.counts;
        counts.motions += 1;
        match answer.verdict {
            Kind::Free => {
                counts.free += 1;
                if self.free.len() < MAX_ROWS {
                    self.free.push(answer);
                }
            }
            Kind::Undecided => {
                counts.undecided += 1;
                *self.reasons.entry(answer.reason.clone().unwrap_or_default()).or_default() += 1;
                insert(&mut self.undecided, answer);
            }
            Kind::Contact => {
                counts.contact += 1;
                counts.proved += u64::from(answer.proved);
                counts.certified += u64::from(answer.certified);
                counts.at_start += u64::from(answer.initial_overlap);
                self.add_to_pair(&answer);
                insert(&mut self.contacts, answer);
            }
        }
        Ok(())
    }

    fn add_to_pair(&mut self, answer: &Answer) {
        let Some((a, b)) = answer.sides() else { return };
        let new = || Pair { motions: 0, at_start: 0, earliest: answer.clone(), latest: answer.clone() };
        let pair = self.pairs.entry((a.to_string(), b.to_string())).or_insert_with(new);
        pair.motions += 1;
        pair.at_start += u64::from(answer.initial_overlap);
        if key(answer) < key(&pair.earliest) {
            pair.earliest = answer.clone();
        }
        if key(answer) > key(&pair.latest) {
            pair.latest = answer.clone();
        }
    }

    /// The pairs that touch, those with most motions first.
    pub fn pairs(&self) -> Vec<(&(String, String), &Pair)> {
        let mut pairs: Vec<_> = self.pairs.iter().collect();
        pairs.sort_by(|(a, p), (b, q)| q.motions.cmp(&p.motions).then_with(|| a.cmp(b)));
        pairs
    }

    /// Number of the last motion.
    pub fn last(&self) -> Option<usize> {
        self.last
    }

    /// Chooses at most `n` motions to show, in the order of their numbers: the earliest and the latest contact of each
    /// pair in turn, then further contacts, with a sixth of the places for undecided motions and a sixth for free ones.
    /// Contacts at the start get a quarter of the places of contacts. Places that one kind does not fill go to the
    /// others.
    pub fn choose(&self, n: usize) -> Vec<Answer> {
        let share = (n / 6).max(usize::from(n > 3));
        let n_undecided = self.undecided.len().min(share);
        let n_free = self.free.len().min(share);
        let [later, at_start] = [false, true].map(|at_start| self.contacts_by_interest(at_start));
        let room = n.saturating_sub(n_undecided + n_free);
        let n_at_start =
            at_start.len().min((room / 4).max(usize::from(room > 1))).max(room.saturating_sub(later.len()));
        let first = later.iter().take(room.saturating_sub(n_at_start)).chain(at_start.iter().take(n_at_start)).copied();
        let first = first.chain(self.undecided.iter().take(n_undecided)).chain(self.free.iter().take(n_free));
        let rest = later.iter().chain(&at_start).copied().chain(&self.undecided).chain(&self.free);
        let mut chosen: Vec<&Answer> = Vec::with_capacity(n);
        for answer in first.chain(rest) {
            if chosen.len() < n && !chosen.iter().any(|c| c.motion == answer.motion) {
                chosen.push(answer);
            }
        }
        chosen.sort_by_key(|a| a.motion);
        chosen.into_iter().cloned().collect()
    }

    /// Of the contacts at the start, or of the others: the earliest of each pair, earliest first, in turn with the
    /// latest, latest first; then the earliest of all.
    fn contacts_by_interest(&self, at_start: bool) -> Vec<&Answer> {
        let of_pairs = |of: fn(&Pair) -> &Answer| {
            let mut all: Vec<&Answer> = self.pairs.values().map(of).filter(|a| a.initial_overlap == at_start).collect();
            all.sort_by(|a, b| compare(a, b));
            all
        };
        let (earliest, mut latest) = (of_pairs(|pair| &pair.earliest), of_pairs(|pair| &pair.latest));
        latest.reverse();
        let n = earliest.len().max(latest.len());
        let in_turn = (0..n).flat_map(|i| [earliest.get(i), latest.get(i)]).flatten().copied();
        let all = self.contacts.iter().filter(|a| a.initial_overlap == at_start);
        let mut known = HashSet::new();
        in_turn.chain(all).filter(|answer| known.insert(answer.motion)).collect()
    }
}

/// The time up to which a motion is proved free, and its number.
fn key(answer: &Answer) -> (f64, usize) {
    (answer.order().unwrap_or(1.0), answer.motion)
}

fn compare(a: &Answer, b: &Answer) -> std::cmp::Ordering {
    let ((s, i), (t, k)) = (key(a), key(b));
    s.total_cmp(&t).then(i.cmp(&k))
}

/// Inserts an answer into a list ordered by time, and drops the last entry of a full list.
fn insert(list: &mut Vec<Answer>, answer: Answer) {
    let at = list.partition_point(|other| compare(other, &answer).is_lt());
    if at < MAX_ROWS {
        list.truncate(MAX_ROWS - 1);
        list.insert(at, answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(motion: usize, time: f64, object: &str) -> String {
        format!(
            r#"{{"motion":{motion},"verdict":"contact","toc":[{time},{time}],"proved":true,"initial_overlap":{},
            "a":{{"link":"arm","triangle":0,"feature":"face"}},
            "b":{{"object":"{object}","triangle":0,"feature":"face"}}}}"#,
            time == 0.0
        )
        .replace('\n', "")
    }

    fn free(motion: usize) -> String {
        format!(r#"{{"motion":{motion},"verdict":"free"}}"#)
    }

    fn findings(lines: impl IntoIterator<Item = String>) -> Findings {
        let mut findings = Findings::default();
        lines.into_iter().for_each(|line| findings.add(&line).unwrap());
        findings
    }

    fn chosen(findings: &Findings, n: usize) -> Vec<usize> {
        findings.choose(n).iter().map(|a| a.motion).collect()
    }

    #[test]
    fn memory_does_not_grow_with_motions() {
        let n = 5 * MAX_ROWS;
        // Contacts in falling order of time, so that each is earlier than all before.
        let found = findings((0..n).map(|k| contact(k, 1.0 - k as f64 / n as f64, "wall")));
        assert_eq!(found.counts.contact, n as u64);
        assert_eq!(found.contacts.len(), MAX_ROWS);
        assert_eq!(
            found.contacts.iter().map(|a| a.motion).collect::<Vec<_>>(),
            (n - MAX_ROWS..n).rev().collect::<Vec<_>>()
        );
        let pairs = found.pairs();
        assert_eq!((pairs.len(), pairs[0].1.motions, pairs[0].1.earliest.motion), (1, n as u64, n - 1));
    }

    #[test]
    fn each_pair_is_shown_before_a_second_contact_of_one() {
        let lines = [
            contact(0, 0.1, "wall"),
            contact(1, 0.2, "wall"),
            contact(2, 0.3, "wall"),
            contact(3, 0.8, "door"),
            contact(4, 0.0, "floor"),
            contact(5, 0.0, "floor"),
            free(6),
            free(7),
            r#"{"motion":8,"verdict":"undecided","clear_until":0.5,"reason":"memory"}"#.to_string(),
        ];
        let found = findings(lines);
        assert_eq!(chosen(&found, 0), [0usize; 0]);
        assert_eq!(chosen(&found, 1), [0]);
        assert_eq!(chosen(&found, 2), [0, 4]);
        assert_eq!(chosen(&found, 5), [0, 3, 4, 6, 8]);
        assert_eq!(chosen(&found, 6), [0, 2, 3, 4, 6, 8]);
        assert_eq!(chosen(&found, 99), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let counts = Counts { motions: 9, free: 2, contact: 6, proved: 6, certified: 0, at_start: 2, undecided: 1 };
        assert_eq!(found.counts, counts);
        assert_eq!(found.reasons, BTreeMap::from([("memory".to_string(), 1)]));
    }

    #[test]
    fn motions_must_follow_each_other() {
        let mut found = findings([free(3)]);
        let error = found.add(&free(3)).unwrap_err().to_string();
        assert!(error.contains("motion 3 is out of order"), "{error}");
    }
}
