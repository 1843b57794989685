//! Micro-operations as WGSL: operands, gates, values, fetches, exchanges, relative addressing.

use crate::translate::access;
use crate::translate::analyse::Written;
use crate::translate::emit::{Emit, set_name};
use crate::translate::flush::Spared;
use crate::translate::record;
use crate::translate::whole::Whole;
use ctm_isa::isa::LETTERS;
use ctm_isa::ops::{Aux, Calc, Op, Size};
use ctm_machine::engine::groups::SLOTS;
use ctm_machine::launch::FloatMode;
use ctm_machine::lower::{FetchBits, GateBits, OWN_VALUE, Operand, RowOp, Write};

impl Emit<'_> {
    /// The micro-operation with number `index`, under a gate.
    pub(super) fn operation(&mut self, index: usize, gate: Option<u16>) {
        let (op, whole) = (&self.lowered.ops[index], self.analysis.coordinates[index]);
        self.operations += 1;
        let gate = match op.write {
            Write::Gated => self.gate(gate.unwrap_or(0)),
            _ => None,
        };
        let [a, ..] = op.operands;
        match op.op {
            Op::Calc(calc) => {
                let (loose, spared) = (self.analysis.loose[index], self.analysis.spared[index]);
                let value = self.value(calc, op, loose, spared);
                self.write(op.dst, &value, gate.as_deref());
            }
            Op::Kill => {
                let kills = self.function("kills");
                let test = |x| format!("{kills}({})", self.operand(x));
                let tests = op.read().map(test).collect::<Vec<String>>().join(" | ");
                if self.together {
                    self.line(&format!("covered = covered & !({tests});"));
                } else {
                    self.line(&format!("if {tests} {{ return; }}"));
                }
            }
            Op::SetBit => {
                let value = self.comparison(op.aux >> 3, a);
                self.bits |= 1 << (op.aux & 7);
                let name = match LETTERS.get(usize::from(op.aux & 7)) {
                    Some(channel) => format!("p_{channel}"),
                    None => "alu_result".to_string(),
                };
                self.assign(&name, &value, gate.as_deref());
            }
            Op::Output => {
                if !op.is_mark() {
                    let value = self.operand(a);
                    self.write(op.dst, &value, gate.as_deref());
                }
                let maybe = self.analysis.written[usize::from(op.aux)] == Written::Maybe;
                if maybe && (op.aux != OWN_VALUE || self.state.reads_own()) {
                    self.mark(&set_name(usize::from(op.aux)), gate.as_deref());
                }
            }
            Op::StoreTemp => {
                let value = self.operand(a);
                let place = self.relative_temp(op.aux);
                self.assign(&place, &value, gate.as_deref());
            }
            Op::LoadTemp => {
                let value = self.relative_temp(op.aux);
                self.write(op.dst, &value, None);
            }
            Op::LoadConstant => {
                let value = self.relative_constant(op.aux);
                self.write(op.dst, &value, None);
            }
            Op::Fetch => self.fetch(op, whole),
            // These are statements of their own, or programs that have them are not translated.
            Op::Quad | Op::Gate | Op::Uncached | Op::Flow | Op::End | Op::Wrap | Op::Missing => {}
        }
    }

    /// The condition of a gate; `None` if all points pass.
    pub(super) fn gate(&mut self, aux: u16) -> Option<String> {
        let mut terms = Vec::new();
        for (n, channel) in LETTERS.iter().enumerate() {
            if aux >> n & 1 != 0 {
                terms.push(format!("p_{channel}"));
                self.bits |= 1 << n;
            }
            if aux >> n >> GateBits::FAIL_SHIFT & 1 != 0 {
                terms.push(format!("!p_{channel}"));
                self.bits |= 1 << n;
            }
        }
        if aux & GateBits::COVERED != 0 && self.together {
            terms.push("covered".to_string());
        }
        match terms.len() {
            0 => None,
            1 => terms.pop(),
            _ => Some(format!("({})", terms.join(" & "))),
        }
    }

    pub(super) fn assign(&mut self, place: &str, value: &str, gate: Option<&str>) {
        match gate {
            None => self.line(&format!("{place} = {value};")),
            Some(gate) => self.line(&format!("{place} = select({place}, {value}, {gate});")),
        }
    }

    pub(super) fn mark(&mut self, flag: &str, gate: Option<&str>) {
        match gate {
            None => self.line(&format!("{flag} = true;")),
            Some(gate) => self.line(&format!("{flag} = {flag} | {gate};")),
        }
    }

    /// Writes a row. A scratch row gets a new name.
    pub(super) fn write(&mut self, row: u32, value: &str, gate: Option<&str>) {
        if row >= self.analysis.scratch {
            let name = format!("t{}", self.next);
            self.next += 1;
            self.line(&format!("let {name} = {value};"));
            self.scratch.insert(row, name);
            return;
        }
        self.used.insert(row);
        let name = self.name(row);
        self.assign(&name, value, gate);
    }

    pub(super) fn name(&self, row: u32) -> String {
        if let Some((channel, index)) = self.relative.array_of(self.lowered, row) {
            return format!("rel_{}[{index}u]", LETTERS[usize::from(channel & 3)]);
        }
        self.names.get(row as usize).cloned().unwrap_or_default()
    }

    pub(super) fn operand(&mut self, operand: Operand) -> String {
        if operand.is_none() {
            return "0u".to_string();
        }
        let index = operand.index();
        let mut text = if operand.is_uniform() {
            self.uniform(index)
        } else if index >= self.analysis.scratch {
            self.scratch.get(&index).cloned().unwrap_or_else(|| "0u".to_string())
        } else {
            self.used.insert(index);
            self.name(index)
        };
        match (operand.has(Operand::ABS), operand.has(Operand::NEG)) {
            (true, true) => text = format!("x1k_nab({text})"),
            (true, false) => text = format!("x1k_abs({text})"),
            (false, true) => text = format!("x1k_neg({text})"),
            (false, false) => {}
        }
        // Mode fast leaves denormals to the adapter.
        if operand.has(Operand::FLUSH) && self.state.mode == FloatMode::Exact {
            text = format!("x1k_ftz({text})");
        }
        text
    }

    pub(super) fn uniform(&mut self, index: u32) -> String {
        let known = self.state.uniforms.get(index as usize).copied().flatten();
        // In mode `exact` a compiler must not see that a number is 0, Inf or NaN: see the module.
        match known.filter(|_| self.state.mode == FloatMode::Fast) {
            Some(bits) => format!("0x{bits:08x}u"),
            None => {
                self.uniforms.insert(index);
                format!("u_{index}")
            }
        }
    }

    pub(super) fn comparison(&mut self, code: u16, operand: Operand) -> String {
        let x = self.operand(operand);
        format!("{}({}u, {x})", self.function("compare"), code & 3)
    }

    /// The name of a function in this mode.
    pub(super) fn function(&self, name: &str) -> String {
        let exact = self.state.mode == FloatMode::Exact;
        let prefix = if exact { "x1k" } else { "fast" };
        format!("{prefix}_{name}")
    }

    /// The result of an operation; `loose` if its NaN may have any form.
    fn value(&mut self, calc: Calc, op: &RowOp, loose: bool, spared: Spared) -> String {
        let facts = calc.facts();
        let operand = |(n, operand): (usize, Operand)| {
            if spared.operands >> n & 1 != 0 {
                self.operand(Operand(operand.0 & !Operand::FLUSH))
            } else {
                self.operand(operand)
            }
        };
        let mut arguments: Vec<String> = op.read().enumerate().map(operand).collect();
        if spared.floor {
            return format!("{}({})", self.function("floor"), arguments[0]);
        }
        match facts.facts.aux {
            Aux::Own => {}
            Aux::ZeroTimes => {
                arguments.push((self.state.zero_times(op) && !spared.zero_rule).to_string());
            }
            Aux::Modifier => arguments.push(format!("{}u", op.aux)),
        }
        let exact = self.state.mode == FloatMode::Exact;
        if let Some(value) = bare(calc, &arguments, spared).filter(|_| exact) {
            let settled = loose || spared.compared;
            return if settled { value } else { format!("x1k_settled({value})") };
        }
        let arguments = arguments.join(", ");
        match (self.state.mode, loose) {
            _ if calc == Calc::Mov => arguments,
            (FloatMode::Fast, _) => format!("fast_{}({arguments})", facts.wgsl_fast),
            (FloatMode::Exact | FloatMode::Chip, true) => {
                format!("x1k_{}({arguments})", facts.wgsl_loose)
            }
            (FloatMode::Exact | FloatMode::Chip, false) => {
                format!("x1k_{}({arguments})", facts.wgsl_exact)
            }
        }
    }

    pub(super) fn quads(&mut self, batch: &[RowOp]) {
        let width = self.state.tile.0;
        self.operations += batch.len();
        for (n, op) in batch.iter().enumerate() {
            let value = self.operand(op.operands[0]);
            self.line(&format!("quads[{}u + slot] = {value};", SLOTS * n));
        }
        self.line("workgroupBarrier();");
        for (n, op) in batch.iter().enumerate() {
            let corner = [0, 1, width][usize::from(op.aux) % 3];
            // Clear the lowest bit of column and row.
            let top_left = format!("(slot & 0x{:x}u)", (SLOTS as u32 - 1) & !(1 | width));
            let index = (SLOTS * n) as u32 + corner;
            self.write(op.dst, &format!("quads[{index}u + {top_left}]"), None);
        }
        self.line("workgroupBarrier();");
    }

    /// A fetch; `whole` has its coordinates if they are whole numbers.
    pub(super) fn fetch(&mut self, op: &RowOp, whole: Option<[Whole; 2]>) {
        let n = usize::from(op.aux & FetchBits::INPUT);
        let Some(input) = self.state.inputs[n] else {
            return;
        };
        self.inputs.insert(n);
        let own = match (input.in_place, self.together) {
            (false, _) => "",
            (_, true) => ", i, j, covered",
            (_, false) => ", i, j, true",
        };
        let name = format!("t{}", self.next);
        self.next += 1;
        for (k, channel) in ["x", "y", "z", "w"].into_iter().enumerate() {
            self.scratch.insert(op.dst + k as u32, format!("{name}.{channel}"));
        }
        if let Some([s, t]) = whole {
            let texels = access::texels(&input, s, t);
            self.line(&format!("let {name} = texel{n}(input{n}, {texels}{own});"));
            return;
        }
        let scale = self.function("scale");
        let [s, t, q, _] = op.operands;
        let (mut s, mut t) = (self.operand(s), self.operand(t));
        if op.aux & FetchBits::PROJECT != 0 {
            let q = self.operand(q);
            let inverse = format!("t{}", self.next);
            self.next += 1;
            self.line(&format!("let {inverse} = {}({q});", self.function("rcp")));
            s = format!("{scale}({s}, {inverse})");
            t = format!("{scale}({t}, {inverse})");
        }
        if op.aux & FetchBits::UNSCALED == 0 {
            let size = |n: u32| (n as f32).to_bits();
            s = format!("{scale}({s}, 0x{:08x}u)", size(input.width));
            t = format!("{scale}({t}, 0x{:08x}u)", size(input.height));
        }
        self.line(&format!("let {name} = fetch{n}(input{n}, {s}, {t}{own});"));
    }

    // Relative addressing.

    /// aL, and its value if that never changes.
    pub(super) fn al(&self) -> (String, Option<i32>) {
        match self.loops.iter().rev().find_map(|&(k, al)| Some((k, al?))) {
            None => (String::new(), Some(0)),
            Some((_, (start, step, count))) if step == 0 || count == 1 => {
                (String::new(), Some(i32::from(start)))
            }
            Some((k, (start, step, _))) => {
                (format!("({start}i + bitcast<i32>(k{k}) * {step}i)"), None)
            }
        }
    }

    pub(super) fn relative_temp(&mut self, aux: u16) -> String {
        let (base, channel) = (i32::from(aux >> 2), aux & 3);
        let (al, known) = self.al();
        if let Some(al) = known {
            let temp = base.wrapping_add(al) as usize & 127;
            let row = self.lowered.temp_rows[4 * temp + usize::from(channel)];
            self.used.insert(u32::from(row));
            return self.name(u32::from(row));
        }
        let low = self.relative.arrays.get(&channel).map_or(0, |&(low, _)| low);
        let letter = LETTERS[usize::from(channel)];
        format!("rel_{letter}[(bitcast<u32>({base}i + {al}) & 127u) - {low}u]")
    }

    pub(super) fn relative_constant(&mut self, aux: u16) -> String {
        let (base, channel) = (i32::from(aux >> 2), u32::from(aux & 3));
        let at = self.layout.constants.unwrap_or(0);
        match self.al() {
            (_, Some(al)) => {
                let n = base.wrapping_add(al) as u32 & 255;
                record::float(at + 4 * n + channel)
            }
            (al, None) => {
                format!("floats[{}u + 4u * (bitcast<u32>({base}i + {al}) & 255u)]", at + channel)
            }
        }
    }
}

