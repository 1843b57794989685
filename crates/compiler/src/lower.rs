//! From naga's module to the graph: an interpreter whose values are nodes.
//!
//! Functions are inlined, and loops run while their end is known. Memory is a list of nodes. Both sides of a branch run,
//! each on its own memory; a select joins them. Loops whose end is not known, and branches around
//! them, become branches and loops of the machine.
//!
//! `interface`: uniforms, varyings, outputs. `flow`: statements. `branches`, `loops`: those of the machine. `induction`: trip
//! counts; `constant_arrays`: constants indexed by induction variables. `kernel`: buffers. `changes`: the memory that
//! statements can change. `expression`, `texture`: values. `shape`: types as numbers of scalars. `refused`: errors.

mod branches;
mod changes;
mod constant_arrays;
mod expression;
mod flow;
mod induction;
mod interface;
mod kernel;
mod loops;
mod memory;
mod refused;
mod shape;
mod texture;
mod variables;

use branches::{Exit, Region};
use ctm_base::text::{Span, TextErrors};
use ctm_base::work::{Ended, Work};
use ctm_codegen::flow::FlowGraph;
use ctm_codegen::graph::{Graph, Id, Rules};
use ctm_codegen::ir::{Ir, OutputChannel};
use ctm_functions::{Functions, Impossible};
use ctm_glsl::Checked;
use ctm_lang::program::interface::Interface;
use flow::Scope;
use kernel::{Buffer, Element};
use naga::front::Typifier;
use naga::{Expression, Function, GlobalVariable, Handle, Module, Type, TypeInner};
pub use refused::{Refusal, Refused};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;
use variables::Variables;

/// Most nodes of a graph.
const MAX_NODES: usize = 60_000;

/// The name of this pass.
const PASS: &str = "lower";

/// The work of a statement or expression.
const STEP: usize = 30;

/// The work of a condition or a select.
const AND: usize = 5;

/// Most statements and expressions that run.
const MAX_STEPS: usize = 400_000;

/// Most blocks: nearly every one ends with an instruction.
const MAX_BLOCKS: usize = 1200;

/// Most iterations of a loop that becomes straight code.
const MAX_ITERATIONS: usize = 32;

/// Most numbers that an index that is not known chooses from.
const MAX_CHOICES: usize = 1024;

/// Deepest nesting of calls and statements. A thread's stack of 2 MiB is enough.
const MAX_DEPTH: usize = 300;

/// A shader in the code generator's form.
pub struct Lowered {
    /// The shader.
    pub ir: Ir,
    /// The branches and loops that can become straight code or stay, by their offset in the source.
    pub decisions: Vec<u32>,
    /// Notes for the user.
    pub notes: Vec<(Span, String)>,
}

/// The limits below which branches and loops become straight code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most nodes of a loop.
    pub unroll: usize,
    /// Most nodes of a branch.
    pub if_convert: usize,
    /// Loops of the machine read constant arrays by their induction variables. Each read takes a constant for each iteration.
    pub arrays: bool,
}

/// The settings of the walk besides the module.
pub struct Setting<'a> {
    /// The rules that apply.
    pub rules: Rules,
    /// The samplers that interpolate between four elements.
    pub linear: &'a [String],
    /// The limits of straight code.
    pub limits: Limits,
    /// Branches and loops, by their offset in the source, whose decision by the limits is inverted.
    pub inverted: &'a [u32],
    /// GLSL's interface and samplers; `None` for WGSL, whose module has them.
    pub glsl: Option<&'a Checked>,
    /// The work that is left.
    pub work: &'a Work<'a>,
}

/// A value of an expression.
#[derive(Clone, Debug)]
enum Value {
    /// Scalars in the order of memory.
    Scalars(Rc<[Id]>),
    /// A place in memory.
    Pointer(Pointer),
    /// An input.
    Image(u8),
    /// WGSL's sampler, which says nothing here.
    Sampler,
    /// A storage buffer or a storage texture.
    Buffer(usize),
    /// A part of an element of a buffer.
    Element(Element),
}

/// A part of memory.
#[derive(Clone, Debug)]
struct Pointer {
    base: usize,
    /// The number of scalars.
    size: usize,
    /// For each index that is not known: the index, the number of elements, the scalars of one.
    indices: Vec<(Id, usize, usize)>,
}

/// A call that runs.
struct Frame<'m> {
    function: &'m Function,
    typifier: Rc<Typifier>,
    arguments: Vec<Value>,
    /// Offsets of local variables.
    locals: Vec<usize>,
    /// Values of expressions.
    values: Vec<Option<Value>>,
    /// The slot of the result.
    result: usize,
    /// The scope of the call.
    scope: usize,
}

