//! `firstcontact report`: measurements, or results of `check`, as one self-contained page.

pub mod answer;
pub mod facts;
pub mod findings;
pub mod inputs;
pub mod page;
pub mod plans;
mod read;
pub mod results;
pub mod views;

use super::dataset::FolderArgs;
use super::{Outcome, outputs, warn};
use crate::bench::run::Run;
use crate::picture::viewer::SetView;
use clap::Args;
use firstcontact::{Error, Result};
use inputs::CheckedArgs;
use page::Page;
use read::Source;
use results::Results;
use std::path::{Path, PathBuf};
use views::{Views, Wanted};

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Runs of measurements, which are .json files written by `bench`, or results of `check`
    #[arg(required = true, value_name = "RUN.json|RESULTS.jsonl")]
    runs: Vec<PathBuf>,
    /// The page (HTML): tables, plots, pictures and a view of motions in three dimensions, all in this one file
    #[arg(long, value_name = "REPORT.html")]
    out: PathBuf,
    /// The title of the page
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Show motion K of a data set, in addition to those listed in the runs; may be repeated
    #[arg(long = "view", value_name = "NAME[/DEG]:K", value_parser = wanted)]
    views: Vec<Wanted>,
    /// Leave out pictures and motions
    #[arg(long, conflicts_with = "views")]
    no_views: bool,
    #[command(flatten)]
    folder: FolderArgs,
    /// Draw pictures with the graphics adapter whose name contains this text
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// Maximum number of triangles of each scene in the view in three dimensions; the objects nearest to the motions
    /// are shown
    #[arg(long, value_name = "N", default_value_t = 40_000)]
    scene_triangles: usize,
    #[command(flatten)]
    checked: CheckedArgs,
}

/// Size above which a page is slow in browsers, bytes.
const LARGE_BYTES: usize = 16 << 20;

/// Runs the command. It only reports, so the exit code does not depend on runs and results.
pub fn run(args: &ReportArgs) -> Result<Outcome> {
    let inputs = args.runs.iter().map(PathBuf::as_path).chain(args.checked.files());
    let inputs: Vec<_> = inputs.collect();
    outputs::check(&inputs, &[("--out", &args.out)])?;
    let sources: Vec<Source> = args.runs.iter().map(|path| read::source(path)).collect::<Result<_>>()?;
    let (results, sets) = results(args, &sources)?;
    let runs: Vec<Run> = sources.into_iter().filter_map(Source::run).collect();
    let mut views = if args.no_views { Views::default() } else { views::make(args, &runs)? };
    views.notes.iter().for_each(|note| warn(note));
    views.sets.splice(0..0, sets);
    let title = page::title(args.title.as_deref(), &results, &runs);
    let html = Page { title: &title, results: &results, runs: &runs, plans: &[], views: &views }.html()?;
    if html.len() > LARGE_BYTES {
        let remedy = "--scene-triangles or --no-views make it smaller";
        warn(&format!("the page is large: {:.1} MiB; {remedy}", html.len() as f64 / f64::from(1 << 20)));
    }
    let mut page = outputs::create(&args.out)?;
    page.lines(&html)?;
    page.finish()?;
    let n = views.sets.iter().map(|set| set.motions.len()).sum::<usize>();
    let count = |n: usize, what: &str| if n > 0 { format!("{n} {what}, ") } else { String::new() };
    let (of_runs, of_results) = (count(runs.len(), "runs"), count(results.len(), "results"));
    say!("{of_runs}{of_results}{n} motions: {}", args.out.display());
    Ok(Outcome::Free)
}

/// The results among the sources, and the motions of them to show.
fn results(args: &ReportArgs, sources: &[Source]) -> Result<(Vec<Results>, Vec<SetView>)> {
    let paths: Vec<&Path> = sources.iter().filter_map(Source::results).collect();
    if args.checked.are_given() && paths.len() != 1 {
        let message = format!("robot, scene and motions are for one file of results, but there are {}", paths.len());
        return Err(Error::usage(message).remedy("make a page for each"));
    }
    let (mut all, mut views) = (Vec::new(), Vec::new());
    for path in paths {
        let n = if args.no_views { 0 } else { args.checked.html_motions };
        let (results, sets) = args.checked.results(path, &args.folder, n, args.scene_triangles)?;
        all.push(results);
        views.extend(sets);
    }
    Ok((all, views))
}

/// A motion such as `pipes/30:17`.
fn wanted(text: &str) -> std::result::Result<Wanted, String> {
    let (name, number) = text.rsplit_once(':').ok_or("expected a data set and a motion, such as pipes/30:17")?;
    let motion = number.parse().map_err(|_| format!("'{number}' is not the number of a motion"))?;
    Ok(Wanted { set: name.into(), motion })
}
