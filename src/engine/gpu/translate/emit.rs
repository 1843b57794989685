//! Statements and micro-operations as WGSL text.
//!
//! # Numbers that a compiler must not see
//! WGSL lets a compiler take x + 0 for x, although -0 + 0 is +0, and x * 0 for 0; what it makes of
//! Inf and NaN is its own affair. Compilers do so where they see such a number: lavapipe turns
//! -0 + 0 into -0. So in mode `exact` no float of a program is a literal in its shader: literals,
//! the zeros that registers start with and the channels that a format lacks are read from the
//! launch, and nothing that is computed from them is known at compile time either.

use super::access::{self, Channel};
use super::analyse::{Analysis, Written};
use super::flow::ops_of;
use super::library;
use super::record;
use super::relative::Relative;
use super::state::{CONDITION, Conditional, InPlace, OUTPUT, State};
use super::tree::{Condition, Leave, Node, Tree};
use super::{Layout, Reason, Stats, Translation};
use crate::asm;
use crate::isa::FLOAT_CONSTANTS;
use crate::launch::{FloatMode, Location, Test};
use crate::lower::{FetchBits, GateBits, Lowered, MicroOp, NO_ROW, Op, Operand, Write};
use crate::memory::Format;
use crate::program::Program;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

/// The channel letters of registers.
const CHANNELS: [char; 4] = ['r', 'g', 'b', 'a'];

/// Points of a group.
const POINTS: u64 = 64;

/// Writes a shader.
pub struct Emit<'a> {
    program: &'a Program,
    lowered: &'a Lowered,
    tree: &'a Tree,
    state: &'a State,
    analysis: &'a Analysis,
    relative: Relative,
    layout: Layout,
    /// Names of rows with registers.
    names: Vec<String>,
    /// What the scratch rows of the running instruction are called.
    scratch: HashMap<u32, String>,
    /// Rows that have to be declared.
    used: BTreeSet<u32>,
    /// Uniforms that are read from the record.
    uniforms: BTreeSet<u32>,
    /// Predicate bits that are used, and the ALU result as bit 4.
    bits: u8,
    /// Inputs that are fetched from.
    inputs: BTreeSet<usize>,
    /// All points run to the end, since there are barriers or their instructions are counted.
    together: bool,
    /// Instructions that one point may execute before the launch is given up.
    fuel: Option<u64>,
    out: String,
    indent: usize,
    next: usize,
    /// The innermost loops' counters with first value and step of aL; `None` for REP.
    loops: Vec<(usize, Option<(u8, i8, u8)>)>,
    operations: usize,
}

