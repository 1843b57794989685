//! Statements and micro-operations as WGSL text.
//!
//! # Numbers that a compiler must not see
//! WGSL lets a compiler replace x + 0 by x, although -0 + 0 is +0, and x * 0 by 0. What becomes of
//! Inf and NaN is up to the compiler. Compilers do so when they see such a number: lavapipe turns
//! -0 + 0 into -0. So in mode `exact` no float of a program is a literal in its shader. Literals,
//! the zeros that registers start with and the channels that a format lacks are read from the
//! launch. Nothing computed from them is known at compile time either.

mod operation;
mod point;

use crate::translate::access;
use crate::translate::analyse::Analysis;
use crate::translate::flow::ops_of;
use crate::translate::record;
use crate::translate::relative::Relative;
use crate::translate::state::{Conditional, Sizes, State};
use crate::translate::tree::{Condition, Leave, Node, Tree};
use crate::translate::{Layout, Stats, Translation};
use crate::wgsl;
use ctm_isa::isa::{FLOAT_CONSTANTS, LETTERS};
use ctm_isa::ops::Op;
use ctm_lang::asm;
use ctm_lang::program::Program;
use ctm_machine::engine::Why;
use ctm_machine::engine::groups::SLOTS;
use ctm_machine::launch::{FloatMode, Location};
use ctm_machine::lower::{Lowered, OWN_VALUE, RowOp};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

/// A loop's counter: its number; first value and step of aL and the iterations, `None` for REP.
type LoopCounter = (usize, Option<(u8, i8, u8)>);

/// The most exchanges between points that share their barriers.
const QUADS_TOGETHER: usize = 4;

/// The number of bound windows: memory, and copies of what is both read and written.
const WINDOWS: u8 = 2;

/// The number of points in a vector, on any adapter that limits its loops.
const VECTOR: u64 = 16;

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
    /// The names of the running instruction's scratch rows.
    scratch: HashMap<u32, String>,
    /// Rows that must be declared.
    used: BTreeSet<u32>,
    /// Uniforms that are read from the record.
    uniforms: BTreeSet<u32>,
    /// Predicate bits that are used, with the ALU result as bit 4.
    bits: u8,
    /// Inputs that are fetched from.
    inputs: BTreeSet<usize>,
    /// Whether all points run to the end: because of barriers, because points count what they
    /// execute, or because starting points are counted.
    together: bool,
    /// The count of a point, if any.
    fuel: Option<Fuel>,
    out: String,
    indent: usize,
    next: usize,
    /// The counters of the innermost loops, with first value and step of aL; `None` for REP.
    loops: Vec<LoopCounter>,
    operations: usize,
}

impl<'a> Emit<'a> {
    /// Prepares to write a program.
    ///
    /// # Errors
    /// A group may execute more than its budget.
    pub fn new(
        program: &'a Program,
        lowered: &'a Lowered,
        tree: &'a Tree,
        state: &'a State,
        analysis: &'a Analysis,
    ) -> Result<Emit<'a>, Why> {
        let fuel = Fuel::of(tree, state, analysis)?;
        let relative = Relative::of(lowered, tree, analysis);
        let outputs = state.outputs.iter().flatten();
        let condition = state.condition.and_then(|condition| condition.buffer);
        let inputs = state.inputs.iter().flatten().map(|input| input.format);
        let formats = inputs.chain(outputs.clone().chain(&condition).map(|output| output.format));
        let unit = access::unit(formats);
        let parts = outputs.chain(&condition).any(|o| o.format.bytes_per_element() < 4);
        let counts_points = pe_counts(state.condition.as_ref());
        let mut words = (record::UNIFORMS + lowered.uniforms.len() as u32).next_multiple_of(4);
        let mut part = |present: bool, len: u32| {
            present.then(|| {
                let at = words;
                words += len.next_multiple_of(4);
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
            layout: Layout { unit, words, constants, interpolants },
            names: lowered.row_names('_'),
            scratch: HashMap::new(),
            used: BTreeSet::new(),
            uniforms: BTreeSet::new(),
            bits: 0,
            inputs: BTreeSet::new(),
            together: analysis.exchanges || parts || fuel.is_some() || counts_points,
            fuel,
            out: String::new(),
            indent: 1,
            next: 0,
            loops: Vec::new(),
            operations: 0,
        })
    }

