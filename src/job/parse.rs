//! The structure of a job file.

use super::error::{JobError, Problem};
use super::program::LoadedProgram;
use super::table::{Node, Source, Table};
use super::{
    Buffer, Expect, Job, Pass, PassCondition, Place, Role, SharedFiles, Subject, program, surface,
    values,
};
use crate::array::file::{self, RealPaths};
use crate::engine::FaultCode;
use crate::isa::{INPUTS, OUTPUTS};
use crate::launch::Constants;
use crate::load::{self, Kind};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Largest job file to read.
const MAX_FILE: u64 = 64 << 20;

/// Largest invalid TOML file that is tried as assembly text.
const MAX_ASSEMBLED: usize = 1 << 20;

const SHORT_KEYS: &[&str] =
    &["program", "domain", "constants", "input", "output", "condition", "initial"];
const KEYS: &[&str] = &[
    "version",
    "about",
    "program",
    "domain",
    "float",
    "limits",
    "constants",
    "input",
    "output",
    "condition",
    "initial",
    "expect",
    "buffer",
    "pass",
];
const PASS_KEYS: &[&str] = &[
    "program",
    "domain",
    "constants",
    "inputs",
    "outputs",
    "condition",
    "mask",
    "initial",
    "repeat",
    "swap",
];
const EXPECT_KEYS: &[&str] =
    &["output", "condition", "buffer", "fault", "file", "rtol", "atol", "max_bad", "bits"];

/// Reads the files that a job names.
pub struct Loader<'a> {
    base: &'a Path,
    /// The files that this job and others have read.
    pub(super) shared: &'a SharedFiles,
}

impl Loader<'_> {
    /// The path that a key names, if the key is present.
    pub fn path(&self, node: Option<Node<'_>>) -> Result<Option<PathBuf>, JobError> {
        node.map(|node| self.path_of(&node)).transpose()
    }
    /// The path that a key names, relative to the job's folder. Refuses paths that jobs may not
    /// use.
    pub fn path_of(&self, node: &Node<'_>) -> Result<PathBuf, JobError> {
        let name = Path::new(node.string()?);
        let path = self.base.join(name);
        match self.shared.check_in(self.base, name) {
            Ok(()) => Ok(path),
            Err(reason) => Err(node.error(Problem::Refused { path, reason })),
        }
    }
    /// The contents of the file that a key names, at most `limit` bytes.
    pub fn read(&self, node: &Node<'_>, limit: u64) -> Result<(PathBuf, Vec<u8>), JobError> {
        let path = self.path_of(node)?;
        match file::read(&path, limit) {
            Ok(bytes) => Ok((path, bytes)),
            Err(error) => Err(node.error(Problem::Read { path, error: error.to_string() })),
        }
    }
}

/// The problem of an invalid TOML file, if it is a program.
fn is_program(bytes: &[u8], file: &Path) -> Option<Problem> {
    let kind = load::detect(bytes);
    let is = match kind {
        // Any bytes may be a raw binary.
        Kind::Bin => false,
        Kind::Elf | Kind::Mesa | Kind::Hex | Kind::Ps => true,
        Kind::Asm => {
            file.extension().is_some_and(|ending| ending == "dpp")
                || bytes.len() < MAX_ASSEMBLED && load::load(bytes, "", Some(kind), None).is_ok()
        }
    };
    let name = file.file_name().unwrap_or_default();
    is.then(|| Problem::IsProgram { kind, name: name.to_string_lossy().into_owned() })
}

impl Job {
    /// Reads a job file and everything it names, except expected arrays.
    ///
    /// # Errors
    /// The first problem, with its line and key.
    pub fn read(path: &Path) -> Result<Job, JobError> {
        Job::read_shared(path, &SharedFiles::new())
    }

    /// [`Job::read`] for one of many jobs: does not reread what other jobs have read.
    ///
    /// # Errors
    /// As [`Job::read`].
    pub fn read_shared(path: &Path, shared: &SharedFiles) -> Result<Job, JobError> {
        Job::parse_shared(&Job::text(path, shared)?, path, shared)
    }

