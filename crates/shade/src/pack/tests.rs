//! Lowering of single instructions: each rule of the module's documentation, as text. The
//! comparison with the reference engine shows that the results are right.

use super::{pack, print};
use ctm_lang::program::Program;
use ctm_machine::launch::FloatMode;
use ctm_machine::lower::{NO_ROW, lower};

fn lowered(source: &str, raw_temps: u128) -> String {
    let image = ctm_lang::asm::assemble(source, "test").unwrap_or_else(|e| panic!("{e}"));
    let program = Program::new(image).unwrap_or_else(|e| panic!("{e}"));
    print(&lower(&program, raw_temps, FloatMode::Exact))
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
        ["r1.rg = mad r0.gr, r0.a, r2.b  @active"]
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
    assert_eq!(ops("mad r1.r, r0, r2, -0\nend", 0)[0], "r1.r = mad r0.r, r2.r, u0.r  @active");
}

#[test]
fn rule_4_x1_after_a_selection_of_clean_values_is_nothing() {
    assert_eq!(ops("min r1.r, r0, r2\nend", 0), ["r1.r = min r0.r, r2.r  @active"]);
    assert_eq!(
        ops("min r1.r, r0, -r2\nend", 0),
        ["t0.r = min r0.r, -r2.r", "r1.r = finish t0.r OMOD_1  @active"]
    );
    assert_eq!(
        ops("movx r1.r, r0\nmov r2.r, r0\nend", 1),
        ["r1.r = mov r0.r  @active", "r2.r = finish r0.r OMOD_1  @active"]
    );
}

#[test]
fn zero_times_is_a_flag_of_products() {
    assert_eq!(
        ops(".zero_times\nmad r1.r, r0, r2, r3\ndp3 r4.r, r0, r2\nend", 0)[..2],
        ["r1.r = mad.zero r0.r, r2.r, r3.r  @active", "t0.rgb = product.zero r0.rgb, r2.rgb",]
    );
}

#[test]
fn a_scalar_for_several_lanes_is_computed_once() {
    assert_eq!(
        ops("dp3 r1, r0, r2\nend", 0),
        ["t0.rgb = product r0.rgb, r2.rgb", "t1.r = sum3 t0.rgb", "r1.rgba = mov t1.r  @active",]
    );
}

#[test]
fn an_instruction_that_reads_what_it_writes_goes_through_scratch() {
    assert_eq!(
        ops("add r0.rg, r0.gr, 0.25\nend", 0),
        ["t0.r = add r0.g, u0.r", "r0.g = add r0.r, u0.r  @active", "r0.r = mov t0.r  @active"]
    );
}

#[test]
fn uniforms_take_in_modifiers_presubtracts_and_flushes() {
    let text = lowered("mad r1.r, -|c2|, 1-c3, r0\nend", 0);
    assert!(text.contains("u0.r = ftz(-|c2.r|)\n"), "{text}");
    assert!(text.contains("u0.g = (1 - c3.r)\n"), "{text}");
    // Equal literals share an entry, however they were computed.
    let text = lowered("mad r1.r, 0.5, r0, r0\nmad r2.r, 1-0.5, r0, r0\nend", 0);
    assert!(text.contains("u0.r = 0.5") && !text.contains("u0.g"), "{text}");
}

#[test]
fn operations_on_uniforms_are_computed_once_for_a_launch() {
    let source = "ln2 r1.r, c0.r\nmul r1.r, r1.r, c1.g\nadd r2.r, r0.r, r1.r\nend";
    let text = lowered(source, 0);
    for line in ["v0 = ln2 ftz(c0.r)\n", "v1 = mul v0, ftz(c1.g)\n", "u0.r = v0\n", "u0.g = v1\n"] {
        assert!(text.contains(line), "{line}{text}");
    }
    assert_eq!(ops(source, 0)[1], "r1.r = mov u0.g  @active");
    assert_eq!(ops(source, 0)[2], "r2.r = add r0.r, u0.g  @active");
    // Literals give literals.
    let text = lowered("mul r1.r, 0.5, 0.5\nadd r2.r, r0.r, r1.r\nend", 0);
    assert!(text.contains("u0.r = 0.25") && !text.contains("v0"), "{text}");
}

