//! The plan of launches that run one after the other on one memory.

use crate::abi::encode::{Ready, UNIFORM_BYTES};
use crate::abi::places::Places;
use crate::guards::Guards;
use crate::plan::chunks::chunks;
use crate::plan::commands::{self, ChunkDispatch, Command};
use crate::plan::dispatch::{self, Kind, Room, Slot, TranslatedSlot};
use crate::plan::prepared::Prepared;
use crate::plan::settings::{Settings, ready};
use crate::plan::space::{ALIGN, Space, ranges};
use crate::plan::value::{Buffer, Document, Plan, Shader};
use crate::plan::work::Work;
use crate::plan::{Data, data_bytes, too_much_data};
use crate::translate::{self, Options, Record, State, Translation, translate};
use ctm_machine::engine::checked::{Access, Reader, Writer, spans};
use ctm_machine::engine::policy::{self, Adapter, Asked, Facts, Runner};
use ctm_machine::engine::{Checked, Why};
use ctm_machine::lower::Lowered;
use ctm_machine::memory::Memory;
use std::collections::HashMap;
use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

/// The most point-instructions of a translated program in one dispatch of a page: see
/// [`dispatch::rows`].
const MOST: u64 = 1 << 32;

/// The size in bytes of the code and records of all launches, above which there is no plan.
const LARGEST: u64 = 256 << 20;

/// The engine of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The interpreter runs every launch.
    Interpreter,
    /// Translated programs run, and where there is none, the interpreter.
    Translated,
}

impl Engine {
    /// Both.
    pub const ALL: [Engine; 2] = [Engine::Interpreter, Engine::Translated];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Interpreter => "interpreter",
            Engine::Translated => "translated",
        }
    }
}

/// Errors of planning launches.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A GPU cannot run a launch, or only with the host's help.
    #[error("launch {number} cannot run on a GPU alone: {reason}")]
    Launch {
        /// Its number, from 0.
        number: u64,
        /// The reason.
        reason: String,
    },
    /// A page may not be able to bind that much.
    #[error("{what}: {bytes} bytes; the most is {most}")]
    TooLarge {
        /// The binding that is too large.
        what: &'static str,
        /// Its size.
        bytes: u64,
        /// The most bytes.
        most: u64,
    },
}

/// Buffers without a content. The plan has at most one of each; it is as large as any launch needs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Scratch {
    Results,
    Copies,
    State,
    /// The old contents of what a launch writes that may give up.
    Before,
}

/// The positions of a launch's surfaces, and the steps that copy what it both reads and writes.
struct Bound {
    places: Places,
    copies: Vec<Command<u32>>,
    copy_bytes: u64,
    copied: bool,
}

/// Makes a plan.
pub struct Planner<'d> {
    document: &'d mut Document,
    engine: Engine,
    guards: Guards,
    settings: Settings,
    room: Room,
    space: Space,
    ranges: Vec<Range<u64>>,
    plan: Plan,
    /// The buffers with a content, by it and their size.
    contents: HashMap<(u32, u64), u32>,
    /// Bytes of `contents`.
    bytes: u64,
    scratch: HashMap<Scratch, u32>,
    translations: HashMap<(usize, State), Kept>,
}

/// A translation, or why there is none, with the program that keeps its address.
struct Kept {
    _lowered: Arc<Lowered>,
    translation: Result<Arc<Translation>, Why>,
}

/// The buffer with memory.
const MEMORY: u32 = 0;

