//! Options of engines.

use crate::handles::{self, object};
use crate::output::output;
use crate::robot::FcRobot;
use crate::status::{FcStatus, guard};
use crate::text::{path, text};
use firstcontact::error::quoted;
use firstcontact::stage::s6_solve::Mode;
use firstcontact::{Error, InitialContactPolicy, LinkPairs, Options, Result, Robot, Scene, Solids, Untested};
use std::ffi::c_char;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The question that is answered for each motion.
pub type FcMode = i32;
/// The first contact, to within the tolerance; the default.
pub const FC_MODE_TOC: FcMode = 0;
/// The verdict alone: faster, without features.
pub const FC_MODE_VERDICT: FcMode = 1;

/// Treatment of links that touch the scene at the start.
pub type FcInitial = i32;
/// The contact is reported; the default.
pub const FC_INITIAL_REPORT: FcInitial = 0;
/// The pair of link and object is ignored for the whole motion.
pub const FC_INITIAL_IGNORE: FcInitial = 1;

/// Treatment of motions that start inside a closed object or link.
pub type FcSolids = i32;
/// These motions are counted; the default.
pub const FC_SOLIDS_WARN: FcSolids = 0;
/// These motions have a contact at time 0.
pub const FC_SOLIDS_CONTACT: FcSolids = 1;
/// These motions are not detected.
pub const FC_SOLIDS_OFF: FcSolids = 2;

/// Tests of links against links.
pub type FcSelfCollision = i32;
/// With an SRDF, all pairs that it does not disable; without one, no pairs. The default.
pub const FC_SELF_COLLISION_AUTO: FcSelfCollision = 0;
/// No pairs.
pub const FC_SELF_COLLISION_OFF: FcSelfCollision = 1;
/// With an SRDF, all pairs that it does not disable; without one, all pairs that are not adjacent.
pub const FC_SELF_COLLISION_ON: FcSelfCollision = 2;

/// Options of engines. Where they are an argument, null means the defaults. Options that later versions add have their
/// own functions.
#[derive(Default)]
pub struct FcOptions(Mutex<Chosen>);
object!(FcOptions, "set of options");

/// The options of an engine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chosen {
    pub(crate) library: Options,
    pub(crate) self_collision: FcSelfCollision,
    pub(crate) tree_cache: Option<PathBuf>,
    pub(crate) certificates: bool,
    allow: Vec<AllowedNames>,
}

/// Pairs that are never tested.
#[derive(Default)]
pub(crate) struct Allowed {
    /// Pairs of a link and an object.
    pub objects: Vec<(u32, u32)>,
    links: Vec<[u32; 2]>,
    /// The names of the pairs with an object, which also apply in other scenes.
    pub of_objects: Vec<AllowedNames>,
}

/// A link or attached object and an object of the scene, by name, that are never tested; `*` is all.
pub(crate) type AllowedNames = [String; 2];

impl Chosen {
    /// The options of a handle; null stands for the defaults.
    ///
    /// # Errors
    /// The handle is not that of a living object.
    pub fn of(options: *const FcOptions) -> Result<Self> {
        let options = handles::optional(options)?;
        Ok(options.map(|of| of.0.lock().unwrap_or_else(PoisonError::into_inner).clone()).unwrap_or_default())
    }

    /// The pairs that are never tested.
    ///
    /// # Errors
    /// A name does not exist.
    pub fn allowed(&self, robot: &Robot, scene: &Scene) -> Result<Allowed> {
        let mut allowed = Allowed::default();
        for (i, [link, other]) in self.allow.iter().enumerate() {
            allowed.add(link, other, robot, scene).map_err(|e| e.at(format!("pair {i} of fc_options_allow")))?;
        }
        Ok(allowed)
    }

    /// The pairs of links that are tested against each other: within each robot as the options say, and all pairs of
    /// different robots.
    ///
    /// # Errors
    /// An SRDF does not suit its robot, or there are too many links.
    pub fn link_pairs(&self, robot: &FcRobot, allowed: &Allowed) -> Result<LinkPairs> {
        let mut pairs = match &robot.parts[..] {
            [] => self.own_pairs(robot)?,
            parts => {
                let own = parts.iter().map(|(_, part)| self.own_pairs(part)).collect::<Result<Vec<_>>>()?;
                LinkPairs::of_robots(&robot.robot, &own)?
            }
        };
        pairs.disable(allowed.links.iter().copied(), Untested::Allowed);
        Ok(pairs)
    }

