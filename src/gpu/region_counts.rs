//! Kernels that count the work that they execute.
//!
//! [`KernelCost`] of a whole kernel is an upper bound, because branches and the rounds of loops depend on the data. A
//! counting kernel also counts how often each invocation enters each region of its code. A region is a sequence of
//! statements of which all or none are executed: it ends where a nested statement may leave the block.
//!
//! Graphics processors execute the invocations of a wave together: while one lane is in a region, the others are there
//! too, or idle. So a wave enters a region at least as often as the lane that enters it most.

use super::buffers::BufferId;
use super::kernel_cost::{self, KernelCost};
use super::shader::Source;
use crate::engine::Executed;
use crate::error::{Error, ErrorKind, Result};
use naga::{
    AddressSpace, ArraySize, BinaryOperator, Binding, Block, BuiltIn, EntryPoint, Expression, Function, GlobalVariable,
    Handle, Literal, Module, Range, Span, Statement, Type, TypeInner,
};
use std::fmt::Write;
use std::num::NonZeroU32;

/// Number of invocations that execute together, on most graphics processors.
pub const WAVE: u32 = 32;
/// Words of [`BufferId::RegionCounts`] for each region: two counts of two words.
const WORDS_PER_REGION: usize = 4;
/// Size of [`BufferId::RegionCounts`], words.
pub const MAX_WORDS: usize = 1 << 15;
/// The variable that counts the rounds of an invocation.
const ROUNDS: &str = "region_rounds";
/// The function with the body of the original entry point.
const BODY: &str = "counted_body";

/// The regions of the kernels that have been compiled, in the order of their counts on the device.
#[derive(Debug, Default)]
pub struct CountedRegions {
    kernels: Vec<([&'static str; 2], Vec<KernelCost>)>,
}

impl CountedRegions {
    /// Number of words of [`BufferId::RegionCounts`] in use.
    pub fn n_words(&self) -> usize {
        WORDS_PER_REGION * self.kernels.iter().map(|(_, regions)| regions.len()).sum::<usize>()
    }

    /// A kernel that also counts what it executes.
    ///
    /// # Errors
    /// The source is invalid, does not have the entry point, or the counts do not fit into the buffer.
    pub fn count(&mut self, source: &Source, name: [&'static str; 2]) -> Result<Source> {
        let (counting, regions) = counting(source, name[1], self.n_words())?;
        self.kernels.push((name, regions));
        if self.n_words() > MAX_WORDS {
            return Err(Error::new(ErrorKind::Gpu, "the kernels have too many regions to count"));
        }
        Ok(counting)
    }

    /// The executed work of each kernel, from the words of the buffer.
    pub fn executed<'a>(&'a self, words: &'a [u32]) -> impl Iterator<Item = ([&'static str; 2], Executed)> + 'a {
        let mut counts = words
            .chunks_exact(WORDS_PER_REGION)
            .map(|c| [[c[0], c[1]], [c[2], c[3]]].map(|[low, high]| u64::from(low) | u64::from(high) << u32::BITS));
        self.kernels.iter().map(move |(name, regions)| {
            let mut executed = Executed::default();
            for (cost, [lanes, waves]) in regions.iter().zip(counts.by_ref()) {
                executed += Executed {
                    operations: lanes * cost.operations,
                    issued_operations: waves * u64::from(WAVE) * cost.operations,
                    loaded_bytes: lanes * cost.loaded_bytes,
                    stored_bytes: lanes * cost.stored_bytes,
                    atomics: lanes * cost.atomics,
                };
            }
            (*name, executed)
        })
    }
}

