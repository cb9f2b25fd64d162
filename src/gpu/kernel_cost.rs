//! The work of one invocation of a kernel, and of each region of its code, counted in its source.

use super::shader::Source;
use crate::error::{Error, ErrorKind, Result};
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{
    AddressSpace, BinaryOperator, Block, Expression, Function, Handle, Literal, MathFunction, Module, Statement,
    TypeInner,
};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// The work of one invocation of a kernel, at most: all branches are counted, as for lanes that diverge, and so are
/// memory accesses that a cache would answer. A loop counts as often as its condition says if it compares a variable
/// with a constant, as in `for (var i = 0u; i < 3u; i++)`, and once otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelCost {
    /// Scalar operations. Divisions, roots and other functions of the special units count as four.
    pub operations: u64,
    /// Bytes read from storage buffers.
    pub loaded_bytes: u64,
    /// Bytes written to storage buffers.
    pub stored_bytes: u64,
    /// Atomic operations on storage buffers.
    pub atomics: u64,
    /// Loops whose number of rounds is unknown.
    pub open_loops: u64,
    /// Bytes of workgroup memory, for a whole workgroup.
    pub workgroup_bytes: u64,
}

/// Operations that a function of the special units counts as.
const SPECIAL: u64 = 4;

impl KernelCost {
    /// Counts the work of an entry point. `constants` are the values of overridable constants that differ from their
    /// defaults; branches on such a constant alone are counted only if they are taken.
    ///
    /// # Errors
    /// The source is invalid, or does not have the entry point.
    pub fn of(source: &Source, entry: &str, constants: &[(&str, bool)]) -> Result<Self> {
        let (module, info) = source.validate()?;
        let found = module.entry_points.iter().enumerate().find(|(_, e)| e.name == entry);
        let (index, found) =
            found.ok_or_else(|| Error::new(ErrorKind::Gpu, format!("the source does not have '{entry}'")))?;
        let mut functions = BTreeMap::new();
        // Functions are declared before they are called.
        for (handle, function) in module.functions.iter() {
            let counter = Counter { module: &module, info: &info[handle], function, functions: &functions, constants };
            let cost = counter.block(&function.body);
            functions.insert(handle, cost);
        }
        let counter = Counter {
            module: &module,
            info: info.get_entry_point(index),
            function: &found.function,
            functions: &functions,
            constants,
        };
        let mut cost = counter.block(&found.function.body);
        for (handle, variable) in module.global_variables.iter() {
            if variable.space == AddressSpace::WorkGroup && !info.get_entry_point(index)[handle].is_empty() {
                cost.workgroup_bytes += size(&module, &module.types[variable.ty].inner);
            }
        }
        Ok(cost)
    }

    fn times(self, n: u64) -> Self {
        Self {
            operations: n * self.operations,
            loaded_bytes: n * self.loaded_bytes,
            stored_bytes: n * self.stored_bytes,
            atomics: n * self.atomics,
            ..self
        }
    }
}

impl AddAssign for KernelCost {
    fn add_assign(&mut self, other: Self) {
        self.operations += other.operations;
        self.loaded_bytes += other.loaded_bytes;
        self.stored_bytes += other.stored_bytes;
        self.atomics += other.atomics;
        self.open_loops += other.open_loops;
        self.workgroup_bytes += other.workgroup_bytes;
    }
}

/// The work of each region of each function that an entry point may call, in the order of their declarations, and
/// finally of the entry point itself. A region is a sequence of statements of which all or none are executed.
pub(super) fn of_regions(module: &Module, info: &ModuleInfo, entry: usize) -> Vec<Vec<KernelCost>> {
    let none = BTreeMap::new();
    let of = |function, info| {
        let counter = Counter { module, info, function, functions: &none, constants: &[] };
        let mut costs = Vec::new();
        counter.regions(&function.body, &mut costs);
        costs
    };
    let functions = module.functions.iter().map(|(handle, function)| of(function, &info[handle]));
    functions.chain([of(&module.entry_points[entry].function, info.get_entry_point(entry))]).collect()
}

