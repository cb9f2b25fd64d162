//! Allowed-collision matrices with proofs: the pairs of a robot's links that can touch each other within the limits of
//! the joints, and those that cannot.
//!
//! ```text
//! Robot ── pairs ── Path ──┬─ samples ───────── touch ──▶ sometimes, default
//!                          │     │ none touches
//! Shape (a tree per link) ─┘     ▼
//!                            search: boxes of joint values ──▶ never (proved), sometimes, unproved
//! ```
//!
//! A pair is examined in the frame of one of its links ([`path`]), so only the joints between the two matter. Samples
//! find most contacts; other tools report them as their answer. A pair without contact in the samples is decided by
//! branch and bound ([`search`]), with bounds on the displacement over a box of joint values ([`displacement`]) and
//! queries that descend both trees ([`distance`]). As everywhere in this crate, contact means contact of surfaces.

mod classify;
#[doc(hidden)]
pub mod displacement;
#[doc(hidden)]
pub mod distance;
mod free;
mod pairs;
#[doc(hidden)]
pub mod path;
#[doc(hidden)]
pub mod piercing;
#[cfg(feature = "formats")]
mod proof;
pub(crate) mod random;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod shape;

pub use classify::{Class, ClassifiedPair, Options, Pose, Samples, classify, touches};
pub use pairs::{LinkPair, link_pairs};
#[cfg(feature = "formats")]
pub use proof::{ProofFile, Proofs, proof_file, robot_hash};
