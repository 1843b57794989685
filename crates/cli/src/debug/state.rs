//! The panes of the registers and of the points.

use super::app::App;
use super::escaped_line;
use super::screen::pane;
use ctm_inspect::debug::{Lane, Value};
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

/// The registers of the point. `*` marks those that differ from the last stop.
pub fn draw_registers(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    let (i, j) = app.session.point();
    let inner = pane(frame, area, &format!("registers of ({i}, {j})"), true);
    let state = app.session.state();
    let zero = |value: &Value| value.0.iter().all(|lane| lane.number == 0.0);
    let changed = |name: &str, value: &Value| {
        app.before.as_ref().is_some_and(|before| {
            let old = before.iter().find(|(old, _)| old == name);
            // A register that is not listed is 0.
            old.map_or(!zero(value), |(_, old)| old != value)
        })
    };
    let width = state.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let width = width.min(inner.width.into());
    let height = inner.height as usize;
    let shown = if state.len() > height { height.saturating_sub(1) } else { height };
    let mut lines: Vec<Line<'_>> = Vec::new();
    for (name, value) in state.iter().take(shown) {
        let changed = changed(name, value);
        let mark = if changed { '*' } else { ' ' };
        let text = if inner.width >= 70 {
            value.to_string()
        } else {
            value.0.iter().map(short).collect::<Vec<_>>().join(" ")
        };
        let style = if changed {
            app.color(Color::Yellow).add_modifier(Modifier::BOLD)
        } else {
            Style::new()
        };
        let text = format!("{mark}{:<width$} {text}", escaped_line(name));
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
