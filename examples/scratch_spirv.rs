//! Scratch: kernels as SPIR-V.
use firstcontact::gpu::shader::Source;
use firstcontact::stage::KERNELS;
fn main() {
    let mut out = Vec::new();
    for k in &KERNELS {
        let source = Source::expand(k.stem, k.source).unwrap();
        let (module, info) = source.validate().unwrap();
        let options = naga::back::spv::Options::default();
        let pipeline = naga::back::spv::PipelineOptions { shader_stage: naga::ShaderStage::Compute, entry_point: k.entry.into() };
        let words = naga::back::spv::write_vec(&module, &info, &options, Some(&pipeline)).unwrap();
        let file = format!("/tmp/gpuw/{}_{}.spv", k.stem, k.entry);
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        std::fs::write(&file, bytes).unwrap();
        let i = module.entry_points.iter().position(|e| e.name == k.entry).unwrap();
        let uses = info.get_entry_point(i);
        let (mut bindings, mut lds) = (Vec::new(), 0u32);
        for (h, v) in module.global_variables.iter() {
            if uses[h].is_empty() { continue; }
            if v.space == naga::AddressSpace::WorkGroup { lds += module.types[v.ty].inner.size(module.to_ctx()); }
            if let Some(b) = &v.binding { bindings.push(format!("[{},{},{}]", b.group, b.binding, v.space == naga::AddressSpace::Uniform)); }
        }
        out.push(format!("{{\"stem\":\"{}\",\"entry\":\"{}\",\"file\":\"{file}\",\"lds\":{lds},\"bindings\":[{}]}}", k.stem, k.entry, bindings.join(",")));
    }
    std::fs::write("/tmp/gpuw/kernels.json", format!("[{}]", out.join(",\n"))).unwrap();
}
