//! A source as deep as it is taken needs no more than an ordinary stack; what is deeper is refused with its line.

use ctm_compiler::{Language, Options, compile};

/// WGSL of many levels, by what each has. Numbers are the most of each that are taken.
fn deep(n: usize) -> Vec<(usize, String)> {
    let around = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(n), close.repeat(n))
    };
    let bodies = [
        (120, format!("c = {};", around("(", "u", ")"))),
        (120, format!("c = {};", around("f(", "u", ")"))),
        (75, format!("c = {};", around("vec2<f32>(", "u", ").x"))),
        (80, format!("var a: array<i32, 2>; c = f32({});", around("a[", "0", "]"))),
        (900, format!("c = {};", around("- ", "u", ""))),
        (400, format!("c = {};", around("1.0 * u + ", "u", ""))),
        (100, format!("c = {};", around("u + (", "u", ")"))),
        (900, format!("const b = {};", around("1.0 + ", "1.0", ""))),
        (120, format!("const b = {};", around("abs(", "1.0", ")"))),
        (300, format!("c = u{};", around("", "", ".x"))),
        (120, around("{", "c = u;", "}")),
        (120, around("if (u > 1.0) {", "c = u;", "}")),
        (80, around("if (u > 1.0) { c = 1.0; } else {", "c = u;", "}")),
        (240, format!("if (u < 0.0) {{}} {}", around("else if (u > 1.0) { c = 1.0; }", "", ""))),
        (120, around("for (var i = 0; i < 2; i++) {", "c = u;", "}")),
        (120, around("while (u > c) {", "c += 1.0;", "}")),
        (120, around("loop {", "c = u;", "break; }")),
        (60, around("switch (i32(u)) { case 1: {", "c = u;", "} default: {} }")),
        (450, format!("c = {};", around("*&", "c", ""))),
        (100, format!("var a: {};", around("array<", "f32", ",1>"))),
    ];
    let head = "fn f(x: f32) -> f32 { return x; } @group(0) @binding(0) var<uniform> u: f32;";
    let main = "@fragment fn main() -> @location(0) vec4<f32> { var c = u;";
    let sources = bodies
        .into_iter()
        .map(|(most, body)| (most, format!("{head}\n{main}\n{body}\nreturn vec4<f32>(c); }}")));
    let next = |item: &dyn Fn(usize) -> String| (0..n).map(item).collect::<String>();
    let calls = next(&|n| format!("fn g{n}(x: f32) -> f32 {{ return g{}(x); }}\n", n + 1));
    let constants = next(&|n| format!("const k{n} = k{};\n", n + 1));
    let last = [
        (
            250,
            format!(
                "{calls} fn g{n}(x: f32) -> f32 {{ return x; }} {main} c = g0(u); return vec4<f32>(c); }} @group(0) @binding(0) var<uniform> u: f32;"
            ),
        ),
        (
            1900,
            format!(
                "{constants} const k{n} = 1.0; {main} c = k0; return vec4<f32>(c); }} @group(0) @binding(0) var<uniform> u: f32;"
            ),
        ),
    ];
    sources.chain(last).collect()
}

/// The line and the words of the first error, on a stack of 2 MiB.
fn error_of(source: String, language: Language) -> Option<(usize, String)> {
    let work = move || {
        let done = compile(&source, "deep", language, &Options::default());
        done.err().map(|errors| (errors.errors()[0].line, errors.errors()[0].message.clone()))
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work);
    thread.expect("a thread").join().expect("no panic")
}

#[test]
fn deep_wgsl_needs_an_ordinary_stack() {
    for n in 0..deep(1).len() {
        let most = deep(1)[n].0;
        let (_, source) = deep(most).swap_remove(n);
        let start: String = source.chars().skip(140).take(60).collect();
        // It may be too large for the machine, but is not too deep.
        let (_, error) = error_of(source, Language::Wgsl).unwrap_or_default();
        assert!(!error.contains("nest") && !error.contains("declarations"), "{start}: {error}");
        let (_, source) = deep(12_000).swap_remove(n);
        let (_, error) = error_of(source, Language::Wgsl).expect("too deep");
        let refused = ["this is nested too deep", "more than 2000 declarations"];
        assert!(refused.contains(&error.as_str()), "{start}: {error}");
    }
}

#[test]
fn comments_and_lists_are_not_deep() {
    let dashes = "-".repeat(2_000);
    let (open, sum, list) = ("(".repeat(2_000), "u + ".repeat(300), "-u * 2.0, ".repeat(800));
    let source = format!(
        "// {dashes}\n/* {open} /* { } */ */
         @group(0) @binding(0) var<uniform> u: f32;
         @fragment fn main() -> @location(0) vec4<f32> {{
             let b = array<f32, 800>({list}); // {open}
             return vec4<f32>({sum}b[1]);
         }}",
        "{".repeat(2_000)
    );
    assert_eq!(error_of(source, Language::Wgsl), None);
}

/// GLSL of many levels, each on a line of its own: the most that are taken of each, and the body.
fn deep_glsl(n: usize) -> Vec<(usize, String)> {
    let around = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", format!("{open}\n").repeat(n), close.repeat(n))
    };
    vec![
        (250, around("{", "x += v;", "}")),
        (120, around("if (x > v) {", "x += v;", "}")),
        (120, around("if (x > v) x += v; else {", "x += v;", "}")),
        (280, around("if (x > v) x += v; else", "x = v;", "")),
        (250, format!("x = {};", around("(", "v", ")"))),
        (250, format!("x = {};", around("f(", "v", ")"))),
        (250, format!("x = {};", around("-", "v", ""))),
        (120, format!("x = {};", around("v - (", "x", ")"))),
        (120, format!("x = {};", around("x > v ? x :", "v", ""))),
        (250, format!("{};", around("x =", "v", ""))),
        (250, format!("{};", around("x += v,", "x += v", ""))),
        (100_000, format!("x = {};", around("v +", "x", ""))),
    ]
}

#[test]
fn deep_glsl_needs_an_ordinary_stack() {
    let source = |body: &str| {
        format!(
            "#version 330\nin float v; out vec4 c; float f(float a) {{ return a + v; }}\n\
             void main() {{ float x = v;\n{body}\nc = vec4(x); }}"
        )
    };
    let start = |body: &str| body.chars().take(30).collect::<String>();
    for n in 0..deep_glsl(1).len() {
        let (most, body) = deep_glsl(deep_glsl(1)[n].0).swap_remove(n);
        // It may be too large for the machine, but is not too deep.
        let (_, error) = error_of(source(&body), Language::Glsl).unwrap_or_default();
        assert!(!error.contains("nest"), "{}: {error}", start(&body));
        for many in [1_000, 5_000, 20_000] {
            let (_, body) = deep_glsl(many).swap_remove(n);
            let error = error_of(source(&body), Language::Glsl);
            let refused = error.is_some_and(|(line, error)| {
                let words = ["nested", "in a row", "the shader needs more"];
                line > 1 && words.iter().any(|word| error.contains(word))
            });
            assert!(refused || many <= most, "{many}: {}", start(&body));
        }
    }
}
