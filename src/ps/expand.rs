//! Expands instructions to lines of the machine's assembly language. docs/ps_3_0.md describes the
//! expansion of each instruction; the tests compare with the same expansions.

use super::declare::{Declarations, Move, in_range, mask};
use super::emit::*;
use super::flow::Flow;
use super::syntax::*;
use super::table::Op;
use crate::isa::MAX_INSTRUCTIONS;
use crate::program::Warning;
use crate::text::{Diagnostic, Parsed, Span};

/// The largest finite number, and 1 / (2 pi): the numbers that expansions need.
const LARGEST: u32 = 0x7f7f_ffff;
const TURNS: u32 = 0x3e22_f983;

/// The state for one shader.
pub(super) struct Expander {
    pub declarations: Declarations,
    pub lines: Vec<Line>,
    pub flow: Flow,
    /// The statement being expanded.
    pub span: Span,
    /// The constant that holds [`LARGEST`] and [`TURNS`], once an expansion needs it.
    numbers: Option<u8>,
    warnings: Vec<Warning>,
}

/// A shader as lines.
pub(super) struct Expanded {
    pub declarations: Declarations,
    pub lines: Vec<Line>,
    pub warnings: Vec<Warning>,
}

/// Expands all statements to lines.
///
/// # Errors
/// The errors of the statements.
pub(super) fn expand(
    statements: &[Statement],
    declarations: Declarations,
) -> Result<Expanded, Vec<Diagnostic>> {
    let mut expander = Expander {
        declarations,
        lines: Vec::new(),
        flow: Flow::default(),
        span: Span::default(),
        numbers: None,
        warnings: Vec::new(),
    };
    expander.move_inputs();
    let mut errors = Vec::new();
    let mut ended: Option<Span> = None;
    for statement in statements {
        let (span, result) = match statement {
            Statement::Instruction(instruction) => (instruction.span, Some(instruction)),
            Statement::End(span) => (*span, None),
            Statement::Declare { span, .. } | Statement::Define { span, .. } => {
                if ended.is_some() {
                    errors.push(behind_end(*span));
                }
                continue;
            }
        };
        if ended.is_some() {
            errors.push(behind_end(span));
            break;
        }
        expander.span = span;
        match result {
            None => ended = Some(span),
            Some(instruction) => errors.extend(expander.instruction(instruction).err()),
        }
        // Pairing at best halves the number of lines.
        if expander.lines.len() > 2 * MAX_INSTRUCTIONS + 64 {
            errors.push(too_long(span));
            break;
        }
    }
    if errors.is_empty() {
        errors.extend(expander.finish());
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Expanded {
        declarations: expander.declarations,
        lines: expander.lines,
        warnings: expander.warnings,
    })
}

fn behind_end(span: Span) -> Diagnostic {
    span.error("nothing can follow `end`")
}

/// The error for an instruction beyond the last slot.
pub(super) fn too_long(span: Span) -> Diagnostic {
    span.error(format!("the program needs more than {MAX_INSTRUCTIONS} instructions"))
        .label("there is no slot for this one")
}

impl Expander {
    pub fn push(&mut self, kind: LineKind) {
        self.lines.push(Line { kind, span: self.span });
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
        self.declarations.floats[n as usize] = Some([LARGEST, TURNS, 0, 0]);
        self.numbers = Some(n);
        if self.declarations.relative_floats {
            self.warnings.push(Warning {
                pc: None,
                text: format!(
                    "the shader addresses constants relative to aL, and c{n} holds numbers of its instructions: data there would change them"
                ),
            });
        }
        Ok(n)
    }
    fn largest(&mut self) -> Parsed<Source> {
        Ok(Source::new(Place::Constant(self.numbers()?)).channel(0))
    }
    fn turns(&mut self) -> Parsed<Source> {
        Ok(Source::new(Place::Constant(self.numbers()?)).channel(1))
    }

    /// Moves interpolants to the shader's input registers.
    fn move_inputs(&mut self) {
        for Move { span, to, mask, from } in std::mem::take(&mut self.declarations.moves) {
            self.span = span;
            let source = Source::new(Place::Temp(from));
            self.push(copy("", Dest::temp(to, mask), source, None));
        }
    }