impl<'a> Emit<'a> {
    /// Prepares to write a program.
    ///
    /// # Errors
    /// [`Reason::Budget`].
    pub fn new(
        program: &'a Program,
        lowered: &'a Lowered,
        tree: &'a Tree,
        state: &'a State,
        analysis: &'a Analysis,
    ) -> Result<Emit<'a>, Reason> {
        let fuel = fuel(tree, state, analysis)?;
        let relative = Relative::of(lowered, tree, analysis);
        let outputs = state.outputs.iter().flatten();
        let condition = state.condition.and_then(|condition| condition.buffer);
        let inputs = state.inputs.iter().flatten().map(|input| input.format);
        let formats = inputs.chain(
            outputs
                .clone()
                .chain(&condition)
                .map(|output| output.format),
        );
        let unit = access::unit(formats);
        let halves = outputs
            .chain(&condition)
            .any(|o| o.format == Format::Uint16x1);
        let counts_points = pe_counts(state.condition.as_ref());
        let mut words = record::UNIFORMS + lowered.uniforms.len() as u32;
        let mut part = |wanted: bool, len: u32| {
            wanted.then(|| {
                let at = words;
                words += len;
                at
            })
        };
        let constants = part(relative.constants, 4 * FLOAT_CONSTANTS as u32);
        let interpolants = part(state.interpolants, 7 * 4 * 3);
        Ok(Emit {
            program,
            lowered,
            tree,
            state,
            analysis,
            relative,
            layout: Layout {
                unit,
                words,
                constants,
                interpolants,
            },
            names: row_names(lowered),
            scratch: HashMap::new(),
            used: BTreeSet::new(),
            uniforms: BTreeSet::new(),
            bits: 0,
            inputs: BTreeSet::new(),
            together: analysis.exchanges || halves || fuel.is_some() || counts_points,
            fuel,
            out: String::new(),
            indent: 1,
            next: 0,
            loops: Vec::new(),
            operations: 0,
        })
    }

    /// The shader.
    pub fn finish(mut self) -> Translation {
        let tree = self.tree;
        self.block(&tree.nodes);
        let _ = writeln!(self.out);
        self.end();
        let body = std::mem::take(&mut self.out);
        self.begin();
        let begin = std::mem::take(&mut self.out);
        let main = format!("{begin}{body}}}\n");

        let mut helpers = String::new();
        for &n in &self.inputs {
            if let Some(input) = &self.state.inputs[n] {
                helpers.push_str(&access::fetch(n, input, self.layout.unit));
            }
        }
        for window in 0..4u8 {
            if main.contains(&format!("store_half{window}(")) {
                helpers.push_str(&access::store_half(window));
            }
        }
        if helpers.contains("bytes(") {
            helpers.insert_str(0, access::BYTES);
        }
        helpers.insert_str(0, &access::helpers(&helpers));
        if main.contains("give_up(") || helpers.contains("give_up(") {
            helpers.insert_str(0, GIVE_UP);
        }
        let mut text = self.head(&main, &helpers);
        let rest = format!("{helpers}{main}");
        text.push_str(&library::needed(&rest, self.state.guards));
        text.push_str(&rest);
        let counts = super::tree::Counts::of(&self.tree.nodes);
        Translation {
            wgsl: text,
            entry: "main",
            layout: self.layout,
            stats: Stats {
                instructions: self.tree.slots,
                operations: self.operations,
                left_out: self
                    .lowered
                    .ops
                    .iter()
                    .zip(&self.analysis.needed)
                    .filter(|(op, needed)| computes(op.op) && !**needed)
                    .count(),
                registers: self.used.len(),
                uniforms: self.uniforms.len(),
                statements: counts,
                bound: self.tree.bound,
                counted: self.fuel.is_some(),
            },
        }
    }

    fn head(&self, main: &str, helpers: &str) -> String {
        let mut out = String::new();
        let _ = writeln!(
            out,
            "// A program of {} instructions, mode {}, groups of {} x {} points.\n",
            self.program.instructions().len(),
            self.state.mode.name(),
            self.state.tile.0,
            self.state.tile.1
        );
        out.push_str("@group(0) @binding(1) var<storage, read> launch: array<u32>;\n");
        out.push_str(
            "@group(0) @binding(2) var<storage, read_write> results: array<atomic<u32>>;\n",
        );
        let mentions = |name: &str| main.contains(name) || helpers.contains(name);
        for window in 0..4 {
            if mentions(&format!("window{window}[")) {
                let _ = writeln!(
                    out,
                    "@group(0) @binding({}) var<storage, read_write> window{window}: array<{}>;",
                    3 + window,
                    access::unit_type(self.layout.unit)
                );
            }
        }
        if mentions("quads[") {
            out.push_str("var<workgroup> quads: array<u32, 256>;\n");
        }
        if mentions("halves[") {
            out.push_str("var<workgroup> halves: array<u32, 64>;\n");
        }
        if mentions("covered_points") {
            out.push_str("var<workgroup> covered_points: atomic<u32>;\n");
        }
        out.push('\n');
        out
    }

    // The beginning of a point.

    fn begin(&mut self) {
        let (width, height) = self.state.tile;
        let _ = writeln!(
            self.out,
            "@compute @workgroup_size({width}, {height}, 1)\nfn main(\n    \
             @builtin(workgroup_id) group: vec3<u32>,\n    \
             @builtin(local_invocation_id) local: vec3<u32>,\n    \
             @builtin(local_invocation_index) slot: u32,\n) {{"
        );
        let word = |n: u32| format!("launch[{n}u]");
        self.line(&format!(
            "let i = {} + group.x * {width}u + local.x;",
            word(record::FIRST_I)
        ));
        self.line(&format!(
            "let j = {} + group.y * {height}u + local.y;",
            word(record::FIRST_J)
        ));
        let domain = |n: u32| word(record::DOMAIN + n);
        let inside = match self.state.all_covered {
            true => "true".to_string(),
            false => format!(
                "(i >= {}) & (j >= {}) & (i <= {}) & (j <= {})",
                domain(0),
                domain(1),
                domain(2),
                domain(3)
            ),
        };
        if self.together {
            self.line(&format!("var covered = {inside};"));
        } else if !self.state.all_covered {
            self.line(&format!("if !({inside}) {{ return; }}"));
        }
        if let Some(condition) = self.state.condition
            && condition.location == Location::Pe
        {
            self.condition(&condition, None);
            if self.together {
                self.line("covered = covered & passed;");
            } else {
                self.line("if !passed { return; }");
            }
            if pe_counts(Some(&condition)) {
                self.line("if covered { atomicAdd(&covered_points, 1u); }");
                self.line("workgroupBarrier();");
                self.line("if (slot == 0u) & (atomicLoad(&covered_points) != 0u) {");
                self.line(&format!(
                    "    atomicAdd(&results[{} + 1u], 1u);",
                    word(record::RESULT)
                ));
                self.line(&format!(
                    "    atomicAdd(&results[{} + 2u], atomicLoad(&covered_points));",
                    word(record::RESULT)
                ));
                self.line("}");
            }
        }
        for n in self.inputs.clone() {
            let at = word(record::SURFACES + n as u32);
            self.line(&format!("let input{n} = {at};"));
        }
        for n in self.uniforms.clone() {
            let at = word(record::UNIFORMS + n);
            let text = self.lowered.uniforms.get(n as usize);
            let text = text.map_or_else(String::new, ToString::to_string);
            self.line(&format!("let u_{n} = {at}; // {text}"));
        }
        if let Some(fuel) = self.fuel {
            let _ = fuel;
            self.line(&format!("var spent = {}u;", self.tree.once));
        }
        if self.bits != 0 {
            for (n, channel) in CHANNELS.iter().enumerate() {
                if self.bits >> n & 1 != 0 {
                    self.line(&format!("var p_{channel} = false;"));
                }
            }
            if self.bits >> 4 & 1 != 0 {
                self.line("var alu_result = false;");
            }
        }
        for (n, written) in self.analysis.written.iter().enumerate() {
            if *written == Written::Maybe && self.output_wanted(n) {
                let name = set_name(n);
                self.line(&format!("var {name} = false;"));
            }
        }
        if self.state.reads_own() && self.analysis.own == Written::Maybe {
            self.line("var w_set = false;");
        }
        self.registers();
        let _ = writeln!(self.out);
    }

    fn registers(&mut self) {
        if self.state.mode == FloatMode::Exact {
            self.line(&format!("let zero = launch[{}u];", record::ZERO));
        }
        let needs_point = (0..self.state.initial.len()).any(|n| {
            let temp = usize::from(self.state.initial[n]);
            (0..4).any(|channel| self.temp_used(temp, channel))
        });
        if needs_point {
            let d = |n: u32| format!("launch[{}u]", record::DOMAIN + n);
            self.line(&format!("let columns = {} - {} + 1u;", d(2), d(0)));
            self.line(&format!("let rows = {} - {} + 1u;", d(3), d(1)));
            self.line(&format!(
                "let point = (clamp(j, {}, {}) - {}) * columns + clamp(i, {}, {}) - {};",
                d(1),
                d(3),
                d(1),
                d(0),
                d(2),
                d(0)
            ));
        }
        for (channel, (low, len)) in self.relative.arrays.clone() {
            let letter = CHANNELS[usize::from(channel & 3)];
            self.line(&format!(
                "var rel_{letter}: array<u32, {len}>; // r{low}.{letter} to r{}.{letter}",
                low + len - 1
            ));
        }
        let mut started: BTreeMap<u32, String> = BTreeMap::new();
        for temp in 0..128 {
            for channel in 0..4 {
                if self.temp_used(temp, channel)
                    && let Some(value) = self.start_value(temp, channel)
                {
                    let row = self.lowered.temp_rows[4 * temp + channel];
                    started.insert(u32::from(row), value);
                }
            }
        }
        for row in self.used.clone() {
            let name = self.name(row);
            let value = started.remove(&row);
            if self.relative.array_of(self.lowered, row).is_some() {
                if let Some(value) = value {
                    self.line(&format!("{name} = {value};"));
                }
                continue;
            }
            match value {
                Some(value) => self.line(&format!("var {name} = {value};")),
                None => {
                    let zero = self.zero();
                    self.line(&format!("var {name} = {zero};"));
                }
            }
        }
        // Members of an array that no operation names.
        for (row, value) in started {
            if self.relative.array_of(self.lowered, row).is_some() {
                let name = self.name(row);
                self.line(&format!("{name} = {value};"));
            }
        }
    }

    /// What registers start with.
    fn zero(&self) -> &'static str {
        match self.state.mode {
            FloatMode::Exact => "zero",
            FloatMode::Fast => "0u",
        }
    }

    fn temp_used(&self, temp: usize, channel: usize) -> bool {
        let row = self.lowered.temp_rows.get(4 * temp + channel).copied();
        match row {
            None | Some(NO_ROW) => false,
            Some(row) => {
                let row = u32::from(row);
                self.used.contains(&row) || self.relative.array_of(self.lowered, row).is_some()
            }
        }
    }

    /// What a temporary's channel starts with, if that is not 0.
    fn start_value(&self, temp: usize, channel: usize) -> Option<String> {
        let place = self
            .state
            .initial
            .iter()
            .position(|&t| usize::from(t) == temp);
        if let Some(n) = place {
            let first = self.layout.words;
            return Some(format!(
                "launch[{first}u + 4u * ({n}u * columns * rows + point) + {channel}u]"
            ));
        }
        if let Some(at) = self.layout.interpolants
            && (1..=7).contains(&temp)
        {
            let word = |n: usize| {
                let plane = 3 * (4 * (temp - 1) + channel) + n;
                format!("launch[{}u]", at + plane as u32)
            };
            // Half points are exact in floats.
            let at = |name: &str| format!("bitcast<u32>(f32({name}) + 0.5)");
            return Some(format!(
                "x1k_add(x1k_add({}, x1k_mul({}, {}, false)), x1k_mul({}, {}, false))",
                word(0),
                word(1),
                at("i"),
                word(2),
                at("j")
            ));
        }
        match (temp, channel) {
            (0, 0) => Some("bitcast<u32>(f32(i))".to_string()),
            (0, 1) => Some("bitcast<u32>(f32(j))".to_string()),
            _ => None,
        }
    }

    // Statements.

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 4 * self.indent);
    }

    /// The instruction as a comment.
    fn comment(&mut self, pc: u16) {
        let words = self.program.image().words.get(pc as usize).copied();
        if let Some(words) = words {
            let text = asm::line(&words).replace('\n', " ");
            self.line(&format!("// {pc}: {text}"));
        }
    }

    fn block(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Run(slots) => {
                    for pc in slots.clone() {
                        self.slot(pc);
                    }
                }
                Node::If {
                    pc,
                    condition,
                    then,
                    otherwise,
                } => match condition.known() {
                    Some(true) => self.block(then),
                    Some(false) => self.block(otherwise),
                    None => {
                        self.comment(*pc);
                        let (condition, then, otherwise) = if then.is_empty() {
                            (condition.not(), otherwise, then)
                        } else {
                            (*condition, then, otherwise)
                        };
                        let wish = self.wish(condition);
                        self.line(&format!("if {wish} {{"));
                        self.indented(then);
                        if !otherwise.is_empty() {
                            self.line("} else {");
                            self.indented(otherwise);
                        }
                        self.line("}");
                    }
                },
                Node::Loop {
                    pc,
                    count,
                    al,
                    body,
                    once,
                } => {
                    self.comment(*pc);
                    let k = self.loops.len();
                    self.line(&format!("for (var k{k} = 0u; k{k} < {count}u; k{k}++) {{"));
                    self.loops
                        .push((k, al.map(|(start, step)| (start, step, *count))));
                    self.indent += 1;
                    if let Some(fuel) = self.fuel {
                        self.line(&format!("spent += {once}u;"));
                        self.line(&format!("if spent > {fuel}u {{ break; }}"));
                    }
                    self.block(body);
                    self.indent -= 1;
                    self.loops.pop();
                    self.line("}");
                }
                Node::Leave { pc, condition, to } => {
                    self.comment(*pc);
                    let word = match to {
                        Leave::Break => "break",
                        Leave::Continue => "continue",
                    };
                    if condition.known() == Some(true) {
                        self.line(&format!("{word};"));
                        // Nobody gets any further in this block.
                        return;
                    }
                    let wish = self.wish(*condition);
                    self.line(&format!("if {wish} {{ {word}; }}"));
                }
            }
        }
    }

    fn indented(&mut self, nodes: &[Node]) {
        self.indent += 1;
        self.block(nodes);
        self.indent -= 1;
    }

    /// A condition as an expression.
    fn wish(&mut self, condition: Condition) -> String {
        let predicate = format!("p_{}", CHANNELS[usize::from(condition.predicate & 3)]);
        if condition.reads_alu_result() {
            self.bits |= 1 << 4;
        }
        if condition.reads_predicate() {
            self.bits |= 1 << condition.predicate;
        }
        let alone = |name: &str, set: bool| match set {
            true => name.to_string(),
            false => format!("!{name}"),
        };
        if !condition.reads_predicate() {
            return alone("alu_result", condition.table >> 2 & 1 != 0);
        }
        if !condition.reads_alu_result() {
            return alone(&predicate, condition.table >> 1 & 1 != 0);
        }
        let terms: Vec<String> = (0..4u8)
            .filter(|n| condition.table >> n & 1 != 0)
            .map(|n| {
                format!(
                    "({} & {})",
                    alone("alu_result", n & 2 != 0),
                    alone(&predicate, n & 1 != 0)
                )
            })
            .collect();
        format!("({})", terms.join(" | "))
    }

    // Instructions.

    fn slot(&mut self, pc: u16) {
        let range = ops_of(self.lowered, pc);
        let needed = self.analysis.needed.get(range.clone());
        if !needed.is_some_and(|needed| needed.contains(&true)) {
            return;
        }
        self.comment(pc);
        self.scratch.clear();
        let ops = &self.lowered.ops[range.clone()];
        let mut gate: Option<u16> = None;
        let mut n = 0;
        while n < ops.len() {
            let op = ops[n];
            if op.op == Op::Gate {
                gate = Some(op.aux);
            }
            if !self.analysis.needed[range.start + n] {
                n += 1;
                continue;
            }
            if op.op == Op::Quad {
                // Neighbouring exchanges share their barriers.
                let batch: Vec<MicroOp> = (n..ops.len())
                    .take_while(|&n| ops[n].op == Op::Quad && self.analysis.needed[range.start + n])
                    .take(4)
                    .map(|n| ops[n])
                    .collect();
                n += batch.len();
                self.quads(&batch);
                continue;
            }
            self.operation(&op, gate);
            n += 1;
        }
    }

    fn operation(&mut self, op: &MicroOp, gate: Option<u16>) {
        self.operations += 1;
        let gate = match op.write {
            Write::Gated => self.gate(gate.unwrap_or(0)),
            _ => None,
        };
        match op.op {
            Op::Kill => {
                let tests: Vec<String> = [op.a, op.b, op.c, op.d]
                    .into_iter()
                    .filter(|operand| !operand.is_none())
                    .map(|operand| {
                        let x = self.operand(operand);
                        format!("(({x} >= 0x80000000u) & ({x} <= 0xff800000u))")
                    })
                    .collect();
                let tests = tests.join(" | ");
                if self.together {
                    self.line(&format!("covered = covered & !({tests});"));
                } else {
                    self.line(&format!("if {tests} {{ return; }}"));
                }
            }
            Op::SetPredicate | Op::SetAluResult => {
                let value = self.comparison(op.aux >> 2, op.a);
                let name = if op.op == Op::SetAluResult {
                    self.bits |= 1 << 4;
                    "alu_result".to_string()
                } else {
                    self.bits |= 1 << (op.aux & 3);
                    format!("p_{}", CHANNELS[usize::from(op.aux & 3)])
                };
                self.assign(&name, &value, gate.as_deref());
            }
            Op::Output => {
                let number = usize::from(op.aux & 15);
                if op.a != Operand::row(op.dst) {
                    let value = self.operand(op.a);
                    self.write(op.dst, &value, gate.as_deref());
                }
                if self.analysis.written[number] == Written::Maybe {
                    self.mark(&set_name(number), gate.as_deref());
                }
            }
            Op::OwnValue => {
                let value = self.operand(op.a);
                self.write(op.dst, &value, gate.as_deref());
                if self.state.reads_own() && self.analysis.own == Written::Maybe {
                    self.mark("w_set", gate.as_deref());
                }
            }
            Op::StoreTemp => {
                let value = self.operand(op.a);
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
            Op::Fetch => self.fetch(op),
            _ => {
                let value = self.value(op);
                self.write(op.dst, &value, gate.as_deref());
            }
        }
    }

    /// The condition of a gate; `None` if all points pass.
    fn gate(&mut self, aux: u16) -> Option<String> {
        let mut terms = Vec::new();
        for (n, channel) in CHANNELS.iter().enumerate() {
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

    fn assign(&mut self, place: &str, value: &str, gate: Option<&str>) {
        match gate {
            None => self.line(&format!("{place} = {value};")),
            Some(gate) => self.line(&format!("{place} = select({place}, {value}, {gate});")),
        }
    }

    fn mark(&mut self, flag: &str, gate: Option<&str>) {
        match gate {
            None => self.line(&format!("{flag} = true;")),
            Some(gate) => self.line(&format!("{flag} = {flag} | {gate};")),
        }
    }

    /// Writes a row. A scratch row gets a name of its own.
    fn write(&mut self, row: u32, value: &str, gate: Option<&str>) {
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

    fn name(&self, row: u32) -> String {
        if let Some((channel, index)) = self.relative.array_of(self.lowered, row) {
            return format!("rel_{}[{index}u]", CHANNELS[usize::from(channel & 3)]);
        }
        self.names.get(row as usize).cloned().unwrap_or_default()
    }

    fn operand(&mut self, operand: Operand) -> String {
        if operand.is_none() {
            return "0u".to_string();
        }
        let index = operand.index();
        let mut text = if operand.is_uniform() {
            self.uniform(index)
        } else if index >= self.analysis.scratch {
            self.scratch
                .get(&index)
                .cloned()
                .unwrap_or_else(|| "0u".to_string())
        } else {
            self.used.insert(index);
            self.name(index)
        };
        let abs = operand.0 & Operand::ABS != 0;
        let neg = operand.0 & Operand::NEG != 0;
        match (abs, neg) {
            (true, true) => text = format!("x1k_nab({text})"),
            (true, false) => text = format!("x1k_abs({text})"),
            (false, true) => text = format!("x1k_neg({text})"),
            (false, false) => {}
        }
        // Mode fast leaves denormals to the adapter.
        if operand.0 & Operand::FLUSH != 0 && self.state.mode == FloatMode::Exact {
            text = format!("x1k_ftz({text})");
        }
        text
    }

    fn uniform(&mut self, index: u32) -> String {
        let uniform = self.lowered.uniforms.get(index as usize);
        let special = self.state.uniforms.as_ref();
        let special = special.and_then(|values| values.get(index as usize).copied());
        let known = uniform.and_then(|uniform| uniform.known()).or(special);
        // In mode `exact` a compiler must not see that a number is 0, Inf or NaN: see the module.
        match known.filter(|_| self.state.mode == FloatMode::Fast) {
            Some(bits) => format!("0x{bits:08x}u"),
            None => {
                self.uniforms.insert(index);
                format!("u_{index}")
            }
        }
    }

    fn comparison(&mut self, code: u16, operand: Operand) -> String {
        let x = self.operand(operand);
        format!("x1k_compare({}u, {x})", code & 3)
    }

    /// The function of the mode.
    fn function(&self, name: &str) -> String {
        let exact = self.state.mode == FloatMode::Exact;
        let prefix = if exact { "x1k" } else { "fast" };
        let suffix = match name {
            "mad" | "add" if exact => "_flushed",
            "mul" if exact => "_plus_zero_flushed",
            _ => "",
        };
        format!("{prefix}_{name}{suffix}")
    }

    fn value(&mut self, op: &MicroOp) -> String {
        let zero = op.flags & MicroOp::ZERO_TIMES != 0;
        let name = match op.op {
            Op::Mov => return self.operand(op.a),
            Op::Mad => "mad",
            Op::Mul => "mul",
            Op::Add => {
                let a = self.operand(op.a);
                let c = self.operand(op.c);
                return format!("{}({a}, {c})", self.function("add"));
            }
            Op::Product if zero => "product_zero",
            Op::Product => "product",
            Op::Sum3 => "sum3",
            Op::Sum4 => "sum4",
            Op::Min => "min",
            Op::Max => "max",
            Op::Cnd => "cnd",
            Op::Cmp => "cmp",
            Op::Frc => "frc",
            Op::Ex2 => "ex2",
            Op::Ln2 => "ln2",
            Op::Rcp => "rcp",
            Op::Rsq => "rsq",
            Op::Sin => "sin",
            Op::Cos => "cos",
            Op::Finish => {
                let x = self.operand(op.a);
                return format!("{}({x}, {}u)", self.function("finish"), op.aux & 15);
            }
            // The others are no values.
            _ => return "0u".to_string(),
        };
        let mut arguments: Vec<String> = [op.a, op.b, op.c, op.d]
            .into_iter()
            .filter(|operand| !operand.is_none())
            .map(|operand| self.operand(operand))
            .collect();
        if matches!(op.op, Op::Mad | Op::Mul) {
            arguments.push(zero.to_string());
        }
        format!("{}({})", self.function(name), arguments.join(", "))
    }

    fn quads(&mut self, batch: &[MicroOp]) {
        let width = self.state.tile.0;
        self.operations += batch.len();
        for (n, op) in batch.iter().enumerate() {
            let value = self.operand(op.a);
            self.line(&format!("quads[{}u + slot] = {value};", 64 * n));
        }
        self.line("workgroupBarrier();");
        for (n, op) in batch.iter().enumerate() {
            let corner = [0, 1, width][usize::from(op.aux) % 3];
            // Clears the lowest bits of column and row.
            let top_left = format!("(slot & 0x{:x}u)", 63 & !(1 | width));
            let index = 64 * n as u32 + corner;
            self.write(op.dst, &format!("quads[{index}u + {top_left}]"), None);
        }
        self.line("workgroupBarrier();");
    }

    fn fetch(&mut self, op: &MicroOp) {
        let n = usize::from(op.aux & FetchBits::INPUT);
        let Some(input) = self.state.inputs[n] else {
            return;
        };
        self.inputs.insert(n);
        let scale = self.function("scale");
        let (mut s, mut t) = (self.operand(op.a), self.operand(op.b));
        if op.aux & FetchBits::PROJECT != 0 {
            let q = self.operand(op.c);
            let name = format!("t{}", self.next);
            self.next += 1;
            self.line(&format!("let {name} = {}({q});", self.function("rcp")));
            s = format!("{scale}({s}, {name})");
            t = format!("{scale}({t}, {name})");
        }
        if op.aux & FetchBits::UNSCALED == 0 {
            let size = |n: u32| (n as f32).to_bits();
            s = format!("{scale}({s}, 0x{:08x}u)", size(input.width));
            t = format!("{scale}({t}, 0x{:08x}u)", size(input.height));
        }
        let name = format!("t{}", self.next);
        self.next += 1;
        let own = match (input.in_place, self.together) {
            (InPlace::No, _) => "",
            (_, true) => ", i, j, covered",
            (_, false) => ", i, j, true",
        };
        self.line(&format!("let {name} = fetch{n}(input{n}, {s}, {t}{own});"));
        for (k, channel) in ["x", "y", "z", "w"].into_iter().enumerate() {
            self.scratch
                .insert(op.dst + k as u32, format!("{name}.{channel}"));
        }
    }

    // Relative addressing.

    /// aL, and its value if that is always the same.
    fn al(&self) -> (String, Option<i32>) {
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

    fn relative_temp(&mut self, aux: u16) -> String {
        let (base, channel) = (i32::from(aux >> 2), aux & 3);
        let (al, known) = self.al();
        if let Some(al) = known {
            let temp = base.wrapping_add(al) as usize & 127;
            let row = self.lowered.temp_rows[4 * temp + usize::from(channel)];
            self.used.insert(u32::from(row));
            return self.name(u32::from(row));
        }
        let low = self
            .relative
            .arrays
            .get(&channel)
            .map_or(0, |&(low, _)| low);
        let letter = CHANNELS[usize::from(channel)];
        format!("rel_{letter}[(bitcast<u32>({base}i + {al}) & 127u) - {low}u]")
    }

    fn relative_constant(&mut self, aux: u16) -> String {
        let (base, channel) = (i32::from(aux >> 2), u32::from(aux & 3));
        let at = self.layout.constants.unwrap_or(0) + channel;
        match self.al() {
            (_, Some(al)) => {
                let n = base.wrapping_add(al) as u32 & 255;
                format!("launch[{}u]", at + 4 * n)
            }
            (al, None) => {
                format!("launch[{at}u + 4u * (bitcast<u32>({base}i + {al}) & 255u)]")
            }
        }
    }

    // The end of a point.

    fn output_wanted(&self, number: usize) -> bool {
        let output = self.state.outputs[number / 4];
        output.is_some_and(|output| output.mask >> (number % 4) & 1 != 0)
    }

    fn end(&mut self) {
        if let Some(fuel) = self.fuel {
            self.line(&format!("if spent > {fuel}u {{ give_up(BUDGET); }}"));
        }
        let mut guard = self.together.then(|| "covered".to_string());
        if let Some(condition) = self.state.condition
            && condition.location == Location::Dpp
        {
            let own = match self.analysis.own {
                Written::Never => None,
                Written::Always => Some("true"),
                Written::Maybe => Some("w_set"),
            };
            self.condition(&condition, own);
            guard = Some(match guard {
                Some(guard) => format!("({guard} & passed)"),
                None => "passed".to_string(),
            });
        }
        for n in 0..4 {
            self.output(n, guard.as_deref());
        }
    }

    fn output(&mut self, n: usize, guard: Option<&str>) {
        let Some(output) = self.state.outputs[n] else {
            return;
        };
        let channels: [Option<Channel>; 4] = std::array::from_fn(|c| {
            let number = 4 * n + c;
            let row = self.lowered.output_rows[number];
            if !self.output_wanted(number) || row == NO_ROW {
                return None;
            }
            let condition = match self.analysis.written[number] {
                Written::Never => return None,
                Written::Always => None,
                Written::Maybe => Some(set_name(number)),
            };
            self.used.insert(u32::from(row));
            Some(Channel {
                value: self.name(u32::from(row)),
                condition,
            })
        });
        if channels.iter().all(Option::is_none) {
            return;
        }
        self.line(&format!("// Output {n}: {}.", output.format));
        let any = {
            let conditions: Option<Vec<&str>> = channels
                .iter()
                .flatten()
                .map(|channel| channel.condition.as_deref())
                .collect();
            conditions.map(|conditions| format!("({})", conditions.join(" | ")))
        };
        let at = format!("launch[{}u]", record::SURFACES as usize + OUTPUT + n);
        let bounds = output
            .bounds
            .map(|(pitch, height)| format!("(i < {pitch}u) & (j < {height}u)"));
        if output.format == Format::Uint16x1 {
            let Some(Channel { value, .. }) = &channels[0] else {
                return;
            };
            let mut terms: Vec<String> = guard.map(str::to_string).into_iter().collect();
            terms.extend(any.clone());
            let wanted = if terms.is_empty() {
                "true".to_string()
            } else {
                terms.join(" & ")
            };
            self.line("{");
            self.indent += 1;
            self.line(&format!("let wanted = {wanted};"));
            if let Some(bounds) = &bounds {
                self.line(&format!("let inside = {bounds};"));
                self.line("if wanted & !inside { give_up(FAULT); }");
            }
            let write = if bounds.is_some() {
                "wanted & inside"
            } else {
                "wanted"
            };
            let g = access::own_half(&output, &at);
            self.line(&format!(
                "store_half{}(slot, {g}, x1k_unorm16({value}), {write});",
                output.window
            ));
            self.indent -= 1;
            self.line("}");
            return;
        }
        self.line(&match guard {
            Some(guard) => format!("if {guard} {{"),
            None => "{".to_string(),
        });
        self.indent += 1;
        let lines = access::store(&output, self.layout.unit, &at, &channels);
        if let Some(bounds) = bounds {
            self.line(&format!("if {bounds} {{"));
            self.indent += 1;
            for line in lines {
                self.line(&line);
            }
            self.indent -= 1;
            self.line(&match any {
                Some(any) => format!("}} else if {any} {{"),
                None => "} else {".to_string(),
            });
            self.line("    give_up(FAULT);");
            self.line("}");
        } else {
            for line in lines {
                self.line(&line);
            }
        }
        self.indent -= 1;
        self.line("}");
    }

    /// The conditional operation; declares `passed`. `own` says when the point's own value counts.
    fn condition(&mut self, condition: &Conditional, own: Option<&str>) {
        let _ = writeln!(self.out);
        self.line(&format!(
            "// The conditional operation: {} at location {}.",
            condition.test.name(),
            condition.location.name()
        ));
        let Some(buffer) = condition.buffer else {
            self.line(&format!("let passed = {};", condition.test == Test::Always));
            return;
        };
        let small = buffer.format == Format::Uint16x1;
        let pe = format!("launch[{}u]", record::VALUE);
        let pe = if small {
            format!("({pe} & 0xffffu)")
        } else {
            pe
        };
        let value = match own {
            None => pe,
            Some(when) => {
                let row = u32::from(self.lowered.own_row);
                self.used.insert(row);
                let own = self.name(row);
                let own = if small {
                    format!("x1k_unorm16({own})")
                } else {
                    own
                };
                match when {
                    "true" => own,
                    when => format!("select({pe}, {own}, {when})"),
                }
            }
        };
        let at = format!("launch[{}u]", record::SURFACES as usize + CONDITION);
        let covered = if self.together { "covered" } else { "true" };
        self.line(&format!("let value = {value};"));
        let inside = match buffer.bounds {
            Some((pitch, height)) => format!("(i < {pitch}u) & (j < {height}u)"),
            None => "true".to_string(),
        };
        self.line(&format!("let reachable = {covered} & {inside};"));
        if condition.test.reads_buffer() {
            let element = access::own_unit(&buffer, self.layout.unit, &at);
            self.line("var held = 0u;");
            self.line(&format!("if reachable {{ held = {element}; }}"));
        }
        let (less, equal, greater) = if small {
            ("(value < held)", "(value == held)", "(value > held)")
        } else {
            (
                "x1k_less(value, held)",
                "x1k_equal(value, held)",
                "x1k_less(held, value)",
            )
        };
        let passed = match condition.test {
            Test::Never => "false".to_string(),
            Test::Less => less.to_string(),
            Test::LessEqual => format!("({less} | {equal})"),
            Test::Equal => equal.to_string(),
            Test::GreaterEqual => format!("({greater} | {equal})"),
            Test::Greater => greater.to_string(),
            Test::NotEqual => format!("!{equal}"),
            Test::Always => "true".to_string(),
        };
        self.line(&format!("let passed = {passed};"));
        if buffer.bounds.is_some() {
            let touches = match (condition.test.reads_buffer(), condition.write) {
                (true, _) => "true",
                (false, true) => "passed",
                (false, false) => "false",
            };
            self.line(&format!(
                "if {covered} & !reachable & {touches} {{ give_up(FAULT); }}"
            ));
        }
        if !condition.write {
            return;
        }
        if small {
            let g = access::own_half(&buffer, &at);
            self.line(&format!(
                "store_half{}(slot, {g}, value, reachable & passed);",
                buffer.window
            ));
        } else {
            let channel = Channel {
                value: "value".to_string(),
                condition: None,
            };
            let lines = access::store(
                &buffer,
                self.layout.unit,
                &at,
                &[Some(channel), None, None, None],
            );
            self.line("if reachable & passed {");
            for line in lines {
                self.line(&format!("    {line}"));
            }
            self.line("}");
        }
        let _ = writeln!(self.out);
    }
}

/// Whether points that start have to be counted: how many do depends on the conditional buffer.
fn pe_counts(condition: Option<&Conditional>) -> bool {
    condition.is_some_and(|c| c.location == Location::Pe && c.test.reads_buffer())
}

const GIVE_UP: &str = "const FAULT: u32 = 1u;
const BUDGET: u32 = 2u;
const FOREIGN: u32 = 4u;

// Something happened that only another engine can report: the launch is run again by one.
fn give_up(why: u32) {
    atomicOr(&results[launch[6u]], why);
}

";

/// Whether a point's instructions have to be counted, and how many it may execute.
///
/// A group executes at most what all its points together do: in each round of a loop at least one
/// point takes part, and it is charged the whole body, loops inside once, which is all that a group
/// can execute in that round without a point that takes part in another one.
fn fuel(tree: &Tree, state: &State, analysis: &Analysis) -> Result<Option<u64>, Reason> {
    if tree.checked <= state.limit {
        return Ok(None);
    }
    let fuel = (state.limit / POINTS).min(u64::from(u32::MAX / 2));
    if tree.spins || analysis.exchanges || fuel <= 4 * tree.once {
        return Err(Reason::Budget {
            bound: tree.checked,
            limit: state.limit,
        });
    }
    Ok(Some(fuel))
}

/// The name of the flag that says whether an output channel was written.
fn set_name(number: usize) -> String {
    format!("o{}_{}_set", number / 4, CHANNELS[number % 4])
}

/// The variables of rows.
fn row_names(lowered: &Lowered) -> Vec<String> {
    let mut names = vec![String::new(); lowered.rows as usize];
    let mut name = |rows: &[u16], letter: char| {
        for (n, &row) in rows.iter().enumerate() {
            if let Some(name) = names.get_mut(row as usize) {
                *name = format!("{letter}{}_{}", n / 4, CHANNELS[n % 4]);
            }
        }
    };
    name(&lowered.temp_rows, 'r');
    name(&lowered.output_rows, 'o');
    if let Some(name) = names.get_mut(lowered.own_row as usize) {
        *name = "w".to_string();
    }
    names
}

/// Whether an operation makes a value or has an effect.
fn computes(op: Op) -> bool {
    !matches!(op, Op::Gate | Op::Flow | Op::End | Op::Wrap | Op::Missing)
}
