//! `s6_solve`: elementary equations and pairs under contraction, the two solvers against each other, margins, all
//! contacts; fuzzed equations against proofs, published values, known situations, and every term of the error bounds
//! alone.

mod adversary;
mod certificates;
mod contraction;
mod degenerate;
mod direct;
mod equations;
mod margin;
mod published;
mod situations;
mod solvers;
mod terms;
