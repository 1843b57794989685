//! `ctm compare --prove`: two programs for all inputs.

use super::super::outputs::WritableFolder;
use super::super::{Exit, escaped, print, tell};
use ctm_base::stop::Stop;
use ctm_tools::prove::{Answer, Options, Pair, Set, Shown};
use serde_json::{Value, json};

/// Proves two programs equal. `names` are those of the files; `out` gets the counterexample.
pub(super) fn run(
    set: Set,
    pair: &Pair,
    [a, b]: [&str; 2],
    json: bool,
    out: Option<&WritableFolder>,
    stop: &Stop,
) -> anyhow::Result<Exit> {
    let proof = pair.prove(&Options { set, ..Options::default() }, stop);
    let mut text = if json {
        let mut object = json!({ "a": a, "b": b });
        if let (Value::Object(object), Value::Object(more)) = (&mut object, proof.to_json()) {
            object.extend(more);
        }
        format!("{object}\n")
    } else {
        proof.text()
    };
    if let (Some(folder), Some(shown)) = (out, &proof.shown) {
        write(shown, folder)?;
        if !json {
            text += &format!("written: {}\n", folder.path().display());
        }
    }
    print(escaped(&text))?;
    Ok(exit(&proof.answer))
}

fn write(shown: &Shown, folder: &WritableFolder) -> anyhow::Result<()> {
    for written in folder.create_with(|part| Ok(shown.write(part)?))? {
        for lost in written.lost {
            tell(format_args!("ctm: warning: a job cannot say this: {lost}"));
        }
    }
    Ok(())
}

fn exit(answer: &Answer) -> Exit {
    match answer {
        Answer::Proved => Exit::Done,
        Answer::Different { .. } => Exit::Failed,
        Answer::EqualUpToRounding { .. } | Answer::NotDecided { .. } => Exit::Undecided,
    }
}

/// Proves that what the compiler made of a shader (B) gives what it makes of it without its optimizer (A).
pub fn verify(pair: &Pair, precise: bool, stop: &Stop) -> anyhow::Result<Exit> {
    let set = if precise { Set::Bits } else { Set::Values };
    let proof = pair.prove(&Options { set, ..Options::default() }, stop);
    print(escaped(&proof.text()))?;
    Ok(exit(&proof.answer))
}
