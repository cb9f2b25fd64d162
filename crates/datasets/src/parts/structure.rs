//! Building parts of a machine room: slabs, beams, gratings, railings, ladders, cable trays, ducts, hangers.

use super::assembly::Assembly;
use super::frame::Frame;
use super::outline::{angle_section, channel_section, i_section};
use super::shapes::{Shape, Step::*};
use super::turn::cos_sin;
use crate::random::Stream;
use glam::DVec3;

/// A box between two corners of the world.
pub(crate) fn slab(kind: &'static str, low: [f64; 3], high: [f64; 3]) -> Assembly {
    let mut slab = Assembly::new(kind);
    slab.block(Frame::at(0.0, 0.0, 0.0), low, high);
    slab
}

/// An I-beam between two points, its web upright where possible.
pub(crate) fn beam(from: DVec3, to: DVec3, width: f64, height: f64) -> Assembly {
    let mut beam = Assembly::new("beam");
    let frame = Frame::along(from, to - from);
    let outline = i_section(width, height, 0.06 * height, 0.08 * height);
    beam.add(frame, Shape::Prism { outline, z: [0.0, (to - from).length()] });
    beam
}

/// An upright I-beam on a base plate with four anchor bolts.
pub(crate) fn column(foot: DVec3, height: f64) -> Assembly {
    let mut column = Assembly::new("column");
    let frame = Frame::upright(foot);
    column.block(frame, [-0.12, -0.12, 0.0], [0.12, 0.12, 0.02]);
    let outline = i_section(0.14, 0.16, 0.008, 0.012);
    column.add(frame, Shape::Prism { outline, z: [0.02, height] });
    for (x, y) in [(-0.09, -0.09), (-0.09, 0.09), (0.09, -0.09), (0.09, 0.09)] {
        column.add(frame.moved(x, y, 0.02), Shape::cylinder(0.014, 0.03));
    }
    column
}

/// An angle bar between two points, its legs along x and y of the frame defined by z and `leg`.
pub(crate) fn stiffener(from: DVec3, to: DVec3, leg: DVec3, size: f64) -> Assembly {
    let mut bar = Assembly::new("stiffener");
    let frame = Frame::oriented(from, to - from, leg);
    let outline = angle_section(size, 0.1 * size);
    bar.add(frame, Shape::Prism { outline, z: [0.0, (to - from).length()] });
    bar
}

/// A panel of grating: bearing bars along x, cross rods along y, and a frame around them; its upper face is z = 0.
pub(crate) fn grating(frame: Frame, length: f64, width: f64, pitch: f64) -> Assembly {
    let mut panel = Assembly::new("grating");
    let (deep, thick) = (0.025, 0.003);
    let n = (width / pitch).floor().max(1.0) as usize;
    for k in 0..=n {
        let y = (width - thick) * k as f64 / n as f64;
        panel.block(frame, [0.0, y, -deep], [length, y + thick, 0.0]);
    }
    let m = (length / 0.12).floor().max(1.0) as usize;
    for k in 0..=m {
        let x = (length - thick) * k as f64 / m as f64;
        let (low, x1) = if k == 0 || k == m { (-deep, x + thick) } else { (-0.006, x + 0.004) };
        panel.block(frame, [x, 0.0, low], [x1, width, 0.0]);
    }
    panel
}

/// A railing along a straight edge: posts, hand rail, knee rail and toe plate.
pub(crate) fn railing(from: DVec3, to: DVec3, height: f64) -> Assembly {
    let mut railing = Assembly::new("railing");
    let along = to - from;
    let n = (along.length() / 0.7).ceil().max(1.0) as usize;
    for k in 0..=n {
        let foot = from + along * (k as f64 / n as f64);
        railing.rod(foot, foot + DVec3::Z * height, 0.017);
        railing.block(Frame::upright(foot), [-0.04, -0.04, 0.0], [0.04, 0.04, 0.008]);
    }
    for z in [height, 0.52 * height] {
        railing.rod(from + DVec3::Z * z, to + DVec3::Z * z, 0.019);
    }
    let toe = Frame::oriented(from, DVec3::Z, along);
    railing.block(toe, [0.0, -0.003, 0.01], [along.length(), 0.003, 0.11]);
    railing
}

