//! `check --clearance`: the smallest distance of free motions and trajectories.

use crate::rounded;
use clap::Args;
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::Options;
use firstcontact::report::{Line, Nearest};
use firstcontact::stage::s6_solve::Method;
use firstcontact::{ClearanceOptions, Error, Result};
use serde::Serialize;
use serde_json::Value;

/// Number of digits of metres in the summary.
const DIGITS: usize = 6;

/// Options of clearances.
#[derive(Clone, Debug, Args)]
pub struct ClearanceArgs {
    /// Also report the smallest distance during each free motion, as an enclosure of at most this width, metres
    #[arg(long, value_name = "TOL", allow_hyphen_values = true, help_heading = super::ANSWERS)]
    clearance: Option<f64>,
    /// Do not measure distances beyond this, metres
    #[arg(
        long,
        value_name = "D",
        allow_hyphen_values = true,
        help_heading = super::ANSWERS
    )]
    clearance_limit: Option<f64>,
}

impl ClearanceArgs {
    /// Returns whether clearances are asked for.
    pub fn is_asked(&self) -> bool {
        self.clearance.is_some()
    }

    /// The options of the search, if clearances are asked for.
    ///
    /// # Errors
    /// A number is out of range, or the engine's options do not support a margin.
    pub fn options(&self, engine: &Options) -> Result<Option<ClearanceOptions>> {
        let Some(tolerance_m) = self.clearance else {
            return match self.clearance_limit {
                None => Ok(None),
                Some(_) => Err(Error::usage("--clearance-limit requires --clearance")
                    .remedy("add --clearance TOL, for example 0.0001")),
            };
        };
        if engine.bound == PoseEnclosure::DisplacementBall || engine.solve.method == Method::Paper {
            let message = "--clearance supports neither toleranced bounds nor the paper's equations";
            return Err(Error::usage(message).remedy("use --bound jet or interval, and --solver jet"));
        }
        let limit_m = self.clearance_limit.unwrap_or(f64::INFINITY);
        check_length("--clearance", tolerance_m)?;
        self.clearance_limit.map_or(Ok(()), |limit_m| check_length("--clearance-limit", limit_m))?;
        let options = ClearanceOptions::default()
            .with_tolerance_m(tolerance_m)
            .with_limit_m(limit_m)
            .with_known_m(engine.solve.margin_m);
        options.check()?;
        Ok(Some(options))
    }
}

/// Refuses a value of an option that is not a length above zero, metres.
///
/// # Errors
/// The value is not a finite number above zero.
pub fn check_length(option: &str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    let message = format!("{option} {value:?}: it must be a length above 0");
    Err(Error::usage(message).remedy("for example 0.0001, in metres"))
}

/// Clearances in the summary and in `stats.json`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ClearanceTotals {
    /// Number of clearances.
    measured: u64,
    /// Number of those beyond the limit.
    beyond_limit: u64,
    /// Number of those whose enclosure is wider than the tolerance.
    wide: u64,
    /// Seconds.
    pub seconds: f64,
    /// Enclosure of the smallest one, metres.
    smallest_m: Option<[f64; 2]>,
    /// Number of the motion with the smallest upper bound.
    smallest_motion: Option<usize>,
    /// Names of its link and obstacle.
    smallest_pair: Option<[String; 2]>,
}

impl ClearanceTotals {
    /// Counts the clearance of an answer.
    pub fn add(&mut self, number: usize, line: &Line, options: &ClearanceOptions) {
        let Line::Free { clearance: Some(of), .. } = line else { return };
        self.measured += 1;
        let Some([Some(lo), hi]) = of.distance_m else { return };
        let Some(hi) = hi else {
            self.beyond_limit += 1;
            return;
        };
        self.wide += u64::from(hi - lo > options.tolerance_m);
        // The smallest lower bound may be that of another motion.
        let [least_lo, least_hi] = self.smallest_m.unwrap_or([f64::INFINITY; 2]);
        self.smallest_m = Some([lo.min(least_lo), hi.min(least_hi)]);
        if hi < least_hi {
            self.smallest_motion = Some(number);
            let names = |at: &Nearest| [at.a.name().to_string(), at.b.name().to_string()];
            self.smallest_pair = of.at.as_ref().map(names);
        }
    }

    /// A sentence for the summary, if there are clearances.
    pub fn line(&self) -> Option<String> {
        let mut line = match (&self.smallest_m, self.smallest_motion, &self.smallest_pair) {
            (Some([lo, hi]), Some(motion), Some([a, b])) => {
                let [lo, hi] = [rounded::at_least(*lo, 1.0, DIGITS), rounded::at_most(*hi, 1.0, DIGITS)];
                format!("smallest clearance: {lo} to {hi} m, motion {motion}, {a} and {b}")
            }
            _ if self.measured > 0 => "smallest clearance: none within the limit".into(),
            _ => return None,
        };
        line += &format!("; {} clearances in {:.3} s", self.measured, self.seconds);
        if self.wide > 0 {
            line += &format!(", {} wider than the tolerance", self.wide);
        }
        Some(line)
    }

    /// The object `clearance` of `stats.json`; null without clearances.
    pub fn to_json(&self) -> Value {
        match self.measured {
            0 => Value::Null,
            _ => serde_json::to_value(self).unwrap_or(Value::Null),
        }
    }
}
