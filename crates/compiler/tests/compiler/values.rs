//! Values of functions where they are easily wrong: near 0, at borders, in the middle between whole numbers.

use super::point::{Shader, glsl};
use ctm_compiler::{Language, Options};

fn options() -> [Options; 2] {
    [false, true].map(|precise| Options { precise, ..Options::default() })
}

/// A function of GLSL, alone and of a vector.
fn function(name: &str, options: &Options) -> impl FnMut(f32) -> f32 {
    let mut shader = glsl(
        &format!("void main() {{ gl_FragColor = vec4({name}(a.x), {name}(a.yzw)); }}"),
        options,
    );
    move |x| {
        let values = shader([x; 4]);
        assert!(values.iter().all(|value| value.to_bits() == values[0].to_bits()), "{values:?}");
        values[0]
    }
}

/// Numbers of all sizes up to `most`, with both signs.
fn numbers(most: f32) -> Vec<f32> {
    let powers = (-40..40).map(|n| 1.6f32.powi(n)).chain([0.0, 0.5, 1.0, 0.49999997, 0.99999994]);
    let sizes: Vec<f32> = powers.filter(|size| *size <= most).chain([most]).collect();
    sizes.iter().flat_map(|size| [*size, -size]).collect()
}

#[test]
fn the_nearest_whole_number_is_even_in_the_middle() {
    let wgsl = "@group(0) @binding(0) var<uniform> a: vec4f;\n\
        @fragment fn main() -> @location(0) vec4f { return round(a); }";
    for options in options() {
        let mut functions: Vec<Box<dyn FnMut(f32) -> f32>> = Vec::new();
        for name in ["round", "roundEven"] {
            functions.push(Box::new(function(name, &options)));
        }
        let mut shader = Shader::new(wgsl, Language::Wgsl, &options).expect("a shader");
        functions.push(Box::new(move |x| shader.run(&|_, _| x)[0][0]));
        let middles = (0..40).map(|n| n as f32 * 0.25);
        let large = [8388607.5, 4194304.5, 4194305.5, 16777216.0, 16777218.0, 1e30];
        let near = [0.49999997, 0.50000006, 1.4999999, 1.5000001, 2.4999998, 1e-30];
        for size in middles.chain(large).chain(near) {
            for x in [size, -size] {
                for function in &mut functions {
                    assert_eq!(function(x), x.round_ties_even(), "{x}");
                }
            }
        }
    }
}

#[test]
fn the_root_of_a_square_of_a_whole_number_is_exact() {
    for options in options() {
        let mut root = function("sqrt", &options);
        for n in 0..=4096 {
            assert_eq!(root((n * n) as f32), n as f32);
        }
        assert_eq!(root(2.25), 1.5);
        assert!(root(-1.0).is_nan());
    }
}

#[test]
fn odd_functions_keep_their_digits_near_0() {
    type Reference = fn(f64) -> f64;
    let functions: [(&str, f32, f64, Reference); 7] = [
        ("asin", 1.0, 1e-6, f64::asin),
        ("atan", 1e8, 1.2e-6, f64::atan),
        ("sinh", 80.0, 1e-5, f64::sinh),
        ("tanh", 50.0, 1.2e-6, f64::tanh),
        ("asinh", 1e8, 1.2e-6, f64::asinh),
        ("atanh", 0.999, 1.5e-6, f64::atanh),
        ("asinh", 3e38, 1.2e-6, f64::asinh),
    ];
    for options in options() {
        for (name, most, tolerance, reference) in functions {
            let mut function = function(name, &options);
            for x in numbers(most) {
                let (found, wanted) = (f64::from(function(x)), reference(x.into()));
                let error = (found - wanted).abs();
                assert!(error <= tolerance * wanted.abs(), "{name}({x}) = {found}, not {wanted}");
            }
        }
    }
}

#[test]
fn functions_are_right_at_their_borders() {
    for options in options() {
        for (name, x, value) in [
            ("asin", 0.0, 0.0),
            ("asin", 1.0, std::f32::consts::FRAC_PI_2),
            ("asin", -1.0, -std::f32::consts::FRAC_PI_2),
            ("acos", 0.0, std::f32::consts::FRAC_PI_2),
            ("acos", 1.0, 0.0),
            ("acos", -1.0, std::f32::consts::PI),
            ("acosh", 1.0, 0.0),
            ("cosh", 0.0, 1.0),
            ("tanh", 1e30, 1.0),
            ("tanh", -1e30, -1.0),
            ("atan", f32::INFINITY, std::f32::consts::FRAC_PI_2),
            ("sqrt", f32::INFINITY, f32::INFINITY),
            ("atanh", 1.0, f32::INFINITY),
        ] {
            assert_eq!(function(name, &options)(x), value, "{name}({x})");
        }
        for (name, x, value, tolerance) in [
            ("acosh", 1.000_001, 0.001_381_067_7, 1e-6),
            ("acosh", 1e30, 69.770_71, 1e-6),
            ("sinh", 89.0, 2.244_806_3e38, 1e-5),
            ("sinh", -89.0, -2.244_806_3e38, 1e-5),
            ("cosh", -89.0, 2.244_806_3e38, 1e-5),
            ("acos", 0.999_9, 0.014_142_253, 1e-3),
            ("acos", 0.5, std::f32::consts::FRAC_PI_3, 1e-6),
            ("acos", -0.5, 2.094_395_2, 1e-6),
        ] {
            let found = function(name, &options)(x);
            assert!((found - value).abs() <= tolerance * value.abs(), "{name}({x}) = {found}");
        }
    }
}

