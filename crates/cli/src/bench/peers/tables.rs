//! The tables and plots of the comparison.

use super::super::run::{Axis, Cell, Column, Plot, PlotKind, Run, Samples, Series, Table, UsedDataset};
use super::contender::{Clock, Contender, Reported};
use super::fact::{AGREEMENT_M, Difference, Fact, judged};
use super::interpolation::gap_m;
use super::means::{Ground, KINDS, Part, mean, ratio};
use super::roster::YARDSTICK;
use super::score::{LATE_M, Score};
use firstcontact::Result;

/// Maximum number of contradictions between judges that are listed individually.
const MAX_LISTED: usize = 50;
/// Maximum number of motions of a class on which the interpolated motion is compared with the robot's.
const MAX_GAPS: usize = 100;

/// Adds all results so far to the run.
pub fn fill(run: &mut Run, ground: &Ground, contenders: &[Contender], missing: &[(String, String)]) {
    let parts: Vec<Vec<Part>> = contenders.iter().map(|c| ground.parts(c)).collect();
    let first = parts.first().map_or(&[][..], Vec::as_slice);
    run.tables.truncate(1);
    run.notes.clear();
    for sentence in notes(ground, contenders, &parts) {
        run.note(sentence);
    }
    run.tables.push(speed(ground, contenders, &parts, first));
    run.tables.push(kinds(ground, contenders, &parts));
    run.tables.push(faults(contenders, &parts));
    run.tables.push(faults_by_class(ground, contenders, &parts));
    run.tables.extend(judges(ground));
    run.tables.push(who(ground, contenders, missing));
    run.plots = plots(ground, contenders, &parts, first);
    run.samples = samples(ground, contenders, &parts);
    run.datasets = datasets(ground, contenders);
}

fn notes(ground: &Ground, contenders: &[Contender], parts: &[Vec<Part>]) -> Vec<String> {
    let judges: Vec<&str> = ground.judges.iter().map(|j| j.name.as_str()).collect();
    let mut notes = vec![
        "The same motions, one after the other in the same run; the building of trees is left out of all times. Each \
         peer receives the same triangles and joints, to the last bit."
            .to_string(),
        format!(
            "The truth about a motion is the answer of the first of these that knows it: {}. The engine is not its own \
             judge: where no other judge knows the truth, its own answers are not judged.",
            judges.join("; ")
        ),
        format!(
            "Missed: reported free, but there is a contact. Late: reported a contact more than {:.0} mm of the robot's \
             travel after the first one. Early: as much before it. False: reported a contact, but the motion is free.",
            LATE_M * 1e3
        ),
    ];
    let yardstick = contenders.iter().position(|c| c.name == YARDSTICK);
    let figure = yardstick.and_then(|k| Some((ratio(parts.get(k)?, parts.first()?)?, k)));
    if let Some(((factor, n), _)) = figure {
        notes.push(format!(
            "{YARDSTICK}, takes {factor:.1} times as long as this engine in one thread, in the geometric mean of {n} \
             classes."
        ));
    }
    notes
}

fn milliseconds(seconds: Option<f64>) -> Cell {
    seconds.map(|s| s * 1e3).into()
}

fn speed(ground: &Ground, contenders: &[Contender], parts: &[Vec<Part>], first: &[Part]) -> Table {
    let mut columns = vec![
        Column::text("who", ""),
        Column::text("clock", "processor: of the thread that answers. wall: of many threads, or a device."),
        Column::number("answered", "", 0, "Motions with an answer."),
        Column::number("times as long", "", 2, "As the first row, in the geometric mean of the classes, …"),
        Column::number("of classes", "", 0, "… as far as it has answered motions of both kinds."),
    ];
    columns.extend(ground.classes.iter().map(|c| Column::number(&c.name(), "ms", 4, "")));
    let note = "Mean time of a motion of each class. Where only some motions were measured, those with a contact and \
                those without are weighted by their numbers in the class.";
    let mut table = Table::new("speed", "Time for a motion", note, columns);
    for (c, parts) in contenders.iter().zip(parts) {
        let answered: usize = c.answers.iter().map(|a| a.count()).sum();
        let mut row: Vec<Cell> = vec![c.name.as_str().into(), clock(c).into(), answered.into()];
        let ratio = ratio(parts, first);
        row.extend([Cell::from(ratio.map(|r| r.0)), ratio.map(|r| r.1).into()]);
        row.extend(parts.iter().map(|p| milliseconds(p.mean_s)));
        table.row(row);
    }
    table
}

