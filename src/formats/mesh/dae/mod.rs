//! COLLADA: the triangles of the scene's nodes, with the nodes' transforms and the file's unit applied. The up-axis is
//! ignored, as ROS tools do. Each named node is a group.

mod geometry;

use super::Builder;
use crate::error::{Error, Result, quoted, shortened};
use crate::formats::xml::{child, children, exactly, line, numbers, parse, required, words};
use crate::io::load::text;
use crate::robot::Triangle;
use glam::{DAffine3, DMat3, DMat4, DVec3};
use roxmltree::{Node, NodeId};
use std::collections::HashMap;
use std::rc::Rc;

/// Maximum nesting of nodes: more than any reasonable scene has, and far less than the stack allows.
const MAX_DEPTH: usize = 200;
/// Maximum number of node elements visited: `<instance_node>` can multiply a few into any number.
const MAX_VISITED: usize = 1 << 22;

pub(super) fn read(bytes: &[u8], out: &mut Builder) -> Result<()> {
    let document = parse(text(bytes)?)?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        return Err(Error::input(format!("its root is <{}>, not <COLLADA>", shortened(root.tag_name().name(), 60))));
    }
    let mut scene = Scene {
        ids: HashMap::new(),
        geometries: HashMap::new(),
        arrays: HashMap::new(),
        visited: 0,
        unit_m: unit(root)?,
        out,
    };
    for node in root.descendants() {
        if let Some(id) = node.attribute("id") {
            let key = (node.tag_name().name(), id);
            scene.ids.entry(key).and_modify(|n| *n = None).or_insert(Some(node));
        }
    }
    let instances = match child(root, "scene")? {
        Some(scene_element) => children(scene_element, "instance_visual_scene").collect(),
        None => Vec::new(),
    };
    if instances.is_empty() {
        // Without a scene, all visual scenes of the file.
        for library in children(root, "library_visual_scenes") {
            children(library, "visual_scene").try_for_each(|s| scene.nodes_of(s))?;
        }
    }
    instances.into_iter().try_for_each(|i| {
        let visual_scene = scene.resolve(i, "url", "visual_scene")?;
        scene.nodes_of(visual_scene)
    })
}

/// Metres per unit of the file.
fn unit(root: Node) -> Result<f64> {
    let Some(asset) = child(root, "asset")? else { return Ok(1.0) };
    let Some(unit) = child(asset, "unit")? else { return Ok(1.0) };
    match numbers::<1>(unit, "meter")? {
        Some([meter]) if meter <= 0.0 => {
            Err(Error::input(format!("the unit is {meter:?} metres: it must be above 0")).at(line(unit)))
        }
        Some([meter]) => Ok(meter),
        None => Ok(1.0),
    }
}

/// The document while its scene is traversed.
struct Scene<'a, 'i, 'b> {
    /// Elements by kind and id, because real files give one id to a node and its geometry; `None` if several elements
    /// of one kind have it.
    ids: HashMap<(&'a str, &'a str), Option<Node<'a, 'i>>>,
    /// The triangles of the geometries read so far, in their own frame and unit.
    geometries: HashMap<NodeId, Rc<Vec<Triangle>>>,
    /// The numbers of the arrays read so far.
    arrays: HashMap<NodeId, Rc<Vec<f64>>>,
    visited: usize,
    unit_m: f64,
    out: &'b mut Builder,
}