    fn instruction(&mut self, instruction: &Instruction) -> Parsed<()> {
        self.flow.reachable(instruction.row.op, self.span)?;
        if !instruction.row.op.can_be_gated() {
            return self.flow(instruction);
        }
        match instruction.row.op {
            Op::SetP => self.set_predicate(instruction),
            Op::TexKill => self.kill(instruction),
            op if op.fetches() => self.fetch(instruction),
            _ => self.arithmetic(instruction),
        }
    }

    fn gate(&self, instruction: &Instruction) -> Option<Gating> {
        instruction.gate.map(|gate| Gating { not: gate.not, channel: gate.channel })
    }

    fn arithmetic(&mut self, instruction: &Instruction) -> Parsed<()> {
        use super::table::Role;
        let operands = &instruction.operands;
        let Some(first) = operands.first() else {
            return Ok(());
        };
        let dest = self.dest(first)?;
        let roles = &instruction.row.operands[1..];
        let mut sources = Vec::with_capacity(3);
        for (operand, role) in operands[1..].iter().zip(roles) {
            sources.push(match role {
                Role::Scalar => self.one_channel(operand)?,
                _ => self.source(operand)?,
            });
        }
        let sat = if instruction.saturate { ".sat" } else { "" };
        let exact = if sat.is_empty() { ".exact" } else { sat };
        let gate = self.gate(instruction);
        let name = |op: &str| format!("{op}{sat}");
        match (instruction.row.op, sources.as_slice()) {
            (Op::Mov, [a]) => self.push(copy(sat, dest, *a, gate)),
            (Op::Abs, [a]) => self.push(copy(sat, dest, a.absolute(), gate)),
            (Op::Add, [a, b]) => self.push(vector(&name("add"), dest, &[*a, *b], gate)),
            (Op::Sub, [a, b]) => self.push(vector(&name("sub"), dest, &[*a, *b], gate)),
            (Op::Mul, [a, b]) => self.push(vector(&name("mad"), dest, &product(*a, *b), gate)),
            (Op::Mad, [a, b, c]) => self.push(vector(&name("mad"), dest, &[*a, *b, *c], gate)),
            (Op::Min, [a, b]) => self.push(vector(&format!("min{exact}"), dest, &[*a, *b], gate)),
            (Op::Max, [a, b]) => self.push(vector(&format!("max{exact}"), dest, &[*a, *b], gate)),
            (Op::Cmp, [a, b, c]) => {
                self.push(vector(&format!("cmp{exact}"), dest, &[*b, *c, *a], gate));
            }
            (Op::Frc, [a]) => self.push(vector(&name("frc"), dest, &[*a], gate)),
            (Op::Lrp, [factor, b, a]) => {
                self.interpolation(&name("mad"), dest, [*factor, *a, *b], gate)
            }
            (Op::Dp3, [a, b]) => self.push(dot(&name("dp3"), dest, &[*a, *b], gate)),
            (Op::Dp4, [a, b]) => self.push(dot(&name("dp4"), dest, &[*a, *b], gate)),
            (Op::Dp2Add, [a, b, c]) => self.push(dot(&name("d2a"), dest, &[*a, *b, *c], gate)),
            (Op::Rcp, [a]) => self.push(scalar(&name("rcp"), dest, *a, gate)),
            (Op::Rsq, [a]) => self.push(scalar(&name("rsq"), dest, a.absolute(), gate)),
            (Op::Exp, [a]) => self.push(scalar(&name("ex2"), dest, *a, gate)),
            (Op::Log, [a]) => self.push(scalar(&name("ln2"), dest, a.absolute(), gate)),
            (Op::Pow, [a, b]) => self.power(&name("ex2"), dest, [*a, *b], gate)?,
            (Op::Nrm, [a]) => self.normalize(&name("mad"), dest, *a, gate)?,
            (Op::Crs, [a, b]) => {
                if dest.mask & 8 != 0 {
                    return Err(first
                        .span
                        .error("crs does not write w")
                        .help("write at most .xyz"));
                }
                self.cross(&name("mad"), dest, [*a, *b], gate);
            }
            (Op::SinCos, [a]) => {
                if dest.mask & 12 != 0 || dest.target == Target::Depth {
                    return Err(first
                        .span
                        .error("sincos writes the cosine to x, the sine to y")
                        .help("write .x, .y or .xy of a register"));
                }
                self.sine(sat, dest, *a, gate)?;
            }
            (Op::Matrix(rows, four), [a, row]) => {
                let wanted = (1 << rows) - 1;
                if dest.mask != wanted || dest.target == Target::Depth {
                    return Err(first
                        .span
                        .error(format!("{} writes {rows} channels", instruction.row.name))
                        .help(format!("write .{}", &"xyzw"[..rows as usize])));
                }
                let op = name(if four { "dp4" } else { "dp3" });
                self.matrix(&op, dest, *a, (operands, *row), gate)?;
            }
            (Op::Dsx, [a]) => self.derivative(&name("mdh"), dest, *a, gate),
            (Op::Dsy, [a]) => self.derivative(&name("mdv"), dest, *a, gate),
            // nop emits nothing.
            _ => {}
        }
        Ok(())
    }