/// A kernel that adds the counts of its regions to the words from `first_word`, and the cost of each region.
fn counting(source: &Source, entry: &str, first_word: usize) -> Result<(Source, Vec<KernelCost>)> {
    let failed = |message: String| Error::new(ErrorKind::Gpu, message).at(format!("entry point '{entry}'"));
    let (mut module, info) = source.validate()?;
    let index = module.entry_points.iter().position(|e| e.name == entry);
    let index = index.ok_or_else(|| failed("the source does not have it".into()))?;
    let mut costs = kernel_cost::of_regions(&module, &info, index);
    let found = module.entry_points.swap_remove(index);
    module.entry_points.clear();
    let mut body = found.function.clone();
    body.name = Some(BODY.into());
    body.arguments.iter_mut().for_each(|argument| argument.binding = None);
    module.functions.append(body, Span::UNDEFINED);

    let n_regions = costs.iter().flatten().filter(|cost| **cost != KernelCost::default()).count();
    let rounds = add_rounds(&mut module, n_regions).ok_or_else(|| failed("it has no work to count".into()))?;
    let mut next = 0;
    for ((_, function), costs) in module.functions.iter_mut().zip(&costs) {
        Inserter::insert(function, rounds, costs, &mut next);
    }
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
    let info = validator.validate(&module).map_err(|e| failed(e.into_inner().to_string()))?;
    let flags = naga::back::wgsl::WriterFlags::empty();
    let mut text = naga::back::wgsl::write_string(&module, &info, flags).map_err(|e| failed(e.to_string()))?;
    text.push_str(&epilogue(&module, &found, n_regions, first_word).ok_or_else(|| failed("unknown argument".into()))?);
    costs.iter_mut().for_each(|of_function| of_function.retain(|cost| *cost != KernelCost::default()));
    Ok((Source::generated(text), costs.concat()))
}

/// Adds the array of rounds to a module; `None` if it would be empty.
fn add_rounds(module: &mut Module, n_regions: usize) -> Option<Handle<GlobalVariable>> {
    let word = TypeInner::Scalar(naga::Scalar::U32);
    let base = module.types.insert(Type { name: None, inner: word }, Span::UNDEFINED);
    let size = ArraySize::Constant(NonZeroU32::new(n_regions as u32)?);
    let array = TypeInner::Array { base, size, stride: size_of::<u32>() as u32 };
    let ty = module.types.insert(Type { name: None, inner: array }, Span::UNDEFINED);
    let rounds = GlobalVariable {
        name: Some(ROUNDS.into()),
        space: AddressSpace::Private,
        binding: None,
        ty,
        init: None,
        memory_decorations: naga::MemoryDecorations::empty(),
    };
    Some(module.global_variables.append(rounds, Span::UNDEFINED))
}

/// Inserts the counts into a function.
struct Inserter<'a> {
    function: &'a mut Function,
    rounds: Handle<Expression>,
    one: Handle<Expression>,
    costs: std::slice::Iter<'a, KernelCost>,
    next: &'a mut u32,
}

impl<'a> Inserter<'a> {
    fn insert(function: &'a mut Function, rounds: Handle<GlobalVariable>, costs: &'a [KernelCost], next: &'a mut u32) {
        let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
        let rounds = add(Expression::GlobalVariable(rounds));
        let one = add(Expression::Literal(Literal::U32(1)));
        let body = std::mem::take(&mut function.body);
        let mut inserter = Self { function, rounds, one, costs: costs.iter(), next };
        let body = inserter.block(&body);
        inserter.function.body = body;
    }

    /// A block whose regions are counted. Visits the regions in the order of [`kernel_cost::of_regions`].
    fn block(&mut self, block: &Block) -> Block {
        let mut counted = Block::new();
        self.enter(&mut counted);
        for (i, statement) in block.iter().enumerate() {
            let mut statement = statement.clone();
            for nested in kernel_cost::nested_mut(&mut statement) {
                *nested = self.block(nested);
            }
            let is_last = kernel_cost::may_leave(&statement);
            counted.push(statement, Span::UNDEFINED);
            if is_last && i + 1 < block.len() {
                self.enter(&mut counted);
            }
        }
        counted
    }

    /// Counts the start of the next region.
    fn enter(&mut self, block: &mut Block) {
        if self.costs.next().is_none_or(|cost| *cost == KernelCost::default()) {
            return;
        }
        let mut add = |expression| self.function.expressions.append(expression, Span::UNDEFINED);
        let pointer = add(Expression::AccessIndex { base: self.rounds, index: *self.next });
        let before = add(Expression::Load { pointer });
        let value = add(Expression::Binary { op: BinaryOperator::Add, left: before, right: self.one });
        block.push(Statement::Emit(Range::new_from_bounds(pointer, value)), Span::UNDEFINED);
        block.push(Statement::Store { pointer, value }, Span::UNDEFINED);
        *self.next += 1;
    }
}

