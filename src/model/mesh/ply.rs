//! PLY, ASCII and binary of either byte order: the elements `vertex` and `face`, polygons as fans.

use super::Builder;
use crate::error::{Error, Result, quoted, shortened};
use crate::load::text;
use glam::DVec3;

/// The number types, by their old and their new names.
#[derive(Clone, Copy, PartialEq)]
enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn parse(word: &str) -> Result<Self> {
        Ok(match word {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return Err(Error::input(format!("{} is no number type", quoted(word)))),
        })
    }

    fn n_bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The value of that many bytes. Every type but a double fits f64 exactly, and a double is one.
    fn value(self, bytes: &[u8], is_big_endian: bool) -> f64 {
        let mut little = [0; 8];
        let n = self.n_bytes().min(bytes.len());
        little[..n].copy_from_slice(&bytes[..n]);
        if is_big_endian {
            little[..n].reverse();
        }
        let raw = u64::from_le_bytes(little);
        match self {
            Self::I8 => f64::from(raw as i8),
            Self::U8 => f64::from(raw as u8),
            Self::I16 => f64::from(raw as i16),
            Self::U16 => f64::from(raw as u16),
            Self::I32 => f64::from(raw as i32),
            Self::U32 => f64::from(raw as u32),
            Self::F32 => f64::from(f32::from_bits(raw as u32)),
            Self::F64 => f64::from_bits(raw),
        }
    }
}

/// A property: a number, or a list with its counter's type.
struct Property {
    name: String,
    counter: Option<Scalar>,
    scalar: Scalar,
}

struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

impl Element {
    fn property(&self, names: &[&str]) -> Option<usize> {
        self.properties.iter().position(|p| names.contains(&p.name.as_str()))
    }

    /// No element takes fewer bytes than this.
    fn min_bytes(&self, is_ascii: bool) -> usize {
        let of = |p: &Property| if is_ascii { 2 } else { p.counter.unwrap_or(p.scalar).n_bytes() };
        self.properties.iter().map(of).sum()
    }
}

pub(super) fn read(bytes: &[u8], out: &mut Builder) -> Result<()> {
    let (header, body) = split_header(bytes)?;
    let (format, elements) = parse_header(header)?;
    let mut source = match format {
        "ascii" => Source::Text { lines: text(body)?.lines(), line: header.lines().count() },
        "binary_little_endian" => Source::Binary { rest: body, is_big_endian: false },
        "binary_big_endian" => Source::Binary { rest: body, is_big_endian: true },
        _ => return Err(Error::input(format!("the format {} is not supported", quoted(format)))),
    };
    let mut vertices: Vec<DVec3> = Vec::new();
    let (mut corners, mut sizes) = (Vec::<f64>::new(), Vec::<usize>::new());
    for element in &elements {
        // A count is believed only as far as there are bytes for it.
        let need = element.count as u128 * element.min_bytes(format == "ascii") as u128;
        if need > body.len() as u128 + 1 {
            let message =
                format!("{} elements {} do not fit {} bytes", element.count, quoted(&element.name), body.len());
            return Err(Error::input(format!("{message}: truncated or damaged")));
        }
        if element.properties.is_empty() {
            continue;
        }
        let wanted = match element.name.as_str() {
            "vertex" => xyz(element)?.to_vec(),
            "face" => vec![corner_list(element)?],
            "tristrips" => return Err(Error::input("triangle strips are not supported")),
            _ => Vec::new(),
        };
        let mut values = Vec::new();
        for i in 0..element.count {
            values.clear();
            let here = |e: Error| e.at(format!("{} {i}", quoted(&element.name)));
            source.element(element, &wanted, &mut values).map_err(here)?;
            match (element.name.as_str(), &values[..]) {
                ("vertex", &[x, y, z]) => vertices.push(DVec3::new(x, y, z)),
                ("face", polygon) => {
                    corners.extend_from_slice(polygon);
                    sizes.push(polygon.len());
                }
                _ => {}
            }
        }
    }
    source.end()?;
    polygons(&vertices, &corners, &sizes, out)
}

fn polygons(vertices: &[DVec3], corners: &[f64], sizes: &[usize], out: &mut Builder) -> Result<()> {
    let mut rest = corners;
    let mut polygon = Vec::new();
    for (i, &n) in sizes.iter().enumerate() {
        let here = |e: Error| e.at(format!("face {i}"));
        let (own, after) = rest.split_at(n.min(rest.len()));
        rest = after;
        polygon.clear();
        for &corner in own {
            let vertex = (corner >= 0.0 && corner.fract() == 0.0).then(|| vertices.get(corner as usize)).flatten();
            polygon.push(*vertex.ok_or_else(|| {
                here(Error::input(format!("vertex {} is out of range, there are {}", shown(corner), vertices.len())))
            })?);
        }
        out.polygon(&polygon).map_err(here)?;
    }
    Ok(())
}

