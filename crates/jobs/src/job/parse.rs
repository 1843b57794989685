//! The structure of a job file.

use super::error::{JobError, caught, named};
use super::files::reads;
use super::loader::{Loader, Seen, twice};
use super::node::{Node, Source};
use super::registers::Registers;
use super::shader::{self, Uniforms};
use super::{
    Buffer, Expect, Job, Pass, Results, Role, SharedFiles, Subject, program, ranges, registers,
    sharing, surface, values,
};
use ctm_base::clock::Instant;
use ctm_base::files::{self, RealPaths};
use ctm_base::panics;
use ctm_base::stop::Stop;
use ctm_isa::isa::OUTPUTS;
use ctm_lang::load::{self, Kind};
use ctm_lang::program::NameKind;
use ctm_machine::engine::FaultCode;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml_spanner::{Arena, Table};

/// Largest job file, in bytes. Arrays have files of their own.
pub const MAX_FILE: u64 = 8 << 20;

/// The most repetitions that differ.
pub(super) const MOST_EACH: usize = 4096;

/// Largest invalid TOML file that is tried as assembly text.
const MAX_ASSEMBLED: usize = 1 << 20;

const SHORT_KEYS: &str = "program domain constants uniforms ranges input output condition initial";
const KEYS: &str = "version about program domain float limits constants uniforms ranges input output condition \
                    initial sharing expect buffer pass";
const PASS_KEYS: &str = "program domain constants uniforms ranges inputs outputs condition mask initial repeat swap each";
const EXPECT_KEYS: &str =
    "output condition buffer shared fault file mask rtol atol ulps max_bad bits";

/// The problem of a file that is not TOML, if it is a program. One whose extension says that it is a job has
/// only errors of a job.
fn is_program(bytes: &[u8], file: &Path) -> Option<String> {
    if file.extension().is_some_and(|ending| ending == "toml") {
        return None;
    }
    if bytes.starts_with(&load::RECORDING) {
        return Some(load::IS_RECORDING.to_string());
    }
    if bytes.starts_with(&load::PACK) {
        return Some(load::IS_PACK.to_string());
    }
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    if lines.peek().is_some() && lines.all(|line| line.ends_with(".toml")) {
        let name = named(file);
        return Some(format!("a list of jobs? `ctm batch --list {name}` runs it"));
    }
    let kind = Kind::of_name(&file.to_string_lossy()).unwrap_or_else(|| load::detect(bytes));
    let is = match kind {
        // Any bytes may be a raw binary.
        Kind::Bin => false,
        Kind::Elf | Kind::Mesa | Kind::Hex | Kind::Ps | Kind::Glsl | Kind::Wgsl => true,
        Kind::Asm => {
            file.extension().is_some_and(|ending| ending == "dpp")
                || bytes.len() < MAX_ASSEMBLED
                    && load::load(bytes, "", Some(kind), None, Stop::never()).is_ok()
        }
    };
    is.then(|| {
        format!(
            "found a program of kind {}, needed a job: `ctm new` writes one that runs it, and `ctm run`, \
             `ctm check`, `ctm compare`, `ctm info` and others take programs; in a job it is \
             program = {{ file = \"{}\" }}",
            kind.name(),
            named(Path::new(file.file_name().unwrap_or_default()))
        )
    })
}

impl Job {
    /// Reads a job file and everything it names, except expected arrays.
    ///
    /// # Errors
    /// The first problem, with its line and key.
    pub fn read(path: &Path) -> Result<Job, JobError> {
        Job::read_shared(path, &SharedFiles::new(), Stop::never())
    }

    /// [`Job::read`] for one of many jobs: does not reread what other jobs have read.
    ///
    /// # Errors
    /// As [`Job::read`], or reading was [stopped](JobError::stopped).
    pub fn read_shared(path: &Path, shared: &SharedFiles, stop: &Stop) -> Result<Job, JobError> {
        Job::parse_shared(&Job::text(path, shared)?, path, shared, stop)
    }

