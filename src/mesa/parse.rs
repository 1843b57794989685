//! The text of a listing to [`Line`]s.
//!
//! The syntax is what Mesa prints: `OP[_SAT] dst.mask omod, operand, ...;`, and after 'pair
//! translate' instructions of several lines: the sources, the RGB operation, the alpha operation.

use super::listing::{
    Atom, Compare, Component, Destination, Fetch, FetchOp, File, Lane, Line, Op, Operand, Presub,
    Statement, Unit, Value,
};
use crate::float;

/// Why a line of a listing cannot be interpreted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: found `{token}`, expected {expected}")]
pub struct ListingError {
    /// The line of the log, from 1.
    pub line: usize,
    /// What is there.
    pub token: String,
    /// What was expected.
    pub expected: String,
}

/// The largest number of a register.
const MAX_REGISTER: u32 = 4095;

/// Reads the lines of a listing: their numbers in the log, from 1, and texts.
///
/// # Errors
/// The first line that cannot be interpreted.
pub fn listing(lines: &[(usize, &str)]) -> Result<Vec<Line>, ListingError> {
    let mut found = Vec::new();
    let mut rest = lines;
    while let [(number, first), tail @ ..] = rest {
        // An instruction has the lines up to the next one with a number.
        let more = tail.iter().take_while(|(_, text)| numbered(text).is_none()).count();
        let body = numbered(first).ok_or_else(|| ListingError {
            line: *number,
            token: first.trim().chars().take(40).collect(),
            expected: "the number of an instruction".into(),
        })?;
        let mut text = body.trim_end().to_string();
        for (_, line) in &tail[..more] {
            text += "\n";
            text += line.trim_end();
        }
        let (statement, sources) = if body.trim().is_empty() || body.trim().starts_with("src") {
            pair(*number, body, &tail[..more])?
        } else {
            let units = tail[..more].iter().map(|(_, line)| line.trim()).collect::<Vec<_>>();
            let joined = [&[body.trim()], &units[..]].concat().join(" ");
            (Scan::new(*number, &joined).statement()?, Default::default())
        };
        found.push(Line { statement, sources, number: *number, text });
        rest = &tail[more..];
    }
    Ok(found)
}

