//! Small valid files of every kind that the readers support.

use super::arrays;
use firstcontact::robot::Robot;
use std::path::Path;

const TRIANGLES: [[[f32; 3]; 3]; 2] =
    [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0.5; 3], [1.5; 3], [0.0, 0.0, 2.0]]];

pub fn stl_binary() -> Vec<u8> {
    let mut bytes = b"solid but binary".to_vec();
    bytes.resize(80, 0);
    bytes.extend(2u32.to_le_bytes());
    for triangle in TRIANGLES {
        bytes.extend([0; 12]);
        bytes.extend(triangle.iter().flatten().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

pub fn stl_ascii() -> String {
    let vertex = |v: &[f32; 3]| format!("      vertex {} {} {}\n", v[0], v[1], v[2]);
    let facet = |t: &[[f32; 3]; 3]| {
        let vertices: String = t.iter().map(vertex).collect();
        format!("  facet normal 0 0 1\n    outer loop\n{vertices}    endloop\n  endfacet\n")
    };
    TRIANGLES.iter().enumerate().map(|(i, t)| format!("solid part {i}\n{}endsolid part {i}\n", facet(t))).collect()
}

pub const OBJ: &str = "# a comment\nmtllib a.mtl\no one\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0 0.1 0.2 0.3\n\
    v 0 1e0 0\nvt 0 0\nvn 0 0 1\n\
    usemtl m\ns off\nf 1/1/1 2//1 3/1\ng two parts\nf 1 2 \\\n 3 4\nl 1 2\no one\nf -1 -2 -3\n";

pub fn ply(format: &str) -> Vec<u8> {
    let mut bytes = format!(
        "ply\nformat {format} 1.0\ncomment made up\nelement vertex 4\n\
         property double x\nproperty float y\nproperty short z\n\
         element face 2\nproperty list uchar int vertex_indices\nproperty uchar red\nend_header\n"
    )
    .into_bytes();
    let vertices: [(f64, f32, i16); 4] = [(0.0, 0.0, 0), (1.0, 0.0, 0), (0.25, 1.0, 0), (0.0, 0.5, 2)];
    let faces: [&[i32]; 2] = [&[0, 1, 2], &[0, 1, 2, 3]];
    if format == "ascii" {
        bytes.extend(vertices.iter().flat_map(|(x, y, z)| format!("{x} {y} {z}\n").into_bytes()));
        for face in faces {
            let corners: Vec<_> = face.iter().map(i32::to_string).collect();
            bytes.extend(format!("{} {} 7\n", face.len(), corners.join(" ")).bytes());
        }
        return bytes;
    }
    let mut put = |mut little: Vec<u8>| {
        if format == "binary_big_endian" {
            little.reverse();
        }
        bytes.extend(little);
    };
    for (x, y, z) in vertices {
        put(x.to_le_bytes().into());
        put(y.to_le_bytes().into());
        put(z.to_le_bytes().into());
    }
    for face in faces {
        put(vec![face.len() as u8]);
        face.iter().for_each(|i| put(i.to_le_bytes().into()));
        put(vec![7]);
    }
    bytes
}

pub const DAE: &str = r##"<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.0254" name="inch"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common>
<accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y"/><param name="Z"/></accessor>
</technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#p" offset="1"/>
<p>0 0 1 0 2 0</p></triangles>
<polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/><vcount>3 4</vcount><p>0 1 2 0 1 2 3</p></polylist>
<polygons count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 3</p></polygons>
<tristrips count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 3</p></tristrips>
<trifans count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 3</p></trifans>
</mesh></geometry></library_geometries>
<library_nodes><node id="shared"><scale>1 2 3</scale><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="s"><node id="n" name="outer"><matrix>1 0 0 1 0 1 0 2 0 0 1 3 0 0 0 1</matrix>
<instance_geometry url="#g"/><instance_node url="#shared"/>
<node id="m"><translate>1 2 3</translate><rotate>0 0 1 90</rotate><instance_geometry url="#g"/></node>
</node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>
"##;

/// The JSON of a glTF document; `uri` is a property of the buffer, or empty.
pub fn gltf(uri: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
"nodes":[{{"name":"outer","mesh":0,"translation":[1,2,3],"children":[1]}},
{{"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,1]}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}},
{{"attributes":{{"POSITION":0}},"indices":1,"mode":5}},{{"attributes":{{"POSITION":0}},"mode":6}}]}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}},
{{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"}}],
"bufferViews":[{{"buffer":0,"byteOffset":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":12}}],
"buffers":[{{{uri}"byteLength":60}}]}}"#
    )
}

pub fn gltf_with_data() -> String {
    gltf(concat!(
        r#""uri":"data:application/octet-stream;base64,"#,
        r#"AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAABAAIAAQACAAMA","#,
    ))
}

pub fn glb() -> Vec<u8> {
    let points: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let mut buffer: Vec<u8> = points.iter().flat_map(|x| x.to_le_bytes()).collect();
    buffer.extend([0u16, 1, 2, 1, 2, 3].iter().flat_map(|i| i.to_le_bytes()));
    let mut json = gltf("").into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2u32.to_le_bytes());
    bytes.extend((12 + 8 + json.len() as u32 + 8 + buffer.len() as u32).to_le_bytes());
    for (kind, content) in [(b"JSON", json), (b"BIN\0", buffer)] {
        bytes.extend((content.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(content);
    }
    bytes
}

/// A robot with every kind of joint and shape; its mesh is `part.obj` in the same folder.
pub const URDF: &str = r#"<?xml version="1.0"?>
<robot name="sample">
  <!-- a comment -->
  <link name="base">
    <collision><origin xyz="0 0 0.1" rpy="0 0.5 0"/><geometry><box size="1 1 0.2"/></geometry></collision></link>
  <link name="arm"><visual><geometry><mesh filename="part.obj" scale="0.1 -0.1 0.1"/></geometry></visual></link>
  <link name="slide"><collision><geometry><cylinder radius="0.01" length="0.5"/></geometry></collision></link>
  <link name="tip"><collision><geometry><sphere radius="0.01"/></geometry></collision>
    <inertial><mass value="1"/></inertial></link>
  <link name="cap"><collision><geometry><capsule radius="0.01" length="0.1"/></geometry></collision></link>
  <link name="tool"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/>
    <axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" effort="1" velocity="1"/></joint>
  <joint name="push" type="prismatic"><parent link="arm"/><child link="slide"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="1" velocity="1"/></joint>
  <joint name="spin" type="continuous"><parent link="slide"/><child link="tip"/></joint>
  <joint name="follow" type="prismatic"><parent link="arm"/><child link="cap"/>
    <mimic joint="push" multiplier="-1" offset="0.1"/></joint>
  <joint name="bolt" type="fixed"><parent link="tip"/><child link="tool"/></joint>
</robot>
"#;

/// A description of the robot above.
pub const SRDF: &str = r#"<?xml version="1.0"?>
<robot name="sample">
  <!-- a comment -->
  <group name="arm"><chain base_link="base" tip_link="tip"/></group>
  <group_state name="home" group="arm"><joint name="turn" value="0.5"/><joint name="push" value="0.1"/>
    <joint name="spin" value="1"/><joint name="world" value="0 0 0"/></group_state>
  <end_effector name="hand" parent_link="tool" group="arm"/>
  <virtual_joint name="world" type="planar" parent_frame="map" child_link="base"/>
  <passive_joint name="follow"/>
  <disable_default_collisions link="cap"/>
  <enable_collisions link1="cap" link2="tip"/>
  <disable_collisions link1="base" link2="arm" reason="Adjacent"/>
  <disable_collisions link1="arm" link2="slide" reason="Adjacent"/>
</robot>
"#;

pub const SCENE: &str = r#"{"units": "metre", "instances": [
  {"object": "first", "mesh": "part.obj", "matrix": [[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]},
  {"object": "second", "mesh": "part.obj", "matrix": [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]}]}"#;

pub const MOTIONS: &str = r#"{"joints": ["spin", "turn", "push"],
 "motions": [[[0, 0, 0.1], [3, 1, 0.2]], [[7, -1, 0], [0.5, 2.5, 1e-3]]]}"#;

/// A `.npy` file of version 1.
pub fn npy(descr: &str, shape: &str, values: &[f64]) -> Vec<u8> {
    let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
    bytes.extend((padded as u16).to_le_bytes());
    bytes.extend(format!("{header:<width$}\n", width = padded - 1).bytes());
    bytes.extend(values.iter().flat_map(|x| x.to_le_bytes()));
    bytes
}

pub const VALUES: [f64; 12] = [0.0, 0.1, 0.0, 1.0, 0.2, -3.0, 0.5, 0.0, 0.0, 0.6, 0.9, 9.0];

/// Motions with a name for each column.
pub fn npz(is_deflated: bool) -> Vec<u8> {
    let positions = arrays::npy("<f4", false, &[2, 2, 3], &VALUES);
    let joints = arrays::names(&["push", "spin", "turn"]);
    arrays::zip(&[("positions.npy", &positions), ("joint_names.npy", &joints)], is_deflated)
}

pub const MOTIONS_CSV: &str = "# made by hand\ntrajectory,time,spin,\"turn\",push\nleft,0,0,0,0.1\nleft,1.5,3,1,0.2\n\
    \"the, right\",0,7,-1,0\n\"the, right\",2,0.5,2.5,1e-3\n";

/// Every sample with the name of its file.
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("binary.stl", stl_binary()),
        ("ascii.stl", stl_ascii().into()),
        ("a.obj", OBJ.into()),
        ("a.dae", DAE.into()),
        ("ascii.ply", ply("ascii")),
        ("little.ply", ply("binary_little_endian")),
        ("big.ply", ply("binary_big_endian")),
        ("a.glb", glb()),
        ("a.gltf", gltf_with_data().into()),
        ("a.urdf", URDF.into()),
        ("a.srdf", SRDF.into()),
        ("scene.json", SCENE.into()),
        ("motions.json", MOTIONS.into()),
        ("a.npy", npy("'<f8'", "(2, 2, 3)", &VALUES)),
        ("fortran.npy", arrays::npy(">i2", true, &[2, 2, 3], &VALUES.map(f64::trunc))),
        ("stored.npz", npz(false)),
        ("deflated.npz", npz(true)),
        ("a.csv", MOTIONS_CSV.into()),
    ]
}

/// Writes the mesh that the robot and the scene use, and returns the robot.
pub fn prepare(folder: &Path) -> Robot {
    std::fs::write(folder.join("part.obj"), OBJ).unwrap();
    let urdf = folder.join("sample.urdf");
    std::fs::write(&urdf, URDF).unwrap();
    Robot::from_urdf(urdf).unwrap()
}

#[test]
fn every_sample_is_valid() {
    let folder = tempfile::tempdir().unwrap();
    let robot = prepare(folder.path());
    for (name, bytes) in all() {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        super::load(&path, &robot).unwrap_or_else(|e| panic!("{e}"));
    }
}
