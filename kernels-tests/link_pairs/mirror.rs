//! Two arms that are mirror images with mirrored motions: they touch in the mirror plane, when one of them would touch
//! a wall there.

use super::answers::Answer;
use super::case::Case;
use super::mechanism::Mechanism;
use super::solids::{block, moved, spike};
use crate::harness::models::Draw;
use crate::oracle::mesh::Triangle;
use glam::{DAffine3, DVec3};

/// The mirror image of a point in the plane y = 0.
fn image(p: DVec3) -> DVec3 {
    DVec3::new(p.x, -p.y, p.z)
}

/// An arm of two tilted shapes on a link without shape, and its mirror image if there are `two`. The image of a turn
/// about an axis by an angle is the turn by the same angle about the negative image of the axis.
fn arms(two: bool) -> Mechanism {
    let tilt = DAffine3::from_rotation_x(0.4) * DAffine3::from_rotation_z(0.2);
    let shapes = [moved(&block([0.0, -0.05, -0.04], [0.4, 0.05, 0.04]), &tilt), moved(&spike(0.0, 0.5, 0.06), &tilt)];
    let places = [DVec3::new(0.0, 0.3, 0.0), DVec3::new(0.45, 0.02, 0.05)];
    let axes = [DVec3::new(0.0, 0.6, 0.8), DVec3::new(0.48, 0.36, 0.8)];
    let mut arms = Mechanism::default().link("base", vec![]);
    for is_image in [false, true].into_iter().take(1 + usize::from(two)) {
        let side = |p: DVec3| if is_image { image(p) } else { p };
        let name = |part: &str| format!("{part}{}", if is_image { " image" } else { "" });
        let mut above = "base".to_owned();
        for k in 0..2 {
            let (link, joint) = (name(["upper", "lower"][k]), name(["s", "e"][k]));
            let shape: Vec<Triangle> = shapes[k].iter().map(|t| t.map(side)).collect();
            let axis = if is_image { -image(axes[k]) } else { axes[k] };
            arms = arms.link(&link, shape).joint((&joint, "continuous"), (&above, &link), side(places[k]), axis);
            above = link;
        }
    }
    arms
}

#[test]
fn mirror_images_touch_in_the_mirror_plane() {
    let (two, one) = (Case::new(&arms(true)), Case::new(&arms(false)));
    one.desk.put("wall.obj", "o wall\nv -50 0 -40\nv 50 0 -40\nv 1 0 60\nf 1 2 3\n");
    let one = one.with_scene("wall.obj");
    let mut draw = Draw::new(33);
    let rows: Vec<[f64; 4]> = (0..crate::effort(60, 600))
        .map(|_| [draw.between(-0.4, 0.4), draw.between(-0.4, 0.4), draw.between(-1.5, 1.5), draw.between(-1.5, 1.5)])
        .collect();
    let alone: Vec<_> = rows.iter().map(|[a, b, c, d]| (vec![*a, *b], vec![*c, *d])).collect();
    let both: Vec<_> = rows.iter().map(|[a, b, c, d]| (vec![*a, *b, *a, *b], vec![*c, *d, *c, *d])).collect();
    let expected = one.answers(&alone, &["--self-collision", "off"]);
    let found = two.judged(&both, &[]);
    let mut contacts = 0;
    for (i, pair) in expected.iter().zip(&found).enumerate() {
        match pair {
            (Answer::Free, Answer::Free) | (Answer::Undecided { .. }, _) | (_, Answer::Undecided { .. }) => {}
            (Answer::Contact(wall), Answer::Contact(image)) => {
                // Points that meet their own images are a degenerate contact: it may be impossible to prove.
                assert!((wall.toc[0] - image.toc[0]).abs() < 1e-7, "motion {i}: {pair:?}");
                let place = image.place.as_ref().expect("a place");
                assert!(place.point.y.abs() < 1e-7, "motion {i}: {pair:?}");
                if wall.toc[0] > 0.0 {
                    assert_eq!(format!("{} image", place.a.name), place.b.name, "motion {i}: {pair:?}");
                    assert_eq!(wall.place.as_ref().map(|p| &p.a.name), Some(&place.a.name), "motion {i}: {pair:?}");
                }
                contacts += 1;
            }
            _ => panic!("motion {i}: {pair:?}"),
        }
    }
    println!("{contacts} of {} motions touch", rows.len());
    assert!(contacts > rows.len() / 5 && contacts < rows.len() * 9 / 10);
}
