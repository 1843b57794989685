//! `ctm mesa bisect --prove`.

use super::super::{Exit, escaped, escaped_line, lines, tell};
use super::{Bisect, Log};
use anyhow::bail;
use ctm_base::stop::{Stop, Stopped};
use ctm_base::text::numbers::count;
use ctm_tools::mesa::proofs::{Compared, Proofs, prove};
use ctm_tools::prove::{Answer, Options, Set, text, to_json};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// A program and what was proved.
type Done<'a> = (&'a Log, usize, Result<Proofs, Stopped>);

/// Proves the passes of programs. `bad` are logs that could not be read.
pub(super) fn run(
    args: &Bisect,
    tasks: &[(&Log, usize)],
    bad: &[(&PathBuf, String)],
    stop: &Stop,
) -> anyhow::Result<Exit> {
    let options = Options { refines: true, ..Options::default() };
    let done: Vec<Done<'_>> = lines::in_order(
        tasks,
        args.threads,
        |&(log, program)| (log, program, prove(&log.programs[program], &options, stop)),
        |(log, program, proofs)| {
            let name = format!("{}: {}", log.path.display(), log.name(*program));
            match proofs {
                Err(why) => {
                    tell(escaped_line(&format!("ctm: {name}: {}", super::super::stopped(*why))));
                    Ok(())
                }
                Ok(proofs) if args.json || args.quiet && proofs.culprit().is_none() => Ok(()),
                Ok(proofs) => {
                    super::super::output::print_colored(&escaped(&to_text(&name, proofs)), false)
                }
            }
        },
    )?;
    let found = || done.iter().filter_map(|(.., proofs)| proofs.as_ref().ok());
    let wrong = found().filter(|proofs| proofs.culprit().is_some()).count();
    if args.json {
        super::super::print(format!("{:#}\n", object(&done, bad)))?;
    } else if done.len() > 1 {
        let all = found().flat_map(|proofs| &proofs.compared);
        super::super::print(format!(
            "{}: {wrong} with a wrong pass; {}\n",
            count(done.len() as u64, "program", "programs"),
            counts(all)
        ))?;
    }
    if !bad.is_empty() {
        bail!("{} could not be examined", count(bad.len() as u64, "log", "logs"));
    }
    let open = found().any(Proofs::is_open);
    Ok(match (wrong > 0 || found().count() < done.len(), open) {
        (true, _) => Exit::Failed,
        (false, true) => Exit::Undecided,
        (false, false) => Exit::Done,
    })
}

/// How many passes have each answer.
fn counts<'a>(compared: impl Iterator<Item = &'a Compared>) -> String {
    let mut all = [0_u64; 4];
    for one in compared {
        let n = match one.answer {
            Answer::Proved => 0,
            Answer::EqualUpToRounding { .. } => 1,
            Answer::NotDecided { .. } => 2,
            Answer::Different { .. } => 3,
        };
        all[n] += 1;
    }
    let [proved, rounded, open, _] = all;
    let mut text = format!("{} proved", count(proved, "pass", "passes"));
    for (count, what) in [(rounded, "equal up to rounding"), (open, "not decided")] {
        if count > 0 {
            text += &format!(", {count} {what}");
        }
    }
    text
}

fn to_text(name: &str, proofs: &Proofs) -> String {
    let counts = counts(proofs.compared.iter());
    let mut all = match proofs.culprit() {
        None => format!("{name} (line {}): {counts}\n", proofs.line),
        Some(Compared { pass, line, .. }) => format!(
            "{name} (line {}): pass '{pass}' (line {line}) changes the result; before it {counts}\n",
            proofs.line
        ),
    };
    for one in proofs.compared.iter().filter(|one| one.answer != Answer::Proved) {
        let Compared { pass, line, before, .. } = one;
        let _ = writeln!(all, "  '{pass}' (line {line}), A is '{before}':");
        for line in text(&one.answer, Set::Values).lines() {
            let _ = writeln!(all, "    {line}");
        }
    }
    for skipped in &proofs.skipped {
        let _ = writeln!(all, "  not examined: '{}': {}", skipped.pass, skipped.reason);
    }
    all
}

fn object(done: &[Done<'_>], bad: &[(&PathBuf, String)]) -> Value {
    let programs = done.iter().filter_map(|(log, program, proofs)| {
        let proofs = proofs.as_ref().ok()?;
        let passes = proofs.compared.iter().map(|one| {
            let mut object = json!({
                "pass": one.pass,
                "line": one.line,
                "before": one.before,
                "before_line": one.before_line,
            });
            if let (Value::Object(object), Value::Object(more)) =
                (&mut object, to_json(&one.answer))
            {
                object.extend(more);
            }
            object
        });
        Some(json!({
            "log": log.path,
            "program": program,
            "name": log.programs[*program].name,
            "line": proofs.line,
            "passes": passes.collect::<Vec<_>>(),
            "not_examined": proofs.skipped,
            "wrong": proofs.culprit().map(|one| json!({ "pass": one.pass, "line": one.line })),
        }))
    });
    let bad = bad.iter().map(|(path, error)| json!({ "log": path, "error": error }));
    json!({
        "stopped": done.iter().any(|(.., proofs)| proofs.is_err()),
        "rules": Set::Values.name(),
        "programs": programs.collect::<Vec<_>>(),
        "not_examined": bad.collect::<Vec<_>>(),
    })
}
