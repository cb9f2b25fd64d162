//! Tests of the verifier.

mod arithmetic;
mod coverage;
mod files;
mod kinematics;
mod models;
mod motions;
mod proofs;
mod prover;
mod random;
mod statements;
