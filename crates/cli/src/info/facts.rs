//! The facts about a program.

use crate::sampled::varyings;
use ctm_engine::Stop;
use ctm_jobs::load::{Kind, Loaded, Note};
use ctm_lang::program::{ConstantKind, Image, NamedSlot, Program, Sharing, SourceFile, SourceMap};
use ctm_tools::facts::{Facts, FlowControl, Operations, Predicates};
use serde::Serialize;
use std::collections::BTreeMap;

/// Everything to print; the JSON object has these names.
#[derive(Serialize)]
pub(super) struct Info {
    pub(super) file: String,
    #[serde(serialize_with = "word")]
    pub(super) kind: Kind,
    pub(super) container: bool,
    pub(super) programs: usize,
    pub(super) index: usize,
    /// The name of the shader, if a log has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    #[serde(skip)]
    pub(super) vertex_programs: usize,
    pub(super) instructions: Mix,
    pub(super) operations: Operations,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) umrt: bool,
    pub(super) inputs: Vec<u32>,
    pub(super) outputs: Vec<u32>,
    pub(super) conditional_output: bool,
    pub(super) float_constants: Vec<u32>,
    pub(super) int_constants: Vec<u32>,
    pub(super) bool_constants: Vec<u32>,
    pub(super) relative_addressing: bool,
    pub(super) highest_temporary: u8,
    /// Null if the program is not valid.
    pub(super) reads_before_writing: Option<Vec<u8>>,
    pub(super) flow_control: FlowControl,
    pub(super) predicates: Predicates,
    pub(super) alu_results: u32,
    pub(super) kill: bool,
    pub(super) neighbours: bool,
    pub(super) notes: Notes,
    pub(super) input_names: Vec<Name>,
    pub(super) output_names: Vec<Name>,
    pub(super) user_constants: Vec<Name>,
    pub(super) literals: Vec<Literal>,
    pub(super) registers: BTreeMap<&'static str, Register>,
    /// The source of the program; null if that is not known.
    pub(super) source: Option<Written>,
    pub(super) losses: Vec<String>,
    pub(super) warnings: Vec<String>,
    pub(super) errors: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct Mix {
    pub(super) alu: u32,
    pub(super) out: u32,
    pub(super) tex: u32,
    pub(super) fc: u32,
}

/// The notes of the container; null if it has none.
#[derive(Serialize)]
pub(super) struct Notes {
    pub(super) inputs: Option<Vec<u32>>,
    pub(super) outputs: Option<Vec<u32>>,
    pub(super) conditional_output: Option<bool>,
    pub(super) float_constants: Option<Vec<u32>>,
    pub(super) int_constants: Option<Vec<u32>>,
    pub(super) early_exit: Option<bool>,
    pub(super) fg_depth_src: u32,
}

#[derive(Serialize)]
pub(super) struct Register {
    pub(super) value: u32,
    pub(super) meaning: String,
}

#[derive(Serialize)]
pub(super) struct Name {
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<&'static str>,
    pub(super) number: u32,
}

impl Name {
    fn new(name: &str, kind: Option<&'static str>, number: u32) -> Name {
        Name { name: name.into(), kind, number }
    }
}

/// The source of a program.
#[derive(Serialize)]
pub(super) struct Written {
    pub(super) files: Vec<File>,
    /// The number of instructions whose statement is known.
    pub(super) lines: usize,
    /// Names of registers and labels.
    pub(super) names: usize,
}

#[derive(Serialize)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) md5: String,
    /// Whether the text is at hand, unchanged.
    pub(super) at_hand: bool,
}

