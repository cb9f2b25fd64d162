//! The bindings of a kernel, read from its WGSL source: every variable of group 0 has the name of the buffer that it is
//! bound to.

use super::buffers::BufferId;
use super::shader::Source;
use crate::error::{Error, ErrorKind, Result};
use naga::{AddressSpace, StorageAccess};
use wgpu::{BindGroupLayoutEntry, BindingType, BufferBindingType, ShaderStages};

/// Suffix of a variable that reads a buffer which other entry points of the file write.
const READ_ONLY_SUFFIX: &str = "_in";
/// Maximum number of storage buffers that an entry point may bind: the number that every adapter supports.
pub const MAX_STORAGE_BUFFERS: u32 = 8;
/// Maximum number of invocations of a workgroup: the number that every adapter supports.
const MAX_WORKGROUP: u32 = 256;

/// Use of a buffer by a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `var<uniform>`.
    Uniform,
    /// `var<storage, read>`.
    Read,
    /// `var<storage, read_write>`.
    ReadWrite,
}

/// A binding of group 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Binding number.
    pub number: u32,
    /// The entry points' use of the buffer.
    pub access: Access,
    /// The buffer.
    pub buffer: BufferId,
    /// The stages that use it.
    pub visibility: ShaderStages,
}

impl Binding {
    pub(super) fn layout_entry(&self) -> BindGroupLayoutEntry {
        let ty = match self.access {
            Access::Uniform => BufferBindingType::Uniform,
            Access::Read => BufferBindingType::Storage { read_only: true },
            Access::ReadWrite => BufferBindingType::Storage { read_only: false },
        };
        let ty = BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
        BindGroupLayoutEntry { binding: self.number, visibility: self.visibility, ty, count: None }
    }
}

/// The bindings of a kernel's entry points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Bindings of group 0, by number.
    pub bindings: Vec<Binding>,
    /// True if group 1 holds the uniform `routing`.
    pub uses_routing: bool,
    /// Invocations per workgroup; 0 for a raster kernel.
    pub workgroup_size: u32,
}

impl Interface {
    /// Reads the interface of some entry points of one source.
    ///
    /// # Errors
    /// The source is invalid, an entry point is missing, a variable does not have the name of a buffer, or an entry
    /// point exceeds the limits that every adapter supports.
    pub fn of(source: &Source, entries: &[&str]) -> Result<Self> {
        let (module, info) = source.validate()?;
        let mut interface = Self::default();
        for name in entries {
            let invalid = |message: String| Error::new(ErrorKind::Gpu, message).at(format!("entry point '{name}'"));
            let found = module.entry_points.iter().enumerate().find(|(_, e)| e.name == *name);
            let (index, entry) = found.ok_or_else(|| invalid("the source does not have it".into()))?;
            let visibility = match entry.stage {
                naga::ShaderStage::Vertex => ShaderStages::VERTEX,
                naga::ShaderStage::Fragment => ShaderStages::FRAGMENT,
                _ => ShaderStages::COMPUTE,
            };
            interface.workgroup_size = entry.workgroup_size.iter().product();
            if interface.workgroup_size > MAX_WORKGROUP {
                return Err(invalid(format!("{} invocations in a workgroup", interface.workgroup_size)));
            }
            let mut n_storage = 0;
            for (handle, variable) in module.global_variables.iter() {
                let Some(at) = &variable.binding else { continue };
                if info.get_entry_point(index)[handle].is_empty() {
                    continue;
                }
                if at.group == 1 {
                    interface.uses_routing = true;
                    continue;
                }
                let name = variable.name.as_deref().unwrap_or_default();
                let buffer = BufferId::from_name(name.strip_suffix(READ_ONLY_SUFFIX).unwrap_or(name));
                let buffer = buffer.ok_or_else(|| invalid(format!("it binds '{name}', which is not a buffer")))?;
                let access = match variable.space {
                    AddressSpace::Uniform => Access::Uniform,
                    AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => Access::ReadWrite,
                    AddressSpace::Storage { .. } => Access::Read,
                    other => return Err(invalid(format!("'{name}' is in address space {other:?}"))),
                };
                // Kernels that count are for measurements on adapters with more bindings.
                n_storage += u32::from(access != Access::Uniform && buffer != BufferId::RegionCounts);
                interface.add(Binding { number: at.binding, access, buffer, visibility });
            }
            if n_storage > MAX_STORAGE_BUFFERS {
                return Err(invalid(format!("it binds {n_storage} storage buffers, adapters may have only 8")));
            }
        }
        interface.bindings.sort_by_key(|b| b.number);
        Ok(interface)
    }

