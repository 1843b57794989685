"""Values that do not fit: `ctm.Error` with the name of the argument, `MemoryError`, and nothing else."""

import array
import fractions
import os
import subprocess
import sys
import types

import numpy as np
import pytest

import ctm

USES = ctm.Program("mul o0, r0, c0")
COPY = ctm.Program("ld r1, i0[r0.rg]\nmov o0, r1")
CONSTANTS = ctm.Program("loop n0\n add r1, r1, c0\nendloop\nif b0\n mov o0, r1\nendif\nmov o0, r1")
POINT = (0, 0, 0, 0)
ONE = {0: "FLOAT32_4"}


def refused(call, key):
    """The message of the error of a call, without the key."""
    with pytest.raises(ctm.Error) as raised:
        call()
    assert raised.value.key == key
    start, _, message = str(raised.value).partition(f"{key}: ")
    assert start == ""
    return message


def test_an_error_is_a_value_error():
    with pytest.raises(ValueError) as raised:
        COPY.run(POINT, outputs=ONE, mode="exakt")
    assert type(raised.value) is ctm.Error


FLOATS = "a number or 1 to 4 numbers in the range of float32"
INTEGERS = "integers: count and aL start from 0 to 255, aL step from -128 to 127"


@pytest.mark.parametrize(
    "name, value, found",
    [
        ("c0", None, "None"),
        ("c0", [None, "2"], "[None, '2']"),
        ("c0", [1, None], "[1, None]"),
        ("c0", "1", "'1'"),
        ("c0", True, "True"),
        ("c0", np.datetime64("2020-01-01"), "np.datetime64('2020-01-01')"),
        ("c0", 1j, "1j"),
        ("c0", fractions.Fraction(1, 2), "Fraction(1, 2)"),
        ("c0", [[1, 2], [3]], "[[1, 2], [3]]"),
        ("c0", {1: 2}, "{1: 2}"),
        ("c0", [], "float64 (0,)"),
        ("c0", [1, 2, 3, 4, 5], "int64 (5,)"),
        ("c0", 1e39, "1e39"),
        ("c0", -1e39, "-1e39"),
        ("c0", 2**128, "340282366920938463463374607431768211456"),
        ("c0", -(2**128), str(-(2**128))),
        ("c0", np.broadcast_to(np.int32(0), (1 << 16, 1 << 16, 1 << 16)), "int32 (65536, 65536, 65536)"),
        ("c0", np.broadcast_to(np.int32(0), (1 << 20, 1 << 20)), "int32 (1048576, 1048576)"),
        ("c0", 10**400, f"1{'0' * 79}..."),
        ("c0", np.float64(1e300), "1e300"),
        ("c0", [1, np.float64(1e300)], "1e300"),
        ("n0", None, "None"),
        ("n0", 0.5, "0.5"),
        ("n0", True, "True"),
        ("n0", 300, "300"),
        ("n0", (1, -1), "-1"),
        ("n0", (1, 0, 128), "128"),
        ("n0", (1, 0, np.uint64(2**64 - 1)), "float64 (3,)"),
        ("n0", np.array([2**64 - 1], "u8"), "18446744073709551615"),
        ("b0", None, "None"),
        ("b0", 1, "1"),
        ("b0", "True", "'True'"),
    ],
)
def test_a_constant_is_a_number(name, value, found):
    needed = {"c": FLOATS, "n": INTEGERS, "b": "True or False"}[name[0]]
    message = refused(
        lambda: CONSTANTS.run(POINT, outputs=ONE, constants={name: value}), f"constants.{name}"
    )
    if found == "[[1, 2], [3]]":
        # NumPy's reason follows.
        message, _, reason = message.partition(" (")
        assert reason
    assert message == f"found {found}, needed {needed}"


def test_numbers_of_all_types_are_constants():
    program = ctm.Program("mov o0, c0")

    def of(value):
        result = program.run(POINT, outputs={0: "FLOAT32_1"}, constants={0: value})
        return result.outputs[0].view("uint32")[0, 0]

    for value in (2, 2.0, np.float16(2), np.float32(2), np.uint8(2), np.array([2], ">i4"), (2, 3)):
        assert of(value) == 0x40000000
    # An integer is rounded once. Infinities and NaN are values.
    assert of(2**60 + 2**36 + 1) == of(np.int64(2**60 + 2**36 + 1)) == 0x5D800001
    assert of(2**64 + 2**40 + 1) == of([2**64 + 2**40 + 1, 1]) == 0x5F800001
    assert of(10**20) == np.float32(1e20).view("uint32") and of(-(2**127)) == 0xFF000000
    assert of(float("inf")) == 0x7F800000 and of(np.float64("-inf")) == 0xFF800000
    assert of(float("nan")) == of(np.float64("nan")) == of(np.float32("nan")) == 0x7FFFFFFF
    # A number is the key of a float constant.
    assert program.run(POINT, outputs=ONE, constants={0: (1, 2)}).outputs[0].tolist() == [[[1, 2, 0, 0]]]
    refused(lambda: program.run(POINT, outputs=ONE, constants={256: 1}), "constants.256")


