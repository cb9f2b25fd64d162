//! Verdicts on situations with known closed-form answers, by both solvers: overlap and touch at the start and at the
//! end, crossing without any common feature, sliding, rest, and the evaluation cap.
//!
//! Wherever a comment says "exactly", numbers are sums of few powers of two: then nothing is rounded on the way to the
//! pair. Tangent contact, coplanar sliding, parallel edges and rest are in [`published`](super::published) as well.

use super::direct::{Direct, with};
use crate::effort;
use crate::oracle::exact::{self, first_contact, translation};
use crate::random_models::model::{Kind, Model, Motion, Triangle, stored};
use crate::random_models::random::Random;
use firstcontact::stage::s6_solve::{InitialContactPolicy, Method, SolveOptions};
use firstcontact::verdict::{Contact, Verdict};
use glam::{DMat3, DVec3};
use std::f64::consts::FRAC_PI_2;

const METHODS: [Method; 2] = [Method::Jet, Method::Paper];

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// A floor in z = 0.
const FLOOR: Triangle = [DVec3::new(-2.0, -1.0, 0.0), DVec3::new(2.0, -1.0, 0.0), DVec3::new(0.0, 3.0, 0.0)];

/// A link whose tip is at the origin, with the rest above it.
const TOP: Triangle = [DVec3::ZERO, DVec3::new(0.5, 0.25, 1.0), DVec3::new(-0.25, 0.5, 1.0)];

fn up(t: Triangle, by: f64) -> Triangle {
    t.map(|p| p + DVec3::Z * by)
}

/// One triangle that slides along a unit vector from `q0` to `q1`, against others at rest.
fn slide(along: DVec3, x: Triangle, [q0, q1]: [f64; 2], scene: &[Triangle]) -> (Model, Motion) {
    let mut model = Model::default();
    model.add(None, DMat3::IDENTITY, DVec3::ZERO, |value| Kind::Sliding(along, value));
    model.links.push((0, vec![x]));
    model.objects.push(scene.to_vec());
    (model, (vec![q0], vec![q1]))
}

/// One triangle that turns about z, or about the z of a second joint on a first one, from 0 to each angle.
fn turn(x: Triangle, angles: &[f64], scene: &[Triangle]) -> (Model, Motion) {
    let mut model = Model::default();
    for i in 0..angles.len() {
        model.add(i.checked_sub(1), DMat3::IDENTITY, DVec3::ZERO, |value| Kind::Turning(DVec3::Z, value));
    }
    model.links.push((angles.len() - 1, vec![x]));
    model.objects.push(scene.to_vec());
    (model, (vec![0.0; angles.len()], angles.to_vec()))
}

fn by(method: Method, (model, motion): &(Model, Motion)) -> Verdict {
    Direct::new(model, motion).all(&with(method))
}

#[track_caller]
fn contact(verdict: &Verdict) -> &Contact {
    let Verdict::Contact(c) = verdict else { panic!("{verdict:?}") };
    c
}

/// Checks a contact at `t`: never reported late, at most `early` too soon, and not proved to end before.
#[track_caller]
fn expect(verdict: &Verdict, t: f64, early: f64) -> Contact {
    let c = contact(verdict);
    assert!(c.toc[0] <= t && c.toc[0] >= t - early && c.toc[1] >= t, "{c:?} at {t}");
    assert_eq!(c.initial_overlap, t == 0.0, "{c:?}");
    c.clone()
}

