//! Fetches outside their input, which the memory controller clamps to its edge.

use super::Setting;
use super::hits::Hits;
use ctm_isa::isa::Instruction;
use ctm_machine::engine::reference::{Fetched, GroupState};
use ctm_machine::memory::Wrap;

/// What makes two clamped fetches the same mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The fetch.
    pub pc: u32,
    /// The input.
    pub input: usize,
}

/// The first point's fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// The texel that the coordinate names.
    pub meant: (i32, i32),
    /// The texel that was read.
    pub read: (u32, u32),
    /// Columns and rows of the input.
    pub size: (u32, u32),
    /// Whether the fetch gathers four texels.
    pub gathers: bool,
}

/// The check.
pub struct Clamped<'a> {
    setting: &'a Setting<'a>,
    /// The running fetch discards what it reads, in slots whose predicates say so.
    gate: Option<(ctm_isa::isa::Common, u8)>,
    pub hits: Hits<Key, Detail>,
}

impl<'a> Clamped<'a> {
    /// The check of a launch; `None` if no fetch can be clamped.
    pub fn new(setting: &'a Setting<'a>) -> Option<Clamped<'a>> {
        let launch = setting.launch;
        let clamps = (0..launch.inputs.len()).any(|n| {
            let used = launch.program.uses().inputs >> n & 1 != 0;
            used && launch.inputs[n].is_some_and(|surface| surface.wrap == Wrap::Clamp)
        });
        clamps.then(|| Clamped { setting, gate: None, hits: Hits::new(setting.number) })
    }

    pub fn before(&mut self, instruction: &Instruction) {
        let common = instruction.common;
        let gated = common.gates().iter().any(Option::is_some);
        self.gate = gated.then_some((common, common.wmask));
    }

    pub fn load(&mut self, group: &GroupState, slot: usize, fetch: &Fetched) {
        let Some(surface) = self.setting.launch.inputs[fetch.input] else {
            return;
        };
        let gathers = surface.tiling.is_2x2();
        let beyond = |meant: i32, size: u32| i64::from(meant) + 1 >= i64::from(size);
        let clamped = fetch.is_clamped()
            || gathers
                && surface.wrap == Wrap::Clamp
                && (beyond(fetch.meant.0, surface.width) || beyond(fetch.meant.1, surface.height));
        if !clamped || group.covered() >> slot & 1 == 0 {
            return;
        }
        if let Some((common, wmask)) = &self.gate
            && common.gate(group.predicates(slot)) & wmask == 0
        {
            return;
        }
        let detail = Detail {
            meant: fetch.meant,
            read: fetch.read,
            size: (surface.width, surface.height),
            gathers,
        };
        let key = Key { pc: group.pc(), input: fetch.input };
        self.hits.add(group, 1 << slot, key, 0, |_| detail);
    }
}
