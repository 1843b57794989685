//! The panes and where they are.

use super::app::App;
use super::{code, keys, picture, state};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Clear, Paragraph};

/// The smallest terminal.
const WIDTH: u16 = 80;
const HEIGHT: u16 = 24;
/// Lines that a page of answers scrolls.
pub const PAGE: usize = 5;

impl App<'_> {
    /// A style with a colour, if there are colours.
    pub fn color(&self, color: Color) -> Style {
        if self.colors { Style::new().fg(color) } else { Style::new() }
    }
}

/// Draws a pane with a title; `left`: with a line on its left. Returns the area inside.
pub fn pane(frame: &mut Frame<'_>, area: Rect, title: &str, left: bool) -> Rect {
    let borders = if left { Borders::TOP | Borders::LEFT } else { Borders::TOP };
    let block = Block::new().borders(borders).title(format!(" {title} "));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    inner
}

/// Draws everything.
pub fn draw(frame: &mut Frame<'_>, app: &App<'_>) {
    let area = frame.area();
    if area.width < WIDTH || area.height < HEIGHT {
        let (width, height) = (area.width, area.height);
        let text = format!(
            "The terminal has {width} x {height} characters.\nThis screen needs {WIDTH} x {HEIGHT}. q or Ctrl-C ends it."
        );
        frame.render_widget(Paragraph::new(text), area);
        return;
    }
    if app.help {
        return draw_help(frame, area);
    }
    let data = (area.height / 3).max(9);
    let [title, top, bottom, line] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(data),
        Constraint::Length(1),
    ])
    .areas(area);
    draw_title(frame, app, title);
    let [left, registers] =
        Layout::horizontal([Constraint::Percentage(54), Constraint::Min(0)]).areas(top);
    let [source, instructions] =
        Layout::vertical([Constraint::Percentage(50), Constraint::Min(0)]).areas(left);
    code::draw_source(frame, app, source);
    code::draw_instructions(frame, app, instructions);
    state::draw_registers(frame, app, registers);
    let points = state::grid_width(app).min(area.width / 3);
    let [grid, picture, answers] = Layout::horizontal([
        Constraint::Length(points),
        Constraint::Length((2 * data).min(area.width / 3)),
        Constraint::Min(0),
    ])
    .areas(bottom);
    state::draw_grid(frame, app, grid);
    picture::draw(frame, app, picture);
    draw_answers(frame, app, answers);
    join(frame.buffer_mut(), registers, instructions, [picture, answers]);
    draw_line(frame, app, line);
}

/// Joins the lines of panes where they meet.
fn join(buffer: &mut Buffer, registers: Rect, instructions: Rect, bottom: [Rect; 2]) {
    let mut put = |x: u16, y: u16, choose: fn(&str) -> Option<&'static str>| {
        if let Some(cell) = buffer.cell_mut((x, y))
            && let Some(symbol) = choose(cell.symbol())
        {
            cell.set_symbol(symbol);
        }
    };
    put(registers.x, registers.y, |_| Some("┬"));
    put(registers.x, instructions.y, |_| Some("┤"));
    bottom.iter().for_each(|pane| put(pane.x, pane.y, |_| Some("┬")));
    // The line of the registers ends at the panes below, which may have a title there.
    put(registers.x, bottom[0].y, |below| match below {
        "─" => Some("┴"),
        "┬" => Some("┼"),
        _ => None,
    });
}

/// Draws everything with a note that a command runs.
pub fn draw_running(frame: &mut Frame<'_>, app: &App<'_>) {
    draw(frame, app);
    let Some(row) = frame.area().rows().next_back() else { return };
    frame.render_widget(Clear, row);
    frame.render_widget(Line::from("running; Ctrl-C stops it"), row);
}

fn draw_title(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    let session = &app.session;
    let position = session.position();
    let (pass, repetition) = session.plan().pass_of(position.launch);
    let repetition = match session.plan().repeat(pass) {
        1 => String::new(),
        count => format!(" repetition {repetition} of {count},"),
    };
    let (group, step) = (position.group, position.step);
    let (i, j) = session.point();
    let text = format!("pass {pass},{repetition} group {group}, step {step}, point ({i}, {j})");
    let style = Style::new().add_modifier(Modifier::REVERSED);
    frame.render_widget(Paragraph::new(text).style(style), area);
}

/// The end of the answers, wrapped.
fn draw_answers(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    let inner = pane(frame, area, "answers", true);
    let (width, height) = (inner.width as usize, inner.height as usize);
    let mut rows: Vec<String> = Vec::new();
    let wanted = height + app.scroll;
    for answer in app.answers.iter().rev() {
        let letters: Vec<char> = answer.chars().collect();
        if letters.is_empty() {
            rows.push(String::new());
        }
        rows.extend(letters.chunks(width.max(1)).rev().map(|row| row.iter().collect::<String>()));
        if rows.len() >= wanted {
            break;
        }
    }
    let skipped = app.scroll.min(rows.len().saturating_sub(height));
    let shown = rows.iter().skip(skipped).take(height).rev();
    let style = |row: &str| {
        if row.starts_with('>') || row.starts_with("error:") {
            Style::new().add_modifier(Modifier::BOLD)
        } else {
            Style::new()
        }
    };
    let lines: Vec<Line<'_>> = shown.map(|row| Line::from(&row[..]).style(style(row))).collect();
    frame.render_widget(Paragraph::new(lines), inner);
}

fn draw_line(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    if !app.typing {
        frame.render_widget(Line::from("? keys   : command   q quit"), area);
        return;
    }
    let (text, column) = app.line.shown();
    let width = area.width.saturating_sub(3) as usize;
    let scroll = app.line.scroll(width);
    let shown: String = text.chars().skip(scroll).collect();
    let choices = if app.line.choices.is_empty() {
        String::new()
    } else {
        format!("   [{}]", app.line.choices.join(" "))
    };
    frame.render_widget(Line::from(format!(": {shown}{choices}")), area);
    frame.set_cursor_position((area.x + 2 + (column - scroll.min(column)) as u16, area.y));
}

fn draw_help(frame: &mut Frame<'_>, area: Rect) {
    let mut lines = vec![Line::from("Keys").style(Style::new().add_modifier(Modifier::BOLD))];
    lines.extend(keys::HELP.map(|(key, does)| Line::from(format!("{key:<12} {does}"))));
    lines.push(Line::from(""));
    lines.push(Line::from("Any key closes this list."));
    frame.render_widget(Paragraph::new(lines), area);
}
