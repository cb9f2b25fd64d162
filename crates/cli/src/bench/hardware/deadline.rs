//! The time of a measurement, divided among its parts.

use std::time::{Duration, Instant};

/// The end of the time of a part. Work that has begun is completed.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// The deadline of a part that begins now and may take this number of seconds.
    pub fn after_s(seconds: f64) -> Self {
        Self(Instant::now() + Duration::try_from_secs_f64(seconds.min(1e6)).unwrap_or_default())
    }

    /// Remaining time, seconds.
    pub fn left_s(self) -> f64 {
        self.0.saturating_duration_since(Instant::now()).as_secs_f64()
    }

    /// Returns whether no time is left.
    pub fn is_over(self) -> bool {
        self.left_s() <= 0.0
    }

    /// The deadline of a part that begins now and may take this share of the remaining time. Time that it does not use
    /// is available to later parts.
    pub fn share(self, share: f64) -> Self {
        Self::after_s(self.left_s() * share)
    }

    /// The deadline of the next one of `n` equal remaining parts.
    pub fn one_of(self, n: usize) -> Self {
        self.share(1.0 / n.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_time_that_is_left() {
        let whole = Deadline::after_s(1000.0);
        let (half, tenth) = (whole.share(0.5).left_s(), whole.one_of(10).left_s());
        assert!(half <= 500.0 && half > 400.0 && tenth <= 100.0 && tenth > 80.0, "{half} {tenth}");
        assert!(Deadline::after_s(0.0).is_over() && Deadline::after_s(-1.0).is_over());
        assert!(Deadline::after_s(0.0).share(0.5).is_over());
    }
}