    /// factor * (b - a) + a. The difference is a presubtract if that gives the same result.
    fn interpolation(
        &mut self,
        op: &str,
        dest: Dest,
        [factor, a, b]: [Source; 3],
        gate: Option<Gating>,
    ) {
        let register = |source: &Source| {
            source.is_plain()
                && matches!(source.place, Place::Temp(_) | Place::Constant(_) | Place::Defined(..))
        };
        if register(&a) && register(&b) && a.swizzle == b.swizzle {
            self.push(interpolate(op, dest, factor, [a, b], gate));
            return;
        }
        let difference = self.scratch(0);
        let lanes = Dest::temp(difference, dest.mask);
        self.push(vector("sub", lanes, &[b, a], None));
        let difference = Source::new(Place::Temp(difference));
        self.push(vector(op, dest, &[factor, difference, a], gate));
    }

    /// 2 to the power b * log2(abs(a)). The logarithm of 0 is the lowest finite number.
    fn power(
        &mut self,
        op: &str,
        dest: Dest,
        [a, b]: [Source; 2],
        gate: Option<Gating>,
    ) -> Parsed<()> {
        let lowest = self.largest()?.negative();
        let temp = Dest::temp(self.scratch(0), 8);
        let value = Source::new(Place::Temp(self.scratch(0))).channel(3);
        self.push(scalar("ln2", temp, a.absolute(), None));
        self.push(vector("max.exact", temp, &[lowest, value], None));
        self.push(vector("mad", temp, &product(value, b), None));
        self.push(scalar(op, dest, value, gate));
        Ok(())
    }

    /// a / length(a.xyz). The reciprocal of the length 0 is the largest finite number.
    fn normalize(&mut self, op: &str, dest: Dest, a: Source, gate: Option<Gating>) -> Parsed<()> {
        let largest = self.largest()?;
        let temp = Dest::temp(self.scratch(0), 8);
        let value = Source::new(Place::Temp(self.scratch(0))).channel(3);
        self.push(dot("dp3", temp, &[a, a], None));
        self.push(scalar("rsq", temp, value, None));
        self.push(vector("min.exact", temp, &[largest, value], None));
        self.push(vector(op, dest, &product(a, value), gate));
        Ok(())
    }

    fn cross(&mut self, op: &str, dest: Dest, [a, b]: [Source; 2], gate: Option<Gating>) {
        const LEFT: [u8; 4] = [1, 2, 0, 3];
        const RIGHT: [u8; 4] = [2, 0, 1, 3];
        let temp = self.scratch(0);
        let second = product(a.compose(RIGHT), b.compose(LEFT));
        self.push(vector("mad", Dest::temp(temp, dest.mask), &second, None));
        let second = Source::new(Place::Temp(temp)).negative();
        let sources = [a.compose(LEFT), b.compose(RIGHT), second];
        self.push(vector(op, dest, &sources, gate));
    }

