//! The flags of instructions, in both directions: fields that the source sets by a short name.

use super::draft::Draft;
use super::mnemonics::{all_names, row};
use super::names::mask;
use super::numbers::parse_u32;
use super::syntax::Flag;
use ctm_base::text::Parsed;
use ctm_isa::isa::table::{self, cmn_inst, fc_addr, fc_inst, tex_inst};
use ctm_isa::isa::{Field, Instruction, LETTERS, Register, Type, Word};

/// A flag. One row gives its syntax, its errors, its printing and its documentation.
pub(super) struct Row {
    /// The name, and an example of its arguments.
    pub syntax: &'static str,
    /// The fields that it sets, one for each class that has it; none for the flags of ALU and OUT
    /// that set no field.
    fields: &'static [Field],
    effect: &'static str,
}

const fn flag(syntax: &'static str, fields: &'static [Field], effect: &'static str) -> Row {
    Row { syntax, fields, effect }
}

/// The flags, in the order in which they are printed.
pub(super) const FLAGS: &[Row] = &[
    flag("wait", &[cmn_inst::TEX_SEM_WAIT], "wait for fetches under way"),
    flag("alu_wait", &[cmn_inst::ALU_WAIT], "wait for arithmetic under way"),
    flag("nop", &[cmn_inst::NOP], "an idle slot follows"),
    flag("last", &[cmn_inst::LAST], "points are willing to end here"),
    flag("inactive", &[cmn_inst::WRITE_INACTIVE], "results are written for inactive points too"),
    flag("stat(rgba)", &[cmn_inst::STAT_WE], "channels that the statistics counter counts"),
    flag("mode(GLOBAL)", &[table::INDEX_MODE], "what REL means, in programs with data sharing"),
    flag("out", &[], "class OUT without any output written"),
    flag("src(rgb0=r1 a2=0.5)", &[], "contents of source addresses, before operands are assigned"),
    flag("srcp(rgb=SUB a=INV)", &[], "presubtract of a unit, for operands that name srcp"),
    flag("acquire", &[tex_inst::TEX_SEM_ACQUIRE], "hold the semaphore until the result is there"),
    flag(
        "ignore_uncovered",
        &[tex_inst::IGNORE_UNCOVERED, fc_inst::IGNORE_UNCOVERED],
        "uncovered points do not fetch, or do not vote",
    ),
    flag("unscaled", &[tex_inst::UNSCALED], "as brackets say too"),
    flag("any", &[fc_inst::JUMP_ANY], "jump if any point wants to"),
    flag("else", &[fc_inst::B_ELSE], "swap active and inactive points first"),
    flag("global", &[fc_addr::JUMP_GLOBAL], "the target is not relative to the code offset"),
    flag("address(PUSH)", &[fc_inst::A_OP], "what the address stack does when the jump is taken"),
    flag("stay(INCR)", &[fc_inst::B_OP0], "what the branch counters do when it is not taken"),
    flag("jump(DECR)", &[fc_inst::B_OP1], "what they do when it is taken"),
    flag("count(1)", &[fc_inst::B_POP_CNT], "what DECR subtracts"),
];

impl Row {
    fn name(&self) -> &'static str {
        self.syntax.split('(').next().unwrap_or(self.syntax)
    }
    /// The field that it sets in an instruction of a class.
    fn field(&self, class: Type) -> Option<&'static Field> {
        let layout = Word::layout(class);
        self.fields.iter().find(|field| layout.contains(&Some(field.word)))
    }
    /// Whether instructions of a program with or without data sharing have it.
    fn is_in(&self, sharing: bool) -> bool {
        match self.fields {
            [field, ..] if *field == cmn_inst::STAT_WE => !sharing,
            [field, ..] if *field == table::INDEX_MODE => sharing,
            _ => true,
        }
    }
    fn belongs_to(&self, class: Type) -> bool {
        match self.fields {
            [] => matches!(class, Type::Alu | Type::Out),
            _ => self.field(class).is_some(),
        }
    }
    /// The classes that have it, for the documentation.
    pub fn classes(&self) -> String {
        let classes = [Type::Alu, Type::Out, Type::Tex, Type::Fc].into_iter();
        let names: Vec<_> =
            classes.filter(|class| self.belongs_to(*class)).map(Type::name).collect();
        if names.len() == 4 { "all".to_string() } else { names.join(", ") }
    }
    /// Its effect, for the documentation.
    pub fn meaning(&self) -> String {
        match self.fields {
            [] => self.effect.to_string(),
            [field, ..] => format!("{}: {}", field.name, self.effect),
        }
    }
}

