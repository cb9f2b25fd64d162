//! Hints about the answers of a run: unusual patterns, and the options that help.

use super::{Diagnosis, Pair};
use serde::Serialize;

/// Maximum number of links that do not move with a hint of their own.
const STILL_SHOWN: usize = 3;

/// A hint, with the options that it mentions.
#[derive(Debug, Serialize)]
pub struct Hint {
    /// Names of options.
    pub options: &'static [&'static str],
    /// One line of text.
    pub text: String,
}

/// The hints for a diagnosis; `pairs` are sorted.
pub fn of(diagnosis: &Diagnosis, pairs: &[Pair]) -> Vec<Hint> {
    let mut hints = at_start(diagnosis, pairs);
    hints.extend(diagnosis.undecided.iter().filter_map(|(reason, &n)| undecided(reason, n)));
    hints.extend(uncertain(diagnosis));
    hints
}

/// Contacts at the start: of links that do not move with objects, which are in contact in every motion, and others.
fn at_start(diagnosis: &Diagnosis, pairs: &[Pair]) -> Vec<Hint> {
    let Diagnosis { motions, at_start, context, .. } = diagnosis;
    let touches = match context.margin_m {
        0.0 => "touches".into(),
        margin_m => format!("is within {margin_m} m of"),
    };
    let still = pairs.iter().filter(|p| p.count.at_start > 0 && context.still.contains(p.link));
    let still = still.filter(|p| !context.links.contains(p.object));
    let by_still: u64 = still.clone().map(|p| p.count.at_start).sum();
    let of_still = still.take(STILL_SHOWN).map(|Pair { link, object, count }| Hint {
        options: &["--base", "--allow"],
        text: format!(
            "{link} does not move and {touches} {object} at the start of {} of {motions} motions, which hides what \
             happens later. If the robot is in the wrong place, move it with --base X,Y,Z,ROLL,PITCH,YAW; if it \
             belongs there, leave the pair out with --allow FILE and the line: {link} {object}",
            count.at_start
        ),
    });
    let by_others = at_start.saturating_sub(by_still);
    let of_others = (by_others > 0).then(|| Hint {
        options: &["--initial", "--allow"],
        text: format!(
            "{by_others} of {motions} motions are in contact when they start: check the start values (radians and \
             metres; firstcontact info lists the columns). --initial ignore leaves out, motion by motion, the pairs \
             that touch at the start; --allow FILE leaves out pairs of your choice"
        ),
    });
    of_still.chain(of_others).collect()
}

/// Motions that are undecided for a reason.
fn undecided(reason: &str, n: u64) -> Option<Hint> {
    let (options, text): (&[&str], _) = match reason {
        "memory" => (&["--memory"], "for lack of memory: allow more, for example with --memory 4GiB"),
        "evaluation-cap" => (
            &["--tolerance", "--mode", "--margin"],
            "because they took too many evaluations, as sliding contact does: --tolerance 1e-6 or --mode verdict needs \
             fewer; with --margin 0.001 a distance counts instead",
        ),
        _ => return None,
    };
    Some(Hint { options, text: format!("{n} motions are undecided {text}") })
}

