//! The elements of an SRDF file.

use super::Srdf;
use crate::error::{Error, Result, quoted, shortened};
use crate::formats::xml::{line, only_attributes, parse, required};
use crate::io::load::number;
use roxmltree::Node;
use std::collections::{HashMap, HashSet};

/// A name, and the line of its element.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub text: String,
    pub line: usize,
}

/// Two links.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub links: [Name; 2],
    /// True if the pair is disabled as proved never to touch.
    pub is_proved: bool,
}

impl Pair {
    /// The names in alphabetical order.
    fn key(&self) -> [&str; 2] {
        let [a, b] = self.links.each_ref().map(|name| name.text.as_str());
        [a.min(b), a.max(b)]
    }
}

/// Joint values of a group.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub name: String,
    pub group: Name,
    pub joints: Vec<StateJoint>,
}

/// The values of a joint: radians and metres.
#[derive(Clone, Debug)]
pub(super) struct StateJoint {
    pub name: Name,
    pub values: Vec<f64>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Document {
    pub name: Option<String>,
    pub groups: Vec<String>,
    pub states: Vec<State>,
    pub disabled: Vec<Pair>,
    pub enabled: Vec<Pair>,
    pub disabled_by_default: Vec<Name>,
    pub virtual_joints: Vec<String>,
    /// Elements that are not used.
    pub ignored: Vec<Name>,
    /// Groups to which other elements refer.
    used_groups: Vec<Name>,
    /// Links of end effectors and virtual joints.
    other_links: Vec<Name>,
    passive_joints: Vec<Name>,
}

impl Document {
    pub fn parse(text: &str) -> Result<Self> {
        let xml = parse(text)?;
        let root = xml.root_element();
        check_root(root)?;
        let name = root.attribute("name").map(str::trim).filter(|name| !name.is_empty());
        let mut document = Self { name: name.map(str::to_string), ..Self::default() };
        let lines = Lines::new(text);
        for element in root.children().filter(Node::is_element) {
            document.add(element, &lines)?;
        }
        document.check_groups()?;
        document.check_pairs()?;
        Ok(document)
    }

    fn add(&mut self, element: Node, lines: &Lines) -> Result<()> {
        let name = |attribute| lines.name(element, attribute);
        match element.tag_name().name() {
            "group" => self.groups.push(name("name")?.text),
            "group_state" => self.add_state(element, lines)?,
            "end_effector" => {
                only_attributes(element, &["name", "group", "parent_link", "parent_group"])?;
                self.used_groups.push(name("group")?);
                self.other_links.push(name("parent_link")?);
            }
            "virtual_joint" => {
                only_attributes(element, &["name", "type", "parent_frame", "child_link"])?;
                self.virtual_joints.push(name("name")?.text);
                self.other_links.push(name("child_link")?);
            }
            "passive_joint" => {
                only_attributes(element, &["name"])?;
                self.passive_joints.push(name("name")?);
            }
            "disable_collisions" => self.disabled.push(lines.pair(element)?),
            "enable_collisions" => self.enabled.push(lines.pair(element)?),
            "disable_default_collisions" => {
                only_attributes(element, &["link", "reason"])?;
                self.disabled_by_default.push(name("link")?);
            }
            _ => self.ignored.push(lines.element(element)),
        }
        Ok(())
    }

