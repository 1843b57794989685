//! The lines of instructions.

use ctm_compiler::{Compiled, Language, Options, compile};
use ctm_testing::files;

fn compiled(source: &str, name: &str) -> Compiled {
    let language = if name.ends_with(".wgsl") { Language::Wgsl } else { Language::Glsl };
    let compiled = compile(source, name, language, &Options::default());
    compiled.unwrap_or_else(|errors| panic!("{errors}"))
}

/// The lines of each instruction that are not those of a statement: declarations of inputs and outputs, comments, brackets.
fn strays(source: &str, compiled: &Compiled) -> Vec<String> {
    const DECLARATIONS: [&str; 10] = [
        "uniform ",
        "varying ",
        "in ",
        "out ",
        "precision ",
        "#",
        "//",
        "layout",
        "@group",
        "struct ",
    ];
    let mut found = Vec::new();
    for (n, lines) in compiled.explanation.lines.iter().enumerate() {
        if lines.is_empty() {
            found.push(format!("instruction {n} has no line"));
        }
        for line in lines {
            let text = source.lines().nth(line - 1).unwrap_or_default().trim();
            let declares = DECLARATIONS.iter().any(|word| text.starts_with(word));
            if declares || !text.contains(|c: char| c.is_alphanumeric()) {
                found.push(format!("instruction {n}, line {line}: {text}"));
            }
        }
    }
    found
}

#[test]
fn instructions_of_kernels_belong_to_statements() {
    let mut kernels = 0;
    for folder in ["glsl", "matmul", "nbody", "reduce", "saxpy", "scatter", "sobel", "jacobi"] {
        let folder = files::root().join("kernels").join(folder);
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.to_string_lossy().into_owned();
            if name.ends_with(".frag") || name.ends_with(".wgsl") {
                let source = std::fs::read_to_string(&path).expect("a source");
                let strays = strays(&source, &compiled(&source, &name));
                assert!(strays.is_empty(), "{name}:\n{}", strays.join("\n"));
                kernels += 1;
            }
        }
    }
    assert!(kernels > 25, "{kernels}");
}

/// The lines of all instructions, in their order.
fn lines(source: &str, name: &str) -> Vec<Vec<usize>> {
    compiled(source, name).explanation.lines
}

#[test]
fn numbers_belong_to_the_statement_that_stores_them() {
    // A uniform, a literal and a varying, with no operation of their own.
    let source = "uniform float gain;
varying vec2 v;
void main() {
    float a = gain;
    float b = 1.0;
    gl_FragColor = vec4(a, b, v);
}";
    assert!(
        lines(source, "x.frag").iter().all(|lines| *lines == [6]),
        "{:?}",
        lines(source, "x.frag")
    );
    let source = "@group(0) @binding(0) var<uniform> gain: f32;
@fragment
fn main(@location(0) v: vec2f) -> @location(0) vec4f {
    return vec4f(gain, 1.0, v);
}";
    assert!(
        lines(source, "x.wgsl").iter().all(|lines| *lines == [4]),
        "{:?}",
        lines(source, "x.wgsl")
    );
}

#[test]
fn an_instruction_that_stores_its_result_has_both_lines() {
    let source = "varying vec2 v;
void main() {
    float d = dot(v, v);
    gl_FragColor = vec4(d);
}";
    assert_eq!(lines(source, "x.frag"), [[3, 4]]);
}

#[test]
fn a_loop_starts_with_the_line_that_has_it() {
    let source = "varying vec2 v;
uniform float start;
void main() {
    float sum = start;
    for (int i = 0; i < 101; i++)
        sum += fract(v.x * sum);
    if (sum > 3.0)
        discard;
    gl_FragColor = vec4(sum);
}";
    let lines = lines(source, "x.frag");
    assert!(lines.iter().flatten().all(|line| (4..=9).contains(line)), "{lines:?}");
    assert!(lines.iter().any(|lines| lines.contains(&7) || lines.contains(&8)), "{lines:?}");
}