/// Contacts that are not proved, or not as narrow as requested.
fn uncertain(diagnosis: &Diagnosis) -> Vec<Hint> {
    let Diagnosis { not_proved, not_certified, context, .. } = diagnosis;
    let (options, why): (&[&str], _) = if context.has_tube {
        let why = "something may touch in an execution within the tolerances of the joints, but the motion itself has \
                   no proved contact. A smaller --joint-tolerance leaves fewer executions";
        (&["--joint-tolerance"], why)
    } else if context.margin_m > 0.0 {
        let why = "surfaces stay at the margin's distance, within rounding. --allow FILE leaves out pairs that may be \
                   this near";
        (&["--allow"], why)
    } else {
        let why = "surfaces graze, slide on or rest on each other, within rounding. --margin 0.001 counts a distance \
                   as contact, which can be proved; --allow FILE leaves out pairs that may touch";
        (&["--margin", "--allow"], why)
    };
    let unproved =
        (*not_proved > 0).then(|| Hint { options, text: format!("{not_proved} contacts are not proved: {why}") });
    let wide = not_certified.saturating_sub(*not_proved);
    let wide = (wide > 0 && !context.verdicts_only).then(|| Hint {
        options: &["--tolerance"],
        text: format!("{wide} contacts are proved, but their times are wider than --tolerance: increase it"),
    });
    unproved.into_iter().chain(wide).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Context;
    use super::*;
    use firstcontact::report::Line;
    use firstcontact::robot::{BeyondLimits, Robot};
    use glam::{DMat3, DVec3};
    use std::collections::BTreeMap;

    fn diagnosis(margin_m: f64, verdicts_only: bool) -> Diagnosis {
        let robot = Robot::new("r", "root", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        let mut context = Context::new(&[&robot], BeyondLimits::default(), margin_m);
        context.verdicts_only = verdicts_only;
        Diagnosis::new(context)
    }

    fn options(diagnosis: &Diagnosis) -> Vec<&'static str> {
        of(diagnosis, &diagnosis.pairs()).iter().flat_map(|h| h.options.iter().copied()).collect()
    }

    fn undecided_for(reason: &'static str) -> Line<'static> {
        let (segment, clear_until_s) = (None, None);
        Line::Undecided { motion: 0, verdict: "undecided", segment, clear_until: 0.0, clear_until_s, reason }
    }

    fn contact(proved: bool, certified: bool) -> Line<'static> {
        let toc = [0.25, if proved { 0.5 } else { 1.0 }];
        Line::Contact {
            motion: 0,
            verdict: "contact",
            segment: None,
            toc,
            segment_hi: None,
            time_s: None,
            proved,
            certified,
            initial_overlap: false,
            inside: None,
            at: None,
            contacts: Vec::new(),
            poses: BTreeMap::new(),
        }
    }

    #[test]
    fn each_reason_of_undecided_names_its_remedy() {
        for (reason, named) in [
            ("memory", &["--memory"][..]),
            ("evaluation-cap", &["--tolerance", "--mode", "--margin"]),
            ("another", &[]),
        ] {
            let mut found = diagnosis(0.0, false);
            (0..3).for_each(|_| found.add(&undecided_for(reason), None));
            assert_eq!(options(&found), named);
            let hints = of(&found, &[]);
            assert!(hints.iter().all(|h| h.text.starts_with("3 motions are undecided ")), "{hints:?}");
            // Every option also appears in the text.
            assert!(hints.iter().all(|h| h.options.iter().all(|o| h.text.contains(o))), "{hints:?}");
        }
    }

    #[test]
    fn contacts_without_proof_or_certificate_get_hints() {
        let with = |proved: bool, certified: bool, verdicts_only: bool| {
            let mut found = diagnosis(0.0, verdicts_only);
            found.add(&contact(true, true), None);
            found.add(&contact(proved, certified), None);
            options(&found)
        };
        assert!(with(true, true, false).is_empty());
        assert_eq!(with(false, false, false), ["--margin", "--allow"]);
        assert_eq!(with(true, false, false), ["--tolerance"]);
        // A verdict alone is intentionally wide.
        assert!(with(true, false, true).is_empty());
    }

    #[test]
    fn contacts_without_proof_get_the_hint_for_margins_and_tolerances() {
        for (margin_m, has_tube, named) in
            [(0.0, true, &["--joint-tolerance"]), (0.01, true, &["--joint-tolerance"]), (0.01, false, &["--allow"])]
        {
            let mut found = diagnosis(margin_m, false);
            found.context.has_tube = has_tube;
            found.add(&contact(false, false), None);
            assert_eq!(options(&found), named);
        }
    }

    #[test]
    fn a_base_is_not_proposed_for_pairs_of_links() {
        let mut robot = Robot::new("r", "root", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        for name in ["foot", "tool"] {
            robot.add_link(name, 0, vec![[DVec3::ZERO, DVec3::X, DVec3::Y]], vec![0]).unwrap();
        }
        for (object, named) in [("floor", &["--base", "--allow"]), ("tool", &["--initial", "--allow"])] {
            let mut found = Diagnosis::new(Context::new(&[&robot], BeyondLimits::default(), 0.0));
            found.motions = 1;
            found.add_contact(Some(("foot", object)), true, true, true);
            assert_eq!(options(&found), named);
        }
    }
}
