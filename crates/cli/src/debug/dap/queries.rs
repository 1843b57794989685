//! Requests that look: threads, frames, expressions, instructions, memory.

use super::bodies::{Completion, Frame, Instruction, Source, Target, Thread, list};
use super::requests::{
    Completions, DataBreakpointInfo, Disassemble, Evaluate, Lines, ReadMemory, StackTrace,
    arguments,
};
use super::variables::Parent;
use super::{Answer, Debugged, FRAMES, MOST, address, line_of};
use anyhow::{Context, Error, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ctm_inspect::debug::{Expression, Verb, complete, execute};
use ctm_lang::program::{Image, NameKind};
use serde_json::{Value, json};

/// The body for an expression or a command.
pub(super) fn result(text: &str) -> Value {
    json!({ "result": text, "variablesReference": 0 })
}

impl Debugged<'_> {
    pub(super) fn threads(&self) -> anyhow::Result<Value> {
        let group = self.session.moment().group;
        let slots = (0..64).filter(|slot| group.started() >> slot & 1 != 0);
        let thread = |slot: usize| {
            let (i, j) = group.point(slot);
            Thread { id: slot + 1, name: format!("point ({i}, {j}) {}", self.session.sign(slot)) }
        };
        list("threads", slots.map(thread))
    }

    pub(super) fn stack_trace(&self, value: &Value) -> anyhow::Result<Value> {
        let request: StackTrace = arguments(value)?;
        let slot = self.slot_of(request.thread_id)?;
        let moment = self.session.moment();
        let image = self.session.image();
        let calls = moment.group.calls();
        let frame = |(n, pc): (usize, u32)| {
            let end = self.session.end().filter(|_| n == 0);
            let words = image.words.get(pc as usize).filter(|_| end.is_none());
            let name = end.unwrap_or_else(|| match words {
                Some(words) => format!("{pc}: {}", ctm_lang::asm::line(words, image.sharing)),
                None => format!("{pc}: no instruction"),
            });
            let frame = Frame { id: (slot + 1) * FRAMES + n, name, ..Frame::default() };
            if words.is_none() {
                return frame;
            }
            let (source, line, column) = self.place(image, pc);
            let (source, address) = (Some(source), Some(format!("{pc:#x}")));
            Frame { line, column, source, instruction_pointer_reference: address, ..frame }
        };
        let levels = if request.levels == 0 { usize::MAX } else { request.levels };
        let pcs = std::iter::once(moment.group.pc()).chain(calls.iter().rev().copied());
        let part = pcs.enumerate().skip(request.start_frame).take(levels).map(frame);
        let mut body = list("stackFrames", part)?;
        body["totalFrames"] = (calls.len() + 1).into();
        Ok(body)
    }

    /// The place of an instruction, counted as the client does.
    fn place(&self, image: &Image, pc: u32) -> (Source, u32, u32) {
        let (source, line, column) = self.sources.place(image, pc);
        (source, line - 1 + self.first_line, column - 1 + self.first_column)
    }

    pub(super) fn goto_targets(&mut self, value: &Value) -> anyhow::Result<Value> {
        let lines: Lines = arguments(value)?;
        let line = line_of(lines.line, self.first_line)?;
        let found = self.sources.place_from(&self.sources.find(&lines.source)?, line);
        let target = found.map(|(place, line)| {
            let known = self.targets.iter().position(|known| *known == place);
            let n = known.unwrap_or_else(|| {
                self.targets.push(place.clone());
                self.targets.len() - 1
            });
            Target { id: n + 1, label: place.to_string(), line: line - 1 + self.first_line }
        });
        list("targets", target)
    }

    /// An expression; in the console also a command, which may move the session.
    pub(super) fn evaluate(&mut self, value: &Value) -> anyhow::Result<Answer> {
        let request: Evaluate = arguments(value)?;
        let slot = match request.frame_id {
            Some(frame) => self.frame_of(frame)?.0,
            None => self.session.slot(),
        };
        let text = request.expression.trim();
        let word = text.split_whitespace().next().unwrap_or_default();
        let verb = Verb::of(word).filter(|_| request.context.as_deref() == Some("repl"));
        if let Some(verb) = verb {
            self.may_move()?;
            self.look_at(slot)?;
            if verb.runs() || verb == Verb::Quit {
                return Ok(Answer::Command(text.to_string()));
            }
            // What runs nothing is over at once. Stops change here: a snapshot must not hand over others.
            let reply = execute(&mut self.session, text)?;
            return Ok(Answer::Body(result(reply.text.trim_end())));
        }
        let expression = Expression::parse(text, self.session.image()).map_err(Error::msg)?;
        let (value, ranges) = self.at(slot, |this| {
            (this.session.evaluate(&expression), this.session.ranges_of(&expression))
        })?;
        Ok(Answer::Body(result(&format!("{}{ranges}", value?))))
    }

    pub(super) fn completions(&self, value: &Value) -> anyhow::Result<Value> {
        let request: Completions = arguments(value)?;
        let column = request.column.checked_sub(self.first_column.into());
        let before = column.and_then(|n| usize::try_from(n).ok());
        let before = before.with_context(|| format!("column {}: there is none", request.column))?;
        let line: String = request.text.chars().take(before).collect();
        let (start, words) = complete(&self.session, &line);
        let start = line[..start].chars().count();
        let length = line.chars().count() - start;
        let start = start + self.first_column as usize;
        list("targets", words.into_iter().map(|label| Completion { label, start, length }))
    }

    pub(super) fn disassemble(&self, value: &Value) -> anyhow::Result<Value> {
        let request: Disassemble = arguments(value)?;
        let count = request.instruction_count;
        if count > MOST {
            bail!("instructionCount: {count} is more than {MOST}");
        }
        let image = self.session.image();
        let start = (address(&request.memory_reference)? as i64)
            .wrapping_add(request.offset)
            .wrapping_add(request.instruction_offset);
        let line = |n: u64| {
            let pc = start.wrapping_add(n as i64);
            let address = format!("{:#x}", pc as u64);
            let words = usize::try_from(pc).ok().and_then(|pc| image.words.get(pc));
            let Some(words) = words else {
                let (instruction, hint) = ("no instruction".into(), Some("invalid"));
                let none = Instruction { address, instruction, ..Instruction::default() };
                return Instruction { presentation_hint: hint, ..none };
            };
            let bytes: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
            let (source, line, column) = self.place(image, pc as u32);
            Instruction {
                address,
                instruction_bytes: Some(bytes.join(" ")),
                instruction: ctm_lang::asm::line(words, image.sharing),
                location: Some(source),
                line: Some(line),
                column: Some(column),
                symbol: image.name_of(NameKind::Label, pc as u32).map(str::to_string),
                presentation_hint: None,
            }
        };
        list("instructions", (0..count).map(line))
    }

    pub(super) fn read_memory(&self, value: &Value) -> anyhow::Result<Value> {
        let request: ReadMemory = arguments(value)?;
        if request.count > MOST {
            bail!("count: {} is more than {MOST}", request.count);
        }
        let start = address(&request.memory_reference)?.wrapping_add(request.offset as u64);
        let memory = self.session.memory();
        // As many bytes as there are from the address on.
        let bytes = memory.ranges().find_map(|(base, bytes)| {
            let there = bytes.get(start.checked_sub(base.into())? as usize..)?;
            Some(&there[..there.len().min(request.count as usize)])
                .filter(|there| !there.is_empty())
        });
        let bytes = bytes.unwrap_or_default();
        Ok(json!({
            "address": format!("{start:#x}"),
            "data": STANDARD.encode(bytes),
            "unreadableBytes": request.count - bytes.len() as u64,
        }))
    }

    /// The expression of a register or channel that can be watched.
    pub(super) fn data_breakpoint_info(&self, value: &Value) -> anyhow::Result<Value> {
        let request: DataBreakpointInfo = arguments(value)?;
        let text = match request.variables_reference {
            0 => request.name.clone(),
            reference => match self.references.get(reference)?.1 {
                Parent::Channels(register, _) => format!("{register}.{}", request.name),
                Parent::Elements(is_input, n) => {
                    format!("{}{n}{}", if is_input { 'i' } else { 'o' }, request.name)
                }
                // The name is the register, and perhaps what the source calls it.
                Parent::Registers | Parent::Predicates | Parent::Outputs | Parent::Constants => {
                    let word = request.name.split(' ').next().unwrap_or_default();
                    // Of an output the name has the channels that are written, too.
                    let register = match word.split_once('.') {
                        Some((register, mask)) if mask.len() > 1 => register,
                        _ => word,
                    };
                    Expression::of_register(register, self.session.image())
                }
                Parent::Source => request.name.split(' ').next().unwrap_or_default().to_string(),
                Parent::Components(_, expression) if request.name.starts_with('[') => {
                    format!("{expression}{}", request.name)
                }
                Parent::Components(_, expression) => format!("{expression}.{}", request.name),
                Parent::Surfaces => String::new(),
            },
        };
        Ok(match self.session.can_watch(&text) {
            Ok(()) => json!({ "dataId": text, "description": text, "accessTypes": ["write"] }),
            Err(why) => json!({ "dataId": null, "description": why.to_string() }),
        })
    }
}
