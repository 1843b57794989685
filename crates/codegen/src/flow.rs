//! The blocks of a program, with structured control flow: a list in the order of the program, each block with the
//! instruction of flow control that ends it. `If`, `Else` and `EndIf`, `Loop` and `EndLoop` are nested like brackets.
//!
//! Values that change across blocks are in variables. A block assigns to variables at its end; a [`Phi`] is the value of a
//! variable at the start of a block. The module knows no registers.

use crate::graph::Id;
use std::collections::HashMap;
use std::rc::Rc;

/// The index of a block.
pub type BlockId = usize;

/// The index of a variable.
pub type VariableId = usize;

/// The end of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// The next block follows.
    Next,
    /// The condition's points enter the next block.
    If(Id),
    /// The first side ends; the next block is the other one.
    Else,
    /// A branch ends.
    EndIf,
    /// The next block is a loop's first; it runs this many times at most.
    Loop(u8),
    /// The condition's points leave the innermost loop.
    Break(Id),
    /// A loop ends.
    EndLoop,
}

impl Control {
    /// The condition that the end tests.
    pub fn condition(self) -> Option<Id> {
        match self {
            Control::If(condition) | Control::Break(condition) => Some(condition),
            Control::Next
            | Control::Else
            | Control::EndIf
            | Control::Loop(_)
            | Control::EndLoop => None,
        }
    }
}

/// A block of straight code.
#[derive(Clone, Debug)]
pub struct Block {
    /// The assignments to variables at the end.
    pub assignments: Vec<(VariableId, Id)>,
    /// Conditions to end the point, each with its offset of the source.
    pub kills: Vec<(Id, u32)>,
    /// Writes to the output of an uncached program, in their order: the value, the column, the row, and the offset of
    /// the source.
    pub writes: Vec<([Id; 3], u32)>,
    /// The end.
    pub end: Control,
    /// Offset of the source of the end.
    pub origin: u32,
}

impl Block {
    /// An empty block.
    pub fn new(end: Control) -> Block {
        Block { assignments: Vec::new(), kills: Vec::new(), writes: Vec::new(), end, origin: 0 }
    }
}

/// The value of a variable at the start of a block. Its sources are the assignments that reach the block.
#[derive(Clone, Copy, Debug)]
pub struct Phi {
    /// The variable.
    pub variable: VariableId,
    /// The block.
    pub block: BlockId,
}

/// A constant array that a loop reads by its induction variables: one number in each iteration, in the order of the
/// iterations. The machine reads it relative to aL, which counts them.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstantArray {
    /// The first block of the loop.
    pub head: BlockId,
    /// The indices: each with the number of its elements, and the scalars of one.
    pub indices: Vec<(Id, usize, usize)>,
    /// Literals and uniforms.
    pub elements: Rc<[Id]>,
    /// The element that the indices 0 select.
    pub first: usize,
    /// The element of each iteration; none before the loop's end is known.
    pub values: Vec<Id>,
}

/// The blocks of a program.
#[derive(Clone, Debug)]
pub struct FlowGraph {
    /// In the order of the program.
    pub blocks: Vec<Block>,
    /// The phis that nodes read.
    pub phis: Vec<Phi>,
    /// The constant arrays that nodes read.
    pub arrays: Vec<ConstantArray>,
    /// The number of variables.
    pub variables: usize,
    /// The offset of the source of the store whose value a block assigns to a variable, if it is known.
    pub stores: HashMap<(BlockId, VariableId), u32>,
    /// Variables that are components of one vector, at most four.
    pub vectors: Vec<Vec<VariableId>>,
}

impl Default for FlowGraph {
    /// One empty block.
    fn default() -> FlowGraph {
        FlowGraph {
            blocks: vec![Block::new(Control::Next)],
            phis: Vec::new(),
            arrays: Vec::new(),
            variables: 0,
            stores: HashMap::new(),
            vectors: Vec::new(),
        }
    }
}

impl FlowGraph {
    /// The number of its parts, a measure of the work of a copy.
    pub fn size(&self) -> usize {
        let assignments =
            self.blocks.iter().map(|block| 1 + block.assignments.len()).sum::<usize>();
        assignments + self.phis.len() + self.arrays.len() + self.vectors.len()
    }
}

/// The control-flow graph of the blocks.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// The blocks that can follow each.
    pub successors: Vec<Vec<BlockId>>,
    /// The nearest block that always runs before; the first block has itself.
    pub dominator: Vec<BlockId>,
    /// The number of dominators.
    pub depth: Vec<usize>,
    /// The number of loops around each.
    pub loops: Vec<usize>,
    /// The number of branches and loops around each.
    pub nesting: Vec<usize>,
    /// The first and the last block of each loop.
    pub ranges: Vec<(BlockId, BlockId)>,
}

/// An open bracket.
enum Open {
    If(BlockId),
    Loop { head: BlockId, breaks: Vec<BlockId> },
}

