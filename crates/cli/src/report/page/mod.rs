//! The page: one HTML file that makes no network requests; its content security policy also forbids them.

mod distance;
mod plan;
mod results;
mod run;
mod view;

use super::plans::Plan;
use super::results::Results;
use super::views::Views;
use crate::bench::run::Run;
use crate::picture::viewer::{self, figure_id};
use firstcontact::Result;
use maud::{DOCTYPE, Markup, html};

/// The content of a page.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The title.
    pub title: &'a str,
    /// Results of `check`, in the order of the page.
    pub results: &'a [Results],
    /// Runs of measurements, after the results.
    pub runs: &'a [Run],
    /// Plans of the first results, for an audit.
    pub plans: &'a [Plan],
    /// Motions in three dimensions; those of the first results are at the beginning.
    pub views: &'a Views,
}

/// The title of a page that has no other.
pub fn title(asked: Option<&str>, results: &[Results], runs: &[Run]) -> String {
    match (asked, results, runs) {
        (Some(title), ..) => title.into(),
        (None, [results], []) => results.title.clone(),
        (None, [], [run]) => run.title.clone(),
        (None, [], _) => "Measurements of firstcontact".into(),
        (None, ..) => "Results of firstcontact".into(),
    }
}

impl Page<'_> {
    /// The page as HTML.
    ///
    /// # Errors
    /// A plot cannot be drawn.
    pub fn html(&self) -> Result<String> {
        let runs = self.runs.iter().enumerate().map(|(i, run)| run::section(i, run)).collect::<Result<Vec<_>>>()?;
        let plans = (!self.plans.is_empty()).then(|| plan::sections(self.plans, &self.figures(0))).transpose()?;
        let sets = &self.views.sets;
        // Results are about motions, so their view is near the top; measurements are about figures.
        let motions = self.has_motions().then(|| view::section(self.views));
        let (above, below) = if self.results.is_empty() { (None, motions) } else { (motions, None) };
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                (viewer::head(self.title))
                body {
                    header { h1 { (self.title) } }
                    (self.contents())
                    main {
                        @for (i, results) in self.results.iter().enumerate() {
                            (results::summary(i, results, self.needs_headings()))
                        }
                        @if let Some(section) = above { (section) }
                        @if let Some(sections) = plans { (sections) }
                        @for (i, results) in self.results.iter().enumerate() {
                            (results::tables(i, results, &self.figures(i)))
                        }
                        @for section in &runs { (section) }
                        @if let Some(section) = below { (section) }
                    }
                    @if !sets.is_empty() { (viewer::scripts(sets)) }
                }
            }
        };
        Ok(page.into_string())
    }

    fn has_motions(&self) -> bool {
        !self.views.sets.is_empty() || !self.views.notes.is_empty()
    }

    /// Returns whether the title alone does not describe a section.
    fn needs_headings(&self) -> bool {
        self.results.len() + self.runs.len() > 1
    }

    /// The number and the figure of each motion of results `i` in the view.
    fn figures(&self, i: usize) -> Vec<(usize, String)> {
        let sets = self.views.sets.iter().enumerate().filter(|(_, set)| set.of_results == Some(i));
        sets.flat_map(|(s, set)| set.motions.iter().enumerate().map(move |(k, m)| (m.number, figure_id(s, k))))
            .collect()
    }

    fn contents(&self) -> Markup {
        html! {
            nav aria-label="Contents" .short[self.runs.is_empty()] {
                ul {
                    @for (i, results) in self.results.iter().enumerate() {
                        @if self.needs_headings() {
                            li { a href={ "#" (results_id(i)) } { (results.title) } }
                        }
                        @if i == 0 && self.has_motions() { li { a href="#motions" { "Motions in three dimensions" } } }
                        @if i == 0 && !self.plans.is_empty() { li { a href={ "#" (plan::ID) } { "Plans" } } }
                        @for (id, name) in results::contents(i, results) { li { a href={ "#" (id) } { (name) } } }
                    }
                    @for (i, run) in self.runs.iter().enumerate() {
                        li {
                            a href={ "#" (run_id(i)) } { (run.title) }
                            ul {
                                @for (k, table) in run.tables.iter().enumerate() {
                                    li { a href={ "#" (run_id(i)) "-table-" (k) } { (table.title) } }
                                }
                                @for (k, plot) in run.plots.iter().enumerate() {
                                    li { a href={ "#" (run_id(i)) "-plot-" (k) } { (plot.title) } }
                                }
                            }
                        }
                    }
                    @if self.results.is_empty() && self.has_motions() {
                        li { a href="#motions" { "Motions in three dimensions" } }
                    }
                }
            }
        }
    }
}

fn results_id(i: usize) -> String {
    format!("results-{i}")
}

fn run_id(i: usize) -> String {
    format!("run-{i}")
}
