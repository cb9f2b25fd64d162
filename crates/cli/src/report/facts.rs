//! The lines of a page about the origin of results.

use crate::bench::machine::Versions;
use crate::bench::markdown::grouped;
use crate::bench::run::this_command_line;
use crate::queries::Queries;
use firstcontact::robot::Robot;
use firstcontact::scene::Scene;
use std::path::Path;
use std::time::SystemTime;

/// Name and value of one fact.
pub type Fact = (&'static str, String);

/// The command line that makes the page.
pub fn command() -> String {
    this_command_line()
}

/// The time at which the page is made, and the version.
pub fn made() -> [Fact; 2] {
    let v = Versions::this();
    let program = match v.commit {
        Some(commit) => format!("firstcontact {}, commit {commit}", v.firstcontact),
        None => format!("firstcontact {}", v.firstcontact),
    };
    [("made", humantime::format_rfc3339_seconds(SystemTime::now()).to_string()), ("by", program)]
}

/// `1 link`, `2 links`.
pub fn count(n: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(n as f64, 0), if n == 1 { "" } else { "s" })
}

/// The robot.
pub fn robot(path: &Path, robot: &Robot) -> Fact {
    let n_triangles = robot.links.iter().map(|l| l.triangles.len()).sum();
    let (links, triangles) = (count(robot.links.len(), "link"), count(n_triangles, "triangle"));
    let columns = count(robot.columns.len(), "column");
    ("robot", format!("{}: {links} with {triangles}, {columns} of motion", path.display()))
}

/// The scene.
pub fn scene(path: &Path, scene: &Scene) -> Fact {
    let n_triangles = scene.objects.iter().map(|o| o.n_triangles as usize).sum();
    let (objects, triangles) = (count(scene.objects.len(), "object"), count(n_triangles, "triangle"));
    ("scene", format!("{}: {objects} with {triangles}", path.display()))
}

/// A file of motions or trajectories.
pub fn motions(path: &Path, queries: &Queries) -> Fact {
    let n = match (queries, queries.len()) {
        (Queries::Motions(_), n) => count(n, "motion"),
        (Queries::Trajectories(_), 1) => "1 trajectory".into(),
        (Queries::Trajectories(_), n) => format!("{} trajectories", grouped(n as f64, 0)),
    };
    (queries.kind(), format!("{}: {n}", path.display()))
}
