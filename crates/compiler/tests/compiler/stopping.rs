//! What takes long is stopped, and what would take for ever is refused.

use ctm_base::stop::{Stop, Stopped};
use ctm_compiler::{Language, Options, compile, compile_within};
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
    let options = Options { search: true, ..Options::default() };
    let (limited, stopped) = (Stop::new().with_limit(Duration::from_millis(50)), Stop::new());
    stopped.stop();
    for (stop, why) in
        [(&limited, Stopped::Timeout(Duration::from_millis(50))), (&stopped, Stopped::Cancelled)]
    {
        let done = compile_within(&deep(200), "deep.frag", Language::Glsl, &options, stop);
        assert_eq!(done.map(|_| ()), Err(why));
    }
}

#[test]
fn a_type_is_measured_once() {
    for (language, source) in doubled(60) {
        let error = compile(&source, "doubled", language, &Options::default());
        let error = error.map(|_| ()).expect_err("too large").to_string();
        assert!(error.contains("is too large"), "{source}\n{error}");
    }
}
