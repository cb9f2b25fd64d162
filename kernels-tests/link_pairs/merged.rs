//! The files of several robots as one file, for oracles that know one robot only.

use roxmltree::Document;
use std::fmt::Write as _;
use std::path::Path;

/// A robot of several.
pub struct Part<'a> {
    pub name: &'a str,
    pub path: &'a Path,
    /// `x, y, z, roll, pitch, yaw`.
    pub base: [f64; 6],
}

/// One URDF of all robots, on fixed joints below a link `floor` without shape. Links and joints are called
/// `robot/link` and `robot/joint`; paths of meshes are absolute.
pub fn text(parts: &[Part]) -> String {
    let elements: String = parts.iter().map(elements).collect();
    format!("<robot name=\"all\">\n<link name=\"floor\"/>\n{elements}</robot>\n")
}

fn elements(Part { name, path, base }: &Part) -> String {
    let source = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let document = Document::parse(&source).expect("well-formed XML");
    let (mut out, mut links, mut children) = (String::new(), Vec::new(), Vec::new());
    let folder = format!("filename=\"{}/", path.parent().expect("a folder").display());
    for element in document.root_element().children().filter(|e| ["link", "joint"].contains(&e.tag_name().name())) {
        let own = element.attribute("name").expect("a name");
        match element.children().find(|e| e.has_tag_name("child")) {
            Some(child) => children.push(child.attribute("link").expect("a link")),
            None => links.push(own),
        }
        let element = source[element.range()].replacen("name=\"", &format!("name=\"{name}/"), 1);
        let element = element.replace("link=\"", &format!("link=\"{name}/"));
        let element = element.replace("<mimic joint=\"", &format!("<mimic joint=\"{name}/"));
        writeln!(out, "{}", element.replace("filename=\"package://example-robot-data/", &folder)).unwrap();
    }
    let root = links.iter().find(|link| !children.contains(link)).expect("a root");
    let [x, y, z, roll, pitch, yaw] = base;
    writeln!(
        out,
        "<joint name=\"{name}/base\" type=\"fixed\"><parent link=\"floor\"/><child link=\"{name}/{root}\"/>\
         <origin xyz=\"{x} {y} {z}\" rpy=\"{roll} {pitch} {yaw}\"/></joint>"
    )
    .unwrap();
    out
}
