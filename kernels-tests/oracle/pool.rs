//! The motion pool of known truth, and the comparison of a list of verdicts with it.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// The known truth of one motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    pub motion: usize,
    /// Largest angle of a joint, in degrees: the group in which the motion is counted.
    pub max_deg: u32,
    /// The first contact, if there is one.
    pub contact: Option<Known>,
    /// Least distance of a free motion; a value of 5 mm or more only states that the distance is at least 5 mm.
    pub least_gap_m: Option<f64>,
}

/// A first contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Before this time nothing is nearer than 1e-7 m.
    pub t_lo: f64,
    /// At this time triangles cross.
    pub t_hi: f64,
    /// True if they still cross 1, 3 and 10 nm of travel later.
    pub firm: bool,
    pub link: String,
    pub object: String,
}

/// One line of an engine's `results.jsonl`.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Free,
    Contact { toc: [f64; 2], proved: bool, certified: bool, pair: Option<(String, String)> },
    Undecided { clear_until: f64 },
}

/// Counts of one group. Every count from [`Row::absent`] on is a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub n: usize,
    pub contact: usize,
    pub free: usize,
    pub undecided: usize,
    pub certified: usize,
    /// The reported link and object differ from the truth's. Not a fault by itself: ties exist.
    pub pair: usize,
    /// No verdict.
    pub absent: usize,
    /// Free where the truth is contact.
    pub missed: usize,
    /// Reported clear for longer than the truth is.
    pub late: usize,
    /// Proved to touch before the truth does.
    pub early: usize,
    /// Certified, but wider than 1e-9.
    pub wide: usize,
    /// Contact where the truth is free.
    pub false_contact: usize,
    /// Undecided, but reported clear for longer than the truth is.
    pub unsound: usize,
}

/// Counts of all groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    pub rows: BTreeMap<u32, Row>,
    /// Differences between the truth's `t_hi` and the begin of each `toc`, ascending.
    pub early_by: Vec<f64>,
    /// Widths of certified enclosures, ascending.
    pub widths: Vec<f64>,
}

impl Row {
    /// Number of faults.
    pub fn bad(&self) -> usize {
        self.absent + self.missed + self.late + self.early + self.wide + self.false_contact + self.unsound
    }
}

impl Score {
    /// Number of faults in all groups.
    pub fn bad(&self) -> usize {
        self.rows.values().map(Row::bad).sum()
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "max_deg")?;
        for name in "n contact free undecided certified pair absent MISSED LATE EARLY WIDE FALSE UNSOUND".split(' ') {
            write!(f, " {name:>9}")?;
        }
        for (k, r) in &self.rows {
            write!(f, "\n{k:7}")?;
            let judged = [r.n, r.contact, r.free, r.undecided, r.certified, r.pair];
            let faults = [r.absent, r.missed, r.late, r.early, r.wide, r.false_contact, r.unsound];
            judged.iter().chain(&faults).try_for_each(|count| write!(f, " {count:9}"))?;
        }
        for (what, v) in [("t_hi minus toc[0]", &self.early_by), ("width when certified", &self.widths)] {
            if let Some(last) = v.last() {
                write!(f, "\n{what}: median {:.2e}, largest {last:.2e}", v[v.len() / 2])?;
            }
        }
        write!(f, "\nfaults: {}", self.bad())
    }
}

/// Compares verdicts, by the index of their motion in `truth`, with the truth.
pub fn score(truth: &[Truth], verdicts: &BTreeMap<usize, Verdict>) -> Score {
    let mut out = Score::default();
    for (i, t) in truth.iter().enumerate() {
        let row = out.rows.entry(t.max_deg).or_default();
        row.n += 1;
        match (verdicts.get(&i), &t.contact) {
            (None, _) => row.absent += 1,
            (Some(Verdict::Free), known) => {
                row.free += 1;
                row.missed += usize::from(known.is_some());
            }
            (Some(Verdict::Undecided { clear_until }), known) => {
                row.undecided += 1;
                row.unsound += usize::from(known.as_ref().is_some_and(|k| *clear_until > k.t_hi + 1e-9));
            }
            (Some(Verdict::Contact { .. }), None) => {
                row.contact += 1;
                row.false_contact += 1;
            }
            (Some(Verdict::Contact { toc: [lo, hi], proved, certified, pair }), Some(k)) => {
                row.contact += 1;
                row.certified += usize::from(*certified);
                row.late += usize::from(*lo > k.t_hi + 1e-9);
                row.early += usize::from((*certified || *proved) && *hi < k.t_lo - 1e-9);
                row.wide += usize::from(*certified && hi - lo > 1.001e-9);
                row.pair += usize::from(pair.as_ref().is_some_and(|(a, b)| *a != k.link || *b != k.object));
                out.early_by.push(k.t_hi - lo);
                out.widths.extend(certified.then_some(hi - lo));
            }
        }
    }
    out.early_by.sort_by(f64::total_cmp);
    out.widths.sort_by(f64::total_cmp);
    out
}

