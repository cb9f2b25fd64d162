//! Shared parts of the XML formats, URDF and COLLADA: elements and attributes, read strictly, with their line.

use crate::error::{Error, Result, quoted, shortened};
use crate::io::load::number;
use roxmltree::{Document, Node};

/// Parses a document. The parser does not recurse, so nesting cannot exhaust the stack.
pub(crate) fn parse(text: &str) -> Result<Document<'_>> {
    Document::parse(text).map_err(|cause| Error::input(format!("XML: {}", shortened(&cause.to_string(), 200))))
}

/// The line of an element, for [`Error::at`].
pub(crate) fn line(node: Node) -> String {
    format!("line {}", node.document().text_pos_at(node.range().start).row)
}

/// The child elements of this name, in their parent's name space.
pub(crate) fn children<'a, 'i>(parent: Node<'a, 'i>, name: &'a str) -> impl Iterator<Item = Node<'a, 'i>> {
    let space = parent.tag_name().namespace();
    parent
        .children()
        .filter(move |c| c.is_element() && c.tag_name().name() == name && c.tag_name().namespace() == space)
}

/// The child element of this name; more than one is an error.
pub(crate) fn child<'a, 'i>(parent: Node<'a, 'i>, name: &'a str) -> Result<Option<Node<'a, 'i>>> {
    let mut all = children(parent, name);
    let first = all.next();
    match all.next() {
        Some(second) => {
            let message = format!("a second <{name}> in <{}>", parent.tag_name().name());
            Err(Error::input(message).at(line(second)))
        }
        None => Ok(first),
    }
}

/// An attribute that must be present and not empty.
pub(crate) fn required<'a>(node: Node<'a, '_>, attribute: &str) -> Result<&'a str> {
    match node.attribute(attribute).map(str::trim) {
        Some(value) if !value.is_empty() => Ok(value),
        _ => {
            let message = format!("<{}> has no {attribute}", shortened(node.tag_name().name(), 60));
            Err(Error::input(message).at(line(node)))
        }
    }
}

/// The numbers of an attribute: exactly `N` and finite. `None` if the attribute is missing.
pub(crate) fn numbers<const N: usize>(node: Node, attribute: &str) -> Result<Option<[f64; N]>> {
    let Some(value) = node.attribute(attribute) else { return Ok(None) };
    exactly::<N>(value).map(Some).map_err(|e| e.at(format!("{}: {attribute}", line(node))))
}

/// Exactly `N` finite numbers.
pub(crate) fn exactly<const N: usize>(value: &str) -> Result<[f64; N]> {
    let mut words = value.split_whitespace();
    let mut numbers = [0.0; N];
    for (i, x) in numbers.iter_mut().enumerate() {
        let word = words.next();
        *x = number(word.ok_or_else(|| Error::input(format!("{i} numbers in {}, expected {N}", quoted(value))))?)?;
    }
    match words.next() {
        Some(_) => Err(Error::input(format!("more than {N} numbers in {}", quoted(value)))),
        None => Ok(numbers),
    }
}

/// Returns an error for attributes that are not in the list: a misspelt one would be ignored.
pub(crate) fn only_attributes(node: Node, known: &[&str]) -> Result<()> {
    match node.attributes().find(|a| a.namespace().is_none() && !known.contains(&a.name())) {
        Some(other) => {
            let message = format!("<{}> has the unknown attribute {}", node.tag_name().name(), quoted(other.name()));
            Err(Error::input(message).at(line(node)))
        }
        None => Ok(()),
    }
}

/// The words of an element's text, without comments.
pub(crate) fn words<'a>(node: Node<'a, '_>) -> impl Iterator<Item = &'a str> {
    node.children().filter(|c| c.is_text()).filter_map(|c| c.text()).flat_map(str::split_ascii_whitespace)
}
