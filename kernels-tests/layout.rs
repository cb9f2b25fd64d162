//! Types shared by kernels and engine have the same layout on both sides, and every kernel keeps to what all adapters
//! support and to the arithmetic that the error bounds allow. Checked by reflection: no adapter is needed.

use firstcontact::arith::rounding;
use firstcontact::bvh::tree::{ChildRef, WIDTH};
use firstcontact::counter;
use firstcontact::gpu::shader::Source;
use firstcontact::gpu::{self, Access, Interface};
use firstcontact::predicate::{closeness, lss_separation, moving_box, silhouette};
use firstcontact::scene::world::{LINK_LEAF, SCENE_LEAF};
use firstcontact::stage::layout::{self, SHARED};
use firstcontact::stage::s4_sweep::raster;
use firstcontact::stage::{self, KERNELS, RASTER_KERNELS, margin_probe, s1_concat, s2_bound, toleranced};
use naga::{BinaryOperator, Expression, Literal, MathFunction, ScalarKind, TypeInner};
use std::collections::{BTreeMap, BTreeSet};
use wgpu::ShaderStages;

fn expanded(stem: &'static str, source: &str) -> (naga::Module, naga::valid::ModuleInfo) {
    let source = Source::expand(stem, source).unwrap();
    source.validate().unwrap_or_else(|e| panic!("{e}"))
}

/// The modules of all kernels, once per file.
fn modules() -> impl Iterator<Item = (&'static str, naga::Module, naga::valid::ModuleInfo)> {
    let mut files: BTreeMap<&str, &str> = KERNELS.iter().map(|k| (k.stem, k.source)).collect();
    files.extend(RASTER_KERNELS.iter().map(|k| (k.stem, k.source)));
    files.into_iter().map(|(stem, source)| {
        let (module, info) = expanded(stem, source);
        (stem, module, info)
    })
}

/// Every entry point of every stage is declared, so that the tests below cover every kernel.
#[test]
fn every_entry_point_is_declared() {
    for (stem, module, _) in modules() {
        let found: BTreeSet<&str> = module.entry_points.iter().map(|e| e.name.as_str()).collect();
        let compute = KERNELS.iter().filter(|k| k.stem == stem).map(|k| k.entry);
        let raster = RASTER_KERNELS.iter().filter(|k| k.stem == stem).flat_map(|k| [k.vertex, k.fragment]);
        assert_eq!(found, compute.chain(raster).collect(), "{stem}");
    }
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("wgsl");
    let files = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path());
    let files = files.filter(|f| f.extension().is_some_and(|e| e == "wgsl"));
    let stems: BTreeSet<String> = files.map(|f| f.file_stem().unwrap().to_str().unwrap().to_string()).collect();
    let declared = modules().map(|(stem, ..)| stem.to_string());
    // These kernels bound nothing: pictures, and extremal distances, which have no guarantee.
    let others = ["render", "extremal", "extremal_surfaces"].map(String::from);
    assert_eq!(stems, declared.chain(others).collect());
}

/// Reading the interface checks that every variable is named after a buffer, and that all adapters support the kernel.
#[test]
fn every_kernel_has_an_interface_that_all_adapters_support() {
    for kernel in &KERNELS {
        let source = Source::expand(kernel.stem, kernel.source).unwrap();
        let interface = Interface::of(&source, &[kernel.entry]).unwrap_or_else(|e| panic!("{e}"));
        assert!(!interface.bindings.is_empty() && interface.workgroup_size > 0, "{}", kernel.entry);
    }
    for kernel in &RASTER_KERNELS {
        let source = Source::expand(kernel.stem, kernel.source).unwrap();
        let interface = Interface::of(&source, &[kernel.vertex, kernel.fragment]).unwrap_or_else(|e| panic!("{e}"));
        assert!(!interface.uses_routing, "{}: draws have no routing", kernel.vertex);
        // Only fragment shaders write.
        let written = interface.bindings.iter().filter(|b| b.access == Access::ReadWrite);
        assert!(written.clone().count() > 0 && written.clone().all(|b| b.visibility == ShaderStages::FRAGMENT));
    }
}

