//! The graphics adapters of this machine, and the choice among them.

use super::block_on::block_on;
use super::device::{Gpu, gpu_error};
use super::faults::Faults;
use crate::error::Result;
use std::sync::OnceLock;

/// The choice of an adapter.
#[derive(Clone, Debug, Default)]
pub struct AdapterChoice {
    /// Part of the adapter's name, or `pci:` and its address, ignoring case; `None` selects the best adapter.
    pub name: Option<String>,
    /// Accepts only a real graphics processor, not a software implementation.
    pub hardware_only: bool,
    /// Simulated faults, for tests.
    pub faults: Faults,
}

/// The name that selects all adapters.
const ALL: &str = "all";

/// Description of an adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterSummary {
    /// The adapter's name.
    pub name: String,
    /// Driver name and version.
    pub driver: String,
    /// The graphics interface: Vulkan, Metal, DX12.
    pub interface: String,
    /// True for a real graphics processor.
    pub hardware: bool,
    /// The address on the PCI bus, such as `0000:41:00.0`; empty if the driver does not report it.
    pub pci: String,
}

impl AdapterSummary {
    /// Returns whether a name is part of the adapter's name, or `pci:` and its address, ignoring case.
    pub fn is_called(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        match name.strip_prefix("pci:") {
            Some(address) => !address.is_empty() && self.pci.to_lowercase() == address,
            None => self.name.to_lowercase().contains(&name),
        }
    }

    /// The name that identifies the adapter best: its address if that is known.
    pub(crate) fn unique_name(&self) -> String {
        if self.pci.is_empty() { self.name.clone() } else { format!("pci:{}", self.pci) }
    }

    /// The name, with the address if that is known.
    fn in_words(&self) -> String {
        let Self { name, pci, .. } = self;
        if pci.is_empty() { name.clone() } else { format!("{name} (pci:{pci})") }
    }
}

impl From<wgpu::AdapterInfo> for AdapterSummary {
    fn from(info: wgpu::AdapterInfo) -> Self {
        use wgpu::DeviceType::{DiscreteGpu, IntegratedGpu, VirtualGpu};
        Self {
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_string(),
            interface: format!("{:?}", info.backend),
            hardware: matches!(info.device_type, DiscreteGpu | IntegratedGpu | VirtualGpu),
            name: info.name,
            pci: info.device_pci_bus_id,
        }
    }
}

/// The instance of this process. It is never destroyed: after about thirty cycles of creating and destroying the only
/// instance, NVIDIA's driver for Linux (580.159) reports no adapters, and creating instances on several threads at the
/// same time is a known fault of it (wgpu#5930).
fn instance() -> &'static wgpu::Instance {
    static INSTANCE: OnceLock<wgpu::Instance> = OnceLock::new();
    INSTANCE.get_or_init(|| {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::PRIMARY;
        // Dispatch sizes are bounded by the kernels themselves; a check by wgpu would take another dispatch for each.
        descriptor.flags = wgpu::InstanceFlags::empty();
        wgpu::Instance::new(descriptor)
    })
}

/// All adapters of this machine, the best first.
fn adapters() -> Vec<wgpu::Adapter> {
    use wgpu::DeviceType::{Cpu, DiscreteGpu, IntegratedGpu, Other, VirtualGpu};
    let mut all = block_on(instance().enumerate_adapters(wgpu::Backends::PRIMARY));
    all.sort_by_key(|a| match a.get_info().device_type {
        DiscreteGpu => 0,
        IntegratedGpu => 1,
        VirtualGpu => 2,
        Other => 3,
        Cpu => 4,
    });
    all
}

/// Descriptions of adapters.
fn summaries(adapters: &[wgpu::Adapter]) -> Vec<AdapterSummary> {
    adapters.iter().map(|adapter| adapter.get_info().into()).collect()
}

impl Gpu {
    /// All adapters of this machine, the best first.
    pub fn list() -> Vec<AdapterSummary> {
        summaries(&adapters())
    }

    /// Opens an adapter.
    ///
    /// If Mesa's layer for the selection of devices is installed and `XDG_RUNTIME_DIR` is not set, that layer prints
    /// `XDG_RUNTIME_DIR is invalid or not set`, because it looks for a Wayland display. An absolute path in
    /// `WAYLAND_DISPLAY`, such as `/dev/null`, keeps it from printing; the command sets that for itself.
    ///
    /// # Errors
    /// There is no adapter, the requested adapter does not exist, or it lacks features that the kernels need.
    pub fn open(choice: &AdapterChoice) -> Result<Self> {
        let all = adapters();
        let known = summaries(&all);
        let best = || known.iter().position(|adapter| adapter.hardware || !choice.hardware_only);
        let chosen = match &choice.name {
            Some(name) => choose(std::slice::from_ref(name), &known)?.first().copied(),
            None => best(),
        };
        let adapter = chosen.ok_or_else(|| {
            let remedy = format!("--backend gpu uses a software one: {}", names(&known));
            no_adapter(&known).unwrap_or_else(|| gpu_error("no hardware graphics adapter").remedy(remedy))
        })?;
        Self::from_adapter(&all[adapter], choice.faults)
    }

