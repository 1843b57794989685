//! The facts about a program's micro-operations that a translation needs: which are needed, which
//! outputs are certain to be written, and whether any looks at points that took another path.

use crate::translate::flow::ops_of;
use crate::translate::flush::{self, Spared};
use crate::translate::state::{Sizes, State};
use crate::translate::tree::{Condition, Leave, Node, Tree, each_slot};
use crate::translate::whole::{self, Whole};
use ctm_isa::ops::{Effect, Op};
use ctm_machine::engine::Why;
use ctm_machine::lower::{ALU_RESULT, FetchBits, GateBits, Lowered, NO_ROW, RowOp, Write};
use std::collections::HashMap;

/// Whether something has been written by the end of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// No point has written it.
    Never,
    /// Some points may have.
    Maybe,
    /// All have.
    Always,
}

impl Written {
    fn join(self, other: Written) -> Written {
        if self == other { self } else { Written::Maybe }
    }
}

/// The facts that are known about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The micro-operations with a visible effect.
    pub needed: Vec<bool>,
    /// Sums and products whose NaN may have any form in mode exact: no operation that copies bits
    /// carries them to where bits are visible. See [`ctm_isa::ops::Facts::keeps`].
    pub loose: Vec<bool>,
    /// The flushes that an operation can leave out in mode exact.
    pub spared: Vec<Spared>,
    /// The bound of everything that is written to each output.
    pub outputs: [Sizes; 4],
    /// Held output channels and the own conditional value, see [`Op::Output`].
    pub written: [Written; 17],
    /// The first row of values that live within one instruction.
    pub scratch: u32,
    /// S and T of fetches in texels, if they are whole numbers.
    pub coordinates: Vec<Option<[Whole; 2]>>,
    /// Whether some needed operation exchanges values between points.
    pub exchanges: bool,
}

/// Variables after the rows: those of [`Op::SetBit`].
const BITS: usize = 5;

/// Analyses a program.
///
/// # Errors
/// Points may see the effects of others in an order that a translation does not keep.
pub fn analyse(lowered: &Lowered, tree: &Tree, state: &State) -> Result<Analysis, Why> {
    let scratch = lowered.scratch;
    let alike = Alike { lowered, scratch };
    alike.check(&tree.nodes, false)?;
    alike.asleep(&tree.left_out)?;

    let coordinates = whole::coordinates(lowered, tree, state);
    let mut live = Live::new(lowered, state, &coordinates, scratch);
    let end = live.at_end();
    live.block(&tree.nodes, end, &Exits::default());
    let loose = live.seen.iter().map(|seen| !seen).collect();
    let needed = live.needed;
    let (spared, outputs) = flush::spared(lowered, tree, state, &needed);
    let is_needed = |kind: Op| {
        let mut ops = lowered.ops.iter().zip(&needed);
        ops.any(|(op, &needed)| needed && op.op == kind)
    };
    let exchanges = is_needed(Op::Quad);
    if exchanges
        && !state.all_covered
        && let Some(pc) = tree.ignoring
    {
        let text = format!(
            "the decision at pc {pc} drags uncovered points along, and other points of their quads \
             can read them"
        );
        return Err(Why::new("drags uncovered points", text));
    }

    let mut flags = Flags { lowered, written: [Written::Never; 17] };
    flags.block(&tree.nodes, &mut None);
    let written = flags.written;
    Ok(Analysis { needed, loose, spared, outputs, written, scratch, coordinates, exchanges })
}

/// Checks that nothing looks at inactive points where some may exist.
struct Alike<'a> {
    lowered: &'a Lowered,
    scratch: u32,
}

