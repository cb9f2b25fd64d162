//! The design's values for the formulas of this engine, computed to seventeen digits: contractions of a vertex and a
//! face, of two edges and with a margin; and motions whose first contact is known, from tangent to coplanar.
//!
//! Single equations are searched by the simplest possible driver: contract, and bisect if that does not halve the
//! interval.

use super::direct::{Direct, with};
use crate::oracle::chain::{Part, reference};
use crate::random_models::model::{Kind, Model, Motion, Triangle};
use firstcontact::arith::linear::V3;
use firstcontact::predicate::contraction::{Side, Standing, Window, edge_edge, vertex_face};
use firstcontact::robot::{JointMotion, RobotMotion};
use firstcontact::stage::s6_solve::{Method, SolveOptions};
use firstcontact::verdict::{Contact, Verdict};
use glam::{DMat3, DVec3};

const FACE: Triangle = [DVec3::new(1.5, 0.3, 0.75), DVec3::new(2.0, 0.35, 0.8), DVec3::new(1.7, 0.55, 0.95)];
const BAR: [DVec3; 2] = [DVec3::new(1.36, 0.25, 1.27), DVec3::new(1.61, 0.8, 0.77)];
const ROOT: f64 = 0.420_922_870_640_332_86;

/// The chain of four joints used by all the published values, and its point.
fn c4() -> (RobotMotion, DVec3) {
    let (parts, e) = reference();
    let mut motion = RobotMotion::default();
    for (i, Part { a, b, k, c, s, w }) in parts.into_iter().enumerate() {
        let joint = JointMotion { a, b, c: k, origin_m: c, slide_m: s, w_rad: w };
        motion.push((i > 0).then(|| i as u32 - 1), joint);
    }
    (motion, e)
}

/// The times in `[t0, t1]` that remain after a contraction of one equation of the chain's last link.
fn contracted(way: impl Fn(&RobotMotion, f64, f64) -> Window<f64>, t0: f64, t1: f64) -> Option<[f64; 2]> {
    let (motion, _) = c4();
    let (mid, h) = (0.5 * (t0 + t1), 0.5 * (t1 - t0));
    let w = way(&motion, mid, h);
    (w.lo <= w.hi).then(|| [(mid + w.lo).max(t0), (mid + w.hi).min(t1)])
}

fn vertex_on_face(margin_m: f64) -> impl Fn(&RobotMotion, f64, f64) -> Window<f64> {
    move |motion, mid, h| {
        let (_, e) = c4();
        let y = FACE.map(V3::new);
        let point = motion.body_bound(3, mid, h).point(V3::new(e), e.length());
        let x = Side::new(&[point], y[0], h, 0.0, margin_m);
        let y = Standing::new(&y, 0.0, y[0]);
        let mut window = vertex_face(&x, &y, h, 1);
        if margin_m > 0.0 {
            let at = DVec3::from_array(point.c[0].0);
            window.cut(V3::new(at - crate::oracle::triangles::on_triangle(at, &FACE)), &x, &y, 1);
        }
        window
    }
}

fn edge_on_edge(motion: &RobotMotion, mid: f64, h: f64) -> Window<f64> {
    let (_, e) = c4();
    let ends = [e, DVec3::new(-0.25, -0.125, 0.25)];
    let bound = motion.body_bound(3, mid, h);
    let x = ends.map(|e| bound.point(V3::new(e), e.length()));
    let y = BAR.map(V3::new);
    edge_edge(&Side::new(&x, y[0], h, 0.0, 0.0), &Standing::new(&y, 0.0, y[0]), h, 1)
}

/// The published intervals use the exact length of an axis, which the engine overestimates by at most 13 %, and 10⁻¹³ m
/// for all rounding. Each end is the zero of a line shifted by its error: the whole width is error.
#[track_caller]
fn near(found: Option<[f64; 2]>, expected: Option<[f64; 2]>) {
    match (found, expected) {
        (None, None) => {}
        (Some(f), Some(e)) => {
            let holds = f[0] <= e[0] + 1e-12 && f[1] >= e[1] - 1e-12 && f[1] - f[0] <= 1.13 * (e[1] - e[0]) + 1e-11;
            assert!(holds, "{f:?}, not {e:?} or a little wider");
        }
        _ => panic!("{found:?}, not {expected:?}"),
    }
}

