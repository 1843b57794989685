//! Structured statements expand to the Guide's rows \[G 36-40\]; synchronisation bits.

use ctm_isa::isa::{AddressOp, Body, BranchOp, Fc, FcOp, Instruction};
use ctm_lang::asm::assemble;
use ctm_lang::program::Image;

fn image(source: &str) -> Image {
    assemble(source, "test").unwrap_or_else(|errors| panic!("{source}\n{errors}"))
}

fn instructions(source: &str) -> Vec<Instruction> {
    image(source).words.iter().map(Instruction::decode).collect()
}

fn fc(instruction: &Instruction) -> Fc {
    match instruction.body {
        Body::Fc(fc) => fc,
        _ => panic!("no flow control: {instruction:?}"),
    }
}

/// JUMP_FUNC, ANY, OP, A_OP, B_OP0 (stay), B_OP1 (jump), B_POP_CNT, ELSE, JUMP_ADDR.
type Row = (u8, bool, FcOp, AddressOp, BranchOp, BranchOp, u8, bool, u16);

const NO: BranchOp = BranchOp::None;
const INCR: BranchOp = BranchOp::Incr;
const DECR: BranchOp = BranchOp::Decr;
const KEEP: AddressOp = AddressOp::None;

fn row(instruction: &Instruction) -> Row {
    let fc = fc(instruction);
    let addr = fc.jump_addr;
    (fc.jump_func, fc.jump_any, fc.op, fc.a_op, fc.b_op0, fc.b_op1, fc.b_pop_cnt, fc.b_else, addr)
}

#[test]
fn if_and_endif() {
    let code = instructions("if alu_result\nmov r1, r2\nendif\nend");
    assert_eq!(row(&code[0]), (0x0f, false, FcOp::Jump, KEEP, INCR, NO, 0, false, 3));
    assert_eq!(row(&code[2]), (0x00, true, FcOp::Jump, KEEP, DECR, NO, 1, false, 0));
    assert!(code[0].common.alu_wait && code[2].common.alu_wait);
}

#[test]
fn if_else_and_endif() {
    let code = instructions("if alu_result\nmov r1, r2\nelse\nmov r1, r3\nendif\nend");
    assert_eq!(row(&code[0]), (0x0f, false, FcOp::Jump, KEEP, INCR, INCR, 0, false, 3));
    assert_eq!(row(&code[2]), (0x00, false, FcOp::Jump, KEEP, NO, DECR, 1, true, 5));
    assert_eq!(row(&code[4]), (0x00, true, FcOp::Jump, KEEP, DECR, NO, 1, false, 0));
}

#[test]
fn conditions_become_truth_tables() {
    for (condition, table) in [
        ("alu_result", 0x0f),
        ("!alu_result", 0xf0),
        ("p.g", 0x33),
        ("!p.g", 0xcc),
        ("b4", 0x55),
        ("!b4", 0xaa),
        ("always", 0x00),
        ("never", 0xff),
        ("alu_result & p.g", !0xc0u8),
        ("alu_result | !p.g & b4", !(0xf0u8 | 0x33 & 0xaa)),
        ("(alu_result | !p.g) & b4", !((0xf0u8 | 0x33) & 0xaa)),
        ("!(alu_result & !!p.g)", 0xc0),
        ("table(0x1b, p.g, b4)", !0x1bu8),
    ] {
        let code = instructions(&format!("if {condition}\nendif\nend"));
        let fc = fc(&code[0]);
        assert_eq!(fc.jump_func, table, "{condition}");
        assert_eq!(fc.bool_addr, if condition.contains("b4") { 4 } else { 0 }, "{condition}");
        let sel = if condition.contains('p') {
            ctm_isa::isa::PredSel::G
        } else {
            ctm_isa::isa::PredSel::None
        };
        assert_eq!(code[0].common.pred_sel[0], sel, "{condition}");
        assert!(!code[0].common.pred_inv[0]);
    }
    // Where a condition makes points jump it is not inverted.
    let code = instructions("rep n0\nbreak if b1\ncontinue if !p.a\nendrep\nend");
    assert_eq!((fc(&code[1]).jump_func, fc(&code[1]).bool_addr), (0xaa, 1));
    assert_eq!(fc(&code[2]).jump_func, 0x33);
}

