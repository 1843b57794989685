//! What a session shows, as text.

use super::session::Session;
use crate::engine::groups::SLOTS;
use crate::engine::reference::End;
use crate::isa::{LETTERS, OUTPUTS, TEMPORARIES};
use crate::program::NameKind;
use std::fmt::Write;

impl Session<'_> {
    /// An instruction of the running program: its disassembly and its place in the source.
    pub fn line(&self, pc: u32) -> String {
        let image = self.image();
        let Some(words) = image.words.get(pc as usize) else {
            return format!("pc {pc}: no instruction");
        };
        let text = crate::asm::line(words);
        match image.location(pc) {
            Some(place) => format!("pc {pc}: {text}   # {place}"),
            None => format!("pc {pc}: {text}"),
        }
    }

    /// Where the session is: pass, group, step, point, and the next instruction.
    pub fn place(&self) -> String {
        let position = self.position();
        let (pass, repetition) = self.plan().pass_of(position.launch);
        let repetition = match self.plan().repeat(pass) {
            1 => String::new(),
            n => format!(" repetition {repetition} of {n},"),
        };
        let (i, j) = self.point();
        let next = match self.moment().end {
            Some(end) => ended(end),
            None => self.line(self.moment().group.pc()),
        };
        let (group, step) = (position.group, position.step);
        format!("pass {pass},{repetition} group {group}, step {step}, point ({i}, {j}): {next}\n")
    }

    /// The state of the point that is looked at: what is not 0, and all temporaries with a name.
    pub fn registers(&self) -> String {
        let (moment, slot, image) = (self.moment(), self.slot(), self.image());
        let group = moment.group;
        let mut text = String::new();
        let channels = |bits: [u32; 4]| {
            bits.map(|bits| format!("{} ({bits:08x})", f32::from_bits(bits))).join(", ")
        };
        for n in 0..TEMPORARIES {
            let name = image.name_of(NameKind::Temp, n as u32);
            let bits = group.temp(slot, n);
            if bits != [0; 4] || name.is_some() {
                let name = name.map(|name| format!(" {name}")).unwrap_or_default();
                let _ = writeln!(text, "r{n}{name} = {}", channels(bits));
            }
        }
        for n in 0..OUTPUTS {
            let written = group.written(slot, n);
            if written != 0 {
                let mask: String =
                    (0..4).filter(|c| written >> c & 1 != 0).map(|c| LETTERS[c]).collect();
                let _ = writeln!(text, "o{n}.{mask} = {}", channels(group.output(slot, n)));
            }
        }
        let predicates = group.predicates(slot);
        let bits = [0, 1, 2, 3].map(|n| (predicates >> n & 1).to_string()).join(", ");
        let _ = writeln!(text, "p = {bits}");
        let _ = writeln!(text, "alu = {}", u8::from(group.alu_result(slot)));
        let _ = writeln!(text, "aL = {}", group.al());
        text
    }

    /// The address stack, innermost first, and the loop stack.
    pub fn stacks(&self) -> String {
        let group = self.moment().group;
        let mut text = String::new();
        for pc in group.calls().iter().rev() {
            let _ = writeln!(text, "returns to {}", self.line(*pc));
        }
        for frame in group.frames().iter().rev() {
            let (remaining, al) = (frame.remaining, frame.saved_al);
            let _ = writeln!(
                text,
                "loop: {remaining} left, aL outside {al}, broke out {:016x}, continued {:016x}",
                frame.broken, frame.continued
            );
        }
        if text.is_empty() {
            text.push_str("no call and no loop\n");
        }
        text
    }

    /// The points of the group, a row of the tile per line. `#` active, `.` waits in a branch,
    /// `-` left the loop or its iteration, `x` killed, blank: does not run. Brackets mark the point
    /// that is looked at.
    pub fn grid(&self) -> String {
        let group = self.moment().group;
        let mut text = String::new();
        for slot in 0..SLOTS {
            let has = |mask: u64| mask >> slot & 1 != 0;
            let sign = if !has(group.started()) {
                ' '
            } else if !has(group.covered()) {
                'x'
            } else if has(group.active()) {
                '#'
            } else if group.counter(slot).is_some() {
                '.'
            } else {
                '-'
            };
            let (open, close) = if slot == self.slot() { ('[', ']') } else { (' ', ' ') };
            let _ = write!(text, "{open}{sign}{close}");
            if (slot + 1) % group.width() == 0 {
                text.truncate(text.trim_end().len());
                text.push('\n');
            }
        }
        text
    }

    /// The instructions around the next one, which `=>` marks; breakpoints have a `*`.
    pub fn listing(&self, around: u32) -> String {
        let pc = self.moment().group.pc();
        let count = self.image().words.len() as u32;
        let mut breaks = Vec::new();
        for stop in self.stops() {
            if let super::Cause::At(place) = &stop.cause {
                breaks.extend(place.pcs(self.image()));
            }
        }
        let mut text = String::new();
        for at in pc.saturating_sub(around)..count.min(pc.saturating_add(around + 1)) {
            if let Some(label) = self.image().name_of(NameKind::Label, at) {
                let _ = writeln!(text, "     {label}:");
            }
            let next = if at == pc && self.moment().end.is_none() { "=>" } else { "  " };
            let stop = if breaks.contains(&at) { '*' } else { ' ' };
            let _ = writeln!(text, "{next} {stop} {}", self.line(at));
        }
        text
    }
}

/// How a group ended, as text.
fn ended(end: End) -> String {
    match end {
        End::Done => "the group has ended".to_string(),
        End::Fault(code) => format!("the group has ended by a fault: {}", code.meaning()),
    }
}
