//! A paired instruction, as Mesa prints it after 'pair translate': a line of sources, then one for the
//! RGB operation and one for the alpha operation, which name the sources.

use super::scan::{ListingError, Scan, Selector, at};
use crate::mesa::listing::{
    Atom, Component, Destination, File, Lane, Op, Operand, Presub, Statement, Unit, Value,
};

/// The sources of a paired instruction: of RGB, then of alpha. The fourth is the presubtract.
type Sources = [[Option<Atom>; 3]; 2];

/// A paired instruction.
pub(super) fn pair(
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

impl Scan<'_> {
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
