//! Statements, one point at a time.
//!
//! `interface`: uniforms and varyings. `expression`: values.

mod expression;
mod interface;

use super::trace::Trace;
use super::{Environment, Point, Stores};
use crate::front::{Front, last_offset};
use ctm_functions::Functions;
use ctm_functions::number::{Number, Numbers};
use ctm_glsl::{Checked, Storage};
use ctm_isa::arithmetic::Operations;
use ctm_isa::float;
use naga::front::Typifier;
use naga::{
    ArraySize, Block, Expression, Function, GlobalVariable, Handle, Module, ScalarKind, Statement,
    SwitchValue, Type, TypeInner,
};
use std::collections::HashMap;
use std::rc::Rc;

/// Most statements and expressions of a point.
const MAX_STEPS: usize = 1_000_000;

/// Deepest nesting of calls and blocks.
const MAX_DEPTH: usize = 200;

/// Most scalars of a type.
const MAX_SCALARS: usize = 1 << 16;

/// The control flow after a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Statement,
    Break,
    Continue,
    Return,
    Kill,
}

/// Scalars in memory: the first and their number.
#[derive(Clone, Copy)]
struct Pointer {
    base: usize,
    size: usize,
}

#[derive(Clone)]
enum Value {
    Scalars(Rc<[Number]>),
    Pointer(Pointer),
}

/// A call that runs.
struct Frame<'m> {
    function: &'m Function,
    typifier: Rc<Typifier>,
    arguments: Vec<Value>,
    locals: Vec<Pointer>,
    values: Vec<Option<Value>>,
    result: Vec<Number>,
}

struct Machine<'m, 'e> {
    module: &'m Module,
    glsl: &'m Checked,
    environment: &'e dyn Environment,
    memory: Vec<Number>,
    globals: HashMap<Handle<GlobalVariable>, Pointer>,
    typifiers: HashMap<Option<Handle<Function>>, Rc<Typifier>>,
    /// The samplers: a sampler's number is its place here.
    samplers: Vec<String>,
    doubtful: bool,
    steps: usize,
    depth: usize,
    trace: Option<Trace<'e>>,
}

/// Runs a GLSL shader at a point. With a trace, the stores to variables are noted.
pub fn run(
    front: &Front,
    environment: &dyn Environment,
    trace: Option<Trace<'_>>,
) -> Result<(Point, Option<Stores>), String> {
    let glsl = front.glsl().ok_or("the evaluator reads GLSL")?;
    let module = &glsl.module;
    let entry = module
        .entry_points
        .iter()
        .find(|entry| entry.stage == naga::ShaderStage::Fragment)
        .ok_or("the source has no fragment shader")?;
    let mut machine = Machine {
        module,
        glsl,
        environment,
        memory: Vec::new(),
        globals: HashMap::new(),
        typifiers: HashMap::new(),
        samplers: Vec::new(),
        doubtful: false,
        steps: 0,
        depth: 0,
        trace,
    };
    let mut outputs = Vec::new();
    for (handle, variable) in module.global_variables.iter() {
        let declared = glsl.interface.iter().find(|declared| declared.variable == handle);
        let init = variable.init.map(|init| machine.constant(init)).transpose()?;
        let mut value = Vec::new();
        match declared.map(|declared| (&declared.name, declared.storage)) {
            Some((name, Storage::Uniform)) => {
                machine.uniform(name, variable.ty, &mut value)?;
            }
            Some((name, Storage::Varying)) => {
                machine.varying(name, variable.ty, &mut value)?;
            }
            Some((_, Storage::Output(_))) | None => {
                let zero = Numbers.number(0.0);
                value = init.unwrap_or(vec![zero; machine.size_of(variable.ty)?]);
            }
        }
        let place = machine.reserve(&value);
        let storage = declared.map(|declared| declared.storage);
        let name = declared.map_or(variable.name.as_deref(), |declared| Some(&*declared.name));
        if let (Some(trace), Some(name)) = (&mut machine.trace, name) {
            let span = module.global_variables.get_span(handle);
            trace.declare("", name, span, place.base, place.size);
            if matches!(storage, Some(Storage::Uniform | Storage::Varying)) {
                trace.origin = span.to_range().map_or(0, |range| range.start as u32);
                trace.store(place.base, &value);
            }
        }
        machine.globals.insert(handle, place);
        if let Some(declared) = declared
            && let Storage::Output(location) = declared.storage
        {
            let element = match &module.types[variable.ty].inner {
                TypeInner::Array { base, .. } => machine.size_of(*base)?,
                _ => place.size,
            };
            outputs.push((declared.span.start, location, place, element));
        }
    }
    let next = machine.call(None, &entry.function, Vec::new())?.1;
    let mut point =
        Point { killed: next == Next::Kill, doubtful: machine.doubtful, outputs: Vec::new() };
    outputs.sort_by_key(|(start, ..)| *start);
    let mut free = 0;
    for (_, location, place, element) in outputs {
        let slot = location.map_or(free, |location| location as usize);
        for (n, values) in
            machine.memory[place.base..place.base + place.size].chunks(element).enumerate()
        {
            let finish = |value: &Number| Number { bits: float::finish(value.bits, 0), ..*value };
            point.outputs.push(((slot + n) as u8, values.iter().map(finish).collect()));
        }
        free = slot + place.size / element;
    }
    let stores = machine.trace.map(|trace| trace.stores(point.killed));
    Ok((point, stores))
}

