//! The profile as one HTML page that needs nothing else: no script, no network. Pictures are in the
//! page.

use super::heat::{COLOURS, NOT_STARTED};
use super::roofline::roofline;
use super::text::{COLUMNS, Column, percent, share, whole_clocks};
use super::{PassProfile, Profile, Row, time};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ctm_base::text::numbers::{self, bytes, grouped, rate};
use ctm_base::text::printable;
use ctm_jobs::array::compare::three_digits;
use ctm_jobs::array::picture::Picture;
use ctm_jobs::job::{Job, Pass};
use ctm_lang::asm;
use ctm_machine::engine::card::{Bound, X1900_XTX};
use ctm_tools::page;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The most columns or rows of a picture in the page.
const LARGEST: u32 = 1024;

/// The most passes in the page.
const MOST_PASSES: usize = 50;

/// The page of a profile of a job.
pub fn html(profile: &Profile, job: &Job) -> String {
    let name = printable(&profile.file.display().to_string());
    let (shown, rest) = profile.slowest(MOST_PASSES);
    let body = html! {
        header {
            h1 { (name) }
            @if !profile.about.is_empty() { p .about { (printable(&profile.about)) } }
            (facts(profile, job))
        }
        main {
            section {
                h2 { "Passes" }
                @if let Some(rest) = rest {
                    p .notice {
                        "The page has the " (shown.len()) " passes that take the most time. "
                        (grouped(rest.passes as u64)) " others take " (share(rest.share)) " of it."
                    }
                }
                (passes(&shown))
            }
            @if let Some(picture) = roofline(&shown) {
                section {
                    h2 { "Roofline of an " (X1900_XTX.name) }
                    p {
                        "The line is what the card's processors and its memory allow. A mark is a pass, \
                         as fast as the card could run it; its shape says what bounds it. A pass below \
                         the line is bound by fetches or flow control. The instructions are ALU and OUT \
                         of whole groups, idle lanes included: these take the processors' time."
                    }
                    (picture)
                }
            }
            section {
                h2 { "Pictures" }
                (pictures(profile, &shown, job))
            }
            @for pass in &shown { (one_pass(pass)) }
        }
        footer {
            p { "Made by ctm " (env!("CARGO_PKG_VERSION")) ". docs/profiling.md explains every number." }
        }
    };
    page::page(&format!("{name} - ctm profile"), &[page::STYLE], "", body)
}

fn facts(profile: &Profile, job: &Job) -> Markup {
    let result = &profile.result;
    let sample = profile.passes.iter().any(PassProfile::is_sample);
    let (sampled, tiles) = profile
        .passes
        .iter()
        .fold((0, 0), |(sampled, tiles), pass| (sampled + pass.sampled, tiles + pass.tiles));
    html! {
        ul .facts {
            li { b { (grouped(result.launches)) } @if result.launches == 1 { " launch" } @else { " launches" } }
            li { b { (grouped(result.points)) } " points" }
            li { b { (grouped(result.groups)) } " groups of 64" }
            @if let Some(s) = &result.statistics {
                li { b { (rate(s.lane_instructions as f64)) } " lane instructions" }
                li { b { (rate(s.fetches as f64)) } " fetches" }
            }
            li { b { (numbers::time(profile.time().seconds())) } " on an " (X1900_XTX.name) " at best" }
            li { "mode " b { (result.mode.name()) } }
        }
        @if sample {
            p .notice {
                b { "A sample: " }
                "the counts of lines and instructions, the distinct elements and the heat maps are of "
                (grouped(sampled)) " of " (grouped(tiles)) " groups. The table of passes has all groups, except \
                for the distinct elements."
            }
        }
        @for fault in result.job_faults(job) {
            p .notice { b { "Fault: " } (printable(&fault.text())) }
        }
    }
}