    fn sine(&mut self, sat: &str, dest: Dest, a: Source, gate: Option<Gating>) -> Parsed<()> {
        let turns = self.turns()?;
        let temp = Dest::temp(self.scratch(0), 8);
        let angle = Source::new(Place::Temp(self.scratch(0))).channel(3);
        self.push(vector("mad", temp, &product(a, turns), None));
        for (bit, op) in [(1, "cos"), (2, "sin")] {
            if dest.mask & bit != 0 {
                let dest = Dest { mask: bit, ..dest };
                self.push(scalar(&format!("{op}{sat}"), dest, angle, gate));
            }
        }
        Ok(())
    }

    fn matrix(
        &mut self,
        op: &str,
        dest: Dest,
        a: Source,
        (operands, first): (&[Operand], Source),
        gate: Option<Gating>,
    ) -> Parsed<()> {
        let count = dest.mask.count_ones() as u8;
        let mut rows = vec![first];
        // The rows are consecutive registers, from the first one on.
        if let Some(operand) = operands.get(2)
            && let Value::Register(found) = &operand.value
        {
            for n in 1..count {
                let mut found = found.clone();
                found.register.index = found.register.index.saturating_add(n.into());
                let value = Value::Register(found);
                let span = operand.span;
                rows.push(self.source(&Operand { span, value })?);
            }
        }
        let writes = |source: &Source| match (dest.target, source.place) {
            (Target::Temp(n), Place::Temp(m)) => n == m,
            _ => false,
        };
        // A row must not read a result of an earlier row.
        let overlaps = writes(&a) || rows.iter().any(writes);
        let (target, own_gate) = match overlaps {
            true => (Target::Temp(self.scratch(0)), None),
            false => (dest.target, gate),
        };
        for (n, row) in rows.iter().enumerate() {
            let dest = Dest { target, mask: 1 << n };
            self.push(dot(op, dest, &[a, *row], own_gate));
        }
        if overlaps {
            let result = Source::new(Place::Temp(self.scratch(0)));
            self.push(copy("", dest, result, gate));
        }
        Ok(())
    }

    fn derivative(&mut self, op: &str, dest: Dest, a: Source, gate: Option<Gating>) {
        let own = a.is_plain() && a.swizzle == [0, 1, 2, 3];
        let temp = match a.place {
            Place::Temp(n) if own && dest.target != Target::Depth => n,
            _ => {
                let temp = self.scratch(0);
                // The conditional output is the alpha unit's result of lane x.
                let (mask, a) = match dest.target {
                    Target::Depth => (8, a.channel(a.swizzle[0])),
                    _ => (dest.mask, a),
                };
                self.push(copy("", Dest::temp(temp, mask), a, None));
                temp
            }
        };
        self.push(neighbours(op, dest, temp, gate));
    }

    fn set_predicate(&mut self, instruction: &Instruction) -> Parsed<()> {
        let [dest, a, b] = instruction.operands.as_slice() else {
            return Ok(());
        };
        let found = match &dest.value {
            Value::Register(found) if found.register.file == File::Predicate => found,
            _ => return Err(dest.span.error("setp writes the predicate, p0")),
        };
        if found.is_signed() || found.not {
            return Err(dest.span.error("a register that is written has no modifiers"));
        }
        in_range(found, dest.span)?;
        let mask = mask(found, dest.span)?;
        let (a, b) = (self.source(a)?, self.source(b)?);
        let Some(compare) = instruction.compare else {
            return Ok(());
        };
        let (swap, test) = compare.of_difference();
        let operands = if swap { [b, a] } else { [a, b] };
        let predicate = Dest { target: Target::Predicate(test), mask };
        let Some(gate) = self.gate(instruction) else {
            self.push(vector("sub", predicate, &operands, None));
            return Ok(());
        };
        // The machine does not gate predicate bits. Where the gate is closed, compare a number that
        // gives the old bit again.
        let (yes, no) = match test {
            "<0" => (-1.0, 1.0),
            ">=0" => (1.0, -1.0),
            "==0" => (0.0, 1.0),
            _ => (1.0, 0.0),
        };
        let temp = Dest::temp(self.scratch(0), mask);
        let old = Gating { not: false, channel: None };
        self.push(vector("movx", temp, &[Source::number(no)], None));
        self.push(vector("movx", temp, &[Source::number(yes)], Some(old)));
        self.push(vector("sub", temp, &operands, Some(gate)));
        let value = Source::new(Place::Temp(self.scratch(0)));
        self.push(vector("movx", predicate, &[value], None));
        Ok(())
    }

