//! Remedies: sources with the mistakes of people who come from other languages, and what each error proposes.

use ctm_base::text::TextError;
use ctm_compiler::{Language, Options, compile};

/// Statements of `main`, each with one mistake, and its remedy.
const REMEDIES: [(&str, &str); 13] = [
    ("o.x = (float)n;", "GLSL has no casts: write `float(...)`"),
    ("o.x = vec4;", ""),
    ("o.x = iTime;", "did you mean `uTime`?"),
    (
        "o.x = iMouse.x;",
        "declare a `uniform`: only Shadertoy's sources, with `mainImage` instead of `main`, have it",
    ),
    ("o.x = PI;", "define it: `const float PI = 3.14159265;`"),
    ("o = lerp(o, o, 0.5);", "GLSL calls it `mix`"),
    ("o.x = smothstep(0.0, 1.0, uTime);", "did you mean `smoothstep`?"),
    ("o.x = s.glos;", "did you mean `gloss`?"),
    ("uTime = 1.0;", "copy it to a variable first"),
    ("ivec2 p = o.xy;", "convert it with `ivec2(...)`"),
    ("o.x = o.xyz.w;", "its components are `xyz`"),
    ("int k; if (k = 2) o.x = 1.0;", "write `==` to compare"),
    ("o.x = undeclared;", "declare it first, as in `float a = 0.0;`"),
];

#[test]
fn each_mistake_has_its_remedy() {
    for (statement, remedy) in REMEDIES {
        let source = format!(
            "#version 330
            struct Surface {{ float gloss; }};
            uniform float uTime;
            uniform int n;
            uniform Surface s;
            const float p = 1.0;
            out vec4 o;
            void main() {{
                {statement}
            }}"
        );
        let options = Options::default();
        let error = compile(&source, "test.frag", Language::Glsl, &options).expect_err(statement);
        let [error] = error.errors() else { panic!("{error}") };
        assert_eq!(error.line, 9, "{statement}: {error:?}");
        assert_eq!(error.help.as_deref().unwrap_or_default(), remedy, "{statement}");
    }
}

/// A warning about the paths of a function would be a consequence of an error in it.
#[test]
fn warnings_stand_beside_errors() {
    let source = "#version 110
        float unset() { float a; return a; }
        float wrong() { float b;
            b = unknown;
            return b; }
        float missing(float x) { if (x > 1.0) return x; }
        void main() {
            if (wrong() = 1.0) discard;
            gl_FragColor = vec4(unset(), missing(2.0), 0.0, 1.0);
        }";
    let errors = compile(source, "test.frag", Language::Glsl, &Options::default());
    let errors = errors.expect_err("an error");
    let lines = |found: &[TextError]| found.iter().map(|one| one.line).collect::<Vec<_>>();
    assert_eq!((lines(errors.errors()), lines(errors.warnings())), (vec![4, 8], vec![2, 6]));
    let text = errors.render(false);
    let kinds: Vec<&str> = text.lines().filter_map(|line| line.split(": ").next()).collect();
    let kinds: Vec<&str> =
        kinds.into_iter().filter(|kind| ["Error", "Warning"].contains(kind)).collect();
    assert_eq!(kinds, ["Warning", "Error", "Warning", "Error"]);
}

/// A read in the first turn of a loop is certain where no branch or jump may keep it from that.
#[test]
fn reads_in_loops_before_a_value_are_warnings() {
    const ANY: &str = "`r` is read before a value is written to it";
    for (body, warned) in [
        ("for (int i = 0; i < 4; i++) r = min(r, u * float(i)); o = vec4(r);", true),
        ("for (int i = 0; i < 4; i++) { o = vec4(r); }", true),
        ("int n = 0; while (r < u) { r = u; n++; } o = vec4(r);", true),
        ("int n = 0; do { n++; r += u; } while (n < 4); o = vec4(r);", true),
        (
            "for (int i = 0; i < 4; i++) { for (int j = 0; j < 4; j++) { r += u; } } o = vec4(r);",
            true,
        ),
        ("for (int i = 0; i < 4; i++) { if (i > 0) o = vec4(r); r = u; }", false),
        ("for (int i = 0; i < 4; i++) { if (i == 0) { r = u; continue; } o = vec4(r); }", false),
        ("for (int i = 0; i < 4; i++) { if (i == 0) r = u; o = vec4(r); }", false),
        ("for (int i = 0; i < 4; i++) { r = u; o = vec4(r); }", false),
        (
            "for (int i = 0; i < 4; i++) { o = i > 0 && r > u ? vec4(1.0) : vec4(0.0); r = u; }",
            false,
        ),
    ] {
        let source = format!(
            "#version 330\nuniform float u; out vec4 o; void main() {{ o = vec4(u); float r; {body} }}"
        );
        let compiled = compile(&source, "test.frag", Language::Glsl, &Options::default());
        let compiled = compiled.unwrap_or_else(|errors| panic!("{errors}"));
        let found = compiled.notes.iter().filter(|note| note.text.starts_with(ANY)).count();
        assert_eq!(found, usize::from(warned), "{body}");
    }
}
