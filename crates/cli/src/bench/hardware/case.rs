//! Robots, scenes and motions on which the adapter is compared with the CPU.

use super::super::draw::Draw;
use super::super::peers::fact::Fact;
use super::super::peers::sets;
use super::super::throughput::Subject;
use super::random;
use crate::dataset::Loaded;
use firstcontact::Result;
use firstcontact::engine::{Backend, Engine, Options};
use firstcontact::robot::{MotionBatch, Robot};
use firstcontact::scene::Scene;
use firstcontact_datasets::DEFAULT_SEED;
use std::path::{Path, PathBuf};

/// The data set whose robot meets random triangles.
const RANDOM_ROBOT: &str = "pipes/30";
/// Number of random triangles, and their distance from the robot's base, metres.
const RANDOM_SCENE: (usize, f64) = (400, 1.2);

/// A source of cases.
#[derive(Clone, Debug)]
pub enum Source {
    /// A data set.
    Set(&'static str),
    /// A folder with known truth, as for `bench peers --pool`.
    Pool(PathBuf),
    /// Random triangles around a robot, from this seed.
    Random(u64),
}

/// Motions of a robot in a scene: known and random ones alternately, so that any number of the first motions is a fair
/// selection.
#[derive(Debug)]
pub struct Case {
    /// The name of the data set.
    pub name: String,
    /// An engine on the CPU, whose trees the compared engines share.
    pub engine: Engine,
    /// The motions.
    pub motions: MotionBatch,
    /// Their names.
    pub labels: Vec<String>,
    /// Statements of other sources about them.
    pub facts: Vec<Option<Claim>>,
}

/// A statement about a motion from another source.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// The statement.
    pub fact: Fact,
    /// Upper bound on the travel of the robot's points, metres.
    pub travel_m: f64,
}

impl Source {
    /// Its name in tables.
    pub fn name(&self) -> String {
        match self {
            Self::Set(name) => (*name).into(),
            Self::Pool(_) => "pool".into(),
            Self::Random(seed) => format!("random triangles {seed}"),
        }
    }

    /// Loads the cases, each with at most `n` known motions and as many random ones.
    ///
    /// # Errors
    /// Files are missing or malformed.
    pub fn load(&self, folder: &Path, n: usize) -> Result<Vec<Case>> {
        match self {
            Self::Set(name) => {
                let Loaded { robot, scene, motions, .. } = Loaded::new(name, folder)?;
                let known = Known::spread(&motions, n);
                Ok(vec![Case::new(self.name(), &robot, scene, &known, n, DEFAULT_SEED)?])
            }
            Self::Random(seed) => {
                let Loaded { robot, motions, .. } = Loaded::new(RANDOM_ROBOT, folder)?;
                let (n_triangles, reach_m) = RANDOM_SCENE;
                let scene = random::scene(n_triangles, reach_m, &mut Draw::new(*seed))?;
                let known = Known::spread(&motions, n);
                Ok(vec![Case::new(self.name(), &robot, scene, &known, n, *seed)?])
            }
            Self::Pool(folder) => {
                let case = |set: sets::Set| {
                    let known = Known::of_pool(&set, n)?;
                    Case::new(format!("pool {}", set.name), &set.robot, set.scene, &known, n, DEFAULT_SEED)
                };
                sets::pool(folder, n)?.1.into_iter().map(case).collect()
            }
        }
    }
}

/// Motions of a set: the first ones of a pool, or evenly spread ones of other sets.
struct Known {
    motions: MotionBatch,
    /// Their numbers in the set.
    numbers: Vec<usize>,
    facts: Vec<Option<Claim>>,
}

impl Known {
    fn spread(motions: &MotionBatch, n: usize) -> Self {
        let n = n.min(motions.len());
        let numbers: Vec<usize> = (0..n).map(|i| i * motions.len() / n).collect();
        Self { motions: motions.pick(&numbers), facts: vec![None; n], numbers }
    }

