//! Every built-in function, operator and constructor on constants, against the table of the compiler's tests that says what
//! the specifications say: values, and the first versions.

use crate::ast::{Binary, Unary};
use crate::builtins::Builtins;
use crate::constant::{self, Value};
use crate::types::{Scalar, Type, named};
use crate::version::Version;
use crate::{constructors, operators};
use ctm_base::stop::Stop;
use ctm_base::text::Span;
use ctm_base::work::Work;
use ctm_testing::fits;

struct Row<'t> {
    function: &'t str,
    result: Type,
    /// The types of the arguments; those that are `out` are true.
    parameters: Vec<(Type, bool)>,
    arguments: Vec<Value>,
    expected: Vec<Vec<f32>>,
    tolerance: &'t str,
    since: &'t str,
}

fn version(number: u16, es: bool) -> Version {
    Version { number, es, guessed: false, toy: false }
}

fn number(word: &str) -> f32 {
    match word {
        "true" => 1.0,
        "false" => 0.0,
        word => word.parse().unwrap_or_else(|_| panic!("`{word}` is no number")),
    }
}

fn value(ty: &Type, text: &str) -> Value {
    let scalar = ty.scalar().expect("a numeric type");
    let parts: Vec<Value> = text
        .split_whitespace()
        .map(|word| match scalar {
            Scalar::Float => Value::float(number(word)),
            Scalar::Bool => Value::bool(number(word) != 0.0),
            Scalar::Int => Value::scalar(scalar, word.parse::<i32>().expect("an int") as u32),
            Scalar::Uint => Value::scalar(scalar, word.parse().expect("a uint")),
        })
        .collect();
    let types: Vec<Type> = parts.iter().map(|part| part.ty.clone()).collect();
    let made = constructors::construct(version(330, false), Span::default(), ty, &types);
    constant::construct(&made.expect("a constructor"), &parts).expect("a constant")
}

fn row(line: &str) -> Row<'_> {
    let [function, signature, arguments, expected, tolerance, since]: [&str; 6] =
        line.split('\t').collect::<Vec<_>>().try_into().expect("six columns");
    let (result, rest) = signature.split_once('(').expect("a signature");
    let parameter = |word: &str| {
        let word = word.trim();
        let name = word.strip_prefix("out ").unwrap_or(word);
        (named(name).expect("a type"), name != word)
    };
    let parameters: Vec<(Type, bool)> =
        rest.trim_end_matches(')').split(',').map(parameter).collect();
    let given = parameters.iter().filter(|(_, out)| !out).map(|(ty, _)| ty);
    Row {
        function,
        result: named(result).expect("a type"),
        arguments: given.zip(arguments.split(" ; ")).map(|(ty, text)| value(ty, text)).collect(),
        parameters,
        expected: expected
            .replace(" ; ", " ")
            .split_whitespace()
            .map(|word| word.split('|').map(number).collect())
            .collect(),
        tolerance,
        since,
    }
}

fn binary_operator(name: &str) -> Option<Binary> {
    Some(match name {
        "*" => Binary::Multiply,
        "/" => Binary::Divide,
        "%" => Binary::Modulo,
        "+" => Binary::Add,
        "-" => Binary::Subtract,
        "<" => Binary::Less,
        ">" => Binary::Greater,
        "<=" => Binary::LessEqual,
        ">=" => Binary::GreaterEqual,
        "==" => Binary::Equal,
        "!=" => Binary::NotEqual,
        "&&" => Binary::LogicalAnd,
        "||" => Binary::LogicalOr,
        "^^" => Binary::LogicalXor,
        "&" => Binary::And,
        "|" => Binary::Or,
        "^" => Binary::ExclusiveOr,
        "<<" => Binary::ShiftLeft,
        ">>" => Binary::ShiftRight,
        _ => return None,
    })
}

