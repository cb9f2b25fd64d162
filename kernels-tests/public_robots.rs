//! Real robots in real scenes: the engine against dense sampling by independent readers and kinematics.

use crate::effort;
use crate::harness::backends::{self, Tally, differences, engine, on};
use crate::harness::{gpu, witness};
use crate::oracle::inclusion::equations_of_two_triangles;
use crate::oracle::placements::{self, Case, MotionBatch, Placement};
use crate::oracle::poses::Articulated;
use crate::oracle::precise::{self, certainly_pierce};
use crate::oracle::sampling::{Fineness, Hit, Outcome};
use crate::oracle::shapes::Choice;
use crate::oracle::urdf::Geometry as Shape;
use firstcontact::engine::Backend;
use firstcontact::formats::urdf::{Geometry, UrdfOptions};
use firstcontact::robot::Robot;
use firstcontact::scene::Scene;
use firstcontact::verdict::{Contact, Verdict};
use glam::DVec3;
use std::time::Instant;

/// A placement as read by the oracles and by the engine.
struct Both {
    case: Case,
    robot: Robot,
    scene: Scene,
    allowed: Vec<(u32, u32)>,
}

impl Both {
    fn read(placement: &Placement, n: usize) -> Option<Self> {
        let case = placement.case(n)?;
        let geometry = match placement.geometry {
            Choice::Default => Geometry::Auto,
            Choice::Collision => Geometry::Collision,
            Choice::Visual => Geometry::Visual,
        };
        let floating_root = placement.floating_root;
        let options = UrdfOptions { geometry, base: case.base, floating_root, ..UrdfOptions::default() };
        let robot = Robot::from_urdf_with(&case.robot, &options).unwrap_or_else(|e| panic!("{e}"));
        let folder = tempfile::tempdir().unwrap();
        let scene = Scene::from_file(placements::stage(&case.scene, folder.path())).unwrap_or_else(|e| panic!("{e}"));
        assert!(scene.objects.iter().map(|o| &o.name).eq(&case.sampler.objects), "{}", placement.name);
        let named = |pattern: &str, name: &str| pattern == "*" || pattern == name;
        let mut allowed = Vec::new();
        for (l, link) in robot.links.iter().enumerate() {
            for (o, object) in scene.objects.iter().enumerate() {
                if placement.allow.iter().any(|(a, b)| named(a, &link.name) && named(b, &object.name)) {
                    allowed.push((l as u32, o as u32));
                }
            }
        }
        Some(Self { case, robot, scene, allowed })
    }

    fn check(&self, backend: Backend) -> (Vec<Verdict>, f64) {
        let engine = engine(&self.robot, &self.scene, &self.allowed, on(backend));
        let clock = Instant::now();
        let verdicts = backends::verdicts(&engine, &self.case.motions);
        (verdicts, clock.elapsed().as_secs_f64())
    }

    /// The two triangles of a contact's record, by the oracles' readers and kinematics.
    fn named(&self, contact: &Contact, q0: &[f64], q1: &[f64]) -> Articulated {
        let sampler = &self.case.sampler;
        let link = sampler.robot.link(&self.robot.links[contact.first.unwrap().a.link as usize].name);
        let hit = Hit {
            t: contact.toc[0],
            link,
            link_triangle: contact.first.unwrap().a.triangle as usize,
            object: contact.first.unwrap().b.object().unwrap() as usize,
            triangle: contact.first.unwrap().b.triangle() as usize,
        };
        let mut pair = sampler.pair(&hit, q0, q1);
        // Boxes have no triangles of their own: the engine may split their faces in either way, but only at their
        // corners.
        let of_link = &sampler.robot.links()[link];
        let shapes = [&of_link.collision, &of_link.visual];
        if shapes.iter().any(|s| s.iter().any(|s| matches!(s.geometry, Shape::Box(_)))) {
            let body = self.robot.links[contact.first.unwrap().a.link as usize].body as usize;
            let to_link = sampler.robot.poses(q0, q0, 0.0)[link].inverse() * self.robot.body_poses(q0).unwrap()[body];
            let own = self.robot.links[contact.first.unwrap().a.link as usize].triangles
                [contact.first.unwrap().a.triangle as usize];
            let own = own.map(|p| to_link.transform_point3(p));
            for p in own {
                let corners = || sampler.link_triangles(link).iter().flatten();
                assert!(corners().any(|c| c.distance(p) < 1e-9), "{} has no corner {p}", of_link.name);
            }
            pair.bodies[0].1 = own.to_vec();
        }
        pair
    }
}

/// Contacts whose recorded triangles certainly pierce each other at the end of the enclosure, or whose contact function
/// certainly has a root within it.
#[derive(Default)]
struct Sure {
    sure: usize,
    certified: usize,
}

