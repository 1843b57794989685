//! The results of `ctm bench` as a page: a plot for each mode, and the table.

use super::table::{HEADING, Results, Row, line};
use ctm_base::text::numbers::{rate, short_rate};
use ctm_engine::card::X1900_XTX;
use ctm_tools::page;
use maud::{Markup, html};

/// Size of a plot and its margins, in pixels. Its height follows from the number of kernels.
const WIDTH: f64 = 860.0;
const LEFT: f64 = 190.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 44.0;
/// The height of a kernel's line.
const LINE: f64 = 22.0;

/// The marks of engines, in the order in which engines appear: colours that colour-blind readers can tell apart, and
/// shapes.
const MARKS: [(&str, Shape); 4] = [
    ("#0072b2", Shape::Circle),
    ("#d55e00", Shape::Square),
    ("#009e73", Shape::Triangle),
    ("#aa4499", Shape::Diamond),
];

#[derive(Clone, Copy)]
enum Shape {
    Circle,
    Square,
    Triangle,
    Diamond,
}

/// The page of some results.
pub(super) fn page(results: &Results, adapter: Option<&str>) -> String {
    let all: Vec<&Row> = results.results.iter().collect();
    let body = html! {
        header {
            h1 { "ctm bench" }
            ul .facts {
                li { b { (results.threads) } @if results.threads == 1 { " thread" } @else { " threads" } }
                @if let Some(adapter) = adapter { li { (adapter) } }
                li { "ctm " b { (env!("CARGO_PKG_VERSION")) } ", harness " b { (results.harness) } }
            }
        }
        main {
            @for mode in distinct(&all, |row| row.mode) {
                @let rows = all.iter().copied().filter(|row| row.mode == mode).collect::<Vec<_>>();
                section {
                    h2 { "Mode " (mode) }
                    p { "Point-instructions a second, by kernel and engine. The line is an " (X1900_XTX.name)
                        " at best, by its data sheet." }
                    (plot(&rows))
                }
            }
            section {
                h2 { "All rows" }
                div .wide { pre {
                    (HEADING) "\n"
                    @for row in &results.results { (line(row)) "\n" }
                    @for failure in &results.errors { (failure.line()) }
                } }
            }
        }
        footer { p { "docs/bench.md says how to read a row." } }
    };
    page::page("ctm bench", &[page::STYLE], "", body)
}

/// The different values of rows, in their order.
fn distinct<'r>(rows: &[&'r Row], value: fn(&'r Row) -> &'r str) -> Vec<&'r str> {
    let mut found = Vec::new();
    for row in rows {
        if !found.contains(&value(row)) {
            found.push(value(row));
        }
    }
    found
}

/// The speed of the card at best for a row's work.
fn of_card(row: &Row) -> f64 {
    row.instructions as f64 / row.card_seconds.max(1e-12)
}

/// The speeds of one mode as an SVG picture, which can stand alone.
fn plot(rows: &[&Row]) -> Markup {
    let kernels = &distinct(rows, |row| &row.kernel);
    let engines = distinct(rows, |row| row.engine);
    let speeds = || rows.iter().flat_map(|row| [row.pi_per_second, of_card(row)]);
    let low = speeds().fold(f64::INFINITY, f64::min).max(1.0).log10().floor() as i32;
    let high = (speeds().fold(1.0, f64::max).log10().floor() as i32 + 1).max(low + 1);
    let x = |speed: f64| {
        let part = (speed.max(1.0).log10() - f64::from(low)) / f64::from(high - low);
        LEFT + part.clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT)
    };
    let y = |kernel: usize| TOP + LINE * (kernel as f64 + 0.5);
    let bottom = TOP + LINE * kernels.len() as f64;
    let height = bottom + BOTTOM;
    let of = |kernel: usize| rows.iter().filter(move |row| row.kernel == kernels[kernel]);
    let card = (0..kernels.len()).filter_map(|n| {
        let row = of(n).next()?;
        Some(format!("{:.1},{:.1}", x(of_card(row)), y(n)))
    });
    let card: Vec<String> = card.collect();
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {WIDTH} {height}")) role="img"
            font-family="sans-serif" font-size="13" {
            title { "Point-instructions a second, by kernel and engine" }
            rect width=(WIDTH) height=(height) fill="white" {}
            @for n in low..=high {
                @let x = px(x(10f64.powi(n)));
                line x1=(x) x2=(x) y1=(px(TOP)) y2=(px(bottom)) stroke="#ddd" {}
                text x=(x) y=(px(bottom + 18.0)) text-anchor="middle" fill="#333" { (short_rate(10f64.powi(n))) }
            }
            text x=(px((LEFT + WIDTH - RIGHT) / 2.0)) y=(px(bottom + 36.0)) text-anchor="middle" fill="#333" {
                "point-instructions a second"
            }
            @for (n, kernel) in kernels.iter().enumerate() {
                text x=(px(LEFT - 10.0)) y=(px(y(n) + 4.0)) text-anchor="end" fill="#333" { (short(kernel)) }
                line x1=(px(LEFT)) x2=(px(WIDTH - RIGHT)) y1=(px(y(n))) y2=(px(y(n))) stroke="#eee" {}
            }
            polyline points=(card.join(" ")) fill="none" stroke="#888" stroke-width="2" stroke-dasharray="5 4" {}
            @for n in 0..kernels.len() {
                @for row in of(n) {
                    g {
                        title { (row.kernel) ", " (row.engine) ": " (rate(row.pi_per_second)) " pi/s" }
                        (mark(&engines, row.engine, x(row.pi_per_second), y(n)))
                    }
                }
            }
            @for (n, engine) in engines.iter().enumerate() {
                @let left = LEFT + 120.0 * n as f64;
                (mark(&engines, engine, left + 6.0, 20.0))
                text x=(px(left + 18.0)) y="24" fill="#333" { (engine) }
            }
            @let left = LEFT + 120.0 * engines.len() as f64;
            line x1=(px(left)) x2=(px(left + 26.0)) y1="20" y2="20" stroke="#888" stroke-width="2" stroke-dasharray="5 4" {}
            text x=(px(left + 32.0)) y="24" fill="#333" { (X1900_XTX.name) " at best" }
        }
    }
}

/// The mark of an engine.
fn mark(engines: &[&str], engine: &str, x: f64, y: f64) -> Markup {
    let n = engines.iter().position(|other| *other == engine).unwrap_or_default();
    let (colour, shape) = MARKS[n % MARKS.len()];
    let polygon = |offsets: &[(f64, f64)]| {
        let points = offsets.iter().map(|(dx, dy)| format!("{:.1},{:.1}", x + dx, y + dy));
        html! { polygon points=(points.collect::<Vec<_>>().join(" ")) fill=(colour) {} }
    };
    match shape {
        Shape::Circle => html! { circle cx=(px(x)) cy=(px(y)) r="5.5" fill=(colour) {} },
        Shape::Square => polygon(&[(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)]),
        Shape::Triangle => polygon(&[(-6.0, 5.0), (6.0, 5.0), (0.0, -6.5)]),
        Shape::Diamond => polygon(&[(-6.5, 0.0), (0.0, 6.5), (6.5, 0.0), (0.0, -6.5)]),
    }
}

/// A kernel's name in the space that there is for it.
fn short(name: &str) -> String {
    let name = crate::escaped_line(name);
    match name.char_indices().nth(25) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name,
    }
}

fn px(value: f64) -> String {
    format!("{value:.1}")
}
