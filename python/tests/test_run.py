"""`Program.run` and `Program.map`: arguments, arrays, faults, errors."""

import array
import gc
import pickle

import numpy as np
import pytest

import ctm

COPY = ctm.Program("ld r1, i0[r0.rg]\nmov o0, r1")
SCALE = ctm.Program("mul o0, r0, c0")
NAMED = ctm.Program(
    """
.input  source i3
.output result o1
.const  step   c7
    ld   r1, source[r0.rg]
    mul  result, r1, step
"""
)
ENDLESS = ctm.Program("top:\n jump -> top\n mov o0, r0")
DOMAIN = (0, 0, 6, 4)


def message(function, *arguments, **named):
    with pytest.raises(ctm.Error) as raised:
        function(*arguments, **named)
    return str(raised.value), raised.value.key


FORMATS = [
    (format, dtype, channels)
    for dtype, name in (("uint8", "UINT8"), ("uint16", "UINT16"), ("float32", "FLOAT32"))
    for channels in (1, 2, 4)
    for format in [f"{name}_{channels}"]
]


@pytest.mark.parametrize("format, dtype, channels", FORMATS)
def test_every_format_keeps_its_elements(format, dtype, channels):
    random = np.random.default_rng(3)
    whole = random.integers(0, 255, (10, 14, channels)).astype(dtype)
    for source in (
        np.ascontiguousarray(whole[:5, :7]),
        whole[:5, :7],
        whole[9:4:-1, ::2],
        np.asfortranarray(whole[:5, :7]),
        whole[:7, :5].transpose(1, 0, 2)[:5],
    ):
        height, width = source.shape[:2]
        domain = (0, 0, width - 1, height - 1)
        output = COPY.run(domain, inputs={0: source}, outputs={0: format}).outputs[0]
        expected = source[:, :, 0] if channels == 1 else source
        assert output.dtype == source.dtype and output.shape == expected.shape
        assert (output == expected).all()
        if channels == 1:
            flat = COPY.run(domain, inputs={0: source[:, :, 0]}, outputs={0: format}).outputs[0]
            assert (flat == expected).all()


def test_arrays_come_from_any_buffer():
    numbers = [float(n) for n in range(12)]
    expected = np.array(numbers, "float32").reshape(3, 4)

    class Interface:
        __array_interface__ = expected.__array_interface__
        keeps = expected

    class DLPack:
        def __dlpack__(self, **named):
            return expected.__dlpack__(**named)

        def __dlpack_device__(self):
            return expected.__dlpack_device__()

    for source in (
        expected,
        memoryview(expected),
        memoryview(array.array("f", numbers)).cast("B").cast("f", (3, 4)),
        Interface(),
        DLPack(),
    ):
        output = COPY.run((0, 0, 3, 2), inputs={0: source}, outputs={0: "FLOAT32_1"}).outputs[0]
        assert (output == expected).all()


def test_outputs_own_the_engines_memory():
    result = SCALE.run(DOMAIN, outputs={0: "FLOAT32_4", 1: "UINT8_4"}, constants={"c0": 1})
    output = result.outputs[0]
    address = output.__array_interface__["data"][0]
    assert output.base is not None and output.flags.writeable and not output.flags.owndata
    expected = output.copy()
    del result
    gc.collect()
    # Other runs do not get its memory.
    others = [SCALE.run(DOMAIN, outputs={0: "FLOAT32_4"}, constants={"c0": 9}) for _ in range(50)]
    assert (output == expected).all()
    addresses = {other.outputs[0].__array_interface__["data"][0] for other in others}
    assert len(addresses) == 50 and address not in addresses
    output[:] = 3
    assert (output == 3).all()


def test_an_output_may_start_with_an_array():
    first = np.full((9, 9, 4), 7, "float32")
    output = SCALE.run(DOMAIN, outputs={0: first}, constants={"c0": 0}).outputs[0]
    assert output.shape == (9, 9, 4) and (first == 7).all()
    assert (output[:5, :7] == 0).all() and (output[5:] == 7).all() and (output[:, 7:] == 7).all()


def test_names_and_registers():
    source = np.ones((5, 7, 4), "float32")
    for inputs, outputs, constants in (
        ({"source": source}, {"result": "FLOAT32_4"}, {"step": (1, 2)}),
        ({3: source}, {1: "FLOAT32_4"}, {"c7": [1, 2]}),
        ({"i3": source}, {"o1": "FLOAT32_4"}, {"c7": np.array([1, 2])}),
    ):
        result = NAMED.run(DOMAIN, inputs=inputs, outputs=outputs, constants=constants)
        (key,) = outputs
        assert result.outputs[key][2, 3].tolist() == [1, 2, 0, 0]
    # What has no name in the source has that of its register.
    assert (COPY.inputs, COPY.outputs, COPY.constants) == ({"i0": 0}, {"o0": 0}, {})
    assert (NAMED.inputs, NAMED.outputs, NAMED.constants) == (
        {"source": 3},
        {"result": 1},
        {"step": "c7"},
    )


