//! The command line: editing, history, completion.

use ctm_inspect::debug::{Session, complete};
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use tui_input::Input;
use tui_input::backend::crossterm::to_input_request;

/// The most lines that the history keeps.
const HISTORY: usize = 1000;

/// A line that is edited, and those before it.
#[derive(Default)]
pub struct CommandLine {
    input: Input,
    history: Vec<String>,
    /// The place in the history, and the line that was left for it.
    recalled: Option<(usize, String)>,
    /// The possible completions of the line.
    pub choices: Vec<String>,
}

/// The effect of a key on the line.
pub enum Edit {
    /// The line is edited further.
    On,
    /// Run this command.
    Run(String),
    /// Leave the line.
    Leave,
    /// End of input.
    End,
}

impl CommandLine {
    /// Begins a line with a text.
    pub fn begin(&mut self, text: &str) {
        self.input = Input::new(text.to_string());
    }

    /// The text, and the column of the cursor in it.
    pub fn shown(&self) -> (&str, usize) {
        (self.input.value(), self.input.visual_cursor())
    }

    /// The number of columns of the text to leave out on the left, of `width`.
    pub fn scroll(&self, width: usize) -> usize {
        self.input.visual_scroll(width)
    }

    /// Handles a key.
    pub fn key(&mut self, key: KeyEvent, session: &Session<'_>) -> Edit {
        self.choices.clear();
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter => {
                let line = self.input.value_and_reset();
                self.recalled = None;
                if line.trim().is_empty() {
                    return Edit::Leave;
                }
                if self.history.last() != Some(&line) {
                    self.history.push(line.clone());
                    let old = self.history.len().saturating_sub(HISTORY);
                    self.history.drain(..old);
                }
                return Edit::Run(line);
            }
            KeyCode::Esc => {
                self.input.reset();
                self.recalled = None;
                return Edit::Leave;
            }
            KeyCode::Char('d') if control && self.input.value().is_empty() => return Edit::End,
            KeyCode::Up => self.recall(true),
            KeyCode::Down => self.recall(false),
            KeyCode::Tab => self.complete(session),
            _ => {
                if let Some(request) = to_input_request(&Event::Key(key)) {
                    self.input.handle(request);
                }
            }
        }
        Edit::On
    }

    /// Replaces the line by the one before it in the history, or after it.
    fn recall(&mut self, before: bool) {
        let (at, draft) = match self.recalled.take() {
            Some(recalled) => recalled,
            None => (self.history.len(), self.input.value().to_string()),
        };
        let at = if before { at.saturating_sub(1) } else { (at + 1).min(self.history.len()) };
        let line = self.history.get(at).cloned();
        self.recalled = line.is_some().then(|| (at, draft.clone()));
        self.input = Input::new(line.unwrap_or(draft));
    }

    /// Completes the word before the cursor as far as all choices agree.
    fn complete(&mut self, session: &Session<'_>) {
        let split = |text: &str| {
            let end = text.char_indices().nth(self.input.cursor());
            end.map_or(text.len(), |(at, _)| at)
        };
        let (line, rest) = self.input.value().split_at(split(self.input.value()));
        let (start, words) = complete(session, line);
        let Some(first) = words.first() else { return };
        let common = words.iter().fold(first.len(), |common, word| {
            let same = first.chars().zip(word.chars()).take_while(|(a, b)| a == b);
            common.min(same.map(|(c, _)| c.len_utf8()).sum())
        });
        let mut completed = format!("{}{}", &line[..start], &first[..common]);
        if words.len() == 1 {
            completed.push(' ');
        }
        let cursor = completed.chars().count();
        self.input = Input::new(completed + rest).with_cursor(cursor);
        if words.len() > 1 {
            self.choices = words;
        }
    }
}
