//! A square that passes over a triangle: the motion is covered with balls, and the proof checked.
//!
//! ```text
//! cargo run --release --example toleranced
//! ```

use firstcontact::toleranced::checker::{Checker, Standing, Subject};
use firstcontact::toleranced::problem::{Course, Limits, Masses, Polygon, Problem};
use firstcontact::toleranced::search::{Bodies, Options, RANGE_INFLATION, cover, fixed_tree, moving_tree};

fn main() -> firstcontact::Result<()> {
    for height_m in [0.3, 0.05] {
        let problem = Problem {
            moving: vec![Polygon::Plane(vec![[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])],
            fixed: vec![vec![[-0.4, 0.0, 0.0], [0.4, -0.2, 0.1], [0.1, 0.4, 0.0]]],
            // Half a turn about z while it crosses, tilted a little.
            motion: Course::Rigid {
                quaternions: vec![[1.0, 0.05, 0.0, 0.0], [0.7, 0.0, 0.05, 0.7], [0.05, 0.0, 0.0, 1.0]],
                translations: [-2.0, -1.0, 0.0, 1.0, 2.0].map(|x| [x, 0.0, height_m]).to_vec(),
            },
            masses: Masses::Individual { inflation: 2.0 },
            limits: Limits { delta_m: 1e-3, ..Limits::default() },
        };
        let shapes = problem.shapes()?;
        let (moving_tree, fixed_tree) = (moving_tree(&shapes.moving), fixed_tree(&shapes.fixed));
        let bodies =
            Bodies { moving: &shapes.moving, moving_tree: &moving_tree, fixed: &shapes.fixed, fixed_tree: &fixed_tree };
        let found = cover(&bodies, &problem.motion.motion()?, &Options::new(problem.limits));
        if found.possible.is_empty() {
            let fixed = Standing::new(&problem.fixed);
            let checked = Checker::new(&problem.moving, &problem.masses, &fixed, bodies.orders(), RANGE_INFLATION)
                .and_then(|checker| checker.check(Subject::Course(&problem.motion), &found.proof));
            println!("{height_m} m above: free, a proof of {} steps; the checker says {checked:?}", found.proof.len());
        } else {
            let (first, last) = (found.possible[0].span, found.possible[found.possible.len() - 1].span);
            println!("{height_m} m above: contact is possible from {} to {}", first.start(), last.end());
        }
    }
    Ok(())
}