/// Words of a line, and its other signs.
fn has(line: &str, part: &str) -> bool {
    if part.chars().all(|c| c.is_alphanumeric() || c == '_') {
        line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == part)
    } else {
        line.contains(part)
    }
}

/// The operators and functions of GLSL that become an operation of the machine.
fn sources(operation: &str) -> &'static [&'static str] {
    match operation.trim_end_matches(|c: char| !c.is_alphabetic()) {
        "mad" | "mul" | "add" | "sub" | "dp" => &[
            "+",
            "-",
            "*",
            "/",
            "%",
            "<",
            ">",
            "==",
            "!=",
            "?",
            "ivec2",
            "abs",
            "atan",
            "ceil",
            "clamp",
            "cos",
            "cross",
            "distance",
            "dot",
            "exp",
            "floor",
            "fwidth",
            "int",
            "length",
            "log",
            "mix",
            "mod",
            "normalize",
            "pow",
            "reflect",
            "refract",
            "sin",
            "smoothstep",
            "sqrt",
            "step",
            "texture2D",
        ],
        "cmp" => &[
            "<", ">", "==", "!=", "?", "!", "if", "ivec2", "switch", "break", "return", "discard",
            "%", "int", "abs", "atan", "sign", "step", "min", "max", "mod", "&&", "||",
        ],
        "max" | "min" => &["min", "max", "clamp", "abs", "atan", "smoothstep", "mix"],
        "frc" => &[
            "fract",
            "ivec2",
            "texture2D",
            "floor",
            "ceil",
            "mod",
            "%",
            "int",
            "round",
            "sin",
            "cos",
            "tan",
        ],
        "rcp" => {
            &["/", "normalize", "atan", "mod", "%", "pow", "sqrt", "smoothstep", "tan", "length"]
        }
        "rsq" => &["inversesqrt", "sqrt", "length", "distance", "normalize", "refract"],
        "ex" => &["exp", "exp2", "pow"],
        "ln" => &["log", "log2", "pow"],
        "sin" | "cos" => &["sin", "cos", "tan"],
        "mdh" | "mdv" => &["dFdx", "dFdy", "fwidth"],
        "ld" | "proj" => &["texture2D", "texture", "texelFetch", "texture2DProj"],
        "TEX" => &["discard"],
        "jump" | "loop" | "rep" | "endloop" | "endrep" => &[
            "if", "else", "for", "while", "do", "break", "return", "?", "&&", "||", "discard",
            "switch",
        ],
        _ => &[],
    }
}

/// Each line of an instruction has an operator or a function that became one of its operations, the name of an output that
/// it writes, or a store of its result; of those that compute, one has an operator.
#[test]
fn lines_of_kernels_hold_what_their_instructions_compute() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for entry in std::fs::read_dir(files::root().join("kernels/glsl")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "frag") {
            continue;
        }
        let name = path.to_string_lossy().into_owned();
        let source = std::fs::read_to_string(&path).expect("a source");
        let compiled = compiled(&source, &name);
        let image = &compiled.image;
        for (pc, words) in image.words.iter().enumerate() {
            let text = ctm_lang::asm::line(words, None);
            let parts: Vec<&str> = text.split(" | ").collect();
            let operations =
                parts.iter().filter_map(|part| part.split([' ', '.', '/', '*']).next());
            let wanted: Vec<&str> = operations.flat_map(sources).copied().collect();
            assert!(!wanted.is_empty(), "{name} {pc}: {text}");
            let outputs = image.output_names.iter().filter(|output| {
                text.contains(&format!("o{}.", output.slot))
                    || text.contains(&format!("o{},", output.slot))
            });
            let outputs: Vec<&str> = outputs.map(|output| &*output.name).collect();
            let copies = parts.iter().all(|part| part.contains(", 1, 0") || part.contains("._11_"));
            let mut computes = false;
            for location in image.locations(pc as u32) {
                let line = source.lines().nth(location.line as usize - 1).unwrap_or_default();
                let line = line.split("//").next().unwrap_or_default();
                let operator = wanted.iter().any(|part| has(line, part));
                let stores = line.contains('=') || has(line, "return");
                let output = outputs.iter().any(|output| has(line, output));
                if !(operator || output || stores) {
                    wrong.push(format!("{name} {pc}: {text}\n{line}"));
                }
                computes |= operator;
            }
            let stores =
                copies || !outputs.is_empty() || text.contains(".00") || text.contains("1, 0");
            if !computes && !stores {
                wrong.push(format!("{name} {pc}: {text}"));
            }
            checked += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 400, "{checked}");
}