/// Crossing triangles have no vertex in a face and no common point of edges: none of the fifteen equations has a root.
#[test]
fn an_edge_through_a_face_at_the_start() {
    // In general position: the paper's equations vanish identically if edges are parallel or corners stay in a plane.
    let wall = [v(0.125, -0.25, -1.0), v(0.25, 0.25, -0.75), v(0.0, 0.0625, 1.0)];
    for method in METHODS {
        for case in [
            // At rest, leaving, moving deeper, and turning within it.
            slide(DVec3::X, wall, [0.0, 0.0], &[FLOOR]),
            slide(DVec3::Z, wall, [0.0, 4.0], &[FLOOR]),
            slide(DVec3::Z, wall, [0.0, -0.5], &[FLOOR]),
            turn(wall, &[0.5], &[FLOOR]),
        ] {
            let c = expect(&by(method, &case), 0.0, 0.0);
            assert!(c.is_proved() && c.is_certified() && c.toc == [0.0, 0.0], "{method:?}: {c:?}");
        }
        // If such pairs are ignored, the others still count: a second floor, two metres up.
        let (model, motion) = slide(DVec3::Z, wall, [0.0, 4.0], &[FLOOR]);
        let options = SolveOptions { initial: InitialContactPolicy::Ignore, ..with(method) };
        assert_eq!(Direct::new(&model, &motion).all(&options), Verdict::Free);
        let mut model = model;
        model.objects.push(vec![up(FLOOR, 2.0)]);
        // The top is at 1 m.
        let c = expect(&Direct::new(&model, &motion).all(&options), 0.25, 1e-9);
        assert!(c.first.unwrap().b.object() == Some(1) && c.is_certified(), "{c:?}");
    }
}

/// A tip exactly on the floor at the start: it stays, leaves, slides off, or penetrates.
#[test]
fn touching_at_the_start_exactly() {
    for method in METHODS {
        for (along, way) in [(DVec3::X, 0.0), (DVec3::Z, 1.0), (DVec3::X, 8.0), (DVec3::Z, -0.5)] {
            let verdict = by(method, &slide(along, TOP, [0.0, way], &[FLOOR]));
            let c = expect(&verdict, 0.0, 0.0);
            // Penetration is proved soon; mere touching never is.
            assert_eq!(c.is_proved(), along == DVec3::Z && way < 0.0, "{method:?} {along} {way}: {c:?}");
        }
        // A nanometre above the floor, leaving: free.
        let above = by(method, &slide(DVec3::Z, up(TOP, 2f64.powi(-30)), [0.0, 1.0], &[FLOOR]));
        assert_eq!(above, Verdict::Free, "{method:?}");
    }
}

/// A tip that reaches the floor exactly at the end, or stops above or below it.
#[test]
fn touching_at_the_end_exactly() {
    for method in METHODS {
        let stops_at = |height: f64| by(method, &slide(DVec3::Z, up(TOP, 1.0), [0.0, height - 1.0], &[FLOOR]));
        let c = expect(&stops_at(0.0), 1.0, 1e-9);
        assert!(!c.is_proved() && c.toc[1] == 1.0, "{c:?}");
        for gap in [2f64.powi(-10), 2f64.powi(-30), 2f64.powi(-36)] {
            assert_eq!(stops_at(gap), Verdict::Free, "{method:?} {gap:e}");
            let c = expect(&stops_at(-gap), 1.0 / (1.0 + gap), 2e-9);
            assert!(c.is_proved() || gap < 1e-10, "{c:?}");
        }
        // A quarter turn: a tip at (1, 0) towards the wall x = 0, whose true time of contact is π/2 of the angle; the
        // nearest numbers to it are 6.1e-17 too small and 1.6e-16 too large.
        let tip = [v(1.0, 0.0, 0.0), v(1.0, -0.5, 0.5), v(1.0, -0.75, -0.5)];
        let wall = [v(0.0, -1.0, -2.0), v(0.0, -1.5, 2.0), v(0.0, 4.0, 0.25)];
        for (angle, touches) in [(FRAC_PI_2 - 1e-9, false), (FRAC_PI_2, true), (FRAC_PI_2 + 1e-9, true)] {
            let verdict = by(method, &turn(tip, &[angle], &[wall]));
            match touches {
                true => drop(expect(&verdict, (FRAC_PI_2 / angle).min(1.0), 2e-9)),
                false => assert_eq!(verdict, Verdict::Free, "{method:?} {angle}"),
            }
        }
    }
}

