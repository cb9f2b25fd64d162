//! The machine and the software versions of a measurement.

use firstcontact::gpu::Gpu;
use firstcontact::io::load::system_memory_bytes;
use serde::{Deserialize, Serialize};
use sysinfo::{CpuRefreshKind, System};

/// A machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// Its number of cores.
    pub cores: usize,
    /// Number of threads that run simultaneously: the number available to a program with one thread per processor.
    pub threads: usize,
    /// Memory that the program may use, bytes.
    pub memory_bytes: u64,
    /// The operating system, and the processor architecture.
    pub os: String,
    /// Graphics adapters, the best first; empty if they were not requested.
    pub adapters: Vec<Adapter>,
}

/// A graphics adapter.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Adapter {
    /// Its name.
    pub name: String,
    /// Driver and version.
    pub driver: String,
    /// Vulkan, Metal, Dx12.
    pub backend: String,
    /// `hardware` or `software`.
    pub kind: String,
}

/// Versions of the software.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Versions {
    /// Version of this program.
    pub firstcontact: String,
    /// The commit that it was built from, if known.
    pub commit: Option<String>,
    /// Version of the compiler.
    pub rustc: String,
}

impl Machine {
    /// This machine; its adapters only if requested.
    pub fn this(adapters: bool) -> Self {
        let system = System::new().ok().map(|mut system| {
            system.refresh_cpu_list(CpuRefreshKind::nothing());
            system
        });
        let brand = system.and_then(|s| s.cpus().first().map(|cpu| cpu.brand().trim().to_string()));
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let os = System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.into());
        let list = if adapters { Gpu::list() } else { Vec::new() };
        Self {
            cpu: brand.filter(|b| !b.is_empty()).unwrap_or_else(System::cpu_arch),
            cores: System::physical_core_count().unwrap_or(threads),
            threads,
            memory_bytes: system_memory_bytes().unwrap_or(0),
            os: format!("{}, {}", os.trim(), System::cpu_arch()),
            adapters: list
                .into_iter()
                .map(|a| Adapter {
                    name: a.name,
                    driver: a.driver,
                    backend: a.interface,
                    kind: if a.hardware { "hardware" } else { "software" }.into(),
                })
                .collect(),
        }
    }
}

impl Versions {
    /// The versions of this program.
    pub fn this() -> Self {
        Self {
            firstcontact: env!("CARGO_PKG_VERSION").into(),
            commit: Some(env!("FIRSTCONTACT_COMMIT").to_string()).filter(|commit| !commit.is_empty()),
            rustc: env!("FIRSTCONTACT_RUSTC").into(),
        }
    }
}