#[test]
fn loop_and_rep() {
    let code = instructions("loop n5\nmov r1, r2\nendloop\nrep n6\nmov r1, r2\nendrep\nend");
    assert_eq!(row(&code[0]), (0x00, false, FcOp::Loop, KEEP, NO, NO, 0, false, 3));
    assert_eq!(row(&code[2]), (0xff, true, FcOp::EndLoop, KEEP, NO, NO, 0, false, 1));
    assert_eq!(row(&code[3]), (0x00, false, FcOp::Rep, KEEP, NO, NO, 0, false, 6));
    assert_eq!(row(&code[5]), (0xff, true, FcOp::EndRep, KEEP, NO, NO, 0, false, 4));
    assert_eq!([0, 2, 3, 5].map(|n: usize| fc(&code[n]).int_addr), [5, 5, 6, 6]);
}

#[test]
fn break_and_continue_undo_the_branches_they_leave() {
    let code = instructions(
        "if b9\nloop n0\nbreak\nif b0\nif b1\nbreak if b2\nelse\ncontinue\nendif\nendif\ncontinue\nrep n1\nbreak\nendrep\nendloop\nendif\nend",
    );
    let end_loop = 14;
    assert_eq!(fc(&code[end_loop as usize]).op, FcOp::EndLoop);
    assert_eq!(
        row(&code[2]),
        (0xff, false, FcOp::BreakLoop, KEEP, NO, DECR, 0, false, end_loop + 1)
    );
    assert_eq!(
        row(&code[5]),
        (0xaa, false, FcOp::BreakLoop, KEEP, NO, DECR, 2, false, end_loop + 1)
    );
    assert_eq!(row(&code[7]), (0xff, false, FcOp::Continue, KEEP, NO, DECR, 2, false, end_loop));
    assert_eq!(row(&code[10]), (0xff, false, FcOp::Continue, KEEP, NO, DECR, 0, false, end_loop));
    assert_eq!(row(&code[12]), (0xff, false, FcOp::BreakRep, KEEP, NO, DECR, 0, false, 14));
}

#[test]
fn calls_and_returns_without_conditions() {
    let code = instructions("call f\ncall f\nend\nf: mov r1, r2\nret");
    let call = (0xff, true, FcOp::Jump, AddressOp::Push, NO, NO, 0, false, 3);
    assert_eq!((row(&code[0]), row(&code[1])), (call, call));
    assert_eq!(row(&code[4]), (0xff, false, FcOp::Jump, AddressOp::Pop, NO, NO, 0, false, 0));
}

#[test]
fn a_conditional_call_makes_every_call_count() {
    let code = instructions(
        "call f\ncall f if p.r\ncall g\nend\nf: ret if b1\nret if b2\nret\ng: ret if b3\nret",
    );
    assert_eq!(row(&code[0]), (0xff, true, FcOp::Jump, AddressOp::Push, NO, INCR, 0, false, 4));
    assert_eq!(row(&code[1]), (0xcc, true, FcOp::Jump, AddressOp::Push, NO, INCR, 0, false, 4));
    assert_eq!(row(&code[2]), (0xff, true, FcOp::Jump, AddressOp::Push, NO, NO, 0, false, 7));
    // s = 1: (k-1)+s and r+s.
    assert_eq!(row(&code[4]), (0xaa, false, FcOp::Jump, AddressOp::Pop, INCR, DECR, 1, false, 0));
    assert_eq!(row(&code[5]), (0xaa, false, FcOp::Jump, AddressOp::Pop, INCR, DECR, 2, false, 0));
    assert_eq!(row(&code[6]), (0xff, false, FcOp::Jump, AddressOp::Pop, NO, DECR, 3, false, 0));
    // s = 0.
    assert_eq!(row(&code[7]), (0xaa, false, FcOp::Jump, AddressOp::Pop, INCR, DECR, 0, false, 0));
    assert_eq!(row(&code[8]), (0xff, false, FcOp::Jump, AddressOp::Pop, NO, DECR, 1, false, 0));
}

