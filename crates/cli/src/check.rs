//! `ctm check`.

mod ranges;

use super::bar::Watch;
use super::outputs::{Output, Outputs, Writable};
use super::sampled::varyings;
use super::signals::Signals;
use super::values::kind_parser;
use super::values::parse_mode;
use super::{Exit, jobs, programs, replay};
use anyhow::{Context, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use ctm_base::files::folder_of;
use ctm_base::text::numbers::count;
use ctm_engine::Stop;
use ctm_engine::block::Block;
use ctm_inspect::check::baseline::Baseline;
use ctm_inspect::check::dynamic::{self, Found, Options, PointSet};
use ctm_inspect::check::explain::page;
use ctm_inspect::check::report::{self, FileReport, Named};
use ctm_inspect::check::statics;
use ctm_inspect::check::{Code, Finding, Findings, Severity, allow};
use ctm_jobs::array::Raster;
use ctm_jobs::array::picture::Picture;
use ctm_jobs::job::{Job, RunOptions, SharedFiles, caught};
use ctm_jobs::load::Kind;
use ctm_lang::asm::TextErrors;
use ctm_lang::program::{Image, Program};
use ctm_machine::launch::FloatMode;
use ctm_machine::memory::Format;
use ctm_machine::record::ReplayOptions;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Look for mistakes in programs and jobs.
///
/// A program is checked over all its paths: missing waits, results that no instruction uses,
/// outputs that are never written, and more. A job is also run, on the CPU, and each point is
/// checked: undefined values and where they come from, missing constants, clamped fetches, races,
/// and more. Nothing is saved. --explain describes each code; docs/checks.md has all pages.
#[derive(clap::Args)]
#[command(after_help = "\
A comment in the source allows a finding: `; allow(CODE)` on the line of the instruction, or alone on
a line before it; for the program as a whole, alone on a line before the first statement.

Examples:
  ctm check kernels/sobel/sobel.dpp        a program
  ctm check job.toml                       a job: its programs, and every point of a run
  ctm check job.toml --points 4096         a sample of its points
  ctm check job.toml --mask uninitialised=bad.png
  ctm check jobs/ --sarif report.sarif     all jobs in a folder, and a report for a code host
  ctm check fp.log --allow unused-result   without the findings of one code
  ctm check jobs/ --write-baseline known.json
  ctm check jobs/ --baseline known.json    only findings that are new since then
  ctm check --explain missing-nop          what a code means, and how it is found
  ctm check job.toml --ranges              the ranges of the outputs, for all points at once

With --ranges nothing runs: each output has a range that follows from the ranges of the job's data, formats
and constants. Proofs are tried: no NaN, no infinity, all fetches inside their surfaces, all loops end, no fault. If one
fails, the first instruction where it fails is printed with the ranges of its operands. See docs/proofs.md.

Exit status: 0 no findings, or all proved; 1 findings, or a proof failed; 2 bad usage or a bad file (the
others are still checked); 3 --ranges did not decide.")]
pub struct Args {
    /// Programs, job files, recordings, and folders of job files.
    #[arg(value_name = "PROGRAM|JOB.toml|CLIENT.rec", required_unless_present = "explain")]
    files: Vec<PathBuf>,
    /// The kind of the programs. Default: detected from their content
    #[arg(long, value_parser = kind_parser())]
    kind: Option<Kind>,
    #[command(flatten)]
    confined: jobs::Confined,
    /// Do not report findings of this code; may be given several times
    #[arg(long, value_name = "CODE", value_parser = code_parser())]
    allow: Vec<Code>,
    /// Report findings of this code as errors, also if it is off by default; wins over --allow
    #[arg(long, value_name = "CODE", value_parser = code_parser())]
    deny: Vec<Code>,
    /// Do not count findings that this file knows; see --write-baseline
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the findings to a file for --baseline, and exit with status 0
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<Output>,
    /// Check the programs of jobs only; run nothing
    #[arg(long, conflicts_with_all = ["points", "mask"])]
    no_run: bool,
    /// Check at most about this many points of each launch: whole groups, spread over the domain
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    points: Option<u64>,
    /// Write a picture of the points that had a finding of this code: white. With several passes,
    /// the points of all; needs a single job
    #[arg(long, value_name = "CODE=FILE.png", value_parser = parse_mask)]
    mask: Vec<(Code, Output)>,
    #[arg(long, value_parser = parse_mode, help = jobs::modes("Overrides the jobs' [float]"))]
    mode: Option<FloatMode>,
    /// Instructions a group may run. Overrides the jobs' [limits]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Stop the checks of each file after this many seconds; it then counts as a bad file
    #[arg(long, value_name = "SECONDS", value_parser = super::values::seconds)]
    timeout: Option<Duration>,
    /// Bound the outputs of jobs for all points and data within the job's ranges, in mode exact; run
    /// nothing
    #[arg(long, conflicts_with_all = ["no_run", "points", "mask", "limit", "allow", "deny", "baseline",
        "write_baseline", "sarif"])]
    ranges: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Write the findings to a file in SARIF 2.1.0, for code hosts and editors
    #[arg(long, value_name = "FILE")]
    sarif: Option<Output>,
    /// Print the page of a code, and check nothing
    #[arg(long, value_name = "CODE", value_parser = code_parser(), exclusive = true)]
    explain: Option<Code>,
}

