//! COLLADA: triangles of the default scene, with its node transforms and the file's unit applied. The up-axis element
//! is ignored, as ROS tools do.

use super::{Group, Triangle};
use glam::{DMat4, DQuat, DVec3};
use roxmltree::{Document, Node};
use std::collections::HashMap;

/// A group for every geometry that the scene references, in the order in which its nodes are visited.
///
/// # Panics
/// The text is not COLLADA of a kind that the oracles support.
pub fn parse(text: &str) -> Vec<Group> {
    let document = Document::parse(text).expect("well-formed XML");
    let root = document.root_element();
    let by_id: HashMap<&str, Node> = root.descendants().filter_map(|n| Some((n.attribute("id")?, n))).collect();
    let unit = root.descendants().find(|n| n.has_tag_name(tag(root, "unit"))).and_then(|n| n.attribute("meter"));
    let unit: f64 = unit.map_or(1.0, |m| m.parse().expect("a number"));
    let scene = named(root, "instance_visual_scene").next().expect("a scene");
    let mut groups = Vec::new();
    walk(by_id[target(scene)], DMat4::from_scale(DVec3::splat(unit)), &by_id, &mut groups);
    groups
}

fn walk(node: Node, above: DMat4, by_id: &HashMap<&str, Node>, groups: &mut Vec<Group>) {
    let mut here = above;
    for child in node.children().filter(Node::is_element) {
        match child.tag_name().name() {
            "matrix" => here *= DMat4::from_cols_array(&array(child)).transpose(),
            "translate" => here *= DMat4::from_translation(DVec3::from_array(array(child))),
            "scale" => here *= DMat4::from_scale(DVec3::from_array(array(child))),
            "rotate" => {
                let [x, y, z, degrees] = array(child);
                here *= DMat4::from_quat(DQuat::from_axis_angle(DVec3::new(x, y, z).normalize(), degrees.to_radians()));
            }
            "node" => walk(child, here, by_id, groups),
            "instance_node" => walk(by_id[target(child)], here, by_id, groups),
            "instance_geometry" => {
                let triangles = geometry(by_id[target(child)], by_id);
                let triangles = triangles.into_iter().map(|t| t.map(|p| here.transform_point3(p))).collect();
                let name = node.attribute("name").or(node.attribute("id")).unwrap_or("").to_owned();
                groups.push(Group { name, triangles });
            }
            "lookat" | "skew" | "instance_controller" => panic!("unknown: {}", child.tag_name().name()),
            _ => {}
        }
    }
}

fn geometry(node: Node, by_id: &HashMap<&str, Node>) -> Vec<Triangle> {
    let mut out = Vec::new();
    for part in node.descendants().filter(Node::is_element) {
        match part.tag_name().name() {
            "triangles" | "polylist" => out.extend(primitive(part, by_id)),
            "polygons" | "trifans" | "tristrips" => panic!("unknown: {}", part.tag_name().name()),
            _ => {}
        }
    }
    out
}

/// The triangles of one `<triangles>` or `<polylist>`: polygons become fans about their first corner.
fn primitive(part: Node, by_id: &HashMap<&str, Node>) -> Vec<Triangle> {
    let inputs: Vec<Node> = named(part, "input").collect();
    let offset = |n: &Node| n.attribute("offset").expect("an offset").parse::<usize>().expect("a number");
    let stride = inputs.iter().map(offset).max().map_or(1, |o| o + 1);
    let vertex = inputs.iter().find(|n| n.attribute("semantic") == Some("VERTEX")).expect("vertices");
    let first = offset(vertex);
    let position = named(by_id[target(*vertex)], "input")
        .find(|n| n.attribute("semantic") == Some("POSITION"))
        .expect("positions");
    let points = points(by_id[target(position)]);
    let Some(p) = named(part, "p").next() else { return Vec::new() };
    let index: Vec<usize> = numbers(p);
    let corners: Vec<DVec3> = index.chunks_exact(stride).map(|c| points[c[first]]).collect();
    let counts: Vec<usize> = named(part, "vcount").next().map_or_else(|| vec![3; corners.len() / 3], numbers);
    let mut at = 0;
    let mut out = Vec::new();
    for n in counts {
        let polygon = &corners[at..at + n];
        out.extend(polygon[1..].windows(2).map(|c| [polygon[0], c[0], c[1]]));
        at += n;
    }
    assert_eq!(at, corners.len(), "corners left over");
    out
}