    /// The pairs within one robot.
    fn own_pairs(&self, of: &FcRobot) -> Result<LinkPairs> {
        let robot = &of.robot;
        match (self.self_collision, &of.srdf) {
            (FC_SELF_COLLISION_OFF, _) | (FC_SELF_COLLISION_AUTO, None) => Ok(LinkPairs::none()),
            (_, Some(srdf)) => srdf.link_pairs(robot),
            (_, None) if robot.links.len() <= LinkPairs::MAX_LINKS => Ok(LinkPairs::all_but_adjacent(robot)),
            (_, None) => {
                let message = format!(
                    "the robot has {} links, but self-collision supports at most {}",
                    robot.links.len(),
                    LinkPairs::MAX_LINKS
                );
                Err(Error::usage(message).remedy("use FC_SELF_COLLISION_OFF"))
            }
        }
    }

    /// Checks that answers can be certified, if certificates are asked for.
    ///
    /// # Errors
    /// The other options do not allow it.
    pub fn check_certificates(&self) -> Result<()> {
        if self.certificates && self.library.solve.initial == InitialContactPolicy::Ignore {
            let error =
                Error::usage("certificates cannot be combined with FC_INITIAL_IGNORE: ignored pairs have no proof");
            return Err(error.remedy("list the pairs that may touch with fc_options_allow"));
        }
        Ok(())
    }
}

impl Allowed {
    /// The pairs of a link and an object among some names; those that robot and scene do not have are left out.
    pub fn existing(names: &[AllowedNames], robot: &Robot, scene: &Scene) -> Vec<(u32, u32)> {
        let mut allowed = Self::default();
        for [link, other] in names {
            // A name that does not exist, or a pair of links.
            let _ = allowed.add(link, other, robot, scene);
        }
        allowed.objects
    }

    /// Adds the pairs of two names. `*` is every link of the robot, but not the objects that are attached to it.
    fn add(&mut self, link: &str, other: &str, robot: &Robot, scene: &Scene) -> Result<()> {
        let link_names = || robot.links.iter().map(|link| link.name.as_str());
        let is_own = |l: &u32| link != "*" || robot.links[*l as usize].attached_to.is_none();
        let links: Vec<u32> = named(link, link_names()).into_iter().filter(is_own).collect();
        if links.is_empty() {
            let error = Error::usage(format!("no link with triangles is called {}", quoted(link)));
            return Err(error.remedy("fc_robot_link_name lists them"));
        }
        let objects = named(other, scene.objects.iter().map(|object| object.name.as_str()));
        let others = if other == "*" { Vec::new() } else { named(other, link_names()) };
        if objects.is_empty() && others.is_empty() {
            let error = Error::usage(format!("no object is called {0}, and no link with triangles", quoted(other)));
            return Err(error.remedy("fc_robot_link_name and fc_scene_object_name list them"));
        }
        // A name that is both an object and a link is the object.
        let others = if objects.is_empty() { others } else { Vec::new() };
        if others.is_empty() {
            self.of_objects.push([link.to_string(), other.to_string()]);
        }
        self.objects.extend(links.iter().flat_map(|&l| objects.iter().map(move |&o| (l, o))));
        self.links.extend(links.iter().flat_map(|&a| others.iter().map(move |&b| [a, b])));
        Ok(())
    }
}

/// Indices of the names that are `wanted`, or of all for `*`.
fn named<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<u32> {
    (0..).zip(names).filter(|(_, name)| wanted == "*" || *name == wanted).map(|(i, _)| i).collect()
}

fn change(options: *mut FcOptions, change: impl FnOnce(&mut Chosen)) -> Result<()> {
    change(&mut handles::get(options)?.0.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(())
}

/// The choice of a number, by its position.
fn choice<T: Copy>(number: i32, choices: &[T], family: &str) -> Result<T> {
    let choice = usize::try_from(number).ok().and_then(|i| choices.get(i)).copied();
    choice.ok_or_else(|| Error::usage(format!("{number} is not one of the {family} constants")))
}

/// Makes options with their defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_options_new(options: *mut *mut FcOptions) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for outputs.
        let to = unsafe { output(options, "options") }?;
        to.set(handles::put(FcOptions::default()));
        Ok(())
    })
}

/// Frees options; null is not an error.
#[unsafe(no_mangle)]
pub extern "C" fn fc_options_free(options: *mut FcOptions) -> FcStatus {
    guard(|| handles::free(options))
}

/// Sets the distance that counts as contact, metres; 0 by default.
#[unsafe(no_mangle)]
pub extern "C" fn fc_options_set_margin(options: *mut FcOptions, margin_m: f64) -> FcStatus {
    guard(|| checked(options, |options| options.library.solve.margin_m = margin_m))
}

/// Sets the largest width of a certified time of contact, as a fraction of the motion; 1e-9 by default.
#[unsafe(no_mangle)]
pub extern "C" fn fc_options_set_tolerance(options: *mut FcOptions, tolerance: f64) -> FcStatus {
    guard(|| checked(options, |options| options.library.solve.tolerance = tolerance))
}

/// A change that the library may refuse, without the other options: those are checked when an engine is made.
fn checked(options: *mut FcOptions, change: impl Fn(&mut Chosen)) -> Result<()> {
    let mut alone = Chosen::default();
    change(&mut alone);
    alone.library.solve.check()?;
    self::change(options, change)
}

