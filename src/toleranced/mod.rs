//! Toleranced motions: a guarantee that a motion is free, by covering it with balls of displacements (Schröcker & Weber,
//! *Guaranteed collision detection with toleranced motions*).
//!
//! A displacement is an affine map, a point of a space of twelve dimensions; masses of a body make it Euclidean
//! ([`metric`]). A motion is a curve in it. Where part of the curve lies in a ball, each point of the body lies in a ball of
//! space, an edge within a hyperboloid of one sheet, a face within one of two ([`face`], [`elementary`]). What these miss, the
//! body misses. Where they do not, the part of the motion is halved ([`search`]).
//!
//! | | |
//! |---|---|
//! | [`bezier`], [`smooth`] | motions and the balls that contain their parts: rational Bézier, twice differentiable, articulated |
//! | [`plane`] | exclusion by one plane, the simplest and the one that sees penetration |
//! | [`tree`], [`articulated`] | ranges of polygons with masses of their own, so that meshes, robots and scenes can be searched |
//! | [`certificate`], [`record`] | the proof, as steps and as a file |
//! | [`checker`] | goes through a proof; shares with the search the definition of a problem and nothing else |
//! | [`problem`], [`job`] | what is asked |
//! | [`batch`], [`worklist`] | elementary tests on a graphics adapter, the stage `toleranced`; the search level by level with it |
//! | [`experiments`] | problems in the manner of the paper's |
//!
//! The paper's method has three gaps, each of which certifies what touches: its tests see first contacts but not penetration; a
//! fixed edge within a fat one has no root; what is excluded for a patch is not excluded for later parts. [`search`] and
//! [`elementary`] say what is done instead, and tests show each.

pub mod articulated;
#[cfg(feature = "gpu")]
pub mod batch;
pub mod bezier;
pub mod certificate;
pub mod checker;
pub mod elementary;
pub mod enclosure;
pub mod experiments;
pub mod face;
#[cfg(feature = "formats")]
pub mod job;
pub mod metric;
pub mod motion;
pub mod plane;
pub mod problem;
#[cfg(feature = "formats")]
pub mod record;
pub mod search;
pub mod smooth;
pub mod tree;
#[cfg(feature = "gpu")]
pub mod worklist;