fn clock(c: &Contender) -> &'static str {
    match c.clock {
        Clock::Processor => "processor",
        Clock::Wall => "wall",
    }
}

fn kinds(ground: &Ground, contenders: &[Contender], parts: &[Vec<Part>]) -> Table {
    let mut columns = vec![Column::text("who", ""), Column::text("motions", "With a contact, or free.")];
    columns.extend(ground.classes.iter().map(|c| Column::number(&c.name(), "ms", 4, "")));
    let mut table = Table::new("kinds", "Time for a motion with a contact, and for a free one", "Means.", columns);
    for (k, kind) in KINDS.into_iter().enumerate() {
        let n = (0..ground.classes.len()).map(|class| format!("{} motions", ground.composition(class)[k]).into());
        table.row([Cell::from(""), kind.into()].into_iter().chain(n));
    }
    for (c, parts) in contenders.iter().zip(parts) {
        for (k, kind) in KINDS.into_iter().enumerate() {
            let means = parts.iter().map(|p| milliseconds(mean(&p.seconds[k])));
            table.row([c.name.as_str().into(), kind.into()].into_iter().chain(means));
        }
    }
    table
}

fn sum(parts: &[Part]) -> Score {
    let mut all = Score::default();
    for s in parts.iter().map(|p| p.score) {
        all.contacts += s.contacts;
        all.frees += s.frees;
        all.missed += s.missed;
        all.late += s.late;
        all.early += s.early;
        all.false_alarms += s.false_alarms;
        all.undecided += s.undecided;
        all.unjudged += s.unjudged;
        all.worst_late = all.worst_late.max(s.worst_late);
        all.worst_late_m = all.worst_late_m.max(s.worst_late_m);
    }
    all
}

/// Returns whether a contender reports times of contact.
fn tells_times(c: &Contender) -> bool {
    let mut all = c.answers.iter().flat_map(|a| a.by_motion.iter().flatten());
    all.any(|a| matches!(a.reported, Reported::Contact(Some(_))))
}

fn faults(contenders: &[Contender], parts: &[Vec<Part>]) -> Table {
    let columns = vec![
        Column::text("who", ""),
        Column::number("contacts", "", 0, "Motions that it answered and that have a contact."),
        Column::number("missed", "", 0, "Of them reported free."),
        Column::number(
            "late",
            "",
            0,
            "Of them reported a later contact than the first; nothing where no times are reported.",
        ),
        Column::number("latest", "mm", 2, "Of the robot's travel after the first contact."),
        Column::number("latest", "of the motion", 4, "The same as a share of the motion."),
        Column::number("early", "", 0, "Of them reported a contact before there is one."),
        Column::number("free", "", 0, "Motions that it answered and that are free."),
        Column::number("false", "", 0, "Of them reported a contact."),
        Column::number("undecided", "", 0, "Reported as undecided."),
        Column::number("not judged", "", 0, "Nobody (else) knows the truth."),
    ];
    let mut table = Table::new("faults", "Missed, late, early, false", "", columns);
    for (c, parts) in contenders.iter().zip(parts) {
        let s = sum(parts);
        if s.contacts + s.frees + s.unjudged == 0 {
            continue;
        }
        let times = tells_times(c);
        let timed = |n: usize| times.then_some(n);
        table.row([
            c.name.as_str().into(),
            s.contacts.into(),
            s.missed.into(),
            timed(s.late).into(),
            times.then_some(s.worst_late_m * 1e3).into(),
            times.then_some(s.worst_late).into(),
            timed(s.early).into(),
            s.frees.into(),
            s.false_alarms.into(),
            s.undecided.into(),
            s.unjudged.into(),
        ]);
    }
    table
}

