//! Registers by name: the only place that turns the name of a register into its number, for job files,
//! command lines, Python and the debugger.

use super::{ConstantKind, Image, NameKind, Program};
use ctm_isa::isa::{
    BOOL_CONSTANTS, FLOAT_CONSTANTS, INPUTS, INT_CONSTANTS, OUTPUTS, Register, TEMPORARIES,
};

impl NameKind {
    /// The letter before the number in the name of a register, and the number of registers; `None` for
    /// labels.
    pub fn registers(self) -> Option<(char, usize)> {
        match self {
            NameKind::Temp => Some(('r', TEMPORARIES)),
            NameKind::Input => Some(('i', INPUTS)),
            NameKind::Output => Some(('o', OUTPUTS)),
            NameKind::Float => Some(('c', FLOAT_CONSTANTS)),
            NameKind::Int => Some(('n', INT_CONSTANTS)),
            NameKind::Bool => Some(('b', BOOL_CONSTANTS)),
            NameKind::Label => None,
        }
    }
}

/// A name that no register has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} `{name}`: expected {expected}")]
pub struct UnknownName {
    /// The kind of name, such as "input" or "constant".
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// The known names.
    pub expected: String,
}

/// A value for a register that no program uses or declares.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{who} {register}")]
pub struct UnknownRegister {
    who: &'static str,
    register: String,
}

/// The use of a register by a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// An instruction reads it, or writes it if it is an output.
    Used,
    /// The source or the container lists or names it, and no instruction uses it.
    Declared,
    /// The program does not know it.
    Unknown,
}

impl Image {
    /// All names of the source: what each one names, and the register's number or the slot.
    pub fn names(&self) -> impl Iterator<Item = (NameKind, u32, &str)> {
        let slots = [(NameKind::Input, &self.input_names), (NameKind::Output, &self.output_names)];
        let slots = slots.into_iter().flat_map(|(kind, slots)| {
            slots.iter().map(move |slot| (kind, slot.slot, slot.name.as_str()))
        });
        let constants = self.user_constants.iter();
        let constants = constants.map(|user| (user.kind.into(), user.addr, user.name.as_str()));
        let mapped = self.source.get().into_iter().flat_map(|map| &map.names);
        let mapped = mapped.map(|name| (name.kind, name.number, name.name.as_str()));
        slots.chain(constants).chain(mapped)
    }

    /// The name that the author gave to a register or label: the first one.
    pub fn name_of(&self, kind: NameKind, number: u32) -> Option<&str> {
        let mut names = self.names();
        names.find(|&(of, n, _)| (of, n) == (kind, number)).map(|(.., name)| name)
    }

    /// The register of one of these kinds that a name means: a name of the source, else the register's
    /// own name, such as `c3`. With a single kind its number is enough.
    ///
    /// # Errors
    /// No register has the name. The text lists the known names.
    pub fn register<K: Copy + Into<NameKind>>(
        &self,
        kinds: &[K],
        name: &str,
    ) -> Result<(K, u32), UnknownName> {
        let kind_of = |of: NameKind| kinds.iter().copied().find(|&kind| kind.into() == of);
        let of_kinds = || self.names().filter(|&(kind, ..)| kind_of(kind).is_some());
        let named = of_kinds().find(|&(.., known)| known == name);
        let named = named.and_then(|(kind, number, _)| Some((kind_of(kind)?, number)));
        let own = |&kind: &K| {
            let (letter, count) = kind.into().registers()?;
            let digits = name.strip_prefix(letter);
            let digits = digits.or_else(|| Some(name).filter(|_| kinds.len() == 1))?;
            // A number has one spelling.
            let plain = digits == "0" || !digits.starts_with(['0', '+']);
            let number = digits.parse().ok().filter(|&n: &u32| plain && (n as usize) < count)?;
            Some((kind, number))
        };
        named.or_else(|| kinds.iter().find_map(own)).ok_or_else(|| {
            let constant = |kind| matches!(kind, NameKind::Float | NameKind::Int | NameKind::Bool);
            let mut expected: Vec<String> = Vec::new();
            for (letter, count) in kinds.iter().filter_map(|&kind| kind.into().registers()) {
                let last = count - 1;
                expected.extend((kinds.len() == 1).then(|| format!("0 to {last}")));
                expected.push(format!("{letter}0 to {letter}{last}"));
            }
            expected.extend(of_kinds().map(|(.., name)| ctm_base::text::printable(name)));
            let what = match kinds {
                [kind] => (*kind).into().name(),
                _ if kinds.iter().all(|&kind| constant(kind.into())) => "constant",
                _ => "register",
            };
            let mut expected = expected.join(", ");
            if let Some((kind, number, _)) = self.names().find(|&(.., known)| known == name) {
                expected += &format!("; it is {} {number}", kind.name());
            }
            UnknownName { what, name: ctm_base::text::printable(name), expected }
        })
    }

    /// Whether the source names the register, or the container lists it.
    fn declares(&self, kind: NameKind, number: u32) -> bool {
        let list = match kind {
            NameKind::Input => &self.inputs,
            NameKind::Output => &self.outputs,
            NameKind::Float => &self.float_constants,
            NameKind::Int => &self.int_constants,
            NameKind::Temp | NameKind::Bool | NameKind::Label => &None,
        };
        let mut literals = self.literals.iter();
        list.as_ref().is_some_and(|list| list.contains(&number))
            || literals.any(|of| (NameKind::from(of.kind), of.addr) == (kind, number))
            || self.name_of(kind, number).is_some()
    }
}

