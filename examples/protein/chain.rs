//! A backbone as a kinematic tree: lengths, angles and torsions of the bonds N–CA–C–N–… are its joints.
//!
//! Let `b_k` be the bond from backbone atom k − 1 to k. The frame of atom k has its origin at the atom, x along
//! `b_k`, and z along `b_(k-1) × b_k`. It follows from the previous frame by three motions: the torsion about x, the
//! angle between the two bonds about z, and the length along x. Torsions follow IUPAC: 0 is cis, and right-handed
//! rotations are positive.

use super::pdb::Atom;
use firstcontact::robot::primitive::Primitive;
use firstcontact::robot::{ColumnKind, Drive, Joint, JointKind, Robot, Triangle};
use firstcontact::{Error, Result};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use std::f64::consts::{PI, TAU};

/// The joints of the chain that move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// The torsions phi and psi; everything else stays as in the first conformation.
    PhiPsi,
    /// Every torsion, angle and length, so that any conformation is reached exactly.
    All,
}

/// The geometry of atoms.
#[derive(Clone, Copy, Debug)]
pub struct Shapes {
    /// Radii of atoms, as a fraction of their van der Waals radii.
    pub radius_share: f64,
    /// Maximum protrusion of tessellated balls beyond the true ones, Ångström.
    pub chord_error: f64,
}

/// A residue with the three atoms of its backbone, and the others except hydrogen.
#[derive(Clone, Debug)]
pub struct Residue {
    /// Name and number, such as `ARG 12`.
    pub name: String,
    /// N, CA and C.
    pub backbone: [DVec3; 3],
    /// The oxygen of the peptide bond.
    pub oxygen: Option<DVec3>,
    /// Position and element of each other atom.
    pub side: Vec<(DVec3, String)>,
}

/// Maximum length of a bond between two residues; a longer one is a gap, Ångström.
const LONGEST_BOND: f64 = 2.5;

/// The residues of one chain of a model.
///
/// # Errors
/// There are fewer than two residues, or there is a gap between them.
pub fn residues(model: &[Atom], chain: char) -> Result<Vec<Residue>> {
    let mut residues: Vec<Residue> = Vec::new();
    let atoms: Vec<&Atom> = model.iter().filter(|a| a.chain == chain).collect();
    for of_one in atoms.chunk_by(|a, b| a.number == b.number) {
        let place = |name: &str| of_one.iter().find(|a| a.name == name).map(|a| a.position);
        // Water and ions have no backbone.
        let (Some(n), Some(ca), Some(c), [first, ..]) = (place("N"), place("CA"), place("C"), of_one) else { continue };
        let name = format!("{} {}", first.residue, first.number);
        if let Some(before) = residues.last()
            && before.backbone[2].distance(n) > LONGEST_BOND
        {
            return Err(Error::input(format!("the chain has a gap between {} and {name}", before.name)));
        }
        let others = of_one.iter().filter(|a| !["N", "CA", "C", "O"].contains(&a.name.as_str()) && a.element != "H");
        let side = others.map(|a| (a.position, a.element.clone())).collect();
        residues.push(Residue { name, backbone: [n, ca, c], oxygen: place("O"), side });
    }
    match residues.len() {
        0 | 1 => Err(Error::input(format!("chain {chain} has no backbone"))),
        _ => Ok(residues),
    }
}

/// The positions of the backbone's atoms, N, CA, C, N, …
pub fn backbone(residues: &[Residue]) -> Vec<DVec3> {
    residues.iter().flat_map(|r| r.backbone).collect()
}

/// The pose and the internal coordinates of the chain.
struct Coordinates {
    /// The frame of the first atom: x along the first bond, z normal to the first two.
    root: DAffine3,
    /// Torsion, angle and length for each atom after the first; the torsions of the first two of these atoms and the
    /// first angle are 0.
    bonds: Vec<[f64; 3]>,
}

impl Coordinates {
    fn new(places: &[DVec3]) -> Self {
        let bond = |k: usize| places[k] - places[k - 1];
        let x = bond(1).normalize();
        let z = bond(1).cross(bond(2)).normalize();
        let root = DAffine3::from_mat3_translation(DMat3::from_cols(x, z.cross(x), z), places[0]);
        let bonds = (1..places.len()).map(|k| {
            let length = bond(k).length();
            let angle = if k < 2 { 0.0 } else { bond(k - 1).cross(bond(k)).length().atan2(bond(k - 1).dot(bond(k))) };
            let torsion = if k < 3 { 0.0 } else { torsion(bond(k - 2), bond(k - 1), bond(k)) };
            [torsion, angle, length]
        });
        Self { root, bonds: bonds.collect() }
    }
}

