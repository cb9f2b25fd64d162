//! The geometries of a COLLADA document: triangles and polygons over positions in flat arrays.

use super::{Builder, Scene};
use crate::error::{Error, Result, quoted, shortened};
use crate::formats::xml::{child, children, line, required, words};
use crate::io::load::number;
use crate::robot::Triangle;
use glam::DVec3;
use roxmltree::Node;
use std::rc::Rc;

impl<'a, 'i> Scene<'a, 'i, '_> {
    /// The triangles of a `<geometry>`, read once.
    pub(super) fn geometry(&mut self, geometry: Node<'a, 'i>) -> Result<Rc<Vec<Triangle>>> {
        if let Some(known) = self.geometries.get(&geometry.id()) {
            return Ok(Rc::clone(known));
        }
        let mut own = Builder::new(self.out.limits());
        for kind in geometry.children().filter(Node::is_element) {
            match kind.tag_name().name() {
                "mesh" => {
                    for element in kind.children().filter(Node::is_element) {
                        self.primitives(element, &mut own).map_err(|e| e.at(line(element)))?;
                    }
                }
                "convex_mesh" | "brep" => {
                    let message = format!("<{}> is not supported", kind.tag_name().name());
                    return Err(Error::input(message).at(line(kind)));
                }
                _ => {}
            }
        }
        let triangles = Rc::new(own.into_triangles());
        self.geometries.insert(geometry.id(), Rc::clone(&triangles));
        Ok(triangles)
    }

    /// The triangles of one element of a mesh; sources and lines have no triangles.
    fn primitives(&mut self, element: Node<'a, 'i>, out: &mut Builder) -> Result<()> {
        let kind = element.tag_name().name();
        match kind {
            "triangles" | "polylist" | "polygons" | "tristrips" | "trifans" => {}
            "source" | "vertices" | "lines" | "linestrips" | "asset" | "extra" => return Ok(()),
            _ => return Err(Error::input(format!("<{}> is not supported", shortened(kind, 60)))),
        }
        if let Some(holes) = children(element, "ph").next() {
            return Err(Error::input("polygons with holes are not supported").at(line(holes)));
        }
        let Inputs { stride, vertex } = self.inputs(element)?;
        let lists = index_lists(element, stride)?;
        if lists.iter().all(Vec::is_empty) {
            return check_count(element, 0);
        }
        let (offset, positions) = vertex.ok_or_else(|| Error::input(format!("<{kind}> has no input VERTEX")))?;
        let mut corners = Vec::with_capacity(lists.len());
        for list in &lists {
            let points = list.chunks_exact(stride).map(|c| positions.get(c[offset])).collect::<Result<Vec<_>>>()?;
            corners.push(points);
        }
        match kind {
            "triangles" | "polylist" => polygons(element, &corners.concat(), out),
            "tristrips" => {
                check_count(element, corners.len())?;
                corners.iter().try_for_each(|strip| out.strip(strip))
            }
            _ => {
                check_count(element, corners.len())?;
                corners.iter().try_for_each(|polygon| out.polygon(polygon))
            }
        }
    }

    /// The inputs of an element with triangles.
    fn inputs(&mut self, element: Node<'a, 'i>) -> Result<Inputs> {
        let (mut stride, mut vertex) = (1, None);
        for input in children(element, "input") {
            let offset = index(required(input, "offset")?)?;
            stride = stride.max(offset.saturating_add(1));
            if required(input, "semantic")? == "VERTEX" {
                vertex = Some((offset, self.positions(input)?));
            }
        }
        Ok(Inputs { stride, vertex })
    }

    /// The numbers of a `<float_array>`, read once.
    fn array(&mut self, array: Node<'a, 'i>) -> Result<Rc<Vec<f64>>> {
        if let Some(known) = self.arrays.get(&array.id()) {
            return Ok(Rc::clone(known));
        }
        let data = words(array).map(number).collect::<Result<Vec<_>>>().map_err(|e| e.at(line(array)))?;
        check_count(array, data.len())?;
        let data = Rc::new(data);
        self.arrays.insert(array.id(), Rc::clone(&data));
        Ok(data)
    }

    /// The positions of an input VERTEX, found through `<vertices>`, its input POSITION, `<source>` and
    /// `<float_array>`.
    fn positions(&mut self, input: Node<'a, 'i>) -> Result<Positions> {
        let vertices = self.resolve(input, "source", "vertices")?;
        let position = children(vertices, "input")
            .find(|i| i.attribute("semantic") == Some("POSITION"))
            .ok_or_else(|| Error::input("<vertices> has no input POSITION").at(line(vertices)))?;
        let source = self.resolve(position, "source", "source")?;
        let accessor = match child(source, "technique_common")? {
            Some(common) => child(common, "accessor")?,
            None => None,
        };
        let accessor = accessor.ok_or_else(|| Error::input("<source> has no <accessor>").at(line(source)))?;
        let array = self.resolve(accessor, "source", "float_array")?;
        let data = self.array(array)?;
        let attribute = |name: &str, default: usize| match accessor.attribute(name) {
            Some(value) => index(value).map_err(|e| e.at(line(accessor))),
            None => Ok(default),
        };
        let names: Vec<_> =
            children(accessor, "param").take(16).map(|p| p.attribute("name").unwrap_or_default()).collect();
        let column = |k: usize, name: &str| names.iter().position(|n| *n == name).unwrap_or(k);
        let positions = Positions {
            offset: attribute("offset", 0)?,
            count: attribute("count", 0)?,
            stride: attribute("stride", 1)?,
            columns: [column(0, "X"), column(1, "Y"), column(2, "Z")],
            data,
        };
        if positions.columns.iter().any(|&c| c >= positions.stride) {
            return Err(Error::input("its positions have fewer than 3 numbers").at(line(accessor)));
        }
        if positions.count > 0 && positions.get(positions.count - 1).is_err() {
            let message = format!("{} positions do not fit its {} numbers", positions.count, positions.data.len());
            return Err(Error::input(format!("{message}: truncated")).at(line(accessor)));
        }
        Ok(positions)
    }
}

