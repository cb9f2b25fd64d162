//! `render`: the visible parts of a picture, counted in pixels of their colours, and rejected inputs.

use super::{CUBE, Desk, Motion, Run, npy, slider, walls};
use crate::harness::gpu::skip;

/// A cube slides two metres along x, and meets any obstacle one metre from its start.
const MOTION: Motion = [&[0.0], &[2.0]];
const SIZE: [u32; 2] = [320, 200];

/// Draws the motion as seen along y.
fn render(desk: &Desk, scene: &str, more: &[&str]) -> Run {
    render_to(desk, scene, "picture.png", &[&["--size", "320x200", "--view", "90,0"], more].concat())
}

fn render_to(desk: &Desk, scene: &str, out: &str, more: &[&str]) -> Run {
    desk.put("motions.npy", npy(&[MOTION])).put("robot.urdf", slider(CUBE)).put("scene.obj", scene);
    let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"];
    desk.run(&[&["render", "--index", "0", "--out", out][..], &files, more].concat())
}

/// The pixels of the drawn picture.
fn pixels(desk: &Desk) -> Vec<[u8; 3]> {
    let (size, pixels) = png(desk, "picture.png");
    assert_eq!(size, SIZE);
    pixels
}

pub(super) fn png(desk: &Desk, name: &str) -> ([u32; 2], Vec<[u8; 3]>) {
    let file = std::io::BufReader::new(std::fs::File::open(desk.path(name)).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb, "a picture has no opacity");
    ([info.width, info.height], bytes.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect())
}

/// Number of pixels whose colour is stronger than this; surroundings are grey.
fn coloured(pixels: &[[u8; 3]], strength: u8) -> usize {
    pixels.iter().filter(|[r, g, b]| r.max(g).max(b) - r.min(g).min(b) > strength).count()
}

/// More colour than the swept volume has, and less than the robot.
const VIVID: u8 = 60;
/// Less colour than the swept volume has in front of the background.
const PALE: u8 = 25;

/// Number of pixels that are as red as the mark of a contact.
fn red(pixels: &[[u8; 3]]) -> usize {
    pixels.iter().filter(|[r, g, b]| *r > 130 && 10 * u32::from(*r) > 16 * u32::from(*g.max(b))).count()
}

/// A large triangle in the plane y = `y`, in front of everything for a viewer on that side.
fn screen(y: f64, first: usize) -> String {
    let [a, b, c] = [first, first + 1, first + 2];
    format!("o screen\nv -30 {y} -20\nv 30 {y} -20\nv 0 {y} 40\nf {a} {b} {c}\n")
}

#[test]
fn the_robot_and_its_contact_are_seen() {
    if skip() {
        return;
    }
    let desk = Desk::new();
    let run = render(&desk, &walls(&[("wall", 1.1)]), &[]);
    run.expect(0);
    // The cube's side is 0.1 m in front of its middle: it meets the wall after one metre, half of the motion.
    assert!(run.stdout.contains("motion 0: 0.5") || run.stdout.contains("motion 0: 0.4999"), "{}", run.stdout);
    let contact = pixels(&desk);
    // Start, contact, end and the path between them fill a strip of 2.2 m by 0.2 m, in a frame that is not much wider.
    assert!(coloured(&contact, PALE) > contact.len() / 40, "{} pixels", coloured(&contact, PALE));
    assert!(red(&contact) >= 12, "{} red pixels", red(&contact));
    render(&desk, &walls(&[("wall", 9.0)]), &[]).expect(0);
    let free = pixels(&desk);
    assert_eq!(red(&free), 0, "nothing is touched");
    assert!(coloured(&free, PALE) > free.len() / 40);
    assert_eq!(desk.names(), ["motions.npy", "picture.png", "robot.urdf", "scene.obj"]);
}

/// Geometry that would occlude the motion is made transparent, at some distance or directly in front of the robot.
#[test]
fn occluding_geometry_is_transparent() {
    if skip() {
        return;
    }
    let desk = Desk::new();
    // In front of the swept volume everything is visible; a screen inside the volume is transparent only for the robot.
    let before = &[3.0, 0.5][..];
    for (wall, distances, strength) in [(9.0, before, PALE), (1.1, before, PALE), (9.0, &[0.12, 0.11], VIVID)] {
        let wall = walls(&[("wall", wall)]);
        render(&desk, &wall, &[]).expect(0);
        let open = pixels(&desk);
        for y in distances {
            render(&desk, &(wall.clone() + &screen(*y, 4)), &[]).expect(0);
            let behind = pixels(&desk);
            let (seen, all) = (coloured(&behind, strength), coloured(&open, strength));
            assert!(all > 200, "{all} coloured pixels");
            assert!(10 * seen >= 8 * all, "a screen at y = {y}: {seen} coloured pixels of {all}");
            assert!(10 * red(&behind) >= 8 * red(&open), "a screen at y = {y}");
        }
        // The same screen behind the motion occludes nothing either, and is drawn: without it the background shows.
        render(&desk, &(wall + &screen(-0.2, 4)), &[]).expect(0);
        let differing = pixels(&desk).iter().zip(&open).filter(|(a, b)| a != b).count();
        assert!(differing > open.len() / 2, "{differing} pixels");
    }
}