    /// The text of a job file, if `shared` allows reading it.
    ///
    /// # Errors
    /// If it cannot be read or is not text.
    pub fn text(path: &Path, shared: &SharedFiles) -> Result<String, JobError> {
        let fail = |problem: String| JobError::of_file(path, problem);
        shared.check(path).map_err(|reason| fail(reason.to_string()))?;
        let bytes = files::read(path, MAX_FILE);
        let bytes = bytes.map_err(|error| fail(format!("cannot read it: {error}")))?;
        String::from_utf8(bytes).map_err(|error| {
            fail(is_program(error.as_bytes(), path).unwrap_or_else(|| {
                let offset = error.utf8_error().valid_up_to();
                format!("offset {offset:#x}: the file is not UTF-8 text")
            }))
        })
    }

    /// Parses the text of a job file. `file` is its name, for errors; relative paths in it are
    /// relative to the folder of `file`.
    ///
    /// # Errors
    /// As [`Job::read`].
    pub fn parse(text: &str, file: &Path) -> Result<Job, JobError> {
        Job::parse_shared(text, file, &SharedFiles::new(), Stop::never())
    }

    /// [`Job::parse`] for one of many jobs: does not reread what other jobs have read.
    ///
    /// # Errors
    /// As [`Job::read_shared`].
    pub fn parse_shared(
        text: &str,
        file: &Path,
        shared: &SharedFiles,
        stop: &Stop,
    ) -> Result<Job, JobError> {
        Job::of_parsed(text, None, file, shared, stop)
    }

    /// [`Job::parse_shared`] with the tree of the text, if it is already known.
    pub(super) fn of_parsed(
        text: &str,
        tree: Option<&Table<'_>>,
        file: &Path,
        shared: &SharedFiles,
        stop: &Stop,
    ) -> Result<Job, JobError> {
        caught(file, || Job::of_text(text, tree, file, shared, stop))
    }

    fn of_text(
        text: &str,
        tree: Option<&Table<'_>>,
        file: &Path,
        shared: &SharedFiles,
        stop: &Stop,
    ) -> Result<Job, JobError> {
        panics::point("read", || file.display().to_string());
        let size = text.len();
        if size as u64 > MAX_FILE {
            let problem = format!("the job has {size} bytes, expected at most {MAX_FILE}");
            return Err(JobError::of_file(file, problem));
        }
        let (source, arena) = (Source::new(file, text), Arena::new());
        let parsed;
        let tree = match tree {
            Some(tree) => tree,
            None => {
                parsed = source.parse(&arena).map_err(|error| {
                    is_program(text.as_bytes(), file)
                        .map_or(error, |problem| JobError::of_file(file, problem))
                })?;
                &parsed
            }
        };
        let root = Node::root(&source, tree).table(KEYS)?;
        let version = root.need("version")?;
        if version.integer(i64::MIN, i64::MAX)? != 1 {
            return Err(version.is_not("1, the only version there is"));
        }
        let about = root.read("about", |node| node.string())?.unwrap_or_default();
        let base = file.parent().unwrap_or(Path::new(""));
        let loader = Loader { base, shared, stop };
        let mut job = Job {
            file: file.to_path_buf(),
            about: about.to_string(),
            mode: values::float_mode(&root)?,
            limits: values::limits(&root)?,
            buffers: Vec::new(),
            passes: Vec::new(),
            sharing: None,
            expects: Vec::new(),
            warnings: Vec::new(),
            compile: None,
        };
        let mut registers = Registers::default();
        if root.get("pass").or_else(|| root.get("buffer")).is_some() {
            if let Some(node) = SHORT_KEYS.split(' ').find_map(|key| root.get(key)) {
                return Err(node.conflict("[[buffer]] and [[pass]]"));
            }
            job.long_form(&loader, &root, &mut registers)?;
        } else {
            job.short_form(&loader, &root, &mut registers)?;
        }
        job.turn_pictures();
        job.sharing = sharing::read(&job, &loader, &root)?;
        let names = Names::of(&job.buffers);
        for node in root.list("expect")? {
            let expect = job.expect(&loader, &names, node)?;
            job.expects.push(expect);
        }
        let programs = job.passes.iter().map(|pass| &*pass.program);
        job.warnings.extend(registers.check(programs)?);
        job.check_files(reads(&Node::root(&source, tree), base))?;
        job.warnings.extend(job.buffers.iter().filter_map(Buffer::warning));
        for pass in &job.passes {
            for &(slot, buffer) in &pass.outputs {
                let text = job.buffers[buffer].beyond_width(pass, slot);
                job.warnings.extend(text);
            }
        }
        let mut seen = HashSet::new();
        job.warnings.retain(|text| seen.insert(text.clone()));
        Ok(job)
    }