    /// The text of a job file, if `shared` allows reading it.
    ///
    /// # Errors
    /// If it cannot be read or is not text.
    pub fn text(path: &Path, shared: &SharedFiles) -> Result<String, JobError> {
        let fail = |problem| JobError::of_file(path, problem);
        shared.check(path).map_err(|reason| {
            let path = path.to_path_buf();
            fail(Problem::Refused { path, reason })
        })?;
        let bytes = file::read(path, MAX_FILE).map_err(|error| {
            fail(Problem::Read { path: path.to_path_buf(), error: error.to_string() })
        })?;
        String::from_utf8(bytes).map_err(|error| {
            let offset = error.utf8_error().valid_up_to();
            fail(is_program(error.as_bytes(), path).unwrap_or(Problem::NotText { offset }))
        })
    }

    /// Parses the text of a job file. `file` is its name, for errors; relative paths in it are
    /// relative to the folder of `file`.
    ///
    /// # Errors
    /// As [`Job::read`].
    pub fn parse(text: &str, file: &Path) -> Result<Job, JobError> {
        Job::parse_shared(text, file, &SharedFiles::new())
    }

    /// [`Job::parse`] for one of many jobs: does not reread what other jobs have read.
    ///
    /// # Errors
    /// As [`Job::read`].
    pub fn parse_shared(text: &str, file: &Path, shared: &SharedFiles) -> Result<Job, JobError> {
        let source = Source::new(file, text);
        let tree = toml::de::DeTable::parse(text).map_err(|error| {
            match is_program(text.as_bytes(), file) {
                Some(problem) => JobError::of_file(file, problem),
                None => source.syntax(&error),
            }
        })?;
        let root = Table::root(&source, tree.get_ref());
        root.check(KEYS)?;
        let version = root.need("version")?;
        if version.integer(i64::MIN, i64::MAX)? != 1 {
            return Err(version.error(Problem::Number {
                value: version.written(),
                needed: "1, the only version there is",
            }));
        }
        let about = root.get("about").map_or(Ok(""), |node| node.string())?;
        let base = file.parent().unwrap_or(Path::new(""));
        let loader = Loader { base, shared };
        let mut job = Job {
            file: file.to_path_buf(),
            about: about.to_string(),
            mode: values::float_mode(&root)?,
            limits: values::limits(&root)?,
            buffers: Vec::new(),
            passes: Vec::new(),
            expects: Vec::new(),
            warnings: Vec::new(),
            compile: Duration::ZERO,
        };
        let long = ["pass", "buffer"].into_iter().find(|k| root.get(k).is_some());
        match long {
            Some(_) => {
                if let Some(node) = SHORT_KEYS.iter().find_map(|key| root.get(key)) {
                    let other = "[[buffer]] and [[pass]]";
                    return Err(node.error(Problem::Conflict { other }));
                }
                job.long_form(&loader, &root)?;
            }
            None => job.short_form(&loader, &root)?,
        }
        let names = Names::of(&job.buffers);
        for node in root.list("expect")? {
            let expect = job.expect(&loader, &names, &node)?;
            job.expects.push(expect);
        }
        job.check_files()?;
        for buffer in &job.buffers {
            job.warnings.extend(buffer.warnings());
        }
        for pass in &job.passes {
            for &(slot, buffer) in &pass.outputs {
                let text = job.buffers[buffer].beyond_width(pass, slot);
                job.warnings.extend(text);
            }
        }
        let mut told = HashSet::new();
        job.warnings.retain(|text| told.insert(text.clone()));
        Ok(job)
    }

    /// Refuses two outputs to one file, and an output that replaces the job or one of its programs.
    /// (An array may be both read and saved: then each run continues the previous one.)
    fn check_files(&self) -> Result<(), JobError> {
        let mut real = RealPaths::default();
        let mut sources: BTreeMap<PathBuf, &'static str> = BTreeMap::new();
        let mut seen: BTreeMap<PathBuf, u32> = BTreeMap::new();
        for (buffer, key, path) in self.outputs() {
            if sources.is_empty() {
                let programs = self.passes.iter().map(|pass| &pass.program_file);
                for program in programs.collect::<BTreeSet<_>>() {
                    sources.insert(real.of(program), "its program");
                }
                sources.insert(real.of(&self.file), "the job itself");
            }
            let place = real.of(path);
            let problem = if let Some(what) = sources.get(&place) {
                let path = path.to_path_buf();
                Problem::Replaced { path, what }
            } else if let Some(line) = seen.insert(place, buffer.place.line_of(key)) {
                let what = format!("the file {}", path.display());
                Problem::Twice { what, line }
            } else {
                continue;
            };
            return Err(self.error_at(&buffer.place, key, problem));
        }
        Ok(())
    }

