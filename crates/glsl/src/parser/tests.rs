//! Trees of sources, errors and what is read after them.

use super::{LIMIT, parse};
use crate::ast::{Expression, ExpressionKind, Item, Shader, StatementKind};
use crate::found::Found;
use ctm_base::stop::Stop;
use ctm_base::text::Diagnostic;
use ctm_base::work::Work;

/// The tree, errors and warnings.
fn read(source: &str) -> (Shader, [Vec<Diagnostic>; 2]) {
    let work = Work::new(Stop::never());
    let mut found = Found::new(&work);
    let shader = parse(source, &mut found);
    (shader, [found.errors, found.warnings])
}

/// The errors of a source with their lines.
fn errors(source: &str) -> Vec<String> {
    let [errors, _] = read(source).1;
    let line = |at: usize| source[..at].matches('\n').count() + 1;
    errors.iter().map(|error| format!("{}: {}", line(error.span.start), error.message)).collect()
}

/// An expression with all of its brackets.
fn shown(expression: &Expression) -> String {
    let list = |list: &[Expression]| list.iter().map(shown).collect::<Vec<_>>().join(", ");
    match &expression.kind {
        ExpressionKind::Name(name) => name.clone(),
        ExpressionKind::Int(value) => value.to_string(),
        ExpressionKind::Uint(value) => format!("{value}u"),
        ExpressionKind::Float(value) => format!("{value:?}"),
        ExpressionKind::Bool(value) => value.to_string(),
        ExpressionKind::Bracketed(inner) => shown(inner),
        ExpressionKind::Call(name, arguments) => format!("{}({})", name.text, list(arguments)),
        ExpressionKind::Construct(_, arguments) => format!("[]({})", list(arguments)),
        ExpressionKind::Method(base, name, arguments) => {
            format!("{}.{}({})", shown(base), name.text, list(arguments))
        }
        ExpressionKind::List(values) => format!("{{{}}}", list(values)),
        ExpressionKind::Member(base, name) => format!("{}.{}", shown(base), name.text),
        ExpressionKind::Index(base, index) => format!("{}[{}]", shown(base), shown(index)),
        ExpressionKind::Unary(op, operand) => format!("({op:?} {})", shown(operand)),
        ExpressionKind::Binary(first, rest) => {
            let rest = rest.iter().map(|(op, _, right)| format!(" {op:?} {}", shown(right)));
            format!("({}{})", shown(first), rest.collect::<String>())
        }
        ExpressionKind::Assign(op, _, target, value) => {
            format!("({} = {op:?} {})", shown(target), shown(value))
        }
        ExpressionKind::Select(condition, accept, reject) => {
            format!("({} ? {} : {})", shown(condition), shown(accept), shown(reject))
        }
        ExpressionKind::Sequence(first, second) => {
            format!("({}, {})", shown(first), shown(second))
        }
        ExpressionKind::Wrong => "?".to_string(),
    }
}

/// The statements of `main` in a source of version 3.30.
fn statements(body: &str) -> Vec<StatementKind> {
    let (shader, [errors, _]) = read(&format!("#version 330\nvoid main() {{ {body} }}"));
    assert_eq!(errors, [], "{body}");
    let Some(Item::Function(main)) = shader.items.into_iter().next() else { panic!("no main") };
    let body = main.body.expect("a body");
    body.statements.into_iter().map(|statement| statement.kind).collect()
}