def test_constants_of_all_kinds():
    program = ctm.Program(
        "loop n0\n add r1, r1, c1\nendloop\nif b2\n add r1, r1, c1\nendif\nmov o0, r1"
    )
    for count, flag in ((1, False), (5, True), (255, False)):
        result = program.run(
            (0, 0, 0, 0),
            outputs={0: "FLOAT32_1"},
            constants={"n0": (count, 0, 1), "b2": flag, "c1": 1.0},
        )
        assert result.outputs[0].tolist() == [[count + flag]] and result.warnings == []
    result = program.map(
        (0, 0, 0, 0),
        outputs={0: "FLOAT32_1"},
        constants={"n0": [[1], [2], [3]], "b2": [True, False, True], "c1": [[1], [10], [100]]},
    )
    assert result.outputs[0].ravel().tolist() == [2, 20, 400]
    result = program.run((0, 0, 0, 0), outputs={0: "FLOAT32_1"}, constants={"n0": 1})
    assert result.warnings == [
        "the program uses float constant 1, which the caller does not give: it reads 0",
        "the program uses boolean constant 2, which the caller does not give: it reads 0",
    ]


def test_wrong_arguments_say_what_is_needed():
    zeros = np.zeros
    run = COPY.run
    outputs = {0: "FLOAT32_4"}
    shapes = (
        "needed float32, uint8 or uint16 of shape (height, width) or (height, width, channels), with "
        "1, 2 or 4 channels, and height and width from 1 to 4096"
    )
    for value, found in (
        (zeros((5, 7, 3), "float32"), "float32 (5, 7, 3)"),
        (zeros(5, "float32"), "float32 (5,)"),
        (zeros((0, 7), "float32"), "float32 (0, 7)"),
        (zeros((2, 5, 7, 4), "float32"), "float32 (2, 5, 7, 4)"),
        ("text", "'text'"),
    ):
        assert message(run, DOMAIN, inputs={0: value}, outputs=outputs) == (
            f"inputs.0: found {found}, {shapes}",
            "inputs.0",
        )
    for value, found in (
        (zeros((5, 7, 4)), "float64 (5, 7, 4)"),
        (zeros((5, 7), ">f4"), ">f4 (5, 7)"),
    ):
        assert message(run, DOMAIN, inputs={0: value}, outputs=outputs) == (
            f'inputs.0: found {found}, {shapes}; `.astype("float32")` converts it',
            "inputs.0",
        )
    good = {0: zeros((5, 7), "float32")}
    for expected, key, arguments in (
        (
            "outputs.0: \"F\" is not a format: expected one of UINT16_1, UINT8_4, FLOAT32_1, "
            "FLOAT32_2, FLOAT32_4, UINT8_1, UINT8_2, UINT16_2, UINT16_4",
            "outputs.0",
            {"outputs": {0: "F"}},
        ),
        (
            "inputs.source: there is no input `source`: expected 0 to 15, i0 to i15",
            "inputs.source",
            {"inputs": {"source": good[0]}},
        ),
        ("inputs.i0: input 0 is given twice", "inputs.i0", {"inputs": {**good, "i0": good[0]}}),
        (
            "constants.stp: there is no constant `stp`: expected c0 to c255, n0 to n31, b0 to b31",
            "constants.stp",
            {"constants": {"stp": 1}},
        ),
        (
            "constants.c0: found int64 (5,), needed a number or 1 to 4 numbers in the range of float32",
            "constants.c0",
            {"constants": {"c0": [1, 2, 3, 4, 5]}},
        ),
        (
            "constants.n0: found 0.5, needed integers: count and aL start from 0 to 255, aL step from "
            "-128 to 127",
            "constants.n0",
            {"constants": {"n0": 0.5}},
        ),
        (
            "constants.n0: found 300, needed integers: count and aL start from 0 to 255, aL step from "
            "-128 to 127",
            "constants.n0",
            {"constants": {"n0": 300}},
        ),
        (
            "constants.b0: found 1, needed True or False",
            "constants.b0",
            {"constants": {"b0": 1}},
        ),
        ("domain: i1 is 4096, needed 0 to 4095", "domain", {"domain": (0, 0, 4096, 0)}),
        ('mode: "exakt": expected exact, fast or chip', "mode", {"mode": "exakt"}),
        (
            'engine "none": expected auto, reference, block, interpreter, translated or gpu',
            None,
            {"engine": "none"},
        ),
        (
            "input 0 was never set, but the instruction at pc 0, program:1:1 fetches from it",
            None,
            {"inputs": {}},
        ),
    ):
        named = {"domain": DOMAIN, "inputs": good, "outputs": outputs, **arguments}
        assert message(run, named.pop("domain"), **named) == (expected, key)
    with pytest.raises(TypeError):
        run(DOMAIN, inputs=good)


