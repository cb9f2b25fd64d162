//! Bytes of arrays and archives for tests, made from the formats' specifications without any other code of the crate.
//! The tests of the command use them, too.

use flate2::write::DeflateEncoder;
use std::io::Write;

/// A `.npy` file of version 1, or 2 where the bytes are big endian; `values` are in C order.
pub fn npy(descr: &str, is_fortran: bool, shape: &[usize], values: &[f64]) -> Vec<u8> {
    let sizes = shape.iter().map(|n| format!("{n},")).collect::<String>();
    let order = if is_fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({sizes}), }}\n");
    let mut bytes = b"\x93NUMPY".to_vec();
    let is_big_endian = descr.starts_with('>');
    if is_big_endian {
        bytes.extend([2, 0]);
        bytes.extend((header.len() as u32).to_le_bytes());
    } else {
        bytes.extend([1, 0]);
        bytes.extend((header.len() as u16).to_le_bytes());
    }
    bytes.extend(header.bytes());
    for i in 0..values.len() {
        let mut element = element(&descr[1..], values[if is_fortran { c_index(i, shape) } else { i }]);
        if is_big_endian {
            element.reverse();
        }
        bytes.extend(element);
    }
    bytes
}

/// The index in C order of the element with index `i` in Fortran order.
fn c_index(mut i: usize, shape: &[usize]) -> usize {
    let mut index = Vec::new();
    for n in shape {
        index.push(i % n);
        i /= n;
    }
    index.iter().zip(shape).fold(0, |at, (i, n)| at * n + i)
}

/// The little-endian bytes of an element.
fn element(kind: &str, x: f64) -> Vec<u8> {
    match kind {
        "f8" => x.to_le_bytes().into(),
        "f4" => (x as f32).to_le_bytes().into(),
        "i1" => (x as i8).to_le_bytes().into(),
        "i2" => (x as i16).to_le_bytes().into(),
        "i4" => (x as i32).to_le_bytes().into(),
        "i8" => (x as i64).to_le_bytes().into(),
        "u1" => (x as u8).to_le_bytes().into(),
        "u2" => (x as u16).to_le_bytes().into(),
        "u4" => (x as u32).to_le_bytes().into(),
        "u8" => (x as u64).to_le_bytes().into(),
        _ => panic!("no element type {kind}"),
    }
}

/// A `.npy` file with an array of strings of type `<U8`.
pub fn names(names: &[&str]) -> Vec<u8> {
    let mut bytes = npy("<U8", false, &[names.len()], &[]);
    for name in names {
        let mut characters: Vec<u32> = name.chars().map(u32::from).collect();
        characters.resize(8, 0);
        bytes.extend(characters.iter().flat_map(|c| c.to_le_bytes()));
    }
    bytes
}

/// A zip archive (APPNOTE 4.3), each file with a local header, and all in the central directory.
pub fn zip(files: &[(&str, &[u8])], is_deflated: bool) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let stored = if is_deflated {
            let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(content).unwrap();
            encoder.finish().unwrap()
        } else {
            content.to_vec()
        };
        let mut common = Vec::new();
        let method = if is_deflated { 8u16 } else { 0 };
        [20, 0, method, 0, 0].iter().for_each(|x: &u16| common.extend(x.to_le_bytes()));
        for x in [crc32(content), stored.len() as u32, content.len() as u32] {
            common.extend(x.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend(0u16.to_le_bytes());
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        // Comment, disk, internal and external attributes, then the offset of the local header.
        directory.extend([0; 10]);
        directory.extend((bytes.len() as u32).to_le_bytes());
        directory.extend(name.bytes());
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&common);
        bytes.extend(name.bytes());
        bytes.extend(stored);
    }
    let start = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\x00\x00\x00\x00");
    [files.len() as u16; 2].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
    [directory.len() as u32, start].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
    bytes.extend([0; 2]);
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, bit| if (crc ^ bit) & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc, |crc, k| step(crc, u32::from(byte >> k))))
}
