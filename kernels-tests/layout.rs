//! What kernels and engine share is the same on both sides, and every kernel keeps to what all adapters can do and to the
//! arithmetic that the error bounds allow. By reflection: no adapter is needed.

use firstcontact::gpu::layout::{self, SHARED};
use firstcontact::gpu::shader::Source;
use firstcontact::gpu::{self, Access, Binding, Kernel};
use firstcontact::model::tree::{ChildRef, WIDTH};
use firstcontact::model::world::{LINK_LEAF, SCENE_LEAF};
use firstcontact::numeric::silhouette;
use firstcontact::stage::s4_sweep::raster;
use firstcontact::stage::{self, DRAWINGS, KERNELS, s1_concat, s2_bound, toleranced};
use naga::{AddressSpace, BinaryOperator, Expression, Literal, MathFunction, ScalarKind, StorageAccess, TypeInner};
use std::collections::{BTreeMap, BTreeSet};

fn expanded(kernel: &Kernel) -> (naga::Module, naga::valid::ModuleInfo) {
    let source = Source::expand(kernel.stem, kernel.source).unwrap();
    source.validate().unwrap_or_else(|e| panic!("{e}"))
}

/// What an entry point uses, by group and number.
fn used(
    (module, info): &(naga::Module, naga::valid::ModuleInfo),
    entry: &str,
    what: &str,
) -> BTreeMap<(u32, u32), (String, Access)> {
    let index = module.entry_points.iter().position(|e| e.name == entry).expect(what);
    let globals = module.global_variables.iter();
    globals
        .filter(|(handle, v)| v.binding.is_some() && !info.get_entry_point(index)[*handle].is_empty())
        .map(|(_, v)| {
            let at = v.binding.unwrap();
            let access = match v.space {
                AddressSpace::Uniform => Access::Uniform,
                AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => Access::ReadWrite,
                AddressSpace::Storage { .. } => Access::Read,
                other => panic!("{what}: {other:?}"),
            };
            ((at.group, at.binding), (v.name.clone().unwrap(), access))
        })
        .collect()
}

fn declared(bindings: &[Binding]) -> BTreeMap<(u32, u32), (String, Access)> {
    bindings.iter().map(|b| ((0, b.number), (b.name.to_string(), b.access))).collect()
}

fn storage_buffers(used: &BTreeMap<(u32, u32), (String, Access)>) -> usize {
    used.values().filter(|(_, access)| *access != Access::Uniform).count()
}

#[test]
fn bindings_are_those_declared_and_all_are_used() {
    for kernel in &KERNELS {
        let expanded = expanded(kernel);
        let what = format!("{}: {}", kernel.stem, kernel.entry);
        let entry = expanded.0.entry_points.iter().find(|e| e.name == kernel.entry).expect(&what);
        let size = entry.workgroup_size;
        assert_eq!(size.iter().product::<u32>(), kernel.workgroup, "{what}");
        assert!(size.iter().product::<u32>() <= 256);
        let used = used(&expanded, kernel.entry, &what);
        let mut declared = declared(kernel.bindings);
        if kernel.has_pass {
            declared.insert((1, 0), ("current".to_string(), Access::Uniform));
        }
        assert_eq!(used, declared, "{what}");
        assert!(storage_buffers(&used) <= 8, "{what}: {} storage buffers", storage_buffers(&used));
    }
}

/// Vertices only read; what is not written is bound for both entry points, so it counts for each.
#[test]
fn drawings_bind_what_they_declare_and_only_their_fragments_write() {
    for drawing in &DRAWINGS {
        let kernel = &drawing.vertices;
        let expanded = expanded(kernel);
        let what = format!("{}: {} with {}", kernel.stem, kernel.entry, drawing.fragments);
        let vertices = used(&expanded, kernel.entry, &what);
        let fragments = used(&expanded, drawing.fragments, &what);
        assert!(vertices.values().all(|(_, access)| *access != Access::ReadWrite), "{what}");
        let both: BTreeMap<_, _> = vertices.into_iter().chain(fragments).collect();
        assert_eq!(both, declared(kernel.bindings), "{what}");
        assert!(storage_buffers(&both) <= 8 && !kernel.has_pass, "{what}");
    }
}

