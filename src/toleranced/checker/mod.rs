//! An independent checker: it checks a proof step by step and computes everything again, from the definition of the
//! problem, in its own arithmetic.
//!
//! The coverage of the motion and of all pairs of polygons needs no test: each step either settles a part or divides it
//! into two halves, whose proofs must follow.

mod arithmetic;
mod course;
mod positive;

use super::certificate::{Contact, Orders, Step};
use super::motion::{MAX_LEVEL, Span};
use super::problem::{Course, Masses, Polygon};
use crate::robot::JointMotion;
use arithmetic::{Num, Vec3, apply, dot, minus, norm2, plus, vector};
use course::{Mass, Motion};
use positive::{Edge, ball_misses, edges_miss, on_triangle};
use std::collections::HashSet;

/// The reason why a proof is refused, and the step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The fault.
    pub message: String,
    /// The number of the step.
    pub step: usize,
}

type Checked = std::result::Result<(), Refusal>;

/// A moving polygon: corners in the body, and its distortion rate, computed from corners and features in a frame of its
/// own.
#[derive(Debug)]
struct Face {
    corners: Vec<Vec3>,
    masses: Vec<Mass>,
    /// `ρ²` as a form on pairs of corners.
    rho2: Vec<Vec<Num>>,
}

/// The motion that a proof is about.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'m> {
    /// A motion from a file.
    Course(&'m Course),
    /// The motion of a body of an articulated model: the joints from the root to it.
    Joints(&'m [JointMotion]),
}

/// The fixed polygons.
#[derive(Debug)]
pub struct Standing(Vec<Vec<Vec3>>);

impl Standing {
    /// Converts polygons given by their corners.
    pub fn new<P: AsRef<[[f64; 3]]>>(polygons: &[P]) -> Self {
        Self(polygons.iter().map(|p| p.as_ref().iter().map(|v| vector(*v)).collect()).collect())
    }
}

/// A moving body, a fixed one, and the order of their polygons.
#[derive(Debug)]
pub struct Checker<'s> {
    moving: Vec<Face>,
    fixed: &'s Standing,
    orders: Orders,
    inflation: f64,
}

fn refuse<T>(message: &str, step: usize) -> std::result::Result<T, Refusal> {
    Err(Refusal { message: message.into(), step })
}

impl<'s> Checker<'s> {
    /// Creates a checker for polygons, their masses, and the orders and the inflation of ranges in a certificate.
    ///
    /// # Errors
    /// An order is not a permutation of the polygons, or the inflation is not a finite number of at least 1.
    pub fn new(
        moving: &[Polygon],
        masses: &Masses,
        fixed: &'s Standing,
        orders: Orders,
        inflation: f64,
    ) -> std::result::Result<Self, Refusal> {
        let is_order = |order: &[u32], n: usize| {
            let mut met = vec![false; n];
            order.len() == n
                && order.iter().all(|&i| met.get_mut(i as usize).is_some_and(|m| !std::mem::replace(m, true)))
        };
        if !is_order(&orders.moving, moving.len()) || !is_order(&orders.fixed, fixed.0.len()) {
            return refuse("the order is not a permutation of the polygons", 0);
        }
        if !(inflation >= 1.0 && inflation.is_finite()) {
            return refuse("the inflation is not a finite number of at least 1", 0);
        }
        let moving = moving.iter().map(|p| Face::new(p, masses)).collect();
        Ok(Self { moving, fixed, orders, inflation })
    }

    /// Checks a proof that a motion is free.
    ///
    /// # Errors
    /// A step is missing, surplus, or does not hold.
    pub fn check(&self, subject: Subject, steps: &[Step]) -> Checked {
        let motion = match subject {
            Subject::Course(course) => Motion::of(course),
            Subject::Joints(joints) => Motion::Joints(joints, Span::ALL),
        };
        let mut walk = Walk { claim: self, steps, at: 0 };
        let [a, b] = [self.orders.moving.len(), self.orders.fixed.len()];
        if a > 0 && b > 0 {
            walk.part([0, a], [0, b], Span::ALL, &motion, &HashSet::new())?;
        }
        if walk.at == steps.len() { Ok(()) } else { refuse("there are steps after the end of the proof", walk.at) }
    }
}

