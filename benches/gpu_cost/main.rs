//! What the engine's shaders cost on a GPU, counted in machine code.
//!
//! ```text
//! cargo bench --bench gpu_cost                      a table
//! cargo bench --bench gpu_cost -- --json            a line of JSON for each path
//! cargo bench --bench gpu_cost -- --asm DIR         with the assembly, and the blocks of each path
//! ```
//!
//! RADV compiles for a GPU that is not there. It needs Debian's package mesa-vulkan-drivers or a like one.
//! `RADV_FORCE_FAMILY` names the GPU. After a change, write `--json` to `benches/gpu_cost/stored.jsonl`,
//! which the test `gpu_cost` compares.

#[path = "mod.rs"]
mod cost;

use std::path::PathBuf;
use std::process::Command;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --benches` runs this too; count only with --bench.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let mut again = Command::new(std::env::current_exe().expect("a file"));
    again.args(&arguments);
    if let Some(mut again) = cost::radv::settled(again) {
        let status = again.status().expect("it starts");
        std::process::exit(status.code().unwrap_or(1));
    }
    let json = arguments.iter().any(|argument| argument == "--json");
    let asm = arguments.iter().position(|argument| argument == "--asm");
    let asm = asm.map(|at| PathBuf::from(arguments.get(at + 1).expect("--asm DIR")));
    if !json {
        println!(
            "text, mode: path: valu salu smem vmem lds branches; vgprs, scratch, bytes of lds"
        );
    }
    cost::count(asm.as_deref(), |row, lds| {
        if json {
            println!("{}", serde_json::to_string(&row).expect("a row"));
        } else {
            println!(
                "{:<22}{:<6}{:<14}{:>5}{:>5}{:>5}{:>5}{:>5}{:>5}   {:>4}{:>6}{:>7}",
                row.text,
                row.mode,
                row.path,
                row.valu,
                row.salu,
                row.smem,
                row.vmem,
                row.lds,
                row.branches,
                row.vgprs,
                row.scratch,
                lds
            );
        }
    });
}
