//! A launch that can run, with everything that engines need to know about it. It is found out once,
//! before the launch is passed to an engine.

use super::groups::Grouping;
use super::{Faults, LaunchError, Outcome, Ran, Statistics};
use crate::launch::{FloatMode, Initial, Launch, Location, MAX_BOUND, Shared, Test};
use crate::lower::{Lowered, lower, runs};
use crate::memory::{Format, Surface};
use ctm_isa::isa::{Body, Instruction, TEMPORARIES, Type};
use ctm_lang::program::{NameKind, Program, Sharing};
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

/// A launch that every engine can run, and what follows from it. It dereferences to the launch.
#[derive(Clone, Debug)]
pub struct Checked<'a> {
    launch: &'a Launch,
    /// Its groups.
    pub grouping: Grouping,
    /// The surfaces that it may read.
    pub reads: Vec<Access<Reader>>,
    /// The surfaces that it may write.
    pub writes: Vec<Access<Writer>>,
    /// The surfaces that it reads and that share bytes with surfaces it can write. The conditional
    /// buffer's own test and write are not an overlap: a point touches only its own element.
    pub overlaps: Arc<[Overlap]>,
    /// Its program as micro-operations, lowered once for each program.
    pub lowered: Arc<Lowered>,
    runs: OnceLock<Option<Vec<u64>>>,
}

impl Deref for Checked<'_> {
    type Target = Launch;

    fn deref(&self) -> &Launch {
        self.launch
    }
}

impl<'a> Checked<'a> {
    /// Checks a launch against the program's needs. All engines refuse the same launches.
    ///
    /// # Errors
    /// The first bound, initial data, surface or condition that the launch cannot have.
    pub fn new(launch: &'a Launch) -> Result<Checked<'a>, LaunchError> {
        validate(launch)?;
        let (reads, writes) = (read(launch), written(launch));
        let raw_temps = launch.started_temps();
        Ok(Checked {
            launch,
            grouping: Grouping::of(launch),
            overlaps: overlaps(launch, &reads, &writes).into(),
            reads,
            writes,
            lowered: launch.program.form((raw_temps, launch.mode == FloatMode::Chip), || {
                lower(&launch.program, raw_temps, launch.mode)
            }),
            runs: OnceLock::new(),
        })
    }

    /// The launch.
    pub fn launch(&self) -> &'a Launch {
        self.launch
    }

    /// The most times that a group executes each slot, if flow control bounds it.
    pub fn runs(&self) -> Option<&[u64]> {
        self.runs.get_or_init(|| runs(&self.lowered, &self.constants)).as_deref()
    }

    /// Whether points may fetch what they wrote in the same launch: uncached writes take effect at
    /// once.
    pub fn reads_back(&self) -> bool {
        self.overlaps.iter().any(|overlap| overlap.reads_back)
    }

    /// Whether no group can run.
    pub fn never_runs(&self) -> bool {
        self.domain.is_empty()
            || self.condition.location == Location::Pe && self.condition.test == Test::Never
    }

    /// The inputs whose elements the launch writes at the same places, bit n.
    pub fn in_place(&self) -> u16 {
        let same = self.overlaps.iter().filter(|overlap| overlap.same_layout);
        same.filter_map(Overlap::input).fold(0, |mask, input| mask | 1 << input)
    }

    /// The part of the launch that an engine keeps until it has ended.
    pub fn pending(&self, ran: Ran) -> Pending {
        Pending {
            program: self.program.clone(),
            overlaps: self.overlaps.clone(),
            statistics: self.statistics,
            ran,
        }
    }

    /// The outcome of a run by an engine without a choice; see [`Pending::outcome`].
    pub fn outcome(
        &self,
        engine: &'static str,
        statistics: Statistics,
        faults: Faults,
        foreign: u16,
    ) -> Outcome {
        self.pending(Ran { engine, ..Ran::default() }).outcome(statistics, faults, foreign)
    }

