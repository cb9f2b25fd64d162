//! STL: binary, and ASCII with any number of solids, each a group.

use super::Builder;
use crate::error::{Error, Result, quoted};
use crate::io::load::{Lines, number};
use glam::DVec3;
use std::io::{BufRead, Read};

/// Bytes before the first triangle of a binary file: a header of 80 bytes with any content, and the count.
const HEAD: usize = 84;
/// Bytes of a binary triangle: normal, three vertices, attribute.
const RECORD: usize = 50;

/// Length within which a reasonable binary file has a zero byte: in the padding of its header, or in its count.
const PROBE: usize = 512;

/// Reads a file of `length` bytes.
pub(super) fn read(mut from: impl BufRead, length: u64, out: &mut Builder) -> Result<()> {
    let unreadable = |cause: std::io::Error| Error::input(format!("it cannot be read: {cause}"));
    let mut probe = Vec::new();
    from.by_ref().take(PROBE as u64).read_to_end(&mut probe).map_err(unreadable)?;
    // "solid" at the start is not decisive: many binary files begin with it. The length decides, then the zeros.
    let n = probe.get(80..HEAD).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let length_of = |n: u32| HEAD as u64 + RECORD as u64 * u64::from(n);
    let is_text = probe.trim_ascii_start().get(..5).is_some_and(|b| b.eq_ignore_ascii_case(b"solid"));
    let has_zeros = probe.contains(&0);
    let whole = std::io::Cursor::new(probe).chain(from);
    match n {
        Some(n) if length == length_of(n) => binary(whole, n as usize, out),
        _ if is_text && !has_zeros => ascii(Lines::new(whole, out.limits()), out),
        Some(n) => Err(Error::input(format!(
            "its header declares {n} triangles, {} bytes, but it has {length} bytes: truncated or damaged",
            length_of(n),
        ))),
        None => Err(Error::input(format!("{length} bytes are too few for an STL file: truncated"))),
    }
}

fn binary(mut from: impl Read, n: usize, out: &mut Builder) -> Result<()> {
    out.check_room(n)?;
    let unreadable = |cause: std::io::Error| Error::input(format!("it cannot be read: {cause}"));
    from.read_exact(&mut [0; HEAD]).map_err(unreadable)?;
    let mut record = [0; RECORD];
    for _ in 0..n {
        from.read_exact(&mut record).map_err(unreadable)?;
        // The first three numbers are the normal, which is ignored.
        let coordinate = |i: usize| {
            let at = 12 + 4 * i;
            f64::from(f32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]))
        };
        let vertex = |k: usize| DVec3::new(coordinate(3 * k), coordinate(3 * k + 1), coordinate(3 * k + 2));
        out.triangle([vertex(0), vertex(1), vertex(2)])?;
    }
    Ok(())
}

/// The position of a line of an ASCII file in the grammar.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Outside,
    Solid,
    Facet,
    Loop,
    LoopDone,
}

fn ascii(mut lines: Lines<impl BufRead>, out: &mut Builder) -> Result<()> {
    let mut state = State::Outside;
    let mut vertices: Vec<DVec3> = Vec::with_capacity(3);
    while let Some((i, line)) = lines.line()? {
        let mut words = line.split_ascii_whitespace();
        let Some(keyword) = words.next() else { continue };
        let here = |e: Error| e.at(format!("line {i}"));
        state = match (state, keyword.to_ascii_lowercase().as_str()) {
            (State::Outside, "solid") => {
                out.group(line.trim_start().get(5..));
                State::Solid
            }
            (State::Solid, "endsolid") => State::Outside,
            (State::Solid, "facet") => State::Facet,
            (State::Facet, "outer") => State::Loop,
            (State::Loop, "vertex") => {
                let mut coordinate = || number(words.next().unwrap_or_default()).map_err(here);
                vertices.push(DVec3::new(coordinate()?, coordinate()?, coordinate()?));
                if words.next().is_some() {
                    return Err(here(Error::input("a vertex has more than 3 numbers")));
                }
                State::Loop
            }
            (State::Loop, "endloop") => {
                let [a, b, c] = vertices[..] else {
                    return Err(here(Error::input(format!("a facet has {} vertices, expected 3", vertices.len()))));
                };
                out.triangle([a, b, c]).map_err(here)?;
                vertices.clear();
                State::LoopDone
            }
            (State::LoopDone, "endfacet") => State::Solid,
            _ => return Err(here(Error::input(format!("unexpected {}", quoted(keyword))))),
        };
    }
    if state == State::Outside { Ok(()) } else { Err(Error::input("it ends before 'endsolid': truncated")) }
}

#[cfg(test)]
mod tests {
    use super::super::MeshFormat;
    use super::super::tests::{groups, numbers, parse};

    /// A binary file; the first bytes of its header are `head`.
    fn binary(head: &[u8], triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = head.to_vec();
        bytes.resize(80, 0);
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for triangle in triangles {
            bytes.extend([0; 12]);
            bytes.extend(triangle.iter().flatten().flat_map(|x| x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    const ONE: [[f32; 3]; 3] = [[0.1, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    #[test]
    fn binary_files_may_begin_with_solid() {
        for head in [&b"made by"[..], b"solid of a kind"] {
            let mesh = parse(MeshFormat::Stl, &binary(head, &[ONE, ONE])).unwrap();
            assert_eq!(mesh.triangles.len(), 2);
            assert_eq!(numbers(&mesh)[1][0], [f64::from(0.1f32), 0.0, 0.0]);
            assert_eq!(groups(&mesh), [(None, 2)]);
        }
    }

    #[test]
    fn ascii_is_read_in_f64_and_solids_are_groups() {
        let facet =
            "facet normal 0 0 1\n outer loop\n  vertex 0.1 0 0\n  vertex 1 0 0\n VERTEX 0 1e0 0\nendloop\nendfacet\n";
        let text = format!("solid two words\n{facet}{facet}endsolid\nsolid\r\n{facet}endsolid\n");
        let mesh = parse(MeshFormat::Stl, text.as_bytes()).unwrap();
        assert_eq!(groups(&mesh), [(Some("two words"), 2), (None, 1)]);
        assert_eq!(numbers(&mesh)[0], [[0.1, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    }

    #[test]
    fn truncated_binaries_that_begin_with_solid() {
        let bytes = binary(b"solid", &[ONE, ONE]);
        let error = parse(MeshFormat::Stl, &bytes[..150]).unwrap_err().to_string();
        assert!(error.contains("truncated") && error.contains("2 triangles"), "{error}");
    }
}
