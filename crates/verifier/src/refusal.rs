//! The reason why a certificate, a file or a model is refused.

use std::fmt;

/// One sentence: the pair, the step and the condition that does not hold, or the fault of a file or model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(String);

impl Refusal {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    /// Puts the place before the sentence.
    pub(crate) fn at(self, place: impl fmt::Display) -> Self {
        Self(format!("{place}: {}", self.0))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// Refuses with a sentence unless the condition holds. A comparison with NaN does not hold.
pub(crate) fn require(condition: bool, sentence: impl FnOnce() -> String) -> Result<(), Refusal> {
    if condition { Ok(()) } else { Err(Refusal::new(sentence())) }
}