/// The points of a `<source>`.
fn points(source: Node) -> Vec<DVec3> {
    let values: Vec<f64> = numbers(named(source, "float_array").next().expect("numbers"));
    let stride = named(source, "accessor")
        .next()
        .and_then(|a| a.attribute("stride"))
        .map_or(3, |s| s.parse().expect("a number"));
    values.chunks_exact(stride).map(DVec3::from_slice).collect()
}

fn numbers<T: std::str::FromStr>(n: Node) -> Vec<T> {
    let text = n.text().unwrap_or("");
    text.split_whitespace().map(|w| w.parse().unwrap_or_else(|_| panic!("{w} is no number"))).collect()
}

fn array<const N: usize>(n: Node) -> [f64; N] {
    numbers(n).try_into().expect("the right count of numbers")
}

/// The id referenced by `source` or `url`.
fn target<'a>(n: Node<'a, '_>) -> &'a str {
    n.attribute("source").or(n.attribute("url")).and_then(|s| s.strip_prefix('#')).expect("a reference")
}

/// All elements of this name below `n`.
fn named<'a, 'd>(n: Node<'a, 'd>, name: &'static str) -> impl Iterator<Item = Node<'a, 'd>> {
    n.descendants().filter(move |c| c.tag_name().name() == name)
}

/// A name in the namespace of `n`.
fn tag<'a>(n: Node<'a, '_>, name: &'a str) -> roxmltree::ExpandedName<'a, 'a> {
    match n.tag_name().namespace() {
        Some(space) => (space, name).into(),
        None => name.into(),
    }
}

#[test]
fn reads_units_nodes_and_polygons() {
    let text = r##"<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema">
      <asset><unit meter="0.5"/><up_axis>Y_UP</up_axis></asset>
      <library_geometries><geometry id="g"><mesh>
        <source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 1 1 0 0 1 0</float_array>
          <technique_common><accessor source="#pa" count="4" stride="3"/></technique_common></source>
        <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
        <triangles count="1"><input semantic="NORMAL" source="#p" offset="0"/>
          <input semantic="VERTEX" source="#v" offset="1"/><p>3 0 3 1 3 2</p></triangles>
        <polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p></polylist>
      </mesh></geometry></library_geometries>
      <library_nodes><node id="n"><scale>2 2 2</scale><instance_geometry url="#g"/></node></library_nodes>
      <library_visual_scenes><visual_scene id="s"><node name="top"><translate>0 0 4</translate><rotate>0 0 1 90</rotate>
        <instance_geometry url="#g"/><node><matrix>1 0 0 10 0 1 0 0 0 0 1 0 0 0 0 1</matrix>
          <instance_node url="#n"/></node></node></visual_scene></library_visual_scenes>
      <scene><instance_visual_scene url="#s"/></scene></COLLADA>"##;
    let groups = parse(text);
    let near = |t: &Triangle, expected: [[f64; 3]; 3]| {
        t.iter().zip(expected).for_each(|(p, e)| assert!((*p - DVec3::from_array(e)).length() < 1e-14, "{p} {e:?}"));
    };
    assert_eq!((groups.len(), groups[0].name.as_str(), groups[0].triangles.len()), (2, "top", 3));
    near(&groups[0].triangles[0], [[0.0, 0.0, 2.0], [0.0, 0.5, 2.0], [-0.5, 0.5, 2.0]]);
    near(&groups[0].triangles[2], [[0.0, 0.0, 2.0], [-0.5, 0.5, 2.0], [-0.5, 0.0, 2.0]]);
    near(&groups[1].triangles[0], [[0.0, 5.0, 2.0], [0.0, 6.0, 2.0], [-1.0, 6.0, 2.0]]);
}
