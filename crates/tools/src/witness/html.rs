//! A witness as one HTML page, which needs no network.

use super::{Witness, is_shown};
use crate::page;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ctm_base::text::printable;
use ctm_jobs::array::picture::Picture;
use ctm_jobs::job::{Job, JobResult};
use ctm_lang::asm;
use ctm_lang::program::Program;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use maud::{Markup, html};
use std::io::{self, Write as _};
use std::iter;
use std::sync::Arc;

/// The most columns or rows of a picture in the page.
const LARGEST: u32 = 512;

const STYLE: &str = include_str!("../../../../web/witness.css");
const SCRIPT: &str =
    concat!(include_str!("../../../../web/run.js"), include_str!("../../../../web/witness.js"));

/// The page of a job and its result. `playground`: an address that opens the job in the playground.
///
/// # Errors
/// Errors of serde_json and of compression into memory, which do not occur.
pub fn html(
    witness: &Witness,
    job: &Job,
    result: &JobResult,
    playground: Option<&str>,
) -> io::Result<String> {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
    serde_json::to_writer(&mut packed, witness)?;
    packed.flush()?;
    let data = STANDARD.encode(packed.finish()?);
    let name = printable(&witness.job);
    let body = html! {
        header {
            h1 { (name) }
            @if !job.about.is_empty() { p .about { (printable(&job.about)) } }
            p {
                "This page runs " (counted(witness.launches, "launch", "launches"))
                " of a 2006 graphics processor on your GPU and compares all "
                (counted(witness.words, "word", "words"))
                " of memory with those that the emulator ctm computed on a CPU. Nothing is sent anywhere."
            }
            p { button #run type="button" disabled { "Run on this GPU" } " " span #state role="status" { "…" } }
            noscript { p .notice { "The page needs JavaScript and WebGPU." } }
        }
        main {
            section #result hidden {
                h2 { "Result" }
                ul #lines {}
                div #found .pictures {}
                details {
                    summary { "Report" }
                    p {
                        "A report has the adapter's name, its limits, the probe of its arithmetic, times and "
                        "results. " code { "ctm witness report.json" } " reads it."
                    }
                    p { button #copy type="button" { "Copy the report" } " " span #copied role="status" {} }
                    textarea #report readonly rows="12" spellcheck="false" aria-label="report" {}
                }
            }
            section {
                h2 { "What it computes" }
                div .pictures { (pictures(job, result)) }
            }
            section {
                h2 { "Programs" }
                (programs(job))
            }
        }
        footer {
            p {
                "Made by ctm " (witness.version) " from "
                @for (n, file) in sources(job).iter().enumerate() {
                    @if n > 0 { ", " }
                    code { (printable(file)) }
                }
                ". docs/browser.md explains the page."
            }
            @if let Some(address) = playground {
                p #playground { a href=(address) target="_blank" rel="noopener" { "Open it in the playground" } }
            }
        }
        script type="text/plain" #document { (data) }
    };
    Ok(page::page(&format!("{name} - ctm witness"), &[STYLE], SCRIPT, body))
}

/// A number with the word for it.
fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// The files of a job and its programs.
fn sources(job: &Job) -> Vec<String> {
    let programs = job.passes.iter().map(|pass| &pass.program_file);
    let mut names: Vec<String> = Vec::new();
    for path in iter::once(&job.file).chain(programs) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The buffers that the job can change.
fn pictures(job: &Job, result: &JobResult) -> Markup {
    let shown = job.buffers.iter().enumerate().filter(|&(n, _)| is_shown(job, n));
    html! {
        @for (n, buffer) in shown {
            @if let Ok(raster) = result.raster(n) {
                figure {
                    (image(job.picture(n, &raster), &printable(&buffer.name)))
                    figcaption {
                        b { (printable(&buffer.name)) } ", "
                        (raster.format.name()) ", " (raster.width) " x " (raster.height)
                    }
                }
            }
        }
    }
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

/// Each program once: its source if it is known, and its instructions.
fn programs(job: &Job) -> Markup {
    let mut programs: Vec<&Arc<Program>> = Vec::new();
    for pass in &job.passes {
        if !programs.iter().any(|known| Arc::ptr_eq(known, &pass.program)) {
            programs.push(&pass.program);
        }
    }
    html! {
        @for program in programs {
            @let sources = program.source().map_or(&[][..], |map| &map.files[..]);
            @for file in sources {
                @if let Some(text) = file.text() {
                    details open {
                        summary { (printable(&file.path)) }
                        pre { code { (printable_lines(text.as_str())) } }
                    }
                }
            }
            details {
                summary { (counted(program.image().words.len() as u64, "instruction", "instructions")) }
                pre { code {
                    @for (pc, words) in program.image().words.iter().enumerate() {
                        (format!("{pc:>4}  {}\n", asm::line(words, program.image().sharing)))
                    }
                } }
            }
        }
    }
}

/// A text whose lines are [`printable`].
fn printable_lines(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", printable(line))).collect()
}
