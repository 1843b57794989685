//! `ctm info`.

use super::{Exit, adapters};
use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use ctm::isa::{AddressOp, Body, Instruction, PredSel, TexOp, Type, Usage};
use ctm::load::{self, Kind, Loaded};
use ctm::program::{ConstantKind, Image, NamedSlot, Program, Uses};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// Describe a program: its kind, notes, registers, inputs and outputs, constants, instruction mix,
/// warnings, and errors if it is not valid.
///
/// Reads assembly text, executables (ELF), hexadecimal listings, raw binaries, and the logs of
/// Mesa's RADEON_DEBUG=fp, and tells them by their content. The status is 1 if the program is not
/// valid.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ctm info kernels/saxpy/saxpy.dpp     what a kernel of this repository needs and uses
  ctm info program.elf --json          the same for another program, as JSON
  RADEON_DEBUG=fp ./game 2>fp.log
  ctm info fp.log --index 0            the first program that Mesa compiled for the game
  ctm info dump --kind bin             bare instructions, 24 bytes each, whatever they look like
  ctm info --adapters                  no program: the adapters for engines that run on a GPU")]
pub struct Args {
    /// The program.
    #[arg(required_unless_present = "adapters")]
    file: Option<PathBuf>,
    /// What the file is, instead of telling it by content
    #[arg(long, value_parser = kind_parser())]
    kind: Option<Kind>,
    /// Which program of a file with several, from 0; the last one by default
    #[arg(long, value_name = "N")]
    index: Option<usize>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// List the adapters of this machine instead, and say which one GPU engines take
    #[arg(long, conflicts_with_all = ["file", "kind", "index"])]
    adapters: bool,
}

/// Takes the names of kinds.
pub(super) fn kind_parser() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(Kind::ALL.map(Kind::name))
        .try_map(|name| Kind::from_name(&name).ok_or("not a kind of program file"))
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let Some(file) = &args.file else {
        return adapters::run(args.json);
    };
    let name = file.display().to_string();
    let bytes = std::fs::read(file).with_context(|| name.clone())?;
    let loaded = load::load(&bytes, &name, args.kind, args.index).with_context(|| name.clone())?;
    let info = Info::of(name, loaded, args.index);
    let text = if args.json {
        serde_json::to_string_pretty(&info)? + "\n"
    } else {
        info.text()
    };
    // A reader that has seen enough is no error.
    let _ = std::io::Write::write_all(&mut std::io::stdout().lock(), text.as_bytes());
    Ok(if info.errors.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    })
}

/// Everything that is printed; the JSON object has these names.
#[derive(Serialize)]
struct Info {
    file: String,
    kind: &'static str,
    container: bool,
    programs: usize,
    index: usize,
    instructions: Mix,
    operations: Operations,
    start: u32,
    end: u32,
    umrt: bool,
    inputs: Vec<u32>,
    outputs: Vec<u32>,
    conditional_output: bool,
    float_constants: Vec<u32>,
    int_constants: Vec<u32>,
    bool_constants: Vec<u32>,
    relative_addressing: bool,
    highest_temporary: u8,
    flow_control: FlowControl,
    predicates: Predicates,
    alu_results: u32,
    kill: bool,
    neighbours: bool,
    notes: Notes,
    input_names: Vec<Name>,
    output_names: Vec<Name>,
    user_constants: Vec<Name>,
    literals: Vec<Literal>,
    registers: BTreeMap<&'static str, Register>,
    losses: Vec<String>,
    warnings: Vec<String>,
    errors: Vec<String>,
}

#[derive(Serialize)]
struct Mix {
    alu: u32,
    out: u32,
    tex: u32,
    fc: u32,
}

/// How often each operation occurs, units without effect not counted.
#[derive(Default, Serialize)]
struct Operations {
    rgb: BTreeMap<&'static str, u32>,
    alpha: BTreeMap<&'static str, u32>,
    tex: BTreeMap<&'static str, u32>,
    fc: BTreeMap<&'static str, u32>,
    /// ALU and OUT instructions without any effect.
    idle: u32,
}

#[derive(Default, Serialize)]
struct FlowControl {
    jumps: u32,
    loops: u32,
    breaks: u32,
    calls: u32,
    returns: u32,
}

/// Numbers of instructions that write and that read predicates.
#[derive(Default, Serialize)]
struct Predicates {
    written: u32,
    read: u32,
}

