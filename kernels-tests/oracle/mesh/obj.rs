//! Wavefront OBJ: `v`, `f`, `o` and `g`, nothing else.

use super::{Group, Triangle};
use glam::DVec3;

/// The groups that have triangles: a new one begins at every `o` and `g`. A face of more than three corners becomes a
/// fan about its first corner.
///
/// # Panics
/// The text is not OBJ.
pub fn parse(text: &str) -> Vec<Group> {
    let mut points: Vec<DVec3> = Vec::new();
    let mut groups = vec![Group::default()];
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let v: Vec<f64> = words.map(|w| w.parse().expect("a number")).collect();
                points.push(DVec3::from_slice(&v[..3]));
            }
            Some("o" | "g") => {
                let name = words.collect::<Vec<_>>().join(" ");
                groups.push(Group { name, triangles: Vec::new() });
            }
            Some("f") => {
                let corners: Vec<DVec3> = words.map(|w| points[place(w, points.len())]).collect();
                let fan = corners[1..].windows(2).map(|c| -> Triangle { [corners[0], c[0], c[1]] });
                groups.last_mut().expect("there is a first group").triangles.extend(fan);
            }
            _ => {}
        }
    }
    groups.retain(|g| !g.triangles.is_empty());
    groups
}

/// Index of the vertex of a corner such as `7`, `7/1/2` or `-1` among `n` so far.
fn place(corner: &str, n: usize) -> usize {
    let i: i64 = corner.split('/').next().expect("a first part").parse().expect("a number");
    usize::try_from(if i > 0 { i - 1 } else { n as i64 + i }).expect("a vertex that is there")
}

#[test]
fn reads_groups_polygons_and_relative_indices() {
    let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\no empty\ng two words\nf 1/9 2//8 3/1/1 4\nf -4 -3 -1\n";
    let groups = parse(text);
    let [o, x, xy, y] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[a, b]| DVec3::new(a, b, 0.0));
    assert_eq!(groups.len(), 2);
    assert_eq!((groups[0].name.as_str(), &groups[0].triangles[..]), ("", &[[o, x, xy]][..]));
    assert_eq!(groups[1].name, "two words");
    assert_eq!(groups[1].triangles, [[o, x, xy], [o, xy, y], [o, x, y]]);
}
