//! Dense pipework around the Puma: banks of parallel pipes, single lines that wind through them, tees and flanges.
//!
//! All pipes follow the edges of one lattice, and no lattice point is used twice, so pipes do not touch each other.
//! Tees and flanges intersect the pipes to which they belong; spools meet inside flanges.

use super::parts::assembly::{Assembly, Part, tessellate};
use super::parts::frame::Frame;
use super::parts::lattice::{Lattice, Node, step};
use super::parts::piping::{Bore, Finish, Insert, blind_flange, run, tee};
use super::puma;
use super::random::Stream;
use firstcontact::error::Result;
use glam::DVec3;

/// The number of triangles of the scene.
pub(crate) const N_TRIANGLES: usize = 38_000;

const PITCH_M: f64 = 0.1;
const LOW: Node = [-9, -9, 1];
const HIGH: Node = [9, 9, 15];
/// Outer radii of the pipes, metres.
const RADII_M: [f64; 5] = [0.012, 0.016, 0.022, 0.028, 0.036];
/// The fractions of the lattice that are used by banks, and by all pipes.
const SHARES: [f64; 2] = [0.25, 0.38];
/// Maximum number of attempts to place a pipe; for any seed, a fraction of it is sufficient.
const ATTEMPTS: usize = 20_000;

/// A pipe on the lattice, and its thickness.
struct Line {
    nodes: Vec<Node>,
    bore: Bore,
}

/// Makes the pipework.
///
/// # Errors
/// The seed gives a layout that does not reach the exact count.
pub(crate) fn scene(seed: u64) -> Result<Vec<Part>> {
    let mut random = Stream::new(seed, "pipes/scene");
    let mut lattice = Lattice::new(LOW, HIGH, PITCH_M);
    keep_clear(&mut lattice);
    let taken_before = lattice.share_taken();
    let mut lines: Vec<Line> = Vec::new();
    let mut tees: Vec<Assembly> = Vec::new();
    for _ in 0..ATTEMPTS {
        let share = lattice.share_taken() - taken_before;
        if share >= SHARES[1] {
            break;
        }
        if share < SHARES[0] {
            bank(&mut lattice, &mut random, &mut lines);
        } else if random.chance(0.5) {
            branch(&mut lattice, &mut random, &mut lines, &mut tees);
        } else {
            single(&mut lattice, &mut random, &mut lines);
        }
    }
    let mut objects = Vec::new();
    for line in &lines {
        fit_out(&lattice, &mut random, line, &mut objects);
    }
    objects.append(&mut tees);
    for object in &mut objects {
        object.coarseness = random.between(0.8, 1.25);
    }
    tessellate(&objects, N_TRIANGLES)
}

/// A pipe whose elbows are small enough for a straight piece between two neighbouring points.
fn bore(radius_m: f64) -> Bore {
    Bore::tight(radius_m, 0.48 * PITCH_M)
}

/// Marks the points around the pedestal as taken.
fn keep_clear(lattice: &mut Lattice) {
    let thickest = bore(RADII_M[RADII_M.len() - 1]).flange_radius();
    for node in lattice.nodes() {
        let p = lattice.position(node);
        let across = (p.x * p.x + p.y * p.y).sqrt();
        if across < puma::COLUMN_M + thickest + 0.01 && p.z < puma::COLUMN_HEIGHT_M + thickest {
            lattice.take(node);
        }
    }
}

/// Tries to place a bank: parallel pipes side by side that follow the same path in parallel planes.
fn bank(lattice: &mut Lattice, random: &mut Stream, lines: &mut Vec<Line>) {
    let across = random.below(3);
    let n = 2 + random.below(4) as i32;
    let (a, b) = ((across + 1) % 3, (across + 2) % 3);
    let (axis, sign) = (random.pick(&[a, b]), if random.chance(0.5) { 1 } else { -1 });
    let start = lattice.on_side(axis, sign, random);
    let is_free = |node: Node| (0..n).all(|k| lattice.is_free(shifted(node, across, k)));
    let nodes = walk(lattice, random, start, (axis, sign), &[a, b], &is_free);
    if nodes.len() < 8 {
        return;
    }
    let bore = bore(random.pick(&RADII_M));
    for k in 0..n {
        let line: Vec<Node> = nodes.iter().map(|&node| shifted(node, across, k)).collect();
        line.iter().for_each(|&node| lattice.take(node));
        lines.push(Line { nodes: line, bore });
    }
}