/// A buffer has one binding number in a file, so no two variables of different buffers have the same number.
#[test]
fn binding_numbers_are_unique_in_a_file() {
    for (stem, module, _) in modules() {
        let bindings = module.global_variables.iter().filter_map(|(_, v)| v.binding);
        let all: Vec<(u32, u32)> = bindings.map(|b| (b.group, b.binding)).collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{stem}");
    }
}

#[test]
fn structs_have_the_same_bytes_on_both_sides() {
    let mut met = BTreeSet::new();
    for (stem, module, _) in modules() {
        for (_, ty) in module.types.iter() {
            let (Some(name), TypeInner::Struct { members, span }) = (&ty.name, &ty.inner) else { continue };
            let Some(shared) = SHARED.iter().find(|s| s.name == name) else { continue };
            met.insert(name.clone());
            let bound: Vec<(&str, usize)> =
                members.iter().map(|m| (m.name.as_deref().unwrap(), m.offset as usize)).collect();
            // Rust declares its padding as fields; WGSL does not.
            let stated: Vec<(&str, usize)> =
                shared.members.iter().copied().filter(|(n, _)| !n.starts_with("padding_")).collect();
            assert_eq!(bound, stated, "{name} in {}", stem);
            assert_eq!(*span as usize, shared.size, "{name} in {}", stem);
        }
        // Every struct in a buffer is shared: the layout of a struct that Rust does not know would be unchecked.
        for (_, v) in module.global_variables.iter().filter(|(_, v)| v.binding.is_some()) {
            let mut inner = &module.types[v.ty].inner;
            while let TypeInner::Array { base, .. } = inner {
                inner = &module.types[*base].inner;
                if let (TypeInner::Struct { .. }, Some(name)) = (inner, &module.types[*base].name) {
                    assert!(SHARED.iter().any(|s| s.name == name), "{name} in {}", stem);
                }
            }
        }
    }
    let all: BTreeSet<String> = SHARED.iter().map(|s| s.name.to_string()).collect();
    assert_eq!(met, all, "every shared struct stands in some kernel");
}

