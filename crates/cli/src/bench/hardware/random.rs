//! Random motions and scenes, from harmless to extreme, for comparisons.

use super::super::draw::Draw;
use firstcontact::Result;
use firstcontact::robot::{ColumnKind, MotionBatch, Robot};
use firstcontact::scene::Scene;
use glam::DVec3;
use std::f64::consts::PI;

/// Kinds of motions, in turn: of all joints by at most 30°, by up to half a turn, of one joint, by up to three turns,
/// by less than a thousandth of a radian, and none at all.
const KINDS: usize = 6;

/// Random motions from the starts of known ones. The joints of every other motion begin at random angles; free joints
/// do not move.
///
/// # Errors
/// There is no known motion.
pub fn motions(robot: &Robot, known: &MotionBatch, n: usize, draw: &mut Draw) -> Result<MotionBatch> {
    let (mut starts, mut ends) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for i in 0..n.min(known.len().saturating_mul(n)) {
        let mut start = known.start(i % known.len()).to_vec();
        if i % 2 == 1 {
            add(robot, &mut start, |_| PI * draw.signed());
        }
        let mut end = start.clone();
        let chosen = i / KINDS % robot.columns.len().max(1);
        let small = 10f64.powf(-6.0 + 3.0 * draw.signed());
        add(robot, &mut end, |column| {
            let size = match i % KINDS {
                0 => PI / 6.0,
                1 => PI,
                2 if column == chosen => PI,
                3 => 6.0 * PI,
                4 => small,
                _ => 0.0,
            };
            size * draw.signed()
        });
        starts.push(start);
        ends.push(end);
    }
    MotionBatch::between(&starts, &ends)
}

/// Adds a change to the revolute and prismatic joints; a radian corresponds to 10 cm.
fn add(robot: &Robot, values: &mut [f64], mut change: impl FnMut(usize) -> f64) {
    for (k, (value, column)) in values.iter_mut().zip(&robot.columns).enumerate() {
        match column.kind {
            ColumnKind::AngleRad => *value += change(k),
            ColumnKind::LengthM => *value += 0.1 * change(k),
            ColumnKind::Free(_) => {}
        }
    }
}

/// A scene of random triangles within `reach_m` of the origin, with sizes from a millimetre to a metre: some are
/// slivers, some collapse to an edge or a point, some lie in planes of the axes.
///
/// # Errors
/// There are too many triangles for a scene.
pub fn scene(n: usize, reach_m: f64, draw: &mut Draw) -> Result<Scene> {
    let triangle = |i: usize| {
        let size = 10f64.powf(-1.5 + 1.5 * draw.signed());
        let corner = draw.vector(reach_m);
        let [mut a, mut b] = [draw.vector(size), draw.vector(size)];
        match i % 8 {
            0 => b = a * draw.signed() + draw.vector(1e-6 * size),
            1 => b = a * draw.signed(),
            2 if i % 64 == 2 => (a, b) = (DVec3::ZERO, DVec3::ZERO),
            3 => (a.z, b.z) = (0.0, 0.0),
            4 => (a.x, b.x) = (0.0, 0.0),
            _ => {}
        }
        [corner, corner + a, corner + b]
    };
    let mut scene = Scene::new();
    scene.add_object("random", (0..n).map(triangle).collect::<Vec<_>>())?;
    Ok(scene)
}

#[cfg(test)]
mod tests {
    use super::*;
    use firstcontact_datasets::{DEFAULT_SEED, Dataset};

    #[test]
    fn random_motions_are_of_all_kinds_and_reproducible() {
        let robot = Dataset::generate("pipes", DEFAULT_SEED, 1).unwrap().robot().unwrap();
        let known = MotionBatch::between(&[vec![0.1; 6]], &[vec![0.2; 6]]).unwrap();
        let made = |seed| motions(&robot, &known, 60, &mut Draw::new(seed)).unwrap();
        let batch = made(1);
        assert_eq!((batch.len(), batch.n_columns()), (60, robot.columns.len()));
        let turn = |i: usize| batch.start(i).iter().zip(batch.end(i)).map(|(a, b)| (b - a).abs()).fold(0.0, f64::max);
        for i in 0..60 {
            let most = [PI / 6.0, PI, PI, 6.0 * PI, 1e-3, 0.0][i % KINDS];
            assert!(turn(i) <= most + 1e-12, "{i}: {}", turn(i));
        }
        assert!((0..60).any(|i| turn(i) > PI));
        assert_eq!((batch.start(0), batch.start(1) == known.start(0)), (known.start(0), false));
        let same = |other: MotionBatch| (0..60).all(|i| other.end(i) == batch.end(i));
        assert!(same(made(1)) && !same(made(2)));
        assert!(motions(&robot, &known.range(0..0), 5, &mut Draw::new(1)).is_ok_and(|none| none.is_empty()));
    }

    #[test]
    fn random_scenes_have_triangles_without_area() {
        let scene = scene(640, 1.2, &mut Draw::new(3)).unwrap();
        let area = |t: &[DVec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]).length();
        assert_eq!(scene.triangles.len(), 640);
        assert!(scene.triangles.iter().filter(|t| area(t) == 0.0).count() >= 10);
        assert!(scene.triangles.iter().flatten().all(|v| v.abs().max_element() < 2.3));
    }
}