    /// The hazards of data that was read before the launch began (constants, the program) and that
    /// the launch can write. `reads` names each piece of data and its bytes.
    pub fn overwritten(&self, reads: &[(&str, Range<u64>)]) -> Vec<String> {
        let mut texts = Vec::new();
        for (what, span) in reads {
            for written in self.writes.iter().filter(|written| intersect(span, &written.span)) {
                let text = shared(what, &written.by.at(&self.program));
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
        }
        texts
    }
}

/// The part of a running launch that its outcome needs.
#[derive(Clone, Debug)]
pub struct Pending {
    program: Arc<Program>,
    overlaps: Arc<[Overlap]>,
    statistics: bool,
    ran: Ran,
}

impl Pending {
    /// The outcome. `foreign` has the inputs from which a point fetched another point's element,
    /// bit n.
    pub fn outcome(self, statistics: Statistics, faults: Faults, foreign: u16) -> Outcome {
        let is_hazard = |overlap: &&Overlap| {
            !overlap.same_layout || overlap.input().is_some_and(|input| foreign >> input & 1 != 0)
        };
        let hazards = self.overlaps.iter().filter(is_hazard);
        Outcome {
            statistics: self.statistics.then_some(statistics),
            groups: statistics.groups,
            points: statistics.points,
            faults,
            shared: None,
            hazards: hazards.map(|overlap| overlap.text(&self.program)).collect(),
            ran: self.ran,
        }
    }
}

/// A surface that a launch reads or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access<T> {
    /// The reader or writer.
    pub by: T,
    /// The surface.
    pub surface: Surface,
    /// The bytes that the launch can touch.
    pub span: Range<u64>,
}

/// The bytes that a launch can touch through surfaces.
pub fn spans<T>(accesses: &[Access<T>]) -> Vec<Range<u64>> {
    accesses.iter().map(|access| access.span.clone()).collect()
}

/// Whether two ranges share a byte.
pub fn intersect(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

fn validate(launch: &Launch) -> Result<(), LaunchError> {
    let uses = launch.program.uses();
    let domain = &launch.domain;
    for (name, value) in
        [("i0", domain.i0), ("j0", domain.j0), ("i1", domain.i1), ("j1", domain.j1)]
    {
        if value > MAX_BOUND {
            return invalid(format!("domain bound {name} is {value}; the largest is {MAX_BOUND}"));
        }
    }
    for initial in &launch.initial {
        let (temp, found) = (initial.temp, initial.data.len() as u64);
        if temp as usize >= TEMPORARIES {
            return invalid(format!("initial data for temporary {temp}; the last one is 127"));
        }
        let expected = domain.points();
        if found != expected {
            return invalid(format!(
                "initial data for temporary {temp} has {found} points; the domain has {expected}"
            ));
        }
    }
    shared_registers(launch)?;
    let image = launch.program.image();
    for (slot, surface) in launch.inputs.iter().enumerate() {
        if uses.inputs >> slot & 1 == 0 {
            continue;
        }
        let slot = slot as u32;
        match surface {
            None => {
                let name = image.named(NameKind::Input, slot);
                let pc = first_fetch(&launch.program, slot);
                let (place, uses) = (image.place(pc), "fetches from it");
                return Err(LaunchError::NotSet { name, pc, place, uses });
            }
            Some(surface) if surface.validate_input().is_err() => {
                return invalid(format!(
                    "{}: tiling {} needs FLOAT32_1 or UINT16_1, not {}",
                    image.named(NameKind::Input, slot),
                    surface.tiling,
                    surface.format
                ));
            }
            Some(_) => {}
        }
    }
    for (slot, surface) in launch.outputs.iter().enumerate() {
        if uses.outputs >> slot & 1 != 0 && surface.is_none() {
            let slot = slot as u32;
            let name = image.named(NameKind::Output, slot);
            let pc = first_write(&launch.program, slot);
            let (place, uses) = (image.place(pc), "writes it");
            return Err(LaunchError::NotSet { name, pc, place, uses });
        }
    }
    if launch.program.umrt()
        && uses.outputs != 0
        && let Some(surface) = &launch.outputs[0]
        && surface.format != Format::Float32x1
    {
        return invalid(format!(
            "output 0 of an uncached-write program must be FLOAT32_1, not {}",
            surface.format
        ));
    }
    match launch.condition.touched() {
        None if launch.condition.test.reads_buffer() => {
            let test = launch.condition.test.name();
            invalid(format!(
                "the conditional buffer was never set, but the condition test {test} reads it"
            ))
        }
        Some(surface) if !surface.format.is_basic_single() => invalid(format!(
            "the conditional buffer has format {}; it must be FLOAT32_1 or UINT16_1",
            surface.format
        )),
        _ => Ok(()),
    }
}

fn invalid<T>(text: String) -> Result<T, LaunchError> {
    Err(LaunchError::Invalid(text))
}

/// The text of initial data for a clause temporary.
pub fn in_clause(temp: u8, clause: usize) -> String {
    format!("initial data for temporary {temp}, which is clause temporary {clause}")
}

/// Checks that the launch has the shared registers that its program asks for.
fn shared_registers(launch: &Launch) -> Result<(), LaunchError> {
    let Some(program) = launch.program.sharing() else { return Ok(()) };
    let none = Shared::new(Sharing::default(), 1);
    let shared = launch.shared.as_ref().unwrap_or(&none);
    let (given, simds) = (shared.sharing, shared.simds);
    let counts = |sharing: Sharing| (sharing.globals(), sharing.clauses());
    if counts(program) != counts(given) {
        return invalid(format!(
            "the program asks for {} global registers and {} clause temporaries; \
             set_shared gave {} and {}",
            program.globals(),
            program.clauses(),
            given.globals(),
            given.clauses()
        ));
    }
    if !(1..=Shared::MOST_SIMDS).contains(&simds) {
        return invalid(format!("the launch has {simds} SIMDs, expected 1 to 64"));
    }
    let (found, expected) = (shared.globals.len(), shared.size());
    if found != expected {
        return invalid(format!(
            "the global registers have {expected} lanes in all SIMDs, but {found} are given"
        ));
    }
    let first = program.first_clause();
    match launch.initial.iter().find(|initial| initial.temp as usize >= first) {
        Some(&Initial { temp, .. }) => invalid(in_clause(temp, temp as usize - first)),
        None => Ok(()),
    }
}

/// Numbers of instructions, as in [`Statistics`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Those of type ALU.
    pub alu: u16,
    /// Those of type OUT.
    pub out: u16,
    /// Those of type TEX.
    pub tex: u16,
    /// Those of type TEX that fetch.
    pub tex_fetching: u16,
    /// Those of type FC.
    pub fc: u16,
}

