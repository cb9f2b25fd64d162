//! PLY, ASCII and binary of either byte order: the elements `vertex` and `face`, polygons as fans.

mod body;
mod header;

use super::Builder;
use crate::error::{Error, Result, quoted, shortened};
use crate::io::load::text;
use body::Source;
use glam::DVec3;
use header::{Element, parse_header, split_header};

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
        // A count must not exceed the number of elements that the remaining bytes can contain.
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

/// Indices of x, y and z among the properties of a vertex.
fn xyz(element: &Element) -> Result<[usize; 3]> {
    let at = |name: &str| {
        let place = element.property(&[name]).filter(|&i| element.properties[i].counter.is_none());
        place.ok_or_else(|| Error::input(format!("its vertices have no property {name}")))
    };
    let places = [at("x")?, at("y")?, at("z")?];
    if places.is_sorted() { Ok(places) } else { Err(Error::input("the properties x, y, z are out of order")) }
}

/// Index of the list of corners among the properties of a face.
fn corner_list(element: &Element) -> Result<usize> {
    let place = element.property(&["vertex_indices", "vertex_index"]);
    place
        .filter(|&i| element.properties[i].counter.is_some())
        .ok_or_else(|| Error::input("its faces have no list vertex_indices"))
}

/// A number for a message, shortened because a large one has hundreds of digits.
fn shown(x: f64) -> String {
    shortened(&x.to_string(), 20)
}

#[cfg(test)]
mod tests {
    use super::super::MeshFormat;
    use super::super::tests::{numbers, parse};

    /// A square as one polygon, with other properties that are ignored.
    fn square(format: &str) -> Vec<u8> {
        let header = format!(
            "ply\r\nformat {format} 1.0\ncomment of no use\nelement camera 1\nproperty list uchar float f\n\
             element vertex 4\nproperty uchar red\nproperty double x\nproperty short y\nproperty float z\n\
             element nothing 4000000000\nelement face 1\nproperty list uint8 int8 vertex_index\n\
             property float quality\nend_header\n"
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
    fn all_forms_give_the_same_mesh() {
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
            // The last number of the ASCII form may lose digits and remain a number.
            let n = bytes.len() - if format == "ascii" { 3 } else { 0 };
            for n in 0..n {
                assert!(parse(MeshFormat::Ply, &bytes[..n]).is_err(), "{format}: {n} bytes");
            }
        }
    }
}
