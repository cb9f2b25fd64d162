//! The parts of a scene that a picture shows or leaves out: objects, or connected pieces of them.

use super::sight::Sight;
use firstcontact::scene::world::CollisionWorld;
use glam::DVec3;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};

/// Maximum number of triangles of objects that are divided into pieces; more would take too long.
const MAX_DIVIDED: usize = 3_000_000;
/// Number of triangles of a part from whose corners its neighbours are searched.
const PROBED: usize = 24;

/// A box: its lowest and its highest coordinates in the world, metres.
type Box = [DVec3; 2];
/// The empty box.
const EMPTY: Box = [DVec3::INFINITY, DVec3::NEG_INFINITY];

/// The scene as parts: each object is one, unless it is divided into its connected pieces.
#[derive(Debug)]
pub struct Parts<'a> {
    world: &'a CollisionWorld,
    /// The part of each triangle of a divided object.
    pieces: HashMap<usize, usize>,
    /// The box of each part; empty for a divided object.
    pub boxes: Vec<Box>,
}

impl<'a> Parts<'a> {
    /// Each object as a part.
    pub fn new(world: &'a CollisionWorld) -> Self {
        let scene = &world.scene;
        let none = || vec![EMPTY; scene.objects.len()];
        let add = |mut boxes: Vec<Box>, i: usize| {
            if let Some(own) = boxes.get_mut(scene.object[i] as usize) {
                *own = joined(*own, box_of(world, i));
            }
            boxes
        };
        let join = |a: Vec<Box>, b: Vec<Box>| a.into_iter().zip(b).map(|(a, b)| joined(a, b)).collect();
        let boxes = (0..scene.triangles.len()).into_par_iter().with_min_len(1 << 16).fold(none, add).reduce(none, join);
        Self { world, pieces: HashMap::new(), boxes }
    }

    /// The parts with some objects divided into their pieces; unchanged if that is too much work.
    pub fn divided(&self, objects: &[u32]) -> Self {
        let pieces = if objects.is_empty() { HashMap::new() } else { pieces(self.world, objects) };
        let n = pieces.values().fold(self.boxes.len(), |n, part| n.max(part + 1));
        let mut boxes = self.boxes.clone();
        boxes.resize(n, EMPTY);
        if !pieces.is_empty() {
            objects.iter().for_each(|&object| boxes[object as usize] = EMPTY);
        }
        for (&i, &part) in &pieces {
            boxes[part] = joined(boxes[part], box_of(self.world, i));
        }
        Self { world: self.world, pieces, boxes }
    }

    /// The part that a triangle of the scene belongs to.
    pub fn of(&self, triangle: usize) -> usize {
        let object = self.world.scene.object[triangle] as usize;
        if self.pieces.is_empty() { object } else { self.pieces.get(&triangle).copied().unwrap_or(object) }
    }

    /// Side lengths of a part's box, the largest first, metres; zeros if it has no triangles.
    pub fn lengths(&self, part: usize) -> [f64; 3] {
        let mut lengths = self.boxes.get(part).map_or([0.0; 3], |[lo, hi]| (hi - lo).max(DVec3::ZERO).to_array());
        lengths.sort_by(|a, b| b.total_cmp(a));
        lengths
    }

    /// Returns whether a place is in a part's box.
    pub fn contains(&self, part: usize, at: DVec3) -> bool {
        self.boxes.get(part).is_some_and(|[lo, hi]| lo.cmple(at).all() && at.cmple(*hi).all())
    }

    /// Parts whose boxes are at most this far from the box of one of the given parts.
    pub fn near(&self, given: &[usize], within_m: f64) -> Vec<usize> {
        let is_near = |&part: &usize| {
            let [lo, hi] = self.boxes[part];
            let meets = |[other_lo, other_hi]: [DVec3; 2]| {
                (lo - within_m).cmple(other_hi).all() && (other_lo - within_m).cmple(hi).all()
            };
            given.iter().any(|&other| meets(self.boxes[other]))
        };
        (0..self.boxes.len()).filter(is_near).collect()
    }