def test_faults_are_data():
    result = ENDLESS.run((0, 0, 15, 15), outputs={0: "FLOAT32_4"}, limit=100)
    (fault,) = result.faults
    assert (fault.code, fault.count, fault.point, fault.pc, fault.launch) == ("budget", 4, (0, 0), 0, 0)
    assert fault.text.startswith("budget: the group ran over its instruction budget: 4 times")
    assert pickle.loads(pickle.dumps(fault)) == fault
    assert (result.outputs[0] == 0).all()


def test_statistics_are_kept_on_demand():
    assert SCALE.run(DOMAIN, outputs={0: "FLOAT32_4"}).statistics is None
    counters = SCALE.run(DOMAIN, outputs={0: "FLOAT32_4"}, stats=True).statistics
    assert (counters["points"], counters["groups"], counters["alu"]) == (35, 1, 0)
    swept = SCALE.map(DOMAIN, outputs={0: "FLOAT32_4"}, constants={"c0": np.ones((3, 1))}, stats=True)
    assert swept.statistics == {name: 3 * n for name, n in counters.items()}


@pytest.mark.parametrize("engine", ["auto", "block", "reference"])
@pytest.mark.parametrize("mode", ["exact", "fast", "chip"])
def test_a_map_gives_what_runs_give(engine, mode):
    random = np.random.default_rng(4)
    for format, dtype, channels in FORMATS:
        sources = random.integers(0, 250, (9, 5, 7, channels)).astype(dtype)
        steps = random.random((9, 3)).astype("float32")
        program = NAMED if dtype == "float32" else COPY
        slots = (3, 1) if dtype == "float32" else (0, 0)
        common = {"outputs": {slots[1]: format}, "engine": engine, "mode": mode}
        named = {"c7"} if program is NAMED else set()
        swept = program.map(
            DOMAIN, inputs={slots[0]: sources}, constants={name: steps for name in named}, **common
        ).outputs[slots[1]]
        for n in range(9):
            one = program.run(
                DOMAIN, inputs={slots[0]: sources[n]}, constants={name: steps[n] for name in named}, **common
            ).outputs[slots[1]]
            assert swept[n].tobytes() == one.tobytes()


def test_a_map_reuses_memory_without_leaving_anything():
    # More launches than a batch has.
    program = SCALE
    count = 20_000
    constants = np.zeros((count, 1), "float32")
    constants[::7] = 1
    output = program.map((0, 0, 7, 7), outputs={0: "UINT8_1"}, constants={"c0": constants}).outputs[0]
    expected = program.run((0, 0, 7, 7), outputs={0: "UINT8_1"}, constants={"c0": 1}).outputs[0]
    assert (output[::7] == expected).all() and output[1].max() == 0
    assert output.shape == (count, 8, 8)


def test_faults_of_a_map_have_their_launch():
    program = ctm.Program("top:\n if b0\n  jump -> top\n endif\n mov o0, r0")
    flags = np.arange(5000) % 1000 == 7
    result = program.map(
        (0, 0, 0, 0), outputs={0: "FLOAT32_1"}, constants={"b0": flags}, limit=100
    )
    assert [fault.launch for fault in result.faults] == [7, 1007, 2007, 3007, 4007]
    # Their texts say so, too.
    assert result.faults[1].text.startswith("launch 1007: budget: ")
    assert repr(result.faults[1]) == f"<ctm.Fault {result.faults[1].text}>"
    assert pickle.loads(pickle.dumps(result.faults[1])) == result.faults[1]


def test_wrong_maps_say_what_is_needed():
    outputs = {0: "FLOAT32_4"}
    assert message(COPY.map, DOMAIN, outputs=outputs)[0] == (
        "no constant and no input has an axis for the launches: `run` runs one launch"
    )
    two = ctm.Program("mad o0, r0, c0, c1")
    constants = {"c0": np.zeros((3, 1)), "c1": np.zeros((4, 1))}
    assert message(two.map, DOMAIN, outputs=outputs, constants=constants) == (
        "constants.c1: it has 4 values along its first axis, but constants.c0 has 3",
        "constants.c1",
    )
    assert message(COPY.map, DOMAIN, outputs=outputs, constants={"c0": np.zeros((3, 5))})[0] == (
        "constants.c0: found float64 (3, 5), needed a number or 1 to 4 numbers in the range of float32, or "
        "an array (n, 1 to 4) with one for each launch"
    )
    none = SCALE.map(DOMAIN, outputs=outputs, constants={"c0": np.zeros((0, 1))})
    assert none.outputs[0].shape == (0, 5, 7, 4) and none.launches == 0


