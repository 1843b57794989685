//! Decides which programs are valid, and finds the warnings of valid ones.
//!
//! A program is refused if some instruction has no meaning on any engine, whether the slot is
//! reached or not. Only fields that have an effect count ([`Usage`]). The same value in an idle
//! unit is only a warning, because compilers leave remains there.

use super::error::{VerifyError, VerifyErrors, Warning, codes, name};
use super::{ConstantKind, Image, Sharing, Used, Uses, set_bits};
use ctm_isa::isa::table::{
    INDEX_MODE, INPUT_FIELDS, SHARING_RGB_OP, SOURCE_FIELDS, SourceFields, alu_alpha_inst,
    alu_rgb_inst, alu_rgba_inst, cmn_inst, fc_inst, tex_inst,
};
use ctm_isa::isa::{
    ALPHA, AddressOp, Alu, AluOp, Body, BranchOp, Common, FcOp, Field, FieldValue, INDEX_MODES,
    INPUTS, IndexMode, Instruction, MAX_INSTRUCTIONS, OUTPUTS, Omod, PredSel, RGB, Register,
    Source, SourceKind, Swizzle, Tex, TexOp, Type, UNIT_MASKS, Word,
};
use std::fmt;

/// At most this many errors are listed, and at most this many warnings about instructions.
const MOST: usize = 64;

/// The opcode and the output modifier of each unit.
const OPS: [(&Field, &Field); 2] = [
    (&alu_rgba_inst::RGB_OP, &alu_rgb_inst::OMOD),
    (&alu_alpha_inst::ALPHA_OP, &alu_alpha_inst::OMOD),
];

/// Checks an image. Returns its uses and the warnings if it is valid.
pub(super) fn verify(
    image: &Image,
    instructions: &[Instruction],
) -> Result<(Uses, Vec<Warning>), VerifyErrors> {
    let mut uses = Uses::none(image.sharing);
    let mut verifier = Verifier {
        image,
        pc: 0,
        errors: Vec::new(),
        cut: 0,
        warnings: Vec::new(),
        cut_warnings: 0,
    };
    verifier.length();
    for (pc, instruction) in instructions.iter().take(MAX_INSTRUCTIONS).enumerate() {
        let used = Used::of(instruction);
        uses.add(instruction, &used, image.umrt);
        verifier.pc = pc as u32;
        verifier.instruction(instruction, &used);
    }
    verifier.code();
    verifier.lists();
    verifier.counts();
    if verifier.cut > 0 {
        let text = format!("and {} more errors", verifier.cut);
        verifier.errors.push(VerifyError { pc: None, field: None, text });
    }
    if !verifier.errors.is_empty() {
        return Err(VerifyErrors { errors: verifier.errors, source: image.source.clone() });
    }
    if verifier.cut_warnings > 0 {
        let text = format!("and {} more warnings", verifier.cut_warnings);
        verifier.warn_whole(text);
    }
    verifier.whole(instructions, &uses);
    Ok((uses, [image.warnings.clone(), verifier.warnings].concat()))
}

struct Verifier<'a> {
    image: &'a Image,
    /// The instruction being checked.
    pc: u32,
    errors: Vec<VerifyError>,
    /// The number of errors not listed.
    cut: usize,
    warnings: Vec<Warning>,
    /// The number of warnings not listed.
    cut_warnings: usize,
}