    /// Adds a binding, or adds the stage to an existing binding of another entry point.
    fn add(&mut self, binding: Binding) {
        match self.bindings.iter_mut().find(|b| b.number == binding.number) {
            Some(known) => known.visibility |= binding.visibility,
            None => self.bindings.push(binding),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interface(text: &str, entries: &[&str]) -> Result<Interface> {
        Interface::of(&Source::expand("kernel", text).unwrap(), entries)
    }

    #[test]
    fn buffers_are_found_by_name_and_unused_ones_left_out() {
        let text = "//!use lib/chunk\n\
            @group(0) @binding(3) var<storage, read> poses: array<f32>;\n\
            @group(0) @binding(5) var<storage, read_write> boxes: array<f32>;\n\
            @group(0) @binding(7) var<storage, read> links: array<f32>;\n\
            @group(1) @binding(0) var<uniform> routing: Routing;\n\
            @compute @workgroup_size(8, 4) fn copy() { boxes[routing.input] = poses[0]; }\n\
            @compute @workgroup_size(1) fn none() {}\n";
        let found = interface(text, &["copy"]).unwrap();
        let visibility = ShaderStages::COMPUTE;
        let expected = [
            Binding { number: 3, access: Access::Read, buffer: BufferId::Poses, visibility },
            Binding { number: 5, access: Access::ReadWrite, buffer: BufferId::Boxes, visibility },
        ];
        assert_eq!((found.bindings.as_slice(), found.uses_routing, found.workgroup_size), (&expected[..], true, 32));
        assert_eq!(interface(text, &["none"]).unwrap().bindings, []);
        assert!(interface(text, &["missing"]).is_err());
    }

    #[test]
    fn a_read_only_view_has_the_name_of_its_buffer_and_a_suffix() {
        let text = "@group(0) @binding(0) var<storage, read> tiles_in: array<f32>;\n\
            @group(0) @binding(1) var<storage, read_write> tiles: array<f32>;\n\
            @compute @workgroup_size(1) fn f() { let x = tiles_in[0]; }\n";
        assert_eq!(interface(text, &["f"]).unwrap().bindings[0].buffer, BufferId::Tiles);
    }

    #[test]
    fn interfaces_beyond_guaranteed_limits_are_errors() {
        let unknown = "@group(0) @binding(0) var<storage, read> tils: array<f32>;\n\
            @compute @workgroup_size(1) fn f() { let x = tils[0]; }\n";
        assert!(interface(unknown, &["f"]).unwrap_err().to_string().contains("'tils'"));
        let large = "@compute @workgroup_size(257) fn f() {}\n";
        assert!(interface(large, &["f"]).unwrap_err().to_string().contains("257"));
        let names = ["pieces", "parents", "joints", "angles", "poses", "links", "boxes", "items", "pairs"];
        let declared =
            (0..).zip(names).map(|(i, n)| format!("@group(0) @binding({i}) var<storage, read> {n}: array<f32>;\n"));
        let used: String = names.map(|n| format!("let x_{n} = {n}[0]; ")).concat();
        let many = format!("{}@compute @workgroup_size(1) fn f() {{ {used} }}\n", declared.collect::<String>());
        assert!(interface(&many, &["f"]).unwrap_err().to_string().contains("9 storage buffers"));
    }
}
