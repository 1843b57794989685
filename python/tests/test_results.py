"""Results: tables, pictures, arrays of the caller, warnings."""

import warnings
import zlib

import ctm
import numpy as np
import pytest

DOUBLE = ctm.Program("mul o0, r0, c0.r")
DOMAIN = (0, 0, 7, 3)


def pixels(png):
    """Width, height, and the first row of a PNG file of 8-bit grey or colour."""
    width, height = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
    data, at = b"", 8
    while at < len(png):
        length = int.from_bytes(png[at : at + 4], "big")
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += 12 + length
    return width, height, len(zlib.decompress(data)) // height - 1


def test_a_sweep_is_a_table():
    steps = np.array([[1, 0.5], [2, 0.25]], "float32")
    sweep = DOUBLE.map((0, 0, 0, 0), outputs={0: "FLOAT32_1"}, constants={"c0": steps})
    assert sweep.values["c0"] is steps
    assert sweep.to_dict(sum=lambda outputs: float(outputs[0].sum())) == {
        "launch": [0, 1],
        "c0.r": [1.0, 2.0],
        "c0.g": [0.5, 0.25],
        "output 0": [0.0, 0.0],
        "sum": [0.0, 0.0],
    }
    with pytest.raises(ctm.Error, match="launch: there is a column of this name already"):
        sweep.to_dict(launch=len)


def test_a_table_says_what_failed():
    endless = ctm.Program("rep n0\n rep n0\n mov r1, r1\n endrep\n endrep\n mov o0, r0")
    counts = np.array([[1], [200]], "uint8")
    sweep = endless.map(
        DOMAIN, outputs={0: "FLOAT32_4"}, constants={"n0": counts}, limit=1000
    )
    table = sweep.to_dict()
    assert table["n0"] == [1, 200] and table["fault"][0] is None
    assert table["fault"][1].startswith("launch 1: budget: ")


def test_any_launch_has_a_picture():
    sweep = DOUBLE.map(
        DOMAIN, outputs={0: "FLOAT32_1", }, constants={"c0": np.ones((3, 1), "float32")}
    )
    assert pixels(sweep.picture()) == (8, 4, 8)
    assert sweep.picture(0, launch=2) == sweep.picture(0, launch=1)
    assert pixels(sweep.picture(launch=2, scale=3))[:2] == (24, 12)
    # The notebook shows all three.
    assert pixels(sweep._repr_png_())[:2] == (24, 4)
    for arguments, key in (({"launch": 3}, "launch"), ({"output": 1}, "output"), ({"scale": 0}, "scale")):
        with pytest.raises(ctm.Error) as error:
            sweep.picture(**arguments)
        assert error.value.key == key


def test_results_go_to_arrays_of_the_caller():
    out = np.full((4, 8, 4), 9, "float32")
    result = DOUBLE.run(DOMAIN, outputs={0: "FLOAT32_4"}, constants={"c0": 2}, out={0: out})
    assert result.outputs[0] is out and out[3, 5].tolist() == [10, 6, 0, 0]
    many = np.empty((2, 4, 8), "float32")
    steps = np.array([[1], [2]], "float32")
    sweep = DOUBLE.map(DOMAIN, outputs={0: "FLOAT32_1"}, constants={"c0": steps}, out={0: many})
    assert sweep.outputs[0] is many and many[:, 0, 5].tolist() == [5, 10]


def test_arrays_that_take_no_results_are_refused():
    copy = ctm.Program("ld r1, i0[r0.rg]\n mov o0, r1")
    source = np.zeros((2, 4, 8, 4), "float32")
    frozen = np.zeros((2, 4, 8, 4), "float32")
    frozen.flags.writeable = False
    for out, text in (
        (np.zeros((2, 4, 8), "float32"), "found float32 (2, 4, 8), needed a C-contiguous float32 (2, 4, 8, 4)"),
        (np.zeros((2, 4, 8, 8), "float32")[..., ::2], "found float32 (2, 4, 8, 4), needed a C-contiguous"),
        (np.zeros((2, 4, 8, 4)), "found float64 (2, 4, 8, 4), needed"),
        ([1], "found [1], needed a C-contiguous"),
        (frozen, "it is read-only"),
        (source, "it shares memory with another argument"),
    ):
        with pytest.raises(ctm.Error) as error:
            copy.map(DOMAIN, inputs={0: source}, outputs={0: "FLOAT32_4"}, out={0: out})
        assert str(error.value).startswith(f"out.0: {text}"), error.value
    with pytest.raises(ctm.Error, match="out.1: it is no key of `outputs`"):
        copy.map(DOMAIN, inputs={0: source}, outputs={0: "FLOAT32_4"}, out={1: source})


def test_what_the_command_warns_of_is_a_warning():
    with pytest.warns(ctm.Warning, match="the program uses float constant 0") as caught:
        result = DOUBLE.run(DOMAIN, outputs={0: "FLOAT32_4"})
    assert [str(one.message) for one in caught] == result.warnings
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ctm.Warning):
            DOUBLE.run(DOMAIN, outputs={0: "FLOAT32_4"})
        DOUBLE.run(DOMAIN, outputs={0: "FLOAT32_4"}, constants={"c0": 1})


def test_names_are_those_of_the_source():
    program = ctm.Program(
        ".const gain c3\n.const spare c4\n.output bright o1\n mul bright, r0, gain"
    )
    result = program.run(DOMAIN, outputs={"bright": "FLOAT32_1"}, constants={"gain": 2})
    assert result.outputs["bright"][0, 5] == 10
    with pytest.warns(ctm.Warning, match="declares float constant 4 `spare` and does not use it"):
        program.run(
            DOMAIN, outputs={"bright": "FLOAT32_1"}, constants={"gain": 2, "spare": 1}
        )
    for constants, text in (
        ({"c5": 1}, "constants.c5: the program does not use or declare float constant 5"),
        ({"again": 1}, "constants.again: there is no constant `again`: expected c0 to c255"),
    ):
        with pytest.raises(ctm.Error) as error:
            program.run(DOMAIN, outputs={"bright": "FLOAT32_1"}, constants=constants)
        assert str(error.value).startswith(text)


def test_messages_speak_of_arguments():
    with pytest.raises(ctm.Error) as error:
        DOUBLE.run(DOMAIN, outputs={0: "FLOAT32_4"}, engine="block", adapter="0")
    assert "--" not in str(error.value)
