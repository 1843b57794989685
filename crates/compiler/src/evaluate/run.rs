//! Statements and expressions, one point at a time.

use super::number::{Number, Numbers};
use super::{Environment, Point};
use crate::arithmetic::Arithmetic;
use crate::front::Front;
use crate::functions::Functions;
use crate::glsl::{PREFIX, Storage};
use ctm_isa::float;
use naga::front::Typifier;
use naga::{
    ArraySize, Block, Expression, Function, GlobalVariable, Handle, Literal, Module, ScalarKind,
    Statement, SwitchValue, Type, TypeInner, UnaryOperator,
};
use std::collections::HashMap;
use std::rc::Rc;

/// Most statements and expressions of a point.
const MAX_STEPS: usize = 1_000_000;

/// Deepest nesting of calls and blocks.
const MAX_DEPTH: usize = 200;

/// Most scalars of a type.
const MAX_SCALARS: usize = 1 << 16;

/// Where a statement leads.
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
struct Place {
    base: usize,
    size: usize,
}

#[derive(Clone)]
enum Value {
    Scalars(Rc<[Number]>),
    Place(Place),
}

/// A call that runs.
struct Frame<'m> {
    function: &'m Function,
    typifier: Rc<Typifier>,
    arguments: Vec<Value>,
    locals: Vec<Place>,
    values: Vec<Option<Value>>,
    result: Vec<Number>,
}

struct Machine<'m, 'e> {
    module: &'m Module,
    environment: &'e dyn Environment,
    memory: Vec<Number>,
    globals: HashMap<Handle<GlobalVariable>, Place>,
    typifiers: HashMap<Option<Handle<Function>>, Rc<Typifier>>,
    /// The samplers: a sampler's number is its place here.
    samplers: Vec<String>,
    doubtful: bool,
    steps: usize,
    depth: usize,
}

