//! `ctm replay`, and what other subcommands do with recordings.

use super::engines::Choice;
use super::output::print;
use super::outputs::{Output, Outputs};
use super::signals::Signals;
use super::{Exit, escaped, escaped_line};
use anyhow::{Context, anyhow};
use ctm_base::text::numbers::count;
use ctm_engine::Engine;
use ctm_engine::block::Block;
use ctm_engine::reference::Reference;
use ctm_jobs::job::SharedFiles;
use ctm_jobs::job::write::launch;
use ctm_machine::command::{Opcode, Parser};
use ctm_machine::device::{CommandFaults, Hazard, Pieces};
use ctm_machine::record::{
    Captured, Event, Mismatch, Reader, Replay, ReplayError, ReplayOptions, SubmissionId, capture,
    capture_all, first_byte, shown,
};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Execute a recording again and compare what each submission changed.
///
/// CTM_RECORD=FILE in the environment of a client of libctm makes a recording.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  CTM_RECORD=client.rec ./client            records a client
  ctm info client.rec                       lists its commands
  ctm replay client.rec                     executes it again
  ctm replay client.rec --engine reference
  ctm replay client.rec --until 10 --json   only the first ten submissions
  ctm replay client.rec --to-job 3 folder   launch 3 as a job, with its result as [[expect]]
  ctm replay client.rec --to-jobs launches  every launch as a job, each in a folder of its own
  ctm profile client.rec                    how long each launch takes on a card
  ctm diff client.rec other.rec             where two recordings part

SIGINT (Ctrl-C) and SIGTERM stop the replay.

Exit status: 0 everything is as recorded, 1 a difference or the time was up, 2 bad usage or a
damaged recording.")]
pub struct Args {
    /// The recording.
    file: PathBuf,
    #[command(flatten)]
    engine: Choice,
    /// Stop after this many submissions
    #[arg(long, value_name = "N")]
    until: Option<u64>,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = super::values::seconds)]
    timeout: Option<Duration>,
    /// Instructions a group may run. Overrides the recorded limit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write launch N, from 0 on in the order of submissions, as a job folder
    #[arg(long, num_args = 2, value_names = ["N", "DIR"], conflicts_with_all = ["until", "json"])]
    to_job: Option<Vec<String>>,
    /// Write every launch as a job folder in this folder: launch_0000, launch_0001 and so on
    #[arg(long, value_name = "DIR", conflicts_with_all = ["until", "json", "to_job"])]
    to_jobs: Option<Output>,
}

/// The result of a replay.
#[derive(Default)]
pub struct Replayed {
    /// Submissions that ran.
    pub submissions: u64,
    /// Launches in them.
    pub launches: u64,
    /// The engines that ran them, and how many each.
    pub ran: BTreeMap<&'static str, u64>,
    /// The first difference.
    pub difference: Option<Difference>,
    /// Hazards, if asked for: submission and text.
    pub hazards: Vec<String>,
    /// The errors that ended submissions, if hazards are asked for: submission and text.
    pub errors: Vec<String>,
    /// Faults of commands, if hazards are asked for, each with its submission.
    pub faults: Vec<(SubmissionId, CommandFaults)>,
}

impl Replayed {
    /// The engine, and those that ran launches if it chose others.
    pub fn engines(&self, engine: &dyn Engine) -> String {
        let name = engine.name();
        if self.ran.keys().all(|ran| *ran == name) {
            return name.to_string();
        }
        let ran = self.ran.iter().map(|(engine, launches)| format!("{engine} {launches}"));
        format!("{name} ({})", ran.collect::<Vec<_>>().join(", "))
    }
}

/// A submission that is not as recorded.
pub struct Difference {
    place: SubmissionId,
    mismatch: Mismatch,
    /// The first byte that differs: address, found, expected, count of all.
    byte: Option<(u32, u8, u8, u64)>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Difference { place, mismatch, byte } = self;
        write!(f, "{place}: {mismatch}")?;
        if let Some((address, found, expected, bytes)) = byte {
            let bytes = count(*bytes, "byte", "bytes");
            write!(
                f,
                ": {bytes}, the first at 0x{address:08x}: 0x{found:02x}, expected 0x{expected:02x}"
            )?;
        }
        Ok(())
    }
}

impl Difference {
    /// Whether the engine refused a launch, so that there is nothing to compare.
    pub fn is_refusal(&self) -> bool {
        matches!(self.mismatch, Mismatch::Engine { refused: true, .. })
    }
}