#[test]
fn operators_bind_by_their_precedence() {
    for (source, expected) in [
        ("a + b * c - d", "(a Add (b Multiply c) Subtract d)"),
        ("a - b - c", "(a Subtract b Subtract c)"),
        ("a < b == c < d", "((a Less b) Equal (c Less d))"),
        ("a || b && c ^^ d", "(a LogicalOr ((b LogicalAnd c) LogicalXor d))"),
        ("a | b ^ c & d << 1", "(a Or (b ExclusiveOr (c And (d ShiftLeft 1))))"),
        ("a = b += c", "(a = None (b = Some(Add) c))"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("a ? b, c : d = e", "(a ? (b, c) : (d = None e))"),
        ("-a.x++ * !b[1]", "((Minus (IncrementAfter a.x)) Multiply (Not b[1]))"),
        ("(a + b) + c", "((a Add b) Add c)"),
        ("a + (b + c)", "(a Add (b Add c))"),
        ("f(a, (b, c)).x", "f(a, (b, c)).x"),
        ("float[2](1.0, 2.0)[0]", "[](1.0, 2.0)[0]"),
        ("S[2](a, b).length()", "[](a, b).length()"),
        ("1.0f + .5e1 + 0x1Fu + 017", "(1.0 Add 5.0 Add 31u Add 15)"),
    ] {
        match statements(&format!("{source};")).first() {
            Some(StatementKind::Expression(value)) => {
                assert_eq!(shown(value), expected, "{source}")
            }
            other => panic!("{source}: {other:?}"),
        }
    }
}

#[test]
fn declarations_and_expressions_are_told_apart_without_knowing_names() {
    let declares = |source: &str| match statements(source).first() {
        Some(StatementKind::Declaration(_)) => true,
        Some(StatementKind::Expression(_)) => false,
        other => panic!("{source}: {other:?}"),
    };
    for source in ["S a;", "S[2] a;", "float[2] a = b;", "const int a = 1;", "struct { int a; } b;"]
    {
        assert!(declares(source), "{source}");
    }
    for source in ["a;", "a[2] = b;", "S[2](a, b);", "vec3(1.0);", "f(a);", "a.b = c;", "a * b;"] {
        assert!(!declares(source), "{source}");
    }
    assert!(matches!(statements("float f(float);").first(), Some(StatementKind::Function(_))));
}

#[test]
fn one_mistake_is_one_error_and_the_rest_is_read() {
    for (body, expected) in [
        ("float a = 1.0\nfloat b;", vec!["2: expected `;` after a declaration"]),
        (
            "a b c;\nd = ;",
            vec![
                "2: expected `;` after a declaration, found `c`",
                "3: expected an expression, found `;`",
            ],
        ),
        (
            "if (a { b = 1; } else { c = 2; }",
            vec!["2: expected `)` after the condition of `if`, found `{`"],
        ),
        ("if (a +) b = 1; else c = 2;", vec!["2: expected an expression, found `)`"]),
        (
            "for (int i = 0 i < 3; i++) { b = 1; }",
            vec!["2: expected `;` after a declaration, found `i`"],
        ),
        (
            "a = max(1, min(2, 3);\nb = 1;\nc = f(1));",
            vec![
                "2: expected `)` after the arguments of a function, found `;`",
                "4: expected `;` after this expression, found `)`",
            ],
        ),
        ("else a = 1;", vec!["2: this `else` has no `if`"]),
        ("float vec2 = 1.0;", vec!["2: the type `vec2` cannot be a name"]),
        ("float input;", vec!["2: `input` is a reserved word of GLSL 3.30, it cannot be a name"]),
        ("float if;", vec!["2: expected the name of a variable, found the keyword `if`"]),
        (
            "int a = 08;",
            vec!["2: `08` begins with 0, so it is octal, and `8` is not an octal digit"],
        ),
        ("int a = 4294967296;", vec!["2: `4294967296` needs more than 32 bits"]),
        ("float a = 1.0e;", vec!["2: `1.0e` is not a number"]),
        ("float a = 1f;", vec!["2: `1f` is not a number of the language"]),
        ("float a = {1.0};", vec!["2: GLSL 3.30 has no lists of initial values"]),
        ("switch (a) { case 1\n break; }", vec!["2: expected `:` after the value of `case`"]),
    ] {
        assert_eq!(
            errors(&format!("#version 330\nvoid main() {{ {body} }}\n")),
            expected,
            "{body}"
        );
    }
    for (source, expected) in [
        ("void main() {\n if (a) {\n", vec!["2: this `{` has no `}`"]),
        (
            "void main() {\n } }\nfloat a b;",
            vec!["2: this `}` closes no `{`", "3: expected `;` after a declaration, found `b`"],
        ),
        (
            "struct S { float a float b; };\nvoid f(float a { }\nint c;",
            vec![
                "1: expected `;` after a member, found `float`",
                "2: expected `)` after the parameters of a function, found `{`",
            ],
        ),
    ] {
        assert_eq!(errors(source), expected, "{source}");
    }
}

#[test]
fn words_and_operators_of_other_versions_are_errors_or_by_a_guess_warnings() {
    let count = |source: &str| {
        let [errors, warnings] = read(source).1;
        (errors.len(), warnings.len())
    };
    for text in [
        "void main() { int a = 1 % 2; }",
        "void main() { switch (1) { default: break; } }",
        "layout(location = 0) varying vec4 c;",
        "uniform B { vec4 c; };",
        "flat varying vec3 v;",
        "void main() { float[2] a; }",
        "void main() { float a = 1.0f; }",
        "void main() { a.length(); }",
    ] {
        assert_eq!(count(text), (0, 1), "{text}");
        assert_eq!(count(&format!("#version 110\n{text}")), (1, 0), "{text}");
    }
    for text in ["float layout, flat, sample, smooth, uint;", "struct sample { int a; }; sample s;"]
    {
        assert_eq!(count(&format!("#version 110\n{text}")), (0, 0), "{text}");
    }
}

#[test]
fn what_nests_deeply_is_an_error_and_what_is_long_is_not() {
    let nested = |n: usize| {
        let (open, close) = ("(".repeat(n), ")".repeat(n));
        let calls = "f(".repeat(n);
        let blocks = ("{".repeat(n), "}".repeat(n));
        let (indices, ends) = ("a[".repeat(n), "]".repeat(n));
        [
            format!("x = {open}1{close};"),
            format!("x = {calls}1{close};"),
            format!("x = {indices}1{ends};"),
            format!("x = {}1;", "- ".repeat(n)),
            format!("x = {}1;", "a ? b : ".repeat(n)),
            format!("x = a{};", "[1]".repeat(n)),
            format!("{}{}", blocks.0, blocks.1),
            format!("{};", "if (a) ".repeat(n)),
            format!("{};", "for (;;) ".repeat(n)),
            format!("float y{};", "[1]".repeat(n)),
            format!("{} int a; {}", "struct S {".repeat(n), "} a;".repeat(n)),
        ]
    };
    let main = |body: &str| errors(&format!("#version 330\nvoid main() {{ {body} }}"));
    for body in nested(LIMIT / 2 - 8) {
        assert_eq!(main(&body), [""; 0], "{}", &body[..40]);
    }
    for body in nested(20_000) {
        let found = main(&body);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("nested more than 256 levels deep"), "{found:?}");
    }
    let sum = "a + ".repeat(10_000);
    assert_eq!(main(&format!("x = {sum} 1;")), [""; 0]);
}