impl Written {
    fn of(map: &SourceMap, image: &Image) -> Written {
        let file = |file: &SourceFile| File {
            path: file.path.clone(),
            md5: file.hash.iter().map(|byte| format!("{byte:02x}")).collect(),
            at_hand: file.text().is_some(),
        };
        Written {
            files: map.files.iter().map(file).collect(),
            lines: map.lines.len(),
            names: map.names.len()
                + image.user_constants.len()
                + image.input_names.len()
                + image.output_names.len(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Literal {
    pub(super) kind: &'static str,
    pub(super) number: u32,
    /// The value, human-readable.
    pub(super) value: String,
    pub(super) words: [String; 4],
}

impl Info {
    /// The facts about a loaded program.
    pub(super) fn of(file: String, loaded: Loaded) -> Info {
        let image = loaded.image;
        let facts = Facts::of(&image);
        let uses = &facts.uses;
        let [alu, out, fc, tex] = uses.mix;
        let mut info = Info {
            file,
            kind: loaded.kind,
            container: loaded.kind.has_container(),
            programs: loaded.programs,
            index: loaded.index,
            name: loaded.name,
            vertex_programs: loaded.vertex_programs,
            instructions: Mix { alu, out, tex, fc },
            operations: facts.operations,
            start: image.registers.start(),
            end: image.registers.end(),
            umrt: image.umrt,
            inputs: bits(uses.inputs.into()),
            outputs: bits(uses.outputs.into()),
            conditional_output: uses.conditional_output,
            float_constants: uses.constants(ConstantKind::Float),
            int_constants: uses.constants(ConstantKind::Int),
            bool_constants: uses.constants(ConstantKind::Bool),
            relative_addressing: uses.relative,
            highest_temporary: uses.highest_temp,
            reads_before_writing: None,
            flow_control: facts.flow_control,
            predicates: facts.predicates,
            alu_results: facts.alu_results,
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
            user_constants: {
                let constants = image.user_constants.iter();
                constants.map(|c| Name::new(&c.name, Some(c.kind.name()), c.addr)).collect()
            },
            literals: literals(&image),
            registers: registers(&image),
            source: image.source.get().map(|map| Written::of(map, &image)),
            losses: loaded.notes.iter().map(Note::to_string).collect(),
            warnings: Vec::new(),
            errors: Vec::new(),
        };
        match Program::new(image) {
            Ok(program) => {
                info.warnings = program.warnings().iter().map(|w| w.to_string()).collect();
                info.reads_before_writing = varyings(info.kind, &program, Stop::never()).ok();
            }
            Err(errors) => info.errors = errors.texts(),
        }
        info
    }
}

fn bits(bits: u32) -> Vec<u32> {
    (0..32).filter(|n| bits >> n & 1 != 0).collect()
}

fn slots(slots: &[NamedSlot]) -> Vec<Name> {
    slots.iter().map(|slot| Name::new(&slot.name, None, slot.slot)).collect()
}

/// The name of a kind of file.
fn word<S: serde::Serializer>(kind: &Kind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
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
                kind: literal.kind.name(),
                number: literal.addr,
                value,
                words: literal.value.map(|word| format!("{word:#010x}")),
            }
        })
        .collect()
}

/// The registers and their meanings.
fn registers(image: &Image) -> BTreeMap<&'static str, Register> {
    let r = &image.registers;
    let fc = if r.full_flow_control() { "full" } else { "partial" };
    let zero = if r.zero_times() { "0" } else { "NaN" };
    let (start, end) = r.addresses();
    let addresses = format!("from {start} to {end}, before the offset is added");
    let (first, last) = r.window();
    let sharing = image.sharing.map(|sharing| {
        let (globals, clauses) = (sharing.globals(), sharing.clauses());
        let text = format!("{globals} global registers, {clauses} clause temporaries");
        (Sharing::NAME, sharing.0, text)
    });
    [
        ("US_CONFIG", r.us_config, format!("0 times infinity is {zero}")),
        ("US_PIXSIZE", r.us_pixsize, format!("temporaries 0 to {}", r.highest_temporary())),
        ("US_FC_CTRL", r.us_fc_ctrl, format!("{fc} flow control")),
        ("US_CODE_ADDR", r.us_code_addr, addresses),
        ("US_CODE_RANGE", r.us_code_range, format!("slots {first} to {last}")),
        ("US_CODE_OFFSET", r.us_code_offset, format!("offset {}", r.offset())),
        ("US_W_FMT", r.us_w_fmt, "no effect".into()),
    ]
    .into_iter()
    .chain(sharing)
    .map(|(name, value, meaning)| (name, Register { value, meaning }))
    .collect()
}
