//! Options of `check` that select forms of the method, for research and for bisecting faults. They do not change the
//! answers.

use clap::{Args, ValueEnum};
use firstcontact::enclosure::pose_bound::PoseEnclosure;
use firstcontact::engine::{Options, PairSearch, Stage, Sweep};
use firstcontact::stage::s6_solve::Method;
use firstcontact::{Error, Result};

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BoundChoice {
    /// Pose, velocity, acceleration and a remainder
    Jet,
    /// Products of interval matrices, as in the paper
    Interval,
    /// Poses and balls of displacements around them; always on the CPU, as with --reference s1_concat
    Toleranced,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SolverChoice {
    /// Pairs of triangles by pose jets and separating axes
    Jet,
    /// All elementary equations by interval matrices, subdivision and Newton's interval step, as in the paper
    Paper,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PairsChoice {
    /// By the links' trees; oriented boxes on the CPU if the earlier stages are left out
    Auto,
    /// Triangles of the scene against the links' trees
    Sat,
    /// Trees of oriented boxes, as in the paper; on the CPU only
    Obb,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SweepChoice {
    /// The fastest form by measurement, or none
    Auto,
    /// None
    Off,
    /// Drawn: three views of each link's swept volume, as depth intervals
    Raster,
    /// Each triangle against the rounded tetrahedron of each sub-interval
    #[value(alias = "grid")]
    Compute,
    /// Drawn as in the paper: tessellated within a tolerance
    Paper,
}

/// Options for research. Declared last in `check`, so that its help ends with them.
#[derive(Debug, Args)]
#[command(next_help_heading = "Research")]
pub struct ResearchArgs {
    /// Stages to run on the CPU while the others run on the adapter
    #[arg(long, value_name = "STEM,…", value_delimiter = ',')]
    reference: Vec<String>,
    /// The form of the motion bounds
    #[arg(long, value_enum, default_value = "jet")]
    bound: BoundChoice,
    /// Form of the test of swept volumes [default: auto]
    #[arg(long, value_enum)]
    sweep: Option<SweepChoice>,
    /// Stages of the paper that run: 1 is the model's tree against the scene's, 2 swept volumes, 3 pairs and contacts.
    /// Without 1, every link is tested against the whole scene; leaving out 2 is like --sweep off. 3 always runs
    #[arg(long, value_name = "1,2,3", value_delimiter = ',')]
    stages: Option<Vec<u8>>,
    /// Method for finding pairs of triangles
    #[arg(long, value_enum, default_value = "auto")]
    pairs: PairsChoice,
    /// With --pairs obb: number of triangles below which a link is searched by its own tree instead
    #[arg(long, value_name = "N", default_value_t = 0)]
    obb_triangles: usize,
    /// Method by which the exact stage solves for contacts
    #[arg(long, value_enum, default_value = "jet")]
    solver: SolverChoice,
}

impl ResearchArgs {
    /// Applies these choices to the engine's options.
    pub fn apply(&self, options: &mut Options) -> Result<()> {
        options.reference = self.reference.iter().map(|stem| Stage::from_stem(stem)).collect::<Result<_>>()?;
        options.bound = match self.bound {
            BoundChoice::Jet => PoseEnclosure::TaylorModel,
            BoundChoice::Interval => PoseEnclosure::IntervalMatrix,
            BoundChoice::Toleranced => PoseEnclosure::DisplacementBall,
        };
        options.cull = self.stages.as_ref().is_none_or(|stages| stages.contains(&1));
        options.sweep = self.sweep()?;
        options.pairs = match self.pairs {
            PairsChoice::Auto => PairSearch::Auto,
            PairsChoice::Sat => PairSearch::BoxTree,
            PairsChoice::Obb => PairSearch::ObbTree { min_triangles: self.obb_triangles },
        };
        options.solve.method = match self.solver {
            SolverChoice::Jet => Method::Jet,
            SolverChoice::Paper => Method::Paper,
        };
        Ok(())
    }

    /// The form of swept-volume culling that results from `--sweep` and `--stages` together.
    fn sweep(&self) -> Result<Sweep> {
        let asked = self.sweep.map(|choice| match choice {
            SweepChoice::Auto => Sweep::Auto,
            SweepChoice::Off => Sweep::Off,
            SweepChoice::Raster => Sweep::Raster,
            SweepChoice::Compute => Sweep::Compute,
            SweepChoice::Paper => Sweep::Paper,
        });
        let Some(stages) = &self.stages else { return Ok(asked.unwrap_or_default()) };
        let remedy = "--stages must contain 3, and may contain 1 and 2";
        if let Some(unknown) = stages.iter().find(|s| !(1..=3).contains(*s)) {
            return Err(Error::usage(format!("there is no stage {unknown}")).remedy(remedy));
        }
        if !stages.contains(&3) {
            return Err(Error::usage("--stages lacks 3, which finds the contacts").remedy(remedy));
        }
        match (stages.contains(&2), asked) {
            (true, None) => Ok(Sweep::Compute),
            (true, Some(Sweep::Off)) => Err(Error::usage("--sweep off leaves out stage 2, which --stages requests")),
            (false, Some(form)) if form != Sweep::Off => {
                Err(Error::usage(format!("--stages leaves out 2, which --sweep {} asks for", form.name())))
            }
            (false, _) => Ok(Sweep::Off),
            (true, Some(form)) => Ok(form),
        }
    }
}
