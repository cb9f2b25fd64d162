//! Pairs that are never tested: a link and an object, or two links.

use crate::warn;
use firstcontact::error::quoted;
use firstcontact::io::load::{read_text, without_comment};
use firstcontact::robot::Robot;
use firstcontact::scene::Scene;
use firstcontact::{Error, Result};
use std::path::Path;

/// Pairs that are never tested.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// Pairs of a link and an object.
    pub objects: Vec<(u32, u32)>,
    /// Pairs of links.
    pub links: Vec<[u32; 2]>,
}

impl Allowed {
    /// Pairs of two names each, with the meaning of the lines of a file.
    ///
    /// # Errors
    /// A name does not exist.
    pub fn of_pairs(pairs: &[[String; 2]], robot: &Robot, scene: &Scene) -> Result<Self> {
        let mut allowed = Self::default();
        let at = |i: usize| format!("pair {} of \"allow\" in --world", i + 1);
        let mut add =
            |(i, [link, other]): (usize, &[String; 2])| allowed.add(link, other, robot, scene).map_err(|e| e.at(at(i)));
        pairs.iter().enumerate().try_for_each(&mut add)?;
        Ok(allowed)
    }

    /// Adds the pairs of another list.
    pub fn extend(&mut self, other: Self) {
        self.objects.extend(other.objects);
        self.links.extend(other.links);
    }

    /// Reads lines `link object` or `link link`, if there is a file. Either may be `*`: all links as the first name,
    /// all objects as the second. A second name that is both an object and a link is the object. Empty lines and text
    /// after a `#` are ignored. The second name may contain spaces, and a `#` that does not follow a space.
    ///
    /// # Errors
    /// The file cannot be read, or has a name that does not exist.
    pub fn read(path: Option<&Path>, robot: &Robot, scene: &Scene) -> Result<Self> {
        let mut allowed = Self::default();
        let Some(path) = path else { return Ok(allowed) };
        let text = read_text(path)?;
        for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = without_comment(line).trim();
            if !line.is_empty() {
                let added = two_names(line).and_then(|[link, other]| allowed.add(link, other, robot, scene));
                added.map_err(|e| e.at(format!("line {}", i + 1)).in_file(path))?;
            }
        }
        Ok(allowed)
    }

    fn add(&mut self, link: &str, other: &str, robot: &Robot, scene: &Scene) -> Result<()> {
        let link_names = || robot.links.iter().map(|l| l.name.as_str());
        let links = named(link, link_names());
        if links.is_empty() {
            let remedy = "firstcontact info --robot R lists the links that have triangles";
            return Err(Error::input(format!("no link with triangles is called {}", quoted(link))).remedy(remedy));
        }
        let objects = named(other, scene.objects.iter().map(|o| o.name.as_str()));
        if !objects.is_empty() {
            if other != "*" && objects.len() > 1 {
                warn(&format!("{} objects are called {}: the pair is left out for each", objects.len(), quoted(other)));
            }
            self.objects.extend(links.iter().flat_map(|&l| objects.iter().map(move |&o| (l, o))));
            return Ok(());
        }
        let others = if other == "*" { Vec::new() } else { named(other, link_names()) };
        if others.is_empty() {
            let message = format!("no object is called {0}, and no link with triangles", quoted(other));
            let remedy = "firstcontact info --robot R --scene S lists links and objects";
            return Err(Error::input(message).remedy(remedy));
        }
        self.links.extend(links.iter().flat_map(|&a| others.iter().map(move |&b| [a, b])));
        Ok(())
    }
}

fn two_names(line: &str) -> Result<[&str; 2]> {
    let wrong = || Error::input("a line is 'link object' or 'link link'; the first link and the object may be '*'");
    line.split_once(char::is_whitespace).map(|(link, other)| [link, other.trim_start()]).ok_or_else(wrong)
}

fn named<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<u32> {
    names.enumerate().filter(|(_, n)| wanted == "*" || *n == wanted).map(|(i, _)| i as u32).collect()
}
