//! Which stored jobs can run: those that a job file could have given, as far as running relies on it. What
//! [`Checked`](ctm_machine::engine::Checked) and memory refuse is not repeated here.

use super::super::parse::MOST_EACH;
use super::super::sharing::counts;
use super::super::surface::MAX_EXTENT;
use super::super::{Buffer, Content, Job, Pass, Pictures, Results, Role, Subject};
use ctm_isa::isa::{INPUTS, OUTPUTS, TEMPORARIES};
use ctm_machine::launch::Shared;
use ctm_machine::memory::ALIGNMENT;
use ctm_machine::memory::surface::MAX_SIZE;
use std::fmt::Display;

/// Refuses a number that is not in a range.
fn within(what: &str, value: u64, least: u64, most: u64) -> Result<(), String> {
    let fits = (least..=most).contains(&value);
    fits.then_some(()).ok_or_else(|| format!("{what} is {value}, expected {least} to {most}"))
}

/// Refuses values that are there twice.
fn distinct<T: Ord + Display>(what: &str, all: impl Iterator<Item = T>) -> Result<(), String> {
    let mut all: Vec<T> = all.collect();
    all.sort_unstable();
    match all.iter().zip(all.iter().skip(1)).find(|(one, next)| one == next) {
        Some((one, _)) => Err(format!("{what} is given twice: {one}")),
        None => Ok(()),
    }
}

/// Refuses an index into a list of this length.
fn index(what: &str, index: usize, length: usize) -> Result<(), String> {
    match length.checked_sub(1) {
        Some(last) => within(what, index as u64, 0, last as u64),
        None => Err(format!("{what} is {index}, and there is none")),
    }
}

impl Job {
    /// The bytes of all surfaces.
    pub(super) fn bytes(&self) -> u64 {
        self.buffers.iter().map(Buffer::bytes).fold(0, u64::saturating_add)
    }

    /// The number of units of each of its arrays, in their order.
    pub(super) fn units(&self) -> Vec<u64> {
        let of_buffers = self.buffers.iter().filter_map(|buffer| match &buffer.content {
            Content::Array(_) => {
                let elements = u64::from(buffer.width) * u64::from(buffer.height);
                Some(elements * u64::from(buffer.format.channels()))
            }
            Content::Zero | Content::Fill(_) => None,
        });
        let of_pass =
            |pass: &Pass| vec![pass.domain.points().saturating_mul(4); pass.initial.len()];
        let shared = self.sharing.iter().map(|sharing| 4 * sharing.registers.size() as u64);
        of_buffers.chain(self.passes.iter().flat_map(of_pass)).chain(shared).collect()
    }

    /// Refuses a job that no file could give, before its programs and arrays are there. `bytes` is the memory that the
    /// pack says it takes.
    ///
    /// # Errors
    /// The value that is impossible, and those that are expected.
    pub(super) fn sound(&self, bytes: u64) -> Result<(), String> {
        within("the number of instructions", self.limits.instructions, 1, i64::MAX as u64)?;
        for (n, buffer) in self.buffers.iter().enumerate() {
            buffer.sound().map_err(|problem| format!("buffer {n}: {problem}"))?;
        }
        if self.passes.is_empty() {
            return Err("it has no pass".to_string());
        }
        for (n, pass) in self.passes.iter().enumerate() {
            pass.sound(self.buffers.len()).map_err(|problem| format!("pass {n}: {problem}"))?;
        }
        for expect in &self.expects {
            if let Subject::Array { of: Results::Buffer(buffer), .. } = expect.subject {
                index("the buffer of an expectation", buffer, self.buffers.len())?;
            }
        }
        within("the memory of its surfaces", self.bytes(), 0, bytes)
    }

