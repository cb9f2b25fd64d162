//! The participants, their answers, and the times of the answers.

/// The answer to a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reported {
    /// Nothing touches.
    Free,
    /// Something touches, first at this time if the method reports one.
    Contact(Option<f64>),
    /// No answer; nothing touches before this time.
    Undecided(f64),
}

/// An answer and its cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The answer.
    pub reported: Reported,
    /// Processor time of the thread that answered, seconds.
    pub cpu_s: f64,
    /// Wall time, seconds.
    pub wall_s: f64,
}

/// The answers to the motions of a set, some of which may be missing.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// The answer to each motion.
    pub by_motion: Vec<Option<Answer>>,
    /// Seconds of building trees, not included in the answers' times.
    pub build_s: Option<f64>,
    /// Name and version as reported by the contender.
    pub about: Option<String>,
    /// Reason why some answers are missing.
    pub trouble: Option<String>,
    /// Seconds per motion of each class, if whole classes were answered together.
    pub together_s: Vec<Option<f64>>,
}

impl Answers {
    /// No answers yet.
    pub fn none(n_motions: usize) -> Self {
        Self { by_motion: vec![None; n_motions], ..Self::default() }
    }

    /// Number of motions with an answer.
    pub fn count(&self) -> usize {
        self.by_motion.iter().flatten().count()
    }
}

/// The clock that measures a contender's cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Processor time: the contender uses one thread, and the machine may do other work as well.
    Processor,
    /// Wall time: the contender uses many threads, or a device.
    Wall,
}

/// A participant.
#[derive(Debug)]
pub struct Contender {
    /// A short name.
    pub name: String,
    /// A description of one sentence.
    pub what: String,
    /// The clock of its costs.
    pub clock: Clock,
    /// True if it is this engine.
    pub is_engine: bool,
    /// True if its times are plotted: with all contenders the plot would be too full.
    pub is_drawn: bool,
    /// Its answers to the motions of each set.
    pub answers: Vec<Answers>,
}

impl Contender {
    /// The cost of an answer, seconds.
    pub fn cost_s(&self, answer: &Answer) -> f64 {
        match self.clock {
            Clock::Processor => answer.cpu_s,
            Clock::Wall => answer.wall_s,
        }
    }
}
