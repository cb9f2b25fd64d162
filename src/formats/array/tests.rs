use crate::error::Result;
use crate::formats::test_arrays::{names, npy, zip};
use crate::formats::test_files::{STILL, load, load_of, robot, slides};
use crate::formats::{MotionFile, MotionOptions};
use crate::io::load::LoadLimits;
use crate::robot::MotionBatch;
use std::path::PathBuf;

fn file(name: &str, content: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

/// Every type and order, with small integers that every type holds.
#[test]
fn arrays_of_every_type_and_order() {
    let values: Vec<f64> = (0..3 * 2 * 2).map(f64::from).collect();
    for kind in ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"] {
        for order in if kind.ends_with('1') { &["|", "<"][..] } else { &["<", ">"] } {
            for is_fortran in [false, true] {
                let bytes = npy(&format!("{order}{kind}"), is_fortran, &[3, 2, 2], &values);
                let motions = load_of(&slides(), "m.npy", &bytes, &MotionOptions::default()).unwrap();
                let expected = MotionBatch::from_flat(3, 2, values.clone()).unwrap();
                assert_eq!(motions, expected, "{order}{kind} {is_fortran}");
            }
        }
    }
    assert!(load("m.npy", &npy("<f8", false, &[0, 2, 9], &[])).unwrap().is_empty());
    assert!(load("m.npy", &npy("<f4", true, &[0, 2, 9], &[])).unwrap().is_empty());
}

#[test]
fn integers_that_are_not_exact_are_errors_with_their_place() {
    let odd = (1i64 << 53) + 1;
    for is_fortran in [false, true] {
        let mut bytes = npy("<i8", is_fortran, &[3, 2, 2], &[0.0; 12]);
        // The end of motion 1, column 0: index 6 in C order, 1 + 3·(1 + 2·0) = 4 in Fortran order.
        let at = bytes.len() - 8 * 12 + 8 * if is_fortran { 4 } else { 6 };
        bytes[at..at + 8].copy_from_slice(&odd.to_le_bytes());
        let error = load_of(&slides(), "m.npy", &bytes, &MotionOptions::default()).unwrap_err().to_string();
        assert!(error.contains("motion 1: column 0 is an integer beyond 2^53"), "{error}");
    }
}

/// Portions are parts of the whole, starting at any motion; an error has the number of the motion in the file.
#[test]
fn a_file_in_portions() {
    let n = 10_000;
    let mut values: Vec<f64> = (0..2 * n).flat_map(|_| STILL).collect();
    (0..n).for_each(|i| values[18 * i + 1] = i as f64);
    for (descr, is_fortran) in [("<f8", false), (">f8", false), ("<f4", false), ("<f8", true), (">i4", true)] {
        let (_folder, path) = file("m.npy", &npy(descr, is_fortran, &[n, 2, 9], &values));
        // The limit is below the file's size: the file is not read as a whole.
        let (robot, options) = (robot(), MotionOptions::default().with_limits(LoadLimits { memory_bytes: 1000 }));
        let motions = MotionFile::open(&path, &robot, &options).unwrap();
        assert_eq!((motions.len(), motions.n_columns()), (n, 9));
        for first in [0, 1, 4095, 4096, 9_999, n, n + 5] {
            let mut next = first;
            for portion in motions.portions(first).unwrap() {
                let portion = portion.unwrap();
                assert!(!portion.is_empty() && portion.len() <= 5000);
                (0..portion.len()).for_each(|i| assert_eq!(portion.start(i)[1], (next + i) as f64));
                next += portion.len();
            }
            assert_eq!(next, n.max(first));
        }
        assert_eq!(motions.read(7777..7778).unwrap().start(0)[1], 7777.0);
        // The file stays open: replacing it changes nothing.
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "other").unwrap();
        assert_eq!(motions.read(7777..7778).unwrap().start(0)[1], 7777.0);
    }
    for (column, value, word) in [(1, f64::NAN, "NaN"), (8, 0.5, "norm")] {
        for is_fortran in [false, true] {
            let mut wrong = values.clone();
            wrong[18 * 8765 + column] = value;
            let (_folder, path) = file("m.npy", &npy("<f8", is_fortran, &[n, 2, 9], &wrong));
            let robot = robot();
            let motions = MotionFile::open(&path, &robot, &MotionOptions::default()).unwrap();
            let error = motions.portions(5000).unwrap().find_map(Result::err).unwrap().to_string();
            assert!(error.contains("m.npy: motion 8765: ") && error.contains(word), "{error}");
        }
    }
}