/// Where x, y and z stand among the properties of a vertex.
fn xyz(element: &Element) -> Result<[usize; 3]> {
    let at = |name: &str| {
        let place = element.property(&[name]).filter(|&i| element.properties[i].counter.is_none());
        place.ok_or_else(|| Error::input(format!("its vertices have no property {name}")))
    };
    let places = [at("x")?, at("y")?, at("z")?];
    if places.is_sorted() { Ok(places) } else { Err(Error::input("the properties x, y, z are out of order")) }
}

/// Where the list of corners stands among the properties of a face.
fn corner_list(element: &Element) -> Result<usize> {
    let place = element.property(&["vertex_indices", "vertex_index"]);
    place
        .filter(|&i| element.properties[i].counter.is_some())
        .ok_or_else(|| Error::input("its faces have no list vertex_indices"))
}

/// No header is longer than this, bytes.
const MAX_HEADER: usize = 1 << 16;

/// The header as text, and what follows its last line.
fn split_header(bytes: &[u8]) -> Result<(&str, &[u8])> {
    if !(bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r")) {
        return Err(Error::input("it does not begin with 'ply'"));
    }
    let mut at = 0;
    for line in bytes[..bytes.len().min(MAX_HEADER)].split_inclusive(|&b| b == b'\n') {
        at += line.len();
        if line.trim_ascii() == b"end_header" && line.ends_with(b"\n") {
            return Ok((text(&bytes[..at])?, &bytes[at..]));
        }
    }
    Err(Error::input(format!("its header has no end within {MAX_HEADER} bytes: truncated")))
}

/// The format and the elements that a header declares.
fn parse_header(header: &str) -> Result<(&str, Vec<Element>)> {
    let mut format = None;
    let mut elements: Vec<Element> = Vec::new();
    for (i, line) in header.lines().enumerate().skip(1) {
        let here = |e: Error| e.at(format!("line {}", i + 1));
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words[..] {
            [] | ["comment" | "obj_info", ..] | ["end_header"] => {}
            ["format", name, "1.0"] if format.is_none() => format = Some(name),
            ["element", name, count] => {
                let count = count.parse().map_err(|_| here(Error::input(format!("{} is no count", quoted(count)))))?;
                if elements.iter().any(|e| e.name == name) {
                    return Err(here(Error::input(format!("a second element {}", quoted(name)))));
                }
                elements.push(Element { name: name.to_string(), count, properties: Vec::new() });
            }
            ["property", ref kind @ .., name] => {
                let (counter, scalar) = match kind {
                    ["list", counter, scalar] => (Some(Scalar::parse(counter).map_err(here)?), scalar),
                    [scalar] => (None, scalar),
                    _ => return Err(here(Error::input(format!("{} is no property", quoted(line))))),
                };
                let scalar = Scalar::parse(scalar).map_err(here)?;
                let element = elements.last_mut().ok_or_else(|| here(Error::input("a property of no element")))?;
                if element.properties.iter().any(|p| p.name == name) {
                    return Err(here(Error::input(format!("a second property {}", quoted(name)))));
                }
                element.properties.push(Property { name: name.to_string(), counter, scalar });
            }
            _ => return Err(here(Error::input(format!("unexpected {}", quoted(line))))),
        }
    }
    Ok((format.ok_or_else(|| Error::input("its header has no format 1.0"))?, elements))
}

/// The body, from which elements are taken one by one.
enum Source<'a> {
    Text { lines: std::str::Lines<'a>, line: usize },
    Binary { rest: &'a [u8], is_big_endian: bool },
}

impl Source<'_> {
    /// Takes one element, and keeps the values of the wanted properties.
    fn element(&mut self, element: &Element, wanted: &[usize], values: &mut Vec<f64>) -> Result<()> {
        match self {
            Self::Text { lines, line } => {
                let mut words = loop {
                    *line += 1;
                    let text = lines.next().ok_or_else(|| Error::input("it ends before this element: truncated"))?;
                    let mut words = text.split_ascii_whitespace().peekable();
                    if words.peek().is_some() {
                        break words;
                    }
                };
                let here = |e: Error| e.at(format!("line {line}"));
                let mut next = |_| number(words.next().unwrap_or_default()).map_err(here);
                take(element, wanted, values, &mut next).map_err(here)?;
                match words.next() {
                    Some(word) => Err(here(Error::input(format!("{} is one number too many", quoted(word))))),
                    None => Ok(()),
                }
            }
            Self::Binary { rest, is_big_endian } => take(element, wanted, values, &mut |scalar: Scalar| {
                let (own, after) = rest
                    .split_at_checked(scalar.n_bytes())
                    .ok_or_else(|| Error::input("it ends within this element: truncated"))?;
                *rest = after;
                Ok(scalar.value(own, *is_big_endian))
            }),
        }
    }

    /// Refuses what is left over, except for blank lines.
    fn end(self) -> Result<()> {
        let left = match self {
            Self::Text { mut lines, .. } => lines.any(|l| !l.trim().is_empty()),
            Self::Binary { rest, .. } => !rest.trim_ascii().is_empty(),
        };
        if left { Err(Error::input("it goes on after its last element: damaged")) } else { Ok(()) }
    }
}