struct Walk<'w> {
    claim: &'w Checker<'w>,
    steps: &'w [Step],
    at: usize,
}

impl Walk<'_> {
    fn part(&mut self, a: [usize; 2], b: [usize; 2], span: Span, motion: &Motion, clear: &HashSet<Contact>) -> Checked {
        let at = self.at;
        let Some(step) = self.steps.get(at) else { return refuse("the proof ends too early", at) };
        self.at += 1;
        let halves = |[first, end]: [usize; 2]| {
            let middle = first + (end - first) / 2;
            (end - first > 1).then_some([[first, middle], [middle, end]])
        };
        let both = [a, b].map(halves) == [None, None];
        let pair = both.then(|| (self.claim.orders.moving[a[0]] as usize, self.claim.orders.fixed[b[0]] as usize));
        match step {
            Step::Moving => match halves(a) {
                Some([l, r]) => {
                    self.part(l, b, span, motion, clear)?;
                    self.part(r, b, span, motion, clear)
                }
                None => refuse("a single polygon cannot be halved", at),
            },
            Step::Fixed => match halves(b) {
                Some([l, r]) => {
                    self.part(a, l, span, motion, clear)?;
                    self.part(a, r, span, motion, clear)
                }
                None => refuse("a single polygon cannot be halved", at),
            },
            Step::Plane { radius, normal } => self.plane(a, b, pair, motion, (*radius, *normal), at),
            Step::Apart { radius, clear: new, normal } => {
                let Some(pair) = pair else {
                    return refuse("contacts can only be excluded for one pair of polygons", at);
                };
                let mut clear = clear.clone();
                self.clear(pair, motion, *radius, new, &mut clear, at)?;
                let (n, m) = (self.claim.moving[pair.0].corners.len(), self.claim.fixed.0[pair.1].len());
                if clear.len() != n + m + n * m {
                    return refuse("a contact is not excluded", at);
                }
                self.apart(pair, motion, *normal, at)
            }
            Step::Time { radius, clear: new } => {
                if span.level >= MAX_LEVEL {
                    return refuse("time is halved too often", at);
                }
                let mut clear = clear.clone();
                match pair {
                    Some(pair) => self.clear(pair, motion, *radius, new, &mut clear, at)?,
                    None if new.is_empty() => {}
                    None => return refuse("contacts can only be excluded for one pair of polygons", at),
                }
                let [first, second] = span.halves();
                let [l, r] = motion.halves();
                self.part(a, b, first, &l, &clear)?;
                self.part(a, b, second, &r, &clear)
            }
        }
    }

    /// Returns the ball of a polygon with the recorded radius, if that is large enough.
    fn ball(
        &self,
        masses: &[Mass],
        motion: &Motion,
        radius: f64,
        at: usize,
    ) -> std::result::Result<course::Ball, Refusal> {
        let Some(ball) = motion.ball(masses) else { return refuse("the motion cannot be bounded here", at) };
        if !(ball.radius <= radius && radius.is_finite()) {
            return refuse("the ball does not contain the motion", at);
        }
        Ok(course::Ball { radius, ..ball })
    }

    /// Checks the contacts that one ball excludes.
    fn clear(
        &self,
        (i, j): (usize, usize),
        motion: &Motion,
        radius: f64,
        new: &[Contact],
        clear: &mut HashSet<Contact>,
        at: usize,
    ) -> Checked {
        if new.is_empty() {
            return Ok(());
        }
        let (face, fixed) = (&self.claim.moving[i], &self.claim.fixed.0[j]);
        let ball = self.ball(&face.masses, motion, radius, at)?;
        let radius2 = Num::new(ball.radius).square();
        let image: Vec<Vec3> = face.corners.iter().map(|c| apply(&ball.centre, *c)).collect();
        let reach2 = |i: usize, j: usize| radius2 * face.rho2[i][j];
        let (n, m) = (image.len(), fixed.len());
        for contact in new {
            let holds = match *contact {
                Contact::Vertex(k) if (k as usize) < n => {
                    let k = k as usize;
                    (1..m - 1).all(|l| ball_misses(image[k], reach2(k, k), [fixed[0], fixed[l], fixed[l + 1]]))
                }
                Contact::Edges(k, l) if (k as usize) < n && (l as usize) < m => {
                    let (k, l) = (k as usize, l as usize);
                    let next = (k + 1) % n;
                    let form = [reach2(k, k), reach2(k, next), reach2(next, next)];
                    edges_miss(Edge { ends: [image[k], image[next]], reach2: form }, [fixed[l], fixed[(l + 1) % m]])
                }
                Contact::Face(l) if (l as usize) < m => (1..n - 1).all(|k| {
                    let of = [0, k, k + 1];
                    let d = of.map(|k| minus(fixed[l as usize], image[k]));
                    let g = |a: usize, b: usize| {
                        (if a == b { norm2(d[a]) } else { dot(d[a], d[b]) }) - reach2(of[a], of[b])
                    };
                    on_triangle([g(0, 0), g(1, 1), g(2, 2), g(0, 1), g(0, 2), g(1, 2)])
                }),
                _ => return refuse("the excluded contact does not exist", at),
            };
            if !holds {
                return refuse("a contact is not excluded", at);
            }
            clear.insert(*contact);
        }
        Ok(())
    }

    fn plane(
        &self,
        a: [usize; 2],
        b: [usize; 2],
        pair: Option<(usize, usize)>,
        motion: &Motion,
        (radius, normal): (f64, [f64; 3]),
        at: usize,
    ) -> Checked {
        let moving = || self.claim.orders.moving[a[0]..a[1]].iter().map(|&i| &self.claim.moving[i as usize]);
        let (masses, box_rho2) = match pair {
            Some((i, _)) => (self.claim.moving[i].masses.clone(), None),
            None => {
                let inflation = Num::new(self.claim.inflation);
                let rho2 = (Num::new(1.0) + Num::new(3.0).over(inflation.square())) * Num::new(0.125);
                (box_masses(moving().flat_map(|f| f.corners.iter()), inflation), Some(rho2))
            }
        };
        let ball = self.ball(&masses, motion, radius, at)?;
        let radius2 = Num::new(ball.radius).square();
        let fixed = self.claim.orders.fixed[b[0]..b[1]].iter().flat_map(|&j| &self.claim.fixed.0[j as usize]);
        let corners = moving().flat_map(|face| {
            face.corners
                .iter()
                .enumerate()
                .map(|(k, c)| (apply(&ball.centre, *c), radius2 * box_rho2.unwrap_or(face.rho2[k][k])))
        });
        if beyond(normal, corners, fixed) { Ok(()) } else { refuse("the plane does not separate the polygons", at) }
    }

    /// Checks that two polygons are apart at the middle of the time.
    fn apart(&self, (i, j): (usize, usize), motion: &Motion, normal: [f64; 3], at: usize) -> Checked {
        let face = &self.claim.moving[i];
        let Some(ball) = motion.ball(&face.masses) else { return refuse("the motion cannot be bounded here", at) };
        let radius2 = Num::new(ball.middle_radius).square();
        let corners = face.corners.iter().enumerate();
        let balls = corners.map(|(k, c)| (apply(&ball.centre, *c), radius2 * face.rho2[k][k]));
        if beyond(normal, balls, self.claim.fixed.0[j].iter()) {
            Ok(())
        } else {
            refuse("the polygons may overlap in the middle", at)
        }
    }
}