/// Compares one answer with the outcome of sampling. Panics at the first disagreement.
fn compare(both: &Both, (q0, q1): (&[f64], &[f64]), seen: &Outcome, verdict: &Verdict, sure: &mut Sure) {
    let sampler = &both.case.sampler;
    match (verdict, &seen.hit) {
        (Verdict::Free, hit) => assert_eq!(*hit, None, "missed"),
        (Verdict::Undecided(u), Some(hit)) => assert!(u.clear_until <= hit.t, "clear too long: {u:?} {hit:?}"),
        (Verdict::Undecided(_), None) => {}
        (Verdict::Contact(c), hit) => {
            if let Some(hit) = hit {
                assert!(c.toc[0] <= hit.t, "late: {c:?} {hit:?}");
            }
            let [lo, hi] = c.toc;
            let pair = both.named(c, q0, q1);
            assert_eq!(witness::faults(c, &pair, 1e-7), [""; 0]);
            if lo > 0.0 {
                let clearance = sampler.clearance_at(q0, q1, lo, 1e-3);
                assert!(clearance > 0.0, "something is pierced where nothing has touched: {c:?}");
            }
            if c.is_proved() {
                assert!(seen.clear_until <= hi + 1e-9, "proved too early: {c:?} {seen:?}");
                assert!(sampler.clearance_at(q0, q1, hi, 1e-3) < 1e-8, "nothing touches: {c:?}");
            }
            if c.is_certified() {
                assert!(hi - lo <= 1e-9 || (hi - lo) * sampler.speed(q0, q1) <= 1.001e-11, "wide: {c:?}");
                assert!(witness::distance(&pair, hi) < 1e-8, "the named triangles do not touch: {c:?}");
                let meets = |e| precise::Contact::of(&pair, e).certainly_meets((lo - 1e-10).max(0.0), hi);
                sure.certified += 1;
                sure.sure +=
                    usize::from(certainly_pierce(&pair, hi) || equations_of_two_triangles().into_iter().any(meets));
            }
        }
    }
}

fn check(placement: &Placement) {
    let Some(both) = Both::read(placement, effort(40, 200)) else { return };
    let (name, motions): (_, &MotionBatch) = (placement.name, &both.case.motions);
    let (cpu, cpu_s) = both.check(Backend::Cpu);
    let gpu = (!gpu::skip()).then(|| both.check(Backend::Gpu));
    let seen = both.case.sampler.motions(motions, Fineness::default());
    let gpu_s = gpu.as_ref().map_or("-".into(), |g| format!("{:.2}", g.1));
    println!("{name}: {:?}; {cpu_s:.2} s on the CPU, {gpu_s} s on the adapter", Tally::of(&cpu));
    let hits = seen.iter().filter(|o| o.hit.is_some()).count();
    println!("{name}: sampling saw {hits} contacts");
    for verdicts in std::iter::once(&cpu).chain(gpu.as_ref().map(|g| &g.0)) {
        let mut sure = Sure::default();
        for (((q0, q1), seen), verdict) in motions.iter().zip(&seen).zip(verdicts) {
            compare(&both, (q0, q1), seen, verdict, &mut sure);
        }
        println!("{name}: {} of {} certified contacts are certain", sure.sure, sure.certified);
        assert!(10 * sure.sure >= 9 * sure.certified, "{name}");
        let tally = Tally::of(verdicts);
        assert!(1000 * tally.undecided <= 5 * tally.motions, "{name}: {} undecided", tally.undecided);
        assert!(tally.contact > 0 && tally.free > 0, "{name}");
    }
    if let Some((gpu, _)) = gpu {
        assert_eq!(differences(&gpu, &cpu), [""; 0], "{name}");
    }
}

/// All joints move by up to two turns where their limits allow it, which gives many pieces.
#[test]
fn motions_of_many_turns() {
    const TURNS: &[placements::Amplitude] = &[placements::Amplitude { degrees: 720.0 }];
    for placement in [placements::UR5_CRANE, placements::PUMA560_FLYING_POWER_PLANT] {
        check(&Placement { name: "many turns", amplitudes: TURNS, seed: 5, ..placement });
    }
}

/// Robot and scene moved together by kilometres: the same answers at the same times.
#[test]
fn far_from_the_origin() {
    let Some(mut both) = Both::read(&placements::UR5_CRANE, effort(40, 200)) else { return };
    let (near, _) = both.check(Backend::Cpu);
    // A grid so coarse that nothing is rounded.
    let grid = (2.0_f64).powi(-38);
    let rounded = |v: DVec3| (v / grid).round() * grid;
    for far in [DVec3::new(1024.0, -2048.0, 512.0), DVec3::new(-8192.0, 64.0, 4096.0)] {
        let mut scene = Scene::new();
        for (o, object) in both.scene.objects.iter().enumerate() {
            let moved = both.scene.triangles_of(o as u32).iter().map(|t| t.map(|p| rounded(p + far)));
            scene.add_object(&object.name, moved).unwrap();
        }
        let scene = std::mem::replace(&mut both.scene, scene);
        both.robot.bodies[0].joint.origin_m = rounded(both.robot.bodies[0].joint.origin_m + far);
        let (verdicts, _) = both.check(Backend::Cpu);
        both.robot.bodies[0].joint.origin_m -= far;
        both.scene = scene;
        for (i, pair) in near.iter().zip(&verdicts).enumerate() {
            match pair {
                (Verdict::Free, Verdict::Free) => {}
                (Verdict::Contact(a), Verdict::Contact(b)) => {
                    assert!(
                        (a.toc[0] - b.toc[0]).abs() < 1e-7 && a.is_proved() == b.is_proved(),
                        "motion {i}: {pair:?}"
                    );
                }
                _ => panic!("motion {i}: {pair:?}"),
            }
        }
    }
}

#[test]
fn puma560_bookstore() {
    check(&placements::PUMA560_BOOKSTORE);
}

#[test]
fn ur5_bookstore() {
    check(&placements::UR5_BOOKSTORE);
}

#[test]
fn ur5_crane() {
    check(&placements::UR5_CRANE);
}

#[test]
fn panda_kitchen() {
    check(&placements::PANDA_KITCHEN);
}

#[test]
fn panda_visual_kitchen() {
    check(&placements::PANDA_VISUAL_KITCHEN);
}

#[test]
fn panda_bars() {
    check(&placements::PANDA_BARS);
}

#[test]
fn pr2_bookstore() {
    check(&placements::PR2_BOOKSTORE);
}

#[test]
fn puma560_flying_power_plant() {
    check(&placements::PUMA560_FLYING_POWER_PLANT);
}