#[test]
fn constants_agree() {
    let wanted: BTreeMap<&str, f64> = [
        ("SUBS", stage::SUBS as f64),
        ("ALL_SUBS", f64::from(stage::ALL_SUBS)),
        ("SLICES", f64::from(stage::SLICES)),
        ("WIDTH", WIDTH as f64),
        ("LEAF_BIT", f64::from(ChildRef::Leaf(0).encode())),
        ("EMPTY", f64::from(ChildRef::Empty.encode())),
        ("NONE", f64::from(u32::MAX)),
        ("UNIT", rounding::UNIT_F32),
        ("UNDERFLOW", f64::from(rounding::UNDERFLOW_F32 as f32)),
        ("FORM_JET", f64::from(layout::FORM_JET)),
        ("FORM_INTERVAL", f64::from(layout::FORM_INTERVAL)),
        ("FLAG_CUTOFFS", f64::from(layout::FLAG_CUTOFFS)),
        ("FLAG_ALLOWED_PAIRS", f64::from(layout::FLAG_ALLOWED_PAIRS)),
        ("FLAG_STARTS", f64::from(layout::FLAG_STARTS)),
        ("POSE_FLOATS", s1_concat::POSE_FLOATS as f64),
        ("JOINT_FLOATS", s1_concat::JOINT_FLOATS as f64),
        ("BOX_FLOATS", s2_bound::BOX_FLOATS as f64),
        ("BOX_ROUNDINGS", 32.0),
        ("MOVING_BOX_ROUNDINGS", moving_box::ROUNDINGS),
        ("NODE_BOXES_COUNTER", f64::from(counter!(node_boxes))),
        ("WANTED", f64::from(1u32 << 31)),
        ("MIN_STATIC_SUBS", 12.0),
        ("BOX_VECTORS", (s2_bound::BOX_FLOATS * stage::SUBS / 4) as f64),
        ("CLUSTER_SIZE", f64::from(SCENE_LEAF)),
        ("LINK_LEAF", f64::from(LINK_LEAF)),
        ("ROUNDINGS", 16.0),
        ("SQUARE_ROUNDINGS", closeness::SQUARE_ROUNDINGS),
        ("DIFFERENCE_ROUNDINGS", closeness::DIFFERENCE_ROUNDINGS),
        ("LEAST", f64::from(closeness::LEAST as f32)),
        ("PARALLEL", f64::from(closeness::PARALLEL as f32)),
        ("LSS_ROUNDINGS", lss_separation::ROUNDINGS),
        ("LSS_LEAST", f64::from(lss_separation::LEAST as f32)),
        ("MAX_OPENED", margin_probe::MAX_OPENED as f64),
        ("MAX_CLUSTERS", margin_probe::MAX_CLUSTERS as f64),
        ("MAX_OPEN", margin_probe::MAX_OPEN as f64),
        ("MAX_LEVELS", layout::MAX_LINK_LEVELS as f64),
        ("LONGEST_AXIS", 1e8),
        ("SWEPT_AXES", 23.0),
        ("HELD", 2.0),
        ("SNAP", silhouette::SNAP),
        ("OUTLINE_ROUNDINGS", silhouette::OUTLINE_ROUNDINGS),
        ("DEPTH_ROUNDINGS", silhouette::DEPTH_ROUNDINGS),
        ("SHORT", silhouette::SHORT),
        ("STEEPEST", silhouette::STEEPEST),
        ("FINEST", silhouette::FINEST),
        ("DEPTH_STEPS", raster::DEPTH_STEPS),
        ("NEAREST", 65_535.0),
        ("TARGET_PIXELS", f64::from(gpu::TARGET_PIXELS)),
        ("IV_STEP", 4.0),
        ("PLANE_ROUNDINGS", toleranced::ROUNDINGS),
        ("PLANE_STEPS", f64::from(toleranced::STEPS)),
        ("PLANE_TRIES", f64::from(toleranced::TRIES)),
        ("ANY", f64::from(toleranced::ANY)),
        ("ROW", 32_768.0),
    ]
    .into();
    let mut met = BTreeSet::new();
    for (stem, module, _) in modules() {
        for (_, constant) in module.constants.iter() {
            let name = constant.name.as_deref().unwrap();
            let Expression::Literal(value) = module.global_expressions[constant.init] else { panic!("{name}") };
            let value = match value {
                Literal::U32(x) => f64::from(x),
                Literal::F32(x) => f64::from(x),
                other => panic!("{name}: {other:?}"),
            };
            assert_eq!(Some(&value), wanted.get(name), "{name} in {}", stem);
            met.insert(name.to_string());
        }
    }
    assert_eq!(met.len(), wanted.len(), "{met:?}");
}

/// Functions whose quotients choose points of triangles, boxes and segments: every choice is right, some are better.
const CHOICES: [&str; 5] = ["to_face", "between_edges", "between_segments", "share", "mean"];

/// Kernels use no operation whose error is unbounded on some adapter: no trigonometry, no roots, no quotients of
/// floats, no fused or built-in sums of products. The functions [`CHOICES`] may divide.
#[test]
fn kernels_use_only_arithmetic_with_bounded_errors() {
    use MathFunction::{Abs, CountOneBits, FirstLeadingBit, FirstTrailingBit, Max, Min};
    for (stem, module, info) in modules() {
        let functions = module.functions.iter().map(|(h, f)| (f, &info[h]));
        let entries = module.entry_points.iter().enumerate().map(|(i, e)| (&e.function, info.get_entry_point(i)));
        for (function, info) in functions.chain(entries) {
            for (handle, expression) in function.expressions.iter() {
                match expression {
                    Expression::Math { fun, .. } => {
                        let allowed =
                            matches!(fun, Abs | Max | Min | CountOneBits | FirstLeadingBit | FirstTrailingBit);
                        assert!(allowed, "{fun:?} in {}", stem);
                    }
                    Expression::Binary { op: BinaryOperator::Divide | BinaryOperator::Modulo, .. } => {
                        let kind = info[handle].ty.inner_with(&module.types).scalar_kind();
                        let is_choice = function.name.as_deref().is_some_and(|name| CHOICES.contains(&name));
                        assert!(is_choice || kind == Some(ScalarKind::Uint), "a quotient in {}", stem);
                    }
                    Expression::Derivative { .. } => panic!("a derivative in {}", stem),
                    _ => {}
                }
            }
        }
    }
}
