//! Numbers beyond the sub-intervals of a piece remain from earlier pieces; no stage of the CPU uses them.

use super::{Case, SIZES, case};
use crate::effort;
use crate::harness::models::{self, Draw, RobotKind};
use firstcontact::arith::linear::{M3, V3};
use firstcontact::arith::real::Real;
use firstcontact::bvh::obb_tree::ObbTrees;
use firstcontact::enclosure::pose_bound::{PoseBound, PoseEnclosure, TaylorModel};
use firstcontact::enclosure::pose_jet::PoseJet;
use firstcontact::engine::{Options, Sweep};
use firstcontact::robot::{LinkPairs, RobotMotion};
use firstcontact::scene::world::CollisionWorld;
use firstcontact::stage::s1_concat::Poses;
use firstcontact::stage::s2_bound::Boxes;
use firstcontact::stage::{Piece, SUBS, Subs, link_pairs, s1_concat, s2_bound, s3_cull, s4_sweep, s5_pairs};
use firstcontact::{Backend, Engine, Scene};

const FORM: PoseEnclosure = PoseEnclosure::TaylorModel;

/// The numbers that are there before.
const BEFORE: [f64; 3] = [0.0, f64::NAN, 1e3];

/// The poses and boxes of some pieces in memory that is filled with a number.
fn bounded(world: &CollisionWorld, pieces: &[Piece], motions: &[RobotMotion], before: f64) -> (Poses, Boxes) {
    assert!(pieces.iter().all(|piece| (piece.subs as usize) < SUBS));
    let subs = Subs::new(before);
    let jet = PoseJet { x: [V3([subs; 3]); 3], p: [M3([[subs; 3]; 3]); 3] };
    let bound = PoseBound::Taylor(TaylorModel { jet, ball: [subs; 2] });
    let n_bounds = pieces.len() * motions[0].joints.len();
    let mut poses = Poses { bounds: vec![bound; n_bounds], ..Poses::default() };
    s1_concat::reference_in(&mut poses, pieces, motions, FORM);
    let lo = vec![V3([subs; 3]); pieces.len() * world.model.n_nodes()];
    let mut boxes = Boxes { hi: lo.clone(), lo, ..Boxes::default() };
    s2_bound::reference_in(&mut boxes, world, pieces, &poses);
    (poses, boxes)
}

/// The candidates that culling and swept volumes leave, the pairs, and the limits.
fn found(case: &Case, before: f64) -> String {
    let Case { world, obb_trees, motions, pieces } = case;
    let (poses, boxes) = &bounded(world, pieces, motions, before);
    let mut cull = s3_cull::Workspace::default();
    s3_cull::cull_in(&mut cull, world, pieces, boxes);
    let candidates = cull.candidates.as_slice();
    let swept = [Sweep::Compute, Sweep::Raster, Sweep::Paper].map(|form| {
        let mut left = candidates.to_vec();
        s4_sweep::reference(form, &s4_sweep::Input { world, motions, pieces, poses, boxes }, &mut left);
        left
    });
    let (obb_trees, courses) = (obb_trees.as_ref(), Some(s5_pairs::Courses::World(motions)));
    let input = s5_pairs::Input { world, obb_trees, pieces, poses, boxes, candidates, courses };
    let mut limits = vec![u32::MAX; motions.len()];
    let pairs = s5_pairs::search(&input, Some(&mut limits), usize::MAX).0.unwrap();
    format!("{candidates:?} {swept:?} {pairs:?} {limits:?}")
}

#[track_caller]
fn assert_equal(found: [String; 3]) {
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0], found[2]);
}

#[test]
fn numbers_beyond_the_sub_intervals_are_not_used() {
    let mut draw = Draw::new(38);
    for (n_bodies, n_triangles) in SIZES {
        let mut case = case(&mut draw, n_bodies, n_triangles, effort(8, 40), [0.02, 0.3, 1.0]);
        case.cut_for_cpu();
        assert_equal(BEFORE.map(|before| found(&case, before)));
        case.obb_trees = Some(ObbTrees::new(&case.world, 0));
        assert_equal(BEFORE.map(|before| found(&case, before)));
        case.obb_trees = None;
        case.motions.iter_mut().for_each(|motion| motion.set_margin(0.03));
        assert_equal(BEFORE.map(|before| found(&case, before)));
    }
}

/// The pairs of links in all pieces of some motions, and the limits. One memory serves all pieces.
fn found_links(world: &CollisionWorld, motions: &[RobotMotion], before: f64) -> (String, usize) {
    let (mut space, mut all, mut n) = (link_pairs::Workspace::default(), String::new(), 0);
    for motion in motions {
        space.begin(world);
        let (mut limits, motions) = (vec![u32::MAX], std::slice::from_ref(motion));
        for piece in &models::pieces_of_the_cpu(world, motions) {
            let (poses, boxes) = &bounded(world, std::slice::from_ref(piece), motions, before);
            let input = link_pairs::Input { world, motion, piece, form: FORM, poses, boxes, cap: usize::MAX };
            let (fits, counts) = link_pairs::search_in(&mut space, &input, Some(&mut limits));
            assert!(fits);
            n += space.pairs.len();
            all += &format!("{:?} {counts:?} {limits:?}\n", space.pairs);
        }
    }
    (all, n)
}

#[test]
fn links_do_not_use_numbers_beyond_the_sub_intervals() {
    let mut draw = Draw::new(39);
    let mut n_pairs = 0;
    for n_bodies in [2, 4, 6] {
        let kind = RobotKind { n_bodies, link_m: 0.4, n_triangles: 20, mixed: true };
        let robot = models::robot(&mut draw, kind);
        let options = Options { backend: Backend::Cpu, ..Options::default() };
        let pairs = LinkPairs::all_but_adjacent(&robot);
        let engine = Engine::builder(&robot, Scene::new()).options(options).link_pairs(pairs).build().unwrap();
        let world = engine.world();
        let angles = [0.02, 0.3, 1.0].repeat(effort(3, 20));
        let mut motions: Vec<_> = angles
            .into_iter()
            .map(|angle| {
                let (q0, q1) = models::motion(&mut draw, &world.robot, angle, 0.1);
                RobotMotion::new(&world.robot, &q0, &q1).unwrap()
            })
            .collect();
        for margin_m in [0.0, 0.03] {
            motions.iter_mut().for_each(|motion| motion.set_margin(margin_m));
            let all = BEFORE.map(|before| found_links(world, &motions, before));
            n_pairs += all[0].1;
            assert_equal(all.map(|(found, _)| found));
        }
    }
    assert!(n_pairs > 20, "{n_pairs}");
}
