//! `check --html`: the page of the answers, with the motions in three dimensions.

use super::super::model::Model;
use super::super::queries::Queries;
use super::super::report::answer::Answer;
use super::super::report::facts::{self, Fact, count};
use super::super::report::findings::Findings;
use super::super::report::inputs::n_motions;
use super::super::report::page::Page;
use super::super::report::results::{DEFAULT_MOTIONS, Results, Shown};
use super::super::report::views::Views;
use super::super::tested::{self, TestedPairs};
use super::{CheckArgs, outputs, warn};
use crate::picture::viewer::SetView;
use clap::Args;
use firstcontact::engine::{Engine, Stats};
use firstcontact::io::output::AtomicFile;
use firstcontact::scene::Scene;
use firstcontact::{Error, Result, Solids};
use std::path::{Path, PathBuf};

/// Maximum number of triangles of a scene on the page.
pub const SCENE_TRIANGLES: usize = 120_000;

/// Options of the page.
#[derive(Debug, Args)]
pub struct HtmlArgs {
    /// Also write a page (HTML) for a browser: verdicts, tables of contacts, and a view in three dimensions that plays
    /// motions and marks the first contact. The page is one file and needs no network
    #[arg(long, value_name = "PAGE.html")]
    html: Option<PathBuf>,
    /// With --html: number of motions to show in three dimensions: the earliest and the latest contact of each link and
    /// object, and some free and undecided motions
    #[arg(long, value_name = "N", requires = "html", default_value_t = DEFAULT_MOTIONS, value_parser = n_motions)]
    html_motions: usize,
}

impl HtmlArgs {
    /// The path of the page.
    pub fn file(&self) -> Option<&Path> {
        self.html.as_deref()
    }

    /// Starts the page, so that a file that cannot be written is detected before any work. After `--resume` it begins
    /// with the `n` answers that are in the file `answers`.
    ///
    /// # Errors
    /// The file cannot be created, or the answers cannot be read.
    pub fn begin(&self, answers: Option<&Path>, n: u64) -> Result<Option<Html>> {
        let Some(path) = &self.html else { return Ok(None) };
        let mut findings = Findings::default();
        if let (1.., Some(file)) = (n, answers) {
            findings.add_lines(file, n)?;
        }
        Ok(Some(Html { file: outputs::create(path)?, findings, n_motions: self.html_motions }))
    }
}

/// The page under construction, while answers arrive.
#[derive(Debug)]
pub struct Html {
    file: AtomicFile,
    findings: Findings,
    n_motions: usize,
}

/// The parts of a page that depend on the inputs.
#[derive(Debug)]
pub struct Content<'a> {
    /// The name above the motions.
    pub name: &'a str,
    /// The inputs.
    pub inputs: Vec<Fact>,
    /// The tested conditions, in sentences.
    pub tested: Vec<String>,
    /// Notes about missing parts of the page.
    pub notes: Vec<String>,
    /// The motions in three dimensions.
    pub sets: Vec<SetView>,
    /// The unit of the tolerance: a motion or a segment.
    pub unit: &'a str,
}

/// A finished check of one robot in one scene.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a> {
    /// The arguments.
    pub args: &'a CheckArgs,
    /// The robots.
    pub model: &'a Model,
    /// The scene and the motions.
    pub files: (Option<&'a Path>, &'a Path),
    /// The scene; the engine has its triangles.
    pub scene: &'a Scene,
    /// The motions or trajectories.
    pub queries: &'a Queries<'a>,
    /// The engine.
    pub engine: &'a Engine,
    /// Its statistics.
    pub stats: &'a Stats,
    /// The tested pairs.
    pub tested: &'a TestedPairs,
}

impl Html {
    /// Adds the next line of results.
    ///
    /// # Errors
    /// The line is not an answer.
    pub fn line(&mut self, line: &str) -> Result<()> {
        self.findings.add(line)
    }

