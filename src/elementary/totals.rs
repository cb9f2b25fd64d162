//! Counts of queries by answer, and the agreement of the answers with the ground truth of a file.

use super::{Answer, Posed};

/// Counts of queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// All queries.
    pub queries: u64,
    /// Answered as free.
    pub free: u64,
    /// Answered as contact.
    pub contact: u64,
    /// Proved contacts.
    pub proved: u64,
    /// Certified contacts.
    pub certified: u64,
    /// Without an answer.
    pub undecided: u64,
    /// Queries with a coordinate that had to be rounded; the answer applies to the rounded points.
    pub rounded: u64,
    /// Queries whose truth is known.
    pub agreement: Agreement,
}

/// Counts of queries whose truth is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// All queries.
    pub queries: u64,
    /// Contacts according to the truth.
    pub contacts: u64,
    /// Contacts according to the truth that were answered as free: with exact coordinates each is a fault.
    pub false_negatives: u64,
    /// Queries answered as proved contacts although the truth is no contact: with exact coordinates each is a fault.
    pub false_proofs: u64,
    /// Queries answered as unproved contacts although the truth is no contact: closer than double precision can
    /// resolve.
    pub false_positives: u64,
}

impl Totals {
    /// Counts one query.
    pub fn count(&mut self, posed: &Posed, answer: &Answer) {
        self.queries += 1;
        self.rounded += u64::from(!posed.is_exact);
        match answer {
            Answer::Free => self.free += 1,
            Answer::Undecided { .. } => self.undecided += 1,
            Answer::Contact { proved, certified, .. } => {
                self.contact += 1;
                self.proved += u64::from(*proved);
                self.certified += u64::from(*certified);
            }
        }
        if let Some(truth) = posed.truth {
            self.agreement.count(truth, answer);
        }
    }

    /// Adds the counts of another part.
    pub fn add(&mut self, other: &Self) {
        self.queries += other.queries;
        self.free += other.free;
        self.contact += other.contact;
        self.proved += other.proved;
        self.certified += other.certified;
        self.undecided += other.undecided;
        self.rounded += other.rounded;
        self.agreement.queries += other.agreement.queries;
        self.agreement.contacts += other.agreement.contacts;
        self.agreement.false_negatives += other.agreement.false_negatives;
        self.agreement.false_proofs += other.agreement.false_proofs;
        self.agreement.false_positives += other.agreement.false_positives;
    }
}

impl Agreement {
    fn count(&mut self, truth: bool, answer: &Answer) {
        self.queries += 1;
        self.contacts += u64::from(truth);
        match (truth, answer) {
            (true, Answer::Free) => self.false_negatives += 1,
            (false, Answer::Contact { proved: true, .. }) => self.false_proofs += 1,
            (false, Answer::Contact { proved: false, .. }) => self.false_positives += 1,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Query;
    use super::*;
    use glam::DVec3;

    #[test]
    fn each_answer_counts_once_and_parts_add_up() {
        let contact = |proved, certified| Answer::Contact { toc: [0.25, 1.0], proved, certified };
        let answers = [
            Answer::Free,
            Answer::Undecided { clear_until: 0.5 },
            contact(false, false),
            contact(true, false),
            contact(true, true),
        ];
        let mut totals = Totals::default();
        for truth in [None, Some(false), Some(true)] {
            let mut part = Totals::default();
            for (i, answer) in answers.iter().enumerate() {
                let query = Query { start: [DVec3::ZERO; 4], end: [DVec3::ONE; 4] };
                part.count(&Posed { query, truth, is_exact: i > 0 }, answer);
            }
            totals.add(&part);
        }
        let agreement = Agreement { queries: 10, contacts: 5, false_negatives: 1, false_proofs: 2, false_positives: 1 };
        let expected =
            Totals { queries: 15, free: 3, contact: 9, proved: 6, certified: 3, undecided: 3, rounded: 3, agreement };
        assert_eq!(totals, expected);
    }
}