/// What the container says; null where it says nothing.
#[derive(Serialize)]
struct Notes {
    inputs: Option<Vec<u32>>,
    outputs: Option<Vec<u32>>,
    conditional_output: Option<bool>,
    float_constants: Option<Vec<u32>>,
    int_constants: Option<Vec<u32>>,
    early_exit: Option<bool>,
    fg_depth_src: u32,
}

#[derive(Serialize)]
struct Register {
    value: u32,
    meaning: String,
}

#[derive(Serialize)]
struct Name {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    number: u32,
}

#[derive(Serialize)]
struct Literal {
    kind: &'static str,
    number: u32,
    /// The value for people.
    value: String,
    words: [String; 4],
}

impl Info {
    fn of(file: String, loaded: Loaded, index: Option<usize>) -> Info {
        let image = loaded.image;
        let uses = Uses::of_image(&image);
        let instructions: Vec<Instruction> = image.words.iter().map(Instruction::decode).collect();
        let mut info = Info {
            file,
            kind: loaded.kind.name(),
            container: loaded.has_container,
            programs: loaded.programs,
            index: index.unwrap_or(loaded.programs.saturating_sub(1)),
            instructions: {
                let [alu, out, fc, tex] = uses.mix;
                Mix { alu, out, tex, fc }
            },
            operations: Operations::default(),
            start: image.registers.start(),
            end: image.registers.end(),
            umrt: image.umrt,
            inputs: bits(uses.inputs.into()),
            outputs: bits(uses.outputs.into()),
            conditional_output: uses.conditional_output,
            float_constants: (0..uses.float_constants.len() as u32)
                .filter(|&n| uses.float_constants[n as usize])
                .collect(),
            int_constants: bits(uses.int_constants),
            bool_constants: bits(uses.bool_constants),
            relative_addressing: uses.relative,
            highest_temporary: uses.highest_temp,
            flow_control: FlowControl::default(),
            predicates: Predicates::default(),
            alu_results: 0,
            kill: uses.kill,
            neighbours: uses.neighbours,
            notes: Notes {
                inputs: image.inputs.clone(),
                outputs: image.outputs.clone(),
                conditional_output: image.conditional_output,
                float_constants: image.float_constants.clone(),
                int_constants: image.int_constants.clone(),
                early_exit: image.early_exit,
                fg_depth_src: image.fg_depth_src,
            },
            input_names: slots(&image.input_names),
            output_names: slots(&image.output_names),
            user_constants: image
                .user_constants
                .iter()
                .map(|constant| Name {
                    name: constant.name.clone(),
                    kind: Some(kind_name(constant.kind)),
                    number: constant.addr,
                })
                .collect(),
            literals: literals(&image),
            registers: registers(&image),
            losses: loaded.notes,
            warnings: Vec::new(),
            errors: Vec::new(),
        };
        for instruction in &instructions {
            info.count(instruction);
        }
        match Program::new(image) {
            Ok(program) => {
                info.warnings = program.warnings().iter().map(|w| w.to_string()).collect();
            }
            Err(errors) => info.errors = errors.0.iter().map(|e| e.to_string()).collect(),
        }
        info
    }