/// Reads a `*.truth.jsonl`.
///
/// # Panics
/// The file cannot be read or is not valid.
pub fn read_truth(path: &Path) -> Vec<Truth> {
    lines(&std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))).map(truth).collect()
}

/// The truth of some motions of a pool, renumbered in this order.
pub fn pick(truth: &[Truth], indices: &[usize]) -> Vec<Truth> {
    indices.iter().map(|&i| truth[i].clone()).collect()
}

/// Reads motion numbers, one per line.
///
/// # Panics
/// The file cannot be read or contains something else.
pub fn read_indices(path: &Path) -> Vec<usize> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.split_whitespace().map(|w| w.parse().expect("a number")).collect()
}

/// Reads the text of a `results.jsonl`.
///
/// # Panics
/// A line does not follow the documented format.
pub fn read_verdicts(text: &str) -> BTreeMap<usize, Verdict> {
    lines(text).map(|v| (v["motion"].as_u64().expect("a motion") as usize, verdict(&v))).collect()
}

fn lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines().map(|l| serde_json::from_str(l).expect("well-formed JSON"))
}

fn truth(v: Value) -> Truth {
    let number = |key: &str| v[key].as_f64().unwrap_or_else(|| panic!("{key} in {v}"));
    let word = |key: &str| v[key].as_str().unwrap_or_else(|| panic!("{key} in {v}")).to_owned();
    let contact = (word("class") == "contact").then(|| Known {
        t_lo: number("t_lo"),
        t_hi: number("t_hi"),
        firm: v["firm"].as_bool().expect("firm or not"),
        link: word("link"),
        object: word("object"),
    });
    let least_gap_m = v["min_gap_m"].as_f64();
    Truth { motion: number("motion") as usize, max_deg: number("max_deg") as u32, contact, least_gap_m }
}

