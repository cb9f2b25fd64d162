//! Textures and pipelines of a picture, and the passes of an exposure.

use super::exposure::{LIGHTS, SHADOW_PX};
use super::pipelines::{DEPTH, DISTANCE, LIGHT, Layouts, PIXELS, Pipelines, bind};
use super::{Corner, Frame, Gpu, Paint};
use wgpu::util::DeviceExt;
use wgpu::{ColorWrites, CompareFunction, LoadOp, StoreOp, TextureFormat, TextureUsages, TextureView};

/// The distance of empty pixels.
const NOWHERE: wgpu::Color = wgpu::Color { r: 1e30, g: 1e30, b: 1e30, a: 0.0 };
/// Maximum number of corners in one buffer: far below what every adapter supports, and a whole number of triangles.
const MAX_BATCH: usize = 3 << 19;
const ALL_VERTICES: std::ops::Range<u32> = 0..3;

/// Corners on the device.
struct Batch {
    corners: wgpu::Buffer,
    n_corners: u32,
}

/// A layer on the device.
struct Painted {
    paint: Paint,
    batches: Vec<Batch>,
    pipeline: wgpu::RenderPipeline,
}

/// Resources shared by the exposures of a picture.
pub struct Easel<'g> {
    device: &'g wgpu::Device,
    size: wgpu::Extent3d,
    background: wgpu::Color,
    layers: Vec<Painted>,
    uniform_layout: wgpu::BindGroupLayout,
    light: TextureView,
    sum: TextureView,
    picture: wgpu::Texture,
    distances: TextureView,
    depth: TextureView,
    shadows: Vec<TextureView>,
    surroundings: wgpu::BindGroup,
    light_group: wgpu::BindGroup,
    sum_group: wgpu::BindGroup,
    shadow: wgpu::RenderPipeline,
    distance: [wgpu::RenderPipeline; 3],
    hidden_mark: wgpu::RenderPipeline,
    accumulate: wgpu::RenderPipeline,
    finish: wgpu::RenderPipeline,
}