/// Whether a flag lists the sources. Operands need it first, so `alu` reads it.
pub(super) fn is_of_sources(flag: &Flag<'_>) -> bool {
    ["src", "srcp"].iter().any(|name| flag.name.node.eq_ignore_ascii_case(name))
}

/// Sets a flag that is not of sources.
pub(super) fn set(flag: &Flag<'_>, draft: &mut Draft<'_>) -> Parsed<()> {
    let name = flag.name.node.to_ascii_lowercase();
    let span = flag.name.span;
    let class = draft.instruction.common.class;
    let sharing = draft.instruction.sharing;
    let rows = FLAGS.iter().filter(|row| row.is_in(sharing) && row.belongs_to(class));
    let known = rows.clone().find(|row| row.name() == name);
    let Some(found) = known.filter(|_| !is_of_sources(flag)) else {
        let names: Vec<String> = rows.map(|row| format!("@{}", row.name())).collect();
        return Err(span
            .error(format!("{} instructions have no flag `@{name}`", class.name()))
            .help(format!("the flags are {}", names.join(" "))));
    };
    let field = found.field(class);
    if let Some(argument) = flag.arguments.first()
        && field.is_none_or(|field| field.width == 1)
    {
        return Err(argument.key.span.error(format!("@{name} takes no arguments")));
    }
    let Some(field) = field else {
        draft.instruction.common.class = if flag.off { Type::Alu } else { Type::Out };
        return Ok(());
    };
    let value = match flag.arguments.as_slice() {
        [] if field.width == 1 => u32::from(!flag.off),
        [] if *field == cmn_inst::STAT_WE => field.max(),
        [argument] if *field == cmn_inst::STAT_WE => mask(argument.key)?.into(),
        _ if *field == cmn_inst::STAT_WE => {
            return Err(span.error("@stat takes one mask: @stat(rgba)"));
        }
        arguments => {
            let code = |text| match field.values {
                [] => parse_u32(text).filter(|value| *value <= field.max()),
                values => row(values, text).map(|row| row.code.into()),
            };
            let expected = || match field.values {
                [] => format!("number from 0 to {}", field.max()),
                values => format!("of {}", all_names(values)),
            };
            let code = if let [argument] = arguments { code(argument.key.node) } else { None };
            code.ok_or_else(|| span.error(format!("@{name} takes one {}", expected())))?
        }
    };
    draft.give(field, value);
    Ok(())
}

/// The flags that are set, each with a space before it.
pub(super) fn text(instruction: &Instruction) -> String {
    let (words, class) = (instruction.encode(), instruction.common.class);
    let one = |row: &Row| {
        let (name, field) = (row.name(), row.field(class)?);
        if !row.is_in(instruction.sharing)
            || *field == table::INDEX_MODE && names_global(instruction)
        {
            return None;
        }
        let value = field.get(words[field.word.index()]);
        Some(match field.value(value) {
            _ if value == 0 => return None,
            _ if field.width == 1 => format!(" @{name}"),
            _ if *field == cmn_inst::STAT_WE => format!(" @{name}({})", mask_text(value as u8)),
            Some(code) => format!(" @{name}({})", code.name),
            None => format!(" @{name}({value})"),
        })
    };
    FLAGS.iter().filter_map(one).collect()
}

/// Whether an instruction names a global register, which says its index mode.
fn names_global(instruction: &Instruction) -> bool {
    let global = |register| matches!(register, Some(Register::Global(..)));
    let Some(alu) = instruction.alu() else { return false };
    alu.units.iter().any(|unit| {
        let dest = instruction.register(unit.dest, unit.dest_rel);
        let sources = unit.sources.iter().map(|source| instruction.source_register(*source));
        sources.chain([Some(dest)]).any(global)
    })
}

/// The letters of a mask; `_` for an empty one.
pub fn mask_text(mask: u8) -> String {
    match mask {
        0 => "_".to_string(),
        _ => (0..4).filter(|n| mask >> n & 1 != 0).map(|n| LETTERS[n]).collect(),
    }
}
