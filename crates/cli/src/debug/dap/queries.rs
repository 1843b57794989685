//! Requests that look: threads, frames, expressions, instructions, memory.

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
use ctm_lang::program::NameKind;
use serde_json::{Value, json};

/// The body for an expression or a command.
pub(super) fn result(text: &str) -> Value {
    json!({ "result": text, "variablesReference": 0 })
}

impl Debugged<'_> {
    pub(super) fn threads(&self) -> Value {
        let group = self.session.moment().group;
        let slots = (0..64).filter(|slot| group.started() >> slot & 1 != 0);
        let thread = |slot: usize| {
            let (i, j) = group.point(slot);
            json!({ "id": slot + 1, "name": format!("point ({i}, {j}) {}", self.session.sign(slot)) })
        };
        json!({ "threads": slots.map(thread).collect::<Vec<_>>() })
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
            let mut frame =
                json!({ "id": (slot + 1) * FRAMES + n, "name": name, "line": 0, "column": 0 });
            if words.is_some() {
                let (source, line, column) = self.sources.place(image, pc);
                frame["source"] = source;
                frame["line"] = (line - 1 + self.first_line).into();
                frame["column"] = (column - 1 + self.first_column).into();
                frame["instructionPointerReference"] = format!("{pc:#x}").into();
            }
            frame
        };
        let levels = if request.levels == 0 { usize::MAX } else { request.levels };
        let pcs = std::iter::once(moment.group.pc()).chain(calls.iter().rev().copied());
        let part = pcs.enumerate().skip(request.start_frame).take(levels).map(frame);
        let part: Vec<Value> = part.collect();
        Ok(json!({ "stackFrames": part, "totalFrames": calls.len() + 1 }))
    }

    pub(super) fn goto_targets(&mut self, value: &Value) -> anyhow::Result<Value> {
        let lines: Lines = arguments(value)?;
        let line = line_of(lines.line, self.first_line)?;
        let found = self.sources.place_from(&self.sources.find(&lines.source)?, line);
        let Some((place, line)) = found else {
            return Ok(json!({ "targets": [] }));
        };
        let known = self.targets.iter().position(|known| *known == place);
        let n = known.unwrap_or_else(|| {
            self.targets.push(place.clone());
            self.targets.len() - 1
        });
        let line = line - 1 + self.first_line;
        Ok(json!({ "targets": [{ "id": n + 1, "label": place.to_string(), "line": line }] }))
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
        let value = self.at(slot, |this| this.session.evaluate(&expression))??;
        Ok(Answer::Body(result(&value.to_string())))
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
        let first = self.first_column as usize;
        let target =
            |word: String| json!({ "label": word, "start": start + first, "length": length });
        Ok(json!({ "targets": words.into_iter().map(target).collect::<Vec<_>>() }))
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
                return json!({
                    "address": address,
                    "instruction": "no instruction",
                    "presentationHint": "invalid",
                });
            };
            let bytes: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
            let (source, line, column) = self.sources.place(image, pc as u32);
            let mut instruction = json!({
                "address": address,
                "instructionBytes": bytes.join(" "),
                "instruction": ctm_lang::asm::line(words, image.sharing),
                "location": source,
                "line": line - 1 + self.first_line,
                "column": column - 1 + self.first_column,
            });
            if let Some(label) = image.name_of(NameKind::Label, pc as u32) {
                instruction["symbol"] = label.into();
            }
            instruction
        };
        let lines: Vec<Value> = (0..count).map(line).collect();
        Ok(json!({ "instructions": lines }))
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
                    match word.split_once('.') {
                        Some((register, mask)) if mask.len() > 1 => register.to_string(),
                        _ => word.to_string(),
                    }
                }
                Parent::Surfaces => String::new(),
            },
        };
        Ok(match self.session.can_watch(&text) {
            Ok(()) => json!({ "dataId": text, "description": text, "accessTypes": ["write"] }),
            Err(why) => json!({ "dataId": null, "description": why.to_string() }),
        })
    }
}
