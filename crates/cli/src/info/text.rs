//! The facts, human-readable.

use super::facts::{File, Info, Literal, Mix, Name, Notes, Register, Written};
use ctm_base::text::numbers::count;
use ctm_jobs::load::Kind;
use ctm_tools::facts::Operations;
use std::fmt::Write;

/// Adds a fact as a line, unless its value is empty.
fn fact(out: &mut String, key: &str, value: &str) {
    if !value.is_empty() {
        let _ = writeln!(out, "{key:<14}{}", super::super::escaped_line(value));
    }
}

/// The programs of one file, one line each.
pub(super) fn list(infos: &[Info]) -> String {
    let mut out = String::new();
    if let Some(first) = infos.first() {
        fact(&mut out, "file", &first.file);
        fact(&mut out, "kind", &first.kind());
    }
    let left_out = match infos.first().map_or(0, |info| info.vertex_programs) {
        0 => String::new(),
        n => format!("; {} left out", count(n as u64, "vertex program", "vertex programs")),
    };
    let count = format!("{}; --index N describes one{left_out}", infos.len());
    fact(&mut out, "programs", &count);
    for info in infos {
        let mut text = format!(
            "instructions {}; textures {}; outputs {}{}",
            info.instructions.text(),
            named(&info.inputs, &[]),
            named(&info.outputs, &[]),
            info.reads_before_writing()
        );
        if !info.errors.is_empty() {
            text += "; not valid";
        }
        if let Some(name) = &info.name {
            text = format!("{name}: {text}");
        }
        fact(&mut out, &format!("  {}", info.index), &text);
    }
    out
}

impl Mix {
    /// The number of instructions of each type.
    fn text(&self) -> String {
        let Mix { alu, out, tex, fc } = self;
        let all = alu + out + tex + fc;
        format!("{all}: {alu} ALU, {out} OUT, {tex} TEX, {fc} FC")
    }
}

impl Info {
    /// The kind of file.
    fn kind(&self) -> String {
        let kind = match self.kind {
            Kind::Asm => "assembly text",
            Kind::Elf => "executable (ELF)",
            Kind::Hex => "hexadecimal listing, registers by default",
            Kind::Bin => "raw binary, registers by default",
            Kind::Ps => "pixel shader (ps_3_0)",
            Kind::Glsl => "fragment shader (GLSL)",
            Kind::Wgsl => "fragment shader or kernel (WGSL)",
            Kind::Mesa => "Mesa log, registers by default",
        };
        format!("{}: {kind}", self.kind.name())
    }

    /// The temporaries that need a value from outside: varyings, in a program for pixels.
    fn reads_before_writing(&self) -> String {
        let temps = self.reads_before_writing.as_deref().unwrap_or_default();
        let list: Vec<String> = temps.iter().map(|n| format!("r{n}")).collect();
        if list.is_empty() {
            String::new()
        } else {
            let what = match self.kind {
                Kind::Mesa => "varyings",
                _ => "reads before writing",
            };
            format!("; {what}: {}", list.join(", "))
        }
    }