#[test]
fn subroutines_may_stand_before_the_program() {
    let image =
        image(".start main\nf: ret if b0\nret\ng: ret\nmain: call g\ncall f if b1\nmov o0, r1");
    let code: Vec<Instruction> = image.words.iter().map(Instruction::decode).collect();
    assert_eq!(image.registers.us_code_addr, 3 | 5 << 16);
    assert_eq!(fc(&code[0]).b_pop_cnt, 1);
    assert_eq!((fc(&code[1]).b_op1, fc(&code[1]).b_pop_cnt), (DECR, 2));
    assert_eq!((fc(&code[2]).b_op1, fc(&code[2]).b_pop_cnt), (NO, 0));
    assert_eq!((fc(&code[3]).b_op1, fc(&code[3]).jump_addr), (NO, 2));
    assert_eq!((fc(&code[4]).b_op1, fc(&code[4]).jump_addr), (INCR, 0));
}

#[test]
fn nested_ifs_share_an_endif() {
    let code =
        instructions("if alu_result\nif alu_result\nif alu_result\nmov r1, r2\nendif 3\nend");
    assert_eq!(row(&code[0]), (0x0f, false, FcOp::Jump, KEEP, INCR, NO, 0, false, 5));
    assert_eq!(row(&code[1]), (0x0f, false, FcOp::Jump, KEEP, INCR, DECR, 1, false, 5));
    assert_eq!(row(&code[2]), (0x0f, false, FcOp::Jump, KEEP, INCR, DECR, 2, false, 5));
    assert_eq!(row(&code[4]), (0x00, true, FcOp::Jump, KEEP, DECR, NO, 3, false, 0));
}

#[test]
fn addresses_are_relative_to_the_offset() {
    let image = image(
        ".offset 2\nf: mov r1, r2\nret\nmain: jump -> out\njump -> out @global\nif b0\nendif\nout: end",
    );
    let code: Vec<Instruction> = image.words.iter().map(Instruction::decode).collect();
    assert_eq!(image.registers.us_code_offset, 2);
    // It starts at the offset and ends with `end`.
    assert_eq!((image.registers.start(), image.registers.end()), (2, 6));
    assert_eq!(fc(&code[2]).jump_addr, 4);
    assert_eq!((fc(&code[3]).jump_addr, fc(&code[3]).jump_global), (6, true));
    assert_eq!(fc(&code[4]).jump_addr, 4);
}

#[test]
fn places_are_labels_or_slots() {
    let first = image(".start main\n.end out\nend\nmain: mov r1, r2\nout: mov o0, r1\nmov r3, r4");
    let second = image(".start 1\n.end 2\nend\nmov r1, r2\nmov o0, r1\nmov r3, r4");
    assert_eq!(first.registers.us_code_addr, 1 | 2 << 16);
    assert_eq!(second.registers, first.registers);
    // The verifier looks at a slot without an instruction, not the assembler.
    assert_eq!(image(".end 511\nend").registers.us_code_addr, 511 << 16);
}

/// TEX_SEM_WAIT, TEX_SEM_ACQUIRE, ALU_WAIT, NOP of each instruction, as letters.
fn bits(source: &str) -> Vec<String> {
    let letters = |instruction: &Instruction| {
        let common = &instruction.common;
        let acquire = matches!(instruction.body, Body::Tex(tex) if tex.tex_sem_acquire);
        let bits =
            [(common.tex_sem_wait, 'w'), (acquire, 'a'), (common.alu_wait, 'A'), (common.nop, 'n')];
        bits.iter().filter(|(set, _)| *set).map(|(_, letter)| letter).collect()
    };
    instructions(source).iter().map(letters).collect()
}