/// The blocks in a statement.
fn nested(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        _ => Vec::new(),
    }
}

/// The blocks in a statement, in the same order as [`nested`].
pub(super) fn nested_mut(statement: &mut Statement) -> Vec<&mut Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        Statement::Switch { cases, .. } => cases.iter_mut().map(|case| &mut case.body).collect(),
        _ => Vec::new(),
    }
}

/// Returns whether the statements after this one may be skipped.
pub(super) fn may_leave(statement: &Statement) -> bool {
    leaves(statement, true, true)
}

/// Returns whether a statement may leave the block in which it is. `breaks` and `continues`: whether these statements
/// leave that block, too.
fn leaves(statement: &Statement, breaks: bool, continues: bool) -> bool {
    let [breaks_inside, continues_inside] = match statement {
        Statement::Loop { .. } => [false; 2],
        Statement::Switch { .. } => [false, continues],
        _ => [breaks, continues],
    };
    match statement {
        Statement::Return { .. } | Statement::Kill => true,
        Statement::Break => breaks,
        Statement::Continue => continues,
        _ => nested(statement)
            .into_iter()
            .any(|block| block.iter().any(|inner| leaves(inner, breaks_inside, continues_inside))),
    }
}

/// The size of a type in memory, bytes.
fn size(module: &Module, inner: &TypeInner) -> u64 {
    u64::from(inner.try_size(module.to_ctx()).unwrap_or(0))
}

/// Counts the work of a function.
struct Counter<'m> {
    module: &'m Module,
    info: &'m FunctionInfo,
    function: &'m Function,
    /// The costs of the functions that it may call.
    functions: &'m BTreeMap<Handle<Function>, KernelCost>,
    constants: &'m [(&'m str, bool)],
}

