//! Pages that no motion of a chunk reaches are skipped, and nothing changes by that.

use super::{Case, PAGE, Work, built, case, motions, options, pairs, sparse_case, work};
use crate::harness::gpu::{mutated_pipeline, skip};
use crate::harness::models::{self, Draw, RobotKind};
use crate::harness::truth::position;
use firstcontact::engine::gpu_backend::{ChunkInput, GpuPipeline, Reach};
use firstcontact::engine::{Options, Stage, Sweep};
use firstcontact::gpu::{BufferId, first_link_triangles};
use firstcontact::robot::RobotMotion;
use firstcontact::scene::world::{CollisionWorld, SceneBox};
use firstcontact::stage::s6_solve::InitialContactPolicy;
use firstcontact::stage::{Piece, TrianglePair, s5_pairs};
use glam::DVec3;

/// The margin of the motions in these tests, metres.
const MARGIN_M: f64 = 0.01;

fn holds(around: &SceneBox, p: DVec3, margin_m: f64) -> bool {
    (0..3).all(|i| p[i] - margin_m >= f64::from(around.lo[i]) && p[i] + margin_m <= f64::from(around.hi[i]))
}

/// Calls `each` with the box of each piece of a motion and the true positions of all vertices at times of the piece.
fn swept(world: &CollisionWorld, motion: &RobotMotion, mut each: impl FnMut(&SceneBox, DVec3)) {
    let pieces: Vec<Piece> = Piece::cut(0, motion).collect();
    let reach = Reach::of(world, &ChunkInput { pieces: pieces.clone(), motions: std::slice::from_ref(motion) });
    for (piece, around) in pieces.iter().zip(reach.boxes()) {
        for k in 0..=64 {
            let t = piece.t0 + (piece.t1 - piece.t0) * f64::from(k) / 64.0;
            for link in world.links.iter() {
                for vertex in link.triangles.iter().flatten() {
                    each(around, position(motion, link.body, *vertex, t));
                }
            }
        }
    }
}

#[test]
fn boxes_of_pieces_hold_the_robot_and_the_margin() {
    let mut draw = Draw::new(71);
    for i in 0..240 {
        let kind = RobotKind { n_bodies: 1 + i % 5, link_m: 0.4, n_triangles: 1, mixed: i % 2 == 0 };
        let robot = models::robot(&mut draw, kind);
        let world = CollisionWorld::new(&robot, &models::scene(&mut draw, 1, 1.0, 0.1), &[]).unwrap();
        let (q0, q1) = models::motion(&mut draw, &robot, [0.02, 0.5, 3.0, 15.0][i % 4], 0.3);
        let mut motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        motion.set_margin(MARGIN_M);
        swept(&world, &motion, |around, p| assert!(holds(around, p, MARGIN_M), "robot {i}: {p} in {around:?}"));
    }
}

/// A slow robot's box is hardly larger than the robot: pages next to it are skipped.
#[test]
fn the_box_of_a_slow_motion_is_tight() {
    let mut draw = Draw::new(72);
    for _ in 0..50 {
        let kind = RobotKind { n_bodies: 4, link_m: 0.4, n_triangles: 40, mixed: true };
        let robot = models::robot(&mut draw, kind);
        let world = CollisionWorld::new(&robot, &models::scene(&mut draw, 1, 1.0, 0.1), &[]).unwrap();
        let (q0, q1) = models::motion(&mut draw, &robot, 0.02, 0.01);
        let motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        let (mut lo, mut hi, mut size) = (DVec3::INFINITY, DVec3::NEG_INFINITY, DVec3::ZERO);
        swept(&world, &motion, |around, p| {
            (lo, hi) = (lo.min(p), hi.max(p));
            size = DVec3::from_array([0, 1, 2].map(|i| f64::from(around.hi[i] - around.lo[i])));
        });
        // Line-swept spheres around triangles of up to half a metre; some have twenty times the usual size.
        assert!((size - (hi - lo)).max_element() < 1.0 + 0.5 * (hi - lo).max_element(), "{size} around {}", hi - lo);
    }
}

/// The case with its scene, and a copy of it far to one side.
fn with_far_copy(mut case: Case, to: DVec3) -> Case {
    let far: Vec<_> = case.scene.triangles.iter().map(|t| t.map(|v| v + to)).collect();
    case.scene.add_object("copy", far).unwrap();
    case
}

/// The number of pages whose triangles are all far to either side. Every page's box must contain its triangles.
fn far_pages(work: &Work, pipeline: &mut GpuPipeline) -> usize {
    let chunk = ChunkInput { pieces: work.pieces.clone(), motions: &work.motions };
    let mut pages = Vec::new();
    for page in 0..pipeline.n_pages() {
        pipeline.bind_page(&chunk, 0, page).unwrap();
        let buffers = pipeline.buffers(0);
        pages.push((buffers.page().first_triangle as usize, buffers.page_box(page).unwrap()));
    }
    let all = &work.world.scene.triangles;
    let ends = pages.iter().skip(1).map(|page| page.0).chain([all.len()]);
    let is_far = |(first, around): &(usize, SceneBox), end: usize| {
        let mut vertices = all[*first..end].iter().flatten();
        assert!(vertices.clone().all(|v| holds(around, *v, 0.0)), "{around:?}");
        vertices.all(|v| v.x.abs() > 40.0)
    };
    pages.iter().zip(ends).filter(|(page, end)| is_far(page, *end)).count()
}