/// A ladder: stringers and rungs upward from the frame, climbed from the side of y; hoops above 1.6 m.
pub(crate) fn ladder(frame: Frame, height: f64) -> Assembly {
    let mut ladder = Assembly::new("ladder");
    for x in [-0.21, 0.21] {
        ladder.block(frame, [x - 0.005, -0.03, 0.0], [x + 0.005, 0.03, height + 0.9]);
    }
    let n = (height / 0.28).floor() as usize;
    for k in 1..=n {
        let z = height * k as f64 / n as f64;
        ladder.rod(frame.point(-0.22, 0.0, z), frame.point(0.22, 0.0, z), 0.011);
    }
    let mut z = 1.7;
    while z < height + 0.9 {
        let hoop: Vec<DVec3> = (0..=10)
            .map(|k| {
                let (c, s) = cos_sin(k, 20);
                DVec3::new(0.26 * c, 0.02 + 0.42 * s, z)
            })
            .collect();
        ladder.tube(frame, &hoop, 0.008, 0.0);
        z += 0.45;
    }
    ladder
}

/// A cable ladder between two points: two rails and rungs.
pub(crate) fn cable_tray(from: DVec3, to: DVec3, width: f64) -> Assembly {
    let mut tray = Assembly::new("tray");
    let length = (to - from).length();
    let frame = tray_frame(from, to);
    for side in [1.0, -1.0] {
        let rail = Frame::oriented(frame.point(0.5 * width * side, 0.0, 0.0), frame.z, -frame.x * side);
        tray.add(rail, Shape::Prism { outline: channel_section(0.015, 0.06, 0.002), z: [0.0, length] });
    }
    let n = (length / 0.2).floor().max(1.0) as usize;
    for k in 0..n {
        let z = length * (k as f64 + 0.5) / n as f64;
        tray.block(frame, [-0.5 * width, -0.028, z - 0.01], [0.5 * width, -0.018, z + 0.01]);
    }
    tray
}

/// The cables on a tray: long, slightly wavy tubes.
pub(crate) fn cables(from: DVec3, to: DVec3, width: f64, n: usize, random: &mut Stream) -> Vec<Assembly> {
    let frame = tray_frame(from, to);
    let length = (to - from).length();
    (0..n)
        .map(|k| {
            let mut cable = Assembly::new("cable");
            let radius = random.pick(&[0.004, 0.006, 0.008, 0.011]);
            let x = width * ((k as f64 + 0.5) / n as f64 - 0.5) * 0.9;
            let bends = 2 + random.below(4);
            let path: Vec<DVec3> = (0..=bends)
                .map(|i| {
                    let aside = random.between(-0.006, 0.006);
                    frame.point(x + aside, -0.018 + radius, length * i as f64 / bends as f64)
                })
                .collect();
            cable.tube(Frame::at(0.0, 0.0, 0.0), &path, radius, 0.0);
            cable
        })
        .collect()
}

/// A frame along a tray: z in its direction, y up where possible.
fn tray_frame(from: DVec3, to: DVec3) -> Frame {
    let z = (to - from).normalize_or(DVec3::X);
    let up = if z.z.abs() > 0.9 { DVec3::Y } else { DVec3::Z };
    Frame::oriented(from, z, up.cross(z))
}

/// A rectangular air duct between two points, with a collar at every 0.8 m and a grille in the middle.
pub(crate) fn duct(from: DVec3, to: DVec3, width: f64, height: f64) -> Vec<Assembly> {
    let frame = tray_frame(from, to);
    let length = (to - from).length();
    let (w, h) = (0.5 * width, 0.5 * height);
    let mut duct = Assembly::new("duct");
    duct.block(frame, [-w, -h, 0.0], [w, h, length]);
    let mut objects = vec![duct];
    let n = (length / 0.8).floor().max(1.0) as usize;
    for k in 1..n {
        let z = length * k as f64 / n as f64;
        let mut collar = Assembly::new("collar");
        for [low, high] in [
            [[-w - 0.025, h], [w + 0.025, h + 0.025]],
            [[-w - 0.025, -h - 0.025], [w + 0.025, -h]],
            [[-w - 0.025, -h], [-w, h]],
            [[w, -h], [w + 0.025, h]],
        ] {
            collar.block(frame, [low[0], low[1], z - 0.01], [high[0], high[1], z + 0.01]);
        }
        objects.push(collar);
    }
    let mut grille = Assembly::new("grille");
    let z = 0.5 * length;
    for k in 0..9 {
        let x = (f64::from(k) / 4.0 - 1.0) * 0.8 * w;
        grille.block(frame, [x - 0.002, -h - 0.02, z - 0.15], [x + 0.002, -h, z + 0.15]);
    }
    objects.push(grille);
    objects
}