/// Returns whether all balls are beyond all points along a normal.
fn beyond<'f>(
    normal: [f64; 3],
    mut balls: impl Iterator<Item = (Vec3, Num)>,
    points: impl Iterator<Item = &'f Vec3>,
) -> bool {
    let n = vector(normal);
    let length = norm2(n);
    let far = points.map(|p| dot(n, *p).hi).fold(f64::NEG_INFINITY, |m, x| if x <= m { m } else { x });
    if !(far.is_finite() && length.lo > 0.0 && length.hi.is_finite()) {
        return false;
    }
    balls.all(|(c, r2)| {
        let reach = Num::new((r2 * length).root());
        (dot(n, c) - Num::new(far) - reach).lo > 0.0
    })
}

/// Returns eight unit masses at the corners of the inflated box of some points.
fn box_masses<'f>(points: impl Iterator<Item = &'f Vec3>, inflation: Num) -> Vec<Mass> {
    let (mut lo, mut hi) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for p in points {
        for k in 0..3 {
            (lo[k], hi[k]) = (lo[k].min(p[k].lo), hi[k].max(p[k].hi));
        }
    }
    let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * lo[k] + 0.5 * hi[k]);
    let half: [Num; 3] = std::array::from_fn(|k| {
        let side = (Num::new(hi[k]) - Num::new(middle[k])).hi.max((Num::new(middle[k]) - Num::new(lo[k])).hi);
        Num::new(if hi[k] > lo[k] { side } else { 0.0 }) * inflation
    });
    (0..8)
        .map(|c| {
            let at = std::array::from_fn(|k| {
                let x = Num::new(middle[k]);
                if c >> k & 1 == 1 { x + half[k] } else { x - half[k] }
            });
            (at, Num::new(1.0))
        })
        .collect()
}