fn passes(passes: &[&PassProfile]) -> Markup {
    html! {
        div .wide { table .numbers.passes {
            thead {
                tr {
                    th rowspan="2" { "pass" }
                    th rowspan="2" .text { "program" }
                    th colspan="2" { "at best" }
                    th rowspan="2" { "launches" }
                    th colspan="2" { "groups" }
                    th colspan="2" { "lane instructions" }
                    th colspan="2" { "divergent" }
                    th colspan="3" { "fetches" }
                    th colspan="5" { "R580 clocks" }
                }
                tr {
                    th { "time" } th .text { "bound by" }
                    th { "ran" } th { "skipped" }
                    th { "count" } th { "active" }
                    th { "count" } th { "of FC" }
                    th { "count" } th { "distinct" } th { "bytes" }
                    @for bound in Bound::ALL { th { (bound.name()) } }
                    th { "active" }
                }
            }
            tbody {
                @for pass in passes {
                    @let s = &pass.statistics;
                    @let group = s.alu + s.out + s.tex + s.fc;
                    tr {
                        td { a href=(format!("#pass-{}", pass.pass)) { (pass.pass) } }
                        td .text .program title=(program(pass)) { (program_name(pass)) }
                        td { (numbers::time(pass.time.seconds())) }
                        td .text { (pass.time.bound().name()) }
                        td { (grouped(pass.launches)) }
                        td { (grouped(s.groups)) }
                        td { (grouped(pass.tiles - s.groups)) }
                        td { (grouped(s.lane_instructions)) }
                        td { (percent(s.lane_instructions, 64 * group)) }
                        td { (grouped(s.divergent)) }
                        td { (percent(s.divergent, s.fc)) }
                        td { (grouped(s.fetches)) }
                        td { (grouped(pass.distinct.elements)) }
                        td { (bytes(pass.distinct.bytes)) }
                        @for (_, time) in pass.time.parts() { td { (whole_clocks(time)) } }
                        td { (grouped(pass.active_clocks)) }
                    }
                }
            }
        } }
    }
}

/// The name of its file, without the folder.
fn program_name(pass: &PassProfile) -> String {
    printable(&pass.program_file.file_name().unwrap_or_default().to_string_lossy())
}

fn program(pass: &PassProfile) -> String {
    printable(&pass.program_file.display().to_string())
}