    /// Returns the shader.
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
                let by_float = main.contains(&format!("fetch{n}("));
                helpers.push_str(&access::fetch(n, input, self.layout.unit, by_float));
            }
        }
        for window in 0..WINDOWS {
            helpers.push_str(&access::store_parts(window, self.layout.unit, &main));
        }
        if main.contains("give_up(") {
            helpers.push_str(&GIVE_UP.replace("RESULT", &record::result("GAVE_UP")));
        }
        let rest = helpers + &main;
        let mut text = self.head(&rest);
        text.push_str(&wgsl::library(&rest, self.state.guards));
        text.push_str(&rest);
        let counts = crate::translate::tree::Counts::of(&self.tree.nodes);
        Translation {
            wgsl: text,
            entry: "main",
            reports: rest.contains("results["),
            starts: rest.contains(&format!("{STARTS}[")),
            outputs: self.outputs(),
            layout: self.layout,
            stats: Stats {
                instructions: self.tree.slots,
                operations: self.operations,
                left_out: self
                    .lowered
                    .ops
                    .iter()
                    .zip(&self.analysis.needed)
                    .filter(|(op, needed)| op.op.computes() && !**needed)
                    .count(),
                registers: self.used.len(),
                uniforms: self.uniforms.len(),
                statements: counts,
                bound: self.tree.bound,
                iterations: self.tree.iterations,
                counted: self.fuel.is_some(),
            },
        }
    }

    /// The bounds of the numbers that float outputs get. Mode fast promises nothing.
    fn outputs(&self) -> [Sizes; 4] {
        std::array::from_fn(|n| match &self.state.outputs[n] {
            Some(output)
                if self.state.mode == FloatMode::Exact
                    && output.format.bytes_per_channel() == 4 =>
            {
                self.analysis.outputs[n]
            }
            _ => Sizes::Any,
        })
    }

    fn head(&self, text: &str) -> String {
        let mut out = String::new();
        let _ = writeln!(
            out,
            "// A program of {} instructions, mode {}, groups of {} x {} points.\n",
            self.program.instructions().len(),
            self.state.mode.name(),
            self.state.tile.0,
            self.state.tile.1
        );
        let _ = writeln!(
            out,
            "@group(0) @binding(0) var<uniform> launch: array<vec4<u32>, {}>;",
            record::UNIFORMS / 4
        );
        for window in 0..WINDOWS {
            if text.contains(&format!("window{window}[")) {
                let _ = writeln!(
                    out,
                    "@group(0) @binding({}) var<storage, read_write> window{window}: array<{}>;",
                    3 + window,
                    access::unit_type(self.layout.unit)
                );
            }
        }
        if text.contains(&format!("{STARTS}[")) {
            let _ = writeln!(
                out,
                "@group(0) @binding(5) var<storage, read> {STARTS}: array<vec4<u32>>;"
            );
        }
        out.push('\n');
        out
    }
    // Statements.

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 4 * self.indent);
    }

    /// Adds the instruction as a comment.
    fn comment(&mut self, pc: u16) {
        let words = self.program.image().words.get(pc as usize).copied();
        if let Some(words) = words {
            let text = asm::line(&words, self.program.sharing()).replace('\n', " ");
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
                Node::If { pc, condition, then, otherwise } => {
                    self.comment(*pc);
                    let (condition, then, otherwise) = if then.is_empty() {
                        (condition.negated(), otherwise, then)
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
                Node::Loop { pc, count, al, body, once } => {
                    self.comment(*pc);
                    let k = self.loops.len();
                    self.line(&format!("for (var k{k} = 0u; k{k} < {count}u; k{k}++) {{"));
                    self.loops.push((k, al.map(|(start, step)| (start, step, *count))));
                    self.indent += 1;
                    if let Some(fuel) = self.fuel {
                        let cost = if fuel.instructions { *once } else { 1 };
                        self.line(&format!("spent += {cost}u;"));
                        self.line(&format!("if spent > {}u {{ break; }}", fuel.most));
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
                    match condition.known() {
                        Some(true) => self.line(&format!("{word};")),
                        _ => {
                            let wish = self.wish(*condition);
                            self.line(&format!("if {wish} {{ {word}; }}"));
                        }
                    }
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
        let predicate = format!("p_{}", LETTERS[usize::from(condition.predicate & 3)]);
        if condition.reads_alu_result() {
            self.bits |= 1 << 4;
        }
        if condition.reads_predicate() {
            self.bits |= 1 << condition.predicate;
        }
        let alone = |name: &str, set: bool| if set { name.to_string() } else { format!("!{name}") };
        if !condition.reads_predicate() {
            return alone("alu_result", condition.table >> 2 & 1 != 0);
        }
        if !condition.reads_alu_result() {
            return alone(&predicate, condition.table >> 1 & 1 != 0);
        }
        let terms: Vec<String> = (0..4u8)
            .filter(|n| condition.table >> n & 1 != 0)
            .map(|n| {
                format!("({} & {})", alone("alu_result", n & 2 != 0), alone(&predicate, n & 1 != 0))
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
                // Adjacent exchanges share their barriers.
                let batch: Vec<RowOp> = (n..ops.len())
                    .take_while(|&n| ops[n].op == Op::Quad && self.analysis.needed[range.start + n])
                    .take(QUADS_TOGETHER)
                    .map(|n| ops[n])
                    .collect();
                n += batch.len();
                self.quads(&batch);
                continue;
            }
            self.operation(range.start + n, gate);
            n += 1;
        }
    }
}

/// Whether points that start must be counted: their number depends on the conditional buffer.
fn pe_counts(condition: Option<&Conditional>) -> bool {
    condition.is_some_and(|c| c.location == Location::Pe && c.test.reads_buffer())
}

/// The binding of the data that temporaries start with.
const STARTS: &str = "starts";

const GIVE_UP: &str =
    "// Something happened that only another engine can report. That engine runs the launch again.
fn give_up(why: u32) {
    atomicOr(&RESULT, why);
}

";

/// The limit of what every point counts. If the count becomes too large, the launch is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fuel {
    /// The limit.
    most: u64,
    /// Whether instructions are counted; otherwise only iterations of loops.
    instructions: bool,
}

impl Fuel {
    /// Decides what must be counted.
    ///
    /// A group executes at most what all its points together are charged. At least one point takes
    /// part in each iteration of a loop. It is charged the whole body, with inner loops run once. A
    /// group can execute no more than that in the iteration, unless a point takes part in another
    /// iteration of an inner loop. In the same way, a vector of points makes at most as many
    /// iterations as all its points together.
    fn of(tree: &Tree, state: &State, analysis: &Analysis) -> Result<Option<Fuel>, Why> {
        let budget = (tree.checked > state.limit).then_some(state.limit / SLOTS as u64);
        let iterations = state.iterations.filter(|&most| tree.iterations > most);
        let Some(most) = budget.into_iter().chain(iterations.map(|most| most / VECTOR)).min()
        else {
            return Ok(None);
        };
        let fuel = Fuel { most: most.min(u64::from(u32::MAX / 2)), instructions: budget.is_some() };
        let too_little = fuel.instructions && fuel.most <= 4 * tree.once;
        // Whether there may be iterations in which no point of the translation takes part.
        let idle = tree.spins || (tree.prolonged && !state.all_covered);
        if budget.is_some() && (idle || analysis.exchanges || too_little) {
            let (bound, limit) = (tree.checked, state.limit);
            let text =
                format!("a group may execute {bound} instructions, and its budget is {limit}");
            return Err(Why::new("budget", text));
        }
        match iterations {
            // Points that stop at different times cannot wait for each other.
            Some(limit) if analysis.exchanges => {
                let turns = tree.iterations;
                let text =
                    format!("loops may make {turns} turns, and the adapter is good for {limit}");
                Err(Why::new("many turns of loops", text))
            }
            _ => Ok(Some(fuel)),
        }
    }
}

/// The name of the flag that says whether an output channel, or the own conditional value, was
/// written.
fn set_name(number: usize) -> String {
    match number {
        channel if channel < usize::from(OWN_VALUE) => {
            format!("o{}_{}_set", channel / 4, LETTERS[channel % 4])
        }
        _ => "w_set".to_string(),
    }
}
