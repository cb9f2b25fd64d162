//! The maps of the drawn form of `s4_sweep` as pictures: for each moving link, the volume swept in each piece of a
//! motion, seen along x, y and z, from left to right. A pixel is brighter where the volume begins nearer to the viewer,
//! and more orange where it is deeper.

use super::course::Course;
use super::{Image, subject};
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::Engine;
use firstcontact::error::Result;
use firstcontact::robot::{MotionBatch, RobotMotion};
use firstcontact::stage::s4_sweep::{Input, raster};
use firstcontact::stage::{ALL_SUBS, Piece, s1_concat, s2_bound};

/// Pixels of the picture per pixel of a map, and between maps.
const ENLARGED: usize = 8;
const NOTHING: [u8; 4] = [22, 26, 34, 255];
const BETWEEN: [u8; 4] = [255, 255, 255, 255];

/// The maps of one link in one piece.
#[derive(Clone, Debug)]
pub struct TilePicture {
    /// The link.
    pub link: String,
    /// The piece, counted from the start of the motion.
    pub piece: usize,
    /// The three views.
    pub image: Image,
}

/// The maps of motion `i`, with `n` pixels per side, of all links that move.
///
/// # Errors
/// The motion does not fit the robot.
pub fn tiles(engine: &Engine, motions: &MotionBatch, i: usize, n: usize) -> Result<Vec<TilePicture>> {
    let world = engine.world();
    let motion = [RobotMotion::new(&world.robot, motions.start(i), motions.end(i))?];
    let along = subject::moments(engine, &Course::of_motion(motions, i)?)?;
    let mut out = Vec::new();
    for piece in Piece::cut(0, &motion[0]) {
        let pieces = [piece];
        let poses = s1_concat::reference(&pieces, &motion, PoseEnclosure::TaylorModel);
        let boxes = s2_bound::reference(world, &pieces, &poses);
        let input = Input { world, motions: &motion, pieces: &pieces, poses: &poses, boxes: &boxes };
        for (k, link) in world.links.iter().enumerate() {
            if !along.iter().any(|m| m.differs(&along[0], world.robot.links[link.link as usize].body)) {
                continue;
            }
            let Some(maps) = raster::tiles(&input, 0, k as u32, ALL_SUBS, n) else { continue };
            let name = world.robot.links[link.link as usize].name.clone();
            out.push(TilePicture { link: name, piece: piece.index as usize, image: drawn(&maps, n) });
        }
    }
    Ok(out)
}

/// Three maps side by side.
fn drawn(maps: &[Vec<Option<[f64; 2]>>; 3], n: usize) -> Image {
    let side = n * ENLARGED;
    let width = 3 * side + 2 * ENLARGED;
    let mut rgba = Vec::with_capacity(4 * width * side);
    for row in 0..side {
        for column in 0..width {
            let (view, x) = (column / (side + ENLARGED), column % (side + ENLARGED));
            let pixel = if x >= side {
                BETWEEN
            } else {
                // The first row of a map is at the bottom.
                maps[view][(n - 1 - row / ENLARGED) * n + x / ENLARGED].map_or(NOTHING, colour)
            };
            rgba.extend(pixel);
        }
    }
    Image { size: [width as u32, side as u32], rgba }
}

/// The colour of a range of depths, given as fractions of the tile's depth.
fn colour([near, far]: [f64; 2]) -> [u8; 4] {
    let (light, depth) = (1.0 - 0.75 * near, (far - near).clamp(0.0, 1.0));
    let mixed = |thin: f64, deep: f64| (255.0 * light * (thin + (deep - thin) * depth)) as u8;
    [mixed(0.55, 1.0), mixed(0.75, 0.55), mixed(0.95, 0.15), 255]
}