    fn count(&mut self, instruction: &Instruction) {
        let common = &instruction.common;
        let operations = &mut self.operations;
        let mut reads = common.rgb_pred_sel != PredSel::None;
        match &instruction.body {
            Body::Alu(alu) => {
                let usage = Usage::of(instruction).unwrap_or_default();
                if usage.rgb {
                    *operations.rgb.entry(alu.rgb.op.name()).or_default() += 1;
                }
                if usage.alpha {
                    *operations.alpha.entry(alu.alpha.op.name()).or_default() += 1;
                }
                operations.idle += u32::from(usage.is_idle());
                reads |= common.alpha_pred_sel != PredSel::None;
                let writes = common.class == Type::Alu && common.omask() != 0;
                self.predicates.written += u32::from(writes);
                self.alu_results += u32::from(alu.alu_wmask);
            }
            Body::Tex(tex) => {
                *operations.tex.entry(tex.op.name()).or_default() += 1;
                reads |= common.alpha_pred_sel != PredSel::None;
                reads &= tex.op != TexOp::Nop && tex.op != TexOp::Texkill;
            }
            Body::Fc(fc) => {
                use ctm::isa::FcOp::*;
                *operations.fc.entry(fc.op.name()).or_default() += 1;
                let flow = &mut self.flow_control;
                match (fc.op, fc.a_op) {
                    (Jump, AddressOp::Push) => flow.calls += 1,
                    (Jump, AddressOp::Pop) => flow.returns += 1,
                    (Jump, _) => flow.jumps += 1,
                    (Loop | Rep, _) => flow.loops += 1,
                    (BreakLoop | BreakRep | Continue, _) => flow.breaks += 1,
                    (EndLoop | EndRep, _) => {}
                }
                // The predicate is bit 1 of the truth table's index.
                reads &= (fc.jump_func ^ fc.jump_func >> 2) & 0x33 != 0;
            }
        }
        self.predicates.read += u32::from(reads);
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |key: &str, value: String| {
            if !value.is_empty() {
                let _ = writeln!(out, "{key:<14}{value}");
            }
        };
        line("file", self.file.clone());
        let kind = match self.kind {
            "asm" => "assembly text",
            "elf" => "executable (ELF)",
            "hex" => "hexadecimal listing, registers by default",
            "bin" => "raw binary, registers by default",
            _ => "Mesa log, registers by default",
        };
        line("kind", format!("{}: {kind}", self.kind));
        if self.programs > 1 {
            line(
                "program",
                format!("{} of 0 to {}", self.index, self.programs - 1),
            );
        }
        let mix = &self.instructions;
        line(
            "instructions",
            format!(
                "{}: {} ALU, {} OUT, {} TEX, {} FC; runs from slot {} to slot {}",
                mix.alu + mix.out + mix.tex + mix.fc,
                mix.alu,
                mix.out,
                mix.tex,
                mix.fc,
                self.start,
                self.end
            ),
        );
        for (unit, counts) in [
            ("  RGB", &self.operations.rgb),
            ("  alpha", &self.operations.alpha),
            ("  TEX", &self.operations.tex),
            ("  FC", &self.operations.fc),
        ] {
            let list: Vec<String> = counts.iter().map(|(op, n)| format!("{n} {op}")).collect();
            line(unit, list.join(", "));
        }
        if self.operations.idle > 0 {
            line("  idle", self.operations.idle.to_string());
        }
        line("inputs", named(&self.inputs, &self.input_names));
        let mut outputs = named(&self.outputs, &self.output_names);
        if self.umrt {
            outputs += ", uncached writes";
        }
        line("outputs", outputs);
        line(
            "conditional",
            if self.conditional_output {
                "writes its own conditional value".into()
            } else {
                String::new()
            },
        );
        for (kind, numbers) in [
            ("float", &self.float_constants),
            ("int", &self.int_constants),
            ("bool", &self.bool_constants),
        ] {
            line(&format!("{kind} consts"), ranges(numbers));
        }
        for constant in &self.user_constants {
            line(
                "  named",
                format!(
                    "{} is {} constant {}",
                    constant.name,
                    constant.kind.unwrap_or_default(),
                    constant.number
                ),
            );
        }
        for literal in &self.literals {
            line(
                "  literal",
                format!(
                    "{} constant {} = {}",
                    literal.kind, literal.number, literal.value
                ),
            );
        }
        line(
            "temporaries",
            format!(
                "0 to {}{}",
                self.highest_temporary,
                if self.relative_addressing {
                    ", some addresses relative to aL"
                } else {
                    ""
                }
            ),
        );
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
        let counted: Vec<String> = counted
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, what)| format!("{n} {what}"))
            .collect();
        line("flow", counted.join(", "));
        let mut features = Vec::new();
        if self.kill {
            features.push("can kill points");
        }
        if self.neighbours {
            features.push("reads neighbours (MDH, MDV)");
        }
        line("features", features.join(", "));
        for (name, Register { value, meaning }) in &self.registers {
            line("register", format!("{name:<15}{value:#010x}  {meaning}"));
        }
        for (note, text) in self.notes.lines() {
            line("note", format!("{note}: {text}"));
        }
        for text in &self.losses {
            line("lost", text.clone());
        }
        for text in &self.warnings {
            line("warning", text.clone());
        }
        for text in &self.errors {
            line("error", text.clone());
        }
        out
    }
}

