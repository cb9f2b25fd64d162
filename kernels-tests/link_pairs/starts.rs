//! Starts within the margin: the pair that is reported is the lowest one, of the scene and of all links.

use crate::effort;
use crate::harness::gpu::skip;
use crate::harness::models::{self, Draw, RobotKind};
use crate::harness::truth::position;
use crate::oracle::triangles::distance;
use firstcontact::engine::{Backend, Engine, Options};
use firstcontact::robot::{LinkPairs, Robot, RobotMotion, Triangle};
use firstcontact::scene::Scene;
use firstcontact::stage::link_pairs::{PairAtStart, Workspace, first_at_start};
use firstcontact::{MotionBatch, Verdict};

/// A link, an object (0) or a later link (1), its index, and the triangles of both, all in the order of the files.
type Key = [u32; 5];

/// The lowest pair within the margin at the start, by trying all; `None` if a distance is too near the margin to tell.
fn lowest(robot: &Robot, scene: &Scene, pairs: &LinkPairs, motion: &RobotMotion, margin_m: f64) -> Option<Option<Key>> {
    let placed: Vec<Vec<Triangle>> = robot
        .links
        .iter()
        .map(|link| link.triangles.iter().map(|x| x.map(|e| position(motion, link.body, e, 0.0))).collect())
        .collect();
    let mut lowest: Option<Key> = None;
    let mut compare = |key: [u32; 3], (a, b): (&[Triangle], &[Triangle])| {
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                let distance = distance(x, y);
                // Zero is the distance of triangles that pierce each other.
                let gap = if distance == 0.0 { -1.0 } else { distance - margin_m };
                if gap.abs() < 1e-12 {
                    return None;
                }
                let key = [key[0], key[1], key[2], i as u32, j as u32];
                if gap < 0.0 && lowest.is_none_or(|lowest| key < lowest) {
                    lowest = Some(key);
                }
            }
        }
        Some(())
    };
    for (link, triangles) in placed.iter().enumerate() {
        for (number, object) in scene.objects.iter().enumerate() {
            let first = object.first_triangle as usize;
            let of_object = first..first + object.n_triangles as usize;
            compare([link as u32, 0, number as u32], (triangles, &scene.triangles[of_object]))?;
        }
    }
    for &[a, b] in pairs.tested() {
        let [first, second] = [a.min(b), a.max(b)];
        let of_both = (&*placed[first as usize], &*placed[second as usize]);
        compare([first, 1, second], of_both)?;
    }
    Some(lowest)
}

/// The key of a pair that was found.
fn key(engine: &Engine, pair: &PairAtStart) -> Key {
    let world = engine.world();
    match pair {
        PairAtStart::Scene(pair) => {
            let link = &world.links[pair.piece_link as usize];
            let [x, y] = [pair.link_triangle as usize, pair.scene_triangle as usize];
            let object = &world.scene.objects[world.scene.object[y] as usize];
            let of_object = world.scene.tree.order[y] - object.first_triangle;
            [link.link, 0, world.scene.object[y], link.tree.order[x], of_object]
        }
        PairAtStart::Links(found) => {
            let frame = &world.frames[found.frame as usize];
            let [fixed, moving] = [frame.link, found.pair.piece_link].map(|link| &world.links[link as usize]);
            let y = frame.world.scene.tree.order[found.pair.scene_triangle as usize];
            let x = moving.tree.order[found.pair.link_triangle as usize];
            if fixed.link < moving.link {
                [fixed.link, 1, moving.link, y, x]
            } else {
                [moving.link, 1, fixed.link, x, y]
            }
        }
    }
}