impl<'d> Planner<'d> {
    /// A plan without launches, of a memory as it is before them. [`Settings::GUARANTEED`] are for any page.
    ///
    /// # Errors
    /// If the memory is too large.
    pub fn new(
        document: &'d mut Document,
        memory: &Memory,
        engine: Engine,
        guards: Guards,
        settings: Settings,
    ) -> Result<Planner<'d>, PlanError> {
        let (space, room) = (Space::new(memory), Room::GUARANTEED);
        let bytes = space.bytes();
        if bytes > room.binding {
            return Err(PlanError::TooLarge { what: "the memory", bytes, most: room.binding });
        }
        let mut content = Vec::new();
        space.read(memory, &(0..bytes), &mut content);
        let content = document.contents.number(&content[..]);
        Ok(Planner {
            engine,
            guards,
            settings,
            room,
            ranges: ranges(memory),
            plan: Plan {
                engine: engine.name(),
                guards: guards.to_string(),
                shaders: Vec::new(),
                buffers: vec![Buffer { bytes, content: Some(content) }],
                steps: Vec::new(),
                read: MEMORY,
                launches: 0,
                translated: 0,
            },
            contents: HashMap::new(),
            bytes: 0,
            scratch: HashMap::new(),
            translations: HashMap::new(),
            document,
            space,
        })
    }

    /// Adds a launch after the others. Only the ranges of `memory` count, not its bytes.
    ///
    /// # Errors
    /// If the plan cannot have it. The plan is then incomplete.
    pub fn launch(&mut self, launch: &Checked, memory: &Memory) -> Result<(), PlanError> {
        let number = self.plan.launches;
        let steps =
            self.steps(launch, memory).map_err(|reason| PlanError::Launch { number, reason })?;
        self.plan.steps.extend(steps);
        self.plan.launches += 1;
        if self.bytes > LARGEST {
            let what = "the programs and constants of all launches";
            return Err(PlanError::TooLarge { what, bytes: self.bytes, most: LARGEST });
        }
        Ok(())
    }

    /// The plan, for [`Document::plans`].
    pub fn finish(self) -> Plan {
        self.plan
    }

    fn steps(&mut self, launch: &Checked, memory: &Memory) -> Result<Vec<Command<u32>>, String> {
        let asked = match self.engine {
            Engine::Interpreter => Asked::Interpreter,
            Engine::Translated => Asked::Translated,
        };
        let mut no_shader = None;
        loop {
            let adapter = Adapter::Open;
            let facts = Facts { asked, adapter, no_shader: no_shader.as_ref(), too_large: None };
            match policy::choose(launch, &facts).map_err(|error| error.to_string())? {
                (Runner::Shader, _) => match self.translated(launch, memory)? {
                    Ok(steps) => {
                        self.plan.translated += 1;
                        return Ok(steps);
                    }
                    Err(why) => no_shader = Some(why),
                },
                (Runner::Interpreter, _) => return self.interpreted(launch, memory),
                (Runner::Block, why) => {
                    return Err(why.map_or(String::new(), |why| why.reason));
                }
            }
        }
    }

    /// The launch on the interpreter.
    fn interpreted(
        &mut self,
        launch: &Checked,
        memory: &Memory,
    ) -> Result<Vec<Command<u32>>, String> {
        let ready: Arc<Ready> = ready(launch)?;
        let plan = Prepared::new(launch, ready);
        if plan.groups == 0 {
            return Ok(Vec::new());
        }
        let (settings, guards) = (self.settings, self.guards);
        let variant =
            |plans: &[&Prepared], _| Ok::<_, Infallible>(settings.variant(plans[0], guards, false));
        let work = Work::new(&[(&plan, memory)], settings.slice, variant);
        let work = work.unwrap_or_else(|never| match never {});
        let bound = self.bind(&launch.reads, plan.writes(), &plan.copied());
        let mut work = work.at(bound.copied, &[bound.places]);
        let most = self.room.groups(&work);
        let chunks = chunks(&mut work, most);
        let starts = self.starts(&work.data())?;
        let types = dispatch::interpreted(&work.variant);
        let shader = self.shader(&work.variant.source(), "main", &types);
        let least = if work.variant.uniform { UNIFORM_BYTES } else { 0 };
        let code = self.content(bytemuck::cast_slice(&work.code), least);
        let launches = self.content(bytemuck::cast_slice(&work.launches), 0);
        let copies = self.scratch(Scratch::Copies, bound.copy_bytes);
        let mut steps = bound.copies;
        for chunk in chunks {
            let part = ChunkDispatch::new(&self.room, &work, chunk, work.log_entries);
            let results_bytes = commands::results_bytes(part.head, part.capacity);
            let results = self.scratch(Scratch::Results, results_bytes);
            let state = self.scratch(Scratch::State, part.state_bytes);
            let record = self.content(bytemuck::bytes_of(&part.record), 0);
            steps.extend(part.commands(shader, |slot| match slot {
                Slot::Code | Slot::Operations => code,
                Slot::Launches => launches,
                Slot::Dispatch => record,
                Slot::Results => results,
                Slot::Memory => MEMORY,
                Slot::Copies => copies,
                Slot::State => state,
                // A shader that takes such data reads none of it if there is none.
                Slot::Starts => starts.unwrap_or(code),
            }));
        }
        if work.repeatable {
            let grouping = &launch.grouping;
            steps.push(Command::Apply {
                buffer: MEMORY,
                base: self.space.address(0) as u32,
                tile: [grouping.width, grouping.height],
            });
        }
        Ok(steps)
    }

    /// The launch as a translated program, or why there is none.
    fn translated(
        &mut self,
        launch: &Checked,
        memory: &Memory,
    ) -> Result<Result<Vec<Command<u32>>, Why>, String> {
        let options = Options { guards: self.guards, ..Options::default() };
        let state = match State::of(launch, &self.ranges, &options) {
            Ok(state) => state,
            Err(why) => return Ok(Err(why)),
        };
        let lowered = &launch.lowered;
        let kept = self.translations.entry((Arc::as_ptr(lowered).addr(), state.clone()));
        let kept = kept.or_insert_with(|| Kept {
            _lowered: lowered.clone(),
            translation: translate(&launch.program, lowered, &state).map(Arc::new),
        });
        let translation = match &kept.translation {
            Ok(translation) => translation.clone(),
            Err(why) => return Ok(Err(why.clone())),
        };
        let copied = translate::copied(launch);
        let mut bound = self.bind(&launch.reads, &launch.writes, &copied);
        bound.places.from_copies(&launch.reads, &copied, self.space.bytes());
        let starts = self.starts(&translate::starts(launch, &translation, &state))?;
        let types = dispatch::translated(&translation);
        let shader = self.shader(&translation.wgsl, translation.entry, &types);
        let words = Record::new(&translation, launch, &bound.places);
        let record = self.content(bytemuck::cast_slice(words.words()), 0);
        let results = self.scratch(Scratch::Results, ALIGN);
        let copies = self.scratch(Scratch::Copies, bound.copy_bytes);
        let spans = spans(&launch.writes).into_iter().enumerate();
        let snapshot = self.space.snapshot(&(0..self.space.bytes()), spans);
        let instead = if translation.may_give_up(&state) {
            let before = self.scratch(Scratch::Before, snapshot.bytes);
            Some((&snapshot, before, self.interpreted(launch, memory)?))
        } else {
            None
        };
        let of_slot = |slot| match slot {
            TranslatedSlot::Record | TranslatedSlot::Head => record,
            TranslatedSlot::Results => results,
            TranslatedSlot::Memory => MEMORY,
            TranslatedSlot::Copies => copies,
            TranslatedSlot::Starts => starts.unwrap_or(record),
        };
        let mut steps = bound.copies;
        steps.extend(commands::translated(
            &translation,
            &words,
            &launch.grouping,
            MOST,
            shader,
            instead,
            of_slot,
        ));
        Ok(Ok(steps))
    }

    /// The positions of a launch's surfaces, if the reads of `copied` read copies.
    fn bind(
        &mut self,
        reads: &[Access<Reader>],
        writes: &[Access<Writer>],
        copied: &[usize],
    ) -> Bound {
        let kept = copied.iter().map(|&n| (n, reads[n].span.clone()));
        let mut deltas: Vec<u32> =
            reads.iter().map(|read| self.space.delta_of(&read.span, 0)).collect();
        let snapshot = self.space.snapshot(&(0..self.space.bytes()), kept);
        for (n, delta) in &snapshot.deltas {
            deltas[*n] = *delta;
        }
        let writes = writes.iter().map(|write| (write, self.space.delta_of(&write.span, 0)));
        let places = Places::new(reads.iter().zip(deltas), writes);
        let to = self.scratch(Scratch::Copies, snapshot.bytes);
        let copies = commands::copies(&snapshot, &MEMORY, &to);
        Bound { places, copies, copy_bytes: snapshot.bytes, copied: !copied.is_empty() }
    }

    /// The buffer of the data that temporaries start with, if there are any.
    fn starts(&mut self, data: &[&Arc<Data>]) -> Result<Option<u32>, String> {
        let (bytes, most) = (data_bytes(data), self.room.binding);
        if bytes > most {
            return Err(too_much_data(bytes, most).reason);
        }
        let all: Vec<[u32; 4]> = data.iter().flat_map(|data| data.iter().copied()).collect();
        let content: &[u8] = bytemuck::cast_slice(&all);
        Ok((!data.is_empty()).then(|| self.content(content, 16)))
    }

    /// The number of a shader.
    fn shader<S>(&mut self, text: &str, entry: &'static str, types: &[(u32, Kind, S)]) -> u32 {
        let bindings = types.iter().map(|&(number, kind, _)| (number, kind)).collect();
        let shader = Shader { text: self.document.texts.number(text), entry, bindings };
        let known = self.plan.shaders.iter().position(|known| *known == shader);
        known.unwrap_or_else(|| {
            self.plan.shaders.push(shader);
            self.plan.shaders.len() - 1
        }) as u32
    }

    /// A buffer with a content, of at least some bytes.
    fn content(&mut self, content: &[u8], least: u64) -> u32 {
        let bytes = (content.len() as u64).max(least).next_multiple_of(4);
        let content = self.document.contents.number(content);
        let next = self.plan.buffers.len() as u32;
        let number = *self.contents.entry((content, bytes)).or_insert(next);
        if number == next {
            self.bytes += bytes;
            self.plan.buffers.push(Buffer { bytes, content: Some(content) });
        }
        number
    }

    /// A buffer without a content, of at least some bytes.
    fn scratch(&mut self, of: Scratch, bytes: u64) -> u32 {
        let next = self.plan.buffers.len() as u32;
        let number = *self.scratch.entry(of).or_insert(next);
        if number == next {
            self.plan.buffers.push(Buffer { bytes: 0, content: None });
        }
        let buffer = &mut self.plan.buffers[number as usize];
        buffer.bytes = buffer.bytes.max(bytes);
        number
    }
}
