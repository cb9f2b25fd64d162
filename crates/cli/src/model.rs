//! The robot that a command works on: one, or several as one, with attached objects.

use super::motions::StateSource;
use super::report::facts::{self, Fact, count};
use super::robots::RobotSource;
use super::self_collision::SelfCollisionArgs;
use firstcontact::acm::{Proofs, proof_file};
use firstcontact::io::load::LoadLimits;
use firstcontact::{AttachedObject, LinkPairs, Result, Robot, Srdf};
use std::path::{Path, PathBuf};

/// One or several robots as one.
#[derive(Debug)]
pub struct Model {
    /// The robots as one, with attached objects.
    pub robot: Robot,
    parts: Vec<Part>,
    attached: Vec<AttachedObject>,
}

/// One of the robots.
#[derive(Debug)]
pub struct Part {
    /// Its name; `None` if it is the only one.
    pub name: Option<String>,
    /// The URDF.
    pub urdf: PathBuf,
    /// The robot alone.
    pub robot: Robot,
    /// Its semantic description.
    pub srdf: Option<Srdf>,
    /// The file of that.
    pub srdf_path: Option<PathBuf>,
}

/// Robots whose links are not tested against each other.
#[derive(Clone, Debug)]
pub struct Unchecked {
    /// The names of the robots; none if there is only one, without a name.
    pub robots: Vec<String>,
    /// The reason.
    pub reason: &'static str,
}

impl Part {
    /// Reads the semantic description of a robot, and warns of oddities.
    pub fn new(source: &RobotSource, robot: Robot, limits: &LoadLimits) -> Result<Self> {
        let read = |path: &PathBuf| -> Result<Srdf> {
            let srdf = Srdf::read_with(path, limits)?;
            srdf.check(&robot)?;
            srdf.warnings(&robot).iter().for_each(|w| super::warn(w));
            Ok(srdf)
        };
        let srdf = source.srdf.as_ref().map(read).transpose()?;
        let (name, urdf, srdf_path) = (source.name.clone(), source.urdf.clone(), source.srdf.clone());
        Ok(Self { name, urdf, robot, srdf, srdf_path })
    }

    /// The pairs of links that the SRDF marks as proved, and whether the proofs next to it are valid for this robot, a
    /// margin in metres, and motions whose columns stay in `ranges`.
    ///
    /// # Errors
    /// The file of the proofs is malformed.
    fn proved(&self, margin_m: f64, ranges: &[[f64; 2]]) -> Result<Vec<([u32; 2], bool)>> {
        let Some(srdf) = &self.srdf else { return Ok(Vec::new()) };
        let pairs = srdf.proved_pairs(&self.robot);
        let proofs = if pairs.is_empty() { Proofs::default() } else { srdf.proofs(&self.robot)? };
        Ok(pairs.into_iter().map(|pair| (pair, proofs.covers(pair, margin_m, ranges))).collect())
    }

    fn states(&self) -> Option<StateSource<'_>> {
        Some(StateSource { robot_name: self.name.as_deref(), robot: &self.robot, srdf: self.srdf.as_ref()? })
    }
}

impl Model {
    /// Joins robots, and attaches the objects in a file.
    ///
    /// # Errors
    /// The robots cannot be joined, or an object cannot be attached.
    pub fn new(parts: Vec<Part>, attach: Option<&Path>, limits: &LoadLimits) -> Result<Self> {
        let mut robot = match &parts[..] {
            [Part { name: None, robot, .. }] => robot.clone(),
            parts => Robot::join(parts.iter().map(|p| (p.name.clone().unwrap_or_default(), p.robot.clone())))?,
        };
        let mut attached = Vec::new();
        if let Some(path) = attach {
            attached = AttachedObject::from_file(path, limits)?;
            for object in &attached {
                robot.attach(object).map_err(|e| e.in_file(path))?;
            }
            // Unknown links that objects may touch are found before the rest is read.
            LinkPairs::none().add_attached(&robot, &attached).map_err(|e| e.in_file(path))?;
        }
        Ok(Self { robot, parts, attached })
    }

