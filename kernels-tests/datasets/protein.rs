//! The chains of `examples/protein`: both ends of a motion against the positions in the file, and verdicts against
//! sampling.

#[path = "../../examples/protein/chain.rs"]
mod chain;
#[path = "../../examples/protein/pdb.rs"]
mod pdb;

use chain::{Chain, Freedom, Residue, Shapes, backbone};
use firstcontact::engine::{Backend, Engine};
use firstcontact::robot::MotionBatch;
use firstcontact::robot::primitive::Primitive;
use firstcontact::scene::Scene;
use firstcontact::verdict::Verdict;
use glam::DVec3;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

const SHAPES: Shapes = Shapes { radius_share: 0.4, chord_error: 0.1 };

/// A random walk with bonds of about the right length, as residues.
fn walk(n: usize, random: &mut impl FnMut() -> f64) -> Vec<Residue> {
    let mut at = DVec3::new(3.0, -2.0, 40.0);
    let mut next = || {
        let step = DVec3::new(random(), random(), random()) - 0.5;
        at += step.normalize() * (1.2 + 0.4 * step.x.abs());
        at
    };
    let residue =
        |i| Residue { name: format!("R {i}"), backbone: [next(), next(), next()], oxygen: None, side: Vec::new() };
    (0..n).map(residue).collect()
}