    fn short_form(&mut self, loader: &Loader<'_>, root: &Table<'_>) -> Result<(), JobError> {
        let (program_node, domain_node) = (root.need("program")?, root.need("domain")?);
        let loaded = self.program(loader, &program_node)?;
        let domain = values::domain(&domain_node)?;
        let constants = self.constants(loader, root.get("constants"), &loaded)?;
        let size = Some((domain.i1 + 1, domain.j1 + 1));
        let mut inputs = Vec::new();
        let mut seen = Seen::default();
        for node in root.list("input")? {
            let table = node.table(surface::INPUT_KEYS)?;
            let slot = table.need("slot")?;
            let number = slot.unsigned(0, INPUTS as u32 - 1)?;
            seen.add(&slot, number, "input")?;
            let name = format!("input {number}");
            inputs.push((number, self.buffers.len()));
            let role = Role::Input(number);
            self.buffers.push(Buffer::read(loader, &table, role, name, None)?);
        }
        let mut outputs = Vec::new();
        let mut seen = Seen::default();
        let mut first_mask: Option<(u8, String, u32)> = None;
        for node in root.list("output")? {
            let table = node.table(surface::OUTPUT_KEYS)?;
            let slot = table.need("slot")?;
            let number = slot.unsigned(0, OUTPUTS as u32 - 1)?;
            seen.add(&slot, number, "output")?;
            let (mask, text, line) = match table.get("mask") {
                Some(node) => (values::mask(&node)?, node.string()?, node.line()),
                None => (15, "rgba", table.line()),
            };
            match &first_mask {
                None => first_mask = Some((mask, text.to_string(), line)),
                Some((first, _, _)) if *first == mask => {}
                Some((_, first, line)) => {
                    let problem = Problem::Masks {
                        found: text.to_string(),
                        first: first.clone(),
                        line: *line,
                    };
                    return Err(table.error_at("mask", problem));
                }
            }
            let name = format!("output {number}");
            outputs.push((number, self.buffers.len()));
            let role = Role::Output(number);
            self.buffers.push(Buffer::read(loader, &table, role, name, size)?);
        }
        let condition = match root.get("condition") {
            None => None,
            Some(node) => {
                let table = node.table(surface::CONDITION_KEYS)?;
                let name = "condition".to_string();
                let buffer = Buffer::read(loader, &table, Role::Condition, name, size)?;
                values::check_condition_format(buffer.format)
                    .map_err(|p| table.error_at("format", p))?;
                let (test, location, value, write) =
                    values::condition(&table, Some(buffer.format))?;
                self.buffers.push(buffer);
                Some(PassCondition {
                    buffer: Some(self.buffers.len() - 1),
                    test,
                    location,
                    value,
                    write,
                })
            }
        };
        let mut initial = Vec::new();
        let mut seen = Seen::default();
        for node in root.list("initial")? {
            let table = node.table(&["temp", "file"])?;
            let temp = table.need("temp")?;
            let number = temp.unsigned(0, values::LAST_TEMP)?;
            seen.add(&temp, number, "temporary")?;
            initial.push(values::initial(loader, number, &table.need("file")?, &domain)?);
        }
        self.passes.push(Pass {
            program: loaded.program,
            program_file: loaded.path,
            domain,
            constants,
            inputs,
            outputs,
            condition,
            mask: Some(first_mask.map_or(15, |m| m.0)),
            initial,
            repeat: 1,
            swap: None,
            place: Place {
                line: program_node.line(),
                key: "program".to_string(),
                keys: Vec::new(),
            },
        });
        Ok(())
    }

