//! `ctm mesa`.

mod logs;
mod prove;

use super::bar::{Watch, bar};
use super::manual::wrapped;
use super::outputs::{Output, Outputs};
use super::signals::Signals;
use super::values::parse_size;
use super::{Exit, escaped, escaped_line, jobs, junit, lines, programs};
use anyhow::{Context, bail};
use ctm_base::text::numbers::count;
use ctm_engine::Stopped;
use ctm_jobs::job::Job;
use ctm_tools::mesa::bisect::{BisectError, Culprit, Finding, MACHINE_CODE, Options, bisect};
use ctm_tools::mesa::{Parting, align};
use logs::{Log, collect};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Examine logs of Mesa's r300 compiler.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ctm mesa bisect fp.log    finds the compiler pass that made a program wrong

Exit status: 0 done, 1 a pass is wrong, 2 bad usage or bad input.")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Bisect(Bisect),
}

/// Find the compiler pass that made a program wrong.
///
/// A log of RADEON_DEBUG=fp has the compiler's program after each pass. This command runs these
/// listings, and the machine code at the log's end, on the same inputs. It names the first pass whose
/// result differs from that of the pass before. Vertex programs are counted and left out. Shaders have the names
/// that NIR or shader-db prints in the log.
#[derive(clap::Args)]
#[command(after_help = "\
A value that nothing on its way rounded must be the same in every pass: one that differs is enough. Of the
others, two are equal if |a - b| <= ATOL + RTOL * |a|, or both are NaN, and a pass differs if more than
SHARE of the values do in one trial. There are twelve trials with linear inputs from seeds; in the third, all
constants that the application sets are 0. In twenty more all data are small integers or multiples of 1/4,
other ones at each point, so that nearly nothing rounds and points take different ways; there only values that
nothing rounded count.

A listing with an unreadable line is reported with that line and not examined; the next one is compared
with the one before.

Examples:
  RADEON_DEBUG=fp ./game 2>fp.log
  ctm mesa bisect fp.log
  ctm mesa bisect logs/ --report report.xml        all *.log files in a folder, and a JUnit report
  ctm mesa bisect fp.log --index 0 --seed 100
  ctm new fp.log                                   writes fp/job.toml, to edit
  ctm mesa bisect fp.log --index 0 --job fp/job.toml
                                                   with the data of a job that runs this program

With --prove nothing runs on samples: each pass is proved equal to the one before for all inputs, by the
rules `values` of docs/proofs.md, or is equal up to rounding, different (the first such pass is named), or not
decided. A register that nothing has written has any value.
  ctm mesa bisect fp.log --prove

Exit status: 0 no pass differs, 1 a pass differs or the search was stopped, 2 bad usage or a bad log (the
others are still examined), 3 --prove accuses no pass, and one was not decided.")]
pub struct Bisect {
    /// Logs, and folders with logs: the files *.log in them and below.
    #[arg(value_name = "LOG", required = true)]
    logs: Vec<PathBuf>,
    /// Examine only this program of each log, counted from 0. Default: all
    #[arg(long, value_name = "N")]
    index: Option<usize>,
    /// The seed of the first trial; the others take the next ones
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "job")]
    seed: u64,
    /// Columns and rows of points
    #[arg(long, value_name = "WxH", default_value = "16x16", value_parser = parse_size, conflicts_with = "job")]
    size: (u32, u32),
    /// Take inputs, textures and constants from a job that runs the machine code, instead of seeds
    #[arg(long, value_name = "JOB.toml")]
    job: Option<PathBuf>,
    #[command(flatten)]
    confined: jobs::Confined,
    /// Relative tolerance of values that were rounded
    #[arg(long, default_value_t = 3e-4, value_parser = super::values::tolerance)]
    rtol: f64,
    /// Absolute tolerance of values that were rounded
    #[arg(long, default_value_t = 3e-5, value_parser = super::values::tolerance)]
    atol: f64,
    /// The share of the values that may differ where something was rounded
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = super::values::fraction)]
    share: f64,
    /// Statements of a listing, and instructions of a group of the machine code, that a trial may run
    #[arg(long, value_name = "N", default_value_t = Options::default().limit, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// Stop after this many seconds; programs that are done are printed
    #[arg(long, value_name = "SECONDS", value_parser = super::values::seconds)]
    timeout: Option<Duration>,
    /// Programs examined concurrently; 0: the number of processors
    #[arg(short = 'j', long, value_name = "N", default_value_t = 0, value_parser = super::values::threads())]
    threads: usize,
    /// Columns for the two listings of a wrong pass. Default: those of the terminal; without a terminal, as many
    /// as needed
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(40..))]
    width: Option<u16>,
    /// Print the last listing and the machine code also where the machine code is wrong: no line of them is the same
    #[arg(long)]
    listings: bool,
    /// Print only programs with a wrong pass, and the total
    #[arg(short, long)]
    quiet: bool,
    /// Write a JUnit report: a case for each program
    #[arg(long, value_name = "FILE.xml")]
    report: Option<Output>,
    /// Prove each pass equal to the one before for all inputs, instead of running both
    #[arg(long, conflicts_with_all = ["job", "seed", "size", "rtol", "atol", "share", "limit", "width", "listings",
        "report"])]
    prove: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Bisect(args) => run_bisect(args),
    }
}