#[test]
fn a_temporary_is_a_uniform_only_where_all_active_points_have_set_it() {
    let read = |source: &str, n: usize| ops(source, 0)[n].clone();
    let uniform = "r2.r = add r0.r, u0.r  @active";
    let row = "r2.r = add r0.r, r1.r  @active";
    assert_eq!(
        read("mov r1.r, c0.r\nadd r2.r, r0.r, r1.r\nend", 1),
        "r2.r = add r0.r, u0.r  @active"
    );
    assert_eq!(read("mul r1.r, c0.r, c0.r\nadd r2.r, r0.r, r1.r\nend", 1), uniform);
    assert_eq!(read("(p.r) mul r1.r, c0.r, c0.r\nadd r2.r, r0.r, r1.r\nend", 2), row);
    assert_eq!(read("mul r1.r, c0.r, c0.r\njump -> 2 if b0\nadd r2.r, r0.r, r1.r\nend", 2), row);
    let again = "mul r1.r, c0.r, c0.r\nrcp r1.r, r0.g\nadd r2.r, r0.r, r1.r\nend";
    assert_eq!(read(again, 2), row);
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
            "t0.r = c[aL+1].r",
            "t1.r = mov t0.r",
            "t2.r = finish t1.r OMOD_1",
            "gate = !p.g & active",
            "r[aL+2].r = t2.r  @gate",
            "t0.r = add r0.b, u0.r",
            "alu_result = t0.r GREATER_EQUAL 0  @active",
            "p.b = t0.r LESS 0  @active",
            "endloop -> 1 table(0xff, b0) n0 any",
            "o0.r = mov r1.r  @active",
            "written o0.r  @active",
        ]
    );
}

#[test]
fn lowering_every_vector_program_gives_dense_rows() {
    let folder = ctm_testing::files::root().join("tests/vectors/jobs");
    let mut count = 0;
    for family in std::fs::read_dir(folder).expect("vectors") {
        for file in std::fs::read_dir(family.expect("a folder").path()).expect("a folder") {
            let path = file.expect("a file").path();
            if path.extension().is_none_or(|e| e != "hex") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("text");
            let program = Program::new(ctm_lang::raw::hex(&text).expect("hex")).expect("valid");
            let lowered = lower(&program, u128::MAX, FloatMode::Exact);
            let used = lowered.temp_rows.iter().filter(|&&row| row != NO_ROW);
            assert!(used.count() <= 4 * (1 + program.uses().highest_temp as usize));
            assert!(pack(&lowered).ops.len() < 20 * program.instructions().len() + 2);
            count += 1;
        }
    }
    println!("{count} programs");
    assert!(count > 150);
}

#[test]
fn lanes_that_do_the_same_are_one_operation() {
    assert_eq!(
        ops("mad r1, r0, c0, r2.bgra\nend", 0),
        ["r1.rgba = mad r0.rgba, u0.rgba, r2.bgra  @active"]
    );
    // The units read different registers.
    assert_eq!(
        ops("mul r1.rgb, r0, r2 | mul r1.a, r3, r4\nend", 0),
        ["r1.rgb = mul r0.rgb, r2.rgb  @active", "r1.a = mul r3.a, r4.a  @active"]
    );
    // Lanes with different modifiers.
    assert_eq!(
        ops("add r1.rgb, -r0, r2 | add r1.a, |r0|, r2\nend", 0),
        ["r1.rgba = add (-r0.rgb |r0.a|), r2.rgba  @active"]
    );
    assert_eq!(
        ops("mov o0, r1\nend", 0),
        ["o0.rgba = mov r1.rgba  @active", "written o0.rgba  @active"]
    );
}

#[test]
fn a_fetch_writes_where_its_texel_is_wanted() {
    assert_eq!(ops("ld r1, i0[r0.rg]\nend", 0), ["r1.rgba = i0[r0.rg].rgba unscaled  @active"]);
    assert_eq!(
        ops("(p.r) ld r1.rg, i0[r0.rg]\nend", 0)[1..],
        ["r1.rg = i0[r0.rg].rg unscaled  @gate"]
    );
}

#[test]
fn instructions_share_the_registers_that_collect_operands() {
    let lines: Vec<String> = (1..9).map(|n| format!("d2a r{n}, r{n}, r0, r{n}.b")).collect();
    let text = lowered(&(lines.join("\n") + "\nmov o0, r1\nend"), 0);
    assert!(text.contains("sum3"), "{text}");
    let last = text.lines().last().unwrap_or_default();
    assert!(last.contains(" 13 registers"), "{text}");
}