#[test]
fn structs_have_the_same_bytes_on_both_sides() {
    let mut met = BTreeSet::new();
    for kernel in &KERNELS {
        let (module, _) = expanded(kernel);
        for (_, ty) in module.types.iter() {
            let (Some(name), TypeInner::Struct { members, span }) = (&ty.name, &ty.inner) else { continue };
            let Some(shared) = SHARED.iter().find(|s| s.name == name) else { continue };
            met.insert(name.clone());
            let bound: Vec<(&str, usize)> =
                members.iter().map(|m| (m.name.as_deref().unwrap(), m.offset as usize)).collect();
            // Rust states its padding; WGSL has none to state.
            let stated: Vec<(&str, usize)> =
                shared.members.iter().copied().filter(|(n, _)| !n.starts_with("padding_")).collect();
            assert_eq!(bound, stated, "{name} in {}", kernel.stem);
            assert_eq!(*span as usize, shared.size, "{name} in {}", kernel.stem);
        }
        // Whatever a buffer holds is shared: a struct that Rust does not know would be read as it likes.
        for (_, v) in module.global_variables.iter().filter(|(_, v)| v.binding.is_some()) {
            let mut inner = &module.types[v.ty].inner;
            while let TypeInner::Array { base, .. } = inner {
                inner = &module.types[*base].inner;
                if let (TypeInner::Struct { .. }, Some(name)) = (inner, &module.types[*base].name) {
                    assert!(SHARED.iter().any(|s| s.name == name), "{name} in {}", kernel.stem);
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
        ("UNIT", layout::UNIT),
        ("UNDERFLOW", f64::from(layout::UNDERFLOW as f32)),
        ("FORM_JET", f64::from(layout::FORM_JET)),
        ("FORM_INTERVAL", f64::from(layout::FORM_INTERVAL)),
        ("FLAG_LIMITS", f64::from(layout::FLAG_LIMITS)),
        ("FLAG_ALLOWED", f64::from(layout::FLAG_ALLOWED)),
        ("POSE_FLOATS", s1_concat::POSE_FLOATS as f64),
        ("JOINT_FLOATS", s1_concat::JOINT_FLOATS as f64),
        ("BOX_FLOATS", s2_bound::BOX_FLOATS as f64),
        ("BOX_ROUNDINGS", 32.0),
        ("BOXES_MADE", f64::from(layout::BOXES_MADE)),
        ("WANTED", f64::from(1u32 << 31)),
        ("MOST_OF_SUBS", 12.0),
        ("BOX_VECTORS", (s2_bound::BOX_FLOATS * stage::SUBS / 4) as f64),
        ("CLUSTER_SIZE", f64::from(SCENE_LEAF)),
        ("LINK_LEAF", f64::from(LINK_LEAF)),
        ("ROUNDINGS", 16.0),
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
    for kernel in &KERNELS {
        let (module, _) = expanded(kernel);
        for (_, constant) in module.constants.iter() {
            let name = constant.name.as_deref().unwrap();
            let Expression::Literal(value) = module.global_expressions[constant.init] else { panic!("{name}") };
            let value = match value {
                Literal::U32(x) => f64::from(x),
                Literal::F32(x) => f64::from(x),
                other => panic!("{name}: {other:?}"),
            };
            assert_eq!(Some(&value), wanted.get(name), "{name} in {}", kernel.stem);
            met.insert(name.to_string());
        }
    }
    assert_eq!(met.len(), wanted.len(), "{met:?}");
}

/// No operation whose error has no bound on every adapter: no trigonometry, roots, quotients of floats, fused or built-in
/// sums of products.
#[test]
fn arithmetic_is_what_the_bounds_allow() {
    use MathFunction::{Abs, CountOneBits, FirstLeadingBit, FirstTrailingBit, Max, Min};
    for kernel in &KERNELS {
        let (module, info) = expanded(kernel);
        let functions = module.functions.iter().map(|(h, f)| (f, &info[h]));
        let entries = module.entry_points.iter().enumerate().map(|(i, e)| (&e.function, info.get_entry_point(i)));
        for (function, info) in functions.chain(entries) {
            for (handle, expression) in function.expressions.iter() {
                match expression {
                    Expression::Math { fun, .. } => {
                        let allowed =
                            matches!(fun, Abs | Max | Min | CountOneBits | FirstLeadingBit | FirstTrailingBit);
                        assert!(allowed, "{fun:?} in {}", kernel.stem);
                    }
                    Expression::Binary { op: BinaryOperator::Divide | BinaryOperator::Modulo, .. } => {
                        let kind = info[handle].ty.inner_with(&module.types).scalar_kind();
                        assert_eq!(kind, Some(ScalarKind::Uint), "a quotient in {}", kernel.stem);
                    }
                    Expression::Derivative { .. } => panic!("a derivative in {}", kernel.stem),
                    _ => {}
                }
            }
        }
    }
}
