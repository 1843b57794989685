//! The pane of an output as a picture, two elements per character.

use super::app::App;
use super::screen::pane;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

/// The smallest and the largest finite value of a picture, at least 0 to 1.
fn range(pixels: &[Option<[f32; 3]>]) -> (f32, f32) {
    let values = pixels.iter().flatten().flatten().copied().filter(|value| value.is_finite());
    values.fold((0.0, 1.0), |(low, high), value| (value.min(low), value.max(high)))
}

/// An output, scaled down to fit. The element of the point that is looked at is an `X`.
pub fn draw(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    let session = &app.session;
    let n = app.output;
    let Some(surface) = session.launch().outputs[n] else {
        pane(frame, area, "no output", true);
        return;
    };
    let title = format!("o{n}: {} x {}", surface.width, surface.height);
    let inner = pane(frame, area, &title, true);
    let (columns, rows) = (u32::from(inner.width), u32::from(inner.height) * 2);
    if columns == 0 || rows == 0 {
        return;
    }
    // Elements per pixel, the same in both directions.
    let scale = surface.width.div_ceil(columns).max(surface.height.div_ceil(rows)).max(1);
    let grey = surface.format.channels() == 1;
    let pixel = |x: u32, y: u32| {
        let channels = session.element(n, x * scale, y * scale)?.map(f32::from_bits);
        let [r, g, b, _] = channels;
        Some(if grey { [r, r, r] } else { [r, g, b] })
    };
    let pixels: Vec<Option<[f32; 3]>> = (0..rows)
        .flat_map(|y| (0..columns).map(move |x| (x, y)))
        .map(|(x, y)| pixel(x, y))
        .collect();
    let (low, high) = range(&pixels);
    let level = |value: f32| ((value - low) / (high - low) * 255.0) as u8;
    let (i, j) = session.point();
    let marked = (i / scale, j / scale / 2);
    for y in 0..rows / 2 {
        for x in 0..columns {
            let at = |y: u32| pixels[(y * columns + x) as usize];
            let (upper, lower) = (at(2 * y), at(2 * y + 1));
            let place = (inner.x + x as u16, inner.y + y as u16);
            let Some(cell) = frame.buffer_mut().cell_mut(place) else { continue };
            if (x, y) == marked {
                cell.set_char('X');
                cell.set_style(Style::new().add_modifier(Modifier::BOLD));
            } else if app.colors {
                let color = |pixel: [f32; 3]| {
                    let [r, g, b] = pixel.map(level);
                    Color::Rgb(r, g, b)
                };
                if let Some(upper) = upper {
                    cell.set_char('▀').set_fg(color(upper));
                    lower.map(|lower| cell.set_bg(color(lower)));
                }
            } else {
                let bright = |pixel: Option<[f32; 3]>| {
                    pixel.is_some_and(|p| p.map(|v| u32::from(level(v))).iter().sum::<u32>() > 382)
                };
                cell.set_char(match (bright(upper), bright(lower)) {
                    (true, true) => '█',
                    (true, false) => '▀',
                    (false, true) => '▄',
                    (false, false) if upper.is_some() => '·',
                    (false, false) => ' ',
                });
            }
        }
    }
}