    /// One fact per line; facts that do not apply are omitted.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |key: &str, value: String| fact(&mut out, key, &value);
        line("file", self.file.clone());
        line("kind", self.kind());
        line("name", self.name.clone().unwrap_or_default());
        if self.programs > 1 {
            line("program", format!("{} of {}, counted from 0", self.index, self.programs));
        }
        let slots = format!("runs from slot {} to slot {}", self.start, self.end);
        line("instructions", format!("{}; {slots}", self.instructions.text()));
        let Operations { rgb, alpha, tex, fc, .. } = &self.operations;
        for (unit, counts) in [("  RGB", rgb), ("  alpha", alpha), ("  TEX", tex), ("  FC", fc)] {
            let list: Vec<String> = counts.iter().map(|(op, n)| format!("{n} {op}")).collect();
            line(unit, list.join(", "));
        }
        if self.operations.idle > 0 {
            line("  idle", self.operations.idle.to_string());
        }
        if let Some(source) = &self.source {
            for File { path, at_hand, .. } in &source.files {
                let gone = if *at_hand { "" } else { " (changed or not found)" };
                line("source", format!("{path}{gone}"));
            }
            let Written { lines, names, .. } = source;
            let names = count(*names as u64, "name", "names");
            line("  lines", format!("of {lines} instructions; {names} of registers and labels"));
        }
        let inputs = if self.kind == Kind::Mesa { "textures" } else { "inputs" };
        line(inputs, named(&self.inputs, &self.input_names));
        let mut outputs = named(&self.outputs, &self.output_names);
        if self.umrt {
            outputs += ", uncached writes";
        }
        line("outputs", outputs);
        if self.conditional_output {
            line("conditional", "writes its own conditional value".into());
        }
        for (kind, numbers) in [
            ("float", &self.float_constants),
            ("int", &self.int_constants),
            ("bool", &self.bool_constants),
        ] {
            line(&format!("{kind} consts"), ranges(numbers));
        }
        for constant in &self.user_constants {
            let Name { name, kind, number } = constant;
            line("  named", format!("{name} is {} constant {number}", kind.unwrap_or_default()));
        }
        for literal in &self.literals {
            let Literal { kind, number, value, .. } = literal;
            line("  literal", format!("{kind} constant {number} = {value}"));
        }
        let to = self.highest_temporary;
        let relative =
            if self.relative_addressing { ", some addresses relative to aL" } else { "" };
        line("temporaries", format!("0 to {to}{relative}{}", self.reads_before_writing()));
        let flow = &self.flow_control;
        let counted = [
            (flow.jumps, "branch and jump"),
            (flow.loops, "loop"),
            (flow.breaks, "break and continue"),
            (flow.calls, "call"),
            (flow.returns, "return"),
            (self.alu_results, "ALU result written"),
            (self.predicates.written, "predicates written"),
            (self.predicates.read, "predicates read"),
        ];
        let counted: Vec<String> =
            counted.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        line("flow", counted.join(", "));
        let features =
            [(self.kill, "can kill points"), (self.neighbours, "reads neighbours (MDH, MDV)")];
        let features: Vec<_> = features.iter().filter(|(has, _)| *has).map(|f| f.1).collect();
        line("features", features.join(", "));
        for (name, Register { value, meaning }) in &self.registers {
            line("register", format!("{name:<14} {value:#010x}  {meaning}"));
        }
        for (note, text) in self.notes.lines() {
            line("note", format!("{note}: {text}"));
        }
        for (key, texts) in
            [("note", &self.losses), ("warning", &self.warnings), ("error", &self.errors)]
        {
            texts.iter().for_each(|text| line(key, text.clone()));
        }
        out
    }
}

impl Notes {
    /// The notes that are present.
    fn lines(&self) -> Vec<(&'static str, String)> {
        let list = |list: &Option<Vec<u32>>| {
            list.as_ref().map(|list| if list.is_empty() { "none".to_owned() } else { ranges(list) })
        };
        let depth = Some(format!("{:#010x}", self.fg_depth_src)).filter(|_| self.fg_depth_src != 0);
        let flag = |flag: Option<bool>| flag.map(|flag| if flag { "yes" } else { "no" }.to_owned());
        [
            ("inputs", list(&self.inputs)),
            ("outputs", list(&self.outputs)),
            ("conditional output", flag(self.conditional_output)),
            ("float constants", list(&self.float_constants)),
            ("int constants", list(&self.int_constants)),
            ("early program exit", flag(self.early_exit)),
            ("FG_DEPTH_SRC", depth),
        ]
        .into_iter()
        .filter_map(|(name, text)| Some((name, text?)))
        .collect()
    }
}

/// `0, 2-5`.
fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|a, b| a.checked_add(1) == Some(*b));
    let list: Vec<String> = runs
        .map(|run| match run {
            [first, .., last] => format!("{first}-{last}"),
            _ => run.iter().map(u32::to_string).collect(),
        })
        .collect();
    list.join(", ")
}

/// Numbers with their names, if any.
fn named(numbers: &[u32], names: &[Name]) -> String {
    let mut list: Vec<String> = numbers
        .iter()
        .map(|&n| match names.iter().find(|name| name.number == n) {
            Some(name) => format!("{n} {}", name.name),
            None => n.to_string(),
        })
        .collect();
    for name in names.iter().filter(|name| !numbers.contains(&name.number)) {
        list.push(format!("{} {} (not used)", name.number, name.name));
    }
    if list.is_empty() { "none".into() } else { list.join(", ") }
}