    fn kill(&mut self, instruction: &Instruction) -> Parsed<()> {
        let [operand] = instruction.operands.as_slice() else {
            return Ok(());
        };
        let Value::Register(found) = &operand.value else {
            return Err(operand.span.error("expected a register"));
        };
        if found.is_signed() {
            return Err(operand.span.error("texkill has no modifiers"));
        }
        let mask = mask(found, operand.span)?;
        let mut whole = found.clone();
        whole.swizzle = None;
        let source = self.source(&Operand { span: operand.span, value: Value::Register(whole) })?;
        let temp = self.scratch(0);
        let dest = Dest::temp(temp, mask);
        let gate = self.gate(instruction);
        if gate.is_some() {
            // The machine does not gate TEXKILL. Where the gate is closed, test 0, which does not
            // kill.
            self.push(vector("movx", dest, &[Source::number(0.0)], None));
        }
        // Adding 0 turns -0 into 0. -0 is not below 0, but TEXKILL would kill on it.
        self.push(vector("add", dest, &[source, Source::number(0.0)], gate));
        let first = mask.trailing_zeros() as u8;
        let letters: String = (0..4)
            .map(|n| if mask >> n & 1 != 0 { n } else { first })
            .map(|n| mask_text(1 << n))
            .collect();
        self.push(LineKind::Other(format!("texkill r{temp}.{letters}")));
        Ok(())
    }

    fn fetch(&mut self, instruction: &Instruction) -> Parsed<()> {
        let [dest_operand, coordinate, sampler, gradients @ ..] = instruction.operands.as_slice()
        else {
            return Ok(());
        };
        let dest = self.dest(dest_operand)?;
        let Target::Temp(register) = dest.target else {
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
        let found = match &sampler.value {
            Value::Register(found) if found.register.file == File::Sampler => found,
            _ => {
                return Err(sampler.span.error("expected a sampler, s0 to s15"));
            }
        };
        if found.is_signed() || found.not {
            return Err(sampler.span.error("a sampler has no sign"));
        }
        let slot = in_range(found, sampler.span)?;
        self.declared(found.register, sampler.span)?;
        let swizzle = match found.swizzle.as_deref() {
            Some(letters @ [.., last]) => {
                let letters = (0..4).map(|n| *letters.get(n).unwrap_or(last));
                format!(".{}", letters.map(|n| mask_text(1 << n)).collect::<String>())
            }
            _ => String::new(),
        };
        let op = match instruction.row.op {
            Op::TexLdb => "lodbias",
            Op::TexLdl => "lod",
            Op::TexLdp => "proj",
            Op::TexLdd => "dxdy",
            _ => "ld",
        };
        let text = format!(
            "{op} r{register}.{}, i{slot}[{}]{swizzle}",
            mask_text(dest.mask),
            coordinates.join(", ")
        );
        let gate = self.gate(instruction);
        self.push(gated(text, gate));
        Ok(())
    }

    /// A coordinate as a temporary with four channels. Any other source is moved to one.
    fn coordinate(&mut self, source: Source, n: u8) -> String {
        let letters = |source: &Source| {
            let letters = source.swizzle.map(|channel| mask_text(1 << channel));
            format!("{}.{}", source.place.name(), letters.concat())
        };
        if source.is_plain() && matches!(source.place, Place::Temp(_) | Place::TempRelative(_)) {
            return letters(&source);
        }
        let temp = self.scratch(n);
        self.push(copy("", Dest::temp(temp, 15), source, None));
        letters(&Source::new(Place::Temp(temp)))
    }
}

/// A move. It preserves all bits unless it clamps.
fn copy(sat: &str, dest: Dest, source: Source, gate: Option<Gating>) -> LineKind {
    let op = if sat.is_empty() { "movx" } else { "mov.sat" };
    vector(op, dest, &[source], gate)
}

/// The operands of a bare product: adding -0 changes nothing.
fn product(a: Source, b: Source) -> [Source; 3] {
    [a, b, Source::number(-0.0)]
}
