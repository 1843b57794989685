//! The counts of `ctm compile --explain`.

use ctm_compiler::{Flow, Language, Options, compile};

/// The shaders of the repository.
fn shaders() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/glsl");
    let entries = std::fs::read_dir(folder).expect("the folder of kernels");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mandelbrot = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/compiler/mandelbrot.ps").into();
    let shaders: Vec<(String, String)> = paths
        .chain([mandelbrot])
        .filter(|path| path.extension().is_some_and(|ending| ending == "frag" || ending == "ps"))
        .map(|path| (path.display().to_string(), std::fs::read_to_string(&path).expect("a text")))
        .collect();
    assert!(shaders.len() > 15);
    shaders
}

#[test]
fn each_pass_starts_with_what_the_one_before_left() {
    for (name, source) in shaders() {
        for flow in [Flow::Flattened, Flow::Structured] {
            let options = Options { flow, ..Options::default() };
            let language = if name.ends_with(".ps") { Language::Ps } else { Language::Glsl };
            let compiled = compile(&source, &name, language, &options).expect("a program");
            let explanation = &compiled.explanation;
            for two in explanation.passes.windows(2) {
                assert_eq!(two[0].after, two[1].before, "{name} {}", two[1].name);
                // Only moves, flow control, and sums of products instead of a dot product add anything.
                let grows = ["rules", "moves", "flow control"].contains(&two[1].name);
                assert!(grows || two[1].after <= two[1].before, "{name} {}", two[1].name);
            }
            let last = explanation.passes.last().expect("a pass");
            assert_eq!(last.after, compiled.image.words.len(), "{name}");
            assert_eq!(explanation.lines.len(), compiled.image.words.len(), "{name}");
            let first = explanation.passes.first().expect("a pass");
            assert!(explanation.written.values().sum::<usize>() <= first.before, "{name}");
            let lines = source.lines().count();
            assert!(explanation.lines.iter().flatten().all(|line| (1..=lines).contains(line)));
        }
    }
}

#[test]
fn operations_are_counted_at_their_lines() {
    let source = "varying vec4 v;\nuniform float u;\nvoid main() {\n  float a = v.x * u;\n  float b = sin(a);\n  \
                  float c = v.x * u;\n  gl_FragColor = vec4(a + c);\n}\n";
    let compiled =
        compile(source, "s.frag", Language::Glsl, &Options::default()).expect("a program");
    let explanation = compiled.explanation;
    // The sine: a product, a fraction, SIN.
    assert_eq!(explanation.written.get(&4), Some(&1));
    assert_eq!(explanation.written.get(&5), Some(&3));
    assert_eq!(explanation.written.get(&6), Some(&1));
    let pass = |name: &str| {
        let pass = explanation.passes.iter().find(|pass| pass.name == name).expect("the pass");
        pass.before as i64 - pass.after as i64
    };
    assert_eq!(pass("sharing"), 1);
    assert_eq!(pass("dead code"), 3);
    assert_eq!(explanation.lines, [vec![4, 6, 7]]);
}
