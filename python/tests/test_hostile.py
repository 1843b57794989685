"""Hostile values of every argument of every public function: each call ends with a result or an `Exception`, in a bounded
memory. The arguments are those that `inspect.signature` finds, so that a new one cannot be forgotten."""

import inspect
import os
import subprocess
import sys

import numpy as np
import pytest

import ctm
from ctm import _ctm

POINT = (0, 0, 0, 0)
ONE = {0: "FLOAT32_4"}
JOB = """version = 1
program = { file = "a.dpp" }
domain = { i0 = 0, j0 = 0, i1 = 0, j1 = 0 }
output = [{ slot = 0, format = "FLOAT32_4" }]
"""
FILES = {"a.dpp": b"mov o0, r0"}
SHADER = """uniform sampler2D photo; uniform vec3 tint[2]; uniform mat2 turn; varying vec2 uv;
struct Light { float power; }; uniform Light light;
void main() { gl_FragColor = vec4(texture2D(photo, turn * uv).rgb * tint[0] * tint[1], light.power); }"""


def calls():
    """What is called, by its name in `public`, with arguments that are right."""
    program = ctm.Program("loop n0\n add r1, r1, c0\nendloop\nif b0\n ld r1, i0[r0.rg]\nendif\nmov o0, r1")
    shader = ctm.Program.compile(SHADER)
    job = ctm.Job(JOB, "job.toml", FILES)
    device = ctm.Device(gpu_bytes=1 << 20, sys_bytes=1 << 20)
    image = np.zeros((1, 1, 4), "f4")
    constants = {"c0": [1.0, 2.0], "n0": [1, 0, 1], "b0": True}
    run = dict(domain=POINT, outputs=dict(ONE), inputs={0: image}, constants=constants)
    lit = dict(
        domain=POINT, outputs={"gl_FragColor": "FLOAT32_4"}, inputs={"photo": image},
        uniforms={"tint": [[1.0, 1.0, 1.0]] * 2, "turn": [[1.0, 0.0]] * 2, "light": {"power": 1.0}},
        varyings={"uv": [0.5, 0.5]},
    )  # fmt: skip
    swept = {**run, "constants": {**constants, "c0": [[1.0], [2.0]], "b0": np.array([True, False])}}
    checked = dict(subject=program, **run)
    result = program.run(**run)
    out = {0: np.zeros((1, 1, 4), "f4")}
    return {
        "assemble": [(ctm.assemble, dict(text="mov o0, r0", name="a"))],
        "check": [
            (ctm.check, dict(checked)),
            (ctm.check, dict(subject=shader, **lit)),
            (ctm.check, dict(subject=job)),
        ],
        "look": [(_ctm.look, dict(paths=["missing.toml"]))],
        "pack": [(ctm.pack, dict(jobs=["missing.toml"], path="missing.toml/a.pack"))],
        "prove": [
            (ctm.prove, dict(a=program, b=ctm.Program("mov o0, r0"), timeout=60.0)),
            (ctm.prove, dict(a=job, b=program)),
        ],
        "plan": [(_ctm.plan, dict(program=program, **swept))],
        "Device": [(ctm.Device, dict(gpu_bytes=1 << 16, sys_bytes=1 << 16))],
        "Device.read": [(device.read, dict(address=device.gpu, count=4))],
        "Device.submit": [(device.submit, dict(words=[0xC0001700, 0]))],
        "Device.write": [(device.write, dict(address=device.gpu, data=[1, 2]))],
        "Fault": [
            (ctm.Fault, dict(code="budget", count=1, point=(0, 0), pc=0, slot=0, word=0, launch=0, line="", many=False))
        ],
        "Job": [(ctm.Job, dict(text=JOB, path="job.toml", files=dict(FILES)))],
        "Job.read": [(ctm.Job.read, dict(path="missing.toml"))],
        "Job.run": [(job.run, dict())],
        "Program": [(ctm.Program, dict(source="mov o0, r0")), (ctm.Program, dict(source=SHADER, kind="glsl")),
                    (ctm.Program, dict(source=bytes(24), kind="bin", registers={"US_CONFIG": 2}, umrt=False))],
        "Program.from_words": [
            (ctm.Program.from_words, dict(words=[[0x78005, 0, 0, 0x930498, 0xC18003, 5]], registers={"US_CONFIG": 2}))
        ],
        "Program.compile": [(ctm.Program.compile, dict(text=SHADER, linear=["photo"]))],
        "Program.disassemble": [(program.disassemble, dict())],
        "Program.elf": [(program.elf, dict())],
        "Program.map": [(program.map, dict(swept, out=None)), (shader.map, {**lit, "inputs": {"photo": [image] * 2}})],
        "Program.run": [(program.run, dict(run, out=out)), (shader.run, lit)],
        "Program.translate": [(program.translate, dict())],
        "run_many": [(many, dict(launches=[(program, POINT, {0: image}, ONE, constants)] * 2))],
        "Result.picture": [(result.picture, dict(output=0))],
        "Result.to_dict": [(result.to_dict, dict(columns=len))],
        "Result.to_pandas": [(result.to_dict, dict(columns=len))],
    }


