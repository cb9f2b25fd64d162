//! Motions in every format: the same motions give byte-identical answers.

use super::{CUBE, Checked, Desk, joint, link, robot, walls};
use crate::inputs::arrays::{names, npy, zip};

/// A robot of two slides, `a` along x and `b` along y.
pub(super) fn slides() -> String {
    let elements = [
        "<link name=\"rail\"/>".to_string(),
        link("one", CUBE),
        link("two", CUBE),
        joint("a", "prismatic", "rail", "one", "1 0 0"),
        joint("b", "prismatic", "rail", "two", "0 1 0"),
    ];
    robot(&elements.each_ref().map(String::as_str))
}

/// Motions of a and b, two rows each, in integers. The wall perpendicular to x is 4 m away, so the first one meets it
/// at 3.9 of 5 m.
pub(super) const VALUES: [f64; 12] = [0.0, 1.0, 5.0, 2.0, 0.0, 0.0, 3.0, 3.0, 1.0, 0.0, 2.0, 3.0];

pub(super) fn wall() -> String {
    walls(&[("wall", 4.0)])
}

/// The answers for a file of motions.
fn answers(name: &str, content: impl AsRef<[u8]>) -> Checked {
    let desk = Desk::new();
    desk.put(name, content);
    desk.check_file(&slides(), &wall(), name, &[]).expect(1)
}

#[test]
fn every_format_gives_the_same_answers() {
    let array = npy("<f8", false, &[3, 2, 2], &VALUES);
    let expected = answers("m.npy", &array);
    expected.touches(0, 3.9 / 5.0);
    assert_eq!(expected.verdicts(), ["contact", "free", "free"]);
    for descr in ["<f4", ">f4", ">f8", "|i1", "<i2", ">i4", "<i8", "|u1", ">u2", "<u4", ">u8"] {
        for is_fortran in [false, true] {
            let name = format!("{}-{is_fortran}.npy", &descr[1..]);
            assert_eq!(answers(&name, npy(descr, is_fortran, &[3, 2, 2], &VALUES)).text, expected.text, "{name}");
        }
    }
    let swapped: Vec<f64> = VALUES.chunks(2).flat_map(|row| [row[1], row[0]]).collect();
    let swapped = npy("<f4", true, &[3, 2, 2], &swapped);
    for is_deflated in [false, true] {
        assert_eq!(answers("one.npz", zip(&[("arr_0.npy", &array)], is_deflated)).text, expected.text);
        let named = zip(&[("positions.npy", &swapped), ("joint_names.npy", &names(&["b", "a"]))], is_deflated);
        assert_eq!(answers("named.npz", named).text, expected.text);
    }
    for text in [
        "a,b\n0,1\n5,2\n\n0,0\n3,3\n\n1,0\n2,3\n",
        "b,a\r\n1,0\r\n2,5\r\n\r\n0,0\r\n3,3\r\n\r\n0,1\r\n3,2\r\n",
        "\u{feff}# from a spreadsheet\ntrajectory,\"b\",a\nleft,1,0\nleft,2,5\nright,0,0\nright,3,3\n\n\
         \"the, last\",0,1\n\"the, last\",3,2\n",
    ] {
        assert_eq!(answers("m.csv", text).text, expected.text, "{text}");
    }
    let json = r#"{"motions": [[[1, 0], [2, 5]], [[0, 0], [3, 3]], [[0, 1], [3, 2]]], "joints": ["b", "a"]}"#;
    assert_eq!(answers("m.json", json).text, expected.text);
    // The format of a file without an extension is detected.
    assert_eq!(answers("motions", json).text, expected.text);
    assert_eq!(answers("motions", &array).text, expected.text);
}

#[test]
fn errors_of_wrong_files_suggest_a_remedy() {
    let array = npy("<f8", false, &[1, 2, 2], &[0.0; 4]);
    let mut large = npy("<i8", false, &[1, 2, 2], &[0.0; 4]);
    let at = large.len() - 8;
    large[at..].copy_from_slice(&((1i64 << 53) + 1).to_le_bytes());
    for (name, content, words) in [
        ("m.npy", large, &["motion 0", "column 1", "2^53"][..]),
        ("m.npy", npy("|b1", false, &[1, 2, 2], &[]), &["'|b1'", "astype('float64')"]),
        ("m.npz", zip(&[("a.npy", &array), ("b.npy", &array)], true), &["call the array of motions positions"]),
        ("m.npz", zip(&[("positions.npy", &array), ("velocities.npy", &array)], true), &["velocities", "times"]),
        ("m.csv", "a,b\n1,2\n3,x\n".into(), &["line 3", "'x' is not a number"]),
        ("m.csv", "a;b\n1;2\n3;4\n".into(), &["line 1", "expected commas", "names the joints"]),
        ("m.json", "[[0, 0], [1, 1]]".into(), &["an example: {\"joints\": [\"a\", \"b\"], \"motions\": [[["]),
        ("m.txt", "a,b\n0,0\n1,1\n".into(), &["'txt'", ".npy, .npz, .json or .csv"]),
        ("motions", b"\0\0\0\0".into(), &["neither .npy, .npz, .json nor .csv"]),
    ] {
        let desk = Desk::new();
        desk.put(name, content);
        let run = desk.check_file(&slides(), &wall(), name, &[]).run;
        let [error] = run.errors()[..] else { panic!("{}", run.stderr) };
        assert_eq!((run.code, run.stderr.lines().count()), (Some(3), 1), "{}", run.stderr);
        assert!(words.iter().all(|w| error.contains(w)) && error.contains(name), "{words:?}: {error}");
        assert!(!desk.path("results.jsonl").exists());
    }
}

/// Arrays in any order, and stored ones in archives, are read in portions: they may be larger than the memory.
#[test]
fn arrays_may_be_larger_than_the_memory() {
    let values: Vec<f64> = (0..8_000).flat_map(|_| VALUES).collect();
    let array = npy("<f8", true, &[24_000, 2, 2], &values);
    let (stored, compressed) = (zip(&[("q.npy", &array)], false), zip(&[("q.npy", &array)], true));
    let check = |name: &str, content: &[u8]| {
        let desk = Desk::new();
        desk.put(name, content);
        desk.check_file(&slides(), &wall(), name, &["--memory", "200kB", "--mode", "verdict"]).run
    };
    assert_eq!(check("m.npy", &array).code, Some(1));
    assert_eq!(check("m.npz", &stored).code, Some(1));
    let run = check("m.npz", &compressed);
    assert_eq!((run.code, run.errors().len()), (Some(3), 1), "{}", run.stderr);
    assert!(run.errors()[0].contains("--memory") && run.errors()[0].contains("numpy.savez"), "{}", run.stderr);
}