def test_a_truth_value_of_another_byte_is_one_bit():
    program = ctm.Program("if b0\n mov r1, 1\nendif\nif b1\n mov r1, 2\nendif\nmov o0, r1")
    true = np.array(2, "uint8").view("bool")
    result = program.run(POINT, outputs={0: "FLOAT32_1"}, constants={"b0": true})
    assert result.outputs[0].tolist() == [[1]]


ARRAYS = "float32, uint8 or uint16 of shape"


@pytest.mark.parametrize(
    "value, found",
    [
        (None, "None"),
        ([[1, 2], [3]], "[[1, 2], [3]]"),
        ([["a", "b"]], "[['a', 'b']]"),
        (np.float32, "<class 'numpy.float32'>"),
        ([[1, 2], [3, 4]], "int64 (2, 2)"),
        (np.zeros((5, 7), ">f4"), ">f4 (5, 7)"),
    ],
)
def test_an_input_is_an_array(value, found):
    for argument in ("inputs", "outputs"):
        named = {"inputs": {0: np.zeros((1, 1), "f4")}, "outputs": ONE, argument: {0: value}}
        message = refused(lambda: COPY.run(POINT, **named), f"{argument}.0")
        assert message.startswith(f"found {found}, needed ") and ARRAYS in message
        assert (argument == "outputs") == ('a format, such as "FLOAT32_4", or an array: ' in message)


@pytest.mark.parametrize(
    "entry",
    [
        {"strides": (128,)},
        {"strides": (1,)},
        {"strides": (144, 16)},
        {"strides": ()},
        {"strides": (1, 2, 3, 4, 5)},
        {"shape": (5, -9, 4)},
        {"shape": None},
        {"data": None},
        {"typestr": None},
    ],
)
def test_a_wrong_array_interface_is_refused(entry):
    whole = np.ones((5, 9, 4), "float32")

    class Wrong:
        __array_interface__ = {**whole.__array_interface__, **entry}

    for call, key in (
        (lambda: COPY.run((0, 0, 8, 4), inputs={0: Wrong()}, outputs=ONE), "inputs.0"),
        (lambda: COPY.run((0, 0, 8, 4), outputs={0: Wrong()}), "outputs.0"),
        (lambda: COPY.run(POINT, outputs=ONE, constants={"c0": Wrong()}), "constants.c0"),
    ):
        message = refused(call, key)
        assert message.startswith("found <") and "needed " in message


def test_an_array_interface_of_bytes_is_an_array():
    # Pillow's images have one.
    class Image:
        __array_interface__ = {
            "version": 3, "shape": (2, 3, 4), "typestr": "|u1", "data": bytes(range(24)),
        }

    output = COPY.run((0, 0, 2, 1), inputs={0: Image()}, outputs={0: "UINT8_4"}).outputs[0]
    assert output.tobytes() == bytes(range(24))


class Reads:
    """An array whose reader runs code."""

    def __init__(self, act):
        self.act = act

    def __array__(self, dtype=None, copy=None):
        self.act()
        return np.zeros((1, 1), "float32")


def test_reading_a_value_may_change_the_mapping():
    inputs = {}
    inputs[0] = Reads(lambda: inputs.update({n: 0 for n in range(1, 16)}))
    outputs = {}
    outputs[0] = Reads(lambda: outputs.clear())
    constants = {}
    constants["c0"] = Reads(lambda: constants.update({"c1": None}))
    assert COPY.run(POINT, inputs=inputs, outputs=outputs).outputs[0].tolist() == [[0]]
    assert len(inputs) == 16 and not outputs
    refused(lambda: COPY.run(POINT, outputs=ONE, constants=constants), "constants.c0")


def test_what_a_reader_raises_is_the_cause():
    def fail(error):
        raise error

    for error in (RuntimeError("no"), ValueError("no"), KeyError("no")):
        with pytest.raises(ctm.Error, match="^inputs.0: found .* [(]'?no'?[)]$") as raised:
            COPY.run(POINT, inputs={0: Reads(lambda: fail(error))}, outputs=ONE)
        assert raised.value.__cause__ is error
    for error in (KeyboardInterrupt(), MemoryError()):
        with pytest.raises(type(error)):
            COPY.run(POINT, inputs={0: Reads(lambda: fail(error))}, outputs=ONE)

        class Path:
            def __fspath__(self):
                raise error

        with pytest.raises(type(error)):
            ctm.Job.read(Path())


