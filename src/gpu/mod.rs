//! The only place that knows the graphics library: adapters, kernels, buffers, dispatches.

mod buffers;
mod device;
mod draw;
mod faults;
mod kernel;
pub mod layout;
mod nodes;
mod occlusion;
mod pages;
mod raster;
mod recording;
pub mod shader;
mod world;

pub use buffers::{Buffers, PASS_STRIDE, Slot};
pub use device::{AdapterChoice, AdapterSummary, Gpu};
pub use draw::{Corner, Frame, Layer, Lens, Paint, SOURCE as RENDER_SOURCE};
pub use faults::Faults;
pub use kernel::{Access, Binding, Kernel, Pipeline, bind};
pub use occlusion::MAX_QUERIES;
pub use pages::PageRange;
pub use raster::{Depth, Drawing, TARGET_PIXELS};
pub use recording::{DISPATCH, Readback, Size, Step, Submission};
pub use world::first_link_triangles;
