//! Extremal distance: derivatives, equations, tracking against published and tabulated values and against oracles that
//! share nothing with the tracker; the paper's printed errors, each in a case where it gives wrong results.

mod batch;
mod bodies;
mod boundaries;
mod contact;
mod defects;
mod experiments;
mod formulas;
mod geometry;
mod literal;
mod oracle;
mod pairs;
mod steps;
mod surfaces;
