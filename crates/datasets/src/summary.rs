//! The contents of a data set in numbers.

use super::Dataset;
use super::parts::assembly::Part;
use glam::DVec3;
use serde::Serialize;
use std::fmt;

/// Counts and distributions of a data set.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The data set's name.
    pub name: String,
    /// The seed from which it was generated.
    pub seed: u64,
    /// Size of the scene as a multiple of the default size.
    #[serde(skip_serializing_if = "is_one")]
    pub scale: u64,
    /// Version of the generators; different bytes mean a different version.
    pub generator_version: u32,
    /// The robot.
    pub robot: RobotSummary,
    /// The scene, if the set has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scene: Option<SceneSummary>,
    /// The motion files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub motions: Vec<MotionSummary>,
    /// All files of the set except the one that contains this list, relative to its folder.
    pub files: Vec<String>,
}

/// Counts of a robot.
#[derive(Clone, Debug, Serialize)]
pub struct RobotSummary {
    /// Links with triangles.
    pub links: usize,
    /// Joints that move.
    pub joints: usize,
    /// Triangles of all links.
    pub triangles: usize,
}

/// Counts and distributions of a scene.
#[derive(Clone, Debug, Serialize)]
pub struct SceneSummary {
    /// The scene's name, which is the file name without the extension.
    pub name: String,
    /// Number of objects.
    pub objects: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// The corners of the box around it, metres.
    pub bounds_m: [[f64; 3]; 2],
    /// Objects and triangles by kind, in the order of the file.
    pub kinds: Vec<KindCount>,
    /// Triangles by the length of their longest edge, metres.
    pub longest_edge_m: Histogram,
    /// Triangles by the ratio of the longest edge to the height on it.
    pub aspect_ratio: Histogram,
    /// The part of the scene that the arm can reach.
    pub reach: Reach,
}

/// The objects of one kind.
#[derive(Clone, Debug, Serialize)]
pub struct KindCount {
    /// The first part of the objects' names.
    pub kind: &'static str,
    /// Number of objects.
    pub objects: usize,
    /// Their triangles.
    pub triangles: usize,
}

/// Counts between bounds.
#[derive(Clone, Debug, Serialize)]
pub struct Histogram {
    /// The upper bounds of all bins but the last, exclusive.
    pub bounds: Vec<f64>,
    /// Counts of the bins; there is one bin more than bounds.
    pub counts: Vec<usize>,
}

/// The contents of a ball that contains the moving links in every pose.
#[derive(Clone, Debug, Serialize)]
pub struct Reach {
    /// The ball's centre: the first point of the chain that does not move, metres.
    pub centre_m: [f64; 3],
    /// Its radius, metres.
    pub radius_m: f64,
    /// Triangles with a corner in it.
    pub triangles: usize,
    /// Objects with a corner in it.
    pub objects: usize,
    /// Cells of 0.1 m whose centre is in it.
    pub cells: usize,
    /// Number of cells among `cells` that contain a part of a surface.
    pub cells_with_surface: usize,
}

/// One motion file.
#[derive(Clone, Debug, Serialize)]
pub struct MotionSummary {
    /// The file, relative to the set's folder.
    pub file: String,
    /// The largest angle of a joint, degrees.
    pub theta_max_deg: f64,
    /// Number of motions.
    pub motions: usize,
    /// Random starts that were tried for them.
    pub starts_tried: usize,
}

const EDGE_BOUNDS_M: [f64; 9] = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0];
const ASPECT_BOUNDS: [f64; 9] = [2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0];
const CELL_M: f64 = 0.1;

fn is_one(scale: &u64) -> bool {
    *scale == 1
}

impl Summary {
    /// The summary of the robot; scene, motions and files are added when they are written.
    pub(crate) fn new(set: &Dataset) -> Self {
        let links = &set.arm.links;
        let robot = RobotSummary {
            links: links.len(),
            joints: set.arm.n_columns(),
            triangles: links.iter().map(|l| l.part.mesh.triangles.len()).sum(),
        };
        Self {
            name: set.name.clone(),
            seed: set.seed,
            scale: set.scale,
            generator_version: super::GENERATOR_VERSION,
            robot,
            scene: None,
            motions: Vec::new(),
            files: Vec::new(),
        }
    }
}

