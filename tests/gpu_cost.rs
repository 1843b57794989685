//! What the shaders cost on a GPU, in machine code, against the stored counts. RADV, from the package that
//! has the software adapter for other tests, compiles for a GPU that is not there. See `common` for when
//! ignored tests run.

#[path = "../benches/gpu_cost/mod.rs"]
mod cost;

use cost::Row;
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
        let compiled = radv.compile(&products(n), "main");
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