/// The torsion about the second of three bonds, radians.
fn torsion(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let (ab, bc) = (a.cross(b), b.cross(c));
    (b.length() * a.dot(bc)).atan2(ab.dot(bc))
}

/// A chain as a robot.
#[derive(Debug)]
pub struct Chain {
    /// The robot; its lengths are Ångström.
    pub robot: Robot,
    /// The body of each backbone atom, and the atom's position in the frame of that body.
    pub atoms: Vec<(u32, DVec3)>,
    freedom: Freedom,
    /// The bonds of the first conformation.
    first: Vec<[f64; 3]>,
}

/// Returns whether a motion of backbone atom k (0 torsion, 1 angle, 2 length) is a joint.
fn moves(freedom: Freedom, k: usize, motion: usize) -> bool {
    match (motion, freedom) {
        // The first atoms have no torsion, the second no angle.
        (0, _) if k < 3 => false,
        (1, _) if k < 2 => false,
        (_, Freedom::All) => true,
        // Torsions that place C are phi, those that place N psi, those that place CA omega.
        (motion, Freedom::PhiPsi) => motion == 0 && k % 3 != 1,
    }
}

/// The robot up to the last atom so far.
struct Growth {
    robot: Robot,
    shapes: Shapes,
    /// The body of the last atom.
    body: u32,
    /// The frame of the last atom in the frame of `body`.
    frame: DAffine3,
    /// The frame of the last atom in the world, in the first conformation.
    world: DAffine3,
}

impl Growth {
    /// A robot with a freely moving body at the first atom, whose frame in the first conformation is `world`.
    fn new(world: DAffine3, shapes: Shapes) -> Result<Self> {
        let mut robot = Robot::new("protein", "world", DMat3::IDENTITY, DVec3::ZERO)?;
        let parts = ["x", "y", "z", "qx", "qy", "qz", "qw"];
        let columns =
            (0..).zip(parts).map(|(i, part)| robot.add_column(format!("root.{part}"), ColumnKind::Free(i), None));
        let first_column = columns.min().unwrap_or_default();
        let root = joint("root", DAffine3::IDENTITY, JointKind::Free { first_column });
        let body = robot.add_body("root", Some(0), root)?;
        Ok(Self { robot, shapes, body, frame: DAffine3::IDENTITY, world })
    }

    /// Adds one motion of a bond (0 torsion, 1 angle, 2 length) as a joint, with its value in the first conformation.
    fn add_joint(&mut self, name: &str, motion: usize, value: f64) -> Result<()> {
        let kind = if motion == 2 { ColumnKind::LengthM } else { ColumnKind::AngleRad };
        let drive = Drive::direct(self.robot.add_column(name, kind, None));
        let kind = match motion {
            0 => JointKind::Revolute { axis: DVec3::X, drive },
            1 => JointKind::Revolute { axis: DVec3::Z, drive },
            _ => JointKind::Prismatic { axis: DVec3::X, drive },
        };
        self.body = self.robot.add_body(name, Some(self.body), joint(name, self.frame, kind))?;
        self.frame = DAffine3::IDENTITY;
        self.world *= step(motion, value);
        Ok(())
    }

    /// Adds one motion of a bond that keeps its value.
    fn add_rigid(&mut self, motion: usize, value: f64) {
        self.frame *= step(motion, value);
        self.world *= step(motion, value);
    }

    /// The position in the frame of `body` that belongs to a position in the first conformation.
    fn local(&self, p: DVec3) -> DVec3 {
        (self.frame * self.world.inverse()).transform_point3(p)
    }

    /// Adds the ball of an atom that moves with `body`.
    fn add_ball(&mut self, name: &str, at: DVec3, element: &str) -> Result<()> {
        let radius_m = self.shapes.radius_share * van_der_waals(element);
        let ball = Primitive::Sphere { radius_m }.triangles(self.shapes.chord_error)?;
        let ball: Vec<Triangle> = ball.into_iter().map(|t| t.map(|v| v + at)).collect();
        self.robot.add_link(name, self.body, ball, vec![0]).map(|_| ())
    }
}

