//! Public data sets: archives that nobody vouches for, mirrors, planning problems, names, and chains of a protein.

mod archives;
mod mirrors;
mod moveit;
mod names;
mod protein;
