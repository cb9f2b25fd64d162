//! Toleranced motions: a guarantee that a motion is free, by covering it with balls of displacements (Schröcker &
//! Weber, *Guaranteed collision detection with toleranced motions*).
//!
//! A displacement is an affine map, a point of a twelve-dimensional space; masses of a body make that space Euclidean
//! ([`metric`]). A motion is a curve in it. While part of the curve is within a ball, each point of the body stays in a
//! ball in space, an edge within a hyperboloid of one sheet, a face within one of two ([`face`], [`elementary`]). The
//! body misses everything that these volumes miss. If this proves nothing, the part of the motion is halved
//! ([`search`]).
//!
//! | | |
//! |---|---|
//! | [`bezier`], [`smooth`] | balls that contain parts of motions: rational Bézier, differentiable, articulated |
//! | [`plane`] | exclusion by one plane, the simplest test and the one that detects penetration |
//! | [`tree`], [`articulated`] | ranges of polygons with their own masses, for meshes, robots and scenes |
//! | [`certificate`], [`record`] | the proof, as steps and as a file |
//! | [`checker`] | checks a proof; shares with the search only the definition of a problem |
//! | [`problem`], [`job`] | the definition of a problem, and of a task |
//! | [`batch`], [`worklist`] | elementary tests on a graphics adapter (stage `toleranced`), level-by-level search |
//! | [`experiments`] | problems similar to the paper's |
//!
//! The paper's method has three gaps, each of which allows it to certify motions with contact: its tests detect first
//! contacts but not penetration; a fixed edge within a fat one has no root; a contact that is excluded for a patch
//! alone is not excluded for later parts. [`search`] and [`elementary`] describe how these gaps are closed, and a test
//! demonstrates each gap.

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
