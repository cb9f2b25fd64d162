//! Trajectories of many segments: the command's answers against an oracle that shares nothing with the engine.
//!
//! The oracle evaluates a trajectory in plain `f64` ([`curve`]), places the bodies by the kinematics of the other
//! oracles ([`course`]), and advances in steps in which their distance cannot become zero ([`walk`]). [`judge`]
//! compares an answer with it; [`defects`] shows that wrong answers are detected.
//!
//! | module | |
//! |---|---|
//! | [`random`] | seeded arms among triangles, along mixed splines |
//! | [`planted`] | blades across an edge of the robot at a known time, also at waypoints |
//! | [`rewritten`] | the same curve cut, raised to a spline, or with points repeated |
//! | [`time_scaling`] | the same path at another speed |
//! | [`corners`], [`start`] | contacts at waypoints and at the start, computed by hand |
//! | [`pairs`] | a mechanism of two arms against itself |
//! | [`tubes`] | executions within the tolerance of each joint |
//! | [`margins`] | the first time within a distance |
//! | [`options`] | the other options of `check` |
//! | [`malformed`] | malformed files |
//!
//! Times of an answer and of the oracle are compared as `u`, the number of the segment plus the share of it.

mod answers;
pub mod case;
pub mod corners;
pub mod course;
pub mod curve;
mod defects;
pub mod draw;
mod judge;
mod malformed;
mod margins;
mod options;
mod pairs;
mod planted;
pub mod random;
mod rewritten;
mod start;
mod time_scaling;
mod tubes;
mod walk;
