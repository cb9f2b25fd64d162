//! Sizes of robots and scenes, and warnings about units: the engine uses metres, but files often contain millimetres.

use firstcontact::Result;
use firstcontact::robot::{Body, ColumnKind, JointKind, Robot, Triangle};
use firstcontact::scene::Scene;
use glam::{DAffine3, DVec3};
use serde_json::{Value, json};

/// An axis-aligned box in the world, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The lowest corner.
    pub low: DVec3,
    /// The highest corner.
    pub high: DVec3,
}

impl Bounds {
    /// The box around points; `None` without points.
    fn new(points: impl IntoIterator<Item = DVec3>) -> Option<Self> {
        points
            .into_iter()
            .map(|p| Self { low: p, high: p })
            .reduce(|a, b| Self { low: a.low.min(b.low), high: a.high.max(b.high) })
    }

    /// The box of a robot with all joints at 0.
    pub fn of_robot(robot: &Robot) -> Result<Option<Self>> {
        let poses = robot.body_poses(&robot.zero_configuration())?;
        let points = robot.links.iter().flat_map(|link| {
            let pose = poses.get(link.body as usize).copied().unwrap_or(DAffine3::IDENTITY);
            link.triangles.iter().flatten().map(move |&v| pose.transform_point3(v))
        });
        Ok(Self::new(points))
    }

    /// The box of a scene.
    pub fn of_scene(scene: &Scene) -> Option<Self> {
        Self::new(scene.triangles.iter().flatten().copied())
    }

    /// Lengths of the sides, metres.
    pub fn size_m(&self) -> DVec3 {
        self.high - self.low
    }

    /// The box as JSON: corners and sides.
    pub fn to_json(self) -> Value {
        json!({ "low": self.low.to_array(), "high": self.high.to_array(), "size": self.size_m().to_array() })
    }

    /// The box in words: sides and corners.
    pub fn in_words(&self) -> String {
        let three = |v: DVec3, between: &str| v.to_array().map(|x| format!("{x:.3}")).join(between);
        format!("{} m, from ({}) to ({}) m", three(self.size_m(), " × "), three(self.low, ", "), three(self.high, ", "))
    }
}

/// An upper bound on the distance of the robot's points from its root, metres, of several robots the largest: the sum
/// of the joints' offsets along each chain. `None` for a robot without triangles, and for one with a prismatic joint
/// without limits or a free joint.
pub fn reach_m(robot: &Robot) -> Option<f64> {
    let mut of_bodies: Vec<Option<f64>> = Vec::with_capacity(robot.bodies.len());
    let roots = robot.roots();
    for (i, body) in (0..).zip(&robot.bodies) {
        let before = match body.parent {
            // A root is at the pose of --base; distances are measured from it.
            _ if roots.contains(&i) => Some(0.0),
            None => Some(0.0),
            Some(parent) => of_bodies.get(parent as usize).copied().flatten().map(|r| r + body.joint.origin_m.length()),
        };
        of_bodies.push(before.zip(travel_m(robot, body)).map(|(before, travel)| before + travel));
    }
    let of_link = |triangles: &[Triangle]| triangles.iter().flatten().fold(0.0, |r: f64, v| r.max(v.length()));
    let reaches = robot.links.iter().map(|l| Some(of_bodies.get(l.body as usize).copied()?? + of_link(&l.triangles)));
    reaches.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
}

/// The largest displacement of a body by its joint from the position at 0, metres.
fn travel_m(robot: &Robot, body: &Body) -> Option<f64> {
    match body.joint.kind {
        JointKind::Fixed | JointKind::Revolute { .. } => Some(0.0),
        JointKind::Prismatic { drive, .. } => {
            let column = robot.columns.get(drive.column as usize).filter(|c| c.kind == ColumnKind::LengthM)?;
            let ends = column.limits?.map(|q| (drive.multiplier * q + drive.offset).abs());
            Some(ends[0].max(ends[1]))
        }
        JointKind::Free { .. } => None,
    }
}