/// The result for a program.
struct Examined<'a> {
    log: &'a Log,
    program: usize,
    result: Result<Finding, BisectError>,
    time: Duration,
}

fn run_bisect(args: &Bisect) -> anyhow::Result<Exit> {
    let shared = args.confined.files()?;
    let paths = collect(&args.logs, &shared)?;
    if args.json || args.report.is_some() {
        super::all_utf8(&paths)?;
    }
    let mut outputs = Outputs::new(&shared);
    paths.iter().chain(&args.job).for_each(|path| outputs.reads(path));
    let report = outputs.maybe("--report", &args.report)?;
    let signals = Signals::catch()?;
    let stop = signals.stop().within(args.timeout);
    let (mut logs, mut bad) = (Vec::new(), Vec::new());
    for path in &paths {
        let log = Log::read(path, &shared);
        match log.and_then(|log| Ok((log.selected(args.index)?, log))) {
            Ok(log) => logs.push(log),
            Err(error) if paths.len() == 1 => return Err(error),
            Err(error) => {
                super::tell_error(&error);
                bad.push((path, format!("{error:#}")));
            }
        }
    }
    let mut tasks: Vec<(&Log, usize)> = Vec::new();
    for (selected, log) in &logs {
        tasks.extend(selected.iter().map(|n| (log, *n)));
    }
    if args.prove {
        return prove::run(args, &tasks, &bad, &stop);
    }
    let job = match (&args.job, &tasks[..]) {
        (Some(path), [_]) => {
            Some(signals.or_obey(Job::read_shared(path, &shared, &stop).map_err(Into::into))?)
        }
        (Some(_), tasks) => bail!(
            "--job needs one program, and there are {}; --index N chooses one of a log",
            tasks.len()
        ),
        (None, _) => None,
    };
    let options = Options {
        seed: args.seed,
        size: args.size,
        rtol: args.rtol,
        atol: args.atol,
        share: args.share,
        limit: args.limit,
    };
    let look = Look::of(args);
    let progress = match tasks.len() {
        1 => None,
        n => Some(bar(Some(n as u64), "{wide_bar} {pos} of {len} programs {eta} left")),
    };
    let done = lines::in_order(
        &tasks,
        args.threads,
        |&(log, program)| {
            let watch = match &progress {
                None => Watch::of("trial", stop.clone()),
                Some(_) => Watch::silent(stop.clone()),
            };
            let started = Instant::now();
            let result = bisect(&log.programs[program], &options, job.as_ref(), &watch);
            Examined { log, program, result, time: started.elapsed() }
        },
        |examined| {
            progress.iter().for_each(|bar| bar.inc(1));
            let text = examined.text(&look);
            if args.json || text.is_empty() || args.quiet && !examined.is_wrong() {
                return Ok(());
            }
            match &progress {
                Some(bar) => bar.suspend(|| super::output::print_colored(&text, look.color)),
                None => super::output::print_colored(&text, look.color),
            }
        },
    )?;
    if let Some(bar) = &progress {
        bar.finish_and_clear();
    }
    let stopped = done.iter().find_map(Examined::stopped);
    if let Some((examined, why)) = &stopped {
        let (log, program) = (examined.log.path.display(), examined.log.name(examined.program));
        super::tell(escaped_line(&format!("ctm: {log}: {program}: {}", super::stopped(*why))));
    }
    for (examined, reason) in done.iter().filter_map(|one| Some((one, one.failure()?))) {
        let name =
            format!("{}: {}", examined.log.path.display(), examined.log.name(examined.program));
        if paths.len() == 1 && done.len() == 1 {
            bail!("{name}: {reason}");
        }
        super::tell(escaped_line(&format!("ctm: {name}: {reason}")));
        bad.push((
            &examined.log.path,
            format!("{}: {reason}", examined.log.name(examined.program)),
        ));
    }
    if args.json {
        super::print(format!("{:#}\n", to_json(&logs, &done, &bad, stopped.is_some())))?;
    } else if done.len() > 1 {
        super::print(summary(&logs, &done))?;
    } else {
        let vertex: usize = logs.iter().map(|(_, log)| log.vertex_programs).sum();
        super::print(left_out(vertex).map_or(String::new(), |text| format!("{text}\n")))?;
    }
    if let Some(to) = &report {
        let bad = bad.iter().map(|(path, text)| junit::Case {
            name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            class: junit::class(path, "logs"),
            time: Duration::ZERO,
            problem: Some(junit::Problem {
                kind: junit::Kind::Error,
                reason: "bad-log",
                text: text.clone(),
            }),
        });
        let found = done.iter().filter(|one| one.failure().is_none()).map(Examined::case);
        let cases: Vec<junit::Case> = found.chain(bad).collect();
        to.write(&junit::report("ctm mesa bisect", &cases).context("cannot make the report")?)?;
    }
    signals.obey();
    if !bad.is_empty() {
        let all = count(paths.len() as u64, "log", "logs");
        bail!("{} of {all} could not be examined", bad.len());
    }
    let failed = stopped.is_some() || done.iter().any(Examined::is_wrong);
    Ok(if failed { Exit::Failed } else { Exit::Done })
}