impl Cfg {
    /// The control-flow graph of blocks.
    pub fn of(blocks: &[Block]) -> Cfg {
        let count = blocks.len();
        let mut successors: Vec<Vec<BlockId>> = vec![Vec::new(); count];
        let (mut loops, mut nesting) = (vec![0; count], vec![0; count]);
        let mut ranges = Vec::new();
        let mut open: Vec<Open> = Vec::new();
        for (n, block) in blocks.iter().enumerate() {
            nesting[n] = open.len();
            loops[n] = open.iter().filter(|open| matches!(open, Open::Loop { .. })).count();
            match block.end {
                Control::Next => {}
                Control::If(_) => open.push(Open::If(n)),
                Control::Else => {
                    if let Some(Open::If(from)) = open.last_mut() {
                        successors[*from].push(n + 1);
                        *from = n;
                    }
                }
                Control::EndIf => {
                    if let Some(Open::If(from)) = open.pop() {
                        successors[from].push(n + 1);
                    }
                }
                Control::Loop(_) => open.push(Open::Loop { head: n + 1, breaks: Vec::new() }),
                Control::Break(_) => {
                    let inner = open.iter_mut().rev().find_map(|open| match open {
                        Open::Loop { breaks, .. } => Some(breaks),
                        Open::If(_) => None,
                    });
                    if let Some(breaks) = inner {
                        breaks.push(n);
                    }
                }
                Control::EndLoop => {
                    if let Some(Open::Loop { head, breaks }) = open.pop() {
                        successors[n].push(head);
                        ranges.push((head, n));
                        for from in breaks {
                            successors[from].push(n + 1);
                        }
                    }
                }
            }
            if block.end != Control::Else {
                successors[n].push(n + 1);
            }
        }
        for list in &mut successors {
            list.retain(|next| *next < count);
        }
        let mut cfg = Cfg {
            successors,
            dominator: vec![0; count],
            depth: vec![0; count],
            loops,
            nesting,
            ranges,
        };
        let mut before: Vec<Vec<BlockId>> = vec![Vec::new(); count];
        for n in 0..count {
            for next in &cfg.successors[n] {
                // A loop's way back does not count: its head dominates it.
                if *next > n {
                    before[*next].push(n);
                }
            }
        }
        for (n, before) in before.iter().enumerate().skip(1) {
            let nearest = before.iter().copied().reduce(|a, b| cfg.common(a, b));
            cfg.dominator[n] = nearest.unwrap_or(n - 1);
            cfg.depth[n] = cfg.depth[cfg.dominator[n]] + 1;
        }
        cfg
    }

    /// The nearest block that dominates both.
    pub fn common(&self, mut a: BlockId, mut b: BlockId) -> BlockId {
        while a != b {
            if self.depth[a] < self.depth[b] {
                std::mem::swap(&mut a, &mut b);
            }
            a = self.dominator[a];
        }
        a
    }

    /// The first block of the innermost loop around a block.
    pub fn innermost(&self, block: BlockId) -> Option<BlockId> {
        // Inner loops end first.
        let around = self.ranges.iter().find(|(head, last)| (*head..=*last).contains(&block));
        around.map(|(head, _)| *head)
    }

    /// The blocks that can run after the ends of `from` before `until` starts.
    pub fn reached(&self, from: impl IntoIterator<Item = BlockId>, until: BlockId) -> Vec<bool> {
        let mut reached = vec![false; self.successors.len()];
        let mut open: Vec<BlockId> = from.into_iter().collect();
        while let Some(block) = open.pop() {
            for next in &self.successors[block] {
                if *next != until && !std::mem::replace(&mut reached[*next], true) {
                    open.push(*next);
                }
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cfg(ends: &[Control]) -> Cfg {
        Cfg::of(&ends.iter().map(|end| Block::new(*end)).collect::<Vec<_>>())
    }

    #[test]
    fn a_branch_in_a_loop() {
        use Control::*;
        // 0 { 1 if 2 break else 3 endif 4 } 5
        let cfg = cfg(&[Loop(9), If(0), Break(0), Else, EndIf, EndLoop, Next]);
        // The break's block is followed by the rest of its side.
        assert_eq!(cfg.successors[1], [2, 4]);
        assert_eq!(cfg.successors[2], [3, 6]);
        assert_eq!(cfg.successors[3], [5]);
        assert_eq!(cfg.successors[5], [1, 6]);
        assert_eq!(cfg.dominator, [0, 0, 1, 2, 1, 1, 1]);
        assert_eq!(cfg.loops, [0, 1, 1, 1, 1, 1, 0]);
        assert_eq!(cfg.nesting, [0, 1, 2, 2, 2, 1, 0]);
        assert_eq!(cfg.ranges, [(1, 5)]);
        assert_eq!(cfg.common(3, 4), 1);
        // From block 3 around the loop, but not past its head.
        assert_eq!(cfg.reached([3], 1), [false, false, false, false, false, true, true]);
        assert_eq!(cfg.reached([4], 6), [false, true, true, true, true, true, false]);
    }
}