/// Tries to place a single pipe, from the border inward.
fn single(lattice: &mut Lattice, random: &mut Stream, lines: &mut Vec<Line>) {
    let (axis, sign) = (random.below(3), if random.chance(0.5) { 1 } else { -1 });
    let start = lattice.on_side(axis, sign, random);
    let nodes = walk(lattice, random, start, (axis, sign), &[0, 1, 2], &|node| lattice.is_free(node));
    if nodes.len() >= 8 {
        nodes.iter().for_each(|&node| lattice.take(node));
        lines.push(Line { nodes, bore: bore(random.pick(&RADII_M[..4])) });
    }
}

/// Tries to place a branch from a straight piece of an existing pipe.
fn branch(lattice: &mut Lattice, random: &mut Stream, lines: &mut Vec<Line>, tees: &mut Vec<Assembly>) {
    if lines.is_empty() {
        return;
    }
    let main = &lines[random.below(lines.len())];
    if main.nodes.len() < 3 {
        return;
    }
    let i = 1 + random.below(main.nodes.len() - 2);
    let [before, at, after] = [main.nodes[i - 1], main.nodes[i], main.nodes[i + 1]];
    let Some(along) = (0..3).find(|&a| (after[a] - before[a]).abs() == 2) else { return };
    let (axis, sign) = ((along + 1 + random.below(2)) % 3, if random.chance(0.5) { 1 } else { -1 });
    let is_free = |node: Node| node == at || lattice.is_free(node);
    let nodes = walk(lattice, random, at, (axis, sign), &[0, 1, 2], &is_free);
    if nodes.len() < 5 {
        return;
    }
    let bore = bore(random.pick(&RADII_M).min(main.bore.radius));
    let position = |node: Node| lattice.position(node);
    let frame = Frame::oriented(position(at), position(after) - position(before), position(nodes[1]) - position(at));
    tees.push(tee(frame, main.bore, bore));
    nodes.iter().for_each(|&node| lattice.take(node));
    lines.push(Line { nodes, bore });
}

/// A path through free points that is mostly straight and ends at the border or where it cannot continue.
fn walk(
    lattice: &Lattice,
    random: &mut Stream,
    start: Node,
    (mut axis, mut sign): (usize, i32),
    axes: &[usize],
    is_free: &dyn Fn(Node) -> bool,
) -> Vec<Node> {
    if !is_free(start) {
        return Vec::new();
    }
    let mut nodes = vec![start];
    let mut straight = 2 + random.below(6);
    loop {
        let at = nodes[nodes.len() - 1];
        let onward = |axis: usize, sign: i32| {
            let next = step(at, axis, sign);
            (is_free(next) && !nodes.contains(&next)).then_some(next)
        };
        let mut next = if straight > 0 { onward(axis, sign) } else { None };
        if nodes.len() > 1 && next.is_none() {
            if lattice.is_border(at, axis, sign) {
                return nodes;
            }
            let mut turns: Vec<(usize, i32)> =
                axes.iter().filter(|&&a| a != axis).flat_map(|&a| [(a, 1), (a, -1)]).collect();
            random.shuffle(&mut turns);
            if let Some((turn, to)) = turns.into_iter().find_map(|t| onward(t.0, t.1).map(|to| (t, to))) {
                (axis, sign) = turn;
                straight = 2 + random.below(6);
                next = Some(to);
            }
        }
        let Some(to) = next else { return nodes };
        nodes.push(to);
        straight = straight.saturating_sub(1);
    }
}

fn shifted(node: Node, axis: usize, by: i32) -> Node {
    step(node, axis, by)
}

/// Converts a line to spools and flanges, with blind flanges at its ends.
fn fit_out(lattice: &Lattice, random: &mut Stream, line: &Line, objects: &mut Vec<Assembly>) {
    let corners = corners(lattice, &line.nodes);
    let length = (line.nodes.len() - 1) as f64 * lattice.pitch_m;
    let mut flanges = Vec::new();
    let mut at = random.between(0.2, 0.8);
    while at < length {
        flanges.push((at, Insert::Flange));
        at += random.between(0.5, 1.2);
    }
    objects.extend(run(&corners, line.bore, &flanges, Finish::Plain).objects);
    if let [.., before, last] = corners[..] {
        objects.push(blind_flange(Frame::along(last, last - before), line.bore, Finish::Plain));
    }
}

/// The ends and the bends of a path on the lattice.
fn corners(lattice: &Lattice, nodes: &[Node]) -> Vec<DVec3> {
    let is_straight = |i: usize| (0..3).any(|a| (nodes[i + 1][a] - nodes[i - 1][a]).abs() == 2);
    (0..nodes.len())
        .filter(|&i| i == 0 || i + 1 == nodes.len() || !is_straight(i))
        .map(|i| lattice.position(nodes[i]))
        .collect()
}
