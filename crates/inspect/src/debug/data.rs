//! The data around a group, as text: surfaces, constants, memory, and values over its points.

use super::error::DebugError;
use super::expression::{Expression, Scope, Value};
use super::session::Session;
use super::show::called;
use ctm_lang::program::{ConstantKind, NameKind};
use ctm_machine::engine::groups::SLOTS;
use ctm_machine::launch::Condition;
use ctm_machine::memory::{self, Surface};
use std::fmt::Write;

/// The most words that one command shows.
const WORDS: u64 = 1024;

impl Session<'_> {
    /// The surfaces that are bound, one per line, and the conditional operation if it reads or writes
    /// its buffer.
    pub fn surfaces(&self) -> String {
        let launch = self.launch();
        let described = |surface: &Surface| {
            let Surface { base, pitch, width, height, tiling, format, .. } = *surface;
            format!("{width} x {height}, {format}, {tiling}, pitch {pitch}, at {base:08x}\n")
        };
        let line = |letter: char, kind: NameKind, n: usize, surface: &Surface| {
            let name = called(self.image(), kind, n);
            format!("{letter}{n}{name}: {}", described(surface))
        };
        let mut text = String::new();
        for (n, surface) in launch.inputs.iter().enumerate() {
            text.extend(surface.as_ref().map(|s| line('i', NameKind::Input, n, s)));
        }
        for (n, surface) in launch.outputs.iter().enumerate() {
            text.extend(surface.as_ref().map(|s| line('o', NameKind::Output, n, s)));
        }
        if let Some(buffer) = launch.condition.touched() {
            let Condition { test, location, value, .. } = launch.condition;
            let _ = writeln!(text, "condition: {test} at {location}, value {value:08x}");
            text += &format!("conditional buffer: {}", described(&buffer));
        }
        if text.is_empty() {
            text.push_str("no surface is bound\n");
        }
        text
    }

    /// The constants that the program reads, one per line.
    pub fn constants(&self) -> String {
        let launch = self.launch();
        let (uses, values) = (launch.program.uses(), &launch.constants);
        let mut text = String::new();
        for kind in [ConstantKind::Float, ConstantKind::Int, ConstantKind::Bool] {
            for n in uses.constants(kind) {
                let (letter, value) = match kind {
                    ConstantKind::Float => {
                        ('c', Value::of_bits(&values.float[n as usize]).to_string())
                    }
                    ConstantKind::Int => {
                        let int = &values.int[n as usize];
                        let (count, start, step) = (int.count, int.start, int.step);
                        ('n', format!("count {count}, start {start}, step {step}"))
                    }
                    ConstantKind::Bool => ('b', (values.bool >> n & 1).to_string()),
                };
                let name = called(self.image(), kind.into(), n as usize);
                let _ = writeln!(text, "{letter}{n}{name} = {value}");
            }
        }
        if text.is_empty() {
            text.push_str("the program reads no constant\n");
        }
        text
    }

    /// Words of memory from an address, four per line, with their values as floats.
    ///
    /// # Errors
    /// If one of them is in no arena.
    pub fn words(&self, address: u32, count: u64) -> Result<String, DebugError> {
        let memory = self.memory();
        let mut text = String::new();
        let mut at = u64::from(address) & !3;
        let mut left = count.min(WORDS);
        while left > 0 {
            let mut bits = Vec::new();
            for n in 0..left.min(4) {
                let word = u32::try_from(at + 4 * n).ok().and_then(|at| memory.read_u32(at));
                bits.push(word.ok_or_else(|| {
                    let arenas = memory.arenas().iter().filter(|arena| arena.size > 0);
                    let ranges = arenas.map(|arena| {
                        let last = u64::from(arena.base) + arena.size - 1;
                        format!("{} is {:08x} to {last:08x}", arena.kind, arena.base)
                    });
                    let ranges: Vec<String> = ranges.collect();
                    DebugError(format!("{:08x} is in no arena: {}", at + 4 * n, ranges.join(", ")))
                })?);
            }
            let words: Vec<String> = bits.iter().map(|word| format!("{word:08x}")).collect();
            let values: Vec<String> =
                bits.iter().map(|&word| f32::from_bits(word).to_string()).collect();
            let _ = writeln!(text, "{at:08x}: {:<36} {}", words.join(" "), values.join(" "));
            at += 16;
            left -= bits.len() as u64;
        }
        Ok(text)
    }

    /// The value of an expression at each point of the group, a row of the tile per line. `-`: the
    /// point does not run, or the expression has no value there.
    pub fn lanes(&self, expression: &Expression) -> String {
        let group = self.moment().group;
        let value = |slot: usize| {
            if group.started() >> slot & 1 == 0 {
                return "-".to_string();
            }
            let scope = Scope { slot, ..self.scope() };
            match expression.evaluate(&scope) {
                Ok(Value(lanes)) => {
                    let numbers: Vec<String> = lanes.iter().map(|lane| lane.to_string()).collect();
                    numbers.join(",")
                }
                Err(_) => "-".to_string(),
            }
        };
        let values: Vec<String> = (0..SLOTS).map(value).collect();
        // Of a variable of many components a value can be longer than what text is padded to.
        let width = values.iter().map(String::len).max().unwrap_or_default().min(1000);
        let mut text = String::new();
        for row in values.chunks(group.width()) {
            let row: Vec<String> = row.iter().map(|value| format!("{value:>width$}")).collect();
            let _ = writeln!(text, "{}", row.join(" "));
        }
        text
    }

    /// An element of an output as far as it is known here: what a point of the group holds for it,
    /// else memory. `None` outside the output.
    pub fn element(&self, output: usize, column: u32, row: u32) -> Option<[u32; 4]> {
        let surface = self.launch().outputs.get(output)?.as_ref()?;
        if column >= surface.width || row >= surface.height {
            return None;
        }
        let mut channels = memory::load(self.memory(), surface, column, row).channels;
        let group = self.moment().group;
        if let Some(slot) = group.covered_slot((column, row)) {
            let held = group.output(slot, output);
            for (n, channel) in channels.iter_mut().enumerate() {
                if group.written(slot, output) >> n & 1 != 0 {
                    *channel = held[n];
                }
            }
        }
        Some(channels)
    }
}