#[test]
fn wgsl_takes_numbers_apart() {
    let source = "@group(0) @binding(0) var<uniform> a: vec4f;\n\
        @fragment fn main() -> @location(0) vec4f {\n\
        let m = modf(a.x); let v = modf(a.yz); let f = frexp(a.x); return vec4f(m.fract, m.whole, f.fract, f32(f.exp) + 0.0 * (v.fract.x + v.whole.y)); }";
    for options in options() {
        let mut shader = Shader::new(source, Language::Wgsl, &options).expect("a shader");
        let near = [0.99999994, 1.9999999, 8388607.5, f32::MIN_POSITIVE, f32::MAX, 0.75, 3.0];
        for size in (-126..128).map(|n| 2.0f32.powi(n)).chain(near) {
            for x in [size, -size, 0.0] {
                let [fraction, whole, part, exponent] = shader.run(&|_, _| x)[0];
                assert_eq!((fraction, whole), (x.fract(), x.trunc()), "{x}");
                assert_eq!(f64::from(part) * f64::from(exponent).exp2(), f64::from(x), "{x}");
                let range = (0.5..1.0).contains(&part.abs());
                assert!(range || (x, exponent) == (0.0, 0.0), "{x}: {part}");
            }
        }
    }
}

/// An output is what the shader stores to, whatever it stores.
#[test]
fn a_store_of_zero_makes_an_output() {
    let names = |source: &str, language: Language| -> Vec<(String, u8)> {
        let mut shader = Shader::new(source, language, &Options::default())
            .unwrap_or_else(|error| panic!("{source}\n{error}"));
        let values = shader.run(&|_, _| 0.0);
        assert!(values.iter().flatten().all(|value| *value == 0.0), "{source}");
        let outputs = shader.interface.outputs.iter();
        outputs.map(|output| (output.name.clone(), output.slot)).collect()
    };
    let zero = |name: &str| vec![(name.to_string(), 0)];
    for (source, expected) in [
        ("void main() { gl_FragData[0] = vec4(0.0); }", zero("gl_FragData[0]")),
        (
            "uniform float u; void main() { if (u > 1.0) gl_FragData[0] = vec4(0.0); }",
            zero("gl_FragData[0]"),
        ),
        (
            "void main() { for (int i = 1; i < 3; i++) gl_FragData[i] = vec4(0.0); }",
            vec![("gl_FragData[1]".into(), 1), ("gl_FragData[2]".into(), 2)],
        ),
        (
            "void f(out vec4 c) { c = vec4(0.0); } void main() { f(gl_FragData[3]); }",
            vec![("gl_FragData[3]".into(), 3)],
        ),
        ("void main() { gl_FragData[2].y = 0.0; }", vec![("gl_FragData[2]".into(), 2)]),
        ("void main() { gl_FragColor = vec4(0.0); }", zero("gl_FragColor")),
        ("#version 300 es\nout highp vec4 c; void main() { c = vec4(0.0); }", zero("c")),
        ("#version 300 es\nout highp vec4 c; void main() { }", zero("c")),
        (
            "#version 300 es\nout highp vec4 c[2]; void main() { c[1] = vec4(0.0); }",
            vec![("c[0]".into(), 0), ("c[1]".into(), 1)],
        ),
        (
            "#version 300 es\nlayout(location = 1) out highp vec4 c; layout(location = 0) out highp vec4 d; void main() { c = d = vec4(0.0); }",
            vec![("c".into(), 1), ("d".into(), 0)],
        ),
    ] {
        assert_eq!(names(source, Language::Glsl), expected, "{source}");
    }
    for (source, expected) in [
        ("@fragment fn main() -> @location(0) vec4f { return vec4f(); }", zero("color")),
        (
            "struct O { @location(0) c: vec4f, @location(1) d: vec4f } @fragment fn main() -> O { return O(); }",
            vec![("c".into(), 0), ("d".into(), 1)],
        ),
        (
            "@group(0) @binding(0) var<storage, read_write> b: array<f32>;\n@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { b[id.x] = 0.0; }",
            zero("b"),
        ),
    ] {
        assert_eq!(names(source, Language::Wgsl), expected, "{source}");
    }
}
