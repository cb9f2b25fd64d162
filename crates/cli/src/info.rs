//! `firstcontact info`: adapters, and the contents of a robot and a scene.

use super::inputs::InputArgs;
use super::motions::StateSource;
use super::robots::{NamedFile, RobotSource, World};
use super::self_collision::SelfCollisionArgs;
use super::size::{Bounds, reach_m, unit_warnings};
use super::tested::left_out;
use super::{Outcome, warn};
use clap::Args;
use comfy_table::{Table, presets};
use firstcontact::gpu::Gpu;
use firstcontact::robot::{ColumnKind, Robot};
use firstcontact::scene::Scene;
use firstcontact::{Error, LinkPairs, Result, Untested};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Arguments of `info`.
#[derive(Debug, Args)]
pub struct InfoArgs {
    /// A robot (URDF), or several as NAME=FILE each
    #[arg(long, value_name = "[NAME=]R.urdf", value_parser = NamedFile::parser())]
    robot: Vec<NamedFile>,
    /// Several robots, and their scene unless --scene is given
    #[arg(long, value_name = "WORLD.json", conflicts_with = "robot")]
    world: Option<PathBuf>,
    /// A scene: a mesh file, scene.json, or a URDF
    #[arg(long, value_name = "S")]
    scene: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    inputs: InputArgs,
}

/// Runs the command.
pub fn run(args: &InfoArgs) -> Result<Outcome> {
    let mut all = json!({ "version": env!("CARGO_PKG_VERSION"), "adapters": adapters() });
    let (mut robot_bounds, mut scene_bounds) = (None, None);
    let world = args.world.as_deref().map(World::read).transpose()?.unwrap_or_default();
    let given = args.robot.iter().cloned().map(RobotSource::from);
    let robots: Vec<RobotSource> = given.chain(world.robots).collect();
    if robots.is_empty() {
        if let Some(option) = args.inputs.robots.first_given() {
            return Err(Error::usage(format!("{option} requires a robot")).remedy("also give --robot R.urdf"));
        }
    } else {
        let model = args.inputs.model(&robots)?;
        model.robot.warnings.iter().for_each(|w| warn(w));
        robot_bounds = Bounds::of_robot(&model.robot)?;
        all["robot"] = describe_robot(&model.robot, robot_bounds);
        let states = model.states();
        if !states.is_empty() || model.robot.links.len() <= LinkPairs::MAX_LINKS {
            all["robot"]["link_pairs"] = describe_pairs(&model.link_pairs(SelfCollisionArgs::ON)?);
        }
        if !states.is_empty() {
            all["robot"]["states"] = states.iter().flat_map(describe_states).collect();
        }
    }
    if let Some(path) = args.scene.as_ref().or(world.scene.as_ref()) {
        let scene = args.inputs.scene(path)?;
        scene.warnings.iter().for_each(|w| warn(w));
        scene_bounds = Bounds::of_scene(&scene);
        all["scene"] = describe_scene(&scene, scene_bounds);
    }
    let warnings = unit_warnings(robot_bounds, scene_bounds);
    warnings.iter().for_each(|w| warn(w));
    all["warnings"] = warnings.into();
    if args.json {
        let text = serde_json::to_string_pretty(&all).map_err(|e| Error::usage(e.to_string()))?;
        show!("{text}");
    } else {
        print(&all, robot_bounds, scene_bounds);
    }
    Ok(Outcome::Free)
}

fn adapters() -> Value {
    let list = Gpu::list().into_iter().map(|a| {
        json!({
            "name": a.name, "driver": a.driver, "interface": a.interface, "hardware": a.hardware, "pci": a.pci,
        })
    });
    list.collect()
}

fn describe_robot(robot: &Robot, bounds: Option<Bounds>) -> Value {
    let joints: Vec<Value> = robot
        .columns
        .iter()
        .map(|c| {
            let unit = match c.kind {
                ColumnKind::AngleRad => "rad",
                ColumnKind::LengthM | ColumnKind::Free(0..=2) => "m",
                ColumnKind::Free(_) => "quaternion",
            };
            json!({ "joint": c.name, "unit": unit, "limits": c.limits })
        })
        .collect();
    let links: Vec<Value> = robot
        .links
        .iter()
        .map(|l| {
            let depth = robot.depth_of(l.body) - 1;
            let (triangles, shapes) = (l.triangles.len(), l.shape_starts.len());
            let mut link = json!({ "link": l.name, "triangles": triangles, "shapes": shapes, "depth": depth });
            if let Some(carrier) = &l.attached_to {
                link["attached_to"] = json!(carrier);
            }
            link
        })
        .collect();
    json!({
        "name": robot.name, "joints": joints, "links": links, "triangles": robot.triangle_count(),
        "bounds_m": bounds.map(Bounds::to_json), "reach_m": reach_m(robot),
    })
}

