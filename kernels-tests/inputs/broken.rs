//! Broken files, each broken in one way: an error of one line with the file and the defect.

use super::{arrays, load, samples};
use firstcontact::error::ErrorKind;

/// A file's name and content, and a word that the message must contain.
pub type Broken = (String, Vec<u8>, &'static str);

/// A valid text with one part replaced.
fn edited(text: &str, old: &str, new: &str) -> Vec<u8> {
    assert!(text.contains(old), "{old} is not in the sample");
    text.replacen(old, new, 1).into_bytes()
}

fn named(kind: &str, files: Vec<(Vec<u8>, &'static str)>) -> Vec<Broken> {
    let name = |i: usize| match kind {
        "motions.json" => format!("{i}-motions.json"),
        _ => format!("{i}.{kind}"),
    };
    files.into_iter().enumerate().map(|(i, (bytes, word))| (name(i), bytes, word)).collect()
}

fn stl() -> Vec<Broken> {
    let binary = samples::stl_binary();
    let with = |at: usize, bytes: &[u8]| {
        let mut broken = binary.clone();
        broken[at..at + bytes.len()].copy_from_slice(bytes);
        broken
    };
    let text = samples::stl_ascii();
    let edited = |old, new| edited(&text, old, new);
    let mut not_utf8 = text.clone().into_bytes();
    not_utf8[8] = 0xff;
    named(
        "stl",
        vec![
            (Vec::new(), "truncated"),
            (b"sol".to_vec(), "truncated"),
            (
                b"no mesh at all, but a text that is long enough to have a header of eighty bytes and more".to_vec(),
                "header declares",
            ),
            (binary[..83].to_vec(), "truncated"),
            (binary[..150].to_vec(), "truncated"),
            ([&binary[..], &[0]].concat(), "damaged"),
            (with(80, &u32::MAX.to_le_bytes()), "4294967295"),
            (binary[..84].iter().map(|_| 0).collect(), "no triangle"),
            (with(96, &f32::NAN.to_le_bytes()), "NaN"),
            (with(150, &f32::NEG_INFINITY.to_le_bytes()), "triangle 1 "),
            (text[..text.len() - "endsolid part 1\n".len()].into(), "truncated"),
            (b"solid empty\nendsolid empty\n".to_vec(), "no triangle"),
            (edited("vertex 1 0 0", "vertex 1e999 0 0"), "'1e999' is NaN or infinite"),
            (edited("vertex 1 0 0", "vertex 1 0"), "line 5"),
            (edited("vertex 1 0 0", "vertex 1 0 0 0"), "more than 3"),
            (edited("vertex 1 0 0", "vertex 1 0 O"), "not a number"),
            (edited("vertex 1 0 0", ""), "2 vertices"),
            (edited("outer loop", "outer loop\nvertex 1 1 1"), "4 vertices"),
            (edited("endfacet", "facet"), "unexpected 'facet'"),
            (not_utf8, "UTF-8"),
        ],
    )
}

fn obj() -> Vec<Broken> {
    let with = |old, new| edited(samples::OBJ, old, new);
    named(
        "obj",
        vec![
            (Vec::new(), "no triangle"),
            (b"v 0 0 0\nv 1 0 0\n".to_vec(), "no triangle"),
            (with("v 1 0 0", "v nan 0 0"), "line 5: 'nan'"),
            (with("v 1 0 0", "v -inf 0 0"), "infinite"),
            (with("v 1 0 0", "v 1e400 0 0"), "infinite"),
            (with("v 1 0 0 1.0", "v 1 0"), "2 numbers"),
            (with("f 1 2 ", "f 0 2 "), "vertex 0 is out of range"),
            (with("f 1 2 ", "f 1 5 "), "vertex 5 is out of range"),
            (with("f -1", "f -9"), "vertex -9 is out of range"),
            (with("f -1", "f 99999999999999999999"), "not a vertex number"),
            (with("f -1", "f -9223372036854775808"), "out of range"),
            (with("f -1 -2 -3", "f 1 2"), "2 vertices"),
            (with("f -1 -2 -3", "f"), "0 vertices"),
            (with("l 1 2", "surf 0 1 0 1 1 2 3 4"), "'surf' is not supported"),
            ([samples::OBJ.as_bytes(), b"g \xff\xfe\nf 1 2 3"].concat(), "UTF-8"),
        ],
    )
}

fn ply() -> Vec<Broken> {
    let text = String::from_utf8(samples::ply("ascii")).unwrap();
    let with = |old, new| edited(&text, old, new);
    let binary = samples::ply("binary_little_endian");
    let body = binary.len() - (4 * 14 + (1 + 12 + 1) + (1 + 16 + 1));
    let mut nan = binary.clone();
    nan[body..body + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    let mut list = binary.clone();
    list[body + 56] = 255;
    named(
        "ply",
        vec![
            (Vec::new(), "'ply'"),
            (text.as_bytes()[..60].into(), "truncated"),
            (with("format ascii", "format binary_middle_endian"), "not supported"),
            (with("format ascii 1.0", "format ascii 2.0"), "unexpected"),
            (with("element vertex 4", "element vertex 4000000000"), "truncated"),
            (with("element vertex 4", "element vertex 99999999999999999999"), "not a count"),
            (with("element vertex 4", "element vertex -4"), "not a count"),
            (with("element vertex 4", "element vertex 18446744073709551615"), "truncated"),
            (with("element vertex 4", "element vertex 3"), "line 15"),
            (with("element face 2", "element face 1"), "damaged"),
            (with("element face 2", "element face 3"), "ends before"),
            (with("property float y", "property float w"), "no property y"),
            (with("3 0 1 2 7", "3 0 1 1e300 7"), "1000000"),
            (with("property float y", "property floaty y"), "not a number type"),
            (with("property float y", "property float x"), "property 'x' is declared twice"),
            (with("list uchar int vertex_indices", "list uchar int corners"), "no list vertex_indices"),
            (with("element face", "element tristrips"), "strips"),
            (with("element face", "element vertex"), "element 'vertex' is declared twice"),
            (with("1 0 0\n", "nan 0 0\n"), "NaN"),
            (with("1 0 0\n", "1 0\n"), "line 13"),
            (with("1 0 0\n", "1 0 0 0\n"), "follows the last number"),
            (with("3 0 1 2 7", "3 0 1 4 7"), "vertex 4 is out of range"),
            (with("3 0 1 2 7", "3 0 1 -1 7"), "vertex -1 is out of range"),
            (with("3 0 1 2 7", "3 0 1 1.5 7"), "vertex 1.5"),
            (with("3 0 1 2 7", "2 0 1 7"), "2 vertices"),
            (with("3 0 1 2 7", "-3 7"), "list is -3"),
            (with("made up", "\u{fffd}").iter().map(|&b| if b == 0xef { 0xff } else { b }).collect(), "UTF-8"),
            (binary[..binary.len() - 1].to_vec(), "truncated"),
            ([&binary[..], b"more"].concat(), "damaged"),
            (nan, "NaN"),
            (list, "truncated"),
        ],
    )
}

fn dae() -> Vec<Broken> {
    let with = |old, new| edited(samples::DAE, old, new);
    named(
        "dae",
        vec![
            (Vec::new(), "XML"),
            (samples::DAE.as_bytes()[..1500].into(), "XML"),
            (b"<robot/>".to_vec(), "not <COLLADA>"),
            (b"<COLLADA/>".to_vec(), "no triangle"),
            (b"\xff\xfe<\0C\0".to_vec(), "UTF-8"),
            (with("count=\"12\">0 0 0 1", "count=\"12\">0 0 NaN 1"), "NaN"),
            (with("count=\"12\">0 0 0 1", "count=\"12\">0 0 1e999 1"), "infinite"),
            (with("count=\"12\">0 0 0 1", "count=\"12\">0 0 1"), "count of '12' but has 11"),
            (with("count=\"12\"", "count=\"4000000000\""), "declares a count of '4000000000'"),
            (with("count=\"4\" stride", "count=\"4000000000\" stride"), "truncated"),
            (with("count=\"4\" stride=\"3\"", "count=\"3\" stride=\"3\""), "vertex 3 is out of range"),
            (with("stride=\"3\"", "stride=\"2\""), "fewer than 3"),
            (with("<p>0 0 1 0 2 0</p>", "<p>0 0 1 0 9 0</p>"), "vertex 9 is out of range"),
            (with("<p>0 0 1 0 2 0</p>", "<p>0 0 1 0 2</p>"), "multiple of 2"),
            (with("<p>0 0 1 0 2 0</p>", "<p>0 0 1 0 -2 0</p>"), "not an index"),
            (with("<vcount>3 4</vcount>", "<vcount>3 9999999999999999999</vcount>"), "of 9999999999999999999 corners"),
            (with("<vcount>3 4</vcount>", "<vcount>3 3</vcount>"), "1 corners too many"),
            (with("<vcount>3 4</vcount>", "<vcount>5 2</vcount>"), "2 vertices"),
            (with("<vcount>3 4</vcount>", ""), "no <vcount>"),
            (with("<triangles count=\"1\">", "<triangles count=\"7\">"), "count of '7' but has 1"),
            (with("semantic=\"VERTEX\"", "semantic=\"TEXCOORD\""), "no input VERTEX"),
            (with("offset=\"0\"", "offset=\"18446744073709551615\""), "multiple"),
            (with("semantic=\"POSITION\"", "semantic=\"COLOR\""), "no input POSITION"),
            (with("url=\"#g\"", "url=\"#nothing\""), "'#nothing' is not a <geometry>"),
            (with("url=\"#g\"", "url=\"other.dae#g\""), "other files"),
            (with("<geometry id=\"g\">", "<geometry id=\"g\"/><geometry id=\"g\">"), "several"),
            (with("url=\"#shared\"", "url=\"#n\""), "nested too deeply or in a cycle"),
            (with("<matrix>1 0 0 1", "<matrix>1 0 0"), "15 numbers"),
            (with("0 0 0 1</matrix>", "0 0 1 1</matrix>"), "last row"),
            (with("<rotate>0 0 1 90", "<rotate>0 0 0 90"), "zero axis"),
            (with("<translate>1 2 3</translate>", "<skew>45 0 1 0 1 0 0</skew>"), "<skew> is not supported"),
            (with("<instance_geometry", "<instance_controller"), "skinned"),
            (with("meter=\"0.0254\"", "meter=\"0\""), "unit is 0.0"),
            (with("meter=\"0.0254\"", "meter=\"inch\""), "not a number"),
            (with("<polygons count=\"1\">", "<polygons count=\"1\"><ph/>"), "holes"),
            (with("<mesh>", "<mesh><quads/>"), "<quads> is not supported"),
            (with("<mesh>", "<convex_mesh/><mesh>"), "<convex_mesh> is not supported"),
        ],
    )
}

fn gltf() -> Vec<Broken> {
    let text = samples::gltf_with_data();
    let with = |old, new| edited(&text, old, new);
    let glb = samples::glb();
    let with_length = |length: u32| {
        let mut broken = glb.clone();
        broken[8..12].copy_from_slice(&length.to_le_bytes());
        broken
    };
    let mut chunk = glb.clone();
    chunk[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut files = named(
        "gltf",
        vec![
            (Vec::new(), "JSON"),
            (text.as_bytes()[..300].into(), "JSON"),
            (b"{\"asset\":{\"version\":\"2.0\"}}".to_vec(), "no triangle"),
            (with("\"nodes\":[0]", "\"nodes\":[7]"), "node 7"),
            (with("\"children\":[1]", "\"children\":[0]"), "its own ancestor"),
            (with("\"mesh\":0", "\"mesh\":3"), "mesh 3: it does not exist"),
            (with("\"indices\":1", "\"indices\":9"), "accessor 9"),
            (with("\"count\":6", "\"count\":4000000000"), "truncated"),
            (with("\"count\":4,", "\"count\":2,"), "out of range"),
            (with("\"count\":6", "\"count\":5"), "5 corners"),
            (with("\"count\":6", "\"count\":-6"), "JSON"),
            (with("base64,AAAA", "base64,A@AA"), "base64"),
            (with("base64,AAAA", "base64,"), "truncated"),
            (with("data:application/octet-stream;base64,AAAA", "gone.bin?AAAA"), "cannot be read"),
            (with("[1,2,3]", "[1,2,1e999]"), "JSON"),
            (with("\"mode\":5", "\"mode\":9"), "mode 9"),
        ],
    );
    files.extend(named(
        "glb",
        vec![
            (glb[..100].to_vec(), "truncated"),
            (with_length(8), "truncated"),
            (with_length(u32::MAX), "truncated"),
            (chunk, "truncated"),
            (b"glTF\x01\0\0\0\x0c\0\0\0".to_vec(), "version"),
            (b"glTF\x02\0\0\0\x0c\0\0\0".to_vec(), "no JSON chunk"),
        ],
    ));
    files
}

fn urdf() -> Vec<Broken> {
    let with = |old, new| edited(samples::URDF, old, new);
    let joint = |parent: &str, child: &str| {
        format!("<joint name=\"x\" type=\"fixed\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint></robot>")
    };
    let more = |elements: &str| edited(samples::URDF, "</robot>", elements);
    let long = "long".repeat(1000);
    named(
        "urdf",
        vec![
            (Vec::new(), "XML"),
            (samples::URDF.as_bytes()[..1000].into(), "XML"),
            (b"\x80<robot/>".to_vec(), "UTF-8"),
            (b"<sdf/>".to_vec(), "<sdf>"),
            (b"<robot name=\"r\"/>".to_vec(), "no link"),
            (
                b"<robot xmlns:xacro=\"http://ros.org/wiki/xacro\"><xacro:include filename=\"a\"/></robot>".to_vec(),
                "xacro",
            ),
            (
                b"<robot name=\"r\"><link name=\"a\"/><include filename=\"b\"/></robot>".to_vec(),
                "includes another file",
            ),
            (with("type=\"revolute\"", "type=\"planar\""), "joint 'turn': 'planar'"),
            (with("type=\"revolute\"", "type=\"hinge\""), "'hinge'"),
            (with("type=\"revolute\"", "kind=\"revolute\""), "no type"),
            (with("xyz=\"0 1 0\"", "xyz=\"0 0 0\""), "joint 'turn': its axis is zero"),
            (with("xyz=\"0 1 0\"", "xyz=\"0 nan 0\""), "NaN"),
            (with("xyz=\"0 1 0\"", "xyz=\"0 1e999 0\""), "infinite"),
            (with("xyz=\"0 0 1\" rpy", "xyz=\"0 x 0 1\" rpy"), "'x' is not a number"),
            (with("xyz=\"0 0 1\" rpy", "xyz=\"0 0 1 0\" rpy"), "more than 3"),
            (with("xyz=\"0 0 1\" rpy", "xyz=\"0 0\" rpy"), "2 numbers"),
            (with("xyz=\"0 0 1\" rpy", "XYZ=\"0 0 1\" rpy"), "'XYZ'"),
            (with("<axis xyz=\"0 1 0\"/>", "<axis xyz=\"0 1 0\"/><axis xyz=\"0 0 1\"/>"), "second <axis>"),
            (with("lower=\"-1.5\"", "lower=\"low\""), "lower is 'low'"),
            (with("link name=\"tool\"", "link name=\"tip\""), "two links are called 'tip'"),
            (with("joint name=\"bolt\"", "joint name=\"push\""), "two joints are called 'push'"),
            (with("link name=\"tool\"", "link"), "no name"),
            (with("<child link=\"tool\"/>", "<child link=\"hand\"/>"), "'hand' does not exist"),
            (with("<child link=\"tool\"/>", ""), "no <child>"),
            (with("<parent link=\"tip\"/><child link=\"tool\"/>", "<parent link=\"tip\"/>"), "no <child>"),
            (more(&joint("base", "tool")), "another parent"),
            (more(&joint("tool", "base")), "no root"),
            (more(&joint("base", "base")), "form a cycle"),
            (more("<link name=\"alone\"/></robot>"), "'base' and 'alone'"),
            (more(&format!("<link name=\"u\"/><link name=\"w\"/>{}", joint("u", "w"))), "roots"),
            (
                edited(
                    samples::URDF,
                    "</robot>",
                    "<link name=\"u\"/><link name=\"w\"/><joint name=\"p\" type=\"fixed\">\
                     <parent link=\"u\"/><child link=\"w\"/></joint>\
                     <joint name=\"q\" type=\"fixed\"><parent link=\"w\"/><child link=\"u\"/></joint></robot>",
                ),
                "form a cycle: 'u'",
            ),
            (with("mimic joint=\"push\"", "mimic joint=\"pull\""), "mimics 'pull'"),
            (with("mimic joint=\"push\"", "mimic joint=\"follow\""), "mimics itself"),
            (with("mimic joint=\"push\"", "mimic joint=\"push\" multiplyer=\"2\""), "'multiplyer'"),
            (with("multiplier=\"-1\"", "multiplier=\"\""), "0 numbers"),
            (with("<box size=\"1 1 0.2\"/>", "<box size=\"1 1 0\"/>"), "box"),
            (with("<box size=\"1 1 0.2\"/>", "<box size=\"1 -1 1\"/>"), "positive"),
            (with("<box size=\"1 1 0.2\"/>", "<box/>"), "no size"),
            (with("<box size=\"1 1 0.2\"/>", ""), "one shape"),
            (with("<box size=\"1 1 0.2\"/>", "<box size=\"1 1 1\"/><box size=\"1 1 1\"/>"), "one shape"),
            (with("<box size=\"1 1 0.2\"/>", "<plane/>"), "<plane> is not supported"),
            (with("<geometry><box size=\"1 1 0.2\"/></geometry>", ""), "no <geometry>"),
            (with("radius=\"0.01\" length=\"0.5\"", "radius=\"1e9\" length=\"0.5\""), "--chord-error"),
            (with("sphere radius=\"0.01\"", "sphere radius=\"-1\""), "link 'tip'"),
            (with("part.obj", "gone.obj"), "gone.obj"),
            (with("part.obj", "package://some/gone.obj"), "no some/gone.obj and no gone.obj"),
            (with("part.obj", "package://part.obj"), "does not name a file"),
            (with("part.obj", "package:///part.obj"), "does not name a file"),
            (with("part.obj", "http://somewhere/part.obj"), "'http'"),
            (with("part.obj", "part.blend"), "does not exist"),
            (with("part.obj", ""), "no filename"),
            (with("scale=\"0.1 -0.1 0.1\"", "scale=\"0.1 0 0.1\""), "scale"),
            (with("scale=\"0.1 -0.1 0.1\"", "scale=\"0.1\""), "1 numbers"),
            (with("scale=\"0.1 -0.1 0.1\"", "scale=\"1 inf 1\""), "'inf'"),
            (with("name=\"push\" type=\"prismatic\"", &format!("name=\"push\" type=\"{long}\"")), "longlong"),
            (with("<child link=\"tool\"/>", &format!("<child link=\"{long}&#10;{long}\"/>")), "does not exist"),
        ],
    )
}

fn scene() -> Vec<Broken> {
    let with = |old, new| edited(samples::SCENE, old, new);
    named(
        "json",
        vec![
            (Vec::new(), "JSON"),
            (samples::SCENE.as_bytes()[..80].into(), "JSON"),
            (b"[1, 2]".to_vec(), "JSON"),
            (vec![b'['; 100_000], "JSON"),
            (b"{\"units\": \"metre\", \"instances\": []}".to_vec(), "no triangle"),
            (b"{\"units\": \"metre\"}".to_vec(), "instances"),
            (with("\"metre\"", "\"inch\""), "'inch'"),
            (with("part.obj", "gone.obj"), "gone.obj"),
            (with("part.obj", "part.blend"), "not a mesh format"),
            (with("[0, 0, 0, 1]", "[0, 0, 0, 2]"), "last row"),
            (with("[0, 0, 0, 1]", "[0, 0, 1]"), "JSON"),
            (with("0.5]", "1e999]"), "JSON"),
            (with("0.5]", "null]"), "JSON"),
            (with("[1, 0, 0, 0.5]", "[1e308, 1e308, 1e308, 1e308]"), "NaN"),
            (with("first", "\u{0}").into_iter().map(|b| if b == 0 { 0xff } else { b }).collect(), "UTF-8"),
        ],
    )
}

fn motions() -> Vec<Broken> {
    let with = |old, new| edited(samples::MOTIONS, old, new);
    let npy = |shape: &str| samples::npy("'<f8'", shape, &samples::VALUES);
    let whole = npy("(2, 2, 3)");
    let with_values = |value: f64| {
        let mut values = samples::VALUES;
        values[7] = value;
        samples::npy("'<f8'", "(2, 2, 3)", &values)
    };
    let mut huge_header = whole.clone();
    huge_header.splice(6..10, [2, 0, 0xff, 0xff, 0xff, 0xff]);
    let mut files = named(
        "npy",
        vec![
            (Vec::new(), "truncated"),
            (b"PK\x03\x04 an archive".to_vec(), "NUMPY"),
            (whole[..40].to_vec(), "truncated"),
            (whole[..whole.len() - 1].to_vec(), "truncated"),
            ([&whole[..], &[0]].concat(), "damaged"),
            (huge_header, "4294967295"),
            (npy("(4000000000, 2, 3)"), "truncated"),
            (npy("(18446744073709551615, 2, 3)"), "truncated"),
            (npy("(99999999999999999999999, 2, 3)"), "header"),
            (npy("(2, 2, 6)"), "6 columns where the robot has 3"),
            (npy("(2, 3, 2)"), "2 columns where the robot has 3"),
            (npy("(4, 3)"), "expected (motions, 2, 3)"),
            (npy("(12,)"), "expected (motions, 2, 3)"),
            (npy("()"), "expected (motions, 2, 3)"),
            (samples::npy("'<f4'", "(2, 2, 3)", &samples::VALUES), "takes 48 bytes, the file has 96"),
            (samples::npy("'|O'", "(2, 2, 3)", &samples::VALUES), "astype('float64')"),
            (samples::npy("'<c8'", "(2, 2, 3)", &samples::VALUES), "'<c8'"),
            (samples::npy("[('a', '<f8')]", "(2, 2, 3)", &samples::VALUES), "structured"),
            (with_values(f64::NAN), "motion 1"),
            (with_values(f64::INFINITY), "column 1"),
            (with_values(0.0).iter().map(|&b| if b == b'{' { b'(' } else { b }).collect(), "header"),
        ],
    );
    files.extend(named(
        "motions.json",
        vec![
            (Vec::new(), "JSON"),
            (samples::MOTIONS.as_bytes()[..60].into(), "JSON"),
            (b"{\"motions\": []}".to_vec(), "joints"),
            (with("\"turn\"", "\"twist\""), "'twist'"),
            (with("\"turn\"", "\"push\""), "appears twice"),
            (with("\"turn\"", "\"follow\""), "no moving joint 'follow'"),
            (with("\"turn\"", "\"bolt\""), "no moving joint 'bolt'"),
            (with("[7, -1, 0]", "[-1]"), "motion 1: 1 values for 3 joints"),
            (with("[7, -1, 0]", "[7, -1, 0], [0, 0, 0]"), "motion 1: 3 waypoints"),
            (with("[7, -1, 0]", "[7, -1e7, 0]"), "2^20"),
            (with("[7, -1, 0]", "[1e999, -1, 0]"), "JSON"),
            (with("[7, -1, 0]", "[7, \"-1\", 0]"), "JSON"),
            (with("[7, -1, 0]", "7"), "a list of numbers"),
            (with("[[0, 0, 0.1]", "[[0, 0.1]"), "motion 0: 2 values for 3 joints"),
            (with("\"joints\"", "\"joint\""), "an example: {\"joints\": ["),
            (with("\"spin\", \"turn\", \"push\"", "\"push\""), "motion 0: 3 values for 1 joints"),
            (with("{", "{\"joints\": [], "), "duplicate"),
        ],
    ));
    let npz = |is_deflated| samples::npz(is_deflated);
    let mut flipped = npz(false);
    let at = flipped.windows(4).position(|w| w == 0.9f32.to_le_bytes()).unwrap();
    flipped[at] ^= 1;
    files.extend(named(
        "npz",
        vec![
            (Vec::new(), "not a .npz archive"),
            (whole, "not a .npz archive"),
            (npz(true)[..100].into(), "not a .npz archive"),
            (flipped, "checksum"),
            (arrays::zip(&[], false), "no array of motions"),
            (arrays::zip(&[("joint_names.npy", &arrays::names(&["turn"]))], true), "no array of motions"),
        ],
    ));
    let with = |old, new| edited(samples::MOTIONS_CSV, old, new);
    files.extend(named(
        "csv",
        vec![
            (Vec::new(), "it is empty"),
            (with("push", "pull"), "line 2: the robot has no moving joint 'pull'"),
            (with(",push", ""), "line 2: it has no values for joint 'push'"),
            (with("7,-1,0", "7,-1"), "line 5: 4 fields where the first line has 5"),
            (with("7,-1,0", "7,-1,zero"), "line 5: 'zero' is not a number"),
            (with("left,1.5", "left,0"), "point 1: its time 0.0 s does not exceed 0.0 s"),
        ],
    ));
    files
}

/// Every broken file; the mesh used by some of them is next to the sample robot.
pub fn all() -> Vec<Broken> {
    [stl(), obj(), ply(), dae(), gltf(), urdf(), scene(), motions()].concat()
}

#[test]
fn each_broken_file_is_an_error_of_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let robot = samples::prepare(folder.path());
    let all = all();
    let mut wrong = Vec::new();
    for (name, bytes, word) in &all {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        match load(&path, &robot) {
            Ok(()) => wrong.push(format!("{name} is accepted, want '{word}'")),
            Err(e) => {
                let message = e.to_string();
                let names_a_file =
                    message.contains(name.as_str()) || message.contains("gone") || message.contains("part.");
                let is_plain = message.chars().count() <= 1000 && !message.contains('\n');
                if !(names_a_file && message.contains(word) && is_plain && e.kind() == ErrorKind::Input) {
                    wrong.push(format!("want '{word}': {message}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
    println!("{} broken files", all.len());
}

#[test]
fn a_missing_file_or_a_folder_is_an_error_of_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let robot = samples::prepare(folder.path());
    for name in ["gone.urdf", "gone.stl", "gone.npy", "gone.json", "gone.motions.json", "gone.weird", "gone"] {
        let message = load(&folder.path().join(name), &robot).unwrap_err().to_string();
        assert!(message.contains(name) && !message.contains('\n'), "{message}");
        std::fs::create_dir(folder.path().join(name)).unwrap();
        let message = load(&folder.path().join(name), &robot).unwrap_err().to_string();
        assert!(message.contains(name) && !message.contains('\n'), "{message}");
    }
}