impl Alike<'_> {
    fn check(&self, nodes: &[Node], divergent: bool) -> Result<(), Why> {
        for node in nodes {
            match node {
                Node::Run(slots) if divergent => {
                    for pc in slots.clone() {
                        for op in &self.lowered.ops[ops_of(self.lowered, pc)] {
                            self.op(op)?;
                        }
                    }
                }
                Node::Run(_) | Node::Leave { .. } => {}
                Node::If { then, otherwise, .. } => {
                    self.check(then, true)?;
                    self.check(otherwise, true)?;
                }
                Node::Loop { body, .. } => {
                    self.check(body, divergent || separates(body, false))?;
                }
            }
        }
        Ok(())
    }

    /// Checks that nothing writes sleeping points in code that no awake point reaches. Reading
    /// neighbours is allowed there: no point keeps the result.
    fn asleep(&self, nodes: &[Node]) -> Result<(), Why> {
        let mut found = Ok(());
        each_slot(nodes, &mut |pc| {
            let mut ops = self.lowered.ops[ops_of(self.lowered, pc)].iter();
            if found.is_ok() {
                found = ops.try_for_each(|op| if op.op == Op::Quad { Ok(()) } else { self.op(op) });
            }
        });
        found
    }

    fn op(&self, op: &RowOp) -> Result<(), Why> {
        let pc = op.pc;
        let everywhere = match op.op.facts().effect {
            Effect::Row if op.op == Op::Quad => {
                let text = format!(
                    "pc {pc} reads other points of its quad where points may have gone different \
                     ways"
                );
                return Err(Why::new("reads other points", text));
            }
            Effect::Row | Effect::Held => op.write == Write::All && op.dst < self.scratch,
            Effect::Gate => op.aux & GateBits::ALL != 0,
            Effect::Bit | Effect::Temporary | Effect::Memory => op.write == Write::All,
            Effect::Texel | Effect::Kill | Effect::Flow | Effect::End => false,
        };
        if everywhere {
            let text =
                format!("pc {pc} writes inactive points where points may have gone different ways");
            return Err(Why::new("writes inactive points", text));
        }
        Ok(())
    }
}

/// Whether some points can leave an iteration of the loop with this body while others continue.
fn separates(body: &[Node], divergent: bool) -> bool {
    body.iter().any(|node| match node {
        Node::Leave { condition, .. } => divergent || condition.known().is_none(),
        Node::If { then, otherwise, .. } => separates(then, true) || separates(otherwise, true),
        // A point that leaves an inner loop stays in this one.
        Node::Run(_) | Node::Loop { .. } => false,
    })
}

/// A set of variables.
#[derive(Clone, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn new(len: usize) -> Set {
        Set(vec![0; len.div_ceil(64)])
    }
    fn has(&self, n: usize) -> bool {
        self.0.get(n / 64).is_some_and(|word| word >> (n % 64) & 1 != 0)
    }
    fn add(&mut self, n: usize) {
        if let Some(word) = self.0.get_mut(n / 64) {
            *word |= 1 << (n % 64);
        }
    }
    fn remove(&mut self, n: usize) {
        if let Some(word) = self.0.get_mut(n / 64) {
            *word &= !(1 << (n % 64));
        }
    }
    fn join(&mut self, other: &Set) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }
}

/// The live sets at the exits of a loop.
#[derive(Clone, Default)]
struct Exits {
    after: Option<Set>,
    again: Option<Set>,
}

/// Finds the micro-operations that are needed, because something visible depends on their result,
/// and those of whose result the bits themselves are visible.
///
/// A set has the live variables and, after [`BITS`], the rows whose bits are visible.
struct Live<'a> {
    lowered: &'a Lowered,
    state: &'a State,
    /// Fetches that read no registers.
    coordinates: &'a [Option<[Whole; 2]>],
    rows: usize,
    needed: Vec<bool>,
    seen: Vec<bool>,
    /// For each loop, the live set at the start of an iteration in the last visit.
    tops: HashMap<*const Node, Set>,
    /// Whether temporaries that relative addressing may reach are always live.
    relative: bool,
    scratch: u32,
}