impl<'a, 'i> Scene<'a, 'i, '_> {
    /// The element of a kind that a `#id` refers to.
    fn resolve(&self, node: Node<'a, 'i>, attribute: &str, kind: &'static str) -> Result<Node<'a, 'i>> {
        let url = required(node, attribute)?;
        let refuse = |what: &str| Err(Error::input(format!("{} {what}", quoted(url))).at(line(node)));
        match url.strip_prefix('#').map(|id| self.ids.get(&(kind, id))) {
            None => refuse("is not in this file: references to other files are not supported"),
            Some(None) => refuse(&format!("is not a <{kind}> in this file")),
            Some(Some(None)) => refuse(&format!("is the id of several <{kind}>")),
            Some(Some(Some(target))) => Ok(*target),
        }
    }

    fn nodes_of(&mut self, visual_scene: Node<'a, 'i>) -> Result<()> {
        children(visual_scene, "node").try_for_each(|n| self.node(n, &Ok(DAffine3::IDENTITY), 0))
    }

    /// Visits a node and its descendants. An unsupported transform `above` is an error only if a geometry depends on
    /// it: nodes of cameras may have one.
    fn node(&mut self, node: Node<'a, 'i>, above: &Result<DAffine3>, depth: usize) -> Result<()> {
        // A transform also applies to what precedes it.
        let transforms = node.children().filter(Node::is_element).map(transform);
        let world = transforms.fold(above.clone(), |world, own| Ok(world? * own?));
        let mut named = false;
        for element in node.children().filter(Node::is_element) {
            self.visited += 1;
            if depth > MAX_DEPTH || self.visited > MAX_VISITED {
                return Err(
                    Error::input("its nodes are nested too deeply or in a cycle, or are too many").at(line(element))
                );
            }
            match element.tag_name().name() {
                "instance_geometry" => {
                    let world = world.clone()?;
                    if !named {
                        self.out.own_group(node.attribute("name").or(node.attribute("id")));
                        named = true;
                    }
                    let geometry = self.resolve(element, "url", "geometry")?;
                    for triangle in self.geometry(geometry)?.iter() {
                        let placed = triangle.map(|v| world.transform_point3(v) * self.unit_m);
                        self.out.triangle(placed).map_err(|e| e.at(line(element)))?;
                    }
                }
                "instance_controller" => {
                    return Err(
                        Error::input("a skinned mesh (<instance_controller>) is not supported").at(line(element))
                    );
                }
                _ => {}
            }
        }
        for element in node.children().filter(Node::is_element) {
            match element.tag_name().name() {
                "instance_node" => {
                    let target = self.resolve(element, "url", "node")?;
                    self.node(target, &world, depth + 1)?;
                }
                "node" => self.node(element, &world, depth + 1)?,
                _ => {}
            }
        }
        Ok(())
    }
}

/// The contribution of a node's child to its transform: the identity if it is not a transform.
fn transform(element: Node) -> Result<DAffine3> {
    let kind = element.tag_name().name();
    let of = |r: Result<DAffine3>| r.map_err(|e| e.at(line(element)));
    let content = || words(element).collect::<Vec<_>>().join(" ");
    match kind {
        "matrix" => of(exactly::<16>(&content()).and_then(matrix)),
        "translate" => of(exactly::<3>(&content()).map(|t| DAffine3::from_translation(t.into()))),
        "scale" => of(exactly::<3>(&content()).map(|s| DAffine3::from_scale(s.into()))),
        "rotate" => of(exactly::<4>(&content()).and_then(rotate)),
        "skew" | "lookat" => of(Err(Error::input(format!("the transform <{kind}> is not supported")))),
        _ => Ok(DAffine3::IDENTITY),
    }
}

fn matrix(rows: [f64; 16]) -> Result<DAffine3> {
    if rows[12..] != [0.0, 0.0, 0.0, 1.0] {
        return Err(Error::input("the last row of a matrix is not 0 0 0 1"));
    }
    Ok(DAffine3::from_mat4(DMat4::from_cols_array(&rows).transpose()))
}