impl Examined<'_> {
    fn finding(&self) -> Option<&Finding> {
        self.result.as_ref().ok()
    }

    fn is_wrong(&self) -> bool {
        self.finding().is_some_and(|finding| finding.culprit.is_some())
    }

    fn stopped(&self) -> Option<(&Self, Stopped)> {
        match self.result {
            Err(BisectError::Stopped(why)) => Some((self, why)),
            Ok(_) | Err(BisectError::Reason(_)) => None,
        }
    }

    fn failure(&self) -> Option<&str> {
        match &self.result {
            Err(BisectError::Reason(reason)) => Some(reason),
            Ok(_) | Err(BisectError::Stopped(_)) => None,
        }
    }

    /// The report, human-readable; empty if there is none.
    fn text(&self, look: &Look) -> String {
        let log = self.log.path.display().to_string();
        let finding = self.finding();
        finding.map_or(String::new(), |finding| {
            to_text(&log, &self.log.name(self.program), finding, look)
        })
    }

    /// The case of a JUnit report.
    fn case(&self) -> junit::Case {
        let plain = Look { width: None, color: false, code: true };
        let problem = match &self.result {
            Ok(finding) if finding.culprit.is_none() => None,
            Ok(_) => Some((junit::Kind::Failure, "wrong-pass", self.text(&plain))),
            Err(error) => Some((junit::Kind::Error, "stopped", error.to_string())),
        };
        let stem = self.log.path.file_stem().unwrap_or_default().to_string_lossy();
        junit::Case {
            name: self.log.name(self.program),
            class: format!("{}.{stem}", junit::class(&self.log.path, "logs")),
            time: self.time,
            problem: problem.map(|(kind, reason, text)| junit::Problem { kind, reason, text }),
        }
    }
}

