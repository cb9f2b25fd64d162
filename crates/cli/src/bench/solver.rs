//! The paper's solver compared with the engine's own: the cost of rejecting a pair of triangles (fifteen elementary
//! equations), solved together with many others, and of finding a first contact, for chains of several depths and
//! motions of several sizes.

use super::MeasureArgs;
use super::run::{Axis, Cell, Column, Plot, PlotKind, Run, Samples, Series, Table};
use super::solver_case::Case;
use clap::Args;
use firstcontact::stage::s6_solve::{Method, SolveCounts, SolveOptions, Solver};
use firstcontact::verdict::Verdict;
use firstcontact::{Error, Result};
use std::time::Instant;

/// Arguments of `bench solver`.
#[derive(Debug, Args)]
pub struct SolverArgs {
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// Maximum time of one solver for one depth and angle, seconds: the paper's has no limit of its own for deep chains
    #[arg(long, value_name = "S", default_value_t = 20.0)]
    limit: f64,
}

const DEPTHS: [usize; 4] = [3, 6, 10, 30];
const ANGLES_DEG: [f64; 3] = [5.0, 30.0, 60.0];
const METHODS: [(Method, &str); 2] = [(Method::Jet, "jets"), (Method::Paper, "paper's subdivision")];
/// Maximum number of pairs that are rejected together, and of contacts that are found one by one.
const REJECTS: usize = 1024;
const ROOTS: usize = 64;
/// Different from the layout of other measurements.
const SEED: u64 = 3;

/// The work of one solver on one kind of problem, within the time limit.
#[derive(Default)]
struct Work {
    /// Number of pairs that were solved.
    pairs: usize,
    /// Number of pairs with the known answer.
    right: usize,
    seconds: f64,
    counts: SolveCounts,
}

impl Work {
    fn each(&self, what: f64) -> Option<f64> {
        (self.pairs > 0).then(|| what / self.pairs as f64)
    }

    fn us(&self) -> Option<f64> {
        self.each(self.seconds * 1e6)
    }

    fn evaluations(&self) -> Option<f64> {
        self.each(self.counts.evaluations as f64)
    }
}

/// A solver that tries few evaluations before many, so that it can be stopped in between: the paper's solver does not
/// bound the time for one pair.
struct Patient<'c> {
    case: &'c Case,
    method: Method,
    cap: u64,
    solver: Solver<'c>,
}

impl<'c> Patient<'c> {
    fn new(case: &'c Case, method: Method) -> Self {
        let options = SolveOptions { method, ..SolveOptions::default() };
        Self { case, method, cap: options.evaluation_cap, solver: Solver::new(&case.world, options) }
    }

    /// Solves until the known answer is found, as long as the next attempt would end within the limit. The work is that
    /// of the last attempt; the time is the sum over all attempts.
    fn solve(&mut self, triangles: &[u32], free: bool, limit_s: f64) -> (Work, f64) {
        let most = SolveOptions::default().evaluation_cap;
        // The engine's own solver stays far below any cap.
        let mut cap = if self.method == Method::Jet { most } else { 16 * triangles.len() as u64 };
        let mut spent_s = 0.0;
        loop {
            cap = cap.min(most);
            if cap != self.cap {
                let options = SolveOptions { method: self.method, evaluation_cap: cap, ..SolveOptions::default() };
                (self.cap, self.solver) = (cap, Solver::new(&self.case.world, options));
            }
            self.solver.take_counts();
            let start = Instant::now();
            let verdict = self.case.solve(&mut self.solver, triangles);
            let seconds = start.elapsed().as_secs_f64();
            spent_s += seconds;
            let right = match verdict {
                Verdict::Free => free,
                Verdict::Contact(contact) => !free && contact.is_certified(),
                Verdict::Undecided(_) => false,
            };
            if right || cap == most || spent_s + 4.0 * seconds > limit_s {
                let n = triangles.len();
                let counts = self.solver.take_counts();
                return (Work { pairs: n, right: if right { n } else { 0 }, seconds, counts }, spent_s);
            }
            cap *= 4;
        }
    }
}

/// Rejects increasing numbers of pairs together, four times as many each time, as long as the next attempt would end
/// within the limit. The result is the last attempt in which all pairs were found free: eq. 17 of the paper shares
/// intervals among all pairs.
fn reject(case: &Case, method: Method, limit_s: f64) -> Work {
    let (mut solver, mut last, mut spent_s, mut n) = (Patient::new(case, method), Work::default(), 0.0, 1);
    loop {
        let (work, seconds) = solver.solve(&case.apart[..n], true, limit_s - spent_s);
        spent_s += seconds;
        if work.right == n {
            last = work;
        }
        let more = (4 * n).min(case.apart.len());
        if last.pairs < n || more == n || spent_s + 4.0 * seconds > limit_s {
            return last;
        }
        n = more;
    }
}

/// Finds first contacts one by one, until the limit is reached. Contacts that are not found do not count.
fn find(case: &Case, method: Method, limit_s: f64) -> (Work, Vec<f64>) {
    let (mut solver, mut all, mut each, mut spent_s) = (Patient::new(case, method), Work::default(), Vec::new(), 0.0);
    for y in &case.touching {
        let (work, seconds) = solver.solve(&[*y], false, limit_s - spent_s);
        spent_s += seconds;
        if work.right == 1 {
            each.push(work.seconds);
            all.pairs += 1;
            all.right += 1;
            all.seconds += work.seconds;
            all.counts += work.counts;
        }
        if spent_s > limit_s {
            break;
        }
    }
    (all, each)
}

