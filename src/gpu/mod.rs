//! The only module that depends on wgpu: adapters, kernels, buffers, dispatches.

mod adapters;
mod block_on;
mod buffers;
mod device;
mod draw;
mod faults;
mod kernel;
mod kernel_cost;
mod memory;
mod nodes;
mod pages;
mod program;
mod raster;
mod recording;
mod reflection;
mod region_counts;
pub mod shader;
mod traffic;
mod world;

pub use adapters::{AdapterChoice, AdapterSummary};
pub use buffers::{BufferId, Buffers, PageRange, ROUTING_STRIDE};
pub use device::Gpu;
pub use draw::{Corner, Frame, Layer, Lens, Paint, SOURCE as RENDER_SOURCE};
pub use faults::Faults;
pub use kernel_cost::KernelCost;
pub use pages::SceneStart;
pub use program::CompiledKernel;
pub use raster::TARGET_PIXELS;
pub use recording::{ARGS_BYTES, Clear, Dispatch, INDIRECT_ARGS, Readback, Span, Submission, WorkSize};
pub use reflection::{Access, Binding, Interface};
pub use region_counts::{CountedRegions, MAX_WORDS as MAX_REGION_WORDS, WAVE};
pub use traffic::Traffic;
pub use world::first_link_triangles;
