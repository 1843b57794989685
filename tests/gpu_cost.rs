//! What the shaders cost on a GPU, in machine code, against the stored counts. RADV, from the package that
//! has the software adapter for other tests, compiles for a GPU that is not there. See `common` for when
//! ignored tests run.

#[path = "../benches/gpu_cost/mod.rs"]
mod cost;

use cost::Row;
use cost::assembly::{Counts, Graph, Need};
use cost::radv::{Radv, settled};
use std::process::Command;

/// The rows of this repository: what `cargo bench --bench gpu_cost -- --json` prints.
const STORED: &str = include_str!("../benches/gpu_cost/stored.jsonl");

/// Runs a test of this program in a process that RADV's settings are made for. Whether this is it.
fn is_settled(test: &str) -> bool {
    let mut again = Command::new(std::env::current_exe().expect("a file"));
    again.args([test, "--exact", "--include-ignored", "--nocapture"]);
    let Some(mut again) = settled(again) else { return true };
    let output = again.output().expect("it starts");
    let said =
        [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    println!("{}", said.concat());
    assert!(output.status.success(), "{test} fails in its own process");
    assert!(said[0].contains("1 passed"), "{test} does not run in its own process");
    false
}

/// A shader that makes `count` products of numbers that it reads.
fn products(count: usize) -> String {
    let products = "    x = x * y + 0.5;\n".repeat(count);
    format!(
        "@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n\
         @compute @workgroup_size(64)\n\
         fn main(@builtin(global_invocation_id) id: vec3<u32>) {{\n    \
         var x = data[id.x];\n    let y = data[id.x + 64u];\n{products}    data[id.x] = x;\n}}\n"
    )
}

#[test]
#[ignore = "needs RADV"]
fn products_and_sums_are_counted() {
    if !is_settled("products_and_sums_are_counted") {
        return;
    }
    let radv = Radv::open();
    let counts = |n| {
        let compiled = radv.compile(&products(n), "main", false);
        compiled.graph.counts(0..compiled.graph.blocks.len())
    };
    let (few, many) = (counts(3), counts(10));
    // A product and a sum are one or two instructions.
    let more = many.valu - few.valu;
    assert!(more == 7 || more == 14, "{few:?} {many:?}");
    assert_eq!((few.vmem, many.vmem), (3, 3));
    assert_eq!(few.lds, 0);
}

/// No path may have more than 1.05 times the stored vector instructions of the same driver, nor cross a
/// number of registers at which fewer groups run at once.
#[test]
#[ignore = "needs RADV"]
fn counts_are_not_above_the_stored_ones() {
    if !is_settled("counts_are_not_above_the_stored_ones") {
        return;
    }
    let stored: Vec<Row> =
        STORED.lines().map(|line| serde_json::from_str(line).expect("a row")).collect();
    let key = |row: &Row| [&row.text, &row.mode, &row.family, &row.path].map(String::clone);
    let (mut wrong, mut rows) = (Vec::new(), 0);
    cost::count(None, |row, lds| {
        println!("{row:?}, {lds} bytes");
        rows += 1;
        let Some(before) = stored.iter().find(|before| key(before) == key(&row)) else {
            return wrong.push(format!("no stored row for {row:?}"));
        };
        let steps = |row: &Row| [64, 96, 128].iter().filter(|step| row.vgprs > **step).count();
        let is_more = row.valu * 100 > before.valu * 105 || steps(&row) > steps(before);
        if row.driver == before.driver && is_more {
            wrong.push(format!("{row:?}\nwas {before:?}"));
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(rows, stored.len(), "rows are stored that nothing counts");
}

/// Two ways through a loop: one with a product, one with a store.
const TEXT: &str = "\
    BB0:\n\
    \ts_load_dwordx4 s[0:3], s[4:5], 0x0 ; f4080002\n\
    \tv_mov_b32_e32 v0, 0\n\
    BB1:\n\
    \ts_buffer_load_dword s8, s[0:3], s9\n\
    \ts_waitcnt lgkmcnt(0)\n\
    \ts_cmp_eq_u32 s8, 1\n\
    \ts_cbranch_scc1 BB3\n\
    \tv_mul_f32_e32 v0, v1, v2\n\
    \tv_add_f32_e32 v0, v0, v2\n\
    \t(then repeated 2 times)\n\
    \ts_branch BB4\n\
    BB3:\n\
    \tds_write_b32 v3, v0\n\
    BB4:\n\
    \ts_cmp_lg_u32 s8, 7\n\
    \ts_cbranch_scc1 BB1\n\
    \tbuffer_store_dword v0, v1, s[0:3], 0 offen\n\
    \ts_endpgm\n";

#[test]
fn blocks_end_at_branches_and_at_labels() {
    let graph = Graph::read(TEXT);
    let next: Vec<&[usize]> = graph.blocks.iter().map(|block| &block.next[..]).collect();
    assert_eq!(next, [&[1][..], &[3, 2], &[4], &[4], &[1, 5], &[]]);
}

#[test]
fn every_instruction_is_counted_once_by_its_kind() {
    let graph = Graph::read(TEXT);
    let all = Counts { valu: 5, salu: 2, smem: 2, vmem: 1, lds: 1, branches: 4 };
    assert_eq!(graph.counts(0..graph.blocks.len()), all);
}

#[test]
fn a_path_passes_what_it_needs() {
    let graph = Graph::read(TEXT);
    let product: Need = &[("v_mul_f32", 1..=1)];
    assert_eq!(graph.cycle(&[product]), Some(vec![4, 1, 2]));
    assert_eq!(graph.cycle(&[&[("ds_write", 1..=9)]]), Some(vec![4, 1, 3]));
    assert_eq!(graph.cycle(&[&[("v_mul_f32", 2..=9)]]), None);
    // Both in one turn is impossible, in two it is not.
    let both = graph.cycle(&[product, &[("ds_write", 1..=1)]]).expect("two turns");
    assert_eq!(graph.counts(both).branches, 2 * 2 + 1);
}