/// The outputs of these passes as pictures, and the heat map of each pass.
fn pictures(profile: &Profile, passes: &[&PassProfile], job: &Job) -> Markup {
    let shown: Vec<usize> = passes.iter().map(|pass| pass.pass).collect();
    let is_shown = |buffer: usize| {
        let writes = |pass: &Pass| pass.outputs.iter().any(|&(_, output)| output == buffer);
        let mut writers = (0..).zip(&job.passes).filter(|(_, pass)| writes(pass)).peekable();
        writers.peek().is_none() || writers.any(|(n, _)| shown.contains(&n))
    };
    let outputs = job.buffers.iter().enumerate();
    let outputs = outputs.filter(|(n, buffer)| buffer.is_output() && is_shown(*n));
    html! {
        div .pictures {
            @for pass in passes {
                @if let Some((least, most)) = pass.heat.range() {
                    figure {
                        @if pass.heat.is_even() {
                            figcaption {
                                b { "Pass " (pass.pass) ": instructions of each point" }
                                br;
                                (grouped(most)) ", all the same"
                            }
                        } @else {
                            (image(pass.heat.picture(), &format!("heat map of pass {}", pass.pass)))
                            figcaption {
                                b { "Pass " (pass.pass) ": instructions of each point" }
                                br;
                                (grouped(least)) " to " (grouped(most)) "; brighter is more, grey points did not run"
                                (scale(most))
                            }
                        }
                    }
                }
            }
            @for (n, buffer) in outputs {
                @if let Ok(raster) = profile.result.raster(n) {
                    @if raster.width > 0 && raster.height > 0 {
                        @let (picture, low, high) = Picture::scaled(&raster);
                        figure {
                            (image(picture, &printable(&buffer.name)))
                            figcaption {
                                b { (printable(&buffer.name)) }
                                br;
                                (raster.format.name()) ", " (raster.width) " x " (raster.height)
                                "; channels from " (three_digits(low.into())) " to " (three_digits(high.into()))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The colours of the heat map.
fn scale(most: u64) -> Markup {
    let width = 240;
    let step = width / COLOURS.len();
    html! {
        svg .scale viewBox="0 0 300 30" role="img" aria-label="colours of the heat map" {
            @for (n, colour) in COLOURS.iter().enumerate() {
                rect x=(n * step) y="0" width=(step) height="12" fill=(hex(*colour)) {}
            }
            rect x="252" y="0" width="24" height="12" fill=(hex(NOT_STARTED)) {}
            text x="0" y="26" { "0" }
            text x=(step * COLOURS.len()) y="26" text-anchor="end" { (grouped(most)) }
            text x="264" y="26" text-anchor="middle" { "none" }
        }
    }
}

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn image(picture: Picture, what: &str) -> Markup {
    let picture = picture.reduced(LARGEST);
    let mut file = Vec::new();
    // Writing to memory cannot fail; if it did, only this picture would be missing.
    let written = picture.write(&mut file);
    html! {
        @if written.is_ok() {
            img src=(format!("data:image/png;base64,{}", STANDARD.encode(&file)))
                width=(picture.width) height=(picture.height) alt=(what);
        }
    }
}

fn one_pass(pass: &PassProfile) -> Markup {
    let parts = pass.time.parts();
    let slowest = parts.iter().map(|(_, time)| *time).max().unwrap_or_default().max(1);
    html! {
        section id=(format!("pass-{}", pass.pass)) {
            h2 { "Pass " (pass.pass) ": " (program(pass)) }
            table .parts {
                caption {
                    "The least time of each part of an " (X1900_XTX.name) "; the parts work concurrently. This pass \
                     is bound by " b { (pass.time.bound().name()) } "."
                }
                @for (bound, time) in parts {
                    tr {
                        th { (bound.name()) }
                        td { (whole_clocks(time)) " clocks" }
                        td { (numbers::time(time::seconds(time))) }
                        td .bar { (bar(time as f64 / slowest as f64)) }
                    }
                }
            }
            @if let Some(map) = pass.program.source() {
                @for (n, file) in (0..).zip(&map.files) {
                    @if let Some(text) = file.text() { (source(pass, n, &file.path, text.as_str())) }
                }
            }
            h3 { "Instructions" }
            (listing(pass))
        }
    }
}

/// The columns in which some of the rows have anything.
fn columns<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Vec<Column> {
    let used = |column: &Column| rows.clone().any(|row| column.1(row).is_some());
    COLUMNS.into_iter().filter(used).collect()
}

/// The largest share of rows.
fn largest<'a>(rows: impl Iterator<Item = &'a Row>) -> f64 {
    rows.map(|row| row.share).fold(0.0, f64::max)
}

/// The head of a table of rows.
fn head(first: &str, last: &str, columns: &[Column]) -> Markup {
    html! {
        thead { tr {
            th { (first) }
            th .text { (last) }
            th { "clocks" } th { "share" } th {}
            @for (name, _) in columns { th { (name) } }
        } }
    }
}

/// The numbers of a row; zeros are left empty. The bar is as long as its part of the largest share.
fn cells(row: &Row, largest: f64, columns: &[Column]) -> Markup {
    let clocks = row.clocks.sum();
    html! {
        td { @if clocks != 0 { (whole_clocks(clocks)) } }
        td { @if clocks != 0 { (share(row.share)) } }
        td .bar { @if clocks != 0 { (bar(row.share / largest)) } }
        @for (_, value) in columns { td { (value(row).unwrap_or_default()) } }
    }
}

/// A bar of a length from 0 to 1. The number is beside it.
fn bar(part: f64) -> Markup {
    html! {
        svg .barline viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
            rect width=(format!("{:.2}", 100.0 * part.clamp(0.0, 1.0))) height="10" {}
        }
    }
}

/// A source file with the counts of each line.
fn source(pass: &PassProfile, file: u32, path: &str, text: &str) -> Markup {
    let rows: BTreeMap<u32, &Row> = pass
        .lines
        .iter()
        .filter(|line| line.file == file)
        .map(|line| (line.line, &line.row))
        .collect();
    let columns = columns(rows.values().copied());
    let largest = largest(pass.lines.iter().map(|line| &line.row));
    html! {
        h3 { (printable(path)) }
        div .wide { table .numbers.code {
            (head("line", "source", &columns))
            tbody {
                @for (n, line) in (1..).zip(text.lines()) {
                    @let row = rows.get(&n);
                    tr .hot[row.is_some_and(|row| row.share >= 0.1)] {
                        td .place { (n) }
                        td .text { code { (printable(line)) } }
                        @match row {
                            Some(row) => (cells(row, largest, &columns)),
                            None => td colspan=(3 + columns.len()) {},
                        }
                    }
                }
            }
        } }
    }
}

fn listing(pass: &PassProfile) -> Markup {
    let image = pass.program.image();
    let columns = columns(pass.instructions.iter());
    let largest = largest(pass.instructions.iter());
    html! {
        div .wide { table .numbers.code {
            (head("pc", "instruction", &columns))
            tbody {
                @for (row, words) in pass.instructions.iter().zip(&image.words) {
                    @let pc = row.pcs[0];
                    tr .hot[row.share >= 0.1] {
                        td .place { (pc) }
                        td .text {
                            code { (asm::line(words, image.sharing)) }
                            @if let Some(place) = image.location(pc) {
                                " " span .line { "line " (place.line) (image.source.also(pc)) }
                            }
                        }
                        (cells(row, largest, &columns))
                    }
                }
            }
        } }
    }
}