impl Notes {
    /// The notes that there are.
    fn lines(&self) -> Vec<(&'static str, String)> {
        let list = |list: &Option<Vec<u32>>| {
            list.as_ref().map(|list| match list.is_empty() {
                true => "none".to_owned(),
                false => ranges(list),
            })
        };
        let flag = |flag: Option<bool>| flag.map(|flag| if flag { "yes" } else { "no" }.to_owned());
        [
            ("inputs", list(&self.inputs)),
            ("outputs", list(&self.outputs)),
            ("conditional output", flag(self.conditional_output)),
            ("float constants", list(&self.float_constants)),
            ("int constants", list(&self.int_constants)),
            ("early program exit", flag(self.early_exit)),
            (
                "FG_DEPTH_SRC",
                (self.fg_depth_src != 0).then(|| format!("{:#010x}", self.fg_depth_src)),
            ),
        ]
        .into_iter()
        .filter_map(|(name, text)| Some((name, text?)))
        .collect()
    }
}

fn bits(bits: u32) -> Vec<u32> {
    (0..32).filter(|n| bits >> n & 1 != 0).collect()
}

/// `0, 2-5`.
fn ranges(numbers: &[u32]) -> String {
    let mut list: Vec<(u32, u32)> = Vec::new();
    for &n in numbers {
        match list.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(n) => *last = n,
            _ => list.push((n, n)),
        }
    }
    let list: Vec<String> = list
        .into_iter()
        .map(|(first, last)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        })
        .collect();
    list.join(", ")
}

/// Numbers with the names that they have.
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
    match list.is_empty() {
        true => "none".into(),
        false => list.join(", "),
    }
}

fn slots(slots: &[NamedSlot]) -> Vec<Name> {
    slots
        .iter()
        .map(|slot| Name {
            name: slot.name.clone(),
            kind: None,
            number: slot.slot,
        })
        .collect()
}

fn kind_name(kind: ConstantKind) -> &'static str {
    match kind {
        ConstantKind::Float => "float",
        ConstantKind::Int => "int",
        ConstantKind::Bool => "bool",
    }
}

fn literals(image: &Image) -> Vec<Literal> {
    image
        .literals
        .iter()
        .map(|literal| {
            let [a, b, c, _] = literal.value;
            let value = match literal.kind {
                ConstantKind::Float => {
                    let channels = literal.value.map(|bits| match f32::from_bits(bits) {
                        value if value.is_nan() => format!("{bits:#010x}"),
                        value => value.to_string(),
                    });
                    format!("({})", channels.join(", "))
                }
                ConstantKind::Int => format!("count {a}, aL from {b}, step {}", c as i32),
                ConstantKind::Bool => (a != 0).to_string(),
            };
            Literal {
                kind: kind_name(literal.kind),
                number: literal.addr,
                value,
                words: literal.value.map(|word| format!("{word:#010x}")),
            }
        })
        .collect()
}

/// The registers with what they mean.
fn registers(image: &Image) -> BTreeMap<&'static str, Register> {
    let r = &image.registers;
    let low = |value: u32| value & 0x1ff;
    let fc = match r.us_fc_ctrl >> 31 {
        0 => "partial",
        _ => "full",
    };
    let zero = match r.zero_times() {
        true => "0",
        false => "NaN",
    };
    let (start, end) = (low(r.us_code_addr), low(r.us_code_addr >> 16));
    let first = low(r.us_code_range);
    let last = first + low(r.us_code_range >> 16);
    [
        (
            "US_CONFIG",
            r.us_config,
            format!("0 times infinity is {zero}"),
        ),
        (
            "US_PIXSIZE",
            r.us_pixsize,
            format!("temporaries 0 to {}", r.us_pixsize & 0x7f),
        ),
        ("US_FC_CTRL", r.us_fc_ctrl, format!("{fc} flow control")),
        (
            "US_CODE_ADDR",
            r.us_code_addr,
            format!("from {start} to {end}, before the offset is added"),
        ),
        (
            "US_CODE_RANGE",
            r.us_code_range,
            format!("slots {first} to {last}"),
        ),
        (
            "US_CODE_OFFSET",
            r.us_code_offset,
            format!("offset {}", r.offset()),
        ),
        ("US_W_FMT", r.us_w_fmt, "no effect".into()),
    ]
    .into_iter()
    .map(|(name, value, meaning)| (name, Register { value, meaning }))
    .collect()
}
