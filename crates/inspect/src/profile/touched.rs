//! The elements of its inputs that each instruction fetched.

use super::Distinct;
use ctm_isa::isa::Body;
use ctm_machine::engine::Checked;
use ctm_machine::memory::{Surface, wrap_coordinate};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The elements that fetches read, per instruction and surface. Surfaces differ if any of their
/// properties does, even if they share bytes.
#[derive(Default)]
pub(super) struct Touched {
    sets: Vec<Set>,
    /// The set of each pc in the current launch; `None` if it does not fetch.
    current: Vec<Option<usize>>,
}

struct Set {
    pc: u32,
    surface: Surface,
    /// One bit for each element, row by row; made by the first fetch.
    bits: OnceLock<Box<[AtomicU64]>>,
}

impl Set {
    fn mark(&self, x: u32, y: u32) {
        let Surface { width, height, .. } = self.surface;
        let words = (u64::from(width) * u64::from(height)).div_ceil(64);
        let bits = self.bits.get_or_init(|| (0..words).map(|_| AtomicU64::new(0)).collect());
        let n = u64::from(y) * u64::from(width) + u64::from(x);
        let (word, bit) = (&bits[(n / 64) as usize], 1 << (n % 64));
        // Most elements are read more than once, and reading is cheaper than writing.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }
}

impl Touched {
    /// Prepares for a launch: its instructions fetch from its inputs.
    pub fn bind(&mut self, launch: &Checked) {
        self.current.clear();
        for (pc, instruction) in (0..).zip(launch.program.instructions()) {
            let set = match &instruction.body {
                Body::Tex(tex) if tex.op.fetches() => {
                    launch.inputs[tex.input as usize].map(|surface| self.set(pc, surface))
                }
                Body::Tex(_) | Body::Alu(_) | Body::Fc(_) => None,
            };
            self.current.push(set);
        }
    }

    fn set(&mut self, pc: u32, surface: Surface) -> usize {
        let found = self.sets.iter().position(|set| (set.pc, set.surface) == (pc, surface));
        found.unwrap_or_else(|| {
            self.sets.push(Set { pc, surface, bits: OnceLock::new() });
            self.sets.len() - 1
        })
    }

    /// Notes a fetch by the instruction at `pc` of the texel that coordinates name, before clamp or
    /// wrap.
    pub fn mark(&self, pc: u32, (x, y): (i32, i32)) {
        let Some(set) = self.current[pc as usize].map(|n| &self.sets[n]) else {
            return;
        };
        let Surface { wrap, width, height, tiling, .. } = set.surface;
        // In the 2x2 mode a fetch reads four elements.
        let size = if tiling.is_2x2() { 2 } else { 1 };
        for dy in 0..size {
            for dx in 0..size {
                let x = wrap_coordinate(wrap, i64::from(x) + dx, width);
                set.mark(x, wrap_coordinate(wrap, i64::from(y) + dy, height));
            }
        }
    }

    /// The different elements that any of these instructions read.
    pub fn distinct(&self, pcs: &[u32]) -> Distinct {
        let of = |set: &&Set| pcs.contains(&set.pc);
        let chosen: Vec<&Set> = self.sets.iter().filter(of).collect();
        let mut sum = Distinct::default();
        for (n, set) in chosen.iter().enumerate() {
            let same = |other: &&&Set| other.surface == set.surface;
            if chosen[..n].iter().any(|other| same(&other)) {
                continue;
            }
            let bits: Vec<_> =
                chosen[n..].iter().filter(same).filter_map(|set| set.bits.get()).collect();
            let words = bits.first().map_or(0, |bits| bits.len());
            let word = |at: usize| {
                bits.iter().fold(0, |word, bits| word | bits[at].load(Ordering::Relaxed))
            };
            let elements = (0..words).map(|at| u64::from(word(at).count_ones())).sum::<u64>();
            sum.elements += elements;
            sum.bytes += elements * u64::from(set.surface.format.bytes_per_element());
        }
        sum
    }
}