struct Walker<'m, 'a> {
    module: &'m Module,
    setting: &'a Setting<'a>,
    /// The numbers of scalars of the types that have one.
    sizes: HashMap<Handle<Type>, usize>,
    graph: Graph,
    interface: Interface,
    memory: Vec<Id>,
    globals: HashMap<Handle<GlobalVariable>, Value>,
    typifiers: HashMap<Option<Handle<Function>>, Rc<Typifier>>,
    scopes: Vec<Scope>,
    /// Exits of scopes that are open, as they came.
    exits: Vec<Exit>,
    /// The path that runs has ended.
    dead: bool,
    flow: FlowGraph,
    /// The branches and loops of the machine around, the innermost last.
    regions: Vec<Region>,
    /// The number of enclosing branches and loops that become straight code.
    flattening: usize,
    /// A part of the code that should become straight code needs a branch or a loop of the machine.
    must_stay: bool,
    /// The branches and loops that can become straight code or stay, by their offset in the source.
    decisions: Vec<u32>,
    notes: Vec<(Span, String)>,
    /// The parts of the module that the machine cannot have, so far.
    errors: Vec<Refused>,
    steps: usize,
    depth: usize,
    calls: Vec<Handle<Function>>,
    /// The span of the statement or expression that runs.
    span: Span,
    /// Whether inputs interpolate.
    linear: Vec<bool>,
    /// The memory of `gl_FragData`, and the slots of it at which stores begin.
    data: Range<usize>,
    written: BTreeSet<usize>,
    /// The source position of the last store to each slot of memory; 0 without one.
    stores: Vec<u32>,
    /// The variables of the source.
    variables: Variables,
    buffers: Vec<Buffer>,
    /// Writes are uncached: they go anywhere.
    scatter: bool,
    /// A kernel stores to another place than the point's own.
    scatters: bool,
}

/// Walks the entry point of a module. A kernel that stores to another place than the point's own is walked a second
/// time, as a program whose writes are all uncached.
///
/// # Errors
/// The parts of the module that the machine cannot have, each at its place.
pub fn lower(module: &Module, setting: &Setting<'_>) -> Result<Lowered, Vec<Refused>> {
    let (lowered, scatters) = walk(module, setting, false);
    if scatters { walk(module, setting, true).0 } else { lowered }
}

/// Walks the entry point of a module. Returns whether it stores to another place than the point's own.
fn walk(
    module: &Module,
    setting: &Setting<'_>,
    scatter: bool,
) -> (Result<Lowered, Vec<Refused>>, bool) {
    let entries: Vec<_> = module.entry_points.iter().collect();
    let of = |stage| entries.iter().find(|entry| entry.stage == stage);
    let entry = of(naga::ShaderStage::Fragment).or_else(|| of(naga::ShaderStage::Compute));
    let Some(entry) = entry else {
        let error = Span::default().error("the source has no fragment shader and no kernel");
        return (Err(vec![error.into()]), false);
    };
    let mut walker = Walker {
        module,
        setting,
        sizes: HashMap::new(),
        graph: Graph::new(setting.rules),
        interface: Interface::default(),
        memory: Vec::new(),
        globals: HashMap::new(),
        typifiers: HashMap::new(),
        scopes: Vec::new(),
        exits: Vec::new(),
        dead: false,
        flow: FlowGraph::default(),
        regions: Vec::new(),
        flattening: 0,
        must_stay: false,
        decisions: Vec::new(),
        notes: Vec::new(),
        errors: Vec::new(),
        steps: 0,
        depth: 0,
        calls: Vec::new(),
        span: Span::default(),
        linear: Vec::new(),
        data: 0..0,
        written: BTreeSet::new(),
        stores: Vec::new(),
        variables: Variables::default(),
        buffers: Vec::new(),
        scatter,
        scatters: false,
    };
    walker.measure();
    let outputs = walker.globals().and_then(|()| walker.entry(entry));
    let outputs = walker.finish(outputs);
    let Walker { mut graph, interface, flow, decisions, notes, scatters, variables, .. } = walker;
    graph.settle();
    let lowered = |outputs| {
        let Variables { declared: variables, stores, .. } = variables;
        let ir = Ir { graph, interface, outputs, flow, variables, stores, registers: None };
        Lowered { ir, decisions, notes }
    };
    (outputs.map(lowered), scatters)
}

