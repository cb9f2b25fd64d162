//! Correctness of answers: missed, late and early contacts, and false alarms.

use super::contender::Reported;
use super::fact::Fact;

/// A time of contact is *late* if it is after the first contact by more than this part of the robot's travel, metres:
/// the first contact was missed, a later one reported. It is *early* if it is before by more than this.
pub const LATE_M: f64 = 1e-3;

/// The correctness of the answers to some motions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Number of answered motions with a contact according to the truth.
    pub contacts: usize,
    /// Number of answered motions that are free according to the truth.
    pub frees: usize,
    /// Reported as free, but there is a contact: the worst fault.
    pub missed: usize,
    /// Reported as contact, but later than the first.
    pub late: usize,
    /// The largest delay of these, as a share of the motion.
    pub worst_late: f64,
    /// The largest delay of these, in metres of the robot's travel.
    pub worst_late_m: f64,
    /// Reported as contact at a time before there is one.
    pub early: usize,
    /// Reported as contact, but there is none.
    pub false_alarms: usize,
    /// Not decided.
    pub undecided: usize,
    /// Answered motions whose truth is unknown.
    pub unjudged: usize,
}

impl Score {
    /// Adds an answer to a motion on which no point of the robot travels farther than `travel_m`.
    pub fn take(&mut self, reported: Reported, fact: Fact, travel_m: f64) {
        match fact {
            Fact::Unknown => {
                self.unjudged += 1;
                return;
            }
            Fact::Free => self.frees += 1,
            Fact::Contact(_) => self.contacts += 1,
        }
        self.undecided += usize::from(matches!(reported, Reported::Undecided(_)));
        match (reported, fact) {
            (Reported::Free, Fact::Contact(_)) => self.missed += 1,
            (Reported::Contact(_), Fact::Free) => self.false_alarms += 1,
            // A motion that is reported clear until after the contact is as wrong as a late time of contact.
            (Reported::Undecided(t), Fact::Contact(at)) => self.time(t, [at[0].min(t), at[1]], travel_m),
            (Reported::Contact(Some(t)), Fact::Contact(at)) => self.time(t, at, travel_m),
            _ => {}
        }
    }

    fn time(&mut self, t: f64, [lo, hi]: [f64; 2], travel_m: f64) {
        let (late, early) = ((t - hi).max(0.0), (lo - t).max(0.0));
        self.worst_late = self.worst_late.max(late);
        self.worst_late_m = self.worst_late_m.max(late * travel_m);
        self.late += usize::from(late * travel_m > LATE_M);
        self.early += usize::from(early * travel_m > LATE_M);
    }

    /// Share of the contacts that were missed or reported late; `None` without contacts.
    pub fn unsafe_share(&self) -> Option<f64> {
        (self.contacts > 0).then(|| (self.missed + self.late) as f64 / self.contacts as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(reported: Reported, fact: Fact, travel_m: f64) -> Score {
        let mut score = Score::default();
        score.take(reported, fact, travel_m);
        score
    }

    #[test]
    fn kinds_of_faults_are_distinguished() {
        let contact = Fact::Contact([0.5, 0.6]);
        let base = Score { contacts: 1, ..Score::default() };
        assert_eq!(scored(Reported::Free, contact, 1.0), Score { missed: 1, ..base });
        assert_eq!(scored(Reported::Contact(None), contact, 1.0), base);
        assert_eq!(scored(Reported::Contact(Some(0.55)), contact, 1.0), base);
        assert_eq!(scored(Reported::Contact(Some(0.25)), contact, 1.0), Score { early: 1, ..base });
        let free = Score { frees: 1, ..Score::default() };
        assert_eq!(scored(Reported::Free, Fact::Free, 1.0), free);
        assert_eq!(scored(Reported::Contact(Some(0.5)), Fact::Free, 1.0), Score { false_alarms: 1, ..free });
        assert_eq!(scored(Reported::Undecided(0.9), Fact::Free, 1.0), Score { undecided: 1, ..free });
        assert_eq!(scored(Reported::Free, Fact::Unknown, 1.0), Score { unjudged: 1, ..Score::default() });
    }

    #[test]
    fn lateness_is_judged_by_the_distance_that_the_robot_travels() {
        let contact = Fact::Contact([0.5, 0.5]);
        // A quarter of the motion late: 0.5 m of 2 m; half a millimetre of 2 mm is within the tolerance.
        let far = scored(Reported::Contact(Some(0.75)), contact, 2.0);
        assert_eq!((far.late, far.worst_late, far.worst_late_m), (1, 0.25, 0.5));
        let near = scored(Reported::Contact(Some(0.75)), contact, 2e-3);
        assert_eq!((near.late, near.worst_late, near.worst_late_m), (0, 0.25, 0.5e-3));
        assert_eq!(
            (far.unsafe_share(), near.unsafe_share(), Score::default().unsafe_share()),
            (Some(1.0), Some(0.0), None)
        );
    }

    #[test]
    fn clear_times_after_the_contact_are_late() {
        let contact = Fact::Contact([0.5, 0.5]);
        let wrong = scored(Reported::Undecided(0.75), contact, 1.0);
        assert_eq!((wrong.late, wrong.undecided, wrong.worst_late), (1, 1, 0.25));
        let right = scored(Reported::Undecided(0.25), contact, 1.0);
        assert_eq!((right.late, right.early, right.undecided), (0, 0, 1));
    }
}
