//! The processor execution unit: the state that commands set, and the effects of commands.

use std::ops::Range;
use std::sync::Arc;

use super::client::{ClientMemory, elements};
use super::coherence::{Coherence, Read, ReadCache, WriteCache};
use super::constants;
use super::counters::Counters;
use super::interpolants::{PARAMS_BYTES, planes, vertices};
use super::loader::{ElfLoader, ProgramCache, ProgramLoader};
use super::pieces::Pieces;
use super::recorder::{Area, What, Written};
use super::report::{DeviceError, Hazard, Position, StartError, SubmissionReport, Warning};
use super::submission::Submission;
use crate::command::{Command, ConstantFormat, Opcode, Parsed, Parser, SurfaceFormat};
use crate::engine::checked::{Reader, Writer};
use crate::engine::{Checked, Engine, Fault, FaultCode, Faults, NoProgress, Progress};
use crate::launch::{Condition, Domain, FloatMode, Interpolant, Launch, Limits, Shared};
use crate::memory::{Memory, Surface};
use ctm_isa::isa::{Body, INPUTS, Instruction, OUTPUTS};
use ctm_lang::program::{ConstantKind, Program, Sharing};

/// Everything that commands set. It persists across submissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// set_domain.
    pub domain: Domain,
    /// set_cond_test, set_cond_loc, set_cond_val, set_cond_out_fmt, set_cond_out_mask.
    pub condition: Condition,
    /// set_out_mask, bit n for channel n.
    pub out_mask: u8,
    /// set_inst_fmt: the address of the program's image.
    pub program: Option<u32>,
    /// set_inp_fmt.
    pub inputs: [Option<Surface>; INPUTS],
    /// set_out_fmt.
    pub outputs: [Option<Surface>; OUTPUTS],
    /// set_constf_fmt, set_consti_fmt and set_constb_fmt, by [`ConstantKind`].
    pub constants: [Option<ConstantFormat>; 3],
    /// set_params: the address of the vertices.
    pub params: Option<u32>,
    /// set_shared, and what launches have left in the global registers.
    pub shared: Shared,
    /// The performance counters.
    pub counters: Counters,
}

impl Default for State {
    /// Power-on: domain (0, 0)-(0, 0), test ALWAYS at location DPP with value 0, all channels and
    /// the conditional buffer written, no formats, counters disabled and zero.
    fn default() -> Self {
        State {
            domain: Domain::default(),
            condition: Condition::default(),
            out_mask: 0xf,
            program: None,
            inputs: [None; INPUTS],
            outputs: [None; OUTPUTS],
            constants: [None; 3],
            params: None,
            shared: Shared::new(Sharing::default(), 1),
            counters: Counters::default(),
        }
    }
}

/// The engine, loader and settings of a PE.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Runs the launches.
    pub engine: &'a dyn Engine,
    /// Loads the programs.
    pub loader: &'a dyn ProgramLoader,
    /// Arithmetic mode of the launches.
    pub mode: FloatMode,
    /// Limits of the launches.
    pub limits: Limits,
    /// Whether all launches keep statistics. Launches keep them anyway while performance counters
    /// run.
    pub statistics: bool,
    /// Whether to check that the commands invalidate and flush caches where the machine needs it
    /// ([`Hazard::Incoherent`]). It has to wait for each launch. A PE that was not checked from the
    /// beginning knows nothing of what its caches held before.
    pub coherence: bool,
    /// Receives the progress of each launch, and can stop launches. After a stop, the submission
    /// ends before its next command.
    pub progress: &'a dyn Progress,
    /// Whether reports list what the commands may have changed, in their field `written`.
    pub recorded: bool,
    /// The client's writes of a recording, which are made before the commands that found them.
    pub fetched: &'a Pieces,
    /// The launches that run. A later start_program has no effect.
    pub launches: u64,
    /// System memory that a client accesses directly; `None` if all accesses go through [`Memory`].
    pub client: Option<&'a ClientMemory>,
}

impl<'a> Context<'a> {
    /// ELF programs, exact arithmetic, default limits, no statistics, no progress, never stopped.
    pub fn new(engine: &'a dyn Engine) -> Context<'a> {
        Context {
            engine,
            loader: &ElfLoader,
            mode: FloatMode::Exact,
            limits: Limits::default(),
            statistics: false,
            coherence: false,
            progress: &NoProgress,
            recorded: false,
            fetched: Pieces::NONE,
            launches: u64::MAX,
            client: None,
        }
    }
}

/// The processor execution unit: executes command buffers in the caller's thread. [`Device`](super::Device) runs
/// one in a thread of its own.
///
/// A launch appears to take effect before the next command: the engine may queue launches, and the
/// PE waits for them where a command depends on their results. The array counts as busy from a
/// start_program to the next wait_for_idle, or until the client has waited for the submission.
#[derive(Debug, Default)]
pub struct Pe {
    state: State,
    /// The number of submissions so far.
    submissions: u64,
    /// The last start_program without a later wait_for_idle.
    busy: Option<Position>,
    programs: ProgramCache,
    /// The contents that the caches might hold, while the client asks for the check.
    coherence: Option<Coherence>,
}

impl Pe {
    /// A PE in its power-on state.
    pub fn new() -> Pe {
        Pe::default()
    }