impl<'m> Walker<'m, '_> {
    /// Notes a branch or a loop that can become straight code or stay. Returns whether its decision is inverted.
    fn inverts(&mut self, at: u32) -> bool {
        if !self.decisions.contains(&at) {
            self.decisions.push(at);
        }
        self.setting.inverted.contains(&at)
    }

    /// An error at the place that runs.
    fn refuse<T>(&self, message: impl Into<String>) -> Result<T, Refused> {
        Err(self.span.error(message).into())
    }

    /// Notes an error, and gives the value of the expression to go on with, so that later errors are found as well.
    ///
    /// # Errors
    /// The walk cannot go on.
    fn instead(
        &mut self,
        frame: &Frame<'m>,
        handle: Handle<Expression>,
        error: Refused,
    ) -> Result<Value, Refused> {
        let ends =
            self.must_stay || self.setting.work.check(PASS).is_err() || error.may_pass_otherwise();
        let size = match *self.type_of(frame, handle) {
            TypeInner::Scalar(_) => 1,
            TypeInner::Vector { size, .. } => size as usize,
            TypeInner::Matrix { columns, rows, .. } => columns as usize * rows as usize,
            _ => return Err(error),
        };
        if ends || self.errors.len() >= TextErrors::LIMIT {
            return Err(error);
        }
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
        let zero = self.graph.number(0.0);
        Ok(Value::Scalars(vec![zero; size].into()))
    }

    /// The result of the walk: errors that were noted make those that only end it needless.
    fn finish<T>(&mut self, result: Result<T, Refused>) -> Result<T, Vec<Refused>> {
        let mut errors = std::mem::take(&mut self.errors);
        match result {
            Ok(done) if errors.is_empty() => return Ok(done),
            Err(error) if errors.is_empty() || !error.may_pass_otherwise() => errors.push(error),
            Ok(_) | Err(_) => {}
        }
        Err(errors)
    }

    /// The operators and functions.
    fn functions(&mut self) -> Functions<'_, Graph> {
        Functions { graph: &mut self.graph }
    }

    /// The result of an operator or a function, or an error at the current statement.
    fn possible<T>(&self, value: Result<T, Impossible>) -> Result<T, Refused> {
        value.or_else(|error| self.refuse(error))
    }

    /// Whether two numbers are equal.
    fn equal(&mut self, a: Id, b: Id) -> Id {
        self.functions().equal(a, b)
    }

    /// Counts a step.
    fn step(&mut self) -> Result<(), Refused> {
        self.setting.work.spend(PASS, STEP).or_else(|why| match why {
            Ended::Stopped(why) => self.refuse(why.to_string()),
            Ended::Budget(_) => Err(Refused::too_large(self.span, why)),
        })?;
        self.steps += 1;
        let blocks = self.flow.blocks.len();
        if self.steps > MAX_STEPS || self.graph.size() > MAX_NODES || blocks > MAX_BLOCKS {
            return Err(Refused::too_many_operations(self.span));
        }
        Ok(())
    }

    /// Notes where the next nodes come from.
    fn locate(&mut self, span: naga::Span) {
        if let Some(range) = span.to_range() {
            self.span = Span::new(range.start, range.end);
            self.graph.origin = range.start as u32;
        }
    }

    /// The types of a function's expressions.
    fn typifier(
        &mut self,
        key: Option<Handle<Function>>,
        function: &'m Function,
    ) -> Result<Rc<Typifier>, Refused> {
        if let Some(found) = self.typifiers.get(&key) {
            return Ok(found.clone());
        }
        let mut typifier = Typifier::new();
        let context = naga::proc::ResolveContext::with_locals(
            self.module,
            &function.local_variables,
            &function.arguments,
        );
        if let Some((last, _)) = function.expressions.iter().next_back()
            && let Err(error) = typifier.grow(last, &function.expressions, &context)
        {
            return self.refuse(format!("the types do not fit: {error}"));
        }
        let typifier = Rc::new(typifier);
        self.typifiers.insert(key, typifier.clone());
        Ok(typifier)
    }

    /// The type of an expression.
    fn type_of<'f>(
        &self,
        frame: &'f Frame<'m>,
        expression: Handle<Expression>,
    ) -> &'f naga::TypeInner
    where
        'm: 'f,
    {
        frame.typifier.get(expression, &self.module.types)
    }

    /// Stores to memory.
    fn store_at(&mut self, slot: usize, value: &[Id]) {
        self.memory[slot..slot + value.len()].copy_from_slice(value);
        self.stores[slot..slot + value.len()].fill(self.graph.origin);
        self.note_store(slot, value);
    }

    /// Channels of an output, from the first on, whose values are in memory from a slot on.
    fn channels(&self, output: u8, values: &[Id], from: usize) -> Vec<OutputChannel> {
        let channel = |(n, value): (usize, &Id)| {
            let origin = self.store_of(from + n).unwrap_or(self.graph.origin);
            OutputChannel { slot: output, channel: n as u8, value: *value, origin }
        };
        values.iter().enumerate().map(channel).collect()
    }

    /// Reserves memory with a value.
    fn reserve(&mut self, value: &[Id]) -> usize {
        let slot = self.memory.len();
        self.memory.extend_from_slice(value);
        self.stores.truncate(slot);
        self.stores.resize(self.memory.len(), 0);
        self.variables.reserve(slot, self.memory.len());
        slot
    }

    /// The source position of the last store to a slot of memory, if there was one.
    fn store_of(&self, slot: usize) -> Option<u32> {
        self.stores.get(slot).copied().filter(|origin| *origin > 0)
    }
}