fn code_parser() -> impl TypedValueParser<Value = Code> {
    PossibleValuesParser::new(Code::ALL.map(Code::name))
        .try_map(|name| Code::from_name(&name).ok_or("not a code"))
}

/// The value of `--mask`.
fn parse_mask(text: &str) -> Result<(Code, Output), String> {
    let (name, file) = text.split_once('=').ok_or("expected CODE=FILE.png")?;
    let codes = Code::ALL.into_iter().filter(|code| !code.is_static());
    let code = codes.clone().find(|code| code.name() == name).ok_or_else(|| {
        let names: Vec<&str> = codes.map(Code::name).collect();
        format!("{name}: not a code of a run; expected one of {}", names.join(", "))
    })?;
    Ok((code, PathBuf::from(file).into()))
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if let Some(code) = args.explain {
        super::print(format!("{}\n", page(code)))?;
        return Ok(Exit::Done);
    }
    let shared = args.confined.files()?;
    let files = jobs::collect(&args.files, &shared)?;
    super::all_utf8(&files)?;
    if args.ranges {
        return ranges::run(args, &files, &shared);
    }
    let mut baseline =
        args.baseline.as_deref().map(|path| read_baseline(path, &shared)).transpose()?;
    let written = Written::of(args, &files, &shared)?;
    if !args.mask.is_empty() && files.len() != 1 {
        bail!("--mask: it needs a single job, not {} files", files.len());
    }
    let signals = Signals::catch()?;
    let color = programs::colors_on(std::io::stdout().is_terminal());
    let (mut reports, mut bad, mut known) = (Vec::new(), 0, 0);
    // Files whose source has errors.
    let mut failed = Vec::new();
    for file in &files {
        let stop = signals.stop().within(args.timeout);
        match caught(file, || check(file, args, &written.masks, &shared, &stop)) {
            Ok(found) => {
                for mut report in found {
                    known += baseline.as_mut().map_or(0, |known| known.remove_from(&mut report));
                    if !args.json {
                        for text in report::texts(&report, color) {
                            signals.obey();
                            super::output::print_colored(&text, color)
                                .context(super::CANNOT_PRINT)?;
                        }
                    }
                    reports.push(report);
                }
            }
            Err(error) => {
                super::tell_error(&error);
                failed.extend(programs::source_errors(&error).iter().map(of_source));
                signals.obey();
                bad += 1;
            }
        }
    }
    let all: Vec<FileReport> = reports.iter().chain(&failed).cloned().collect();
    super::print(if args.json {
        serde_json::to_string_pretty(&report::json(&all))? + "\n"
    } else if files.len() == bad {
        // Nothing could be checked, which standard error says.
        String::new()
    } else {
        summary(files.len() - bad, &reports, known) + "\n"
    })?;
    if let Some(sarif) = &written.sarif {
        let text = serde_json::to_string_pretty(&report::sarif(&all))? + "\n";
        sarif.write(text.as_bytes())?;
    }
    if bad > 0 {
        bail!("{bad} of {} files could not be checked", files.len());
    }
    if let Some(to) = &written.baseline {
        let baseline = Baseline::of(&reports, folder_of(to.path()));
        to.write(baseline.write().as_bytes())?;
        return Ok(Exit::Done);
    }
    let found = reports.iter().any(|report| !report.findings.is_empty());
    Ok(if found { Exit::Failed } else { Exit::Done })
}

/// The files that options write.
struct Written {
    sarif: Option<Writable>,
    baseline: Option<Writable>,
    masks: Vec<(Code, Writable)>,
}