impl<'g> Easel<'g> {
    /// Uploads the layers and creates the resources of exposures.
    pub fn new(gpu: &'g Gpu, text: &str, frame: &Frame) -> Self {
        let device = &gpu.device;
        let [width, height] = frame.size;
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("render"),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let layouts = Layouts::new(device);
        let make = Pipelines { device, module: &module, layouts: &layouts };
        let layers = Paint::ALL.into_iter().filter_map(|paint| {
            let corners = frame.layers.iter().filter(|l| l.paint == paint).flat_map(|l| l.corners.chunks(MAX_BATCH));
            let batches: Vec<Batch> = corners.map(|batch| upload(device, batch)).collect();
            let pipeline = || make.layer(paint.entry_points(), CompareFunction::Less);
            (!batches.is_empty()).then(|| Painted { paint, batches, pipeline: pipeline() })
        });
        let layers = layers.collect();
        let texture = |size, format, usage| texture(device, size, format, TextureUsages::RENDER_ATTACHMENT | usage);
        let whole = |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
        let light = whole(&texture(size, LIGHT, TextureUsages::TEXTURE_BINDING));
        let sum = whole(&texture(size, LIGHT, TextureUsages::TEXTURE_BINDING));
        let distances = whole(&texture(size, DISTANCE, TextureUsages::TEXTURE_BINDING));
        let map_size = wgpu::Extent3d { width: SHADOW_PX, height: SHADOW_PX, depth_or_array_layers: LIGHTS as u32 };
        let maps = texture(map_size, DEPTH, TextureUsages::TEXTURE_BINDING);
        let map = |i: u32| {
            maps.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(wgpu::TextureViewDimension::D2),
                base_array_layer: i,
                array_layer_count: Some(1),
                ..wgpu::TextureViewDescriptor::default()
            })
        };
        let [r, g, b] = frame.lens.background.to_array().map(f64::from);
        let [red, green, blue] = [ColorWrites::RED, ColorWrites::GREEN, ColorWrites::BLUE];
        Self {
            device,
            size,
            background: wgpu::Color { r, g, b, a: 1.0 },
            layers,
            picture: texture(size, PIXELS, TextureUsages::COPY_SRC),
            depth: whole(&texture(size, DEPTH, TextureUsages::empty())),
            shadows: (0..LIGHTS as u32).map(map).collect(),
            surroundings: layouts.bind_surroundings(device, &distances, &whole(&maps)),
            light_group: layouts.bind_image(device, &light),
            sum_group: layouts.bind_image(device, &sum),
            shadow: make.shadow(),
            distance: [red, red | green, red | green | blue].map(|channels| make.distance(channels)),
            hidden_mark: make.layer(["corner", "hidden_mark"], CompareFunction::Greater),
            accumulate: make.image("accumulate", LIGHT),
            finish: make.image("finish", PIXELS),
            uniform_layout: layouts.uniforms,
            light,
            sum,
            distances,
        }
    }

    /// Records an exposure, and its addition to the sum.
    pub fn expose(&self, uniforms: &[u8]) -> wgpu::CommandBuffer {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let group = self.bind_uniforms(uniforms);
        for (i, map) in (0..).zip(&self.shadows) {
            let mut pass = begin(&mut encoder, None, Some(map));
            pass.set_pipeline(&self.shadow);
            pass.set_bind_group(0, &group, &[]);
            self.draw(&mut pass, Paint::throws_shadow, i);
        }
        // The robot's distance replaces the distance of the volume around it, which is nearer.
        let volume = &[(Paint::Volume, 0)][..];
        let robot = &[(Paint::Robot, 2), (Paint::Start, 1), (Paint::End, 1)];
        for (load, parts) in [(LoadOp::Clear(NOWHERE), volume), (LoadOp::Load, robot)] {
            let mut pass = begin(&mut encoder, Some((&self.distances, load)), Some(&self.depth));
            pass.set_bind_group(0, &group, &[]);
            for &(paint, channels) in parts {
                pass.set_pipeline(&self.distance[channels]);
                self.draw(&mut pass, |p| p == paint, 0);
            }
        }
        {
            let load = LoadOp::Clear(self.background);
            let mut pass = begin(&mut encoder, Some((&self.light, load)), Some(&self.depth));
            pass.set_bind_group(0, &group, &[]);
            pass.set_bind_group(1, &self.surroundings, &[]);
            for layer in &self.layers {
                pass.set_pipeline(&layer.pipeline);
                self.draw(&mut pass, |p| p == layer.paint, 0);
            }
            pass.set_pipeline(&self.hidden_mark);
            self.draw(&mut pass, |p| p == Paint::Mark, 0);
        }
        let mut pass = begin(&mut encoder, Some((&self.sum, LoadOp::Load)), None);
        pass.set_pipeline(&self.accumulate);
        pass.set_bind_group(0, &group, &[]);
        pass.set_bind_group(1, &self.light_group, &[]);
        pass.draw(ALL_VERTICES, 0..1);
        drop(pass);
        encoder.finish()
    }

    /// Records the encoding of the sum as pixels, and their copy into a buffer.
    pub fn finish(&self, pixels: &wgpu::Buffer, row_bytes: u32) -> wgpu::CommandBuffer {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let picture = self.picture.create_view(&wgpu::TextureViewDescriptor::default());
            let mut pass = begin(&mut encoder, Some((&picture, LoadOp::Clear(wgpu::Color::BLACK))), None);
            pass.set_pipeline(&self.finish);
            pass.set_bind_group(1, &self.sum_group, &[]);
            pass.draw(ALL_VERTICES, 0..1);
        }
        let to = wgpu::TexelCopyBufferInfo {
            buffer: pixels,
            layout: wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row_bytes), rows_per_image: None },
        };
        encoder.copy_texture_to_buffer(self.picture.as_image_copy(), to, self.size);
        encoder.finish()
    }

    fn draw(&self, pass: &mut wgpu::RenderPass, is_drawn: impl Fn(Paint) -> bool, instance: u32) {
        for batch in self.layers.iter().filter(|l| is_drawn(l.paint)).flat_map(|l| &l.batches) {
            pass.set_vertex_buffer(0, batch.corners.slice(..));
            pass.draw(0..batch.n_corners, instance..instance + 1);
        }
    }

    fn bind_uniforms(&self, uniforms: &[u8]) -> wgpu::BindGroup {
        let buffer = self.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("exposure"),
            contents: uniforms,
            usage: wgpu::BufferUsages::UNIFORM,
        });
        bind(self.device, &self.uniform_layout, [(0, buffer.as_entire_binding())])
    }
}

/// Begins a pass; depth is cleared, and kept only if the pass writes nothing else.
fn begin<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    colour: Option<(&TextureView, LoadOp<wgpu::Color>)>,
    depth: Option<&TextureView>,
) -> wgpu::RenderPass<'e> {
    let store = if colour.is_none() { StoreOp::Store } else { StoreOp::Discard };
    let colour = colour.map(|(view, load)| wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations { load, store: StoreOp::Store },
    });
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("picture"),
        color_attachments: if colour.is_some() { std::slice::from_ref(&colour) } else { &[] },
        depth_stencil_attachment: depth.map(|view| wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(wgpu::Operations { load: LoadOp::Clear(1.0), store }),
            stencil_ops: None,
        }),
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    })
}

fn texture(device: &wgpu::Device, size: wgpu::Extent3d, format: TextureFormat, usage: TextureUsages) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

fn upload(device: &wgpu::Device, corners: &[Corner]) -> Batch {
    let buffer = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("corners"),
        contents: bytemuck::cast_slice(corners),
        usage: wgpu::BufferUsages::VERTEX,
    });
    Batch { corners: buffer, n_corners: corners.len() as u32 }
}
