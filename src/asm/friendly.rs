//! Prints the friendly level. It tries several ways to write an instruction, most readable first,
//! and uses one only if it assembles back to the same words.

use super::assemble::assemble_line;
use super::fetches::IDENTITY;
use super::friendly_alu;
use crate::isa::{
    AddressOp, Body, BranchOp, Channel, Common, Coordinate, Fc, FcOp, Instruction, PredSel, RGB,
    Tex, TexOp, Type,
};
use std::fmt::Write;

/// One line of the friendly level, if one assembles back to exactly these words under
/// `.sync manual`, which a disassembly uses: every synchronisation bit is written out.
pub fn friendly(words: &[u32; 6]) -> Option<String> {
    let instruction = Instruction::decode(words);
    let lossless = |text: &String| assemble_line(text).as_ref() == Some(words);
    let common = &instruction.common;
    match &instruction.body {
        Body::Alu(alu) => {
            let end = "end".to_string();
            if common.class == Type::Out && lossless(&end) {
                return Some(end);
            }
            friendly_alu::candidates(common, alu).find(lossless)
        }
        Body::Tex(tex) => Some(fetch(common, tex)).filter(lossless),
        Body::Fc(fc) => Some(flow(common, fc)).filter(lossless),
    }
}

/// `(p.r) `, or an empty string.
pub(super) fn gate(common: &Common) -> String {
    let one = |sel: PredSel, inverted: bool| {
        let not = if inverted { "!" } else { "" };
        match sel {
            PredSel::None => format!("{not}1"),
            PredSel::Rgba => format!("{not}p"),
            // The name in the table is the letter four times.
            sel => format!("{not}p.{}", sel.name()[..1].to_ascii_lowercase()),
        }
    };
    let [rgb, alpha] = [0, 1].map(|unit| one(common.pred_sel[unit], common.pred_inv[unit]));
    match (rgb == alpha, rgb.as_str()) {
        (true, "1") => String::new(),
        (true, _) => format!("({rgb}) "),
        (false, _) => format!("({rgb}, {alpha}) "),
    }
}

/// The flags of word 0 that are set, each with a space before it.
pub(super) fn flags(common: &Common) -> String {
    let mut text = String::new();
    for (set, name) in [
        (common.tex_sem_wait, "wait"),
        (common.alu_wait, "alu_wait"),
        (common.nop, "nop"),
        (common.last, "last"),
        (common.write_inactive, "inactive"),
    ] {
        if set {
            let _ = write!(text, " @{name}");
        }
    }
    if common.stat_we != 0 {
        let _ = write!(text, " @stat({})", mask(common.stat_we));
    }
    text
}

/// The letters of a mask; `_` for an empty one.
pub(super) fn mask(mask: u8) -> String {
    if mask == 0 {
        return "_".to_string();
    }
    "rgba"
        .chars()
        .enumerate()
        .filter(|(n, _)| mask >> n & 1 != 0)
        .map(|(_, letter)| letter)
        .collect()
}

/// `r3` or `r[aL+3]`.
pub(super) fn temp(addr: u8, relative: bool) -> String {
    match (relative, addr) {
        (false, n) => format!("r{n}"),
        (true, 0) => "r[aL]".to_string(),
        (true, n) => format!("r[aL+{n}]"),
    }
}

fn channels(swizzle: [Channel; 4]) -> String {
    if swizzle == IDENTITY {
        return String::new();
    }
    let letters: String = swizzle.iter().map(|channel| channel.name()).collect();
    match swizzle.iter().all(|channel| *channel == swizzle[0]) {
        true => format!(".{}", &letters[..1]),
        false => format!(".{letters}"),
    }
}

fn coordinate(coordinate: &Coordinate) -> String {
    temp(coordinate.addr, coordinate.relative) + &channels(coordinate.swizzle)
}