    /// The state that commands have set.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Whether a buffer takes less time than a change to another thread: it launches programs that
    /// ran before and have no flow control, on few points and with small inputs. Has no effect.
    pub(super) fn is_brief(&self, words: &[u32], memory: &Memory, context: &Context) -> bool {
        let State { mut domain, mut program, mut inputs, .. } = self.state;
        let mut work = 0u64;
        for parsed in Parser::new(words).map_while(Result::ok) {
            match parsed.command {
                Command::SetDomain(new) => domain = new,
                Command::SetInstFmt { address } => program = Some(address),
                Command::SetInpFmt { index, surface } => {
                    if let Some(input) = inputs.get_mut(usize::from(index)) {
                        *input = Some(surface.surface());
                    }
                }
                Command::StartProgram => {
                    let Some(program) =
                        program.and_then(|address| self.straight(address, memory, context))
                    else {
                        return false;
                    };
                    let used = inputs.iter().enumerate();
                    let used = used.filter(|(n, _)| program.uses().inputs >> n & 1 != 0);
                    let sizes = used.filter_map(|(_, input)| *input);
                    let bytes: u64 = sizes.map(|one| one.byte_size(one.pitch, one.height)).sum();
                    let steps = domain.points().saturating_mul(program.instructions().len() as u64);
                    work = work
                        .saturating_add(LAUNCH)
                        .saturating_add(steps)
                        .saturating_add(bytes / 16);
                    if work > BRIEF {
                        return false;
                    }
                }
                _ => {}
            }
        }
        !context.coherence
    }

    /// The known program at an address, if it runs from its start to its end without a jump.
    fn straight(&self, address: u32, memory: &Memory, context: &Context) -> Option<&Program> {
        let (program, image) = self.programs.known(to_arena_end(memory, address)?)?;
        let image = span(address, image);
        let is_same = |client: &ClientMemory| client.is_same(memory, std::slice::from_ref(&image));
        let (registers, instructions) = (program.registers(), program.instructions());
        let ends = (registers.start()..instructions.len() as u32).contains(&registers.end());
        let flows = |one: &Instruction| matches!(one.body, Body::Fc(_));
        let straight = ends && program.sharing().is_none() && !instructions.iter().any(flows);
        (straight && context.client.is_none_or(is_same)).then_some(program)
    }

    /// Executes a command buffer to its end or to the first error. Each command takes effect before
    /// the next one is parsed. Assumes that the client has waited for all earlier buffers.
    pub fn execute(
        &mut self,
        words: &[u32],
        memory: &mut Memory,
        context: &Context,
    ) -> SubmissionReport {
        self.execute_queued(words, memory, context, self.submissions)
    }

    /// As [`Pe::execute`], for a client that had waited only for the first `awaited` buffers when
    /// it submitted this one.
    pub fn execute_queued(
        &mut self,
        words: &[u32],
        memory: &mut Memory,
        context: &Context,
        awaited: u64,
    ) -> SubmissionReport {
        self.submissions += 1;
        self.busy = self.busy.filter(|start| start.submission > awaited);
        if context.coherence {
            _ = self.coherence.get_or_insert_default()
        } else {
            self.coherence = None
        }
        let mut run = Submission::new(context, memory);
        let mut result = Ok(());
        for next in Parser::new(words) {
            if let Err(why) = context.progress.stop().check() {
                let words = run.report.words;
                result = Err(DeviceError::Stopped { words, why });
                break;
            }
            result = next.map_err(DeviceError::from).and_then(|parsed| {
                run.client_wrote(parsed.offset)?;
                self.command(parsed, &mut run)
            });
            if result.is_err() {
                break;
            }
        }
        if let Some(coherence) = &mut self.coherence {
            let at = Position { submission: self.submissions, offset: run.report.words };
            for found in coherence.end(at, &run.system) {
                run.hazard(Hazard::Incoherent(Box::new(found)));
            }
        }
        run.end(result)
    }