    fn long_form(&mut self, loader: &Loader<'_>, root: &Table<'_>) -> Result<(), JobError> {
        let mut lines: BTreeMap<String, u32> = BTreeMap::new();
        for node in root.list("buffer")? {
            let table = node.table(surface::BUFFER_KEYS)?;
            let name = table.need("name")?;
            let text = name.string()?.to_string();
            if let Some(line) = lines.insert(text.clone(), name.line()) {
                return Err(name.error(Problem::Twice { what: format!("buffer \"{text}\""), line }));
            }
            self.buffers.push(Buffer::read(loader, &table, Role::Named, text, None)?);
        }
        let passes = root.need("pass")?;
        let names = Names::of(&self.buffers);
        for node in passes.array()? {
            let mut pass = self.pass(loader, &names, &node)?;
            // All constants take 4 KiB, and passes often have the same ones.
            if let Some(last) = self.passes.last()
                && last.constants == pass.constants
            {
                pass.constants = Arc::clone(&last.constants);
            }
            self.passes.push(pass);
        }
        if self.passes.is_empty() {
            return Err(passes.error(Problem::Missing { context: ": at least one [[pass]]" }));
        }
        Ok(())
    }

    /// Loads a program; records the time and the warnings.
    fn program(&mut self, loader: &Loader<'_>, node: &Node<'_>) -> Result<LoadedProgram, JobError> {
        let started = Instant::now();
        let loaded = program::program(loader, node)?;
        self.compile += started.elapsed();
        self.warn(&loaded.name, &loaded.warnings);
        Ok(loaded)
    }

    /// Reads the constants of a program; records the warnings.
    fn constants(
        &mut self,
        loader: &Loader<'_>,
        node: Option<Node<'_>>,
        loaded: &LoadedProgram,
    ) -> Result<Arc<Constants>, JobError> {
        let (constants, warnings) = values::constants(loader, node, &loaded.program)?;
        self.warn(&loaded.name, &warnings);
        Ok(Arc::new(constants))
    }

    /// Records warnings about a program; duplicates are removed at the end.
    fn warn(&mut self, name: &str, warnings: &[String]) {
        self.warnings.extend(warnings.iter().map(|text| format!("{name}: {text}")));
    }

    fn pass(
        &mut self,
        loader: &Loader<'_>,
        names: &Names,
        node: &Node<'_>,
    ) -> Result<Pass, JobError> {
        let table = node.table(PASS_KEYS)?;
        let (program_node, domain_node) = (table.need("program")?, table.need("domain")?);
        let loaded = self.program(loader, &program_node)?;
        let domain = values::domain(&domain_node)?;
        let constants = self.constants(loader, table.get("constants"), &loaded)?;
        let bind = |key, slots: usize| -> Result<Vec<(u32, usize)>, JobError> {
            let Some(node) = table.get(key) else {
                return Ok(Vec::new());
            };
            let entries = node.any_table()?.numbered(slots as u32 - 1)?;
            entries
                .iter()
                .map(|(slot, node)| {
                    let buffer = names.get(node)?;
                    if key == "inputs" {
                        let b = &self.buffers[buffer];
                        surface::check_2x2(b.tiling, b.format).map_err(|p| node.error(p))?;
                    }
                    Ok((*slot, buffer))
                })
                .collect()
        };
        let inputs = bind("inputs", INPUTS)?;
        let outputs = bind("outputs", OUTPUTS)?;
        let condition = match table.get("condition") {
            None => None,
            Some(node) => {
                let table = node.table(&["buffer", "test", "location", "value", "write"])?;
                let buffer = match table.get("buffer") {
                    None => None,
                    Some(node) => {
                        let buffer = names.get(&node)?;
                        values::check_condition_format(self.buffers[buffer].format)
                            .map_err(|p| node.error(p))?;
                        Some(buffer)
                    }
                };
                let format = buffer.map(|b| self.buffers[b].format);
                let (test, location, value, write) = values::condition(&table, format)?;
                if buffer.is_none() && test.reads_buffer() {
                    return Err(table.error(
                        "buffer",
                        Problem::Missing { context: " for a test that reads it" },
                    ));
                }
                Some(PassCondition { buffer, test, location, value, write })
            }
        };
        let mut initial = Vec::new();
        if let Some(node) = table.get("initial") {
            for (temp, file) in node.any_table()?.numbered(values::LAST_TEMP)? {
                initial.push(values::initial(loader, temp, &file, &domain)?);
            }
        }
        let swap = match table.get("swap") {
            None => None,
            Some(node) => {
                let pair = node.array()?;
                let [a, b] = &pair[..] else {
                    return Err(node.error(Problem::Count {
                        found: pair.len(),
                        needed: "2: the names that change places".to_string(),
                    }));
                };
                Some((names.get(a)?, names.get(b)?))
            }
        };
        Ok(Pass {
            program: loaded.program,
            program_file: loaded.path,
            domain,
            constants,
            inputs,
            outputs,
            condition,
            mask: table.get("mask").map(|m| values::mask(&m)).transpose()?,
            initial,
            repeat: table.get("repeat").map_or(Ok(1), |node| node.unsigned(1, u32::MAX))?,
            swap,
            place: Place { line: node.line(), key: node.key().to_string(), keys: Vec::new() },
        })
    }