/// A trapeze hanger: a channel across below the pipes at height `z`, on two rods that reach up to `top`.
pub(crate) fn trapeze(left: DVec3, right: DVec3, top: f64) -> Assembly {
    let mut hanger = Assembly::new("hanger");
    let across = (right - left).normalize_or(DVec3::X);
    let bar = Frame::oriented(left - across * 0.04, across, DVec3::Z);
    // The channel's upper face is at the height of the two points.
    let bar = bar.moved(-0.04, 0.0, 0.0);
    let outline = channel_section(0.04, 0.04, 0.004);
    hanger.add(bar, Shape::Prism { outline, z: [0.0, (right - left).length() + 0.08] });
    for end in [left, right] {
        hanger.rod(end - DVec3::Z * 0.055, DVec3::new(end.x, end.y, top), 0.006);
        hanger.add(Frame::upright(end - DVec3::Z * 0.052), Shape::cylinder(0.011, 0.01));
        hanger.add(Frame::upright(end), Shape::cylinder(0.011, 0.01));
    }
    hanger
}

/// A pipe clamp: a collar around a pipe along z, with two ears along x.
pub(crate) fn clamp(frame: Frame, radius: f64) -> Assembly {
    let mut clamp = Assembly::new("clamp");
    let r = radius + 0.003;
    clamp.lathe(frame, &[To(-0.012, radius), To(-0.012, r), To(0.012, r), To(0.012, radius)]);
    for side in [-1.0, 1.0] {
        let ear = frame.moved((r + 0.01) * side, 0.0, 0.0);
        clamp.block(ear, [-0.012, -0.008, -0.012], [0.012, 0.008, 0.012]);
    }
    clamp
}

/// A wall bracket: an arm along z out of the wall of the given length, with a strut below it; x is up.
pub(crate) fn bracket(frame: Frame, length: f64) -> Assembly {
    let mut bracket = Assembly::new("bracket");
    bracket.block(frame, [-0.12, -0.03, 0.0], [0.03, 0.03, 0.008]);
    bracket.block(frame, [-0.02, -0.015, 0.008], [0.0, 0.015, length]);
    let strut = frame.point(-0.1, 0.0, 0.008) - frame.point(-0.02, 0.0, 0.85 * length);
    bracket.rod(frame.point(-0.02, 0.0, 0.85 * length), frame.point(-0.02, 0.0, 0.85 * length) + strut, 0.007);
    bracket
}

/// A tube lamp with its reflector on two rods; the light points down, its length is along x.
pub(crate) fn lamp(frame: Frame, rods: f64) -> Assembly {
    let mut lamp = Assembly::new("lamp");
    lamp.block(frame, [-0.5, -0.06, 0.0], [0.5, 0.06, 0.05]);
    for y in [-0.03, 0.03] {
        lamp.rod(frame.point(-0.47, y, -0.015), frame.point(0.47, y, -0.015), 0.013);
    }
    for x in [-0.4, 0.4] {
        lamp.rod(frame.point(x, 0.0, 0.05), frame.point(x, 0.0, 0.05 + rods), 0.005);
    }
    lamp
}

/// A sign plate on a wall at y = 0, towards y.
pub(crate) fn sign(frame: Frame, width: f64, height: f64) -> Assembly {
    let mut sign = Assembly::new("sign");
    sign.block(frame, [-0.5 * width, 0.0, -0.5 * height], [0.5 * width, 0.002, 0.5 * height]);
    sign
}
