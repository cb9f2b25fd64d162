//! Objects that a state attaches to links of the robot.

use super::shapes::CollisionObject;
use crate::error::{Error, Result, quoted};
use crate::formats::scene_file::SceneOptions;
use crate::robot::AttachedObject;
use glam::DAffine3;
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
pub(super) struct AttachedYaml {
    link_name: String,
    object: CollisionObject,
    #[serde(default)]
    touch_links: Vec<String>,
}

impl AttachedYaml {
    /// The object, with its triangles in the frame of the link that carries it. Their memory is deducted from the
    /// limits in `left`.
    pub(super) fn into_object(self, folder: &Path, left: &mut SceneOptions) -> Result<AttachedObject> {
        let Self { link_name: link, object, touch_links } = self;
        let here = |e: Error| e.at(format!("attached object {}", quoted(&object.id)));
        let frame = object.header.frame_id.trim_start_matches('/');
        if !frame.is_empty() && frame != link {
            let message = format!("its pose is in the frame {}, not in that of its link", quoted(frame));
            let remedy = format!("give its pose in the frame {}", quoted(&link));
            return Err(here(Error::input(message).remedy(remedy)));
        }
        let triangles = object.triangles(DAffine3::IDENTITY, folder, left).map_err(here)?;
        Ok(AttachedObject { name: object.id, link, triangles, pose: DAffine3::IDENTITY, touch_links })
    }
}
