//! The pair of triangles to report for a motion that starts within the margin, of the scene or of another link.

use super::{LinkTrianglePair, Workspace};
use crate::arith::linear::V3;
use crate::arith::real::Real;
use crate::enclosure::pose_bound::PoseBound;
use crate::robot::RobotMotion;
use crate::scene::world::CollisionWorld;
use crate::stage::TrianglePair;
use crate::stage::s5_pairs::{self, Order};

/// A pair of triangles that are certainly within the margin at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairAtStart {
    /// A triangle of a link and one of the scene.
    Scene(TrianglePair),
    /// Triangles of two links.
    Links(LinkTrianglePair),
}

/// Two links whose boxes are within the margin at the start, in the order of the robot's links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NearLinks {
    first: u32,
    second: u32,
    /// The frame of one of them, and the other link.
    frame: u32,
    moving: u32,
}

/// Finds the lowest pair of triangles that are certainly within the margin at the start of a motion: in the order of
/// the links, each against the scene and then against later links.
///
/// The chain of a pair of links is that of the current motion, so [`Workspace::begin`] must have been called for it.
pub fn first_at_start(
    space: &mut Workspace,
    world: &CollisionWorld,
    motion: &RobotMotion,
    margin_m: f64,
) -> Option<PairAtStart> {
    let mut near_links = std::mem::take(&mut space.near_at_start);
    find_near(space, &mut near_links, world, (motion, margin_m));
    let mut pairs = near_links.iter().peekable();
    let found = (0..world.links.len() as u32).find_map(|link| {
        let pose = motion.body_at::<0>(world.links[link as usize].body, 0.0);
        let of_scene = s5_pairs::first_of_link(&mut space.search, world, (link, pose), margin_m, Order::LinkFirst);
        let mut of_links = || {
            while let Some(near) = pairs.next_if(|near| near.first == link) {
                if let Some(pair) = first_of_links(space, world, motion, margin_m, near) {
                    return Some(pair);
                }
            }
            None
        };
        of_scene.map(PairAtStart::Scene).or_else(|| of_links().map(PairAtStart::Links))
    });
    space.near_at_start = near_links;
    found
}

/// The lowest pair of triangles of two links.
fn first_of_links(
    space: &mut Workspace,
    world: &CollisionWorld,
    motion: &RobotMotion,
    margin_m: f64,
    near: &NearLinks,
) -> Option<LinkTrianglePair> {
    let frame = &world.frames[near.frame as usize];
    let [fixed, moving] = [frame.link, near.moving].map(|link| world.links[link as usize].body);
    let chain = space.chain(world, motion, fixed, moving);
    let path = &space.chains[chain];
    let pose = path.body_at::<0>(path.joints.len() as u32 - 1, 0.0);
    let order = if near.first == near.moving { Order::LinkFirst } else { Order::SceneFirst };
    let pair = s5_pairs::first_of_link(&mut space.search, &frame.world, (near.moving, pose), margin_m, order)?;
    Some(LinkTrianglePair { frame: near.frame, chain: chain as u32, pair })
}

/// Finds the pairs of links whose boxes in the world are within the margin at the start.
fn find_near(
    space: &mut Workspace,
    near: &mut Vec<NearLinks>,
    world: &CollisionWorld,
    (motion, margin_m): (&RobotMotion, f64),
) {
    near.clear();
    if world.frames.is_empty() {
        return;
    }
    space.around.clear();
    space.around.extend(world.links.iter().map(|link| {
        let pose = motion.body_at::<0>(link.body, 0.0);
        // Half of the margin for each of two links.
        let ball = [(pose.ball[0] + link.lss.radius + 0.5 * margin_m) * (1.0 + 8.0 * f64::UNIT), pose.ball[1]];
        let pose = PoseBound::Taylor(pose).with_ball(ball);
        let ends = [link.lss.a, link.lss.b].map(|end| pose.point(V3::new(end), link.reach_m).range(0.0));
        let [(lo, hi), (from, to)] = ends;
        [lo.min(from).0, hi.max(to).0]
    }));
    for (number, frame) in world.frames.iter().enumerate() {
        for &moving in &frame.partners {
            if !super::are_apart(&space.around[frame.link as usize], &space.around[moving as usize]) {
                let [first, second] = [frame.link.min(moving), frame.link.max(moving)];
                near.push(NearLinks { first, second, frame: number as u32, moving });
            }
        }
    }
    near.sort_unstable();
}