    fn command(&mut self, parsed: Parsed, run: &mut Submission) -> Result<(), DeviceError> {
        let Parsed { offset, words, command, warnings } = parsed;
        let opcode = command.opcode();
        run.report.words += words;
        self.state.counters.words(words);
        for warning in warnings {
            run.report.warn(Warning(warning.to_string()));
        }
        if let Some(start) = self.busy
            && !opcode.row().pipelined
        {
            run.hazard(Hazard::Busy {
                offset,
                command: opcode,
                start: start.offset,
                earlier: (start.submission != self.submissions).then_some(start.submission),
            });
            // The implied wait leaves the array idle.
            self.busy = None;
        }
        let mut surface = |format: &SurfaceFormat| {
            let surface = format.surface();
            let odd = match surface.validate() {
                Err(error) => Some(error.to_string()),
                Ok(()) => surface.pitch_warning(),
            };
            if let Some(text) = odd {
                run.report.warn(Warning::of(offset, opcode, text));
            }
            Some(surface)
        };
        let state = &mut self.state;
        match command {
            Command::InitPerfCounters { enable } => state.counters.init(enable),
            Command::StartPerfCounters => state.counters.start(),
            Command::StopPerfCounters => state.counters.stop(),
            Command::ReadPerfCounters { address } => {
                if state.counters.enabled {
                    // Launches that count are settled at once. Others may still be pending on
                    // the engine, and this command may overwrite their results.
                    run.settle()?;
                    let client = run.context.client;
                    let memory = run.memory(offset)?;
                    let faults = write_counters(&state.counters, address, memory);
                    let bytes = span(address, state.counters.to_bytes().len());
                    if let Some(client) = client
                        && faults.is_empty()
                    {
                        client.store(memory, std::slice::from_ref(&bytes));
                    }
                    if run.context.recorded && faults.is_empty() {
                        let area = Area::Bytes(bytes);
                        run.written.add(Written { offset, what: What::Counters, area });
                    }
                    run.report.fault(offset, opcode, faults, None);
                }
            }
            Command::SetCondVal { value } => state.condition.value = value,
            Command::SetDomain(domain) => state.domain = domain,
            Command::StartProgram => {
                self.busy = Some(Position { submission: self.submissions, offset });
                if run.started < run.context.launches {
                    self.start_program(offset, run)?;
                }
            }
            Command::WaitForIdle => self.busy = None,
            Command::SetInstFmt { address } => state.program = Some(address),
            Command::SetInpFmt { index, surface: s } => {
                if let Some(input) = state.inputs.get_mut(usize::from(index)) {
                    *input = surface(&s);
                }
            }
            Command::SetOutFmt { index, surface: s } => {
                if let Some(output) = state.outputs.get_mut(usize::from(index)) {
                    *output = surface(&s);
                }
            }
            Command::SetCondOutFmt(s) => state.condition.buffer = surface(&s),
            Command::SetConstfFmt(format) => {
                state.constants[ConstantKind::Float as usize] = Some(format)
            }
            Command::SetConstiFmt(format) => {
                state.constants[ConstantKind::Int as usize] = Some(format)
            }
            Command::SetConstbFmt(format) => {
                state.constants[ConstantKind::Bool as usize] = Some(format)
            }
            Command::SetOutMask { mask } => state.out_mask = mask,
            Command::SetCondOutMask { write } => state.condition.write = write,
            Command::SetCondTest(test) => state.condition.test = test,
            Command::SetCondLoc(location) => state.condition.location = location,
            Command::SetParams { address } => state.params = Some(address),
            Command::SetShared { resource, simds } => {
                let sharing = Sharing(resource);
                if sharing.globals() as u32 > Sharing::MOST_GLOBALS {
                    let text = format!(
                        "SQ_GPR_RESOURCE is 0x{resource:08x}: NUM_GLOBAL {}, expected at most 128",
                        sharing.globals()
                    );
                    return Err(DeviceError::Shared { offset, text });
                }
                if !(1..=Shared::MOST_SIMDS).contains(&simds) {
                    let text = format!("{simds} SIMDs, expected 1 to 64");
                    return Err(DeviceError::Shared { offset, text });
                }
                state.shared = Shared::new(sharing, simds);
            }
            // Memory is coherent, so flushing and invalidating caches has no other effect.
            Command::InvInstCache
            | Command::InvConstfCache
            | Command::InvConstiCache
            | Command::InvConstbCache
            | Command::InvCondOutCache
            | Command::InvInpCache
            | Command::FlushOutCache
            | Command::FlushCondOutCache => {
                if let Some(coherence) = &mut self.coherence {
                    coherence.command(opcode);
                }
            }
        }
        Ok(())
    }

