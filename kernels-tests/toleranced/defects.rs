//! Three places in which the literal method of the paper certifies contacts as free, and checks that this does not
//! happen here.

use super::{covering, distance, pose};
use firstcontact::toleranced::elementary::FatEdge;
use firstcontact::toleranced::enclosure::Map;
use firstcontact::toleranced::experiments::octagons;
use firstcontact::toleranced::face::{Face, FatFace, Fixed, inflated};
use firstcontact::toleranced::metric::Metric;
use firstcontact::toleranced::motion::{Motion, Span};
use firstcontact::toleranced::problem::{Limits, Shapes};
use glam::DVec3;

/// The octagons at the shift at which they intersect from some time on.
fn crossing() -> (Shapes, firstcontact::toleranced::bezier::Bezier) {
    let problem = octagons([0.0, 0.0, -0.2], false);
    (problem.shapes().unwrap(), problem.motion.motion().unwrap())
}

fn fat(face: &Face, motion: &dyn Motion, span: Span) -> (Map, f64) {
    let ball = motion.piece(span).and_then(|p| p.ball(&face.frame, &face.metric)).unwrap();
    (ball.centre, ball.radius)
}

/// Returns whether the polygons intersect at some time of a part.
fn touches(shapes: &Shapes, motion: &dyn Motion, span: Span) -> bool {
    (0..16).any(|k| {
        let inner = Span { level: span.level + 4, index: span.index * 16 + k };
        distance(&shapes.moving[0], &pose(motion, inner), &shapes.fixed[0]) == 0.0
    })
}

/// The three tests detect only first contacts: most of the parts that they clear are pierced. With the static test none
/// is.
#[test]
fn three_tests_alone_certify_penetration() {
    let (shapes, motion) = crossing();
    let (face, fixed) = (&shapes.moving[0], &shapes.fixed[0]);
    let (mut open, mut cleared, mut pierced) = (vec![Span::ALL], 0, 0);
    while let Some(span) = open.pop() {
        let (centre, radius) = fat(face, &motion, span);
        let fat = FatFace::new(face, &centre, radius);
        let edges: Vec<_> = (0..8).map(|i| FatEdge::new(&fat, i)).collect();
        let clear = (0..8).all(|i| fat.vertex_clears(i, fixed))
            && edges.iter().all(|e| (0..8).all(|j| fat.edge_patch_clears(e, fixed, j)))
            && (0..8).all(|j| fat.face_patch_clears(fixed, j));
        if clear {
            cleared += 1;
            pierced += usize::from(touches(&shapes, &motion, span));
        } else if radius * face.rho_max >= 0.02 && span.level < 10 {
            open.extend(span.halves());
        }
    }
    println!("the three tests clear {cleared} parts, of which {pierced} are pierced");
    assert!(pierced > cleared / 2 && cleared > 50);

    let mut problem = octagons([0.0, 0.0, -0.2], false);
    problem.limits = Limits { first: false, ..problem.limits };
    let found = covering(&problem, true);
    let possible: Vec<Span> = found.possible.iter().map(|p| p.span).collect();
    println!("with the static test {} parts are possible", possible.len());
    assert!(possible.len() > 100 && possible.iter().any(|s| touches(&shapes, &motion, *s)));
    // Every part that is not possible is clear.
    for index in 0..1024 {
        let span = Span { level: 10, index };
        if !possible.iter().any(|p| p.level <= 10 && index >> (10 - p.level) == p.index) {
            assert!(!touches(&shapes, &motion, span), "{span:?}");
        }
    }
}

/// A fixed edge that is completely inside a fat one has no roots on it.
#[test]
fn an_edge_inside_a_fat_edge_has_no_roots() {
    let square = vec![[-1.0, -1.0], [1.5, -1.0], [1.5, 1.0], [-1.0, 1.0]];
    let metric = Metric::new(&inflated(&square, 1.0)).unwrap();
    let face = Face::new(square, Map::identity(), metric).unwrap();
    let radius = 0.5;
    let fat = FatFace::new(&face, &Map::identity(), radius);
    let fixed = Fixed::new(&[[-0.2, -0.9, 0.1], [0.3, -0.95, -0.1], [0.0, -3.0, 3.0]]).unwrap();
    // By definition: the distance from the edge minus its reach, along the fixed one. The signs never change.
    let (a, b) = (DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.5, -1.0, 0.0));
    let signs: Vec<bool> = (0..=50)
        .map(|k| {
            let y = DVec3::new(-0.2, -0.9, 0.1).lerp(DVec3::new(0.3, -0.95, -0.1), f64::from(k) / 50.0);
            (0..=500).any(|i| {
                let t = f64::from(i) / 500.0;
                // The masses are the corners: 1/4 and twice the squared offset in the lengths of the sides.
                let x = a.lerp(b, t);
                let rho2 = 0.25 + (x.x - 0.25).powi(2) / 6.25 + x.y.powi(2) / 4.0;
                x.distance_squared(y) < radius * radius * rho2
            })
        })
        .collect();
    assert!(signs.iter().all(|s| *s), "no sign changes: no root");
    assert!(
        !fat.edge_clears(&FatEdge::new(&fat, 0), &fixed, 0)
            && !fat.edge_patch_clears(&FatEdge::new(&fat, 0), &fixed, 0)
    );
}

/// Only a contact may be excluded for later parts, not a patch: otherwise pairs of edges that nearly touch are lost.
#[test]
fn a_clear_patch_does_not_clear_later_balls() {
    let (shapes, motion) = crossing();
    let (face, fixed) = (&shapes.moving[0], &shapes.fixed[0]);
    let poses: Vec<Map> = (0..512).map(|index| pose(&motion, Span { level: 9, index })).collect();
    let corner = |map: &Map, i: usize| super::image(map, face.corners[i % 8]);
    let of = |j: usize| DVec3::from_array(fixed.about[j % 8]);
    let mut lost = [0; 2];
    for level in 0..6 {
        for index in 0..1u64 << level {
            let span = Span { level, index };
            let (centre, radius) = fat(face, &motion, span);
            let fat = FatFace::new(face, &centre, radius);
            for i in 0..8 {
                let edge = FatEdge::new(&fat, i);
                for j in 0..8 {
                    let clear = [fat.edge_patch_clears(&edge, fixed, j), fat.edge_clears(&edge, fixed, j)];
                    if clear == [false; 2] {
                        continue;
                    }
                    let n = 512 >> level;
                    let near = poses[index as usize * n..][..n].iter().any(|map| {
                        let [p, q] = [corner(map, i), corner(map, i + 1)];
                        let (x, y) = crate::oracle::triangles::on_segments(p, q, of(j), of(j + 1));
                        let ends = [
                            x.distance(y),
                            p.distance(crate::oracle::triangles::on_segment(p, of(j), of(j + 1))),
                            q.distance(crate::oracle::triangles::on_segment(q, of(j), of(j + 1))),
                        ];
                        ends.iter().any(|d| *d < 0.002)
                    });
                    for k in 0..2 {
                        lost[k] += usize::from(near && clear[k]);
                    }
                }
            }
        }
    }
    println!("{} pairs that nearly touch would be lost by patches alone, {} are", lost[0], lost[1]);
    assert!(lost[0] > 0 && lost[1] == 0);
}
