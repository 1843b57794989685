//! If-conversion by predicates: a predicate gates the instructions of short sides of a branch, which then needs none
//! of its own.

use crate::code::{Code, Does};
use crate::flow::{BlockId, Control};
use crate::schedule::Slot;
use ctm_isa::isa::Comparison;
use ctm_isa::timing::{ALU, FLOW};

/// The role of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An instruction.
    Plain,
    /// An instruction that writes the predicate of a channel instead of the ALU result.
    Test(usize, Comparison),
    /// An instruction for the points whose predicate of a channel is set, or clear.
    Gated {
        /// The channel.
        channel: usize,
        /// It must be clear.
        clear: bool,
    },
    /// No instruction.
    Gone,
}

/// The parts that a group saves for each gated instruction if it skips the sides that none of its points takes: those in
/// one of four cases.
const SKIPPED: u64 = ALU / 4;

/// The roles of all slots.
pub fn roles(slots: &[Slot], code: &Code) -> Vec<Role> {
    let mut roles = vec![Role::Plain; slots.len()];
    for (n, slot) in slots.iter().enumerate() {
        if let Slot::Flow(block) = slot
            && let Control::If(_) = code.ends[*block].end
        {
            short(slots, code, n, *block, &mut roles);
        }
    }
    roles
}

/// Gates the sides of the branch at slot `at`, if they are short.
fn short(slots: &[Slot], code: &Code, at: usize, block: BlockId, roles: &mut [Role]) -> Option<()> {
    let (comparison, fails) = code.ends[block].test?;
    let test = slots[..at].iter().rposition(|slot| tested(slot, code, block).is_some())?;
    let channel = tested(&slots[test], code, block)?;
    let plain = |slot: &Slot| match slot {
        Slot::Alu(packed, _) => packed.members.iter().flatten().all(|member| {
            let operation = &code.operations[member.operation];
            operation.out.is_none() && operation.does != Does::Write
        }),
        Slot::Fetch(..) | Slot::Kill(_) | Slot::Flow(_) => false,
    };
    if !plain(&slots[test]) {
        return None;
    }
    let mut gated: Vec<(usize, Role)> = vec![(at, Role::Gone)];
    let mut clear = fails;
    for (n, slot) in slots.iter().enumerate().skip(at + 1) {
        let end = match slot {
            Slot::Flow(block) => Some(code.ends[*block].end),
            Slot::Alu(..) | Slot::Fetch(..) | Slot::Kill(_) => None,
        };
        match end {
            Some(Control::Else) => clear = !clear,
            Some(Control::EndIf) => {
                gated.push((n, Role::Gone));
                break;
            }
            None if plain(slot) => {
                gated.push((n, Role::Gated { channel, clear }));
                continue;
            }
            _ => return None,
        }
        gated.push((n, Role::Gone));
    }
    let count =
        |gone| gated.iter().filter(|(_, role)| (*role == Role::Gone) == gone).count() as u64;
    if count(false) * SKIPPED > count(true) * FLOW {
        return None;
    }
    roles[test] = Role::Test(channel, comparison);
    for (n, role) in gated {
        roles[n] = role;
    }
    Some(())
}

/// The channel in which an instruction computes the condition of a block.
fn tested(slot: &Slot, code: &Code, block: BlockId) -> Option<usize> {
    let Slot::Alu(packed, _) = slot else { return None };
    packed.members.iter().position(|member| {
        member.is_some_and(|member| {
            let operation = &code.operations[member.operation];
            operation.test && operation.block == block
        })
    })
}
