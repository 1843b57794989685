//! The panes of the registers and of the points.

use super::app::App;
use super::escaped_line;
use super::screen::pane;
use ctm_inspect::debug::{Lane, Session};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// A number in at most 7 characters, mostly 6.
fn short(lane: &Lane) -> String {
    let text = lane.to_string();
    let value = lane.number;
    match value.abs() {
        _ if text.len() <= 6 => text,
        0.001..10.0 => format!("{value:.3}"),
        10.0..1000.0 => format!("{value:.1}"),
        1000.0..100_000.0 => format!("{value:.0}"),
        _ => format!("{value:.0e}"),
    }
}

/// A line of the pane of registers: a variable of the source or a register.
#[derive(Clone)]
pub struct Row {
    is_variable: bool,
    /// The name; of a register its first word alone stays the same.
    name: String,
    /// The numbers; `None`: optimised away.
    lanes: Vec<Option<Lane>>,
    /// All that there is to say.
    text: String,
}

/// The variables of the source, then the registers.
pub fn rows(session: &Session<'_>) -> Vec<Row> {
    let variables = session.variables().into_iter().map(|one| Row {
        is_variable: true,
        text: one.to_string(),
        name: one.name,
        lanes: one.components.iter().map(|one| one.found.as_ref().map(|it| it.lane)).collect(),
    });
    let registers = session.state().into_iter().map(|(name, value)| Row {
        is_variable: false,
        name,
        text: value.to_string(),
        lanes: value.0.into_iter().map(Some).collect(),
    });
    variables.chain(registers).collect()
}

impl Row {
    /// Whether both are of one variable or register.
    fn is_of(&self, other: &Row) -> bool {
        let first = |row: &Row| row.name.split(' ').next().map(str::to_string);
        let same =
            if self.is_variable { self.name == other.name } else { first(self) == first(other) };
        self.is_variable == other.is_variable && same
    }

    /// The bounds of its values, as [`Session::ranges`] gives them.
    fn ranges(&self, session: &Session<'_>) -> String {
        if !self.is_variable {
            return session.ranges_of_register(self.name.split(' ').next().unwrap_or_default());
        }
        let found = session.variables().into_iter().find(|one| one.name == self.name);
        found.map_or_else(String::new, |one| session.ranges(&one.components))
    }

    fn is_zero(&self) -> bool {
        self.lanes.iter().flatten().all(|lane| lane.number == 0.0)
    }
}

/// The variables and registers of the point. `*` marks those that differ from the last stop.
pub fn draw_registers(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    let (i, j) = app.session.point();
    let inner = pane(frame, area, &format!("registers of ({i}, {j})"), true);
    let state = rows(&app.session);
    let changed = |row: &Row| {
        app.before.as_ref().is_some_and(|before| {
            let old = before.iter().find(|old| row.is_of(old));
            // A register that is not listed is 0.
            old.map_or(row.is_variable || !row.is_zero(), |old| old.lanes != row.lanes)
        })
    };
    let width = state.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let width = width.min(inner.width.into());
    let height = inner.height as usize;
    let shown = if state.len() > height { height.saturating_sub(1) } else { height };
    let mut lines: Vec<Line<'_>> = Vec::new();
    for row in state.iter().take(shown) {
        let changed = changed(row);
        let mark = if changed { '*' } else { ' ' };
        let text = if inner.width >= 70 {
            format!("{}{}", row.text, row.ranges(&app.session))
        } else {
            let lanes = row.lanes.iter().map(|lane| lane.as_ref().map_or("-".to_string(), short));
            lanes.collect::<Vec<_>>().join(" ")
        };
        let style = if changed {
            app.color(Color::Yellow).add_modifier(Modifier::BOLD)
        } else {
            Style::new()
        };
        let text = format!("{mark}{:<width$} {text}", escaped_line(&row.name));
        lines.push(Line::from(text).style(style));
    }
    if state.len() > shown {
        lines.push(Line::from(format!(" and {} more: registers", state.len() - shown)));
    }
    frame.render_widget(Paragraph::new(lines), inner);
}

/// The columns of the grid of points, its border included.
pub fn grid_width(app: &App<'_>) -> u16 {
    2 * app.session.moment().group.width() as u16 + 3
}

/// The points of the group by their signs. Brackets mark the one that is looked at.
pub fn draw_grid(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    let session = &app.session;
    let inner = pane(frame, area, "points", false);
    let width = session.moment().group.width();
    let rows = 64 / width;
    let lines: Vec<Line<'_>> = (0..rows)
        .map(|row| {
            let mut spans = Vec::new();
            for slot in row * width..(row + 1) * width {
                let before = match session.slot() {
                    at if at == slot => "[",
                    at if at + 1 == slot && slot % width != 0 => "]",
                    _ => " ",
                };
                spans.push(Span::from(before));
                let sign = session.sign(slot);
                let style = match sign {
                    '#' => app.color(Color::Green),
                    '.' => app.color(Color::Yellow),
                    '-' => app.color(Color::Blue),
                    _ => app.color(Color::Red),
                };
                spans.push(Span::styled(sign.to_string(), style));
            }
            let last = (row + 1) * width - 1;
            spans.push(Span::from(if session.slot() == last { "]" } else { " " }));
            Line::from(spans)
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), inner);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let short =
            |value: f32| short(&Lane { bits: Some(value.to_bits()), number: f64::from(value) });
        let values = [0.0, -1.5, 0.123_456_78, -9.87654, 98.7654, -987.654, 98765.4, 1e7 / 3.0];
        let want = ["0", "-1.5", "0.123", "-9.877", "98.8", "-987.7", "98765", "3e6"];
        assert_eq!(values.map(short), want);
        let values = [f32::NAN, f32::NEG_INFINITY, 1.2e-30, -3e38];
        assert_eq!(values.map(short), ["NaN", "-inf", "1e-30", "-3e38"]);
    }
}