/// Executes a recording, up to the first difference unless it checks the commands for caches: these
/// do not depend on results.
pub fn replay(
    path: &Path,
    engine: &dyn Engine,
    until: Option<u64>,
    options: &ReplayOptions,
) -> anyhow::Result<Replayed> {
    let context = || path.display().to_string();
    let mut reader = Reader::open(path).with_context(context)?;
    let mut replay = Replay::new(engine, options);
    let mut done = Replayed::default();
    while until.is_none_or(|until| done.submissions < until) {
        let Some(entry) = reader.next_entry().with_context(context)? else { break };
        let Some(step) = replay.step(entry).with_context(context)? else { continue };
        done.submissions += 1;
        done.launches += step.report.launches;
        for (engine, launches) in &step.report.ran {
            *done.ran.entry(engine).or_insert(0) += launches;
        }
        if options.coherence {
            let hazards = step.report.hazards.iter();
            let caches = hazards.filter(|hazard| matches!(hazard, Hazard::Incoherent(_)));
            let place = step.place;
            done.hazards.extend(caches.map(|hazard| format!("{place}: {hazard}")));
            let faults = step.report.command_faults.iter().cloned();
            done.faults.extend(faults.map(|faults| (place, faults)));
            let error = step.report.error.as_ref().filter(|_| step.report.is_repeatable());
            done.errors.extend(error.map(|error| format!("{place}: {error}")));
        }
        if let Some(mismatch) = step.mismatch
            && done.difference.is_none()
        {
            let byte = match (&mismatch, replay.memory(step.place.device)) {
                (Mismatch::Bytes { written }, Some(memory)) if !options.coherence => {
                    let right = Reference::new();
                    match first_byte(path, step.place, &right, written, memory, options) {
                        // The difference is known all the same.
                        Err(ReplayError::Stopped { .. }) => None,
                        found => found.with_context(context)?,
                    }
                }
                _ => None,
            };
            done.difference = Some(Difference { place: step.place, mismatch, byte });
        }
        if done.difference.is_some() && !options.coherence {
            break;
        }
    }
    Ok(done)
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let signals = Signals::catch()?;
    let stop = signals.stop().within(args.timeout);
    let options = ReplayOptions { stop, instructions: args.limit, ..ReplayOptions::default() };
    match execute(args, &options) {
        Err(error) if matches!(error.downcast_ref(), Some(ReplayError::Stopped { .. })) => {
            super::tell_error(&error);
            signals.obey();
            Ok(Exit::Failed)
        }
        // It may have come after the difference was found.
        done => done.inspect(|_| signals.obey()),
    }
}

fn execute(args: &Args, options: &ReplayOptions) -> anyhow::Result<Exit> {
    if let Some([number, folder]) = args.to_job.as_deref() {
        let number = number.parse().with_context(|| format!("--to-job {number}"))?;
        let anywhere = SharedFiles::new();
        let folder = Output::from(PathBuf::from(folder));
        let folder = Outputs::new(&anywhere).new_folder("--to-job", &folder)?;
        let engine = args.engine.open()?;
        let job = folder
            .create_with(|part| to_job(&args.file, number, part, engine.as_ref(), options))?;
        let job = folder.path().join(job.file_name().unwrap_or_default());
        print(escaped_line(&job.display().to_string()) + "\n")?;
        return Ok(Exit::Done);
    }
    if let Some(folder) = &args.to_jobs {
        return to_jobs(args, folder, options);
    }
    let engine = args.engine.open()?;
    let done = replay(&args.file, engine.as_ref(), args.until, options)?;
    print(if args.json {
        format!("{:#}\n", to_json(&args.file, engine.name(), &done)?)
    } else {
        let (first, mut end) = match &done.difference {
            Some(difference) => (format!("DIFF {difference}\n"), "compared".to_string()),
            None => (String::new(), "the same".to_string()),
        };
        if let Some(until) =
            args.until.filter(|until| done.difference.is_none() && done.submissions < *until)
        {
            end += &format!("; it has no more, and --until asks for {until}");
        }
        escaped(&format!(
            "{first}{}, {} on {}: {end}\n",
            count(done.submissions, "submission", "submissions"),
            count(done.launches, "launch", "launches"),
            done.engines(engine.as_ref()),
        ))
    })?;
    Ok(if done.difference.is_none() { Exit::Done } else { Exit::Failed })
}

fn to_json(file: &Path, engine: &str, done: &Replayed) -> anyhow::Result<Value> {
    let difference = done.difference.as_ref().map(|difference| {
        let written = match &difference.mismatch {
            Mismatch::Bytes { written } => Some(written),
            Mismatch::Commands { .. } | Mismatch::Problems { .. } | Mismatch::Engine { .. } => None,
        };
        json!({
            "submission": difference.place.submission,
            "device": difference.place.device,
            "offset": written.map(|written| written.offset),
            "what": written.map(|written| written.what.to_string()),
            "address": difference.byte.map(|byte| byte.0),
            "bytes": difference.byte.map(|byte| byte.3),
            "text": difference.to_string(),
        })
    });
    Ok(json!({
        "file": super::utf8(file)?,
        "engine": engine,
        "submissions": done.submissions,
        "launches": done.launches,
        "ran": done.ran,
        "same": difference.is_none(),
        "difference": difference,
    }))
}