impl Face {
    fn new(polygon: &Polygon, masses: &Masses) -> Self {
        // Coordinates in the plane of a frame, in which a triangle has the corners (0,0), (1,0) and (0,1).
        let (plane, body): (Vec<[f64; 2]>, Option<[Vec3; 3]>) = match polygon {
            Polygon::Plane(corners) => (corners.clone(), None),
            Polygon::Triangle(t) => (vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], Some(t.map(vector))),
        };
        let features: Vec<([f64; 3], f64)> = match masses {
            Masses::Global(all) => all.iter().map(|f| (f.at, f.weight)).collect(),
            Masses::Individual { inflation } => {
                super::face::inflated(&plane, *inflation).iter().map(|f| (f.at, f.weight)).collect()
            }
        };
        let to_body = |x: [f64; 3]| match body {
            None => vector(x),
            Some([a, b, c]) => {
                let along = |d: Vec3, s: f64| d.map(|x| x * Num::new(s));
                plus(a, plus(along(minus(b, a), x[0]), along(minus(c, a), x[1])))
            }
        };
        let corners = match body {
            Some(corners) => corners.to_vec(),
            None => plane.iter().map(|[x, y]| vector([*x, *y, 0.0])).collect(),
        };
        let points: Vec<Vec3> = plane.iter().map(|[x, y]| vector([*x, *y, 0.0])).collect();
        let rho2 = form(&features, &points);
        Self { corners, masses: features.iter().map(|(p, w)| (to_body(*p), Num::new(*w))).collect(), rho2 }
    }
}

/// Computes `1/m + (x-s)ᵀJ⁻¹(y-s)` for all pairs of points, by elimination: `J = L D Lᵀ`. Dimensions that the
/// features do not span are not spanned by the points either.
fn form(features: &[([f64; 3], f64)], points: &[Vec3]) -> Vec<Vec<Num>> {
    let zero = Num::new(0.0);
    let n = if features.iter().all(|(p, _)| p[2] == 0.0) { 2 } else { 3 };
    let mass = features.iter().fold(zero, |m, (_, w)| m + Num::new(*w));
    let centre: Vec3 =
        std::array::from_fn(|k| features.iter().fold(zero, |s, (p, w)| s + Num::new(p[k]) * Num::new(*w)).over(mass));
    let offsets: Vec<(Vec3, Num)> = features.iter().map(|(p, w)| (minus(vector(*p), centre), Num::new(*w))).collect();
    let mut j = [[zero; 3]; 3];
    for a in 0..n {
        for b in 0..n {
            let term = |(d, w): &(Vec3, Num)| *w * if a == b { d[a].square() } else { d[a] * d[b] };
            j[a][b] = offsets.iter().map(term).fold(zero, |s, x| s + x);
        }
    }
    let mut moved: Vec<Vec3> = points.iter().map(|p| minus(*p, centre)).collect();
    for k in 0..n {
        for i in k + 1..n {
            let factor = j[i][k].over(j[k][k]);
            for l in k..n {
                j[i][l] = j[i][l] - factor * j[k][l];
            }
            for d in &mut moved {
                d[i] = d[i] - factor * d[k];
            }
        }
    }
    let inner = |x: &Vec3, y: &Vec3, same: bool| {
        let term = |k: usize| (if same { x[k].square() } else { x[k] * y[k] }).over(j[k][k]);
        (0..n).map(term).fold(Num::new(1.0).over(mass), |s, t| s + t)
    };
    let row = |(a, x): (usize, &Vec3)| moved.iter().enumerate().map(|(b, y)| inner(x, y, a == b)).collect();
    moved.iter().enumerate().map(row).collect()
}