def test_arguments_of_another_kind_are_refused_by_name():
    inputs = {0: np.zeros((1, 1), "float32")}
    four = "needed four integers: i0, j0, i1, j1, inclusive"
    limit = "needed an integer from 1 to 18446744073709551615"
    device = ctm.Device(gpu_bytes=1 << 16, sys_bytes=0)

    def run(**named):
        return COPY.run(**{"domain": POINT, "inputs": inputs, "outputs": ONE, **named})

    for key, value, message in (
        ("domain", (4, 4), f"found (4, 4), {four}"),
        ("domain", 4, f"found 4, {four}"),
        ("domain", None, f"found None, {four}"),
        ("domain", "abcd", f"found 'abcd', {four}"),
        ("domain", (0, 0, 1.5, 0), f"found (0, 0, 1.5, 0), {four}"),
        ("domain", (0, 0, 2**70, 0), f"found (0, 0, {2**70}, 0), {four}"),
        ("domain", range(2**40), f"found range(0, {2**40}), {four}"),
        ("domain", (0, -1, 0, 0), "j0 is -1, needed 0 to 4095"),
        ("limit", -1, f"found -1, {limit}"),
        ("limit", 0, f"found 0, {limit}"),
        ("limit", 2**64, f"found {2**64}, {limit}"),
        ("limit", 1.5, f"found 1.5, {limit}"),
        ("inputs", [1], "found [1], needed a dict, or another mapping"),
        ("outputs", None, "found None, needed a dict, or another mapping"),
        ("constants", "c0", "found 'c0', needed a dict, or another mapping"),
        ("engine", 3, "found 3, needed the name of an engine"),
        ("engine", "\ud800", "found '\\ud800', needed the name of an engine"),
        ("adapter", 0, "found 0, needed the name or the number of an adapter, as a string"),
        ("mode", None, 'found None, needed "exact", "fast" or "chip"'),
        ("stats", "yes", "found 'yes', needed True or False"),
    ):
        assert refused(lambda: run(**{key: value}), key) == message
    for key, call in (
        ("progress", lambda: USES.map(POINT, outputs=ONE, constants={"c0": [[1]]}, progress=5)),
        ("limit", lambda: ctm.check(COPY, POINT, outputs=ONE, limit=-1)),
        ("points", lambda: ctm.check(COPY, POINT, outputs=ONE, points=-1)),
        ("subject", lambda: ctm.check(3)),
        ("source", lambda: ctm.Program(3)),
        ("kind", lambda: ctm.Program("end", kind=3)),
        ("index", lambda: ctm.Program("end", index=-1)),
        ("size", lambda: COPY.translate(size=3)),
        ("friendly", lambda: COPY.disassemble(friendly="no")),
        ("text", lambda: ctm.assemble(3)),
        ("path", lambda: ctm.Job.read(3)),
        ("root", lambda: ctm.Job.read("a.toml", root=3)),
        ("gpu_bytes", lambda: ctm.Device(gpu_bytes=-1)),
        ("address", lambda: device.read(-1, 4)),
        ("count", lambda: device.read(0, -1)),
    ):
        assert refused(call, key).startswith("found ")
    # A mapping of another type is one.
    assert run(inputs=types.MappingProxyType(inputs)).outputs[0].tolist() == [[[0, 0, 0, 1]]]
    # A call that does not fit the signature is Python's error.
    with pytest.raises(TypeError):
        COPY.run(POINT)


@pytest.mark.parametrize(
    "value, found",
    [
        (None, "None"),
        (object, "<class 'object'>"),
        ({1: 2}, "{1: 2}"),
        ("abc", "'abc'"),
        (np.array(["ab"]), "array(['ab'], dtype='<U2')"),
        (np.array([1, 2], ">u4"), ">u4 (2,)"),
        ([[1, 2], [3]], "[[1, 2], [3]]"),
    ],
)
def test_a_device_writes_numbers(value, found):
    device = ctm.Device(gpu_bytes=1 << 16, sys_bytes=0)
    message = refused(lambda: device.write(device.gpu, value), "data")
    assert message.startswith(f"found {found}, needed bytes, or an array of numbers in ")
    assert device.read(device.gpu, 64) == bytes(64)


