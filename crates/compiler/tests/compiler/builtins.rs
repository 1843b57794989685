//! Every built-in function and operator of both languages against tests/builtins, a table of what the languages' standards say.
//! The table is made from the standards alone.

use super::point::Shader;
use ctm_compiler::evaluate::{Environment, Evaluator};
use ctm_compiler::{Language, Options};
use ctm_testing::fits;
use std::collections::BTreeMap;

/// A line of the table.
struct Row {
    function: String,
    signature: String,
    arguments: Vec<Vec<String>>,
    /// The values that each component may have.
    expected: Vec<Vec<f32>>,
    tolerance: String,
}

/// The functions and signatures of a language that are known to be refused or outside the table's tolerance, with the reason:
/// gaps.tsv.
fn gaps(language: &str) -> Vec<(String, String)> {
    let file = ctm_testing::files::root().join("crates/compiler/tests/builtins/gaps.tsv");
    let text = std::fs::read_to_string(file).expect("the list");
    let of = |line: &str| match line.split('\t').collect::<Vec<_>>()[..] {
        [name, function, signature, _] if name == language => {
            Some((function.to_string(), signature.to_string()))
        }
        _ => None,
    };
    text.lines().filter_map(of).collect()
}

fn table(name: &str) -> Vec<Row> {
    let file = ctm_testing::files::root().join("crates/compiler/tests/builtins").join(name);
    let text = std::fs::read_to_string(file).expect("the table");
    let lines = text.lines().filter(|line| !line.starts_with("# "));
    lines.filter_map(row).collect()
}

fn row(line: &str) -> Option<Row> {
    let [function, signature, arguments, expected, tolerance, _] =
        line.split('\t').collect::<Vec<_>>().try_into().ok()?;
    let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
    let either = |word: &str| word.split('|').map(number).collect();
    Some(Row {
        function: function.to_string(),
        signature: signature.to_string(),
        arguments: arguments.split(" ; ").map(words).collect(),
        expected: words(&expected.replace(" ; ", " ")).iter().map(|word| either(word)).collect(),
        tolerance: tolerance.to_string(),
    })
}

fn number(word: &str) -> f32 {
    match word {
        "true" => 1.0,
        "false" => 0.0,
        word => word.parse().unwrap_or_else(|_| panic!("`{word}` is no number")),
    }
}

/// The columns and rows of a type.
fn shape(kind: &str) -> (usize, usize) {
    let digits: Vec<usize> = kind
        .trim_end_matches("<f32>")
        .chars()
        .skip_while(|letter| !matches!(letter, 'v' | 'm'))
        .filter_map(|letter| letter.to_digit(10).map(|digit| digit as usize))
        .collect();
    match (kind.contains("mat"), digits.as_slice()) {
        (true, [columns, rows]) => (*columns, *rows),
        (true, [size]) => (*size, *size),
        (false, [rows, ..]) => (1, *rows),
        _ => (1, 1),
    }
}

/// The components of a variable of a type, as floats.
fn components(name: &str, kind: &str, float: &str) -> Vec<String> {
    let part = |n: usize| match shape(kind) {
        (1, 1) => format!("{float}({name})"),
        (1, _) => format!("{float}({name}[{n}])"),
        (_, rows) => format!("{name}[{}][{}]", n / rows, n % rows),
    };
    let (columns, rows) = shape(kind);
    (0..columns * rows).map(part).collect()
}

/// The types of a signature: of the result, of the arguments.
fn types(signature: &str) -> (String, Vec<String>) {
    let (result, rest) = signature.split_once('(').expect("a signature");
    let arguments = rest.trim_end_matches(')').split(',');
    (result.to_string(), arguments.map(|kind| kind.trim().to_string()).collect())
}

/// A call of a function, or what an operator is between its operands.
fn call(function: &str, arguments: &[String]) -> String {
    let (name, member) = match function.split_once('.') {
        Some((name, member)) => (name, format!(".{member}")),
        None => (function, String::new()),
    };
    match arguments {
        [a, b, c] if name == "?:" => format!("{a} ? {b} : {c}"),
        _ if name.starts_with(|letter: char| letter.is_ascii_alphabetic()) => {
            format!("{name}({}){member}", arguments.join(", "))
        }
        [a] => format!("{name}{a}"),
        [a, b] => format!("{a} {name} {b}"),
        _ => panic!("{name} with {} operands", arguments.len()),
    }
}