    /// Writes the page of one robot in one scene.
    ///
    /// # Errors
    /// A motion cannot be read again, or the file cannot be written.
    pub fn finish(self, checked: &Checked) -> Result<()> {
        let Checked { args, model, files: (scene, motions), engine, .. } = *checked;
        let answers = self.chosen();
        let (mut sets, mut notes) = (Vec::new(), Vec::new());
        if !answers.is_empty() {
            let name = motions.file_stem().unwrap_or_default().to_string_lossy();
            let shown = Shown {
                name: &name,
                engine,
                scene: checked.scene,
                answers: &answers,
                course: &|i, answer| checked.queries.course(i, answer),
                scene_triangles: SCENE_TRIANGLES,
            };
            match shown.view(0) {
                Ok((set, _)) => sets.push(set),
                // The page is useful even without its view.
                Err(e) => notes.push(not_shown(&e)),
            }
        }
        notes.extend(checked.queries.caveat());
        let name = motions.file_name().unwrap_or_default().to_string_lossy();
        let content = Content {
            name: args.files.dataset().unwrap_or(&name),
            inputs: (model.facts().into_iter())
                .chain(scene.map(|scene| facts::scene(scene, checked.scene)))
                .chain([facts::motions(motions, checked.queries)])
                .collect(),
            tested: checked.tested.all_sentences(),
            notes,
            sets,
            unit: if let Queries::Motions(_) = checked.queries { "motion" } else { "segment" },
        };
        self.write(args, engine, checked.stats, content)
    }

    /// The answers to show in three dimensions.
    pub fn chosen(&self) -> Vec<Answer> {
        self.findings.choose(self.n_motions)
    }

    /// Writes the page.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(mut self, args: &CheckArgs, engine: &Engine, stats: &Stats, content: Content) -> Result<()> {
        let place = engine.adapter_names().unwrap_or_else(|| format!("the CPU, {}", count(engine.threads(), "thread")));
        let results = Results {
            title: format!("Collision check: {}", content.name),
            command: facts::command(),
            facts: (content.inputs.into_iter())
                .chain([
                    ("results", args.out.display().to_string()),
                    ("checked on", format!("{place}, {:.3} s", stats.wall_s)),
                ])
                .chain(facts::made())
                .collect(),
            tested: content.tested.into_iter().chain(tested(args, engine, stats, content.unit)).collect(),
            notes: content.notes,
            findings: self.findings,
        };
        let (title, views) = (results.title.clone(), Views { sets: content.sets, notes: Vec::new() });
        let html = Page { title: &title, results: &[results], runs: &[], plans: &[], views: &views }.html()?;
        self.file.lines(&html)?;
        self.file.finish()
    }
}

/// Warns that motions cannot be shown, and gives the sentence for the page.
pub fn not_shown(error: &Error) -> String {
    let note = format!("Motions are not shown in three dimensions: {error}");
    warn(&note);
    note
}

/// The tested conditions, in sentences that are true for any robot and scene.
fn tested(args: &CheckArgs, engine: &Engine, stats: &Stats, unit: &str) -> Vec<String> {
    let mut tested = tested::ignored(stats);
    tested.push(if args.margin > 0.0 {
        format!("A distance of {} m or less is a contact (--margin).", args.margin)
    } else {
        "Surfaces that touch are a contact.".into()
    });
    tested.push(match engine.solids() {
        Solids::Contact => "A start inside a closed object or link is a contact (--solids contact).".into(),
        Solids::Report if stats.start_inside > 0 => {
            let motions = count(stats.start_inside as usize, "motion");
            format!("A link inside a closed object touches nothing. {motions} start inside one, or inside a link.")
        }
        _ => "A link inside a closed object touches nothing.".into(),
    });
    if matches!(args.mode, super::ModeChoice::Verdict) {
        tested.push("Only verdicts were computed: times are wide, contact points left out (--mode verdict).".into());
    } else {
        tested.push(format!("Certified times are exact to {:e} of a {unit} (--tolerance).", args.tolerance));
    }
    tested
}