/// The instructions of each type before each slot, from slot 0 to that after the last instruction.
pub fn counts_before(program: &Program) -> Vec<Counts> {
    let mut next = Counts::default();
    let mut counts = Vec::with_capacity(program.instructions().len() + 1);
    counts.push(next);
    for instruction in program.instructions() {
        *match instruction.common.class {
            Type::Alu => &mut next.alu,
            Type::Out => &mut next.out,
            Type::Tex => &mut next.tex,
            Type::Fc => &mut next.fc,
        } += 1;
        if let Body::Tex(tex) = &instruction.body {
            next.tex_fetching += u16::from(tex.op.fetches());
        }
        counts.push(next);
    }
    counts
}

/// The first instruction that fits.
fn position(program: &Program, fits: impl Fn(&Instruction) -> bool) -> u32 {
    program.instructions().iter().position(fits).unwrap_or(0) as u32
}

fn first_fetch(program: &Program, slot: u32) -> u32 {
    position(
        program,
        |instruction| matches!(&instruction.body, Body::Tex(tex) if tex.op.fetches() && tex.input as u32 == slot),
    )
}

fn first_write(program: &Program, slot: u32) -> u32 {
    let umrt = program.umrt();
    position(program, |instruction| {
        let common = &instruction.common;
        let Some(alu) = instruction.alu().filter(|_| common.class == Type::Out) else {
            return false;
        };
        (0..4).any(|channel| {
            common.omask >> channel & 1 != 0 && (umrt || alu.unit_of(channel).target as u32 == slot)
        })
    })
}

/// A surface that a launch reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// Input n.
    Input(usize),
    /// The conditional buffer, by the test.
    Condition,
}

/// A surface that a launch writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// Output n.
    Output(usize),
    /// The conditional buffer.
    Condition,
}

const CONDITION: &str = "the conditional buffer";

impl Reader {
    /// The name in messages.
    pub fn name(self) -> String {
        match self {
            Reader::Input(n) => format!("input {n}"),
            Reader::Condition => CONDITION.to_string(),
        }
    }

    /// The name in messages, with the author's name and the first instruction that fetches from it.
    fn at(self, program: &Program) -> String {
        match self {
            Reader::Input(n) => {
                let slot = n as u32;
                at(program, NameKind::Input, slot, first_fetch(program, slot))
            }
            Reader::Condition => self.name(),
        }
    }
}

impl Writer {
    /// The name in messages.
    pub fn name(self) -> String {
        match self {
            Writer::Output(n) => format!("output {n}"),
            Writer::Condition => CONDITION.to_string(),
        }
    }

    /// The name in messages, with the author's name and the first instruction that writes it.
    fn at(self, program: &Program) -> String {
        match self {
            Writer::Output(n) => {
                let slot = n as u32;
                at(program, NameKind::Output, slot, first_write(program, slot))
            }
            Writer::Condition => self.name(),
        }
    }
}

/// A surface and an instruction that uses it, such as ``input 0 `source` (pc 3, kernel.dpp:7:5)``.
fn at(program: &Program, kind: NameKind, slot: u32, pc: u32) -> String {
    let image = program.image();
    format!("{} ({})", image.named(kind, slot), image.place(pc))
}

/// A surface whose bytes a launch reads and may also write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The reader.
    pub reader: Reader,
    /// The writer.
    pub writer: Writer,
    /// Whether both surfaces have the same elements at the same places. If so, points that touch only
    /// their own element do not interfere.
    pub same_layout: bool,
    /// Whether points see their own writes: an input, with uncached writes.
    pub reads_back: bool,
}

