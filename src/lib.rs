//! Certified continuous collision detection of articulated models in triangle environments.
//!
//! Given many motions of a robot, [`Engine`] finds for each whether the robot touches the scene, and the time, place
//! and features of the first contact. [`Verdict::Free`] is proved for every moment of the motion, not only at samples,
//! and the time of first contact is returned as a certified enclosure.
//!
//! ```text
//! Robot ──┐                                     ┌─ Free
//! Scene ──┼─ Engine::builder ─ Engine::check ───┼─ Contact { toc, certainty, first, … }
//! Options ┘                        ▲            └─ Undecided { clear_until, reason }
//!                             MotionBatch
//! ```
//!
//! A check passes each motion through six stages: bounds on the motion of every link (`s1_concat`), boxes around it
//! (`s2_bound`), trees of boxes (`s3_cull`), swept volumes (`s4_sweep`), pairs of triangles (`s5_pairs`), and the exact
//! time of contact (`s6_solve`). The first five run on a graphics adapter or on the CPU, the last one on the CPU. The
//! method is that of Redon, Kim, Lin and Manocha, *Fast Continuous Collision Detection for Articulated Models* (2004).
//!
//! Lengths are in metres, angles in radians, and times are fractions of a motion, from 0 to 1.
//!
//! # Features
//!
//! - `formats` (default): URDF, meshes, scenes and motions from files.
//! - `gpu` (default): kernels on graphics adapters, through wgpu.
//!
//! # Other methods
//!
//! - [`acm`]: allowed-collision matrices of a robot's links, with proofs.
//! - `certificate` (feature `formats`): proofs of verdicts, which an independent program verifies.
//! - [`elementary`]: single queries of a vertex and a face, or of two edges.
//! - [`extremal`]: extremal distance of moving curves and surfaces (without the engine's guarantee).
//! - [`toleranced`]: motions with tolerances, covered with balls of displacements.
//!
//! Modules that are not listed here serve the command line, tests and benchmarks, and may change without notice.
//!
//! The [user's guide](https://github.com/firstcontact/firstcontact/tree/main/doc/guide) explains verdicts, file formats
//! and limits.

pub mod acm;
#[doc(hidden)]
pub mod arith;
#[doc(hidden)]
pub mod bvh;
#[cfg(feature = "formats")]
pub mod certificate;
#[doc(hidden)]
pub mod clearance;
pub mod elementary;
#[doc(hidden)]
pub mod enclosure;
#[doc(hidden)]
pub mod engine;
#[doc(hidden)]
pub mod error;
pub mod extremal;
#[cfg(feature = "formats")]
#[doc(hidden)]
pub mod formats;
#[cfg(feature = "gpu")]
#[doc(hidden)]
pub mod gpu;
#[doc(hidden)]
pub mod io;
#[doc(hidden)]
pub mod predicate;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod robot;
#[doc(hidden)]
pub mod scene;
#[doc(hidden)]
pub mod stage;
pub mod toleranced;
#[doc(hidden)]
pub mod verdict;

#[doc(inline)]
pub use clearance::{Clearance, ClearanceOptions, ClosestPoints};
#[doc(inline)]
pub use engine::{Backend, Engine, EngineBuilder, Options, Report, Solids, Stats, Stream};
#[doc(inline)]
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "formats")]
#[doc(inline)]
pub use formats::{Interpolation, MissingJoints, MotionFile, MotionOptions, Srdf, TrajectoryFile, TrajectoryOptions};
#[doc(inline)]
pub use robot::{
    AttachedObject, Body, Column, ColumnKind, Drive, FreeRegion, Joint, JointKind, Link, LinkPairs, MotionBatch,
    RegionColumn, Robot, Trajectory, Triangle, Untested,
};
#[doc(inline)]
pub use scene::{Object, Scene};
#[doc(inline)]
pub use stage::s6_solve::{InitialContactPolicy, Mode, SolveOptions};
#[doc(inline)]
pub use verdict::{
    Certainty, Contact, ContactPoint, Feature, Inside, Obstacle, ObstacleFeature, RobotFeature, SceneFeature,
    TrajectoryVerdict, Undecided, UndecidedReason, Verdict,
};

/// The linear algebra of positions and orientations in this interface.
pub use glam;

/// The Rust code of README.md and of the guide, compiled and run.
#[cfg(all(doctest, feature = "formats"))]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../doc/guide/getting-started.md")]
struct Documents;
