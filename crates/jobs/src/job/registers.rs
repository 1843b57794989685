//! The registers that a job gives something: by number or by the name of the source.

use super::error::JobError;
use super::node::Node;
use ctm_lang::program::{NameKind, Program, ranges};
use std::collections::{BTreeMap, BTreeSet};

/// The registers that a job gives values, with their places in the file.
#[derive(Default)]
pub struct Registers<'a> {
    given: Vec<(NameKind, u32, Node<'a>)>,
    /// Whether a program declares no registers, by list or by name: a listing, a binary or a log.
    /// Machine-generated jobs of these give all values, also those that the compiler found unused.
    pub undeclared: bool,
}

impl<'a> Registers<'a> {
    /// The register that a key of a table gives: `number_key` its number, or `name` its name.
    pub fn one(
        &mut self,
        table: &Node<'a>,
        number_key: &'static str,
        program: &Program,
        kind: NameKind,
    ) -> Result<(u32, Node<'a>), JobError> {
        let (key, node) = table.one_of(&[number_key, "name"], "no register")?;
        let number = match key {
            "name" => find(program, kind, node.string()?).map_err(|text| node.error(text))?,
            _ => node.unsigned(0, last(kind))?,
        };
        self.given.push((kind, number, node.clone()));
        Ok((number, node))
    }

    /// The entries of a table whose keys are registers; none if the key is missing.
    pub fn table(
        &mut self,
        table: &Node<'a>,
        key: &str,
        program: &Program,
        kind: NameKind,
    ) -> Result<Vec<(u32, Node<'a>)>, JobError> {
        let mut entries: Vec<(u32, Node<'a>)> = Vec::new();
        for (name, node) in table.keyed(key)? {
            let number = find(program, kind, name).map_err(|text| node.error(text))?;
            if let Some((_, first)) = entries.iter().find(|(known, _)| *known == number) {
                let register = program.image().named(kind, number);
                return Err(node.error(super::loader::twice(&register, first.line())));
            }
            self.given.push((kind, number, node.clone()));
            entries.push((number, node));
        }
        Ok(entries)
    }

    /// The register of one of some kinds that a name means, which `node` is about.
    pub fn any(
        &mut self,
        node: &Node<'a>,
        program: &Program,
        kinds: &[NameKind],
        name: &str,
    ) -> Result<(NameKind, u32), JobError> {
        let found = program.image().register(kinds, name);
        let (kind, number) = found.map_err(|error| node.error(error.to_string()))?;
        self.given.push((kind, number, node.clone()));
        Ok((kind, number))
    }

    /// The constant of a list that an element gives by number or name.
    pub fn element(
        &mut self,
        node: &Node<'a>,
        program: &Program,
        kind: NameKind,
    ) -> Result<u32, JobError> {
        let number = match node.string() {
            Ok(name) => find(program, kind, name).map_err(|text| node.error(text))?,
            Err(_) => node.unsigned(0, last(kind))?,
        };
        self.given.push((kind, number, node.clone()));
        Ok(number)
    }

    /// Refuses values for registers that none of the programs uses or declares; if a program declares
    /// nothing, there is a note instead. Returns notes on values that no program uses.
    pub fn check<'p>(
        self,
        programs: impl Iterator<Item = &'p Program> + Clone,
    ) -> Result<Vec<String>, JobError> {
        let mut notes = Vec::new();
        let mut unused: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for (kind, number, node) in self.given {
            // Outputs get no values, and a test may want the zeros of one that is not written.
            if kind == NameKind::Output {
                continue;
            }
            match Program::check_given(programs.clone(), kind, number) {
                Ok(note) => notes.extend(note),
                Err(error) if !self.undeclared => return Err(node.error(error.to_string())),
                Err(_) => drop(unused.entry(kind.name()).or_default().insert(number)),
            }
        }
        notes.extend(unused.into_iter().map(|(kind, numbers)| {
            let numbers: Vec<u32> = numbers.into_iter().collect();
            let many = if numbers.len() == 1 { "" } else { "s" };
            format!(
                "no program uses {kind}{many} {}: the job's values have no effect",
                ranges(&numbers)
            )
        }));
        Ok(notes)
    }
}

/// The highest number of a register.
fn last(kind: NameKind) -> u32 {
    kind.registers().map_or(0, |(_, count)| count as u32 - 1)
}

/// The number of the register that a name means.
pub fn find(program: &Program, kind: NameKind, name: &str) -> Result<u32, String> {
    let found = program.image().register(&[kind], name);
    found.map(|(_, number)| number).map_err(|error| error.to_string())
}