/// The layout of the indices of an element: each corner has one index for every offset.
struct Inputs {
    /// Number of indices of a corner.
    stride: usize,
    /// The offset of the input VERTEX, whose index is the only one used here, and its positions.
    vertex: Option<(usize, Positions)>,
}

/// The indices of each `<p>` of an element, with `stride` indices for each corner.
fn index_lists(element: Node, stride: usize) -> Result<Vec<Vec<usize>>> {
    let mut lists = Vec::new();
    for p in children(element, "p") {
        let indices = words(p).map(index).collect::<Result<Vec<_>>>().map_err(|e| e.at(line(p)))?;
        if indices.len() % stride != 0 {
            let message = format!("{} indices, not a multiple of {stride}", indices.len());
            return Err(Error::input(message).at(line(p)));
        }
        lists.push(indices);
    }
    Ok(lists)
}

/// Adds the polygons of `<triangles>`, which have three of the corners each, or of a `<polylist>`.
fn polygons(element: Node, corners: &[DVec3], out: &mut Builder) -> Result<()> {
    let sizes = match (element.tag_name().name(), child(element, "vcount")?) {
        ("triangles", _) => vec![3; corners.len().div_ceil(3)],
        (_, Some(vcount)) => words(vcount).map(index).collect::<Result<Vec<_>>>()?,
        (_, None) => return Err(Error::input("<polylist> has no <vcount>")),
    };
    check_count(element, sizes.len())?;
    let mut rest = corners;
    for n in sizes {
        let (polygon, after) = rest
            .split_at_checked(n)
            .ok_or_else(|| Error::input(format!("its last polygon has {} of {n} corners", rest.len())))?;
        out.polygon(polygon)?;
        rest = after;
    }
    if rest.is_empty() { Ok(()) } else { Err(Error::input(format!("{} corners too many", rest.len()))) }
}

/// Points in a flat array.
struct Positions {
    data: Rc<Vec<f64>>,
    offset: usize,
    count: usize,
    stride: usize,
    columns: [usize; 3],
}

impl Positions {
    fn get(&self, i: usize) -> Result<DVec3> {
        let refuse = || Error::input(format!("vertex {i} is out of range, there are {}", self.count));
        let start = i.checked_mul(self.stride).and_then(|s| s.checked_add(self.offset)).filter(|_| i < self.count);
        let start = start.ok_or_else(refuse)?;
        let coordinate = |c: usize| start.checked_add(c).and_then(|at| self.data.get(at)).copied().ok_or_else(refuse);
        Ok(DVec3::new(coordinate(self.columns[0])?, coordinate(self.columns[1])?, coordinate(self.columns[2])?))
    }
}

/// Compares the `count` of an element with the actual number.
fn check_count(element: Node, found: usize) -> Result<()> {
    match element.attribute("count") {
        Some(count) if count.trim().parse() != Ok(found) => {
            let message =
                format!("<{}> declares a count of {} but has {found}", element.tag_name().name(), quoted(count));
            Err(Error::input(message).at(line(element)))
        }
        _ => Ok(()),
    }
}

fn index(word: &str) -> Result<usize> {
    word.trim().parse().map_err(|_| Error::input(format!("{} is not an index", quoted(word))))
}