impl<'a> Live<'a> {
    fn new(
        lowered: &'a Lowered,
        state: &'a State,
        coordinates: &'a [Option<[Whole; 2]>],
        scratch: u32,
    ) -> Live<'a> {
        let relative = lowered.ops.iter().any(|op| matches!(op.op, Op::LoadTemp | Op::StoreTemp));
        Live {
            lowered,
            state,
            coordinates,
            rows: lowered.rows as usize,
            needed: vec![false; lowered.ops.len()],
            seen: vec![false; lowered.ops.len()],
            tops: HashMap::new(),
            relative,
            scratch,
        }
    }

    /// The variables that are read when a point ends.
    fn at_end(&self) -> Set {
        let mut live = Set::new(2 * self.rows + BITS);
        let mut add = |row: u16| {
            live.add(row as usize);
            live.add(self.bits_of(row as usize));
        };
        for (n, output) in self.state.outputs.iter().enumerate() {
            let Some(output) = output else { continue };
            for channel in (0..4).filter(|c| output.mask >> c & 1 != 0) {
                let row = self.lowered.output_rows[4 * n + channel];
                if row != NO_ROW {
                    add(row);
                }
            }
        }
        if self.state.reads_own() && self.lowered.own_row != NO_ROW {
            add(self.lowered.own_row);
        }
        live
    }

    /// The variable that says that a row's bits are visible.
    fn bits_of(&self, row: usize) -> usize {
        self.rows + BITS + row
    }

    fn block(&mut self, nodes: &[Node], mut live: Set, exits: &Exits) -> Set {
        for node in nodes.iter().rev() {
            live = self.node(node, live, exits);
        }
        live
    }

    fn node(&mut self, node: &Node, mut live: Set, exits: &Exits) -> Set {
        match node {
            Node::Run(slots) => {
                for pc in slots.clone().rev() {
                    self.slot(pc, &mut live);
                }
                live
            }
            Node::If { condition, then, otherwise, .. } => {
                let mut before = self.block(then, live.clone(), exits);
                before.join(&self.block(otherwise, live, exits));
                self.read(*condition, &mut before);
                before
            }
            Node::Loop { body, .. } => {
                // The next iteration, or what follows the loop, follows the end of the body. The
                // set only grows from visit to visit, so start with the last one found.
                let mut top = live.clone();
                if let Some(known) = self.tops.get(&std::ptr::from_ref(node)) {
                    top.join(known);
                }
                loop {
                    let mut end = top.clone();
                    end.join(&live);
                    let inner = Exits { after: Some(live.clone()), again: Some(end.clone()) };
                    let mut before = self.block(body, end, &inner);
                    before.join(&top);
                    if before == top {
                        self.tops.insert(node, top.clone());
                        return top;
                    }
                    top = before;
                }
            }
            Node::Leave { condition, to, .. } => {
                let exit = match to {
                    Leave::Break => &exits.after,
                    Leave::Continue => &exits.again,
                };
                if let Some(exit) = exit {
                    if condition.known() == Some(true) {
                        live = exit.clone();
                    } else {
                        live.join(exit);
                    }
                }
                self.read(*condition, &mut live);
                live
            }
        }
    }

    fn read(&self, condition: Condition, live: &mut Set) {
        if condition.reads_alu_result() {
            live.add(self.rows + usize::from(ALU_RESULT));
        }
        if condition.reads_predicate() {
            live.add(self.rows + condition.predicate as usize);
        }
    }

    fn is_live(&self, row: u32, live: &Set) -> bool {
        live.has(row as usize) || self.reachable(row)
    }

    /// Whether relative addressing may read a row.
    fn reachable(&self, row: u32) -> bool {
        self.relative && row < self.scratch && self.is_temporary(row)
    }

    fn is_seen(&self, row: u32, live: &Set) -> bool {
        live.has(self.bits_of(row as usize)) || self.reachable(row)
    }

    fn overwrite(&self, row: u32, live: &mut Set) {
        live.remove(row as usize);
        live.remove(self.bits_of(row as usize));
    }

    fn is_temporary(&self, row: u32) -> bool {
        // With relative addressing all temporaries have rows, and these are the first.
        (row as usize) < self.lowered.temp_rows.len()
    }

    fn slot(&mut self, pc: u16, live: &mut Set) {
        let range = ops_of(self.lowered, pc);
        for index in range.clone().rev() {
            let op = self.lowered.ops[index];
            let gate = || {
                let before = self.lowered.ops[range.start..index].iter();
                before.rev().find(|op| op.op == Op::Gate).map(|op| op.aux)
            };
            let gate = (op.write == Write::Gated).then(gate).flatten();
            let bit = self.rows + usize::from(op.aux & 7);
            let needed = match op.op.facts().effect {
                Effect::Bit => live.has(bit),
                Effect::Kill | Effect::Temporary | Effect::Memory => true,
                Effect::Gate | Effect::Flow | Effect::End => false,
                Effect::Texel => self.fetches(&op, live),
                Effect::Row | Effect::Held => self.is_live(op.dst, live),
            };
            if !needed {
                continue;
            }
            self.needed[index] = true;
            // Later operations read only the decision of a comparison or a kill.
            let seen = matches!(op.op.facts().effect, Effect::Temporary | Effect::Memory)
                || op.rows().any(|row| self.is_seen(row, live));
            self.seen[index] |= seen;
            if op.write != Write::Gated {
                op.rows().for_each(|row| self.overwrite(row, live));
                if op.op == Op::SetBit {
                    live.remove(bit);
                }
            }
            if let Some(aux) = gate {
                for bit in 0..4 {
                    if (aux >> bit | aux >> bit >> GateBits::FAIL_SHIFT) & 1 != 0 {
                        live.add(self.rows + bit);
                    }
                }
            }
            if self.coordinates[index].is_some() {
                continue;
            }
            for (n, operand) in op.operands.into_iter().enumerate() {
                if !operand.is_none() && !operand.is_uniform() {
                    let row = operand.index() as usize;
                    live.add(row);
                    if seen && op.op.facts().keeps >> n & 1 != 0 {
                        live.add(self.bits_of(row));
                    }
                }
            }
        }
    }

    /// Whether a fetch must be made. Everything it reads is in memory, so it matters only for its
    /// result, or to detect that points fetch what others write.
    fn fetches(&self, op: &RowOp, live: &Set) -> bool {
        if op.aux & FetchBits::DEAD != 0 {
            return false;
        }
        let input = self.state.inputs[(op.aux & FetchBits::INPUT) as usize];
        input.is_some_and(|input| input.in_place) || (0..4).any(|n| live.has(op.dst as usize + n))
    }
}