/// The named states of a robot; with several robots their groups have the robot's name.
fn describe_states(of: &StateSource) -> Vec<Value> {
    let group = |group: &str| of.robot_name.map_or(group.to_string(), |robot| format!("{robot}/{group}"));
    of.srdf.states().map(|[of_group, name]| json!({ "group": group(of_group), "state": name })).collect()
}

fn describe_pairs(pairs: &LinkPairs) -> Value {
    let reasons = Untested::ALL.map(|reason| (reason.name().to_string(), pairs.count(reason).into()));
    json!({ "tested": pairs.tested().len(), "disabled": Value::Object(reasons.into_iter().collect()) })
}

fn describe_scene(scene: &Scene, bounds: Option<Bounds>) -> Value {
    let objects: Vec<Value> = (0..scene.objects.len())
        .map(|i| {
            let object = &scene.objects[i];
            json!({ "object": object.name, "triangles": object.n_triangles, "closed": scene.is_closed(i as u32) })
        })
        .collect();
    json!({ "objects": objects, "triangles": scene.triangles.len(), "bounds_m": bounds.map(Bounds::to_json) })
}

/// Prints each list of the description as a table.
fn print(all: &Value, robot_bounds: Option<Bounds>, scene_bounds: Option<Bounds>) {
    show!("firstcontact {}", text(&all["version"]));
    list("graphics adapters", &all["adapters"], &["name", "interface", "hardware", "driver"]);
    if all["adapters"].as_array().is_none_or(Vec::is_empty) {
        show!("  none: Debian and Ubuntu have a software one in mesa-vulkan-drivers, with libvulkan1");
    }
    if let Some(robot) = all.get("robot") {
        show!("\nrobot '{}': {} triangles", text(&robot["name"]), robot["triangles"]);
        if let Some(bounds) = robot_bounds {
            show!("size at its zero pose: {}", bounds.in_words());
            match robot["reach_m"].as_f64() {
                Some(reach_m) => show!("reach: at most {reach_m:.3} m from its root"),
                None => show!("reach: unlimited"),
            }
        }
        list("columns of a motion", &robot["joints"], &["joint", "unit", "limits"]);
        list("links with triangles", &robot["links"], &["link", "triangles", "shapes", "depth"]);
        print_pairs(robot);
        if robot.get("states").is_some() {
            list("states", &robot["states"], &["group", "state"]);
        }
    }
    if let Some(scene) = all.get("scene") {
        show!("\nscene: {} triangles", scene["triangles"]);
        if let Some(bounds) = scene_bounds {
            show!("size: {}", bounds.in_words());
        }
        list("objects", &scene["objects"], &["object", "triangles", "closed"]);
    }
}

/// Prints the numbers of pairs of links with self-collision checks.
fn print_pairs(robot: &Value) {
    let Some(pairs) = robot.get("link_pairs") else { return };
    let count = |reason: Untested| pairs["disabled"][reason.name()].as_u64().unwrap_or_default();
    let disabled = Untested::ALL.map(|reason| (reason, count(reason) as usize));
    show!("pairs of links tested with --self-collision on: {}{}", pairs["tested"], left_out(disabled));
}

fn list(title: &str, rows: &Value, keys: &[&str]) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(keys);
    let rows = rows.as_array().map_or(&[][..], Vec::as_slice);
    for row in rows {
        table.add_row(keys.iter().map(|k| text(&row[k])));
    }
    show!("{title}: {}", rows.len());
    if !rows.is_empty() {
        show!("{table}");
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(s) => s.clone(),
        Value::Null => "-".into(),
        Value::Bool(b) => if *b { "yes" } else { "no" }.into(),
        other => other.to_string(),
    }
}
