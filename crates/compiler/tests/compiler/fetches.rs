//! Fetches with computed coordinates.

use ctm_compiler::{Language, Options, compile};

/// The number of instructions of GLSL whose inputs `d` and `b` interpolate.
fn length(source: &str) -> usize {
    let linear = vec!["d".to_string(), "b".to_string()];
    let options = Options { linear, ..Options::default() };
    let compiled = compile(source, "test.frag", Language::Glsl, &options);
    compiled.unwrap_or_else(|error| panic!("{source}\n{error}")).image.words.len()
}

/// A move brings a coordinate to the register of the other, where no instruction can make both there.
#[test]
fn two_fetches_that_interpolate_need_few_registers() {
    let coordinates = [
        "texture2D(%, c)",
        "texture2D(%, e.xy)",
        "texture2D(%, e.yz)",
        "texture2D(%, c * 2.0)",
        "texture2D(%, c + 0.1)",
        "texture2D(%, c.yx)",
        "texture2D(%, e.xy * e.z)",
        "texture2D(%, c + e.xy)",
        "texture2D(%, vec2(e.x, c.y))",
        "texture2D(%, sin(c))",
        "texture2D(%, c.xx)",
        "texture2DProj(%, e)",
        "texture2DProj(%, vec4(c, e.xy))",
    ];
    for first in coordinates {
        for second in coordinates {
            let (first, second) = (first.replace('%', "d"), second.replace('%', "b"));
            let source = format!(
                "varying vec3 e; varying vec2 c; uniform sampler2D d, b; void main() {{ gl_FragColor = {first} * {second}; }}"
            );
            let length = length(&source);
            assert!(length <= 40, "{source}: {length} instructions");
        }
    }
}
