//! Pairs of triangles passed directly to the exact stage, without culling: a model of one link, all its triangles
//! against all of the scene's in every sub-interval, or one pair alone.

use crate::oracle::poses::Articulated;
use crate::random_models::model::{Model, Motion, pair, stored};
use firstcontact::robot::RobotMotion;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::s6_solve::{Method, SolveOptions, Solver};
use firstcontact::stage::{ALL_SUBS, Piece, TrianglePair};
use firstcontact::verdict::Verdict;

/// A motion of a model whose only link has triangles, ready to be solved.
pub struct Direct {
    pub world: CollisionWorld,
    pub motion: RobotMotion,
    motion_q: Motion,
    pieces: Vec<Piece>,
}

impl Direct {
    pub fn new(model: &Model, motion_q: &Motion) -> Self {
        let (robot, scene) = model.built();
        let world = CollisionWorld::new(&robot, &scene, &[]).unwrap();
        assert_eq!(world.links.len(), 1, "one link with triangles");
        let motion = RobotMotion::new(&world.robot, &motion_q.0, &motion_q.1).unwrap();
        let pieces = Piece::cut(0, &motion).collect();
        Self { world, motion, motion_q: motion_q.clone(), pieces }
    }

    /// The verdict on some pairs `(link triangle, scene triangle)`, both in tree order.
    pub fn of(&self, pairs: &[(usize, usize)], options: &SolveOptions) -> Verdict {
        let mut solver = Solver::new(&self.world, *options);
        solver.begin();
        for (p, piece) in self.pieces.iter().enumerate() {
            let pair = |&(x, y): &(usize, usize)| TrianglePair {
                piece_link: p as u32,
                link_triangle: x as u32,
                scene_triangle: y as u32,
                mask_slice: ALL_SUBS,
            };
            let pairs: Vec<TrianglePair> = pairs.iter().map(pair).collect();
            if solver.feed(&self.motion, piece, &pairs) {
                break;
            }
        }
        solver.finish()
    }

    /// The verdict on all pairs together.
    pub fn all(&self, options: &SolveOptions) -> Verdict {
        self.of(&self.pairs(), options)
    }

    /// All pairs, in tree order.
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        let (n, m) = (self.world.links[0].triangles.len(), self.world.scene.triangles.len());
        (0..n).flat_map(|x| (0..m).map(move |y| (x, y))).collect()
    }

    /// A pair as the oracles' input: the stored numbers of the motion, exactly, in the coordinates of the world's
    /// origin.
    pub fn pair(&self, (x, y): (usize, usize)) -> Articulated {
        let link = &self.world.links[0];
        let chain = stored(&self.world.robot, &self.motion_q)[link.body as usize].clone();
        pair(chain, &link.triangles[x], &self.world.scene.triangles[y])
    }
}

/// The default options with a method; for the paper's, which continues for long where equations vanish, with a lower
/// cap.
pub fn with(method: Method) -> SolveOptions {
    let defaults = SolveOptions::default();
    let evaluation_cap = if method == Method::Paper { 1 << 10 } else { defaults.evaluation_cap };
    SolveOptions { method, evaluation_cap, ..defaults }
}
