//! Expands instructions to steps, which are operations of the machine. docs/ps_3_0.md describes the
//! expansion of each instruction; the tests compare with the same expansions.

use super::declare::{Declarations, Move, in_range, mask};
use super::steps::*;
use super::structure::Structure;
use super::syntax::{File, Instruction, Operand, RegisterUse, Statement, Value};
use super::table::{Op, Role};
use crate::program::{ConstantKind, Warning};
use ctm_base::text::{Diagnostic, Parsed, Span};
use ctm_isa::isa::{Comparison, MAX_INSTRUCTIONS, TexOp};

/// The largest finite number, and 1 / (2 pi): the numbers that expansions need.
const LARGEST: u32 = 0x7f7f_ffff;
const TURNS: u32 = 0x3e22_f983;

/// The state for one shader.
pub(super) struct Expander {
    pub declarations: Declarations,
    pub steps: Vec<Located>,
    pub structure: Structure,
    /// The statement being expanded.
    pub span: Span,
    /// The constant that holds [`LARGEST`] and [`TURNS`], once an expansion needs it.
    numbers: Option<u8>,
    pub warnings: Vec<Warning>,
}

/// Expands all statements to steps.
///
/// # Errors
/// The errors of the statements.
pub(super) fn expand(
    statements: &[Statement],
    declarations: Declarations,
) -> Result<Expander, Vec<Diagnostic>> {
    let mut expander = Expander {
        declarations,
        steps: Vec::new(),
        structure: Structure::default(),
        span: Span::default(),
        numbers: None,
        warnings: Vec::new(),
    };
    expander.move_inputs();
    let mut errors = Vec::new();
    let mut ended = false;
    for statement in statements {
        let (span, instruction) = match statement {
            Statement::Instruction(instruction) => (instruction.span, Some(instruction)),
            Statement::End(span) => (*span, None),
            Statement::Declare { span, .. } | Statement::Define { span, .. } => {
                if ended {
                    errors.push(after_end(*span));
                }
                continue;
            }
        };
        if ended {
            errors.push(after_end(span));
            break;
        }
        expander.span = span;
        match instruction {
            None => ended = true,
            Some(instruction) => errors.extend(expander.instruction(instruction).err()),
        }
        // Pairing at best halves the number of steps.
        if expander.steps.len() > 2 * MAX_INSTRUCTIONS + 64 {
            errors.push(too_long(span));
            break;
        }
    }
    if errors.is_empty() {
        errors.extend(expander.finish());
    }
    if errors.is_empty() { Ok(expander) } else { Err(errors) }
}

fn after_end(span: Span) -> Diagnostic {
    span.error("nothing can follow `end`")
}

/// The error for an instruction beyond the last slot.
pub(super) fn too_long(span: Span) -> Diagnostic {
    span.error(format!("the program needs more than {MAX_INSTRUCTIONS} instructions"))
        .label("there is no slot for this one")
}

impl Expander {
    pub fn push(&mut self, step: Step) {
        self.steps.push(Located { step, span: self.span });
    }

    /// A temporary for the compiler's own use. Its value lives within one statement.
    fn scratch(&self, n: u8) -> u8 {
        self.declarations.scratch + n
    }

    /// The constant that holds the numbers of expansions.
    fn numbers(&mut self) -> Parsed<u8> {
        if let Some(n) = self.numbers {
            return Ok(n);
        }
        let n = self.declarations.free_constant().ok_or_else(|| {
            self.span.error("all 256 float constants are taken; there is none for a number that this instruction needs")
        })?;
        let value = [LARGEST, TURNS, 0, 0];
        self.declarations.values.insert((ConstantKind::Float, n.into()), value);
        self.numbers = Some(n);
        if self.declarations.relative_floats {
            self.warnings.push(Warning::whole(format!(
                    "the shader addresses constants relative to aL, and c{n} holds numbers of its instructions: data there would change them"
                )));
        }
        Ok(n)
    }
    fn largest(&mut self) -> Parsed<Source> {
        Ok(Source::new(Base::Constant(self.numbers()?)).channel(0))
    }
    fn turns(&mut self) -> Parsed<Source> {
        Ok(Source::new(Base::Constant(self.numbers()?)).channel(1))
    }

