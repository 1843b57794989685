//! A lowered program as text: `ctm disasm --lowered`.

use super::{FetchBits, Flow, GateBits, Lowered, MicroOp, NO_ROW, Op, Operand, Write};
use crate::isa::{AddressOp, BranchOp, COMPARISONS, FcOp, FieldValue, LETTERS, OMODS};
use std::fmt::Write as _;

impl Lowered {
    /// The name of each row: `r3.g`, `o0.a`, `w`, or `t5` for scratch.
    fn row_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::with_capacity(self.rows as usize);
        for row in 0..self.rows {
            names.push(format!("t{row}"));
        }
        let mut name = |rows: &[u16], letter: char| {
            for (n, &row) in rows.iter().enumerate() {
                if row != NO_ROW {
                    names[row as usize] = format!("{letter}{}.{}", n / 4, LETTERS[n % 4]);
                }
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
        let names = self.row_names();
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
            if operand.0 & Operand::ABS != 0 {
                text = format!("|{text}|");
            }
            if operand.0 & Operand::FLUSH != 0 {
                text = format!("ftz({text})");
            }
            if operand.0 & Operand::NEG != 0 {
                text = format!("-{text}");
            }
            text
        };
        let operands: Vec<String> = [op.a, op.b, op.c, op.d]
            .into_iter()
            .filter(|operand| !operand.is_none())
            .map(operand)
            .collect();
        let list = operands.join(", ");
        let mut name = format!("{:?}", op.op).to_lowercase();
        if op.flags & MicroOp::ZERO_TIMES != 0 {
            name.push_str(".zero");
        }
        let mask = match op.write {
            Write::All => "",
            Write::Active => "  @active",
            Write::Gated => "  @gate",
        };
        let aux = op.aux as usize;
        let relative = |letter: char| format!("{letter}[aL+{}].{}", aux >> 2, LETTERS[aux & 3]);
        let comparison = || COMPARISONS[aux >> 2 & 3].name;
        match op.op {
            Op::Finish => {
                let clamp = if aux & 8 != 0 { " clamp" } else { "" };
                let omod = OMODS[aux & 7].name;
                format!("{} = {name} {list} {omod}{clamp}{mask}", row(op.dst))
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
            Op::SetPredicate => {
                format!("p.{} = {list} {} 0{mask}", LETTERS[aux & 3], comparison())
            }
            Op::SetAluResult => format!("alu_result = {list} {} 0{mask}", comparison()),
            Op::Output if op.a == Operand::row(op.dst) => {
                format!("written {}{mask}", row(op.dst))
            }
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
            Op::End | Op::Wrap | Op::Missing => name,
            _ => format!("{} = {name} {list}{mask}", row(op.dst)),
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
