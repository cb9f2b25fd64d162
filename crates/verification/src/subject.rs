//! Robot, scene, motions and statement in the verifier's own terms.

use firstcontact::robot::{self, JointKind, Robot, Trajectory};
use firstcontact::{LinkPairs, Scene};
use firstcontact_verifier as verifier;
use std::collections::HashMap;

/// The robot; links without triangles are left out.
pub fn robot(robot: &Robot) -> verifier::Robot {
    let body = |body: &robot::Body| verifier::Body {
        parent: body.parent.map(|parent| parent as usize),
        orientation: body.joint.orientation.to_cols_array_2d(),
        origin_m: body.joint.origin_m.to_array(),
        joint: joint(&body.joint.kind),
    };
    let link = |link: &robot::Link| verifier::Link {
        name: link.name.clone(),
        body: link.body as usize,
        triangles: link.triangles.iter().map(|t| t.map(|v| v.to_array())).collect(),
    };
    verifier::Robot {
        n_columns: robot.columns.len(),
        bodies: robot.bodies.iter().map(body).collect(),
        links: robot.links.iter().filter(|of| !of.triangles.is_empty()).map(link).collect(),
    }
}

fn joint(kind: &JointKind) -> verifier::Joint {
    let drive = |of: &robot::Drive| verifier::Drive {
        column: of.column as usize,
        multiplier: of.multiplier,
        offset: of.offset,
    };
    match kind {
        JointKind::Fixed => verifier::Joint::Fixed,
        JointKind::Revolute { axis, drive: of } => {
            verifier::Joint::Revolute { axis: axis.to_array(), drive: drive(of) }
        }
        JointKind::Prismatic { axis, drive: of } => {
            verifier::Joint::Prismatic { axis: axis.to_array(), drive: drive(of) }
        }
        JointKind::Free { first_column } => verifier::Joint::Free { first_column: *first_column as usize },
    }
}

/// The scene.
pub fn scene(scene: &Scene) -> verifier::Scene {
    let object = |(i, object): (usize, &firstcontact::scene::Object)| verifier::Object {
        name: object.name.clone(),
        triangles: scene.triangles_of(i as u32).iter().map(|t| t.map(|v| v.to_array())).collect(),
    };
    verifier::Scene { objects: scene.objects.iter().enumerate().map(object).collect() }
}

/// The statement that a check with these pairs makes.
pub fn statement(
    robot: &Robot,
    (tested, allowed): (&LinkPairs, &[(u32, u32)]),
    margin_m: f64,
    joint_tolerance: &[f64],
) -> verifier::Statement {
    let with_triangles = (0..).zip(robot.links.iter()).filter(|(_, link)| !link.triangles.is_empty());
    let number: HashMap<u32, usize> = with_triangles.map(|(link, _): (u32, _)| link).zip(0..).collect();
    // Links without triangles have no pairs.
    let pairs = tested.tested().iter().filter_map(|[i, j]| Some([*number.get(i)?, *number.get(j)?]));
    let excluded = allowed.iter().filter_map(|(link, object)| Some([*number.get(link)?, *object as usize]));
    verifier::Statement {
        link_pairs: pairs.collect(),
        excluded: excluded.collect(),
        margin_m,
        joint_tolerance: joint_tolerance.to_vec(),
    }
}

/// A motion.
pub fn motion(path: &Trajectory) -> verifier::Motion {
    let segment = |s: usize| verifier::Segment {
        coefficients: (0..path.n_columns()).map(|c| path.coefficients(s, c).to_vec()).collect(),
    };
    verifier::Motion { segments: (0..path.n_segments()).map(segment).collect() }
}