    fn of_pool(set: &sets::Set, n: usize) -> Result<Self> {
        let some = &set.motions[..n.min(set.motions.len())];
        let motions = set.batch(&(0..some.len()).collect::<Vec<_>>())?;
        let facts = some.iter().map(|m| Some(Claim { fact: m.known, travel_m: m.travel_m })).collect();
        Ok(Self { motions, numbers: some.iter().map(|m| m.number).collect(), facts })
    }
}

impl Case {
    fn new(name: String, robot: &Robot, mut scene: Scene, known: &Known, n: usize, seed: u64) -> Result<Self> {
        let engine = Engine::builder_taking(robot, &mut scene).backend(Backend::Cpu).build()?;
        let random = random::motions(robot, &known.motions, n, &mut Draw::new(seed))?;
        let (mut ends, mut labels, mut facts) = ([Vec::new(), Vec::new()], Vec::new(), Vec::new());
        let mut add = |batch: &MotionBatch, i: usize, label: String, fact| {
            if i < batch.len() {
                ends[0].push(batch.start(i).to_vec());
                ends[1].push(batch.end(i).to_vec());
                labels.push(label);
                facts.push(fact);
            }
        };
        for i in 0..known.numbers.len().max(random.len()) {
            let number = known.numbers.get(i).copied().unwrap_or(0);
            add(&known.motions, i, format!("motion {number}"), known.facts.get(i).copied().flatten());
            add(&random, i, format!("random motion {i}"), None);
        }
        let motions = MotionBatch::between(&ends[0], &ends[1])?;
        Ok(Self { name, engine, motions, labels, facts })
    }

    /// At most `n` motions of a measured data set.
    ///
    /// # Errors
    /// The threads of the engine cannot be started.
    pub fn of_subject(subject: &Subject, n: usize) -> Result<Self> {
        let engine = subject.known.with_options(Options { backend: Backend::Cpu, ..Options::default() })?;
        let Known { motions, numbers, facts } = Known::spread(&subject.motions, n);
        let labels = numbers.iter().map(|number| format!("motion {number}")).collect();
        Ok(Self { name: subject.name.clone(), engine, motions, labels, facts })
    }

    /// A motion as in a JSON file of motions.
    pub fn values(&self, i: usize) -> String {
        format!("[{:?}, {:?}]", self.motions.start(i), self.motions.end(i))
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use firstcontact_datasets::Dataset;

    /// A Puma among random triangles, with `n` motions of a set and `n` random ones.
    pub fn small(n: usize) -> Case {
        let robot = Dataset::generate("pipes", DEFAULT_SEED, 1).unwrap().robot().unwrap();
        let scene = random::scene(16, 1.0, &mut Draw::new(1)).unwrap();
        let starts: Vec<Vec<f64>> = (0..n).map(|i| vec![0.1 * i as f64; 6]).collect();
        let known = Known::spread(&MotionBatch::between(&starts, &starts).unwrap(), n);
        Case::new("some".into(), &robot, scene, &known, n, 7).unwrap()
    }

    #[test]
    fn known_and_random_motions_alternate() {
        let robot = Dataset::generate("pipes", DEFAULT_SEED, 1).unwrap().robot().unwrap();
        let scene = random::scene(20, 1.0, &mut Draw::new(1)).unwrap();
        let rows: Vec<Vec<f64>> = (0..9).map(|i| vec![f64::from(i); 6]).collect();
        let known = Known::spread(&MotionBatch::between(&rows, &rows).unwrap(), 3);
        let case = Case::new("some".into(), &robot, scene, &known, 4, 7).unwrap();
        let labels = ["motion 0", "random motion 0", "motion 3", "random motion 1", "motion 6", "random motion 2"];
        assert_eq!(case.labels, [&labels[..], &["random motion 3"]].concat());
        assert_eq!((case.motions.start(4), case.facts.len()), (&[6.0; 6][..], 7));
        assert!(case.values(4).starts_with("[[6.0, 6.0,"), "{}", case.values(4));
    }
}
