//! The random search that found the base poses. Run by hand, with the data:
//!
//! `cargo test --release --test kernels-tests -- --ignored --nocapture search_for_bases`
//!
//! with `FIRSTCONTACT_PLACEMENT` set to a name, or to a part of several names.
//!
//! Bases are drawn from a box about the interesting part of the scene, upright, with any yaw, on a grid of a centimetre
//! and a hundredth of a radian. A base is accepted if a third of random configurations is free; it is the better, the
//! closer the share of motions that touch is to two in five.

use super::{ALL, CLEARANCE_M, Draw, Placement};
use crate::oracle::data;
use crate::oracle::sampling::Fineness;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;
use std::f64::consts::PI;

/// The region to search: least and largest x, y, z.
fn region(name: &str) -> ([f64; 3], [f64; 3]) {
    match name {
        "puma560-bookstore" | "ur5-bookstore" => ([-6.0, -5.5, 0.3], [6.0, 5.0, 1.3]),
        "pr2-bookstore" => ([-6.0, -5.5, 0.02], [6.0, 5.0, 0.03]),
        "ur5-crane" => ([-1.5, -10.0, 1.0], [1.5, 5.0, 33.0]),
        "panda-bars" => ([-0.9, -0.8, 0.0], [0.5, 0.8, 0.9]),
        "puma560-flying-powerplant" => ([-40.0, -25.0, 1.0], [40.0, 30.0, 30.0]),
        _ => ([-0.8, -1.2, 0.1], [0.6, 1.2, 1.2]),
    }
}

fn try_bases(placement: &Placement, tries: usize) -> Option<Vec<([f64; 6], f64)>> {
    let robot = data::folder(placement.robot.0)?.join(placement.robot.1);
    let scene = data::folder(placement.scene.0)?.join(placement.scene.1);
    let (lo, hi) = region(placement.name);
    let mut draw = Draw { rng: Pcg64Mcg::seed_from_u64(2004) };
    let mut sampler = placement.sampler(&robot, &scene, [0.0; 6]);
    let mut found = Vec::new();
    for _ in 0..tries {
        let p: [f64; 3] = std::array::from_fn(|i| (draw.between(lo[i], hi[i]) * 100.0).round() / 100.0);
        let yaw = (draw.between(-PI, PI) * 100.0).round() / 100.0;
        let base = [p[0], p[1], p[2], 0.0, 0.0, yaw];
        sampler.robot.base = crate::oracle::fk::base_pose(base);
        let free = (0..30).filter(|_| {
            let q = draw.start(&sampler.robot);
            sampler.clearance(&q, CLEARANCE_M) >= CLEARANCE_M
        });
        if free.count() < 10 {
            continue;
        }
        let motions = placement.motions(&sampler, 40);
        let outcomes = sampler.motions(&motions, Fineness { step_m: 1e-3, ..Fineness::default() });
        found.push((base, outcomes.iter().filter(|o| o.hit.is_some()).count() as f64 / 40.0));
    }
    found.sort_by(|a, b| (a.1 - 0.4).abs().total_cmp(&(b.1 - 0.4).abs()));
    Some(found)
}

#[test]
#[ignore = "a tool: FIRSTCONTACT_PLACEMENT names what it searches for"]
fn search_for_bases() {
    let wanted = std::env::var("FIRSTCONTACT_PLACEMENT").expect("FIRSTCONTACT_PLACEMENT names a placement");
    for placement in ALL.iter().filter(|p| p.name.contains(&wanted)) {
        let Some(found) = try_bases(placement, 300) else { return };
        println!("{}: {} bases", placement.name, found.len());
        found.iter().take(5).for_each(|(base, share)| println!("    {base:?} {share}"));
    }
}