/// Writes the launch of a number to a folder; returns the job file.
fn to_job(
    file: &Path,
    number: u64,
    folder: &Path,
    engine: &dyn Engine,
    options: &ReplayOptions,
) -> anyhow::Result<PathBuf> {
    let context = || file.display().to_string();
    let captured = capture(file, number, engine, options).with_context(context)?;
    let captured = captured.map_err(|launches| {
        let (file, has) = (file.display(), count(launches, "launch", "launches"));
        anyhow!("{file}: there is no launch {number} in it: it has {has}, counted from 0")
    })?;
    write_job(number, captured, folder)
}

/// Writes all launches of a recording to folders in a folder.
fn to_jobs(args: &Args, folder: &Output, options: &ReplayOptions) -> anyhow::Result<Exit> {
    let anywhere = SharedFiles::new();
    let mut outputs = Outputs::new(&anywhere);
    outputs.reads(&args.file);
    let folder = outputs.new_folder("--to-jobs", folder)?;
    let engine = args.engine.open()?;
    let launches = folder.create_with(|part| {
        let failed = Mutex::new(None);
        let keep = |number: u64, captured: Captured| {
            let mut failed = failed.lock();
            if failed.is_none()
                && let Err(error) =
                    write_job(number, captured, &part.join(format!("launch_{number:04}")))
            {
                *failed = Some(error);
                options.stop.stop();
            }
        };
        let done = capture_all(&args.file, engine.as_ref(), options, &keep);
        match failed.into_inner() {
            Some(error) => Err(error),
            None => done.with_context(|| args.file.display().to_string()),
        }
    })?;
    let jobs = count(launches, "job", "jobs");
    let text = format!("wrote {jobs} in {}", folder.path().display());
    print(escaped_line(&text) + "\n")?;
    Ok(Exit::Done)
}

/// Writes a launch of a recording to a folder; returns the job file.
fn write_job(number: u64, captured: Captured, folder: &Path) -> anyhow::Result<PathBuf> {
    let about = format!("launch {number} of a recording");
    let expected = launch::Expected {
        memory: &captured.after,
        faults: &captured.faults,
        shared: captured.shared.as_ref(),
    };
    let (launch, before) = (&captured.launch, &captured.before);
    let written = launch::write(folder, &about, launch, before, None, Some(expected))?;
    for lost in &written.lost {
        super::tell(format_args!("ctm: warning: launch {number}: a job cannot say this: {lost}"));
    }
    Ok(written.job)
}

/// The same for a folder that lasts as long as the result.
pub fn as_job(
    file: &Path,
    number: u64,
    options: &ReplayOptions,
) -> anyhow::Result<(tempfile::TempDir, PathBuf)> {
    let folder = tempfile::tempdir().context("cannot make a folder")?;
    let job = to_job(file, number, folder.path(), &Block::new(), options)?;
    Ok((folder, job))
}

/// Lines that are printed in texts of about a megabyte.
#[derive(Default)]
struct Listing(String);

impl Listing {
    fn line(&mut self, line: std::fmt::Arguments<'_>) -> anyhow::Result<()> {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{line}");
        if self.0.len() > 1 << 20 { self.print() } else { Ok(()) }
    }

    fn print(&mut self) -> anyhow::Result<()> {
        print(escaped(&std::mem::take(&mut self.0)))
    }

    /// A line for each write; those of neighbouring pages are one.
    fn writes(&mut self, pieces: &Pieces) -> anyhow::Result<()> {
        let mut places = pieces.places().iter().peekable();
        while let Some(first) = places.next() {
            let start = u64::from(first.address);
            let mut end = start + u64::from(first.len);
            while let Some(next) = places.next_if(|next| u64::from(next.address) == end) {
                end += u64::from(next.len);
            }
            let bytes = count(end - start, "byte", "bytes");
            self.line(format_args!("    write 0x{start:08x}, {bytes}"))?;
        }
        Ok(())
    }
}