    /// For each of the given parts, the other parts that it touches: some of its points are within a distance of them,
    /// measured along the axes.
    pub fn touching(&self, sight: &Sight, given: &[usize], within_m: f64) -> HashMap<usize, BTreeSet<usize>> {
        let scene = &self.world.scene;
        let mut is_given = vec![false; self.boxes.len()];
        given.iter().for_each(|&part| is_given[part] = true);
        let of_given: Vec<usize> =
            (0..scene.triangles.len()).into_par_iter().filter(|&i| is_given[self.of(i)]).collect();
        let mut triangles: HashMap<usize, Vec<usize>> = given.iter().map(|part| (*part, Vec::new())).collect();
        for i in of_given {
            triangles.entry(self.of(i)).or_default().push(i);
        }
        let touched = |(part, triangles): (usize, Vec<usize>)| {
            let mut others = BTreeSet::new();
            for &i in triangles.iter().step_by(triangles.len().div_ceil(PROBED).max(1)) {
                for v in scene.triangles[i] {
                    let at = v + self.world.origin_m;
                    for way in [DVec3::X, DVec3::Y, DVec3::Z] {
                        let (from, to) = (at - way * within_m, at + way * within_m);
                        sight.each_met(from, to, |_, j| {
                            others.insert(self.of(j));
                        });
                    }
                }
            }
            others.remove(&part);
            (part, others)
        };
        triangles.into_par_iter().map(touched).collect()
    }
}

fn joined([lo_a, hi_a]: Box, [lo_b, hi_b]: Box) -> Box {
    [lo_a.min(lo_b), hi_a.max(hi_b)]
}

/// The box of a triangle of the scene.
fn box_of(world: &CollisionWorld, triangle: usize) -> Box {
    let [a, b, c] = world.scene.triangles[triangle].map(|v| v + world.origin_m);
    [a.min(b).min(c), a.max(b).max(c)]
}

/// The parts of divided objects: triangles with a common vertex belong to one piece. Pieces are numbered after the
/// objects.
fn pieces(world: &CollisionWorld, objects: &[u32]) -> HashMap<usize, usize> {
    let scene = &world.scene;
    let triangles: Vec<usize> = (0..scene.triangles.len()).filter(|&i| objects.contains(&scene.object[i])).collect();
    if triangles.len() > MAX_DIVIDED {
        return HashMap::new();
    }
    let mut first: HashMap<(u32, [u64; 3]), usize> = HashMap::new();
    let mut sets = Sets::new(triangles.len());
    for (k, &i) in triangles.iter().enumerate() {
        for v in scene.triangles[i] {
            // The addition of zero turns -0 into 0.
            let key = (scene.object[i], (v + 0.0).to_array().map(f64::to_bits));
            sets.join(k, *first.entry(key).or_insert(k));
        }
    }
    let mut numbers = HashMap::new();
    let mut number = |k: usize| {
        let next = scene.objects.len() + numbers.len();
        *numbers.entry(sets.root(k)).or_insert(next)
    };
    triangles.iter().enumerate().map(|(k, &i)| (i, number(k))).collect()
}

/// Disjoint sets of numbers.
#[derive(Debug)]
pub struct Sets(Vec<usize>);

impl Sets {
    /// Makes a set of one number for each number below `n`.
    pub fn new(n: usize) -> Self {
        Self((0..n).collect())
    }

    /// Joins the sets of two numbers.
    pub fn join(&mut self, a: usize, b: usize) {
        let [a, b] = [self.root(a), self.root(b)];
        self.0[a.max(b)] = a.min(b);
    }

    /// The smallest number of a set.
    pub fn root(&mut self, mut k: usize) -> usize {
        while self.0[k] != k {
            self.0[k] = self.0[self.0[k]];
            k = self.0[k];
        }
        k
    }
}