/// Sets the device: "auto" (the default), a hardware adapter if there is one, otherwise the CPU; "cpu"; "gpu", any
/// graphics adapter; "all", every hardware adapter, or every software adapter on a machine without hardware, with the
/// motions divided among them; or a part of an adapter's name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_options_set_device(options: *mut FcOptions, device: *const c_char) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for texts.
        let device = unsafe { text(device, "device") }?;
        change(options, |options| options.library.set_device(device))
    })
}

/// Sets the question that is answered.
#[unsafe(no_mangle)]
pub extern "C" fn fc_options_set_mode(options: *mut FcOptions, mode: FcMode) -> FcStatus {
    guard(|| {
        let mode = choice(mode, &[Mode::Toc, Mode::Verdict], "FC_MODE_")?;
        change(options, |options| options.library.solve.mode = mode)
    })
}

/// Sets the treatment of links that touch the scene at the start.
#[unsafe(no_mangle)]
pub extern "C" fn fc_options_set_initial(options: *mut FcOptions, initial: FcInitial) -> FcStatus {
    guard(|| {
        let initial = choice(initial, &[InitialContactPolicy::Report, InitialContactPolicy::Ignore], "FC_INITIAL_")?;
        change(options, |options| options.library.solve.initial = initial)
    })
}

/// Sets the treatment of motions that start inside a closed object or link.
#[unsafe(no_mangle)]
pub extern "C" fn fc_options_set_solids(options: *mut FcOptions, solids: FcSolids) -> FcStatus {
    guard(|| {
        let solids = choice(solids, &[Solids::Report, Solids::Contact, Solids::Off], "FC_SOLIDS_")?;
        change(options, |options| options.library.solids = solids)
    })
}

/// Sets the tests of links against links.
#[unsafe(no_mangle)]
pub extern "C" fn fc_options_set_self_collision(options: *mut FcOptions, self_collision: FcSelfCollision) -> FcStatus {
    guard(|| {
        let all = [FC_SELF_COLLISION_AUTO, FC_SELF_COLLISION_OFF, FC_SELF_COLLISION_ON];
        let chosen = choice(self_collision, &all, "FC_SELF_COLLISION_")?;
        change(options, |options| options.self_collision = chosen)
    })
}

/// Sets whether all contacts that begin at the time of the first one are listed; false by default.
#[unsafe(no_mangle)]
pub extern "C" fn fc_options_set_all_contacts(options: *mut FcOptions, all_contacts: i32) -> FcStatus {
    guard(|| change(options, |options| options.library.solve.all_contacts = all_contacts != 0))
}

/// Sets the maximum number of evaluations for a motion, after which it is undecided; 65536 by default.
#[unsafe(no_mangle)]
pub extern "C" fn fc_options_set_evaluation_cap(options: *mut FcOptions, evaluations: u64) -> FcStatus {
    guard(|| change(options, |options| options.library.solve.evaluation_cap = evaluations))
}

/// Sets the number of threads on the CPU; 0 for all cores, which is the default.
#[unsafe(no_mangle)]
pub extern "C" fn fc_options_set_threads(options: *mut FcOptions, threads: usize) -> FcStatus {
    guard(|| change(options, |options| options.library.threads = threads))
}

/// Sets the memory for the work on motions, bytes; by default at most 1 GiB.
#[unsafe(no_mangle)]
pub extern "C" fn fc_options_set_memory(options: *mut FcOptions, memory_bytes: u64) -> FcStatus {
    guard(|| change(options, |options| options.library.memory_bytes = memory_bytes))
}

/// Adds a pair that is never tested: a link and an object, or two links. The link and the object may each be "*" for
/// all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_options_allow(
    options: *mut FcOptions,
    link: *const c_char,
    other: *const c_char,
) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for texts.
        let pair = unsafe { [text(link, "link")?, text(other, "other")?] }.map(String::from);
        change(options, |options| options.allow.push(pair))
    })
}

/// Sets whether certificates can be written; false by default. fc_results_write_certificates then writes proofs of the
/// answers, which the command firstcontact verify checks. The engine and its results keep the scene and the motions.
#[unsafe(no_mangle)]
pub extern "C" fn fc_options_set_certificates(options: *mut FcOptions, certificates: i32) -> FcStatus {
    guard(|| change(options, |options| options.certificates = certificates != 0))
}

/// Sets a file in which the scene's tree is cached for later engines; worthwhile for millions of triangles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fc_options_set_tree_cache(options: *mut FcOptions, file: *const c_char) -> FcStatus {
    guard(|| {
        // SAFETY: the caller's promise for texts.
        let file = unsafe { path(file, "file") }?;
        change(options, |options| options.tree_cache = Some(file))
    })
}