    /// The pairs of links to test: within each robot according to the options, all pairs of different robots, and those
    /// of attached objects.
    ///
    /// # Errors
    /// An SRDF does not fit its robot, or there are too many links.
    pub fn link_pairs(&self, choice: SelfCollisionArgs) -> Result<LinkPairs> {
        let own = self.parts.iter().map(|part| choice.link_pairs(&part.robot, part.srdf.as_ref()));
        let mut own = own.collect::<Result<Vec<_>>>()?;
        let mut pairs = match &self.parts[..] {
            [Part { name: None, .. }] => own.remove(0),
            _ => LinkPairs::of_robots(&self.robot, &own)?,
        };
        pairs.add_attached(&self.robot, &self.attached)?;
        Ok(pairs)
    }

    /// The tested pairs of links that an SRDF disables because they are proved to stay apart, if the proofs next to it
    /// are valid for that robot, a margin in metres, and motions whose columns stay in `ranges`. The other pairs are
    /// tested, and a warning counts them.
    ///
    /// # Errors
    /// A file of proofs is malformed.
    pub fn pairs_by_proof(&self, tested: &LinkPairs, margin_m: f64, ranges: &[[f64; 2]]) -> Result<Vec<[u32; 2]>> {
        let (mut covered, mut first_link, mut first_column) = (Vec::new(), 0, 0);
        for part in &self.parts {
            let n_columns = part.robot.columns.len();
            let own = &ranges[first_column..first_column + n_columns];
            let mut proved = part.proved(margin_m, own)?;
            proved.iter_mut().for_each(|(pair, _)| *pair = pair.map(|link| link + first_link));
            proved.retain(|(pair, _)| tested.tested().binary_search(pair).is_ok());
            let n_left = proved.iter().filter(|(_, holds)| !holds).count();
            // With an infinite margin, as for distances and solids, no proof is meant to hold.
            if let (1.., Some(path), true) = (n_left, &part.srdf_path, margin_m.is_finite()) {
                super::warn(&format!(
                    "{n_left} of {} pairs of links that the SRDF marks as proved are tested anyway: {} does not cover \
                     this robot, margin and range of motions",
                    proved.len(),
                    proof_file(path).display()
                ));
            }
            covered.extend(proved.into_iter().filter(|(_, holds)| *holds).map(|(pair, _)| pair));
            first_link += part.robot.links.len() as u32;
            first_column += n_columns;
        }
        Ok(covered)
    }

    /// The robots whose links are not tested against each other, if there are any.
    pub fn unchecked(&self, choice: SelfCollisionArgs) -> Option<Unchecked> {
        let unchecked = |part: &Part| Some((part.name.clone(), choice.unchecked(part.srdf.as_ref())?));
        let (names, reasons): (Vec<_>, Vec<_>) = self.parts.iter().filter_map(unchecked).unzip();
        // Robots without self-collision lack it for the same reason.
        Some(Unchecked { robots: names.into_iter().flatten().collect(), reason: reasons.first()? })
    }

    /// The robots' named states.
    pub fn states(&self) -> Vec<StateSource<'_>> {
        self.parts.iter().filter_map(Part::states).collect()
    }

    /// The facts about each robot, and attached objects.
    pub fn facts(&self) -> Vec<Fact> {
        let of_part = |part: &Part| match &part.name {
            None => facts::robot(&part.urdf, &part.robot),
            Some(name) => facts::robot(Path::new(&format!("{name}={}", part.urdf.display())), &part.robot),
        };
        let of_object = |object: &AttachedObject| {
            let triangles = count(object.triangles.len(), "triangle");
            ("attached", format!("{} on {}: {triangles}", object.name, object.link))
        };
        self.parts.iter().map(of_part).chain(self.attached.iter().map(of_object)).collect()
    }
}