/// Takes the properties of one element in their order; `next` gives the next number of a type.
fn take(
    element: &Element,
    wanted: &[usize],
    values: &mut Vec<f64>,
    next: &mut impl FnMut(Scalar) -> Result<f64>,
) -> Result<()> {
    for (i, property) in element.properties.iter().enumerate() {
        let n = match property.counter.map(&mut *next).transpose()? {
            None => 1,
            // No list is longer than the body: the next number is missing long before.
            Some(n) if n >= 0.0 && n.fract() == 0.0 => n as usize,
            Some(n) => return Err(Error::input(format!("a list of {} numbers", shown(n)))),
        };
        for _ in 0..n {
            let value = next(property.scalar)?;
            if wanted.contains(&i) {
                values.push(value);
            }
        }
    }
    Ok(())
}

/// A number for a message: a large one has hundreds of digits.
fn shown(x: f64) -> String {
    shortened(&x.to_string(), 20)
}

/// A number that may be NaN or infinite: a normal may, and a coordinate is looked at where it is used.
fn number(word: &str) -> Result<f64> {
    word.parse().map_err(|_| Error::input(format!("{} is not a number", quoted(word))))
}

#[cfg(test)]
mod tests {
    use super::super::MeshFormat;
    use super::super::tests::{numbers, parse};

    /// A square as one polygon, with properties around that do not matter.
    fn square(format: &str) -> Vec<u8> {
        let header = format!(
            "ply\r\nformat {format} 1.0\ncomment of no use\nelement camera 1\nproperty list uchar float f\n\
             element vertex 4\nproperty uchar red\nproperty double x\nproperty short y\nproperty float z\n\
             element nothing 4000000000\nelement face 1\nproperty list uint8 int8 vertex_index\nproperty float quality\nend_header\n"
        );
        let mut bytes = header.into_bytes();
        let vertices: [(f64, i16, f32); 4] = [(0.1, 0, 0.0), (1.0, 0, 0.0), (1.0, -1, 0.5), (0.0, 1, 0.0)];
        if format == "ascii" {
            bytes.extend(b"2 1 nan\n\n");
            for (x, y, z) in vertices {
                bytes.extend(format!("7 {x} {y} {z}\n").bytes());
            }
            bytes.extend(b"4 0 1 2 3 inf");
            return bytes;
        }
        let big = format == "binary_big_endian";
        let put = |out: &mut Vec<u8>, mut le: Vec<u8>| {
            if big {
                le.reverse();
            }
            out.extend(le);
        };
        bytes.push(1);
        put(&mut bytes, f32::NAN.to_le_bytes().into());
        for (x, y, z) in vertices {
            bytes.push(7);
            put(&mut bytes, x.to_le_bytes().into());
            put(&mut bytes, y.to_le_bytes().into());
            put(&mut bytes, z.to_le_bytes().into());
        }
        bytes.extend([4, 0, 1, 2, 3]);
        put(&mut bytes, 1.5f32.to_le_bytes().into());
        bytes
    }

    #[test]
    fn all_forms_say_the_same() {
        for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
            let mesh = parse(MeshFormat::Ply, &square(format)).unwrap();
            let [a, b, c, d] = [[0.1, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, -1.0, 0.5], [0.0, 1.0, 0.0]];
            assert_eq!(numbers(&mesh), [[a, b, c], [a, c, d]], "{format}");
        }
    }

    #[test]
    fn every_truncation_is_an_error() {
        for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
            let bytes = square(format);
            // The last word of the ASCII form may lose letters and still be a number.
            let n = bytes.len() - if format == "ascii" { 3 } else { 0 };
            for n in 0..n {
                assert!(parse(MeshFormat::Ply, &bytes[..n]).is_err(), "{format}: {n} bytes");
            }
        }
    }
}