/// The records of a recording, human-readable: one line each, and one for each command.
pub fn info(file: &Path) -> anyhow::Result<()> {
    let context = || file.display().to_string();
    let mut reader = Reader::open(file).with_context(context)?;
    let (mut submissions, mut launch) = (HashMap::new(), 0);
    while let Some(entry) = reader.next_entry().with_context(context)? {
        let device = entry.device;
        let mut out = Listing::default();
        match entry.event {
            Event::Open(open) => {
                let [ctm, engine, mode] =
                    [&open.ctm, &open.engine, &open.mode].map(|text| shown(text));
                out.line(format_args!(
                    "device {device}: open: ctm {ctm}, engine {engine}, mode {mode}, arenas {:?}",
                    open.arenas
                ))?;
            }
            Event::Close => out.line(format_args!("device {device}: close"))?,
            Event::Write(pieces) => {
                out.line(format_args!("device {device}: host"))?;
                out.writes(&pieces)?;
            }
            Event::Fetched(pieces) => {
                out.line(format_args!("device {device}: found by its next submission"))?;
                out.writes(&pieces)?;
            }
            Event::Submit(found) => {
                let words = count(found.words.len() as u64, "word", "words");
                let launches = count(found.launches, "launch", "launches");
                let submission = submissions.entry(device).or_insert(0);
                *submission += 1;
                out.line(format_args!(
                    "device {device}: submission {submission}: {words}, {launches}"
                ))?;
                out.writes(&found.fetched)?;
                let mut launches = found.launches;
                let mut changes = found.changes.iter().peekable();
                for next in Parser::new(&found.words) {
                    let parsed = match next {
                        Ok(parsed) => parsed,
                        Err(error) => {
                            out.line(format_args!("    {error}"))?;
                            break;
                        }
                    };
                    let mut started = String::new();
                    if parsed.command.opcode() == Opcode::StartProgram && launches > 0 {
                        started = format!("  launch {launch}");
                        launch += 1;
                        launches -= 1;
                    }
                    out.line(format_args!("    {:5}  {}{started}", parsed.offset, parsed.command))?;
                    while let Some(change) =
                        changes.next_if(|change| change.offset as usize <= parsed.offset)
                    {
                        out.line(format_args!("           {}: {:016x}", change.what, change.hash))?;
                    }
                }
                for problem in found.problems.lines() {
                    out.line(format_args!("    {}", shown(problem)))?;
                }
            }
        }
        out.print()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_engine::{Checked, LaunchError, Outcome, Progress, Stop};
    use ctm_machine::command::{Builder, Layout, SurfaceFormat};
    use ctm_machine::device::{Device, DeviceConfig};
    use ctm_machine::memory::{ArenaKind, ArenaSizes, Format, Memory, Tiling};
    use ctm_machine::record::Recording;
    use std::sync::Arc;

    /// The block engine. The time is up when a launch has ended; without a stop, it runs nothing.
    struct Ends(Option<Stop>);

    impl Engine for Ends {
        fn name(&self) -> &'static str {
            "block"
        }
        fn run_checked(
            &self,
            launch: &Checked<'_>,
            memory: &mut Memory,
            progress: &dyn Progress,
        ) -> Result<Outcome, LaunchError> {
            let Some(stop) = &self.0 else {
                return Ok(Outcome::default());
            };
            let done = Block::new().run_checked(launch, memory, progress);
            stop.stop();
            done
        }
    }

    #[test]
    fn a_difference_is_kept_when_the_time_is_up() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("client.rec");
        let arenas = ArenaSizes { gpu: 1 << 16, gpub: 0, sys: 0, sysc: 0 };
        let mut config = DeviceConfig { arenas, ..DeviceConfig::new(Arc::new(Ends(None))) };
        let recording = Recording::create(&file).expect("a new file");
        config.recorder = Some(Arc::new(recording.device(&config)));
        let device = Device::open(config).expect("64 KiB");
        let gpu = device.base(ArenaKind::Gpu);
        let image = ctm_lang::asm::assemble("mov o0, 9\n", "p.dpp").expect("it assembles");
        device.write_memory(gpu, &ctm_lang::elf::write(&image)).expect("inside");
        let layout = Layout { pitch: 64, tiling: Tiling::Linear, format: Format::Float32x1 };
        let output = SurfaceFormat { address: gpu + 0x4000, layout, height: 1 };
        let mut words = Builder::new();
        words.append_set_out_fmt(0, output).expect("slot 0");
        words.append_set_inst_fmt(gpu).expect("aligned").append_start_program();
        let id = device.submit_words(words.into_words());
        assert!(device.wait(id).expect("a report").is_clean());
        drop((device, recording));
        let stop = Stop::new();
        let options = ReplayOptions { stop: stop.clone(), ..ReplayOptions::default() };
        let done = replay(&file, &Ends(Some(stop)), None, &options).expect("a difference");
        let difference = done.difference.expect("the launch wrote nothing then");
        assert!(difference.to_string().ends_with("output 0 has other bytes"), "{difference}");
    }
}