impl Overlap {
    /// The hazard as a human-readable line.
    fn text(&self, program: &Program) -> String {
        let own = if self.reads_back { " and the point's own earlier writes" } else { "" };
        shared(&self.reader.at(program), &self.writer.at(program)) + own
    }

    /// The input that is read, or `None` for the conditional buffer.
    pub fn input(&self) -> Option<usize> {
        match self.reader {
            Reader::Input(n) => Some(n),
            Reader::Condition => None,
        }
    }
}

/// The hazard of bytes that one launch both reads and writes, as a human-readable line.
fn shared(read: &str, written: &str) -> String {
    format!(
        "{read} is read and {written} is written in one launch, and they share memory: every read \
         sees the memory from before the launch"
    )
}

/// The bytes that a launch can touch through a surface. With `own_place`, points touch only their
/// own element, so these are the domain's rows; without it, any element.
pub fn touched_span(launch: &Launch, surface: &Surface, own_place: bool) -> Range<u64> {
    if !own_place {
        let width = surface.width.max(surface.pitch);
        return surface.byte_span(width, surface.height);
    }
    let domain = &launch.domain;
    let (width, height) = (surface.pitch.min(domain.i1 + 1), surface.height.min(domain.j1 + 1));
    let span = surface.byte_span(width, height);
    // Rows before the domain's first are not touched. Addresses ascend with whole rows of tiles
    // only if rows do not overlap (32 elements are a multiple of every tile's height).
    let first = domain.j0 & !31;
    if first == 0 || first >= height || !surface.elements_disjoint() || span.end == 1 << 32 {
        return span;
    }
    // A tile's first element need not have its lowest address.
    let line = if surface.tiling.is_tiled() { 0x7ff } else { 0x1f };
    surface.address(0, first) as u64 & !line..span.end
}

/// The surfaces that a launch may write.
pub fn written(launch: &Launch) -> Vec<Access<Writer>> {
    if launch.domain.is_empty() {
        return Vec::new();
    }
    let uses = launch.program.uses();
    let condition = &launch.condition;
    let no_outputs = condition.test == Test::Never
        && (condition.location == Location::Pe || !launch.program.umrt());
    let mut written = Vec::new();
    for (n, surface) in launch.outputs.iter().enumerate() {
        let Some(surface) = surface.filter(|_| uses.outputs >> n & 1 != 0 && !no_outputs) else {
            continue;
        };
        // A mask that selects none of the format's channels writes nothing.
        if launch.out_mask & ((1 << surface.format.channels()) - 1) != 0 {
            let span = touched_span(launch, &surface, !launch.program.umrt());
            written.push(Access { by: Writer::Output(n), surface, span });
        }
    }
    if let Some(surface) = condition.touched().filter(|_| condition.write) {
        let span = touched_span(launch, &surface, true);
        written.push(Access { by: Writer::Condition, surface, span });
    }
    written
}

/// The surfaces that a launch may read.
pub fn read(launch: &Launch) -> Vec<Access<Reader>> {
    if launch.domain.is_empty() {
        return Vec::new();
    }
    let uses = launch.program.uses();
    let mut read = Vec::new();
    for (n, surface) in launch.inputs.iter().enumerate() {
        if let Some(surface) = surface.filter(|_| uses.inputs >> n & 1 != 0) {
            // A fetch always finds an element: in a surface without size, the first.
            let span = surface.byte_span(surface.width.max(1), surface.height.max(1));
            read.push(Access { by: Reader::Input(n), surface, span });
        }
    }
    if let Some(surface) = launch.condition.touched()
        && launch.condition.test.reads_buffer()
    {
        let span = touched_span(launch, &surface, true);
        read.push(Access { by: Reader::Condition, surface, span });
    }
    read
}

fn overlaps(launch: &Launch, reads: &[Access<Reader>], writes: &[Access<Writer>]) -> Vec<Overlap> {
    let umrt = launch.program.umrt();
    let mut overlaps = Vec::new();
    for read in reads {
        for written in writes.iter().filter(|written| intersect(&read.span, &written.span)) {
            if (read.by, written.by) == (Reader::Condition, Writer::Condition) {
                continue;
            }
            let (a, b) = (&read.surface, &written.surface);
            overlaps.push(Overlap {
                reader: read.by,
                writer: written.by,
                same_layout: (a.base, a.pitch, a.tiling, a.format)
                    == (b.base, b.pitch, b.tiling, b.format)
                    && a.elements_disjoint()
                    && !umrt,
                reads_back: umrt && matches!(read.by, Reader::Input(_)),
            });
        }
    }
    overlaps
}
