//! Motions that start inside closed objects or links: by hand, and random closed meshes against winding numbers.

use crate::effort;
use crate::harness::backends::on;
use crate::harness::gpu::skip;
use crate::harness::models::Draw;
use crate::oracle::mesh::{Triangle, box_of};
use firstcontact::engine::{Engine, Options};
use firstcontact::stage::s6_solve::Mode;
use firstcontact::{
    Backend, ColumnKind, Contact, Drive, InitialContactPolicy, Joint, JointKind, LinkPairs, MotionBatch, Obstacle,
    Report, Robot, Scene, Solids, Untested, Verdict,
};
use glam::{DMat3, DVec3};

/// An axis-parallel cube of this side about a point.
fn cube(side: f64, at: DVec3) -> Vec<Triangle> {
    box_of(DVec3::splat(side)).into_iter().map(|t| t.map(|v| v + at)).collect()
}

fn turned_inside_out(triangles: &[Triangle]) -> Vec<Triangle> {
    triangles.iter().map(|&[a, b, c]| [a, c, b]).collect()
}

/// A link on a slide along x of its own, at a pose in the world.
struct Part {
    triangles: Vec<Triangle>,
    shape_starts: Vec<u32>,
    pose: (DMat3, DVec3),
}

impl Part {
    fn new(triangles: Vec<Triangle>) -> Self {
        Self { triangles, shape_starts: vec![0], pose: (DMat3::IDENTITY, DVec3::ZERO) }
    }
}

fn robot(parts: Vec<Part>, base: DVec3) -> Robot {
    let mut robot = Robot::new("r", "base", DMat3::IDENTITY, base).unwrap();
    for (i, part) in parts.into_iter().enumerate() {
        let name = format!("l{i}");
        let drive = Drive::direct(robot.add_column(&name, ColumnKind::LengthM, None));
        let (orientation, at) = part.pose;
        let kind = JointKind::Prismatic { axis: DVec3::X, drive };
        let joint = Joint { name: name.clone(), orientation, origin_m: at - base, kind };
        let body = robot.add_body(&name, Some(0), joint).unwrap();
        robot.add_link(name, body, part.triangles, part.shape_starts).unwrap();
    }
    robot
}

fn scene(objects: impl IntoIterator<Item = Vec<Triangle>>) -> Scene {
    let mut scene = Scene::new();
    for (i, triangles) in objects.into_iter().enumerate() {
        scene.add_object(format!("o{i}"), triangles).unwrap();
    }
    scene
}

/// Motions by a millimetre.
fn small(robot: &Robot, n: usize) -> MotionBatch {
    let columns = robot.columns.len();
    MotionBatch::between(&vec![vec![0.0; columns]; n], &vec![vec![1e-3; columns]; n]).unwrap()
}

struct Case {
    robot: Robot,
    scene: Scene,
    pairs: LinkPairs,
    allowed: Vec<(u32, u32)>,
    options: Options,
}

impl Case {
    /// One link in a scene.
    fn new(link: Vec<Triangle>, objects: impl IntoIterator<Item = Vec<Triangle>>) -> Self {
        Self::of(vec![Part::new(link)], objects)
    }

    /// Links that are all tested against each other.
    fn of(parts: Vec<Part>, objects: impl IntoIterator<Item = Vec<Triangle>>) -> Self {
        let robot = robot(parts, DVec3::ZERO);
        let pairs = LinkPairs::all(&robot);
        Self { robot, scene: scene(objects), pairs, allowed: Vec::new(), options: on(Backend::Cpu) }
    }

    fn engine(&self) -> Engine {
        let builder = Engine::builder(&self.robot, &self.scene).options(self.options.clone());
        builder.link_pairs(self.pairs.clone()).allow(self.allowed.clone()).build().unwrap()
    }

    fn check(&self, n: usize) -> Report {
        self.engine().check(&small(&self.robot, n)).unwrap()
    }