    fn start_program(&mut self, offset: usize, run: &mut Submission) -> Result<(), DeviceError> {
        let refused = |error| DeviceError::Start { offset, error };
        let (program, image) = self.program(offset, run)?;
        let state = &mut self.state;
        let areas = state.constants;
        let interpolants = match state.params {
            None => None,
            Some(address) => {
                let memory = run.view(offset, &[span(address, PARAMS_BYTES)])?;
                Some(interpolants(address, memory).map_err(refused)?)
            }
        };
        let constants = constants::spans(&program, &areas);
        let used: Vec<Range<u64>> = constants.iter().map(|(_, span)| span.clone()).collect();
        let memory = run.view(offset, &used)?;
        let read = constants::read(&program, &areas, &state.domain, memory);
        for (kind, numbers) in read.unset {
            run.report.warn(Warning::unset(offset, kind, &numbers));
        }
        let counting = state.counters.counting();
        let shares = program.sharing().is_some();
        let launch = Launch {
            shared: shares.then(|| state.shared.clone()),
            program,
            domain: state.domain,
            constants: read.constants,
            inputs: state.inputs,
            outputs: state.outputs,
            out_mask: state.out_mask,
            condition: state.condition,
            initial: Vec::new(),
            interpolants,
            limits: run.context.limits,
            mode: run.context.mode,
            statistics: run.context.statistics || counting,
        };
        let launch = run.check(offset, &launch)?;
        let at = Position { submission: self.submissions, offset };
        if let Some(coherence) = &mut self.coherence {
            check_reads(coherence, at, &launch, &constants, &image, run)?;
        }
        run.launch(offset, &launch, read.faults)?;
        let settled = if shares || counting { run.settle()? } else { None };
        if let Some(globals) = run.shared.take() {
            if run.context.recorded {
                run.written.add(Written::globals(offset, &globals));
            }
            state.shared.globals = globals;
        }
        if let Some(coherence) = &mut self.coherence {
            note_writes(coherence, at, &launch, run)?;
        }
        let constants = constants.into_iter();
        let mut reads: Vec<_> =
            constants.map(|(kind, span)| (constants::describe(kind), span)).collect();
        reads.push((THE_PROGRAM, image));
        if let Some(address) = state.params {
            reads.push(("the block of set_params", span(address, PARAMS_BYTES)));
        }
        for text in launch.overwritten(&reads) {
            run.hazard(Hazard::Launch { offset, text });
        }
        if counting {
            let statistics = settled.ok_or_else(|| {
                let engine = run.context.engine.name();
                missing(
                    offset,
                    format!(
                        "engine {engine} kept no statistics, which the performance counters need"
                    ),
                )
            })?;
            state.counters.launch(&statistics);
        }
        Ok(())
    }

