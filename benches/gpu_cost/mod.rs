//! What the engine's shaders cost on a GPU, counted in the machine code of a real GPU's compiler, without
//! a GPU.

pub mod assembly;
pub mod radv;
pub mod texts;

use assembly::Counts;
use radv::Radv;
use serde::{Deserialize, Serialize};
use std::path::Path;
use texts::texts;

/// A row: a path of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The text.
    pub text: String,
    /// Its mode.
    pub mode: String,
    /// The GPU.
    pub family: String,
    /// The driver's version.
    pub driver: String,
    /// The path.
    pub path: String,
    /// Vector instructions of the path.
    pub valu: u32,
    /// Scalar instructions.
    pub salu: u32,
    /// Scalar loads.
    pub smem: u32,
    /// Accesses of buffers and scratch.
    pub vmem: u32,
    /// Accesses of workgroup memory.
    pub lds: u32,
    /// Branches.
    pub branches: u32,
    /// Vector registers of the text.
    pub vgprs: u64,
    /// Its bytes of scratch for a point.
    pub scratch: u64,
}

/// Compiles all texts and counts all paths. `asm`: the folder for the assembly and the blocks of each
/// path. Calls `see` with each row and the bytes of workgroup memory of its text.
///
/// # Panics
/// If a path is not there.
pub fn count(asm: Option<&Path>, mut see: impl FnMut(Row, u64)) {
    let radv = Radv::open();
    for text in texts() {
        let compiled = radv.compile(&text.wgsl, text.entry, text.controlled);
        let name = format!("{}-{}", text.name, text.mode.name());
        let write = |what: &str, content: &str| {
            if let Some(folder) = asm {
                std::fs::create_dir_all(folder).expect("a folder");
                std::fs::write(folder.join(what), content).expect("a file");
            }
        };
        write(&format!("{name}.wgsl"), &text.wgsl);
        write(&format!("{name}.s"), &compiled.text);
        for (path, needs) in text.paths {
            let graph = &compiled.graph;
            let blocks = if needs.is_empty() {
                (0..graph.blocks.len()).collect()
            } else {
                graph.cycle(needs).unwrap_or_else(|| panic!("{name} has no path {path}"))
            };
            let lines = |n: &usize| format!("block {n}\n{}\n", graph.blocks[*n].lines.join("\n"));
            write(&format!("{name}-{path}.s"), &blocks.iter().map(lines).collect::<String>());
            let Counts { valu, salu, smem, vmem, lds, branches } = graph.counts(blocks);
            let row = Row {
                text: text.name.to_string(),
                mode: text.mode.name().to_string(),
                family: radv.family.clone(),
                driver: radv.driver.clone(),
                path: path.to_string(),
                valu,
                salu,
                smem,
                vmem,
                lds,
                branches,
                vgprs: compiled.vgprs,
                scratch: compiled.scratch,
            };
            see(row, compiled.lds_bytes);
        }
    }
}
