//! Robots, scenes, motions and statements, as the caller gives them. All numbers are exact.

use crate::ball::{dot, exact};
use crate::hashes::Hash;
use crate::refusal::{Refusal, require};

/// A robot and a scene that were checked, with their hashes.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) robot: Robot,
    pub(crate) scene: Scene,
    pub(crate) hashes: [Hash; 2],
}

impl Model {
    /// Checks and hashes a robot and a scene.
    ///
    /// # Errors
    ///
    /// One of them is not valid: a number is not finite, a body is its own ancestor, an index does not exist.
    pub fn new(robot: Robot, scene: Scene) -> Result<Self, Refusal> {
        robot.check()?;
        scene.check()?;
        let hashes = [robot.hash(), scene.hash()];
        Ok(Self { robot, scene, hashes })
    }

    /// The robot.
    pub fn robot(&self) -> &Robot {
        &self.robot
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Compares the hashes in a file with those of robot and scene.
    pub(crate) fn require_hashes(&self, [robot, scene]: [Hash; 2]) -> Result<(), Refusal> {
        require(robot == self.hashes[0], || "the certificates belong to another robot".into())?;
        require(scene == self.hashes[1], || "the certificates belong to another scene".into())
    }
}

/// A forest of bodies with links.
#[derive(Clone, Debug, PartialEq)]
pub struct Robot {
    /// Number of columns of a motion.
    pub n_columns: usize,
    /// The bodies, in any order.
    pub bodies: Vec<Body>,
    /// The links, each with at least one triangle.
    pub links: Vec<Link>,
}

/// A body: its pose in its parent's frame is `x -> o + K (R(q) x + s(q) a)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The parent; the world if there is none.
    pub parent: Option<usize>,
    /// `K`, three columns: a rotation up to rounding.
    pub orientation: [[f64; 3]; 3],
    /// `o`, in metres.
    pub origin_m: [f64; 3],
    /// The joint.
    pub joint: Joint,
}

/// The joint between a body and its parent.
#[derive(Clone, Debug, PartialEq)]
pub enum Joint {
    /// No motion.
    Fixed,
    /// Rotation about a unit axis.
    Revolute {
        /// The axis, of length 1 up to rounding.
        axis: [f64; 3],
        /// The angle, in radians.
        drive: Drive,
    },
    /// Translation along a unit axis.
    Prismatic {
        /// The axis, of length 1 up to rounding.
        axis: [f64; 3],
        /// The distance, in metres.
        drive: Drive,
    },
    /// Any motion, by seven columns `x y z qx qy qz qw`.
    Free {
        /// The first of the columns.
        first_column: usize,
    },
}

/// The value of a joint, `multiplier * column + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// The column of the motion.
    pub column: usize,
    /// Factor of the column's value.
    pub multiplier: f64,
    /// Added to the product.
    pub offset: f64,
}

/// Triangles that move with a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The name, for messages; part of the robot's hash.
    pub name: String,
    /// The body.
    pub body: usize,
    /// Vertices in the body's frame, in metres.
    pub triangles: Vec<[[f64; 3]; 3]>,
}

/// Objects that do not move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The objects.
    pub objects: Vec<Object>,
}

/// A named set of triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// The name, for messages; part of the scene's hash.
    pub name: String,
    /// Vertices in the world's frame, in metres.
    pub triangles: Vec<[[f64; 3]; 3]>,
}

/// A motion of all columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// The segments, at least one.
    pub segments: Vec<Segment>,
}

/// Polynomials over the local time [0, 1].
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Bernstein coefficients: for each column degree + 1 numbers. The degree is 1 to 15, the same for all columns.
    pub coefficients: Vec<Vec<f64>>,
}

/// The statement that a certificate must prove, derived by the caller from the options of the check.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statement {
    /// The tested pairs of links.
    pub link_pairs: Vec<[usize; 2]>,
    /// Links and objects that are not tested against each other.
    pub excluded: Vec<[usize; 2]>,
    /// The margin, in metres.
    pub margin_m: f64,
    /// The joint tolerance of each column, or empty.
    pub joint_tolerance: Vec<f64>,
}

/// Largest deviation of `KᵀK` from the identity and of `aᵀa` from 1.
const MAX_DEVIATION: f64 = 1e-9;
/// Largest degree of a motion.
pub(crate) const MAX_DEGREE: usize = 15;

impl Robot {
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        for (i, body) in self.bodies.iter().enumerate() {
            body.check(self).map_err(|refusal| refusal.at(format_args!("body {i} of the robot")))?;
        }
        self.check_forest()?;
        for link in &self.links {
            let of = |part| format!("link '{}': {part}", link.name);
            require(link.body < self.bodies.len(), || of("its body is missing"))?;
            require(!link.triangles.is_empty(), || of("it has no triangles"))?;
            require(all_finite(&link.triangles), || of("a coordinate is not finite"))?;
        }
        Ok(())
    }

    /// Every body has the world as an ancestor.
    fn check_forest(&self) -> Result<(), Refusal> {
        for first in 0..self.bodies.len() {
            let mut body = Some(first);
            for _ in 0..self.bodies.len() {
                body = body.and_then(|body| self.bodies[body].parent);
            }
            require(body.is_none(), || format!("body {first} of the robot is its own ancestor"))?;
        }
        Ok(())
    }

    pub(crate) fn has_free_joint(&self) -> bool {
        self.bodies.iter().any(|body| matches!(body.joint, Joint::Free { .. }))
    }
}

