//! Runs of the command, and sums over their judgements.

use super::answers::Nearest;
use super::judge::{Bodies, Judged, Question};
use crate::cli::Checked;
use crate::trajectories::case::Case;
use crate::trajectories::curve::Trajectory;

/// Checks trajectories; the judge must find no fault.
#[track_caller]
pub fn judged(case: &Case, all: &[Trajectory], question: Question, more: &[&str]) -> Vec<Judged> {
    let checked = case.check(all, &options(&question, more).iter().map(String::as_str).collect::<Vec<_>>());
    hold(case, all, question, &checked)
}

/// The same with waypoints in an array: two of them are a plain motion.
#[track_caller]
pub fn judged_array(case: &Case, all: &[Trajectory], question: Question, more: &[&str]) -> Vec<Judged> {
    let checked = case.check_array(all, &options(&question, more).iter().map(String::as_str).collect::<Vec<_>>());
    hold(case, all, question, &checked)
}

fn options(question: &Question, more: &[&str]) -> Vec<String> {
    [question.options(), more.iter().map(|m| (*m).to_owned()).collect()].concat()
}

#[track_caller]
fn hold(case: &Case, all: &[Trajectory], question: Question, checked: &Checked) -> Vec<Judged> {
    require_lines(checked, all.len());
    let found = question.judge_all(Bodies { course: &case.course, counts: None }, all, &checked.lines);
    assert_eq!(faults(checked, &found), [""; 0], "{question:?}");
    found
}

/// Expects a line for each trajectory, and the exit code of the verdicts.
#[track_caller]
pub fn require_lines(checked: &Checked, n: usize) {
    assert_eq!(checked.lines.len(), n, "{}", checked.run.stderr);
    let has = |verdict: &str| checked.lines.iter().any(|l| l["verdict"] == verdict);
    let code = if has("contact") { 1 } else { 2 * i32::from(has("undecided")) };
    assert_eq!(checked.run.code, Some(code), "{}", checked.run.stderr);
}

/// The faults of all lines, each with its line.
pub fn faults(checked: &Checked, found: &[Judged]) -> Vec<String> {
    let lines = checked.lines.iter().zip(found);
    let of_line = |(line, judged): (&_, &Judged)| {
        let one = |fault: &String| format!("{fault}: {line}; {:?}", judged.minimum);
        judged.faults.iter().map(one).collect::<Vec<_>>()
    };
    lines.flat_map(of_line).collect()
}

/// The clearance of a single trajectory, which must be free and within the limit.
#[track_caller]
pub fn nearest(case: &Case, t: &Trajectory, question: Question, more: &[&str]) -> Nearest {
    let found = judged(case, std::slice::from_ref(t), question, more);
    only(&found)
}

#[track_caller]
pub fn only(found: &[Judged]) -> Nearest {
    assert_eq!(found.len(), 1);
    let clearance = found[0].clearance.as_ref().unwrap_or_else(|| panic!("not free: {:?}", found[0]));
    clearance.nearest().unwrap_or_else(|| panic!("{clearance:?}")).clone()
}

/// Sums over judgements.
#[derive(Clone, Debug, Default)]
pub struct Score {
    pub n: usize,
    pub free: usize,
    /// Clearances that end at the limit.
    pub beyond: usize,
    /// Clearances that the oracle encloses as narrowly as it was asked to.
    pub proved: usize,
    /// Widths of enclosures, in units of the tolerance.
    pub widths: Vec<f64>,
    /// Distances that the oracle measured.
    pub n_measured: usize,
}

impl Score {
    pub fn add(&mut self, question: Question, found: &[Judged]) {
        self.n += found.len();
        for (clearance, seen) in found.iter().filter_map(|j| Some((j.clearance.as_ref()?, j.minimum?))) {
            self.free += 1;
            let least = seen.near.map(|n| n.distance_m).or(question.limit_m).unwrap_or(f64::INFINITY);
            let is_proved = seen.at_least_m >= least - 1.01 * question.slack_m();
            self.proved += usize::from(is_proved);
            self.n_measured += seen.n_measured;
            match clearance.nearest() {
                Some(nearest) => self.widths.push(nearest.width_m() / question.tolerance_m),
                None => self.beyond += 1,
            }
        }
        self.widths.sort_by(f64::total_cmp);
    }

    /// Prints the sums. Some must be free, and the oracle must have enclosed most of them.
    #[track_caller]
    pub fn require(&self, name: &str) {
        self.require_share(name, 0.8);
    }

    /// Like [`require`](Self::require); `share` is the fraction of the free ones that the oracle must have enclosed.
    #[track_caller]
    pub fn require_share(&self, name: &str, share: f64) {
        let Self { n, free, beyond, proved, widths, n_measured } = self;
        println!(
            "{name}: {free} of {n} free, {beyond} beyond the limit, {proved} enclosed by the oracle; widths \
             {:.2} median, {:.2} largest of the tolerance; {} distances each",
            widths.get(widths.len() / 2).unwrap_or(&f64::NAN),
            widths.last().unwrap_or(&f64::NAN),
            n_measured / free.max(&1)
        );
        assert!(20 * free > *n, "{name}: few are free");
        assert!(*proved as f64 >= share * *free as f64, "{name}: the oracle encloses too few");
    }
}