def many(**named):
    """The first results of `run_many`, which calls nothing before."""
    return [next(results, None) for results in [ctm.run_many(**named)] for _ in range(3)]


def public():
    """Every function, constructor and method, with its signature."""
    found = {"look": inspect.signature(_ctm.look), "plan": inspect.signature(_ctm.plan)}
    for name in ctm.__all__:
        value = getattr(ctm, name)
        if not inspect.isclass(value):
            if callable(value):
                found[name] = inspect.signature(value)
        elif not issubclass(value, Exception):
            if value.__text_signature__:
                found[name] = inspect.signature(value)
            for method in vars(value):
                if callable(getattr(value, method)) and not method.startswith("_"):
                    found[f"{name}.{method}"] = inspect.signature(getattr(value, method))
    return found


class Raised(Exception):
    pass


def raising(*_, **__):
    raise Raised("from a hostile object")


def hostile():
    """Values by name; each is made for its call."""

    def thing(**members):
        return lambda: type("Thing", (), members)()

    def of(kind, value, **members):
        return lambda: type("Kind", (kind,), members)(value)

    def endless(self):
        while True:
            yield 1

    def own_list():
        value = []
        value.append(value)
        return value

    def folded(count, depth):
        value = 1
        for _ in range(depth):
            value = [value] * count
        return value

    def broadcast(code, *shape):
        return lambda: np.broadcast_to(np.dtype(code).type(1), shape)

    def released():
        view = memoryview(b"1234")
        view.release()
        return view

    def mapping(items):
        import collections.abc

        members = {"__getitem__": lambda self, key: 1, "__iter__": endless, "__len__": lambda self: 1 << 62}
        return type("Mapping", (collections.abc.Mapping,), {**members, "items": items})()

    one = lambda self, n: 1  # noqa: E731
    pairs = lambda self: ((n, 1) for n in iter(int, 1))  # noqa: E731
    values = {
        "huge length": thing(__len__=lambda self: 1 << 62, __getitem__=raising),
        "huge length of nothing": thing(__len__=lambda self: 1 << 62, __iter__=lambda self: iter(())),
        "length 2**62, no end": thing(__len__=lambda self: 1 << 62, __getitem__=one),
        "length 2, no end": thing(__len__=lambda self: 2, __getitem__=one),
        "length 2**40, one item": thing(__len__=lambda self: 1 << 40, __iter__=lambda self: iter([1]), __getitem__=one),
        "length -1": thing(__len__=lambda self: -1, __getitem__=one, __iter__=lambda self: iter([1])),
        "length 2**100": thing(__len__=lambda self: 1 << 100, __getitem__=raising),
        "length raises": thing(__len__=raising, __getitem__=one, __iter__=lambda self: iter([1])),
        "length hint 2**62": thing(__iter__=lambda self: self, __next__=raising, __length_hint__=lambda self: 1 << 62),
        "generator without an end": lambda: endless(None),
        "list that iterates without an end": of(list, [1], __iter__=endless, __len__=lambda self: 1 << 62),
        "mapping without an end": lambda: mapping(pairs),
        "mapping of no pairs": lambda: mapping(lambda self: [1, 2]),
        "mapping whose items raise": lambda: mapping(raising),
        "dict whose items have no end": of(dict, {1: 2}, items=pairs),
        "dict of itself": lambda: (lambda value: value.update(x=value) or value)({}),
        "list of itself": own_list,
        "list of a thousand of itself": lambda: (lambda value: value.extend([value] * 1000) or value)([]),
        "list folded": lambda: folded(1000, 4),
        "list deep": lambda: folded(1, 5000),
        "range 2**60": lambda: range(1 << 60),
        "bytes (2**40,)": broadcast("u1", 1 << 40),
        "floats (2**40,)": broadcast("f4", 1 << 40),
        "floats (2**40, 4)": broadcast("f4", 1 << 40, 4),
        "integers (2**40, 3)": broadcast("i8", 1 << 40, 3),
        "words (2**33,)": broadcast("u4", 1 << 33),
        "booleans (2**40,)": broadcast("?", 1 << 40),
        "halves (2**25, 1)": broadcast("f2", 1 << 25, 1),
        "floats (2**40, 1, 1, 4)": broadcast("f4", 1 << 40, 1, 1, 4),
        "floats (2**20, 2**20, 4)": broadcast("f4", 1 << 20, 1 << 20, 4),
        "floats (0, 4)": lambda: np.zeros((0, 4), "f4"),
        "floats (1, 1, 0)": lambda: np.zeros((1, 1, 0), "f4"),
        "list of huge arrays": lambda: [np.broadcast_to(np.float32(1), (1 << 16, 1 << 16))] * 8,
        "reversed": lambda: np.zeros((1, 1, 4), "f4")[::-1, ::-1, ::-1],
        "objects": lambda: np.array([object(), None]),
        "structure": lambda: np.zeros(2, "f4,i4"),
        "array that raises": thing(__array__=raising),
        "array that is none": thing(__array__=lambda self, *_, **__: 5),
        "array of 2**40": thing(__array__=lambda self, *_, **__: np.broadcast_to(np.uint8(1), (1 << 40,))),
        "interface without bytes": thing(
            __array_interface__=dict(version=3, shape=(1 << 40,), typestr="<f4", data=b"1234")
        ),
        "interface that raises": thing(__array_interface__=property(raising)),
        "dlpack that raises": thing(__dlpack__=raising, __dlpack_device__=raising),
        "released view": released,
        "text that raises": of(str, "x", __str__=raising, __repr__=raising, encode=raising, __iter__=raising),
        "text of half a character": lambda: "\ud800",
        "text with NUL": lambda: "a\0b",
        "no text": lambda: "",
        "long text": lambda: "x" * (1 << 20),
        "zeros": lambda: bytes(1 << 12),
        "index raises": thing(__index__=raising, __int__=raising),
        "index is text": thing(__index__=lambda self: "1"),
        "index 2**200": thing(__index__=lambda self: 1 << 200),
        "float raises": thing(__float__=raising),
        "float is text": thing(__float__=lambda self: "1"),
        "path raises": thing(__fspath__=raising),
        "path is a number": thing(__fspath__=lambda self: 5),
        "path is bytes": thing(__fspath__=lambda self: b"\xff\0"),
        "truth raises": thing(__bool__=raising),
        "equality raises": thing(__eq__=raising, __hash__=lambda self: 0),
        "attributes raise": thing(__getattribute__=raising),
        "print raises": thing(__repr__=raising, __str__=raising),
        "call raises": lambda: raising,
        "a class": lambda: ctm.Program,
        "nan": lambda: float("nan"),
        "infinity": lambda: float("inf"),
        "-1": lambda: -1,
        "2**31": lambda: 1 << 31,
        "2**32": lambda: 1 << 32,
        "2**63": lambda: 1 << 63,
        "2**64": lambda: 1 << 64,
        "2**20000": lambda: 1 << 20000,
        "-2**63": lambda: -(1 << 63),
        "complex": lambda: 1j,
        "None": lambda: None,
        "True": lambda: True,
        "object": object,
        "set": lambda: {1, 2},
    }
    return values


