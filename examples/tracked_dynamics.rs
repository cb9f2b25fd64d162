//! An egg falls onto a dome, bounces and rocks down it. The extremal pair is integrated together with the motion
//! (Patoglu and Gillespie, figure 5).
//!
//! The caller's state (position, velocity, orientation, spin) and the tracker's state (u, v, r, s) form one vector,
//! which one Runge-Kutta step integrates. Within a step, the dynamics use the penetration depth and point of the pair:
//! a spring and a damper push along the common normal. The pair uses the bodies' motions from the dynamics. No
//! collision search runs.
//!
//! `cargo run --release --example tracked_dynamics`

use firstcontact::extremal::integrate::runge_kutta_4;
use firstcontact::extremal::search::search;
use firstcontact::extremal::tracker::rates;
use firstcontact::extremal::{Configuration, Form, Lost, Moving, Pair, Relative, Shape, State};
use glam::{DMat3, DQuat, DVec3};

const GRAVITY_M_S2: DVec3 = DVec3::new(0.0, 0.0, -9.81);
const MASS_KG: f64 = 0.5;
const SEMI_AXES_M: [f64; 3] = [0.15, 0.1, 0.1];
const STIFFNESS_N_M: f64 = 4000.0;
const DAMPING_N_S_M: f64 = 8.0;
const GAIN_PER_S: f64 = 200.0;
const STEP_S: f64 = 2e-4;
const STEPS: usize = 10_000;

/// Position, velocity, orientation (quaternion), spin in world axes, and the places u, v, r, s of the tracker.
type Whole = [f64; 17];

fn vector(y: &Whole, at: usize) -> DVec3 {
    DVec3::new(y[at], y[at + 1], y[at + 2])
}

/// The egg, as the tracker's input.
fn egg(y: &Whole) -> Moving {
    let q = DQuat::from_xyzw(y[6], y[7], y[8], y[9]).normalize();
    Moving {
        rotation: DMat3::from_quat(q),
        origin_m: vector(y, 0),
        velocity_m_s: vector(y, 3),
        spin_rad_s: vector(y, 10),
    }
}

fn places(y: &Whole) -> [f64; 4] {
    [y[13], y[14], y[15], y[16]]
}

/// A dome, which is A and at rest, and an egg, which is B.
struct System {
    pair: Pair,
    dome: Moving,
    inertia: DVec3,
}

impl System {
    fn relative(&self, y: &Whole) -> Relative {
        Relative::between(&self.dome, &egg(y))
    }

    /// Depth, rate of the distance, point and direction of the contact force on the egg.
    fn contact(&self, y: &Whole, charts: &State) -> (f64, f64, DVec3, DVec3) {
        let pair = Configuration::new(&self.pair, &charts.with(places(y)), &self.relative(y));
        let normal = pair.direction().unwrap_or(DVec3::Z);
        // The dome's axes are those of the world. The normal points out of the egg, so the force has the opposite
        // direction.
        (-pair.sigma_m(), pair.sigma_rate_m_s(), pair.h.point, -normal)
    }

    /// The time derivative of the whole state: equations of motion, and the controller's output.
    fn rates(&self, y: &Whole, charts: &State) -> Result<Whole, Lost> {
        let body = egg(y);
        let (depth_m, rate_m_s, arm, direction) = self.contact(y, charts);
        let push = if depth_m > 0.0 { (STIFFNESS_N_M * depth_m - DAMPING_N_S_M * rate_m_s).max(0.0) } else { 0.0 };
        let force = push * direction;
        let r = body.rotation;
        let inertia = r * DMat3::from_diagonal(self.inertia) * r.transpose();
        let spin = body.spin_rad_s;
        // A little air drag on the spin, so that it decays.
        let torque = arm.cross(force) - 2e-3 * spin;
        let spin_rate = inertia.inverse() * (torque - spin.cross(inertia * spin));
        let acceleration = GRAVITY_M_S2 + force / MASS_KG;
        let turning = DQuat::from_xyzw(spin.x, spin.y, spin.z, 0.0) * DQuat::from_xyzw(y[6], y[7], y[8], y[9]) * 0.5;
        let x = rates(&self.pair, &charts.with(places(y)), &self.relative(y), Form::Normal, GAIN_PER_S, None)?;
        let [v, a, w] = [body.velocity_m_s, acceleration, spin_rate].map(|v| v.to_array());
        let t = [turning.x, turning.y, turning.z, turning.w];
        let mut out = [0.0; 17];
        let all = v.into_iter().chain(a).chain(t).chain(w).chain(x);
        out.iter_mut().zip(all).for_each(|(to, from)| *to = from);
        Ok(out)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pair = Pair { a: Shape::ellipsoid([2.0, 1.5, 0.5])?, b: Shape::ellipsoid(SEMI_AXES_M)? };
    let [a, b, c] = SEMI_AXES_M.map(|x| x * x * MASS_KG / 5.0);
    let system =
        System { pair, dome: Moving::at_rest(DMat3::IDENTITY, DVec3::ZERO), inertia: DVec3::new(b + c, a + c, a + b) };
    let mut y: Whole = [0.0; 17];
    (y[0], y[1], y[2]) = (0.1, 0.05, 0.9);
    y[9] = 1.0;
    (y[10], y[11]) = (1.0, 2.0);
    // The only search, at the start.
    let found = search(&system.pair, &system.relative(&y)).map_err(|lost| lost.to_string())?;
    let mut charts = found.state;
    y[13..].copy_from_slice(&charts.parameters());
    println!("     t s    height m   distance m   contact");
    let (mut bounces, mut touching) = (0, false);
    for i in 0..=STEPS {
        let (depth_m, ..) = system.contact(&y, &charts);
        if depth_m > 0.0 && !touching {
            bounces += 1;
        }
        touching = depth_m > 0.0;
        if i % 500 == 0 {
            println!(
                "{:8.3} {:11.5} {:12.6}   {}",
                i as f64 * STEP_S,
                y[2],
                -depth_m,
                if touching { "yes" } else { "" }
            );
        }
        y = runge_kutta_4(|_, y| system.rates(y, &charts), 0.0, &y, STEP_S).map_err(|lost| lost.to_string())?;
        let norm = y[6..10].iter().map(|q| q * q).sum::<f64>().sqrt();
        y[6..10].iter_mut().for_each(|q| *q /= norm);
        // Charts change only between steps.
        charts = charts.with(places(&y)).settled(&system.pair);
        y[13..].copy_from_slice(&charts.parameters());
    }
    // Compares the integrated result with a separate search.
    let exact = search(&system.pair, &system.relative(&y)).map_err(|lost| lost.to_string())?;
    let (depth_m, ..) = system.contact(&y, &charts);
    println!("{bounces} contacts; at the end {:.9} m integrated, {:.9} m searched for", -depth_m, exact.sigma_m);
    Ok(())
}
