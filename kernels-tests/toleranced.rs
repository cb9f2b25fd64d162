//! Toleranced motions: fat bodies contain their orbits, balls their motions; what is covered is free; defects of the literal
//! method show, and tampered certificates are refused.

mod experiments;

use firstcontact::toleranced::problem::Problem;
use firstcontact::toleranced::search::{Bodies, Covering, Options, cover, fixed_tree};

/// Searches a problem pair by pair or by ranges.
fn covering(problem: &Problem, pairs: bool) -> Covering {
    let shapes = problem.shapes().unwrap_or_else(|e| panic!("{e}"));
    let tree = fixed_tree(&shapes.fixed);
    let options = Options { pairs, ..Options::new(problem.limits) };
    cover(&Bodies::new(&shapes, &tree), &problem.motion.motion().unwrap(), &options)
}
