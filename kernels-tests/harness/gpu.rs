//! The adapter of the tests, and kernels that lack a safety term.

use super::skipped;
use firstcontact::engine::Options;
use firstcontact::engine::gpu_backend::{GpuPipeline, Sources};
use firstcontact::gpu::Gpu;
use firstcontact::gpu::shader::Source;
use firstcontact::scene::world::CollisionWorld;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A safety term removed: in kernels whose expanded source contains `old` exactly once, it is replaced by `new`.
#[derive(Clone, Copy)]
pub struct Mutant {
    pub old: &'static str,
    pub new: &'static str,
}

/// Returns whether tests on an adapter are skipped, which must be requested, and reports it.
#[track_caller]
pub fn skip() -> bool {
    let skip = std::env::var_os("FIRSTCONTACT_GPU").is_some_and(|v| v == "skip");
    if skip {
        skipped::report("FIRSTCONTACT_GPU is skip");
    }
    skip
}

/// Returns whether the first adapter is a real graphics processor.
pub fn is_hardware() -> bool {
    Gpu::list().first().is_some_and(|adapter| adapter.hardware)
}

/// The pipeline on the first adapter, with a mutant in every kernel that contains its text; at least one must. A
/// missing adapter is a failure, because a test that does not run tests nothing.
pub fn mutated_pipeline(world: &CollisionWorld, options: &Options, mutant: Option<Mutant>) -> GpuPipeline {
    let fitted = AtomicUsize::new(0);
    let mutated = |source: Source| match mutant {
        Some(m) if source.text.contains(m.old) => {
            fitted.fetch_add(1, Ordering::Relaxed);
            source.replaced(m.old, m.new)
        }
        _ => Ok(source),
    };
    let sources = Sources {
        compute: &|kernel| mutated(Source::expand(kernel.stem, kernel.source)?),
        raster: &|kernel| mutated(Source::expand(kernel.stem, kernel.source)?),
    };
    let world = Arc::new(world.clone());
    let pipeline = GpuPipeline::with_sources(world, options, false, &sources).unwrap_or_else(|e| panic!("{e}"));
    assert!(mutant.is_none() || fitted.load(Ordering::Relaxed) > 0, "fits no kernel: {}", mutant.map_or("", |m| m.old));
    pipeline
}