def variants(value, make):
    """A right value with a hostile one in its place, or in the place of one of its parts."""
    yield "", make
    if isinstance(value, dict):
        for key in value:
            yield f"[{key!r}]", lambda key=key: {**value, key: make()}
            for part, inner in variants(value[key], make):
                if part:
                    yield f"[{key!r}]{part}", lambda key=key, inner=inner: {**value, key: inner()}
        yield " as a key", lambda: {make(): 1}
    elif isinstance(value, (list, tuple)) and value:
        yield "[0]", lambda: [make(), *value[1:]]


def run(name):
    """Runs all cases of a function; the child does that."""
    import faulthandler
    import resource
    import warnings

    warnings.simplefilter("ignore")
    signature = public()[name]
    count = 0
    for function, right in calls()[name]:
        # It is right.
        try:
            function(**right)
        except ctm.Error as error:
            assert "missing.toml" in str(error), error
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        # The hard limit stays: the next one may be larger.
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (used + (3 << 30), hard))
        for parameter in signature.parameters:
            if parameter == "self":
                continue
            for what, make in hostile().items():
                for part, value in variants(right.get(parameter), make):
                    print(f"{name}({parameter}{part} = {what})", flush=True)
                    # A call that never ends is found here.
                    faulthandler.dump_traceback_later(120, exit=True)
                    try:
                        function(**{**right, parameter: value()})
                    except Exception:
                        pass
                    faulthandler.cancel_dump_traceback_later()
                    count += 1
    print(f"{count} calls")


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")
def test_every_function_is_called():
    assert sorted(calls()) == sorted(public())


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")
@pytest.mark.parametrize("name", sorted(calls()))
def test_a_hostile_value_is_an_exception_or_a_result(name):
    here = os.path.dirname(os.path.abspath(__file__))
    code = f"import sys; sys.path.insert(0, {here!r}); import test_hostile; test_hostile.run({name!r})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = ran.stdout.splitlines()[-3:]
    assert ran.returncode == 0, f"{last}\n{ran.stderr[-3000:]}"
    if public()[name].parameters.keys() - {"self"}:
        assert int(last[-1].split()[0]) >= 60, last
