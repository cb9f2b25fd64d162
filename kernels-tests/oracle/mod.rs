//! Independent test oracles.
//!
//! Nothing here uses the engine: each oracle is written only from the specification of the inputs and of the motion, on
//! plain `f64`, so that a mistake of the engine is not repeated in its check. Oracles are obviously right rather than
//! fast.
//!
//! | module | result |
//! |---|---|
//! | [`fk`] | pose of every link of a URDF at time t of a motion |
//! | [`mesh`], [`scene`] | triangles of a link and of a scene |
//! | [`sampling`] | whether and approximately when a motion touches the scene, by dense sampling in time |
//! | [`pair_sampling`] | the same for pairs of links |
//! | [`groups`] | links that are joined rigidly, neighbours, and the pairs of links to test |
//! | [`inclusion`] | a proof that two moving features or triangles do not meet before a time, by interval boxes |
//! | [`exact`] | whether two triangles meet, and when a translated one first does, in rational arithmetic |
//! | [`precise`] | positions, derivatives and roots of contact functions to more than 100 bits |
//! | [`pool`] | comparison of a list of verdicts with the motion pool of known truth |
//! | [`placements`] | robots, scenes and motions in which free and touching motions are both common |
//!
//! The others support these: [`urdf`] and [`shapes`] (the contents of a robot's file), [`advance`], [`tree`] and
//! [`triangles`] (steps in time and distances in plain `f64`), [`chain`] (the numbers that define a motion),
//! [`interval`] and [`poses`], [`dyadic`], [`ball`], [`npy`], and [`queries`] (published elementary queries).
//!
//! Tests on real data need the variable `FIRSTCONTACT_DATA` and report when they are skipped; with
//! `FIRSTCONTACT_EFFORT=full` they use whole data sets instead of a part.
#![allow(clippy::excessive_precision, clippy::approx_constant, reason = "published values stand as they are printed")]
#![allow(dead_code, reason = "a library for tests: not every test uses every part")]

pub mod advance;
pub mod ball;
pub mod chain;
pub mod data;
pub mod dyadic;
pub mod exact;
pub mod fk;
pub mod groups;
pub mod inclusion;
pub mod interval;
pub mod mesh;
pub mod npy;
pub mod pair_sampling;
pub mod placements;
pub mod pool;
pub mod poses;
pub mod precise;
pub mod queries;
pub mod sampling;
pub mod scene;
pub mod shapes;
pub mod tree;
pub mod triangles;
pub mod urdf;
