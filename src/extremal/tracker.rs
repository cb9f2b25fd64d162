//! The controller: the inner loop U = M⁻¹(μ − b) makes the errors change at the rate μ = −K Ψ that the outer
//! loop requests.

use super::equations::Configuration;
use super::integrate::{dormand_prince, euler, runge_kutta_4};
use super::lost::Lost;
use super::motion::{Motion, Relative};
use super::search::search;
use super::settings::{Feedback, Integrator, Settings};
use super::state::State;
use super::{Form, Pair};
use crate::error::{Error, Result};

/// Tracks the extremal pair of two moving shapes.
#[derive(Clone, Debug)]
pub struct Tracker {
    pair: Pair,
    motions: [Motion; 2],
    settings: Settings,
}

/// The status of a sample's pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// The errors are not small: they still decay from an inexact start, or they grow, for example where an extremal
    /// pair has just vanished.
    Acquiring,
    /// The pair is extremal, up to the errors.
    Tracking,
    /// There is no pair, for this reason.
    Lost(Lost),
}

impl Phase {
    /// Returns a name, for files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Acquiring => "acquiring",
            Self::Tracking => "tracking",
            Self::Lost(lost) => lost.name(),
        }
    }
}

/// One sample of a track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The time, seconds.
    pub t_s: f64,
    /// The status of the pair.
    pub phase: Phase,
    /// The places. Meaningless if the pair is lost.
    pub state: State,
    /// The extremal distance, metres: signed if there is a normal. NaN if the pair is lost.
    pub sigma_m: f64,
    /// The projections Ψ, metres² per parameter.
    pub projections: [f64; 4],
    /// The paper's normalised errors.
    pub normalised: [f64; 4],
    /// The largest error of the form in use: the sine of an angle, or a length relative to the size.
    pub error: f64,
    /// The Euclidean norm of the unscaled errors of the form in use, which decays as exp(−K t).
    pub norm: f64,
}

/// The loss of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Restart {
    /// Time of the loss, seconds.
    pub t_s: f64,
    /// Reason for the loss.
    pub lost: Lost,
    /// True if the search found a pair to continue with.
    pub found: bool,
}

impl Track {
    /// Returns the rate at which the initial errors have decayed, 1/s: the slope of the logarithm of their norm, while
    /// it is above 10⁻⁶ of its initial value. `None` without a start, if a pair was lost, or if the norm was not
    /// halved, as after a nearly exact start.
    pub fn decay_rate_per_s(&self) -> Option<f64> {
        let first = self.samples.first().filter(|s| s.phase == Phase::Acquiring)?;
        let lost_s = self.restarts.first().map_or(f64::INFINITY, |r| r.t_s);
        let large = |s: &&Sample| s.norm > 1e-6 * first.norm && s.t_s < lost_s;
        let last = self.samples.iter().take_while(large).last()?;
        let decayed = last.norm < 0.5 * first.norm && lost_s.is_infinite();
        decayed.then(|| (first.norm / last.norm).ln() / (last.t_s - first.t_s))
    }
}

/// A pair over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// One sample for each step, and one for the start.
    pub samples: Vec<Sample>,
    /// The losses, each with its outcome.
    pub restarts: Vec<Restart>,
}

/// Errors below this end the acquisition.
const ACQUIRED: f64 = 1e-3;
/// Errors above this, after acquisition, are a loss: the tracked extremum has vanished, usually by meeting a saddle.
const DIVERGED: f64 = 0.05;
/// A start must have decayed within this multiple of 1/K.
const PATIENCE: f64 = 30.0;
/// Smallest ratio of the least pivot to the largest with which the equations count as regular.
const MIN_PIVOT: f64 = 1e-6;
/// Difference from the predicted distance that counts as a jump, relative to the size.
const JUMP: f64 = 0.1;
/// Number of steps between searches while there is no pair.
const SEARCH_EVERY: usize = 10;
/// Maximum number of samples of a track.
const MAX_SAMPLES: f64 = 1e7;
/// Maximum of gain times step for a method with adaptive steps.
const OWN_STEPS_LIMIT: f64 = 2.5;

/// Maximum number of adaptive steps within one sample.
const MAX_OWN_STEPS: usize = 2000;

/// Parameters, then integrated errors.
type Extended = [f64; 8];

impl Tracker {
    /// Creates a tracker for two shapes and their motions.
    ///
    /// # Errors
    /// Gain and step do not fit together: see [`Settings::check`].
    pub fn new(pair: Pair, motions: [Motion; 2], settings: Settings) -> Result<Self> {
        settings.check()?;
        Ok(Self { pair, motions, settings })
    }

