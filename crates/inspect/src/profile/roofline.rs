//! The roofline of the card as an SVG picture: what its instructions and its memory allow, and where
//! each pass lies.

use super::PassProfile;
use ctm_base::text::numbers::{rate, short_rate};
use ctm_machine::engine::card::{Bound, X1900_XTX};
use ctm_machine::engine::groups::SLOTS;
use maud::{Markup, html};

/// Size of the picture, and its margins, in pixels.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 44.0;

/// The powers of ten that the axes show.
struct Axes {
    x: (i32, i32),
    y: (i32, i32),
}

impl Axes {
    fn x(&self, value: f64) -> f64 {
        place(value, self.x, LEFT, WIDTH - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        place(value, self.y, HEIGHT - BOTTOM, TOP)
    }
}

fn place(value: f64, (low, high): (i32, i32), from: f64, to: f64) -> f64 {
    let part = (value.log10() - f64::from(low)) / f64::from(high - low);
    from + part.clamp(0.0, 1.0) * (to - from)
}

/// A pass in the picture: the instructions ALU and OUT of its groups, 64 points each, idle ones included.
/// So they are what takes the processors' time.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// Instructions for each byte that moves.
    pub intensity: f64,
    /// Instructions a second, in the time of the slowest part of each launch.
    pub rate: f64,
}

impl Mark {
    /// The mark of a pass; `None` if it has none of these instructions.
    pub fn of(pass: &PassProfile) -> Option<Mark> {
        let instructions = (SLOTS as u64 * (pass.statistics.alu + pass.statistics.out)) as f64;
        let seconds = pass.time.seconds();
        (instructions > 0.0 && seconds > 0.0).then(|| Mark {
            intensity: instructions / pass.bytes.max(1) as f64,
            rate: instructions / seconds,
        })
    }
}

/// The instructions a second that the card's processors and its memory allow, by the instructions for
/// each byte.
pub fn roof(intensity: f64) -> f64 {
    X1900_XTX.instructions.min(intensity * X1900_XTX.bytes)
}

struct Dot<'a> {
    pass: &'a PassProfile,
    mark: Mark,
}

/// The picture; `None` if no pass did anything.
pub(super) fn roofline(passes: &[&PassProfile]) -> Option<Markup> {
    let dots = passes.iter().filter_map(|pass| Some(Dot { pass, mark: Mark::of(pass)? }));
    let dots: Vec<Dot> = dots.collect();
    if dots.is_empty() {
        return None;
    }
    let (card, ridge) = (X1900_XTX, X1900_XTX.instructions / X1900_XTX.bytes);
    let power = |value: f64| value.log10().floor() as i32;
    let low = dots.iter().map(|dot| dot.mark.intensity).fold(ridge, f64::min);
    let high = dots.iter().map(|dot| dot.mark.intensity).fold(ridge, f64::max);
    let top = card.instructions;
    let bottom = dots.iter().map(|dot| dot.mark.rate).fold(top, f64::min);
    let axes = Axes {
        x: (power(low) - 1, power(high) + 2),
        y: (power(bottom).min(power(top) - 2), power(top) + 1),
    };
    let (x0, x1) = (10f64.powi(axes.x.0), 10f64.powi(axes.x.1));
    // Where the memory's roof enters the picture.
    let start = x0.max(10f64.powi(axes.y.0) / card.bytes);
    let points = [start, ridge, x1].map(|x| (x, roof(x)));
    let path = points.map(|(x, y)| format!("{:.1},{:.1}", axes.x(x), axes.y(y))).join(" ");
    let right = WIDTH - RIGHT;
    let ceiling = axes.y(card.instructions);
    Some(html! {
        svg .roofline viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-labelledby="roofline-title" {
            title id="roofline-title" { "Roofline of an " (card.name) " with the passes of the job" }
            @for n in axes.x.0..=axes.x.1 {
                @let x = axes.x(10f64.powi(n));
                line .grid x1=(px(x)) x2=(px(x)) y1=(px(TOP)) y2=(px(HEIGHT - BOTTOM)) {}
                text x=(px(x)) y=(px(HEIGHT - BOTTOM + 16.0)) text-anchor="middle" { (plain(n)) }
            }
            @for n in axes.y.0..=axes.y.1 {
                @let y = axes.y(10f64.powi(n));
                line .grid x1=(px(LEFT)) x2=(px(right)) y1=(px(y)) y2=(px(y)) {}
                text x=(px(LEFT - 6.0)) y=(px(y + 4.0)) text-anchor="end" { (short_rate(10f64.powi(n))) }
            }
            text x=(px((LEFT + right) / 2.0)) y=(px(HEIGHT - 8.0)) text-anchor="middle" {
                "instructions for each byte"
            }
            text transform=(format!("translate(14 {:.1}) rotate(-90)", (TOP + HEIGHT - BOTTOM) / 2.0)) text-anchor="middle" {
                "instructions a second"
            }
            polyline .roof points=(path) {}
            text .roofname x=(px(right + 6.0)) y=(px(ceiling + 4.0)) { (rate(card.instructions)) " instructions/s" }
            @let (x, y) = (axes.x(start), axes.y(roof(start)));
            text .roofname x=(px(x + 16.0)) y=(px(y - 6.0)) { (rate(card.bytes)) "B/s" }
            @for dot in &dots {
                @let (x, y) = (axes.x(dot.mark.intensity), axes.y(dot.mark.rate));
                g .dot {
                    title {
                        "pass " (dot.pass.pass) ": " (rate(dot.mark.rate)) " instructions a second, bound by "
                        (dot.pass.time.bound().name())
                    }
                    (mark(dot.pass.time.bound(), x, y))
                    text x=(px(x + 9.0)) y=(px(y + 16.0)) { (dot.pass.pass) }
                }
            }
            @for (n, bound) in Bound::ALL.into_iter().enumerate() {
                @let y = HEIGHT - BOTTOM - 8.0 - 18.0 * (3 - n) as f64;
                g .dot { (mark(bound, right + 14.0, y - 4.0)) }
                text x=(px(right + 26.0)) y=(px(y)) { "by " (bound.name()) }
            }
        }
    })
}

/// The mark of a bound: the shapes tell bounds apart without colours.
fn mark(bound: Bound, x: f64, y: f64) -> Markup {
    let polygon = |offsets: &[(f64, f64)]| {
        let points = offsets.iter().map(|(dx, dy)| format!("{:.1},{:.1}", x + dx, y + dy));
        points.collect::<Vec<_>>().join(" ")
    };
    match bound {
        Bound::Instructions => html! { circle cx=(px(x)) cy=(px(y)) r="6" {} },
        Bound::Fetches => {
            html! { polygon points=(polygon(&[(-6.0, 5.0), (6.0, 5.0), (0.0, -7.0)])) {} }
        }
        Bound::Flow => {
            html! { polygon points=(polygon(&[(-7.0, 0.0), (0.0, 7.0), (7.0, 0.0), (0.0, -7.0)])) {} }
        }
        Bound::Memory => {
            html! { polygon points=(polygon(&[(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)])) {} }
        }
    }
}

fn px(value: f64) -> String {
    format!("{value:.1}")
}

/// A power of ten.
fn plain(power: i32) -> String {
    match power {
        0.. => short_rate(10f64.powi(power)),
        _ => format!("{:.*}", power.unsigned_abs() as usize, 10f64.powi(power)),
    }
}