    fn expect(
        &self,
        loader: &Loader<'_>,
        names: &Names,
        node: &Node<'_>,
    ) -> Result<Expect, JobError> {
        let table = node.table(EXPECT_KEYS)?;
        let place = table.place();
        let subjects: Vec<(&str, Node<'_>)> = ["output", "condition", "buffer", "fault"]
            .into_iter()
            .filter_map(|key| Some((key, table.get(key)?)))
            .collect();
        let (key, value) = match &subjects[..] {
            [] => {
                return Err(table.error(
                    "",
                    Problem::Other(
                        "nothing to look at: one of output, condition, buffer, fault is required"
                            .to_string(),
                    ),
                ));
            }
            [(key, value)] => (*key, value),
            [(other, _), (_, value), ..] => {
                return Err(value.error(Problem::Conflict { other }));
            }
        };
        let absent = |what: String| value.error(Problem::Absent(what));
        let of_role = |role| self.buffers.iter().position(|b| b.role == role);
        let buffer = match key {
            "fault" => {
                for key in ["file", "rtol", "atol", "max_bad", "bits"] {
                    if let Some(node) = table.get(key) {
                        return Err(node.error(Problem::Conflict { other: "fault" }));
                    }
                }
                let codes = FaultCode::ALL.map(|code| (code.name(), code));
                let subject = Subject::Fault(value.choice(&codes)?);
                return Ok(Expect { subject, place });
            }
            "output" => {
                let slot = value.unsigned(0, OUTPUTS as u32 - 1)?;
                of_role(Role::Output(slot)).ok_or_else(|| absent(format!("output {slot}")))?
            }
            "condition" => {
                if !value.boolean()? {
                    return Err(value.error(Problem::Number {
                        value: "false".to_string(),
                        needed: "possible here: leave the key out, or write true",
                    }));
                }
                of_role(Role::Condition).ok_or_else(|| absent("[condition]".to_string()))?
            }
            _ => names.get(value)?,
        };
        let file = loader.path_of(&table.need("file")?)?;
        Ok(Expect {
            subject: Subject::Buffer { buffer, file, tolerance: values::tolerance(&table)? },
            place,
        })
    }
}

/// The buffers by name.
struct Names(HashMap<String, usize>);

impl Names {
    fn of(buffers: &[Buffer]) -> Names {
        let names = buffers.iter().enumerate();
        Names(names.map(|(n, b)| (b.name.clone(), n)).collect())
    }

    /// The buffer that a value names.
    fn get(&self, node: &Node<'_>) -> Result<usize, JobError> {
        let name = node.string()?;
        self.0.get(name).copied().ok_or_else(|| {
            let mut known: Vec<_> = self.0.iter().collect();
            known.sort_by_key(|&(_, n)| n);
            node.error(Problem::NoBuffer {
                name: name.to_string(),
                known: known.iter().map(|(b, _)| format!("\"{b}\"")).collect(),
            })
        })
    }
}

/// Slots that were already given, with their lines.
#[derive(Default)]
struct Seen(BTreeMap<u32, u32>);

impl Seen {
    fn add(&mut self, node: &Node<'_>, number: u32, what: &str) -> Result<(), JobError> {
        match self.0.insert(number, node.line()) {
            None => Ok(()),
            Some(line) => {
                Err(node.error(Problem::Twice { what: format!("{what} {number}"), line }))
            }
        }
    }
}