fn faults_by_class(ground: &Ground, contenders: &[Contender], parts: &[Vec<Part>]) -> Table {
    let mut columns = vec![Column::text("who", "")];
    columns.extend(ground.classes.iter().map(|c| Column::text(&c.name(), "")));
    let note = "Missed / late / false. A dash where nothing was answered.";
    let mut table = Table::new("faults-by-class", "Missed, late and false, by class", note, columns);
    for (c, parts) in contenders.iter().zip(parts) {
        let cell = |p: &Part| {
            let s = p.score;
            let any = s.contacts + s.frees > 0;
            if any { format!("{} / {} / {}", s.missed, s.late, s.false_alarms).into() } else { Cell::from("–") }
        };
        table.row([c.name.as_str().into()].into_iter().chain(parts.iter().map(cell)));
    }
    table
}

/// The agreement of the judges, and their contradictions.
fn judges(ground: &Ground) -> [Table; 2] {
    let number = |name: &str, about: &str| Column::number(name, "", 0, about);
    let columns = vec![
        Column::text("judge", ""),
        Column::text("other", ""),
        number("compared", "Motions of which both know something."),
        number("verdict", "One judge reports free, the other contact."),
        number("time", "Both say contact, at different times."),
    ];
    let note = format!("Times differ if they are more than {:.1} mm of the robot's travel apart.", AGREEMENT_M * 1e3);
    let mut count = Table::new("judges", "Agreement of the judges", &note, columns);
    let columns = ["motion", "judge", "says", "other", "says so"].map(|name| Column::text(name, "")).to_vec();
    let note = format!("At most {MAX_LISTED} are listed. Motions are numbered as in their file.");
    let mut list = Table::new("contradictions", "Motions on which they contradict each other", &note, columns);
    for (k, a) in ground.judges.iter().enumerate() {
        for b in &ground.judges[k + 1..] {
            let (mut compared, mut verdict, mut time) = (0usize, 0usize, 0usize);
            for (s, set) in ground.sets.iter().enumerate() {
                for (i, motion) in set.motions.iter().enumerate() {
                    let (x, y) = (a.facts[s][i], b.facts[s][i]);
                    compared += usize::from(x != Fact::Unknown && y != Fact::Unknown);
                    let Some(difference) = x.differs(y, motion.travel_m) else { continue };
                    *(if difference == Difference::Verdict { &mut verdict } else { &mut time }) += 1;
                    if list.rows.len() < MAX_LISTED {
                        let name = format!("{}, {}", ground.classes[motion.class].name(), motion.number);
                        list.row([name, a.name.clone(), x.text(), b.name.clone(), y.text()].map(Cell::from));
                    }
                }
            }
            let names = [a, b].map(|j| j.name.as_str().into());
            count.row(names.into_iter().chain([compared, verdict, time].map(Cell::from)));
        }
    }
    [count, list]
}

fn who(ground: &Ground, contenders: &[Contender], missing: &[(String, String)]) -> Table {
    let columns = vec![
        Column::text("who", ""),
        Column::text("version", ""),
        Column::text("what it does", ""),
        Column::number("build", "s", 2, "Of trees, all scenes, if reported."),
        Column::text("remarks", "Why answers are missing, where some are."),
    ];
    let mut table = Table::new("who", "Who took part", "", columns);
    for c in contenders {
        let version = c.answers.iter().find_map(|a| a.about.clone());
        let build: Vec<f64> = c.answers.iter().filter_map(|a| a.build_s).collect();
        let build = (!build.is_empty()).then(|| build.iter().sum::<f64>());
        table.row([
            c.name.as_str().into(),
            version.into(),
            c.what.as_str().into(),
            build.into(),
            ground.troubles(&c.answers).join("; ").into(),
        ]);
    }
    for (name, why) in missing {
        table.row([name.as_str().into(), Cell::Empty, Cell::Empty, Cell::Empty, why.as_str().into()]);
    }
    table
}

/// The distance between the motion that most peers accept and the robot's.
pub fn gaps(ground: &Ground) -> Result<Table> {
    let columns = vec![
        Column::text("motions", ""),
        Column::number("median", "mm", 2, ""),
        Column::number("largest", "mm", 2, ""),
    ];
    let note = "parry's cast, FCL and Bullet take each link from its pose at the start to that at the end, its origin \
                on a straight line. A link of a robot does not move so. Largest distance of a vertex from where it \
                belongs, of the first 100 motions of a class.";
    let mut table =
        Table::new("gap", "Distance of the motion that these peers are given from the robot's", note, columns);
    for (k, class) in ground.classes.iter().enumerate() {
        let mut gaps_mm = Vec::new();
        for set in &ground.sets {
            let of_class = (0..set.motions.len()).filter(|&i| set.motions[i].class == k).take(MAX_GAPS);
            for i in of_class {
                gaps_mm.push(gap_m(set, i)? * 1e3);
            }
        }
        gaps_mm.sort_by(f64::total_cmp);
        let (median, most) = (gaps_mm.get(gaps_mm.len() / 2).copied(), gaps_mm.last().copied());
        table.row([class.name().into(), median.into(), most.into()]);
    }
    Ok(table)
}

