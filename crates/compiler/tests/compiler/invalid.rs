//! WGSL that the language does not allow is refused at its place.

use ctm_compiler::{Language, Options, compile};

#[test]
fn wgsl_that_is_not_valid_is_refused_at_its_place() {
    let head = "@group(0) @binding(0) var<uniform> u: f32;\n\
                @group(0) @binding(1) var<uniform> n: i32;\n\
                struct S { a: vec4<f32>, b: f32 }\n\
                fn f(x: f32, y: f32) -> f32 { return x; }\n\
                @fragment fn main() -> @location(0) vec4<f32> {\n";
    for (body, column, message) in [
        ("let k = f(2.0);", 9, "the function has 2 parameters, but 1 arguments are given"),
        ("let k = f(2.0, n);", 9, "argument 2 has another type than its parameter"),
        ("if (n) {}", 5, "the condition must be a bool"),
        ("var a = u + n;", 9, "`+` does not take f32 and i32"),
        ("let k = vec2<f32>(u) < u;", 9, "`<` does not take vec2<f32> and f32"),
        ("u = 2.0;", 1, "nothing can be stored here"),
        (
            "let k = select(vec4<f32>(u), vec2<f32>(u), true);",
            9,
            "`select` takes two values of one type, not vec4<f32> and vec2<f32>",
        ),
        ("let k = array<f32, 2>(1.0, 2.0, 3.0);", 9, "the type has 2 parts, but 3 are given"),
        ("switch (n) { case 1: {} }", 1, "the `switch` is missing a `default` case"),
        ("switch (n) { case 1: {} case 1: {} default: {} }", 1, "`switch` has two cases 1"),
        ("switch (n) { default: {} default: {} }", 1, "multiple `default` cases are present"),
        ("break;", 1, "the `break` is used outside of a `loop` or `switch` context"),
    ] {
        let source = format!("{head}{body}\nreturn vec4<f32>(u);\n}}");
        let done = compile(&source, "invalid.wgsl", Language::Wgsl, &Options::default());
        let errors = done.map(|_| ()).expect_err(body);
        let first = &errors.errors()[0];
        assert_eq!(
            (first.line, first.column, first.message.as_str()),
            (6, column, message),
            "{body}"
        );
    }
    for (source, line, message) in [
        (
            "fn g(u: f32) -> f32 {\n if (u > 1.0) { return 1.0; }\n}\n@fragment fn main() {}",
            1,
            "a path of the function ends without a value",
        ),
        (
            "@group(0) @binding(0) var<uniform> a: f32;\n@group(0) @binding(0) var<uniform> b: f32;\n\
             @fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(a + b); }",
            2,
            "two resources have the same group and binding",
        ),
        ("const_assert vec2();\n@fragment fn main() {}", 1, "this is not valid WGSL"),
        ("@fragment fn main() {}\n@group(0) @binding(0);", 2, "this attribute belongs to nothing"),
        (
            "const a = 1;\nconst m: mat2x2<f32> = mat2x2<f32>(1i, 2, 3, 4);\n@fragment fn main() {}",
            2,
            "part 1 has another type than the type's",
        ),
        (
            "fn f() {}\n@compute @workgroup_size(0) fn main() {}",
            2,
            "workgroup size is out of range",
        ),
        (
            "fn f() {}\n@fragment\nfn main(@location(0) @interpolate(linear) a: i32) {}",
            3,
            "this is not valid WGSL",
        ),
    ] {
        let done = compile(source, "invalid.wgsl", Language::Wgsl, &Options::default());
        let errors = done.map(|_| ()).expect_err(source);
        let first = &errors.errors()[0];
        assert_eq!((first.line, first.message.as_str()), (line, message), "{source}");
    }
}