impl Counter<'_> {
    fn block(&self, block: &Block) -> KernelCost {
        let mut cost = KernelCost::default();
        block.iter().for_each(|statement| cost += self.statement(statement));
        cost
    }

    fn statement(&self, statement: &Statement) -> KernelCost {
        let mut cost = KernelCost::default();
        match statement {
            Statement::Block(block) => cost += self.block(block),
            Statement::If { condition, accept, reject } => {
                let known = self.constant_condition(*condition);
                if known != Some(false) {
                    cost += self.block(accept);
                }
                if known != Some(true) {
                    cost += self.block(reject);
                }
            }
            Statement::Switch { cases, .. } => cases.iter().for_each(|case| cost += self.block(&case.body)),
            Statement::Loop { body, continuing, .. } => {
                cost += self.block(body);
                cost += self.block(continuing);
                match self.rounds(body) {
                    Some(n) => cost = cost.times(n),
                    None => cost.open_loops += 1,
                }
            }
            Statement::Call { function, .. } => cost += self.functions.get(function).copied().unwrap_or_default(),
            other => cost += self.own(other),
        }
        cost
    }

    /// The work of a statement without nested blocks and called functions.
    fn own(&self, statement: &Statement) -> KernelCost {
        let mut cost = KernelCost::default();
        match statement {
            Statement::Emit(range) => range.clone().for_each(|expression| cost += self.expression(expression)),
            Statement::Store { pointer, value } if self.is_storage(*pointer) => {
                cost.stored_bytes += size(self.module, self.inner(*value));
            }
            Statement::Atomic { pointer, .. } if self.is_storage(*pointer) => cost.atomics += 1,
            _ => {}
        }
        cost
    }

    /// Appends the work of each region of a block: its first region, then those of nested blocks, then the next one.
    fn regions(&self, block: &Block, costs: &mut Vec<KernelCost>) {
        let mut at = costs.len();
        costs.push(KernelCost::default());
        for (i, statement) in block.iter().enumerate() {
            costs[at] += self.own(statement);
            nested(statement).into_iter().for_each(|block| self.regions(block, costs));
            if may_leave(statement) && i + 1 < block.len() {
                at = costs.len();
                costs.push(KernelCost::default());
            }
        }
    }

    fn expression(&self, handle: Handle<Expression>) -> KernelCost {
        let width = |of: Handle<Expression>| width(self.inner(of));
        let mut cost = KernelCost::default();
        match &self.function.expressions[handle] {
            Expression::Load { pointer } if self.is_storage(*pointer) => {
                cost.loaded_bytes += size(self.module, self.inner(handle));
            }
            Expression::Binary { op: BinaryOperator::Divide | BinaryOperator::Modulo, .. } => {
                cost.operations += SPECIAL * width(handle);
            }
            Expression::Binary { op: BinaryOperator::Multiply, left, right }
                if [left, right].iter().any(|of| matches!(self.inner(**of), TypeInner::Matrix { .. })) =>
            {
                // Every element of the matrix is multiplied and added.
                cost.operations += 2 * width(*left).max(width(*right));
            }
            Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Select { .. }
            | Expression::Relational { .. } => cost.operations += width(handle),
            Expression::Math { fun, arg, .. } => {
                let of = width(*arg);
                cost.operations += match fun {
                    MathFunction::Dot => 2 * of - 1,
                    MathFunction::Cross => 9,
                    MathFunction::Length | MathFunction::Distance => 3 * of + SPECIAL,
                    MathFunction::Normalize => 3 * of + SPECIAL,
                    MathFunction::Abs
                    | MathFunction::Min
                    | MathFunction::Max
                    | MathFunction::Clamp
                    | MathFunction::Fma
                    | MathFunction::Sign
                    | MathFunction::Floor
                    | MathFunction::Ceil
                    | MathFunction::CountOneBits
                    | MathFunction::CountTrailingZeros
                    | MathFunction::CountLeadingZeros
                    | MathFunction::FirstLeadingBit
                    | MathFunction::FirstTrailingBit => of,
                    _ => SPECIAL * of,
                };
            }
            _ => {}
        }
        cost
    }

    /// The value of a condition that is an overridable constant.
    fn constant_condition(&self, condition: Handle<Expression>) -> Option<bool> {
        let Expression::Override(handle) = &self.function.expressions[condition] else { return None };
        let constant = &self.module.overrides[*handle];
        let set = self.constants.iter().find(|(name, _)| constant.name.as_deref() == Some(*name));
        set.map(|(_, value)| *value)
    }

    /// The number of rounds of a loop that ends when a variable reaches a constant.
    fn rounds(&self, body: &Block) -> Option<u64> {
        let ends = |block: &Block| matches!(block.iter().next(), Some(Statement::Break));
        let condition = body.iter().find_map(|statement| match statement {
            Statement::If { condition, reject, .. } if ends(reject) => Some(*condition),
            _ => None,
        })?;
        let Expression::Binary { op, right, .. } = &self.function.expressions[condition] else { return None };
        match op {
            BinaryOperator::Less => self.integer(*right),
            BinaryOperator::LessEqual => Some(self.integer(*right)? + 1),
            _ => None,
        }
    }

    fn integer(&self, handle: Handle<Expression>) -> Option<u64> {
        let literal = match &self.function.expressions[handle] {
            Expression::Constant(constant) => &self.module.global_expressions[self.module.constants[*constant].init],
            expression => expression,
        };
        match literal {
            Expression::Literal(Literal::U32(n)) => Some(u64::from(*n)),
            Expression::Literal(Literal::I32(n)) => u64::try_from(*n).ok(),
            _ => None,
        }
    }

    fn inner(&self, handle: Handle<Expression>) -> &TypeInner {
        self.info[handle].ty.inner_with(&self.module.types)
    }

    /// Returns whether a pointer leads to a storage buffer.
    fn is_storage(&self, pointer: Handle<Expression>) -> bool {
        matches!(self.inner(pointer).pointer_space(), Some(AddressSpace::Storage { .. }))
    }
}

