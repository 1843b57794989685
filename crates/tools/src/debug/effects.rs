//! What an instruction reads and writes of one point.

use ctm_isa::isa::{Access, Body, Place, To};
use ctm_machine::engine::Checked;
use ctm_machine::engine::reference::GroupState;

/// What writes a place: the places that the value comes from, each with its slot. `None` if the
/// instruction at the pc of `group` does not write it.
pub(super) fn sources(
    launch: &Checked<'_>,
    group: &GroupState,
    slot: usize,
    place: Place,
) -> Option<Vec<(usize, Place)>> {
    let accesses = launch.program.accesses();
    let access = accesses.get(group.pc() as usize)?;
    let instruction = &launch.program.instructions()[group.pc() as usize];
    let common = &instruction.common;
    let mut takes_part = group.active() >> slot & 1 != 0 || common.write_inactive;
    let mut texel = None;
    if let Body::Tex(tex) = &instruction.body {
        takes_part &= !tex.ignore_uncovered || group.covered() >> slot & 1 != 0;
        takes_part &= launch.inputs[tex.input as usize].is_some();
        texel = Some(tex.dest_swizzle);
    }
    if !takes_part {
        return None;
    }
    let gate = common.gate(group.predicates(slot));
    let is_written = |gated: bool, channel: usize| !gated || gate >> channel & 1 != 0;
    let write = access.writes.iter().find(|write| {
        is_written(write.gate.is_some(), write.channel) && group.write(slot, write) == Some(place)
    })?;
    let texel = texel.map(|swizzle| Place::Texel(swizzle[write.channel] as usize));
    let mut places: Vec<_> = texel.map(|texel| (slot, texel)).into_iter().collect();
    add_reads(&mut places, group, slot, access, write.channel);
    places.extend(write.gate.map(|bit| (slot, Place::Predicate(bit))));
    Some(places)
}

/// The places that the value of an uncached write comes from: the red of the OUT instruction at the
/// pc of `group`.
pub(super) fn written_by_sending(
    launch: &Checked<'_>,
    group: &GroupState,
    slot: usize,
) -> Vec<(usize, Place)> {
    let accesses = launch.program.accesses();
    let Some(access) = accesses.get(group.pc() as usize) else { return Vec::new() };
    let mut places = Vec::new();
    add_reads(&mut places, group, slot, access, 0);
    let sent = access.writes.iter().find(|write| write.to == To::Uncached);
    places.extend(sent.and_then(|write| write.gate).map(|bit| (slot, Place::Predicate(bit))));
    places
}

/// Adds what a result's channel depends on.
fn add_reads(
    places: &mut Vec<(usize, Place)>,
    group: &GroupState,
    slot: usize,
    access: &Access,
    channel: usize,
) {
    for place in access.reads[channel].iter().filter_map(|read| group.read(slot, read)) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
}