/// A summary to which objects are added.
pub(crate) struct Gathering {
    so_far: SceneSummary,
    cells: Cells,
    centre: DVec3,
    low: DVec3,
    high: DVec3,
}

impl SceneSummary {
    /// The empty summary of a scene, with a ball that contains the moving links in every pose.
    pub(crate) fn gather(name: &str, (centre, radius_m): (DVec3, f64)) -> Gathering {
        let reach =
            Reach { centre_m: centre.to_array(), radius_m, triangles: 0, objects: 0, cells: 0, cells_with_surface: 0 };
        let so_far = Self {
            name: name.to_string(),
            objects: 0,
            triangles: 0,
            bounds_m: [[0.0; 3]; 2],
            kinds: Vec::new(),
            longest_edge_m: Histogram::new(&EDGE_BOUNDS_M),
            aspect_ratio: Histogram::new(&ASPECT_BOUNDS),
            reach,
        };
        Gathering { so_far, cells: Cells::new(centre, radius_m), centre, low: DVec3::MAX, high: DVec3::MIN }
    }
}

impl Gathering {
    /// Adds an object.
    pub(crate) fn add(&mut self, part: &Part) {
        let (s, n) = (&mut self.so_far, part.mesh.triangles.len());
        (s.objects, s.triangles) = (s.objects + 1, s.triangles + n);
        match s.kinds.iter_mut().find(|k| k.kind == part.kind) {
            Some(k) => (k.objects, k.triangles) = (k.objects + 1, k.triangles + n),
            None => s.kinds.push(KindCount { kind: part.kind, objects: 1, triangles: n }),
        }
        let (centre, radius_m) = (self.centre, s.reach.radius_m);
        let within = |v: &DVec3| (*v - centre).length() <= radius_m;
        s.reach.objects += usize::from(part.mesh.vertices.iter().any(within));
        for t in part.mesh.soup() {
            let edges = [0, 1, 2].map(|k| (t[(k + 1) % 3] - t[k]).length());
            let longest = edges[0].max(edges[1]).max(edges[2]);
            s.longest_edge_m.count(longest);
            s.aspect_ratio.count(longest * longest / (t[1] - t[0]).cross(t[2] - t[0]).length());
            s.reach.triangles += usize::from(t.iter().any(within));
            self.cells.mark(t);
            for v in t {
                (self.low, self.high) = (self.low.min(v), self.high.max(v));
            }
        }
    }

    /// The summary of all added objects.
    pub(crate) fn finish(mut self) -> SceneSummary {
        self.so_far.bounds_m = [self.low.to_array(), self.high.to_array()];
        (self.so_far.reach.cells, self.so_far.reach.cells_with_surface) = self.cells.counts();
        self.so_far
    }
}

impl Histogram {
    fn new(bounds: &[f64]) -> Self {
        Self { bounds: bounds.to_vec(), counts: vec![0; bounds.len() + 1] }
    }

    fn count(&mut self, x: f64) {
        self.counts[self.bounds.partition_point(|&b| b <= x)] += 1;
    }
}

/// The cells of a cube around the ball of reach.
struct Cells {
    centre: DVec3,
    radius_m: f64,
    side: usize,
    has_surface: Vec<bool>,
}

impl Cells {
    fn new(centre: DVec3, radius_m: f64) -> Self {
        let side = (2.0 * radius_m / CELL_M).ceil().clamp(0.0, 200.0) as usize;
        Self { centre, radius_m, side, has_surface: vec![false; side * side * side] }
    }

    fn low(&self) -> DVec3 {
        self.centre - DVec3::splat(0.5 * CELL_M * self.side as f64)
    }

