//! Sources of all languages and versions; what is refused, and how; sources that are broken.

use ctm_compiler::{Compiled, Language, Options, compile};
use ctm_lang::asm::{Style, assemble, disassemble};
use ctm_lang::load::Note;
use ctm_lang::program::ValuePlace;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::path::PathBuf;

fn glsl(source: &str) -> Compiled {
    compile(source, "test.frag", Language::Glsl, &Options::default())
        .unwrap_or_else(|error| panic!("{source}\n{error}"))
}

pub fn refused(source: &str) -> (usize, String) {
    let error =
        compile(source, "test.frag", Language::Glsl, &Options::default()).expect_err(source);
    (error.errors()[0].line, error.errors()[0].message.clone())
}

/// The text of a program's instructions.
fn text(compiled: &Compiled) -> Vec<String> {
    let text = disassemble(&compiled.image, Style::Friendly);
    let instructions = text.lines().filter(|line| !line.starts_with(['.', '#']));
    instructions
        .map(|line| line.split(" # ").next().unwrap_or_default().trim().to_string())
        .collect()
}

pub fn kernels() -> Vec<PathBuf> {
    let folder = ctm_testing::files::root().join("kernels/glsl");
    [ctm_testing::files::files(&folder, "frag"), ctm_testing::files::files(&folder, "wgsl")]
        .concat()
}

