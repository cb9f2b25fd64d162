//! `margin_probe`: looks for one pair of triangles within the margin, for each link at the start of a motion and in the
//! middle of each sub-interval, before [`s3_cull`](super::s3_cull).
//!
//! With a margin, whole surfaces may be within it, and every pair of their triangles would be collected although one
//! decides. A pair that is found lowers the motion's limit, so that the later stages search only earlier times; one at
//! the start decides the motion, if the options allow it. The search follows the branch nearest to the link and
//! only a few others, and compares two pairs of triangles for each cluster. So it may miss pairs, for which the later
//! stages are there; but a pair counts only if it is certainly within the margin
//! ([`closeness`](crate::predicate::closeness)).

#[cfg(feature = "gpu")]
use super::kernel::{Kernel, kernel};
use super::s1_concat::Poses;
use super::s5_pairs::Limits;
use super::{Piece, SLICES, SUBS};
use crate::arith::linear::V3;
use crate::bvh::tree::ChildRef;
use crate::enclosure::pose_bound::PoseBound;
use crate::predicate::closeness::closeness;
use crate::predicate::features::nearest_in_triangle;
use crate::robot::Triangle;
use crate::scene::world::{CollisionWorld, LinkGeometry};
use glam::{DMat3, DVec3};

/// The kernel that lists clusters near links.
#[cfg(feature = "gpu")]
pub const SEEK: Kernel = kernel!("margin_probe", "seek");

/// The kernel that compares links with clusters.
#[cfg(feature = "gpu")]
pub const COMPARE: Kernel = kernel!("margin_probe", "compare");

/// Maximum number of nodes of the scene's tree that one search opens.
pub const MAX_OPENED: usize = 24;
/// Maximum number of clusters that one search compares with the link.
pub const MAX_CLUSTERS: usize = 4;
/// Maximum number of pending nodes and clusters.
pub const MAX_OPEN: usize = 32;

/// The times of each motion that later stages must search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probed {
    /// The last slice of each motion that later stages must search; `u32::MAX` if nothing was found.
    pub limits: Limits,
    /// True for each motion that certainly starts within the margin; such a motion is not searched further.
    pub starts: Vec<bool>,
}

/// The stage in f64. The poses must contain the margin. `finds_starts` includes the starts of motions.
pub fn reference(
    world: &CollisionWorld,
    pieces: &[Piece],
    n_motions: usize,
    poses: &Poses,
    finds_starts: bool,
) -> Probed {
    let mut probed = Probed { limits: vec![u32::MAX; n_motions], starts: vec![false; n_motions] };
    if world.scene.tree.nodes.is_empty() || poses.margin_m <= 0.0 {
        return probed;
    }
    for time in 0..=SUBS as u32 {
        for (i, piece) in pieces.iter().enumerate() {
            let (motion, is_start) = (piece.motion as usize, time == 0);
            if is_start && !(finds_starts && piece.index == 0) {
                continue;
            }
            let sub = time.max(1) - 1;
            // The last slice before the time.
            let limit = (piece.index * SUBS as u32 + sub) * SLICES + SLICES / 2 - 1;
            for link in 0..world.links.len() as u32 {
                if probed.starts[motion] || !is_start && probed.limits[motion] <= limit {
                    break;
                }
                let body = world.links[link as usize].body as usize;
                let bound = poses.piece(i)[body].lane(sub as usize).with_ball(poses.balls(i, body)[0]);
                let shift = if is_start { -piece.half_sub() } else { 0.0 };
                let probe = Probe::new(world, link, bound, (shift, piece.half_sub()), poses.margin_m);
                if probe.finds_a_pair() {
                    match is_start {
                        true => probed.starts[motion] = true,
                        false => probed.limits[motion] = limit,
                    }
                }
            }
        }
    }
    probed
}