    /// Marks the cells that contain sample points of the triangle; the samples are half a cell apart.
    fn mark(&mut self, [a, b, c]: [DVec3; 3]) {
        let longest = (b - a).length().max((c - b).length()).max((a - c).length());
        let near = (a + b + c) / 3.0 - self.centre;
        if near.length() > self.radius_m + longest {
            return;
        }
        let n = (longest / (0.5 * CELL_M)).ceil().clamp(1.0, 1000.0) as usize;
        for i in 0..=n {
            for j in 0..=n - i {
                let p = a + (b - a) * (i as f64 / n as f64) + (c - a) * (j as f64 / n as f64);
                let cell = ((p - self.low()) / CELL_M).floor();
                if cell.min_element() >= 0.0 && cell.max_element() < self.side as f64 {
                    let [x, y, z] = cell.to_array().map(|k| k as usize);
                    self.has_surface[(x * self.side + y) * self.side + z] = true;
                }
            }
        }
    }

    /// The number of cells in the ball, and of those that contain a part of a surface.
    fn counts(&self) -> (usize, usize) {
        let (mut all, mut marked) = (0, 0);
        for (i, &has) in self.has_surface.iter().enumerate() {
            let [x, y, z] = [i / self.side / self.side, i / self.side % self.side, i % self.side];
            let middle = DVec3::new(x as f64, y as f64, z as f64) + DVec3::splat(0.5);
            if (self.low() + middle * CELL_M - self.centre).length() <= self.radius_m {
                all += 1;
                marked += usize::from(has);
            }
        }
        (all, marked)
    }
}

impl fmt::Display for Summary {
    /// Formats the summary as Markdown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, seed {}, generator version {}", self.name, self.seed, self.generator_version)?;
        let RobotSummary { links, joints, triangles } = self.robot;
        writeln!(f, "robot: {links} links, {joints} joints, {triangles} triangles")?;
        if let Some(scene) = &self.scene {
            write!(f, "{scene}")?;
        }
        for m in &self.motions {
            let rate = 100.0 * m.motions as f64 / m.starts_tried.max(1) as f64;
            writeln!(f, "{}: {} motions, {rate:.1} % of {} random starts free", m.file, m.motions, m.starts_tried)?;
        }
        Ok(())
    }
}

impl fmt::Display for SceneSummary {
    /// Formats the summary as Markdown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [low, high] = self.bounds_m.map(|v| v.map(|x| format!("{x:.2}")).join(" "));
        writeln!(
            f,
            "scene {}: {} objects, {} triangles, from {low} to {high} m",
            self.name, self.objects, self.triangles
        )?;
        writeln!(f, "\n| kind | objects | triangles |\n|---|--:|--:|")?;
        for k in &self.kinds {
            writeln!(f, "| {} | {} | {} |", k.kind, k.objects, k.triangles)?;
        }
        for (title, histogram) in [("longest edge, m", &self.longest_edge_m), ("aspect ratio", &self.aspect_ratio)] {
            writeln!(f, "\n| {title} | triangles | share |\n|---|--:|--:|")?;
            for (i, n) in histogram.counts.iter().enumerate() {
                let range = match (i.checked_sub(1).and_then(|i| histogram.bounds.get(i)), histogram.bounds.get(i)) {
                    (None, Some(high)) => format!("below {high}"),
                    (Some(low), Some(high)) => format!("{low} to {high}"),
                    (Some(low), None) => format!("{low} and more"),
                    (None, None) => String::from("all"),
                };
                writeln!(f, "| {range} | {n} | {:.1} % |", 100.0 * *n as f64 / self.triangles.max(1) as f64)?;
            }
        }
        let r = &self.reach;
        let share = |n: usize, of: usize| 100.0 * n as f64 / of.max(1) as f64;
        writeln!(
            f,
            "\nwithin {} m of ({}): {} triangles ({:.1} %) of {} objects ({:.1} %); \
             surface in {} of {} cells of {CELL_M} m ({:.1} %)\n",
            r.radius_m,
            r.centre_m.map(|x| x.to_string()).join(", "),
            r.triangles,
            share(r.triangles, self.triangles),
            r.objects,
            share(r.objects, self.objects),
            r.cells_with_surface,
            r.cells,
            share(r.cells_with_surface, r.cells)
        )
    }
}
