//! The list: toleranced motions.

use super::{Mutant, m};

const COVER: &str = "src/toleranced/motion.rs";
const BEZIER: &str = "src/toleranced/bezier.rs";
const METRIC: &str = "src/toleranced/metric.rs";
const FAT: &str = "src/toleranced/elementary.rs";
const PLANE: &str = "src/toleranced/plane.rs";
const CHECKER: &str = "src/toleranced/checker/mod.rs";
const TURNS: &str = "toleranced::balls::balls_of_bezier_motions_contain_them";
const CIRCLE: &str = "toleranced::bezier::tests::a_turn_stays_on_its_circle";
const LINKS: &str = "toleranced::balls::balls_of_articulated_motions_contain_them";
const ORBITS: &str = "toleranced::orbits::orbits_stay_in_their_fat_bodies";
const HOLD: &str = "toleranced::certificates::certificates_hold";
const SIDES: &str = "toleranced::plane::tests::a_plane_separates_in_one_direction_only";
const AGREED: &str = "toleranced::agreement::no_certificate_where_a_contact_is_proved";
const TAMPERED: &str = "toleranced::certificates::tampered_certificates_are_refused";

/// Mutants of toleranced motions.
pub const MUTANTS: &[Mutant] = &[
    // Toleranced motions.
    m(
        "largest distance of the control maps",
        COVER,
        "points.iter().map(distance).fold(0.0, f64::max)",
        "points.iter().take(1).map(distance).fold(0.0, f64::max)",
        TURNS,
    ),
    m(
        "weights of the control maps",
        BEZIER,
        "numerator.with(numerator, |x, _| x.quotient(weight))",
        "*numerator",
        CIRCLE,
    ),
    m("acceleration of a body", COVER, "norm(acceleration) * h * h * exact(0.5)", "exact(0.0)", LINKS),
    m("remainder of a body's motion", COVER, "stray(*remainder_m)", "exact(0.0)", AGREED),
    m(
        "distance from the barycentre",
        METRIC,
        "exact(1.0).quotient(self.mass) + d.dot(self.distort(d))",
        "exact(1.0).quotient(self.mass)",
        ORBITS,
    ),
    m(
        "inverse of the inertia",
        METRIC,
        "if planar { inverse_in_plane(&inertia) } else { inverse(&inertia) }",
        "Some(inertia)",
        ORBITS,
    ),
    m(
        "distortion rate in a range's box",
        METRIC,
        "(exact(1.0) + exact(3.0).quotient(g2)) * exact(0.125)",
        "exact(0.125)",
        HOLD,
    ),
    m("foot of a fat edge", FAT, "(y - self.a).dot(self.d) + self.shift", "(y - self.a).dot(self.d)", ORBITS),
    m("patch of a fat edge", FAT, "if positive { Patch::Absent } else { Patch::There }", "Patch::Absent", ORBITS),
    m("patch of a fat face", FAT, "if least.lo > 0.0 { Patch::Absent } else { Patch::There }", "Patch::Absent", ORBITS),
    m(
        "balls at the ends of a fat edge",
        FAT,
        "edge.ends.iter().all(|&k| self.ball_clears_edge(k, fixed, j))",
        "true",
        ORBITS,
    ),
    m("side of a plane", PLANE, "gap.lo > 0.0 && gap2.lo > reach2.hi", "gap2.lo > reach2.hi", SIDES),
    m(
        "ball on record contains the motion",
        CHECKER,
        "!(ball.radius <= radius && radius.is_finite())",
        "false",
        TAMPERED,
    ),
    m("all contacts are on the list", CHECKER, "clear.len() != n + m + n * m", "false", TAMPERED),
    m("plane between two polygons", CHECKER, "beyond(normal, balls, self.claim.fixed.0[j].iter())", "true", TAMPERED),
    m("steps that are left", CHECKER, "walk.at == steps.len()", "true", TAMPERED),
    m(
        "order of the polygons",
        CHECKER,
        "!is_order(&orders.moving, moving.len()) || !is_order(&orders.fixed, fixed.0.len())",
        "false",
        TAMPERED,
    ),
];
