//! Compiles that take long are stopped, and those that would take for ever are refused.

use ctm_base::stop::{Stop, Stopped};
use ctm_compiler::{Language, Level, Options, compile, compile_within};
use std::time::Duration;

/// Loops inside each other: the compiler tries many ways to arrange them.
fn deep(count: usize) -> String {
    let loops = "while (a < 9.0) ".repeat(count);
    format!(
        "uniform float u; void main() {{ float a = u; {loops} a += 1.0; gl_FragColor = vec4(a); }}"
    )
}

/// Structures of which each has the one before twice, in both languages.
fn doubled(count: usize) -> [(Language, String); 4] {
    let of = |head: &str, member: &dyn Fn(char, usize) -> String| -> String {
        (1..count).fold(head.to_string(), |text, n| {
            text + &format!("struct S{n} {{ {} {} }};\n", member('a', n - 1), member('b', n - 1))
        })
    };
    let last = count - 1;
    let glsl = of("struct S0 { float a; };\n", &|name, n| format!("S{n} {name};"));
    let wgsl = of("struct S0 { a: f32 };\n", &|name, n| format!("{name}: S{n},"));
    let members = ".a".repeat(count);
    [
        (
            Language::Glsl,
            format!("{glsl} uniform S{last} z; void main() {{ gl_FragColor = vec4(1.0); }}"),
        ),
        (
            Language::Glsl,
            format!("{glsl} void main() {{ S{last} z; gl_FragColor = vec4(z{members}); }}"),
        ),
        (
            Language::Glsl,
            format!("{glsl} varying S{last} z; void main() {{ gl_FragColor = vec4(1.0); }}"),
        ),
        (
            Language::Wgsl,
            format!(
                "{wgsl} @group(0) @binding(0) var<uniform> z: S{last};
                 @fragment fn main() -> @location(0) vec4<f32> {{ return vec4<f32>(z{members}); }}"
            ),
        ),
    ]
}

#[test]
fn a_stop_ends_the_compiler() {
    let options = Options { level: Level::Search, ..Options::default() };
    let (limited, stopped) = (Stop::new().with_limit(Duration::from_millis(50)), Stop::new());
    stopped.stop();
    for (stop, why) in
        [(&limited, Stopped::Timeout(Duration::from_millis(50))), (&stopped, Stopped::Cancelled)]
    {
        let done = compile_within(&deep(200), "deep.frag", Language::Glsl, &options, stop);
        assert_eq!(done.map(|_| ()), Err(why));
    }
}

/// The first error of a source.
fn refused(source: &str, language: Language) -> (usize, String) {
    let done = compile(source, "doubled", language, &Options::default());
    let errors = done.map(|_| ()).expect_err("too large");
    (errors.errors()[0].line, errors.errors()[0].message.clone())
}

#[test]
fn a_type_is_measured_once() {
    for (language, source) in doubled(60) {
        let (_, error) = refused(&source, language);
        assert!(error.contains("too large"), "{source}\n{error}");
    }
}

#[test]
fn what_doubles_runs_into_a_bound_that_names_its_line() {
    let chain = |first: &str, next: &dyn Fn(usize) -> String| -> String {
        (1..60).fold(first.to_string(), |text, n| text + &next(n))
    };
    let glsl = |head: String, value: &str| {
        format!("uniform float u;\n{head}void main() {{\n gl_FragColor = vec4({value});\n}}")
    };
    let functions = chain("float f0(float x) { return x * 0.5; }\n", &|n| {
        format!("float f{n}(float x) {{ return f{0}(f{0}(x)); }}\n", n - 1)
    });
    let macros = chain("#define M0 1.0 +\n", &|n| format!("#define M{n} M{0} M{0}\n", n - 1));
    for (source, lines, said) in [
        (deep(200), 1..=1, "a compile's budget of work; it ran out in the pass `lower`"),
        (glsl(functions, "f59(u)"), 2..=2, "the shader needs more"),
        (
            glsl(macros, "M59 1.0"),
            63..=63,
            "the source needs more than a compile's budget of work; it ran out in the pass `preprocess`",
        ),
    ] {
        let (line, error) = refused(&source, Language::Glsl);
        assert!(error.contains(said) && lines.contains(&line), "line {line}: {error}");
    }
    let constants = chain("const k0 = array<f32, 2>(1.0, 2.0);\n", &|n| {
        format!("const k{n} = array(k{0}, k{0});\n", n - 1)
    });
    let structures = chain("struct S0 { a: f32 }\n", &|n| {
        format!("struct S{n} {{ a: S{0}, b: S{0} }}\n", n - 1)
    });
    let main = "@fragment fn main() -> @location(0) vec4<f32> {\n return vec4<f32>(";
    for (head, value) in [(constants, "k59[0]"), (structures, "S59().a")] {
        let (line, error) = refused(&format!("{head}{main}{value}); }}"), Language::Wgsl);
        assert_eq!((line, error.as_str()), (62, "the constants and types are too large"));
    }
}

/// naga's reader takes the time of all pairs of expressions of a function, and cannot be stopped.
#[test]
fn long_functions_of_wgsl_are_refused_before_they_are_read() {
    let rows = |count| "a=a*2.0;\n".repeat(count);
    let shader = |functions: &str, rows: &str| {
        format!(
            "{functions}
            @fragment fn main() -> @location(0) vec4f {{ var a = 1.0; {rows} return vec4f(a); }}"
        )
    };
    let (line, error) = refused(&shader("", &rows(30_000)), Language::Wgsl);
    let said =
        "the function needs more than a compile's budget of work; it ran out in the pass `front`";
    assert_eq!((line, error.as_str()), (2, said));
    // As many rows in several functions take less.
    let functions: String = (0..10)
        .map(|n| format!("fn f{n}() -> f32 {{ var a = 1.0; {} return a; }}\n", rows(3_000)))
        .collect();
    let several = compile(&shader(&functions, ""), "rows", Language::Wgsl, &Options::default());
    assert_eq!(several.map(|_| ()), Ok(()));
}

#[test]
fn the_work_of_a_compile_grows_with_its_source() {
    let lines = |n: usize| -> String {
        (0..n).map(|n| format!("if (a.x > {n}.5) a = a.yzwx * u + {n}.25;\n")).collect()
    };
    let work = |n: usize| {
        let lines = lines(n);
        let source =
            format!("uniform vec4 u; void main() {{ vec4 a = u;\n{lines} gl_FragColor = a; }}");
        let compiled = compile(&source, "lines.frag", Language::Glsl, &Options::default());
        compiled.unwrap_or_else(|errors| panic!("{errors}")).work
    };
    let [one, two] = [work(10), work(20)];
    assert!(two < 5 * one, "{one}, {two}");
}
