//! The choice of operations that share an instruction, of their lanes, and of the channels of their
//! results.

use super::{MAX_READ, MAX_TRIED, Scheduler, distinct};
use crate::code::{Does, ValueId};
use crate::pack::{Packed, Packer};
use arrayvec::ArrayVec;
use ctm_isa::isa::{ALPHA, AluOp, RGB, TEMPORARIES, channels};

/// The write of a result: its operation, register and channel.
type Write = (usize, usize, usize);

impl Scheduler<'_> {
    /// Lanes for an operation, best first.
    fn lanes(&self, n: usize, packed: &Packed, unit: Option<usize>) -> ArrayVec<u8, 5> {
        let operation = &self.code.operations[n];
        if let Some((_, mask)) = operation.out {
            return ArrayVec::from_iter([mask]);
        }
        if operation.does == Does::Write {
            return ArrayVec::from_iter([15]);
        }
        if let Some((_, channel)) = self.fixed(n) {
            return ArrayVec::from_iter([1 << channel]);
        }
        if operation.test {
            // The condition is the red or the alpha channel.
            let alpha = matches!(operation.does, Does::Lane(op) if op.is_transcendental());
            let lanes: &[u8] = if alpha { &[8] } else { &[8, 1] };
            return lanes.iter().copied().collect();
        }
        let place = self.group(n).map(|(_, place)| place);
        let transcendental = matches!(operation.does, Does::Lane(op) if op.is_transcendental());
        let mut lanes: ArrayVec<u8, 5> = ArrayVec::new();
        let rgb = unit != Some(ALPHA);
        // The alpha channel of the group's register may be taken.
        let taken = self.group(n).is_some_and(|(group, _)| {
            let home =
                self.registers[group].map(|register| self.register_file[register as usize][3]);
            self.strategy.affinity && home.is_some_and(|held| held.is_some())
        });
        let alpha = unit != Some(RGB) && !taken;
        if let Some(place) = place.filter(|place| if *place < 3 { rgb } else { alpha }) {
            lanes.push(1 << place);
        }
        if let Does::Lane(AluOp::Mdh | AluOp::Mdv) = operation.does {
            let place = operation.reads().next().and_then(|value| self.places[value]);
            return place.map(|(_, channel)| 1 << channel).into_iter().collect();
        }
        if transcendental {
            // Through the RGB unit if others of the group are there.
            let grouped =
                self.group(n).is_some_and(|(group, _)| self.code.groups[group].members > 1);
            let through = grouped && unit == Some(RGB);
            if !through {
                lanes = ArrayVec::from_iter([8]);
            } else {
                lanes.retain(|lane| *lane != 8);
                lanes.extend([1, 2, 4]);
            }
            return lanes;
        }
        if rgb {
            lanes.extend([1, 2, 4]);
        }
        if alpha {
            lanes.push(8);
        }
        let mut seen = 0;
        lanes.retain(|lane| {
            let new = seen & *lane == 0 && packed.results & *lane == 0;
            seen |= *lane;
            new
        });
        lanes
    }

    /// Fills an instruction around an operation.
    pub(super) fn form(
        &self,
        packer: &Packer<'_>,
        lead: usize,
        unit: usize,
        ready: &[usize],
    ) -> Option<(Packed, [u8; 2])> {
        let (mut packed, mut dest) = self.join(packer, &Packed::default(), lead, Some(unit))?;
        let group = self.group(lead).map(|(group, _)| group);
        let mates = ready
            .iter()
            .filter(|n| group.is_some() && self.group(**n).map(|(group, _)| group) == group);
        let rest = ready
            .iter()
            .filter(|n| group.is_none() || self.group(**n).map(|(group, _)| group) != group);
        for n in mates.chain(rest).filter(|n| **n != lead).take(MAX_TRIED) {
            if packed.results == 15 {
                break;
            }
            if let Some((next, places)) = self.join(packer, &packed, *n, None) {
                (packed, dest) = (next, places);
            }
        }
        Some((packed, dest))
    }

    /// Adds an operation in the best lane that has a register.
    fn join(
        &self,
        packer: &Packer<'_>,
        packed: &Packed,
        n: usize,
        unit: Option<usize>,
    ) -> Option<(Packed, [u8; 2])> {
        // An instruction writes one output in each unit.
        if let Some((slot, mask)) = self.code.operations[n].out {
            for member in Self::members(packed) {
                if let Some((other, others)) = self.code.operations[member].out {
                    let shared =
                        mask & 7 != 0 && others & 7 != 0 || mask & 8 != 0 && others & 8 != 0;
                    if shared && other != slot {
                        return None;
                    }
                }
            }
        }
        for lanes in self.lanes(n, packed, unit) {
            if let Some(next) = packer.add(packed, n, lanes)
                && let Some(dest) = self.destinations(&next)
            {
                return Some((next, dest));
            }
        }
        None
    }

    /// Registers for the results of both units.
    fn destinations(&self, packed: &Packed) -> Option<[u8; 2]> {
        let members = Self::members(packed);
        // Reads by these operations come before the writes.
        let mut read: ArrayVec<ValueId, { 4 * MAX_READ }> = ArrayVec::new();
        for member in &members {
            read.extend(distinct(&self.code.operations[*member]));
        }
        read.sort_unstable();
        let last: ArrayVec<ValueId, { 4 * MAX_READ }> = read
            .chunk_by(|a, b| a == b)
            .filter(|readers| readers.len() >= self.remaining_uses[readers[0]])
            .map(|readers| readers[0])
            .collect();
        let free = |register: usize, channel: usize| {
            self.register_file[register][channel].is_none_or(|value| last.contains(&value))
        };
        // Registers above are all free.
        let used =
            self.register_file.iter().rposition(|register| register.iter().any(Option::is_some));
        let some = (used.map_or(0, |used| used + 1) + 3).min(TEMPORARIES);
        let mut dest = [0u8; 2];
        let mut placed: ArrayVec<(usize, u8), 4> = ArrayVec::new();
        let mut writes: ArrayVec<Write, 4> = ArrayVec::new();
        for unit in [RGB, ALPHA] {
            let mut wanted: ArrayVec<(usize, usize), 3> = ArrayVec::new();
            for channel in channels(packed.results & if unit == RGB { 7 } else { 8 }) {
                let Some(member) = packed.members[channel] else { continue };
                let needed = self.result(member.operation).is_some_and(|value| {
                    self.remaining_uses[value] > 0 || self.places[value].is_some()
                });
                if needed {
                    wanted.push((channel, member.operation));
                }
            }
            if wanted.is_empty() {
                continue;
            }
            let mut fixed =
                wanted.iter().map(|(_, n)| self.fixed(*n).map(|(register, _)| register));
            if fixed.clone().any(|register| register.is_some()) {
                // All go into the register of their variables.
                let first = fixed.next().flatten();
                let register = first.filter(|_| fixed.all(|place| place == first))?;
                dest[unit] = register;
                continue;
            }
            let home = |group: usize| {
                self.registers[group].or_else(|| {
                    placed.iter().find(|(other, _)| *other == group).map(|(_, register)| *register)
                })
            };
            let mut strict = None;
            let mut likely: ArrayVec<u8, 3> = ArrayVec::new();
            let mut room = 0;
            for (_, n) in &wanted {
                let Some((group, _)) = self.group(*n) else { continue };
                if self.code.groups[group].strict {
                    match strict {
                        Some(other) if other != group => return None,
                        _ => strict = Some(group),
                    }
                }
                match home(group) {
                    Some(register) if self.code.groups[group].strict => likely.insert(0, register),
                    Some(register) => likely.push(register),
                    None => room = room.max(self.unplaced[group] as usize),
                }
            }
            let fits = |register: usize| wanted.iter().all(|(channel, _)| free(register, *channel));
            let fixed = strict.and_then(home);
            let found = match fixed {
                Some(register) => Some(register as usize).filter(|register| fits(*register)),
                None => {
                    let spacious = |register: &usize| {
                        room == 0
                            || (0..4).filter(|channel| free(*register, *channel)).count() >= room
                    };
                    let grouped =
                        likely.iter().map(|register| *register as usize).find(|register| {
                            fits(*register) && (strict.is_none() || spacious(register))
                        });
                    // A group starts in an empty register; others use up what is open.
                    let fullness = |register: &usize| {
                        (0..4).filter(|channel| free(*register, *channel)).count()
                    };
                    let starts = |register: &usize| {
                        let here = |(group, other): &(usize, u8)| {
                            usize::from(*other) == *register && self.code.groups[*group].strict
                        };
                        placed.iter().any(here)
                    };
                    let open = (0..some).filter(|register| {
                        !self.reserved(*register)
                            && fits(*register)
                            && spacious(register)
                            && !starts(register)
                    });
                    let fresh = || {
                        if room > 0 {
                            open.max_by_key(|register| (fullness(register), TEMPORARIES - register))
                        } else {
                            open.min_by_key(|register| (fullness(register), *register))
                        }
                    };
                    grouped.or_else(fresh).or_else(|| {
                        (0..TEMPORARIES).find(|register| {
                            fits(*register) && (strict.is_none() || spacious(register))
                        })
                    })
                }
            };
            let register = found? as u8;
            dest[unit] = register;
            writes.extend(wanted.iter().map(|(channel, n)| (*n, usize::from(register), *channel)));
            placed.extend(wanted.iter().filter_map(|(_, n)| Some((self.group(*n)?.0, register))));
        }
        self.leaves_room(&writes, free).then_some(dest)
    }

    /// Whether an instruction's writes leave room for all members of groups that must be in one register.
    fn leaves_room(&self, writes: &[Write], free: impl Fn(usize, usize) -> bool) -> bool {
        let mut starts: ArrayVec<usize, 4> = ArrayVec::new();
        writes.iter().all(|(_, register, _)| {
            let here = writes.iter().filter(|(_, other, _)| other == register);
            let mut rooms = self.strict_reservations[*register];
            starts.clear();
            for (n, ..) in here.clone() {
                let group = self.group(*n).map(|(group, _)| group);
                let Some(group) = group.filter(|group| self.code.groups[*group].strict) else {
                    continue;
                };
                if self.registers[group].is_none() && !starts.contains(&group) {
                    starts.push(group);
                    rooms += usize::from(self.unplaced[group]);
                }
                rooms = rooms.saturating_sub(1);
            }
            let written = |channel: usize| here.clone().any(|(.., other)| *other == channel);
            rooms
                <= (0..4).filter(|channel| free(*register, *channel) && !written(*channel)).count()
        })
    }
}