impl Written {
    fn of(args: &Args, files: &[PathBuf], shared: &SharedFiles) -> anyhow::Result<Written> {
        let mut outputs = Outputs::new(shared);
        if args.sarif.is_some() || args.write_baseline.is_some() || !args.mask.is_empty() {
            args.baseline.iter().for_each(|path| outputs.reads(path));
            files.iter().for_each(|path| outputs.job(path));
        }
        let sarif = outputs.maybe("--sarif", &args.sarif)?;
        let baseline = outputs.maybe("--write-baseline", &args.write_baseline)?;
        let masks = args.mask.iter().map(|(code, to)| Ok((*code, outputs.add("--mask", to)?)));
        Ok(Written { sarif, baseline, masks: masks.collect::<anyhow::Result<_>>()? })
    }
}

fn read_baseline(path: &Path, shared: &SharedFiles) -> anyhow::Result<Baseline> {
    let context = || format!("--baseline {}", path.display());
    let bytes = programs::read(path, shared).context("--baseline")?;
    let text = String::from_utf8(bytes).context("not UTF-8 text").with_context(context)?;
    Baseline::read(&text, folder_of(path)).map_err(anyhow::Error::msg).with_context(context)
}

/// Checks a file: one report for a job, one for each program of another file.
fn check(
    file: &Path,
    args: &Args,
    masks: &[(Code, Writable)],
    shared: &SharedFiles,
    stop: &Stop,
) -> anyhow::Result<Vec<FileReport>> {
    let name = super::utf8(file)?.to_string();
    if args.kind.is_none() && jobs::is_recording(file, shared)? {
        return Ok(vec![check_recording(file, name, args, stop)?]);
    }
    if programs::is_job(file, args.kind, shared)? {
        let job = Job::read_shared(file, shared, stop)?;
        return Ok(vec![check_job(name, &job, args, masks, stop)?]);
    }
    if !args.mask.is_empty() {
        bail!("{name}: --mask needs a job, and this is a program");
    }
    let mut reports = Vec::new();
    for loaded in programs::load(file, args.kind, None, shared, stop)? {
        let name = loaded.which().map_or(name.clone(), |which| format!("{name}, {which}"));
        let kind = loaded.kind;
        let program = Program::new(loaded.image).with_context(|| name.clone())?;
        let findings = statics::run(&program, None, stop).with_context(|| name.clone())?;
        let reads = varyings(kind, &program, stop).with_context(|| name.clone())?;
        let programs = vec![Named { name: name.clone(), program: Arc::new(program) }];
        let report = reported(name, programs, findings, args);
        reports.push(FileReport { reads_before_writing: reads, ..report });
    }
    Ok(reports)
}

/// The errors of a source as findings, for JSON and SARIF: standard error has them as text.
fn of_source(errors: &TextErrors) -> FileReport {
    let findings = errors.all().map(|error| {
        let code = match error.severity {
            Severity::Error => Code::SourceError,
            Severity::Warning | Severity::Note => Code::SourceWarning,
        };
        let finding = Finding::new(code, None, error.message.clone(), &error.message);
        let label = error.label.as_deref().unwrap_or("here");
        let finding = finding.marked(error.mark()).label(label);
        (error.severity, Finding { help: error.help.clone(), ..finding })
    });
    let findings = findings.collect();
    let file = errors.name().to_string();
    FileReport { file, programs: Vec::new(), findings, reads_before_writing: Vec::new() }
}

/// Runs a recording again: its errors and faults, and what its commands for caches miss.
fn check_recording(
    file: &Path,
    name: String,
    args: &Args,
    stop: &Stop,
) -> anyhow::Result<FileReport> {
    if args.no_run || args.points.is_some() || !args.mask.is_empty() {
        bail!("{name}: --no-run, --points and --mask are for jobs, and this is a recording");
    }
    let (stop, instructions) = (stop.clone(), args.limit);
    let options = ReplayOptions { stop, instructions, coherence: true, ..ReplayOptions::default() };
    let done = replay::replay(file, &Block::new(), None, &options)?;
    if let Some(difference) = &done.difference {
        super::tell(format_args!("ctm: {name}: warning: not as recorded: {difference}"));
    }
    let mut findings = Findings::default();
    let errors = done.errors.into_iter().map(|text| (Code::SubmissionError, text));
    let hazards = done.hazards.into_iter().map(|text| (Code::MissingCacheCommand, text));
    for (code, text) in errors.chain(hazards) {
        findings.add(Finding::new(code, None, text.clone(), text));
    }
    for (submission, command) in &done.faults {
        for (code, fault) in command.faults.iter() {
            let nothing = Image::default();
            let image = command.program.as_ref().map_or(&nothing, |program| program.image());
            let (place, detail) = (image.place(fault.pc), fault.detail(code, image));
            let subject = format!("{code}{detail}, {place}");
            let finding =
                Finding::new(Code::Fault, None, subject, format!("{}{detail}", code.meaning()));
            let finding =
                finding.at((fault.i, fault.j)).note(None, format!("{place}, {submission}"));
            findings.add(Finding { count: fault.count, ..finding });
        }
    }
    Ok(reported(name, Vec::new(), findings, args))
}

