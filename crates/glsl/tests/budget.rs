//! The front end counts its work, and ends where it is stopped or the budget runs out, at a place of the source.

use ctm_base::stop::Stop;
use ctm_base::work::Work;

/// The last error of a source, with its line, and how many errors there are.
fn last(source: &str, stop: &Stop) -> (usize, String, usize) {
    let errors = ctm_glsl::module(source, &Work::new(stop)).map(|_| ()).expect_err("too much work");
    let last = errors.last().expect("an error");
    let line = source[..last.span.start].matches('\n').count() + 1;
    (line, last.message.clone(), errors.len())
}

#[test]
fn a_stop_ends_every_part() {
    let stop = Stop::new();
    stop.stop();
    for source in ["void main() {}", "#define A A A\nA"] {
        assert_eq!(last(source, &stop), (1, "cancelled".to_string(), 1), "{source}");
    }
}

#[test]
fn what_grows_faster_than_the_source_ends_with_its_line() {
    let lines = |n: usize, line: &dyn Fn(usize) -> String| (0..n).map(line).collect::<String>();
    let main = |body: String| format!("#version 330\nvoid main() {{\n{body}}}\n");
    let overloads =
        lines(5_000, &|n| format!("struct S{n} {{ int a; }}; int f(S{n} s) {{ return s.a; }}\n"));
    let labels = lines(30_000, &|n| format!("case {n}: break;\n"));
    let parameters: Vec<String> = (0..250).map(|n| format!("a{n}")).collect();
    let (names, uses) = (parameters.join(","), "b ".repeat(2_000));
    for (source, from, pass) in [
        (
            format!(
                "#version 330\n{overloads}void main() {{\n{} }}\n",
                "f(S0(1));\n".repeat(5_000)
            ),
            5_003,
            "check",
        ),
        (main(format!("switch (1) {{\n{labels}}}\n")), 4, "check"),
        (
            format!("#define f({names}) {uses}\n{}", format!("f({names})\n").repeat(500)),
            2,
            "preprocess",
        ),
    ] {
        let (line, error, errors) = last(&source, Stop::never());
        let end = format!("a compile's budget of work; it ran out in the pass `{pass}`");
        assert!(error.ends_with(&end) && errors == 1 && line > from, "{line}: {error}");
    }
}

#[test]
fn after_many_errors_the_rest_is_not_looked_at() {
    let declared: String = (0..2_000).map(|n| format!("float near{n} = 1.0;\n")).collect();
    let wrong: String = (0..2_000).map(|n| format!("{}nead{n};\n", " ".repeat(n % 7))).collect();
    let source = format!("#version 330\nvoid main() {{\n{declared}{wrong}}}\n");
    let work = Work::new(Stop::never());
    let errors = ctm_glsl::module(&source, &work).map(|_| ()).expect_err("unknown names");
    assert!(errors.len() == 200 && work.done() < 50_000_000, "{}, {}", errors.len(), work.done());
}
