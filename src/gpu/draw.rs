//! Drawing a picture without a window: triangles in a few layers, read back as pixels.

use super::device::Gpu;
use super::shader::Source;
use crate::error::{Error, ErrorKind, Result};
use bytemuck::{Pod, Zeroable};
use encase::ShaderType;
use glam::{Mat4, Vec3};
use wgpu::util::DeviceExt;
use wgpu::{ColorWrites, CompareFunction, TextureFormat, TextureUsages};

/// The shader's text.
pub const SOURCE: &str = include_str!("../../wgsl/render.wgsl");

/// Samples of a pixel: what every adapter offers for the formats used here.
const SAMPLES: u32 = 4;
const COLOUR: TextureFormat = TextureFormat::Rgba8UnormSrgb;
const DISTANCE: TextureFormat = TextureFormat::R32Float;
const DEPTH: TextureFormat = TextureFormat::Depth32Float;
/// Where the subject is not.
const NOWHERE: f64 = 1e30;
/// Corners of one buffer: far below what every adapter can hold, and whole triangles.
const BATCH: usize = 3 << 19;

/// A corner of a triangle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Corner {
    /// Metres from the focus.
    pub position: [f32; 3],
    /// Unit normal of the triangle.
    pub normal: [f32; 3],
    /// Red, green, blue as on the screen, and how opaque it is where it is translucent.
    pub colour: [u8; 4],
}

/// The camera and the light; positions in metres from the focus.
#[derive(Clone, Copy, Debug, ShaderType)]
pub struct Lens {
    /// To clip coordinates, depth from 0 to 1.
    pub clip_from_scene: Mat4,
    /// Where the camera is.
    pub eye: Vec3,
    /// Pixels around the subject in which surroundings before it give way.
    pub halo: f32,
    /// Unit vector towards the light.
    pub light: Vec3,
    /// Surroundings begin to pale at this distance from the camera, …
    pub haze_from: f32,
    /// … towards this linear colour, …
    pub background: Vec3,
    /// … which they have almost at this distance.
    pub haze_to: f32,
}

/// What is drawn, in this order.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Pixels across and down.
    pub size: [u32; 2],
    /// The camera.
    pub lens: Lens,
    /// What hides all else behind it.
    pub solid: Vec<Corner>,
    /// What gives way where it would hide anything below: it is drawn there as faintly as its colours say.
    pub surroundings: Vec<Corner>,
    /// The same as `solid` elsewhere: a translucent surface, of which only what is nearest shows.
    pub ghosts: Vec<Corner>,
    /// A volume around all of them, likewise.
    pub volume: Vec<Corner>,
    /// Signs that show through everything.
    pub marks: Vec<Corner>,
}

/// What a layer leaves.
#[derive(Clone, Copy, PartialEq)]
enum Paint {
    /// Its colour, where it is nearest so far.
    Opaque,
    /// That it is nearest, and no colour: of a translucent surface only what is nearest is painted afterwards.
    Nearest,
    /// Its colour mixed with what is there, where it was found to be nearest.
    Mixed,
    /// Its colour mixed with what is there, where something else is nearer.
    Hidden,
}

fn gpu_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Gpu, message)
}

impl Gpu {
    /// The longest side of a picture, pixels.
    pub fn max_picture_side(&self) -> u32 {
        self.device.limits().max_texture_dimension_2d
    }

    /// Draws, and gives the pixels row by row from the top: red, green, blue, 255.
    ///
    /// # Errors
    /// The picture is empty or larger than the adapter allows, or the device failed.
    pub fn draw(&self, drawing: &Frame) -> Result<Vec<u8>> {
        let [width, height] = drawing.size;
        let most = self.max_picture_side();
        if !(1..=most).contains(&width) || !(1..=most).contains(&height) {
            let message = format!("a picture of {width}x{height} pixels");
            return Err(Error::usage(message).remedy(format!("each side is 1 to {most} on this adapter")));
        }
        // Before the device sees it: its messages name file and line.
        let source = Source::expand("render", SOURCE)?;
        source.validate()?;
        let mut lens = encase::UniformBuffer::new(Vec::<u8>::new());
        lens.write(&drawing.lens).map_err(|e| gpu_error(e.to_string()))?;
        let row_bytes = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let bytes = u64::from(row_bytes) * u64::from(height);
        let pixels = self.staging(bytes)?;
        let submission = self.guarded(|| {
            let easel = Easel::new(self, &source.text, &lens.into_inner(), drawing.size);
            self.queue.submit([easel.paint(drawing, &pixels, row_bytes)])
        })?;
        let mapping = self.map(pixels, bytes);
        self.wait_for(Some(submission))?;
        let rows = mapping.bytes(self)?;
        Ok(rows.chunks_exact(row_bytes as usize).flat_map(|row| &row[..4 * width as usize]).copied().collect())
    }
}