    /// The pairs that start inside, after checks that the verdict is free without `Solids::Contact`, and with it a
    /// contact exactly if there is such a pair.
    #[track_caller]
    fn inside(&mut self) -> Vec<(u32, Obstacle)> {
        let report = self.check(1);
        assert_eq!(report.verdicts, [Verdict::Free]);
        let pairs: Vec<_> = report.stats.inside.keys().copied().collect();
        assert!(report.stats.inside.values().all(|&n| n == 1));
        assert_eq!(report.stats.start_inside, u64::from(!pairs.is_empty()));
        self.options.solids = Solids::Off;
        let off = self.check(1);
        assert_eq!((off.stats.start_inside, &off.verdicts), (0, &report.verdicts));
        self.options.solids = Solids::Contact;
        let contact = self.check(1);
        self.options.solids = Solids::Report;
        assert_eq!(contact.stats.inside, report.stats.inside);
        let found = match &contact.verdicts[0] {
            Verdict::Contact(Contact { toc: [0.0, 0.0], initial_overlap: true, inside, first: None, .. }) => *inside,
            verdict => {
                assert_eq!(verdict, &Verdict::Free);
                None
            }
        };
        assert_eq!(found.map(|of| (of.link, of.obstacle)), pairs.first().copied());
        assert_eq!(contact.stats.certified, u64::from(!pairs.is_empty()));
        pairs
    }

    #[track_caller]
    fn is_inside(&mut self) -> bool {
        !self.inside().is_empty()
    }
}

const IN_OBJECT: (u32, Obstacle) = (0, Obstacle::Object(0));

#[test]
fn a_cube_in_a_closed_box_is_inside() {
    let place = DVec3::new(0.1, -0.2, 0.3);
    assert_eq!(Case::new(cube(0.1, place), [cube(1.0, DVec3::ZERO)]).inside(), [IN_OBJECT]);
    assert_eq!(Case::new(cube(0.1, place), [turned_inside_out(&cube(1.0, DVec3::ZERO))]).inside(), [IN_OBJECT]);
    assert_eq!(Case::new(turned_inside_out(&cube(0.1, place)), [cube(1.0, DVec3::ZERO)]).inside(), [IN_OBJECT]);
    // The link itself need not be closed.
    assert_eq!(Case::new(cube(0.1, place)[..3].to_vec(), [cube(1.0, DVec3::ZERO)]).inside(), [IN_OBJECT]);
    assert!(!Case::new(cube(0.1, 10.0 * place), [cube(1.0, DVec3::ZERO)]).is_inside());
}

#[test]
fn an_open_box_has_no_inside() {
    for missing in 0..12 {
        let mut open = cube(1.0, DVec3::ZERO);
        open.remove(missing);
        assert!(!Case::new(cube(0.1, DVec3::ZERO), [open]).is_inside());
    }
    let mut turned = cube(1.0, DVec3::ZERO);
    turned[5].swap(0, 1);
    assert!(!Case::new(cube(0.1, DVec3::ZERO), [turned]).is_inside());
}

#[test]
fn an_object_inside_a_link_is_seen() {
    assert_eq!(Case::new(cube(1.0, DVec3::ZERO), [cube(0.1, DVec3::splat(0.2))]).inside(), [IN_OBJECT]);
    // The object may be open, and may have other parts far away.
    let mut parts = cube(0.1, DVec3::X * 5.0);
    parts.extend(&cube(0.1, DVec3::splat(0.2))[..2]);
    assert_eq!(Case::new(cube(1.0, DVec3::ZERO), [parts]).inside(), [IN_OBJECT]);
    assert!(!Case::new(cube(1.0, DVec3::ZERO)[1..].to_vec(), [cube(0.1, DVec3::splat(0.2))]).is_inside());
}

