//! Certified clearance: the lines of the command against an oracle that shares nothing with the engine.
//!
//! [`minimum`] encloses the least distance by branch and bound with bounds of the bodies' travel, [`judge`] compares a
//! line with it and places the two named triangles in the world. [`defects`] shows that wrong lines are detected, and
//! [`made`] that right ones are not.
//!
//! | module | |
//! |---|---|
//! | [`closed`] | distances that can be computed by hand |
//! | [`random`] | seeded robots and scenes, along motions and trajectories of all styles |
//! | [`limits`] | the limit, pairs that do not count, and nothing to be near to |
//! | [`invariance`] | the same motion in another form, more obstacles, other tolerances |
//! | [`stability`] | verdicts and bytes that the option and its environment do not change; resuming |
//! | [`options`] | values that are not valid |
//! | [`real`], [`two_robots`] | robots and scenes of the data sets; two robots of the command |

mod answers;
mod case;
mod closed;
mod defects;
mod invariance;
mod judge;
mod limits;
mod made;
mod minimum;
mod options;
mod random;
mod real;
mod stability;
mod two_robots;
