//! Declarations of kernels: an entry point of a WGSL file. Everything else (bindings, workgroup size) is read from the
//! source.

/// A compute kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// File stem: `wgsl/<stem>.wgsl` is the source.
    pub stem: &'static str,
    /// WGSL source, before libraries are added.
    pub source: &'static str,
    /// Entry point.
    pub entry: &'static str,
}

/// A kernel that draws instances of a triangle strip, whose fragments write storage buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RasterKernel {
    /// File stem: `wgsl/<stem>.wgsl` is the source.
    pub stem: &'static str,
    /// WGSL source, before libraries are added.
    pub source: &'static str,
    /// Entry point of the vertex stage.
    pub vertex: &'static str,
    /// Entry point of the fragment stage.
    pub fragment: &'static str,
}

/// The [`Kernel`] with an entry point of `wgsl/<stem>.wgsl`.
#[cfg(feature = "gpu")]
macro_rules! kernel {
    ($stem:literal, $entry:literal) => {
        $crate::stage::kernel::Kernel {
            stem: $stem,
            source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/wgsl/", $stem, ".wgsl")),
            entry: $entry,
        }
    };
}

/// The [`RasterKernel`] with two entry points of `wgsl/<stem>.wgsl`.
#[cfg(feature = "gpu")]
macro_rules! raster_kernel {
    ($stem:literal, $vertex:literal, $fragment:literal) => {
        $crate::stage::kernel::RasterKernel {
            stem: $stem,
            source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/wgsl/", $stem, ".wgsl")),
            vertex: $vertex,
            fragment: $fragment,
        }
    };
}

#[cfg(feature = "gpu")]
pub(crate) use {kernel, raster_kernel};
