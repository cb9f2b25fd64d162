//! Links against links: the command's answers against oracles that know nothing of relative motions.
//!
//! [`judge`] compares an answer with dense sampling of all pairs in the world and checks the two triangles that it
//! names; [`defects`] shows that wrong answers are detected. The other modules make robots:
//!
//! | module | |
//! |---|---|
//! | [`gap`] | links 2 cm or 1 mm apart that move together, and apart |
//! | [`folding`], [`mirror`] | times of contact that can be computed by hand |
//! | [`invariance`] | a moving root, another order of the links, another root |
//! | [`scene`] | obstacles as a scene and as links of the robot |
//! | [`starts`] | starts within a margin |
//! | [`choice`] | pairs that are tested, and those that are left out |
//! | [`free_regions`] | proofs for a part of the joint values |
//! | [`variants`] | the other options of `check` |
//! | [`random`] | seeded random trees of links |
//! | [`real_robots`], [`pool`] | robots and motions of the data sets |
//! | [`two_robots`], [`carried`] | several robots and attached objects of the command |

pub mod answers;
pub mod boxes;
pub mod carried;
pub mod case;
mod choice;
mod composed;
mod defects;
mod device;
mod folding;
mod free_regions;
mod gap;
mod invariance;
pub mod judge;
pub mod mechanism;
pub mod merged;
mod mirror;
mod pool;
pub mod random;
pub mod real_robots;
mod reroot;
mod scene;
pub mod solids;
mod starts;
pub mod two_robots;
mod variants;
