//! `render`: what must be seen in a picture, counted in pixels of its colours; and what it refuses.

use super::{CUBE, Desk, Motion, Run, npy, slider, walls};
use crate::harness::gpu::skip;

/// A cube slides two metres along x, and meets what stands across the way one metre from its start.
const MOTION: Motion = [&[0.0], &[2.0]];
const SIZE: [u32; 2] = [320, 200];

fn render(desk: &Desk, scene: &str, more: &[&str]) -> Run {
    desk.put("motions.npy", npy(&[MOTION])).put("robot.urdf", slider(CUBE)).put("scene.obj", scene);
    let files = ["--robot", "robot.urdf", "--scene", "scene.obj", "--motions", "motions.npy"];
    let picture = ["render", "--index", "0", "--out", "picture.png", "--size", "320x200", "--view", "90,0"];
    desk.run(&[&picture[..], &files, more].concat())
}

/// The pixels of the picture that was drawn.
fn pixels(desk: &Desk) -> Vec<[u8; 4]> {
    let file = std::io::BufReader::new(std::fs::File::open(desk.path("picture.png")).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!([info.width, info.height], SIZE);
    bytes.chunks_exact(4).map(|p| [p[0], p[1], p[2], p[3]]).collect()
}

/// How many pixels have a colour of this strength; surroundings are grey.
fn coloured(pixels: &[[u8; 4]], strength: u8) -> usize {
    pixels.iter().filter(|[r, g, b, _]| r.max(g).max(b) - r.min(g).min(b) > strength).count()
}

/// More colour than the swept volume has, and less than the robot.
const VIVID: u8 = 60;
/// Less colour than the swept volume has before the background.
const PALE: u8 = 25;

/// How many pixels are as red as the mark of a contact.
fn red(pixels: &[[u8; 4]]) -> usize {
    pixels.iter().filter(|[r, g, b, _]| *r > 130 && 10 * u32::from(*r) > 16 * u32::from(*g.max(b))).count()
}

/// A large triangle in the plane y = `y`, before everything for who looks from there.
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
    // The cube's side stands 0.1 m before its middle: it meets the wall after one metre, half of the motion.
    assert!(run.stdout.contains("motion 0: 0.5") || run.stdout.contains("motion 0: 0.4999"), "{}", run.stdout);
    let contact = pixels(&desk);
    // Start, contact, end and the way between them fill a stripe of 2.2 m by 0.2 m, in a frame that is not much wider.
    assert!(coloured(&contact, PALE) > contact.len() / 40, "{} pixels", coloured(&contact, PALE));
    assert!(red(&contact) >= 12, "{} red pixels", red(&contact));
    assert!(contact.iter().all(|p| p[3] == 255));
    render(&desk, &walls(&[("wall", 9.0)]), &[]).expect(0);
    let free = pixels(&desk);
    assert_eq!(red(&free), 0, "nothing is touched");
    assert!(coloured(&free, PALE) > free.len() / 40);
    assert_eq!(desk.names(), ["motions.npy", "picture.png", "robot.urdf", "scene.obj"]);
}

/// Whether it stands at some distance or right before the robot, what would hide the motion gives way to it.
#[test]
fn nothing_hides_the_motion() {
    if skip() {
        return;
    }
    let desk = Desk::new();
    // Before the swept volume everything is seen; a screen within the volume gives way to the robot alone.
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
        // The same screen behind the motion hides nothing either, and is there: without it the background shows.
        render(&desk, &(wall + &screen(-0.2, 4)), &[]).expect(0);
        let differing = pixels(&desk).iter().zip(&open).filter(|(a, b)| a != b).count();
        assert!(differing > open.len() / 2, "{differing} pixels");
    }
}

/// The maps of the cube's way: 2.2 m by 0.2 m seen from the side, a square seen along the way.
#[test]
fn maps_of_depth_are_written() {
    if skip() {
        return;
    }
    let desk = Desk::new();
    render(&desk, &walls(&[("wall", 9.0)]), &["--tiles", "maps"]).expect(0);
    let files: Vec<_> = std::fs::read_dir(desk.path("maps")).unwrap().map(|f| f.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "one link moves, in one piece: {files:?}");
    let file = std::io::BufReader::new(std::fs::File::open(&files[0]).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let (width, height) = (info.width as usize, info.height as usize);
    // Three maps of 32 pixels, enlarged eight times, and what is between.
    assert_eq!([width, height], [3 * 256 + 16, 256]);
    let nothing = bytes[..4].to_vec();
    // In each map the share of the pixels that something is in. Each axis is scaled on its own: the way fills all three.
    for view in 0..3 {
        let from = view * (256 + 8);
        let pixels = (0..height).flat_map(|y| (from..from + 256).map(move |x| 4 * (y * width + x)));
        let filled = pixels.filter(|&at| bytes[at..at + 4] != nothing[..]).count();
        assert!(filled > 256 * 256 / 2, "view {view}: {filled} pixels");
    }
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let desk = Desk::new();
    let wall = walls(&[("wall", 1.1)]);
    for (more, said) in [
        (&["--size", "0x10"][..], "'0' is no number of pixels"),
        (&["--size", "640"], "two numbers are wanted"),
        (&["--view", "1"], "numbers where 2 are wanted"),
        (&["--index", "1"], "there is no motion 1, there are 1"),
    ] {
        // An option that is given twice is refused as well: put the new value in the place of the old one.
        let mut arguments =
            vec!["render", "--index", "0", "--out", "picture.png", "--size", "320x200", "--view", "90,0"];
        let at = arguments.iter().position(|a| *a == more[0]).unwrap();
        arguments[at + 1] = more[1];
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
