//! Files: round trips, and bytes that are missing, too many or wrong.

use super::models::*;
use super::prover::*;
use super::random::Random;
use crate::{MAX_CERTIFICATE_BYTES, Outline, Reader, Refusal, merkle};

fn read(problem: &Problem, bytes: &[u8]) -> Result<Vec<Option<Vec<u8>>>, Refusal> {
    Reader::new(bytes, &model(problem))?.collect()
}

fn sample() -> (Problem, Vec<Vec<u8>>, Vec<u8>) {
    let problem = arm([-1.0, 0.5], [2.5, -0.5]);
    let certificates = vec![free(&problem).unwrap(), Vec::new(), free(&problem).unwrap()];
    let bytes = file(&header(&problem), &certificates);
    (problem, certificates, bytes)
}

#[test]
fn a_file_is_read_as_it_was_written() {
    let (problem, certificates, bytes) = sample();
    let reader = Reader::new(bytes.as_slice(), &model(&problem)).unwrap();
    assert_eq!(*reader.header(), header(&problem));
    let read: Vec<_> = reader.map(Result::unwrap).collect();
    assert_eq!(read, [Some(certificates[0].clone()), None, Some(certificates[2].clone())]);
}

#[test]
fn a_file_that_is_cut_or_longer_is_refused() {
    let (problem, _, bytes) = sample();
    for end in 0..bytes.len() {
        assert!(read(&problem, &bytes[..end]).is_err(), "{end} bytes");
    }
    assert!(read(&problem, &[&bytes[..], &[0]].concat()).is_err());
    let n = bytes.len();
    let mut other = bytes.clone();
    other[n - 8] = 2;
    let refusal = read(&problem, &other).unwrap_err().to_string();
    assert_eq!(refusal, "record 3: the file has 3 certificates, its end says 2");
}

#[test]
fn a_file_of_another_model_is_refused() {
    let (problem, _, bytes) = sample();
    let mut other = problem.clone();
    other.robot.bodies[2].origin_m[0] = 1e-300;
    assert!(read(&other, &bytes).unwrap_err().to_string().contains("another robot"));
    let mut other = problem.clone();
    other.scene.objects[0].name.push('s');
    assert!(read(&other, &bytes).unwrap_err().to_string().contains("another scene"));
}

/// Lengths that cannot be right are refused before any memory is taken.
#[test]
fn impossible_lengths_are_refused() {
    let (problem, _, bytes) = sample();
    let mut other = bytes.clone();
    other[76..80].copy_from_slice(&1000_u32.to_le_bytes());
    assert!(read(&problem, &other).unwrap_err().to_string().contains("is longer than"));
    let head = bytes.len() - 12;
    let mut other = bytes[..head].to_vec();
    other.extend([100_u32.to_le_bytes(), (MAX_CERTIFICATE_BYTES + 1).to_le_bytes()].concat());
    assert!(read(&problem, &other).unwrap_err().to_string().contains("is longer than"));
    let mut other = bytes[..head].to_vec();
    other.extend([1_000_000_u32.to_le_bytes(), 10_u32.to_le_bytes()].concat());
    assert!(read(&problem, &other).unwrap_err().to_string().contains("too long for a record"));
}

/// A stream of a thousand times its size gives no more bytes than announced.
#[test]
fn a_stream_has_its_announced_length() {
    let problem = slider(0.0, 0.5);
    let head = file(&header(&problem), &[]);
    for (announced, found) in [(999_u32, 1000), (1001, 1000), (1000, 1_000_000)] {
        let mut bytes = head[..head.len() - 12].to_vec();
        let start = bytes.len();
        bytes.extend(record(&vec![0; found]));
        bytes[start + 4..start + 8].copy_from_slice(&announced.to_le_bytes());
        let refusal = read(&problem, &bytes).unwrap_err().to_string();
        assert!(refusal.contains("does not have its") || refusal.contains("too long"), "{refusal}");
    }
    let mut bytes = head[..head.len() - 12].to_vec();
    let start = bytes.len();
    bytes.extend(record(&[7; 100]));
    bytes.push(0);
    bytes[start] += 1;
    assert!(read(&problem, &bytes).unwrap_err().to_string().contains("bytes follow the stream"));
}

#[test]
fn flipped_bits_of_a_file_are_refused_or_change_nothing() {
    let (problem, certificates, bytes) = sample();
    let whole = read(&problem, &bytes).unwrap();
    assert_eq!(whole[0], Some(certificates[0].clone()));
    let mut random = Random(3);
    for _ in 0..5000 {
        let mut other = bytes.clone();
        let bit = random.below(8 * bytes.len());
        other[bit / 8] ^= 1 << (bit % 8);
        let Ok(read) = read(&problem, &other) else { continue };
        assert_eq!(read.len(), 3);
        for (read, written) in read.iter().zip(&whole).filter(|(read, written)| read != written) {
            // The checksum of zlib does not see every change of the steps; the verifier does.
            let (read, written) = (read.as_ref().unwrap(), written.as_ref().unwrap());
            assert_same_or_refused(&problem, read, written);
        }
    }
}

#[test]
fn an_outline_counts_steps() {
    let problem = arm([-1.0, 0.5], [2.5, -0.5]);
    let certificate = free(&problem).unwrap();
    let (proved, outline) = (verify(&problem, &certificate).unwrap(), Outline::new(&certificate).unwrap());
    assert_eq!(outline.claim.kind, proved.kind);
    assert_eq!((outline.n_pairs, outline.n_bytes), (proved.n_pairs, certificate.len()));
    assert_eq!(outline.steps.iter().sum::<u64>(), proved.n_steps);
    assert_eq!(outline.depths.iter().sum::<u64>(), proved.n_steps);
    assert_eq!(outline.depths[0], 3);
    let inner: u64 = outline.steps[..3].iter().sum();
    assert_eq!(proved.n_steps - inner, inner + 3, "a binary tree has one leaf more than inner nodes");
    assert!(Outline::new(&[&certificate[..], &[0]].concat()).is_err());
}

/// Values of RFC 9162's reference tests: its first inputs, and the empty tree.
#[test]
fn merkle_roots_of_published_trees() {
    let inputs: [&[u8]; 8] = [
        &[],
        &[0x00],
        &[0x10],
        &[0x20, 0x21],
        &[0x30, 0x31],
        &[0x40, 0x41, 0x42, 0x43],
        &[0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57],
        &[0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f],
    ];
    let leaves: Vec<_> = inputs.iter().map(|input| merkle::leaf(input)).collect();
    let hex = |n: usize| merkle::root(&leaves[..n]).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let published = [
        (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
        (2, "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
        (3, "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
        (4, "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"),
        (5, "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"),
        (6, "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"),
        (7, "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"),
        (8, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
    ];
    for (n, root) in published {
        assert_eq!(hex(n), root, "{n} leaves");
    }
}

#[test]
fn a_root_over_blocks_is_the_root_of_all() {
    for n in [1, 4095, 4096, 4097, 3 * 4096 + 17] {
        let leaves: Vec<_> = (0..n as u32).map(|k| merkle::leaf(&k.to_le_bytes())).collect();
        let blocks: Vec<_> = leaves.chunks(merkle::BLOCK).map(merkle::root).collect();
        assert_eq!(merkle::root(&blocks), merkle::root(&leaves));
    }
}