/// Finds the outputs that are certain to be written when a point ends.
struct Flags<'a> {
    lowered: &'a Lowered,
    /// The held channels, then the own value.
    written: [Written; 17],
}

impl Flags<'_> {
    /// `left` collects the states in which iterations end early; `None` outside loops.
    fn block(&mut self, nodes: &[Node], left: &mut Option<Vec<[Written; 17]>>) {
        for node in nodes {
            match node {
                Node::Run(slots) => {
                    for pc in slots.clone() {
                        self.slot(pc);
                    }
                }
                Node::If { then, otherwise, .. } => {
                    let before = self.written;
                    self.block(then, left);
                    let after = std::mem::replace(&mut self.written, before);
                    self.block(otherwise, left);
                    self.join(&after);
                }
                Node::Loop { body, .. } => {
                    // The first iteration starts from this state, and what is written stays
                    // written. However a point leaves the loop, it has written at least what the
                    // first iteration had written at its first exit, and at most what is written at
                    // any.
                    let mut exits = Some(Vec::new());
                    self.block(body, &mut exits);
                    for exit in exits.unwrap_or_default() {
                        self.join(&exit);
                    }
                }
                Node::Leave { .. } => {
                    if let Some(left) = left {
                        left.push(self.written);
                    }
                }
            }
        }
    }

    fn join(&mut self, other: &[Written; 17]) {
        for (now, other) in self.written.iter_mut().zip(other) {
            *now = now.join(*other);
        }
    }

    fn slot(&mut self, pc: u16) {
        for op in &self.lowered.ops[ops_of(self.lowered, pc)] {
            if op.op != Op::Output {
                continue;
            }
            let number = usize::from(op.aux);
            if op.write != Write::Gated {
                self.written[number] = Written::Always;
            } else if self.written[number] == Written::Never {
                self.written[number] = Written::Maybe;
            }
        }
    }
}