/// One solver at one depth and angle.
struct Row {
    depth: usize,
    degrees: f64,
    method: &'static str,
    rejects: Work,
    /// Total number of pairs to reject.
    rejects_wanted: usize,
    roots: Work,
    roots_wanted: usize,
}

fn columns() -> Vec<Column> {
    vec![
        Column::number("joints", "", 0, "Of the chain."),
        Column::number("θmax", "°", 0, "Largest turn of a joint."),
        Column::text("solver", ""),
        Column::number("rejected", "", 0, "Pairs of triangles proved free, all together."),
        Column::number(
            "evaluations a reject",
            "",
            2,
            "Of an item over an interval: a pair of triangles, or an equation.",
        ),
        Column::number("intervals", "", 0, "For which poses were bounded, for all rejects together: s_max of eq. 17."),
        Column::number("joints a reject", "", 1, "Joints whose poses were bounded, shared as in eq. 17."),
        Column::number("joints alone", "", 1, "The same, had each item been solved alone, as in eq. 16."),
        Column::number("time a reject", "µs", 3, ""),
        Column::number("certified", "", 0, "First contacts found one by one."),
        Column::number("evaluations a contact", "", 1, ""),
        Column::number("time a contact", "µs", 2, ""),
        Column::text("not finished", "What the limit of time, or of evaluations, left undone."),
    ]
}

impl Row {
    /// The unfinished work, in words.
    fn unfinished(&self, limit_s: f64) -> String {
        let mut words = Vec::new();
        if self.rejects.pairs < self.rejects_wanted {
            words.push(format!("{} rejects: not finished in {limit_s} s", self.rejects_wanted));
        }
        if self.roots.pairs < self.roots_wanted {
            words.push(format!("{} contacts: not finished in {limit_s} s", self.roots_wanted));
        }
        words.join("; ")
    }

    fn cells(&self, limit_s: f64) -> Vec<Cell> {
        let counts = &self.rejects.counts;
        vec![
            self.depth.into(),
            self.degrees.into(),
            self.method.into(),
            self.rejects.right.into(),
            self.rejects.evaluations().into(),
            counts.intervals.into(),
            self.rejects.each(counts.joints as f64).into(),
            self.rejects.each(counts.joints_alone as f64).into(),
            self.rejects.us().into(),
            self.roots.right.into(),
            self.roots.evaluations().into(),
            self.roots.us().into(),
            self.unfinished(limit_s).into(),
        ]
    }
}

fn plot(id: &str, title: &str, label: &str, rows: &[Row], value: impl Fn(&Row) -> Option<f64>) -> Plot {
    let name = |r: &Row| format!("{}, {}°", r.method, r.degrees);
    let series = super::measured::distinct(rows.iter().map(name)).into_iter().map(|each| {
        let of = rows.iter().filter(|r| name(r) == each);
        Series::new(each.as_str(), of.filter_map(|r| Some([r.depth as f64, value(r)?])).collect())
    });
    Plot {
        id: id.into(),
        title: title.into(),
        note: String::new(),
        kind: PlotKind::Lines,
        x: Axis::log("joints of the chain"),
        y: Axis::log(label),
        series: series.collect(),
        categories: Vec::new(),
    }
}

/// Runs the measurement.
pub fn run(args: &SolverArgs) -> Result<()> {
    if !(args.limit > 0.0) {
        return Err(Error::usage("--limit must be above zero"));
    }
    let quick = args.measure.quick;
    let (rejects, roots, depths) = if quick { (64, 4, &DEPTHS[..2]) } else { (REJECTS, ROOTS, &DEPTHS[..]) };
    let limit_s = if quick { args.limit.min(0.3) } else { args.limit };
    let title = "The paper's interval subdivision against separating axes on pose jets";
    let mut run = Run::begin("solver", title, SEED, false);
    run.note(format!(
        "A chain with one triangle at its end, and triangles around the place where that is halfway. Rejects are \
         solved together, up to {rejects}, first contacts one by one, up to {roots}; one thread. An evaluation of the \
         paper's solver is one of an elementary equation, fifteen of which make a pair of triangles; one of the \
         engine's own is one of a pair."
    ));
    let mut rows: Vec<Row> = Vec::new();
    for &depth in depths {
        for degrees in ANGLES_DEG {
            let case = Case::new(SEED, depth, degrees, rejects, roots)?;
            for (method, name) in METHODS {
                let rejected = reject(&case, method, limit_s);
                let (found, each) = find(&case, method, limit_s);
                let what = format!("{depth} joints, {degrees}°, {name}, a contact");
                run.samples.push(Samples { name: what.clone(), unit: "s".into(), values: each });
                let us = |work: &Work| work.us().unwrap_or(f64::NAN);
                tell!("{what}: {:.2} µs, a reject: {:.3} µs", us(&found), us(&rejected));
                rows.push(Row {
                    depth,
                    degrees,
                    method: name,
                    rejects: rejected,
                    rejects_wanted: case.apart.len(),
                    roots: found,
                    roots_wanted: case.touching.len(),
                });
            }
            let mut table = Table::new("solvers", "Rejects and first contacts", "", columns());
            rows.iter().for_each(|row| table.row(row.cells(limit_s)));
            run.tables = vec![table];
            run.plots = vec![
                plot("rejects", "Time for a reject", "µs", &rows, |r| r.rejects.us()),
                plot("contacts", "Time for a first contact", "µs", &rows, |r| r.roots.us()),
                plot("evaluations", "Evaluations for a reject", "evaluations", &rows, |r| r.rejects.evaluations()),
            ];
            run.write(&args.measure.out)?;
        }
    }
    run.finish(&args.measure.out)
}