    /// Returns the shapes.
    pub fn pair(&self) -> &Pair {
        &self.pair
    }

    /// Returns the motions.
    pub fn motions(&self) -> &[Motion; 2] {
        &self.motions
    }

    /// Returns the motion of B relative to A at a time.
    pub fn relative(&self, t_s: f64) -> Relative {
        Relative::between(&self.motions[0].at(t_s), &self.motions[1].at(t_s))
    }

    /// Evaluates both points and their derivatives at a time.
    pub fn configuration(&self, state: &State, t_s: f64) -> Configuration {
        Configuration::new(&self.pair, state, &self.relative(t_s))
    }

    /// Takes one step of length `step_s`. The places are moved to well-conditioned charts at its end, never within it.
    ///
    /// # Errors
    /// The equations become singular, a point moves too far, no adaptive step is short enough, or a number is not
    /// finite.
    pub fn step(&self, state: &State, t_s: f64, step_s: f64) -> std::result::Result<State, Lost> {
        let errors = self.configuration(state, t_s).equations(self.settings.form);
        let mut integrated = [0.0; 4];
        (0..errors.n).for_each(|i| integrated[errors.index[i]] = errors.errors[i]);
        self.step_with(state, &mut integrated, t_s, step_s)
    }

    /// Like [`Tracker::step`], with the errors that [`Feedback::Integrated`] feeds back.
    fn step_with(
        &self,
        state: &State,
        integrated: &mut [f64; 4],
        t_s: f64,
        step_s: f64,
    ) -> std::result::Result<State, Lost> {
        let [x, e] = [state.parameters(), *integrated];
        let y: Extended = std::array::from_fn(|i| if i < 4 { x[i] } else { e[i - 4] });
        let rate = |t: f64, y: &Extended| self.extended_rates(state, t, y);
        let new = match self.settings.integrator {
            Integrator::Euler => euler(rate, t_s, &y, step_s)?,
            Integrator::RungeKutta4 => runge_kutta_4(rate, t_s, &y, step_s)?,
            Integrator::DormandPrince { tolerance } => self.adaptive(rate, t_s, y, step_s, tolerance)?,
        };
        if !new.iter().all(|x| x.is_finite()) {
            return Err(Lost::NotFinite);
        }
        for (i, range) in self.pair.ranges().iter().enumerate() {
            if range.is_some_and(|r| (new[i] - y[i]).abs() > 0.25 * (r.hi - r.lo)) {
                return Err(Lost::TooFast);
            }
        }
        integrated.copy_from_slice(&new[4..]);
        Ok(state.with(std::array::from_fn(|i| new[i])).settled(&self.pair))
    }

    fn extended_rates(&self, state: &State, t_s: f64, y: &Extended) -> std::result::Result<Extended, Lost> {
        let at = state.with(std::array::from_fn(|i| y[i]));
        let relative = self.relative(t_s);
        let wanted = (self.settings.feedback == Feedback::Integrated).then(|| std::array::from_fn(|i| y[i + 4]));
        let rates = rates(&self.pair, &at, &relative, self.settings.form, self.settings.gain_per_s, wanted)?;
        Ok(std::array::from_fn(|i| if i < 4 { rates[i] } else { -self.settings.gain_per_s * y[i] }))
    }

    /// Takes adaptive steps up to `step_s`.
    fn adaptive(
        &self,
        rate: impl Fn(f64, &Extended) -> std::result::Result<Extended, Lost>,
        t_s: f64,
        mut y: Extended,
        step_s: f64,
        tolerance: f64,
    ) -> std::result::Result<Extended, Lost> {
        let ranges = self.pair.ranges();
        let longest = OWN_STEPS_LIMIT / self.settings.gain_per_s;
        let (mut t, mut h) = (0.0, step_s.min(longest));
        for _ in 0..MAX_OWN_STEPS {
            let left = step_s - t;
            if left <= 1e-12 * step_s {
                // Only rounding is left.
                return Ok(y);
            }
            h = h.min(longest).min(left);
            let (new, difference) = dormand_prince(&rate, t_s + t, &y, h)?;
            let share = |i: usize| ranges[i].map_or(0.0, |r| (difference[i] / (r.hi - r.lo)).abs());
            let error = (0..4).map(share).fold(0.0, f64::max) / tolerance;
            if !error.is_finite() {
                return Err(Lost::NotFinite);
            }
            if error <= 1.0 {
                (t, y) = (t + h, new);
            }
            h *= (0.9 * error.max(1e-6).powf(-0.2)).clamp(0.2, 4.0);
        }
        Err(Lost::NoStep)
    }