/// The maps of the cube's path: 2.2 m by 0.2 m seen from the side, a square seen along the path.
#[test]
fn maps_of_depth_are_written() {
    if skip() {
        return;
    }
    let desk = Desk::new();
    render(&desk, &walls(&[("wall", 9.0)]), &["--tiles", "maps"]).expect(0);
    let files: Vec<_> = std::fs::read_dir(desk.path("maps")).unwrap().map(|f| f.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "one link moves, in one piece: {files:?}");
    let name = format!("maps/{}", files[0].file_name().unwrap().to_str().unwrap());
    let ([width, height], pixels) = png(&desk, &name);
    // Three maps of 32 pixels, enlarged eight times, and the gaps between them.
    assert_eq!([width, height], [3 * 256 + 16, 256]);
    let nothing = pixels[0];
    // The share of the non-empty pixels of each map. Each axis is scaled on its own: the path fills all three.
    for view in 0..3 {
        let from = view * (256 + 8);
        let rows = pixels.chunks(width as usize);
        let filled = rows.flat_map(|row| &row[from..from + 256]).filter(|p| **p != nothing).count();
        assert!(filled > 256 * 256 / 2, "view {view}: {filled} pixels");
    }
}

/// A block whose sides are along the axes.
fn block(name: &str, lo: [f64; 3], hi: [f64; 3], first: usize) -> String {
    let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 0 { lo[k] } else { hi[k] });
    let corners = (0..8).map(corner).map(|[x, y, z]| format!("v {x} {y} {z}\n"));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let halves = |[a, b, c, d]: [usize; 4]| [[a, b, c], [a, c, d]];
    let faces = quads.into_iter().flat_map(halves).map(|f| f.map(|i| (first + i).to_string()).join(" "));
    let faces: String = faces.map(|f| format!("f {f}\n")).collect();
    format!("o {name}\n{}{faces}", corners.collect::<String>())
}

/// The mark of the contact is visible in scenes of all kinds, from the automatic view.
#[test]
fn the_contact_is_seen_wherever_it_is() {
    if skip() {
        return;
    }
    let desk = Desk::new();
    let post = |first: usize| block("post", [1.1, -0.1, -0.5], [1.3, 0.1, 1.0], first);
    let room = |name: &str, first: usize| block(name, [-1.5, -1.2, -0.5], [3.5, 1.2, 1.5], first);
    let hedge: String = (0..40)
        .map(|k| {
            let (x, y) = (0.25 * f64::from(k % 10), if k < 20 { 0.35 } else { -0.35 });
            let z = if k % 20 < 10 { -0.4 } else { 0.1 };
            block(&format!("box_{k}"), [x, y, z], [x + 0.2, y + 0.1, z + 0.45], 9 + 8 * k as usize)
        })
        .collect();
    for (what, scene) in [
        ("a post", post(1)),
        ("a triangle", "v 1.1 -0.5 -0.5\nv 1.1 0.5 -0.5\nv 1.1 0 0.6\nf 1 2 3\n".into()),
        ("a post in a closed room", post(1) + &room("room", 9)),
        ("the same as one object", post(1) + room("room", 9).trim_start_matches("o room\n")),
        ("a post between hedges of boxes", post(1) + &hedge),
        ("a post behind a screen", post(1) + &screen(0.4, 9)),
        ("a wall across the way", walls(&[("wall", 1.1)])),
    ] {
        let run = render_to(&desk, &scene, "picture.png", &["--size", "320x200"]);
        run.expect(0);
        let seen = red(&pixels(&desk));
        assert!(seen >= 20, "{what}: {seen} red pixels; {}", run.stdout);
    }
}