/// The pairs of each piece with the work of every page, none skipped, step by step.
fn on_all_pages(work: &Work, mut options: Options) -> Vec<Vec<TrianglePair>> {
    options.solve.initial = InitialContactPolicy::Ignore;
    let mut pipeline = mutated_pipeline(&work.world, &options, None);
    let chunk = ChunkInput { pieces: work.pieces.clone(), motions: &work.motions };
    pipeline.upload_chunk(&chunk, 0).unwrap();
    pipeline.run_stage(&chunk, 0, Stage::Concat).unwrap();
    pipeline.run_stage(&chunk, 0, Stage::Bound).unwrap();
    for page in 0..pipeline.n_pages() {
        if page > 0 {
            pipeline.bind_page(&chunk, 0, page).unwrap();
        }
        for stage in [Stage::Cull, Stage::Sweep, Stage::Pairs] {
            pipeline.run_stage(&chunk, 0, stage).unwrap();
        }
    }
    let n = pipeline.counters(0).unwrap().pairs as usize;
    let pairs: Vec<TrianglePair> = pipeline.buffers(0).read(pipeline.gpu(), BufferId::Pairs, n).unwrap();
    let (first, n_links) = (first_link_triangles(&work.world.links), work.world.links.len());
    let mut by_piece = vec![Vec::new(); work.pieces.len()];
    for mut pair in pairs {
        pair.link_triangle -= first[pair.piece_link as usize % n_links];
        by_piece[pair.piece_link as usize / n_links].push(pair);
    }
    by_piece.iter_mut().for_each(|pairs| {
        s5_pairs::join(pairs, 0);
        pairs.sort_unstable();
    });
    by_piece
}

#[test]
fn pages_out_of_reach_are_skipped_and_change_nothing() {
    if skip() {
        return;
    }
    for (to, sweep) in [(50.0, Sweep::Off), (-50.0, Sweep::Compute), (-50.0, Sweep::Raster)] {
        let work = work(&with_far_copy(case(61), DVec3::X * to));
        let (whole, ..) = pairs(&work, options(None, sweep), None);
        let (paged, _, mut pipeline) = pairs(&work, options(Some(PAGE), sweep), None);
        let counts = pipeline.work();
        assert_eq!((counts.chunks, counts.pages_searched + counts.pages_skipped), (1, pipeline.n_pages() as u64));
        assert_eq!(counts.submissions, counts.pages_searched);
        let far = far_pages(&work, &mut pipeline) as u64;
        println!("{far} far pages, {counts:?}");
        assert!(far >= 4 && counts.pages_skipped >= far && counts.pages_searched >= 5, "{far} far: {counts:?}");
        assert!(whole.iter().map(Vec::len).sum::<usize>() > 500 && paged == whole, "{sweep:?}");
        assert!(paged == on_all_pages(&work, options(Some(PAGE), sweep)), "{sweep:?}");
    }
}

/// The robot reaches only pages that are not the first ones, and later none at all.
#[test]
fn answers_are_the_same_bytes_with_pages_skipped() {
    if skip() {
        return;
    }
    for to in [DVec3::X * 50.0, DVec3::X * -50.0, DVec3::new(0.0, -50.0, 50.0)] {
        let case = with_far_copy(sparse_case(78), to);
        let expected = built(&case, options(None, Sweep::Off)).check(&motions(&case)).unwrap();
        let cut = built(&case, options(Some(PAGE), Sweep::Off)).check(&motions(&case)).unwrap();
        assert_eq!(cut.verdicts, expected.verdicts);
        let [whole, cut] = [expected.stats.device, cut.stats.device];
        assert!(whole.pages_searched == whole.chunks && whole.pages_skipped == 0, "{whole:?}");
        assert!(cut.pages_skipped > cut.pages_searched && cut.pages_searched > 0, "{cut:?}");
    }
    let mut case = sparse_case(78);
    case.scene.triangles.iter_mut().flatten().for_each(|v| *v += DVec3::Y * 50.0);
    let report = built(&case, options(Some(PAGE), Sweep::Off)).check(&motions(&case)).unwrap();
    assert_eq!(report.stats.free, case.rows.len() as u64);
    let device = report.stats.device;
    assert_eq!((device.pages_searched, device.submissions, device.dispatches, device.uploaded_bytes), (0, 0, 0, 0));
    assert!(device.pages_skipped >= 4 && device.chunks > 0, "{device:?}");
}
