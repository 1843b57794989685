//! AMD's assembly as RADV prints it: basic blocks, what may follow each, and counts of instructions.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// How many instructions of each kind there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Vector arithmetic.
    pub valu: u32,
    /// Scalar arithmetic.
    pub salu: u32,
    /// Scalar loads.
    pub smem: u32,
    /// Accesses of buffers and of scratch.
    pub vmem: u32,
    /// Accesses of workgroup memory.
    pub lds: u32,
    /// Branches.
    pub branches: u32,
}

impl Counts {
    /// Counts an instruction. Waits, hints and barriers are no work.
    fn add(&mut self, op: &str) {
        let starts = |names: &[&str]| names.iter().any(|name| op.starts_with(name));
        let count = if starts(&["s_load", "s_buffer_load", "s_scratch_load"]) {
            &mut self.smem
        } else if starts(&["s_cbranch", "s_branch", "s_endpgm"]) {
            &mut self.branches
        } else if starts(&[
            "s_wait",
            "s_delay",
            "s_nop",
            "s_clause",
            "s_inst_prefetch",
            "s_barrier",
        ]) {
            return;
        } else if starts(&["s_"]) {
            &mut self.salu
        } else if starts(&["v_"]) {
            &mut self.valu
        } else if starts(&["ds_"]) {
            &mut self.lds
        } else if starts(&["buffer_", "tbuffer_", "global_", "flat_", "scratch_"]) {
            &mut self.vmem
        } else {
            return;
        };
        *count += 1;
    }
}

/// A basic block.
#[derive(Debug)]
pub struct Block {
    /// Its instructions.
    pub lines: Vec<String>,
    /// The label before it, if there is one.
    label: Option<String>,
    /// The numbers of the blocks that may follow.
    pub next: Vec<usize>,
}

/// The instructions that end a block.
const ENDS: [&str; 3] = ["s_branch", "s_cbranch", "s_endpgm"];

/// The requirements on a path: a block with numbers of instructions within bounds, and one that it looks for
/// by the beginnings of their names.
pub type Need<'n> = &'n [(&'n str, std::ops::RangeInclusive<usize>)];

/// A shader as a graph of blocks.
#[derive(Debug)]
pub struct Graph {
    /// The blocks, in the order of the text.
    pub blocks: Vec<Block>,
}

impl Graph {
    /// Reads a text: labels end with a colon, comments begin with a semicolon. An instruction that comes
    /// several times in a row is there once, and a remark after it says how often.
    pub fn read(text: &str) -> Graph {
        let mut blocks: Vec<Block> = Vec::new();
        let mut ended = true;
        for line in text.lines() {
            let line = line.split(';').next().unwrap_or_default().trim();
            let label = line.strip_suffix(':').filter(|label| !label.contains(' '));
            if line.is_empty() {
                continue;
            }
            if let Some(rest) = line.strip_prefix("(then repeated ") {
                let times = rest.split(' ').next().and_then(|times| times.parse().ok());
                let lines = blocks.last_mut().map(|block| &mut block.lines);
                if let (Some(times), Some(lines)) = (times, lines)
                    && let Some(last) = lines.last().cloned()
                {
                    lines.extend(std::iter::repeat_n(last, times));
                }
                continue;
            }
            if ended || label.is_some() {
                blocks.push(Block { lines: vec![], label: label.map(String::from), next: vec![] });
            }
            ended = ENDS.iter().any(|op| line.starts_with(op));
            if let (None, Some(block)) = (label, blocks.last_mut()) {
                block.lines.push(line.to_string());
            }
        }
        let labels: HashMap<String, usize> =
            blocks.iter().enumerate().filter_map(|(n, b)| Some((b.label.clone()?, n))).collect();
        let count = blocks.len();
        for (n, block) in blocks.iter_mut().enumerate() {
            let last = block.lines.last().map_or("", String::as_str);
            let mut words = last.split_whitespace();
            let op = words.next().unwrap_or_default();
            let target = words.next_back().and_then(|label| labels.get(label));
            if op.starts_with("s_branch") || op.starts_with("s_cbranch") {
                block.next.extend(target);
            }
            if op != "s_branch" && op != "s_endpgm" && n + 1 < count {
                block.next.push(n + 1);
            }
        }
        Graph { blocks }
    }

    /// The instructions of some blocks.
    pub fn counts(&self, blocks: impl IntoIterator<Item = usize>) -> Counts {
        let mut counts = Counts::default();
        for line in blocks.into_iter().flat_map(|n| &self.blocks[n].lines) {
            counts.add(line.split_whitespace().next().unwrap_or_default());
        }
        counts
    }

    /// Whether a block has what a path needs.
    fn has(&self, block: usize, need: Need<'_>) -> bool {
        need.iter().all(|(op, range)| {
            let lines = self.blocks[block].lines.iter();
            range.contains(&lines.filter(|line| line.starts_with(op)).count())
        })
    }

    /// The shortest cycle, in instructions, that passes blocks with all needs.
    pub fn cycle(&self, needs: &[Need<'_>]) -> Option<Vec<usize>> {
        let met = |block: usize| {
            let met = needs.iter().enumerate().filter(|(_, need)| self.has(block, need));
            met.fold(0usize, |bits, (n, _)| bits | 1 << n)
        };
        let met: Vec<usize> = (0..self.blocks.len()).map(met).collect();
        let all = (1 << needs.len()) - 1;
        let starts = (0..self.blocks.len()).filter(|&block| met[block] & 1 != 0);
        let cycles = starts.filter_map(|start| self.shortest(start, &met, all));
        cycles.min_by_key(|(length, _)| *length).map(|(_, blocks)| blocks)
    }

    /// The shortest way from a block back to it that meets `all`, and its length.
    fn shortest(&self, start: usize, met: &[usize], all: usize) -> Option<(usize, Vec<usize>)> {
        let mut from = HashMap::new();
        let mut open = BinaryHeap::from([Reverse((0, (start, 0), None))]);
        while let Some(Reverse((length, state, before))) = open.pop() {
            if before.is_some() {
                if from.contains_key(&state) {
                    continue;
                }
                from.insert(state, before);
            }
            let (block, bits) = state;
            if before.is_some() && block == start && bits == all {
                let mut blocks = vec![];
                let mut at = Some(state);
                while let Some(state) = at {
                    blocks.push(state.0);
                    at = from.get(&state).copied().flatten().filter(|at| *at != (start, 0));
                }
                blocks.reverse();
                return Some((length, blocks));
            }
            for &next in &self.blocks[block].next {
                let length = length + self.blocks[next].lines.len();
                open.push(Reverse((length, (next, bits | met[next]), Some(state))));
            }
        }
        None
    }
}