impl Program {
    /// The use of a register or label by the program.
    pub fn knows(&self, kind: NameKind, number: u32) -> Known {
        let uses = self.uses();
        let n = number as usize;
        let constant = |of: ConstantKind| n < of.count() && uses.reads_constant(of, n);
        let used = match kind {
            NameKind::Input => n < INPUTS && uses.inputs >> n & 1 != 0,
            NameKind::Output => n < OUTPUTS && uses.outputs >> n & 1 != 0,
            NameKind::Float => constant(ConstantKind::Float),
            NameKind::Int => constant(ConstantKind::Int),
            NameKind::Bool => constant(ConstantKind::Bool),
            NameKind::Temp => self.reads_temp(n),
            NameKind::Label => n < self.instructions().len(),
        };
        if used {
            Known::Used
        } else if self.image().declares(kind, number) {
            Known::Declared
        } else {
            Known::Unknown
        }
    }

    /// Whether a caller may give the register a value: some program must use or declare it. A note says
    /// that no program uses it.
    ///
    /// # Errors
    /// No program uses or declares it.
    pub fn check_given<'a>(
        programs: impl IntoIterator<Item = &'a Program>,
        kind: NameKind,
        number: u32,
    ) -> Result<Option<String>, UnknownRegister> {
        let (mut declared, mut count) = (None, 0);
        for program in programs {
            match program.knows(kind, number) {
                Known::Used => return Ok(None),
                Known::Declared => declared = declared.or(Some(program)),
                Known::Unknown => {}
            }
            count += 1;
        }
        if let Some(program) = declared {
            let register = program.image().named(kind, number);
            return Ok(Some(format!("the program declares {register} and does not use it")));
        }
        let who = match count {
            1 => "the program does not use or declare",
            _ => "no program of the job uses or declares",
        };
        Err(UnknownRegister { who, register: format!("{} {number}", kind.name()) })
    }

    /// Whether an instruction reads the temporary, or any by an address relative to aL.
    fn reads_temp(&self, n: usize) -> bool {
        let accesses = self.accesses();
        let mut reads = accesses.iter().flat_map(|access| access.reads.iter().flatten());
        reads.any(|read| match read.register {
            Some(Register::Temp(temp, relative)) => relative || usize::from(temp) == n,
            Some(Register::Global(..)) | None => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm::assemble;

    const SOURCE: &str = ".input photo i2
.input mask i3
.output edges o1
.const radius c4
.const steps n1
.const flag b2
.const spare c9
.temp uv r1
    ld r2, photo[uv.rg]
    mul edges, r2, radius
";

    #[test]
    fn a_name_or_a_register_is_found() {
        use NameKind::{Float, Input, Output, Temp};
        let image = assemble(SOURCE, "a.dpp").expect("valid");
        for (kind, name, number) in [
            (Input, "photo", 2),
            (Input, "2", 2),
            (Input, "i15", 15),
            (Output, "edges", 1),
            (Temp, "uv", 1),
            (Float, "radius", 4),
        ] {
            assert_eq!(image.register(&[kind], name), Ok((kind, number)), "{name}");
        }
        let constant = |name| image.register(&ConstantKind::ALL, name);
        assert_eq!(constant("radius"), Ok((ConstantKind::Float, 4)));
        assert_eq!(constant("steps"), Ok((ConstantKind::Int, 1)));
        assert_eq!(constant("flag"), Ok((ConstantKind::Bool, 2)));
        assert_eq!(constant("b31"), Ok((ConstantKind::Bool, 31)));
        let error = |kind, name| image.register(&[kind], name).expect_err("unknown").to_string();
        assert_eq!(
            error(Input, "i16"),
            "there is no input `i16`: expected 0 to 15, i0 to i15, photo, mask"
        );
        assert_eq!(
            error(Float, "steps"),
            "there is no float constant `steps`: expected 0 to 255, c0 to c255, radius, spare; it is integer constant 1"
        );
        // Without a kind a number could mean several registers.
        assert_eq!(
            constant("4").expect_err("unknown").to_string(),
            "there is no constant `4`: expected c0 to c255, n0 to n31, b0 to b31, radius, steps, flag, spare"
        );
        // A number has one spelling, so that no two keys of a table mean one register.
        for name in ["02", "+2", "i02", "", "i", "-1"] {
            assert!(image.register(&[Input], name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_register_is_used_declared_or_unknown() {
        use NameKind::{Bool, Float, Input, Output, Temp};
        let program = Program::new(assemble(SOURCE, "a.dpp").expect("valid")).expect("valid");
        for (kind, number, known) in [
            (Input, 2, Known::Used),
            (Input, 3, Known::Declared),
            (Input, 4, Known::Unknown),
            (Output, 1, Known::Used),
            (Output, 0, Known::Unknown),
            (Float, 4, Known::Used),
            (Float, 9, Known::Declared),
            (Float, 5, Known::Unknown),
            (Float, 256, Known::Unknown),
            (Bool, 2, Known::Declared),
            (Temp, 1, Known::Used),
            (Temp, 2, Known::Used),
            (Temp, 3, Known::Unknown),
        ] {
            assert_eq!(program.knows(kind, number), known, "{kind:?} {number}");
        }
        let given = |kind, number| {
            Program::check_given([&program], kind, number).map_err(|error| error.to_string())
        };
        assert_eq!(given(Float, 4), Ok(None));
        let note = "the program declares float constant 9 `spare` and does not use it".to_string();
        assert_eq!(given(Float, 9), Ok(Some(note)));
        let error = "the program does not use or declare float constant 5".to_string();
        assert_eq!(given(Float, 5), Err(error));
        let two = Program::check_given([&program, &program], Input, 4).expect_err("unknown");
        assert_eq!(two.to_string(), "no program of the job uses or declares input 4");
    }
}