#[test]
fn contractions_of_a_vertex_and_a_face() {
    for (t0, t1, expected) in [
        (0.0, 1.0, Some([0.10543095635857791, 0.8068791708306586])),
        (0.25, 0.5, Some([0.3909030447040956, 0.4662000424282073])),
        (0.375, 0.5, Some([0.41052157085581403, 0.42530229019250565])),
        (0.5, 0.75, None),
        (0.0, 0.25, None),
    ] {
        near(contracted(vertex_on_face(0.0), t0, t1), expected);
    }
}

#[test]
fn contractions_of_two_edges() {
    near(contracted(edge_on_edge, 0.5, 0.75), Some([0.5105021345476409, 0.6124887033489778]));
    near(contracted(edge_on_edge, 0.0, 1.0), Some([0.0, 1.0]));
}

#[test]
fn contractions_that_keep_a_distance() {
    near(contracted(vertex_on_face(0.01), 0.375, 0.5), Some([0.3966101466307775, 0.44850479796636045]));
    near(contracted(vertex_on_face(0.01), 0.25, 0.5), Some([0.3873072219962646, 0.49625837105018245]));
}

/// First remaining time of an equation, and the number of evaluations: contracts, and bisects if contraction does not
/// halve.
fn searched(way: impl Fn(&RobotMotion, f64, f64) -> Window<f64>) -> (Option<[f64; 2]>, usize) {
    let (mut stack, mut evaluations) = (vec![[0.0, 1.0]], 0);
    while let Some([t0, t1]) = stack.pop() {
        evaluations += 1;
        let Some([lo, hi]) = contracted(&way, t0, t1) else { continue };
        if hi - lo <= 1e-9 {
            return (Some([lo, hi]), evaluations);
        }
        if hi - lo < 0.5 * (t1 - t0) {
            stack.push([lo, hi]);
        } else {
            stack.extend([[0.5 * (lo + hi), hi], [lo, 0.5 * (lo + hi)]]);
        }
    }
    (None, evaluations)
}

#[test]
fn the_first_root_takes_the_published_number_of_evaluations() {
    let (found, evaluations) = searched(vertex_on_face(0.0));
    let [lo, hi] = found.unwrap();
    assert!(lo <= ROOT && ROOT <= hi, "[{lo}, {hi}]");
    assert!(hi - lo <= 1e-9 && evaluations == 5, "[{lo}, {hi}], {evaluations} evaluations");
    let (found, evaluations) = searched(edge_on_edge);
    let [lo, hi] = found.unwrap();
    assert!(
        lo <= 0.596_263_512_217_447_59 && 0.596_263_512_217_447_59 <= hi,
        "[{lo}, {hi}], {evaluations} evaluations"
    );
    // 0.98365… is a root of the lines beyond the edge's end.
    let beyond = |motion: &RobotMotion, mid: f64, h: f64| edge_on_edge(motion, 0.625 + 0.375 * mid, 0.375 * h);
    let (found, _) = searched(|m, mid, h| {
        let w = beyond(m, mid, h);
        Window { lo: w.lo / 0.375, hi: w.hi / 0.375 }
    });
    assert_eq!(found, None);
}

/// A body that turns about z by `w`, with one triangle, against one triangle.
fn turning(w: f64, x: Triangle, y: Triangle) -> (Model, Motion) {
    let mut model = Model::default();
    model.add(None, DMat3::IDENTITY, DVec3::ZERO, |value| Kind::Turning(DVec3::Z, value));
    model.links.push((0, vec![x]));
    model.objects.push(vec![y]);
    (model, (vec![0.0], vec![w]))
}

/// A body that slides by `s` along z.
fn sliding(s: f64, x: Triangle, y: Triangle) -> (Model, Motion) {
    let mut model = Model::default();
    model.add(None, DMat3::IDENTITY, DVec3::ZERO, |value| Kind::Sliding(DVec3::Z, value));
    model.links.push((0, vec![x]));
    model.objects.push(vec![y]);
    (model, (vec![0.0], vec![s]))
}

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// A vertex as a triangle without area, and as the farthest corner of one whose other corners are nearer to the axis
/// and higher.
fn as_triangles(p: DVec3) -> [Triangle; 2] {
    [[p; 3], [p, 0.5 * p + v(0.0, 0.0, 0.1), 0.4 * p + v(0.0, 0.0, 0.3)]]
}