    pub fn vector(&mut self, op: &'static str, dest: Dest, sources: &[Source]) {
        self.push(Step::Vector(op, dest, sources.to_vec()));
    }
    fn dot(&mut self, op: &'static str, dest: Dest, sources: &[Source]) {
        self.push(Step::Dot(op, dest, sources.to_vec()));
    }
    fn scalar(&mut self, op: &'static str, dest: Dest, source: Source) {
        self.push(Step::Scalar(op, dest, source));
    }
    /// A move. It preserves all bits unless it clamps.
    fn copy(&mut self, dest: Dest, source: Source) {
        self.vector("mov.exact", dest, &[source]);
    }

    /// Moves interpolants to the shader's input registers.
    fn move_inputs(&mut self) {
        for Move { span, to, mask, from } in std::mem::take(&mut self.declarations.moves) {
            self.span = span;
            self.copy(Dest::temp(to, mask), Source::temp(from));
        }
    }

    fn instruction(&mut self, instruction: &Instruction) -> Parsed<()> {
        let op = instruction.row.op;
        self.structure.reachable(op, self.span)?;
        match op {
            Op::Flow(op) => self.flow(op, instruction),
            Op::SetP => self.set_predicate(instruction),
            Op::TexKill => self.kill(instruction),
            Op::Fetch(op) => self.fetch(op, instruction),
            _ => self.arithmetic(instruction),
        }
    }

    fn arithmetic(&mut self, instruction: &Instruction) -> Parsed<()> {
        // nop emits nothing.
        let Some((first, operands)) = instruction.operands.split_first() else { return Ok(()) };
        let gate = instruction.gate.map(|gate| gate.by);
        let dest = Dest { saturate: instruction.saturate, gate, ..self.dest(first)? };
        let mut sources = Vec::with_capacity(3);
        for (operand, role) in operands.iter().zip(&instruction.row.operands[1..]) {
            sources.push(match role {
                Role::Scalar => self.one_channel(operand)?,
                _ => self.source(operand)?,
            });
        }
        match (instruction.row.op, sources.as_slice()) {
            (Op::Vector(op), sources) => self.vector(op, dest, sources),
            (Op::Dot(op), sources) => self.dot(op, dest, sources),
            (Op::Scalar(op), [a]) => self.scalar(op, dest, *a),
            (Op::ScalarOfAbs(op), [a]) => self.scalar(op, dest, a.absolute()),
            (Op::Abs, [a]) => self.copy(dest, a.absolute()),
            (Op::Mul, [a, b]) => self.vector("mad", dest, &product(*a, *b)),
            (Op::Cmp, [a, b, c]) => self.vector("cmp.exact", dest, &[*b, *c, *a]),
            (Op::Lrp, [factor, b, a]) => self.interpolation(dest, *factor, *a, *b),
            (Op::Pow, [a, b]) => self.power(dest, *a, *b)?,
            (Op::Nrm, [a]) => self.normalize(dest, *a)?,
            (Op::Crs, [a, b]) => {
                if dest.mask & 8 != 0 {
                    return Err(first
                        .span
                        .error("crs does not write w")
                        .help("write at most .xyz"));
                }
                self.cross(dest, *a, *b);
            }
            (Op::SinCos, [a]) => {
                if dest.mask & 12 != 0 || dest.is_depth() {
                    return Err(first
                        .span
                        .error("sincos writes the cosine to x, the sine to y")
                        .help("write .x, .y or .xy of a register"));
                }
                self.sine(dest, *a)?;
            }
            (Op::Matrix(rows, op), [a, _]) => {
                let written = (1 << rows) - 1;
                if dest.mask != written || dest.is_depth() {
                    return Err(first
                        .span
                        .error(format!("{} writes {rows} channels", instruction.row.name))
                        .help(format!("write .{}", &"xyzw"[..rows as usize])));
                }
                self.matrix(op, dest, *a, rows, &operands[1])?;
            }
            (Op::Derivative(op), [a]) => self.derivative(op, dest, *a),
            _ => {}
        }
        Ok(())
    }

    /// factor * (b - a) + a. The difference is a presubtract if that gives the same result.
    fn interpolation(&mut self, dest: Dest, factor: Source, a: Source, b: Source) {
        let register = |source: &Source| {
            source.is_plain()
                && matches!(source.base, Base::Temp(_) | Base::Constant(_) | Base::Defined(..))
        };
        if register(&a) && register(&b) && a.swizzle == b.swizzle {
            self.push(Step::Interpolate(dest, [factor, a, b]));
            return;
        }
        let temp = self.scratch(0);
        self.vector("sub", Dest::temp(temp, dest.mask), &[b, a]);
        self.vector("mad", dest, &[factor, Source::temp(temp), a]);
    }