fn of_file(path: &PathBuf, options: &Options) -> Compiled {
    let source = std::fs::read_to_string(path).expect("a source");
    let language = if path.extension().is_some_and(|ending| ending == "wgsl") {
        Language::Wgsl
    } else {
        Language::Glsl
    };
    compile(&source, "kernel", language, options)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn what_it_emits_assembles_to_the_same_words() {
    for path in kernels() {
        for precise in [false, true] {
            let image = of_file(&path, &Options { precise, ..Options::default() }).image;
            let text = disassemble(&image, Style::Friendly);
            let again = assemble(&text, "text")
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(again.words, image.words, "{}", path.display());
            assert_eq!(again.registers, image.registers);
            assert_eq!(again.literals, image.literals);
        }
    }
}

#[test]
fn instructions_know_their_lines() {
    let compiled = glsl(
        "varying vec2 v;\nvoid main() {\n  float a = v.x * v.y;\n  gl_FragColor = vec4(fract(a));\n}\n",
    );
    let lines: Vec<u32> =
        (0..2).filter_map(|pc| compiled.image.location(pc)).map(|at| at.line).collect();
    assert_eq!(lines, [3, 4]);
}

#[test]
fn small_shaders_become_few_instructions() {
    for (source, expected) in [
        ("void main() { gl_FragColor = vec4(1.0, 0.5, 0.0, 1.0); }", 1),
        ("varying vec4 v; void main() { gl_FragColor = clamp(v * 2.0 + v.wzyx, 0.0, 1.0); }", 1),
        ("varying vec4 v; void main() { gl_FragColor = v.x < v.y ? v : v.wzyx; }", 2),
        ("varying vec4 a, b; uniform float t; void main() { gl_FragColor = mix(a, b, t); }", 1),
        ("varying vec4 v; void main() { gl_FragColor = vec4(dot(v.xyz, v.xyz)); }", 1),
        ("varying vec2 v; uniform sampler2D t; void main() { gl_FragColor = texture2D(t, v); }", 2),
        ("varying vec3 v; void main() { gl_FragColor = vec4(normalize(v), 1.0); }", 3),
    ] {
        let compiled = glsl(source);
        assert_eq!(compiled.image.words.len(), expected, "{source}: {:#?}", text(&compiled));
    }
}

#[test]
fn a_short_side_that_stays_has_a_predicate() {
    let kept = |source: &str| {
        let options = Options { flow: ctm_compiler::Flow::Structured, ..Options::default() };
        let compiled = compile(source, "test.frag", Language::Glsl, &options);
        text(&compiled.unwrap_or_else(|error| panic!("{source}\n{error}")))
    };
    let short = kept(
        "varying vec4 v; uniform float u; void main() { float a = v.x; if (v.x < u) a = v.y * v.z; gl_FragColor = vec4(a * v.w); }",
    );
    assert!(short.iter().any(|line| line.contains("p.")), "{short:#?}");
    assert!(!short.iter().any(|line| line.starts_with("jump")), "{short:#?}");
    let long = kept(
        "varying vec4 v; uniform float u; void main() { vec4 a = v; if (v.x < u) { a = sin(a * 3.0); a = sin(a * u); } gl_FragColor = a * v; }",
    );
    assert!(long.iter().any(|line| line.starts_with("jump")), "{long:#?}");
}

#[test]
fn all_versions_are_read() {
    for source in [
        "precision mediump float; varying lowp vec4 c; void main() { gl_FragColor = c; }",
        "#version 100\n#ifdef GL_ES\nprecision highp float;\n#else\n#error no\n#endif\nvarying vec4 c; void main() { gl_FragColor = c; }",
        "#version 120\nvoid main() { gl_FragData[1] = gl_TexCoord[2] * gl_Color; }",
        "#version 300 es\nprecision highp float; in vec4 c; layout(location = 2) out vec4 o; void main() { o = c; }",
        "#version 450\nlayout(location = 0) in vec4 c; layout(location = 0) out vec4 o; layout(std140) uniform B { vec4 k; mat4 m; } b; void main() { o = b.m * c + b.k; }",
        "#version 330\nuniform B { vec4 k; }; out vec4 o; void main() { o = k; }",
        "uniform sampler2D maps[2]; varying vec2 v; vec4 get(sampler2D s) { return texture2D(s, v); } void main() { gl_FragColor = get(maps[0]) + get(maps[1]); }",
        "#define F(x) (x) * 2.0\n#define G F\nvarying float v; void main() { gl_FragColor = vec4(G(v)); }",
        "varying float v; float sample = 1.0; void main() { float texture = v, buffer = sample; gl_FragColor = vec4(texture + buffer); }",
        "varying float v; float round(float x) { return floor(x + 0.5); } void main() { gl_FragColor = vec4(round(v)); }",
        "varying vec2 v; float k = v.x > 0.5 ? 1.0 : 2.0, l = k * 2.0; void main() { gl_FragColor = vec4(k, l, v); }",
        "varying float v; float a[3] = float[](1.0, 2.0, 3.0); void main() { gl_FragColor = vec4(a[int(v)]); }",
        "varying float v; void f(inout vec4 c, out float d) { c += v; d = c.x; } void main() { float d; gl_FragColor = vec4(0.0); f(gl_FragColor, d); gl_FragColor.w = d; }",
        "varying float v; void main() { int i = int(v) % 3; switch (i) { case 0: gl_FragColor = vec4(1.0); break; case 1: gl_FragColor = vec4(2.0); default: gl_FragColor = vec4(3.0); } }",
        "const int n[2] = int[2](1, 2); void main() { float a[n[1]]; a[1] = 2.0; switch (1) { case n[0]: gl_FragColor = vec4(a[1]); } }",
        "varying float v; void main() { gl_FragColor = vec4(dot(v, v)); }",
        "struct S { float x; }; uniform S s; void main() { gl_FragColor = vec4(s == s); }",
        "const int n = int[2](1, 2)[1]; void main() { float a[n]; a[1] = 1.0; gl_FragColor = vec4(a[1]); }",
        "void mainImage(out vec4 c, in vec2 p) { c = texture(iChannel0, p / iResolution.xy) * iTime; }",
    ] {
        glsl(source);
    }
}

/// A shader of Shadertoy can get all of its values, also those that it does not use; its own names come first.
#[test]
fn shadertoys_values_can_be_given_if_they_are_not_used() {
    let main = "void mainImage(out vec4 c, in vec2 p) { c = vec4(p, iTime, 1.0); }";
    for (own, is_used) in [("", true), ("const float iTime = 2.0;", false)] {
        let interface = glsl(&format!("{own} {main}")).image.interface.expect("a shader");
        let used = |name: &str| {
            interface.uniforms.iter().find(|uniform| uniform.name == name).map(|one| one.used)
        };
        assert_eq!(used("iTime"), Some(is_used), "{own}");
        assert_eq!((used("iMouse"), used("iFrame")), (Some(false), Some(false)), "{own}");
        let samplers: Vec<_> =
            interface.samplers.iter().map(|one| (&*one.name, one.used)).collect();
        assert_eq!(samplers.len(), 4, "{samplers:?}");
        assert!(samplers.iter().all(|(_, used)| !used), "{samplers:?}");
    }
}

#[test]
fn constants_may_be_what_the_front_end_cannot_compute() {
    for (constants, value) in [
        ("const mat2 m = mat2(1.0, 2.0, 3.0, 4.0); const float x = m[1][0];", "3.0"),
        ("const vec2 v = vec2(3.0, 4.0); const highp float x = v[1], y = 1.0;", "4.0"),
        ("const float a[2] = float[2](1.0, 5.0); const int k = 1; const float x = a[k];", "5.0"),
        ("const float y = vec2(1.0, 6.0)[1]; const float z = y + 1.0; const float x = z;", "7.0"),
        ("const float x = 1.0 < 2.0 ? 8.0 : 9.0;", "8.0"),
        ("const float x = mix(2.0, 4.0, 0.5);", "3.0"),
        ("float f(float a) { return a * 2.0; } const float x = f(5.0);", "10.0"),
        // Other expressions have the numbers of the indices.
        (
            "uniform float a, b, c, d; const int k = 1; const vec2 v = vec2(3.0, 4.0); const float x = v[0];",
            "3.0",
        ),
        ("const float sample = mix(0.0, 1.0, 0.5); const float x = sample + 1.0;", "1.5"),
        ("const int n = 2, w[2] = int[2](1, 2); float q[n]; const float x = 2.0;", "2.0"),
        ("void f() { } const float a[2] = float[2](1.0, 2.0), x = a[1];", "2.0"),
    ] {
        let shader = |constants: &str, value: &str| {
            glsl(&format!("{constants} void main() {{ gl_FragColor = vec4({value}); }}")).image
        };
        let (named, written) = (shader(constants, "x"), shader("", value));
        assert_eq!((named.words, named.literals), (written.words, written.literals), "{constants}");
    }
}

#[test]
fn labels_may_be_constants_of_a_function() {
    let of = |label: &str| {
        glsl(&format!(
            "varying float v; void main() {{ const int two = 2; switch (int(v)) {{ case {label}: gl_FragColor = vec4(1.0); break; default: gl_FragColor = vec4(v); }} }}"
        ))
    };
    assert_eq!(text(&of("two")), text(&of("2")));
}

#[test]
fn what_is_not_possible_is_refused_with_its_line() {
    let mut wrong = Vec::new();
    for (source, line, message) in [
        (
            "\nuniform samplerCube c;\nvoid main() {}",
            2,
            "inputs of type `samplerCube` are not supported",
        ),
        ("void main() {\n gl_FragDepth = 1.0; }", 2, "there is no variable `gl_FragDepth` here"),
        ("void main() {\n double a; }", 2, "the machine has no `double`"),
        (
            "uniform float n;\nvoid main() {\n float a = 0.0;\n for (;;) a += n;\n gl_FragColor = vec4(a); }",
            4,
            "this loop never ends",
        ),
        (
            "uniform float n; uniform float w[2000]; void main() {\n gl_FragColor = vec4(w[int(n)]); }",
            2,
            "an array of 2000 elements cannot be indexed by a variable",
        ),
        (
            "varying float v;\nvoid main() {\n float a = v;\n for (int i = 0; i < 100000; i++) a = a * v + 1.0;\n gl_FragColor = vec4(a); }",
            4,
            "this loop runs more often than the machine counts",
        ),
        (
            "#version 330\nout vec4 c; void main() { c = gl_LightSource[0].ambient; }",
            2,
            "GLSL 3.30 has no `gl_LightSource` (it is in GLSL 1.10 to 1.30 and the profile `compatibility`)",
        ),
        (
            "vec2 f() {\n return vec4(1.0); }\nvoid main() { gl_FragColor = f().xyxy; }",
            2,
            "the result is of type `vec4`; expected `vec2`",
        ),
        (
            "void main() {\n gl_FragColor = vec3(1.0); }",
            2,
            "the value is of type `vec3`; expected `vec4`",
        ),
        (
            "varying vec2 v; void main() { float a = v.x;\n a += v; gl_FragColor = vec4(a); }",
            2,
            "`+=` makes `vec2` of `float` and `vec2`; expected `float`",
        ),
        (
            "out vec4 c;\nvoid main() {\nvec3 a = vec2(1.0, 2.0);\nc = a.xyzz; }",
            3,
            "the initial value is of type `vec2`; expected `vec3`",
        ),
        (
            "void main() {\ngl_FragColor = vec4(smoothstep(0.0, 1.0)); }",
            2,
            "no function `smoothstep` takes (float, float)",
        ),
        (
            "float f(float x) {\nreturn f(x); }\nvoid main() { gl_FragColor = vec4(f(1.0)); }",
            2,
            "the function `f` calls itself",
        ),
        ("#error \"no\": 1.5!\nvoid main() {}", 1, "#error \"no\": 1.5!"),
        ("void main() {\nfloat don't; }", 2, "the character '\\'' does not exist in the language"),
        ("#if 1\nvoid main() {}", 1, "this condition has no `#endif`"),
        ("float f() { return 1.0; }", 1, "the shader has no function `main`"),
        (
            "void main() {\n gl_FragColor = vec4(1.0;\n}",
            2,
            "expected `)` after the arguments of a function, found `;`",
        ),
        ("void main() {\n if (true) {\n gl_FragColor = vec4(1.0); }", 1, "this `{` has no `}`"),
        ("void main() {\n}\n}", 3, "this `}` closes no `{`"),
        (
            "void main() {\n}\nfloat",
            3,
            "expected the name of a variable, found the end of the source",
        ),
        ("float a = 1.0 +;\nvoid main() { }", 1, "expected an expression, found `;`"),
        ("void main() {\n float a; # define b\n}", 2, "`#` outside a directive"),
        (
            "void main() {\n gl_FragColor = vec4[(gl_TexCoord[0].x, 1.0)](1.0); }",
            2,
            "an array size is an integer, not `float`",
        ),
    ] {
        let found = refused(source);
        if found != (line, message.to_string()) {
            wrong.push(format!("{source}\n    {found:?}, expected {:?}", (line, message)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Statements from a template, `#` being their number.
fn lines(count: usize, template: &str) -> String {
    (0..count).map(|n| template.replace('#', &n.to_string()) + "\n").collect()
}

#[test]
fn a_program_that_is_too_large_is_refused_where_it_passes_the_limit() {
    let head = "varying vec4 v; uniform sampler2D t; uniform vec4 k[300];\n";
    for (count, template, lines_of, message) in [
        (1000, "a = a * v.y + #.5 * v.z;", 100..=600, "512 instructions"),
        (1000, "a += texture2D(t, a.xy);", 100..=513, "512 instructions"),
        (400, "a = a * k[int(mod(#.0, 300.0))] + a.yzwx;", 250..=265, "256 constant registers"),
    ] {
        let body = lines(count, template);
        let (line, error) =
            refused(&format!("{head}void main() {{ vec4 a = v;\n{body} gl_FragColor = a; }}"));
        assert!(error.starts_with("the shader needs more than "), "{template}: {error}");
        assert!(error.contains(message), "{template}: {error}");
        assert!(lines_of.contains(&line), "{template}: line {line}");
    }
    let body = lines(140, "m[#] = m[#] * v + m[#].yzwx;");
    let (line, error) = refused(&format!(
        "{head}void main() {{ vec4 m[140]; for (int i = 0; i < int(v.x); i++) {{\n{body} }}\n\
         gl_FragColor = m[0]; for (int i = 0; i < 140; i++) gl_FragColor = gl_FragColor * v + m[i]; }}"
    ));
    assert_eq!(error, "the shader needs more than 128 temporaries at once");
    assert!((3..=142).contains(&line), "line {line}");
}

#[test]
fn a_loop_that_the_machine_may_end_has_a_note() {
    let shader = |condition: &str| {
        format!(
            "varying float v;\nvoid main() {{ float a = v;\n int i = 0; for (; {condition}; i++) a = a * v;\n gl_FragColor = vec4(a); }}"
        )
    };
    let note = (3, "the machine ends a loop after 65,025 iterations".to_string());
    let lines = |notes: Vec<Note>| -> Vec<(u32, String)> {
        notes.into_iter().filter_map(|note| Some((note.mark?.line, note.text))).collect()
    };
    for (condition, notes) in [
        ("a < 9.0", vec![note.clone()]),
        ("v > float(i)", vec![note.clone()]),
        ("i < 100000 && a < 9.0", vec![note]),
        ("i < 300 && a < 9.0", vec![]),
        ("i < 65000", vec![]),
        ("i < 255", vec![]),
    ] {
        assert_eq!(lines(glsl(&shader(condition)).notes), notes, "{condition}");
    }
}

#[test]
fn no_source_exhausts_the_compiler() {
    let nested = |open: &str, close: &str| {
        format!("void main() {{ float a = {}1.0{}; }}", open.repeat(50_000), close.repeat(50_000))
    };
    let bomb: String = (1..40).map(|n| format!("#define m{n} m{0} m{0}\n", n - 1)).collect();
    let calls: String = (1..40)
        .map(|n| format!("float f{n}(float x) {{ return f{0}(f{0}(x)); }}\n", n - 1))
        .collect();
    for source in [
        nested("(", ")"),
        nested("-", ""),
        nested("sin(", ")"),
        format!("void main() {{ if (true) {{}} {} }}", "else if (true) {}".repeat(50_000)),
        format!("void main() {}{}", "{".repeat(50_000), "}".repeat(50_000)),
        format!("#define m0 1.0 +\n{bomb}void main() {{ float a = m39 1.0; }}"),
        format!("float f0(float x) {{ return x * 0.5; }}\n{calls}varying float v; void main() {{ gl_FragColor = vec4(f39(v)); }}"),
        format!("varying vec4 v; uniform sampler2D t; void main() {{ vec4 a = v;\n{} gl_FragColor = a; }}", lines(1000, "a += texture2D(t, v.xy + #.5);")),
        format!("varying vec4 v; void main() {{ vec4 a = v; for (int i = 0; i < 200; i++) {{\n{} }} gl_FragColor = a; }}", lines(200, "if (a.x > #.0) a = a.yzwx * #.5; else if (a.y < v.x) break; else a += sin(v * #.0);")),
        "varying float v; float f(float x) { return f(x); } void main() { gl_FragColor = vec4(f(v)); }".to_string(),
        "void main() { for (;;) {} }".to_string(),
        "uniform float a[100000000]; void main() { gl_FragColor = vec4(a[0]); }".to_string(),
    ] {
        let compiled = compile(&source, "test.frag", Language::Glsl, &Options::default());
        assert!(compiled.is_err(), "{}", &source[..source.len().min(80)]);
    }
    // Long, and no deeper than a short one.
    glsl(&format!("void main() {{ gl_FragColor = vec4(1.0{}); }}", " + 1.0".repeat(50_000)));
}

/// Characters of kernels are changed, left out, repeated: the compiler gives a program or an error with a line.
#[test]
fn broken_sources_do_not_make_it_panic() {
    let sources: Vec<(String, Language)> = kernels()
        .iter()
        .map(|path| {
            let wgsl = path.extension().is_some_and(|ending| ending == "wgsl");
            (
                std::fs::read_to_string(path).expect("a source"),
                if wgsl { Language::Wgsl } else { Language::Glsl },
            )
        })
        .collect();
    let change =
        (0..10_000usize, 0..5u8, prop::sample::select(b"(){}[];,.=+-*/<>!&|?:0 1x\n#".to_vec()));
    let strategy = (0..sources.len(), prop::collection::vec(change, 1..4));
    let mut runner = TestRunner::new(ctm_testing::cases(300, 0xc0de));
    runner
        .run(&strategy, |(n, changes)| {
            let (source, language) = &sources[n];
            let mut bytes = source.clone().into_bytes();
            for (at, what, byte) in changes {
                let at = at % bytes.len();
                match what {
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, byte),
                    2 => drop(bytes.remove(at)),
                    3 => bytes.truncate(at.max(1)),
                    _ => {
                        let end = (at + 20).min(bytes.len());
                        let part = bytes[at..end].to_vec();
                        bytes.splice(at..at, part);
                    }
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            // What it says is its own: that it ends without a panic is tested.
            let _ = compile(&text, "broken", *language, &Options::default());
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn names_of_wgsl_have_places() {
    let source = "\
@group(0) @binding(0) var<uniform> gain: f32;
fn shade(t: f32) -> f32 {
    let lit = t * gain;
    return lit * lit + t;
}
@fragment
fn main(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> {
    let steps = 3.0;
    var sum = shade(uv.x);
    if (uv.y > 0.0) {
        sum = sum + steps;
    }
    let root = sqrt(abs(sum)) + uv.y;
    return vec4<f32>(uv, root * root, sum);
}
";
    let compiled = compile(source, "test.wgsl", Language::Wgsl, &Options::default());
    let image = compiled.expect("a shader").image;
    let map = image.source.get().expect("a map");
    let of = |name: &str| {
        let variable = map.variables.iter().find(|variable| variable.name == name);
        let one = variable.unwrap_or_else(|| panic!("{name}: {:?}", map.variables));
        let places = |component| {
            let own = one.locations.iter().filter(move |at| at.component == component);
            own.map(|at| (at.line, at.place)).collect::<Vec<_>>()
        };
        (one.function.as_str(), one.line, (0..one.components).map(places).collect::<Vec<_>>())
    };
    let (function, line, gain) = of("gain");
    assert_eq!((function, line, gain.len()), ("", 1, 1));
    assert!(matches!(gain[0][..], [(1, ValuePlace::Constant(..))]), "{gain:?}");
    let steps = (8, ValuePlace::Literal(3f32.to_bits()));
    assert_eq!(of("steps"), ("main", 8, vec![vec![steps]]));
    // A parameter of the entry point has its components in its register at first.
    let (function, _, uv) = of("uv");
    assert_eq!((function, uv.len()), ("main", 2));
    for (channel, places) in (0..).zip(&uv) {
        assert!(places.contains(&(7, ValuePlace::Temp(0, channel))), "{uv:?}");
    }
    // One of a function has the value of the call; `let`, and a variable after a branch, have registers.
    assert_eq!(of("t").2[0], of("uv").2[0].iter().map(|(_, at)| (2, *at)).collect::<Vec<_>>());
    for (name, function, line) in [("lit", "shade", 3), ("sum", "main", 11), ("root", "main", 13)] {
        let (found, _, places) = of(name);
        assert_eq!(found, function);
        let here = |at: &(u32, ValuePlace)| at.0 == line && matches!(at.1, ValuePlace::Temp(..));
        assert!(places[0].iter().any(here), "{name}: {places:?}");
    }
}