    /// Follows the pair from time 0 to `duration_s`. Without a start, the pair is searched for; an inexact start
    /// converges to the pair.
    ///
    /// # Errors
    /// The duration is not above 0, or has too many steps.
    pub fn run(&self, start: Option<State>, duration_s: f64) -> Result<Track> {
        let steps = (duration_s / self.settings.step_s).ceil();
        if !(duration_s > 0.0) || !(steps <= MAX_SAMPLES) {
            let message = format!("the duration is {duration_s} s and the step is {} s", self.settings.step_s);
            return Err(Error::input(message).remedy(format!("1 to {MAX_SAMPLES} steps are supported")));
        }
        let n = (steps as usize).max(1);
        let time = |i: usize| duration_s * i as f64 / n as f64;
        let mut run = Run { tracker: self, now: None, restarts: Vec::new() };
        let first = match start {
            Some(state) => run.begin(state.settled(&self.pair), 0.0, false),
            None => run.search(0.0, None),
        };
        let mut samples = vec![first];
        for i in 0..n {
            samples.push(run.advance(i, time(i), time(i + 1)));
        }
        Ok(Track { samples, restarts: run.restarts })
    }
}

/// Computes the controller's output: rates of u, v, r, s (zero where held) that make the errors decay with this gain.
/// The errors are those of the equations, or `integrated` if present.
///
/// # Errors
/// The equations are singular.
pub fn rates(
    pair: &Pair,
    state: &State,
    relative: &Relative,
    form: Form,
    gain_per_s: f64,
    integrated: Option<[f64; 4]>,
) -> std::result::Result<[f64; 4], Lost> {
    let equations = Configuration::new(pair, state, relative).equations(form);
    let wanted = std::array::from_fn(|i| {
        let error = integrated.map_or(equations.errors[i], |e| e[equations.index[i]]);
        -gain_per_s * error
    });
    let solved = equations.rates(wanted);
    match solved.rates {
        Some(rates) if solved.pivot_ratio >= MIN_PIVOT => Ok(rates),
        _ => Err(Lost::Singular { pivot_ratio: solved.pivot_ratio }),
    }
}

/// A track under construction.
struct Run<'a> {
    tracker: &'a Tracker,
    now: Option<Now>,
    restarts: Vec<Restart>,
}

/// The pair that is being followed.
#[derive(Clone, Copy)]
struct Now {
    state: State,
    integrated: [f64; 4],
    acquired: bool,
    since_s: f64,
    sigma_m: f64,
    sigma_rate_m_s: f64,
}

