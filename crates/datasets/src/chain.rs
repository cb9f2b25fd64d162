//! Chains of slim links among scattered obstacles, to measure how the work grows with the depth of a model.
//!
//! For every number of links, a chain has the same length and thickness, and starts are bent by about the same amount.
//! For one seed the scene is always the same.

use super::arm::{Arm, ArmLink, Mount};
use super::parts::assembly::{Assembly, Part, tessellate};
use super::parts::frame::Frame;
use super::parts::rings::Detail;
use super::parts::shapes::{Shape, Step::*};
use super::random::Stream;
use firstcontact::error::{Error, Result};
use glam::DVec3;
use std::f64::consts::PI;

/// Number of links that a chain may have.
pub(crate) const N_LINKS: std::ops::RangeInclusive<usize> = 1..=1000;
/// Number of obstacles.
pub(crate) const N_OBJECTS: usize = 420;
/// Number of triangles of the obstacles.
pub(crate) const N_TRIANGLES: usize = 24_000;

/// Length from the first joint to the tip, metres.
const LENGTH_M: f64 = 3.0;
/// Half of the thickness of the links, metres.
const RADIUS_M: f64 = 0.013;
/// The height of the first joint, metres.
const MOUNT_M: f64 = 1.6;
/// Centre and radius, metres, of a ball around the first joint that no point of the chain leaves.
pub(crate) const REACH: (DVec3, f64) = (DVec3::new(0.0, 0.0, MOUNT_M), LENGTH_M + 2.0 * RADIUS_M);
/// Starts bend each joint except the first by up to this number divided by the square root of the number of links,
/// radians. The total bend therefore does not depend on the number of links.
const BEND_RAD: f64 = 3.3;
/// No obstacle is closer to the base's axis than this, metres.
const CLEAR_M: f64 = 0.35;

/// The number of links in a name such as `chain-30`; `None` if the name does not belong to a chain.
///
/// # Errors
/// The number is missing or out of range.
pub(crate) fn links_of(name: &str) -> Result<Option<usize>> {
    if name == "chain" {
        return Ok(Some(30));
    }
    let Some(number) = name.strip_prefix("chain-") else { return Ok(None) };
    match number.parse() {
        Ok(n) if N_LINKS.contains(&n) => Ok(Some(n)),
        _ => {
            let message = format!("'{name}' does not name a chain");
            let remedy = format!("chain-N with N from {} to {}", N_LINKS.start(), N_LINKS.end());
            Err(Error::usage(message).remedy(remedy))
        }
    }
}

/// A chain of `n` links that turn alternately about z and y, on a post.
pub(crate) fn arm(n: usize) -> Arm {
    let length = LENGTH_M / n.max(1) as f64;
    let detail = Detail { chord_error_m: 1e-3 };
    let part = |name: String, assembly: &Assembly| Part { kind: "link", name, mesh: assembly.mesh(detail) };
    let mut post = Assembly::new("link");
    post.lathe(
        Frame::at(0.0, 0.0, 0.0),
        &[To(0.0, 0.2), To(0.03, 0.2), To(0.06, 0.05), To(MOUNT_M - 0.06, 0.04), To(MOUNT_M - RADIUS_M, 0.02)],
    );
    let mut links = vec![ArmLink {
        part: part("base".into(), &post),
        mesh_file: "base".into(),
        mount: Mount::default(),
        axis: DVec3::Z,
        start_range_rad: [0.0; 2],
    }];
    for i in 0..n {
        let (axis, mesh_file) = if i % 2 == 0 { (DVec3::Z, "link_z") } else { (DVec3::Y, "link_y") };
        let mut link = Assembly::new("link");
        link.add(Frame::along(axis * -RADIUS_M, axis), Shape::cylinder(RADIUS_M, 2.0 * RADIUS_M));
        link.add(Frame::along(DVec3::ZERO, DVec3::X), Shape::cylinder(0.75 * RADIUS_M, length));
        let origin_m = if i == 0 { DVec3::Z * MOUNT_M } else { DVec3::X * length };
        let bend = (BEND_RAD / (n as f64).sqrt()).min(PI);
        links.push(ArmLink {
            part: part(format!("link{}", i + 1), &link),
            mesh_file: mesh_file.into(),
            mount: Mount { origin_m, x_quarters: 0 },
            axis,
            start_range_rad: if i == 0 { [-PI, PI] } else { [-bend, bend] },
        });
    }
    Arm { name: format!("chain{n}"), links }
}

