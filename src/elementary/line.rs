//! Answers as lines of JSON, in the form that scripts and other programs read.

use super::Answer;
use crate::verdict::UndecidedReason;
use serde::Serialize;

/// The answer to one query, in the same form as [`report::Line`](crate::report::Line).
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
pub enum Line {
    /// The features do not meet.
    Free {
        /// Number of the query.
        query: u64,
        /// `"free"`.
        verdict: &'static str,
    },
    /// They meet, or may meet.
    Contact {
        /// Number of the query.
        query: u64,
        /// `"contact"`.
        verdict: &'static str,
        /// See [`Answer::Contact`].
        toc: [f64; 2],
        /// See [`Answer::Contact`].
        proved: bool,
        /// See [`Answer::Contact`].
        certified: bool,
    },
    /// No answer.
    Undecided {
        /// Number of the query.
        query: u64,
        /// `"undecided"`.
        verdict: &'static str,
        /// The features do not meet before this time.
        clear_until: f64,
        /// Reason for the missing answer.
        reason: &'static str,
    },
}

impl Line {
    /// The line for the answer to query number `query`.
    pub fn new(query: u64, answer: &Answer) -> Self {
        match *answer {
            Answer::Free => Self::Free { query, verdict: "free" },
            Answer::Contact { toc, proved, certified } => {
                Self::Contact { query, verdict: "contact", toc, proved, certified }
            }
            Answer::Undecided { clear_until } => {
                let reason = UndecidedReason::EvaluationCap.name();
                Self::Undecided { query, verdict: "undecided", clear_until, reason }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_contract() {
        let text = |answer| serde_json::to_string(&Line::new(7, &answer)).unwrap();
        assert_eq!(text(Answer::Free), r#"{"query":7,"verdict":"free"}"#);
        assert_eq!(
            text(Answer::Contact { toc: [0.1, 0.1 + 1e-10], proved: true, certified: false }),
            r#"{"query":7,"verdict":"contact","toc":[0.1,0.1000000001],"proved":true,"certified":false}"#
        );
        assert_eq!(
            text(Answer::Undecided { clear_until: 0.0 }),
            r#"{"query":7,"verdict":"undecided","clear_until":0.0,"reason":"evaluation-cap"}"#
        );
    }
}
