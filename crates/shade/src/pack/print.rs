//! A lowered program as text: `ctm disasm --lowered`.

use super::{MicroOp, Vector, pack};
use ctm_isa::isa::{AddressOp, BranchOp, COMPARISONS, LETTERS, OMODS};
use ctm_isa::ops::{Aux, Op, is_set};
use ctm_machine::lower::{ALU_RESULT, FetchBits, FlowControl, GateBits, Lowered, NO_ROW, Write};
use std::fmt::Write as _;

/// The text of all micro-operations, one per line, below their instruction slots; then the
/// uniforms.
pub fn print(lowered: &Lowered) -> String {
    let packed = pack(lowered);
    let registers = register_names(lowered, packed.rows);
    let mut text = String::new();
    let mut pc = None;
    for op in &packed.ops {
        let slot = match (op.op, pc == Some(op.pc)) {
            (Op::Missing, _) => "   -".to_string(),
            (_, true) => "    ".to_string(),
            (_, false) => format!("{:4}", op.pc),
        };
        pc = Some(op.pc);
        let _ = writeln!(text, "{slot}  {}", line(lowered, op, &registers));
    }
    for (n, computed) in lowered.computed.iter().enumerate() {
        let _ = writeln!(text, "v{n} = {computed}");
    }
    let mut read = vec![false; packed.uniforms.len()];
    for op in &packed.ops {
        let lanes: Vec<usize> =
            if op.op.is_across() { (0..op.terms()).collect() } else { op.lanes().collect() };
        for operand in op.operands.iter().flatten() {
            for operand in lanes.iter().map(|&lane| operand.lane(lane)) {
                if operand.is_uniform() {
                    read[operand.index() as usize] = true;
                }
            }
        }
    }
    for (n, uniform) in packed.uniforms.iter().enumerate().filter(|&(n, _)| read[n]) {
        let _ = writeln!(text, "u{}.{} = {uniform}", n / 4, LETTERS[n % 4]);
    }
    let _ = writeln!(
        text,
        "{} micro-operations, {} registers, {} of uniforms",
        packed.ops.len(),
        packed.rows / 4,
        packed.uniforms.len() / 4
    );
    text
}

/// The name of each register: `r3`, `o0`, `w`, or `t1` for scratch.
fn register_names(lowered: &Lowered, rows: u32) -> Vec<String> {
    let scratch = lowered.scratch / 4;
    let mut names: Vec<String> =
        (0..rows / 4).map(|n| format!("t{}", n.saturating_sub(scratch))).collect();
    let rows = [&lowered.temp_rows[..], &lowered.output_rows[..]].into_iter().zip(['r', 'o']);
    for (rows, letter) in rows {
        for (n, &row) in rows.iter().enumerate().filter(|&(_, &row)| row != NO_ROW) {
            names[row as usize / 4] = format!("{letter}{}", n / 4);
        }
    }
    if lowered.own_row != NO_ROW {
        names[lowered.own_row as usize / 4] = "w".to_string();
    }
    names
}

