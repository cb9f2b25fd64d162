//! The agreement of two answers to the same motion, which all backends must preserve.

use firstcontact::verdict::{Contact, Undecided, Verdict};

/// The ways in which two answers contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// One is free, the other a contact.
    Verdict,
    /// Both are contacts, and only one is proved.
    Proof,
    /// The times of first contact cannot both be right.
    Time,
}

impl Disagreement {
    /// The contradiction of two answers, if there is one. An undecided answer agrees with every answer, unless its
    /// motion is clear after the other answer's proved contact.
    pub fn between(a: &Verdict, b: &Verdict) -> Option<Self> {
        match (a, b) {
            (Verdict::Contact(a), Verdict::Contact(b)) if a.is_proved() != b.is_proved() => Some(Self::Proof),
            (Verdict::Contact(a), Verdict::Contact(b)) => (!overlap(a.toc, b.toc)).then_some(Self::Time),
            (Verdict::Undecided(u), Verdict::Contact(c)) | (Verdict::Contact(c), Verdict::Undecided(u)) => {
                (!may_precede(u, c)).then_some(Self::Time)
            }
            (Verdict::Undecided(_), _) | (_, Verdict::Undecided(_)) | (Verdict::Free, Verdict::Free) => None,
            (Verdict::Free, Verdict::Contact(_)) | (Verdict::Contact(_), Verdict::Free) => Some(Self::Verdict),
        }
    }

    /// The kind in a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verdict => "verdict",
            Self::Proof => "proof",
            Self::Time => "time",
        }
    }
}

/// Returns whether two enclosures overlap; a NaN overlaps nothing.
fn overlap(a: [f64; 2], b: [f64; 2]) -> bool {
    a[0] <= b[1] && b[0] <= a[1]
}

/// Returns whether a motion that is clear until some time can have a contact.
fn may_precede(undecided: &Undecided, contact: &Contact) -> bool {
    undecided.clear_until <= contact.toc[1]
}

/// An answer as readable text.
pub fn shown(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Free => "free".into(),
        Verdict::Contact(c) => {
            let proof = if c.is_proved() { "proved" } else { "possible" };
            format!("contact {}–{}, {proof}", c.toc[0], c.toc[1])
        }
        Verdict::Undecided(u) => format!("undecided, clear until {}", u.clear_until),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use firstcontact::verdict::{Certainty, UndecidedReason};

    /// A contact in this enclosure.
    pub fn contact(toc: [f64; 2], certainty: Certainty) -> Verdict {
        let (initial_overlap, first, simultaneous) = (false, None, Vec::new());
        Verdict::Contact(Contact { toc, certainty, initial_overlap, inside: None, first, simultaneous })
    }

    fn undecided(clear_until: f64) -> Verdict {
        Verdict::Undecided(Undecided { clear_until, reason: UndecidedReason::Memory })
    }

    #[test]
    fn an_answer_that_is_changed_is_a_disagreement() {
        let cpu = contact([0.5, 0.6], Certainty::Certified);
        let possible = contact([0.5, 1.0], Certainty::Possible);
        for (adapter, expected) in [
            (cpu.clone(), None),
            (Verdict::Free, Some(Disagreement::Verdict)),
            (contact([0.55, 0.7], Certainty::Certified), None),
            // A contact that is proved with a wider enclosure is still proved.
            (contact([0.1, 0.5], Certainty::Proved), None),
            (contact([0.61, 0.7], Certainty::Certified), Some(Disagreement::Time)),
            (contact([0.3, 0.49], Certainty::Certified), Some(Disagreement::Time)),
            (contact([f64::NAN, 0.6], Certainty::Certified), Some(Disagreement::Time)),
            (possible.clone(), Some(Disagreement::Proof)),
            (undecided(0.6), None),
            (undecided(0.61), Some(Disagreement::Time)),
            (undecided(f64::NAN), Some(Disagreement::Time)),
        ] {
            assert_eq!(Disagreement::between(&cpu, &adapter), expected, "{adapter:?}");
            assert_eq!(Disagreement::between(&adapter, &cpu), expected, "{adapter:?}");
        }
        // Neither answer proves a contact, so either may be right.
        assert_eq!(Disagreement::between(&possible, &contact([0.9, 1.0], Certainty::Possible)), None);
        assert_eq!(Disagreement::between(&possible, &Verdict::Free), Some(Disagreement::Verdict));
        assert_eq!(Disagreement::between(&Verdict::Free, &Verdict::Free), None);
        assert_eq!(Disagreement::between(&Verdict::Free, &undecided(0.2)), None);
        assert_eq!(Disagreement::between(&undecided(0.9), &undecided(0.2)), None);
    }

    #[test]
    fn answers_are_shown_with_all_digits() {
        assert_eq!(shown(&contact([0.5, 0.6], Certainty::Proved)), "contact 0.5–0.6, proved");
        assert_eq!(shown(&contact([0.1, 1.0], Certainty::Possible)), "contact 0.1–1, possible");
        assert_eq!([shown(&Verdict::Free), shown(&undecided(0.25))], ["free", "undecided, clear until 0.25"]);
    }
}
