//! First contact of curved bodies.
//!
//! The relative speed of any two points of the bodies is bounded, so the distance cannot decrease faster: a step of
//! distance divided by speed passes no contact, as long as the distance is the global minimum. For two ellipsoids,
//! distances are those of the tracker, refined to the exact pair by Newton's method; for other pairs, those of a
//! search.

use super::equations::Configuration;
use super::lost::Lost;
use super::newton::polish;
use super::search::search;
use super::shape::Shape;
use super::state::State;
use super::tracker::Tracker;

/// The time at which the extremal distance first reaches a margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstContact {
    /// Time up to which the distance is above the margin, seconds. The whole duration if it never reaches the margin,
    /// less if the search ends after 200,000 steps.
    pub clear_until_s: f64,
    /// Time at which it has reached the margin, if it does, seconds.
    pub reached_by_s: Option<f64>,
    /// The pair at `reached_by_s`; at `clear_until_s` if the margin is not reached, or after 200,000 steps.
    pub state: State,
}

/// Maximum number of steps.
const MAX_STEPS: usize = 200_000;

/// Finds the first time at which the distance falls to `margin_m`, enclosed to `tolerance_s`. A dip below the margin
/// that is shallower than speed × tolerance and shorter than the tolerance may be missed.
///
/// # Errors
/// One surface is inside the other, or the distance is not finite.
pub fn first_contact(
    tracker: &Tracker,
    duration_s: f64,
    margin_m: f64,
    tolerance_s: f64,
) -> Result<FirstContact, Lost> {
    let pair = tracker.pair();
    let convex = [&pair.a, &pair.b].iter().all(|s| matches!(s, Shape::Ellipsoid(_)));
    let speed_m_s = speed_bound(tracker);
    let tolerance_s = tolerance_s.max(1e-14 * duration_s.abs());
    let mut t_s = 0.0;
    let (mut state, mut sigma_m) = at(tracker, None, t_s, convex)?;
    let mut reached: Option<(f64, State)> = (sigma_m <= margin_m).then_some((t_s, state));
    for _ in 0..MAX_STEPS {
        let end_s = reached.map_or(duration_s, |(t, _)| t);
        if end_s - t_s <= if reached.is_some() { tolerance_s } else { 0.0 } {
            let (reached_by_s, state) = (reached.map(|(t, _)| t), reached.map_or(state, |(_, s)| s));
            return Ok(FirstContact { clear_until_s: t_s, reached_by_s, state });
        }
        let safe_s = if speed_m_s > 0.0 { (sigma_m - margin_m) / speed_m_s } else { duration_s };
        // Shortly before the distance is predicted to reach the margin, test a time just after it: if the margin is
        // reached there, that is the upper end of the enclosure.
        let rate = tracker.configuration(&state, t_s).sigma_rate_m_s();
        let ahead_s = t_s + (sigma_m - margin_m) / -rate + 0.5 * tolerance_s;
        if rate < 0.0 && ahead_s < end_s && ahead_s > t_s + safe_s {
            let (there, sigma) = at(tracker, Some((state, t_s)), ahead_s, convex)?;
            if sigma <= margin_m {
                reached = Some((ahead_s, there));
            }
        }
        let to_s = t_s + safe_s.max(0.5 * tolerance_s);
        let to_s = match reached {
            // The pair at the start of the step was not the nearest, or the search found none at its end: at an edge.
            Some((by_s, _)) if to_s >= by_s => 0.5 * (t_s + by_s),
            _ => to_s.min(duration_s),
        };
        let (there, sigma) = at(tracker, Some((state, t_s)), to_s, convex)?;
        if sigma <= margin_m {
            reached = Some((to_s, there));
            if to_s - t_s <= tolerance_s {
                return Ok(FirstContact { clear_until_s: t_s, reached_by_s: Some(to_s), state: there });
            }
        } else {
            (t_s, state, sigma_m) = (to_s, there, sigma);
        }
    }
    Ok(FirstContact { clear_until_s: t_s, reached_by_s: reached.map(|(t, _)| t), state })
}

/// Computes the minimum distance at a time, from a pair at another time if there is one.
fn at(tracker: &Tracker, from: Option<(State, f64)>, t_s: f64, convex: bool) -> Result<(State, f64), Lost> {
    let pair = tracker.pair();
    let relative = tracker.relative(t_s);
    if convex && let Some((state, from_s)) = from {
        let followed = tracker.step(&state, from_s, t_s - from_s).unwrap_or(state);
        if let Some(state) = polish(pair, &relative, &followed) {
            let configuration = Configuration::new(pair, &state, &relative);
            let faces = configuration.facing().is_some_and(|c| c < -0.5);
            // Two convex bodies that are apart have one extremal pair; in penetration any extremal pair shows that
            // contact has occurred.
            if faces && configuration.is_extremal() {
                return Ok((state, configuration.sigma_m()));
            }
        }
    }
    match search(pair, &relative) {
        Ok(found) => Ok((found.state, found.sigma_m)),
        // The surfaces intersect; the depth does not matter.
        Err(Lost::NothingFound) => Ok((from.map_or(State::default(), |(s, _)| s), f64::NEG_INFINITY)),
        Err(lost) => Err(lost),
    }
}

/// Returns an upper bound on the speed at which a point of one body approaches one of the other.
fn speed_bound(tracker: &Tracker) -> f64 {
    let (pair, [a, b]) = (tracker.pair(), tracker.motions());
    (a.velocity_m_s - b.velocity_m_s).length()
        + a.spin_rad_s.length() * pair.a.reach_m()
        + b.spin_rad_s.length() * pair.b.reach_m()
}