fn check_job(
    file: String,
    job: &Job,
    args: &Args,
    masks: &[(Code, Writable)],
    stop: &Stop,
) -> anyhow::Result<FileReport> {
    let mut findings = statics::of_job(job, stop).with_context(|| file.clone())?;
    if !args.no_run {
        let found = run_checked(job, args, stop)?;
        save_masks(job, &found, masks)?;
        findings.add_run(found.findings, |a, b| dynamic::of_one_program(job, a, b));
    }
    let programs = job.passes.iter().map(|pass| Named {
        name: pass.program_file.display().to_string(),
        program: pass.program.clone(),
    });
    Ok(reported(file, programs.collect(), findings, args))
}

/// Runs a job with the checks that are asked for.
fn run_checked(job: &Job, args: &Args, stop: &Stop) -> anyhow::Result<Found> {
    let masked = |code: &Code| args.mask.iter().any(|(masked, _)| masked == code);
    let wanted = |code: &Code| {
        let denied = args.deny.contains(code);
        denied || masked(code) || code.is_default() && !args.allow.contains(code)
    };
    let options = Options {
        codes: Code::ALL.into_iter().filter(wanted).collect(),
        points: args.points,
        run: RunOptions { mode: args.mode, instructions: args.limit, statistics: false },
    };
    Ok(dynamic::check_job(job, &options, &Watch::of("launch", stop.clone()))?)
}

/// Paints the points that had a finding, for each mask.
fn save_masks(job: &Job, found: &Found, masks: &[(Code, Writable)]) -> anyhow::Result<()> {
    let width = job.passes.iter().map(|pass| pass.domain.i1 + 1).max().unwrap_or(1);
    let height = job.passes.iter().map(|pass| pass.domain.j1 + 1).max().unwrap_or(1);
    for (code, to) in masks {
        let sets: Vec<&PointSet> =
            found.points.iter().filter(|((of, _), _)| of == code).map(|(_, set)| set).collect();
        let points = (0..height).flat_map(|j| (0..width).map(move |i| (i, j)));
        let white = |point| sets.iter().any(|set| set.contains(point));
        let units = points.map(|point| if white(point) { u32::from(u16::MAX) } else { 0 });
        let units = units.collect();
        let raster = Raster { format: Format::Uint16x1, width, height, units };
        to.write_with(|to| Picture::of(&raster).write(to))
            .with_context(|| format!("--mask {code}"))?;
    }
    Ok(())
}

/// The findings that are reported, and how bad they are.
fn reported(file: String, programs: Vec<Named>, findings: Findings, args: &Args) -> FileReport {
    let severity = |finding: &Finding| match finding.code {
        code if args.deny.contains(&code) => Some(Severity::Error),
        code if args.allow.contains(&code) => None,
        code => Some(code.severity()),
    };
    let allowed = |finding: &Finding| {
        programs.get(finding.pass).is_some_and(|named| allow::allows(&named.program, finding))
    };
    for (n, named) in programs.iter().enumerate() {
        if programs[..n].iter().any(|known| Arc::ptr_eq(&known.program, &named.program)) {
            continue;
        }
        for (path, line, name) in allow::unknown(&named.program) {
            super::tell(format_args!(
                "{path}:{line}: warning: allow({name}): there is no such code"
            ));
        }
    }
    let findings = findings
        .into_iter()
        .filter(|finding| !allowed(finding))
        .filter_map(|finding| Some((severity(&finding)?, finding)))
        .collect();
    FileReport { file, programs, findings, reads_before_writing: Vec::new() }
}

/// The last line of the text.
fn summary(files: usize, reports: &[FileReport], known: usize) -> String {
    let counts = Severity::ALL.map(|severity| {
        let of = |report: &FileReport| report.findings.iter().filter(|f| f.0 == severity).count();
        (severity, reports.iter().map(of).sum::<usize>() as u64)
    });
    let counts = counts.iter().filter(|(_, n)| *n > 0);
    let parts = counts.map(|(s, n)| count(*n, s.name(), &format!("{}s", s.name())));
    let parts: Vec<String> = parts.collect();
    let files = count(files as u64, "file", "files");
    let found = if parts.is_empty() { "no findings".to_string() } else { parts.join(", ") };
    let known = Some(known).filter(|n| *n > 0).map(|n| format!(" ({n} more in the baseline)"));
    format!("{files} checked: {found}{}", known.unwrap_or_default())
}
