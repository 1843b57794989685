//! The panes of the source and of the instructions.

use super::app::App;
use super::escaped_line;
use super::screen::pane;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

/// The first of `height` lines that have line `at` in their middle, of `count`.
fn first(at: usize, height: usize, count: usize) -> usize {
    at.saturating_sub(height / 2).min(count.saturating_sub(height))
}

/// The source around the cursor. `=>` marks the line of the next instruction, `*` a breakpoint.
pub fn draw_source(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    let session = &app.session;
    let image = session.image();
    let place = image.location(app.cursor);
    let title = place.map_or("source".to_string(), |place| escaped_line(&place.file.path));
    let inner = pane(frame, area, &title, false);
    let Some((place, text)) = place.and_then(|place| Some((place, place.file.text()?))) else {
        frame.render_widget(Line::from("the source is not at hand"), inner);
        return;
    };
    let line_of = |pc: u32| image.location(pc).filter(|at| at.file == place.file).map(|at| at.line);
    let next = session.moment().end.is_none().then(|| line_of(session.moment().group.pc()));
    let stops: Vec<u32> = session.breakpoints().into_iter().filter_map(line_of).collect();
    let height = inner.height as usize;
    let from = first(place.line.saturating_sub(1) as usize, height, text.as_str().lines().count());
    let lines: Vec<Line<'_>> = (from as u32 + 1..)
        .map_while(|n| Some((n, text.line(n)?)))
        .take(height)
        .map(|(n, text)| {
            let here = next == Some(Some(n));
            let mark = if here { "=>" } else { "  " };
            let stop = if stops.contains(&n) { '*' } else { ' ' };
            // A tab is as wide as here, wherever it is.
            let text = escaped_line(&text.replace('\t', "    "));
            Line::from(format!("{mark}{stop}{n:>4} {text}")).style(style(app, here, stop == '*'))
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), inner);
}

/// The instructions around the cursor. `=>` marks the next one, `*` a breakpoint, `>` the cursor.
pub fn draw_instructions(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    let session = &app.session;
    let inner = pane(frame, area, "instructions", false);
    let (height, count) = (inner.height as usize, session.image().words.len());
    let next = session.moment().end.is_none().then(|| session.moment().group.pc());
    let stops = session.breakpoints();
    let from = first(app.cursor as usize, height, count);
    let lines: Vec<Line<'_>> = (from as u32..count as u32)
        .take(height)
        .map(|pc| {
            let mark = if next == Some(pc) { "=>" } else { "  " };
            let stop = if stops.contains(&pc) { '*' } else { ' ' };
            let cursor = if app.cursor == pc { '>' } else { ' ' };
            // The source is in the pane above.
            let text = escaped_line(&session.line_without_place(pc));
            let line = Line::from(format!("{mark}{stop}{cursor}{text}"));
            line.style(style(app, next == Some(pc), stop == '*'))
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), inner);
}

fn style(app: &App<'_>, next: bool, stop: bool) -> Style {
    let style = if stop { app.color(Color::Red) } else { Style::new() };
    if next { style.add_modifier(Modifier::BOLD) } else { style }
}