/// The object of `--json`.
fn to_json(
    logs: &[(Vec<usize>, Log)],
    done: &[Examined<'_>],
    bad: &[(&PathBuf, String)],
    stopped: bool,
) -> Value {
    #[derive(Serialize)]
    struct Program<'a> {
        program: usize,
        name: Option<&'a str>,
        #[serde(flatten)]
        finding: &'a Finding,
    }
    let logs = logs.iter().map(|(_, log)| {
        let own = done.iter().filter(|one| std::ptr::eq(one.log, log));
        let programs = own.filter_map(|one| {
            let name = log.programs[one.program].name.as_deref();
            Some(Program { program: one.program, name, finding: one.finding()? })
        });
        json!({
            "log": log.path,
            "vertex_programs": log.vertex_programs,
            "programs": programs.collect::<Vec<_>>(),
        })
    });
    let bad = bad.iter().map(|(path, error)| json!({ "log": path, "error": error }));
    let (logs, bad): (Vec<Value>, Vec<Value>) = (logs.collect(), bad.collect());
    json!({ "stopped": stopped, "logs": logs, "not_examined": bad })
}

/// The note on vertex programs.
fn left_out(vertex: usize) -> Option<String> {
    let programs = count(vertex as u64, "vertex program", "vertex programs");
    (vertex > 0).then(|| format!("{programs} left out: ctm runs fragment programs"))
}