fn solve((model, motion): &(Model, Motion), method: Method) -> Verdict {
    Direct::new(model, motion).all(&with(method))
}

/// The paper's solver on the same case. Where an equation vanishes for long, as those of triangles without area always
/// do, it ends at its cap, and must not report a longer clear time than the true one.
fn by_the_paper(case: &(Model, Motion), clear_until: f64) -> Option<Verdict> {
    match solve(case, Method::Paper) {
        Verdict::Undecided(u) => {
            assert!(u.clear_until <= clear_until, "{u:?}");
            None
        }
        verdict => Some(verdict),
    }
}

/// Checks a contact: it must not begin after `t`, nor earlier than by `early`, and must not be proved to end before it.
#[track_caller]
fn touches_at(verdict: &Verdict, t: f64, early: f64) -> Contact {
    let Verdict::Contact(c) = verdict else { panic!("{verdict:?} at {t}") };
    assert!(c.toc[0] <= t + 1e-15 && c.toc[0] >= t - early && c.toc[1] >= t - 1e-15, "{c:?} at {t}");
    c.clone()
}

/// A vertex turns about z towards the plane x = 1 - g, which it touches, dips into, or misses.
#[test]
fn grazing() {
    let (cos, sin) = (0.5_f64.cos(), 0.5_f64.sin());
    for p in as_triangles(v(cos, -sin, 0.01)) {
        let at = |g: f64| {
            let x = 1.0 - g;
            turning(1.0, p, [v(x, -0.2, -0.1), v(x, 0.3, -0.1), v(x, 0.0, 0.3)])
        };
        let certified = |g: f64, t: f64, early: f64| {
            let c = touches_at(&solve(&at(g), Method::Jet), t, early);
            (c.is_proved(), c.is_certified())
        };
        for (g, early) in [(1e-4, 1e-9), (1e-6, 1e-9)] {
            assert_eq!(certified(g, 0.5 - (1.0_f64 - g).acos(), early), (true, true), "{g}");
        }
        // acos(1 - g) loses half the digits of a small g.
        assert_eq!(certified(1e-6, 0.498_585_786_319_775_75, 1e-9), (true, true));
        assert!(certified(1e-8, 0.499_858_578_643_762_7, 1e-9).0);
        assert!(certified(1e-10, 0.499_985_857_864_376_15, 3e-9).0);
        assert_eq!(certified(0.0, 0.5, 5e-7), (false, false));
        for g in [-1e-13, -1e-9] {
            assert_eq!(solve(&at(g), Method::Jet), Verdict::Free, "{g}");
            assert!(by_the_paper(&at(g), 1.0).is_none_or(|v| v == Verdict::Free || g > -1e-12), "{g}");
        }
        for (g, t) in [(1e-6, 0.498_585_786_319_775_75), (1e-10, 0.499_985_857_864_376_15), (0.0, 0.5)] {
            by_the_paper(&at(g), t).inspect(|verdict| drop(touches_at(verdict, t, 2e-6)));
        }
    }
}

/// A vertex enters a face within the face's own plane, or moves at a height above it.
#[test]
fn sliding_into_a_coplanar_face() {
    let entry = 0.535_415_526_163_580_09;
    let face = [v(0.95, -0.05, 0.0), v(1.05, 0.05, 0.0), v(0.95, 0.05, 0.0)];
    let needle = [v(0.95, -0.05, 0.0), v(1.05, 0.05, 0.0), v(1.0, 0.0, 0.0)];
    for y in [face, needle] {
        for height in [0.0, 1e-6, 1e-10, 1e-12] {
            for p in as_triangles(v(0.9, -0.5, height)) {
                let case = turning(1.0, p, y);
                if height > 0.0 {
                    assert_eq!(solve(&case, Method::Jet), Verdict::Free, "{height}");
                    continue;
                }
                let c = touches_at(&solve(&case, Method::Jet), entry, 1e-8);
                assert!(!c.is_proved(), "{c:?}");
                let point = v(1.029_150_262_212_918_1, 0.029_150_262_212_918_118, 0.0);
                assert!(DVec3::from_array(c.first.unwrap().point).distance(point) < 1e-7, "{c:?}");
                by_the_paper(&case, entry).inspect(|verdict| drop(touches_at(verdict, entry, 1e-6)));
            }
        }
    }
}