/// The largest distance of the chain's atoms from their expected positions, for values of the columns.
fn deviation(chain: &Chain, q: &[f64], expected: &[DVec3]) -> f64 {
    let places = chain.places(&chain.robot.body_poses(q).unwrap());
    assert_eq!(places.len(), expected.len());
    places.iter().zip(expected).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

#[test]
fn both_ends_are_where_the_atoms_are() {
    let mut words = Pcg64Mcg::seed_from_u64(1);
    let mut random = || (words.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    for n in [2, 7, 60] {
        let (a, b) = (walk(n, &mut random), walk(n, &mut random));
        let all = Chain::new(&a, Freedom::All, SHAPES).unwrap();
        let [start, end] = all.motion(&a, &b).unwrap();
        // Nine values for each residue, minus the six that place the first three atoms, plus seven of the root.
        assert_eq!(start.len(), 9 * n - 6 + 7);
        assert!(deviation(&all, &start, &backbone(&a)) < 1e-10 && deviation(&all, &end, &backbone(&b)) < 1e-10, "{n}");
        let few = Chain::new(&a, Freedom::PhiPsi, SHAPES).unwrap();
        let [start, _] = few.motion(&a, &b).unwrap();
        assert_eq!(start.len(), 2 * n - 2 + 7);
        assert!(deviation(&few, &start, &backbone(&a)) < 1e-10);
    }
}

#[test]
fn chain_gaps_and_invalid_files_are_errors() {
    assert!(pdb::read("").is_err());
    assert!(pdb::read("ATOM      1  N   ALA A   1       x").is_err());
    let atom = |name: &str, number: usize, x: f64| {
        format!(
            "ATOM      1  {name:<3} ALA A{number:4}    {x:8.3}   0.000   0.000  1.00  0.00           {}\n",
            &name[..1]
        )
    };
    let residue = |i: usize, x: f64| atom("N", i, x) + &atom("CA", i, x + 1.4) + &atom("C", i, x + 2.9);
    let models = pdb::read(&(residue(1, 0.0) + &residue(2, 4.2))).unwrap();
    assert_eq!(chain::residues(&models[0], 'A').unwrap().len(), 2);
    assert_eq!(models[0][1].position, DVec3::new(1.4, 0.0, 0.0));
    assert!(chain::residues(&models[0], 'B').is_err());
    let gap = pdb::read(&(residue(1, 0.0) + &residue(5, 9.0))).unwrap();
    assert!(chain::residues(&gap[0], 'A').unwrap_err().to_string().contains("gap between ALA 1 and ALA 5"));
}

/// The three conformations of 1LCD with the DNA that it binds.
#[test]
fn conformations_of_a_protein() {
    let Some(folder) = crate::oracle::data::folder("protein-chains") else { return };
    let models = pdb::read(&std::fs::read_to_string(folder.join("1LCD.pdb")).unwrap()).unwrap();
    let conformations: Vec<_> = models.iter().map(|m| chain::residues(m, 'A').unwrap()).collect();
    assert_eq!((conformations.len(), conformations[0].len()), (3, 51));
    let mut scene = Scene::new();
    let others: Vec<_> = models[0].iter().filter(|a| "BC".contains(a.chain) && a.element != "H").collect();
    for atom in &others {
        let radius_m = SHAPES.radius_share * chain::van_der_waals(&atom.element);
        let ball = Primitive::Sphere { radius_m }.triangles(SHAPES.chord_error).unwrap();
        scene.add_object(&atom.name, ball.into_iter().map(|t| t.map(|v| v + atom.position))).unwrap();
    }
    for freedom in [Freedom::PhiPsi, Freedom::All] {
        let chain = Chain::new(&conformations[0], freedom, SHAPES).unwrap();
        let ends: Vec<_> =
            (0..3).map(|i| chain.motion(&conformations[i], &conformations[(i + 1) % 3]).unwrap()).collect();
        for (i, [start, end]) in ends.iter().enumerate() {
            if freedom == Freedom::All {
                assert!(deviation(&chain, start, &backbone(&conformations[i])) < 1e-9);
                assert!(deviation(&chain, end, &backbone(&conformations[(i + 1) % 3])) < 1e-9);
            }
        }
        assert!(deviation(&chain, &ends[0][0], &backbone(&conformations[0])) < 1e-9);
        let joints = chain.robot.bodies.len() - 2;
        assert_eq!(joints, if freedom == Freedom::All { 9 * 51 - 6 } else { 2 * 51 - 2 });
        let motions = MotionBatch::between(&ends.each_start(), &ends.each_end()).unwrap();
        let engine = Engine::builder(&chain.robot, &scene).backend(Backend::Cpu).build().unwrap();
        let report = engine.check(&motions).unwrap();
        for (i, verdict) in report.verdicts.iter().enumerate() {
            println!("{freedom:?} {i}: {verdict:?}");
            let (clear_until, contact) = match verdict {
                Verdict::Free => (1.0, None),
                Verdict::Contact(c) => (c.toc[0], c.is_proved().then_some(c.toc[1])),
                Verdict::Undecided(u) => (u.clear_until, None),
            };
            // The triangles are outside of the balls: where backbone balls meet, so do triangles. Before the contact
            // none may meet.
            for step in 0..=200 {
                let t = step as f64 / 200.0;
                let places = chain.places(&engine.body_poses(&motions, i, t).unwrap());
                let meet = places.iter().zip(["N", "C", "C"].iter().cycle()).any(|(p, element)| {
                    let r = chain::van_der_waals(element);
                    others.iter().any(|o| {
                        let reach = SHAPES.radius_share * (r + chain::van_der_waals(&o.element));
                        let inside = SHAPES.radius_share * (r - chain::van_der_waals(&o.element)).abs();
                        let d = o.position.distance(*p);
                        d < reach && d > inside + SHAPES.chord_error
                    })
                });
                assert!(!meet || t >= clear_until, "motion {i} at {t}: balls meet, {verdict:?}");
            }
            assert!(contact.is_none_or(|t| t >= clear_until));
        }
    }
}

trait Ends {
    fn each_start(&self) -> Vec<&[f64]>;
    fn each_end(&self) -> Vec<&[f64]>;
}

impl Ends for Vec<[Vec<f64>; 2]> {
    fn each_start(&self) -> Vec<&[f64]> {
        self.iter().map(|[a, _]| a.as_slice()).collect()
    }

    fn each_end(&self) -> Vec<&[f64]> {
        self.iter().map(|[_, b]| b.as_slice()).collect()
    }
}