/// What all layers of a picture share.
struct Easel<'g> {
    device: &'g wgpu::Device,
    module: wgpu::ShaderModule,
    layout: wgpu::BindGroupLayout,
    lens: wgpu::Buffer,
    size: wgpu::Extent3d,
}

impl<'g> Easel<'g> {
    fn new(gpu: &'g Gpu, text: &str, lens: &[u8], [width, height]: [u32; 2]) -> Self {
        let device = &gpu.device;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("render"),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let uniform = wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        let texture = wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: false },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        };
        let visibility = wgpu::ShaderStages::VERTEX_FRAGMENT;
        let entry = |binding, ty| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None };
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("render"),
            entries: &[entry(0, uniform), entry(1, texture)],
        });
        let lens = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("lens"),
            contents: lens,
            usage: wgpu::BufferUsages::UNIFORM,
        });
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        Self { device, module, layout, lens, size }
    }

    /// Records all layers, and a copy of the picture into `pixels`.
    fn paint(&self, drawing: &Frame, pixels: &wgpu::Buffer, row_bytes: u32) -> wgpu::CommandBuffer {
        let nowhere = wgpu::Extent3d { width: 1, height: 1, depth_or_array_layers: 1 };
        let unused = self.texture(nowhere, DISTANCE, 1, TextureUsages::TEXTURE_BINDING);
        let subject = self.texture(self.size, DISTANCE, 1, TextureUsages::TEXTURE_BINDING);
        let picture = self.texture(self.size, COLOUR, 1, TextureUsages::COPY_SRC);
        let samples = self.texture(self.size, COLOUR, SAMPLES, TextureUsages::empty());
        let solid = self.upload(&drawing.solid);
        let surroundings = self.upload(&drawing.surroundings);
        let [ghosts, volume] = [&drawing.ghosts, &drawing.volume].map(|shell| self.upload(shell));
        let marks = self.upload(&drawing.marks);
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            // What lies within the volume, but before a robot, gives way to the robot: its distance is written over that of the
            // volume, which is nearer.
            let nowhere = wgpu::LoadOp::Clear(wgpu::Color { r: NOWHERE, g: 0.0, b: 0.0, a: 1.0 });
            let distance = self.pipeline("distance_only", Paint::Opaque, DISTANCE, 1);
            let group = self.bind(&unused);
            for (load, parts) in [(nowhere, &[&volume][..]), (wgpu::LoadOp::Load, &[&solid, &ghosts])] {
                let mut pass = self.pass(&mut encoder, &subject, None, load);
                parts.iter().for_each(|part| draw(&mut pass, &distance, &group, part));
            }
        }
        {
            let [r, g, b] = drawing.lens.background.to_array().map(f64::from);
            let background = wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a: 1.0 });
            let mut pass = self.pass(&mut encoder, &samples, Some(&picture), background);
            let group = self.bind(&subject);
            let mut layer = |fragment, paint, part: &[Batch]| {
                draw(&mut pass, &self.pipeline(fragment, paint, COLOUR, SAMPLES), &group, part);
            };
            layer("solid", Paint::Opaque, &solid);
            layer("surroundings", Paint::Opaque, &surroundings);
            layer("solid", Paint::Opaque, &marks);
            for shell in [&ghosts, &volume] {
                layer("shell", Paint::Nearest, shell);
                layer("shell", Paint::Mixed, shell);
            }
            layer("veil", Paint::Nearest, &surroundings);
            layer("veil", Paint::Mixed, &surroundings);
            layer("hidden_mark", Paint::Hidden, &marks);
        }
        let to = wgpu::TexelCopyBufferInfo {
            buffer: pixels,
            layout: wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row_bytes), rows_per_image: None },
        };
        encoder.copy_texture_to_buffer(picture.as_image_copy(), to, self.size);
        encoder.finish()
    }

    /// Begins a pass into `target` with a depth of its own; it ends in `resolve` where there are several samples of a pixel.
    fn pass<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
        target: &wgpu::Texture,
        resolve: Option<&wgpu::Texture>,
        load: wgpu::LoadOp<wgpu::Color>,
    ) -> wgpu::RenderPass<'e> {
        let depth = self.texture(self.size, DEPTH, target.sample_count(), TextureUsages::empty());
        let view = |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
        let resolve = resolve.map(view);
        let store = if resolve.is_some() { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store };
        let colour = wgpu::RenderPassColorAttachment {
            view: &view(target),
            depth_slice: None,
            resolve_target: resolve.as_ref(),
            ops: wgpu::Operations { load, store },
        };
        let depth_ops = wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Discard };
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(colour)],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &view(&depth),
                depth_ops: Some(depth_ops),
                stencil_ops: None,
            }),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        })
    }

    fn texture(&self, size: wgpu::Extent3d, format: TextureFormat, samples: u32, more: TextureUsages) -> wgpu::Texture {
        self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("picture"),
            size,
            mip_level_count: 1,
            sample_count: samples,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: TextureUsages::RENDER_ATTACHMENT | more,
            view_formats: &[],
        })
    }

    fn bind(&self, subject: &wgpu::Texture) -> wgpu::BindGroup {
        let view = subject.create_view(&wgpu::TextureViewDescriptor::default());
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("render"),
            layout: &self.layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: self.lens.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(&view) },
            ],
        })
    }

    fn upload(&self, corners: &[Corner]) -> Vec<Batch> {
        let upload = |batch: &[Corner]| {
            let buffer = self.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some("corners"),
                contents: bytemuck::cast_slice(batch),
                usage: wgpu::BufferUsages::VERTEX,
            });
            (buffer, batch.len() as u32)
        };
        corners.chunks(BATCH).map(upload).collect()
    }

    fn pipeline(&self, fragment: &str, paint: Paint, format: TextureFormat, samples: u32) -> wgpu::RenderPipeline {
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(fragment),
            bind_group_layouts: &[Some(&self.layout)],
            immediate_size: 0,
        });
        let corners = wgpu::VertexBufferLayout {
            array_stride: size_of::<Corner>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Unorm8x4],
        };
        let is_mixed = matches!(paint, Paint::Mixed | Paint::Hidden);
        let target = wgpu::ColorTargetState {
            format,
            blend: is_mixed.then_some(wgpu::BlendState::ALPHA_BLENDING),
            write_mask: if paint == Paint::Nearest { ColorWrites::empty() } else { ColorWrites::ALL },
        };
        let compare = match paint {
            Paint::Opaque | Paint::Nearest => CompareFunction::Less,
            Paint::Mixed => CompareFunction::Equal,
            Paint::Hidden => CompareFunction::Greater,
        };
        let compilation_options = wgpu::PipelineCompilationOptions::default;
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(fragment),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &self.module,
                // A translucent surface gives way to what it nearly coincides with.
                entry_point: Some(if fragment == "shell" { "corner_behind" } else { "corner" }),
                compilation_options: compilation_options(),
                buffers: &[Some(corners)],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: Some(wgpu::DepthStencilState {
                format: DEPTH,
                depth_write_enabled: Some(!is_mixed),
                depth_compare: Some(compare),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState::default(),
            }),
            multisample: wgpu::MultisampleState { count: samples, ..wgpu::MultisampleState::default() },
            fragment: Some(wgpu::FragmentState {
                module: &self.module,
                entry_point: Some(fragment),
                compilation_options: compilation_options(),
                targets: &[Some(target)],
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

/// Corners on the device, and how many.
type Batch = (wgpu::Buffer, u32);

fn draw(pass: &mut wgpu::RenderPass, pipeline: &wgpu::RenderPipeline, group: &wgpu::BindGroup, part: &[Batch]) {
    pass.set_pipeline(pipeline);
    pass.set_bind_group(0, group, &[]);
    for (buffer, n) in part {
        pass.set_vertex_buffer(0, buffer.slice(..));
        pass.draw(0..*n, 0..1);
    }
}
