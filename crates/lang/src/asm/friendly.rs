//! Prints the friendly level. It tries several ways to write an instruction, most readable first,
//! and uses one only if it assembles back to the same words.

use super::assemble::assemble_line;
use super::fetches::IDENTITY;
use super::flags::{self, mask_text};
use super::friendly_alu::{candidates, gate, temp};
use crate::program::Sharing;
use ctm_isa::isa::{
    Body, Channel, Common, Coordinate, Fc, FcOp, Instruction, PredSel, RGB, Tex, TexOp, Type,
};
use std::fmt::Write;

/// One line of the friendly level, if one assembles back to exactly these words under
/// `.sync manual`, which a disassembly uses: every synchronisation bit is written out.
pub fn friendly(words: &[u32; 6], sharing: Option<Sharing>) -> Option<String> {
    let instruction = Instruction::decode_as(words, sharing.is_some());
    let lossless = |text: &String| assemble_line(text, sharing).as_ref() == Some(words);
    let common = &instruction.common;
    match &instruction.body {
        Body::Alu(alu) => {
            let end = "end".to_string();
            if common.class == Type::Out && lossless(&end) {
                return Some(end);
            }
            candidates(&instruction, alu).find(lossless)
        }
        Body::Tex(tex) => {
            // Brackets say it.
            let body = Body::Tex(Tex { unscaled: false, ..*tex });
            let flags = flags::text(&Instruction { body, ..instruction });
            Some(fetch(common, tex) + &flags).filter(lossless)
        }
        Body::Fc(fc) => Some(flow(common, fc) + &flags::text(&instruction)).filter(lossless),
    }
}

fn channels(swizzle: [Channel; 4]) -> String {
    if swizzle == IDENTITY {
        return String::new();
    }
    let letters: String = swizzle.iter().map(|channel| channel.name()).collect();
    if swizzle.iter().all(|channel| *channel == swizzle[0]) {
        format!(".{}", &letters[..1])
    } else {
        format!(".{letters}")
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
            channels => format!("{}.{}", temp(tex.dest, tex.dest_rel), mask_text(channels)),
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
    text
}