/// `axis angle`, degrees.
fn rotate([x, y, z, degrees]: [f64; 4]) -> Result<DAffine3> {
    match DVec3::new(x, y, z).try_normalize() {
        Some(axis) => Ok(DAffine3::from_mat3(DMat3::from_axis_angle(axis, degrees.to_radians()))),
        None if degrees == 0.0 => Ok(DAffine3::IDENTITY),
        None => Err(Error::input("a rotation about a zero axis")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::MeshFormat;
    use super::super::tests::{groups, numbers, parse};

    /// A document with one geometry `g` over five points, whose primitives and scene are given.
    fn document(primitives: &str, nodes: &str) -> String {
        format!(
            r##"<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.5" name="half"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="16">9 0 0 0 1 0 0 <!-- five points --> 0 1 0 0 0 1 1 1 1</float_array>
<technique_common><accessor source="#a" count="5" offset="1" stride="3">
<param name="X"/><param name="Y"/><param name="Z"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
{primitives}
</mesh></geometry></library_geometries>
<library_nodes><node id="shared" name="shared"><translate>0 0 2</translate>
<instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="g">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#g"/></scene></COLLADA>"##
        )
    }

    const INPUT: &str = r##"<input semantic="VERTEX" source="#v" offset="0"/>"##;
    const TRIANGLE: &str = r##"<triangles count="1"><input semantic="NORMAL" source="#n" offset="1"/>
<input semantic="VERTEX" source="#v" offset="0"/><p>0 7 1 7 2 7</p></triangles>"##;
    const NODE: &str = r##"<node id="n"><instance_geometry url="#g"/></node>"##;

    #[test]
    fn every_kind_of_primitive_is_read() {
        let primitives = format!(
            "{TRIANGLE}<lines count=\"1\">{INPUT}<p>0 1</p></lines><triangles count=\"0\">{INPUT}</triangles>\
             <polylist count=\"2\">{INPUT}<vcount>3 4</vcount><p>0 1 3 0 1 2 3</p></polylist>\
             <polygons count=\"1\">{INPUT}<p>1 2 3</p></polygons>\
             <tristrips count=\"1\">{INPUT}<p>0 1 2 3 4</p></tristrips>\
             <trifans count=\"1\">{INPUT}<p>0 1 2 3</p></trifans>"
        );
        let mesh = parse(MeshFormat::Dae, document(&primitives, NODE).as_bytes()).unwrap();
        let p = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5], [0.5, 0.5, 0.5]];
        let corners = [
            [0, 1, 2],
            [0, 1, 3],
            [0, 1, 2],
            [0, 2, 3],
            [1, 2, 3],
            [0, 1, 2],
            [2, 1, 3],
            [2, 3, 4],
            [0, 1, 2],
            [0, 2, 3],
        ];
        assert_eq!(numbers(&mesh), corners.map(|t| t.map(|i| p[i])));
        assert_eq!(groups(&mesh), [(Some("n"), 10)]);
    }

    #[test]
    fn transforms_apply_in_order_and_nest() {
        // First the scale, then the turn, then the shift: a node's transforms apply from the last to the first.
        let nodes = r##"<node name="outer"><translate>10 0 0</translate><rotate>0 0 1 90</rotate>
            <node name="inner"><scale>2 3 4</scale><instance_geometry url="#g"/></node>
            <instance_node url="#shared"/></node>
            <node name="camera"><lookat>0 0 0 1 1 1 0 0 1</lookat><instance_camera url="#c"/></node>
            <node><matrix>1 0 0 1  0 0 1 2  0 1 0 3  0 0 0 1</matrix><instance_geometry url="#g"/></node>"##;
        let mesh = parse(MeshFormat::Dae, document(TRIANGLE, nodes).as_bytes()).unwrap();
        assert_eq!(groups(&mesh), [(Some("inner"), 1), (Some("shared"), 1), (None, 1)]);
        let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15);
        let found = numbers(&mesh);
        assert!(near(found[1][1], [5.0, 0.5, 1.0]), "{found:?}");
        assert!(near(found[0][1], [5.0, 1.0, 0.0]), "{found:?}");
        assert!(near(found[0][2], [3.5, 0.0, 0.0]), "{found:?}");
        assert!(near(found[2][2], [0.5, 1.0, 2.0]), "{found:?}");
    }

    /// As assimp and trimesh read it; the schema has transforms first.
    #[test]
    fn transforms_apply_to_what_precedes_them() {
        let nodes = r##"<node name="n"><instance_geometry url="#g"/><scale>2 1 1</scale><node name="m">
            <instance_geometry url="#g"/></node><translate>10 0 0</translate></node>"##;
        let mesh = parse(MeshFormat::Dae, document(TRIANGLE, nodes).as_bytes()).unwrap();
        assert_eq!(numbers(&mesh).iter().map(|t| t[1]).collect::<Vec<_>>(), [[11.0, 0.0, 0.0]; 2]);
        let late = NODE.replace("</node>", "<skew>1 0 0 0 1 0 0</skew></node>");
        assert!(parse(MeshFormat::Dae, document(TRIANGLE, &late).as_bytes()).is_err());
    }

    #[test]
    fn endlessly_expanding_nodes_are_refused() {
        let loops = r##"<node id="a"><instance_node url="#b"/></node><node id="b"><instance_node url="#a"/></node>"##;
        let doubled: String = (0..60)
            .map(|i| {
                format!(r##"<node id="d{i}"><instance_node url="#d{0}"/><instance_node url="#d{0}"/></node>"##, i + 1)
            })
            .collect();
        let deep = format!("{}{}", "<node>".repeat(100_000), "</node>".repeat(100_000));
        for nodes in [loops.to_string(), format!("{doubled}<node id=\"d60\"/>"), deep] {
            let error = parse(MeshFormat::Dae, document(TRIANGLE, &nodes).as_bytes()).unwrap_err().to_string();
            assert!(error.contains("nested too deeply or in a cycle"), "{error}");
        }
    }
}
