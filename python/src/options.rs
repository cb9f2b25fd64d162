//! Options of an engine, by their names in the public half of the package.

use crate::interruption::detached;
use firstcontact::error::quoted;
use firstcontact::stage::s6_solve::Mode;
use firstcontact::{
    Backend, Error, InitialContactPolicy, LinkPairs, Options, Result, Robot, Scene, Solids, Srdf, Untested,
};
use pyo3::prelude::*;

/// The processor of an engine, or the graphics adapters among which motions are divided.
#[derive(FromPyObject)]
enum Device {
    One(String),
    Several(Vec<String>),
}

/// Options of an engine.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct EngineOptions {
    margin: f64,
    tolerance: f64,
    self_collision: Option<bool>,
    device: Device,
    mode: String,
    initial: String,
    solids: String,
    all_contacts: bool,
    evaluation_cap: Option<u64>,
    threads: usize,
    memory: Option<u64>,
    allow: Vec<[String; 2]>,
}

/// Pairs that are never tested.
#[derive(Default)]
pub struct Allowed {
    /// Pairs of a link and an object.
    pub objects: Vec<(u32, u32)>,
    links: Vec<[u32; 2]>,
}

impl EngineOptions {
    /// The options in the form of the library.
    ///
    /// # Errors
    /// A choice does not exist.
    pub fn library(&self) -> Result<Options> {
        let mut options = Options { threads: self.threads, ..Options::default() };
        match &self.device {
            Device::One(device) => options.set_device(device),
            Device::Several(adapters) => (options.backend, options.adapters) = (Backend::Gpu, adapters.clone()),
        }
        options.memory_bytes = self.memory.unwrap_or(options.memory_bytes);
        let solve = &mut options.solve;
        (solve.tolerance, solve.margin_m, solve.all_contacts) = (self.tolerance, self.margin, self.all_contacts);
        solve.evaluation_cap = self.evaluation_cap.unwrap_or(solve.evaluation_cap);
        solve.mode = choice("mode", &self.mode, &[("toc", Mode::Toc), ("verdict", Mode::Verdict)])?;
        let policies = [("report", InitialContactPolicy::Report), ("ignore", InitialContactPolicy::Ignore)];
        solve.initial = choice("initial", &self.initial, &policies)?;
        let solids = [("warn", Solids::Report), ("contact", Solids::Contact), ("off", Solids::Off)];
        options.solids = choice("solids", &self.solids, &solids)?;
        Ok(options)
    }

    /// Returns whether answers have the poses of the links.
    pub fn all_contacts(&self) -> bool {
        self.all_contacts
    }

    /// The distance that counts as contact, metres.
    pub fn margin_m(&self) -> f64 {
        self.margin
    }

    /// Returns whether pairs that touch at the start are left out.
    pub fn ignores_initial_contacts(&self) -> bool {
        self.initial == "ignore"
    }

    /// The pairs that are never tested.
    ///
    /// # Errors
    /// A name does not exist.
    pub fn allowed(&self, robot: &Robot, scene: &Scene) -> Result<Allowed> {
        let mut allowed = Allowed::default();
        let mut add = |(i, [link, other]): (usize, &[String; 2])| {
            allowed.add(link, other, robot, scene).map_err(|e| e.at(format!("pair {i} of allow")))
        };
        self.allow.iter().enumerate().try_for_each(&mut add)?;
        Ok(allowed)
    }

    /// The pairs of links that are tested against each other: by default those of an SRDF, if there is one; of several
    /// robots also all pairs of different ones.
    ///
    /// # Errors
    /// An SRDF does not suit its robot, or a robot has too many links.
    pub fn link_pairs(&self, robot: &crate::robot::Robot, allowed: &Allowed) -> Result<LinkPairs> {
        let mut pairs = match &robot.parts[..] {
            [] => self.own_pairs(&robot.robot, robot.srdf.as_ref())?,
            parts => {
                let own = parts.iter().map(|(_, part)| self.own_pairs(&part.robot, part.srdf.as_ref()));
                LinkPairs::of_robots(&robot.robot, &own.collect::<Result<Vec<_>>>()?)?
            }
        };
        pairs.disable(allowed.links.iter().copied(), Untested::Allowed);
        Ok(pairs)
    }

    /// The pairs of links of one robot.
    fn own_pairs(&self, robot: &Robot, srdf: Option<&Srdf>) -> Result<LinkPairs> {
        match (self.self_collision, srdf) {
            (Some(false), _) | (None, None) => Ok(LinkPairs::none()),
            (_, Some(srdf)) => srdf.link_pairs(robot),
            (Some(true), None) if robot.links.len() <= LinkPairs::MAX_LINKS => Ok(LinkPairs::all_but_adjacent(robot)),
            (Some(true), None) => {
                let message = format!(
                    "the robot has {} links, but self-collision supports at most {}",
                    robot.links.len(),
                    LinkPairs::MAX_LINKS
                );
                Err(Error::usage(message).remedy("leave out self_collision"))
            }
        }
    }
}

impl Allowed {
    fn add(&mut self, link: &str, other: &str, robot: &Robot, scene: &Scene) -> Result<()> {
        let link_names = || robot.links.iter().map(|l| l.name.as_str());
        let links = named(link, link_names());
        if links.is_empty() {
            let error = Error::usage(format!("no link with triangles is called {}", quoted(link)));
            return Err(error.remedy("Robot.links lists them"));
        }
        let objects = named(other, scene.objects.iter().map(|object| object.name.as_str()));
        let others = if other == "*" { Vec::new() } else { named(other, link_names()) };
        if objects.is_empty() && others.is_empty() {
            let error = Error::usage(format!("no object is called {0}, and no link with triangles", quoted(other)));
            return Err(error.remedy("Robot.links and Scene.objects list them"));
        }
        // A name that is both an object and a link is the object.
        let others = if objects.is_empty() { others } else { Vec::new() };
        self.objects.extend(links.iter().flat_map(|&l| objects.iter().map(move |&o| (l, o))));
        self.links.extend(links.iter().flat_map(|&a| others.iter().map(move |&b| [a, b])));
        Ok(())
    }
}

/// Indices of the names that are `wanted`, or of all for `*`.
fn named<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<u32> {
    (0..).zip(names).filter(|(_, name)| wanted == "*" || *name == wanted).map(|(i, _)| i).collect()
}

fn choice<T: Copy>(option: &str, value: &str, choices: &[(&str, T)]) -> Result<T> {
    choices.iter().find(|(name, _)| *name == value).map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<String> = choices.iter().map(|(name, _)| format!("{name:?}")).collect();
        Error::usage(format!("{option} is {}, not {value:?}", names.join(" or ")))
    })
}

/// Graphics adapters: (name, driver, interface, whether it is hardware, address on the PCI bus or "").
#[pyfunction]
pub fn adapters(py: Python) -> Vec<(String, String, String, bool, String)> {
    detached(py, || {
        let all = firstcontact::gpu::Gpu::list().into_iter();
        all.map(|a| (a.name, a.driver, a.interface, a.hardware, a.pci)).collect()
    })
}
