//! Wavefront OBJ: polygons, with `o` and `g` as groups. Statements that are not geometry are ignored; geometry other
//! than polygons (curves and surfaces) is an error, because a dropped surface is a missed contact.

use super::Builder;
use crate::error::{Error, Result, quoted};
use crate::io::load::{Lines, number, without_comment};
use glam::DVec3;
use std::io::BufRead;

/// Statements without surfaces: points and lines, texture and normals, appearance, settings.
const PASSED_OVER: &[&str] = &[
    "vt",
    "vn",
    "vp",
    "p",
    "l",
    "s",
    "mg",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
];

pub(super) fn read(from: impl BufRead, out: &mut Builder) -> Result<()> {
    let mut vertices: Vec<DVec3> = Vec::new();
    let mut face: Vec<DVec3> = Vec::new();
    let mut lines = Lines::new(from, out.limits());
    while let Some((i, line)) = lines.joined_line()? {
        let statement = without_comment(line);
        let mut words = statement.split_ascii_whitespace();
        let here = |e: Error| e.at(format!("line {i}"));
        if line.trim_end_matches('\r').contains('\r') {
            return Err(here(Error::input("the line ends with CR alone")).remedy("end lines with LF or CR LF"));
        }
        let Some(keyword) = words.next() else { continue };
        match keyword {
            "v" => vertices.push(vertex(words).map_err(here)?),
            "f" => {
                face.clear();
                for word in words {
                    face.push(corner(word, &vertices).map_err(here)?);
                }
                out.polygon(&face).map_err(here)?;
            }
            "o" | "g" => out.group(statement.trim_start().get(1..)),
            _ if PASSED_OVER.contains(&keyword) => {}
            _ => return Err(here(Error::input(format!("the statement {} is not supported", quoted(keyword))))),
        }
    }
    Ok(())
}

/// `x y z`, optionally followed by a weight, which must be 1, or a colour.
fn vertex<'a>(words: impl Iterator<Item = &'a str>) -> Result<DVec3> {
    let (mut at, mut n, mut fourth) = ([0.0; 3], 0, 1.0);
    for word in words {
        let x = number(word)?;
        if let Some(to) = at.get_mut(n) {
            *to = x;
        } else if n == 3 {
            fourth = x;
        }
        n += 1;
    }
    match n {
        // Programs disagree on whether coordinates are divided by it.
        4 | 7 if fourth != 1.0 => Err(Error::input(format!("a vertex has the weight {fourth:?}, expected 1"))),
        3 | 4 | 6 | 7 => Ok(at.into()),
        _ => Err(Error::input(format!("a vertex has {n} numbers, expected 3, 4, 6 or 7"))),
    }
}

/// The vertex of `v`, `v/vt`, `v//vn` or `v/vt/vn`: counted from 1, or backwards from the last one if negative.
fn corner(word: &str, vertices: &[DVec3]) -> Result<DVec3> {
    let index = word.split('/').next().unwrap_or_default();
    let index: i64 = index.parse().map_err(|_| Error::input(format!("{} is not a vertex number", quoted(word))))?;
    let n = vertices.len();
    let place = if index < 0 { (n as i64).checked_add(index) } else { index.checked_sub(1) };
    place
        .and_then(|p| usize::try_from(p).ok())
        .and_then(|p| vertices.get(p).copied())
        .ok_or_else(|| Error::input(format!("vertex {index} is out of range, there are {n} so far")))
}

#[cfg(test)]
mod tests {
    use super::super::MeshFormat;
    use super::super::tests::{groups, numbers, parse};

    #[test]
    fn polygons_are_fans_and_indices_count_from_either_end() {
        let text = "\u{feff}# square\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0 0.5 0.5 0.5\nv 0 1 0\nvt 0 0\n\
                    f 1/1 2//1 \\\n 3/1/1 -1 # fan\n";
        let mesh = parse(MeshFormat::Obj, text.as_bytes()).unwrap();
        let [a, b, c, d] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        assert_eq!(numbers(&mesh), [[a, b, c], [a, c, d]]);
        assert_eq!(groups(&mesh), [(None, 2)]);
    }

    #[test]
    fn weights_and_lone_line_ends_are_refused() {
        for (text, word) in [
            ("v 2 0 0 2\n", "line 1: a vertex has the weight 2.0, expected 1"),
            ("v 0 0 0\nv 1 0 0 0.5 1 1 1\n", "line 2: a vertex has the weight 0.5"),
            ("# made by hand\rv 9 9 9\nv 0 0 0\n", "line 1: the line ends with CR alone"),
        ] {
            let error = parse(MeshFormat::Obj, text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn comments_are_not_continued() {
        let text = "# of C:\\models\\\nv 0 0 0 # far \\\nv 1 0 0\n#\\\nv 0 1 0\nf 1 2 \\\n 3 # all\\\n";
        assert_eq!(parse(MeshFormat::Obj, text.as_bytes()).unwrap().triangles.len(), 1);
    }

    #[test]
    fn a_repeated_name_continues_its_group() {
        let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\no a\nf 1 2 3\ng b c\nf 1 2 3\nusemtl x\no a\nf 3 2 1\n";
        let mesh = parse(MeshFormat::Obj, text.as_bytes()).unwrap();
        assert_eq!(groups(&mesh), [(Some("a"), 2), (Some("b c"), 1)]);
        assert_eq!(mesh.triangles[2][0].to_array(), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn many_continued_lines_are_read_fast() {
        let text = format!("v 0 0 0 {}", "\\\n".repeat(1 << 19));
        let error = parse(MeshFormat::Obj, text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("no triangle"), "{error}");
    }
}
