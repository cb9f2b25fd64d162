//! Facts about motions, their sources, and the agreement of the sources.

use firstcontact::verdict::Verdict;

/// Travel of the robot, metres, between the enclosures of two judges above which they contradict each other.
pub const AGREEMENT_M: f64 = 1e-4;

/// The statement of a judge about a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fact {
    /// Nothing touches.
    Free,
    /// The first contact is between these times.
    Contact([f64; 2]),
    /// The judge makes no statement.
    Unknown,
}

impl Fact {
    /// The fact that this engine's answer proves: a contact that is not proved proves nothing.
    pub fn proved(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Free => Self::Free,
            Verdict::Contact(c) if c.is_proved() => Self::Contact(c.toc),
            Verdict::Contact(_) | Verdict::Undecided(_) => Self::Unknown,
        }
    }

    /// Returns whether it is a contact.
    pub fn is_contact(self) -> bool {
        matches!(self, Self::Contact(_))
    }

    /// The fact as readable text.
    pub fn text(self) -> String {
        match self {
            Self::Free => "free".into(),
            Self::Contact([lo, hi]) => format!("contact {lo:.9}–{hi:.9}"),
            Self::Unknown => "unknown".into(),
        }
    }

    /// The difference between two judges about a motion on which the robot travels `travel_m`, if they contradict each
    /// other.
    pub fn differs(self, other: Self, travel_m: f64) -> Option<Difference> {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) | (Self::Free, Self::Free) => None,
            (Self::Contact(a), Self::Contact(b)) => {
                let apart = (a[0] - b[1]).max(b[0] - a[1]);
                (apart * travel_m > AGREEMENT_M).then_some(Difference::Time)
            }
            _ => Some(Difference::Verdict),
        }
    }
}

/// The kinds of contradictions between judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// One reports free, the other contact.
    Verdict,
    /// Both report contact, at different times.
    Time,
}

/// A source of facts.
#[derive(Debug)]
pub struct Judge {
    /// Its name.
    pub name: String,
    /// Its facts about the motions of each set.
    pub facts: Vec<Vec<Fact>>,
    /// True if it is this engine.
    pub is_engine: bool,
}

/// The fact from the first judge that makes a statement about a motion. The engine must not judge itself, so it is
/// omitted for its own answers.
pub fn judged(judges: &[Judge], set: usize, motion: usize, engine_too: bool) -> Fact {
    let mut says = judges.iter().filter(|j| engine_too || !j.is_engine).map(|j| j.facts[set][motion]);
    says.find(|fact| *fact != Fact::Unknown).unwrap_or(Fact::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judges_contradict_each_other_in_verdict_or_time() {
        let (early, late) = (Fact::Contact([0.1, 0.2]), Fact::Contact([0.3, 0.4]));
        assert_eq!(Fact::Free.differs(early, 1.0), Some(Difference::Verdict));
        assert_eq!(early.differs(late, 1.0), Some(Difference::Time));
        assert_eq!(late.differs(early, 1.0), Some(Difference::Time));
        // A tenth of the motion is less than a tenth of a millimetre if the robot travels at most a millimetre.
        assert_eq!(early.differs(late, 0.9e-3), None);
        assert_eq!(early.differs(Fact::Contact([0.15, 0.9]), 1e3), None);
        assert_eq!(Fact::Free.differs(Fact::Free, 1.0), None);
        assert_eq!(Fact::Unknown.differs(early, 1.0), None);
    }

    #[test]
    fn the_first_judge_that_knows_decides_except_the_engine_on_itself() {
        let judge = |name: &str, fact, is_engine| Judge { name: name.into(), facts: vec![vec![fact]], is_engine };
        let contact = Fact::Contact([0.5, 0.5]);
        let both = [judge("pool", Fact::Unknown, false), judge("engine", contact, true)];
        assert_eq!(judged(&both, 0, 0, true), contact);
        assert_eq!(judged(&both, 0, 0, false), Fact::Unknown);
        assert_eq!(judged(&[judge("a", Fact::Free, false), judge("engine", contact, true)], 0, 0, true), Fact::Free);
    }
}