fn fetch(common: &Common, tex: &Tex) -> String {
    let name = tex.op.name().to_ascii_lowercase();
    let mut text = gate(common) + &name;
    let source = coordinate(&tex.src);
    let plain = common.wmask == 0 && tex.dest == 0 && !tex.dest_rel && tex.input == 0;
    if tex.op == TexOp::Nop && plain && tex.src.addr == 0 {
        // No operands.
    } else if tex.op == TexOp::Texkill && plain && !tex.unscaled {
        let _ = write!(text, " {source}");
    } else {
        let destination = match common.wmask {
            0 if tex.dest == 0 && !tex.dest_rel => "_".to_string(),
            15 => temp(tex.dest, tex.dest_rel),
            channels => format!("{}.{}", temp(tex.dest, tex.dest_rel), mask(channels)),
        };
        let (open, close) = if tex.unscaled { ('[', ']') } else { ('(', ')') };
        let gradients = match tex.op {
            TexOp::DxDy => format!(", {}, {}", coordinate(&tex.dx), coordinate(&tex.dy)),
            _ => String::new(),
        };
        let swizzle = channels(tex.dest_swizzle);
        let _ =
            write!(text, " {destination}, i{}{open}{source}{gradients}{close}{swizzle}", tex.input);
    }
    text += &flags(common);
    for (set, name) in
        [(tex.tex_sem_acquire, "acquire"), (tex.ignore_uncovered, "ignore_uncovered")]
    {
        if set {
            let _ = write!(text, " @{name}");
        }
    }
    text
}

fn flow(common: &Common, fc: &Fc) -> String {
    let mut text = fc.op.name().to_ascii_lowercase();
    let counts = matches!(fc.op, FcOp::Loop | FcOp::EndLoop | FcOp::Rep | FcOp::EndRep);
    if counts || fc.int_addr != 0 {
        let _ = write!(text, " n{}", fc.int_addr);
    }
    let _ = write!(text, " -> {}", fc.jump_addr);
    let not = if common.pred_inv[RGB] { "!" } else { "" };
    let predicate = match common.pred_sel[RGB] {
        PredSel::None => None,
        sel => Some(format!("{not}p.{}", sel.name()[..1].to_ascii_lowercase())),
    };
    let boolean = format!("b{}", fc.bool_addr);
    let no_names = predicate.is_none() && fc.bool_addr == 0;
    let condition = match (fc.jump_func, &predicate) {
        (0xff, _) if no_names => String::new(),
        (0x00, _) if no_names => "never".to_string(),
        (0xf0, _) if no_names => "alu_result".to_string(),
        (0x0f, _) if no_names => "!alu_result".to_string(),
        (0xaa, None) => boolean,
        (0x55, None) => format!("!{boolean}"),
        (0xcc, Some(predicate)) if fc.bool_addr == 0 && not.is_empty() => predicate.clone(),
        (0x33, Some(predicate)) if fc.bool_addr == 0 && not.is_empty() => format!("!{predicate}"),
        (table, _) => {
            let mut text = format!("table({table:#04x}");
            if let Some(predicate) = &predicate {
                let _ = write!(text, ", {predicate}");
            }
            if fc.bool_addr != 0 {
                let _ = write!(text, ", {boolean}");
            }
            text + ")"
        }
    };
    if !condition.is_empty() {
        let _ = write!(text, " if {condition}");
    }
    text += &flags(common);
    for (set, name) in [
        (fc.jump_any, "any"),
        (fc.b_else, "else"),
        (fc.ignore_uncovered, "ignore_uncovered"),
        (fc.jump_global, "global"),
    ] {
        if set {
            let _ = write!(text, " @{name}");
        }
    }
    if fc.a_op != AddressOp::None {
        let _ = write!(text, " @address({})", fc.a_op.name());
    }
    for (op, name) in [(fc.b_op0, "stay"), (fc.b_op1, "jump")] {
        if op != BranchOp::None {
            let _ = write!(text, " @{name}({})", op.name());
        }
    }
    if fc.b_pop_cnt != 0 {
        let _ = write!(text, " @count({})", fc.b_pop_cnt);
    }
    text
}
