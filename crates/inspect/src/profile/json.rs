//! The profile as one JSON object.

use super::{PassProfile, Profile, Row, time};
use ctm_lang::asm;
use ctm_machine::device::Clocks;
use ctm_machine::engine::Statistics;
use ctm_machine::engine::card::X1900_XTX;
use serde_json::{Value, json};

/// The object that `ctm profile --json` prints.
pub fn json(profile: &Profile) -> Value {
    json!({
        "job": profile.file.display().to_string(),
        "about": profile.about,
        "mode": profile.result.mode.name(),
        "launches": profile.result.launches,
        "card": X1900_XTX.name,
        "passes": profile.passes.iter().map(pass).collect::<Vec<_>>(),
        "faults": profile.result.faults.iter().map(|(code, fault)| {
            json!({ "code": code.name(), "count": fault.count })
        }).collect::<Vec<_>>(),
    })
}

fn pass(pass: &PassProfile) -> Value {
    let image = pass.program.image();
    let map = pass.program.source();
    let instructions =
        pass.instructions.iter().zip(&image.words).zip(0..).map(|((instruction, words), pc)| {
            let mut value = row(instruction);
            value["pc"] = pc.into();
            value["text"] = asm::line(words, image.sharing).into();
            let place = image.location(pc);
            value["file"] = place.map(|place| &*place.file.path).into();
            value["lines"] = image.source.lines(pc).into();
            value
        });
    let lines = pass.lines.iter().map(|line| {
        let mut value = row(&line.row);
        let file = map.and_then(|map| map.files.get(line.file as usize));
        value["file"] = file.map(|file| &*file.path).into();
        value["line"] = line.line.into();
        value["pcs"] = line.row.pcs.clone().into();
        value
    });
    let mut r580 = clocks(&pass.time.units);
    r580["memory"] = time::clocks(pass.time.memory).into();
    let (least, most) = pass.heat.range().unzip();
    json!({
        "pass": pass.pass,
        "program": pass.program_file.display().to_string(),
        "launches": pass.launches,
        "tiles": pass.tiles,
        "statistics": statistics(&pass.statistics),
        "sample": pass.is_sample(),
        "sampled_tiles": pass.sampled,
        "counted": statistics(&pass.counted),
        "distinct": pass.distinct,
        "r580_clocks": r580,
        "r580_active_clocks": pass.active_clocks,
        "bytes": pass.bytes,
        "seconds": pass.time.seconds(),
        "bound": pass.time.bound().name(),
        "instructions_of_a_point": { "least": least, "most": most },
        "lines": lines.collect::<Vec<_>>(),
        "instructions": instructions.collect::<Vec<_>>(),
    })
}

fn row(row: &Row) -> Value {
    let counts = &row.counts;
    let mut row = json!({
        "groups": counts.groups,
        "lanes": counts.lanes,
        "active": counts.active(),
        "fetches": counts.fetches,
        "distinct": row.distinct,
        "taken": counts.taken,
        "divergent": counts.diverged,
        "killed": counts.killed,
        "r580_clocks": clocks(&row.clocks),
        "share": row.share,
    });
    if counts.conflicts != 0 {
        row["conflicts"] = counts.conflicts.into();
    }
    row
}

fn clocks(&Clocks { alu, texture, flow }: &Clocks) -> Value {
    let [alu, texture, flow] = [alu, texture, flow].map(time::clocks);
    json!({ "alu": alu, "texture": texture, "flow": flow })
}

fn statistics(s: &Statistics) -> Value {
    json!({
        "groups": s.groups,
        "points": s.points,
        "instructions": { "alu": s.alu, "out": s.out, "tex": s.tex, "fc": s.fc },
        "tex_fetching": s.tex_fetching,
        "lane_instructions": s.lane_instructions,
        "fetches": s.fetches,
        "divergent": s.divergent,
        "killed": s.killed,
    })
}
