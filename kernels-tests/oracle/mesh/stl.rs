//! Binary STL: 80 bytes, a count, and 50 bytes a triangle.

use super::Triangle;
use glam::DVec3;

/// The triangles of a binary STL file.
///
/// # Panics
/// The length does not match the count (as for a text STL).
pub fn parse(bytes: &[u8]) -> Vec<Triangle> {
    let count = u32::from_le_bytes(bytes[80..84].try_into().expect("four bytes")) as usize;
    assert!(bytes.len() >= 84 + 50 * count, "{count} triangles in {} bytes", bytes.len());
    let number = |c: &[u8]| f64::from(f32::from_le_bytes(c.try_into().expect("four bytes")));
    let point = |c: &[u8]| DVec3::new(number(&c[..4]), number(&c[4..8]), number(&c[8..12]));
    bytes[84..].chunks_exact(50).take(count).map(|c| [12, 24, 36].map(|i| point(&c[i..i + 12]))).collect()
}

#[test]
fn reads_corners_and_leaves_the_normal() {
    let mut bytes = vec![0; 80];
    bytes.extend(1_u32.to_le_bytes());
    (0..12).for_each(|i| bytes.extend((i as f32 / 4.0).to_le_bytes()));
    bytes.extend([0, 0]);
    let expected = [3, 6, 9].map(|i| DVec3::new(f64::from(i), f64::from(i + 1), f64::from(i + 2)) / 4.0);
    assert_eq!(parse(&bytes), [expected]);
}
