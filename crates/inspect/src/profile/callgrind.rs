//! The profile in the format of Valgrind's Callgrind, which KCachegrind and QCachegrind open.
//!
//! A pass is a function, which the job calls once for each launch. Costs are given for each
//! instruction with its source line; an instruction without a line has line 0.

use super::{Counts, PassProfile, Profile, Row};
use ctm_base::text::printable;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The costs of a line: short name, long name, and the value.
type Event = (&'static str, &'static str, fn(&Row) -> u64);

const EVENTS: [Event; 8] = [
    ("Clk12", "Twelfths of R580 clocks of all units", |row| row.clocks.sum()),
    ("Lane", "Lane instructions", |row| row.counts.lanes),
    ("Group", "Group instructions", |row| row.counts.groups),
    ("Fetch", "Fetches", |row| row.counts.fetches),
    ("Idle", "Idle lanes", |row| 64 * row.counts.groups - row.counts.lanes),
    ("Taken", "Jumps of groups", |row| row.counts.taken),
    ("Div", "Divergent flow control", |row| row.counts.diverged),
    ("Kill", "Points killed", |row| row.counts.killed),
];

/// The text of the file.
pub fn callgrind(profile: &Profile) -> String {
    let mut text = String::new();
    let job = name(&profile.file.display().to_string());
    let _ = writeln!(text, "# callgrind format");
    let _ = writeln!(text, "version: 1");
    let _ = writeln!(text, "creator: ctm {}", env!("CARGO_PKG_VERSION"));
    let _ = writeln!(text, "cmd: {job}");
    if profile.passes.iter().any(PassProfile::is_sample) {
        let _ = writeln!(text, "desc: Sample: not all groups are counted");
    }
    let _ = writeln!(text, "positions: instr line");
    for (short, long, _) in EVENTS {
        let _ = writeln!(text, "event: {short} : {long}");
    }
    let _ = writeln!(text, "events: {}", EVENTS.map(|(short, ..)| short).join(" "));
    let total = sum(profile.passes.iter().flat_map(|pass| &pass.instructions));
    let _ = writeln!(text, "summary: {}\n", costs(&total));

    let _ = writeln!(text, "fl={job}\nfn=job");
    for pass in &profile.passes {
        let _ = writeln!(text, "cfi={}\ncfn={}", file(pass, 0), function(pass));
        let first = pass.program.registers().start();
        let line = line_of(pass, first);
        let _ = writeln!(text, "calls={} {first:#x} {line}", pass.launches);
        let _ = writeln!(text, "0x0 {} {}", pass.pass + 1, costs(&sum(&pass.instructions)));
    }
    for pass in &profile.passes {
        // Costs of one function stand together, file by file.
        let mut files = BTreeMap::<String, Vec<&Row>>::new();
        for row in pass.instructions.iter().filter(|row| row.counts != Counts::default()) {
            files.entry(file(pass, row.pcs[0])).or_default().push(row);
        }
        let _ = writeln!(text, "\nfl={}\nfn={}", file(pass, 0), function(pass));
        for (n, (file_name, rows)) in files.iter().enumerate() {
            if n > 0 || *file_name != file(pass, 0) {
                let _ = writeln!(text, "fi={file_name}");
            }
            for row in rows {
                let pc = row.pcs[0];
                let values = EVENTS.map(|(.., value)| value(row));
                let _ = writeln!(text, "{pc:#x} {} {}", line_of(pass, pc), costs(&values));
            }
        }
    }
    text
}

fn sum<'a>(rows: impl IntoIterator<Item = &'a Row>) -> [u64; EVENTS.len()] {
    rows.into_iter().fold([0; EVENTS.len()], |mut sum, row| {
        for (sum, (.., value)) in sum.iter_mut().zip(EVENTS) {
            *sum += value(row);
        }
        sum
    })
}

fn costs(values: &[u64]) -> String {
    let values: Vec<String> = values.iter().map(u64::to_string).collect();
    values.join(" ")
}

/// A name in one line: the format has no escapes, and "(" would begin a number.
fn name(text: &str) -> String {
    let text = printable(text);
    if text.starts_with('(') { format!("./{text}") } else { text }
}

fn function(pass: &PassProfile) -> String {
    let file = pass.program_file.file_name().unwrap_or_default();
    name(&format!("pass {}: {}", pass.pass, file.to_string_lossy()))
}

fn file(pass: &PassProfile, pc: u32) -> String {
    let place = pass.program.image().location(pc);
    let path = place.map(|place| place.file.path.clone());
    name(&path.unwrap_or_else(|| pass.program_file.display().to_string()))
}

/// The first line that an instruction serves: a cost in this format has one line.
fn line_of(pass: &PassProfile, pc: u32) -> u32 {
    pass.program.image().location(pc).map_or(0, |place| place.line)
}