    /// A scratch temporary's alpha channel, to write and to read.
    fn scratch_alpha(&self) -> (Dest, Source) {
        let temp = self.scratch(0);
        (Dest::temp(temp, 8), Source::temp(temp).channel(3))
    }

    /// 2 to the power b * log2(abs(a)). The logarithm of 0 is the lowest finite number.
    fn power(&mut self, dest: Dest, a: Source, b: Source) -> Parsed<()> {
        let lowest = self.largest()?.negative();
        let (temp, value) = self.scratch_alpha();
        self.scalar("ln2", temp, a.absolute());
        self.vector("max.exact", temp, &[lowest, value]);
        self.vector("mad", temp, &product(value, b));
        self.scalar("ex2", dest, value);
        Ok(())
    }

    /// a / length(a.xyz). The reciprocal of the length 0 is the largest finite number.
    fn normalize(&mut self, dest: Dest, a: Source) -> Parsed<()> {
        let largest = self.largest()?;
        let (temp, value) = self.scratch_alpha();
        self.dot("dp3", temp, &[a, a]);
        self.scalar("rsq", temp, value);
        self.vector("min.exact", temp, &[largest, value]);
        self.vector("mad", dest, &product(a, value));
        Ok(())
    }

    fn cross(&mut self, dest: Dest, a: Source, b: Source) {
        const LEFT: [u8; 4] = [1, 2, 0, 3];
        const RIGHT: [u8; 4] = [2, 0, 1, 3];
        let temp = self.scratch(0);
        let second = product(a.compose(RIGHT), b.compose(LEFT));
        self.vector("mad", Dest::temp(temp, dest.mask), &second);
        let second = Source::temp(temp).negative();
        self.vector("mad", dest, &[a.compose(LEFT), b.compose(RIGHT), second]);
    }

    fn sine(&mut self, dest: Dest, a: Source) -> Parsed<()> {
        let turns = self.turns()?;
        let (temp, angle) = self.scratch_alpha();
        self.vector("mad", temp, &product(a, turns));
        for (mask, op) in [(1, "cos"), (2, "sin")] {
            if dest.mask & mask != 0 {
                self.scalar(op, Dest { mask, ..dest }, angle);
            }
        }
        Ok(())
    }

    /// The products of `a` with `count` rows, the consecutive registers from `first` on.
    fn matrix(
        &mut self,
        op: &'static str,
        dest: Dest,
        a: Source,
        count: u8,
        first: &Operand,
    ) -> Parsed<()> {
        let mut rows = Vec::with_capacity(4);
        for n in 0..count {
            let mut row = first.clone();
            if let Value::Register(found) = &mut row.value {
                found.register.index = found.register.index.saturating_add(n.into());
            }
            rows.push(self.source(&row)?);
        }
        let writes = |source: &Source| match (dest.target, source.base) {
            (Target::Temp(n), Base::Temp(m)) => n == m,
            _ => false,
        };
        // A row must not read a result of an earlier row.
        let overlaps = writes(&a) || rows.iter().any(writes);
        let part = if overlaps {
            Dest { target: Target::Temp(self.scratch(0)), gate: None, ..dest }
        } else {
            dest
        };
        for (n, row) in rows.iter().enumerate() {
            self.dot(op, Dest { mask: 1 << n, ..part }, &[a, *row]);
        }
        if overlaps {
            self.copy(Dest { saturate: false, ..dest }, Source::temp(self.scratch(0)));
        }
        Ok(())
    }

    fn derivative(&mut self, op: &'static str, dest: Dest, a: Source) {
        let own = a.is_plain() && a.swizzle == [0, 1, 2, 3];
        let temp = match a.base {
            Base::Temp(n) if own && !dest.is_depth() => n,
            _ => {
                let temp = self.scratch(0);
                // The conditional output is the alpha unit's result of lane x.
                if dest.is_depth() {
                    self.copy(Dest::temp(temp, 8), a.channel(a.swizzle[0]))
                } else {
                    self.copy(Dest::temp(temp, dest.mask), a)
                }
                temp
            }
        };
        self.push(Step::Neighbours(op, dest, temp));
    }

