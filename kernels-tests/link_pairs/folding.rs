//! A finger that closes on itself: n links of length 1 that turn by the same angle are the sides of a regular polygon
//! when the angle is 2π/n. Then the tip of the last link is back at the start of the first one.
//!
//! The height of the tip above the first link is the imaginary part of the sum of e^(i k θ) for k < n,
//! sin(nθ/2) sin((n-1)θ/2) / sin(θ/2), whose first zero is θ = 2π/n.

use super::case::{Case, Ends, ends, touches};
use super::mechanism::Mechanism;
use super::solids::{block, spike};
use glam::DVec3;
use std::f64::consts::TAU;

/// The first link is a plate with its upper side in the plane y = 0, about the start of the first side of the polygon;
/// the diagonals of that side are not at the start. The others are spikes along their sides.
fn finger(n: usize) -> Mechanism {
    let mut finger = Mechanism::default().link("side0", block([-0.5, -0.2, -0.3], [0.62, 0.0, 0.31]));
    for k in 1..n {
        let (above, this) = (format!("side{}", k - 1), format!("side{k}"));
        let joint = format!("knuckle{k}");
        finger = finger.link(&this, spike(0.3, 1.0, 0.03));
        finger = finger.joint((&joint, "revolute"), (&above, &this), DVec3::X, DVec3::Z);
    }
    finger
}

/// All joints turn from 0 to `angle`.
fn closing(n: usize, angle: f64) -> Ends {
    (1..n).map(|k| (format!("knuckle{k}"), [vec![0.0], vec![angle]])).collect()
}

#[test]
fn a_finger_closes_on_itself() {
    for n in 3..8 {
        let case = Case::new(&finger(n));
        assert_eq!(case.sampler.pairs.len(), (n - 1) * (n - 2) / 2);
        let closed = TAU / n as f64;
        let motions = [1.25, 1.01, 0.99].map(|share| case.motion(&closing(n, share * closed)));
        let answers = case.judged(&motions.to_vec(), &[]);
        touches(&answers[0], 0.8);
        touches(&answers[1], 1.0 / 1.01);
        assert!(answers[2].contact().is_none(), "{:?}", answers[2]);
        let place = answers[0].contact().and_then(|c| c.place.as_ref()).expect("a place");
        assert_eq!([&place.a.name, &place.b.name], ["side0", &format!("side{}", n - 1)]);
        assert_eq!((place.a.feature.0.as_str(), place.b.feature.0.as_str()), ("face", "vertex"));
        // The point is given for the start of the enclosure, the normal points into the plate.
        assert!(place.point.length() < 1e-7, "{}", place.point);
        assert!((place.normal + DVec3::Y).length() < 1e-9, "{}", place.normal);
    }
}

/// The same finger while its first link travels and turns.
#[test]
fn a_finger_closes_while_it_travels() {
    for n in [3, 5, 7] {
        for metres in [0.1, 30.0, 100.0] {
            let mount = [("prismatic", DVec3::new(0.0, 0.6, 0.8)), ("continuous", DVec3::new(0.48, 0.6, 0.64))];
            let case = Case::new(&finger(n).on(&mount));
            let travel = ends([("moved0", 0.0, metres), ("moved1", 1.0, -9.0)]);
            let motion = |share: f64| case.motion(&travel.clone().into_iter().chain(closing(n, share)).collect());
            let closed = TAU / n as f64;
            let answers = case.judged(&vec![motion(1.6 * closed), motion(0.98 * closed)], &[]);
            touches(&answers[0], 0.625);
            assert!(answers[1].contact().is_none(), "{:?}", answers[1]);
        }
    }
}
