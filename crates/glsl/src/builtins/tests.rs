use super::*;

fn version(number: u16, es: bool, guessed: bool) -> Version {
    Version { number, es, guessed, toy: false }
}

fn builtins(number: u16, es: bool, guessed: bool) -> Builtins {
    Builtins::new(version(number, es, guessed), Vec::new())
}

fn types(names: &str) -> Vec<Type> {
    let ty = |name: &str| crate::types::named(name).or_else(|| sampler(name).map(Type::Sampler));
    names.split_whitespace().map(|name| ty(name).unwrap_or_else(|| panic!("{name}"))).collect()
}

/// The result of a call and the number of warnings, or the error.
fn call(builtins: &mut Builtins, name: &str, arguments: &str) -> Result<(String, usize), String> {
    let called = builtins.call(name, Span::default(), &types(arguments));
    called
        .map(|call| (call.result.to_string(), call.warnings.len()))
        .map_err(|error| format!("{}; {}", error.message, error.help.unwrap_or_default()))
}

/// Each line of the table has signatures, and none is there twice with different meanings.
#[test]
fn every_line_of_the_table_is_a_signature() {
    for table::Line(name, texts, ..) in table::LINES {
        for text in *texts {
            assert!(!signatures::expand(text).is_empty(), "{name} {text}");
        }
        let found = all(name);
        for (n, (signature, _, meaning)) in found.iter().enumerate() {
            for (other, _, meant) in &found[..n] {
                let same =
                    !signature.same_parameters(other) || meaning == meant && signature == other;
                assert!(same, "{name}{signature} has two meanings");
            }
        }
    }
}

/// Results by the specifications' chapters "Built-in Functions".
#[test]
fn calls_have_the_types_of_the_specification() {
    let es3 = &mut builtins(300, true, false);
    for (name, arguments, result) in [
        ("sin", "vec3", "vec3"),
        ("atan", "vec2 vec2", "vec2"),
        ("min", "vec4 float", "vec4"),
        ("min", "uvec2 uint", "uvec2"),
        ("mix", "vec2 vec2 bvec2", "vec2"),
        ("mix", "vec2 vec2 float", "vec2"),
        ("step", "float vec3", "vec3"),
        ("modf", "vec2 vec2", "vec2"),
        ("length", "vec3", "float"),
        ("dot", "float float", "float"),
        ("outerProduct", "vec2 vec3", "mat3x2"),
        ("transpose", "mat2x4", "mat4x2"),
        ("matrixCompMult", "mat2x3 mat2x3", "mat2x3"),
        ("determinant", "mat3", "float"),
        ("lessThan", "uvec3 uvec3", "bvec3"),
        ("isnan", "vec2", "bvec2"),
        ("floatBitsToUint", "vec2", "uvec2"),
        ("texture", "sampler2D vec2", "vec4"),
        ("texture", "isampler3D vec3 float", "ivec4"),
        ("texture", "sampler2DArrayShadow vec4", "float"),
        ("textureProjLodOffset", "sampler2D vec4 float ivec2", "vec4"),
        ("textureGrad", "samplerCube vec3 vec3 vec3", "vec4"),
        ("textureSize", "sampler2DArray int", "ivec3"),
        ("texelFetch", "usampler2D ivec2 int", "uvec4"),
        ("dFdx", "float", "float"),
    ] {
        assert_eq!(call(es3, name, arguments), Ok((result.to_string(), 0)), "{name}({arguments})");
    }
    let old = &mut builtins(110, false, false);
    for (name, arguments, result) in [
        ("texture2D", "sampler2D vec2 float", "vec4"),
        ("texture1DProj", "sampler1D vec4", "vec4"),
        ("shadow2DProj", "sampler2DShadow vec4", "vec4"),
        ("texture2DRect", "sampler2DRect vec2", "vec4"),
        ("textureCube", "samplerCube vec3", "vec4"),
        ("noise2", "vec3", "vec2"),
    ] {
        assert_eq!(call(old, name, arguments), Ok((result.to_string(), 0)), "{name}({arguments})");
    }
}

