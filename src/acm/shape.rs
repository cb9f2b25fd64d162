//! A link as a tree of oriented boxes over its triangles, in the frame of its body.

use crate::bvh::obb;
use crate::bvh::tree::ChildRef;
use crate::error::Result;
use crate::predicate::obb_overlap::OrientedBox;
use crate::robot::{Robot, Triangle};
use crate::scene::world::LinkGeometry;
use glam::{DAffine3, DMat3, DVec3};
use std::ops::Range;

/// A link's triangles and the tree over them; node 0 is the root.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The nodes, parents first.
    pub nodes: Vec<Node>,
    /// The triangles in the order of the leaves.
    pub triangles: Vec<Triangle>,
    /// The ball around each triangle's centroid: its centre and radius.
    pub balls: Vec<(DVec3, f64)>,
    /// Upper bound on the distance of any vertex from the body's origin, metres.
    pub reach_m: f64,
}

/// A node: a box, and nodes or triangles inside it.
#[derive(Clone, Debug)]
pub struct Node {
    /// The box.
    pub bounds: Bounds,
    /// The nodes below; empty for a leaf.
    pub children: Vec<u32>,
    /// The triangles of a leaf.
    pub triangles: Range<usize>,
}

/// An oriented box.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Its centre, metres.
    pub center: DVec3,
    /// Its axes, as columns.
    pub axes: DMat3,
    /// Half its sizes, metres.
    pub half: DVec3,
    /// Distance of its corners from its centre, metres.
    pub radius: f64,
}

impl Bounds {
    fn new(b: &OrientedBox<f64>) -> Self {
        let [x, y, z] = b.axes.map(|axis| DVec3::from_array(axis.0));
        let half = DVec3::from_array(b.half);
        let radius = half.length() * (1.0 + 1e-12);
        Self { center: DVec3::from_array(b.center.0), axes: DMat3::from_cols(x, y, z), half, radius }
    }

    /// The box in another frame.
    pub fn moved(&self, pose: &DAffine3) -> Self {
        Self { center: pose.transform_point3(self.center), axes: pose.matrix3 * self.axes, ..*self }
    }
}

impl Shape {
    /// The shape of a link that has triangles.
    ///
    /// # Errors
    /// A coordinate is farther than [`MAX_COORDINATE_M`](crate::scene::world::MAX_COORDINATE_M) from the origin.
    pub fn new(robot: &Robot, link: u32) -> Result<Self> {
        let link = LinkGeometry::new(robot, link)?;
        let leaf = |bounds, triangles| Node { bounds, children: Vec::new(), triangles };
        let mut nodes = vec![leaf(Bounds::new(&obb::around(&link.triangles, 0.0)), 0..0)];
        // Parents precede children in the wide tree, so each node already has its index when it is visited.
        let mut places = vec![0u32; link.tree.nodes.len()];
        for (i, children) in link.tree.nodes.iter().enumerate() {
            for (slot, child) in children.iter().enumerate() {
                let (place, bounds) = (nodes.len() as u32, Bounds::new(&link.boxes[i].lane(slot)));
                match *child {
                    ChildRef::Empty => continue,
                    ChildRef::Leaf(l) => nodes.push(leaf(bounds, link.tree.leaf(l))),
                    ChildRef::Node(n) => {
                        places[n as usize] = place;
                        nodes.push(leaf(bounds, 0..0));
                    }
                }
                nodes[places[i] as usize].children.push(place);
            }
        }
        let balls = link.triangles.iter().map(ball).collect();
        Ok(Self { nodes, triangles: link.triangles, balls, reach_m: link.reach_m })
    }
}

/// A ball that contains a triangle.
fn ball(triangle: &Triangle) -> (DVec3, f64) {
    let center = (triangle[0] + triangle[1] + triangle[2]) / 3.0;
    let radius = triangle.iter().map(|v| v.distance(center)).fold(0.0, f64::max);
    (center, radius * (1.0 + 1e-12))
}