/// The value of a row's function on its arguments, and that of its `out` argument.
fn evaluate(row: &Row) -> (Value, Option<Value>) {
    let (last, span) = (version(460, false), Span::default());
    let mut types: Vec<Type> = row.parameters.iter().map(|(ty, _)| ty.clone()).collect();
    let values = &row.arguments;
    let converted = |operands: &[Type]| -> Vec<Value> {
        values
            .iter()
            .zip(operands)
            .map(|(value, ty)| value.convert(ty).expect("a conversion"))
            .collect()
    };
    if row.function == "?:" {
        let typed = operators::select(last, span, &types[0], &types[1], &types[2]).expect("types");
        assert_eq!(typed.result, row.result);
        return (values[if values[0].as_bool() == Some(true) { 1 } else { 2 }].clone(), None);
    }
    if let ("+" | "-" | "!", [operand]) = (row.function, types.as_slice()) {
        let op = match row.function {
            "+" => Unary::Plus,
            "-" => Unary::Minus,
            _ => Unary::Not,
        };
        let typed = operators::unary(op, span, operand).expect("types");
        assert_eq!(typed.result, row.result);
        return (constant::unary(op, &values[0]).expect("a constant"), None);
    }
    if let Some(op) = binary_operator(row.function) {
        let typed = operators::binary(last, op, span, &types[0], &types[1]).expect("types");
        assert_eq!(typed.result, row.result);
        let sides = converted(&typed.operands);
        return (
            constant::binary(op, &sides[0], &sides[1], &typed.result).expect("a constant"),
            None,
        );
    }
    if let Some(ty) = named(row.function) {
        let made = constructors::construct(last, span, &ty, &types).expect("a constructor");
        return (constant::construct(&made, values).expect("a constant"), None);
    }
    types.truncate(row.parameters.len());
    let call =
        Builtins::new(last, Vec::new()).call(row.function, span, &types).expect("a function");
    assert_eq!(call.result, row.result);
    let builtin = call.builtin.expect("no argument has an error");
    constant::call(builtin.meaning, values, &call.result).expect("a constant")
}

fn table() -> String {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../compiler/tests/builtins/glsl.tsv");
    std::fs::read_to_string(file).expect("the table")
}

#[test]
fn functions_of_constants_give_what_the_standard_says() {
    let text = table();
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in text.lines().filter(|line| line.contains('\t')) {
        let row = row(line);
        let (value, out) = evaluate(&row);
        let floats = |value: &Value| -> Vec<f32> {
            let ty = value.ty.clone();
            let float = |bits: &u32| match ty.scalar() {
                Some(Scalar::Float) => f32::from_bits(*bits),
                Some(Scalar::Int) => *bits as i32 as f32,
                _ => *bits as f32,
            };
            value.scalars().iter().map(float).collect()
        };
        let found: Vec<f32> =
            floats(&value).into_iter().chain(out.iter().flat_map(floats)).collect();
        let right = found.len() == row.expected.len()
            && found
                .iter()
                .zip(&row.expected)
                .all(|(found, wanted)| fits(row.tolerance, wanted, *found));
        if !right {
            wrong.push(format!("{line}: {found:?}"));
        }
        count += 1;
    }
    assert!(count > 2900, "{count} rows");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The table's last column has the first version of each family with a function.
#[test]
fn functions_begin_with_the_versions_of_the_standard() {
    let text = table();
    let mut wrong = Vec::new();
    for line in text.lines().filter(|line| line.contains('\t')) {
        let row = row(line);
        if named(row.function).is_some()
            || !row.function.starts_with(|letter: char| letter.is_ascii_alphabetic())
        {
            continue;
        }
        let types: Vec<Type> = row.parameters.iter().map(|(ty, _)| ty.clone()).collect();
        // Exactly these types: no conversion to others.
        let has = |number: u16, es: bool| {
            let mut builtins = Builtins::new(version(number, es), Vec::new());
            let own = builtins.candidates(row.function);
            own.iter().any(|one| {
                one.signature.parameters.iter().map(|parameter| &parameter.ty).eq(&types)
            })
        };
        for part in row.since.split("; ") {
            let (es, words) = match part.strip_prefix("ES ") {
                Some(words) => (true, words),
                None => (false, part.strip_prefix("GLSL ").expect("a version")),
            };
            let first = words.split(' ').next().expect("a version").replace('.', "");
            let first: u16 = first.parse().expect("a number");
            let versions: &[u16] = if es {
                &[100, 300, 310, 320]
            } else {
                &[120, 130, 140, 150, 330, 400, 410, 420, 450, 460]
            };
            let wanted = |number: u16| number >= first;
            if let Some(number) =
                versions.iter().find(|number| has(**number, es) != wanted(**number))
            {
                wrong.push(format!("{} of {number}, not {part}: {line}", row.function));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// On the stack of a test's thread: 2 MiB.
#[test]
fn long_chains_of_else_if_are_no_nesting() {
    let chain = |count: u32| {
        let arms = (1..count).map(|n| format!("else if (u == {n}.0) y = {n}.0;\n"));
        format!(
            "#version 330\nuniform float u;\nout vec4 color;\nvoid main() {{\nfloat y = 0.0;\n\
             if (u == 0.0) y = 1.0;\n{}color = vec4(y);\n}}\n",
            arms.collect::<String>()
        )
    };
    let work = Work::new(Stop::never());
    assert!(crate::module(&chain(1000), &work).is_ok());
    let errors = crate::module(&chain(1001), &work).expect_err("too long");
    assert_eq!(errors[0].message, "more than 1000 `else if` in a row");
}