    /// Opens several adapters, one for each name; equal names select different adapters. The name `all` selects every
    /// hardware adapter, or every software adapter on a machine without hardware.
    ///
    /// # Errors
    /// As [`open`](Self::open), or there are fewer adapters than names.
    pub fn open_all(names: &[String], faults: Faults) -> Result<Vec<Self>> {
        let all = adapters();
        let chosen = choose(names, &summaries(&all))?;
        let devices = (0..=faults.more_devices).flat_map(|_| &chosen);
        devices.map(|&adapter| Self::from_adapter(&all[adapter], faults)).collect()
    }
}

/// The error for a machine without adapters; `None` if it has adapters.
fn no_adapter(known: &[AdapterSummary]) -> Option<crate::error::Error> {
    let install = "install a Vulkan driver; a software one is in Debian's mesa-vulkan-drivers with libvulkan1";
    known.is_empty().then(|| gpu_error("no graphics adapter").remedy(install))
}

fn names(known: &[AdapterSummary]) -> String {
    known.iter().map(AdapterSummary::in_words).collect::<Vec<_>>().join(", ")
}

/// The indices of the adapters with these names, all different.
fn choose(wanted: &[String], known: &[AdapterSummary]) -> Result<Vec<usize>> {
    if let Some(error) = no_adapter(known) {
        return Err(error);
    }
    let mut chosen: Vec<usize> = Vec::new();
    for name in wanted {
        let is_all = name.eq_ignore_ascii_case(ALL);
        let fits: Vec<usize> = (0..known.len())
            .filter(|&i| if is_all { is_one_of_all(known, i) } else { known[i].is_called(name) })
            .collect();
        let mut free = fits.iter().copied().filter(|i| !chosen.contains(i)).collect::<Vec<_>>();
        if !is_all {
            free.truncate(1);
        }
        if free.is_empty() {
            let message = match fits.len() {
                0 => format!("no adapter is called '{name}'"),
                n => format!("more adapters called '{name}' are selected than exist: {n}"),
            };
            return Err(gpu_error(message).remedy(format!("available adapters: {}", names(known))));
        }
        chosen.append(&mut free);
    }
    Ok(chosen)
}

/// Returns whether an adapter is one of all: hardware if there is any, through the best adapter's interface, since
/// other interfaces lead to the same adapters.
fn is_one_of_all(known: &[AdapterSummary], i: usize) -> bool {
    known[i].hardware == known[0].hardware && known[i].interface == known[0].interface
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(name: &str, hardware: bool, pci: &str) -> AdapterSummary {
        let [name, driver, interface, pci] = [name, "driver", "Vulkan", pci].map(String::from);
        AdapterSummary { name, driver, interface, hardware, pci }
    }

    fn chosen(wanted: &[&str], known: &[AdapterSummary]) -> Result<Vec<usize>> {
        choose(&wanted.iter().map(|name| (*name).to_string()).collect::<Vec<_>>(), known)
    }

    #[test]
    fn adapters_have_names_and_addresses() {
        let (known, unknown) = (adapter("GeForce RTX", true, "0000:4A:00.0"), adapter("GeForce RTX", true, ""));
        assert!(
            known.is_called("geforce") && known.is_called("pci:0000:4a:00.0") && known.is_called("PCI:0000:4A:00.0")
        );
        for other in ["radeon", "pci:", "pci:0000:4a:00", "pci:0000:41:00.0"] {
            assert!(!known.is_called(other) && !unknown.is_called(other), "{other}");
        }
        assert_eq!(known.in_words(), "GeForce RTX (pci:0000:4A:00.0)");
        assert_eq!(unknown.in_words(), "GeForce RTX");
        assert!(known.is_called(&known.unique_name()) && unknown.is_called(&unknown.unique_name()));
    }

    #[test]
    fn equal_names_select_different_adapters() {
        let known = [adapter("H200", true, "1"), adapter("H200", true, "2"), adapter("llvmpipe", false, "")];
        assert_eq!(chosen(&["h200"], &known).unwrap(), [0]);
        assert_eq!(chosen(&["llvm", "h200", "H200"], &known).unwrap(), [2, 0, 1]);
        assert_eq!(chosen(&["pci:2", "h200"], &known).unwrap(), [1, 0]);
        for (wanted, n) in [(["h200", "h200", "h200"], 2), (["h200", "llvm", "pci:1"], 1)] {
            let error = chosen(&wanted, &known).unwrap_err().to_string();
            assert!(error.contains(&format!("than exist: {n}")) && error.contains("llvmpipe"), "{error}");
        }
        let error = chosen(&["h200", "radeon"], &known).unwrap_err().to_string();
        assert!(error.contains("no adapter is called 'radeon'") && error.contains("H200 (pci:2)"), "{error}");
        assert!(chosen(&["h200"], &[]).unwrap_err().to_string().contains("no graphics adapter"));
    }

    #[test]
    fn all_selects_hardware_adapters_or_otherwise_software_ones() {
        let other = AdapterSummary { interface: "Dx12".into(), ..adapter("H200", true, "1") };
        let known = [adapter("H200", true, "1"), adapter("H200", true, "2"), other, adapter("llvmpipe", false, "")];
        assert_eq!(chosen(&["all"], &known).unwrap(), [0, 1]);
        assert_eq!(chosen(&["llvmpipe", "All"], &known).unwrap(), [3, 0, 1]);
        let software = [adapter("llvmpipe", false, ""), adapter("SwiftShader", false, "")];
        assert_eq!(chosen(&["all"], &software).unwrap(), [0, 1]);
        assert!(chosen(&["all", "all"], &software).is_err());
    }
}
