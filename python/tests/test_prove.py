"""Proofs."""

import json

import ctm
import pytest

SHADER = "varying vec2 uv; uniform vec3 tint; void main() { gl_FragColor = vec4(uv * tint.%s, 0.0, 1.0); }"


def test_answers():
    program = ctm.Program("mul o0, r1, 2")
    proved = ctm.prove(program, ctm.Program("add o0, r1, r1"))
    assert proved and proved.answer == "proved" and proved.rules == "values" and proved.differences == []
    assert (proved.input, proved.bits, proved.engine, proved.error, proved.reason) == (None,) * 5
    assert repr(proved) == "<ctm.Proof proved: equal for all inputs, by the rules `values`>"
    assert str(proved) == proved.text == "proved: equal for all inputs, by the rules `values`\n"

    # Nothing but -0 differs.
    plus = [ctm.Program("add o0, r1, 0"), ctm.Program("mov o0, r1")]
    assert ctm.prove(*plus)
    different = ctm.prove(*plus, rules="bits")
    assert not different and different.answer == "different" and different.rules == "bits"
    (difference,) = different.differences
    assert difference["result"] in ("o0.r", "o0.g", "o0.b", "o0.a") and len(difference["terms"]) == 2
    assert set(different.input) == {"seed", "hard", "point"} and len(different.bits) == 2
    assert different.engine["name"] == "block" and repr(different).startswith("<ctm.Proof different: o0.")

    rounded = ctm.prove(ctm.Program("mul r2, r1, c1\nmul o0, r2, c2"), ctm.Program("mul r2, r1, c2\nmul o0, r2, c1"))
    assert not rounded and rounded.answer == "equal up to rounding" and 0 < rounded.error < 1e-9
    shared = ctm.prove(ctm.Program(".sharing global=1\nmov o0, r1"), program)
    assert shared.answer == "not decided" and shared.reason == "programs with data sharing are not supported"


def test_shaders_share_inputs_by_name():
    shader = ctm.Program.compile(SHADER % "y")
    other = "uniform float unused;" + SHADER.replace("uv;", "uv; uniform float more;")
    assert ctm.prove(shader, ctm.Program.compile(other % "y"), rules="bits")
    different = ctm.prove(shader, ctm.Program.compile(other % "z"))
    assert different.differences[0]["terms"] == ["tint.g", "tint.b"]


def test_jobs_give_constants(tmp_path):
    (tmp_path / "p.dpp").write_text("mul o0, r0, c0\n")
    path = tmp_path / "job.toml"
    path.write_text(
        'version = 1\nprogram = { file = "p.dpp" }\ndomain = { i0 = 0, j0 = 0, i1 = 3, j1 = 3 }\n'
        'constants = { float = { 0 = [2, 2, 2, 2] } }\noutput = [{ slot = 0, format = "FLOAT32_4" }]\n'
    )
    job, twice = ctm.Job.read(path), ctm.Program("add o0, r0, r0")
    for a, b in [(path, twice), (job, twice), (twice, str(path)), (job, path)]:
        proof = ctm.prove(a, b)
        assert proof and "with the jobs' constants" in proof.text
    assert not ctm.prove(ctm.Program("mul o0, r0, c0"), twice)


def test_arguments():
    program = ctm.Program(".literal n0 255 0 1\nrep n0\nrep n0\nrep n0\nmov r1, 0\nendrep\nendrep\nendrep\nmov o0, r1")
    stopped = ctm.prove(program, ctm.Program("mov o0, r1"), timeout=1e-6)
    assert stopped.answer == "not decided" and stopped.reason == "stopped by the time limit of 0.000001 s"
    assert json.loads(json.dumps(stopped.differences)) == []
    wrong = [
        (dict(rules="all"), 'rules: "all": expected "values" or "bits"'),
        (dict(rules=3), 'rules: found 3, needed "values" or "bits"'),
        (dict(timeout=0), "timeout: found 0, needed a number of seconds above 0"),
        (dict(timeout="a"), "timeout: found 'a', needed a number of seconds above 0"),
        (dict(b=3), "b: found 3, needed a Job, the path of a job file, or a Program"),
    ]
    for given, message in wrong:
        with pytest.raises(ctm.Error) as raised:
            ctm.prove(**{"a": program, "b": program, **given})
        assert str(raised.value) == message and raised.value.key == next(iter(given))
    for path in ["missing.toml", program]:
        with pytest.raises(ctm.Error, match="missing.toml"):
            ctm.prove(path, "missing.toml")