def test_progress():
    seen = []
    constants = {"c0": np.zeros((50_000, 1))}
    SCALE.map((0, 0, 0, 0), outputs={0: "FLOAT32_1"}, constants=constants,
              progress=lambda *at: seen.append(at))
    assert seen[-1] == (50_000, 50_000) and len(seen) > 1
    assert seen == sorted(seen)
    # An exception of the caller's function ends the sweep.
    with pytest.raises(ZeroDivisionError):
        SCALE.map((0, 0, 0, 0), outputs={0: "FLOAT32_1"}, constants=constants,
                  progress=lambda done, total: 1 // 0)
    SCALE.map((0, 0, 0, 0), outputs={0: "FLOAT32_1"}, constants=constants, progress=True)


def test_programs_pickle_and_show_themselves(tmp_path):
    copy = pickle.loads(pickle.dumps(NAMED))
    assert copy.disassemble() == NAMED.disassemble() and copy.inputs == NAMED.inputs
    source = np.random.default_rng(5).random((5, 7, 4), "float32")
    named = {"inputs": {"source": source}, "outputs": {"result": "FLOAT32_4"}, "constants": {"step": (3, 3, 3, 3)}}
    results = [one.run(DOMAIN, **named).outputs["result"].tobytes() for one in (copy, NAMED)]
    assert results == [(3 * source).tobytes()] * 2
    path = tmp_path / "kernel.dpp"
    path.write_text("add o0, r0, r0 ; <&>\n")
    for of in (path, str(path)):
        program = ctm.Program(of)
        assert program.name == str(path)
    assert repr(program) == f"<ctm.Program {path}: 1 instruction>"
    assert program._repr_html_().startswith("<pre>") and "<&>" not in program._repr_html_()
    assert ctm.Program(program.elf()).disassemble(friendly=False) == program.disassemble(friendly=False)
    result = program.run(DOMAIN, outputs={0: "UINT8_4"})
    assert result._repr_png_().startswith(b"\x89PNG")
    assert repr(result) == "<ctm.Result: outputs [0], 0 faults>"
    for format in ("UINT8_1", "UINT8_2", "UINT8_4"):
        picture = SCALE.run(DOMAIN, outputs={0: format}, constants={"c0": 2}).picture()
        for count in (1, 2, 5):
            constants = {"c0": np.full((count, 1), 2)}
            swept = SCALE.map(DOMAIN, outputs={0: format}, constants=constants)
            assert swept.picture(launch=count - 1) == picture
            assert swept._repr_png_().startswith(b"\x89PNG")
    none = SCALE.map(DOMAIN, outputs={0: "UINT8_4"}, constants={"c0": np.zeros((0, 1))})
    assert none._repr_png_() is None
    assert ctm.Program("mov r0, r0\nend").run(DOMAIN, outputs={})._repr_png_() is None


def test_an_input_that_was_not_set_has_its_place():
    with pytest.raises(ctm.Error) as error:
        NAMED.run(DOMAIN, outputs={"result": "FLOAT32_4"}, constants={"step": 1})
    assert (error.value.file, error.value.line, error.value.pc) == ("program", 5, 0)
    with pytest.raises(ctm.Error) as error:
        NAMED.map(DOMAIN, outputs={}, inputs={3: np.zeros((3, 5, 7, 4), "float32")})
    assert (error.value.file, error.value.line, error.value.pc) == ("program", 6, 1)
    assert str(error.value).startswith("launch 0: output 1 `result` was never set")


def test_errors_have_their_places():
    def raised(*arguments, **named):
        with pytest.raises(ctm.Error) as error:
            ctm.Program(*arguments, **named)
        return error.value

    error = raised("mov o0, r0\nadd r1, r0", name="kernel.dpp")
    assert (error.file, error.line, error.pc, error.key, error.point) == ("kernel.dpp", 2, None, None, None)
    error = pickle.loads(pickle.dumps(error))
    assert (error.file, error.line) == ("kernel.dpp", 2) and str(error).startswith("add takes 2 operands, not 1\n")
    assert str(raised("missing.dpp")) == (
        "cannot read missing.dpp: No such file or directory (os error 2)"
    )
    assert str(raised(3)) == "source: found 3, needed the text or the bytes of a program, or a path"
    assert str(raised(b"", kind="dpp")) == (
        'kind: "dpp": expected one of asm, elf, hex, bin, mesa, ps, glsl, wgsl'
    )