#[test]
fn each_component_counts() {
    let near = cube(0.1, DVec3::new(0.2, 0.1, 0.0));
    let far = cube(0.1, DVec3::X * 3.0);
    for parts in [[near.clone(), far.clone()].concat(), [far.clone(), near].concat()] {
        assert_eq!(Case::new(parts, [cube(1.0, DVec3::ZERO)]).inside(), [IN_OBJECT]);
    }
    // One component is between two shells of an object, the other inside a shell on either side.
    let shells = [cube(1.0, DVec3::X * -2.0), cube(1.0, DVec3::X * 2.0)].concat();
    for x in [-2.0, 2.0] {
        let parts = [cube(0.1, DVec3::ZERO), cube(0.1, DVec3::X * x)].concat();
        assert_eq!(Case::new(parts, [shells.clone()]).inside(), [IN_OBJECT], "{x}");
    }
    assert!(!Case::new(cube(0.1, DVec3::ZERO), [shells]).is_inside());
    // Many components, of which one is inside.
    let mut many: Vec<Triangle> = (0..100).flat_map(|i| cube(0.1, DVec3::new(0.0, 2.0 + f64::from(i), 0.0))).collect();
    assert!(!Case::new(many.clone(), [cube(1.0, DVec3::ZERO)]).is_inside());
    drop(many.splice(600..600, cube(0.1, DVec3::ZERO)));
    assert_eq!(Case::new(many.clone(), [cube(1.0, DVec3::ZERO)]).inside(), [IN_OBJECT]);
    assert_eq!(Case::new(cube(1.0, DVec3::ZERO), [many]).inside(), [IN_OBJECT]);
}

#[test]
fn shells_in_shells_alternate() {
    let small = || cube(0.1, DVec3::new(0.05, 0.1, 0.0));
    let shells = |n: i32| (0..n).flat_map(|k| cube(2.0 + f64::from(k), DVec3::ZERO)).collect::<Vec<_>>();
    for n in 1..6 {
        assert_eq!(Case::new(small(), [shells(n)]).is_inside(), n % 2 == 1, "{n}");
    }
    // A hollow box: an inner shell that looks inward.
    let hollow = [cube(2.0, DVec3::ZERO), turned_inside_out(&cube(1.0, DVec3::ZERO))].concat();
    assert!(!Case::new(small(), [hollow.clone()]).is_inside());
    assert_eq!(Case::new(cube(0.1, DVec3::X * 0.75), [hollow]).inside(), [IN_OBJECT]);
    // As objects of their own, shells are solids of their own.
    let separate = [1.0, 2.0].map(|side| cube(side, DVec3::ZERO));
    assert_eq!(Case::new(small(), separate).inside().len(), 2);
}

/// Rays along z from the vertices of the link meet edges and vertices of the object.
#[test]
fn degenerate_rays_are_decided() {
    // An octahedron and a box about the axis, with vertices and edges above and below the link.
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z];
    let octahedron: Vec<Triangle> = [[x, y, z], [y, -x, z], [-x, -y, z], [-y, x, z]]
        .into_iter()
        .flat_map(|[a, b, c]| [[a, b, c], [b, a, -c]])
        .collect();
    let tetrahedron = |at: DVec3, sign: f64| {
        let [a, b, c, d] = [DVec3::ZERO, x, y, z].map(|v| at + sign * 0.125 * v);
        vec![[a, c, b], [a, b, d], [a, d, c], [b, c, d]]
    };
    let grid = [-1.5, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 1.5];
    let points = grid.iter().flat_map(|&x| grid.iter().flat_map(move |&y| grid.map(|z| DVec3::new(x, y, z))));
    let (mut inside, mut outside) = (0, 0);
    for (point, sign) in points.flat_map(|p| [(p, 1.0), (p, -1.0)]) {
        let case = Case::new(tetrahedron(point, sign), [octahedron.clone()]);
        let report = case.check(1);
        if report.verdicts[0].is_contact() {
            continue;
        }
        let expected = point.abs().element_sum() < 1.0;
        assert_eq!(report.stats.start_inside == 1, expected, "{point}");
        *(if expected { &mut inside } else { &mut outside }) += 1;
    }
    assert!(inside > 30 && outside > 500, "{inside} {outside}");
}