impl<'m> Machine<'m, '_> {
    fn step(&mut self) -> Result<(), String> {
        self.steps += 1;
        if self.steps > MAX_STEPS { Err("the shader runs too long".into()) } else { Ok(()) }
    }

    fn reserve(&mut self, value: &[Number]) -> Pointer {
        let base = self.memory.len();
        self.memory.extend_from_slice(value);
        Pointer { base, size: value.len() }
    }

    fn functions(numbers: &mut Numbers) -> Functions<'_, Numbers> {
        Functions { graph: numbers }
    }

    // Types.

    fn size_of(&self, ty: Handle<Type>) -> Result<usize, String> {
        self.size(&self.module.types[ty].inner)
    }

    fn size(&self, inner: &TypeInner) -> Result<usize, String> {
        let size = match inner {
            TypeInner::Scalar(_) => 1,
            TypeInner::Vector { size, .. } => *size as usize,
            TypeInner::Matrix { columns, rows, .. } => *columns as usize * *rows as usize,
            TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
                self.size_of(*base)?.saturating_mul(count.get() as usize)
            }
            TypeInner::Struct { members, .. } => {
                let mut sum = 0;
                for member in members {
                    sum += self.size_of(member.ty)?;
                }
                sum
            }
            _ => return Err("a type that the evaluator does not know".into()),
        };
        if size > MAX_SCALARS { Err("a type that is too large".into()) } else { Ok(size) }
    }

    /// The type that a pointer is to, or the type itself.
    fn pointee<'t>(&'t self, inner: &'t TypeInner) -> &'t TypeInner {
        match inner {
            TypeInner::Pointer { base, .. } => &self.module.types[*base].inner,
            _ => inner,
        }
    }

    /// The offset and the size of a part.
    fn part(&self, inner: &TypeInner, index: usize) -> Result<Pointer, String> {
        let inner = self.pointee(inner);
        if let TypeInner::Struct { members, .. } = inner {
            let mut base = 0;
            for member in &members[..index] {
                base += self.size_of(member.ty)?;
            }
            return Ok(Pointer { base, size: self.size_of(members[index].ty)? });
        }
        let (count, size) = self.parts(inner)?;
        if index >= count {
            return Err("an index out of range".into());
        }
        Ok(Pointer { base: index * size, size })
    }

    fn parts(&self, inner: &TypeInner) -> Result<(usize, usize), String> {
        match self.pointee(inner) {
            TypeInner::Vector { size, .. } | TypeInner::ValuePointer { size: Some(size), .. } => {
                Ok((*size as usize, 1))
            }
            TypeInner::Matrix { columns, rows, .. } => Ok((*columns as usize, *rows as usize)),
            TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
                Ok((count.get() as usize, self.size_of(*base)?))
            }
            _ => Err("an index of a type that has no parts".into()),
        }
    }

    fn kind(&self, inner: &TypeInner) -> ScalarKind {
        self.pointee(inner).scalar_kind().unwrap_or(ScalarKind::Float)
    }

    fn type_of<'f>(&'f self, frame: &'f Frame<'m>, handle: Handle<Expression>) -> &'f TypeInner {
        frame.typifier.get(handle, &self.module.types)
    }

    // Calls and statements.

    fn call(
        &mut self,
        key: Option<Handle<Function>>,
        function: &'m Function,
        arguments: Vec<Value>,
    ) -> Result<(Vec<Number>, Next), String> {
        let typifier = match self.typifiers.get(&key) {
            Some(found) => found.clone(),
            None => {
                let mut typifier = Typifier::new();
                let context = naga::proc::ResolveContext::with_locals(
                    self.module,
                    &function.local_variables,
                    &function.arguments,
                );
                if let Some((last, _)) = function.expressions.iter().next_back() {
                    typifier
                        .grow(last, &function.expressions, &context)
                        .map_err(|error| error.to_string())?;
                }
                let typifier = Rc::new(typifier);
                self.typifiers.insert(key, typifier.clone());
                typifier
            }
        };
        let base = self.memory.len();
        let mut frame = Frame {
            function,
            typifier,
            arguments,
            locals: Vec::new(),
            values: vec![None; function.expressions.len()],
            result: Vec::new(),
        };
        for (local, variable) in function.local_variables.iter() {
            let value = match variable.init {
                Some(init) => self.scalars(&mut frame, init)?.to_vec(),
                None => vec![Numbers.number(0.0); self.size_of(variable.ty)?],
            };
            let place = self.reserve(&value);
            if let (Some(trace), Some(name)) = (&mut self.trace, &variable.name) {
                let span = function.local_variables.get_span(local);
                let of = function.name.as_deref().unwrap_or("main");
                trace.declare(of, name, span, place.base, place.size);
            }
            frame.locals.push(place);
        }
        let next = self.block(&mut frame, &function.body)?;
        self.memory.truncate(base);
        if let Some(trace) = &mut self.trace {
            trace.free(base);
        }
        if let (Some(result), true) = (&function.result, frame.result.is_empty()) {
            frame.result = vec![Numbers.number(0.0); self.size_of(result.ty)?];
        }
        Ok((frame.result, next))
    }

    fn block(&mut self, frame: &mut Frame<'m>, block: &'m Block) -> Result<Next, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("statements and calls are nested too deep".into());
        }
        let mut next = Next::Statement;
        for (statement, span) in block.span_iter() {
            self.step()?;
            if let Some(trace) = &mut self.trace {
                trace.locate(*span);
            }
            next = self.statement(frame, statement)?;
            if next != Next::Statement {
                break;
            }
            if matches!(
                statement,
                Statement::If { .. } | Statement::Switch { .. } | Statement::Loop { .. }
            ) {
                self.join(last_offset(statement, span));
            }
        }
        self.depth -= 1;
        Ok(next)
    }

    /// Notes the values of variables after the branch or loop at an offset of the source.
    fn join(&mut self, origin: u32) {
        if let Some(trace) = &mut self.trace {
            trace.join(origin, &self.memory);
        }
    }

    /// Whether a condition holds.
    fn holds(
        &mut self,
        frame: &mut Frame<'m>,
        condition: Handle<Expression>,
    ) -> Result<bool, String> {
        let condition = self.scalar(frame, condition)?;
        self.doubtful |= condition.error != 0.0;
        Ok(!float::is_zero(condition.bits))
    }

    fn statement(
        &mut self,
        frame: &mut Frame<'m>,
        statement: &'m Statement,
    ) -> Result<Next, String> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    self.step()?;
                    if let Some(trace) = &mut self.trace {
                        trace.locate(frame.function.expressions.get_span(handle));
                    }
                    let value = self.evaluate(frame, handle)?;
                    frame.values[handle.index()] = Some(value);
                }
            }
            Statement::Block(block) => return self.block(frame, block),
            Statement::If { condition, accept, reject } => {
                let side = if self.holds(frame, *condition)? { accept } else { reject };
                return self.block(frame, side);
            }
            Statement::Switch { selector, cases } => {
                let selector = self.scalar(frame, *selector)?;
                self.doubtful |= selector.error != 0.0;
                let is = |value: SwitchValue| match value {
                    SwitchValue::I32(value) => {
                        float::equal(selector.bits, (value as f32).to_bits())
                    }
                    SwitchValue::U32(value) => {
                        float::equal(selector.bits, (value as f32).to_bits())
                    }
                    SwitchValue::Default => false,
                };
                let start = cases
                    .iter()
                    .position(|case| is(case.value))
                    .or_else(|| cases.iter().position(|case| case.value == SwitchValue::Default));
                for case in cases.iter().skip(start.unwrap_or(cases.len())) {
                    match self.block(frame, &case.body)? {
                        Next::Statement if case.fall_through => {}
                        Next::Statement | Next::Break => break,
                        next => return Ok(next),
                    }
                }
            }
            Statement::Loop { body, continuing, break_if } => {
                let at = self.trace.as_ref().map_or(0, |trace| trace.origin);
                loop {
                    self.step()?;
                    self.join(at);
                    match self.block(frame, body)? {
                        Next::Statement | Next::Continue => {}
                        Next::Break => break,
                        next => return Ok(next),
                    }
                    self.block(frame, continuing)?;
                    if let Some(condition) = break_if
                        && self.holds(frame, *condition)?
                    {
                        break;
                    }
                }
            }
            Statement::Break => return Ok(Next::Break),
            Statement::Continue => return Ok(Next::Continue),
            Statement::Return { value } => {
                if let Some(value) = value {
                    frame.result = self.scalars(frame, *value)?.to_vec();
                }
                return Ok(Next::Return);
            }
            Statement::Kill => return Ok(Next::Kill),
            Statement::Store { pointer, value } => {
                let value = self.scalars(frame, *value)?;
                match self.value(frame, *pointer)? {
                    Value::Pointer(place) if place.size != value.len() => {
                        return Err("a store of another type".into());
                    }
                    Value::Pointer(place) => {
                        self.memory[place.base..place.base + place.size].copy_from_slice(&value);
                        if let Some(trace) = &mut self.trace {
                            trace.store(place.base, &value);
                        }
                    }
                    Value::Scalars(_) => return Err("a store to a value".into()),
                }
            }
            Statement::Call { function, arguments, result } => {
                let called = &self.module.functions[*function];
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.value(frame, *argument)?);
                }
                let value = match self.glsl.textures.get(function) {
                    Some(texture) => self.sampling(*texture, &values)?,
                    None => {
                        let (value, next) = self.call(Some(*function), called, values)?;
                        if next == Next::Kill {
                            return Ok(Next::Kill);
                        }
                        value
                    }
                };
                if let Some(result) = result {
                    frame.values[result.index()] = Some(Value::Scalars(value.into()));
                }
            }
            _ => {
                return Err(format!("a statement that the evaluator does not know: {statement:?}"));
            }
        }
        Ok(Next::Statement)
    }
}
