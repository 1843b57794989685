//! An instruction on one line, as Mesa prints it before 'pair translate':
//! `OP[_SAT] dst.mask omod, operand, ...;`.

use super::words::{
    atom, comparison, end, index, marks, mask, modifier, need, opcode, presub, select, swizzle,
    word, wrong,
};
use crate::mesa::listing::{
    Atom, Component, Destination, Fetch, FetchOp, File, Lane, Op, Operand, Statement, Unit, Value,
};
use ctm_base::text::{At, Cursor, Parsed};
use ctm_isa::isa::Channel;

/// The swizzle of a fetch that moves no channel.
const ALIKE: [Channel; 4] = [Channel::R, Channel::G, Channel::B, Channel::A];

/// An instruction that is not paired.
pub(super) fn statement(cursor: &mut Cursor<'_, '_>) -> Parsed<Statement> {
    let (At { node: name, span }, saturate) = opcode(cursor)?;
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
        "KIL" => Statement::Kill(operand(cursor)?),
        "IF" => {
            let span = cursor.peek().span;
            let used = operand(cursor)?.into_iter().find(Lane::is_used);
            Statement::If(used.ok_or_else(|| span.error("a condition"))?)
        }
        _ => match (FetchOp::from_name(name), Op::from_name(name)) {
            (Some(op), _) => fetch(cursor, op, saturate)?,
            (_, Some(op)) if op != Op::ReplAlpha => compute(cursor, op, saturate)?,
            _ => return Err(span.error("an operation")),
        },
    };
    marks(cursor);
    let _ = cursor.accept(";");
    marks(cursor);
    end(cursor)?;
    Ok(statement)
}

/// An operand of an instruction that is not paired.
fn operand(cursor: &mut Cursor<'_, '_>) -> Parsed<Operand> {
    let negate = cursor.accept("-").is_some();
    let abs = cursor.accept("|").is_some();
    let value = if cursor.accept("(").is_some() {
        let (presub, a, b) = presub(cursor, atom)?;
        Value::Presub(presub, a.unwrap_or(Atom::Unused), b)
    } else {
        Value::Atom(atom(cursor)?)
    };
    let closed = abs && cursor.accept("|").is_some();
    let selectors = swizzle(cursor.dot().map_or("xyzw", |text| text.node));
    if selectors.len() != 4 {
        return Err(wrong(cursor, "4 of the selectors x y z w 0 1 H _"));
    }
    if abs && !closed {
        need(cursor, &["|"])?;
    }
    let mut operand = [Lane::UNUSED; 4];
    for (lane, (selector, sign)) in operand.iter_mut().zip(selectors) {
        let value = select(Some(value), selector).unwrap_or(value);
        let selected = Lane { value, abs, negate: negate != sign };
        *lane = if selected.is_used() { selected } else { Lane::UNUSED };
    }
    Ok(operand)
}

/// A register that an operation writes; `None` for `none`.
fn destination(cursor: &mut Cursor<'_, '_>) -> Parsed<Option<Destination>> {
    let span = cursor.peek().span;
    let register = atom(cursor)?;
    let mask = mask(cursor);
    match register {
        Atom::Unused => Ok(None),
        Atom::Component(Component { file: file @ (File::Temp | File::Output), index, .. }) => {
            Ok(Some(Destination { file, index, mask }))
        }
        Atom::Component(_) | Atom::Bits(_) => Err(span.error("a temporary or an output")),
    }
}

fn compute(cursor: &mut Cursor<'_, '_>, op: Op, saturate: bool) -> Parsed<Statement> {
    let writes = destination(cursor)?.into_iter().collect();
    let finish = modifier(cursor)? | u32::from(saturate) << 3;
    let mut operands = Vec::new();
    for _ in 0..op.operands() {
        need(cursor, &[","])?;
        operands.push(operand(cursor)?);
    }
    marks(cursor);
    need(cursor, &[";"])?;
    let sets_flag = if cursor.is("[") { Some(comparison(cursor)?) } else { None };
    let unit = Unit { op, paired: false, operands, writes, finish, sets_flag };
    Ok(Statement::Compute(vec![unit]))
}

fn fetch(cursor: &mut Cursor<'_, '_>, op: FetchOp, saturate: bool) -> Parsed<Statement> {
    let span = cursor.peek().span;
    let write = destination(cursor)?.ok_or_else(|| span.error("a register"))?;
    need(cursor, &[","])?;
    let coordinate = operand(cursor)?;
    if op == FetchOp::Txd {
        for _ in 0..2 {
            need(cursor, &[","])?;
            operand(cursor)?;
        }
    }
    need(cursor, &[","])?;
    let At { node: target, span } = word(cursor);
    let unscaled = match target {
        "1D" | "2D" | "3D" | "CUBE" => false,
        "RECT" => true,
        _ => {
            return Err(
                span.error("1D, 2D, 3D, CUBE or RECT (how a shadow is compared is not in the log)")
            );
        }
    };
    let At { node: unit, span } = index(cursor)?;
    let unit = u8::try_from(unit).ok().filter(|&unit| unit < 16);
    let unit = unit.ok_or_else(|| span.error("a texture unit from 0 to 15"))?;
    Ok(Statement::Fetch(Fetch { op, coordinate, unit, unscaled, write, swizzle: ALIKE, saturate }))
}
