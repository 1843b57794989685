//! The program of a pass: its file, and the keys only for programs without a container.

use super::error::{JobError, Problem, in_file};
use super::loader::Loader;
use super::node::Node;
use super::shared::{Reading, SharedProgram};
use crate::load::{Kind, LoadError, MAX_FILE, Note, Shader, load_with};
use ctm_lang::program::{Image, Program, Registers, Sharing};
use std::path::PathBuf;
use std::sync::Arc;

/// A program and its source.
pub struct LoadedProgram {
    /// Its file.
    pub path: PathBuf,
    /// The name that warnings use: the file's name, and which program of the file it is.
    pub name: String,
    /// The program, verified.
    pub program: Arc<Program>,
    /// Whether its file says which registers it has.
    pub declares: bool,
    /// Warnings about the program and about loading it.
    pub warnings: Vec<String>,
}

/// Reads `program`: loads the file, applies the registers, verifies. The samplers `linear` of a shader interpolate.
pub fn program(
    loader: &Loader<'_>,
    node: Node<'_>,
    linear: Vec<String>,
) -> Result<LoadedProgram, JobError> {
    let table = node.table("file kind index umrt registers")?;
    let file = table.need("file")?;
    let kind = table.read("kind", |node| node.choice(&Kind::ALL, Kind::name))?;
    let index = table.read("index", |node| node.unsigned(0, u32::MAX))?;
    let index = index.map(|index| index as usize);
    let (path, shared) = loader.program(&file, (kind, index, linear))?;
    let loaded = &shared.loaded;
    let image = &loaded.image;
    if loaded.kind.has_container()
        && let Some(node) = table.get("umrt").or_else(|| table.get("registers"))
    {
        let brings = "brings its own: only programs without a container take it";
        return Err(node.error(format!("{} {brings}", path.display())));
    }
    let umrt = table.read("umrt", |node| node.boolean())?.unwrap_or(image.umrt);
    let (mut registers, mut sharing) = (image.registers, image.sharing);
    if let Some(node) = table.get("registers") {
        let table = node.table(&format!("{} {}", Registers::NAMES.join(" "), Sharing::NAME))?;
        for (key, register) in Registers::NAMES.into_iter().zip(registers.words_mut()) {
            let given = table.read(key, |node| node.unsigned(0, u32::MAX))?;
            *register = given.unwrap_or(*register);
        }
        // The word is the flag, too.
        let given = table.read(Sharing::NAME, |node| node.unsigned(0, u32::MAX))?;
        sharing = given.map(Sharing).or(sharing);
    }
    let program = shared
        .verified((umrt, registers, sharing), || {
            Program::new(Image { umrt, registers, sharing, ..image.clone() })
        })
        .map_err(|error| file.error(in_file(&path, error)))?;
    let mut name = path.file_name().unwrap_or_default().display().to_string();
    let mut warnings: Vec<String> = program.warnings().iter().map(|w| w.to_string()).collect();
    if let Some(which) = loaded.which() {
        name += &format!(", {which}");
        if index.is_none() {
            warnings.push("the job gives no index, so the last one runs".to_string());
        }
    }
    warnings.extend(loaded.notes.iter().map(Note::to_string));
    let declares = loaded.kind.has_container();
    Ok(LoadedProgram { path, name, program, declares, warnings })
}

impl Loader<'_> {
    /// Loads the program file that a key names.
    fn program(
        &self,
        node: &Node<'_>,
        reading: Reading,
    ) -> Result<(PathBuf, Arc<SharedProgram>), JobError> {
        let path = self.path(node)?;
        // Two files of the same bytes may be of different kinds.
        let kind = reading.0.or_else(|| Kind::of_name(&path.to_string_lossy()));
        let reading = (kind, reading.1, reading.2);
        let (index, linear) = (reading.1, reading.2.clone());
        let read = || Ok(self.read(node, MAX_FILE)?.1);
        let load = |bytes: &[u8]| {
            let options = Shader { linear: &linear, ..Shader::default() };
            let name = path.display().to_string();
            let loaded = load_with(bytes, &name, kind, index, &options, self.stop);
            let mut loaded = loaded.map_err(|error| match error {
                LoadError::Stopped(why) => node.error(why),
                LoadError::Asm(errors) => node.error(Problem::Source { errors: vec![errors] }),
                error => node.error(in_file(&path, error)),
            })?;
            self.shared.confine(&mut loaded.image);
            Ok(loaded)
        };
        let program = self.shared.program(&path, reading, read, load)?;
        Ok((path, program))
    }
}
