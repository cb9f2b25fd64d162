//! Progress of long work: a bar on a terminal, or lines of JSON for programs.

use super::terminal;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Form of progress reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressMode {
    /// A bar, redrawn up to 10 times a second, if standard error is a terminal; otherwise nothing
    Auto,
    /// Nothing
    Never,
    /// One JSON object per line with the keys phase, unit, done, total and rate (units per second): up to 4 lines a
    /// second, and one at the end of each phase
    Json,
}

/// Number of times per second that a bar is drawn.
const DRAWN_PER_S: u8 = 10;
/// Time between two lines of JSON.
const BETWEEN_LINES: Duration = Duration::from_millis(250);

/// The progress of one phase of a command.
#[derive(Clone, Debug)]
pub struct Progress {
    bar: ProgressBar,
    lines: Option<Arc<Mutex<Lines>>>,
}

/// A phase that is reported as lines of JSON.
#[derive(Debug)]
struct Lines {
    phase: &'static str,
    unit: &'static str,
    /// The amount that was done when the phase began.
    first: u64,
    done: u64,
    total: u64,
    begun: Instant,
    last: Instant,
}

impl Progress {
    /// The progress of `phase`, such as `checking`, over `total` of a `unit`, such as `motions`. A total of 0 means
    /// that it is not known yet; nothing is reported until it is set.
    pub fn new(phase: &'static str, unit: &'static str, total: u64) -> Self {
        let mode = terminal::progress_mode();
        let (total_known, now) = ((total > 0).then_some(total), Instant::now());
        let bar = match mode {
            ProgressMode::Auto => {
                ProgressBar::with_draw_target(total_known, ProgressDrawTarget::stderr_with_hz(DRAWN_PER_S))
            }
            ProgressMode::Never | ProgressMode::Json => ProgressBar::hidden(),
        };
        bar.set_style(style(phase, unit));
        let lines = Lines { phase, unit, first: 0, done: 0, total, begun: now, last: now };
        let lines = (mode == ProgressMode::Json).then(|| Arc::new(Mutex::new(lines)));
        Self { bar, lines }
    }

    /// Starts with an amount that is already done and does not count as work of this run.
    #[must_use]
    pub fn starting_at(self, done: u64) -> Self {
        self.bar.set_position(done);
        self.bar.reset_eta();
        if let Some(Ok(mut lines)) = self.lines.as_ref().map(|l| l.lock()) {
            (lines.first, lines.done) = (done, done);
        }
        self
    }

    /// Sets the description of the current work.
    pub fn set_message(&self, message: impl Into<String>) {
        self.bar.set_message(format!("{} ", message.into()));
    }

    /// Sets the total.
    pub fn set_total(&self, total: u64) {
        self.bar.set_length(total);
        if let Some(Ok(mut lines)) = self.lines.as_ref().map(|l| l.lock()) {
            lines.total = total;
        }
    }

    /// Adds to the completed amount.
    pub fn add(&self, n: u64) {
        self.bar.inc(n);
        self.report(|lines| lines.done + n);
    }

    /// Sets the completed amount.
    pub fn set(&self, done: u64) {
        self.bar.set_position(done);
        self.report(|_| done);
    }

    /// Ends the phase: clears the bar, or writes its last line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
        if let Some(Ok(lines)) = self.lines.as_ref().map(|l| l.lock()) {
            lines.write();
        }
    }

    fn report(&self, done: impl Fn(&Lines) -> u64) {
        let Some(Ok(mut lines)) = self.lines.as_ref().map(|l| l.lock()) else { return };
        lines.done = done(&lines);
        if lines.last.elapsed() >= BETWEEN_LINES {
            lines.last = Instant::now();
            lines.write();
        }
    }
}

impl Lines {
    fn write(&self) {
        if self.total == 0 {
            return;
        }
        let seconds = self.begun.elapsed().as_secs_f64();
        let rate = if seconds > 0.0 { self.done.saturating_sub(self.first) as f64 / seconds } else { 0.0 };
        // Rounded to a few digits.
        let rate: f64 = digits(rate).parse().unwrap_or(rate);
        let line = json!({
            "phase": self.phase, "unit": self.unit, "done": self.done, "total": self.total, "rate": rate,
        });
        let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
    }
}

fn style(phase: &'static str, unit: &'static str) -> ProgressStyle {
    let template = match unit {
        "bytes" => "{msg}{bar:40} {bytes}/{total_bytes} {phase}, {eta} left",
        _ => "{msg}{bar:40} {pos}/{len} {unit}, {rate}/s, {eta} left",
    };
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("rate", |state: &ProgressState, to: &mut dyn std::fmt::Write| {
            let _ = to.write_str(&digits(state.per_sec()));
        })
        .with_key("unit", move |_: &ProgressState, to: &mut dyn std::fmt::Write| {
            let _ = to.write_str(unit);
        })
        .with_key("phase", move |_: &ProgressState, to: &mut dyn std::fmt::Write| {
            let _ = to.write_str(phase);
        })
}

/// A non-negative number with three significant digits, and all digits before the point.
pub fn digits(x: f64) -> String {
    let mut text = String::new();
    let _ = match x {
        _ if !(x > 0.0) => write!(text, "0"),
        100.0.. => write!(text, "{x:.0}"),
        10.0.. => write!(text, "{x:.1}"),
        1.0.. => write!(text, "{x:.2}"),
        _ => {
            let zeros = (-x.log10()).ceil().clamp(0.0, 300.0) as usize;
            write!(text, "{x:.0$}", zeros + 2)
        }
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        for (x, expected) in [
            (0.0, "0"),
            (-1.0, "0"),
            (f64::NAN, "0"),
            (3348.2319, "3348"),
            (123.456, "123"),
            (57.29, "57.3"),
            (1.0088, "1.01"),
            (0.5, "0.500"),
            (0.012345, "0.0123"),
        ] {
            assert_eq!(digits(x), expected, "{x}");
        }
    }
}
