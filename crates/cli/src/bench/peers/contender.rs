//! Who takes part, what it answered, and how long that took.

/// What was said of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Told {
    /// Nothing touches.
    Free,
    /// Something touches, first at this time if the method tells one.
    Contact(Option<f64>),
    /// No answer; nothing touches before this time.
    Undecided(f64),
}

/// An answer and its cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// What was said.
    pub told: Told,
    /// Seconds of the processor, of the thread that answered.
    pub cpu_s: f64,
    /// Seconds on the clock.
    pub wall_s: f64,
}

/// The answers to the motions of a set, as far as there are any.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// By motion.
    pub by_motion: Vec<Option<Answer>>,
    /// Seconds of building trees: no part of the answers' times.
    pub build_s: Option<f64>,
    /// Name and version, as the contender says.
    pub about: Option<String>,
    /// Why answers are missing, if some are.
    pub trouble: Option<String>,
    /// Seconds a motion of each class, where whole classes were answered at once.
    pub together_s: Vec<Option<f64>>,
}

impl Answers {
    /// None yet.
    pub fn none(n_motions: usize) -> Self {
        Self { by_motion: vec![None; n_motions], ..Self::default() }
    }

    /// How many motions have one.
    pub fn count(&self) -> usize {
        self.by_motion.iter().flatten().count()
    }
}

/// Which clock a contender's cost is told by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Of the processor: it works in one thread, and the machine may do other things as well.
    Processor,
    /// On the wall: it works in many threads, or on a device.
    Wall,
}

/// One who takes part.
#[derive(Debug)]
pub struct Contender {
    /// A short name.
    pub name: String,
    /// What it does, in a sentence.
    pub what: String,
    /// The clock of its costs.
    pub clock: Clock,
    /// Whether it is this engine.
    pub is_engine: bool,
    /// Whether its times are drawn: with all of them the plot would be too full.
    pub is_drawn: bool,
    /// Its answers to the motions of each set.
    pub answers: Vec<Answers>,
}

impl Contender {
    /// Seconds of an answer.
    pub fn cost_s(&self, answer: &Answer) -> f64 {
        match self.clock {
            Clock::Processor => answer.cpu_s,
            Clock::Wall => answer.wall_s,
        }
    }
}