fn verdict(v: &Value) -> Verdict {
    match v["verdict"].as_str() {
        Some("free") => Verdict::Free,
        Some("undecided") => Verdict::Undecided { clear_until: v["clear_until"].as_f64().unwrap_or(0.0) },
        Some("contact") => {
            let end = |i: usize| v["toc"][i].as_f64().expect("an end of toc");
            let flag = |key: &str| v[key].as_bool().unwrap_or(false);
            let name = |side: &str, key: &str| v[side][key].as_str().map(str::to_owned);
            Verdict::Contact {
                toc: [end(0), end(1)],
                proved: flag("proved"),
                certified: flag("certified"),
                pair: name("a", "link").zip(name("b", "object")),
            }
        }
        _ => panic!("no verdict: {v}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::inclusion::{self, Answer, Limits};
    use super::super::precise::Contact;
    use super::super::sampling::{Fineness, Sampler};
    use super::super::{data, fk::Robot, npy, scene, shapes};
    use super::*;

    const LINES: &str = concat!(
        r#"{"motion": 0, "max_deg": 1, "class": "free", "min_gap_m": 0.005}"#,
        "\n",
        r#"{"motion": 1, "max_deg": 5, "class": "contact", "t_lo": 0.5, "t_hi": 0.50001, "#,
        r#""firm": true, "link": "l", "object": "o"}"#,
    );

    fn scored(results: &str) -> (Row, Row) {
        let truth: Vec<Truth> = lines(LINES).map(truth).collect();
        let s = score(&truth, &read_verdicts(results));
        (s.rows[&1], s.rows[&5])
    }

    #[test]
    fn every_fault_is_counted_once() {
        let contact = |motion: usize, lo: f64, hi: f64, rest: &str| {
            format!(r#"{{"motion":{motion},"verdict":"contact","toc":[{lo},{hi}]{rest}}}"#) + "\n"
        };
        let free = r#"{"motion":0,"verdict":"free"}"#.to_owned() + "\n";
        let proved = r#","proved":true,"certified":true,"a":{"link":"l"},"b":{"object":"o"}"#;
        let good = free.clone() + &contact(1, 0.500_005, 0.500_005_000_5, proved);
        let (a, b) = scored(&good);
        assert_eq!(a, Row { n: 1, free: 1, ..Row::default() });
        assert_eq!(b, Row { n: 1, contact: 1, certified: 1, ..Row::default() });
        let second = |line: &str| scored(&(free.clone() + line)).1;
        assert_eq!(second("").absent, 1);
        assert_eq!(second(r#"{"motion":1,"verdict":"free"}"#).missed, 1);
        assert_eq!(second(&contact(1, 0.500_02, 1.0, "")).late, 1);
        assert_eq!(second(&contact(1, 0.4, 0.4, proved)).early, 1);
        assert_eq!(second(&contact(1, 0.4, 0.4, "")).bad(), 0);
        assert_eq!(second(&contact(1, 0.500_005, 0.500_006, proved)).wide, 1);
        assert_eq!(second(&contact(1, 0.500_005, 1.0, r#","a":{"link":"l"},"b":{"object":"x"}"#)).pair, 1);
        assert_eq!(second(r#"{"motion":1,"verdict":"undecided","clear_until":0.6}"#).unsound, 1);
        assert_eq!(second(r#"{"motion":1,"verdict":"undecided","clear_until":0.5}"#).bad(), 0);
        assert_eq!(scored(&contact(0, 0.1, 1.0, "")).0.false_contact, 1);
    }

    /// The truth was found by other programs than the sampling oracle: they must agree. The interval solver must also
    /// find that the two triangles that sampling saw piercing each other do meet, just before; and for nearly all of
    /// them the contact function that it returns must have a root there, with a point inside both features.
    #[test]
    fn sampling_agrees_with_the_truth() {
        let Some(folder) = data::folder("puma-pool") else { return };
        for scene_name in ["pipes", "amr"] {
            let truth = read_truth(&folder.join(format!("{scene_name}.truth.jsonl")));
            let motions = npy::read_motions(&folder.join(format!("{scene_name}.npy")));
            assert_eq!(truth.len(), motions.len());
            // all 5,100 take some minutes; a part suffices for daily use
            let chosen: Vec<usize> = if data::slow() {
                (0..truth.len()).collect()
            } else {
                read_indices(&folder.join(format!("{scene_name}.sample300.txt")))
            };
            let chosen = data::bearable(chosen);
            let truth = pick(&truth, &chosen);
            let motions: Vec<_> = chosen.iter().map(|&i| motions[i].clone()).collect();
            let robot = Robot::load(&folder.join("robot.urdf"), [0.0; 6], false);
            let meshes = shapes::link_meshes(&robot, shapes::Choice::Default);
            let objects = scene::read(&folder.join(format!("{scene_name}.obj")));
            let sampler = Sampler::new(robot, &meshes, &objects, &[]);
            let outcomes = sampler.motions(&motions, Fineness::default());
            let (mut width, mut sharper, mut sure, mut hits) = (0.0_f64, 0.0_f64, 0, 0);
            for ((t, o), (q0, q1)) in truth.iter().zip(&outcomes).zip(&motions) {
                match (&t.contact, o.hit) {
                    (Some(k), Some(h)) => {
                        let names = (&sampler.robot.links()[h.link].name, &sampler.objects[h.object]);
                        assert!(h.t >= k.t_lo && o.clear_until <= k.t_hi, "{t:?} {o:?}");
                        assert!(h.t <= k.t_hi + 1e-5, "{t:?} {o:?}");
                        assert_eq!(names, (&k.link, &k.object), "{t:?}");
                        width = width.max(h.t - o.clear_until);
                        let pair = sampler.pair(&h, q0, q1);
                        let answer = inclusion::triangles(&pair, Limits::default());
                        let Answer::Possible { t_lo, equation, .. } = answer else { panic!("{t:?} {o:?} {answer:?}") };
                        assert!(t_lo <= h.t && t_lo > h.t - 1e-6, "{t:?} {o:?} {answer:?}");
                        let equation = inclusion::equations_of_two_triangles()[equation];
                        sure += usize::from(Contact::of(&pair, equation).certainly_meets(t_lo, h.t + 1e-8));
                        hits += 1;
                    }
                    (None, None) => {
                        let gap = t.least_gap_m.expect("a free motion has a gap").min(5e-3);
                        // the pool's gaps, too, are minima over some times only
                        assert!(o.least_gap_m < 1.1 * gap + 1e-4, "{t:?} {o:?}");
                        sharper = sharper.max(gap - o.least_gap_m);
                    }
                    _ => panic!("{scene_name}: {t:?} but {o:?}"),
                }
            }
            println!("{scene_name}: {} motions agree; widest window {width:.1e}", truth.len());
            println!("    gaps up to {sharper:.1e} m less than the pool's; {sure} of {hits} hits have a certain root");
            assert!(10 * sure > 9 * hits);
        }
    }
}