/// An operation that leaves out a part of itself, if it does. Its NaN may have any form.
fn bare(calc: Calc, arguments: &[String], spared: Spared) -> Option<String> {
    let (name, all) = (calc.facts().facts.name, arguments.join(", "));
    let Spared { product, plus_zero, sum, special, signs, .. } = spared;
    match calc.facts().size {
        Size::Lesser | Size::Greater => {
            spared.compared.then(|| format!("x1k_{name}_flushed({all})"))
        }
        Size::Aligned => (sum || special || signs).then(|| {
            let bare = format!("x1k_{name}_bare({all}, {}, {})", !special, !signs);
            if sum { bare } else { format!("x1k_flushed({bare})") }
        }),
        Size::Sum => sum.then(|| format!("x1k_add_bare({all})")),
        Size::Product { .. } if plus_zero && !product => {
            let product = format!("x1k_product_bare({}, {})", arguments[0], arguments[1]);
            Some(format!("x1k_plus_zero({product})"))
        }
        Size::Product { .. } | Size::MulAdd if product || sum => {
            let [a, b, rest @ ..] = arguments else { return None };
            let product = match (product, rest) {
                (false, [.., zero_times]) => format!("x1k_product_loose({a}, {b}, {zero_times})"),
                _ => format!("x1k_product_bare({a}, {b})"),
            };
            let add = if sum { "add_bare" } else { "add_loose" };
            Some(match rest {
                [c, _] => format!("x1k_{add}({product}, {c})"),
                _ => product,
            })
        }
        Size::Move
        | Size::Product { .. }
        | Size::MulAdd
        | Size::Choice { .. }
        | Size::Fraction
        | Size::Scaled
        | Size::Reciprocal
        | Size::Function { .. } => None,
    }
}
