//! A paired instruction, as Mesa prints it after 'pair translate': a line of sources, then one for the
//! RGB operation and one for the alpha operation, which name the sources.

use super::words::{
    ListingError, atom, comparison, end, marks, mask, modifier, need, opcode, presub, read, select,
    swizzle, word, wrong,
};
use crate::mesa::listing::{
    Atom, Component, Destination, File, Lane, Op, Operand, Statement, Unit, Value,
};
use ctm_base::text::{At, Cursor, Kind, Parsed, Span};
use ctm_isa::isa::Presub;

/// The sources of a paired instruction: of RGB, then of alpha. The fourth is the presubtract.
type Sources = [[Option<Atom>; 3]; 2];

/// A paired instruction.
pub(super) fn pair(
    number: usize,
    head: &str,
    tail: &[(usize, &str)],
) -> Result<(Statement, Sources), ListingError> {
    let slots = read(number, head, Slots::read)?;
    let mut units: Vec<Unit> = Vec::new();
    let mut alpha = false;
    for &(line, text) in tail {
        read(line, text, |cursor| {
            let start = cursor.peek().span;
            if cursor.is("[") {
                let (_, compare) = comparison(cursor)?;
                end(cursor)?;
                let unit = units.iter_mut().find(|unit| unit.sets_flag.is_some());
                let unit = unit.ok_or_else(|| wrong(cursor, "a comparison after `aluresult`"))?;
                let channel = unit.sets_flag.map_or(0, |(channel, _)| channel);
                unit.sets_flag = Some((channel, compare));
                return Ok(());
            }
            if units.len() == 2 {
                return Err(start.error("at most two operations"));
            }
            let Some((unit, is_alpha)) = slots.unit(cursor)? else { return Ok(()) };
            if alpha {
                return Err(wrong(cursor, "the RGB operation before the alpha operation"));
            }
            alpha = is_alpha;
            units.push(unit);
            Ok(())
        })?;
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

/// The registers in the slots of a paired instruction.
#[derive(Default)]
struct Slots {
    /// `src0` to `src2`, channel x or w; of RGB, then of alpha.
    atoms: Sources,
    /// `srcp`, of RGB, then of alpha: the operation, and the slots of its arguments.
    presubs: [Option<(Presub, usize, usize)>; 2],
}

/// The name of a source: its number, 3 for the presubtract.
fn slot(cursor: &mut Cursor<'_, '_>) -> Parsed<At<usize>> {
    let At { node, span } = word(cursor);
    let slot = ["src0", "src1", "src2", "srcp"].iter().position(|name| *name == node);
    let slot = slot.ok_or_else(|| span.error("src0, src1, src2 or srcp"))?;
    Ok(At::new(slot, span))
}

impl Slots {
    /// The sources of a paired instruction: `src0.xyz = temp[1], srcp.w = (1 - src0)`.
    fn read(cursor: &mut Cursor<'_, '_>) -> Parsed<Slots> {
        let mut slots = Slots::default();
        while matches!(cursor.peek().kind, Kind::Word(word) if word.starts_with('s')) {
            let slot = slot(cursor)?.node;
            let half = match cursor.peek().kind {
                Kind::Dot("xyz") => 0,
                Kind::Dot("w") => 1,
                _ => return Err(wrong(cursor, "`.xyz` or `.w`")),
            };
            cursor.advance();
            need(cursor, &["="])?;
            if slot < 3 {
                let span = cursor.peek().span;
                let atom = Some(atom(cursor)?).filter(|atom| *atom != Atom::Unused);
                slots.atoms[half][slot] = Some(atom.ok_or_else(|| span.error("a register"))?);
            } else {
                need(cursor, &["("])?;
                let (presub, a, b) = presub(cursor, |cursor| {
                    let At { node, span } = self::slot(cursor)?;
                    let _ = cursor.dot();
                    if node < 3 { Ok(node) } else { Err(span.error("a source from src0 to src2")) }
                })?;
                slots.presubs[half] = Some((presub, a.unwrap_or_default(), b));
            }
            if cursor.accept(",").is_none() {
                break;
            }
        }
        marks(cursor);
        end(cursor)?;
        Ok(slots)
    }

    /// The value of slot `slot`, channel x, in the half of a unit; 3 is the presubtract.
    fn value(&self, slot: usize, half: usize) -> Option<Value> {
        let atom = |slot: usize| self.atoms[half].get(slot).copied().flatten();
        if slot < 3 {
            return atom(slot).map(Value::Atom);
        }
        let (presub, a, b) = self.presubs[half]?;
        let a = if presub.sources() == 2 { atom(a)? } else { Atom::Unused };
        Some(Value::Presub(presub, a, atom(b)?))
    }

    /// An operation of a paired instruction, and whether it is the alpha unit's. `None` for a NOP.
    fn unit(&self, cursor: &mut Cursor<'_, '_>) -> Parsed<Option<(Unit, bool)>> {
        let (At { node: name, span: start }, saturate) = opcode(cursor)?;
        if name == "NOP" {
            return end(cursor).map(|()| None);
        }
        let op = Op::from_name(name).ok_or_else(|| start.error("an operation"))?;
        let (mut operands, mut writes) = (Vec::new(), Vec::new());
        let mut flag = false;
        let mut code = 0;
        loop {
            let span = cursor.peek().span;
            if cursor.accept("aluresult").is_some() {
                flag = true;
            } else if cursor.accept("depth").is_some() {
                mask(cursor);
                writes.push(Destination { file: File::Depth, index: 0, mask: 8 });
            } else if let Kind::Word(_) = cursor.peek().kind {
                let Atom::Component(Component { file, index, .. }) = atom(cursor)? else {
                    return Err(span.error("a register"));
                };
                if !matches!(file, File::Temp | File::Color) {
                    return Err(span.error("temp, color, depth or aluresult"));
                }
                writes.push(Destination { file, index, mask: mask(cursor) });
            } else {
                match modifier(cursor)? {
                    0 => break,
                    found => code = found,
                }
            }
        }
        let mut alpha = op != Op::ReplAlpha && writes.iter().any(|write| write.mask == 8);
        for n in 0..op.operands() {
            cursor.accept(",").ok_or_else(|| wrong(cursor, "`,` and an operand"))?;
            let (operand, is_alpha) = self.operand(cursor)?;
            if n > 0 && alpha != is_alpha {
                return Err(start.error("operands of as many lanes each"));
            }
            alpha = is_alpha;
            operands.push(operand);
        }
        let sets_flag = flag.then_some((if alpha { 3 } else { 0 }, Ok(false)));
        end(cursor)?;
        let finish = code | u32::from(saturate) << 3;
        Ok(Some((Unit { op, paired: true, operands, writes, finish, sets_flag }, alpha)))
    }

    /// `-|src1.x__|`, and whether it is the alpha unit's, which has one lane, the fourth.
    fn operand(&self, cursor: &mut Cursor<'_, '_>) -> Parsed<(Operand, bool)> {
        let start = cursor.peek().span;
        let negate = cursor.accept("-").is_some();
        let abs = cursor.accept("|").is_some();
        let slot = slot(cursor)?.node;
        let At { node: text, span } = cursor.dot().ok_or_else(|| wrong(cursor, "`.`"))?;
        let selectors = swizzle(text);
        let lanes = selectors.len();
        if !matches!(lanes, 1 | 3) {
            let span = Span::new(span.start + 1, span.end);
            return Err(span.error("one or three of the selectors x y z w 0 1 H _"));
        }
        if abs {
            need(cursor, &["|"])?;
        }
        let mut operand = [Lane::UNUSED; 4];
        for (n, (selector, sign)) in selectors.into_iter().enumerate() {
            let half = usize::from(selector.channel() == Some(3));
            let value = select(self.value(slot, half), selector);
            let value = value.ok_or_else(|| start.error("a source that the instruction names"))?;
            let lane = Lane { value, abs, negate: negate != sign };
            if lane.is_used() {
                operand[if lanes == 1 { 3 } else { n }] = lane;
            }
        }
        Ok((operand, lanes == 1))
    }
}