/// The obstacles: pillars, beams, plates, boxes, balls and rings, separate or intersecting.
///
/// # Errors
/// No error in practice: the range of possible counts contains the required one.
pub(crate) fn scene(seed: u64) -> Result<Vec<Part>> {
    let mut random = Stream::new(seed, "chain/scene");
    let objects: Vec<Assembly> = (0..N_OBJECTS)
        .map(|k| {
            let mut object = match k % 12 {
                0 => pillar(&mut random),
                1 => beam(&mut random),
                2..=3 => ring(&mut random),
                4..=6 => ball(&mut random),
                7 => plate(&mut random),
                _ => block(&mut random),
            };
            object.coarseness = random.between(0.6, 1.6);
            object
        })
        .collect();
    tessellate(&objects, N_TRIANGLES)
}

/// A random point around the base, at least `clear` metres away from its axis.
fn place(random: &mut Stream, clear: f64) -> DVec3 {
    loop {
        let p = DVec3::new(random.between(-3.1, 3.1), random.between(-3.1, 3.1), random.between(0.1, 3.1));
        let across = (p.x * p.x + p.y * p.y).sqrt();
        if across > CLEAR_M + clear && across < 3.1 {
            return p;
        }
    }
}

/// A random direction.
fn direction(random: &mut Stream) -> DVec3 {
    loop {
        let d = DVec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        let length = d.length();
        if (0.1..1.0).contains(&length) {
            return d / length;
        }
    }
}

fn pillar(random: &mut Stream) -> Assembly {
    let (p, r) = (place(random, 0.1), random.between(0.02, 0.06));
    let mut object = Assembly::new("pillar");
    object.add(Frame::at(p.x, p.y, 0.0), Shape::cylinder(r, 3.2));
    object
}

fn beam(random: &mut Stream) -> Assembly {
    // It is perpendicular to the line to the base, so that it remains away from the base.
    let p = place(random, 0.1);
    let out = DVec3::new(p.x, p.y, 0.0).normalize_or(DVec3::X);
    let mut object = Assembly::new("beam");
    let frame = Frame::oriented(p, out.cross(DVec3::Z), DVec3::Z);
    object.add(frame, Shape::cuboid(random.between(0.04, 0.12), random.between(0.03, 0.1), random.between(0.8, 2.5)));
    object
}

fn ring(random: &mut Stream) -> Assembly {
    let major = random.between(0.06, 0.25);
    let p = place(random, major + 0.03);
    let mut object = Assembly::new("ring");
    object.add(Frame::along(p, direction(random)), Shape::Ring { major, minor: random.between(0.006, 0.02) });
    object
}

fn ball(random: &mut Stream) -> Assembly {
    let r = random.between(0.03, 0.14);
    let p = place(random, r);
    let mut object = Assembly::new("ball");
    object.lathe(Frame::along(p, direction(random)), &[To(-r, 0.0), BowlTo(0.0, r), ShoulderTo(r, 0.0)]);
    object
}

fn plate(random: &mut Stream) -> Assembly {
    let p = place(random, 0.35);
    let frame = Frame::along(p, direction(random)).turned(random.below(360) as i64, 360);
    let mut object = Assembly::new("plate");
    object.add(frame, Shape::cuboid(random.between(0.2, 0.5), random.between(0.1, 0.4), 0.008));
    object
}

fn block(random: &mut Stream) -> Assembly {
    let p = place(random, 0.2);
    let frame = Frame::along(p, direction(random)).turned(random.below(360) as i64, 360);
    let mut side = || random.between(0.04, 0.22);
    let mut object = Assembly::new("block");
    object.add(frame, Shape::cuboid(side(), side(), side()));
    object
}