impl Chain {
    /// Builds the robot from its first conformation.
    ///
    /// # Errors
    /// The chain is deeper than the engine supports, or a radius is not positive.
    pub fn new(residues: &[Residue], freedom: Freedom, shapes: Shapes) -> Result<Self> {
        let first = Coordinates::new(&backbone(residues));
        let mut growth = Growth::new(first.root, shapes)?;
        growth.add_ball(&format!("{} N", residues[0].name), DVec3::ZERO, "N")?;
        let mut atoms = vec![(growth.body, DVec3::ZERO)];
        for (k, bond) in (1..).zip(&first.bonds) {
            let residue = &residues[k / 3];
            let atom = format!("{} {}", residue.name, ["N", "CA", "C"][k % 3]);
            for (motion, &value) in bond.iter().enumerate() {
                if moves(freedom, k, motion) {
                    growth.add_joint(&format!("{atom} {}", ["torsion", "angle", "length"][motion]), motion, value)?;
                } else {
                    growth.add_rigid(motion, value);
                }
            }
            let at = growth.frame.translation;
            atoms.push((growth.body, at));
            growth.add_ball(&atom, at, ["N", "C", "C"][k % 3])?;
            // The other atoms attached to this atom move with its frame, in the arrangement of the first conformation.
            if k % 3 == 2 {
                for (at, element) in &residue.side {
                    growth.add_ball(&format!("{} side chain", residue.name), growth.local(*at), element)?;
                }
            }
            // The oxygen is in the plane of CA, C and the next N.
            let before = if k % 3 == 0 { residues.get(k / 3 - 1) } else { None };
            if let Some((before, at)) = before.and_then(|r| Some((r, r.oxygen?))) {
                growth.add_ball(&format!("{} O", before.name), growth.local(at), "O")?;
            }
        }
        Ok(Self { robot: growth.robot, atoms, freedom, first: first.bonds })
    }

    /// Start and end of the motion from one conformation to another, in the robot's columns. Every torsion changes in
    /// the shorter direction.
    pub fn motion(&self, from: &[Residue], to: &[Residue]) -> Result<[Vec<f64>; 2]> {
        let (from, to) = (Coordinates::new(&backbone(from)), Coordinates::new(&backbone(to)));
        if from.bonds.len() != self.first.len() || to.bonds.len() != self.first.len() {
            return Err(Error::usage("the conformations have not the same atoms"));
        }
        let (start, mut end) = (self.columns(&from), self.columns(&to));
        for (column, (a, b)) in self.robot.columns.iter().zip(start.iter().zip(&mut end)) {
            if column.kind == ColumnKind::AngleRad {
                *b = a + (*b - a + PI).rem_euclid(TAU) - PI;
            }
        }
        Ok([start, end])
    }

    fn columns(&self, of: &Coordinates) -> Vec<f64> {
        let turned = DQuat::from_mat3(&of.root.matrix3).normalize();
        let mut q: Vec<f64> = of.root.translation.to_array().into_iter().chain(turned.to_array()).collect();
        for (k, bond) in (1..).zip(&of.bonds) {
            q.extend((0..3).filter(|&motion| moves(self.freedom, k, motion)).map(|motion| bond[motion]));
        }
        q
    }

    /// The positions of the backbone's atoms, given the poses of the bodies.
    pub fn places(&self, poses: &[DAffine3]) -> Vec<DVec3> {
        self.atoms.iter().map(|&(body, at)| poses[body as usize].transform_point3(at)).collect()
    }
}

fn joint(name: &str, frame: DAffine3, kind: JointKind) -> Joint {
    Joint { name: name.into(), orientation: frame.matrix3, origin_m: frame.translation, kind }
}

fn step(motion: usize, value: f64) -> DAffine3 {
    match motion {
        0 => DAffine3::from_rotation_x(value),
        1 => DAffine3::from_rotation_z(value),
        _ => DAffine3::from_translation(DVec3::X * value),
    }
}

/// Van der Waals radii by A. Bondi (1964), Ångström; the radius of carbon for elements that are not in the list.
pub fn van_der_waals(element: &str) -> f64 {
    match element {
        "N" => 1.55,
        "O" => 1.52,
        "S" | "P" => 1.8,
        "SE" => 1.9,
        _ => 1.7,
    }
}