fn plots(ground: &Ground, contenders: &[Contender], parts: &[Vec<Part>], first: &[Part]) -> Vec<Plot> {
    let mut plots = Vec::new();
    for set in &ground.sets {
        let of_set = |k: &usize| ground.classes[*k].scene == set.name;
        let line = |(c, parts): (&Contender, &Vec<Part>)| {
            let classes = (0..ground.classes.len()).filter(of_set);
            let point = |k: usize| Some([f64::from(ground.classes[k].degrees), parts[k].mean_s? * 1e3]);
            Series::new(c.name.as_str(), classes.filter_map(point).collect())
        };
        let drawn = contenders.iter().zip(parts).filter(|(c, _)| c.is_drawn);
        let series: Vec<Series> = drawn.map(line).filter(|s| !s.points.is_empty()).collect();
        plots.push(Plot {
            id: format!("time-{}", set.name),
            title: format!("Mean time for a motion, {}", set.name),
            note: "Wall time where many threads or a device work, else time of the processor.".into(),
            kind: PlotKind::Lines,
            x: Axis::log("largest angle of a joint, degrees"),
            y: Axis::log("ms"),
            series,
            categories: Vec::new(),
        });
    }
    let point = |(c, parts): (&Contender, &Vec<Part>)| {
        let (factor, _) = ratio(parts, first)?;
        Some(Series::new(c.name.as_str(), vec![[factor, 100.0 * sum(parts).unsafe_share()?]]))
    };
    plots.push(Plot {
        id: "trust".into(),
        title: "Speed and errors".into(),
        note:
            "Of the motions with a contact, those that were reported free or a later contact than the first. Down and \
               to the left is better."
                .into(),
        kind: PlotKind::Points,
        x: Axis::log("times as long as this engine in one thread"),
        y: Axis::linear("contacts missed or reported late, %"),
        series: contenders.iter().zip(parts).filter_map(point).collect(),
        categories: Vec::new(),
    });
    plots
}

fn samples(ground: &Ground, contenders: &[Contender], parts: &[Vec<Part>]) -> Vec<Samples> {
    let mut all = Vec::new();
    for (c, parts) in contenders.iter().zip(parts) {
        for (class, part) in ground.classes.iter().zip(parts) {
            for (kind, values) in KINDS.into_iter().zip(&part.seconds) {
                if !values.is_empty() {
                    let name = format!("{} {kind}, {}", class.name(), c.name);
                    all.push(Samples { name, unit: "s".into(), values: values.to_vec() });
                }
            }
        }
    }
    all
}

/// The motions of each class that most contenders answered wrongly, as interesting ones.
fn datasets(ground: &Ground, contenders: &[Contender]) -> Vec<UsedDataset> {
    let of_class = |k: usize| {
        let class = &ground.classes[k];
        let mut wrong: Vec<(usize, usize)> = Vec::new();
        for (s, set) in ground.sets.iter().enumerate() {
            for (i, motion) in set.motions.iter().enumerate().filter(|(_, m)| m.class == k) {
                let fact = judged(&ground.judges, s, i, true);
                let faults = contenders.iter().filter_map(|c| c.answers[s].by_motion[i]).filter(|answer| {
                    let mut score = Score::default();
                    score.take(answer.reported, fact, motion.travel_m);
                    score.missed + score.late > 0
                });
                wrong.push((faults.count(), motion.number));
            }
        }
        wrong.retain(|w| w.0 > 0);
        wrong.sort_by_key(|&(faults, number)| (std::cmp::Reverse(faults), number));
        let motions = wrong.into_iter().take(3).map(|w| w.1).collect();
        UsedDataset { name: format!("{}/{}", class.scene, class.degrees), motions }
    };
    (0..ground.classes.len()).map(of_class).collect()
}