fn line(lowered: &Lowered, op: &MicroOp, registers: &[String]) -> String {
    let register = |n: u16| registers.get(n as usize).map_or("", String::as_str);
    let letters = |channels: &mut dyn Iterator<Item = u8>| {
        let mut letters: String = channels.map(|channel| LETTERS[channel as usize & 3]).collect();
        let first = letters.chars().next();
        if letters.len() > 1 && letters.chars().all(|letter| Some(letter) == first) {
            letters.truncate(1);
        }
        letters
    };
    // The lanes of an operand. Lanes with other modifiers are apart.
    let operand = |vector: &Vector, lanes: &[usize]| {
        let modifiers =
            |lane: usize| [vector.neg, vector.flush, vector.abs].map(|mask| mask >> lane & 1 != 0);
        let parts = lanes.chunk_by(|&a, &b| modifiers(a) == modifiers(b)).map(|lanes| {
            let name = if vector.uniform {
                format!("u{}", vector.register)
            } else {
                register(vector.register).to_string()
            };
            let channels = letters(&mut lanes.iter().map(|&lane| vector.channels[lane]));
            let mut text = format!("{name}.{channels}");
            let [neg, flush, abs] = modifiers(lanes[0]);
            for (on, open, close) in [(abs, "|", "|"), (flush, "ftz(", ")"), (neg, "-", "")] {
                if on {
                    text = format!("{open}{text}{close}");
                }
            }
            text
        });
        let parts: Vec<String> = parts.collect();
        if parts.len() == 1 { parts.concat() } else { format!("({})", parts.join(" ")) }
    };
    let across = op.op.is_across();
    let lanes: Vec<usize> = if across { (0..op.terms()).collect() } else { op.lanes().collect() };
    let count = if op.op == Op::Fetch { 1 } else { 3 };
    let list = op.operands[..count].iter().flatten();
    let list = list.map(|vector| operand(vector, &lanes)).collect::<Vec<_>>().join(", ");
    let name = op.op.facts().name;
    let channels: String = op.lanes().map(|lane| LETTERS[lane]).collect();
    let dst = || format!("{}.{channels}", register(op.dst));
    let mask = match op.write {
        Write::All => "",
        Write::Active => "  @active",
        Write::Gated => "  @gate",
    };
    let aux = op.aux as usize;
    let relative = |letter: char| {
        let from = op.operands[0].filter(|_| op.op != Op::StoreTemp);
        let channels = from.map_or(channels.clone(), |from| {
            letters(&mut op.lanes().map(|lane| from.channels[lane]))
        });
        format!("{letter}[aL+{aux}].{channels}")
    };
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
            format!("{} = {name}{zero} {list}{modifier}{mask}", dst())
        }
        Op::Quad => {
            let point = ["top-left", "top-right", "bottom-left"][aux % 3];
            format!("{} = quad {list} {point}", dst())
        }
        Op::LoadTemp => format!("{} = {}", dst(), relative('r')),
        Op::LoadConstant => format!("{} = {}", dst(), relative('c')),
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
            let bits = match op.aux & 7 {
                ALU_RESULT => "alu_result".to_string(),
                _ => format!("p.{channels}"),
            };
            format!("{bits} = {list} {} 0{mask}", COMPARISONS[aux >> 3 & 3].name)
        }
        Op::Output if op.is_mark() => format!("written {}{mask}", dst()),
        Op::Output => format!("{} = {name} {list}{mask}", dst()),
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
            let texel = op.operands[1].map_or(String::new(), |texel| {
                op.lanes().map(|lane| LETTERS[texel.channels[lane] as usize]).collect()
            });
            format!("{} = i{input}[{list}].{texel}{flags}{mask}", dst())
        }
        Op::Flow => lowered.flows.get(aux).map_or_else(String::new, flow_line),
        Op::End | Op::Wrap | Op::Missing => name.to_string(),
    }
}

fn flow_line(flow: &FlowControl) -> String {
    let has = |flag: u8| flow.flags & flag != 0;
    let mut text = format!(
        "{} -> {} table(0x{:02x}",
        flow.op.name().to_lowercase(),
        flow.target,
        flow.jump_func
    );
    if flow.predicate < 4 {
        let not = if has(FlowControl::INVERT) { "!" } else { "" };
        let _ = write!(text, ", {not}p.{}", LETTERS[flow.predicate as usize]);
    }
    let _ = write!(text, ", b{}) n{}", flow.bool_addr, flow.int_addr);
    for (flag, name) in [
        (FlowControl::ANY, " any"),
        (FlowControl::ELSE, " else"),
        (FlowControl::IGNORE_UNCOVERED, " ignore_uncovered"),
    ] {
        if has(flag) {
            text.push_str(name);
        }
    }
    if flow.a_op != AddressOp::None {
        let _ = write!(text, " address({})", flow.a_op.name());
    }
    for (op, name) in [(flow.b_op0, "stay"), (flow.b_op1, "jump")] {
        if op != BranchOp::None {
            let _ = write!(text, " {name}({})", op.name());
        }
    }
    if flow.b_pop_cnt != 0 {
        let _ = write!(text, " count({})", flow.b_pop_cnt);
    }
    if has(FlowControl::END) {
        text.push_str(" end");
    }
    text
}
