//! Selection of the parts of the scene that are left out so that the subject is visible: whole parts, or, for large
//! surfaces and surroundings of the subject, the side towards the camera.

use super::camera::Camera;
use super::parts::{Parts, Sets};
use super::sight::Sight;
use super::subject::Subject;
use super::viewpoint::{contact_places, samples};
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Number of points of the subject that are tested.
const SAMPLES: usize = 900;
/// A part is cut if it is behind at least this share of the points that it hides.
const BEHIND: f64 = 0.25;
/// A part is also cut if it is a surface larger than this, relative to half the size of the shown region.
const LARGE: f64 = 2.0;
/// The share of the picture that a part in front of the subject may take.
const MAX_FOREGROUND: f64 = 0.06;
/// The share for a part that is very near the camera.
const MAX_VERY_NEAR: f64 = 0.004;
/// Number of places, horizontally and vertically, at which the foreground is probed.
const PROBES: [usize; 2] = [32, 20];
/// Maximum number of small parts that are examined; others are shown.
const MAX_SMALL: usize = 3000;
/// Distance at which parts touch each other, relative to half the size of the shown region.
const TOUCHING: f64 = 0.02;

/// The treatment of a part of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is shown.
    Shown,
    /// It is left out.
    Hidden,
    /// The portion in front of the subject is left out.
    Cut,
}

/// The treatment of all parts of the scene.
#[derive(Debug)]
pub struct Cutaway<'a> {
    parts: Parts<'a>,
    fates: HashMap<usize, Fate>,
    /// The touched part, which is always shown.
    touched: Option<usize>,
}

impl<'a> Cutaway<'a> {
    /// Chooses the treatment of all parts for a view; `whole` contains the objects as parts.
    pub fn new(whole: &Parts<'a>, sight: &Sight, camera: &Camera, subject: &Subject) -> Self {
        let rays = Rays::new(sight, camera, subject);
        // If a touched object surrounds the subject, only its touched piece is kept.
        let touched = subject.touched.map(|i| sight.world.scene.object[i]);
        let surrounds = |object: &u32| whole.contains(*object as usize, camera.focus);
        let mut divided: Vec<u32> = touched.into_iter().filter(surrounds).collect();
        let first = Self::of_parts(whole.divided(&divided), sight, &rays, camera, subject);
        // An object that surrounds the subject may consist of many pieces, some of which can be left out as a whole.
        let n_objects = sight.world.scene.objects.len();
        let cut = first.fates.iter().filter(|(part, fate)| **fate == Fate::Cut && **part < n_objects);
        let cut: Vec<u32> = cut.map(|(part, _)| *part as u32).collect();
        if cut.is_empty() {
            return first;
        }
        divided.extend(cut);
        Self::of_parts(whole.divided(&divided), sight, &rays, camera, subject)
    }

    /// The treatment of a triangle of the scene.
    pub fn fate(&self, triangle: usize) -> Fate {
        self.fates.get(&self.parts.of(triangle)).copied().unwrap_or(Fate::Shown)
    }

    /// Returns whether a triangle of the scene belongs to the touched part.
    pub fn is_touched(&self, triangle: usize) -> bool {
        self.touched == Some(self.parts.of(triangle))
    }

    /// The longest side of the box around the touched part, metres.
    pub fn touched_length_m(&self) -> f64 {
        self.touched.map_or(0.0, |part| self.parts.lengths(part)[0])
    }

    /// Returns whether the touched part surrounds the subject. If it does, its portions in front of the subject must be
    /// left out.
    pub fn is_touched_around(&self, camera: &Camera) -> bool {
        self.touched.is_some_and(|part| self.parts.contains(part, camera.focus))
    }

