//! Objects that are attached to links and move with them, such as a box in a gripper.

use super::{Link, Robot, Triangle, zero_area_warning};
use crate::error::{Error, Result, quoted};
use glam::DAffine3;
use std::sync::Arc;

/// An object that a link carries. It is tested like a link: against the scene, against links that move relative to it,
/// and against other attached objects.
#[derive(Clone, Debug, PartialEq)]
pub struct AttachedObject {
    /// Its name, different from those of all links and other attached objects.
    pub name: String,
    /// The name of the link that carries it, with or without triangles.
    pub link: String,
    /// The triangles in the object's frame, metres.
    pub triangles: Vec<Triangle>,
    /// The pose of the object's frame in the link's frame.
    pub pose: DAffine3,
    /// The names of the links and attached objects that it may touch.
    pub touch_links: Vec<String>,
}

impl Robot {
    /// Attaches an object and returns the index of its [`Link`], the last one. The pairs in which it is tested are
    /// chosen by [`LinkPairs::add_attached`](crate::LinkPairs::add_attached).
    ///
    /// # Errors
    /// The robot does not have the link, a link or an attached object has the same name, or the object has no triangle
    /// or a coordinate that is not finite.
    pub fn attach(&mut self, object: &AttachedObject) -> Result<u32> {
        let AttachedObject { name, link, triangles, pose, .. } = object;
        let refuse = |what: String, remedy: &str| {
            Err(Error::input(what).at(format!("attached object {}", quoted(name))).remedy(remedy))
        };
        let Some((body, frame)) = self.frame_of(link) else {
            let what = format!("the robot {} has no link {}", quoted(&self.name), quoted(link));
            return refuse(what, "firstcontact info --robot R lists the links; with several robots, write ROBOT/LINK");
        };
        if self.has_link(name) {
            return refuse("a link or another attached object has this name".into(), "choose another name");
        }
        if triangles.is_empty() {
            return refuse("it has no triangle".into(), "attach objects with a mesh");
        }
        let pose = frame * *pose;
        let placed = |triangle: &Triangle| triangle.map(|vertex| pose.transform_point3(vertex));
        let triangles: Vec<Triangle> = triangles.iter().map(placed).collect();
        if let Some(i) = triangles.iter().position(|t| !t.iter().all(|v| v.is_finite())) {
            return refuse(format!("triangle {i} has a NaN or infinite coordinate"), "correct the mesh or the pose");
        }
        let flat = zero_area_warning(std::iter::once((format!("attached object {}", quoted(name)), &triangles[..])));
        self.warnings.extend(flat);
        Arc::make_mut(&mut self.links).push(Link {
            name: name.clone(),
            body,
            triangles: Arc::new(triangles),
            shape_starts: vec![0],
            attached_to: Some(link.clone()),
            pose,
        });
        Ok((self.links.len() - 1) as u32)
    }

    /// The body that carries a link, and the pose of the link's frame in the body's frame. Attached objects are not
    /// links.
    fn frame_of(&self, link: &str) -> Option<(u32, DAffine3)> {
        let fixed = self.fixed_links.iter().find(|fixed| fixed.name == link).map(|fixed| (fixed.body, fixed.pose));
        let own = || self.links.iter().find(|l| l.name == link && l.attached_to.is_none()).map(|l| l.body);
        // The world, which carries several robots, and the frame of a floating root are not links.
        let is_link = |body: &usize| *body >= self.roots()[0] as usize && !link.is_empty();
        let body = || self.bodies.iter().position(|body| body.name == link).filter(is_link).map(|body| body as u32);
        fixed.or_else(|| own().or_else(body).map(|body| (body, DAffine3::IDENTITY)))
    }

    /// Returns whether there is a link or an attached object of this name.
    #[doc(hidden)]
    pub fn has_link(&self, name: &str) -> bool {
        self.links.iter().any(|link| link.name == name) || self.links_without_triangles.iter().any(|link| link == name)
    }
}