/// The numbers in vectors of four.
fn vectors(parts: &[String], vector: &str) -> Vec<String> {
    let padded = |four: &[String]| {
        let zeros = std::iter::repeat_n("0.0".to_string(), 4 - four.len());
        let four: Vec<String> = four.iter().cloned().chain(zeros).collect();
        format!("{vector}({})", four.join(", "))
    };
    parts.chunks(4).map(padded).collect()
}

/// A shader of GLSL that computes a row's function: of uniforms `a0`, `a1`, or of the values.
fn glsl(row: &Row, literals: bool) -> String {
    let (result, kinds) = types(&row.signature);
    let (mut head, mut body, mut names) = ("#version 450\n".to_string(), String::new(), Vec::new());
    let mut parts = components("r", &result, "float");
    for (n, kind) in kinds.iter().enumerate() {
        if let Some(kind) = kind.strip_prefix("out ") {
            body += &format!("{kind} o; ");
            names.push("o".to_string());
            parts.extend(components("o", kind, "float"));
        } else if literals {
            names.push(format!("{kind}({})", row.arguments[n].join(", ")));
        } else {
            head += &format!("uniform {kind} a{n};\n");
            names.push(format!("a{n}"));
        }
    }
    body += &format!("{result} r = {};", call(&row.function, &names));
    for (n, vector) in vectors(&parts, "vec4").iter().enumerate() {
        head += &format!("layout(location = {n}) out vec4 c{n};\n");
        body += &format!(" c{n} = {vector};");
    }
    format!("{head}void main() {{ {body} }}\n")
}

/// The same of WGSL.
fn wgsl(row: &Row, literals: bool) -> String {
    let (result, kinds) = types(&row.signature);
    let (mut head, mut names) = (String::new(), Vec::new());
    for (n, kind) in kinds.iter().enumerate() {
        if literals {
            names.push(format!("{kind}({})", row.arguments[n].join(", ")));
            continue;
        }
        // A uniform is no boolean.
        let given = kind.replace("bool", "u32");
        head += &format!("@group(0) @binding({n}) var<uniform> a{n}: {given};\n");
        names.push(if given == *kind { format!("a{n}") } else { format!("{kind}(a{n})") });
    }
    let vectors = vectors(&components("r", &result, "f32"), "vec4f");
    let members: Vec<String> =
        (0..vectors.len()).map(|n| format!("@location({n}) c{n}: vec4f")).collect();
    format!(
        "{head}struct O {{ {} }}\n@fragment fn main() -> O {{ let r = {}; return O({}); }}\n",
        members.join(", "),
        call(&row.function, &names),
        vectors.join(", ")
    )
}

/// The values of a row for the evaluator.
struct Given<'r>(&'r Row);

impl Given<'_> {
    fn value(&self, name: &str, component: usize) -> f32 {
        let n: usize = name[1..].parse().expect("an argument");
        number(&self.0.arguments[n][component])
    }
}

impl Environment for Given<'_> {
    fn uniform(&self, name: &str, component: usize) -> u32 {
        self.value(name, component).to_bits()
    }
    fn varying(&self, _: &str, _: usize) -> u32 {
        0
    }
    fn size(&self, _: &str) -> [u32; 2] {
        [1, 1]
    }
    fn fetch(&self, _: &str, _: i32, _: i32) -> [u32; 4] {
        [0; 4]
    }
}

/// The error of a row's numbers, if any.
fn wrong(row: &Row, found: &[f32]) -> Option<String> {
    let fit = row
        .expected
        .iter()
        .zip(found)
        .all(|(expected, found)| fits(&row.tolerance, expected, *found));
    (!fit || row.expected.len() > found.len()).then(|| {
        let found = &found[..row.expected.len().min(found.len())];
        format!("{:?} gives {found:?}, not {:?} ({})", row.arguments, row.expected, row.tolerance)
    })
}