/// The entry point, which calls the original one and adds up the rounds of its invocations.
fn epilogue(module: &Module, entry: &EntryPoint, n_regions: usize, first_word: usize) -> Option<String> {
    let size: u32 = entry.workgroup_size.iter().product();
    let numbers = module.global_variables.iter().filter_map(|(_, variable)| variable.binding.as_ref());
    let binding = numbers.filter(|at| at.group == 0).map(|at| at.binding + 1).max().unwrap_or(0);
    let (mut declared, mut passed) = (String::new(), String::new());
    for (i, argument) in entry.function.arguments.iter().enumerate() {
        let Some(Binding::BuiltIn(built_in)) = argument.binding else { return None };
        let (name, ty) = match built_in {
            BuiltIn::WorkGroupId => ("workgroup_id", "vec3<u32>"),
            BuiltIn::NumWorkGroups => ("num_workgroups", "vec3<u32>"),
            // Always declared, as `lane`.
            BuiltIn::LocalInvocationIndex => {
                passed.push_str("lane, ");
                continue;
            }
            _ => return None,
        };
        write!(declared, "@builtin({name}) argument_{i}_: {ty}, ").ok()?;
        write!(passed, "argument_{i}_, ").ok()?;
    }
    let (counts, waves) = (BufferId::RegionCounts.name(), size.div_ceil(WAVE));
    let n_counts = n_regions as u32 * waves;
    Some(format!(
        "
@group(0) @binding({binding}) var<storage, read_write> {counts}: array<atomic<u32>>;
var<workgroup> rounds_of_lanes: array<atomic<u32>, {n_counts}>;
var<workgroup> rounds_of_wave: array<atomic<u32>, {n_counts}>;

fn add_count(at: u32, count: u32) {{
    let before = atomicAdd(&{counts}[at], count);
    if before > 0xffffffffu - count {{
        atomicAdd(&{counts}[at + 1u], 1u);
    }}
}}

@compute @workgroup_size({size})
fn {entry}({declared}@builtin(local_invocation_index) lane: u32) {{
    {BODY}({passed});
    for (var i = 0u; i < {n_regions}u; i++) {{
        let rounds = {ROUNDS}[i];
        if rounds != 0u {{
            atomicAdd(&rounds_of_lanes[lane / {WAVE}u * {n_regions}u + i], rounds);
            atomicMax(&rounds_of_wave[lane / {WAVE}u * {n_regions}u + i], rounds);
        }}
    }}
    workgroupBarrier();
    for (var i = lane; i < {n_counts}u; i += {size}u) {{
        let lanes = atomicLoad(&rounds_of_lanes[i]);
        if lanes != 0u {{
            let at = {first_word}u + i % {n_regions}u * {WORDS_PER_REGION}u;
            add_count(at, lanes);
            add_count(at + 2u, atomicLoad(&rounds_of_wave[i]));
        }}
    }}
}}
",
        entry = entry.name,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::Interface;

    #[test]
    fn every_kernel_can_count_and_keeps_its_bindings() {
        let mut regions = CountedRegions::default();
        for kernel in &crate::stage::KERNELS {
            let source = Source::expand(kernel.stem, kernel.source).unwrap();
            let counting = regions.count(&source, [kernel.stem, kernel.entry]).unwrap();
            let [before, mut after] = [&source, &counting].map(|s| Interface::of(s, &[kernel.entry]).unwrap());
            let counts = after.bindings.pop().unwrap();
            assert_eq!((counts.buffer, &after), (BufferId::RegionCounts, &before), "{kernel:?}");
        }
        assert!(regions.n_words() <= MAX_WORDS);
    }

    #[test]
    fn counts_become_work_of_lanes_and_of_waves() {
        let cost = |operations, loaded_bytes| KernelCost { operations, loaded_bytes, ..KernelCost::default() };
        let kernels = vec![(["a", "f"], vec![cost(2, 0), cost(5, 8)]), (["b", "g"], vec![cost(1, 4)])];
        let regions = CountedRegions { kernels };
        // 40 lanes in two waves, then three lanes of one of them in seven rounds; 2^32 + 1 lanes of the other kernel.
        let words = [40, 0, 2, 0, 11, 0, 7, 0, 1, 1, 1 << 27, 0];
        let executed: Vec<_> = regions.executed(&words).collect();
        let of_a = Executed {
            operations: 40 * 2 + 11 * 5,
            issued_operations: 32 * (2 * 2 + 7 * 5),
            loaded_bytes: 88,
            ..Executed::default()
        };
        assert_eq!(executed[0], (["a", "f"], of_a));
        assert_eq!((executed[1].1.operations, executed[1].1.issued_operations), ((1 << 32) + 1, 1 << 32));
    }
}
