"""`Program.compile`, uniforms and varyings by name."""

import pickle

import numpy as np
import pytest

import ctm

SOURCE = """
struct Light { vec3 color; float power; };
uniform Light light;
uniform mat2 turn;
uniform float weights[3];
uniform int count;
uniform bool on;
varying vec2 uv;
varying float depth;
void main() {
    vec2 turned = turn * uv;
    float sum = weights[0] + weights[1] * 10.0 + weights[2] * 100.0;
    gl_FragData[0] = vec4(turned, sum, on ? float(count) : -1.0);
    gl_FragData[1] = vec4(light.color * light.power, depth);
}
"""
UNIFORMS = {
    "light": {"color": (1, 2, 3), "power": 2.0},
    "turn": [[1, 2], [3, 4]],
    "weights": np.array([1, 2, 3], dtype="float32"),
    "count": 5,
    "on": True,
}
OUTPUTS = {"gl_FragData[0]": "FLOAT32_4", "gl_FragData[1]": "FLOAT32_4"}


def message(function, *arguments, **named):
    with pytest.raises(ctm.Error) as raised:
        function(*arguments, **named)
    return str(raised.value), raised.value.key


def run(program, **changes):
    named = {"uniforms": UNIFORMS, "varyings": {"uv": (1, 10), "depth": 7}, "outputs": OUTPUTS}
    return program.run((0, 0, 2, 1), **{**named, **changes}).outputs


def test_values_go_by_name():
    for program in (ctm.Program.compile(SOURCE), pickle.loads(pickle.dumps(ctm.Program.compile(SOURCE)))):
        outputs = run(program)
        assert (outputs["gl_FragData[0]"] == (31, 42, 321, 5)).all()
        assert (outputs["gl_FragData[1]"] == (2, 4, 6, 7)).all()


def test_varyings_are_arrays_over_the_domain():
    uv = np.arange(12, dtype="float64").reshape(2, 3, 2)
    depth = np.arange(6, dtype="float32").reshape(2, 3)
    outputs = run(ctm.Program.compile(SOURCE), varyings={"uv": uv, "depth": depth})
    assert (outputs["gl_FragData[1]"][:, :, 3] == depth).all()
    assert (outputs["gl_FragData[0]"][:, :, 0] == uv[:, :, 0] + 3 * uv[:, :, 1]).all()


def test_positions_need_no_value_and_others_warn():
    program = ctm.Program.compile("void main() { gl_FragColor = gl_FragCoord; }")
    output = program.run((2, 1, 3, 1), outputs={0: "FLOAT32_4"}).outputs[0]
    assert output[1, 2:].tolist() == [[2.5, 1.5, 0.5, 1.0], [3.5, 1.5, 0.5, 1.0]]
    with pytest.warns(ctm.Warning, match="no value for the uniforms a"):
        program = ctm.Program.compile("uniform float a; void main() { gl_FragColor = vec4(a); }")
        program.run((0, 0, 0, 0), outputs={0: "FLOAT32_4"})


def test_wgsl_and_options():
    text = """
@group(0) @binding(0) var<uniform> gain: f32;
@fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(gain); }
"""
    program = ctm.Program.compile(text, "wgsl", name="gain", precise=True)
    output = program.run((0, 0, 0, 0), outputs={0: "FLOAT32_1"}, uniforms={"gain": 4}).outputs[0]
    assert (program.name, output.tolist()) == ("gain", [[4.0]])
    text = "uniform sampler2D t; void main() { gl_FragColor = texture2D(t, vec2(0.5)); }"
    source = np.array([[1, 3]], dtype="float32")
    for linear, expected in ([], 3.0), (["t"], 2.0):
        program = ctm.Program.compile(text, linear=linear)
        result = program.run((0, 0, 0, 0), inputs={"t": source}, outputs={0: "FLOAT32_1"})
        assert result.outputs[0][0, 0] == expected


def test_errors_name_the_argument():
    program = ctm.Program.compile(SOURCE)
    for change, key, part in [
        ({"uniforms": {"lights": 1}}, "uniforms.lights", "no uniform of this name; it has light.color"),
        ({"uniforms": {"turn": [1, 2, 3, 4]}}, "uniforms.turn", "2 columns of 2 numbers"),
        ({"uniforms": {"weights": [1, 2]}}, "uniforms.weights", "needed 3 elements"),
        ({"uniforms": {"count": 1.5}}, "uniforms.count", "one of integers"),
        ({"uniforms": {"light": {"color": 1}}}, "uniforms.light.color", "3 numbers"),
        ({"varyings": {"uv": [[1, 2]]}}, "varyings.uv", "an array (2, 3, 2)"),
        ({"varyings": {"st": 1}}, "varyings.st", "no varying of this name; it has"),
    ]:
        text, found = message(run, program, **change)
        assert found == key and part in text, text
    text, key = message(ctm.Program.compile, SOURCE, "hlsl")
    assert (key, "expected glsl or wgsl" in text) == ("language", True)
    text, _ = message(ctm.Program.compile, "void main() { x = 1.0; }")
    assert "x" in text
    text, key = message(ctm.Program("mov o0, r0").run, (0, 0, 0, 0), outputs={0: "FLOAT32_4"}, uniforms={})
    assert (key, "not a shader" in text) == ("uniforms", True)


def test_errors_of_a_source_have_their_places():
    source = "uniform float u;\nvoid main() {\n  u = 1.0;\n  gl_FragColor = vec4(colour);\n}\nfloat unset() { float a; return a; }\n"
    with pytest.raises(ctm.Error) as raised:
        ctm.Program.compile(source)
    error = raised.value
    assert (error.line, error.column, error.end) == (3, 3, 4)
    places = [(one["line"], one["column"], one["end"]) for one in error.errors]
    assert places == [(3, 3, 4), (4, 23, 29)]
    assert [(one["line"], one["column"], one["end"]) for one in error.warnings] == [(6, 33, 34)]
    found = error.errors + error.warnings
    assert all(one["message"] and set(one) == {"line", "column", "end", "message", "help"} for one in found)
    again = pickle.loads(pickle.dumps(error))
    assert (again.column, again.errors) == (error.column, error.errors)


def test_warnings_of_a_source_have_their_places():
    source = "#version 110\nvarying float v;\nvoid main() {\n  float gain;\n  gl_FragColor = vec4(gain + v);\n}\n"
    with pytest.warns(ctm.Warning):
        program = ctm.Program.compile(source, name="gain.frag")
    [finding] = ctm.check(program)
    assert finding.code == "source-warning" and finding.pc is None
    assert (finding.file, finding.line, finding.column, finding.end) == ("gain.frag", 5, 23, 27)