/// A function that a version lacks is an error that says which versions have it; without `#version` it is a warning.
#[test]
fn functions_of_other_versions_are_explained() {
    let es1 = &mut builtins(100, true, false);
    let error =
        |builtins: &mut Builtins, name, arguments| call(builtins, name, arguments).unwrap_err();
    assert_eq!(
        error(es1, "texture", "sampler2D vec2"),
        "GLSL ES 1.00 has no function `texture` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later); write `texture2D`"
    );
    assert_eq!(
        error(es1, "dFdx", "float"),
        "GLSL ES 1.00 has no function `dFdx` (it is in GLSL ES 3.00 and later, GLSL 1.10 and later and the extension \
         `GL_OES_standard_derivatives`); write `#extension GL_OES_standard_derivatives : enable` above"
    );
    let mut extended =
        Builtins::new(version(100, true, false), vec!["GL_OES_standard_derivatives".into()]);
    assert_eq!(call(&mut extended, "dFdx", "vec2"), Ok(("vec2".into(), 0)));
    let es3 = &mut builtins(300, true, false);
    assert_eq!(
        error(es3, "texture2DProj", "sampler2D vec3"),
        "GLSL ES 3.00 has no function `texture2DProj` (it is in GLSL ES 1.00 and GLSL 1.10 to 4.10); \
         GLSL ES 3.00 calls it `textureProj`"
    );
    assert_eq!(
        error(es3, "saturate", "float"),
        "there is no function `saturate`; write `clamp(x, 0.0, 1.0)`"
    );
    assert_eq!(
        error(es3, "smothstep", "float"),
        "there is no function `smothstep`; did you mean `smoothstep`?"
    );
    let guessed = &mut builtins(110, false, true);
    assert_eq!(call(guessed, "round", "float"), Ok(("float".into(), 1)));
    assert_eq!(call(guessed, "texture", "sampler2D vec2"), Ok(("vec4".into(), 1)));
    assert_eq!(call(guessed, "max", "int float"), Ok(("float".into(), 1)));
    assert_eq!(call(guessed, "max", "float float"), Ok(("float".into(), 0)));
}

/// Conversions by version, and errors with all types.
#[test]
fn arguments_are_converted_by_version() {
    assert_eq!(call(&mut builtins(120, false, false), "max", "int float"), Ok(("float".into(), 0)));
    assert_eq!(call(&mut builtins(130, false, false), "abs", "int"), Ok(("int".into(), 0)));
    assert_eq!(call(&mut builtins(120, false, false), "abs", "int"), Ok(("float".into(), 0)));
    assert_eq!(
        call(&mut builtins(300, true, false), "max", "int float").unwrap_err(),
        "no function `max` takes (int, float); GLSL ES 3.00 does not convert `int` to `float` for `max(float, float)`: \
         write a number with a point, as `2.0`, or convert it with `float(...)`"
    );
    assert_eq!(
        call(&mut builtins(300, true, false), "cross", "vec2 vec2").unwrap_err(),
        "no function `cross` takes (vec2, vec2); there is `cross(vec3, vec3)`"
    );
    assert_eq!(
        call(&mut builtins(300, true, false), "dot", "vec3").unwrap_err(),
        "no function `dot` takes (vec3); there is `dot(vec3, vec3)`, `dot(vec2, vec2)`, `dot(vec4, vec4)`, `dot(float, float)`"
    );
}

/// An argument with an error gives no second one.
#[test]
fn errors_are_swallowed() {
    let builtins = &mut builtins(300, true, false);
    let found = builtins.call("length", Span::default(), &[Type::Error]).expect("no error");
    assert_eq!(found.result.to_string(), "float");
    let found = builtins.call("sin", Span::default(), &[Type::Error]).expect("no error");
    assert_eq!(found.result, Type::Error);
}

#[test]
fn variables_are_of_versions_and_stages() {
    let es1 = builtins(100, true, false);
    let of = |builtins: &Builtins, name: &str| {
        builtins
            .variable(name, Span::default())
            .map(|found| {
                found.map(|(variable, warning)| (variable.ty().to_string(), warning.is_some()))
            })
            .map_err(|error| format!("{}; {}", error.message, error.help.unwrap_or_default()))
    };
    assert_eq!(of(&es1, "gl_FragData"), Ok(Some(("vec4[4]".into(), false))));
    assert_eq!(of(&es1, "a"), Ok(None));
    assert_eq!(
        of(&builtins(300, true, false), "gl_FragColor").unwrap_err(),
        "GLSL ES 3.00 has no `gl_FragColor` (it is in GLSL ES 1.00 and GLSL 1.10 to 4.10); \
         declare an output, as `out vec4 color;`, and write to it"
    );
    assert_eq!(of(&builtins(300, true, true), "gl_FragColor"), Ok(Some(("vec4".into(), true))));
    assert!(of(&es1, "gl_Position").unwrap_err().contains("vertex shaders"));
}