/// Positions of columns b, a.
fn archive(is_fortran: bool, is_deflated: bool) -> Vec<u8> {
    let positions = npy("<f4", is_fortran, &[2, 2, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    zip(&[("joint_names.npy", &names(&["b", "a"])), ("positions.npy", &positions)], is_deflated)
}

fn npz(content: &[u8]) -> std::result::Result<MotionBatch, String> {
    load_of(&slides(), "m.npz", content, &MotionOptions::default()).map_err(|e| e.to_string())
}

#[test]
fn archives_stored_and_compressed() {
    for (is_fortran, is_deflated) in [(false, false), (false, true), (true, false), (true, true)] {
        let motions = npz(&archive(is_fortran, is_deflated)).unwrap();
        assert_eq!((motions.start(0), motions.end(1)), (&[2.0, 1.0][..], &[8.0, 7.0][..]));
    }
    let array = npy("<f8", false, &[1, 2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let other = npy("<f8", false, &[1], &[0.0]);
    let alone = MotionBatch::from_flat(1, 2, vec![1.0, 2.0, 3.0, 4.0]);
    for files in [
        &[("arr_0.npy", &array[..])][..],
        &[("times.npy", &other), ("q.npy", &array)],
        &[("notes.npy", &other), ("positions.npy", &array)],
        &[("readme.txt", b"hello"), ("q.npy", &array)],
    ] {
        assert_eq!(npz(&zip(files, false)).unwrap(), *alone.as_ref().unwrap());
    }
}

#[test]
fn wrong_archives_are_errors() {
    let array = npy("<f8", false, &[1, 2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let refused = |files: &[(&str, &[u8])], word: &str| {
        for is_deflated in [false, true] {
            let error = npz(&zip(files, is_deflated)).unwrap_err();
            assert!(error.contains("m.npz") && error.contains(word), "{word}: {error}");
        }
    };
    refused(&[], "no array of motions");
    refused(&[("notes.txt", b"x")], "no array of motions");
    refused(&[("a.npy", &array), ("b.npy", &array)], "none of its arrays is called positions: 'a', 'b'");
    refused(&[("positions.npy", &array), ("positions.npy", &array)], "two arrays are called 'positions'");
    refused(&[("positions.npy", &array), ("velocities.npy", &array)], "'velocities' is not supported");
    refused(&[("positions.npy", &array), ("lengths.npy", &array)], "'lengths' is not supported");
    for (other, name) in [("names", "joint_names"), ("Joints", "joint_names"), ("time", "times"), ("qd", "velocities")]
    {
        let other = format!("{other}.npy");
        refused(&[(&other, &array), ("positions.npy", &array)], &format!("(call it {name}, or leave it out)"));
    }
    refused(&[("positions.npy", &array[..array.len() - 1])], "array 'positions': its shape takes 32 bytes");
    refused(&[("positions.npy", &[&array[..], &[0]].concat())], "truncated or damaged");
    refused(&[("positions.npy", b"text")], "array 'positions'");
    refused(&[("positions.npy", &npy("<f8", false, &[1, 3, 2], &[0.0; 6]))], "3 waypoints");
    refused(&[("positions.npy", &npy("<f8", false, &[1, 2, 3], &[0.0; 6]))], "3 columns where the robot has 2");
    let with_names = |names: &[u8], word: &str| refused(&[("joint_names.npy", names), ("q.npy", &array)], word);
    with_names(&names(&["a", "c"]), "no moving joint 'c'");
    with_names(&names(&["a", "a"]), "'a' appears twice");
    with_names(&names(&["a"]), "joint 'b' (--missing-joints");
    with_names(&npy("<f8", false, &[2], &[0.0; 2]), "expected strings");
    with_names(&npy("|O", false, &[2], &[]), "expected strings");
    with_names(&npy("<U0", false, &[1_000_000_000_000], &[]), "damaged");
    with_names(&npy("<U4", false, &[2], &[]), "damaged");
    let zero = MotionOptions::default().with_missing_joints(crate::formats::MissingJoints::Zero);
    let few = zip(&[("joint_names.npy", &names(&["b"])), ("q.npy", &array)], false);
    let error = load_of(&slides(), "m.npz", &few, &zero).unwrap_err().to_string();
    assert!(error.contains("2 columns where joint_names has 1"), "{error}");
}

/// A flipped bit in the numbers is detected, as NumPy detects it.
#[test]
fn damaged_archives_are_found_by_their_checksum() {
    let whole = archive(false, false);
    let at = whole.windows(4).position(|w| w == 5f32.to_le_bytes()).unwrap();
    let mut damaged = whole.clone();
    damaged[at] ^= 1;
    let error = npz(&damaged).unwrap_err();
    assert!(error.contains("checksum"), "{error}");
    for cut in [0, 4, 30, whole.len() / 2, whole.len() - 1] {
        let error = npz(&whole[..cut]).unwrap_err();
        assert!(error.contains("not a .npz archive, or it is damaged"), "{cut}: {error}");
    }
}

/// A compressed array takes memory, a stored one does not; neither can take more than the limit.
#[test]
fn archives_within_limits() {
    let zeros = npy("<f8", false, &[100_000, 2, 2], &[0.0; 400_000]);
    let limits = LoadLimits { memory_bytes: 100_000 };
    let options = MotionOptions::default().with_limits(limits);
    let robot = slides();
    let opened = |is_deflated| {
        let (_folder, path) = file("m.npz", &zip(&[("q.npy", &zeros)], is_deflated));
        MotionFile::open(path, &robot, &options).map(|motions| motions.len()).map_err(|e| e.to_string())
    };
    assert_eq!(opened(false), Ok(100_000));
    let error = opened(true).unwrap_err();
    assert!(error.contains("3200000 bytes") && error.contains("numpy.savez"), "{error}");
    // The sizes in the directory are not trusted, only the header's.
    let bomb = npy("<f8", false, &[2, 2, 2], &[0.0; 400_000]);
    let error = npz(&zip(&[("q.npy", &bomb)], true)).unwrap_err();
    assert!(error.contains("takes 64 bytes, the file has 65"), "{error}");
}

#[test]
fn streams_are_recognised_by_their_content() {
    let values = [1.0, 2.0, 3.0, 4.0];
    let array = npy(">f8", true, &[1, 2, 2], &values);
    let expected = MotionBatch::from_flat(1, 2, values.to_vec()).unwrap();
    let robot = slides();
    let read = |content: &[u8]| {
        let options = MotionOptions::default();
        let motions = MotionFile::from_stream(content, "the pipe", &robot, &options).map_err(|e| e.to_string())?;
        motions.read_all(&options.limits).map_err(|e| e.to_string())
    };
    for content in [
        &array[..],
        &zip(&[("q.npy", &array)], false),
        &zip(&[("q.npy", &array)], true),
        b" {\"joints\": [\"b\", \"a\"], \"motions\": [[[2, 1], [4, 3]]]}",
        b"\xef\xbb\xbfb,a\n2,1\n4,3\n",
    ] {
        assert_eq!(read(content).unwrap(), expected, "{}", String::from_utf8_lossy(content));
    }
    for (content, word) in [
        (&b""[..], "empty"),
        (b" \n", "empty"),
        (b"a\0b", "neither"),
        (&array[..array.len() - 1], "takes 32 bytes, the file has 31"),
        (&[&array[..], &[0]].concat(), "takes 32 bytes, the file has 33"),
        (&array[..20], "truncated"),
        (b"PK\x03\x04", "not a .npz"),
    ] {
        let error = read(content).unwrap_err();
        assert!(error.starts_with("the pipe: ") && error.contains(word), "{word}: {error}");
    }
}

/// Reading an endless stream ends with an error.
#[test]
fn a_stream_that_does_not_end() {
    use std::io::Read;
    let robot = slides();
    let options = MotionOptions::default().with_limits(LoadLimits { memory_bytes: 1 << 20 });
    let array = npy("<f8", false, &[1, 2, 2], &[0.0; 4]);
    for start in [&array[..], b"a,b\n", b"{\"joints\": [\"", b"PK\x03\x04", b"\0"] {
        let error = MotionFile::from_stream(start.chain(std::io::repeat(b'1')), "endless", &robot, &options);
        let error = error.unwrap_err().to_string();
        assert!(["takes 32 bytes", "--memory", "neither"].iter().any(|word| error.contains(word)), "{error}");
    }
}
