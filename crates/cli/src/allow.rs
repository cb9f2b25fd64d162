//! Pairs of link and object that are never tested.

use firstcontact::error::quoted;
use firstcontact::io::load::{read_text, without_comment};
use firstcontact::robot::Robot;
use firstcontact::scene::Scene;
use firstcontact::{Error, Result};
use std::path::Path;

/// Reads lines `link object`, either of which may be `*`; empty lines and text after a `#` are ignored. An object's
/// name may contain spaces, and a `#` that does not follow a space.
pub fn read(path: &Path, robot: &Robot, scene: &Scene) -> Result<Vec<(u32, u32)>> {
    let text = read_text(path)?;
    let mut pairs = Vec::new();
    for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = without_comment(line).trim();
        let at = |e: Error| e.at(format!("line {}", i + 1)).in_file(path);
        if line.is_empty() {
            continue;
        }
        let Some((link, object)) = line.split_once(char::is_whitespace) else {
            return Err(at(Error::input("a line is 'link object', either may be '*'")));
        };
        let object = object.trim_start();
        let links = named(link, robot.links.iter().map(|l| l.name.as_str()));
        let objects = named(object, scene.objects.iter().map(|o| o.name.as_str()));
        if links.is_empty() {
            let remedy = "firstcontact info --robot R lists the links that have triangles";
            return Err(at(Error::input(format!("no link with triangles is called {}", quoted(link))).remedy(remedy)));
        }
        if objects.is_empty() {
            let remedy = "firstcontact info --scene S lists the objects";
            return Err(at(Error::input(format!("no object is called {}", quoted(object))).remedy(remedy)));
        }
        pairs.extend(links.iter().flat_map(|&l| objects.iter().map(move |&o| (l, o))));
    }
    Ok(pairs)
}

fn named<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<u32> {
    names.enumerate().filter(|(_, n)| wanted == "*" || *n == wanted).map(|(i, _)| i as u32).collect()
}
