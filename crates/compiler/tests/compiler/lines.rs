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