/// A robot with a longer side causes a warning, metres.
const LARGE_ROBOT_M: f64 = 50.0;
/// A scene with a longer side causes a warning if it is much larger than the robot, metres.
const LARGE_SCENE_M: f64 = 200.0;
/// A robot or scene whose longest side is shorter causes a warning if the other one is much larger, metres.
const SMALL_M: f64 = 0.05;
/// Largest plausible ratio of a robot's size to its scene's.
const ROBOT_BY_SCENE: f64 = 100.0;
/// The same ratio if one of the two has an unusual size.
const ODD_ROBOT_BY_SCENE: f64 = 10.0;
/// Largest plausible ratio of the size of a scene with an unusual size to its robot's.
const SCENE_BY_ROBOT: f64 = 500.0;

/// Warnings about sizes that suggest units other than metres.
pub fn unit_warnings(robot: Option<Bounds>, scene: Option<Bounds>) -> Vec<String> {
    let [r, s] = [robot, scene].map(|b| b.map_or(0.0, |b| b.size_m().max_element()));
    let mut warnings = Vec::new();
    let in_millimetres = "Lengths are in metres: is it in millimetres? Scale a mesh of a URDF by \
                          scale=\"0.001 0.001 0.001\", an instance of scene.json by its matrix";
    if r > LARGE_ROBOT_M {
        warnings.push(format!("the robot is {} m long at its zero pose. {in_millimetres}", short(r)));
    }
    if r == 0.0 || s == 0.0 {
        return warnings;
    }
    if r > ROBOT_BY_SCENE * s || (r > ODD_ROBOT_BY_SCENE * s && (r > LARGE_ROBOT_M || s < SMALL_M)) {
        let times = short(r / s);
        warnings.push(format!(
            "the robot is {times} times larger than the scene, {} m by {} m: are both in metres?",
            short(r),
            short(s)
        ));
    }
    if s > SCENE_BY_ROBOT * r && (s > LARGE_SCENE_M || r < SMALL_M) {
        let (times, in_millimetres) = (short(s / r), if s > LARGE_SCENE_M { in_millimetres } else { "" });
        let sizes = format!("{} m by {} m", short(s), short(r));
        warnings.push(match in_millimetres {
            "" => format!("the scene is {times} times larger than the robot, {sizes}: are both in metres?"),
            _ => format!("the scene is {times} times larger than the robot, {sizes}. {in_millimetres}"),
        });
    }
    warnings
}

/// A positive number with three significant digits, its thousands separated: `1,000`, `17.4`, `0.0123`.
fn short(x: f64) -> String {
    let text = super::progress::digits(x);
    let whole = text.split('.').next().unwrap_or_default().len();
    if whole <= 3 {
        return text;
    }
    let mut out = String::new();
    for (i, digit) in text.chars().enumerate() {
        if i > 0 && i < whole && (whole - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(side_m: f64) -> Option<Bounds> {
        Some(Bounds { low: DVec3::ZERO, high: DVec3::splat(side_m) })
    }

    #[test]
    fn only_unusual_sizes_cause_warnings() {
        for (robot, scene, warnings) in [
            // A robot in a shop, in a hall, above a small part, above a screw.
            (1.0, 17.0, 0),
            (1.0, 140.0, 0),
            (1.0, 0.2, 0),
            (0.1, 50.0, 0),
            (20.0, 300.0, 0),
            // The robot in millimetres: large, also relative to its scene.
            (1000.0, 17.0, 2),
            (1000.0, 1000.0, 1),
            (60.0, 100.0, 1),
            // The scene in millimetres.
            (1.0, 17_000.0, 1),
            (1.0, 800.0, 1),
            // One of them in thousandths.
            (1.0, 0.017, 1),
            (0.001, 17.0, 1),
            (1.0, 0.005, 1),
        ] {
            let found = unit_warnings(cube(robot), cube(scene));
            assert_eq!(found.len(), warnings, "{robot} {scene}: {found:?}");
            assert_eq!(unit_warnings(None, cube(scene)).len(), 0);
            assert_eq!(unit_warnings(cube(robot), None).len(), usize::from(robot > 50.0));
        }
        let found = unit_warnings(cube(200.0), cube(0.2));
        assert!(found[1].starts_with("the robot is 1,000 times larger than the scene, 200 m by 0.200 m"), "{found:?}");
    }

    #[test]
    fn thousands_are_separated() {
        for (x, expected) in [(999.0, "999"), (1000.0, "1,000"), (1234567.0, "1,234,567"), (17.44, "17.4")] {
            assert_eq!(short(x), expected);
        }
    }
}