impl Body {
    fn check(&self, robot: &Robot) -> Result<(), Refusal> {
        let parent = self.parent.is_none_or(|parent| parent < robot.bodies.len());
        require(parent, || "its parent is missing".into())?;
        require(self.origin_m.iter().all(|x| x.is_finite()), || "its origin is not finite".into())?;
        require(self.skew() <= MAX_DEVIATION, || "its orientation is not a rotation".into())?;
        match &self.joint {
            Joint::Fixed => Ok(()),
            Joint::Revolute { axis, drive } | Joint::Prismatic { axis, drive } => {
                require(axis_deviation(*axis) <= MAX_DEVIATION, || "its axis is not a unit vector".into())?;
                require(drive.multiplier.is_finite() && drive.offset.is_finite(), || "its drive is not finite".into())?;
                require(drive.column < robot.n_columns, || "its column is missing".into())
            }
            Joint::Free { first_column } => {
                let last = first_column.checked_add(7);
                require(last.is_some_and(|last| last <= robot.n_columns), || "its columns are missing".into())
            }
        }
    }

    /// An upper bound for the largest deviation of `KᵀK` from the identity, by its entries' sum.
    pub(crate) fn skew(&self) -> f64 {
        let k = self.orientation.map(exact);
        let mut sum = 0.0;
        for i in 0..3 {
            for j in 0..3 {
                let unit = if i == j { 1.0 } else { 0.0 };
                sum += (dot(k[i], k[j]) - crate::ball::Ball::exact(unit)).magnitude();
            }
        }
        sum * (1.0 + 1e-14)
    }
}

/// An upper bound for `|aᵀa - 1|`.
pub(crate) fn axis_deviation(axis: [f64; 3]) -> f64 {
    (dot(exact(axis), exact(axis)) - crate::ball::Ball::ONE).magnitude()
}

fn all_finite(triangles: &[[[f64; 3]; 3]]) -> bool {
    triangles.iter().flatten().flatten().all(|x| x.is_finite())
}

impl Scene {
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        for object in &self.objects {
            let finite = all_finite(&object.triangles);
            require(finite, || format!("object '{}': a coordinate is not finite", object.name))?;
        }
        Ok(())
    }

    /// The number of triangles of all objects.
    pub(crate) fn n_triangles(&self) -> usize {
        self.objects.iter().map(|object| object.triangles.len()).sum()
    }
}

impl Motion {
    pub(crate) fn check(&self, robot: &Robot) -> Result<(), Refusal> {
        require(!self.segments.is_empty(), || "the motion has no segments".into())?;
        for (i, segment) in self.segments.iter().enumerate() {
            segment.check(robot).map_err(|refusal| refusal.at(format_args!("segment {i} of the motion")))?;
        }
        Ok(())
    }
}

impl Segment {
    /// The degree of all columns; 1 without columns.
    pub(crate) fn degree(&self) -> usize {
        self.coefficients.first().map_or(1, |column| column.len().saturating_sub(1))
    }

    fn check(&self, robot: &Robot) -> Result<(), Refusal> {
        let (n, degree) = (self.coefficients.len(), self.degree());
        require(n == robot.n_columns, || format!("it has {n} columns, the robot {}", robot.n_columns))?;
        require((1..=MAX_DEGREE).contains(&degree), || format!("the degree {degree} is not 1 to {MAX_DEGREE}"))?;
        let even = self.coefficients.iter().all(|column| column.len() == degree + 1);
        require(even, || "its columns have different degrees".into())?;
        let finite = self.coefficients.iter().flatten().all(|c| c.is_finite());
        require(finite, || "a coefficient is not finite".into())?;
        require(degree == 1 || !robot.has_free_joint(), || "a free joint needs degree 1".into())
    }
}

impl Statement {
    /// Checks the statement and sorts the pairs of links.
    pub(crate) fn normalized(mut self, robot: &Robot, scene: &Scene) -> Result<Self, Refusal> {
        let (n_links, n_objects) = (robot.links.len(), scene.objects.len());
        for pair in &mut self.link_pairs {
            pair.sort_unstable();
            require(pair[0] < pair[1] && pair[1] < n_links, || format!("{pair:?} is not a pair of links"))?;
        }
        self.link_pairs.sort_unstable();
        self.link_pairs.dedup();
        for pair in &self.excluded {
            let valid = pair[0] < n_links && pair[1] < n_objects;
            require(valid, || format!("{pair:?} is not a link and an object that can be excluded"))?;
        }
        let bound = |x: f64| x >= 0.0 && x.is_finite();
        require(bound(self.margin_m), || format!("the margin {} is not valid", self.margin_m))?;
        let tolerances = self.joint_tolerance.len();
        let right = tolerances == 0 || tolerances == robot.n_columns;
        require(right, || format!("{tolerances} joint tolerances for {} columns", robot.n_columns))?;
        let valid = self.joint_tolerance.iter().all(|tolerance| bound(*tolerance));
        require(valid, || "a joint tolerance is not valid".into())?;
        for body in &robot.bodies {
            if let Joint::Free { first_column } = body.joint {
                let fixed = (first_column..first_column + 7).all(|column| self.tolerance(column) == 0.0);
                require(fixed, || "a free joint cannot have a tolerance".into())?;
            }
        }
        Ok(self)
    }

    /// The joint tolerance of a column.
    pub(crate) fn tolerance(&self, column: usize) -> f64 {
        self.joint_tolerance.get(column).copied().unwrap_or(0.0)
    }
}