/// A link at one time.
struct Probe<'a> {
    world: &'a CollisionWorld,
    link: u32,
    shape: &'a LinkGeometry,
    bound: PoseBound<f64>,
    /// The local time, and half the length of the sub-interval.
    at: (f64, f64),
    margin_m: f64,
    position: DVec3,
    rotation: DMat3,
}

impl<'a> Probe<'a> {
    fn new(world: &'a CollisionWorld, link: u32, bound: PoseBound<f64>, at: (f64, f64), margin_m: f64) -> Self {
        let shape: &LinkGeometry = &world.links[link as usize];
        let mut this =
            Self { world, link, shape, bound, at, margin_m, position: DVec3::ZERO, rotation: DMat3::IDENTITY };
        this.position = this.place(DVec3::ZERO);
        let columns = DVec3::AXES.map(|axis| this.place(axis) - this.position);
        this.rotation = DMat3::from_cols(columns[0], columns[1], columns[2]);
        this
    }

    /// About where a point of the body is.
    fn place(&self, e: DVec3) -> DVec3 {
        let point = self.bound.point(V3::new(e), self.shape.reach_m).shifted(self.at.0, self.at.1);
        DVec3::from_array(point.c[0].0)
    }

    fn to_world(&self, e: DVec3) -> DVec3 {
        self.position + self.rotation * e
    }

    fn to_body(&self, y: DVec3) -> DVec3 {
        self.rotation.transpose() * (y - self.position)
    }

    fn finds_a_pair(&self) -> bool {
        let scene = &self.world.scene;
        let (a, b) = (self.shape.lss.a, self.shape.lss.b);
        let (middle, half) = (self.to_world(0.5 * (a + b)), self.rotation * (0.5 * (b - a)));
        let reach = self.margin_m + self.shape.lss.radius;
        let mut open = vec![ChildRef::Node(0)];
        let (mut opened, mut compared) = (0, 0);
        while opened < MAX_OPENED
            && compared < MAX_CLUSTERS
            && let Some(next) = open.pop()
        {
            let node = match next {
                ChildRef::Empty => continue,
                ChildRef::Leaf(cluster) => {
                    compared += 1;
                    if self.is_near_cluster(cluster) {
                        return true;
                    }
                    continue;
                }
                ChildRef::Node(node) => node,
            };
            opened += 1;
            let mut nearest: Option<(f64, ChildRef)> = None;
            for (slot, child) in scene.tree.nodes[node as usize].iter().enumerate() {
                if *child == ChildRef::Empty {
                    continue;
                }
                let [lo, hi] = [0, 3].map(|k| {
                    DVec3::from_array(std::array::from_fn(|axis| {
                        f64::from(scene.boxes[node as usize].0[k + axis][slot])
                    }))
                });
                // The distance of the link's axis, roughly: of the point of the axis nearest to the box's centre.
                let p = middle + half * share(0.5 * (lo + hi) - middle, half);
                let away = (p - p.clamp(lo, hi)).length_squared();
                if away > reach * reach {
                    continue;
                }
                // The nearest one is opened next, so it comes last.
                let later = match nearest {
                    Some((least, child)) if away < least => Some(child),
                    None => None,
                    Some(_) => Some(*child),
                };
                open.extend(later.filter(|_| open.len() < MAX_OPEN));
                if nearest.is_none_or(|(least, _)| away < least) {
                    nearest = Some((away, *child));
                }
            }
            open.extend(nearest.map(|(_, child)| child).filter(|_| open.len() < MAX_OPEN));
        }
        false
    }

