//! Certificates are valid, and tampered ones are rejected.

use super::covering;
use crate::effort;
use firstcontact::toleranced::certificate::{Orders, Step};
use firstcontact::toleranced::checker::{Checker, Standing, Subject};
use firstcontact::toleranced::experiments::{Path, octagons, squares};
use firstcontact::toleranced::problem::{Masses, Polygon, Problem};
use firstcontact::toleranced::search::{RANGE_INFLATION, fixed_tree, moving_tree};

fn orders(problem: &Problem) -> Orders {
    let shapes = problem.shapes().unwrap();
    Orders { moving: moving_tree(&shapes.moving).order, fixed: fixed_tree(&shapes.fixed).order }
}

/// The result of the checker.
fn check(problem: &Problem, orders: Orders, steps: &[Step]) -> Result<(), String> {
    let fixed = Standing::new(&problem.fixed);
    let checker = Checker::new(&problem.moving, &problem.masses, &fixed, orders, RANGE_INFLATION);
    checker
        .and_then(|c| c.check(Subject::Course(&problem.motion), steps))
        .map_err(|r| format!("{}: {}", r.step, r.message))
}

/// A problem with triangles in space on one side and squares on the other.
fn with_triangles() -> Problem {
    let squares = squares(Path::Squares, 2, 0.3, Some(2.0));
    let moving = squares.moving.iter().flat_map(|p| {
        let Polygon::Plane(c) = p else { panic!() };
        let up = |c: [f64; 2]| [c[0], c[1], 0.1 * c[0] * c[1]];
        [[up(c[0]), up(c[1]), up(c[2])], [up(c[0]), up(c[2]), up(c[3])]].map(Polygon::Triangle)
    });
    Problem { moving: moving.collect(), ..squares }
}

#[test]
fn certificates_hold() {
    let mut problems = vec![
        octagons([0.0, 0.0, -0.1125], true),
        octagons([0.0, 0.0, -0.1125], false),
        octagons([0.0, 0.0, 0.8875], true),
        octagons([0.0, -1.0, -0.1125], false),
        squares(Path::Squares, 2, -0.2, None),
        squares(Path::Squares, effort(2, 4), 0.3, Some(2.5)),
        with_triangles(),
    ];
    for path in [Path::Squares, Path::Corner] {
        problems.push(squares(path, effort(2, 4), 0.3, Some(1.0)));
    }
    for (i, problem) in problems.iter().enumerate() {
        for pairs in [true, false] {
            let found = covering(problem, pairs);
            assert!(found.possible.is_empty(), "problem {i}");
            println!("problem {i}: {:?}, {} steps", found.counts, found.proof.len());
            assert_eq!(check(problem, orders(problem), &found.proof), Ok(()), "problem {i}");
        }
    }
}

