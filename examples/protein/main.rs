//! A protein that changes its conformation next to its neighbours: a chain of a hundred or more joints, without a URDF.
//!
//! ```text
//! firstcontact dataset fetch protein-chains
//! cargo run --release --example protein -- ~/.local/share/firstcontact/datasets/protein-chains/1LCD.pdb A
//! ```
//!
//! The selected chain (A by default) becomes a robot: phi and psi of each residue are joints, in series, and the first
//! atom moves freely. With `--all` every torsion, angle and length of a bond of the backbone is a joint, so that the
//! motion ends exactly in the other conformation. Atoms are balls. The other chains of the file are the scene: for
//! 1LCD, the piece of DNA to which the protein binds. Each model of the file is a conformation; there is a motion from
//! each to the next, along straight lines in torsions (and angles and lengths). Lengths are in Ångström instead of
//! metres; the guarantees do not depend on the unit.

mod chain;
mod pdb;

use chain::{Chain, Freedom, Shapes, van_der_waals};
use firstcontact::engine::Engine;
use firstcontact::robot::primitive::Primitive;
use firstcontact::robot::{MotionBatch, Robot};
use firstcontact::scene::Scene;
use firstcontact::verdict::Verdict;
use firstcontact::{Error, Result};
use pdb::Atom;
use std::time::Instant;

fn main() -> Result<()> {
    let Arguments { path, chain: name, freedom } = Arguments::read(std::env::args().skip(1))?;
    let text = std::fs::read_to_string(&path).map_err(|e| Error::input(e.to_string()).in_file(&path))?;
    let models = pdb::read(&text).map_err(|e| e.in_file(&path))?;

    // Full radii overlap in every molecule where hydrogen bonds connect atoms.
    let shapes = Shapes { radius_share: 0.5, chord_error: 0.05 };
    let conformations: Vec<_> = models.iter().map(|m| chain::residues(m, name)).collect::<Result<_>>()?;
    let chain = Chain::new(&conformations[0], freedom, shapes)?;
    let scene = other_chains(&models[0], name, shapes)?;
    let depth = (0..chain.robot.bodies.len() as u32).map(|b| chain.robot.depth_of(b)).max().unwrap_or(0);
    println!(
        "{} residues, {} joints in series, {} triangles; {} atoms beside it, {} triangles",
        conformations[0].len(),
        depth - 1,
        chain.robot.triangle_count(),
        scene.objects.len(),
        scene.triangles.len()
    );

    let pairs = (0..conformations.len()).map(|a| (a, (a + 1) % conformations.len()));
    let ends: Vec<[Vec<f64>; 2]> =
        pairs.map(|(a, b)| chain.motion(&conformations[a], &conformations[b])).collect::<Result<_>>()?;
    let (starts, ends): (Vec<_>, Vec<_>) = ends.into_iter().map(|[a, b]| (a, b)).unzip();
    let engine = Engine::builder(&chain.robot, &scene).build()?;
    let motions = MotionBatch::between(&starts, &ends)?;
    let start = Instant::now();
    let report = engine.check(&motions)?;
    for (i, verdict) in report.verdicts.iter().enumerate() {
        let to = (i + 1) % conformations.len();
        let there = chain.places(&chain.robot.body_poses(motions.end(i))?);
        let off = there.iter().zip(chain::backbone(&conformations[to])).map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
        print!("from conformation {} to {}, which the backbone misses by {off:.3} Å: ", i + 1, to + 1);
        println!("{}", in_words(verdict, &chain.robot, &scene));
    }
    println!("{} motions in {:.3} s", report.verdicts.len(), start.elapsed().as_secs_f64());
    Ok(())
}

/// The command line.
struct Arguments {
    path: String,
    /// The chain that moves.
    chain: char,
    freedom: Freedom,
}

impl Arguments {
    fn read(arguments: impl Iterator<Item = String>) -> Result<Self> {
        let usage = || Error::usage("protein FILE.pdb [CHAIN] [--all]");
        let (options, words): (Vec<String>, Vec<String>) = arguments.partition(|a| a.starts_with("--"));
        let freedom = match &options[..] {
            [] => Freedom::PhiPsi,
            [all] if all == "--all" => Freedom::All,
            _ => return Err(usage()),
        };
        let chain = words.get(1).and_then(|w| w.chars().next()).unwrap_or('A');
        let path = words.into_iter().next().ok_or_else(usage)?;
        Ok(Self { path, chain, freedom })
    }
}

/// The atoms of all chains but one, each as an object; without hydrogen and water.
fn other_chains(model: &[Atom], chain: char, shapes: Shapes) -> Result<Scene> {
    let mut scene = Scene::new();
    for atom in model.iter().filter(|a| a.chain != chain && a.element != "H" && a.residue != "HOH") {
        let radius_m = shapes.radius_share * van_der_waals(&atom.element);
        let ball = Primitive::Sphere { radius_m }.triangles(shapes.chord_error)?;
        let object = format!("{} {} {} {}", atom.chain, atom.residue, atom.number, atom.name);
        scene.add_object(object, ball.into_iter().map(|t| t.map(|v| v + atom.position)))?;
    }
    Ok(scene)
}

fn in_words(verdict: &Verdict, robot: &Robot, scene: &Scene) -> String {
    match verdict {
        Verdict::Free => "free".into(),
        Verdict::Undecided(u) => format!("undecided, free until {}", u.clear_until),
        Verdict::Contact(c) => match &c.first {
            Some(at) => {
                let link = &robot.links[at.a.link as usize];
                let object = &scene.objects[at.b.object().unwrap_or_default() as usize];
                format!("at {:?} {} touches {}", c.toc, link.name, object.name)
            }
            None => format!("a contact at {:?}", c.toc),
        },
    }
}
