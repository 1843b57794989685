//! The origin of a value: a small tree of instructions with values.

use super::error::DebugError;
use super::expression::{Expression, Scope};
use super::session::Session;
use super::show::named;
use ctm_isa::isa::{Place, Write};
use ctm_lang::program::ValuePlace;
use ctm_machine::engine::reference::{Step, Written};
use std::fmt;

/// The deepest chain of instructions that a tree shows.
const DEPTH: usize = 6;
/// The most values that a tree shows.
const NODES: usize = 40;

/// A value and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The register, such as `r4.b`, with what the source calls it, and with its point if that is not the one looked at.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The slot of its point.
    pub slot: usize,
    /// The register; `None` for an element and a constant of the program.
    pub place: Option<Place>,
    /// The step at which its instruction ran, counted from 0, and the instruction; `None` if no
    /// instruction of the group wrote it.
    pub writer: Option<(u64, String)>,
    /// The values that the instruction read.
    pub from: Vec<Node>,
    /// The origin of the value if no instruction of the group wrote it; `...` if the tree ends here
    /// although the value has a past.
    pub note: String,
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines(f, 0)
    }
}

impl Node {
    /// The value and its writer, without what the writer read.
    pub fn line(&self) -> String {
        let origin = match &self.writer {
            Some((step, text)) => format!("<- step {step}: {text}"),
            None => self.note.clone(),
        };
        format!("{} = {}   {origin}", self.name, self.value)
    }

    fn lines(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        writeln!(f, "{:1$}{2}", "", 2 * depth, self.line())?;
        self.from.iter().try_for_each(|node| node.lines(f, depth + 1))
    }
}

impl Session<'_> {
    /// The origin of the value of a register's channel: `r4.b`, `o0.r`, `p.r`, `alu`, `w`, or of a variable of the source
    /// or a component of it. The tree includes the predicate that enabled a write, but not branches.
    ///
    /// # Errors
    /// If the text names no such channel, or the run is stopped.
    pub fn why(&mut self, text: &str) -> Result<Node, DebugError> {
        let expression = Expression::parse(text, self.image()).ok();
        if let Some((name, component)) = expression.as_ref().and_then(Expression::variable) {
            return self.why_variable(text, name, component);
        }
        let place = expression.and_then(|e| e.place());
        let has_past = |place: &Place| !matches!(place, Place::Constant(..) | Place::Global(..));
        let place = place.filter(has_past).ok_or_else(|| {
            DebugError(format!(
                "`{text}`: expected alu, w, or a channel of a temporary, held output or predicate, \
                 such as r4.b"
            ))
        })?;
        self.tree(place)
    }

    /// The value of a place and its past, as deep as the most values of a tree allow: near ones count more.
    fn tree(&mut self, place: Place) -> Result<Node, DebugError> {
        let (slot, step) = (self.slot(), self.position().step);
        let mut depth = DEPTH;
        loop {
            let mut left = NODES;
            let node = self.trace(slot, place, step, depth, &mut left)?;
            if left > 0 || depth == 1 {
                return Ok(node);
            }
            depth -= 1;
        }
    }

    /// The origin of the value of a component of a variable.
    fn why_variable(
        &mut self,
        text: &str,
        name: &str,
        component: Option<u32>,
    ) -> Result<Node, DebugError> {
        let value = self.scope().variable(name, component)?;
        let place = self.scope().place(name, component).ok_or_else(|| {
            DebugError(format!("`{text}`: expected one component, such as {text}.x"))
        })?;
        let mut node = match place {
            ValuePlace::Temp(n, channel) => self.tree(Place::Temp(n.into(), channel.into()))?,
            ValuePlace::Constant(n, channel) => {
                self.tree(Place::Constant(n.into(), channel.into()))?
            }
            ValuePlace::Literal(_) => {
                let (value, note) = (value.to_string(), "a constant of the program".to_string());
                let (name, slot, from) = (text.to_string(), self.slot(), Vec::new());
                return Ok(Node { name, value, slot, place: None, writer: None, from, note });
            }
        };
        node.name = format!("{text} in {}", node.name);
        Ok(node)
    }

    /// The value of a place at a step, and its past.
    fn trace(
        &mut self,
        slot: usize,
        place: Place,
        step: u64,
        depth: usize,
        left: &mut usize,
    ) -> Result<Node, DebugError> {
        *left = left.saturating_sub(1);
        if let Place::Texel(channel) = place {
            return self.fetched(slot, channel, step, depth, left);
        }
        let run = self.at_step(step)?;
        let moment = run.moment();
        let scope = Scope { moment, slot, launch: self.launch(), memory: self.memory() };
        let bits = moment.group.bits(slot, place, &scope.launch.constants);
        let held = scope.called_channel(place);
        let value = match (bits, place) {
            (None, _) => "not written".to_string(),
            (Some(bits), Place::Predicate(_) | Place::AluResult) => bits.to_string(),
            (Some(bits), _) => format!("{} ({bits:08x})", f32::from_bits(bits)),
        };
        let name = self.name(slot, place) + &held;
        let ends = depth == 0 || *left == 0;
        let note = match place {
            Place::Constant(..) => "a constant",
            Place::Global(..) => "the groups of the SIMD share it",
            _ if ends => "...",
            _ => "from the start of the group",
        };
        let note = note.to_string();
        let (writer, from) = (None, Vec::new());
        let mut node = Node { name, value, slot, place: Some(place), writer, from, note };
        if matches!(place, Place::Constant(..) | Place::Global(..)) || ends {
            return Ok(node);
        }
        let writes = |step: &Step<'_>| {
            let written = step.writes(slot).find(|written| written.place == Some(place))?;
            Some(past(step, slot, &written))
        };
        if let Some(writer) = self.last(step, &writes)? {
            self.written_by(&mut node, writer, depth, left)?;
        }
        Ok(node)
    }

    /// Notes which step wrote the value of a node of this depth, and what it comes from.
    pub(super) fn written_by(
        &mut self,
        node: &mut Node,
        (step, pc, places): (u64, u32, Vec<(usize, Place)>),
        depth: usize,
        left: &mut usize,
    ) -> Result<(), DebugError> {
        node.writer = Some((step, self.line(pc)));
        for (slot, place) in places {
            if *left > 0 {
                node.from.push(self.trace(slot, place, step, depth - 1, left)?);
            }
        }
        Ok(())
    }

    fn name(&self, slot: usize, place: Place) -> String {
        let name = named(self.image(), place);
        if slot == self.slot() || matches!(place, Place::Constant(..)) {
            return name;
        }
        let (i, j) = self.moment().group.point(slot);
        format!("{name} of point ({i}, {j})")
    }
}

/// The places that a written value comes from, each with its slot: what the instruction read, and the
/// predicate that enabled the write.
pub(super) fn past(step: &Step<'_>, slot: usize, written: &Written<'_>) -> Vec<(usize, Place)> {
    let Write { channel, gate, .. } = *written.write;
    let texel = step.texel(channel).map(|texel| (slot, Place::Texel(texel)));
    let reads = step.reads(slot, channel).filter_map(|read| Some((read.slot, read.place?)));
    let mut places: Vec<(usize, Place)> = Vec::new();
    for place in texel.into_iter().chain(reads) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places.extend(gate.map(|bit| (slot, Place::Predicate(bit))));
    places
}