#[test]
fn the_pair_of_a_start_within_the_margin_is_the_lowest_of_scene_and_links() {
    let mut draw = Draw::new(78);
    let (mut of_scene, mut of_links, mut free, mut is_turned, mut without_margin) = (0, 0, 0, 0, 0);
    let mut space = Workspace::default();
    for k in 0..effort(200, 3_000) {
        let kind = RobotKind { n_bodies: 2 + draw.below(5), link_m: 0.4, n_triangles: 12, mixed: true };
        let robot = models::robot(&mut draw, kind);
        let scene = models::scene(&mut draw, [1, 30][k % 2], 1.5, 0.3);
        let pairs = LinkPairs::all_but_adjacent(&robot);
        let options = Options { backend: Backend::Cpu, threads: 1, ..Options::default() };
        let built = Engine::builder(&robot, &scene).options(options.clone()).link_pairs(pairs.clone()).build();
        let engine = built.unwrap();
        let (q0, q1) = models::motion(&mut draw, &robot, 0.3, 0.1);
        let motion = RobotMotion::new(&robot, &q0, &q1).unwrap();
        for margin_m in [0.0, 1e-3, 0.03, 0.2, 1.0] {
            let Some(known) = lowest(&robot, &scene, &pairs, &motion, margin_m) else { continue };
            space.begin(engine.world());
            let local = RobotMotion::new(&engine.world().robot, &q0, &q1).unwrap();
            let found = first_at_start(&mut space, engine.world(), &local, margin_m);
            assert_eq!(found.map(|pair| key(&engine, &pair)), known, "case {k}, margin {margin_m}");
            match found {
                Some(PairAtStart::Scene(_)) => of_scene += 1,
                Some(PairAtStart::Links(pair)) => {
                    of_links += 1;
                    is_turned += usize::from(pair.pair.piece_link < engine.world().frames[pair.frame as usize].link);
                }
                None => free += 1,
            }
            without_margin += usize::from(margin_m == 0.0 && found.is_some());
            // The engine reports a start within the margin if, and only if, there is such a pair.
            let mut with_margin = options.clone();
            with_margin.solve.margin_m = margin_m;
            let built = Engine::builder(&robot, &scene).options(with_margin).link_pairs(pairs.clone()).build();
            let motions = MotionBatch::from_flat(1, q0.len(), [q0.clone(), q1.clone()].concat()).unwrap();
            let verdicts = built.unwrap().check(&motions).unwrap().verdicts;
            let starts_within = matches!(&verdicts[0], Verdict::Contact(contact) if contact.initial_overlap);
            assert_eq!(starts_within, known.is_some(), "case {k}, margin {margin_m}: {:?}", verdicts[0]);
        }
    }
    println!(
        "{of_scene} starts near the scene, {of_links} of links ({is_turned} with the later one at rest), {free} free, \
         {without_margin} contacts"
    );
    assert!(of_scene > 20 && of_links > 20 && is_turned > 2 && free > 20 && without_margin > 20);
}

#[test]
fn adapters_report_the_same_starts() {
    if skip() {
        return;
    }
    let mut draw = Draw::new(79);
    let mut starts = 0;
    for margin_m in [0.0, 0.03, 0.3] {
        let kind = RobotKind { n_bodies: 5, link_m: 0.4, n_triangles: 12, mixed: true };
        let robot = models::robot(&mut draw, kind);
        let scene = models::scene(&mut draw, 30, 3.0, 0.3);
        let n = 12;
        let rows: Vec<f64> = (0..n)
            .flat_map(|_| {
                let (q0, q1) = models::motion(&mut draw, &robot, 0.3, 0.1);
                [q0, q1].concat()
            })
            .collect();
        let motions = MotionBatch::from_flat(n, robot.columns.len(), rows).unwrap();
        let [on_cpu, on_adapter] = [Backend::Cpu, Backend::Gpu].map(|backend| {
            let mut options = Options { backend, threads: 2, ..Options::default() };
            options.solve.margin_m = margin_m;
            let pairs = LinkPairs::all_but_adjacent(&robot);
            let engine = Engine::builder(&robot, &scene).options(options).link_pairs(pairs).build().unwrap();
            // Also a batch in which all motions start within the margin.
            let all = engine.check(&motions).unwrap().verdicts;
            let is_start = |i: &usize| matches!(&all[*i], Verdict::Contact(contact) if contact.initial_overlap);
            let within: Vec<usize> = (0..n).filter(is_start).collect();
            let rows = within.iter().flat_map(|&i| [motions.start(i), motions.end(i)].concat()).collect();
            let alone = MotionBatch::from_flat(within.len(), robot.columns.len(), rows).unwrap();
            let of_starts = engine.check(&alone).unwrap().verdicts;
            assert!(within.iter().zip(&of_starts).all(|(&i, verdict)| all[i] == *verdict));
            of_starts
        });
        assert_eq!(on_cpu, on_adapter, "margin {margin_m}");
        starts += on_cpu.len();
    }
    assert!(starts > 6, "{starts}");
}