#[test]
fn fetches_are_waited_for_once() {
    let source = "ld r1, i0[r0]\nmov r2, r3\nmov r2, r1\nmov r4, r1\nmov o0, r4";
    assert_eq!(bits(source), ["wa", "", "w", "", "w"]);
    // A coordinate that was fetched, and a temporary that is written again.
    assert_eq!(bits("ld r1, i0[r0]\nld r2, i0[r1]\nmov r2.r, r3\nend"), ["wa", "wa", "w", "w"]);
    // Only the channels fetched count.
    assert_eq!(bits("ld r1.rg, i0[r0]\nmov r2.r, r1.b\nmov r2.r, r1.g\nend"), ["wa", "", "w", "w"]);
    // texkill and nop fetch nothing.
    assert_eq!(bits("texkill r0\nnop\nend"), ["", "", "w"]);
}

#[test]
fn where_paths_meet_a_fetch_may_be_under_way() {
    let source = "rep n0\nmov r2, r1\nld r1, i0[r0]\nendrep\nmov r3, r1\nend";
    assert_eq!(bits(source), ["A", "w", "wa", "A", "w", "w"]);
}

#[test]
fn sums_and_neighbours_need_an_idle_slot() {
    assert_eq!(bits("mov r1, r0\nmov r2, 1-r1\nend"), ["n", "", "w"]);
    assert_eq!(bits("mov r1, r0\nmov r3, r0\nmov r2, 1-r1\nend"), ["", "", "", "w"]);
    // Only the channels that the sum reads, of the unit that reads them.
    assert_eq!(bits("mov r1.a, r0\nmov r2.rgb, 1-r1\nend"), ["", "", "w"]);
    assert_eq!(bits("mov r1.r, r0\nmov r2.r, (r3-r1).b\nend"), ["", "", "w"]);
    assert_eq!(bits("mov r1.b, r0\nmov r2.r, (r3-r1).b\nend"), ["n", "", "w"]);
    assert_eq!(bits("mov r1, r0\nmdh r2, r1, -1\nend"), ["n", "", "w"]);
    assert_eq!(bits("ld r1, i0[r0]\nmov r2, 1-r1\nend"), ["wa", "w", "w"]);
    assert_eq!(bits("mov r[aL+4], r0\nmov r2, 1-r1\nend"), ["n", "", "w"]);
}

#[test]
fn every_bit_can_be_overridden() {
    let source = "ld r1, i0[r0] @!acquire @!wait\nmov r1, r0 @!wait @!nop @alu_wait\nmov r2, 1-r1 @nop\nif b0 @!alu_wait\nendif\nend";
    assert_eq!(bits(source), ["", "A", "wn", "", "A", "w"]);
    // A fetch and flow control can ask for an idle slot, too.
    let source = "ld r1, i0[r0] @!acquire @!wait @nop\nif b0 @nop\nendif\nend";
    assert_eq!(bits(source), ["n", "An", "A", "w"]);
    let source =
        ".sync manual\nld r1, i0[r0] @acquire\nmov r2, 1-r1\nif b0\nendif @alu_wait\nmov o0, r1";
    assert_eq!(bits(source), ["a", "", "", "A", ""]);
}

#[test]
fn the_last_instruction_waits() {
    assert_eq!(bits("mov o0, r1"), ["w"]);
    assert_eq!(bits("mov o0, r1\nend"), ["", "w"]);
    assert_eq!(bits("mov o0, r1 @!wait"), [""]);
    assert_eq!(bits("mov o0, r1\nend\nf: mov o1, r1\nret"), ["", "w", "", "A"]);
}
