//! `firstcontact report`: measurements as one page, with nothing beside it.

mod page;
mod read;
mod views;

use super::dataset::FolderArgs;
use super::{Outcome, outputs, warn};
use crate::cli::bench::run::Run;
use clap::Args;
use firstcontact::{Error, Result, output};
use std::path::PathBuf;
use views::Wanted;

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Runs of measurements: the .json files that `bench` writes
    #[arg(required = true, value_name = "RUN.json")]
    runs: Vec<PathBuf>,
    /// The page (HTML): tables, plots, pictures and a view of motions in three dimensions, all in this one file
    #[arg(long, value_name = "REPORT.html")]
    out: PathBuf,
    /// What the page is called
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Show motion K of a data set, beside those that the runs name; may be repeated
    #[arg(long = "view", value_name = "NAME[/DEG]:K", value_parser = wanted)]
    views: Vec<Wanted>,
    /// Leave out pictures and motions
    #[arg(long, conflicts_with = "views")]
    no_views: bool,
    #[command(flatten)]
    folder: FolderArgs,
    /// Draw pictures with the graphics adapter whose name contains this
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// In the view in three dimensions: triangles of each scene, at most; those of objects nearest to the motions are shown
    #[arg(long, value_name = "N", default_value_t = 40_000)]
    scene_triangles: usize,
}

/// Pages beyond this are a burden for browsers.
const LARGE_BYTES: usize = 16 << 20;

/// Runs the command. What the runs say is not judged: the exit code is that of nothing to judge.
pub fn run(args: &ReportArgs) -> Result<Outcome> {
    if let Some(same) = args.runs.iter().find(|run| output::is_same(run, &args.out)) {
        return Err(Error::usage("--out names a run").in_file(same).remedy("choose another name"));
    }
    let inputs: Vec<_> = args.runs.iter().map(PathBuf::as_path).collect();
    outputs::check(&inputs, &[("--out", &args.out)])?;
    let runs: Vec<Run> = args.runs.iter().map(|path| read::run(path)).collect::<Result<_>>()?;
    let views = if args.no_views { views::Views::default() } else { views::make(args, &runs)? };
    views.notes.iter().for_each(|note| warn(note));
    let html = page::html(&page::title(args.title.as_deref(), &runs), &runs, &views)?;
    if html.len() > LARGE_BYTES {
        let remedy = "--scene-triangles or --no-views make it smaller";
        warn(&format!("the page is large: {:.1} MiB; {remedy}", html.len() as f64 / f64::from(1 << 20)));
    }
    let mut page = outputs::create(&args.out)?;
    page.lines(&html)?;
    page.finish()?;
    let n = views.sets.iter().map(|set| set.motions.len()).sum::<usize>();
    say!("{} runs, {n} motions: {}", runs.len(), args.out.display());
    Ok(Outcome::Free)
}

/// A motion such as `pipes/30:17`.
fn wanted(text: &str) -> std::result::Result<Wanted, String> {
    let (name, number) = text.rsplit_once(':').ok_or("a data set and a motion are wanted, such as pipes/30:17")?;
    let motion = number.parse().map_err(|_| format!("'{number}' is no number of a motion"))?;
    Ok(Wanted { set: name.into(), motion })
}