#[test]
fn statements_that_share_an_operation_all_have_it() {
    let source = "varying vec4 v;
void main() {
    float a = v.x * v.y;
    float b = fract(a);
    float c = v.x * v.y;
    gl_FragColor = vec4(b, c, v.zw);
}";
    let lines = lines(source, "x.frag");
    assert_eq!(lines[0], [3, 5, 6], "{lines:?}");
}

#[test]
fn a_copy_before_a_loop_has_the_line_of_its_store() {
    let source = "varying vec2 v;
uniform float start;
uniform float other;
void main() {
    float sum = start;
    float also = start;
    if (v.x < 0.0)
        also = other;
    for (int i = 0; i < 101; i++) {
        sum += fract(v.x * sum);
        also = fract(also * sum);
    }
    gl_FragColor = vec4(sum, also, sum, also);
}";
    let lines = lines(source, "x.frag");
    let start = lines.iter().position(|lines| *lines == [9]).expect("the loop");
    assert!(lines[..start].iter().flatten().all(|line| (5..=8).contains(line)), "{lines:?}");
}

#[test]
fn a_choice_of_results_belongs_to_the_return() {
    let source = "varying vec2 v;
uniform float a;
uniform float b;
float f(float x) {
    if (x < 0.5)
        return a;
    return b;
}
void main() {
    gl_FragColor = vec4(f(v.x));
}";
    let lines = lines(source, "x.frag");
    assert!(lines.iter().flatten().any(|line| *line == 6), "{lines:?}");
    assert!(lines.iter().flatten().all(|line| [5, 6, 10].contains(line)), "{lines:?}");
}

/// Constants of several statements in one, and the sign of another statement, belong to all of them.
#[test]
fn what_rules_fold_belongs_to_its_statements() {
    let main = |body: &str| format!("uniform float x;\nuniform float y;\nvoid main() {{\n{body}}}");
    for (body, expected) in [
        ("float c = 0.5 * x;\nfloat d = y - c;\ngl_FragColor = vec4(d);\n", vec![4, 5, 6]),
        ("float c = x * 3.0;\nfloat d = c * 7.1;\ngl_FragColor = vec4(d);\n", vec![4, 5, 6]),
        ("float c = x + 3.0;\nfloat d = c + 7.1;\ngl_FragColor = vec4(d);\n", vec![4, 5, 6]),
        ("float c = abs(x);\ngl_FragColor = vec4(clamp(c * 4.0 + 1.5, 0.0, 1.0));\n", vec![4, 5]),
    ] {
        assert_eq!(lines(&main(body), "x.frag"), [expected], "{body}");
    }
}

/// Of a dot product that is made of sums, only those with a sign have its statement.
#[test]
fn a_sign_belongs_to_its_part_of_a_dot_product() {
    let source = "uniform vec3 a;
varying vec3 b;
void main() {
    vec3 c = vec3(b.x, b.y, -b.z);
    float d = dot(a, c);
    gl_FragColor = vec4(d);
}";
    let found = lines(source, "x.frag");
    let signs = found.iter().filter(|lines| lines.contains(&4)).count();
    assert_eq!(signs, 1, "{found:?}");
}
