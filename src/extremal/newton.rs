//! The extremal pair for constant poses: descent of the squared distance from far away, Newton's method nearby.

use super::Pair;
use super::equations::{Configuration, Form};
use super::motion::Relative;
use super::solve::{is_positive, solve};
use super::state::State;

/// Error at which Newton's method stops; errors are sines of angles and lengths relative to the size.
const CONVERGED: f64 = 1e-13;
/// Error that is accepted if rounding allows no smaller one.
const NEARLY: f64 = 1e-9;
/// Largest step of a point, relative to the bodies' size.
const LONGEST: f64 = 0.3;
const MAX_STEPS: usize = 60;

/// Runs Newton's method on the normal form. Held parameters remain held. Returns `None` if the method does not
/// converge, or reaches an edge.
pub fn polish(pair: &Pair, relative: &Relative, start: &State) -> Option<State> {
    let still = Relative { drift_m_s: Default::default(), spin_rad_s: Default::default(), ..*relative };
    let (mut state, mut before) = (start.settled(pair), f64::INFINITY);
    let held = state.held;
    for _ in 0..MAX_STEPS {
        let configuration = Configuration::new(pair, &state, &still);
        let equations = configuration.equations(Form::Normal);
        let error = equations.error();
        if error <= CONVERGED || (error <= NEARLY && error >= 0.5 * before) {
            return Some(state);
        }
        before = error;
        let step = equations.rates(equations.errors.map(|e| -e)).rates?;
        let lengths = lengths(&configuration);
        let longest = (0..4).map(|i| step[i].abs() * lengths[i]).fold(0.0, f64::max);
        let part = (LONGEST * pair.size_m() / longest.max(f64::MIN_POSITIVE)).min(1.0);
        let x = state.parameters();
        state = state.with(std::array::from_fn(|i| x[i] + part * step[i])).settled(pair);
        if state.held != held {
            return None;
        }
    }
    None
}

/// Finds a local minimum of the distance between the shapes, edges included, by the damped Newton method on ½|Δ|². A
/// parameter at an end of its range is held if the distance decreases outwards.
pub fn descend(pair: &Pair, relative: &Relative, start: &State) -> State {
    let mut state = State { held: [false; 4], ..*start }.settled(pair);
    let mut damping = 1e-3;
    let mut fresh = true;
    for _ in 0..3 * MAX_STEPS {
        if fresh {
            let all = State { held: [false; 4], ..state };
            state.held = outward(pair, &state, &Configuration::new(pair, &all, relative));
        }
        let configuration = Configuration::new(pair, &state, relative);
        let equations = configuration.equations(Form::Projection);
        let lengths = lengths(&configuration);
        let n = equations.n;
        let scale = |i: usize| lengths[equations.index[i]].max(f64::MIN_POSITIVE);
        let sign = |i: usize| if equations.index[i] < 2 { 1.0 } else { -1.0 };
        let gradient: [f64; 4] =
            std::array::from_fn(|i| if i < n { sign(i) * equations.errors[i] / scale(i) } else { 0.0 });
        let distance = configuration.delta.length();
        if gradient.iter().all(|g| g.abs() <= 1e-15 * pair.size_m().max(distance)) {
            return state;
        }
        let mut hessian = [[0.0; 4]; 4];
        for i in 0..n {
            for j in 0..n {
                hessian[i][j] = sign(i) * equations.matrix[i][j] / (scale(i) * scale(j));
            }
            hessian[i][i] += damping;
        }
        if is_positive(n, &hessian, 1e-12)
            && let (Some(y), _) = solve(n, hessian, gradient.map(|g| -g))
        {
            let longest = y.iter().fold(0.0f64, |a, b| a.max(b.abs()));
            let part = (LONGEST * pair.size_m() / longest.max(f64::MIN_POSITIVE)).min(1.0);
            let mut x = state.parameters();
            for i in 0..n {
                x[equations.index[i]] += part * y[i] / scale(i);
            }
            let next = State { held: [false; 4], ..state.with(x) }.settled(pair);
            let found = Configuration::new(pair, &next, relative).delta.length();
            if found < distance {
                (state, damping, fresh) = (next, (damping / 5.0).max(1e-12), true);
                continue;
            }
        }
        damping = (damping * 6.0).max(1e-9);
        fresh = false;
        if damping > 1e6 {
            return state;
        }
    }
    state
}

/// Returns the lengths of the four tangents.
fn lengths(configuration: &Configuration) -> [f64; 4] {
    let ([u, v], [r, s]) = (configuration.f.first, configuration.h.first);
    [u, v, r, s].map(|t| t.length())
}

/// Returns, for each parameter, whether it is at an end of its range beyond which the distance would not
/// increase.
fn outward(pair: &Pair, state: &State, configuration: &Configuration) -> [bool; 4] {
    let (x, projections) = (state.parameters(), configuration.projections());
    std::array::from_fn(|i| {
        let growth = if i < 2 { projections[i] } else { -projections[i] };
        pair.edge(i).is_some_and(|range| (x[i] <= range.lo && growth >= 0.0) || (x[i] >= range.hi && growth <= 0.0))
    })
}
