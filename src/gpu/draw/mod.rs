//! Drawing a picture without a window: layers of triangles, read back as pixels.
//!
//! A picture is the mean of many exposures. Each shifts the camera by a part of a pixel, is lit from another point of
//! the lamp and other directions of the sky, and omits a translucent layer completely, with the probability of its
//! transparency. Their mean has smooth edges, soft shadows, ambient occlusion, and translucent layers in the right
//! order. Only depth tests and shadow maps are needed: nothing is sorted or blurred, and no optional feature of an
//! adapter is used.

mod easel;
mod exposure;
mod pipelines;

use super::device::Gpu;
use super::shader::Source;
use crate::error::{Error, ErrorKind, Result};
use bytemuck::{Pod, Zeroable};
use easel::Easel;
use glam::{Mat4, Vec3};

/// The shader's text.
pub const SOURCE: &str = include_str!("../../../wgsl/render.wgsl");

/// A corner of a triangle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Corner {
    /// Metres from the focus.
    pub position: [f32; 3],
    /// Normal of the surface, times 32,767; the last number is not used.
    pub normal: [i16; 4],
    /// Red, green, blue as on the screen; the last number is not used.
    pub colour: [u8; 4],
}

/// The camera and the light; positions in metres from the focus.
#[derive(Clone, Copy, Debug)]
pub struct Lens {
    /// Transform to clip coordinates, depth from 0 to 1.
    pub clip_from_scene: Mat4,
    /// Position of the camera.
    pub eye: Vec3,
    /// Unit vector towards the lamp.
    pub to_lamp: Vec3,
    /// Objects within this distance of the focus cast shadows.
    pub shadow_m: f32,
    /// The picture's background, linear.
    pub background: Vec3,
    /// The scene begins to fade at the first of these distances from the camera, and has the colour of the background
    /// at the second.
    pub haze_m: [f32; 2],
    /// Upright structures are invisible up to the first of these distances from the camera, and opaque from the second
    /// on.
    pub near_cut_m: [f32; 2],
    /// Distance in pixels around the subject within which structures in front of it are omitted.
    pub halo_px: f32,
    /// Position of the contact.
    pub contact: Vec3,
    /// The colour of the touched object, linear.
    pub touched: Vec3,
    /// The touched object has this colour within the first of these distances from the contact, and its original colour
    /// beyond the second.
    pub spot_m: [f32; 2],
    /// True if the touched object is cut like a structure beyond the second of these distances.
    pub cuts_touched: bool,
}

/// Ways of drawing a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Solid: the robot at the time shown in the picture.
    Robot,
    /// Solid surroundings.
    Scene,
    /// Large surroundings, whose parts in front of the subject are omitted.
    Structure,
    /// The touched object, translucent in front of the subject.
    Touched,
    /// Surroundings that would hide the subject.
    Veil,
    /// The robot at the start, translucent.
    Start,
    /// The robot at the end, translucent.
    End,
    /// A volume around the subject, translucent.
    Volume,
    /// A sign that is visible through everything.
    Mark,
}

impl Paint {
    const ALL: [Self; 9] = [
        Self::Robot,
        Self::Scene,
        Self::Structure,
        Self::Touched,
        Self::Veil,
        Self::Start,
        Self::End,
        Self::Volume,
        Self::Mark,
    ];

    /// Entry points for its corners and fragments.
    fn entry_points(self) -> [&'static str; 2] {
        match self {
            Self::Robot => ["corner", "robot"],
            Self::Scene => ["corner", "scene"],
            Self::Structure => ["corner", "structure"],
            Self::Touched => ["corner", "touched"],
            Self::Veil => ["corner", "veil"],
            Self::Start => ["corner_behind", "start"],
            Self::End => ["corner_behind", "end"],
            Self::Volume => ["corner_behind", "volume"],
            Self::Mark => ["corner", "mark"],
        }
    }

    fn throws_shadow(self) -> bool {
        matches!(self, Self::Robot | Self::Scene | Self::Structure | Self::Touched)
    }
}

/// Triangles that are drawn in the same way.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The way of drawing them.
    pub paint: Paint,
    /// Their corners, three for each triangle.
    pub corners: Vec<Corner>,
}

/// Contents of a picture.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// The camera.
    pub lens: Lens,
    /// The layers, in any order.
    pub layers: Vec<Layer>,
    /// Number of exposures: more give smoother edges and shadows.
    pub exposures: u32,
}

fn gpu_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Gpu, message)
}

impl Gpu {
    /// Checks that a picture of this width and height in pixels can be drawn.
    ///
    /// # Errors
    /// The picture is empty or larger than the adapter allows.
    pub fn check_picture_size(&self, [width, height]: [u32; 2]) -> Result<()> {
        let most = self.device.limits().max_texture_dimension_2d;
        if (1..=most).contains(&width) && (1..=most).contains(&height) {
            return Ok(());
        }
        let message = format!("a picture of {width}x{height} pixels is not possible");
        Err(Error::usage(message).remedy(format!("each side must be 1 to {most} on this adapter")))
    }

    /// Draws, and returns the pixels row by row from the top: red, green, blue, 255.
    ///
    /// # Errors
    /// The picture is empty or larger than the adapter allows, or the device failed.
    pub fn draw(&self, frame: &Frame) -> Result<Vec<u8>> {
        self.check_picture_size(frame.size)?;
        let [width, height] = frame.size;
        // Checked before the driver compiles it: the driver's own messages do not contain the file and line.
        let source = Source::expand("render", SOURCE)?;
        source.validate()?;
        let row_bytes = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let bytes = u64::from(row_bytes) * u64::from(height);
        let pixels = self.staging(bytes)?;
        let n = frame.exposures.max(1);
        let easel = self.guarded(|| Easel::new(self, &source.text, frame))?;
        for i in 0..n {
            let uniforms = exposure::uniforms(&frame.lens, frame.size, i, n)?;
            // One submission each: a single long one could take longer than a driver allows.
            let submission = self.guarded(|| self.queue.submit([easel.expose(&uniforms)]))?;
            self.wait_for(Some(submission))?;
        }
        let submission = self.guarded(|| self.queue.submit([easel.finish(&pixels, row_bytes)]))?;
        let mapping = self.map(pixels, bytes);
        self.wait_for(Some(submission))?;
        let rows: Vec<u8> = mapping.items(self)?;
        Ok(rows.chunks_exact(row_bytes as usize).flat_map(|row| &row[..4 * width as usize]).copied().collect())
    }
}
