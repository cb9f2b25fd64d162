//! A reader for the one kind of `.npy` file that contains motions: float64, little-endian, C order.

use std::path::Path;

/// The shape and the numbers of the file at `path`.
///
/// # Panics
/// The file cannot be read or is of another kind.
pub fn read(path: &Path) -> (Vec<usize>, Vec<f64>) {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    parse(&bytes)
}

/// A batch of motions, `(Q, 2, D)`, as pairs of start and end.
///
/// # Panics
/// As [`read`], or the array has another shape.
pub fn read_motions(path: &Path) -> Vec<(Vec<f64>, Vec<f64>)> {
    let (shape, numbers) = read(path);
    let [_, 2, columns] = shape[..] else { panic!("{}: shape {shape:?}", path.display()) };
    numbers.chunks_exact(2 * columns).map(|m| (m[..columns].to_vec(), m[columns..].to_vec())).collect()
}

fn parse(bytes: &[u8]) -> (Vec<usize>, Vec<f64>) {
    assert_eq!(&bytes[..6], b"\x93NUMPY", "not an npy file");
    let (start, length) = match bytes[6] {
        1 => (10, u16::from_le_bytes([bytes[8], bytes[9]]) as usize),
        _ => (12, u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]) as usize),
    };
    let header = std::str::from_utf8(&bytes[start..start + length]).expect("the header is text");
    assert!(header.contains("'<f8'") && header.contains("'fortran_order': False"), "{header}");
    let inside = header.split_once("'shape': (").and_then(|(_, rest)| rest.split_once(')')).expect("a shape").0;
    let shape: Vec<usize> =
        inside.split(',').map(str::trim).filter(|s| !s.is_empty()).map(|s| s.parse().expect("a number")).collect();
    let numbers: Vec<f64> = bytes[start + length..]
        .chunks_exact(8)
        .map(|c| f64::from_le_bytes(c.try_into().expect("eight bytes")))
        .collect();
    assert_eq!(numbers.len(), shape.iter().product::<usize>(), "the file is cut short or too long");
    (shape, numbers)
}

#[test]
fn reads_an_array_of_the_specified_format() {
    let header = format!("{:<117}\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    (0..6).for_each(|i| bytes.extend((f64::from(i) / 8.0).to_le_bytes()));
    assert_eq!(parse(&bytes), (vec![1, 2, 3], vec![0.0, 0.125, 0.25, 0.375, 0.5, 0.625]));
}
