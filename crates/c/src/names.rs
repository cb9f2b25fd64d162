//! The names that answers refer to.

use crate::text;
use firstcontact::{Engine, Robot, Scene};
use std::sync::Arc;

/// Robot and scene without triangles: answers keep no mesh in memory.
pub struct Names {
    pub robot: Robot,
    pub scene: Scene,
    pub joints: text::Names,
    pub links: text::Names,
    pub objects: text::Names,
}

impl Names {
    pub fn of(engine: &Engine) -> Self {
        let world = engine.world();
        let mut robot = Robot::clone(&world.robot);
        let links = robot.links.iter().map(|link| firstcontact::robot::Link {
            triangles: Arc::default(),
            shape_starts: Vec::new(),
            ..link.clone()
        });
        robot.links = Arc::new(links.collect());
        let scene = Scene { objects: world.scene.objects.clone(), ..Scene::default() };
        let joints = robot.columns.iter().map(|column| &column.name).collect();
        let links = robot.links.iter().map(|link| &link.name).collect();
        let objects = scene.objects.iter().map(|object| &object.name).collect();
        Self { robot, scene, joints, links, objects }
    }
}
