//! `s6_solve`: elementary equations and pairs under contraction, the two solvers against each other, margins, all contacts.

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