/// An object that occludes the motion is removed as a whole, with the objects on it: no part of a shelf remains, and
/// no book on it.
#[test]
fn occluding_objects_are_removed_as_a_whole() {
    if skip() {
        return;
    }
    let desk = Desk::new();
    let behind = walls(&[("wall", 9.0)]) + &block("stool", [0.5, -0.9, -0.3], [0.7, -0.7, 0.0], 4);
    render(&desk, &behind, &[]).expect(0);
    let without = pixels(&desk);
    let board = |k: usize| {
        block(&format!("board_{k}"), [-0.5, 0.5, -0.4 + 0.3 * k as f64], [2.5, 0.8, -0.37 + 0.3 * k as f64], 12 + 8 * k)
    };
    let book = |k: usize| {
        let (x, z) = (-0.4 + 0.3 * (k % 9) as f64, -0.37 + 0.3 * (k / 9) as f64);
        block(&format!("book_{k}"), [x, 0.55, z], [x + 0.05, 0.75, z + 0.2], 36 + 8 * k)
    };
    let shelf: String = (0..3).map(board).chain((0..27).map(book)).collect();
    render(&desk, &(behind.clone() + &shelf), &[]).expect(0);
    let left: Vec<usize> =
        pixels(&desk).iter().zip(&without).enumerate().filter(|(_, (a, b))| a != b).map(|p| p.0).collect();
    assert!(
        left.len() <= without.len() / 2000,
        "{} pixels of the shelf are left, first {:?}",
        left.len(),
        left.first()
    );
    // The shelf is drawn: behind the motion it is visible.
    let moved = shelf
        .replace("0.55", "-0.75")
        .replace(" 0.5 ", " -0.8 ")
        .replace(" 0.8 ", " -0.5 ")
        .replace(" 0.75 ", " -0.55 ");
    render(&desk, &(behind + &moved), &[]).expect(0);
    let differing = pixels(&desk).iter().zip(&without).filter(|(a, b)| a != b).count();
    assert!(differing > without.len() / 20, "{differing} pixels");
}

/// The camera does not directly face a large wall next to the motion, and is not behind it.
#[test]
fn a_wall_next_to_the_motion_does_not_fill_the_picture() {
    if skip() {
        return;
    }
    let desk = Desk::new();
    for (y, side) in [([0.2, 0.3], -1.0), ([-0.3, -0.2], 1.0)] {
        let run = render_to(
            &desk,
            &block("wall", [-5.0, y[0], -5.0], [6.0, y[1], 5.0], 1),
            "picture.png",
            &["--size", "320x200"],
        );
        run.expect(0);
        let view = run.stdout.split("seen from ").nth(1).and_then(|t| t.split(' ').next()).unwrap();
        let (azimuth, elevation) = view.split_once(',').unwrap();
        let [azimuth, elevation] = [azimuth, elevation].map(|t| t.parse::<f64>().unwrap().to_radians());
        let toward = azimuth.sin() * elevation.cos() * side;
        assert!((-0.05..0.87).contains(&toward), "seen from {view}");
    }
}

