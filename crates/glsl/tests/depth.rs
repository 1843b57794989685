//! The deepest sources that are taken, from end to end, on the stack of an ordinary thread.

use ctm_base::stop::Stop;
use ctm_base::work::Work;

/// Sources of many levels, each with that many.
fn deep(n: usize) -> Vec<String> {
    let around = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(n), close.repeat(n))
    };
    let bodies = [
        format!("c = vec4({});", around("(", "u", ")")),
        format!("c = vec4({});", around("abs(", "u", ")")),
        format!("c = vec4({});", around("f(", "u", ")")),
        format!("c = vec4({});", around("-(1.0 + ", "u", ")")),
        format!("c = vec4({});", around("u > 1.0 ? u : (", "u", ")")),
        format!("c = vec4({});", around("vec2(", "u", ").x")),
        format!("int a[1]; a[0] = 0; c = vec4({});", around("a[", "0", "]")),
        format!("float a; {};", around("a = ", "u", "")),
        format!("bool b; {};", around("(b = u > 1.0) && (", "b", ")")),
        around("{", "c = vec4(u);", "}"),
        around("if (u > 1.0) ", "c = vec4(u);", ""),
        around("if (u > 1.0) c = vec4(1.0); else ", "c = vec4(u);", ""),
        around("for (int i = 0; i < 2; i++) ", "c = vec4(u);", ""),
        around("while (u > 1.0) ", "c = vec4(u);", ""),
        around("do ", "c = vec4(u);", " while (u > 1.0);"),
        around("switch (int(u)) { case 1: ", "c = vec4(u);", "}"),
    ];
    let head = "#version 330\nuniform float u; out vec4 c; float f(float a) { return a; }";
    bodies.into_iter().map(|body| format!("{head}\nvoid main() {{ {body} }}")).collect()
}

#[test]
fn what_is_taken_needs_an_ordinary_stack() {
    // An operator in brackets is more than one level.
    for (n, source) in [60, 250].into_iter().flat_map(|n| deep(n).into_iter().map(move |s| (n, s)))
    {
        let start: String = source.chars().skip(80).take(60).collect();
        let work = move || {
            let checked = ctm_glsl::module(&source, &Work::new(Stop::never()));
            checked.map(|_| ()).map_err(|errors| errors[0].message.clone())
        };
        let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work);
        let result = thread.expect("a thread").join().expect("no panic");
        match result {
            Ok(()) => {}
            Err(message) => {
                assert!(n > 60 && message.contains("nested"), "{start}: {message}");
            }
        }
    }
}

#[test]
fn a_long_sum_is_no_depth() {
    let sum = "u + ".repeat(5_000);
    let source =
        format!("#version 330\nuniform float u; out vec4 c; void main() {{ c = vec4({sum}1.0); }}");
    let work = move || ctm_glsl::module(&source, &Work::new(Stop::never())).is_ok();
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work);
    assert!(thread.expect("a thread").join().expect("no panic"));
}