    fn of_parts(parts: Parts<'a>, sight: &Sight, rays: &Rays, camera: &Camera, subject: &Subject) -> Self {
        let touched = subject.touched.map(|i| parts.of(i));
        let of = |met: &Vec<usize>| {
            let of = met.iter().map(|&i| parts.of(i));
            of.filter(|part| Some(*part) != touched).collect::<BTreeSet<usize>>()
        };
        let before: Vec<BTreeSet<usize>> = rays.before.iter().map(of).collect();
        let mut gone = in_foreground(&parts, rays, camera, subject);
        gone.extend(before.iter().flatten());
        gone.retain(|part| Some(*part) != touched);
        let mut behind: HashMap<usize, usize> = HashMap::new();
        rays.behind.iter().flat_map(of).for_each(|part| *behind.entry(part).or_default() += 1);
        // Parts that support the touched part are not left out as a whole.
        let touched_part: Vec<usize> = touched.into_iter().collect();
        let bears = parts.touching(sight, &touched_part, TOUCHING * camera.extent_m);
        let bears: BTreeSet<usize> = bears.into_values().flatten().collect();
        let is_cut = |part: &usize| {
            let n_before = before.iter().filter(|hiding| hiding.contains(part)).count();
            let n_behind = behind.get(part).copied().unwrap_or(0);
            let surrounds = n_behind > 0 && n_behind as f64 >= BEHIND * n_before as f64;
            surrounds || parts.lengths(*part)[1] > LARGE * camera.extent_m || bears.contains(part)
        };
        let mut fates: HashMap<usize, Fate> =
            gone.iter().map(|part| (*part, if is_cut(part) { Fate::Cut } else { Fate::Hidden })).collect();
        let floating = unsupported(sight, &parts, &fates, camera);
        fates.extend(floating.into_iter().filter(|part| Some(*part) != touched).map(|part| (part, Fate::Hidden)));
        Self { parts, fates, touched }
    }
}

/// Parts in the foreground: entirely in front of the subject, or large in the foreground of the picture.
fn in_foreground(parts: &Parts, rays: &Rays, camera: &Camera, subject: &Subject) -> BTreeSet<usize> {
    let lowest = subject.frame.iter().map(|(p, radius)| p.z - radius).fold(f64::INFINITY, f64::min);
    let (eye, toward) = (camera.eye(), camera.toward());
    let is_before = |&part: &usize| {
        let [lo, hi] = parts.boxes[part];
        let farthest = DVec3::select(toward.cmpgt(DVec3::ZERO), lo, hi);
        // A part below the subject hides nothing.
        (eye - farthest).dot(toward) < camera.nearest_m() && hi.z > lowest
    };
    let mut all: BTreeSet<usize> = (0..parts.boxes.len()).filter(is_before).collect();
    let mut seen: BTreeMap<usize, [usize; 2]> = BTreeMap::new();
    for (places, near) in [(&rays.foreground, 0), (&rays.very_near, 1)] {
        for met in places {
            let met: BTreeSet<usize> = met.iter().map(|&i| parts.of(i)).collect();
            met.into_iter().for_each(|part| seen.entry(part).or_default()[near] += 1);
        }
    }
    let n = (PROBES[0] * PROBES[1]) as f64;
    let is_large = |&(_, [n_before, n_near]): &(usize, [usize; 2])| {
        n_before as f64 > MAX_FOREGROUND * n || n_near as f64 > MAX_VERY_NEAR * n
    };
    all.extend(seen.into_iter().filter(is_large).map(|(part, _)| part));
    all
}

/// Parts that would float in the air: groups of small parts that touch a part that is left out and do not touch a large
/// part that is shown.
fn unsupported(sight: &Sight, parts: &Parts, fates: &HashMap<usize, Fate>, camera: &Camera) -> Vec<usize> {
    let is_hidden = |part: usize| fates.get(&part) == Some(&Fate::Hidden);
    let is_large = |part: usize| parts.lengths(part)[0] > camera.extent_m || fates.contains_key(&part);
    let mut touched: HashMap<usize, BTreeSet<usize>> = HashMap::new();
    let mut open: Vec<usize> = fates.keys().copied().filter(|part| is_hidden(*part)).collect();
    open = parts.near(&open, TOUCHING * camera.extent_m);
    open.retain(|&part| !is_hidden(part) && !is_large(part));
    // The search proceeds outward from the parts that are left out, over parts that touch each other.
    while !open.is_empty() && touched.len() < MAX_SMALL {
        let met = parts.touching(sight, &open, TOUCHING * camera.extent_m);
        let next: BTreeSet<usize> = met.values().flatten().copied().collect();
        touched.extend(met);
        let is_new = |part: &usize| !touched.contains_key(part) && !is_hidden(*part) && !is_large(*part);
        open = next.into_iter().filter(is_new).collect();
    }
    let mut groups = Sets::new(parts.boxes.len());
    for (&part, others) in &touched {
        others.iter().filter(|other| touched.contains_key(other)).for_each(|other| groups.join(part, *other));
    }
    let mut leaning = BTreeSet::new();
    let mut supported = BTreeSet::new();
    for (&part, others) in &touched {
        let group = groups.root(part);
        if others.iter().any(|&other| is_hidden(other)) {
            leaning.insert(group);
        }
        if others.iter().any(|&other| !is_hidden(other) && is_large(other)) {
            supported.insert(group);
        }
    }
    let floats = |part: &usize| leaning.contains(&groups.root(*part)) && !supported.contains(&groups.root(*part));
    touched.keys().copied().filter(floats).collect()
}