/// The line after the reports on several programs.
fn summary(logs: &[(Vec<usize>, Log)], done: &[Examined<'_>]) -> String {
    let found = || done.iter().filter_map(Examined::finding);
    let wrong = done.iter().filter(|one| one.is_wrong()).count();
    let mut text = format!(
        "{} in {}: {wrong} with a wrong pass, {} without",
        count(done.len() as u64, "program", "programs"),
        count(logs.len() as u64, "log", "logs"),
        found().count() - wrong,
    );
    let stopped = done.iter().filter(|one| one.stopped().is_some()).count();
    if stopped > 0 {
        text += &format!(", {stopped} not finished");
    }
    let skipped: usize = found().map(|finding| finding.skipped.len()).sum();
    if skipped > 0 {
        text += &format!("; {} not examined", count(skipped as u64, "pass", "passes"));
    }
    let vertex: usize = logs.iter().map(|(_, log)| log.vertex_programs).sum();
    text += &left_out(vertex).map_or(String::new(), |left_out| format!("; {left_out}"));
    text + "\n"
}

/// The layout of reports.
struct Look {
    /// The columns for two listings; `None`: as many as they need.
    width: Option<usize>,
    color: bool,
    /// Whether the last listing and the machine code are printed.
    code: bool,
}

impl Look {
    fn of(args: &Bisect) -> Look {
        let is_terminal = std::io::stdout().is_terminal();
        let terminal = || is_terminal.then(super::manual::terminal_width).flatten();
        let color = programs::colors_on(is_terminal);
        let width = args.width.map(usize::from).or_else(terminal);
        Look { width, color, code: args.listings }
    }
}

/// The report on a program, human-readable. Its first line says what was found.
fn to_text(log: &str, program: &str, finding: &Finding, look: &Look) -> String {
    let left_out = finding.skipped.len();
    let passes = count((finding.passes.saturating_sub(left_out)) as u64, "pass", "passes");
    let mut text = format!("{log}: {program} (line {}): ", finding.line);
    match &finding.culprit {
        None => {
            let trials = match &finding.trials[..] {
                [one] => one.clone(),
                several => format!("{} trials from {}", several.len(), several[0]),
            };
            text += &format!("no difference in {passes}, {trials}\n");
        }
        Some(culprit) => {
            text +=
                &format!("pass '{}' (line {}) changes the result\n", culprit.pass, culprit.line);
            let first = &culprit.first;
            let exact = match culprit.exact {
                0 => String::new(),
                exact => format!(", {exact} of them where nothing was rounded"),
            };
            text += &format!(
                "  {}: {} of {} values differ ({:.1} %){exact}, first at point ({}, {}): {} is {} before and {} after\n",
                culprit.trial,
                culprit.differing,
                culprit.values,
                100.0 * culprit.differing as f64 / culprit.values as f64,
                first.i,
                first.j,
                first.place,
                first.before,
                first.after,
            );
        }
    }
    for skipped in &finding.skipped {
        // Machine code that the log lacks has no line.
        let line = match skipped.line {
            0 => String::new(),
            line => format!(" (line {line})"),
        };
        text += &format!("  not examined: '{}'{line}: {}\n", skipped.pass, skipped.reason);
    }
    let Some(culprit) = &finding.culprit else {
        return escaped(&text);
    };
    if let Some(Parting { pc, text: code, line, what, .. }) = &culprit.parting {
        text += &format!("  instruction {pc} (`{code}`, its listing in line {line}) {what}\n");
    }
    let is_part = culprit.pass == MACHINE_CODE && !look.code;
    let around = culprit.parting.as_ref().map_or(&[][..], |parting| &parting.around);
    let listings = side_by_side(culprit, is_part.then_some(around), look);
    // It is in sight after listings, too.
    let verdict = format!("  wrong pass: '{}' (line {})\n", culprit.pass, culprit.line);
    let hint = "  (--listings prints the last listing beside the machine code)\n";
    escaped(&text) + &listings + if is_part { hint } else { "" } + &escaped(&verdict)
}

/// The most columns of a listing beside another one.
const HALF: usize = 200;

/// Both listings, or only `rows` of them, with a mark between lines that differ. Lines that are too long go on below.
fn side_by_side(culprit: &Culprit, rows: Option<&[(usize, usize)]>, look: &Look) -> String {
    let sides = [&culprit.listing_before, &culprit.listing];
    let rows = match (rows, culprit.pass.as_str()) {
        (Some([]), _) => return String::new(),
        (Some(rows), _) => rows.iter().map(|&(a, b)| (Some(a), Some(b))).collect(),
        // A listing and code have no line in common.
        (None, MACHINE_CODE) => {
            let most = sides[0].len().max(sides[1].len());
            let at = |n, side: usize| Some(n).filter(|&n| n < sides[side].len());
            (0..most).map(|n| (at(n, 0), at(n, 1))).collect()
        }
        (None, _) => align(sides[0], sides[1]),
    };
    // The lines of each row: the left, the right, and whether they are the same.
    let mut lines: Vec<(String, String, char)> = Vec::new();
    for (a, b) in rows {
        let text = |index: Option<usize>, side: usize| -> Vec<&str> {
            index.map_or("", |index| &sides[side][index]).lines().collect()
        };
        let mark = match (a, b) {
            (Some(_), Some(_)) => ' ',
            (Some(_), None) => '<',
            (None, _) => '>',
        };
        let (left, right) = (text(a, 0), text(b, 1));
        for n in 0..left.len().max(right.len()) {
            let line = |side: &[&str]| side.get(n).copied().unwrap_or_default().to_string();
            lines.push((line(&left), line(&right), mark));
        }
    }
    let titles = [&culprit.before, &culprit.pass].map(|pass| match pass.as_str() {
        MACHINE_CODE | "before compilation" => pass.clone(),
        pass => format!("after '{pass}'"),
    });
    let [left, right] = titles;
    lines.insert(0, (left, right, ' '));
    // The mark has a space on both sides, and the lines are indented by two.
    let half = look.width.map_or(HALF, |width| width.saturating_sub(5) / 2).min(HALF);
    let longest = lines.iter().map(|(left, ..)| left.chars().count()).max().unwrap_or(0);
    let width = longest.min(half);
    let mut text = String::new();
    for (left, right, mark) in lines {
        let [left, right] = [left, right].map(|line| pieces(&escaped_line(&line), half));
        for n in 0..left.len().max(right.len()) {
            let piece = |side: &[String]| side.get(n).cloned().unwrap_or_default();
            let line = format!("  {:<width$} {mark} {}", piece(&left), piece(&right));
            text += &match (mark, look.color) {
                ('<', true) => format!("\x1b[31m{}\x1b[0m\n", line.trim_end()),
                ('>', true) => format!("\x1b[32m{}\x1b[0m\n", line.trim_end()),
                _ => format!("{}\n", line.trim_end()),
            };
        }
    }
    text
}

/// A line in pieces of at most `width` characters, cut at spaces; pieces after the first are indented.
fn pieces(line: &str, width: usize) -> Vec<String> {
    const INDENT: &str = "    ";
    if line.chars().count() <= width {
        return vec![line.to_string()];
    }
    let pieces = wrapped(line, width.saturating_sub(INDENT.len())).into_iter().enumerate();
    pieces.map(|(n, piece)| if n == 0 { piece } else { format!("{INDENT}{piece}") }).collect()
}
