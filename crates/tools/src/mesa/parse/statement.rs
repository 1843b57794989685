//! An instruction on one line, as Mesa prints it before 'pair translate':
//! `OP[_SAT] dst.mask omod, operand, ...;`.

use super::scan::{Base, ListingError, Scan, Selector, at};
use crate::mesa::listing::{
    Atom, Component, Destination, Fetch, FetchOp, File, Lane, Op, Operand, Statement, Unit, Value,
};
use ctm_isa::isa::Channel;

/// The swizzle of a fetch that moves no channel.
const ALIKE: [Channel; 4] = [Channel::R, Channel::G, Channel::B, Channel::A];

impl Scan<'_> {
    /// An instruction that is not paired.
    pub(super) fn statement(mut self) -> Result<Statement, ListingError> {
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

    /// An operand of an instruction that is not paired.
    fn operand(&mut self) -> Result<Operand, ListingError> {
        self.space();
        let negate = self.eat("-");
        let abs = self.eat("|");
        let base = if self.eat("(") {
            let (presub, a, b) = self.presub(Self::atom)?;
            Base::Value(Value::Presub(presub, a.unwrap_or(Atom::Unused), b))
        } else {
            self.base()?
        };
        let closed = abs && self.eat("|");
        let selectors = if self.eat(".") {
            self.swizzle(4)?
        } else {
            (0..4).map(|channel| (Selector::Channel(channel), false)).collect()
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
        let sets_flag = if self.rest().starts_with('[') { Some(self.comparison()?) } else { None };
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
        Ok(Statement::Fetch(Fetch {
            op,
            coordinate,
            unit,
            unscaled,
            write,
            swizzle: ALIKE,
            saturate,
        }))
    }
}