#[test]
fn the_legend_explains_the_colours() {
    if skip() {
        return;
    }
    let desk = Desk::new();
    let strip = |scene: &str| {
        render_to(&desk, scene, "picture.png", &["--size", "640x400", "--exposures", "4"]).expect(0);
        let ([width, height], pixels) = png(&desk, "picture.png");
        assert_eq!([width, height], [640, 400]);
        let rows: Vec<&[[u8; 3]]> = pixels.chunks(640).collect();
        // The strip's left border is white.
        let first = rows.iter().position(|row| row[..4].iter().all(|p| *p == [255; 3])).expect("no legend");
        assert!((280..380).contains(&first), "the legend begins in row {first}");
        assert!(rows[first..].iter().all(|row| row[..4].iter().chain(&row[636..]).all(|p| *p == [255; 3])));
        rows[first..].concat()
    };
    let like = |strip: &[[u8; 3]], is: fn([i32; 3]) -> bool| strip.iter().filter(|p| is(p.map(i32::from))).count();
    /// The name of a sign, a test whether a pixel belongs to it, and true if legends of free motions have it too.
    type Sign = (&'static str, fn([i32; 3]) -> bool, bool);
    let signs: [Sign; 6] = [
        ("text", |[r, g, b]| r.max(g).max(b) < 80, true),
        ("start", |[r, g, b]| g > r + 30 && g > b + 20, true),
        ("robot", |[r, _, b]| b > 150 && b > r + 100, true),
        ("end", |[r, g, b]| r > g + 30 && b > g + 30, false),
        ("touched", |[r, g, b]| r > 200 && (120..200).contains(&g) && b < 120, false),
        ("contact", |[r, g, b]| r > 180 && g < 60 && b < 80, false),
    ];
    let (contact, free) = (strip(&walls(&[("wall", 1.1)])), strip(&walls(&[("wall", 9.0)])));
    for (what, is, is_in_both) in signs {
        assert!(like(&contact, is) >= 25, "{what}: {} pixels", like(&contact, is));
        assert_eq!(like(&free, is) >= 25, is_in_both, "{what}: {} pixels", like(&free, is));
    }
}

#[test]
fn a_picture_is_the_same_each_time() {
    if skip() {
        return;
    }
    let desk = Desk::new();
    let scene = walls(&[("wall", 1.1)]) + &block("stool", [0.5, -0.9, -0.3], [0.7, -0.7, 0.0], 4);
    let [first, second] = [1, 2].map(|_| {
        render_to(&desk, &scene, "picture.png", &["--size", "320x240"]).expect(0);
        std::fs::read(desk.path("picture.png")).unwrap()
    });
    assert!(first == second && first.len() > 1000);
}

/// The extension selects the format, in any case, and JPEG shows the same as PNG.
#[test]
fn the_file_extension_selects_the_format() {
    if skip() {
        return;
    }
    let desk = Desk::new();
    let scene = walls(&[("wall", 1.1)]);
    let of_pictures = ["--size", "480x300", "--view", "60,20"];
    for (name, more, magic) in [
        ("a.PNG", &of_pictures[..], &b"\x89PNG"[..]),
        ("b.jpg", &of_pictures, b"\xff\xd8\xff"),
        ("c.JPEG", &of_pictures, b"\xff\xd8\xff"),
        ("d.GLB", &[], b"glTF"),
    ] {
        render_to(&desk, &scene, name, more).expect(0);
        let bytes = std::fs::read(desk.path(name)).unwrap();
        assert!(bytes.starts_with(magic), "{name}");
    }
    let bytes = std::fs::read(desk.path("b.jpg")).unwrap();
    let mut decoder = zune_jpeg::JpegDecoder::new(zune_jpeg::zune_core::bytestream::ZCursor::new(&bytes));
    let decoded = decoder.decode().unwrap();
    assert_eq!(decoder.dimensions(), Some((480, 300)));
    let (size, pixels) = png(&desk, "a.PNG");
    assert_eq!((size, decoded.len()), ([480, 300], 3 * 480 * 300));
    let off: u64 = decoded.iter().zip(pixels.as_flattened()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    assert!(off < 3 * decoded.len() as u64, "{off} of {}", decoded.len());
}

/// An unknown format is rejected before anything is read: none of the files exists.
#[test]
fn unknown_file_extensions_are_refused_before_any_work() {
    let desk = Desk::new();
    let long = format!("picture.{}", "x".repeat(200));
    for name in ["picture.tiff", "picture", "picture.svg", "picture.png.txt", "picture.", ".png", long.as_str()] {
        let files = ["--robot", "none.urdf", "--scene", "none.obj", "--motions", "none.npy"];
        let run = desk.run(&[&["render", "--index", "0", "--out", name], &files[..]].concat());
        let [error] = run.errors()[..] else { panic!("{name}: {}", run.stderr) };
        assert_eq!((run.code, run.stderr.lines().count()), (Some(3), 1), "{name}: {}", run.stderr);
        assert!(error.contains(".jpg") && error.contains(".glb") && !error.contains("none"), "{error}");
    }
    assert!(desk.names().is_empty(), "{:?}", desk.names());
}

#[test]
fn invalid_pictures_are_refused() {
    let desk = Desk::new();
    let wall = walls(&[("wall", 1.1)]);
    for (more, said) in [
        (&["--size", "0x10"][..], "'0' is not a number of pixels"),
        (&["--size", "640"], "expected two numbers"),
        (&["--exposures", "0"], "0 is not in 1..=4096"),
        (&["--view", "1"], "expected 2 numbers separated by commas, found 1"),
        (&["--index", "1"], "there is no motion 1: there are 1"),
        (&["--scene-triangles", "9"], "--scene-triangles has no effect on a picture"),
    ] {
        // A repeated option is rejected as well: the new value replaces the old one.
        let mut arguments =
            vec!["render", "--index", "0", "--out", "picture.png", "--size", "320x200", "--view", "90,0"];
        arguments.extend(["--exposures", "2"]);
        match arguments.iter().position(|a| *a == more[0]) {
            Some(at) => arguments[at + 1] = more[1],
            None => arguments.extend(more),
        }
        desk.put("motions.npy", npy(&[MOTION])).put("robot.urdf", slider(CUBE)).put("scene.obj", &wall);
        arguments.extend(["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"]);
        let run = desk.run(&arguments);
        assert!(run.code == Some(3) && run.stderr.contains(said), "{more:?}: {:?} {}", run.code, run.stderr);
        assert!(!desk.path("picture.png").exists() && !desk.path("picture.png.part").exists());
    }
    if skip() {
        return;
    }
    let mut arguments = vec!["render", "--index", "0", "--out", "picture.png", "--size", "1x99999999"];
    arguments.extend(["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"]);
    let run = desk.run(&arguments);
    assert!(run.code == Some(3) && run.stderr.contains("a picture of 1x99999999 pixels"), "{}", run.stderr);
    assert!(!desk.path("picture.png").exists());
}