#[test]
fn tampered_certificates_are_refused() {
    let problem = octagons([0.0, 0.0, -0.1125], false);
    let steps = covering(&problem, true).proof;
    let good = orders(&problem);
    assert_eq!(check(&problem, good.clone(), &steps), Ok(()));
    let refused = |what: &str, steps: &[Step]| {
        let said = check(&problem, good.clone(), steps).expect_err(what);
        println!("{what}: {said}");
    };
    let (mut planes, mut parts) = (0, 0);
    for k in 0..steps.len() {
        let with = |step: Step| {
            let mut steps = steps.clone();
            steps[k] = step;
            steps
        };
        match &steps[k] {
            Step::Plane { radius, normal } => {
                refused("a ball shrunk", &with(Step::Plane { radius: radius * 0.999_999, normal: *normal }));
                refused("a plane turned round", &with(Step::Plane { radius: *radius, normal: normal.map(|x| -x) }));
                refused("a plane of no direction", &with(Step::Plane { radius: *radius, normal: [0.0; 3] }));
                refused("a plane of nonsense", &with(Step::Plane { radius: *radius, normal: [f64::NAN; 3] }));
                planes += 1;
            }
            Step::Apart { radius, clear, normal } => {
                let normal = *normal;
                refused(
                    "a plane turned round",
                    &with(Step::Apart { radius: *radius, clear: clear.clone(), normal: normal.map(|x| -x) }),
                );
                if !clear.is_empty() {
                    refused(
                        "a ball shrunk",
                        &with(Step::Apart { radius: radius * 0.999_999, clear: clear.clone(), normal }),
                    );
                    let shorter = clear[1..].to_vec();
                    refused("a list shortened", &with(Step::Apart { radius: *radius, clear: shorter, normal }));
                }
            }
            Step::Time { radius, clear } if !clear.is_empty() => {
                refused("a ball shrunk", &with(Step::Time { radius: radius * 0.999_999, clear: clear.clone() }));
                refused("a ball of no size", &with(Step::Time { radius: f64::NAN, clear: clear.clone() }));
                parts += 1;
            }
            _ => {}
        }
        let mut missing = steps.clone();
        missing.remove(k);
        refused("a part missing", &missing);
    }
    assert!(planes > 5 && parts > 5, "{planes} {parts}");
    // A list shortened where the contact is not excluded again.
    let mut shortened = 0;
    for k in 0..steps.len() {
        let mut steps = steps.clone();
        let (Step::Time { clear, .. } | Step::Apart { clear, .. }) = &mut steps[k] else { continue };
        if clear.is_empty() {
            continue;
        }
        clear.pop();
        shortened += usize::from(check(&problem, good.clone(), &steps).is_err());
    }
    assert!(shortened > 5, "{shortened}");
    refused("nothing", &[]);
    let mut longer = steps.clone();
    longer.push(steps[steps.len() - 1].clone());
    refused("a part too many", &longer);
    // Halves in exchanged order, which is equivalent to a part number that is off by one.
    let mirrored: Vec<Step> = steps[..1].iter().chain(steps[1..].iter().rev()).cloned().collect();
    refused("parts in another order", &mirrored);
    // Orders.
    for order in [vec![], vec![1], vec![0, 0]] {
        assert!(check(&problem, Orders { moving: order, fixed: good.fixed.clone() }, &steps).is_err());
    }
    // A different motion: a centimetre lower, more than the distance between the octagons.
    let other = octagons([0.0, 0.0, -0.1425], false);
    assert!(check(&other, good.clone(), &steps).is_err());
    // Different masses: the balls have other radii.
    let heavier = Problem { masses: Masses::Individual { inflation: 1.5 }, ..problem.clone() };
    assert!(check(&heavier, good.clone(), &steps).is_err());
    // Two polygons instead of one: the pairs of the second have no proof.
    let twice = Problem { fixed: vec![problem.fixed[0].clone(), problem.fixed[0].clone()], ..problem.clone() };
    assert!(check(&twice, Orders { moving: vec![0], fixed: vec![0, 1] }, &steps).is_err());
}

/// Claims about more than two polygons, and ranges that cannot be divided.
#[test]
fn steps_that_do_not_fit_are_refused() {
    let problem = squares(Path::Squares, 2, 0.3, None);
    let steps = covering(&problem, false).proof;
    let good = orders(&problem);
    assert_eq!(check(&problem, good.clone(), &steps), Ok(()));
    let contact = firstcontact::toleranced::certificate::Contact::Vertex(0);
    for step in [
        Step::Time { radius: 1e3, clear: vec![contact] },
        Step::Apart { radius: 1e3, clear: vec![contact], normal: [0.0, 0.0, 1.0] },
        Step::Plane { radius: 1e-3, normal: [0.0, 0.0, 1.0] },
    ] {
        let changed: Vec<Step> = std::iter::once(step).chain(steps[1..].iter().cloned()).collect();
        assert!(check(&problem, good.clone(), &changed).is_err());
    }
    for endless in [Step::Moving, Step::Fixed, Step::Time { radius: 0.0, clear: vec![] }] {
        assert!(check(&problem, good.clone(), &vec![endless; 1000]).is_err());
    }
}