    /// Refuses two outputs to one file, and an output that replaces the job, one of its programs,
    /// an array or mask of an `[[expect]]`, or one of the files that it reads.
    /// (An array may be both read and saved: then each run continues the previous one.)
    fn check_files(&self, reads: Vec<PathBuf>) -> Result<(), JobError> {
        let mut real = RealPaths::default();
        let mut sources: BTreeMap<PathBuf, &'static str> = BTreeMap::new();
        let mut seen: BTreeMap<PathBuf, u32> = BTreeMap::new();
        let mut read = BTreeSet::new();
        self.check_pictures()?;
        for (location, key, path) in self.outputs() {
            if sources.is_empty() {
                let programs = self.passes.iter().map(|pass| &pass.program_file);
                for program in programs.collect::<BTreeSet<_>>() {
                    sources.insert(real.file(program), "its program");
                }
                for expect in &self.expects {
                    if let Subject::Array { file, mask, .. } = &expect.subject {
                        sources.insert(real.file(file), "an array that it expects");
                        let mask = mask.as_ref().map(|mask| real.file(mask));
                        sources.extend(mask.map(|mask| (mask, "a mask of its [[expect]]")));
                    }
                }
                sources.insert(real.file(&self.file), "the job itself");
                read.extend(reads.iter().map(|path| real.file(path)));
            }
            let place = real.file(&path);
            let problem = if let Some(what) = sources.get(&place) {
                format!("{} is {what}, which would be replaced", named(&path))
            } else if read.contains(&place) && (key != "save" || is_picture(&path)) {
                format!("{} is a file that the job reads, which would be replaced", named(&path))
            } else if let Some(line) = seen.insert(place, location.line_of(key)) {
                twice(&format!("the file {}", named(&path)), line)
            } else {
                continue;
            };
            return Err(self.error_at(location, key, problem));
        }
        self.check_saves()
    }