/// What follows the number of an instruction.
pub(super) fn numbered(line: &str) -> Option<&str> {
    let (number, rest) = line.trim_start().split_once(':')?;
    (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(rest)
}

/// The sources of a paired instruction: of RGB, then of alpha. The fourth is the presubtract.
type Sources = [[Option<Atom>; 3]; 2];

/// A paired instruction.
fn pair(
    number: usize,
    head: &str,
    tail: &[(usize, &str)],
) -> Result<(Statement, Sources), ListingError> {
    let mut scan = Scan::new(number, head);
    let mut slots = Slots::default();
    scan.space();
    while scan.peek_is(|c| c == 's') {
        scan.source(&mut slots)?;
        if !scan.eat(",") {
            break;
        }
        scan.space();
    }
    scan.flags()?;
    scan.end()?;
    let mut units: Vec<Unit> = Vec::new();
    let mut alpha = false;
    for &(line, text) in tail {
        let mut scan = Scan::new(line, text);
        scan.space();
        if scan.rest().starts_with('[') {
            let (_, compare) = scan.comparison()?;
            scan.end()?;
            let unit = units.iter_mut().find(|unit| unit.sets_flag.is_some());
            let unit = unit.ok_or_else(|| scan.error("a comparison after `aluresult`"))?;
            let channel = unit.sets_flag.map_or(0, |(channel, _)| channel);
            unit.sets_flag = Some((channel, compare));
            continue;
        }
        if units.len() == 2 {
            return Err(scan.error("at most two operations"));
        }
        let (unit, is_alpha) = scan.paired_unit(&slots)?;
        if unit.is_none() {
            continue;
        }
        if alpha {
            return Err(scan.error("the RGB operation before the alpha operation"));
        }
        alpha = is_alpha;
        units.extend(unit);
    }
    // The alpha unit takes the dot product of the RGB unit, which takes its fourth terms.
    if let [rgb, alpha] = &mut units[..]
        && rgb.op.is_dot()
        && alpha.op.is_dot()
    {
        if rgb.op == Op::Dp4 {
            for (a, b) in rgb.operands.iter_mut().zip(&alpha.operands) {
                a[3] = b[3];
            }
        }
        alpha.operands.clone_from(&rgb.operands);
    }
    Ok((Statement::Compute(units), slots.atoms))
}

/// What the slots of a paired instruction hold.
#[derive(Default)]
struct Slots {
    /// `src0` to `src2`, channel x or w; of RGB, then of alpha.
    atoms: Sources,
    /// `srcp`, of RGB, then of alpha: the operation, and the slots of its arguments.
    presubs: [Option<(Presub, usize, usize)>; 2],
}

impl Slots {
    /// The value of channel `channel` of slot `slot`; 3 is the presubtract.
    fn value(&self, slot: usize, channel: u8) -> Option<Value> {
        let half = usize::from(channel == 3);
        let atom =
            |slot: usize| self.atoms[half].get(slot).copied().flatten().map(|a| at(a, channel));
        if slot < 3 {
            return atom(slot).map(Value::Atom);
        }
        let (presub, a, b) = self.presubs[half]?;
        let b = atom(b)?;
        let a = match presub {
            Presub::Add | Presub::Sub => atom(a)?,
            Presub::Bias | Presub::Inv => Atom::Unused,
        };
        Some(Value::Presub(presub, a, b))
    }
}

/// An atom at another channel.
fn at(atom: Atom, channel: u8) -> Atom {
    match atom {
        Atom::Component(component) => Atom::Component(Component { channel, ..component }),
        Atom::Unused | Atom::Bits(_) => atom,
    }
}

/// What an operand names before its swizzle.
#[derive(Clone, Copy)]
enum Base {
    /// `none`.
    None,
    /// A register, its channel x.
    Value(Value),
}

/// A position in a line.
struct Scan<'a> {
    line: usize,
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn new(line: usize, text: &'a str) -> Scan<'a> {
        Scan { line, text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek_is(&self, test: impl Fn(char) -> bool) -> bool {
        self.rest().starts_with(test)
    }

    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn need(&mut self, token: &str) -> Result<(), ListingError> {
        match self.eat(token) {
            true => Ok(()),
            false => Err(self.error(&format!("`{token}`"))),
        }
    }

    /// An error at the current position.
    fn error(&self, expected: &str) -> ListingError {
        let rest = self.rest().trim();
        let end = rest.char_indices().skip(1).find(|&(_, c)| " ,;()".contains(c));
        let token = &rest[..end.map_or(rest.len(), |(at, _)| at)];
        let token = match token.is_empty() {
            true => "the end of the line".to_string(),
            false => token.chars().take(40).collect(),
        };
        ListingError { line: self.line, token, expected: expected.to_string() }
    }

    /// An error at an earlier position.
    fn error_at(&self, at: usize, expected: &str) -> ListingError {
        Scan { at, ..*self }.error(expected)
    }

    fn take(&mut self, test: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !test(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn end(&mut self) -> Result<(), ListingError> {
        self.space();
        match self.rest().is_empty() {
            true => Ok(()),
            false => Err(self.error("the end of the line")),
        }
    }

    /// The marks of synchronisation, which have no effect on values.
    fn flags(&mut self) -> Result<(), ListingError> {
        loop {
            self.space();
            let at = self.at;
            let word = self.take(|c| c.is_ascii_alphanumeric() || c == '_');
            if !matches!(word, "SEM_WAIT" | "SEM_ACQUIRE" | "NOP" | "TEX_WAIT" | "WAIT") {
                self.at = at;
                return Ok(());
            }
        }
    }

    /// The number of a register, below [`MAX_REGISTER`].
    fn index(&mut self) -> Result<u16, ListingError> {
        let at = self.at;
        let digits = self.take(|c| c.is_ascii_digit());
        digits.parse().ok().filter(|&n: &u32| n <= MAX_REGISTER).map(|n| n as u16).ok_or_else(
            || self.error_at(at, "the number of a register, without relative addressing"),
        )
    }

    /// A number, or an inline constant: a number and its code, like `0.250000 (0x28)`.
    fn number(&mut self) -> Result<u32, ListingError> {
        let at = self.at;
        let digits = self.take(|c| c.is_ascii_digit() || c == '.');
        let after = self.at;
        self.space();
        if self.eat("(0x") {
            let code = self.take(|c| c.is_ascii_hexdigit());
            self.need(")")?;
            let code = u32::from_str_radix(code, 16).ok().filter(|&code| code < 128);
            let code = code.ok_or_else(|| self.error_at(at, "the code of an inline constant"))?;
            return Ok(float::inline_constant(code));
        }
        self.at = after;
        let number = digits.parse::<f32>().map_err(|_| self.error_at(at, "a number"))?;
        Ok(number.to_bits())
    }

    /// A register or a constant.
    fn base(&mut self) -> Result<Base, ListingError> {
        if self.peek_is(|c| c.is_ascii_digit()) {
            return Ok(Base::Value(Value::Atom(Atom::Bits(self.number()?))));
        }
        let at = self.at;
        let word = self.take(|c| c.is_ascii_alphabetic());
        let file = match word {
            "none" => return Ok(Base::None),
            "aluresult" => File::AluResult,
            "temp" => File::Temp,
            "input" => File::Input,
            "output" => File::Output,
            "color" => File::Color,
            "const" => File::Const,
            _ => return Err(self.error_at(at, "a register")),
        };
        let index = match file {
            File::AluResult => 0,
            _ => {
                self.need("[")?;
                let index = self.index()?;
                self.need("]")?;
                index
            }
        };
        let component = Component { file, index, channel: 0 };
        Ok(Base::Value(Value::Atom(Atom::Component(component))))
    }

    /// The atom of a register or a constant.
    fn atom(&mut self) -> Result<Atom, ListingError> {
        let at = self.at;
        match self.base()? {
            Base::Value(Value::Atom(atom)) => Ok(atom),
            _ => Err(self.error_at(at, "a register")),
        }
    }

    /// The part of a presubtract after its `(`: `1 - 2 * b`, `1 - b`, `a - b` or `a + b`. An
    /// argument is what `argument` reads.
    fn presub<T: Copy>(
        &mut self,
        argument: impl Fn(&mut Self) -> Result<T, ListingError>,
    ) -> Result<(Presub, Option<T>, T), ListingError> {
        self.space();
        let at = self.at;
        let one = ["1.0", "1"].into_iter().find(|one| {
            let tail = self.rest().strip_prefix(one).unwrap_or(".");
            tail.trim_start().starts_with('-') && tail.starts_with([' ', '-'])
        });
        let first = match one {
            Some(one) => {
                self.need(one)?;
                None
            }
            None => Some(argument(self)?),
        };
        self.space();
        let minus = match (self.eat("-"), first) {
            (true, _) => true,
            (false, Some(_)) if self.eat("+") => false,
            _ => return Err(self.error("`-` or `+`")),
        };
        self.space();
        let before = self.at;
        let two = ["2.0", "2"].into_iter().any(|two| self.eat(two)) && {
            self.space();
            self.eat("*")
        };
        if !two {
            self.at = before;
        }
        self.space();
        let second = argument(self)?;
        self.space();
        self.need(")")?;
        let presub = match (first, minus, two) {
            (None, true, true) => Presub::Bias,
            (None, true, false) => Presub::Inv,
            (Some(_), true, false) => Presub::Sub,
            (Some(_), false, false) => Presub::Add,
            _ => return Err(self.error_at(at, "`1 - 2 * b`, `1 - b`, `a - b` or `a + b`")),
        };
        Ok((presub, first, second))
    }

    /// The selectors of a swizzle, each with its sign: `x_-1H`.
    fn swizzle(&mut self, most: usize) -> Result<Vec<(Selector, bool)>, ListingError> {
        let mut found = Vec::new();
        loop {
            let at = self.at;
            let negate = self.eat("-");
            let selector = match self.rest().chars().next() {
                Some('x') => Selector::Channel(0),
                Some('y') => Selector::Channel(1),
                Some('z') => Selector::Channel(2),
                Some('w') => Selector::Channel(3),
                Some('0') => Selector::Number(0.0),
                Some('1') => Selector::Number(1.0),
                Some('H') => Selector::Number(0.5),
                Some('_') => Selector::Unused,
                _ => {
                    self.at = at;
                    break;
                }
            };
            self.at += 1;
            found.push((selector, negate));
        }
        match found.len() == most {
            true => Ok(found),
            false => Err(self.error(&format!("{most} of the selectors x y z w 0 1 H _"))),
        }
    }

    /// An operand of an instruction that is not paired.
    fn operand(&mut self) -> Result<Operand, ListingError> {
        self.space();
        let negate = self.eat("-");
        let abs = self.eat("|");
        let base = match self.eat("(") {
            true => {
                let (presub, a, b) = self.presub(Self::atom)?;
                Base::Value(Value::Presub(presub, a.unwrap_or(Atom::Unused), b))
            }
            false => self.base()?,
        };
        let closed = abs && self.eat("|");
        let selectors = match self.eat(".") {
            true => self.swizzle(4)?,
            false => (0..4).map(|channel| (Selector::Channel(channel), false)).collect(),
        };
        if abs && !closed {
            self.need("|")?;
        }
        let mut operand = [Lane::UNUSED; 4];
        for (lane, (selector, sign)) in operand.iter_mut().zip(selectors) {
            let value = match (selector, base) {
                (Selector::Unused, _) | (Selector::Channel(_), Base::None) => continue,
                (Selector::Number(number), _) => Value::Atom(Atom::Bits(number.to_bits())),
                (Selector::Channel(channel), Base::Value(value)) => match value {
                    Value::Atom(atom) => Value::Atom(at(atom, channel)),
                    Value::Presub(presub, a, b) => {
                        Value::Presub(presub, at(a, channel), at(b, channel))
                    }
                },
            };
            *lane = Lane { value, abs, negate: negate != sign };
        }
        Ok(operand)
    }

    /// A mask of channels after a point; nothing is all four.
    fn mask(&mut self) -> Result<u8, ListingError> {
        if !self.eat(".") {
            return Ok(15);
        }
        let channels = self.take(|c| "xyzw".contains(c));
        let bit = |c| 1 << "xyzw".find(c).unwrap_or_default();
        Ok(channels.chars().fold(0, |mask, c| mask | bit(c)))
    }

    /// An output modifier: the code.
    fn modifier(&mut self) -> Result<u32, ListingError> {
        const MODIFIERS: [(&str, u32); 7] = [
            ("* 2", 1),
            ("* 4", 2),
            ("* 8", 3),
            ("/ 2", 4),
            ("/ 4", 5),
            ("/ 8", 6),
            ("(OMOD DISABLE)", 7),
        ];
        self.space();
        Ok(MODIFIERS.into_iter().find(|(text, _)| self.eat(text)).map_or(0, |(_, code)| code))
    }

    /// `[aluresult = (x >= 0)]`: the channel, and the comparison.
    fn comparison(&mut self) -> Result<(u8, Result<bool, Compare>), ListingError> {
        self.space();
        self.need("[aluresult = (")?;
        let always = match () {
            () if self.eat("true") => Some(true),
            () if self.eat("false") => Some(false),
            () => None,
        };
        if let Some(always) = always {
            self.need(")]")?;
            return Ok((0, Ok(always)));
        }
        let at = self.at;
        let channel = match self.take(|c| c.is_ascii_alphabetic()) {
            "x" | "result" => 0,
            "w" => 3,
            _ => return Err(self.error_at(at, "`x`, `w` or `result`")),
        };
        self.space();
        let at = self.at;
        let compare = Compare::from_name(self.take(|c| "<>=!".contains(c)))
            .ok_or_else(|| self.error_at(at, "a comparison"))?;
        self.space();
        self.need("0)]")?;
        Ok((channel, Err(compare)))
    }

    /// The name of an operation and whether it saturates.
    fn opcode(&mut self) -> Result<(&'a str, bool), ListingError> {
        let at = self.at;
        let word = self.take(|c| c.is_ascii_alphanumeric() || c == '_');
        if word.ends_with("_SAT2") {
            return Err(self.error_at(at, "an operation without _SAT2"));
        }
        Ok(match word.strip_suffix("_SAT") {
            Some(op) => (op, true),
            None => (word, false),
        })
    }

    /// A register that an operation writes; `None` for `none`.
    fn destination(&mut self) -> Result<Option<Destination>, ListingError> {
        let at = self.at;
        let base = self.base()?;
        let mask = self.mask()?;
        match base {
            Base::None => Ok(None),
            Base::Value(Value::Atom(Atom::Component(Component { file, index, .. })))
                if matches!(file, File::Temp | File::Output) =>
            {
                Ok(Some(Destination { file, index, mask }))
            }
            Base::Value(_) => Err(self.error_at(at, "a temporary or an output")),
        }
    }

    /// An instruction that is not paired.
    fn statement(mut self) -> Result<Statement, ListingError> {
        self.space();
        let at = self.at;
        let (name, saturate) = self.opcode()?;
        let statement = match name {
            "NOP" | "BEGIN_TEX" => Statement::Nothing,
            "ELSE" => Statement::Else,
            "ENDIF" => Statement::EndIf,
            "BGNLOOP" => Statement::Loop,
            "ENDLOOP" => Statement::EndLoop,
            "BRK" => Statement::Break,
            "CONT" => Statement::Continue,
            "KILP" => {
                let one = Value::Atom(Atom::Bits(1.0f32.to_bits()));
                Statement::Kill([Lane { value: one, abs: false, negate: true }; 4])
            }
            "KIL" => Statement::Kill(self.operand()?),
            "IF" => {
                let at = self.at;
                let operand = self.operand()?;
                let used = operand.into_iter().find(Lane::is_used);
                Statement::If(used.ok_or_else(|| self.error_at(at, "a condition"))?)
            }
            _ => match (FetchOp::from_name(name), Op::from_name(name)) {
                (Some(op), _) => self.fetch(op, saturate)?,
                (_, Some(op)) if op != Op::ReplAlpha => self.compute(op, saturate)?,
                _ => return Err(self.error_at(at, "an operation")),
            },
        };
        self.flags()?;
        self.eat(";");
        self.flags()?;
        self.end()?;
        Ok(statement)
    }

    fn compute(&mut self, op: Op, saturate: bool) -> Result<Statement, ListingError> {
        self.space();
        let writes = self.destination()?.into_iter().collect();
        let finish = self.modifier()? | u32::from(saturate) << 3;
        let mut operands = Vec::new();
        for _ in 0..op.operands() {
            self.need(",")?;
            operands.push(self.operand()?);
        }
        self.flags()?;
        self.need(";")?;
        self.space();
        let sets_flag = match self.rest().starts_with('[') {
            true => Some(self.comparison()?),
            false => None,
        };
        Ok(Statement::Compute(vec![Unit {
            op,
            paired: false,
            operands,
            writes,
            finish,
            sets_flag,
        }]))
    }

    fn fetch(&mut self, op: FetchOp, saturate: bool) -> Result<Statement, ListingError> {
        self.space();
        let at = self.at;
        let write = self.destination()?.ok_or_else(|| self.error_at(at, "a register"))?;
        self.need(",")?;
        let coordinate = self.operand()?;
        if op == FetchOp::Txd {
            for _ in 0..2 {
                self.need(",")?;
                self.operand()?;
            }
        }
        self.need(",")?;
        self.space();
        let at = self.at;
        let target = self.take(|c| c.is_ascii_alphanumeric());
        let unscaled = match target {
            "1D" | "2D" | "3D" | "CUBE" => false,
            "RECT" => true,
            _ => {
                return Err(self.error_at(
                    at,
                    "1D, 2D, 3D, CUBE or RECT (how a shadow is compared is not in the log)",
                ));
            }
        };
        self.need("[")?;
        let at = self.at;
        let unit = u8::try_from(self.index()?).ok().filter(|&unit| unit < 16);
        let unit = unit.ok_or_else(|| self.error_at(at, "a texture unit from 0 to 15"))?;
        self.need("]")?;
        Ok(Statement::Fetch(Fetch { op, coordinate, unit, unscaled, write, saturate }))
    }

    /// A source of a paired instruction: `src0.xyz = temp[1]` or `srcp.w = (1 - src0)`.
    fn source(&mut self, slots: &mut Slots) -> Result<(), ListingError> {
        let at = self.at;
        self.need("src")?;
        let slot = self.take(|c| c == 'p' || c.is_ascii_digit());
        let half = match () {
            () if self.eat(".xyz") => 0,
            () if self.eat(".w") => 1,
            () => return Err(self.error("`.xyz` or `.w`")),
        };
        self.space();
        self.need("=")?;
        self.space();
        match slot {
            "p" => {
                self.need("(")?;
                let (presub, a, b) = self.presub(|scan| {
                    scan.need("src")?;
                    let at = scan.at;
                    let slot = scan.take(|c| c.is_ascii_digit());
                    let _ = scan.eat(".xyz") || scan.eat(".w");
                    let slot = slot.parse().ok().filter(|&slot: &usize| slot < 3);
                    slot.ok_or_else(|| scan.error_at(at, "a source from src0 to src2"))
                })?;
                slots.presubs[half] = Some((presub, a.unwrap_or_default(), b));
            }
            "0" | "1" | "2" => {
                let atom = self.atom()?;
                slots.atoms[half][usize::from(slot.as_bytes()[0] - b'0')] = Some(atom);
            }
            _ => return Err(self.error_at(at, "src0, src1, src2 or srcp")),
        }
        Ok(())
    }

    /// An operation of a paired instruction, and whether it is the alpha unit's. `None` for a NOP.
    fn paired_unit(&mut self, slots: &Slots) -> Result<(Option<Unit>, bool), ListingError> {
        let start = self.at;
        let (name, saturate) = self.opcode()?;
        if name == "NOP" {
            self.end()?;
            return Ok((None, false));
        }
        let op = Op::from_name(name).ok_or_else(|| self.error_at(start, "an operation"))?;
        let mut unit = Unit {
            op,
            paired: true,
            operands: Vec::new(),
            writes: Vec::new(),
            finish: 0,
            sets_flag: None,
        };
        let mut flag = false;
        let mut modifier = 0;
        loop {
            self.space();
            let at = self.at;
            if self.eat("aluresult") {
                flag = true;
            } else if self.eat("depth") {
                self.mask()?;
                unit.writes.push(Destination { file: File::Depth, index: 0, mask: 8 });
            } else if self.peek_is(|c| c.is_ascii_lowercase()) {
                let Atom::Component(Component { file, index, .. }) = self.atom()? else {
                    return Err(self.error_at(at, "a register"));
                };
                if !matches!(file, File::Temp | File::Color) {
                    return Err(self.error_at(at, "temp, color, depth or aluresult"));
                }
                let mask = self.mask()?;
                unit.writes.push(Destination { file, index, mask });
            } else {
                let code = self.modifier()?;
                if code == 0 {
                    break;
                }
                modifier = code;
            }
        }
        unit.finish = modifier | u32::from(saturate) << 3;
        let mut alpha = op != Op::ReplAlpha && unit.writes.iter().any(|write| write.mask == 8);
        for n in 0..op.operands() {
            // A unit may print fewer operands than the operation of a program that is not paired.
            if !self.eat(",") {
                return Err(self.error("`,` and an operand"));
            }
            let (operand, lanes) = self.paired_operand(slots)?;
            if n == 0 {
                alpha = lanes == 1;
            } else if alpha != (lanes == 1) {
                return Err(self.error_at(start, "operands of as many lanes each"));
            }
            unit.operands.push(operand);
        }
        if flag {
            unit.sets_flag = Some((if alpha { 3 } else { 0 }, Ok(false)));
        }
        self.end()?;
        Ok((Some(unit), alpha))
    }

    /// `-|src1.x__|`, and the number of its lanes. An alpha operand has one, the fourth.
    fn paired_operand(&mut self, slots: &Slots) -> Result<(Operand, usize), ListingError> {
        self.space();
        let start = self.at;
        let negate = self.eat("-");
        let abs = self.eat("|");
        self.need("src")?;
        let slot = match self.take(|c| c == 'p' || c.is_ascii_digit()) {
            "0" => 0,
            "1" => 1,
            "2" => 2,
            "p" => 3,
            _ => return Err(self.error_at(start, "src0, src1, src2 or srcp")),
        };
        self.need(".")?;
        let lanes = self.rest().chars().take_while(|c| "xyzw01H_".contains(*c)).count();
        if !matches!(lanes, 1 | 3) {
            return Err(self.error("one or three of the selectors x y z w 0 1 H _"));
        }
        let selectors = self.swizzle(lanes)?;
        if abs {
            self.need("|")?;
        }
        let mut operand = [Lane::UNUSED; 4];
        for (n, (selector, _)) in selectors.into_iter().enumerate() {
            let value = match selector {
                Selector::Unused => continue,
                Selector::Number(number) => Value::Atom(Atom::Bits(number.to_bits())),
                Selector::Channel(channel) => slots
                    .value(slot, channel)
                    .ok_or_else(|| self.error_at(start, "a source that the instruction names"))?,
            };
            operand[if lanes == 1 { 3 } else { n }] = Lane { value, abs, negate };
        }
        Ok((operand, lanes))
    }
}

/// A letter of a swizzle.
#[derive(Clone, Copy)]
enum Selector {
    Channel(u8),
    Number(f32),
    Unused,
}