impl Verifier<'_> {
    fn add(&mut self, error: VerifyError) {
        if self.errors.len() < MOST {
            self.errors.push(error);
        } else {
            self.cut += 1;
        }
    }
    /// An error of the instruction: the value of a field, and what is expected.
    fn error(&mut self, field: &'static Field, problem: impl fmt::Display) {
        let text = format!("{} is {problem}", name(field));
        self.add(VerifyError { pc: Some(self.pc), field: Some(field), text });
    }
    /// An error of the program as a whole.
    fn error_whole(&mut self, text: String) {
        self.add(VerifyError { pc: None, field: None, text });
    }
    fn warn(&mut self, text: String) {
        if self.warnings.len() < MOST {
            let source = self.image.source.clone();
            self.warnings.push(Warning { pc: Some(self.pc), source, text });
        } else {
            self.cut_warnings += 1;
        }
    }
    fn warn_whole(&mut self, text: String) {
        self.warnings.push(Warning::whole(text));
    }

    fn length(&mut self) {
        match self.image.words.len() {
            0 => self.error_whole("the program has no instructions, expected 1 to 512".into()),
            n if n > MAX_INSTRUCTIONS => {
                self.error_whole(format!("the program has {n} instructions, expected at most 512"));
            }
            _ => {}
        }
    }

    /// Checks the numbers of shared registers.
    fn counts(&mut self) {
        let Some(sharing) = self.image.sharing else { return };
        let (value, globals) = (sharing.0, sharing.globals());
        if globals as u32 > Sharing::MOST_GLOBALS {
            self.error_whole(format!(
                "{} is {value:#010x}: NUM_GLOBAL {globals}, expected at most 128",
                Sharing::NAME
            ));
        }
        if sharing.reserved() != 0 {
            self.warn_whole(format!(
                "{} is {value:#010x}: the reserved bits {:#010x} are set; expected 0",
                Sharing::NAME,
                sharing.reserved()
            ));
        }
    }

    /// Checks the index mode, whether the instruction has an effect or not.
    fn index_mode(&mut self, instruction: &Instruction) {
        let mode = instruction.index_mode();
        let class = instruction.common.class;
        let modes = match class {
            Type::Alu | Type::Out if !matches!(mode, IndexMode::Reserved(_)) => return,
            Type::Alu | Type::Out => INDEX_MODES,
            Type::Tex | Type::Fc if mode == IndexMode::Plain => return,
            Type::Tex | Type::Fc => &INDEX_MODES[..1],
        };
        let (code, class, allowed) = (mode.code(), class.name(), codes(modes));
        self.error(&INDEX_MODE, format!("{code} on {class}; allowed: {allowed}"));
    }

    /// Warns of global registers that do not exist, whatever AR.X is.
    fn globals(&mut self, instruction: &Instruction) {
        let globals = self.image.sharing.unwrap_or_default().globals();
        let read = instruction.read_registers();
        let written = instruction.written().map(|(register, _)| register);
        let mut outside = Vec::new();
        for register in read.into_iter().flatten().chain(written) {
            if let Register::Global(n, false) = register
                && n as usize >= globals
                && !outside.contains(&n)
            {
                outside.push(n);
            }
        }
        for n in outside {
            self.warn(format!("g{n} does not exist; the program has {globals} global registers"));
        }
    }

    fn instruction(&mut self, instruction: &Instruction, used: &Used) {
        if instruction.sharing {
            self.index_mode(instruction);
            self.globals(instruction);
        }
        match &instruction.body {
            Body::Alu(alu) => self.alu(instruction, alu, used),
            Body::Tex(tex) => self.tex(instruction, tex),
            Body::Fc(fc) => {
                match instruction.common.pred_sel[RGB] {
                    PredSel::Rgba => {
                        let problem = "1 (RGBA) on FC, which needs one predicate for the whole instruction; allowed: 0 NONE, 2 RRRR, 3 GGGG, 4 BBBB, 5 AAAA";
                        self.error(&cmn_inst::RGB_PRED_SEL, problem);
                    }
                    sel => self.pred_sel(&cmn_inst::RGB_PRED_SEL, sel, true),
                }
                if let AddressOp::Reserved(code) = fc.a_op {
                    self.reserved(&fc_inst::A_OP, code.into(), true);
                }
                for (field, op) in [(&fc_inst::B_OP0, fc.b_op0), (&fc_inst::B_OP1, fc.b_op1)] {
                    if let BranchOp::Reserved(_) = op {
                        self.reserved(field, op.code(), true);
                    }
                }
            }
        }
        self.reserved_bits(instruction);
    }

    /// Reports a wrong field: an error if the unit has an effect, else a warning, each with its own
    /// text.
    fn report(&mut self, used: bool, field: &'static Field, [error, warning]: [String; 2]) {
        if used {
            self.error(field, error)
        } else {
            self.warn(format!("{} is {warning}, in a unit whose result is not used", name(field)))
        }
    }

    /// Reports a reserved code.
    fn reserved(&mut self, field: &'static Field, value: u32, used: bool) {
        let text = format!("{value}, which is reserved");
        let error = format!("{text}; allowed: {}", codes(field.values));
        self.report(used, field, [error, text]);
    }

    fn pred_sel(&mut self, field: &'static Field, sel: PredSel, used: bool) {
        if let PredSel::Reserved(code) = sel {
            self.reserved(field, code.into(), used);
        }
    }

    /// Checks the predicates of both units; `used` says which unit has an effect.
    fn pred_sels(&mut self, common: &Common, used: [bool; 2]) {
        self.pred_sel(&cmn_inst::RGB_PRED_SEL, common.pred_sel[RGB], used[RGB]);
        self.pred_sel(&cmn_inst::ALPHA_PRED_SEL, common.pred_sel[ALPHA], used[ALPHA]);
    }

    fn alu(&mut self, instruction: &Instruction, alu: &Alu, Used { usage, read }: &Used) {
        let common = &instruction.common;
        self.pred_sels(common, usage.units);

        for (n, unit) in alu.units.iter().enumerate() {
            for (source, fields) in SOURCE_FIELDS[n].iter().enumerate() {
                if unit.sources[source].relative {
                    let used = usage.units[n] || read.reads(n, source);
                    self.relative(unit.sources[source], fields, used);
                }
            }
        }
        for mask in UNIT_MASKS {
            for (n, lanes) in usage.inputs.into_iter().enumerate() {
                for channel in (0..4).filter(|channel| (lanes & mask) >> channel & 1 != 0) {
                    if alu.lane(n, channel).1 == Swizzle::Unused {
                        let field = &INPUT_FIELDS[channel / 3][n].1[channel % 3];
                        self.error(field, "7 (unused) on a lane that is used; allowed: 0 to 6");
                    }
                }
            }
        }

        // Opcodes, and the two that copy the other unit's scalar. A reserved opcode of the other
        // unit is reported only as reserved.
        for (n, unit) in alu.units.iter().enumerate() {
            if let AluOp::Reserved(code) = unit.op {
                let sharing = instruction.sharing && n == RGB;
                let field = if sharing { &SHARING_RGB_OP } else { OPS[n].0 };
                self.reserved(field, code.into(), usage.units[n]);
            }
        }
        let [rgb, alpha] = alu.units.map(|unit| unit.op);
        if rgb == AluOp::Sop && !alpha.is_transcendental() && !alpha.is_reserved() {
            let found = alpha.name();
            let texts = [
                format!(
                    "10 (SOP), which needs EX2, LN2, RCP, RSQ, SIN or COS in ALPHA_OP, not {found}"
                ),
                format!("10 (SOP) with {found} in ALPHA_OP"),
            ];
            self.report(usage.units[RGB], OPS[RGB].0, texts);
        }
        if alpha == AluOp::Dp && !rgb.is_dot() && !rgb.is_reserved() {
            let found = rgb.name();
            let texts = [
                format!("1 (DP), which needs DP3, DP4 or D2A in RGB_OP, not {found}"),
                format!("1 (DP) with {found} in RGB_OP"),
            ];
            self.report(usage.units[ALPHA], OPS[ALPHA].0, texts);
        }
        for (n, unit) in alu.units.iter().enumerate() {
            if usage.units[n] && unit.omod == Omod::Disabled && !unit.op.is_select() {
                self.warn(format!(
                    "{} is 7 (OMOD_DISABLED) with {}, which works as OMOD_1 without clamp; it belongs to MIN, MAX, CND, CMP",
                    name(OPS[n].1),
                    unit.op.name()
                ));
            }
        }

        if self.image.umrt && common.class == Type::Out && !matches!(common.omask, 0 | 15) {
            let (rgb, alpha) = (common.omask & 7, common.omask >> 3);
            let text = format!(
                "RGB_OMASK and ALPHA_OMASK of US_CMN_INST are {rgb} and {alpha} in an uncached-write program; allowed: 7 and 1 (all channels), 0 and 0 (none)"
            );
            self.add(VerifyError { pc: Some(self.pc), field: Some(&cmn_inst::RGB_OMASK), text });
        }
    }

    /// Checks a source to whose address aL is added.
    fn relative(&mut self, source: Source, [address, _, field]: &'static SourceFields, used: bool) {
        let SourceKind::Inline(_) = source.kind() else { return };
        let text = format!("1 with {} {}, an inline constant", address.name, source.addr);
        let error = format!("{text}; aL can only be added to temporaries and constants");
        self.report(used, field, [error, text]);
    }

    fn tex(&mut self, instruction: &Instruction, tex: &Tex) {
        let common = &instruction.common;
        // TEXKILL and NOP write nothing, whatever their masks are.
        let writes = !matches!(tex.op, TexOp::Nop | TexOp::Texkill);
        if let TexOp::Reserved(code) = tex.op {
            self.reserved(&tex_inst::INST, code.into(), common.wmask != 0);
        }
        self.pred_sels(common, UNIT_MASKS.map(|mask| writes && common.wmask & mask != 0));
    }

    fn reserved_bits(&mut self, instruction: &Instruction) {
        let reserved = match &instruction.body {
            Body::Alu(_) => return,
            Body::Tex(tex) => &tex.reserved,
            Body::Fc(fc) => &fc.reserved,
        };
        let layout = Word::layout(instruction.common.class);
        for (n, (&bits, word)) in reserved.iter().zip(layout).enumerate() {
            match word {
                _ if bits == 0 => {}
                Some(word) => self.warn(format!(
                    "reserved bits {bits:#010x} of {} are set; expected 0",
                    word.name()
                )),
                None => self.warn(format!("unused word {n} is {bits:#010x}; expected 0")),
            }
        }
    }

    /// Checks the registers that hold where code begins and ends.
    fn code(&mut self) {
        let registers = &self.image.registers;
        let instructions = self.image.words.len() as u32;
        if instructions == 0 {
            return;
        }
        let value = registers.us_code_addr;
        let (start, end) = registers.addresses();
        let offset = registers.offset();
        if end < start {
            let text = format!(
                "US_CODE_ADDR is {value:#010x}: END_ADDR {end} is before START_ADDR {start}, expected at least {start}"
            );
            self.error_whole(text);
        }
        for (field, addr) in [("START_ADDR", start), ("END_ADDR", end)] {
            let (slot, last) = (addr + offset, instructions - 1);
            if slot > last {
                let text = format!(
                    "US_CODE_ADDR is {value:#010x}: {field} {addr} with OFFSET_ADDR {offset} is slot {slot}, expected at most {last}, the last instruction"
                );
                self.error_whole(text);
            }
        }
    }

    /// Checks the numbers in the program's lists.
    fn lists(&mut self) {
        let image = self.image;
        let users = image.user_constants.iter().map(|c| (Some(&c.name), c.kind, c.addr));
        let literals = image.literals.iter().map(|l| (None, l.kind, l.addr));
        for (name, kind, addr) in users.chain(literals) {
            let last = kind.count() as u32 - 1;
            if addr > last {
                let what = name.map_or("a literal".into(), |name| format!("the constant {name:?}"));
                self.error_whole(format!("{what} is {kind} constant {addr}, expected 0 to {last}"));
            }
        }
        let inputs = image.input_names.iter().map(|n| ("input", n, INPUTS));
        let outputs = image.output_names.iter().map(|n| ("output", n, OUTPUTS));
        for (what, slot, count) in inputs.chain(outputs) {
            if slot.slot as usize >= count {
                let (name, slot, last) = (&slot.name, slot.slot, count - 1);
                self.error_whole(format!(
                    "the {what} {name:?} is number {slot}, expected 0 to {last}"
                ));
            }
        }
    }

    /// Reports the warnings of a valid program as a whole.
    fn whole(&mut self, instructions: &[Instruction], uses: &Uses) {
        let registers = &self.image.registers;
        let end = registers.end();
        if let Some(last) = instructions.get(end as usize) {
            let class = last.common.class;
            if class != Type::Out || !last.common.tex_sem_wait {
                self.warnings.push(Warning {
                    pc: Some(end),
                    source: self.image.source.clone(),
                    text: format!(
                        "the last instruction is of type {}{}; hardware needs OUT with TEX_SEM_WAIT there",
                        class.name(),
                        if class == Type::Out { " without TEX_SEM_WAIT" } else { "" }
                    ),
                });
            }
        }
        let (first, last) = registers.window();
        let slots = instructions.len() as u32;
        if last >= slots {
            self.warn_whole(format!(
                "US_CODE_RANGE is {:#010x}, slots {first} to {last}; the program has slots 0 to {}",
                registers.us_code_range,
                slots - 1
            ));
        } else if registers.start() < first || end > last {
            self.warn_whole(format!(
                "US_CODE_RANGE is {:#010x}, slots {first} to {last}; the program runs from slot {} to slot {end}",
                registers.us_code_range,
                registers.start(),
            ));
        }
        let pix_size = registers.highest_temporary();
        if u32::from(uses.highest_named_temp) > pix_size {
            self.warn_whole(format!(
                "US_PIXSIZE is {:#x}: temporaries 0 to {pix_size}; the program uses temporary {}",
                registers.us_pixsize, uses.highest_named_temp
            ));
        }
        if !registers.full_flow_control() {
            let full = instructions.iter().position(|instruction| {
                matches!(&instruction.body, Body::Fc(fc)
                    if fc.op != FcOp::Jump || fc.a_op != AddressOp::None)
            });
            if let Some(pc) = full {
                self.warn_whole(format!(
                    "US_FC_CTRL is {:#010x}, partial flow control; the loop or subroutine at pc {pc} needs FULL_FC_EN on hardware",
                    registers.us_fc_ctrl
                ));
            }
        }
        unlisted(self.image, uses).into_iter().for_each(|text| self.warn_whole(text));
    }
}

/// The registers that the instructions use and the container's lists leave out.
pub(super) fn unlisted(image: &Image, uses: &Uses) -> Vec<String> {
    // With relative addressing the set of constants is not known, so no list is checked.
    let floats =
        if uses.relative_constants { Vec::new() } else { uses.constants(ConstantKind::Float) };
    let lists = [
        ("input", &image.inputs, set_bits(uses.inputs.into())),
        ("output", &image.outputs, set_bits(uses.outputs.into())),
        ("float constant", &image.float_constants, floats),
        ("int constant", &image.int_constants, uses.constants(ConstantKind::Int)),
    ];
    let mut texts = Vec::new();
    for (what, listed, used) in lists {
        let Some(listed) = listed else { continue };
        let literal = |n: u32| {
            image
                .literals
                .iter()
                .any(|literal| literal.addr == n && format!("{} constant", literal.kind) == what)
        };
        for n in used.into_iter().filter(|n| !listed.contains(n) && !literal(*n)) {
            texts.push(format!("the program uses {what} {n}, which its container does not list"));
        }
    }
    texts
}