    fn add_state(&mut self, element: Node, lines: &Lines) -> Result<()> {
        only_attributes(element, &["name", "group"])?;
        let (name, group) = (lines.name(element, "name")?.text, lines.name(element, "group")?);
        let mut joints = Vec::new();
        for child in element.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "joint" => joints.push(lines.state_joint(child)?),
                _ => self.ignored.push(lines.element(child)),
            }
        }
        self.used_groups.push(group.clone());
        self.states.push(State { name, group, joints });
        Ok(())
    }

    /// Returns an error for a reference to a group that does not exist.
    fn check_groups(&self) -> Result<()> {
        let known: HashSet<&String> = self.groups.iter().collect();
        match self.used_groups.iter().find(|group| !known.contains(&group.text)) {
            Some(group) => {
                let message = format!("no group is called {}", quoted(&group.text));
                Err(Error::input(message).at(format!("line {}", group.line)))
            }
            None => Ok(()),
        }
    }

    /// Returns an error for a pair that is both disabled and enabled by name.
    fn check_pairs(&self) -> Result<()> {
        let disabled: HashMap<[&str; 2], usize> = self.disabled.iter().map(|p| (p.key(), p.links[0].line)).collect();
        let twice = self.enabled.iter().find_map(|pair| Some((pair, disabled.get(&pair.key())?)));
        let Some((pair, line)) = twice else { return Ok(()) };
        let [a, b] = pair.links.each_ref().map(|name| quoted(&name.text));
        let message = format!("links {a} and {b} are enabled here and disabled on line {line}");
        let at = format!("line {}", pair.links[0].line);
        Err(Error::input(message).at(at).remedy("remove enable_collisions or disable_collisions of this pair"))
    }

    /// All links to which the file refers.
    pub fn link_names(&self) -> impl Iterator<Item = &Name> {
        let pairs = self.disabled.iter().chain(&self.enabled).flat_map(|pair| &pair.links);
        pairs.chain(&self.disabled_by_default).chain(&self.other_links)
    }

    /// All joints to which the file refers, virtual ones included.
    pub fn joint_names(&self) -> impl Iterator<Item = &Name> {
        let of_states = self.states.iter().flat_map(|state| state.joints.iter().map(|joint| &joint.name));
        of_states.chain(&self.passive_joints)
    }
}

/// Returns an error for a file that is not SRDF.
fn check_root(root: Node) -> Result<()> {
    if root.tag_name().name() != "robot" {
        let message = format!("its root is <{}>, not <robot>", shortened(root.tag_name().name(), 60));
        return Err(Error::input(message).remedy("give an SRDF file"));
    }
    if let Some(macros) = root.descendants().find(|n| n.tag_name().namespace().is_some_and(|s| s.contains("xacro"))) {
        return Err(Error::input("it has xacro elements").at(line(macros)).remedy("expand it with xacro first"));
    }
    let is_urdf = |n: &Node| n.is_element() && matches!(n.tag_name().name(), "link" | "joint");
    if let Some(element) = root.children().find(is_urdf) {
        let message = format!("it has a <{}>: it is a URDF, not an SRDF", element.tag_name().name());
        return Err(Error::input(message).at(line(element)).remedy("give an SRDF file; --robot reads URDF"));
    }
    Ok(())
}

/// The byte positions at which a text's lines start. Without them, each search for the line of an element would read
/// all text before it.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect())
    }

    fn of(&self, node: Node) -> usize {
        self.0.partition_point(|&start| start <= node.range().start)
    }

    /// The tag of an element.
    fn element(&self, element: Node) -> Name {
        Name { text: element.tag_name().name().to_string(), line: self.of(element) }
    }

    /// The name in a required attribute.
    fn name(&self, element: Node, attribute: &str) -> Result<Name> {
        Ok(Name { text: required(element, attribute)?.to_string(), line: self.of(element) })
    }

    fn pair(&self, element: Node) -> Result<Pair> {
        only_attributes(element, &["link1", "link2", "reason"])?;
        let is_proved = element.attribute("reason") == Some(Srdf::PROVED);
        Ok(Pair { links: [self.name(element, "link1")?, self.name(element, "link2")?], is_proved })
    }

    fn state_joint(&self, element: Node) -> Result<StateJoint> {
        only_attributes(element, &["name", "value"])?;
        let words = required(element, "value")?.split_whitespace();
        let values = words.map(number).collect::<Result<_>>().map_err(|e| e.at(format!("{}: value", line(element))))?;
        Ok(StateJoint { name: self.name(element, "name")?, values })
    }
}
