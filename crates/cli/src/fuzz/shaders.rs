//! `ctm fuzz --compiler`.

use super::super::bar::bar;
use super::super::outputs::{Outputs, WritableFolder};
use super::super::{Exit, print};
use super::Args;
use anyhow::{Context, bail};
use ctm_compiler::Language;
use ctm_engine::block::Block;
use ctm_fuzz::shaders::check::Finding;
use ctm_fuzz::shaders::fuzz::{self, Counts, Found, Listener, Options};
use ctm_fuzz::shaders::passes::Blame;
use ctm_jobs::job::SharedFiles;
use indicatif::ProgressBar;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Collects the findings.
struct Finds {
    found: Mutex<Vec<Found>>,
    keep_going: bool,
    bar: ProgressBar,
}

impl Listener for Finds {
    fn progress(&self, done: u64) {
        self.bar.set_position(done);
    }
    fn found(&self, found: Found) -> bool {
        self.found.lock().push(found);
        self.keep_going
    }
}

/// Runs generated shaders, or compiles changed ones.
pub fn run(args: &Args, time: Option<Duration>, count: u64) -> anyhow::Result<Exit> {
    if args.show {
        print(ctm_fuzz::shaders::generate::generate(args.seed, args.first))?;
        return Ok(Exit::Done);
    }
    let anywhere = SharedFiles::new();
    let out = Outputs::new(&anywhere).folder("--out", &args.out)?;
    let options =
        Options { seed: args.seed, first: args.first, count, precise: args.precise, time };
    let finds = Finds {
        found: Mutex::new(Vec::new()),
        keep_going: args.keep_going,
        bar: bar(
            Some(count).filter(|&count| count != u64::MAX),
            "{wide_bar} {pos} shaders {per_sec} {eta} left",
        ),
    };
    let engine = Block::default();
    let mutated = !args.mutate.is_empty();
    let counts = if mutated {
        fuzz::run_mutated(&options, &sources(&args.mutate)?, &finds)
    } else {
        let generated = fuzz::run(&options, &fuzz::compile, &engine, &finds);
        let mistaken = fuzz::run_mistaken(&options, &fuzz::compile, &finds);
        generated.merged(Counts { total: 0, ..mistaken })
    };
    finds.bar.finish_and_clear();
    if counts.total == 0 {
        let minutes = args.minutes.unwrap_or_default();
        bail!("no shader ran within --minutes {minutes}: nothing was compared");
    }
    let mut found = finds.found.into_inner();
    found.sort_by_key(|found| found.index);
    print(format!("seed {}\n{}", args.seed, counts.text()))?;
    for (n, found) in found.iter().enumerate() {
        print(format!("shader {}: {}\n", found.index, found.finding))?;
        if n < args.most {
            let reduced = if mutated {
                (found.source.clone(), found.finding.clone(), None)
            } else {
                let (source, finding) = fuzz::reduced(found, &options, &fuzz::compile, &engine);
                let blame = fuzz::blamed(&source, &finding, &options, found.index);
                (source, finding, blame)
            };
            print(written(args, found, &reduced, &out)?)?;
        }
    }
    print(format!("{} findings\n", found.len()))?;
    Ok(if found.is_empty() { Exit::Done } else { Exit::Failed })
}

/// Writes a finding; returns the text about it.
fn written(
    args: &Args,
    found: &Found,
    (source, finding, blame): &(String, Finding, Option<Blame>),
    out: &WritableFolder,
) -> anyhow::Result<String> {
    let mut again =
        format!("ctm fuzz --compiler --seed {} --first {} --count 1", args.seed, found.index);
    if args.precise {
        again += " --precise";
    }
    for path in &args.mutate {
        again += &format!(" --mutate {}", path.display());
    }
    let folder = out.path().join(format!("compiler-{}-{}", args.seed, found.index));
    let mut text = format!("reduced: {finding}\nagain: {again}\n");
    if let Some(Blame { pass, .. }) = blame {
        text += &format!("pass: {pass}, the first after which the result differs\n");
    }
    let about = format!("{}\n{text}", found.finding);
    let mut files =
        vec![("shader.frag", &**source), ("generated.frag", &found.source), ("about.txt", &about)];
    if let Some(Blame { case: Some(case), .. }) = blame {
        files.push(("pass.txt", case));
    }
    fuzz::save(&folder, &files).with_context(|| format!("cannot write {}", folder.display()))?;
    let lines = text.lines().map(str::to_string).chain([format!("written: {}", folder.display())]);
    let lines = lines.chain(source.lines().map(|line| format!("  {line}")));
    Ok(lines.map(|line| format!("  {line}\n")).collect())
}

/// The shaders among files and in folders.
fn sources(paths: &[PathBuf]) -> anyhow::Result<Vec<(String, Language)>> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files).with_context(|| format!("cannot read {}", path.display()))?;
    }
    files.sort();
    let mut sources = Vec::new();
    for file in &files {
        let language = match file.extension().and_then(|ending| ending.to_str()) {
            Some("frag" | "glsl") => Language::Glsl,
            Some("wgsl") => Language::Wgsl,
            _ => continue,
        };
        let bytes =
            std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        sources.push((String::from_utf8_lossy(&bytes).into_owned(), language));
    }
    if sources.is_empty() {
        bail!("--mutate: no file with the extension frag, glsl or wgsl");
    }
    Ok(sources)
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    for entry in std::fs::read_dir(path)? {
        collect(&entry?.path(), files)?;
    }
    Ok(())
}