impl Run<'_> {
    /// Continues with a pair from this time on.
    fn begin(&mut self, state: State, t_s: f64, acquired: bool) -> Sample {
        let configuration = self.tracker.configuration(&state, t_s);
        let equations = configuration.equations(self.tracker.settings.form);
        let mut integrated = [0.0; 4];
        (0..equations.n).for_each(|i| integrated[equations.index[i]] = equations.errors[i]);
        let (sigma_m, sigma_rate_m_s) = (configuration.sigma_m(), configuration.sigma_rate_m_s());
        self.now = Some(Now { state, integrated, acquired, since_s: t_s, sigma_m, sigma_rate_m_s });
        self.sample(t_s, if acquired { Phase::Tracking } else { Phase::Acquiring }, &state, &configuration)
    }

    fn advance(&mut self, i: usize, from_s: f64, to_s: f64) -> Sample {
        let Some(now) = self.now else {
            let last = self.restarts.last().map_or(Lost::NothingFound, |r| r.lost);
            return if i.is_multiple_of(SEARCH_EVERY) { self.search(to_s, None) } else { self.nothing(to_s, last) };
        };
        let mut integrated = now.integrated;
        let stepped = self.tracker.step_with(&now.state, &mut integrated, from_s, to_s - from_s);
        match stepped.and_then(|state| self.judge(&now, state, integrated, from_s, to_s)) {
            Ok((next, sample)) => {
                self.now = Some(next);
                let every = self.tracker.settings.audit_steps;
                if every > 0 && (i + 1).is_multiple_of(every) { self.audit(&next, sample) } else { sample }
            }
            Err(lost) => self.search(to_s, Some(lost)),
        }
    }

    /// Returns the next pair after a step, or the reason why it is lost.
    fn judge(
        &self,
        now: &Now,
        mut state: State,
        integrated: [f64; 4],
        from_s: f64,
        to_s: f64,
    ) -> std::result::Result<(Now, Sample), Lost> {
        let tracker = self.tracker;
        let pair = &tracker.pair;
        let mut configuration = tracker.configuration(&state, to_s);
        if state.held != [false; 4] && state.release(pair, configuration.normalised()) {
            configuration = tracker.configuration(&state, to_s);
        }
        let error = configuration.equations(tracker.settings.form).error();
        let sigma_m = configuration.sigma_m();
        if !error.is_finite() || !sigma_m.is_finite() {
            return Err(Lost::NotFinite);
        }
        if state.held != [false; 4] && sigma_m < -ACQUIRED * pair.size_m() {
            return Err(Lost::Edge);
        }
        // With other held parameters the equations are different: their errors decay again.
        let same = state.held == now.state.held;
        let acquired = (now.acquired && same) || error <= ACQUIRED;
        let since_s = if same { now.since_s } else { to_s };
        if acquired {
            if error > DIVERGED {
                return Err(Lost::Diverged { error });
            }
            let error = configuration.equations(Form::Normal).error();
            if error > DIVERGED {
                return Err(Lost::FalseEquilibrium { error });
            }
            if let Some(cosine) = configuration.facing().filter(|c| *c > -0.5) {
                return Err(Lost::WrongSide { cosine });
            }
            if !configuration.is_extremal() {
                return Err(Lost::NotExtremal);
            }
        } else if to_s - since_s > PATIENCE / tracker.settings.gain_per_s {
            return Err(Lost::NotAcquired);
        }
        if acquired && now.acquired && same {
            let by_m = sigma_m - now.sigma_m - (to_s - from_s) * now.sigma_rate_m_s;
            if by_m.abs() > JUMP * pair.size_m() {
                return Err(Lost::Jump { by_m });
            }
        }
        let phase = if acquired && error <= ACQUIRED { Phase::Tracking } else { Phase::Acquiring };
        let sigma_rate_m_s = configuration.sigma_rate_m_s();
        let next = Now { state, integrated, acquired, since_s, sigma_m, sigma_rate_m_s };
        Ok((next, self.sample(to_s, phase, &state, &configuration)))
    }

    /// Searches for a closer pair while the bodies are apart. In penetration it looks whether they are apart by now:
    /// the pair may be that of the sides on which they have met.
    fn audit(&mut self, now: &Now, sample: Sample) -> Sample {
        let size = self.tracker.pair.size_m();
        if !now.acquired {
            return sample;
        }
        let found = search(&self.tracker.pair, &self.tracker.relative(sample.t_s));
        if now.sigma_m <= 0.0 && !found.is_ok_and(|found| found.sigma_m > 0.0) {
            return sample;
        }
        match found {
            Ok(found) if now.sigma_m <= 0.0 || found.sigma_m < now.sigma_m - 1e-3 * size => {
                let lost = Lost::Farther { nearest_m: found.sigma_m };
                self.restarts.push(Restart { t_s: sample.t_s, lost, found: true });
                self.begin(found.state, sample.t_s, true)
            }
            Err(lost @ (Lost::NothingFound | Lost::WrongSide { .. })) => self.search(sample.t_s, Some(lost)),
            _ => sample,
        }
    }

    /// Starts again from a search; `lost` is the reason, if a pair was lost.
    fn search(&mut self, t_s: f64, lost: Option<Lost>) -> Sample {
        self.now = None;
        let found = search(&self.tracker.pair, &self.tracker.relative(t_s));
        if let Some(lost) = lost.or(found.err()) {
            self.restarts.push(Restart { t_s, lost, found: found.is_ok() });
        }
        match found {
            Ok(found) => self.begin(found.state, t_s, true),
            Err(why) => self.nothing(t_s, lost.unwrap_or(why)),
        }
    }

    fn sample(&self, t_s: f64, phase: Phase, state: &State, configuration: &Configuration) -> Sample {
        let equations = configuration.equations(self.tracker.settings.form);
        Sample {
            t_s,
            phase,
            state: *state,
            sigma_m: configuration.sigma_m(),
            projections: configuration.projections(),
            normalised: configuration.normalised(),
            error: equations.error(),
            norm: equations.errors[..equations.n].iter().map(|e| e * e).sum::<f64>().sqrt(),
        }
    }

    fn nothing(&self, t_s: f64, lost: Lost) -> Sample {
        let none = f64::NAN;
        let (projections, normalised) = ([none; 4], [none; 4]);
        Sample {
            t_s,
            phase: Phase::Lost(lost),
            state: State::default(),
            sigma_m: none,
            projections,
            normalised,
            error: none,
            norm: none,
        }
    }
}