/// Number of scalars in a value.
fn width(inner: &TypeInner) -> u64 {
    match inner {
        TypeInner::Vector { size, .. } => *size as u64,
        TypeInner::Matrix { columns, rows, .. } => *columns as u64 * *rows as u64,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUFFERS: &str = "struct Two { a: vec3<f32>, b: u32 }\n\
        @group(0) @binding(0) var<storage, read> boxes: array<Two>;\n\
        @group(0) @binding(1) var<storage, read_write> control: array<atomic<u32>>;\n\
        @group(0) @binding(2) var<storage, read_write> poses: array<vec2<f32>>;\n\
        var<workgroup> shared_words: array<u32, 5>;\n\
        override HAS_MARGIN: bool = true;\n";

    fn cost(body: &str, constants: &[(&str, bool)]) -> KernelCost {
        let text = format!("{BUFFERS}{body}");
        KernelCost::of(&Source::expand("kernel", &text).unwrap(), "f", constants).unwrap()
    }

    #[test]
    fn operations_and_bytes_are_counted_once_for_each_access() {
        // A dot product of five operations, one subtraction, a division.
        let body = "@compute @workgroup_size(1) fn f() {\n\
            let two = boxes[3];\n\
            let d = dot(two.a, two.a) - 1.0;\n\
            poses[1] = vec2<f32>(d, 3.0) / 2.0;\n\
            atomicAdd(&control[0], two.b);\n}\n";
        let found = cost(body, &[]);
        // The divisor of a vector is a vector, too.
        assert_eq!(found.operations, 5 + 1 + 2 * SPECIAL);
        assert_eq!((found.loaded_bytes, found.stored_bytes, found.atomics), (16, 8, 1));
        assert_eq!((found.open_loops, found.workgroup_bytes), (0, 0));
    }

    #[test]
    fn loops_count_their_rounds_and_calls_their_function() {
        let loops = |condition: &str| {
            format!(
                "const N = 4u;\n\
                fn g(x: f32) -> f32 {{ return x * x + 1.0; }}\n\
                @compute @workgroup_size(1) fn f() {{\n\
                var x = boxes[0].a.x;\n\
                for (var i = 0u; {condition}; i++) {{ x = g(x); }}\n\
                poses[0].x = x;\n}}\n"
            )
        };
        let once = cost(&loops("i < u32(boxes[0].b)"), &[]);
        let four = cost(&loops("i < N"), &[]);
        assert_eq!((once.open_loops, four.open_loops), (1, 0));
        // Each round has a comparison, an increment, and two operations of the function.
        assert_eq!(four.operations, 4 * 4);
        assert_eq!(cost(&loops("i <= 7u"), &[]).operations, 8 * 4);
    }

    #[test]
    fn branches_that_a_constant_excludes_do_not_count() {
        let body = "@compute @workgroup_size(1) fn f() {\n\
            shared_words[0] = 1u;\n\
            if HAS_MARGIN { poses[0] = poses[1] + poses[2]; } else { poses[0].x = 1.0; }\n}\n";
        let [both, with, without] = [&[][..], &[("HAS_MARGIN", true)], &[("HAS_MARGIN", false)]].map(|c| cost(body, c));
        assert_eq!([both, with, without].map(|c| c.stored_bytes), [8 + 4, 8, 4]);
        assert_eq!([both, with, without].map(|c| c.loaded_bytes), [16, 16, 0]);
        assert_eq!(both.workgroup_bytes, 20);
    }

    #[test]
    fn every_kernel_of_the_engine_can_be_counted() {
        for kernel in &crate::stage::KERNELS {
            let source = Source::expand(kernel.stem, kernel.source).unwrap();
            let cost = KernelCost::of(&source, kernel.entry, &[]).unwrap();
            assert!(cost.loaded_bytes + cost.stored_bytes + cost.atomics > 0, "{kernel:?} {cost:?}");
        }
        assert!(KernelCost::of(&Source::expand("kernel", BUFFERS).unwrap(), "f", &[]).is_err());
    }
}