    fn short_form<'a>(
        &mut self,
        loader: &Loader<'_>,
        root: &Node<'a>,
        registers: &mut Registers<'a>,
    ) -> Result<(), JobError> {
        let inputs = root.list("input")?;
        let (mut pass, uniforms) =
            self.launch(loader, root, registers, shader::linear(&inputs)?)?;
        let program = Arc::clone(&pass.program);
        pass.location = root.need("program")?.location(&[]);
        let size = Some((pass.domain.i1 + 1, pass.domain.j1 + 1));
        let mut seen = Seen::default();
        for node in inputs {
            let table = node.table(surface::INPUT_KEYS)?;
            if let Some(note) = shader::unused(&table, program.image(), NameKind::Input) {
                self.warnings.push(note);
                continue;
            }
            let (number, node) = registers.one(&table, "slot", &program, NameKind::Input)?;
            let name = seen.add(&node, format!("input {number}"))?;
            let name = node.string().map_or(name, str::to_string);
            pass.inputs.push((number, self.buffers.len()));
            self.buffers.push(Buffer::read(loader, &table, Role::Input(number), name, None)?);
        }
        let mut first_mask = None;
        for node in root.list("output")? {
            let table = node.table(surface::OUTPUT_KEYS)?;
            let (number, node) = registers.one(&table, "slot", &program, NameKind::Output)?;
            let name = seen.add(&node, format!("output {number}"))?;
            let name = node.string().map_or(name, str::to_string);
            let (mask, text, line) = match table.get("mask") {
                Some(node) => (values::mask(&node)?, node.string()?.to_string(), node.line()),
                None => (15, "rgba".to_string(), table.line()),
            };
            let (first, wanted, line) = first_mask.get_or_insert((mask, text.clone(), line));
            if *first != mask {
                return Err(table.error_at(
                    "mask",
                    format!(
                        "\"{text}\" differs from \"{wanted}\" in line {line}: one mask holds for \
                         all outputs"
                    ),
                ));
            }
            pass.outputs.push((number, self.buffers.len()));
            self.buffers.push(Buffer::read(loader, &table, Role::Output(number), name, size)?);
        }
        pass.mask = Some(first_mask.map_or(15, |(mask, ..)| mask));
        if let Some(node) = root.get("condition") {
            let table = node.table(surface::CONDITION_KEYS)?;
            let name = "condition".to_string();
            let buffer = Buffer::read(loader, &table, Role::Condition, name, size)?;
            values::check_condition_format(buffer.format)
                .map_err(|p| table.error_at("format", p))?;
            let with = Some((self.buffers.len(), buffer.format));
            pass.condition = Some(values::condition(&table, with)?);
            self.buffers.push(buffer);
        }
        for node in root.list("initial")? {
            let table = node.table("temp name file fill plane")?;
            if let Some(note) = shader::unused(&table, program.image(), NameKind::Temp) {
                self.warnings.push(note);
                continue;
            }
            let (number, temp) = registers.one(&table, "temp", &program, NameKind::Temp)?;
            values::check_initial(&program, number, &temp)?;
            seen.add(&temp, format!("temporary {number}"))?;
            pass.initial.push(values::initial_in(loader, number, &table, &pass.domain)?);
        }
        self.warnings.extend(uniforms.complete(&mut pass, &self.buffers));
        self.passes.push(pass);
        Ok(())
    }

    fn long_form<'a>(
        &mut self,
        loader: &Loader<'_>,
        root: &Node<'a>,
        registers: &mut Registers<'a>,
    ) -> Result<(), JobError> {
        let mut seen = Seen::default();
        let mut linear = HashSet::new();
        for node in root.list("buffer")? {
            let table = node.table(surface::BUFFER_KEYS)?;
            let name = table.need("name")?;
            let text = name.string()?;
            seen.add(&name, format!("buffer \"{text}\""))?;
            if shader::interpolates(&table)? {
                linear.insert(text.to_string());
            }
            self.buffers.push(Buffer::read(loader, &table, Role::Named, text.to_string(), None)?);
        }
        let passes = root.need("pass")?;
        let names = Names::of(&self.buffers);
        let mut wrong: Option<JobError> = None;
        for node in passes.array()? {
            let mut pass = match self.pass(loader, &names, node, &linear, registers) {
                Ok(pass) => pass,
                // The sources of the other passes are looked at, too.
                Err(error) if wrong.is_some() || !error.source_errors().is_empty() => {
                    match &mut wrong {
                        Some(first) => first.add_sources(&error),
                        None => wrong = Some(error),
                    }
                    continue;
                }
                Err(error) => return Err(error),
            };
            // All constants take 4 KiB, and passes often have the same ones.
            if let Some(last) = self.passes.last()
                && last.constants == pass.constants
            {
                pass.constants = Arc::clone(&last.constants);
            }
            self.passes.push(pass);
        }
        if let Some(error) = wrong {
            return Err(error);
        }
        if self.passes.is_empty() {
            return Err(root.missing("pass", ": at least one [[pass]]"));
        }
        Ok(())
    }

    /// Reads what both forms say in the same words: program, domain and constants. The rest of the
    /// pass is unchanged from the pass before.
    fn launch<'a>(
        &mut self,
        loader: &Loader<'_>,
        table: &Node<'a>,
        registers: &mut Registers<'a>,
        linear: Vec<String>,
    ) -> Result<(Pass, Uniforms), JobError> {
        let (program, domain) = (table.need("program")?, table.need("domain")?);
        let started = Instant::now();
        let loaded = program::program(loader, program, linear)?;
        *self.compile.get_or_insert_default() += started.elapsed();
        registers.undeclared |= !loaded.declares;
        let domain = values::domain(domain)?;
        let each = table.read("each", |node| node.table("float int bool inputs"))?;
        let given = table.get("constants");
        let (constants, varying, warnings) =
            values::constants(loader, given, each, &loaded.program, registers)?;
        // Duplicates are removed at the end.
        let warnings = loaded.warnings.iter().chain(&warnings);
        self.warnings.extend(warnings.map(|text| format!("{}: {text}", loaded.name)));
        let (uniforms, notes) = Uniforms::read(table, loaded.program.image())?;
        self.warnings.extend(notes);
        let (program, file) = (loaded.program, loaded.path);
        let mut pass = Pass::new(program, file, domain, Arc::new(constants), table.location(&[]));
        pass.each.constants = varying;
        pass.ranges = ranges::read(table, &pass.program, registers)?;
        Ok((pass, uniforms))
    }

    fn pass<'a>(
        &mut self,
        loader: &Loader<'_>,
        names: &Names,
        node: Node<'a>,
        linear: &HashSet<String>,
        registers: &mut Registers<'a>,
    ) -> Result<Pass, JobError> {
        let table = node.table(PASS_KEYS)?;
        let linear = shader::linear_in(&table, linear)?;
        let (mut pass, uniforms) = self.launch(loader, &table, registers, linear)?;
        let program = Arc::clone(&pass.program);
        let mut of = |table: &Node<'a>, key, kind| registers.table(table, key, &program, kind);
        let input = |node: &Node<'_>| {
            let buffer = names.get(node)?;
            let Buffer { tiling, format, .. } = self.buffers[buffer];
            surface::check_2x2(tiling, format).map_err(|p| node.error(p))?;
            Ok::<usize, JobError>(buffer)
        };
        for (slot, node) in of(&table, "inputs", NameKind::Input)? {
            pass.inputs.push((slot, input(&node)?));
        }
        for (slot, node) in of(&table, "outputs", NameKind::Output)? {
            pass.outputs.push((slot, names.get(&node)?));
        }
        if let Some(each) = table.get("each") {
            for (slot, list) in of(&each, "inputs", NameKind::Input)? {
                if pass.inputs.iter().any(|input| input.0 == slot) {
                    return Err(list.error("it is given in `inputs`, too"));
                }
                let buffers = list.array()?.iter().map(input).collect::<Result<_, _>>()?;
                pass.each.inputs.push((slot, buffers));
            }
            Job::lengths(&mut pass, &table, &each)?;
        }
        pass.condition = table.read("condition", |node| {
            let table = node.table("buffer test location value write")?;
            let buffer = table.read("buffer", |node| {
                let buffer = names.get(&node)?;
                let format = self.buffers[buffer].format;
                values::check_condition_format(format).map_err(|p| node.error(p))?;
                Ok((buffer, format))
            })?;
            let condition = values::condition(&table, buffer)?;
            if buffer.is_none() && condition.test.reads_buffer() {
                return Err(table.missing("buffer", " for a test that reads it"));
            }
            Ok(condition)
        })?;
        for (temp, file) in of(&table, "initial", NameKind::Temp)? {
            values::check_initial(&program, temp, &file)?;
            pass.initial.push(values::initial(loader, temp, &file, &pass.domain)?);
        }
        self.warnings.extend(uniforms.complete(&mut pass, &self.buffers));
        pass.swap = table.read("swap", |node| {
            let [a, b] = node.exactly("the names that change places")?;
            Ok((names.get(&a)?, names.get(&b)?))
        })?;
        pass.mask = table.read("mask", |node| values::mask(&node))?;
        if pass.each.is_empty() {
            pass.repeat = table.read("repeat", |node| node.unsigned(1, u32::MAX))?.unwrap_or(1);
        }
        Ok(pass)
    }

    /// Sets the repetitions of a pass to the length of the lists in `each`, which must be the same, and that
    /// of `repeat`, if it is given.
    fn lengths(pass: &mut Pass, table: &Node<'_>, each: &Node<'_>) -> Result<(), JobError> {
        let constants = pass.each.constants.iter().map(|(.., values)| values.len());
        let lengths = constants.chain(pass.each.inputs.iter().map(|(_, buffers)| buffers.len()));
        let lengths: Vec<usize> = lengths.collect();
        let Some(&first) = lengths.first() else {
            return Err(each.error("it has no list: leave it out"));
        };
        if let Some(other) = lengths.iter().find(|&&length| length != first) {
            let text =
                format!("one list has {first} values and one has {other}: one for each repetition");
            return Err(each.error(text));
        }
        if !(1..=MOST_EACH).contains(&first) {
            return Err(each.wrong_count(first, &format!("1 to {MOST_EACH}")));
        }
        let repeat = table.read("repeat", |node| {
            let repeat = node.unsigned(1, u32::MAX)?;
            if repeat as usize == first {
                Ok(repeat)
            } else {
                Err(node.error(format!("{repeat} repetitions, and `each` has {first} values")))
            }
        })?;
        pass.repeat = repeat.unwrap_or(first as u32);
        Ok(())
    }

    fn expect(
        &self,
        loader: &Loader<'_>,
        names: &Names,
        node: Node<'_>,
    ) -> Result<Expect, JobError> {
        let table = node.table(EXPECT_KEYS)?;
        let location = table.location(&["file", "mask"]);
        let subjects = ["output", "condition", "buffer", "shared", "fault"];
        let (key, value) = table.one_of(&subjects, "nothing to look at")?;
        let of_role = |role, what| {
            let found = self.buffers.iter().position(|b| b.role == role);
            found.ok_or_else(|| value.error(format!("the job has no {what}")))
        };
        let must_be_true = || {
            if value.boolean()? {
                Ok(())
            } else {
                Err(value.is_not("possible here: leave the key out, or write true"))
            }
        };
        let of = match key {
            "fault" => {
                for key in ["file", "mask", "rtol", "atol", "ulps", "max_bad", "bits"] {
                    if let Some(node) = table.get(key) {
                        return Err(node.conflict("fault"));
                    }
                }
                let subject = Subject::Fault(value.choice(&FaultCode::ALL, FaultCode::name)?);
                return Ok(Expect { subject, location });
            }
            "output" => {
                let slot = match value.string() {
                    // Only the short form has outputs, and it has one program.
                    Ok(name) => registers::find(&self.passes[0].program, NameKind::Output, name)
                        .map_err(|text| value.error(text))?,
                    Err(_) => value.unsigned(0, OUTPUTS as u32 - 1)?,
                };
                Results::Buffer(of_role(Role::Output(slot), format!("output {slot}"))?)
            }
            "condition" => {
                must_be_true()?;
                Results::Buffer(of_role(Role::Condition, "[condition]".to_string())?)
            }
            "shared" => {
                must_be_true()?;
                let sharing = self.sharing.as_ref();
                if sharing.is_none_or(|sharing| sharing.registers.sharing.globals() == 0) {
                    return Err(value.error(sharing::NO_GLOBALS));
                }
                Results::Shared
            }
            _ => Results::Buffer(names.get(&value)?),
        };
        let file = loader.path(&table.need("file")?)?;
        let mask = table.read("mask", |node| match of {
            Results::Buffer(_) => loader.path(&node),
            Results::Shared => Err(node.conflict("shared")),
        })?;
        let tolerance = values::tolerance(&table)?;
        Ok(Expect { subject: Subject::Array { of, file, mask, tolerance }, location })
    }
}

/// The buffers by name.
struct Names(HashMap<String, usize>);

impl Names {
    fn of(buffers: &[Buffer]) -> Names {
        Names(buffers.iter().enumerate().map(|(n, b)| (b.name.clone(), n)).collect())
    }

    /// The buffer that a value names.
    fn get(&self, node: &Node<'_>) -> Result<usize, JobError> {
        let name = node.string()?;
        self.0.get(name).copied().ok_or_else(|| {
            let mut known: Vec<_> = self.0.iter().collect();
            known.sort_by_key(|&(_, n)| n);
            let known: Vec<_> = known.iter().map(|(b, _)| format!("\"{b}\"")).collect();
            let known = match known.len() {
                0 => ": the job has no [[buffer]]".to_string(),
                _ => format!("; the buffers are {}", known.join(", ")),
            };
            node.error(format!("there is no buffer \"{name}\"{known}"))
        })
    }
}

/// Whether a file is a picture, by its first bytes.
fn is_picture(path: &Path) -> bool {
    let mut start = [0; 8];
    let read = files::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && crate::array::png::is_png(&start)
}
