//! Boxes of robot files, whose faces the program and the oracles may split along either diagonal.

use crate::oracle::fk;
use crate::oracle::mesh::Triangle;
use crate::oracle::shapes::Choice;
use crate::oracle::urdf::Geometry as Shape;
use firstcontact::formats::urdf::{Geometry, UrdfOptions};
use firstcontact::robot::Robot;
use glam::DVec3;
use std::path::Path;

/// Splits the faces of boxes as the program does. The surfaces must be the same.
pub fn split_alike(path: &Path, robot: &fk::Robot, choice: Choice, triangles: &mut [Vec<Triangle>]) {
    let geometry = if choice == Choice::Visual { Geometry::Visual } else { Geometry::Auto };
    let own = Robot::from_urdf_with(path, &UrdfOptions { geometry, ..UrdfOptions::default() }).unwrap();
    let zero = vec![0.0; robot.columns.len()];
    let (poses, bodies) = (robot.poses(&zero, &zero, 0.0), own.body_poses(&zero).unwrap());
    for (i, link) in robot.links().iter().enumerate() {
        let is_visual = choice == Choice::Visual || link.collision.is_empty();
        let shapes = if is_visual { &link.visual } else { &link.collision };
        if shapes.iter().any(|s| matches!(s.geometry, Shape::Box(_))) {
            let found = own.links.iter().find(|l| l.name == link.name).expect("the same links");
            let into_link = poses[i].inverse() * bodies[found.body as usize];
            let place = |t: &Triangle| t.map(|p| into_link.transform_point3(p));
            let split: Vec<Triangle> = found.triangles.iter().map(place).collect();
            assert!(same_surface(&split, &triangles[i]), "{}", link.name);
            triangles[i] = split;
        }
    }
}

/// Returns whether two meshes of boxes have the same corners, area, first moments of area, and volume.
fn same_surface(x: &[Triangle], y: &[Triangle]) -> bool {
    let sums = |m: &[Triangle]| {
        let of = |[a, b, c]: &Triangle| {
            let area = (*b - *a).cross(*c - *a).length();
            let moment = (*a + *b + *c) * area;
            [area, a.dot(b.cross(*c)), moment.x, moment.y, moment.z]
        };
        m.iter().map(of).fold([0.0; 5], |s, t| std::array::from_fn(|i| s[i] + t[i]))
    };
    let has = |m: &[Triangle], p: &DVec3| m.iter().flatten().any(|q| q.distance(*p) < 1e-9);
    let corners = x.iter().flatten().all(|p| has(y, p)) && y.iter().flatten().all(|p| has(x, p));
    let near = sums(x).iter().zip(sums(y)).all(|(a, b)| (a - b).abs() < 1e-9);
    corners && near && x.len() == y.len()
}

#[test]
fn equal_and_different_surfaces_are_distinguished() {
    use crate::oracle::mesh::box_of;
    let one = box_of(DVec3::new(0.2, 0.3, 0.4));
    let mut turned = one.clone();
    // The other diagonal of the first face, whose corners are a, b, c and a, c, d.
    let ([a, b, c], d) = (one[0], one[1][2]);
    (turned[0], turned[1]) = ([a, b, d], [b, c, d]);
    assert!(same_surface(&one, &turned));
    assert!(!same_surface(&one, &box_of(DVec3::new(0.2, 0.3, 0.41))));
    turned[1] = turned[0];
    assert!(!same_surface(&one, &turned));
}