/// Runs a GLSL shader at a point.
pub fn run(front: &Front, environment: &dyn Environment) -> Result<Point, String> {
    let module = &front.module;
    let declared = front.declared().ok_or("the evaluator reads GLSL")?;
    let entry = module
        .entry_points
        .iter()
        .find(|entry| entry.stage == naga::ShaderStage::Fragment)
        .ok_or("the source has no fragment shader")?;
    let mut machine = Machine {
        module,
        environment,
        memory: Vec::new(),
        globals: HashMap::new(),
        typifiers: HashMap::new(),
        samplers: Vec::new(),
        doubtful: false,
        steps: 0,
        depth: 0,
    };
    let mut outputs = Vec::new();
    for (handle, variable) in module.global_variables.iter() {
        let own = variable.name.as_deref().unwrap_or_default();
        let declared = declared.get(own);
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
    Ok(point)
}

impl<'m> Machine<'m, '_> {
    fn step(&mut self) -> Result<(), String> {
        self.steps += 1;
        if self.steps > MAX_STEPS { Err("the shader runs too long".into()) } else { Ok(()) }
    }

    fn reserve(&mut self, value: &[Number]) -> Place {
        let base = self.memory.len();
        self.memory.extend_from_slice(value);
        Place { base, size: value.len() }
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
    fn part(&self, inner: &TypeInner, index: usize) -> Result<Place, String> {
        let inner = self.pointee(inner);
        if let TypeInner::Struct { members, .. } = inner {
            let mut base = 0;
            for member in &members[..index] {
                base += self.size_of(member.ty)?;
            }
            return Ok(Place { base, size: self.size_of(members[index].ty)? });
        }
        let (count, size) = self.parts(inner)?;
        if index >= count {
            return Err("an index out of range".into());
        }
        Ok(Place { base: index * size, size })
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

    // The border.

    fn uniform(
        &mut self,
        name: &str,
        ty: Handle<Type>,
        value: &mut Vec<Number>,
    ) -> Result<(), String> {
        let module = self.module;
        let Type { name: type_name, inner } = &module.types[ty];
        match inner {
            TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
                for n in 0..count.get() {
                    self.uniform(&format!("{name}[{n}]"), *base, value)?;
                }
            }
            TypeInner::Struct { .. }
                if type_name.as_deref().is_some_and(|name| name.starts_with("ctm_sampler2D")) =>
            {
                value.push(Numbers.number(self.samplers.len() as f32));
                self.samplers.push(name.to_string());
            }
            TypeInner::Struct { members, .. } => {
                for member in members {
                    let own = member.name.as_deref().unwrap_or("_");
                    let own = own.strip_suffix("_r").unwrap_or(own);
                    self.uniform(&format!("{name}.{own}"), member.ty, value)?;
                }
            }
            _ => {
                let bits = |n: usize| Number::given(self.environment.uniform(name, n));
                value.extend((0..self.size(inner)?).map(bits));
            }
        }
        Ok(())
    }

    fn varying(
        &mut self,
        name: &str,
        ty: Handle<Type>,
        value: &mut Vec<Number>,
    ) -> Result<(), String> {
        let module = self.module;
        let inner = &module.types[ty].inner;
        let mut column = |name: &str, rows: usize| {
            value.extend((0..rows).map(|n| Number::given(self.environment.varying(name, n))));
        };
        match inner {
            TypeInner::Scalar(_) => column(name, 1),
            TypeInner::Vector { size, .. } => column(name, *size as usize),
            TypeInner::Matrix { columns, rows, .. } => {
                for n in 0..*columns as usize {
                    column(&format!("{name}[{n}]"), *rows as usize);
                }
            }
            TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
                for n in 0..count.get() {
                    self.varying(&format!("{name}[{n}]"), *base, value)?;
                }
            }
            _ => return Err("a varying of a type that the evaluator does not know".into()),
        }
        Ok(())
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
        for (_, variable) in function.local_variables.iter() {
            let value = match variable.init {
                Some(init) => self.scalars(&mut frame, init)?.to_vec(),
                None => vec![Numbers.number(0.0); self.size_of(variable.ty)?],
            };
            let place = self.reserve(&value);
            frame.locals.push(place);
        }
        let next = self.block(&mut frame, &function.body)?;
        self.memory.truncate(base);
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
        for statement in block.iter() {
            self.step()?;
            next = self.statement(frame, statement)?;
            if next != Next::Statement {
                break;
            }
        }
        self.depth -= 1;
        Ok(next)
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
            Statement::Loop { body, continuing, break_if } => loop {
                self.step()?;
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
            },
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
                    Value::Place(place) if place.size != value.len() => {
                        return Err("a store of another type".into());
                    }
                    Value::Place(place) => {
                        self.memory[place.base..place.base + place.size].copy_from_slice(&value);
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
                let name = called.name.as_deref().unwrap_or_default();
                let value = match name.strip_prefix(PREFIX).filter(|own| own.starts_with("te")) {
                    Some(own) => self.sampling(own, called, &values)?,
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

    /// A function on samplers.
    fn sampling(
        &mut self,
        name: &str,
        called: &Function,
        values: &[Value],
    ) -> Result<Vec<Number>, String> {
        let mut scalars = Vec::new();
        for value in values {
            scalars.push(self.loaded(value.clone()));
        }
        let sampler = f32::from_bits(scalars[0][0].bits) as usize;
        let sampler = self.samplers.get(sampler).ok_or("a sampler that is no uniform")?.clone();
        let size = self.environment.size(&sampler).map(|size| (size as f32).to_bits());
        if name == "textureSize" {
            return Ok(size.map(Number::given).to_vec());
        }
        let first = &self.module.types[called.arguments[0].ty];
        let unscaled = first.name.as_deref() == Some("ctm_sampler2DRect");
        let numbers = &mut Numbers;
        let mut at = [scalars[1][0], scalars[1][1]];
        let size = size.map(Number::given);
        match name {
            "texture" | "textureLod" | "textureGrad" | "texelFetch" => {}
            "textureProj" | "textureProjLod" => {
                let factor = numbers.rcp(scalars[1][scalars[1].len() - 1]);
                at = at.map(|axis| numbers.mul(axis, factor));
            }
            "textureOffset" => {
                at = [0, 1].map(|axis| {
                    let scaled = numbers.mul(at[axis], size[axis]);
                    numbers.add(scaled, scalars[2][axis])
                });
            }
            _ => return Err(format!("the function {name} that the evaluator does not know")),
        }
        if !unscaled && name != "texelFetch" && name != "textureOffset" {
            at = [0, 1].map(|axis| numbers.mul(at[axis], size[axis]));
        }
        // Another element within the error leaves the result open.
        let sure = at.iter().all(|axis| {
            let at = f64::from(f32::from_bits(axis.bits));
            (at - axis.error).floor() == (at + axis.error).floor()
        });
        let [x, y] = at.map(|axis| float::texel_index(axis.bits));
        let texel = self.environment.fetch(&sampler, x, y).map(Number::given);
        let open =
            |number: Number| if sure { number } else { Number { error: f64::INFINITY, ..number } };
        Ok(texel.map(open).to_vec())
    }

    // Expressions.

    fn value(
        &mut self,
        frame: &mut Frame<'m>,
        handle: Handle<Expression>,
    ) -> Result<Value, String> {
        match &frame.values[handle.index()] {
            Some(value) => Ok(value.clone()),
            None => self.evaluate(frame, handle),
        }
    }

    fn loaded(&self, value: Value) -> Rc<[Number]> {
        match value {
            Value::Scalars(value) => value,
            Value::Place(place) => self.memory[place.base..place.base + place.size].into(),
        }
    }

    fn scalars(
        &mut self,
        frame: &mut Frame<'m>,
        handle: Handle<Expression>,
    ) -> Result<Rc<[Number]>, String> {
        let value = self.value(frame, handle)?;
        Ok(self.loaded(value))
    }

    fn scalar(
        &mut self,
        frame: &mut Frame<'m>,
        handle: Handle<Expression>,
    ) -> Result<Number, String> {
        self.scalars(frame, handle)?.first().copied().ok_or("a value without numbers".into())
    }

    fn literal(literal: Literal) -> Result<Number, String> {
        let value = match literal {
            Literal::F32(value) => value,
            Literal::I32(value) => value as f32,
            Literal::U32(value) => value as f32,
            Literal::Bool(value) => f32::from(value),
            _ => return Err(format!("a literal that the evaluator does not know: {literal:?}")),
        };
        Ok(Numbers.number(value))
    }

    /// A constant expression of the module.
    fn constant(&mut self, handle: Handle<Expression>) -> Result<Vec<Number>, String> {
        self.step()?;
        let module = self.module;
        match &module.global_expressions[handle] {
            Expression::Literal(literal) => Ok(vec![Self::literal(*literal)?]),
            Expression::Constant(constant) => self.constant(module.constants[*constant].init),
            Expression::ZeroValue(ty) => Ok(vec![Numbers.number(0.0); self.size_of(*ty)?]),
            Expression::Compose { components, ty } => {
                let mut value = Vec::new();
                for component in components {
                    value.extend(self.constant(*component)?);
                }
                value.truncate(self.size_of(*ty)?);
                Ok(value)
            }
            Expression::Splat { size, value } => {
                Ok(vec![self.constant(*value)?[0]; *size as usize])
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.constant(*vector)?;
                Ok(pattern[..*size as usize].iter().map(|n| vector[*n as usize]).collect())
            }
            Expression::Unary { op: UnaryOperator::Negate, expr } => {
                let value = self.constant(*expr)?;
                Ok(value.into_iter().map(|number| Numbers.neg(number)).collect())
            }
            expression => {
                Err(format!("a constant that the evaluator does not know: {expression:?}"))
            }
        }
    }

    fn evaluate(
        &mut self,
        frame: &mut Frame<'m>,
        handle: Handle<Expression>,
    ) -> Result<Value, String> {
        let module = self.module;
        let function = frame.function;
        let numbers = &mut Numbers;
        let value: Vec<Number> = match &function.expressions[handle] {
            Expression::Literal(literal) => vec![Self::literal(*literal)?],
            Expression::Constant(constant) => self.constant(module.constants[*constant].init)?,
            Expression::ZeroValue(ty) => vec![numbers.number(0.0); self.size_of(*ty)?],
            Expression::Compose { ty, components } => {
                let mut value = Vec::new();
                for component in components {
                    value.extend_from_slice(&self.scalars(frame, *component)?);
                }
                value.truncate(self.size_of(*ty)?);
                value
            }
            Expression::Access { base, index } => {
                let index = self.scalar(frame, *index)?;
                self.doubtful |= index.error != 0.0;
                let (count, size) = self.parts(self.type_of(frame, *base))?;
                // Of an index out of range, the nearest element.
                let n = (f32::from_bits(index.bits).max(0.0) as usize).min(count - 1);
                return self.within(frame, *base, Place { base: n * size, size });
            }
            Expression::AccessIndex { base, index } => {
                let part = self.part(self.type_of(frame, *base), *index as usize)?;
                return self.within(frame, *base, part);
            }
            Expression::Splat { size, value } => {
                vec![self.scalar(frame, *value)?; *size as usize]
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.scalars(frame, *vector)?;
                pattern[..*size as usize].iter().map(|n| vector[*n as usize]).collect()
            }
            Expression::FunctionArgument(n) => return Ok(frame.arguments[*n as usize].clone()),
            Expression::GlobalVariable(handle) => return Ok(Value::Place(self.globals[handle])),
            Expression::LocalVariable(handle) => {
                return Ok(Value::Place(frame.locals[handle.index()]));
            }
            Expression::Load { pointer } => self.scalars(frame, *pointer)?.to_vec(),
            Expression::Unary { op, expr } => {
                let kind = self.kind(self.type_of(frame, *expr));
                let value = self.scalars(frame, *expr)?;
                let one = |number: &Number| match (op, kind) {
                    (UnaryOperator::Negate, _) => Ok(Numbers.neg(*number)),
                    (UnaryOperator::LogicalNot, _)
                    | (UnaryOperator::BitwiseNot, ScalarKind::Bool) => Ok(Numbers.not(*number)),
                    (UnaryOperator::BitwiseNot, ScalarKind::Sint) => {
                        let minus = Numbers.number(-1.0);
                        Ok(Numbers.sub(minus, *number))
                    }
                    (UnaryOperator::BitwiseNot, _) => Err("an operation on bits".to_string()),
                };
                value.iter().map(one).collect::<Result<_, _>>()?
            }
            Expression::Binary { op, left, right } => {
                let inner = [*left, *right].map(|side| self.type_of(frame, side).clone());
                let left = self.scalars(frame, *left)?;
                let right = self.scalars(frame, *right)?;
                Self::functions(numbers).binary(*op, &inner, &left, &right)?
            }
            Expression::Select { condition, accept, reject } => {
                let condition = self.scalars(frame, *condition)?;
                let accept = self.scalars(frame, *accept)?;
                let reject = self.scalars(frame, *reject)?;
                let condition = |n: usize| condition[if condition.len() == 1 { 0 } else { n }];
                (0..accept.len())
                    .map(|n| numbers.select(condition(n), accept[n], reject[n]))
                    .collect()
            }
            Expression::Relational { fun, argument } => {
                let value = self.scalars(frame, *argument)?;
                Self::functions(numbers).relational(*fun, &value)
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let inner = self.type_of(frame, *arg).clone();
                let mut arguments = Vec::new();
                for argument in [Some(*arg), *arg1, *arg2, *arg3].into_iter().flatten() {
                    arguments.push(self.scalars(frame, argument)?);
                }
                Self::functions(numbers).math(*fun, self.kind(&inner), &inner, &arguments)?
            }
            Expression::As { expr, kind, convert: Some(_) } => {
                let from = self.kind(self.type_of(frame, *expr));
                let value = self.scalars(frame, *expr)?;
                let mut functions = Self::functions(numbers);
                value.iter().map(|number| functions.convert(from, *kind, *number)).collect()
            }
            expression => {
                return Err(format!(
                    "an expression that the evaluator does not know: {expression:?}"
                ));
            }
        };
        Ok(Value::Scalars(value.into()))
    }

    /// A part of a value or of a place.
    fn within(
        &mut self,
        frame: &mut Frame<'m>,
        base: Handle<Expression>,
        part: Place,
    ) -> Result<Value, String> {
        Ok(match self.value(frame, base)? {
            Value::Scalars(value) => Value::Scalars(value[part.base..part.base + part.size].into()),
            Value::Place(place) => {
                Value::Place(Place { base: place.base + part.base, size: part.size })
            }
        })
    }
}
