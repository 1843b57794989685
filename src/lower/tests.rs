//! Lowering of single instructions: each rule of the module's documentation, as text. The
//! comparison with the reference engine shows that the results are right.

use super::lower;
use crate::program::Program;

fn lowered(source: &str, raw_temps: u128) -> String {
    let image = crate::asm::assemble(source, "test").unwrap_or_else(|e| panic!("{e}"));
    let program = Program::new(image).unwrap_or_else(|e| panic!("{e}"));
    lower(&program, raw_temps).print()
}

/// The operations and uniforms of the source's first instructions, up to its `end`.
fn ops(source: &str, raw_temps: u128) -> Vec<String> {
    let text = lowered(source, raw_temps);
    let lines = text.lines().map(|line| line.get(6..).unwrap_or(line));
    lines.take_while(|line| *line != "end").map(str::to_string).collect()
}

#[test]
fn swizzles_are_rows_and_idle_units_are_nothing() {
    assert_eq!(
        ops("mad r1.rg, r0.gr, r0.a, r2.b\nend", 0),
        ["r1.r = mad r0.g, r0.a, r2.b  @active", "r1.g = mad r0.r, r0.a, r2.b  @active",]
    );
    assert!(ops("- | mov r1._, r0.a\nend", 0).is_empty());
}

#[test]
fn rule_1_clean_operands_are_not_flushed_and_others_are() {
    assert_eq!(ops("add r2.r, -r1, r0\nend", 0), ["r2.r = add -r1.r, r0.r  @active"]);
    assert_eq!(ops("add r2.r, -r1, r0\nend", 1 << 1), ["r2.r = add -ftz(r1.r), r0.r  @active"]);
    // A row overwritten with an arithmetic result is clean until the next flow control.
    let after = "add r1.r, r1, 1\nadd r2.r, r1, r1\nend";
    assert_eq!(ops(after, 1 << 1)[1], "r2.r = add r1.r, r1.r  @active");
    let branch = "add r1.r, r1, 1\njump -> 2 if b0\nadd r2.r, r1, r1\nend";
    assert_eq!(ops(branch, 1 << 1)[2], "r2.r = add ftz(r1.r), ftz(r1.r)  @active");
}

#[test]
fn a_gated_write_does_not_make_a_row_clean() {
    let source = "(p.r) add r1.r, r1, 1\nadd r2.r, r1, r1\nend";
    assert_eq!(ops(source, 1 << 1)[2], "r2.r = add ftz(r1.r), ftz(r1.r)  @active");
}

#[test]
fn rules_2_and_3_multiplications_by_one_and_sums_with_zero() {
    assert_eq!(
        ops("mad r1.r, r0, 1, r2\nmul r1.g, r0, r2\nend", 0),
        ["r1.r = add r0.r, r2.r  @active", "r1.g = mul r0.g, r2.g  @active",]
    );
    // -0 is not +0: the product's sign counts.
    assert_eq!(ops("mad r1.r, r0, r2, -0\nend", 0)[0], "r1.r = mad r0.r, r2.r, u0  @active");
}

#[test]
fn rule_4_x1_after_a_selection_of_clean_values_is_nothing() {
    assert_eq!(ops("min r1.r, r0, r2\nend", 0), ["r1.r = min r0.r, r2.r  @active"]);
    assert_eq!(
        ops("min r1.r, r0, -r2\nend", 0),
        ["t3 = min r0.r, -r2.r", "r1.r = finish t3 OMOD_1  @active",]
    );
    assert_eq!(
        ops("movx r1.r, r0\nmov r2.r, r0\nend", 1),
        ["r1.r = mov r0.r  @active", "t3 = mov r0.r", "r2.r = finish t3 OMOD_1  @active",]
    );
}

#[test]
fn zero_times_is_a_flag_of_products() {
    assert_eq!(
        ops(".zero_times\nmad r1.r, r0, r2, r3\ndp3 r4.r, r0, r2\nend", 0)[..2],
        ["r1.r = mad.zero r0.r, r2.r, r3.r  @active", "t9 = product.zero r0.r, r2.r",]
    );
}

#[test]
fn a_scalar_for_several_lanes_is_computed_once() {
    assert_eq!(
        ops("dp3 r1, r0, r2\nend", 0)[3..],
        [
            "t13 = sum3 t10, t11, t12",
            "r1.r = mov t13  @active",
            "r1.g = mov t13  @active",
            "r1.b = mov t13  @active",
            "r1.a = mov t13  @active",
        ]
    );
}

#[test]
fn an_instruction_that_reads_what_it_writes_goes_through_scratch() {
    assert_eq!(
        ops("add r0.rg, r0.gr, 0.25\nend", 0),
        ["t2 = add r0.g, u0", "r0.g = add r0.r, u0  @active", "r0.r = mov t2  @active",]
    );
}

#[test]
fn uniforms_take_in_modifiers_presubtracts_and_flushes() {
    let text = lowered("mad r1.r, -|c2|, 1-c3, r0\nend", 0);
    assert!(text.contains("u0 = ftz(-|c2.r|)\n"), "{text}");
    assert!(text.contains("u1 = (1 - c3.r)\n"), "{text}");
    // Equal literals share an entry, however they were computed.
    let text = lowered("mad r1.r, 0.5, r0, r0\nmad r2.r, 1-0.5, r0, r0\nend", 0);
    assert!(text.ends_with(" 1 uniforms\n"), "{text}");
}

#[test]
fn gates_relative_addresses_and_flow_are_operations() {
    let source = "
        .literal n0 3 0 1
        loop n0
            (!p.g) mov r[aL+2].r, c[aL+1]
            sub p.b<0 & alu_result>=0, r0.b, 1
        endloop
        mov o0.r, r1";
    assert_eq!(
        ops(source, 0),
        [
            "loop -> 4 table(0x00, b0) n0",
            "t513 = c[aL+1].r",
            "t514 = mov t513",
            "t515 = finish t514 OMOD_1",
            "gate = !p.g & active",
            "r[aL+2].r = t515  @gate",
            "t513 = add r0.b, u0",
            "alu_result = t513 GREATER_EQUAL 0  @active",
            "p.b = t513 LESS 0  @active",
            "endloop -> 1 table(0xff, b0) n0 any",
            "o0.r = mov r1.r  @active",
            "written o0.r  @active",
        ]
    );
}

#[test]
fn lowering_every_vector_program_gives_dense_rows() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/jobs");
    let mut count = 0;
    for family in std::fs::read_dir(folder).expect("vectors") {
        for file in std::fs::read_dir(family.expect("a folder").path()).expect("a folder") {
            let path = file.expect("a file").path();
            if path.extension().is_none_or(|e| e != "hex") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("text");
            let program = Program::new(crate::raw::hex(&text).expect("hex")).expect("valid");
            let lowered = lower(&program, u128::MAX);
            let used = lowered.temp_rows.iter().filter(|&&row| row != super::NO_ROW);
            assert!(used.count() <= 4 * (1 + program.uses().highest_temp as usize));
            assert!(lowered.ops.len() < 20 * program.instructions().len() + 2);
            count += 1;
        }
    }
    println!("{count} programs");
    assert!(count > 150);
}
