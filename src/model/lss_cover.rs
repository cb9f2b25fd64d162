//! Several line-swept spheres for one link, where together they are tighter than one.

use super::lss::Lss;
use super::obb::principal_axes;
use crate::model::robot::Triangle;
use glam::DVec3;

/// Line-swept spheres of a link, at most.
pub const MOST_PARTS: usize = 8;
/// Two parts must together have so much less volume than the whole.
const LEAST_GAIN: f64 = 0.12;
/// Where a part may be cut: shares of its triangles that lie before the cut.
const CUTS: [f64; 5] = [0.15, 0.33, 0.5, 0.67, 0.85];
/// Triangles that the place of a cut is chosen by, about.
const SAMPLE: usize = 64;
/// Rounds in which triangles go to the part whose axis is nearer.
const REASSIGNED: usize = 4;

struct Part {
    triangles: Vec<Triangle>,
    lss: Lss,
    /// No cut is known to pay.
    is_final: bool,
}

/// Line-swept spheres such that each triangle certainly lies in one of them: the link's own, or up to [`MOST_PARTS`].
///
/// The part with the largest volume is cut across one of its principal axes or its own axis, into two sets of triangles by their
/// middles; then each triangle goes to the part whose axis is nearer, while that helps. The cut stays if it saves an eighth of the
/// volume; then again.
pub fn cover(triangles: &[Triangle], whole: Lss) -> Vec<Lss> {
    let mut parts = vec![Part { triangles: triangles.to_vec(), lss: whole, is_final: false }];
    while parts.len() < MOST_PARTS {
        let open = parts.iter().enumerate().filter(|(_, part)| !part.is_final && part.triangles.len() > 1);
        let Some(i) = open.max_by(|a, b| a.1.lss.volume().total_cmp(&b.1.lss.volume())).map(|(i, _)| i) else { break };
        let part = &mut parts[i];
        match part.split() {
            Some(split) if volume(&split) <= (1.0 - LEAST_GAIN) * part.lss.volume() => {
                // What is kept is worth a closer look.
                let [a, b] = split.map(|part| Part { lss: Lss::around(part.triangles.iter()), ..part });
                *part = a;
                parts.push(b);
            }
            _ => part.is_final = true,
        }
    }
    parts.into_iter().map(|part| part.lss).collect()
}

impl Part {
    /// The two parts that are smallest, judged by a sample.
    fn split(&self) -> Option<[Self; 2]> {
        let step = self.triangles.len().div_ceil(SAMPLE);
        let sample: Vec<Triangle> = self.triangles.iter().step_by(step).copied().collect();
        let own = (self.lss.b - self.lss.a).try_normalize();
        let principal = principal_axes(&self.triangles).map(|m| [m.x_axis, m.y_axis, m.z_axis]);
        let axes = own.into_iter().chain(principal.into_iter().flatten());
        let mut best: Option<(f64, DVec3, f64)> = None;
        for axis in axes {
            let mut places: Vec<f64> = sample.iter().map(|t| place(t, axis)).collect();
            places.sort_by(f64::total_cmp);
            for share in CUTS {
                let cut = places[((places.len() as f64 * share) as usize).min(places.len() - 1)];
                let (before, after): (Vec<Triangle>, Vec<Triangle>) = sample.iter().partition(|t| place(t, axis) < cut);
                if before.is_empty() || after.is_empty() {
                    continue;
                }
                let parts = [&before, &after].map(|part| Lss::roughly_around(part.iter()));
                let volume = parts[0].volume() + parts[1].volume();
                if best.is_none_or(|(least, ..)| volume < least) {
                    best = Some((volume, axis, cut));
                }
            }
        }
        let (_, axis, cut) = best?;
        let mut split = halves(&self.triangles, |t| place(t, axis) < cut)?;
        for _ in 0..REASSIGNED {
            let [a, b] = [split[0].lss, split[1].lss];
            let off = |lss: &Lss, t: &Triangle| t.iter().fold(0.0, |m: f64, v| m.max(lss.distance(*v)));
            match halves(&self.triangles, |t| off(&a, t) <= off(&b, t)) {
                Some(better) if volume(&better) < volume(&split) => split = better,
                _ => break,
            }
        }
        Some(split)
    }
}

/// The triangles that belong to the first part, and the others, unless one of them has none.
fn halves(triangles: &[Triangle], is_first: impl Fn(&Triangle) -> bool) -> Option<[Part; 2]> {
    let (first, second): (Vec<Triangle>, Vec<Triangle>) = triangles.iter().partition(|t| is_first(t));
    let part =
        |triangles: Vec<Triangle>| Part { lss: Lss::quickly_around(triangles.iter()), triangles, is_final: false };
    (!first.is_empty() && !second.is_empty()).then(|| [part(first), part(second)])
}

fn volume(parts: &[Part; 2]) -> f64 {
    parts[0].lss.volume() + parts[1].lss.volume()
}

/// Three times where a triangle's middle lies along an axis.
fn place(t: &Triangle, axis: DVec3) -> f64 {
    (t[0] + t[1] + t[2]).dot(axis)
}
