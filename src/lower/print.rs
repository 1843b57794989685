//! A lowered program as text: `ctm disasm --lowered`.

use super::{FetchBits, Flow, GateBits, Lowered, MicroOp, NO_ROW, Operand, Write};
use crate::isa::{AddressOp, BranchOp, COMPARISONS, FcOp, FieldValue, LETTERS, OMODS};
use crate::ops::{Aux, Op, is_set};
use std::fmt::Write as _;

impl Lowered {
    /// The name of each row: `r3.g`, `o0.a`, `w`, or `t5` for scratch; `dot` is between register
    /// and channel.
    pub fn row_names(&self, dot: char) -> Vec<String> {
        let mut names: Vec<String> = (0..self.rows).map(|row| format!("t{row}")).collect();
        let mut name = |rows: &[u16], letter: char| {
            for (n, &row) in rows.iter().enumerate().filter(|&(_, &row)| row != NO_ROW) {
                names[row as usize] = format!("{letter}{}{dot}{}", n / 4, LETTERS[n % 4]);
            }
        };
        name(&self.temp_rows, 'r');
        name(&self.output_rows, 'o');
        if self.own_row != NO_ROW {
            names[self.own_row as usize] = "w".to_string();
        }
        names
    }

    /// The text of all micro-operations, one per line, below their instruction slots; then the
    /// uniforms.
    pub fn print(&self) -> String {
        let names = self.row_names('.');
        let mut text = String::new();
        let mut pc = None;
        for op in &self.ops {
            let slot = match (op.op, pc == Some(op.pc)) {
                (Op::Missing, _) => "   -".to_string(),
                (_, true) => "    ".to_string(),
                (_, false) => format!("{:4}", op.pc),
            };
            pc = Some(op.pc);
            let _ = writeln!(text, "{slot}  {}", self.line(op, &names));
        }
        for (n, uniform) in self.uniforms.iter().enumerate() {
            let _ = writeln!(text, "u{n} = {uniform}");
        }
        let _ = writeln!(
            text,
            "{} micro-operations, {} rows, {} uniforms",
            self.ops.len(),
            self.rows,
            self.uniforms.len()
        );
        text
    }

    fn line(&self, op: &MicroOp, names: &[String]) -> String {
        let row = |n: u32| names.get(n as usize).cloned().unwrap_or_default();
        let operand = |operand: Operand| {
            if operand.is_uniform() {
                return format!("u{}", operand.index());
            }
            let mut text = row(operand.index());
            if operand.has(Operand::ABS) {
                text = format!("|{text}|");
            }
            if operand.has(Operand::FLUSH) {
                text = format!("ftz({text})");
            }
            if operand.has(Operand::NEG) {
                text = format!("-{text}");
            }
            text
        };
        let list = op.read().map(operand).collect::<Vec<_>>().join(", ");
        let name = op.op.facts().name;
        let mask = match op.write {
            Write::All => "",
            Write::Active => "  @active",
            Write::Gated => "  @gate",
        };
        let aux = op.aux as usize;
        let relative = |letter: char| format!("{letter}[aL+{}].{}", aux >> 2, LETTERS[aux & 3]);
        match op.op {
            Op::Calc(_) => {
                let on = is_set(op.aux);
                let (zero, modifier) = match op.op.facts().aux {
                    Aux::Own => ("", String::new()),
                    Aux::ZeroTimes => (if on { ".zero" } else { "" }, String::new()),
                    Aux::Modifier => {
                        let clamp = if on { " clamp" } else { "" };
                        ("", format!(" {}{clamp}", OMODS[aux & 7].name))
                    }
                };
                format!("{} = {name}{zero} {list}{modifier}{mask}", row(op.dst))
            }
            Op::Quad => {
                let point = ["top-left", "top-right", "bottom-left"][aux % 3];
                format!("{} = quad {list} {point}", row(op.dst))
            }
            Op::LoadTemp => format!("{} = {}", row(op.dst), relative('r')),
            Op::LoadConstant => format!("{} = {}", row(op.dst), relative('c')),
            Op::StoreTemp => format!("{} = {list}{mask}", relative('r')),
            Op::Gate => {
                let mut parts = Vec::new();
                for (n, channel) in LETTERS.iter().enumerate() {
                    if aux >> n & 1 != 0 {
                        parts.push(format!("p.{channel}"));
                    }
                    if aux >> n >> GateBits::FAIL_SHIFT & 1 != 0 {
                        parts.push(format!("!p.{channel}"));
                    }
                }
                if op.aux & GateBits::COVERED != 0 {
                    parts.push("covered".to_string());
                }
                if op.aux & GateBits::ALL == 0 {
                    parts.push("active".to_string());
                }
                format!("gate = {}", parts.join(" & "))
            }
            Op::SetBit => {
                let bit = match aux & 7 {
                    channel @ 0..4 => format!("p.{}", LETTERS[channel]),
                    _ => "alu_result".to_string(),
                };
                format!("{bit} = {list} {} 0{mask}", COMPARISONS[aux >> 3 & 3].name)
            }
            Op::Output if op.is_mark() => format!("written {}{mask}", row(op.dst)),
            Op::Output => format!("{} = {name} {list}{mask}", row(op.dst)),
            Op::Uncached => format!("uncached {list}{mask}"),
            Op::Kill => format!("kill {list}"),
            Op::Fetch => {
                let mut flags = String::new();
                for (bit, flag) in [
                    (FetchBits::PROJECT, " project"),
                    (FetchBits::UNSCALED, " unscaled"),
                    (FetchBits::IGNORE_UNCOVERED, " ignore_uncovered"),
                    (FetchBits::ALL, " inactive"),
                    (FetchBits::DEAD, " dead"),
                ] {
                    if op.aux & bit != 0 {
                        flags.push_str(flag);
                    }
                }
                let input = op.aux & FetchBits::INPUT;
                let (first, last) = (row(op.dst), row(op.dst + 3));
                format!("{first}..{last} = i{input}[{list}]{flags}")
            }
            Op::Flow => self.flows.get(aux).map_or_else(String::new, flow_line),
            Op::End | Op::Wrap | Op::Missing => name.to_string(),
        }
    }
}

fn flow_line(flow: &Flow) -> String {
    let has = |flag: u8| flow.flags & flag != 0;
    let mut text = format!(
        "{} -> {} table(0x{:02x}",
        FcOp::from_code(flow.op as u32).name().to_lowercase(),
        flow.target,
        flow.jump_func
    );
    if flow.predicate < 4 {
        let not = if has(Flow::INVERT) { "!" } else { "" };
        let _ = write!(text, ", {not}p.{}", LETTERS[flow.predicate as usize]);
    }
    let _ = write!(text, ", b{}) n{}", flow.bool_addr, flow.int_addr);
    for (flag, name) in
        [(Flow::ANY, " any"), (Flow::ELSE, " else"), (Flow::IGNORE_UNCOVERED, " ignore_uncovered")]
    {
        if has(flag) {
            text.push_str(name);
        }
    }
    let a_op = AddressOp::from_code(flow.a_op as u32);
    if a_op != AddressOp::None {
        let _ = write!(text, " address({})", a_op.name());
    }
    for (op, name) in [(flow.b_op0, "stay"), (flow.b_op1, "jump")] {
        let op = BranchOp::from_code(op as u32);
        if op != BranchOp::None {
            let _ = write!(text, " {name}({})", op.name());
        }
    }
    if flow.b_pop_cnt != 0 {
        let _ = write!(text, " count({})", flow.b_pop_cnt);
    }
    if has(Flow::END) {
        text.push_str(" end");
    }
    text
}
