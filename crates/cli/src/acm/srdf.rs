//! SRDF files as `acm` reads and writes them.

use firstcontact::acm::Pose;
use firstcontact::robot::Robot;
use firstcontact::{Error, Result, Srdf};
use roxmltree::Document;
use std::collections::HashSet;
use std::ops::Range;

/// Elements that determine which pairs are tested.
const MATRIX: [&str; 3] = ["disable_collisions", "disable_default_collisions", "enable_collisions"];

/// The poses of an SRDF's group states; joints that a state does not list have no value.
///
/// # Errors
/// A joint of a state has the wrong number of values.
pub fn poses(srdf: &Srdf, robot: &Robot) -> Result<Vec<Pose>> {
    let states = srdf.states().map(|state| state.join("/"));
    states
        .map(|state| {
            let values = srdf.joint_values(&state, robot)?;
            let values = robot.columns.iter().map(|column| values.get(&column.name)).collect();
            Ok(Pose { name: format!("group_state {state}"), values })
        })
        .collect()
}

/// The pairs of links that an SRDF disables for any reason, as indices of the robot, ascending.
///
/// # Errors
/// The SRDF does not fit the robot.
pub fn disabled(srdf: &Srdf, robot: &Robot) -> Result<HashSet<[u32; 2]>> {
    let by_user = srdf.link_pairs(robot)?.untested().map(|(pair, _)| pair).collect::<Vec<_>>();
    Ok(by_user.into_iter().chain(srdf.proved_pairs(robot)).collect())
}

/// A pair of links to disable, and the reason.
pub struct Disabled {
    /// Names of the links.
    pub links: [String; 2],
    /// The content of the attribute `reason`.
    pub reason: &'static str,
}

/// An SRDF that disables these pairs: an existing one, whose other content is kept, or a new one.
///
/// # Errors
/// The text is not an SRDF.
pub fn with_pairs(text: Option<&str>, robot: &str, pairs: &[Disabled]) -> Result<String> {
    let lines: String = pairs.iter().map(Disabled::line).collect();
    let Some(text) = text else {
        let name = escaped(robot);
        return Ok(format!("<?xml version=\"1.0\"?>\n<robot name=\"{name}\">\n{lines}</robot>\n"));
    };
    let document = parse(text)?;
    let root = document.root_element();
    let (mut out, mut at) = (String::new(), 0);
    let replaced = root.children().filter(|n| MATRIX.iter().any(|name| n.has_tag_name(*name)));
    for range in replaced.map(|node| whole_line(text, node.range())) {
        out.push_str(&text[at..range.start.max(at)]);
        at = range.end;
    }
    let end = root.range().end;
    let closing = text[..end].rfind("</").filter(|&start| start >= at && start > root.range().start);
    match closing.filter(|_| !text[..end].ends_with("/>")) {
        Some(start) => {
            out.push_str(text[at..start].trim_end_matches([' ', '\t']));
            out.push_str(&lines);
            out.push_str(&text[start..]);
        }
        // An element without content: <robot name="…"/>.
        None => {
            out.push_str(&text[at..end - "/>".len()]);
            out.push_str(&format!(">\n{lines}</{}>{}", root.tag_name().name(), &text[end..]));
        }
    }
    Ok(out)
}

impl Disabled {
    fn line(&self) -> String {
        let [a, b] = self.links.each_ref().map(|name| escaped(name));
        format!("  <disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"{}\"/>\n", self.reason)
    }
}

/// The range of an element, with the rest of its lines if they are blank.
fn whole_line(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text[..range.start].trim_end_matches([' ', '\t']).len();
    let blank = text[range.end..].len() - text[range.end..].trim_start_matches([' ', '\t', '\r']).len();
    let end = range.end + blank;
    match (text[..start].ends_with('\n'), text[end..].starts_with('\n')) {
        (true, true) => start..end + 1,
        _ => range,
    }
}

fn parse(text: &str) -> Result<Document<'_>> {
    let document = Document::parse(text).map_err(|e| Error::input(format!("XML: {e}")))?;
    match document.root_element().tag_name().name() {
        "robot" => Ok(document),
        _ => Err(Error::input("its root is not <robot>").remedy("give an SRDF file")),
    }
}

fn escaped(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disabled(links: [&str; 2]) -> Disabled {
        Disabled { links: links.map(String::from), reason: "Never (proved)" }
    }

    #[test]
    fn other_content_is_kept() {
        let text = "<?xml version=\"1.0\"?>\n<!-- a -->\n<robot name=\"r\">\n  <group name=\"g\"/>\n  \
                    <disable_collisions link1=\"a\" link2=\"b\" reason=\"x\"/>\n  <!-- b -->\n  \
                    <enable_collisions link1=\"a\" link2=\"c\"/>\n  <other/>\n</robot>\n<!-- c -->\n";
        let expected = "<?xml version=\"1.0\"?>\n<!-- a -->\n<robot name=\"r\">\n  <group name=\"g\"/>\n  \
                        <!-- b -->\n  <other/>\n  <disable_collisions link1=\"a\" link2=\"c&amp;\" \
                        reason=\"Never (proved)\"/>\n</robot>\n<!-- c -->\n";
        assert_eq!(with_pairs(Some(text), "r", &[disabled(["a", "c&"])]).unwrap(), expected);
    }

    #[test]
    fn files_on_one_line_and_without_content() {
        let pairs = [disabled(["a", "b"])];
        let new = with_pairs(None, "r<", &pairs).unwrap();
        let line = "  <disable_collisions link1=\"a\" link2=\"b\" reason=\"Never (proved)\"/>\n";
        assert_eq!(new, format!("<?xml version=\"1.0\"?>\n<robot name=\"r&lt;\">\n{line}</robot>\n"));
        assert_eq!(with_pairs(Some("<robot/>"), "r", &pairs).unwrap(), format!("<robot>\n{line}</robot>"));
        let one = "<robot><disable_collisions link1=\"a\" link2=\"b\"/><group name=\"g\"/></robot>";
        assert_eq!(with_pairs(Some(one), "r", &pairs).unwrap(), format!("<robot><group name=\"g\"/>{line}</robot>"));
        assert!(with_pairs(Some("<mesh/>"), "r", &pairs).is_err());
    }
}