/// The problems of all rows of an overload.
fn problems(rows: &[Row], language: Language) -> Vec<String> {
    let source = |row: &Row, literals| match language {
        Language::Glsl => glsl(row, literals),
        _ => wgsl(row, literals),
    };
    let options = Options::default();
    let own = source(&rows[0], false);
    let mut problems = Vec::new();
    match Shader::new(&own, language, &options) {
        Ok(mut shader) => {
            for row in rows {
                let given = Given(row);
                let found = shader.run(&|name, component| given.value(name, component));
                let program = wrong(row, found.as_flattened()).map(|why| format!("program: {why}"));
                problems.extend(program);
            }
        }
        Err(why) => problems.push(format!("refused: {}", why.lines().next().unwrap_or_default())),
    }
    if let (Language::Glsl, Ok(evaluator)) = (language, Evaluator::new(&own, "test")) {
        for row in rows {
            let why = match evaluator.run(&Given(row)) {
                Ok(point) => {
                    let bits = point.outputs.iter().flat_map(|(_, numbers)| numbers);
                    let found: Vec<f32> = bits.map(|number| f32::from_bits(number.bits)).collect();
                    wrong(row, &found)
                }
                Err(why) => Some(why),
            };
            problems.extend(why.map(|why| format!("evaluator: {why}")));
        }
    }
    // What the front end computes itself. It may refuse.
    let sample = &rows[rows.len() / 2];
    if let Ok(mut shader) = Shader::new(&source(sample, true), language, &options) {
        let found = shader.run(&|_, _| 0.0);
        problems.extend(wrong(sample, found.as_flattened()).map(|why| format!("literals: {why}")));
    }
    problems
}

fn check(name: &str, language: Language) {
    let mut overloads: BTreeMap<(String, String), Vec<Row>> = BTreeMap::new();
    for row in table(&format!("{name}.tsv")) {
        overloads.entry((row.function.clone(), row.signature.clone())).or_default().push(row);
    }
    assert!(overloads.len() > 500, "{} overloads", overloads.len());
    let mut gaps = gaps(name);
    let mut wrong = Vec::new();
    for (overload, rows) in &overloads {
        let problems = problems(rows, language);
        let known = gaps.iter().position(|gap| gap == overload);
        match known.filter(|_| !problems.is_empty()) {
            Some(known) => drop(gaps.swap_remove(known)),
            None if problems.is_empty() => {}
            None => {
                let (function, signature) = overload;
                let first = problems.iter().take(3).cloned().collect::<Vec<_>>().join("\n    ");
                wrong.push(format!(
                    "{function}\t{signature}\t{}/{}\n    {first}",
                    problems.len(),
                    rows.len()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} overloads:\n{}", wrong.len(), wrong.join("\n"));
    assert!(gaps.is_empty(), "these are right: {gaps:?}");
}

#[test]
fn functions_of_glsl_give_what_the_standard_says() {
    check("glsl", Language::Glsl);
}

#[test]
fn functions_of_wgsl_give_what_the_standard_says() {
    check("wgsl", Language::Wgsl);
}

/// The machine has no functions on bits. `~` of an int is -1 - x, which it has.
#[test]
fn functions_on_bits_are_refused() {
    let file = ctm_testing::files::root().join("crates/compiler/tests/builtins/refused.tsv");
    let text = std::fs::read_to_string(file).expect("the table");
    let mut count = 0;
    for line in text.lines().filter(|line| !line.starts_with("# ")) {
        let [language, function, signature] =
            line.split('\t').collect::<Vec<_>>().try_into().expect("three columns");
        let row = Row {
            function: function.to_string(),
            signature: signature.to_string(),
            arguments: Vec::new(),
            expected: Vec::new(),
            tolerance: String::new(),
        };
        let (source, language) = match language {
            "glsl" => (glsl(&row, false), Language::Glsl),
            _ => (wgsl(&row, false), Language::Wgsl),
        };
        let refused = Shader::new(&source, language, &Options::default());
        let why = refused.map(|_| ()).expect_err(&source);
        let reads_bits = function.starts_with("bitcast") || function.contains("BitsTo");
        assert_eq!(why.contains("the machine cannot read the bits of "), reads_bits, "{why}");
        count += 1;
    }
    assert!(count > 100, "{count}");
}
