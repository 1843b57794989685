//! Nothing that nests in a text fills the stack: every construct of every reader, 100,000 deep, on a
//! thread with a stack of 512 KiB, is a typed error.

use ctm_jobs::job::Job;
use std::path::Path;

const DEPTH: usize = 100_000;
const STACK: usize = 512 << 10;

/// The largest source of the assembler and of the compiler of shaders.
const LARGEST: usize = 1 << 20;

fn on_a_small_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, work)
            .expect("a thread")
            .join()
            .expect("no panic")
    })
}

/// `before`, then `what` as often as fits in `limit`, then `after`.
fn nested(before: &str, what: &str, after: &str, limit: usize) -> String {
    let room = limit - before.len() - after.len();
    let depth = DEPTH.min(room / what.len());
    assert!(depth > DEPTH / 4, "{what}");
    format!("{before}{}{after}", what.repeat(depth))
}

/// The first error of a source, as users see it, which must be there.
fn first_error<T>(result: Result<T, ctm_lang::asm::TextErrors>) -> String {
    let Err(errors) = result else {
        return "no error".to_string();
    };
    assert!(!errors.render(true).is_empty());
    errors.errors()[0].message.clone()
}

#[test]
fn assembly() {
    let mut wrong = Vec::new();
    for (before, what, after, message) in [
        ("if ", "(", "", "parentheses nest deeper than 16"),
        (
            "if ",
            "!",
            "",
            "expected a condition: alu_result, a predicate such as p.r, a boolean constant, always, never, found the end of the line",
        ),
        ("if ", "!(", "", "parentheses nest deeper than 16"),
        ("if b0", "&(b0", "", "parentheses nest deeper than 16"),
        ("if b0", "|(b0", "", "parentheses nest deeper than 16"),
        (
            "if ",
            "table(1,",
            "",
            "expected alu_result, a predicate such as p.r or !p.r, or a boolean constant, found `table`",
        ),
        ("if ", "table(1,!", "", "expected a predicate such as p.r, found `table`"),
        (
            "if table(1",
            ",(",
            "",
            "expected alu_result, a predicate such as p.r or !p.r, or a boolean constant, found `(`",
        ),
        ("if ", "table(", "", "expected a truth table of 8 bits, found `table`"),
        (
            "jump -> 0 if ",
            "table(1,",
            "",
            "expected alu_result, a predicate such as p.r or !p.r, or a boolean constant, found `table`",
        ),
        ("break if ", "(", "", "parentheses nest deeper than 16"),
        ("ret if ", "(", "", "parentheses nest deeper than 16"),
        ("call f if ", "(", "", "parentheses nest deeper than 16"),
        ("", "if b0\n", "", "blocks nest deeper than 31"),
        ("", "rep n0\n", "", "blocks nest deeper than 31"),
        ("", "loop n0\n", "", "blocks nest deeper than 31"),
        ("", "if b0\nelse\n", "", "blocks nest deeper than 31"),
        ("", "if ", "", "`if` does not fit here"),
        ("", "(p.r) ", "", "expected an instruction, found `(`"),
        ("", "(", "", "expected a predicate: p, p.r, p.g, p.b or p.a, found `(`"),
        ("loop ", "(", "", "expected a number, found `(`"),
        ("mov r0, ", "(", "", "parentheses nest deeper than 16"),
        ("mov r0, ", "-(", "", "parentheses nest deeper than 16"),
        ("mov r0, ", "1-(", "", "parentheses nest deeper than 16"),
        ("mov r0, ", "|", "", "parentheses nest deeper than 16"),
        ("mov r0, ", "abs(", "", "parentheses nest deeper than 16"),
        ("mov r0, ", "-", "", "expected an operand, found `-`"),
        ("mov r0, ", "{", "", "expected a number, found `{`"),
        ("mov r0, ", "r[", "", "expected aL, found `r`"),
        ("mov r0, ", "c[aL+", "", "expected a register number, found `c`"),
        ("mov r0, r0", "+r0", "", "an operand is a sum of at most two terms"),
        ("mov r0, r0", ".r", "", "`.r` does not fit here"),
        ("mov r0, r0", "|mov r0,r0", "", "`|` does not fit here"),
        ("ld r0, ", "i0[", "", "expected `]`, found `[`"),
        ("ld r0, i0", "[", "", "expected a temporary that holds the coordinate, found `[`"),
        ("mov r0, r0 @src", "(rgb0=", "", "expected a register or a number, found `(`"),
        ("mov r0, r0 ", "@src(", "", "expected `)`, found `@src`"),
        ("ALU ", "US_CMN_INST(", "", "expected a field name or a number, found `(`"),
        ("ALU US_CMN_INST(", "RGB_WMASK=", "", "expected a field name or a number, found `=`"),
        ("", "a:", "", "the label `a` is defined twice"),
        ("", "call f\nf:", "", "the label `f` is defined twice"),
        ("", ".literal ", "", "expected a name or a number, found `.literal`"),
        (".literal c0 ", "-", "", "expected a number, found `-`"),
    ] {
        let source = nested(before, what, after, LARGEST);
        let found = on_a_small_stack(|| first_error(ctm_lang::asm::assemble(&source, "deep.dpp")));
        if found != message {
            wrong.push((before, what, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn shaders() {
    let header = "ps_3_0\n";
    let mut wrong = Vec::new();
    for (before, what, after, message) in [
        ("", "if b0\n", "", "blocks nest deeper than 31"),
        ("", "if b0\nelse\n", "", "blocks nest deeper than 31"),
        ("", "rep i0\n", "", "blocks nest deeper than 31"),
        ("", "loop aL,i0\n", "", "blocks nest deeper than 31"),
        ("", "(p0)", "mov r0, r0", "expected an instruction, found `(`"),
        ("", "(", "", "expected an operand, found `(`"),
        ("(", "!", "p0) mov r0, r0", "expected an operand, found `!`"),
        ("mov r0, ", "-", "r0", "expected an operand, found `-`"),
        ("mov r0, ", "c[", "", "expected aL or a number, found `c`"),
        (
            "mov r0, c[0",
            "+1",
            "]",
            "c100000 does not exist: there are 256 float constants, c0 to c255",
        ),
        ("mov r0, r0", " _abs", "", "unknown instruction `_abs`"),
        ("mov r0, r0", ".x", "", "expected an instruction, found `.`"),
        ("mov r0, r0", ", r0", "", "`mov` takes 2 operands, not 100002"),
        ("", "/* ", "", "this comment has no end: expected `*/`"),
        ("ret\n", "label l0\n", "", "the subroutine l0 ends with `ret` before the next one"),
        ("ret\n", "label l0\ncall l0\nret\n", "", "`label l0` is defined twice"),
    ] {
        let source = nested(&format!("{header}{before}"), what, after, LARGEST);
        let found = on_a_small_stack(|| first_error(ctm_lang::ps::compile(&source, "deep.ps")));
        if found != message {
            wrong.push((before, what, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Each subroutine calls the next one, as many as there are labels.
    let labels = 2048;
    let chain: String = (0..labels)
        .map(|n| format!("label l{n}\ncall l{}\nret\n", (n + 1).min(labels - 1)))
        .collect();
    let source = format!("{header}call l0\nret\n{chain}");
    let found = on_a_small_stack(|| first_error(ctm_lang::ps::compile(&source, "chain.ps")));
    assert_eq!(found, "the program needs more than 512 instructions");
}

#[test]
fn jobs() {
    let header = "version = 1\n";
    for (before, what, after) in [
        ("a = ", "[", ""),
        ("a = ", "{a=", ""),
        ("a = ", "[{a=", ""),
        ("a", ".a", " = 1"),
        ("[a", ".a", "]"),
        ("[[a", ".a", "]]"),
        ("", "[a]\n", ""),
        ("", "[[a]]\n", ""),
        ("", "[", ""),
        ("constants = { float = ", "{ 0 = ", ""),
        ("[constants]\nfloat", ".0", " = [0, 0, 0, 0]"),
        ("[[pass]]\ninputs = ", "[", ""),
        ("a = ", "\"\"\"", ""),
    ] {
        let text = nested(&format!("{header}{before}"), what, after, usize::MAX);
        let error = on_a_small_stack(|| {
            Job::parse(&text, Path::new("deep.toml")).map(|_| ()).expect_err("no job").to_string()
        });
        assert!(error.starts_with("deep.toml:"), "{before:?}, {what:?}: {error}");
        // No error repeats all of it.
        assert!(error.len() < 1000, "{before:?}, {what:?}: {} bytes", error.len());
    }
}
