//! The names that answers refer to.

use firstcontact::scene::Object;
use firstcontact::{Robot, Scene};
use std::sync::Arc;

/// Robot and scene without triangles: answers keep no mesh in memory.
pub struct Names {
    pub robot: Robot,
    pub scene: Scene,
}

impl Names {
    pub fn new(robot: &Robot, objects: Vec<Object>) -> Self {
        let mut robot = robot.clone();
        let links = robot.links.iter().map(|link| firstcontact::robot::Link {
            triangles: Arc::default(),
            shape_starts: Vec::new(),
            ..link.clone()
        });
        robot.links = Arc::new(links.collect());
        Self { robot, scene: Scene { objects, ..Scene::default() } }
    }

    /// Names of the links with triangles and of attached objects, in their order.
    pub fn links(&self) -> Vec<String> {
        self.robot.links.iter().map(|link| link.name.clone()).collect()
    }

    /// Names of the objects of the scene, in their order.
    pub fn objects(&self) -> Vec<String> {
        self.scene.objects.iter().map(|object| object.name.clone()).collect()
    }
}