#[test]
fn parallel_edges_touch_at_two_points() {
    let t = 0.507_098_504_392_337_01;
    // An upright edge, the third corner nearer to the axis; against an upright edge whose triangle is farther out.
    let (low, high) = (v(0.9, -0.5, -0.1), v(0.9, -0.5, 0.1));
    let at =
        |x: f64| turning(1.0, [low, high, v(0.4, -0.2, 0.0)], [v(x, 0.0, -0.1), v(x, 0.0, 0.1), v(x + 0.5, 0.2, 0.0)]);
    let (model, motion) = at(1.0295630140987);
    let options = SolveOptions { all_contacts: true, ..SolveOptions::default() };
    let c = touches_at(&Direct::new(&model, &motion).all(&options), t, 2e-5);
    let mut heights: Vec<f64> = c.simultaneous.iter().map(|touch| touch.point[2]).collect();
    heights.sort_by(f64::total_cmp);
    heights.dedup_by(|a, b| (*a - *b).abs() < 1e-8);
    assert!(heights.len() == 2 && (heights[0] + 0.1).abs() < 1e-8 && (heights[1] - 0.1).abs() < 1e-8, "{c:?}");
    by_the_paper(&at(1.0295630140987), t).inspect(|verdict| drop(touches_at(verdict, t, 2e-5)));
    assert_eq!(solve(&at(1.0305630140987), Method::Jet), Verdict::Free);
}

#[test]
fn many_turns_and_a_fall_onto_an_edge() {
    for p in as_triangles(v(0.9, -0.5, 0.1)) {
        let case = turning(15.7, p, [v(1.0, -0.1, 0.0), v(1.0, 0.1, 0.0), v(1.1, 0.0, 0.3)]);
        if p[1] == p[0] {
            assert_eq!(solve(&case, Method::Jet), Verdict::Free);
        }
    }
    let face = [v(0.95, -0.05, 0.0), v(1.05, 0.05, 0.0), v(0.95, 0.05, 0.0)];
    let p = v(0.95, 0.01, 0.5);
    for x in [[p; 3], [p, p + v(0.1, 0.1, 0.5), p + v(-0.1, 0.2, 0.6)]] {
        let case = sliding(-1.0, x, face);
        touches_at(&solve(&case, Method::Jet), 0.5, 1e-8);
        by_the_paper(&case, 0.5).inspect(|verdict| drop(touches_at(verdict, 0.5, 1e-6)));
    }
}

/// A vertex that rests on a face while the link turns about it, and one that rests above it.
#[test]
fn resting() {
    let face = [v(-1.0, -1.0, 0.0), v(1.0, -1.0, 0.0), v(0.0, 1.0, 0.0)];
    for gap in [0.0, 1e-14, 1e-12] {
        let p = v(0.0, 0.0, gap);
        for x in [[p; 3], [p, v(0.3, 0.1, 0.5), v(-0.2, 0.3, 0.4)]] {
            for method in [Method::Jet, Method::Paper] {
                let verdict = solve(&turning(1.0, x, face), method);
                if gap > 0.0 {
                    assert!(matches!(verdict, Verdict::Free), "{gap} {method:?}: {verdict:?}");
                } else {
                    let c = touches_at(&verdict, 0.0, 0.0);
                    assert!(c.initial_overlap && !c.is_proved(), "{c:?}");
                }
            }
        }
    }
}

/// The distance falls to 10 mm, at the border of the face.
#[test]
fn a_distance_is_reached() {
    let (motion, e) = c4();
    let at = |t: f64| {
        let p = motion.body_bound(3, t, 0.0).point(V3::new(e), 1.0).c[0];
        crate::oracle::triangles::on_triangle(DVec3::from_array(p.0), &FACE).distance(DVec3::from_array(p.0))
    };
    let (falls, rises) = (0.399_142_922_407_902_89, 0.444_531_793_049_274_72);
    for t in [falls, rises] {
        assert!((at(t) - 0.01).abs() < 1e-14, "{}", at(t));
    }
    assert!((at(0.394_935_704_034_285_07) - 0.019_903_231_043_892_566).abs() < 1e-14);
    let (found, _) = searched(vertex_on_face(0.01));
    let [lo, hi] = found.unwrap();
    assert!(lo <= falls && falls <= hi && hi - lo <= 1e-9, "[{lo}, {hi}]");
}