    fn set_predicate(&mut self, instruction: &Instruction) -> Parsed<()> {
        let ([dest, a, b], Some(compare)) = (&instruction.operands[..], instruction.compare) else {
            return Ok(());
        };
        let found = dest
            .register_of(File::Predicate)
            .ok_or_else(|| dest.span.error("setp writes the predicate, p0"))?;
        if found.is_signed() || found.not {
            return Err(dest.span.error("a register that is written has no modifiers"));
        }
        in_range(found, dest.span)?;
        let mask = mask(found, dest.span)?;
        let operands = compare.of(self.source(a)?, self.source(b)?);
        let predicate = Dest::new(Target::Predicate(compare.test), mask);
        let Some(gate) = instruction.gate else {
            self.vector("sub", predicate, &operands);
            return Ok(());
        };
        // The machine does not gate predicate bits. Where the gate is closed, compare a number that
        // gives the old bit again.
        let (yes, no) = match compare.test {
            Comparison::Less => (-1.0, 1.0),
            Comparison::GreaterEqual => (1.0, -1.0),
            Comparison::Equal => (0.0, 1.0),
            Comparison::NotEqual => (1.0, 0.0),
        };
        let temp = Dest::temp(self.scratch(0), mask);
        let old = Gating { not: false, channel: None };
        self.copy(temp, Source::number(no));
        self.copy(Dest { gate: Some(old), ..temp }, Source::number(yes));
        self.vector("sub", Dest { gate: Some(gate.by), ..temp }, &operands);
        self.copy(predicate, Source::temp(self.scratch(0)));
        Ok(())
    }

    fn kill(&mut self, instruction: &Instruction) -> Parsed<()> {
        let [operand] = instruction.operands.as_slice() else {
            return Ok(());
        };
        let span = operand.span;
        let found = operand.register().ok_or_else(|| span.error("expected a register"))?;
        if found.is_signed() {
            return Err(span.error("texkill has no modifiers"));
        }
        let mask = mask(found, span)?;
        let whole = RegisterUse { swizzle: None, ..found.clone() };
        let source = self.source(&Operand { span, value: Value::Register(whole) })?;
        let temp = self.scratch(0);
        let dest = Dest::temp(temp, mask);
        let gate = instruction.gate.map(|gate| gate.by);
        if gate.is_some() {
            // The machine does not gate TEXKILL. Where the gate is closed, test 0, which does not
            // kill.
            self.copy(dest, Source::number(0.0));
        }
        // Adding 0 turns -0 into 0. -0 is not below 0, but in mode exact TEXKILL kills on it.
        self.vector("add", Dest { gate, ..dest }, &[source, Source::number(0.0)]);
        let first = mask.trailing_zeros() as u8;
        let lanes = [0, 1, 2, 3].map(|n| if mask >> n & 1 != 0 { n } else { first });
        self.push(Step::Kill(Source::temp(temp).compose(lanes)));
        Ok(())
    }

    fn fetch(&mut self, op: TexOp, instruction: &Instruction) -> Parsed<()> {
        let [dest_operand, coordinate, sampler, gradients @ ..] = instruction.operands.as_slice()
        else {
            return Ok(());
        };
        let dest = self.dest(dest_operand)?;
        let Target::Temp(_) = dest.target else {
            return Err(dest_operand
                .span
                .error("a fetch goes to a temporary")
                .help("fetch to r0 and move it from there"));
        };
        let mut coordinates = Vec::with_capacity(3);
        for (n, operand) in std::iter::once(coordinate).chain(gradients).enumerate() {
            let source = self.source(operand)?;
            coordinates.push(self.coordinate(source, n as u8));
        }
        let found = sampler
            .register_of(File::Sampler)
            .ok_or_else(|| sampler.span.error("expected a sampler, s0 to s15"))?;
        if found.is_signed() || found.not {
            return Err(sampler.span.error("a sampler has no sign"));
        }
        let slot = in_range(found, sampler.span)? as u8;
        self.declared(found.register, sampler.span)?;
        let swizzle = found.swizzle.as_ref().map(|_| found.lanes());
        let dest = Dest { gate: instruction.gate.map(|gate| gate.by), ..dest };
        self.push(Step::Fetch(op, dest, slot, swizzle, coordinates));
        Ok(())
    }

    /// A coordinate as a temporary with four channels. Any other source is moved to one.
    fn coordinate(&mut self, source: Source, n: u8) -> Source {
        if source.is_plain() && matches!(source.base, Base::Temp(_) | Base::TempRelative(_)) {
            return source;
        }
        let temp = self.scratch(n);
        self.copy(Dest::temp(temp, 15), source);
        Source::temp(temp)
    }
}

/// The operands of a bare product: adding -0 changes nothing.
fn product(a: Source, b: Source) -> [Source; 3] {
    [a, b, Source::number(-0.0)]
}
