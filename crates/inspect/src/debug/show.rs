//! Texts of a session.

use super::error::DebugError;
use super::expression::Value;
use super::session::Session;
use super::variables;
use ctm_base::text::printable;
use ctm_isa::isa::{LETTERS, OUTPUTS, Place, TEMPORARIES};
use ctm_lang::program::{Image, NameKind};
use ctm_machine::engine::groups::SLOTS;
use ctm_machine::engine::reference::{End, names};
use std::fmt::Write;

impl Session<'_> {
    /// An instruction of the running program: its disassembly, its place in the source, and what the
    /// source calls its registers.
    pub fn line(&self, pc: u32) -> String {
        let mut places = self.image().locations(pc);
        let first = places.next().map(|place| place.to_string());
        let place = places.fold(first, |text, place| Some(format!("{}, {}", text?, place.line)));
        self.instruction(pc, place)
    }

    /// An instruction of the running program: its disassembly, and what the source calls its registers.
    pub fn line_without_place(&self, pc: u32) -> String {
        self.instruction(pc, None)
    }

    fn instruction(&self, pc: u32, place: Option<String>) -> String {
        let (image, program) = (self.image(), &self.launch().launch().program);
        let found = image.words.get(pc as usize).zip(program.instructions().get(pc as usize));
        let Some((words, instruction)) = found else {
            return format!("pc {pc}: no instruction");
        };
        let text = ctm_lang::asm::line(words, image.sharing);
        // Temporaries hold variables of a source only for a while.
        let is_fixed = variables::of(image).is_empty();
        let names = names(image, instruction).into_iter();
        let names = names.filter(|naming| is_fixed || !naming.register.starts_with('r'));
        let names = names.map(|naming| naming.to_string());
        let comments: Vec<String> = place.into_iter().chain(names).collect();
        if comments.is_empty() {
            format!("pc {pc}: {text}")
        } else {
            format!("pc {pc}: {text}   # {}", comments.join(", "))
        }
    }

    /// The place of the session: pass, group, step, point, and the next instruction.
    pub fn place(&self) -> String {
        let position = self.position();
        let (pass, repetition) = self.plan().pass_of(position.launch);
        let repetition = match self.plan().repeat(pass) {
            1 => String::new(),
            n => format!(" repetition {repetition} of {n},"),
        };
        let (i, j) = self.point();
        let next = self.end().unwrap_or_else(|| self.line(self.moment().group.pc()));
        let (group, step) = (position.group, position.step);
        format!("pass {pass},{repetition} group {group}, step {step}, point ({i}, {j}): {next}\n")
    }

    /// The end of the group, if it has ended: by a fault, with the place of it.
    pub fn end(&self) -> Option<String> {
        let moment = self.moment();
        moment.end.map(|end| match end {
            End::Done => "the group has ended".to_string(),
            End::Fault(code) => {
                let fault = moment.faults.get(code);
                let place = fault.map(|fault| format!(": {}", self.image().place(fault.pc)));
                let place = place.unwrap_or_default();
                let meaning = code.meaning_within(self.launch().limits.instructions);
                format!("the group has ended by a fault: {meaning}{place}")
            }
        })
    }

    /// The state of the point that is looked at, each with its name: temporaries that are not 0 or
    /// have a name, outputs held, its own conditional value, predicates, the ALU result and aL.
    pub fn state(&self) -> Vec<(String, Value)> {
        let (moment, slot, image) = (self.moment(), self.slot(), self.image());
        let (group, scope) = (moment.group, self.scope());
        let first = image.sharing.unwrap_or_default().first_clause();
        let mut state = Vec::new();
        for n in 0..TEMPORARIES {
            let bits = group.temp(slot, n);
            let name = scope.called(n);
            if bits != [0; 4] || !name.is_empty() {
                let register = match n.checked_sub(first) {
                    None => format!("r{n}{name}"),
                    Some(clause) => format!("ct{clause}{name}"),
                };
                state.push((register, Value::of_bits(&bits)));
            }
        }
        for n in 0..group.simd().globals.len() {
            state.push((format!("g{n}"), Value::of_bits(&group.global(slot, n as i64))));
        }
        for n in 0..OUTPUTS {
            let written = group.written(slot, n);
            if written != 0 {
                let mask: String =
                    (0..4).filter(|c| written >> c & 1 != 0).map(|c| LETTERS[c]).collect();
                state.push((format!("o{n}.{mask}"), Value::of_bits(&group.output(slot, n))));
            }
        }
        if let Some(bits) = group.own_value(slot) {
            state.push(("w".to_string(), Value::of_bits(&[bits])));
        }
        let predicates = [0, 1, 2, 3].map(|n| group.predicates(slot) >> n & 1);
        state.push(("p".to_string(), Value::of_numbers(predicates)));
        state.push(("alu".to_string(), Value::of_numbers([u8::from(group.alu_result(slot))])));
        state.push(("aL".to_string(), Value::of_numbers([group.al()])));
        if image.sharing.is_some() {
            state.push(("AR.X".to_string(), Value::of_numbers([group.ar_x(slot)])));
        }
        state
    }

    /// The state of the point that is looked at as text.
    pub fn registers(&self) -> String {
        self.state().iter().map(|(name, value)| format!("{name} = {value}\n")).collect()
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

    /// The state of a slot: `#` active, `.` waits in a branch, `-` left the loop or its iteration,
    /// `x` killed, blank: does not run.
    pub fn sign(&self, slot: usize) -> char {
        let group = self.moment().group;
        let has = |mask: u64| mask >> slot & 1 != 0;
        if !has(group.started()) {
            ' '
        } else if !has(group.covered()) {
            'x'
        } else if has(group.active()) {
            '#'
        } else if group.counter(slot).is_some() {
            '.'
        } else {
            '-'
        }
    }

    /// The points of the group by [`Session::sign`], a row of the tile per line. Brackets mark the
    /// point that is looked at.
    pub fn grid(&self) -> String {
        let width = self.moment().group.width();
        let mut text = String::new();
        for slot in 0..SLOTS {
            let (open, close) = if slot == self.slot() { ('[', ']') } else { (' ', ' ') };
            let _ = write!(text, "{open}{}{close}", self.sign(slot));
            if (slot + 1) % width == 0 {
                text.truncate(text.trim_end().len());
                text.push('\n');
            }
        }
        text
    }

    /// The instructions with a breakpoint.
    pub fn breakpoints(&self) -> Vec<u32> {
        self.stops().iter().flat_map(|stop| stop.cause.pcs(self.image())).collect()
    }

    /// The instructions around the next one, which `=>` marks; breakpoints have a `*`.
    pub fn listing(&self, around: u32) -> String {
        let pc = self.moment().group.pc();
        let count = self.image().words.len() as u32;
        let breaks = self.breakpoints();
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

    /// The lines of the source around that of the next instruction, which `=>` marks.
    ///
    /// # Errors
    /// If the source of the instruction is not known, or not at hand.
    pub fn source_lines(&self, around: u32) -> Result<String, DebugError> {
        let pc = self.moment().group.pc();
        let place = self.image().location(pc);
        let place = place.ok_or_else(|| DebugError(format!("pc {pc}: its source is not known")))?;
        let path = printable(&place.file.path);
        let text = place.file.text();
        let text = text.ok_or_else(|| DebugError(format!("{path} is gone or has changed")))?;
        let (first, last) = (place.line.saturating_sub(around), place.line.saturating_add(around));
        let mut shown = String::new();
        for n in first.max(1)..=last {
            let Some(line) = text.line(n) else { break };
            let next = if n == place.line { "=>" } else { "  " };
            let _ = writeln!(shown, "{next} {n:>4} {}", printable(line));
        }
        Ok(shown)
    }
}

/// A place, with what the source calls its register.
pub(super) fn named(image: &Image, place: Place) -> String {
    let name = |kind, n| format!("{place}{}", called(image, kind, n));
    match place {
        Place::Temp(n, _) => name(NameKind::Temp, n),
        Place::Output(n, _) => name(NameKind::Output, n),
        Place::Constant(n, _) => name(NameKind::Float, n),
        Place::Global(..) | Place::Predicate(_) => place.to_string(),
        Place::AluResult => "alu".to_string(),
        Place::Own => "w".to_string(),
        Place::Texel(channel) => format!("channel {} of the fetch", LETTERS[channel]),
    }
}

/// The name of a register in the source, after a space; empty without a name.
pub(super) fn called(image: &Image, kind: NameKind, n: usize) -> String {
    // Temporaries hold variables of a source only for a while.
    let is_fixed = kind != NameKind::Temp || variables::of(image).is_empty();
    let name = u32::try_from(n).ok().and_then(|n| image.name_of(kind, n)).filter(|_| is_fixed);
    let Some(name) = name else { return String::new() };
    // Pixel shaders call other temporaries r1 and so on.
    let number = name.strip_prefix('r').filter(|_| kind == NameKind::Temp);
    if number.is_some_and(|number| number.parse::<u8>().is_ok()) {
        format!(" (the source's {name})")
    } else {
        format!(" {name}")
    }
}