    /// Refuses what the programs of the job do not allow.
    ///
    /// # Errors
    /// As [`Job::sound`].
    pub(super) fn sound_with_programs(&self) -> Result<(), String> {
        let asked = counts(self).map_err(|error| error.to_string())?;
        match (asked, &self.sharing) {
            (None, None) => {}
            (Some(asked), Some(sharing)) if asked == sharing.registers.sharing => {
                let simds = sharing.registers.simds.into();
                within("the number of SIMDs", simds, 1, Shared::MOST_SIMDS.into())?;
            }
            _ => return Err("its shared registers are not those of its programs".to_string()),
        }
        let saves = self.saves();
        distinct("a file that it saves", saves.iter().map(|path| path.to_string_lossy()))?;
        self.check_pictures().and_then(|()| self.check_saves()).map_err(|error| error.to_string())
    }
}

impl Buffer {
    fn sound(&self) -> Result<(), String> {
        match self.role {
            Role::Input(slot) => index("an input", slot as usize, INPUTS)?,
            Role::Output(slot) => index("an output", slot as usize, OUTPUTS)?,
            Role::Condition | Role::Named => {}
        }
        within("the width", self.width.into(), 1, MAX_EXTENT.into())?;
        within("the height", self.height.into(), 1, MAX_EXTENT.into())?;
        within("the pitch", self.pitch.into(), 1, MAX_SIZE.into())?;
        if let Some(address) = self.address
            && !address.is_multiple_of(ALIGNMENT)
        {
            return Err(format!("the address is {address}, expected a multiple of {ALIGNMENT}"));
        }
        if let Content::Fill(units) = &self.content {
            for unit in &units[..self.format.channels() as usize] {
                within("a unit of the fill", (*unit).into(), 0, self.format.max_unit().into())?;
            }
        }
        let Pictures { frames_per_second, scale, range: [low, high], .. } = self.pictures;
        within("the number of frames per second", frames_per_second.into(), 1, 1000)?;
        within("the scale of pictures", scale.into(), 1, 64)?;
        if low < high && (high - low).is_finite() {
            return Ok(());
        }
        Err(format!("the range of pictures is {low} to {high}, expected the lower value first"))
    }
}

impl Pass {
    fn sound(&self, buffers: usize) -> Result<(), String> {
        within("the number of repetitions", self.repeat.into(), 1, u32::MAX.into())?;
        let each_inputs = self.each.inputs.iter();
        let lists = each_inputs.clone().map(|(_, list)| list.len());
        let lists = lists.chain(self.each.constants.iter().map(|(.., list)| list.len()));
        for length in lists {
            let repeat = self.repeat.into();
            within("the number of values for repetitions", length as u64, repeat, repeat)?;
            within("the number of values for repetitions", length as u64, 1, MOST_EACH as u64)?;
        }
        for (kind, n, _) in &self.each.constants {
            index(&format!("a {kind} constant"), *n, kind.count())?;
        }
        let inputs = self.inputs.iter().map(|input| input.0);
        let inputs = inputs.chain(each_inputs.clone().map(|each| each.0));
        for slot in inputs.clone() {
            index("an input", slot as usize, INPUTS)?;
        }
        distinct("an input", inputs)?;
        for (slot, _) in &self.outputs {
            index("an output", *slot as usize, OUTPUTS)?;
        }
        distinct("an output", self.outputs.iter().map(|output| output.0))?;
        for initial in &self.initial {
            index("a temporary", initial.temp.into(), TEMPORARIES)?;
        }
        distinct("a temporary", self.initial.iter().map(|initial| initial.temp))?;
        let bound = self.inputs.iter().chain(&self.outputs).map(|(_, buffer)| *buffer);
        let bound = bound.chain(each_inputs.flat_map(|(_, list)| list.iter().copied()));
        let bound = bound.chain(self.swap.into_iter().flat_map(|(a, b)| [a, b]));
        for buffer in bound.chain(self.condition.and_then(|condition| condition.buffer)) {
            index("a buffer", buffer, buffers)?;
        }
        within("the mask of channels", self.mask.unwrap_or_default().into(), 0, 15)
    }
}