def test_words_are_integers():
    device = ctm.Device(gpu_bytes=1 << 16, sys_bytes=0)
    start = 0xC0000800
    for words in (
        [start, 0],
        (start, np.uint32(0)),
        np.array([start, 0]),
        np.array([start, 0], ">u4"),
        np.array([start, 7, 0, 7], "uint32")[::2],
        array.array("I", [start, 0]),
        np.array([start, 0], "uint32").tobytes(),
        bytearray(np.array([start, 0], "uint32").tobytes()),
    ):
        with pytest.raises(ctm.Error, match=r"^word 0 \(0xc0000800\): start_program: set_inst_fmt"):
            device.submit(words)
    integers = "needed an integer from 0 to 0xffffffff"
    needed = "needed integers from 0 to 0xffffffff, or bytes"
    for words, message in (
        ([start, -1], f"word 1 is -1, {integers}"),
        ([start, 2**32], f"word 1 is 4294967296, {integers}"),
        (np.array([2**64 - 1], "u8"), f"word 0 is 18446744073709551615, {integers}"),
        ([0.5], f"word 0 is 0.5, {integers}"),
        (5, f"found 5, {needed}"),
        (None, f"found None, {needed}"),
        ("abc", f"found 'abc', {needed}"),
        (np.broadcast_to(np.int32(0), (1 << 24, 1 << 24)), f"found int32 (16777216, 16777216), {needed}"),
        ([[1, 2]], f"found int64 (1, 2), {needed}"),
        (b"abc", "found 3 bytes, needed a multiple of 4"),
    ):
        assert refused(lambda: device.submit(words), "words") == message
    assert device.submit([]).launches == 0


HUGE = """
import resource
import numpy as np, ctm
program = ctm.Program("mov o0, c0")
device = ctm.Device(gpu_bytes=1 << 16, sys_bytes=0)
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
try:
    {}
except {} as error:
    print(error)
"""

CALLS = {
    "a constant": (
        "program.map((0, 0, 0, 0), outputs={}, "
        "constants={'c0': np.broadcast_to(np.float32(1), (1 << 33, 1))})"
    ),
    "a converted constant": (
        "program.map((0, 0, 0, 0), outputs={}, "
        "constants={'c0': np.broadcast_to(np.uint8(1), (1 << 33, 1))})"
    ),
    "truth values": (
        "program.map((0, 0, 0, 0), outputs={}, "
        "constants={'b0': np.broadcast_to(np.bool_(1), (1 << 34,))})"
    ),
    "outputs": (
        "program.map((0, 0, 63, 63), outputs={0: 'FLOAT32_4'}, "
        "constants={'c0': np.zeros((1 << 20, 1), 'f4')})"
    ),
    "outputs beyond addresses": (
        "ctm.Program('.input spare i0\\n mov o0, c0').map((0, 0, 4095, 4095), outputs={0: 'FLOAT32_4'}, "
        "inputs={0: np.broadcast_to(np.uint8(0), (1 << 60, 1, 1, 1))})"
    ),
    "words": "device.submit(np.broadcast_to(np.uint32(0), (1 << 40,)))",
    "a range of words": "device.submit(range(1 << 40))",
    "arenas": "ctm.Device(gpu_bytes=3 << 30, sys_bytes=1 << 16), ctm.Device(gpu_bytes=3 << 30), "
    "ctm.Device(gpu_bytes=3 << 30)",
}


# What is larger than any launch takes is refused before memory is asked for.
REFUSED = "(MemoryError, ctm.Error)"


def run_alone(program):
    """What a program prints in a process of its own. It must end well and say nothing else."""
    # Without a desktop Mesa's layer has an error to say; docs/c-api.md.
    quiet = {**os.environ, "NODEVICE_SELECT": "1"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=quiet)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory")
def test_no_memory_is_a_memory_error(call):
    assert run_alone(HUGE.format(CALLS[call], REFUSED)) != ""


@pytest.mark.skipif(sys.platform != "linux", reason="needs the size of a process")
def test_room_for_all_is_asked_for_before_anything_is_copied():
    call = (
        "program.map((0, 0, 0, 0), outputs={}, "
        "constants={'b0': np.broadcast_to(np.bool_(1), (1 << 31,))})"
    )
    size = "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss"
    said = run_alone(HUGE.format(call, REFUSED) + f"    print({size})\n")
    # In KiB: the truth values alone are 2 GiB.
    assert int(said.split()[-1]) < 1 << 20


def test_more_than_an_arena_is_refused_without_memory_for_it():
    call = "device.write(device.gpu, np.broadcast_to(np.uint8(1), (1 << 42,)))"
    said = run_alone(HUGE.format(call, "ctm.Error"))
    assert said.endswith("4398046511104 bytes from there are not inside one arena\n")