#[test]
fn links_inside_links_are_seen() {
    let parts = || vec![Part::new(cube(1.0, DVec3::ZERO)), Part::new(cube(0.1, DVec3::splat(0.2)))];
    let of_links = (0, Obstacle::Link(1));
    assert_eq!(Case::of(parts(), []).inside(), [of_links]);
    assert_eq!(Case::of(parts().into_iter().rev().collect(), []).inside(), [of_links]);
    let mut disabled = Case::of(parts(), []);
    disabled.scene = scene([cube(0.1, DVec3::X * 9.0)]);
    disabled.pairs.disable([[0, 1]], Untested::Allowed);
    assert!(!disabled.is_inside());
    // One shape of a link is closed, another one is not.
    let mut shapes = cube(1.0, DVec3::X * 5.0)[1..].to_vec();
    shapes.extend(cube(1.0, DVec3::ZERO));
    let mut two = parts();
    two[0] = Part { shape_starts: vec![0, 11], ..Part::new(shapes) };
    assert_eq!(Case::of(two, []).inside(), [of_links]);
}

#[test]
fn allowed_and_ignored_pairs_are_left_out() {
    let mut case = Case::new(cube(0.1, DVec3::ZERO), [cube(1.0, DVec3::ZERO), cube(2.0, DVec3::ZERO)]);
    assert_eq!(case.inside(), [IN_OBJECT, (0, Obstacle::Object(1))]);
    case.allowed = vec![(0, 0)];
    assert_eq!(case.inside(), [(0, Obstacle::Object(1))]);
    // One component touches the box at the start, so the pair is ignored; the other one is inside.
    let parts = [cube(0.1, DVec3::ZERO), cube(0.1, DVec3::X * 0.5)].concat();
    let mut case = Case::new(parts, [cube(1.0, DVec3::ZERO), cube(2.0, DVec3::ZERO)]);
    let touching = case.check(1);
    assert!(matches!(&touching.verdicts[0], Verdict::Contact(c) if c.initial_overlap && c.inside.is_none()));
    assert_eq!(touching.stats.start_inside, 0);
    case.options.solve.initial = InitialContactPolicy::Ignore;
    case.options.solids = Solids::Contact;
    let ignored = case.check(1);
    assert_eq!(ignored.verdicts, [Verdict::Free], "with ignored contacts a start inside is counted only");
    assert_eq!(ignored.stats.inside.keys().collect::<Vec<_>>(), [&(0, Obstacle::Object(1))]);
}

/// The verdict of a motion that leaves the box is a contact with its surface, unless a start inside is one.
#[test]
fn a_motion_that_leaves_a_solid() {
    let mut case = Case::new(cube(0.1, DVec3::ZERO), [cube(1.0, DVec3::ZERO)]);
    let motions = MotionBatch::between(&[[0.0]], &[[2.0]]).unwrap();
    for mode in [Mode::Toc, Mode::Verdict] {
        case.options.solve.mode = mode;
        case.options.solids = Solids::Report;
        let report = case.engine().check(&motions).unwrap();
        assert!(matches!(&report.verdicts[0], Verdict::Contact(c) if c.toc[0] > 0.1 && c.inside.is_none()));
        assert_eq!(report.stats.start_inside, 1);
        case.options.solids = Solids::Contact;
        let report = case.engine().check(&motions).unwrap();
        assert!(matches!(&report.verdicts[0], Verdict::Contact(c) if c.toc == [0.0; 2] && c.inside.is_some()));
    }
}

/// Batches, single motions, several threads and adapters agree.
#[test]
fn all_paths_of_the_engine_see_solids() {
    let mut backends = vec![Backend::Cpu];
    if !skip() {
        backends.push(Backend::Gpu);
    }
    let parts = || vec![Part::new(cube(0.1, DVec3::ZERO)), Part::new(cube(0.01, DVec3::ZERO))];
    for (backend, solids) in backends.iter().flat_map(|&b| [(b, Solids::Report), (b, Solids::Contact)]) {
        for n in [1, 2, 70] {
            let mut case = Case::of(parts(), [cube(1.0, DVec3::ZERO)]);
            case.options = Options { solids, threads: 2, ..on(backend) };
            let report = case.check(n);
            let pairs = [IN_OBJECT, (0, Obstacle::Link(1)), (1, Obstacle::Object(0))].map(|pair| (pair, n as u64));
            assert_eq!(report.stats.inside.into_iter().collect::<Vec<_>>(), pairs, "{backend:?} {n}");
            assert_eq!(report.stats.start_inside, n as u64);
            assert!(report.verdicts.iter().all(|v| v.is_contact() == (solids == Solids::Contact)));
        }
    }
}

