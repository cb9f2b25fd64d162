//! Several robots joined into one: a tree whose root is the world and carries no links.

use super::{Body, Drive, FixedLink, Joint, JointKind, Link, MAX_DEPTH, Robot};
use crate::error::{Error, Result, quoted};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// The name of the common root.
const WORLD: &str = "world";

impl Robot {
    /// Joins several robots, each with its name, into one. Body 0 is the world; the root of each robot is fixed to it
    /// at the robot's own base pose. Columns, bodies and links are concatenated in the order of the robots, and are
    /// named `robot/joint` and `robot/link`.
    ///
    /// ```
    /// use firstcontact::{LinkPairs, Robot};
    ///
    /// # fn pairs(left: Robot, right: Robot) -> firstcontact::Result<LinkPairs> {
    /// let own = [LinkPairs::all_but_adjacent(&left), LinkPairs::none()];
    /// let both = Robot::join([("left".into(), left), ("right".into(), right)])?;
    /// LinkPairs::of_robots(&both, &own)
    /// # }
    /// ```
    ///
    /// # Errors
    /// There is no robot; a name is empty, contains a slash, or occurs twice; a chain becomes too long.
    pub fn join(robots: impl IntoIterator<Item = (String, Self)>) -> Result<Self> {
        let mut joined = Self::new(WORLD, WORLD, DMat3::IDENTITY, DVec3::ZERO)?;
        let mut names: Vec<String> = Vec::new();
        for (name, robot) in robots {
            check_name(&name, &names)?;
            joined.take(&name, robot)?;
            names.push(name);
        }
        if names.is_empty() {
            return Err(Error::usage("at least one robot is required"));
        }
        joined.name = names.join("+");
        Ok(joined)
    }

    /// Appends a robot below the world.
    fn take(&mut self, name: &str, robot: Self) -> Result<()> {
        let n_bodies = robot.bodies.len() as u32;
        if robot.bodies.len() >= MAX_DEPTH && (0..n_bodies).any(|body| robot.depth_of(body) >= MAX_DEPTH) {
            let message = format!("more than {MAX_DEPTH} joints in a chain, including the one to the world");
            return Err(Error::input(message).at(format!("robot {}", quoted(name))));
        }
        let (first_body, first_column) = (self.bodies.len() as u32, self.columns.len() as u32);
        let named = |own: String| format!("{name}/{own}");
        self.columns.extend(robot.columns.into_iter().map(|mut column| {
            column.name = named(column.name);
            column
        }));
        self.bodies.extend(robot.bodies.into_iter().map(|Body { name, parent, joint }| {
            let parent = Some(parent.map_or(0, |parent| parent + first_body));
            let kind = counted_on(joint.kind, first_column);
            // Frames without a link have no name.
            let name = if name.is_empty() { name } else { named(name) };
            Body { name, parent, joint: Joint { name: named(joint.name), kind, ..joint } }
        }));
        let links = Arc::unwrap_or_clone(robot.links).into_iter().map(|link| Link {
            name: named(link.name),
            body: link.body + first_body,
            attached_to: link.attached_to.map(named),
            ..link
        });
        Arc::make_mut(&mut self.links).extend(links);
        let fixed_links = robot.fixed_links.into_iter();
        self.fixed_links.extend(fixed_links.map(|link| FixedLink {
            name: named(link.name),
            body: link.body + first_body,
            ..link
        }));
        self.links_without_triangles.extend(robot.links_without_triangles.into_iter().map(named));
        self.fixed_joints.extend(robot.fixed_joints.into_iter().map(named));
        self.warnings.extend(robot.warnings.iter().map(|warning| format!("{name}: {warning}")));
        Ok(())
    }

    /// The bodies whose joints place the robot in the world: its root, or, for joined robots, the roots below a world
    /// without links.
    #[doc(hidden)]
    pub fn roots(&self) -> Vec<u32> {
        let root = &self.bodies[0].joint;
        let is_world = root.kind == JointKind::Fixed
            && (root.orientation, root.origin_m) == (DMat3::IDENTITY, DVec3::ZERO)
            && self.links.iter().all(|link| link.body != 0);
        let below = (0..).zip(&self.bodies).filter(|(_, body)| body.parent == Some(0));
        let (roots, are_fixed): (Vec<u32>, Vec<bool>) =
            below.map(|(i, body)| (i, body.joint.kind == JointKind::Fixed)).unzip();
        if is_world && !roots.is_empty() && are_fixed.iter().all(|is| *is) { roots } else { vec![0] }
    }

    /// A point in whole metres near the bases, if they are all on one side of the world's origin and at least `far_m`
    /// away; zero otherwise. Its difference from each base is exact: apart from rounding to the nearest metre, no
    /// coordinate is larger than that of a base or has another sign.
    pub(crate) fn local_origin(&self, far_m: f64) -> DVec3 {
        let bases = self.roots().into_iter().map(|root| self.bodies[root as usize].joint.origin_m);
        let nearest = bases.reduce(|a, b| DVec3::from_array(std::array::from_fn(|i| nearer(a[i], b[i]))));
        nearest.filter(|base| base.length() > far_m).map_or(DVec3::ZERO, DVec3::round)
    }
}

/// The number nearer to zero; zero if the two have different signs.
fn nearer(a: f64, b: f64) -> f64 {
    match a * b > 0.0 {
        true if b.abs() < a.abs() => b,
        true => a,
        false => 0.0,
    }
}

fn check_name(name: &str, earlier: &[String]) -> Result<()> {
    let error = match name {
        "" => Error::usage("a robot has an empty name"),
        _ if name.contains('/') => Error::usage(format!("the robot's name {} has a slash", quoted(name))),
        _ if earlier.iter().any(|known| known == name) => {
            Error::usage(format!("two robots are called {}", quoted(name)))
        }
        _ => return Ok(()),
    };
    Err(error.remedy("give each robot a name of its own, without slashes"))
}

/// The same motion, driven by columns that follow `first` others.
fn counted_on(kind: JointKind, first: u32) -> JointKind {
    let later = |drive: Drive| Drive { column: drive.column + first, ..drive };
    match kind {
        JointKind::Fixed => JointKind::Fixed,
        JointKind::Revolute { axis, drive } => JointKind::Revolute { axis, drive: later(drive) },
        JointKind::Prismatic { axis, drive } => JointKind::Prismatic { axis, drive: later(drive) },
        JointKind::Free { first_column } => JointKind::Free { first_column: first_column + first },
    }
}