/// Touching from some time on without end: a tip slides over the border of a face into its plane; and touching all the
/// time while two joints turn against each other about the tip.
#[test]
fn staying_in_touch() {
    for method in METHODS {
        // From x = -4 to 4 along y = 1: the floor begins at x = -1 there. At 3/8 of the motion.
        let case = slide(DVec3::X, TOP.map(|p| p + v(0.0, 1.0, 0.0)), [-4.0, 4.0], &[FLOOR]);
        match by(method, &case) {
            Verdict::Undecided(u) if method == Method::Paper => assert!(u.clear_until <= 0.375, "{u:?}"),
            verdict => {
                let c = expect(&verdict, 0.375, 1e-9);
                assert!(!c.is_proved(), "{method:?} {c:?}");
            }
        }
        for angles in [&[1.0, -1.0][..], &[0.5, 2.0][..], &[7.0][..]] {
            let c = expect(&by(method, &turn(TOP, angles, &[FLOOR])), 0.0, 0.0);
            assert!(!c.is_proved(), "{method:?} {c:?}");
        }
    }
}

/// A search that must end early claims nothing wrong: a sound `clear_until`, or a contact that is proved. The contact
/// is known exactly, as a quotient: nothing turns, and all coordinates are on a lattice.
#[test]
fn the_evaluation_cap() {
    let (mut undecided, mut n_contacts, mut latest) = (0, 0, 0.0_f64);
    for k in 0..effort(100, 20_000) as u64 {
        let r = &mut Random::new(7_700_000 + k);
        let point = |r: &mut Random| 0.125 * DVec3::from_array([0; 3].map(|_| r.whole(-4, 4)));
        let triangle = |r: &mut Random| [point(r), point(r), point(r)];
        let mut model = Model::default();
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let parent = model.bodies.len().checked_sub(1);
            model.add(parent, DMat3::IDENTITY, DVec3::ZERO, |value| Kind::Sliding(axis, value));
        }
        let (x, many): (Triangle, Vec<Triangle>) = (triangle(r), (0..8).map(|_| triangle(r)).collect());
        model.links.push((2, vec![x]));
        model.objects.push(many);
        let q = |r: &mut Random| (0..3).map(|_| 0.125 * r.whole(-12, 12)).collect::<Vec<f64>>();
        let motion: Motion = (q(r), q(r));
        let direct = Direct::new(&model, &motion);
        let chain = &stored(&direct.world.robot, &motion)[3];
        let moving = x.map(|p| translation(chain, p));
        let corners = moving.each_ref().map(|m| m.0.clone());
        let times =
            direct.world.scene.triangles.iter().map(|y| first_contact(&corners, &moving[0].1, &exact::triangle(y)));
        let known = times.flatten().min().map(|t| t.enclosure());
        for method in METHODS {
            for evaluation_cap in [0, 3, 40] {
                // Every pair adds evaluations: all pairs are processed in one sub-interval after the other, and none
                // ends the search early.
                let verdict = direct.all(&SolveOptions { evaluation_cap, ..with(method) });
                match (&verdict, known) {
                    (Verdict::Undecided(u), _) => {
                        undecided += 1;
                        latest = latest.max(u.clear_until);
                        assert!(known.is_none_or(|(_, t)| u.clear_until <= t), "model {k}: {u:?} but {known:?}");
                    }
                    (Verdict::Contact(c), Some((least, t))) => {
                        n_contacts += 1;
                        assert!(
                            c.toc[0] <= t && (!c.is_proved() || c.toc[1] >= least),
                            "model {k}: {c:?} but {known:?}"
                        );
                    }
                    (Verdict::Contact(c), None) => assert!(!c.is_proved(), "model {k}: {c:?}"),
                    (Verdict::Free, _) => assert!(known.is_none(), "model {k}: free, but {known:?}"),
                }
            }
        }
    }
    println!("{undecided} undecided, clear until {latest} at most, {n_contacts} contacts");
    assert!(undecided > 0 && latest > 0.0 && n_contacts > 0);
}