/// How often a closed surface winds around a point, from solid angles (van Oosterom and Strackee 1983).
fn winding(p: DVec3, surface: &[Triangle]) -> f64 {
    let angle = |t: &Triangle| {
        let [a, b, c] = t.map(|v| v - p);
        let [la, lb, lc] = [a, b, c].map(DVec3::length);
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * a.dot(b.cross(c)).atan2(below)
    };
    surface.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// A closed surface with random vertices, which may cross itself: a subdivided octahedron.
fn random_surface(draw: &mut Draw) -> Vec<Triangle> {
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z];
    let upper = [[x, y, z], [y, -x, z], [-x, -y, z], [-y, x, z]];
    let mut all: Vec<Triangle> = upper.into_iter().flat_map(|[a, b, c]| [[a, b, c], [b, a, -c]]).collect();
    for _ in 0..draw.below(3) {
        let middle = |a: DVec3, b: DVec3| (a + b) / 2.0;
        let quarters = |&[a, b, c]: &Triangle| {
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        all = all.iter().flat_map(quarters).collect();
    }
    // Displacements by a function of the vertex, so that the surface stays closed.
    let wildness = draw.between(0.0, 1.5);
    let mut moved: Vec<(DVec3, DVec3)> = Vec::new();
    let mut displaced = |v: DVec3| match moved.iter().find(|(from, _)| *from == v) {
        Some((_, to)) => *to,
        None => {
            let to = v.normalize() + draw.vector(wildness);
            moved.push((v, to));
            to
        }
    };
    all.iter().map(|t| t.map(&mut displaced)).collect()
}

fn under(triangles: &[Triangle], (rotation, at): (DMat3, DVec3)) -> Vec<Triangle> {
    triangles.iter().map(|t| t.map(|v| rotation * v + at)).collect()
}

/// A small link against a random closed surface: as an object, as another link, and the other way round.
#[test]
fn random_surfaces_agree_with_winding_numbers() {
    let mut draw = Draw::new(2209);
    let mut seen = [0; 2];
    for i in 0..effort(400, 10_000) {
        // Far from the world's origin, coordinates are local.
        let base = if i % 3 == 0 { DVec3::new(150.25, -70.5, 30.125) } else { DVec3::ZERO };
        let surface = random_surface(&mut draw);
        let speck = vec![[0, 1, 2].map(|_| draw.vector(0.004)), [0, 1, 2].map(|_| draw.vector(0.004))];
        let [pose, of_speck] = [0.3, 1.0].map(|reach| (draw.rotation(), base + draw.vector(reach)));
        let in_world = [under(&surface, pose), under(&speck, of_speck)];
        let inside = in_world[1].iter().any(|t| winding(t[0], &in_world[0]).round() as i64 % 2 != 0);
        let parts = [(surface, pose), (speck, of_speck)];
        let [big, little] = parts.map(|(triangles, pose)| Part { pose, ..Part::new(triangles) });
        let [big_there, little_there] = in_world;
        let (parts, objects) = match i % 4 {
            0 => (vec![little], vec![big_there]),
            1 => (vec![big], vec![little_there]),
            2 => (vec![big, little], vec![]),
            _ => (vec![little, big], vec![]),
        };
        let robot = robot(parts, base);
        let (pairs, options) = (LinkPairs::all(&robot), on(Backend::Cpu));
        let case = Case { robot, scene: scene(objects), pairs, allowed: Vec::new(), options };
        let still = vec![vec![0.0; case.robot.columns.len()]];
        let report = case.engine().check(&MotionBatch::between(&still, &still).unwrap()).unwrap();
        if report.verdicts[0] == Verdict::Free {
            assert_eq!(report.stats.start_inside == 1, inside, "case {i}");
            seen[usize::from(inside)] += 1;
        }
    }
    assert!(seen.iter().all(|&n| n > 50), "{seen:?}");
}