    /// Compares a cluster with the link: from the link's middle to the cluster, from there to the link, and twice back.
    fn is_near_cluster(&self, cluster: u32) -> bool {
        let middle = self.to_world(self.middle_of_boxes());
        let on = |p: DVec3, y: usize| nearest_in_triangle(p, self.world.scene.triangles[y]);
        let mut y = self.nearest_of_cluster(cluster, middle);
        let mut x = y.and_then(|y| self.nearest_triangle(self.to_body(on(middle, y))));
        for round in 0..3 {
            let (Some(of_link), Some(of_scene)) = (x, y) else { return false };
            if self.is_near(of_link, of_scene) {
                return true;
            }
            let from = self.to_world(centre(&self.shape.triangles[of_link]));
            y = self.nearest_of_cluster(cluster, from);
            if let Some(of_scene) = y.filter(|_| round == 1) {
                x = self.nearest_triangle(self.to_body(on(from, of_scene)));
            }
        }
        false
    }

    /// The mean of the centres of the boxes at the root of the link's tree.
    fn middle_of_boxes(&self) -> DVec3 {
        let slots = self.shape.tree.nodes[0].iter().enumerate().filter(|(_, child)| **child != ChildRef::Empty);
        let (n, sum) = slots.fold((0, DVec3::ZERO), |(n, sum), (slot, _)| {
            (n + 1, sum + DVec3::from_array(self.shape.boxes[0].lane(slot).center.0))
        });
        sum / f64::from(n.max(1))
    }

    /// A triangle of the link near a point of its body: that of the nearest leaf whose corner is nearest.
    fn nearest_triangle(&self, e: DVec3) -> Option<usize> {
        let mut node = 0;
        loop {
            let mut best: Option<(f64, ChildRef)> = None;
            for (slot, child) in self.shape.tree.nodes[node as usize].iter().enumerate() {
                if *child == ChildRef::Empty {
                    continue;
                }
                let obb = self.shape.boxes[node as usize].lane(slot);
                let d = e - DVec3::from_array(obb.center.0);
                let in_box = (0..3).map(|k| {
                    let half = DVec3::from_array(obb.axes[k].0) * obb.half[k];
                    half * share(d, half)
                });
                // Of boxes that contain the point, the one whose centre is nearest.
                let away = (d - in_box.sum::<DVec3>()).length_squared() + 1e-3 * d.length_squared();
                if best.is_none_or(|(least, _)| away < least) {
                    best = Some((away, *child));
                }
            }
            match best?.1 {
                ChildRef::Node(next) => node = next,
                ChildRef::Leaf(leaf) => {
                    let away = |x: &usize| {
                        let corners = self.shape.triangles[*x].map(|v| (v - e).length_squared());
                        corners.into_iter().fold(f64::INFINITY, f64::min)
                    };
                    return self.shape.tree.leaf(leaf).min_by(|x, y| away(x).total_cmp(&away(y)));
                }
                ChildRef::Empty => return None,
            }
        }
    }

    /// The triangle of a cluster nearest to a point, among those that are tested.
    fn nearest_of_cluster(&self, cluster: u32, y: DVec3) -> Option<usize> {
        let scene = &self.world.scene;
        let away = |i: &usize| (nearest_in_triangle(y, scene.triangles[*i]) - y).length_squared();
        let tested = scene.tree.leaf(cluster).filter(|i| !self.world.is_allowed(self.link, *i));
        tested.min_by(|a, b| away(a).total_cmp(&away(b)))
    }

    /// Returns whether two triangles are certainly within the margin.
    fn is_near(&self, x: usize, y: usize) -> bool {
        let (shift, h) = self.at;
        let points =
            self.shape.triangles[x].map(|e| self.bound.point(V3::new(e), self.shape.reach_m).shifted(shift, h));
        closeness(&points, &self.world.scene.standing(y), 0.0, self.margin_m).within != 0
    }
}

/// Position, from -1 to 1, of a point along the axis from `-half` to `half`; `d` is the point relative to its middle.
fn share(d: DVec3, half: DVec3) -> f64 {
    (d.dot(half) / half.length_squared().max(1e-30)).clamp(-1.0, 1.0)
}

fn centre([a, b, c]: &Triangle) -> DVec3 {
    (*a + *b + *c) / 3.0
}