    /// The program that memory holds now, and the addresses of its image.
    fn program(
        &mut self,
        offset: usize,
        run: &mut Submission,
    ) -> Result<(Arc<Program>, Range<u64>), DeviceError> {
        let never = || missing(offset, "set_inst_fmt was never given".to_string());
        let address = self.state.program.ok_or_else(never)?;
        // The length of the program is known only after reading it, so the range that is brought up
        // to date grows until it contains the whole program. It begins with that of the program that was there.
        let before = to_arena_end(run.current(offset, &[])?, address);
        let before = before.and_then(|bytes| self.programs.known(bytes));
        let mut current = before.map_or(MOST_PROGRAMS, |(_, image)| image);
        let mut found: Option<(Arc<Program>, bool)> = None;
        let (program, decoded, length) = loop {
            let loader = run.context.loader;
            let memory = run.view(offset, &[span(address, current)])?;
            let available = to_arena_end(memory, address).ok_or_else(|| {
                let text = format!("the program's address 0x{address:08x} is outside all arenas");
                missing(offset, text)
            })?;
            let length = available.len();
            let loaded = self.programs.get(available, loader);
            let rest = u64::from(address) + current as u64..u64::from(address) + length as u64;
            let all = current >= length || run.is_current(&rest);
            match loaded {
                Ok((program, decoded, image)) => {
                    // A program decoded in an earlier round counts as newly decoded.
                    let again =
                        found.take().is_some_and(|(p, new)| new && Arc::ptr_eq(&p, &program));
                    if all || image <= current {
                        break (program, decoded || again, image);
                    }
                    found = Some((program, decoded || again));
                    current = image;
                }
                Err(error) if all => {
                    let error = StartError::Program { address, error };
                    return Err(DeviceError::Start { offset, error });
                }
                Err(_) => current = if current < MOST_PROGRAMS { MOST_PROGRAMS } else { length },
            }
        };
        if decoded {
            for warning in program.warnings() {
                let place = warning.pc.map(|pc| format!(", {}", warning.source.place(pc)));
                let text = format!("program{}: {}", place.unwrap_or_default(), warning.text);
                run.report.warn(Warning::of(offset, Opcode::StartProgram, text));
            }
        }
        Ok((program, span(address, length)))
    }
}

/// A program cannot be started, because something is not there.
fn missing(offset: usize, text: String) -> DeviceError {
    DeviceError::Start { offset, error: StartError::Missing(text) }
}

/// The name of the program in messages.
const THE_PROGRAM: &str = "the program";

/// Reports which caches might hold other bytes than those that a launch is about to read.
fn check_reads(
    coherence: &mut Coherence,
    at: Position,
    launch: &Checked<'_>,
    constants: &[(ConstantKind, Range<u64>)],
    image: &Range<u64>,
    run: &mut Submission,
) -> Result<(), DeviceError> {
    let mut reads = vec![Read {
        what: THE_PROGRAM.to_string(),
        through: ReadCache::Instructions,
        ranges: vec![image.clone()],
    }];
    for (kind, span) in constants {
        reads.push(Read {
            what: constants::describe(*kind).to_string(),
            through: ReadCache::Constants(*kind),
            ranges: vec![span.clone()],
        });
    }
    for access in &launch.reads {
        let (through, ranges) = match access.by {
            Reader::Input(_) => (ReadCache::Inputs, elements(&access.surface, None)),
            Reader::Condition => {
                (ReadCache::Condition, elements(&access.surface, Some(&launch.domain)))
            }
        };
        reads.push(Read { what: access.by.name(), through, ranges });
    }
    let ranges: Vec<Range<u64>> = reads.iter().flat_map(|read| read.ranges.clone()).collect();
    for found in coherence.read(at, &reads, run.view(at.offset, &ranges)?) {
        run.hazard(Hazard::Incoherent(Box::new(found)));
    }
    Ok(())
}

/// Notes what a launch has written through caches.
fn note_writes(
    coherence: &mut Coherence,
    at: Position,
    launch: &Checked<'_>,
    run: &mut Submission,
) -> Result<(), DeviceError> {
    for access in &launch.writes {
        let elements = elements(&access.surface, Some(&launch.domain));
        match access.by {
            // Uncached writes go to memory at once.
            Writer::Output(_) if launch.program.umrt() => {}
            Writer::Output(_) => coherence.wrote(at, WriteCache::Outputs, &elements),
            Writer::Condition => {
                coherence.wrote(at, WriteCache::Condition, &elements);
                coherence.own(&elements, run.view(at.offset, &elements)?);
            }
        }
    }
    Ok(())
}

/// The point-instructions, and pieces of 16 bytes of inputs, that take about as long as a change to
/// another thread.
const BRIEF: u64 = 1 << 14;

/// The additional cost of a launch, in the same unit.
const LAUNCH: u64 = 1 << 11;

/// Enough bytes for nearly every program.
const MOST_PROGRAMS: usize = 1 << 14;

/// The addresses of `len` bytes.
fn span(address: u32, len: usize) -> Range<u64> {
    let start = u64::from(address);
    start..start + len as u64
}

/// The bytes from an address to the end of its arena.
fn to_arena_end(memory: &Memory, address: u32) -> Option<&[u8]> {
    let from = u64::from(address);
    let holds =
        memory.arenas().iter().filter(|arena| (u64::from(arena.base)..arena.end()).contains(&from));
    let end = holds.map(|arena| arena.end()).max()?;
    memory.slice(address, usize::try_from(end - from).ok()?)
}

/// The planes of the parameter block at an address.
fn interpolants(address: u32, memory: &Memory) -> Result<Arc<[Interpolant; 7]>, StartError> {
    let mut block = [0; PARAMS_BYTES];
    memory.read(address, &mut block).map_err(|_| {
        StartError::Missing(format!(
            "the {PARAMS_BYTES} bytes of set_params at 0x{address:08x} are not inside one arena"
        ))
    })?;
    Ok(Arc::new(planes(&vertices(&block))?))
}

/// Writes both counters; outside the arenas it writes neither.
fn write_counters(counters: &Counters, address: u32, memory: &mut Memory) -> Faults {
    let mut faults = Faults::default();
    if memory.write(address, &counters.to_bytes()).is_err() {
        let fault = Fault { count: 1, i: 0, j: 0, order: 0, pc: 0, slot: 0, word: address };
        faults.add(FaultCode::CounterOutsideMemory, fault);
    }
    faults
}

#[cfg(test)]
mod tests;
