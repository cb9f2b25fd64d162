//! True statements can be proved, and false ones cannot.

use super::models::*;
use super::prover::*;
use crate::{Kind, Time};

#[test]
fn a_slider_stops_in_front_of_a_wall() {
    let problem = slider(0.0, 0.89);
    let proved = verify(&problem, &free(&problem).unwrap()).unwrap();
    assert_eq!((proved.kind, proved.n_pairs), (Kind::Free, 1));
    assert!(free(&slider(0.0, 0.9)).is_none(), "touching is not free");
    let end = Time { segment: 0, local: 0.98 };
    let problem = slider(0.0, 0.91);
    assert_eq!(verify(&problem, &until(&problem, end).unwrap()).unwrap().kind, Kind::Undecided);
}

#[test]
fn a_turning_arm() {
    let problem = arm([-1.0, 0.5], [2.5, -0.5]);
    let start = std::time::Instant::now();
    let certificate = free(&problem).unwrap();
    let proof_s = start.elapsed();
    let start = std::time::Instant::now();
    let proved = verify(&problem, &certificate).unwrap();
    println!("{} steps, {} bytes, {proof_s:?}, {:?}", proved.n_steps, certificate.len(), start.elapsed());
    assert_eq!(proved.n_pairs, 3);
}
