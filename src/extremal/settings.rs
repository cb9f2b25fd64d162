//! Gain, step, form and integrator, and the check that they fit together.

use super::equations::Form;
use crate::error::{Error, Result};

/// The errors that the outer loop feeds back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Feedback {
    /// Errors computed from the parameters (the paper's figure 4).
    #[default]
    Direct,
    /// Errors integrated as additional states (the paper's figure 3). In this form the parameters are not corrected, so
    /// the true errors drift away from the integrated ones. For comparison.
    Integrated,
}

/// The method of integration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Integrator {
    /// The explicit Euler method.
    Euler,
    /// The classical Runge-Kutta method of order 4.
    #[default]
    RungeKutta4,
    /// The pair of Dormand and Prince of orders 5 and 4, with adaptive steps within each requested step.
    DormandPrince {
        /// Error allowed in each step, relative to the ranges of the parameters.
        tolerance: f64,
    },
}

/// Settings of a tracker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The gain K, per second: errors decay as exp(−K t).
    pub gain_per_s: f64,
    /// Length of a step, and time between two samples, seconds.
    pub step_s: f64,
    /// The form of the equations.
    pub form: Form,
    /// Errors computed or integrated.
    pub feedback: Feedback,
    /// The method of integration.
    pub integrator: Integrator,
    /// Number of steps between audits, which search for a closer pair and test whether penetrating bodies have
    /// separated; 0 disables the audits, which convex bodies do not need unless they pass through each other.
    pub audit_steps: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gain_per_s: 10.0,
            step_s: 0.01,
            form: Form::Normal,
            feedback: Feedback::Direct,
            integrator: Integrator::RungeKutta4,
            audit_steps: 0,
        }
    }
}

impl Integrator {
    /// Returns the value of K·h at and above which errors no longer decay: the end of the method's interval of
    /// stability on the real axis. In one step the errors are multiplied by 1 − z (Euler), by 1 − z + z²/2 −
    /// z³/6 + z⁴/24 (Runge-Kutta), with z = K·h.
    pub fn stability_limit(&self) -> f64 {
        match self {
            Self::Euler => 2.0,
            Self::RungeKutta4 => 2.785_293_563_405_282,
            // The method shortens its steps itself.
            Self::DormandPrince { .. } => f64::INFINITY,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Euler => "Euler's method",
            Self::RungeKutta4 => "the Runge-Kutta method",
            Self::DormandPrince { .. } => "Dormand and Prince's method",
        }
    }
}

impl Settings {
    /// Checks that the errors can decay.
    ///
    /// # Errors
    /// Gain, step or tolerance is not above 0; gain times step is at or above the limit of stability.
    pub fn check(&self) -> Result<()> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        if !positive(self.gain_per_s) || !positive(self.step_s) {
            let message = format!("the gain is {} /s and the step is {} s", self.gain_per_s, self.step_s);
            return Err(Error::input(message).remedy("both must be above 0"));
        }
        if let Integrator::DormandPrince { tolerance } = self.integrator
            && !positive(tolerance)
        {
            return Err(Error::input(format!("the tolerance is {tolerance}")).remedy("it must be above 0"));
        }
        let (z, limit) = (self.gain_per_s * self.step_s, self.integrator.stability_limit());
        if z < limit {
            return Ok(());
        }
        let message = format!(
            "gain × step = {z:.4}: {} is unstable from {limit:.4} on, so that errors grow",
            self.integrator.name()
        );
        let at_most = 0.5 * limit / self.gain_per_s;
        Err(Error::input(message).remedy(format!("use steps of {at_most:.2e} s, or a smaller gain")))
    }
}