/// Triangles that rays from the camera meet: in front of points of the subject, behind them, and in front of
/// everything.
struct Rays {
    before: Vec<Vec<usize>>,
    behind: Vec<Vec<usize>>,
    foreground: Vec<Vec<usize>>,
    very_near: Vec<Vec<usize>>,
}

impl Rays {
    fn new(sight: &Sight, camera: &Camera, subject: &Subject) -> Self {
        let (eye, toward) = (camera.eye(), camera.toward());
        let met = |from: DVec3, to: DVec3, counts: fn(&Sight, usize) -> bool| {
            let mut met = Vec::new();
            sight.each_met(from, to, |_, i| {
                if counts(sight, i) {
                    met.push(i);
                }
            });
            met
        };
        let mut points: Vec<DVec3> = samples(subject, SAMPLES);
        if let Some([at, normal]) = subject.contact {
            points.extend(contact_places(camera, at, normal));
        }
        let lift = 2e-3 * camera.extent_m;
        let before = points.iter().map(|p| met(*p + toward * lift, eye, |_, _| true)).collect();
        let beyond = |p: DVec3| p + (p - eye).normalize_or_zero() * 3.0 * camera.extent_m;
        let behind = points.iter().map(|p| met(*p - toward * lift, beyond(*p), |_, _| true)).collect();
        let [across, down] = PROBES;
        let at = |i: usize, n: usize| (2 * i + 1) as f64 / n as f64 - 1.0;
        let places = || (0..across * down).map(|k| [at(k % across, across), at(k / across, down)]);
        // Floors and table tops are not obstacles.
        let is_upright = |sight: &Sight, i: usize| {
            let [a, b, c] = sight.world.scene.triangles[i];
            (b - a).cross(c - a).normalize_or_zero().z.abs() < 0.7
        };
        let until = |distance_m: f64| {
            let met = |at| met(eye, camera.place(at, distance_m), is_upright);
            places().map(met).collect::<Vec<_>>()
        };
        let foreground = until((camera.nearest_m() - 0.1 * camera.extent_m).max(0.3 * camera.nearest_m()));
        let very_near = until(0.35 * camera.nearest_m());
        Self { before, behind, foreground, very_near }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::View;
    use firstcontact::robot::{Robot, Triangle};
    use firstcontact::scene::Scene;
    use firstcontact::scene::world::CollisionWorld;
    use glam::DMat3;

    fn block(lo: [f64; 3], hi: [f64; 3]) -> Vec<Triangle> {
        let corner = |i: usize| DVec3::from_array([0, 1, 2].map(|k| if i >> k & 1 == 0 { lo[k] } else { hi[k] }));
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let halves = |[a, b, c, d]: [usize; 4]| [[a, b, c], [a, c, d]].map(|t| t.map(corner));
        quads.into_iter().flat_map(halves).collect()
    }

    /// The treatment of each object when a body half a metre long at the origin is seen along -x from slightly above.
    fn fates(objects: &[(&str, Vec<Triangle>)], touched: Option<usize>) -> Vec<(String, Fate)> {
        let mut scene = Scene::new();
        for (name, triangles) in objects {
            scene.add_object(*name, triangles.iter().copied()).unwrap();
        }
        let robot = Robot::new("r", "base", DMat3::IDENTITY, DVec3::ZERO).unwrap();
        let world = CollisionWorld::new(&robot, &scene, &[]).unwrap();
        let body = block([-0.25; 3], [0.25; 3]);
        let points: Vec<DVec3> = body.iter().flatten().copied().collect();
        let of = |object: usize| (0..world.scene.object.len()).find(|&i| world.scene.object[i] == object as u32);
        let subject = Subject {
            frame: points.iter().map(|p| (*p, 0.0)).collect(),
            moving: points.clone(),
            robot: points,
            ghosts: Vec::new(),
            contact: touched.map(|_| [DVec3::new(0.0, 0.0, 0.25), DVec3::NEG_Z]),
            touched: touched.and_then(of),
        };
        let camera = Camera::new(View { azimuth_deg: 0.0, elevation_deg: 10.0 }, &subject, 1.6);
        let sight = Sight::new(&world, &body).unwrap();
        let cutaway = Cutaway::new(&Parts::new(&world), &sight, &camera, &subject);
        let name = |i: usize| world.scene.objects[world.scene.object[i] as usize].name.clone();
        let mut all: Vec<_> = (0..world.scene.triangles.len()).map(|i| (name(i), cutaway.fate(i))).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0).then((a.1 as u8).cmp(&(b.1 as u8))));
        all.dedup();
        all
    }

    fn expect(found: &[(String, Fate)], expected: &[(&str, Fate)]) {
        let found: Vec<(&str, Fate)> = found.iter().map(|(name, fate)| (name.as_str(), *fate)).collect();
        assert_eq!(found, expected);
    }

    /// A shelf in front of the body is left out with everything on it; unrelated parts are shown.
    #[test]
    fn occluding_objects_are_hidden_with_everything_on_them() {
        let objects = [
            ("a shelf", block([0.9, -0.4, -0.5], [1.1, 0.4, 0.4])),
            ("book on it", block([0.95, -0.3, 0.4], [1.05, -0.25, 0.55])),
            ("cup on the book", block([0.98, -0.29, 0.55], [1.02, -0.26, 0.6])),
            ("floor", block([-3.0, -3.0, -0.6], [3.0, 3.0, -0.5])),
            ("stool", block([-0.2, 0.6, -0.5], [0.0, 0.8, 0.0])),
            ("wall behind", block([-2.0, -3.0, -0.5], [-1.9, 3.0, 2.0])),
        ];
        expect(
            &fates(&objects, None),
            &[
                ("a shelf", Fate::Hidden),
                ("book on it", Fate::Hidden),
                ("cup on the book", Fate::Hidden),
                ("floor", Fate::Shown),
                ("stool", Fate::Shown),
                ("wall behind", Fate::Shown),
            ],
        );
    }

    /// A room around the subject, and a wall of the same size, are cut; neither is left out as a whole.
    #[test]
    fn surrounding_objects_are_cut() {
        let room = [("room", block([-1.0, -1.0, -0.6], [1.0, 1.0, 1.0]))];
        expect(&fates(&room, None), &[("room", Fate::Cut)]);
        let wall = [("wall", block([0.9, -9.0, -5.0], [1.0, 9.0, 5.0]))];
        expect(&fates(&wall, None), &[("wall", Fate::Cut)]);
    }

    /// In a single mesh of a room and a screen, the screen is left out and the room is cut.
    #[test]
    fn components_of_a_mesh_are_treated_separately() {
        let mesh = [block([-1.0, -1.0, -0.6], [1.0, 1.0, 1.0]), block([0.7, -0.4, -0.5], [0.8, 0.4, 0.5])].concat();
        expect(&fates(&[("all", mesh)], None), &[("all", Fate::Hidden), ("all", Fate::Cut)]);
    }

    #[test]
    fn touched_objects_and_their_support_stay_visible() {
        let objects = [
            ("box", block([0.3, -0.3, -0.3], [0.5, 0.3, 0.25])),
            ("table", block([0.2, -0.5, -0.6], [0.9, 0.5, -0.3])),
        ];
        let free = fates(&objects, None);
        assert_eq!(free[0].1, Fate::Hidden);
        let touching = fates(&objects, Some(0));
        assert_eq!(touching[0].1, Fate::Shown);
        assert!(touching[1].1 != Fate::Hidden, "{touching:?}");
    }
}
